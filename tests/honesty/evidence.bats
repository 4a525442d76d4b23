#!/usr/bin/env bats
# Goal: nothing is green because nothing was measured. Method: projects whose head measures nothing, too little, or
# something that is not to be believed; the answer is the documented exit code and a message that says what.

load project

setup() { gate_setup; }

SCORE='"metrics":{"score":{"unit":"1","better":"higher"}}'

claims() { printf '%s\n' "$1" >claims.json; }

# A project of a program that reports what its file says: nothing is compiled, and nothing depends on time.
claims_project() { # CLAIMS [LINE…]
    mkdir -p "$project"
    cd "$project" || return 1
    git init -q -b main .
    cp "$TARE_SOURCE/tests/honesty/claims.py" bench.py
    claims "$1"
    printf '%s\n' 'benchmarks: [{program: ./bench.py, protocol: true}]' "${@:2}" >tare.yaml
    commit first
    git checkout -q -b head
}

head_claims() { # CLAIMS
    claims "$1"
    commit
    gate --budget 1s
}

@test "zero benchmarks, a filter that matches none, names given twice" {
    claims_project '[{"name":"a"},{"name":"b"}]'
    commit
    gate --filter 'typo'
    expect 2 "matches none"
    gate --filter '(('
    expect 2 "regular expression"
    head_claims '[]'
    expect 3 "no benchmarks"
    head_claims '[{"name":"a"},{"name":"a"}]'
    expect 3 "two benchmarks called 'a'"
    git checkout -q -B twins main
    printf '%s\n' 'benchmarks: [{name: x, command: echo 1}, {name: x, command: echo 2}]' >tare.yaml
    commit
    run --separate-stderr "$tare" gate -q --base HEAD~1
    [ "$status" -ne 0 ]
}

@test "a base without benchmarks is no baseline" {
    claims_project '[]'
    head_claims '[{"name":"a"}]'
    expect 5 "base" "no benchmarks"
    rm -rf "$project"
    new_project
    git checkout -q main
    git rm -q --cached bench.c
    mv bench.c "$BATS_TEST_TMPDIR"
    printf 'bench:\n\ttrue\n' >Makefile
    commit "before there was a benchmark"
    git checkout -q -b later
    cp "$BATS_TEST_TMPDIR/bench.c" .
    commit "with one"
    gate
    expect 5 "made no ./bench"
}

@test "a benchmark that is gone, and one that has another name" {
    claims_project '[{"name":"a"},{"name":"b"}]'
    head_claims '[{"name":"a"}]'
    expect 3 "only old has b" "missing: fail"
    head_claims '[{"name":"a"},{"name":"c"}]'
    expect 3 "only old has b" "only new has c"
    head_claims '[{"name":"c"},{"name":"d"}]'
    expect 3 "no benchmark in common"
}

@test "missing: pass is said" {
    claims_project '[{"name":"a"},{"name":"b"}]' 'missing: pass' 'inconclusive: pass'
    head_claims '[{"name":"a"}]'
    expect 0 "only old has b" "let through by the policy (missing: pass)"
    # But with nothing left there is nothing to let through.
    head_claims '[{"name":"c"}]'
    expect 3 "no benchmark in common"
}

@test "all are skipped, some fail, some crash" {
    claims_project '[{"name":"a"},{"name":"b"}]'
    head_claims '[{"name":"a","skip":"no GPU"},{"name":"b","skip":"no GPU"}]'
    expect 3 "no GPU"
    head_claims '[{"name":"a"},{"name":"b","crash":true}]'
    expect 3 "b"
    head_claims '[{"name":"a","error":"no licence"},{"name":"b"}]'
    expect 3 "no licence"
    # Skipped on both sides is not compared either.
    git checkout -q main
    claims '[{"name":"a","skip":"no GPU"},{"name":"b","skip":"no GPU"}]'
    commit
    git checkout -q -B skipped
    head_claims '[{"name":"a","skip":"no GPU"},{"name":"b","skip":"no GPU here"}]'
    expect 3 "no GPU"
}

