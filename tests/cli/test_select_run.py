# SPDX-License-Identifier: Apache-2.0
"""alcore select as a program: formats of the result, reports, threads, seeds, the terminal, the cache."""
import csv
import io
import json
import os
import pty
import signal
import subprocess
import time

from harness import ALCORE, case, contains, equal, main, rows_of, vector
from select_pool import E, U, huds, picks

RANDOM = vector("random", "TV-DRAW", "random")["picks"]


@case
def formats_of_the_result(box):
    args = huds(box) + ["--budget", "2"]
    box.run(*args, "--out", "s.tsv")
    equal(box.read("s.tsv"), box.run(*args).stdout)
    box.run(*args, "--out", "s.txt")
    equal(box.read("s.txt"), b"o\nj\n")
    box.run(*args, "--out", "s.jsonl")
    lines = [json.loads(line) for line in box.read("s.jsonl").decode().splitlines()]
    equal([line["id"] for line in lines], ["8", "6"])
    equal(lines[0]["source"], "o")
    equal((lines[0]["al"]["rank"], lines[0]["al"]["strategy"], lines[0]["al"]["round"]), (1, "huds", 1))
    box.run(*args, "--out", "s.csv")
    data = box.read("s.csv")
    assert data.startswith(b"\xef\xbb\xbf") and b"\r\n" in data
    table = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    equal(table[1][1], "7")
    contains(box.run(*args, "--out", "s.xlsx", expect=2).err, "s.xlsx", ".csv")
    assert not box.exists("s.xlsx")


@case
def texts_are_escaped(box):
    box.file("pool.jsonl", json.dumps({"id": "x", "text": "tab\there \\ and\nline"}) + "\n")
    box.file("u.txt", "1\n")
    args = ["select", "pool.jsonl", "--strategy", "nnll", "--scores", "u.txt", "--budget", "1"]
    equal(rows_of(box.run(*args).out)[0]["text"], "tab\\there \\\\ and\\nline")


@case
def a_score_reads_back_exactly(box):
    box.file("pool.txt", "a\nb\n")
    values = [0.1 + 0.2, 1e-310]
    box.npy("u.npy", values, "<f8")
    done = box.run("select", "pool.txt", "--strategy", "nnll", "--scores", "u.npy", "--budget", "2")
    equal([float(row["score"]) for row in rows_of(done.out)], values)


@case
def json_and_reports_hold_the_run(box):
    args = huds(box) + ["--budget", "2", "--out", "s.tsv"]
    done = box.run(*args, "--json", "--report", "r.json")
    summary, report = json.loads(done.out), json.loads(box.read("r.json"))
    for facts in (summary, report):
        equal(facts["command"][:2], ["alcore", "select"])
        equal((facts["seed"], facts["round"]), (0, 1))
        contains(json.dumps(facts["parameters"]), "lambda", "n_strata", "rescale")
        assert facts["version"] and facts["inputs"], facts
    contains(box.run(*huds(box), "--budget", "2", "--json", expect=2).err, "--out")
    box.run(*args, "--report", "r.md")
    box.run(*args, "--report", "r.html")
    contains(box.read("r.md").decode(), "huds")
    fences = [line for line in box.read("r.md").decode().splitlines() if "```" in line]
    equal(fences, ["```"] * len(fences))  # blocks end on lines of their own
    contains(box.read("r.html").decode(), "<html", "huds")


@case
def a_run_repeats_from_its_report(box):
    args = huds(box) + ["--budget", "3", "-p", "lambda=0.9", "--out", "first.tsv", "--report", "run.json"]
    box.run(*args)
    report = json.loads(box.read("run.json"))
    equal(report["schema"], "alcore-report-1")
    for other in ("alcore-report-2", "alcore-provenance-1"):
        box.file("other.config", json.dumps({**report, "schema": other}))
        contains(box.run("select", "--config", "other.config", "--out", "no.tsv", expect=3).err, "other.config", other, "alcore-report-1 is read")
    del report["schema"]  # as those of 0.1
    box.file("old.json", json.dumps(report))
    box.run("select", "--config", "old.json", "--out", "old.tsv")
    equal(box.read("old.tsv"), box.read("first.tsv"))
    box.run("select", "--config", "run.json", "--out", "second.tsv")
    equal(box.read("second.tsv"), box.read("first.tsv"))
    box.run("select", "--config", "run.json", "--out", "third.tsv", "--budget", "1")
    equal(len(rows_of(box.read("third.tsv").decode())), 1)
    box.npy("u.npy", list(reversed(U)), "<f8")
    contains(box.run("select", "--config", "run.json", "--out", "fourth.tsv", expect=3).err, "--force")
    assert not box.exists("fourth.tsv")
    box.run("select", "--config", "run.json", "--out", "fourth.tsv", "--force")
    assert box.exists("fourth.tsv")


