#!/usr/bin/env bats
# Goal: --count gives counts that repeat bit for bit, says so when they do not, and never takes a count for granted.
# Method: real Valgrind on small programs and commands whose work is known, and on ones that misbehave under it.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    export NO_COLOR=1
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
    unset COLUMNS
    mkdir "$TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    command -v valgrind >/dev/null || skip "no Valgrind here"
}

teardown() { # whatever happened: nothing of a count is left
    local left
    left=$(ls -A "$TMPDIR") || return 0
    [ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

call() { run --separate-stderr "$tare" "$@"; }

expect() { # CODE TEXT: exit code, and a text somewhere in the output, wherever its lines break
    [ "$status" -eq "$1" ] || { echo "exit $status: $output $stderr"; return 1; }
    [[ "$(tr -s ' \n' ' ' <<<"$output $stderr")" == *"$2"* ]] || { echo "no '$2' in: $output $stderr"; return 1; }
}

link_with_tare() { # NAME: NAME.c becomes a benchmark program
    [ -z "${TARE_CFLAGS:-}" ] || skip "Valgrind does not run programs with sanitizers"
    cc -O2 -I"$TARE_SOURCE/include" "$1.c" "$TARE_BUILD/libtare.a" -lpthread -o "$1"
}

bench() { # NAME STEPS: a benchmark program that does so many steps
    cat >"$1.c" <<C
#include <tare/tare.h>
TARE_BENCHMARK(work)
{
    TARE_LOOP(t) {
        unsigned long x = 1;
        for (int i = 0; i < $2; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; tare_keep(x); }
    }
}
${3:-}
TARE_MAIN()
C
    link_with_tare "$1"
}

tool() { # NAME STEPS: a command that does so many steps
    cat >tool.c <<C
int main(void)
{
    volatile unsigned long x = 1;
    for (int i = 0; i < $2; i++) { x = x * 3 + 1; }
    return ${3:-0};
}
C
    cc -O1 tool.c -o "$1"
}

count() { # ARGUMENTS of tare run: the count, or why there is none
    "$tare" run -q --json --budget 1s --runs 1 --count instructions "$@" 2>errors |
        jq -r '.benchmarks[0].metrics[] | select(.name == "instructions") | .invalid // .median'
}

@test "a program's instructions repeat exactly, and follow the work exactly" {
    bench a 100
    bench b 110
    bench c 120
    first=$(count ./a)
    [ "$first" -gt 0 ]
    [ "$(count ./a)" = "$first" ]
    second=$(count ./b)
    third=$(count ./c)
    [ "$second" -gt "$first" ]
    [ $((second - first)) -eq $((third - second)) ]
}

@test "every kind of loop can be counted: latency, threads, batches, with a check" {
    bench a 10 '
static int made;
static void verify(struct tare_state *t) { tare_expect(t, made == 1, "made"); }
TARE_BENCHMARK(latency) { TARE_LOOP_LATENCY(t) { tare_clobber(); tare_keep(1); } made = 1; }
TARE_DESCRIBE(latency) { tare_check(d, verify); }
TARE_BENCHMARK(batched) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }
TARE_DESCRIBE(batched) { tare_batch(d, 7); }
TARE_BENCHMARK(teamed) { TARE_LOOP(t) { unsigned long x = 1; for (int i = 0; i < 10; i++) { x *= 3; tare_keep(x); } } }
TARE_DESCRIBE(teamed) { tare_threads(d, "2"); }'
    call run --json --budget 4s --count instructions ./a
    jq -e '[.benchmarks[].metrics[] | select(.name == "instructions" and .exact and .n == 2 and .median > 0)] | length == 4' <<<"$output" ||
        { echo "$output $stderr"; return 1; }
}

@test "more work regresses by instructions exactly, and the witness says so" {
    bench old 500
    bench new 1000
    call ab --json --budget 20s --count instructions --gate time --gate instructions ./old ./new
    expect 1 '"regressed"'
    jq -e '.comparisons[] | select(.metric == "instructions") |
        .basis == "exact" and .gated and .verdict == "regressed" and .unit == "1" and .better == "lower"
        and .old.n == 2 and .new.n == 2 and .ratio > 1.9 and .ratio < 2.1' <<<"$output"
    jq -e '.comparisons[] | select(.metric == "time") | .witness | startswith("more work: +")' <<<"$output"
}

@test "the same program under another name and in another folder has the same count" {
    bench a 100
    mkdir -p some/longer/folder
    cp a some/longer/folder/the_same_program
    call ab --json --budget 2s --gate instructions ./a some/longer/folder/the_same_program
    expect 0 '"equivalent"'
    tool one 1000
    cp one some/longer/folder/the_same_tool
    call ab --json --budget 2s --gate instructions ./one some/longer/folder/the_same_tool
    expect 0 '"equivalent"'
}

@test "a variable more in the environment does not change a command's count" {
    tool one 1000
    first=$(count -- ./one)
    [ "$first" -gt 0 ]
    [ "$(SOME_EXTRA_VARIABLE=with_a_value count -- ./one)" = "$first" ]
    [ "$(SSH_CLIENT=192.0.2.1 count -- ./one)" = "$first" ]
}

@test "a command is counted whole, with the programs that it starts" {
    tool one 1000
    tool two 100000
    first=$(count -- ./one)
    second=$(count -- ./two)
    [ "$second" -gt "$first" ]
    both=$(count --shell './one; ./two; exit')
    [ "$both" -gt $((first + second)) ]
}

@test "one instruction more in a command is regressed, with both numbers in full" {
    tool old 1000
    tool new 1001
    call ab --budget 2s --gate instructions ./old ./new
    expect 1 "counted: "
    [[ "$output" == *" instead of "* && "$output" == *"exact"* && "$output" == *"regressed"* ]]
    call ab --budget 2s --gate instructions ./new ./old
    expect 0 "improved"
}

@test "slower with the same instructions: memory, layout or machine" {
    chase() { # NAME SIZE: follows a chain through a table of that size
        cat >"$1.c" <<C
#include <tare/tare.h>
static unsigned table[$2];
static void fill(struct tare_state *t)
{
    (void)t;
    for (unsigned i = 0; i < $2; i++) { table[i] = (i * 1664525u + 1013904223u) % $2; }
}
TARE_BENCHMARK(chase)
{
    unsigned at = 0;
    TARE_LOOP(t) { for (int i = 0; i < 1000; i++) { at = table[at]; tare_keep(at); } }
}
TARE_DESCRIBE(chase) { tare_setup(d, fill, NULL); }
TARE_MAIN()
C
        link_with_tare "$1"
    }
    chase old 1024u
    chase new 524288u
    call ab --budget 20s --count instructions ./old ./new
    expect 1 "chase: same instructions: memory, layout or machine"
}

@test "what does not repeat is invalid with both numbers, exit 3, and decides nothing" {
    cat >clock.c <<'C'
#include <time.h>
int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    volatile unsigned long x = 0;
    for (long i = 0; i < now.tv_nsec / 100; i++) { x += 1; }
    return 0;
}
C
    cc -O1 clock.c -o clock
    call run --budget 1s --count instructions -- ./clock
    expect 3 "did not repeat: "
    [[ "$stderr" == *"not everything could be counted"* ]]
    call ab --budget 2s --gate instructions ./clock ./clock
    expect 3 "did not repeat: "
    call ab --json --budget 1s --count instructions ./clock ./clock
    jq -e '.comparisons[] | select(.metric == "instructions") | .verdict == "invalid" and .basis == "exact"
        and .reason_code == "not-counted" and .gated == false' <<<"$output"
}

