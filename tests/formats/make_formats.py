#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one small file of every format that libalcore has of its own: make_formats.py FOLDER; and a project: make_formats.py --project
FOLDER, of which tests/formats/projects has a folder for each release with a form of project.sqlite of its own; and an experiment:
make_formats.py --experiment FOLDER, of which tests/formats/experiments has a folder for each release with a form of records of its own.

tests/formats/RELEASE has what a release wrote, made once with its library and Python package (PYTHONPATH, ALCORE_LIBRARY) and its command
(ALCORE); tests/bindings/python/test_formats.py reads them with the present ones. checkpoint/ is made by test_torch_checkpoint (see there)."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import alcore

TEXTS = ["the first text of five words", "a second\ttext", "", "the first text of five words", "fünf \\ \"Wörter\", stehen hier",
         "one more sentence with seven words here", "short one", "the last of the texts"]
IDS = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"]
SCORES = [1.5, 0.25, 0.0, 1.5, 3.0, 2.0, 0.125, 1e-3]
EMBEDDINGS = [[1.0, 0.5], [0.0, 2.0], [0.0, 0.0], [1.0, 0.5], [-1.0, 0.25], [3.0, -0.5], [0.5, 0.5], [2.0, 2.0]]
TOKENS = [[-0.5, -1.0], [-2.0], [], [-0.5, -1.0], [-0.25, -0.125, -4.0], [-1.0], [-3.0, -0.5], [-0.75]]
SOURCES = ["the house is small", "the house is old", "a small house", "the old man", "a man is old"]
TARGETS = ["das Haus ist klein", "das Haus ist alt", "ein kleines Haus", "der alte Mann", "ein Mann ist alt"]


class Letters:
    """A model that counts its texts."""

    name = "letters"

    def __init__(self):
        self.seen = 0

    def embed(self, texts):
        self.seen += len(texts)
        return [[float(len(text)), float(text.count("t"))] for text in texts]


def pool_of_texts():
    return alcore.Pool(TEXTS, ids=IDS, dedup="none")


def select(pool, **more):
    return alcore.select(pool, "12w", "huds", scores=SCORES, embeddings=EMBEDDINGS, n_strata=2, seed=7, **more)


def writers(pool):
    """Column writers of each shape, by names."""
    made = {"scalar": alcore.ColumnWriter(pool, "scores", missing="mask"),
            "dense": alcore.ColumnWriter(pool, "embeddings", missing="mask"),
            "ragged": alcore.ColumnWriter(pool, "logprobs", missing="mask")}
    made["scalar"].put([0, 5], [SCORES[0], SCORES[5]])
    made["dense"].put([1, 7], [EMBEDDINGS[1], EMBEDDINGS[7]])
    made["ragged"].put([4, 6], TOKENS[4] + TOKENS[6], [3, 2])
    return made


def annotations():
    items = alcore.Annotations(pool_of_texts())
    items.add([TEXTS[0], "seven words"], kinds=["sent", "phrase"], rows=[0, 5], ids=["a1", "f6:5+2"], translations=["der erste Text", None])
    items.add([TEXTS[1]], rows=[1], ids=["b2"], translations=["ein zweiter\tText"])
    items.add([TEXTS[4]], rows=[4], ids=["e5"])
    return items


