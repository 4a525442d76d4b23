#!/usr/bin/env bats
# Goal: what a new user meets first says what is wrong and what to do. Method: the mistakes themselves, and the words of the answer.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    export NO_COLOR=1 COLUMNS=80
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    cd "$BATS_TEST_TMPDIR"
}

# No line of the report is wider than 80 columns.
fits() { LC_ALL=C.UTF-8 awk 'length($0) > 80 { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"; }

@test "of budget and time-out the wrong one is named" {
    run "$tare" run --budget 0 -- true
    [ "$status" -eq 2 ]
    [[ "$output" == *"--budget must"* && "$output" != *"--timeout"* ]]
    run "$tare" run --timeout 0 -- true
    [ "$status" -eq 2 ]
    [[ "$output" == *"--timeout must"* && "$output" != *"--budget"* ]]
}

@test "an unexpected exit status is told with those expected" {
    run --separate-stderr "$tare" run --exit-code 3 --exit-code 4 --runs 2 -- true
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"exited with status 0; --exit-code expects 3 or 4"* ]]
}

@test "last words are one line, and the last of them are there" {
    run --separate-stderr "$tare" run --runs 2 -S "printf 'first\n\n  second\n' >&2; exit 1"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"it said: first | second"* ]]
}

@test "a file here that is not in PATH is offered, executable or not" {
    echo 'int x;' >first.c
    run --separate-stderr "$tare" run first.c
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"did you mean './first.c'? (it is not executable)"* ]]
    run --separate-stderr "$tare" run second.c
    [[ "$stderr" == *"not found in PATH"* && "$stderr" != *"did you mean"* ]]
}

@test "long reasons and notes are broken between words within 80 columns" {
    run --separate-stderr "$tare" run --runs 2 -S "printf 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen' >&2; exit 1"
    [ "$status" -eq 3 ]
    fits
    [ "$(tr -s ' \n' '  ' <<<"$output" | grep -c 'ten eleven twelve thirteen fourteen')" -eq 1 ]
}

@test "a folder that is no machine cannot be examined" {
    mkdir empty
    run "$tare" doctor --root empty
    [ "$status" -eq 3 ]
    [[ "$output" == *"nothing to examine"* ]]
}

@test "promoting onto the same run changes nothing and adds no history" {
    "$tare" run -q --runs 2 -- true
    "$tare" baseline save main
    run --separate-stderr "$tare" baseline promote main
    [ "$status" -eq 0 ]
    [[ "$output" == *"already"* ]]
    "$tare" baseline promote main --json | jq -e '.changed == false and .name == "main"'
    "$tare" baseline show main --json | jq -e '.history | length == 1'
    "$tare" run -q --runs 2 -- true
    "$tare" baseline promote main --json | jq -e '.changed == true'
}

@test "without a build line a missing program is not blamed on the build" {
    git init -q repository
    cd repository
    git -c user.email=a@b -c user.name=x commit -q --allow-empty -m first
    run --separate-stderr "$tare" ab --rev HEAD -- ./bench
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"no build line was given"*"--build"*"build:"* ]]
    run --separate-stderr "$tare" ab --rev HEAD --build 'echo all is well' -- ./bench
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"made no ./bench"*"all is well"* ]]
}

@test "a run without an end is kept with the way to remove it" {
    "$tare" run -q --runs 2 -- true
    sqlite3 "$TARE_STORE" "UPDATE run SET state = 'running', finished_unix_ns = 0"
    run "$tare" runs prune --keep 0
    [ "$status" -eq 0 ]
    id=$(sed -n "s/.*'tare runs prune \([0-9a-z]*\)'.*/\1/p" <<<"$output")
    [ -n "$id" ]
    run "$tare" runs prune "$id"
    [[ "$output" == *"removed $id"* ]]
}

@test "the list of runs says which side of a comparison each is" {
    "$tare" ab -q --budget 1s true /bin/true || true
    run "$tare" runs list
    [[ "$output" == *"(old: true)"* && "$output" == *"(new: /bin/true)"* ]]
}

@test "closed standard descriptors: nothing is written elsewhere, and it is no success" {
  run bash -c '"$0" runs list --store "$1" >&- 2>&-; echo "$?"' "$TARE_BUILD/tare" "$BATS_TEST_TMPDIR/none.db"
  [ "$output" != 0 ]
  run bash -c '"$0" --version <&- >&- 2>/dev/null; echo "$?"' "$TARE_BUILD/tare"
  [ ! -s "$BATS_TEST_TMPDIR/none.db" ]
}
