/* store.h: where runs, samples, machines and baselines are kept: one SQLite file.
 *
 *     store_open(arena, path, STORE_WRITE, &store, &error);
 *     store_run_begin(store, &run, &error);
 *     store_benchmark_save(store, run.id, &run.benchmarks[i], &error);     once per finished
 * benchmark store_run_finish(store, &run, &error); store_close(store);
 *
 * Every call that writes is one transaction: it is done or it has not happened. A process killed at
 * any point leaves a store that opens, with every benchmark whose save returned TARE_OK. Many
 * processes may write at once; each waits its turn, up to half a minute.
 *
 * Status: TARE_ERROR_IO for a store that is missing, unreadable, damaged, newer than this program,
 * read-only or on a full disk; TARE_ERROR_USAGE for a selector that names nothing or several
 * things; TARE_ERROR_NO_BASELINE for a baseline that is not there for this machine;
 * TARE_ERROR_MEASURE for values that are never kept (NaN, beyond limits). Every message names the
 * file and says what to do.
 *
 * The store makes no folders (cli/store_path.h does) and reads no clock: times are arguments. */
#ifndef TARE_STORE_STORE_H
#define TARE_STORE_STORE_H

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

enum store_mode {
    STORE_READ,  /* the file must be there; nothing in it is changed, but an older one is brought
                    to this version's schema */
    STORE_WRITE, /* makes the file (its folder must exist) and brings it to this version's schema */
};

/* The store lives until store_close; the arena must live as long. */
tare_status store_open(struct arena *arena, const char *path, enum store_mode mode,
                       struct store **store, struct tare_error *error);
void store_close(struct store *store);
const char *store_path(const struct store *store);

/* Says which machine's baselines a name means from now on. Without it, a name that only one machine
 * has is taken. */
void store_use_machine(struct store *store, const char *machine_id);
const char *store_machine(const struct store *store); /* "" when none is in use */

/* Runs the database's own check and decodes every sample. problems gets one line per finding
 * (at most STORE_PROBLEMS_MAX); the status is TARE_OK when the check itself could be made. */
enum { STORE_PROBLEMS_MAX = 100 };
struct store_check {
    const char **problems;
    ptrdiff_t problem_count;
    ptrdiff_t problem_capacity;
    int64_t run_count;
    int64_t benchmark_count;
    int64_t sample_count;
};
tare_status store_check(struct store *store, struct arena *arena, struct store_check *check,
                        struct tare_error *error);

/* ---- writing a run ---- */

/* A row with state running; benchmarks in it are not looked at. */
tare_status store_run_begin(struct store *store, const struct model_run *run,
                            struct tare_error *error);
/* A benchmark of the same suite, name, variant and parameters may be saved once in a run. */
tare_status store_benchmark_save(struct store *store, const char *run_id,
                                 const struct model_benchmark *benchmark, struct tare_error *error);
/* State, finished time, conditions, environment and warnings as they are now. */
tare_status store_run_finish(struct store *store, const struct model_run *run,
                             struct tare_error *error);

/* ---- reading ---- */

/* selector: a full id, a baseline's name, "latest", "latest~2" (two before the newest), or the
 * unique beginning of an id (at least STORE_PREFIX_MIN characters). */
enum { STORE_PREFIX_MIN = 4 };
tare_status store_run_resolve(struct store *store, const char *selector, char id[27],
                              struct tare_error *error);
/* Without samples, metrics have count 0; launches, warnings and all else are there. */
tare_status store_run_load(struct store *store, struct arena *arena, const char *selector,
                           bool with_samples, struct model_run *run, struct tare_error *error);

/* The same without launches and warnings of benchmarks, many times faster: for comparisons and
 * histories, which need metrics' figures only. A metric whose figures were never made (a run kept
 * by an older version) has is_known false; its samples have to be read. */
tare_status store_run_figures(struct store *store, struct arena *arena, const char *selector,
                              struct model_run *run, struct tare_error *error);

/* Complete runs of a project on one machine that were measured by themselves, newest first: where
 * several of one commit are found. */
struct store_rerun {
    char id[27];
    int64_t started_unix_ns;
    const char *commit_hash;  /* "" when not known, or with changes that were not committed */
    const char *program_hash; /* of all programs measured; "" when they were commands */
};
struct store_reruns {
    struct store_rerun *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};
tare_status store_reruns_list(struct store *store, struct arena *arena, const char *machine_id,
                              const char *project, int64_t limit, struct store_reruns *reruns,
                              struct tare_error *error);

struct store_run_row {
    char id[27];
    int64_t started_unix_ns;
    int64_t finished_unix_ns;
    enum model_run_state state;
    const char *project;
    const char *command;
    const char *tare_version;
    char machine_id[33];
    struct model_commit commit;
    int64_t benchmark_count;
    int64_t bad_count; /* benchmarks that are failed or invalid */
    const char
        *baselines; /* names of the baselines that point at it, "main, nightly"; "" when none */
    const char *compared_as; /* "old: ./a": side of a comparison; NULL: of none */
};

