#!/usr/bin/env bash
# peers: the same work judged by other tools, each used as its manual says: false alarms, found, seconds.
#
#   bench/peers.sh [-t TRIALS] [-o FOLDER] [-r REGEX] [BUILD]   measure what is missing, print the table
#   bench/peers.sh -p [-o FOLDER]                               print the table of what is there
#
# A trial compares old with new: once the same program twice (a byte copy at a path of equal length, "A/A"), once a program
# that really does 3 % more steps. -r takes only rows whose name matches. Resumable: every verdict is one line in FOLDER
# (BUILD/peers), written when it is known; a second call goes on where the first was stopped, and tries again what failed.
# Trials go round over all rows, so that the machine's moods hit all tools alike. Tools are built in FOLDER/scratch; one
# that is missing or cannot be built is left out, with a message. Seconds are those of measuring, without builds and
# without the judging script. Load: the stress-ng line below, started and ended here.
set -euo pipefail

load=(stress-ng --matrix 1 --vm 1 --vm-bytes 256M --quiet)
# Ends a tool that hangs; the slowest one here takes half a minute a side under load.
limit_s=150
# Ends a build that hangs: Criterion's and Tango's dependencies take about two minutes on two busy cores.
build_limit_s=600

# Steps on both sides, and 3 % more. Command: some 10 ms.
alu_steps=1000 alu_steps_more=1030
walk_steps=200 walk_steps_more=206
command_steps=5000000 command_steps_more=5150000

# name | tool | work | limits | how it judges
rows='
tare-alu          | tare      | alu     | 10s 1%  | tare ab, band 1 %, confidence 99 %, at most 10 s
tare-alu-any      | tare      | alu     | 10s 0   | tare ab --min-effect 0, confidence 99 %, at most 10 s
tare-walk_1m      | tare      | walk_1m | 10s 1%  | tare ab, band 1 %, confidence 99 %, at most 10 s
tare-command      | tare      | command | 20s 1%  | tare ab, band 1 %, confidence 99 %, at most 20 s
gbench-alu        | gbench    | alu     | 10      | Google Benchmark, 10 repetitions, Mann-Whitney p < 0.05
gbench-walk_1m    | gbench    | walk_1m | 10      | Google Benchmark, 10 repetitions, Mann-Whitney p < 0.05
hyperfine-command | hyperfine | command | 30      | hyperfine -N, 30 runs, Welch p < 0.05
benchstat-alu     | benchstat | alu     | 10      | go test -count=10, benchstat (p < 0.05)
criterion-alu     | criterion | alu     | -       | Criterion --save-baseline, --baseline (p < 0.05, threshold 1 %)
tango-alu         | tango     | alu     | 0.1     | Tango compare, 0.1 s as by default (z > 2.6, threshold 1 %)
tango-alu-1s      | tango     | alu     | 1       | Tango compare, 1 s as in its claim (z > 2.6, threshold 1 %)
'

main() {
    local trials=1 folder='' only_print=no wanted=.
    while getopts 't:o:r:p' option; do
        case $option in
        t) trials=$OPTARG ;;
        o) folder=$OPTARG ;;
        r) wanted=$OPTARG ;;
        p) only_print=yes ;;
        *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
        esac
    done
    shift $((OPTIND - 1))
    build=$(realpath -m "${1:-build}")
    folder=$(realpath -m "${folder:-$build/peers}")
    source=$(realpath "$(dirname "$0")/..")
    scratch=$folder/scratch
    mkdir -p "$scratch"/{a,b,c,work}
    if [ $only_print = no ]; then
        trap end_all EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        prepare_tools "$wanted"
        measure_all "$trials" "$folder" "$wanted"
    fi
    echo "$(date -u +%F), $(nproc) CPUs, $(uname -r), load: ${load[*]}"
    echo "| row | judged by | A/A: false alarms | +3 %: found slower | called faster | undecided | s a trial, A/A; +3 % |"
    echo "|---|---|---|---|---|---|---|"
    each_row print_row "$folder"
}

