/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets and prices from text (docs/spec/budgets.md):
 *
 *   budgets   amount unit [, amount unit]...     1000   2500w,5000w   150 units
 *   price     amount [currency] / unit           0.1773/w   0.12EUR/word   3 GBP/i
 *
 * All budgets of one request have the same unit, because they are spent from one ranking by one
 * array of costs. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "request/request_internal.h"
#include "text/utf8.h"

/* Words for units, in budgets and prices. */
static const struct {
    const char *word;
    int32_t unit; /* ALCORE__UNIT_* */
} unit_words[] = {
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

/* The word for a unit (ALCORE__UNIT_*) in summaries and messages, of several and of one; static. */
const char *alcore__unit_name(int32_t unit) {
    static const char *const names[] = {[ALCORE__UNIT_ITEMS] = "items",
                                        [ALCORE__UNIT_WORDS] = "words",
                                        [ALCORE__UNIT_CHARACTERS] = "characters",
                                        [ALCORE__UNIT_COST] = "units"};
    return names[unit];
}

const char *alcore__unit_singular(int32_t unit) {
    static const char *const names[] = {[ALCORE__UNIT_ITEMS] = "item",
                                        [ALCORE__UNIT_WORDS] = "word",
                                        [ALCORE__UNIT_CHARACTERS] = "character",
                                        [ALCORE__UNIT_COST] = "unit"};
    return names[unit];
}

/* ALCORE__UNIT_* of a word; -1: it is none. */
static int32_t find_unit(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++)
        if (strlen(unit_words[i].word) == length && !memcmp(word, unit_words[i].word, length))
            return unit_words[i].unit;
    return -1;
}

/* Length in bytes of the number that the NUL-terminated text begins with; 0: there is none. An
 * exponent belongs to the number, the first letter of a unit does not. Only the kind of each
 * character is looked at: alcore__parse_double() refuses what is no number, such as "1.2.3". */
static size_t number_length(const char *text) {
    size_t length = strspn(text, "0123456789.+-");
    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        size_t exponent = strspn(text + length + 1, "0123456789+-");
        if (exponent > 0) length += 1 + exponent;
    }
    return length;
}

/* Fails with ALCORE_E_PARAM and a message of what is allowed; text: the whole option. */
static alcore_status refuse_budget(const char *text) {
    return alcore__fail(
        ALCORE_E_PARAM,
        "budget '%s': a number with a unit is expected: 1000 (items), 50000w (words), 20000c "
        "(characters) or 150u (units of the cost column), or several separated by commas",
        text);
}

/* Parses one budget, text[0 .. length - 1] without spaces around it: a number of 0 or more and an
 * optional unit, items where there is none. whole: the text of the option, which error messages
 * quote. */
static alcore_status parse_one(const char *whole, const char *text, size_t length,
                               alcore__budget *out) {
    size_t number = number_length(text);
    double amount;
    /* The text has further budgets behind `length`, and number_length() may have read on there. */
    if (number == 0 || number > length || !alcore__parse_double(text, number, &amount) ||
        !isfinite(amount))
        return refuse_budget(whole);
    if (amount < 0)
        return alcore__fail(ALCORE_E_PARAM, "budget '%s' is negative; 0 or more is allowed", whole);
    while (number < length && text[number] == ' ') number++;
    int32_t unit =
        number == length ? ALCORE__UNIT_ITEMS : find_unit(text + number, length - number);
    if (unit < 0) return refuse_budget(whole);
    /* What other packages take for a share of the pool. */
    if (unit == ALCORE__UNIT_ITEMS && amount != floor(amount))
        return alcore__fail(ALCORE_E_PARAM,
                            "budget '%s': items are whole; a share of the pool is given as the "
                            "number of items that it is, or of words, such as 1000w",
                            whole);
    *out = (alcore__budget){.amount = amount, .unit = unit};
    return ALCORE_OK;
}

/* Checks the budget that was parsed last against those before it: one unit for all, as the top
 * says, and no amount twice, since what a budget bought is found by its amount
 * (selection_handle.c). text: the whole option, for messages. */
static alcore_status check_together(const char *text, const alcore__budgets *budgets) {
    const alcore__budget *last = &budgets->items[budgets->count - 1];
    if (last->unit != budgets->items[0].unit)
        return alcore__fail(
            ALCORE_E_PARAM,
            "budget '%s': all budgets must have the same unit, not %s and %s; a comma stands "
            "between budgets, not in a number",
            text, alcore__unit_name(budgets->items[0].unit), alcore__unit_name(last->unit));
    for (int32_t i = 0; i + 1 < budgets->count; i++)
        if (budgets->items[i].amount == last->amount)
            return alcore__fail(ALCORE_E_PARAM, "budget '%s': the same amount is given twice",
                                text);
    return ALCORE_OK;
}

