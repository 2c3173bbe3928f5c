/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Named parameters of strategies, scorers and requests, readable at run time. The command line's
 * help, the bindings and docs/strategies.md come from these tables. */
#ifndef ALCORE_PARAM_H
#define ALCORE_PARAM_H

#include "alcore/status.h"

ALCORE_BEGIN

/** Types of a parameter's value. */
enum alcore_param_type {
    ALCORE_PARAM_FLAG = 801,    /**< 0 or 1 */
    ALCORE_PARAM_INTEGER = 802, /**< an integer */
    ALCORE_PARAM_NUMBER = 803,  /**< a number */
    ALCORE_PARAM_CHOICE = 804,  /**< one of choices */
    /** Numbers separated by commas: one per round, the last one stays */
    ALCORE_PARAM_NUMBERS = 805,
    ALCORE_PARAM_TEXT = 806 /**< a text; the help of the parameter says what is allowed */
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

/** What a name stands for, of which alcore_hint() is asked, as bits. */
enum alcore_hint_kind {
    ALCORE_HINT_STRATEGY = 0x2000, /**< a strategy or a score */
    ALCORE_HINT_METRIC = 0x4000,   /**< a measure */
    ALCORE_HINT_OPTION = 0x8000    /**< an option, a parameter, an argument or a column */
};

/** What a name leads to that other packages use for something that exists here, or whose nearest
 * relation does: "BreakingTies" of small-text, "CoreSet" of scikit-activeml, "num_beams" of
 * transformers. The library's own messages about unknown names have it; a binding may ask for names
 * that it looks up itself. Case, "_" and "-" do not matter.
 * @param[in] kind ALCORE_HINT_*; METRIC and OPTION together: an option of a measure
 * @param[in] name borrowed: a name that was looked up and not found; NULL is allowed
 * @return a view, valid for ever: the end of a sentence, "it is called margin"; NULL: nothing is
 * known
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_hint(int32_t kind, const char *name);

ALCORE_END

#endif
