#!/usr/bin/env bats
# `tare compare`: two stored runs; reruns to learn from; what cannot be compared; exit codes.
# Runs are made from numbers by compare_seed, so every verdict here is the same every time.
# shellcheck disable=SC2154 # store_setup sets tare, store and folder
load store_setup

seed() {
  "$TARE_BUILD/tests/fault/compare_seed" "$store" "$@"
}

# Ten runs of one commit, ± 0.02 %: numbers 0 to 9.
reruns() {
  seed 0 10 > ids
}

compare() {
  run --separate-stderr "$tare" compare --store "$store" "$@"
}

# compare --json and a jq expression over it.
field() {
  "$tare" compare --store "$store" --json "${@:2}" 2>/dev/null | jq -c "$1" || true
}

@test "a slowdown beyond what runs differ by: regressed, exit 1, named" {
  reruns
  seed 10 1 factor=1.05 commit=aaaa111
  compare latest~1 latest
  [ "$status" -eq 1 ]
  [[ "$output" == *"parse is "*" % slower ("*"99 % sure)"* ]]
  [[ "$output" == *"learnt from 10 runs of 1 commit"* ]]
  [[ "$stderr" == *"tare: regressed (exit 1)"* ]]
  [ "$(field '[.kind, .verdict, .exit, .comparisons[0].basis, .gated_comparisons]' latest~1 latest)" = '["comparison","regressed",1,"runs",2]' ]
}

@test "faster: exit 0; the same: equivalent, exit 0" {
  reruns
  seed 10 1 factor=0.95 commit=aaaa111
  compare latest~1 latest
  [ "$status" -eq 0 ]
  [ "$(field '[.verdict, .counts.improved]' latest~1 latest)" = '["improved",2]' ]
  compare latest~3 latest~2
  [ "$status" -eq 0 ]
  [ "$(field .verdict latest~3 latest~2)" = '"equivalent"' ]
}

@test "without reruns never more than inconclusive: exit 4, and how to get them" {
  seed 0 1 commit=aaaa111 > /dev/null
  seed 1 1 commit=bbbb222 factor=2 > /dev/null
  compare latest~1 latest
  [ "$status" -eq 4 ]
  [[ "$output" == *"by launches alone +"* ]]
  [[ "$output" == *"next: for i in 1 2 3 4; do tare run ./bench; done"* ]]
  [ "$(field '.comparisons[0] | [.reason_code, .ci, (.ratio > 1.9)]' latest~1 latest)" = '["no-reruns",null,true]' ]
  # Three are too few, four are enough.
  seed 2 1 commit=bbbb222 factor=2 > /dev/null
  seed 3 1 commit=bbbb222 factor=2 > /dev/null
  [ "$(field '.comparisons[0].reason_code' latest~3 latest)" = '"too-few-reruns"' ]
  seed 4 1 commit=bbbb222 factor=2 > /dev/null
  compare latest~4 latest
  [ "$status" -eq 1 ]
}

@test "what is no rerun: uncommitted changes, sides of comparisons, unfinished runs, another project" {
  seed 0 1 commit=aaaa111 > /dev/null
  seed 1 3 dirty=1 > /dev/null
  seed 4 3 compared_as='old: ./a' > /dev/null
  seed 7 3 state=interrupted > /dev/null
  seed 10 3 project=other > /dev/null
  seed 13 1 factor=2 commit=bbbb222 > /dev/null
  [ "$(field '.comparisons[0].reason_code' latest~13 latest)" = '"no-reruns"' ]
  # The same program with uncommitted changes is the same program.
  seed 20 4 dirty=1 program=0123456789abcdef factor=2 > /dev/null
  [ "$(field '.comparisons[0].reason_code' latest~17 latest)" = '"beyond-band"' ]
}

@test "two programs of one commit are two groups of reruns" {
  seed 0 5 program=aaaa > /dev/null
  seed 5 5 program=bbbb factor=1.5 > /dev/null
  compare latest~9 latest
  [ "$status" -eq 1 ]
  [[ "$output" == *"10 runs of 2 commits"* ]]
}

@test "another machine: invalid, exit 3, says which" {
  reruns
  seed 10 1 machine='Other CPU' > /dev/null
  compare latest~1 latest
  [ "$status" -eq 3 ]
  [[ "$output" == *"different machines"*"cpu"*"Other CPU"* ]]
}

