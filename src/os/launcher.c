/* launcher.c: why a child's peak memory is its own.
 *
 * Linux counts into a process's peak (ru_maxrss) what was resident before its exec, and before its
 * exec a vforked child has its parent's memory: a program of 500 KB started by a tool of 500 MB is
 * said to have used 500 MB. So children are started by a helper that is as small as a process can
 * be:
 *
 * - It is cloned from us once, with memory of its own but our table of open files and our directory
 *   (CLONE_FILES, CLONE_FS), so that descriptors need not be sent.
 * - It gives back all heap and large memory it got from us and resets its peak
 * (/proc/self/clear_refs).
 * - It then sleeps on a word in shared memory. A request there is a spawn_plan at the same
 * addresses on both sides. It starts the child as its sibling (CLONE_PARENT), so that the child is
 * ours: its end, its usage and its orphans come to us.
 * - It ends with us (PR_SET_PDEATHSIG), and no signal but SIGKILL reaches it.
 *
 * The helper must not allocate or use stdio: its heap is gone. It has no exit signal, so that plain
 * wait calls do not see it. Cost: two futex wake-ups a start, outside the measured time, and about
 * 0.5 MB; what it has itself resident is the floor below which a peak cannot be told. */
#include "os/launcher.h"

#include "os/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    /* Linux allows about 2 MiB of arguments and environment by default; longer is left to a direct
       start. */
    REQUEST_BYTES_MAX = 4 * 1024 * 1024,
    HELPER_STACK_BYTES = 128 * 1024, /* spawn_start takes 64 KiB of it for the child */
    MAPS_CHUNK_BYTES = 4096,
    /* How often a waiting request looks whether the helper is still there. */
    HELPER_CHECK_MS = 500,
    /* Smaller anonymous mappings may be the dynamic loader's own notes, which it still needs. */
    DROPPED_BYTES_MIN = 128 * 1024,
    /* Kept before and (twice) behind an address that is needed: more than the stack's size, and
     * than the loader puts beside the thread's variables. */
    KEPT_BYTES = 128 * 1024,
};

/* Sanitizers keep their own books in memory that the helper would give back. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { KEEPS_MEMORY = 1 };
#elif defined(__has_feature)
enum { KEEPS_MEMORY = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { KEEPS_MEMORY = 0 };
#endif

enum launcher_turn { TURN_IDLE, TURN_START, TURN_RUN, TURN_DONE };

/* Shared by both; the rest of the region holds the request's texts. */
struct launcher_region {
    _Atomic uint32_t turn;
    struct spawn_plan plan;
    double timeout_ns;
    int interrupted_fd;
    struct spawn_result result;
    struct spawn_end end;
    char texts[];
};

/* Process-wide, because the helper is: one for all threads, one request at a time. */
static struct launcher_region *region;
static pid_t helper_pid;
static bool is_impossible;

static bool launcher_ask(enum launcher_turn turn, const struct spawn_plan *plan, double timeout_ns);
static bool launcher_begin(void);
static void launcher_end(void);
static bool launcher_pack(const struct spawn_plan *plan);
static bool launcher_await(void);
static int launcher_main(void *argument);

bool launcher_start(const struct spawn_plan *plan, struct spawn_result *result)
{
    if (!launcher_ask(TURN_START, plan, 0)) {
        return false;
    }
    *result = region->result;
    if (result->failed_pid > 0) {
        /* It never got as far as exec, which would have given it the usual exit signal. */
        while (waitpid(result->failed_pid, NULL, __WALL) < 0 && errno == EINTR) {
        }
    }
    return true;
}

bool launcher_run(const struct spawn_plan *plan, double timeout_ns, struct spawn_result *result,
                  struct spawn_end *end)
{
    if (!launcher_ask(TURN_RUN, plan, timeout_ns)) {
        return false;
    }
    *result = region->result;
    *end = region->end;
    return true;
}

