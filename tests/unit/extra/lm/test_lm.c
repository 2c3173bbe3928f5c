/* SPDX-License-Identifier: Apache-2.0 */
/* The language model's numbers: the vectors of spec 6.5, an independent reference, and the property
 * that the words behind every context share a probability of 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "lm_calls.h"
#include "lm_reference.h"
#include "text/lm_internal.h"
#include "text/words.h"
#include "vectors.h"

static const char *corpus[6]; /* the texts of TV-LM */
static alcore_ctx *ctx;

static vector_case lm_case(const char *name) {
    return vector_case_named(vector_find("language-model", "TV-LM"), name);
}

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    vector_case one = lm_case("discounts");
    const json_t *texts = vector_input(&one, "texts");
    ck_assert_int_eq(vector_length(texts), 6);
    for (size_t i = 0; i < 6; i++) corpus[i] = vector_text(json_array_get(texts, i));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* discounts: NULL, or 3 or 3 times the order of them. */
static alcore_lm *train_with(const char *const *texts, int64_t count, int32_t order,
                             const double *discounts, int64_t discount_count) {
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    options.order = order;
    options.discounts = discounts;
    options.discount_count = discount_count;
    alcore_lm *lm = NULL;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, texts, NULL, count, &options, &lm), ALCORE_OK);
    return lm;
}

static alcore_lm *train(const char *const *texts, int64_t count, int32_t order) {
    return train_with(texts, count, order, NULL, 0);
}

static double score(alcore_lm *lm, const char *text) {
    double total = 1.0;
    ck_assert_int_eq(lm_score_one(lm, text, strlen(text), &total), ALCORE_OK);
    return total;
}

static uint32_t word(const alcore_lm *lm, const char *text) {
    return alcore__vocabulary_find(&lm->trie->words, text, strlen(text));
}

/* log10 p(last word | words before), from an empty context or from <s>. */
static double log10_p(const alcore_lm *lm, const char *text, bool from_start) {
    alcore__lm_context state = from_start ? alcore__lm_begin(lm) : (alcore__lm_context){0, 0};
    char copy[200];
    double last = 0.0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = strtok(copy, " "); at; at = strtok(NULL, " "))
        last = alcore__lm_read(lm, &state, word(lm, at));
    return last;
}

/* log10 gamma(words). */
static double log10_gamma(const alcore_lm *lm, const char *text, bool from_start) {
    alcore__lm_context state = from_start ? alcore__lm_begin(lm) : (alcore__lm_context){0, 0};
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = strtok(copy, " "); at; at = strtok(NULL, " "))
        alcore__lm_read(lm, &state, word(lm, at));
    return alcore__lm_backoff(lm, state.length, state.number);
}

/* Totals for every order, and the tokens of order 4, which is the default. */
START_TEST(tv_lm_scores) {
    for (int32_t order = 1; order <= 6; order++) {
        char name[16];
        snprintf(name, sizeof name, "order %d", order);
        vector_case one = lm_case(name);
        const json_t *queries = vector_input(&one, "queries");
        alcore_lm *lm = train(corpus, 6, order);
        double totals[16];
        for (int64_t i = 0; i < vector_length(queries); i++)
            totals[i] = score(lm, vector_text(json_array_get(queries, (size_t)i)));
        vector_near(totals, vector_expected(&one, "totals"), 1e-5);
        alcore_lm_unref(lm);
    }
    alcore_lm *lm = train(corpus, 6, 0);
    ck_assert_int_eq(alcore_lm_order(lm), 4);
    vector_case one = lm_case("tokens");
    const json_t *queries = vector_input(&one, "queries");
    for (size_t i = 0; i < (size_t)vector_length(queries); i++) {
        const char *text = vector_text(json_array_get(queries, i));
        const json_t *expected = json_array_get(vector_expected(&one, "log10"), i);
        float values[16];
        double log10s[16];
        int64_t count = 0;
        ck_assert_int_eq(lm_tokens_one(lm, text, strlen(text), values, 16, &count), ALCORE_OK);
        ck_assert_int_eq(count, vector_length(expected));
        for (int64_t k = 0; k < count; k++) log10s[k] = (double)values[k] / log(10.0);
        vector_near(log10s, expected, 1e-6);
    }
    alcore_lm_unref(lm);
}
END_TEST

