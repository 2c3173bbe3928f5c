#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tables of two papers in small, with translators that are trained as worth.sh trains them:
#
#   examples/experiments/papers.sh rounds DOMAIN     HUDS (2025), Tables 2 and 4: four strategies buy sentences round by round
#   examples/experiments/papers.sh lambda DOMAIN     HUDS, Table 7: the weight of diversity in the first queried round
#   examples/experiments/papers.sh phrases DOMAIN    Hu and Neubig (2021), Tables 3 and 5: what phrases and sentences cover and are worth
#   examples/experiments/papers.sh mix DOMAIN        the same, Table 4: what is trained on beside them; both print Figures 3 and 4 too
#
# DOMAIN is it, docs, system, law or medicine of en-de. What is there already is not made again, so that a run that was killed goes on.
#
# Settings, by environment: those of worth.sh (ALCORE_SHARED_DATA, PAIR, GENERAL, WORTH, ALCORE); ROWS, a pool of so many rows (default
# 20000; all: the whole); SEEDS of draws and trainings (default 1; none: the tables of phrases without trainings); of the first two ITEMS of a
# round (default 400), ROUNDS (default 3, the first at random; lambda has 2), CANDIDATES that are drawn and scored in each (default 4000), and
# EMBEDDER, the folder of an encoder (default: the built-in n-gram model); of the others BUDGET (default 5000w), of phrases KIND of the
# pairs that are mixed in (default retrieved, or none), and REVERSE, the folder of a translator in the other direction, with which rttl is there too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/find_alcore.sh"
find_alcore "$here/.."
. "$here/worth_steps.sh"
[[ $# -eq 2 && $1 =~ ^(rounds|lambda|phrases|mix)$ ]] || { sed -n '3,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }
data=${ALCORE_SHARED_DATA:?names the folder of en-de/general.tsv.xz}
what=$1 domain=$2 pair=${PAIR:-en-de} general=${GENERAL:-general} rows=${ROWS:-20000} seeds=${SEEDS:-1} reverse=${REVERSE:-}
items=${ITEMS:-400} candidates=${CANDIDATES:-4000} embedder=${EMBEDDER:-ngram} budget=${BUDGET:-5000w} kind=${KIND:-retrieved}
[ "$rows" != all ] || rows=
[ "$seeds" != none ] || seeds=
[ "$embedder" = ngram ] || embedder=$(realpath "$embedder")
[ -z "$reverse" ] || reverse=$(realpath "$reverse")
all=$(realpath -m "${WORTH:-$here/../../build/worth}")
[ "$pair.$general" = en-de.general ] || all=$all/$pair.$general
mkdir -p "$all/$domain${rows:+.$rows}"
cd "$all/$domain${rows:+.$rows}"

# made FILE COMMAND...: `alcore COMMAND --out FILE`, unless it is there.
made() {
    local file=$1
    shift
    [ -s "$file" ] || "$alcore" "$@" --threads 1 --quiet --out "$file"
}

# table SCRIPT FOLDER BASELINE: the table of what was trained in FOLDER.
table() {
    echo
    ALCORE=$alcore python3 "$here/$1" "$2" "$3"
}

# buy FOLDER ROUND NAME SEED: what a strategy with its parameters, NAME, buys in a round after what it has bought in earlier ones, and the
# translator that learns from all of it. The scores of a round are those of the translator of the round before.
buy() {
    local folder=$1 round=$2 name=$3 seed=$4 past=random in=$1/$2 run=$1/$2/outputs/$3-$4.$4 picks=() options=() parts part number model=
    [ ! -s "$run.txt" ] || return 0
    mkdir -p "$in/picks" "$in/selections" "$in/outputs"
    ln -sf ../../{pool.tsv,general.tsv,test.source,test.target} "$in"
    for ((number = 1; number < round; number++)); do
        picks+=("$folder/$number/picks/$past-$seed.tsv")
        model=$folder/$number/outputs/$past-$seed.$seed.model
        options+=(--labeled "${picks[-1]}" --exclude "${picks[-1]}")
        past=$name
    done
    IFS=, read -ra parts <<<"$name"
    options+=(--strategy "${parts[0]}")
    for part in "${parts[@]:1}"; do options+=(-p "$part"); done
    [ "$name" = random ] || options+=(-p "candidates=$candidates" --cache cache)
    case ${parts[0]} in idds | huds) options+=(--model "embeddings=$embedder") ;; esac
    case ${parts[0]} in nsp | huds) options+=(--model "logprobs=$model") ;; esac
    picks+=("$in/picks/$name-$seed.tsv")
    made "${picks[-1]}" select pool.tsv --budget "$items" --round "$round" --seed "$seed" "${options[@]}"
    { echo index && tail -qn +2 "${picks[@]}" | cut -f2; } >"$in/selections/$name-$seed.tsv"
    python3 "$here/worth_picks.py" pool.tsv "$in/selections/$name-$seed.tsv" "$run.tsv"
    fine_tune "$all/base" "$run" "$seed" 300 "$(pairs "$run.tsv")" "$(pairs replay.tsv)"
}

