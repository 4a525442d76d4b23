/* Revisions as files: real repositories made for the test, in a folder whose name has a blank,
 * quotes and a newline. What the user has must be the same before and after, to the time of the
 * index. */
#include "os/worktree.h"

#include "os/file.h"
#include "os/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct tare_error error;
    char *folder; /* all of it */
    char *user;   /* the user's repository */
    struct worktree_repository repository;
    char *tree; /* where files are written */
};

/* Runs a line in the user's repository, with $F the folder around it. */
static void shell(struct fixture *fixture, const char *line)
{
    setenv("F", fixture->folder, 1);
    setenv("U", fixture->user, 1);
    char *full = arena_printf(&fixture->arena, "set -e; cd \"$U\"; %s", line);
    if (system(full) != 0) {
        fail_msg("failed: %s", line);
    }
}

static char *content(struct fixture *fixture, const char *folder, const char *name)
{
    return file_read_line(&fixture->arena, arena_printf(&fixture->arena, "%s/%s", folder, name));
}

/* Everything about the repository that must not change. */
static const char FACTS[] =
    "export GIT_OPTIONAL_LOCKS=0; git rev-parse HEAD; git symbolic-ref -q HEAD || true; git "
    "for-each-ref; git stash list; "
    "git worktree list; git status --porcelain --ignored=no; stat -c '%y %i %s' .git/index; "
    "find .git -type f | sort; git count-objects; cat .git/config";

static char *facts(struct fixture *fixture)
{
    shell(fixture, arena_printf(&fixture->arena, "{ %s; } > \"$F/facts\" 2>&1", FACTS));
    char *text = NULL;
    ptrdiff_t length = 0;
    assert_int_equal(file_read(&fixture->arena,
                               arena_printf(&fixture->arena, "%s/facts", fixture->folder), 1 << 20,
                               &text, &length, NULL),
                     TARE_OK);
    return text;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    char folder[] = "/tmp/tare-test-worktree-XXXXXX";
    assert_non_null(mkdtemp(folder));
    fixture->folder = arena_strdup(&fixture->arena, folder);
    fixture->user = arena_printf(&fixture->arena, "%s/a \"b\" 'c'\nd\\e", folder);
    fixture->tree = arena_printf(&fixture->arena, "%s/tree \"x\"\ny", folder);
    fixture->repository.objects = NULL;
    /* Neither the machine's nor the user's configuration shows; no name is known. */
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    setenv("HOME", folder, 1);
    unsetenv("GIT_DIR");
    assert_int_equal(file_make_directories(fixture->user, &fixture->error), TARE_OK);
    assert_int_equal(
        file_make_directories(arena_printf(&fixture->arena, "%s/objects", folder), NULL), TARE_OK);
    shell(fixture,
          "git init -q -b main .; printf 'one\\n' > file; printf 'ignored\\n' > .gitignore; "
          "mkdir -p sub; printf 'in sub\\n' > sub/inner; ln -s file link; "
          "printf '#!/bin/sh\\n' > run; chmod +x run; git add -A; "
          "GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=T "
          "GIT_COMMITTER_EMAIL=t git commit -q -m first; git tag v1; "
          /* Every hook that could run, and settings that ask for a signature. */
          "for h in post-checkout pre-commit post-index-change post-commit; do "
          "printf '#!/bin/sh\\ntouch \"%s/hooked\"\\nexit 1\\n' \"$F\" > .git/hooks/$h; "
          "chmod +x .git/hooks/$h; done; git config commit.gpgSign true; "
          "git config core.splitIndex false; git config user.useConfigOnly true");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(folder_remove(fixture->folder, NULL), TARE_OK);
    assert_false(file_exists(fixture->folder));
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static void open_user(struct fixture *fixture)
{
    tare_status status =
        worktree_open(&fixture->arena, fixture->user, &fixture->repository, &fixture->error);
    assert_string_equal(fixture->error.message, "");
    assert_int_equal(status, TARE_OK);
    fixture->repository.objects = arena_printf(&fixture->arena, "%s/objects", fixture->folder);
}

static void write_tree(struct fixture *fixture, const struct worktree_commit *commit,
                       const char **warning)
{
    error_clear(&fixture->error);
    tare_status status = worktree_write(&fixture->arena, &fixture->repository, commit,
                                        fixture->tree, warning, &fixture->error);
    assert_string_equal(fixture->error.message, "");
    assert_int_equal(status, TARE_OK);
}

/* Goal: a dirty working tree is written as it is, and nothing of the user's changes. Method:
 * staged, unstaged, untracked, ignored and deleted files; a stash; hooks that would leave a trace.
 */
static void test_record_leaves_no_trace(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture, "echo stashed > file; GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=T "
                   "GIT_COMMITTER_EMAIL=t git -c core.hooksPath=/dev/null stash -q; "
                   "echo two > file; echo new > untracked; echo staged > staged; "
                   "git -c core.hooksPath=/dev/null add staged; echo x > ignored; rm sub/inner; "
                   "rm -f \"$F/hooked\"");
    char *before = facts(fixture);
    struct worktree_commit commit;
    const char *warning;
    open_user(fixture);
    assert_int_equal(
        worktree_record(&fixture->arena, &fixture->repository, &commit, &fixture->error), TARE_OK);
    assert_true(commit.is_dirty);
    assert_true(commit.is_working_tree);
    assert_string_equal(commit.name, "working tree");
    write_tree(fixture, &commit, &warning);
    assert_null(warning);
    assert_string_equal(content(fixture, fixture->tree, "file"), "two");
    assert_string_equal(content(fixture, fixture->tree, "untracked"), "new");
    assert_string_equal(content(fixture, fixture->tree, "staged"), "staged");
    assert_null(content(fixture, fixture->tree, "ignored"));
    assert_null(content(fixture, fixture->tree, "sub/inner"));
    assert_true(folder_is_program(arena_printf(&fixture->arena, "%s/run", fixture->tree)));
    assert_string_equal(facts(fixture), before);
    assert_false(file_exists(arena_printf(&fixture->arena, "%s/hooked", fixture->folder)));
    /* The same content is the same commit; a change is another. */
    struct worktree_commit again;
    assert_int_equal(worktree_record(&fixture->arena, &fixture->repository, &again, NULL), TARE_OK);
    assert_string_equal(again.hash, commit.hash);
    shell(fixture, "echo three > file");
    assert_int_equal(worktree_record(&fixture->arena, &fixture->repository, &again, NULL), TARE_OK);
    assert_string_not_equal(again.hash, commit.hash);
}

