#!/usr/bin/env bats
# tools/setup, with stand-ins for dpkg-query, apt-get, apt-cache, sudo and id in a PATH of its own: what
# it would install, when it asks for package lists, who it does it as, and what it says when it cannot.
# The stand-ins write every call to $log.

setup() {
    stage=$BATS_TEST_TMPDIR
    bin=$stage/bin
    log=$stage/log
    mkdir -p "$bin"
    : >"$log"
    for tool in bash env sed head cat grep sleep dirname; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    stand_in sleep 'exit 0'
    # Installed packages are the lines of $stage/installed; known ones those of $stage/known.
    : >"$stage/installed"
    "$TARE_SOURCE/tools/setup" --help >/dev/null
    stand_in dpkg-query 'while read -r p; do echo "$p installed"; done <'"$stage/installed"
    stand_in apt-cache 'grep -qx "$2" '"$stage/known"
    stand_in apt-get 'echo "apt-get $*" >>'"$log"'
case "$*" in
*update*) cp -f '"$stage/known_later $stage/known"' 2>/dev/null; exit 0 ;;
*install*)
    [ ! -e '"$stage/fail"' ] || exit 100
    for p in "$@"; do echo "$p" >>'"$stage/installed"'; done ;;
esac'
    stand_in id 'echo 0'
    ln -sf "$(command -v cp)" "$bin/cp"
    printf '%s\n' gcc libc6-dev make cmake ninja-build pkg-config git libsqlite3-dev libjansson-dev \
        libyaml-dev libzstd-dev zlib1g-dev libxxhash-dev libmd-dev >"$stage/all_build"
    cp "$stage/all_build" "$stage/known"
}

stand_in() {
    rm -f "$bin/$1"
    printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

setup_script() {
    run env -i PATH="$bin" "$bin/bash" "$TARE_SOURCE/tools/setup" "$@" </dev/null
    echo "$output"
}

@test "nothing is called when all is there" {
    cp "$stage/all_build" "$stage/installed"
    setup_script build
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -s "$log" ]
}

@test "an alternative satisfies" {
    sed 's/^pkg-config$/pkgconf/' "$stage/all_build" >"$stage/installed"
    setup_script build
    [ "$status" -eq 0 ]
    [ ! -s "$log" ]
}

@test "--dry-run says what is missing and touches nothing" {
    grep -v -e cmake -e libzstd "$stage/all_build" >"$stage/installed"
    setup_script --dry-run build
    [ "$status" -eq 0 ]
    [ "$output" = "setup: would install: cmake libzstd-dev" ]
    [ ! -s "$log" ]
}

@test "only what is missing is installed, without fetching lists" {
    grep -v cmake "$stage/all_build" >"$stage/installed"
    setup_script build
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$log")" -eq 1 ]
    grep -q 'install --no-install-recommends cmake$' "$log"
}

@test "lists are fetched when they do not know the package" {
    grep -v cmake "$stage/all_build" >"$stage/installed"
    : >"$stage/known"
    cp "$stage/all_build" "$stage/known_later"
    setup_script build
    [ "$status" -eq 0 ]
    grep -q update "$log"
    grep -q 'install .*cmake' "$log"
}

@test "a failing installation is tried three times, then is an error" {
    grep -v cmake "$stage/all_build" >"$stage/installed"
    touch "$stage/fail"
    setup_script build
    [ "$status" -eq 1 ]
    [ "$(grep -c install "$log")" -eq 3 ]
    [[ "$output" == *"could not install cmake"* ]]
}

@test "a user with sudo installs through it" {
    grep -v cmake "$stage/all_build" >"$stage/installed"
    stand_in id 'echo 1000'
    stand_in sudo 'echo "sudo $*" >>'"$log"'; [ "$1" = -n ] || exec "$@"'
    setup_script build
    [ "$status" -eq 0 ]
    grep -q 'sudo env DEBIAN_FRONTEND=noninteractive .*apt-get' "$log"
}

@test "a user without sudo is told what to install" {
    grep -v cmake "$stage/all_build" >"$stage/installed"
    stand_in id 'echo 1000'
    setup_script build
    [ "$status" -eq 2 ]
    [[ "$output" == *"needs root or sudo"*"apt-get install cmake"* ]]
    [ ! -s "$log" ]
}

@test "without apt the packages are listed, exit 2" {
    rm "$bin/apt-get"
    setup_script build
    [ "$status" -eq 2 ]
    [[ "$output" == *"libsqlite3-dev"*"SETUP=true"* ]]
}

@test "an unknown group is an error that names the groups" {
    setup_script everything
    [ "$status" -eq 2 ]
    [[ "$output" == *"build, test, bench, all"* ]]
}
