#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# LuaRocks builds the module from a clean copy of the sources, once where it stands and once from a
# repository; then the Lua loads it from LuaRocks' tree. usage: test_rocks.sh ROOT BUILD NAME...
root=$1 build=$2
shift 2
if ! command -v luarocks >/dev/null 2>&1; then
    echo '1..0 # SKIP no luarocks'
    exit 0
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
export HOME="$folder"
count=0
check() {
    count=$((count + 1))
    if eval "$2"; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        tail -n 20 "$folder/said" | sed 's/^/# /'
    fi
}
sources=$folder/alcore rockspec=bindings/lua/alcore-dev-1.rockspec
mkdir "$sources"
{
    # What a clone has, and what is to be committed; an unpacked release is clean.
    if git -C "$root" rev-parse >/dev/null 2>&1; then
        cd "$root" && git ls-files -z --cached --others --exclude-standard bindings/lua lib/base | xargs -0 cp --parents -t "$sources"
    else
        cp -R "$root/bindings" "$root/lib" "$sources"
    fi
    # What a tarball holds beside them.
    (cd "$sources/bindings/lua" && python3 "$root/bindings/gen/generate.py" lua_calls.c lua_calls.h lua_tables.c lua_tables.h)
    meson install -C "$build" --no-rebuild --quiet --destdir "$folder/stage"
} >"$folder/said" 2>&1
library=$(dirname "$(find "$folder/stage" -name libalcore.so)")
header=$(find "$folder/stage" -path '*/include/alcore/alcore.h')
prefix=${header%/include/alcore/alcore.h}
check 'the library is installed' '[ -f "$header" ] && [ -f "$library/libalcore.so" ]'
check 'the rockspec is a good one' 'luarocks lint "$sources/$rockspec" >"$folder/said" 2>&1'

# loads VERSION NAME: what the Lua NAME finds in the tree of VERSION.
loads() {
    tree=$folder/tree$1
    LUA_PATH=';' LUA_CPATH="$tree/lib/lua/$1/?.so" "$2" -e '
        local alcore = require("alcore")
        assert(package.searchpath == nil or package.searchpath("alcore", package.cpath):find("tree", 1, true))
        local texts = {"a b", "c", "d e f"}
        print(texts[alcore.select{texts = texts, budget = 1, strategy = "random", seed = 1}.indices[1]], alcore.version)
    ' >"$folder/said" 2>&1 && grep -Eq '^[a-f ]+[[:space:]][0-9]+\.[0-9]+\.[0-9]+(-rc[0-9]+)?$' "$folder/said"
}
rocks() {
    (cd "$sources" && luarocks --lua-version="$1" --tree="$folder/tree$1" "$2" "$3" "ALCORE_DIR=$prefix" \
        "ALCORE_LIBDIR=$library") >"$folder/said" 2>&1
}
way=make
for name; do
    case $name in
    luajit) continue ;;
    *) version=${name#lua} ;;
    esac
    spec=$rockspec
    if [ $way = build ]; then
        spec=$folder/alcore-dev-1.rockspec
        sed "s|url = \"[^\"]*\"|url = \"git+file://$sources\"|" "$sources/$rockspec" >"$spec"
        (cd "$sources" && git init --quiet && git add . &&
            git -c user.name=x -c user.email=x@localhost commit --quiet -m x) >"$folder/said" 2>&1
    fi
    check "luarocks $way for $name" 'rocks "$version" $way "$spec"'
    check "$name loads it from there" 'loads "$version" "$name"'
    way=build
done
if [ -d "$folder/tree5.1" ] && command -v luajit >/dev/null 2>&1; then
    check 'luajit loads that of 5.1' 'loads 5.1 luajit'
fi
# nm: the names of the module's own functions stay inside.
module=$(find "$folder"/tree* -name alcore.so | head -n 1)
check 'of the module only its entry is to be seen' \
    '[ "$(nm -D --defined-only "$module" | sed "s/.* //" | tee "$folder/said")" = luaopen_alcore ]'
echo "1..$count"
