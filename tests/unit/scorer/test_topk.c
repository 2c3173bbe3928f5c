/* SPDX-License-Identifier: Apache-2.0 */
/* From the likeliest classes of inference servers to columns: what all logits would give, bounds of
 * the entropy, and numbers that no model can give. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "alcore/alcore.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"
#include "comma_locale.h"

enum { ITEMS = 3, TOKENS = 7, CLASSES = 40, K = 5 };

static const int64_t rows[ITEMS] = {2, 0, 1}, lengths[ITEMS] = {3, 0, 4};

static alcore_ctx *ctx;
static alcore_pool *pool;

static void set_up(void) {
    const char *const texts[] = {"one", "two", "three"};
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 2;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, ITEMS, NULL));
}

static void tear_down(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* A model's distributions, and what a server says of them. The token t is class chosen[t]. */
typedef struct server {
    double logits[TOKENS][CLASSES], top[TOKENS][K], logprobs[TOKENS];
    int64_t top_ids[TOKENS][K], chosen[TOKENS];
    int64_t logit_shape[2], top_shape[2], token_shape[1];
    alcore_tensor all, likeliest, of_tokens, ids, likeliest_ids;
    alcore_topk given;
} server;

/* The log-probability of class c of token t. */
static double logprob(const server *s, int t, int64_t c) {
    double sum = 0;
    for (int j = 0; j < CLASSES; j++) sum += exp(s->logits[t][j]);
    return s->logits[t][c] - log(sum);
}

static void list_likeliest(server *s, int t) {
    bool taken[CLASSES] = {false};
    for (int place = 0; place < K; place++) {
        int best = -1;
        for (int c = 0; c < CLASSES; c++)
            if (!taken[c] && (best < 0 || s->logits[t][c] > s->logits[t][best])) best = c;
        taken[best] = true;
        s->top_ids[t][place] = best;
        s->top[t][place] = logprob(s, t, best);
    }
}

static void describe(server *s) {
    s->logit_shape[0] = s->top_shape[0] = s->token_shape[0] = TOKENS;
    s->logit_shape[1] = CLASSES;
    s->top_shape[1] = K;
    ck_assert_ok(alcore_tensor_init(&s->all, s->logits, ALCORE_FLOAT64, s->logit_shape, 2));
    ck_assert_ok(alcore_tensor_init(&s->likeliest, s->top, ALCORE_FLOAT64, s->top_shape, 2));
    ck_assert_ok(alcore_tensor_init(&s->of_tokens, s->logprobs, ALCORE_FLOAT64, s->token_shape, 1));
    ck_assert_ok(alcore_tensor_init(&s->ids, s->chosen, ALCORE_INT64, s->token_shape, 1));
    ck_assert_ok(alcore_tensor_init(&s->likeliest_ids, s->top_ids, ALCORE_INT64, s->top_shape, 2));
    s->given = (alcore_topk)ALCORE_TOPK_INIT;
    s->given.logprobs = &s->of_tokens;
    s->given.top = &s->likeliest;
    s->given.ids = &s->ids;
    s->given.top_ids = &s->likeliest_ids;
    s->given.lengths = lengths;
    s->given.length_count = ITEMS;
    s->given.classes = CLASSES;
}

/* Tokens 0, 2, 4 and 6 are among the likeliest classes, the others are not. */
static void make(server *s) {
    uint64_t state = 11;
    for (int t = 0; t < TOKENS; t++) {
        for (int c = 0; c < CLASSES; c++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            s->logits[t][c] = 6 * (double)(state >> 40) * 0x1p-24;
        }
        list_likeliest(s, t);
        s->chosen[t] = s->top_ids[t][t % K];
        for (int64_t c = 0; t % 2 == 1 && c < CLASSES; c++)
            if (s->logits[t][c] < s->logits[t][s->top_ids[t][K - 1]]) s->chosen[t] = c;
        s->logprobs[t] = logprob(s, t, s->chosen[t]);
    }
    describe(s);
}

