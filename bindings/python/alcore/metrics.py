# SPDX-License-Identifier: Apache-2.0
"""Metrics of an experiment: translations, labels, spans and answers against gold ones, overlap of n-grams, translated words,
agreement of predictions, means, correlation, significance.

Each function returns a named tuple with the members of the library's struct, which the headers alcore/extra/metric_*.h describe. All
metrics have one shape there: inputs, options, a result. _ffi.METRICS has a row each, made from these headers, and _call() is all of
them."""
from __future__ import annotations

import array
import ctypes
import functools
import inspect
import os

from . import _ffi
from ._align import Links, align
from ._arrays import Tensor, integers
from ._calls import run
from ._columns import path_of
from ._handles import choice, default_context, struct
from ._intake import is_missing, values_of
from ._lazy import types as t
from ._library import lib
from ._numbers import float_list
from ._overlap import Overlap
from ._results import (RESULTS, AnswerScore, BleuScore, ChrfScore, InDomainScore, KappaResult, LabelScore, LengthRatioScore,  # noqa: F401
                       MeanResult, OverlapScore, PearsonResult, SpanScore, TerScore, WilcoxonResult, WordAccuracyScore)
from ._strings import Strings, text_at
from ._table import Table

_TOKENIZERS = ["13A", "INTL", "CHAR", "ZH", "NONE"]


def _lines(values, what, words=True):
    """Lines of labels or tags: an item is a text, a whole number or a list of them, whose white space is written as no-break
    spaces, at which lines are not cut. words: whether a list is of labels of words, so that it may be given."""
    lines = []
    for number, item in enumerate(values_of(values, what)):
        several = not isinstance(item, (str, bytes)) and hasattr(item, "__len__")
        if several and not words:
            raise TypeError("%s[%d]: a label is expected, got a list; words=True compares the labels of words" % (what, number))
        if several:
            item = values_of(item, what)
        if any(type(one) is int and one == -100 for one in (item if several else [item])):
            raise ValueError("%s[%d]: -100 marks what has no label; leave it out of gold and predicted" % (what, number))
        if several:
            parts = Strings(item, "%s[%d]" % (what, number), integers=True)
            item = " ".join("\u00a0".join(text_at(parts.pointers[i], parts.lengths[i]).split()) for i in range(parts.count))
        lines.append(item)
    return Strings(lines, what, integers=True)


def _references(given, hypotheses):
    """(texts set after set, as the library reads them, and the number of sets, 0 where some texts are missing): given is one list
    of texts, or a list of such lists, each as long as the hypotheses. A text that is missing is NULL with a length other than 0."""
    given = values_of(given, "references")
    sets = [given] if not given or is_missing(given[0]) or isinstance(given[0], (str, bytes)) else [
        values_of(texts, "references[%d]" % number) for number, texts in enumerate(given)]
    for number, texts in enumerate(sets):
        if len(sets) > 1 and len(texts) != hypotheses:
            raise ValueError("references[%d]: %d texts for %d hypotheses" % (number, len(texts), hypotheses))
    texts = [text for texts in sets for text in texts]
    strings, missing = Strings(texts, "references", optional=True), [i for i, text in enumerate(texts) if is_missing(text)]
    for i in missing:
        strings.lengths[i] = ctypes.c_size_t(-1).value
    return strings, 0 if missing else len(sets)


class _Paths:
    """Files that the library reads in blocks: files is an alcore_text_files, which lives as long as this object. by: what joins
    their texts, None for the default."""

    def __init__(self, paths, by):
        self.paths = [path_of(path) for path in paths]
        self.pointers = (ctypes.c_char_p * len(self.paths))(*self.paths)
        self.options = struct(_ffi.alcore_read_options, by=choice("ALCORE_JOIN_", "auto" if by is None else by, "by"))
        self.files = struct(_ffi.alcore_text_files, paths=ctypes.addressof(self.pointers), count=len(self.paths),
                            options=ctypes.addressof(self.options))


def _texts(given, what):
    strings = given if isinstance(given, Strings) else Strings(given, what)
    return strings.arguments, strings


