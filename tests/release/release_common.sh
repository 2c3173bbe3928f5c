# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/release.sh and its parts: where things are, what they are called, and the bare
# systems.
# shellcheck shell=bash

release_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
release_work=$release_root/build/release # the sources, builds and bare systems
release_out=$release_work/out            # what is released
# shellcheck disable=SC2034
release_logs=$release_work/logs

# The version of meson.build, and as Python (PEP 440) and Debian write one before a release:
# 1.0.0-rc1, 1.0.0rc1, 1.0.0~rc1.
release_version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$release_root/meson.build")
release_version_python=${release_version/-/}
release_version_debian=${release_version/-/\~}
release_name=alcore-$release_version
release_tarball=$release_out/$release_name.tar.gz

# Every file of a release has the time of the commit, so that it has the same bytes each time.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$release_root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# release_unpack FOLDER: the sources of the tarball in FOLDER, which are all that packages are built
# from.
release_unpack() {
    rm -rf "$1"
    mkdir -p "$1"
    tar xzf "$release_tarball" -C "$1" --strip-components=1
}

# release_logged NAME COMMAND...: runs a command whose output goes to a log; its end is shown where
# the command fails.
release_logged() {
    local log=$release_logs/$1.txt
    shift
    mkdir -p "$release_logs"
    "$@" >"$log" 2>&1 </dev/null || {
        tail -n 40 "$log" >&2
        return 1
    }
}

# ---- bare systems ----

# A bare system is what debootstrap makes: Debian's essential packages and
# apt. Each try gets one of its own, as a layer above that one; what it changes stays in its layer
# for the next command.

bare_folder=${BARE_FOLDER:-$release_work/bare}

bare_base=$bare_folder/base

# bare_make: makes the system below the layers, once.
bare_make() {
    release_logged debootstrap "$(dirname "${BASH_SOURCE[0]}")/../tools/bare_base.sh" "$bare_base"
}

# bare_new NAME: an empty layer.
bare_new() {
    rm -rf "${bare_folder:?}/$1"
    mkdir -p "$bare_folder/$1/upper/root" "$bare_folder/$1/work" "$bare_folder/$1/seen"
}

# bare_put NAME FOLDER FILE...: copies files into the layer.
bare_put() {
    local name=$1 folder=$2
    shift 2
    mkdir -p "$bare_folder/$name/upper$folder"
    cp -a "$@" "$bare_folder/$name/upper$folder"
}

# bare_run NAME COMMAND...: runs a command as root of the system NAME, with nothing of this machine
# but its network: the resolver's file, and what pip is told here (its index and certificates).
bare_run() {
    local place=$bare_folder/$1 name
    shift
    local settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
    for name in PIP_INDEX_URL PIP_DEFAULT_TIMEOUT http_proxy https_proxy no_proxy; do
        [ -z "${!name:-}" ] || settings+=("$name=${!name}")
    done
    if [ -n "${PIP_CERT:-}" ]; then
        mkdir -p "$place/upper/etc/ssl/certs"
        cp "$PIP_CERT" "$place/upper/etc/ssl/certs/given.crt"
        settings+=(PIP_CERT=/etc/ssl/certs/given.crt)
    fi
    mkdir -p "$place/upper/etc"
    cp /etc/resolv.conf "$place/upper/etc/resolv.conf"
    # The mounts are in a namespace of their own and go with it. "made" and the layers below belong
    # to all.
    unshare --mount --fork bash -c '
        place=$1 base=$2
        shift 2
        mount -t overlay overlay -o "lowerdir=$base,upperdir=$place/upper,workdir=$place/work" "$place/seen" &&
            mount -t proc proc "$place/seen/proc" && mount --rbind /dev "$place/seen/dev" &&
            exec chroot "$place/seen" env -i "$@"' bash "$place" "$bare_base" "${settings[@]}" "$@"
}

# bare_end NAME: removes the layer.
bare_end() {
    rm -rf "${bare_folder:?}/$1"
}
