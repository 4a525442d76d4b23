#!/usr/bin/env bash
# loop.sh [BUILD]: what libtare costs, as ratios from one run, against the promises:
#
#   an empty TARE_LOOP is at most 1 cycle a pass over the bare loop, and not above Google Benchmark's;
#   a benchmark's state is made in under 5 µs and has under 2 KB; measuring allocates nothing.
#
# Needs BUILD/libtare-alloc.so (make build); Google Benchmark (libbenchmark-dev) is left out when it is not
# there. Exits 1 when a promise is broken.
set -euo pipefail
source_root=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${1:-$source_root/build}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failed=0

main() {
    build_programs
    measure_loop
    measure_google
    measure_state
    count_allocations
    exit "$failed"
}

build_programs() {
    local sources=()
    for source in "$source_root"/src/client/*.c; do
        [[ "$source" == */alloc_*.c ]] || sources+=("$source")
    done
    for name in base/arena base/assert base/buffer base/error base/text os/clock os/terminal; do
        sources+=("$source_root/src/$name.c")
    done
    cc -std=c17 -D_GNU_SOURCE -O2 -fno-math-errno -I"$source_root/src" -I"$source_root/include" \
        "${sources[@]}" "$source_root/bench/client/loop.c" -o "$place/loop"
}

# promise NAME VALUE LIMIT UNIT: a line of the report
promise() {
    if awk -v value="$2" -v limit="$3" 'BEGIN { exit !(value <= limit) }'; then
        printf '%-52s %10s %-7s (at most %s)\n' "$1" "$2" "$4" "$3"
    else
        printf '%-52s %10s %-7s (at most %s)  BROKEN\n' "$1" "$2" "$4" "$3"
        failed=1
    fi
}

metric() {
    jq -r --arg name "$1" '.benchmarks[0].metrics[] | select(.name == $name) | .median'
}

measure_loop() {
    # The empty loop is empty on purpose; exit 3 says so ("deleted"), so the protocol is asked instead.
    local requests=('{"op":"open","benchmark":0}')
    for _ in $(seq 301); do
        requests+=('{"op":"run","benchmark":0,"iterations":1000000}')
    done
    python3 "$source_root/tests/client/ask.py" "$place/loop" "${requests[@]}" '{"op":"quit"}' |
        jq -r 'select(.ok == "run") | .metrics.extra_cycles' | sort -g >"$place/tare"
    tare=$(sed -n 151p "$place/tare")
    promise "empty TARE_LOOP over the bare loop, median of 301" "$(printf '%.4f' "$tare")" 1 "cycles"
}

measure_google() {
    if ! c++ -O2 "$source_root/bench/client/loop_google.cc" -lbenchmark -lpthread -o "$place/google" \
        2>/dev/null; then
        echo "Google Benchmark is not installed: no comparison with it"
        return
    fi
    "$place/google" >/dev/null 2>"$place/google.out" || true
    google=$(grep -E '^-?[0-9.]+$' "$place/google.out" | sort -g | sed -n 151p)
    # Both compile to one decrement and one branch. Medians of such ratios repeat within 0.01 cycles on a
    # quiet virtual machine and within 0.05 on a busy one: less is no difference.
    promise "the same, less Google Benchmark's $google" \
        "$(awk -v a="$tare" -v b="$google" 'BEGIN { printf "%.4f", a - b }')" 0.05 "cycles"
}

measure_state() {
    "$place/loop" --filter '^open' --json >"$place/open.json"
    promise "open and close a benchmark" \
        "$(awk -v ns="$(metric time <"$place/open.json")" 'BEGIN { printf "%.3f", ns / 1000 }')" 5 "us"
    promise "size of its state" "$(metric state_bytes <"$place/open.json")" 2048 "B"
}

count_allocations() {
    local kinds=(loop latency threads)
    for i in 0 1 2; do
        local number=$((i + 2))
        local counted
        counted=$(ASK_PRELOAD=$build/libtare-alloc.so python3 "$source_root/tests/client/ask.py" \
            "$place/loop" "{\"op\":\"open\",\"benchmark\":$number}" \
            "{\"op\":\"run\",\"benchmark\":$number,\"iterations\":100000,\"count\":\"allocations\"}" |
            jq -r 'select(.ok == "run") | .metrics.allocations * 100000')
        promise "allocations in 100000 passes, ${kinds[$i]}" "$counted" 0 ""
    done
}

main
