# SPDX-License-Identifier: Apache-2.0
# Made by bindings/gen/generate.py from the public headers; do not edit.
from typing import Any, Mapping, Optional, Sequence

from ._pool import Pool
from ._selection import Selection

class ImplicitModelWarning(UserWarning): ...

def select(
    texts: Any,
    budget: Any = "1000w",
    strategy: Any = "huds",
    *,
    ids: Optional[Sequence[str]] = None,
    labeled: Any = None,
    exclude: Any = None,
    eligible: Any = None,
    round: int = 1,
    seed: int = 0,
    model: Any = None,
    scores: Any = None,
    logprobs: Any = None,
    probs: Any = None,
    embeddings: Any = None,
    token_probs: Any = None,
    targets: Any = None,
    cost: Any = None,
    fill: Optional[str] = None,
    params: Optional[Mapping[str, Any]] = None,
    **strategy_params: Any
) -> Selection: ...

def select_from(
    pool: Pool,
    budget: Any = "1000w",
    strategy: Any = "huds",
    *,
    labeled: Any = None,
    exclude: Any = None,
    eligible: Any = None,
    round: int = 1,
    seed: int = 0,
    model: Any = None,
    scores: Any = None,
    logprobs: Any = None,
    probs: Any = None,
    embeddings: Any = None,
    token_probs: Any = None,
    targets: Any = None,
    fill: Optional[str] = None,
    params: Optional[Mapping[str, Any]] = None,
    **strategy_params: Any
) -> Selection: ...
