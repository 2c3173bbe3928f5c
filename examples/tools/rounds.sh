# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What the scripts of rounds share; to be read with `.`. Every step of a round writes one file, which appears whole or not at all, and
# is left out where the file is there: a script that was killed is started again and goes on where it was. A step depends only on
# files of earlier steps and on the settings, so that the files are the same bytes as without the interruption.

# begin FOLDER NAME=VALUE...: makes the folder, removes what a killed run left half written, and refuses a folder that was begun with
# other settings. How many rounds there are is no setting: it may grow.
begin() {
    folder=$1
    shift
    mkdir -p "$folder"
    find "$folder" \( -name '*.alcore-*-*' -o -name '*.half' \) -type f -exec rm -f {} +
    printf '%s\n' "$@" >"$folder/settings.half"
    if [ ! -e "$folder/settings" ]; then
        mv "$folder/settings.half" "$folder/settings"
    elif ! cmp -s "$folder/settings" "$folder/settings.half"; then
        echo "$folder was begun with other settings:" >&2
        diff "$folder/settings" "$folder/settings.half" >&2 || true
        rm -f "$folder/settings.half"
        exit 2
    else
        rm -f "$folder/settings.half"
    fi
}

# step FILE COMMAND...: shows and runs `alcore COMMAND... --out FILE`, unless the file is there.
step() {
    made=$1
    shift
    [ -e "$made" ] && return
    echo
    echo "\$ alcore $* --out $made"
    "$alcore" "$@" --out "$made"
}

# write FILE COMMAND...: the output of any command as a file, unless it is there.
write() {
    made=$1
    shift
    [ -e "$made" ] && return
    "$@" >"$made.half"
    mv "$made.half" "$made"
}

# round_folder NUMBER
round_folder() { printf 'round-%02d' "$1"; }

# each OPTION FILE LAST: "OPTION round-01/FILE OPTION round-02/FILE ..." up to round LAST. No folder name has a space.
each() {
    number=1
    while [ "$number" -le "$3" ]; do
        printf '%s %s/%s ' "$1" "$(round_folder "$number")" "$2"
        number=$((number + 1))
    done
}

# items FILE: rows of a table without its header.
items() { awk 'END { print (NR > 0 ? NR - 1 : 0) }' "$1"; }

# value NAME COMMAND...: the value of that name in what `alcore COMMAND...` prints.
value() {
    named=$1
    shift
    printed=$("$alcore" "$@")
    printf '%s\n' "$printed" | awk -F '\t' -v name="$named" '$1 == name { print $2 }'
}
