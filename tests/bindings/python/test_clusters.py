# SPDX-License-Identifier: Apache-2.0
"""The examples for Spark, Ray and Dask pick what one process picks. Each runs where its package is; pinned.sh makes an environment for
each, which tests/run.sh --full uses."""
import importlib.util
import os
import subprocess
import sys

import pytest

import alcore

EXAMPLES = {"spark": "pyspark", "ray": "ray", "dask": "dask"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_workers_score_and_the_driver_selects(root, tmp_path, name):
    wanted = os.environ.get("ALCORE_CLUSTER")
    if wanted not in (None, name):
        pytest.skip("%s is tried in an environment of its own" % name)
    if importlib.util.find_spec(EXAMPLES[name]) is None:
        assert wanted is None, "no package " + EXAMPLES[name]
        pytest.skip("no package " + EXAMPLES[name])
    texts = (root / "examples" / "data" / "pool.txt").read_text(encoding="utf-8").splitlines()[:60]
    pool, labeled = tmp_path / "pool.txt", tmp_path / "labeled.txt"
    pool.write_text("".join(text + "\n" for text in texts[:50]), encoding="utf-8")
    labeled.write_text("".join(text + "\n" for text in texts[50:]), encoding="utf-8")
    logprobs = alcore.LanguageModel(texts[50:], order=2).token_logprobs(texts[:50])
    expected = alcore.select(texts[:50], 5, "nnll", scores=[-sum(words) / len(words) for words in logprobs])
    done = subprocess.run([sys.executable, str(root / "examples" / "python" / (name + "_pool.py")), str(pool), str(labeled), "5"],
                          capture_output=True, text=True, timeout=500, cwd=tmp_path, env=dict(os.environ, RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0"))
    assert done.returncode == 0, done.stderr
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == [str(row) for row in expected.indices]
