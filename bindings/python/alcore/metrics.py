# SPDX-License-Identifier: Apache-2.0
"""Metrics of an experiment: translations, labels, spans and answers against gold ones, overlap of n-grams, translated words,
agreement of predictions, means, correlation, significance.

Each function returns a named tuple with the members of the library's struct, which include/alcore/metric.h describes."""
import array
import ctypes
import functools
import inspect
import os
from typing import NamedTuple, Optional

from . import _ffi
from ._align import Links, align
from ._arrays import Tensor, integers
from ._calls import check, run
from ._columns import path_of
from ._handles import choice, default_context, struct
from ._intake import is_missing, values_of
from ._library import lib
from ._numbers import float_list
from ._overlap import InDomainScore, Overlap, OverlapScore  # noqa: F401
from ._strings import Strings, text_at
from ._table import Table, tabular

_TOKENIZERS = ["13A", "INTL", "CHAR", "ZH", "NONE"]


@tabular
class BleuScore(NamedTuple):
    """BLEU of a corpus, 0 to 100, and what it was computed from: n-grams of 1 to 4 tokens. The ends of the 95 % interval are NaN
    without resamples, baseline (its BLEU) and p without a baseline; sentences is None unless it was asked for."""

    bleu: float
    brevity_penalty: float
    precisions: tuple
    matches: tuple
    totals: tuple
    hypothesis_tokens: int
    reference_tokens: int
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    baseline: float
    p: float
    signature: str
    sentences: Optional[list]


@tabular
class ChrfScore(NamedTuple):
    """chrF of a corpus, 0 to 100, and what it was computed from: n-grams of 1 to 6 characters, then of 1 and 2 words."""

    chrf: float
    matches: tuple
    hypothesis_total: tuple
    reference_total: tuple
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    baseline: float
    p: float
    signature: str
    sentences: Optional[list]


@tabular
class TerScore(NamedTuple):
    """TER of a corpus in percent, smaller is better: edits over the mean length of the references of each hypothesis, summed."""

    ter: float
    edits: int
    reference_words: float
    bootstrap_mean: float
    bootstrap_low: float
    bootstrap_high: float
    baseline: float
    p: float
    signature: str
    sentences: Optional[list]


@tabular
class AnswerScore(NamedTuple):
    """Percentages of the questions, and how many were answered exactly."""

    exact_match: float
    f1: float
    exact: int
    questions: int


@tabular
class WordAccuracyScore(NamedTuple):
    """Percentage of the reference words aligned to in-domain words that the hypotheses have; unlinked: in-domain words without a
    link."""

    accuracy: float
    matched: int
    total: int
    unlinked: int


@tabular
class LengthRatioScore(NamedTuple):
    """Words of the hypotheses per word of the references."""

    ratio: float
    hypothesis_words: int
    reference_words: int


@tabular
class LabelScore(NamedTuple):
    """Shares from 0 to 1; labels is how many distinct ones there are, compared how many pairs of them."""

    accuracy: float
    macro_f1: float
    correct: int
    labels: int
    compared: int


@tabular
class SpanScore(NamedTuple):
    """Shares from 0 to 1, and numbers of spans."""

    precision: float
    recall: float
    f1: float
    gold_spans: int
    predicted_spans: int
    matches: int


@tabular
class KappaResult(NamedTuple):
    """Cohen's kappa, the share of items with equal classes, the share that chance gives, how many distinct classes and items there are.
    kappa is NaN without items, and where both sides give every item one and the same class."""

    kappa: float
    observed: float
    expected: float
    classes: int
    items: int


@tabular
class MeanResult(NamedTuple):
    """The deviation is that of a sample; it and the error are NaN for fewer than two numbers."""

    mean: float
    standard_deviation: float
    standard_error: float


@tabular
class PearsonResult(NamedTuple):
    """Correlation from -1 to 1 and its two-sided p."""

    rho: float
    p: float


@tabular
class WilcoxonResult(NamedTuple):
    """pairs: those whose difference is not 0. exact: whether p is; else it comes from the normal distribution."""

    pairs: int
    w_plus: float
    w_minus: float
    p: float
    exact: bool


