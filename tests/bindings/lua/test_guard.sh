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
            printf '%s\n' "$said" | head -3 | sed 's/^/# /'
            echo "not ok $count - the module of $built in $lua"
            ;;
        esac
    done
done
# A library of another ABI: one that says so is put before it.
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
other=$folder/other.so
if echo 'int alcore_abi(void) { return 99; }' | "${CC:-cc}" -shared -fPIC -x c - -o "$other" 2>/dev/null; then
    for lua; do
        count=$((count + 1))
        said=$(LUA_CPATH="$modules/?-$lua.so" LD_PRELOAD="$ALCORE_PRELOAD $other" "$lua" -e '
            print(select(2, pcall(require, "alcore")))' 2>&1)
        case $said in
        *'was built for ABI '*' of libalcore and found ABI 99'*) echo "ok $count - $lua refuses a library of another ABI" ;;
        *)
            printf '%s\n' "$said" | head -3 | sed 's/^/# /'
            echo "not ok $count - $lua refuses a library of another ABI"
            ;;
        esac
    done
fi
echo "1..$count"
