# SPDX-License-Identifier: Apache-2.0
"""The one call."""
import copy
import inspect
import json
import os
import pickle
import re
import subprocess
import warnings

import pytest

import alcore


def command(*arguments):
    return subprocess.run([os.environ["ALCORE"], *map(str, arguments)], capture_output=True, text=True, check=True)


@pytest.mark.parametrize("name", ["huds", "random", "nnll", "idds", "kcenter", "diversity"])
def test_same_picks_as_the_command(name, texts, tmp_path):
    pool = tmp_path / "pool.txt"
    pool.write_text("\n".join(texts[:300]) + "\n")
    out = tmp_path / "picks.tsv"
    command("select", pool, "--budget", "80w", "--strategy", name, "--seed", 7, "--round", 2, "--out", out, "--quiet")
    lines = out.read_text().splitlines()
    place = lines[0].split("\t").index("index")
    wanted = [int(line.split("\t")[place]) for line in lines[1:]]
    picked = alcore.select(texts[:300], budget="80w", strategy=name, seed=7, round=2)
    assert picked.indices == wanted and wanted


def test_indices_are_those_of_the_list(texts):
    picked = alcore.select(texts, "60w", "huds")
    assert [texts[index] for index in picked.indices] == picked.texts
    assert [str(index + 1) for index in picked.indices] == picked.ids
    assert sum(picked.costs) == picked.spent >= 60 and not picked.short
    assert len(picked) == len(picked.scores) == len(picked.reasons) == len(picked.records)
    assert picked.records[0]["text"] == picked.texts[0] and "u" in picked.records[0]
    assert picked.provenance["budget"]["unit"] == "words"
    json.dumps(picked.to_dict())


def test_signature():
    parameters = inspect.signature(alcore.select).parameters
    assert list(parameters)[:3] == ["texts", "budget", "strategy"]
    assert parameters["budget"].default is None and parameters["strategy"].default is None
    assert parameters["round"].default == 1 and parameters["seed"].default == 0
    for name in ("ids", "labeled", "exclude", "eligible", "round", "seed", "model", "scores", "logprobs", "probs",
                 "embeddings", "targets", "cost", "fill", "params"):
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY, name
    assert list(parameters)[-1] == "strategy_params"


def test_columns_decide():
    texts = ["one two", "three four", "five six", "seven eight"]
    assert alcore.select(texts, 2, "uncertainty", probs=[[.9, .1], [.5, .5], [.6, .4], [1.0, 0.0]]).indices == [1, 2]
    ragged = ([-0.1, -0.1, -5.0, -0.2, -0.2, -9.0], [0, 2, 3, 5, 6])
    assert alcore.select(texts, 2, "nnll", logprobs=ragged).indices == [3, 1]
    lists = [[-0.1, -0.1], [-5.0], [-0.2, -0.2], [-9.0]]
    assert alcore.select(texts, 2, "nnll", logprobs=lists).indices == [3, 1]


def test_samples_of_a_model():
    texts = ["a", "b", "c", "d"]
    first, second = [[.9, .1], [.5, .5], [.9, .1], [.2, .8]], [[.1, .9], [.5, .5], [.8, .2], [.9, .1]]
    by_row = [row for pair in zip(first, second) for row in pair]
    for given in ([first, second], (first, second), (by_row, [0, 2, 4, 6, 8])):
        assert alcore.select(texts, 2, "bald", sample_probs=given).indices == [0, 3]
    logits = [[[9 * p for p in row] for row in sample] for sample in (first, second)]
    assert alcore.select(texts, 1, "variance", sample_probs=logits, sample_probs_are="logits").indices == [0]
    numpy = pytest.importorskip("numpy")
    stacked = numpy.array([first, second], dtype="f4")
    for given in (stacked, list(stacked), numpy.ascontiguousarray(stacked.transpose(1, 0, 2)).transpose(1, 0, 2)):
        assert alcore.select(texts, 2, "qbc", measure="kl", sample_probs=given).indices == [0, 3]
    with pytest.raises(alcore.ShapeError, match=r"samples, 4, classes\], found \[4, 2, 2\]; give x.transpose\(1, 0, 2\)"):
        alcore.select(texts, 1, "bald", sample_probs=stacked.transpose(1, 0, 2))
    with pytest.raises(ValueError, match="sample 1 has the shape"):
        alcore.select(texts, 1, "bald", sample_probs=[first, second[:3]])
    with pytest.raises(alcore.DataError, match="sample 1: row 2: the probabilities"):
        alcore.select(texts, 1, "bald", sample_probs=[first, [*second[:2], [.9, .9], second[3]]])


