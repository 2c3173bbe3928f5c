# SPDX-License-Identifier: Apache-2.0
"""Files of the library's own formats, as each release wrote them (tests/formats/RELEASE, by make_formats.py): this one reads them, writes
the same bytes, and refuses a newer version by its name."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import alcore

FORMATS = Path(__file__).resolve().parents[2] / "formats"
sys.path.insert(0, str(FORMATS))
import make_formats as made  # noqa: E402

RELEASES = sorted(path.name for path in FORMATS.iterdir() if path.is_dir() and path.name[0].isdigit())
TABLES = ("tsv", "csv", "jsonl")


@pytest.fixture(params=RELEASES)
def release(request):
    return FORMATS / request.param


def without_reasons(path):
    """A selection without the words of its reasons, which are no part of the format."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            del line["al"]["reason"]
        return [json.dumps(line) for line in lines]
    rows = list(csv.reader(io.StringIO(text))) if path.suffix == ".csv" else [line.split("\t") for line in text.split("\n")]
    reason = rows[0].index("reason")
    return [row[:reason] + row[reason + 1:] for row in rows]


def test_the_same_bytes_are_written(tmp_path):
    made.write(tmp_path)
    latest = FORMATS / RELEASES[-1]
    names = sorted(path.relative_to(latest) for path in latest.rglob("*") if path.is_file() and "checkpoint" not in path.parts)
    assert names == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()) and len(names) > 20
    for name in names:
        if name.name == "report.json":  # it has the version of the library; docs/schemas describes it
            continue
        if name.stem in ("selection", "random") and name.suffix != ".txt":
            assert without_reasons(tmp_path / name) == without_reasons(latest / name), name
        else:
            assert (tmp_path / name).read_bytes() == (latest / name).read_bytes(), name


@pytest.mark.parametrize("suffix", TABLES)
def test_pools_and_selections_are_pools(release, suffix):
    pool = alcore.Pool(release / ("pool." + suffix), dedup="none")
    assert list(pool) == made.TEXTS and [pool.id(row) for row in range(8)] == made.IDS
    picked = made.select(made.pool_of_texts())
    chosen = alcore.Pool(release / ("selection." + suffix))
    assert list(chosen) == picked.texts and [chosen.id(row) for row in range(len(chosen))] == picked.ids
    if suffix == "tsv":
        assert (release / "selection.txt").read_text(encoding="utf-8").splitlines() == picked.texts


@pytest.mark.parametrize("suffix", TABLES)
def test_selections_name_rows_and_items(release, suffix):
    picked = made.select(made.pool_of_texts())
    with alcore.Request(made.pool_of_texts(), strategy="random", budget=8) as request:
        request.set_rows("excluded", release / ("selection." + suffix))
        assert sorted(request.select().indices) == sorted(set(range(8)) - set(picked.indices) - {2})
    items = alcore.Annotations(made.pool_of_texts(), release / ("selection." + suffix))
    assert [item.text for item in items] == picked.texts and [item.row for item in items] == picked.indices


@pytest.mark.parametrize("suffix", TABLES)
def test_answers_are_read(release, suffix, tmp_path):
    items = made.annotations()
    open_items = alcore.Annotations(items.pool)
    open_items.add([item.text for item in items], kinds=[item.kind for item in items], ids=[item.id for item in items])
    open_items.read_answers(release / ("answers." + suffix))
    assert [item.translation for item in open_items] == [item.translation for item in items]
    # The requests come back with a column more.
    text = (release / ("requests." + suffix)).read_text(encoding="utf-8")
    filled = tmp_path / ("filled." + suffix)
    if suffix == "jsonl":
        lines = [json.dumps({**json.loads(line), "translation": "ja"}) for line in text.splitlines()]
        filled.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        rest = "," if suffix == "csv" else "\t"
        head, *lines = text.splitlines()
        filled.write_text("\n".join([head + rest + "translation"] + [line + rest + "ja" for line in lines]) + "\n", encoding="utf-8")
    open_items.read_answers(filled)
    assert [item.translation for item in open_items][1::2] == ["ja", "ja"]


