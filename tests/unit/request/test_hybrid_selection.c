/* SPDX-License-Identifier: Apache-2.0 */
/* Hybrid selections of sentences and phrases: the vectors of the specification, the parts by hand
 * on random corpora for every strategy of phrases, rounds, parameters of the parts, several
 * budgets, what the files say. */
#include "request_test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "vectors.h"

static alcore_ctx *ctx;

static void open_ctx(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void close_ctx(void) {
    alcore_ctx_unref(ctx);
}

static alcore_pool *listed_pool(const json_t *list) {
    const char *texts[64];
    const int64_t count = vector_length(list);
    ck_assert_int_le(count, 64);
    for (int64_t i = 0; i < count; i++) texts[i] = vector_text(json_array_get(list, (size_t)i));
    return pool_of(ctx, texts, count);
}

static void set_number(alcore_strategy *strategy, const char *name, const vector_case *one) {
    if (vector_has_input(one, name))
        ck_assert_ok(
            alcore_strategy_set_number(strategy, name, vector_double(vector_input(one, name))));
}

static void set_flag(alcore_strategy *strategy, const char *name, const vector_case *one) {
    if (vector_has_input(one, name)) ck_assert_ok(alcore_strategy_set(strategy, name, "1"));
}

static const int64_t *record_of(const alcore_selection *selection, const char *name) {
    alcore_tensor values;
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_PICKS, name, &values));
    return values.data;
}

static const char *text_of_pick(const alcore_selection *selection, int64_t rank) {
    return alcore_pool_text(alcore_selection_pool(selection),
                            alcore_selection_rows(selection)[rank], NULL);
}

static void check_case(const vector_case *one) {
    alcore_pool *pool = listed_pool(vector_input(one, "unlabeled"));
    alcore_pool *labeled = listed_pool(vector_input(one, "labeled"));
    int64_t rows;
    const double *scores = vector_doubles(vector_input(one, "scores"), &rows);
    alcore_strategy *strategy;
    char budget[32];
    give(pool, "scores", scores, rows, 1);
    snprintf(budget, sizeof budget, "%gw", vector_double(vector_input(one, "budget")));
    alcore_request *request = request_for(ctx, pool, "hybrid", budget);
    ck_assert_ok(alcore_strategy_new(ctx, "hybrid", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "sentences", "nnll"));
    ck_assert_ok(alcore_strategy_set(strategy, "phrases", "ngf-smp"));
    set_number(strategy, "ratio", one);
    set_flag(strategy, "carry", one);
    set_flag(strategy, "cover", one);
    if (vector_has_input(one, "policy"))
        ck_assert_ok(alcore_request_set(request, "fill", vector_text(vector_input(one, "policy"))));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    alcore_selection *selection = selected(request);
    const json_t *sentences = vector_expected(one, "rows"),
                 *phrases = vector_expected(one, "phrases");
    const int64_t first = vector_length(sentences), count = first + vector_length(phrases);
    const int64_t *kinds = record_of(selection, "kind"), *where = record_of(selection, "first_row");
    double words = 0;
    ck_assert_int_eq(alcore_selection_count(selection), count);
    for (int64_t k = 0; k < count; k++) {
        ck_assert_int_eq(kinds[k], k >= first);
        words += alcore_selection_costs(selection)[k];
        if (k < first) {
            ck_assert_int_eq(where[k], vector_integer(json_array_get(sentences, (size_t)k)));
            ck_assert_str_eq(text_of_pick(selection, k), alcore_pool_text(pool, where[k], NULL));
        } else {
            ck_assert_str_eq(text_of_pick(selection, k),
                             vector_text(json_array_get(phrases, (size_t)(k - first))));
        }
        if (k == first - 1)
            ck_assert_double_eq(words, vector_double(vector_expected(one, "row_words")));
    }
    ck_assert_double_eq(words, vector_double(vector_expected(one, "row_words")) +
                                   vector_double(vector_expected(one, "phrase_words")));
    ck_assert_double_eq(alcore_selection_spent(selection), words);
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
}

START_TEST(vectors) {
    const test_vector vector = vector_find("phrases", "TV-HYB");
    open_ctx();
    ck_assert_int_eq(vector_case_count(vector), 4);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        check_case(&one);
    }
    close_ctx();
}
END_TEST

/* ---- the parts by hand ---- */

enum { ROWS = 40, DIMS = 3, MOST_WORDS = 7 };

