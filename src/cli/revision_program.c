/* revision_program.c: which program of a built worktree is meant, and is it really its own. */
#include "base/assert.h"
#include "base/text.h"
#include "cli/revision.h"
#include "os/file.h"
#include "os/folder.h"

#include <string.h>

static bool is_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

tare_status revision_program(struct arena *arena, const struct revision *revision,
                             const char *program, const char **path, struct tare_error *error)
{
    const char *shown = text_printable(arena, program, 0);
    if (program[0] != '/' && strchr(program, '/') == NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "\"%s\" would be looked up in PATH and be the same program on both sides; "
                         "for the one in the worktree write ./%s",
                         shown, shown);
    }
    if (program[0] == '/' && !is_inside(program, revision->root)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s is the same program on both sides: give its path relative to where "
                         "the build runs",
                         shown);
    }
    const char *full = program[0] == '/'
                           ? arena_strdup(arena, program)
                           : arena_printf(arena, "%s/%s", revision->directory,
                                          text_starts_with(program, "./") ? program + 2 : program);
    const char *real = folder_real_path(arena, full);
    const char *real_root = folder_real_path(arena, revision->root);
    if (real == NULL && !revision->has_build) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "%s has no %s, and no build line was given that would make it: say --build "
            "LINE, or build: in tare.yaml",
            revision->name, shown);
    }
    if (real == NULL) {
        const char *head = arena_printf(
            arena, "the build of %s made no %s (looked for %s; the build's output: %s)",
            revision->name, shown, full, revision->log);
        /* Some room for the mark of a cut. */
        ptrdiff_t room = ERROR_MESSAGE_MAX - (ptrdiff_t)strlen(head) - 32;
        return error_set(error, TARE_ERROR_MEASURE, "%s%s", head,
                         revision_log_tail(arena, revision->log, room));
    }
    if (real_root == NULL || !is_inside(real, real_root)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s of %s leads out of its worktree, to %s: both sides would run the same",
                         shown, revision->name, real);
    }
    if (!folder_is_program(real)) {
        return error_set(error, TARE_ERROR_MEASURE, "%s of %s is not an executable file", shown,
                         revision->name);
    }
    if (revision->layout > 0 && !salt_is_in(real, revision->layout)) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "%s of %s was not linked by a compiler found in PATH (cc, gcc, clang, … "
                         "or $CC), so its layout was not varied: drop --layouts, or let the build "
                         "find its compiler in PATH",
                         shown, revision->name);
    }
    *path = full;
    return TARE_OK;
}

struct model_commit revision_commit(const struct revision *revision)
{
    return (struct model_commit){.is_known = !revision->commit.is_working_tree,
                                 .hash = revision->hash,
                                 .branch = "",
                                 .subject = ""};
}

bool revision_is_same_program(const char *a, const char *b)
{
    const void *bytes[2] = {NULL, NULL};
    ptrdiff_t lengths[2] = {0, 0};
    bool has_a = file_map(a, &bytes[0], &lengths[0]);
    bool has_b = file_map(b, &bytes[1], &lengths[1]);
    bool is_same = has_a && has_b && lengths[0] == lengths[1] &&
                   memcmp(bytes[0], bytes[1], (size_t)lengths[0]) == 0;
    if (has_a) {
        file_unmap(bytes[0], lengths[0]);
    }
    if (has_b) {
        file_unmap(bytes[1], lengths[1]);
    }
    return is_same;
}

char *revision_stage_text(struct arena *arena, enum revision_stage stage, const char *name,
                          int layout)
{
    static const char *const texts[REVISION_STAGES] = {
        [REVISION_CACHED] = "built before:",
        [REVISION_WAITING] = "waiting for another tare that builds",
        [REVISION_WRITING] = "checking out",
        [REVISION_BUILDING] = "building",
    };
    TARE_ASSERT(stage < REVISION_STAGES);
    return layout > 0 ? arena_printf(arena, "%s %s, layout %d", texts[stage], name, layout)
                      : arena_printf(arena, "%s %s", texts[stage], name);
}
