#include "measure/valgrind.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"
#include "codec/valgrind_out.h"
#include "os/capture.h"
#include "os/file.h"
#include "os/folder.h"

#include <string.h>

enum {
    OPTIONS_MAX = 16,
    STRETCHED_BYTES = 256,    /* longer than most paths, so that most are stretched to one length */
    PATH_BYTES_MAX = 3800,    /* the kernel takes 4096 */
    LOG_BYTES_MAX = 64 << 20, /* a program may warn in a loop */
    VERSION_BYTES_MAX = 4096,
};

/* `valgrind --version` is there at once; one that is not hangs. */
static const double VERSION_TIMEOUT_NS = 30e9;

static tare_status ask_version(struct arena *arena, const struct valgrind *valgrind,
                               const char **version, struct tare_error *error)
{
    const char *const argv[] = {valgrind->path, "--version", NULL};
    const struct process_spec spec = {.argv = argv,
                                      .stdin_fd = -1,
                                      .stdout_fd = -1,
                                      .stderr_fd = -1,
                                      .cpu = -1,
                                      .is_aslr_off = !valgrind->keeps_randomisation};
    struct buffer output = buffer_new(arena, VERSION_BYTES_MAX);
    struct capture capture = {.output = &output};
    struct process_usage usage = {0};
    tare_status status = capture_run(&spec, VERSION_TIMEOUT_NS, &capture, &usage, error);
    if (status != TARE_OK) {
        return status;
    }
    static const char lead[] = "valgrind-";
    const char *text = buffer_string(&output);
    if (usage.status != 0 || strncmp(text, lead, sizeof lead - 1) != 0) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "%s --version does not answer as Valgrind does: is it Valgrind, and does "
                         "it work here?",
                         text_printable(arena, valgrind->path, 100));
    }
    text += sizeof lead - 1;
    *version =
        text_printable(arena, arena_strndup(arena, text, (ptrdiff_t)strcspn(text, "\n")), 40);
    return TARE_OK;
}

tare_status valgrind_find(struct arena *arena, struct valgrind *valgrind, struct tare_error *error)
{
    *valgrind = (struct valgrind){.path = file_find_program(arena, "valgrind")};
    if (valgrind->path == NULL) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "instructions are counted with Valgrind, which is not installed here: "
                         "apt-get install valgrind (or dnf, pacman, …), then try again");
    }
    /* Some containers forbid to switch address randomisation off; what Valgrind counts seldom
     * depends on it, and a count that does will not repeat. */
    struct tare_error first = {0};
    tare_status status = ask_version(arena, valgrind, &valgrind->version, &first);
    if (status == TARE_OK || status == TARE_INTERRUPTED) {
        return status == TARE_OK ? status : error_set(error, status, "%s", first.message);
    }
    valgrind->keeps_randomisation = true;
    return ask_version(arena, valgrind, &valgrind->version, error);
}

char *valgrind_stretch_path(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    ptrdiff_t length = (ptrdiff_t)strlen(path);
    if (slash == NULL || length > PATH_BYTES_MAX) {
        return arena_strdup(arena, path);
    }
    ptrdiff_t more = (STRETCHED_BYTES - length % STRETCHED_BYTES) % STRETCHED_BYTES;
    ptrdiff_t head = slash - path;
    char *stretched = arena_alloc(arena, length + more + 1, 1);
    memcpy(stretched, path, (size_t)head);
    memset(stretched + head, '/', (size_t)more);
    memcpy(stretched + head + more, slash, (size_t)(length - head) + 1);
    return stretched;
}

const char *const *valgrind_words(struct arena *arena, const struct valgrind *valgrind,
                                  enum valgrind_extent extent, const char *folder,
                                  const char *const *words, const char *path)
{
    TARE_ASSERT(words[0] != NULL);
    ptrdiff_t count = 1;
    while (words[count] != NULL) {
        count++;
    }
    const char **all = ARENA_ARRAY(arena, const char *, OPTIONS_MAX + count + 1);
    ptrdiff_t at = 0;
    all[at++] = valgrind->path;
    all[at++] = "--command-line-only=yes"; /* no .valgrindrc, no VALGRIND_OPTS */
    all[at++] = "--vgdb=no";               /* leaves no pipes in /tmp when it is killed */
    all[at++] = arena_printf(arena, "--log-file=%s/log.%%p", folder);
    if (extent == VALGRIND_WHOLE) {
        all[at++] = "--tool=cachegrind";
        all[at++] = "--cache-sim=no";
        all[at++] = "--trace-children=yes";
        all[at++] = arena_printf(arena, "--cachegrind-out-file=%s/out.%%p", folder);
    } else {
        all[at++] = "--tool=callgrind";
        all[at++] = "--instr-atstart=no";
        all[at++] = "--collect-atstart=no";
        all[at++] = arena_printf(arena, "--callgrind-out-file=%s/out.%%p", folder);
    }
    bool is_path = strchr(words[0], '/') != NULL;
    all[at++] = valgrind_stretch_path(arena, is_path || path == NULL ? words[0] : path);
    for (ptrdiff_t i = 1; i < count; i++) {
        all[at++] = words[i];
    }
    return all;
}

