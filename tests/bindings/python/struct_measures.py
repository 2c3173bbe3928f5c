# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the structs of searches, measures and analyses."""
import ctypes
import functools

import alcore
from alcore import _ffi
from struct_world import (CTX, FOLDER, NUMBERS, OTHERS, TEXTS, VECTORS, Owned, Refusal, Tensor, Unread, When, ask, attempts, doubles, file,
                          integers, lib, matrix, result, strings, struct_of, told, walks, written)

# ---- metrics ----

HYPOTHESES = ["the red cat sat on the mat, today", "a Dog ran home", "one two three four five six", "a dog"]
REFERENCES = ["the red cat sits on a mat , today", "a dog ran home again", "one two three four five seven", "a dog"]
OTHER_SYSTEM = ["red cats sit on the mat", "a Dog ran home again", "one two three five six seven", "dog"]
THIRD_SYSTEM = ["the mat", "a home", "one two three", "a dog"]


def paired():
    """Another system, with which the hypotheses are compared."""
    return struct_of(_ffi.alcore_paired_options, {"baseline": strings(OTHER_SYSTEM), "baseline_count": 4})


BLEU = {"tokenizer": [_ffi.ALCORE_BLEU_CHAR, _ffi.ALCORE_BLEU_NONE], "smoothing": _ffi.ALCORE_BLEU_SMOOTH_ADD_K,
        "smoothing_value": When(.5, smoothing=_ffi.ALCORE_BLEU_SMOOTH_FLOOR), "effective_order": 1, "resamples": 50,
        "seed": When(1, resamples=50), "paired": paired}
CHRF = {"word_order": 2, "whitespace": 1, "resamples": 50, "seed": When(1, resamples=50), "paired": paired}
TER = {"case_sensitive": 1, "resamples": 50, "seed": When(1, resamples=50), "paired": paired}


def measured(measure, options, texts=4):
    score, sentences = result(getattr(_ffi, "alcore_%s_result" % measure)), Tensor("d", [texts])
    hypotheses, references = strings(HYPOTHESES[-texts:]), strings(REFERENCES[-texts:])
    ask("alcore_metric_compute_" + measure, CTX, hypotheses, None, texts, references, None, texts, ctypes.byref(options), sentences,
        ctypes.byref(score))
    return told(score), repr(sentences)


@walks("alcore_metric_compute_bleu", **BLEU)
def bleu(options):
    return measured("bleu", options), None if options.paired else measured("bleu", options, 1)


@walks("alcore_metric_compute_chrf", **CHRF)
def chrf(options):
    return measured("chrf", options)


@walks("alcore_metric_compute_ter", **TER)
def ter(options):
    return measured("ter", options)


def signature(measure, options):
    buffer = ctypes.create_string_buffer(1000)
    found = getattr(lib, "alcore_metric_%s_signature" % measure)(1, ctypes.byref(options), ctypes.addressof(buffer))
    if found is None:
        measured(measure, options)  # which says why; a signature alone is NULL
        raise AssertionError("the signature is NULL for options that are measured")
    return found


@walks("alcore_metric_bleu_signature", **BLEU)
def bleu_signature(options):
    return signature("bleu", options)


@walks("alcore_metric_chrf_signature", **CHRF)
def chrf_signature(options):
    return signature("chrf", options)


@walks("alcore_metric_ter_signature", **TER)
def ter_signature(options):
    return signature("ter", options)


def compared(measure, given):
    """What one of BLEU, chrF and TER gives beside another system."""
    return measured(measure, struct_of(getattr(_ffi, "alcore_%s_options" % measure), {"paired": given}))


def paired_signature(measure, given):
    return signature(measure, struct_of(getattr(_ffi, "alcore_%s_options" % measure), {"paired": given}))


# ---- files of texts ----

