#!/usr/bin/env bats
# `tare import`: files of other harnesses become runs, whole or not at all.
# shellcheck disable=SC2154 # store_setup sets tare, store and folder
load store_setup

setup_file() {
  export DATA="$TARE_SOURCE/tests/data/import"
}

runs_in_store() {
  [ -e "$store" ] || { echo 0; return; }
  "$tare" runs list --limit 0 --json --store "$store" | jq '.runs | length'
}

@test "every recorded format comes in, told from its content" {
  for file in hyperfine/base.json go/base.txt libtest/base.txt pytest/base.json pyperf/base.json \
    pyperf/base.json.gz jmh/synthetic.json cargo-criterion/synthetic.json csv/own.csv hyperfine/plain.csv \
    bmf/synthetic.json github-history/synthetic.js gbench/aggregates.json; do
    run --separate-stderr "$tare" import "$DATA/$file" --store "$store"
    echo "$file: $stderr"
    [ "$status" -eq 0 ]
    [[ "$output" == *"$file: "* ]]
  done
  [ "$("$tare" runs check --json --store "$store" | jq -c '.problems')" = '[]' ]
}

@test "a run that came in is shown like any other" {
  "$tare" import "$DATA/hyperfine/base.json" --store "$store" 2> /dev/null
  run --separate-stderr "$tare" runs show --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"sum 1000 n=1000"* ]]
  "$tare" runs show --json --samples --store "$store" > out.json
  [ "$(jq -c '.benchmarks[0].metrics[0] | [.name, .unit, .better, .n, .launches]' out.json)" = '["time","ns","lower",8,8]' ]
  [ "$(jq -r '.environment.format' out.json)" = hyperfine ]
  [ "$(jq '.benchmarks[0].metrics[0].samples[0][1]' out.json)" != null ]
  # What hyperfine wrote in seconds is there in nanoseconds.
  jq -e --slurpfile file "$DATA/hyperfine/base.json" \
    '(.benchmarks[0].metrics[0].samples[0][1] / ($file[0].results[0].times[0] * 1e9) - 1) | fabs < 1e-12' out.json
}

@test "standard input, by a pipe and by redirection" {
  "$tare" import - --store "$store" < "$DATA/go/base.txt"
  # shellcheck disable=SC2002 # a pipe is what is tested
  cat "$DATA/go/base.txt" | "$tare" import - --store "$store"
  [ "$(runs_in_store)" -eq 2 ]
}

@test "a folder: Criterion's tree is one run, other files one each, unknown ones are passed over" {
  run --separate-stderr "$tare" import "$DATA/criterion/base" --store "$store"
  [ "$status" -eq 0 ]
  [ "$(runs_in_store)" -eq 1 ]
  [ "$("$tare" runs show --json --store "$store" | jq '.benchmarks | length')" -eq 3 ]
  mkdir mixed
  cp "$DATA/hyperfine/base.json" "$DATA/hyperfine/slow.json" mixed
  echo hello > mixed/notes.txt
  "$tare" import mixed --store "$store" 2> /dev/null
  [ "$(runs_in_store)" -eq 3 ]
  mkdir empty
  run --separate-stderr "$tare" import empty --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"none of its 0 files"* ]]
}

@test "a benchmark that failed in the file is kept as failed, and the exit code says so" {
  run --separate-stderr "$tare" import "$DATA/gbench/base.json" --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"1 benchmark is failed or invalid, kept as such; 'broken': no data"* ]]
  [ "$("$tare" runs show --json --store "$store" | jq -r '.benchmarks[] | select(.name == "broken") | .state')" = failed ]
}

@test "nothing of a bad file stays, and the others come in" {
  head -c 15000 "$DATA/gbench/base.json" > cut.json
  run --separate-stderr "$tare" import cut.json "$DATA/go/base.txt" --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"cut.json:"*"(byte 15000)"*"cut off"* ]]
  [ "$(runs_in_store)" -eq 1 ]
  [ "$(sqlite3 "$store" "SELECT count(*) FROM benchmark WHERE run NOT IN (SELECT key FROM run)")" -eq 0 ]
  [ "$(sqlite3 "$store" "SELECT count(*) FROM run WHERE state = 'running'")" -eq 0 ]
}

@test "malformed files: a message with the place, exit 3, no run" {
  printf '' > empty.json
  printf '\x7fELF\x00\x01' > binary
  printf '{"context":{"library_build_type":"x"},"benchmarks":[{"name":"a","name":"b"}]}' > twice.json
  printf '{"context":{"library_build_type":"x"},"benchmarks":%s' "$(printf '[%.0s' {1..80})" > deep.json
  printf '{"context":{"library_build_type":"x"},"benchmarks":[{"name":"a","real_time":1,"cpu_time":1,"time_unit":"h"}]}' > unit.json
  printf '{"context":{"library_build_type":"x"},"benchmarks":[]}' > nothing.json
  printf '\x1f\x8b\x08\x00junkjunk' > junk.gz
  for file in empty.json binary twice.json deep.json unit.json nothing.json junk.gz missing.json; do
    run --separate-stderr "$tare" import "$file" --store "$store"
    echo "$file: $stderr"
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [[ "$stderr" == *"$file"* ]]
  done
  [ "$(runs_in_store)" -eq 0 ]
}

