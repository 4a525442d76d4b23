/* buffer.h: a growing text or byte buffer with a limit.
 *
 * Lives in an arena. Writing past the limit drops the rest and sets `is_full`, which the owner
 * checks once at the end and reports as an error of its own; nothing is ever written out of bounds.
 * `data` is always NUL-terminated once something was appended. */
#ifndef TARE_BASE_BUFFER_H
#define TARE_BASE_BUFFER_H

#include "base/arena.h"

#include <stdbool.h>

struct buffer {
    struct arena *arena;
    char *data;
    ptrdiff_t length;
    ptrdiff_t capacity;
    ptrdiff_t length_max;
    bool is_full;
};

/* 64 MiB: no text Tare writes in one piece is larger; a caller with another need says so. */
enum { BUFFER_LENGTH_MAX = 64 * 1024 * 1024 };

struct buffer buffer_new(struct arena *arena, ptrdiff_t length_max);
void buffer_append(struct buffer *buffer, const void *bytes, ptrdiff_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_char(struct buffer *buffer, char character);
__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *buffer, const char *format,
                                                         ...);
void buffer_repeat(struct buffer *buffer, const char *text, ptrdiff_t count);
/* The text so far, never NULL. */
const char *buffer_string(const struct buffer *buffer);
void buffer_clear(struct buffer *buffer);

#endif