# The second column has other words, labels and spans than the first, and the sides match elsewhere;
# with escapes a line more is equal.
SIDES = {"gold": "text\tother\nO B-A\tB-A O O\nO O\tO O O\nB-A\\\\ O\tO\n",
         "found": "text\tother\nO O\tB-B O O\nO O\tB-A O O\nB-A\\ O\tI-A\n",
         "said": "text\tother\na\\tb\tO\nc\tO O\nd\tO\n", "heard": "text\tother\na b c\tO\nc\tO\nd\tO\n",
         "tags": "text\tother\nI-C O\tO\nI-C O\tO\nI-C O\tO\n", "longer": "text\tother\na b c\tO\nd e\tO\nf g\tO\n"}
SCORED = []
keep_score = dict(_ffi.alcore_text_files._fields_)["score"](lambda user, line, score: SCORED.append((user, line, score)))
OTHER_COLUMN = struct_of(_ffi.alcore_read_options, {"text_column": b"other"})


def sides(*names, suffix=".tsv", end=""):
    return strings([file(name + suffix, SIDES[name] + end) for name in names])


def corpus_of_files(measure, given, lines=3):
    """What one of BLEU, chrF and TER gives for files."""
    del SCORED[:]
    score = result(getattr(_ffi, "alcore_%s_result" % measure))
    ask("alcore_metric_read_" + measure, CTX, ctypes.byref(given), None, ctypes.byref(score))
    return told(score), list(SCORED)


def corpus_with_options(measure, options, lines=slice(None)):
    """What one of them gives for files of these hypotheses, of their references and, with a baseline, of another system."""
    texts = {"hypotheses": HYPOTHESES, "references": REFERENCES, **({"others": OTHER_SYSTEM} if options.paired else {})}
    paths = strings([file("%s%d.txt" % (name, lines.start or 0), "\n".join(given[lines]) + "\n") for name, given in texts.items()])
    score = result(getattr(_ffi, "alcore_%s_result" % measure))
    ask("alcore_metric_read_" + measure, CTX, ctypes.byref(struct_of(_ffi.alcore_text_files, {"paths": paths, "count": len(texts)})),
        ctypes.byref(options), ctypes.byref(score))
    few = () if lines.start or options.paired else (slice(1, 2), slice(3, 4))
    return told(score), [corpus_with_options(measure, options, each) for each in few]


def compared_files(measure, given):
    """The same with these options of the test."""
    return corpus_with_options(measure, struct_of(getattr(_ffi, "alcore_%s_options" % measure), {"paired": given}))


def score_of_files(measure, name, given, lines=3):
    """What one of the functions that read files of so many lines gives."""
    score, links = result(name), [file("links.txt", "0-0\n" * lines)] if measure == "word_accuracy" else []
    ask("alcore_metric_read_" + measure, CTX, ctypes.byref(given), *links, None, ctypes.byref(score))
    return told(score)


ONE_COLUMN = "text_column names the column of every file"


def reading(call, count, first="gold", second="found"):
    """The fixture of the options by which the files of a function are read: tables, what is read as texts by default, of which the
    names of the columns are one more, and tables with a line of too few fields."""
    def read(options):
        def one(kind):
            suffix, end = kind
            given = struct_of(_ffi.alcore_text_files, {"paths": sides(first, second, first, suffix=suffix, end=end), "count": count,
                                                       "options": options})
            more = suffix == "" and options.format != _ffi.ALCORE_FORMAT_TSV or bool(end)
            return call(given, 3 + more)
        return attempts(one, (".tsv", ""), ("", ""), ("-bad.tsv", "too few\n"))
    return read


READING = {"side": b"src", "translator": b"A", "system": b"S", "domain": b"news", "format": _ffi.ALCORE_FORMAT_TSV, "bad_lines": _ffi.ALCORE_BAD_LINES_MASK, "text_column": b"other",
           "reference_column": Refusal(b"gold", ONE_COLUMN), "references": Refusal(b"file", ONE_COLUMN),
           "language": Refusal(b"de", ONE_COLUMN), "escapes": _ffi.ALCORE_ESCAPES_ON, "by": _ffi.ALCORE_JOIN_ID}


