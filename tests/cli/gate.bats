#!/usr/bin/env bats
# Goal: `tare gate` does what its page says in every kind of repository, says clearly what is wrong, cleans up, and leaves
# the user's checkout as it was. Method: small projects in repositories made for the test. Differences are so large, or
# so exact, that noise cannot hide them; no assertion on time.

load ../honesty/project

setup() { gate_setup; }

teardown() {
    cd /
    umount "$BATS_TEST_TMPDIR/disk" 2>/dev/null || true
    umount "$project" 2>/dev/null || true
}

facts() { # all that must not change
    export GIT_OPTIONAL_LOCKS=0
    git rev-parse HEAD
    git symbolic-ref -q HEAD || true
    git for-each-ref
    git stash list
    git worktree list
    git status --porcelain
    stat -c '%y %i %s' .git/index
    sha256sum .git/index
    find .git -type f | sort
    find . -path ./.tare -prune -o -path ./.git -prune -o -type f -print | sort | xargs -d '\n' sha256sum
}

# ---- how it is called ----

@test "without any configuration" {
    new_project
    git checkout -q main
    git rm -q tare.yaml
    commit
    git checkout -q -B head
    slower
    gate --build make -- ./bench
    expect_red "work"
    gate
    expect 2 "no tare.yaml lists no benchmarks" "--base main --build"
}

@test "with tare.yaml, from the root and from a folder below" {
    new_project
    mkdir sub
    echo note >sub/note
    slower
    gate --json
    expect_red
    cd sub
    gate --json
    expect_red
    says '.comparisons[0].benchmark == "work"'
}

@test "a project in a folder of its repository" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q main
    mkdir -p part/deep
    git mv tare.yaml value part
    echo 1 >part/deep/file
    commit
    git checkout -q -B head
    echo 200 >part/value
    commit
    cd part
    gate
    expect 1 "report speed"
    cd deep
    gate
    expect 1 "report speed"
    cd ../..
    gate
    expect 2 "no tare.yaml"
}

@test "commands, programs, and both" {
    new_project
    git checkout -q main
    printf '%s\n' 'build: make' 'benchmarks:' '  - program: ./bench' '  - {name: whole, command: "cat value", metrics: ["speed:lower=re:([0-9]+)"]}' \
        '  - {name: shell, command: "cat value | cat", shell: true, metrics: ["speed:lower=re:([0-9]+)"]}' >tare.yaml
    echo 100 >value
    commit
    git checkout -q -B head
    echo 300 >value
    commit
    gate --json --budget 6s
    expect 1
    says '[.comparisons[] | select(.metric == "speed" and .gate == "fail") | .benchmark] | sort == ["shell", "whole"]'
    says '[.comparisons[] | select(.benchmark == "work" and .metric == "time")] | length == 1'
}

@test "JSON has every field that is promised" {
    value_project speed:lower 100 'gate: [speed]' 'require: [{metric: speed, at_most: 500}]'
    echo 101 >value
    commit
    gate --json
    expect 0
    for field in tare kind id verdict level exit confidence gated_comparisons comparisons counts missing added \
        policy_changes machine warnings next gate old new seconds; do
        says "has(\"$field\")"
    done
    for field in benchmark params metric unit better basis gated old new ratio ci band verdict level reason reason_code \
        seconds gate gate_reason limit confirmed waiver; do
        says ".comparisons[0] | has(\"$field\")"
    done
    for field in outcome level fail_at reason spread correction route requirements waivers notes; do
        says ".gate | has(\"$field\")"
    done
    says '.tare == 1 and .kind == "comparison" and .exit == 0 and .gate.outcome == "pass" and .gate.requirements[0].gate == "pass"'
    says '.comparisons[0].gate == "pass" and .comparisons[0].limit == 0.03'
}

@test "a failure is JSON, too" {
    value_project speed:lower 100
    run --separate-stderr "$tare" gate --json --base nowhere
    expect 2
    says '.exit == 2 and (.message | contains("nowhere"))'
}

