# SPDX-License-Identifier: Apache-2.0
"""alcore select: which rows take no part, as their texts are repeated, labeled, excluded or filtered."""
import json

from harness import case, contains, equal, main, rows_of
from select_pool import PHRASE_TEXTS, TEXTS, huds, picks


@case
def fuzzy_matches_count_as_translated(box):
    box.file("pool.txt", "Open the file in a new window\nOpen this file in a new window\nSave the file\nSAVE the  file\nDelete 12 rows of it\n")
    box.file("memory.tsv", "source\ttarget\nopen the file in a new window\tx\nDelete 99 rows of that\ty\nSave the file\tz\n")
    args = ["select", "pool.txt", "--labeled", "memory.tsv", "--strategy", "random", "--budget", "5", "--out", "picks.tsv"]

    def left(*more, expect=0):
        done = box.run(*args, *more, expect=expect)
        return sorted(int(row["index"]) for row in rows_of(box.read("picks.tsv").decode())), done

    equal(left()[0], [0, 1, 3, 4])  # one text is the same
    equal(left("--fuzzy-match", "100")[0], [1, 4])  # case and spaces are none of the match
    equal(left("--fuzzy-match", "85")[0], [4])  # 6 of 7 tokens
    rows, done = left("--fuzzy-match", "80")  # 4 of 5
    equal(rows, [])
    contains(done.err, "5 known from the labeled pool")
    document = json.loads(box.run(*args, "--fuzzy-match", "85", "--json", "-q").out)
    equal(document["options"]["fuzzy_match"], 85)
    assert "fuzzy_match" not in json.loads(box.run(*args, "--json", "-q").out)["options"]
    contains(box.run(*args, "--fuzzy-match", "49", expect=2).err, "fuzzy_match is a number from 50 to 100 or off")
    contains(box.run("select", "pool.txt", "--strategy", "random", "--budget", "5", "--fuzzy-match", "75", expect=2).err, "--fuzzy-match compares with the texts of --labeled")


@case
def labeled_texts_are_never_selected(box):
    box.file("pool.txt", "a\nb\nc\n")
    box.file("known.txt", "b\n")
    box.file("u.txt", "1\n3\n2\n")
    done = box.run("select", "pool.txt", "--labeled", "known.txt", "--strategy", "nnll", "--scores", "u.txt", "--budget", "3")
    equal(picks(done), [2, 0])
    contains(done.err, "labeled")


@case
def masks_are_counted(box):
    box.file("pool.txt", "a b\na b\n\nc\nd e f\n1 2 3 !!\ng h\n")
    box.file("u.txt", "1\n2\n3\n4\n5\n6\n7\n")
    box.file("old.txt", "7\n")
    args = ["select", "pool.txt", "--strategy", "nnll", "--scores", "u.txt", "--budget", "9"]
    done = box.run(*args)
    equal(picks(done), [6, 5, 4, 3, 0])
    contains(done.err, "duplicate", "empty", "scored 5 of 7")
    equal(picks(box.run(*args, "--dedup", "none")), [6, 5, 4, 3, 1, 0])
    done = box.run(*args, "--exclude", "old.txt")
    equal(picks(done), [5, 4, 3, 0])
    assert "none of its" not in done.err, done.err
    box.file("other.txt", "seven\neight\n")
    contains(box.run(*args, "--exclude", "other.txt").err, "other.txt: none of its 2 ids is in the pool")
    equal(picks(box.run(*args, "--min-words", "2")), [6, 5, 4, 0])
    equal(picks(box.run(*args, "--max-words", "2")), [6, 3, 0])
    equal(picks(box.run(*args, "--min-letters", "0.5")), [6, 4, 3, 0])
    box.file("text.txt", "c\n")
    equal(picks(box.run(*args, "--exclude-text", "text.txt")), [6, 5, 4, 0])
    box.file("only.txt", "1\n4\n")
    equal(picks(box.run(*args, "--eligible", "only.txt")), [3, 0])


@case
def normalized_repeats(box):
    box.file("pool.txt", "Page 12.\npage 34\nPage!\n")
    box.file("u.txt", "1\n2\n3\n")
    args = ["select", "pool.txt", "--strategy", "nnll", "--scores", "u.txt", "--budget", "9"]
    equal(picks(box.run(*args, "--dedup", "normalized")), [2, 0])


@case
def a_loop_hands_over_plain_lists_of_indices(box):
    """papers.md H17: what a loop such as ALToolbox's does. It keeps its own list of labeled rows, writes it one number a line,
    and takes the new rows from the column of indices."""
    args = huds(box) + ["--budget", "2"]
    left, labeled = set(range(len(TEXTS))), []
    while left - set(labeled):
        box.file("labeled.txt", "".join("%d\n" % (row + 1) for row in labeled))  # without ids a row's id is its number from 1
        new = picks(box.run(*args, "--exclude", "labeled.txt", "-q")) if labeled else picks(box.run(*args, "-q"))
        if not new:
            break
        assert not set(new) & set(labeled), (new, labeled)
        labeled += new
    equal(len(labeled), len(set(labeled)))
    equal(sorted(labeled), sorted(picks(box.run(*huds(box), "--budget", "99", "-q"))))


@case
def the_text_column_is_that_of_the_pool(box):
    """Another file may have its texts in a column of the usual names, as the files of selections do."""
    box.file("pool.tsv", "en\tde\n" + "".join("%s\tx\n" % text for text in PHRASE_TEXTS))
    args = ["select", "pool.tsv", "--text-column", "en", "--strategy", "random", "--budget", "2"]
    for name in ("first.tsv", "first.jsonl"):
        box.run(*args, "--out", name)
        box.file("bought.tsv", "en\n" + "".join(row["text"] + "\n" for row in rows_of(box.run(*args).out)))
        for option in ("--labeled", "--exclude-text"):
            equal(picks(box.run(*args, option, name)), picks(box.run(*args, option, "bought.tsv")), (option, name))
        given = ["eval", "overlap", "pool.tsv", "--text-column", "en", "--selected"]
        equal(box.run(*given, name).out, box.run(*given, "bought.tsv").out)
        given = ["--ood", "bought.tsv", "--test", "pool.tsv", "--text-column", "en"]
        equal(box.run("eval", "in-domain", name, *given).out, box.run("eval", "in-domain", "bought.tsv", *given).out)
    box.file("neither.tsv", "de\nx\n")
    contains(box.run(*args, "--labeled", "neither.tsv", expect=3).err, "neither.tsv:1", "en")


@case
def an_earlier_selection_is_excluded(box):
    args = huds(box) + ["--budget", "3"]
    for name in ("first.tsv", "first.jsonl"):
        box.run(*args, "--out", name)
        equal(picks(box.run(*args, "-p", "lambda=0", "--exclude", name))[:1], [6], name)

if __name__ == "__main__":
    raise SystemExit(main())
