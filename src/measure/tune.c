/* tune.c: finds the settings, keeps what they were, changes them, puts them back. */
#include "measure/tune.h"

#include "base/assert.h"
#include "base/text.h"
#include "measure/tune_state.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/machine_parse.h"
#include "os/setting.h"

#include <string.h>

/* A setting worth changing. '*' stands for any name of one folder. */
struct tune_rule {
    const char *pattern;
    const char *wanted;
    const char *available; /* file beside it that lists what is possible; NULL: no such list */
    bool is_lowered_only;  /* a number: left alone when it is not above the wanted one */
};

/* In the order in which they are set; put back in the reverse one, because Intel's driver refuses
 * another energy preference while the governor is "performance". Address space randomisation is not
 * here on purpose: Tare needs launches to differ in layout. Nor is SMT: switching it off takes CPUs
 * away. */
static const struct tune_rule rules[] = {
    {"/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference", "performance",
     "energy_performance_available_preferences", false},
    {"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "performance",
     "scaling_available_governors", false},
    {"/sys/devices/system/cpu/intel_pstate/no_turbo", "1", NULL, false},
    {"/sys/devices/system/cpu/cpufreq/boost", "0", NULL, false},
    {"/proc/sys/kernel/perf_event_paranoid", "1", NULL, true},
    {"/proc/sys/kernel/nmi_watchdog", "0", NULL, false},
};

enum { RULE_COUNT = sizeof rules / sizeof *rules };

struct tuner {
    struct arena *arena;
    const struct tune_options *options;
    struct tune_report *report;
};

static void discover(const struct tuner *tuner, struct tune_report *found);
static tare_status check_possible(const struct tuner *tuner, struct tare_error *error);
static tare_status merge_and_save(const struct tuner *tuner, struct tare_error *error);
static void apply_one(const struct tuner *tuner, struct tune_setting *setting, const char *value);
static bool is_known_path(const char *path);
static const char *full_path(const struct tuner *tuner, const char *path);
static tare_status begin(const struct tuner *tuner, int *lock, struct tare_error *error);

