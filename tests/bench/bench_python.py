#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the library's own work, in microseconds; status 1 when one takes 5 or more.

A pair of functions is a call of the package and the same call of the bare library: the difference is the cost. The time is
the shortest of many short turns, so that a machine with other work says the same as an idle one."""
import ctypes
import sys
import timeit

import alcore
from alcore._library import lib

GOAL = 5.0
BESIDE = {"select_of_a_pool", "select_of_texts"}  # many calls in one: told, without a goal


def shortest(call, number):
    return min(timeit.repeat(call, number=number, repeat=400)) / number * 1e6


def pairs():
    """(name, call of the package, the same of the library or None, calls a turn)"""
    pool, buffer = alcore.Pool(["a b", "c d"]), alcore.Pool(["x"])
    strategy = alcore.Strategy("huds")
    request = alcore.Request(pool, strategy="random", budget=1)
    handle, words = pool._handle, ctypes.c_void_p()
    rows = ctypes.byref(alcore._ffi.alcore_tensor())
    limits = ctypes.byref(ctypes.create_string_buffer(256))
    lib.alcore_struct_begin(limits, ctypes.sizeof(alcore._ffi.alcore_filter), b"alcore_filter")

    def bare_select():
        lib.alcore_select(request._handle, ctypes.byref(words))
        lib.alcore_selection_unref(words)

    def bare_candidates():
        lib.alcore_request_candidates(request._handle, 1, rows)

    yield "len", pool.__len__, None, 100
    yield "text_of_a_row", lambda: pool[1], None, 100
    yield "words_of_a_row", lambda: pool.words(1), None, 100
    yield "id_of_a_row", lambda: pool.id(1), None, 100
    yield "count", lambda: pool.count("labeled"), None, 100
    yield "set_parameter", lambda: strategy.set(candidates=1), None, 100
    yield "set_option", lambda: request.set(round=2), None, 100
    yield "mark", lambda: buffer.mark("excluded", [0]), None, 100
    yield "unmark", lambda: buffer.unmark("excluded", [0]), None, 100
    yield "filter", lambda: pool.filter(), lambda: lib.alcore_pool_filter(handle, limits), 100
    yield "candidates", lambda: request.candidates(1), bare_candidates, 50
    yield "select", lambda: request.select().close(), bare_select, 20
    yield "select_of_a_pool", lambda: pool.select(1, "random").close(), bare_select, 20
    yield "select_of_texts", lambda: alcore.select(["a b", "c d"], 1, "random").close(), bare_select, 20


def main():
    slow = []
    for name, call, bare, number in pairs():
        cost = shortest(call, number) - (shortest(bare, number) if bare else 0.0)
        print("result %s %.2f us" % (name, cost))
        if cost >= GOAL and name not in BESIDE:
            slow.append(name)
    if slow:
        print("not below %g us: %s" % (GOAL, ", ".join(slow)))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
