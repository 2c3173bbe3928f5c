# SPDX-License-Identifier: Apache-2.0
"""Dask: workers score partitions of texts, and the driver selects.

    dask_pool.py POOL LABELED [BUDGET]

The model is a file that every worker can read, such as on a shared disk."""
import sys
import tempfile
from pathlib import Path

import dask.dataframe
import pandas

import alcore


def score(partition, path):
    """A partition, a DataFrame of id and text, with scores, the mean negative log-probability."""
    model = alcore.LanguageModel.read(path)
    logprobs = model.token_logprobs(partition["text"])
    return partition.assign(scores=[-sum(words) / len(words) for words in logprobs])


def main():
    texts, labeled = (alcore.Pool(Path(path)) for path in sys.argv[1:3])
    path = tempfile.mkdtemp() + "/known.arpa"
    alcore.LanguageModel(labeled, order=2).write(path)
    pool = dask.dataframe.from_pandas(pandas.DataFrame({"id": range(len(texts)), "text": list(texts)}), npartitions=4)
    scored = pool.map_partitions(score, path, meta={"id": "int64", "text": "string", "scores": "float64"})
    picked = alcore.select(scored.compute(), sys.argv[3] if len(sys.argv) > 3 else 5, "nnll")
    for id, text in zip(picked.ids, picked.texts):
        print(id, text, sep="\t")


if __name__ == "__main__":
    main()
