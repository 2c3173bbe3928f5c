#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""BALD, variance and query by committee beside the packages that have them: baal, batchbald_redux, modAL and scikit-activeml, those
that are installed, over one array of probabilities [samples, rows, classes]. Expected gradient length is compared with the
gradients of a linear head by torch.func, of 2,000 rows of 64 components; contrastive active learning with what its authors compute, of
20,000 rows of 384 components and 500 labeled rows: neighbors by scikit-learn, a row at a time as theirs, and all at once by numpy.

  bench_committee_peer.py [ROWS [SAMPLES [CLASSES [ROUNDS [float64 or float32 [MEASURES]]]]]]

Each peer gets the layout that it reads, made before; MEASURES, separated by commas, are those that are raced, all by default. What is
measured is from the array to the picks: alcore.select() of 1,000 rows, and the peer's scores with numpy.argsort. Rounds are interleaved,
and medians told, of the time that passes and of the processor time, which a loaded machine says more by; with each peer the largest
difference of its scores, and of how many picks the two agree. For one thread each: taskset -c 0 with OMP_NUM_THREADS=1. modAL computes
from a committee of models; one that repeats the array stands for it."""
import statistics
import sys
import time

import numpy

import alcore

PICKS = 1000


class Committee:
    """What modAL asks of a committee, answered from the array."""

    def __init__(self, probs):
        self.probs, self.classes_ = probs, numpy.arange(probs.shape[2])
        self.by_row = numpy.ascontiguousarray(probs.transpose(1, 0, 2))

    def __len__(self):
        return len(self.probs)

    def __iter__(self):
        return iter(self.probs)

    def vote_proba(self, _):
        return self.by_row

    def vote(self, _):
        return self.by_row.argmax(2)

    def predict_proba(self, _):
        return self.by_row.mean(1)


def baal(probs):
    from baal.active import heuristics
    by_row = numpy.ascontiguousarray(probs.transpose(1, 2, 0))
    mean = heuristics.Variance(reduction="mean")
    return {"bald": lambda: heuristics.BALD().compute_score(by_row), "variance": lambda: mean.get_uncertainties(by_row)}


def batchbald_redux(probs):
    import torch
    from batchbald_redux import batchbald
    logs = torch.log(torch.from_numpy(numpy.ascontiguousarray(probs.transpose(1, 0, 2))))
    return {"bald": lambda: (batchbald.compute_entropy(logs) - batchbald.compute_conditional_entropy(logs)).numpy()}


def modal(probs):
    from modAL import disagreement
    committee, rows = Committee(probs), numpy.zeros((probs.shape[1], 1))
    return {"vote-entropy": lambda: disagreement.vote_entropy(committee, rows),
            "consensus-entropy": lambda: disagreement.consensus_entropy(committee, rows),
            "kl-max": lambda: disagreement.KL_max_disagreement(committee, rows)}


def skactiveml(probs):
    from skactiveml.pool import average_kl_divergence, variation_ratios, vote_entropy
    classes, by_row = numpy.arange(probs.shape[2]), numpy.ascontiguousarray(probs.transpose(1, 0, 2))
    # The array is copied, as average_kl_divergence() clips the one that it is given in its place.
    return {"kl": lambda: average_kl_divergence(probs.copy()),
            "vote-entropy": lambda: vote_entropy(by_row.argmax(2), classes),
            "variation-ratio": lambda: variation_ratios(by_row.argmax(2))}


def ours(pool, probs, measure):
    name, named = (measure, {}) if measure in ("bald", "variance") else ("qbc", {"measure": measure})
    return pool.select(PICKS, name, sample_probs=probs, **named)


def timed(call):
    """What the call gives, and its seconds: those that pass, and those of the processor."""
    begun, busy = time.perf_counter(), time.process_time()
    found = call()
    return found, (time.perf_counter() - begun, time.process_time() - busy)


def told(times):
    """The medians of our times and the peer's in milliseconds, and how many times as long the peer takes."""
    parts = []
    for k in range(2):
        own, peer = (statistics.median(one[k] for one in side) for side in times)
        parts.append("%8.1f ms %10.1f ms %6.1fx" % (own * 1e3, peer * 1e3, peer / own))
    return ", processor".join(parts)


def race(pool, probs, peer, measure, scores, rounds):
    picks = lambda: (found := numpy.asarray(scores()), numpy.argsort(-found, kind="stable")[:PICKS])
    times = ([], [])
    for _ in range(rounds):
        selection, seconds = timed(lambda: ours(pool, probs, measure))
        times[0].append(seconds)
        (found, order), seconds = timed(picks)
        times[1].append(seconds)
    own = numpy.array(selection.scores)
    difference = numpy.abs(own - found[order]).max()
    print("%-16s %-18s %s   scores within %.1e, %d of %d picks equal" % (
        peer, measure, told(times), difference, len(set(selection) & set(order.tolist())), PICKS), flush=True)


