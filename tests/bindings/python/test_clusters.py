# SPDX-License-Identifier: Apache-2.0
"""The examples for Spark, Ray and Dask, alcore.spark, alcore.ray and alcore.dask, and jobs over shards by the lines of docs/distributed.md
pick what one process picks, also where workers are killed. Each
runs where its package is; pinned.sh makes an environment for each, which tests/run.sh --full uses."""
import importlib
import importlib.util
import os
import re
import subprocess
import sys
import time

import pytest

import alcore
from trained_rounds import one_machine, picks_of_rounds, ROUNDS

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
    os.environ.setdefault("RAY_worker_niceness", "0")  # beside other tests its workers would get no processor
    ray.init(num_cpus=2, include_dashboard=False)
    return {"ray": ray}, ray.shutdown


def spark_workers():
    builder = importlib.import_module("pyspark.sql").SparkSession.builder
    spark = builder.master("local[2, 4]").config("spark.ui.enabled", "false").getOrCreate()
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


# ---- the modules alcore.spark, alcore.ray and alcore.dask ----

@pytest.fixture(params=EXAMPLES)
def engine(request, monkeypatch):
    """The module for an engine, its workers, and a function that makes its table of a list of dicts, in three parts."""
    need(request.param)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    module = importlib.import_module("alcore." + request.param)
    names, close = WORKERS[request.param]()
    yield module, globals()["%s_table" % request.param], names
    close()


def dask_table(records, names):
    pandas = importlib.import_module("pandas")
    importlib.import_module("dask").config.set({"dataframe.convert-string": False})
    return importlib.import_module("dask.dataframe").from_pandas(pandas.DataFrame(records), npartitions=3)


def ray_table(records, names):
    return importlib.import_module("ray.data").from_items(records, override_num_blocks=3)


def spark_table(records, names):
    return names["spark"].createDataFrame(records).coalesce(3)


RECORDS = [{"id": "row-%d" % row, "text": "text %d" % row, "embeddings": [row * 37 % 101 / 10 + row / 1000, row % 7 + .5],
            "scores": row * 37 % 101 / 10 + row / 1000} for row in range(120)]


def check_ids(picks, strategy, columns=tuple(RECORDS[0]), **named):
    """The picks of one machine. No two rows are equal, so that the order of the parts has no influence."""
    table = {name: [record[name] for record in RECORDS] for name in columns}
    one = alcore.select(table, 5, strategy, **named)
    assert picks.ids == list(one.ids) and picks.texts == list(one.texts) and picks.scores == list(one.scores)


def test_an_engine_selects_by_columns(engine):
    module, table, names = engine
    told = []
    frame = table(RECORDS, names)
    check_ids(module.select(frame, 5, "kcenter", timeout=300, progress=lambda *said: told.append(said)), "kcenter")
    assert len(told) > 5
    if module.__name__ == "alcore.spark":
        assert not frame.is_cached
        check_ids(module.select(frame.cache(), 5, "huds", timeout=300, barrier=True), "huds")
        assert frame.is_cached


