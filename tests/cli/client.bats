#!/usr/bin/env bats
# A benchmark program run alone: table, list, filter, JSON, exit codes, and every kind of misfit.

demo() {
    "$TARE_BUILD/examples/demo" "$@"
}

misfit() {
    "$TARE_BUILD/tests/client/misfit" --min-time 2ms "$@"
}

@test "the list names every case with its parameters, and runs nothing" {
    run demo --list
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "sort/qsort n=100" ]
    [ "${lines[1]}" = "sort/radix n=100" ]
    [[ "$output" == *"copy size=1048576"* ]]
    [[ "$output" == *"counter threads=2"* ]]
}

@test "a table with times, rates, speed-up, equality and a fit" {
    run demo --filter '^(sort|hash)' --min-time 5ms
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "libtare "*"subtracted: timer "*" loop "* ]]
    [[ "${lines[1]}" == benchmark*time*"middle half"*speed-up*check* ]]
    [[ "$output" =~ sort/radix\ n=1000\ .*x\ +equal\ .*items/s ]]
    [[ "$output" =~ hash/fnv1a\ size=4096\ .*passed\ .*iB/s ]]
    [[ "$output" == *"hash/fnv1a over size: O("* ]]
    [[ "$output" == *"residual"* ]]
}

@test "latency mode shows percentiles and the timer's floor" {
    run demo --filter '^insert' --min-time 20ms
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" =~ "p50 ".*"p90 ".*"p99 ".*"p99.9 ".*"p99.99 ".*"max ".*"timer floor " ]]
}

@test "JSON is JSON, with everything in it" {
    demo --filter '^(sort|insert|counter)' --min-time 3ms --json >"$BATS_TEST_TMPDIR/out.json"
    jq -e '.tare == 1 and .kind == "run" and .exit == 0' "$BATS_TEST_TMPDIR/out.json"
    jq -e '.benchmarks | length == 11' "$BATS_TEST_TMPDIR/out.json"
    jq -e '.benchmarks[1] | .variant == "radix" and .check == "passed" and .speedup > 0
        and .params.n == "100" and (.metrics | map(.name)) == ["time", "item_rate"]' "$BATS_TEST_TMPDIR/out.json"
    jq -e '.benchmarks[] | select(.name == "insert") | .latency["p99.9"] >= .latency.p50' "$BATS_TEST_TMPDIR/out.json"
    jq -e '.fits | length == 2' "$BATS_TEST_TMPDIR/out.json"
    demo --list --json | jq -e '.kind == "list" and (.benchmarks | length) > 11'
}

@test "a failed check is invalid, never a figure, and exits 3" {
    run misfit --filter wrong
    [ "$status" -eq 3 ]
    [[ "${lines[2]}" =~ ^wrong\ +invalid\ +answer:\ got\ 41,\ want\ 42 ]]
    run misfit --filter wrong --json
    [ "$status" -eq 3 ]
    jq -e '.exit == 3 and .benchmarks[0].state == "invalid" and .benchmarks[0].metrics == []' <<<"$output"
}

@test "a loop left by break, and one the compiler removed, are named" {
    run misfit --filter breaks
    [ "$status" -eq 3 ]
    [[ "$output" =~ breaks\ +failed\ +the\ loop\ was\ left ]]
    # On a CPU shared with others an empty loop may look like work for a while; never a figure though.
    for _ in 1 2 3 4 5; do
        run misfit --filter empty --min-time 20ms
        [ "$status" -eq 3 ]
        [[ "$output" =~ empty\ +deleted\ +costs\ no\ more\ than\ an\ empty\ loop ]]
    done
}

@test "a benchmark that calls exit is named, and the exit code is 3; its forked children may exit" {
    run "$TARE_BUILD/tests/client/leaves" --min-time 2ms
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" =~ stays\ +[0-9.]+\ ns ]]
    [[ "$output" =~ forks\ +[0-9.]+ ]]
    [[ "$output" == *"leaves ended the program"* ]]
    run "$TARE_BUILD/tests/client/leaves" --min-time 2ms --filter '^(stays|forks)'
    [ "$status" -eq 0 ]
}

@test "results that cannot be written are said, and exit 3" {
    [ -e /dev/full ] || skip "no /dev/full here"
    for arguments in "--filter ^counter --min-time 1ms" "--filter ^counter --min-time 1ms --json" --list; do
        # shellcheck disable=SC2086
        run bash -c '"$@" >/dev/full' _ "$TARE_BUILD/examples/demo" $arguments
        echo "$arguments: $status $output"
        [ "$status" -eq 3 ]
        [[ "$output" == *"cannot write the results"* ]]
    done
}

