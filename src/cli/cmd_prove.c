/* cmd_prove.c: `tare prove PROGRAM`: how often would a verdict be wrong here, and how small a
 * slowdown is found?
 *
 *   copy the program twice to paths of equal length  →  for every scenario (no change, known added
 * work) many real comparisons, each until decided or out of its time  →  a table, a curve, JSON
 *
 * Added work is executed (measure/added_work.h), never slept or scaled. */
#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"
#include "cli/affinity_plan.h"
#include "cli/command.h"
#include "cli/contest.h"
#include "cli/contest_entry.h"
#include "cli/noise_record.h"
#include "cli/prove_report.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "cli/run_record.h"
#include "cli/store_path.h"
#include "measure/added_work.h"
#include "measure/environment.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/interrupt.h"
#include "os/priority.h"
#include "os/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct prove_options {
    struct run_options run; /* must be first: it holds the common ones */
    double min_effect;
    double trials;
    double each_ns;
    const char *effects;
    double rounds;
    double slice_ns;
    bool is_not_pinned;
    bool keeps_priority;
    bool has_no_huge_pages;
};

struct prove_session {
    struct cli *cli;
    struct prove_options *options;
    struct config config;
    const char *folder; /* of the two copies */
    struct run_plan plans[2];
    struct prove_result result;
    struct measure_clock clock;
    struct random random;
    mono_time started;
};

static tare_status prepare_copies(struct prove_session *session, const char *program,
                                  struct tare_error *error);
static tare_status choose_scenarios(struct prove_session *session, struct tare_error *error);
static tare_status run_trials(struct prove_session *session, struct tare_error *error);
static int print_result(struct prove_session *session, tare_status status);

static tare_status prove(struct prove_session *session, const struct option_result *words,
                         struct tare_error *error)
{
    struct prove_options *options = session->options;
    const struct model_policy *policy = &session->config.policy;
    tare_status status = config_load(session->cli->arena, &session->config, error);
    if (status != TARE_OK) {
        return status;
    }
    run_options_complete(&options->run, policy);
    options->min_effect = options->min_effect < 0 ? policy->min_effect : options->min_effect;
    status = run_options_check(&options->run, error);
    if (status == TARE_OK && (words->operands.count != 1 || words->rest.count > 0)) {
        status = error_set(error, TARE_ERROR_USAGE, "one benchmark program is wanted");
    }
    if (status == TARE_OK && !(options->trials >= 1 && options->trials <= 100000)) {
        status = error_set(error, TARE_ERROR_USAGE, "--trials must be 1 to 100000");
    }
    if (status == TARE_OK) {
        status = prepare_copies(session, words->operands.items[0], error);
    }
    if (status == TARE_OK) {
        status = choose_scenarios(session, error);
    }
    return status == TARE_OK ? run_trials(session, error) : status;
}

static int cmd_prove(struct cli *cli, int argc, char **argv)
{
    struct prove_options options = {
        .run = run_options_unset(), .min_effect = -1, .trials = 20, .each_ns = 5e9};
    struct option_result words;
    int code = EXIT_CODE_OK;
    if (!command_parse(cli, &command_prove, argc, argv, false, &options, &words, &code)) {
        return code;
    }
    struct prove_session session = {.cli = cli, .options = &options, .started = clock_now()};
    struct tare_error error = {0};
    interrupt_install();
    tare_status status = prove(&session, &words, &error);
    if (session.folder != NULL) {
        (void)folder_remove(session.folder, NULL);
    }
    if (status != TARE_OK && status != TARE_INTERRUPTED) {
        return command_fail(&command_prove, &error);
    }
    return print_result(&session, status);
}

/* One file on both sides would share its pages of code in memory, and a longer path moves the
 * stack: so two copies, at paths of one length. */
static tare_status prepare_copies(struct prove_session *session, const char *program,
                                  struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    const char *path = file_find_program(arena, program);
    if (path == NULL) {
        return error_set(error, TARE_ERROR_MEASURE, "'%s' is not a program",
                         text_printable(arena, program, 100));
    }
    char *folder = NULL;
    tare_status status = file_temporary_directory(arena, "tare-prove", &folder, error);
    session->folder = folder;
    for (int side = 0; side < 2 && status == TARE_OK; side++) {
        const char *copy = arena_printf(arena, "%s/%c", folder, 'a' + side);
        status = file_copy(path, copy, error);
        const struct option_result words = {.operands = {.items = &copy, .count = 1}};
        if (status == TARE_OK) {
            status =
                run_plan_make(arena, &session->options->run, &words, &session->plans[side], error);
        }
        if (status == TARE_OK) {
            run_plan_share_calibration(&session->plans[0], &session->plans[side]);
        }
        if (status == TARE_OK && session->plans[side].tasks[0].command != NULL) {
            status =
                error_set(error, TARE_ERROR_USAGE,
                          "'%s' is no benchmark program: work can be added only to one that runs a "
                          "number of iterations it is told",
                          text_printable(arena, program, 100));
        }
    }
    return status;
}

