#!/usr/bin/env bats
# Goal: programs of Google Benchmark are driven benchmark by benchmark, in `tare run` and `tare ab`, and whatever goes
# wrong in them is told. Method: tests/data/gbench_program.cc, which goes wrong on request (GBENCH_MODE). Nothing here
# looks at a figure's size.

bats_require_minimum_version 1.5.0

setup_file() {
    export PROGRAM=$BATS_FILE_TMPDIR/program
    printf '#include <benchmark/benchmark.h>\n' >"$BATS_FILE_TMPDIR/probe.cc"
    if ! g++ -fsyntax-only "$BATS_FILE_TMPDIR/probe.cc" 2>/dev/null; then
        skip "g++ or libbenchmark-dev is not installed (tools/setup test)"
    fi
    g++ -O2 "$TARE_SOURCE/tests/data/gbench_program.cc" -o "$PROGRAM" -lbenchmark -lpthread
}

setup() {
    tare=$TARE_BUILD/tare
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    export NO_COLOR=1
    unset GBENCH_MODE
    cd "$BATS_TEST_TMPDIR"
}

measure() { # MODE [OPTIONS…]: a short run of the program in that mode
    export GBENCH_MODE=$1
    shift
    run --separate-stderr "$tare" run --budget 5s --runs 2 --timeout 20s "$@" "$PROGRAM"
}

expect() { # CODE TEXT: exit code, and a text somewhere in the output
    [ "$status" -eq "$1" ] || { echo "exit $status: $output $stderr"; return 1; }
    [[ "$output $stderr" == *"$2"* ]] || { echo "no '$2' in: $output $stderr"; return 1; }
}

names() { jq -r '.benchmarks[].name' <<<"$output"; }

@test "every benchmark is measured under its own name" {
    measure "" --json
    expect 0 '"kind"'
    [ "$(names)" = "$("$PROGRAM" --benchmark_list_tests=true)" ]
    jq -e '[.benchmarks[].metrics[] | select(.name == "time") | .unit == "ns" and .launches == 2 and .n >= 2
            and .median > 0] | length == 4 and all' <<<"$output"
}

@test "CPU time, throughput and item rate are kept with their direction, other counters are not" {
    measure "" --json
    expect 0 '"kind"'
    jq -e '.benchmarks[0].metrics | map([.name, .unit, .better]) == [["time", "ns", "lower"], ["cpu", "ns", "lower"],
           ["throughput", "B/s", "higher"], ["item_rate", "1/s", "higher"]]' <<<"$output"
    jq -e '.benchmarks[2].metrics | map(.name) == ["time", "cpu"]' <<<"$output"
}

@test "--filter chooses among them" {
    measure "" --json --filter '^sum/64$'
    expect 0 '"kind"'
    [ "$(names)" = "sum/64" ]
}

@test "the program's own flags stand behind --" {
    run --separate-stderr "$tare" run --json --budget 5s --runs 1 -- "$PROGRAM" --benchmark_filter=sum \
        --benchmark_repetitions=7
    expect 0 '"kind"'
    [ "$(names)" = $'sum/64\nsum/4096' ]
}

@test "flags hidden in the environment do not count" {
    export BENCHMARK_FILTER=nothing BENCHMARK_REPORT_AGGREGATES_ONLY=true BENCHMARK_OUT=stolen.json
    measure "" --json --filter '^sum/64$'
    expect 0 '"kind"'
    [ ! -e stolen.json ]
}

@test "what a program prints itself does not matter" {
    measure chatty --json
    expect 0 '"kind"'
    [ "$(names)" = "$(GBENCH_MODE='' "$PROGRAM" --benchmark_list_tests=true)" ]
}

@test "a benchmark that skips with an error has failed, the others are kept" {
    measure error
    expect 3 "the benchmark says: no data"
    [[ "$output" == *"sum/64"* ]]
    "$tare" runs show --json | jq -e '[.benchmarks[] | select(.metrics | length > 0)] | length == 4'
}

@test "a crash is told with its signal" {
    measure crash --filter wrong
    expect 3 "signal 6"
}

@test "an exit is told with its status and last words" {
    measure exit --filter wrong
    expect 3 "status 7"
    [[ "$output" == *"no licence"* ]]
}

@test "a program that fails after its benchmarks has failed" {
    measure status
    expect 3 "exited with status 9"
}

@test "a hang is ended by --timeout" {
    export GBENCH_MODE=hang
    run --separate-stderr "$tare" run --budget 5s --runs 1 --timeout 2s --filter wrong "$PROGRAM"
    expect 3 "timed out"
}

@test "no benchmarks at all is a failure" {
    measure none
    expect 3 "has no benchmarks"
}

@test "two benchmarks of one name are refused" {
    measure twins
    expect 3 "two benchmarks called 'wrong'"
}

@test "a program that ignores the flags is told" {
    measure deaf
    expect 3 "benchmark::Initialize"
}

@test "aggregates alone are no samples" {
    measure aggregates --filter summed
    expect 3 "reports only aggregates"
}

@test "two builds are compared benchmark by benchmark" {
    cp "$PROGRAM" "$BATS_TEST_TMPDIR/new"
    run --separate-stderr "$tare" ab --json --budget 5s --filter sum "$PROGRAM" "$BATS_TEST_TMPDIR/new"
    [ "$status" -ne 2 ] && [ "$status" -ne 3 ] || { echo "exit $status: $stderr"; return 1; }
    jq -e '[.comparisons[] | select(.metric == "time") | .benchmark] | sort == ["sum/4096", "sum/64"]' <<<"$output"
    jq -e '.comparisons[] | select(.metric == "time") | .basis == "paired" and .old.n == .new.n
           and .old.launches == .new.launches and .old.n > .old.launches' <<<"$output"
}

@test "a benchmark that fails on one side makes the comparison invalid" {
    export GBENCH_MODE=error
    cp "$PROGRAM" "$BATS_TEST_TMPDIR/new"
    run --separate-stderr "$tare" ab --json --budget 5s --filter wrong "$PROGRAM" "$BATS_TEST_TMPDIR/new"
    expect 3 "no data"
    jq -e '.comparisons[0].verdict == "invalid"' <<<"$output"
}

@test "a program of tare.yaml is driven too" {
    cp "$PROGRAM" bench
    printf 'benchmarks:\n  - program: ./bench\n' >tare.yaml
    run --separate-stderr "$tare" run --json --budget 5s --runs 1
    expect 0 '"kind"'
    [ "$(names | head -n 1)" = "sum/64" ]
}

@test "instructions cannot be counted, which is told" {
    command -v valgrind >/dev/null || skip "no Valgrind here"
    measure "" --count instructions
    expect 3 "Google Benchmark does not mark its loops"
}
