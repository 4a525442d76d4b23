#!/usr/bin/env bats
# Stores of older versions: opened, brought up to date, nothing lost. tests/data/store-v1.sql says how it was made.
# shellcheck disable=SC2154 # store_setup sets tare, store and folder
load store_setup

old_store() {
  sqlite3 "$store" < "$TARE_SOURCE/tests/data/store-v1.sql"
  [ "$(sqlite3 "$store" 'PRAGMA user_version')" -eq 1 ]
}

version() {
  sqlite3 "$store" 'PRAGMA user_version'
}

@test "reading brings a store of version 1 up to date; every run, sample and baseline is there" {
  old_store
  "$tare" runs list --json --store "$store" > out.json
  [ "$(jq -c '[(.runs | length), .exit]' out.json)" = '[3,0]' ]
  [ "$(version)" -eq 2 ]
  run --separate-stderr "$tare" runs check --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"whole: 3 runs, 6 benchmarks, 288 samples"* ]]
  [ "$(sqlite3 "$store" "SELECT name FROM baseline")" = main ]
  [ "$(sqlite3 "$store" "SELECT count(*) FROM document")" -eq 1 ]
}

@test "writing does, too" {
  old_store
  "$seed" "$store" 10 1 'Example CPU' > /dev/null
  [ "$(version)" -eq 2 ]
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 4 ]
}

@test "a migrated store has the same tables as a new one" {
  old_store
  "$tare" runs list --store "$store" > /dev/null
  "$seed" new.db 0 1 > /dev/null
  sqlite3 "$store" "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2" > migrated
  sqlite3 new.db "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2" > made
  diff migrated made
}

@test "runs of version 1 can be compared" {
  old_store
  run --separate-stderr "$tare" compare 01hf7yat 01hf7ycmk --store "$store"
  [ "$status" -eq 4 ]
  [[ "$output" == *"group/benchmark-0"* ]]
}

@test "many at once: one brings it up to date, all read it" {
  old_store
  for i in 1 2 3 4 5 6; do
    "$tare" runs list --json --store "$store" > "out$i" &
  done
  wait
  for i in 1 2 3 4 5 6; do
    [ "$(jq '.runs | length' "out$i")" -eq 3 ]
  done
  [ "$(version)" -eq 2 ]
}

@test "an old store on a read-only disk is refused with a way out, and left as it is" {
  small_disk 4m
  store="$folder/disk/store.db"
  old_store
  mount -o remount,ro "$folder/disk"
  run --separate-stderr "$tare" runs list --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"version 1"*"version 2"* ]]
}
