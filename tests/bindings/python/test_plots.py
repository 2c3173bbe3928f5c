# SPDX-License-Identifier: Apache-2.0
import pytest

import alcore
from alcore import plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_learning_curve():
    axes = plots.learning_curve({"a": [(10, [0.1, 0.3]), (20, [0.5, 0.5])], "b": [(10, 0.2)]})
    assert list(axes.lines[0].get_ydata()) == [0.2, 0.5] and len(axes.lines) == 2


def test_terms(texts):
    picked = alcore.select(texts[:100], 7, "huds")
    axes = plots.terms(picked)
    assert len(axes.collections[0].get_offsets()) == 100 or len(axes.collections[0].get_offsets()) > 80
    assert len(axes.collections[1].get_offsets()) == 7
    assert axes.get_xlabel() == "d"


def test_selection_map(texts):
    with alcore.Pool(texts[:50]) as pool:
        picked = pool.select(4, "huds")
        axes = plots.selection_map(picked, pool.column_rows("embeddings", range(50)))
    assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"]