/* Texts of one-letter words with all columns that the strategies of this file read. */
static alcore_pool *random_pool(uint64_t seed) {
    alcore__rng rng;
    alcore_pool *pool;
    double scores[ROWS], embeddings[ROWS * DIMS], logprobs[ROWS * MOST_WORDS];
    int64_t offsets[ROWS + 1] = {0}, ends = ROWS + 1;
    alcore_tensor values, at;
    alcore__rng_seed(&rng, seed);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int i = 0; i < ROWS; i++) {
        char text[64];
        const char *texts[] = {text};
        int length = 0, words = 1 + (int)alcore__rng_below(&rng, MOST_WORDS);
        for (int w = 0; w < words; w++)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%c",
                               length ? " " : "", 'a' + (int)alcore__rng_below(&rng, 6));
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
        scores[i] = alcore__rng_f64(&rng);
        offsets[i + 1] = offsets[i] + words;
    }
    for (int64_t i = 0; i < offsets[ROWS]; i++) logprobs[i] = -4 * alcore__rng_f64(&rng);
    for (int i = 0; i < ROWS * DIMS; i++) embeddings[i] = alcore__rng_f64(&rng) - 0.3;
    give(pool, "scores", scores, ROWS, 1);
    give(pool, "embeddings", embeddings, ROWS, DIMS);
    ck_assert_ok(alcore_tensor_init(&values, logprobs, ALCORE_FLOAT64, &offsets[ROWS], 1));
    ck_assert_ok(alcore_tensor_init(&at, offsets, ALCORE_INT64, &ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &at, NULL));
    return pool;
}

/* Texts that are labeled, with embeddings. */
static alcore_pool *labeled_pool(void) {
    static const char *const TEXTS[] = {"a b c", "f f", "g a"};
    static const double VECTORS[] = {1, 0, 0, 0, 1, 0, 0.5, 0.5, 1};
    alcore_pool *pool = pool_of(ctx, TEXTS, 3);
    give(pool, "embeddings", VECTORS, 3, DIMS);
    return pool;
}

/* A hybrid: the strategies of both parts, the parameters of the one of phrases ("max_n=3" or ""),
 * and how the budget is split. */
typedef struct setting {
    const char *sentences, *phrases, *parameter;
    const char *ratio;
    bool carry, cover;
} setting;

/* Sets a parameter NAME=VALUE of a strategy, whose name has the prefix; "": none. */
static void set_pair(alcore_strategy *strategy, const char *prefix, const char *pair) {
    char name[64];
    if (!*pair) return;
    const char *value = strchr(pair, '=');
    snprintf(name, sizeof name, "%s%.*s", prefix, (int)(value - pair), pair);
    ck_assert_ok(alcore_strategy_set(strategy, name, value + 1));
}

static alcore_request *request_of(alcore_pool *pool, const setting *set, const char *budget) {
    alcore_request *request = request_for(ctx, pool, "hybrid", budget);
    alcore_strategy *strategy;
    ck_assert_ok(alcore_strategy_new(ctx, "hybrid", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "sentences", set->sentences));
    ck_assert_ok(alcore_strategy_set(strategy, "phrases", set->phrases));
    set_pair(strategy, "phrases.", set->parameter);
    ck_assert_ok(alcore_strategy_set(strategy, "ratio", set->ratio));
    ck_assert_ok(alcore_strategy_set_int(strategy, "carry", set->carry));
    ck_assert_ok(alcore_strategy_set_int(strategy, "cover", set->cover));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    return request;
}

static alcore_request *hybrid_request(alcore_pool *pool, const char *budget, const char *ratio,
                                      bool carry, bool cover) {
    return request_of(pool, &(setting){"nnll", "ngf", "max_n=3", ratio, carry, cover}, budget);
}

/* A request of one part alone, with a budget in words. */
static alcore_request *part_request(alcore_pool *pool, alcore_pool *labeled, const char *name,
                                    const char *parameter, double words) {
    char text[64];
    alcore_strategy *strategy;
    snprintf(text, sizeof text, "%.17gw", words > 0 ? words : 0);
    alcore_request *request = request_for(ctx, pool, name, text);
    ck_assert_ok(alcore_strategy_new(ctx, name, &strategy));
    set_pair(strategy, "", parameter);
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    return request;
}

