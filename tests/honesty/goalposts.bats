#!/usr/bin/env bats
# Goal: the change that is judged cannot move the goalposts: policy, waivers, checks and the list of benchmarks are the
# base's, and whatever head changes in them is listed. Method: a project whose reported number gets twice as bad in head,
# together with an edit that would make it pass.

load project

setup() { gate_setup; }

# The base: one reported number that decides, a threshold, a floor.
worse_project() {
    value_project speed:lower 100 'gate: [speed]' 'thresholds: {speed: {warning: 3%, critical: 10%}}' \
        'require: [{match: report, metric: speed, at_most: 150}]' 'fail_at: warning'
    echo 200 >value
}

expect_judged_by_base() { # TEXT: exit 1, and the edit is listed with this text
    commit "an edit of the rules"
    gate --json
    expect 1
    says '.gate.outcome == "fail" and (.comparisons[] | select(.metric == "speed") | .limit == 0.03)'
    says ".policy_changes | map(select(contains(\"$1\"))) | length >= 1"
}

@test "a threshold that nothing exceeds" {
    worse_project
    sed -i 's/warning: 3%, critical: 10%/warning: 400%, critical: 500%/' tare.yaml
    expect_judged_by_base "3% → 400%"
}

@test "a waiver for everything" {
    worse_project
    echo 'waivers: [{match: "*", reason: trust me, by: Head, until: 2099-12-31}]' >>tare.yaml
    expect_judged_by_base "waiver added"
}

@test "a later level, a wider band, less certainty" {
    worse_project
    sed -i 's/fail_at: warning/fail_at: critical/' tare.yaml
    printf '%s\n' 'min_effect: 99%' 'confidence: 50%' 'noise_floor_max: 90%' >>tare.yaml
    expect_judged_by_base "fail_at"
    says '[.policy_changes[] | select(test("min_effect|confidence|noise_floor_max"))] | length == 3'
}

@test "another metric decides" {
    worse_project
    sed -i 's/gate: \[speed\]/gate: [time]/' tare.yaml
    expect_judged_by_base "gate"
}

@test "the floor is taken away" {
    worse_project
    sed -i '/^require/d' tare.yaml
    expect_judged_by_base "require removed: report speed"
    says '.gate.requirements[0].gate == "fail"'
}

@test "the benchmark is taken off the list, or replaced by one that is always good" {
    worse_project
    sed -i 's/command: cat value/command: echo 100/' tare.yaml
    expect_judged_by_base "cat value"
    git checkout -q -B second main
    echo 200 >value
    sed -i 's/name: report/name: other/' tare.yaml
    expect_judged_by_base "report"
    git checkout -q -B third main
    echo 200 >value
    sed -i '/^benchmarks/d' tare.yaml
    expect_judged_by_base "report"
}

@test "the direction of a metric is turned round, or its unit changed" {
    worse_project
    sed -i 's/speed:lower/speed:higher/' tare.yaml
    expect_judged_by_base "speed:higher"
    git checkout -q -B second main
    echo 200 >value
    sed -i 's/speed:lower/speed[ns]:lower/' tare.yaml
    expect_judged_by_base "speed[ns]:lower"
}

@test "doubt and absence are let through" {
    worse_project
    printf '%s\n' 'inconclusive: pass' 'missing: pass' 'renamed: {report: other}' 'retries: 0' 'budget: 1ms' >>tare.yaml
    expect_judged_by_base "inconclusive"
    says '[.policy_changes[] | select(test("missing|rename|retries|budget"))] | length == 4'
}

@test "head names itself as what it is held against" {
    worse_project
    git checkout -q main
    echo 'against: merge-base' >>tare.yaml
    commit "says so"
    git checkout -q -B head
    echo 200 >value
    sed -i 's/^against.*/against: head/' tare.yaml
    echo 'default_branch: head' >>tare.yaml
    commit "against itself"
    run --separate-stderr "$tare" gate -q --budget 3s --retries 0 --json
    expect 1
    says '[.policy_changes[] | select(test("against|default_branch"))] | length == 2'
}

@test "the policy is removed, emptied, moved, or hidden by another one" {
    worse_project
    git rm -q tare.yaml
    expect_judged_by_base "tare.yaml is removed"
    git checkout -q -B second main
    echo 200 >value
    : >tare.yaml
    expect_judged_by_base "says nothing any more"
    git checkout -q -B third main
    echo 200 >value
    mkdir sub
    sed 's/warning: 3%/warning: 9%/; s/cat value/echo 100/' tare.yaml >sub/tare.yaml
    cd sub
    expect_judged_by_base "3% → 9%"
}

@test "a policy of head that cannot be read is an error, not ignored" {
    worse_project
    echo 'thresholds: [' >>tare.yaml
    commit broken
    gate
    expect 2 "tare.yaml:" "working tree"
}

@test "another build line" {
    new_project
    slower
    sed -i 's/^build: make/build: git show main:bench.c >bench.c \&\& make/' tare.yaml
    commit "builds the base"
    gate --json
    expect_red
    says '.policy_changes | map(select(contains("build"))) | length == 1'
}

@test "a waiver of the base holds, is printed, and covers no more than it says" {
    value_project speed:lower 100 'gate: [speed]' \
        'waivers: [{match: report, metric: speed, reason: a better codec, by: A. Person, until: 2099-12-31}]'
    echo 200 >value
    commit worse
    gate
    expect 0 "a better codec" "A. Person" "2099-12-31"
    gate --json
    says '.comparisons[0].gate == "waived" and (.gate.waivers | length == 1) and .counts.regressed >= 1'
    # What cannot be compared is not waived.
    echo nothing >value
    commit broken
    gate
    expect 3 "report"
}

@test "a waiver that ran out, or is for another metric or benchmark, does not hold" {
    value_project speed:lower 100 'gate: [speed]' 'waivers:' \
        '  - {match: report, metric: speed, reason: agreed, by: A. Person, until: 2020-01-31}' \
        '  - {match: report, metric: time, reason: agreed, by: A. Person, until: 2099-01-31}' \
        '  - {match: repor, reason: agreed, by: A. Person, until: 2099-01-31}'
    echo 200 >value
    commit worse
    gate
    expect 1 "2020-01-31"
}

@test "a base without a policy takes head's, and that is said" {
    value_project speed:lower 100
    git checkout -q main
    git rm -q tare.yaml
    commit "no policy"
    git checkout -q -B head
    printf '%s\n' "benchmarks: [{name: report, command: cat value, metrics: ['speed:lower=re:([0-9]+)']}]" \
        'gate: [speed]' >tare.yaml
    commit "a first policy"
    gate --json
    expect 0
    says '.policy_changes[0] | contains("tare.yaml is new")'
}
