# SPDX-License-Identifier: Apache-2.0
"""Metrics, by the vectors of the specification."""
import json
import math

import pytest

import alcore
from alcore import _ffi, metrics, stop
from alcore._results import RESULTS


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


def test_paired_tests_and_missing_references(tmp_path):
    hypotheses, baseline, references = ["a b c d", "x y z", "q r"], ["a b", "x z", "q r"], ["a b c d e", "x y z", "q r s"]
    paths = [tmp_path / (name + ".txt") for name in ("hyp", "base", "ref")]
    for path, texts in zip(paths, (hypotheses, baseline, references)):
        path.write_text("".join(text + "\n" for text in texts))
    for metric, name in ((metrics.bleu, "bleu"), (metrics.chrf, "chrf"), (metrics.ter, "ter")):
        for test, count in (("bootstrap", 1000), ("randomization", 10000)):
            score = metric(hypotheses, references, baseline=baseline, test=test)
            assert getattr(score, name) == getattr(metric(hypotheses, references), name)
            assert score.baseline == getattr(metric(baseline, references), name)
            assert (score.p * (count + 1)) == pytest.approx(round(score.p * (count + 1)))
            assert "%s:%d|" % ({"bootstrap": "bs", "randomization": "ar"}[test], count) in score.signature
            assert repr(metric(paths[0], paths[2], baseline=paths[1], test=test)) == repr(score)
        assert metric(hypotheses, references, baseline=hypotheses).p == 1
        assert math.isnan(metric(hypotheses, references).p)
        # A missing reference is as if it were not given; an empty one is a reference without words.
        other = ["a b", None, None]
        varied = metric(hypotheses, [references, other], sentences=True)
        assert varied.signature.startswith("nrefs:var|")
        assert varied.sentences[1:] == metric(hypotheses[1:], references[1:], sentences=True).sentences
        assert varied.sentences[:1] == metric(hypotheses[:1], [references[:1], other[:1]], sentences=True).sentences
    with pytest.raises(alcore.Error, match="line 2 has no reference"):
        metrics.bleu(["a", "b"], [["a", None], ["a", None]])
    with pytest.raises(ValueError, match="test and samples need a baseline"):
        metrics.bleu(["a"], ["a"], samples=5)
    with pytest.raises(ValueError, match="bootstrap, randomization"):
        metrics.bleu(["a"], ["a"], baseline=["a"], test="t")


def test_a_value_of_another_smoothing():
    with pytest.raises(ValueError, match="it is of the smoothings floor and add_k, and smoothing is exp"):
        metrics.bleu(["a"], ["a"], smoothing_value=0.5)
    assert metrics.bleu(["a b c d e"], ["a b x d e"], smoothing="floor", smoothing_value=0.5).bleu > 0


def test_lists_of_tags_and_whole_numbers():
    assert metrics.spans([["B-A", "I-A"], ["O"]], [["B-A", "O"], ["O"]]) == metrics.spans(["B-A I-A", "O"], ["B-A O", "O"])
    assert metrics.spans([["B", "L", "U"]], [["B", "L", "O"]], scheme="bilou").matches == 1
    assert metrics.labels([3, 1], [3, 2]) == metrics.labels(["3", "1"], ["3", "2"])
    with pytest.raises(TypeError, match=r"gold\[0\]: a label is expected, got a list; words=True"):
        metrics.labels([[3, 1], [0]], [[3, 2], [0]])
    for wrong, words in (([[3, -100], [0]], True), ([3, -100], False)):
        with pytest.raises(ValueError, match=r"gold\[[01]\]: -100 marks what has no label"):
            metrics.labels(wrong, wrong, words=words)
    assert metrics.labels([[3, 1], [0]], [[3, 2], [0]], words=True) == metrics.labels(["3 1", "0"], ["3 2", "0"], words=True)
    with pytest.raises(TypeError, match=r"gold\[0\]\[1\]"):
        metrics.spans([["O", 1.5]], [["O", "O"]])


def test_metrics_of_files_are_those_of_their_lines(tmp_path):
    lists = [["a b c d e", "x y"], ["a b c d f", "x y z"], ["b", "y"]]
    paths = [tmp_path / ("%d.txt" % number) for number in range(3)]
    for path, texts in zip(paths, lists):
        path.write_text("".join(text + "\n" for text in texts))
    for metric in (metrics.bleu, metrics.chrf, metrics.ter):
        for sentences in (False, True):
            whole = metric(lists[0], lists[1:], resamples=5, sentences=sentences)
            assert repr(metric(paths[0], paths[1:], resamples=5, sentences=sentences)) == repr(whole)  # NaN equals NaN
        assert repr(metric(paths[0], paths[1], resamples=5)) == repr(metric(lists[0], lists[1], resamples=5))
    paths[1].write_text("a\n")
    with pytest.raises(alcore.DataError, match="0.txt has 2 lines and .*1.txt has 1"):
        metrics.bleu(paths[0], paths[1])


