# shellcheck shell=bash
# store_setup.bash: what the tests about the store share. TARE_BUILD is the build folder, TARE_SOURCE the sources.

# shellcheck disable=SC2034 # the tests use what is set here
setup() {
  # bats' run --separate-stderr needs this said.
  bats_require_minimum_version 1.5.0
  tare="$TARE_BUILD/tare"
  seed="$TARE_BUILD/tests/fault/store_seed"
  folder="$(mktemp -d)"
  store="$folder/store.db"
  unset TARE_STORE XDG_STATE_HOME NO_COLOR
  export USER=tester
  cd "$folder" || exit 1
}

teardown() {
  cd /
  umount "$folder/disk" 2>/dev/null || true
  rm -rf "$folder"
}

# A small disk of memory at $folder/disk, or skip: needs root and leave to mount.
small_disk() {
  mkdir "$folder/disk"
  mount -t tmpfs -o "size=$1" tmpfs "$folder/disk" 2>/dev/null || skip "cannot mount a small disk here"
}
