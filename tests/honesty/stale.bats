#!/usr/bin/env bats
# Goal: what is judged is the change at hand, built now: not an older binary, not a program that the build does not make,
# not another repository, and not the base once more. Method: a project that does twice the work in head, and something
# that hides it.

load project

setup() { gate_setup; }

@test "a change after the first gate is seen by the second" {
    new_project
    bench 501
    gate
    expect_green
    sed -i 's/i < 501/i < 1000/' bench.c
    gate --json
    expect_red
    says '.comparisons[0].ratio > 1.5'
}

@test "what lies built in the checkout is not what is judged" {
    new_project
    make -s
    slower
    [ bench.c -nt bench ] || touch bench.c
    touch -d '+1 hour' bench # newer than its source: make would not build it again
    gate
    expect_red
}

@test "a program that is checked in says nothing about the source" {
    new_project
    git checkout -q main
    make -s
    : >.gitignore
    commit "with the binary"
    git checkout -q -B head
    sed -i 's/i < 500/i < 1000/' bench.c
    commit slower
    gate
    expect 5 "checked in" "bench"
    # In head only: the base builds its own, head does not.
    git checkout -q main
    git rm -q --cached bench
    printf 'bench\n' >.gitignore
    rm -f bench
    commit "without the binary"
    git checkout -q -B head
    make -s
    cp bench kept
    sed -i 's/i < 500/i < 1000/' bench.c
    printf 'bench:\n\ttrue\n' >Makefile
    mv kept bench
    git add -f bench
    commit "slower, with the old binary"
    gate
    expect 3 "checked in"
}

@test "a build that does nothing, or hides that it failed" {
    new_project
    slower
    gate --build true
    expect 5 "made no ./bench"
    echo '#error broken' >>bench.c
    commit broken
    gate --build 'make || true'
    expect 3 "made no ./bench"
    gate --build 'make; exit 0'
    expect 3 "made no ./bench"
}

@test "a program that leads out of the worktree is refused" {
    new_project
    slower
    mkdir "$BATS_TEST_TMPDIR/elsewhere"
    gate --build "make && mv bench '$BATS_TEST_TMPDIR/elsewhere/bench' && ln -s '$BATS_TEST_TMPDIR/elsewhere/bench' bench"
    expect 2 "leads out of its worktree"
    gate --build make -- /bin/true
    expect 2 "same program on both sides"
    gate --build make -- bench
    expect 2 "PATH"
    gate --build make -- ../../../../bench
    [ "$status" -ne 0 ]
}

@test "PATH that points elsewhere" {
    new_project
    slower
    mkdir "$BATS_TEST_TMPDIR/fake"
    for name in cc make git; do
        printf '#!/bin/sh\nexit 0\n' >"$BATS_TEST_TMPDIR/fake/$name"
        chmod +x "$BATS_TEST_TMPDIR/fake/$name"
        PATH=$BATS_TEST_TMPDIR/fake:$PATH gate
        [[ "$status" -eq 2 || "$status" -eq 3 || "$status" -eq 5 ]] || fail "a $name that does nothing"
        [[ -n "$stderr" ]] || fail "$name: no word"
        rm "$BATS_TEST_TMPDIR/fake/$name"
    done
    run --separate-stderr env PATH="$BATS_TEST_TMPDIR/fake" "$tare" gate -q --base main
    [[ "$status" -eq 2 || "$status" -eq 3 ]] || fail "an empty PATH"
}

@test "a command that PATH finds is said to be the same on both sides" {
    value_project speed:lower 100 'gate: [speed]'
    echo 99 >value
    commit
    gate --json
    expect 0
    says '[.warnings[] | select(contains("same program on both sides"))] | length == 1'
}

@test "an absolute command, and one that is checked in as a binary, are said" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q main
    cp "$(command -v cat)" tool
    printf '%s\n' "benchmarks: [{name: abs, command: '$(command -v cat) value', metrics: ['speed:lower=re:([0-9]+)']}, {name: own, command: ./tool value, metrics: ['speed:lower=re:([0-9]+)']}]" \
        'gate: [speed]' 'build: "true"' >tare.yaml
    commit
    git checkout -q -B head
    echo 99 >value
    commit
    gate --json
    [[ "$status" -ne 1 ]] || fail "not worse"
    says '[.warnings[] | select(contains("same program on both sides"))] | length >= 1'
    says '[.warnings[] | select(contains("checked in"))] | length == 1'
}

@test "variables that name another repository, index or work tree" {
    new_project
    slower
    mkdir "$BATS_TEST_TMPDIR/other"
    git init -q -b main "$BATS_TEST_TMPDIR/other"
    (cd "$BATS_TEST_TMPDIR/other" && echo 1 >file && commit && git checkout -q -b head && echo 2 >file && commit)
    GIT_DIR=$BATS_TEST_TMPDIR/other/.git GIT_WORK_TREE=$BATS_TEST_TMPDIR/other gate --json
    expect_red
    says '.comparisons[0].benchmark == "work"'
    GIT_INDEX_FILE=$BATS_TEST_TMPDIR/nothing gate --json
    expect_red
}

