/* import.c: the table of formats, and what their readers share. */
#include "codec/import.h"

#include "base/buffer.h"
#include "base/text.h"
#include "codec/import_formats.h"

#include <stdio.h>
#include <string.h>

const struct import_format *const import_formats[] = {
    &import_gbench, &import_hyperfine, &import_go,      &import_criterion, &import_cargo_criterion,
    &import_pytest, &import_pyperf,    &import_libtest, &import_jmh,       &import_catch2,
    &import_csv,    &import_bmf,       &import_custom,  &import_history,   &import_nanobench,
    &import_vitest, &import_mitata,    &import_dotnet,  &import_codspeed,  NULL,
};
enum { FORMAT_COUNT = sizeof import_formats / sizeof *import_formats - 1 };

tare_status import_format_find(const char *name, const struct import_format **format,
                               struct tare_error *error)
{
    const char *names[FORMAT_COUNT + 1] = {NULL};
    for (int i = 0; i < FORMAT_COUNT; i++) {
        names[i] = import_formats[i]->name;
        if (strcmp(names[i], name) == 0) {
            *format = import_formats[i];
            return TARE_OK;
        }
    }
    struct arena scratch = {0};
    const char *nearest = text_nearest(name, names);
    tare_status status =
        error_set(error, TARE_ERROR_USAGE,
                  nearest != NULL ? "unknown format '%s': did you mean '%s'?"
                                  : "unknown format '%s': 'tare import --help' lists them%.0s",
                  text_printable(&scratch, name, 60), nearest != NULL ? nearest : "");
    arena_free(&scratch);
    return status;
}

/* ---- recognising ---- */

static tare_status read_head(struct import_source *source, char *head, ptrdiff_t *length,
                             struct tare_error *error)
{
    tare_status status = source->rewind(source, error);
    *length = 0;
    for (ptrdiff_t got = 1; status == TARE_OK && got > 0 && *length < IMPORT_HEAD_BYTES;) {
        status = source->read(source, head + *length, IMPORT_HEAD_BYTES - *length, &got, error);
        *length += status == TARE_OK ? got : 0;
    }
    head[*length] = '\0';
    return status == TARE_OK ? source->rewind(source, error) : status;
}

/* What a file of no known format is, as far as its first bytes tell. */
static const char *obvious_trouble(const char *head, ptrdiff_t length)
{
    if (length == 0) {
        return "the file is empty";
    }
    if (length >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0)) {
        return "this is UTF-16 text: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)";
    }
    if (strspn(head, " \t\r\n") == (size_t)length) {
        return "there are only blanks in it";
    }
    return NULL;
}

static tare_status name_all(struct import_source *source, const struct import_format *const *found,
                            bool is_ambiguous, struct tare_error *error)
{
    struct arena scratch = {0};
    struct buffer text = buffer_new(&scratch, ERROR_MESSAGE_MAX);
    for (int i = 0; found[i] != NULL; i++) {
        buffer_printf(&text, "%s%s", i > 0 ? ", " : "",
                      is_ambiguous ? found[i]->name : found[i]->looked_for);
    }
    tare_status status =
        is_ambiguous ? import_fail(source, error, "could be any of %s: --format NAME says which",
                                   buffer_string(&text))
                     : import_fail(source, error,
                                   "no known format. Looked for: %s. --format NAME forces one",
                                   buffer_string(&text));
    arena_free(&scratch);
    return status;
}

tare_status import_format_recognise(struct import_source *source,
                                    const struct import_format **format, struct tare_error *error)
{
    const struct import_format *found[FORMAT_COUNT + 1] = {NULL};
    ptrdiff_t count = 0;
    struct arena scratch = {0};
    char *head = ARENA_ARRAY(&scratch, char, IMPORT_HEAD_BYTES + 1);
    ptrdiff_t length = 0;
    tare_status status = read_head(source, head, &length, error);
    const char *trouble = status == TARE_OK ? obvious_trouble(head, length) : NULL;
    if (trouble != NULL) {
        status = import_fail(source, error, "%s", trouble);
    }
    for (int i = 0; status == TARE_OK && i < FORMAT_COUNT; i++) {
        if (import_formats[i]->recognise(head, length, source->path)) {
            found[count++] = import_formats[i];
        }
    }
    arena_free(&scratch);
    if (status != TARE_OK) {
        return status;
    }
    *format = found[0];
    return count == 1 ? TARE_OK
                      : name_all(source, count > 1 ? found : import_formats, count > 1, error);
}