for name in ("bleu", "chrf", "ter"):
    base = {"baseline": strings(OTHER_SYSTEM), "baseline_count": 4}
    walks("alcore_metric_compute_" + name, "options.paired", base=base, baseline=strings(THIRD_SYSTEM),
          baseline_lengths=integers([3, 5, 3, 3]), baseline_count=Refusal(3, "4 hypotheses, 3 of the baseline"),
          test=_ffi.ALCORE_PAIRED_RANDOMIZATION, samples=77, seed=5)(functools.partial(compared, name))
    unread = Unread("metric_translation", "the hypotheses of the baseline", strings(THIRD_SYSTEM))
    walks("alcore_metric_%s_signature" % name, "options.paired", base=base, baseline=unread,
          baseline_lengths=Unread("metric_translation", "the hypotheses of the baseline", integers([3, 5, 3, 3])),
          baseline_count=Unread("metric_translation", "the hypotheses of the baseline", 3),
          test=_ffi.ALCORE_PAIRED_RANDOMIZATION, samples=77, seed=5)(functools.partial(paired_signature, name))
    call = functools.partial(corpus_of_files, name)
    walks("alcore_metric_read_" + name, "files", base={"paths": sides("gold", "found", "gold"), "count": 2},
          paths=lambda: sides("found", "found", "found"), count=3, options=OTHER_COLUMN, score=keep_score,
          score_user=When(7, score=keep_score))(call)
    walks("alcore_metric_read_" + name, "files.options", **READING)(reading(call, 2))
for name, kind, count in (("labels", _ffi.alcore_labels_result, 2), ("spans", _ffi.alcore_spans_result, 2),
                          ("answers", _ffi.alcore_answers_result, 2), ("kappa", _ffi.alcore_kappa_result, 2),
                          ("length_ratio", _ffi.alcore_length_ratio_result, 2), ("word_accuracy", _ffi.alcore_word_accuracy_result, 3)):
    call = functools.partial(score_of_files, name, kind)
    walks("alcore_metric_read_" + name, "files", base={"paths": sides("gold", "found", "gold"), "count": count},
          paths=lambda name=name: sides("found", "longer" if name == "length_ratio" else "tags", "found"), options=OTHER_COLUMN,
          count=Refusal(count + 1, "files; %d are needed" % count),
          score=Refusal(keep_score, "only BLEU, chrF and TER"),
          score_user=Unread("metric_common", "first argument of score", 7))(call)
    # Words of answers and numbers of words are the same with a backslash more.
    words = ("said", "heard") if name in ("answers", "length_ratio") else ()
    walks("alcore_metric_read_" + name, "files.options", **READING)(reading(call, count, *words))


OF_FILES = struct_of(_ffi.alcore_paired_options, {})
TEXTS_OF_FILE = "with files the last one is the baseline's"
for name, members in (("bleu", BLEU), ("chrf", CHRF), ("ter", TER)):
    walks("alcore_metric_read_" + name, **{**members, "paired": OF_FILES})(functools.partial(corpus_with_options, name))
    walks("alcore_metric_read_" + name, "options.paired", baseline=Refusal(strings(THIRD_SYSTEM), TEXTS_OF_FILE),
          baseline_lengths=Refusal(integers([3, 5, 3, 3]), TEXTS_OF_FILE),
          baseline_count=Refusal(4, TEXTS_OF_FILE), test=_ffi.ALCORE_PAIRED_RANDOMIZATION, samples=77,
          seed=5)(functools.partial(compared_files, name))


def in_memory(measure, *inputs, by="metric"):
    """A fixture of the options of a measure: what it gives for these inputs."""
    def measured_with(options):
        found = result(getattr(_ffi, "alcore_%s_result" % measure))
        ask("alcore_%s_compute_%s" % (by, measure), CTX, *inputs, ctypes.byref(options), ctypes.byref(found))
        return told(found)
    return measured_with


def of_files(measure, *names, links=()):
    """The same of files, of which a measure that has links has one more."""
    def measured_with(options):
        files, found = struct_of(_ffi.alcore_text_files, {"paths": sides(*names), "count": len(names)}), result(
            getattr(_ffi, "alcore_%s_result" % measure))
        ask("alcore_metric_read_" + measure, CTX, ctypes.byref(files), *links, ctypes.byref(options), ctypes.byref(found))
        return told(found)
    return measured_with