@test "variables of tare's own switch nothing off" {
    new_project
    slower
    env_gate() { run --separate-stderr env "$@" "$tare" gate -q --base main --budget 3s --retries 0; }
    env_gate TARE_CALIBRATION=1000,1000,1000 TARE_PROTOCOL_FDS=0,1 TARE_POLICY=/dev/null TARE_SKIP=1 TARE_GATE=pass CI= TARE_EXIT=0
    expect_red
    TARE_STORE=/proc/nowhere/store.db gate
    [[ "$status" -eq 2 || "$status" -eq 3 ]] || fail "no store"
    TARE_STORE=$BATS_TEST_TMPDIR gate
    expect_red
}

@test "what CI names as the target is not taken from head's own names" {
    new_project
    git update-ref refs/remotes/origin/main main
    slower
    # A tag and a branch that look like the target.
    git tag origin/main
    git branch -q origin/main
    git tag -f main >/dev/null
    echo '/* more */' >>bench.c
    commit "nothing slower since the tag"
    auto() { run --separate-stderr "$tare" gate -q --budget 3s --retries 0 --json; }
    auto
    expect_red
    GITHUB_BASE_REF=main auto
    expect_red
    # Head itself as the target: the commit before is what it is held against, and that is said.
    git update-ref refs/remotes/origin/head head
    GITHUB_BASE_REF='head' auto
    says '[.warnings[] | select(contains("the commit before"))] | length == 1'
    GITHUB_BASE_REF=nowhere auto
    expect 2 "nowhere"
}

@test "base and head are one commit" {
    new_project
    for base in main head HEAD HEAD~0; do
        run --separate-stderr "$tare" gate -q --base $base
        expect 2 "same commit"
    done
    # A file that lies about is no change.
    echo '{}' >gate.json
    gate
    expect 2 "same commit" "untracked"
    run --separate-stderr "$tare" gate -q
    expect 2 "first commit"
    # On the tip of the branch the commit before is the base, gate.json or not.
    slower
    git checkout -q -B main
    run --separate-stderr "$tare" gate -q --budget 3s --retries 0
    expect_red
}

@test "a head that comes before its base" {
    new_project
    slower
    run --separate-stderr "$tare" gate -q --base head --head main
    expect 2 "same commit"
}

@test "builds that were made elsewhere and checked in are not used" {
    new_project
    slower
    gate
    expect_red
    # The base's worktree as it is in the cache, with head's program: now both are equally slow.
    for tree in .tare/worktrees/*/tree; do
        grep -q 'i < 500' "$tree/bench.c" && base=$tree
        grep -q 'i < 1000' "$tree/bench.c" && head=$tree
    done
    cp "$head/bench" "$base/bench"
    rm -rf "$base/.git" "$head/.git"
    git add -f .tare/worktrees
    git -c user.name=T -c user.email=t@example.org commit -q -m forged
    gate
    expect 2 ".tare/worktrees is checked in"
}

@test "head's build that overwrites the base's program is found out" {
    new_project
    # Head is twice as slow; its build copies its program over that of every other worktree.
    bench 1000
    printf 'bench: bench.c\n\tcc -O2 %s -I%s/include bench.c %s/libtare.a -lpthread -o bench\n\tfor f in ../../*/tree/bench; do [ $$f -ef bench ] || cp bench $$f; done\n' \
        "${TARE_CFLAGS:-}" "$TARE_SOURCE" "$TARE_BUILD" >Makefile
    commit forged
    gate
    expect 3 "was changed while head was built or measured"
}

@test "a variable that the build reads makes another build" {
    new_project
    printf 'bench: bench.c\n\tcc -O2 %s $(EXTRA) -I%s/include bench.c %s/libtare.a -lpthread -o bench\n' \
        "${TARE_CFLAGS:-}" "$TARE_SOURCE" "$TARE_BUILD" >Makefile
    sed -i 's/i < 500/i < 500 * FACTOR/; 1i #ifndef FACTOR\n#define FACTOR 1\n#endif' bench.c
    commit base && git branch -f main && commit empty
    sed -i 's/i < 500/i < 1000/' bench.c
    commit slower
    # A base from the cache that was built three times as slow would make head look better.
    EXTRA=-DFACTOR=3 gate
    gate
    expect_red
}

@test "a library of the checkout for both sides is refused" {
    new_project
    bench 1000
    commit slower
    LD_LIBRARY_PATH=/usr/lib:$project/lib gate
    expect 2 "LD_LIBRARY_PATH names"
}
