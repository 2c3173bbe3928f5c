# SPDX-License-Identifier: Apache-2.0
"""The examples for Spark, Ray and Dask, and jobs over shards by the lines of docs/distributed.md, pick what one process picks. Each
runs where its package is; pinned.sh makes an environment for each, which tests/run.sh --full uses."""
import importlib
import importlib.util
import os
import re
import subprocess
import sys

import pytest

import alcore

EXAMPLES = {"spark": "pyspark", "ray": "ray", "dask": "dask"}


def need(name):
    """Skips what is not for this environment."""
    wanted = os.environ.get("ALCORE_CLUSTER")
    if wanted not in (None, name):
        pytest.skip("%s is tried in an environment of its own" % name)
    if importlib.util.find_spec(EXAMPLES[name]) is None:
        assert wanted is None, "no package " + EXAMPLES[name]
        pytest.skip("no package " + EXAMPLES[name])


def dask_workers():
    client = importlib.import_module("dask.distributed").Client(n_workers=2, threads_per_worker=1)
    return {"client": client}, client.close


def ray_workers():
    ray = importlib.import_module("ray")
    ray.init(num_cpus=2, include_dashboard=False)
    return {"ray": ray}, ray.shutdown


def spark_workers():
    builder = importlib.import_module("pyspark.sql").SparkSession.builder
    spark = builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    return {"spark": spark}, spark.stop


WORKERS = {"dask": dask_workers, "ray": ray_workers, "spark": spark_workers}


@pytest.mark.parametrize("name", EXAMPLES)
def test_jobs_over_shards_by_the_line_of_the_page(root, name):
    need(name)
    page = (root / "docs" / "distributed.md").read_text(encoding="utf-8")
    line = re.search(r"^with_%s = (.*)$" % name, page, re.M)[1]
    texts = ["text %d" % (row // 2) for row in range(1000)]
    scores = [row * 37 % 101 / 10 for row in range(1000)]

    def make_job(shard):  # a function of a function, which the engines pickle by value
        import alcore
        first, end = shard
        pool = alcore.Pool(texts[first:end])
        pool.set_column("scores", scores[first:end])
        return alcore.Job(alcore.Request(pool, strategy="nnll", budget="50w"), first_row=first, rows=len(texts))

    names, close = WORKERS[name]()
    try:
        picks = alcore.select_shards(make_job, [(0, 300), (300, 310), (310, 1000)], eval(line, names))
    finally:
        close()
    assert picks.rows == list(alcore.select(texts, "50w", "nnll", scores=scores).indices)


def test_a_worker_of_dask_that_is_killed_is_replaced(root, tmp_path):
    need("dask")
    line = re.search(r"^with_dask = (.*)$", (root / "docs" / "distributed.md").read_text(encoding="utf-8"), re.M)[1]
    rows, killed = 300, str(tmp_path / "killed")

    def make_job(shard):
        import os
        import signal
        import alcore

        class Mortal(alcore.Job):
            def step(self):
                message = super().step()  # of any exchange but the first
                if first == 100 and len(messages) == 2 and not os.path.exists(killed):
                    open(killed, "w").close()
                    os.kill(os.getpid(), signal.SIGKILL)
                return message

            def deliver(self, message):
                messages.append(message)
                super().deliver(message)
        messages, (first, end) = [], shard
        pool = alcore.Pool(["text %d" % row for row in range(first, end)])
        pool.set_column("embeddings", [[row * 37 % 101 / 10, row % 7] for row in range(first, end)])
        return Mortal(alcore.Request(pool, strategy="kcenter", budget="5"), first_row=first, rows=rows)

    names, close = dask_workers()
    try:
        picks = alcore.select_shards(make_job, [(0, 100), (100, 110), (110, rows)], eval(line, names))
    finally:
        close()
    assert os.path.exists(killed)
    pool = alcore.Pool(["text %d" % row for row in range(rows)])
    pool.set_column("embeddings", [[row * 37 % 101 / 10, row % 7] for row in range(rows)])
    assert picks.rows == list(alcore.Request(pool, strategy="kcenter", budget="5").select().indices)


@pytest.mark.parametrize("name", EXAMPLES)
def test_workers_score_and_the_driver_selects(root, tmp_path, name):
    need(name)
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
