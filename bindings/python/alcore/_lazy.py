# SPDX-License-Identifier: Apache-2.0
# mypy: implicit_reexport
"""The module of what signatures are written with. They are texts, so it is only loaded where somebody asks for their types."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _types as types
else:
    class _Types:
        def __getattr__(self, name):
            from . import _types
            return getattr(_types, name)

    types = _Types()
