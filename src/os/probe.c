#include "os/probe.h"

#include "os/clock.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void probe_system_calls(int64_t count)
{
    /* glibc does not cache the parent's number, but says so nowhere: ask the kernel itself. */
    for (int64_t i = 0; i < count; i++) {
        syscall(SYS_getppid);
    }
}

int64_t probe_wake_up_late_ns(int64_t nap_ns)
{
    int64_t due_ns = clock_now().ns + nap_ns;
    const struct timespec due = {.tv_sec = due_ns / 1000000000, .tv_nsec = due_ns % 1000000000};
    /* An interrupt ends the nap early; the caller looks at its flag, and the sample is of no use.
     */
    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
        return 0;
    }
    return clock_now().ns - due_ns;
}

void *probe_pages_new(size_t size_bytes)
{
    void *pages =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

void probe_pages_free(void *pages, size_t size_bytes)
{
    if (pages != NULL) {
        munmap(pages, size_bytes);
    }
}

int64_t probe_disk_free_bytes(const char *path)
{
    struct statvfs information;
    if (statvfs(path, &information) != 0) {
        return -1;
    }
    uint64_t bytes = (uint64_t)information.f_bavail * information.f_frsize;
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}
