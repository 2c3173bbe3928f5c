# SPDX-License-Identifier: Apache-2.0
"""Word alignment: the vectors of the specification through the package, links, files, what cannot be."""
import json
import struct

import pytest

import alcore

PAIRS = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book"), ("ein Haus ist klein", "a house is small"),
         ("das Buch ist klein", "the book is small")]
LINKS = [[(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2), (3, 3)], [(0, 0), (1, 1), (2, 2), (3, 3)]]


def vectors(root, name):
    return json.loads((root / "tests" / "vectors" / "aligner.json").read_text())["vectors"][name]


def text_of(links):
    return [" ".join("%d-%d" % link for link in pair) for pair in links]


def test_vectors_of_the_aligner(root):
    vector = vectors(root, "TV-ALIGN")
    pairs = list(zip(vector["input"]["sources"], vector["input"]["targets"]))
    seen = 0
    for known in vector["cases"]:
        given = known.get("input", {})
        if known["name"] in ("delta", "digamma"):
            continue
        model = alcore.Aligner(pairs, model="diagonal" if given.get("diagonal", True) else "ibm1",
                               estimate="bayes" if given.get("variational_bayes", True) else "counts",
                               tension=given.get("tension", "off"), p0=given.get("p0"), lambda_=given.get("lambda"))
        assert model.log_likelihoods == pytest.approx(known["expected"]["log_likelihoods"], rel=1e-9)
        assert text_of(model.links()) == known["expected"]["links"]
        assert text_of(model.apply(pairs)) == known["expected"]["links"]
        table = known["expected"]["table"]
        for source, target, t in zip(table["source"], table["target"], table["t"]):
            assert model.probability(None if source == "<null>" else source, target) == pytest.approx(t, rel=1e-9)
        if "lambdas" in known["expected"]:
            assert model.lambda_ == pytest.approx(known["expected"]["lambdas"][-1], rel=1e-9)
        seen += 1
    assert seen == 6


def test_vectors_of_symmetrization(root):
    for known in vectors(root, "TV-SYM")["cases"]:
        forward, reverse = (alcore.Links([[tuple(map(int, link.split("-"))) for link in known["input"][side].split()]])
                            for side in ("forward", "reverse"))
        for name, expected in known["expected"].items():
            assert name in alcore.symmetrizations()
            assert text_of(forward.symmetrize(reverse, name)) == [expected]
        assert list(forward.symmetrize(reverse)) == list(forward.symmetrize(reverse, "grow-diag-final-and"))


def test_both_directions_in_one_call():
    assert list(alcore.align(PAIRS)) == LINKS
    forward, reverse = alcore.Aligner(PAIRS).links(), alcore.Aligner(PAIRS, direction="reverse").links()
    for name in alcore.symmetrizations():
        assert list(alcore.align(PAIRS, symmetrization=name)) == list(forward.symmetrize(reverse, name))
    assert list(alcore.align(PAIRS, symmetrization="reverse")) == list(reverse)
    with alcore.Context(threads=3) as ctx:
        assert list(alcore.align(PAIRS * 50, context=ctx)) == list(alcore.align(PAIRS * 50))


