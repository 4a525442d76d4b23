#!/usr/bin/env bash
# spawn.sh: the command runner against a bare posix_spawn + wait4 and against hyperfine -N, on a trivial
# static program. Both comparisons are interleaved and given as ratios of medians of one run.
#
#   bench/spawn.sh BUILD [ROUNDS]     BUILD holds bench/bench_spawn; 10 rounds take about 10 s
set -euo pipefail

build=${1:?usage: bench/spawn.sh BUILD [ROUNDS]}
rounds=${2:-10}
runs=300
bench=$build/bench/bench_spawn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

printf 'int main(void) { return 0; }\n' >"$folder/nothing.c"
compilers=(gcc)
command -v musl-gcc >/dev/null && compilers+=(musl-gcc)
for compiler in "${compilers[@]}"; do
    program=$folder/nothing-$compiler
    "$compiler" -O2 -static -o "$program" "$folder/nothing.c"
    echo "== $compiler -static, int main(void) { return 0; }"
    "$bench" "$program"
    if ! command -v hyperfine >/dev/null || ! command -v jq >/dev/null; then
        echo "hyperfine or jq is not installed: no comparison with it"
        continue
    fi
    : >"$folder/ratios"
    for ((round = 0; round < rounds; round++)); do
        ours=$("$bench" --wall "$program" "$runs")
        hyperfine -N --warmup 50 --runs "$runs" --style none --export-json "$folder/result.json" \
            "$program" >/dev/null 2>&1
        theirs=$(jq '.results[0].median * 1e9' "$folder/result.json")
        echo "$ours $theirs" >>"$folder/ratios"
    done
    awk '{ ours[NR] = $1; theirs[NR] = $2; ratio[NR] = $1 / $2 }
         function median(values, count,    i, k, t) {
             for (i = 1; i <= count; i++)
                 for (k = i + 1; k <= count; k++)
                     if (values[k] < values[i]) { t = values[i]; values[i] = values[k]; values[k] = t }
             return values[int((count + 1) / 2)]
         }
         END { printf "median time: tare %.1f us, hyperfine -N %.1f us, ratio %.3f   (bound 1.00)\n",
                      median(ours, NR) / 1e3, median(theirs, NR) / 1e3, median(ratio, NR) }' \
        "$folder/ratios"
done
