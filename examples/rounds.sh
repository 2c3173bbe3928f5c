#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A loop of rounds, by commands only: HUDS (Azeemi et al. 2025) with translators that are simulated by references.
#
#   examples/rounds.sh [FOLDER]
#
# L, what is translated already: examples/data/labeled.tsv, everyday sentences. U, the untranslated sentences of a new domain, and the
# test set: examples/data/heldout.tsv, data-protection law. With ALCORE_SHARED_DATA set to a folder that has en-de/general.tsv.xz and
# en-de/it.tsv.xz they are the training set of the one and the training and test sets of the other (DOMAIN names another file).
# Round 1 buys a random seed set, as the paper does; later rounds buy by HUDS from 20,000 candidates drawn anew. The n-gram model
# is trained on all that is labeled and gives the uncertainty of the next round, where an experiment has its translation model.
#
# FOLDER (default build/rounds) has round-NN/ with the selection, the answers, the training set so far and the model of each round,
# selection.tsv of all rounds, and metrics.tsv. The script may be killed at any instant; started again it goes on, and ends with the
# same files. Settings, by environment: ROUNDS (10; may grow later), ITEMS a round, SEED, LAMBDA (a number for each round),
# CANDIDATES, MAX_AGE (scores of up to so many rounds ago are used again, but for the best of them; default 0), and PATIENCE: the loop
# ends when so many rounds did not lower the mean NNLL of the test set by more than LEAST_GAIN (default: it goes on). ALCORE names
# the command (default: the one on PATH, else that of examples/quickstart.sh).
set -eu
. "$(dirname "$0")/tools/find_alcore.sh"
find_alcore "$(dirname "$0")"
cd "$(dirname "$0")/.."
. examples/tools/rounds.sh
out=${1:-build/rounds}
rounds=${ROUNDS:-10} seed=${SEED:-22} lambda=${LAMBDA:-0.5} candidates=${CANDIDATES:-20000}
max_age=${MAX_AGE:-0} patience=${PATIENCE:-} least_gain=${LEAST_GAIN:-0.05} domain=${DOMAIN:-it} shared=${ALCORE_SHARED_DATA:-}
[ -n "$shared" ] && items=${ITEMS:-1000} || items=${ITEMS:-15}
begin "$out" "items $items" "seed $seed" "lambda $lambda" "candidates $candidates" "max_age $max_age" "patience $patience" \
    "least_gain $least_gain" "data ${shared:+$domain of }${shared:-examples/data}"

# ---- the corpora: id, source, target ----

split() { # FILE SPLIT: the pairs of one split
    xz -dc "$shared/en-de/$1.tsv.xz" | awk -F '\t' -v part="$2" '
        BEGIN { print "id\tsource\ttarget" } $2 == part { print $1 "\t" $4 "\t" $5 }'
}
lines() { # FILE FIRST LAST: some pairs of a file, from 1
    awk -v first="$2" -v last="$3" 'NR == 1 { print "id\tsource\ttarget" } NR > first && NR <= last + 1' "$1"
}
if [ -n "$shared" ]; then
    write "$out/labeled.tsv" split general train
    write "$out/pool.tsv" split "$domain" train
    write "$out/test.tsv" split "$domain" test
else
    write "$out/labeled.tsv" lines examples/data/labeled.tsv 1 1000000
    write "$out/pool.tsv" lines examples/data/heldout.tsv 1 200
    write "$out/test.tsv" lines examples/data/heldout.tsv 201 1000000
fi
cd "$out"

# ---- the steps of a round ----

select_items() { # NUMBER: the random seed set in round 1, then HUDS; what is labeled by now is L and the training set so far
    number=$1
    in=$(round_folder "$number")
    if [ "$number" -eq 1 ]; then
        step "$in/selection.tsv" select pool.tsv --labeled labeled.tsv --strategy random -p seed_set=1 --budget "$items" --round 1 \
            --seed "$seed"
    else
        last=$((number - 1))
        reuse=
        [ "$max_age" -eq 0 ] || reuse="--cache cache --max-age $max_age"
        # shellcheck disable=SC2046,SC2086
        step "$in/selection.tsv" select pool.tsv --labeled labeled.tsv --labeled "$(round_folder $last)/train.tsv" \
            $(each --exclude selection.tsv $last) --strategy huds -p "lambda=$lambda" -p "candidates=$candidates" \
            --budget "$items" --round "$number" --seed "$seed" $reuse
    fi
}

label_items() { # NUMBER: the answers of the translators, and the training set of all rounds so far
    in=$(round_folder "$1")
    step "$in/answers.tsv" oracle pool.tsv --selection "$in/selection.tsv" --quiet
    # shellcheck disable=SC2046
    step "$in/train.tsv" mix --kind none --labeled labeled.tsv --pool pool.tsv $(each --selection selection.tsv "$1") \
        $(each --answers answers.tsv "$1") --quiet
}

measures() { # NUMBER: its line of metrics.tsv, which `alcore plot curves` reads: the test set's words that are labeled, and how likely the model finds the test set
    in=$(round_folder "$1")
    bought=$(items "$in/train.tsv")
    words=$(awk -F '\t' 'NR > 1 { n += split($2, word, " ") } END { print n + 0 }' "$in/train.tsv")
    coverage=$(value selected_1 eval overlap test.tsv --selected "$in/train.tsv" -n 1)
    nnll=$(cut -f 2 "$in/test-scores.tsv" | value mean eval mean -)
    printf '%d\t%d\t%d\t%s\t%s\n' "$1" "$bought" "$words" "$coverage" "$nnll"
}

measure_round() { # NUMBER
    in=$(round_folder "$1")
    step "$in/test-scores.tsv" score test.tsv --scorer nnll --labeled labeled.tsv --labeled "$in/train.tsv" --quiet
    write "$in/measures.tsv" measures "$1"
}

# ---- the loop ----

join_rounds() { # FILE LAST: the tables of rounds 1 .. LAST as one, with the round first
    number=1
    while [ "$number" -le "$2" ]; do
        awk -v OFS='\t' -v round="$number" 'FNR == 1 { if (round == 1) print "round", $0; next } { print round, $0 }' \
            "$(round_folder "$number")/$1"
        number=$((number + 1))
    done
}
join_metrics() { # LAST
    printf 'round\titems\twords\tcoverage\tnnll\n'
    # shellcheck disable=SC2046
    cat $(each '' measures.tsv "$1")
}

round=1 ended="all $rounds rounds are done"
while [ "$round" -le "$rounds" ]; do
    mkdir -p "$(round_folder "$round")"
    select_items "$round"
    if [ "$(items "$(round_folder "$round")/selection.tsv")" -eq 0 ]; then
        ended="no unlabeled row is left" round=$((round - 1))
        break
    fi
    label_items "$round"
    measure_round "$round"
    if [ -n "$patience" ]; then
        # shellcheck disable=SC2046
        decision=$(cut -f 5 $(each '' measures.tsv "$round") |
            value text eval plateau - --lower-is-better --patience "$patience" --least-gain "$least_gain")
        case $decision in
        stop:*) ended=$decision && break ;;
        esac
    fi
    round=$((round + 1))
done
[ "$round" -gt "$rounds" ] && round=$rounds
rm -f selection.tsv metrics.tsv
write selection.tsv join_rounds selection.tsv "$round"
write metrics.tsv join_metrics "$round"
echo
echo "$ended"
echo "$out/selection.tsv, $out/metrics.tsv, $out/$(round_folder "$round")/train.tsv"