def _result(kind, given, **more):
    """The named tuple with the members of a struct that have its names; arrays become tuples."""
    members = {name: getattr(given, name) for name in kind._fields if name not in more}
    return kind(**{name: tuple(value) if isinstance(value, ctypes.Array) else value for name, value in members.items()}, **more)


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


def _arguments(strings):
    return ctypes.addressof(strings.pointers), ctypes.addressof(strings.lengths), strings.count


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


def _no_files(by):
    """Refuses by= of a call that reads no files: lists are joined by their order."""
    if by is not None:
        raise TypeError("by= says how the texts of files are joined; lists are joined by their order")


def _read(measure, kind, out, context, by, paths, *arguments):
    """The result of a function that reads files, whose path objects are given, in place of texts."""
    files = _Paths(paths, by)
    run(getattr(lib, "alcore_metric_read_" + measure), (context or default_context())._handle, ctypes.byref(files.files), *arguments,
        ctypes.byref(out))
    return _result(kind, out)


class _Files(_Paths):
    """The same as _Corpus of files, which the library reads in blocks."""

    def __init__(self, hypotheses, references, baseline, sentences, context, by):
        references = [references] if isinstance(references, os.PathLike) else list(references)
        super().__init__((hypotheses, *references, *([] if baseline is None else [baseline])), by)
        self.context, self.sets, self.output = context or default_context(), len(references), None
        self.sentences = [] if sentences else None
        if sentences:
            self.files.score = type(self.files.score)(lambda user, line, score: self.sentences.append(score))
        self.arguments = (self.context._handle, None, None, 0, None, None, 0)

    def result(self, kind, out, signature):
        return _result(kind, out, signature=signature.decode(), sentences=self.sentences)


def _corpus(hypotheses, references, baseline, test, samples, sentences, context, by, options):
    """What a metric reads; files and the test of the baseline are named in its options."""
    if baseline is None and (samples or test != "bootstrap"):
        raise ValueError("test and samples need a baseline")
    paired = struct(_ffi.alcore_paired_options, test=choice("ALCORE_PAIRED_", test, "test"), samples=samples, seed=options.seed)
    if isinstance(hypotheses, os.PathLike):
        corpus = _Files(hypotheses, references, baseline, sentences, context, by)
        options.files = ctypes.addressof(corpus.files)
    else:
        _no_files(by)
        corpus = _Corpus(hypotheses, references, sentences, context)
        if baseline is not None:
            corpus.baseline = Strings(baseline, "baseline")
            paired.baseline, paired.baseline_lengths, paired.baseline_count = _arguments(corpus.baseline)
    corpus.paired = paired
    options.paired = None if baseline is None else ctypes.addressof(paired)
    return corpus


