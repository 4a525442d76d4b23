#!/usr/bin/env bats
# tare doctor: what it says about recorded machines, about this one, and that --restore undoes --tune.

setup() {
    tare="$TARE_BUILD/tare"
    machines="$TARE_SOURCE/tests/data/machines"
    tree="$BATS_TEST_TMPDIR/tree"
}

copy_laptop() {
    cp -r "$machines/synthetic-laptop" "$tree"
}

# Is the tree as it was recorded, but for the folder of the state file?
as_recorded() {
    diff -r -x var "$machines/synthetic-laptop" "$tree"
}

# Goal: the help shows examples first and names the exit codes.
@test "help" {
    run "$tare" doctor --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"tare doctor --quick"* ]]
    [[ "$output" == *"exit code is 0 whenever"* ]]
}

# Goal: what cannot be written is a failure, in words and as JSON.
@test "a full standard output is a failure" {
    [ -e /dev/full ] || skip "no /dev/full here"
    for format in --quiet --json; do
        run bash -c "'$tare' doctor $format --root '$machines/synthetic-laptop' >/dev/full"
        [ "$status" -eq 3 ]
        [[ "$output" == *"could not be written to standard output"* ]]
    done
}

# Goal: a recorded laptop gets its warnings, with a command line to do something about them.
@test "a recorded machine is examined, not measured" {
    run "$tare" doctor --root "$machines/synthetic-laptop"
    [ "$status" -eq 0 ]
    [[ "$output" == *"i7-8650U"* ]]
    [[ "$output" == *"powersave (balance_power)"* ]]
    [[ "$output" == *"frequency-set -g performance"* ]]
    [[ "$output" == *"no verdict"* ]]
    [[ "${lines[-1]}" == "tare: not measured, 4 warnings (exit 0)"* ]]
}

# Goal: -q leaves out what is all right.
@test "quiet" {
    run "$tare" doctor -q --root "$machines/synthetic-laptop"
    [ "$status" -eq 0 ]
    [[ "$output" != *"  ok "* ]]
    [[ "$output" == *"  warn "* ]]
}

# Goal: JSON of a recorded machine is whole and says null where nothing is known.
@test "json of a recorded machine" {
    "$tare" doctor --json --root "$machines/synthetic-container" >"$BATS_TEST_TMPDIR/out.json"
    jq -e '.tare == 1 and .kind == "doctor" and .exit == 0 and .noise == null' "$BATS_TEST_TMPDIR/out.json"
    jq -e '.verdict == "not measured"' "$BATS_TEST_TMPDIR/out.json"
    jq -e '[.findings[] | select(.name == "cgroup cpu")][0] | .level == "warn" and (.advice | length > 0)' \
        "$BATS_TEST_TMPDIR/out.json"
    jq -e '.machine.conditions.cgroup_cpus == "1.50" and (.machine.id | length == 32)' "$BATS_TEST_TMPDIR/out.json"
}

# Goal: this machine is measured: three kernels with figures, a verdict out of three, nothing on standard error.
@test "a short measurement of this machine" {
    "$tare" doctor --json --duration 600ms >"$BATS_TEST_TMPDIR/out.json" 2>"$BATS_TEST_TMPDIR/err"
    [ ! -s "$BATS_TEST_TMPDIR/err" ]
    jq -e '.verdict | IN("fit", "noisy", "not fit")' "$BATS_TEST_TMPDIR/out.json"
    jq -e '.noise.kernels | length == 3 and all(.median_ns > 0 and .cv >= 0 and .worst_ratio >= 1)' \
        "$BATS_TEST_TMPDIR/out.json"
    jq -e '.noise.blocks >= 8 and .noise.clock.cost_ns > 0' "$BATS_TEST_TMPDIR/out.json"
    jq -e '[.findings[].name] | contains(["cpus", "counters", "clock", "drift"])' "$BATS_TEST_TMPDIR/out.json"
}

# Goal: the text for people ends in verdict and code.
@test "the last line states verdict and exit code" {
    run "$tare" doctor --duration 600ms
    [ "$status" -eq 0 ]
    [[ "$output" == *"A/B of 1 % in"* ]]
    [[ "${lines[-1]}" =~ ^tare:\ (fit|noisy|not\ fit),\ [0-9]+\ warnings?\ \(exit\ 0\) ]]
}

# Goal: Ctrl-C while measuring ends with 130. Method: one signal (--foreground; else timeout sends two, and a second one
# ends the tool at once, without a word).
@test "interrupted" {
    run timeout --foreground --preserve-status -s INT 1 "$tare" doctor --duration 60s
    [ "$status" -eq 130 ]
    [[ "$output" == *"interrupted"* ]]
}

