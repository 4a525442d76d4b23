#!/usr/bin/env bats
# `tare baseline export` and `import`, `tare verify`: baselines as files; how old a baseline is and what
# speaks against it; `tare runs prune --policy`.
# shellcheck disable=SC2154 # store_setup sets tare, seed, store and folder
load store_setup

# A store with two runs of this machine, main at the first, and its file.
export_main() {
  "$seed" "$store" 0 2 > ids
  "$tare" baseline save main "$(head -1 ids)" --reason "first" --store "$store"
  "$tare" baseline export main -o main.json --store "$store" > /dev/null
}

# Nothing may have been made or changed in a store that was not there before.
refused() {
  run --separate-stderr "$tare" baseline import "$@" --store other.db
  echo "$stderr"
  [ "$status" -eq 3 ]
  [ ! -e other.db ]
}

@test "export, import elsewhere: the same run to the last bit, with its history" {
  export_main
  run --separate-stderr "$tare" baseline import main.json --store other.db
  [ "$status" -eq 0 ]
  [ "$output" = "main.json: baseline main points at run $(head -1 ids)" ]
  [ -z "$stderr" ]
  "$tare" runs show main --json --samples --store "$store" > a
  "$tare" runs show main --json --samples --store other.db > b
  cmp a b
  "$tare" baseline show main --json --store other.db > show.json
  [ "$(jq -c '[.history[].reason]' show.json)" = "[\"imported from main.json (sha256 $(jq -r '.sha256[:12]' main.json))\",\"first\"]" ]
  "$tare" runs check --store other.db
}

@test "the same baseline gives the same bytes: again, to standard output, and from the store it went to" {
  export_main
  "$tare" baseline export main --store "$store" > again.json
  cmp main.json again.json
  "$tare" baseline import main.json --store other.db
  "$tare" baseline export main --store other.db > there.json
  cmp main.json there.json
}

@test "importing twice does nothing and says so" {
  export_main
  "$tare" baseline import main.json --store other.db
  "$tare" baseline list --json --store other.db | jq 'del(.baselines[].age)' > before
  run --separate-stderr "$tare" baseline import main.json --store other.db
  [ "$status" -eq 0 ]
  [[ "$output" == *"already: nothing to do" ]]
  "$tare" baseline list --json --store other.db | jq 'del(.baselines[].age)' > after
  cmp before after
  [ "$(sqlite3 other.db 'SELECT count(*) FROM promotion')" -eq 2 ]
  "$tare" baseline import main.json --json --store other.db > out.json
  [ "$(jq -c '[.kind, .exit, .files[0].changed, .files[0].run_added, .files[0].this_machine]' out.json)" = '["baseline-import",0,false,false,true]' ]
}

@test "an import moves the baseline; back to an older run only with a word" {
  export_main
  "$tare" baseline promote main --store "$store"
  "$tare" baseline export main -o newer.json --store "$store"
  "$tare" baseline import main.json --store other.db
  run --separate-stderr "$tare" baseline import newer.json --store other.db
  [[ "$output" == *"moved from run $(head -1 ids) to $(tail -1 ids)" ]]
  [ -z "$stderr" ]
  run --separate-stderr "$tare" baseline import main.json --store other.db
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"was newer"*"tare baseline promote main $(tail -1 ids)"* ]]
}

@test "one changed digit is caught: exit 3, nothing is imported" {
  export_main
  first="$(grep -o '"values": .[0-9.]*' main.json | head -1 | grep -o '[0-9.]*$')"
  sed "s/$first/1$first/" main.json > bad.json
  run cmp -s main.json bad.json
  [ "$status" -eq 1 ]
  refused bad.json
  [[ "$stderr" == *"'bad.json' was changed after it was written"*"SHA-256"* ]]
  run --separate-stderr "$tare" verify bad.json
  [ "$status" -eq 3 ]
  # A digit that means the same number is a change as well, and can be pointed at.
  sed 's/"overhead_ns": 0.25,/"overhead_ns": 0.250,/' main.json > same.json
  refused same.json
  [[ "$stderr" == *"line "*", column "*"0.250"* ]]
}

@test "the hash can be computed by anyone: Python gives the same" {
  export_main
  # The program is the one in the document.
  # shellcheck disable=SC2016 # the marks are Markdown's
  sed -n '/^```python/,/^```$/p' "$TARE_SOURCE/docs/receipt.md" | grep -v '^```' > canonical.py
  python3 canonical.py main.json > digest.txt
  [ "$(cat digest.txt)" = "$(jq -r .sha256 main.json)" ]
}

