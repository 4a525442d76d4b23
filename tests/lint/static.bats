#!/usr/bin/env bats
# tools/check_static fails on a real bug: a copy of its settings and one source with a null dereference.

setup() {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/src/base" "$tree/include" "$tree/tools" "$tree/build" "$tree/examples"
    cp "$TARE_SOURCE/tools/check_static" "$tree/tools/"
    cp "$TARE_SOURCE/.clang-tidy" "$tree/"
    file=$tree/src/base/x.c
    printf '[{"directory": "%s", "file": "%s", "command": "cc -c %s"}]' "$tree" "$file" "$file" \
        >"$tree/build/compile_commands.json"
}

@test "a clean source passes, twice" {
    printf 'int f(int x);\nint f(int x)\n{\n    return x + 1;\n}\n' >"$file"
    run "$tree/tools/check_static" "$tree/build"
    echo "$output"
    [ "$status" -eq 0 ]
    run "$tree/tools/check_static" "$tree/build"
    [ "$status" -eq 0 ]
}

@test "a null dereference fails, and fails again" {
    printf 'int f(int x);\nint f(int x)\n{\n    int *p = 0;\n    if (x > 0) {\n        p = &x;\n    }\n    return *p;\n}\n' >"$file"
    run "$tree/tools/check_static" "$tree/build"
    [ "$status" -ne 0 ]
    [[ "$output" == *NullDereference* ]]
    run "$tree/tools/check_static" "$tree/build"
    [ "$status" -ne 0 ]
}

@test "a build without compile commands is an error" {
    rm "$tree/build/compile_commands.json"
    run "$tree/tools/check_static" "$tree/build"
    [ "$status" -eq 2 ]
}
