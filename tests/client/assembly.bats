#!/usr/bin/env bats
# The machine code of the loop and of the barriers, on gcc and clang, at -O2 and -O3: what is kept stays,
# and nothing of Tare's is added but one decrement and one branch on a register.

setup() {
    [ "$(uname -m)" = x86_64 ] || skip "looks at x86-64 code"
}

# body COMPILER LEVEL FUNCTION: the instructions between the loop's first label and its backward jump
body() {
    "$1" -std=c11 "$2" -fno-asynchronous-unwind-tables -fcf-protection=none -I"$TARE_SOURCE/include" \
        -S -o - "$TARE_SOURCE/tests/client/assembly.c" |
        sed -e 's/#.*//' | awk -v function_name="$3" '
        $1 == function_name ":" { inside = 1; next }
        inside && /^[a-z_]+:/ { exit }
        !inside { next }
        /^\.L[A-Za-z0-9_]*:/ { label = substr($1, 1, length($1) - 1); start[label] = count; next }
        /^[ \t]+\./ || NF == 0 { next }
        {
            line[count++] = $0
            if ($1 ~ /^j/ && ($2 in start) && !done) {
                done = 1
                for (i = start[$2]; i < count; i++) print line[i]
            }
        }'
}

# each FUNCTION CHECK: runs CHECK with the body for every compiler and level
each() {
    for compiler in gcc clang; do
        for level in -O2 -O3; do
            code=$(body "$compiler" "$level" "$1")
            echo "== $compiler $level $1"
            echo "$code"
            [ -n "$code" ]
            "$2"
        done
    done
}

count() {
    grep -cE "^[[:space:]]+($1)" <<<"$code" || true
}

# shellcheck disable=SC2016 # the dollar signs are the assembler's
# The last two instructions: a decrement of a register, and the jump on its flags.
ends_in_decrement_and_jump() {
    tail -2 <<<"$code" | head -1 | grep -qE '^\s+(sub[ql]\s+\$1, %r|add[ql]\s+\$-1, %r|dec[ql]\s+%r)'
    tail -1 <<<"$code" | grep -qE '^\s+jne'
}

nothing_else() {
    ends_in_decrement_and_jump
    [ "$(wc -l <<<"$code")" -eq 2 ]
}

@test "an empty loop is one decrement of a register and one branch" {
    each loop_empty nothing_else
}

@test "work that nobody keeps is gone: the loop is an empty one" {
    each loop_folded nothing_else
}

multiplies() {
    ends_in_decrement_and_jump
    [ "$(count imul)" -eq 1 ]
    [ "$(wc -l <<<"$code")" -le 4 ] # a copy, the product, the loop
}

@test "a kept product is computed in every pass, and nothing is stored" {
    each loop_keep_int multiplies
}

divides() {
    ends_in_decrement_and_jump
    [ "$(count 'v?divsd')" -eq 1 ]
    [ "$(wc -l <<<"$code")" -eq 3 ] # no move to a general register, no store
}

@test "a kept double stays in a floating-point register" {
    each loop_keep_double divides
}

loads() {
    ends_in_decrement_and_jump
    [ "$(count 'movl\s+\(')" -eq 1 ]
    [ "$(wc -l <<<"$code")" -eq 3 ]
}

@test "what lies in memory is loaded again in every pass" {
    each loop_keep_call loads
}

# A division of a number known at compile time would be a constant; of an opaque one it is code.
computes() {
    ends_in_decrement_and_jump
    [ "$(count 'i?mul|imulq|shr|div')" -ge 1 ]
}

@test "an opaque constant is not folded" {
    each loop_opaque computes
}

# shellcheck disable=SC2016
stores() {
    ends_in_decrement_and_jump
    [ "$(count 'movl\s+\$42, \(')" -eq 1 ]
    [ "$(wc -l <<<"$code")" -eq 3 ]
}

@test "a store before a clobber happens in every pass" {
    each loop_clobber stores
}