def test_the_other_metrics_of_files_are_those_of_their_lines(tmp_path):
    def files(*lists):
        paths = [tmp_path / ("%d.txt" % number) for number in range(len(lists))]
        for path, texts in zip(paths, lists):
            path.write_text("".join(text + "\n" for text in texts))
        return paths

    tags = [["B-A O B-B", "O O"], ["B-A O O", "I-A O"]]
    for scheme in ("default", "iob2"):
        assert metrics.spans(*files(*tags), scheme=scheme) == metrics.spans(*tags, scheme=scheme)
    for words in (False, True):
        assert metrics.labels(*files(*tags), words=words) == metrics.labels(*tags, words=words)
    assert metrics.kappa(*files(["x", "y", "x"], ["x", "y", "y"])) == metrics.kappa([1, 2, 1], [1, 2, 2])
    gold, predicted = [["a cat", "the dog"], ["", "none"]], ["Dog!", "none at all"]
    paths = files(map("\t".join, gold), predicted)
    assert alcore.answers(paths[1], paths[0]) == alcore.answers(predicted, gold)
    assert alcore.answers(predicted, gold).exact == 1
    lists = [["a b", "c"], ["x y", "z u"], ["x u", "u z"]]
    paths = files(*lists, ["0-0 1-1", "0-1"])
    assert alcore.length_ratio(*paths[:2]) == alcore.length_ratio(*lists[:2])
    links = [[(0, 0), (1, 1)], [(0, 1)]]
    for outside in (None, ["b"]):
        whole = alcore.word_accuracy(*lists, links, outside=outside)
        assert alcore.word_accuracy(*paths, outside=outside) == whole
        assert whole.total == (3 if outside is None else 2)
    with pytest.raises(ValueError, match="need a file of links"):
        alcore.word_accuracy(*paths[:3])
    with pytest.raises(alcore.DataError, match="predicted .*1.txt:1: tag 1 is 'x'"):
        metrics.spans(*files(["O O", "O O"], ["x y", "z u"]))


def test_smoothing_value_of_bleu():
    """Of "a b c d" the reference "a b x y" has 2 of 4 words, 1 of 3 pairs and none of the longer n-grams."""
    for smoothing, value, precisions in (("floor", None, [50, 100 / 3, 5, 10]), ("floor", 0.5, [50, 100 / 3, 25, 50]),
                                         ("add_k", None, [50, 50, 100 / 3, 50]), ("add_k", 0.0, [50, 100 / 3, 0, 0]), ("add_k", 3.0, [50, 200 / 3, 60, 75])):
        score = metrics.bleu(["a b c d"], ["a b x y"], smoothing=smoothing, smoothing_value=value)
        near(list(score.precisions), precisions)
        near(score.bleu, math.exp(sum(map(math.log, precisions)) / 4) if all(precisions) else 0)


def test_the_other_vectors(analyses):
    seen = 0
    for case in analyses["TV-METRICS"]["cases"]:
        given, expected = case["input"], case["expected"]
        if "chrf" in expected:
            texts = given["hypotheses"], sets_of(given["references"])
            near(metrics.chrf(*texts).chrf, expected["chrf"])
            near(metrics.chrf(*texts, word_order=2).chrf, expected["chrf++"])
            near(metrics.ter(*texts).ter, expected["ter"])
            if "chrf whitespace" in expected:
                near(metrics.chrf(*texts, whitespace=True).chrf, expected["chrf whitespace"])
        elif "edits" in expected:
            score = metrics.ter(given["hypotheses"], sets_of(given["references"]), sentences=True)
            assert score.edits == expected["edits"]
            near([score.ter, *score.sentences], [expected["ter"]] * 2)
        elif case["name"].startswith("QA"):
            for gold in (given["gold"], [given["gold"]]):
                score = metrics.answers([given["predicted"]], [gold])
                near([score.exact_match, score.f1], [100 * expected["exact"], 100 * expected["f1"]])
        elif case["name"].startswith("spans"):
            lines = [[" ".join(tags) for tags in given[side]] for side in ("gold", "predicted")]
            score = metrics.spans(*lines, scheme="iob2" if given["strict"] else "default")
            near([score.precision, score.recall, score.f1], [expected[name] for name in ("precision", "recall", "f1")])
        elif case["name"] == "labels":
            score = metrics.labels(given["gold"], given["predicted"])
            near([score.accuracy, score.macro_f1], [expected["accuracy"], expected["macro_f1"]])
            assert (score.correct, score.labels, score.compared) == (2, 3, 4)
            assert metrics.labels([" ".join(given["gold"])], [" ".join(given["predicted"])], words=True) == score
        else:
            raise AssertionError(case["name"])
        seen += 1
    assert seen == 12


