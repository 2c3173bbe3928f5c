# SPDX-License-Identifier: Apache-2.0
"""The ctypes and the LuaJIT script of ten lines choose what the command chooses; in TAP.

  run_ten_lines.py ROOT LIBRARY_FOLDER ALCORE"""
import os
import shutil
import subprocess
import sys

ROOT, LIBRARIES, ALCORE = sys.argv[1:]
POOL = os.path.join(ROOT, "examples", "data", "pool.txt")
SCRIPTS = [("python", [sys.executable, "examples/python/ten_lines.py"]), ("lua", ["luajit", "examples/lua/ten_lines.lua"])]


def output(command):
    # The sanitizers' runtime is not in the interpreters; they load the library as a user's would.
    env = dict(os.environ, LD_LIBRARY_PATH=LIBRARIES)
    return subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout


def main():
    table = output([ALCORE, "select", POOL, "--budget", "30w", "--quiet"]).splitlines()[1:]
    wanted = [(line.split("\t")[1], line.split("\t")[-1]) for line in table]
    print("1..%d" % len(SCRIPTS))
    failed = 0
    for number, (name, command) in enumerate(SCRIPTS, 1):
        if not shutil.which(command[0]):
            print("ok %d ten-lines-%s # SKIP no %s" % (number, name, command[0]))
            continue
        lines = output(command + [POOL]).splitlines()
        found = [tuple(line.split(None, 1)) for line in lines]
        good = bool(wanted) and found == wanted
        failed += not good
        print("%s %d ten-lines-%s" % ("ok" if good else "not ok", number, name))
        if not good:
            print("\n".join("# " + line for line in lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
