#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sacrebleu_pairs.json: generated pairs in several scripts with the numbers of sacreBLEU 2.6.

Run with PyPI's sacrebleu in the environment: pip install sacrebleu==2.6.0; python make_sacrebleu_pairs.py
The pairs come from a seeded generator, so that the file is the same each time."""
import json
import os
import random

from sacrebleu.metrics import BLEU, CHRF

WORDS = ("the patient has severe headache fever was reported today e.g. 3,000.50 U.S. don't 5-fold 1-2 pre-2000 (see x.3) "
         "&amp; &quot;x&quot; &lt;b&gt; <skipped> a.b. ... $5 50% [1] {a} ~ # _ - -- . , ; 1. 2, .5 ,7 a/b @home",
         "Müller’s Straße größer – „Zitat“ ½ €5 3,5 % Ärzte: übermäßig, „so“ heißt’s 10.000 Übel¹ §7 naïve",
         "Пациент сообщил о лихорадке, «сильная» боль — №5 3,14 вчера. ещё раз! Ёлка",
         "病人 有 严重的头痛。 发烧,昨天 报告了 3.5 倍 (中文) “引号” A型 2019年 ㈱ ～ 𠀀字",
         "患者は 頭痛を 訴えた。 カタカナ・テスト 「引用」 １２３ ｱｲｳ ー",
         "मरीज़ को तेज़ बुखार था। ५ दिन , १.५ ॐ क्षत्रिय",
         "المريض يعاني من حمى شديدة، ٥ أيام؛ «نعم» ١٫٥ هل؟",
         "ผู้ป่วยมีไข้สูง ๕ วัน 환자는 열이 났다. 👍🏽 😀 ∑x≤∞ a\u0301 x\u00a0y q\u2009r z\u3000w e\u200bf ﬁ")
TOKENIZERS = ("13a", "intl", "char", "zh", "none")
SMOOTHINGS = ("exp", "floor", "add-k", "none")
PAIRS, CORPUS = 240, 24
generator = random.Random(20261122)


def text(words):
    picked = [generator.choice(words) for _ in range(generator.choice((0, 1, 2, 3, 5, 8, 12, 20)))]
    line = generator.choice((" ", " ", " ", "  ", "")).join(picked)
    return generator.choice(("", "", "", " ", "\t")) + line + generator.choice(("", "", ".", " .", "-\n", " \n", "\nx", "."))


def changed(line):
    """A copy with a few words lost, doubled, swapped or cut."""
    words = line.split(" ")
    for _ in range(generator.randrange(4)):
        place = generator.randrange(len(words))
        kind = generator.randrange(4)
        if kind == 0:
            words[place] = words[place][1:]
        elif kind == 1:
            words.insert(place, words[place])
        elif kind == 2:
            words[place], words[-1] = words[-1], words[place]
        else:
            del words[place]
            words = words or [""]
    return " ".join(words)


def numbers(score):
    return [int(x) for x in score.counts] + [int(x) for x in score.totals] + [score.sys_len, score.ref_len]


pairs = []
for number in range(PAIRS):
    words = WORDS[number % len(WORDS)].split(" ") + (WORDS[0].split(" ") if number % 3 == 0 else [])
    first = text(words)
    hypothesis, second = changed(first), changed(text(words))
    one = {"hypothesis": hypothesis, "references": [first, second], "bleu": {}}
    for name in TOKENIZERS:
        score = BLEU(tokenize=name, effective_order=True).sentence_score(hypothesis, [first])
        one["bleu"][name] = numbers(score) + [score.score]
    one["chrf"] = [CHRF(word_order=order, whitespace=space).sentence_score(hypothesis, [first]).score
                   for order, space in ((0, False), (2, False), (0, True))]
    pairs.append(one)
corpora = []
for first in range(0, PAIRS, CORPUS):
    part = pairs[first:first + CORPUS]
    hypotheses = [one["hypothesis"] for one in part]
    both = [[one["references"][i] for one in part] for i in (0, 1)]
    row = {"first": first, "count": CORPUS, "bleu": [], "chrf": []}
    for name in TOKENIZERS:
        for smoothing in SMOOTHINGS:
            for sets in (1, 2):
                metric = BLEU(tokenize=name, smooth_method=smoothing)
                score = metric.corpus_score(hypotheses, both[:sets])
                counts = numbers(BLEU(tokenize=name).corpus_score(hypotheses, both[:sets]))
                row["bleu"].append({"tokenizer": name, "smoothing": smoothing, "sets": sets, "counts": counts,
                                    "bleu": score.score, "bp": score.bp, "precisions": score.precisions,
                                    "signature": metric.get_signature().format()})
    for order in (0, 2):
        for sets in (1, 2):
            metric = CHRF(word_order=order)
            score = metric.corpus_score(hypotheses, both[:sets])
            row["chrf"].append({"order": order, "sets": sets, "chrf": score.score,
                                "signature": metric.get_signature().format()})
    corpora.append(row)
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sacrebleu_pairs.json")
with open(path, "w", encoding="utf-8") as file:
    file.write('{"pairs": [\n' + ",\n".join(json.dumps(one, ensure_ascii=False) for one in pairs) + "\n],\n\"corpora\": [\n"
               + ",\n".join(json.dumps(row) for row in corpora) + "\n]}\n")
