# SPDX-License-Identifier: Apache-2.0
"""Ray Data: actors score batches of texts, and the driver selects.

    ray_pool.py POOL LABELED [BUDGET]

Rows are known by their ids, never by their places: blocks come back in the order in which they are ready. The model is a file that
every worker can read, such as on a shared disk."""
import sys
import tempfile
from pathlib import Path

import ray

import alcore


class Scorer:
    """An actor: the model is read once, then it scores batches, dicts of NumPy arrays."""

    def __init__(self, path):
        import alcore
        self.model = alcore.LanguageModel.read(path)

    def __call__(self, batch):
        logprobs = self.model.token_logprobs(batch["text"])
        batch["scores"] = [-sum(words) / len(words) for words in logprobs]
        return batch


def main():
    texts, labeled = (alcore.Pool(Path(path)) for path in sys.argv[1:3])
    path = tempfile.mkdtemp() + "/known.arpa"
    alcore.LanguageModel(labeled, order=2).write(path)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    pool = ray.data.from_items([{"id": id, "text": text} for id, text in enumerate(texts)], override_num_blocks=4)
    scored = pool.map_batches(Scorer, fn_constructor_args=[path], concurrency=1, batch_size=16).to_pandas().sort_values("id")
    picked = alcore.select(scored, sys.argv[3] if len(sys.argv) > 3 else 5, "nnll")
    for id, text in zip(picked.ids, picked.texts):
        print(id, text, sep="\t")
    ray.shutdown()


if __name__ == "__main__":
    main()
