/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets, prices and schedules as numbers: they and the texts of the options are one thing. */
#include "request_test.h"

#include "request/request_internal.h"

enum { ROWS = 12 };

typedef struct world {
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore_request *request;
} world;

static world open_world(void) {
    world w;
    ck_assert_ok(alcore_ctx_new(NULL, &w.ctx));
    w.pool = numbered_pool(w.ctx, ROWS);
    ck_assert_ok(alcore_request_new(w.ctx, &w.request));
    alcore_strategy *random;
    ck_assert_ok(alcore_strategy_new(w.ctx, "random", &random));
    ck_assert_ok(alcore_request_set_strategy(w.request, random));
    alcore_strategy_unref(random);
    ck_assert_ok(alcore_request_set_pool(w.request, ALCORE_ROLE_CANDIDATES, w.pool));
    return w;
}

static void close_world(world *w) {
    alcore_request_unref(w->request);
    alcore_pool_unref(w->pool);
    alcore_ctx_unref(w->ctx);
}

static void expect_text(alcore_request *request, const char *option, const char *text) {
    const char *found;
    ck_assert_ok(alcore_request_get(request, option, &found));
    ck_assert_str_eq(found, text);
}

static void expect_budgets(alcore_request *request, const double *amounts, int64_t count,
                           int32_t unit) {
    alcore_tensor found;
    int32_t of = -1;
    ck_assert_ok(alcore_request_get_budgets(request, &found, &of));
    ck_assert_int_eq(of, unit);
    ck_assert_int_eq(found.dtype.bits, 64);
    ck_assert_int_eq(found.ndim, 1);
    ck_assert_int_eq(found.shape[0], count);
    ck_assert_mem_eq(found.data, amounts, (size_t)count * sizeof *amounts);
}

START_TEST(budgets_are_read) {
    static const struct {
        const char *text;
        double amount;
        int32_t unit;
    } good[] = {{"1000", 1000, ALCORE_UNIT_ITEMS},    {"12i", 12, ALCORE_UNIT_ITEMS},
                {"50000w", 50000, ALCORE_UNIT_WORDS}, {"50000 words", 50000, ALCORE_UNIT_WORDS},
                {"20c", 20, ALCORE_UNIT_CHARACTERS},  {"2 characters", 2, ALCORE_UNIT_CHARACTERS},
                {"1.5u", 1.5, ALCORE_UNIT_UNITS},     {"3units", 3, ALCORE_UNIT_UNITS},
                {"1e3w", 1000, ALCORE_UNIT_WORDS},    {"0", 0, ALCORE_UNIT_ITEMS},
                {"7 items", 7, ALCORE_UNIT_ITEMS}};
    static const char *const bad[] = {"",    "w",     "ten", "10x", "10 w w", "-5",   "nan",
                                      "inf", "1e999", "5w,", ",5w", "5w,,7w", "5w,6", "5w,5w"};
    alcore__budgets budgets;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(alcore__budgets_parse(good[i].text, &budgets) == ALCORE_OK, "%s",
                      good[i].text);
        ck_assert_int_eq(budgets.count, 1);
        ck_assert_double_eq(budgets.amounts[0], good[i].amount);
        ck_assert_int_eq(budgets.unit, good[i].unit);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(alcore__budgets_parse(bad[i], &budgets) == ALCORE_E_PARAM, "%s", bad[i]);
    ck_assert_ok(alcore__budgets_parse("2500w, 10000w ,5000 words", &budgets));
    ck_assert_int_eq(budgets.count, 3);
    ck_assert_double_eq(budgets.amounts[1], 10000);
    ck_assert_int_eq(budgets.unit, ALCORE_UNIT_WORDS);
    ck_assert_double_eq(alcore__budgets_largest(&budgets), 10000);
}
END_TEST

