#include "os/machine_parse.h"

#include "base/buffer.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1024 kinds of line in one record of cpuinfo would be absurd; the largest CPU number a list may
 * name. */
enum { CPU_NUMBER_MAX = 1 << 16 };

/* One line "key : value" of cpuinfo. Keys and values are not terminated. */
struct line {
    const char *key;
    ptrdiff_t key_length;
    const char *value;
    ptrdiff_t value_length;
};

static bool line_next(const char **text, struct line *line);
static bool line_is(const struct line *line, const char *key);
static const char *line_value(struct arena *arena, const struct line *line);
static bool has_word(const char *text, ptrdiff_t length, const char *word);

/* ARM's cpuinfo names no model, only numbers (arch/arm64/include/asm/cputype.h lists them). Parts
 * that are not in the table keep their numbers. */
struct arm_part {
    int64_t implementer;
    int64_t part;
    const char *name;
};

static const struct arm_part arm_parts[] = {
    {0x41, 0xd03, "ARM Cortex-A53"},     {0x41, 0xd05, "ARM Cortex-A55"},
    {0x41, 0xd07, "ARM Cortex-A57"},     {0x41, 0xd08, "ARM Cortex-A72"},
    {0x41, 0xd09, "ARM Cortex-A73"},     {0x41, 0xd0a, "ARM Cortex-A75"},
    {0x41, 0xd0b, "ARM Cortex-A76"},     {0x41, 0xd0c, "ARM Neoverse-N1"},
    {0x41, 0xd40, "ARM Neoverse-V1"},    {0x41, 0xd41, "ARM Cortex-A78"},
    {0x41, 0xd44, "ARM Cortex-X1"},      {0x41, 0xd49, "ARM Neoverse-N2"},
    {0x41, 0xd4f, "ARM Neoverse-V2"},    {0x61, 0x022, "Apple M1 Icestorm"},
    {0x61, 0x023, "Apple M1 Firestorm"}, {0xc0, 0xac3, "Ampere-1"},
};

struct arm_numbers {
    int64_t implementer;
    int64_t part;
    int64_t variant;
    int64_t revision;
};

/* x86 numbers, collected from the first processor. */
struct x86_numbers {
    int64_t family;
    int64_t model;
    int64_t stepping;
};

static void add_arm_model(struct buffer *names, const struct arm_numbers *arm)
{
    char name[64];
    snprintf(name, sizeof name, "ARM implementer 0x%02llx part 0x%03llx",
             (unsigned long long)arm->implementer, (unsigned long long)arm->part);
    for (size_t i = 0; i < sizeof arm_parts / sizeof *arm_parts; i++) {
        if (arm_parts[i].implementer == arm->implementer && arm_parts[i].part == arm->part) {
            snprintf(name, sizeof name, "%s", arm_parts[i].name);
        }
    }
    /* big.LITTLE machines have several kinds: each is named once. */
    if (strstr(buffer_string(names), name) == NULL) {
        buffer_printf(names, "%s%s", names->length > 0 ? " + " : "", name);
    }
}

static int64_t line_number(const struct line *line)
{
    char digits[32] = "";
    if (line->value_length <= 0 || line->value_length >= (ptrdiff_t)sizeof digits) {
        return -1;
    }
    memcpy(digits, line->value, (size_t)line->value_length);
    char *end = NULL;
    long long number = strtoll(digits, &end, 0);
    return end != digits && *end == '\0' && number >= 0 ? number : -1;
}

static void read_arm_line(const struct line *line, struct arm_numbers *arm, struct buffer *names)
{
    if (line_is(line, "CPU implementer")) {
        arm->implementer = line_number(line);
    } else if (line_is(line, "CPU variant")) {
        arm->variant = line_number(line);
    } else if (line_is(line, "CPU revision")) {
        arm->revision = line_number(line);
    } else if (line_is(line, "CPU part")) {
        arm->part = line_number(line);
        if (arm->implementer >= 0 && arm->part >= 0) {
            add_arm_model(names, arm);
        }
    }
}

static void read_x86_line(const struct line *line, struct x86_numbers *x86)
{
    if (line_is(line, "cpu family") && x86->family < 0) {
        x86->family = line_number(line);
    } else if (line_is(line, "model") && x86->model < 0) {
        x86->model = line_number(line);
    } else if (line_is(line, "stepping") && x86->stepping < 0) {
        x86->stepping = line_number(line);
    }
}

static void read_common_line(struct arena *arena, const struct line *line,
                             struct machine_cpuinfo *info)
{
    if (line_is(line, "processor") && line_number(line) >= 0) {
        info->processor_count = info->processor_count < 0 ? 1 : info->processor_count + 1;
    } else if (line_is(line, "model name") && info->model_name[0] == '\0') {
        info->model_name = line_value(arena, line);
    } else if (line_is(line, "vendor_id") && info->vendor[0] == '\0') {
        info->vendor = line_value(arena, line);
    } else if (line_is(line, "microcode") && info->microcode[0] == '\0') {
        info->microcode = line_value(arena, line);
    } else if (line_is(line, "cpu MHz") && isnan(info->frequency_mhz)) {
        double mhz = strtod(line_value(arena, line), NULL);
        info->frequency_mhz = isfinite(mhz) && mhz > 0 ? mhz : NAN;
    } else if (line_is(line, "flags")) {
        info->is_hypervisor_flag_set |= has_word(line->value, line->value_length, "hypervisor");
    }
}

