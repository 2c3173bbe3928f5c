# SPDX-License-Identifier: Apache-2.0
"""Files of annotators' tools through the package: the list of tools, items out, answers back, and the same of annotations."""
import json

import pytest

import alcore

TEXTS = ["the patient has severe headache", "the patient was treated", "fever \U0001F600 & <chills>"]


def test_the_list_of_tools():
    known = alcore.tools()
    assert known["csv"] == {"title": known["csv"]["title"], "suffix": ".csv", "tasks": known["csv"]["tasks"], "span_unit": None, "lacks": None}
    assert "translation" in known["csv"]["tasks"]
    assert known["label-studio"]["span_unit"] == "code_points"
    assert all(set(tool["tasks"]) <= {"translation", "classes", "spans", "tags"} for tool in known.values())


def test_items_and_answers(tmp_path):
    path = tmp_path / "batch.csv"
    alcore.write_tool("csv", path, ["a", 2], TEXTS[:2], contexts=[None, "around"], drafts=["Entwurf", None], scores=[0.5, float("nan")],
                      costs=[5, 4], source_language="en", target_language="de", batch="first")
    lines = path.read_text("utf-8-sig").splitlines()
    assert lines[1].startswith("a,the patient has severe headache,Entwurf,draft,") and ",around," in lines[2]
    path.write_text("id,text,translation,status,comment,annotator\na,,eins,,,\n2,,,skip,too long,Eva\nx\n")
    answers = alcore.read_tool("csv", path)
    assert len(answers) == 2 and answers.unusable == 1 and "batch.csv:4" in answers.messages[0]
    assert answers[0][:4] == ("a", "ok", "eins", None) and answers[0].seconds is None and answers[0].line == 2
    assert answers[-1].status == "skip" and answers[-1].value is None and answers[1].comment == "too long"
    assert [answer.id for answer in answers[0:]] == ["a", "2"] and answers._columns()["value"] == ["eins", None]
    assert repr(answers) == "<alcore.ToolAnswers answers=2>"


def test_spans_and_labels(tmp_path):
    path = tmp_path / "tasks.json"
    alcore.write_tool("label-studio", path, ["7"], [TEXTS[2]], task="spans", labels=["FACE", "WORD"], drafts=['[[6, 7, "FACE"]]'])
    tasks = json.loads(path.read_text())
    (draft,) = tasks[0]["predictions"][0]["result"]
    assert draft["value"]["labels"] == ["FACE"]
    tasks[0]["annotations"] = [{"completed_by": 1, "was_cancelled": False, "lead_time": 2.5, "result": [
        dict(draft, value=dict(draft["value"], start=10, end=18, labels=["WORD"])), draft]}]
    path.write_text(json.dumps(tasks))
    (answer,) = alcore.read_tool("label-studio", path, task="spans")
    assert answer.spans == [alcore.Span(6, 7, "FACE"), alcore.Span(10, 18, "WORD")] and answer.seconds == 2.5
    assert TEXTS[2][answer.spans[1].begin:answer.spans[1].end] == "<chills>"
    assert json.loads(answer.value) == [list(span) for span in answer.spans]


def test_annotations(tmp_path):
    pool = alcore.Pool(TEXTS, ids=["a", "b", "c"])
    items = alcore.Annotations(pool)
    items.add(TEXTS[:2], ids=["a", "b"], rows=[0, 1])
    items.add(["severe headache"], kinds=["phrase"], ids=["1"])
    (tmp_path / "drafts.txt").write_text("eins\nzwei\ndrei\n")
    items.write_requests(tmp_path / "batch.csv", tool="csv", drafts=tmp_path / "drafts.txt", target_language="de")
    batch = (tmp_path / "batch.csv").read_text("utf-8-sig")
    assert "a,the patient has severe headache,eins,draft" in batch and "phrase:severe headache,severe headache," in batch
    (tmp_path / "back.csv").write_text("id,translation\nb,Der Patient wurde behandelt\nphrase:severe headache,Kopfweh\n")
    report = items.read_answers(tmp_path / "back.csv", tool="csv")
    assert (report.answered, report.unusable) == (2, 0)
    assert [item.status for item in items] == ["open", "ok", "ok"]
    (tmp_path / "labels.csv").write_text("id,labels\na,pain\n")
    with pytest.raises(alcore.Error, match="tool"):
        items.read_answers(tmp_path / "back.csv", tool="cvs")


def test_what_cannot_be(tmp_path):
    with pytest.raises(alcore.Error, match="did you mean csv"):
        alcore.write_tool("cvs", tmp_path / "x", ["a"], ["b"])
    with pytest.raises(ValueError, match="scores: 1 were given for 2 texts"):
        alcore.write_tool("csv", tmp_path / "x", ["a", "b"], ["b", "c"], scores=[1])
    with pytest.raises(ValueError, match="task: 'translate' is none of translation, classes, spans, tags"):
        alcore.read_tool("csv", tmp_path / "x", task="translate")
    with pytest.raises(ValueError, match="ids: 1 were given for 2 texts"):
        alcore.write_tool("csv", tmp_path / "x", ["a"], ["b", "c"])
    with pytest.raises(alcore.Error, match="items 1 and 2 have the id a"):
        alcore.write_tool("csv", tmp_path / "x.csv", ["a", "a"], ["b", "c"])