class _Corpus:
    """What BLEU, chrF and TER read and fill besides their options: hypotheses, references, and an array for the values of the
    sentences."""

    def __init__(self, hypotheses, references, sentences, context):
        self.context = context or default_context()
        self.hypotheses = Strings(hypotheses, "hypotheses")
        self.references, self.sets = _references(references, self.hypotheses.count)
        self.sentences = array.array("d", bytes(8 * self.hypotheses.count)) if sentences else None
        self.arguments = (self.context._handle, *_arguments(self.hypotheses), *_arguments(self.references))
        self.tensor = None if self.sentences is None else Tensor(
            self.sentences.buffer_info()[0], (_ffi.ALCORE_KIND_FLOAT, 64), [self.hypotheses.count])
        self.output = None if self.tensor is None else self.tensor.reference

    def result(self, kind, out, signature):
        return _result(kind, out, signature=signature.decode(), sentences=None if self.sentences is None else list(self.sentences))


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
def bleu(hypotheses, references, *, tokenizer="13a", smoothing="exp", smoothing_value=0.0, effective_order=False, resamples=0,
         seed=0, baseline=None, test="bootstrap", samples=0, sentences=False, by=None, context=None):
    """BLEU (Papineni et al. 2002) as sacreBLEU defines it.

    references: a list of texts, one for each hypothesis, or a list of such lists, where None is a reference that is missing. Path
    objects in place of lists are files, which are read in blocks, in memory that does not grow with them. tokenizer: "13a", "intl",
    "char", "zh" or "none". by, of files: "id" or "line" joins their texts, by default ids where both have them. smoothing of
    an order of which no n-gram matches: "exp", "floor", "add_k" or "none", with smoothing_value of floor (0: 0.1) and add_k (0: 1). effective_order=True: only orders of which the hypotheses have n-grams count. resamples:
    bootstrap samples for a 95 % interval, drawn by seed. baseline: the hypotheses of another system, with which these are
    compared by a paired test, "bootstrap" or "randomization", of 1,000 or 10,000 samples unless samples says how many.
    sentences=True: the BLEU of each hypothesis too."""
    if smoothing_value and smoothing not in ("floor", "add_k"):
        raise ValueError("smoothing_value: it is of the smoothings floor and add_k, and smoothing is %s" % smoothing)
    options = struct(_ffi.alcore_bleu_options, tokenizer=choice("ALCORE_BLEU_", tokenizer, "tokenizer", _TOKENIZERS),
                     smoothing=choice("ALCORE_BLEU_SMOOTH_", smoothing, "smoothing"), smoothing_value=smoothing_value,
                     effective_order=bool(effective_order), resamples=resamples, seed=seed)
    corpus = _corpus(hypotheses, references, baseline, test, samples, sentences, context, by, options)
    out = struct(_ffi.alcore_bleu_score)
    run(lib.alcore_metric_compute_bleu, *corpus.arguments, ctypes.byref(options), corpus.output, ctypes.byref(out))
    return corpus.result(BleuScore, out, lib.alcore_metric_bleu_signature(corpus.sets, ctypes.byref(options),
                                                                          ctypes.create_string_buffer(160)))


@_hinted
def chrf(hypotheses, references, *, word_order=0, whitespace=False, resamples=0, seed=0, baseline=None, test="bootstrap", samples=0,
         sentences=False, by=None, context=None):
    """chrF (Popovic 2015) as sacreBLEU defines it; word_order=2 is chrF++. whitespace=True: white space counts as characters.
    The other arguments are those of bleu()."""
    options = struct(_ffi.alcore_chrf_options, word_order=word_order, whitespace=bool(whitespace), resamples=resamples, seed=seed)
    corpus = _corpus(hypotheses, references, baseline, test, samples, sentences, context, by, options)
    out = struct(_ffi.alcore_chrf_score)
    run(lib.alcore_metric_compute_chrf, *corpus.arguments, ctypes.byref(options), corpus.output, ctypes.byref(out))
    return corpus.result(ChrfScore, out, lib.alcore_metric_chrf_signature(corpus.sets, ctypes.byref(options),
                                                                          ctypes.create_string_buffer(160)))


@_hinted
def ter(hypotheses, references, *, case_sensitive=False, resamples=0, seed=0, baseline=None, test="bootstrap", samples=0,
         sentences=False, by=None, context=None):
    """TER (Snover et al. 2006) as sacreBLEU defines it, in percent. case_sensitive=True: texts are not lower-cased. The other
    arguments are those of bleu()."""
    options = struct(_ffi.alcore_ter_options, case_sensitive=bool(case_sensitive), resamples=resamples, seed=seed)
    corpus = _corpus(hypotheses, references, baseline, test, samples, sentences, context, by, options)
    out = struct(_ffi.alcore_ter_score)
    run(lib.alcore_metric_compute_ter, *corpus.arguments, ctypes.byref(options), corpus.output, ctypes.byref(out))
    return corpus.result(TerScore, out, lib.alcore_metric_ter_signature(corpus.sets, ctypes.byref(options),
                                                                        ctypes.create_string_buffer(160)))