say() {
    echo "peers: $*" >&2
}

end_all() { # whatever is still running here is ended and waited for
    local pid
    for pid in "${tool_pid:-}" "${load_pid:-}"; do
        [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    done
    wait || true
}

each_row() { # FUNCTION ARGUMENTS…: calls it with the row's fields behind the arguments
    local name tool work limits text
    while IFS='|' read -r name tool work limits text; do
        [ -n "${name// /}" ] || continue
        "$@" "${name// /}" "${tool// /}" "${work// /}" "$(xargs <<<"$limits")" "$(xargs <<<"$text")"
    done <<<"$rows"
}

# ---- measuring ----

measure_all() { # TRIALS FOLDER WANTED
    local number
    command -v "${load[0]}" >/dev/null || { say "${load[0]} is missing: tools/setup bench installs it" && exit 2; }
    "${load[@]}" &
    load_pid=$!
    for ((number = 1; number <= $1; number++)); do
        each_row measure_row "$number" "$2" "$3"
    done
    end_all
    load_pid=''
}

measure_row() { # NUMBER FOLDER WANTED NAME TOOL WORK LIMITS …
    local number=$1 folder=$2 name=$4 tool=$5
    [[ $name =~ $3 && " $ready " = *" $tool "* ]] || return 0
    local new kept start_us end_us verdict
    for new in b c; do
        kept=$folder/$name-$new.txt
        [ "$(lines "$kept")" -lt "$number" ] || continue
        rm -rf "$scratch/work" && mkdir "$scratch/work"
        start_us=${EPOCHREALTIME/[.,]/}
        if ! "measure_$tool" "$6" $new "$7"; then
            say "$name: measuring failed or took over $limit_s s, left out: see $scratch/work/log" && return 0
        fi
        end_us=${EPOCHREALTIME/[.,]/}
        verdict=$("judge_$tool") || verdict=''
        [ -n "$verdict" ] || { say "$name: no verdict found in $scratch/work, left out" && return 0; }
        # Seconds, then the verdict; a second verdict is on CPU time.
        echo "$(((end_us - start_us) / 1000)) $verdict" >>"$kept"
        say "$name $number, $([ $new = b ] && echo A/A || echo +3 %): $verdict"
    done
}

lines() { # FILE
    if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi
}

bounded() { # OUTPUT COMMAND…: messages go to the log. In the background, so that a signal reaches us while it runs.
    local output=$scratch/work/$1
    shift
    timeout -k 5 "$limit_s" "$@" >>"$output" 2>>"$scratch/work/log" </dev/null &
    tool_pid=$!
    local status=0
    wait "$tool_pid" || status=$?
    tool_pid=''
    return $status
}

command_line() { # SIDE: the command with its steps
    local steps=$command_steps
    [ "$1" != c ] || steps=$command_steps_more
    echo "$scratch/$1/command $steps"
}

# ---- the tools: prepare_X builds the sides a, b (a copy of a) and c (more work); measure_X WORK NEW LIMITS compares
# ---- a with NEW; judge_X prints slower, faster, same or undecided

prepare_tools() { # WANTED: sets `ready`
    local tool
    ready=''
    for tool in tare gbench hyperfine benchstat criterion tango; do
        [ -n "$(each_row wanted_row_of $tool "$1")" ] || continue
        say "preparing $tool"
        if "prepare_$tool" >"$scratch/$tool.log" 2>&1 && copy_side $tool >>"$scratch/$tool.log" 2>&1; then
            ready+=" $tool"
        else
            say "$tool is missing or cannot be built here, so it is left out: see $scratch/$tool.log"
        fi
    done
}

copy_side() { # TOOL: hyperfine has no program of its own
    [ "$1" != hyperfine ] || return 0
    # Had the number of steps not reached the build, both sides would do the same.
    ! cmp "$scratch/a/$1" "$scratch/c/$1" && cp "$scratch/a/$1" "$scratch/b/$1"
}

wanted_row_of() { # TOOL WANTED NAME TOOL …
    [[ $1 != "$4" || ! $3 =~ $2 ]] || echo "$3"
}

prepare_tare() {
    local side source_file=$scratch/kernels.c
    for side in a c; do
        cp "$source/bench/kernels.c" "$source_file"
        [ $side = a ] || sed -i "s/ALU_STEPS = $alu_steps,/ALU_STEPS = $alu_steps_more,/
            s/WALK_STEPS_SMALL = $walk_steps,/WALK_STEPS_SMALL = $walk_steps_more,/" "$source_file"
        cc -O2 -I"$source/include" "$source_file" "$build/libtare.a" -lpthread -o "$scratch/$side/tare" || return 1
    done
    [ -x "$build/tare" ] && build_command
}

build_command() {
    local side
    for side in a b c; do
        cc -O2 "$source/bench/peers/command.c" -o "$scratch/$side/command" || return 1
    done
}

measure_tare() { # WORK NEW "BUDGET BAND"
    local status=0 sides=("$scratch/a/tare" "$scratch/$2/tare" --filter "^$1\$")
    [ "$1" != command ] || sides=("$(command_line a)" "$(command_line "$2")")
    bounded out.json "$build/tare" ab -q --json --store "$scratch/work/store.db" \
        --budget "${3% *}" --min-effect "${3#* }" "${sides[@]}" || status=$?
    # 1: regressed, 4: inconclusive. Both are answers.
    case $status in 0 | 1 | 4) ;; *) return 1 ;; esac
}