/* What Algorithm 2 says (spec 5.8), by two requests: B_s = floor(ratio B + 1e-9) words for the
 * sentences S; B_p = B - B_s, or with carry what S left, for the phrases of the other rows, where
 * with cover S is labeled. labeled may be NULL. */
static void check_by_hand(alcore_pool *pool, alcore_pool *labeled, const alcore_selection *hybrid,
                          double budget, const setting *set) {
    const double share = floor(strtod(set->ratio, NULL) * budget + 1e-9);
    alcore_request *first = part_request(pool, labeled, set->sentences, "", share);
    alcore_selection *sentences = selected(first);
    const double left = budget - (set->carry ? alcore_selection_spent(sentences) : share);
    alcore_request *second = part_request(pool, labeled, set->phrases, set->parameter, left);
    const int64_t count = alcore_selection_count(sentences);
    ck_assert_ok(alcore_request_set_rows(second,
                                         set->cover ? ALCORE_ROWS_LABELED : ALCORE_ROWS_EXCLUDED,
                                         alcore_selection_rows(sentences), count));
    alcore_selection *phrases = selected(second);
    ck_assert_int_eq(alcore_selection_count(hybrid), count + alcore_selection_count(phrases));
    for (int64_t k = 0; k < alcore_selection_count(hybrid); k++) {
        const alcore_selection *part = k < count ? sentences : phrases;
        const int64_t rank = k < count ? k : k - count;
        ck_assert_str_eq(text_of_pick(hybrid, k), text_of_pick(part, rank));
        ck_assert_str_eq(alcore_selection_reason(hybrid, k), alcore_selection_reason(part, rank));
        ck_assert_double_eq(alcore_selection_scores(hybrid)[k],
                            alcore_selection_scores(part)[rank]);
    }
    ck_assert_double_eq(alcore_selection_spent(hybrid),
                        alcore_selection_spent(sentences) + alcore_selection_spent(phrases));
    ck_assert_double_eq(alcore_selection_budget(hybrid), budget);
    alcore_selection_unref(sentences);
    alcore_selection_unref(phrases);
    alcore_request_unref(first);
    alcore_request_unref(second);
}

/* The same for all budgets of one request of a setting. */
static void check_setting(alcore_pool *pool, alcore_pool *labeled, const setting *set) {
    alcore_request *request = request_of(pool, set, "17w,40w,1w,2w");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    alcore_selection *all = selected(request);
    ck_assert_int_eq(alcore_selection_budget_count(all), 4);
    for (int64_t b = 0; b < 4; b++) {
        const alcore_selection *one = alcore_selection_of_budget(all, b);
        check_by_hand(pool, labeled, one, alcore_selection_budget(one), set);
    }
    alcore_selection_unref(all);
    alcore_request_unref(request);
}

static const char *const RATIOS[] = {"0", "0.3", "0.5", "1"};

