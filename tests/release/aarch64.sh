#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the core for aarch64 and tries it there, under qemu: aarch64.sh SOURCES FOLDER
# The tries run in a system of Debian for arm64 of which nothing but CPython is used; each program
# is started by qemu's name, as this machine's kernel need not know how to start programs of
# another.
set -euo pipefail
# shellcheck source=tests/release/release_common.sh
. "$(dirname "$0")/release_common.sh"
sources=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$sources"
WORK=$release_work/wheel-aarch64 PREFIX=$release_work/prefix-aarch64 TRIPLET=aarch64-linux-gnu bindings/python/wheel.sh "$out"
wheel=$(ls "$out"/alcore-*aarch64.whl)

base=$bare_folder/base-arm64
if [ ! -e "$base/made" ]; then
    release_logged debootstrap-arm64 debootstrap --foreign --variant=minbase --arch=arm64 --include=python3 bookworm "$base"
    for package in "$base"/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" "$base"; done
    touch "$base/made"
fi
here=$release_work/try-aarch64
rm -rf "$here"
mkdir -p "$here"
# install FILE FOLDER: what pip makes of a wheel on a machine that it is for.
install() {
    local platform=${1##*-none-}
    "${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --only-binary=:all: \
        --platform "${platform%.whl}" --python-version 3.11 --target "$2" "$1"
}
install "$wheel" "$here/wheel"
sed -n '/^```python/,/^```$/p' README.md | sed '1d; /^```/,$d' >"$here/snippet.py"
cat >"$here/try.py" <<'END'
import os
import platform
import alcore
os.chdir("/try")
print(platform.machine(), alcore.version(), alcore.load())
assert platform.machine() == "aarch64"
exec(open("/try/snippet.py").read())
golden = alcore.select(open("examples/data/pool.txt").read().splitlines(), "300w", "huds", seed=1).indices
print("picks", *golden)
END
mkdir -p "$here/examples/data"
cp examples/data/pool.txt "$here/examples/data"
rm -rf "$base/try"
cp -R "$here" "$base/try"
cp "$(command -v qemu-aarch64-static)" "$base/try/qemu"
chroot "$base" /try/qemu -E PYTHONPATH=/try/wheel /usr/bin/python3 -W ignore /try/try.py | tee "$here/said"
# The same picks as on this machine: the contract of the library.
native=$(find "$release_out" -name 'alcore-*x86_64.whl' | head -n 1)
if [ -n "$native" ]; then
    install "$native" "$here/native"
    PYTHONPATH=$here/native python3 -W ignore -c "
import alcore
print('picks', *alcore.select(open('$here/examples/data/pool.txt').read().splitlines(), '300w', 'huds', seed=1).indices)" >"$here/native.txt"
    grep '^picks' "$here/said" | diff - "$here/native.txt"
    echo "the picks are those of x86-64"
fi