/* Goal: a file changed without a change of size or (as far as its time tells) of date is seen.
 * Method: write, add, and write again within the tick of the index's time. */
static void test_record_sees_racy_change(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture, "echo aaa > file; git -c core.hooksPath=/dev/null add file; echo bbb > file; "
                   "touch -r .git/index file");
    struct worktree_commit commit;
    const char *warning;
    open_user(fixture);
    assert_int_equal(worktree_record(&fixture->arena, &fixture->repository, &commit, NULL),
                     TARE_OK);
    write_tree(fixture, &commit, &warning);
    assert_string_equal(content(fixture, fixture->tree, "file"), "bbb");
}

/* Goal: a clean working tree is HEAD itself, so that both share one build. */
static void test_record_clean(void **state)
{
    struct fixture *fixture = *state;
    struct worktree_commit commit;
    struct worktree_commit head;
    open_user(fixture);
    assert_int_equal(worktree_record(&fixture->arena, &fixture->repository, &commit, NULL),
                     TARE_OK);
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, "HEAD", &head, NULL),
                     TARE_OK);
    assert_false(commit.is_dirty);
    assert_string_equal(commit.hash, head.hash);
    assert_string_equal(commit.tree, head.tree);
}

/* Goal: git inside the written folder knows commit, tag and state, and reaches nothing else.
 * Method: describe, status, and commands that would destroy the user's files if they found them. */
static void test_folder_is_its_own_repository(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture, "echo precious > untracked; echo changed > file");
    struct worktree_commit commit;
    const char *warning;
    open_user(fixture);
    /* Below the user's root, as the cache is. */
    fixture->tree = arena_printf(&fixture->arena, "%s/.git/../ignored/tree", fixture->user);
    shell(fixture, "mkdir ignored");
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, "v1", &commit, NULL),
                     TARE_OK);
    assert_true(strncmp(commit.name, "v1@", 3) == 0);
    char *before = facts(fixture);
    write_tree(fixture, &commit, &warning);
    assert_string_equal(facts(fixture), before);
    shell(fixture, "cd ignored/tree; test \"$(git describe --tags)\" = v1; "
                   "test -z \"$(git status --porcelain)\"; "
                   "test \"$(git rev-parse HEAD)\" = \"$(git -C \"$U\" rev-parse v1)\"; "
                   "echo rubbish > rubbish; echo z > file; git clean -qfdx; git checkout -q -f .; "
                   "git reset -q --hard; test \"$(cat file)\" = one; test ! -e rubbish; "
                   "git log -p > /dev/null; git fsck > /dev/null 2>&1");
    shell(fixture, "test \"$(cat untracked)\" = precious; test \"$(cat file)\" = changed");
}

