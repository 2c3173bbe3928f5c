#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call costs beside the library's own work, in microseconds; the goal is below 5."""
import timeit

import alcore


def measure(name, call, number=20000):
    best = min(timeit.repeat(call, number=number, repeat=5)) / number * 1e6
    print("%-28s %6.2f us" % (name, best))


def main():
    pool = alcore.Pool(["a b", "c d"])
    strategy = alcore.Strategy("huds")
    request = alcore.Request(pool, strategy=strategy, budget=1)
    buffer = alcore.Pool(["x"])
    measure("len(pool)", pool.__len__)
    measure("pool[row]", lambda: pool[1])
    measure("pool.words(row)", lambda: pool.words(1))
    measure("strategy.set(candidates=1)", lambda: strategy.set(candidates=1))
    measure("request.set(round=2)", lambda: request.set(round=2))
    measure("pool.mark(), guarded", lambda: buffer.mark("excluded", [0]))
    measure("request.select()", lambda: request.select().close(), 2000)


if __name__ == "__main__":
    main()