def test_column_writers_are_merged(release, tmp_path):
    for name, writer in made.writers(made.pool_of_texts()).items():
        merged = alcore.ColumnWriter(made.pool_of_texts(), writer.name, missing="mask")
        merged.merge(release / (name + ".alcore"))
        assert merged.missing == writer.missing and len(merged.missing) == 5  # the empty row is masked
        merged.save(tmp_path / "merged")
        writer.save(tmp_path / "written")
        assert (tmp_path / "merged").read_bytes() == (tmp_path / "written").read_bytes()


def test_a_cache_is_used(release, tmp_path):
    shutil.copytree(release / "cache", tmp_path / "cache")
    model = made.Letters()
    picked = alcore.select(made.pool_of_texts(), 2, "kcenter", model=model, cache=str(tmp_path / "cache"))
    assert model.seen == 0 and len(picked) == 2


def test_aligners_are_read(release):
    aligner, fresh = alcore.Aligner.read(release / "links.aligner"), alcore.Aligner(list(zip(made.SOURCES, made.TARGETS)), iterations=2)
    for source, target in ("house", "Haus"), ("man", "Mann"), (None, "ist"):
        assert aligner.probability(source, target) == fresh.probability(source, target)


def test_a_run_is_repeated_from_its_report(release, tmp_path):
    for name in ("source.txt", "report.json"):
        shutil.copy(release / name, tmp_path)
    subprocess.run([os.environ["ALCORE"], "select", "--config", "report.json", "--quiet"], cwd=tmp_path, check=True)
    assert without_reasons(tmp_path / "random.tsv") == without_reasons(release / "random.tsv")


# ---- a newer version ----

LATEST = FORMATS / RELEASES[-1]