@test "words that are not expected" {
    value_project speed:lower 100
    run --separate-stderr "$tare" gate main
    expect 2 "'main' is not expected here" "--base"
    run --separate-stderr "$tare" gate --bas main
    expect 2 "--base"
    run --separate-stderr "$tare" gate --help
    expect 0 "Usage: tare gate"
}

@test "the result is in the store, and a second look finds it" {
    value_project speed:lower 100 'gate: [speed]'
    echo 200 >value
    commit
    gate
    expect 1
    run --separate-stderr "$tare" runs list --json
    says '.runs | length >= 2'
}

# ---- the checkout ----

@test "the checkout is as it was: dirty tree, index, stash, worktrees" {
    new_project
    slower
    echo stashed >>Makefile
    git -c user.name=T -c user.email=t@example.org stash -q
    echo note >untracked
    sed -i 's/i < 1000/i < 1200/' bench.c
    git add bench.c
    sed -i 's/i < 1200/i < 1300/' bench.c
    facts >"$BATS_TEST_TMPDIR/before"
    gate
    expect_red
    facts | diff "$BATS_TEST_TMPDIR/before" -
    [ ! -e bench ]
}

@test "a detached head, and a named one" {
    value_project speed:lower 100 'gate: [speed]'
    echo 200 >value
    commit worse
    git checkout -q --detach
    gate
    expect 1
    git checkout -q main
    gate --head head
    expect 1 "head@"
    gate --head nowhere
    expect 2 "nowhere"
}

@test "changes that are not committed are judged" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q main
    echo 200 >value
    gate
    expect 1 "working tree"
    run --separate-stderr "$tare" gate -q --budget 3s
    expect 1
}

@test "no repository, one without a commit, a bare one" {
    mkdir "$BATS_TEST_TMPDIR/none"
    cd "$BATS_TEST_TMPDIR/none"
    gate
    expect 2 "no git repository"
    git init -q -b main .
    gate
    expect 2 "no commit"
    echo 1 >file
    gate
    expect 2 "no commit"
    git init -q --bare "$BATS_TEST_TMPDIR/bare"
    cd "$BATS_TEST_TMPDIR/bare"
    gate
    expect 2
}

@test "a repository whose default branch is unknown" {
    value_project speed:lower 100 'gate: [speed]'
    git branch -q -m main trunk
    echo 200 >value
    commit
    run --separate-stderr "$tare" gate -q
    expect 2 "--base"
    run --separate-stderr "$tare" gate -q --base trunk --budget 3s
    expect 1
}

@test "a shallow clone says what to fetch" {
    value_project speed:lower 100 'gate: [speed]'
    for i in 1 2 3; do
        echo "10$i" >value
        commit "$i"
    done
    git checkout -q main
    git clone -q --depth 1 --branch head "file://$project" "$BATS_TEST_TMPDIR/shallow"
    cd "$BATS_TEST_TMPDIR/shallow"
    run --separate-stderr "$tare" gate -q
    expect 2 "shallow" "git fetch"
    git fetch -q --depth 1 origin main:refs/remotes/origin/main
    run --separate-stderr "$tare" gate -q
    expect 2 "shallow" "--unshallow" "fetch-depth: 0"
    git fetch -q --unshallow
    run --separate-stderr "$tare" gate -q --budget 3s
    expect_green
}

@test "a head and a base that have nothing in common" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q --orphan alone
    commit
    gate
    expect 2 "no commit in common"
}

@test "submodules come along" {
    git init -q -b main "$BATS_TEST_TMPDIR/library"
    (cd "$BATS_TEST_TMPDIR/library" && echo 100 >value && commit)
    value_project speed:lower 1 'gate: [speed]'
    git checkout -q main
    git -c protocol.file.allow=always submodule --quiet add "$BATS_TEST_TMPDIR/library" library
    sed -i 's|cat value|cat library/value|' tare.yaml
    commit
    git checkout -q -B head
    (cd library && echo 200 >value && commit)
    commit
    gate
    expect 1 "report speed"
}

