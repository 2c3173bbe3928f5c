# SPDX-License-Identifier: Apache-2.0
"""Own models, scorers and strategies; exceptions that come back from them."""
import gc
import os
import types
import weakref

import pytest

import alcore
from alcore import _hosts, _lm


class Letters:
    """Embeds by counting letters; a token is the less likely the longer it is."""

    name = "letters"
    batch_rows = 7

    def __init__(self):
        self.batches = []

    def embed(self, texts):
        self.batches.append(texts)
        return [[float(text.count(letter)) for letter in "aeiou"] for text in texts]

    def token_logprobs(self, texts):
        return [[-float(len(word)) for word in text.split()] for text in texts]

    def class_probs(self, texts):
        return [[1 / (1 + len(text)), 1 - 1 / (1 + len(text))] for text in texts]


def test_the_built_in_model_embeds(texts, numpy):
    model = alcore.Model.ngram(texts)
    found = model.embed(texts[:3] + [""])
    with alcore.Pool(texts[:3]) as pool:
        model.run(pool, "embeddings")
        rows = pool.column_rows("embeddings", range(3))
    assert found.shape == (4, 256) and not found[3].any()
    assert found[:3] == pytest.approx(numpy.asarray(rows), rel=1e-6)


def test_own_model(texts):
    model = Letters()
    picked = alcore.select(texts[:60], "40w", "huds", model=model)
    assert model.batches and max(map(len, model.batches)) <= 7
    assert all(isinstance(text, str) for batch in model.batches for text in batch)
    assert [texts[row] for batch in model.batches for row in batch.rows] == [t for batch in model.batches for t in batch]
    columns = picked.provenance["inputs"]["candidates"]["columns"]
    assert all("letters" in column["from"] for column in columns.values())
    given = alcore.select(texts[:60], "40w", "huds", embeddings=model.embed(texts[:60]),
                          logprobs=model.token_logprobs(texts[:60]))
    assert given.indices == picked.indices


def test_own_model_with_arrays(texts, numpy):
    class Arrays(Letters):
        def embed(self, texts):
            return numpy.array(super().embed(texts), dtype="f4")

        def token_logprobs(self, texts):
            values = numpy.concatenate([numpy.array(row) for row in super().token_logprobs(texts)])
            offsets = numpy.cumsum([0] + [len(text.split()) for text in texts])
            return values, offsets

    assert alcore.select(texts[:60], "40w", "huds", model=Arrays()).indices == \
        alcore.select(texts[:60], "40w", "huds", model=Letters()).indices


def test_a_model_that_was_trained_further_is_asked_again(texts):
    class Trained(Letters):
        version = 1

    model = Trained()
    pool = alcore.Pool(texts[:30])
    wrapped = alcore.Model(model)
    for version, asked_again in ((1, True), (1, False), (2, True), (2, False), ("checkpoint-7", True),
                                 (lambda: "checkpoint-7", False)):
        model.version = version
        model.batches.clear()
        pool.select("40w", "diversity-global", model=wrapped)
        assert bool(model.batches) == asked_again, version
    model.version = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError):
        pool.select("40w", "diversity-global", model=wrapped)


def test_cache(texts, tmp_path):
    class Kept(Letters):
        name, version = "kept", 1

    def select(**options):
        """A selection by a new model from a new pool, as in another process, and whether the model was asked."""
        model = Kept()
        picked = alcore.select(texts[:60], "40w", "huds", model=model, **options)
        return picked.indices, bool(model.batches)

    plain, asked = select()
    assert asked
    assert [select(cache=tmp_path / "kept") for _ in range(3)] == [(plain, True), (plain, False), (plain, False)]
    assert sorted(path.name.partition("-")[0] for path in (tmp_path / "kept").iterdir()) == ["embeddings", "logprobs"]
    for entry in (tmp_path / "kept").iterdir():
        os.utime(entry, (entry.stat().st_mtime - 1000,) * 2)
    assert select(cache=tmp_path / "kept", cache_max_age=2000) == (plain, False)
    assert select(cache=tmp_path / "kept", cache_max_age=500) == (plain, True)
    assert select(cache=tmp_path / "kept", cache_max_age=500) == (plain, False)
    with pytest.raises(alcore.ParamError, match="no cache"):
        select(cache_max_age=500)
    with pytest.raises(alcore.ParamError, match="no cache"):
        select(max_age=1)
    Kept.version = 2
    assert select(cache=str(tmp_path / "kept")) == (plain, True)
    with pytest.raises(alcore.FileError, match="where"):
        select(cache=str(tmp_path / "no" / "where"))


