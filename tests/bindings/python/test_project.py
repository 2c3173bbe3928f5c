# SPDX-License-Identifier: Apache-2.0
"""Projects through the package: rounds, answers of several people, measures, and what is refused."""
import csv
import fcntl
import json
import threading

import pytest

import alcore

TEXTS = ["%s %s %d" % (first, second, row) for row, (first, second) in enumerate(
    (first, second) for first in ("alpha", "beta", "gamma", "delta") for second in ("one", "two", "three", "four", "five"))]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pool.txt").write_text("".join(text + "\n" for text in TEXTS))
    made = alcore.Project.init(tmp_path / "work", strategy="ngram-cover", budget=4, seed=3)
    yield made.add(tmp_path / "pool.txt")
    made.close()


def sent(project, path):
    project.export("csv", path)
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def answered(path, items, prefix="T "):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(items[0]))
        writer.writeheader()
        writer.writerows({**item, "translation": prefix + item["text"]} for item in items)
    return path


def test_a_project_that_cannot_be_made_leaves_nothing(tmp_path):
    with pytest.raises(alcore.Error, match="few"):
        alcore.Project.init(tmp_path / "new", strategy="random", budget="few")
    assert not (tmp_path / "new").exists()
    with alcore.Project.init(tmp_path / "new", lambda_=0.25, strategy="huds", labels=["a", "b"], tie=None) as made:
        assert (made.get("lambda"), made.get("labels"), made.get("tie")) == ("0.25", "a,b", "index")


def test_two_rounds(project, tmp_path):
    picked = project.next()
    assert len(picked) == 4 and set(picked.texts) <= set(TEXTS) and picked.indices[0] == TEXTS.index(picked.texts[0])
    items = sent(project, tmp_path / "out.csv")
    assert [item["text"] for item in items] == picked.texts
    report = project.import_("csv", answered(tmp_path / "half.csv", items[:2]), annotator="ann")
    assert report == (2, 2, 0, 0, 0, 0, 0, [])
    assert project.import_("csv", tmp_path / "half.csv", annotator="ann").repeated == 2
    status = project.status()
    assert (status.rounds, status.items, status.answered, status.open, status.candidates) == (1, 4, 2, 2, len(TEXTS))
    assert (status.unit, status.left) == ("items", None)
    project.set(total=6)
    assert project.status().left == 2
    project.import_("csv", answered(tmp_path / "all.csv", items), annotator="ann")
    again = project.next()
    assert len(again) == 2 and not set(again.texts) & set(picked.texts)
    with pytest.raises(alcore.Error, match="total"):
        project.next()
    project.export("csv", tmp_path / "everything.csv", round="all")
    assert len(sent(project, tmp_path / "second.csv")) == 2


def test_a_file_that_is_added_again(project, tmp_path):
    project.add(tmp_path / "pool.txt")
    assert project.status().candidates == len(TEXTS)
    (tmp_path / "grown.txt").write_text("".join(text + "\n" for text in TEXTS) + "one more\n")
    project.add(tmp_path / "grown.txt")
    assert project.status().candidates == len(TEXTS) + 1
    assert project.document()["steps"][-1]["result"]["known"] == len(TEXTS)
    assert "one more" in project.next(budget=1000).texts
    project.verify()


def test_values_of_one_round(project, tmp_path):
    picked = project.next("ngram", strategy="nnll", budget=2, seed=None)
    assert len(picked) == 2 and picked.provenance["strategy"] == "nnll"
    assert project.document()["steps"][-1]["arguments"] == {"settings": {"strategy": "nnll", "budget": "2", "seed": None, "model": "ngram"}}
    assert (project.get("strategy"), project.get("budget"), project.get("seed")) == ("ngram-cover", "4", "3")
    assert len(project.next()) == 4
    with pytest.raises(alcore.Error, match="absent"):
        project.next(tmp_path / "absent", strategy="nnll")
    with pytest.raises(alcore.Error, match="same for all rounds"):
        project.next(several="latest")
    with pytest.raises(TypeError, match="Model or path"):
        project.next(3)