# ---- builds ----

@test "a build that fails on one side" {
    new_project
    echo '#error deliberately broken' >>bench.c
    commit
    gate
    expect 3 "the build of working tree" "deliberately broken"
    git checkout -q -B second main
    git checkout -q main
    echo '#error broken before' >>bench.c
    commit
    git checkout -q -B third
    bench 500
    commit mended
    gate
    expect 3 "the build of main@" "broken before"
}

@test "a build that hangs" {
    new_project 'build_timeout: 1s'
    slower
    gate --build 'while :; do :; done'
    expect 3 "took longer than 1.00 s and was killed"
}

@test "a base that needs head's build line says so" {
    new_project
    git mv bench.c other.c
    sed -i 's/bench.c/other.c/g' Makefile
    sed -i 's/build: make/build: make -f Makefile bench/' tare.yaml
    printf 'all:\n\tfalse\nbench: other.c\n\tcc -O2 -I%s/include other.c %s/libtare.a -lpthread -o bench\n' "$TARE_SOURCE" "$TARE_BUILD" >Makefile
    commit
    gate
    expect 3 "head changes build" "land that change first"
}

@test "a gate that was killed leaves nothing in the way" {
    new_project
    slower
    # The build kills the gate that runs it, and goes on alone for a moment.
    run --separate-stderr sh -c 'echo $$ >"$HOME/pid"; exec "$0" gate -q --base main --budget 3s --build "test -e \$HOME/again || { touch \$HOME/again; kill -9 \$(cat \$HOME/pid); }; make"' "$tare"
    [ "$status" -eq 137 ]
    gate
    expect_red
    [ "$(git worktree list | wc -l)" -eq 1 ]
    [ -z "$(git status --porcelain)" ]
}

@test "killed while it measures: the store opens, and the next gate works" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q main
    sed -i 's/cat value/sh step/' tare.yaml
    echo 'cat value' >step
    commit
    git checkout -q -B head
    cat >step <<'SH'
echo x >>"$HOME/runs"
[ "$(wc -l <"$HOME/runs")" -ne 5 ] || kill -9 "$(cat "$HOME/pid")"
cat value
SH
    commit
    run --separate-stderr sh -c 'echo $$ >"$HOME/pid"; exec "$0" gate -q --base main --budget 20s' "$tare"
    [ "$status" -eq 137 ]
    echo 200 >value
    commit
    gate
    expect 1
}

@test "two gates at once" {
    new_project
    slower
    "$tare" gate -q --base main --budget 3s --retries 0 --json >"$BATS_TEST_TMPDIR/first.json" 2>/dev/null &
    first=$!
    gate --json
    expect_red
    code=0
    wait $first || code=$?
    [[ "$code" -eq 1 || "$code" -eq 4 ]]
    jq -e ".exit == $code" "$BATS_TEST_TMPDIR/first.json"
}

@test "Ctrl-C: what was decided is printed and kept" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q main
    printf '%s\n' 'benchmarks:' "  - {name: first, command: cat value, metrics: ['speed:lower=re:([0-9]+)']}" \
        "  - {name: second, command: sh step, metrics: ['speed:lower=re:([0-9]+)']}" 'gate: [speed]' >tare.yaml
    echo 'echo $((80 + $(od -An -N1 -tu1 /dev/urandom) % 40))' >step
    commit
    git checkout -q -B head
    # Equal in the first, never decided in the second, whose hundredth run interrupts.
    cat >>step <<'SH'