def test_a_cache_without_a_request(texts, tmp_path):
    class Kept(Letters):
        name, version = "kept", 1

    def embed(**cache):
        own = Kept()
        model = alcore.Model(own)
        model.set_cache(**cache)
        return model.embed(texts[:9]).tolist(), bool(own.batches)

    plain, asked = embed(folder=None)
    assert asked
    assert [embed(folder=tmp_path / "kept") for _ in range(2)] == [(plain, True), (plain, False)]
    assert embed(folder=str(tmp_path / "kept"), max_age=0) == (plain, True)
    with pytest.raises(alcore.ParamError, match="max_age"):
        embed(folder=tmp_path / "kept", max_age=-1)


def test_a_language_model_is_a_model(texts):
    lm = alcore.LanguageModel(texts[:40], order=2)
    pool = alcore.Pool(texts[40:80])
    picked = pool.select("40w", "nnll", model=lm)
    assert "lm order 2" in picked.provenance["inputs"]["candidates"]["columns"]["logprobs"]["from"]
    given = alcore.select(texts[40:80], "40w", "nnll", logprobs=lm.token_logprobs(texts[40:80]))
    assert given.indices == picked.indices
    totals = lm.score(texts[40:80])
    assert totals.typecode == "d" and totals[3] == lm.score(texts[43])
    assert list(lm.score([])) == [] and lm.token_logprobs([]) == []


def test_a_text_alone_has_the_total_that_it_has_among_others(texts, monkeypatch):
    lm = alcore.LanguageModel(texts[:40], order=3)
    asked = ["", "a\0b " + texts[3], " ".join(texts[:60])] + texts[30:60]
    wanted = list(lm.score(asked))
    assert len(asked[2]) > 2000 and len(set(wanted)) > 20
    assert [lm.score(text) for text in asked] == wanted
    with pytest.raises(ValueError, match="UTF-8"):
        lm.score("\ud800")
    assert lm.score(asked[1]) == wanted[1]
    library = _lm.lib

    def score_meanwhile(*arguments):  # as another thread, or the handler of a signal, may at any place of the call
        monkeypatch.setattr(_lm, "lib", library)
        assert lm.score(asked[2][:900]) != wanted[1]
        return library.alcore_lm_score(*arguments)

    monkeypatch.setattr(_lm, "lib", types.SimpleNamespace(alcore_lm_score=score_meanwhile))
    assert lm.score(asked[1]) == wanted[1]
    lm.close()
    with pytest.raises(ValueError, match="closed"):
        lm.score("a")


def test_a_folder_of_columns_has_no_settings_of_a_network(pool, tmp_path, numpy):
    numpy.save(tmp_path / "embeddings.npy", numpy.ones((len(pool), 3), "f4"))
    with alcore.Model.open(tmp_path, device="cpu") as model:
        assert model.can("embeddings") and not model.can("logprobs")
    for settings in ({"device": "cuda:1"}, {"dtype": "bfloat16"}, {"pooling": "first"}, {"layer": 1}, {"normalize": False},
                     {"max_tokens": 128}, {"batch_tokens": 4096}, {"stride": 64},
                     {"prompt": "a: "}, {"prompt_name": "query"}):
        with pytest.raises(alcore.ParamError, match="no %s" % next(iter(settings))):
            alcore.Model.open(tmp_path, **settings)
    with pytest.raises(ValueError, match="float32, bfloat16, float16"):
        alcore.Model.open(tmp_path, dtype="int64")
    with pytest.raises(ValueError, match="pooler"):
        alcore.Model.open(tmp_path, pooling="median")