def _read_aligner_file(data):
    """(source words, target words, {(source, target): t}) of an aligner file, by docs/spec/aligner.md."""
    head = struct.Struct("<8sIiiiiidddddQQQQQ")
    magic, version, _, _, _, _, iterations, _, _, _, _, _, sources, targets, source_bytes, target_bytes, pairs = head.unpack_from(data)
    assert (magic, version, head.size) == (b"ALALGN\r\n", 1, 112)
    at = head.size + 8 * iterations
    words = []
    for count, size in ((sources, source_bytes), (targets, target_bytes)):
        words.append([word.decode() for word in data[at:at + size].split(b"\n")[:-1]])
        assert len(words[-1]) == count
        at += size
    counts = struct.unpack_from("<%dI" % (sources + 1), data, at)
    at += 4 * len(counts)
    assert sum(counts) == pairs
    table = {}
    for source, count in zip([None] + words[0], counts):
        for _ in range(count):
            target, t = struct.unpack_from("<Id", data, at)
            table[source, words[1][target - 1]] = t
            at += 12
    assert at == len(data) - 8
    return words[0], words[1], table


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_files(tmp_path, direction):
    aligner = alcore.Aligner(PAIRS, direction=direction, tension="gradient")
    aligner.write(tmp_path / "a")
    data = (tmp_path / "a").read_bytes()
    sources, targets, table = _read_aligner_file(data)
    sides = [sorted({word for pair in PAIRS for word in pair[side].split()}) for side in (0, 1)]
    assert [sorted(sources), sorted(targets)] == (sides if direction == "forward" else sides[::-1])
    for (explaining, explained), t in table.items():
        assert t == (aligner.probability(explaining, explained) if direction == "forward"
                     else aligner.probability(explained, explaining))
    together = {(e, f) for pair in PAIRS for e in [None] + pair[direction == "reverse"].split()
                for f in pair[direction == "forward"].split()}
    assert set(table) == together
    read = alcore.Aligner.read(tmp_path / "a")
    assert (read.direction, read.lambda_, read.log_likelihoods) == (direction, aligner.lambda_, aligner.log_likelihoods)
    assert list(read.apply(PAIRS)) == list(aligner.links())
    read.write(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == data
    with pytest.raises(alcore.Error, match="no training pairs"):
        read.links()
    (tmp_path / "b").write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    with pytest.raises(alcore.Error, match="b: "):
        alcore.Aligner.read(tmp_path / "b")


def test_a_pool_with_references():
    pool = alcore.Pool([pair[0] for pair in PAIRS] + ["ein"], references=[pair[1] for pair in PAIRS] + [None])
    assert list(alcore.align(pool)) == LINKS + [[]]


def test_links():
    links = alcore.Links([[(1, 2), (0, 3), (1, 2)], []])
    assert len(links) == 2 and list(links) == [[(0, 3), (1, 2)], []]
    assert links[0] == links[-2] == [(0, 3), (1, 2)] and links[1:] == [[]]
    offsets, values = links.arrays()
    links.close()
    assert offsets.tolist() == [0, 2, 2] and values.tolist() == [[0, 3], [1, 2]]
    assert list(alcore.Links([])) == [] and "pairs=1" in repr(alcore.Links([[]]))
    with pytest.raises(IndexError):
        alcore.Links([[]])[1]


def test_files(tmp_path):
    path = tmp_path / "links.txt"
    alcore.align(PAIRS).write(path)
    assert path.read_text().splitlines()[3] == "0-0 1-1 2-2 3-3"
    assert list(alcore.Links.read(path)) == list(alcore.Links.read(path, pairs=5)) == LINKS
    with pytest.raises(alcore.DataError, match="5 lines, but there are 6"):
        alcore.Links.read(path, pairs=6)
    path.write_text("0-0\n1_2\n")
    with pytest.raises(alcore.DataError, match="links.txt:2: '1_2' is not a link"):
        alcore.Links.read(path)
    with pytest.raises(alcore.FileError):
        alcore.Links.read(tmp_path / "nowhere")


def test_what_cannot_be():
    with pytest.raises(TypeError, match=r"pairs\[1\]: a pair"):
        alcore.align([("a", "b"), "ab"])
    with pytest.raises(TypeError, match=r"targets\[0\]"):
        alcore.align([("a", None)])
    with pytest.raises(ValueError, match="did you mean 'grow-diag'"):
        alcore.align(PAIRS, symmetrization="grow-dag")
    with pytest.raises(ValueError, match="model: 'ibm2' is none of"):
        alcore.align(PAIRS, model="ibm2")
    with pytest.raises(ValueError, match="iterations is 1001"):
        alcore.align(PAIRS, iterations=1001)
    with pytest.raises(ValueError, match="word position -1"):
        alcore.Links([[(0, -1)]])
    with pytest.raises(ValueError, match="a link is a pair"):
        alcore.Links([[(0, 1, 2)]])
    with pytest.raises(ValueError, match="target is NULL"):
        alcore.Aligner(PAIRS).probability("das", None)
    with pytest.raises(TypeError, match="Links are expected"):
        alcore.Links([]).symmetrize([])
    with pytest.raises(ValueError, match="2 sentence pairs"):
        alcore.Links([[], []]).symmetrize(alcore.Links([[]]))
