# SPDX-License-Identifier: Apache-2.0
"""Models of one's own that make several columns in one pass, score references and translate."""
import math

import pytest

import alcore

TEXTS = ["a b", "c d e", "f", "g h", "i j k l"]


class Together:
    """Notes what it is asked for."""

    name = "together"
    columns = ("logprobs", "embeddings", "quality", "margins")

    def __init__(self):
        self.asked = []
        self.said = {}

    def compute(self, texts, columns):
        self.asked.append((list(texts.rows), list(columns), texts.references, texts.contexts))
        made = {"logprobs": [[-float(len(word)) for word in text.split()] for text in texts],
                "embeddings": [[float(len(text)), 1.0] for text in texts], "quality": [float(row) for row in texts.rows],
                "margins": [[0.5] * len(text.split()) for text in texts]}
        return {column: made[column] for column in columns}


def test_one_pass_for_all_columns():
    model = Together()
    picked = alcore.select(TEXTS, "2 items", "huds", model=model)
    assert [(rows, sorted(columns)) for rows, columns, *_ in model.asked] == [(list(range(5)), ["embeddings", "logprobs"])]
    by_method = {"logprobs": lambda texts: [[-float(len(word)) for word in text.split()] for text in texts],
                 "embeddings": lambda texts: [[float(len(text)), 1.0] for text in texts]}
    assert alcore.select(TEXTS, "2 items", "huds", model=by_method).indices == picked.indices  # a model for each column
    assert alcore.select(TEXTS, "2 items", "huds", model=alcore.Model(by_method)).indices == picked.indices
    pool, made = alcore.Pool(TEXTS), alcore.Model(model, batch_rows=2)
    made.run(pool, "quality", "margins")
    assert [columns for _, columns, *_ in model.asked[1:]] == [["quality", "margins"]] * 3
    assert list(pool.get_column("quality")) == list(range(5)) and pool.column_info("margins")["shape"] == "ragged"
    assert made.can("margins") and not made.can("probs")
    with pytest.raises(alcore.InvalidError, match="given twice"):
        made.run(pool, "quality", "quality")


def test_methods_beside_compute():
    class Both(Together):
        def embed(self, texts):
            return [[0.0, 7.0]] * len(texts)

        def can(self, column):
            return column in ("logprobs", "embeddings")

    model, pool = Both(), alcore.Pool(TEXTS)
    alcore.Model(model).run(pool, "logprobs", "embeddings")
    assert [columns for _, columns, *_ in model.asked] == [["logprobs"]] and pool.get_column("embeddings")[4, 1] == 7.0


@pytest.mark.parametrize("answer, error, words", [
    (lambda columns: {**dict.fromkeys(columns, [1.0] * 5), "probs": []}, ValueError, "gave the column 'probs', and was asked for quality"),
    (lambda columns: {}, ValueError, "was asked for the column 'quality' and did not give it"),
    (lambda columns: [1.0] * 5, TypeError, "a dict {column: rows} is expected, got list"),
    (lambda columns: {"quality": [1.0] * 4}, alcore.ShapeError, "expected 5 rows"),
    (lambda columns: {"quality": ["a"] * 5}, TypeError, r"the result of compute\(\), the column quality"),
    (lambda columns: {"quality": [[1.0, 2.0]] * 5}, alcore.ShapeError, "quality"),
    (lambda columns: 1 / 0, ZeroDivisionError, "division")])
def test_wrong_answers(answer, error, words):
    class Wrong(Together):
        def compute(self, texts, columns):
            return answer(columns)

    pool = alcore.Pool(TEXTS)
    with pytest.raises(error, match=words):
        alcore.Model(Wrong()).run(pool, "quality")
    with pytest.raises(alcore.NotFoundError):
        pool.get_column("quality")


def test_what_is_no_model():
    class Unsaid:
        def compute(self, texts, columns):
            pass

    with pytest.raises(TypeError, match="says which columns it makes"):
        alcore.Model(Unsaid())
    with pytest.raises(TypeError, match="needs one of the methods embed"):
        alcore.Model({})
    with pytest.raises(TypeError, match="a model of functions is {column: function}; 'probs' has none"):
        alcore.Model({"probs": 3})


def test_described_columns():
    class Told(Together):
        def describe(self, column):
            return {"margins": {"shape": "scalar"}, "logprobs": {"per_word": True}}.get(column)

        def compute(self, texts, columns):
            return dict(super().compute(texts, columns), **({"margins": [0.25] * len(texts)} if "margins" in columns else {}))

    pool = alcore.Pool(TEXTS)
    alcore.Model(Told()).run(pool, "margins", "logprobs")
    assert pool.column_info("margins")["shape"] == "scalar" and list(pool.get_column("margins")) == [0.25] * 5

    class Odd(Told):
        def describe(self, column):
            return {"colour": "red"}

    with pytest.raises(TypeError, match="describe.*colour"):
        alcore.Model(Odd()).run(pool, "margins")

    class Sigmoid:
        def class_probs(self, texts):
            return [[0.5]] * len(texts)

        def describe(self, column):
            return {"meaning": "sigmoid"}

    assert len(alcore.select(TEXTS, "1 items", "margin", model=Sigmoid()).indices) == 1
    with pytest.raises(alcore.Error, match="probs"):  # one number is no distribution
        alcore.select(TEXTS, "1 items", "margin", model={"probs": lambda texts: [[0.5]] * len(texts)})


