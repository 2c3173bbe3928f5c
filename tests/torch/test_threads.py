#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models on several threads: the engine's own kernels share their work among the threads of a context and use no other, and results are the
same for every number of threads. In TAP. usage: test_threads.py BUILD COUNTED-TEAMS

The engine's loops are counted, and the processor time of each thread within them is measured, in a process of its own, this program with
more arguments, into which COUNTED-TEAMS (counted_teams.c) is preloaded."""
import ctypes
import json
import os
import subprocess
import sys

BUILD, TEAMS = sys.argv[1:3]
TORCH = os.path.dirname(os.path.abspath(__file__))
# Threads that wait give way to the other programs of the machine.
os.environ["OMP_WAIT_POLICY"] = "passive"
sys.path[:0] = [os.path.join(TORCH, "..", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from model_keys_folder import TARGETS, TEXTS, make_folder  # noqa: E402
from tap import Tap  # noqa: E402

NARROW = ("bfloat16", "int8")
#: With LayerNorm and RMSNorm, rotary positions, windows, relative positions, and every cache of a
#: decoder. DeBERTa, whose attention is torch's, is not here: products of float32 are those of
#: oneDNN, which promises nothing of the kind.
FAMILIES = ["bert", "mpnet", "modernbert", "marian", "t5", "llama", "qwen3", "gemma3"]
#: So many texts that a batch is shared by rows, and one that is by panels of the weights.
MANY, FEW = [" ".join((" ".join(TEXTS) + " w7").split()[i % 7:i % 7 + 1 + i % 11]) for i in range(150)], TEXTS[:2]


def folder(box, family):
    path = os.path.join(box, "%s-%d" % (family, len(os.listdir(box))))
    make_folder(os.path.join(TORCH, "fixtures", family), {}, path)
    return path


def results(path, dtype, threads):
    model, found = alcore.Model.open(path, dtype=dtype, context=alcore.Context(threads=threads)), []
    for texts in (MANY, FEW):
        found.append([list(row) for row in model.embed(texts).tolist()])
        if not model.can("logprobs"):
            continue
        found.append(model.score(texts, [TARGETS[i % 3] for i in range(len(texts))]))
        found += [model.translate(texts, beams=beams, max_tokens=8) for beams in (1, 3)]
    return found


def assert_near(one, more, most, what):
    """No value differs by `most`; in float32 the outputs are the same."""
    for first, other in zip(one, more):
        if isinstance(first[0], list):
            far = max(abs(a - b) for x, y in zip(first, other) for a, b in zip(x, y))
            assert far < most, "%s differs by %g" % (what, far)
        else:
            assert first == other or most > 1e-5, "outputs of " + what


def results_do_not_depend_on_threads(box):
    """To the last bit in the narrow types whose instructions the processor has, and nearly in float32. Without the instructions of int8
    the last bit of a sum moves an input to another step now and then (test_beams_alone.py)."""
    with open("/proc/cpuinfo", encoding="utf-8") as read:
        flags = read.read()
    exact = [dtype for dtype, flag in zip(NARROW, ("avx512_bf16", "avx512_vnni")) if flag in flags]
    for family in FAMILIES:
        path = folder(box, family)
        for dtype, most in (("float32", 1e-5), ("bfloat16", 0.1), ("int8", 0.1)):
            one = results(path, dtype, 1)
            for threads in (2, 3):
                what, more = "%s in %s by %d threads" % (family, dtype, threads), results(path, dtype, threads)
                if dtype in exact:
                    assert more == one, what
                else:
                    assert_near(one, more, most, what)


def shares(path, dtype, threads, call):
    """The parts of the processor time in the engine's loops that are each thread's, the greatest first, and the milliseconds of all. The times
    of a call are those of the second one: what is made once is made by the first."""
    counted = ctypes.CDLL(TEAMS)
    counted.counted_nanoseconds.restype = ctypes.c_int64
    model = alcore.Model.open(path, dtype=dtype, context=alcore.Context(threads=threads))
    texts = MANY * 10
    run = {"embed": lambda: model.embed(texts), "score": lambda: model.score(texts, [TARGETS[1]] * len(texts)),
           "translate": lambda: model.translate(texts, max_tokens=8)}[call]
    run()
    counted.counted_reset()
    run()
    times = sorted((counted.counted_nanoseconds(thread) for thread in range(16)), reverse=True)
    return [time / (sum(times) or 1) for time in times if time], sum(times) / 1e6


def sources_of_a_batch_are_read_in_pieces(box):
    """With 1,024 dimensions the encoder reads 357 tokens at once, and the decoder goes on with twice as many sources."""
    path = folder(box, "marian")
    os.remove(os.path.join(path, "model.safetensors"))
    with open(os.path.join(path, "config.json"), encoding="utf-8") as read:
        own = json.load(read)
    shape = {"encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "encoder_attention_heads": 8,
             "decoder_attention_heads": 8, "d_model": 1024}
    tokens = {key: own[key] for key in ("vocab_size", "pad_token_id", "eos_token_id", "decoder_start_token_id", "max_position_embeddings")}
    with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as write:
        json.dump({"model_type": "alcore_transformer", "random_seed": 1, **shape, **tokens}, write)
    model = alcore.Model.open(path, context=alcore.Context(threads=2))
    texts = MANY[:100]
    found = model.translate(texts, beams=2, best=2, max_tokens=4)
    alone = [model.translate([text], beams=2, best=2, max_tokens=4)[0] for text in texts]
    assert len({row[0][1] for row in found}) > 50, "the sources make a difference"
    for row, other in zip(found, alone):
        assert all(abs(a - b) < 1e-5 for (_, a), (_, b) in zip(row, other)), (row, other)


def in_a_process(*arguments):
    """This program with more arguments, with the counter in front of torch's OpenMP."""
    ran = subprocess.run([sys.executable, __file__, BUILD, TEAMS, *arguments], capture_output=True, text=True, timeout=300,
                         env={**os.environ, "LD_PRELOAD": TEAMS})
    assert ran.returncode == 0, ran.stderr
    return ran