/* "<s> the patient" starts at the start of a sentence. */
static const char *without_mark(const char *words, bool *from_start) {
    *from_start = strncmp(words, "<s>", 3) == 0;
    return !*from_start ? words : words[3] == ' ' ? words + 4 : words + 3;
}

START_TEST(tv_lm_parts) {
    alcore_lm *lm = train(corpus, 6, 4);
    vector_case one = lm_case("discounts");
    int64_t ngrams[4];
    for (int32_t n = 1; n <= 4; n++) {
        alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
        char path[48];
        snprintf(path, sizeof path, "fallback/%d", n - 1);
        ck_assert_int_eq(alcore_lm_order_get(lm, n, &info), ALCORE_OK);
        ck_assert_int_eq(lm_ngrams(lm, n), info.ngrams);
        ngrams[n - 1] = info.ngrams;
        ck_assert_int_eq(info.fallback, json_is_true(vector_expected(&one, path)));
        snprintf(path, sizeof path, "counts_of_counts/%d", n - 1);
        vector_equal(info.exactly, vector_expected(&one, path));
        snprintf(path, sizeof path, "discounts/%d", n - 1);
        vector_near(info.discount, vector_expected(&one, path), 1e-12);
    }
    vector_equal(ngrams, vector_expected(&one, "ngrams"));
    one = lm_case("probabilities");
    const json_t *words = vector_input(&one, "words"), *contexts = vector_input(&one, "contexts");
    double log10s[16], gammas[16];
    for (size_t i = 0; i < (size_t)vector_length(words); i++) {
        char text[200];
        bool from_start;
        const char *context = vector_text(json_array_get(contexts, i));
        context = without_mark(context, &from_start);
        snprintf(text, sizeof text, "%s %s", context, vector_text(json_array_get(words, i)));
        log10s[i] = log10_p(lm, text, from_start);
    }
    vector_near(log10s, vector_expected(&one, "log10"), 1e-6);
    one = lm_case("back-off weights");
    contexts = vector_input(&one, "contexts");
    /* The weight of the empty context, the first one, is used up in the unigrams. */
    gammas[0] = vector_double(vector_expected(&one, "gamma/0"));
    for (size_t i = 1; i < (size_t)vector_length(contexts); i++) {
        bool from_start;
        const char *context = vector_text(json_array_get(contexts, i));
        context = without_mark(context, &from_start);
        gammas[i] = pow(10, log10_gamma(lm, context, from_start));
    }
    vector_near(gammas, vector_expected(&one, "gamma"), 1e-6);
    alcore_lm_unref(lm);
}
END_TEST

/* Texts of the letters a-d, as strings and as numbers for the reference. */
typedef struct made_corpus {
    char text[40][32];
    const char *texts[40];
    int words[40][16], lengths[40], count;
} made_corpus;

static void make(made_corpus *c, uint64_t seed) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    c->count = 3 + (int)alcore__rng_below(&rng, 30);
    for (int i = 0; i < c->count; i++) {
        const int length = (int)alcore__rng_below(&rng, 7);
        c->words[i][0] = 1;
        for (int k = 0; k < length; k++) {
            const int letter = (int)(alcore__rng_below(&rng, 4) * alcore__rng_below(&rng, 4) / 3);
            c->words[i][k + 1] = 3 + letter;
            c->text[i][2 * k] = (char)('a' + letter);
            c->text[i][2 * k + 1] = ' ';
        }
        c->text[i][2 * length] = '\0';
        c->words[i][length + 1] = 2;
        c->lengths[i] = length + 2;
        c->texts[i] = c->text[i];
    }
}