def test_model_facts(pool):
    with alcore.Model(Letters()) as model:
        assert model.name == "letters" and model.can("embeddings") and not model.can("token_probs")
        model.run(pool, "probs")
        assert "probs" in pool.columns and "letters" in repr(model)
        with pytest.raises(alcore.UnsupportedError, match="token_probs"):
            model.run(pool, "token_probs")
    with pytest.raises(TypeError, match="needs one of the methods embed"):
        alcore.Model(object())


def test_wrong_answer_of_a_model(pool):
    class Short(Letters):
        def embed(self, texts):
            return [[1.0]]

    class Ints(Letters):
        def embed(self, texts):
            return "nonsense"

    with pytest.raises(alcore.ShapeError):
        pool.select(5, "huds", model=Short())
    with pytest.raises(TypeError, match="embeddings|embed"):
        pool.select(5, "huds", model=Ints())


class Trouble(Exception):
    pass


def test_exceptions_come_back_intact(pool):
    trouble = Trouble("all of it", 7)

    class Failing:
        def embed(self, texts):
            raise trouble

    with pytest.raises(Trouble) as caught:
        alcore.Model(Failing()).run(pool, "embeddings")
    assert caught.value is trouble
    assert [entry.name for entry in caught.traceback][-1] == "embed"
    trouble.__traceback__ = None  # the model's own method holds it, and it the handle: a circle through C for good

    @alcore.strategy
    def failing(view):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.select(5, failing)
    assert pool.select(5, "random").indices


def test_exception_of_progress(texts):
    def progress(stage, done, total):
        raise Trouble(stage)

    import time

    class Slow(Letters):
        def embed(self, texts):
            time.sleep(0.15)
            return super().embed(texts)

    with alcore.Context(progress=progress) as ctx, alcore.Pool(texts[:60], context=ctx) as pool:
        with pytest.raises(Trouble):
            pool.select(5, "huds", model=Slow())


def test_progress_is_told(texts):
    import time
    seen = []

    class Slow(Letters):
        def embed(self, texts):
            time.sleep(0.12)
            return super().embed(texts)

    with alcore.Context(progress=lambda *told: seen.append(told), threads=1) as ctx:
        with alcore.Pool(texts[:60], context=ctx) as pool:
            pool.select(5, "huds", model=Slow())
        assert ctx.threads == 1
    assert seen and all(isinstance(stage, str) and done <= total for stage, done, total in seen if total >= 0)