tare_status tune_apply(struct arena *arena, const struct tune_options *options,
                       struct tune_report *report, struct tare_error *error)
{
    *report = (struct tune_report){0};
    const struct tuner tuner = {arena, options, report};
    int lock = -1;
    discover(&tuner, report);
    tare_status status = options->is_dry_run ? TARE_OK : check_possible(&tuner, error);
    if (status == TARE_OK) {
        status = begin(&tuner, &lock, error);
    }
    if (status == TARE_OK) {
        status = merge_and_save(&tuner, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < report->count; i++) {
        apply_one(&tuner, &report->settings[i], report->settings[i].set);
    }
    setting_unlock(lock);
    return status;
}

static void restore_one(const struct tuner *tuner, struct tune_setting *setting)
{
    setting->now = setting_read(tuner->arena, full_path(tuner, setting->path));
    if (setting->now == NULL) {
        setting->outcome = TUNE_FAILED;
        setting->reason =
            "cannot be read any more; if that hardware is gone, remove the state file";
        return;
    }
    bool is_ours = strcmp(machine_clean(tuner->arena, setting->now), setting->set) == 0;
    setting->is_changed_meanwhile = !is_ours && strcmp(setting->now, setting->found) != 0;
    apply_one(tuner, setting, setting->found);
}

tare_status tune_restore(struct arena *arena, const struct tune_options *options,
                         struct tune_report *report, struct tare_error *error)
{
    *report = (struct tune_report){0};
    const struct tuner tuner = {arena, options, report};
    int lock = -1;
    report->state_path = tune_state_path(arena, options);
    if (!file_exists(report->state_path)) {
        return TARE_OK;
    }
    tare_status status = begin(&tuner, &lock, error);
    if (status == TARE_OK) {
        status = tune_state_load(arena, report->state_path, is_known_path, report, error);
    }
    for (ptrdiff_t i = report->count - 1; status == TARE_OK && i >= 0; i--) {
        restore_one(&tuner, &report->settings[i]);
    }
    report->had_state = status == TARE_OK;
    if (status == TARE_OK && !options->is_dry_run && tune_count(report, TUNE_FAILED) == 0) {
        status = setting_remove_file(report->state_path, error);
    }
    setting_unlock(lock);
    return status;
}

/* Makes the state file's folder and takes its lock; a dry run needs neither. */
static tare_status begin(const struct tuner *tuner, int *lock, struct tare_error *error)
{
    tuner->report->state_path = tune_state_path(tuner->arena, tuner->options);
    if (tuner->options->is_dry_run) {
        return TARE_OK;
    }
    const char *path = tuner->report->state_path;
    const char *slash = strrchr(path, '/');
    const char *folder = slash == NULL   ? "."
                         : slash == path ? "/"
                                         : arena_strndup(tuner->arena, path, slash - path);
    tare_status status = file_make_directories(folder, error);
    if (status != TARE_OK) {
        return status;
    }
    *lock = setting_lock(folder, error);
    return *lock >= 0 ? TARE_OK : TARE_ERROR_IO;
}

static const char *full_path(const struct tuner *tuner, const char *path)
{
    return arena_printf(tuner->arena, "%s%s", tuner->options->root, path);
}

/* Does the kernel offer this value here? */
static bool is_available(const struct tuner *tuner, const char *path, const struct tune_rule *rule)
{
    if (rule->available == NULL) {
        return true;
    }
    const char *beside = arena_printf(tuner->arena, "%.*s/%s", (int)(strrchr(path, '/') - path),
                                      path, rule->available);
    const char *list = setting_read(tuner->arena, full_path(tuner, beside));
    const char *words = arena_printf(tuner->arena, " %s ", machine_clean(tuner->arena, list));
    return strstr(words, arena_printf(tuner->arena, " %s ", rule->wanted)) != NULL;
}

static void discover_one(const struct tuner *tuner, const struct tune_rule *rule, const char *path,
                         struct tune_report *found)
{
    const char *now = setting_read(tuner->arena, full_path(tuner, path));
    if (now == NULL || found->count >= TUNE_SETTINGS_MAX || !is_available(tuner, path, rule)) {
        return;
    }
    int64_t number = machine_parse_int(now, INT64_MIN);
    int64_t wanted = machine_parse_int(rule->wanted, INT64_MIN);
    if (rule->is_lowered_only && number <= wanted) {
        return;
    }
    found->settings = arena_grow(tuner->arena, found->settings, &found->capacity, found->count + 1,
                                 sizeof *found->settings);
    found->settings[found->count++] =
        (struct tune_setting){.path = path, .found = now, .set = rule->wanted, .now = now};
}

static void discover(const struct tuner *tuner, struct tune_report *found)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        const char *star = strchr(rules[i].pattern, '*');
        if (star == NULL) {
            discover_one(tuner, &rules[i], rules[i].pattern, found);
            continue;
        }
        const char *slash = star;
        while (*slash != '/') {
            slash--;
        }
        const char *folder =
            arena_strndup(tuner->arena, rules[i].pattern, slash - rules[i].pattern);
        struct machine_names names = machine_list(tuner->arena, full_path(tuner, folder));
        for (ptrdiff_t n = 0; n < names.count; n++) {
            const char *path =
                arena_printf(tuner->arena, "%s/%s%s", folder, names.items[n], strchr(star, '/'));
            if (is_known_path(path)) {
                discover_one(tuner, &rules[i], path, found);
            }
        }
    }
}

static ptrdiff_t count_slashes(const char *text)
{
    ptrdiff_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '/';
    }
    return count;
}

static bool is_known_path(const char *path)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        /* text_glob's star goes across folders; equal numbers of slashes forbid that. */
        if (text_glob(rules[i].pattern, path) && strstr(path, "..") == NULL &&
            count_slashes(path) == count_slashes(rules[i].pattern)) {
            return true;
        }
    }
    return false;
}

