# SPDX-License-Identifier: Apache-2.0
"""alcore select: from which columns the values come, in which forms, and what is said where one is missing."""
import gzip
import json
import math
import os
import struct

from harness import case, contains, equal, main, rows_of, vector
from select_pool import E, U, huds, picks

CANDIDATES = vector("random", "TV-DRAW", "candidates")["picks"]


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

if __name__ == "__main__":
    raise SystemExit(main())