/* The scores of texts are those that the reference computes with the discounts of each order. */
static void scores_equal_the_reference(alcore_lm *lm, const reference *r, double discounts[8][4],
                                       uint64_t seed) {
    static made_corpus queries;
    make(&queries, seed);
    for (int i = 0; i < queries.count; i++) {
        double expected = 0.0;
        for (int k = 1; k < queries.lengths[i]; k++) {
            const int n = k + 1 < r->order ? k + 1 : r->order;
            int gram[16];
            memcpy(gram, queries.words[i] + k - n + 1, (size_t)n * sizeof(int));
            for (int j = 0; j < n; j++) /* an unknown letter is <unk> */
                if (reference_count(r, &gram[j], 1) == 0) gram[j] = 0;
            expected += log10(reference_p(r, discounts, gram, n));
        }
        ck_assert_double_eq_tol(score(lm, queries.texts[i]), expected, 1e-10);
    }
}

START_TEST(equals_the_reference) {
    static made_corpus c;
    make(&c, (uint64_t)_i);
    for (int order = 1; order <= 4; order++) {
        const reference r = {c.words, c.lengths, c.count, order, 7};
        double discounts[8][4] = {{0}};
        alcore_lm *lm = train(c.texts, c.count, order);
        for (int n = 1; n <= order; n++) {
            bool fallback;
            reference_discounts(&r, n, discounts[n], &fallback);
            ck_assert_int_eq(lm->fallback[n], fallback);
        }
        scores_equal_the_reference(lm, &r, discounts, (uint64_t)_i + 1000);
        alcore_lm_unref(lm);
    }
}
END_TEST

static void add_up(const alcore_lm *lm, alcore__lm_context context) {
    double sum = 0.0;
    for (uint32_t w = 0; w < lm->trie->words.count; w++) {
        alcore__lm_context state = context;
        if (w != ALCORE__LM_BEGIN) sum += pow(10, alcore__lm_read(lm, &state, w));
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-9);
}

static void every_context_adds_up(const alcore_lm *lm) {
    add_up(lm, (alcore__lm_context){0, 0});
    for (int32_t n = 1; n < lm->order; n++)
        for (uint32_t i = 0; i < alcore__lm_size(lm, n); i++)
            add_up(lm, (alcore__lm_context){n, i});
}

START_TEST(every_context_sums_to_one) {
    static made_corpus c;
    make(&c, (uint64_t)_i);
    for (int order = 1; order <= 6; order++) {
        alcore_lm *lm = train(c.texts, c.count, order);
        every_context_adds_up(lm);
        alcore_lm_unref(lm);
    }
}
END_TEST

/* Discounts that are given, whatever they are: the reference with them gives the same scores, every
 * context sums to 1, and the model says which they are. Those of the counts, given, make the model
 * of the counts. (docs/spec/properties.md B.11) */
