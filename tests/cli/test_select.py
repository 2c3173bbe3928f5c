# SPDX-License-Identifier: Apache-2.0
"""alcore select: what is selected, from which columns, sides and budgets."""
import gzip
import json
import math
import os
import re
import struct

from harness import case, contains, equal, main, rows_of, vector
from select_pool import E, TEXTS, U, huds, picks

CANDIDATES = vector("random", "TV-DRAW", "candidates")["picks"]


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
def round_trips_are_read(box):
    one = vector("scores", "TV-RTTL", "default")
    given = vector("scores", "TV-RTTL")["input"]["logprobs"]
    box.file("pool.txt", "".join("text %d of four\n" % row for row in range(4)))
    box.npy("lp.npy", [value for row in given for value in row], "<f8")
    box.npy("o.npy", [sum(map(len, given[:row])) for row in range(5)], "<i8")
    args = ["select", "pool.txt", "--strategy", "rttl", "--budget", "4"]
    equal(picks(box.run(*args, "--logprobs", "lp.npy", "--offsets", "o.npy")), one["order"])
    # Log-probabilities of a language model of the texts are not those of a round trip.
    done = box.run(*args, expect=3)
    contains(done.err, "'logprobs' is needed", "no model makes it",
             "; --logprobs FILE gives those of translating back, by two models (docs/models.md, Round trips)")
    assert "ngram" not in done.err
    contains(box.run("score", "pool.txt", "--scorer", "rttl", expect=3).err, "scorer rttl needs the column 'logprobs'",
             "; --logprobs FILE gives those of translating back")
    box.file("back.txt", "text 0 of four\ntext 1 of\n\ntext three\n")
    done = box.run("select", "pool.txt", "--strategy", "rtt-bleu", "--budget", "2", "--roundtrip", "back.txt")
    equal(picks(done), [2, 3])
    box.file("short.txt", "text 0 of four\n")
    contains(box.run("select", "pool.txt", "--strategy", "rtt-bleu", "--budget", "2", "--roundtrip", "short.txt", expect=3).err,
             "pool.txt has 4 lines and short.txt has 1")


@case
def losses_are_clustered(box):
    one = vector("baselines", "TV-ALPS-DRAWN", "round 1")
    losses = vector("baselines", "TV-ALPS-DRAWN")["cases"][0]["input"]["losses"]
    box.file("pool.txt", "".join("text %d\n" % row for row in range(len(losses))))
    box.npy("loss.npy", [value for row in losses for value in row], "<f8")
    box.npy("o.npy", [sum(map(len, losses[:row])) for row in range(len(losses) + 1)], "<i8")
    done = box.run("select", "pool.txt", "--strategy", "alps", "--budget", "5", "--seed", "42", "--losses", "loss.npy", "--offsets", "o.npy")
    equal(picks(done), one["picks"])


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
def ready_scores_in_three_forms(box):
    args = huds(box)
    wanted = picks(box.run(*args, "--budget", "8"))
    box.file("u.txt", "".join("%r\n" % u for u in U))
    box.file("u.tsv", "".join("%d\t%r\n" % (i + 1, U[i]) for i in reversed(range(8))))
    for name in ("u.txt", "u.tsv"):
        args[3] = name
        equal(picks(box.run(*args, "--budget", "8")), wanted, name)


@case
def scores_may_mean_three_things(box):
    args = huds(box)
    for unread in ("-p", "--embeddings", "--strategy"):
        del args[args.index(unread):args.index(unread) + 2]
    args += ["--strategy", "nnll", "--budget", "3"]
    equal(picks(box.run(*args)), [7, 6, 5])
    equal(picks(box.run(*args, "--scores-are", "uncertainty")), [7, 6, 5])
    equal(picks(box.run(*args, "--scores-are", "confidence")), [0, 1, 2])
    box.npy("lp.npy", [-u for u in U], "<f8")
    args[3] = "lp.npy"
    equal(picks(box.run(*args, "--scores-are", "logprob")), [7, 6, 5])


