#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Phrase-level active learning (Hu and Neubig 2021, Algorithms 1 and 2) from two corpora to a training set, one command a step, in
# several rounds.
#
#   examples/phrases.sh [FOLDER]
#
# L, what is translated already: examples/data/labeled.tsv, everyday sentences with their translations. U, the untranslated
# sentences of a new domain: examples/data/heldout.tsv, data-protection law; its references play the translators. With
# ALCORE_SHARED_DATA set to a folder that has en-de/general.tsv.xz and en-de/law.tsv.xz, their training sets are L and U. Both
# are written as most parallel corpora come, as two files of which line i of one is the translation of line i of the other.
#
# FOLDER (default build/phrases) has round-NN/ for each round: selection.tsv, requests.tsv, answers.tsv, and the training set of all
# rounds so far, train.tsv with the origin of each pair and train.src and train.tgt for the trainer of a translation model. The
# script may be killed at any instant; started again it goes on, and ends with the same files. Settings, by environment: ROUNDS
# (3; may grow later), BUDGET, the words of a round (300), SENTENCES, the strategy that buys sentences (mrs), SEED, and TRAIN, a
# command that is run in the folder of each round when its training set is there. ALCORE names the command
# (default: the one on PATH, else that of examples/quickstart.sh).
set -eu
. "$(dirname "$0")/tools/find_alcore.sh"
find_alcore "$(dirname "$0")"
cd "$(dirname "$0")/.."
. examples/tools/rounds.sh
out=${1:-build/phrases}
rounds=${ROUNDS:-3} budget=${BUDGET:-300} sentences=${SENTENCES:-mrs} seed=${SEED:-22} train=${TRAIN:-}
shared=${ALCORE_SHARED_DATA:-}
begin "$out" "budget $budget" "sentences $sentences" "seed $seed" "train $train" "data ${shared:-examples/data}"

column() { # TABLE NAME: the column of that name, a line each; of a table with the column split its training set only
    { case $1 in *.xz) xz -dc "$1" ;; *) cat "$1" ;; esac; } |
        awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) wanted = i; if ($i == "split") set = i }; next }
            !set || $set == "train" { print $wanted }'
}
general=examples/data/labeled.tsv domain=examples/data/heldout.tsv english=source german=reference
if [ -n "$shared" ]; then general=$shared/en-de/general.tsv.xz domain=$shared/en-de/law.tsv.xz english=en german=de; fi
write "$out/labeled.en" column "$general" "$english"
write "$out/labeled.de" column "$general" "$german"
write "$out/pool.en" column "$domain" "$english"
write "$out/pool.de" column "$domain" "$german"
cd "$out"

# What line 6 is made with could come from elsewhere; made beforehand, it is there to be looked at: a 4-gram model of U and the
# word alignment of L.
step pool.arpa lm train pool.en --quiet
step labeled.links align labeled.en labeled.de --quiet

round=1
while [ "$round" -le "$rounds" ]; do
    in=$(round_folder "$round")
    mkdir -p "$in"

    # Line 3 of Algorithm 1: S, P <- SELECTION(U, L, B). Algorithm 2: half of the words buys sentences, the rest phrases of the
    # sentences that are left which occur often, are no part of a longer phrase and are not in L. What earlier rounds bought is
    # in L by now.
    # shellcheck disable=SC2046
    step "$in/selection.tsv" select pool.en --labeled labeled.en $(each --labeled answers.tsv $((round - 1))) \
        --strategy hybrid -p "sentences=$sentences" -p phrases=ngf-smp --budget "${budget}w" --round "$round" --seed "$seed"
    if [ "$(items "$in/selection.tsv")" -eq 0 ]; then
        echo "nothing is left to select"
        round=$((round - 1))
        break
    fi

    # Lines 4 and 5: L_s and L_p, the translations of S and P. A project sends requests.tsv to its translators and reads their
    # answers; here the references of U answer, as the paper's experiments need it.
    step "$in/requests.tsv" oracle pool.en --selection "$in/selection.tsv" --requests
    step "$in/answers.tsv" oracle pool.en --references pool.de --selection "$in/selection.tsv"

    # Line 6: L_r, parallel data from L, and the training set L_s + L_p + L_r of all rounds: pairs of L that are most like U, and
    # pairs of L into which phrases were switched. Of the three files train.tgt appears last.
    [ -e "$in/train.tgt" ] || rm -f "$in/train.tsv"
    # shellcheck disable=SC2046
    step "$in/train.tsv" mix --kind retrieved+switched --labeled labeled.en --labeled-references labeled.de --pool pool.en \
        $(each --selection selection.tsv "$round") \
        $(each --answers answers.tsv "$round") --lm pool.arpa --links labeled.links --round "$round" --seed "$seed" \
        --parallel "$in/train"

    # Line 7: fine-tune on them.
    if [ -n "$train" ] && [ ! -e "$in/trained" ]; then
        (cd "$in" && sh -c "$train")
        : >"$in/trained"
    fi
    round=$((round + 1))
done
[ "$round" -gt "$rounds" ] && round=$rounds
in=$(round_folder "$round")
echo
echo "the training set: $out/$in/train.tsv, $out/$in/train.src, $out/$in/train.tgt"
