# SPDX-License-Identifier: Apache-2.0
from os import PathLike
from typing import Any, Iterable, Literal, NamedTuple, Optional, Sequence, Union

from . import Context, InDomainScore as InDomainScore, Links, Overlap as Overlap, OverlapScore as OverlapScore, Table

_Texts = Iterable[Union[str, bytes]]
_References = Union[_Texts, Iterable[_Texts]]
_Stream = Union[_Texts, PathLike[str]]
_ReferenceStreams = Union[_References, PathLike[str], Iterable[PathLike[str]]]

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
    baseline: float
    p: float
    signature: str
    sentences: Optional[list[float]]
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class ChrfScore(NamedTuple):
    chrf: float
    matches: tuple[int, ...]
    hypothesis_total: tuple[int, ...]
    reference_total: tuple[int, ...]
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    baseline: float
    p: float
    signature: str
    sentences: Optional[list[float]]
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class TerScore(NamedTuple):
    ter: float
    edits: int
    reference_words: float
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    baseline: float
    p: float
    signature: str
    sentences: Optional[list[float]]
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class AnswerScore(NamedTuple):
    exact_match: float
    f1: float
    exact: int
    questions: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class WordAccuracyScore(NamedTuple):
    accuracy: float
    matched: int
    total: int
    unlinked: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class LengthRatioScore(NamedTuple):
    ratio: float
    hypothesis_words: int
    reference_words: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class LabelScore(NamedTuple):
    accuracy: float
    macro_f1: float
    correct: int
    labels: int
    compared: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class SpanScore(NamedTuple):
    precision: float
    recall: float
    f1: float
    gold_spans: int
    predicted_spans: int
    matches: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class KappaResult(NamedTuple):
    kappa: float
    observed: float
    expected: float
    classes: int
    items: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class MeanResult(NamedTuple):
    mean: float
    standard_deviation: float
    standard_error: float
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class PearsonResult(NamedTuple):
    rho: float
    p: float
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class WilcoxonResult(NamedTuple):
    pairs: int
    w_plus: float
    w_minus: float
    p: float
    exact: bool
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

def bleu(hypotheses: _Stream, references: _ReferenceStreams, *, tokenizer: str = "13a", smoothing: str = "exp",
         smoothing_value: float = 0.0, effective_order: bool = False, resamples: int = 0, seed: int = 0,
         baseline: Optional[_Stream] = None, test: Literal["bootstrap", "randomization"] = "bootstrap", samples: int = 0,
         sentences: bool = False, by: Optional[str] = None, context: Optional[Context] = None) -> BleuScore: ...
def chrf(hypotheses: _Stream, references: _ReferenceStreams, *, word_order: int = 0, whitespace: bool = False, resamples: int = 0,
         seed: int = 0, baseline: Optional[_Stream] = None, test: Literal["bootstrap", "randomization"] = "bootstrap",
         samples: int = 0, sentences: bool = False, by: Optional[str] = None, context: Optional[Context] = None) -> ChrfScore: ...
def ter(hypotheses: _Stream, references: _ReferenceStreams, *, case_sensitive: bool = False, resamples: int = 0, seed: int = 0,
        baseline: Optional[_Stream] = None, test: Literal["bootstrap", "randomization"] = "bootstrap", samples: int = 0,
        sentences: bool = False, by: Optional[str] = None, context: Optional[Context] = None) -> TerScore: ...
def answers(predicted: _Stream, gold: Union[_Stream, Iterable[_Texts]], *,
            by: Optional[str] = None, context: Optional[Context] = None) -> AnswerScore: ...
def overlap(selected: _Stream, test: _Stream, *, outside: _Stream = (), data: Literal["selected", "outside", "both"] = "selected",
            max_order: int = 4, precision: bool = False, context: Optional[Context] = None) -> Table[OverlapScore]: ...
def in_domain(selected: _Stream, outside: _Stream, test: _Stream = (), *, definition: Literal["test", "unseen"] = "test",
              context: Optional[Context] = None) -> InDomainScore: ...
def word_accuracy(sources: _Stream, references: _Stream, hypotheses: _Stream,
                  links: Union[Links, Iterable[Iterable[Sequence[int]]], PathLike[str], None] = None,
                  *, outside: Optional[_Stream] = None,
                  by: Optional[str] = None, context: Optional[Context] = None) -> WordAccuracyScore: ...
def length_ratio(hypotheses: _Stream, references: _Stream, *,
                 by: Optional[str] = None, context: Optional[Context] = None) -> LengthRatioScore: ...
def labels(gold: _Stream, predicted: _Stream, *, words: bool = False,
           by: Optional[str] = None, context: Optional[Context] = None) -> LabelScore: ...
def spans(gold: _Stream, predicted: _Stream, *, scheme: str = "default",
          by: Optional[str] = None, context: Optional[Context] = None) -> SpanScore: ...
def mean(values: Iterable[float]) -> MeanResult: ...
def kappa(x: Union[Iterable[int], PathLike[str]], y: Union[Iterable[int], PathLike[str]], *,
          by: Optional[str] = None, context: Optional[Context] = None) -> KappaResult: ...
def pearson(x: Iterable[float], y: Iterable[float]) -> PearsonResult: ...
def wilcoxon(x: Iterable[float], y: Optional[Iterable[float]] = None, *, context: Optional[Context] = None) -> WilcoxonResult: ...
