/* process.c: children from start to end, and what went wrong in words.
 *
 * A run is started by the launcher (launcher.c says why) or, when it is not there, by this process;
 * spawn.c does the work in both. This process is a subreaper: descendants that left their group
 * (setsid, daemons) become our children when their parent ends, and are killed when no other child
 * is running whose they could be.
 *
 * Limits: a descendant that became a daemon while two children run is killed when the last of them
 * has ended. Every child of this process is started here; nothing else may fork. */
#include "os/process.h"

#include "base/assert.h"
#include "os/interrupt.h"
#include "os/launcher.h"
#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Rounds of killing orphans: each may bring their children to light. */
enum { ORPHAN_ROUNDS_MAX = 1000 };

extern char **environ;

/* Children started and not yet reaped: an orphan can be told from them only when there are none. */
static int running_count;

/* A spec made ready for spawn; holds /dev/null open. */
struct process_prepared {
    struct spawn_plan plan;
    char path[PATH_MAX];
    int null_fd;
};

static tare_status process_prepare(const struct process_spec *spec,
                                   struct process_prepared *prepared, struct tare_error *error);
static void process_release(struct process_prepared *prepared);
static tare_status process_resolve(const struct process_spec *spec, char path[PATH_MAX],
                                   struct tare_error *error);
static tare_status process_explain(const struct process_spec *spec, const char *path,
                                   const struct spawn_result *result, struct tare_error *error);
static tare_status process_account(const struct spawn_result *child, const struct spawn_end *end,
                                   struct process_usage *usage, struct tare_error *error);
static void process_forget(struct process *process);
static void process_kill_orphans(void);

tare_status process_start(const struct process_spec *spec, struct process *process,
                          struct tare_error *error)
{
    *process = (struct process){.pidfd = -1};
    struct process_prepared prepared;
    tare_status status = process_prepare(spec, &prepared, error);
    if (status != TARE_OK) {
        return status;
    }
    struct spawn_result result;
    if (spec->is_direct || !launcher_start(&prepared.plan, &result)) {
        spawn_start(&prepared.plan, &result);
    }
    process_release(&prepared);
    if (result.pid == 0) {
        return process_explain(spec, prepared.path, &result, error);
    }
    *process = (struct process){
        .pid = result.pid,
        .pidfd = result.pidfd,
        .started = result.started,
        .memory_floor_bytes = result.memory_floor_bytes,
    };
    running_count++;
    return TARE_OK;
}

tare_status process_run(const struct process_spec *spec, double timeout_ns,
                        struct process_usage *usage, struct tare_error *error)
{
    struct process_prepared prepared;
    tare_status status = process_prepare(spec, &prepared, error);
    if (status != TARE_OK) {
        return status;
    }
    struct spawn_result result;
    struct spawn_end end;
    if (spec->is_direct || !launcher_run(&prepared.plan, timeout_ns, &result, &end)) {
        spawn_start(&prepared.plan, &result);
        if (result.pid != 0) {
            spawn_finish(&result, spawn_deadline(result.started, timeout_ns), interrupt_fd(), &end);
        }
    }
    process_release(&prepared);
    if (result.pid == 0) {
        return process_explain(spec, prepared.path, &result, error);
    }
    process_kill_orphans();
    return process_account(&result, &end, usage, error);
}

tare_status process_wait(struct process *process, double timeout_ns, struct process_usage *usage,
                         struct tare_error *error)
{
    TARE_ASSERT(process->pid > 0);
    struct spawn_result child = {
        .pid = process->pid,
        .pidfd = process->pidfd,
        .started = process->started,
        .memory_floor_bytes = process->memory_floor_bytes,
    };
    struct spawn_end end;
    spawn_finish(&child, spawn_deadline(process->started, timeout_ns), interrupt_fd(), &end);
    process_forget(process);
    return process_account(&child, &end, usage, error);
}

void process_kill(struct process *process)
{
    if (process->pid <= 0) {
        return;
    }
    struct spawn_end end;
    spawn_abort(&(struct spawn_result){.pid = process->pid, .pidfd = process->pidfd}, &end);
    process_forget(process);
}

/* The child is reaped; so are, when it was the last, all that came to us from it. */
static void process_forget(struct process *process)
{
    process->pid = 0;
    process->pidfd = -1;
    running_count--;
    process_kill_orphans();
}

static tare_status process_account(const struct spawn_result *child, const struct spawn_end *end,
                                   struct process_usage *usage, struct tare_error *error)
{
    if (!end->is_reaped) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "process %d does not end although it was killed: it hangs in the kernel",
                         (int)child->pid);
    }
    const struct rusage *used = &end->used;
    *usage = (struct process_usage){
        .status = end->wait_status,
        .is_timed_out = end->ending == SPAWN_TIMED_OUT,
        .wall_ns = (double)(end->ended.ns - child->started.ns),
        .user_ns = (double)used->ru_utime.tv_sec * 1e9 + (double)used->ru_utime.tv_usec * 1e3,
        .system_ns = (double)used->ru_stime.tv_sec * 1e9 + (double)used->ru_stime.tv_usec * 1e3,
        .peak_memory_bytes = (double)used->ru_maxrss * 1024,
        .memory_floor_bytes = child->memory_floor_bytes,
        .minor_faults = (double)used->ru_minflt,
        .major_faults = (double)used->ru_majflt,
        .voluntary_switches = (double)used->ru_nvcsw,
        .involuntary_switches = (double)used->ru_nivcsw,
    };
    if (end->ending == SPAWN_INTERRUPTED) {
        return error_set(error, TARE_INTERRUPTED, "interrupted");
    }
    return TARE_OK;
}