def test_tqdm_bar(texts, monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    import io
    import sys
    import time

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    class Slow(Letters):
        def embed(self, texts):
            time.sleep(0.12)
            return super().embed(texts)

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(alcore._progress, "DELAY", 0.0)
    monkeypatch.setattr(tqdm, "tqdm", __import__("functools").partial(tqdm.tqdm, file=terminal))
    with alcore.Pool(texts[:60]) as pool:
        pool.select(5, "huds", model=Slow())
    assert "model" in terminal.getvalue()


@pytest.mark.parametrize("decorator", [alcore.scorer, alcore.strategy])
def test_a_name_is_not_decorated(decorator):
    with pytest.raises(TypeError, match=r"not 'huds'; .* alcore\.Strategy\(name\)"):
        decorator("huds")


def test_own_scorer(pool, numpy):
    budgets = []

    @alcore.scorer(needs=("probs",))
    def middle(view):
        assert len(view) == len(view.rows) == len(view.texts)
        budgets.append(view.budget)
        return 1 - numpy.abs(view.probs[:, 0] - 0.5)

    probs = [[row / 200, 1 - row / 200] for row in range(200)]
    pool.set_column("probs", probs)
    alcore.score(pool, middle)
    first = pool.select(3, "uncertainty").indices
    assert pool.select(3, middle).indices == first and 100 in first
    assert alcore.select(list(pool), 3, middle, probs=probs).indices == first
    pool.score("margin")
    assert pool.select(1, "uncertainty").indices == [100]
    assert budgets[:2] == [float("inf"), 3]
    assert middle.__doc__ is None and "middle" in repr(middle)
    pool.set_column("scores", middle)


def test_own_strategy(pool, numpy):
    seen = {}

    @alcore.strategy(needs=("embeddings",))
    def longest(view):
        seen.update(rows=view.rows.tolist(), costs=view.costs.tolist(), budget=view.budget, round=view.round,
                    labeled=view.labeled_rows.rows.tolist(), random=view.random(3), width=view.embeddings.shape[1],
                    same=view["embeddings"] is not None, view=view, side=view.labeled, target=view.target)
        with pytest.raises(AttributeError):
            view.nothing
        return [len(text) for text in view.texts] and numpy.array([len(text) for text in view.texts], dtype="f4")

    pool.mark("labeled", [3, 1])
    picked = pool.select("9w", longest, round=2, model=Letters())
    lengths = {row: len(pool[row]) for row in seen["rows"]}
    assert picked.indices[0] == max(lengths, key=lambda row: (lengths[row], -row))
    assert seen["budget"] == 9 and seen["round"] == 2 and seen["labeled"] == [1, 3] and seen["width"] == 5
    assert seen["costs"][:2] == [pool.words(row) for row in seen["rows"][:2]] and seen["side"] is None
    assert seen["target"] is None
    assert picked.provenance["strategy"] == "longest"
    with pytest.raises(ValueError, match="only while the function runs"):
        len(seen["view"])


def test_ragged_column_of_a_view(pool):
    @alcore.strategy(needs=("logprobs",))
    def worst(view):
        values, offsets = view.logprobs
        return [-min(values[begin:end]) for begin, end in zip(offsets, offsets[1:])]

    assert pool.select(1, worst, model=Letters()).indices == \
        [max(range(len(pool)), key=lambda row: (max(map(len, pool[row].split())), -row))]


def test_order(pool):
    @alcore.strategy
    def backwards(view):
        return alcore.Order(view.rows[::-1])

    assert pool.select(3, backwards).indices == [199, 198, 197]

    @alcore.strategy
    def stray(view):
        return alcore.Order([5000])

    with pytest.raises(alcore.DataError, match="5000"):
        pool.select(3, stray)


def test_wrong_answers(pool):
    def answering(result):
        return alcore.strategy(lambda view: result, name="odd")

    with pytest.raises(ValueError, match="the result of odd: one number a candidate"):
        pool.select(3, answering([1.0]))
    with pytest.raises(TypeError, match="the result of odd"):
        pool.select(3, answering(None))
    with pytest.raises(alcore.DataError, match="NaN"):
        pool.select(3, answering([float("nan")] * 200))


def test_labeled_pool_of_a_view(pool):
    seen = []

    @alcore.strategy
    def look(view):
        seen.append((list(view.labeled.pool), view.labeled.texts, view.labeled.rows.tolist()))
        return [1.0] * len(view)

    pool.select(3, look, labeled=["one text", "another"])
    assert seen == [(["one text", "another"], ["one text", "another"], [0, 1])]


def test_every_role_of_a_view(pool, numpy):
    seen = {}

    @alcore.strategy(needs=("embeddings", "logprobs"), labeled_needs="embeddings", target_needs=("embeddings",))
    def near_the_target(view):
        seen.update(labeled=view.labeled.embeddings.shape, target=view.target.texts, own=view.labeled_rows.rows.tolist(),
                    marked=view.labeled_rows.embeddings.tolist(), empty=view.labeled_rows.column("embeddings", 2, 0).shape)
        with pytest.raises(LookupError, match=r'no column "logprobs" of the target \(a pool of 3 rows\).* in target_needs'):
            view.target["logprobs"]
        with pytest.raises(AttributeError, match="in labeled_needs"):
            view.labeled.scores
        with pytest.raises(ValueError, match="the view shows 3 rows of the target"):
            view.target.column("embeddings", 2, 2)
        middle = view.target.embeddings.mean(axis=0)
        whole, (values, offsets) = view.embeddings, view.logprobs
        kept = [view.column("embeddings", first, 50) for first in range(0, len(view) - 50, 50)]
        assert (numpy.concatenate(kept) == whole[:len(kept) * 50]).all()  # parts are copies
        part, starts = view.column("logprobs", 7, 2)
        assert part.tolist() == values[offsets[7]:offsets[9]].tolist() and starts[0] == 0 and len(starts) == 3
        assert len(offsets) == len(view) + 1 and offsets[-1] == len(values)
        return whole @ middle

    pool.mark("labeled", [3, 1])
    target = ["a b", "c d e", "f"]
    picked = pool.select(5, near_the_target, model=Letters(), labeled=["one text", "another"], targets=target)
    assert seen == {"labeled": (2, 5), "target": target, "own": [1, 3], "marked": Letters().embed([pool[1], pool[3]]),
                    "empty": (0, 5)}
    want = numpy.array(Letters().embed(list(pool))) @ numpy.mean(Letters().embed(target), axis=0)
    want[[1, 3]] = -1
    assert picked.indices == numpy.argsort(-want, kind="stable")[:5].tolist()
    with pytest.raises(alcore.MissingError, match="strategy near_the_target needs a target"):
        pool.select(5, near_the_target, model=Letters())


def test_columns_larger_than_a_block():
    count = 2 * alcore._hosts._BLOCK + 3
    texts = ["text %d" % row for row in range(count)]

    @alcore.strategy(needs=("embeddings", "logprobs"))
    def last(view):
        values, offsets = view.logprobs
        assert len(view.embeddings) == count and len(offsets) == count + 1 and len(values) == 2 * count
        assert list(view.embeddings[count - 1]) == [count - 1, 1] and offsets[count - 1] == 2 * count - 2
        assert values[2 * count - 1] == -(count - 1)
        return alcore.Order([count - 1])

    probs = [[-row, -row] for row in range(count)]
    assert alcore.select(texts, 1, last, embeddings=[[row, 1] for row in range(count)], logprobs=probs).indices == [count - 1]


def test_nested_calls(pool):
    @alcore.strategy
    def delegating(view):
        inner = alcore.select(view.texts, 5, "random", seed=3)
        return alcore.Order([int(view.rows[index]) for index in inner.indices])

    assert pool.select(5, delegating).indices == alcore.select(list(pool), 5, "random", seed=3).indices


def test_busy(pool):
    @alcore.strategy
    def changing(view):
        pool.add(["one more"])

    with pytest.raises(alcore.BusyError):
        pool.select(5, changing)
    assert len(pool) == 200


def test_parts_are_let_go(pool):
    gc.collect()
    live = len(_hosts._live)

    class Model(Letters):
        pass

    model = Model()
    gone = weakref.ref(model)
    pool.select(5, "huds", model=model)
    del model
    gc.collect()
    assert gone() is None and len(_hosts._live) == live


def test_logging(pool, caplog):
    pool.select(5, "huds")
    assert any(record.name == "alcore.request" and "n-gram" in record.message for record in caplog.records)


def test_scores_of_earlier_rounds(texts, tmp_path):
    """A model that was trained is asked for the rows that look best by its scores before the training, and for no others."""
    class Trained(Letters):
        name, version = "trained", 1

    def columns(number, **options):
        Trained.version = number
        picked = alcore.select(texts[:60], 5, "nnll", model=Trained(), round=number, cache=tmp_path / "kept", **options)
        return picked.provenance["inputs"]["candidates"]["columns"]["logprobs"]

    counts = [columns(number, max_age=1)["reuse"] for number in (1, 2)] + [columns(3, max_age=2, refresh_factor=4)["reuse"]]
    assert [(one["hits"], one["misses"], one["stale"]) for one in counts] == [(0, 60, 0), (0, 15, 45), (0, 20, 40)]
    assert counts[0]["seconds_saved"] == 0 < counts[1]["seconds_saved"]
    assert "reuse" not in columns(4)


@pytest.mark.parametrize("method, column", [("embed", "embeddings"), ("class_probs", "probs"), ("token_logprobs", "logprobs"),
                                            ("token_probs", "token_probs")])
@pytest.mark.parametrize("answer", [lambda texts: list(texts), lambda texts: [list(text) for text in texts], lambda texts: "text",
                                    lambda texts: {"vectors": list(texts)}, lambda texts: [{"label": "a"} for _ in texts],
                                    lambda texts: None])
def test_a_model_that_returns_no_numbers(method, column, answer):
    model = type("Model", (), {method: lambda self, texts: answer(texts)})()
    with alcore.Pool(["a b", "c d"]) as pool:
        with pytest.raises(TypeError, match=r"the result of %s\(\), the column %s" % (method, column)):
            alcore.Model(model).run(pool, column)
