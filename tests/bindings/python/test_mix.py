# SPDX-License-Identifier: Apache-2.0
"""Annotations, oracles and training sets: the vectors of the specification through the package, files, what cannot be."""
import json
import math

import pytest

import alcore

TEXTS = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported", "the patient was treated",
         "headache was reported", "the patient has fever"]
REFERENCES = ["der Patient hat starke Kopfschmerzen", "der Patient hat starke Uebelkeit", "starke Kopfschmerzen wurden gemeldet",
              "der Patient wurde behandelt", "Kopfschmerzen wurden gemeldet", "der Patient hat Fieber"]


def cases(root, topic, name):
    return json.loads((root / "tests" / "vectors" / (topic + ".json")).read_text())["vectors"][name]["cases"]


def links_of(lines):
    return alcore.Links([[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines])


def annotated(pool, items):
    made = alcore.Annotations(pool)
    made.add([item["text"] for item in items], kinds=[item["kind"] for item in items], rows=[item["row"] for item in items],
             translations=[item["translation"] for item in items])
    return made


def test_vectors_of_training_sets(root):
    known = cases(root, "mixing", "TV-MIX")
    assert len(known) > 10
    for one in known:
        given, expected = one["input"], one["expected"]
        labeled = alcore.Pool([x for x, _ in given["labeled"]], references=[y for _, y in given["labeled"]], dedup="none")
        pool = alcore.Pool(given["pool"], dedup="none")
        labeled.set_column("embeddings", given["labeled_vectors"])
        pool.set_column("embeddings", given["pool_vectors"])
        options = {name: given[name] for name in ("kind", "count", "span", "seed", "round", "k", "unique", "norm") if name in given}
        made = alcore.mix(labeled, pool, annotated(pool, given["items"]), links=links_of(given["links"]),
                          upsample_phrase=given.get("upsample", 1), **options)
        assert [pair.kind for pair in made] == expected["kind"], one["name"]
        assert [pair.source for pair in made] == expected["src"], one["name"]
        assert [pair.target for pair in made] == expected["tgt"], one["name"]
        assert set(made.column_names()) | {"kind", "src", "tgt"} == set(expected)
        for name in made.column_names():
            assert made.column(name).tolist() == pytest.approx([float(value) for value in expected[name]], nan_ok=True), one["name"]
        wanted = len(given["kind"].split("+")) if given["kind"] != "none" else 0
        mixed = sum(kind not in ("sent", "phrase") for kind in expected["kind"])
        assert made.missing == wanted * given["count"] - mixed


def test_vectors_of_the_oracle(root):
    for one in cases(root, "phrases", "TV-ORACLE"):
        given, expected = one["input"], one["expected"]
        pool = alcore.Pool(given["sources"], references=given["targets"], dedup="none")
        items = alcore.Annotations(pool)
        items.add([given["phrase"]], kinds=["phrase"])
        items.simulate(links_of(given["links"]))
        assert items[0].translation == expected["translation"]
        assert items[0].status == {"extracted": "ok"}.get(expected["how"], expected["how"])
        assert (items.refunded > 0) == (expected["translation"] is None)


def test_an_oracle_that_aligns_labeled_pairs_too():
    """One crossed pair is linked along the diagonal; labeled pairs of the same words say which word is which."""
    pool = alcore.Pool(["haus rot"], references=["red house"])
    labeled = {"texts": ["rot", "rot rot", "haus"], "references": ["red", "red red", "house"]}
    for beside, expected in ((None, "house"), (labeled, "red"), (alcore.Pool(**labeled), "red")):
        items = alcore.Annotations(pool)
        items.add(["rot"], kinds=["phrase"])
        items.simulate(labeled=beside)
        assert items[0].translation == expected
    with pytest.raises(ValueError, match="one of both is needed"):
        items.simulate(links_of(["0-0"]), labeled=labeled)


def test_annotations():
    items = alcore.Annotations(alcore.Pool(TEXTS))
    items.add([TEXTS[3], "fever"], kinds=["sent", "phrase"], ids=["a", "b"], rows=[3, -1], costs=[2, 0.5],
              translations=["behandelt", None])
    assert len(items) == 2 and items[-1] == items[1]
    assert items[0] == alcore.Annotation("a", "sent", TEXTS[3], "behandelt", "ok", 3)
    assert items[1] == ("b", "phrase", "fever", None, "open", None) and items[5:] == []
    assert items.spent == 2.5 and items.refunded == 0 and "items=2" in repr(items)
    with pytest.raises(IndexError):
        items[2]
    with pytest.raises(ValueError, match="kinds: 1 were given for 2 texts"):
        items.add(["a", "b"], kinds=["sent"])
    with pytest.raises(ValueError, match="item 0: \"word\" is no kind"):
        items.add(["a"], kinds=["word"])
    with pytest.raises(alcore.DataError, match="item 0: the text has no word"):
        items.add([" "])


def test_files(tmp_path):
    pool = alcore.Pool(TEXTS, references=REFERENCES)
    selection = tmp_path / "selection.tsv"
    selection.write_text("id\ttext\tkind\n4\tthe patient was treated\tsentence\n4\tfever\tphrase\n")
    items = alcore.Annotations(pool, selection)
    items.write_requests(tmp_path / "requests.jsonl")
    requests = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert requests[1]["context"] == ["the patient has fever"] and requests[0]["kind"] == "sent"
    (tmp_path / "dictionary.tsv").write_text("fever\tFieber\n")
    items.look_up(tmp_path / "dictionary.tsv")
    assert [item.status for item in items] == ["untranslatable", "ok"] and items.refunded == 4
    items.write(tmp_path / "answers.tsv")
    again = alcore.Annotations(pool)
    again.read_selection(selection)
    again.read_answers(tmp_path / "answers.tsv")
    assert list(again) == list(items)
    (tmp_path / "answers.tsv").write_text("id\ttext\ttranslation\n5\tfever\tx\n")
    with pytest.raises(alcore.DataError, match="answers.tsv:2: no selected item has the id \"5\""):
        alcore.Annotations(pool, selection).read_answers(tmp_path / "answers.tsv")


def test_answers_are_reported(tmp_path):
    items = alcore.Annotations(["the patient has fever", "it was late"])
    items.add(["fever", "late", "patient"], kinds=["phrase"] * 3, ids=["a", "b", "c"])
    path = tmp_path / "answers.csv"
    path.write_text("id,text,translation,status\na,fever,Fieber,done\nb,late,,\nc,patient,Patient,Discarded\nd,x,y,\n")
    report = items.read_answers(path)
    assert report == alcore.AnswerReport(4, 1, 1, 0, 0, 1, 0, 0, 1, [str(path) + ':5: no selected item has the id "d"'])
    assert [item.status for item in items] == ["ok", "open", "skipped"] and (items.spent, items.refunded) == (2.0, 1.0)
    path.write_text("id,translation\nc,Patient\n")
    report = items.read_answers(path)
    assert (report.answered, report.corrected) == (1, 1) and 'corrects the item with the id "c"' in report.messages[0]
    assert (items.spent, items.refunded) == (3.0, 0.0)


def test_subset_is_the_sample_that_pairs_are_drawn_from():
    labeled = {"texts": TEXTS, "references": REFERENCES}
    whole, sample = (alcore.mix(labeled, kind="random", count=5, **given) for given in ({}, {"subset": 2}))
    assert len(whole) == 5 and whole.missing == 0 and "a sample of" not in whole.summary
    assert len(sample) == 2 and sample.missing == 3 and "a sample of 2 of 6 pairs" in sample.summary


def test_what_is_not_given_is_made(tmp_path):
    pool = alcore.Pool(TEXTS)
    items = alcore.Annotations(pool)
    items.add(["severe headache", "fever"], kinds=["phrase"] * 2, translations=["starke Kopfschmerzen", "Fieber"])
    labeled = {"texts": ["the contract has serious flaws", "it was late today"],
               "references": ["der Vertrag hat ernste Fehler", "es war heute spaet"]}
    made = alcore.mix(labeled, annotations=items, kind="retrieved+contextualized", count=1)
    assert [pair.kind for pair in made] == ["phrase", "phrase", "retrieved", "contextualized"]
    assert made[3].source.startswith(made[3].source) and made.missing == 0 and "pairs=4" in repr(made)
    assert "embeddings: the n-gram model; language model: 4-grams of the pool" in made.summary
    assert made.provenance["kinds"]["contextualized"] == {"pairs": 1, "missing": 0}
    assert math.isnan(made.column("score")[0]) and made.column("item").tolist() == [0, 1, -1, made.column("item")[3]]
    trained = alcore.mix(labeled, annotations=items, kind="contextualized", count=1, lm=alcore.LanguageModel(TEXTS))
    assert trained[2] == made[3] and "language model: given" in trained.summary
    made.write(tmp_path / "train.tsv")
    assert (tmp_path / "train.tsv").read_text().splitlines()[1] == "phrase\tsevere headache\tstarke Kopfschmerzen\titem=0"
    made.write_parallel(tmp_path / "train")
    assert (tmp_path / "train.src").read_text().splitlines() == [pair.source for pair in made]
    assert (tmp_path / "train.tgt").read_text().splitlines() == [pair.target for pair in made[:]]
    column = made.column("labeled_row")
    made.close()
    assert column.tolist()[:2] == [-1, -1]


def test_what_cannot_be():
    with pytest.raises(ValueError, match="did you mean \"switched\""):
        alcore.mix(["a"], kind="swiched", count=1)
    with pytest.raises(ValueError, match="labeled is NULL"):
        alcore.mix(kind="random", count=1)
    with pytest.raises(ValueError, match="count is needed"):
        alcore.mix({"texts": ["a"], "references": ["b"]}, kind="random")
    with pytest.raises(TypeError, match="links: Links expected"):
        alcore.mix(["a"], kind="random", count=1, links=[[]])
    with pytest.raises(TypeError, match="annotations: Annotations expected"):
        alcore.mix(["a"], annotations=[])
    assert len(alcore.mix()) == 0
