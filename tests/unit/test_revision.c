/* Revisions built and kept: a small C project in a repository of its own, built by the shell or by
 * cc, with everything that can go wrong. */
#include "cli/revision.h"

#include "os/file.h"
#include "os/folder.h"
#include "os/interrupt.h"

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
    char *folder;
    char *user;
    int stages[REVISION_STAGES]; /* how often each was told */
    struct revision_observer observer;
};

static void shell(struct fixture *fixture, const char *line)
{
    setenv("U", fixture->user, 1);
    if (system(arena_printf(&fixture->arena, "set -e; cd \"$U\"; %s", line)) != 0) {
        fail_msg("failed: %s", line);
    }
}

static void note_stage(void *context, enum revision_stage stage, const char *name, int layout)
{
    struct fixture *fixture = context;
    fixture->stages[stage]++;
    assert_non_null(strstr(revision_stage_text(&fixture->arena, stage, name, layout), name));
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    char folder[] = "/tmp/tare-test-revision-XXXXXX";
    assert_non_null(mkdtemp(folder));
    fixture->folder = arena_strdup(&fixture->arena, folder);
    fixture->user = arena_printf(&fixture->arena, "%s/project", folder);
    fixture->observer = (struct revision_observer){.context = fixture, .update = note_stage};
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    setenv("HOME", folder, 1);
    static const char *const unset[] = {"GIT_DIR", "CC",      "CXX",
                                        "CFLAGS",  "LDFLAGS", "XDG_CACHE_HOME"};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) {
        unsetenv(unset[i]);
    }
    assert_int_equal(file_make_directories(fixture->user, NULL), TARE_OK);
    shell(fixture,
          "git init -q -b main .; mkdir sub; echo 1 > sub/inner; "
          "printf '#include <stdio.h>\\nint table[9] = {1};\\nint zero[9];\\n"
          "__attribute__((noinline)) int f(int x);\\nint f(int x)\\n{\\n    return x + table[0] + "
          "zero[0];\\n}\\n"
          "int main(void)\\n{\\n    printf(\"%%d\\\\n\", f(1));\\n    return 0;\\n}\\n' > main.c; "
          "git add -A; git -c user.name=T -c user.email=t commit -q -m first; "
          "sed -i 's/x + /x + 1 + /' main.c");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    interrupt_set(false);
    assert_int_equal(folder_remove(fixture->folder, NULL), TARE_OK);
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static struct revision_request request_for(struct fixture *fixture, const char *revision,
                                           const char *build)
{
    memset(fixture->stages, 0, sizeof fixture->stages);
    error_clear(&fixture->error);
    return (struct revision_request){.repository = fixture->user,
                                     .revision = revision,
                                     .build = build,
                                     .timeout_ns = 60e9,
                                     .observer = &fixture->observer};
}

static void prepare(struct fixture *fixture, const struct revision_request *request,
                    struct revision *revision)
{
    tare_status status = revision_prepare(&fixture->arena, request, revision, &fixture->error);
    assert_string_equal(fixture->error.message, "");
    assert_int_equal(status, TARE_OK);
}

static void refuse(struct fixture *fixture, const struct revision_request *request,
                   tare_status expected, const char *text)
{
    struct revision revision;
    tare_status status = revision_prepare(&fixture->arena, request, &revision, &fixture->error);
    if (status != expected || strstr(fixture->error.message, text) == NULL) {
        fail_msg("status %d, no \"%s\" in: %s", (int)status, text, fixture->error.message);
    }
    assert_int_equal(revision.lock_fd, -1);
}

/* Goal: both sides are built from what they are, at paths of equal length, and the second time they
 * come from the cache. Method: a counter outside, touched by every build. */
