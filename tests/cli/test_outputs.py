# SPDX-License-Identifier: Apache-2.0
"""Where results go: an input is never overwritten, links and modes of what is replaced stay, devices and pipes are written as they
are, and files that killed processes left behind do not stand in the way."""
import os
import stat
import subprocess
import threading

import harness
from harness import Skip, case, contains, equal, main, rows_of

POOL = "one text\nanother text here\na third one\n"
SELECT = ["select", "pool.txt", "--strategy", "nnll", "--budget", "2"]
MIX = ["mix", "--labeled", "l.tsv", "--count", "0"]


def files(box):
    """A file for every option that reads one, and the pool."""
    box.file("pool.txt", POOL)
    box.npy("e.npy", [[1.0, 2.0], [3.0, 1.0], [2.0, 2.5]])
    for name in ("l.txt", "t.txt", "ids.txt", "u.txt"):
        box.file(name, "1\n2\n3\n")
    os.mkdir(os.path.join(box.path, "folder"))
    box.file("folder/embeddings.npy", box.read("e.npy"))


def refused(box, *args):
    """The command ends before it reads or writes anything."""
    before = {name: box.read(name) for name in box.names() if os.path.isfile(os.path.join(box.path, name))}
    done = box.run(*args, expect=2)
    contains(done.err, "input", "take another name")
    equal({name: box.read(name) for name in before}, before, args)
    equal(sorted(before), [name for name in box.names() if os.path.isfile(os.path.join(box.path, name))])


@case
def an_input_is_not_an_output(box):
    files(box)
    refused(box, *SELECT, "--out", "pool.txt")
    refused(box, *SELECT, "--out", "./folder/../pool.txt")
    for option, name in (("--labeled", "l.txt"), ("--target", "t.txt"), ("--exclude", "ids.txt"), ("--exclude-text", "t.txt"),
                         ("--eligible", "ids.txt"), ("--candidates", "ids.txt"), ("--scores", "u.txt"), ("--logprobs", "u.txt"),
                         ("--embeddings", "e.npy"), ("--probs", "e.npy:x"), ("--like", "ids.txt"), ("--links", "u.txt"),
                         ("--model", "embeddings=e.npy"), ("--plan", "u.txt"), ("--roundtrip", "t.txt")):
        out = name.split(":")[0].split("=")[-1]
        if option == "--probs":
            out = "e.npy"
        refused(box, *SELECT, option, name, "--out", out)
        refused(box, *SELECT, option, name, "--report", out)
    refused(box, *SELECT, "--model", "folder", "--out", "folder/embeddings.npy")


@case
def every_command_refuses(box):
    files(box)
    for args in (["candidates", "pool.txt", "--count", "2"], ["score", "pool.txt", "--scorer", "nnll"], ["phrases", "pool.txt"],
                 ["lm", "train", "pool.txt"], ["align", "pool.txt", "t.txt"], ["oracle", "pool.txt", "--selection", "ids.txt"],
                 ["ablate", "pool.txt", "--budget", "1"], ["compare", "pool.txt", "--budget", "1"],
                 ["rho", "pool.txt"], ["composition", "pool.txt", "--selection", "ids.txt"],
                 ["eval", "bleu", "pool.txt", "t.txt"], ["plot", "curves", "pool.txt"], ["model", "tokenize", "folder", "pool.txt"],
                 ["mix", "--labeled", "pool.txt"]):
        refused(box, *args, "--out", "pool.txt")
    box.file("c.src", "x\n")
    refused(box, "mix", "--labeled", "c.src", "--parallel", "c", "--out", "o.tsv")
    refused(box, "model", "translate", "folder", "pool.txt", "--scores", "pool.txt")


@case
def what_cannot_be_written_is_refused_before_the_work(box):
    """The input is a pipe that nobody writes to: a command that read it would wait."""
    os.mkfifo(os.path.join(box.path, "never.tsv"))
    for args in (["align", "never.tsv"], ["lm", "train", "never.tsv"], ["lm", "score", "never.tsv", "--lm", "never.tsv"],
                 ["eval", "bleu", "never.tsv", "never.tsv"], ["rho", "never.tsv"], ["score", "never.tsv", "--scorer", "nnll"],
                 ["select", "never.tsv", "--budget", "2"], ["mix"], ["plot", "curves", "never.tsv"]):
        for suffix in ".gz", ".xz", ".zst", ".bz2":
            contains(box.run(*args, "--out", "o.tsv" + suffix, expect=2).err, "--out o.tsv%s: nothing is written compressed" % suffix)
    contains(box.run("lm", "score", "never.tsv", "--lm", "never.tsv", "--out", "o.tsv", expect=2).err, "--out o.tsv: the suffix says the format")
    equal(box.names(), ["never.tsv"])


@case
def links_to_an_input(box):
    files(box)
    os.symlink("pool.txt", os.path.join(box.path, "link.tsv"))
    os.link(os.path.join(box.path, "pool.txt"), os.path.join(box.path, "hard.tsv"))
    refused(box, *SELECT, "--out", "link.tsv")
    refused(box, *SELECT, "--out", "hard.tsv")


@case
def standard_streams(box):
    files(box)
    with open(os.path.join(box.path, "pool.txt"), "rb") as pool:
        done = subprocess.run([harness.ALCORE, "select", "-", *SELECT[2:], "--out", "pool.txt"], cwd=box.path, stdin=pool,
                              capture_output=True)
        equal(done.returncode, 2)
    with open(os.path.join(box.path, "pool.txt"), "ab") as pool:
        equal(subprocess.run([harness.ALCORE, *SELECT], cwd=box.path, stdout=pool, stderr=subprocess.DEVNULL).returncode, 2)
    equal(box.read("pool.txt").decode(), POOL)