def _lists(given, what):
    """Texts, or lists of those of one item: one list after the other, and where each begins."""
    lists = [[one] if isinstance(one, (str, bytes)) or is_missing(one) else values_of(one, "%s[%d]" % (what, number))
             for number, one in enumerate(values_of(given, what))]
    texts = Strings([text for one in lists for text in one], what)
    offsets = array.array("q", [0])
    for one in lists:
        offsets.append(offsets[-1] + len(one))
    return (*texts.arguments, offsets.buffer_info()[0], len(offsets)), (texts, offsets)


def _numbers(values):
    """(array of float64, its address, its length)."""
    numbers = float_list(values, "numbers")
    return numbers, numbers.buffer_info()[0] if numbers else None, len(numbers)


def _number_input(given, what):
    kept, *arguments = _numbers(given)
    return arguments, kept


def _classes(given, what):
    *arguments, kept = integers(given, what)
    return arguments, kept


# The kinds of inputs, each as (the arguments of the library's function, what has to live as long).
_INPUTS = {"texts": _texts, "lists": _lists, "numbers": _number_input, "classes": _classes,
           "links": lambda given, what: ((given._handle,), given)}


def _options(name, settings):
    return struct(getattr(_ffi, "alcore_%s_options" % name), **settings)


def _compute(name, given, context, options, *outputs):
    """The struct that a metric fills for inputs in memory, which are given in the library's order."""
    out = struct(getattr(_ffi, "alcore_%s_result" % name))
    inputs = [_INPUTS[kind](value, what) for (what, kind), value in zip(_ffi.METRICS[name], given)]
    run(getattr(lib, "alcore_metric_compute_" + name), (context or default_context())._handle,
        *[argument for arguments, _ in inputs for argument in arguments], ctypes.byref(options), *outputs, ctypes.byref(out))
    return out


def _read(name, paths, context, options, by, *links, score=None):
    """The same of files, which the library reads in blocks; links: the path of those of a metric that has them. score: called with
    the score of each text."""
    files, out = _Paths(paths, by), struct(getattr(_ffi, "alcore_%s_result" % name))
    if score is not None:
        files.files.score = type(files.files.score)(score)
    run(getattr(lib, "alcore_metric_read_" + name), (context or default_context())._handle, ctypes.byref(files.files), *links,
        ctypes.byref(options), ctypes.byref(out))
    return out


def _result(name, out, **more):
    """The named tuple with the members of a struct; arrays become tuples, and flags are true or false."""
    kind = RESULTS[name]
    members = {member: getattr(out, member) for member in kind._fields if member not in more}
    flags = {member for member, of in _ffi.__dict__["alcore_%s_result" % name]._fields_ if of is ctypes.c_int32}
    return kind(**{member: tuple(value) if isinstance(value, ctypes.Array) else bool(value) if member in flags else value
                   for member, value in members.items()}, **more)


def _call(name, given, by=None, context=None, lines=None, **settings):
    """The result of a metric, whose inputs are given in the library's order: path objects of files, or what is in memory, of which
    lines(value, what) are the texts."""
    options = _options(name, settings)
    if isinstance(given[0], os.PathLike):
        texts = [value for (_, kind), value in zip(_ffi.METRICS[name], given) if kind != "links"]
        return _result(name, _read(name, texts, context, options, by, *map(path_of, given[len(texts):])))
    _no_files(by)
    if lines is not None:
        given = [lines(value, what) for (what, _), value in zip(_ffi.METRICS[name], given)]
    return _result(name, _compute(name, given, context, options))


def _no_files(by):
    """Refuses by= of a call that reads no files: lists are joined by their order."""
    if by is not None:
        raise TypeError("by= says how the texts of files are joined; lists are joined by their order")


