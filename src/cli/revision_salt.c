/* revision_salt.c: compiler wrappers that add padding to links; see revision_salt.h. */
#include "cli/revision_salt.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/random.h"
#include "base/text.h"
#include "os/file.h"
#include "os/folder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PADDING_STEP_BYTES =
        16,              /* what compilers align functions to; other steps would be rounded up */
    PADDING_STEPS = 256, /* … to a page of 4 KiB */
    LOG_BYTES_MAX = 16 * 1024 * 1024,
    PATH_PARTS_MAX = 256,
};

/* Compilers whose calls may link; with a target in front ("x86_64-linux-gnu-gcc") or a version
 * behind ("clang-14") they are the same. */
static const char *const compilers[] = {"cc",    "gcc",     "g++", "c++",  "c89",      "c99",
                                        "clang", "clang++", "icx", "icpx", "gfortran", NULL};
/* Linkers: only noted, as their arguments follow no common rule. */
static const char *const linkers[] = {"ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "mold", NULL};

/* The mark in the program's read-only data; salt_is_in looks for it. */
static const char MARK[] = "tare-layout=%03d;";

static tare_status write_padding(struct arena *arena, const char *folder, int layout,
                                 struct tare_error *error);
static tare_status write_wrappers(struct arena *arena, const char *folder, const char *path,
                                  struct tare_error *error);
static tare_status wrap_variable(struct arena *arena, const char *folder, const char *name,
                                 struct environment *environment, struct tare_error *error);

tare_status salt_prepare(struct arena *arena, const char *folder, int layout,
                         struct environment *environment, struct tare_error *error)
{
    TARE_ASSERT(layout >= 1 && layout <= SALT_LAYOUT_MAX);
    const char *path = getenv("PATH");
    path = path != NULL ? path : "/usr/bin:/bin";
    const char *wrappers = arena_printf(arena, "%s/bin", folder);
    if (strchr(folder, ':') != NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "layouts cannot be varied in %s: PATH cannot hold a folder with a colon",
                         text_printable(arena, folder, 0));
    }
    tare_status status = file_make_directories(wrappers, error);
    if (status == TARE_OK) {
        status = write_padding(arena, folder, layout, error);
    }
    if (status == TARE_OK) {
        status = write_wrappers(arena, folder, path, error);
    }
    environment_set(environment, "PATH", arena_printf(arena, "%s:%s", wrappers, path));
    static const char *const variables[] = {"CC", "CXX", "FC"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && status == TARE_OK; i++) {
        status = wrap_variable(arena, folder, variables[i], environment, error);
    }
    return status;
}

/* Portable assembler: no instruction, only sections. "R" keeps them through --gc-sections. Each
 * kind of code section that linkers sort by name gets its own padding. */
static tare_status write_padding(struct arena *arena, const char *folder, int layout,
                                 struct tare_error *error)
{
    static const struct {
        const char *name;
        const char *flags;
        const char *type;
    } sections[] = {
        {".text.unlikely.tare", "axR", "progbits"},
        {".text.startup.tare", "axR", "progbits"},
        {".text.hot.tare", "axR", "progbits"},
        {".text.tare", "axR", "progbits"},
        {".rodata.tare", "aR", "progbits"},
        {".data.tare", "awR", "progbits"},
        {".bss.tare", "awR", "nobits"},
    };
    struct random random = random_seeded((uint64_t)layout);
    struct buffer text = buffer_new(arena, BUFFER_LENGTH_MAX);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        unsigned padding_bytes =
            (unsigned)random_below(&random, PADDING_STEPS) * (unsigned)PADDING_STEP_BYTES;
        buffer_printf(&text, "\t.section %s,\"%s\",%%%s\n\t.balign 16\n", sections[i].name,
                      sections[i].flags, sections[i].type);
        if (strcmp(sections[i].name, ".rodata.tare") == 0) {
            buffer_printf(&text, "\t.ascii \"");
            buffer_printf(&text, MARK, layout);
            buffer_printf(&text, "\"\n\t.balign 16\n");
        }
        buffer_printf(&text, "\t.skip %u\n", padding_bytes);
    }
    buffer_text(&text, "\t.section .note.GNU-stack,\"\",%progbits\n");
    return file_write(arena_printf(arena, "%s/padding.s", folder), text.data, text.length, error);
}

/* What a call of the compiler does is decided by its words, as the compiler itself does. `skip`:
 * the next word belongs to this one. Passed through: calls that stop before linking, that make an
 * object of objects, that only ask the compiler something, and precompiled headers. */
