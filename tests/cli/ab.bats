#!/usr/bin/env bats
# Goal: `tare ab` gives the documented verdicts and exit codes for programs and commands, and never green without
# evidence. Method: real programs with real differences so large that noise cannot hide them, and misbehaving ones.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    export NO_COLOR=1
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    unset COLUMNS
    cd "$BATS_TEST_TMPDIR"
}

compare() { run --separate-stderr "$tare" ab "$@"; }

expect() { # CODE TEXT: exit code, and a text somewhere in the output
    [ "$status" -eq "$1" ] || { echo "exit $status: $output $stderr"; return 1; }
    [[ "$output $stderr" == *"$2"* ]] || { echo "no '$2' in: $output $stderr"; return 1; }
}

bench() { # NAME STEPS: a benchmark program that does so many steps
    cat >"$1.c" <<C
#include <tare/tare.h>
TARE_BENCHMARK(work)
{
    TARE_LOOP(t) {
        unsigned long x = 1;
        for (int i = 0; i < $2; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; tare_keep(x); }
    }
}
${3:-}
TARE_MAIN()
C
    # shellcheck disable=SC2086 # flags are words
    cc -O2 ${TARE_CFLAGS:-} -I"$TARE_SOURCE/include" "$1.c" "$TARE_BUILD/libtare.a" -lpthread -o "$1"
}

@test "twice the work is regressed, exit 1, and the sentence says so" {
    bench old 500
    bench new 1000
    compare --budget 30s ./old ./new
    expect 1 "work is"
    [[ "$output" == *"slower"* && "$output" == *"regressed"* ]]
    [[ "$stderr" == *"tare: regressed (exit 1)"* ]]
}

@test "half the work is improved, exit 0" {
    bench old 1000
    bench new 500
    compare --budget 30s --json ./old ./new
    [ "$status" -eq 0 ]
    jq -e '.verdict == "improved" and .exit == 0 and .comparisons[0].ci[1] < 0.8' <<<"$output"
    [ -n "${TARE_CFLAGS:-}" ] || # a sanitizer counts allocations itself
        jq -e '.comparisons[] | select(.metric == "allocations") | .basis == "exact" and .verdict == "equivalent"' <<<"$output"
}

@test "JSON has every field that is promised" {
    bench old 500
    compare --budget 2s --json ./old ./old
    jq -e 'has("tare") and has("kind") and has("id") and has("verdict") and has("level") and has("exit")
        and has("confidence") and has("gated_comparisons") and has("comparisons") and has("counts")
        and has("missing") and has("added") and has("policy_changes") and has("machine") and has("warnings") and has("next")' <<<"$output"
    jq -e '.comparisons[0] | has("benchmark") and has("params") and has("metric") and has("unit") and has("better")
        and has("basis") and has("gated") and has("old") and has("new") and has("ratio") and has("ci") and has("band")
        and has("verdict") and has("level") and has("reason") and has("reason_code") and has("seconds")' <<<"$output"
    jq -e '.comparisons[0].basis == "paired" and .gated_comparisons == 1' <<<"$output"
}

@test "too little time is inconclusive, exit 4, never green" {
    bench old 500
    compare --budget 100ms ./old ./old
    expect 4 "inconclusive"
}

@test "a benchmark that vanished is not a success" {
    bench old 500 'TARE_BENCHMARK(gone) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }'
    bench new 500
    compare --budget 10s ./old ./new
    expect 3 "only old has: gone"
}

@test "a benchmark that is new is said" {
    bench old 500
    bench new 1000 'TARE_BENCHMARK(fresh) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }'
    compare --budget 30s ./old ./new
    expect 1 "only new has: fresh"
}

@test "nothing in common is a failure" {
    bench old 500
    sed 's/(work)/(other)/' old.c >new.c
    # shellcheck disable=SC2086 # flags are words
    cc -O2 ${TARE_CFLAGS:-} -I"$TARE_SOURCE/include" new.c "$TARE_BUILD/libtare.a" -lpthread -o new
    compare ./old ./new
    expect 3 "no benchmark in common"
}

@test "a filter that matches nothing is a usage error" {
    bench old 500
    compare --filter nope ./old ./old
    expect 2 "matches none"
}

@test "a failed check on one side is invalid, exit 3" {
    compare --protocol --budget 10s "$TARE_SOURCE/tests/data/misbehave.py" ./nothing
    [ "$status" -eq 3 ]
}

@test "a side that crashes half-way is invalid with its reason" {
    bench old 500
    bench new 500
    sed -i 's/TARE_LOOP(t) {/static int runs; if (++runs > 3) __builtin_trap(); TARE_LOOP(t) {/' new.c
    # shellcheck disable=SC2086 # flags are words
    cc -O2 ${TARE_CFLAGS:-} -I"$TARE_SOURCE/include" new.c "$TARE_BUILD/libtare.a" -lpthread -o new
    compare --budget 10s ./old ./new
    expect 3 "invalid: new is failed"
}