static tare_status check_possible(const struct tuner *tuner, struct tare_error *error)
{
    const struct tune_report *report = tuner->report;
    if (report->count == 0) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "there is nothing to tune: the kernel offers none of the settings here "
                         "(in a virtual machine or container they are the host's)");
    }
    for (ptrdiff_t i = 0; i < report->count; i++) {
        if (setting_is_writable(full_path(tuner, report->settings[i].path))) {
            return TARE_OK;
        }
    }
    return error_set(
        error, TARE_ERROR_MEASURE,
        "no setting may be written: kernel settings are root's; use sudo, or --dry-run "
        "to see what would be changed");
}

static const struct tune_setting *find_setting(const struct tune_report *report, const char *path)
{
    for (ptrdiff_t i = 0; i < report->count; i++) {
        if (strcmp(report->settings[i].path, path) == 0) {
            return &report->settings[i];
        }
    }
    return NULL;
}

/* Takes over the originals of an earlier tune, then writes down all of them. Settings that only the
 * earlier one knew stay in the file. */
static tare_status merge_and_save(const struct tuner *tuner, struct tare_error *error)
{
    struct tune_report *report = tuner->report;
    struct tune_report saved = {0};
    report->had_state = file_exists(report->state_path);
    if (report->had_state) {
        tare_status status =
            tune_state_load(tuner->arena, report->state_path, is_known_path, &saved, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    bool is_new = !report->had_state;
    for (ptrdiff_t i = 0; i < report->count; i++) {
        struct tune_setting *setting = &report->settings[i];
        const struct tune_setting *original = find_setting(&saved, setting->path);
        if (original != NULL) {
            setting->found = original->found;
            continue;
        }
        saved.settings = arena_grow(tuner->arena, saved.settings, &saved.capacity, saved.count + 1,
                                    sizeof *saved.settings);
        saved.settings[saved.count++] = *setting;
        is_new = true;
    }
    if (tuner->options->is_dry_run || !is_new) {
        return TARE_OK;
    }
    return tune_state_save(tuner->arena, report->state_path, &saved, error);
}

static void apply_one(const struct tuner *tuner, struct tune_setting *setting, const char *value)
{
    /* Without the newline is the same to the kernel; what is put back is put back to the byte. */
    bool is_same =
        strcmp(setting->now, value) == 0 ||
        (value == setting->set && strcmp(machine_clean(tuner->arena, setting->now), value) == 0);
    if (is_same || tuner->options->is_dry_run) {
        setting->outcome = is_same ? TUNE_UNCHANGED : TUNE_CHANGED;
        return;
    }
    struct tare_error problem = {0};
    if (setting_write(full_path(tuner, setting->path), value, &problem) != TARE_OK) {
        setting->outcome = TUNE_FAILED;
        setting->reason = arena_strdup(tuner->arena, problem.message);
        return;
    }
    /* The kernel may take a value and do something else; believe only what reads back. */
    const char *after = setting_read(tuner->arena, full_path(tuner, setting->path));
    bool is_taken = after != NULL && strcmp(machine_clean(tuner->arena, after),
                                            machine_clean(tuner->arena, value)) == 0;
    setting->outcome = is_taken ? TUNE_CHANGED : TUNE_FAILED;
    setting->reason = is_taken ? NULL : "the kernel took the value and shows another";
}

ptrdiff_t tune_count(const struct tune_report *report, enum tune_outcome outcome)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < report->count; i++) {
        count += report->settings[i].outcome == outcome;
    }
    return count;
}

const char *tune_outcome_name(enum tune_outcome outcome)
{
    static const char *const names[] = {"changed", "unchanged", "failed"};
    TARE_ASSERT((size_t)outcome < sizeof names / sizeof *names);
    return names[outcome];
}