@test "verify: says what is in it, exit 0; whatever is no such file, exit 3" {
  export_main
  run --separate-stderr "$tare" verify main.json
  [ "$status" -eq 0 ]
  [[ "$output" == *"unchanged since it was written"*"baseline main"*"2 benchmarks, 96 samples"* ]]
  "$tare" verify --json main.json > out.json
  [ "$(jq -c '[.kind, .exit, .files[0].baseline, .files[0].samples, .files[0].error]' out.json)" = '["verify",0,"main",96,null]' ]
  run --separate-stderr "$tare" verify nothing.json main.json
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"nothing.json"* ]]
  [[ "$output" == *"unchanged"* ]]
  run --separate-stderr "$tare" verify
  [ "$status" -eq 2 ]
  "$tare" verify - < main.json
}

@test "garbage, cut short, deeply nested, another's JSON, another version, a folder: refused with the place" {
  export_main
  head -c 3000 main.json > cut.json
  refused cut.json
  [[ "$stderr" == *"'cut.json' is not JSON: line "*", column "* ]]
  head -c 100000 /dev/urandom > noise.json
  refused noise.json
  [ "${#stderr}" -lt 800 ]
  printf '' > empty.json
  refused empty.json
  { printf '{"a": '; head -c 200000 /dev/zero | tr '\0' '['; } > deep.json
  refused deep.json
  [[ "$stderr" == *"depth"* ]]
  echo '{"context": {}, "benchmarks": []}' > google.json
  refused google.json
  [[ "$stderr" == *"not a receipt"*"tare baseline export"* ]]
  sed 's/"version": 1/"version": 2/' main.json > future.json
  refused future.json
  [[ "$stderr" == *"newer tare"* ]]
  refused missing.json
  mkdir none
  refused none
  [[ "$stderr" == *"no .json files in 'none'"* ]]
}

@test "a file larger than the limit is refused without being taken in" {
  truncate -s 200M huge.json
  refused huge.json
  [[ "$stderr" == *"larger than the limit"* ]]
}

@test "the same run with other content is an error, and the store stays as it was" {
  export_main
  "$tare" baseline import main.json --store other.db
  sqlite3 other.db "UPDATE run SET command = 'other'"
  run --separate-stderr "$tare" baseline import main.json --as second --store other.db
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"already, with other content"* ]]
  [ "$(sqlite3 other.db "SELECT count(*) FROM baseline")" -eq 1 ]
}

@test "one bad file does not keep the good ones out, and the exit code tells" {
  export_main
  echo '{' > bad.json
  run --separate-stderr "$tare" baseline import bad.json main.json --store other.db
  [ "$status" -eq 3 ]
  [[ "$output" == *"main.json: baseline main points at"* ]]
  [ "$("$tare" baseline list --json --store other.db | jq '.baselines | length')" -eq 1 ]
}

@test "another machine's baseline is kept for that machine, and it is said" {
  "$seed" "$store" 0 1 "Other CPU"
  "$tare" baseline save main --store "$store"
  machine="$("$tare" baseline list --json --store "$store" | jq -r '.baselines[0].machine')"
  run --separate-stderr "$tare" baseline export main --store "$store"
  [ "$status" -eq 5 ]
  "$tare" baseline export main --machine "${machine:0:8}" -o main.json --store "$store"
  run --separate-stderr "$tare" baseline import main.json --store other.db
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"another machine (${machine:0:8}, Other CPU)"*"not be used here"* ]]
  run --separate-stderr "$tare" runs show main --store other.db
  [ "$status" -eq 5 ]
}

@test "all at once: a folder with a file for every name and machine, and back" {
  "$seed" "$store" 0 1
  "$seed" "$store" 1 1 "Other CPU"
  "$tare" baseline save main latest~1 --store "$store"
  "$tare" baseline save main latest --store "$store"
  "$tare" baseline save "it's / odd" latest --store "$store"
  run --separate-stderr "$tare" baseline export --all -o out/baselines --store "$store"
  [ "$status" -eq 0 ]
  [ "$(find out/baselines -name '*.json' | wc -l)" -eq 3 ]
  here="$("$tare" baseline list --json --store "$store" | jq -r .machine)"
  [ -e "out/baselines/main.${here:0:8}.json" ]
  "$tare" baseline import out/baselines --store other.db
  "$tare" baseline list --json --store "$store" | jq -c '[.baselines[] | [.name, .machine, .run.id]]' > a
  "$tare" baseline list --json --store other.db | jq -c '[.baselines[] | [.name, .machine, .run.id]]' > b
  cmp a b
  run --separate-stderr "$tare" baseline export --all --store "$store"
  [ "$status" -eq 2 ]
}

@test "--as gives another name; names that will not do are refused and nothing is kept" {
  export_main
  run --separate-stderr "$tare" baseline import main.json --as latest --store other.db
  [ "$status" -eq 2 ]
  [ "$(sqlite3 other.db 'SELECT count(*) FROM run')" -eq 0 ]
  "$tare" baseline import main.json --as v1.0 --store other.db
  [ "$("$tare" baseline list --json --store other.db | jq -r '.baselines[].name')" = "v1.0" ]
}