static const char WRAPPER_RULES[] =
    "# Sets PATH as it was without the wrappers, then runs the compiler, with padding when it "
    "links.\n"
    "path=:$PATH:\n"
    "case $path in *\":$bin:\"*)\n"
    "    path=${path%%\":$bin:\"*}:${path#*\":$bin:\"}; path=${path#:}; PATH=${path%:}\n"
    "esac\n"
    "if [ \"$kind\" = linker ]; then\n"
    "    notes=yes\n"
    "    for word do\n"
    "        case $word in\n"
    "        -v|-V|--version|--help|-r|-i|--relocatable) notes=no ;;\n"
    "        esac\n"
    "    done\n"
    "    [ $notes = no ] || echo \"unsalted $name called past the wrappers\" >>\"$salt/links\"\n"
    "    exec \"$real\" \"$@\"\n"
    "fi\n"
    "links=yes inputs=no skip=no target='' key=''\n"
    "for word do\n"
    "    if [ $skip = target ]; then\n"
    "        target=\"-target $word\" key=$key-$word skip=no; continue\n"
    "    elif [ $skip = yes ]; then\n"
    "        skip=no; continue\n"
    "    fi\n"
    "    case $word in\n"
    "    -c|-S|-E|-M|-MM|-r|-fsyntax-only|-'###'|--version|--help*|-dump*|-print-*|--print-*|\\\n"
    "    -cc1*|--analyze|-Wl,-r|-Wl,-r,*|-Wl,--relocatable*|-Wl,-i) links=no ;;\n"
    "    -o|-x|-I|-L|-D|-U|-l|-u|-z|-T|-e|-B|-A|-include|-imacros|-isystem|-iquote|-idirafter|\\\n"
    "    -isysroot|-iprefix|-MF|-MT|-MQ|-Xlinker|-Xassembler|-Xpreprocessor|-Xclang|-mllvm|\\\n"
    "    --param|-arch|-framework|-wrapper|-aux-info|-gcc-toolchain|-J|-G|-soname|-h)\n"
    "        skip=yes ;;\n"
    "    -target) skip=target ;;\n"
    "    -m32|-m64|-mx32|--target=*|--sysroot=*|-mabi=*|-mfloat-abi=*)\n"
    "        case $word in *[!A-Za-z0-9_=./-]*) ;; *) target=\"$target $word\" key=$key$word ;; "
    "esac ;;\n"
    "    -) inputs=yes ;;\n"
    "    -*) ;;\n"
    "    @*) inputs=yes\n"
    "        if tr -s ' \\t' '\\n\\n' <\"${word#@}\" 2>/dev/null |\n"
    "            grep -qxE -e '-c|-S|-E|-M|-MM|-r|-fsyntax-only'; then links=no; fi ;;\n"
    "    *.h|*.hh|*.hpp|*.hxx|*.H|*.h++) links=no ;;\n"
    "    *) inputs=yes ;;\n"
    "    esac\n"
    "done\n"
    "if [ $links = no ] || [ $inputs = no ]; then\n"
    "    exec \"$real\" \"$@\"\n"
    "fi\n"
    "key=$(printf %s \"$name$key\" | tr -c 'A-Za-z0-9+_.-' _)\n"
    "object=$salt/padding-$key.o\n"
    "if [ ! -s \"$object\" ]; then\n"
    "    # shellcheck disable=SC2086 # a list of words without blanks\n"
    "    \"$real\" $target -c -o \"$object.$$\" \"$salt/padding.s\" >/dev/null 2>&1 &&\n"
    "        mv -f \"$object.$$\" \"$object\" || {\n"
    "        rm -f \"$object.$$\"\n"
    "        echo \"unsalted $name cannot assemble the padding\" >>\"$salt/links\"\n"
    "        exec \"$real\" \"$@\"\n"
    "    }\n"
    "fi\n"
    "echo \"salted $name\" >>\"$salt/links\"\n"
    "exec \"$real\" \"$object\" \"$@\"\n";

/* In single quotes, for the shell. */
static const char *shell_quoted(struct arena *arena, const char *text)
{
    struct buffer quoted = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_char(&quoted, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            buffer_text(&quoted, "'\\''");
        } else {
            buffer_char(&quoted, *text);
        }
    }
    buffer_char(&quoted, '\'');
    return buffer_string(&quoted);
}

struct wrapper {
    const char *salt;   /* folder of padding, rules and log */
    const char *folder; /* to write it to */
    const char *name;
    const char *real; /* full path of the program behind */
    bool is_linker;
};

static tare_status write_wrapper(struct arena *arena, const struct wrapper *wrapper,
                                 struct tare_error *error)
{
    const char *path = arena_printf(arena, "%s/%s", wrapper->folder, wrapper->name);
    const char *text = arena_printf(
        arena,
        "#!/bin/sh\n# Written by tare for a salted link; calls the program named below.\n"
        "salt=%s bin=%s name=%s kind=%s\nreal=%s\n. \"$salt/rules.sh\"\n",
        shell_quoted(arena, wrapper->salt),
        shell_quoted(arena, arena_printf(arena, "%s/bin", wrapper->salt)),
        shell_quoted(arena, wrapper->name), wrapper->is_linker ? "linker" : "compiler",
        shell_quoted(arena, wrapper->real));
    tare_status status = file_write(path, text, (ptrdiff_t)strlen(text), error);
    return status == TARE_OK ? folder_make_executable(path, error) : status;
}

