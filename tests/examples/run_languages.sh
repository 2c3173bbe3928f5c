#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the programs of examples/rust, go and java against an installed library, runs them and
# compares what they print with what the command selects. A language that is not here is skipped by
# name.  run_languages.sh SOURCE-FOLDER BUILD-FOLDER
set -u
root=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR="$folder/stage" meson install -C "$build" --no-rebuild --quiet >"$folder/install.txt" 2>&1 || {
    echo "1..0 # SKIP meson install failed: $(tail -n 1 "$folder/install.txt")"
    exit 1
}
header=$(find "$folder/stage" -path '*/include/alcore/alcore.h')
prefix=${header%/include/alcore/alcore.h}
libraries=$(dirname "$(find "$folder/stage" -name 'libalcore.so.1' | head -n 1)")
export LD_LIBRARY_PATH="$libraries"
# The file of pkg-config names the final prefix; here the stage stands before it.
export PKG_CONFIG_SYSROOT_DIR="$folder/stage"
PKG_CONFIG_PATH=$(dirname "$(find "$folder/stage" -name alcore.pc)")
export PKG_CONFIG_PATH
pool="$root/examples/data/pool.txt"
number=0

check() { # STATUS WHAT [DETAIL]
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else
        echo "not ok $number - $2"
        printf '%s\n' "${3:-}" | sed 's/^/# /'
    fi
}

# What each program has to print: the picks of the command, rows 1 and 3 by their scores, the error
# of a file that is not there, and the same picks after a cancellation.
"$prefix/bin/alcore" select "$pool" --budget 5 --out "$folder/picks.jsonl" 2>"$folder/command.txt"
rows=$(sed -n 's/.*"index": *\([0-9]*\).*/\1/p' "$folder/picks.jsonl" | tr '\n' ' ' | sed 's/ $//')
expected="file: $rows
arrays: 1 3
error: no/such/file.txt
cancelled: ALCORE_E_CANCELLED
again: $rows"

compare() { # LANGUAGE COMMAND...
    language=$1
    shift
    "$@" "$pool" >"$folder/printed.txt" 2>"$folder/errors.txt"
    status=$?
    # Lists are written alike; of an error the file counts.
    printed=$(sed -e 's/^error: .*\(no\/such\/file.txt\).*/error: \1/' -e '/^error/!s/[][,]//g' "$folder/printed.txt")
    [ $status = 0 ] && [ "$printed" = "$expected" ]
    check $? "$language selects, fails and cancels as the command does" "$printed
$(cat "$folder/errors.txt")
expected:
$expected"
}

skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

[ -n "$rows" ]
check $? 'the command selects' "$(cat "$folder/command.txt")"
if command -v bindgen >/dev/null && command -v rustc >/dev/null; then
    cd "$folder" && cp "$root/examples/rust/select.rs" . &&
        bindgen --allowlist-function 'alcore_.*' --allowlist-type 'alcore_.*' --allowlist-var 'ALCORE_.*' --no-prepend-enum-name \
            "$header" -o alcore_sys.rs -- -I"$prefix/include" >rust.txt 2>&1 &&
        rustc -O select.rs -o rust_select -L "$libraries" -l alcore >>rust.txt 2>&1
    check $? 'examples/rust compiles' "$(cat rust.txt)"
    compare Rust "$folder/rust_select"
else
    skip 'examples/rust' 'no rustc or bindgen: apt-get install rustc bindgen'
fi
if command -v go >/dev/null; then
    cd "$folder" && mkdir -p go && cp "$root/examples/go/select.go" go &&
        (cd go && GOCACHE="$folder/go-cache" GO111MODULE=off CGO_CFLAGS="-I$prefix/include" \
            CGO_LDFLAGS="-L$libraries" go build -o ../go_select select.go) >go.txt 2>&1
    check $? 'examples/go compiles' "$(cat go.txt)"
    compare Go "$folder/go_select"
else
    skip 'examples/go' 'no go: apt-get install golang-go'
fi
jna=/usr/share/java/jna.jar
if command -v javac >/dev/null && [ -e $jna ]; then
    cd "$folder" && javac -cp $jna -d . "$root/examples/java/Select.java" >java.txt 2>&1
    check $? 'examples/java compiles' "$(cat java.txt)"
    compare Java java -cp "$jna:$folder" Select
else
    skip 'examples/java' 'no javac or JNA: apt-get install default-jdk-headless libjna-java'
fi
echo "1..$number"