static void add_scenario(struct prove_session *session, double effect, double band)
{
    struct prove_result *result = &session->result;
    result->scenarios =
        arena_grow(session->cli->arena, result->scenarios, &result->scenario_capacity,
                   result->scenario_count + 1, (ptrdiff_t)sizeof *result->scenarios);
    result->scenarios[result->scenario_count++] =
        (struct prove_scenario){.effect = effect, .band = band};
}

/* No change, then more and more beyond the band; and the same with a band of nothing. */
static tare_status choose_scenarios(struct prove_session *session, struct tare_error *error)
{
    static const double beyond[] = {0.005, 0.01, 0.02, 0.05};
    struct prove_options *options = session->options;
    if (options->effects == NULL) {
        for (int is_zero = 0; is_zero < 2; is_zero++) {
            double band = is_zero ? 0 : options->min_effect;
            add_scenario(session, 0, band);
            for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
                add_scenario(session, band + beyond[i], band);
            }
        }
        return TARE_OK;
    }
    char *list = arena_strdup(session->cli->arena, options->effects);
    for (char *rest = NULL, *word = strtok_r(list, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        double effect = 0;
        if (!unit_parse_ratio(word, &effect) || effect > 10) {
            return error_set(error, TARE_ERROR_USAGE,
                             "--effects wants shares such as 0,1%%,3%%, not '%s'",
                             text_printable(session->cli->arena, word, 60));
        }
        add_scenario(session, effect, options->min_effect);
    }
    return session->result.scenario_count > 0
               ? TARE_OK
               : error_set(error, TARE_ERROR_USAGE, "--effects is empty");
}

/* One real comparison of one benchmark. */
static tare_status run_trial(struct prove_session *session, struct prove_scenario *scenario,
                             ptrdiff_t benchmark, struct tare_error *error)
{
    const struct prove_options *options = session->options;
    struct arena arena = {0};
    struct run_task *tasks[2] = {&session->plans[0].tasks[benchmark],
                                 &session->plans[1].tasks[benchmark]};
    struct contest_entry entry = {0};
    const char *time_only[] = {"time"};
    const struct text_list gate = {.items = time_only, .count = 1};
    contest_entry_fill(&arena, &entry, tasks, 2, &gate);
    entry.metric_count = entry.gated_count;
    struct measure_added_work work = {.inner = entry.pair.sides[1].target,
                                      .share = scenario->effect};
    entry.pair.sides[1].target = measure_target_added_work(&work);
    struct contest contest = {
        .entries = &entry,
        .count = 1,
        .rule = {.alpha = 1 - options->run.confidence, .band = scenario->band},
        .plan = pair_plan_default(false),
        .budget_ns = options->each_ns,
        .clock = &session->clock,
        .random = &session->random,
    };
    if (options->rounds > 0) {
        contest.plan.rounds = (ptrdiff_t)options->rounds;
        contest.plan.is_paced = false;
    }
    contest.plan.slice_ns = options->slice_ns > 0 ? options->slice_ns : contest.plan.slice_ns;
    contest.plan.wants_huge_pages = !options->has_no_huge_pages;
    affinity_plan(&contest.plan, options->run.cpu, options->is_not_pinned);
    mono_time started = clock_now();
    tare_status status = contest_run(&arena, &contest, error);
    if (status == TARE_OK) {
        const struct model_comparison *c = &entry.comparisons[0][0];
        if (c->verdict == MODEL_INVALID) {
            status = error_set(error, TARE_ERROR_MEASURE, "%s: %s",
                               text_printable(&arena, entry.label, 60), c->reason);
        } else {
            struct prove_trial trial = {
                .benchmark = benchmark,
                .verdict = c->verdict,
                .seconds = (double)clock_since_ns(started) / 1e9,
                .added = measure_added_work_share(scenario->effect, entry.pair.iterations),
                .launches = entry.pair.launches,
                .ratio = c->ratio,
                .has_interval = c->has_interval,
                .low = c->low,
                .high = c->high,
            };
            prove_trial_add(session->cli->arena, scenario, &trial);
        }
    }
    arena_free(&arena);
    return status;
}

