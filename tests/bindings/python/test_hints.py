# SPDX-License-Identifier: Apache-2.0
"""Names of other packages lead to what is here. package_names.tsv has the public names of small-text 1.4.1, scikit-activeml 1.0.1,
modAL 0.4.2.1, baal 2.1.0, sacreBLEU 2.6.0 and seqeval 1.2.2 (tests/engines/current/make_hints.py)."""
import pathlib
import re

import pytest

import alcore
from alcore import metrics

NAMES = [line.split("\t") for line in pathlib.Path(__file__).with_name("package_names.tsv").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", sorted({name for kind, _, name in NAMES if kind == "strategy"}))
def test_a_strategy_of_another_package(name):
    if name in alcore.strategies():
        return
    with pytest.raises(ValueError, match=r'; (?!did you mean)|; did you mean ([\w-]+)\?') as told:
        alcore.select(["a b"], 1, name)
    near = re.search(r"did you mean ([\w-]+)\?", str(told.value))
    if near:  # the same name, written otherwise
        assert re.sub("_|-|sampling$", "", name.lower()) == near.group(1).replace("-", ""), str(told.value)


@pytest.mark.parametrize("name", sorted({name for kind, _, name in NAMES if kind == "metric"}))
def test_a_measure_of_another_package(name):
    with pytest.raises(AttributeError, match="; "):
        getattr(metrics, name)


@pytest.mark.parametrize("given, told", [({"dedup": "none"}, "option of the pool"), ({"prob": [[.5, .5]]}, "the column probs"),
                                         ({"n_instances": 3}, "the budget"), ({"random_state": 1}, "called seed"),
                                         ({"costs": [1, 2]}, "called cost"), ({"languages": ["a", "b"]}, "give them to a Pool"),
                                         ({"device_map": "auto"}, "called device"), ({"spread": .5}, "called max_similarity"),
                                         ({"lamda": .5, "strategy": "huds"}, "did you mean lambda")])
def test_arguments_that_belong_elsewhere(given, told):
    with pytest.raises(ValueError, match=told):
        alcore.select(["a b", "c d"], 1, **given)


@pytest.mark.parametrize("name, meant", [("embedings", "embeddings"), ("labelled", "labeled"), ("excluded", "exclude"), ("max_similarty", "max_similarity")])
def test_a_misspelt_argument(name, meant):
    with pytest.raises(alcore.ParamError, match="no argument or parameter '%s'; did you mean %s\\?" % (name, meant)):
        alcore.select(["a b", "c d"], 1, "random", **{name: [0]})


@pytest.mark.parametrize("name", ["n_instances", "num_samples", "query_size", "k", "n"])
def test_a_budget_by_another_name(name):
    with pytest.raises(alcore.ParamError, match="has no budget; .* there is no argument '%s': the budget says how many" % name):
        alcore.select(["a b", "c d"], **{name: 1})


@pytest.mark.parametrize("call, named, told", [
    (metrics.bleu, {"tokenize": "13a"}, "called tokenizer"), (metrics.bleu, {"smooth_method": "exp"}, "called smoothing"),
    (metrics.bleu, {"lowercase": True}, "lower case"), (metrics.chrf, {"char_order": 6}, "character order 6"),
    (metrics.ter, {"normalized": True}, "as you want them compared"), (metrics.ter, {"paired_bs": True}, "baseline and test=\"bootstrap\""),
    (metrics.spans, {"mode": "strict"}, "called scheme"), (metrics.spans, {"average": "micro"}, "name their averages"),
    (metrics.labels, {"y_pred": ["a"]}, "called predicted"), (metrics.answers, {"nothing": 1}, "no argument 'nothing'$")])
def test_arguments_of_other_measures(call, named, told):
    with pytest.raises(TypeError, match=told):
        call(["a"], ["a"], **named)


def test_other_names_have_no_hint():
    with pytest.raises(AttributeError, match="no attribute 'nothing_like_it'$"):
        metrics.nothing_like_it
    with pytest.raises(AttributeError, match="called margin"):
        alcore.BreakingTies