def test_parameters_of_every_form(texts):
    wanted = alcore.select(texts[:200], "60w", "huds", lambda_=0.3, n_strata=5)
    assert wanted.provenance["parameters"]["lambda"] in (0.3, "0.3")
    assert alcore.select(texts[:200], "60w", "huds", params={"lambda": 0.3, "n_strata": 5}).indices == wanted.indices
    assert alcore.select(texts[:200], "60w", alcore.Strategy("huds", lambda_=0.3, n_strata=5)).indices == wanted.indices
    assert alcore.select(texts[:200], "60w", "huds", tie="random").provenance["options"]["tie"] == "random"
    huds = alcore.Strategy("huds", lambda_=0.1, n_strata=5)
    assert huds.get("lambda_") == "0.1" and huds.get("n_strata") == "5"
    with pytest.raises(alcore.ParamError, match="did you mean lambda"):
        huds.get("lamda")
    request = alcore.Request(round=3, seed=2**64 - 1)
    assert request.get("round") == "3" and request.get("seed") == str(2**64 - 1) and request.get("nan") != ""
    with pytest.raises(alcore.ParamError, match="integer"):
        request.set(round=1.5)
    with pytest.raises(alcore.ParamError, match="did you mean lambda"):
        alcore.select(texts[:200], "60w", "huds", lamda=1)
    with pytest.raises(alcore.ParamError, match="did you mean huds"):
        alcore.select(texts[:200], "60w", "hudz")
    with pytest.raises(TypeError, match="a name, an alcore.Strategy"):
        alcore.select(texts[:200], "60w", 5)


def test_masks():
    texts = ["aa bb", "cc dd", "ee ff", "gg hh", "ii jj"]

    def left(**named):
        return sorted(alcore.select(texts, 5, "random", **named).indices)

    assert left() == [0, 1, 2, 3, 4]
    assert left(exclude=[0, 2]) == [1, 3, 4]
    assert left(exclude=[True, False, True, False, False]) == [1, 3, 4]
    assert left(exclude=["cc dd"]) == [0, 2, 3, 4]
    assert left(ids=list("vwxyz"), exclude=["v", "z"]) == [1, 2, 3]
    assert left(eligible=[1, 3]) == [1, 3]
    assert left(labeled=["aa bb", "other"]) == [1, 2, 3, 4]
    assert left(labeled=[4]) == [0, 1, 2, 3]
    assert alcore.select(texts, 5, "random", eligible=[1]).short
    first = alcore.select(texts, 2, "random")
    assert not set(left(exclude=first)) & set(first.indices)
    with pytest.raises(alcore.NotFoundError):
        left(exclude=[99])
    with pytest.raises(ValueError, match="mask has 2 entries"):
        left(exclude=[True, False])


def test_costs_and_fill():
    texts = ["a b", "c d", "e f"]
    picked = alcore.select(texts, "5u", "uncertainty", probs=[[.5, .5], [.6, .4], [.9, .1]], cost=[3, 4, 1], fill="skip")
    assert picked.indices == [0, 2] and picked.costs == [3.0, 1.0]
    with pytest.raises(ValueError, match="costs: 1 were given"):
        alcore.select(texts, "5u", "huds", cost=[1])
    with pytest.raises(TypeError, match="belong to the texts"):
        alcore.select(alcore.Pool(texts), 1, "huds", cost=[1, 2, 3])


def test_pickle_keeps_everything(texts):
    picked = alcore.select(texts[:300], "60w", "huds")
    copied = pickle.loads(pickle.dumps(picked))
    assert copied.to_dict() == picked.to_dict()
    assert copied.summary == picked.summary and copied.pool is None and len(copied) == len(picked)
    for scope in ("picks", "candidates"):
        assert copied.columns(scope) == picked.columns(scope)
        for name in picked.columns(scope):
            assert copied.column(name, scope).tolist() == picked.column(name, scope).tolist()
    assert pickle.loads(pickle.dumps(copied)).to_dict() == picked.to_dict()
    with pytest.raises(LookupError):
        copied.column("no such")


