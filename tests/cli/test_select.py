# SPDX-License-Identifier: Apache-2.0
"""alcore select: what is selected, by which strategy, for which budget and target."""
import json
import os
import re

from harness import case, contains, equal, main, rows_of, vector
from select_pool import TEXTS, huds, picks


@case
def sentences_unlike_the_labeled_ones_come_first(box):
    one = vector("search", "TV-MRS", "ratio")
    given = vector("search", "TV-MRS")["input"]
    box.file("pool.txt", "a\nb\nc\n")
    box.file("known.txt", "d\ne\nf\ng\n")
    box.npy("u.npy", given["unlabeled"], "<f8")
    box.npy("l.npy", given["labeled"], "<f8")
    done = box.run("select", "pool.txt", "--strategy", "mrs", "--budget", "3", "-p", "k=2", "--embeddings", "u.npy",
                   "--labeled", "known.txt", "--labeled-embeddings", "l.npy")
    equal(picks(done), one["order"])
    equal([int(row["nearest_labeled"]) for row in rows_of(done.out)], [one["nearest"][row] for row in one["order"]])
    done = box.run("select", "pool.txt", "--strategy", "mrs", "--budget", "3", "--embeddings", "u.npy", expect=3)
    contains(done.err, "labeled sentences")


@case
def languages_of_a_selection_are_followed(box):
    box.file("pool.tsv", "id\ttext\tlang\n" + "".join("r%d\ttext %d\t%s\n" % (row, row, "hi" if row % 3 else "fa") for row in range(12)))
    box.run("select", "pool.tsv", "--strategy", "random", "--budget", "5", "--seed", "3", "--out", "first.tsv", "-q")
    wanted = sorted("hi" if int(row["index"]) % 3 else "fa" for row in rows_of(open(os.path.join(box.path, "first.tsv")).read()))
    done = box.run("select", "pool.tsv", "--strategy", "same-ratio", "--budget", "5", "--seed", "8", "--like", "first.tsv")
    equal(sorted("hi" if row % 3 else "fa" for row in picks(done)), wanted)
    box.file("other.txt", "r1\nnobody\n")
    contains(box.run("select", "pool.tsv", "--strategy", "same-ratio", "--budget", "5", "--like", "other.txt", expect=3).err, "nobody")
    like = ["select", "pool.tsv", "--budget", "4", "--like", "first.tsv", "--strategy"]
    contains(box.run(*like, "same-ratio", expect=2).err, "5 rows are more than the budget of 4")
    contains(box.run(*like, "same-ratio", "-p", "counts=hi:1", expect=2).err, "both counts and the rows of another selection")
    contains(box.run(*like, "plan", expect=2).err, "strategy plan does not follow the languages of another selection")
    box.file("plan.tsv", "low\t*\tfa:1\nhigh\t*\tfa:1,hi:3\n")
    done = box.run("select", "pool.tsv", "--strategy", "plan", "--budget", "4", "--plan", "plan.tsv", "-p", "config=high")
    equal(sorted("hi" if row % 3 else "fa" for row in picks(done)), ["fa", "hi", "hi", "hi"])
    box.run("select", "pool.tsv", "--strategy", "random", "--budget", "4", "--plan", "plan.tsv", expect=2)
    plan = ["select", "pool.tsv", "--strategy", "plan", "--plan", "plan.tsv", "-p", "config=high"]
    contains(box.run(*plan, "--budget", "3", expect=2).err, "plan.tsv:2: 4 rows are more than the budget of 3")
    box.file("plan.tsv", "high\t*\tfa:1,de:3\n")
    contains(box.run(*plan, "--budget", "4", expect=3).err, "plan.tsv:1: the pool has no row of the language de")


@case
def the_vector_of_huds_comes_out(box):
    args = huds(box)
    for one in vector("huds", "TV-HUDS")["cases"]:
        given = one["input"]
        if given["n_strata"] != 4 or "u" in given:
            continue
        params = ["-p", "lambda=%r" % given["lambda"], "-p", "rescale=" + given.get("rescale", "none")]
        equal(picks(box.run(*args, *params, "--budget", "4")), one["expected"]["order"], one["name"])
    equal(picks(box.run(*args, "--budget", "4", "-plambda=1")), vector("huds", "TV-HUDS", "lambda 1")["order"])


@case
def columns_stand_in_the_order_of_the_contract(box):
    done = box.run(*huds(box), "--budget", "2")
    head = done.out.split("\n")[0].split("\t")
    equal(head[:5], ["rank", "index", "id", "score", "cost"])
    equal(head[-2:], ["reason", "text"])
    for name in ("u", "d", "stratum", "cluster"):
        assert name in head, head
    first = rows_of(done.out)[0]
    equal((first["rank"], first["index"], first["id"], first["text"], first["cost"]), ("1", "7", "8", "o", "1"))
    equal(float(first["score"]), 2.25)
    equal((float(first["u"]), float(first["d"]), first["stratum"]), (4.5, 0.0, "3"))
    contains(first["reason"], "uncertainty top", "stratum 4 of 4 (2 rows)", "diversity")


