/* channel.c: a line at a time over pipes, never stuck: every wait has a deadline, ends with the
 * child (even when one of its children keeps the pipe open) and with Ctrl-C. */
#include "os/channel.h"

#include "base/assert.h"
#include "os/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READ_CHUNK_BYTES = 64 * 1024 /* the size of a pipe */ };

/* Longer than any benchmark; keeps the sum of clock and time-out within 64 bits. */
static const double TIMEOUT_NS_MAX = 1e18;

struct channel channel_new(struct arena *arena, int read_fd, int write_fd, ptrdiff_t line_bytes_max)
{
    TARE_ASSERT(line_bytes_max > 0);
    if (write_fd >= 0) {
        /* A child that does not read must not block us beyond the deadline. */
        int flags = fcntl(write_fd, F_GETFL);
        TARE_ASSERT(flags >= 0);
        fcntl(write_fd, F_SETFL, flags | O_NONBLOCK);
    }
    return (struct channel){
        .read_fd = read_fd,
        .write_fd = write_fd,
        .pidfd = -1,
        .line_bytes_max = line_bytes_max,
        .pending = buffer_new(arena, line_bytes_max + READ_CHUNK_BYTES),
    };
}

static mono_time channel_deadline(double timeout_ns)
{
    bool is_endless = !(timeout_ns > 0) || timeout_ns > TIMEOUT_NS_MAX;
    return (mono_time){.ns = is_endless ? INT64_MAX : clock_now().ns + (int64_t)timeout_ns};
}

/* Keeps the last CHANNEL_TAIL_BYTES of what was and what came. */
static void tail_keep(struct channel_tail *tail, const char *bytes, ptrdiff_t count)
{
    if (count > CHANNEL_TAIL_BYTES) {
        bytes += count - CHANNEL_TAIL_BYTES;
        count = CHANNEL_TAIL_BYTES;
    }
    ptrdiff_t dropped = tail->length + count - CHANNEL_TAIL_BYTES;
    if (dropped > 0) {
        memmove(tail->text, tail->text + dropped, (size_t)(tail->length - dropped));
        tail->length -= dropped;
    }
    memcpy(tail->text + tail->length, bytes, (size_t)count);
    tail->length += count;
    tail->text[tail->length] = '\0';
}

void channel_tail_drain(struct channel_tail *tail)
{
    /* At most a few pipes full: a flood must not keep us from the deadline. */
    for (int i = 0; i < 4 && tail->fd >= 0; i++) {
        char chunk[READ_CHUNK_BYTES];
        struct pollfd polled = {.fd = tail->fd, .events = POLLIN};
        if (poll(&polled, 1, 0) <= 0) {
            return;
        }
        ssize_t got = read(tail->fd, chunk, sizeof chunk);
        if (got > 0) {
            tail_keep(tail, chunk, got);
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(tail->fd);
            tail->fd = -1;
        }
    }
}

/* Waits for `events` on fd. CHANNEL_LINE means ready. */
static enum channel_result channel_wait(const struct channel *channel, int fd, short events,
                                        mono_time deadline)
{
    for (;;) {
        struct pollfd polled[] = {
            {.fd = fd, .events = events},
            {.fd = interrupt_fd(), .events = POLLIN},
            {.fd = channel->pidfd, .events = POLLIN},
            {.fd = channel->tail != NULL ? channel->tail->fd : -1, .events = POLLIN},
        };
        struct timespec rest = clock_left(deadline);
        int ready = ppoll(polled, 4, &rest, NULL);
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready < 0) {
            return CHANNEL_FAILED;
        }
        if (polled[1].revents != 0) {
            return CHANNEL_INTERRUPTED;
        }
        if (polled[0].revents != 0) {
            return CHANNEL_LINE;
        }
        if (ready == 0) {
            return CHANNEL_TIMEOUT;
        }
        if (polled[3].revents != 0 && channel->tail != NULL) {
            channel_tail_drain(channel->tail);
            continue;
        }
        return CHANNEL_CLOSED; /* the child is gone and has left nothing to read */
    }
}