static void show_progress(const struct prove_session *session, ptrdiff_t done, ptrdiff_t total)
{
    if (session->options->run.common.quiet) {
        return;
    }
    double spent_s = (double)clock_since_ns(session->started) / 1e9;
    double left_s = done > 0 ? spent_s / (double)done * (double)(total - done) : 0;
    if (terminal_is(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%td of %td comparisons, about %.0f s left", done, total, left_s);
        fflush(stderr);
    } else if (done % 50 == 0) {
        fprintf(stderr, "%td of %td comparisons, about %.0f s left\n", done, total, left_s);
    }
}

/* Scenarios take turns, so that a change of the machine's mood hits all alike and Ctrl-C leaves a
 * fair table. */
static tare_status run_trials(struct prove_session *session, struct tare_error *error)
{
    const struct prove_options *options = session->options;
    struct arena *arena = session->cli->arena;
    ptrdiff_t benchmarks = session->plans[0].task_count;
    ptrdiff_t trials = (ptrdiff_t)options->trials;
    ptrdiff_t total = trials * benchmarks * session->result.scenario_count;
    uint64_t seed = options->run.seed >= 0 ? (uint64_t)options->run.seed : clock_entropy() >> 11;
    session->random = random_seeded(seed);
    session->clock = measure_clock_real(arena);
    session->result.confidence = options->run.confidence;
    session->result.each_s = options->each_ns / 1e9;
    session->result.labels = ARENA_ARRAY(arena, const char *, benchmarks);
    for (ptrdiff_t i = 0; i < benchmarks; i++) {
        session->result.labels[i] =
            model_benchmark_label(arena, &session->plans[0].tasks[i].benchmark);
    }
    if (!options->run.common.quiet) {
        fprintf(
            stderr,
            "%td comparisons of at most %.3g s each: %.0f min at most, less when decided early\n",
            total, options->each_ns / 1e9, ceil((double)total * options->each_ns / 60e9));
    }
    struct priority priority = {0};
    if (!options->keeps_priority) {
        priority = priority_raise();
    }
    ptrdiff_t done = 0;
    tare_status status = TARE_OK;
    for (ptrdiff_t trial = 0; trial < trials; trial++) {
        for (ptrdiff_t b = 0; b < benchmarks; b++) {
            for (ptrdiff_t k = 0; k < session->result.scenario_count && status == TARE_OK; k++) {
                status = run_trial(session, &session->result.scenarios[k], b, error);
                show_progress(session, ++done, total);
            }
        }
    }
    priority_restore(&priority);
    return status;
}

/* Did any comparison come to an interval? Without one nothing was proved. */
static bool has_compared(const struct prove_result *result)
{
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        for (ptrdiff_t k = 0; k < result->scenarios[i].count; k++) {
            if (result->scenarios[i].trials[k].has_interval) {
                return true;
            }
        }
    }
    return false;
}

/* What the trials without a change found is what noise looks like here. */
static tare_status keep_noise(struct prove_session *session, const struct model_machine *machine,
                              struct store *store, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    struct model_decision decision = {0};
    for (ptrdiff_t i = 0; i < session->result.scenario_count; i++) {
        const struct prove_scenario *scenario = &session->result.scenarios[i];
        for (ptrdiff_t k = 0; scenario->effect == 0 && k < scenario->count; k++) {
            const struct prove_trial *trial = &scenario->trials[k];
            *model_decision_add(arena, &decision) = (struct model_comparison){
                .benchmark = session->result.labels[trial->benchmark],
                .metric = "time",
                .basis = MODEL_BASIS_PAIRED,
                .verdict = trial->verdict,
                .has_interval = trial->has_interval,
                .ratio = trial->ratio,
                .low = trial->low,
                .high = trial->high,
                .old_side.launches = trial->launches,
                .new_side.launches = trial->launches,
            };
        }
    }
    const struct noise_source source = {
        .machine_id = machine->id,
        .project = text_printable(arena, run_record_project(arena, &session->options->run), 0),
        .kind = "prove",
        .at_unix_ns = clock_unix_ns(),
    };
    return noise_record(arena, store, &source, &decision, error);
}

/* The JSON goes into the store, also what was done before an interrupt. Returns the exit code. */
static int keep_result(struct prove_session *session, const struct model_machine *machine, int code)
{
    struct arena *arena = session->cli->arena;
    struct tare_error error = {0};
    struct store *store = NULL;
    const struct store_request request = {.option = session->options->run.common.store,
                                          .configured = session->config.store,
                                          .mode = STORE_WRITE};
    char id[27];
    model_run_id_new(id, clock_unix_ns(), clock_entropy(), clock_entropy());
    struct buffer text = buffer_new(arena, BUFFER_LENGTH_MAX);
    prove_report_json(&text, &session->result, machine, code);
    const struct store_document document = {
        .id = id,
        .kind = "prove",
        .machine_id = machine->id,
        .created_unix_ns = clock_unix_ns(),
        .text = buffer_string(&text),
    };
    tare_status status = text.is_full ? error_set(&error, TARE_ERROR_IO,
                                                  "it is larger than %d bytes", BUFFER_LENGTH_MAX)
                                      : store_path_open(arena, &request, &store, &error);
    if (status == TARE_OK) {
        status = store_document_save(store, &document, &error);
    }
    if (status == TARE_OK) {
        status = keep_noise(session, machine, store, &error);
    }
    store_close(store);
    if (status != TARE_OK) {
        fprintf(stderr, "tare prove: the result could not be kept: %s\n", error.message);
        return code == EXIT_CODE_OK ? EXIT_CODE_FAILED : code;
    }
    return code;
}

