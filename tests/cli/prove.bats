#!/usr/bin/env bats
# Goal: `tare prove` makes real comparisons with a known truth and reports them. Method: a small program, few trials; only
# what cannot be luck is asserted.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    export NO_COLOR=1
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    cd "$BATS_TEST_TMPDIR"
}

prove() { run --separate-stderr "$tare" prove "$TARE_BUILD/examples/first" "$@"; }

@test "half as much work again is found, and the table says so" {
    prove --trials 1 --each 20s --effects 50% --json
    [ "$status" -eq 0 ]
    jq -e '.kind == "prove" and .exit == 0 and .scenarios[0].n == 1 and .scenarios[0].regressed == 1' <<<"$output"
    jq -e '.scenarios[0].trials[0] | .added > 0.45 and .added < 0.55 and .ratio > 1.1' <<<"$output"
}

@test "the default scenarios are there, with and without a band" {
    prove --trials 1 --each 50ms --json
    [ "$status" -eq 3 ] # too short for any interval: nothing proved
    jq -e '[.scenarios[] | [.added, .band]] | length == 10' <<<"$output"
    jq -e '[.scenarios[] | select(.added == 0)] | length == 2' <<<"$output"
}

@test "the result is kept in the store" {
    prove --trials 1 --each 50ms --effects 0 -q
    [ "$status" -eq 3 ]
    sqlite3 "$TARE_STORE" "SELECT text FROM document WHERE kind = 'prove'" | jq -e '.scenarios | length == 1'
}

@test "nothing is left behind" {
    TMPDIR=$BATS_TEST_TMPDIR/tmp
    mkdir "$TMPDIR"
    export TMPDIR
    prove --trials 1 --each 50ms --effects 0
    [ -z "$(ls -A "$TMPDIR")" ]
}

@test "a command is no benchmark program" {
    run --separate-stderr "$tare" prove /bin/true
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"no benchmark program"* ]]
}

@test "wrong words are usage errors, a missing program is not" {
    run "$tare" prove
    [ "$status" -eq 2 ]
    prove --effects x
    [ "$status" -eq 2 ]
    prove --trials 0
    [ "$status" -eq 2 ]
    run "$tare" prove ./nothing-here
    [ "$status" -eq 3 ]
}

@test "comparisons without a change are kept as noise; those with added work are not" {
    prove --trials 2 --each 2s --effects 0,50% --json -q
    [ "$status" -eq 0 ]
    intervals=$(jq '[.scenarios[] | select(.added == 0).trials[] | select(.ci != null)] | length' <<<"$output")
    [ "$(sqlite3 "$TARE_STORE" "SELECT count(*) FROM noise")" -eq "$intervals" ]
    [ "$(sqlite3 "$TARE_STORE" "SELECT count(*) FROM noise WHERE kind <> 'prove' OR metric <> 'time' OR launches < 8")" -eq 0 ]
    [ "$intervals" -eq 0 ] || [ "$(sqlite3 "$TARE_STORE" "SELECT max(abs(log_ratio)) < 0.2 FROM noise")" -eq 1 ]
}