START_TEST(given_discounts) {
    static made_corpus c;
    make(&c, (uint64_t)_i);
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i + 77);
    for (int order = 1; order <= 4; order++) {
        const reference r = {c.words, c.lengths, c.count, order, 7};
        double discounts[8][4] = {{0}}, given[12], again[12];
        const int each = _i % 2; /* 1: three for each order; 0: the same three for all */
        for (int n = 1; n <= order; n++)
            for (int k = 1; k <= 3; k++)
                discounts[n][k] = n > 1 && !each ? discounts[1][k] : k * alcore__rng_f64(&rng);
        for (int i = 0; i < 3 * order; i++) given[i] = discounts[1 + i / 3][1 + i % 3];
        alcore_lm *lm = train_with(c.texts, c.count, order, given, each ? 3 * order : 3);
        scores_equal_the_reference(lm, &r, discounts, (uint64_t)_i + 1000);
        every_context_adds_up(lm);
        for (int n = 1; n <= order; n++) {
            alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
            ck_assert_int_eq(alcore_lm_order_get(lm, n, &info), ALCORE_OK);
            ck_assert_mem_eq(info.discount, &discounts[n][1], sizeof info.discount);
            ck_assert_int_eq(info.fallback, 0);
        }
        alcore_lm *estimated = train(c.texts, c.count, order);
        for (int n = 1; n <= order; n++)
            memcpy(again + 3 * (n - 1), estimated->discount[n], 3 * sizeof *again);
        alcore_lm *same = train_with(c.texts, c.count, order, again, 3 * order);
        ck_assert_uint_eq(alcore_lm_fingerprint(same), alcore_lm_fingerprint(estimated));
        ck_assert_uint_ne(alcore_lm_fingerprint(lm), alcore_lm_fingerprint(estimated));
        alcore_lm_unref(same);
        alcore_lm_unref(estimated);
        alcore_lm_unref(lm);
    }
}
END_TEST

START_TEST(refused_discounts) {
    static const double good[6] = {0, 0, 0, 1, 2, 3}; /* the bounds are allowed */
    const struct {
        double first[3];
        int64_t count;
        const char *said;
    } bad[] = {{{1.1, 1, 1}, 3, "discount 1, D(1), is 1.1; 0 to 1"},
               {{0.5, -0.1, 1}, 3, "discount 2, D(2), is -0.1; 0 to 2"},
               {{0.5, 1, NAN}, 6, "discount 3, D(3+), is nan; 0 to 3"},
               {{0.5, 1, 1}, 4, "4 discounts; 3 are needed for all orders, or 6"}};
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    alcore_lm *lm = NULL;
    options.order = 2;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double numbers[6];
        memcpy(numbers, good, sizeof numbers);
        memcpy(numbers, bad[i].first, sizeof bad[i].first);
        options.discounts = numbers;
        options.discount_count = bad[i].count;
        ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm),
                         ALCORE_E_PARAM);
        ck_assert_msg(strstr(alcore_last_error(), bad[i].said), "%s", alcore_last_error());
    }
    options.discounts = NULL;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm), ALCORE_E_PARAM);
    options.discounts = good;
    options.discount_count = 0;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm), ALCORE_E_PARAM);
    lm = train_with(corpus, 6, 2, good, 6);
    every_context_adds_up(lm);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(symbols_and_empty_texts) {
    const char *texts[] = {"<s> a </s> b", "", "a <unk> b", " \t "};
    const char *plain[] = {"a b", "", "a b", ""};
    alcore_lm *lm = train(texts, 4, 3), *same = train(plain, 4, 3);
    ck_assert_int_eq(lm->dropped, 3);
    ck_assert_int_eq(same->dropped, 0);
    ck_assert_uint_eq(alcore_lm_fingerprint(lm), alcore_lm_fingerprint(same));
    ck_assert_double_eq(score(lm, "a <s> b"), score(lm, "a never-seen b"));
    ck_assert_double_eq(score(lm, "a </s>"), score(lm, "a never-seen"));
    ck_assert_double_ne(score(lm, "a b"), score(lm, "a <unk>"));
    ck_assert_double_eq(score(lm, ""), score(lm, "\n"));
    alcore_lm_unref(lm);
    alcore_lm_unref(same);
}
END_TEST

