# SPDX-License-Identifier: Apache-2.0
"""Token statistics: from logits in one pass, and from hidden states without logits."""
import numpy
import torch
from scipy.special import logsumexp

from kernel_table import TokenStats, rows_of

NAMES = ('logprob', 'top1', 'top2', 'margin', 'entropy')


def stats_of(count):
    """Arrays of an entry's statistics, and a function that gives their struct from a first row on."""
    arrays = {name: numpy.empty(count) for name in NAMES}
    return arrays, lambda first: TokenStats(**{name: array[first:].ctypes.data for name, array in arrays.items()})


def near(mine, theirs):
    return all(numpy.allclose(mine[name], numpy.asarray(theirs[name]), rtol=1e-4, atol=1e-4) for name in theirs)


def torch_stats(logits, labels):
    logprobs = torch.log_softmax(logits, 1)
    top = logprobs.topk(2, 1).values
    return {'logprob': logprobs.gather(1, labels[:, None])[:, 0], 'top1': top[:, 0], 'top2': top[:, 1],
            'margin': top[:, 0].exp() - top[:, 1].exp(), 'entropy': -(logprobs.exp() * logprobs).sum(1)}


def cuts_of(tokens):
    """Tokens are few and wide: cuts of 64 keep all threads busy."""
    return [(first, min(first + 64, tokens)) for first in range(0, tokens, 64)]


def logits(table, kernels, tokens, classes):
    random = numpy.random.default_rng(6)
    matrix = 3 * random.standard_normal((tokens, classes), dtype=numpy.float32)
    labels = random.integers(0, classes, tokens)
    tensor, index = torch.from_numpy(matrix), torch.from_numpy(labels)
    bad = numpy.empty(len(range(0, tokens, 64)) + 1, numpy.int64)

    def ours():
        arrays, struct = stats_of(tokens)
        kernels.spread(lambda first, last: kernels.logit_stats(
            rows_of(matrix, first, last), labels[first:last], -100, struct(first), bad[first // 64:]),
            cuts_of(tokens), table.threads)
        return arrays

    def cross_entropy():
        return {'logprob': -torch.nn.functional.cross_entropy(tensor, index, reduction='none')}

    def scipys():
        return {'logprob': matrix[numpy.arange(tokens), labels] - logsumexp(matrix, axis=1)}

    def same(mine, _, theirs):
        return near(mine, theirs)
    shape = f'{tokens} tokens x {classes} classes float32'
    floor = ('a sum over the logits (numpy)', lambda: matrix.sum())
    table.race('logits, all statistics', shape, ours, {'torch log_softmax, topk, entropy': lambda: torch_stats(tensor, index)},
               same, floor=floor, goal=1.5)
    table.race('logits, nll', shape, ours, {'torch cross_entropy (nll alone)': cross_entropy, 'scipy (nll alone)': scipys},
               same, floor=floor, goal=1.5)


def hidden(table, kernels, tokens, classes, dims):
    random = numpy.random.default_rng(7)
    states = random.standard_normal((tokens, dims), dtype=numpy.float32)
    output = random.standard_normal((classes, dims), dtype=numpy.float32) / numpy.float32(numpy.sqrt(dims))
    labels = random.integers(0, classes, tokens)
    first_tensor, second_tensor, index = (torch.from_numpy(array) for array in (states, output, labels))
    bad = numpy.empty(table.threads, numpy.int64)
    cut = -(-tokens // table.threads)
    cuts = [(first, min(first + cut, tokens)) for first in range(0, tokens, cut)]

    def ours():
        arrays, struct = stats_of(tokens)
        kernels.spread(lambda first, last: kernels.hidden_stats(
            rows_of(states, first, last), rows_of(output), None, labels[first:last], -100, struct(first),
            bad[first // cut:]), cuts, table.threads)
        return arrays

    # The product's own memory is made before: a fresh one costs more than the product where pages
    # are dear.
    product = numpy.zeros((tokens, classes), numpy.float32)
    table.race('hidden states', f'{tokens} tokens x {dims}, {classes} classes, float32', ours,
               {'torch, logits and all statistics': lambda: torch_stats(first_tensor @ second_tensor.T, index)},
               lambda mine, _, theirs: near(mine, theirs),
               floor=('the product alone with BLAS (numpy)', lambda: numpy.dot(states, output.T, out=product)))
