# SPDX-License-Identifier: Apache-2.0
"""Tokenizers: ids and spans, pairs, options, decoding, what cannot be."""
import gc

import pytest

import alcore

TOKENS = ["[UNK]", "[CLS]", "[SEP]", "sel", "##ect", "words", "!", "caf", "##e"]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    return tmp_path


def test_texts_become_tokens_and_texts_again(path):
    with alcore.Tokenizer.open(path) as tokenizer:
        tokens = tokenizer.encode(["Select  Caf\u00e9!", "", "x"])
        assert len(tokenizer) == len(TOKENS) and len(tokens) == 3
        assert list(tokens) == [[1, 3, 4, 7, 8, 6, 2], [1, 2], [1, 0, 2]]
        assert tokens[0] == tokens[:1][0] == list(tokens)[0] and tokens[-1] == [1, 0, 2]
        text = "Select  Caf\u00e9!".encode()
        assert [text[begin:end].decode() for begin, end in tokens.spans(0)] == ["", "Sel", "ect", "Caf", "\u00e9", "!", ""]
        assert tokenizer.decode(tokens[0]) == "select cafe!"
        assert tokenizer.decode(tokens[0], special=True) == "[CLS] select cafe! [SEP]"
        assert tokenizer.decode([5] * 1000) == " ".join(["words"] * 1000)


def test_every_option_changes_the_tokens(path):
    tokenizer = alcore.Tokenizer(path)
    texts, pairs = ["select words"], ["words words"]
    assert tokenizer.encode(texts, special=False)[0] == [3, 4, 5]
    assert tokenizer.encode(texts, max_tokens=4)[0] == [1, 3, 4, 2]
    assert tokenizer.encode(texts, pairs)[0] == [1, 3, 4, 5, 2, 5, 5, 2]
    assert tokenizer.encode(texts, pairs, max_tokens=7)[0] == [1, 3, 4, 5, 2, 5, 2]
    with pytest.raises(alcore.ParamError, match="deu_Latn"):
        tokenizer.encode(texts, language="deu_Latn")
    assert tokenizer.encode(texts, as_target=True)[0] == tokenizer.encode(texts)[0]


def test_arrays_outlive_their_tokens(path):
    offsets, ids, types, spans, marks = alcore.Tokenizer(path).encode(["select words"], ["words"]).arrays()
    gc.collect()
    assert offsets.tolist() == [0, 7] and ids.tolist() == [1, 3, 4, 5, 2, 5, 2]
    assert types.tolist() == [0, 0, 0, 0, 0, 1, 1] and spans.tolist()[1:3] == [[0, 3], [3, 6]]
    assert marks.tolist() == [1, 2, 0, 2, 1, 2, 1]


def test_tokens_by_name_and_number(path):
    tokenizer = alcore.Tokenizer(path / "vocab.txt")
    assert [tokenizer.token(number) for number in range(len(TOKENS))] == TOKENS
    assert [tokenizer.id(token) for token in TOKENS] == list(range(len(TOKENS))) and tokenizer.id("x") is None
    with pytest.raises(alcore.NotFoundError, match="99"):
        tokenizer.token(99)


#: A sentencepiece model: <unk>, </s>, U+2581, on, e and t.
PIECES = (b"\x0a\x0e\x0a\x05<unk>\x15\0\0\0\0\x18\x02\x0a\x0d\x0a\x04</s>\x15\0\0\0\0\x18\x03"
          b"\x0a\x0a\x0a\x03\xe2\x96\x81\x15\0\0\x80\xbf\x0a\x09\x0a\x02on\x15\0\0\0\xc0"
          b"\x0a\x08\x0a\x01e\x15\0\0@\xc0\x0a\x08\x0a\x01t\x15\0\0`\xc0\x12\x02\x08\x01")


def test_a_vocabulary_is_trained(tmp_path, monkeypatch):
    program, pieces, arguments = tmp_path / "spm_train", tmp_path / "pieces", tmp_path / "arguments"
    pieces.write_bytes(PIECES)
    program.write_text("#!/bin/sh\necho \"$@\" >%s\ncp %s out.model\n" % (arguments, pieces))
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    tokenizer = alcore.Tokenizer.train(["one", "ten"], tmp_path / "out.model", tokens=6, kind="bpe", coverage=1, byte_fallback=True,
                                       max_texts=1, seed=3)
    assert tokenizer.encode(["ton"])[0] == [2, 5, 3] and len(tokenizer) == 6
    given = arguments.read_text().split()
    assert {"--model_type=bpe", "--vocab_size=6", "--character_coverage=1", "--byte_fallback=true"} <= set(given)
    with pytest.raises(ValueError, match="unigram"):
        alcore.Tokenizer.train(["one"], tmp_path / "out.model", kind="words")
    with pytest.raises(alcore.ParamError, match="tokens is 2"):
        alcore.Tokenizer.train(["one"], tmp_path / "out.model", tokens=2)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(alcore.UnsupportedError, match="the package sentencepiece"):
        alcore.Tokenizer.train(["one"], tmp_path / "out.model")


def test_what_cannot_be(path, tmp_path):
    with pytest.raises(alcore.Error, match="no tokenizer here"):
        alcore.Tokenizer(tmp_path / "missing")
    (tmp_path / "tokenizer.json").write_text('{"normalizer": {"type": "Magic"}, "model": {}}')
    with pytest.raises(alcore.UnsupportedError, match="normalizer.*Magic"):
        alcore.Tokenizer(tmp_path)
    tokenizer = alcore.Tokenizer(path / "vocab.txt")
    with pytest.raises(ValueError, match="pairs: 1 texts, but there are 2"):
        tokenizer.encode(["a", "b"], ["c"])
    with pytest.raises(TypeError, match="texts: a list is expected, not one text"):
        tokenizer.encode("select")
    with pytest.raises(alcore.ParamError, match="2 special tokens"):
        tokenizer.encode(["a"], max_tokens=1)
