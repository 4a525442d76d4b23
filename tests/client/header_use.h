/* header_use.h: every macro and barrier of tare.h once, in what C11 and C++11 have in common. */
#include <tare/tare.h>

enum kind { KIND_ONE, KIND_TWO };

TARE_BENCHMARK(plain)
{
    int number = 3;
    const char *text = "text";
    double real = 0.5;
    TARE_LOOP(t)
    {
        tare_keep(number);
        tare_keep(number + 1);
        tare_keep((char)number);
        tare_keep((unsigned char)number);
        tare_keep((short)number);
        tare_keep((unsigned)number);
        tare_keep((long)number);
        tare_keep((unsigned long long)number);
        tare_keep(number > 1);
        tare_keep(real);
        tare_keep((float)real);
        tare_keep((long double)real);
        tare_keep(text);
        tare_keep(&number);
        tare_keep(KIND_TWO);
        tare_keep(tare_opaque(number));
        tare_keep(tare_opaque(real));
        tare_keep(tare_opaque(text));
        tare_clobber();
    }
    tare_result(t, &number, sizeof number);
}

TARE_VARIANT(plain, other)
{
    int number = 3;
    TARE_LOOP_LATENCY(t)
    {
        tare_keep(number);
    }
    tare_result(t, &number, sizeof number);
}

static void check_plain(struct tare_state *t)
{
    tare_expect(t, tare_data(t) == NULL, "%s", "nothing was set");
}

TARE_DESCRIBE(plain)
{
    tare_check(d, check_plain);
    tare_params(d, "n", "1..4*2");
    tare_metric(d, "level", "1", TARE_HIGHER);
}

TARE_BENCHMARK_NAMED(grouped, "group/name")
{
    TARE_LOOP(t)
    {
    }
}

TARE_MAIN()