@test "noise around JSON, NaN and Infinity are taken" {
  printf 'Running ./bench\n[INFO] ready\n{"context":{"library_build_type":"release"},"benchmarks":[\n{"name":"a","iterations":1,"real_time":1,"cpu_time":NaN,"time_unit":"ns","bytes_per_second":Infinity}]}\nbye\n' > noisy.txt
  run --separate-stderr "$tare" import noisy.txt --store "$store"
  [ "$status" -eq 0 ]
  "$tare" runs show --json --store "$store" > out.json
  [ "$(jq -c '[.benchmarks[0].metrics[] | [.name, .invalid != null]]' out.json)" = '[["time",false],["cpu",true],["throughput",true]]' ]
}

@test "formats: a wrong one is named, an unknown one is a usage error" {
  run --separate-stderr "$tare" import --format jmh "$DATA/hyperfine/base.json" --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"an object where a list should stand"* ]]
  run --separate-stderr "$tare" import --format hyperfin "$DATA/hyperfine/base.json" --store "$store"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"did you mean 'hyperfine'?"* ]]
  run --separate-stderr "$tare" import /etc/passwd --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"no known format"*"Google Benchmark"* ]]
  run --separate-stderr "$tare" import --store "$store"
  [ "$status" -eq 2 ]
}

@test "directions: a metric without one is left out and named; --metric takes it" {
  run --separate-stderr "$tare" import "$DATA/go/base.txt" --store "$store"
  [[ "$stderr" == *"left out: adds/op"* ]]
  run --separate-stderr "$tare" import -m 'adds/op:lower:exact' "$DATA/go/base.txt" --store "$store"
  [ "$status" -eq 0 ]
  [ "$("$tare" runs show --json --store "$store" | jq -c '[.benchmarks[0].metrics[] | select(.name == "adds/op") | .better, .exact]')" = '["lower",true]' ]
  run --separate-stderr "$tare" import "$DATA/github-custom/synthetic.json" --store "$store"
  [ "$status" -eq 3 ]
  run --separate-stderr "$tare" import -m value:higher -m time:lower "$DATA/github-custom/synthetic.json" --store "$store"
  [ "$status" -eq 0 ]
  run --separate-stderr "$tare" import -m nonsense "$DATA/go/base.txt" --store "$store"
  [ "$status" -eq 2 ]
}

@test "machines: what the file says, a name, this one, or unknown" {
  identity() { "$tare" runs show --json --store "$store" | jq -c .machine.identity; }
  "$tare" import -q "$DATA/gbench/aggregates.json" --store "$store"
  [[ "$(identity)" == *'"host":"host"'*'"origin":"imported"'* ]]
  run --separate-stderr "$tare" import "$DATA/hyperfine/base.json" --store "$store"
  [[ "$stderr" == *"does not say which machine"* ]]
  [ "$(identity)" = '{"machine":"unknown","origin":"imported"}' ]
  "$tare" import --machine ci "$DATA/hyperfine/base.json" --store "$store"
  [ "$(identity)" = '{"machine":"ci","origin":"imported"}' ]
  "$tare" import --machine here "$DATA/hyperfine/base.json" --store "$store"
  [[ "$(identity)" != *imported* ]]
}

@test "commits and dates: from the file, or --commit; a history is a run for each entry" {
  run --separate-stderr "$tare" import -q "$DATA/github-history/synthetic.js" --store "$store"
  [ "${#lines[@]}" -eq 3 ]
  [ "$("$tare" runs show "${lines[0]}" --json --store "$store" | jq -c '[.commit.subject, .started_unix_ns / 1e9]')" = '["First",1600000000]' ]
  "$tare" import --commit abc123 "$DATA/hyperfine/base.json" --store "$store" 2> /dev/null
  [ "$("$tare" runs show --json --store "$store" | jq -r .commit.hash)" = abc123 ]
}

@test "--json: files, formats, runs, errors, exit" {
  run --separate-stderr "$tare" import --json "$DATA/go/base.txt" missing.json --store "$store"
  [ "$status" -eq 3 ]
  [ "$(jq -c '[.tare, .kind, .exit, (.files | length), .files[0].format, (.files[0].runs | length), .files[0].error]' <<< "$output")" = '[1,"import",3,2,"go",1,null]' ]
  [[ "$(jq -r '.files[1].error' <<< "$output")" == *"missing.json"* ]]
}

@test "a full disk leaves nothing half-imported" {
  small_disk 400k
  "$TARE_SOURCE/bench/import_generate" 3 3 > big.json
  run --separate-stderr "$tare" import big.json --store "$folder/disk/store.db"
  [ "$status" -eq 3 ]
  [ "$(sqlite3 "$folder/disk/store.db" 'SELECT count(*) FROM run' 2> /dev/null || echo 0)" -eq 0 ]
}

@test "killed in the middle: no run, and the store is whole" {
  "$TARE_SOURCE/bench/import_generate" 40 3 > big.json
  "$tare" import big.json --store "$store" > /dev/null &
  pid=$!
  for _ in $(seq 1 200); do
    [ -s "$store-wal" ] && [ "$(stat -c %s "$store-wal")" -gt 1000000 ] && break
    sleep 0.01
  done
  kill -9 "$pid"
  wait "$pid" || true
  [ "$(runs_in_store)" -eq 0 ]
  "$tare" runs check --store "$store"
}