@case
def logprobs_in_every_form_agree(box):
    lp = [[-0.5], [-1.0, -2.0], [-0.1, -0.1, -0.1], [-3.0]]
    box.file("pool.txt", "a\nb b\nc c c\nd\n")
    box.npy("values.npy", [x for row in lp for x in row])
    box.npy("offsets.npy", [0, 1, 3, 6, 7], "<i8")
    box.file("x.lp", "".join("%d\t%s\n" % (i + 1, " ".join(map(repr, lp[i]))) for i in (2, 0, 3, 1)))
    args = ["select", "pool.txt", "--strategy", "nnll", "--budget", "4"]
    wanted = [3, 1, 0, 2]
    equal(picks(box.run(*args, "--logprobs", "values.npy", "--offsets", "offsets.npy")), wanted)
    done = box.run(*args, "--logprobs", "x.lp")
    equal(picks(done), wanted)
    two = rows_of(box.run(*args, "--logprobs", "x.lp", "--logprob-base", "2").out)
    assert abs(float(two[0]["score"]) - 3.0 * 0.6931471805599453) < 1e-6, two[0]
    box.file("m.out", "".join("%d ||| x ||| WordScores= %s ||| 0\n" % (i, " ".join(map(repr, lp[i]))) for i in range(4)))
    equal(picks(box.run(*args, "--logprobs", "m.out", "--logprobs-format", "marian")), wanted)
    box.file("f.out", "".join("H-%d\t0\tx\nP-%d\t%s\n" % (i, i, " ".join(map(repr, lp[i]))) for i in (3, 1, 2, 0)))
    equal(picks(box.run(*args, "--logprobs", "f.out", "--logprobs-format", "fairseq")), wanted)


SERVED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "served")


def served(name):
    return os.path.join(SERVED, name)