def test_overlap(analyses, tmp_path):
    vector = analyses["TV-OVL"]
    shared = vector["input"]
    for case in vector["cases"]:
        given = case["input"]
        found = alcore.overlap(shared["selected"], given.get("test", shared["test"]), outside=shared["outside"], data=given["data"],
                               precision="mode" in given)
        member = {"tokens": "token_coverage"}.get(given.get("unit"), given.get("mode", "coverage"))
        near([getattr(score, member) for score in found], case["expected"]["coverage"])
    path = tmp_path / "selected.txt"
    path.write_text("\n".join(shared["selected"]) + "\n", encoding="utf-8")
    assert alcore.overlap(path, shared["test"])[0].coverage == alcore.overlap(shared["selected"], shared["test"])[0].coverage
    assert math.isnan(alcore.overlap(path, shared["test"])[0].precision)


def test_overlap_of_two_sides(analyses):
    vector = analyses["TV-OVL2"]
    given, expected = vector["input"], vector["cases"][0]["expected"]
    for name, sides, tagged in (("source", ["source"], False), ("target", ["target"], False),
                                ("union", ["source", "target"], False), ("tagged", ["source", "target"], True)):
        with alcore.Overlap(max_order=1, tagged=tagged) as counts:
            for role in ("test", "selected"):
                for side in sides:
                    counts.add(role, given[role + "_" + side], side=side)
            near(counts.score(1).coverage, expected[name])
    with pytest.raises(ValueError, match="selected, outside, test"):
        alcore.Overlap().add("both", ["a"])
    with pytest.raises(alcore.InvalidError, match="come before"):
        counts = alcore.Overlap()
        counts.add("selected", ["a"])
        counts.add("test", ["a"])


def test_in_domain_words(analyses, tmp_path):
    vector = analyses["TV-IDW"]
    given = vector["input"]
    for case in vector["cases"]:
        definition, expected = case["name"].partition("=")[2], case["expected"]
        found = alcore.in_domain(given["selected"], given["outside"], given["test"], definition=definition)
        assert [found.in_domain_types, found.types, found.in_domain_words, found.words] == [
            expected[name] for name in ("idwt", "wt", "idwc", "wc")]
        if "type_share" in expected:
            near([found.type_share, found.word_share], [expected["type_share"], expected["word_share"]])


def test_translated_words(analyses):
    vector = analyses["TV-WACC"]
    given, expected = vector["input"], vector["cases"][0]["expected"]
    pairs = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in given["links"]]
    for links in (alcore.Links(pairs), pairs):
        found = alcore.word_accuracy(iter(given["sources"]), given["references"], given["hypotheses"], links,
                                     outside=["wurden gemeldet und"])
        assert [found.matched, found.total, found.unlinked] == [expected[name] for name in ("matched", "total", "unlinked")]
        near(found.accuracy, expected["accuracy"])
    assert alcore.word_accuracy(given["sources"], given["references"], given["hypotheses"], pairs).total == 7
    sides = [list(given[side]) * 3 for side in ("sources", "references", "hypotheses")]
    made = alcore.align(list(zip(*sides[:2])))
    assert alcore.word_accuracy(*map(iter, sides)) == alcore.word_accuracy(*sides, made)
    assert alcore.word_accuracy(*sides) != alcore.word_accuracy(*sides, [[] for _ in sides[0]])
    near(alcore.length_ratio(given["hypotheses"], given["references"]).ratio, expected["length_ratio"])


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
        assert alcore.ter(["A b"], ["a b"], case_sensitive=True, context=context).ter == pytest.approx(50)
    score_of_ter = alcore.ter(["a b c", "x"], ["a b c", "y"], resamples=40, seed=2)
    assert score_of_ter.signature.startswith("nrefs:1|bs:40|seed:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:alcore-")
    assert score_of_ter.bootstrap_low <= score_of_ter.ter <= score_of_ter.bootstrap_high
    assert alcore.answers(["Dog!", "none"], [["a cat", "the dog"], ""])[:3] == (50, 50, 1)
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
                              (lambda: metrics.answers(["a", "b"], ["a"]), ValueError, "1 questions for 2"),
                              (lambda: metrics.answers(["a"], [[]]), alcore.ShapeError, "question 1 has no gold answer"),
                              (lambda: metrics.overlap(["a"], ["a"], data="all"), ValueError, "selected, outside, both"),
                              (lambda: metrics.overlap(["a"], ["a"], max_order=17), alcore.InvalidError, "max_order"),
                              (lambda: metrics.overlap("a", ["a"]), TypeError, "not one text"),
                              (lambda: metrics.in_domain(["a"], ["a"], definition="all"), ValueError, "test, unseen"),
                              (lambda: metrics.word_accuracy(["a"], [], [], []), ValueError, "references: 0 for 1"),
                              (lambda: metrics.word_accuracy(["a"], ["b"], ["c"], [[(0, 1)]]), alcore.DataError, "line 1: the link 0-1"),
                              (lambda: metrics.word_accuracy(["a"], ["b"], ["c"], []), alcore.ShapeError, "links of 0"),
                              (lambda: metrics.length_ratio(["a"], []), alcore.ShapeError, "line 1 of the hypotheses"),
                              (lambda: metrics.spans(["O X"], ["O O"]), alcore.DataError, "X"),
                              (lambda: metrics.spans(["O"], ["O"], scheme="loose"), ValueError, "default, iob2, iob1"),
                              (lambda: metrics.pearson([1, 2], [1]), alcore.ShapeError, ""),
                              (lambda: metrics.wilcoxon([math.nan]), alcore.DataError, ""),
                              (lambda: metrics.mean(["1"]), TypeError, "")):
        with pytest.raises(error, match=said):
            call()


