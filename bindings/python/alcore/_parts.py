# SPDX-License-Identifier: Apache-2.0
"""Models, scorers and strategies: those of the library by name, and those made of the caller's functions."""
from __future__ import annotations

import ctypes
import json
import math
import os
from typing import Generic, ParamSpec, TypeVar, overload

from . import _ffi
from . import _hosts
from ._arrays import memory_of, narrowed
from ._calls import answer, check, run
from ._columns import path_of
from ._handles import Handle, choice, default_context, filled, get_option, getter, new, options, set_options, struct
from ._host_models import METHODS, OwnModel, functions_of, translate_function
from ._lazy import types as t
from ._library import lib
from ._lm import LanguageModel
from ._pool import Pool, pool_of
from ._statuses import UnsupportedError
from ._strings import name_of, text, text_or_none

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _new_of_host(ctx, host, part, functions, noun, needs=None):
    """The handle of a strategy, scorer or model (`noun`) that calls the trampolines `functions`, which call `part`."""
    names = _hosts.fill_host(host, part, functions, needs)
    try:
        return new(getattr(lib, "alcore_%s_unref" % noun), getattr(lib, "alcore_%s_new_host" % noun), ctx._handle,
                   ctypes.byref(host))
    except BaseException:
        _hosts.forget(host)
        raise
    finally:
        del names