def newer(name, folder):
    """A copy of a file of the latest release whose version is one more."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    content = (LATEST / name).read_bytes()
    if path.suffix == ".jsonl":
        content = content.replace(b'-1","', b'-2","', 1)
    else:
        assert content[8:12] == b"\1\0\0\0"
        content = content[:8] + b"\2" + content[9:]
    path.write_bytes(content)
    return path


def holds(now, said):
    """Whether a document says all that another one of an earlier release said: members may be added."""
    if isinstance(said, dict):
        return isinstance(now, dict) and all(name in now and holds(now[name], value) for name, value in said.items())
    if isinstance(said, list):
        return isinstance(now, list) and len(now) == len(said) and all(map(holds, now, said))
    return now == said


@pytest.mark.parametrize("folder", sorted((FORMATS / "projects").iterdir()), ids=lambda folder: folder.name)
def test_projects_are_opened_and_go_on(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "project")
    with alcore.Project(tmp_path / "project") as project:
        project.verify()
        said, now = json.loads((folder / "document.json").read_text(encoding="utf-8")), project.document()
        assert holds({**now, "version": said["version"]}, said)
        project.write_labeled(tmp_path / "labeled.tsv")
        assert [line.split("\t")[2] for line in (tmp_path / "labeled.tsv").read_text(encoding="utf-8").splitlines()[1:]] == ["eins"]
        assert len(project.next().ids) == 3
        project.verify()


def experiment_of(folder, place):
    """A copy of an experiment that a release wrote, and what its records hold."""
    shutil.copytree(folder, place)
    return place / "config.json", place / "work", {path: path.read_bytes() for path in (place / "work" / "runs").rglob("*") if path.is_file()}


EXPERIMENTS = sorted((FORMATS / "experiments").iterdir())


@pytest.mark.parametrize("folder", EXPERIMENTS, ids=lambda folder: folder.name)
def test_experiments_are_read_and_go_on(folder, tmp_path):
    config, work, done = experiment_of(folder, tmp_path / "old")
    shown = (work / "metrics.tsv").read_bytes()
    (work / "metrics.tsv").unlink()
    assert alcore.experiment(config, work).rounds == 0
    assert (work / "metrics.tsv").read_bytes() == shown
    assert {path: path.read_bytes() for path in done} == done
    # A round more is made of those that were done, and those are what this version makes too.
    config.write_text(json.dumps({**made.EXPERIMENT, "rounds": 3}), encoding="utf-8")
    assert alcore.experiment(config, work).rounds == 2
    assert {path: path.read_bytes() for path in done} == done
    assert alcore.experiment(config, tmp_path / "whole").rounds == 7
    for path in (path for path in (tmp_path / "whole" / "runs").rglob("*") if path.is_file()):
        old, new = (work / "runs" / path.relative_to(tmp_path / "whole" / "runs")).read_bytes(), path.read_bytes()
        if path.name == "record.json":
            old, new = ({**json.loads(record), "version": ""} for record in (old, new))
        assert old == new, path
    assert (work / "metrics.tsv").read_bytes() == (tmp_path / "whole" / "metrics.tsv").read_bytes()


@pytest.mark.parametrize("folder", EXPERIMENTS, ids=lambda folder: folder.name)
def test_experiments_and_projects_know_files_by_the_same_digest(folder, tmp_path):
    config, work, done = experiment_of(folder, tmp_path / "old")
    settings = json.loads((work / "experiment.json").read_text(encoding="utf-8"))["settings"]
    with alcore.Project.init(tmp_path / "project") as project:
        project.add(tmp_path / "old" / "pool.tsv")
        assert project.document()["files"][0]["blob"] == settings["domains[small].pool.content"] + ".tsv"
    files = {path.parent / name: digest for path in done if path.name == "record.json" for name, digest in json.loads(done[path])["files"].items()}
    assert {path.name for path in files} == {"selection.tsv", "answers.tsv", "train.tsv", "model.arpa"}
    for number, path in enumerate(sorted(files)):
        with alcore.Project.init(tmp_path / ("project-%d" % number)) as project:
            project.add(shutil.copy(path, tmp_path / ("file-%d.txt" % number)))
            assert project.document()["files"][0]["blob"] == files[path] + ".txt"
    # One letter of the data more, and the experiment is another one.
    with open(tmp_path / "old" / "pool.tsv", "a", encoding="utf-8") as pool:
        pool.write("p99\tmore\tmehr\n")
    with pytest.raises(alcore.Error, match="content was '%s'" % settings["domains[small].pool.content"]):
        alcore.experiment(config, work)


def test_newer_files_are_refused_by_name(tmp_path):
    refused = "version 2; version 1 is read"
    for name, column in ("scalar", "scores"), ("dense", "embeddings"), ("ragged", "logprobs"):
        with pytest.raises(alcore.UnsupportedError, match=name + ".alcore: " + refused):
            alcore.ColumnWriter(made.pool_of_texts(), column).merge(newer(name + ".alcore", tmp_path))
    with pytest.raises(alcore.UnsupportedError, match="links.aligner: " + refused):
        alcore.Aligner.read(newer("links.aligner", tmp_path))


def test_newer_lines_are_refused_by_name(tmp_path):
    selection, requests = newer("selection.jsonl", tmp_path), newer("requests.jsonl", tmp_path)
    with pytest.raises(alcore.UnsupportedError, match="selection.jsonl:1: lines of the form alcore-selection-2 are not read"):
        alcore.Pool(selection)
    with pytest.raises(alcore.UnsupportedError, match="alcore-selection-2"):
        alcore.Annotations(made.pool_of_texts(), selection)
    with alcore.Request(made.pool_of_texts(), strategy="random", budget=8) as request:
        with pytest.raises(alcore.UnsupportedError, match="alcore-selection-2"):
            request.set_rows("excluded", selection)
    with pytest.raises(alcore.UnsupportedError, match="alcore-requests-2"):
        made.annotations().read_answers(requests)


def test_schemas_of_others_have_no_meaning(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text('{"schema": "mine-7", "text": "one two"}\n{"schema": {"a": 1}, "text": "three"}\n{"schema": 3, "text": "four"}\n')
    assert list(alcore.Pool(path)) == ["one two", "three", "four"]


def test_a_newer_cache_is_computed_again(tmp_path, caplog):
    (name,) = (path.name for path in (LATEST / "cache").iterdir())
    newer("cache/" + name, tmp_path)
    model = made.Letters()
    alcore.select(made.pool_of_texts(), 2, "kcenter", model=model, cache=str(tmp_path / "cache"))
    assert model.seen == 7 and "version 2; version 1 is read" in caplog.text
    assert (tmp_path / "cache" / name).read_bytes() == (LATEST / "cache" / name).read_bytes()