/* Puts all columns under names that begin with `prefix`; topk NULL: from the logits. */
static alcore_status put(const server *s, const alcore_topk *topk, const char *prefix) {
    static const char *const names[] = {"nnll", "logprobs", "margins", "confidences", "entropies"};
    alcore_column_writer *writers[5] = {NULL};
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        ck_assert_ok(alcore_column_writer_new(
            pool, name, i == 0 ? ALCORE_COLUMN_SCALAR : ALCORE_COLUMN_RAGGED, NULL, &writers[i]));
    }
    out.nnll = writers[0];
    out.logprobs = writers[1];
    out.margins = writers[2];
    out.confidences = writers[3];
    out.entropies = writers[4];
    alcore_logits given = ALCORE_LOGITS_INIT;
    given.logits = &s->all;
    given.labels = &s->ids;
    given.lengths = lengths;
    given.length_count = ITEMS;
    alcore_status status = topk ? alcore_logits_put_topk(ctx, topk, rows, ITEMS, &out)
                                : alcore_logits_put(ctx, &given, rows, ITEMS, -100, &out);
    for (int i = 0; i < 5; i++) {
        if (status == ALCORE_OK)
            status = alcore_column_writer_finish(writers[i], ALCORE_MISSING_FAIL);
        alcore_column_writer_unref(writers[i]);
    }
    return status;
}

/* Value t of a column in the order of rows; the tokens of the items are 0 .. 2 of row 2 and 0 .. 3
 * of row 1, so that row 1 is before row 2. */
static double value_at(const char *name, int t) {
    alcore_tensor values, offsets;
    ck_assert_ok(alcore_pool_get_column(pool, name, &values, &offsets));
    ck_assert_int_eq(((const int64_t *)offsets.data)[2], 4);
    return (double)((const float *)values.data)[t < 3 ? 4 + t : t - 3];
}

static void assert_like_logits(const char *prefix) {
    static const char *const names[] = {"logprobs", "margins", "confidences"};
    for (size_t n = 0; n < 3; n++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", prefix, names[n]);
        for (int t = 0; t < TOKENS; t++)
            ck_assert_double_eq_tol(value_at(name, t), value_at(names[n], t), 1e-6);
    }
    const int64_t all[ITEMS] = {0, 1, 2};
    double nnll[ITEMS], expected[ITEMS];
    char name[32];
    snprintf(name, sizeof name, "%snnll", prefix);
    ck_assert_ok(test_column_rows(pool, name, all, ITEMS, nnll));
    ck_assert_ok(test_column_rows(pool, "nnll", all, ITEMS, expected));
    ck_assert(isnan(nnll[0]));
    for (int i = 1; i < ITEMS; i++) ck_assert_double_eq_tol(nnll[i], expected[i], 1e-6);
}

/* Log-probabilities, margins and confidences are those of all logits; entropies bound the true one
 * from both sides, and differ as the header says. */
START_TEST(agrees_with_logits) {
    server s;
    make(&s);
    ck_assert_ok(put(&s, NULL, ""));
    ck_assert_ok(put(&s, &s.given, "one."));
    s.given.rest = ALCORE_REST_UNIFORM;
    ck_assert_ok(put(&s, &s.given, "even."));
    assert_like_logits("one.");
    assert_like_logits("even.");
    for (int t = 0; t < TOKENS; t++) {
        double rest = 1 - (t % 2 == 1 ? exp(s.logprobs[t]) : 0);
        for (int place = 0; place < K; place++) rest -= exp(s.top[t][place]);
        const double least = value_at("one.entropies", t), most = value_at("even.entropies", t),
                     exact = value_at("entropies", t);
        ck_assert_double_gt(exact, least);
        ck_assert_double_lt(exact, most);
        ck_assert_double_eq_tol(most - least, rest * log(CLASSES - K - t % 2), 1e-5);
    }
}
END_TEST

/* Without ids a token is known by its log-probability; the order of `top` does not matter. */
START_TEST(goes_without_ids) {
    server s;
    make(&s);
    ck_assert_ok(put(&s, NULL, ""));
    ck_assert_ok(put(&s, &s.given, "one."));
    s.given.ids = s.given.top_ids = NULL;
    for (int t = 0; t < TOKENS; t++) {
        const double first = s.top[t][0];
        s.top[t][0] = s.top[t][K - 1];
        s.top[t][K - 1] = first;
    }
    ck_assert_ok(put(&s, &s.given, "bare."));
    assert_like_logits("bare.");
    for (int t = 0; t < TOKENS; t++)
        ck_assert_double_eq_tol(value_at("bare.entropies", t), value_at("one.entropies", t), 1e-6);
}
END_TEST

/* Servers that give fewer classes of a token than of another fill places with minus infinity, or
 * with the -9999 of OpenAI's protocol. */
