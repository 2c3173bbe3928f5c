# SPDX-License-Identifier: Apache-2.0
"""Every option that gives a column, with every strategy and scorer: it is read, as the record of the run says, or it is refused by its
name. None is passed over. Options that say something of another are refused without it."""
import json
import sys

from harness import case, contains, equal, main

ROWS = 12
OPTIONS = {"--scores": ["u.npy"], "--logprobs": ["lp.lp"], "--margins": ["u.npy"], "--confidences": ["u.npy"], "--entropies": ["u.npy"],
           "--losses": ["tokens.npy", "--offsets", "offsets.npy"], "--roundtrip": ["pool.txt"], "--probs": ["p.npy"],
           "--sample-probs": ["sp.npy"],
           "--token-probs": ["tp.npy", "--offsets", "offsets.npy"], "--qa-start": ["qa.npy", "--offsets", "offsets.npy"],
           "--qa-end": ["qa.npy", "--offsets", "offsets.npy"],
           "--qa-windows": ["windows.npy", "--qa-window-offsets", "window-offsets.npy"], "--embeddings": ["e.npy"],
           "--labeled-embeddings": ["known-e.npy"], "--labeled-probs": ["known-p.npy"],
           "--target-embeddings": ["known-e.npy"], "--model": ["ngram"]}
COLUMNS = {"--losses": "mlm_losses"}
OF_ROLE = {"--labeled-embeddings": "labeled", "--labeled-probs": "labeled", "--target-embeddings": "target"}


def files(box):
    box.file("pool.txt", "".join("row %d has words\n" % row for row in range(ROWS)))
    box.file("known.txt", "one known text\nanother known text\n")
    box.file("plan.tsv", "config\tlanguage\tcount\na\tunknown\t3\n")
    box.file("like.txt", "1\n2\n")
    box.npy("u.npy", [(row * 5 % ROWS + 1) / (ROWS + 2) for row in range(ROWS)], "<f8")
    box.npy("e.npy", [[float(row % 3), float(row % 4), 1.] for row in range(ROWS)])
    box.npy("known-e.npy", [[1., 0., 1.], [0., 1., 1.]])
    box.npy("known-p.npy", [[.5, .5], [.75, .25]], "<f8")
    box.npy("p.npy", [[row / ROWS, 1 - row / ROWS] for row in range(ROWS)], "<f8")
    box.npy("sp.npy", [[[row / ROWS, 1 - row / ROWS] for row in range(ROWS)], [[.25, .75]] * ROWS], "<f8")
    box.npy("tp.npy", [[.25, .75]] * (2 * ROWS), "<f8")
    box.npy("tokens.npy", [1.5] * (2 * ROWS), "<f8")
    box.npy("qa.npy", [.5] * (2 * ROWS), "<f8")
    box.npy("offsets.npy", [2 * row for row in range(ROWS + 1)], "<i8")
    box.npy("windows.npy", [2.] * ROWS, "<f8")
    box.npy("window-offsets.npy", list(range(ROWS + 1)), "<i8")
    box.file("lp.lp", "".join("%d\t-1 -2\n" % (row + 1) for row in range(ROWS)))


def refused(done, option):
    """The name of the option or of its column is in the message of exit code 2; of 3, what is missing besides."""
    name = COLUMNS.get(option, option[2:].replace("-", "_"))
    return done.returncode == 2 and ("'%s'" % name in done.err or option in done.err or "'%s'" % name.split("_")[-1] in done.err
                               or (option == "--model" and "the model is not read" in done.err))


def read(done, option):
    """Whether the record of the run has the column among those that it read, or one of the model."""
    inputs = json.loads(done.out)["inputs"]
    if option == "--model":  # of a hybrid the columns stand with its parts
        return "model ngram" in done.out
    column = COLUMNS.get(option, option[2:].replace("-", "_"))
    role = OF_ROLE.get(option, "candidates")
    return (column.split("_")[-1] if option in OF_ROLE else column) in inputs[role]["columns"]