@test "a regression outweighs what could not be compared" {
    claims_project "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":100}},{\"name\":\"b\"}]" 'gate: [score, time]'
    git checkout -q main
    printf '%s\n' 'benchmarks: [{name: r, command: cat r, metrics: ["speed:lower=re:([0-9]+)"]}, {name: s, command: cat s, metrics: ["speed:lower=re:([0-9]+)"]}]' \
        'gate: [speed]' >tare.yaml
    echo 100 >r
    echo 100 >s
    commit
    git checkout -q -B both
    echo 200 >r
    git rm -q s
    commit
    gate
    expect 1 "could not be made"
}

@test "values that are none: NaN, infinite, negative, zero, missing" {
    claims_project "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":100}}]" 'gate: [score]'
    for value in NaN Infinity -5 0 '"fast"' null 1e999; do
        head_claims "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":$value}}]"
        expect 3 "score"
    done
    head_claims "[{\"name\":\"a\",$SCORE}]"
    expect 3 "new has no samples"
    head_claims '[{"name":"a"}]'
    expect 3 "new has no samples"
}

@test "values of a command that are none" {
    value_project speed:lower 100 'gate: [speed]'
    for value in nan inf -inf 1e999 -5 0 - fast ''; do
        echo "$value" >value
        commit
        gate
        expect 3 "report speed"
    done
}

@test "a clock that runs backwards, stands still, or lies" {
    claims_project '[{"name":"a"}]'
    head_claims '[{"name":"a","time_ns":-1}]'
    expect 3 "time_ns"
    head_claims '[{"name":"a","time_ns":0}]'
    expect 3 "no time passes"
    head_claims '[{"name":"a","time_ns":1e12}]'
    expect 3 "its clock or its unit is wrong"
}

@test "another unit, another direction" {
    claims_project "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":100}}]" 'gate: [score]'
    head_claims '[{"name":"a","metrics":{"score":{"unit":"s","better":"higher"}},"values":{"score":100}}]'
    expect 3 "unit"
    head_claims '[{"name":"a","metrics":{"score":{"unit":"1","better":"lower"}},"values":{"score":1}}]'
    expect 3 "better"
}

@test "a check that fails, and one that is no longer made" {
    claims_project '[{"name":"a","check":"passed"}]'
    head_claims '[{"name":"a","check":"failed"}]'
    expect 3 "correctness check failed"
    head_claims '[{"name":"a"}]'
    expect 3 "new no longer does"
    gate --budget 1s --json
    says '.exit == 3 and .policy_changes == ["check of a: removed"]'
    head_claims '[{"name":"a","check":"perhaps"}]'
    expect 3 "perhaps"
    # The base may not vouch for what is wrong either.
    git checkout -q main
    claims '[{"name":"a","check":"failed"}]'
    commit
    git checkout -q -B right
    head_claims '[{"name":"a","check":"passed"}]'
    expect 3 "correctness check failed"
}

@test "a loop that does nothing any more" {
    new_project
    sed -i '/for (int i/d; s/unsigned long x = 1;//' bench.c
    commit "the work is gone"
    gate
    expect 3 "invalid"
    git checkout -q -B early main
    sed -i 's/TARE_LOOP(t) {/return; &/' bench.c
    commit "leaves before the loop"
    gate
    expect 3 "work"
    git checkout -q -B once main
    sed -i 's/TARE_LOOP(t) {/TARE_LOOP(t) { break;/' bench.c
    commit "leaves the loop"
    gate
    expect 3 "work"
}

