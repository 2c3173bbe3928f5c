# SPDX-License-Identifier: Apache-2.0
"""A PyTorch training loop that asks for its next batch each round.

    torch_loop.py [ROUNDS]          one process
    torch_loop.py [ROUNDS] --ddp    two processes under DistributedDataParallel (gloo); each scores its share of the pool and
                                    writes the columns by row, the first one merges them and selects

The model is a small character-level language model, trained on what was picked so far; its log-probabilities and hidden
states are the columns that the next selection needs."""
import sys
import tempfile
from pathlib import Path

import alcore
import torch
import torch.distributed as dist
import torch.multiprocessing
from torch import nn

DATA = Path(__file__).resolve().parent.parent / "data"
LENGTH, BUDGET = 80, "120w"


class CharacterModel(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.embedding = nn.Embedding(256, width)
        self.network = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, 256)

    def forward(self, bytes_in):
        hidden, _ = self.network(self.embedding(bytes_in))
        return self.head(hidden), hidden


def encode(texts):
    """uint8 codes [texts, LENGTH + 1], from a start byte on, padded with 0, and the length of each."""
    codes = torch.zeros(len(texts), LENGTH + 1, dtype=torch.long)
    lengths = torch.zeros(len(texts), dtype=torch.long)
    for row, text in enumerate(texts):
        data = text.encode()[:LENGTH]
        codes[row, 0] = 1
        codes[row, 1:len(data) + 1] = torch.tensor(list(data))
        lengths[row] = len(data)
    return codes, lengths


def train(model, texts, steps):
    """Trains for so many steps on all texts at once; returns the loss of the last step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    codes, _ = encode(texts)
    for step in range(steps):
        logits, _ = model(codes[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), codes[:, 1:], ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return float(loss)


@torch.no_grad()
def score(model, pool, rows, logprobs, embeddings):
    """Computes the columns of the given rows in batches of 64 and puts them into the two column writers."""
    for first in range(0, len(rows), 64):
        batch = rows[first:first + 64]
        codes, lengths = encode([pool[row] for row in batch])
        logits, hidden = model(codes[:, :-1])
        inside = torch.arange(LENGTH) < lengths[:, None]
        values = logits.log_softmax(-1).gather(2, codes[:, 1:, None]).squeeze(2)[inside]
        logprobs.put(batch, values, lengths)
        mean = (hidden * inside[..., None]).sum(1) / lengths.clamp(min=1)[:, None]
        embeddings.put(batch, mean)


def run(rank, size, rounds, folder):
    """One process of the loop: number rank of size; folder is shared by all of them."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    texts = (DATA / "pool.txt").read_text(encoding="utf-8").splitlines()[:400]
    model = CharacterModel()
    if size > 1:
        dist.init_process_group("gloo", init_method="file://%s/meeting" % folder, rank=rank, world_size=size)
        model = nn.parallel.DistributedDataParallel(model)
    pool = alcore.Pool(texts)
    chosen = pool.select(BUDGET, "random", seed=1).indices
    pool.mark_labeled(chosen)
    for round in range(2, rounds + 2):
        loss = train(model, [texts[row] for row in chosen[rank::size]], 10)
        masked = pool.states
        mine = [row for row in range(len(pool)) if not masked[row]][rank::size]
        with torch.no_grad(), pool.column("logprobs") as logprobs, pool.column("embeddings") as embeddings:
            score(model, pool, mine, logprobs, embeddings)
            for name, writer in (("logprobs", logprobs), ("embeddings", embeddings)):
                if size > 1:  # each process saves its rows, waits for the others and merges theirs
                    writer.save("%s/%s.%d.%d" % (folder, name, round, rank))
                    dist.barrier()
                    for other in range(size):
                        if other != rank:
                            writer.merge("%s/%s.%d.%d" % (folder, name, round, other))
        picked = pool.select(BUDGET, "huds", round=round)  # the same in every process
        pool.mark_labeled(picked)
        chosen += picked.indices
        if rank == 0:
            print("round %d: %d sentences, loss %.3f, next: %s" % (round, len(chosen), loss, picked.indices))
    if size > 1:
        mine = torch.tensor(chosen)
        of_all = [torch.zeros_like(mine) for _ in range(size)]
        dist.all_gather(of_all, mine)
        assert all(torch.equal(other, mine) for other in of_all)
        dist.destroy_process_group()


def main():
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    rounds = numbers[0] if numbers else 3
    with tempfile.TemporaryDirectory() as folder:
        if "--ddp" in sys.argv:
            torch.multiprocessing.spawn(run, (2, rounds, folder), nprocs=2)
        else:
            run(0, 1, rounds, folder)


if __name__ == "__main__":
    main()