def loops_of_a_step(path, dtype):
    """The engine's loops in a step of a greedy search by two threads."""
    counted = ctypes.CDLL(TEAMS)
    counted.counted_loops.restype = ctypes.c_int64
    model, found = alcore.Model.open(path, dtype=dtype, context=alcore.Context(threads=2)), []
    model.translate(MANY, beams=1, max_tokens=1)
    for tokens in (4, 8):
        counted.counted_reset()
        model.translate(MANY, beams=1, max_tokens=tokens)
        found.append(counted.counted_loops())
    return (found[1] - found[0]) / 4


def threads_compute_all_blocks_of_a_step_for_rows_of_their_own(box):
    """With loops for each product a step of these two blocks has 18 loops in float32 and, as the narrow types have fewer numbers, 5."""
    for family in ("marian", "t5"):
        for dtype, most in (("float32", 3), ("bfloat16", 2), ("int8", 2)):
            ran = in_a_process(box, family, dtype)
            loops = json.loads(ran.stdout)
            print("# %s in %s: %g loops a step" % (family, dtype, loops))
            assert 0 < loops <= most, (family, dtype, loops)


CASES = [(family, dtype, call) for family, call in (("bert", "embed"), ("modernbert", "embed"), ("marian", "translate"), ("qwen3", "score"), ("qwen3", "translate"))
         for dtype in ("float32", *NARROW)]


def kernels_compute_on_the_threads_of_the_context(box):
    for threads in (1, 2, 3):
        ran = in_a_process(box, str(threads))
        for case, (parts, milliseconds) in zip(CASES, json.loads(ran.stdout)):
            print("# %d threads, %s: %s of %.1f ms" % (threads, " ".join(case), " ".join("%.2f" % part for part in parts), milliseconds))
            if threads == 1:
                assert not parts, "with one thread a loop of %s had a team" % (case,)
                continue
            assert len(parts) == threads, (case, parts)
            assert parts[-1] > 0.4 / threads, "%s: the threads' parts of the time are %s" % (case, parts)


def main():
    if len(sys.argv) > 4 and sys.argv[4] in FAMILIES:
        box, family, dtype = sys.argv[3:]
        return print(json.dumps(loops_of_a_step(folder(box, family), dtype)))
    if len(sys.argv) > 3:
        box, threads = sys.argv[3], int(sys.argv[4])
        return print(json.dumps([shares(folder(box, family), dtype, threads, call) for family, dtype, call in CASES]))
    tap = Tap()
    tap.run([results_do_not_depend_on_threads, kernels_compute_on_the_threads_of_the_context, sources_of_a_batch_are_read_in_pieces])
    with open("/proc/cpuinfo", encoding="utf-8") as read:
        if "avx512vl" in read.read():
            tap.run([threads_compute_all_blocks_of_a_step_for_rows_of_their_own])
        else:
            tap.skip(threads_compute_all_blocks_of_a_step_for_rows_of_their_own.__name__, "the kernels need AVX-512")
    tap.finish()


main()