START_TEST(parts_by_hand) {
    open_ctx();
    alcore_pool *pool = random_pool((uint64_t)_i);
    for (int r = 0; r < 4; r++)
        for (int flags = 0; flags < 4; flags++)
            check_setting(pool, NULL,
                          &(setting){"nnll", "ngf", "max_n=3", RATIOS[r], flags & 1, flags & 2});
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* Every strategy of phrases beside strategies of sentences that rank, mix columns, draw, cover
 * and compare with labeled sentences. */
static const char *const SENTENCES[] = {"nnll", "huds", "random", "kcenter", "mrs"};
static const struct {
    const char *name, *parameter;
} PHRASES[] = {{"ngf", "max_n=2"},
               {"ngf-smp", ""},
               {"ngf-smp", "smp_limit=inf"},
               {"random-phrase", ""},
               {"random-phrase", "exclude_labeled=1"},
               {"random-phrase", "weight=tokens"},
               {"huds-phrase", ""},
               {"huds-phrase", "prune=0"}};
enum {
    SENTENCE_COUNT = sizeof SENTENCES / sizeof SENTENCES[0],
    PHRASE_COUNT = sizeof PHRASES / sizeof PHRASES[0]
};

/* _i: the pair of strategies. */
START_TEST(all_pairs_by_hand) {
    setting set = {.sentences = SENTENCES[_i / PHRASE_COUNT],
                   .phrases = PHRASES[_i % PHRASE_COUNT].name,
                   .parameter = PHRASES[_i % PHRASE_COUNT].parameter};
    open_ctx();
    alcore_pool *pool = random_pool(50 + (uint64_t)_i), *labeled = labeled_pool();
    for (int flags = 0; flags < 4; flags++) {
        set.ratio = RATIOS[(_i + flags) % 4];
        set.carry = flags & 1;
        set.cover = flags & 2;
        check_setting(pool, labeled, &set);
    }
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* ---- rounds ---- */

/* Whether a text has the words of a phrase, one after the other; words have one space between them.
 */
static bool contains(const char *text, const char *phrase) {
    char padded[96], inner[96];
    snprintf(padded, sizeof padded, " %s ", text);
    snprintf(inner, sizeof inner, " %s ", phrase);
    return strstr(padded, inner);
}

/* Whether anything that is labeled contains a phrase: a text of the labeled pool, or a labeled row
 * of the pool. */
static bool is_known(const alcore_pool *pool, const alcore_pool *labeled, const char *phrase) {
    bool known = false;
    for (int64_t row = 0; row < alcore_pool_row_count(labeled); row++)
        known |= contains(alcore_pool_text(labeled, row, NULL), phrase);
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++)
        known |= (alcore_pool_states(pool)[row] & ALCORE_ROW_LABELED) &&
                 contains(alcore_pool_text(pool, row, NULL), phrase);
    return known;
}

/* Rounds of a hybrid: its sentences become labeled rows, its phrases labeled texts. No sentence is
 * bought again, and no phrase; nor, but by random-phrase, which may buy phrases of labeled texts,
 * is a part of what is labeled bought. With cover=1 that holds for the sentences of the same round.
 * _i: the strategy of phrases, and whether cover is set. */
START_TEST(what_was_bought_is_not_bought_again) {
    const setting set = {.sentences = "nnll",
                         .phrases = PHRASES[_i / 2].name,
                         .parameter = PHRASES[_i / 2].parameter,
                         .ratio = "0.4",
                         .cover = _i % 2};
    const bool any = !strcmp(set.phrases, "random-phrase") && strncmp(set.parameter, "exclude", 7);
    int64_t bought = 0;
    open_ctx();
    alcore_pool *pool = random_pool(7), *labeled = labeled_pool();
    for (int round = 0; round < 4; round++) {
        alcore_request *request = request_of(pool, &set, "10w");
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
        alcore_selection *picked = selected(request);
        const int64_t *kinds = record_of(picked, "kind"), *rows = record_of(picked, "first_row");
        for (int64_t k = 0; k < alcore_selection_count(picked); k++) {
            const char *text = text_of_pick(picked, k);
            if (kinds[k] == 0) {
                ck_assert_uint_eq(alcore_pool_states(pool)[rows[k]], 0);
                if (set.cover)
                    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &rows[k], 1));
                continue;
            }
            bought++;
            ck_assert_msg(any || !is_known(pool, labeled, text), "%s is known", text);
            for (int64_t row = 0; row < alcore_pool_row_count(labeled); row++)
                ck_assert_str_ne(text, alcore_pool_text(labeled, row, NULL));
        }
        for (int64_t k = 0; k < alcore_selection_count(picked); k++) {
            const char *text[] = {text_of_pick(picked, k)};
            if (kinds[k] == 0)
                ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &rows[k], 1));
            else
                ck_assert_ok(alcore_pool_add_texts(labeled, text, NULL, 1, NULL));
        }
        alcore_selection_unref(picked);
        alcore_request_unref(request);
    }
    ck_assert_int_gt(bought, 4);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* What earlier rounds bought is excluded, by its texts or by the ids in the file of the selection:
 * no sentence and no phrase is bought again. _i: the strategy of phrases, and whether by ids. */
START_TEST(what_is_excluded_is_not_bought) {
    const setting set = {.sentences = "nnll",
                         .phrases = PHRASES[_i / 2].name,
                         .parameter = PHRASES[_i / 2].parameter,
                         .ratio = "0.2"};
    const bool by_ids = _i % 2;
    char path[64];
    open_ctx();
    alcore_pool *pool = random_pool(9), *labeled = labeled_pool(), *before;
    alcore_request *request = request_of(pool, &set, "15w");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &before));
    snprintf(path, sizeof path, "hybrid_excluded_%d.jsonl", _i);
    for (int round = 0; round < 4; round++) {
        alcore_selection *picked = selected(request);
        const int64_t known = alcore_pool_row_count(before), count = alcore_selection_count(picked);
        ck_assert_int_gt(count, 0);
        for (int64_t k = 0; k < count; k++) {
            const char *text[] = {text_of_pick(picked, k)};
            for (int64_t row = 0; row < known; row++)
                ck_assert_str_ne(text[0], alcore_pool_text(before, row, NULL));
            ck_assert_ok(alcore_pool_add_texts(before, text, NULL, 1, NULL));
        }
        if (by_ids) {
            ck_assert_ok(alcore_selection_write(picked, path, NULL));
            ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path));
            remove(path);
        } else {
            ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, before));
        }
        alcore_selection_unref(picked);
    }
    alcore_pool_unref(before);
    alcore_request_unref(request);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* Rows that the request leaves out or names as labeled stay so, and the request keeps its lists. */
