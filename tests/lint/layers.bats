#!/usr/bin/env bats
# tools/check_layers catches each kind of breach, and nothing else: each test builds a small tree with one
# line that is wrong (or only looks wrong) and runs the checker over it.

setup() {
    tree=$BATS_TEST_TMPDIR/src
    mkdir -p "$tree"/{base,os,model,codec,stats,store,measure,detect,report,cli,client}
    echo '#include "base/error.h"' >"$tree/model/model.c"
}

# put LAYER/FILE TEXT: a file with the text as its third line
put() {
    printf '/* A file. */\n\n%s\n' "$2" >"$tree/$1"
}

check() {
    run "$TARE_SOURCE/tools/check_layers" "$tree"
}

breach() {
    check
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
    [[ "$output" == *"1 breaches of the layers"* ]]
}

clean() {
    check
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "a clean tree passes" {
    put cli/main.c 'int main(void) { printf("x"); }'
    put os/file.c 'int f(void) { return open("x", 0); }'
    put store/store.c '#include <sqlite3.h>'
    clean
}

@test "an upward include is named with file and line" {
    put base/text.c '#include "model/model.h"'
    breach "src/base/text.c:3: base must not include model/model.h"
}

@test "report and detect never use os" {
    put report/table.c '#include "os/clock.h"'
    breach "report must not include os/clock.h"
}

@test "codec does not use store" {
    put codec/json.c '#include "store/store.h"'
    breach "codec must not include store/store.h"
}

@test "store may use model, codec and base" {
    put store/store.c '#include "codec/x.h"
#include "model/y.h"
#include "base/z.h"'
    clean
}

@test "a relative include is refused" {
    put model/x.c '#include "../os/clock.h"'
    breach "not by a relative path"
}

@test "an unknown layer is refused" {
    mkdir "$tree/misc"
    put misc/x.c 'int x;'
    breach "no layer is called misc"
}

@test "only cli, serve and client print" {
    put model/x.c 'void f(void) { printf("x"); }'
    breach "src/model/x.c:3: calls printf()"
    put model/x.c 'void f(void) { fputs("x", stderr); }'
    breach "src/model/x.c:3: uses stderr"
}

@test "formatting into memory is not printing" {
    put model/x.c 'void f(char *b) { snprintf(b, 1, "x"); buffer_printf(b, "x"); }'
    clean
}

@test "assert.c and arena.c keep their last words" {
    put base/assert.c 'void f(void) { fprintf(stderr, "x"); }'
    put base/arena.c 'void f(void) { fprintf(stderr, "x"); }'
    clean
}

@test "only os reads clocks" {
    put measure/x.c 'void f(void) { clock_gettime(0, 0); }'
    breach "calls clock_gettime()"
    put measure/x.c 'long f(void) { return time (0); }'
    breach "calls time()"
}

@test "only os handles processes, files and sockets" {
    for call in fork posix_spawn wait4 open fopen mkdir socket poll mmap ioctl; do
        put detect/x.c "void f(void) { $call(0); }"
        breach "calls $call()"
    done
}

@test "only store knows SQL" {
    put model/x.c '#include <sqlite3.h>'
    breach "includes sqlite3.h"
    rm "$tree/model/x.c"
    put cli/x.c 'void f(void) { sqlite3_close(0); }'
    breach "uses sqlite3_close"
}

@test "platform tests live in os" {
    put stats/x.c '#ifdef __x86_64__'
    breach "tests __x86_64__"
    put stats/x.c '#if defined(__GNUC__)'
    clean
}

@test "comments, strings, members and own static functions are not calls" {
    put model/x.c '/* printf("x") and
 * open(x) in a comment, stderr too */ // fork()
const char *t = "printf(stderr) /* open(";
char c = '"'\"'"'; int d; // wait()
static int connect(int x);
void f(struct s *a) { a->open(1); a->b.close(2); connect(3); reopen(4); }'
    clean
}

@test "a call behind a comment on the same line is seen" {
    put model/x.c 'void f(void) { /* note */ fork(); }'
    breach "calls fork()"
}

@test "a folder without sources is an error, not a pass" {
    rm -r "$tree"
    mkdir "$tree"
    check
    [ "$status" -eq 2 ]
}
