# SPDX-License-Identifier: Apache-2.0
"""Pools, column writers, language models and the registry."""
import pytest

import alcore


def test_a_language_model_with_given_discounts(texts):
    with alcore.LanguageModel(["a b", "a c"], order=2) as counted, \
            alcore.LanguageModel(["a b", "a c"], order=2, discounts=[0.5, 1, 1.5]) as same, \
            alcore.LanguageModel(["a b", "a c"], order=2, discounts=(0.5, 1, 1.5, 0.4, 1, 1)) as other:
        assert counted.fingerprint == same.fingerprint != other.fingerprint  # too few counts for an estimate
    with pytest.raises(ValueError, match="2 discounts; 3 are needed"):
        alcore.LanguageModel(texts[:3], discounts=[1, 2])


def test_rows(texts):
    with alcore.Pool(texts[:3], ids=["x", None, "z"], languages=["de", None, "fr"], groups=["g", None, None],
                     references=["r", None, None], costs=[1, 2, 3]) as pool:
        assert len(pool) == 3 and pool[0] == texts[0] and pool[-1] == texts[2] and pool[1:] == texts[1:3]
        assert [pool.id(row) for row in range(3)] == ["x", "2", "z"]
        assert pool.language(1) == "unknown" and pool.group(1) is None and pool.reference(0) == "r"
        assert pool.cost(2) == 3 and pool.words(0) == len(texts[0].split()) and pool.find("z") == 2
        for wrong in (pool.__getitem__, pool.id, pool.words, pool.language):
            with pytest.raises(IndexError, match="the pool has 3"):
                wrong(3)
        with pytest.raises(alcore.NotFoundError):
            pool.find("w")
        assert "rows=3" in repr(pool)
    with pytest.raises(ValueError, match="ids: 1 were given for 2 texts"):
        alcore.Pool(["a", "b"], ids=["x"])
    with pytest.raises(ValueError, match="dedup: 'never' is none of exact, normalized, none"):
        alcore.Pool([], dedup="never")


def test_states():
    with alcore.Pool(["a b", "a b", "", "c d", "e f g"]) as pool:
        assert pool.count() == 3 and pool.count("duplicate") == 1 and pool.count(["duplicate", "empty"]) == 2
        pool.mark("excluded", [3])
        assert pool.states[3] == alcore.STATES["excluded"]
        pool.unmark("excluded", [3])
        pool.filter(min_words=3)
        assert pool.count("filtered") == 4 and pool.count() == 1
        pool.filter()
        pool.mark_texts("excluded", ["c d"])
        assert pool.count("excluded") == 1
        with pytest.raises(ValueError, match="is none of"):
            pool.mark("odd", [1])
        with pytest.raises(alcore.InvalidError):
            pool.mark("empty", [1])
        with pytest.raises(TypeError, match="integers"):
            pool.mark("excluded", [1.5])


def test_rows_of_every_form(numpy):
    with alcore.Pool(["a", "b", "c", "d"], ids=["w", "x", "y", "z"]) as pool:
        def marked(rows):
            pool.unmark("excluded", range(4))
            pool.mark("excluded", rows)
            return [row for row in range(4) if pool.states[row] & alcore.STATES["excluded"]]

        whole = numpy.array([9, 1, 9, 3, 9])
        for rows in ([1, 3], (1, 3), {1, 3}, range(1, 4, 2), numpy.array([1, 3]), whole[1::2], numpy.array([1, 3], "i4"),
                     numpy.array([1, 3], "u1"), numpy.array([1, 3], ">i8"), [numpy.int64(1), 3], iter([1, 3]),
                     [False, True, False, True], numpy.array([False, True, False, True]), ["x", "z"],
                     numpy.array(["x", "z"]), [numpy.str_("x"), "z"], pool.select(2, "random", eligible=[1, 3])):
            assert marked(rows) == [1, 3], repr(rows)
        assert marked(3) == marked("z") == [3] and marked([]) == marked(numpy.array([])) == []
        for wrong in ([1.0], numpy.array([1.0]), ["x", 1], [None], None, numpy.array(["2024-01-01"], "M8[D]")):
            with pytest.raises(TypeError):
                pool.mark("excluded", wrong)
        with pytest.raises(ValueError, match="scores rows: the mask has 2 entries, the pool 4 rows"):
            pool.set_column("scores", [1.0, 2.0], rows=numpy.array([True, False]))
        pool.set_column("scores", [1.0, 2.0], rows=numpy.array([True, False, False, True]))
        assert pool.column_rows("scores", [0, 3]).tolist() == [[1.0], [2.0]]
        pool.set_column("scores", [3.0, 4.0], rows=["x", "w"])
        assert pool.column_rows("scores", [0, 1]).tolist() == [[4.0], [3.0]]