def _corpus(name, hypotheses, references, baseline, test, samples, sentences, by, context, **settings):
    """The result of BLEU, chrF or TER, which have references, a baseline and scores of the sentences."""
    if baseline is None and (samples or test != "bootstrap"):
        raise ValueError("test and samples need a baseline")
    paired = struct(_ffi.alcore_paired_options, test=choice("ALCORE_PAIRED_", test, "test"), samples=samples, seed=settings["seed"])
    options, singles = _options(name, settings), [] if sentences else None
    options.paired = None if baseline is None else ctypes.addressof(paired)
    if isinstance(hypotheses, os.PathLike):
        references = [references] if isinstance(references, os.PathLike) else list(references)
        sets, paths = len(references), (hypotheses, *references, *([] if baseline is None else [baseline]))
        out = _read(name, paths, context, options, by, score=sentences and (lambda user, line, score: singles.append(score)) or None)
    else:
        _no_files(by)
        hypotheses = Strings(hypotheses, "hypotheses")
        references, sets = _references(references, hypotheses.count)
        if baseline is not None:
            baseline = Strings(baseline, "baseline")
            paired.baseline, paired.baseline_lengths, paired.baseline_count = baseline.arguments
        singles = array.array("d", bytes(8 * hypotheses.count)) if sentences else None
        tensor = sentences and Tensor(singles.buffer_info()[0], (_ffi.ALCORE_KIND_FLOAT, 64), [hypotheses.count])
        out = _compute(name, (hypotheses, references), context, options, tensor.reference if sentences else None)
    signature = getattr(lib, "alcore_metric_%s_signature" % name)(sets, ctypes.byref(options), ctypes.create_string_buffer(160))
    return _result(name, out, signature=signature.decode(), sentences=None if singles is None else list(singles))


# Arguments of sacreBLEU and seqeval, and what they are called here.
_CALLED = {"tokenize": "tokenizer", "tok": "tokenizer", "smooth": "smoothing", "smooth_method": "smoothing", "smooth_value": "smoothing_value",
           "n_bootstrap": "resamples", "n_samples": "samples", "paired_bs_n": "samples", "paired_ar_n": "samples", "trials": "samples",
           "test_type": "test", "paired": "baseline and test", "paired_bs": 'baseline and test="bootstrap"',
           "paired_ar": 'baseline and test="randomization"', "named_systems": "hypotheses and baseline", "systems": "hypotheses and baseline",
           "hyps": "hypotheses", "refs": "references", "sys_stream": "hypotheses", "ref_streams": "references", "predictions": "hypotheses",
           "y_true": "gold", "y_pred": "predicted", "mode": "scheme", "sentence_level": "sentences"}


