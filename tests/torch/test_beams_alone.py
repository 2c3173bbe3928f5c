#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Beam searches in each number type: what a text is translated into, and with which scores but for rounding, depends neither on the texts beside it
nor on their order, on batches or threads, and the log-probabilities are those of the same outputs as given translations. In TAP.
usage: test_beams_alone.py BUILD"""
import json
import os
import sys

BUILD, TORCH = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(TORCH, "..", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from language_folder import language_folder  # noqa: E402
from model_keys_folder import is_language, make_folder  # noqa: E402
from tap import Tap  # noqa: E402

#: What is added to the score of an end, so that random weights give outputs of several lengths.
LIKELIER = {"marian": 4, "m2m100": 3, "mbart": 3, "t5": 1.8, "llama": 1.5, "gemma3": 2.5}
#: Of scores and log-probabilities in another batch. In int8 the order of a float32 sum may move an
#: input to another of its steps, in few of hundreds of texts, and then another output may be best.
NEAR, MOVED = {"float32": 1e-5, "bfloat16": 1e-5, "int8": 0.1}, {"float32": 0, "bfloat16": 0.03, "int8": 0.03}
with open("/proc/cpuinfo", encoding="utf-8") as read:
    FLAGS = read.read().split()
#: The types whose products are the engine's own, which add in one order whatever the number of
#: threads. Without their instructions torch multiplies float32.
EXACT = [dtype for dtype, flag in (("bfloat16", "avx512_bf16"), ("int8", "avx512_vnni")) if flag in FLAGS]
#: Ragged: 1 to 20 words, not by their lengths, one of them twice.
TEXTS = [" ".join("w%d" % (5 + (7 * k + 3 * i * i + i) % 50) for i in range(1 + (5 * k) % 20)) for k in range(13)] + ["w9 w8 w7", "w9 w8 w7"]


def folder(box, family):
    """Of which no output has a special token but its end."""
    fixture = os.path.join(TORCH, "fixtures", family)
    with open(os.path.join(fixture, "config.json"), encoding="utf-8") as file:
        end = json.load(file)["eos_token_id"]
    files = {"generation_config.json": {"suppress_tokens": [token for token in range(5) if token != end], "sequence_bias": [[[end], LIKELIER[family]]], "eos_token_id": end}}
    if family == "mbart":  # whose decoder reads the end of a given translation first
        files["generation_config.json"]["decoder_start_token_id"] = end
    if is_language(fixture):
        return language_folder(box, family, files)
    path = os.path.join(box, "%s-%d" % (family, len(os.listdir(box))))
    make_folder(fixture, files, path)
    return path


def search(path, dtype, texts, beams, threads=2, tokens=0, length=9):
    """For each text a list of (output, score, log-probabilities), best first."""
    context = alcore.Context(threads=threads)
    model, best = alcore.Model.open(path, dtype=dtype, batch_tokens=tokens, context=context), min(beams, 3)
    pool = model.translate(alcore.Pool(texts, dedup="none", context=context), beams=beams, best=best, max_tokens=length)
    scores, (values, offsets) = pool.get_column("output_scores").tolist(), (part.tolist() for part in pool.get_column("logprobs"))
    rows = [(pool[row], scores[row], values[offsets[row]:offsets[row + 1]]) for row in range(len(pool))]
    return [rows[at:at + best] for at in range(0, len(rows), best)]


def differing(found, wanted, most):
    """How many texts have other outputs, or a score or a log-probability that is farther than `most`."""
    assert len(found) == len(wanted)

    def far(a, b):
        return len(a) != len(b) or any(abs(x - y) > most * (1 + abs(y)) for x, y in zip(a, b))
    return sum(any(one[0] != other[0] or far([one[1]], [other[1]]) or far(one[2], other[2]) for one, other in zip(mine, others))
               for mine, others in zip(found, wanted))


def outputs_do_not_depend_on_the_batch(box):
    for family in LIKELIER:
        path = folder(box, family)
        for dtype in NEAR:
            count, moved, lengths = 0, 0, set()
            for beams in (1, 6):
                whole = search(path, dtype, TEXTS, beams)
                others = [search(path, dtype, TEXTS, beams, tokens=40), search(path, dtype, TEXTS[::-1], beams)[::-1],
                          [search(path, dtype, [text], beams)[0] for text in TEXTS[:3]]]
                twins = differing(whole[-1:], whole[-2:-1], NEAR[dtype])
                assert twins == 0, (family, dtype, beams, whole[-2:])
                lengths |= {len(row[0][2]) for row in whole}
                for found in others:
                    count, moved = count + len(found), moved + differing(found, whole[:len(found)], NEAR[dtype])
            print("# %s %s: %d of %d" % (family, dtype, moved, count))
            assert moved <= MOVED[dtype] * count and len(lengths) > 1, (family, dtype, moved, count, lengths)


def outputs_do_not_depend_on_threads(box):
    for family in LIKELIER:
        path = folder(box, family)
        for dtype in NEAR:
            for beams in (1, 4):
                one, two = (search(path, dtype, TEXTS, beams, threads=threads) for threads in (1, 2))
                if dtype in EXACT:
                    assert one == two, (family, dtype, beams)
                else:
                    moved = differing(one, two, NEAR[dtype])
                    assert moved <= MOVED[dtype] * len(TEXTS), (family, dtype, beams, moved)


def log_probabilities_are_those_of_given_translations(box):
    """Of outputs whose text is cut into the tokens that the search found."""
    for family in LIKELIER:
        path = folder(box, family)
        for dtype in NEAR:
            model, compared, moved = alcore.Model.open(path, dtype=dtype), 0, 0
            for beams in (1, 5):
                rows = [(text, row) for text, found in zip(TEXTS, search(path, dtype, TEXTS, beams)) for row in found if row[0]]
                for given, (_, row) in zip(model.score([text for text, _ in rows], [row[0] for _, row in rows]), rows):
                    if len(given) != len(row[2]) or len(row[0].split()) != len(given) - 1:
                        continue
                    far = max(abs(a - b) / (1 + abs(b)) for a, b in zip(row[2], given))
                    compared, moved = compared + 1, moved + (far > 2e-5)
                    assert far < max(NEAR[dtype], 2e-5) or dtype == "bfloat16" and far < 0.1, (family, dtype, beams, row, given)
            print("# %s %s: %d of %d" % (family, dtype, moved, compared))
            assert compared > 7 and moved <= MOVED[dtype] * compared, (family, dtype, moved, compared)


tap = Tap()
tap.run([outputs_do_not_depend_on_the_batch, outputs_do_not_depend_on_threads, log_probabilities_are_those_of_given_translations])
tap.finish()
