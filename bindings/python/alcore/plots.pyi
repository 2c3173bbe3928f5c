# SPDX-License-Identifier: Apache-2.0
# axes: a matplotlib Axes, which carries no types in every version.
from typing import Any, Mapping, Optional, Sequence, Union

from . import Selection

_Points = Sequence[tuple[float, Union[float, Sequence[float]]]]

def learning_curve(curves: Mapping[str, _Points], *, axes: Optional[Any] = None, xlabel: str = "labels",
                   ylabel: str = "metric") -> Any: ...
def terms(selection: Selection, x: str = "d", y: str = "u", *, axes: Optional[Any] = None) -> Any: ...
def selection_map(selection: Selection, vectors: Any, *, axes: Optional[Any] = None) -> Any: ...
