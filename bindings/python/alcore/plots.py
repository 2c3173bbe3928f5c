# SPDX-License-Identifier: Apache-2.0
"""Plots with matplotlib, an extra: pip install 'alcore[plots]'. Each function returns the matplotlib Axes it drew on."""
from ._arrays import numpy_or_none


def _axes(axes):
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("alcore.plots needs matplotlib: pip install 'alcore[plots]'") from None
    return pyplot.subplots()[1]


def learning_curve(curves, *, axes=None, xlabel="labels", ylabel="metric"):
    """Metric against budget. curves: name -> list of (budget, [metric of each seed]); the band is the standard error."""
    axes = _axes(axes)
    for name, points in curves.items():
        budgets, means, errors = [], [], []
        for budget, values in points:
            values = [values] if isinstance(values, (int, float)) else list(values)
            mean = sum(values) / len(values)
            spread = sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)
            budgets.append(budget)
            means.append(mean)
            errors.append((spread / len(values)) ** 0.5)
        line, = axes.plot(budgets, means, marker="o", label=name)
        axes.fill_between(budgets, [m - e for m, e in zip(means, errors)], [m + e for m, e in zip(means, errors)],
                          color=line.get_color(), alpha=0.2)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend()
    return axes


def terms(selection, x="d", y="u", *, axes=None):
    """One column of a strategy's record against another, over all candidates, picks marked: by default uncertainty (u)
    against diversity (d)."""
    axes = _axes(axes)
    across, up = selection.column(x, "candidates").tolist(), selection.column(y, "candidates").tolist()
    ranks = selection.column("rank", "candidates").tolist()
    chosen = [place for place, rank in enumerate(ranks) if rank >= 0]
    axes.scatter(across, up, s=8, color="0.7", label="candidates")
    axes.scatter([across[place] for place in chosen], [up[place] for place in chosen], s=24, label="picked")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend()
    return axes


def selection_map(selection, vectors, *, axes=None):
    """Rows of the pool on the two main axes of their vectors, float [rows, n], picks numbered by rank. Needs NumPy."""
    numpy = numpy_or_none()
    if numpy is None:
        raise ImportError("selection_map() needs NumPy")
    axes = _axes(axes)
    matrix = numpy.asarray(vectors, dtype="d")
    matrix = matrix - matrix.mean(axis=0)
    places = matrix @ numpy.linalg.svd(matrix, full_matrices=False)[2][:2].T
    axes.scatter(places[:, 0], places[:, 1], s=8, color="0.7")
    for rank, index in enumerate(selection.indices, 1):
        axes.scatter(*places[index], s=24, color="C1")
        axes.annotate(str(rank), places[index])
    return axes
