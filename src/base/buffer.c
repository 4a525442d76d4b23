#include "base/buffer.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

struct buffer buffer_new(struct arena *arena, ptrdiff_t length_max)
{
    TARE_ASSERT(length_max > 0);
    return (struct buffer){.arena = arena, .length_max = length_max};
}

void buffer_append(struct buffer *buffer, const void *bytes, ptrdiff_t length)
{
    TARE_ASSERT(length >= 0);
    if (length > buffer->length_max - buffer->length) {
        buffer->is_full = true;
        length = buffer->length_max - buffer->length;
    }
    buffer->data =
        arena_grow(buffer->arena, buffer->data, &buffer->capacity, buffer->length + length + 1, 1);
    if (length > 0) {
        memcpy(buffer->data + buffer->length, bytes, (size_t)length);
    }
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, (ptrdiff_t)strlen(text));
}

void buffer_char(struct buffer *buffer, char character)
{
    buffer_append(buffer, &character, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char stack[512];
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(stack, sizeof stack, format, copy);
    va_end(copy);
    TARE_ASSERT(length >= 0);
    if ((size_t)length < sizeof stack) {
        buffer_append(buffer, stack, length);
    } else {
        buffer_append(buffer, arena_vprintf(buffer->arena, format, arguments), length);
    }
    va_end(arguments);
}

void buffer_repeat(struct buffer *buffer, const char *text, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        buffer_text(buffer, text);
    }
}

const char *buffer_string(const struct buffer *buffer)
{
    return buffer->data != NULL ? buffer->data : "";
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    buffer->is_full = false;
    if (buffer->data != NULL) {
        buffer->data[0] = '\0';
    }
}
