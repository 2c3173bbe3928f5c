# SPDX-License-Identifier: Apache-2.0
"""Analyses (spec 8)."""
import analyses
import neighbors
import task_metrics
import translation_metrics as tm
from vectors_papers import HUDS_TABLE_2, PHR_TABLE_3

SELECTED, OUTSIDE = ["the patient has severe headache", "fever was reported"], ["it was late today"]
TEST = ["the patient has fever", "fever was reported today", "severe headache"]
HYPS = ["the patient has severe headache", "fever was reported today ."]
REFS = ["the patient has a severe headache", "fever was reported yesterday ."]
LINES = ["Hello, world! It costs 3,000.50 USD (approx.).", "e.g. 5-fold; don't &amp; &quot;x&quot;", "pre-2000 1-2 a.b 3.x x.3",
         "Prof. Müller’s 3,5 % – ½ €5 (中文。)2019."]
PAPER = ("Hospitals or deaths associated with infections have been reported.",
         "Hospitalisation or fatal outcomes associated with infections have been reported.")
ROWS = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-2.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, 0.0]]


def overlap_cases():
    """The overlap of each data set with TEST, for n = 1 to 4, and its options."""
    out = []
    for name, data in (("selected", SELECTED), ("outside", OUTSIDE), ("both", OUTSIDE + SELECTED)):
        out.append({"name": name, "input": {"data": name},
                    "expected": {"coverage": [analyses.overlap(data, TEST, n) for n in range(1, 5)]}})
    for options in ({"unit": "tokens"}, {"mode": "precision"}, {"mode": "jaccard"}):
        out.append({"name": "=".join(*options.items()), "input": {"data": "selected"} | options,
                    "expected": {"coverage": [analyses.overlap(SELECTED, TEST, n, **options) for n in range(1, 5)]}})
    out.append({"name": "no n-gram in the test", "input": {"data": "selected", "test": ["fever"]},
                "expected": {"coverage": [analyses.overlap(SELECTED, ["fever"], n) for n in range(1, 5)]}})
    return out


def pearson_case(name, rows):
    """rows: (name, the four overlaps, BLEU) as a table of the paper prints them."""
    return {"name": name, "input": {"rows": [row[0] for row in rows]},
            "expected": {"rho": [neighbors.pearson([row[1][n] for row in rows], [row[2] for row in rows])[0] for n in range(4)]}}


def wilcoxon_case(name, differences, exact=None):
    """A case of the signed-rank test; exact None: as the number of pairs decides."""
    n, plus, minus, p = analyses.wilcoxon(differences, exact)
    given = {"differences": differences} | ({} if exact is None else {"exact": exact})
    return {"name": name, "input": given, "expected": {"pairs": n, "w_plus": plus, "w_minus": minus, "p": p}}


def bleu_case(name, hyps, refs, **options):
    """A case of corpus BLEU with its statistics."""
    matches, totals, hyp_len, ref_len, score, precisions, bp = tm.corpus_bleu(hyps, refs, **options)
    return {"name": name, "input": {"hypotheses": hyps, "references": refs} | options,
            "expected": {"matches": matches, "totals": totals, "hyp_len": hyp_len, "ref_len": ref_len, "precisions": precisions,
                         "bp": bp, "bleu": score}}


def sentence_case(name, hyps, refs, **options):
    """A case of sentence BLEU, one value per hypothesis."""
    return {"name": name, "input": {"hypotheses": hyps, "references": refs, "effective_order": True} | options,
            "expected": {"sentence_bleu": [tm.sentence_bleu(h, r, **options) for h, r in zip(hyps, refs)]}}


def bootstrap_case(resamples, seed):
    """A case of bootstrap intervals over six segments."""
    hyps = HYPS + ["a b c d e", "the fever was reported", "no headache today .", "severe"]
    refs = [[r] for r in REFS + ["a b c d", "a fever was reported", "no headache since today .", "mild"]]
    mean, low, high = tm.bootstrap_bleu(hyps, refs, resamples, seed)
    return {"name": f"{resamples} samples", "input": {"hypotheses": hyps, "references": refs, "resamples": resamples, "seed": seed},
            "expected": {"mean": mean, "low": low, "high": high}}


def ter_case(h, r):
    """A case of TER with one hypothesis and one reference."""
    return {"name": f"TER edits of {h} / {r}", "input": {"hypotheses": [h], "references": [[r]]},
            "expected": {"edits": tm.ter_edits(tm.split(h.lower()), tm.split(r.lower())), "ter": tm.ter([h], [[r]])}}


def span_case(strict):
    gold = ["B-PER I-PER O B-LOC".split(), "O I-ORG I-ORG B-ORG".split()]
    predicted = ["B-PER I-PER O I-LOC".split(), "O B-ORG I-ORG I-ORG".split()]
    p, r, f1 = task_metrics.span_scores(gold, predicted, strict)
    return {"name": "spans, strict" if strict else "spans", "input": {"gold": gold, "predicted": predicted, "strict": strict},
            "expected": {"precision": p, "recall": r, "f1": f1}}