/* Resolves the program and opens /dev/null, all before the clock starts. */
static tare_status process_prepare(const struct process_spec *spec,
                                   struct process_prepared *prepared, struct tare_error *error)
{
    TARE_ASSERT(spec->argv != NULL && spec->argv[0] != NULL);
    TARE_ASSERT(spec->kept_fd_count >= 0 && spec->kept_fd_count <= PROCESS_KEPT_FDS_MAX);
    prepared->null_fd = -1;
    tare_status status = process_resolve(spec, prepared->path, error);
    if (status != TARE_OK) {
        return status;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct spawn_plan *plan = &prepared->plan;
    *plan = (struct spawn_plan){
        .path = prepared->path,
        .argv = (char *const *)spec->argv,
        .environment = spec->environment != NULL ? (char *const *)spec->environment : environ,
        .directory = spec->directory,
        .standard_fds = {spec->stdin_fd, spec->stdout_fd, spec->stderr_fd},
        .kept_fd_count = spec->kept_fd_count,
        .cpu = spec->cpu,
        .is_aslr_off = spec->is_aslr_off,
    };
    memcpy(plan->kept_fds, spec->kept_fds, sizeof plan->kept_fds);
    for (int i = 0; i < 3; i++) {
        if (plan->standard_fds[i] >= 0) {
            continue;
        }
        if (prepared->null_fd < 0) {
            prepared->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        }
        if (prepared->null_fd < 0) {
            return error_set_errno(error, TARE_ERROR_IO, errno, "cannot open /dev/null");
        }
        plan->standard_fds[i] = prepared->null_fd;
    }
    return TARE_OK;
}

static void process_release(struct process_prepared *prepared)
{
    if (prepared->null_fd >= 0) {
        close(prepared->null_fd);
    }
}

/* Regular file that may be executed; else errno_value says why not. */
static bool process_can_execute(const char *path, int *errno_value)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        *errno_value = errno;
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        *errno_value = EISDIR;
        return false;
    }
    if (access(path, X_OK) != 0) {
        *errno_value = errno;
        return false;
    }
    return true;
}

/* Finds the program before the clock starts. A path with a slash is left to exec, which sees it
 * from the child's directory. */
static tare_status process_resolve(const struct process_spec *spec, char path[PATH_MAX],
                                   struct tare_error *error)
{
    const char *name = spec->path != NULL ? spec->path : spec->argv[0];
    if (name[0] == '\0' || strlen(name) >= PATH_MAX) {
        return error_set(error, TARE_ERROR_MEASURE,
                         name[0] == '\0' ? "the name of the program to run is empty"
                                         : "the name of the program to run is too long");
    }
    if (strchr(name, '/') != NULL) {
        snprintf(path, PATH_MAX, "%s", name);
        return TARE_OK;
    }
    const char *list = getenv("PATH");
    bool is_denied = false;
    for (const char *part = list != NULL ? list : "/bin:/usr/bin"; part != NULL;) {
        const char *colon = strchr(part, ':');
        int length = colon != NULL ? (int)(colon - part) : (int)strlen(part);
        int needed =
            snprintf(path, PATH_MAX, "%.*s%s%s", length, part, length > 0 ? "/" : "./", name);
        int errno_value = ENOENT;
        if (needed < PATH_MAX && process_can_execute(path, &errno_value)) {
            return TARE_OK;
        }
        is_denied = is_denied || errno_value == EACCES;
        part = colon != NULL ? colon + 1 : NULL;
    }
    if (is_denied) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "cannot run '%s': found in PATH, but it is not executable", name);
    }
    int here_errno = 0;
    if (process_can_execute(name, &here_errno)) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "cannot run '%s': not found in PATH; did you mean './%s'?", name, name);
    }
    if (here_errno == EACCES) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "cannot run '%s': not found in PATH; did you mean './%s'? (it is not "
                         "executable)",
                         name, name);
    }
    return error_set(error, TARE_ERROR_MEASURE, "cannot run '%s': not found in PATH", name);
}

static tare_status process_explain_exec(const struct process_spec *spec, const char *path,
                                        int exec_errno, struct tare_error *error);