@test "a program that says nothing, or nonsense, or stops half-way" {
    mkdir -p "$project"
    cd "$project"
    git init -q -b main .
    mode() { printf '#!/bin/sh\nexec "%s/tests/data/misbehave.py" %s\n' "$TARE_SOURCE" "$1" >bench.sh && chmod +x bench.sh; }
    mode none
    echo 'benchmarks: [{program: ./bench.sh, protocol: true}]' >tare.yaml
    commit
    git checkout -q -b head
    for mode in exit half-line close garbage wrong-count undeclared miscount old zero; do
        mode $mode
        commit
        gate --budget 1s
        expect 3
        [[ -n "$output$stderr" ]]
    done
    printf '#!/bin/sh\nexit 0\n' >bench.sh
    commit "says nothing"
    gate --budget 1s
    expect 3
    printf '#!/bin/sh\n' >bench.sh
    chmod -x bench.sh
    commit "cannot be run"
    gate --budget 1s
    expect 3
}

@test "too little time is inconclusive, never green" {
    new_project
    bench 501
    commit
    gate --budget 1ms
    expect 4 "inconclusive"
    gate --budget 100ms --json
    expect 4
    says '.exit == 4 and .gate.outcome != "pass"'
}

@test "inconclusive: pass is said, and does not cover what was not measured at all" {
    value_project speed:lower 100 'gate: [speed]' 'inconclusive: pass'
    git checkout -q main
    sed -i 's/cat value/sh step/' tare.yaml
    echo 'echo $((1 + $(od -An -N2 -tu2 /dev/urandom)))' >step # so wild that nothing can be told
    commit
    git checkout -q -B head
    echo 101 >value
    commit
    COLUMNS=400 gate --budget 1s
    expect 0 "inconclusive: pass" "not decided"
    gate --budget 1us
    expect 3 "nothing was measured"
}

@test "a metric that shall decide and that nobody has" {
    new_project 'gate: [tiem]'
    bench 501
    commit
    gate
    expect 2 "tiem" "time"
    rm -rf "$project"
    claims_project "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":100}}]" 'gate: [score]' 'require: [{match: a, metric: speed, at_least: 5}]'
    head_claims "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":101}}]"
    [[ "$status" -eq 3 || "$status" -eq 4 ]] || fail "a requirement of nothing"
    [[ "$output" == *"a speed"* ]] || fail "not named"
    git checkout -q main
    printf '%s\n' 'benchmarks: [{program: ./bench.py, protocol: true}]' 'gate: [score]' 'require: [{match: nobody, metric: score, at_least: 5}]' >tare.yaml
    commit
    git checkout -q -B other
    head_claims "[{\"name\":\"a\",$SCORE,\"values\":{\"score\":101}}]"
    expect 3 "nobody"
}

@test "options that would make everything pass are refused" {
    value_project speed:lower 100 'gate: [speed]'
    echo 200 >value
    commit
    for option in '--min-effect nan' '--min-effect inf' '--min-effect -1%' '--min-effect 100%' '--confidence nan' \
        '--confidence 0%' '--confidence 100%' '--confidence -1' '--budget nan' '--budget 0' '--budget -1s' '--budget inf' \
        '--retries nan' '--retries -1' '--retries 1e9' '--timeout 0' '--base -x' '--threshold 5%' '--gate' 'main'; do
        # shellcheck disable=SC2086 # words on purpose
        run --separate-stderr "$tare" gate -q --base main $option
        [[ "$status" -eq 2 ]] || fail "$option"
        [[ -n "$stderr" ]] || fail "$option: no word"
    done
}

