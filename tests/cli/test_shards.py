# SPDX-License-Identifier: Apache-2.0
"""alcore select --shard and alcore fold: shards in files have the picks of one file; what goes wrong is told with the file's name."""
import os
import shutil
import signal
import subprocess
import time

from harness import ALCORE, case, contains, equal, main, Skip

TEXTS = ["line %d has %s" % (row // 2 if row % 5 else row, " ".join(["words"] * (row % 4))) for row in range(60)]
TEXTS[7] = ""  # all that the second shard has; the last one has no row
CUTS = [0, 7, 8, 40, 60, 60]
SHARDS = list(zip(CUTS, CUTS[1:]))


def files(box):
    box.file("all.txt", "".join(text + "\n" for text in TEXTS))
    for number, (first, end) in enumerate(SHARDS):
        box.file("shard-%d.txt" % number, "".join(text + "\n" for text in TEXTS[first:end]))
        box.npy("shard-%d.npy" % number, [row * 37 % 101 / 8 for row in range(first, end)], "<f8")
    box.npy("all.npy", [row * 37 % 101 / 8 for row in range(len(TEXTS))], "<f8")
    for name, first, end in [("all", 0, len(TEXTS))] + [("shard-%d" % n, *shard) for n, shard in enumerate(SHARDS)]:
        box.npy(name + ".vectors.npy", [[row * 37 % 101 / 8, row % 7] for row in range(first, end)], "<f8")


def step(box, number, options, messages, **more):
    """The next step of a shard; whether it wrote the picks."""
    args = ["select", "shard-%d.txt" % number, *[word.replace("all.npy", "shard-%d.npy" % number).replace("all.vec", "shard-%d.vec" % number)
                                                        for word in options],
            "--shard", "%d/%d" % (CUTS[number], len(TEXTS)), "--next", "%d.next" % number, "--out", "%d.tsv" % number]
    return box.run(*args, *[word for message in messages for word in ("--message", message)], **more)


def picks_of_shards(box, options):
    """rank, index, score and cost of the picks, as the shards have written them."""
    messages = []
    while "0.tsv" not in box.names():
        for number in range(len(SHARDS)):
            step(box, number, options, messages)
        if "0.tsv" not in box.names():
            messages.append("all.%d" % len(messages))
            box.run("fold", *["%d.next" % number for number in reversed(range(len(SHARDS)))], "0.next", "--out", messages[-1])
    found = [box.read("%d.tsv" % number) for number in range(len(SHARDS))]
    equal(found, [found[0]] * len(found))
    for number in range(len(SHARDS)):
        os.remove(os.path.join(box.path, "%d.tsv" % number))
    return found[0].decode().splitlines(), len(messages)


def picks_of_one(box, options):
    lines = box.run("select", "all.txt", *options).out.splitlines()
    names = lines[0].split("\t")
    columns = [names.index(name) for name in ("rank", "index", "score", "cost")]
    return ["\t".join(line.split("\t")[column] for column in columns) for line in lines]


@case
def shards_have_the_picks_of_one_file(box):
    files(box)
    for options, exchanges in ((["--budget", "30w", "--strategy", "random", "--seed", "3"], 3),
                               (["--budget", "12", "--strategy", "nnll", "--scores", "all.npy", "--tie", "random"], 2),
                               (["--budget", "25w", "--strategy", "nnll", "--scores", "all.npy", "--fill", "stop", "--dedup", "none"], 1),
                               (["--budget", "25w", "--strategy", "nnll", "--scores", "all.npy", "--fill", "skip", "--dedup", "none"], 2),
                               (["--budget", "5", "--strategy", "kcenter", "--embeddings", "all.vectors.npy"], 9),
                               (["--budget", "5", "--strategy", "facility-location", "--embeddings", "all.vectors.npy"], 3)):
        equal(picks_of_shards(box, options), (picks_of_one(box, options), exchanges))


@case
def a_shard_without_a_block_tells_of_no_passes(box):
    files(box)
    box.file("known.txt", "".join("known %d\n" % row for row in range(90)))
    box.npy("known.npy", [[row, row] for row in range(90)], "<f8")
    options, numbers = ["--budget", "50", "--strategy", "kcenter", "--embeddings", "all.vectors.npy", "--dedup", "none", "--labeled", "known.txt",
                        "--labeled-embeddings", "known.npy"], range(len(SHARDS))
    for number in numbers:
        step(box, number, options, [])
    box.run("fold", *["%d.next" % number for number in numbers], "--out", "all")
    told = [step(box, number, options, ["all"]).err for number in numbers]
    equal(["passes over" in one for one in told], [True] + [False] * (len(SHARDS) - 1))


@case
def the_model_that_stands_in_learns_from_all_files(box):
    files(box)
    box.file("nothing.txt", "\n")
    for options, exchanges in ((["--budget", "12", "--strategy", "nnll"], 3),
                               (["--budget", "12", "--strategy", "nnll", "--labeled", "nothing.txt", "--dedup", "none"], 2)):
        equal(picks_of_shards(box, options), (picks_of_one(box, options), exchanges))


@case
def rounds_use_the_scores_of_earlier_ones(box):
    """The n-gram model learns from other texts in each round, and scores only some rows again; all shards share a cache."""
    files(box)
    others, bought = set(), []
    for number, known in enumerate((TEXTS[:30], TEXTS[30:], TEXTS[::2]), 1):
        box.file("known.txt", "".join(text + " too\n" for text in known))
        box.file("bought.txt", "".join(text + "\n" for text in bought or ["none"]))
        plain = ["--budget", "5", "--strategy", "nnll", "--model", "ngram", "--labeled", "known.txt", "--labeled", "bought.txt", "--round", str(number)]
        options = [*plain, "--max-age", "1", "--refresh-factor", "1", "--cache"]
        picks, _ = picks_of_shards(box, [*options, "shared"])
        equal(picks, picks_of_one(box, [*options, "of-one"]))
        bought += [TEXTS[int(line.split("\t")[1])] for line in picks[1:]]
        if picks != picks_of_one(box, plain):
            others.add(number)
    assert 2 in others and 1 not in others, others


@case
def several_budgets_have_a_file_each(box):
    files(box)
    args = ["--budget", "9w, 30w", "--strategy", "nnll", "--dedup", "none"]
    box.run("select", "all.txt", *args, "--scores", "all.npy", "--out", "one-{budget}.tsv")
    shard = ["select", "all.txt", *args, "--scores", "all.npy", "--shard", "0/60", "--next", "next"]
    contains(box.run(*shard, expect=2).err, "put {budget} into --out")
    box.run(*shard, "--out", "{budget}.tsv")
    box.run("fold", "next", "--out", "all")
    box.run(*shard, "--message", "all", "--out", "{budget}.tsv")
    for budget in ("9w", "30w"):
        lines = [line.split("\t") for line in box.read("one-%s.tsv" % budget).decode().splitlines()]
        columns = [lines[0].index(name) for name in ("rank", "index", "score", "cost")]
        equal(box.read("%s.tsv" % budget).decode().splitlines(), ["\t".join(line[column] for column in columns) for line in lines])


@case
def shards_have_the_recommended_picks_of_one_file(box):
    words = "the file could not be opened please try again or save it as another name".split()
    texts = [" ".join(words[(row * 7 + i * (row % 4 + 1)) % len(words)] for i in range(3 + row % 8)) for row in range(60)]
    box.file("all.txt", "".join(text + "\n" for text in texts))
    for number, (first, end) in enumerate(SHARDS):
        box.file("shard-%d.txt" % number, "".join(text + "\n" for text in texts[first:end]))
    for options, exchanges in ((["--budget", "60w"], 3),
                               (["--budget", "12", "--strategy", "ngram-cover", "--dedup", "none"], 1),
                               (["--budget", "60w", "--strategy", "random", "--masks", "near"], 4)):
        equal(picks_of_shards(box, options), (picks_of_one(box, options), exchanges))


@case
def shards_have_the_phrases_of_one_file(box):
    files(box)
    for strategy in ("ngf-smp", "huds-phrase", "hybrid"):
        options = ["--budget", "30w", "--strategy", strategy]
        found, exchanges = picks_of_shards(box, options)
        equal(found, box.run("select", "all.txt", *options).out.splitlines())
        equal(exchanges > 1, strategy == "hybrid")


EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "shards.mk")


def begin_make(box, options, *more):
    if shutil.which("make") is None:
        raise Skip("no make")
    return subprocess.Popen(["make", "-f", EXAMPLE, "-k", "-j", "2", "OPTIONS=" + " ".join(options), *(more or ["ALCORE=" + ALCORE])], cwd=box.path,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, REAL=ALCORE), start_new_session=True)