def test_whole_numbers_are_exact(tmp_path):
    """ctypes keeps the low bits of a number that does not fit; the package says so instead."""
    top, texts = 2**64 - 1, ["a b", "c d", "e f", "g h"]
    for seed in (2**53 + 1, 2**63 - 1, 2**63, top - 1, top, True):
        assert alcore.select(texts, 1, "random", seed=seed).provenance["seed"] == seed
        with alcore.Context(seed=seed) as ctx, alcore.Pool(texts, context=ctx) as pool:
            picked = pool.select(4, "random")
            assert picked.provenance["seed"] == seed
            assert picked.indices == alcore.select(texts, 4, "random", seed=seed).indices
            assert pool.candidates(2, seed=seed) == pool.candidates(2)
    orders = {tuple(alcore.select(texts, 4, "random", seed=seed).indices) for seed in range(top - 60, top + 1)}
    assert len(orders) > 12  # the low bits count too
    for wrong in (2**64, 2**64 + 1, -1, 2**70, 1.5, "first"):
        with pytest.raises(alcore.ParamError, match="seed is an integer"):
            alcore.select(texts, 1, "random", seed=wrong)
    for wrong in (2**64, -1, 2**70):
        with pytest.raises(ValueError, match="seed: an integer from 0 to 18446744073709551615 is expected, got"):
            alcore.Context(seed=wrong)
        with pytest.raises(ValueError, match="seed: an integer"):
            alcore.Model.ngram(seed=wrong)
    with pytest.raises(ValueError, match="threads: an integer from -2147483648 to 2147483647"):
        alcore.Context(threads=2**32 + 1)
    with pytest.raises(ValueError, match="order: an integer"):
        alcore.LanguageModel(texts, order=2**32 + 2)
    with alcore.Pool(texts) as pool:
        for row in (2**64 + 1, 2**64, -2**64, 2**63, 4):
            for read in (pool.id, pool.words, pool.language, pool.group, pool.reference, pool.cost, pool.__getitem__):
                with pytest.raises(IndexError, match="row %d: the pool has 4" % row):
                    read(row)
            with pytest.raises((TypeError, alcore.NotFoundError)):
                pool.mark("excluded", [row])
        assert len(pool.candidates(2**64 + 1)) == 4
        for wrong in (-1, -2**63 - 1, -2**64 + 3):
            with pytest.raises(ValueError, match="0 or more"):
                pool.candidates(wrong)
        with alcore.LanguageModel(texts, order=2) as model:
            assert model.ngrams(2**32 + 1) == 0 < model.ngrams(1)

        @alcore.strategy
        def draws(view):
            assert view.random(top) != view.random(top - 1)
            with pytest.raises(ValueError, match="counter"):
                view.random(top + 1)
            return [1.0] * len(view)
        pool.select(1, draws)


