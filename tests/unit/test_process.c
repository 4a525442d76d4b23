/* test_process.c: children are started, timed, accounted, explained and ended, whatever they do. */
#include "base/arena.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct process_spec spec_of(const char *const *argv)
{
    return (struct process_spec){
        .argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .cpu = -1};
}

/* Runs a shell line both ways, start and wait, and in one; both must agree on the status. */
static struct process_usage run_shell(const char *line, double timeout_ns)
{
    const char *const argv[] = {"sh", "-c", line, NULL};
    struct process_spec spec = spec_of(argv);
    struct tare_error error = {0};
    struct process process;
    struct process_usage usage;
    struct process_usage usage_of_run;
    assert_int_equal(process_start(&spec, &process, &error), TARE_OK);
    assert_int_equal(process_wait(&process, timeout_ns, &usage, &error), TARE_OK);
    assert_int_equal(process_run(&spec, timeout_ns, &usage_of_run, &error), TARE_OK);
    assert_int_equal(usage.status, usage_of_run.status);
    assert_int_equal(usage.is_timed_out, usage_of_run.is_timed_out);
    return usage_of_run;
}

static const char *status_text(struct process_usage usage)
{
    static char text[64];
    return process_status_text(usage.status, usage.is_timed_out, text, sizeof text);
}

/* Goal: each way to end is told apart. Method: shells that end in that way. */
static void ends_are_told_apart(void **state)
{
    (void)state;
    assert_string_equal(status_text(run_shell("exit 0", 0)), "exited with status 0");
    assert_string_equal(status_text(run_shell("exit 3", 0)), "exited with status 3");
    assert_non_null(strstr(status_text(run_shell("kill -SEGV $$", 0)), "signal 11 (Segmentation"));
    assert_string_equal(status_text(run_shell("sleep 1000", 30e6)), "timed out");
}

/* Goal: the figures are the child's. Method: a busy child, one that faults, a wall time that
 * lies within what the caller sees. */
static void usage_is_accounted(void **state)
{
    (void)state;
    mono_time start = clock_now();
    struct process_usage usage = run_shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", 0);
    assert_true(usage.user_ns + usage.system_ns > 0);
    assert_true(usage.wall_ns > 0 && usage.wall_ns <= (double)clock_since_ns(start));
    assert_true(usage.minor_faults > 0);
    assert_true(usage.peak_memory_bytes > 100e3);
}

/* Goal: a program's peak memory does not contain the tool's. Method: this process has 256 MiB
 * resident; a small child must come out far below, a child with 64 MiB above that. Started
 * directly, the kernel counts our memory in: that is why there is a launcher. */
static void peak_memory_is_the_childs_own(void **state)
{
    (void)state;
    size_t size = (size_t)256 << 20;
    char *ballast = malloc(size);
    assert_non_null(ballast);
    memset(ballast, 1, size);
    struct process_usage small = run_shell("exit 0", 0);
    assert_true(small.peak_memory_bytes < 64e6);
    assert_true(small.memory_floor_bytes < 32e6);
    assert_true(small.peak_memory_bytes >= small.memory_floor_bytes);
    struct process_usage large =
        run_shell("head -c 64000000 /dev/zero | tail -c 64000000 >/dev/null", 0);
    assert_true(large.peak_memory_bytes > 64e6 && large.peak_memory_bytes < 200e6);
    free(ballast);
}