echo x >>"$HOME/runs"
[ "$(wc -l <"$HOME/runs")" -ne 30 ] || kill -INT "$(cat "$HOME/pid")"
SH
    commit
    run --separate-stderr sh -c 'echo $$ >"$HOME/pid"; exec "$0" gate -q --base main --budget 60s --json' "$tare"
    expect 130 "interrupted (exit 130)"
    says '.exit == 130 and ([.comparisons[] | select(.benchmark == "first" and .metric == "speed")] | .[0].verdict == "equivalent")'
    run --separate-stderr "$tare" runs list --json
    says '[.runs[] | select(.state == "interrupted")] | length >= 1'
    run --separate-stderr "$tare" runs show latest --json
    says '[.benchmarks[] | select(.name == "first")] | length == 1'
}

# ---- places that cannot be written to ----

@test "a repository that cannot be written to" {
    new_project
    slower
    if [ "$(id -u)" -eq 0 ]; then
        mount --bind "$project" "$project" 2>/dev/null && mount -o remount,bind,ro "$project" 2>/dev/null ||
            skip "cannot mount a folder read-only here"
        cd "$project"
    else
        chmod -R a-w "$project"
    fi
    touch file 2>/dev/null && skip "the folder can be written to"
    gate
    code=$status
    chmod -R u+w "$project" 2>/dev/null || true
    [[ "$code" -eq 1 || "$code" -eq 4 ]] || fail "read-only"
}

@test "a full disk for the store is a failure, not a pass" {
    value_project speed:lower 100 'gate: [speed]'
    echo 99 >value
    commit
    mkdir "$BATS_TEST_TMPDIR/disk"
    mount -t tmpfs -o size=256k tmpfs "$BATS_TEST_TMPDIR/disk" 2>/dev/null || skip "cannot mount a small disk here"
    TARE_STORE=$BATS_TEST_TMPDIR/disk/store.db gate
    [[ "$status" -eq 0 || "$status" -eq 3 ]] || fail "a small disk"
    head -c 300000 /dev/zero >"$BATS_TEST_TMPDIR/disk/fill" 2>/dev/null || true
    TARE_STORE=$BATS_TEST_TMPDIR/disk/store.db gate
    expect 3
    [[ "$output $stderr" == *full* || "$output $stderr" == *space* ]] || fail "not said"
}

# ---- benchmarks of one side for both ----

@test "bench_from: head tries new benchmarks on old code, base does not let head's decide" {
    value_project speed:lower 100
    git checkout -q main
    mkdir bench
    echo 'cat value' >bench/run
    printf '%s\n' "benchmarks: [{name: report, command: sh bench/run, metrics: ['speed:lower=re:([0-9]+)']}]" \
        'gate: [speed]' 'bench_from: base' 'bench_paths: [bench/]' >tare.yaml
    commit
    git checkout -q -B cheat
    echo 200 >value
    echo 'echo 100' >bench/run
    commit "slower, and a benchmark that does not look"
    gate
    expect 1 "report speed" "benchmarks of main"
    git checkout -q main
    sed -i 's/bench_from: base/bench_from: head/' tare.yaml
    commit
    git checkout -q -B better
    echo 'cat value; echo more >/dev/null' >bench/run
    echo 200 >value
    commit "another way to measure"
    gate
    expect 1 "report speed"
    git checkout -q main
    sed -i 's/bench_from: head/bench_from: base/; s|\[bench/\]|[nowhere/]|' tare.yaml
    commit
    git checkout -q -B lost
    echo 99 >value
    commit
    gate
    expect 2 "nowhere"
}

@test "benchmarks that only one side has are named" {
    new_project 'missing: pass' 'inconclusive: pass'
    git checkout -q main
    bench 500 'TARE_BENCHMARK(gone) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }'
    commit
    git checkout -q -B head
    bench 500 'TARE_BENCHMARK(fresh) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }'
    commit
    gate --json
    [[ "$status" -ne 1 ]]
    says '.missing == ["gone"] and .added == ["fresh"]'
}

@test "against a stored baseline, and one that is not there" {
    value_project speed:lower 100 'gate: [speed]' 'against: release'
    echo 200 >value
    commit
    run --separate-stderr "$tare" gate -q --budget 3s
    expect 5 "release"
}
