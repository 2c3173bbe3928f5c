# SPDX-License-Identifier: Apache-2.0
"""A PyTorch training loop that scores, selects and trains on the device of the model. On a GPU the logits, the log-probabilities
of the tokens and the embeddings stay there; what reaches the host are three numbers for each row (how many tokens it has, its
uncertainty and its distance to the centroid of its stratum) and sums over the strata.

    torch_device.py [ROUNDS] [DEVICE]        DEVICE: that of torch, cuda where there is one, else cpu

Logits are measured where they lie, in the stream in which torch computes them. The log-probabilities are collected to a column of
the pool on the device, the embeddings are a column that is the tensor itself, and HUDS runs on the device where both are."""
import sys

import alcore
import torch
from torch import nn
from torch_loop import BUDGET, CharacterModel, DATA, encode

BATCH = 64
PADDING = 0  # the code behind the end of a text


def train(model, codes, steps):
    """Trains on codes [texts, length + 1] for so many steps; returns the loss of the last one, a tensor on the device."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        logits, _ = model(codes[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), codes[:, 1:], ignore_index=PADDING)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.detach()


@torch.no_grad()
def score(model, pool, codes):
    """Makes the columns that HUDS reads, of every row: "logprobs", the log-probabilities of its tokens, and "embeddings", the
    mean of its hidden states."""
    embeddings = []
    with pool.column("logprobs", on_device=True) as logprobs:
        for first in range(0, len(pool), BATCH):
            batch = codes[first:first + BATCH]
            logits, hidden = model(batch[:, :-1])
            labels = batch[:, 1:]
            inside = labels != PADDING
            measured = torch.empty(labels.shape, dtype=torch.float64, device=labels.device)
            alcore.measure_logits(logits, labels, {"logprob": measured}, ignore=PADDING)
            lengths = inside.sum(1)
            logprobs.put(range(first, first + len(batch)), measured[inside], lengths.cpu())
            embeddings.append((hidden * inside[..., None]).sum(1) / lengths.clamp(min=1)[:, None])
    # The pool reads this tensor where it is, until the next round replaces the column: it must not be changed.
    pool.set_column("embeddings", torch.cat(embeddings))


def main(rounds=3, device=None):
    device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    torch.manual_seed(0)
    texts = (DATA / "pool.txt").read_text(encoding="utf-8").splitlines()[:400]
    codes = encode(texts)[0].to(device)  # int64 [texts, length + 1]
    model = CharacterModel().to(device)
    pool = alcore.Pool(texts)
    picked = pool.select(BUDGET, "random", seed=1)
    chosen = []
    for round in range(1, rounds + 1):
        pool.mark_labeled(picked)
        chosen += picked.indices
        loss = train(model, codes[chosen], 10)
        score(model, pool, codes)
        picked = pool.select(BUDGET, "huds", round=round)
        print("round %d: %d sentences, loss %.3f, next, by %s on %s: %s" % (
            round, len(chosen), loss, picked.provenance["engines"]["strategy"], device.type, picked.indices))


if __name__ == "__main__":
    main(*(int(argument) if argument.isdigit() else argument for argument in sys.argv[1:]))