def make(box, options, *more, tries=1):
    for _ in range(tries):
        started = begin_make(box, options, *more)
        said = started.communicate(timeout=100)[0]
        if started.returncode == 0:
            return
    raise AssertionError(said)


def parts(box, texts, end="\n"):
    """The shards as parts of texts, of which the last line ends with `end`."""
    box.file("all.txt", "\n".join(texts) + "\n")
    for number, (first, last) in enumerate(SHARDS):
        box.file("part-%02d" % number, "".join(text + "\n" for text in texts[first:last])[:-1 if last == len(texts) else None] + end * (last == len(texts) > first))
        box.npy("part-%02d.npy" % number, [row * 37 % 101 / 8 for row in range(first, last)], "<f8")
    box.npy("all.npy", [row * 37 % 101 / 8 for row in range(len(texts))], "<f8")


def check_make(box, options):
    found, options = box.read("shards.tsv").decode().splitlines(), [option.replace("{part}", "all") for option in options]
    equal(found, box.run("select", "all.txt", *options).out.splitlines() if "ngf-smp" in options else picks_of_one(box, options))


MADE = ["--budget", "12", "--strategy", "nnll", "--scores", "{part}.npy"]  # two exchanges


@case
def make_has_the_picks_of_one_file(box):
    """examples/shards.mk, also where each step is killed once, where a part or the options are others than before, and where they are those of before again."""
    # Kills the command in its first run of a step, at the latest when it has written all.
    box.file("killed.sh", "name=$(printf %s \"$*\" | cksum | tr -d ' ')\n[ -e $name.tried ] && exec \"$REAL\" \"$@\"\ntouch $name.tried\n"
             "\"$REAL\" \"$@\" & sleep 0.0$((${#name} % 3)); kill -9 $!; wait\nexit 1\n")
    for options in (["--budget", "30w"], ["--budget", "9w", "--strategy", "ngf-smp"]):
        parts(box, TEXTS, end="")
        make(box, options)
        check_make(box, options)
        before = os.stat(os.path.join(box.path, "shards.tsv")).st_mtime_ns
        make(box, options)
        equal(os.stat(os.path.join(box.path, "shards.tsv")).st_mtime_ns, before)  # nothing was left to do
        other = ["other words of line %d" % row for row in range(SHARDS[0][1])] + TEXTS[SHARDS[0][1]:]
        parts(box, other)
        make(box, options, "ALCORE=sh killed.sh", tries=60)
        check_make(box, options)
        scored = MADE + ["--dedup", "none"]
        make(box, scored)
        check_make(box, scored)
        make(box, options)
        check_make(box, options)


