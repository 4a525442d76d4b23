#!/usr/bin/env bats
# Goal: docs/configuration.md is true. Method: its YAML blocks are read by tare itself, next to stand-ins for the programs they name.

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
