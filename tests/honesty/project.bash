# shellcheck shell=bash
# project.bash: a small C project in a repository of its own, and words to judge it with. Used by the tests about gates.
# TARE_BUILD is the build folder, TARE_SOURCE the sources.

bats_require_minimum_version 1.5.0

# shellcheck disable=SC2034 # the tests use what is set here
gate_setup() {
    tare=$TARE_BUILD/tare
    export TARE_STORE=$BATS_TEST_TMPDIR/store.db NO_COLOR=1 HOME=$BATS_TEST_TMPDIR
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR
    unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE CC CFLAGS LDFLAGS XDG_CACHE_HOME COLUMNS
    unset GITHUB_BASE_REF CI_MERGE_REQUEST_TARGET_BRANCH_NAME
    project=$BATS_TEST_TMPDIR/project
}

commit() { # [MESSAGE]: all that is there
    git add -A
    git -c user.name=T -c user.email=t@example.org commit -q --allow-empty -m "${1:-change}"
}

bench() { # STEPS [CODE]: bench.c with one benchmark that does so many steps, and more code
    cat >bench.c <<C
#include <tare/tare.h>
TARE_BENCHMARK(work)
{
    TARE_LOOP(t) {
        unsigned long x = 1;
        for (int i = 0; i < $1; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; tare_keep(x); }
    }
}
${2:-}
TARE_MAIN()
C
}

new_project() { # [LINE…]: a repository whose main holds a benchmark and a policy with these lines; then a branch
    mkdir -p "$project"
    cd "$project" || return 1
    git init -q -b main .
    bench 500
    printf 'bench: bench.c\n\tcc -O2 %s -I%s/include bench.c %s/libtare.a -lpthread -o bench\n' \
        "${TARE_CFLAGS:-}" "$TARE_SOURCE" "$TARE_BUILD" >Makefile
    echo /bench >.gitignore
    policy "$@"
    commit first
    git checkout -q -b head
}

policy() { # [LINE…]: the policy of the project, with these lines
    printf '%s\n' 'build: make' 'benchmarks: [{program: ./bench}]' "$@" >tare.yaml
}

# A project of one command; the numbers it reports are read from the file `value`, so that a change costs nothing.
value_project() { # METRIC VALUE [LINE…]
    mkdir -p "$project"
    cd "$project" || return 1
    git init -q -b main .
    echo "$2" >value
    printf '%s\n' "benchmarks: [{name: report, command: cat value, metrics: ['$1=re:([-+.0-9a-zA-Z]+)']}]" \
        "${@:3}" >tare.yaml
    commit first
    git checkout -q -b head
}

slower() { # twice the work, committed
    sed -i 's/i < 500/i < 1000/' bench.c
    commit slower
}

gate() { run --separate-stderr "$tare" gate -q --base main --budget 3s --retries 0 "$@"; }

# shellcheck disable=SC2154 # set by bats' run
fail() {
    echo "$1: exit $status"
    jq -c 'del(.machine)' <<<"$output" 2>/dev/null || echo "$output"
    echo "$stderr"
    return 1
}

expect() { # CODE TEXT…: exit code, and texts somewhere in the output
    local code=$1 text
    shift
    [ "$status" -eq "$code" ] || fail "not $code"
    for text; do
        [[ "$output $stderr" == *"$text"* ]] || fail "no '$text'"
    done
}

# A regression so large that only a machine in trouble leaves it open; what it never is, is green.
expect_red() { # TEXT…
    local text
    [[ "$status" -eq 1 || "$status" -eq 4 ]] || fail "not red"
    for text; do
        [[ "$output $stderr" == *"$text"* ]] || fail "no '$text'"
    done
}

# For what is measured to be fine: on a machine in trouble it stays open.
expect_green() { # TEXT…
    local text
    [[ "$status" -eq 0 || "$status" -eq 4 ]] || fail "not green"
    for text; do
        [[ "$output $stderr" == *"$text"* ]] || fail "no '$text'"
    done
}

says() { # FILTER: of the JSON that was printed
    jq -e "$1" <<<"$output" >/dev/null || fail "not $1"
}