def domain():
    """In-domain words of the sources of word_accuracy(): an overlap that has the first word of them outside the domain."""
    made = Owned("overlap", "alcore_overlap_new", CTX, None)
    for role, texts in ((_ffi.ALCORE_OVERLAP_TEST, ["O B-A", "O O"]), (_ffi.ALCORE_OVERLAP_OUTSIDE, ["O"])):
        ask("alcore_overlap_add", made, role, _ffi.ALCORE_SIDE_SOURCE, strings(texts), None, len(texts))
    return made


def links():
    """Links of two pairs, word by word."""
    offsets, pairs = Tensor("q", [3], [0, 2, 4]), Tensor("i", [4, 2], [0, 0, 1, 1, 0, 0, 1, 1])
    return Owned("links", "alcore_links_new", CTX, offsets, pairs)


ONE, OTHER = (strings(["O B-A", "O O"]), None, 2), (strings(["O I-A", "I-A O"]), None, 2)
SETTINGS = {"labels": {"words": 1}, "spans": {"scheme": [_ffi.ALCORE_TAGS_IOB2, _ffi.ALCORE_TAGS_IOB1]}, "word_accuracy": {"domain": domain}}
for name, inputs in (("labels", (*ONE, *OTHER)), ("spans", (*ONE, *OTHER)), ("answers", (*ONE, None, 0, *OTHER)),
                     ("length_ratio", (*ONE, *OTHER)), ("word_accuracy", (*ONE, *ONE, *OTHER, links())),
                     ("mean", (doubles([1, 2, 4]), 3)), ("pearson", (doubles([1, 2, 4]), 3, doubles([1, 3, 2]), 3)),
                     ("wilcoxon", (doubles([1, 2, -4]), 3, None, 0)), ("kappa", (integers([1, 2, 1]), 3, integers([1, 2, 2]), 3))):
    walks("alcore_metric_compute_" + name, **SETTINGS.get(name, {}))(in_memory(name, *inputs))
    if "alcore_metric_read_" + name in _ffi.FUNCTIONS:
        more = {"word_accuracy": ("gold", "gold", "found"), "spans": ("tags", "found")}.get(name, ("gold", "found"))
        walks("alcore_metric_read_" + name, **SETTINGS.get(name, {}))(
            of_files(name, *more, links=[file("links.txt", "0-0 1-1\n0-0 1-1\n0-0\n")] if len(more) > 2 else ()))


@walks("alcore_overlap_compute_coverage", data=[_ffi.ALCORE_OVERLAP_OUTSIDE, _ffi.ALCORE_OVERLAP_BOTH])
def coverage(options):
    made, score = filled_overlap(_ffi.ALCORE_OVERLAP_TEST), result(_ffi.alcore_coverage_result)
    ask("alcore_overlap_compute_coverage", made, 1, ctypes.byref(options), ctypes.byref(score))
    return told(score)


@walks("alcore_overlap_compute_in_domain", definition=_ffi.ALCORE_IN_DOMAIN_UNSEEN)
def in_domain(options):
    made, score = filled_overlap(_ffi.ALCORE_OVERLAP_SELECTED), result(_ffi.alcore_in_domain_result)
    ask("alcore_overlap_compute_in_domain", made, ctypes.byref(options), ctypes.byref(score))
    return told(score)


def filled_overlap(kept):
    """An overlap with texts of all roles, that of the role that is kept first."""
    made = Owned("overlap", "alcore_overlap_new", CTX, ctypes.byref(struct_of(_ffi.alcore_overlap_options, {"kept": kept})))
    texts = {_ffi.ALCORE_OVERLAP_TEST: "a b c d", _ffi.ALCORE_OVERLAP_SELECTED: "b x", _ffi.ALCORE_OVERLAP_OUTSIDE: "c d y"}
    for role in sorted(texts, key=lambda role: role != kept):
        ask("alcore_overlap_add", made, role, _ffi.ALCORE_SIDE_SOURCE, strings([texts[role]]), None, 1)
    return made


