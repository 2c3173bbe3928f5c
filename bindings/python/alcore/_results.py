# SPDX-License-Identifier: Apache-2.0
# Made by bindings/gen/generate.py from the public headers; do not edit.
"""Results of metrics, which are named tuples with the members of the library's structs."""
from typing import NamedTuple, Optional

from ._table import Row


class _BleuScore(NamedTuple):
    bleu: float  # 0 to 100
    brevity_penalty: float  # 0 to 1
    precisions: tuple[float, ...]  # percent, of the orders 1 to 4, smoothed
    matches: tuple[int, ...]  # n-grams of the hypotheses that references have, clipped
    totals: tuple[int, ...]  # n-grams of the hypotheses
    hypothesis_tokens: int  # tokens of the hypotheses
    reference_tokens: int  # tokens of the reference closest in length, summed
    bootstrap_mean: float  # mean over the bootstrap samples; NaN without them
    bootstrap_low: float  # lower end of the 95 % interval; NaN without samples
    bootstrap_high: float  # upper end of the 95 % interval; NaN without samples
    baseline: float  # the same of the baseline; NaN without one
    p: float  # of the paired test, two-sided; NaN without a baseline
    signature: str  # the settings in sacreBLEU's words
    sentences: Optional[list[float]]  # the score of each hypothesis; None: not wanted


class BleuScore(_BleuScore, Row):
    """BLEU of a corpus and what it was computed from."""

    __slots__ = ()


class _ChrfScore(NamedTuple):
    chrf: float  # 0 to 100
    matches: tuple[int, ...]  # n-grams that both have, clipped
    hypothesis_total: tuple[int, ...]  # n-grams of hypotheses whose reference has one of that order
    reference_total: tuple[int, ...]  # n-grams of the references
    bootstrap_mean: float  # mean over the bootstrap samples; NaN without them
    bootstrap_low: float  # lower end of the 95 % interval; NaN without samples
    bootstrap_high: float  # upper end of the 95 % interval; NaN without samples
    baseline: float  # the same of the baseline; NaN without one
    p: float  # of the paired test, two-sided; NaN without a baseline
    signature: str  # the settings in sacreBLEU's words
    sentences: Optional[list[float]]  # the score of each hypothesis; None: not wanted


class ChrfScore(_ChrfScore, Row):
    """chrF of a corpus and what it was computed from; entries 0 to 5 of the counts are of n-grams of 1 to 6 characters,
    6 and 7 of 1 and 2 words."""

    __slots__ = ()


class _TerScore(NamedTuple):
    ter: float  # percent, 0 or more; smaller is better
    edits: int  # shifts, substitutions, deletions and insertions of words
    reference_words: float  # mean over the references of a hypothesis, summed
    bootstrap_mean: float  # mean over the bootstrap samples; NaN without them
    bootstrap_low: float  # lower end of the 95 % interval; NaN without samples
    bootstrap_high: float  # upper end of the 95 % interval; NaN without samples
    baseline: float  # the same of the baseline; NaN without one
    p: float  # of the paired test, two-sided; NaN without a baseline
    signature: str  # the settings in sacreBLEU's words
    sentences: Optional[list[float]]  # the score of each hypothesis; None: not wanted


class TerScore(_TerScore, Row):
    """TER of a corpus and what it was computed from."""

    __slots__ = ()


class _AnswerScore(NamedTuple):
    exact_match: float  # percent of the questions answered exactly; NaN without questions
    f1: float  # mean F1 of the words, percent; NaN without questions
    exact: int  # questions answered exactly
    questions: int  # questions


class AnswerScore(_AnswerScore, Row):
    """Answers to questions against gold ones."""

    __slots__ = ()


class _WordAccuracyScore(NamedTuple):
    accuracy: float  # percent of total that matched; NaN where total is 0
    matched: int  # reference words that the hypothesis has
    total: int  # reference words aligned to in-domain words of the source
    unlinked: int  # in-domain words of the sources without a link


class WordAccuracyScore(_WordAccuracyScore, Row):
    """How many words of the references that are aligned to in-domain words a translation has."""

    __slots__ = ()


class _LengthRatioScore(NamedTuple):
    ratio: float  # words of hypotheses / words of references; NaN without these
    hypothesis_words: int  # words of all hypotheses
    reference_words: int  # words of all references


class LengthRatioScore(_LengthRatioScore, Row):
    """Lengths of translations."""

    __slots__ = ()


