#!/usr/bin/env bats
# Goal: `tare run` measures commands as documented, and every wrong argument or failing command gets its message and
# exit code. Method: small real commands; no assertion on elapsed time.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    export NO_COLOR=1
    unset COLUMNS
    cd "$BATS_TEST_TMPDIR"
}

measure() { run --separate-stderr "$tare" run --budget 5s --runs 5 "$@"; }

expect() { # CODE TEXT: exit code, and a text somewhere in the output
    [ "$status" -eq "$1" ] || { echo "exit $status: $output $stderr"; return 1; }
    [[ "$output $stderr" == *"$2"* ]] || { echo "no '$2' in: $output $stderr"; return 1; }
}

@test "a command behind -- is measured without a shell" {
    measure -- sh -c 'exit 0'
    expect 0 "1 of 1 benchmarks"
    [[ "$output" == *"sh -c 'exit 0'"* ]]
}

@test "JSON has every metric of a command, with unit and direction" {
    measure --json -- true
    [ "$status" -eq 0 ]
    jq -e '.tare == 1 and .kind == "run" and .exit == 0' <<<"$output"
    jq -e '.benchmarks[0].metrics | map(.name) | contains(["time","user","system","cpu","memory","minor_faults","major_faults","voluntary_switches","involuntary_switches"])' <<<"$output"
    jq -e '.benchmarks[0].metrics[] | select(.name == "memory") | .unit == "B" and .better == "lower" and .n == 5 and .launches == 5' <<<"$output"
    jq -e '.benchmarks[0].metrics[0] | .ci[0] <= .estimate and .estimate <= .ci[1]' <<<"$output"
}

@test "--samples adds every sample and every launch" {
    measure --json --samples -- true
    jq -e '.benchmarks[0].metrics[0].samples | length == 5' <<<"$output"
    jq -e '.benchmarks[0].launches | length == 5 and (map(.environment_padding_bytes) | unique | length) > 1' <<<"$output"
}

@test "peak memory is of each child, not of the largest so far" {
    measure --json -n big -n small "perl -e '\$x=\"a\"x60000000'" "true"
    jq -e '[.benchmarks[].metrics[] | select(.name == "memory") | .max] | .[0] > 60000000 and .[1] < 30000000' <<<"$output"
}

@test "parameters make one benchmark each, values become words" {
    measure --json -P n=1..3 "sh -c 'exit \$(({n} - {n}))'"
    [ "$status" -eq 0 ]
    jq -e '[.benchmarks[].params.n] == ["1","2","3"]' <<<"$output"
}

@test "a metric is read from the output" {
    measure --json --metric 'speed[tok/s]:higher=re:([0-9.]+) tok/s' -- echo '12.5 tok/s'
    jq -e '.benchmarks[0].metrics[] | select(.name == "speed") | .median == 12.5 and .unit == "tok/s" and .better == "higher"' <<<"$output"
}

@test "a metric that is not in the output is a failure, not a zero" {
    measure --metric 'speed:higher=re:([0-9.]+) tok/s' -- echo nothing
    expect 3 "speed"
}

@test "expected output is checked byte for byte" {
    echo hello >expected
    measure --expect-output expected -- echo hello
    expect 0 "passed"
    measure --expect-output expected -- echo hallo
    expect 3 "failed"
}

@test "--output keeps what the command printed" {
    measure --output kept -- echo hello
    [ "$(cat kept)" = hello ]
}

@test "prepare and conclude run around every run, setup and cleanup once" {
    measure -p 'echo p >>log' -c 'echo c >>log' -s 'echo s >>log' --cleanup 'echo e >>log' -w 1 -- true
    [ "$status" -eq 0 ]
    [ "$(tr -d '\n' <log)" = "spcpcpcpcpcpce" ]
}

@test "a failing prepare is told by name" {
    measure -p 'exit 4' -- true
    expect 3 "prepare"
}

@test "standard input comes from --input" {
    echo 42 >in
    measure --metric 'n:higher=re:([0-9]+)' --input in --json -- cat
    jq -e '.benchmarks[0].metrics[] | select(.name == "n") | .median == 42' <<<"$output"
}

@test "--shell runs a line, without it shell characters are refused" {
    measure 'true | true'
    expect 2 "--shell"
    measure --shell 'true | true'
    expect 0 "1 of 1"
}

@test "exit codes: unexpected fails, expected and ignored do not" {
    measure -- sh -c 'exit 3'
    expect 3 "exited with status 3"
    measure --exit-code 3 -- sh -c 'exit 3'
    expect 0 "1 of 1"
    measure -i -- sh -c 'exit 3'
    expect 0 "1 of 1"
}

