#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the LibTorch examples as a user would and runs them; the trainer is also killed half-way
# and goes on.
# usage: run_torch.sh CXX ROOT BUILD [TORCH]
# TORCH: the folder of PyPI's torch; without it, Debian's libtorch-dev is taken.
cxx=$1 root=$2 build=$3 torch=${4-}
api=${torch:-/usr}/include/torch/csrc/api/include
libraries='-ltorch -ltorch_cpu -lc10'
# libtorch of PyPI would bring the libraries of CUDA, which the tests do not install.
[ -z "$torch" ] || libraries="-isystem $torch/include -L$torch/lib -Wl,-rpath,$torch/lib -ltorch_cpu -lc10"
if [ ! -e "$api/torch/serialize.h" ]; then
    echo '1..0 # SKIP neither libtorch-dev nor torch of PyPI'
    exit 0
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
count=0
check() {
    count=$((count + 1))
    if eval "$2"; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        sed 's/^/# /' "$folder/said"
    fi
}
pool=$root/examples/data/pool.txt talk=$root/examples/data/labeled.tsv
train() {
    "$folder/trainer" "$folder/$1" 4 "$pool" "$talk" $2 >"$folder/said" 2>&1
}
check 'it compiles' '"$cxx" -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Werror -I"$root/include" -I"$build/include" \
    -isystem "$api" "$root/examples/cpp/torch_trainer.cpp" -o "$folder/trainer" -L"$build/lib" -lalcore \
    -Wl,-rpath,"$build/lib" $libraries >"$folder/said" 2>&1'
train whole
status=$? # check() changes $?
cp "$folder/said" "$folder/curve"
check 'it runs four rounds of 20 labels' \
    '[ "$status" = 0 ] &&
    [ "$(grep -Ec "^round [1-4]: +(20|40|60|80) labels, accuracy 0\.[0-9]{3}$" "$folder/curve")" = 4 ]'
check 'and learns' \
    'sed -n "s/.*accuracy //p" "$folder/curve" | awk "NR == 1 {first = \$1} END {exit !(\$1 > first + 0.03)}"'
check 'no text is picked twice' '[ -z "$(sed 1d -s "$folder"/whole/round-*.txt | sort | uniq -d)" ]'

"$folder/trainer" "$folder/cut" 4 "$pool" "$talk" >/dev/null &
job=$!
while [ ! -e "$folder/cut/round-2.txt" ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
kill -KILL $job 2>/dev/null
wait $job 2>/dev/null
check 'it was killed half-way' '[ -e "$folder/cut/round-2.txt" ] && [ ! -e "$folder/cut/round-4.txt" ]'
train cut
status=$?
check 'it goes on after the last finished round' '[ "$status" = 0 ] &&
    grep -q "^round 2: .*(done before)$" "$folder/said" &&
    ! grep -q "^round 4: .*(done before)$" "$folder/said"'
check 'and gives the same curve' '[ "$(sed "s/ (done before)//" "$folder/said")" = "$(cat "$folder/curve")" ]'
train other nothing
status=$?
check 'an unknown strategy ends it with the words of the library' \
    '[ "$status" = 1 ] && grep -q "^torch_trainer: there is no strategy \"nothing\"" "$folder/said"'

check 'the loop on a device compiles' '"$cxx" -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Werror -I"$root/include" \
    -I"$build/include" -isystem "$api" "$root/examples/cpp/torch_device.cpp" -o "$folder/device" -L"$build/lib" -lalcore \
    -Wl,-rpath,"$build/lib" $libraries >"$folder/said" 2>&1'
"$folder/device" "$pool" 3 cpu >"$folder/said" 2>&1
status=$?
check 'it runs three rounds, whose loss falls' '[ "$status" = 0 ] &&
    [ "$(sed -En "s/^round [1-3]: [0-9]+ sentences, loss ([0-9.]+), next on cpu: .*/\1/p" \
    "$folder/said" | tee "$folder/losses" | wc -l)" = 3 ] && sort -rg "$folder/losses" | cmp -s - "$folder/losses"'
check 'and picks no row twice' '[ -z "$(sed "s/.*: //" "$folder/said" | tr " " "\n" | sort | uniq -d)" ]'
"$folder/device" "$folder/none" >"$folder/said" 2>&1
status=$?
check 'a file that is not there ends it' '[ "$status" = 1 ] &&
    grep -q "^torch_device: no texts in .*/none" "$folder/said"'
echo "1..$count"