class Model(Handle):
    """Whatever turns texts into columns.

    Model(object) takes any object with some of the methods embed(texts) -> float [n, dims], class_probs(texts) -> float
    [n, classes], token_logprobs(texts) and token_probs(texts) -> a list with the numbers of each text, or (values,
    offsets); or a dict {column: function(texts)}. Columns that come from one pass are made by compute(texts, columns) ->
    {column: rows}, which is asked for all columns that are still needed at once; `columns` or can(column) says which it makes.
    describe(column) -> {"shape": "scalar", "meaning": "logits", "per_word": True} says what differs from the usual kind of a column.
    score_references(texts) -> the log-probabilities of the tokens of texts.references lets score() be called, and translate(texts, *,
    best, language, beams, ...) -> for each text an output or a list of the best ones, a str or (str, log-probabilities), translate().
    texts is a list of str with `rows`, `languages`, `references`, `contexts` and `pool`.

    An attribute `name` names the model in provenance, `batch_rows` and `batch_bytes` (rows times the bytes of the longest text)
    bound a batch, `reads` lists what the functions read beside texts and languages ("ids", "groups", "costs", "references" and names of
    columns), and `version`, an integer or a text or a function that returns one, says when the model has changed: columns of another
    version, or made of other data, are computed again. `info` is a dict with family, device, version, dims, classes, labels,
    max_tokens, vocabulary; set_language(language) and set_dropout(seed) are called by the methods of that name."""

    _noun = "model"

    def __init__(self, model: t.Own | t.Mapping[str, t.Callable[[t.Batch], t.Any]], *, name: str | None = None,
                 batch_rows: int | None = None, context: t.Context | None = None) -> None:
        ctx = context or default_context()
        part = OwnModel(model, ctx, Pool)
        part.check()
        name = name or getattr(model, "name", None)
        rows = batch_rows if batch_rows is not None else getattr(model, "batch_rows", 0)
        host = struct(_ffi.alcore_model_host, batch_rows=rows, name=name.encode() if isinstance(name, str) else None,
                      batch_bytes=getattr(model, "batch_bytes", 0))
        reads = getattr(model, "reads", None)
        lists = None if reads is None else {"reads": [reads] if isinstance(reads, str) else list(reads)}
        super().__init__(_new_of_host(ctx, host, part, functions_of(part), "model", lists), ctx)
        if callable(getattr(model, "translate", None)):
            check(lib.alcore_model_set_translate(self._handle, translate_function))

    @classmethod
    def ngram(cls, labeled: t.Dataset | None = None, *, order: int = 0, dims: int = 0, seed: int = 0,
              context: t.Context | None = None) -> t.Self:
        """The built-in n-gram model, trained on a labeled pool, or cross-fitted on the pool itself. 0 is the default."""
        pool = None if labeled is None else pool_of(labeled, context)
        ctx = context or (pool.context if pool is not None else default_context())
        made = cls._made(new(lib.alcore_model_unref, lib.alcore_model_new_ngram, ctx._handle,
                             pool._handle if pool is not None else None, ctypes.byref(options("ngram", locals()))), ctx)
        made._labeled = pool
        return made

    @classmethod
    def lm(cls, lm: LanguageModel, *, context: t.Context | None = None) -> t.Self:
        """A LanguageModel as a model that makes the column "logprobs"."""
        ctx = context or lm.context
        return cls._made(new(lib.alcore_model_unref, lib.alcore_model_new_lm, ctx._handle, lm._handle), ctx)

    @classmethod
    def open(cls, path: t.Path, *, device: str | None = None, dtype: str | None = None, pooling: str = "auto", layer: int = -1,
             normalize: bool | None = None, max_tokens: int = 0, batch_tokens: int = 0, stride: int | None = None,
             language: str | None = None, prompt: str | None = None, prompt_name: str | None = None,
             verbalizer: list[str] | None = None, chat: bool | str = False, context: t.Context | None = None) -> t.Self:
        """A model folder, such as one of ready columns. The settings are those of a model that computes: dtype "float32",
        "bfloat16", "float16" or "int8", pooling "auto", "mean", "first", "pooler", "words" or "max", layer k for block k (0 what
        enters the first block, -1 the last block), normalize True or False (None: what the folder says). stride: of question
        answering, the tokens of a context that two windows share; None is 128, or half of a window. language: as by
        set_language(). prompt: a text in front of every text that the model reads, as of encode() of sentence-transformers,
        "" for none; prompt_name: the prompt of that name in the folder, such as "query". Without both, embeddings have the
        folder's default prompt, if it has one. verbalizer: as by set_verbalizer(). chat: True,
        or the text of a system turn: as by set_chat()."""
        ctx = context or default_context()
        normalize = {None: "auto", True: "unit", False: "none"}[normalize]
        dtype = 0 if dtype is None else choice("ALCORE_", dtype, "dtype", ("FLOAT32", "BFLOAT16", "FLOAT16", "INT8"))
        settings = options("model", locals())
        made = cls._made(new(lib.alcore_model_unref, lib.alcore_model_open, ctx._handle, path_of(path),
                             ctypes.byref(settings)), ctx)
        if language is not None:
            made.set_language(language)
        if chat is not False:
            made.set_chat(system=None if chat is True else chat)
        if verbalizer is not None:
            made.set_verbalizer(verbalizer)
        return made

    name = getter(text, "alcore_model_name", "Name of the model in provenance.")
    cut = getter(int, "alcore_model_cut_count", "Texts that were cut, as the model reads fewer tokens, in the last run, score() or translate().")

    def can(self, column: str) -> bool:
        """Whether the model makes a column."""
        return bool(answer(lib.alcore_model_can, self._handle, name_of(column, "column")))

    def set_cache(self, folder: t.Path | None, max_age: float | None = None) -> None:
        """Keeps what the model computes in a folder for later runs, as cache= of select() does, also where no selection is made: by
        run(), embed() and scorers. None: nothing is kept any more. max_age: seconds after which it is computed again."""
        check(lib.alcore_model_set_cache(self._handle, None if folder is None else path_of(folder),
                                         math.inf if max_age is None else max_age))

    def set_language(self, language: str | None) -> None:
        """The language of the outputs of a model of several, such as "de_DE" (mBART), "de" (M2M100) or "deu_Latn" (NLLB), for the
        calls after this one: of the outputs whose log-probabilities are the column "logprobs", of the references that score()
        scores and train() learns, and of translate() without a language. None: what the folder says."""
        run(lib.alcore_model_set_language, self._handle, None if language is None else name_of(language, "language"))

    def set_dropout(self, seed: int | None) -> None:
        """Leaves dropout on, by draws of the seed, in what the model scores after this call: the log-probabilities of score() and the
        column "mlm_losses". The variance over passes with several seeds tells how sure the model is. None: off, as at first."""
        run(lib.alcore_model_set_dropout, self._handle, int(seed is not None), 0 if seed is None else seed)

    def set_chat(self, on: bool = True, *, system: str | None = None) -> None:
        """Lets a language model that was opened with a prompt with {text} or {source} read it as the turn of a user, written by the chat
        template of its folder, behind a system turn where there is one. False: it reads the prompt as it is, as at first."""
        run(lib.alcore_model_set_chat, self._handle, int(bool(on)), None if system is None else name_of(system, "system"))

    def set_verbalizer(self, labels: list[str] | None) -> None:
        """Lets a language model that was opened with a prompt with {text} classify: a label, a word or several, for each class. The
        column "probs" has the probabilities of the labels behind the prompt, which sum to 1. None: no classes."""
        if isinstance(labels, str):
            raise TypeError("labels: a list of labels is expected, not one text")
        names = [name_of(label, "labels") for label in labels or ()]
        run(lib.alcore_model_set_verbalizer, self._handle, (ctypes.c_char_p * max(len(names), 1))(*names) if names else None, len(names))

    def run(self, pool: Pool, column: str, *more: str) -> None:
        """Computes columns of a pool, in one pass where the model can; masked rows are left out."""
        names = [name_of(name, "column") for name in (column, *more)]
        run(lib.alcore_model_run_columns, self._handle, pool._handle, (ctypes.c_char_p * len(names))(*names), len(names))

    @property
    def info(self) -> dict[str, t.Any]:
        """What the model is: a dict with engine, family, device, version, dims, classes, max_tokens, vocabulary, whether it
        translates and scores pairs, "labels", a list of the names of the classes (None where the folder does not name them),
        "prompt", what stands in front of texts that are embedded (None: nothing), "warnings", a list of the keys of the
        folder's JSON files that are not obeyed, and "description", what the engine says of it (a dict; None where there is none)."""
        found = filled(_ffi.alcore_model_info, lib.alcore_model_get_info, self._handle)
        convert = {ctypes.c_char_p: text_or_none, ctypes.c_int64: int, ctypes.c_int32: bool}
        facts = {name: convert[kind](getattr(found, name)) for name, kind in found._fields_
                 if name not in ("size", "json", "labels", "warnings", "warning_count")}
        names = ctypes.cast(found.labels, ctypes.POINTER(ctypes.c_char_p))
        labels = [names[k].decode() for k in range(found.classes)] if found.labels else None
        told = ctypes.cast(found.warnings, ctypes.POINTER(ctypes.c_char_p))
        warnings = [told[k].decode("utf-8", "replace") for k in range(found.warning_count)]
        return dict(facts, labels=labels, warnings=warnings, description=json.loads(found.json) if found.json else None)

    def _pool_of(self, texts, **fields):
        """A pool of all texts, repeated ones too."""
        return Pool(texts, dedup="none", context=self.context, **fields)

    def embed(self, texts: t.Texts) -> t.Any:
        """Embeddings of texts, [n, dims], NaN for an empty text (zeros of the built-in model): the model's numbers as they are (float32 of a Hugging Face
        folder), without a copy unless a text is empty. NumPy's array is the caller's to change, and other packages take it by
        DLPack (torch.from_dlpack(model.embed(texts)) has the same memory). Without NumPy a memoryview."""
        column, pool = METHODS["embed"], self._pool_of(texts)
        self.run(pool, column)
        info = pool.column_info(column)
        try:
            found = pool.get_column(column) if info["entries"] == len(pool) else None  # keeps the pool alive
        except UnsupportedError:  # the built-in model makes rows as they are asked for
            found = None
        if found is None:
            with pool:
                return narrowed(pool.column_rows(column, range(len(pool))), info["dtype"])
        if hasattr(found, "flags"):
            found.flags.writeable = True  # nobody else has the pool
        return found

    @overload
    def translate(self, texts: Pool, *, beams: int = 0, max_tokens: int = 0, length_penalty: float | None = None, sample: bool = False,
                  temperature: float | None = None, seed: int = 0, language: str | None = None, best: int | None = None) -> Pool: ...
    @overload
    def translate(self, texts: t.Texts, *, beams: int = 0, max_tokens: int = 0, length_penalty: float | None = None, sample: bool = False,
                  temperature: float | None = None, seed: int = 0, language: str | None = None, best: None = None) -> list[str]: ...
    @overload
    def translate(self, texts: t.Texts, *, beams: int = 0, max_tokens: int = 0, length_penalty: float | None = None, sample: bool = False,
                  temperature: float | None = None, seed: int = 0, language: str | None = None,
                  best: int) -> list[list[tuple[str, float | None]]]: ...
    def translate(self, texts, *, beams=0, max_tokens=0, length_penalty=None, sample=False, temperature=None, seed=0, language=None,
                  best=None):
        """The best output of a seq2seq or language model for each text: a list of str. With best=N, up to beams: a list with the N best
        outputs of each text, the best first, as pairs (text, score); score is None where there are fewer. Of a Pool a Pool of the
        outputs, N rows for each row, with its id, the log-probabilities of their tokens and "output_scores" as columns.
        beams: 1 (greedy) to 64; max_tokens of an output; 0 means what the folder says, as None does for
        length_penalty (from 0, which divides by 1) and temperature. sample=True draws tokens with temperature
        and seed in place of searching. language: of the outputs, such as "de_DE" (mBART), "de" (M2M100) or "deu_Latn" (NLLB)."""
        how = options("translate", locals(), best=1 if best is None else best)
        sources = texts if isinstance(texts, Pool) else self._pool_of(texts)
        pointer = new(lib.alcore_pool_unref, lib.alcore_model_translate, self._handle, sources._handle, ctypes.byref(how))
        out = Pool.borrowed(pointer, self.context)
        lib.alcore_pool_unref(pointer)  # borrowed() has a reference of its own
        if isinstance(texts, Pool):
            return out
        if best is None:
            return list(out)
        ranked_by = (None if math.isnan(score) else score for score in out.get_column("output_scores"))
        pairs = list(zip(out, ranked_by))
        return [pairs[at:at + best] for at in range(0, len(pairs), best)]

    def train(self, pool: Pool, *, rate: float | None = None, weight_decay: float = 0.0, clip: float = 0.0, label_smoothing: float = 0.0,
              updates: int = 0, warmup: int = 0, accumulate: int = 0, batch_tokens: int = 0, schedule: str = "constant", seed: int = 0,
              checkpoints: t.Path | None = None, checkpoint_every: int = 0, optimizer: str = "adamw", beta1: float | None = None,
              beta2: float | None = None, epsilon: float | None = None, weights: str | None = None, validation: Pool | None = None,
              validate_every: int = 0, metric: str = "loss", patience: int = 0, best: t.Path | None = None, precision: str = "float32",
              recompute: bool = False, labels: str | None = None, lora_rank: int = 0, lora_alpha: float = 0.0, lora_dropout: float = 0.0,
              lora_targets: str | t.Sequence[str] | None = None) -> dict[str, t.Any]:
        """Trains the model in place on the pairs of a Pool: texts and references of a translation model or a language model, which
        learns the texts where no row has a reference; of a classifier of texts the references are names of classes (info["labels"])
        or their numbers, of a classifier of tokens those of the words, with spaces between them. Returns a dict: updates, tokens, loss (nats, of the last update), seconds,
        resumed, best_update, best_value, trained_parameters and parameters (how many numbers are trained, and how many the model has,
        those of an adapter included) and stopped. rate: None is 5e-5; updates: 0 is one pass over the pool; schedule:
        constant, linear, inverse_sqrt or cosine; optimizer: adamw or adam; weights: the column of the pool with the weight of
        each row. With a folder for checkpoints a training that was interrupted goes on from there. validation is a Pool that
        the model is measured on every validate_every updates and at the end, by the metric loss, bleu, accuracy, exact_match,
        f1, span_f1 or strict_span_f1; the best model is saved to the folder best, and after patience validations without a better
        one the training ends. precision: float32, bfloat16 or float16, of products; recompute=True takes less memory and more time, with the same
        result. labels: the ragged column of the pool, and of validation, with the class of each word, for a classifier of tokens
        whose references do not have them;
        for question answering, whose texts are questions and whose references are the answers, the column with the character of
        "qa_contexts" at which each answer begins. lora_rank: above 0 a LoRA adapter of this rank is trained in place of the model, and save()
        writes it as a folder of PEFT; lora_alpha: 0 is 8; lora_targets: names of the matrices that are adapted, or "all-linear"; None: the
        projections of queries and values. A model that was opened from the folder of an adapter goes on with it."""
        if lora_targets is not None and not isinstance(lora_targets, str):
            lora_targets = ",".join(lora_targets)
        how = options("train", locals(), metric=0 if metric == "loss" else choice("ALCORE_VALIDATE_", metric, "metric"), best=None if best is None else path_of(best))
        out = filled(_ffi.alcore_train_result, lib.alcore_model_train, self._handle, pool._handle, ctypes.byref(how))
        names = ("updates", "tokens", "loss", "seconds", "resumed", "best_update", "best_value", "trained_parameters", "parameters")
        return {**{name: getattr(out, name) for name in names}, "stopped": bool(out.stopped)}

    def save(self, path: t.Path) -> None:
        """Writes the model as a folder that alcore and transformers read."""
        run(lib.alcore_model_save, self._handle, path_of(path))

    @overload
    def score(self, sources: Pool, targets: None = None) -> None: ...
    @overload
    def score(self, sources: t.Texts, targets: t.Texts) -> list[list[float]]: ...
    def score(self, sources, targets=None):
        """Natural log-probability of each token of a target, its end included, given its source: a list of lists. Of a Pool
        without targets its references are scored, and the pool has the values as a column (None is returned)."""
        if isinstance(sources, Pool) and targets is None:
            return run(lib.alcore_model_score, self._handle, sources._handle)
        with self._pool_of(sources, references=targets) as pool:
            if pool.count("empty"):
                raise ValueError("sources: text %d is empty" % next(row for row, text in enumerate(pool) if not text.strip()))
            run(lib.alcore_model_score, self._handle, pool._handle)
            values, offsets = pool.get_column(METHODS["token_logprobs"])
            bounds, numbers = offsets.tolist(), values.tolist()
            return [numbers[begin:end] for begin, end in zip(bounds, bounds[1:])]

    def _description(self):
        return " %r" % self.name


