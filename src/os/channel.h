/* channel.h: lines to and from a child over two pipes, with a deadline and Ctrl-C. */
#ifndef TARE_OS_CHANNEL_H
#define TARE_OS_CHANNEL_H

#include "base/buffer.h"
#include "base/error.h"
#include "os/clock.h"

struct channel {
    int read_fd;
    int write_fd;
    int pidfd; /* −1, or the child: its end ends a read */
    struct buffer pending; /* bytes read and not yet handed out */
    ptrdiff_t taken;       /* bytes of `pending` handed out already */
};

enum channel_result {
    CHANNEL_LINE,
    CHANNEL_CLOSED,   /* end of file, with nothing or half a line pending */
    CHANNEL_TIMEOUT,
    CHANNEL_TOO_LONG, /* a line beyond the limit */
    CHANNEL_INTERRUPTED,
    CHANNEL_FAILED,
};

struct channel channel_new(struct arena *arena, int read_fd, int write_fd, ptrdiff_t line_bytes_max);
/* Writes the whole text; CHANNEL_LINE on success, CHANNEL_CLOSED when the other side is gone. */
enum channel_result channel_write(struct channel *channel, const char *text, double timeout_ns);
/* The next line without its newline; valid until the next call. */
enum channel_result channel_read_line(struct channel *channel, double timeout_ns, const char **line);
void channel_close(struct channel *channel);

#endif
