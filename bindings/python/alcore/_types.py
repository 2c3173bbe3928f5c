# SPDX-License-Identifier: Apache-2.0
# mypy: implicit_reexport
"""What the signatures of the package are written with.

Array is anything that the package reads in place (NumPy, PyTorch, CuPy, DLPack, Arrow, buffers) or a list of numbers; Frame anything
with the Arrow interface."""
# ruff: noqa: F401
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeAlias, TypeVar, Union

from ._align import Links
from ._columns import ColumnWriter
from ._handles import Context
from ._host_models import Batch
from ._hosts import View
from ._lm import LanguageModel
from ._logits import score_hidden, score_logits
from ._mix import AnswerReport
from ._overlap import InDomainScore, Overlap, OverlapScore
from ._parts import Model, OwnScorer, OwnStrategy, Scorer, Strategy, score
from ._pool import Pool
from ._select import candidates_of, select_from
from ._selection import Price, Selection
from ._served import read_served
from ._table import Table
from ._tokenizer import Tokens
from ._topk import score_topk
from .metrics import (AnswerScore, BleuScore, ChrfScore, KappaResult, LabelScore, LengthRatioScore, MeanResult, PearsonResult, SpanScore,
                      TerScore, WilcoxonResult, WordAccuracyScore)

if sys.version_info >= (3, 11):
    from typing import Self
else:
    from typing_extensions import Self

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from array import array
else:  # array.array takes no type
    array = Sequence

_T = TypeVar("_T", covariant=True)
Array: TypeAlias = Any
Numbers: TypeAlias = Any
Frame: TypeAlias = Any
Matrix: TypeAlias = Any  # a matrix, a Pool, or (Pool, "name")
SearchData: TypeAlias = Union[Pool, tuple[Pool, str], Array]
Path: TypeAlias = Union[str, bytes, PathLike[str], PathLike[bytes]]
Texts: TypeAlias = Union[Iterable[str | None], PathLike[str], Frame]
Strings: TypeAlias = Iterable[str | bytes]
Stream: TypeAlias = Union[Strings, PathLike[str]]
References: TypeAlias = Union[Strings, Iterable[Strings], PathLike[str], Iterable[PathLike[str]]]
Column: TypeAlias = Iterable[Any]  # of texts; ids, groups and labels may be whole numbers
Dataset: TypeAlias = Union[Pool, Texts, Mapping[str, Any]]
Rows: TypeAlias = Union[int, str, Iterable[int], Iterable[str], Selection, Array]
Points: TypeAlias = Sequence[tuple[float, float | Sequence[float]]]
Setting: TypeAlias = Union[str, int, float, bool, Price, Sequence[str | int | float]]
Progress: TypeAlias = Union[Callable[[str, int, int], object], Literal[False], None]
Rule: TypeAlias = Union[str, Strategy, OwnStrategy[..., Any], OwnScorer[..., Any]]
Scope: TypeAlias = Literal["picks", "candidates"]


class Attribute(Protocol[_T]):
    def __get__(self, instance: object, owner: object = None, /) -> _T: ...


class Embeds(Protocol):
    def embed(self, texts: Any, /) -> Array: ...


class SaysTokens(Protocol):
    def token_logprobs(self, texts: Any, /) -> Any: ...


class SaysClasses(Protocol):
    def class_probs(self, texts: Any, /) -> Array: ...


class SaysTokenClasses(Protocol):
    def token_probs(self, texts: Any, /) -> Any: ...


class Computes(Protocol):
    def compute(self, texts: Any, columns: list[str], /) -> Mapping[str, Any]: ...


class Scores(Protocol):
    def score_references(self, texts: Any, /) -> Any: ...


class Translates(Protocol):
    def translate(self, texts: Any, /, **how: Any) -> Iterable[Any]: ...


Own: TypeAlias = Union[Embeds, SaysTokens, SaysClasses, SaysTokenClasses, Computes, Scores, Translates]
AnyModel: TypeAlias = Union[str, PathLike[str], Model, LanguageModel, Own]
Models: TypeAlias = Union[AnyModel, Mapping[str, AnyModel | Callable[[Batch], Any]]]