def test_results_have_every_member_of_the_structs():
    assert set(_ffi.METRICS) == set(RESULTS) - {"coverage", "in_domain"}
    for name, kind in RESULTS.items():
        members = [member for member, *_ in getattr(_ffi, "alcore_%s_result" % name)._fields_ if member not in ("size", "reserved")]
        assert [field for field in kind._fields if field not in ("signature", "sentences")] == members
        assert getattr(metrics, kind.__name__) is kind


def test_overlap_of_one_side_of_a_test_set(tmp_path):
    (tmp_path / "set.xml").write_text('<dataset id="d"><doc id="1"><src lang="en"><p><seg id="1">one</seg></p></src>'
                                      '<ref lang="de" translator="A"><p><seg id="1">eins zwei</seg></p></ref>'
                                      '<ref lang="de" translator="B"><p><seg id="1">drei</seg></p></ref></doc></dataset>')
    with alcore.Overlap(max_order=1) as counts:
        counts.read("test", tmp_path / "set.xml", translator="A")
        assert counts.score(1).test_types == 2


@pytest.fixture(scope="module")
def loop(root):
    return json.loads((root / "tests" / "vectors" / "loop.json").read_text(encoding="utf-8"))["vectors"]


def test_kappa(loop):
    for case in loop["TV-KAPPA"]["cases"]:
        found, expected = metrics.kappa(case["input"]["x"], case["input"]["y"]), case["expected"]
        near(list(found), [expected[key] for key in ("kappa", "observed", "expected", "classes")] + [len(case["input"]["x"])])
    with pytest.raises(alcore.ShapeError, match="x has 2 classes, y has 1"):
        metrics.kappa([1, 2], [1])


def test_stopping_criteria(loop):
    for case in loop["TV-PLATEAU"]["cases"]:
        given, expected = case["input"], case["expected"]
        found = stop.plateau(given["metric"], patience=given["patience"], least_gain=given["least_gain"],
                             lower_is_better=given["lower_is_better"])
        assert (found.criterion, found.stop, found.best_round) == ("plateau", bool(expected["stop"]), expected["best_round"])
        near([found.best, found.value], [expected["best"], expected["value"]])
    for case in loop["TV-LOWU"]["cases"]:
        given, expected = case["input"], case["expected"]
        found = stop.uncertainty([float(value) for value in given["values"]], given["threshold"], statistic=given["statistic"])
        assert (found.stop, found.numbers, found.left_out) == (bool(expected["stop"]), expected["numbers"], expected["left_out"])
        assert found.criterion == given["statistic"] + "_uncertainty"
        near(found.value, expected["value"])
    for case in loop["TV-AGREE"]["cases"]:
        given, expected = case["input"], case["expected"]
        found = stop.agreement([float(value) for value in given["kappas"]], window=given["window"], threshold=given["threshold"])
        assert (found.criterion, found.stop, found.window) == ("agreement", bool(expected["stop"]), given["window"])
        near(found.value, expected["value"])
    assert stop.agreement([1.0, 1.0, 1.0]).text == "stop: mean 1 of the last 3 kappas is at least 0.99"
    with pytest.raises(alcore.DataError, match="round 2"):
        stop.plateau([1.0, math.nan])
    with pytest.raises(ValueError, match="statistic"):
        stop.uncertainty([1.0], 1.0, statistic="median")
