# SPDX-License-Identifier: Apache-2.0
"""Spark: the executors score batches of texts, and the driver selects.

    spark_pool.py POOL LABELED [BUDGET]

Rows are known by their ids, never by their places: partitions come back in any order, and a task that failed runs again. The model
is a file that every executor can read, such as on a shared disk."""
import os
import sys
import tempfile
from pathlib import Path

import pyarrow
from pyspark.sql import SparkSession

import alcore


def scorer_of(path):
    """The function of an executor: batches of id and text to batches with scores, the mean negative log-probability."""
    def score(batches):
        import alcore
        model = alcore.LanguageModel.read(path)  # once for a partition
        for batch in batches:
            logprobs = model.token_logprobs(batch.column("text"))
            scores = [-sum(words) / len(words) for words in logprobs]
            yield pyarrow.RecordBatch.from_arrays([batch.column("id"), batch.column("text"), pyarrow.array(scores)],
                                                  ["id", "text", "scores"])
    return score


def main():
    texts, labeled = (alcore.Pool(Path(path)) for path in sys.argv[1:3])
    path = tempfile.mkdtemp() + "/known.arpa"
    alcore.LanguageModel(labeled, order=2).write(path)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # on a cluster: an interpreter that has alcore on every machine
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    pool = spark.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(4)
    scored = pool.mapInArrow(scorer_of(path), "id long, text string, scores double").orderBy("id")
    picked = alcore.select(scored, sys.argv[3] if len(sys.argv) > 3 else 5, "nnll")  # the table is read as one stream
    for id, text in zip(picked.ids, picked.texts):
        print(id, text, sep="\t")
    spark.stop()


if __name__ == "__main__":
    main()
