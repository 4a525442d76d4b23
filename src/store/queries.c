/* queries.c: every statement the store makes but the schema (schema.c). Values are always bound,
 * never spliced in. */
#include "store/internal.h"

/* Columns of a struct store_run_row; store_row_read reads them in this order. */
#define RUN_ROW                                                                                    \
    "run.id, run.started_unix_ns, run.finished_unix_ns, run.state, run.project, run.command, "     \
    "run.tare_version, "                                                                           \
    "run.machine, run.commit_is_known, run.commit_hash, run.commit_branch, run.commit_subject, "   \
    "run.commit_is_dirty, "                                                                        \
    "(SELECT count(*) FROM benchmark WHERE benchmark.run = run.key), "                             \
    "(SELECT count(*) FROM benchmark WHERE benchmark.run = run.key AND benchmark.state IN "        \
    "('failed', 'invalid')), "                                                                     \
    "(SELECT group_concat(name, ', ') FROM (SELECT DISTINCT name FROM baseline WHERE "             \
    "baseline.run = run.key ORDER BY name)), "                                                     \
    "(SELECT value FROM run_field WHERE run_field.run = run.key AND kind = 'environment' AND "     \
    "run_field.key = 'compared_as') "

/* Parts of a run, benchmark by benchmark in the order they were saved: the index benchmark_run
 * gives that order without sorting. */
#define OF_RUN(table)                                                                              \
    "FROM benchmark CROSS JOIN " table " ON " table                                                \
    ".benchmark = benchmark.key WHERE benchmark.run = ? "

/* Of every metric; NULLs where they were never made. */
#define FIGURES                                                                                    \
    "figures.launch_count, figures.median, figures.min, figures.max, figures.centre_log, "         \
    "figures.centre_variance, figures.mean_log, figures.tail_log "                                 \
    "FROM benchmark CROSS JOIN metric ON metric.benchmark = benchmark.key "                        \
    "LEFT JOIN figures ON figures.metric = metric.key WHERE benchmark.run = ? "

