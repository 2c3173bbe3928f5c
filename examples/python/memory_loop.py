# SPDX-License-Identifier: Apache-2.0
"""Two rounds in one process, without a file: picks become annotations, answers become labels and the pairs to train on.

usage: memory_loop.py. ask() stands for your translators; with polars installed the picks are shown as its table."""
import alcore

TEXTS = ["the patient has severe headache", "severe headache was reported", "the patient was treated", "headache was reported",
         "the patient has fever", "fever was reported"]
GLOSSES = {"the": "der", "patient": "Patient", "has": "hat", "was": "wurde", "severe": "starke", "headache": "Kopfschmerzen",
           "fever": "Fieber", "reported": "gemeldet", "treated": "behandelt"}


def ask(items):
    """A translation of each item; None where the translator gives none."""
    return [None if "treated" in item.text else " ".join(GLOSSES[word] for word in item.text.split()) for item in items]


def show(picked):
    try:
        import polars
    except ImportError:
        print("\n".join(picked.texts))
        return
    print(polars.DataFrame(picked).select("rank", "text", "score"))


with alcore.Pool(TEXTS) as pool:
    for number in (1, 2):
        picked = pool.select("8w", "nnll", model="ngram", round=number)
        show(picked)
        items = alcore.Annotations(pool, picked)
        translations = ask(items)
        report = items.answer(translations, statuses=["skip" if text is None else "ok" for text in translations])
        pairs = alcore.mix(annotations=items)
        print("round %d: %d answered, %d skipped, spent %g" % (number, report.answered, report.skipped, items.spent))
        for pair in pairs:
            print("  %s = %s" % (pair.source, pair.target))
        pool.mark_labeled(picked, translations)
