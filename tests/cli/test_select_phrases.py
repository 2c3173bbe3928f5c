# SPDX-License-Identifier: Apache-2.0
"""alcore select: strategies that buy phrases of the texts."""
import re

from harness import case, contains, equal, main, rows_of
from select_pool import PHRASE_TEXTS


@case
def phrases_of_an_earlier_selection_are_excluded(box):
    """By the ids of the phrases or by their texts, for every strategy that buys phrases; the summary counts them."""
    box.file("pool.txt", "".join(text + "\n" for text in PHRASE_TEXTS))
    strategies = [("ngf",), ("ngf-smp",), ("random-phrase",), ("huds-phrase", "-p", "occ_min=1"),
                  ("hybrid", "-p", "sentences=random", "-p", "phrases=ngf-smp", "-p", "ratio=0.3")]
    for strategy in strategies:
        args = ["select", "pool.txt", "--budget", "8w", "--strategy", *strategy]
        for suffix in ("tsv", "jsonl"):
            box.run(*args, "--out", "first." + suffix)
        first = rows_of(box.read("first.tsv").decode())
        assert any("+" in row["id"] for row in first), (strategy, first)
        box.file("ids.txt", "".join(row["id"] + "\n" for row in first))
        for given in (["--exclude", "first.tsv"], ["--exclude", "first.jsonl"], ["--exclude", "ids.txt"],
                      ["--exclude-text", "first.tsv"], ["--exclude-text", "first.jsonl"]):
            done = box.run(*args, *given)
            again = {row["text"] for row in rows_of(done.out)} & {row["text"] for row in first}
            equal(again, set(), (strategy, given))
            # A row that has the text of a phrase is excluded by --exclude-text as well, and then
            # its phrases are not counted.
            phrases = sum("+" in row["id"] for row in first) if given[0] == "--exclude" else r"\d+"
            assert re.search(r"phrases of \d rows: .*masked: .*\b%s excluded" % phrases, done.err), (strategy, given, done.err)


@case
def measures_of_phrases_come_from_columns_of_the_texts(box):
    """No one gave the scores and embeddings of phrases: the summary names the columns of the texts and the model."""
    box.file("pool.txt", "".join(text + "\n" for text in PHRASE_TEXTS))
    err = box.run("select", "pool.txt", "--strategy", "huds-phrase", "--budget", "8w", "-p", "occ_min=1").err
    contains(err, "logprobs: model ngram", "embeddings: model ngram")
    assert "from given" not in err and "scores:" not in err, err


@case
def a_wrong_link_is_named_by_its_file_and_line(box):
    """A line of the file is of a candidate: its number is not that of the row."""
    box.file("pool.txt", "a b\na b\nc d\n")
    box.file("lp.lp", "".join("%d\t-1 -2 -3\n" % row for row in (1, 2, 3)))
    box.file("links.txt", "0-0\n1-1\n2-0\n")
    args = ["select", "pool.txt", "--dedup", "none", "--strategy", "huds-phrase", "--budget", "8w", "-p", "occ_min=1", "--logprobs",
            "lp.lp", "--links", "links.txt", "--model", "embeddings=ngram"]
    contains(box.run(*args, expect=3).err, "links.txt:3: row 2: link 2-0 of column 'links'")
    box.file("candidates.tsv", "index\tid\ttext\n2\t3\tc d\n0\t1\ta b\n")
    box.file("links.txt", "2-0\n0-0\n")
    contains(box.run(*args, "--candidates", "candidates.tsv", expect=3).err, "links.txt:1: row 2: link 2-0")


@case
def ids_that_only_look_like_phrases_are_skipped(box):
    box.file("pool.tsv", "id\ttext\nx:1+2\ta b\ny\ta b c\nz\ta b\td\n".replace("\td", " d"))
    args = ["select", "pool.tsv", "--strategy", "ngf", "-p", "max_n=2", "--budget", "9"]
    everything = box.run(*args)
    for wrong in ("y:1+3", "y:9+1", "y:0+0", "y:+1", "y:0+", ":0+1", "y:0+1x", "q:0+1", "y:-1+1", "y:99999999999999999999+1"):
        box.file("ids.txt", wrong + "\n")
        done = box.run(*args, "--exclude", "ids.txt")
        equal(done.out, everything.out, wrong)
        assert "excluded" not in done.err, (wrong, done.err)
    box.file("ids.txt", "y:1+1\ny:0+2\n")
    done = box.run(*args, "--exclude", "ids.txt")
    equal({row["text"] for row in rows_of(everything.out)} - {row["text"] for row in rows_of(done.out)}, {"b", "a b"})
    # The row whose id has the form of a phrase's id is that row.
    box.file("ids.txt", "x:1+2\n")
    contains(box.run(*args, "--exclude", "ids.txt").err, "rows read: 3; masked: ", "1 excluded")

if __name__ == "__main__":
    raise SystemExit(main())
