# SPDX-License-Identifier: Apache-2.0
"""SIGINT ends every long command with exit code 130, one line that says so, and no file left. The input comes through a pipe that
never ends, so that no command can be ready before the signal, however fast the machine; the signal is sent when the command has
read more than a pipe holds. What is there is written all the same, unless a second signal comes."""
import array
import fcntl
import os
import signal
import subprocess
import termios
import threading
import time

from harness import ALCORE, case, contains, equal, main

READ = 1 << 20  # bytes that were written at the signal; a pipe holds 64 KiB
MOST = 64 << 20  # bytes that are written at most, so that a command that does not end fails in place of filling the memory


class Feeder(threading.Thread):
    """Writes numbered lines to a file until nobody reads them."""

    def __init__(self, file, more):
        super().__init__(daemon=True)
        self.file, self.more = file, more
        self.has_read, self.refused = threading.Event(), False

    def run(self):
        written = number = 0
        try:
            while written < (MOST if self.more else READ):
                block = "".join("sentence %d says %d\n" % (row, row * 7919 % 1003) for row in range(number, number + 500)).encode()
                number += 500
                self.file.write(block)
                self.file.flush()
                written += len(block)
                if written >= READ:
                    self.has_read.set()
        except OSError:
            self.refused = not self.has_read.is_set()
            self.has_read.set()


def interrupt(box, *args):
    """Interrupts a command that reads its standard input, once while lines come and once while it waits for the next."""
    before = box.names()
    for more in (True, False):
        process = subprocess.Popen([ALCORE, *args], cwd=box.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        feeder = Feeder(process.stdin, more)
        feeder.start()
        try:
            assert feeder.has_read.wait(60) and not feeder.refused, "the command does not read"
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=60)
            out, err = process.stdout.read(), process.stderr.read().decode()
        finally:
            process.kill()
            process.wait()
            feeder.join()
            for file in (process.stdin, process.stdout, process.stderr):
                try:
                    file.close()
                except OSError:
                    pass
        equal(code, 130, err)
        contains(err, "interrupted")
        equal(out, b"")
        equal(box.names(), before)


def interrupt_writing(box, signals):
    """(exit code, output, errors) of a selection that is interrupted so many times while it waits in the middle of its output."""
    box.file("pool.txt", "".join("sentence %d of the pool\n" % row for row in range(20000)))
    process = subprocess.Popen([ALCORE, "select", "pool.txt", "--strategy", "random", "--budget", "20000", "--out", "-"], cwd=box.path,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        held, deadline = array.array("i", [0]), time.monotonic() + 60
        while held[0] < 1 << 15 and time.monotonic() < deadline:  # nobody reads, so that the pipe fills
            fcntl.ioctl(process.stdout, termios.FIONREAD, held)
            time.sleep(0.01)
        assert held[0] >= 1 << 15, "nothing is written"
        for _ in range(signals):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        if signals > 1:
            process.wait(timeout=60)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out, err.decode()


@case
def what_is_there_is_written(box):
    code, out, err = interrupt_writing(box, 1)
    equal(code, 0, err)
    equal(out.count(b"\n"), 20001)


@case
def a_second_signal_ends_the_writing(box):
    code, out, err = interrupt_writing(box, 2)
    equal(code, 130, err)
    contains(err, "interrupted")
    assert out.count(b"\n") < 20001


@case
def select(box):
    interrupt(box, "select", "-", "--strategy", "kcenter", "--budget", "5", "--out", "out.tsv")


@case
def phrases(box):
    interrupt(box, "phrases", "-", "--out", "out.tsv")


@case
def align(box):
    box.file("target.txt", "satz 0 sagt 0\n")
    interrupt(box, "align", "-", "target.txt", "--save", "saved", "--out", "out.links")


@case
def mix(box):
    box.file("labeled.tsv", "source\ttarget\na b\tx y\n")
    box.file("links.txt", "0-0 1-1\n")
    box.file("selection.tsv", "rank\tindex\tid\n1\t0\t1\n")
    box.file("answers.tsv", "id\ttext\ttranslation\n")
    interrupt(box, "mix", "--kind", "retrieved", "--labeled", "labeled.tsv", "--pool", "-", "--selection", "selection.tsv", "--answers",
              "answers.tsv", "--links", "links.txt", "--parallel", "pairs", "--out", "out.tsv")


@case
def lm_train(box):
    interrupt(box, "lm", "train", "-", "--out", "out.arpa")


@case
def rho(box):
    box.file("target.txt", "a b\nb c\n")
    interrupt(box, "rho", "-", "--target", "target.txt", "--out", "out.tsv")


@case
def score(box):
    interrupt(box, "score", "-", "--scorer", "nnll", "--out", "out.tsv")


@case
def oracle(box):
    box.file("selection.tsv", "rank\tindex\tid\n1\t0\t1\n")
    box.file("references.txt", "satz 0 sagt 0\n")
    interrupt(box, "oracle", "-", "--selection", "selection.tsv", "--references", "references.txt", "--out", "out.tsv")


@case
def evaluate(box):
    box.file("reference.txt", "sentence 0 says 0\n")
    interrupt(box, "eval", "bleu", "-", "reference.txt", "--out", "out.tsv")
    interrupt(box, "eval", "duplicates", "-", "--train", "reference.txt", "--out", "out.tsv")


@case
def plot(box):
    interrupt(box, "plot", "map", "-", "--out", "out.svg")


@case
def ablate(box):
    interrupt(box, "ablate", "-", "--budget", "5", "--out", "out.tsv")


@case
def compare(box):
    interrupt(box, "compare", "-", "--budget", "5", "--out", "out.tsv", "--html", "out.html")


main()