# Goal: wrong use is said and is exit 2.
@test "usage errors" {
    for arguments in "--duration 10ms" "--duration 2h" "--tune --restore" "--dry-run" "--root /nonexistent" "operand" \
        "--state x"; do
        # shellcheck disable=SC2086
        run "$tare" doctor $arguments
        [ "$status" -eq 2 ]
        [[ "$output" == "tare doctor: "* ]]
    done
}

# Goal: --tune then --restore gives the tree back byte for byte, and takes the state file away.
@test "restore undoes tune" {
    copy_laptop
    run "$tare" doctor --tune --root "$tree"
    [ "$status" -eq 0 ]
    [ "$(cat "$tree/sys/devices/system/cpu/intel_pstate/no_turbo")" = 1 ]
    [ "$(cat "$tree/sys/devices/system/cpu/cpufreq/policy3/scaling_governor")" = performance ]
    [ "$(cat "$tree/proc/sys/kernel/randomize_va_space")" = 0 ]
    [ -s "$tree/var/lib/tare/tune.json" ]
    run "$tare" doctor --tune --root "$tree"
    [ "$status" -eq 0 ]
    [[ "$output" == *"earlier --tune found is kept"* ]]
    run "$tare" doctor --restore --root "$tree"
    [ "$status" -eq 0 ]
    [ ! -e "$tree/var/lib/tare/tune.json" ]
    as_recorded
}

# Goal: a setting changed by somebody else meanwhile is put back, and that is said.
@test "restore says what somebody else changed" {
    copy_laptop
    "$tare" doctor --tune --root "$tree"
    echo 2 >"$tree/proc/sys/kernel/perf_event_paranoid"
    run "$tare" doctor --restore --root "$tree"
    [ "$status" -eq 0 ]
    [[ "$output" == *"perf_event_paranoid: 2 → 3 (somebody had changed it meanwhile)"* ]]
    as_recorded
}

# Goal: a dry run tells and touches nothing.
@test "dry run" {
    copy_laptop
    run "$tare" doctor --tune --dry-run --root "$tree"
    [ "$status" -eq 0 ]
    [[ "$output" == *"would set"*"powersave → performance"* ]]
    [ ! -e "$tree/var" ]
    as_recorded
}

# Goal: a setting that cannot be put back keeps the state file and is exit 3.
@test "partial failure" {
    copy_laptop
    "$tare" doctor --tune --root "$tree"
    rm "$tree/sys/devices/system/cpu/intel_pstate/no_turbo"
    run "$tare" doctor --restore --root "$tree"
    [ "$status" -eq 3 ]
    [[ "$output" == *"failed"*"no_turbo"* ]]
    [ -e "$tree/var/lib/tare/tune.json" ]
    run "$tare" doctor --restore --json --root "$tree"
    [ "$status" -eq 3 ]
    jq -e '.exit == 3 and ([.settings[] | select(.outcome == "failed")] | length == 1)' <<<"$output"
}

# Goal: a state file with a path of its own choosing is refused and changes nothing.
@test "forged state file" {
    copy_laptop
    echo '{"tare":1,"kind":"tune-state","settings":[{"path":"/proc/loadavg","found":"x","set":"y"}]}' \
        >"$BATS_TEST_TMPDIR/state.json"
    run "$tare" doctor --restore --root "$tree" --state "$BATS_TEST_TMPDIR/state.json"
    [ "$status" -eq 3 ]
    [[ "$output" == *"does not write"* ]]
    as_recorded
}

# Goal: restore without a tune before is no error.
@test "nothing to restore" {
    copy_laptop
    run "$tare" doctor --restore --root "$tree"
    [ "$status" -eq 0 ]
    [[ "$output" == *"Nothing to restore"* ]]
}

# Goal: without the right to write, --tune says so with exit 3 and leaves no state file.
@test "tune without root" {
    copy_laptop
    mkdir -p "$tree/var"
    chmod -R a-w "$tree"
    if [ "$(id -u)" -eq 0 ]; then
        cp "$tare" "$BATS_TEST_TMPDIR/tare"
        chmod -R a+rX "$BATS_RUN_TMPDIR"
        as="setpriv --reuid 65534 --regid 65534 --clear-groups"
        $as test -x "$BATS_TEST_TMPDIR/tare" || skip "another user cannot reach the test's folder"
        tare="$as $BATS_TEST_TMPDIR/tare"
    fi
    run $tare doctor --tune --root "$tree"
    chmod -R u+w "$tree"
    [ "$status" -eq 3 ]
    [[ "$output" == *"use sudo"* ]]
    [ ! -e "$tree/var/lib" ]
}
