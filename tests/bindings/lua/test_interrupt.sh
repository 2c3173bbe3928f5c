#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C in the stand-alone interpreter: a running call ends soon, with Lua's own error. usage:
# test_interrupt.sh MODULES NAME
modules=$1 name=$2
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
# The child of an uninteractive shell ignores SIGINT, and a program that starts so does not catch
# it: python resets it.
LUA_CPATH="$modules/?-$name.so" python3 - "$name" >"$out" 2>&1 <<'END'
import os
import signal
import subprocess
import sys
import time

code = """
local alcore = require("alcore")
local texts = {}
for i = 1, 3000 do
    local words = {}
    for k = 1, 40 do words[k] = tostring((i * k * 7919) % 10007) end
    texts[i] = table.concat(words, " ")
end
print("begun")
io.stdout:flush()
while true do assert(alcore.lm(texts, {order = 6})) end
"""
environment = dict(os.environ, LD_PRELOAD=os.environ.get("ALCORE_PRELOAD", ""), ASAN_OPTIONS="detect_leaks=0")
child = subprocess.Popen([sys.argv[1], "-e", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
child.stdout.readline()
time.sleep(0.3)
begun = time.monotonic()
child.send_signal(signal.SIGINT)
said = child.communicate(timeout=60)[0].decode()
print("seconds %.2f" % (time.monotonic() - begun))
print("status %d" % child.returncode)
print(said)
END
seconds=$(sed -n 's/^seconds //p' "$out")
if grep -q '^status 1$' "$out" && grep -q 'interrupted!' "$out"; then
    echo "ok 1 - Ctrl-C ends a running call with Lua's error ($seconds s)"
else
    sed 's/^/# /' "$out"
    echo "not ok 1 - Ctrl-C ends a running call with Lua's error"
fi
echo "1..1"
