#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The experiment driver of the examples: runs, resumes, and says the same again. usage:
# test_driver.sh ROOT MODULES NAME
root=$1 modules=$2 name=$3
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
count=0
check() {
    count=$((count + 1))
    if eval "$2"; then echo "ok $count - $1"; else echo "not ok $count - $1"; fi
}
loop=$(LUA_CPATH="$modules/?-$name.so" LD_PRELOAD="$ALCORE_PRELOAD" "$name" "$root/examples/lua/memory_loop.lua")
check 'a round in memory makes its pairs' '[ "$(echo "$loop" | tail -1)" = "severe headache was reported = erste Antwort" ]'
cat >"$folder/experiment.lua" <<'END'
return {strategies = {{name = "random"}, {name = "nnll"}}, seeds = {1, 2}, budgets = {"50w"}, rounds = 2}
END
drive() {
    LUA_CPATH="$modules/?-$name.so" LD_PRELOAD="$ALCORE_PRELOAD" "$name" "$root/examples/lua/driver.lua" \
        "$root/examples/data/pool.txt" "$root/examples/data/heldout.tsv" "$folder/results.tsv" \
        "$folder/experiment.lua" >"$folder/$1.out" 2>"$folder/$1.err"
    status=$?
    [ $status = 0 ] || sed 's/^/# /' "$folder/$1.err"
}
drive first
check 'the sweep ends well' '[ $status = 0 ]'
check 'every run has a line per round' '[ "$(wc -l <"$folder/results.tsv")" = 8 ]'
check 'a line has strategy, budget, seed, round, words and quality' \
    'grep -Eq "^random	50w	1	1	[0-9]+	0\.[0-9]+$" "$folder/results.tsv"'
check 'the learning curve has a row per strategy' '[ "$(grep -c -- "+-" "$folder/first.out")" = 2 ]'
cp "$folder/results.tsv" "$folder/whole.tsv"
drive again
check 'what is finished is not run again' \
    '[ "$(grep -c "done before" "$folder/again.err")" = 4 ] && cmp -s "$folder/results.tsv" "$folder/whole.tsv"'
check 'the table is the same' 'cmp -s "$folder/first.out" "$folder/again.out"'
# Cut off in the middle of the last number, as a full disk would.
head -c -3 "$folder/whole.tsv" >"$folder/results.tsv"
drive resumed
check 'a run that was cut off is run again, alone' '[ "$(grep -c running "$folder/resumed.err")" = 1 ]'
check 'and gives the same table' 'cmp -s "$folder/first.out" "$folder/resumed.out"'
# Killed in the middle: what was finished stays, once, and the rest gives the same results.
rm "$folder/results.tsv"
LUA_CPATH="$modules/?-$name.so" LD_PRELOAD="$ALCORE_PRELOAD" "$name" "$root/examples/lua/driver.lua" \
    "$root/examples/data/pool.txt" "$root/examples/data/heldout.tsv" "$folder/results.tsv" \
    "$folder/experiment.lua" >"$folder/killed.out" 2>&1 &
job=$!
while ! [ -s "$folder/results.tsv" ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
kill -KILL $job 2>/dev/null
wait $job 2>/dev/null
finished=$(($(wc -l <"$folder/results.tsv") / 2))
check 'the driver was killed half-way' '[ "$finished" -ge 1 ] && [ "$finished" -lt 4 ]'
drive after
check 'what it had finished is skipped, the rest is run' \
    '[ "$(grep -c "done before" "$folder/after.err")" = "$finished" ] &&
    [ "$(grep -c running "$folder/after.err")" = $((4 - finished)) ]'
check 'and the results are those of a run that was not killed' \
    'cmp -s "$folder/results.tsv" "$folder/whole.tsv" && cmp -s "$folder/first.out" "$folder/after.out"'
LUA_CPATH="$modules/?-$name.so" LD_PRELOAD="$ALCORE_PRELOAD" "$name" "$root/examples/lua/driver.lua" \
    >"$folder/usage.out" 2>&1
status=$?
check 'without arguments it says how it is called, and no more' \
    '[ $status = 2 ] && [ "$(wc -l <"$folder/usage.out")" = 1 ] && grep -q "^usage: " "$folder/usage.out"'
echo 'return {trainer = "echo no quality", strategies = {{name = "random"}}}' >"$folder/experiment.lua"
rm "$folder/results.tsv"
drive broken >/dev/null
check 'a trainer without a number ends the sweep with its command' \
    '[ $status != 0 ] && grep -q "no number on the last line of: echo no quality" "$folder/broken.err"'
echo "1..$count"
