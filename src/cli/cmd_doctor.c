/* cmd_doctor.c: `tare doctor`: is this machine fit to measure?
 *
 *   read the machine  →  measure its noise  →  examine  →  print
 *   --tune, --restore: change kernel settings, put them back */
#include "base/unit.h"
#include "cli/command.h"
#include "cli/doctor_print.h"
#include "cli/store_path.h"
#include "measure/doctor.h"
#include "measure/tune.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/probe.h"
#include "os/terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct doctor_options {
    struct common_options common;
    double duration_ns;
    bool quick;
    bool no_noise;
    bool tune;
    bool restore;
    bool dry_run;
    const char *state;
    const char *root;
};

static const struct option doctor_option_table[] = {
    {"duration", 0, OPTION_TIME, offsetof(struct doctor_options, duration_ns), "TIME",
     "how long to measure the noise (10s)"},
    {"quick", 0, OPTION_FLAG, offsetof(struct doctor_options, quick), NULL,
     "the same as --duration 2s"},
    {"no-noise", 0, OPTION_FLAG, offsetof(struct doctor_options, no_noise), NULL,
     "look only, measure nothing"},
    {"tune", 0, OPTION_FLAG, offsetof(struct doctor_options, tune), NULL,
     "root: set the machine up for measuring until --restore"},
    {"restore", 0, OPTION_FLAG, offsetof(struct doctor_options, restore), NULL,
     "root: put back exactly what --tune found"},
    {"dry-run", 0, OPTION_FLAG, offsetof(struct doctor_options, dry_run), NULL,
     "with --tune or --restore: say what would be done"},
    {"state", 0, OPTION_TEXT, offsetof(struct doctor_options, state), "FILE",
     "where --tune keeps what it found (/var/lib/tare/tune.json)"},
    {"root", 0, OPTION_TEXT, offsetof(struct doctor_options, root), "FOLDER",
     "examine or tune a recorded machine: FOLDER/proc, FOLDER/sys"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* Below this there are too few blocks, above it nobody waits. */
static const double DURATION_NS_MIN = 500e6;
static const double DURATION_NS_MAX = 3600e9;

static tare_status check_options(struct doctor_options *options, const struct option_result *rest,
                                 struct tare_error *error);
static int examine(struct cli *cli, const struct doctor_options *options);
static int tune(struct cli *cli, const struct doctor_options *options);

static int cmd_doctor(struct cli *cli, int argc, char **argv)
{
    struct doctor_options options = {.duration_ns = 10e9, .root = ""};
    struct option_result rest;
    struct tare_error error = {0};
    int exit_code = EXIT_CODE_OK;
    if (!command_parse(cli, &command_doctor, argc, argv, false, &options, &rest, &exit_code)) {
        return exit_code;
    }
    if (check_options(&options, &rest, &error) != TARE_OK) {
        return command_fail(&command_doctor, &error);
    }
    interrupt_install();
    return options.tune || options.restore ? tune(cli, &options) : examine(cli, &options);
}

const struct command command_doctor = {
    .name = "doctor",
    .run = cmd_doctor,
    .summary = "Is this machine fit to measure?",
    .usage = "[OPTIONS]",
    .examples = "  tare doctor                  look around, measure the noise for ten seconds\n"
                "  tare doctor --quick          two seconds\n"
                "  sudo tare doctor --tune      governor, turbo and the like, for measuring\n"
                "  sudo tare doctor --restore   exactly as it was before",
    .details =
        "The verdict is fit, noisy or not fit; the exit code is 0 whenever the machine could be\n"
        "examined, and 3 when it could not, or when a setting could not be changed.",
    .options = doctor_option_table,
};

static tare_status check_options(struct doctor_options *options, const struct option_result *rest,
                                 struct tare_error *error)
{
    if (rest->operands.count > 0 || rest->has_rest) {
        return error_set(error, TARE_ERROR_USAGE, "takes no operands; see tare doctor --help");
    }
    if (options->tune && options->restore) {
        return error_set(error, TARE_ERROR_USAGE, "--tune and --restore exclude each other");
    }
    if ((options->dry_run || options->state != NULL) && !options->tune && !options->restore) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--dry-run and --state go with --tune or --restore");
    }
    if (options->root[0] != '\0' && !file_is_directory(options->root)) {
        return error_set(error, TARE_ERROR_USAGE, "--root: %s is no folder", options->root);
    }
    if (options->quick) {
        options->duration_ns = 2e9;
    }
    if (options->duration_ns < DURATION_NS_MIN || options->duration_ns > DURATION_NS_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "--duration must be between 0.5s and 1h");
    }
    return TARE_OK;
}

/* One line on a terminal, written over and over. */
static void show_progress(void *context, double done_ratio, double left_ns)
{
    (void)context;
    enum { BAR_CELLS = 20 };
    int filled = (int)(done_ratio * BAR_CELLS);
    fprintf(stderr, "\rmeasuring the noise  [");
    for (int i = 0; i < BAR_CELLS; i++) {
        fputs(i < filled ? "━" : " ", stderr);
    }
    fprintf(stderr, "]  %.0f s left ", left_ns / 1e9);
    fflush(stderr);
}