@test "an unfinished run, a failed benchmark, another unit, another direction: invalid, exit 3" {
  reruns
  number=10
  for wish in state=interrupted state=running state=failed benchmark-state=failed unit=us better=higher; do
    seed $((number++)) 1 "$wish" > /dev/null
    compare "$(head -1 ids)" latest
    [ "$status" -eq 3 ]
    [ "$(field '[.verdict, .counts.invalid]' "$(head -1 ids)" latest)" = '["invalid",2]' ] ||
      [ "$(field '[.verdict, (.counts.invalid > 0)]' "$(head -1 ids)" latest)" = '["invalid",true]' ]
  done
}

@test "a benchmark that is gone: listed, exit 3; one that is new: listed; regressed outranks" {
  seed 0 10 benchmarks=parse,write,gone > ids
  seed 10 1 benchmarks=parse,write,fresh > /dev/null
  compare latest~1 latest
  [ "$status" -eq 3 ]
  [[ "$output" == *"only old has: gone"* ]]
  [[ "$output" == *"only new has: fresh"* ]]
  [ "$(field '[.missing, .added, .exit]' latest~1 latest)" = '[["gone"],["fresh"],3]' ]
  compare latest~1 latest --filter 'parse|write'
  [ "$status" -eq 0 ]
  seed 11 1 benchmarks=parse,write factor=1.2 commit=aaaa111 > /dev/null
  compare "$(head -1 ids)" latest
  [ "$status" -eq 1 ]
}

@test "renamed in tare.yaml: compared under the new name, reruns of the old one count" {
  seed 0 10 benchmarks=parse,before > ids
  seed 10 1 benchmarks=parse,after > /dev/null
  printf 'renamed: {"before": "after"}\n' > tare.yaml
  compare latest~1 latest
  [ "$status" -eq 0 ]
  [ "$(field '[.missing, .added, ([.comparisons[] | select(.benchmark == "after" and .metric == "time").verdict])]' latest~1 latest)" = '[[],[],["equivalent"]]' ]
}

@test "conditions that differ are printed; the policy may cap the verdict" {
  seed 0 10 kernel=6.1 > ids
  seed 10 1 kernel=6.5 factor=1.1 commit=aaaa111 > /dev/null
  compare latest~1 latest
  [ "$status" -eq 1 ]
  [[ "$output" == *"conditions differ: kernel 6.1 → 6.5"* ]]
  printf 'conditions: inconclusive\n' > tare.yaml
  compare latest~1 latest
  [ "$status" -eq 4 ]
  [ "$(field '[.comparisons[] | select(.gated).reason_code] | unique' latest~1 latest)" = '["conditions-differ"]' ]
}

@test "exact counts compare by difference: one more step is regressed, whatever the reruns" {
  seed 0 1 > /dev/null
  seed 1 1 count=1001 > /dev/null
  compare latest~1 latest --gate steps
  [ "$status" -eq 1 ]
  [ "$(field '.comparisons[0] | [.metric, .basis, .verdict]' latest~1 latest --gate steps)" = '["steps","exact","regressed"]' ]
}

@test "tare.yaml's band, confidence and gate are used; options outrank them" {
  reruns
  seed 10 1 factor=1.05 commit=aaaa111 > /dev/null
  printf 'min_effect: 20%%\nconfidence: 95%%\ngate: [time]\n' > tare.yaml
  [ "$(field '[.confidence, .verdict, ([.comparisons[].band] | unique)]' latest~1 latest)" = '[0.95,"equivalent",[0.2]]' ]
  [ "$(field '[.confidence, .verdict]' latest~1 latest --min-effect 1% --confidence 0.9)" = '[0.9,"regressed"]' ]
  [ "$(field '[.verdict, .exit]' latest~1 latest --gate steps)" = '["equivalent",0]' ]
}

@test "selectors: baselines, ids, beginnings of ids" {
  reruns
  "$tare" baseline save main "$(head -1 ids)" --store "$store"
  compare main latest
  [ "$status" -eq 0 ]
  [[ "$output" == "main "*" → latest "* ]]
  compare "$(head -1 ids)" "$(tail -1 ids | cut -c 1-22)"
  [ "$status" -eq 0 ]
}