@case
def ties_go_to_the_earlier_row(box):
    args = huds(box)
    done = rows_of(box.run(*args, "--budget", "4").out)
    equal(done[2]["score"], done[3]["score"])
    assert int(done[2]["index"]) < int(done[3]["index"])


@case
def every_unit_of_a_budget(box):
    args = huds(box) + ["-p", "lambda=0"]
    for budget in ("3", "3i", "3 items"):
        equal(picks(box.run(*args, "--budget", budget)), [7, 6, 5], budget)
    for budget in ("5w", "5 words"):
        equal(picks(box.run(*args, "--budget", budget)), [7, 6], budget)
    for budget in ("8c", "8 characters"):
        equal(picks(box.run(*args, "--budget", budget)), [7, 6], budget)
    box.file("pool.tsv", "id\ttext\tcost\n" + "".join("r%d\t%s\t%d\n" % (i, t, i) for i, t in enumerate(TEXTS)))
    args[1] = "pool.tsv"
    for budget in ("7.5u", "7.5 units"):
        done = box.run(*args, "--budget", budget)
        equal(picks(done), [7, 6], budget)
        equal(rows_of(done.out)[0]["id"], "r7")


@case
def fill_policies(box):
    args = huds(box) + ["-p", "lambda=0", "--budget", "4w"]
    equal(picks(box.run(*args)), [7, 6])  # 1 + 4 words: overshoot
    equal(picks(box.run(*args, "--fill", "stop")), [7])
    equal(picks(box.run(*args, "--fill", "skip")), [7, 5, 4])
    contains(box.run(*args).err, "--fill skip")


@case
def a_budget_beyond_the_pool_is_short(box):
    args = huds(box) + ["--budget", "100"]
    done = box.run(*args)
    equal(len(picks(done)), 8)
    contains(done.err, "SHORT")
    box.run(*args, "--strict", expect=1)
    box.run(*(huds(box) + ["--budget", "8"]), "--strict")


@case
def budget_of_nothing_selects_nothing(box):
    done = box.run(*huds(box), "--budget", "0")
    equal(picks(done), [])
    contains(done.err, "a budget of 0 selects nothing")
    contains(box.run(*huds(box), "--budget", "-3", expect=2).err, "negative")


@case
def a_budget_that_is_none_is_named(box):
    for budget in ("many", "5x", "", "nan", "1e999"):
        contains(box.run(*huds(box), "--budget", budget, expect=2).err, "budget")


@case
def rows_too_similar_to_a_pick_are_passed_over(box):
    args = huds(box) + ["-p", "lambda=0", "--budget", "3", "--max-similarity", "0.9"]
    done = box.run(*args)
    equal(picks(done), [7, 5, 3])  # 6 and 4 point the way of 7
    contains(done.err, "too similar to a pick")
    contains(box.run(*args[:-2], "--spread", "0.9", expect=2).err, "--max-similarity")


@case
def lambda_follows_the_round(box):
    args = huds(box) + ["--budget", "4", "-p", "lambda=0,0.5,1"]
    equal(picks(box.run(*args)), [7, 6, 5, 4])
    equal(picks(box.run(*args, "--round", "2")), [7, 5, 4, 6])
    equal(picks(box.run(*args, "--round", "3")), [4, 5, 0, 1])
    equal(picks(box.run(*args, "--round", "9")), [4, 5, 0, 1])
    equal(picks(box.run(*args, "-p", "lambda_first=1")), [4, 5, 0, 1])


@case
def sides_may_be_several_files(box):
    args = huds(box) + ["-p", "lambda=0", "--budget", "2"]
    box.file("l1.txt", "o\n")
    box.file("l2.txt", "k l m n\n")
    done = box.run(*args, "--labeled", "l1.txt", "--labeled", "l2.txt")
    equal(picks(done), [5, 4])
    contains(done.err, "2 known from the labeled pool")
    box.npy("t.npy", [[1, 0], [0, 1]])
    done = box.run(*args[:2], "--embeddings", "e.npy", "--budget", "2", "--strategy", "average-dist", "--target", "l1.txt",
                   "--target", "l2.txt", "--target-embeddings", "t.npy", "--json", "--out", "s.tsv")
    equal(json.loads(done.out)["inputs"]["target"]["rows"], 2)


