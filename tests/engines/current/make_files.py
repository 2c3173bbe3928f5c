# SPDX-License-Identifier: Apache-2.0
"""Writes files as today's packages write them, and expected.json with what those packages read in them. They are frozen in
tests/bindings/python/package_files, which tests/bindings/python/test_package_files.py reads without the packages."""
import json
import os
import sys

PACKAGES = ["numpy==2.4.6", "ml_dtypes==0.6.0", "safetensors==0.8.0", "kenlm==0.3.0", "sacrebleu==2.6.0", "lxml==6.1.3"]
KEPT = {"package_files": "tests/bindings/python/package_files"}

ROWS = [[0.0, 1.5, -2.0], [3.0, -0.25, 64.0], [5.0, 6.0, -7.5], [1.0, 0.5, 2.0]]
WHOLE = [[0, 1, 2], [3, 100, 5], [6, 7, 127], [1, 0, 1]]

GRAMS = """-1.09505801	%s	0
0	<s>	-0.301029996
-1.09505801	</s>	0
-0.954242509	the	-0.301029996
-0.954242509	cat	-0.301029996
-0.897924146	dog	-0.2

\\2-grams:
-0.410174465	<s> the	-0.301029996
-0.653212514	the cat	-0.301029996
-0.537346083	cat </s>	0
-0.638433582	the %s	-0.1

\\3-grams:
-0.442359148	<s> the cat
-0.185234638	<s> the %s

\\end\\
"""
SENTENCES = ["the cat", "the dog", "", "zebra", "the zebra cat", "dog dog the cat cat"]

WMT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest.en-de">
  <collection id="general">
    <doc origlang="en" id="a.1" domain="news">
      <src lang="en">
        <p>
          <seg id="1">It&#8217;s a "test" &amp; more.</seg>
          <seg id="2">A <![CDATA[<b>]]> second
             line.</seg>
        </p>
        <p><seg id="3">Third.</seg></p>
      </src>
      <ref lang="de" translator="A"><p><seg id="1">Ein Test.</seg><seg id="2">Zwei.</seg></p><p><seg id="3">Drei.</seg></p></ref>
      <ref lang="de" translator="B"><p><seg id="1">B1</seg><seg id="2">B2</seg></p><p><seg id="3">B3</seg></p></ref>
      <hyp lang="de" system="Sys-1"><p><seg id="1">H1</seg><seg id="2">H2</seg><seg id="3">H3</seg></p></hyp>
    </doc>
    <doc origlang="de" id="b.2" domain="social">
      <src lang="en"><p><seg id="1">Fourth.</seg></p></src>
      <ref lang="de" translator="A"><p><seg id="1">Vier.</seg></p></ref>
      <ref lang="de" translator="B"><p><seg id="1">B4</seg></p></ref>
      <hyp lang="de" system="Sys-1"><p><seg id="1">H4</seg></p></hyp>
    </doc>
  </collection>
</dataset>
"""


def arrays(folder, expected):
    """Matrices in both byte and memory orders, by numpy and ml_dtypes; tensors of all types in one file, by safetensors."""
    import ml_dtypes
    import numpy
    import safetensors.numpy
    bfloat16 = numpy.dtype(ml_dtypes.bfloat16)
    types = {"f2": "<f2", "f4": "<f4", "f8": "<f8", "f4_big": ">f4", "f8_big": ">f8", "bf16": bfloat16, "bf16_big": bfloat16.newbyteorder(">"),
             "i1": "i1", "u1": "u1", "i2": "<i2", "i2_big": ">i2", "u2": "<u2", "i4_big": ">i4", "u4": "<u4", "i8_big": ">i8", "bool": "?"}
    for name, type in types.items():
        for order in "CF":
            values = numpy.array(ROWS if name[0] in "fb" and name != "bool" else WHOLE).astype(type)
            path = "%s_%s.npy" % (name, order)
            numpy.save(os.path.join(folder, path), numpy.asarray(values, order=order))
            expected["arrays"][path] = numpy.asarray(values, dtype="f8").tolist()
    tensors = {name: numpy.ascontiguousarray(numpy.array(WHOLE).astype(type)) for name, type in (
        ("f32", "f4"), ("f16", "f2"), ("i8", "i1"), ("i16", "i2"), ("u16", "u2"), ("u32", "u4"), ("bool", "?"), ("c64", "c8"))}
    safetensors.numpy.save_file(tensors, os.path.join(folder, "all.safetensors"))
    for name in ("f32", "f16", "i8", "i16", "u16", "u32", "bool"):
        expected["arrays"]["all.safetensors:" + name] = numpy.asarray(tensors[name], dtype="f8").tolist()


def models(folder, expected):
    """ARPA files in the forms of SRILM and IRSTLM, and the log10 probabilities that kenlm has for sentences."""
    import kenlm
    forms = {"lmplz.arpa": ("\\data\\\nngram 1=6\nngram 2=4\nngram 3=2\n\n\\1-grams:\n", "<unk>"),
             "irstlm.arpa": ("\n\\data\\\nngram  1=         6\nngram  2=         4\nngram  3=         2\n\n\n\\1-grams:\n", "<UNK>"),
             "srilm.arpa": ("\n\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n\\1-grams:\n", None)}
    for name, (header, unknown) in forms.items():
        lines = [line for line in GRAMS.splitlines(True) if unknown or "%s" not in line]
        grams = "".join(lines).replace("%s", unknown or "")
        if not unknown:
            grams = grams.replace("0\t<s>", "-99\t<s>")
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(header + grams)
        model = kenlm.Model(path)
        expected["models"][name] = [[text, model.score(text, bos=True, eos=True)] for text in SENTENCES]


def test_sets(folder, expected):
    """A complete test set, and what sacreBLEU makes of it."""
    from sacrebleu.dataset.wmt_xml import WMTXMLDataset
    path = os.path.join(folder, "wmt.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(WMT)
    for field, texts in WMTXMLDataset._unwrap_wmt21_or_later(path).items():
        expected["test_sets"][field] = [WMTXMLDataset._clean(text) for text in texts]


def main(folder):
    folder = os.path.join(folder, "package_files")
    os.makedirs(folder, exist_ok=True)
    expected = {"arrays": {}, "models": {}, "test_sets": {}}
    for make in (arrays, models, test_sets):
        make(folder, expected)
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(expected, file, indent=1, ensure_ascii=False, sort_keys=True)


if __name__ == "__main__":
    main(sys.argv[1])