@case
def answers_of_servers_are_columns(box):
    """What llama.cpp's server answered, and answers as vLLM and SGLang write them, of one model."""
    box.file("pool.tsv", "id\ttext\n" + "".join("r%d\t%s\n" % row for row in enumerate(
        ["the sun is hot", "a fish", "who can say", "in the rain"], 1)))
    args = ["select", "pool.tsv", "--budget", "4", "--logprobs-format", "openai", "--strategy"]
    batch = rows_of(box.run(*args, "nnll", "--logprobs", served("vllm-batch.jsonl")).out)
    equal([row["id"] for row in batch], ["r2", "r1", "r4", "r3"])
    equal([round(float(row["score"]), 6) for row in batch], [2.5, 2.0, 1.9375, 1.75])
    for name in ("vllm-prompt.jsonl", "sglang-completions.jsonl"):
        equal(rows_of(box.run(*args, "nnll", "--logprobs", served(name)).out), batch)
        for mode, option in (("margin-min", "margins"), ("lc", "confidences"), ("entropy", "entropies")):
            same = [rows_of(box.run(*args, "uncertainty", "-p", "mode=" + mode, "--" + option, served(one)).out)
                    for one in (name, "vllm-batch.jsonl")]
            equal([row["id"] for row in same[0]], [row["id"] for row in same[1]])
    with open(served("vllm-batch.jsonl"), "rb") as file:
        box.file("packed.jsonl.gz", gzip.compress(file.read()))
    equal(rows_of(box.run(*args, "nnll", "--logprobs", "packed.jsonl.gz").out), batch)
    with open(served("vllm-batch.jsonl"), "rb") as file:
        equal(rows_of(box.run(*args, "nnll", "--logprobs", "-", input=file.read()).out), batch)
    for name in ("llama.cpp-chats.jsonl", "llama.cpp-completions.jsonl"):
        found = {row["id"]: float(row["score"]) for row in rows_of(box.run(*args, "nnll", "--logprobs", served(name)).out)}
        with open(served(name), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                tokens = [token["logprob"] for token in json.loads(line)["choices"][0]["logprobs"]["content"]]
                assert abs(found["r%d" % number] + sum(tokens) / len(tokens)) < 1e-6, (name, number)
    low, high = ({row["id"]: float(row["score"]) for row in rows_of(box.run(
        *args, "uncertainty", "-p", "mode=entropy", "--entropies", served("llama.cpp-chats.jsonl"), *more).out)} for more in ([], ["--served-vocabulary", "327"]))
    assert all(low[row] < high[row] for row in low), (low, high)
    bad = box.run(*args, "uncertainty", "--margins", served("llama.cpp-chats.jsonl"), "--logprob-base", "2", expect=2)
    assert "--logprob-base does not go with --logprobs-format openai" in bad.err, bad.err
    bad = box.run(*args, "nnll", expect=2)
    assert "--logprobs-format openai needs --logprobs" in bad.err, bad.err
    bad = box.run(*args, "nnll", "--logprobs", served("vllm-batch.jsonl"), "--served-vocabulary", "9", expect=2)
    assert "--served-vocabulary needs --entropies" in bad.err, bad.err
    box.file("few.jsonl", "".join(open(served("llama.cpp-chats.jsonl"), encoding="utf-8").readlines()[:3]))
    bad = box.run(*args, "nnll", "--logprobs", "few.jsonl", expect=3)
    assert "r4" in bad.err or "row 3" in bad.err, bad.err


@case
def a_positive_logprob_is_refused_with_the_hint(box):
    box.file("pool.txt", "a\nb\n")
    box.file("x.lp", "1\t0.5\n2\t0.7\n")
    done = box.run("select", "pool.txt", "--strategy", "nnll", "--logprobs", "x.lp", "--budget", "1", expect=3)
    contains(done.err, "negative log-likelihood")


@case
def uncertainty_without_probabilities_names_the_column(box):
    box.file("pool.txt", "a\nb\n")
    done = box.run("select", "pool.txt", "--strategy", "uncertainty", "--budget", "1", expect=3)
    contains(done.err, "probs|token_probs' is needed", "; --probs FILE gives the missing values, as a model with a head for classes")


@case
def what_gives_a_column_is_told(box):
    box.file("pool.txt", "a\nb\n")
    for name, told in [("rtt-bleu", "--roundtrip FILE gives the texts translated and translated back"),
                       ("bald", "--sample-probs FILE gives the classes by several passes of a model"),
                       ("alps", "--losses FILE gives the missing values, as a masked language model"),
                       ("egl", "--probs FILE gives the missing values, as a model with a head for classes")]:
        contains(box.run("select", "pool.txt", "--strategy", name, "--budget", "1", expect=3).err, "; " + told)
    contains(box.run("score", "pool.txt", "--scorer", "bald", expect=3).err, "; --sample-probs FILE gives the classes")


def ragged(box, name, rows, kind="<f8"):
    """NAME.npy with the values of all rows, one row after another, and NAME-offsets.npy."""
    box.npy(name + ".npy", [one for row in rows for one in row], kind)
    box.npy(name + "-offsets.npy", [sum(map(len, rows[:row])) for row in range(len(rows) + 1)], "<i8")


def close(done, wanted):
    """Whether `id TAB score` lines in the order of the pool are the scores of a vector."""
    found = [float(line.split("\t")[1]) for line in done.out.splitlines()]
    equal(len(found), len(wanted))
    for score, value in zip(found, wanted):
        assert abs(score - value) < 1e-12, (score, value)


@case
def class_probabilities_of_tokens(box):
    box.file("pool.txt", "a\nb\nc\n")
    smallest = vector("scores", "TV-TOK", "margin-min")
    ragged(box, "t", smallest["token_probs"])
    given = ["pool.txt", "--token-probs", "t.npy", "--offsets", "t-offsets.npy"]
    for mode in ("margin-min", "margin-mean", "mnlp"):
        close(box.run("score", *given, "--scorer", "uncertainty", "-p", "mode=" + mode), vector("scores", "TV-TOK", mode)["u"])
    equal(picks(box.run("select", *given, "--strategy", "uncertainty", "--budget", "3", "--report", "r.json")), smallest["order"])
    contains(box.read("r.json").decode(), "t.npy")
    contains(box.run("score", *given[:3], "--scorer", "uncertainty", expect=2).err, "--token-probs needs --offsets FILE.npy")
    box.npy("p.npy", [[.5, .5]] * 3)
    contains(box.run("score", "pool.txt", "--probs", "p.npy", "--offsets", "t-offsets.npy", "--scorer", "uncertainty", expect=2).err,
             "--offsets needs values of tokens", "--token-probs")


@case
def probabilities_of_answers(box):
    box.file("pool.txt", "a\nb\nc\n")
    known = vector("scores", "TV-QA", "windows")
    for name in ("start", "end"):
        ragged(box, name, known[name])
    ragged(box, "w", known["windows"], "<i8")
    given = ["score", "pool.txt", "--scorer", "sum-prob", "--qa-start", "start.npy", "--qa-end", "end.npy", "--offsets", "start-offsets.npy"]
    close(box.run(*given), vector("scores", "TV-QA", "sum-prob")["u"])
    windows = ["-p", "windows=1", "--qa-windows", "w.npy", "--qa-window-offsets", "w-offsets.npy"]
    close(box.run(*given, *windows), known["u"])
    contains(box.run(*given, *windows[:4], expect=2).err, "--qa-windows needs --qa-window-offsets")
    contains(box.run(*given, *windows[-2:], expect=2).err, "--qa-window-offsets needs --qa-windows")


@case
def answers_are_an_uncertainty_of_three_strategies(box):
    box.file("pool.txt", "".join("row %d\n" % row for row in range(7)))
    box.file("t.txt", "goal 0\ngoal 1\n")
    for strategy, own in (("uncertainty", []), ("knn-uncertainty", ["-p", "k=2"]), ("uncertainty-knn", ["-p", "c=1"])):
        for name, mode in (("windows", ["-p", "windows=1", "--qa-windows", "w.npy", "--qa-window-offsets", "w-offsets.npy"]),
                           ("one window", ["-p", "mode=sum-prob"])):
            one = vector("multilingual", "TV-ANSWERS", "%s, %s" % (strategy, name))
            for column in ("start", "end"):
                ragged(box, column, one[column])
            ragged(box, "w", one["windows"], "<i8")
            box.npy("e.npy", one["source"])
            box.npy("t.npy", one["target"])
            target = [] if strategy == "uncertainty" else ["--embeddings", "e.npy", "--target", "t.txt", "--target-embeddings", "t.npy"]
            done = box.run("select", "pool.txt", "--strategy", strategy, "--budget", str(one["b"]), "--qa-start", "start.npy",
                           "--qa-end", "end.npy", "--offsets", "start-offsets.npy", *mode, *own, *target)
            equal(picks(done), one["picks"], strategy + ", " + name)


@case
def ready_uncertainties_score_as_the_probabilities_they_are_of(box):
    box.file("pool.txt", "a\nb\nc\n")
    probs = [[0.7, 0.2, 0.1], [0.4, 0.35, 0.25], [0.5, 0.5, 0.0]]
    measures = {
        "margins": ("margin", lambda row: sorted(row)[-1] - sorted(row)[-2]),
        "confidences": ("lc", max),
        "entropies": ("entropy", lambda row: -sum(p * math.log(p) for p in row if p > 0)),
    }
    box.npy("p.npy", probs, "<f8")
    ragged(box, "tokens", [probs[:1], probs[1:], probs])
    for name, (scorer, measure) in measures.items():
        box.npy(name + ".npy", [measure(row) for row in probs], "<f8")
        wanted = box.run("score", "pool.txt", "--scorer", scorer, "--probs", "p.npy")
        close(box.run("score", "pool.txt", "--scorer", scorer, "--" + name, name + ".npy"),
              [float(line.split("\t")[1]) for line in wanted.out.splitlines()])
        by_select = box.run("select", "pool.txt", "--strategy", scorer, "--budget", "3", "--" + name, name + ".npy")
        equal(picks(by_select), picks(box.run("select", "pool.txt", "--strategy", scorer, "--budget", "3", "--probs", "p.npy")))
    mode = ["score", "pool.txt", "--scorer", "uncertainty", "-p", "mode=margin-mean"]
    ragged(box, "of-tokens", [[measures["margins"][1](row) for row in rows] for rows in (probs[:1], probs[1:], probs)])
    wanted = box.run(*mode, "--token-probs", "tokens.npy", "--offsets", "tokens-offsets.npy")
    close(box.run(*mode, "--margins", "of-tokens.npy", "--offsets", "of-tokens-offsets.npy"),
          [float(line.split("\t")[1]) for line in wanted.out.splitlines()])


@case
def the_hint_for_losses_names_their_option(box):
    box.file("pool.txt", "a\nb\n")
    contains(box.run("select", "pool.txt", "--strategy", "alps", "--budget", "1", expect=3).err, "; --losses FILE gives")


@case
def class_probabilities(box):
    box.file("pool.txt", "a\nb\nc\nd\n")
    box.npy("p.npy", [[.5, .4, .1], [.4, .31, .29], [.9, .05, .05], [1 / 3] * 3], "<f8")
    args = ["select", "pool.txt", "--probs", "p.npy", "--budget", "4", "--strategy"]
    equal(picks(box.run(*args, "uncertainty")), [3, 1, 0, 2])
    equal(picks(box.run(*args, "uncertainty", "-p", "margin=log")), [3, 0, 1, 2])
    equal(picks(box.run(*args, "lc")), [3, 1, 0, 2])
    equal(picks(box.run(*args, "entropy")), [3, 1, 0, 2])
    equal(picks(box.run(*args, "margin")), [3, 1, 0, 2])


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


PHRASE_TEXTS = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported",
                "the patient was treated", "headache was reported", "the patient has fever"]


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


