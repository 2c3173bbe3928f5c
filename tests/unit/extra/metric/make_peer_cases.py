#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes peer_cases.json: generated translations, tags and answers with the numbers of the public tools.

    pip install sacrebleu==2.6.0 seqeval==1.2.2 transformers==4.57.6; python make_peer_cases.py

TER is that of sacreBLEU 2.6, spans are those of seqeval (default, and strict with each scheme), answers those of SQuAD's measure as
transformers has it. The cases come from a seeded generator, so that the file is the same each time; compare_peers.py
compares many more of them."""
import json
import os
import random

PUNCTUATED = ("the patient has severe headache . fever was reported , today Today THE don't x. (x) a-b "
              "Straße STRASSE ΑΣ ΟΔΟΣ ΣΑΣ. Α.Σ İstanbul i̇ É é E\u0301 ǅ ﬁ Ⅷ ⓐ病 头痛。 Ёлка ёлка a\u00a0b c\u3000d").split(" ")
NAMES = ("PER", "LOC", "ORG")
MARKS = {"default": "BIES", "iob2": "BI", "iob1": "BI", "ioe2": "IE", "iobes": "BIES", "bilou": "BILU"}


def shifted(generator, words, vocabulary):
    """A copy with blocks moved and words replaced, lost and added."""
    out = list(words)
    for _ in range(generator.randrange(5)):
        if out:
            begin, size = generator.randrange(len(out)), generator.randrange(1, 8)
            block = out[begin:begin + size]
            del out[begin:begin + size]
            place = generator.randrange(len(out) + 1)
            out[place:place] = block
    for _ in range(generator.randrange(5)):
        place, kind = generator.randrange(len(out) + 1), generator.randrange(3)
        if kind == 0:
            out.insert(place, generator.choice(vocabulary))
        elif place < len(out):
            out[place:place + 1] = [generator.choice(vocabulary)] if kind == 1 else []
    return out


def translation(generator):
    """(hypothesis, two references): a few words or many, from few different ones or many, so that blocks repeat."""
    vocabulary = generator.choice((PUNCTUATED, ["a", "b"], ["a", "b", "c", "d"], [str(i) for i in range(60)]))
    first = [generator.choice(vocabulary) for _ in range(generator.choice((0, 1, 2, 4, 8, 8, 12, 18, 30)))]
    hypothesis = shifted(generator, first, vocabulary)
    if generator.random() < 0.1:
        hypothesis = [generator.choice(vocabulary) for _ in range(generator.choice((0, 1, 3, 60)))]
    second = shifted(generator, first, vocabulary)
    return " ".join(hypothesis), [" ".join(first), " ".join(second)]


def tag_line(generator, like=None):
    """Tags of a sentence; with `like` a changed copy of those, as long."""
    if like is not None:
        return [generator.choice(("O", "B-PER", "I-PER", "I-LOC")) if generator.random() < 0.2 else tag for tag in like]
    return [generator.choice(("O", "O", "B-", "I-", "I-")) + generator.choice(NAMES) for _ in range(generator.randrange(1, 9))]


def tags(generator):
    """(gold, predicted) of a corpus: sentences, each a list of tags."""
    gold = [["O" if tag.startswith("O") else tag for tag in tag_line(generator)] for _ in range(generator.randrange(1, 9))]
    return gold, [tag_line(generator, line) for line in gold]


def scheme_tags(generator, scheme):
    """(gold, predicted) of three sentences with all marks of a scheme, in any order; some or all tags are marks alone."""
    marks, types = MARKS[scheme], generator.choice((("-PER", "-LOC"), ("-PER",), ("", "-PER"), ("",)))

    def tag():
        return "O" if generator.random() < 0.3 else generator.choice(marks) + generator.choice(types)

    gold = [[tag() for _ in range(generator.randrange(1, 9))] for _ in range(3)]
    return gold, [[one if generator.random() < 0.7 else tag() for one in line] for line in gold]


def answers(generator):
    """(predicted answer, gold answers) of a question."""
    words = ["the", "The", "a", "an", "An", "cat", "Cat", "sat.", "1912,", "(U.S.)", "ΣΑΣ", "naïve", "a-b", "the-end", "“a”", "½", "l'a",
             "an\u00a0ox", "a\u0301", "_a_", "A_B"]
    gold = [" ".join(generator.choice(words) for _ in range(generator.randrange(0, 6))) for _ in range(generator.randrange(1, 4))]
    predicted = generator.choice(gold).split(" ")
    generator.shuffle(predicted)
    return " ".join(predicted[generator.randrange(2):] + [generator.choice(words)] * generator.randrange(2)), gold


def span_scores(gold, predicted, schemes=("default", "iob2")):
    """{scheme: [precision, recall, f1]} as seqeval says."""
    import warnings

    from seqeval import scheme
    from seqeval.metrics import f1_score, precision_score, recall_score
    out = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of 0 spans
        for name in schemes:
            given = {} if name == "default" else {"mode": "strict", "scheme": getattr(scheme, name.upper())}
            out[name] = [float(score(gold, predicted, zero_division=0, **given)) for score in (precision_score, recall_score, f1_score)]
    return out


def answer_scores(predicted, gold):
    """[exact match, F1] of a question, 0 to 1, as transformers has SQuAD's."""
    from transformers.data.metrics.squad_metrics import compute_exact, compute_f1
    return [float(max(compute_exact(one, predicted) for one in gold)), float(max(compute_f1(one, predicted) for one in gold))]


def main():
    from sacrebleu.metrics import TER
    generator = random.Random(20261122)
    translations, corpora, questions = [], [], []
    for number in range(320):
        hypothesis, references = translation(generator)
        row = {"hypothesis": hypothesis, "references": references, "ter": []}
        for settings in ({}, {"case_sensitive": True}):
            for sets in (1, 2):
                score = TER(**settings).sentence_score(hypothesis, references[:sets])
                row["ter"].append([int(score.num_edits), float(score.ref_length), float(score.score)])
        translations.append(row)
    metric = TER()
    corpus = metric.corpus_score([row["hypothesis"] for row in translations],
                                 [[row["references"][i] for row in translations] for i in (0, 1)])
    for _ in range(60):
        gold, predicted = tags(generator)
        corpora.append({"gold": [" ".join(line) for line in gold], "predicted": [" ".join(line) for line in predicted],
                        **span_scores(gold, predicted)})
    schemes, of_schemes = [], random.Random(20261128)
    for scheme in MARKS:
        for _ in range(30):
            gold, predicted = scheme_tags(of_schemes, scheme)
            schemes.append({"gold": [" ".join(line) for line in gold], "predicted": [" ".join(line) for line in predicted],
                            **span_scores(gold, predicted, (scheme,))})
    for _ in range(120):
        predicted, gold = answers(generator)
        questions.append({"predicted": predicted, "gold": gold, "scores": answer_scores(predicted, gold)})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer_cases.json")
    parts = [('"%s": [\n' % name) + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
             for name, rows in (("translations", translations), ("tags", corpora + schemes), ("questions", questions))]
    parts.append('"ter": ' + json.dumps({"ter": corpus.score, "signature": metric.get_signature().format()}))
    with open(path, "w", encoding="utf-8") as file:
        file.write("{" + ",\n".join(parts) + "}\n")


if __name__ == "__main__":
    main()
