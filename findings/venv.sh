# SPDX-License-Identifier: Apache-2.0
# Sourced by the findings: venv PACKAGE... makes a virtual environment with these packages in a temporary folder, which is
# removed at the end; $python is its interpreter.
set -eu

venv() {
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    python3 -m venv "$folder/venv"
    python=$folder/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
}