@case
def a_report_has_every_word(box):
    """Names of files may have any bytes; a word that is no UTF-8 was left out of the report."""
    box.file("pool\udcff.txt", "one two\nthree\n")
    box.run("select", "pool\udcff.txt", "--budget", "1", "--strategy", "random", "--out", "picked.tsv", "--report", "run.json")
    equal(json.loads(box.read("run.json"))["command"], ["alcore", "select", "pool\ufffd.txt", "--budget", "1", "--strategy", "random", "--out",
                                                         "picked.tsv", "--report", "run.json"])
    contains(box.run("select", "--config", "run.json", "--out", "again.tsv", expect=4).err, "pool\ufffd.txt")


@case
def the_default_model_is_named(box):
    box.file("pool.txt", "".join("the quick fox number %d jumps\n" % i for i in range(40)) + "rare words stand here\n")
    done = box.run("select", "pool.txt", "--strategy", "huds", "--budget", "20w")
    contains(done.err, "n-gram")
    box.file("known.txt", "".join("the quick fox number %d jumps over type%d\n" % (i, i) for i in range(40, 9000)))
    done = box.run("select", "pool.txt", "--labeled", "known.txt", "--budget", "4w", "--strategy", "nnll")
    equal(picks(done), [40])
    contains(rows_of(done.out)[0]["reason"], "rare")


@case
def threads_do_not_change_the_picks(box):
    box.file("pool.txt", "".join("sentence %d says %d and %d\n" % (i, i * i % 97, i % 13) for i in range(3000)))
    args = ["select", "pool.txt", "--strategy", "huds", "--budget", "500w", "-p", "k_clusters=3"]
    one = box.run(*args, "--threads", "1").stdout
    for threads in ("2", "8"):
        equal(box.run(*args, "--threads", threads).stdout, one, threads)


@case
def seeds_change_draws_and_nothing_else(box):
    args = huds(box) + ["--budget", "5"]
    equal(box.run(*args, "--seed", "1").stdout, box.run(*args, "--seed", "2").stdout)
    box.file("ten.txt", "".join("%d\n" % i for i in range(10)))
    args = ["select", "ten.txt", "--strategy", "random", "--budget", "5", "--seed", "42"]
    equal(picks(box.run(*args)), RANDOM)
    assert picks(box.run(*args, "--round", "2")) != RANDOM
    for seed in (2 ** 63 - 1, 2 ** 64 - 1):
        box.run(*args[:-1], str(seed), "--report", "seed.json")
        report = json.loads(box.read("seed.json"))
        equal((report["seed"], report["options"]["seed"]), (seed, seed))


@case
def quiet_is_quiet_and_data_stand_alone(box):
    done = box.run(*huds(box), "--budget", "2", "--quiet")
    equal(done.err, "")
    contains(box.run(*huds(box), "--budget", "2").err, "of 2")


@case
def standard_input_is_a_pool(box):
    huds(box)
    done = box.run("select", "-", "--scores", "u.npy", "--strategy", "nnll", "--budget", "1",
                   input=box.read("pool.txt"))
    equal(picks(done), [7])


@case
def an_interrupt_leaves_nothing_behind(box):
    box.file("pool.txt", "".join("sentence %d says %d\n" % (i, i * 7919 % 100003) for i in range(400000)))
    before = box.names()
    process = subprocess.Popen([ALCORE, "select", "pool.txt", "--strategy", "kcenter", "--budget", "5000",
                                "--out", "s.tsv"], cwd=box.path, stderr=subprocess.PIPE)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    equal(process.returncode, 130)
    contains(err.decode(), "interrupted")
    equal(box.names(), before)


