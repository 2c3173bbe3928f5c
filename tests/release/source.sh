#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources of a release: source.sh FOLDER writes FOLDER/alcore-VERSION.tar.gz and
# FOLDER/alcore-VERSION-1.src.rock. The archive has what is committed and what the generators make,
# so that neither git nor a generator is needed to build from it. The rock of sources has the
# archive, so luarocks needs no place on the network.
set -euo pipefail
# shellcheck source=tests/release/release_common.sh
. "$(dirname "$0")/release_common.sh"
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git -C "$release_root" archive --prefix="$release_name/" HEAD | tar x -C "$work"
cd "$work/$release_name"
rm -rf .ci .gitignore
python3 bindings/gen/generate.py --tree
find . -name __pycache__ -exec rm -rf {} +
cd ..
tar c --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX,a-s --mtime="@$SOURCE_DATE_EPOCH" "$release_name" |
    gzip -9n >"$out/$release_name.tar.gz"

rock=alcore-$release_version_python-1
sed "s|^version = .*|version = \"$release_version_python-1\"|; s|^source = .*|source = {url = \"file://$release_name.tar.gz\", dir = \"$release_name\"}|" \
    "$release_name/bindings/lua/alcore-dev-1.rockspec" | sed '2,3d' >"$rock.rockspec"
cp "$out/$release_name.tar.gz" .
touch --date="@$SOURCE_DATE_EPOCH" "$rock.rockspec" "$release_name.tar.gz"
rm -f "$out/$rock.src.rock"
TZ=UTC python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_STORED) as rock:
    for name in sys.argv[2:]:
        rock.write(name)' "$out/$rock.src.rock" "$rock.rockspec" "$release_name.tar.gz"
