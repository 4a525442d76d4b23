#!/bin/sh
# check.sh TOOL: makes the expected values anew and compares them with the stored ones (1e-9 relative).
# TOOL is "r" or "scipy". Exit 77 (skipped) where the tool is not installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
case "$1" in
r)
    command -v Rscript >/dev/null && Rscript -e 'library(diptest)' >/dev/null 2>&1 || exit 77
    Rscript "$here/make_r.R" >"$fresh" ;;
scipy)
    /usr/bin/env python3 -c 'import scipy' 2>/dev/null && python=python3 || python=/usr/bin/python3
    "$python" -c 'import scipy' 2>/dev/null || exit 77
    "$python" "$here/make_scipy.py" >"$fresh" ;;
*)
    echo "usage: check.sh r|scipy" >&2
    exit 2 ;;
esac
awk -F'"' '
    /^    \{"/ { value = $3; gsub(/[,} ]/, "", value)
                 if (FNR == NR) { stored[$2] = value; next }
                 if (!($2 in stored)) { print "new: " $2; bad++; next }
                 a = stored[$2] + 0; b = value + 0; d = a - b; if (d < 0) d = -d
                 size = a < 0 ? -a : a
                 if (d > 1e-9 * size + 1e-300) { print $2 ": stored " a ", now " b; bad++ }
                 delete stored[$2] }
    END { for (key in stored) { print "gone: " key; bad++ } exit bad > 0 }
' "$here/$1_values.h" "$fresh"