@case
def an_option_without_its_value_names_no_input(box):
    with open(os.path.join(box.path, "said.txt"), "wb") as said:
        done = subprocess.run([harness.ALCORE, "doctor", "--torch"], stdout=said, stderr=subprocess.PIPE, env={"PATH": "/bin", "HOME": box.path})
    equal(done.returncode, 6)
    contains(done.stderr.decode(), "no torch is in the virtual environment")


@case
def each_budget_has_its_file(box):
    files(box)
    box.file("picks-1.tsv", POOL)
    refused(box, "select", "picks-1.tsv", "--format", "text", "--strategy", "nnll", "--budget", "2,1", "--out", "picks-{budget}.tsv")


@case
def two_outputs_differ(box):
    files(box)
    contains(box.run(*SELECT, "--out", "a.tsv", "--report", "./a.tsv", expect=2).err, "one file")
    equal(box.exists("a.tsv"), False)


@case
def a_link_stays_and_its_target_is_written(box):
    files(box)
    os.mkdir(os.path.join(box.path, "kept"))
    box.file("kept/picks.tsv", "old")
    os.symlink("kept/picks.tsv", os.path.join(box.path, "link.tsv"))
    os.symlink("link.tsv", os.path.join(box.path, "second.tsv"))
    os.symlink("kept/new.tsv", os.path.join(box.path, "dangling.tsv"))
    box.run(*SELECT, "--out", "second.tsv")
    equal(os.readlink(os.path.join(box.path, "link.tsv")), "kept/picks.tsv")
    equal(len(rows_of(box.read("kept/picks.tsv").decode())), 2)
    box.run("eval", "bleu", "pool.txt", "t.txt", "--out", "dangling.tsv")
    equal(os.path.islink(os.path.join(box.path, "dangling.tsv")), True)
    contains(box.read("kept/new.tsv").decode(), "bleu")
    os.symlink("round.tsv", os.path.join(box.path, "round.tsv"))
    contains(box.run(*SELECT, "--out", "round.tsv", expect=4).err, "round.tsv")


@case
def the_mode_of_a_file_stays(box):
    files(box)
    for name, args in (("picks.tsv", SELECT), ("rho.tsv", ["eval", "bleu", "pool.txt", "t.txt"])):
        path = os.path.join(box.path, name)
        box.file(name, "old")
        os.chmod(path, 0o640)
        box.run(*args, "--out", name)
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o640, name)
        os.unlink(path)
        before = os.umask(0o027)
        box.run(*args, "--out", name)
        os.umask(before)
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o640, name)


@case
def a_file_that_may_not_be_written_stays(box):
    if os.geteuid() == 0:
        raise Skip("root may write every file")
    files(box)
    box.file("picks.tsv", "old")
    os.chmod(os.path.join(box.path, "picks.tsv"), 0o444)
    contains(box.run(*SELECT, "--out", "picks.tsv", expect=4).err, "picks.tsv", "ermission denied")
    equal(box.read("picks.tsv"), b"old")


@case
def devices_pipes_and_folders(box):
    files(box)
    for args in (["eval", "bleu", "pool.txt", "t.txt"], ["lm", "train", "pool.txt", "--order", "1"]):
        text = box.run(*args).out
        equal(box.run(*args, "--out", "/dev/null").out, "")
        equal(box.run(*args, "--out", "/dev/stdout").out, text)
        pipe = os.path.join(box.path, "pipe")
        os.mkfifo(pipe)
        found = []
        reader = threading.Thread(target=lambda: found.append(open(pipe).read()))
        reader.start()
        box.run(*args, "--out", "pipe")
        reader.join()
        equal(found, [text])
        equal(stat.S_ISFIFO(os.stat(pipe).st_mode), True)
        os.unlink(pipe)
        contains(box.run(*args, "--out", "folder", expect=4).err, "directory")
    equal(stat.S_ISCHR(os.stat("/dev/null").st_mode), True)


@case
def what_a_killed_process_left(box):
    """Containers give their processes the same numbers, so that names with a number alone are taken."""
    files(box)
    for number in range(1, 200):
        for name in ("rho.tsv.%d.tmp", "picks.tsv.%d.tmp", "picks.tsv.alcore-%d-0", "rho.tsv.alcore-%d-0"):
            box.file(name % number, "left")
    box.run(*SELECT, "--out", "picks.tsv")
    box.run("eval", "bleu", "pool.txt", "t.txt", "--out", "rho.tsv")


@case
def a_cache_on_a_full_disk(box):
    """What could not be kept is said with --quiet too, and the picks are written to standard output."""
    box.file("pool.txt", "one text\nanother text here\na third one\n")
    os.mkdir(os.path.join(box.path, "kept"))
    words = " ".join(["select", "pool.txt", "--strategy", "nnll", "--budget", "2", "--cache", "kept", "--quiet"])
    done = subprocess.run(["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$ALCORE\" " + words], cwd=box.path, capture_output=True,
                          env=dict(os.environ, ALCORE=harness.ALCORE))
    equal(done.returncode, 0)
    contains(done.stderr.decode(), "'logprobs' could not be kept")
    equal(len(rows_of(done.stdout.decode())), 2)
    equal(os.listdir(os.path.join(box.path, "kept")), [])


if __name__ == "__main__":
    raise SystemExit(main())