bool import_head_has_key(const char *head, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(head, '"'); at != NULL; at = strchr(at + 1, '"')) {
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '"') {
            const char *behind = at + 2 + length;
            behind += strspn(behind, " \t\r\n");
            if (*behind == ':') {
                return true;
            }
        }
    }
    return false;
}

char import_head_bracket(const char *head)
{
    for (const char *line = head; line != NULL;) {
        const char *at = line + strspn(line, " \t\r\n\xef\xbb\xbf");
        const char *next = at[0] != '\0' ? at + 1 + strspn(at + 1, " \t\r") : at;
        if ((at[0] == '{' && strchr("\n\"}", *next) != NULL) ||
            (at[0] == '[' && strchr("\n{[\"]-0123456789", *next) != NULL)) {
            return at[0];
        }
        line = strchr(at, '\n');
    }
    return 0;
}

/* ---- rules ---- */

/* Takes the ending off the text when it is there. */
static bool take_ending(char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t size = strlen(ending);
    if (length <= size || strcmp(text + length - size, ending) != 0) {
        return false;
    }
    text[length - size] = '\0';
    return true;
}

tare_status import_rule_parse(struct arena *arena, const char *text, struct import_rule *rule,
                              struct tare_error *error)
{
    char *name = arena_strdup(arena, text);
    *rule = (struct import_rule){.name = name};
    rule->is_exact = take_ending(name, ":exact");
    bool is_higher = take_ending(name, ":higher");
    rule->better = is_higher ? MODEL_HIGHER_IS_BETTER : MODEL_LOWER_IS_BETTER;
    bool has_direction = is_higher || take_ending(name, ":lower");
    char *bracket = strchr(name, '[');
    if (bracket != NULL && take_ending(bracket, "]")) {
        rule->unit = bracket + 1;
        *bracket = '\0';
    }
    bool is_unit_good = rule->unit == NULL || model_name_is_valid(rule->unit);
    if (!has_direction || !model_name_is_valid(name) || !is_unit_good) {
        return error_set(error, TARE_ERROR_USAGE,
                         "'%s' explains no metric: it is NAME:higher or NAME:lower, with [UNIT] "
                         "behind the name and :exact at the end where it fits "
                         "('nodes[1]:lower:exact')",
                         text_printable(arena, text, 60));
    }
    return TARE_OK;
}

/* ---- units and times ---- */

double import_time_factor(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) == 0) {
            return units[i].ns;
        }
    }
    return 0;
}

/* Days since 1970-01-01 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date
 * algorithms"). */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

/* "+01:00", "-0530", "Z": seconds east of Greenwich. */
static int64_t zone_seconds(const char *text)
{
    int hours = 0;
    int minutes = 0;
    if ((text[0] != '+' && text[0] != '-') || (sscanf(text + 1, "%2d:%2d", &hours, &minutes) < 2 &&
                                               sscanf(text + 1, "%2d%2d", &hours, &minutes) < 1)) {
        return 0;
    }
    int64_t seconds = hours * 3600LL + minutes * 60LL;
    return text[0] == '-' ? -seconds : seconds;
}

int64_t import_time_parse(const char *text)
{
    enum { YEAR_MIN = 1970, YEAR_MAX = 2200 }; /* nanoseconds fit into 64 bits until 2262 */
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int used = 0;
    if (text == NULL ||
        sscanf(text, "%4d%*1[-/]%2d%*1[-/]%2d%*1[T -]%2d:%2d:%2d%n", &year, &month, &day, &hour,
               &minute, &second, &used) != 6 ||
        year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12 || day < 1 || day > 31 ||
        hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
        return 0;
    }
    const char *rest = text + used;
    double fraction = 0;
    if (*rest == '.' || *rest == ',') {
        double scale = 0.1;
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, scale /= 10) {
            fraction += (*rest - '0') * scale;
        }
    }
    int64_t seconds = days_from_civil(year, month, day) * 86400 + hour * 3600LL + minute * 60LL +
                      second - zone_seconds(rest);
    return seconds < 0 ? 0 : seconds * 1000000000 + (int64_t)(fraction * 1e9);
}
