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
                                         ({"device_map": "auto"}, "called device"), ({"spread": .5}, "called max_similarity"),
                                         ({"lamda": .5}, "did you mean lambda")])
def test_arguments_that_belong_elsewhere(given, told):
    with pytest.raises(ValueError, match=told):
        alcore.select(["a b", "c d"], 1, **given)


def test_other_names_have_no_hint():
    with pytest.raises(AttributeError, match="no attribute 'nothing_like_it'$"):
        metrics.nothing_like_it
    with pytest.raises(AttributeError, match="called margin"):
        alcore.BreakingTies