START_TEST(words_are_ascii_runs) {
    const char *texts[] = {"a\tb\r\nc\xc2\xa0"
                           "d"};
    alcore_lm *lm = train(texts, 1, 2);
    ck_assert_int_eq(lm_ngrams(lm, 1), 6); /* a b c(nbsp)d, and three symbols */
    ck_assert_uint_ne(word(lm, "c\xc2\xa0"
                               "d"),
                      ALCORE__WORD_NONE);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(capacity_too_small_writes_nothing) {
    alcore_lm *lm = train(corpus, 6, 4);
    float values[3] = {7, 7, 7};
    int64_t count = -1;
    ck_assert_int_eq(lm_tokens_one(lm, "the patient has", 15, values, 3, &count), ALCORE_OK);
    ck_assert_int_eq(count, 4);
    for (int i = 0; i < 3; i++) ck_assert_float_eq(values[i], 7);
    ck_assert_int_eq(lm_tokens_one(lm, NULL, 0, NULL, 0, &count), ALCORE_OK);
    ck_assert_int_eq(count, 1);
    alcore_lm_unref(lm);
}
END_TEST

/* More texts than a task has: each gets the numbers that it gets alone, in any order of tasks. */
START_TEST(many_texts_in_one_call) {
    enum { TEXTS = 700 };
    static char text[TEXTS][32];
    const char *texts[TEXTS];
    double totals[TEXTS], alone;
    float values[8 * TEXTS], own[8];
    int64_t offsets[TEXTS + 1], shape = TEXTS, bounds = TEXTS + 1, tokens, count;
    alcore_tensor out, out_offsets, out_values;
    alcore_lm *lm = train(corpus, 6, 3);
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text[i], sizeof text[i], "%s", i % 5 == 0 ? "" : corpus[i % 6]);
        texts[i] = text[i];
    }
    ck_assert_int_eq(alcore_tensor_init(&out, totals, ALCORE_FLOAT64, &shape, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_lm_score(lm, texts, NULL, TEXTS, &out), ALCORE_OK);
    ck_assert_int_eq(alcore_tensor_init(&out_offsets, offsets, ALCORE_INT64, &bounds, 1),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_lm_token_logprobs(lm, texts, NULL, TEXTS, &out_offsets, NULL),
                     ALCORE_OK);
    tokens = offsets[TEXTS];
    ck_assert_int_le(tokens, 8 * TEXTS);
    ck_assert_int_eq(alcore_tensor_init(&out_values, values, ALCORE_FLOAT32, &tokens, 1),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_lm_token_logprobs(lm, texts, NULL, TEXTS, &out_offsets, &out_values),
                     ALCORE_OK);
    for (int i = 0; i < TEXTS; i++) {
        ck_assert_int_eq(lm_score_one(lm, texts[i], strlen(texts[i]), &alone), ALCORE_OK);
        ck_assert_double_eq(totals[i], alone);
        ck_assert_int_eq(lm_tokens_one(lm, texts[i], strlen(texts[i]), own, 8, &count), ALCORE_OK);
        ck_assert_int_eq(offsets[i + 1] - offsets[i], count);
        ck_assert_mem_eq(values + offsets[i], own, (size_t)count * sizeof *own);
    }
    tokens--; /* one too few */
    ck_assert_int_eq(alcore_lm_token_logprobs(lm, texts, NULL, TEXTS, &out_offsets, &out_values),
                     ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "out_values is to be float32"));
    ck_assert_int_eq(alcore_lm_score(lm, texts, NULL, TEXTS - 1, &out), ALCORE_E_SHAPE);
    ck_assert_int_eq(alcore_lm_score(lm, texts, NULL, -1, &out), ALCORE_E_INVALID);
    shape = 0;
    ck_assert_int_eq(alcore_lm_score(lm, NULL, NULL, 0, &out), ALCORE_OK);
    alcore_lm_unref(lm);
}
END_TEST

/* A text of words of 1 to 20 letters, few of them different, with space of every kind between. */
static void make_text(alcore__rng *rng, char *text) {
    static const char space[] = " \t\r\n";
    char *next = text;
    for (uint64_t words = alcore__rng_below(rng, 90); words > 0; words--) {
        for (uint64_t gap = alcore__rng_below(rng, 3) + (next > text); gap > 0; gap--)
            *next++ = space[alcore__rng_below(rng, 4)];
        const uint64_t letters = 1 + alcore__rng_below(rng, 20);
        const char letter = (char)('a' + alcore__rng_below(rng, 2));
        for (uint64_t i = 0; i < letters; i++) *next++ = letter;
        if (alcore__rng_below(rng, 4) == 0) next[-1] = 'z';
    }
    if (alcore__rng_below(rng, 2) == 0) *next++ = ' ';
    *next = '\0';
}