@walks("alcore_overlap_new", max_order=2, kept=_ffi.ALCORE_OVERLAP_TEST | _ffi.ALCORE_OVERLAP_SELECTED, tagged=1)
def overlap(options):
    """A word of the test set's target is in the source of the selected texts; orders from 1 until one is refused."""
    made, found = Owned("overlap", "alcore_overlap_new", CTX, ctypes.byref(options)), []
    for role, side, text in ((_ffi.ALCORE_OVERLAP_TEST, _ffi.ALCORE_SIDE_SOURCE, "a b c d"),
                             (_ffi.ALCORE_OVERLAP_TEST, _ffi.ALCORE_SIDE_TARGET, "x"),
                             (_ffi.ALCORE_OVERLAP_SELECTED, _ffi.ALCORE_SIDE_SOURCE, "b c x y")):
        ask("alcore_overlap_add", made, role, side, strings([text]), None, 1)
    for order in range(1, 5):
        score = result(_ffi.alcore_coverage_result)
        status = lib.alcore_overlap_compute_coverage(made._handle, order, None, ctypes.byref(score))
        found.append(status or told(score))
    return found


# ---- stopping criteria, costs ----

@walks("alcore_stop_check_plateau", patience=1, least_gain=.5, lower_is_better=1)
def plateau(options):
    decision = result(_ffi.alcore_stop_decision)
    ask("alcore_stop_check_plateau", doubles([1, 2, 2.25, 2.2]), 4, ctypes.byref(options), ctypes.byref(decision))
    return told(decision)


@walks("alcore_stop_check_uncertainty", criterion=_ffi.ALCORE_STOP_MAX_UNCERTAINTY)
def uncertainty(options):
    decision = result(_ffi.alcore_stop_decision)
    ask("alcore_stop_check_uncertainty", doubles([.5, .75, .9]), 3, .8, ctypes.byref(options), ctypes.byref(decision))
    return told(decision)


@walks("alcore_stop_check_agreement", window=2, threshold=.5)
def agreement(options):
    decision = result(_ffi.alcore_stop_decision)
    ask("alcore_stop_check_agreement", doubles([.5, .75, .9, .875]), 4, ctypes.byref(options), ctypes.byref(decision))
    return told(decision)


@walks("alcore_analysis_compute_cost", model=[_ffi.ALCORE_COST_LINEAR, _ffi.ALCORE_COST_POWER], rate=1., bleu_gain=2., in_domain_types=30.)
def cost(options):
    found = result(_ffi.alcore_cost_result)
    ask("alcore_analysis_compute_cost", 1000., ctypes.byref(options), ctypes.byref(found))
    return told(found)


# ---- searches ----

def data(vectors, **fields):
    return struct_of(_ffi.alcore_search_data, {"size": ctypes.sizeof(_ffi.alcore_search_data), "matrix": matrix(vectors), **fields})


def pool_of(vectors):
    """A pool with the vectors in two columns, whose first row is masked."""
    pool = alcore.Pool(["text %d" % row for row in range(len(vectors))], context=CTX)
    pool.set_column("embeddings", vectors)
    pool.set_column("reversed", vectors[::-1])
    ask("alcore_pool_mark", pool, _ffi.ALCORE_ROW_EXCLUDED, integers([0]), 1)
    return pool


def operand(vectors):
    """Members of a struct for these vectors, where a matrix is the default: a pool in its place has a masked row, and the same
    vectors in another order as a second column."""
    mask = (ctypes.c_uint8 * len(vectors))(*[row != 1 for row in range(len(vectors))])
    changed = matrix([[value + 1 for value in row] for row in vectors[::-1]])
    return {"base": {"matrix": matrix(vectors)},
            "matrix": changed, "pool": When(pool_of(vectors), matrix=None), "column": When(b"reversed", matrix=None, pool=pool_of(vectors)),
            "mask": When(mask, mask_count=len(vectors)), "mask_count": Refusal(len(vectors) - 1, "mask", mask=mask), "normalize": 1,
            "stream": Unread("search", "not used for a matrix on the host", 7)}


