# SPDX-License-Identifier: Apache-2.0
"""What the modules for Spark, Ray, Dask and ranks share: tasks that are pickled to workers, lost, made again, and come twice; the picks of
one machine, and the first error with its place. test_clusters.py and test_ranks.py have the engines."""
import gc
import pickle
import random
import re
import threading

import pytest

import alcore
import alcore.ranks
from alcore import _cluster
from alcore._answers import drive, result_of, run_ranks as run_all, WorkerTraceback
from alcore._cluster import Task

ROWS = 200
CUTS = [0, 13, 13, 120, ROWS]
IDS = ["row-%d" % row for row in range(ROWS)]
TEXTS = ["text %d of %d words" % (row // 2 if row % 5 else row, row % 7) for row in range(ROWS)]
TABLE = {"id": IDS, "text": TEXTS, "scores": [row * 37 % 101 / 10 for row in range(ROWS)],
         "embeddings": [[row * 37 % 101 / 10, row % 7 + .5] for row in range(ROWS)]}


def part(table, first, end):
    return {name: values[first:end] for name, values in table.items()}


def engine(task, table=TABLE, change=lambda answers: answers, lose=lambda: None):
    """What an engine does: pickles the task, gives each shard its rows, and carries the answers."""
    task.counts = [end - first for first, end in zip(CUTS, CUTS[1:])]

    def ask(delivered):
        answers = []
        for number, (first, end) in enumerate(zip(CUTS, CUTS[1:])):
            lose()
            answers.append(pickle.loads(pickle.dumps(task)).answer(number, lambda: part(table, first, end), list(delivered)))
        return change(answers)
    return ask


def check(picks, expected):
    assert (picks.rows, picks.ids, picks.texts) == (list(expected.indices), list(expected.ids), list(expected.texts))
    assert (picks.scores, picks.costs) == (list(expected.scores), list(expected.costs))
    assert (picks.spent, picks.short) == (expected.spent, expected.short)


@pytest.mark.parametrize("strategy, named", [("nnll", {}), ("huds", {"k_clusters": 2, "seed": 3}), ("kcenter", {"labeled": part(TABLE, 3, 9)}),
                                             ("knn-uncertainty", {"targets": part(TABLE, 30, 40)}), (None, {}), ("random", {"seed": 4, "dedup": "none"})])
def test_the_picks_of_one_machine(strategy, named):
    one = dict(named)
    pool = alcore.Pool(TABLE, dedup=one.pop("dedup", "exact"))
    told = []
    picks = drive(engine(Task(9, strategy, **named)), lambda *said: told.append(said))
    check(picks, pool.select(9, strategy, **one))
    assert told == [("exchanges", number + 1, -1) for number in range(len(told))] and told
    assert not _cluster._jobs  # none is held when the picks are there


@pytest.mark.parametrize("table", [{"text": TEXTS}, {"ID": [str(ROWS - row) for row in range(ROWS)], "text": TEXTS}])
def test_ids_of_rows_with_and_without_them(table):
    check(drive(engine(Task(150, "random", seed=2), table)), alcore.select(table, 150, "random", seed=2))
    pools = run_ranks(lambda rank, gather: alcore.ranks.select(alcore.Pool(part(table, *CUTS[rank:rank + 2])), 150, "random", seed=2, gather=gather))
    check(pools[3], alcore.select(table, 150, "random", seed=2))


def test_several_budgets():
    for strategy in ("nnll", "kcenter"):
        found, expected = drive(engine(Task([3, 40], strategy))), alcore.select(TABLE, [3, 40], strategy)
        assert len(found) == 2
        for one, other in zip(found, expected):
            check(one, other)


PHRASED = {"id": IDS, "text": ["the file %d could not be %s by user %d" % (row // 3 % 20, ("opened", "saved", "read")[row % 3], row % 7) for row in range(ROWS)]}
NO_ROWS_OF_SHARDS = {"ngf": {}, "ngf-smp": {}, "random-phrase": {"seed": 3}, "hybrid": {"model": "ngram"}, "gold": {"targets": part(PHRASED, 30, 60), "seed": 3}}


@pytest.mark.parametrize("strategy", NO_ROWS_OF_SHARDS)
@pytest.mark.parametrize("budget", ["20w", ["19w", "40w"]])
def test_picks_that_are_no_rows_of_shards(strategy, budget):
    named = NO_ROWS_OF_SHARDS[strategy]
    found, expected = drive(engine(Task(budget, strategy, **named), PHRASED)), alcore.select(PHRASED, budget, strategy, **named)
    for one, other in zip(found, expected) if isinstance(budget, list) else [(found, expected)]:
        assert one.rows
        check(one, other)
        assert one.records == other.records
        assert [record["text"] for record in one.records] == one.texts
    assert drive(engine(Task("20w", "random"), PHRASED)).records is None


def test_phrases_of_which_none_is_bought():
    found = drive(engine(Task("0w", "ngf"), PHRASED))
    assert (found.rows, found.records, found.spent) == ([], [], 0)


def test_workers_that_are_lost_and_tasks_that_come_twice():
    shuffle, lost = random.Random(5), []

    def lose():
        if shuffle.random() < .4 and _cluster._jobs:
            lost.append(_cluster._jobs.popitem())

    def change(answers):
        answers = answers + answers[1:]
        shuffle.shuffle(answers)
        return answers
    check(drive(engine(Task(5, "kcenter"), change=change, lose=lose)), alcore.select(TABLE, 5, "kcenter"))
    assert len(lost) > 3


def test_a_worker_keeps_as_many_jobs_as_it_may():
    held = []
    check(drive(engine(Task(5, "kcenter", kept=1), lose=lambda: held.append(len(_cluster._jobs)))), alcore.select(TABLE, 5, "kcenter"))
    assert max(held) == 1


def test_a_model_is_read_once_where_the_rows_are(tmp_path, monkeypatch):
    path, read = tmp_path / "known.arpa", []
    alcore.LanguageModel(TEXTS[:20], order=2).write(path)
    plain = alcore.LanguageModel.read

    def counted(*arguments, **named):
        read.append(arguments)
        return plain(*arguments, **named)
    monkeypatch.setattr(alcore.LanguageModel, "read", counted)
    picks = drive(engine(Task(9, "nnll", model=str(path)), {"id": IDS, "text": TEXTS}))
    assert len(read) == 1
    check(picks, alcore.select({"id": IDS, "text": TEXTS}, 9, "nnll", model=plain(path)))


def test_a_model_that_was_trained_since_is_read_again(tmp_path):
    table, found = {"id": IDS, "text": TEXTS}, []
    for known in (TEXTS[:20], [text.replace("text", "word") for text in TEXTS[100:]]):
        alcore.LanguageModel(known, order=2).write(tmp_path / "known.arpa")
        found.append(drive(engine(Task(9, "nnll", model=str(tmp_path / "known.arpa")), table)))
        check(found[-1], alcore.select(table, 9, "nnll", model=alcore.LanguageModel.read(tmp_path / "known.arpa")))
    assert found[0].scores != found[1].scores


def test_a_folder_of_a_model_embeds_where_the_rows_are(root):
    folder = root / "tests" / "static" / "fixtures" / "plain"
    texts = {"id": IDS, "text": TEXTS}
    for model in (folder, {"embeddings": str(folder)}):
        check(drive(engine(Task(5, "kcenter", model=model, targets=None), texts)), alcore.select(texts, 5, "kcenter", model=str(folder)))


class Lengths:
    """A model that says how often it was asked for a text."""

    asked = []

    def embed(self, texts):
        self.asked.extend(texts)
        return [[float(len(text)), float(text.count("1"))] for text in texts]


def test_a_function_makes_the_model_and_each_text_is_scored_once():
    Lengths.asked = []
    texts = {"id": IDS, "text": TEXTS}
    picks = drive(engine(Task(5, "kcenter", model=Lengths), texts))
    assert len(Lengths.asked) <= ROWS
    check(picks, alcore.select(texts, 5, "kcenter", model=Lengths()))


def test_the_first_error_has_its_shard_and_cause(tmp_path):
    with pytest.raises(alcore.FileError, match=r"^shard 0 \(.*process \d+\): .*nothing: no model here") as caught:
        drive(engine(Task(9, "nnll", model=str(tmp_path / "nothing")), {"text": TEXTS}))
    assert isinstance(caught.value.__cause__, WorkerTraceback) and "_model_of" in str(caught.value.__cause__)

    def lose():
        raise RuntimeError("not reached by an answer")
    with pytest.raises(RuntimeError, match="not reached"):
        drive(engine(Task(9, "nnll"), lose=lose))
    with pytest.raises(alcore.Error, match=r"^shard 2 \(.*: KeyError: 'gone'"):
        task = Task(9, "nnll")
        task.counts = [13, 0, 187]

        def gone():
            raise KeyError("gone")
        drive(lambda delivered: [task.answer(0, lambda: part(TABLE, 0, 13), delivered), task.answer(2, gone, delivered)])


@pytest.mark.parametrize("column, values, told", [
    ("scores", float("nan"), r'^shard 2 \(rows 13 to 119, .*\): row 7: the value in column "scores" is NaN'),
    ("scores", "none", r"^shard 2 \(rows 13 to 119, .* is needed.*; the column scores of the table was left out: "),
    ("embeddings", [1., 2., 3.], r"^shard 2 \(rows 13 to 119, .* is needed.*; the column embeddings of the table was left out: embeddings: row 7 has 3 numbers, row 0 has 2$")])
@pytest.mark.filterwarnings("ignore:the column .* was left out")
def test_a_bad_column_of_one_shard(column, values, told):
    table = dict(TABLE, **{column: TABLE[column][:20] + [values] + TABLE[column][21:]})
    with pytest.raises(alcore.Error, match=told):
        drive(engine(Task(9, "nnll" if column == "scores" else "kcenter"), table))
    for run, _ in list(_cluster._jobs):  # as the modules do when the call ends
        _cluster.forget(run)
    gc.collect()  # no request is closed before the part that resets it


def test_a_job_lets_go_of_the_request_of_its_pool():
    pool = alcore.Pool(TABLE)
    for _ in range(2):
        task = Task(9, "nnll")
        task.counts = [ROWS]
        check(drive(lambda delivered: [task.answer(0, lambda: pool, delivered)]), alcore.select(TABLE, 9, "nnll"))
        assert not pool._select_lock.locked()


def test_a_shard_that_is_lost():
    with pytest.raises(alcore.MissingError, match="shard 0 .*cover no rows 13 to 119"):
        drive(engine(Task(9, "nnll"), change=lambda answers: answers[:2] + answers[3:]))
    with pytest.raises(alcore.Error, match="a shard was lost when the picks were made: that of row "):
        drive(engine(Task(150, "nnll"), change=lambda answers: answers[:2] + answers[3:] if answers[0][:1] == b"P" else answers))


@pytest.mark.parametrize("strategy", ["random", "ngf", "huds", "hybrid", None])
def test_parts_that_are_all_without_rows(strategy):
    def ask(delivered):
        return [task.answer(number, lambda: [], delivered) for number in range(2)]
    task = Task("5w", strategy)
    task.counts = [0, 0]
    picks = drive(ask)
    assert (picks.rows, picks.ids, picks.spent, picks.short) == ([], [], 0, True) and not alcore.select([], "5w", strategy).indices
    task = Task(["5w", "9w"], strategy)
    task.counts = [0, 0]
    assert [one.rows for one in drive(ask)] == [[], []]


def test_a_table_without_parts():
    with pytest.raises(ValueError, match="the table has no parts"):
        drive(lambda delivered: [])


@pytest.mark.parametrize("name", ["exclude", "eligible", "like"])
def test_rows_of_all_shards_cannot_be_named(name):
    with pytest.raises(TypeError, match=name + ": rows of all shards cannot be named"):
        Task(9, "nnll", **{name: [0]})


def run_ranks(function):
    """function(rank, gather) in a thread for each rank; what each returned or raised."""
    barrier, sent, found = threading.Barrier(len(CUTS) - 1), {}, {}

    def rank(number):
        def gather(message):
            sent[number] = message
            barrier.wait(60)
            gathered = [sent[other] for other in range(len(CUTS) - 1)]
            barrier.wait(60)
            return gathered
        gather.rank = number
        try:
            found[number] = function(number, gather)
        except BaseException as error:
            found[number] = error
    threads = [threading.Thread(target=rank, args=(number,)) for number in range(len(CUTS) - 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(CUTS) - 1)]


def test_ranks_have_the_picks_of_one_machine():
    for picks in run_ranks(lambda rank, gather: alcore.ranks.select(lambda: part(TABLE, *CUTS[rank:rank + 2]), 9, "huds", gather=gather)):
        check(picks, alcore.select(TABLE, 9, "huds"))


def test_ranks_keep_no_message_that_was_taken():
    kept = []

    def answer(delivered):
        kept.append([len(message) for message in delivered])
        return job.answer(0, lambda: TABLE, delivered)
    job = Task(5, "kcenter")
    job.counts = [ROWS]
    check(result_of(run_all(answer, lambda message: [message])), alcore.select(TABLE, 5, "kcenter"))
    assert len(kept) > 5 and all(number == 0 for lengths in kept for number in lengths[:-1]) and kept[-1][-1] > 0


def test_all_ranks_raise_the_error_of_the_one_that_failed():
    def broken_rows(rank, gather):
        return alcore.ranks.select({"id": ["x"]} if rank == 2 else part(TABLE, *CUTS[rank:rank + 2]), 9, "huds", gather=gather)

    def broken_step(rank, gather):
        table = part(TABLE, *CUTS[rank:rank + 2])
        if rank == 3:
            del table["scores"]
        return alcore.ranks.select(table, 9, "huds", gather=gather)

    def broken_job(rank, gather):
        first, end = CUTS[rank:rank + 2]
        pool = alcore.Pool(part({name: TABLE[name] for name in (("text",) if rank == 3 else ("text", "scores"))}, first, end) if end > first else [])
        return alcore.Job(alcore.Request(pool, strategy="nnll", budget="9", model=None if rank != 3 else {"scores": lambda texts: [1 / 0]}),
                          first_row=first, rows=ROWS).run(gather)
    def broken_file(rank, gather):
        def read():
            if rank == 1:
                raise OSError("part-1.txt is cut off")
            return part(TABLE, *CUTS[rank:rank + 2])
        return alcore.ranks.select(read, 9, "huds", gather=gather)
    for function, told in ((broken_file, r"rank 1 \(.*OSError: part-1.txt is cut off"), (broken_rows, r"rank 2 \(.*column text"), (broken_step, r"rank 3 \(.*scores"), (broken_job, r"rank 3 \(.*division")):
        found = run_ranks(function)
        assert all(isinstance(error, alcore.Error) and re.search(told, str(error)) for error in found), found


@pytest.mark.parametrize("end", [SystemExit("no more rows"), KeyboardInterrupt()], ids=["exit", "interrupt"])
@pytest.mark.parametrize("place", ["reader", "model", "job"])
def test_all_ranks_know_of_the_end_of_a_program(place, end):
    def leave(*_):
        raise end

    def columns(rank, *names):
        return part({name: TABLE[name] for name in names}, *CUTS[rank:rank + 2])

    def ranks(rank, gather):
        ends = rank == 2
        if place == "job":
            first, after = CUTS[rank:rank + 2]
            pool = alcore.Pool(columns(rank, "text") if after > first else [])
            request = alcore.Request(pool, strategy="nnll", budget="9", model={"scores": leave if ends else lambda texts: [len(text) for text in texts]})
            return alcore.Job(request, first_row=first, rows=ROWS).run(gather)
        if place == "model":
            return alcore.ranks.select(columns(rank, "text"), 9, "kcenter", gather=gather, model=leave if ends else Lengths)
        return alcore.ranks.select(leave if ends else columns(rank, *TABLE), 9, "huds", gather=gather)
    found = run_ranks(ranks)
    assert found[2] is end
    told = r"rank 2 \(.*process \d+\): " + ("SystemExit: no more rows$" if isinstance(end, SystemExit) else "KeyboardInterrupt$")
    assert all(isinstance(error, alcore.Error) and re.search(told, str(error)) for rank, error in enumerate(found) if rank != 2), found