static tare_status process_explain(const struct process_spec *spec, const char *path,
                                   const struct spawn_result *result, struct tare_error *error)
{
    switch (result->failed_step) {
    case SPAWN_STEP_DIRECTORY:
        return error_set_errno(error, TARE_ERROR_MEASURE, result->errno_value,
                               "cannot run '%s': cannot enter directory '%s'", spec->argv[0],
                               spec->directory);
    case SPAWN_STEP_CPU:
        return error_set_errno(error, TARE_ERROR_MEASURE, result->errno_value,
                               "cannot run '%s' on CPU %d (is it there and allowed?)",
                               spec->argv[0], spec->cpu);
    case SPAWN_STEP_ASLR:
        return error_set_errno(error, TARE_ERROR_MEASURE, result->errno_value,
                               "cannot switch off address randomisation for '%s' (containers often "
                               "forbid it)",
                               spec->argv[0]);
    case SPAWN_STEP_DESCRIPTORS:
        return error_set_errno(error, TARE_ERROR_MEASURE, result->errno_value,
                               "cannot hand its files to '%s'", spec->argv[0]);
    case SPAWN_STEP_EXEC:
        return process_explain_exec(spec, path, result->errno_value, error);
    case SPAWN_STEP_CLONE:
    case SPAWN_STEP_NONE:
        break;
    }
    return error_set_errno(error, TARE_ERROR_MEASURE, result->errno_value,
                           "cannot start a process for '%s'", spec->argv[0]);
}

/* The "#!" line's interpreter into `interpreter`; false when the file is no script. */
static bool process_script_interpreter(const char *path, char *interpreter, size_t size)
{
    char head[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, head, sizeof head - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (length < 3 || head[0] != '#' || head[1] != '!') {
        return false;
    }
    head[length] = '\0';
    char *word = head + 2 + strspn(head + 2, " \t");
    word[strcspn(word, " \t\r\n")] = '\0';
    snprintf(interpreter, size, "%s", word);
    return true;
}

static tare_status process_explain_exec(const struct process_spec *spec, const char *path,
                                        int exec_errno, struct tare_error *error)
{
    /* Seen from here, the child's relative path begins in its directory. */
    char seen[2 * PATH_MAX];
    bool is_moved = spec->directory != NULL && path[0] != '/';
    snprintf(seen, sizeof seen, "%s%s%s", is_moved ? spec->directory : "", is_moved ? "/" : "",
             path);
    int errno_value = exec_errno;
    bool is_fine = process_can_execute(seen, &errno_value);
    char interpreter[256];
    if (exec_errno == ENOENT && is_fine) {
        if (process_script_interpreter(seen, interpreter, sizeof interpreter)) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "cannot run '%s': its interpreter '%s' (first line) is not found",
                             path, interpreter);
        }
        return error_set(
            error, TARE_ERROR_MEASURE,
            "cannot run '%s': its dynamic loader is not found (built for another system?)", path);
    }
    if (errno_value == EISDIR) {
        return error_set(error, TARE_ERROR_MEASURE, "cannot run '%s': it is a directory", path);
    }
    if (exec_errno == EACCES && !is_fine && errno_value == EACCES) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "cannot run '%s': it is not executable (chmod +x?)", path);
    }
    if (exec_errno == ENOEXEC) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "cannot run '%s': not a program for this machine, nor a script with a "
                         "'#!' line",
                         path);
    }
    if (exec_errno == E2BIG) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "cannot run '%s': its arguments and environment are too long", path);
    }
    return error_set_errno(error, TARE_ERROR_MEASURE, exec_errno, "cannot run '%s'", path);
}

/* Sends SIGKILL to every child of ours; returns how many there were. */
static int process_kill_children(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    int count = 0;
    int pid = 0;
    while (fscanf(file, "%d", &pid) == 1) {
        if (pid != launcher_pid()) {
            kill(pid, SIGKILL);
            count++;
        }
    }
    fclose(file);
    return count;
}

/* Usually a single system call that says there is nobody. */
static void process_kill_orphans(void)
{
    if (running_count > 0) {
        return; /* an orphan could be one of theirs */
    }
    for (int round = 0; round < ORPHAN_ROUNDS_MAX; round++) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0) {
            return;
        }
        if (pid == 0) {
            if (process_kill_children() == 0) {
                return;
            }
            waitpid(-1, NULL, 0);
        }
    }
}

int process_exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *process_status_text(int status, bool is_timed_out, char *buffer, size_t size)
{
    if (is_timed_out) {
        snprintf(buffer, size, "timed out");
    } else if (WIFEXITED(status)) {
        snprintf(buffer, size, "exited with status %d", WEXITSTATUS(status));
    } else if (WIFSIGNALED(status)) {
        const char *name = strsignal(WTERMSIG(status));
        snprintf(buffer, size, "killed by signal %d (%s)", WTERMSIG(status),
                 name != NULL ? name : "unknown");
    } else {
        snprintf(buffer, size, "ended with wait status %#x", (unsigned)status);
    }
    return buffer;
}

tare_status process_pipe(int fds[2], struct tare_error *error)
{
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot make a pipe");
    }
    return TARE_OK;
}

void process_close(int *fds, int count)
{
    for (int i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
        fds[i] = -1;
    }
}