def test_whole_numbers_of_numpy(numpy):
    with alcore.Pool(["a b", "c d"]) as pool:
        assert pool[numpy.int64(1)] == "c d" and pool.id(numpy.uint8(1)) == "2" and len(pool.candidates(numpy.int32(1))) == 1
        assert pool.select(numpy.int64(1), "random", seed=numpy.uint64(2**64 - 1)).provenance["seed"] == 2**64 - 1


def test_files(tmp_path, texts):
    path = tmp_path / "pool.jsonl"
    path.write_text('{"id": "q", "text": "a b"}\n{"id": "r", "text": "c d"}\n')
    with alcore.Pool(path) as pool:
        assert list(pool) == ["a b", "c d"] and pool.id(0) == "q"
        pool.write([1], tmp_path / "out.tsv")
        assert "c d" in (tmp_path / "out.tsv").read_text()
        for name, form in (("out.jsonl", "auto"), ("out", "tsv"), ("out", "jsonl")):
            pool.write([1, 0], tmp_path / name, form)
            with alcore.Pool() as back:
                back.read(tmp_path / name, format=form)
                assert list(back) == ["c d", "a b"] and [back.id(row) for row in (0, 1)] == ["r", "q"]
        pool.write([1], tmp_path / "out", format="text")
        assert (tmp_path / "out").read_text() == "c d\n"
        with pytest.raises(ValueError, match="none of auto, text, tsv"):
            pool.write([1], tmp_path / "out", "xml")
        with pytest.raises(alcore.DataError, match='pool.jsonl:1: the id "q" is that of row 0 too, which was added before'):
            pool.read(path)
        assert len(pool) == 2
    with alcore.Pool(path, repeated_ids="per_call") as pool:
        pool.read(path)
        assert len(pool) == 4
    assert alcore.select(path, 1, "random").ids[0] in "qr"
    with pytest.raises(alcore.FileError, match="none.txt"):
        alcore.Pool(tmp_path / "none.txt")
    with pytest.raises(OSError):
        alcore.Pool(tmp_path / "none.txt")


def test_column_files(tmp_path, numpy):
    numpy.save(tmp_path / "e.npy", numpy.arange(6.0).reshape(3, 2))
    with alcore.Pool(["a", "b", "c"]) as pool:
        pool.set_column("embeddings", tmp_path / "e.npy")
        assert pool.column_rows("embeddings", [2, 0]).tolist() == [[4, 5], [0, 1]]
        pool.set_column("scores", [1, 2, 3])
        assert pool.column_rows("scores", [1]).tolist() == [[2]]
        with pytest.raises(alcore.NotFoundError, match="embeddings"):
            pool.column_rows("embedding", [1])
        assert sorted(pool.columns) == ["embeddings", "scores"]
        pool.write_column("scores", tmp_path / "s.npy")
        assert numpy.load(tmp_path / "s.npy").tolist() == [1, 2, 3]
        pool.write_column("scores", tmp_path / "s", "tsv")
        assert (tmp_path / "s").read_text() == "1\t1\n2\t2\n3\t3\n"
        pool.drop_column("scores")
        assert pool.columns == ["embeddings"]
        with pytest.raises(alcore.NotFoundError):
            pool.get_column("scores")


