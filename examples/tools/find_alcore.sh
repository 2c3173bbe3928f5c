# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
# Sourced by the scripts of examples/ before they change the folder.
#   find_alcore EXAMPLES
# sets alcore to the absolute path of the command: the one that $ALCORE names by a path or a name, else the one on $PATH, else the one
# that examples/quickstart.sh has built. EXAMPLES is the folder of the scripts. Without a command the script ends with 127.
find_alcore() {
    alcore=$(command -v "${ALCORE:-alcore}") || alcore=
    [ -n "$alcore" ] || [ -n "${ALCORE:-}" ] || alcore=$(command -v "$1/../build/quick/bindings/cli/alcore") || alcore=
    case $alcore in
    /*) ;;
    */*) alcore=$(cd "$(dirname "$alcore")" && pwd)/$(basename "$alcore") ;;
    *)
        if [ -n "${ALCORE:-}" ]; then
            echo "$0: ALCORE=$ALCORE names no command" >&2
        else
            echo "$0: there is no command alcore; examples/quickstart.sh builds it, or set ALCORE to its path" >&2
        fi
        exit 127
        ;;
    esac
}