def gradients(probs):
    """Lengths of the gradients of a linear head by autograd, beside the strategy's."""
    import torch
    count, dims = min(2 * PICKS, probs.shape[1]), 64
    h = torch.randn(count, dims, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    head = torch.nn.Linear(dims, probs.shape[2], dtype=torch.float64)
    weights = {name: one.detach() for name, one in head.named_parameters()}
    p = torch.softmax(head(h), 1).detach()

    def loss(params, x, y):
        return torch.nn.functional.cross_entropy(torch.func.functional_call(head, params, (x,)), y)

    def length(x, y):
        found = torch.func.grad(loss)(weights, x, y)
        return sum((one * one).sum() for one in found.values()).sqrt()

    def expected():
        lengths = [torch.func.vmap(length, (0, None))(h, torch.tensor(y)) for y in range(p.shape[1])]
        return (p * torch.stack(lengths, 1)).sum(1).numpy()

    texts = alcore.Pool(["row %d" % row for row in range(count)])
    selection, seconds = timed(lambda: texts.select(PICKS, "egl", probs=p, embeddings=h))
    found, peer = timed(expected)
    order = numpy.argsort(-found, kind="stable")[:PICKS]
    print("%-16s %-18s %s   scores within %.1e, %d of %d picks equal" % (
        "torch.func", "egl, %d rows" % count, told(([seconds], [peer])),
        numpy.abs(numpy.array(selection.scores) - found[order]).max(), len(set(selection) & set(order.tolist())), PICKS))


def contrastive(probs):
    """The mean divergence from the nearest labeled rows, row by row and at once, beside the strategy's."""
    from scipy.special import rel_entr
    from sklearn.neighbors import NearestNeighbors
    count, known, k = min(20 * PICKS, probs.shape[1] // 2), 500, 10
    draw = numpy.random.default_rng(7)
    h, p = draw.standard_normal((count + known, 384), dtype="f4"), probs[0, :count + known]
    h /= numpy.linalg.norm(h, axis=1, keepdims=True)
    labeled = alcore.Pool(["labeled %d" % row for row in range(known)])
    labeled.set_column("embeddings", h[count:])
    labeled.set_column("probs", p[count:])
    texts = alcore.Pool(["row %d" % row for row in range(count)])
    search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(h[count:])

    def at_once():
        near = search.kneighbors(h[:count], return_distance=False)
        return rel_entr(p[count:][near], p[:count, None]).sum(2).mean(1)

    def by_row():
        return numpy.array([rel_entr(p[count:][search.kneighbors(h[row:row + 1], return_distance=False)[0]], p[row]).sum(1).mean()
                            for row in range(count)])

    selection, ours = timed(lambda: texts.select(PICKS, "contrastive", probs=p[:count], embeddings=h[:count], labeled=labeled))
    for name, call in (("numpy", at_once), ("by row", by_row)):
        found, peer = timed(call)
        order = numpy.argsort(-found, kind="stable")[:PICKS]
        print("%-16s %-18s %s   scores within %.1e, %d of %d picks equal" % (
            name, "contrastive", told(([ours], [peer])), numpy.abs(numpy.array(selection.scores) - found[order]).max(),
            len(set(selection) & set(order.tolist())), PICKS), flush=True)


def main(arguments):
    arguments = arguments + ["100000", "20", "10", "5", "float64", ""][len(arguments):]
    rows, samples, classes, rounds = (int(a) for a in arguments[:4])
    probs = numpy.random.default_rng(5).dirichlet(numpy.full(classes, 0.5), size=(samples, rows)).astype(arguments[4])
    measures = arguments[5].split(",") if arguments[5] else None
    pool = alcore.Pool(["row %d" % row for row in range(rows)])
    print("%d rows, %d samples, %d classes, %s: libalcore, the peer, how many times as long it takes" % (
        rows, samples, classes, arguments[4]))
    for peer in (baal, batchbald_redux, modal, skactiveml):
        try:
            found = peer(probs)
        except ImportError as error:
            print("%-16s not installed (%s)" % (peer.__name__, error))
            continue
        for measure, scores in found.items():
            if measures and measure not in measures:
                continue
            race(pool, probs, peer.__name__, measure, scores, rounds)
    try:
        if not measures or "egl" in measures:
            gradients(probs)
        if not measures or "contrastive" in measures:
            contrastive(probs)
    except ImportError as error:
        print("%-16s not installed (%s)" % (error.name, error))


if __name__ == "__main__":
    main(sys.argv[1:])
