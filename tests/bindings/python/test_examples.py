# SPDX-License-Identifier: Apache-2.0
"""Every example runs and says what it should."""
import importlib.util
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import alcore


def run(root, name, *arguments, needs=()):
    for package in needs:
        if importlib.util.find_spec(package) is None:
            pytest.skip("no package " + package)
    done = subprocess.run([sys.executable, str(root / "examples" / "python" / name), *map(str, arguments)],
                          capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_first_selection(root, texts):
    out = run(root, "first_selection.py", root / "examples" / "data" / "pool.txt", "60w")
    rows = [int(row) for row in re.findall(r"^(\d+)\t", out, re.M)]
    assert rows and all("%d\t%s\n" % (row, texts[row]) in out for row in rows)


def test_first_selection_counts_lines_as_the_command_does(root, tmp_path):
    """Python's splitlines() also ends a line at U+0085 and U+2028, and every later index would be off."""
    lines = ["one\u0085still one", "two\u2028still two", "three words here", "four more words here"]
    path = tmp_path / "pool.txt"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    found = re.findall(r"^(\d+)\t(.*?)\n\t", run(root, "first_selection.py", path, "100w"), re.M | re.S)
    assert sorted(found) == [(str(row), line) for row, line in enumerate(lines)]


def test_jsonl(root, tmp_path, texts):
    pool, picks, answers = tmp_path / "pool.jsonl", tmp_path / "picks.jsonl", tmp_path / "answers.jsonl"
    pool.write_text("".join(json.dumps({"id": "s%d" % row, "text": text}) + "\n" for row, text in enumerate(texts[:60])))
    assert "0 rows labeled" in run(root, "jsonl_io.py", pool, picks, answers)
    first = [json.loads(line) for line in picks.open()]
    assert first and all(texts[int(pick["id"][1:])] == pick["text"] for pick in first)
    answers.write_text("".join(json.dumps({"id": pick["id"], "reference": "x"}) + "\n" for pick in first))
    assert "round 2" in run(root, "jsonl_io.py", pool, picks, answers)
    second = [json.loads(line)["id"] for line in picks.open()]
    assert second and not set(second) & {pick["id"] for pick in first}


def test_memory_loop(root):
    out = run(root, "memory_loop.py")
    assert "round 1: 1 answered, 1 skipped, spent 5" in out and "round 2: 3 answered, 0 skipped" in out
    assert "  the patient has fever = der Patient hat Fieber" in out and out.count("the patient was treated") == 1


def test_label_studio_backend(root, tmp_path):
    """It speaks the protocol over HTTP: what is unlike the memory has the lower score, what is in it a draft, and a translation that
    was saved is learned."""
    memory = tmp_path / "memory.tsv"
    memory.write_text("source\treference\nthe patient has fever\tder Patient hat Fieber\nthe patient has pain\tder Patient hat Schmerzen\n")
    server = subprocess.Popen([sys.executable, str(root / "examples" / "python" / "label_studio_backend.py"), str(memory), "0"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(path, request=None):
        data = None if request is None else (request if isinstance(request, bytes) else json.dumps(request).encode())
        try:
            with urllib.request.urlopen(urllib.request.Request(address + path, data, {"Content-Type": "application/json"}), timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def predict(*texts):
        status, answer = ask("/predict", {"tasks": [{"id": n, "data": {"text": text}} for n, text in enumerate(texts)], "label_config": "<View/>"})
        assert status == 200 and len(answer["results"]) == len(texts)
        return answer["results"]

    try:
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), server.stderr.read()
        assert ask("/health") == (200, {"status": "UP", "model_class": "alcore"})
        assert ask("/setup", {"project": "1", "schema": "<View/>"}) == (200, {"model_version": "alcore 2"})
        known, near, far = predict("the patient has fever", "the patient has", "quantum field theory")
        assert known["result"][0]["value"] == {"text": ["der Patient hat Fieber"]} and near["result"] == far["result"] == []
        assert 0 < far["score"] < near["score"] <= 1 and far["score"] < known["score"]
        event = {"task": {"data": {"text": "quantum field theory"}}, "annotation": {"result": [
            {"from_name": "translation", "to_name": "text", "type": "textarea", "value": {"text": ["Quantenfeldtheorie"]}}]}}
        assert ask("/webhook", {"action": "PROJECT_UPDATED"})[0] == 200
        assert ask("/webhook", {"action": "ANNOTATION_CREATED", **event}) == (200, {"model_version": "alcore 3"})
        learned, = predict("quantum field theory")
        assert learned["score"] > far["score"] and learned["result"][0]["value"] == {"text": ["Quantenfeldtheorie"]}
        assert learned["model_version"] == "alcore 3"
        assert ask("/nothing")[0] == 404 and ask("/predict", {})[0] == 400 and ask("/predict", b"{")[0] == 400
    finally:
        server.kill()
        server.communicate()


def test_own_acquisition(root):
    path = root / "examples" / "python" / "own_acquisition.py"
    assert len(path.read_text().splitlines()) < 60
    lines = run(root, "own_acquisition.py").splitlines()
    found = [re.match(r"(\S+) +(\d+) labels: accuracy (0\.\d+) \+- 0\.\d+$", line).groups() for line in lines]
    assert [entry[:2] for entry in found] == [(name, budget) for name in ("random", "entropy", "huds", "unsure_and_central")
                                              for budget in ("30", "60", "120")]
    accuracy = {entry[:2]: float(entry[2]) for entry in found}
    assert accuracy["unsure_and_central", "120"] > accuracy["random", "120"]  # what it is there to show


@pytest.mark.parametrize("name", ["first_selection.py", "jsonl_io.py"])
def test_usage(root, name):
    done = subprocess.run([sys.executable, str(root / "examples" / "python" / name)], capture_output=True, text=True)
    assert done.returncode == 1 and "usage: " + name in done.stderr and "Traceback" not in done.stderr


def test_classifier_loop(root):
    found = [float(value) for value in re.findall(r"accuracy (\S+)", run(root, "classifier_loop.py", 5, needs=["sklearn"]))]
    assert len(found) == 5 and found[-1] > 0.8


def test_what_a_classifier_learns_from(root, tmp_path):
    """The table of a task that kcenter solves and random draws do not: most texts of the pool are of one class."""
    words = {"animal": "cat dog horse cow sheep", "tool": "hammer saw drill plane file", "food": "bread soup cheese apple rice"}
    line = lambda split, label, i: "%s\t%s\tthe %s is here %s\n" % (split, label, words[label].split()[i % 5], "again " * (i % 3))
    rows = [line("train", "animal", i) for i in range(300)]
    rows += [line(split, label, i) for label in words for split in ("train", "test") for i in range(6)]
    table = tmp_path / "task.tsv"
    table.write_text("split\tlabel\ttext\n" + "".join(rows))
    out = run(root, "../experiments/classify.py", table, "ngram", "margin", "qbc", "kcenter!", "badge:mode=oversampling,steps=2", needs=["sklearn"])
    assert "18 of test, 3 classes, 3 labels a round" in out
    found = {name: list(map(float, means.split(" | "))) for name, means in re.findall(r"^\| `(\S+)` \| ([\d. |]+) \| [+-]", out, re.M)}
    assert sorted(found) == ["badge:mode=oversampling,steps=2", "kcenter!", "margin", "qbc", "random"] and all(len(means) == 5 for means in found.values())
    assert found["margin"][0] == found["qbc"][0] == found["random"][0]  # the same seeds
    assert found["kcenter!"][4] > found["random"][4] + 10
    done = subprocess.run([sys.executable, str(root / "examples" / "experiments" / "classify.py"), table, "ngram", "margins!"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "did you mean margin?" in done.stderr


@pytest.mark.parametrize("how", ["one", "ddp"])
def test_torch_loop(root, how):
    out = run(root, "torch_loop.py", 2, *(["--ddp"] if how == "ddp" else []), needs=["torch"])
    assert len(re.findall(r"^round \d: \d+ sentences, loss", out, re.M)) == 2


def test_torch_device(root):
    out = run(root, "torch_device.py", 2, "cpu", needs=["torch"])
    found = re.findall(r"^round (\d): (\d+) sentences, loss (\d+\.\d+), next, by cpu-\w+ on cpu: \[\d", out, re.M)
    assert [entry[0] for entry in found] == ["1", "2"]
    assert int(found[1][1]) > int(found[0][1]) and float(found[1][2]) < float(found[0][2])


def test_torch_device_scores_as_torch_does(root, monkeypatch):
    """The columns of the example are the log-probabilities and the mean hidden state, computed by torch alone."""
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(root / "examples" / "python"))
    example = importlib.import_module("torch_device")
    texts = ["a cat", "", "two dogs and a cat"]
    codes = example.encode(texts)[0]
    torch.manual_seed(3)
    model = example.CharacterModel()
    with alcore.Pool(texts) as pool:
        example.score(model, pool, codes)
        logprobs, offsets = map(list, pool.get_column("logprobs"))  # copies, as the pool ends here
        embeddings = pool.column_rows("embeddings", range(3))
    with torch.no_grad():
        logits, hidden = model(codes[:, :-1])
    for row, text in enumerate(texts):
        if text:
            losses = torch.nn.functional.cross_entropy(logits[row, :len(text)], codes[row, 1:len(text) + 1], reduction="none")
            assert logprobs[offsets[row]:offsets[row + 1]] == pytest.approx((-losses).tolist(), rel=1e-5, abs=1e-6)
            assert embeddings[row].tolist() == pytest.approx(hidden[row, :len(text)].mean(0).tolist(), rel=1e-5, abs=1e-6)