@case
def make_goes_on_where_it_was_killed(box):
    """make alone, whose steps then go on by themselves, and with its steps."""
    parts(box, TEXTS)
    for tries in range(12):
        started = begin_make(box, MADE)
        time.sleep(.03 * 1.4 ** tries)
        (os.kill if tries % 2 else os.killpg)(started.pid, signal.SIGKILL)
        started.communicate(timeout=100)
        if box.exists("shards.tsv"):
            check_make(box, MADE)
            break
    make(box, MADE)
    check_make(box, MADE)


@case
def make_takes_no_part_of_a_message(box):
    """As a copy that was interrupted leaves it."""
    parts(box, TEXTS)
    make(box, MADE)
    run = next(name for name in box.names() if name.startswith("run-"))
    for name in ("part-03.1", "exchange-1"):
        whole = box.read(os.path.join(run, name))
        for length in (0, 47, len(whole) - 1):
            for gone in ("shards.tsv", *(os.path.join(run, gone) for gone in ("picks.tsv", "exchange-2", "part-00.2"))):
                if box.exists(gone):
                    os.remove(os.path.join(box.path, gone))
            box.file(os.path.join(run, name), whole[:length])
            if name != "exchange-1":
                os.remove(os.path.join(box.path, run, "exchange-1"))
            started = begin_make(box, MADE)
            said = started.communicate(timeout=100)[0]
            equal((started.returncode != 0, box.exists("shards.tsv")), (True, False), said)
            contains(said, "in the message %s/%s" % (run, name), "cut off or damaged" if length > 47 else "no message of a job (%d bytes)" % length)
            box.file(os.path.join(run, name), whole)
            make(box, MADE)
            check_make(box, MADE)