@case
def an_earlier_selection_is_excluded(box):
    args = huds(box) + ["--budget", "3"]
    for name in ("first.tsv", "first.jsonl"):
        box.run(*args, "--out", name)
        equal(picks(box.run(*args, "-p", "lambda=0", "--exclude", name))[:1], [6], name)


@case
def candidates_of_the_command_take_their_own_columns(box):
    box.file("pool.txt", "".join("text %d\n" % i for i in range(10)))
    box.run("candidates", "pool.txt", "--count", "4", "--seed", "42", "--out", "c.tsv")
    rows = rows_of(box.read("c.tsv").decode())
    equal([row["index"] for row in rows], [str(row) for row in CANDIDATES])
    equal(list(rows[0]), ["index", "id", "text"])
    box.file("u.txt", "1\n4\n2\n3\n")
    done = box.run("select", "pool.txt", "--candidates", "c.tsv", "--scores", "u.txt", "--strategy", "nnll", "--budget", "9")
    equal(picks(done), [3, 6, 5, 2])
    box.file("u.tsv", "6\t2\n7\t3\n3\t1\n4\t4\n")  # by id: rows 5 6 2 3
    done = box.run("select", "pool.txt", "--candidates", "c.tsv", "--scores", "u.tsv", "--strategy", "nnll", "--budget", "9")
    equal(picks(done), [3, 6, 5, 2])


