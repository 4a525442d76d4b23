/* valgrind.c: asks the Valgrind this process runs under, if any, to count instructions.
 *
 * A request is a sequence of rotations that add up to a whole turn and a register exchanged with
 * itself: on a CPU it does nothing, Valgrind recognises it (its manual, "The Client Request
 * mechanism"; numbers from Callgrind's manual). Counting is Callgrind's business: outside of
 * counted slices its instrumentation is off, so that set-up runs faster, and within one it collects
 * between the ends of the loop only, per thread. Each counted slice leaves one numbered file with
 * its total, which the driver reads. */
#include "client/client.h"

enum valgrind_request {
    IS_RUNNING = 0x1001,
    DUMP = 'C' << 24 | 'T' << 16, /* of the tool "CT" */
    ZERO,
    TOGGLE_COLLECT,
    DUMP_AT,
    START_INSTRUMENTATION,
    STOP_INSTRUMENTATION,
};

/* 0 when there is no Valgrind, or none for this processor. */
static uintptr_t ask_valgrind(enum valgrind_request request)
{
    volatile uintptr_t words[6] = {(uintptr_t)request};
    uintptr_t answer = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
#elif defined(__aarch64__)
    register uintptr_t result __asm__("x3") = answer;
    register volatile uintptr_t *place __asm__("x4") = words;
    __asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
                     "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10"
                     : "+r"(result)
                     : "r"(place)
                     : "cc", "memory");
    answer = result;
#else
    (void)words;
#endif
    return answer;
}

bool client_valgrind_is_there(void)
{
    return ask_valgrind(IS_RUNNING) != 0;
}

void client_valgrind_slice_begin(void)
{
    ask_valgrind(START_INSTRUMENTATION);
    ask_valgrind(ZERO);
}

void client_valgrind_slice_end(void)
{
    ask_valgrind(STOP_INSTRUMENTATION);
    ask_valgrind(DUMP);
}

void client_valgrind_toggle(void)
{
    ask_valgrind(TOGGLE_COLLECT);
}