static int print_result(struct prove_session *session, tare_status status)
{
    const struct common_options *common = &session->options->run.common;
    int code = status == TARE_INTERRUPTED       ? EXIT_CODE_INTERRUPTED
               : has_compared(&session->result) ? EXIT_CODE_OK
                                                : EXIT_CODE_FAILED;
    struct model_machine machine = {0};
    measure_machine_read(session->cli->arena, &machine);
    session->result.seconds = (double)clock_since_ns(session->started) / 1e9;
    struct buffer out = buffer_new(session->cli->arena, BUFFER_LENGTH_MAX);
    if (common->json) {
        prove_report_json(&out, &session->result, &machine, code);
    } else {
        prove_report_text(&out, &session->result, &machine, terminal_columns(STDOUT_FILENO));
    }
    if (!common->quiet && terminal_is(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
    }
    code = keep_result(session, &machine, code);
    code = command_print(&command_prove, &out, code);
    const char *word = status == TARE_INTERRUPTED ? "interrupted"
                       : code == EXIT_CODE_OK
                           ? "proved"
                           : "nothing proved: no comparison came to an interval, or it "
                             "could not be printed or kept";
    fprintf(stderr, "tare: %s (exit %d), %.0f s\n", word, code, session->result.seconds);
    return code;
}

#define AT(member) offsetof(struct prove_options, member)

static const struct option prove_option_table[] = {
    {"trials", 'n', OPTION_COUNT, AT(trials), "N",
     "comparisons of every benchmark and scenario (20)"},
    {"each", 0, OPTION_TIME, AT(each_ns), "TIME", "time for one comparison at most (5s)"},
    {"effects", 0, OPTION_TEXT, AT(effects), "LIST",
     "added work, e.g. 0,1%,3% (none; the band + 0.5, 1, 2, 5%; the same without a band)"},
    {"min-effect", 'e', OPTION_RATIO, AT(min_effect), "SHARE", "the band (1%)"},
    {"confidence", 0, OPTION_RATIO, AT(run.confidence), "SHARE", "of the verdicts (99%)"},
    {"filter", 'f', OPTION_TEXT, AT(run.filter), "REGEX", "only benchmarks whose name matches"},
    {"protocol", 0, OPTION_FLAG, AT(run.is_protocol), NULL,
     "the program speaks Tare's protocol though it has no ELF note"},
    {"timeout", 't', OPTION_TIME, AT(run.timeout_ns), "TIME",
     "kill a slice that takes longer (10min)"},
    {"rounds", 0, OPTION_COUNT, AT(rounds), "N", "rounds of a launch (as many as pay)"},
    {"slice", 0, OPTION_TIME, AT(slice_ns), "TIME", "length of a slice (0.2ms)"},
    {"cpu", 0, OPTION_COUNT, AT(run.cpu), "N", "pin both sides to this CPU"},
    {"no-pin", 0, OPTION_FLAG, AT(is_not_pinned), NULL, "pin to no CPU (one at random per launch)"},
    {"no-priority", 0, OPTION_FLAG, AT(keeps_priority), NULL,
     "do not raise the priority of both sides, where that is permitted"},
    {"no-huge-pages", 0, OPTION_FLAG, AT(has_no_huge_pages), NULL,
     "do not ask for huge pages for what the program allocates"},
    {"seed", 0, OPTION_COUNT, AT(run.seed), "N", "of orders and placements"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

const struct command command_prove = {
    .name = "prove",
    .run = cmd_prove,
    .summary = "Measure, on this machine, how often verdicts are wrong and how small a slowdown "
               "they find.",
    .usage = "[OPTIONS] PROGRAM",
    .examples = "  tare prove ./bench --filter parse          one benchmark: some 10 minutes\n"
                "  tare prove ./bench --trials 5 --each 2s    a first impression\n"
                "  tare prove ./bench --effects 0,3%          no change, and 3 % more work",
    .details = "Compares two byte copies of the program: without a change, every 'regressed' or "
               "'improved' is a false\n"
               "alarm; with work really added to one side, it shows what is found. Exit codes: 0 "
               "done, 2 wrong\n"
               "usage, 3 the program failed, 130 interrupted (what was done is shown).",
    .options = prove_option_table,
};