judge_tare() {
    jq -r '{regressed: "slower", improved: "faster", equivalent: "same", inconclusive: "undecided"}[.verdict] // empty' \
        "$scratch/work/out.json"
}

prepare_gbench() {
    find_python || return 1
    local flags=("-DALU_STEPS=$alu_steps" "-DWALK_STEPS=$walk_steps") side
    for side in a c; do
        [ $side = a ] || flags=("-DALU_STEPS=$alu_steps_more" "-DWALK_STEPS=$walk_steps_more")
        c++ -O2 "${flags[@]}" "$source/bench/peers/gbench.cc" -lbenchmark -lpthread -o "$scratch/$side/gbench" || return 1
    done
}

measure_gbench() { # WORK NEW REPETITIONS
    local side
    for side in a "$2"; do
        bounded log "$scratch/$side/gbench" --benchmark_filter="^$1\$" --benchmark_repetitions="$3" \
            --benchmark_out="$scratch/work/$side.json" --benchmark_out_format=json || return 1
    done
}

judge_gbench() {
    "$python" "$source/bench/peers/judge.py" mannwhitney "$scratch"/work/{a,[bc]}.json
}

find_python() { # sets `python` to one that has SciPy
    for python in python3 /usr/bin/python3; do
        ! "$python" -c 'import scipy' 2>/dev/null || return 0
    done
    echo "no python3 with SciPy"
    return 1
}

prepare_hyperfine() {
    command -v hyperfine && find_python && build_command
}

measure_hyperfine() { # WORK NEW RUNS
    bounded log hyperfine -N --style none --warmup 3 --runs "$3" --export-json "$scratch/work/both.json" \
        "$(command_line a)" "$(command_line "$2")"
}

judge_hyperfine() {
    "$python" "$source/bench/peers/judge.py" welch "$scratch/work/both.json"
}

prepare_benchstat() {
    export GOPATH=$scratch/go GOCACHE=$scratch/go-cache GOFLAGS=-modcacherw
    local side steps=$alu_steps
    [ -x "$scratch/go/bin/benchstat" ] ||
        timeout "$build_limit_s" go install golang.org/x/perf/cmd/benchstat@latest || return 1
    for side in a c; do
        [ $side = a ] || steps=$alu_steps_more
        (cd "$source/bench/peers/go" && timeout "$build_limit_s" go test -c \
            -ldflags "-X peers.stepsText=$steps" -o "$scratch/$side/benchstat" .) || return 1
    done
}

