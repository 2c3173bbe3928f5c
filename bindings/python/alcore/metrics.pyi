# SPDX-License-Identifier: Apache-2.0
from typing import Iterable, NamedTuple, Optional, Union

from . import Context

_Texts = Iterable[Union[str, bytes]]
_References = Union[_Texts, Iterable[_Texts]]

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

class LabelScore(NamedTuple):
    accuracy: float
    macro_f1: float
    correct: int
    labels: int

class SpanScore(NamedTuple):
    precision: float
    recall: float
    f1: float
    gold_spans: int
    predicted_spans: int
    matches: int

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
def labels(gold: _Texts, predicted: _Texts, *, context: Optional[Context] = None) -> LabelScore: ...
def spans(gold: _Texts, predicted: _Texts, *, scheme: str = "default", context: Optional[Context] = None) -> SpanScore: ...
def mean(values: Iterable[float]) -> MeanResult: ...
def pearson(x: Iterable[float], y: Iterable[float]) -> PearsonResult: ...
def wilcoxon(x: Iterable[float], y: Optional[Iterable[float]] = None, *, context: Optional[Context] = None) -> WilcoxonResult: ...
