# SPDX-License-Identifier: Apache-2.0
# axes: a matplotlib Axes, which carries no types in every version.
from os import PathLike
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import Context, Selection

_Points = Sequence[tuple[float, Union[float, Sequence[float]]]]

def learning_curve(curves: Mapping[str, _Points], *, axes: Optional[Any] = None, xlabel: str = "labels",
                   ylabel: str = "metric") -> Any: ...
def terms(selection: Selection, x: str = "d", y: str = "u", *, axes: Optional[Any] = None) -> Any: ...
def selection_map(selection: Selection, vectors: Any, *, axes: Optional[Any] = None) -> Any: ...
def write_curves(path: Union[str, PathLike[str]], series: Iterable[Union[str, bytes]], x: Iterable[float], y: Iterable[float], *,
                 rounds: Optional[Sequence[int]] = None, band: str = "se", title: Optional[str] = None,
                 x_label: Optional[str] = None, y_label: Optional[str] = None, width: int = 0, height: int = 0,
                 context: Optional[Context] = None) -> None: ...
def write_points(path: Union[str, PathLike[str]], series: Iterable[Union[str, bytes]], x: Iterable[float], y: Iterable[float], *,
                 rounds: Optional[Sequence[int]] = None, title: Optional[str] = None, x_label: Optional[str] = None,
                 y_label: Optional[str] = None, width: int = 0, height: int = 0, equal_scales: bool = False,
                 columns: Optional[Mapping[str, Iterable[float]]] = None, context: Optional[Context] = None) -> None: ...
