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

/* Words for units, in budgets and prices. Of each unit the last two are the words for one and for
 * several in messages, and the first is the letter that is printed. */
static const struct unit_word {
    const char *word;
    int32_t unit; /* ALCORE_UNIT_* */
} unit_words[] = {
    {"i", ALCORE_UNIT_ITEMS},
    {"item", ALCORE_UNIT_ITEMS},
    {"items", ALCORE_UNIT_ITEMS},
    {"w", ALCORE_UNIT_WORDS},
    {"word", ALCORE_UNIT_WORDS},
    {"words", ALCORE_UNIT_WORDS},
    {"c", ALCORE_UNIT_CHARACTERS},
    {"char", ALCORE_UNIT_CHARACTERS},
    {"character", ALCORE_UNIT_CHARACTERS},
    {"characters", ALCORE_UNIT_CHARACTERS},
    {"u", ALCORE_UNIT_UNITS},
    {"unit", ALCORE_UNIT_UNITS},
    {"units", ALCORE_UNIT_UNITS},
};
enum { UNIT_WORDS = sizeof unit_words / sizeof *unit_words };

/* The first and the last word of a unit; NULL for a number that is no unit. */
static const struct unit_word *first_word(int32_t unit) {
    for (int32_t i = 0; i < UNIT_WORDS; i++)
        if (unit_words[i].unit == unit) return &unit_words[i];
    return NULL;
}

static const struct unit_word *last_word(int32_t unit) {
    for (int32_t i = UNIT_WORDS - 1; i >= 0; i--)
        if (unit_words[i].unit == unit) return &unit_words[i];
    return NULL;
}

const char *alcore__unit_name(int32_t unit) {
    return last_word(unit)->word;
}

const char *alcore__unit_singular(int32_t unit) {
    return last_word(unit)[-1].word;
}

/* ALCORE_UNIT_* of a word; -1: it is none. */
static int32_t find_unit(const char *word, size_t length) {
    for (int32_t i = 0; i < UNIT_WORDS; i++)
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
                               double *out_amount, int32_t *out_unit) {
    size_t number = number_length(text);
    double amount;
    /* The text has further budgets behind `length`, and number_length() may have read on there. */
    if (number == 0 || number > length || !alcore__parse_double(text, number, &amount) ||
        !isfinite(amount))
        return refuse_budget(whole);
    if (amount < 0)
        return alcore__fail(ALCORE_E_PARAM, "budget '%s' is negative; 0 or more is allowed", whole);
    while (number < length && text[number] == ' ') number++;
    int32_t unit = number == length ? ALCORE_UNIT_ITEMS : find_unit(text + number, length - number);
    if (unit < 0) return refuse_budget(whole);
    /* What other packages take for a share of the pool. */
    if (unit == ALCORE_UNIT_ITEMS && amount != floor(amount))
        return alcore__fail(ALCORE_E_PARAM,
                            "budget '%s': items are whole; a share of the pool is given as the "
                            "number of items that it is, or of words, such as 1000w",
                            whole);
    *out_amount = amount;
    *out_unit = unit;
    return ALCORE_OK;
}

/* Adds a budget to those before it: one unit for all, as the top says, and no amount twice, since
 * what a budget bought is found by its amount (selection_handle.c). text: the whole option, for
 * messages. */
static alcore_status add_budget(const char *text, double amount, int32_t unit,
                                alcore__budgets *budgets) {
    if (budgets->count > 0 && unit != budgets->unit)
        return alcore__fail(
            ALCORE_E_PARAM,
            "budget '%s': all budgets must have the same unit, not %s and %s; a comma stands "
            "between budgets, not in a number",
            text, alcore__unit_name(budgets->unit), alcore__unit_name(unit));
    for (int64_t i = 0; i < budgets->count; i++)
        if (budgets->amounts[i] == amount)
            return alcore__fail(ALCORE_E_PARAM, "budget '%s': the same amount is given twice",
                                text);
    budgets->unit = unit;
    budgets->amounts[budgets->count++] = amount;
    return ALCORE_OK;
}

