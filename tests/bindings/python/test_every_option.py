# SPDX-License-Identifier: Apache-2.0
"""Walks the registries: every parameter of every strategy and scorer and every option of a request changes what comes out in some
fixture of this file. A parameter that is not named here fails, and so does a value that changes nothing."""
import itertools
import pathlib
import random

import pytest

import alcore

ROWS, DIMS, CLASSES = 40, 4, 3
# Labeling plans of one configuration and of two.
PLANS = pathlib.Path(__file__).with_name("plans")

# A value other than the default for every parameter that is no choice; of a choice every value is
# tried.
VALUES = {
    "lambda": "0.1",
    "lambda_first": "0.9",
    "n_strata": 3,
    "min_stratum": 9,
    "k_clusters": 3,
    "per_block": 20,
    "per_step": 2,
    "steps": 1,
    "unit": 1,
    "candidates": 15,
    "alpha": 0.1,
    "sq": 1,
    "balance_targets": 1,
    "sticky": 1,
    "k": 3,
    "k_max": 1,
    "c": 1,
    "cover": 1,
    "counts": "unknown:4",
    "rounds": 2,
    "iterative": 1,
    "sample": 2,
    "share": 0.6,
    "length": 3,
    "power": 0,
    "known": 9,
    "decay": 0.1,
    "first": 0.5,
    "overhead": 5,
    "file": str(PLANS / "one.tsv"),
    "config": "b",
    "max_n": 2,
    "max_clusters": 2,
    "neighbors": 1,
    "min_cluster": 9,
    "delta": 0.01,
    "purity": 0.1,
    "classes": 2,
    "letters": 1,
    "exclude_labeled": 1,
    "ratio": 0.2,
    "gamma": 0,
    "occ_min": 5,
    "prune": 0,
    "seed_set": 1,
    "carry": 1,
    "windows": 1,
    "bias": 0,
    "sentences": "nnll",
    "phrases": "random-phrase",
}
# Values that name the default: what the paper prints, beside what its public code does.
DEFAULTS = {("uncertainty", "mode", "paper"), ("knn-uncertainty", "mode", "paper"), ("uncertainty-knn", "mode", "paper")}
# What else has to be set for a parameter to show.
BESIDE = {"sticky": {"candidates": 15}, "per_block": {"mode": "composable"}, "per_step": {"mode": "oversampling"}, "steps": {"mode": "oversampling", "per_step": 2}, "fill_short": {"k": 1}, "config": {"file": str(PLANS / "two.tsv")},
          "rounds": {"counts": "unknown:5"}, ("facility-location", "gamma"): {"similarity": "rbf"}}


# Columns that are read in place of the others where answers are measured.
ANSWERS = {("windows", 1): ["qa_start", "qa_end", "qa_windows"], ("mode", "sum-prob"): ["qa_start", "qa_end"]}


# Columns of which a value of a parameter is alone about: independent labels.
MEANT = {("labels", "max"): {"probs": "multilabel"}}


TEXTS = ["row %d of %s" % (row, " ".join(["words"] * (1 + row % 4))) for row in range(ROWS)]


def simplex(draw, count):
    weights = [draw.random() ** 2 + 1e-3 for _ in range(count)]
    return [weight / sum(weights) for weight in weights]


def positions(draw, lengths):
    """A distribution over the positions of each row, of any number."""
    return [share for length in lengths for share in simplex(draw, length)]


def world():
    """Columns for a pool of ROWS rows, of a labeled side and of a target with two languages."""
    draw = random.Random(7)
    vectors = [[draw.gauss(0, 1) * scale for _ in range(DIMS)] for scale in (draw.uniform(0.5, 3) for _ in range(ROWS))]
    lengths = [draw.randint(1, 5) for _ in range(ROWS)]
    offsets = list(itertools.accumulate(lengths, initial=0))
    tokens = offsets[-1]
    return {
        "scores": [draw.random() ** 2 for _ in range(ROWS)],
        "logprobs": ([-draw.expovariate(1) for _ in range(tokens)], offsets),
        "embeddings": vectors,
        "probs": [simplex(draw, CLASSES) for _ in range(ROWS)],
        "margins": [draw.random() for _ in range(ROWS)],
        "confidences": [draw.uniform(0.4, 1) for _ in range(ROWS)],
        "entropies": [draw.random() for _ in range(ROWS)],
        "token_probs": ([simplex(draw, CLASSES) for _ in range(tokens)], offsets),
        "sample_probs": [[simplex(draw, CLASSES) for _ in range(ROWS)] for _ in range(5)],
        "mlm_losses": ([draw.expovariate(1) for _ in range(tokens)], offsets),
        "roundtrip": [text if row % 2 else text + " again" for row, text in enumerate(TEXTS)],
        "qa_start": (positions(draw, lengths), offsets),
        "qa_end": (positions(draw, lengths), offsets),
        "qa_windows": ([1] * tokens, offsets),
    }


