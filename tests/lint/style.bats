#!/usr/bin/env bats
# tools/check_style, check_format and check_scripts catch what they are there to catch: each test builds
# a small tree with one thing that is wrong.

setup() {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/src/base" "$tree/tools"
    cp "$TARE_SOURCE/.clang-format" "$tree/"
    printf 'int f(void)\n{\n    return 1;\n}\n' >"$tree/src/base/good.c"
}

# A function of that many lines.
function_of() {
    printf 'int g(void)\n{\n'
    for ((i = 0; i < $1 - 4; i++)); do echo '    f();'; done
    printf '    return 1;\n}\n'
}

finding() {
    run "$TARE_SOURCE/tools/check_style" "$tree"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
}

@test "a clean tree passes" {
    run "$TARE_SOURCE/tools/check_style" "$tree"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "a function of 80 lines passes, of 81 lines does not" {
    function_of 80 >"$tree/src/base/x.c"
    run "$TARE_SOURCE/tools/check_style" "$tree"
    [ "$status" -eq 0 ]
    function_of 81 >"$tree/src/base/x.c"
    finding "src/base/x.c:1: function g has 81 lines"
}

@test "a file of more than 1000 lines is found" {
    for ((i = 0; i < 1001; i++)); do echo 'int x;'; done >"$tree/src/base/x.h"
    finding "src/base/x.h:1: 1001 lines"
}

@test "a path of one machine is found in any text" {
    printf 'see /%s/main/notes\n' work >"$tree/notes.md"
    finding "notes.md:1: names a folder of one machine"
}

@test "tabs, trailing blanks, conflict marks and unfinished work are found" {
    printf 'int\tx;\n' >"$tree/src/base/x.c"
    finding "src/base/x.c:1: tab"
    printf 'int x; \n' >"$tree/src/base/x.c"
    finding "src/base/x.c:1: blank at the end"
    printf '%s HEAD\nint x;\n' '<<<<<<<' >"$tree/src/base/x.c"
    finding "src/base/x.c:1: conflict mark"
    printf '/* %s: later */\nint x;\n' TODO >"$tree/src/base/x.c"
    finding "src/base/x.c:1: unfinished work"
}

@test "a tree without C files is an error, not a pass" {
    rm -r "$tree/src"
    run "$TARE_SOURCE/tools/check_style" "$tree"
    [ "$status" -eq 2 ]
}

@test "a file in another format is found" {
    run "$TARE_SOURCE/tools/check_format" "$tree"
    [ "$status" -eq 0 ]
    printf 'int f( void ){return 1;}\n' >"$tree/src/base/x.c"
    run "$TARE_SOURCE/tools/check_format" "$tree"
    [ "$status" -ne 0 ]
    [[ "$output" == *x.c* ]]
}

@test "a script with a mistake is found, by name or by first line" {
    printf '#!/bin/sh\necho "$1"\n' >"$tree/tools/good"
    run "$TARE_SOURCE/tools/check_scripts" "$tree"
    [ "$status" -eq 0 ]
    printf '#!/bin/sh\nrm $1\n' >"$tree/tools/bad"
    run "$TARE_SOURCE/tools/check_scripts" "$tree"
    [ "$status" -ne 0 ]
    [[ "$output" == *SC2086* ]]
}
