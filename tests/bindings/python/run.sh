#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh FILE...: runs test files with the interpreter of build/venv.
# run.sh --bench FILE [ARGUMENT...]: runs another program with it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${ALCORE_VENV:-$here/../../../build/venv}
exec 9>"${TMPDIR:-/tmp}/alcore-venv.lock"
flock 9
"$here/venv.sh" ${ALCORE_TEST_FULL:+full} >&2
exec 9>&-
if [ "$1" = --bench ]; then
    shift
    exec "$folder/bin/python" "$@"
fi
exec "$folder/bin/python" "$here/run_pytest.py" "$@"
