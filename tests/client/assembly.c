/* assembly.c: functions whose machine code assembly.bats looks at. */
#include <tare/tare.h>

void loop_empty(struct tare_state *t);
void loop_keep_int(struct tare_state *t, int a);
void loop_keep_double(struct tare_state *t, double a, double b);
void loop_keep_call(struct tare_state *t, const int *a);
void loop_opaque(struct tare_state *t);
void loop_clobber(struct tare_state *t, int *place);
void loop_folded(struct tare_state *t);

void loop_empty(struct tare_state *t)
{
    TARE_LOOP(t)
    {
    }
}

/* The multiplication by an unknown number depends on nothing in the loop but must be there for
 * keep. */
void loop_keep_int(struct tare_state *t, int a)
{
    TARE_LOOP(t)
    {
        tare_keep(tare_opaque(a) * a);
    }
}

void loop_keep_double(struct tare_state *t, double a, double b)
{
    TARE_LOOP(t)
    {
        a = tare_opaque(a) / b;
        tare_keep(a);
    }
}

/* Memory may have changed: the load stays in the loop. */
void loop_keep_call(struct tare_state *t, const int *a)
{
    TARE_LOOP(t)
    {
        tare_keep(*a);
    }
}

void loop_opaque(struct tare_state *t)
{
    TARE_LOOP(t)
    {
        tare_keep(tare_opaque(1234567u) / 7u);
    }
}

/* Without the barrier a thousand stores are one store behind the loop. */
void loop_clobber(struct tare_state *t, int *place)
{
    TARE_LOOP(t)
    {
        *place = 42;
        tare_clobber();
    }
}

/* Nothing is kept, so nothing is left. */
void loop_folded(struct tare_state *t)
{
    TARE_LOOP(t)
    {
        unsigned x = 1234567u / 7u;
        (void)x;
    }
}