static tare_status measure_noise(struct cli *cli, const struct doctor_options *options,
                                 struct noise_result *noise, struct tare_error *error)
{
    bool is_live = terminal_is(STDERR_FILENO) && !options->common.quiet;
    const struct noise_options request = {
        .duration_ns = options->duration_ns,
        .progress = is_live ? show_progress : NULL,
    };
    tare_status status = noise_measure(cli->arena, &request, noise, error);
    if (is_live) {
        fprintf(stderr, "\r\033[K");
    }
    return status;
}

/* Space where the store is or would be: that of the nearest folder on the way that exists. */
static int64_t store_free_bytes(struct cli *cli, const struct doctor_options *options)
{
    const struct store_request request = {.option = options->common.store, .mode = STORE_READ};
    char *path = NULL;
    struct tare_error ignored = {0};
    if (store_path_find(cli->arena, &request, &path, &ignored) != TARE_OK || path == NULL) {
        return -1;
    }
    while (!file_exists(path)) {
        char *slash = strrchr(path, '/');
        if (slash == NULL || slash == path) {
            path = arena_strdup(cli->arena, slash == NULL ? "." : "/");
            break;
        }
        *slash = '\0';
    }
    return probe_disk_free_bytes(path);
}

static int64_t throttled_since(struct cli *cli, const struct machine *before)
{
    struct machine after;
    machine_read(cli->arena, (struct machine_source){""}, &after);
    bool is_known =
        before->cgroup_throttled >= 0 && after.cgroup_throttled >= before->cgroup_throttled;
    return is_known ? after.cgroup_throttled - before->cgroup_throttled : -1;
}

static int examine(struct cli *cli, const struct doctor_options *options)
{
    struct tare_error error = {0};
    mono_time start = clock_now();
    bool is_live = options->root[0] == '\0';
    struct machine machine;
    struct machine_process process;
    struct counters_probe counters;
    struct noise_result noise;
    struct doctor_facts facts = {
        .machine = &machine, .throttled_meanwhile = -1, .store_free_bytes = -1};
    machine_read(cli->arena, (struct machine_source){options->root}, &machine);
    if (machine.cpus_online <= 0 && machine.cpu_model[0] == '\0') {
        error_set(&error, TARE_ERROR_IO,
                  "nothing to examine: neither %s/proc/cpuinfo nor %s/sys/devices/system/cpu says "
                  "which CPUs there are",
                  options->root, options->root);
        return command_fail(&command_doctor, &error);
    }
    facts.times_since_boot = cpu_times_read(options->root);
    if (is_live) {
        machine_process_read(cli->arena, &process);
        counters = counters_probe();
        facts.process = &process;
        facts.counters = &counters;
        facts.store_free_bytes = store_free_bytes(cli, options);
    }
    if (is_live && !options->no_noise) {
        if (measure_noise(cli, options, &noise, &error) != TARE_OK) {
            return command_fail(&command_doctor, &error);
        }
        facts.noise = &noise;
        facts.throttled_meanwhile = throttled_since(cli, &machine);
    }
    struct doctor_findings findings;
    doctor_examine(cli->arena, &facts, &findings);
    const struct doctor_result result = {
        .machine = &machine,
        .findings = &findings,
        .noise = facts.noise,
        .verdict = facts.noise != NULL ? noise_verdict_name(noise.verdict) : "not measured",
        .seconds = (double)clock_since_ns(start) / 1e9,
        .is_quiet = options->common.quiet,
        .has_color = terminal_has_color(STDOUT_FILENO) && !options->common.no_color,
        .columns = terminal_columns(STDOUT_FILENO),
    };
    if (options->common.json) {
        doctor_print_json(cli->arena, &result);
    } else {
        doctor_print_text(cli->arena, &result);
    }
    return command_end(&command_doctor, EXIT_CODE_OK);
}

static int tune(struct cli *cli, const struct doctor_options *options)
{
    struct tare_error error = {0};
    struct tune_report report;
    const struct tune_options request = {
        .root = options->root, .state_path = options->state, .is_dry_run = options->dry_run};
    tare_status status = options->tune ? tune_apply(cli->arena, &request, &report, &error)
                                       : tune_restore(cli->arena, &request, &report, &error);
    if (status != TARE_OK) {
        return command_fail(&command_doctor, &error);
    }
    const struct tune_result result = {
        .action = options->tune ? TUNE_ACTION_TUNE : TUNE_ACTION_RESTORE,
        .is_dry_run = options->dry_run,
        .report = &report,
        .exit_code = tune_count(&report, TUNE_FAILED) > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK,
    };
    if (options->common.json) {
        tune_print_json(cli->arena, &result);
    } else {
        tune_print_text(cli->arena, &result);
    }
    return command_end(&command_doctor, result.exit_code);
}
