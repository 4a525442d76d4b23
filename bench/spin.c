/* spin.c: a command that does so many steps of arithmetic: `spin 5000000` takes some 10 ms. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t x = 88172645463325252u;
    for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x == 0;
}
