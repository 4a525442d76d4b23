#!/usr/bin/env bats
# Allocations are counted exactly, in the loop only, by the preloaded shim and by the wrapped functions.

setup() {
    place=$BATS_TEST_TMPDIR
    wrap=$(sed -n 's/^wrap_alloc=//p' "$TARE_SOURCE/cmake/tare.pc.in")
    source=("-I$TARE_SOURCE/include" "$TARE_SOURCE/tests/client/alloc.c")
}

# counted BENCHMARK: the reply's metrics after 1000 iterations
counted() {
    python3 "$TARE_SOURCE/tests/client/ask.py" "$place/program" "{\"op\":\"open\",\"benchmark\":$1}" \
        "{\"op\":\"run\",\"benchmark\":$1,\"iterations\":1000,\"count\":\"allocations\"}" |
        tail -1 | grep -o '"metrics":.*}'
}

offers() {
    python3 "$TARE_SOURCE/tests/client/ask.py" "$place/program" '{"op":"hello","protocol":1}' |
        grep -o '"can_count":\["allocations"'
}

counts_right() {
    offers
    [[ "$(counted 0)" == *'"allocations":3,"allocated":304,"peak_live":'* ]]
    [ "$(counted 1)" = '"metrics":{"allocations":0,"allocated":0,"peak_live":0}}' ]
    [[ "$(counted 2)" == *'"allocations":6,"allocated":114,'* ]]
    [[ "$(counted 3)" == *'"allocations":2,"allocated":100,'* ]]
    # 8 blocks of 1000 bytes, as the allocator rounds them up.
    live=$(counted 4 | grep -oE '"peak_live":[0-9]+' | grep -oE '[0-9]+')
    [ "$live" -ge 8000 ]
    [ "$live" -lt 9000 ]
}

@test "preloaded shim, static and shared library, position independent or not" {
    export ASK_PRELOAD=$TARE_BUILD/libtare-alloc.so
    gcc -O2 -pie "${source[@]}" "$TARE_BUILD/libtare.a" -o "$place/program"
    counts_right
    gcc -O2 -no-pie "${source[@]}" "$TARE_BUILD/libtare.a" -o "$place/program"
    counts_right
    gcc -O2 "${source[@]}" -L"$TARE_BUILD" -ltare "-Wl,-rpath,$TARE_BUILD" -o "$place/program"
    counts_right
}

@test "wrapped functions in a static link" {
    gcc -O2 -static "${source[@]}" "$TARE_BUILD/libtare.a" "$wrap" -o "$place/program"
    counts_right
}

@test "without either nothing is offered, and asking is an error" {
    gcc -O2 "${source[@]}" "$TARE_BUILD/libtare.a" -o "$place/program"
    run offers
    [ "$status" -ne 0 ]
    run python3 "$TARE_SOURCE/tests/client/ask.py" "$place/program" '{"op":"open","benchmark":0}' \
        '{"op":"run","benchmark":0,"iterations":10,"count":"allocations"}' '{"op":"quit"}'
    [ "$status" -eq 0 ]
    [[ "$output" == *'{"error":"allocations are not counted here'* ]]
}

@test "the shim serves any program, also one with threads and early constructors" {
    run env LD_PRELOAD="$TARE_BUILD/libtare-alloc.so" python3 -c '
import threading
threads = [threading.Thread(target=lambda: [bytearray(n) for n in range(2000)]) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print("all joined")'
    [ "$status" -eq 0 ]
    [ "$output" = "all joined" ]
}