class _LabelScore(NamedTuple):
    accuracy: float  # share of equal labels, 0 to 1; NaN without labels
    macro_f1: float  # mean F1 of the distinct labels, 0 to 1; NaN without labels
    correct: int  # equal labels
    labels: int  # distinct labels of either side
    compared: int  # pairs of labels: lines, or words


class LabelScore(_LabelScore, Row):
    """Labels against gold ones."""

    __slots__ = ()


class _SpanScore(NamedTuple):
    precision: float  # share of the predicted spans that are right; 0 if none is
    recall: float  # share of the gold spans that are found; 0 if none is
    f1: float  # harmonic mean of the two; 0 if no span is right
    gold_spans: int  # spans of the gold tags
    predicted_spans: int  # spans of the predicted tags
    matches: int  # spans of both, equal in line, type, first and last word


class SpanScore(_SpanScore, Row):
    """Spans against gold ones."""

    __slots__ = ()


class _KappaResult(NamedTuple):
    kappa: float  # at most 1; 0: as by chance; NaN without items, or where expected is 1
    observed: float  # share of items with equal classes; NaN without items
    expected: float  # the share that chance gives, from how often each side has each class
    classes: int  # distinct classes of either side
    items: int  # items that were compared


class KappaResult(_KappaResult, Row):
    """Agreement of two predictions."""

    __slots__ = ()


class _MeanResult(NamedTuple):
    mean: float  # NaN without numbers
    standard_deviation: float  # of a sample: n - 1; NaN for fewer than two numbers
    standard_error: float  # the deviation divided by sqrt(n); NaN like it


class MeanResult(_MeanResult, Row):
    """Mean, standard deviation and standard error of numbers."""

    __slots__ = ()


class _PearsonResult(NamedTuple):
    rho: float  # -1 to 1; NaN for fewer than two pairs, or where x or y has no variance
    p: float  # two-sided, Student's t with n - 2 degrees of freedom; 1 for two pairs


class PearsonResult(_PearsonResult, Row):
    """Pearson's correlation."""

    __slots__ = ()


class _WilcoxonResult(NamedTuple):
    pairs: int  # pairs whose difference is not 0
    w_plus: float  # sum of the ranks of positive differences
    w_minus: float  # sum of the ranks of negative differences
    p: float  # two-sided; 1 without pairs
    exact: bool  # 1: p is exact; 0: by the normal distribution


class WilcoxonResult(_WilcoxonResult, Row):
    """Wilcoxon's signed-rank test."""

    __slots__ = ()


class _OverlapScore(NamedTuple):
    coverage: float  # percent of the types of T that are in S; NaN without T
    token_coverage: float  # the same, each type weighted by its occurrences in the test set
    precision: float  # percent of the types of S that are in T; NaN without S, or where a role of the data is not kept
    jaccard: float  # percent of the types of either that are in both; NaN as precision
    test_types: int  # distinct n-grams of T
    test_tokens: int  # occurrences of them in the test set
    data_types: int  # distinct n-grams of S; -1 where a role of the data is not kept
    shared_types: int  # distinct n-grams of both
    shared_tokens: int  # occurrences of them in the test set


class OverlapScore(_OverlapScore, Row):
    """Overlap of the n-grams of one order."""

    __slots__ = ()


class _InDomainScore(NamedTuple):
    type_share: float  # percent of the distinct words that are in-domain; NaN without
    word_share: float  # percent of the words that are in-domain; NaN without words
    in_domain_types: int  # distinct in-domain words (IDWT)
    types: int  # distinct words (WT)
    in_domain_words: int  # occurrences of in-domain words (IDWC)
    words: int  # words (WC)


class InDomainScore(_InDomainScore, Row):
    """In-domain words of the selected data."""

    __slots__ = ()


#: The result of each metric.
RESULTS = {
    "bleu": BleuScore,
    "chrf": ChrfScore,
    "ter": TerScore,
    "answers": AnswerScore,
    "word_accuracy": WordAccuracyScore,
    "length_ratio": LengthRatioScore,
    "labels": LabelScore,
    "spans": SpanScore,
    "kappa": KappaResult,
    "mean": MeanResult,
    "pearson": PearsonResult,
    "wilcoxon": WilcoxonResult,
    "coverage": OverlapScore,
    "in_domain": InDomainScore,
}