def model_of(value, labeled, ctx, column=None):
    """The Model that a value means: a Model, "ngram", a folder, a LanguageModel, an object with a model's methods, or the function of
    a column."""
    if isinstance(value, Model):
        return value
    if column is not None and callable(value) and not any(hasattr(value, name) for name in (*METHODS, "compute")):
        return Model({column: value}, context=ctx)
    if isinstance(value, (str, os.PathLike)):
        return Model.ngram(labeled, context=ctx) if value == "ngram" else Model.open(value, context=ctx)
    return Model.lm(value, context=ctx) if isinstance(value, LanguageModel) else Model(value, context=ctx)


class _Named(Handle):
    """A part of the library by name, with its parameters."""

    _own = False  # whether it is a function of the caller's

    def __init__(self, /, name: str, params: t.Mapping[str, t.Setting] | None = None, *, context: t.Context | None = None,
                 **more: t.Setting) -> None:
        ctx = context or default_context()
        super().__init__(new(getattr(lib, "alcore_%s_unref" % self._noun), getattr(lib, "alcore_%s_new" % self._noun),
                             ctx._handle, name_of(name, self._noun)), ctx)
        self.name = name
        self.set(**dict(params or {}, **more))

    @classmethod
    def _of_host(cls, pointer, ctx, name):
        made = cls._made(pointer, ctx)
        made.name, made._own = name, True
        return made

    def set(self, /, **params: t.Setting) -> None:
        """Sets parameters; a name that is a word of Python ends with an underscore."""
        set_options(self._noun, self._handle, params)

    def get(self, name: str) -> str:
        """The present value of a parameter as text: what was set, or its default."""
        return get_option(self._noun, self._handle, name)

    def _description(self):
        return " %r" % self.name