START_TEST(prices_are_read) {
    static const struct {
        const char *text, *currency;
        double amount;
        int32_t unit;
    } good[] = {{"0.1773/w", "", 0.1773, ALCORE_UNIT_WORDS},
                {"0.12EUR/w", "EUR", 0.12, ALCORE_UNIT_WORDS},
                {"3 GBP / item", "GBP", 3, ALCORE_UNIT_ITEMS},
                {"1\xe2\x82\xac/c", "\xe2\x82\xac", 1, ALCORE_UNIT_CHARACTERS},
                {"0/units", "", 0, ALCORE_UNIT_UNITS}};
    static const char *const bad[] = {
        "0.12",  "w",       "-1/w", "1/x",   "nan/w",  "1 a b/w", "1\xff/w", "1ABCDEFGHIJKLMNOPQ/w",
        "/w",    "1//w2",   "-0/w", "0x1/w", "0xFF/w", "1e16/w",  "1.2.3/w", "1EUR2/w",
        "1 +/w", "1_000/w", "+/w"};
    static const char *const faults[][2] = {
        {"0,17EUR/w", "; the decimal point is a point, as in 0.17"},
        {"0,17/w", "; the decimal point is a point, as in 0.17"},
        {"1.000,50/w", "; the decimal point is a point"},
        {"0x1/w", "; numbers are decimal"},
        {"1 000/w", "; thousands are not separated"},
        {"1'000/w", "; thousands are not separated"},
        {"1\xC2\xA0"
         "000/w",
         "; thousands are not separated"},
        {"1e308/w", "; it is too large"},
        {"1e400/w", "; it is too large"},
        {"-1/w", "; it is negative"},
        {" 1/w", "; there are spaces around it"}};
    alcore__price price;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(alcore__price_parse(good[i].text, &price) == ALCORE_OK, "%s", good[i].text);
        ck_assert_double_eq(price.amount, good[i].amount);
        ck_assert_int_eq(price.unit, good[i].unit);
        ck_assert_str_eq(price.currency, good[i].currency);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(alcore__price_parse(bad[i], &price) == ALCORE_E_PARAM, "%s", bad[i]);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        ck_assert_fails(alcore__price_parse(faults[i][0], &price), ALCORE_E_PARAM, faults[i][1]);
    ck_assert_ok(alcore__price_parse("", &price));
    ck_assert(isnan(price.amount));
}
END_TEST

/* Numbers in every unit give the text, and a text the numbers. */
START_TEST(budgets_are_texts_and_numbers) {
    static const struct {
        double amounts[3];
        int64_t count;
        int32_t unit, told;
        const char *text;
    } cases[] = {{{7}, 1, 0, ALCORE_UNIT_ITEMS, "7i"},
                 {{0}, 1, ALCORE_UNIT_ITEMS, ALCORE_UNIT_ITEMS, "0i"},
                 {{2500, 5000, 0.1}, 3, ALCORE_UNIT_WORDS, ALCORE_UNIT_WORDS, "2500w,5000w,0.1w"},
                 {{1e-300, 1e300}, 2, ALCORE_UNIT_UNITS, ALCORE_UNIT_UNITS, "1e-300u,1e+300u"},
                 {{20000}, 1, ALCORE_UNIT_CHARACTERS, ALCORE_UNIT_CHARACTERS, "20000c"}};
    world w = open_world();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_ok(
            alcore_request_set_budgets(w.request, cases[i].amounts, cases[i].count, cases[i].unit));
        expect_text(w.request, "budget", cases[i].text);
        expect_budgets(w.request, cases[i].amounts, cases[i].count, cases[i].told);
        ck_assert_ok(alcore_request_set(w.request, "budget", "3"));
        expect_budgets(w.request, (const double[]){3}, 1, ALCORE_UNIT_ITEMS);
        ck_assert_ok(alcore_request_set(w.request, "budget", cases[i].text));
        expect_budgets(w.request, cases[i].amounts, cases[i].count, cases[i].told);
    }
    close_world(&w);
}
END_TEST

/* 64 budgets with 17 digits each keep every bit. */
START_TEST(many_budgets_keep_every_bit) {
    double amounts[65];
    world w = open_world();
    for (int i = 0; i < 65; i++) amounts[i] = 1000.0 / (i + 3);
    ck_assert_ok(alcore_request_set_budgets(w.request, amounts, 64, ALCORE_UNIT_WORDS));
    expect_budgets(w.request, amounts, 64, ALCORE_UNIT_WORDS);
    ck_assert_fails(alcore_request_set_budgets(w.request, amounts, 65, ALCORE_UNIT_WORDS),
                    ALCORE_E_PARAM, "more than 64 budgets");
    expect_budgets(w.request, amounts, 64, ALCORE_UNIT_WORDS);
    close_world(&w);
}
END_TEST

