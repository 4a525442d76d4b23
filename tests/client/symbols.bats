#!/usr/bin/env bats
# What the libraries show to the linker: the functions of tare.h and nothing else.

# The functions that the header declares.
declared() {
    gcc -E -P -I"$TARE_SOURCE/include" "$TARE_SOURCE/include/tare/tare.h" | tr '\n' ' ' |
        sed 's/__attribute__ *((/\n&/g; s/;/;\n/g; s/{[^}]*}/\n/g' |
        grep -oE '\b\*?(tare_[a-z_]+)\([^()]*\)|tare_[a-z_]+\([^;]*\) *;' |
        grep -oE '^\*?tare_[a-z_]+' | tr -d '*' |
        grep -vE '^tare_(keep|opaque)_|^tare_(clobber|next_pass|function)$' | sort -u
}

@test "libtare.so exports the functions of tare.h, and only them" {
    exported=$(nm -D --defined-only "$TARE_BUILD/libtare.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u)
    diff <(declared) <(echo "$exported")
    others=$(nm -D --defined-only "$TARE_BUILD/libtare.so" | awk '$3 !~ /^tare_/ && $2 != "A"')
    echo "$others"
    [ -z "$others" ]
}

@test "libtare.a has no other global names; the wrapped functions are in a member of their own" {
    globals=$(nm -g --defined-only "$TARE_BUILD/libtare.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
        grep -vE '^(__asan|__odr_asan|__sanitizer|_GLOBAL__)' | sort -u)
    others=$(grep -vE '^(tare_[a-z_]+|__wrap_[a-z_]+)$' <<<"$globals" || true)
    echo "$others"
    [ -z "$others" ]
    [ "$(ar t "$TARE_BUILD/libtare.a" | wc -l)" -eq 2 ]
}

@test "the soname is libtare.so.0" {
    readelf -d "$TARE_BUILD/libtare.so" | grep -q 'SONAME.*\[libtare\.so\.0\]'
}

@test "the libraries need libc only" {
    for library in libtare.so libtare-alloc.so; do
        needed=$(readelf -d "$TARE_BUILD/$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
            grep -vE '^(libc\.so|libpthread\.so|libdl\.so|ld-linux|libasan|libubsan|libtsan)' || true)
        echo "$library: $needed"
        [ -z "$needed" ]
    done
}

@test "the shim exports the allocator's functions and its counters" {
    for name in malloc calloc realloc reallocarray free aligned_alloc memalign posix_memalign valloc \
        pvalloc tare_heap_counts; do
        nm -D --defined-only "$TARE_BUILD/libtare-alloc.so" | grep -q " T $name\$"
    done
    [ "$(nm -D --defined-only "$TARE_BUILD/libtare-alloc.so" | wc -l)" -eq 11 ]
}