/* write(2) that answers EPIPE instead of raising SIGPIPE, whatever the process does with that
 * signal. */
static ssize_t channel_write_quietly(int fd, const char *bytes, size_t length)
{
    sigset_t pipe_signal;
    sigset_t old_mask;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &old_mask);
    ssize_t put = write(fd, bytes, length);
    int saved_errno = errno;
    if (put < 0 && saved_errno == EPIPE) {
        struct timespec at_once = {0};
        sigtimedwait(&pipe_signal, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    errno = saved_errno;
    return put;
}

enum channel_result channel_write(struct channel *channel, const char *text, double timeout_ns)
{
    TARE_ASSERT(channel->write_fd >= 0);
    mono_time deadline = channel_deadline(timeout_ns);
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t put = channel_write_quietly(channel->write_fd, text, length);
        if (put >= 0) {
            text += put;
            length -= (size_t)put;
            continue;
        }
        if (errno == EPIPE) {
            return CHANNEL_CLOSED;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return CHANNEL_FAILED;
        }
        enum channel_result result = channel_wait(channel, channel->write_fd, POLLOUT, deadline);
        if (result != CHANNEL_LINE) {
            return result;
        }
    }
    return CHANNEL_LINE;
}

/* Hands out the next whole line of what is pending, if there is one. */
static bool channel_take_line(struct channel *channel, const char **line)
{
    struct buffer *pending = &channel->pending;
    if (pending->length <= channel->searched) {
        return false;
    }
    char *newline = memchr(pending->data + channel->searched, '\n',
                           (size_t)(pending->length - channel->searched));
    if (newline == NULL) {
        channel->searched = pending->length;
        return false;
    }
    *newline = '\0';
    *line = pending->data + channel->taken;
    channel->line_length = newline - *line;
    channel->taken = newline - pending->data + 1;
    channel->searched = channel->taken;
    return true;
}

/* Moves what is pending to the front, so that the buffer never holds more than one long line. */
static void channel_compact(struct channel *channel)
{
    struct buffer *pending = &channel->pending;
    if (channel->taken == 0) {
        return;
    }
    memmove(pending->data, pending->data + channel->taken,
            (size_t)(pending->length - channel->taken));
    pending->length -= channel->taken;
    pending->data[pending->length] = '\0';
    channel->searched -= channel->taken;
    channel->taken = 0;
}

static enum channel_result channel_fill(struct channel *channel, mono_time deadline)
{
    enum channel_result result = channel_wait(channel, channel->read_fd, POLLIN, deadline);
    if (result != CHANNEL_LINE) {
        return result;
    }
    char chunk[READ_CHUNK_BYTES];
    ssize_t got = read(channel->read_fd, chunk, sizeof chunk);
    if (got < 0) {
        return errno == EINTR || errno == EAGAIN ? CHANNEL_LINE : CHANNEL_FAILED;
    }
    if (got == 0) {
        return CHANNEL_CLOSED;
    }
    buffer_append(&channel->pending, chunk, got);
    return CHANNEL_LINE;
}

enum channel_result channel_read_line(struct channel *channel, double timeout_ns, const char **line)
{
    TARE_ASSERT(channel->read_fd >= 0);
    mono_time deadline = channel_deadline(timeout_ns);
    for (;;) {
        if (channel_take_line(channel, line)) {
            return channel->line_length <= channel->line_bytes_max ? CHANNEL_LINE
                                                                   : CHANNEL_TOO_LONG;
        }
        if (channel->pending.length - channel->taken > channel->line_bytes_max) {
            return CHANNEL_TOO_LONG;
        }
        channel_compact(channel);
        enum channel_result result = channel_fill(channel, deadline);
        if (result != CHANNEL_LINE) {
            return result;
        }
    }
}

void channel_close(struct channel *channel)
{
    if (channel->read_fd >= 0) {
        close(channel->read_fd);
    }
    if (channel->write_fd >= 0 && channel->write_fd != channel->read_fd) {
        close(channel->write_fd);
    }
    channel->read_fd = -1;
    channel->write_fd = -1;
}