def knn(rows, others, options=None):
    arrays = [Tensor("q", [len(OTHERS), 2]), Tensor("d", [len(OTHERS), 2]), Tensor("q", [len(VECTORS), 2]), Tensor("d", [len(VECTORS), 2])]
    ask("alcore_search_knn", CTX, ctypes.byref(rows), ctypes.byref(others), 2, options and ctypes.byref(options), *arrays)
    return list(map(repr, arrays))


def ratios(rows, others, options=None):
    found = [Tensor("d", [len(VECTORS)]), Tensor("q", [len(VECTORS)])]
    ask("alcore_search_margin_ratios", CTX, ctypes.byref(rows), ctypes.byref(others), 2, options and ctypes.byref(options), *found)
    return list(map(repr, found))


def neighborhood(source, target, options=None):
    found = Tensor("d", [2, 2])
    ask("alcore_analysis_compute_neighborhood", CTX, ctypes.byref(source), doubles(NUMBERS), len(VECTORS), ctypes.byref(target),
        doubles([.1, .5, .2, .9]), len(OTHERS), integers([1, 3]), 2, options and ctypes.byref(options), found)
    return repr(found)


def projection(rows, others, options=None):
    arrays = [Tensor("d", [len(VECTORS), 2]), Tensor("d", [len(OTHERS), 2]), Tensor("d", [2, 3])]
    ask("alcore_analysis_compute_projection", CTX, ctypes.byref(rows), ctypes.byref(others), options and ctypes.byref(options), *arrays, None)
    return list(map(repr, arrays))


for name, call, one, other in (("alcore_search_knn", knn, "rows", "queries"), ("alcore_search_margin_ratios", ratios, "rows", "others"),
                               ("alcore_analysis_compute_neighborhood", neighborhood, "source", "target"),
                               ("alcore_analysis_compute_projection", projection, "rows", "others")):
    walks(name, one, **operand(VECTORS))(lambda options, call=call: call(options, data(OTHERS)))
    walks(name, other, **operand(OTHERS))(lambda options, call=call: call(data(VECTORS), options))
    if call is projection:
        walks(name)(lambda options: projection(data(VECTORS), data(OTHERS), options))
    else:
        metrics = [_ffi.ALCORE_METRIC_DOT, _ffi.ALCORE_METRIC_COSINE]
        walks(name, metric=Refusal(_ffi.ALCORE_METRIC_DOT, "always use cosines") if call is ratios else metrics,
              device=Refusal(b"nonsense", "nonsense"))(lambda options, call=call: call(data(VECTORS), data(OTHERS), options))


@walks("alcore_analysis_compute_leverage")
def leverage(options):
    pools, found = [alcore.Pool(texts, context=CTX) for texts in (TEXTS, TEXTS[:2])], result(_ffi.alcore_leverage_result)
    ask("alcore_analysis_compute_leverage", pools[0], integers(range(len(TEXTS))), len(TEXTS), pools[1], ctypes.byref(options), ctypes.byref(found))
    return told(found)


@walks("alcore_analysis_compute_duplicates")
def duplicates(options):
    pools, found = [alcore.Pool(texts, context=CTX) for texts in (TEXTS, TEXTS[:2])], result(_ffi.alcore_duplicates_result)
    ask("alcore_analysis_compute_duplicates", *pools, ctypes.byref(options), ctypes.byref(found))
    return told(found)


@walks("alcore_analysis_compute_composition", uncertainty=When(doubles(NUMBERS), uncertainty_count=9),
       uncertainty_count=Refusal(8, "uncertainties", uncertainty=doubles(NUMBERS)),
       source=When(data(VECTORS), target=data(OTHERS)), target=When(data(OTHERS), source=data(VECTORS)),
       target_pool=lambda: alcore.Pool(["x"], languages=["yy"], context=CTX), other_rows=When(integers([1, 2]), other_count=2),
       other_count=When(1, other_rows=integers([1, 2])), neighbors=When(1, source=data(VECTORS), target=data(OTHERS)))
def composition(options):
    return composed(options)


@walks("alcore_analysis_compute_composition", "options.source", **operand(VECTORS))
def composition_source(source):
    return composed(struct_of(_ffi.alcore_composition_options, {"source": source, "target": data(OTHERS)}))