static const char *signature_text(struct arena *arena, const struct x86_numbers *x86,
                                  const struct arm_numbers *arm)
{
    if (x86->family >= 0) {
        return arena_printf(arena, "family %lld model %lld stepping %lld", (long long)x86->family,
                            (long long)x86->model, (long long)x86->stepping);
    }
    if (arm->implementer >= 0) {
        return arena_printf(
            arena, "implementer 0x%02llx variant 0x%llx part 0x%03llx revision %lld",
            (unsigned long long)arm->implementer,
            (unsigned long long)(arm->variant < 0 ? 0 : arm->variant),
            (unsigned long long)(arm->part < 0 ? 0 : arm->part), (long long)arm->revision);
    }
    return "";
}

struct machine_cpuinfo machine_parse_cpuinfo(struct arena *arena, const char *text)
{
    struct machine_cpuinfo info = {.processor_count = -1,
                                   .model_name = "",
                                   .vendor = "",
                                   .microcode = "",
                                   .frequency_mhz = NAN};
    struct arm_numbers arm = {-1, -1, -1, -1};
    struct x86_numbers x86 = {-1, -1, -1};
    struct buffer arm_names = buffer_new(arena, MACHINE_VALUE_COLUMNS_MAX);
    struct line line;
    while (line_next(&text, &line)) {
        read_common_line(arena, &line, &info);
        read_x86_line(&line, &x86);
        read_arm_line(&line, &arm, &arm_names);
    }
    if (info.model_name[0] == '\0') {
        info.model_name = arena_strdup(arena, buffer_string(&arm_names));
    }
    info.signature = signature_text(arena, &x86, &arm);
    return info;
}

/* The next line with a colon; false at the end. Lines without one are passed over. */
static bool line_next(const char **text, struct line *line)
{
    while (**text != '\0') {
        const char *start = *text;
        size_t length = strcspn(start, "\n");
        *text = start + length + (start[length] == '\n');
        const char *colon = memchr(start, ':', length);
        if (colon == NULL) {
            continue;
        }
        const char *key_end = colon;
        while (key_end > start && isspace((unsigned char)key_end[-1])) {
            key_end--;
        }
        const char *value = colon + 1;
        const char *end = start + length;
        while (value < end && isspace((unsigned char)*value)) {
            value++;
        }
        while (end > value && isspace((unsigned char)end[-1])) {
            end--;
        }
        *line = (struct line){start, key_end - start, value, end - value};
        return true;
    }
    return false;
}

static bool line_is(const struct line *line, const char *key)
{
    return line->key_length == (ptrdiff_t)strlen(key) &&
           memcmp(line->key, key, (size_t)line->key_length) == 0;
}

static const char *line_value(struct arena *arena, const struct line *line)
{
    return machine_clean(arena, arena_strndup(arena, line->value, line->value_length));
}

static bool has_word(const char *text, ptrdiff_t length, const char *word)
{
    ptrdiff_t word_length = (ptrdiff_t)strlen(word);
    for (ptrdiff_t i = 0; i + word_length <= length; i++) {
        bool starts = i == 0 || text[i - 1] == ' ';
        bool ends = i + word_length == length || text[i + word_length] == ' ';
        if (starts && ends && memcmp(text + i, word, (size_t)word_length) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_cpu_number(const char **text, int64_t *number)
{
    if (!isdigit((unsigned char)**text)) {
        return false;
    }
    int64_t value = 0;
    while (isdigit((unsigned char)**text)) {
        value = value * 10 + (**text - '0');
        if (value > CPU_NUMBER_MAX) {
            return false;
        }
        (*text)++;
    }
    *number = value;
    return true;
}

int64_t machine_parse_cpu_list(const char *text, bool *is_member, int64_t capacity)
{
    int64_t count = 0;
    while (true) {
        int64_t first = 0;
        if (!read_cpu_number(&text, &first)) {
            return -1;
        }
        int64_t last = first;
        if (*text == '-') {
            text++;
            if (!read_cpu_number(&text, &last) || last < first) {
                return -1;
            }
        }
        count += last - first + 1;
        for (int64_t cpu = first; is_member != NULL && cpu <= last && cpu < capacity; cpu++) {
            is_member[cpu] = true;
        }
        if (*text != ',') {
            break;
        }
        text++;
    }
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return *text == '\0' && count <= CPU_NUMBER_MAX ? count : -1;
}

int64_t machine_parse_meminfo_bytes(const char *text, const char *name)
{
    struct line line;
    while (line_next(&text, &line)) {
        if (!line_is(&line, name)) {
            continue;
        }
        char *end = NULL;
        /* The value ends at the line's newline at the latest: strtoll skips no digits behind it. */
        if (line.value_length == 0 || !isdigit((unsigned char)line.value[0])) {
            return -1;
        }
        long long kibibytes = strtoll(line.value, &end, 10);
        return kibibytes > INT64_MAX / 1024 ? -1 : kibibytes * 1024;
    }
    return -1;
}

const char *machine_parse_selected(struct arena *arena, const char *text)
{
    const char *open = strchr(text, '[');
    const char *close = open != NULL ? strchr(open, ']') : NULL;
    if (close == NULL) {
        return "";
    }
    return machine_clean(arena, arena_strndup(arena, open + 1, close - open - 1));
}

int64_t machine_parse_keyed(const char *text, const char *key)
{
    size_t key_length = strlen(key);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length > key_length + 1 && strncmp(text, key, key_length) == 0 &&
            text[key_length] == ' ' && isdigit((unsigned char)text[key_length + 1])) {
            long long value = strtoll(text + key_length + 1, NULL, 10);
            return value;
        }
        text += length + (text[length] == '\n');
    }
    return -1;
}

/* Is `controller` one of the comma-separated words? */
static bool list_names(const char *list, ptrdiff_t length, const char *controller)
{
    ptrdiff_t wanted = (ptrdiff_t)strlen(controller);
    const char *end = list + length;
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *word_end = comma != NULL ? comma : end;
        if (word_end - list == wanted && memcmp(list, controller, (size_t)wanted) == 0) {
            return true;
        }
        list = word_end + 1;
    }
    return false;
}

