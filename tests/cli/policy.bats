#!/usr/bin/env bats
# Goal: tare.yaml, its manual (docs/policy.md) and its schema for editors say the same. Method: the manual's examples are read by tare and
# by an independent validator, its tables are held against the schema's keys (tests/unit/test_policy_schema.c holds those against the
# reader), and a list of good and bad policies is given to both.

bats_require_minimum_version 1.5.0

setup() {
    tare=$TARE_BUILD/tare
    doc=$TARE_SOURCE/docs/policy.md
    schema=$TARE_SOURCE/docs/tare.schema.json
    export NO_COLOR=1
    unset TARE_STORE
    cd "$BATS_TEST_TMPDIR"
}

# The Python that has the validator: the one in PATH, or the system's.
python() {
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c 'import jsonschema, yaml' 2>/dev/null; then
            "$candidate" "$@"
            return
        fi
    done
    echo "no python3 with jsonschema and yaml: tools/setup test installs python3-jsonschema and python3-yaml" >&2
    return 127
}

# The n-th YAML block of the manual.
block() { awk -v n="$1" '/^```yaml$/ { k++; inside = k == n; next } /^```$/ { inside = 0 } inside' "$doc"; }

reads() { "$tare" run --list -- true; }

@test "tare and the schema agree on every sample" {
    run python "$TARE_SOURCE/tests/cli/policy_samples.py" "$tare" "$schema" "$TARE_SOURCE/tests/data/policy_samples.txt"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^([0-9]+)" good, "([0-9]+)" bad, "([0-9]+)" bad for tare only"$ ]]
    [ "${BASH_REMATCH[1]}" -ge 8 ]
    [ "${BASH_REMATCH[2]}" -ge 70 ]
}

@test "a sample that is marked wrong is found" {
    printf '=== bad\nbudget: 60s\n' >samples
    run python "$TARE_SOURCE/tests/cli/policy_samples.py" "$tare" "$schema" samples
    [ "$status" -eq 1 ]
    [[ "$output" == *"tare accepts it and the schema accepts it"* ]]
}

@test "the manual's examples are good for tare and for the schema" {
    count=$(grep -c '^```yaml$' "$doc")
    [ "$count" -ge 2 ]
    for ((i = 1; i <= count; i++)); do
        echo '=== good'
        block "$i"
    done >samples
    run python "$TARE_SOURCE/tests/cli/policy_samples.py" "$tare" "$schema" samples
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "every key is in the manual, and every word of the manual's tables is a key or a preset" {
    keys=$(jq -r '[.. | .properties? // empty | keys[]] | unique[]' "$schema")
    [ "$(wc -w <<<"$keys")" -gt 50 ]
    for key in $keys; do
        grep -Eq "\`$key\`|[{ ]$key:" "$doc" || { echo "not in the manual: $key"; return 1; }
    done
    while read -r word; do
        grep -qx "$word" <<<"$keys" || { echo "in the manual, but no key: $word"; return 1; }
    done < <(sed -n 's/^| `\([a-z_]*\)` |.*/\1/p' "$doc")
}

@test "the manual's defaults are the schema's" {
    checked=0
    while IFS=$'\t' read -r key value; do
        row=$(grep -E "^\| \`$key\` \|" "$doc" | head -n 1) || { echo "no row: $key"; return 1; }
        [[ "${row%|*}" == *"\`$value\`"* ]] || { echo "$key: the manual does not say $value: $row"; return 1; }
        checked=$((checked + 1))
    done < <(jq -r '.properties | to_entries[] | select(.value.default != null) | "\(.key)\t\(.value.default)"' "$schema")
    [ "$checked" -ge 15 ]
}

@test "a mistake exits 2 and names file, line and column" {
    block 1 | sed 's/fail_at: warning/fail_at: warming/' >tare.yaml
    run --separate-stderr reads
    [ "$status" -eq 2 ]
    line=$(grep -n '^fail_at' tare.yaml | cut -d : -f 1)
    [[ "$stderr" == *"tare.yaml:$line:10: fail_at wants minor, warning or critical, not 'warming'"* ]]
    block 1 | sed 's/^waivers/waviers/' >tare.yaml
    run --separate-stderr reads
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"tare.yaml:"*":1: unknown key 'waviers': did you mean 'waivers'?"* ]]
}

@test "a file of more than 1 MiB exits 2, as does one of 100 MiB; one of exactly 1 MiB is read" {
    head -c 1048576 /dev/zero | tr '\0' '#' >tare.yaml
    run reads
    [ "$status" -eq 0 ]
    printf '#' >>tare.yaml
    run --separate-stderr reads
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"tare.yaml: 1048577 bytes is too large for a policy (at most 1048576)"* ]]
    truncate -s 100M tare.yaml
    run --separate-stderr reads
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"too large for a policy"* ]]
}