@walks("alcore_analysis_compute_composition", "options.target", **operand(OTHERS))
def composition_target(target):
    return composed(struct_of(_ffi.alcore_composition_options, {"source": data(VECTORS), "target": target}))


def composed(options):
    pool, found = alcore.Pool(TEXTS, languages=["xx", "yy", "yy"] * 3, context=CTX), result(_ffi.alcore_composition_result)
    ask("alcore_analysis_compute_composition", CTX, pool, integers([0, 1, 4]), 3, ctypes.byref(options), ctypes.byref(found))
    return told(found)


# ---- logits ----

LOGITS = [[0, 1, 2], [3, 0, 1], [1, 1, 0], [0, 5, 2]]
HIDDEN = {"logits": None, "hidden": matrix([[1, 2], [0, 1], [2, 1], [1, 1]]), "output": matrix([[1, 0], [0, 2], [1, 1]])}
LOGITS_MEMBERS = {
    "logits": matrix([[2, 1, 0], [3, 0, 1], [1, 1, 0], [0, 5, 2]]), "hidden": When(matrix([[3, 2], [0, 1], [2, 1], [1, 1]]), **HIDDEN),
    "output": When(matrix([[1, 5], [0, 2], [1, 1]]), **HIDDEN), "bias": When(Tensor("f", [3], [1, 0, 3]), **HIDDEN),
    "labels": Tensor("q", [4], [1, 0, 2, 1]),
    "stream": Unread("logits", "where all arrays are on the host", 7)}
LABELS = Tensor("q", [4], [2, 0, 1, 1])


@walks("alcore_logits_measure", "logits", base={"logits": matrix(LOGITS), "labels": LABELS}, **LOGITS_MEMBERS,
       lengths=When(integers([2]), length_count=1, logits=Tensor("f", [1, 4, 3], sum(LOGITS, [])), labels=Tensor("q", [1, 4], [2, 0, 1, 1])),
       length_count=Refusal(2, "2 lengths for 1 items", lengths=integers([2]), logits=Tensor("f", [1, 4, 3], sum(LOGITS, [])),
                            labels=None))
def measure_logits(options):
    shape = [1, 4] if options.alive["logits"] and len(options.alive["logits"].shape) == 3 else [4]
    arrays = {name: Tensor("q" if name == "likeliest" else "d", shape)
              for name, *_ in _ffi.alcore_token_stats._fields_[1:]}
    stats = struct_of(_ffi.alcore_token_stats, arrays)
    ask("alcore_logits_measure", CTX, ctypes.byref(options), -100, ctypes.byref(stats))
    return list(map(repr, arrays.values()))


@walks("alcore_logits_put", "logits", base={"logits": matrix(LOGITS), "labels": LABELS, "lengths": integers([1, 3]), "length_count": 2},
       **LOGITS_MEMBERS, lengths=integers([2, 2]), length_count=Refusal(1, "lengths"))
def put_logits(options):
    return put_token_columns("alcore_logits_put", options, -100)


def put_token_columns(call, options, *others):
    """What a call puts into each column of two rows."""
    pool = alcore.Pool(["x", "y z w"], context=CTX)
    names = [name for name, *_ in _ffi.alcore_logits_writers._fields_[1:]]
    writers = {name: Owned("column_writer", "alcore_column_writer_new", pool, name.encode(),
                           _ffi.ALCORE_COLUMN_SCALAR if name == "nnll" else _ffi.ALCORE_COLUMN_RAGGED, None) for name in names}
    out = struct_of(_ffi.alcore_logits_writers, writers)
    ask(call, CTX, ctypes.byref(options), integers([0, 1]), 2, *others, ctypes.byref(out))
    for writer in writers.values():
        ask("alcore_column_writer_finish", writer, _ffi.ALCORE_MISSING_FAIL)
    return {name: repr([part.tolist() for part in pool.get_column(name)] if name != "nnll" else pool.get_column(name).tolist())
            for name in names}


