#!/usr/bin/env bats
# Goal: thirteen lies that performance tools have been seen to tell cannot be told here. Method: each test puts the
# situation before tare and looks at the exit code and at what is said. Differences are so large, or so exact, that no
# noise can hide them; nothing depends on how long anything takes.

load project

setup() { gate_setup; }

misbehave=$TARE_SOURCE/tests/data/misbehave.py

@test "lie 1: a report without any metric is not stable" {
    mkdir "$BATS_TEST_TMPDIR/reports"
    cd "$BATS_TEST_TMPDIR/reports"
    echo '{}' >empty.json
    echo '{"results": []}' >hyperfine.json
    echo '{"context": {}, "benchmarks": []}' >gbench.json
    : >nothing.json
    for file in *.json; do
        run --separate-stderr "$tare" import "$file"
        [[ "$status" -eq 2 || "$status" -eq 3 ]] || fail "$file"
        [[ -n "$stderr" ]] || fail "$file: no word"
    done
    run --separate-stderr "$tare" compare latest~1 latest
    [[ "$status" -ne 0 ]] || fail "compare of nothing"
    new_project
    sed -i '/^TARE_BENCHMARK/,/^}/d' bench.c
    commit "no benchmark is left"
    gate
    expect 3 "no benchmarks"
}

@test "lie 2: a benchmark that fails has no figure, and what is kept is none" {
    for mode in crash exit half-line nan; do
        run --separate-stderr "$tare" run --protocol --budget 2s --json -- "$misbehave" $mode
        expect 3
        says '[.benchmarks[]?.metrics[]? | select(.n > 0)] == []'
    done
    run --separate-stderr "$tare" run --json -- false
    expect 3
    says '[.benchmarks[]?.metrics[]? | select(.n > 0)] == []'
    # What failed says nothing, neither as the old side nor as the new one.
    "$tare" run -q --runs 10 -- true
    run --separate-stderr "$tare" compare latest~1 latest
    expect 3
    run --separate-stderr "$tare" compare latest latest~1
    expect 3
}

@test "lie 3: percentiles, memory and processor time come from what was measured" {
    cd "$BATS_TEST_TMPDIR"
    # Nineteen values of 1 and one of 1000: a multiple of the mean is nowhere near.
    cat >values <<'SH'
#!/bin/sh
count=$(cat count 2>/dev/null || echo 0)
echo $((count + 1)) >count
[ $((count % 20)) -eq 0 ] && echo 1000 || echo 1
SH
    chmod +x values
    run --separate-stderr "$tare" run --runs 20 --json --samples --metric 'value:lower=re:([0-9]+)' -- ./values
    expect 0
    says '.benchmarks[0].metrics[] | select(.name == "value")
        | .n == 20 and .p50 == 1 and .max == 1000 and .min == 1 and (.mean - 50.95 | fabs) < 0.001 and .p99 > 500'
    run --separate-stderr "$tare" run --runs 3 --json -- perl -e '$x = "a" x 100_000_000; $s += $_ for 1..3_000_000'
    big=$(jq '.benchmarks[0].metrics[] | select(.name == "memory") | .median' <<<"$output")
    busy=$(jq '.benchmarks[0].metrics[] | select(.name == "cpu") | .median' <<<"$output")
    run --separate-stderr "$tare" run --runs 3 --json -- perl -e 1
    small=$(jq '.benchmarks[0].metrics[] | select(.name == "memory") | .median' <<<"$output")
    idle=$(jq '.benchmarks[0].metrics[] | select(.name == "cpu") | .median' <<<"$output")
    jq -n -e "$big - $small > 90000000 and $busy > 3 * $idle"
    # No figure stands for something that was not measured.
    says '[.benchmarks[0].metrics[] | select(.name == "accuracy" or .name == "load_time" or .name == "gpu")] == []'
}

@test "lie 4: the documented threshold is the one that counts, and one that is misspelt is an error" {
    value_project speed:lower 100 'gate: [speed]' 'thresholds: {speed: {warning: 3%, critical: 10%}}'
    echo 105 >value
    commit slower
    gate
    expect 1 "limit 3 %"
    git checkout -q main
    sed -i 's/warning: 3%/warning: 6%/' tare.yaml
    commit "another threshold"
    git checkout -q -b second
    echo 105 >value
    commit slower
    gate
    expect 0 "limit"
    git checkout -q main
    sed -i 's/warning: 6%/warnnig: 6%/' tare.yaml
    commit misspelt
    git checkout -q -b third
    echo 105 >value
    commit slower
    gate
    expect 2 "tare.yaml:3:" "unknown key 'warnnig'" "did you mean 'warning'"
}

@test "lie 5: a regression that is printed is in the exit code, in every form of output" {
    value_project speed:lower 100 'gate: [speed]'
    echo 120 >value
    commit slower
    gate
    expect 1 "FAIL" "(exit 1)"
    gate --json
    expect 1
    says '.exit == 1 and .gate.outcome == "fail" and .counts.regressed >= 1'
    run bash -c "'$tare' gate -q --base main --budget 3s --json 2>&1 >/dev/null"
    expect 1 "(exit 1)"
    if [ -e /dev/full ]; then
        run bash -c "'$tare' gate -q --base main --budget 3s >/dev/full"
        expect 1
    fi
    printf 'echo 100\n' >old
    printf 'echo 120\n' >new
    run --separate-stderr "$tare" ab -q --gate value --metric 'value:lower=re:([0-9]+)' 'sh old' 'sh new' -n both
    expect 1 "regressed" "(exit 1)"
    # The threshold of the command line changes the code, too.
    run --separate-stderr "$tare" ab -q --min-effect 30% --gate value --metric 'value:lower=re:([0-9]+)' 'sh old' 'sh new' -n both
    expect 0 "equivalent"
}

