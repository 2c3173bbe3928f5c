/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Budgets and prices as numbers: units, and what labeling costs. The texts that a request takes
 * too, "1000w" and "0.12EUR/w", say the same. */
#ifndef ALCORE_BUDGET_H
#define ALCORE_BUDGET_H

#include "alcore/status.h"

ALCORE_BEGIN

/** What budgets, costs and prices are counted in. */
enum alcore_unit {
    ALCORE_UNIT_ITEMS = 2501,      /**< each row is 1; "i" in texts */
    ALCORE_UNIT_WORDS = 2502,      /**< words of the row's text; "w" */
    ALCORE_UNIT_CHARACTERS = 2503, /**< code points of the row's text; "c" */
    ALCORE_UNIT_UNITS = 2504       /**< the row's own cost, such as minutes; "u" */
};

/** What labeling costs in money. */
typedef struct alcore_price {
    size_t size;   /**< sizeof(alcore_price) */
    double amount; /**< of money for one unit, 0 to 1e15 */
    /** Name or sign of the currency: UTF-8 of at most 15 bytes, without spaces, digits and
     * , . ' _ + -; NULL or empty: none is named */
    const char *currency;
    int32_t unit;     /**< ALCORE_UNIT_*, which has no default */
    int32_t reserved; /**< pads: 0, checked */
} alcore_price;
/** An alcore_price with its size set and everything else 0. */
#define ALCORE_PRICE_INIT ALCORE_INIT(alcore_price)

ALCORE_END

#endif