def write(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    picked = select(pool_of_texts())
    for suffix in "tsv", "csv", "jsonl", "txt":
        picked.write(folder / ("selection." + suffix))
    items = annotations()
    for suffix in "tsv", "csv", "jsonl":
        items.write_requests(folder / ("requests." + suffix))
        items.write(folder / ("answers." + suffix))
        pool_of_texts().write(range(8), folder / ("pool." + suffix))
    labeled = alcore.Pool(SOURCES, references=TARGETS)
    pairs = alcore.mix(labeled, annotations=items, kind="random", count=2, seed=3)
    for suffix in "tsv", "csv", "jsonl":
        pairs.write(folder / ("pairs." + suffix))
    for name, writer in writers(pool_of_texts()).items():
        writer.save(folder / (name + ".alcore"))
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    alcore.select(pool_of_texts(), 2, "kcenter", model=Letters(), cache=str(cache))
    aligner = alcore.Aligner(list(zip(SOURCES, TARGETS)), iterations=2)
    aligner.write(folder / "links.aligner")
    (folder / "source.txt").write_text("".join(text.replace("\t", " ").replace("\\", "/") + "\n" for text in TEXTS), encoding="utf-8")
    subprocess.run([os.environ["ALCORE"], "select", "source.txt", "--strategy", "random", "--budget", "3", "--seed", "5", "--out", "random.tsv",
                    "--report", "report.json", "--quiet"], cwd=folder, check=True)


def answers(folder, rows):
    """A file of answers, (id, translation, status, annotator) each."""
    lines = ["id,translation,status,annotator", *(",".join(row) for row in rows)]
    (folder / "answers.csv").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return folder / "answers.csv"


def write_project(folder):
    """A project in which each of its tables has rows, and document.json, what it says."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    os.environ["SOURCE_DATE_EPOCH"] = "1000000000"
    inputs = folder.parent / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    pool_of_texts().write(range(8), inputs / "pool.tsv")
    for name, texts in (("known.txt", SOURCES), ("known.de.txt", TARGETS)):
        (inputs / name).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    with alcore.Project.init(folder, strategy="random", budget=3, total=6, price="0.2EUR/i", several="majority") as project:
        project.add(inputs / "pool.tsv")
        project.add(inputs / "known.txt", role="labeled", references=inputs / "known.de.txt")
        ids = project.next().ids
        project.export("csv", inputs / "out.csv")
        project.import_("csv", answers(inputs, [(ids[0], "eins", "", "anna"), (ids[0], "ein", "", "ben"), (ids[1], "", "skip", "anna"),
                                                (ids[2], "drei?", "draft", "ben")]))
        project.import_("csv", answers(inputs, [(ids[0], "eins", "", "cem")]))
        project.put_metric("chrf", 41.5, round=1)
        (folder / "document.json").write_text(json.dumps(project.document(), indent=1) + "\n", encoding="utf-8")
    (folder / "project.sqlite-journal").unlink()
    shutil.rmtree(inputs)


EXPERIMENT = {
    "schema": "alcore-experiment-1", "name": "of a release",
    "domains": [{"name": "small", "pool": {"path": "pool.tsv", "reference_column": "reference"}, "test": {"path": "pool.tsv", "records": [7, 12]},
                 "labeled": {"path": "pool.tsv", "reference_column": "reference", "records": [1, 2]}}],
    "strategies": ["random", {"name": "long", "strategy": "nnll", "parameters": {"candidates": 8}}], "zero": True,
    "seeds": [1], "budgets": ["9w"], "rounds": 2, "models": {"logprobs": "trained"}, "train": {"ngram": {"order": 2}},
    "evaluate": {"command": "echo steps {round}; echo chrf 4{round}.5"}}


def write_experiment(folder):
    """The configuration of an experiment, its data, and work/, the folder that it was done in."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pairs = [*zip(SOURCES, TARGETS), *(("%s and %s" % (a, SOURCES[i - 1]), "%s und %s" % (b, TARGETS[i - 1]))
                                       for i, (a, b) in enumerate(zip(SOURCES, TARGETS))), (TEXTS[5], "x"), (TEXTS[7], "y")]
    (folder / "pool.tsv").write_text("id\ttext\treference\n" + "".join("p%d\t%s\t%s\n" % (i, *pair) for i, pair in enumerate(pairs)), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(EXPERIMENT, indent=1) + "\n", encoding="utf-8")
    alcore.experiment(folder / "config.json", folder / "work")


if __name__ == "__main__":
    {"--project": write_project, "--experiment": write_experiment}.get(sys.argv[1], write)(sys.argv[-1])