/* What is refused leaves the budgets as they were. */
START_TEST(wrong_budgets_are_refused) {
    static const double one[] = {5}, twice[] = {5, 5}, negative[] = {-1}, half[] = {0.5},
                        nan[] = {(double)NAN}, infinite[] = {(double)INFINITY};
    world w = open_world();
    alcore_tensor tensor;
    int32_t unit = 9;
    ck_assert_fails(alcore_request_get_budgets(w.request, &tensor, &unit), ALCORE_E_NOT_FOUND,
                    "no budget");
    ck_assert_int_eq(unit, 0);
    ck_assert_ptr_null(tensor.data);
    ck_assert_ok(alcore_request_set(w.request, "budget", "9w"));
    ck_assert_fails(alcore_request_set_budgets(w.request, twice, 2, ALCORE_UNIT_WORDS),
                    ALCORE_E_PARAM, "given twice");
    ck_assert_fails(alcore_request_set_budgets(w.request, negative, 1, ALCORE_UNIT_WORDS),
                    ALCORE_E_PARAM, "negative");
    ck_assert_fails(alcore_request_set_budgets(w.request, half, 1, 0), ALCORE_E_PARAM,
                    "items are whole");
    ck_assert_fails(alcore_request_set_budgets(w.request, nan, 1, ALCORE_UNIT_WORDS),
                    ALCORE_E_PARAM, "a number with a unit");
    ck_assert_fails(alcore_request_set_budgets(w.request, infinite, 1, ALCORE_UNIT_WORDS),
                    ALCORE_E_PARAM, "a number with a unit");
    ck_assert_fails(alcore_request_set_budgets(w.request, one, 1, 77), ALCORE_E_INVALID,
                    "no unit 77");
    ck_assert_fails(alcore_request_set_budgets(w.request, one, 0, 0), ALCORE_E_INVALID, "count");
    ck_assert_fails(alcore_request_set_budgets(w.request, NULL, 1, 0), ALCORE_E_INVALID, "amounts");
    ck_assert_fails(alcore_request_set_budgets(NULL, one, 1, 0), ALCORE_E_INVALID, "request");
    ck_assert_fails(alcore_request_get_budgets(w.request, NULL, &unit), ALCORE_E_INVALID, "out");
    expect_budgets(w.request, (const double[]){9}, 1, ALCORE_UNIT_WORDS);
    close_world(&w);
}
END_TEST

/* Options are set to numbers as to texts, and told as the shortest text that is the number. */
START_TEST(options_are_texts_and_numbers) {
    world w = open_world();
    ck_assert_ok(alcore_request_set_int(w.request, "round", 7));
    expect_text(w.request, "round", "7");
    ck_assert_ok(alcore_request_set_number(w.request, "max_similarity", 0.1 + 0.2));
    expect_text(w.request, "max_similarity", "0.30000000000000004");
    expect_text(w.request, "keep_phrases", "0"); /* the default */
    ck_assert_ok(alcore_request_set_int(w.request, "keep_phrases", 1));
    expect_text(w.request, "keep_phrases", "1");
    ck_assert_fails(alcore_request_set_int(w.request, "keep_phrases", 2), ALCORE_E_PARAM, "0 or 1");
    ck_assert_fails(alcore_request_set_number(w.request, "max_similarity", (double)NAN),
                    ALCORE_E_PARAM, "from -1 to 1");
    ck_assert_fails(alcore_request_set_number(w.request, "round", 1.5), ALCORE_E_PARAM, "integer");
    ck_assert_fails(alcore_request_set_int(w.request, "rounds", 1), ALCORE_E_PARAM, "round");
    expect_text(w.request, "max_similarity", "0.30000000000000004");
    close_world(&w);
}
END_TEST

static void expect_price(const alcore_price *price, double amount, const char *currency,
                         int32_t unit) {
    ck_assert_double_eq(price->amount, amount);
    ck_assert_int_eq(price->unit, unit);
    if (currency)
        ck_assert_str_eq(price->currency, currency);
    else
        ck_assert_ptr_null(price->currency);
}