@_hinted
def answers(predicted, gold, *, by=None, context=None):
    """Exact match and F1 of answers to questions, as SQuAD. gold: an answer for each question, or a list of the answers that are
    right; an empty text where a question has none. Path objects in place of both are files, which are read in blocks: a line of
    predicted has the answer to a question, of gold the right ones with TABs between them."""
    if isinstance(predicted, os.PathLike):
        return _read("answers", AnswerScore, struct(_ffi.alcore_answer_score), context, by, (gold, predicted))
    _no_files(by)
    ctx, predicted, gold = context or default_context(), Strings(predicted, "predicted"), values_of(gold, "gold")
    lists = [[one] if isinstance(one, (str, bytes)) or is_missing(one) else values_of(one, "gold[%d]" % number)
             for number, one in enumerate(gold)]
    if len(lists) != predicted.count:
        raise ValueError("gold: %d questions for %d predicted answers" % (len(lists), predicted.count))
    texts = Strings([text for one in lists for text in one], "gold")
    offsets, total = array.array("q", [0]), 0
    for one in lists:
        total += len(one)
        offsets.append(total)
    out = struct(_ffi.alcore_answer_score)
    run(lib.alcore_metric_compute_answers, ctx._handle, *_arguments(predicted), *_arguments(texts), offsets.buffer_info()[0],
        len(offsets), ctypes.byref(out))
    return _result(AnswerScore, out)


def overlap(selected, test, *, outside=(), data="selected", max_order=4, precision=False, context=None):
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


def in_domain(selected, outside, test=(), *, definition="test", context=None):
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


def word_accuracy(sources, references, hypotheses, links=None, *, outside=None, by=None, context=None):
    """Accuracy of the translation of in-domain words: source words that the texts outside the domain (a list, or the path object
    of a file) lack; without them every word. links: Links, or for each sentence a list of (source word, reference word); None:
    those of the built-in aligner, trained on the sources and references. Path objects in place of the three lists are files, which
    are read in blocks; links is the path of a file of links then."""
    if isinstance(sources, os.PathLike):
        if links is None:
            raise ValueError("links: sentences of files need a file of links")
        domain = _domain(sources, outside, context)
        return _read("word_accuracy", WordAccuracyScore, struct(_ffi.alcore_word_accuracy_score), context, by,
                     (sources, references, hypotheses), path_of(links), domain and domain._handle)
    _no_files(by)
    ctx, sources, references = context or default_context(), values_of(sources, "sources"), values_of(references, "references")
    sides = [Strings(*given) for given in ((sources, "sources"), (references, "references"), (hypotheses, "hypotheses"))]
    for strings, what in zip(sides[1:], ("references", "hypotheses")):
        if strings.count != len(sources):
            raise ValueError("%s: %d for %d sources" % (what, strings.count, len(sources)))
    if links is None:
        links = align(list(zip(sources, references)), context=ctx)
    links = links if isinstance(links, Links) else Links(links, context=ctx)
    domain = _domain(sources, outside, ctx)
    out = struct(_ffi.alcore_word_accuracy_score)
    given = [address for strings in sides for address in _arguments(strings)[:2]]
    run(lib.alcore_metric_compute_word_accuracy, ctx._handle, *given, len(sources), links._handle, domain and domain._handle,
        ctypes.byref(out))
    return _result(WordAccuracyScore, out)


def length_ratio(hypotheses, references, *, by=None, context=None):
    """Words of the hypotheses per word of the references. Path objects in place of lists are files, which are read in blocks."""
    if isinstance(hypotheses, os.PathLike):
        return _read("length_ratio", LengthRatioScore, struct(_ffi.alcore_length_ratio_score), context, by,
                     (hypotheses, references))
    _no_files(by)
    ctx, hypotheses, references = context or default_context(), Strings(hypotheses, "hypotheses"), Strings(references, "references")
    out = struct(_ffi.alcore_length_ratio_score)
    run(lib.alcore_metric_compute_length_ratio, ctx._handle, *_arguments(hypotheses), *_arguments(references), ctypes.byref(out))
    return _result(LengthRatioScore, out)