@test "alone and under tare the same states" {
    misfit --json --filter '^(empty|expects|skipped)' >"$BATS_TEST_TMPDIR/alone.json" || [ $? -eq 3 ]
    jq -e '.benchmarks | map({(.name): .state}) | add ==
        {empty: "invalid", expects: "invalid", skipped: "skipped"}' "$BATS_TEST_TMPDIR/alone.json"
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    run "$TARE_BUILD/tare" run --budget 2s --runs 2 --filter '^(empty|expects|skipped)' "$TARE_BUILD/tests/client/misfit"
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" =~ empty[^$'\n']*"costs no more than an empty loop" ]]
    [[ "$output" =~ expects[^$'\n']*"its correctness check failed: x is not what it was" ]]
    [[ "$output" =~ skipped[^$'\n']*"needs a " ]]
}

@test "only skipped benchmarks: nothing was measured, exit 3; the reason is printed safely" {
    run misfit --filter skipped
    [ "$status" -eq 3 ]
    [[ "$output" == *'needs a \x1b[31mGPU'* ]]
}

@test "one wrong benchmark does not hide the others, but decides the exit code" {
    run misfit
    [ "$status" -eq 3 ]
    [[ "$output" =~ good\ +[0-9.]+\ ns ]]
    run misfit --filter good
    [ "$status" -eq 0 ]
}

@test "wrong arguments exit 2 and say what is wrong" {
    for arguments in --what --filter "--filter=(" "--min-time 1parsec" --min-time=0 --list=yes operand; do
        # shellcheck disable=SC2086
        run demo $arguments
        echo "$arguments: $output"
        [ "$status" -eq 2 ]
        [ -n "$output" ]
    done
}

@test "a filter that matches nothing exits 3" {
    run demo --filter nothing_like_this
    [ "$status" -eq 3 ]
    [[ "$output" == *"no benchmark matches"* ]]
}

@test "help shows examples first, version the version" {
    run demo --help
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "Examples:" ]
    [[ "$output" == *"--filter"* ]]
    run demo --version
    [[ "$output" =~ ^libtare\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "no colours in a pipe" {
    run demo --filter '^counter' --min-time 1ms
    [ "$status" -eq 0 ]
    [[ "$output" != *$'\033'* ]]
}

@test "the protocol: list, open, run, close, quit" {
    run python3 "$TARE_SOURCE/tests/client/ask.py" "$TARE_BUILD/examples/first" \
        '{"op":"hello","protocol":1}' '{"op":"list"}' '{"op":"open","benchmark":0}' \
        '{"op":"run","benchmark":0,"iterations":1000}' '{"op":"close","benchmark":0}' '{"op":"quit"}'
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '.ok == "hello" and .protocol == 1 and .timer_ns > 0' <<<"${lines[0]}"
    jq -e '.benchmark == 0 and .name == "parse_number" and .metrics.throughput.unit == "B/s"' <<<"${lines[1]}"
    jq -e '.ok == "run" and .iterations == 1000 and .time_ns > 0' <<<"${lines[4]}"
}

@test "end of file on the pipe ends the program; a broken descriptor list is ignored" {
    run python3 "$TARE_SOURCE/tests/client/ask.py" "$TARE_BUILD/examples/first" '{"op":"list"}'
    [ "$status" -eq 0 ]
    TARE_PROTOCOL_FDS=nonsense run "$TARE_BUILD/examples/first" --list
    [ "$output" = parse_number ]
}

@test "the Python example speaks the protocol in under 80 lines" {
    [ "$(wc -l <"$TARE_SOURCE/examples/protocol.py")" -lt 80 ]
    run python3 "$TARE_SOURCE/tests/client/ask.py" "$TARE_SOURCE/examples/protocol.py" \
        '{"op":"hello","protocol":1}' '{"op":"list"}' '{"op":"open","benchmark":0}' \
        '{"op":"run","benchmark":0,"iterations":3}' '{"op":"run","benchmark":99,"iterations":3}' \
        '{"op":"close","benchmark":0}' '{"op":"quit"}'
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *'"check": "passed"'* ]]
    [[ "$output" == *'"iterations": 3'* ]]
    [[ "$output" == *'{"error": '* ]]
    [[ "$output" == *'{"ok": "quit"}' ]]
}
