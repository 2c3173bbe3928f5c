#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All benchmarks: builds them with full optimization, runs them one after the other and prints what
# they say.
#   tests/bench/run.sh [GROUP]... [--json FILE]     groups: tests/bench/run.sh --list
set -eu
cd "$(dirname "$0")/../.."
. tests/tools/need.sh
# shellcheck disable=SC2086
need $need_build check.pc=check
if [ ! -f build/bench/build.ninja ]; then
    rm -rf build/bench
    meson setup build/bench --buildtype=release -Dtests=enabled >/dev/null
fi
ninja -C build/bench >/dev/null
exec python3 tests/bench/bench_all.py build/bench "$@"
