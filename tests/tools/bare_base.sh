#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes FOLDER what debootstrap calls minbase, Debian 12 with its essential packages and apt, from
# the mirror that debootstrap uses by itself. A folder that is complete stays as it is. For tests of
# what a bare machine can do: tests/bare and tests/release.
#   tests/tools/bare_base.sh FOLDER
set -eu
[ $# -eq 1 ] || { sed -n '3,6s/^# *//p' "$0" >&2; exit 2; }
[ ! -e "$1/made" ] || exit 0
rm -rf "$1"
mkdir -p "$1"
debootstrap --variant=minbase bookworm "$1"
touch "$1/made"
