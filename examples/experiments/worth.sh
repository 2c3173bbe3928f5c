#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What picks are worth: a translator is trained on everyday sentences, fine-tuned on 10,000 words of a domain that a strategy picks,
# and measured on 1,000 other texts of the domain.
#
#   examples/experiments/worth.sh DOMAIN NAME [OPTION...]     DOMAIN: it, docs, system, law or medicine of en-de; catalogues
#
# NAME is what the selection is called in the table, OPTIONs are those of `alcore select`: `worth.sh it default`,
# `worth.sh it random-2 --strategy random --seed 2`. Each call ends with the table of the domain: BLEU and chrF of the greedy translations
# of the base model, and of those after all trainings together. What is there already is not made again, so that a run that was killed goes on.
#
# Several calls run at once (worth_jobs.py runs a list of them); what they need in common is made by one of them.
#
# Settings, by environment: ALCORE_SHARED_DATA, a folder that has en-de/general.tsv.xz and en-de/DOMAIN.tsv.xz with columns split, en and de;
# PAIR, another pair of languages (fr-en: from fr to en, of the folder fr-en or en-fr), and GENERAL, the table of what is translated already
# (PAIR=th-en GENERAL=catalogues and the domain catalogues: messages in Thai, of which half of the packages are translated);
# ROWS, a pool of so many rows; LABELED=no, a selection that does not see what is translated; WORTH, where everything goes (default
# build/worth); SEEDS of the training (default "1 2 3"); BUDGET (default 10000w); BASE_UPDATES of the base (default 6000). What is no default
# goes into folders of its own. DEVICE is where the fine-tunings run (default cpu), cuda for instance; UNTIL, how far a call goes: to the
# picks, the outputs of the trainings or the table (the default). From the picks on neither the corpora nor the pool are read, so that outputs
# can be made on another machine, of the base and of replay.tsv, test.source, test.target, untrained.txt, selections and picks of each domain.
# ALCORE names the command (default: the one on PATH, else that of examples/quickstart.sh); it needs the torch engine. The base model takes
# about 20 minutes of one processor, once for all domains of a pair, a fine-tuning about two.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/find_alcore.sh"
find_alcore "$here/.."
. "$here/worth_steps.sh"
[ $# -ge 2 ] || { sed -n '6,22s/^# \{0,1\}//p' "$0" >&2; exit 2; }
data=${ALCORE_SHARED_DATA:?names the folder of en-de/general.tsv.xz}
domain=$1 name=$2 pair=${PAIR:-en-de} general=${GENERAL:-general} budget=${BUDGET:-10000w} updates=${BASE_UPDATES:-6000}
shift 2
all=$(realpath -m "${WORTH:-$here/../../build/worth}")
[ "$pair.$general" = en-de.general ] || all=$all/$pair.$general
[ "$updates" = 6000 ] || all=$all/base-$updates
case ${LABELED:-yes} in
yes) unlabeled= ;;
no) unlabeled=.unlabeled ;;
*) echo "worth.sh: LABELED=$LABELED: yes or no" >&2; exit 2 ;;
esac
until=${UNTIL:-table}
case $until in
picks | outputs | table) ;;
*) echo "worth.sh: UNTIL=$until: picks, outputs or table" >&2; exit 2 ;;
esac
folder=$all/$domain${ROWS:+.$ROWS}$unlabeled
[ "$budget" = 10000w ] || folder=$folder.$budget
mkdir -p "$folder/selections" "$folder/picks" "$folder/outputs"
cd "$folder"

exec 9>"$all/lock"
flock 9
corpora "$data" "$pair" "$general" "$domain" "${ROWS:-}"
if [ "$until" != picks ]; then
    base_model "$all" "$updates"
    [ -s untrained.txt ] || translate "$all/base" untrained.txt
fi
selection=selections/$name.tsv picks=picks/$name.tsv
[ -n "$unlabeled" ] || set -- --labeled general.tsv "$@"
[ -s "$selection" ] || "$alcore" select pool.tsv --budget "$budget" --quiet --out "$selection" "$@"
if [ ! -s "$picks" ]; then
    python3 "$here/worth_picks.py" pool.tsv "$selection" "$picks.part"
    mv "$picks.part" "$picks"
fi
exec 9>&-
[ "$until" != picks ] || exit 0

for seed in ${SEEDS:-1 2 3}; do
    run=outputs/$name.$seed
    [ ! -s "$run.txt" ] || continue
    fine_tune "$all/base" "$run" "$seed" 300 "$(pairs "$picks")" "$(pairs replay.tsv)"
    rm -r "$run.model"
done
[ "$until" = outputs ] || ALCORE=$alcore python3 "$here/worth_table.py" .
