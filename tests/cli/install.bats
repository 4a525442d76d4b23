#!/usr/bin/env bats
# `make install` and `make uninstall` (tools/install), from the finished build: what is put where, that
# a program can be built against it with pkg-config and with CMake, and that nothing is left behind.

setup() {
    place=$BATS_TEST_TMPDIR
    export PREFIX=$place/home/.local
    program='#include <tare/tare.h>
#include <stdint.h>
TARE_BENCHMARK(sum)
{
    uint64_t total = 0;
    TARE_LOOP(t) {
        total += 3;
        tare_keep(total);
    }
}
TARE_MAIN()'
}

listing() {
    (cd "$1" && find . -mindepth 1 | sort)
}

install_tare() {
    TARE_BUILD=$TARE_BUILD "$TARE_SOURCE/tools/install" install
}

uninstall_tare() {
    TARE_BUILD=$TARE_BUILD "$TARE_SOURCE/tools/install" uninstall
}

@test "installs the tool, both libraries, header, pkg-config and CMake files" {
    install_tare
    run listing "$PREFIX"
    echo "$output"
    [[ "$output" == *"./bin/tare"* ]]
    [[ "$output" == *"./include/tare/tare.h"* ]]
    [[ "$output" == *"/libtare.a"* ]]
    [[ "$output" == *"/libtare.so"* ]]
    [[ "$output" == *"/pkgconfig/tare.pc"* ]]
    [[ "$output" == *"/cmake/tare/tareConfig.cmake"* || "$output" == *"/cmake/tare/tare-config.cmake"* ]]
    # One header only: everything else is internal.
    [ "$(find "$PREFIX/include" -type f | wc -l)" -eq 1 ]
    run "$PREFIX/bin/tare" --version
    [ "$status" -eq 0 ]
    [[ "$output" == "tare "* ]]
    uninstall_tare
}

@test "uninstall leaves nothing, not even folders it made" {
    mkdir "$place/home"
    install_tare
    uninstall_tare
    [ "$(listing "$place/home")" = "" ]
    [ -d "$place/home" ]
}

@test "uninstall keeps what was there before, and what others put there" {
    mkdir -p "$PREFIX/bin" "$PREFIX/lib/pkgconfig"
    echo mine >"$PREFIX/bin/other"
    before=$(listing "$PREFIX")
    install_tare
    install_tare # a second time changes nothing about that
    echo later >"$PREFIX/include/tare/theirs.h"
    uninstall_tare
    [ "$(cat "$PREFIX/bin/other")" = mine ]
    rm -r "$PREFIX/include"
    [ "$(listing "$PREFIX")" = "$before" ]
}

@test "DESTDIR stands before the prefix and leaves no trace in what is installed" {
    DESTDIR=$place/package PREFIX=/usr install_tare
    [ -x "$place/package/usr/bin/tare" ]
    run grep -rl "$place" "$place/package" --include='*.pc' --include='*.cmake'
    echo "$output"
    [ "$status" -ne 0 ]
    DESTDIR=$place/package PREFIX=/usr uninstall_tare
    [ ! -e "$place/package" ]
}

@test "a prefix with blanks works" {
    PREFIX="$place/my tools" install_tare
    [ -x "$place/my tools/bin/tare" ]
    PREFIX="$place/my tools" uninstall_tare
    [ ! -e "$place/my tools" ]
}

@test "uninstall without an installation is an error, and removes nothing" {
    mkdir -p "$PREFIX/bin"
    run uninstall_tare
    [ "$status" -eq 2 ]
    [[ "$output" == *"no record of an installation"* ]]
}

@test "a prefix that cannot be written is refused before anything is copied" {
    mkdir -p "$place/home"
    touch "$PREFIX"
    run install_tare
    [ "$status" -eq 2 ]
    [[ "$output" == *"cannot write to"* ]]
}

@test "a program builds against it with pkg-config and runs" {
    install_tare
    echo "$program" >"$place/bench.c"
    pc=$(dirname "$(find "$PREFIX" -name tare.pc)")
    read -r -a flags <<<"$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs tare)"
    cc -O2 "$place/bench.c" "${flags[@]}" -o "$place/bench"
    run env LD_LIBRARY_PATH="$(dirname "$pc")" "$place/bench" --list
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *sum* ]]
    uninstall_tare
}

@test "a program builds against it with find_package(tare) and runs" {
    install_tare
    mkdir "$place/project"
    echo "$program" >"$place/project/bench.c"
    cat >"$place/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(tare REQUIRED)
add_executable(bench bench.c)
target_link_libraries(bench PRIVATE tare::tare)
CMAKE
    cmake -S "$place/project" -B "$place/project/build" -DCMAKE_PREFIX_PATH="$PREFIX" >/dev/null
    cmake --build "$place/project/build" >/dev/null
    run "$place/project/build/bench" --list
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *sum* ]]
    uninstall_tare
}
