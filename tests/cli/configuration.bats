#!/usr/bin/env bats
# Goal: docs/configuration.md is true. Method: its YAML blocks are read by tare itself, next to stand-ins for the programs they name,
# and its tables are held against the keys the reader knows.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    doc=$TARE_SOURCE/docs/configuration.md
    export NO_COLOR=1
    unset TARE_STORE
    cd "$BATS_TEST_TMPDIR"
}

# The n-th YAML block of the page.
block() { awk -v n="$1" '/^```yaml$/ { k++; inside = k == n; next } /^```$/ { inside = 0 } inside' "$doc"; }

@test "the example lists its program's benchmarks, its command, and one for each parameter" {
    block 1 >tare.yaml
    [ -s tare.yaml ]
    mkdir -p build deep/er
    cp "$TARE_BUILD/examples/first" build/bench
    printf '#!/bin/sh\necho "12.5 tok/s"\n' >build/tool
    chmod +x build/tool
    cd deep/er
    run --separate-stderr "$tare" run --list
    [ "$status" -eq 0 ]
    grep -qx 'end-to-end' <<<"$output"
    [ "$(grep -c -- '--jobs' <<<"$output")" -eq 3 ]
    [ "$(wc -l <<<"$output")" -gt 4 ]
}

@test "the example's command is measured, its metric read, its store used" {
    block 1 >tare.yaml
    mkdir build
    cp "$TARE_BUILD/examples/first" build/bench
    printf '#!/bin/sh\necho "12.5 tok/s"\n' >build/tool
    chmod +x build/tool
    run --separate-stderr "$tare" run --runs 3 --filter end-to-end --json
    [ "$status" -eq 0 ]
    jq -e '.project == "parser" and .confidence == 0.99' <<<"$output"
    jq -e '.benchmarks[0].metrics[] | select(.name == "speed") | .median == 12.5' <<<"$output"
    [ -s .tare/results.db ]
}

@test "the gate's example is read and checked" {
    block 2 >tare.yaml
    [ -s tare.yaml ]
    run --separate-stderr "$tare" run --list -- true
    [ "$status" -eq 0 ]
    sed -i 's/fail_at: warning/fail_at: warming/' tare.yaml
    run --separate-stderr "$tare" run --list -- true
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"tare.yaml:"*"warning"* ]]
}

@test "every key the reader knows is on the page" {
    keys=$(sed -n 's/^    {"\([a-z_]*\)", \(policy_\)\{0,1\}read_.*/\1/p' "$TARE_SOURCE/src/codec/policy_yaml.c" | sort -u)
    [ "$(wc -w <<<"$keys")" -gt 25 ]
    for key in $keys; do
        grep -Eq "\`$key\`|[{ ]$key:" "$doc" || { echo "not on the page: $key"; return 1; }
    done
}
