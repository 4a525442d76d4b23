/* terminal.h: what standard error and standard output are, for progress and colours. */
#ifndef TARE_OS_TERMINAL_H
#define TARE_OS_TERMINAL_H

#include <stdbool.h>

bool terminal_is(int fd);
/* Columns of the terminal behind fd; $COLUMNS, else 80, when it is none. */
int terminal_columns(int fd);
/* A terminal, no NO_COLOR in the environment, TERM is not "dumb". */
bool terminal_has_color(int fd);

#endif
