#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Selections with a language model, by the option --model of the command, beside PyPI's transformers: the columns that it computes from
the same folder, given as files, make the same picks. In TAP.
usage: test_language_peer.py ALCORE ROOT BUILD

transformers and torch are those of the virtual environment torch-venv of BUILD or beside it, where tests/run.sh --full installs them, or
of the interpreter $ALCORE_TORCH_PYTHON."""
import json
import os
import random
import subprocess
import sys
import tempfile

ALCORE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), HERE]
from language_folder import language_folder  # noqa: E402
from npy_file import read_npy, write_npy  # noqa: E402
from tap import Tap  # noqa: E402

PYTHON = next((path for path in (os.environ.get("ALCORE_TORCH_PYTHON", ""), os.path.join(BUILD, "torch-venv", "bin", "python"),
                                 os.path.join(os.path.dirname(BUILD), "torch-venv", "bin", "python")) if os.path.exists(path)), None)
FAMILIES = ["llama", "mistral", "qwen2", "qwen3", "gemma3"]
PROMPT = "w40 {text} w41"
SYSTEM = "w20 w21"
TEMPLATE = ("{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %} w22 {% else %} w23 {% endif %}{{ m.content | trim }} {{ eos_token }}"
            "{% endfor %}{% if add_generation_prompt %} w24{% endif %}")
# An answer ends with another token than the first of eos_token_id.
ANSWERED = ("{{ bos_token }}{% for m in messages %}{{ ' w22 ' if m.role == 'system' else ' w24 ' if m.role == 'assistant' else ' w23 ' }}"
            "{{ m.content | trim }} w30 w31{% endfor %}{% if add_generation_prompt %} w24{% endif %}")
LABELS = ["w12", "w13 w14", "w13", "w50 w51 w52"]  # of several tokens, and one that begins another


def inside(*arguments):
    done = subprocess.run([PYTHON, *arguments], capture_output=True, text=True, timeout=600, env=dict(os.environ, HF_HUB_OFFLINE="1"))
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "status %d" % done.returncode)


def run(*command):
    done = subprocess.run([ALCORE, *command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def made_texts():
    draw = random.Random(5)
    texts = [" ".join("w%d" % draw.randrange(5, 58) for _ in range(draw.randrange(2, 9))) for _ in range(24)]
    return texts + [text + " w8 w9" for text in texts[:6]]


def peers(box):
    """Folders of all families, in which transformers has written what it says of the texts, and a file of these."""
    job, pool = (os.path.join(box, name) for name in ("job.json", "pool.txt"))
    with open(job, "w", encoding="utf-8") as file:
        json.dump({"texts": made_texts(), "prompt": PROMPT, "labels": LABELS, "system": SYSTEM}, file)
    with open(pool, "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in made_texts())
    files = {"generation_config.json": {"max_new_tokens": 6}, "tokenizer_config.json": {"bos_token": "<start>", "chat_template": TEMPLATE}}
    folders = [language_folder(box, family, files) for family in FAMILIES]
    inside(os.path.join(HERE, "language_peer.py"), job, *folders)
    return folders, pool


def said_of(path):
    with open(os.path.join(path, "peer.json"), encoding="utf-8") as file:
        return json.load(file)


def kept(box, name, rows):
    """A file with a column: .npy of rows of one length, .lp of others."""
    path = os.path.join(box, name)
    if name.endswith(".npy"):
        write_npy(path, (len(rows), len(rows[0])), [value for row in rows for value in row])
        return path
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("%d\t%s\n" % (i, " ".join("%.9g" % value for value in row)) for i, row in enumerate(rows, 1))
    return path


def picks(strategy, *more):
    """The ids that are chosen, and their scores."""
    table = [line.split("\t") for line in run("select", POOL, "--strategy", strategy, "--budget", "8", "--quiet", *more).splitlines()]
    return [row[2] for row in table[1:]], [float(row[3]) for row in table[1:]]


def expect_same(strategy, ours, theirs):
    (rows, scores), (other_rows, other_scores) = picks(strategy, *ours), picks(strategy, *theirs)
    assert len(rows) == 8 and rows == other_rows, (strategy, rows, other_rows)
    assert all(abs(a - b) <= 1e-4 * (1 + abs(b)) for a, b in zip(scores, other_scores)), (strategy, scores, other_scores)


def likelihoods(box):
    """nnll and huds of the texts themselves, and of what the model writes behind a prompt; of phrases by its words."""
    for path in FOLDERS:
        said = said_of(path)
        embeddings = ["--embeddings", kept(box, "e.npy", said["embeddings"])]
        of_text = ["--logprobs", kept(box, "t.lp", said["text_logprobs"])]
        own = ["--logprobs", kept(box, "o.lp", [output["logprobs"] for output in said["own"]])]
        for more, columns in (([], of_text), (["--prompt", PROMPT], own)):
            expect_same("nnll", ["--model", path, *more], columns)
            expect_same("huds", ["--model", path, *more], columns + embeddings)
        expect_same("huds-phrase", ["--model", path], of_text + embeddings)


def round_trips(box):
    for path in FOLDERS:
        there, back = os.path.join(box, "there.txt"), os.path.join(box, "back.lp")
        run("model", "translate", path, POOL, "--prompt", PROMPT, "--beam", "1", "--out", there)
        run("model", "score", path, there, POOL, "--prompt", PROMPT, "--out", back)
        expect_same("rttl", ["--logprobs", back], ["--logprobs", kept(box, "b.lp", said_of(path)["back"])])


def classes(box):
    """Probabilities of labels, and the strategies that read them."""
    for path in FOLDERS:
        said, out = said_of(path), os.path.join(box, "probs.npy")
        option = ["--prompt", PROMPT, "--verbalizer", ",".join(LABELS)]
        for more, wanted in (([], said["probs"]), (["--chat", SYSTEM], said["chat"])):
            run("model", "probs", path, POOL, *option, *more, "--out", out)
            shape, values = read_npy(out)
            assert shape == (len(wanted), len(LABELS)), shape
            worst = max(abs(a - b) for a, b in zip(values, (value for row in wanted for value in row)))
            print("# %s%s: the largest difference of a probability is %g" % (os.path.basename(path), " in a chat" if more else "", worst))
            assert worst < 1e-4, worst
        probs = ["--probs", kept(box, "p.npy", said["probs"])]
        for strategy in ("entropy", "margin", "lc", "uncertainty"):
            expect_same(strategy, ["--model", path, *option], probs)
        expect_same("entropy", ["--model", path, *option, "--chat", SYSTEM], ["--probs", kept(box, "c.npy", said["chat"])])
        expect_same("badge", ["--model", path, *option], probs + ["--embeddings", kept(box, "e.npy", said["embeddings"])])


def long_texts(box):
    """Texts that do not fit with their prompt are cut alone: probabilities of labels, and outputs, are those behind the end of the prompt."""
    job, pool = os.path.join(box, "long.json"), os.path.join(box, "long.txt")
    draw = random.Random(7)
    texts = [" ".join("w%d" % draw.randrange(5, 58) for _ in range(length)) for length in (3, 9, 12, 13, 16, 17, 40, 200)]
    with open(job, "w", encoding="utf-8") as file:
        json.dump({"texts": texts, "prompt": PROMPT, "labels": LABELS, "system": SYSTEM, "most": 20}, file)
    with open(pool, "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in texts)
    files = {"generation_config.json": {"max_new_tokens": 4},
             "tokenizer_config.json": {"bos_token": "<start>", "chat_template": TEMPLATE, "model_max_length": 20}}
    folders = [language_folder(box, family, files) for family in FAMILIES]
    inside(os.path.join(HERE, "language_peer.py"), job, *folders)
    for path in folders:
        said, out, cut = said_of(path), os.path.join(box, "long.npy"), {}
        for more, name in (([], "probs"), (["--chat", SYSTEM], "chat")):
            told = run("model", "probs", path, pool, "--prompt", PROMPT, "--verbalizer", ",".join(LABELS), *more, "--out", out, "--json")
            cut[name] = json.loads(told)["cut"]
            values = read_npy(out)[1]
            worst = max(abs(a - b) for a, b in zip(values, (value for row in said[name] for value in row)))
            assert worst < 1e-4, (path, name, worst)
        scores = os.path.join(box, "long.lp")
        told = run("model", "translate", path, pool, "--prompt", PROMPT, "--beam", "1", "--out", os.path.join(box, "h.txt"), "--scores", scores,
                   "--json")
        with open(scores, encoding="utf-8") as file:
            ours = [[float(value) for value in line.split("\t")[1].split()] for line in file]
        # generate() goes on behind the 20 tokens.
        worst = max(abs(a - b) for row, output in zip(ours, said["own"]) for a, b in zip(row, output["logprobs"]))
        assert worst < 1e-4 and all(len(row) >= 1 for row in ours), (path, worst)
        # Beside the text there are 3 tokens, in a chat 10; labels need 3.
        assert (cut["probs"], cut["chat"], json.loads(told)["cut"]) == (4, 7, 2), (cut, told)


def chats_are_learned(box):
    """The loss of an update, and scores, are those of the tokens that apply_chat_template() writes for the answer and its end."""
    short = [" ".join(text.split()[:4]) for text in made_texts()]
    pairs = list(zip(short, short[1:]))
    job = os.path.join(box, "turns.json")
    with open(job, "w", encoding="utf-8") as file:
        json.dump({"texts": [a for a, _ in pairs], "targets": [b for _, b in pairs], "prompt": PROMPT, "labels": LABELS, "system": SYSTEM,
                   "end": "w30"}, file)
    for name, side in (("a.txt", 0), ("b.txt", 1)):
        with open(os.path.join(box, name), "w", encoding="utf-8") as file:
            file.writelines(pair[side] + "\n" for pair in pairs)
    for family in FAMILIES:
        path = language_folder(box, family, {"tokenizer_config.json": {"bos_token": "<start>", "chat_template": ANSWERED}})
        with open(os.path.join(path, "tokenizer.json"), encoding="utf-8") as file:
            vocabulary = json.load(file)["model"]["vocab"]
        with open(os.path.join(path, "generation_config.json"), "w", encoding="utf-8") as file:
            json.dump({"eos_token_id": [vocabulary["<end>"], vocabulary["w30"]], "max_new_tokens": 4}, file)
        inside(os.path.join(HERE, "language_peer.py"), job, path)
        wanted, scores, config = said_of(path)["turns"], os.path.join(box, "turns.lp"), os.path.join(box, "turns-config.json")
        run("model", "score", path, os.path.join(box, "a.txt"), os.path.join(box, "b.txt"), "--prompt", PROMPT, "--chat", SYSTEM, "--out", scores)
        with open(scores, encoding="utf-8") as file:
            ours = [[float(value) for value in line.split("\t")[1].split()] for line in file]
        worst = max(abs(a - b) for row, other in zip(ours, wanted, strict=True) for a, b in zip(row, other, strict=True))
        assert worst < 1e-4, (path, worst)
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"model": path, "out": os.path.join(box, "trained"), "prompt": PROMPT, "chat": SYSTEM, "updates": 1, "batch_tokens": 100000,
                       "train": [{"texts": os.path.join(box, "a.txt"), "references": os.path.join(box, "b.txt")}]}, file)
        loss, values = json.loads(run("model", "train", config, "--json"))["loss"], [value for row in wanted for value in row]
        assert abs(loss + sum(values) / len(values)) < 1e-4, (path, loss, -sum(values) / len(values))


OPENED = """
import json, os, sys
from transformers import AutoTokenizer
for path in sys.argv[1:]:
    try:
        found = AutoTokenizer.from_pretrained(path)
        found = [type(found).__name__, found("w5 w6 w7")["input_ids"]]
    except ValueError as error:
        found = [str(error), None]
    with open(os.path.join(path, "opened.json"), "w", encoding="utf-8") as file:
        json.dump(found, file)