const char *machine_parse_cgroup_path(struct arena *arena, const char *text, const char *controller)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        const char *end = text + length;
        const char *first = memchr(text, ':', length);
        const char *second =
            first != NULL ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
        if (second != NULL && second + 1 < end && second[1] == '/') {
            ptrdiff_t names_length = second - first - 1;
            bool is_wanted = controller[0] == '\0'
                                 ? names_length == 0 && first == text + 1 && text[0] == '0'
                                 : list_names(first + 1, names_length, controller);
            if (is_wanted) {
                return arena_strndup(arena, second + 1, end - second - 1);
            }
        }
        text = end + (*end == '\n');
    }
    return NULL;
}

double machine_parse_cpu_max(const char *text)
{
    if (strncmp(text, "max", 3) == 0 && (text[3] == ' ' || text[3] == '\n' || text[3] == '\0')) {
        return 0;
    }
    char *end = NULL;
    if (!isdigit((unsigned char)text[0])) {
        return NAN;
    }
    long long quota_us = strtoll(text, &end, 10);
    if (*end != ' ' || !isdigit((unsigned char)end[1])) {
        return NAN;
    }
    long long period_us = strtoll(end + 1, NULL, 10);
    return quota_us > 0 && period_us > 0 ? (double)quota_us / (double)period_us : NAN;
}

bool machine_parse_loadavg(const char *text, double load[3])
{
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        if (!isdigit((unsigned char)*text)) {
            return false;
        }
        load[i] = strtod(text, &end);
        if (!isfinite(load[i]) || (*end != ' ' && *end != '\0' && *end != '\n')) {
            return false;
        }
        text = *end == ' ' ? end + 1 : end;
    }
    return true;
}

int64_t machine_parse_int(const char *text, int64_t unknown)
{
    if (text == NULL) {
        return unknown;
    }
    while (isspace((unsigned char)*text)) {
        text++;
    }
    if (!isdigit((unsigned char)*text) && *text != '-') {
        return unknown;
    }
    char *end = NULL;
    long long value = strtoll(text, &end, 10);
    if (end == text) {
        return unknown;
    }
    while (isspace((unsigned char)*end)) {
        end++;
    }
    return *end == '\0' ? value : unknown;
}

const char *machine_clean(struct arena *arena, const char *text)
{
    if (text == NULL) {
        return "";
    }
    char *line = arena_alloc(arena, (ptrdiff_t)strlen(text) + 1, 1);
    ptrdiff_t length = 0;
    for (const char *c = text; *c != '\0'; c++) {
        bool is_space = isspace((unsigned char)*c);
        if (!is_space) {
            line[length++] = *c;
        } else if (length > 0 && line[length - 1] != ' ') {
            line[length++] = ' ';
        }
    }
    while (length > 0 && line[length - 1] == ' ') {
        length--;
    }
    line[length] = '\0';
    return text_printable(arena, line, MACHINE_VALUE_COLUMNS_MAX);
}

int64_t machine_round_memory_bytes(int64_t reported_bytes)
{
    if (reported_bytes <= 0) {
        return -1;
    }
    int64_t power = (int64_t)1 << (63 - __builtin_clzll((unsigned long long)reported_bytes));
    int64_t step = power / 4 > 0 ? power / 4 : 1;
    if (reported_bytes > INT64_MAX - step) {
        return reported_bytes;
    }
    return (reported_bytes + step - 1) / step * step;
}