/* Goal: every reason not to start is named. Method: a file for each reason. */
static void failures_to_start_are_explained(void **state)
{
    const char *folder = *state;
    char script[256];
    char plain[256];
    char garbage[256];
    snprintf(script, sizeof script, "%s/script", folder);
    snprintf(plain, sizeof plain, "%s/plain", folder);
    snprintf(garbage, sizeof garbage, "%s/garbage", folder);
    struct tare_error error = {0};
    assert_int_equal(file_write(script, "#!/no/such/interpreter -x\n", 26, &error), TARE_OK);
    assert_int_equal(file_write(plain, "hello\n", 6, &error), TARE_OK);
    assert_int_equal(file_write(garbage, "\177ELFnonsense", 12, &error), TARE_OK);
    assert_int_equal(chmod(script, 0755), 0);
    assert_int_equal(chmod(garbage, 0755), 0);
    const struct {
        const char *program;
        const char *words;
    } cases[] = {
        {"no-such-program-anywhere", "not found in PATH"},
        {"/no/such/program", "No such file"},
        {folder, "is a directory"},
        {script, "interpreter '/no/such/interpreter'"},
        {plain, "not executable"},
        {garbage, "not a program for this machine"},
        {"", "is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int is_direct = 0; is_direct <= 1; is_direct++) {
            const char *const argv[] = {cases[i].program, NULL};
            struct process_spec spec = spec_of(argv);
            spec.is_direct = is_direct;
            struct process process;
            struct process_usage usage;
            error_clear(&error);
            assert_int_equal(process_start(&spec, &process, &error), TARE_ERROR_MEASURE);
            assert_int_equal(process.pid, 0);
            assert_non_null(strstr(error.message, cases[i].words));
            error_clear(&error);
            assert_int_equal(process_run(&spec, 0, &usage, &error), TARE_ERROR_MEASURE);
            assert_non_null(strstr(error.message, cases[i].words));
        }
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no failed child is left */
    assert_int_equal(errno, ECHILD);
}

/* Goal: settings that cannot be met are errors, not ignored. Method: a CPU and a folder that are
 * not there. */
static void impossible_settings_are_refused(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/true", NULL};
    struct process_usage usage;
    struct tare_error error = {0};
    struct process_spec spec = spec_of(argv);
    spec.cpu = 1000;
    assert_int_equal(process_run(&spec, 0, &usage, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "CPU 1000"));
    error_clear(&error);
    spec = spec_of(argv);
    spec.directory = "/no/such/folder";
    assert_int_equal(process_run(&spec, 0, &usage, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "/no/such/folder"));
}

/* Reads what a shell line prints when started with the given spec's settings. */
static void capture(struct process_spec spec, const char *line, char *output, size_t size)
{
    const char *const argv[] = {"sh", "-c", line, NULL};
    int fds[2];
    struct tare_error error = {0};
    assert_int_equal(process_pipe(fds, &error), TARE_OK);
    spec.argv = argv;
    spec.stdout_fd = fds[1];
    struct process process;
    assert_int_equal(process_start(&spec, &process, &error), TARE_OK);
    close(fds[1]);
    size_t length = 0;
    ssize_t got = 0;
    while ((got = read(fds[0], output + length, size - 1 - length)) > 0) {
        length += (size_t)got;
    }
    output[length] = '\0';
    close(fds[0]);
    struct process_usage usage;
    assert_int_equal(process_wait(&process, 0, &usage, &error), TARE_OK);
}

/* Goal: directory, environment, CPU and ASLR reach the child. Method: it prints them. */
static void settings_reach_the_child(void **state)
{
    (void)state;
    char output[4096];
    struct process_spec spec = spec_of(NULL);
    spec.directory = "/usr";
    capture(spec, "pwd", output, sizeof output);
    assert_string_equal(output, "/usr\n");

    const char *const environment[] = {"PATH=/usr/bin:/bin", "TARE_TEST=seen", NULL};
    spec = spec_of(NULL);
    spec.environment = environment;
    capture(spec, "echo $TARE_TEST$HOME", output, sizeof output);
    assert_string_equal(output, "seen\n");

    spec = spec_of(NULL);
    spec.cpu = 0;
    capture(spec, "grep Cpus_allowed_list /proc/self/status", output, sizeof output);
    assert_string_equal(output, "Cpus_allowed_list:\t0\n");

    spec = spec_of(NULL);
    spec.is_aslr_off = true;
    capture(spec, "cat /proc/self/personality", output, sizeof output);
    assert_int_equal(strtol(output, NULL, 16), 0x0040000);
}

/* Goal: the child has its standard descriptors, the kept ones, and no other. Method: an inheritable
 * descriptor is open here; the child lists its own. */
static void descriptors_are_only_those_meant(void **state)
{
    (void)state;
    int leaky = dup(STDIN_FILENO); /* no close-on-exec */
    int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 40);
    assert_true(leaky > 2 && kept >= 40);
    /* The shell looks without opening anything. */
    static const char list[] = "n=0; while [ $n -lt 64 ]; do "
                               "[ -e /proc/$$/fd/$n ] && printf '%d ' $n; n=$((n+1)); done; "
                               "readlink /proc/$$/fd/0";
    char output[4096];
    struct process_spec spec = spec_of(NULL);
    capture(spec, list, output, sizeof output);
    assert_string_equal(output, "0 1 2 /dev/null\n");
    spec.kept_fds[0] = kept;
    spec.kept_fd_count = 1;
    capture(spec, list, output, sizeof output);
    char expected[64];
    snprintf(expected, sizeof expected, "0 1 2 %d /dev/null\n", kept);
    assert_string_equal(output, expected);
    close(leaky);
    close(kept);
}

/* Goal: crossed standard descriptors arrive uncrossed. Method: 1 and 2 are exchanged for the child.
 */
static void standard_descriptors_can_be_exchanged(void **state)
{
    (void)state;
    int fds[2];
    struct tare_error error = {0};
    assert_int_equal(process_pipe(fds, &error), TARE_OK);
    int saved = dup(STDERR_FILENO);
    dup2(fds[1], STDERR_FILENO);
    const char *const argv[] = {"sh", "-c", "echo through-one", NULL};
    struct process_spec spec = spec_of(argv);
    spec.stdout_fd = STDERR_FILENO;
    spec.stderr_fd = STDOUT_FILENO;
    struct process_usage usage;
    tare_status status = process_run(&spec, 0, &usage, &error);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(fds[1]);
    assert_int_equal(status, TARE_OK);
    char output[64] = {0};
    assert_true(read(fds[0], output, sizeof output - 1) > 0);
    assert_string_equal(output, "through-one\n");
    close(fds[0]);
}