static tare_status read_total(const char *path, double *total, struct tare_error *error)
{
    const void *bytes = NULL;
    ptrdiff_t length = 0;
    bool is_there = file_map(path, &bytes, &length);
    bool is_read = is_there && valgrind_out_total(bytes, length, total);
    if (is_there) {
        file_unmap(bytes, length);
    }
    return is_read ? TARE_OK
                   : error_set(error, TARE_ERROR_MEASURE,
                               "Valgrind left no count: it was ended before it could write it, or "
                               "its disk is full");
}

tare_status valgrind_read_part(const char *folder, int64_t pid, int part, double *count,
                               struct tare_error *error)
{
    struct arena scratch = {0};
    const char *path = arena_printf(&scratch, "%s/out.%lld.%d", folder, (long long)pid, part);
    tare_status status = read_total(path, count, error);
    arena_free(&scratch);
    return status;
}

tare_status valgrind_read_whole(const char *folder, double *count, struct tare_error *error)
{
    struct arena scratch = {0};
    struct folder_names names = folder_list(&scratch, folder);
    tare_status status = TARE_OK;
    bool is_any = false;
    *count = 0;
    for (ptrdiff_t i = 0; i < names.count && status == TARE_OK; i++) {
        if (strncmp(names.items[i], "out.", 4) == 0) {
            double total = 0;
            status =
                read_total(arena_printf(&scratch, "%s/%s", folder, names.items[i]), &total, error);
            *count += total;
            is_any = true;
        }
    }
    arena_free(&scratch);
    return status == TARE_OK && !is_any ? read_total("", count, error) : status;
}

const char *valgrind_last_words(struct arena *arena, const struct valgrind *valgrind,
                                const char *folder)
{
    struct arena scratch = {0};
    struct folder_names names = folder_list(&scratch, folder);
    const char *words = "";
    for (ptrdiff_t i = 0; i < names.count && words[0] == '\0'; i++) {
        char *log = NULL;
        ptrdiff_t length = 0;
        struct tare_error ignored = {0};
        const char *path = arena_printf(&scratch, "%s/%s", folder, names.items[i]);
        if (strncmp(names.items[i], "log.", 4) != 0 ||
            file_read(&scratch, path, LOG_BYTES_MAX, &log, &length, &ignored) != TARE_OK) {
            continue;
        }
        /* A first byte of 0x62 is the EVEX prefix, by which AVX-512 is encoded. */
        const char *unknown = strstr(log, "unhandled instruction bytes:");
        if (unknown != NULL) {
            bool is_avx512 =
                strncmp(unknown + strlen("unhandled instruction bytes:"), " 0x62", 5) == 0;
            words =
                arena_printf(arena,
                             "; Valgrind %s does not know %s: count a build without it "
                             "(-mno-avx512f, or a lower -march)",
                             valgrind->version, is_avx512 ? "AVX-512" : "an instruction it uses");
        }
    }
    arena_free(&scratch);
    return words;
}

/* Is the word in the line, between blanks? */
static bool has_word(const char *line, const char *word)
{
    const char *end = line + strcspn(line, "\n");
    size_t length = strlen(word);
    for (const char *at = strstr(line, word); at != NULL && at < end; at = strstr(at + 1, word)) {
        if (at > line && strchr(" \t:", at[-1]) != NULL && strchr(" \t\n", at[length]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Is it among the features that /proc/cpuinfo lists of the first CPU? */
static bool has_feature(const char *cpuinfo, const char *word)
{
    static const char *const titles[] = {"\nflags", "\nFeatures"}; /* x86, ARM */
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        const char *line = strstr(cpuinfo, titles[i]);
        if (line != NULL && has_word(line + 1, word)) {
            return true;
        }
    }
    return false;
}

/* What Valgrind hides from the programs it runs: its CPUID knows nothing beyond AVX2 (seen with
 * 3.19: AVX-512, VAES, VPCLMULQDQ, SHA and GFNI are all off), its ARM nothing beyond NEON. */
static const struct {
    const char *flag;
    const char *name;
    const char *instead; /* NULL: there is no path of that name */
} hidden[] = {
    {"avx512f", "AVX-512", "AVX2"}, {"sve", "SVE", "NEON"}, {"sha_ni", "SHA", NULL},
    {"vaes", "VAES", NULL},         {"gfni", "GFNI", NULL},
};

const char *valgrind_path_note(struct arena *arena, const struct valgrind *valgrind,
                               const char *cpuinfo)
{
    struct buffer names = buffer_new(arena, 256);
    const char *instead = NULL;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (has_feature(cpuinfo, hidden[i].flag)) {
            buffer_printf(&names, "%s%s", names.length > 0 ? ", " : "", hidden[i].name);
            instead = instead == NULL ? hidden[i].instead : instead;
        }
    }
    if (names.length == 0) {
        return NULL;
    }
    if (instead != NULL) {
        return arena_printf(arena,
                            "instructions: counted the %s path; natively, code that looks for it "
                            "would take %s, which Valgrind %s does not have",
                            instead, buffer_string(&names), valgrind->version);
    }
    return arena_printf(
        arena,
        "instructions: counted without %s, which Valgrind %s does not have: code that "
        "looks for it takes another path natively",
        buffer_string(&names), valgrind->version);
}