START_TEST(leaves_places_empty) {
    server s;
    make(&s);
    s.top[3][4] = -(double)INFINITY;
    s.top[4][2] = -9999;
    s.top_ids[4][2] = s.top_ids[3][4] = -1;
    s.chosen[3] = s.top_ids[3][0];
    s.logprobs[3] = s.top[3][0];
    s.chosen[4] = s.top_ids[4][0];
    s.logprobs[4] = s.top[4][0];
    ck_assert_ok(put(&s, &s.given, "one."));
    double entropy = 0, rest = 1;
    for (int place = 0; place < 4; place++) {
        entropy -= exp(s.top[3][place]) * s.top[3][place];
        rest -= exp(s.top[3][place]);
    }
    ck_assert_double_eq_tol(value_at("one.entropies", 3), entropy - rest * log(rest), 1e-6);
    for (int place = 0; place < K; place++) s.top[5][place] = -(double)INFINITY;
    ck_assert_fails(put(&s, &s.given, "one."), ALCORE_E_DATA,
                    "row 1, token 2: no likeliest class is given");
}
END_TEST

/* Refuses numbers that no model can give, and writes them with a point whatever the locale is; each
 * case restores what it changed. */
START_TEST(refuses_impossible_numbers) {
    server s;
    comma_locale locale;
    make(&s);
    comma_locale_begin(&locale);
    const struct {
        double *number;
        double value;
        const char *text;
    } cases[] = {
        {&s.logprobs[4], (double)NAN, "row 1, token 1: the log-probability of the token is NaN"},
        {&s.logprobs[0], 0.5, "row 2, token 0: the log-probability of the token is 0.5, above 0"},
        {&s.top[6][1], (double)NAN,
         "row 1, token 3: the log-probability of one of the likeliest is NaN"},
        {&s.top[6][1], (double)INFINITY, "the log-probability of one of the likeliest is inf"},
        {&s.logprobs[1], -0.01,
         "row 2, token 1: it is none of the likeliest classes, and likelier"},
        {&s.logprobs[0], -5, "row 2, token 0: its log-probability is -5, and "},
        {&s.top[2][0], -0.0001, "row 2, token 2: the probabilities of its classes add up to 1."},
        {&s.top[2][4], -30, "of the probability is left for the 35 classes that are not given"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double before = *cases[i].number;
        *cases[i].number = cases[i].value;
        ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_DATA, cases[i].text);
        *cases[i].number = before;
    }
    comma_locale_end(&locale);
    s.top_ids[1][2] = s.top_ids[1][0];
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_DATA, "row 2, token 1: the class ");
    s.top_ids[1][2] = CLASSES;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_DATA, "the class 40 is not one of 0 .. 39");
    /* Without ids nothing else shows that there are fewer classes than are given. */
    s.given.ids = s.given.top_ids = NULL;
    s.given.classes = K - 1;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_DATA, "classes are given, and there are 4");
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_int_eq(alcore_pool_get_column_info(pool, "logprobs", &info), ALCORE_E_NOT_FOUND);
}
END_TEST

/* Numbers in 16 bits may be further from the truth: 1/64 above 0 counts as 0 there, where 0.002 of
 * a double is refused. */
START_TEST(rounded_numbers_are_allowed) {
    server s;
    uint16_t halves[TOKENS];
    make(&s);
    s.given.top = s.given.ids = s.given.top_ids = NULL;
    s.given.logprobs = &s.of_tokens;
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    ck_assert_ok(
        alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &out.logprobs));
    s.logprobs[0] = 0.002;
    ck_assert_fails(alcore_logits_put_topk(ctx, &s.given, rows, ITEMS, &out), ALCORE_E_DATA,
                    "row 2, token 0: the log-probability of the token is 0.002, above 0");
    for (int t = 0; t < TOKENS; t++) halves[t] = 0xBC00; /* -1 */
    halves[0] = 0x2800;                                  /* 1/32 */
    ck_assert_ok(alcore_tensor_init(&s.of_tokens, halves, ALCORE_FLOAT16, s.token_shape, 1));
    ck_assert_fails(alcore_logits_put_topk(ctx, &s.given, rows, ITEMS, &out), ALCORE_E_DATA,
                    "above 0");
    halves[0] = 0x2400; /* 1/64 */
    ck_assert_ok(alcore_logits_put_topk(ctx, &s.given, rows, ITEMS, &out));
    ck_assert_ok(alcore_column_writer_finish(out.logprobs, ALCORE_MISSING_FAIL));
    ck_assert_double_eq(value_at("logprobs", 0), 0);
    ck_assert_double_eq(value_at("logprobs", 1), -1);
    alcore_column_writer_unref(out.logprobs);
}
END_TEST