/* Goal: variables that a hook sets do not lead git astray. */
static void test_bound_variables(void **state)
{
    struct fixture *fixture = *state;
    struct worktree_commit commit;
    setenv("GIT_DIR", "/nonexistent", 1);
    setenv("GIT_INDEX_FILE", "/nonexistent/index", 1);
    open_user(fixture);
    tare_status status = worktree_record(&fixture->arena, &fixture->repository, &commit, NULL);
    unsetenv("GIT_DIR");
    unsetenv("GIT_INDEX_FILE");
    assert_int_equal(status, TARE_OK);
    assert_false(commit.is_dirty);
}

static void expect_unknown(struct fixture *fixture, const char *revision, const char *text)
{
    struct worktree_commit commit;
    error_clear(&fixture->error);
    assert_int_equal(
        worktree_resolve(&fixture->arena, &fixture->repository, revision, &commit, &fixture->error),
        TARE_ERROR_USAGE);
    if (strstr(fixture->error.message, text) == NULL) {
        fail_msg("no \"%s\" in \"%s\"", text, fixture->error.message);
    }
}

/* Goal: every wrong name is a mistake of usage, with a way on. */
static void test_unknown_revisions(void **state)
{
    struct fixture *fixture = *state;
    open_user(fixture);
    expect_unknown(fixture, "mian", "did you mean \"main\"");
    expect_unknown(fixture, "nothing-like-it", "git branch -a");
    expect_unknown(fixture, "HEAD~7", "no revision");
    expect_unknown(fixture, "v1:file", "no commit");
    expect_unknown(fixture, "", "cannot be");
    expect_unknown(fixture, "--all", "cannot be");
    expect_unknown(fixture, "a\nb\033[2J", "a\\nb\\x1b");
    expect_unknown(fixture, "0123456789012345678901234567890123456789", "no");
    shell(fixture, "git update-ref refs/remotes/origin/release HEAD");
    expect_unknown(fixture, "release", "did you mean \"origin/release\"");
}

/* Goal: hash, branch, detached HEAD and relative names give the commit and a name for people. */
static void test_names(void **state)
{
    struct fixture *fixture = *state;
    struct worktree_commit commit;
    shell(fixture, "git -c core.hooksPath=/dev/null checkout -q --detach");
    open_user(fixture);
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, "HEAD", &commit, NULL),
                     TARE_OK);
    assert_int_equal(strlen(commit.hash), 40);
    assert_int_equal(strlen(commit.name), strlen("HEAD@") + 7);
    char *digits = arena_strndup(&fixture->arena, commit.hash, 9);
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, digits, &commit, NULL),
                     TARE_OK);
    assert_int_equal(strlen(commit.name), 7);
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, "main", &commit, NULL),
                     TARE_OK);
    assert_true(strncmp(commit.name, "main@", 5) == 0);
}

/* Goal: a shallow clone says what to fetch. */
static void test_shallow(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture,
          "GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t "
          "git -c core.hooksPath=/dev/null -c commit.gpgSign=false commit -q --allow-empty "
          "-m second; ln -s \"$U\" \"$F/source\"; "
          "git clone -q --depth 1 \"file://$F/source\" \"$F/clone\"");
    fixture->user = arena_printf(&fixture->arena, "%s/clone", fixture->folder);
    open_user(fixture);
    assert_true(fixture->repository.is_shallow);
    expect_unknown(fixture, "HEAD~1", "git fetch --unshallow");
    /* And what is there can be written, with a log that ends where the clone does. */
    struct worktree_commit commit;
    const char *warning;
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, "HEAD", &commit, NULL),
                     TARE_OK);
    write_tree(fixture, &commit, &warning);
    setenv("T", fixture->tree, 1);
    shell(fixture, "cd \"$T\"; test \"$(git log --oneline | wc -l)\" = 1");
}

