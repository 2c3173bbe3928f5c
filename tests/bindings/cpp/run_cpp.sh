#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the tests of the C++ wrapper and the C++ example as a user would, and runs them.
# usage: run_cpp.sh CXX ROOT BUILD
cxx=$1 root=$2 build=$3
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
compile() {
    "$cxx" "-std=$1" -Wall -Wextra -Wconversion -Wshadow -Werror -I"$root/include" -I"$build/include" "$2" \
        -L"$build/lib" -lalcore -Wl,-rpath,"$build/lib" -o "$3" >"$folder/said" 2>&1 || {
        sed 's/^/# /' "$folder/said"
        return 1
    }
}
count=0
check() {
    count=$((count + 1))
    if eval "$2"; then echo "ok $count - $1"; else echo "not ok $count - $1"; fi
}
for standard in c++17 c++20; do
    check "the wrapper compiles as $standard" \
        'compile "$standard" "$root/tests/bindings/cpp/test_hpp.cpp" "$folder/wrapper"'
done
"$folder/wrapper" >"$folder/out"
status=$?
sed 's/^not ok/# not ok/; s/^ok/# ok/; s/^1\.\./# 1../' "$folder/out"
check 'it releases and throws' '[ $status = 0 ]'
check 'the trainer compiles' 'compile c++17 "$root/examples/cpp/trainer.cpp" "$folder/trainer"'
"$folder/trainer" "$root/examples/data/pool.txt" "$root/examples/data/labeled.tsv" >"$folder/out" 2>&1
check 'the trainer runs three rounds' '[ "$(grep -c "^round [123]: [1-9][0-9]* sentences, [45][0-9]* words$" "$folder/out")" = 3 ]'
check 'it picks no sentence twice' '[ -z "$(grep "^  " "$folder/out" | sort | uniq -d)" ]'
"$folder/trainer" "$folder/nothing" "$folder/nothing" >"$folder/out" 2>&1
check 'and fails with the text of the library' '[ $? = 1 ]; grep -q "^trainer: .*nothing" "$folder/out"'
echo "1..$count"