/* The token's own log-probability is in float64 and that of the same class in bfloat16, the first
 * half of a float32. */
START_TEST(arrays_have_types_of_their_own) {
    server s;
    uint16_t halves[TOKENS][K];
    make(&s);
    for (int t = 0; t < TOKENS; t++)
        for (int place = 0; place < K; place++) {
            const float value = (float)s.top[t][place];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            halves[t][place] = (uint16_t)(bits >> 16);
        }
    ck_assert_ok(alcore_tensor_init(&s.likeliest, halves, ALCORE_BFLOAT16, s.top_shape, 2));
    ck_assert_ok(put(&s, &s.given, "narrow."));
    ck_assert_double_eq_tol(value_at("narrow.logprobs", 0), s.logprobs[0], 1e-6);
    s.logprobs[0] -= 0.1;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_DATA, "among the likeliest classes");
}
END_TEST

/* With one class a token there is no second one, unless the first has all the mass. */
START_TEST(needs_two_classes_for_margins) {
    server s;
    make(&s);
    s.given.ids = s.given.top_ids = NULL;
    s.given.classes = 0;
    s.top_shape[1] = 1;
    for (int t = 0; t < TOKENS; t++) {
        ((double *)s.top)[t] = -1e-9;
        s.logprobs[t] = -1e-9;
    }
    ck_assert_ok(put(&s, &s.given, "sure."));
    ck_assert_double_eq_tol(value_at("sure.margins", 5), 1, 1e-6);
    ((double *)s.top)[5] = s.logprobs[5] = -0.5;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_DATA,
                    "row 1, token 2: a margin needs the two likeliest classes, and one is given");
}
END_TEST

START_TEST(checks_arguments) {
    server s;
    make(&s);
    int64_t fewer[1] = {TOKENS - 1};
    const alcore_topk good = s.given;
    alcore_tensor tensor = s.of_tokens;
    alcore_tensor uneven = s.likeliest;
    uneven.shape = (int64_t[]){TOKENS - 1, K};
    s.given.top = &uneven;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_SHAPE, "top: expected [7, 5], found [6, 5]");
    s.given = good;
    s.given.rest = 77;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_PARAM, "rest is 77");
    s.given.rest = ALCORE_REST_UNIFORM;
    s.given.classes = 0;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_PARAM, "needs the number of classes");
    s.given = good;
    s.given.classes = -1;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_PARAM, "classes is negative");
    s.given = good;
    s.given.logprobs = NULL;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_INVALID, "logprobs is NULL");
    s.given = good;
    s.given.top = NULL;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_INVALID, "top_ids need top");
    s.given.ids = s.given.top_ids = NULL;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_INVALID, "top is NULL");
    s.given.logprobs = NULL;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_INVALID, "neither logprobs nor top");
    s.given = good;
    s.given.top_ids = NULL;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_INVALID, "ids need top_ids");
    s.given = good;
    tensor.shape = fewer;
    s.given.logprobs = &tensor;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_SHAPE, "top: expected [6, ");
    s.given = good;
    s.given.ids = &s.of_tokens;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_SHAPE, "ids: expected int32 or int64");
    s.given = good;
    s.given.length_count = 2;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_SHAPE, "2 lengths for 3 items");
    s.given.lengths = (const int64_t[]){3, 0, 5};
    s.given.length_count = ITEMS;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_SHAPE, "item 2 has 5 tokens, and 4 are left");
    s.given.lengths = NULL;
    s.given.length_count = 0;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_SHAPE, "the items have 6 tokens");
    s.given.length_count = ITEMS;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_INVALID, "lengths is NULL");
    s.given = good;
    s.given.reserved = 1;
    ck_assert_fails(put(&s, &s.given, ""), ALCORE_E_STRUCT_NEWER, "reserved");
}
END_TEST

CHECK_SUITE_WITH("topk", set_up, tear_down, agrees_with_logits, goes_without_ids,
                 leaves_places_empty, refuses_impossible_numbers, rounded_numbers_are_allowed,
                 arrays_have_types_of_their_own, needs_two_classes_for_margins, checks_arguments);
