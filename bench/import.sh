#!/usr/bin/env bash
# import.sh: how fast result files come in, and how much memory that takes.
#
#   bench/import.sh BUILD [FOLDER]     BUILD holds `tare`; FOLDER (a new one below /tmp) gets the files
#
# Prints one line a case: megabytes a second and the largest resident memory for Google Benchmark files
# of 10 and 100 MB (memory must not grow with the file), and seconds for 10,000 small files.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tare=$(realpath "${1:?which build folder holds tare?}")/tare
folder=${2:-$(mktemp -d)}
cd "$folder"

# measure NAME MEGABYTES COMMAND…: the best of three, each into a new store.
measure() {
    local name=$1 megabytes=$2 best=
    shift 2
    for _ in 1 2 3; do
        rm -f store.db*
        /usr/bin/time -f '%e %M' -o time.txt "$@" >/dev/null 2>messages.txt
        if [ -z "$best" ] || [ "$(cut -d ' ' -f 1 time.txt)" \< "${best% *}" ]; then
            best=$(cat time.txt)
        fi
    done
    awk -v name="$name" -v size="$megabytes" -v best="$best" 'BEGIN {
        split(best, part, " ")
        printf "%-34s %6.2f s", name, part[1]
        if (size > 0) { printf "  %5.1f MB/s", size / part[1] }
        printf "  %d KiB\n", part[2]
    }'
}

for size in 10 100; do
    for repetitions in 3 20 100; do
        "$here/import_generate" $size $repetitions >big.json
        measure "$size MB, $repetitions repetitions" $size "$tare" import -q --store store.db big.json
    done
done
rm -f big.json
mkdir -p small
for i in $(seq 1 10000); do
    printf '{"results":[{"command":"c%d","mean":0.1,"times":[0.1,0.11,0.12,0.1],"exit_codes":[0,0,0,0]}]}\n' "$i" >"small/$i.json"
done
measure "10,000 files of hyperfine" 0 "$tare" import -q --machine here --store store.db small
rm -rf small
