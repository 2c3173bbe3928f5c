#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs test files in an environment with packages at pinned versions, build/venv-NAME, which it
#   makes. pinned.sh NAME "PACKAGE==VERSION..." TEST_FILE...
# A second run with the same list of packages does nothing but the tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1 packages="pytest $2"
shift 2
folder=$here/../../../build/venv-$name
if [ "$(cat "$folder/.packages" 2>/dev/null)" != "$packages" ]; then
    [ -x "$folder/bin/python" ] || "${PYTHON:-/usr/bin/python3}" -m venv "$folder"
    # shellcheck disable=SC2086
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $packages >&2
    echo "$packages" >"$folder/.packages"
fi
ALCORE_CLUSTER=$name exec "$folder/bin/python" "$here/run_pytest.py" "$@"