const char *const store_query_texts[QUERY_COUNT] = {
    [QUERY_BEGIN] = "BEGIN IMMEDIATE",
    [QUERY_BEGIN_READ] = "BEGIN",
    [QUERY_COMMIT] = "COMMIT",
    [QUERY_ROLLBACK] = "ROLLBACK",
    [QUERY_MACHINE_INSERT] = "INSERT OR IGNORE INTO machine (id) VALUES (?)",
    [QUERY_MACHINE_FIELD_INSERT] =
        "INSERT OR IGNORE INTO machine_field (machine, key, value) VALUES (?, ?, ?)",
    [QUERY_RUN_INSERT] =
        "INSERT INTO run (id, started_unix_ns, finished_unix_ns, state, project, command, "
        "tare_version, seed, confidence, machine, commit_is_known, commit_hash, commit_branch, "
        "commit_subject, commit_is_dirty) VALUES (?, ?, 0, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?)",
    [QUERY_RUN_FIELD_INSERT] = "INSERT INTO run_field (run, kind, key, value) VALUES (?, ?, ?, ?)",
    [QUERY_RUN_FIELDS_DELETE] = "DELETE FROM run_field WHERE run = ?",
    [QUERY_RUN_KEY] = "SELECT key FROM run WHERE id = ?",
    [QUERY_RUN_FINISH] = "UPDATE run SET state = ?, finished_unix_ns = ? WHERE key = ?",
    [QUERY_RUN_WARNING_INSERT] = "INSERT INTO run_warning (run, number, text) VALUES (?, ?, ?)",
    [QUERY_RUN_WARNINGS_DELETE] = "DELETE FROM run_warning WHERE run = ?",
    [QUERY_BENCHMARK_INSERT] =
        "INSERT INTO benchmark (run, suite, name, variant, parameters, is_reference, "
        "size_parameter, state, "
        "reason, \"check\", "
        "check_detail, iterations, overhead_ns, timer_floor_ns, launch_count, launches) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (run, name, suite, variant, parameters) DO NOTHING",
    [QUERY_BENCHMARK_WARNING_INSERT] =
        "INSERT INTO benchmark_warning (benchmark, number, text) VALUES (?, ?, ?)",
    [QUERY_METRIC_INSERT] =
        "INSERT INTO metric (benchmark, name, unit, better, is_exact, invalid_reason, "
        "sample_count, samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [QUERY_FIGURES_INSERT] =
        "INSERT INTO figures (metric, launch_count, median, min, max, centre_log, "
        "centre_variance, mean_log, tail_log) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [QUERY_HISTOGRAMS_INSERT] =
        "INSERT INTO histograms (benchmark, histogram_count, histograms) VALUES (?, ?, ?)",
    [QUERY_RUN_SELECT] = "SELECT key, id, started_unix_ns, finished_unix_ns, state, project, "
                         "command, tare_version, seed, confidence, "
                         "machine, commit_is_known, commit_hash, commit_branch, commit_subject, "
                         "commit_is_dirty FROM run WHERE id = ?",
    [QUERY_MACHINE_FIELDS] = "SELECT key, value FROM machine_field WHERE machine = ? ORDER BY key",
    [QUERY_RUN_FIELDS] = "SELECT key, value FROM run_field WHERE run = ? AND kind = ? ORDER BY key",
    [QUERY_RUN_WARNINGS] = "SELECT text FROM run_warning WHERE run = ? ORDER BY number",
    [QUERY_BENCHMARKS] =
        "SELECT key, suite, name, variant, parameters, is_reference, size_parameter, state, "
        "reason, \"check\", "
        "check_detail, iterations, overhead_ns, timer_floor_ns, launch_count, launches "
        "FROM benchmark WHERE run = ? ORDER BY key",
    [QUERY_BENCHMARK_WARNINGS] =
        "SELECT benchmark.key, text " OF_RUN("benchmark_warning") "ORDER BY benchmark.key, number",
    [QUERY_METRICS] =
        "SELECT benchmark.key, metric.name, unit, better, is_exact, invalid_reason, sample_count, "
        "samples, " FIGURES "ORDER BY benchmark.key, metric.key",
    [QUERY_METRICS_BARE] =
        "SELECT benchmark.key, metric.name, unit, better, is_exact, invalid_reason, sample_count, "
        "NULL, " FIGURES "ORDER BY benchmark.key, metric.key",
    [QUERY_BENCHMARKS_BARE] =
        "SELECT key, suite, name, variant, parameters, is_reference, size_parameter, state, "
        "reason, \"check\", check_detail, iterations, overhead_ns, timer_floor_ns "
        "FROM benchmark WHERE run = ? ORDER BY key",
    [QUERY_HISTOGRAMS] = "SELECT benchmark.key, histogram_count, histograms " OF_RUN(
        "histograms") "ORDER BY benchmark.key",
    [QUERY_RUN_LATEST] = "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?",
    [QUERY_RUN_PREFIX] = "SELECT id FROM run WHERE id >= ?1 AND id < ?1 || '~' ORDER BY id LIMIT 2",
    [QUERY_RUN_EXISTS] = "SELECT id FROM run WHERE id = ?",
    [QUERY_RUNS_LIST] = "SELECT " RUN_ROW "FROM run "
                        "WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR substr(commit_hash, "
                        "1, length(?2)) = ?2) "
                        "AND (?3 IS NULL OR machine = ?3) AND (?4 IS NULL OR commit_branch = ?4) "
                        "ORDER BY run.id DESC LIMIT ?5",
    [QUERY_RUN_IDS] = "SELECT id FROM run ORDER BY id",
    [QUERY_RUNS_BEYOND] = "SELECT id FROM run ORDER BY id DESC LIMIT -1 OFFSET ?",
    [QUERY_RUNS_BEFORE] = "SELECT id FROM run WHERE started_unix_ns < ? ORDER BY id DESC",
    [QUERY_RUN_ROW] = "SELECT " RUN_ROW "FROM run WHERE id = ?",
    [QUERY_RUN_DELETE] = "DELETE FROM run WHERE id = ?",
    [QUERY_MACHINES_UNUSED_DELETE] =
        "DELETE FROM machine WHERE id NOT IN (SELECT machine FROM run)",
    [QUERY_BASELINE_SELECT] =
        "SELECT baseline.machine, run.id FROM baseline JOIN run ON run.key = baseline.run "
        "WHERE baseline.name = ? ORDER BY baseline.machine",
    [QUERY_BASELINES_LIST] =
        "SELECT baseline.name, baseline.machine, " RUN_ROW
        "FROM baseline JOIN run ON run.key = baseline.run "
        "WHERE (?1 IS NULL OR baseline.machine = ?1) ORDER BY baseline.name, baseline.machine",
    [QUERY_BASELINE_WRITE] = "INSERT INTO baseline (name, machine, run) VALUES (?1, ?2, (SELECT "
                             "key FROM run WHERE id = ?3)) "
                             "ON CONFLICT (name, machine) DO UPDATE SET run = excluded.run",
    [QUERY_BASELINE_DELETE] = "DELETE FROM baseline WHERE name = ? AND machine = ?",
    [QUERY_PROMOTION_INSERT] =
        "INSERT INTO promotion (name, machine, action, run_id, previous_run_id, at_unix_ns, by, "
        "reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [QUERY_PROMOTIONS] = "SELECT name, machine, action, run_id, previous_run_id, at_unix_ns, by, "
                         "reason FROM promotion "
                         "WHERE name = ?1 AND (?2 IS NULL OR machine = ?2) ORDER BY key DESC",
    [QUERY_DOCUMENT_INSERT] =
        "INSERT INTO document (id, kind, created_unix_ns, machine, text) VALUES (?, ?, ?, ?, ?)",
    [QUERY_DOCUMENT_PREFIX] =
        "SELECT id FROM document WHERE id >= ?1 AND id < ?1 || '~' ORDER BY id LIMIT 2",
    [QUERY_DOCUMENT_SELECT] =
        "SELECT id, kind, created_unix_ns, machine, text FROM document WHERE id = ?",
    [QUERY_DOCUMENTS_LIST] = "SELECT id, kind, created_unix_ns, machine, length(text) FROM "
                             "document WHERE (?1 IS NULL OR kind = ?1) ORDER BY id DESC LIMIT ?2",
    /* Sides of a comparison are left out: they were measured in turns with the other side. */
    [QUERY_RERUNS] =
        "SELECT run.id, run.started_unix_ns, run.commit_is_known, run.commit_hash, "
        "run.commit_is_dirty, (SELECT value FROM run_field WHERE run_field.run = run.key AND kind "
        "= 'environment' AND run_field.key = 'program_hash') FROM run "
        "WHERE machine = ?1 AND project IS ?2 AND state = 'complete' AND NOT EXISTS (SELECT 1 FROM "
        "run_field WHERE run_field.run = run.key AND kind = 'environment' AND run_field.key = "
        "'compared_as') ORDER BY run.id DESC LIMIT ?3",
    [QUERY_NOISE_INSERT] =
        "INSERT INTO noise (machine, project, benchmark, metric, at_unix_ns, kind, log_ratio, "
        "half_width, launches) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [QUERY_NOISE_THIN] =
        "DELETE FROM noise WHERE key IN (SELECT key FROM noise WHERE machine = ?1 AND project = ?2 "
        "AND benchmark = ?3 AND metric = ?4 ORDER BY at_unix_ns DESC, key DESC LIMIT -1 OFFSET ?5)",
    [QUERY_NOISE_LIST] =
        "SELECT machine, project, benchmark, metric, at_unix_ns, kind, log_ratio, half_width, "
        "launches FROM noise WHERE machine = ?1 AND project = ?2 AND (?3 IS NULL OR benchmark = "
        "?3) AND (?4 IS NULL OR metric = ?4) AND at_unix_ns >= ?5 "
        "ORDER BY benchmark, metric, at_unix_ns DESC",
};

const char *const store_run_state_words[4] = {
    [MODEL_RUN_RUNNING] = "running",
    [MODEL_RUN_COMPLETE] = "complete",
    [MODEL_RUN_INTERRUPTED] = "interrupted",
    [MODEL_RUN_FAILED] = "failed",
};
const char *const store_state_words[4] = {
    [MODEL_STATE_OK] = "ok",
    [MODEL_STATE_INVALID] = "invalid",
    [MODEL_STATE_FAILED] = "failed",
    [MODEL_STATE_SKIPPED] = "skipped",
};
const char *const store_check_words[3] = {
    [MODEL_CHECK_NONE] = "none",
    [MODEL_CHECK_PASSED] = "passed",
    [MODEL_CHECK_FAILED] = "failed",
};
const char *const store_better_words[2] = {
    [MODEL_LOWER_IS_BETTER] = "lower",
    [MODEL_HIGHER_IS_BETTER] = "higher",
};
