#!/usr/bin/env bats
# Goal: `tare ab --rev` builds both sides in worktrees of its own, says clearly what is wrong, and leaves the
# user's checkout as it was. Method: a small C project in a repository made for the test; no assertion on time.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    "$tare" ab --help | grep -q -- '--rev' || skip "this tare has no --rev"
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db NO_COLOR=1 HOME=$BATS_TEST_TMPDIR
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR
    unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE CC CFLAGS LDFLAGS XDG_CACHE_HOME
    project="$BATS_TEST_TMPDIR/my 'project'"
    mkdir -p "$project"
    cd "$project"
    git init -q -b main .
    cat >work.c <<'END'
#include <stdio.h>
int main(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 200000; i++) {
        sum += i;
    }
    return 0;
}
END
    printf 'work: work.c\n\t$(CC) -O1 -o $@ $<\n' >Makefile
    echo /work >.gitignore
    git add -A
    git -c user.name=T -c user.email=t@example.org commit -q -m first
}

ab() { run --separate-stderr "$tare" ab --budget 1s "$@"; }

facts() { # all that must not change
    export GIT_OPTIONAL_LOCKS=0
    git rev-parse HEAD
    git symbolic-ref HEAD
    git for-each-ref
    git stash list
    git worktree list
    git status --porcelain
    stat -c '%y %i %s' .git/index
    find .git -type f | sort
    find . -path ./.tare -prune -o -path ./.git -prune -o -type f -print | sort | xargs -d '\n' sha256sum
}

expect() { # CODE TEXT: exit code, and a text somewhere in the output
    [ "$status" -eq "$1" ] || { echo "exit $status: $output $stderr"; return 1; }
    [[ "$output $stderr" == *"$2"* ]] || { echo "no '$2' in: $output $stderr"; return 1; }
}

@test "the working tree is compared with a revision, and the checkout stays as it was" {
    sed -i 's/200000/800000/' work.c
    echo note >untracked
    facts >"$BATS_TEST_TMPDIR/before"
    ab --json --budget 5s --rev main --build make -- ./work
    [[ "$status" -eq 1 || "$status" -eq 4 ]] || { echo "exit $status: $output $stderr"; return 1; }
    jq -e '.comparisons[0].ratio > 1' <<<"$output"
    facts | diff "$BATS_TEST_TMPDIR/before" -
    [ ! -e work ]
}

@test "the second time nothing is built" {
    ab --rev main --build 'make && echo built >>"$HOME/count"' -- ./work
    ab --rev main --build 'make && echo built >>"$HOME/count"' -- ./work
    [ "$(wc -l <"$HOME/count")" -eq 1 ] # a clean working tree is main
}

@test "two named revisions" {
    git tag old
    sed -i 's/200000/200001/' work.c
    git -c user.name=T -c user.email=t@example.org commit -q -a -m second
    ab --rev old main --build make -- ./work
    [[ "$status" -eq 0 || "$status" -eq 1 || "$status" -eq 4 ]]
    [[ "$output $stderr" == *"old@"* && "$output $stderr" == *"main@"* ]]
}

@test "a build that fails on one side is no measurement" {
    echo '#error deliberately broken' >>work.c
    ab --rev main --build make -- ./work
    expect 3 "deliberately broken"
    [[ "$stderr" == *"the build of working tree exited with status 2"* ]]
}

@test "a program that the build did not make" {
    ab --rev main --build true -- ./work
    expect 3 "made no ./work"
}

@test "a program from PATH or an absolute one is the same on both sides" {
    ab --rev main --build make -- true
    expect 2 "PATH"
    ab --rev main --build make -- /bin/true
    expect 2 "same program on both sides"
}

@test "a revision that does not exist, with the nearest name" {
    ab --rev mian --build make -- ./work
    expect 2 'did you mean "main"'
}

@test "no repository" {
    mkdir "$BATS_TEST_TMPDIR/empty"
    cd "$BATS_TEST_TMPDIR/empty"
    ab --rev main --build make -- ./work
    expect 2 "no git repository"
}

@test "a repository without a commit" {
    mkdir "$BATS_TEST_TMPDIR/unborn"
    cd "$BATS_TEST_TMPDIR/unborn"
    git init -q .
    ab --rev HEAD --build make -- ./work
    expect 2 "no commit yet"
}

@test "a build interrupted is not taken for a finished one" {
    # The build interrupts the tare that runs it; its group is killed while it waits.
    run --separate-stderr sh -c 'echo $$ >"$HOME/pid"; exec "$0" ab --rev main \
        --build "test -e \$HOME/again || { touch \$HOME/again; kill -INT \$(cat \$HOME/pid); cat /dev/zero >/dev/null; }; make" \
        -- ./work' "$tare"
    [ "$status" -eq 130 ]
    run ! ls .tare/worktrees/*/ready
    ab --rev main --build make -- ./work
    [[ "$status" -eq 0 || "$status" -eq 4 ]] || { echo "exit $status: $output $stderr"; return 1; }
}