def test_implicit_model_warns_once(texts):
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.filterwarnings("once", category=alcore.ImplicitModelWarning)
        for _ in range(3):
            alcore.select(texts[:50], 2, "huds")
        assert [found.category for found in caught] == [alcore.ImplicitModelWarning]
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alcore.select(texts[:50], 2, "huds", model="ngram")
        alcore.select(texts[:50], 2, "random")


def test_model_named_is_the_built_in(texts):
    assert alcore.select(texts[:200], 5, "huds", model="ngram", labeled=texts[200:260]).indices == \
        alcore.select(texts[:200], 5, "huds", labeled=texts[200:260]).indices


def test_empty_and_huge():
    assert alcore.select([], 5, "random").indices == []
    assert alcore.select(["", " "], 5).indices == []
    long = "word " * 400000
    picked = alcore.select([long, "short one"], 1, "random", exclude=[1])
    assert picked.texts == [long]
    many = ["text number %d" % number for number in range(100000)]
    assert len(alcore.select(many, 1000, "random")) == 1000


def test_targets_go_to_strategies_that_read_them(texts):
    readers = [name for name, facts in alcore.strategies().items() if "target" in facts["needs"]]
    said = "strategy random does not read the target, but these do: %s; strategy=\"%s\" is one of them" % (
        ", ".join(readers), readers[0])
    for strategy in ("random", alcore.Strategy("random")):
        with pytest.raises(ValueError, match=re.escape(said)):
            alcore.select(texts[:20], 2, strategy, targets=texts[20:30])
    seen = []
    own = alcore.strategy(lambda view: seen.append(view.target.texts) or [1.0] * len(view), name="own")
    assert alcore.select(texts[:20], 2, own, targets=texts[20:22]).indices and seen == [texts[20:22]]
    for name in readers:
        assert alcore.select(texts[:20], 2, name, targets=texts[20:30], model="ngram").indices


def test_gold_picks_from_the_targets(texts):
    wanted = alcore.select(texts[20:40], 5, "gold", seed=3)
    picked = alcore.select(texts[:20], 5, "gold", seed=3, targets=texts[20:40])
    assert (picked.indices, picked.texts) == (wanted.indices, wanted.texts) and picked.texts[0] == texts[20 + picked.indices[0]]
    target = alcore.Pool(texts[20:40])
    assert alcore.Request(target=target, strategy="gold", budget=5, seed=3).select().pool is target
    with pytest.raises(ValueError, match="gold picks from the target, but the rows that the request names"):
        alcore.select(texts[:20], 5, "gold", targets=texts[20:40], exclude=[1])


def test_like(texts, tmp_path):
    file = tmp_path / "like.txt"
    file.write_text("1\n2\n")
    assert len(alcore.select(texts[:20], 5, "same-ratio", like=file)) == 2
    with pytest.raises(ValueError, match="strategy huds does not follow the languages of another selection"):
        alcore.select(texts[:20], 5, "huds", like=[0, 1], model="ngram")
    with pytest.raises(ValueError, match="both counts and the rows of another selection"):
        alcore.select(texts[:20], 5, "same-ratio", like=[0], counts="unknown:3")


def test_bad_texts():
    with pytest.raises(TypeError, match="not one text"):
        alcore.select("abc")
    with pytest.raises(TypeError, match=r"texts\[1\]: a text is expected, got int"):
        alcore.select(["a", 1])
    with pytest.raises(ValueError, match=r"texts\[0\]: the text cannot be written"):
        alcore.select(["\udc00"])
    with pytest.raises(alcore.DataError):
        alcore.select([b"\xff\xff ok"])
    with pytest.raises(alcore.DataError, match="NUL"):
        alcore.select(["a\0b c", "d"])


