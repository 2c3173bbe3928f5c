# SPDX-License-Identifier: Apache-2.0
"""alcore decides what to label next.

    import alcore
    picked = alcore.select(texts, budget="1000w")
    for index in picked.indices:
        print(texts[index])

This package converts between Python and libalcore and decides nothing itself. docs/python.md has the guide."""
from __future__ import annotations


from . import _ffi, _statuses
from ._align import Aligner, Links, align, symmetrizations
from ._arrays import CopyWarning
from ._columns import Column, ColumnWriter
from ._errors import Error, LibraryNotFoundError
from ._experiment import ExperimentResult, experiment
from ._handles import Context, Handle, default_context
from ._host_models import Batch
from ._hosts import Order, View, ViewRows
from ._job import Job, Picks, fold, job_step, select_shards
from ._lazy import types as t
from ._library import lib as _lib, load
from ._lm import LanguageModel
from ._logits import first_subword_mean, measure_logits, score_hidden, score_logits
from ._overlap import InDomainScore, Overlap, OverlapScore
from ._parts import Model, OwnScorer, OwnStrategy, Scorer, Strategy, recommended_strategy, score, scorer, scorers, strategies, strategy
from ._mix import Annotation, Annotations, AnswerReport, Pair, TrainingSet, mix
from ._phrases import Phrases, phrases
from ._pool import STATES, Pool
from ._project import ImportReport, Project, ProjectAgreement, ProjectStatus
from ._comparison import Compared, Comparison
from ._request import Ablation, Request, request_options
from ._select import ImplicitModelWarning, ablate, compare, select
from ._search import Neighbors, knn, margin_ratios
from ._selection import Price, Selection
from ._served import read_served
from ._statuses import *  # noqa: F403
from ._table import Table, Tabular
from ._tools import Span, ToolAnswer, ToolAnswers, read_tool, tools, write_tool
from ._topk import score_topk
from ._tokenizer import Tokenizer, Tokens
from .metrics import answers, bleu, chrf, in_domain, length_ratio, overlap, ter, word_accuracy

# Pools are needed where these are defined; _pool.py tells their types.
Pool.score, Pool.read_served = score, read_served
Pool.score_hidden, Pool.score_logits, Pool.score_topk = score_hidden, score_logits, score_topk


def version() -> str:
    """Version of the library that runs."""
    return _lib.alcore_version().decode()


def _hint(name):
    """What a name of another package leads to here, behind a semicolon; "" where nothing is known of it."""
    for kind in ("STRATEGY", "METRIC"):
        found = _lib.alcore_hint(getattr(_ffi, "ALCORE_HINT_" + kind), name.encode())
        if found:
            return "; " + found.decode()
    return ""


def __getattr__(name):
    """__version__ is asked of the library when somebody wants it, so that importing the package loads nothing."""
    if name == "__version__":
        return version()
    raise AttributeError("module %r has no attribute %r%s" % (__name__, name, "" if name.startswith("_") else _hint(name)))


def build_info() -> dict[str, t.Any]:
    """Compiler, flags, features and versions of dependencies: a dict."""
    import json
    return json.loads(_lib.alcore_build_info())


__all__ = ["Ablation", "Aligner", "Annotation", "Annotations", "AnswerReport", "Batch", "Column", "ColumnWriter", "Compared",
           "Comparison", "Context", "CopyWarning", "Error", "ExperimentResult", "Handle", "ImplicitModelWarning", "ImportReport", "InDomainScore", "Job", "LanguageModel", "LibraryNotFoundError", "Links", "Model",
           "Neighbors", "Order", "Overlap", "OverlapScore", "OwnScorer", "OwnStrategy", "Pair", "Phrases", "Picks", "Pool", "Price", "Project", "ProjectAgreement", "ProjectStatus", "Request",
           "STATES", "Scorer", "Selection", "Span", "Strategy", "Table", "Tabular", "Tokenizer", "Tokens", "ToolAnswer", "ToolAnswers", "TrainingSet",
           "View", "ViewRows",
           "ablate", "align", "answers", "bleu", "build_info", "chrf", "compare", "default_context", "experiment", "first_subword_mean", "fold", "in_domain", "job_step", "knn",
           "length_ratio", "load", "margin_ratios", "measure_logits", "mix", "overlap", "phrases", "read_tool", "recommended_strategy",
           "request_options", "score", "scorer", "scorers", "select", "select_shards", "strategies", "strategy", "symmetrizations", "ter", "tools", "version",
           "word_accuracy", "write_tool"]
__all__ += _statuses.__all__