def _hinted(function):
    """The function, whose TypeError about an argument of another package says what is here."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def called(*given, **named):
        for name in named.keys() - known.keys():
            here = _CALLED.get(name)
            hint = None if here else lib.alcore_hint(_ffi.ALCORE_HINT_METRIC | _ffi.ALCORE_HINT_OPTION, name.encode())
            raise TypeError("%s() has no argument %r%s" % (function.__name__, name, "; it is called " + here if here else
                                                           "; " + hint.decode() if hint else ""))
        return function(*given, **named)
    return called


@_hinted
def bleu(hypotheses: t.Stream, references: t.References, *, tokenizer: str = "13a", smoothing: str = "exp",
         smoothing_value: float | None = None, effective_order: bool = False, resamples: int = 0, seed: int = 0,
         baseline: t.Stream | None = None, test: t.Literal["bootstrap", "randomization"] = "bootstrap", samples: int = 0,
         sentences: bool = False, by: str | None = None, context: t.Context | None = None) -> BleuScore:
    """BLEU (Papineni et al. 2002) as sacreBLEU defines it.

    references: a list of texts, one for each hypothesis, or a list of such lists, where None is a reference that is missing. Path
    objects in place of lists are files, which are read in blocks, in memory that does not grow with them. tokenizer: "13a", "intl",
    "char", "zh" or "none". by, of files: "id" or "line" joins their texts, by default ids where both have them. smoothing of
    an order of which no n-gram matches: "exp", "floor", "add_k" or "none", with smoothing_value of floor (0.1) and add_k (1). effective_order=True: only orders of which the hypotheses have n-grams count. resamples:
    bootstrap samples for a 95 % interval, drawn by seed. baseline: the hypotheses of another system, with which these are
    compared by a paired test, "bootstrap" or "randomization", of 1,000 or 10,000 samples unless samples says how many.
    sentences=True: the BLEU of each hypothesis too."""
    if smoothing_value is not None and smoothing not in ("floor", "add_k"):
        raise ValueError("smoothing_value: it is of the smoothings floor and add_k, and smoothing is %s" % smoothing)
    return _corpus("bleu", hypotheses, references, baseline, test, samples, sentences, by, context,
                   tokenizer=choice("ALCORE_BLEU_", tokenizer, "tokenizer", _TOKENIZERS),
                   smoothing=choice("ALCORE_BLEU_SMOOTH_", smoothing, "smoothing"), smoothing_value=smoothing_value,
                   effective_order=bool(effective_order), resamples=resamples, seed=seed)


@_hinted
def chrf(hypotheses: t.Stream, references: t.References, *, word_order: int = 0, whitespace: bool = False, resamples: int = 0,
         seed: int = 0, baseline: t.Stream | None = None, test: t.Literal["bootstrap", "randomization"] = "bootstrap", samples: int = 0,
         sentences: bool = False, by: str | None = None, context: t.Context | None = None) -> ChrfScore:
    """chrF (Popovic 2015) as sacreBLEU defines it; word_order=2 is chrF++. whitespace=True: white space counts as characters.
    The other arguments are those of bleu()."""
    return _corpus("chrf", hypotheses, references, baseline, test, samples, sentences, by, context, word_order=word_order,
                   whitespace=bool(whitespace), resamples=resamples, seed=seed)


@_hinted
def ter(hypotheses: t.Stream, references: t.References, *, case_sensitive: bool = False, resamples: int = 0, seed: int = 0,
        baseline: t.Stream | None = None, test: t.Literal["bootstrap", "randomization"] = "bootstrap", samples: int = 0,
        sentences: bool = False, by: str | None = None, context: t.Context | None = None) -> TerScore:
    """TER (Snover et al. 2006) as sacreBLEU defines it, in percent. case_sensitive=True: texts are not lower-cased. The other
    arguments are those of bleu()."""
    return _corpus("ter", hypotheses, references, baseline, test, samples, sentences, by, context,
                   case_sensitive=bool(case_sensitive), resamples=resamples, seed=seed)


@_hinted
def answers(predicted: t.Stream, gold: t.Stream | t.Iterable[t.Strings], *, by: str | None = None,
            context: t.Context | None = None) -> AnswerScore:
    """Exact match and F1 of answers to questions, as SQuAD. gold: an answer for each question, or a list of the answers that are
    right; an empty text where a question has none. Path objects in place of both are files, which are read in blocks: a line of
    predicted has the answer to a question, of gold the right ones with TABs between them."""
    if not isinstance(predicted, os.PathLike):
        predicted, gold = Strings(predicted, "predicted"), values_of(gold, "gold")
        if len(gold) != predicted.count:
            raise ValueError("gold: %d questions for %d predicted answers" % (len(gold), predicted.count))
    return _call("answers", (gold, predicted), by, context)


def overlap(selected: t.Stream, test: t.Stream, *, outside: t.Stream = (), data: t.Literal["selected", "outside", "both"] = "selected",
            max_order: int = 4, precision: bool = False, context: t.Context | None = None) -> Table[OverlapScore]:
    """Overlap of the n-grams of a test set with data: a Table of OverlapScore, entry n - 1 for n-grams of n words.

    selected, test, outside: lists of texts, or path objects of files, which are read in blocks. data: what covers the test set,
    "selected", "outside" or "both". precision=True: precision and jaccard too, for which the n-grams of the data are kept."""
    kept = ["test"]
    if precision:
        kept += ["selected", "outside"] if data == "both" else [data]
    with Overlap(max_order=max_order, kept=kept, context=context) as counts:
        for role, given in sorted((("test", test), ("selected", selected), ("outside", outside)), key=lambda one: one[0] not in kept):
            counts.put(role, given)
        return Table(OverlapScore, [counts.score(order, data) for order in range(1, max_order + 1)])


def in_domain(selected: t.Stream, outside: t.Stream, test: t.Stream = (), *, definition: t.Literal["test", "unseen"] = "test",
              context: t.Context | None = None) -> InDomainScore:
    """In-domain words of the selected texts: words of the test set that the texts outside the domain lack, or with
    definition="unseen" any word that they lack. Each is a list of texts or the path object of a file."""
    with Overlap(max_order=1, kept=["selected"], context=context) as counts:
        for role, given in (("selected", selected), ("test", test), ("outside", outside)):
            counts.put(role, given)
        return counts.in_domain(definition)


def _domain(sources, outside, context):
    """The Overlap that tells the in-domain words of the sources; None without texts outside the domain."""
    if outside is None:
        return None
    domain = Overlap(max_order=1, context=context)
    domain.put("test", sources)
    domain.put("outside", outside)
    return domain


def word_accuracy(sources: t.Stream, references: t.Stream, hypotheses: t.Stream,
                  links: Links | t.Iterable[t.Iterable[t.Sequence[int]]] | t.PathLike[str] | None = None, *,
                  outside: t.Stream | None = None, by: str | None = None, context: t.Context | None = None) -> WordAccuracyScore:
    """Accuracy of the translation of in-domain words: source words that the texts outside the domain (a list, or the path object
    of a file) lack; without them every word. links: Links, or for each sentence a list of (source word, reference word); None:
    those of the built-in aligner, trained on the sources and references. Path objects in place of the three lists are files, which
    are read in blocks; links is the path of a file of links then."""
    if isinstance(sources, os.PathLike):
        if links is None:
            raise ValueError("links: sentences of files need a file of links")
    else:
        sources, references = values_of(sources, "sources"), values_of(references, "references")
        hypotheses = Strings(hypotheses, "hypotheses")
        for count, what in ((len(references), "references"), (hypotheses.count, "hypotheses")):
            if count != len(sources):
                raise ValueError("%s: %d for %d sources" % (what, count, len(sources)))
        if links is None:
            links = align(list(zip(sources, references)), context=context)
        links = links if isinstance(links, Links) else Links(links, context=context)
    domain = _domain(sources, outside, context)
    return _call("word_accuracy", (sources, references, hypotheses, links), by, context, domain=domain and domain._handle)


def length_ratio(hypotheses: t.Stream, references: t.Stream, *, by: str | None = None,
                 context: t.Context | None = None) -> LengthRatioScore:
    """Words of the hypotheses per word of the references. Path objects in place of lists are files, which are read in blocks."""
    return _call("length_ratio", (hypotheses, references), by, context)


@_hinted
def labels(gold: t.Stream, predicted: t.Stream, *, words: bool = False, by: str | None = None,
           context: t.Context | None = None) -> LabelScore:
    """Accuracy and macro F1 of labels, texts or whole numbers; words=True: an item has a label for each word, a list of them or one
    text with spaces between them, as parts of speech are. Path objects in place of lists are files, which are read in blocks."""
    return _call("labels", (gold, predicted), by, context, lines=lambda given, what: _lines(given, what, words), words=bool(words))


@_hinted
def spans(gold: t.Stream, predicted: t.Stream, *, scheme: str = "default", by: str | None = None,
          context: t.Context | None = None) -> SpanScore:
    """Precision, recall and F1 of spans, as seqeval. An item has the tags of a sentence, a list of them or one text with spaces
    between them: O, a mark and a type such as B-PER, or a mark alone. scheme: "default" reads B, I, E and S forgivingly as
    conlleval does; "iob2", "iob1", "ioe2", "iobes" and "bilou" read as seqeval's strict mode. Path objects in place of lists are
    files, which are read in blocks."""
    return _call("spans", (gold, predicted), by, context, lines=_lines, scheme=choice("ALCORE_TAGS_", scheme, "scheme"))


def mean(values: t.Iterable[float]) -> MeanResult:
    """Mean, standard deviation of a sample and standard error of numbers."""
    return _call("mean", (values,))


def kappa(x: t.Iterable[int] | t.PathLike[str], y: t.Iterable[int] | t.PathLike[str], *, by: str | None = None,
          context: t.Context | None = None) -> KappaResult:
    """Cohen's kappa of two predictions of classes, integers, for the same items. Path objects in place of lists are files, which
    are read in blocks and have a class a line, any text."""
    return _call("kappa", (x, y), by, context)


def pearson(x: t.Iterable[float], y: t.Iterable[float]) -> PearsonResult:
    """Pearson's correlation of pairs of numbers."""
    return _call("pearson", (x, y))


def wilcoxon(x: t.Iterable[float], y: t.Iterable[float] | None = None, *, context: t.Context | None = None) -> WilcoxonResult:
    """Wilcoxon's signed-rank test of pairs of numbers; without y, x are the differences."""
    return _call("wilcoxon", (x, () if y is None else y), context=context)


def __getattr__(name):
    """What is not here may be called otherwise than in sacreBLEU or seqeval."""
    found = None if name.startswith("_") else lib.alcore_hint(_ffi.ALCORE_HINT_METRIC, name.encode())
    raise AttributeError("module %r has no attribute %r%s" % (__name__, name, "; " + found.decode() if found else ""))
