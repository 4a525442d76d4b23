#!/usr/bin/env bats
# Goal: whatever a benchmark program does wrong, `tare run` says what happened, exits with the right code, keeps what
# was good, and leaves no process behind. Method: tests/data/misbehave.py, one mode at a time.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    export NO_COLOR=1
    cd "$BATS_TEST_TMPDIR"
}

misbehave() { # MODE: a short run of the program in that mode
    run --separate-stderr "$tare" run --protocol --budget 2s --runs 2 --timeout 5s -- \
        python3 "$TARE_SOURCE/tests/data/misbehave.py" "$1"
}

expect() { # CODE TEXT: exit code, and a text somewhere in the output
    [ "$status" -eq "$1" ] || { echo "exit $status: $output $stderr"; return 1; }
    [[ "$output $stderr" == *"$2"* ]] || { echo "no '$2' in: $output $stderr"; return 1; }
}

@test "a well-behaved program is measured" {
    misbehave none
    expect 0 "100 ns"
    [[ "$stderr" == *"1 of 1 benchmarks"* ]]
}

@test "no benchmarks at all is a failure" {
    misbehave zero
    expect 3 "has no benchmarks"
}

@test "two benchmarks of one name are refused" {
    misbehave twins
    expect 3 "two benchmarks called 'same'"
}

@test "a count that does not agree is refused" {
    misbehave miscount
    expect 3 "listed 1 benchmarks but says it has 2"
}

@test "a name of 10,000 characters is refused" {
    misbehave long
    expect 3 "bad benchmark name"
}

@test "a control character in a name is refused and not printed" {
    misbehave bell
    expect 3 'a\x07b'
}

@test "quotes and markup in a name survive, in text and JSON" {
    misbehave quotes
    expect 0 "it's \"quoted\" <script>"
    "$tare" runs show --json | jq -e '.benchmarks[0].name == "it'"'"'s \"quoted\" <script>"'
}

@test "another protocol version is refused" {
    misbehave old
    expect 3 "speaks protocol 0"
}

@test "a crash is told with its signal" {
    misbehave crash
    expect 3 "signal 11"
    [[ "$output" == *"failed"* ]]
}

@test "an exit is told with its status and last words" {
    misbehave exit
    expect 3 "status 7"
    [[ "$output" == *"no licence"* ]]
}

@test "a hang is ended by --timeout" {
    misbehave hang
    expect 3 "did not answer within 5 s"
}

@test "half a line is told" {
    misbehave half-line
    expect 3 "exited with status 0 while it was asked to run a slice"
}

@test "closed pipes are told" {
    misbehave close
    expect 3 "closed its side"
}

@test "garbage is told without being printed raw" {
    misbehave garbage
    expect 3 "NUL byte"
    [[ "$output" != *$'\x1b[31m'* ]]
}

@test "an endless line is cut off" {
    misbehave endless-line
    expect 3 "more than 4194304 bytes"
}

@test "a flood of output neither blocks nor fails" {
    misbehave flood
    expect 0 "100 ns"
}

@test "children left behind are ended" {
    misbehave child
    expect 0 "100 ns"
    ! pgrep -f 'misbehave.py child'
}

@test "NaN, negative and absurd times are failures" {
    misbehave nan
    expect 3 "not JSON"
    misbehave negative
    expect 3 "time_ns = -5.0"
    misbehave absurd
    expect 3 "time_ns = "
    misbehave zero-time
    expect 3 "no time passes"
}

@test "a clock that runs wild is found out" {
    misbehave lie
    expect 3 "its clock or its unit is wrong"
}

@test "a wrong iteration count is a failure" {
    misbehave wrong-count
    expect 3 "iterations where"
}

@test "an undeclared metric is a failure" {
    misbehave undeclared
    expect 3 "surprise"
}

@test "a failed check gives no figure" {
    misbehave check
    expect 3 "max difference 0.3 > 1e-5"
    "$tare" runs show --json | jq -e '.benchmarks[0].state == "invalid" and (.benchmarks[0].metrics | length) == 0'
}

@test "all benchmarks skipped is not success" {
    misbehave skip
    expect 3 "no GPU here"
}

@test "the program's own error is told, made printable" {
    misbehave error
    expect 3 'cannot open \x1b]0;title\x07 device'
}

@test "a bad exit after quit is a failure" {
    misbehave bad-exit
    expect 3 "status 9"
}

@test "the Python example of the protocol is measured like a native program" {
    run --separate-stderr "$tare" run --protocol --json --runs 2 --budget 60s "$TARE_SOURCE/examples/protocol.py"
    expect 0 '"kind": "run"'
    jq -e '.benchmarks | length > 0' <<<"$output"
    jq -e '[.benchmarks[] | select(.state == "ok") | .metrics[0] | .name == "time" and .launches >= 1 and .median > 0] | all' <<<"$output"
}
