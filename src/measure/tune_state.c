#include "measure/tune_state.h"

#include "os/file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Root's settings are nobody else's to forge: the folder is made by root, below /var/lib. */
static const char STATE_PATH[] = "/var/lib/tare/tune.json";
/* Every setting at its largest is far below this. */
static const ptrdiff_t STATE_BYTES_MAX = 16 * 1024 * 1024;

const char *tune_state_path(struct arena *arena, const struct tune_options *options)
{
    return options->state_path != NULL ? options->state_path
                                       : arena_printf(arena, "%s%s", options->root, STATE_PATH);
}

tare_status tune_state_save(struct arena *arena, const char *path, const struct tune_report *report,
                            struct tare_error *error)
{
    (void)arena;
    json_t *settings = json_array();
    bool is_complete = settings != NULL;
    for (ptrdiff_t i = 0; i < report->count; i++) {
        const struct tune_setting *setting = &report->settings[i];
        json_t *entry = json_pack("{s:s,s:s,s:s}", "path", setting->path, "found", setting->found,
                                  "set", setting->set);
        is_complete = is_complete && json_array_append_new(settings, entry) == 0;
    }
    json_t *state =
        json_pack("{s:i,s:s,s:o}", "tare", 1, "kind", "tune-state", "settings", settings);
    char *text = is_complete && state != NULL ? json_dumps(state, JSON_INDENT(1)) : NULL;
    json_decref(state);
    if (text == NULL) {
        return error_set(
            error, TARE_ERROR_IO,
            "a setting holds bytes that are no text and could not be put back; nothing "
            "was changed");
    }
    tare_status status = file_write(path, text, (ptrdiff_t)strlen(text), error);
    free(text);
    return status;
}

static tare_status load_entry(struct arena *arena, const char *path, const json_t *entry,
                              bool (*is_known)(const char *), struct tune_report *report,
                              struct tare_error *error)
{
    const char *setting = json_string_value(json_object_get(entry, "path"));
    const char *found = json_string_value(json_object_get(entry, "found"));
    const char *set = json_string_value(json_object_get(entry, "set"));
    if (setting == NULL || found == NULL || set == NULL || !is_known(setting)) {
        return error_set(error, TARE_ERROR_IO,
                         "%s holds something that tare doctor --tune does not write; nothing was "
                         "changed. Look at it and remove it by hand",
                         path);
    }
    report->settings = arena_grow(arena, report->settings, &report->capacity, report->count + 1,
                                  sizeof *report->settings);
    report->settings[report->count++] = (struct tune_setting){.path = arena_strdup(arena, setting),
                                                              .found = arena_strdup(arena, found),
                                                              .set = arena_strdup(arena, set)};
    return TARE_OK;
}

tare_status tune_state_load(struct arena *arena, const char *path, bool (*is_known)(const char *),
                            struct tune_report *report, struct tare_error *error)
{
    char *content = NULL;
    ptrdiff_t length = 0;
    tare_status status = file_read(arena, path, STATE_BYTES_MAX, &content, &length, error);
    if (status != TARE_OK) {
        return status;
    }
    json_error_t problem;
    json_t *state = json_loadb(content, (size_t)length, JSON_REJECT_DUPLICATES, &problem);
    const char *kind = json_string_value(json_object_get(state, "kind"));
    const json_t *settings = json_object_get(state, "settings");
    bool is_state = kind != NULL && strcmp(kind, "tune-state") == 0 && json_is_array(settings) &&
                    json_array_size(settings) <= TUNE_SETTINGS_MAX;
    if (!is_state) {
        status =
            error_set(error, TARE_ERROR_IO,
                      "%s is not a state file of tare doctor --tune; nothing was changed. Look at "
                      "it and remove it by hand",
                      path);
    }
    for (size_t i = 0; status == TARE_OK && i < json_array_size(settings); i++) {
        status = load_entry(arena, path, json_array_get(settings, i), is_known, report, error);
    }
    json_decref(state);
    return status;
}
