#!/usr/bin/env bats
# Programs linked with libtare in every way people link: each runs, lists its benchmarks, and carries the
# note by which `tare` finds it.

setup() {
    place=$BATS_TEST_TMPDIR
    include=-I$TARE_SOURCE/include
    use=$TARE_SOURCE/tests/client/header_use
}

has_note() {
    readelf -n "$1" >"$place/notes"
    grep -A1 'Owner' "$place/notes" | head -0
    grep -qE '^ +Tare +0x00000004' "$place/notes"
    grep -q 'description data: 01 00 00 00' "$place/notes"
}

works() {
    run "$place/program" --list
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "plain/reference n=1" ]
    [ "${lines[1]}" = "plain/other n=1" ]
    [ "${lines[6]}" = "group/name" ]
    has_note "$place/program"
}

@test "dynamic executable, static library, position independent or not" {
    for kind in -pie -no-pie; do
        gcc -O2 $kind "$include" "$use.c" "$TARE_BUILD/libtare.a" -o "$place/program"
        works
    done
}

@test "shared library" {
    gcc -O2 "$include" "$use.c" -L"$TARE_BUILD" -ltare "-Wl,-rpath,$TARE_BUILD" -o "$place/program"
    works
}

@test "hidden visibility, link-time optimisation, section collection" {
    gcc -O2 -flto -fvisibility=hidden -ffunction-sections -fdata-sections -Wl,--gc-sections \
        "$include" "$use.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    works
    strip "$place/program"
    works
}

@test "fully static, and static and position independent" {
    for kind in -static -static-pie; do
        gcc -O2 $kind "$include" "$use.c" "$TARE_BUILD/libtare.a" -o "$place/program"
        works
    done
}

@test "C++" {
    g++ -O2 "$include" "$use.cc" "$TARE_BUILD/libtare.a" -o "$place/program"
    works
    clang++ -O2 "$include" "$use.cc" "$TARE_BUILD/libtare.a" -o "$place/program"
    works
}

@test "musl, from source" {
    command -v musl-gcc || skip "no musl-gcc"
    sources=("$TARE_SOURCE"/src/client/*.c "$TARE_SOURCE"/src/base/{arena,assert,buffer,error,text}.c
        "$TARE_SOURCE"/src/os/{clock,terminal}.c)
    wanted=()
    for source in "${sources[@]}"; do
        [[ "$source" == */alloc_*.c ]] || wanted+=("$source")
    done
    musl-gcc -std=c17 -D_GNU_SOURCE -O2 -static -fno-math-errno -I"$TARE_SOURCE/src" "$include" \
        "${wanted[@]}" "$use.c" -o "$place/program"
    works
}

@test "a name of the user's own that libtare uses inside does not clash" {
    cat >"$place/own.c" <<'C'
int json_text, arena_alloc, buffer_text, clock_now, client_open, fit_growth;
C
    gcc -O2 "$include" "$use.c" "$place/own.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    works
}

@test "benchmarks in several files; a main of one's own" {
    printf '#include <tare/tare.h>\nTARE_BENCHMARK(one) { TARE_LOOP(t) {} }\n' >"$place/one.c"
    printf '#include <tare/tare.h>\nTARE_BENCHMARK(two) { TARE_LOOP(t) {} }\nTARE_NOTE;\nint main(int c, char **v) { return tare_main(c, v); }\n' \
        >"$place/two.c"
    gcc -O2 "$include" "$place/one.c" "$place/two.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    [ "$("$place/program" --list)" = "one
two" ]
    has_note "$place/program"
}