@case
def rows_too_similar_to_a_pick_are_passed_over(box):
    args = huds(box) + ["-p", "lambda=0", "--budget", "3", "--max-similarity", "0.9"]
    done = box.run(*args)
    equal(picks(done), [7, 5, 3])  # 6 and 4 point the way of 7
    contains(done.err, "too similar to a pick")
    contains(box.run(*args[:-2], "--spread", "0.9", expect=2).err, "--max-similarity")


@case
def columns_come_from_safetensors(box):
    args = huds(box)
    flat = [x for row in E for x in row]
    head = json.dumps({"u": {"dtype": "F64", "shape": [8], "data_offsets": [0, 64]},
                       "e": {"dtype": "F32", "shape": [8, 2], "data_offsets": [64, 128]}}).encode()
    head += b" " * (-len(head) % 8)
    box.file("c.safetensors", struct.pack("<Q", len(head)) + head + struct.pack("<8d16f", *U, *flat))
    args = ["select", "pool.txt", "--strategy", "huds", "-p", "n_strata=4", "--budget", "4", "--scores", "c.safetensors:u", "--embeddings"]
    equal(picks(box.run(*args, "c.safetensors:e")), [7, 5, 4, 6])
    contains(box.run(*args, "c.safetensors:none", expect=3).err, "none")
    contains(box.run(*args, "c.safetensors", expect=3).err, "TENSOR")


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