class Scorer(_Named):
    """One number per row, larger = more worth labeling. Scorer(name, **parameters); alcore.scorers() lists them."""

    _noun = "scorer"

    def run(self, pool: Pool, model: t.AnyModel | None = None) -> None:
        """Scores the unmasked rows and gives the pool the result as a column; missing columns come from the model."""
        made = None if model is None else model_of(model, None, self.context)
        run(lib.alcore_scorer_run, self._handle, pool._handle, None if made is None else made._handle)

    _score_pool = run


class Strategy(_Named):
    """The rule that chooses. Strategy(name, **parameters); alcore.strategies() lists them."""

    _noun = "strategy"

    def numbers(self, name: str) -> list[float]:
        """The numbers of a parameter that has one for each round: list of float; empty where a word stands in their place."""
        found = _ffi.alcore_tensor()
        check(lib.alcore_strategy_get_numbers(self._handle, name.rstrip("_").encode(), ctypes.byref(found)))
        return memory_of(found).tolist()


def _names(needs):
    return (needs,) if isinstance(needs, str) else tuple(needs)


class _Own(Generic[_P, _R]):
    """A function of a View, which can be given wherever the name of a strategy or scorer can. needs: the columns that it reads of the candidates."""

    pool_type = Pool

    def __init__(self, function: t.Callable[_P, _R], needs: str | t.Iterable[str], name: str | None = None) -> None:
        self.function, self.name = function, name or getattr(function, "__name__", "host")
        self.needs = _names(needs)
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: _P.args, **named: _P.kwargs) -> _R:
        return self.function(*arguments, **named)

    def _needs_by_field(self):
        return {"needs": self.needs}

    def bind_strategy(self, ctx: t.Context) -> Strategy:
        host = _ffi.alcore_strategy_host(name=self.name.encode())
        pointer = _new_of_host(ctx, host, self, {"choose": _hosts._choose}, "strategy", self._needs_by_field())
        return Strategy._of_host(pointer, ctx, self.name)

    def __repr__(self):
        return "<alcore.%s %r needs=%s>" % (type(self).__name__, self.name, self.needs)


