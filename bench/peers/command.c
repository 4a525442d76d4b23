/* command.c: a command whose work is given: `command STEPS` does that many steps of the kernel
 * `alu`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    long steps = count == 2 ? strtol(arguments[1], NULL, 10) : 0;
    if (steps <= 0) {
        fprintf(stderr, "usage: command STEPS\n");
        return 2;
    }
    uint64_t x = 88172645463325252u;
    for (long i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    /* Xorshift never reaches 0 from another value, which the compiler does not know. */
    return x == 0;
}
