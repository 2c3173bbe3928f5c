#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rounds of DeMuX (docs/spec/multilingual.md 7.11), by commands only: a classifier of texts is fine-tuned on labels of one language, buys
# labels for a target language with its own embeddings and uncertainty, and is fine-tuned on them, round after round.
#
#   MODEL=... SOURCE=... POOL=... TARGET=... TEST=... examples/demux.sh [FOLDER]
#
# MODEL: a folder of Hugging Face with a head for texts, such as XLM-R (docs/models.md; it needs the torch engine). SOURCE and POOL: tables
# with the columns text and reference, which is the number of the text's class: the labeled source language, and the texts that may be bought,
# whose references play the people who label. TARGET: unlabeled texts of the target, a line each. TEST: a table as SOURCE.
#
# Model 0 is fine-tuned on SOURCE. In round r the model of round r - 1 scores POOL and TARGET, ITEMS rows are bought and labeled, and model 0 is
# fine-tuned on everything bought so far. Every model, model 0 too, is measured on TEST.
#
# FOLDER (default build/demux) has round-NN/ with the selection, the answers, the model and its predictions, and metrics.tsv of all rounds. The
# script may be killed at any instant, also in a training; started again it goes on, and ends with the same files. Further settings, by
# environment: ROUNDS (5; may grow later), ITEMS a round (2000), SEED (2; the paper also has 22 and 42), STRATEGY (knn-uncertainty, average-dist,
# uncertainty, uncertainty-knn, random), INIT (base, previous: the model from which a round's training starts), TRAINING (further keys of
# the training's file, as docs/models.md lists them). ALCORE names the command
# (default: the one on PATH, else that of examples/quickstart.sh).
set -eu
absolute() { printf '%s/%s' "$(cd "$(dirname "$1")" && pwd)" "$(basename "$1")"; }
model=$(absolute "${MODEL:?a folder with a classifier of texts}") source=$(absolute "${SOURCE:?labeled texts of the source language}")
pool=$(absolute "${POOL:?texts that may be bought}") target=$(absolute "${TARGET:?unlabeled texts of the target}")
test=$(absolute "${TEST:?labeled texts of the target, to measure by}")
. "$(dirname "$0")/tools/find_alcore.sh"
find_alcore "$(dirname "$0")"
cd "$(dirname "$0")/.."
. examples/tools/rounds.sh
out=${1:-build/demux}
rounds=${ROUNDS:-5} items=${ITEMS:-2000} seed=${SEED:-2} strategy=${STRATEGY:-knn-uncertainty} init=${INIT:-base}
case $init in
base | previous) ;;
*)
    echo "INIT is base or previous, not $init" >&2
    exit 2
    ;;
esac
training=${TRAINING:-'"rate": 0.00002, "updates": 1000, "batch_tokens": 2000, "clip": 1'}
# A folder from before INIT existed does not name it: its trainings started from model 0.
if [ -e "$out/settings" ] && ! grep -q '^init ' "$out/settings"; then
    awk '{ print } $1 == "strategy" { print "init base" }' "$out/settings" >"$out/settings.half"
    mv "$out/settings.half" "$out/settings"
fi
begin "$out" "items $items" "seed $seed" "strategy $strategy" "init $init" "training $training" "model $model" "source $source" \
    "pool $pool" "target $target" "test $test"
cd "$out"

# ---- the steps of a round ----

select_items() { # NUMBER: by the model of the round before; what was bought by now is left out
    in=$(round_folder "$1") last=$(($1 - 1)) reads_target="--target $target"
    reads_model="--model $(round_folder $last)/model"
    [ "$strategy" = uncertainty ] || [ "$strategy" = random ] && reads_target=
    [ "$strategy" = random ] && reads_model=
    # shellcheck disable=SC2046,SC2086
    step "$in/selection.tsv" select "$pool" $reads_target $reads_model $(each --exclude selection.tsv $last) \
        --strategy "$strategy" --budget "$items" --round "$1" --seed "$seed" --quiet
}

label_items() { # NUMBER: the labels of the people, who are played by the references of POOL
    in=$(round_folder "$1")
    step "$in/answers.tsv" oracle "$pool" --selection "$in/selection.tsv" --quiet
}

config() { # NUMBER: what the model of a round learns from: SOURCE in round 0, later all answers so far
    in=$(round_folder "$1")
    if [ "$1" -eq 0 ]; then
        from=$model data="{\"texts\": \"$source\", \"text_column\": \"text\", \"reference_column\": \"reference\"}"
    else
        from=$(round_folder $(($1 - 1)))/model data=
        [ "$init" = previous ] || from=round-00/model
        for answers in $(each '' answers.tsv "$1"); do
            data="$data${data:+, }{\"texts\": \"$answers\", \"text_column\": \"text\", \"reference_column\": \"translation\"}"
        done
    fi
    printf '{"model": "%s", "train": [%s], "out": "%s/model", "seed": %s, "checkpoints": "%s/checkpoints", %s}\n' \
        "$from" "$data" "$in" "$seed" "$in" "$training"
}

predictions() { # FILE.npy: the most probable class of each line, from 0
    skip=$((10 + $(od -An -tu2 -j8 -N2 "$1"))) # the length of the header stands in it
    classes=$(head -c "$skip" "$1" | LC_ALL=C sed -n 's/.*, \([0-9]*\)).*/\1/p')
    od -An -v -tf4 -w$((4 * classes)) -j"$skip" "$1" |
        awk '{ best = 1; for (i = 2; i <= NF; i++) if ($i > $best) best = i; print best - 1 }'
}

measures() { # NUMBER: its line of metrics.tsv, which `alcore plot curves` reads
    in=$(round_folder "$1") bought=0
    [ "$1" -eq 0 ] || for answers in $(each '' answers.tsv "$1"); do bought=$((bought + $(items "$answers"))); done
    printf '%d\t%d' "$1" "$bought"
    for metric in accuracy macro-f1; do
        printf '\t%s' "$(value "$metric" eval "$metric" test-labels.txt "$in/predictions.txt")"
    done
    echo
}

train_round() { # NUMBER: the file of metrics is the last of a round: without it the training goes on from its checkpoint
    in=$(round_folder "$1")
    [ -e "$in/measures.tsv" ] && return
    write "$in/train.json" config "$1"
    echo
    echo "\$ alcore model train $in/train.json"
    "$alcore" model train "$in/train.json" --quiet
    step "$in/probs.npy" model probs "$in/model" test-texts.txt --quiet
    write "$in/predictions.txt" predictions "$in/probs.npy"
    write "$in/measures.tsv" measures "$1"
}

# ---- the loop ----

join_metrics() { # LAST
    printf 'round\titems\taccuracy\tmacro-f1\n'
    # shellcheck disable=SC2046
    cat round-00/measures.tsv $(each '' measures.tsv "$1")
}
column() { # NAME FILE: a column of a table
    awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i; next } { print $n }' "$2"
}

write test-texts.txt column text "$test"
write test-labels.txt column reference "$test"
mkdir -p round-00
train_round 0
round=1
while [ "$round" -le "$rounds" ]; do
    mkdir -p "$(round_folder "$round")"
    select_items "$round"
    label_items "$round"
    train_round "$round"
    round=$((round + 1))
done
join_metrics "$rounds" >metrics.tsv.half
mv metrics.tsv.half metrics.tsv
echo
cat metrics.tsv
