# SPDX-License-Identifier: Apache-2.0
"""alcore plot and alcore rho: tables and pictures from files, and the correlation of the specification's vector."""
import json
import os
import sys
import time
import xml.etree.ElementTree as xml

from harness import case, contains, equal, main, rows_of, vector

RUNS = "strategy\tseed\tround\twords\tmetric\n" + "".join(
    "%s\t%d\t%d\t%d\t%g\n" % (name, seed, number, 1000 * number + seed, base + number + seed / 10)
    for name, base in (("huds", 20), ("a<b & \"c\"", 18)) for number in (1, 2, 3) for seed in (2, 22, 42))


def texts_of(svg):
    """The texts of a picture, which is well-formed XML."""
    return ["".join(node.itertext()) for node in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@case
def curves_are_means_over_seeds(box):
    box.file("runs.tsv", RUNS)
    box.run("plot", "curves", "runs.tsv", "--out", "c.tsv")
    table = rows_of(box.read("c.tsv").decode())
    equal([(row["series"], row["round"], row["n"]) for row in table][:4],
          [("huds", "1", "3"), ("huds", "2", "3"), ("huds", "3", "3"), ("a<b & \"c\"", "1", "3")])
    equal(float(table[0]["x"]), 1022.0)
    assert abs(float(table[0]["mean"]) - 23.2) < 1e-9 and abs(float(table[0]["sd"]) - 2.0) < 1e-9
    assert abs(float(table[0]["se"]) - 2 / 3 ** 0.5) < 1e-9
    for name, options in (("se.svg", []), ("sd.svg", ["--band", "sd"]), ("none.svg", ["--band", "none", "--title", "T & T"])):
        box.run("plot", "curves", "runs.tsv", "--out", name, *options)
        texts = texts_of(box.read(name))
        for wanted in ("huds", "a<b & \"c\"", "words", "metric", "1,000"):
            assert wanted in texts, (wanted, texts)
    assert "T & T" in texts
    assert len({box.read(name) for name in ("se.svg", "sd.svg", "none.svg")}) == 3
    equal(box.run("plot", "curves", "runs.tsv").out, box.read("c.tsv").decode())


@case
def a_file_without_names_is_a_series(box):
    box.file("one.tsv", "words\tmetric\n10\t1\n20\t2\n\t3\n")
    box.file("two.tsv", "words\tmetric\n10\t3\n")
    table = rows_of(box.run("plot", "curves", "one.tsv", "two.tsv").out)
    equal([(row["series"], row["round"], row["x"]) for row in table], [("one", "", "10"), ("one", "", "20"), ("two", "", "10")])


@case
def a_scatter_has_the_first_picks_of_each_round(box):
    box.file("pool.txt", "".join("sentence number %d of a pool\n" % row for row in range(60)))
    for number in ("1", "2"):
        box.run("select", "pool.txt", "--strategy", "huds", "--budget", "15", "--round", number, "--out", "s%s.tsv" % number, "-q",
                *(["--exclude", "s1.tsv"] if number == "2" else []))
    table = rows_of(box.run("plot", "scatter", "s1.tsv", "s2.tsv").out)
    equal(len(table), 20)
    picks = rows_of(box.read("s1.tsv").decode())
    for ours, theirs in (("x", "u"), ("y", "d"), ("index", "index"), ("H", "H"), ("stratum", "stratum")):
        equal([row[ours] for row in table[:10]], [row[theirs] for row in picks[:10]])
    box.file("plain.tsv", "u\td\n1\t2\n")
    both = rows_of(box.run("plot", "scatter", "s1.tsv", "plain.tsv").out)
    equal((both[0]["index"], both[-1]["series"], both[-1]["index"], both[-1]["H"]), (picks[0]["index"], "plain", "", ""))
    equal(list(rows_of(box.run("plot", "scatter", "plain.tsv").out)[0]), ["series", "round", "x", "y"])
    equal(len(rows_of(box.run("plot", "scatter", "s1.tsv", "--first", "3", "--x", "score").out)), 3)
    assert "uncertainty u" in texts_of(box.run("plot", "scatter", "s1.tsv", "--out", "s.svg") and box.read("s.svg"))


@case
def a_table_of_a_plot_is_not_read_from_standard_input(box):
    for what in ("curves", "scatter"):
        assert "it is read once for each column" in box.run("plot", what, "-", expect=2).err


@case
def a_scatter_of_other_strategies_has_the_terms_of_huds(box):
    box.file("pool.tsv", "id\ttext\n" + "".join("r%d\tsentence number %d of a pool\n" % (row, row) for row in range(60)))
    box.run("select", "pool.tsv", "--strategy", "huds", "--budget", "60", "--out", "all.tsv", "-q")
    box.run("select", "pool.tsv", "--strategy", "huds", "--budget", "12", "--out", "huds.tsv", "-q")
    box.run("select", "pool.tsv", "--budget", "12", "--strategy", "nnll", "--out", "nnll.tsv", "-q")
    terms = {row["id"]: (row["u"], row["d"], row["H"], row["stratum"]) for row in rows_of(box.read("all.tsv").decode())}
    picks = {name: [row["id"] for row in rows_of(box.read(name + ".tsv").decode())][:10] for name in ("nnll", "huds")}
    wanted = [(name, *terms[one]) for name in picks for one in picks[name]]
    contains(box.run("plot", "scatter", "nnll.tsv", "huds.tsv", expect=3).err, "nnll.tsv")
    given = ["plot", "scatter", "nnll.tsv", "huds.tsv", "--terms", "all.tsv"]
    shown = [(row["series"], row["x"], row["y"], row["H"], row["stratum"]) for row in rows_of(box.run(*given).out)]
    equal(shown, wanted)
    # A table each, of which those of huds have their own terms.
    each = rows_of(box.run(*given, "--terms", "huds.tsv").out)
    equal([(row["series"], row["x"], row["y"]) for row in each], [pick[:3] for pick in wanted])
    contains(box.run(*given, "--terms", "all.tsv", "--terms", "all.tsv", expect=2).err, "3 times for 2 tables")
    lost = next(number for number, one in enumerate(picks["nnll"]) if one not in {row["id"] for row in rows_of(box.read("huds.tsv").decode())})
    contains(box.run(*given[:3], "--terms", "huds.tsv", expect=3).err, "nnll.tsv: entry %d" % (lost + 1), "huds.tsv has no row",
             "'%s'" % picks["nnll"][lost])


@case
def a_map_shows_picks_by_round_and_the_target(box):
    box.file("pool.txt", "".join("row %d\n" % row for row in range(8)) + "row 1\n")
    box.file("target.txt", "goal\nother goal\n")
    box.npy("e.npy", [[float(row), float(row % 3)] for row in range(9)])
    box.npy("t.npy", [[4.0, 1.0], [5.0, 0.0]])
    box.file("one.txt", "2\n4\n")
    box.file("two.txt", "5\n")
    args = ["plot", "map", "pool.txt", "one.txt", "two.txt", "--embeddings", "e.npy", "--target", "target.txt", "--target-embeddings", "t.npy"]
    table = rows_of(box.run(*args).out)
    equal([(row["series"], row["round"]) for row in table],
          [("candidates", "0"), ("picks", "1"), ("candidates", "0"), ("picks", "1"), ("picks", "2")] + [("candidates", "0")] * 3 +
          [("target", "0")] * 2)  # the ninth row repeats a text: it takes no part
    equal(table[4]["x"], table[8]["x"])  # row 5 and the first target lie at the same place
    box.run(*args, "--out", "map.svg")
    texts = texts_of(box.read("map.svg"))
    for wanted in ("candidates", "picks", "target", "rounds 1 to 2", "component 1", "component 2"):
        assert wanted in texts, (wanted, texts)
    contains(box.run("plot", "map", "pool.txt", "missing.txt", expect=4).err, "missing.txt")


@case
def rho_is_that_of_the_vector(box):
    known = vector("multilingual", "TV-RHO")
    given = known["input"]
    box.file("source.txt", "".join("s%d\n" % row for row in range(6)))
    box.file("target.txt", "".join("t%d\n" % row for row in range(4)))
    for name, values in (("s.npy", given["source"]), ("t.npy", given["target"]), ("us.npy", given["u_source"]), ("ut.npy", given["u_target"])):
        box.npy(name, values, "<f8")
    args = ["rho", "source.txt", "--target", "target.txt", "--embeddings", "s.npy", "--target-embeddings", "t.npy", "--scores", "us.npy",
            "--target-scores", "ut.npy"]
    wanted = {one["input"]["k"]: one["expected"] for one in known["cases"]}
    for row in rows_of(box.run(*args, "--k", "2,1").out):
        assert abs(float(row["rho"]) - wanted[int(row["k"])]["rho"]) < 1e-12
        assert abs(float(row["p"]) - wanted[int(row["k"])]["p"]) < 1e-12
    equal([row["k"] for row in rows_of(box.run(*args).out)], ["1", "2", "4"])
    box.run(*args, "--json", "--out", "rho.json")
    equal([row["k"] for row in json.loads(box.read("rho.json"))], [1, 2, 4])
    box.npy("same.npy", [0.5] * 4, "<f8")
    args[-1] = "same.npy"
    done = box.run(*args, "--k", "1")
    equal(done.out, "k\trho\tp\n1\tnan\tnan\n")
    contains(done.err, "the same everywhere")
    equal(json.loads(box.run(*args, "--k", "1", "--json").out), [{"k": 1, "rho": None, "p": None}])


@case
def rho_has_thousands_of_neighbors(box):
    """On a line the k nearest rows are an interval: of a target at one end the first or last k rows, whose mean is known."""
    rows, places, own = 2100, [0.0, 1000.25, 2099.0], [0.5, 0.1, 0.9]
    box.file("source.txt", "".join("s%d\n" % row for row in range(rows)))
    box.file("target.txt", "".join("t%d\n" % row for row in range(len(places))))
    for name, values in (("s.npy", [[row] for row in range(rows)]), ("t.npy", [[place] for place in places]), ("us.npy", range(rows)),
                         ("ut.npy", own)):
        box.npy(name, list(values), "<f8")
    args = ["rho", "source.txt", "--target", "target.txt", "--embeddings", "s.npy", "--target-embeddings", "t.npy", "--scores", "us.npy",
            "--target-scores", "ut.npy"]
    found = rows_of(box.run(*args).out)
    equal([int(row["k"]) for row in found], [2 ** power for power in range(12)])
    means = [1023.5, 1023.5, rows - 1024.5]  # of the rows 0 .. 2047, twice, and of the last 2048
    middle, other = sum(own) / 3, sum(means) / 3
    product = sum((x - middle) * (y - other) for x, y in zip(own, means))
    norms = sum((x - middle) ** 2 for x in own) * sum((y - other) ** 2 for y in means)
    assert abs(float(found[-1]["rho"]) - product / norms ** 0.5) < 1e-9
    equal(rows_of(box.run(*args, "--k", "2048").out), found[-1:])


@case
def rho_keeps_what_the_model_computes(box):
    for name in ("pool", "target"):
        box.file(name + ".txt", "".join("%s %d has %d words\n" % (name, row, row % 5) for row in range(20)))
    args = ["rho", "pool.txt", "--target", "target.txt", "--k", "2"]
    plain = box.run(*args)
    first, second = (box.run(*args, "--cache", "kept") for _ in range(2))
    assert "cache:" not in plain.err
    equal([first.out, second.out], [plain.out] * 2)
    equal(first.err.count("'logprobs': 0 rows were there, 20 are computed"), 2)
    equal(second.err.count("'logprobs': 20 rows were there, 0 are computed"), 2)
    old = time.time() - 1000
    for entry in os.listdir(os.path.join(box.path, "kept")):
        os.utime(os.path.join(box.path, "kept", entry), (old, old))
    equal(box.run(*args, "--cache", "kept", "--cache-max-age", "500").err.count("0 rows were there, 20 are computed"), 2)
    contains(box.run(*args, "--cache-max-age", "5", expect=2).err, "--cache-max-age needs --cache DIR")
    contains(box.run(*args, "--cache", "kept", "--cache-max-age", "-1", expect=2).err, "--cache-max-age -1: seconds or off")


@case
def costs_are_those_of_the_vector(box):
    known = vector("analyses", "TV-COST")
    for one in known["cases"]:
        for words, usd in zip(known["input"]["words"], one["expected"]["usd"]):
            found = json.loads(box.run("eval", "cost", "--words", str(words), "--cost-model", one["name"], "--bleu-gain", "2", "--types", "50",
                                       "--json").out)
            for name, wanted in (("usd", usd), ("usd_per_bleu", usd / 2), ("usd_per_type", usd / 50)):
                assert abs(found[name] - wanted) < 1e-6, (one["name"], name)
    equal(box.run("eval", "cost", "--words", "100", "--rate", "0.25").out, "usd\t25\n")
    contains(box.run("eval", "cost", expect=2).err, "--words")
    contains(box.run("eval", "cost", "--words", "many", expect=2).err, "--words many")
    contains(box.run("eval", "cost", "--words", "5", "file.txt", expect=2).err, "no file")
    contains(box.run("eval", "mean", "file.txt", "--words", "5", expect=2).err, "no option '--words'")


@case
def ablate_has_the_layout_of_table_7(box):
    box.file("pool.txt", "".join("text %d of %d words\n" % (row, row % 7) for row in range(200)))
    box.file("test.txt", "text 3 and 5 of 6\nunknown\n")
    box.file("lp.lp", "".join("%d\t%g\n" % (row + 1, -(row * 7919 % 211) / 211) for row in range(200)))
    box.npy("e.npy", [[row % 31 - 15.0, row * 5 % 17 - 8.0] for row in range(200)])
    given = ["pool.txt", "--strategy", "huds", "--logprobs", "lp.lp", "--embeddings", "e.npy", "--budget", "60w"]
    table = rows_of(box.run("ablate", *given, "--test", "test.txt").out)
    equal([float(row["lambda"]) for row in table], [0, .1, .3, .5, .7, .9, 1])
    equal(list(table[0]), ["lambda", "items", "words", "overlap", "share_nnll", "share_diversity"])
    picks = {}
    for row in table:  # each row is that of a run of its own
        box.run("select", *given, "-p", "lambda=" + row["lambda"], "--out", "one.tsv", "--report", "one.json", "-q")
        alone = rows_of(box.read("one.tsv").decode())
        picks[row["lambda"]] = {one["index"] for one in alone}
        equal((int(row["items"]), int(row["words"])), (len(alone), sum(int(one["cost"]) for one in alone)))
        box.file("picked.txt", "".join(one["text"] + "\n" for one in alone))
        found = json.loads(box.run("eval", "overlap", "test.txt", "--selected", "picked.txt", "-n", "1", "--json").out)
        assert abs(float(row["overlap"]) - found["selected_1"]) < 1e-3
        terms = json.loads(box.read("one.json")).get("terms")
        if terms:  # what the selection itself says of its terms
            equal([term["alone"] for term in terms.values()], ["nnll", "diversity"])
            for term in terms.values():
                assert abs(float(row["share_" + term["alone"]]) - term["also"] / len(alone)) < 1e-5
    for row in table:
        mine = picks[row["lambda"]]
        assert abs(float(row["share_nnll"]) - len(mine & picks["0"]) / len(mine)) < 1e-5
        assert abs(float(row["share_diversity"]) - len(mine & picks["1"]) / len(mine)) < 1e-5
    equal(float(table[0]["share_nnll"]), 1.0)
    equal(float(table[-1]["share_diversity"]), 1.0)
    equal([row["overlap"] for row in rows_of(box.run("ablate", *given, "--lambda", "0.5").out)], [""])
    box.run("ablate", *given, "--lambda", "0,1", "--json", "--out", "t.json")
    equal([row["lambda"] for row in json.loads(box.read("t.json"))], [0.0, 1.0])
    contains(box.run("ablate", "pool.txt", expect=2).err, "--budget")
    contains(box.run("ablate", "pool.txt", "--budget", "3", expect=2).err, "name a strategy that has one, such as huds")
    contains(" ".join(box.run("ablate", "--help").out.split()), "of ablate one that has lambda or ratio, which the recommended one has not")
    contains(box.run("ablate", *given, "--lambda", "2", expect=2).err, "lambda")
    contains(box.run("ablate", given[0], "--strategy", "gold", *given[3:], expect=2).err, "gold has no parameters")


@case
def ratios_of_a_hybrid_are_swept(box):
    words = ["heart", "severe", "headache", "patient", "fever", "nausea", "late", "report", "was"]
    box.file("pool.txt", "".join("the %s has %s %s and %s\n" % (words[row % 9], words[row * 2 % 9], words[row * 5 % 7], words[row // 9 % 9])
                                 for row in range(150)))
    box.file("labeled.txt", "the report was late\nit has a heart\n")
    box.file("test.txt", "the patient has fever\nunknown nausea\n")
    given = ["pool.txt", "--strategy", "hybrid", "-p", "sentences=random", "--labeled", "labeled.txt", "--budget", "60w"]
    table = rows_of(box.run("ablate", *given, "--ratio", "0,.3,1", "--test", "test.txt").out)
    equal(list(table[0]), ["ratio", "items", "phrases", "words", "overlap", "share_phrases", "share_sentences"])
    picks = {}
    for row in table:  # each row is that of a run of its own
        box.run("select", *given, "-p", "ratio=" + row["ratio"], "--out", "one.tsv", "-q")
        alone = rows_of(box.read("one.tsv").decode())
        picks[row["ratio"]] = {one["id"] for one in alone}  # of a phrase it names place and length
        equal((int(row["items"]), int(row["words"])), (len(alone), sum(int(one["cost"]) for one in alone)))
        equal(int(row["phrases"]), sum(one["kind"] == "phrase" for one in alone))
        box.file("picked.txt", "".join(one["text"] + "\n" for one in alone))
        found = json.loads(box.run("eval", "overlap", "test.txt", "--selected", "picked.txt", "-n", "1", "--json").out)
        assert abs(float(row["overlap"]) - found["selected_1"]) < 1e-3
    equal(list(picks), ["0", "0.3", "1"])
    assert table[1]["phrases"] not in ("0", table[1]["items"]), table
    for row in table:
        mine = picks[row["ratio"]]
        assert abs(float(row["share_phrases"]) - len(mine & picks["0"]) / len(mine)) < 1e-5, row
        assert abs(float(row["share_sentences"]) - len(mine & picks["1"]) / len(mine)) < 1e-5, row
    assert 0 < float(table[1]["share_phrases"]) < 1, table
    equal([row["ratio"] for row in rows_of(box.run("ablate", *given).out)], ["0", "0.25", "0.5", "0.75", "1"])
    contains(box.run("ablate", *given, "--ratio", "0,2", expect=2).err, "ratio")
    contains(box.run("ablate", *given, "--ratio", "0", "--lambda", "0", expect=2).err, "--lambda and --ratio exclude each other")
    contains(box.run("ablate", "pool.txt", "--ratio", "0", "--strategy", "gold", "--budget", "9", expect=2).err,
             "gold has no parameters")
    # Strategies that buy phrases have a pool of them for each weight.
    for row in rows_of(box.run("ablate", "pool.txt", "--strategy", "huds-phrase", "--lambda", "0,.5,1", "--budget", "20w").out):
        box.run("select", "pool.txt", "--strategy", "huds-phrase", "-p", "lambda=" + row["lambda"], "--budget", "20w", "--out", "one.tsv", "-q")
        alone = rows_of(box.read("one.tsv").decode())
        equal((int(row["items"]), int(row["words"])), (len(alone), sum(len(one["text"].split()) for one in alone)))


@case
def selections_consist_of(box):
    """Every measure of spec 7.13 against loops over all pairs."""
    tags = [("de", "fr", "sw")[row * 7 % 3] for row in range(30)]
    box.file("pool.tsv", "text\tlang\n" + "".join("text %d\t%s\n" % (row, tag) for row, tag in enumerate(tags)))
    box.file("target.tsv", "text\tlang\n" + "".join("target %d\t%s\n" % (row, "sw" if row % 2 else "yo") for row in range(8)))
    u = [(row * 7919 % 31) / 31 for row in range(30)]
    e = [[row % 7 - 3.0, row * 5 % 11 - 5.0] for row in range(30)]
    t = [[row % 3 - 1.0, row * 2.0 - 7] for row in range(8)]
    box.npy("u.npy", u, "<f8")
    box.npy("e.npy", e)
    box.npy("t.npy", t)
    rounds = [[3, 8, 4, 20], [8, 1, 29]]
    for number, rows in enumerate(rounds, 1):
        box.file("round%d.txt" % number, "".join("%d\n" % (row + 1) for row in rows))
    box.file("other.txt", "4\n9\n15\n")
    # Leverage: row 3 is in the memory, and the others have nothing in common with it.
    texts = box.read("pool.tsv").decode().split("\n")
    box.file("memory.tsv", texts[0] + "\n" + texts[4] + "\n")
    found = json.loads(box.run("composition", "pool.tsv", "--selection", "round1.txt", "--labeled", "memory.tsv", "--json").out)[0]["leverage"]
    equal(sorted(found), ["100", "50", "75", "85", "95", "none", "repeated"])
    equal((found["100"]["rows"], sum(band["rows"] for band in found.values())), (1, 4))
    contains(box.run("composition", "pool.tsv", "--selection", "round1.txt", "--labeled", "memory.tsv").out, "leverage_rows_100\t1\n", "leverage_words_none\t")
    given = ["composition", "pool.tsv", "--selection", "round1.txt", "--selection", "round2.txt", "--other", "other.txt", "--target",
             "target.tsv", "--scores", "u.npy", "--embeddings", "e.npy", "--target-embeddings", "t.npy", "--k", "3"]
    found = json.loads(box.run(*given, "--json").out)
    equal([one["selection"] for one in found], ["round1.txt", "round2.txt", "all"])

    def distance(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5

    near = [set(sorted(range(30), key=lambda row: (distance(e[row], one), row))[:3]) for one in t]
    for one, rows in zip(found, [*map(set, rounds), set(rounds[0] + rounds[1])]):
        equal(one["rows"], len(rows))
        equal(one["languages"], {tag: {"rows": sum(tags[row] == tag for row in rows),
                                       "share": sum(tags[row] == tag for row in rows) / len(rows)} for tag in ("de", "fr", "sw")})
        equal(one["target_language_rows"], one["languages"]["sw"]["rows"])
        equal(one["target_language_share"], one["languages"]["sw"]["share"])
        ordered = sorted(u[row] for row in rows)
        middle = (ordered[(len(rows) - 1) // 2] + ordered[len(rows) // 2]) / 2
        mean = sum(sum(distance(e[row], two) for two in t) / len(t) for row in rows) / len(rows)
        for name, wanted in (("mean_uncertainty", sum(ordered) / len(rows)), ("median_uncertainty", middle), ("mean_distance", mean),
                             ("targets", 8), ("targets_reached", sum(bool(rows & reached) for reached in near))):
            assert abs(one[name] - wanted) < 1e-6, (name, one[name], wanted)
        equal(one["jaccard"], {"other.txt": len(rows & {3, 8, 14}) / len(rows | {3, 8, 14})})
    # The table has a line a measure and a column a selection; what was not given is left out.
    table = rows_of(box.run(*given).out)
    equal(list(table[0]), ["selection", "round1.txt", "round2.txt", "all"])
    lines = {row["selection"]: row["all"] for row in table}
    equal((lines["rows"], lines["rows_fr"], lines["targets"]), ("6", str(found[2]["languages"]["fr"]["rows"]), "8"))
    assert abs(float(lines["jaccard_other.txt"]) - found[2]["jaccard"]["other.txt"]) < 1e-5
    table = rows_of(box.run("composition", "pool.tsv", "--selection", "other.txt", "--out", "c.tsv").out or box.read("c.tsv").decode())
    equal([row["selection"] for row in table], ["rows"] + [name + tag for tag in ("de", "fr", "sw") for name in ("rows_", "share_")])
    # A selection that the command wrote.
    box.run("select", "pool.tsv", "--scores", "u.npy", "--strategy", "nnll", "--budget", "5", "--out", "sel.tsv", "-q")
    box.file("empty.txt", "")
    found = json.loads(box.run("composition", "pool.tsv", "--selection", "sel.tsv", "--scores", "u.npy", "--json").out)[0]
    assert abs(found["mean_uncertainty"] - sum(sorted(u)[-5:]) / 5) < 1e-9, found
    found = json.loads(box.run("composition", "pool.tsv", "--selection", "empty.txt", "--scores", "u.npy", "--json").out)[0]
    equal((found["rows"], found["mean_uncertainty"], found["languages"]["de"]), (0, None, {"rows": 0, "share": None}))
    few = ["composition", "pool.tsv", "--selection", "other.txt", "--target", "target.tsv"]
    contains(box.run(*few).err, "no uncertainty is measured", "no distance to the target is measured")
    equal(box.run(*few, "--quiet").err, "")
    assert "is measured without" not in box.run(*given).err
    contains(box.run("composition", "pool.tsv", expect=2).err, "--selection FILE")
    contains(box.run("composition", "pool.tsv", "--selection", "other.txt", "--embeddings", "e.npy", expect=2).err, "needs --target")
    contains(box.run("composition", "pool.tsv", "--selection", "other.txt", "--k", "3", expect=2).err, "--k measures")
    contains(box.run(*given[:-1], "0", expect=2).err, "--k 0")
    box.file("absent.txt", "77\n")
    contains(box.run("composition", "pool.tsv", "--selection", "absent.txt", expect=3).err, "absent.txt:1", "'77'")


@case
def a_phrase_stands_for_the_row_where_it_occurs_first(box):
    words = ["heart", "severe", "headache", "patient", "fever", "nausea", "late", "report", "was"]
    tags = ["de" if row % 3 else "fr" for row in range(40)]
    box.file("pool.tsv", "id\ttext\tlang\n" + "".join("r%d\tthe %s has %s %s and %s\t%s\n" % (
        row, words[row % 9], words[row * 2 % 9], words[row * 5 % 7], words[row // 9 % 9], tags[row]) for row in range(40)))
    box.npy("e.npy", [[float(row), float(row % 3)] for row in range(40)])
    box.npy("u.npy", [row / 64 for row in range(40)], "<f8")
    box.run("select", "pool.tsv", "--strategy", "hybrid", "-p", "sentences=random", "--budget", "30w", "--out", "h.tsv", "-q")
    box.run("select", "pool.tsv", "--strategy", "ngf", "--budget", "12w", "--out", "n.jsonl", "-q")
    hybrid = rows_of(box.read("h.tsv").decode())
    phrases = [row for row in hybrid if row["kind"] == "phrase"]
    only = [json.loads(line)["al"]["index"] for line in box.read("n.jsonl").decode().splitlines()]
    assert 0 < len(phrases) < len(hybrid) and len(set(only)) < len(only)
    rows = {"h.tsv": {int(row["index"]) for row in hybrid}, "n.jsonl": set(only)}
    done = box.run("composition", "pool.tsv", "--selection", "h.tsv", "--selection", "n.jsonl", "--scores", "u.npy", "--json")
    for one, name in zip(json.loads(done.out), rows):
        equal((one["selection"], one["rows"], one["languages"]["fr"]["rows"]),
              (name, len(rows[name]), sum(tags[row] == "fr" for row in rows[name])))
        assert abs(one["mean_uncertainty"] - sum(rows[name]) / 64 / len(rows[name])) < 1e-12
    contains(done.err, "h.tsv: %d of %d items are phrases; each stands for the row where it occurs first" % (len(phrases), len(hybrid)))
    equal(box.run("composition", "pool.tsv", "--selection", "h.tsv", "-q").err, "")
    drawn = rows_of(box.run("plot", "map", "pool.tsv", "h.tsv", "--embeddings", "e.npy", "-q").out)
    equal({row for row, point in enumerate(drawn) if point["series"] == "picks"}, rows["h.tsv"])
    # --like counts every phrase: two of one row are two.
    box.run("select", "pool.tsv", "--strategy", "same-ratio", "--like", "n.jsonl", "--budget", "20", "--out", "l.tsv", "--report", "l.json", "-q")
    counts = json.loads(box.read("l.json"))["facts"]["rows of each language in like"]
    equal(counts, [sum(tags[row] == tag for row in only) for tag in sorted(set(tags))])
    # A row of another pool is still refused, and an id that looks like that of a phrase may be one
    # of a row.
    box.file("absent.txt", "r3\nr3:1+1\nr77:0+1\n")
    contains(box.run("composition", "pool.tsv", "--selection", "absent.txt", expect=3).err, "absent.txt: item 3", "'r77:0+1'")
    for text in ("r3:1+\n", "r3:+1\n", "r3:1+1x\n", "r3\n:0+1\n", "r77\n"):
        box.file("absent.txt", text)
        contains(box.run("composition", "pool.tsv", "--selection", "absent.txt", expect=3).err, "absent.txt:", "the pool has no id")


@case
def low_budgets_are_the_same_together_and_alone(box):
    """DeMuX's low-budget study: each budget of a list has the selection that it has alone. test_column_models counts the passes."""
    box.file("pool.txt", "".join("text %d\n" % row for row in range(1100)))
    box.npy("u.npy", [(row * 7919 % 1103) / 1103 for row in range(1100)], "<f8")
    box.npy("e.npy", [[row % 31 - 15.0, row * 5 % 17 - 8.0] for row in range(1100)])
    budgets = ["5", "10", "50", "100", "250", "500", "1000"]
    given = ["select", "pool.txt", "--strategy", "huds", "--scores", "u.npy", "--embeddings", "e.npy", "-q", "--budget"]
    box.run(*given, ",".join(budgets), "--out", "all-{budget}.tsv")
    for budget in budgets:
        box.run(*given, budget, "--out", "one.tsv")
        together, alone = (rows_of(box.read(name).decode()) for name in ("all-%s.tsv" % budget, "one.tsv"))
        equal(len(alone), int(budget))
        equal([(row["index"], row["score"]) for row in together], [(row["index"], row["score"]) for row in alone], budget)


@case
def what_cannot_be_is_refused(box):
    box.file("runs.tsv", RUNS)
    box.file("bad.tsv", "words\tmetric\n10\ttwo\n")
    box.file("half.tsv", "words\tmetric\tround\n10\t2\t1.5\n")
    contains(box.run("plot", "bars", "runs.tsv", expect=2).err, "curves, scatter, map")
    contains(box.run("plot", "curves", "runs.tsv", "--first", "2", expect=2).err, "plot curves has no option '--first'")
    contains(box.run("plot", "curves", "runs.tsv", "--out", "c.png", expect=2).err, ".svg")
    contains(box.run("plot", "curves", "runs.tsv", "--y", "bleu", expect=3).err, "bleu")
    contains(box.run("plot", "curves", "bad.tsv", expect=3).err, "bad.tsv: column metric, entry 1: a number is needed, got 'two'")
    contains(box.run("plot", "curves", "half.tsv", expect=3).err, "half.tsv: column round, entry 1: an integer is needed")
    contains(box.run("plot", "curves", "none.tsv", expect=4).err, "none.tsv")
    contains(box.run("plot", "curves", expect=2).err, "needs")
    contains(box.run("rho", "runs.tsv", expect=2).err, "--target")
    contains(box.run("rho", "runs.tsv", "--target", "runs.tsv", "--scores", "u.npy", expect=2).err, "--target-scores")
    contains(box.run("rho", "runs.tsv", "--text-column", "strategy", "--target", "runs.tsv", "--k", "0", expect=2).err, "1 to 8192")
    contains(box.run("rho", "runs.tsv", "--text-column", "strategy", "--target", "runs.tsv", "--k", "8193", expect=2).err, "1 to 8192")
    contains(box.run("plot", "curves", "runs.tsv", "--out", "/nowhere/c.svg", expect=4).err, "/nowhere")
    equal([name for name in box.names() if name.endswith((".svg", ".png"))], [])
    if os.path.exists("/dev/full"):
        contains(box.run("rho", "runs.tsv", "--text-column", "strategy", "--target", "runs.tsv", "--k", "1", "--out", "/nowhere/r.tsv",
                         expect=4).err, "/nowhere")


if __name__ == "__main__":
    sys.exit(main())