@test "a program whose work differs from launch to launch is invalid" {
    bench a 10 '
#include <unistd.h>
TARE_BENCHMARK(number) { TARE_LOOP(t) { for (int i = 0; i < getpid() % 1000; i++) { tare_keep(i); } } }'
    call run --budget 2s --count instructions ./a
    expect 3 "number, instructions: counted twice in the same environment, it did not repeat"
    [[ "$output" != *"work, instructions"* ]]
}

# Does something else under Valgrind, which preloads a library of its own.
under_valgrind='const char *p = getenv("LD_PRELOAD"); int is_counted = p && strstr(p, "vgpreload");'

@test "AVX-512 under Valgrind: that metric is invalid with the reason, the others go on" {
    [ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
    bench a 10 "
#include <stdlib.h>
#include <string.h>
TARE_BENCHMARK(wide) { $under_valgrind TARE_LOOP(t) { tare_clobber(); tare_keep(1);
    if (is_counted) { __asm__ volatile(\".byte 0x62,0xf1,0x7c,0x48,0x58,0xc0\"); } } }"
    call run --budget 2s --count instructions ./a
    expect 3 "wide, instructions: could not be counted: ./a killed by signal 4"
    expect 3 "does not know AVX-512"
    call run --json --budget 2s --count instructions ./a
    jq -e '.benchmarks[] | select(.name == "work") | .metrics[] | select(.name == "instructions") | .median > 0' <<<"$output"
    jq -e '.benchmarks[] | select(.name == "wide") | .state == "ok" and (.metrics[] | select(.name == "time") | .median > 0)' <<<"$output"
}

slow_under_valgrind() { # NAME: a command that hangs when it is counted
    cat >hang.c <<C
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void)
{
    $under_valgrind
    if (is_counted) { fclose(fopen("counting", "w")); }
    for (volatile int i = 0; is_counted; i = 1) { }
    return 0;
}
C
    cc -O1 hang.c -o "$1"
}

expect_gone() { # NAME: no process has that word in its command line, but for those that look for it
    local left
    left=$(pgrep -af -- "$1" | grep -v 'bats\|pgrep') || return 0
    echo "left running: $left"
    return 1
}

@test "--timeout holds for counting, and nothing is left running" {
    slow_under_valgrind hang_timeout
    call run --runs 1 --timeout 2s --count instructions -- ./hang_timeout
    expect 3 "could not be counted: './hang_timeout' did not end within 2 s"
    [ -e counting ]
    expect_gone hang_timeout
}

@test "an interrupt ends Valgrind and all it runs, exit 130" {
    slow_under_valgrind hang_interrupt
    # env puts the signal's default back, which a shell takes from its background jobs.
    env --default-signal=INT "$tare" run --runs 1 --count instructions -- ./hang_interrupt >out 2>&1 &
    local pid=$! code=0
    until [ -e counting ]; do
        kill -0 "$pid" # it must still be there
    done
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" -eq 130 ] || { cat out; return 1; }
    expect_gone hang_interrupt
}

@test "a command that fails under Valgrind only: invalid, with how it ended" {
    cat >fail.c <<C
#include <stdlib.h>
#include <string.h>
int main(void) { $under_valgrind return is_counted ? 7 : 0; }
C
    cc -O1 fail.c -o fail
    call run --runs 2 --count instructions -- ./fail
    expect 3 "could not be counted: './fail' exited with status 7"
}

@test "without Valgrind: how to install it, exit 3, before anything is measured" {
    tool one 10
    run --separate-stderr env PATH="$BATS_TEST_TMPDIR" "$tare" run --count instructions -- ./one
    expect 3 "apt-get install valgrind"
    [[ "$stderr" != *"benchmarks, at most"* ]]
    run --separate-stderr env PATH="$BATS_TEST_TMPDIR" "$tare" ab --gate instructions ./one ./one
    expect 3 "apt-get install valgrind"
}

@test "something else than Valgrind under its name is not believed" {
    tool one 10
    mkdir bin
    printf '#!/bin/sh\necho hello\n' >bin/valgrind
    chmod +x bin/valgrind
    PATH=$PWD/bin:$PATH call run --count instructions -- ./one
    expect 3 "does not answer as Valgrind does"
    # It answers, but leaves no count.
    printf '#!/bin/sh\necho valgrind-3.99\n' >bin/valgrind
    PATH=$PWD/bin:$PATH call run --runs 1 --count instructions -- ./one
    expect 3 "left no count"
}

@test "a word that cannot be counted is a usage error" {
    tool one 10
    call run --count speed -- ./one
    expect 2 "--count 'speed': instructions, size and allocations can be counted"
    call run --count size, -- ./one
    expect 2 "--count ''"
    call ab --count speed ./one ./one
    expect 2 "--count 'speed'"
}

@test "--count size weighs the file and its parts; more code regresses" {
    tool old 10
    cat >more.c <<'C'
int table[1000] = {1};
const char words[] = "constants that the other one does not have, several dozens of bytes of them";
int main(int argc, char **argv) { return argc > 5 ? table[argc] + words[argc] + argv[0][argc] * 3 : 0; }
C
    cc -O1 more.c -o new
    call run --json --runs 1 --count size -- ./old
    [ "$(jq '.benchmarks[0].metrics[] | select(.name == "binary_size") | .median' <<<"$output")" -eq "$(stat -c %s old)" ]
    jq -e '[.benchmarks[0].metrics[] | select(.name | test("_size$")) | select(.exact and .unit == "B" and .better == "lower" and .median > 0)]
        | length == 4' <<<"$output"
    call ab --json --budget 1s --gate data_size ./old ./new
    expect 1 '"regressed"'
    jq -e '.comparisons[] | select(.metric == "data_size") | .basis == "exact" and .new.median - .old.median >= 3900' <<<"$output"
    call ab --json --budget 1s --gate binary_size ./old ./old
    expect 0 '"equivalent"'
}

@test "a script has a size but no parts; a shell line has none" {
    printf '#!/bin/sh\ntrue\n' >script
    chmod +x script
    call run --json --runs 1 --count size -- ./script
    jq -e '[.benchmarks[0].metrics[] | select(.name | test("_size$"))] | length == 1 and .[0].median == 15' <<<"$output"
    call run --runs 1 --count size --shell true
    expect 3 "it has no file to weigh"
}

@test "a program's size is compared once, not once per benchmark" {
    bench a 10 'TARE_BENCHMARK(other) { TARE_LOOP(t) { tare_clobber(); tare_keep(1); } }'
    call ab --json --budget 2s --count size ./a ./a
    jq -e '[.comparisons[] | select(.metric == "binary_size")] | length == 1' <<<"$output"
}

@test "--count allocations: told where they cannot be counted" {
    tool one 10
    call run --runs 1 --count allocations -- ./one
    expect 3 "allocations are counted in programs linked with libtare"
    bench a 10
    call run --json --budget 1s --count allocations ./a
    expect 0 '"allocations"'
    jq -e '.benchmarks[0].metrics[] | select(.name == "allocations") | .exact and .median == 0' <<<"$output"
}

@test "counts survive the store" {
    tool one 10
    call run --json --samples --runs 1 --count instructions,size -- ./one
    id=$(jq -r .id <<<"$output")
    counts=$(jq -c '[.benchmarks[0].metrics[] | select(.exact) | [.name, .unit, .n, .median, .launches]]' <<<"$output")
    [ "$(jq length <<<"$counts")" -eq 5 ]
    call runs show --json "$id"
    [ "$(jq -c '[.benchmarks[0].metrics[] | select(.exact) | [.name, .unit, .n, .median, .launches]]' <<<"$output")" = "$counts" ]
    call runs show --json --samples "$id"
    jq -e '[.benchmarks[0].launches[] | select(.kind == "counters")] | length == 3' <<<"$output" || { echo "$output"; return 1; }
}

@test "an invalid count survives the store with its reason" {
    printf 'int main(void) { return 0; }' >ok.c
    cc ok.c -o ok
    call run --json --runs 1 --count size --shell ./ok
    id=$(jq -r .id <<<"$output")
    call runs show --json "$id"
    jq -e '.benchmarks[0].metrics[] | select(.name == "binary_size") | .invalid | contains("no file to weigh")' <<<"$output"
}

@test "a program that speaks the protocol without libtare cannot mark its loop, and says so" {
    command -v python3 >/dev/null || skip "no Python"
    cat >own.py <<'P'
#!/usr/bin/env python3
import json, os, time
r, w = (int(n) for n in os.environ["TARE_PROTOCOL_FDS"].split(","))
out = os.fdopen(w, "w")
for line in os.fdopen(r):
    q = json.loads(line)
    op = q["op"]
    if op == "hello":
        a = {"ok": "hello", "protocol": 1}
    elif op == "list":
        out.write('{"benchmark":0,"name":"one"}\n')
        a = {"ok": "list", "count": 1}
    elif op == "run":
        start = time.perf_counter_ns()
        for _ in range(q["iterations"]):
            sum(range(1000))
        a = {"ok": "run", "iterations": q["iterations"], "time_ns": time.perf_counter_ns() - start}
    else:
        a = {"ok": op}
    out.write(json.dumps(a) + "\n")
    out.flush()
    if op == "quit":
        break
P
    chmod +x own.py
    call run --protocol --budget 1s --count instructions ./own.py
    expect 3 "it does not mark its loops for Valgrind"
}
