#include "cli/run_options.h"

#include <math.h>

#define AT(member) offsetof(struct run_options, member)

const struct option run_option_table[] = {
    {"budget", 'b', OPTION_TIME, AT(budget_ns), "TIME", "time for everything together (60s)"},
    {"precision", 0, OPTION_RATIO, AT(precision), "SHARE",
     "stop a benchmark when its interval is this narrow (1%)"},
    {"confidence", 0, OPTION_RATIO, AT(confidence), "SHARE", "of the intervals (99%)"},
    {"filter", 'f', OPTION_TEXT, AT(filter), "REGEX", "only benchmarks whose name matches"},
    {"list", 'l', OPTION_FLAG, AT(is_list), NULL, "list the benchmarks, measure nothing"},
    {"runs", 'r', OPTION_COUNT, AT(runs), "N",
     "exactly so many runs of a command, launches of a program"},
    {"warmup", 'w', OPTION_COUNT, AT(warmup), "N", "runs of a command that are not kept (0)"},
    {"timeout", 't', OPTION_TIME, AT(timeout_ns), "TIME",
     "kill a run or a slice that takes longer (10min)"},
    {"name", 'n', OPTION_LIST, AT(names), "NAME", "name of a command; once per command"},
    {"param", 'P', OPTION_LIST, AT(params), "N=LIST",
     "{N} in a command: n=1,2,4 or n=4..64*2 or n=1..9+2"},
    {"metric", 'm', OPTION_LIST, AT(metrics), "SPEC",
     "a number in the output: 'speed[tok/s]:higher=re:([0-9.]+) tok/s'"},
    {"count", 0, OPTION_LIST, AT(counts), "WHAT",
     "count exactly: instructions (needs Valgrind), size, allocations"},
    {"shell", 'S', OPTION_FLAG, AT(is_shell), NULL, "run commands through /bin/sh"},
    {"no-shell", 'N', OPTION_FLAG, AT(is_no_shell), NULL, "no shell; this is the default"},
    {"prepare", 'p', OPTION_TEXT, AT(prepare), "LINE", "shell line before every run, not timed"},
    {"conclude", 'c', OPTION_TEXT, AT(conclude), "LINE", "shell line after every run, not timed"},
    {"setup", 's', OPTION_TEXT, AT(setup), "LINE", "shell line before the first run of a command"},
    {"cleanup", 0, OPTION_TEXT, AT(cleanup), "LINE", "shell line after the last run of a command"},
    {"input", 0, OPTION_TEXT, AT(input), "FILE", "standard input of every run (/dev/null)"},
    {"output", 0, OPTION_TEXT, AT(output), "FILE", "keep the output of the last run in FILE"},
    {"expect-output", 0, OPTION_TEXT, AT(expect_output), "FILE",
     "every run must print exactly this, else it is invalid"},
    {"exit-code", 0, OPTION_LIST, AT(exit_codes), "N", "expected exit status, may repeat (0)"},
    {"ignore-failure", 'i', OPTION_FLAG, AT(ignores_failure), NULL, "any exit status is fine"},
    {"protocol", 0, OPTION_FLAG, AT(is_protocol), NULL,
     "programs speak Tare's protocol though they have no ELF note"},
    {"cpu", 0, OPTION_COUNT, AT(cpu), "N", "pin every launch to this CPU"},
    {"no-aslr", 0, OPTION_FLAG, AT(has_no_aslr), NULL, "switch address randomisation off"},
    {"seed", 0, OPTION_COUNT, AT(seed), "N", "of what is varied between launches"},
    {"project", 0, OPTION_TEXT, AT(project), "NAME",
     "project the run belongs to (the folder's name)"},
    {"samples", 0, OPTION_FLAG, AT(has_samples), NULL, "with --json: every sample"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

static const double UNSET = -1;
/* Long enough for any single call, short enough that a hang is noticed the same day. */
static const double TIMEOUT_NS_DEFAULT = 600e9;
static const double PRECISION_DEFAULT = 0.01;

struct run_options run_options_unset(void)
{
    return (struct run_options){
        .budget_ns = UNSET,
        .precision = UNSET,
        .confidence = UNSET,
        .timeout_ns = UNSET,
        .runs = UNSET,
        .seed = UNSET,
        .cpu = UNSET,
    };
}

static void complete(double *value, double fallback)
{
    *value = *value == UNSET ? fallback : *value;
}

void run_options_complete(struct run_options *options, const struct model_policy *policy)
{
    complete(&options->budget_ns, policy->budget_ns);
    complete(&options->confidence, policy->confidence);
    complete(&options->precision, policy->precision > 0 ? policy->precision : PRECISION_DEFAULT);
    complete(&options->timeout_ns, TIMEOUT_NS_DEFAULT);
    if (options->project == NULL) {
        options->project = policy->project;
    }
}

static bool is_whole(double value, double low, double high)
{
    return value >= low && value <= high && value == floor(value);
}

tare_status run_options_check(struct run_options *options, struct tare_error *error)
{
    if (!(options->confidence >= 0.5 && options->confidence < 1)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--confidence must be at least 50%% and below 100%%");
    }
    if (!(options->precision > 0)) {
        return error_set(error, TARE_ERROR_USAGE, "--precision must be above 0");
    }
    if (!(options->budget_ns > 0)) {
        return error_set(error, TARE_ERROR_USAGE, "--budget must be above 0, such as 10s");
    }
    if (!(options->timeout_ns > 0)) {
        return error_set(error, TARE_ERROR_USAGE, "--timeout must be above 0, such as 30s");
    }
    if (options->runs != UNSET && !is_whole(options->runs, 1, 100000)) {
        return error_set(error, TARE_ERROR_USAGE, "--runs must be a whole number, 1 to 100000");
    }
    if (!is_whole(options->warmup, 0, 100000)) {
        return error_set(error, TARE_ERROR_USAGE, "--warmup must be a whole number, 0 to 100000");
    }
    if (options->cpu != -1 && !is_whole(options->cpu, 0, 1023)) {
        return error_set(error, TARE_ERROR_USAGE, "--cpu must be the number of a CPU, 0 to 1023");
    }
    if (options->seed != -1 && !is_whole(options->seed, 0, 9e15)) {
        return error_set(error, TARE_ERROR_USAGE, "--seed must be a whole number");
    }
    if (options->has_samples && !options->common.json) {
        return error_set(error, TARE_ERROR_USAGE, "--samples goes with --json");
    }
    if (options->is_shell && options->is_no_shell) {
        return error_set(error, TARE_ERROR_USAGE, "--shell and --no-shell exclude each other");
    }
    return TARE_OK;
}
