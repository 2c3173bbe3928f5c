#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a user does with the sources: python -m build makes an sdist and, from it alone, a wheel; pip
# install . installs. Each begins in an empty environment and gets its tools from PyPI. In TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ALCORE_LIBRARY PYTHONPATH
number=0 failed=0
say() { # STATUS NAME
    number=$((number + 1))
    [ "$1" = 0 ] || { failed=1; printf 'not '; }
    echo "ok $number - $2"
}

# env NAME PACKAGE...: a new environment with packages.
environment() {
    "${PYTHON:-/usr/bin/python3}" -m venv "$work/$1" && "$work/$1/bin/python" -m pip install --quiet \
        --disable-pip-version-check "${@:2}" >&2
}

# A selection with the library of the environment and of nothing else.
works() {
    (cd / && "$work/$1/bin/python" -W error::UserWarning -c '
import sys, alcore, importlib.metadata
assert alcore.load().startswith(sys.prefix), alcore.load()
assert alcore.version().replace("-rc", "rc") == importlib.metadata.version("alcore")
assert alcore.select(["a b c", "d e", "f g h i"], "3w").indices' >&2)
}

state() { # what git sees in the tree, but for what other tests make meanwhile
    (cd "$root" && git status --porcelain --ignored | grep -v ' build/$\|__pycache__')
}

before=$(state)
environment tools build
say $? empty_environment
(cd "$root" && "$work/tools/bin/python" -m build --outdir "$work/dist" . >"$work/log" 2>&1) || tail -n 40 "$work/log" >&2
sdist=$(ls "$work"/dist/alcore-*.tar.gz)
[ -n "$sdist" ]
say $? sdist_is_built
wheel=$(ls "$work"/dist/alcore-*-py3-none-linux_*.whl)
[ -n "$wheel" ]
say $? wheel_is_built_from_the_sdist
stray=$(tar tzf "$sdist" | sed 's,^[^/]*/,,' | grep -v '/$\|^$' | sort | comm -23 - <(cd "$root" && git ls-files | sort))
[ "$(echo $stray)" = "PKG-INFO bindings/lua/lua_calls.c bindings/lua/lua_calls.h bindings/lua/lua_tables.c bindings/lua/lua_tables.h bindings/python/alcore/_ffi.py bindings/python/alcore/_results.py bindings/python/alcore/_statuses.py" ]
say $? "sdist_holds_the_sources_and_what_is_made_for_LuaRocks ($(echo $stray))"
environment from_wheel "$wheel" && works from_wheel
say $? wheel_works
environment from_tree "$root" && works from_tree
say $? pip_install_of_the_tree_works
after=$(state)
changes=$(diff <(echo "$before") <(echo "$after"))
say $? "the_tree_stays_clean ($(echo $changes))"
echo "1..$number"
exit $failed
