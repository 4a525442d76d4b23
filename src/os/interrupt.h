/* interrupt.h: Ctrl-C, SIGTERM and SIGHUP as a flag that every waiting loop looks at.
 *
 * The first signal asks for an orderly end: children are killed, what is finished is kept, exit
 * 130. A second one within the orderly end exits at once. */
#ifndef TARE_OS_INTERRUPT_H
#define TARE_OS_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
/* A file beyond the size limit (ulimit -f) is then a failed write with a message, not a killed
 * process. */
void interrupt_ignore_size_limit(void);
bool interrupt_is_requested(void);
/* Becomes readable when an interrupt has come, for poll(2). */
int interrupt_fd(void);
/* Tests: sets or clears the flag. */
void interrupt_set(bool is_requested);

#endif
