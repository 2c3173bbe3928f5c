# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that a user runs on a bare machine.
#   need WHAT=PACKAGE...
# installs the Debian packages whose WHAT is not there: a command, a pkg-config module (NAME.pc), a
# module of Python (NAME.py) or a file (/PATH). Without root, or without apt, it names them and
# returns 1.

need_has() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *.pc) pkg-config --exists "${1%.pc}" 2>/dev/null ;;
    *.py) python3 -c "import ${1%.py}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

need() {
    need_missing=
    for need_item; do
        need_has "${need_item%%=*}" || need_missing="$need_missing ${need_item#*=}"
    done
    [ -n "$need_missing" ] || return 0
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "missing packages:$need_missing" >&2
        echo "as root on Debian: apt-get install --no-install-recommends$need_missing" >&2
        return 1
    fi
    echo "installing:$need_missing"
    # Lists of a fresh machine are empty, those of an old one name files that are gone: update, but
    # only here. shellcheck disable=SC2086
    { DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $need_missing; } \
        >/tmp/alcore-need.$$ 2>&1 </dev/null || {
        cat /tmp/alcore-need.$$ >&2
        rm -f /tmp/alcore-need.$$
        return 1
    }
    rm -f /tmp/alcore-need.$$
}

# What the library and the command need to be built.
need_build="gcc=gcc /usr/include/stdio.h=libc6-dev pkg-config=pkg-config meson=meson ninja=ninja-build
    python3=python3 jansson.pc=libjansson-dev libutf8proc.pc=libutf8proc-dev libxxhash.pc=libxxhash-dev
    zlib.pc=zlib1g-dev liblzma.pc=liblzma-dev libzstd.pc=libzstd-dev
    expat.pc=libexpat1-dev xlsxwriter.pc=libxlsxwriter-dev sqlite3.pc=libsqlite3-dev"
# What the tests of the core need beside it.
need_core="check.pc=check /usr/lib/python3/dist-packages/numpy=python3-numpy xz=xz-utils zstd=zstd"
# What the other tests need beside that.
need_tests="g++=g++ cmake=cmake abidw=abigail-tools doxygen=doxygen
    /usr/include/dlpack/dlpack.h=libdlpack-dev ensurepip.py=python3-venv
    lua5.1=lua5.1 lua5.2=lua5.2 lua5.3=lua5.3 lua5.4=lua5.4 luajit=luajit lua5.1.pc=liblua5.1-0-dev
    lua5.2.pc=liblua5.2-dev lua5.3.pc=liblua5.3-dev lua5.4.pc=liblua5.4-dev luajit.pc=libluajit-5.1-dev
    luarocks=luarocks ldoc=lua-ldoc git=git spm_train=sentencepiece mandoc=mandoc"
# What tests/run.sh --full needs beside that.
need_full="msgfmt=gettext /usr/share/omegat/OmegaT.jar=omegat soffice=libreoffice-calc-nogui
    debootstrap=debootstrap valgrind=valgrind /usr/lib/python3/dist-packages/torch=python3-torch
    /usr/include/torch/csrc/api/include/torch/serialize.h=libtorch-dev dpkg-source=dpkg-dev tclsh=tcl
    rustc=rustc bindgen=bindgen go=golang-go javac=default-jdk-headless /usr/share/java/jna.jar=libjna-java
    mpirun=openmpi-bin /usr/lib/python3/dist-packages/mpi4py=python3-mpi4py
    slurmctld=slurmctld slurmd=slurmd sbatch=slurm-client munged=munge
    chromium=chromium clang=clang /usr/share/doc/libclang-rt-dev=libclang-rt-dev aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu
    /usr/aarch64-linux-gnu/include/stdio.h=libc6-dev-arm64-cross qemu-aarch64=qemu-user"
