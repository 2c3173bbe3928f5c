# SPDX-License-Identifier: Apache-2.0
"""Every kind of source in every role: what it gives is what a plain list gives, or one error that names the source and the way out.

ROLES use a value and return what came of it; the sources are those of intake_sources.py. Tables and refusals have tests of their
own in test_intake_tables.py."""
import warnings

import pytest

import alcore
from alcore import analysis, stop  # noqa: F401  modules of the package
from intake_sources import CLASSES, LIKE, LISTS, MASK, MATRIX, NUMBERS, ONLY, PLAIN, SOURCES, WHOLE, module, picks

# ---- roles: name -> (kind of list, function that uses the value) ----


def pool_facts(**fields):
    with alcore.Pool(**fields) as pool:
        return [(pool[row], pool.id(row), pool.reference(row), pool.language(row), pool.group(row), repr(pool.cost(row)))
                for row in range(len(pool))] + [list(pool.states)]


def marked(rows):
    with alcore.Pool(PLAIN) as pool:
        pool.mark("excluded", rows)
        return list(pool.states)


def knn_masked(mask):
    return alcore.knn(MATRIX, MATRIX[:2], 2, mask=mask).numbers.tolist()


ROLES = {
    "texts": ("texts", lambda value: pool_facts(texts=value)),
    "ids_of_integers": ("ids", lambda value: pool_facts(texts=PLAIN, ids=value)),
    "ids_of_texts": ("names", lambda value: pool_facts(texts=PLAIN, ids=value)),
    "references": ("texts", lambda value: pool_facts(texts=PLAIN, references=value)),
    "languages": ("words", lambda value: pool_facts(texts=PLAIN, languages=value)),
    "groups": ("words", lambda value: pool_facts(texts=PLAIN, groups=value)),
    "groups_of_integers": ("ids", lambda value: pool_facts(texts=PLAIN, groups=value)),
    "costs": ("numbers", lambda value: pool_facts(texts=PLAIN, costs=value)),
    "costs_with_gaps": ("gaps", lambda value: pool_facts(texts=PLAIN, costs=value)),
    "whole_costs": ("whole", lambda value: pool_facts(texts=PLAIN, costs=value)),
    "exclude": ("mask", lambda value: picks(exclude=value)),
    "eligible": ("mask", lambda value: picks(eligible=value)),
    "labeled": ("mask", lambda value: picks(labeled=value)),
    "like": ("mask", lambda value: picks("same-ratio", like=value)),
    "mark": ("mask", marked),
    "exclude_rows": ("rows", lambda value: picks(exclude=value)),
    "eligible_rows": ("rows", lambda value: picks(eligible=value)),
    "labeled_rows": ("rows", lambda value: picks(labeled=value)),
    "mark_rows": ("rows", marked),
    "labeled_texts": ("texts", lambda value: picks(labeled=value)),
    "targets": ("texts", lambda value: picks("gold", budget=6, targets=value)),
    "scores": ("numbers", lambda value: picks("nnll", scores=value)),
    "scores_with_gaps": ("gaps", lambda value: picks("nnll", scores=value, nan="exclude")),
    "whole_scores": ("whole", lambda value: picks("nnll", scores=value)),
    "embeddings": ("matrix", lambda value: picks("kcenter", embeddings=value, budget=3)),
    "embeddings_with_gaps": ("matrix_gaps", lambda value: picks("kcenter", embeddings=value, budget=3, nan="exclude")),
    "logprobs": ("ragged", lambda value: picks("nnll", logprobs=value)),
    "knn": ("matrix", lambda value: alcore.knn(value, MATRIX[:2], 2).numbers.tolist()),
    "knn_mask": ("mask", knn_masked),
    "mean": ("numbers", lambda value: alcore.metrics.mean(value)),
    "whole_mean": ("whole", lambda value: alcore.metrics.mean(value)),
    "kappa": ("whole", lambda value: alcore.metrics.kappa(value, WHOLE)),
    "set_rows": ("rows", lambda value: column_at(value)),
    "set_masked": ("mask", lambda value: column_at(value)),
    "writer_mask": ("mask", lambda value: written([[1.0], [2.0], [3.0]], value)),
    "set_costs": ("numbers", lambda value: costs_set(value)),
    "set_references": ("texts", lambda value: references_set(value)),
    "probs": ("probs", lambda value: picks("entropy", probs=value)),
    "text_column": ("texts", lambda value: text_column(value)),
    "writer": ("matrix", lambda value: written(value)),
    "writer_rows": ("rows", lambda value: written([[1.0], [2.0], [3.0]], value)),
    "request_rows": ("rows", lambda value: requested(value)),
    "request_mask": ("mask", lambda value: requested(value)),
    "model_embed": ("matrix", lambda value: answered("embed", value)),
    "model_probs": ("probs", lambda value: answered("class_probs", value)),
    "model_logprobs": ("ragged", lambda value: answered("token_logprobs", value)),
    "embed": ("texts", lambda value: alcore.Model(Lengths()).embed(value).tolist()),
    "phrases": ("texts", lambda value: list(alcore.phrases(value))),
    "lm": ("plain", lambda value: alcore.LanguageModel(value, order=1).fingerprint),
    "lm_score": ("plain", lambda value: list(alcore.LanguageModel(PLAIN, order=1).score(value))),
    "hypotheses": ("plain", lambda value: alcore.bleu(value, PLAIN)),
    "bleu_references": ("plain", lambda value: alcore.chrf(PLAIN, value)),
    "answers": ("plain", lambda value: alcore.answers(value, PLAIN)),
    "gold_answers": ("plain", lambda value: alcore.answers(PLAIN, value)),
    "gold_labels": ("tags", lambda value: alcore.metrics.labels(value, LISTS["tags"][::-1])),
    "gold_classes": ("classes", lambda value: alcore.metrics.labels(value, CLASSES[::-1])),
    "overlap": ("plain", lambda value: alcore.overlap(value, PLAIN)),
    "length_ratio": ("plain", lambda value: alcore.length_ratio(PLAIN, value)),
    "sources": ("plain", lambda value: alcore.word_accuracy(value, PLAIN, PLAIN)),
    "annotations": ("plain", lambda value: list(annotated(value))),
    "uncertainties": ("numbers", lambda value: alcore.stop.uncertainty(value, 0.5)),
    "pearson": ("whole", lambda value: alcore.metrics.pearson(value, NUMBERS)),
    "token_labels": ("classes", lambda value: token_statistics(value)),
    "projection": ("matrix", lambda value: alcore.analysis.projection(value).points.tolist()),
    "candidates_of_target": ("plain", lambda value: picks("random", labeled=value)),
    "duplicates": ("plain", lambda value: alcore.analysis.duplicates(value, PLAIN[:2])),
}


