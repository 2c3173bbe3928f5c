#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a libFuzzer program: a corpus folder, then $ALCORE_FUZZ_SECONDS (default 1) of inputs that
# reach new code. What breaks the program is left here as TARGET-crash-HASH, TARGET-leak-... Usage:
# libfuzzer.sh TARGET PROGRAM CORPUS
set -eu
found=$(mktemp -d) # libFuzzer writes into the first folder: not into the sources
trap 'rm -rf "$found"' EXIT
"$2" -seed="${ALCORE_FUZZ_SEED:-1}" -max_total_time="${ALCORE_FUZZ_SECONDS:-1}" -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$PWD/$1-" "$found" "$3"
