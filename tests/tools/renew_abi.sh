#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews the baseline of the present minor release, together with a line in CHANGELOG.md that says
# what changed and why.
#   tests/tools/renew_abi.sh LIBRARY 'alcore_x_y() is added'
# While the version is a release candidate this is how an intended change is recorded. From 1.0.0 on
# names of the core are only added: nothing of the baselines of earlier releases may change or go
# (tests/abi/abi_gate.py), and the present one may be renewed until its minor release is out.
set -eu
cd "$(dirname "$0")/../.."
[ $# -eq 2 ] || { sed -n '3,5s/^# *//p' "$0" >&2; exit 2; }
version=$(sed -n "s/^ *version: '\([0-9.]*\)[^']*'.*/\1/p" meson.build | head -n 1)
baseline=tests/abi/baseline-${version%.*}.xml
case $version in
*.0) ;; # the minor release is being made
*) echo "$version repairs a release: it adds no names" >&2; exit 1 ;;
esac
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
