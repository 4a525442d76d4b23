/* What git says about a folder: real repositories made for the test, and git's answers taken apart.
 */
#include "os/git.h"

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
    char folder[64];
};

static void shell(const struct fixture *fixture, const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "cd '%s' && %s", fixture->folder, command);
    assert_int_equal(system(line), 0);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/tare-test-git-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    /* Neither the machine's nor the user's configuration, nor a repository around the folder,
     * shows. */
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    unsetenv("GIT_DIR");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", fixture->folder);
    int result = system(line);
    free(fixture);
    return result;
}

static const char commit[] = "git init -q -b topic && echo 1 > a && git add a && git -c "
                             "user.name=T -c user.email=t@example.org "
                             "commit -q -m \"$(printf 'first \\033[31m subject\\n\\nbody')\"";

/* Goal: hash, branch, subject and dirty of an ordinary repository. */
static void test_clean_and_dirty(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct git_state git;
    shell(fixture, commit);
    git_read(&arena, fixture->folder, &git);
    assert_true(git.is_known);
    assert_int_equal(strlen(git.hash), 40);
    assert_string_equal(git.branch, "topic");
    assert_string_equal(git.subject, "first \\x1b[31m subject");
    assert_false(git.is_dirty);
    assert_null(git.reason);
    shell(fixture, "echo new > untracked");
    git_read(&arena, fixture->folder, &git);
    assert_false(git.is_dirty);
    shell(fixture, "echo 2 > a");
    git_read(&arena, fixture->folder, &git);
    assert_true(git.is_dirty);
    arena_free(&arena);
}

/* Goal: a detached head has no branch. */
static void test_detached(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct git_state git;
    shell(fixture, commit);
    shell(fixture, "git checkout -q --detach");
    git_read(&arena, fixture->folder, &git);
    assert_true(git.is_known);
    assert_string_equal(git.branch, "");
    arena_free(&arena);
}

/* Goal: a repository without a commit is not known, and why is said. */
static void test_unborn(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct git_state git;
    shell(fixture, "git init -q");
    git_read(&arena, fixture->folder, &git);
    assert_false(git.is_known);
    assert_non_null(strstr(git.reason, "no commit"));
    arena_free(&arena);
}

/* Goal: a folder outside any repository, one that does not exist, and no git at all. */
static void test_no_repository(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct git_state git;
    git_read(&arena, fixture->folder, &git);
    assert_false(git.is_known);
    assert_non_null(strstr(git.reason, "not a git repository"));
    git_read(&arena, "/nonexistent-folder", &git);
    assert_false(git.is_known);
    assert_non_null(git.reason);
    char *path = arena_strdup(&arena, getenv("PATH"));
    setenv("PATH", fixture->folder, 1);
    git_read(&arena, fixture->folder, &git);
    setenv("PATH", path, 1);
    assert_false(git.is_known);
    assert_non_null(strstr(git.reason, "git"));
    arena_free(&arena);
}

/* Goal: git's refusal of somebody else's folder is a reason, not a commit. Method: as root, give
 * the repository to another user; as anybody else, a git that answers so. */
static void test_refusal(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct git_state git;
    shell(fixture, commit);
    if (geteuid() == 0) {
        unsetenv("SUDO_UID");
        shell(fixture, "chown -R 12345 .");
        git_read(&arena, fixture->folder, &git);
    } else {
        shell(fixture,
              "mkdir bin && printf '#!/bin/sh\\necho fatal: detected dubious ownership >&2\\n"
              "exit 128\\n' > bin/git && chmod +x bin/git");
        char *path = arena_strdup(&arena, getenv("PATH"));
        setenv("PATH", arena_printf(&arena, "%s/bin:%s", fixture->folder, path), 1);
        git_read(&arena, fixture->folder, &git);
        setenv("PATH", path, 1);
    }
    assert_false(git.is_known);
    assert_non_null(strstr(git.reason, "dubious ownership"));
    arena_free(&arena);
}

/* Goal: answers that are no answers. */
static void test_parse_refuses(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct git_state git;
    static const char *const bad[] = {"", "# branch.oid\n", "# branch.oid 123\n", "garbage\n",
                                      "# branch.oid (initial)\n# branch.head main\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(git_parse_status(&arena, bad[i], &git));
        assert_false(git.is_known);
        assert_non_null(git.reason);
        assert_string_equal(git.hash, "");
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_clean_and_dirty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_detached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unborn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_repository, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refusal, set_up, tear_down),
        cmocka_unit_test(test_parse_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