class Lengths:
    def embed(self, texts):
        return [[float(len(text)), 1.0] for text in texts]


def references_set(values):
    with alcore.Pool(PLAIN) as pool:
        pool.set_references(range(6), values)
        return [pool.reference(row) for row in range(6)]


def text_column(values):
    with alcore.Pool(PLAIN) as pool:
        pool.set_column("roundtrip", values)
        return pool.get_column("roundtrip")


def written(values, rows=None):
    with alcore.Pool(PLAIN) as pool:
        with pool.column("mine", missing="mask") as writer:
            writer.put(range(6) if rows is None else rows, values)
        return [repr(one) for one in pool.column_rows("mine", range(6)).tolist()]


def requested(rows):
    with alcore.Pool(PLAIN) as pool, alcore.Request(pool, strategy="random", budget=6, seed=5) as request:
        request.set_rows("excluded", rows)
        return request.select().indices


def answered(method, values):
    column = {"embed": "embeddings", "class_probs": "probs", "token_logprobs": "logprobs"}[method]
    with alcore.Pool(PLAIN) as pool:
        alcore.Model(type("Own", (), {method: lambda self, texts: values})()).run(pool, column)
        return [one.tolist() for one in pool.get_column(column)]


def annotated(texts):
    items = alcore.Annotations(alcore.Pool(PLAIN))
    items.add(texts)
    return items


def token_statistics(labels):
    import array
    out = {"logprob": array.array("d", bytes(48))}
    alcore.measure_logits(module("numpy").array(MATRIX), labels, out)
    return out["logprob"].tolist()


def column_at(rows):
    with alcore.Pool(PLAIN) as pool:
        pool.set_column("mine", [1.0, 2.0, 3.0], rows=rows)
        return [repr(one) for one in pool.column_rows("mine", range(6)).tolist()]


def costs_set(values):
    with alcore.Pool(PLAIN) as pool:
        pool.set_costs(range(6), values)
        return [pool.cost(row) for row in range(6)]


def cells():
    for source in SOURCES:
        for role, (kind, _) in ROLES.items():
            if LIKE.get(kind, kind) in ONLY.get(source, {LIKE.get(kind, kind)}):
                yield pytest.param(source, role, id="%s-%s" % (source, role))