/* log10 p of the text, word by word through alcore__lm_read(), in order from 0. */
static double read_words(const alcore_lm *lm, const char *text) {
    alcore__lm_context state = alcore__lm_begin(lm);
    const char *next = text, *end = text + strlen(text), *found;
    size_t bytes;
    double total = 0.0;
    while (alcore__word_next(&next, end, &found, &bytes))
        total += alcore__lm_read(
            lm, &state, alcore__lm_word_number(lm, alcore__hash64(found, bytes), found, bytes));
    return total + alcore__lm_read(lm, &state, alcore__lm_end_number(lm));
}

/* Words of all lengths are found, also at the end of a text, and the texts of one call get the bits
 * that each gets word by word; some words and most n-grams are not in the model. So does one long
 * text of all of them, which is looked up in many parts: at every place an n-gram may begin in one
 * part and end in the next. */
START_TEST(texts_side_by_side_have_the_bits_of_each) {
    enum { TEXTS = 300, TRAINED = 150, ROOM = 90 * 23 + 2 };
    static char text[TEXTS][ROOM];
    const char *texts[TEXTS];
    static double totals[TEXTS];
    static char joined[TEXTS * ROOM];
    char *end = joined;
    int64_t shape = TEXTS;
    alcore_tensor out;
    alcore__rng rng;
    alcore__rng_seed(&rng, 77);
    for (int i = 0; i < TEXTS; i++) {
        make_text(&rng, text[i]);
        texts[i] = text[i];
        end += sprintf(end, "%s ", text[i]);
    }
    for (int32_t order = 1; order <= 6; order++) {
        alcore_lm *lm = train(texts, TRAINED, order);
        ck_assert_int_gt(lm_ngrams(lm, 1), 70);
        ck_assert_int_eq(alcore_tensor_init(&out, totals, ALCORE_FLOAT64, &shape, 1), ALCORE_OK);
        ck_assert_int_eq(alcore_lm_score(lm, texts, NULL, TEXTS, &out), ALCORE_OK);
        for (int i = 0; i < TEXTS; i++) ck_assert_double_eq(totals[i], read_words(lm, texts[i]));
        ck_assert_double_eq(score(lm, joined), read_words(lm, joined));
        alcore_lm_unref(lm);
    }
}
END_TEST

