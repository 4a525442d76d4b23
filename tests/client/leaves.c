/* leaves.c: a benchmark that ends the program, behind one that does not and one that forks. */
#include <stdlib.h>
#include <sys/wait.h>
#include <tare/tare.h>
#include <unistd.h>

TARE_BENCHMARK(stays)
{
    double x = 1;
    TARE_LOOP(t)
    {
        x = tare_opaque(x) / 1.0001;
        tare_keep(x);
    }
}

/* A child may exit as it likes. */
TARE_BENCHMARK(forks)
{
    TARE_LOOP(t)
    {
        pid_t child = fork();
        if (child == 0) {
            exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        tare_expect(t, status == 0, "the child ended with %d", status);
    }
}

TARE_BENCHMARK(leaves)
{
    TARE_LOOP(t)
    {
        exit(0);
    }
}

TARE_MAIN()
