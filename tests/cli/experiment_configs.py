# SPDX-License-Identifier: Apache-2.0
"""Configurations of experiments: one that runs on the files of test_experiment.py, and what is refused of others."""
WORDS = "the a red blue old new cat dog bird house tree river runs sees likes near under over green small".split()
CONFIG = {
    "schema": "alcore-experiment-1", "name": "cats & dogs",
    "domains": [{"name": "pets", "pool": "pool.tsv", "labeled": "labeled.tsv", "test": {"path": "all.tsv", "records": [3, 22]}}],
    "strategies": ["random", {"name": "long", "strategy": "nnll", "parameters": {"sticky": True, "candidates": 30}}],
    "first": {"strategy": "random", "parameters": {"seed_set": 1}}, "zero": True,
    "seeds": [1, 2, 3], "budgets": [4], "rounds": 3,
    "models": {"logprobs": "trained"}, "train": {"ngram": {"order": 2}}}
DOMAIN = CONFIG["domains"][0]
# Members that are changed, and words of the error. The second list is what no schema can know.
BAD = (
    ({"schema": "alcore-experiment-2"}, "c.conf:1: schema: 'alcore-experiment-1' is needed"),
    ({"schema": None}, "schema is missing"),
    ({"round": 3}, "round: there is no such member; did you mean 'rounds'?"),
    ({"rounds": 0}, "rounds: 1 to 9999 are needed"),
    ({"rounds": "3"}, "rounds: an integer from 0 on is needed"),
    ({"seeds": []}, "seeds: a list that is not empty is needed"),
    ({"seeds": [1, 2.5]}, "seeds[1]: an integer from 0 on is needed"),
    ({"seeds": [1, 1]}, "seeds[1]: 1 stands twice"),
    ({"budgets": ["lots"]}, "budgets[0]: "),
    ({"strategies": [{"strategy": "random", "name": "a/b"}]}, "strategies[0].name: 'a/b' is no name of a folder"),
    ({"strategies": [3]}, "strategies[0]: a name or an object is needed"),
    ({"strategies": [{"name": "a"}]}, "strategies[0].strategy is missing"),
    ({"models": {"logprobs": 3}}, "models.logprobs: \"ngram\", \"trained\" or the folder of a model is needed"),
    ({"options": {"masks": []}}, "options.masks: a string, a number or a flag is needed"),
    ({"train": {}}, "train: one of \"ngram\", \"command\" and \"model\" is needed"),
    ({"train": {"ngram": {}, "command": "a"}}, "train: one of"),
    ({"train": {"ngram": {"order": 9}}}, "train.ngram.order: 1 to 6 are allowed"),
    ({"train": {"ngram": {}, "rate": 1}}, "train.rate: a training by \"ngram\" has no such member"),
    ({"train": {"command": []}}, "train.command: a string or a list of strings is needed"),
    ({"train": {"model": "m", "metric": "good"}}, "train.metric: one of loss|bleu"),
    ({"train": {"model": "m", "rate": 0}}, "train.rate: a number above 0 is needed"),
    ({"evaluate": {"command": [3]}}, "evaluate.command: strings that are not empty are needed"),
    ({"evaluate": {}}, "evaluate.command is missing"),
    ({"mix": {"kinds": "none"}}, "mix.kinds: there is no such member; did you mean 'kind'?"),
    ({"domains": [{"name": "a"}]}, "domains[0].pool is missing"),
    ({"domains": [dict(DOMAIN, pool=3)]}, "domains[0].pool: a path or an object is needed"),
    ({"domains": [dict(DOMAIN, name=".a")]}, "domains[0].name: '.a' is no name of a folder"))
BAD_BEYOND_THE_SCHEMA = (
    ({"budgets": [3, "3"]}, "budgets[1]: '3' stands twice"),
    ({"strategies": ["hubs"]}, "strategies[0]: there is no strategy \"hubs\"; did you mean huds?"),
    ({"strategies": ["random", {"strategy": "huds", "parameters": {"lambda": 2}}]}, "strategies[1]: strategy huds: lambda"),
    ({"strategies": ["random", "random"]}, "strategies[1].name: 'random' stands twice"),
    ({"strategies": [{"strategy": "random", "name": "shared"}]}, "strategies[0].name: 'shared'"),
    ({"baseline": "gold"}, "baseline: there is no strategy 'gold'"),
    ({"zero": None, "first": None}, "models: 'random' wants in round 1 the model that was trained"),
    ({"train": None}, "wants the model that was trained, and there is no \"train\""),
    ({"train": {"command": "run {trian}"}}, "train.command: there is no placeholder {trian}"),
    ({"domains": [dict(DOMAIN, pool={"path": "pool.tsv", "records": [2, 1]})]}, "domains[0].pool.records: the numbers"),
    ({"domains": [DOMAIN, DOMAIN]}, "domains[1].name: 'pets' stands twice"),
    ({"domains": [dict(DOMAIN, pool={"path": "pool.tsv", "records": [1, 61]})]}, "records: there are 60, not 61"),
    ({"domains": [dict(DOMAIN, pool="missing.tsv")]}, "missing.tsv"),
    ({"domains": [dict(DOMAIN, pool={"path": "pool.tsv", "reference_column": "gold"})]}, "gold"))