@pytest.mark.parametrize("source, role", list(cells()))
def test_as_a_plain_list(source, role):
    kind, use = ROLES[role]
    given = SOURCES[source](list(LISTS[kind]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert repr(use(given)) == repr(use(list(LISTS[kind])))


# ---- masks ----

MASKS = ["tuple", "numpy", "numpy_objects", "pandas", "pandas_nullable", "pandas_arrow", "polars", "arrow", "arrow_chunked", "arrow_stream",
         "datasets_column", "torch"]
MASK_ROLES = ["exclude", "eligible", "labeled", "like", "mark", "knn_mask"]


@pytest.mark.parametrize("role", MASK_ROLES)
@pytest.mark.parametrize("source", MASKS)
def test_masks_of_a_wrong_length_are_refused(source, role):
    for length in (5, 7):
        with pytest.raises(ValueError, match="mask has %d entries" % length):
            ROLES[role][1](SOURCES[source]((MASK * 2)[:length]))


@pytest.mark.parametrize("role", MASK_ROLES)
@pytest.mark.parametrize("source", ["tuple", "numpy_masked", "numpy_objects", "pandas_nullable", "pandas_arrow", "polars", "arrow",
                                    "arrow_chunked", "datasets_column"])
def test_masks_with_missing_values_are_refused(source, role):
    with pytest.raises(ValueError, match="the mask has no value at row 2"):
        ROLES[role][1](SOURCES[source]([True, False, None, True, False, False]))


def test_empty_masks_and_mixed_ones(numpy):
    for wrong in (numpy.zeros(0, "?"), numpy.ones((6, 1), "?")):
        with pytest.raises((TypeError, ValueError), match="mask has 0 entries|booleans|mask|expected"):
            picks(exclude=wrong)
    for wrong in ([True, 1, 0, 0, 0, 0], [True, "a", True, True, True, True]):
        with pytest.raises(TypeError, match="exclude: booleans are a mask of rows"):
            picks(exclude=wrong)
    assert picks(exclude=[numpy.True_, numpy.False_, numpy.False_, numpy.True_, numpy.False_, numpy.True_]) == picks(exclude=MASK)
    assert picks(exclude=[]) == picks()


def test_a_mask_of_whole_numbers_is_told(numpy):
    for wrong in ([1, 0, 0, 1, 0, 0], numpy.array([1, 0, 0, 1, 0, 0]), numpy.zeros(6, "i1"), numpy.ones(6, "i8")):
        for role in ("exclude", "eligible", "labeled"):
            with pytest.raises(ValueError, match="%s: whole numbers are row numbers.*value.astype.bool." % role):
                picks(**{role: wrong})
        with alcore.Pool(PLAIN) as pool, pytest.raises(ValueError, match="look like a mask"):
            pool.mark("labeled", wrong)
    assert picks(exclude=[0, 1]) == picks(exclude=[1, 0, 0, 1, 1]) == picks(exclude=[True, True] + [False] * 4)
    assert picks(exclude=numpy.arange(6)) == []


def test_several_budgets_may_be_an_array(numpy):
    several = [alcore.select(PLAIN, budget, "random") for budget in ([2, 3], numpy.array([2, 3]), (numpy.int64(2), 3))]
    assert [[len(one) for one in found] for found in several] == [[2, 3]] * 3


@pytest.mark.parametrize("strategy", ["typiclust", "bertkm"])
def test_the_values_of_several_budgets_are_those_of_each_alone(strategy):
    texts = ["%s %s number%d" % (PLAIN[i % len(PLAIN)], PLAIN[i * 7 % len(PLAIN)], i) for i in range(120)]
    for one, budget in zip(alcore.select(texts, [5, 20, 11], strategy, model="ngram"), (5, 20, 11)):
        alone = alcore.select(texts, budget, strategy, model="ngram")
        assert list(one.indices) == list(alone.indices) and list(one.scores) == list(alone.scores)


@pytest.mark.parametrize("role", ["texts", "ids", "cost", "scores"])
def test_sets_have_no_order(role):
    given = {"texts": PLAIN, "scores": list(range(6)), role: frozenset(PLAIN if role in ("texts", "ids") else range(6))}
    with pytest.raises(TypeError, match="%s: a set has no order" % role):
        alcore.select(given.pop("texts"), 2, "nnll", **given)
    assert picks(exclude={0, 3}) == picks(exclude=[0, 3])


def test_nothing_is_labeled_in_the_first_round(numpy):
    wanted = alcore.select(PLAIN, 3, "kcenter", embeddings=MATRIX).indices
    for nothing in ([], (), numpy.zeros(0, "i8"), iter(())):
        assert alcore.select(PLAIN, 3, "kcenter", embeddings=MATRIX, labeled=nothing).indices == wanted


def test_a_pool_is_its_texts():
    """Its stream of the Arrow interface has other columns too."""
    given = alcore.Pool(PLAIN)
    for role, (kind, use) in ROLES.items():
        if kind == "plain":
            assert repr(use(given)) == repr(use(list(PLAIN))), role


class OfAnotherNumpy:
    """A tensor of integers whose library was built for another numpy than the one that is installed."""

    def __init__(self, values):
        self.array = pytest.importorskip("numpy").array(values)
        self.__dlpack__, self.__dlpack_device__, self.tolist = self.array.__dlpack__, self.array.__dlpack_device__, self.array.tolist

    def __array__(self, dtype=None):
        raise RuntimeError("Numpy is not available")


def test_a_tensor_of_another_numpy_is_read():
    assert alcore.metrics.mean(OfAnotherNumpy([1, 2, 6])).mean == 3