def test_rounds(pool):
    seen = set()
    for round in (1, 2, 3):
        picked = pool.select("40w", "huds", round=round, candidates=50)
        assert not seen & set(picked.indices) and picked.indices
        seen |= set(picked.indices)
        pool.mark_labeled(picked)
    assert pool.count("labeled") == len(seen)
    drawn = pool.candidates(20, 4, 9)
    assert len(drawn) == 20 == len(set(drawn)) and not seen & set(drawn)
    assert drawn == pool.candidates(20, round=4, seed=9) != pool.candidates(20, round=5, seed=9)


def test_masks_of_a_call_end_with_it(pool):
    pool.mark("excluded", [5])
    assert 7 in pool.select(200, "random", exclude=[5, 6]).indices
    assert pool.count("excluded") == 1
    assert 6 in pool.select(200, "random").indices
    with pytest.raises(alcore.ParamError):
        pool.select("nonsense", "random", exclude=[5, 6])
    assert pool.count("excluded") == 1


def test_selection_of_many_forms(texts, tmp_path, numpy):
    picked = alcore.select(texts[:200], "60w", "huds")
    arrays = picked.to_numpy()
    assert arrays["index"].tolist() == picked.indices and arrays["u"].dtype == "float64"
    picked.write(tmp_path / "picks.jsonl")
    assert [json.loads(line)["al"]["index"] for line in (tmp_path / "picks.jsonl").open()] == picked.indices
    picked.report(tmp_path / "report.md")
    assert (tmp_path / "report.md").read_text().startswith("#")
    column = picked.column("u")
    with pytest.raises(ValueError):
        column[0] = 1
    with pytest.raises(ValueError, match="scope"):
        picked.column("u", "everything")
    assert list(picked) == picked.indices


def test_view_outlives_the_selection(texts):
    column = alcore.select(texts[:200], "60w", "huds").column("u", "candidates")
    assert len(column) == 200 or len(column) > 100
    assert sum(column.tolist()) == sum(column.tolist())


def test_request(pool):
    with alcore.Request(pool, strategy="random", budget=5, seed=3) as request:
        first = request.select().indices
        assert first == pool.select(5, "random", seed=3).indices
        request.set(round=2)
        assert request.select().indices != first
        assert len(request.candidates(10)) == 10
    with pytest.raises(ValueError, match="closed"):
        request.select()
    with pytest.raises(ValueError, match="no pool"):
        alcore.Request(budget=3).select()
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(pool)


def test_several_budgets_are_spent_from_the_same_scores():
    texts = ["word%d other%d" % (n, n % 7) for n in range(40)]
    scores = [(n * 37) % 11 / 11 for n in range(40)]
    first, second = alcore.select(texts, ["8w", "20w"], "nnll", scores=scores, price="0.5EUR/w")
    assert first.indices == alcore.select(texts, "8w", "nnll", scores=scores).indices
    assert second.indices == alcore.select(texts, "20w", "nnll", scores=scores).indices
    assert (first.budget, second.budget, first.price, second.price) == (8, 20, 4, 10)
    assert alcore.select(texts, "8w", "nnll", scores=scores).price is None
    assert "price: 10.00 EUR" in second.summary


@pytest.mark.parametrize("strategy", ["hybrid", "ngf"])
def test_each_of_several_budgets_has_the_pool_of_its_picks(strategy):
    texts = ["the file %d could not be %s" % (row % 15, ("opened", "saved")[row % 2]) for row in range(40)]
    model = {"model": "ngram"} if strategy == "hybrid" else {}
    for budget, found in zip((9, 30), alcore.select(texts, ["9w", "30w"], strategy, **model)):
        alone = alcore.select(texts, "%dw" % budget, strategy, **model)
        assert (found.ids, found.texts, found.records, list(found.pool)) == (alone.ids, alone.texts, alone.records, list(alone.pool))


def test_the_old_name_of_the_similarity_limit_names_the_new_one():
    with pytest.raises(alcore.ParamError, match="max_similarity"):
        alcore.select(["a", "b"], 1, "random", spread=0.5)


