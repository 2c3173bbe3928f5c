# SPDX-License-Identifier: Apache-2.0
"""The small files that the commands of the pages read, made in a folder for each page before its blocks run.

PREPARE: page -> function of that folder. Texts are those of examples/data and tests/recipes; models are folders of the null
module (tests/unit/model/module/null_model.c), whose numbers come from the bytes of the texts."""
import importlib.util
import os
import re
import shutil
import struct
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "examples", "data")


def npy(path, kind, shape, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    letter = {"<f4": "f", "<i8": "q"}[kind]
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                  struct.pack("<%d%s" % (len(values), letter), *values))


def write(folder, name, lines):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line + "\n" for line in lines)


def lines_of(name, count=None, column=None):
    """Lines of a file of examples/data, or the texts of a column of a table with a header."""
    with open(os.path.join(DATA, name), encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")[:-1]
    if column is not None:
        lines = [line.split("\t")[column] for line in lines[1:]]
    return lines[:count]


def model(folder, name):
    write(folder, name + "/config.json", ['{"dims": 4}'])


def alcore(folder, *arguments):
    subprocess.run(["alcore", *arguments, "--quiet"], cwd=folder, check=True)


def examples(folder):
    shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))


def readme(folder):
    examples(folder)
    for name in ("all-MiniLM-L6-v2", "opus-mt-en-de"):
        model(folder, name)
    shutil.copy(os.path.join(ROOT, "examples", "c", "trainer.c"), folder)


def building(folder):
    shutil.copy(os.path.join(ROOT, "examples", "c", "trainer.c"), os.path.join(folder, "main.c"))


def own_model(folder):
    """What the tools of the recipes would have left there."""
    for name in ("pool.txt", "marian.out", "fairseq.out"):
        shutil.copy(os.path.join(ROOT, "tests", "recipes", name), folder)

    def array(name, kind, shape, values):
        npy(os.path.join(folder, name), kind, shape, values)

    array("values.npy", "<f4", "(9,)", [-.1, -.2, -.3, -1, -2, -.5, -.25, -.125, -3])
    array("offsets.npy", "<i8", "(7,)", [0, 2, 3, 4, 6, 8, 9])
    array("embeddings.npy", "<f4", "(6, 3)", [float(i * i % 7) for i in range(18)])
    array("logits.npy", "<f4", "(6, 2)", [1, 0, 2, 0, .1, 0, 0, .2, 3, 0, 0, 4])
    array("token-probs.npy", "<f4", "(9, 2)", [p for i in range(9) for p in ((1 + i) / 16, (15 - i) / 16)])
    array("sample-probs.npy", "<f4", "(3, 6, 2)", [p for i in range(18) for p in ((1 + i * 7 % 16) / 18, (17 - i * 7 % 16) / 18)])
    # Rows 0 and 4 have two windows of one position each, the others one window of all positions.
    array("start.npy", "<f4", "(9,)", [.7, .3, .1, .8, .1, .2, .5, .4, .9])
    array("end.npy", "<f4", "(9,)", [.2, .8, .3, .3, .4, .1, .6, .4, .9])
    array("windows.npy", "<i8", "(8,)", [1, 1, 1, 1, 2, 1, 1, 1])
    array("window-offsets.npy", "<i8", "(7,)", [0, 2, 3, 4, 5, 7, 8])
    alcore(folder, "lm", "train", "pool.txt", "--order", "2", "--out", "lm.arpa")
    if not importlib.util.find_spec("kenlm"):
        # In the place of the package: full_scores() gives (log10, length, unknown) of each token.
        write(folder, "kenlm.py", ["class Model:", "    def __init__(self, path):", "        open(path).close()",
                                   "    def full_scores(self, text):",
                                   "        return [(-0.1 * len(word), 1, False) for word in text.split()] + [(-0.5, 1, False)]"])


def distributed(folder):
    write(folder, "pool.txt", lines_of("pool.txt"))


def loop(folder):
    examples(folder)
    write(folder, "pool.txt", lines_of("pool.txt") + lines_of("labeled.tsv", None, 1))
    for name in ("encoder", "checkpoint-2"):
        model(folder, name)


def phrases(folder):
    shutil.copy(os.path.join(DATA, "heldout.tsv"), os.path.join(folder, "pool.tsv"))
    shutil.copy(os.path.join(DATA, "labeled.tsv"), os.path.join(folder, "general.tsv"))
    write(folder, "test.txt", lines_of("pool.txt", 50))


