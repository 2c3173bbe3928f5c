# SPDX-License-Identifier: Apache-2.0
"""Plots. write_curves() and write_points() write SVG, or the table of what would be drawn, and need nothing else.

The other functions draw with matplotlib, which the extra "plots" installs: pip install 'alcore[plots]'. Each draws on the
matplotlib Axes given as axes=, or on a new figure, and returns them."""
from __future__ import annotations

import ctypes

from ._calls import run
from ._columns import path_of
from ._handles import default_context, options
from ._lazy import types as t
from ._library import lib
from ._strings import Strings
from .analysis import projection
from .metrics import _numbers


class _Plot:
    """The arguments of one of the functions of alcore/extra/plot.h, and what must live during the call."""

    def __init__(self, path, series, x, y, rounds, context, columns=None, **settings):
        self.context, self.names = context or default_context(), Strings(series, "series")
        self.x, x_address, x_count = _numbers(x)
        self.y, y_address, y_count = _numbers(y)
        self.columns = [_numbers(values) for values in (columns or {}).values()]
        numbers, count = None if rounds is None else list(rounds), self.names.count
        for name, given in (("x", x_count), ("y", y_count), ("rounds", count if numbers is None else len(numbers)),
                            *((name, column[2]) for name, column in zip(columns or {}, self.columns))):
            if given != count:
                raise ValueError("%s: %d were given for %d series" % (name, given, count))
        self.rounds = None if numbers is None else (ctypes.c_int64 * max(count, 1))(*numbers)
        self.options = options("plot", settings)
        if columns:
            self.column_names = Strings(list(columns), "columns")
            self.addresses = (ctypes.c_void_p * len(columns))(*(address for _, address, _ in self.columns))
            self.options.column_names = ctypes.addressof(self.column_names.pointers)
            self.options.columns = ctypes.addressof(self.addresses)
            self.options.column_count = len(columns)
        self.arguments = (self.context._handle, *self.names.arguments[:2],
                          None if numbers is None else ctypes.addressof(self.rounds), x_address, y_address, count,
                          path_of(path), ctypes.byref(self.options))


def write_curves(path: str | t.PathLike[str], series: t.Iterable[str | bytes], x: t.Iterable[float], y: t.Iterable[float], *,
                 rounds: t.Sequence[int] | None = None, band: str = "se", title: str | None = None, x_label: str | None = None,
                 y_label: str | None = None, width: int = 0, height: int = 0, context: t.Context | None = None) -> None:
    """Draws a metric y against a budget x to a file: .svg, or .tsv and .csv for the table.

    series (names of strategies), x and y have an entry for each observation, one run of one seed. Observations of a series
    with the same round, or without rounds the same x, are the seeds of one point: their mean, with a band of the standard
    error ("se"), the standard deviation ("sd") or none ("none")."""
    plot = _Plot(path, series, x, y, rounds, context, band=band, title=title, x_label=x_label,
                 y_label=y_label, width=width, height=height)
    run(lib.alcore_plot_write_curves, *plot.arguments)


def write_points(path: str | t.PathLike[str], series: t.Iterable[str | bytes], x: t.Iterable[float], y: t.Iterable[float], *,
                 rounds: t.Sequence[int] | None = None, title: str | None = None, x_label: str | None = None, y_label: str | None = None,
                 width: int = 0, height: int = 0, equal_scales: bool = False, columns: t.Mapping[str, t.Iterable[float]] | None = None,
                 context: t.Context | None = None) -> None:
    """Draws points to a file: .svg, or .tsv and .csv for the table. A series of round 0 is background, such as candidates or
    a target; others are picks, dark in round 1 and light in the last round. equal_scales=True: one unit is as long on both
    axes, as maps need. columns: further columns of the table, a dict of names and numbers; NaN is an empty cell."""
    plot = _Plot(path, series, x, y, rounds, context, columns, title=title, x_label=x_label, y_label=y_label, width=width, height=height,
                 equal_scales=equal_scales)
    run(lib.alcore_plot_write_points, *plot.arguments)


def _axes(axes):
    """The Axes of the caller, or those of a new figure."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("alcore.plots needs matplotlib: pip install 'alcore[plots]'") from None
    return pyplot.subplots()[1]


def learning_curve(curves: t.Mapping[str, t.Points], *, axes: t.Any | None = None, xlabel: str = "labels", ylabel: str = "metric") -> t.Any:
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


def terms(selection: t.Selection, x: str = "d", y: str = "u", *, axes: t.Any | None = None) -> t.Any:
    """Draws column y of a strategy's record against column x, one point for each candidate, and marks the picks. By default
    these are uncertainty (u) and diversity (d), which HUDS records."""
    axes = _axes(axes)
    # Lists with one entry per candidate, by its position; the rank is -1 where a candidate was not
    # picked.
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


def selection_map(selection: t.Selection, vectors: t.Any, *, axes: t.Any | None = None) -> t.Any:
    """Draws every row of the pool as a point: its vector, a row of vectors (float [rows, dims]), projected on the first two
    principal components (analysis.projection()). Picks are marked with their rank, from 1."""
    axes = _axes(axes)
    points = projection(vectors).points.tolist()
    axes.scatter([point[0] for point in points], [point[1] for point in points], s=8, color="0.7")
    for rank, index in enumerate(selection.indices, 1):
        axes.scatter(*points[index], s=24, color="C1")
        axes.annotate(str(rank), points[index])
    return axes