@case
def progress_shows_on_a_terminal_only(box):
    box.file("pool.txt", "".join("sentence %d says %d\n" % (i, i * 7919 % 100003) for i in range(60000)))
    args = ["select", "pool.txt", "--strategy", "kcenter", "--threads", "1", "--out", "s.tsv"]

    def shown(*options):
        master, slave = pty.openpty()
        process = subprocess.Popen([ALCORE, *args, *options], cwd=box.path, stderr=slave)
        os.close(slave)
        output = b""
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            output += data
        os.close(master)
        equal(process.wait(timeout=120), 0)
        return output.decode()

    # The rate is shown once a stage has gone on for a while: a fast machine is given more to do.
    for budget in (100, 400, 1600, 6400):
        begun = time.monotonic()
        text = shown("--budget", str(budget))
        if time.monotonic() - begun > 1.5:
            break
    contains(text, " %", "/s", "s left")
    args += ["--budget", str(budget)]
    equal(shown("--quiet"), "")
    assert "s left" not in box.run(*args).err


@case
def a_misspelt_word_names_the_nearest(box):
    args = huds(box) + ["--budget", "2"]
    contains(box.run(*args[:-3], "hudz", "--budget", "2", expect=2).err, "huds")
    contains(box.run(*args, "-p", "lamda=1", expect=2).err, "lambda")
    contains(box.run(*args, "-p", "lambda=2", expect=2).err, "lambda", "1")
    contains(box.run(*args, "-p", "rescale=minmx", expect=2).err, "minmax")
    contains(box.run(*args, "--sed", "2", expect=2).err, "--seed")
    contains(box.run("selct", "pool.txt", expect=2).err, "select")
    contains(box.run(*args, "-p", "lambda", expect=2).err, "NAME=VALUE")
    contains(box.run(*args, "--fill", "overflow", expect=2).err, "overshoot")
    contains(box.run("select", "pool.txt", expect=2).err, "--budget")
    contains(box.run("select", "--budget", "3", expect=2).err, "POOL")
    contains(box.run(*args, "--budget", "3", expect=2).err, "twice")


@case
def a_long_option_takes_both_forms(box):
    args = huds(box)
    equal(box.run(*args, "--budget=2").stdout, box.run(*args, "--budget", "2").stdout)


@case
def a_device_that_is_missing_is_said(box):
    contains(box.run(*huds(box), "--budget", "2", "--device", "cuda", expect=6).err, "libalcore-cuda.so")
    box.run(*huds(box), "--budget", "2", "--device", "cpu")
    box.run(*huds(box), "--budget", "2", "--device", "gpu", expect=2)


@case
def a_list_of_ids_needs_no_text(box):
    args = huds(box) + ["-p", "lambda=0", "--budget", "2"]
    box.file("ids.tsv", "id\n1\n2\n")
    equal(picks(box.run(*args, "--eligible", "ids.tsv")), [1, 0])
    box.file("ids.txt", "8\n7\n")
    equal(picks(box.run(*args, "--exclude", "ids.txt", "--exclude", "ids.tsv")), [5, 4])
    box.file("ids.jsonl", '{"id": "1", "source": "x"}\n{"id": "99", "source": "y"}\n')
    contains(box.run(*args, "--eligible", "ids.jsonl", expect=3).err, "ids.jsonl:2:", "99")
    box.file("ids.tsv", "id\n1\n99\n")
    contains(box.run(*args, "--eligible", "ids.tsv", expect=3).err, "ids.tsv:3:", "99")


@case
def a_file_that_is_called_like_a_model_is_a_file(box):
    args = huds(box)
    os.rename(os.path.join(box.path, "u.npy"), os.path.join(box.path, "model u.npy"))
    done = box.run("select", "pool.txt", "--strategy", "nnll", "--scores", "model u.npy", "--budget", "3")
    equal(picks(done), [7, 6, 5])
    contains(done.err, "scores: from model u.npy")
    box.npy("model e.npy", E)
    done = box.run("select", "pool.txt", "--strategy", "huds", "--scores", "model u.npy", "--embeddings", "model e.npy", "-p", "n_strata=4", "--budget", "4")
    equal(picks(done), [7, 5, 4, 6])


