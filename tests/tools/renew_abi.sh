#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews the baseline of the ABI gate, together with a line in CHANGELOG.md that says what changed
# and why.
#   tests/tools/renew_abi.sh LIBRARY 'alcore_x_y() takes ...'
# Until 1.0 this is how an intended change is recorded; from 1.0 on the baseline is frozen within an
# ABI number.
set -eu
cd "$(dirname "$0")/../.."
[ $# -eq 2 ] || { sed -n '3,5s/^# *//p' "$0" >&2; exit 2; }
version=$(sed -n "s/^ *version: '\([0-9.]*\)'.*/\1/p" meson.build | head -n 1)
abi=$(sed -n 's/^alcore_abi = //p' meson.build)
baseline=tests/abi/baseline-$abi.xml
if [ "${version%%.*}" -ge 1 ] && [ -e "$baseline" ]; then
    echo "the ABI $abi is frozen since 1.0: a change that abidiff refuses needs a new ABI number" >&2
    exit 1
fi
tests/tools/abi_dump.sh "$1" "$baseline"
digest=$(sha256sum "$baseline" | cut -c1-12)
if ! grep -q "ABI baseline $digest" CHANGELOG.md; then
    # Under the newest release's heading.
    awk -v line="- ABI baseline $digest: $2" '
        { print }
        /^## / && !done { print ""; print line; done = 1; if ((getline) > 0 && $0 != "") print }' CHANGELOG.md >CHANGELOG.new
    mv CHANGELOG.new CHANGELOG.md
fi
echo "$baseline: $(wc -c <"$baseline") bytes, $digest"