@test "lie 6: the interval comes from the data" {
    cd "$BATS_TEST_TMPDIR"
    echo 'echo 100' >steady
    echo 'echo $((80 + $(od -An -N1 -tu1 /dev/urandom) % 40))' >wild
    compare() { run --separate-stderr "$tare" ab -q --json --budget 3s --gate value --metric 'value:lower=re:([0-9]+)' "$@" -n both; }
    compare 'sh steady' 'sh steady '
    says '.comparisons[] | select(.metric == "value") | .ci == [1, 1] and .verdict == "equivalent"'
    compare 'sh wild' 'sh wild '
    says '.comparisons[] | select(.metric == "value") | .ci[1] - .ci[0] > 0.02 and .verdict == "inconclusive"'
    [ "$status" -eq 4 ]
}

@test "lie 7: what is measured is the thing itself, workloads are not pooled, and a floor is a floor" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$tare" run --runs 5 --json --param n=1,50 -- perl -e 'print "x" x {n} . "\n"; $x = "a" x ({n} * 1_000_000)'
    expect 0
    says '(.benchmarks | length) == 2 and ([.benchmarks[].params.n] | sort) == ["1", "50"]'
    says '[.benchmarks[] | .metrics[] | select(.name == "memory") | .median] | max - min > 40000000'
    value_project speed:higher 100 'gate: [speed]' 'require: [{match: report, metric: speed, at_least: 200}]'
    commit "nothing changed"
    gate
    expect 1 "at least 200" "not met"
    gate --json
    says '.exit == 1 and .gate.outcome == "fail" and .gate.requirements[0].gate == "fail"'
}

@test "lie 8: a benchmark that vanished, or whose result is wrong, is noticed" {
    new_project
    git checkout -q main
    bench 500 'TARE_BENCHMARK(other) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }'
    commit "two benchmarks"
    git checkout -q -B head
    bench 500
    commit "one benchmark"
    gate
    expect 3 "other" "missing: fail"
    git checkout -q -B wrong main
    sed -i 's/TARE_LOOP(t) {/tare_check(t, 0, "sum is 3, want 4"); &/' bench.c
    commit "wrong result"
    gate
    expect 3 "sum is 3, want 4"
}

@test "lie 9: the direction of a metric is what was declared, whatever its name holds" {
    # "items" contains "ms", "throughput_time" both a rate and a time.
    for name in items throughput_time latency_per_second; do
        rm -rf "$project"
        value_project "$name:higher" 100 "gate: [$name]"
        echo 50 >value
        commit lower
        gate --json
        expect 1
        says ".comparisons[0] | .metric == \"$name\" and .better == \"higher\" and .verdict == \"regressed\""
        rm -rf "$project"
        value_project "$name:lower" 100 "gate: [$name]"
        echo 50 >value
        commit lower
        gate --json
        expect 0
        says ".comparisons[0] | .better == \"lower\" and .verdict == \"improved\""
    done
}

@test "lie 10: a proven change is not within the noise, and a leap is not just progress" {
    value_project speed:higher 100 'gate: [speed]'
    echo 91.58 >value
    commit slower
    gate --json
    expect 1
    says '.comparisons[0] | .verdict == "regressed" and .gate == "fail" and (.ratio - 0.9158 | fabs) < 1e-9'
    git checkout -q -B leap main
    echo 1700 >value
    commit "seventeen times"
    gate
    expect 0 "make sure that it" "same work"
}

@test "lie 11: exactly at a threshold is not beyond it" {
    value_project speed:higher 2.33 'gate: [speed]' 'thresholds: {speed: {warning: 10%}}'
    echo 2.097 >value
    commit "exactly a tenth"
    gate
    expect 0
    echo 2.0969 >value
    commit "a little more"
    gate
    expect 1
    rm -rf "$project"
    value_project score:higher 0.998 'gate: [score]' 'thresholds: {score: {warning: 0.002 absolute}}'
    echo 0.996 >value
    commit "exactly two thousandths"
    gate
    expect 0
    echo 0.9959 >value
    commit "a little more"
    gate
    expect 1
}

@test "lie 12: runs of different machines are not compared as if alike" {
    cd "$BATS_TEST_TMPDIR"
    "$TARE_BUILD/tests/fault/store_seed" "$TARE_STORE" 0 1 "Other CPU"
    "$tare" baseline save main -q
    "$TARE_BUILD/tests/fault/store_seed" "$TARE_STORE" 1 1 here
    run --separate-stderr "$tare" compare latest~1 latest
    expect 3 "machine" "invalid"
    run --separate-stderr "$tare" compare --json latest~1 latest
    says '.exit == 3 and .counts.regressed + .counts.improved + .counts.equivalent + .counts.inconclusive == 0'
    # A baseline of another machine is none here.
    run --separate-stderr "$tare" compare main latest
    expect 5 "machine"
}

@test "lie 13: one run against another of one commit proves nothing" {
    cd "$BATS_TEST_TMPDIR"
    git init -q .
    # Two runs far apart, as one busy moment makes them.
    "$tare" run -q --runs 10 -n one --metric 'value:lower=re:([0-9]+)' -- echo 100
    "$tare" run -q --runs 10 -n one --metric 'value:lower=re:([0-9]+)' -- echo 400
    run --separate-stderr "$tare" compare latest~1 latest --gate value
    expect 4 "inconclusive"
    run --separate-stderr "$tare" compare latest~1 latest --gate value --json
    says '.exit == 4 and .counts.regressed == 0'
}
