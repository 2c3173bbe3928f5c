#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The picks of the files part-0, part-1 and so on in shards.tsv, byte for byte those of one file with
# all their lines, by job arrays of Slurm. In a folder that all nodes share, with alcore in PATH:
#   split --number=l/3 --numeric-suffixes pool.txt part-
#   sh shards_slurm.sh --budget 1000w
# {part} in an option stands for the name of a part, as in --embeddings {part}.npy. Options of sbatch
# are given by its variables, such as SBATCH_PARTITION, SBATCH_TIMELIMIT and SBATCH_ACCOUNT. An array
# that has not ended after LIMIT (1d, or what `timeout` reads) is cancelled.
#
# Each exchange is an array with a task for each part. A task that Slurm runs again, or twice at once,
# writes the same file. Where one leaves no message, the script ends with what it said; started again
# with the same options and parts it makes only what is missing. Messages and the output of tasks are
# in a folder run-NUMBER of these options and parts. Remove it at the end, and where another file that
# an option names has changed.
set -eu

# A task makes one step of one part: --step FOLDER EXCHANGE OPTION...
if [ "${1-}" = --step ]; then
    folder=$2 exchange=$3
    shift 3
    line=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$folder/parts")
    part=${line% *}
    for option; do
        shift
        set -- "$@" "$(printf '%s\n' "$option" | sed "s/{part}/$part/g")"
    done
    for earlier in $(seq $((exchange - 1))); do
        set -- "$@" --message "$folder/exchange-$earlier"
    done
    exec alcore select "$part" "$@" --shard "${line#* }" --next "$folder/$part.$exchange" --out "$folder/picks.tsv"
fi

parts=$(printf '%s\n' part-* | grep -xE 'part-[0-9]+' | sort -V)
[ -n "$parts" ] || { echo "no file part-0, part-00 or the like" >&2; exit 2; }
version=$(alcore --version)
# shellcheck disable=SC2086
folder=run-$({ printf '%s\n' "$version" "$@" && stat -c '%n %s %y' $parts; } | sha256sum | cut -c 1-12)
mkdir -p "$folder"
# Each part and its place, FIRST/ROWS. The last line of a file may have no line end.
# shellcheck disable=SC2086
rows=$(awk 'END { print NR }' $parts) first=0
for part in $parts; do
    echo "$part $first/$rows"
    first=$((first + $(awk 'END { print NR }' "$part")))
done >"$folder/parts"

# has NAME: whether the folder had the file when look was called. A list is never one of before, as what
# a file system of the network knows of a single name may be.
look() { files=" $(cd "$folder" && echo *) "; }
has() { case $files in *" $1 "*) ;; *) return 1 ;; esac; }

# The numbers of the parts that have no message of this exchange, with commas.
missing() {
    number=0 found=
    for part in $parts; do
        has "$part.$exchange" || found=$found,$number
        number=$((number + 1))
    done
    echo "${found#,}"
}

exchange=1
while look && ! has picks.tsv; do
    tasks=$(missing) code=0
    if ! has "exchange-$exchange" && [ -n "$tasks" ]; then
        timeout --foreground "${LIMIT:-1d}" sbatch --parsable --wait --requeue --job-name=alcore --array="$tasks" --output="$folder/$exchange-%a.out" \
            "$0" --step "$folder" "$exchange" "$@" >"$folder/array" || code=$?
        if [ $code = 124 ]; then
            echo "exchange $exchange: the array has not ended after ${LIMIT:-1d}, and is cancelled:" >&2
            squeue --noheader --jobs="$(cat "$folder/array")" --format="task %i is %T: %r" >&2
            scancel "$(cat "$folder/array")"
            exit 1
        fi
        look
        ! has picks.tsv || break
        # A task that was cancelled before it ran is none that failed to sbatch, so its message is looked for.
        tasks=$(missing)
        if [ -n "$tasks" ]; then
            echo "exchange $exchange: no message of task $tasks (sbatch: $code)" >&2
            for task in $(echo "$tasks" | tr , ' '); do
                tail -n 5 "$folder/$exchange-$task.out" >&2 || :
            done
            exit 1
        fi
    fi
    if ! has "exchange-$exchange"; then
        # shellcheck disable=SC2046
        alcore fold $(for part in $parts; do echo "$folder/$part.$exchange"; done) --out "$folder/exchange-$exchange"
    fi
    exchange=$((exchange + 1))
done
cp "$folder/picks.tsv" "$folder/shards.tsv"
mv "$folder/shards.tsv" shards.tsv