@test "a command that is not there fails, the other is still measured and kept" {
    measure no-such-command true
    expect 3 "not found"
    [[ "$stderr" == *"1 of 2 benchmarks"* ]]
    "$tare" runs show --json | jq -e '[.benchmarks[].state] == ["failed","ok"]'
}

@test "a directory, a text file and an empty word are told apart" {
    touch plain
    measure -- "$BATS_TEST_TMPDIR"
    expect 3 "directory"
    measure -- ./plain
    expect 3 "not executable"
    measure ''
    [ "$status" -eq 2 ]
}

@test "a hang is ended with its children" {
    local nap="sleep $((1000000 + $$))" # told apart from those of other tests
    run --separate-stderr "$tare" run --runs 1 --timeout 200ms --shell "$nap & wait"
    expect 3 "did not end within 0.2 s"
    ! pgrep -f "$nap"
}

@test "Ctrl-C keeps what was finished and exits 130" {
    # The second command says that it runs and then waits; a real SIGINT goes to the tool's own process, by its number.
    # env puts the signal's default back, which a shell takes from its background jobs.
    env --default-signal=INT "$tare" run --runs 3 --shell -n first -n waits true 'touch running; exec tail -f /dev/null' \
        >out 2>err &
    local pid=$! code=0
    until [ -e running ]; do
        kill -0 "$pid" # it must still be there
    done
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" -eq 130 ] || { echo "exit $code $(cat err)"; false; }
    "$tare" runs show --json | jq -e '.state == "interrupted" and [.benchmarks[].name] == ["first"]'
}

@test "an unknown option gets the nearest known one" {
    run "$tare" run --buget 3s -- true
    [ "$status" -eq 2 ]
    [[ "$output" == *"--budget"* ]]
}

@test "wrong values are refused with an example" {
    for option in --budget=fast --precision=x --confidence=200% --runs=1.5 --runs=-1 --cpu=x --exit-code=999 --param=n --metric=x; do
        run "$tare" run "$option" -- true
        [ "$status" -eq 2 ] || { echo "$option: $status $output"; false; }
    done
}

@test "a parameter or a name that nothing uses is a mistake" {
    measure -P n=1,2 -- true
    expect 2 "{n}"
    measure -n a -n b -- true
    expect 2 "2 --name for 1 command"
}

@test "nothing to measure is a usage error" {
    run "$tare" run
    [ "$status" -eq 2 ]
    [[ "$output" == *"nothing to measure"* ]]
}

@test "the same command twice needs names" {
    measure true true
    expect 2 "--name"
    measure -n one -n two true true
    expect 0 "2 of 2"
}

@test "a full standard output is a failure" {
    [ -e /dev/full ] || skip "no /dev/full here"
    run bash -c "'$tare' run -q --runs 2 -- true >/dev/full"
    [ "$status" -eq 3 ]
}

@test "help shows examples before options" {
    run "$tare" run --help
    [ "$status" -eq 0 ]
    [[ "${output%%Options:*}" == *"tare run ./bench"* ]]
}

@test "tare.yaml lists what to measure, from any folder below it" {
    mkdir -p deep/er
    printf 'project: demo\nstore: kept.db\nbenchmarks:\n  - {name: nothing, command: "true"}\n' >tare.yaml
    unset TARE_STORE
    cd deep/er
    run --separate-stderr "$tare" run --runs 3 --json
    [ "$status" -eq 0 ]
    jq -e '.project == "demo" and .benchmarks[0].name == "nothing"' <<<"$output"
    [ -s ../../kept.db ]
    "$tare" runs list | grep -q "tare run"
}

@test "a mistake in tare.yaml is told with line and column" {
    printf 'project: demo\nbuget: 3s\n' >tare.yaml
    run "$tare" run -- true
    [ "$status" -eq 2 ]
    [[ "$output" == *"tare.yaml:2:1"* && "$output" == *"budget"* ]]
}

@test "--runs is exact, whatever the budget" {
    run --separate-stderr "$tare" run --runs 3 --budget 1ms --json -- sleep 0.01
    [ "$status" -eq 0 ]
    jq -e '.benchmarks[0].metrics[0].n == 3' <<<"$output"
}

@test "options for commands are refused when there is no command" {
    for option in --expect-output=x --exit-code=9 --prepare=false --input=nope '--metric=a:lower=re:([0-9]+)' --warmup=3 --shell; do
        run --separate-stderr "$tare" run --runs 1 "$option" "$TARE_BUILD/examples/first"
        expect 2 "is for commands"
    done
}

@test "--list --json lists" {
    run --separate-stderr "$tare" run --list --json -- true
    [ "$status" -eq 0 ]
    jq -e '[.benchmarks[].name] == ["true"]' <<<"$output"
}