def test_a_call_needs_texts_and_a_budget_that_is_no_share():
    with pytest.raises(alcore.ParamError, match='no budget; budget="1000w" buys'):
        alcore.select(["a", "b"])
    with pytest.raises(alcore.ParamError, match="items are whole; a share of the pool"):
        alcore.select(["a", "b"], 0.1)
    for wrong in (True, False, [1, True]):
        with pytest.raises(alcore.ParamError, match="a number, or a text such as .* is expected, got a bool"):
            alcore.select(["a", "b"], wrong, "random")
        with pytest.raises(alcore.ParamError, match="got a bool"):
            alcore.Request(alcore.Pool(["a", "b"]), strategy="random", budget=wrong)
    for wrong in ("1,000", "2,050w"):
        with pytest.raises(alcore.ParamError, match="write 1000, not 1,000"):
            alcore.select(["a", "b"], wrong, "random")
    with pytest.raises(alcore.ParamError, match="same unit.*a comma stands between budgets, not in a number"):
        alcore.select(["a", "b"], "1,500w", "random")
    with pytest.raises(TypeError, match="give each row a name"):
        alcore.select(None, 1, "lc", probs=[[.5, .5]])


def test_what_a_call_gives_is_read():
    texts, halves = ["a b", "c d"], [[.5, .5]] * 2
    with pytest.raises(alcore.InvalidError, match="'embeddings' is not read: strategy hybrid reads probs"):
        alcore.select(texts, "2w", "hybrid", probs=halves, embeddings=halves, params={"sentences": "margin"})
    with pytest.raises(alcore.InvalidError, match="'probs' is not read: strategy huds reads scores or logprobs, embeddings"):
        alcore.select(texts, 1, "huds", probs=halves, model="ngram")
    with pytest.raises(alcore.MissingError, match='model={"logprobs": "ngram"} agrees'):
        alcore.select(texts, 1, "huds", embeddings=halves)
    with pytest.raises(alcore.InvalidError, match="the model is not read: strategy random reads no column"):
        alcore.select(texts, 1, "random", model="ngram")
    assert alcore.select(texts, 1, "huds", embeddings=halves, model={"logprobs": "ngram"}).indices
    with alcore.Pool(texts) as pool:  # what a pool has otherwise may stay unread, and is told
        pool.set_column("probs", halves)
        assert pool.select(1, "random").provenance["inputs"]["candidates"]["unread"] == ["probs"]


def test_an_option_that_is_none_is_not_given(texts):
    options = {option["name"] for option in alcore.request_options()} - {"budget", "round", "seed", "given", "command"}
    assert {"masks", "cache", "nan", "device"} <= options
    for strategy in None, "random":
        picked = alcore.select(texts[:50], "20w", strategy, **dict.fromkeys(options))
        plain = alcore.select(texts[:50], "20w", strategy)
        assert picked.indices == plain.indices and picked.provenance == plain.provenance


def test_what_no_strategy_reads_is_told(tmp_path):
    table = {"text": ["open a file", "close a file"], "embeddings": [[0., 1.], [1., 0.]]}
    with pytest.warns(UserWarning, match="not read by ngram-cover, as no strategy was named: model, cache, embeddings; name") as caught:
        picked = alcore.select(alcore.Pool(table), 1, model="ngram", cache=str(tmp_path))
    assert caught[0].filename == __file__
    assert picked.provenance["ignored"] == ["model", "cache", "embeddings"]
    with pytest.warns(UserWarning, match="as no strategy was named: model"):
        alcore.compare(table["text"], 1, {"one": None, "other": alcore.Strategy("recommended", decay=1)}, model="ngram")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "ignored" not in alcore.select(alcore.Pool(table), 1, "random").provenance
        assert "ignored" not in alcore.select(table["text"], 1).provenance
        alcore.compare(table["text"], 1, [None, "nnll"], model="ngram")


def test_remedies_are_in_python_s_terms():
    picked = alcore.select(["a b c d"], "3w", "random")
    assert 'hint: fill="skip" stays within the budget' in picked.summary and "--" not in picked.summary
    with alcore.Request(alcore.Pool(["a"])) as request, pytest.raises(alcore.ParamError, match='budget="1000w"'):
        request.select()


