/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Remedies: settings that resolve a failure or improve a selection, as data. The library's own
 * texts say what happened and name no option of the command, keyword or function; a front end shows
 * the remedy in the form in which its users write it: "--fill skip", fill="skip",
 * alcore_request_set(request, "fill", "skip").
 */
#ifndef ALCORE_REMEDY_H
#define ALCORE_REMEDY_H

#include "alcore/status.h"

ALCORE_BEGIN

/** What a remedy names. */
enum alcore_remedy_kind {
    ALCORE_REMEDY_OPTION = 2101,    /**< an option of the request: name, value */
    ALCORE_REMEDY_PARAMETER = 2102, /**< a parameter of the strategy or scorer: name, value */
    /** A pool to give; name is its role: "candidates", "labeled", "target" */
    ALCORE_REMEDY_POOL = 2103,
    ALCORE_REMEDY_COLUMN = 2104,   /**< a column to give: name */
    ALCORE_REMEDY_STRATEGY = 2105, /**< a strategy to use: name */
    /** What to say of a column that is given: name, and the meaning (ALCORE_MEANS_*) in lower case
     * as value, or several with "|" between them */
    ALCORE_REMEDY_MEANING = 2106,
    /** A model to give, which makes a missing column: name, and the column as value; NULL: any */
    ALCORE_REMEDY_MODEL = 2107,
    /** A release of torch to install or to name the folder of: name, such as "2.11" */
    ALCORE_REMEDY_TORCH = 2108
};

/** A remedy. All strings are views, valid for ever. */
typedef struct alcore_remedy {
    size_t size;        /**< sizeof(alcore_remedy) */
    const char *name;   /**< of the option, parameter, role, column or strategy */
    const char *value;  /**< the value to give; NULL: any, or there is none */
    const char *effect; /**< what it does, as the end of a sentence: "stays within the budget" */
    int32_t kind;       /**< ALCORE_REMEDY_* */
    int32_t reserved;   /**< pads: 0 */
} alcore_remedy;
/** An alcore_remedy with its size set and everything else 0. */
#define ALCORE_REMEDY_INIT ALCORE_INIT(alcore_remedy)

/** The remedy for this thread's last error. Like alcore_last_error() it leaves that error alone.
 * @param[in,out] out size-first; filled
 * @return 1: there is one; 0: the error has none, or out is no alcore_remedy
 * @threadsafe
 * @since 1.0 */
ALCORE_API int32_t alcore_last_remedy(alcore_remedy *out);

ALCORE_END

#endif