def test_column_writer(tmp_path):
    with alcore.Pool(["a b", "c", "d e"]) as pool:
        with pool.column("logprobs") as writer:
            writer.put([2, 0], [-1.0, -2.0, -3.0, -4.0], [2, 2])
            assert writer.missing == [1]
            writer.put([1, 2], [-5.0, -9.0, -9.0], [1, 2])
            assert writer.repeats == 1 and writer.missing == []
        values, offsets = pool.get_column("logprobs")
        assert values.tolist() == [-3, -4, -5, -1, -2] and offsets.tolist() == [0, 2, 3, 5]
        with pytest.raises(alcore.MissingError, match="1"):
            with pool.column("scores") as writer:
                writer.put([0, 2], [1.0, 2.0])
        with pytest.raises(RuntimeError):
            with pool.column("scores") as writer:
                raise RuntimeError
        assert pool.columns == ["logprobs"]
        with pool.column("scores", missing="mask") as writer:
            writer.put([0, 2], [1.0, 2.0])
        assert pool.count("missing") == 1
        with pool.column("mine") as writer:
            writer.put([0, 1, 2], [[1.0, 2.0]] * 3)
        assert pool.get_column("mine").tolist() == [[1, 2]] * 3
        with pytest.raises(ValueError, match="nothing was put"):
            with pool.column("other"):
                pass
        with pytest.raises(ValueError, match="2 lengths were given for 1 rows"):
            pool.column("logprobs").put([0], [-1.0], [1, 1])
        first, second = pool.column("scores"), pool.column("scores")
        first.put([0, 1], [1.0, 2.0])
        second.put([2], [3.0])
        first.save(tmp_path / "part")
        second.merge(tmp_path / "part")
        second.finish()
        assert pool.get_column("scores").tolist() == [1, 2, 3]


def test_registry():
    strategies = alcore.strategies()
    assert set(strategies["huds"]) == {"summary", "needs", "params"}
    assert strategies["huds"]["needs"]["candidates"]
    facts = {fact["name"]: fact for fact in strategies["huds"]["params"]}
    assert facts["lambda"]["type"] == "numbers" and facts["lambda"]["help"]
    assert alcore.scorers()["entropy"]["needs"]
    assert {"budget", "seed", "round"} <= {fact["name"] for fact in alcore.request_options()}
    with alcore.Scorer("entropy") as scorer:
        with pytest.raises(alcore.ParamError):
            scorer.set(nonsense=1)


def test_language_model(tmp_path, texts):
    with alcore.LanguageModel(texts[:100], order=3) as model:
        assert model.order == 3 and model.ngrams(1) > 10 and model.ngrams(9) == 0
        values = model.token_logprobs("the data")
        assert len(values) == 3 and max(values) <= 0
        assert abs(sum(values) / 2.302585092994046 - model.score("the data")) < 1e-4
        model.write(tmp_path / "m.arpa")
        with alcore.LanguageModel.read(tmp_path / "m.arpa") as again:
            assert abs(again.score("the data") - model.score("the data")) < 1e-4
        assert model.fingerprint and "order=3" in repr(model)
    with pytest.raises(alcore.DataError):
        alcore.LanguageModel([])


def test_context(tmp_path):
    with alcore.Context(threads=2, seed=5, module_dir=tmp_path) as ctx:
        assert ctx.threads == 2 and ctx.device_reason("cpu") == "" and str(tmp_path) in ctx.device_reason("cuda")
        with alcore.Pool(["a b", "c d", "e f", "g h"], context=ctx) as pool:
            assert pool.select(1, "random").provenance["seed"] == 5
    assert alcore.build_info() and alcore.version().count(".") == 2


def test_columns_of_integers_and_texts():
    pool = alcore.Pool(["one", "two", "three"])
    pool.set_column("count", [3, 2 ** 53 + 1, 1])
    assert pool.column_rows("count", [1, 0]).tolist() == [[2 ** 53 + 1], [3]]
    assert pool.column_info("count")["dtype"] == "int64"
    pool.set_column("mixed", [1, 2.5, 3])
    assert pool.column_info("mixed")["dtype"] == "float64"
    pool.set_column("note", ["x", None, "z"])
    assert pool.get_column("note") == ["x", None, "z"]
    assert pool.column_rows("note", [2]) == ["z"]
    info = pool.column_info("note")
    assert (info["dtype"], info["entries"], info["in_file"]) == ("text", 3, False)
    with pytest.raises(alcore.ShapeError):
        pool.set_column("scores", ["x", "y", "z"])