class OwnStrategy(_Own[_P, _R]):
    """A strategy made of a function; see alcore.strategy."""

    def __init__(self, function: t.Callable[_P, _R], needs: str | t.Iterable[str], name: str | None = None,
                 labeled_needs: str | t.Iterable[str] = (), target_needs: str | t.Iterable[str] = ()) -> None:
        super().__init__(function, needs, name)
        self.labeled_needs, self.target_needs = _names(labeled_needs), _names(target_needs)

    def _needs_by_field(self):
        return {"needs": self.needs, "labeled_needs": self.labeled_needs, "target_needs": self.target_needs}


class OwnScorer(_Own[_P, _R]):
    """A scorer made of a function; see alcore.scorer. As a strategy it picks the highest scores."""

    def bind(self, ctx: t.Context) -> Scorer:
        host = _ffi.alcore_scorer_host(name=self.name.encode())
        pointer = _new_of_host(ctx, host, self, {"score": _hosts._score}, "scorer", self._needs_by_field())
        return Scorer._of_host(pointer, ctx, self.name)

    def _score_pool(self, pool, model=None):
        with self.bind(pool.context) as bound:
            bound.run(pool, model)


def _decorator(kind, function, *settings):
    if function is not None:
        if not callable(function):
            raise TypeError("a function is decorated, not %r; a built-in one by its name is alcore.Strategy(name) or alcore.Scorer(name)" % (function,))
        return kind(function, *settings)
    return lambda found: kind(found, *settings)