WORLD = world()
# For strategies that buy phrases: texts in which some begin with the same five words, and a sign.
PHRASE_TEXTS = ["%s %s %s the long way home again %d - %s" % ("red green blue white black".split()[row % 5], "cat dog cow hen".split()[row % 4],
                                                             "ran sat fell".split()[row // 4 % 3], row, "abc"[row % 3])
                if row % 7 else "row %d - of" % row for row in range(ROWS)]


def needs_of(name, role="candidates"):
    return alcore.strategies()[name]["needs"].get(role, [])


def columns_of(needs):
    """The columns for a list of needs, once for every alternative of a need such as scores|logprobs."""
    return [{name: WORLD[name] for name in names if name in WORLD}
            for names in itertools.product(*(need.split("|") for need in needs))]


def fixtures_of(needs, fact, value):
    """The columns for the needs of a strategy or scorer with which that value of a parameter is tried."""
    if "occurrences" in needs:  # of phrases, which are measured by the built-in model of their texts
        return [{}]
    meant, found = MEANT.get((fact["name"], value)), columns_of(needs) or [{}]
    if not meant:
        return found
    return [{name: alcore.Column(values, meaning=meant[name]) if name in meant else values for name, values in columns.items()}
            for columns in found if meant.keys() <= columns.keys()]


def other_side(first, last):
    """A pool of other texts in two languages with the embeddings and probabilities of some rows."""
    rows = range(first, last)
    made = alcore.Pool(["other text %d" % row for row in rows], languages=["xx" if row % 3 else "yy" for row in rows])
    for name in ("embeddings", "probs"):
        made.set_column(name, WORLD[name][first:last])
    return made


def outcome(call):
    """What a call gives, or what it says when it refuses."""
    try:
        return call()
    except (alcore.Error, ValueError) as error:
        return "refused: %s" % error


def told(picked):
    """Everything that a selection says in numbers; the words of reasons are left to other tests."""
    return [picked.indices, [repr(score) for score in picked.scores],
            [{key: repr(value) for key, value in record.items() if key != "reason"} for record in picked.records],
            [list(map(repr, picked.column(name, "candidates"))) for name in picked.columns("candidates")]]


def two_rounds(name, columns, params):
    """Two rounds from one pool, the first one's picks labeled: some parameters show in the second round only."""
    found = []
    phrases = name == "hybrid" or "occurrences" in needs_of(name)
    with alcore.Pool(PHRASE_TEXTS if phrases or name == "ngram-cover" else TEXTS) as pool:
        sides = {"labeled": other_side(0, 5)} if needs_of(name, "labeled") else {}
        if phrases or name == "ngram-cover":
            sides["labeled"] = alcore.Pool(["row 3"])
        if needs_of(name, "target"):
            sides["targets"] = other_side(5, 9)
        for number in (1, 2):
            picked = pool.select("19w" if phrases else 6, name, round=number, seed=3, params=params, **columns, **sides)
            picked.pool.mark_labeled(picked)
            found.append(told(picked))
    return found


def tried(name, fact):
    """Values of a parameter of a strategy or scorer that are to change something."""
    if fact["type"] == "choice":
        return [value for value in fact["choices"] if value != fact["default"] and (name, fact["name"], value) not in DEFAULTS]
    assert fact["name"] in VALUES, "give %s a value in VALUES of this file" % fact["name"]
    return [VALUES[fact["name"]]]


def every(registry):
    return [pytest.param(name, fact, id="%s-%s" % (name, fact["name"])) for name, facts in registry.items() for fact in facts["params"]]


@pytest.mark.parametrize("name, fact", every(alcore.strategies()))
def test_parameter_of_a_strategy(name, fact):
    beside = BESIDE.get((name, fact["name"]), BESIDE.get(fact["name"], {}))
    for value in tried(name, fact):
        # Of answers the uncertainty is read from other columns.
        own = ANSWERS.get((fact["name"], value), [])
        fixtures = fixtures_of(own + [need for need in needs_of(name) if not own or "|" not in need], fact, value)
        with_value = {**beside, fact["name"]: value}
        assert any(outcome(lambda: two_rounds(name, columns, beside)) != outcome(lambda: two_rounds(name, columns, with_value))
                   for columns in fixtures), "%s=%s changes nothing" % (fact["name"], value)
        assert any(not isinstance(outcome(lambda: two_rounds(name, columns, with_value)), str) for columns in fixtures)


def scored(name, columns, params):
    with alcore.Pool(TEXTS) as pool:
        for column, values in columns.items():
            pool.set_column(column, values)
        pool.score(name, **params)
        return list(map(repr, pool.get_column("scores")))


@pytest.mark.parametrize("name, fact", every(alcore.scorers()))
def test_parameter_of_a_scorer(name, fact):
    for value in tried(name, fact):
        fixtures = fixtures_of(ANSWERS.get((fact["name"], value)) or alcore.scorers()[name]["needs"], fact, value)
        assert any(outcome(lambda: scored(name, columns, {})) != outcome(lambda: scored(name, columns, {fact["name"]: value}))
                   for columns in fixtures), "%s=%s changes nothing" % (fact["name"], value)


def asked(strategy, **options):
    """One selection, with its provenance, in which a run's own command and device stand."""
    columns = {name: options.pop(name, WORLD[name]) for name in ("scores", "embeddings")}
    if strategy == "random":
        columns = {}
    elif "max_similarity" not in options and columns["embeddings"] is not None:
        del columns["embeddings"]  # which only a limit on similar picks reads
    picked = alcore.select(TEXTS, strategy=strategy, **columns, **options)
    return told(picked), picked.provenance


# For each option of a request: the strategy and the columns with which its other values show.
OPTIONS = {
    "budget": ("nnll", {}, ["3", "20w"]),
    "fill": ("nnll", {"budget": "20w"}, ["stop", "skip"]),
    "seed": ("random", {}, [1]),
    "round": ("random", {}, [2]),
    "masks": ("nnll", {}, ["all", "templates", "near", "language", "nonsense"]),
    "max_similarity": ("nnll", {"budget": 12, "max_similarity": 1}, [0.5]),
    "fuzzy_match": ("nnll", {}, [75.0, 40.0]),  # what it does: test_a_fuzzy_match_counts_as_translated
    "price": ("nnll", {}, ["2/w", "0.5EUR/i"]),
    "tie": ("nnll", {"scores": [1.0] * ROWS}, ["random"]),
    "nan": ("nnll", {"scores": WORLD["scores"][:-1] + [float("nan")]}, ["exclude"]),
    "device": ("nnll", {}, ["cpu", "nonsense"]),
    # A folder that cannot be made; what a cache does when it can is not to be seen (test_cache of
    # tests/unit/request).
    "cache": ("nnll", {"scores": None, "embeddings": None}, ["/nowhere/at/all"]),
    "cache_max_age": ("nnll", {}, [60.0]),  # without a cache it is refused
    "max_age": ("nnll", {}, [1]),  # likewise
    "refresh_factor": ("nnll", {}, [2.5]),  # in the provenance
    "keep_phrases": ("nnll", {}, ["2"]),  # it changes no selection (kept_phrases_equal_new_ones); 2 is refused
    "command": ("nnll", {}, ['["program", "argument"]']),
    "given": ("nnll", {}, []),  # set by the call, from what it has
}


@pytest.mark.parametrize("name", [fact["name"] for fact in alcore.request_options()])
def test_option_of_a_request(name):
    assert name in OPTIONS, "give the option %s a fixture in OPTIONS of this file" % name
    strategy, beside, values = OPTIONS[name]
    beside = {"budget": 5, **beside}
    for value in values:
        assert outcome(lambda: asked(strategy, **beside)) != outcome(lambda: asked(strategy, **{**beside, name: value})), \
            "%s=%s changes nothing" % (name, value)


def test_fixtures_name_only_what_there_is():
    names = {fact["name"] for registry in (alcore.strategies(), alcore.scorers()) for facts in registry.values() for fact in facts["params"]
             if fact["type"] != "choice"}
    assert set(VALUES) == names
    assert set(OPTIONS) == {fact["name"] for fact in alcore.request_options()}