def test_batches():
    class Reads(Together):
        reads = "references", "qa_contexts"
        batch_bytes = 8

    model = Reads()
    pool = alcore.Pool(TEXTS, references=["r%d" % row for row in range(4)] + [None])
    pool.set_column("qa_contexts", ["x", None, "z", "", "y"])
    alcore.Model(model).run(pool, "quality")
    assert [rows for rows, *_ in model.asked] == [[0], [1], [2, 3], [4]]  # texts of 3, 5, 1, 3 and 7 bytes
    assert [references for *_, references, _ in model.asked] == [["r0"], ["r1"], ["r2", "r3"], [None]]
    assert model.asked[2][3] == ["z", ""] and model.asked[1][3] == [None]
    seen = {}

    def look(texts):
        seen.update(id=texts.pool.id(texts.rows[1]), references=texts.references, pool=texts.pool)
        return [[1.0]] * len(texts)

    named = alcore.Pool(TEXTS, ids=list("pqrst"), references=TEXTS)
    alcore.Model({"embeddings": look}).run(named, "embeddings")
    assert seen["id"] == "q" and seen["references"] is None and list(seen["pool"]) == TEXTS


def test_cache_and_reads(tmp_path):
    """Columns are made of what `reads` names: other data does not matter."""
    class Kept(Together):
        reads = ("references",)

    def calls(**fields):
        model = Kept()
        with alcore.Pool(TEXTS, **fields) as pool:
            made = alcore.Model(model)
            made.set_cache(tmp_path)
            made.run(pool, "logprobs", "embeddings")
        return len(model.asked)

    assert [calls(references=TEXTS), calls(references=TEXTS), calls(references=TEXTS, costs=[1, 2, 3, 4, 5]),
            calls(references=TEXTS[::-1]), calls()] == [1, 0, 0, 1, 1]


class Translator:
    name = "translator"
    info = {"family": "reverse", "dims": 3, "labels": ["no", "yes"]}

    def __init__(self):
        self.language, self.seed = None, None

    def set_language(self, language):
        if language == "xx":
            raise ValueError("there are de and fr")
        self.language = language

    def set_dropout(self, seed):
        self.seed = seed

    def version(self):
        return "%s %s" % (self.language, self.seed)

    def score_references(self, texts):
        return [[-float(len(word)) for word in reference.split()] + [-0.5] for reference in texts.references]

    def translate(self, texts, *, best, language, **how):
        self.how = dict(how, language=language)
        return [[(text[::-1] + "!" * rank, [-1.0 - rank, -0.5]) for rank in range(best)] for text in texts]


def test_references_and_translations():
    own = Translator()
    model = alcore.Model(own)
    facts = model.info
    assert (facts["engine"], facts["family"], facts["dims"], facts["classes"], facts["labels"]) == ("host", "reverse", 3, 2, ["no", "yes"])
    assert facts["translates"] and facts["scores"] and not facts["trains"]
    assert model.score(TEXTS[:2], ["ab c", "d"]) == [[-2.0, -1.0, -0.5], [-1.0, -0.5]]
    assert model.translate(TEXTS, language="de", beams=3) == [text[::-1] for text in TEXTS]
    assert own.how["language"] == "de" and own.how["beams"] == 3 and own.how["sample"] is False
    assert own.how["temperature"] is None and own.how["length_penalty"] is None
    model.translate(TEXTS, sample=True, temperature=0.5)
    assert own.how["temperature"] == 0.5
    assert model.translate(["ab"], best=2, beams=2) == [[("ba", -1.5), ("ba!", -2.5)]]
    with alcore.Pool(TEXTS) as pool:
        out = model.translate(pool)
        values, offsets = out.get_column("logprobs")
        assert list(out) == [text[::-1] for text in TEXTS] and list(values[:2]) == [-1.0, -0.5] and offsets[-1] == 10
    model.set_language("fr")
    model.set_dropout(7)
    assert (own.language, own.seed) == ("fr", 7)
    model.set_dropout(None)
    assert own.seed is None
    with pytest.raises(ValueError, match="there are de and fr"):
        model.set_language("xx")
    with pytest.raises(alcore.UnsupportedError):
        model.run(alcore.Pool(TEXTS), "embeddings")


def test_round_trips():
    """rttl and rtt-bleu by hosts' models, which translate there and back, and score the originals as translations."""
    class There:
        def translate(self, texts, **how):
            return [text.upper() for text in texts]

    class Back:
        def translate(self, texts, **how):
            return [text.lower().replace("d", "x") for text in texts]

        def score_references(self, texts):
            return [[-1.0 if letter.lower() in "ce" else -0.25 for letter in reference.split()] for reference in texts.references]

    back = alcore.Model(Back())
    there = alcore.Model(There()).translate(TEXTS)
    with alcore.Pool(TEXTS) as pool:
        pool.set_column("roundtrip", back.translate(there))
        assert pool.select("1 items", "rtt-bleu").indices == [1]
        scores = back.score(there, TEXTS)
        assert scores[1] == [-1.0, -0.25, -1.0]
    assert alcore.select(TEXTS, "1 items", "rttl", logprobs=scores).indices == [1]
    assert alcore.metrics.bleu(back.translate(there), TEXTS).bleu < 100


@pytest.mark.parametrize("found, error, words", [
    (["x"], ValueError, "translate.*: 1 outputs for 5 texts"), ([("x", [0.5])] * 5, alcore.DataError, "row 0: the log-probability of token 0"),
    ([[]] * 5, alcore.MissingError, "gave no output for row 0"), ([3] * 5, AttributeError, "encode"),
    ([("x", [math.nan])] * 5, alcore.DataError, "row 0: the log-probability of token 0")])
def test_wrong_translations(found, error, words):
    class Wrong:
        def translate(self, texts, **how):
            return found

    with pytest.raises(error, match=words):
        alcore.Model(Wrong()).translate(TEXTS)