static bool launcher_ask(enum launcher_turn turn, const struct spawn_plan *plan, double timeout_ns)
{
    if (is_impossible || (helper_pid == 0 && !launcher_begin()) || !launcher_pack(plan)) {
        return false;
    }
    region->plan.is_sibling = turn == TURN_START;
    region->timeout_ns = timeout_ns;
    region->interrupted_fd = interrupt_fd(); /* the helper has no part in our signals */
    atomic_store(&region->turn, turn);
    syscall(SYS_futex, &region->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
    return launcher_await();
}

pid_t launcher_pid(void)
{
    return helper_pid;
}

static bool launcher_begin(void)
{
    if (region == NULL) {
        void *shared = mmap(NULL, REQUEST_BYTES_MAX, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        region = shared != MAP_FAILED ? shared : NULL;
    }
    void *stack = mmap(NULL, HELPER_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (region == NULL || stack == MAP_FAILED) {
        is_impossible = true;
        return false;
    }
    atomic_store(&region->turn, TURN_IDLE);
    sigset_t all;
    sigset_t old_mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old_mask);
    pid_t pid =
        clone(launcher_main, (char *)stack + HELPER_STACK_BYTES, CLONE_FILES | CLONE_FS, stack);
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    munmap(stack, HELPER_STACK_BYTES);
    if (pid <= 0) {
        is_impossible = true;
        return false;
    }
    helper_pid = pid;
    static bool is_end_registered;
    if (!is_end_registered) {
        is_end_registered = atexit(launcher_end) == 0;
    }
    return true;
}

/* The kernel would end it with us, but leave a zombie where process 1 does not collect them. */
static void launcher_end(void)
{
    if (helper_pid > 0) {
        kill(helper_pid, SIGKILL);
        waitpid(helper_pid, NULL, __WCLONE);
        helper_pid = 0;
    }
}

/* Room for the request's texts, handed out from the front. */
struct launcher_cursor {
    char *next;
    char *end;
    bool is_full;
};

static void *launcher_take(struct launcher_cursor *cursor, size_t size)
{
    size = (size + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if ((size_t)(cursor->end - cursor->next) < size) {
        cursor->is_full = true;
        return NULL;
    }
    void *place = cursor->next;
    cursor->next += size;
    return place;
}

static char *launcher_pack_text(struct launcher_cursor *cursor, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = launcher_take(cursor, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

static char *const *launcher_pack_list(struct launcher_cursor *cursor, char *const *list)
{
    size_t count = 0;
    while (list[count] != NULL) {
        count++;
    }
    char **copy = launcher_take(cursor, (count + 1) * sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count && !cursor->is_full; i++) {
        copy[i] = launcher_pack_text(cursor, list[i]);
    }
    if (copy != NULL) {
        copy[count] = NULL;
    }
    return copy;
}

/* Copies the plan to where the helper can see it; false when it is too long. */
static bool launcher_pack(const struct spawn_plan *plan)
{
    struct launcher_cursor cursor = {.next = region->texts,
                                     .end = (char *)region + REQUEST_BYTES_MAX};
    region->plan = *plan;
    region->plan.path = launcher_pack_text(&cursor, plan->path);
    region->plan.argv = launcher_pack_list(&cursor, plan->argv);
    region->plan.environment = launcher_pack_list(&cursor, plan->environment);
    if (plan->directory != NULL) {
        region->plan.directory = launcher_pack_text(&cursor, plan->directory);
    }
    return !cursor.is_full;
}

/* Waits for the helper's answer; false when the helper is gone, killed by someone. */
static bool launcher_await(void)
{
    for (;;) {
        uint32_t turn = atomic_load(&region->turn);
        if (turn == TURN_DONE) {
            return true;
        }
        struct timespec period = {.tv_nsec = HELPER_CHECK_MS * 1000000L};
        long result = syscall(SYS_futex, &region->turn, FUTEX_WAIT, turn, &period, NULL, 0);
        int status = 0;
        if (result < 0 && errno == ETIMEDOUT &&
            waitpid(helper_pid, &status, WNOHANG | __WCLONE) != 0) {
            helper_pid = 0;
            /* Killed from outside it is started anew; what it did itself it would do again. */
            is_impossible = !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            return false;
        }
    }
}

/* From here on everything runs in the helper. */

static void launcher_shrink(const char *stack);
static _Noreturn void launcher_serve(void);

/* Not for the address sanitizer: it knows nothing of this stack and would say so at every start. */
__attribute__((no_sanitize("address"))) static int launcher_main(void *argument)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "tare-launcher");
    launcher_shrink(argument);
    launcher_serve();
}

static _Noreturn void launcher_serve(void)
{
    for (;;) {
        uint32_t turn = atomic_load(&region->turn);
        if (turn != TURN_START && turn != TURN_RUN) {
            syscall(SYS_futex, &region->turn, FUTEX_WAIT, turn, NULL, NULL, 0);
            continue;
        }
        spawn_start(&region->plan, &region->result);
        if (turn == TURN_RUN && region->result.pid != 0) {
            mono_time deadline = spawn_deadline(region->result.started, region->timeout_ns);
            spawn_finish(&region->result, deadline, region->interrupted_fd, &region->end);
        }
        atomic_store(&region->turn, TURN_DONE);
        syscall(SYS_futex, &region->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

/* One line of /proc/self/maps, as far as it matters. */
struct launcher_mapping {
    uintptr_t low;
    uintptr_t high;
    bool is_private_writable;
    bool is_heap;
    bool is_named; /* a file, or one of the kernel's own such as [stack] */
};

static const char *launcher_parse_hex(const char *text, uintptr_t *value)
{
    *value = 0;
    for (;; text++) {
        if (*text >= '0' && *text <= '9') {
            *value = *value * 16 + (uintptr_t)(*text - '0');
        } else if (*text >= 'a' && *text <= 'f') {
            *value = *value * 16 + (uintptr_t)(*text - 'a' + 10);
        } else {
            return text;
        }
    }
}

/* "7f12…-7f13… rw-p 00000000 00:00 0    [heap]" */
static struct launcher_mapping launcher_parse_mapping(const char *line)
{
    struct launcher_mapping mapping = {0};
    const char *rest = launcher_parse_hex(line, &mapping.low);
    if (*rest != '-') {
        return (struct launcher_mapping){0};
    }
    rest = launcher_parse_hex(rest + 1, &mapping.high);
    mapping.is_private_writable = strncmp(rest, " rw-p", 5) == 0;
    mapping.is_heap = strstr(rest, "[heap]") != NULL;
    mapping.is_named = strchr(rest, '/') != NULL || strchr(rest, '[') != NULL;
    return mapping;
}

static void launcher_drop_range(uintptr_t low, uintptr_t high)
{
    if (low < high) {
        madvise((void *)low, high - low, MADV_DONTNEED);
    }
}

/* Gives the mapping's pages back, except those around what the helper needs: its stack, and the
 * thread's own variables (errno is one of them). The kernel joins neighbouring mappings into one,
 * so these may lie within a large one. */
static void launcher_drop(const struct launcher_mapping *mapping, const char *stack)
{
    bool is_large = !mapping->is_named && mapping->high - mapping->low >= DROPPED_BYTES_MIN;
    if (!mapping->is_private_writable || !(mapping->is_heap || is_large)) {
        return;
    }
    uintptr_t needed[] = {(uintptr_t)stack, (uintptr_t)&errno};
    if (needed[0] > needed[1]) {
        needed[0] = (uintptr_t)&errno;
        needed[1] = (uintptr_t)stack;
    }
    uintptr_t low = mapping->low;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (mapping->low <= needed[i] && needed[i] < mapping->high) {
            uintptr_t place = needed[i] / KEPT_BYTES * KEPT_BYTES; /* a multiple of any page size */
            launcher_drop_range(low, place > KEPT_BYTES ? place - KEPT_BYTES : 0);
            low = place + 3 * (uintptr_t)KEPT_BYTES;
        }
    }
    launcher_drop_range(low, mapping->high);
}

static void launcher_drop_all(int fd, const char *stack)
{
    char chunk[MAPS_CHUNK_BYTES];
    size_t length = 0;
    ssize_t got = 0;
    while ((got = read(fd, chunk + length, sizeof chunk - 1 - length)) > 0) {
        length += (size_t)got;
        chunk[length] = '\0';
        char *line = chunk;
        char *newline = NULL;
        while ((newline = strchr(line, '\n')) != NULL) {
            *newline = '\0';
            struct launcher_mapping mapping = launcher_parse_mapping(line);
            launcher_drop(&mapping, stack);
            line = newline + 1;
        }
        length = strlen(line);
        if (length == sizeof chunk - 1) {
            length = 0; /* a file name beyond all measure: its end will not parse, and is skipped */
        } else {
            memmove(chunk, line, length);
        }
    }
}

static void launcher_shrink(const char *stack)
{
    int maps = KEEPS_MEMORY ? -1 : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps >= 0) {
        launcher_drop_all(maps, stack);
        close(maps);
    }
    int references = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (references >= 0) {
        ssize_t written = write(references, "5", 1); /* proc(5): forget the peak */
        (void)written;                               /* else the floor is higher, and said to be */
        close(references);
    }
}