static bool is_listed(const char *const *list, const char *name, size_t length)
{
    for (; *list != NULL; list++) {
        if (strlen(*list) == length && strncmp(*list, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* "gcc", "x86_64-linux-gnu-g++-12", "clang-14". */
static bool is_compiler(const char *name)
{
    size_t length = strlen(name);
    size_t digits = length;
    while (digits > 0 && (isdigit((unsigned char)name[digits - 1]) || name[digits - 1] == '.')) {
        digits--;
    }
    if (digits > 1 && digits < length && name[digits - 1] == '-') {
        length = digits - 1;
    }
    size_t start = length;
    while (start > 0 && name[start - 1] != '-') {
        start--;
    }
    return is_listed(compilers, name + start, length - start);
}

static tare_status wrap_folder(struct arena *arena, const char *salt, const char *folder,
                               struct tare_error *error)
{
    const char *bin = arena_printf(arena, "%s/bin", salt);
    const struct folder_names names = folder_list(arena, folder);
    for (ptrdiff_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        bool is_linker = is_listed(linkers, name, strlen(name));
        const char *real = arena_printf(arena, "%s/%s", folder, name);
        /* The first folder of PATH that has it wins. */
        if ((!is_linker && !is_compiler(name)) || !folder_is_program(real) ||
            file_exists(arena_printf(arena, "%s/%s", bin, name))) {
            continue;
        }
        const struct wrapper wrapper = {
            .salt = salt, .folder = bin, .name = name, .real = real, .is_linker = is_linker};
        tare_status status = write_wrapper(arena, &wrapper, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}

static tare_status write_wrappers(struct arena *arena, const char *folder, const char *path,
                                  struct tare_error *error)
{
    tare_status status = file_write(arena_printf(arena, "%s/rules.sh", folder), WRAPPER_RULES,
                                    (ptrdiff_t)strlen(WRAPPER_RULES), error);
    int count = 0;
    for (const char *part = path; part != NULL && count < PATH_PARTS_MAX && status == TARE_OK;
         count++) {
        const char *colon = strchr(part, ':');
        ptrdiff_t length = colon != NULL ? colon - part : (ptrdiff_t)strlen(part);
        /* Relative folders mean something else in the worktree: left alone. */
        if (length > 0 && part[0] == '/') {
            status = wrap_folder(arena, folder, arena_strndup(arena, part, length), error);
        }
        part = colon != NULL ? colon + 1 : NULL;
    }
    return status;
}

/* CC=/opt/bin/gcc or CC="/opt/bin/gcc -m32" get a wrapper of their own; a bare name is found in
 * PATH anyway, and so is the compiler behind "ccache gcc". */
static tare_status wrap_variable(struct arena *arena, const char *folder, const char *name,
                                 struct environment *environment, struct tare_error *error)
{
    const char *value = getenv(name);
    /* Makefiles split the value at blanks, so a wrapper's path must not have any. */
    if (value == NULL || value[0] != '/' || strpbrk(folder, " \t\n") != NULL) {
        return TARE_OK;
    }
    ptrdiff_t length = (ptrdiff_t)strcspn(value, " \t\n");
    const char *real = arena_strndup(arena, value, length);
    if (!folder_is_program(real)) {
        return TARE_OK;
    }
    const struct wrapper wrapper = {.salt = folder,
                                    .folder = arena_printf(arena, "%s/%s", folder, name),
                                    .name = strrchr(real, '/') + 1,
                                    .real = real};
    tare_status status = file_make_directories(wrapper.folder, error);
    if (status == TARE_OK) {
        status = write_wrapper(arena, &wrapper, error);
    }
    environment_set(environment, name,
                    arena_printf(arena, "%s/%s%s", wrapper.folder, wrapper.name, value + length));
    return status;
}

struct salt_links salt_count(struct arena *arena, const char *folder)
{
    struct salt_links links = {0};
    char *text = NULL;
    ptrdiff_t length = 0;
    if (file_read(arena, arena_printf(arena, "%s/links", folder), LOG_BYTES_MAX, &text, &length,
                  NULL) != TARE_OK) {
        return links;
    }
    for (const char *line = text; *line != '\0';) {
        links.salted += text_starts_with(line, "salted ");
        links.unsalted += text_starts_with(line, "unsalted ");
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return links;
}

bool salt_is_in(const char *program, int layout)
{
    char mark[sizeof MARK + 8];
    int length = snprintf(mark, sizeof mark, MARK, layout);
    const void *bytes;
    ptrdiff_t size;
    if (!file_map(program, &bytes, &size)) {
        return false;
    }
    bool is_there = memmem(bytes, (size_t)size, mark, (size_t)length) != NULL;
    file_unmap(bytes, size);
    return is_there;
}
