#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Phrase-level active learning (Hu and Neubig 2021, Algorithm 1) from two corpora to a training set, one command a step.
#
#   examples/phrases.sh [FOLDER]
#
# L, what is translated already: examples/data/labeled.tsv, everyday sentences with their translations. U, the untranslated
# sentences of a new domain: examples/data/heldout.tsv, data-protection law; its references play the translators. With
# ALCORE_SHARED_DATA set to a folder that has en-de/general.tsv.xz and en-de/law.tsv.xz, their training sets are L and U.
# The result is FOLDER/train.tsv (default build/phrases), with the origin of each pair, and FOLDER/train.src and train.tgt for
# the trainer of a translation model. ALCORE names the command (default: alcore of the PATH), BUDGET the words (default 300).
set -eu
cd "$(dirname "$0")/.."
alcore=${ALCORE:-alcore}
out=${1:-build/phrases}
budget=${BUDGET:-300}
mkdir -p "$out"

if [ -n "${ALCORE_SHARED_DATA:-}" ]; then
    training() { # FILE: its training pairs as id, source and target
        xz -dc "$ALCORE_SHARED_DATA/en-de/$1.tsv.xz" |
            awk -F '\t' 'BEGIN { print "id\tsource\ttarget" } $2 == "train" { print $1 "\t" $4 "\t" $5 }'
    }
    training general >"$out/labeled.tsv"
    training law >"$out/pool.tsv"
else
    sed '1s/reference/target/' examples/data/labeled.tsv >"$out/labeled.tsv"
    sed '1s/reference/target/' examples/data/heldout.tsv >"$out/pool.tsv"
fi
cd "$out"

step() { # shows a command, then runs it
    echo
    echo "\$ alcore $*"
    "$alcore" "$@"
}

# Line 3 of the algorithm: S, P <- SELECTION(U, L, B). Half of the words buys sentences, the rest phrases that occur often, are
# no part of a longer phrase and are not in L.
step select pool.tsv --labeled labeled.tsv --strategy hybrid -p sentences=huds -p phrases=ngf-smp --budget "${budget}w" \
    --out selection.tsv

# Lines 4 and 5: L_s and L_p, the translations of S and P. A project sends requests.tsv to its translators and reads their
# answers; here the references of U answer, as the paper's experiments need it.
step oracle pool.tsv --selection selection.tsv --requests --out requests.tsv
step oracle pool.tsv --selection selection.tsv --out answers.tsv

# Line 6: L_r, parallel data from L. What the mixed pairs are made with could come from elsewhere; made beforehand, it is
# there to be looked at: a 4-gram model of U and the word alignment of L.
step lm train pool.tsv --out pool.arpa --quiet
step align labeled.tsv --out labeled.links --quiet

# The training set L_s + L_p + L_r: pairs of L that are most like U, and pairs of L into which phrases were switched.
step mix --kind retrieved+switched --labeled labeled.tsv --pool pool.tsv --selection selection.tsv --answers answers.tsv \
    --lm pool.arpa --links labeled.links --out train.tsv --parallel train

# Line 7 is the trainer's.
echo
echo "the training set: $out/train.tsv, $out/train.src, $out/train.tgt"