measure_benchstat() { # WORK NEW COUNT
    local side
    for side in a "$2"; do
        bounded "$side.txt" "$scratch/$side/benchstat" -test.run '^$' -test.bench . -test.count "$3" || return 1
    done
}

judge_benchstat() { # the column "vs base" is ~ or a change in percent
    "$scratch/go/bin/benchstat" -format csv "$scratch"/work/{a,[bc]}.txt 2>>"$scratch/work/log" |
        awk -F, '/^Alu/ { print $6 == "~" ? "same" : $6 ~ /^\+/ ? "slower" : "faster"; exit }'
}

prepare_criterion() {
    build_crate criterion
}

build_crate() { # NAME: the crate in bench/peers/NAME, copied so that cargo's lock file stays out of the sources
    local side steps=$alu_steps program
    rm -rf "$scratch/$1-source" && cp -r "$source/bench/peers/$1" "$scratch/$1-source"
    for side in a c; do
        [ $side = a ] || steps=$alu_steps_more
        program=$(cd "$scratch/$1-source" && STEPS=$steps timeout "$build_limit_s" cargo bench --no-run --quiet \
            --target-dir "$scratch/$1-target" --message-format=json | jq -r '.executable // empty') || return 1
        cp "$program" "$scratch/$side/$1" || return 1
    done
}

measure_criterion() { # WORK NEW: the default, 3 s to warm up and 5 s to measure a side
    export CRITERION_HOME=$scratch/work/criterion
    bounded old.txt "$scratch/a/criterion" --bench --noplot --save-baseline old || return 1
    bounded new.txt "$scratch/$2/criterion" --bench --noplot --baseline old
}

judge_criterion() {
    sed -n 's/.*Performance has regressed.*/slower/p; s/.*Performance has improved.*/faster/p
        s/.*No change in performance detected.*/same/p; s/.*Change within noise threshold.*/same/p' "$scratch/work/new.txt"
}

prepare_tango() {
    build_crate tango
}

measure_tango() { # WORK NEW SECONDS
    bounded out.txt "$scratch/$2/tango" compare --time "$3" "$scratch/a/tango"
}

judge_tango() { # a star behind the change: it is significant
    sed -n 's/.*+[0-9.]*%\*.*/slower/p; s/.*-[0-9.]*%\*.*/faster/p; s/.*[0-9]% *$/same/p' "$scratch/work/out.txt" |
        tail -n 1
}

# ---- printing ----

print_row() { # FOLDER NAME TOOL WORK LIMITS TEXT
    print_verdicts "$1/$2" 2 "$2" "$6"
    [ "$3" != gbench ] || print_verdicts "$1/$2" 3 "$2" "$6, CPU time"
}

print_verdicts() { # FILES COLUMN NAME TEXT
    local files=() new
    for new in b c; do
        [ ! -e "$1-$new.txt" ] || files+=("$1-$new.txt")
    done
    [ ${#files[@]} -gt 0 ] || return 0
    awk -v column="$2" -v head="| $3 | $4 |" '
        { new = FILENAME ~ /-b\.txt$/ ? "b" : "c"; trials[new]++; time_ms[new] += $1; count[new, $column]++ }
        END {
            printf "%s %d of %d | %d of %d | %d | %d of %d | %s; %s |\n", head,
                count["b", "slower"] + count["b", "faster"], trials["b"], count["c", "slower"], trials["c"],
                count["c", "faster"], count["b", "undecided"] + count["c", "undecided"], trials["b"] + trials["c"],
                mean_s("b"), mean_s("c")
        }
        function mean_s(new) { return trials[new] ? sprintf("%.1f", time_ms[new] / 1000 / trials[new]) : "-" }' "${files[@]}"
}

main "$@"
