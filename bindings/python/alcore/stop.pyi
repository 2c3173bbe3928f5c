# SPDX-License-Identifier: Apache-2.0
from typing import Any, Iterable, Literal, NamedTuple, Optional

class Decision(NamedTuple):
    criterion: str
    stop: bool
    numbers: int
    left_out: int
    window: int
    best_round: int
    best: float
    value: float
    threshold: float
    text: str
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

def plateau(metric: Iterable[float], *, patience: int = 0, least_gain: float = 0.0, lower_is_better: bool = False) -> Decision: ...
def uncertainty(values: Iterable[float], threshold: float, *, statistic: Literal["mean", "max"] = "mean") -> Decision: ...
def agreement(kappas: Iterable[float], *, window: int = 0, threshold: Optional[float] = None) -> Decision: ...