/* Currencies that could be taken for a part of the number, or of the unit, stay what they are. */
START_TEST(prices_are_texts_and_numbers) {
    static const struct {
        double amount;
        const char *currency;
        int32_t unit;
        const char *text;
    } cases[] = {{0.12, "EUR", ALCORE_UNIT_WORDS, "0.12 EUR/w"},
                 {3, NULL, ALCORE_UNIT_ITEMS, "3/i"},
                 {0, "xE", ALCORE_UNIT_ITEMS, "0 xE/i"},
                 {1, "E", ALCORE_UNIT_CHARACTERS, "1 E/c"},
                 {1e15, "\xE2\x82\xAC", ALCORE_UNIT_UNITS, "1e+15 \xE2\x82\xAC/u"},
                 {2, "a/w", ALCORE_UNIT_UNITS, "2 a/w/u"},
                 {0.1773, "123456789012345" + 15, ALCORE_UNIT_WORDS, "0.1773/w"}};
    world w = open_world();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_price price = ALCORE_PRICE_INIT, found = ALCORE_PRICE_INIT;
        const char *currency = cases[i].currency && cases[i].currency[0] ? cases[i].currency : NULL;
        price.amount = cases[i].amount;
        price.currency = cases[i].currency;
        price.unit = cases[i].unit;
        ck_assert_ok(alcore_request_set_price(w.request, &price));
        ck_assert_ok(alcore_request_get_price(w.request, &found));
        expect_price(&found, cases[i].amount, currency, cases[i].unit);
        expect_text(w.request, "price", cases[i].text);
        ck_assert_ok(alcore_request_set_price(w.request, NULL));
        expect_text(w.request, "price", "");
        ck_assert_fails(alcore_request_get_price(w.request, &found), ALCORE_E_NOT_FOUND,
                        "no price");
        ck_assert_ok(alcore_request_set(w.request, "price", cases[i].text));
        ck_assert_ok(alcore_request_get_price(w.request, &found));
        expect_price(&found, cases[i].amount, currency, cases[i].unit);
    }
    close_world(&w);
}
END_TEST