@overload
def scorer(function: t.Callable[_P, _R], *, needs: str | t.Iterable[str] = (), name: str | None = None) -> OwnScorer[_P, _R]: ...
@overload
def scorer(function: None = None, *, needs: str | t.Iterable[str] = (),
           name: str | None = None) -> t.Callable[[t.Callable[_P, _R]], OwnScorer[_P, _R]]: ...
def scorer(function=None, *, needs=(), name=None):
    """Turns a function of a View that returns float [count], larger = more worth labeling, into a scorer.

    needs: the columns that it reads; a missing one is made by the model."""
    return _decorator(OwnScorer, function, needs, name)


@overload
def strategy(function: t.Callable[_P, _R], *, needs: str | t.Iterable[str] = (), labeled_needs: str | t.Iterable[str] = (),
             target_needs: str | t.Iterable[str] = (), name: str | None = None) -> OwnStrategy[_P, _R]: ...
@overload
def strategy(function: None = None, *, needs: str | t.Iterable[str] = (), labeled_needs: str | t.Iterable[str] = (),
             target_needs: str | t.Iterable[str] = (),
             name: str | None = None) -> t.Callable[[t.Callable[_P, _R]], OwnStrategy[_P, _R]]: ...
def strategy(function=None, *, needs=(), labeled_needs=(), target_needs=(), name=None):
    """Turns a function of a View into a strategy. It returns scores, float [count], or an Order of rows; budgets, ties,
    masks and reports stay the library's work.

    needs, labeled_needs, target_needs: the columns that it reads of the candidates (and of those of their rows that are
    labeled), of labeled= and of targets=; a missing one is made by the model. With target_needs a target must be given."""
    return _decorator(OwnStrategy, function, needs, name, labeled_needs, target_needs)


