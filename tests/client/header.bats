#!/usr/bin/env bats
# tare.h compiles as every C and C++ it promises, with gcc and clang, without a warning; and alone.

# compiles COMPILER STANDARD FILE
compiles() {
    echo "$1 -std=$2 $3"
    "$1" "-std=$2" -Wall -Wextra -Wshadow -pedantic -Werror -O1 -I"$TARE_SOURCE/include" -c \
        "$TARE_SOURCE/tests/client/$3" -o "$BATS_TEST_TMPDIR/out.o"
}

@test "C11 to C17, gcc and clang" {
    for compiler in gcc clang; do
        for standard in c11 gnu11 c17 gnu17 c2x; do
            compiles "$compiler" "$standard" header_use.c
        done
    done
}

@test "C++11 to C++20, gcc and clang" {
    for compiler in g++ clang++; do
        for standard in c++11 c++14 c++17 c++20; do
            compiles "$compiler" "$standard" header_use.cc
        done
    done
}

@test "without optimisation, too" {
    gcc -std=c11 -O0 -Werror -I"$TARE_SOURCE/include" -c "$TARE_SOURCE/tests/client/header_use.c" \
        -o "$BATS_TEST_TMPDIR/out.o"
}

@test "for aarch64" {
    command -v aarch64-linux-gnu-gcc || skip "no cross compiler"
    aarch64-linux-gnu-gcc -std=c11 -O2 -Wall -Wextra -pedantic -Werror -I"$TARE_SOURCE/include" -c \
        "$TARE_SOURCE/tests/client/header_use.c" -o "$BATS_TEST_TMPDIR/out.o"
}

@test "a description or variant of a benchmark that is not there does not compile" {
    printf '#include <tare/tare.h>\nTARE_DESCRIBE(gone) { (void)d; }\n' >"$BATS_TEST_TMPDIR/a.c"
    printf '#include <tare/tare.h>\nTARE_VARIANT(gone, fast) { (void)t; }\n' >"$BATS_TEST_TMPDIR/b.c"
    for file in a b; do
        run gcc -Wall -Werror -O2 -I"$TARE_SOURCE/include" -c "$BATS_TEST_TMPDIR/$file.c" \
            -o "$BATS_TEST_TMPDIR/out.o"
        [ "$status" -ne 0 ]
        [[ "$output" == *tare_body_gone* ]]
    done
}

@test "something that cannot be kept in C is refused by the compiler" {
    printf '#include <tare/tare.h>\nstruct s { int a[9]; };\nvoid f(struct s s); void f(struct s s) { tare_keep(s); }\n' \
        >"$BATS_TEST_TMPDIR/a.c"
    run gcc -I"$TARE_SOURCE/include" -c "$BATS_TEST_TMPDIR/a.c" -o "$BATS_TEST_TMPDIR/out.o"
    [ "$status" -ne 0 ]
}