def test_commands_and_models(project, tmp_path):
    project.next()
    items = sent(project, tmp_path / "out.csv")
    project.import_("csv", answered(tmp_path / "all.csv", items))
    model = project.train(command='cp "$ALCORE_LABELED" "$ALCORE_MODEL"', labeled=tmp_path / "kept.tsv")
    assert model == str(tmp_path / "work" / "models" / "round-1")
    assert open(model, "rb").read() == (tmp_path / "kept.tsv").read_bytes()
    assert project.train(command=["sh", "-c", "exit 0"]) is None
    assert project.eval(command="echo lines $(grep -c . $ALCORE_MODEL)") == {"lines": 5}
    assert project.eval(command="echo lines $ALCORE_ROUND", round=0) == {"lines": 0}
    assert project.train(lambda pairs, round: tmp_path / "kept.tsv") == tmp_path / "kept.tsv"
    assert project.document()["steps"][-1]["result"]["model"] == str(tmp_path / "kept.tsv")

    def busy(pairs, round):
        assert project.status().training and not project.status().evaluating  # the project may be used
        with pytest.raises(alcore.Error, match="another training"):
            project.eval(command="echo a 1")
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        project.train(busy)
    assert (project.status().training, project.status().training_failure) == (False, "KeyError: 'mine'")
    for error, match, call in ((alcore.Error, "status 4: oh", lambda: project.train(command="echo oh; exit 4")),
                               (alcore.Error, "one of model", project.train), (alcore.Error, "one of test", project.eval),
                               (TypeError, "'rate' without model", lambda: project.train(command="true", rate=0.1)),
                               (TypeError, "'rat'", lambda: project.train(model="m", rat=0.1)),
                               (TypeError, "'text_column' without test", lambda: project.eval(command="true", text_column="a")),
                               (ValueError, "labeled", lambda: project.train(print, labeled="a.tsv")),
                               (alcore.Error, "'bluu'", lambda: project.eval(test="a.tsv", model="m", metrics=["chrf", "bluu"])),
                               (ValueError, "nan|JSON", lambda: project.eval(lambda round: {"chrf": float("nan")}))):
        with pytest.raises(error, match=match):
            call()
    assert not [one for one in project.document()["metrics"] if one["name"] == "chrf"]


def test_the_unit_of_one_import(tmp_path):
    text = "a\U0001d11ex"
    (tmp_path / "clef.jsonl").write_text(json.dumps({"id": "c", "text": text}) + "\n")
    with alcore.Project.init(tmp_path / "spans", task="spans", labels="x", strategy="random", budget=1) as project:
        project.add(tmp_path / "clef.jsonl")
        project.next()
        (tmp_path / "in.jsonl").write_text(json.dumps({"text": text, "al_id": "c", "answer": "accept",
                                                       "spans": [{"start": 3, "end": 4, "label": "x"}]}) + "\n")
        with pytest.raises(alcore.Error, match="in.jsonl:1"):
            project.import_("prodigy", tmp_path / "in.jsonl")
        assert project.import_("prodigy", tmp_path / "in.jsonl", annotator="ann", span_unit="utf16").added == 1
        project.write_labeled(tmp_path / "out.jsonl")
        assert json.loads((tmp_path / "out.jsonl").read_text())["reference"] == '[[2,3,"x"]]'
        with pytest.raises(ValueError, match="span_unit"):
            project.import_("prodigy", tmp_path / "in.jsonl", span_unit="words")


def test_pairs_are_mixed_in(project, tmp_path):
    project.next()
    items = sent(project, tmp_path / "out.csv")
    project.import_("csv", answered(tmp_path / "all.csv", items))
    (tmp_path / "known.tsv").write_text("text\treference\n" + "".join("known %d\tK %d\n" % (row, row) for row in range(30)))
    project.add(tmp_path / "known.tsv", role="labeled")
    pairs = project.train(lambda pairs, _: pairs, mix={"kind": "random", "count": 4})
    assert len(pairs) == len(items) + 4 and sum(text.startswith("known") for text, _ in pairs) == 4
    assert len(project.train(lambda pairs, _: pairs, mix="none")) == len(items)
    again = project.train(lambda pairs, _: pairs, mix={"kind": "random", "count": 4, "seed": 5})
    assert len(again) == len(pairs) and again != pairs
    for error, match, mix in ((TypeError, "'kin'", {"kin": "random"}), (alcore.Error, "did you mean", "randm")):
        with pytest.raises(error, match=match):
            project.train(print, mix=mix)