def strategy_of(value, ctx):
    """The Strategy that a value means: a name, a Strategy or a decorated function."""
    if isinstance(value, Strategy):
        return value
    if isinstance(value, _Own):
        return value.bind_strategy(ctx)
    if isinstance(value, str):
        return Strategy(value, context=ctx)
    raise TypeError("strategy: a name, an alcore.Strategy or a function with @alcore.strategy is expected, got %s" %
                    type(value).__name__)


def score(pool: Pool, by: str | Scorer | OwnScorer[..., t.Any], model: t.AnyModel | None = None, **params: t.Setting) -> None:
    """Scores a pool by a scorer's name, a Scorer or a decorated function, and gives it the result as a column."""
    if isinstance(by, str):
        with Scorer(by, params, context=pool.context) as made:
            made.run(pool, model)
    else:
        by._score_pool(pool, model)


def _param_info(param, first, index):
    """Parameter `index` as a dict; None past the last."""
    info = _ffi.alcore_param_info()
    info.size = ctypes.sizeof(info)
    if first is None:
        status = param(index, ctypes.byref(info))
    else:
        status = param(first, index, ctypes.byref(info))
    if status == _ffi.ALCORE_E_NOT_FOUND:
        return None
    check(status)
    kinds = {value: name[len("ALCORE_PARAM_"):].lower() for name, value in vars(_ffi).items()
             if name.startswith("ALCORE_PARAM_")}
    return {"name": info.name.decode(), "type": kinds[info.type], "default": (info.initial or b"").decode(),
            "choices": info.choices.decode().split("|") if info.choices else None, "minimum": info.minimum,
            "maximum": info.maximum, "help": (info.help or b"").decode()}


def all_of(step):
    """step(0), step(1), ... until it is None."""
    found = []
    while True:
        item = step(len(found))
        if item is None:
            return found
        found.append(item)


def params_of(param, first=None):
    """All parameters that the function `param` lists: a list of dicts. first: its first argument, a name, if it has one."""
    return all_of(lambda index: _param_info(param, first, index))


def recommended_strategy() -> str:
    """The name of the strategy that a call without one selects with; a minor release may recommend another."""
    return lib.alcore_strategy_recommended().decode()


def strategies() -> dict[str, dict[str, t.Any]]:
    """The built-in strategies: name -> {"summary", "needs" by role, "params"}."""
    roles = {name[len("ALCORE_ROLE_"):].lower(): value for name, value in vars(_ffi).items()
             if name.startswith("ALCORE_ROLE_") and value != _ffi.ALCORE_ROLE_LABELED_ROWS}
    found = {}
    for name in all_of(lib.alcore_strategy_builtin_name):
        needs = {role: [need.decode() for need in all_of(lambda index: lib.alcore_strategy_builtin_needs(name, value, index))]
                 for role, value in roles.items()}
        found[name.decode()] = {"summary": lib.alcore_strategy_builtin_summary(name).decode(),
                                "needs": {role: listed for role, listed in needs.items() if listed},
                                "params": params_of(lib.alcore_strategy_builtin_param, name)}
    return found


def scorers() -> dict[str, dict[str, t.Any]]:
    """The built-in scorers: name -> {"summary", "needs", "params"}."""
    return {name.decode(): {"summary": lib.alcore_scorer_builtin_summary(name).decode(),
                            "needs": [need.decode() for need in all_of(lambda i: lib.alcore_scorer_builtin_needs(name, i))],
                            "params": params_of(lib.alcore_scorer_builtin_param, name)}
            for name in all_of(lib.alcore_scorer_builtin_name)}