/* Goal: no repository, no folder, inside .git, an unborn branch, a bare repository. */
static void test_odd_repositories(void **state)
{
    struct fixture *fixture = *state;
    struct worktree_commit commit;
    struct worktree_repository *repository = &fixture->repository;
    assert_int_equal(worktree_open(&fixture->arena, fixture->folder, repository, &fixture->error),
                     TARE_ERROR_USAGE);
    assert_non_null(strstr(fixture->error.message, "no git repository"));
    error_clear(&fixture->error);
    assert_int_equal(worktree_open(&fixture->arena, "/nonexistent", repository, &fixture->error),
                     TARE_ERROR_USAGE);
    assert_non_null(strstr(fixture->error.message, "no folder"));
    error_clear(&fixture->error);
    assert_int_equal(worktree_open(&fixture->arena,
                                   arena_printf(&fixture->arena, "%s/.git", fixture->user),
                                   repository, &fixture->error),
                     TARE_ERROR_USAGE);
    error_clear(&fixture->error);
    shell(fixture, "git init -q -b main \"$F/unborn\"; echo 1 > \"$F/unborn/a\"; "
                   "git clone -q --bare . \"$F/bare\"");
    fixture->user = arena_printf(&fixture->arena, "%s/unborn", fixture->folder);
    open_user(fixture);
    expect_unknown(fixture, "HEAD", "no commit yet");
    error_clear(&fixture->error);
    assert_int_equal(worktree_record(&fixture->arena, repository, &commit, &fixture->error),
                     TARE_OK);
    assert_true(commit.is_dirty);
    fixture->user = arena_printf(&fixture->arena, "%s/bare", fixture->folder);
    open_user(fixture);
    assert_null(repository->root);
    assert_int_equal(worktree_record(&fixture->arena, repository, &commit, &fixture->error),
                     TARE_ERROR_USAGE);
    error_clear(&fixture->error);
    const char *warning;
    assert_int_equal(worktree_resolve(&fixture->arena, repository, "main", &commit, NULL), TARE_OK);
    write_tree(fixture, &commit, &warning);
    assert_string_equal(content(fixture, fixture->tree, "file"), "one");
}

/* Goal: submodules come from the checkout, at the recorded commit; a missing one and changes inside
 * are said. */
static void test_submodules(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture, "export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=T "
                   "GIT_COMMITTER_EMAIL=t; git init -q \"$F/lib\"; echo lib > \"$F/lib/l\"; "
                   "git -C \"$F/lib\" add l; git -C \"$F/lib\" commit -q -m lib; "
                   "git -c core.hooksPath=/dev/null -c protocol.file.allow=always submodule -q add "
                   "\"$F/lib\" deps/lib; git -c core.hooksPath=/dev/null -c commit.gpgSign=false "
                   "commit -q -m sub");
    struct worktree_commit commit;
    const char *warning;
    open_user(fixture);
    assert_int_equal(worktree_record(&fixture->arena, &fixture->repository, &commit, NULL),
                     TARE_OK);
    assert_false(commit.is_dirty);
    write_tree(fixture, &commit, &warning);
    assert_null(warning);
    assert_string_equal(content(fixture, fixture->tree, "deps/lib/l"), "lib");
    shell(fixture, "echo changed > deps/lib/l");
    fixture->tree = arena_printf(&fixture->arena, "%s/second", fixture->folder);
    write_tree(fixture, &commit, &warning);
    assert_non_null(strstr(warning, "not taken along: deps/lib"));
    shell(fixture, "rm -rf deps/lib .git/modules; mkdir deps/lib");
    fixture->tree = arena_printf(&fixture->arena, "%s/third", fixture->folder);
    assert_int_equal(worktree_resolve(&fixture->arena, &fixture->repository, "HEAD", &commit, NULL),
                     TARE_OK);
    write_tree(fixture, &commit, &warning);
    assert_non_null(strstr(warning, "git submodule update"));
    assert_non_null(strstr(warning, "deps/lib"));
}