@test "every mistake in a policy is an error with its place" {
    value_project speed:lower 100 'gate: [speed]'
    echo 200 >value
    commit
    while IFS= read -r line; do
        git checkout -q -B wrong main
        printf '%s\n' "benchmarks: [{name: report, command: cat value, metrics: ['speed:lower=re:([0-9]+)']}]" "$line" >tare.yaml
        commit "$line"
        git checkout -q -B after
        echo 200 >value
        commit worse
        run --separate-stderr "$tare" gate -q --base wrong --budget 1s
        [[ "$status" -eq 2 ]] || fail "$line"
        [[ "$stderr" =~ tare\.yaml:[0-9]+:[0-9]+ ]] || fail "$line: no place"
    done <<'POLICY'
thresholds: {speed: {warning: nan}}
thresholds: {speed: {warning: .inf}}
thresholds: {speed: {warning: -3%}}
thresholds: {speed: {warning: 1e999%}}
thresholds: {speed: {warning: three}}
thresholds: {speed: {waring: 3%}}
thresholds: {speed: 3%}
treshold: {speed: {warning: 3%}}
thresholds: {speed: {warning: 10%, critical: 3%}}
min_effect: nan
min_effect: 100%
confidence: 0%
confidence: 100%
fail_at: never
fail_at: none
gate: []
gate: none
inconclusive: maybe
missing: ignore
retries: -1
budget: 0s
budget: -5s
budget: 5 parsecs
waivers: [{match: "*"}]
waivers: [{match: "*", reason: a, by: b, until: never}]
waivers: [{match: "*", reason: a, by: b, until: 2027-02-30}]
waivers: [{match: "*", reason: "", by: b, until: 2027-02-03}]
require: [{metric: speed}]
require: [{metric: speed, at_least: nan}]
require: [{metric: speed, at_leest: 3}]
preset: lenient
gate: [speed]; gate: [time]
a: b: c
POLICY
}

@test "a policy that says nothing is no policy" {
    value_project speed:lower 100
    git checkout -q main
    for text in '' '# only a comment' '{}' '---'; do
        printf '%s\n' "$text" >tare.yaml
        commit
        git checkout -q -B empty
        echo "$RANDOM" >value
        commit
        gate
        expect 2 "lists no benchmarks"
        git checkout -q main
    done
}

@test "interrupted is 130, in the JSON, too, whatever was decided; ended otherwise is never green" {
    value_project speed:lower 100 'gate: [speed]'
    git checkout -q main
    sed -i 's/cat value/sh step/' tare.yaml
    echo 'cat value' >step
    commit
    git checkout -q -B head
    # The tenth run sends a signal to the gate that started it.
    cat >step <<'SH'
echo x >>"$HOME/runs"
[ "$(wc -l <"$HOME/runs")" -ne 10 ] || kill -"$SIGNAL" "$(cat "$HOME/pid")"
cat value
SH
    commit
    for signal in INT TERM HUP KILL; do
        rm -f "$HOME/runs"
        SIGNAL=$signal run --separate-stderr sh -c 'echo $$ >"$HOME/pid"; exec "$0" gate -q --base main --budget 20s --json' "$tare"
        [[ "$status" -ge 128 ]] || fail "$signal"
        [[ $signal != INT ]] || { expect 130 "interrupted (exit 130)" && says '.exit == 130'; }
    done
}

@test "a result that cannot be printed or kept is no pass" {
    value_project speed:lower 100 'gate: [speed]'
    echo 99 >value
    commit
    gate
    expect 0
    run bash -c "'$tare' gate -q --base main --budget 3s >&-"
    expect 3 "could not be written" "failed (exit 3)"
    [ ! -e /dev/full ] || {
        run bash -c "'$tare' gate -q --base main --budget 3s >/dev/full"
        expect 3 "failed (exit 3)"
    }
    "$tare" runs list >/dev/null
}

@test "run, ab, compare and baseline are not green without evidence either" {
    cd "$BATS_TEST_TMPDIR"
    for words in 'run' 'run ./nothing' 'run -- false' 'ab true' 'ab false false' 'ab ./a ./b' 'compare a b' 'compare latest latest' \
        'compare latest~1 latest' 'baseline show main' 'baseline promote main' 'baseline import nothing.json' \
        'import nothing.json' 'verify nothing.json' 'run --filter x -- true' 'ab --budget 1ms true true' 'run --runs 0 -- true' \
        'ab --min-effect nan true true' 'ab --gate nope true true' 'run --metric x:lower=re:([0-9]+) -- true'; do
        # shellcheck disable=SC2086 # words on purpose
        run --separate-stderr "$tare" $words
        [[ "$status" -ge 2 && "$status" -le 5 ]] || fail "$words"
        [[ -n "$stderr" ]] || fail "$words: no word"
    done
}