@case
def several_budgets_have_a_file_each(box):
    args = huds(box)
    alone = {budget: picks(box.run(*args, "--budget", budget)) for budget in ("2", "4", "6i")}
    done = box.run(*args, "--budget", "4, 2,6i", "--out", "sel-{budget}.tsv", "--report", "r-{budget}.html", "--json",
                   "--price", "2.5EUR/i")
    made = json.loads(done.out)
    equal([one["budget"]["amount"] for one in made], [4, 2, 6])
    equal([one["price"]["total"] for one in made], [10, 5, 15])
    for budget, expected in alone.items():
        equal([int(row["index"]) for row in rows_of(box.read("sel-%s.tsv" % budget).decode())], expected)
        assert b"<svg" in box.read("r-%s.html" % budget)
    contains(done.err, "price: 10.00 EUR at 2.5 an item", "price: 5.00 EUR")
    box.run(*args, "--budget", "4,2,6i", "--out", "sel-{budget}.tsv", "--report", "r-{budget}.md", "--price", "2.5EUR/i", "-q")
    for budget, price in (("4", "10.00"), ("2", "5.00"), ("6i", "15.00")):
        for suffix in (".md", ".html"):
            contains(box.read("r-" + budget + suffix).decode(), "price: %s EUR at 2.5 an item\n" % price)
    contains(box.run(*args, "--budget", "4,2", expect=2).err, "{budget}")
    contains(box.run(*args, "--budget", "4,2", "--out", "s-{budget}.tsv", "--report", "r.md", expect=2).err, "--report")
    contains(box.run(*args, "--budget", "4,2w", "--out", "s-{budget}.tsv", expect=2).err, "same unit")


@case
def words_without_spaces_are_warned_of(box):
    thai = "".join("ภาษาไทย%d\n" % i for i in range(5))
    box.file("pool.txt", thai + "".join("plain words %d\n" % i for i in range(5)))
    args = ["select", "pool.txt", "--strategy", "random"]
    contains(box.run(*args, "--budget", "4w").err, "words are separated by spaces", "Thai")
    assert "separated" not in box.run(*args, "--budget", "4").err
    box.file("pool.txt", "ภาษา\n" + "".join("plain words only %d\n" % i for i in range(20)))
    assert "separated" not in box.run(*args, "--budget", "4w").err


@case
def many_passes_are_told_once(box):
    box.file("pool.txt", "".join("text number %d\n" % i for i in range(150)))
    box.npy("e.npy", [[i % 13, i % 7, i] for i in range(150)])
    args = ["select", "pool.txt", "--embeddings", "e.npy", "--budget"]
    for strategy in ("kcenter", "idds"):
        done = box.run(*args, "120", "--strategy", strategy)
        equal(done.err.count("the parameter candidates"), 1, strategy)
        contains(done.err, "passes over 150 rows of 3 components")
        assert "the parameter candidates" not in box.run(*args, "50", "--strategy", strategy).err
    box.file("u.txt", "".join("%d\n" % i for i in range(150)))
    done = box.run(*args, "120", "--strategy", "nnll", "--scores", "u.txt", "--max-similarity", "0.5")
    assert "the parameter candidates" not in done.err  # the similarity limit looks at picks only


@case
def a_lopsided_mix_names_the_remedy(box):
    box.file("wide.txt", "".join("%r\n" % (100 * u) for u in U))
    args = huds(box) + ["--budget", "2"]
    args[3] = "wide.txt"
    contains(box.run(*args).err, "uncertainty varies", "hint: -p rescale=rank")
    assert "varies" not in box.run(*args, "-p", "rescale=rank").err