LIKELIEST = Tensor("d", [4, 2], [-1, -1.5, -0.5, -2, -0.5, -3, -0.1, -5])
ITS_IDS = Tensor("q", [4, 2], [1, 2, 3, 1, 2, 3, 3, 1])


@walks("alcore_logits_put_topk", "topk", base={"logprobs": Tensor("d", [4], [-1.0, -2.0, -0.5, -5]), "top": LIKELIEST, "top_ids": ITS_IDS,
                                               "classes": 20, "lengths": integers([2, 2]), "length_count": 2},
       logprobs=Tensor("d", [4], [-1.5, -2.0, -0.5, -5]), top=Tensor("d", [4, 2], [-1, -2, -0.5, -2, -0.5, -3, -0.1, -5]),
       ids=Refusal(Tensor("q", [4], [4, 1, 1, 1]), "it is none of the likeliest"),
       top_ids=Refusal(Tensor("q", [4, 2], [1, 1, 3, 1, 2, 3, 3, 1]), "is given twice"), lengths=integers([1, 3]),
       length_count=Refusal(1, "lengths"), classes=Refusal(2, "not one of 0 .. 1"), rest=_ffi.ALCORE_REST_UNIFORM)
def put_topk(options):
    return put_token_columns("alcore_logits_put_topk", options)


@walks("alcore_served_read", rows=When(integers([1, 0]), row_count=2), row_count=Refusal(1, "rows"), classes=Refusal(1, "classes are given"),
       rest=[Refusal(_ffi.ALCORE_REST_UNIFORM, "needs the number of classes"), When(_ffi.ALCORE_REST_UNIFORM, classes=20)])
def read_served(options):
    path = FOLDER / "answers.jsonl"
    path.write_text("".join('{"choices":[{"logprobs":{"token_logprobs":[%g,-2],"top_logprobs":[{"a":-1,"b":-2},{"c":-1,"d":-2}]}}]}\n' % first
                            for first in (-1, -2)))
    pool = alcore.Pool(["a", "b"], context=CTX)
    with pool.column("logprobs", missing="mask") as logprobs, pool.column("entropies", missing="mask") as entropies:
        for writer in (logprobs, entropies):
            writer._begin_as("ragged")
        out = struct_of(_ffi.alcore_logits_writers, {"logprobs": logprobs, "entropies": entropies})
        ask("alcore_served_read", pool, str(path).encode(), ctypes.byref(options), ctypes.byref(out))
    return [[list(values) for values in pool.get_column(name)] for name in ("logprobs", "entropies")]


# ---- plots ----

PLOT = {"title": b"A title", "x_label": b"words", "y_label": b"BLEU", "width": 300, "height": 200}
SERIES, ROUNDS = strings(["one"] * 4), integers([1, 1, 2, 2])


def drawn(name, options):
    """The picture, and the table of the observations."""
    return [written(name, CTX, SERIES, None, ROUNDS, doubles([1, 2, 3, 5]), doubles([1, 3, 2, 7]), 4, suffix, options)
            for suffix in ("svg", "tsv")]


NAMES, VALUES = strings(["H"]), doubles([4, 3, 2, 1])
COLUMNS = {"column_names": NAMES, "columns": (ctypes.c_void_p * 1)(ctypes.addressof(VALUES)), "column_count": 1}


def beside(name, kind=When, *words):
    """A value of one of the three members that name further columns, beside the other two."""
    return kind(COLUMNS[name], *words, **{other: value for other, value in COLUMNS.items() if other != name})


@walks("alcore_plot_write_curves", band=[_ffi.ALCORE_BAND_SD, _ffi.ALCORE_BAND_NONE], equal_scales=1,
       **{name: beside(name, Refusal, "only points have further columns") for name in COLUMNS}, **PLOT)
def curves(options):
    return drawn("alcore_plot_write_curves", options)


@walks("alcore_plot_write_points", band=Refusal(_ffi.ALCORE_BAND_SD, "only curves have bands"), equal_scales=1,
       column_names=beside("column_names"), columns=beside("columns"), column_count=beside("column_count"), **PLOT)
def points(options):
    return drawn("alcore_plot_write_points", options)