@case
def target_languages_buy_in_turns(box):
    one = vector("multilingual", "TV-KNN-BALANCED", "three languages")
    box.file("pool.txt", "".join("row %d\n" % row for row in range(7)))
    box.npy("u.npy", one["u"], "<f8")
    box.npy("e.npy", one["source"])
    box.npy("t.npy", one["target"])
    box.file("t.tsv", "text\tlang\n" + "".join("goal %d\t%s\n" % pair for pair in enumerate(one["target_languages"])))
    args = ["select", "pool.txt", "--strategy", "knn-uncertainty", "--budget", "4", "--scores", "u.npy", "--embeddings", "e.npy",
            "--target", "t.tsv", "--target-embeddings", "t.npy"]
    done = box.run(*args, "-p", "balance_targets=1")
    equal(picks(done), one["picks"])
    equal([int(row["target_language"]) for row in rows_of(done.out)], one["languages"])
    equal(picks(box.run(*args)) == one["picks"], False)  # pooled, all targets count alike


@case
def gold_picks_from_the_target(box):
    one = vector("random", "TV-DRAW", "gold")
    box.file("pool.txt", "a\nb\n")
    rows = ["goal %d" % row for row in range(max(one["rows"]) + 1)]
    box.file("t1.txt", "".join(row + "\n" for row in rows[:3]))
    box.file("t2.txt", "".join(row + "\n" for row in rows[3:]))
    box.file("done.txt", "".join(row + "\n" for number, row in enumerate(rows) if number not in one["rows"]))
    args = ["select", "pool.txt", "--strategy", "gold", "--target", "t1.txt", "--target", "t2.txt", "--budget", str(one["k"]),
            "--seed", "42", "--round", str(one["round"])]
    done = box.run(*args, "--labeled", "done.txt")
    equal(picks(done), one["picks"])
    equal([row["text"] for row in rows_of(done.out)], [rows[pick] for pick in one["picks"]])
    contains(done.err, "gold picks from --target; pool.txt is not read")
    equal(picks(box.run(*args[:4], "--budget", "2")) in ([0, 1], [1, 0]), True)  # without --target POOL is the gold pool
    box.npy("u.npy", [0.5, 0.5], "<f8")
    contains(box.run(*args, "--scores", "u.npy", expect=2).err, "--scores is about the rows of POOL")
    box.npy("t.npy", [[1, 0]] * len(rows))
    done = box.run(*args, "--target-embeddings", "t.npy", "--max-similarity", "0.5")
    equal(len(picks(done)), 1)  # all rows of the target are alike
    box.file("empty.txt", "")
    contains(box.run(*args[:4], "--target", "empty.txt", "--budget", "1", expect=3).err, "empty.txt")


@case
def a_target_that_nobody_reads_is_refused(box):
    args = huds(box) + ["--budget", "2"]
    box.file("t.txt", "o\n")
    contains(box.run(*args, "--target", "t.txt", expect=2).err, "strategy huds does not read the target, but these do: average-dist",
             "; --strategy average-dist is one of them")


@case
def picks_go_out_as_an_annotation_page(box):
    box.file("pool.tsv", "id\tgroup\ttext\na\tg\tone <b>\nb\tg\ttwo words\nc\th\tthree of them\nd\th\tnever picked\n")
    box.file("drafts.tsv", "text\ttranslation\none <b>\teins\n")

    def asked(name):
        text = box.read(name).decode()
        return json.loads(re.search(r'id="asked">(.*?)</script>', text, re.S)[1])
    box.npy("u.npy", [3, 2, 1, 0])
    args = ["select", "pool.tsv", "--strategy", "nnll", "--scores", "u.npy"]
    box.run(*args, "--budget", "3", "--out", "picks.html", "--drafts", "drafts.tsv", "--batch", "first", "--to", "ar")
    page = asked("picks.html")
    equal(page["target"], "ar")
    contains(box.run(*args, "--budget", "3", "--out", "picks.tsv", "--to", "ar", expect=2).err, "no --model is one that translates")
    equal([item["id"] for item in page["items"]], ["a", "b", "c"])
    equal(page["batch"], "first")
    equal([item.get("draft") for item in page["items"]], ["eins", None, None])
    equal(page["items"][1]["context"], "one <b>\ntwo words")
    box.run(*args, "--budget", "1,2", "--out", "picks-{budget}.html", "--task", "classes", "--labels", "x,y")
    equal([len(asked("picks-%d.html" % count)["items"]) for count in (1, 2)], [1, 2])
    equal([asked("picks-1.html")["task"], asked("picks-1.html")["labels"]], ["classes", ["x", "y"]])
    contains(box.run(*args, "--budget", "1", "--out", "no.html", "--task", "tags", expect=2).err, "needs labels")
    contains(box.run(*args, "--budget", "1", "--labels", "x", expect=2).err, "--labels is read with --out NAME.html only")
    equal(box.exists("no.html"), False)


if __name__ == "__main__":
    raise SystemExit(main())