struct store_run_rows {
    struct store_run_row *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

/* NULL or 0 means no restriction. Newest first. */
struct store_filter {
    const char *project;
    const char *commit; /* the beginning of a hash */
    const char *machine_id;
    const char *branch;
    int64_t limit;
};
tare_status store_runs_list(struct store *store, struct arena *arena,
                            const struct store_filter *filter, struct store_run_rows *rows,
                            struct tare_error *error);
/* How many characters of an id are needed to tell all runs of the store apart, at least 8. */
tare_status store_id_length(struct store *store, int *length, struct tare_error *error);

/* ---- pruning ---- */

/* Either `selectors`: these; or `keep`: all but the newest N; or `before_unix_ns`: all that started
 * earlier; or both of these: all that is beyond either. A run that a baseline points at is never
 * removed. The ways without selectors also spare a run that says it is running and started after
 * `live_after_unix_ns`, because its process may still be there. */
struct store_prune {
    int64_t keep; /* −1: not this way */
    int64_t before_unix_ns;
    const char *const *selectors;
    ptrdiff_t selector_count;
    int64_t live_after_unix_ns;
    bool is_dry_run;
};
struct store_prune_result {
    struct store_run_rows removed;
    struct store_run_rows kept; /* asked for, but a baseline points at it, or it may be running */
};
tare_status store_runs_prune(struct store *store, struct arena *arena,
                             const struct store_prune *prune, struct store_prune_result *result,
                             struct tare_error *error);

/* ---- baselines ---- */

/* Who moved a baseline, when and why. */
struct store_promotion {
    const char *name;
    char machine_id[33];
    const char *action;          /* "save", "promote", "remove" */
    const char *run_id;          /* what it points at since; "" for remove */
    const char *previous_run_id; /* "" for save */
    int64_t at_unix_ns;
    const char *by; /* user@host */
    const char *reason;
};
struct store_promotions {
    struct store_promotion *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

struct store_baseline {
    const char *name;
    char machine_id[33];
    const char *machine; /* "cpu=…, cores=…": the identity in words */
    struct store_run_row run;
    struct store_promotion last; /* the newest of its history */
};
struct store_baselines {
    struct store_baseline *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

struct store_change {
    const char *name;
    const char *selector; /* the run; NULL for remove */
    int64_t at_unix_ns;
    const char *by;
    const char *reason;
    bool is_forced; /* take a run that is not complete */
};
/* The machine is the run's. Save refuses a name that this machine has already, promote one that it
 * has not. */
tare_status store_baseline_save(struct store *store, const struct store_change *change,
                                struct tare_error *error);
tare_status store_baseline_promote(struct store *store, const struct store_change *change,
                                   struct tare_error *error);
/* Of the machine in use (store_use_machine); the run and the history stay. */
tare_status store_baseline_remove(struct store *store, const struct store_change *change,
                                  struct tare_error *error);
/* TARE_ERROR_NO_BASELINE when this machine has none of that name; the message says which machines
 * have. */
tare_status store_baseline_find(struct store *store, struct arena *arena, const char *name,
                                struct store_baseline *baseline, struct tare_error *error);
/* machine_id NULL: of all machines. */
tare_status store_baselines_list(struct store *store, struct arena *arena, const char *machine_id,
                                 struct store_baselines *baselines, struct tare_error *error);
/* Newest first; machine_id NULL: of all machines. */
tare_status store_baseline_history(struct store *store, struct arena *arena, const char *name,
                                   const char *machine_id, struct store_promotions *promotions,
                                   struct tare_error *error);

/* ---- documents: decisions and proofs, as the JSON that was printed ---- */

struct store_document {
    const char *id;   /* sortable by time (model_run_id_new) */
    const char *kind; /* "comparison", "prove" */
    const char *machine_id;
    int64_t created_unix_ns;
    const char *text;
};
tare_status store_document_save(struct store *store, const struct store_document *document,
                                struct tare_error *error);
/* By its id or the unique beginning of it (at least STORE_PREFIX_MIN characters). Not found is
 * TARE_OK with *is_found false; several is TARE_ERROR_USAGE. */
tare_status store_document_load(struct store *store, struct arena *arena, const char *selector,
                                struct store_document *document, bool *is_found,
                                struct tare_error *error);
/* Newest first, without their texts. kind NULL: all; limit 0: no limit. */
struct store_document_row {
    char id[27];
    const char *kind;
    char machine_id[33];
    int64_t created_unix_ns;
    int64_t text_bytes;
};
struct store_document_rows {
    struct store_document_row *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};
tare_status store_documents_list(struct store *store, struct arena *arena, const char *kind,
                                 int64_t limit, struct store_document_rows *rows,
                                 struct tare_error *error);

/* ---- noise: what comparisons of identical programs found ---- */

struct store_noise {
    char machine_id[33];
    const char *project;
    const char *benchmark; /* label */
    const char *metric;
    int64_t at_unix_ns;
    const char *kind; /* the command that compared: "ab", "gate", "prove" */
    double log_ratio;
    double half_width; /* of its interval, log scale */
    int64_t launches;
};
struct store_noises {
    struct store_noise *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};
/* Newest kept of one benchmark and metric; older ones go. */
enum { STORE_NOISE_KEPT = 200 };
/* All in one transaction. */
tare_status store_noise_add(struct store *store, const struct store_noise *items, ptrdiff_t count,
                            struct tare_error *error);
/* benchmark, metric NULL: all. By benchmark and metric, newest first; none older than since. */
tare_status store_noise_list(struct store *store, struct arena *arena, const char *machine_id,
                             const char *project, const char *benchmark, const char *metric,
                             int64_t since_unix_ns, struct store_noises *noises,
                             struct tare_error *error);

#endif