static void test_builds_both_once(void **state)
{
    struct fixture *fixture = *state;
    const char *build =
        "cc -O1 -o bench main.c && ./bench > answer && echo x >> ../../../../../count";
    struct revision_request old_request = request_for(fixture, "main", build);
    struct revision_request new_request = request_for(fixture, NULL, build);
    struct revision old_side;
    struct revision new_side;
    shell(fixture, "git status --porcelain > ../status");
    prepare(fixture, &old_request, &old_side);
    prepare(fixture, &new_request, &new_side);
    assert_false(old_side.was_cached);
    assert_true(strncmp(old_side.name, "main@", 5) == 0);
    assert_string_equal(new_side.name, "working tree");
    assert_true(new_side.is_dirty);
    assert_true(old_side.build_ns > 0);
    assert_int_equal(fixture->stages[REVISION_WRITING], 2);
    assert_int_equal(fixture->stages[REVISION_BUILDING], 2);
    assert_int_equal(strlen(old_side.directory), strlen(new_side.directory));
    assert_string_not_equal(old_side.directory, new_side.directory);
    setenv("TARE_OLD", old_side.directory, 1);
    setenv("TARE_NEW", new_side.directory, 1);
    shell(fixture,
          "test \"$(cat \"$TARE_OLD/answer\" \"$TARE_NEW/answer\" | tr '\\n' ' ')\" = '2 3 '; "
          "git status --porcelain | cmp - ../status; test ! -e bench; "
          "test \"$(git worktree list | wc -l)\" = 1");
    const char *programs[2];
    assert_int_equal(revision_program(&fixture->arena, &old_side, "./bench", &programs[0], NULL),
                     TARE_OK);
    assert_int_equal(revision_program(&fixture->arena, &new_side, "./bench", &programs[1], NULL),
                     TARE_OK);
    assert_false(revision_is_same_program(programs[0], programs[1]));
    assert_true(revision_is_same_program(programs[0], programs[0]));
    revision_release(&old_side);
    revision_release(&new_side);
    prepare(fixture, &old_request, &old_side);
    prepare(fixture, &new_request, &new_side);
    assert_true(old_side.was_cached && new_side.was_cached);
    assert_true(old_side.build_ns > 0);
    shell(fixture, "test \"$(wc -l < ../count)\" = 2");
    revision_release(&old_side);
    revision_release(&new_side);
}

/* Goal: another build line, flag, compiler or content is another entry; the same again is the same.
 */
static void test_key(void **state)
{
    struct fixture *fixture = *state;
    struct revision first;
    struct revision other;
    struct revision_request request = request_for(fixture, "main", "true");
    prepare(fixture, &request, &first);
    request.build = "true ";
    prepare(fixture, &request, &other);
    assert_false(other.was_cached);
    request.build = "true";
    setenv("CFLAGS", "-O3", 1);
    prepare(fixture, &request, &other);
    unsetenv("CFLAGS");
    assert_false(other.was_cached);
    /* A compiler of the same path that was replaced meanwhile. */
    shell(fixture, "mkdir ../bin; echo 1 > ../bin/mycc; chmod +x ../bin/mycc");
    setenv("CC", arena_printf(&fixture->arena, "%s/bin/mycc -pipe", fixture->folder), 1);
    prepare(fixture, &request, &other);
    assert_false(other.was_cached);
    prepare(fixture, &request, &other);
    assert_true(other.was_cached);
    shell(fixture, "echo 22 > ../bin/mycc");
    prepare(fixture, &request, &other);
    assert_false(other.was_cached);
    unsetenv("CC");
    prepare(fixture, &request, &other);
    assert_true(other.was_cached);
    assert_string_equal(other.directory, first.directory);
    /* A clean working tree is HEAD: one entry for both. */
    shell(fixture, "git checkout -q main.c");
    request.revision = NULL;
    prepare(fixture, &request, &other);
    assert_true(other.was_cached);
    assert_false(other.is_dirty);
    assert_string_equal(other.directory, first.directory);
}

/* Goal: a failed build is a failed measurement with status, last lines and log; nothing half-built
 * is ever taken for finished. */