def test_nobody_waits_for_another_training(project, tmp_path):
    project.next()
    project.import_("csv", answered(tmp_path / "all.csv", sent(project, tmp_path / "out.csv")), annotator="ann")
    with open(tmp_path / "work" / "training.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as another process has it
        free = threading.Timer(3, fcntl.flock, (held, fcntl.LOCK_UN))
        free.start()
        for call in (project.train, project.eval):
            with pytest.raises(alcore.Error, match="another training"):
                call(command="echo a 1")
        free.cancel()
        free.join()
    assert project.train(command="true") is None


def test_training_and_measures(project, tmp_path):
    project.next()
    items = sent(project, tmp_path / "out.csv")
    project.import_("csv", answered(tmp_path / "all.csv", items))
    pairs, round = project.train(lambda pairs, round: (pairs, round))
    assert sorted(pairs) == sorted((item["text"], "T " + item["text"]) for item in items) and round == 1
    assert project.eval(lambda round: {"chrf": 40.0 + round, "bleu": 20}) == {"chrf": 41.0, "bleu": 20}
    project.put_metric("chrf", 30.5, round=0)
    document = project.document()
    assert [one["what"] for one in document["steps"]][-5:] == ["begin train", "train", "begin eval", "eval", "metric"]
    assert document["steps"][-2]["result"] == {"chrf": 41, "bleu": 20} and document["steps"][-4]["arguments"]["pairs"] == 4
    assert document["schema"] == "alcore-project-1"
    assert [(one["round"], one["name"], one["value"]) for one in document["metrics"]] == [(1, "chrf", 41), (1, "bleu", 20), (0, "chrf", 30.5)]
    with pytest.raises(alcore.Error):
        project.put_metric("chrf", 1.0, round=5)
    assert project.put_metrics("chrf 42\nbleu 21\n") == 2 and project.put_metrics('{"ter": 50.5}', round=0) == 1
    assert [(one["round"], one["name"], one["value"]) for one in project.document()["metrics"][3:]] == [(1, "chrf", 42), (1, "bleu", 21), (0, "ter", 50.5)]
    for bad in "chrf 42\nwörter 3\n", "chrf 42\nbleu nan", "chrf 42\0", "":
        with pytest.raises(alcore.Error, match="the evaluation"):
            project.put_metrics(bad)
    assert len(project.document()["metrics"]) == 6
    project.write_report(tmp_path / "report.html")
    assert "chrf" in (tmp_path / "report.html").read_text()


def test_agreement(project, tmp_path):
    project.next()
    items = sent(project, tmp_path / "out.csv")
    assert project.agreement() == alcore.ProjectAgreement(0, 0, 0, 0, 0, 0, 0, None, None, None)
    for who, labels in ("ann", "abab"), ("ben", "abbb"):
        (tmp_path / "in.tsv").write_text("id\tlabels\n" + "".join("%s\t%s\n" % (item["id"], label) for item, label in zip(items, labels)))
        project.set(task="classes", labels="a,b")
        project.import_("csv", tmp_path / "in.tsv", annotator=who)
    found, document = project.agreement(), project.document()
    assert (found.items, found.agreeing, found.units, found.labels, found.classes, found.kappa, found.chrf) == (4, 3, 4, 8, 2, 0.5, None)
    assert abs(found.alpha - (1 - 7 * 2 / (64 - 9 - 25))) < 1e-15
    assert document["overall"] == {"of": "items", **found._asdict()} and document["agreement"][0]["kappa"] == 0.5


def test_settings(project):
    assert (project.get("strategy"), project.get("budget"), project.get("labels")) == ("ngram-cover", "4", None)
    project.set(several="majority", budget=None)
    assert (project.get("several"), project.get("budget")) == ("majority", None)
    with pytest.raises(ValueError, match="budget"):
        project.set(budgte=3)
    with pytest.raises(ValueError, match="several"):
        project.set(several="some")


def test_several_annotators(project, tmp_path):
    project.next()
    items = sent(project, tmp_path / "out.csv")
    project.import_("csv", answered(tmp_path / "ann.csv", items), annotator="ann")
    assert project.import_("csv", answered(tmp_path / "ben.csv", items[:1], "B "), annotator="ben").disagreeing == 1
    assert [one["id"] for one in project.document()["disagreements"]] == [items[0]["id"]]
    assert len(project.train(lambda pairs, _: pairs)) == len(items) - 1
    project.set(several="latest")
    assert ("B " + items[0]["text"]) in dict(project.train(lambda pairs, _: pairs)).values()


def test_what_cannot_be_used_is_told(project, tmp_path):
    project.next()
    items = sent(project, tmp_path / "out.csv")
    report = project.import_("csv", answered(tmp_path / "some.csv", items[:1] + [{**items[1], "id": "stranger"}]))
    assert report.unusable == 1 and len(report.messages) == 1 and "some.csv:3" in report.messages[0] and "stranger" in report.messages[0]
    with pytest.raises(alcore.Error, match="stranger"):
        project.import_("csv", answered(tmp_path / "none.csv", [{**items[1], "id": "stranger"}]))


def test_opening(tmp_path):
    with pytest.raises(LookupError):
        alcore.Project(tmp_path / "nowhere")
    alcore.Project.init(tmp_path / "work", seed=7).close()
    with alcore.Project(tmp_path / "work") as project:
        assert project.get("seed") == "7"
        with pytest.raises(TypeError, match="Model"):
            project.next(b"ngram")
    with pytest.raises(OSError):
        alcore.Project.init(tmp_path / "work")
    with pytest.raises(ValueError, match="closed"):
        project.status()


def test_verify_and_leftovers(project, tmp_path):
    project.verify()
    blobs = tmp_path / "work" / "blobs"
    (blobs / "ffffffffffffffffffffffffffffffff.txt").write_text("nobody refers to this\n")
    assert project.gc() == 22
    [kept] = blobs.iterdir()
    held = kept.read_bytes()
    kept.write_bytes(held[:-2] + b"?\n")
    with pytest.raises(ValueError, match=kept.name):
        project.verify()
    kept.write_bytes(held)
    project.verify()
