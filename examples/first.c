/* first.c: a first benchmark.
 *
 *     cc -O2 first.c $(pkg-config --cflags --libs tare) -o first && ./first */
#include <stdlib.h>
#include <tare/tare.h>

TARE_BENCHMARK(parse_number)
{
    const char *text = "299792458";
    TARE_LOOP(t)
    {
        tare_keep(strtol(tare_opaque(text), NULL, 10));
    }
}

TARE_MAIN()
