#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a bare Debian to a ranked selection: installs what is missing (as root), builds, and chooses for a translator.
#
#   examples/quickstart.sh [FOLDER]
#
# You have translated everyday sentences and now need a model for data-protection law, of which 1,067 sentences lie
# untranslated. You can pay for 3,000 words. Which sentences? The answer is written to FOLDER (default build/quick/out)
# as selection.tsv, selection.jsonl and scatter.svg.
set -eu
cd "$(dirname "$0")/.."
. tests/tools/need.sh
# shellcheck disable=SC2086
need $need_build

out=${1:-build/quick/out}
data=examples/data
budget=3000w
if [ ! -f build/quick/build.ninja ]; then
    rm -rf build/quick
    mkdir -p build
    echo "building"
    meson setup build/quick -Dtests=disabled >build/quick.txt 2>&1 || { cat build/quick.txt >&2; exit 1; }
fi
ninja -C build/quick >build/quick.txt 2>&1 || { cat build/quick.txt >&2; exit 1; }
alcore=build/quick/bindings/cli/alcore
mkdir -p "$out"

choose() { # NAME OPTION...: the same selection with other options, written to NAME.tsv
    name=$1
    shift
    "$alcore" select "$data/pool.txt" --labeled "$data/labeled.tsv" --budget "$budget" --quiet "$@" \
        --out "$out/$name.tsv"
}

began=$(date +%s%N)
echo
echo "\$ alcore select pool.txt --labeled labeled.tsv --budget $budget --out selection.tsv"
"$alcore" select "$data/pool.txt" --labeled "$data/labeled.tsv" --budget "$budget" --out "$out/selection.tsv"
echo "$((($(date +%s%N) - began) / 1000000)) ms"
for seed in 1 2 3; do choose "random-$seed" --strategy random --seed "$seed"; done
# The most uncertain sentences, for comparison: those that a language model of the translated ones expects least.
choose uncertain --strategy nnll
# Uncertainty and diversity of the whole pool, for the picture.
"$alcore" select "$data/pool.txt" --labeled "$data/labeled.tsv" --budget 1000000w --strategy huds --quiet --out "$out/pool.tsv"
"$alcore" select "$data/pool.txt" --labeled "$data/labeled.tsv" --budget "$budget" --quiet \
    --out "$out/selection.jsonl"

python3 examples/tools/look.py picks "$out/selection.tsv" 8
# What the picks are worth: 245 other sentences of the same law, of which they cover more than as many words drawn at random do.
python3 examples/tools/look.py covered "$data/heldout.tsv" picked="$out/selection.tsv" random="$out/random-1.tsv" \
    random="$out/random-2.tsv" random="$out/random-3.tsv" uncertain="$out/uncertain.tsv"
python3 examples/tools/look.py scatter "$out/pool.tsv" "$out/selection.tsv" "$out/scatter.svg"
echo
echo "for the translator:  $out/selection.tsv, $out/selection.jsonl"
echo "to look at:          $out/scatter.svg"
