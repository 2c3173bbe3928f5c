/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * libalcore: decides what to label next. This header includes all stable ones.
 *
 * What a program that embeds libalcore may rely on:
 *
 * - Nothing is process-wide. No signal handler, locale, environment variable, thread setting, stdio
 * stream or random state of the process is touched. Two contexts know nothing of each other.
 * - Nothing aborts or exits. A wrong argument is a status; alcore_last_error() says what was wrong,
 * per thread.
 * - Memory comes from the context's allocator and is given back to it. Functions return handles or
 * views, never memory to free().
 * - A pointer may be NULL where its comment says so, and nowhere else.
 * - Pointers are of four kinds: borrowed (used during the call), kept (the library takes a
 * reference or a copy), owned (the caller releases it with _unref), view (handed out, valid until
 * the named handle is released).
 * - Handles are counted and may be released in any order, NULL included, on any thread.
 * - Callbacks run on the thread that entered the call; only the allocator and the virtual files may
 * be called from any thread. A callback that fails sets alcore_error_set() and returns a nonzero
 * status, which comes back from the outer call.
 * - Long calls report progress at least every 100 ms and stop within 100 ms of alcore_ctx_cancel(),
 * which is safe in a signal handler. A cancelled context stays cancelled until
 * alcore_ctx_cancel_clear().
 * - After fork() a context of the parent answers ALCORE_E_FORKED in the child; _unref is safe
 * there.
 * - A changing call on a handle that is in use answers ALCORE_E_BUSY at once, and so does a reading
 * call that returns a status while a changing one runs. Calls that return no status cannot say so:
 * they do not belong beside a changing call on the same handle.
 * - Structs are size-first: start from their INIT macro or init function. Outs come last and are
 * NULL or 0 after a failure.
 * - The same columns, parameters and seed give the same picks on every machine, for every number of
 * threads. */
#ifndef ALCORE_H
#define ALCORE_H

#include "alcore/context.h"
#include "alcore/format.h"
#include "alcore/lm.h"
#include "alcore/logits.h"
#include "alcore/model.h"
#include "alcore/param.h"
#include "alcore/phrase.h"
#include "alcore/pool.h"
#include "alcore/remedy.h"
#include "alcore/request.h"
#include "alcore/scorer.h"
#include "alcore/search.h"
#include "alcore/selection.h"
#include "alcore/status.h"
#include "alcore/strategy.h"
#include "alcore/tensor.h"
#include "alcore/version.h"

#endif
