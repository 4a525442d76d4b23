#!/usr/bin/env bats
# `tare runs`: list, show, prune, check.
# shellcheck disable=SC2154 # store_setup sets tare, seed, store and folder
load store_setup

@test "list: newest first, with state, benchmarks, commit, branch and command" {
  "$seed" "$store" 0 2
  "$seed" "$store" 2 1 here running
  run --separate-stderr "$tare" runs list --store "$store"
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 4 ]
  [[ "${lines[0]}" == run*age*state*benchmarks*commit*branch*command* ]]
  [[ "${lines[1]}" == *"running or killed"* ]]
  [[ "${lines[2]}" == *complete*" 2 "*3f2c1a9+*main*"./bench --filter 'a b'"* ]]
}

@test "list: runs alone is list; ids are short but unique" {
  "$seed" "$store" 0 3 > ids
  run --separate-stderr "$tare" runs --store "$store"
  [ "$status" -eq 0 ]
  for i in 1 2 3; do
    short="${lines[i]%% *}"
    [ "$(grep -c "^$short" ids)" -eq 1 ]
    [ "${#short}" -lt 26 ]
    "$tare" runs show "$short" --store "$store" > /dev/null
  done
}

@test "list: filters and limit; what is left out is said" {
  "$seed" "$store" 0 5
  run --separate-stderr "$tare" runs list --limit 2 --store "$store"
  [ "${#lines[@]}" -eq 3 ]
  [[ "$stderr" == *"--limit 0"* ]]
  run --separate-stderr "$tare" runs list --commit ffff --store "$store"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  [[ "$stderr" == *"no such runs"* ]]
}

@test "list --json: kind, runs, exit" {
  "$seed" "$store" 0 2
  "$tare" runs list --json --store "$store" > out.json
  [ "$(jq -c '[.tare, .kind, .exit, (.runs | length), .more]' out.json)" = '[1,"runs",0,2,false]' ]
  [ "$(jq -c '.runs[0] | [.state, .benchmarks, .commit.hash, .commit.dirty]' out.json)" = '["complete",2,"3f2c1a9",true]' ]
}

@test "show: the newest by default; a baseline's name, latest~1 and --json work" {
  "$seed" "$store" 0 2 > ids
  run --separate-stderr "$tare" runs show --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *benchmark-0* ]]
  [[ "$output" == *benchmark-1* ]]
  "$tare" baseline save main latest~1 --store "$store"
  first="$(head -1 ids)"
  [ "$("$tare" runs show latest~1 --json --store "$store" | jq -r .id)" = "$first" ]
  [ "$("$tare" runs show main --json --store "$store" | jq -r .id)" = "$first" ]
}

@test "show: a run that was cut off says so" {
  "$seed" "$store" 0 1 here running
  run --separate-stderr "$tare" runs show --store "$store"
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"running or killed"* ]]
}

@test "show: what names nothing is a usage error with a hint" {
  "$seed" "$store" 0 1
  for name in nonsense latest~5 $'a\e[31mb' "$(head -c 10000 /dev/zero | tr '\0' x)" $'\xff\xfe' "' OR 1=1 --"; do
    run --separate-stderr "$tare" runs show "$name" --store "$store"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ "$stderr" == *"tare runs list"* ]]
    [[ "$stderr" != *$'\e'* ]]
    [ "${#stderr}" -lt 600 ]
  done
}

@test "prune: wants to be told what, exactly one way" {
  "$seed" "$store" 0 1
  for arguments in "" "--keep 1 --older-than 1d" "--keep 1 latest" "--keep 1.5" "--keep -1" "--keep x" "--older-than soon"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" runs prune $arguments --store "$store"
    [ "$status" -eq 2 ]
  done
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 1 ]
}

@test "prune: dry run removes nothing, the real one says what it removed" {
  "$seed" "$store" 0 4 > ids
  run --separate-stderr "$tare" runs prune --keep 3 --dry-run --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"would remove $(head -1 ids)"* ]]
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 4 ]
  run --separate-stderr "$tare" runs prune --keep 3 --store "$store"
  [[ "$output" == *"removed $(head -1 ids)"* ]]
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 3 ]
  run --separate-stderr "$tare" runs prune --older-than 1d --json --store "$store"
  [ "$(jq -c '[.kind, (.removed | length), .exit]' <<< "$output")" = '["prune",3,0]' ]
}

@test "prune: a baseline's run stays, even when named" {
  "$seed" "$store" 0 2
  "$tare" baseline save main latest --store "$store"
  run --separate-stderr "$tare" runs prune latest --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"baseline main points at it"* ]]
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 2 ]
}

@test "prune: does not make a store" {
  run --separate-stderr "$tare" runs prune --keep 1 --store "$store"
  [ "$status" -eq 3 ]
  [ ! -e "$store" ]
}

@test "check: a whole store passes, a damaged one is exit 3 and says where" {
  "$seed" "$store" 0 2
  run --separate-stderr "$tare" runs check --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"whole: 2 runs, 4 benchmarks"* ]]
  sqlite3 "$store" "UPDATE metric SET samples = zeroblob(50) WHERE key = 1"
  run --separate-stderr "$tare" runs check --store "$store"
  [ "$status" -eq 3 ]
  [[ "$output" == *"benchmark-0"*"damaged"* ]]
  run --separate-stderr "$tare" runs check --json --store "$store"
  [ "$(jq -c '[.kind, (.problems | length), .exit]' <<< "$output")" = '["check",1,3]' ]
}

@test "unknown words and options: exit 2 with a suggestion" {
  run --separate-stderr "$tare" runs lsit
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"tare runs list"* ]]
  run --separate-stderr "$tare" runs list extra --store "$store"
  [ "$status" -eq 2 ]
  run --separate-stderr "$tare" runs list --keep 3 --store "$store"
  [ "$status" -eq 2 ]
}

@test "help: examples first, for the command and each of its words" {
  for words in "runs" "runs list" "runs show" "runs prune" "runs check"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" $words --help
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "  tare runs"* ]]
  done
}

@test "a full standard output is an error" {
  [ -e /dev/full ] || skip "no /dev/full"
  "$seed" "$store" 0 1
  run --separate-stderr bash -c "'$tare' runs list --store '$store' > /dev/full"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"No space left"* ]]
}