def qa_case(predicted, gold):
    exact, f1 = task_metrics.answer_scores(predicted, gold)
    return {"name": f"QA {predicted} / {gold}", "input": {"predicted": predicted, "gold": gold}, "expected": {"exact": exact, "f1": f1}}


def vectors():
    """The vectors of analyses.py, translation_metrics.py, task_metrics.py and the correlation of neighbors.py."""
    one = [[r] for r in REFS]
    english, german = ["a b c", "d 1"], ["x y", "z 1"]
    test_en, test_de = ["a b e 1"], ["x q 1"]
    domain, idwt, wt, idwc, wc = analyses.in_domain_words(TEST, OUTSIDE, SELECTED)
    unseen = analyses.in_domain_words(TEST, OUTSIDE, SELECTED, "unseen")
    sources, references = ["schwere Kopfschmerzen wurden gemeldet", "Fieber und Kopfschmerzen"], ["severe headache was reported", "fever and headache"]
    hypotheses, words = ["heavy headache was reported", "fever and pain"], ["schwere", "Kopfschmerzen", "Fieber"]
    links = [[(i, i) for i in range(4)], [(i, i) for i in range(3)]]
    matched, total, unlinked = analyses.word_accuracy(sources, references, hypotheses, links, words)
    mean, sd, se = analyses.mean_sd_se([30.5, 30.9, 30.7])
    flat = {name: [v for domain in ("Medicine", "IT", "Law") for v in HUDS_TABLE_2[domain][name]] for name in ("HUDS", "NSP", "IDDS", "Random")}
    medicine = HUDS_TABLE_2["Medicine"]
    mean_row, values, components, projections, shares = analyses.principal_components(ROWS)
    linear_0, linear_1, power_0, power_1 = analyses.cost_models()
    amounts = [2500, 5000, 10000, 20000, 40000, 80000]
    mixed = [2.0, 0.0, -1.0, 4.0, 2.0, 3.0, -1.0, 1.0]
    several = [["the patient has a severe headache", "patient has severe headache"], ["fever was reported yesterday .", "a fever was reported today"]]
    return {
        "TV-OVL": {
            "spec": "8.1", "about": "Coverage of the n-grams of a test set, n = 1 to 4.", "origin": "reference",
            "input": {"selected": SELECTED, "outside": OUTSIDE, "test": TEST}, "cases": overlap_cases(),
        },
        "TV-OVL2": {
            "spec": "8.1", "about": "Two languages and both combined.", "origin": "reference",
            "input": {"selected_source": english, "selected_target": german, "test_source": test_en, "test_target": test_de},
            "cases": [{"name": "sides", "expected": {
                "source": analyses.overlap(english, test_en, 1), "target": analyses.overlap(german, test_de, 1),
                "union": analyses.overlap_combined((english, german), (test_en, test_de)),
                "tagged": analyses.overlap_combined((english, german), (test_en, test_de), True)}}],
        },
        "TV-PEARSON": {
            "spec": "8.1", "about": "Overlap against BLEU over the rows of PHR Table 3 (papers.json).", "origin": "reference; numpy",
            "cases": [pearson_case("without the in-domain row", PHR_TABLE_3[:-1]), pearson_case("all rows", PHR_TABLE_3)],
        },
        "TV-IDW": {
            "spec": "8.2", "about": "In-domain words, data of TV-OVL.", "origin": "reference",
            "input": {"selected": SELECTED, "outside": OUTSIDE, "test": TEST},
            "cases": [
                {"name": "idw=test", "expected": {"words": domain, "idwt": idwt, "wt": wt, "idwc": idwc, "wc": wc,
                                                  "type_share": 100 * idwt / wt, "word_share": 100 * idwc / wc}},
                {"name": "idw=unseen", "expected": dict(zip(("idwt", "wt", "idwc", "wc"), unseen[1:]))},
            ],
        },
        "TV-WACC": {
            "spec": "8.3", "about": "Word accuracy of in-domain words, and the length ratio (8.4).", "origin": "reference",
            "input": {"sources": sources, "references": references, "hypotheses": hypotheses, "words": words,
                      "links": [" ".join(f"{i}-{j}" for i, j in a) for a in links]},
            "cases": [{"name": "monotone", "expected": {"matched": matched, "total": total, "unlinked": unlinked, "accuracy": 100 * matched / total,
                                                        "length_ratio": analyses.length_ratio(hypotheses, references)}}],
        },
        "TV-SE": {
            "spec": "8.5", "about": "Mean, standard deviation, standard error.", "origin": "reference",
            "cases": [{"name": "three", "input": {"values": [30.5, 30.9, 30.7]}, "expected": {"mean": mean, "sd": sd, "se": se}},
                      {"name": "one", "input": {"values": [30.5]}, "expected": dict(zip(("mean", "sd", "se"), analyses.mean_sd_se([30.5])))}],
        },
        "TV-WILCOXON": {
            "spec": "8.5", "about": "Signed ranks of the means of HUDS Table 2 (papers.json), ties, zeros.", "origin": "reference; scipy.stats.wilcoxon",
            "cases": [wilcoxon_case(f"{a} against {b}", [round(x - y, 9) for x, y in zip(flat[a], flat[b])])
                      for a, b in (("HUDS", "NSP"), ("HUDS", "IDDS"), ("HUDS", "Random"), ("NSP", "IDDS"))]
            + [wilcoxon_case("one data set", [round(x - y, 9) for x, y in zip(medicine["HUDS"], medicine["NSP"])]),
               wilcoxon_case("ties and a zero", mixed), wilcoxon_case("ties and a zero, approximated", mixed, False),
               wilcoxon_case("only zeros", [0.0, 0.0])],
        },
        "TV-BLEU": {
            "spec": "8.6", "about": "Corpus and sentence BLEU with 13a.", "origin": "reference; SacreBLEU; HUDS and PHR as printed",
            "cases": [
                bleu_case("corpus", HYPS, one), sentence_case("sentences", HYPS, one),
                sentence_case("effective order", ["a b"], [["a c"]]), bleu_case("without effective order", ["a b"], [["a c"]]),
                bleu_case("an empty order", ["fever was here"], [["fever is here"]]),
                bleu_case("two references", HYPS, several), bleu_case("an empty hypothesis", [""], [["a b"]]),
                bleu_case("nothing against nothing", [""], [[""]]),
                sentence_case("PHR Table 7", [PAPER[0]], [[PAPER[1]]], tokenizer="none"),
            ],
        },
        "TV-BOOTSTRAP": {
            "spec": "8.5", "about": "95 % intervals of corpus BLEU from samples of the segments.", "origin": "reference",
            "cases": [bootstrap_case(100, 0), bootstrap_case(39, 7)],
        },
        "TV-BLEU2": {
            "spec": "8.6", "about": "Other smoothings, data of TV-BLEU.", "origin": "reference; SacreBLEU",
            "cases": [case for smoothing in ("floor", "add-k", "none")
                      for case in (bleu_case(smoothing, HYPS, one, smoothing=smoothing),
                                   sentence_case(f"{smoothing}, sentences", HYPS, one, smoothing=smoothing))],
        },
        "TV-TOKENIZERS": {
            "spec": "8.6", "about": "The five tokenizers.", "origin": "reference; SacreBLEU", "tolerance": 0,
            "input": {"lines": LINES},
            "cases": [{"name": name, "expected": {"tokens": [" ".join(cut(line)) for line in LINES]}} for name, cut in tm.TOKENIZERS.items()],
        },
        "TV-PCA": {
            "spec": "8.7", "about": "Two principal components.", "origin": "reference", "input": {"rows": ROWS},
            "cases": [{"name": "five rows", "expected": {"mean": mean_row, "eigenvalues": values, "components": components,
                                                         "projections": projections, "explained": shares}}],
        },
        "TV-COST": {
            "spec": "8.8", "about": "Two models of the price of words.", "origin": "reference", "tolerance": 1e-6,
            "input": {"words": amounts},
            "cases": [{"name": "rate", "expected": {"usd": [0.1773 * w for w in amounts]}},
                      {"name": "linear", "expected": {"coefficients": [linear_0, linear_1], "usd": [linear_0 + linear_1 * w for w in amounts]}},
                      {"name": "power", "expected": {"coefficients": [power_0, power_1], "usd": [power_0 * w**power_1 for w in amounts]}}],
        },
        "TV-METRICS": {
            "spec": "8.9", "about": "chrF, TER, spans, labels, answers.", "origin": "reference; SacreBLEU, seqeval",
            "cases": [
                {"name": "corpus", "input": {"hypotheses": HYPS, "references": one},
                 "expected": {"chrf": tm.chrf(HYPS, one), "chrf++": tm.chrf(HYPS, one, 2), "chrf whitespace": tm.chrf(HYPS, one, 0, True),
                              "ter": tm.ter(HYPS, one)}},
                {"name": "two references", "input": {"hypotheses": HYPS, "references": several},
                 "expected": {"chrf": tm.chrf(HYPS, several), "chrf++": tm.chrf(HYPS, several, 2), "ter": tm.ter(HYPS, several)}},
                ter_case("a b c d e f", "d e f a b c"), ter_case("x a b y", "a b x y z"), ter_case("", "a b"), ter_case("a b", ""),
                span_case(False), span_case(True),
                qa_case("The Cat sat.", "cat sat"), qa_case("in the year 1912, April", "April 1912"), qa_case("the", ""),
                {"name": "labels", "input": {"gold": ["e", "n", "c", "e"], "predicted": ["e", "n", "n", "c"]},
                 "expected": {"accuracy": task_metrics.accuracy("ence", "ennc"), "macro_f1": task_metrics.macro_f1(list("ence"), list("ennc"))}},
            ],
        },
    }
