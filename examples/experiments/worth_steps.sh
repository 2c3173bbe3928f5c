# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Sourced by the experiments that train translators. They set `alcore`, the command, and `here`, this folder, and work in the folder of a
# domain. What is there already is not made again. Models are trained on $DEVICE (default cpu), and translate on the CPU, where the arithmetic is
# that of the training.

# corpora DATA PAIR GENERAL DOMAIN ROWS: writes the tables of worth_data.py.
corpora() { [ -s test.target ] || python3 "$here/worth_data.py" "$@" .; }

# base_model FOLDER [UPDATES]: trains FOLDER/base on the general pairs.
base_model() {
    [ ! -s "$1/base/model.safetensors" ] || return 0
    [ -s vocabulary.model ] || "$alcore" model vocabulary vocabulary.txt --size 6000 --out vocabulary.model --seed 1
    sed "s|UPDATES|${2:-6000}|" "$here/worth_base.json" >base.json
    "$alcore" model train base.json --threads 1 --device "${DEVICE:-cpu}"
    rm -rf "$1/base"
    mv base "$1/base"
}

# pairs FILE: a table with the columns source and target, as a training reads it.
pairs() { printf '{"texts": "%s", "reference_column": "target"}' "$1"; }

# translate MODEL OUT: its greedy translations of the test set.
translate() {
    "$alcore" model translate "$1" test.source --beam 1 --max-length 80 --threads 1 --device cpu --quiet --out "$2.part"
    mv "$2.part" "$2"
}

# fine_tune BASE RUN SEED UPDATES SET...: RUN.model learns from SETs, files as a training reads them; RUN.txt is what it makes of the test set.
fine_tune() {
    local base=$1 run=$2 seed=$3 updates=$4 sets
    shift 4
    sets=$(printf ', %s' "$@")
    sed "s|SETS|${sets#, }|; s|BASE|$base|; s|OUT|$run.model|; s|SEED|$seed|; s|WARMUP|$((updates / 10))|; s|UPDATES|$updates|" \
        "$here/worth_tune.json" >"$run.json"
    "$alcore" model train "$run.json" --threads 1 --device "${DEVICE:-cpu}"
    translate "$run.model" "$run.txt"
}
