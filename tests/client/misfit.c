/* misfit.c: benchmarks that go wrong in every way a program can, and some that do not. */
#include <tare/tare.h>

TARE_BENCHMARK(good)
{
    double x = 1;
    TARE_LOOP(t)
    {
        x = tare_opaque(x) * 1.0001;
        tare_keep(x);
    }
}

static void never_holds(struct tare_state *t)
{
    tare_expect_near(t, "answer", 41, 42, 1e-9);
}

TARE_BENCHMARK(wrong)
{
    TARE_LOOP(t)
    {
        tare_clobber();
    }
}

TARE_DESCRIBE(wrong)
{
    tare_check(d, never_holds);
}

TARE_BENCHMARK(breaks)
{
    TARE_LOOP(t)
    {
        break;
    }
}

TARE_BENCHMARK(empty)
{
    TARE_LOOP(t)
    {
    }
}

TARE_BENCHMARK(skipped)
{
    tare_skip(t, "needs a \033[31mGPU");
}

TARE_BENCHMARK(expects)
{
    double x = 1;
    TARE_LOOP(t)
    {
        x = tare_opaque(x) / 1.0001;
        tare_keep(x);
    }
    tare_expect(t, 0, "x is not what it was");
}

TARE_MAIN()
