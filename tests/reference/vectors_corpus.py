# SPDX-License-Identifier: Apache-2.0
"""TV-LM2 and TV-ALIGN2 (spec 6.5, 6.6) over a corpus that lies beside the project: $ALCORE_SHARED_DATA, or ../shared/data.
Minutes of plain Python; not part of what make_vectors.py writes by itself."""
import lzma
import math
import os
import pathlib

import aligner
import language_model


def rows(count):
    """(source, target): de and en of the first rows of en-de/general.tsv.xz."""
    beside = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
    path = pathlib.Path(os.environ.get("ALCORE_SHARED_DATA", beside)) / "en-de" / "general.tsv.xz"
    if not path.exists():
        raise ModuleNotFoundError(f"no corpus at {path}")
    out = []
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        names = next(file).rstrip("\n").split("\t")
        for line in file:
            fields = line.rstrip("\n").split("\t")
            out.append((fields[names.index("de")], fields[names.index("en")]))
            if len(out) == count:
                return out
    return out


def align_case(name, pairs, **options):
    """A case of training on `pairs`: log-likelihoods, lambdas, the number of links."""
    model = aligner.Aligner(pairs, **options)
    expected = {"log_likelihoods": model.likelihoods, "links": sum(len(a) for a in model.links)}
    if model.lambdas:
        expected["lambdas"] = model.lambdas
    return {"name": name, "input": {{"bayes": "variational_bayes"}.get(key, key): value for key, value in options.items()},
            "expected": expected}


def vectors():
    """The two vectors; needs the corpus and minutes."""
    model = language_model.Model([en for _, en in rows(20000)], 3)
    pairs = rows(5000)
    return {
        "TV-LM2": {
            "spec": "6.5",
            "about": "Order 3 over the English side of the first 20,000 rows of en-de/general.",
            "origin": "reference; every probability and back-off within 5e-7 of KenLM's lmplz",
            "input": {"rows": 20000, "order": 3},
            "cases": [{"name": "model", "expected": {
                "ngrams": [model.size + 1] + [len(table) for table in model.adjusted[2:]], "vocabulary": model.size,
                "counts_of_counts": model.counts, "discounts": [list(d[1:]) for d in model.discount[1:]],
                "log10": [math.log10(model.p("</s>")), math.log10(model.p("<unk>"))], "back_off_of_start": math.log10(model.gamma(("<s>",)))}}],
        },
        "TV-ALIGN2": {
            "spec": "6.6",
            "about": "German to English over the first 5,000 rows of en-de/general: log-likelihoods and numbers of links.",
            "origin": "reference; fast_align",
            "tolerance": 1e-7,
            "relative": True,
            "input": {"rows": 5000},
            "cases": [
                align_case("model 1", pairs, diagonal=False, bayes=False), align_case("default", pairs),
            ],
        },
    }