@test "no such baseline: exit 5; no such run: exit 2; a run with itself: exit 2" {
  reruns
  compare main latest
  [ "$status" -eq 5 ]
  [[ "$stderr" == *"tare baseline save main"* ]]
  compare 01zzzzzz latest
  [ "$status" -eq 2 ]
  compare latest~99 latest
  [ "$status" -eq 2 ]
  compare latest nonsense
  [ "$status" -eq 2 ]
  compare latest latest
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"itself"* ]]
}

@test "wrong usage: exit 2 with the reason, nothing on standard output" {
  reruns
  for arguments in "latest" "latest~1 latest latest~2" "latest~1 latest --confidence 2" "latest~1 latest --min-effect 1" \
    "latest~1 latest --filter nomatch" "latest~1 latest --filter (" "latest~1 latest --gate tiem" "latest~1 latest --frobnicate"; do
    # shellcheck disable=SC2086 # several words on purpose
    compare $arguments
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ -n "$stderr" ]
  done
}

@test "no store: exit 3, none is made" {
  compare latest~1 latest
  [ "$status" -eq 3 ]
  [ ! -e "$store" ]
}

@test "nothing in common: exit 3" {
  seed 0 4 benchmarks=a > /dev/null
  seed 4 1 benchmarks=b > /dev/null
  compare latest~1 latest
  [ "$status" -eq 3 ]
  [ "$(field '[.verdict, .missing, .added]' latest~1 latest)" = '["invalid",["a"],["b"]]' ]
}

@test "runs without figures (kept by an older version) are judged from their samples, the same" {
  seed 0 10 > ids
  seed 10 1 factor=1.05 commit=aaaa111 > /dev/null
  with="$(field '.comparisons | map([.ratio, .ci, .verdict, .old, .new])' latest~1 latest)"
  sqlite3 "$store" "DELETE FROM figures"
  [ "$(field '.comparisons | map([.ratio, .ci, .verdict, .old, .new])' latest~1 latest)" = "$with" ]
  [ -n "$with" ]
}

@test "the same store gives the same answer again" {
  reruns
  seed 10 1 factor=1.05 commit=aaaa111 > /dev/null
  once="$(field 'del(.id, .seconds)' latest~1 latest)"
  [ "$(field 'del(.id, .seconds)' latest~1 latest)" = "$once" ]
}

@test "help: examples first" {
  run --separate-stderr "$tare" compare --help
  [ "$status" -eq 0 ]
  [[ "${lines[1]}" == "  tare compare"* ]]
}

# A comparison kept in the store, as `tare ab` does.
keep() {
  "$tare" compare --store "$store" --json latest~1 latest > kept.json || true
  sqlite3 "$store" "INSERT INTO document VALUES ('01hf7yez00d200000030000000', '${1:-comparison}', 1700000310000000000, (SELECT id FROM machine LIMIT 1), CAST(readfile('${2:-kept.json}') AS TEXT))"
}

@test "runs show: a kept comparison by the beginning of its id, as a table and word for word" {
  reruns
  seed 10 1 factor=1.05 commit=aaaa111 > /dev/null
  keep
  run --separate-stderr "$tare" runs list --results --store "$store"
  [[ "$output" == "01hf7yez00d200000030000000  comparison "* ]]
  run --separate-stderr "$tare" runs show 01hf7yez --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"parse is "*" % slower"* ]]
  [[ "$stderr" == *"regressed (exit 1 then)"* ]]
  shown="$output"
  run --separate-stderr "$tare" compare latest~1 latest --store "$store"
  [ "$shown" = "$output" ]
  "$tare" runs show 01hf7yez --json --store "$store" > shown.json
  cmp kept.json shown.json
  [ "$("$tare" runs list --results --json --store "$store" | jq -c '[.results[].kind]')" = '["comparison"]' ]
}

@test "runs show: a kept result that is no comparison is refused, not shown half" {
  reruns
  printf '{"kind": "comparison", "id": "01hf7yez00d200000030000000", "comparisons": [{"benchmark": "b", "metric": "time", "verdict": "green", "basis": "runs", "better": "lower"}]}' > bad.json
  keep comparison bad.json
  run --separate-stderr "$tare" runs show 01hf7yez --store "$store"
  [ "$status" -eq 3 ]
  [ -z "$output" ]
  [[ "$stderr" == *"verdict"* ]]
}