/* Goal: nothing a child started outlives it, be it in its group, in a session of its own, or with
 * its pipes open. Method: each holds the write end of a pipe; its end of file is the proof. */
static void descendants_do_not_survive(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "sleep 1000 & exit 0",
        "setsid sleep 1000 & exit 0",
        "setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000",
        "trap '' TERM INT HUP; sleep 1000 & sleep 1000",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int fds[2];
        struct tare_error error = {0};
        assert_int_equal(process_pipe(fds, &error), TARE_OK);
        const char *const argv[] = {"sh", "-c", lines[i], NULL};
        struct process_spec spec = spec_of(argv);
        spec.stdout_fd = fds[1];
        struct process_usage usage;
        assert_int_equal(process_run(&spec, 50e6, &usage, &error), TARE_OK);
        close(fds[1]);
        char byte;
        assert_int_equal(read(fds[0], &byte, 1), 0);
        close(fds[0]);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Goal: Ctrl-C ends a run that would go on. Method: the flag is set before; the status says so. */
static void interrupt_ends_the_wait(void **state)
{
    (void)state;
    const char *const argv[] = {"sleep", "1000", NULL};
    struct process_spec spec = spec_of(argv);
    struct process process;
    struct process_usage usage;
    struct tare_error error = {0};
    interrupt_set(true);
    assert_int_equal(process_run(&spec, 0, &usage, &error), TARE_INTERRUPTED);
    error_clear(&error);
    assert_int_equal(process_start(&spec, &process, &error), TARE_OK);
    assert_int_equal(process_wait(&process, 0, &usage, &error), TARE_INTERRUPTED);
    interrupt_set(false);
}

/* Goal: process_kill ends a child, twice is harmless. Method: a sleeping child. */
static void kill_is_final_and_harmless(void **state)
{
    (void)state;
    const char *const argv[] = {"sleep", "1000", NULL};
    struct process_spec spec = spec_of(argv);
    struct process process;
    struct tare_error error = {0};
    assert_int_equal(process_start(&spec, &process, &error), TARE_OK);
    pid_t pid = process.pid;
    process_kill(&process);
    assert_int_equal(kill(pid, 0), -1);
    process_kill(&process);
    assert_int_equal(process.pid, 0);
}

/* Goal: a child ignores no signal because we do. Method: SIGPIPE ignored here, the child tells its
 * mask. */
static void ignored_signals_are_not_inherited(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    char output[256];
    capture(spec_of(NULL), "grep -E 'SigIgn|SigBlk' /proc/self/status | cut -f2 | tr '\\n' ' '",
            output, sizeof output);
    signal(SIGPIPE, SIG_DFL);
    /* The C library keeps signals 32 and 33 to itself; nobody can change them. */
    const unsigned long long others = 0x7fffffff;
    char *second = NULL;
    assert_int_equal(strtoull(output, &second, 16) & others, 0);
    assert_int_equal(strtoull(second, NULL, 16) & others, 0);
    assert_true(second > output);
}

/* Goal: the launcher killed by someone costs nothing but its start. Method: kill it, run again
 * twice. */
static void a_killed_launcher_is_replaced(void **state)
{
    (void)state;
    char line[128];
    run_shell("exit 0", 0);
    snprintf(line, sizeof line,
             "for p in $(cat /proc/%d/task/*/children); do "
             "grep -q tare-launcher /proc/$p/comm && echo $p; done",
             (int)getpid());
    char output[256];
    capture(spec_of(NULL), line, output, sizeof output);
    pid_t launcher = (pid_t)strtol(output, NULL, 10);
    assert_true(launcher > 1);
    assert_int_equal(kill(launcher, SIGKILL), 0);
    assert_string_equal(status_text(run_shell("exit 7", 0)), "exited with status 7");
    assert_string_equal(status_text(run_shell("exit 8", 0)), "exited with status 8");
}

static int make_folder(void **state)
{
    static char folder[] = "/tmp/tare-test-process-XXXXXX";
    *state = mkdtemp(folder);
    return *state != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    const char *folder = *state;
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    struct process_spec spec = spec_of(argv);
    struct process_usage usage;
    struct tare_error error = {0};
    return process_run(&spec, 0, &usage, &error) == TARE_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_told_apart),
        cmocka_unit_test(usage_is_accounted),
        cmocka_unit_test(peak_memory_is_the_childs_own),
        cmocka_unit_test(failures_to_start_are_explained),
        cmocka_unit_test(impossible_settings_are_refused),
        cmocka_unit_test(settings_reach_the_child),
        cmocka_unit_test(descriptors_are_only_those_meant),
        cmocka_unit_test(standard_descriptors_can_be_exchanged),
        cmocka_unit_test(descendants_do_not_survive),
        cmocka_unit_test(interrupt_ends_the_wait),
        cmocka_unit_test(kill_is_final_and_harmless),
        cmocka_unit_test(ignored_signals_are_not_inherited),
        cmocka_unit_test(a_killed_launcher_is_replaced),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
