#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the torch engine for one release of torch, as the wheel has it:
#   torch_engine.sh SOURCES WORK RELEASE OUT      writes OUT/libalcore-torch-RELEASE.so
# SOURCES: an unpacked tarball. WORK: a folder for the environment of that torch and for the build;
# PREFIX: the static libraries of wheel_prefix.sh. Nothing of where it was built stays in the file:
# paths are cut from what the compiler notes, and the folder of libtorch, which the loader finds by
# what is in the process already, is not noted.
set -euo pipefail
sources=$1 work=$2 release=$3 out=$4
"$(dirname "$0")/torch_environment.sh" "$work/torch-venv" "$release"
build=$work/build
rm -rf "$build"
export PKG_CONFIG_LIBDIR=$PREFIX/lib/pkgconfig
site=$(echo "$work"/torch-venv/lib/python3*/site-packages)
flags="-ffile-prefix-map=$sources=. -ffile-prefix-map=$build=build -ffile-prefix-map=$(realpath "$site")=site-packages"
# The folder above the build's has the environment, where find_torch.py looks.
CFLAGS=$flags CXXFLAGS=$flags meson setup "$build" "$sources" --buildtype=release -Dtorch=enabled -Dcuda=disabled -Dcli=false \
    -Dtests=disabled -Dlua=disabled -Dpython=false
target=$(ninja -C "$build" -t targets all | grep -o "^[^ ]*/libalcore-torch-$release.so:" | tr -d :)
ninja -j"${JOBS:-2}" -C "$build" "$target"
# meson links with the folder of libtorch as a path for the loader: once more, without it, and
# without what debuggers read, from whose paths the linker would make the identity of the file.
link=$(ninja -C "$build" -t commands "$target" | tail -n 1 | sed 's/ -Wl,-rpath,[^ ]*//g')
(cd "$build" && sh -c "$link -Wl,--strip-debug")
mkdir -p "$out"
strip -o "$out/libalcore-torch-$release.so" --strip-unneeded "$build/$target"
