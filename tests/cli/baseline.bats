#!/usr/bin/env bats
# `tare baseline`: save, list, show, promote, remove.
# shellcheck disable=SC2154 # store_setup sets tare, seed, store and folder
load store_setup

@test "save, promote, show: the history says who, when, why and from which run" {
  "$seed" "$store" 0 2 > ids
  old="$(head -1 ids)"
  new="$(tail -1 ids)"
  run --separate-stderr "$tare" baseline save main "$old" --store "$store"
  [ "$status" -eq 0 ]
  [ "$output" = "baseline main points at run $old" ]
  run --separate-stderr "$tare" baseline promote main --reason "new allocator" --store "$store"
  [ "$output" = "baseline main moved from run $old to $new" ]
  run --separate-stderr "$tare" baseline show main --store "$store"
  [ "$status" -eq 0 ]
  [[ "$output" == *"promote"*"$old -> $new"*"tester@"*"new allocator"*"save"* ]]
  "$tare" baseline show main --json --store "$store" > out.json
  [ "$(jq -c '[.kind, .name, .exit, .run.id, (.history | length)]' out.json)" = "[\"baseline\",\"main\",0,\"$new\",2]" ]
  [ "$(jq -r '.history[0].previous_run' out.json)" = "$old" ]
}

@test "save does not overwrite, promote does not create" {
  "$seed" "$store" 0 1
  "$tare" baseline save main --store "$store"
  run --separate-stderr "$tare" baseline save main --store "$store"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"tare baseline promote"* ]]
  run --separate-stderr "$tare" baseline promote other --store "$store"
  [ "$status" -eq 5 ]
  [[ "$stderr" == *"tare baseline save"* ]]
}

@test "an unfinished run needs --force" {
  "$seed" "$store" 0 1 here interrupted
  run --separate-stderr "$tare" baseline save main --store "$store"
  [ "$status" -eq 2 ]
  [[ "$stderr" == *"interrupted"*"--force"* ]]
  "$tare" baseline save main --force --store "$store"
}

@test "another machine's baseline is exit 5 and says which machine has it" {
  "$seed" "$store" 0 1 "Other CPU"
  run --separate-stderr "$tare" baseline save main --store "$store"
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"another machine"* ]]
  for command in "baseline show main" "runs show main" "baseline remove main"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" $command --store "$store"
    [ "$status" -eq 5 ]
    [[ "$stderr" == *"cpu=Other CPU"* ]]
  done
  machine="$("$tare" baseline list --json --store "$store" | jq -r '.baselines[0].machine')"
  run --separate-stderr "$tare" baseline show main --machine "${machine:0:6}" --store "$store"
  [ "$status" -eq 0 ]
}

@test "no baseline, no store: exit 5 and nothing made" {
  for command in "show main" "promote main" "remove main" "save main"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" baseline $command --store "$store"
    [ "$status" -eq 5 ]
    [ ! -e "$store" ]
  done
  "$seed" "$store" 0 1
  run --separate-stderr "$tare" baseline show main --store "$store"
  [ "$status" -eq 5 ]
}

@test "list: all machines', with who moved it; remove keeps the run and the history" {
  "$seed" "$store" 0 1
  "$seed" "$store" 1 1 "Other CPU"
  "$tare" baseline save main latest~1 --store "$store"
  "$tare" baseline save main latest --store "$store"
  run --separate-stderr "$tare" baseline list --store "$store"
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]
  [[ "$output" == *"this one"* ]]
  [[ "$output" == *"cpu=Other CPU"* ]]
  run --separate-stderr "$tare" baseline remove main --reason "done with it" --store "$store"
  [ "$status" -eq 0 ]
  [ "$("$tare" baseline list --json --store "$store" | jq '.baselines | length')" -eq 1 ]
  [ "$("$tare" runs list --json --store "$store" | jq '.runs | length')" -eq 2 ]
  [ "$(sqlite3 "$store" "SELECT action || by || reason FROM promotion ORDER BY key DESC LIMIT 1")" = "removetester@$(cat /proc/sys/kernel/hostname)done with it" ]
}

@test "names that will not do: exit 2, shown safely; odd ones that will: taken as they are" {
  "$seed" "$store" 0 1
  for name in "" "$(head -c 10000 /dev/zero | tr '\0' x)" $'a\nb' $'\e[31mred' $'\xff' latest latest~1; do
    run --separate-stderr "$tare" baseline save "$name" --store "$store"
    [ "$status" -eq 2 ]
    [[ "$stderr" != *$'\e'* ]]
    [ "${#stderr}" -lt 600 ]
  done
  odd="it's \"v1\"; DROP TABLE run; --"
  "$tare" baseline save "$odd" --store "$store"
  [ "$("$tare" baseline list --json --store "$store" | jq -r '.baselines[0].name')" = "$odd" ]
}

@test "help: examples first, for the command and each of its words" {
  for words in "baseline" "baseline list" "baseline show" "baseline save" "baseline promote" "baseline remove"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" $words --help
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "  tare baseline"* ]]
  done
}

@test "a run in which nothing could be measured is no baseline" {
    run -3 "$TARE_BUILD/tare" run -q --store "$BATS_TEST_TMPDIR/s.db" -- false
    run -3 "$TARE_BUILD/tare" baseline save none latest --store "$BATS_TEST_TMPDIR/s.db"
    [[ $output == *"no benchmark of run "*" could be measured"* ]]
}