/* Parses "amount unit, amount unit ..." to at most ALCORE__BUDGETS budgets, in the order given.
 * Called when the option is set; out has no meaning after a failure. Each turn of the loop parses
 * the text up to the next comma or the end. */
alcore_status alcore__budgets_parse(const char *text, alcore__budgets *out) {
    *out = (alcore__budgets){0};
    for (const char *rest = text;; rest++) {
        rest += strspn(rest, " ");
        size_t length = strcspn(rest, ","), trimmed = length;
        while (trimmed > 0 && rest[trimmed - 1] == ' ') trimmed--;
        if (out->count > 0 && rest[0] == '0' && rest[1] >= '0' && rest[1] <= '9')
            return alcore__fail(ALCORE_E_PARAM,
                                "budget '%s': a comma stands between budgets; write 1000, not "
                                "1,000",
                                text);
        if (out->count == ALCORE__BUDGETS)
            return alcore__fail(ALCORE_E_PARAM, "budget: more than %d budgets", ALCORE__BUDGETS);
        ALCORE__TRY(parse_one(text, rest, trimmed, &out->items[out->count]));
        out->count++;
        ALCORE__TRY(check_together(text, out));
        rest += length;
        if (*rest == '\0') return ALCORE_OK;
    }
}

/* The largest amount, under which the strategy runs; 0 without budgets. */
double alcore__budgets_largest(const alcore__budgets *budgets) {
    double largest = 0;
    for (int32_t i = 0; i < budgets->count; i++) largest = fmax(largest, budgets->items[i].amount);
    return largest;
}

/* The largest amount of a price, so that no total overflows: no selection costs 10^290 units. */
#define MAX_PRICE 1e15

/* Fails with ALCORE_E_PARAM and a message of what is allowed; text: the whole option. */
static alcore_status refuse_price(const char *text, const char *fault) {
    return alcore__fail(ALCORE_E_PARAM,
                        "price '%s': an amount for a unit is expected, such as 0.1773/w (a word), "
                        "0.12EUR/c (a character) or 3/i (an item)%s",
                        text, fault);
}

/* Whether text [length] may be the name or sign of a currency: UTF-8 of fewer than
 * ALCORE__CURRENCY_BYTES bytes, of letters and other signs, without spaces, digits and what belongs
 * to numbers, so that no part of an amount is taken for it: 0,17 and 1'000 are amounts of other
 * grammars, and so is 0x1. number: the text of the amount. */
static bool is_currency(const char *text, size_t length, const char *number) {
    if (length >= ALCORE__CURRENCY_BYTES || alcore__utf8_check(text, length) < length) return false;
    if (text == number + 1 && *number == '0' && length > 0 && (*text | 0x20) == 'x') return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= ' ' || strchr("0123456789,.'_+-", text[i])) return false;
    return !(length >= 2 && memcmp(text, "\xC2\xA0", 2) == 0); /* a no-break space */
}

/* Parses "amount [currency] / unit"; empty text is no price (amount NaN). Called when the option is
 * set; after a failure *out is no price. The currency may contain a slash, so the last slash of the
 * text is the one before the unit. */
alcore_status alcore__price_parse(const char *text, alcore__price *out) {
    *out = (alcore__price){.amount = (double)NAN};
    if (*text == '\0') return ALCORE_OK;
    size_t number = number_length(text);
    double amount;
    const char *fault = alcore__number_fault(text, strcspn(text, "/"));
    if (number == 0 || !alcore__parse_double(text, number, &amount) || !isfinite(amount))
        return refuse_price(text, fault);
    if (signbit(amount) || amount > MAX_PRICE)
        return refuse_price(text, signbit(amount) ? "; it is negative" : "; it is too large");
    const char *currency = text + number + strspn(text + number, " ");
    const char *slash = strrchr(currency, '/');
    if (!slash) return refuse_price(text, fault);
    size_t length = (size_t)(slash - currency);
    while (length > 0 && currency[length - 1] == ' ') length--;
    const char *word = slash + 1 + strspn(slash + 1, " ");
    int32_t unit = find_unit(word, strlen(word));
    if (unit < 0 || !is_currency(currency, length, text)) return refuse_price(text, fault);
    out->amount = amount;
    out->unit = unit;
    memcpy(out->currency, currency, length);
    return ALCORE_OK;
}
