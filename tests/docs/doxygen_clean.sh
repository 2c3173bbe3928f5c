#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The API reference builds without a warning: doxygen_clean.sh ROOT GENERATED_HEADERS.
root=$1 generated=$2
if ! command -v doxygen >/dev/null; then
    printf '1..1\nok 1 api-reference # SKIP no doxygen\n'
    exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$root" || exit 1
ALCORE_DOXYGEN_OUTPUT=$out ALCORE_DOXYGEN_GENERATED=$generated doxygen docs/Doxyfile >"$out/log" 2>&1
echo 1..1
if [ -s "$out/log" ] || [ ! -s "$out/html/index.html" ]; then
    echo 'not ok 1 api-reference'
    sed 's/^/# /' "$out/log"
    exit 1
fi
echo 'ok 1 api-reference'