@case
def every_column_of_select_is_read_or_refused(box):
    files(box)
    found = json.loads(box.run("strategies", "--json").out)
    faults, counts = [], {"read": 0, "refused": 0, "missing": 0}
    for strategy in found:
        base = ["select", "pool.txt", "--budget", "5w", "--strategy", strategy["name"], "--labeled", "known.txt", "--json", "--out", "o.tsv", "--quiet"]
        if strategy["needs"].get("target"):
            base += ["--target", "known.txt"]
        base += {"plan": ["--plan", "plan.tsv"], "same-ratio": ["--like", "like.txt"]}.get(strategy["name"], [])
        for option, values in OPTIONS.items():
            if option == "--target-embeddings" and "--target" not in base:
                continue  # is refused as it stands: it needs --target
            done = box.run(*base, option, *values, expect=None)
            if done.returncode == 0 and read(done, option):
                counts["read"] += 1
            elif refused(done, option):
                counts["refused"] += 1
            elif done.returncode == 3 and ("is needed" in done.err or "needs" in done.err):
                counts["missing"] += 1  # nothing of another column is read in its place
            else:
                faults.append((strategy["name"], option, done.returncode, done.err[-200:] or done.out[-300:]))
    equal(faults, [], "options that are passed over")
    assert min(counts.values()) > 20, counts


@case
def every_column_of_score_is_read_or_refused(box):
    files(box)
    faults, counts = [], {"read": 0, "refused": 0, "missing": 0}
    for scorer in json.loads(box.run("scorers", "--json").out):
        needs = {name for need in scorer["needs"]["candidates"] for name in need.split("|")} \
            if isinstance(scorer["needs"], dict) else {name for need in scorer["needs"] for name in need.split("|")}
        for option, values in OPTIONS.items():
            if option in ("--scores", "--losses", "--embeddings", *OF_ROLE):
                continue  # score has no such option
            done = box.run("score", "pool.txt", "--scorer", scorer["name"], option, *values, "--out", "s.npy", expect=None)
            column = option[2:].replace("-", "_")
            if done.returncode == 2 and (option in done.err):
                counts["refused"] += 1
                assert column not in needs, (scorer["name"], option)
            elif done.returncode == 3:
                counts["missing"] += 1
            elif done.returncode == 0 and (column in needs or option == "--model"):
                counts["read"] += 1
            else:
                faults.append((scorer["name"], option, done.returncode, done.err[-200:]))
    equal(faults, [], "options that are passed over")
    assert min(counts.values()) > 3, counts


@case
def the_first_of_two_that_would_do_is_read(box):
    files(box)
    contains(box.run("select", "pool.txt", "--budget", "3", "--strategy", "margin", "--margins", "u.npy", "--probs", "p.npy", expect=2).err,
             "the column 'probs' is not read: strategy margin reads margins or probs")
    contains(box.run("score", "pool.txt", "--scorer", "margin", "--margins", "u.npy", "--probs", "p.npy", expect=2).err, "--probs is not read")


def shard_steps(box, *args):
    """The first step of one shard that ends otherwise than with a message."""
    messages = []
    for number in range(20):
        done = box.run(*args, "--shard", "0/%d" % ROWS, *messages, "--next", "next.msg", "--out", "picks.tsv", "--quiet", expect=None)
        if done.returncode != 0 or box.exists("picks.tsv"):
            return done
        messages += ["--message", "all-%d.msg" % number]
        box.run("fold", "next.msg", "--out", messages[-1])
    raise AssertionError("no end of the exchanges")


