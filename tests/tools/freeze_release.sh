#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Keeps what a release promises, for tests/abi/frozen.py: the headers of the core and the C
# examples, as tests/abi/frozen/VERSION.tar.xz. Called once when a minor release is tagged, and for
# a release candidate, whose file goes with it.
#   tests/tools/freeze_release.sh BUILD-FOLDER
set -eu
[ $# -eq 1 ] || { sed -n '3,6s/^# *//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
version=$(sed -n "s/^ *version: '\([^']*\)'.*/\1/p" meson.build | head -n 1)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/include/alcore" "$folder/examples" tests/abi/frozen
cp include/alcore/*.h "$build/include/alcore/version.h" "$folder/include/alcore"
rm "$folder/include/alcore/extra.h" # extra may change
# The examples of the core alone.
for example in examples/c/*.c; do
    grep -q 'alcore/extra' "$example" || cp "$example" "$folder/examples"
done
tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cJf "tests/abi/frozen/$version.tar.xz" examples include
echo "tests/abi/frozen/$version.tar.xz: $(wc -c <"tests/abi/frozen/$version.tar.xz") bytes"
