# SPDX-License-Identifier: Apache-2.0
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

from . import Context, Pool, Selection, Table, Tabular

_Numbers = Iterable[float]
_Matrix = Any  # a matrix, a Pool, or (Pool, "name")
_Texts = Union[Pool, Iterable[str], Any]  # a pool, texts, a table, or the path of a file
_Rows = Union[Selection, Sequence[int], Sequence[str], Sequence[bool], Any]

class CostResult(NamedTuple):
    usd: float
    usd_per_bleu: float
    usd_per_type: float
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Neighborhood(NamedTuple):
    k: int
    rho: float
    p: float
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Composition(NamedTuple):
    rows: int
    languages: dict[str, int]
    target_language_rows: Optional[int]
    mean_uncertainty: Optional[float]
    median_uncertainty: Optional[float]
    mean_distance: Optional[float]
    targets: Optional[int]
    targets_reached: Optional[int]
    jaccard: Optional[float]
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Duplicates(NamedTuple):
    duplicates: float
    in_train: int
    texts: int
    repeated: int
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Projection(NamedTuple):
    points: Any
    other_points: Any
    components: Any
    rows: int
    eigenvalues: tuple[float, ...]
    shares: tuple[float, ...]

def cost(words: float, *, model: str = "rate", rate: Optional[float] = None, bleu_gain: float = 0.0,
         in_domain_types: float = 0) -> CostResult: ...
def neighborhood(source: _Matrix, target: _Matrix, source_uncertainty: _Numbers, target_uncertainty: _Numbers,
                 k: Optional[Union[int, Sequence[int]]] = None, *, source_mask: Optional[Sequence[Any]] = None,
                 target_mask: Optional[Sequence[Any]] = None, device: Optional[str] = None,
                 context: Optional[Context] = None) -> Table[Neighborhood]: ...
class Languages(dict[str, int], Tabular): ...

def languages(pool: Pool, rows: _Rows) -> Languages: ...
def composition(pool: Pool, rows: _Rows, *, uncertainty: Optional[_Numbers] = None, source: Optional[_Matrix] = None,
                target: Optional[_Matrix] = None, target_pool: Optional[Pool] = None, other: Optional[_Rows] = None,
                neighbors: int = 10, context: Optional[Context] = None) -> Composition: ...
def projection(rows: _Matrix, others: Optional[_Matrix] = None, *, mask: Optional[Sequence[Any]] = None,
               other_mask: Optional[Sequence[Any]] = None, context: Optional[Context] = None) -> Projection: ...
def duplicates(test: _Texts, train: _Texts, *, dedup: str = "exact", context: Optional[Context] = None) -> Duplicates: ...