@case
def what_goes_wrong_names_the_file(box):
    files(box)
    options = ["--budget", "9w", "--strategy", "random"]
    for number in range(len(SHARDS)):
        step(box, number, options, [])
    box.run("fold", "0.next", "1.next", "3.next", "--out", "most")
    contains(step(box, 0, options, ["most"], expect=3).err, "cover no rows 8 to 39", "in the message most")
    box.file("cut", box.read("2.next")[:-9])
    contains(box.run("fold", "0.next", "cut", "--out", "all", expect=3).err, "cut off or damaged", "in the message cut")
    contains(box.run("fold", "absent", "--out", "all", expect=4).err, "absent: cannot be read")
    contains(step(box, 0, ["--budget", "8w", *options[2:]], ["1.next"], expect=2).err, "made with budget=9w, this job with budget=8w")
    contains(box.run("fold", "0.next", "--out", "0.next", expect=2).err, "is the input 0.next")


@case
def memory_that_runs_out_in_a_shard(box):
    """With any limit of its memory a step writes the message that it writes without one, or an error and no message; it never hangs."""
    rows = 30000
    box.file("shard.txt", "".join("line %d\n" % row for row in range(rows)))
    box.npy("shard.npy", [[row % 101, row % 7] for row in range(rows)], "<f8")
    if box.run("--version", memory=96 << 20, expect=None).returncode != 0:
        raise Skip("the command needs more address space than 96 MiB by itself")
    base = ["select", "shard.txt", "--threads", "1", "--strategy", "kcenter", "--embeddings", "shard.npy", "--budget", "3", "--max-similarity", "0.9",
            "--dedup", "none", "--shard", "%d/%d" % (rows, 3 * rows), "--out", "picks.tsv"]
    box.run(*base, "--next", "whole")
    codes = []
    for limit in range(12, 97, 4):  # MiB
        done = box.run(*base, "--next", "message", memory=limit << 20, expect=None)
        if box.run("--version", memory=limit << 20, expect=None).returncode != 0:
            continue
        codes.append(done.returncode)
        if done.returncode == 0:
            equal(box.read("message"), box.read("whole"))
            os.remove(os.path.join(box.path, "message"))
        else:
            equal(done.returncode, 5)
            contains(done.err, "out of memory")
            equal([name for name in box.names() if name not in ("shard.txt", "shard.npy", "whole")], [])
    equal((codes[-1], 5 in codes), (0, True))
    box.file("others", b"")
    for number in (0, 2):
        box.run(*[word.replace("%d/" % rows, "%d/" % (number * rows)) for word in base], "--next", "next.%d" % number)
    box.run("fold", "next.0", "whole", "next.2", "--out", "all")
    contains(box.run(*base, "--message", "all", "--next", "message", memory=(12 + 4 * codes.index(0)) << 20, expect=5).err, "out of memory")


@case
def options_that_do_not_go_together(box):
    files(box)
    base = ["select", "shard-0.txt", "--budget", "9w", "--strategy", "random"]
    contains(box.run(*base, "--next", "x", expect=2).err, "--next goes with --shard")
    contains(box.run(*base, "--shard", "0/60", expect=2).err, "needs --next PATH")
    contains(box.run(*base, "--shard", "0/60", "--next", "x", "--report", "r.md", expect=2).err, "--report does not go with --shard")
    for wrong in ("0", "-1/60", "0/0", "a/b", "1/2/3"):
        contains(box.run(*base, "--shard=" + wrong, "--next", "x", expect=2).err, "FIRST/ROWS is needed")
    contains(box.run(*base, "--shard", "58/60", "--next", "x", expect=2).err, "7 rows from row 58 on")
    contains(box.run(*base, "--shard", "0/60", "--next", "x", "--out", "x.jsonl", expect=2).err, ".tsv")


main()