def analyses(folder):
    """A pool of 60 texts as .txt and as .tsv with languages, a target of 12, arrays for both, and selections."""
    pool, target = lines_of("pool.txt", 60), lines_of("heldout.tsv", 12, 1)
    for name, texts in (("pool", pool), ("target", target)):
        write(folder, name + ".txt", texts)
        write(folder, name + ".tsv", ["id\tsource\tlanguage"] + [
            "%d\t%s\t%s" % (i, text, "en" if i % 3 else "fr") for i, text in enumerate(texts, 1)])
    write(folder, "labeled.txt", lines_of("labeled.tsv", 40, 1))
    write(folder, "labeled.tsv", lines_of("labeled.tsv", 41))
    write(folder, "test.txt", lines_of("pool.txt")[60:80])
    write(folder, "runs.tsv", ["strategy\tseed\tround\twords\tmetric", "huds\t2\t1\t5003\t20.1", "huds\t22\t1\t5007\t20.4",
                               "huds\t2\t2\t10001\t22.7"])
    for name, rows in (("e", 60), ("t", 12)):
        npy(os.path.join(folder, name + ".npy"), "<f4", "(%d, 3)" % rows, [float(i * i % 11) for i in range(3 * rows)])
    for name, rows in (("u", 60), ("ut", 12)):
        npy(os.path.join(folder, name + ".npy"), "<f4", "(%d,)" % rows, [float(i * i % 17) for i in range(rows)])
    select = ["select", "pool.txt", "--labeled", "labeled.txt", "--budget", "10"]
    alcore(folder, *select, "--strategy", "huds", "--out", "round1.tsv")
    alcore(folder, *select, "--strategy", "huds", "--round", "2", "--exclude", "round1.tsv", "--out", "round2.tsv")
    for strategy in ("huds", "nnll", "random"):
        alcore(folder, *select, "--strategy", strategy, "--out", strategy + ".tsv")


def formats(folder):
    words = [["The", "DET"], ["patient", "NOUN"], ["sleeps", "VERB"]]
    for name, tags in (("gold", "DET NOUN VERB"), ("predicted", "DET NOUN NOUN")):
        write(folder, name + ".conllu", ["\t".join([str(i), word, "_", tag] + ["_"] * 6)
                                         for i, ((word, _), tag) in enumerate(zip(words, tags.split()), 1)] + [""])
    for side, name, texts in (("src", "newstest2014-deen-src.en.sgm", ["A house.", "A tree.", "Rain."]),
                              ("ref", "newstest2014-deen-ref.de.sgm", ["Ein Haus.", "Ein Baum.", "Regen."])):
        write(folder, name, ['<%sset setid="t" srclang="en" trglang="de">' % side, '<doc docid="d">'] + [
            '<seg id="%d">%s</seg>' % pair for pair in enumerate(texts, 1)] + ["</doc>", "</%sset>" % side])
    alcore(folder, "select", "newstest2014-deen-src.en.sgm", "--strategy", "random", "--budget", "2", "--out", "picked.tsv")


def models(folder):
    for name in ("pool.txt", "labeled.tsv"):
        shutil.copy(os.path.join(DATA, name), folder)
    write(folder, "pool.jsonl", ['{"question": "Who is it %d?", "context": "It is alpha, and not beta."}' % i for i in range(9)])
    write(folder, "DIR/config.json", ['{"dims": 4, "tokens": 1}'])
    write(folder, "DIR/vocab.txt", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "alpha"])
    words = sorted({word for line in lines_of("pool.txt") for word in re.findall(r"\w+|[^\w\s]", line.lower())})
    for name in ("THERE", "BACK"):
        write(folder, name + "/config.json", ['{"dims": 4, "tokens": 1}'])
        write(folder, name + "/vocab.txt", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])


def served(folder):
    write(folder, "pool.tsv", ["id\ttext", "r1\tthe sun is hot", "r2\ta fish", "r3\twho can say", "r4\tin the rain"])
    shutil.copy(os.path.join(ROOT, "tests", "served", "vllm-batch.jsonl"), os.path.join(folder, "answers.jsonl"))


PREPARE = {"README.md": readme, "docs/start-c.md": readme, "docs/start-command.md": readme, "docs/start-lua.md": readme, "docs/start-python.md": readme,
           "docs/building.md": building, "docs/distributed.md": distributed, "docs/own-model.md": own_model, "docs/loop.md": loop, "docs/projects.md": readme, "docs/experiments.md": readme,
           "docs/phrases.md": phrases, "docs/analyses.md": analyses, "docs/formats.md": formats, "docs/models.md": models,
           "docs/served.md": served}

# What a block takes as given: statements that stand before it. In C they stand in a function.
GIVEN = {
    ("docs/analyses.md", "c"): "alcore_status status; alcore_request *request = NULL; alcore_overlap *test = NULL;\n",
    ("docs/analyses.md", "python"): "embeddings = [[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]]\n"
                                    "series, rounds = ['huds', 'huds', 'nsp'], [1, 2, 1]\n",
}
