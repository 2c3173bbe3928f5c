#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static models beside the packages that are installed now, in TAP: folders with random numbers that they write, real texts of 22
languages; the vectors are the same to 1e-6. sentence-transformers needs torch: where it cannot be imported its case is skipped.
usage: compare.py ROOT BUILD

model2vec is that of build/static-venv, made from tests/bench/static_peers.txt; $ALCORE_STATIC_PYTHON names another interpreter."""
import lzma
import os
import sys
import tempfile

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("tools", "bench", "static")] + [os.path.join(BUILD, "bindings", "python")]
os.environ.update(TOKENIZERS_PARALLELISM="false", ALCORE_LIBRARY=os.path.join(BUILD, "lib", "libalcore.so.1"))
from tap import Tap  # noqa: E402
import peers  # noqa: E402

OTHER = os.environ.get("ALCORE_STATIC_PYTHON")
SHARED = os.environ.get("ALCORE_SHARED_DATA") or os.path.join(ROOT, os.pardir, "shared", "data")


def texts():
    """Sentences of SIB-200 in 22 languages: those beside the project, else those of tests/tokenizer/corpus.txt."""
    folder, found = os.path.join(SHARED, "topics"), []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with lzma.open(os.path.join(folder, name), "rt", encoding="utf-8", newline="\n") as file:
            found += [line.rstrip("\n").split("\t")[-1] for line in file][1:]
    if found:
        return found[::4]  # all of them take a minute of the packages
    with open(os.path.join(ROOT, "tests", "tokenizer", "corpus.txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def check(tap, name, folder, wanted, numpy, alcore, limit):
    model = alcore.Model.open(folder)
    found = numpy.asarray(model.embed(texts()))
    off = float((numpy.abs(found - wanted) / (1 + numpy.abs(wanted))).max())
    tap.check(found.shape == wanted.shape and off <= limit, name, off)
    print("# %s: %d texts, at most %.1e apart" % (name, len(wanted), off))


def main():
    if not OTHER:
        failed = peers.enter(ROOT, os.path.join("tests", "bench", "static_peers.txt"), "static-venv")
        if failed:
            print("1..0 # SKIP", failed)
            return 0
    elif os.path.abspath(sys.executable) != os.path.abspath(OTHER):
        os.execv(OTHER, [OTHER, *sys.argv])
    import alcore
    import make_static
    import numpy
    tap = Tap()
    with tempfile.TemporaryDirectory() as box:
        # Without "quantized", which needs scikit-learn. The package rounds the results of float16.
        for family, dtype, settings in (("bert_uncased", "float32", {"normalize": True}), ("xlmr", "float32", {"weights": "float32"}),
                                        ("gpt2", "int8", {"max_length": None, "normalize": True}), ("t5", "float16", {"normalize": True}),
                                        ("bert_cased", "float64", {"max_length": 9})):
            model = make_static.static_model(family, dtype, **settings)
            folder = os.path.join(box, family)
            model.save_pretrained(folder)
            check(tap, "model2vec %s %s" % (family, dtype), folder, model.encode(texts()), numpy, alcore, 1e-3 if dtype == "float16" else 1e-6)
        try:
            import sentence_transformers  # noqa: F401
        except ImportError as error:
            tap.skip("sentence-transformers", "cannot be imported: %s" % error)
        else:
            for name, model in make_static.sentence_folders().items():
                if name == "brain":
                    continue  # its results are rounded to bfloat16
                folder = os.path.join(box, name)
                model.save(folder, create_model_card=False)
                check(tap, "sentence-transformers " + name, folder, model.encode(texts()), numpy, alcore, 1e-6)
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
