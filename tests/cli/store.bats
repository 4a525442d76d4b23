#!/usr/bin/env bats
# Where the store is, and what happens when it cannot be used.
# shellcheck disable=SC2154 # store_setup sets tare, seed, store and folder
load store_setup

# The store a listing says it used.
used_store() {
  "$tare" runs list --json "$@" | jq -r .store
}

@test "place: --store, then TARE_STORE, then the project, then the user's state folder" {
  mkdir -p project/sub/.git project/deep/er state home/.local/state/tare state/tare project/.tare project/sub/.tare
  touch project/tare.yaml
  for place in a.db b.db project/.tare/store.db project/sub/.tare/store.db state/tare/store.db home/.local/state/tare/store.db; do
    "$seed" "$place" 0 1 > /dev/null
  done
  [ "$(TARE_STORE=b.db used_store --store a.db)" = a.db ]
  [ "$(TARE_STORE=b.db used_store)" = b.db ]
  [ "$(cd project/deep/er && used_store)" = "$PWD/project/.tare/store.db" ]
  # A tare.yaml further up is nearer to the truth than a repository in between.
  [ "$(cd project/sub && used_store)" = "$PWD/project/.tare/store.db" ]
  rm project/tare.yaml
  [ "$(cd project/sub && used_store)" = "$PWD/project/sub/.tare/store.db" ]
  [ "$(XDG_STATE_HOME="$PWD/state" used_store)" = "$PWD/state/tare/store.db" ]
  [ "$(HOME="$PWD/home" used_store)" = "$PWD/home/.local/state/tare/store.db" ]
}

@test "place: a folder means store.db in it; an empty name is refused" {
  mkdir kept
  "$seed" kept/store.db 0 1 > /dev/null
  [ "$(used_store --store kept)" = kept/store.db ]
  [ "$(used_store --store kept/)" = kept/store.db ]
  run --separate-stderr "$tare" runs list --store ""
  [ "$status" -eq 2 ]
}

@test "place: names that SQLite treats specially are files" {
  "$seed" ":memory:" 0 1 > /dev/null
  [ -f ":memory:" ]
  "$seed" "file:x?mode=memory" 0 1 > /dev/null
  [ -f "file:x?mode=memory" ]
  [ "$("$tare" runs list --json --store "file:x?mode=memory" | jq '.runs | length')" -eq 1 ]
}

@test "missing: exit 3, says what makes one, makes nothing" {
  run --separate-stderr "$tare" runs list --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"no store at"*"tare run"* ]]
  [ -z "$(ls -A)" ]
}

@test "not a store: text, another program's database, a folder, a device: exit 3, left as it is" {
  echo "just some text that is long enough to be looked at by a database library, twice over, at least." > text.db
  sqlite3 other.db "CREATE TABLE t (a); INSERT INTO t VALUES (1)"
  sha256sum text.db other.db > before
  for file in text.db other.db; do
    for command in "runs list" "baseline save main" "runs check" "runs prune --keep 1"; do
      # shellcheck disable=SC2086 # several words on purpose
      run --separate-stderr "$tare" $command --store "$file"
      [ "$status" -eq 3 ]
      [[ "$stderr" == *"not a Tare store"* ]]
    done
  done
  sha256sum -c --quiet before
  run --separate-stderr "$tare" runs list --store /dev/null
  [ "$status" -eq 3 ]
  mkdir -p folder/store.db
  run --separate-stderr "$tare" runs list --store folder
  [ "$status" -eq 3 ]
}

@test "newer: refused with both versions, left as it is" {
  "$seed" "$store" 0 1
  sqlite3 "$store" "PRAGMA user_version = 99"
  sha256sum "$store" > before
  for command in "runs list" "runs show" "runs prune --keep 0" "baseline save main"; do
    # shellcheck disable=SC2086 # several words on purpose
    run --separate-stderr "$tare" $command --store "$store"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"version 99"*"up to 2"* ]]
  done
  sha256sum -c --quiet before
}