def test_many_threads_select_from_one_pool():
    import threading
    pool = alcore.Pool(["text %d" % n for n in range(500)])
    pool.set_column("scores", [(n * 31) % 97 / 97 for n in range(500)])
    expected = {row: pool.select(5, "nnll", eligible=list(range(row, 500))).indices for row in (0, 100, 200)}
    failures = []

    def work(row):
        for _ in range(30):
            try:
                if pool.select(5, "nnll", eligible=list(range(row, 500))).indices != expected[row]:
                    failures.append(row)
            except alcore.Error as error:
                failures.append(error)

    threads = [threading.Thread(target=work, args=(row,)) for row in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert pool.count() == 500


def test_a_busy_pool_is_waited_for():
    import threading
    pool = alcore.Pool(["text %d" % n for n in range(300)])
    inside, go_on = threading.Event(), threading.Event()

    @alcore.strategy
    def slow(view):
        inside.set()
        assert go_on.wait(20)
        return [1.0] * len(view)

    picking = threading.Thread(target=pool.select, args=(3, slow))
    picking.start()
    assert inside.wait(20)
    marking = threading.Thread(target=pool.mark, args=("excluded", [0]))
    marking.start()
    marking.join(0.05)
    assert marking.is_alive()
    go_on.set()
    picking.join(20)
    marking.join(20)
    assert not marking.is_alive() and pool.count("excluded") == 1


def test_rows_of_a_request_are_its_own():
    pool = alcore.Pool(["text %d" % n for n in range(9)], ids=["id%d" % n for n in range(9)])
    with alcore.Request(pool, strategy="random", budget=9) as one, alcore.Request(pool, strategy="random", budget=9) as other:
        one.set_rows("eligible", ["id1", "id2"])
        other.set_rows("excluded", [0, 1])
        assert sorted(one.select().indices) == [1, 2]
        assert sorted(other.select().indices) == list(range(2, 9))
        one.set_rows("eligible", [])
        assert one.select().short
        one.set_rows("eligible", None)
        assert len(one.select()) == 9
    assert pool.count() == 9


def test_labeled_may_be_an_earlier_selection():
    pool = alcore.Pool(["a", "b", "c", "d"])
    first = pool.select(2, "random", seed=1)
    second = pool.select(4, "random", seed=1, labeled=first)
    assert sorted(first.indices + second.indices) == [0, 1, 2, 3]
    assert pool.count("labeled") == 0


def test_labeled_rows_are_of_one_call():
    """The rows belong to the request: the pool has its states during the call too, so that calls of other threads do not
    see them, and a strategy reads them as it reads rows that are marked."""
    pool = alcore.Pool(["a", "b", "c", "d"])
    seen = []

    @alcore.strategy(labeled_needs=["embeddings"], needs=["embeddings"])
    def look(view):
        seen.append((view.labeled_rows.rows.tolist(), pool.states.tolist()))
        return [1.0] * len(view)

    for rows in ([3, 1], [True, False, False, False]):
        pool.select(1, look, labeled=rows, embeddings=[[0.0], [1.0], [2.0], [3.0]])
    assert seen == [([1, 3], [0, 0, 0, 0]), ([0], [0, 0, 0, 0])]
    with pytest.raises(alcore.NotFoundError, match="labeled rows: there is no row 4"):
        pool.select(1, "random", labeled=[4])


def test_samples_are_read_where_they_lie():
    """An array of three dimensions is neither copied nor asked for again: the pool shows it as it is."""
    numpy = pytest.importorskip("numpy")
    samples = numpy.random.default_rng(5).dirichlet([1, 1, 1], size=(4, 6))
    pool = alcore.Pool(["text %d" % row for row in range(6)])
    wanted = pool.select(6, "bald", sample_probs=list(samples))
    pool.set_column("sample_probs", samples)
    shown = numpy.asarray(pool.get_column("sample_probs"))
    assert shown.shape == (4, 6, 3) and numpy.shares_memory(shown, samples)
    by_row = numpy.ascontiguousarray(samples.transpose(1, 0, 2)).transpose(1, 0, 2)
    for given in (samples, by_row, numpy.asfortranarray(samples), alcore.Column(samples, copy=True)):
        found = pool.select(6, "bald", sample_probs=given)
        assert found.indices == wanted.indices and found.scores == wanted.scores
    pool.set_column("sample_probs", samples)
    samples[1, 2] = [1.0, 0.0, 0.0]
    assert pool.select(6, "bald").scores != wanted.scores


def test_contrastive_reads_columns_of_both_sides():
    """Labeled rows of the pool itself and of a pool of their own give the same picks."""
    vectors = [[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0], [1.0, 0.2], [0.2, 1.0]]
    probs = [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    texts = ["text %d" % row for row in range(6)]
    own = alcore.Pool(texts).select(4, "contrastive", embeddings=vectors, probs=probs, labeled=[0, 2], params={"k": 1})
    assert own.indices == [3, 4, 1, 5]
    labeled = alcore.Pool([texts[0], texts[2]])
    for name, values in (("embeddings", vectors), ("probs", probs)):
        labeled.set_column(name, [values[0], values[2]])
    rest = [1, 3, 4, 5]
    other = alcore.Pool([texts[row] for row in rest]).select(4, "contrastive", embeddings=[vectors[row] for row in rest],
                                                             probs=[probs[row] for row in rest], labeled=labeled, params={"k": 1})
    assert [rest[row] for row in other.indices] == own.indices and other.scores == own.scores
    with pytest.raises(alcore.MissingError, match="labeled rows, of which there is none"):
        alcore.Pool(texts).select(1, "contrastive", embeddings=vectors, probs=probs)
    with pytest.raises(alcore.MissingError, match="'probs' of the labeled pool"):
        alcore.Pool(texts).select(1, "contrastive", embeddings=vectors, probs=probs, labeled=alcore.Pool(["known"]))


def test_a_nan_is_an_error_with_a_remedy():
    """The remedy is found on a worker thread and worded in Python's terms."""
    with pytest.raises(alcore.DataError) as error:
        alcore.select(["a", "b", "c"], 1, "nnll", scores=[0.1, float("nan"), 0.3])
    assert str(error.value).endswith('is NaN; nan="exclude" leaves such rows out')
    with alcore.Pool(["a", "b"]) as pool:
        pool.set_column("logprobs", ([0.5, float("nan")], [0, 1, 2]))
        with pytest.raises(alcore.DataError) as error:
            pool.score("nnll")  # a scorer has no such option
    assert "exclude" not in str(error.value)


POSITIVE = [.9, .5, .3, .05]


def test_what_probs_are_is_said_in_the_call():
    numpy = pytest.importorskip("numpy")
    texts = ["one", "two words", "three words more", "and four"]
    both = [[1 - p, p] for p in POSITIVE]
    wanted = alcore.select(texts, "4", "margin", probs=both)
    for values in (POSITIVE, [[p] for p in POSITIVE], numpy.array(POSITIVE), numpy.array(POSITIVE)[:, None],
                   alcore.Column(numpy.array(POSITIVE), meaning="sigmoid")):
        picked = alcore.select(texts, "4", "margin", probs=values, probs_are="sigmoid")
        assert (picked.indices, picked.scores) == (wanted.indices, wanted.scores)
        if not isinstance(values, alcore.Column):
            with pytest.raises(alcore.ShapeError, match='probs_are="sigmoid"'):
                alcore.select(texts, "4", "margin", probs=values)
    labels = numpy.array([[.9, .5], [.8, .7], [.1, .1], [.2, .45]])
    assert alcore.select(texts, "1", "margin", probs=labels, probs_are="multilabel", labels="max").indices == [0]
    assert alcore.select(texts, "1", "margin", probs=labels, probs_are="multilabel").indices == [3]
    with pytest.raises(alcore.DataError, match=r'row 0: .* 1\.4, not to 1; probs_are="logits\|logprobs\|multilabel"'):
        alcore.select(texts, "1", "margin", probs=labels)
    with pytest.raises(TypeError, match="probs_are says what probs holds, which is not given"):
        alcore.select(texts, "1", "margin", probs_are="sigmoid")
    with pytest.raises(ValueError, match="holds logits, and the call sigmoid"):
        alcore.select(texts, "1", "margin", probs=alcore.Column(both, meaning="logits"), probs_are="sigmoid")


def test_badge_of_the_positive_class_draws_as_of_both():
    numpy = pytest.importorskip("numpy")
    draw = numpy.random.default_rng(5)
    p, vectors = draw.random((50, 1)), draw.standard_normal((50, 4))
    texts = ["row %d" % row for row in range(50)]
    wanted = alcore.select(texts, "20", "badge", probs=numpy.hstack([1 - p, p]), embeddings=vectors)
    assert alcore.select(texts, "20", "badge", probs=p, probs_are="sigmoid", embeddings=vectors).indices == wanted.indices
    alcore.select(texts, "20", "badge", probs=draw.random((50, 3)), probs_are="multilabel", embeddings=vectors)


def test_no_strategy_is_the_recommended_one(texts):
    name = alcore.recommended_strategy()
    assert name in alcore.strategies()
    named = alcore.select(texts[:60], 5, name, masks="all")
    assert not named.provenance["recommended"] and named.summary.startswith("strategy %s, round 1" % name)
    for strategy in (None, "recommended", alcore.Strategy("recommended")):
        picked = alcore.select(texts[:60], 5, strategy)
        assert picked.indices == named.indices and picked.provenance["strategy"] == name
        assert picked.provenance["recommended"] and picked.summary.startswith("recommended strategy %s (may change" % name)
    assert alcore.select(texts[:60], 5).provenance["recommended"]
    with alcore.Pool(texts[:60]) as pool:
        assert pool.select(5).provenance["recommended"]
        with alcore.Request(pool, budget=5) as request:
            assert request.select().provenance["recommended"]
        assert alcore.ablate(pool, 5, parameter="decay", values=[1])[0].selection.provenance["recommended"]


def test_budgets_and_prices_are_texts_and_numbers(texts):
    with alcore.Pool(texts[:40]) as pool, alcore.Request(pool, strategy="random") as request:
        assert request.budgets == ([], None) and request.price is None
        for amounts, unit, text in ([7], "items", "7i"), ([2500, 0.1], "words", "2500w,0.1w"), ([9], "characters", "9c"), ([1e-9], "units", "1e-09u"):
            request.set_budgets(amounts, unit)
            assert request.get("budget") == text and request.budgets == (amounts, unit)
            request.set(budget="3")
            request.set(budget=text)
            assert request.budgets == (amounts, unit)
        request.set_budgets(5)
        assert request.budgets == ([5], "items") and request.select().unit_price is None
        request.set_price(0.5, "CHF")
        assert request.price == alcore.Price(0.5, "CHF", "words") and request.get("price") == "0.5 CHF/w"
        request.set(price="2/i")
        assert request.price == alcore.Price(2, None, "items")
        request.set(price=alcore.Price(0.25, "EUR", "characters"), seed=3)
        assert request.get("price") == "0.25 EUR/c" and request.get("seed") == "3"
        again = alcore.select(texts[:40], 3, "random", price=alcore.Price(0.5, "EUR", "items"))
        assert again.unit_price == alcore.Price(0.5, "EUR", "items") and again.price == 1.5
        with pytest.raises(ValueError):
            request.set(price=alcore.Price(0.25, "EUR", "pages"))
        request.set(price="2/i")
        request.set_budgets((4, 30), "words")
        picked = request.select()
        assert [one.budget for one in picked] == [4, 30] and [one.unit for one in picked] == ["words"] * 2
        assert picked[1].unit_price == alcore.Price(2, None, "items") and picked[1].price == 2 * len(picked[1])
        copy = pickle.loads(pickle.dumps(picked[1]))
        assert (copy.unit, copy.unit_price) == ("words", alcore.Price(2, None, "items"))
        request.set_price(None)
        assert request.price is None and request.get("price") == ""
        for wrong in (lambda: request.set_budgets([]), lambda: request.set_budgets([1, 1]), lambda: request.set_budgets(1, "pages"),
                      lambda: request.set_price(1, "E5"), lambda: request.set_price(-1)):
            with pytest.raises(ValueError):
                wrong()


def test_a_schedule_is_a_list_of_numbers():
    with alcore.Strategy("huds", lambda_=[0, 1 / 3, 1]) as strategy:
        assert strategy.get("lambda_") == "0,0.3333333333333333,1" and strategy.numbers("lambda_") == [0, 1 / 3, 1]
        strategy.set(lambda_=0.25)
        assert strategy.numbers("lambda_") == [0.25]
        with pytest.raises(ValueError, match="no list of numbers"):
            strategy.numbers("n_strata")
        with pytest.raises(ValueError, match="from 0 to 1"):
            strategy.set(lambda_=[0.5, 2])
