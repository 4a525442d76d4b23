/* channel.h: lines to and from a child over two pipes, with a deadline and Ctrl-C. */
#ifndef TARE_OS_CHANNEL_H
#define TARE_OS_CHANNEL_H

#include "base/buffer.h"
#include "base/error.h"
#include "os/clock.h"

/* What a child writes besides its replies: read and forgotten, but for the end, which error
 * messages show. A child that floods its output is thus never blocked and never fills our memory.
 */
enum { CHANNEL_TAIL_BYTES = 2048 };

struct channel_tail {
    int fd; /* −1: none, or closed by the child */
    char text[CHANNEL_TAIL_BYTES + 1];
    ptrdiff_t length;
};

struct channel {
    int read_fd;
    int write_fd;
    int pidfd;             /* −1, or the child: its end ends a read */
    struct buffer pending; /* bytes read and not yet handed out */
    ptrdiff_t taken;       /* bytes of `pending` handed out already */
    ptrdiff_t searched;    /* bytes of `pending` known to hold no further newline */
    ptrdiff_t line_length; /* of the line handed out last: longer than strlen when it holds a NUL */
    ptrdiff_t line_bytes_max;
    struct channel_tail *tail; /* NULL, or output to drain while waiting */
};

enum channel_result {
    CHANNEL_LINE,
    CHANNEL_CLOSED, /* end of file, with nothing or half a line pending */
    CHANNEL_TIMEOUT,
    CHANNEL_TOO_LONG, /* a line beyond the limit */
    CHANNEL_INTERRUPTED,
    CHANNEL_FAILED,
};

struct channel channel_new(struct arena *arena, int read_fd, int write_fd,
                           ptrdiff_t line_bytes_max);
/* Writes the whole text (a timeout of 0 means no deadline); CHANNEL_LINE on success, CHANNEL_CLOSED
 * when the other side is gone. */
enum channel_result channel_write(struct channel *channel, const char *text, double timeout_ns);
/* The next line without its newline; valid until the next call. */
enum channel_result channel_read_line(struct channel *channel, double timeout_ns,
                                      const char **line);
void channel_close(struct channel *channel);
/* Reads what there is now into the tail, without waiting. */
void channel_tail_drain(struct channel_tail *tail);

#endif
