#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a Lua script with the module of its Lua: run_lua.sh NAME MODULES SCRIPT [ARGUMENT...]
# "@" among the arguments is a new folder for files. ALCORE_PRELOAD is loaded first: a sanitizer's
# library.
name=$1 modules=$2
shift 2
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
# A locale with a decimal comma for test_alcore.lua, which machines for builds have none of.
mkdir "$folder/locales"
case $1 in
*/test_alcore.lua) localedef -i de_DE -f UTF-8 "$folder/locales/de_DE.UTF-8" 2>/dev/null &&
    export LOCPATH="$folder/locales" ;;
esac
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    [ "$argument" = @ ] && argument=$folder
    set -- "$@" "$argument"
    count=$((count - 1))
done
LUA_CPATH="$modules/?-$name.so" LD_PRELOAD="$ALCORE_PRELOAD" "$name" "$@"