START_TEST(rows_of_the_request) {
    static const int64_t EXCLUDED[] = {0, 1, 2, 3}, LABELED[] = {5, 6};
    open_ctx();
    alcore_pool *pool = random_pool(77);
    alcore_request *request = hybrid_request(pool, "30w", "0.5", false, true);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, EXCLUDED, 4));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, LABELED, 2));
    alcore_selection *selection = selected(request);
    const int64_t *where = record_of(selection, "first_row");
    for (int64_t k = 0; k < alcore_selection_count(selection); k++)
        ck_assert(where[k] > 6 || where[k] == 4);
    alcore_tensor rows;
    ck_assert_ok(alcore_request_get_rows(request, ALCORE_ROWS_LABELED, &rows));
    ck_assert_int_eq(rows.shape[0], 2);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* ---- parameters ---- */

START_TEST(parameters_of_the_parts) {
    alcore_strategy *strategy;
    const char *text;
    open_ctx();
    ck_assert_ok(alcore_strategy_new(ctx, "hybrid", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "sentences", "huds"));
    ck_assert_ok(alcore_strategy_set_int(strategy, "sentences.n_strata", 3));
    ck_assert_ok(alcore_strategy_get(strategy, "sentences.n_strata", &text));
    ck_assert_str_eq(text, "3");
    ck_assert_ok(alcore_strategy_set(strategy, "phrases.smp_limit", "inf"));
    ck_assert_ok(alcore_strategy_get(strategy, "phrases.smp_limit", &text));
    ck_assert_str_eq(text, "inf");
    ck_assert_ok(alcore_strategy_get(strategy, "phrases", &text));
    ck_assert_str_eq(text, "ngf-smp");
    ck_assert_fails(alcore_strategy_set(strategy, "sentences", "ngf"), ALCORE_E_PARAM,
                    "sentences is a strategy that buys rows, which ngf does not");
    ck_assert_fails(alcore_strategy_set(strategy, "phrases", "huds"), ALCORE_E_PARAM,
                    "phrases is a strategy that buys phrases, which huds does not");
    ck_assert_fails(alcore_strategy_set(strategy, "sentences", "hybrid"), ALCORE_E_PARAM, "hybrid");
    ck_assert_fails(alcore_strategy_set(strategy, "phrases", "ngr"), ALCORE_E_PARAM,
                    "did you mean ngf");
    ck_assert_fails(alcore_strategy_set(strategy, "sentences.max_n", "3"), ALCORE_E_PARAM,
                    "strategy huds");
    ck_assert_fails(alcore_strategy_set(strategy, "ratio", "1.5"), ALCORE_E_PARAM, "ratio");
    ck_assert_ok(alcore_strategy_get(strategy, "sentences.n_strata", &text));
    ck_assert_str_eq(text, "3"); /* a refused part changes nothing */
    alcore_strategy_unref(strategy);
    close_ctx();
}
END_TEST

/* Where memory runs out while a part is chosen, the old part stays, with name and values. */
START_TEST(a_part_that_was_not_set) {
    fault_allocator fault = {0};
    alcore_strategy *strategy;
    alcore_status status = ALCORE_E_NOMEM;
    const char *text;
    ctx = fault_context(&fault, 0);
    ck_assert_ok(alcore_strategy_new(ctx, "hybrid", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "sentences", "huds"));
    ck_assert_ok(alcore_strategy_set_int(strategy, "sentences.n_strata", 3));
    int call = 0;
    while (status == ALCORE_E_NOMEM) {
        ck_assert_ok(alcore_strategy_get(strategy, "sentences", &text));
        ck_assert_str_eq(text, "huds");
        ck_assert_ok(alcore_strategy_get(strategy, "sentences.n_strata", &text));
        ck_assert_str_eq(text, "3");
        fault_arm(&fault, ++call, 0 /* only this call */);
        status = alcore_strategy_set(strategy, "sentences", "kcenter");
        fault_arm(&fault, 0, 0);
    }
    ck_assert_ok(status);
    ck_assert_int_gt(call, 4); /* the handle, its name, its values, the text of the parameter */
    ck_assert_ok(alcore_strategy_get(strategy, "sentences", &text));
    ck_assert_str_eq(text, "kcenter");
    ck_assert_fails(alcore_strategy_get(strategy, "sentences.n_strata", &text), ALCORE_E_PARAM,
                    "strategy kcenter");
    alcore_strategy_unref(strategy);
    close_ctx();
    ck_assert_int_eq(atomic_load(&fault.live_bytes), 0);
}
END_TEST