static void test_failed_build(void **state)
{
    struct fixture *fixture = *state;
    struct revision_request request =
        request_for(fixture, "main",
                    "test -e ../../../../../heal || { echo before; printf 'oh \\033[1m no\\n' >&2; "
                    "exit 3; }");
    refuse(fixture, &request, TARE_ERROR_MEASURE, "exited with status 3");
    assert_non_null(strstr(fixture->error.message, "\n  before\n  oh \\x1b[1m no"));
    assert_non_null(strstr(fixture->error.message, ".log"));
    assert_non_null(strstr(fixture->error.message, "main@"));
    shell(fixture, "touch ../heal");
    struct revision revision;
    error_clear(&fixture->error);
    prepare(fixture, &request, &revision);
    assert_false(revision.was_cached);
    request = request_for(fixture, "main", "exec no-such-compiler");
    refuse(fixture, &request, TARE_ERROR_MEASURE, "exited with status 127");
    /* A long output and a long line fit into the message. */
    request =
        request_for(fixture, "main", "seq 100000; head -c 9000 /dev/zero | tr '\\0' x; exit 1");
    refuse(fixture, &request, TARE_ERROR_MEASURE, "  100000\n");
}

/* Goal: a build that hangs is killed with all it started. Method: its child would write a file. */
static void test_timeout_and_interrupt(void **state)
{
    struct fixture *fixture = *state;
    struct revision_request request =
        request_for(fixture, "main", "echo begun; cat /dev/zero > /dev/null");
    request.timeout_ns = 0.2e9;
    refuse(fixture, &request, TARE_ERROR_MEASURE, "took longer than 200 ms");
    request = request_for(fixture, "main", "cat /dev/zero > /dev/null");
    interrupt_set(true);
    refuse(fixture, &request, TARE_INTERRUPTED, "interrupted");
    interrupt_set(false);
}

/* Goal: a tare killed in the middle of a build leaves nothing that counts. Method: another process
 * prepares, and its build kills it with SIGKILL; then the same build again. */
static void test_killed_in_between(void **state)
{
    struct fixture *fixture = *state;
    const char *build =
        "echo half > made; test -e ../../../../../killed || "
        "{ touch ../../../../../killed; kill -9 $(cat ../../../../../pid); exit 0; }; "
        "echo whole > made";
    setenv("BUILD", build, 1);
    shell(fixture, "sh -c 'echo $$ > ../pid; exec \"$SELF\" prepare main \"$BUILD\"' || "
                   "test $? = 137; test -e ../killed; ! ls .tare/worktrees/*/ready 2> /dev/null");
    struct revision_request request = request_for(fixture, "main", build);
    struct revision revision;
    prepare(fixture, &request, &revision);
    assert_false(revision.was_cached);
    assert_string_equal(file_read_line(&fixture->arena, arena_printf(&fixture->arena, "%s/made",
                                                                     revision.directory)),
                        "whole");
}

/* Goal: several at once build once. Method: four processes prepare the same; the build counts. */
static void test_several_at_once(void **state)
{
    struct fixture *fixture = *state;
    setenv("BUILD", "echo x >> ../../../../../count", 1);
    shell(fixture,
          "pids=; for i in 1 2 3 4; do \"$SELF\" prepare main \"$BUILD\" & pids=\"$pids $!\"; "
          "done; for p in $pids; do wait $p; done; test \"$(wc -l < ../count)\" = 1");
}

/* What the processes of the two tests above do: prepare a revision of the current folder. */
static int prepare_alone(const char *revision, const char *build)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct revision prepared;
    const struct revision_request request = {.revision = revision, .build = build};
    tare_status status = revision_prepare(&arena, &request, &prepared, &error);
    arena_free(&arena);
    return (int)status;
}

