/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Named parameters of strategies, scorers and requests, readable at run time. The command line's
 * help, the bindings and docs/strategies.md come from these tables. */
#ifndef ALCORE_PARAM_H
#define ALCORE_PARAM_H

#include "alcore/status.h"

ALCORE_BEGIN

/** Types of a parameter's value. */
enum {
    ALCORE_PARAM_FLAG = 1,    /**< 0 or 1 */
    ALCORE_PARAM_INTEGER = 2, /**< an integer */
    ALCORE_PARAM_NUMBER = 3,  /**< a number */
    ALCORE_PARAM_CHOICE = 4,  /**< one of choices */
    ALCORE_PARAM_NUMBERS = 5, /**< numbers separated by commas: one per round, the last one stays */
    ALCORE_PARAM_TEXT = 6     /**< a text; the help of the parameter says what is allowed */
};

/** Description of one parameter. All strings are views, valid for ever. */
typedef struct alcore_param_info {
    size_t size;         /**< sizeof(alcore_param_info) */
    const char *name;    /**< such as "lambda" */
    const char *help;    /**< one line */
    const char *initial; /**< the default, as text */
    /** For ALCORE_PARAM_CHOICE the values, such as "none|minmax|zscore|rank"; for a number the
     * words that are allowed in its place, such as "all"; NULL: none */
    const char *choices;
    double minimum;   /**< of numbers; -infinity for none */
    double maximum;   /**< of numbers; infinity for none */
    int32_t type;     /**< ALCORE_PARAM_* */
    int32_t reserved; /**< pads: 0 */
} alcore_param_info;
/** An alcore_param_info with its size set and everything else 0. */
#define ALCORE_PARAM_INFO_INIT ALCORE_INIT(alcore_param_info)

ALCORE_END

#endif
