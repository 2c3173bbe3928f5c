# SPDX-License-Identifier: Apache-2.0
"""The first block of README.md is what its commands print; in TAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        block = re.search(r"^```console\n(.*?)^```$", file.read(), re.M | re.S).group(1)
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    env = dict(os.environ, PATH=os.path.dirname(os.environ["ALCORE"]) + ":" + os.environ["PATH"])
    print("1..%d" % len(steps))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        where = folder
        for number, (command, wanted) in enumerate(steps, 1):
            if command.startswith("cd "):
                where = os.path.join(where, command[3:])
                found = ""
            else:
                done = subprocess.run(command, shell=True, cwd=where, env=env, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
                found = done.stdout.decode()
            good = found == wanted and os.path.isdir(where)
            failed += not good
            print("%s %d readme: %s" % ("ok" if good else "not ok", number, command))
            if not good:
                print("\n".join("# " + line for line in found.splitlines()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