PHRASED = [{"id": "row-%d" % row, "text": "the file %d could not be %s by user %d" % (row // 3 % 20, ("opened", "saved", "read")[row % 3], row % 7),
            "embeddings": [row * 37 % 101 / 10, row % 7 + .5], "scores": row * 37 % 101 / 10} for row in range(120)]
# Strategies whose picks are no rows of parts, and what looks at all rows at once.
WHOLE = [("ngf", "40w", {}), ("ngf-smp", ["9w", "40w"], {}), ("random-phrase", "20w", {"seed": 3}), ("hybrid", ["19w", "40w"], {}),
         ("gold", "40w", {"targets": {name: [record[name] for record in PHRASED[30:60]] for name in ("id", "text")}, "seed": 3}),
         ("nnll", "60w", {"max_similarity": .9}), ("nnll", [3, 9], {}), ("huds", 5, {"candidates": 30, "sticky": 1, "seed": 3})]


def columns_of(frame, module):
    """The rows in the order of the parts, as a table of one machine."""
    if module.__name__ == "alcore.dask":
        records = frame.compute().to_dict("records")
    else:
        records = frame.take_all() if module.__name__ == "alcore.ray" else [row.asDict() for row in frame.collect()]
    assert len(records) > 10
    return {name: [record[name] for record in records] for name in records[0]}


def test_picks_that_are_no_rows_of_parts(engine):
    module, table, names = engine
    frame = table(PHRASED, names)
    frame = frame.materialize() if module.__name__ == "alcore.ray" else frame.cache() if module.__name__ == "alcore.spark" else frame
    one = columns_of(frame, module)
    for number, (strategy, budget, named) in enumerate(WHOLE):
        barrier = {"barrier": True} if module.__name__ == "alcore.spark" and number % 2 else {}
        found, expected = module.select(frame, budget, strategy, timeout=300, **barrier, **named), alcore.select(one, budget, strategy, **named)
        for picks, other in zip(found, expected) if isinstance(budget, list) else [(found, expected)]:
            assert picks[:7] == (other.indices, other.ids, other.texts, other.scores, other.costs, other.spent, other.short), strategy
            assert picks.records == (other.records if number < 5 else None), strategy


def test_rounds_use_the_scores_of_earlier_ones(tmp_path, engine):
    module, table, names = engine
    frame = table([{name: record[name] for name in ("id", "text")} for record in RECORDS], names)
    frame = frame.materialize() if module.__name__ == "alcore.ray" else frame.cache() if module.__name__ == "alcore.spark" else frame
    one = columns_of(frame, module)
    for folder in ("one", "all"):
        (tmp_path / folder).mkdir()
    for strategy in ROUNDS:
        found = picks_of_rounds(strategy, tmp_path / "all", lambda *arguments, **named: module.select(frame, *arguments, timeout=300, **named))
        assert found == one_machine(strategy, tmp_path / "one", one), strategy


def test_phrases_by_the_line_of_the_page(root, engine):
    module, _, names = engine
    page = (root / "docs" / "distributed.md").read_text(encoding="utf-8")
    line = re.search(r"^with_%s = (.*)$" % module.__name__[7:], page, re.M)[1]
    texts = [record["text"] for record in PHRASED]

    def make_job(shard):
        import alcore
        first, end = shard
        return alcore.Job(alcore.Request(alcore.Pool(texts[first:end]), strategy="ngf-smp", budget="40w"), first_row=first, rows=len(texts))
    picks = alcore.select_shards(make_job, [(0, 50), (50, 50), (50, len(texts))], eval(line, names))
    assert picks.selection.records == alcore.select(texts, "40w", "ngf-smp").records


def only(frame, ids, module):
    """The rows with these ids, in as many parts as before."""
    return frame.filter(lambda row: row["id"] in ids) if module.__name__ == "alcore.ray" else frame[frame["id"].isin(ids)]


def test_parts_without_rows(engine):
    module, table, names = engine
    frame, some = table(PHRASED, names), PHRASED[50:75]  # none of the first part and of the last one
    frame = only(frame, [record["id"] for record in some], module)
    one = {name: [record[name] for record in some] for name in some[0]}
    barriers = ({}, {"barrier": True}) if module.__name__ == "alcore.spark" else ({},)
    for strategy, budget in (("huds", 5), ("nnll", 5), (None, "30w"), ("ngf", "20w"), ("hybrid", "30w")):
        expected = alcore.select(one, budget, strategy)
        for barrier in barriers:
            picks = module.select(frame, budget, strategy, timeout=300, **barrier)
            assert (picks.ids, picks.scores) == (expected.ids, expected.scores), strategy
    for barrier in barriers:
        try:
            picks = module.select(only(frame, [""], module), 5, "huds", timeout=300, **barrier)
            assert (picks.rows, picks.short) == ([], True)
        except ValueError as error:
            assert str(error) == "the table has no parts, and so no rows"


def model_of(folder, act):
    """A function that makes a model, which calls act(path of a file that is there once it was called) before it embeds."""
    path = str(folder / "acted")

    class Model:
        def embed(self, texts):
            act(path)
            return [[float(text[5:]) * 37 % 101, len(text)] for text in texts]
    return Model


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """The processes that have opened a model, once for each time: of workers that are started from now on."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nimport alcore\nplain = alcore.Model.open\n"
        "def opened(*arguments, **named):\n"
        "    with open(%r, 'a') as file:\n        file.write('%%d\\n' %% os.getpid())\n"
        "    return plain(*arguments, **named)\n"
        "alcore.Model.open = opened\n" % str(tmp_path / "opened"), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]))
    return lambda: (tmp_path / "opened").read_text().split()


def test_a_folder_of_a_model_is_read_once_in_each_worker(root, opened, engine):
    module, table, names = engine
    if module.__name__ == "alcore.spark":  # whose Java was started with the environment of an earlier test
        names["spark"].sparkContext.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    frame = table([{name: record[name] for name in ("id", "text")} for record in RECORDS], names)
    folder = str(root / "tests" / "static" / "fixtures" / "plain")
    check_ids(module.select(frame, 5, "kcenter", model=folder, timeout=300), "kcenter", columns=("id", "text"), model=folder)
    assert 1 <= len(opened()) == len(set(opened())) and str(os.getpid()) not in opened()


def kill_once(path):
    import os
    import signal
    if not os.path.exists(path):
        open(path, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)


def kill(path):
    import os
    import signal
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(path):
    import time
    time.sleep(10000)


def by_value(function):
    """The function as engines pickle what is defined in a program: by value."""
    function.__module__ = "__main__"
    return function


def test_a_worker_that_is_killed_is_replaced(engine, tmp_path):
    module, table, names = engine
    records = [{name: record[name] for name in ("id", "text")} for record in RECORDS]
    picks = module.select(table(records, names), 5, "kcenter", model=model_of(tmp_path, by_value(kill_once)), timeout=300)
    assert (tmp_path / "acted").exists()
    check_ids(picks, "kcenter", columns=("id", "text"), model=model_of(tmp_path, lambda path: None)())


def test_workers_that_die_always_are_an_error(engine, tmp_path, monkeypatch):
    module, table, names = engine
    if module.__name__ == "alcore.dask":  # a local cluster gives up workers that start slowly again
        monkeypatch.setattr(module, "_ALONE", 20)
    records = [{name: record[name] for name in ("id", "text")} for record in RECORDS]
    with pytest.raises(Exception, match="(?i)exited unexpectedly|crashed|died|killed|no worker is left in the cluster since 20 s; no answer of shard [0-2]"):
        module.select(table(records, names), 5, "kcenter", model=model_of(tmp_path, by_value(kill)), timeout=300)


def test_workers_that_hang_are_a_time_out(engine, tmp_path):
    module, table, names = engine
    records = [{name: record[name] for name in ("id", "text")} for record in RECORDS]
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match="no answer within 20 s of shard|a stage took longer than 20 s"):
        module.select(table(records, names), 5, "kcenter", model=model_of(tmp_path, by_value(sleep)), timeout=20)
    assert time.monotonic() - begun < 200


def test_an_error_has_its_shard_and_cause(engine):
    module, table, names = engine
    with pytest.raises(alcore.FileError, match=r"shard 0 \(.*process \d+\): /nowhere: no model here"):
        module.select(table([{"text": record["text"]} for record in RECORDS], names), 5, "nnll", model="/nowhere", timeout=300)


def test_a_part_that_cannot_be_read_is_named(engine, tmp_path):
    module, _, names = engine
    pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    for number in range(3):
        path = tmp_path / ("part-%d.parquet" % number)
        parquet.write_table(pyarrow.table({"text": ["text %d of part %d" % (row, number) for row in range(2000)]}), path)
    written = path.read_bytes()  # the last part
    path.write_bytes(written[:99] + bytes(900) + written[999:])
    if module.__name__ == "alcore.spark":
        frame = names["spark"].read.parquet(str(tmp_path))
    else:
        frame = importlib.import_module("ray.data" if module.__name__ == "alcore.ray" else "dask.dataframe").read_parquet(str(tmp_path))
    with pytest.raises(Exception, match=r"shard 2: its rows cannot be read: |part-2\.parquet"):
        module.select(frame, 5, "random", timeout=300)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_program_of_the_page(root, tmp_path, monkeypatch, name):
    need(name)
    page = (root / "docs" / "distributed.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "alcore.%s.select(" % name in block)
    assert len(block.splitlines()) < 20
    pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    texts = (root / "examples" / "data" / "pool.txt").read_text(encoding="utf-8").splitlines()[:60]
    alcore.LanguageModel(texts[40:], order=2).write(tmp_path / "known.arpa")
    (tmp_path / "pool.parquet").mkdir()
    for first in (0, 15, 30):
        rows = range(first, min(first + 15, 40))
        parquet.write_table(pyarrow.table({"id": ["row-%d" % row for row in rows], "text": [texts[row] for row in rows]}),
                            tmp_path / "pool.parquet" / ("part-%d.parquet" % first))
    (tmp_path / "program.py").write_text(block, encoding="utf-8")
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, timeout=500, cwd=tmp_path,
                          env=dict(os.environ, RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", PYSPARK_PYTHON=sys.executable))
    one = alcore.select({"id": ["row-%d" % row for row in range(40)], "text": texts[:40]}, "60w", "nnll",
                        model=alcore.LanguageModel.read(tmp_path / "known.arpa"))
    assert done.returncode == 0, done.stderr
    assert [line.partition("\t")[0] for line in done.stdout.splitlines() if line.startswith("row-")] == list(one.ids)