/* Goal: which program is meant, and what is refused. */
static void test_programs(void **state)
{
    struct fixture *fixture = *state;
    struct revision revision;
    const char *path;
    struct revision_request request =
        request_for(fixture, "main",
                    "cp /bin/true made; touch plain; ln -s /bin/true outside; ln -s made link; "
                    "mkdir out; cp /bin/true out/deep");
    prepare(fixture, &request, &revision);
    static const struct {
        const char *program;
        tare_status status;
        const char *text;
    } cases[] = {
        {"./made", TARE_OK, ""},
        {"out/deep", TARE_OK, ""},
        {"./link", TARE_OK, ""},
        {"made", TARE_ERROR_USAGE, "./made"},
        {"/bin/true", TARE_ERROR_USAGE, "same program on both sides"},
        {"./outside", TARE_ERROR_USAGE, "leads out"},
        {"../../../../../../../../../../bin/true", TARE_ERROR_USAGE, "leads out"},
        {"./absent", TARE_ERROR_MEASURE, "made no ./absent"},
        {"./plain", TARE_ERROR_MEASURE, "not an executable"},
        {"./out", TARE_ERROR_MEASURE, "not an executable"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        error_clear(&fixture->error);
        tare_status status =
            revision_program(&fixture->arena, &revision, cases[i].program, &path, &fixture->error);
        if (status != cases[i].status || strstr(fixture->error.message, cases[i].text) == NULL) {
            fail_msg("%s: %d %s", cases[i].program, (int)status, fixture->error.message);
        }
    }
    assert_false(revision_is_same_program("/nonexistent", "/nonexistent"));
}

/* Goal: from a subfolder, the build runs in its counterpart; one that the revision lacks is said.
 */
static void test_subfolder(void **state)
{
    struct fixture *fixture = *state;
    struct revision revision;
    struct revision_request request = request_for(fixture, "main", "test -e inner");
    request.repository = arena_printf(&fixture->arena, "%s/sub", fixture->user);
    prepare(fixture, &request, &revision);
    assert_string_equal(revision.directory, arena_printf(&fixture->arena, "%s/sub", revision.root));
    shell(fixture, "mkdir fresh; echo 1 > fresh/x");
    request.repository = arena_printf(&fixture->arena, "%s/fresh", fixture->user);
    error_clear(&fixture->error);
    refuse(fixture, &request, TARE_ERROR_MEASURE, "has no folder fresh/");
}

/* Goal: no repository, no revision, no build for a layout: mistakes of usage. A bare repository
 * works with the user's cache. */
static void test_wrong_requests(void **state)
{
    struct fixture *fixture = *state;
    struct revision_request request = request_for(fixture, "mian", NULL);
    refuse(fixture, &request, TARE_ERROR_USAGE, "did you mean \"main\"");
    request = request_for(fixture, "main", NULL);
    request.repository = fixture->folder;
    refuse(fixture, &request, TARE_ERROR_USAGE, "no git repository");
    request = request_for(fixture, "main", NULL);
    request.layout = 1;
    refuse(fixture, &request, TARE_ERROR_USAGE, "--build");
    shell(fixture, "git clone -q --bare . ../bare");
    struct revision revision;
    request = request_for(fixture, "main", "cc -o bench main.c");
    request.repository = arena_printf(&fixture->arena, "%s/bare", fixture->folder);
    prepare(fixture, &request, &revision);
    assert_true(strncmp(revision.root, arena_printf(&fixture->arena, "%s/.cache/", fixture->folder),
                        strlen(fixture->folder) + 8) == 0);
    request = request_for(fixture, NULL, NULL);
    request.repository = arena_printf(&fixture->arena, "%s/bare", fixture->folder);
    refuse(fixture, &request, TARE_ERROR_USAGE, "name both revisions");
}

/* Goal: a build in a hook's environment, and one that runs git, leave the user's files alone. */
static void test_build_cannot_reach_the_user(void **state)
{
    struct fixture *fixture = *state;
    struct revision revision;
    struct revision_request request =
        request_for(fixture, "main", "git reset -q --hard && git clean -qfdx && touch made");
    setenv("GIT_DIR", arena_printf(&fixture->arena, "%s/.git", fixture->user), 1);
    setenv("GIT_WORK_TREE", fixture->user, 1);
    shell(fixture, "echo precious > untracked; git status --porcelain > ../status");
    prepare(fixture, &request, &revision);
    shell(fixture, "git status --porcelain | cmp - ../status; test -e untracked");
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
}

/* Goal: old entries go, those in use and the newest stay, half-built ones go. */
static void test_prune(void **state)
{
    struct fixture *fixture = *state;
    struct revision held;
    struct revision_request request = request_for(fixture, "main", "true");
    prepare(fixture, &request, &held);
    setenv("TARE_HELD", arena_printf(&fixture->arena, "%s/../ready", held.root), 1);
    shell(fixture,
          "touch -d 2001-01-01 \"$TARE_HELD\"; cd .tare/worktrees; for i in $(seq 100 130); do "
          "mkdir -p 0000000000000$i-000/tree; echo > 0000000000000$i-000/ready; "
          "touch -d \"2020-01-01 +$i days\" 0000000000000$i-000/ready; done; "
          "mkdir -p ffffffffffffffff-000/tree ffffffffffffffff-001.old-123456/x other; "
          "touch objects.index-1; touch -d 2001-01-01 objects.index-2; mkdir objects/ab; "
          "touch -d 2001-01-01 objects/ab/old; touch objects/ab/new");
    revision_prune(&fixture->arena,
                   arena_printf(&fixture->arena, "%s/.tare/worktrees", fixture->user));
    shell(fixture,
          "cd .tare/worktrees; test -e \"$TARE_HELD\"; test \"$(ls -d 00000000000001*-000 | wc "
          "-l)\" = "
          "20; "
          "test -e 0000000000000130-000; test -e 0000000000000111-000; "
          "test ! -e 0000000000000110-000; test ! -e ffffffffffffffff-000; "
          "test ! -e ffffffffffffffff-001.old-123456; test -e other; test -e objects.index-1; "
          "test ! -e objects.index-2; test ! -e objects/ab/old; test -e objects/ab/new; "
          "test -z \"$(ls 0000000000000110* 2>/dev/null)\"");
}

/* Goal: layouts move the functions within their cache line and page, the program still works, and
 * the padding follows from the number. Method: nm, for several layouts and ways of linking. */
static void test_layouts(void **state)
{
    struct fixture *fixture = *state;
    const char *build =
        "set -e; cc -c -O2 -ffunction-sections main.c; ar rc libm1.a main.o; "
        "cc -Wl,--gc-sections -o bench main.o; cc -shared -fPIC -o lib.so main.c; "
        "cc -r -o again.o main.o; cc -O1 -flto -o lto main.c; cc --version > version; "
        "cc -o archive libm1.a; "
        "nm bench | grep -w 'f\\|table\\|zero' | cut -c1-16 > addresses";
    enum { LAYOUTS = 6 };
    struct revision revisions[LAYOUTS];
    struct revision_request request = request_for(fixture, "main", build);
    for (int i = 0; i < LAYOUTS; i++) {
        request.layout = revision_layout(1 + i / 2, i % 2, 2);
        assert_int_equal(request.layout, i + 1);
        prepare(fixture, &request, &revisions[i]);
        assert_int_equal(revisions[i].links.salted, 4);
        assert_int_equal(revisions[i].links.unsalted, 0);
        const char *path;
        assert_int_equal(
            revision_program(&fixture->arena, &revisions[i], "./bench", &path, &fixture->error),
            TARE_OK);
        assert_true(salt_is_in(path, i + 1));
        assert_false(salt_is_in(path, i + 2));
        setenv("TARE_D", revisions[i].directory, 1);
        shell(fixture,
              "test \"$($TARE_D/bench)\" = 2; test \"$($TARE_D/lto)\" = 2; test "
              "\"$($TARE_D/archive)\" = 2; "
              "cat $TARE_D/addresses >> ../addresses; ! nm $TARE_D/again.o | grep -q tare; "
              "readelf -lW $TARE_D/bench | grep GNU_STACK | grep -qv E");
        revision_release(&revisions[i]);
    }
    /* Six layouts, three symbols each. The padding follows from the number, so the places are
     * fixed: at least three in a cache line for the code, and five in the page for each symbol. */
    shell(fixture,
          "awk 'NR % 3 == 1 { page[substr($1, 14)] } "
          "NR % 3 == 2 { data[substr($1, 14)] } NR % 3 == 0 { bss[substr($1, 14)] } "
          "END { exit length(page) >= 5 && length(data) >= 5 && length(bss) >= 5 ? 0 : 1 }' "
          "../addresses");
    shell(fixture, "for a in $(awk 'NR % 3 == 1' ../addresses); do echo $((0x$a % 64)); done | "
                   "sort -u | wc -l > ../lines; test \"$(cat ../lines)\" -ge 3");
    request.layout = 1;
    prepare(fixture, &request, &revisions[0]);
    assert_true(revisions[0].was_cached);
    assert_int_equal(revisions[0].links.salted, 4);
}

/* Goal: what cannot be salted is refused or said. Method: a compiler by its full path, the linker
 * by hand, a program that only a plain link made; and $CC with a full path, which can. */
static void test_layouts_that_are_none(void **state)
{
    struct fixture *fixture = *state;
    struct revision revision;
    const char *path;
    struct revision_request request = request_for(fixture, "main", "/usr/bin/cc -o bench main.c");
    request.layout = 3;
    refuse(fixture, &request, TARE_ERROR_MEASURE, "linked nothing through a compiler");
    request = request_for(fixture, "main",
                          "cc -c main.c; ld -r -o x.o main.o; ld --version; ld -o x main.o || :");
    request.layout = 3;
    refuse(fixture, &request, TARE_ERROR_MEASURE, "the linker itself");
    request = request_for(fixture, "main",
                          "/usr/bin/cc -o bench main.c && cc -o b2 main.c && ld -o x b2 || :");
    request.layout = 3;
    prepare(fixture, &request, &revision);
    assert_non_null(strstr(revision.warning, "links are not salted"));
    assert_int_equal(
        revision_program(&fixture->arena, &revision, "./bench", &path, &fixture->error),
        TARE_ERROR_MEASURE);
    assert_non_null(strstr(fixture->error.message, "layout was not varied"));
    setenv("CC", "/usr/bin/gcc -O1", 1);
    request = request_for(fixture, "main", "$CC -o bench main.c");
    request.layout = 3;
    prepare(fixture, &request, &revision);
    unsetenv("CC");
    assert_int_equal(
        revision_program(&fixture->arena, &revision, "./bench", &path, &fixture->error), TARE_OK);
}

/* Goal: all layouts of a working tree are of one state, though it changes meanwhile. */
static void test_same_as(void **state)
{
    struct fixture *fixture = *state;
    struct revision first;
    struct revision second;
    struct revision_request request = request_for(fixture, NULL, "cc -o bench main.c");
    prepare(fixture, &request, &first);
    shell(fixture, "echo '#error no' >> main.c");
    request.same_as = &first;
    request.layout = 2;
    prepare(fixture, &request, &second);
    assert_string_equal(second.hash, first.hash);
    assert_string_equal(second.name, "working tree");
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "prepare") == 0) {
        return prepare_alone(argv[2], argv[3]);
    }
    char self[4096] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    setenv("SELF", self, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_builds_both_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_build, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_timeout_and_interrupt, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed_in_between, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_programs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_subfolder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_build_cannot_reach_the_user, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_prune, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_layouts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_layouts_that_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_as, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
