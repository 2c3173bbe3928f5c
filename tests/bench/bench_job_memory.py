# SPDX-License-Identifier: Apache-2.0
"""What a worker of a job keeps in memory for each of its own rows and for each row of all shards, by strategy.

    bench_job_memory.py ROWS FOLDER [STRATEGY[,NAME=VALUE]...]...

Runs each strategy over ROWS rows in 4 shards, twice as many in 4, and these in 2, as bench_job_scale.py --made does, and derives both numbers from
the largest memory of a worker beyond what it has before it begins; some 26 bytes of an own row are those of its pool. With fewer than 2.2 million
rows some strategies keep copies of the embeddings, 128 bytes of an own row. Columns are those that the strategy needs; where it reads labeled
rows every 4,999th is one, and a target has 1,000 rows. A strategy with an exchange for each pick has a budget of 4 items, all others 1,000. Two
bytes more or less say nothing."""
import argparse
import sys

import bench_job_scale

STRATEGIES = ["uncertainty", "huds", "huds,strata=quantile", "huds,rescale=zscore", "huds,k_clusters=2,n_strata=2",
              "diversity-global", "average-dist", "knn-uncertainty", "uncertainty-knn", "idds,mode=oneshot",
              "kcenter", "kcenter,mode=composable,per_block=4", "badge", "contrastive", "egl", "mrs"]
FEW = {"kcenter", "badge"}


def memory_of(words, rows, shards, folder):
    """(Bytes of a worker beyond its begin, rows of a worker)."""
    name, *parameters = words.split(",")
    options = argparse.Namespace(rows=rows, parent=folder, shards=shards, at_once=2, strategy=name, parameters=bench_job_scale.words_of(parameters),
                                 budget="4" if words in FEW else "1000", targets=1000, candidates="all", made=True, check=False)
    done = bench_job_scale.drive(options)
    return done.grown, max(end - first for first, end in done.spans)


def main():
    rows, folder = int(sys.argv[1]), sys.argv[2]
    print("strategy\town_row\trow_of_all")
    for words in sys.argv[3:] or STRATEGIES:
        less, more, halves = (memory_of(words, count, shards, folder) for count, shards in ((rows, 4), (2 * rows, 4), (2 * rows, 2)))
        own = (halves[0] - more[0]) / (halves[1] - more[1])
        of_all = (more[0] - less[0] - own * (more[1] - less[1])) / rows
        print("%s\t%.1f\t%.1f" % (words, own, of_all), flush=True)


if __name__ == "__main__":
    main()