@case
def who_reads_a_column_is_told_by_its_role(box):
    files(box)
    readers = {option: set() for option in OF_ROLE}
    found = json.loads(box.run("strategies", "--json").out)
    for strategy in found:
        for option, role in OF_ROLE.items():
            if any(option.rsplit("-", 1)[1] in need.split("|") for need in strategy["needs"].get(role, [])):
                readers[option].add(strategy["name"])
    for strategy in ("huds", "nnll", "ngram-cover", "random"):
        columns = {"huds": ["--scores", "u.npy", "--embeddings", "e.npy"], "nnll": ["--scores", "u.npy"]}.get(strategy, [])
        for option in ("--labeled-embeddings", "--labeled-probs"):
            args = ["select", "pool.txt", "--budget", "5w", "--strategy", strategy, "--labeled", "known.txt", *columns, option, *OPTIONS[option]]
            told = box.run(*args, "--quiet", expect=2).err
            contains(told, "of the labeled pool is not read: strategy %s reads no column of the labeled pool; it is read by " % strategy)
            equal(set(told.strip().split("it is read by ")[1].split(", ")), readers[option])
            done = shard_steps(box, *args)
            equal((done.returncode, done.err), (2, told))


@case
def options_about_others_need_them(box):
    files(box)
    for option, needed in ((["--refresh-factor", "2"], "--max-age"), (["--probs-are", "logits"], "--probs"), (["--scores-are", "logprob"], "--scores"),
                           (["--logprob-base", "2"], "--logprobs"), (["--offsets", "offsets.npy"], "--logprobs"),
                           (["--cache-max-age", "3"], "cache"), (["--max-age", "1"], "cache"), (["--labeled-embeddings", "e.npy"], "--labeled"),
                           (["--labeled-probs", "p.npy"], "--labeled"),
                           (["--target-embeddings", "e.npy"], "--target")):
        contains(box.run("select", "pool.txt", "--budget", "3", *option, expect=2).err, needed)


@case
def options_of_models_and_of_other_pairs_are_refused(box):
    files(box)
    rho = ["rho", "pool.txt", "--target", "known.txt", "--k", "1", "--scores", "u.npy", "--target-scores", "two.npy", "--embeddings", "e.npy",
           "--target-embeddings", "known-e.npy"]
    box.npy("two.npy", [.5, .25], "<f8")
    box.run(*rho)
    for option in (["--model", "ngram"], ["--dtype", "int8"], ["--prompt", "a: "], ["--cache", "kept"]):
        contains(box.run(*rho, *option, expect=2).err, option[0] + " is not read")
    mix = ["mix", "--labeled", "pairs.tsv", "--pool", "pool.txt", "--kind", "random", "--count", "1"]
    box.file("pairs.tsv", "source\ttarget\na b\tA B\nc d\tC D\n")
    for option in (["--links", "like.txt"], ["--lm", "x.arpa"], ["--embeddings", "e.npy"]):
        contains(box.run(*mix, *option, expect=2).err, option[0] + " is not read by --kind random")


@case
def what_is_named_is_meant(box):
    files(box)
    done = box.run("select", "pool.txt", "--strategy", "huds", "--budget", "3", "--out", "o.tsv")
    equal(done.err.splitlines()[1], "note: the built-in n-gram model stands in, as neither a column nor a model was given")
    done = box.run("select", "pool.txt", "--strategy", "huds", "--budget", "3", "--embeddings", "e.npy", expect=3)
    contains(done.err, "'scores|logprobs' is needed", "--model logprobs=ngram")
    box.run("select", "pool.txt", "--strategy", "huds", "--budget", "3", "--embeddings", "e.npy", "--model", "logprobs=ngram")
    contains(box.run("rho", "pool.txt", "--target", "known.txt", "--k", "1", "--embeddings", "e.npy", expect=3).err, "'logprobs'")
    contains(box.run("score", "pool.txt", "--scorer", "nnll").err, "note: the built-in n-gram model stands in")


@case
def budgets_that_are_shares_are_refused(box):
    files(box)
    contains(box.run("select", "pool.txt", "--budget", "0.1", expect=2).err, "items are whole")


sys.exit(main())