START_TEST(wrong_arguments) {
    alcore_lm *lm = (alcore_lm *)&lm;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, NULL, NULL, 0, NULL, &lm), ALCORE_E_DATA);
    ck_assert_ptr_null(lm);
    ck_assert_int_eq(alcore_lm_new_trained(ctx, NULL, NULL, 1, NULL, &lm), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_lm_new_trained(NULL, corpus, NULL, 6, NULL, &lm), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, NULL, NULL), ALCORE_E_INVALID);
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    options.order = 7;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm), ALCORE_E_PARAM);
    options.order = -1;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm), ALCORE_E_PARAM);
    options.size = 0;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm),
                     ALCORE_E_STRUCT_UNSET);
    const char *hole[] = {"a", NULL};
    ck_assert_int_eq(alcore_lm_new_trained(ctx, hole, NULL, 2, NULL, &lm), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "texts[1] is NULL"));
    double total = 1;
    int64_t count = 1;
    ck_assert_int_eq(lm_score_one(NULL, "a", 1, &total), ALCORE_E_INVALID);
    ck_assert_int_eq(lm_tokens_one(NULL, "a", 1, NULL, 0, &count), ALCORE_E_INVALID);
    ck_assert_int_eq(count, 0);
    lm = train(corpus, 6, 2);
    ck_assert_int_eq(lm_score_one(lm, NULL, 1, &total), ALCORE_E_INVALID);
    ck_assert_int_eq(lm_tokens_one(lm, "a", 1, NULL, 5, &count), ALCORE_E_INVALID);
    options = (alcore_lm_options)ALCORE_LM_OPTIONS_INIT;
    options.reserved = 1; /* a field that a later version may give a meaning */
    alcore_lm *newer;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &newer),
                     ALCORE_E_STRUCT_NEWER);
    alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
    ck_assert_int_eq(alcore_lm_order_get(lm, 3, &info), ALCORE_E_NOT_FOUND);
    ck_assert_int_eq(alcore_lm_order_get(lm, 0, &info), ALCORE_E_NOT_FOUND);
    ck_assert_int_eq(lm_ngrams(lm, 3), 0);
    ck_assert_int_eq(alcore_lm_order(NULL), 0);
    ck_assert_uint_eq(alcore_lm_fingerprint(NULL), 0);
    alcore_lm_unref(lm);
    alcore_lm_unref(NULL);
}
END_TEST

START_TEST(a_reference_keeps_the_model) {
    alcore_lm *lm = train(corpus, 6, 4);
    ck_assert_ptr_eq(alcore_lm_ref(lm), lm);
    alcore_lm_unref(lm);
    ck_assert_double_eq_tol(score(lm, "fever"), -1.779139, 1e-6);
    alcore_lm_unref(lm);
    ck_assert_ptr_null(alcore_lm_ref(NULL));
}
END_TEST

START_TEST(same_bits_for_any_threads_and_order_of_texts) {
    static made_corpus c;
    make(&c, 5);
    alcore_lm *lm = train(c.texts, c.count, 4);
    const uint64_t fingerprint = alcore_lm_fingerprint(lm);
    alcore_lm_unref(lm);
    const char *reversed[40];
    for (int i = 0; i < c.count; i++) reversed[i] = c.texts[c.count - 1 - i];
    static const int32_t threads[] = {1, 2, 8};
    for (int i = 0; i < 3; i++) {
        alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
        options.threads = threads[i];
        alcore_ctx *other;
        ck_assert_int_eq(alcore_ctx_new(&options, &other), ALCORE_OK);
        ck_assert_int_eq(alcore_lm_new_trained(other, reversed, NULL, c.count, NULL, &lm),
                         ALCORE_OK);
        ck_assert_uint_eq(alcore_lm_fingerprint(lm), fingerprint);
        alcore_lm_unref(lm);
        alcore_ctx_unref(other);
    }
    reversed[0] = "another text";
    lm = train(reversed, c.count, 4);
    ck_assert_uint_ne(alcore_lm_fingerprint(lm), fingerprint);
    alcore_lm_unref(lm);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("lm");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, tv_lm_scores);
    tcase_add_test(cases, tv_lm_parts);
    tcase_add_loop_test(cases, equals_the_reference, 0, 12);
    tcase_add_loop_test(cases, every_context_sums_to_one, 0, 10);
    tcase_add_loop_test(cases, given_discounts, 0, 12);
    tcase_add_test(cases, refused_discounts);
    tcase_add_test(cases, symbols_and_empty_texts);
    tcase_add_test(cases, words_are_ascii_runs);
    tcase_add_test(cases, capacity_too_small_writes_nothing);
    tcase_add_test(cases, many_texts_in_one_call);
    tcase_add_test(cases, texts_side_by_side_have_the_bits_of_each);
    tcase_add_test(cases, wrong_arguments);
    tcase_add_test(cases, a_reference_keeps_the_model);
    tcase_add_test(cases, same_bits_for_any_threads_and_order_of_texts);
    return check_suite_run("text/lm", cases);
}
