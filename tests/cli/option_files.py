# SPDX-License-Identifier: Apache-2.0
"""What the command lines of option_fixtures.py read, and a project."""
import json
import os

from harness import Skip

TEXTS = ["alpha beta", "gamma delta epsilon", "Alpha beta", "zeta", "1 2 3 4", "eta theta iota kappa lambda", "alpha beta", "mu nu xi"]
U = [0.5, 0.9, 0.4, 0.1, 0.8, 0.3, 0.7, 0.6]
E = [[1, 0], [0, 1], [3, 4], [4, 3], [1, 0.2], [-1, 0], [2, 0.1], [0, 2]]
P = [[0.9, 0.1], [0.5, 0.5], [0.8, 0.2], [0.6, 0.4], [0.7, 0.3], [0.95, 0.05], [0.55, 0.45], [0.65, 0.35]]
PICK = ["select", "pool.txt", "--budget", "4", "--scores", "u.npy", "--strategy", "nnll"]
SHARD = ["select", "pool.txt", "--budget", "3", "--strategy", "random", "--shard", "0/%d" % len(TEXTS), "--next", "there.msg"]
TRAINER = "#!/bin/sh\necho \"[] $* $(cksum <texts)\"\nexit 1\n"
PATH = os.environ["PATH"]


def files(box):
    for name in ("model", "asked", "ready"):
        os.makedirs(os.path.join(box.path, name), exist_ok=True)
    box.file("model/config.json", '{"dims": 3}')
    box.file("asked/config.json", '{"dims": 3, "tokens": 1}')
    box.file("asked/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nalpha\n")
    box.file("spm_train", TRAINER)
    os.chmod(os.path.join(box.path, "spm_train"), 0o700)
    os.environ["PATH"] = box.path + ":" + PATH
    box.npy("ready/embeddings.npy", E)
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS))
    box.file("numbers.txt", "".join("file number %d\n" % row for row in range(len(TEXTS))))
    box.file("bad.txt", b"".join(text.encode() + b"\n" for text in TEXTS[:-1]) + b"mu \xff xi\n")
    box.file("pool", "text\tother\n" + "".join("%s\tword %d of many\n" % (text, row) for row, text in enumerate(TEXTS)))
    box.file("pool.tsv", "text\tother\n" + "".join("%s\tword %d of many\n" % (text, row) for row, text in enumerate(TEXTS)))
    # Their backslashes are a warning, unless they are escapes.
    box.file("escaped.tsv", "text\tsource\ttarget\n" + "".join("%s\t%s\t%s\n" % (text, text, text) for text in [*TEXTS[:-1], "mu\\txi"]))
    box.file("escaped-runs.tsv", "strategy\tseed\tround\twords\tmetric\n" + "".join(
        "s\\t\t1\t%d\t%d\t%d\n" % (number, 100 * number, number) for number in (1, 2)))
    box.file("cost.tsv", "text\tcost\n" + "".join("%s\t%d\n" % (text, 1 + row % 3) for row, text in enumerate(TEXTS)))
    box.file("runs.tsv", "strategy\tseed\tround\twords\tmetric\tother\n" + "".join(
        "s\t%d\t%d\t%d\t%d\t%d\n" % (seed, number, 100 * number, number + seed, 9 - seed) for seed in (1, 2) for number in (1, 2)))
    box.file("picks.tsv", "strategy\tround\tu\td\tother\n" + "".join("s\t1\t%d\t%d\t%d\n" % (row, row, 3 * row) for row in range(12)))
    box.file("named.tsv", "id\tu\td\na\t1\t2\nb\t3\t4\n")
    box.file("terms.tsv", "id\tu\td\nb\t5\t6\na\t7\t8\n")
    box.file("picked.txt", "1\n3\n")
    box.npy("target.npy", [0.2, 0.7, 0.4], "<f8")
    box.npy("target-e.npy", [[0, 1], [0, 2], [1, 0]])
    box.file("three.txt", "one\ntwo\nthree\n")
    box.file("words.txt", "alpha one\ntwo two gamma\nthree\n")
    small = {"schema": "alcore-experiment-1", "domains": [{"name": "d", "pool": "pairs.tsv"}], "strategies": ["random"], "seeds": [1, 2],
             "budgets": [2], "rounds": 1}
    box.file("small.json", json.dumps(small))
    box.file("failing.json", json.dumps({**small, "evaluate": {"command": "[ {seed} -eq 2 ] && touch there.second && echo one 1"}}))
    box.file("known.txt", "zeta\nsomething else\n")
    box.file("target.txt", "one\ntwo\n")
    box.file("ids.txt", "2\n5\n")
    for name in ("pairs", "pairs.tsv"):
        box.file(name, "source\ttarget\n" + "".join("%s\t%s too\n" % (text, text) for text in TEXTS))
    box.file("set.xml", "<doc id='a' domain='news'><src><seg id='1'>a cat</seg></src></doc>\n<doc id='b'>%s</doc>\n" % "".join(
        "<%s><seg id='1'>%s</seg></%s>\n" % (begin, text, begin.split()[0]) for begin, text in (
            ("src", "a dog"), ("ref translator='A'", "ein Hund"), ("hyp system='S'", "der Hund"))))
    box.file("crlf.txt", "".join(text + "\r\n" for text in TEXTS))
    box.file("near.txt", "".join(text + " too\n" for text in TEXTS))
    box.file("phrases.tsv", "id\ttext\tocc\n1\tbeta\t3\n2\ttheta iota\t1\n")
    box.file("answers.tsv", "1\tbeta\tBETA\n2\ttheta iota\tTHETA IOTA\n")
    box.file("dict.tsv", "beta\tB\n")
    box.file("drafts.tsv", "text\ttranslation\nbeta\tB\n")
    box.file("back.jsonl", '{"al_id": "phrase:beta", "text": "beta", "translation": "BETA", "accept": ["a"], "answer": "accept"}\n')
    box.file("rows.jsonl", '{"id": "phrase:beta", "al_id": "phrase:beta", "translation": {"en": "beta", "de": "BETA", "fr": "BÊTA"}}\n')
    box.file("pairs.links", "".join(" ".join("%d-%d" % (word, word) for word in range(len(text.split()))) + "\n" for text in TEXTS))
    box.file("rounds.txt", "1\n2\n2.5\n2.25\n")
    box.file("labels.txt", "a\nb\na\nb\n")
    box.file("labels2.txt", "a\nb\nb\nb\n")
    box.file("gold.txt", "O I-ORG I-ORG B-ORG\n")
    box.file("tags.txt", "O B-ORG I-ORG I-ORG\n")
    box.file("crossed.tsv", "source\treference\nhaus rot\tred house\n")
    box.file("red.tsv", "id\ttext\tocc\n1\trot\t1\n")
    box.file("straight.tsv", "source\ttarget\nrot\tred\nrot rot\tred red\nhaus\thouse\n")
    box.file("crossed.txt", "house\nhouse house\nred\n")
    box.file("upper.txt", "".join(text.upper() + "\n" for text in TEXTS))
    box.file("twice.txt", TEXTS[0] + " " + TEXTS[0] + " once\nzeta\n")
    box.file("sides.tsv", "text\ttarget\na 1\t1 x\n")
    box.file("near.tsv", "text\ttarget\na\t1\n")
    box.file("one.txt", "a\n")
    box.file("objects.jsonl", '{"text": "a"}\n')
    box.file("links.txt", "0-0\n")
    box.npy("u.npy", U, "<f8")
    box.npy("tied.npy", [1.0] * len(U), "<f8")
    box.npy("nan.npy", U[:-1] + [float("nan")], "<f8")
    box.npy("e.npy", E)
    box.npy("near.npy", [[0, 1], [0, 3]])
    box.npy("far.npy", [[-5, 0], [-4, 0]])
    box.npy("p.npy", P, "<f8")
    box.npy("known-p.npy", [[0.9, 0.1], [0.5, 0.5]], "<f8")
    box.npy("other-known-p.npy", [[0.1, 0.9], [0.6, 0.4]], "<f8")
    box.npy("logits.npy", [[9 * a, b] for a, b in P], "<f8")
    lengths = [1 + row % 3 for row in range(len(TEXTS))]
    box.file("lp.lp", "".join("%d\t%s\n" % (row + 1, " ".join(["-%g" % (0.3 + row % 5)] * length)) for row, length in enumerate(lengths)))
    box.file("lp.marian", "".join("%d ||| text ||| F0= -1 ||| WordScores= %s\n" % (row, " ".join(["-%g" % (0.2 + row % 3)] * length))
                                  for row, length in enumerate(lengths)))
    # Odd rows have the larger lower bound of the entropy, even ones the larger upper bound.
    box.file("lp.jsonl", "".join('{"choices":[{"logprobs":{"token_logprobs":[-4],"top_logprobs":[{"a":%g,"b":%g}]}}]}\n'
                                 % ((-0.5 if row % 2 else -0.3) - row % 5 / 100, -1 if row % 2 else -3) for row in range(len(TEXTS))))
    box.npy("values.npy", [-(0.2 + number % 5) for number in range(sum(lengths))])
    box.npy("offsets.npy", [sum(lengths[:row]) for row in range(len(lengths) + 1)], "<i8")
    box.npy("narrow.npy", [(5 * row % 8) / 8 for row in range(len(TEXTS))])
    box.npy("losses.npy", [0.2 + number % 5 for number in range(sum(lengths))])
    box.npy("sample-p.npy", [[[0.5 + row % bend / 10, 0.5 - row % bend / 10] for row in range(len(TEXTS))] for bend in (4, 5)], "<f8")
    box.npy("token-p.npy", [[0.5 + number % 4 / 10, 0.5 - number % 4 / 10] for number in range(sum(lengths))])
    box.npy("qa.npy", [0.02 + number % 5 / 100 for number in range(sum(lengths))])
    box.npy("other-qa.npy", [0.02 + number % 3 / 100 for number in range(sum(lengths))])
    box.npy("windows.npy", lengths, "<i8")
    box.npy("two-windows.npy", [5, *lengths[1:]], "<i8")
    box.npy("window-offsets.npy", list(range(len(lengths) + 1)), "<i8")
    box.file("back.txt", "".join(text + (" too\n" if row % 3 else "\n") for row, text in enumerate(TEXTS)))
    box.file("two.tsv", "text\tlang\n" + "".join("%s\t%s\n" % (text, "xx" if row % 3 else "yy") for row, text in enumerate(TEXTS)))
    box.file("like.txt", "2\n3\n5\n")
    box.file("plan.tsv", "a\t*\tyy:2\n")
    box.run("candidates", "pool.txt", "--count", "3", "--seed", "5", "--out", "few.tsv", "-q")
    box.npy("few.npy", [0.1, 0.3, 0.2], "<f8")
    box.run(*PICK, "--out", "run.tsv", "--report", "run.json", "-q")
    box.run("lm", "train", "pool.txt", "--order", "2", "--out", "two.arpa", "-q")
    box.run(*SHARD[:-1], "texts.msg")


def project(box):
    """A project whose first round was exported and answered by one annotator, and two without texts."""
    if box.run("project", "init", "work", "strategy=ngram-cover", "budget=3", "-q", expect=None).returncode == 6:
        raise Skip("this build has no SQLite")
    for name in ("without", "with"):
        box.run("project", "init", name, "strategy=ngram-cover", "budget=3", "-q")
    box.file("one.tsv", "id\ttext\nx\tone more\n")
    box.run("project", "add", "work", "numbers.txt", "one.tsv", "-q")
    box.run("project", "add", "without", "pairs.tsv", "--role", "labeled", "-q")
    box.run("project", "next", "work", "--out", "round.tsv", "-q")
    ids = [line.split("\t")[2] for line in box.read("round.tsv").decode().splitlines()[1:]]
    box.file("back.tsv", "id\ttranslation\n" + "".join("%s\tdone\n" % one for one in ids))
    box.run("project", "import", "work", "back.tsv", "--tool", "csv", "-q")
    box.run("project", "add", "work", "pairs.tsv", "--role", "labeled", "-q")
