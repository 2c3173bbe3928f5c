# SPDX-License-Identifier: Apache-2.0
"""Metrics, by the vectors of the specification."""
import inspect
import json
import math
import re

import pytest

import alcore
from alcore import _ffi, metrics


@pytest.fixture(scope="module")
def analyses(root):
    return json.loads((root / "tests" / "vectors" / "analyses.json").read_text(encoding="utf-8"))["vectors"]


def near(found, expected):
    assert found == pytest.approx([float(value) for value in expected] if isinstance(expected, list) else float(expected),
                                  abs=1e-9, rel=0, nan_ok=True)


def sets_of(references):
    """The vectors have the references of each hypothesis, the library sets of them."""
    return [list(texts) for texts in zip(*references)]


@pytest.mark.parametrize("name", ["TV-BLEU", "TV-BLEU2"])
def test_bleu(analyses, name):
    for case in analyses[name]["cases"]:
        given, expected = case["input"], case["expected"]
        settings = {key: str(given[key]).replace("-", "_") for key in ("tokenizer", "smoothing") if key in given}
        score = metrics.bleu(given["hypotheses"], sets_of(given["references"]), sentences=True,
                             effective_order=given.get("effective_order", False), **settings)
        if "sentence_bleu" in expected:
            near(score.sentences, expected["sentence_bleu"])
            continue
        assert (list(score.matches), list(score.totals)) == (expected["matches"], expected["totals"]), case["name"]
        assert (score.hypothesis_tokens, score.reference_tokens) == (expected["hyp_len"], expected["ref_len"])
        near(list(score.precisions), expected["precisions"])
        near([score.bleu, score.brevity_penalty], [expected["bleu"], expected["bp"]])


def test_chrf_spans_and_labels(analyses):
    seen = 0
    for case in analyses["TV-METRICS"]["cases"]:
        given, expected = case["input"], case["expected"]
        if "chrf" in expected:
            texts = given["hypotheses"], sets_of(given["references"])
            near(metrics.chrf(*texts).chrf, expected["chrf"])
            near(metrics.chrf(*texts, word_order=2).chrf, expected["chrf++"])
            if "chrf whitespace" in expected:
                near(metrics.chrf(*texts, whitespace=True).chrf, expected["chrf whitespace"])
        elif case["name"].startswith("spans"):
            lines = [[" ".join(tags) for tags in given[side]] for side in ("gold", "predicted")]
            score = metrics.spans(*lines, scheme="strict" if given["strict"] else "default")
            near([score.precision, score.recall, score.f1], [expected[name] for name in ("precision", "recall", "f1")])
        elif case["name"] == "labels":
            score = metrics.labels(given["gold"], given["predicted"])
            near([score.accuracy, score.macro_f1], [expected["accuracy"], expected["macro_f1"]])
            assert (score.correct, score.labels) == (2, 3)
        else:
            continue
        seen += 1
    assert seen == 5


def test_statistics(analyses):
    for case in analyses["TV-SE"]["cases"]:
        near(list(metrics.mean(case["input"]["values"])), [case["expected"][name] for name in ("mean", "sd", "se")])
    for case in analyses["TV-WILCOXON"]["cases"]:
        if case["input"].get("exact", True):
            found = metrics.wilcoxon(case["input"]["differences"])
            near([found.pairs, found.w_plus, found.w_minus, found.p],
                 [case["expected"][name] for name in ("pairs", "w_plus", "w_minus", "p")])
            assert found.exact is True
    assert metrics.wilcoxon([3, 5, 9], [1, 1, 1]).w_plus == 6
    found = metrics.pearson([1, 2, 3], (2.0, 4.0, 7.0))
    near(found.rho, 5 / math.sqrt(2 * 38 / 3))
    assert 0 < found.p < 0.1
    assert math.isnan(metrics.mean([]).mean)


def test_interval_signature_and_context():
    score = metrics.bleu(["a b c d e", "x"], ["a b c d e", "y"], resamples=50, seed=3)
    assert score.signature == "nrefs:1|bs:50|seed:3|case:mixed|eff:no|tok:13a|smooth:exp|version:alcore-" + alcore.version()
    assert score.bootstrap_low <= score.bootstrap_mean <= score.bootstrap_high and score.sentences is None
    assert math.isnan(metrics.bleu(["a"], ["a"]).bootstrap_low)
    with alcore.Context(threads=2) as context:
        score = metrics.chrf(["a"], [["a"], ["b"]], word_order=2, context=context)
    assert score.chrf == pytest.approx(100) and score.signature.startswith("nrefs:2|case:mixed|eff:yes|nc:6|nw:2|")
    assert metrics.bleu([], [], sentences=True).sentences == []


def test_what_cannot_be():
    for call, error, said in ((lambda: metrics.bleu(["a", "b"], ["a"]), alcore.ShapeError, ""),
                              (lambda: metrics.bleu(["a"], [["a"], []]), ValueError, r"references\[1\]: 0 texts for 1"),
                              (lambda: metrics.bleu(["a"], ["a"], tokenizer="14a"), ValueError, "13a, intl, char, zh, none"),
                              (lambda: metrics.bleu(["a"], ["a"], smoothing="all"), ValueError, "exp, floor, add_k, none"),
                              (lambda: metrics.bleu("a", ["a"]), TypeError, "not one text"),
                              (lambda: metrics.chrf(["a"], ["a"], word_order=9), ValueError, "word"),
                              (lambda: metrics.labels(["a", "b"], ["a"]), alcore.ShapeError, ""),
                              (lambda: metrics.spans(["O X"], ["O O"]), alcore.DataError, "X"),
                              (lambda: metrics.spans(["O"], ["O"], scheme="loose"), ValueError, "default, strict"),
                              (lambda: metrics.pearson([1, 2], [1]), alcore.ShapeError, ""),
                              (lambda: metrics.wilcoxon([math.nan]), alcore.DataError, ""),
                              (lambda: metrics.mean(["1"]), TypeError, "")):
        with pytest.raises(error, match=said):
            call()


def test_results_have_every_member_of_the_structs(root):
    header = (root / "include" / "alcore" / "metric.h").read_text(encoding="utf-8")
    for name, kind in inspect.getmembers(metrics, lambda member: hasattr(member, "_fields")):
        struct = "alcore_" + re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
        assert "typedef struct " + struct in header
        members = [member for member, *_ in getattr(_ffi, struct)._fields_ if member not in ("size", "reserved")]
        assert [field for field in kind._fields if field not in ("signature", "sentences")] == members
