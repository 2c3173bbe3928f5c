#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a list of trainings of worth.sh, several at once: worth_jobs.py LIST [--at-once DEVICE=N]... [--seconds N] [--pack FILE.tar.gz]

A line of LIST is a call of worth.sh, with settings in front: `SEEDS=2 BUDGET=2500w it random-2 --strategy random --seed 2`. Empty lines and those
that begin with # are passed over. Calls begin in the order of the list, at most N at once on each DEVICE (default --at-once cpu=2; again for
another device), each on one thread. The first that takes a GPU runs there alone; when it fails, that device is not used, and its call runs on the
CPU. A call that fails is reported with the end of what it said, and the others go on. Each ends with its outputs, with UNTIL=picks before the
trainings; for the table of a domain call worth.sh once more.

--seconds: what runs after so many is ended. --pack: all outputs in the folder WORTH and the lines of jobs.tsv, rewritten while calls end,
so that no more than the last 20 seconds are lost with the machine. WORTH/jobs.tsv has outcome, seconds, device and call of each.

The exit code is 1 when a call failed or was ended."""
import argparse
import collections
import glob
import os
import shlex
import signal
import subprocess
import sys
import tarfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PACK_EVERY = 20  # seconds
SAID = 2000  # characters of a call that failed


def read_list(path):
    """(settings, arguments) of each call."""
    calls = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            words = shlex.split(line, comments=True)
            settings = []
            while words and "=" in words[0]:
                settings.append(words.pop(0).split("=", 1))
            if len(words) == 1 or settings and not words:
                sys.exit("%s:%d: a call has a domain and a name" % (path, number))
            if words:
                calls.append((dict(settings), words))
    return calls


def slots_of(given):
    """The device of each call that runs at once; those of GPUs first."""
    slots = []
    for device, _, count in (one.partition("=") for one in given or ["cpu=2"]):
        if not device or not count.isdecimal():
            sys.exit("--at-once %s=%s: a device and how many calls, such as cpu=2" % (device, count))
        slots += [device] * int(count)
    return sorted(slots, key=lambda device: device.startswith("cpu"))


class Runner:
    def __init__(self, calls, worth, pack, seconds):
        self.waiting, self.worth, self.pack_path = collections.deque(enumerate(calls, 1)), worth, pack
        self.begun, self.seconds = time.monotonic(), seconds
        self.lock, self.running, self.failed, self.ended = threading.Lock(), set(), 0, False
        self.tried = {}  # device: an Event once its first call has ended; `works` says whether it did
        self.works = {"cpu": True}
        self.table = os.path.join(worth, "jobs.tsv")

    def now(self):
        return time.monotonic() - self.begun

    def note(self, outcome, seconds, device, call):
        settings, arguments = call
        line = "%s\t%.1f\t%s\t%s" % (outcome, seconds, device, shlex.join(["%s=%s" % one for one in settings.items()] + arguments))
        with self.lock:
            with open(self.table, "a", encoding="utf-8") as file:
                file.write(line + "\n")
            print("%6.1f  %s" % (self.now(), line), flush=True)

    def run(self, number, call, device):
        """Runs one call; whether it ended well."""
        settings, arguments = call
        env = {"UNTIL": "outputs", **os.environ, "OMP_NUM_THREADS": "1", "DEVICE": device, **settings}
        begun, log = time.monotonic(), os.path.join(self.worth, "jobs.%d.log" % number)
        with open(log, "w+", encoding="utf-8", errors="replace") as said:
            with self.lock:
                if self.ended:
                    return False
                process = subprocess.Popen(["bash", os.path.join(HERE, "worth.sh"), *arguments], env=env, stdin=subprocess.DEVNULL,
                                           stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
                self.running.add(process)
            code = process.wait()
            with self.lock:
                self.running.discard(process)
            outcome = "done" if code == 0 else "ended" if self.ended else "FAILED with %d" % code
            self.note(outcome, time.monotonic() - begun, device, call)
            if outcome.startswith("FAILED"):
                said.seek(0)
                print(said.read()[-SAID:], flush=True)
        if code == 0:
            os.remove(log)
        return code == 0

    def take(self):
        with self.lock:
            return self.waiting.popleft() if self.waiting and not self.ended else None

    def device_of(self, device):
        """That device, when the first call that took it has ended well; else the CPU."""
        with self.lock:
            first = device not in self.works and device not in self.tried
            if first:
                self.tried[device] = threading.Event()
        if not first and device in self.tried:
            self.tried[device].wait()
        return first, device if first or self.works[device] else "cpu"

    def serve(self, device):
        """What one slot does until the list is at its end."""
        first, own = self.device_of(device)
        while True:
            job = self.take()
            if job is None:
                break
            good = self.run(*job, own)
            if first:
                self.works[device] = good
                self.tried[device].set()
                if not good and not self.ended:
                    print("%s is not used, as its first call failed" % device, flush=True)
                    own = "cpu"
                    good = self.run(*job, own)
                first = False
            if not good:
                with self.lock:
                    self.failed += 1
        if first:
            self.works[device] = False
            self.tried[device].set()

    def pack(self):
        if not self.pack_path:
            return
        part = self.pack_path + ".part"
        with tarfile.open(part, "w:gz", compresslevel=4) as archive:
            for path in sorted(glob.glob(os.path.join(self.worth, "**", "outputs", "*.txt"), recursive=True)):
                archive.add(path, os.path.relpath(path, self.worth))
            with self.lock:
                archive.add(self.table, "jobs.tsv")
        os.replace(part, self.pack_path)

    def end(self):
        """Ends what runs, with all that it has started."""
        with self.lock:
            self.ended = True
            for process in self.running:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it has just ended

    def run_all(self, slots):
        open(self.table, "a").close()
        threads = [threading.Thread(target=self.serve, args=(device,)) for device in slots]
        for thread in threads:
            thread.start()
        packed = 0.0
        try:
            while any(thread.is_alive() for thread in threads):
                time.sleep(0.2)
                if self.seconds and self.now() > self.seconds and not self.ended:
                    self.end()
                if self.now() - packed > PACK_EVERY:
                    self.pack()
                    packed = self.now()
        finally:
            self.end()
            for thread in threads:
                thread.join()
            self.pack()
        print("%d calls were not begun" % len(self.waiting) if self.waiting else "all calls were begun", flush=True)
        return self.failed == 0 and not self.waiting


def main():
    parser = argparse.ArgumentParser(description="Runs a list of trainings of worth.sh, several at once.")
    parser.add_argument("list")
    parser.add_argument("--at-once", action="append", metavar="DEVICE=N")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--pack", metavar="FILE.tar.gz")
    given = parser.parse_args()
    worth = os.path.realpath(os.environ.get("WORTH") or os.path.join(HERE, "..", "..", "build", "worth"))
    os.makedirs(worth, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return 0 if Runner(read_list(given.list), worth, given.pack, given.seconds).run_all(slots_of(given.at_once)) else 1


if __name__ == "__main__":
    sys.exit(main())