/* Goal: line endings and filters of the repository count, and a filter that fails is said. */
static void test_filters(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture,
          "git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; "
          "git config core.autocrlf input; git config core.safecrlf true; "
          "echo '*.up filter=up' > .gitattributes; echo word > a.up; printf 'a\\r\\n' > crlf");
    struct worktree_commit commit;
    const char *warning;
    open_user(fixture);
    assert_int_equal(
        worktree_record(&fixture->arena, &fixture->repository, &commit, &fixture->error), TARE_OK);
    write_tree(fixture, &commit, &warning);
    assert_string_equal(content(fixture, fixture->tree, "a.up"), "word");
    shell(fixture, "git config filter.up.smudge false; git config filter.up.required true");
    fixture->tree = arena_printf(&fixture->arena, "%s/second", fixture->folder);
    assert_int_equal(worktree_write(&fixture->arena, &fixture->repository, &commit, fixture->tree,
                                    &warning, &fixture->error),
                     TARE_ERROR_MEASURE);
    assert_non_null(strstr(fixture->error.message, "filter"));
}

/* Goal: a linked worktree and a sparse checkout of the user's give all the files. */
static void test_linked_and_sparse(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture,
          "git -c core.hooksPath=/dev/null worktree add -q --detach \"$F/linked\"; "
          "cd \"$F/linked\"; git -c core.hooksPath=/dev/null sparse-checkout set --no-cone "
          "/file; test ! -e sub/inner; echo two > file");
    fixture->user = arena_printf(&fixture->arena, "%s/linked", fixture->folder);
    struct worktree_commit commit;
    const char *warning;
    open_user(fixture);
    assert_int_equal(
        worktree_record(&fixture->arena, &fixture->repository, &commit, &fixture->error), TARE_OK);
    write_tree(fixture, &commit, &warning);
    assert_string_equal(content(fixture, fixture->tree, "file"), "two");
    assert_string_equal(content(fixture, fixture->tree, "sub/inner"), "in sub");
}

/* Goal: a lock excludes, a shared one does not, a removed lock file is no lock. */
static void test_locks(void **state)
{
    struct fixture *fixture = *state;
    char *path = arena_printf(&fixture->arena, "%s/lock", fixture->folder);
    int a = -1;
    int b = -1;
    int c = -1;
    assert_int_equal(folder_lock_try(path, FOLDER_LOCK_SHARED, &a, NULL), TARE_OK);
    assert_int_equal(folder_lock_try(path, FOLDER_LOCK_SHARED, &b, NULL), TARE_OK);
    assert_true(a >= 0 && b >= 0);
    assert_int_equal(folder_lock_try(path, FOLDER_LOCK_EXCLUSIVE, &c, NULL), TARE_OK);
    assert_int_equal(c, -1);
    folder_unlock(a);
    folder_unlock(b);
    assert_int_equal(folder_lock_try(path, FOLDER_LOCK_EXCLUSIVE, &c, NULL), TARE_OK);
    assert_true(c >= 0);
    assert_int_equal(folder_lock_try(path, FOLDER_LOCK_SHARED, &a, NULL), TARE_OK);
    assert_int_equal(a, -1);
    assert_int_equal(folder_remove(path, NULL), TARE_OK);
    assert_int_equal(folder_lock_try(path, FOLDER_LOCK_EXCLUSIVE, &a, NULL), TARE_OK);
    assert_true(a >= 0);
    folder_unlock(a);
    folder_unlock(c);
    assert_int_equal(folder_lock_try("/nonexistent/lock", FOLDER_LOCK_SHARED, &a, NULL),
                     TARE_ERROR_IO);
}

/* Goal: removal takes write-protected folders and does not follow links. */
static void test_remove(void **state)
{
    struct fixture *fixture = *state;
    shell(fixture, "mkdir -p \"$F/gone/a/b\" \"$F/stays\"; echo 1 > \"$F/stays/x\"; "
                   "echo 1 > \"$F/gone/a/b/c\"; ln -s \"$F/stays\" \"$F/gone/a/l\"; "
                   "chmod 500 \"$F/gone/a/b\" \"$F/gone/a\"");
    char *gone = arena_printf(&fixture->arena, "%s/gone", fixture->folder);
    assert_int_equal(folder_discard(gone, &fixture->error), TARE_OK);
    shell(fixture,
          "test ! -e \"$F/gone\"; test -e \"$F/stays/x\"; test -z \"$(ls -d \"$F\"/*.old-* "
          "2>/dev/null)\"");
    assert_int_equal(folder_remove(gone, &fixture->error), TARE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_record_leaves_no_trace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_record_sees_racy_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_record_clean, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folder_is_its_own_repository, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound_variables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_revisions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shallow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_repositories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_submodules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_filters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_and_sparse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_locks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_remove, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