@_hinted
def labels(gold, predicted, *, words=False, by=None, context=None):
    """Accuracy and macro F1 of labels, texts or whole numbers; words=True: an item has a label for each word, a list of them or one
    text with spaces between them, as parts of speech are. Path objects in place of lists are files, which are read in blocks."""
    if isinstance(gold, os.PathLike):
        return _read("labels", LabelScore, struct(_ffi.alcore_label_score), context, by, (gold, predicted), bool(words))
    _no_files(by)
    ctx = context or default_context()
    gold, predicted = _lines(gold, "gold", words), _lines(predicted, "predicted", words)
    out = struct(_ffi.alcore_label_score)
    run(lib.alcore_metric_compute_labels, ctx._handle, *_arguments(gold), *_arguments(predicted), bool(words), ctypes.byref(out))
    return _result(LabelScore, out)


@_hinted
def spans(gold, predicted, *, scheme="default", by=None, context=None):
    """Precision, recall and F1 of spans, as seqeval. An item has the tags of a sentence, a list of them or one text with spaces
    between them: O, a mark and a type such as B-PER, or a mark alone. scheme: "default" reads B, I, E and S forgivingly as
    conlleval does; "iob2", "iob1", "ioe2", "iobes" and "bilou" read as seqeval's strict mode. Path objects in place of lists are
    files, which are read in blocks."""
    number = choice("ALCORE_TAGS_", scheme, "scheme")
    if isinstance(gold, os.PathLike):
        return _read("spans", SpanScore, struct(_ffi.alcore_span_score), context, by, (gold, predicted), number)
    _no_files(by)
    ctx, gold, predicted = context or default_context(), _lines(gold, "gold"), _lines(predicted, "predicted")
    out = struct(_ffi.alcore_span_score)
    run(lib.alcore_metric_compute_spans, ctx._handle, *_arguments(gold), *_arguments(predicted), number, ctypes.byref(out))
    return _result(SpanScore, out)


def _numbers(values):
    """(array of float64, its address, its length)."""
    numbers = float_list(values, "numbers")
    return numbers, numbers.buffer_info()[0] if numbers else None, len(numbers)


def mean(values):
    """Mean, standard deviation of a sample and standard error of numbers."""
    kept, address, count = _numbers(values)
    out = struct(_ffi.alcore_mean_result)
    check(lib.alcore_metric_compute_mean(address, count, ctypes.byref(out)))
    return _result(MeanResult, out)


def kappa(x, y, *, by=None, context=None):
    """Cohen's kappa of two predictions of classes, integers, for the same items. Path objects in place of lists are files, which
    are read in blocks and have a class a line, any text."""
    if isinstance(x, os.PathLike):
        return _read("kappa", KappaResult, struct(_ffi.alcore_kappa_result), context, by, (x, y))
    _no_files(by)
    ctx = context or default_context()
    (x, x_count, kept_x), (y, y_count, kept_y) = integers(x, "x"), integers(y, "y")
    out = struct(_ffi.alcore_kappa_result)
    run(lib.alcore_metric_compute_kappa, ctx._handle, x, x_count, y, y_count, ctypes.byref(out))
    return _result(KappaResult, out)


def pearson(x, y):
    """Pearson's correlation of pairs of numbers."""
    kept_x, *x = _numbers(x)
    kept_y, *y = _numbers(y)
    out = struct(_ffi.alcore_pearson_result)
    check(lib.alcore_metric_compute_pearson(*x, *y, ctypes.byref(out)))
    return _result(PearsonResult, out)


def wilcoxon(x, y=None, *, context=None):
    """Wilcoxon's signed-rank test of pairs of numbers; without y, x are the differences."""
    ctx = context or default_context()
    kept_x, *x = _numbers(x)
    kept_y, *y = _numbers(() if y is None else y)
    out = struct(_ffi.alcore_wilcoxon_result)
    run(lib.alcore_metric_compute_wilcoxon, ctx._handle, *x, *y, ctypes.byref(out))
    return _result(WilcoxonResult, out, exact=bool(out.exact))


def __getattr__(name):
    """What is not here may be called otherwise than in sacreBLEU or seqeval."""
    found = None if name.startswith("_") else lib.alcore_hint(_ffi.ALCORE_HINT_METRIC, name.encode())
    raise AttributeError("module %r has no attribute %r%s" % (__name__, name, "; " + found.decode() if found else ""))
