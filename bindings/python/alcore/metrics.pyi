# SPDX-License-Identifier: Apache-2.0
from os import PathLike
from typing import Iterable, Literal, NamedTuple, Optional, Sequence, Union

from . import Context, InDomainScore as InDomainScore, Links, Overlap as Overlap, OverlapScore as OverlapScore

_Texts = Iterable[Union[str, bytes]]
_References = Union[_Texts, Iterable[_Texts]]
_Stream = Union[_Texts, PathLike[str]]

class BleuScore(NamedTuple):
    bleu: float
    brevity_penalty: float
    precisions: tuple[float, ...]
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    hypothesis_tokens: int
    reference_tokens: int
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    signature: str
    sentences: Optional[list[float]]

class ChrfScore(NamedTuple):
    chrf: float
    matches: tuple[int, ...]
    hypothesis_total: tuple[int, ...]
    reference_total: tuple[int, ...]
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    signature: str
    sentences: Optional[list[float]]

class TerScore(NamedTuple):
    ter: float
    edits: int
    reference_words: float
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    signature: str
    sentences: Optional[list[float]]

class AnswerScore(NamedTuple):
    exact_match: float
    f1: float
    exact: int
    questions: int

class WordAccuracyScore(NamedTuple):
    accuracy: float
    matched: int
    total: int
    unlinked: int

class LengthRatioScore(NamedTuple):
    ratio: float
    hypothesis_words: int
    reference_words: int

class LabelScore(NamedTuple):
    accuracy: float
    macro_f1: float
    correct: int
    labels: int
    compared: int

class SpanScore(NamedTuple):
    precision: float
    recall: float
    f1: float
    gold_spans: int
    predicted_spans: int
    matches: int

class KappaResult(NamedTuple):
    kappa: float
    observed: float
    expected: float
    classes: int

class MeanResult(NamedTuple):
    mean: float
    standard_deviation: float
    standard_error: float

class PearsonResult(NamedTuple):
    rho: float
    p: float

class WilcoxonResult(NamedTuple):
    pairs: int
    w_plus: float
    w_minus: float
    p: float
    exact: bool

def bleu(hypotheses: _Texts, references: _References, *, tokenizer: str = "13a", smoothing: str = "exp",
         smoothing_value: float = 0.0, effective_order: bool = False, resamples: int = 0, seed: int = 0,
         sentences: bool = False, context: Optional[Context] = None) -> BleuScore: ...
def chrf(hypotheses: _Texts, references: _References, *, word_order: int = 0, whitespace: bool = False, resamples: int = 0,
         seed: int = 0, sentences: bool = False, context: Optional[Context] = None) -> ChrfScore: ...
def ter(hypotheses: _Texts, references: _References, *, case_sensitive: bool = False, resamples: int = 0, seed: int = 0,
        sentences: bool = False, context: Optional[Context] = None) -> TerScore: ...
def answers(predicted: _Texts, gold: Union[_Texts, Iterable[_Texts]], *, context: Optional[Context] = None) -> AnswerScore: ...
def overlap(selected: _Stream, test: _Stream, *, outside: _Stream = (), data: Literal["selected", "outside", "both"] = "selected",
            max_order: int = 4, precision: bool = False, context: Optional[Context] = None) -> list[OverlapScore]: ...
def in_domain(selected: _Stream, outside: _Stream, test: _Stream = (), *, definition: Literal["test", "unseen"] = "test",
              context: Optional[Context] = None) -> InDomainScore: ...
def word_accuracy(sources: _Texts, references: _Texts, hypotheses: _Texts, links: Union[Links, Iterable[Iterable[Sequence[int]]], None] = None,
                  *, outside: Optional[_Stream] = None, context: Optional[Context] = None) -> WordAccuracyScore: ...
def length_ratio(hypotheses: _Texts, references: _Texts, *, context: Optional[Context] = None) -> LengthRatioScore: ...
def labels(gold: _Texts, predicted: _Texts, *, words: bool = False, context: Optional[Context] = None) -> LabelScore: ...
def spans(gold: _Texts, predicted: _Texts, *, scheme: str = "default", context: Optional[Context] = None) -> SpanScore: ...
def mean(values: Iterable[float]) -> MeanResult: ...
def kappa(x: Iterable[int], y: Iterable[int], *, context: Optional[Context] = None) -> KappaResult: ...
def pearson(x: Iterable[float], y: Iterable[float]) -> PearsonResult: ...
def wilcoxon(x: Iterable[float], y: Optional[Iterable[float]] = None, *, context: Optional[Context] = None) -> WilcoxonResult: ...