@test "one side missing is told" {
    bench old 500
    compare ./old ./no-such-program
    expect 3 "no-such-program"
}

@test "commands are compared run by run" {
    compare --budget 30s -n count "perl -e '\$x += \$_ for 1..100000'" "perl -e '\$x += \$_ for 1..1000000'"
    expect 1 "count is"
    compare --budget 30s --json -n count "perl -e '\$x += \$_ for 1..100000'" "perl -e '\$x += \$_ for 1..1000000'"
    jq -e '.comparisons[] | select(.metric == "cpu") | .gated == false and .basis == "paired"' <<<"$output"
}

@test "--gate chooses the metrics that decide" {
    compare --budget 30s --gate memory "perl -e '\$x=\"a\"x1000000'" "perl -e '\$x=\"a\"x80000000'" -n grow
    expect 1 "grow memory is"
}

@test "--same-output finds another answer" {
    compare --same-output --budget 5s 'echo one' 'echo two' -n say
    expect 3 "old prints 'one', new 'two'"
    compare --same-output --budget 200ms 'echo one' 'echo one' -n say
    [ "$status" -ne 3 ]
}

@test "an interrupt prints what is known and exits 130" {
    # TERM, because a shell's background job ignores INT; both are handled alike.
    bench old 500
    "$tare" ab --budget 60s --min-effect 0 "$PWD/old" "$PWD/old" >out 2>err &
    local pid=$!
    until [ -s err ] && pgrep -f "^$PWD/old" >sides; do
        kill -0 "$pid" # else it ended by itself
    done
    kill -TERM "$pid"
    local code=0
    wait "$pid" || code=$?
    [ "$code" -eq 130 ]
    grep -q 'interrupted (exit 130)' err
    ! pgrep -f "^$PWD/old"
}

@test "wrong words are usage errors" {
    compare
    expect 2 "OLD and NEW"
    compare one
    expect 2 "OLD and NEW"
    compare --min-effect=-1 a b
    [ "$status" -eq 2 ]
    compare --no-such a b
    [ "$status" -eq 2 ]
}

@test "--gate with a metric that nothing has is a usage error with the known ones" {
    compare --gate nope --budget 1s true true -n t
    expect 2 "time, user, system"
}

@test "peaks below what can be told are not called equivalent" {
    compare --gate memory --budget 5s true true -n t --json
    [ "$status" -ne 0 ] || jq -e '.comparisons[0].old.median > 1000000' <<<"$output"
}

@test "several new sides are told apart" {
    bench old 500
    bench new 1000
    cp old third
    compare --budget 20s --json ./old ./new ./third
    jq -e '[.comparisons[] | select(.metric == "time") | .new_name] | sort == ["./new", "./third"]' <<<"$output"
}

@test "a slice longer than a second is refused" {
    compare --slice 1h a b
    expect 2 "--slice must be"
}

witness() { # NAME: a program that writes down, when its benchmark is opened, how it was placed
    bench "$1" 500 '#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void note(struct tare_state *t)
{
    (void)t;
    FILE *file = fopen("seen", "a");
    const char *tunables = getenv("GLIBC_TUNABLES");
    fprintf(file, "nice %d tunables %s\n", nice(0), tunables != NULL ? tunables : "none");
    fclose(file);
}
TARE_DESCRIBE(work) { tare_setup(d, note, NULL); }'
}

@test "all sides get huge pages, and the run says so, unless told otherwise" {
    unset GLIBC_TUNABLES
    witness old
    compare --budget 500ms ./old ./old
    grep -q 'tunables glibc.malloc.hugetlb=1' seen
    sqlite3 "$TARE_STORE" .dump | grep -q malloc_huge_pages
    rm seen "$TARE_STORE"
    compare --budget 500ms --no-huge-pages ./old ./old
    [ -s seen ] && ! grep -q hugetlb seen
    ! sqlite3 "$TARE_STORE" .dump | grep -q malloc_huge_pages
}

@test "all sides get the same priority, raised only where permitted and wanted" {
    witness old
    own=$(nice)
    compare --budget 500ms --no-priority ./old ./old
    [ "$(cut -d' ' -f2 seen | sort -u)" = "$own" ]
    rm seen
    compare --budget 500ms ./old ./old
    [ "$(cut -d' ' -f2 seen | sort -u | wc -l)" -eq 1 ]
    if nice -n -10 true 2>/dev/null && [ "$(nice -n -10 nice 2>/dev/null)" -lt "$own" ]; then
        [ "$(sort -u seen | cut -d' ' -f2 | head -1)" -lt "$own" ]
        [[ "$stderr" == *"raised priority"* ]]
    else
        [[ "$stderr" != *"raised priority"* ]]
    fi
}
