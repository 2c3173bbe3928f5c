# SPDX-License-Identifier: Apache-2.0
"""Translation memories beside translate-toolkit: what it writes is read as it reads it, for every two of their languages."""
import itertools
import random
import re

import pytest

import alcore

tmx = pytest.importorskip("translate.storage.tmx", reason="translate-toolkit is not here")
LANGUAGES = ["en", "de-DE", "fr", "zh-Hans"]
PARTS = ["a house", " ", "\n", "\t", "&", "<b>", "\"", "'", "]]>", "\u00e9", "\u4e2d\u6587", "\U0001f600", "\u2028", "\u00a0", "%s", "{0}", "x" * 300]


def text_of(draw):
    return "".join(draw.choices(PARTS, k=draw.randint(1, 6))) or "x"


def memory_of(draw, units):
    """A memory as translate-toolkit writes it, whose units have some of the languages in any order."""
    store = tmx.tmxfile(sourcelanguage="en")
    for number in range(units):
        unit = tmx.tmxunit(None)
        unit.xmlelement.set("tuid", "u%d" % number)
        for language in draw.sample(LANGUAGES, draw.randint(1, len(LANGUAGES))):
            unit.xmlelement.append(unit.createlanguageNode(language, text_of(draw), "target"))
        store.addunit(unit)
    return bytes(store)


@pytest.mark.parametrize("seed", range(10))
def test_every_pair_of_languages(seed, tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_bytes(memory_of(random.Random(seed), 60))
    for source, target in itertools.permutations(LANGUAGES, 2):
        # How a tag is written is of no account.
        asked = source.replace("-", "_").upper() if seed % 2 else source
        theirs = tmx.tmxfile.parsestring(path.read_bytes(), sourcelanguage=source, targetlanguage=target)
        wanted = [(unit.getid(), unit.source, unit.target or None) for unit in theirs.units if unit.source is not None]
        pool = alcore.Pool(dedup="none")
        pool.read(path, text_column=asked, reference_column=target)
        ours = [(pool.id(row), pool[row], pool.reference(row)) for row in range(len(pool))]
        assert ours == [(name, str(text), None if reference is None else str(reference)) for name, text, reference in wanted]


def test_codes_are_left_out(tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_text("<tmx version='1.4'><header srclang='en'/><body><tu><tuv xml:lang='en'><seg>a <bpt i='1'>&lt;b></bpt><hi>bold</hi>"
                    "<ept i='1'>&lt;/b></ept> word</seg></tuv></tu></body></tmx>")
    theirs = tmx.tmxfile.parsestring(path.read_bytes()).units[0].source
    pool = alcore.Pool()
    pool.read(path)
    assert (str(theirs), pool[0]) == ("a <b>bold</b> word", "a bold word")
    assert re.sub("<.*?>", "", str(theirs)) == pool[0]
