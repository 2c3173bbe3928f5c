# SPDX-License-Identifier: Apache-2.0
"""Plots with matplotlib, which the extra "plots" installs: pip install 'alcore[plots]'. Each function draws on the matplotlib
Axes given as axes=, or on a new figure, and returns them."""
from ._arrays import numpy_or_none


def _axes(axes):
    """The Axes of the caller, or those of a new figure."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("alcore.plots needs matplotlib: pip install 'alcore[plots]'") from None
    return pyplot.subplots()[1]


def learning_curve(curves, *, axes=None, xlabel="labels", ylabel="metric"):
    """Draws a metric against the budget, one line for each entry of curves: {name: [(budget, values), ...]}. values is the
    metric of one run or a list of it for each seed; the line is their mean, the band the mean plus and minus its standard
    error (0 for one value)."""
    axes = _axes(axes)
    for name, points in curves.items():
        budgets, means, errors = [], [], []
        for budget, values in points:
            values = [values] if isinstance(values, (int, float)) else list(values)
            mean = sum(values) / len(values)
            variance = sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)
            budgets.append(budget)
            means.append(mean)
            errors.append((variance / len(values)) ** 0.5)
        line, = axes.plot(budgets, means, marker="o", label=name)
        axes.fill_between(budgets, [m - e for m, e in zip(means, errors)], [m + e for m, e in zip(means, errors)],
                          color=line.get_color(), alpha=0.2)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend()
    return axes


def terms(selection, x="d", y="u", *, axes=None):
    """Draws column y of a strategy's record against column x, one point for each candidate, and marks the picks. By default
    these are uncertainty (u) and diversity (d), which HUDS records."""
    axes = _axes(axes)
    # Lists with one entry per candidate, by its position; the rank is -1 where a candidate was not picked.
    x_values, y_values = selection.column(x, "candidates").tolist(), selection.column(y, "candidates").tolist()
    ranks = selection.column("rank", "candidates").tolist()
    picked = [position for position, rank in enumerate(ranks) if rank >= 0]
    axes.scatter(x_values, y_values, s=8, color="0.7", label="candidates")
    axes.scatter([x_values[position] for position in picked], [y_values[position] for position in picked], s=24,
                 label="picked")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend()
    return axes


def selection_map(selection, vectors, *, axes=None):
    """Draws every row of the pool as a point: its vector, a row of vectors (float [rows, dims]), projected on the first two
    principal components. Picks are marked with their rank, from 1. Needs NumPy."""
    numpy = numpy_or_none()
    if numpy is None:
        raise ImportError("selection_map() needs NumPy")
    axes = _axes(axes)
    matrix = numpy.asarray(vectors, dtype="d")
    matrix = matrix - matrix.mean(axis=0)
    # The rows of the third factor of the SVD are the principal components, the one of the largest variance first.
    points = matrix @ numpy.linalg.svd(matrix, full_matrices=False)[2][:2].T  # [rows, 2]
    axes.scatter(points[:, 0], points[:, 1], s=8, color="0.7")
    for rank, index in enumerate(selection.indices, 1):
        axes.scatter(*points[index], s=24, color="C1")
        axes.annotate(str(rank), points[index])
    return axes
