/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * libalcore: decides what to label next. This header includes all of the core, which is frozen;
 * alcore/extra.h includes it and the rest.
 *
 * What a program that embeds libalcore may rely on:
 *
 * - Nothing is process-wide. No signal handler, locale, environment variable, thread setting, stdio
 *   stream or random state of the process is touched. Two contexts share nothing.
 * - Nothing aborts or exits. A wrong argument is a status; alcore_last_error() says what was wrong,
 *   per thread.
 * - Memory comes from the context's allocator and is given back to it. Functions return handles or
 *   views, never memory to free().
 * - A pointer may be NULL where its comment says so, and nowhere else.
 * - Pointers are of four kinds: borrowed (used during the call), kept (the library takes a
 *   reference or a copy), owned (the caller releases it with _unref), view (handed out, valid until
 *   the named handle is released).
 * - Handles are reference-counted and may be released in any order, on any thread; NULL may be
 *   released too.
 * - Callbacks run on the thread that entered the call; only the allocator and the virtual files may
 *   be called from any thread. A callback that fails calls alcore_error_set() and returns its
 *   status, which the outer call then returns. If a callback returns a positive number, the outer
 *   call returns the status that was set, or ALCORE_E_CALLBACK where none was.
 * - Long calls report progress about every 100 ms and stop within 100 ms of alcore_ctx_cancel()
 *   or alcore_request_cancel(), which are safe in a signal handler and last until they are cleared.
 *   Calls that set, ask or save are not refused meanwhile.
 * - After fork() calls on a context of the parent return ALCORE_E_FORKED in the child; _unref is
 *   safe there.
 * - A call that changes a handle returns ALCORE_E_BUSY at once while another call uses that handle;
 *   a call that reads it does so while another call changes it. Functions that return no status
 *   cannot report that: do not call them while another thread changes the same handle.
 * - The same columns, parameters and seed give the same picks on every machine, for every number of
 *   threads.
 *
 * How every function of these headers is made, so that one page is enough to read them all:
 *
 * 1. Names. alcore_NOUN_VERB[_OBJECT]() does something, alcore_NOUN_PROPERTY() tells something
 *    about a handle or computes what the property names, as alcore_search_knn() does. A noun alone
 *    is returned; with the verb get it fills outputs and returns a status. What makes a handle
 *    begins with new or open, what changes one with set, add, read, train and the like. Two calls
 *    are what a program is about and have a verb alone: alcore_select() and alcore_align().
 *    alcore_NOUN_builtin_name(index) walks over what the library has built in, from 0 until it
 *    answers NULL; alcore_NOUN_builtin_summary(), _param() and _needs() tell about one of them by
 *    name.
 * 2. Arguments. First the handle that the call is about (or the context), then the borrowed inputs,
 *    each array or group of parallel arrays directly followed by its count, then the options (NULL:
 *    all defaults), last the outputs, which are named out, out_... or buffer. Texts are (texts,
 *    lengths, count), or (bytes, offsets, count) where they lie in one block; a tensor brings its
 *    shape with it. After a failure handles, pointers and numbers that a call gives are NULL or 0
 *    (the row of alcore_pool_find() is -1); a struct that it fills is as it was, and what is in an
 *    array of the caller is not defined.
 *    alcore_struct_begin() and alcore_tensor_init(), which fill the struct that they are about,
 *    take it first as a handle is. A function of a host takes its user pointer first and keeps the
 *    same order; tests/abi/argument_order.py checks all of them.
 * 3. Numbers. Rows, counts, indices and dimensions are int64_t everywhere; size_t counts bytes
 *    only; int32_t is for enums, flags and small settings. No two enums have a value in common, and
 *    none has 0: a value of another enum is refused, and 0 means the default where there is one.
 *    Enums that the library hands out may get further values: treat one that you do not know as
 *    "something else" (docs/abi.md).
 * 4. Ownership. What the caller passes becomes the library's only when the call returns ALCORE_OK:
 *    after a failure no destroy or release function of a table is called. An Arrow stream, which
 *    can be read once only, is the library's as soon as it is read. What a function returns is a
 *    handle or a view, never memory to free; what is handed out by the Arrow interface has a
 *    release function of its own.
 * 5. Structs. The first member of a struct that may grow is its size: begin with its _INIT macro,
 *    or with alcore_struct_begin() in a language without macros. Both leave every member at its
 *    default. That is 0 or NULL, except where 0 says something else: a member whose comment says
 *    "unset" then begins as ALCORE_UNSET (a NaN) or ALCORE_UNSET_INT, and a 0 that is given is 0,
 *    or refused by name. A caller of an older header may pass a shorter struct; one of a newer
 *    header is refused (ALCORE_E_STRUCT_NEWER) only where it sets what this library does not know.
 *    A field named reserved only pads: the library writes 0 there, and refuses anything else with
 *    that code.
 * 6. Arrays. Results of many values are an alcore_tensor that is a view of a handle, or are written
 *    to a tensor of the caller whose shape is checked. Functions of a host that the library calls
 *    are given plain arrays: the library made them, and their length is an argument beside them.
 * 7. Errors. Every call that returns a status clears the thread's error text when it begins and
 *    sets it when it fails: place, what is wrong, what to do. Bad input is a status, never an
 *    abort.
 * 8. Every function is called by a binding, the command or an example; tests/abi/uncalled-exports
 *    has the few exceptions with their reasons. */
#ifndef ALCORE_H
#define ALCORE_H

#include "alcore/arrow.h"
#include "alcore/budget.h"
#include "alcore/context.h"
#include "alcore/format.h"
#include "alcore/gone.h"
#include "alcore/logits.h"
#include "alcore/model.h"
#include "alcore/param.h"
#include "alcore/phrase.h"
#include "alcore/pool.h"
#include "alcore/pool_column.h"
#include "alcore/remedy.h"
#include "alcore/request.h"
#include "alcore/scorer.h"
#include "alcore/search.h"
#include "alcore/selection.h"
#include "alcore/status.h"
#include "alcore/strategy.h"
#include "alcore/tensor.h"
#include "alcore/version.h"
#include "alcore/view.h"

#endif