@test "cut short at any length: exit 3, never a crash" {
  "$seed" "$store" 0 1
  size="$(stat -c %s "$store")"
  for ((length = 1; length < size; length += 5000)); do
    head -c "$length" "$store" > cut.db
    run --separate-stderr "$tare" runs check --store cut.db
    [ "$status" -eq 3 ]
  done
}

@test "damaged in the middle: the message names the store and the way out" {
  "$seed" "$store" 0 3
  size="$(stat -c %s "$store")"
  dd if=/dev/zero of="$store" bs=4096 seek=2 count=$((size / 4096 - 3)) conv=notrunc status=none
  run --separate-stderr "$tare" runs list --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"$store"*"damaged"*"tare runs check"* ]]
}

@test "a killed writer's log is folded in by the next reader" {
  "$seed" "$store" 0 1
  # A copy with the log still beside it is what a killed writer leaves.
  sqlite3 "$store" ".dbconfig no_ckpt_on_close on" "UPDATE run SET project = 'from the log'" > /dev/null
  [ -s "$store-wal" ] || skip "this sqlite3 leaves no log behind"
  [ "$("$tare" runs list --json --store "$store" | jq -r '.runs[0].project')" = "from the log" ]
}

@test "read-only disk: reading works, writing is exit 3" {
  small_disk 4m
  "$seed" disk/store.db 0 1
  mount -o remount,ro "$folder/disk"
  run --separate-stderr "$tare" runs list --store disk/store.db
  [ "$status" -eq 0 ]
  [[ "$output" == *complete* ]]
  run --separate-stderr "$tare" baseline save main --store disk/store.db
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"disk/store.db"*"read-only"* ]]
  run --separate-stderr "$tare" runs prune --keep 0 --store disk/store.db
  [ "$status" -eq 3 ]
  [ "$("$tare" runs list --json --store disk/store.db | jq '.runs | length')" -eq 1 ]
}

@test "full disk: an error, and what was finished before is there" {
  small_disk 512k
  run --separate-stderr "$seed" disk/store.db 0 100
  [ "$status" -eq 1 ]
  [[ "$stderr" == *"space"* ]]
  finished="${#lines[@]}"
  [ "$finished" -gt 0 ]
  run --separate-stderr "$tare" runs check --store disk/store.db
  [ "$status" -eq 0 ]
  [ "$("$tare" runs list --limit 0 --json --store disk/store.db | jq '[.runs[] | select(.state == "complete")] | length')" -eq "$finished" ]
}

@test "file size limit: an error, and what was finished before is there" {
  run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 200; '$seed' '$store' 0 100"
  [ "$status" -eq 1 ]
  [[ "$stderr" == *"$store"* ]]
  finished="${#lines[@]}"
  run --separate-stderr "$tare" runs check --store "$store"
  [ "$status" -eq 0 ]
  [ "$("$tare" runs list --limit 0 --json --store "$store" | jq '[.runs[] | select(.state == "complete")] | length')" -eq "$finished" ]
}

@test "no permission: exit 3 with the reason" {
  "$seed" "$store" 0 1
  chmod 755 "$folder"
  chmod 000 "$store"
  as_nobody=()
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$tare" 2>/dev/null || skip "another user cannot run the program here"
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  fi
  run --separate-stderr "${as_nobody[@]}" "$tare" runs list --store "$store"
  [ "$status" -eq 3 ]
  [[ "$stderr" == *"ermission denied"* ]]
  chmod 644 "$store"
  # A store of someone else in a folder of someone else can be read all the same.
  run --separate-stderr "${as_nobody[@]}" "$tare" runs list --store "$store"
  [ "$status" -eq 0 ]
  if [ "${#as_nobody[@]}" -gt 0 ]; then
    run --separate-stderr "${as_nobody[@]}" "$tare" baseline save main --store "$store"
    [ "$status" -eq 3 ]
  fi
}
