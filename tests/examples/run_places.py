# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/ find the command: on PATH, where quickstart.sh builds it, and by ALCORE as a relative path; without one
they say so and end with 127.

  run_places.py ROOT ALCORE"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scripts import Report  # noqa: E402

root, alcore = sys.argv[1:]
report = Report(7)
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree(os.path.join(root, "examples"), os.path.join(folder, "examples"))
    built = os.path.join(folder, "build", "quick", "bindings", "cli", "alcore")
    tools = os.path.join(folder, "tools")  # what the scripts call, without any alcore that is installed
    os.mkdir(tools)
    for name in ("sh", "awk", "basename", "cat", "cmp", "cut", "diff", "dirname", "find", "mkdir", "mv", "rm", "xz"):
        if shutil.which(name):
            os.symlink(shutil.which(name), os.path.join(tools, name))

    def run(script, where=folder, path=tools, **settings):
        env = {name: text for name, text in os.environ.items() if name != "ALCORE"}
        env.update(PATH=path, ROUNDS="1", ITEMS="3", BUDGET="40", ALCORE_SHARED_DATA="", **settings)
        name = os.path.relpath(os.path.join(folder, "examples", script), where)
        return subprocess.run(["sh", name], cwd=where, env=env, capture_output=True, text=True, timeout=100)

    def ran(name, done, out):
        path = os.path.join(folder, "build", out)
        report.check(name, done.returncode == 0 and os.path.exists(path), done.stdout + done.stderr)
        shutil.rmtree(path, ignore_errors=True)

    done = run("rounds.sh")
    report.check("without a command the way to one is said", done.returncode == 127 and "examples/quickstart.sh builds it" in done.stderr,
                 done.stderr)
    done = run("rounds.sh", ALCORE="nothing")
    report.check("a name that is none is repeated", done.returncode == 127 and "ALCORE=nothing names no command" in done.stderr, done.stderr)
    here = os.path.join(folder, "here")
    os.mkdir(here)
    os.symlink(alcore, os.path.join(here, "alcore"))
    ran("a relative path is meant from where the script is called", run("rounds.sh", where=here, ALCORE="./alcore"), "rounds")
    ran("a name is looked for on PATH", run("rounds.sh", path=here + ":" + tools, ALCORE="alcore"), "rounds")
    ran("as alcore is without one", run("phrases.sh", path=here + ":" + tools), "phrases")
    os.makedirs(os.path.dirname(built))
    os.symlink(alcore, built)
    ran("what quickstart.sh has built is found from the root", run("rounds.sh"), "rounds")
    ran("and from elsewhere", run("phrases.sh", where=here), "phrases")
sys.exit(bool(report.faults))
