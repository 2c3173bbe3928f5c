# SPDX-License-Identifier: Apache-2.0
"""What the tests of the scripts of examples/ share: running one, killing it again and again, its tables and all its files; TAP."""
import os
import random
import signal
import subprocess
import time


class Script:
    """A script of examples/, with the command that it calls and settings of its environment."""

    def __init__(self, root, alcore, name, **settings):
        self.path = os.path.join(root, "examples", name)
        self.env = dict(os.environ, ALCORE=alcore, ALCORE_SHARED_DATA="")
        self.env.update(settings)

    def run(self, folder, timeout=100, **settings):
        return subprocess.run(["sh", self.path, folder], capture_output=True, text=True, env=dict(self.env, **settings), timeout=timeout)

    def run_killed(self, folder, seed, longest=0.06, **settings):
        """Kills the script and what it runs after random times, the first after at most `longest` seconds, and starts it again until
        it ends: (how often it was killed, its exit code). The times grow, so that it ends on slow machines too."""
        draw, kills = random.Random(seed), 0
        while True:
            running = subprocess.Popen(["sh", self.path, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=dict(self.env, **settings), start_new_session=True)
            try:
                return kills, running.wait(timeout=draw.uniform(0.005, longest))
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                running.wait()
                time.sleep(0.01)  # until the command that the shell ran is gone too
            kills += 1
            longest *= 1.08


class Report:
    """Numbered lines of TAP."""

    def __init__(self, count):
        self.number, self.faults = 0, []
        print("1..%d" % count)

    def skip(self, title, reason):
        self.number += 1
        print("ok %d - %s # SKIP %s" % (self.number, title, reason))

    def check(self, title, right, detail=""):
        self.number += 1
        print("%s %d - %s" % ("ok" if right else "not ok", self.number, title))
        if not right:
            self.faults.append(title)
            print("# " + str(detail)[-2000:].replace("\n", "\n# "))


def table(path):
    """A file of TSV as a list of dicts."""
    with open(path, encoding="utf-8") as file:
        names, *lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(names, line)) for line in lines]


def tree(folder):
    """All files of a folder: {path: bytes}."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.relpath(os.path.join(place, name), folder)] = file.read()
    return found


def difference(one, other):
    """Names of files that only one of two trees has, or that differ."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