START_TEST(wrong_prices_are_refused) {
    static const struct {
        double amount;
        const char *currency;
        int32_t unit;
        alcore_status status;
        const char *part;
    } cases[] = {{-1, NULL, ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "negative"},
                 {1e308, NULL, ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "too large"},
                 {(double)NAN, NULL, ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "an amount"},
                 {(double)INFINITY, NULL, ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "an amount"},
                 {1, NULL, 0, ALCORE_E_INVALID, "no unit 0"},
                 {1, "E5", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "EUR ", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, " EUR", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "abcdefghijklmnop", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "\xE2\x82", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, ",", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "E.", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "E'", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "_E", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "+E", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"},
                 {1, "E-", ALCORE_UNIT_WORDS, ALCORE_E_PARAM, "no currency"}};
    world w = open_world();
    alcore_price price = ALCORE_PRICE_INIT;
    ck_assert_ok(alcore_request_set(w.request, "price", "2EUR/w"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        price.amount = cases[i].amount;
        price.currency = cases[i].currency;
        price.unit = cases[i].unit;
        ck_assert_fails(alcore_request_set_price(w.request, &price), cases[i].status,
                        cases[i].part);
        expect_text(w.request, "price", "2EUR/w");
    }
    price = (alcore_price)ALCORE_PRICE_INIT;
    price.unit = ALCORE_UNIT_WORDS;
    price.reserved = 1;
    ck_assert_fails(alcore_request_set_price(w.request, &price), ALCORE_E_STRUCT_NEWER, "reserved");
    price.size = 0;
    ck_assert_fails(alcore_request_get_price(w.request, &price), ALCORE_E_STRUCT_UNSET, "size");
    ck_assert_fails(alcore_request_set_price(NULL, &price), ALCORE_E_INVALID, "request");
    close_world(&w);
}
END_TEST

/* A selection tells the unit of its budget and the price, each as the request had them. */
START_TEST(selections_tell_unit_and_price) {
    static const double amounts[] = {8, 20};
    world w = open_world();
    alcore_price price = ALCORE_PRICE_INIT, found = ALCORE_PRICE_INIT;
    ck_assert_ok(alcore_request_set_budgets(w.request, amounts, 2, ALCORE_UNIT_WORDS));
    alcore_selection *plain = selected(w.request);
    ck_assert_fails(alcore_selection_get_price(plain, &found), ALCORE_E_NOT_FOUND, "no price");
    price.amount = 0.5;
    price.currency = "CHF";
    price.unit = ALCORE_UNIT_ITEMS;
    ck_assert_ok(alcore_request_set_price(w.request, &price));
    alcore_selection *priced = selected(w.request);
    for (int64_t i = 0; i < 2; i++) {
        const alcore_selection *one = alcore_selection_of_budget(priced, i);
        ck_assert_int_eq(alcore_selection_unit(one), ALCORE_UNIT_WORDS);
        ck_assert_double_eq(alcore_selection_budget(one), amounts[i]);
        ck_assert_ok(alcore_selection_get_price(one, &found));
        expect_price(&found, 0.5, "CHF", ALCORE_UNIT_ITEMS);
    }
    ck_assert_int_eq(alcore_selection_unit(NULL), 0);
    ck_assert_fails(alcore_selection_get_price(NULL, &found), ALCORE_E_INVALID, "selection");
    alcore_selection_unref(plain);
    alcore_selection_unref(priced);
    close_world(&w);
}
END_TEST

/* A schedule is set and told as numbers, also of a part of a hybrid, and picks as its text does. */
START_TEST(schedules_are_texts_and_numbers) {
    static const double values[] = {0, 1.0 / 3, 1};
    world w = open_world();
    static const char *const owners[][2] = {{"huds", "lambda"}, {"hybrid", "sentences.lambda"}};
    for (int i = 0; i < 2; i++) {
        alcore_strategy *strategy;
        alcore_tensor found;
        const char *text;
        ck_assert_ok(alcore_strategy_new(w.ctx, owners[i][0], &strategy));
        if (i == 1) ck_assert_ok(alcore_strategy_set(strategy, "sentences", "huds"));
        ck_assert_ok(alcore_strategy_set_numbers(strategy, owners[i][1], values, 3));
        ck_assert_ok(alcore_strategy_get(strategy, owners[i][1], &text));
        ck_assert_str_eq(text, "0,0.3333333333333333,1");
        ck_assert_ok(alcore_strategy_get_numbers(strategy, owners[i][1], &found));
        ck_assert_int_eq(found.shape[0], 3);
        ck_assert_mem_eq(found.data, values, sizeof values);
        ck_assert_ok(alcore_strategy_set(strategy, owners[i][1], "0.25"));
        ck_assert_ok(alcore_strategy_get_numbers(strategy, owners[i][1], &found));
        ck_assert_int_eq(found.shape[0], 1);
        ck_assert_double_eq(*(const double *)found.data, 0.25);
        alcore_strategy_unref(strategy);
    }
    close_world(&w);
}
END_TEST

START_TEST(wrong_schedules_are_refused) {
    static const double good[] = {0.5}, high[] = {0.5, 1.5}, nan[] = {(double)NAN};
    world w = open_world();
    alcore_strategy *strategy;
    alcore_tensor found;
    ck_assert_ok(alcore_strategy_new(w.ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set_numbers(strategy, "n_strata", (const double[]){4}, 1));
    ck_assert_fails(alcore_strategy_set_numbers(strategy, "n_strata", high, 2), ALCORE_E_PARAM,
                    "n_strata");
    ck_assert_fails(alcore_strategy_set_numbers(strategy, "lambda", high, 2), ALCORE_E_PARAM,
                    "from 0 to 1");
    ck_assert_fails(alcore_strategy_set_numbers(strategy, "lambda", nan, 1), ALCORE_E_PARAM,
                    "from 0 to 1");
    ck_assert_fails(alcore_strategy_set_numbers(strategy, "lamda", good, 1), ALCORE_E_PARAM,
                    "did you mean lambda?");
    ck_assert_fails(alcore_strategy_set_numbers(strategy, "lambda", good, 0), ALCORE_E_INVALID,
                    "count");
    ck_assert_fails(alcore_strategy_set_numbers(NULL, "lambda", good, 1), ALCORE_E_INVALID,
                    "strategy");
    ck_assert_fails(alcore_strategy_get_numbers(strategy, "n_strata", &found), ALCORE_E_PARAM,
                    "no list of numbers");
    ck_assert_ptr_null(found.data);
    ck_assert_fails(alcore_strategy_get_numbers(strategy, "lamda", &found), ALCORE_E_PARAM,
                    "did you mean lambda?");
    ck_assert_fails(alcore_strategy_get_numbers(strategy, NULL, &found), ALCORE_E_INVALID, "name");
    alcore_strategy_unref(strategy);
    close_world(&w);
}
END_TEST

CHECK_SUITE("amounts", budgets_are_read, prices_are_read, budgets_are_texts_and_numbers,
            many_budgets_keep_every_bit, wrong_budgets_are_refused, options_are_texts_and_numbers,
            prices_are_texts_and_numbers, wrong_prices_are_refused, selections_tell_unit_and_price,
            schedules_are_texts_and_numbers, wrong_schedules_are_refused);
