#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each module in every other Lua: it refuses in words, and works where the version is its own.
# usage: test_guard.sh MODULES NAME...
modules=$1
shift
count=0
version() {
    case $1 in luajit) echo 5.1 ;; *) echo "${1#lua}" ;; esac
}
for lua; do
    for built; do
        count=$((count + 1))
        said=$(LUA_CPATH="$modules/?-$built.so" LD_PRELOAD="$ALCORE_PRELOAD" "$lua" -e '
            local ok, said = pcall(require, "alcore")
            print(ok and said.version or said)' 2>&1)
        if [ "$(version "$lua")" = "$(version "$built")" ]; then
            expected='[0-9]*.[0-9]*.[0-9]*'
        else
            expected="this alcore module was built for Lua $(version "$built") and this is Lua $(version "$lua")*"
        fi
        # shellcheck disable=SC2254
        case $said in
        $expected) echo "ok $count - the module of $built in $lua" ;;
        *)
            echo "# $said" | head -3
            echo "not ok $count - the module of $built in $lua"
            ;;
        esac
    done
done
echo "1..$count"