"""


def code_of_tokenizers(box):
    """Folders whose tokenizer_config.json names code (auto_map) open where AutoTokenizer opens them without running it."""
    code = {"AutoTokenizer": ["tokenization_own.OwnTokenizer", None]}
    cases = [(family, kind, code) for family in ("llama", "eurobert", "bert") for kind in ("PreTrainedTokenizer", "PythonBackend", "OwnTokenizer", None)]
    cases += [("llama", "OwnTokenizer", maps) for maps in (code["AutoTokenizer"], {"AutoTokenizer": None}, {"AutoConfig": "own.Config"})]
    folders = []
    for family, kind, maps in cases:
        folders.append(language_folder(box, family, {"tokenizer_config.json": {"tokenizer_class": kind, "auto_map": maps}}))
        with open(os.path.join(folders[-1], "tokenization_own.py"), "w", encoding="utf-8") as file:
            file.write("raise SystemExit('ran')\n")
    inside("-c", OPENED, *folders)
    plain, opened = {}, 0
    for (family, kind, maps), path in zip(cases, folders, strict=True):
        out = os.path.join(box, "opened.npy")
        with open(os.path.join(path, "opened.json"), encoding="utf-8") as file:
            name, ids = json.load(file)
        done = subprocess.run([ALCORE, "model", "embed", path, POOL, "--out", out], capture_output=True, text=True, timeout=300)
        assert (done.returncode == 0) == (ids is not None), (family, kind, maps, name, done.stderr)
        if ids is None:
            assert "auto_map" in done.stderr and "contains custom code" in name, (done.stderr, name)
        elif name == "TokenizersBackend":  # tokenizer.json as it is
            values = read_npy(out)[1]
            assert list(values) == list(plain.setdefault(family, values)), (family, kind, maps)
            opened += 1
    assert opened == 9 and len(plain) == 3, (opened, len(plain))


def main():
    global FOLDERS, POOL
    with tempfile.TemporaryDirectory() as box:
        try:
            if not PYTHON:
                raise RuntimeError("there is no torch-venv")
            FOLDERS, POOL = peers(box)
        except RuntimeError as error:
            print("1..0 # SKIP transformers cannot be imported: " + str(error).splitlines()[-1])
            return
        tap = Tap()
        tap.run([likelihoods, round_trips, classes, long_texts, chats_are_learned, code_of_tokenizers])
        tap.finish()


main()