def test_labels_and_costs_that_come_back():
    pool = alcore.Pool(["one", "two", "three"])
    pool.mark_labeled([0, 2], references=["eins", "drei"])
    assert [pool.reference(row) for row in range(3)] == ["eins", None, "drei"]
    assert pool.count("labeled") == 2
    pool.set_references([0], [None])
    assert pool.reference(0) is None
    pool.set_costs([1], [2.5])
    assert pool.cost(1) == 2.5
    with pytest.raises(alcore.DataError):
        pool.set_costs([1], [-1])
    with pytest.raises(ValueError):
        pool.set_references([0, 1], ["one"])
    assert pool.cost(1) == 2.5


def test_derived_pool():
    pool = alcore.Pool(["a b c", "b c"])
    phrases = alcore.Pool(["b c", "a"], source=pool)
    assert phrases.source is pool and pool.source is None
    phrases.set_column("first_row", [0, 0])
    phrases.set_column("source_rows", ([0, 1, 0], [0, 2, 3]))
    with pytest.raises(alcore.NotFoundError):
        phrases.set_column("first_row", [0, 2])
    assert phrases.fingerprint == alcore.Pool(["b c", "a"]).fingerprint != pool.fingerprint


def test_column_writer_takes_a_meaning():
    pool = alcore.Pool(["one", "two", "three"])
    with pool.column("probs", meaning="logits") as writer:
        writer.put([0, 1, 2], [[0.0, 9.0], [1.0, 1.1], [0.0, 5.0]])
    assert list(alcore.select(pool, budget=1, strategy="margin")) == [1]


def test_malformed_lines_are_masked_on_request(tmp_path):
    path = tmp_path / "pool.tsv"
    path.write_text("id\ttext\n1\tone\n2\n3\tthree\n")
    with pytest.raises(alcore.DataError):
        alcore.Pool().read(path)
    pool = alcore.Pool().read(path, bad_lines="mask")
    assert len(pool) == 3 and pool.count("malformed") == 1 and pool.count() == 2


def test_two_files_of_a_parallel_corpus(tmp_path):
    (tmp_path / "train.en").write_text("a house\ntwo\n")
    (tmp_path / "train.de").write_text("ein Haus\nzwei\n")
    pool = alcore.Pool().read(tmp_path / "train.en", references=tmp_path / "train.de")
    assert [pool.reference(row) for row in range(2)] == ["ein Haus", "zwei"]
    (tmp_path / "short.de").write_text("ein Haus\n")
    with pytest.raises(alcore.DataError, match=r"train.en has 2 records and .*short.de has 1"):
        pool.read(tmp_path / "train.en", references=tmp_path / "short.de")
    assert len(pool) == 2


def test_columns_of_texts_and_references(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"translation": {"en": "a house", "de": "ein Haus"}}\n')
    pool = alcore.Pool().read(path, text_column="de", reference_column="en")
    assert pool[0] == "ein Haus" and pool.reference(0) == "a house"
    with pytest.raises(alcore.DataError, match="text_column"):
        alcore.Pool().read(path)
    with pytest.raises(TypeError, match="reference_column"):
        alcore.Pool().read(path, reference_column=b"en")


def test_sentences_of_conll(tmp_path):
    path = tmp_path / "pos.conll"
    path.write_text("the\tDT\tDET\ncat\tNN\tNOUN\n\nsat\tVB\tVERB\n")
    pool = alcore.Pool().read(path)
    assert list(pool) == ["the cat", "sat"] and pool.reference(0) == "DET NOUN"
    pool = alcore.Pool().read(path, text_column=1, reference_column=2)
    assert pool.reference(0) == "DT NN" and pool.words(0) == 2
    pool.read(path, language="en")
    assert [pool.language(row) for row in range(4)] == ["unknown"] * 2 + ["en"] * 2
    assert list(alcore.Pool().read(path, format="text"))[0] == "the\tDT\tDET"
    with pytest.raises(alcore.ParamError, match="columns 1 to 3"):
        alcore.Pool().read(path, text_column=4)
