#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#   try_source.sh [OPTION...]      OPTION: of meson
# In a bare system: builds, installs and uses the tarball, with neither git nor the generators'
# input; luarocks builds from the rock of sources.
set -u
# shellcheck source=tests/release/release_checks.sh
. /release/checks/release_checks.sh
options=("$@")
needs=$(grep -o 'apt-get install [^)`]*' $src/README.md | head -n 1 | sed 's/^apt-get install //')

build() {
    mkdir /root/sources && tar xzf /release/alcore-*.tar.gz -C /root/sources --strip-components=1 && cd /root/sources &&
        meson setup build --prefix=/usr/local --libdir=lib --buildtype=release -Dcuda=disabled -Dlua=disabled \
            "${options[@]}" &&
        ninja -C build -j2 && meson install -C build && ldconfig
}

rock() {
    luarocks --lua-version=5.4 install "$(echo /release/alcore-*.src.rock)" ALCORE_DIR=/usr/local
}

# shellcheck disable=SC2086
say "the packages that README names are installed: $needs" apt_install $needs libc6-dev
say "git is not there" bash -c '! command -v git'
say "meson builds and installs it" build
say "the command selects" command_selects
say "README's line for C" c_line
say "CMake and more of what it links is installed" apt_install cmake g++ make zlib1g-dev
say "CMake finds it, shared and static" by_cmake
say "luarocks is installed" apt_install luarocks lua5.4 liblua5.4-dev unzip
say "luarocks builds the rock of sources" rock
say "README's snippet for Lua" lua_snippet lua5.4
finish
