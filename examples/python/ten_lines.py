# SPDX-License-Identifier: Apache-2.0
"""A selection with plain ctypes, without the package: usage: ten_lines.py POOL.txt (LD_LIBRARY_PATH finds libalcore.so.1)."""
import sys
from ctypes import CDLL, byref, c_char_p, c_int64, c_void_p

al, ctx, pool, request, picked = CDLL("libalcore.so.1"), c_void_p(), c_void_p(), c_void_p(), c_void_p()
al.alcore_last_error.restype = al.alcore_pool_text.restype = c_char_p
al.alcore_selection_rows.restype, al.alcore_selection_count.restype = c_void_p, c_int64

def check(status):
    if status: raise RuntimeError(al.alcore_last_error().decode())

check(al.alcore_ctx_new(None, byref(ctx)))
check(al.alcore_pool_new(ctx, None, byref(pool)))
check(al.alcore_pool_read(pool, sys.argv[1].encode(), None))
check(al.alcore_request_new(ctx, byref(request)))
check(al.alcore_request_set_pool(request, 1701, pool))  # ALCORE_ROLE_CANDIDATES
check(al.alcore_request_set(request, b"budget", b"30w"))
check(al.alcore_select(request, byref(picked)))
rows = (c_int64 * al.alcore_selection_count(picked)).from_address(al.alcore_selection_rows(picked))
for row in rows:
    print(row, al.alcore_pool_text(pool, c_int64(row), None).decode())
for release, handle in ((al.alcore_selection_unref, picked), (al.alcore_request_unref, request),
                        (al.alcore_pool_unref, pool), (al.alcore_ctx_unref, ctx)):
    release(handle)