/* ---- what is said ---- */

static void expect_in(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part), "\"%s\" is not in:\n%s", part, text);
}

START_TEST(files_and_words) {
    static const char *const TEXTS[] = {"a b", "b c d", "a b e"};
    static const double SCORES[] = {1, 3, 2};
    alcore_pool *phrases;
    open_ctx();
    alcore_pool *pool = pool_of(ctx, TEXTS, 3);
    give(pool, "scores", SCORES, 3, 1);
    alcore_request *request = hybrid_request(pool, "6w", "0.5", false, false);
    ck_assert_ok(alcore_request_set(request, "price", "2/w"));
    alcore_selection *selection = selected(request);
    ck_assert_ok(alcore_selection_write(selection, "hybrid_selection.tsv", NULL));
    expect_in(file_text("hybrid_selection.tsv"),
              "rank\tindex\tid\tscore\tcost\tkind\tu\tocc\tfirst_position\tlength\treason\ttext\n"
              "1\t1\t2\t3\t3\tsentence\t3\t\t\t\tuncertainty top 34 %\tb c d\n"
              "2\t0\t1:0+2\t2\t2\tphrase\t");
    ck_assert_ok(alcore_selection_write(selection, "hybrid_selection.jsonl", NULL));
    const char *lines = file_text("hybrid_selection.jsonl");
    expect_in(lines, "\"id\":\"2\",\"source\":\"b c d\",\"lang\":\"unknown\",\"al\":{");
    expect_in(lines, "\"kind\":\"sentence\"");
    expect_in(lines, "\"source\":\"a b\",\"lang\":\"unknown\",\"contexts\":[{\"id\":\"1\",");
    expect_in(alcore_selection_summary(selection), "sentences: strategy nnll");
    expect_in(alcore_selection_summary(selection), "phrases: strategy ngf");
    expect_in(alcore_selection_summary(selection), "both: selected 3 items: 6 words");
    expect_in(alcore_selection_provenance(selection), "\"strategy\":\"hybrid\"");
    expect_in(alcore_selection_provenance(selection), "\"parts\":[{");
    ck_assert_double_eq(alcore_selection_amount(selection), 12);
    ck_assert_ok(alcore_selection_report(selection, "hybrid_selection.html", NULL));
    expect_in(file_text("hybrid_selection.html"), "hybrid");
    remove("hybrid_selection.tsv");
    remove("hybrid_selection.jsonl");
    remove("hybrid_selection.html");
    alcore_selection_unref(selection);
    /* Phrases are no candidates of a hybrid, derived or by hand. */
    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &phrases));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, phrases));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "its candidates are texts");
    alcore_pool_unref(phrases);
    int64_t occurrences[] = {2, 2, 1}, rows = 3;
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, occurrences, ALCORE_INT64, &rows, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "occurrences", &tensor, NULL, NULL));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_INVALID,
                    "its candidates are texts");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("hybrid");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, vectors);
    tcase_add_loop_test(all, parts_by_hand, 0, 10);
    tcase_add_loop_test(all, all_pairs_by_hand, 0, SENTENCE_COUNT * PHRASE_COUNT);
    tcase_add_loop_test(all, what_was_bought_is_not_bought_again, 0, 2 * PHRASE_COUNT);
    tcase_add_loop_test(all, what_is_excluded_is_not_bought, 0, 2 * PHRASE_COUNT);
    tcase_add_test(all, rows_of_the_request);
    tcase_add_test(all, parameters_of_the_parts);
    tcase_add_test(all, a_part_that_was_not_set);
    tcase_add_test(all, files_and_words);
    return check_suite_run("hybrid-selection", all);
}