# buy_rounds BASELINE ROUNDS NAME...: all rounds of the strategies after a first one at random, which they share, and a table for each.
buy_rounds() {
    local folder=rounds.$items baseline=$1 rounds=$2 round seed name
    shift 2
    for seed in $seeds; do
        buy "$folder" 1 random "$seed"
        for ((round = 2; round <= rounds; round++)); do
            for name; do buy "$folder" "$round" "$name" "$seed"; done
        done
    done
    for ((round = 1; round <= rounds; round++)); do table worth_table.py "$folder/$round" "$baseline"; done
}

# strategy NAME: the options of a strategy of sentences, phrases or both.
strategy() {
    case $1 in
    hybrid) echo --strategy hybrid -p sentences=mrs -p phrases=ngf-smp ;;
    rttl) echo --strategy rttl --logprobs rttl.lp ;;
    *) echo --strategy "$1" ;;
    esac
}

# round_trips: how likely the reverse translator finds each text after its translation by the base model.
round_trips() {
    [ ! -s rttl.lp ] || return 0
    tail -n +2 pool.tsv | cut -f1 >pool.source
    made pool.translated model translate "$all/base" pool.source --beam 1 --max-length 80
    made rttl.lp model score "$reverse" pool.translated pool.source
}

# learn FOLDER STRATEGY KIND SEED: a translator that learns from what was bought and mixed in pairs of KIND, as many of each as ngf-smp buys
# phrases. It passes over them as often as worth.sh's translators over theirs: an update for 240 words of both sides.
learn() {
    local run=$1/outputs/$2.$3.$4 words options=()
    [ ! -s "$run.txt" ] || return 0
    [ "$3" = none ] || options+=(--count "$(($(wc -l <"$1/selections/ngf-smp.tsv") - 1))" --labeled general.tsv --seed "$4")
    case $3 in *switched*) options+=(--links general.links) ;; esac
    case $3 in *switched* | *contextualized*) options+=(--lm pool.arpa) ;; esac
    made "$run.tsv" mix --kind "$3" --pool pool.tsv --selection "$1/selections/$2.tsv" --answers "$1/answers/$2.tsv" "${options[@]}"
    words=$(cut -f2,3 "$run.tsv" | wc -w)
    fine_tune "$all/base" "$run" "$4" $((words / 240 + 1)) "$(printf '{"mix": "%s"}' "$run.tsv")"
    rm -r "$run.model"
}

# compare_phrases BASELINE STRATEGY.KIND...: buys phrases and sentences, trains, and prints the tables.
compare_phrases() {
    local folder=phrases.$budget baseline=$1 run seed
    shift
    mkdir -p "$folder/selections" "$folder/answers" "$folder/outputs"
    ln -sf ../{pool.tsv,general.tsv,test.tsv,test.source,test.target,test.links} "$folder"
    [ -s pool.links ] || "$alcore" align pool.tsv --threads 1 --quiet --save pool.aligner --out pool.links
    made test.links align test.tsv --model pool.aligner
    made general.links align general.tsv
    made pool.arpa lm train pool.tsv
    for run in ngf-smp "${@%.*}"; do
        # shellcheck disable=SC2046
        made "$folder/selections/$run.tsv" select pool.tsv --labeled general.tsv --budget "$budget" --seed 1 $(strategy "$run")
        made "$folder/answers/$run.tsv" oracle pool.tsv --links pool.links --selection "$folder/selections/$run.tsv"
    done
    [ -s "$folder/outputs/base.0.txt" ] || translate "$all/base" "$folder/outputs/base.0.txt"
    for seed in $seeds; do
        for run; do learn "$folder" "${run%.*}" "${run#*.}" "$seed"; done
    done
    table papers_phrases.py "$folder" "$baseline"
}

corpora "$data" "$pair" "$general" "$domain" "$rows"
base_model "$all"
case $what in
rounds) buy_rounds random "${ROUNDS:-3}" random nsp idds huds ;;
# What lambda = 0 picks is what nsp picks, and 0.5 is the default.
lambda) buy_rounds huds 2 nsp huds,lambda={0.1,0.3} huds huds,lambda={0.7,0.9,1} ;;
phrases)
    [ -z "$reverse" ] || round_trips
    compare_phrases "random.$kind" {random,mrs,random-phrase,ngf,ngf-smp,hybrid}."$kind" ${reverse:+"rttl.$kind"}
    ;;
mix) compare_phrases hybrid.retrieved {ngf-smp,mrs,hybrid}.none hybrid.{random,retrieved,switched,contextualized,retrieved+{switched,contextualized}} ;;
esac