@test "the first benchmark of the README, as it stands there" {
    awk '/^## /{ is_there = /A first benchmark in C/ } is_there && /^```$/ { exit }
        is_code { print } is_there && /^```c$/ { is_code = 1 }' "$TARE_SOURCE/README.md" >"$place/first.c"
    grep -q TARE_BENCHMARK "$place/first.c"
    for compiler in gcc clang "g++ -x c++"; do
        command -v "${compiler%% *}" >/dev/null || continue
        # shellcheck disable=SC2086
        $compiler -O2 -Wall -Wextra -Werror "$include" "$place/first.c" -x none "$TARE_BUILD/libtare.a" -o "$place/first"
        run "$place/first" --min-time 20ms --json
        echo "$compiler: $output"
        [ "$status" -eq 0 ]
        # A thousand additions, at most 32 a cycle: more than a few nanoseconds.
        jq -e '.benchmarks[0] | .state == "ok" and .metrics[0].median > 5' <<<"$output"
    done
}

@test "two benchmarks of one name are refused, with both places" {
    printf '#include <tare/tare.h>\nTARE_BENCHMARK(one) { TARE_LOOP(t) {} }\n' >"$place/one.c"
    printf '#include <tare/tare.h>\nTARE_BENCHMARK(one) { TARE_LOOP(t) {} }\nTARE_MAIN()\n' >"$place/two.c"
    gcc -O2 "$include" "$place/one.c" "$place/two.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    run "$place/program"
    [ "$status" -eq 2 ]
    [[ "$output" == *"two.c:2: benchmark 'one' is already defined at "*"one.c:2"* ]]
}

@test "a wrong description is said with file and line, exit 2" {
    printf '#include <tare/tare.h>\nTARE_BENCHMARK(one) { TARE_LOOP(t) {} }\nTARE_DESCRIBE(one) { tare_params(d, "n", "5..1"); }\nTARE_MAIN()\n' \
        >"$place/one.c"
    gcc -O2 "$include" "$place/one.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    run "$place/program"
    [ "$status" -eq 2 ]
    [[ "$output" == *"one.c:2: benchmark 'one': parameter 'n': cannot read the range '5..1'"* ]]
}

@test "a reference and a variant of one name are refused" {
    printf '#include <tare/tare.h>\nTARE_BENCHMARK(one) { TARE_LOOP(t) {} }\nTARE_VARIANT(one, reference) { TARE_LOOP(t) {} }\nTARE_MAIN()\n' \
        >"$place/one.c"
    gcc -O2 "$include" "$place/one.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    run "$place/program"
    [ "$status" -eq 2 ]
    [[ "$output" == *"both called 'reference'"* ]]
}

@test "the driver leaves: the program ends by itself, and tears its benchmarks down" {
    cat >"$place/one.c" <<'C'
#include <stdio.h>
#include <tare/tare.h>
static void make(struct tare_state *t) { (void)t; }
static void drop(struct tare_state *t) { (void)t; puts("torn down"); }
TARE_BENCHMARK(one) { TARE_LOOP(t) { tare_clobber(); } }
TARE_DESCRIBE(one) { tare_setup(d, make, drop); }
TARE_MAIN()
C
    gcc -O2 "$include" "$place/one.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    # The reading end of the replies is closed before the second request is answered.
    run bash -c '{ echo "{\"op\":\"open\",\"benchmark\":0}"; echo "{\"op\":\"list\"}"; echo "{\"op\":\"list\"}"; } |
        { TARE_PROTOCOL_FDS=0,7 "$1" 7>"$2"; echo "exit $?"; }' _ "$place/program" /dev/full
    echo "$output"
    [ "${lines[0]}" = "torn down" ]
    [ "${lines[1]}" = "exit 0" ]
}

@test "a program without benchmarks, and one without optimisation" {
    printf '#include <tare/tare.h>\nTARE_MAIN()\n' >"$place/none.c"
    gcc -O2 "$include" "$place/none.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    run "$place/program"
    [ "$status" -eq 3 ]
    [[ "$output" == *"has no benchmarks"* ]]
    gcc -O0 "$include" "$use.c" "$TARE_BUILD/libtare.a" -o "$place/program"
    run "$place/program" --filter group --min-time 1ms
    [[ "$output" == *"compiled without optimisation"* ]]
}
