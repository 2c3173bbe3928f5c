/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets from text: a number and a unit (spec 1.6). */
#include <math.h>
#include <string.h>

#include "request/request_internal.h"
#include "text/number.h"

static const struct {
    const char *word;
    int32_t unit;
} unit_words[] = {
    {"", ALCORE__UNIT_ITEMS},
    {"i", ALCORE__UNIT_ITEMS},
    {"item", ALCORE__UNIT_ITEMS},
    {"items", ALCORE__UNIT_ITEMS},
    {"w", ALCORE__UNIT_WORDS},
    {"word", ALCORE__UNIT_WORDS},
    {"words", ALCORE__UNIT_WORDS},
    {"c", ALCORE__UNIT_CHARACTERS},
    {"char", ALCORE__UNIT_CHARACTERS},
    {"character", ALCORE__UNIT_CHARACTERS},
    {"characters", ALCORE__UNIT_CHARACTERS},
    {"u", ALCORE__UNIT_COST},
    {"unit", ALCORE__UNIT_COST},
    {"units", ALCORE__UNIT_COST},
};

const char *alcore__unit_name(int32_t unit) {
    static const char *const names[] = {"items", "words", "characters", "units"};
    return names[unit];
}

static alcore_status refuse(const char *text) {
    return alcore__fail(
        ALCORE_E_PARAM,
        "budget '%s': a number with a unit is expected: 1000 (items), 50000w (words), "
        "20000c (characters) or 150u (units of the cost column)",
        text);
}

alcore_status alcore__budget_parse(const char *text, alcore__budget *out) {
    size_t number = strspn(text, "0123456789.+-");
    /* An exponent belongs to the number, a unit's first letter does not. */
    if (number > 0 && (text[number] == 'e' || text[number] == 'E')) {
        size_t exponent = strspn(text + number + 1, "0123456789+-");
        if (exponent > 0) number += 1 + exponent;
    }
    double amount;
    if (number == 0 || !alcore__parse_double(text, number, &amount)) return refuse(text);
    if (!isfinite(amount)) return refuse(text);
    if (amount < 0)
        return alcore__fail(ALCORE_E_PARAM, "budget '%s' is negative; 0 or more is allowed", text);
    const char *unit = text + number;
    unit += strspn(unit, " ");
    for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++) {
        if (strcmp(unit, unit_words[i].word) != 0) continue;
        out->amount = amount;
        out->unit = unit_words[i].unit;
        return ALCORE_OK;
    }
    return refuse(text);
}