/* Each turn of the loop parses the text up to the next comma or the end. */
alcore_status alcore__budgets_parse(const char *text, alcore__budgets *out) {
    double amount = 0;
    int32_t unit = 0;
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
        ALCORE__TRY(parse_one(text, rest, trimmed, &amount, &unit));
        ALCORE__TRY(add_budget(text, amount, unit, out));
        rest += length;
        if (*rest == '\0') return ALCORE_OK;
    }
}

double alcore__budgets_largest(const alcore__budgets *budgets) {
    double largest = 0;
    for (int64_t i = 0; i < budgets->count; i++) largest = fmax(largest, budgets->amounts[i]);
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

/* The currency may contain a slash, so the last slash of the text is the one before the unit. */
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

/* Prints an amount, in the fewest digits that read back as the same number. */
static alcore_status print_amount(alcore_ctx *ctx, double amount, alcore__buffer *out) {
    char digits[32];
    alcore__print_double(amount, digits);
    return alcore__buffer_format(ctx, out, "%s", digits);
}

/* Fails for a number that is no unit. */
static alcore_status refuse_unit(int32_t unit) {
    return alcore__fail(ALCORE_E_INVALID, "there is no unit %d; ALCORE_UNIT_* are meant", unit);
}

/* What is printed here is parsed when the option is set, and an amount that is none is refused
 * there; so are too many of them, of which one more than is allowed is printed. unit 0: items. */
alcore_status alcore__budgets_print(alcore_ctx *ctx, const double *amounts, int64_t count,
                                    int32_t unit, alcore__buffer *out) {
    const struct unit_word *word = first_word(unit == 0 ? ALCORE_UNIT_ITEMS : unit);
    if (!word) return refuse_unit(unit);
    for (int64_t i = 0; i < count && i <= ALCORE__BUDGETS; i++) {
        if (i > 0) ALCORE__TRY(alcore__buffer_append(ctx, out, ",", 1));
        ALCORE__TRY(print_amount(ctx, amounts[i], out));
        ALCORE__TRY(alcore__buffer_append(ctx, out, word->word, 1));
    }
    return ALCORE_OK;
}

/* The space keeps a currency that begins with an E or an x apart from the amount. is_currency() is
 * given "" for the text of the amount, which no currency here follows: its check for 0x1, an amount
 * of another grammar, is for parsed texts and does not apply. */
alcore_status alcore__price_print(alcore_ctx *ctx, const alcore_price *price, alcore__buffer *out) {
    const struct unit_word *word = first_word(price->unit);
    if (!word) return refuse_unit(price->unit);
    ALCORE__TRY(print_amount(ctx, price->amount, out));
    const char *currency = price->currency ? price->currency : "";
    if (!is_currency(currency, strlen(currency), ""))
        return alcore__fail(ALCORE_E_PARAM,
                            "price: '%s' is no currency: it has at most %d bytes, without spaces, "
                            "digits and , . ' _ + -",
                            currency, ALCORE__CURRENCY_BYTES - 1);
    ALCORE__TRY(alcore__buffer_format(ctx, out, "%s%s", currency[0] != '\0' ? " " : "", currency));
    return alcore__buffer_format(ctx, out, "/%s", word->word);
}

alcore_status alcore__price_tell(const alcore__price *price, alcore_price *out) {
    if (isnan(price->amount)) return alcore__fail(ALCORE_E_NOT_FOUND, "there is no price");
    const alcore_price told = {.size = sizeof told,
                               .amount = price->amount,
                               .currency = price->currency[0] != '\0' ? price->currency : NULL,
                               .unit = price->unit};
    return alcore__struct_write(out, &told, sizeof told, ALCORE__FIRST_SIZE(alcore_price, reserved),
                                "alcore_price");
}
