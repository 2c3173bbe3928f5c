/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Status codes and the text of the last error.
 *
 * Every call that can fail returns an alcore_status. The text that belongs to it is kept per
 * thread, cleared when the outermost status call of a thread begins, and names the row, file, line,
 * tensor or parameter at fault.
 *
 * Beside the codes that its comment lists, every status call on a handle may answer
 * ALCORE_E_INVALID (a NULL where the comment allows none), ALCORE_E_NOMEM and ALCORE_E_FORKED, and
 * a call that runs a callback whatever status that callback returned. A call whose comment names
 * ALCORE_E_CANCELLED is a long one, which cancelling ends or refuses (alcore_ctx_cancel()); where
 * "(by progress)" follows, only an answer of the progress function ends it. After a failure outs
 * are NULL or 0, structs that the call would have filled and handles are as they were, and arrays
 * of the caller hold anything. */
#ifndef ALCORE_STATUS_H
#define ALCORE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "alcore/export.h"

ALCORE_BEGIN

/** Result of a call: 0 is success, every failure is negative. Values never change. */
typedef int32_t alcore_status;

/** Status codes. */
enum alcore_status_code {
    ALCORE_OK = 0,          /**< success */
    ALCORE_E_INVALID = -10, /**< a wrong argument */
    ALCORE_E_PARAM = -11,   /**< unknown strategy, scorer, parameter or value out of bounds */
    /** A struct's size is below its first version or absurdly large */
    ALCORE_E_STRUCT_SIZE = -12,
    /** A struct uses fields this library does not know (nonzero tail). */
    ALCORE_E_STRUCT_NEWER = -13,
    /** A struct's size is 0: it was not begun with its _INIT macro or alcore_struct_begin(). */
    ALCORE_E_STRUCT_UNSET = -14,
    ALCORE_E_DATA = -20,  /**< bad input data: the text names file, line, row or column */
    ALCORE_E_SHAPE = -21, /**< an array of the wrong shape or dtype */
    /** A needed column, or its value for a row, is neither given nor can be computed. */
    ALCORE_E_MISSING = -22,
    ALCORE_E_NOT_FOUND = -23,   /**< no such row, id or column */
    ALCORE_E_NOMEM = -30,       /**< out of memory */
    ALCORE_E_IO = -40,          /**< a file could not be opened, read, written or renamed */
    ALCORE_E_CORRUPT = -41,     /**< a file that the library wrote is damaged */
    ALCORE_E_EXISTS = -42,      /**< a file that was to be created exists already */
    ALCORE_E_UNSUPPORTED = -50, /**< not offered by this build, model or device */
    ALCORE_E_MODULE = -51,      /**< a loadable module is absent or refused to load */
    ALCORE_E_BUSY = -60,        /**< the handle is in use by another call */
    ALCORE_E_FORKED = -61,      /**< the context belongs to the parent of this process */
    ALCORE_E_CANCELLED = -62,   /**< the call was cancelled */
    ALCORE_E_CALLBACK = -70,    /**< a callback failed without saying why */
    ALCORE_E_INTERNAL = -90     /**< a defect of the library */
};

/** Name of a status code, such as "ALCORE_E_NOMEM"; "unknown status" for any other number.
 * @param[in] status any number
 * @return a view, valid for ever; never NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_status_name(alcore_status status);

/** Text of this thread's last error; "" when the last outermost status call succeeded. Calls that
 * return no status leave it alone. Where tasks move between threads, as goroutines do, the failing
 * call and this one have to run on one thread: lock the task to it meanwhile
 * (runtime.LockOSThread() in Go), or make both calls in one C function, which copies the text.
 * @return a view, valid until this thread's next status call; never NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_last_error(void);

/** Sets this thread's error text. A callback that fails calls it and returns the same status: that
 * status and this text come back from the outer call.
 * @param[in] status the code the callback is about to return, negative
 * @param[in] text kept: copied; UTF-8, need not be terminated; NULL clears the text
 * @param[in] length bytes of text; the text is cut at 1023 bytes, at a code point
 * @return status itself, so that a callback can `return alcore_error_set(...)`
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_error_set(alcore_status status, const char *text, size_t length);

/** Begins a size-first struct of alcore/alcore.h as its _INIT macro does: sets its first member to
 * size, the members that the macro sets to their values, and every other byte to 0. For languages
 * that have no macros; C and C++ use the macros.
 * @param[out] any_struct the struct, size bytes
 * @param[in] size sizeof the struct in the caller's headers: 8 to 4096
 * @param[in] name borrowed: of the struct, such as "alcore_model_options"
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL), ALCORE_E_NOT_FOUND (no struct has that name; those
 *   of alcore/extra.h are begun by alcore_extra_struct_begin()), ALCORE_E_STRUCT_SIZE
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_struct_begin(void *any_struct, size_t size, const char *name);

ALCORE_END

#endif
