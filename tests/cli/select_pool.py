# SPDX-License-Identifier: Apache-2.0
"""The pool that tests of select share: TV-HUDS, eight rows in four strata."""
from harness import rows_of, vector

U = vector("huds", "TV-HUDS")["input"]["u"]
E = vector("huds", "TV-HUDS")["input"]["embeddings"]
TEXTS = ["a", "b c", "d e f", "g", "h i", "j", "k l m n", "o"]
# Texts whose phrases are bought.
PHRASE_TEXTS = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported",
                "the patient was treated", "headache was reported", "the patient has fever"]


def huds(box):
    """Writes the pool and its columns; the arguments of a selection by HUDS."""
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS))
    box.npy("u.npy", U, "<f8")
    box.npy("e.npy", E)
    return ["select", "pool.txt", "--scores", "u.npy", "--embeddings", "e.npy", "-p", "n_strata=4", "--strategy", "huds"]


def picks(done):
    return [int(row["index"]) for row in rows_of(done.out)]