@case
def an_output_of_no_format_is_refused_before_the_work(box):
    args = huds(box) + ["--budget", "2"]
    contains(box.run(*args, "--out", "s.xlsx", expect=2).err, "s.xlsx", ".csv")
    contains(box.run(*args, "--out", "s", expect=2).err, ".csv")
    contains(box.run(*args, "--out", "s.tsv", "--report", "r.pdf", expect=2).err, "r.pdf", ".html")
    assert not box.exists("s.tsv")
    contains(box.run("score", "pool.txt", "--scorer", "nnll", "--out", "s.xlsx", expect=2).err, "s.xlsx", ".npy")


@case
def a_cache_spares_the_model(box):
    box.file("pool.txt", "".join("row %d has %d words\n" % (row, row % 7) for row in range(50)))
    args = ["select", "pool.txt", "--strategy", "huds", "--budget", "5", "--report", "run.json"]
    plain = box.run(*args)
    report = box.read("run.json").replace(b", \"--cache\", \"kept\"", b"")
    first, second = (box.run(*args, "--cache", "kept") for _ in range(2))
    contains(first.err, "cache: the column 'logprobs': 0 rows were there, 50 are computed")
    contains(second.err, "cache: the column 'logprobs': 50 rows were there, 0 are computed")
    equal([first.out, second.out], [plain.out, plain.out])
    assert "cache:" not in plain.err and "cache:" not in box.run(*args, "--cache", "kept", "--quiet").err
    # The reports differ in the command line only.
    reports = [json.loads(text) for text in (report, box.read("run.json"))]
    for one in reports:
        del one["command"]
    equal(*reports)
    (entry,) = os.listdir(os.path.join(box.path, "kept"))
    box.file(os.path.join("kept", entry), "damaged")
    third = box.run(*args, "--cache", "kept")
    contains(third.err, entry + " is not used", "50 are computed")
    equal(third.out, plain.out)
    old = time.time() - 1000
    os.utime(os.path.join(box.path, "kept", entry), (old, old))
    kept = box.run(*args, "--cache", "kept", "--cache-max-age", "2000")
    contains(kept.err, "50 rows were there, 0 are computed")
    again = box.run(*args, "--cache", "kept", "--cache-max-age", "500")
    contains(again.err, "0 rows were there, 50 are computed")
    equal([kept.out, again.out], [plain.out] * 2)
    contains(box.run(*args, "--cache", "kept", "--cache-max-age", "500").err, "50 rows were there")
    contains(box.run(*args, "--cache-max-age", "500", expect=2).err, "no cache", "--cache FOLDER")
    contains(box.run(*args, "--cache", "no/where", expect=4).err, "no/where")


@case
def scores_of_earlier_rounds(box):
    """The n-gram model learns from what is labeled, and is another one in each round."""
    box.file("pool.txt", "".join("row %d has %d words\n" % (row, row % 7) for row in range(50)))
    for number in (1, 2):
        box.file("labeled%d.txt" % number, "row of %d words\n" % number * 3)
    args = ["select", "pool.txt", "--strategy", "nnll", "--budget", "5", "--report", "run.json", "--cache", "kept"]

    def reuse(number, *options):
        labeled = [word for n in range(1, number + 1) for word in ("--labeled", "labeled%d.txt" % n)]
        done = box.run(*args, *labeled, "--round", str(number), *options)
        counts = json.loads(box.read("run.json"))["inputs"]["candidates"]["columns"]["logprobs"].get("reuse")
        return done, counts and [counts[name] for name in ("hits", "misses", "stale")]
    equal(reuse(1, "--max-age", "1")[1], [0, 50, 0])
    second, counts = reuse(2, "--max-age", "1", "--refresh-factor", "2")
    equal(counts, [0, 10, 40])
    contains(second.err, "10 were computed, 40 are of earlier rounds; saved about")
    third, counts = reuse(2, "--max-age", "1")
    equal(counts, [10, 5, 35])
    equal(reuse(2)[1], None)
    contains(box.run(*args[:-2], "--max-age", "1", expect=2).err, "max_age is set, but no cache is", "--cache FOLDER")


@case
def a_report_that_is_missing_is_named(box):
    done = box.run("select", "--config", "none.json", expect=4)
    contains(done.err, "none.json")
    assert ":0:" not in done.err, done.err


if __name__ == "__main__":
    raise SystemExit(main())