@test "an export that cannot be written leaves the old file whole" {
  export_main
  cp main.json kept.json
  small_disk 20k
  cp main.json disk/main.json
  head -c 100000 /dev/zero > disk/full 2>/dev/null || true
  run --separate-stderr "$tare" baseline export main -o disk/main.json --store "$store"
  [ "$status" -eq 3 ]
  cmp kept.json disk/main.json
  [ "$(find disk -name 'main.json*' | wc -l)" -eq 1 ]
}

@test "age: days and commits since; stale from the policy's age on; unknown commits are said" {
  "$seed" "$store" 0 1
  "$tare" baseline save main --store "$store"
  run --separate-stderr "$tare" baseline show main --store "$store"
  [[ "$output" == *"days old; there is no git repository"* ]]
  git init -q -b main .
  git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
  run --separate-stderr "$tare" baseline show main --store "$store"
  [[ "$output" == *"days old; its commit is not in this repository"* ]]
  sqlite3 "$store" "UPDATE run SET commit_hash = '$(git rev-parse HEAD)', started_unix_ns = $(date +%s)000000000 - 94 * 86400000000000 - 3600000000000"
  for i in 1 2 3; do git -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$i"; done
  run --separate-stderr "$tare" baseline show main --store "$store"
  [[ "$output" == *"this baseline is 94 days and 3 commits old"* ]]
  [[ "$output" == *"(more than 90 days): measure again and 'tare baseline promote' it"* ]]
  run --separate-stderr "$tare" baseline list --store "$store"
  [[ "$stderr" == *"main: this baseline is 94 days and 3 commits old (more than 90 days)"* ]]
  "$tare" baseline list --stale-after 100d --json --store "$store" > out.json
  [ "$(jq -c '.baselines[0].age | [.days, .commits, .stale]' out.json)" = '[94,3,false]' ]
  echo 'max_baseline_age: 95d' > tare.yaml
  run --separate-stderr "$tare" baseline list --store "$store"
  [ -z "$stderr" ]
  git checkout -q --orphan side
  git -c user.name=a -c user.email=a@b commit -q --allow-empty -m other
  run --separate-stderr "$tare" baseline show main --store "$store"
  [[ "$output" == *"1 commit old, on another branch"* ]]
}

@test "a commit that is no hash never reaches git as an option" {
  "$seed" "$store" 0 1
  "$tare" baseline save main --store "$store"
  git init -q -b main .
  git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
  sqlite3 "$store" "UPDATE run SET commit_hash = '--output=pwned'"
  run --separate-stderr "$tare" baseline show main --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"its commit is not known"* ]]
  [ ! -e pwned ]
}

@test "show says what speaks against a baseline" {
  "$seed" "$store" 0 1 here interrupted
  "$tare" baseline save main --force --store "$store"
  sqlite3 "$store" "UPDATE run_field SET value = '5.4.0' WHERE key = 'kernel'; UPDATE run SET tare_version = '0.0.1'"
  "$tare" baseline show main --json --store "$store" > out.json
  [ "$(jq -c '[.warnings[].code]' out.json)" = '["stale","incomplete","dirty","conditions","other-version"]' ]
  [[ "$(jq -r '.warnings[] | select(.code == "conditions").text' out.json)" == *"kernel 5.4.0 → "* ]]
}

@test "prune --policy: what retention does not keep goes, a baseline's run never" {
  "$seed" "$store" 0 5 > ids
  "$tare" baseline save main "$(head -1 ids)" --store "$store"
  run --separate-stderr "$tare" runs prune --policy --store "$store"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"retention: {keep: 500, days: 365}"* ]]
  echo 'retention: {keep: 2}' > tare.yaml
  run --separate-stderr "$tare" runs prune --policy --dry-run --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"2 runs would be removed, 1 kept"* ]]
  "$tare" runs prune --policy --store "$store"
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 3 ]
  echo 'retention: {keep: 100, days: 30}' > tare.yaml
  run --separate-stderr "$tare" runs prune --policy --store "$store"
  [[ "$output" == *"2 runs removed, 1 kept"*  ]]
  "$tare" runs show main --store "$store" > /dev/null
  echo 'retention: {days: 36500}' > tare.yaml
  run --separate-stderr "$tare" runs prune --policy --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == "0 runs removed, 0 kept"* ]]
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 1 ]
  run --separate-stderr "$tare" runs prune --policy --keep 3 --store "$store"
  [ "$status" -eq 2 ]
}

@test "help: examples first" {
  for words in "baseline export" "baseline import" "verify"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" $words --help
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "  tare "* ]]
  done
}
