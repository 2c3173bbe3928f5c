/* SPDX-License-Identifier: Apache-2.0 */
/* ngram-cover against its formula, written once more over words as strings, without hashes, bounds
 * or a heap: every candidate is measured before every pick. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/alcore.h"
#include "base/rng.h"
#include "check_suite.h"

enum { ROWS = 120, LABELED = 30, MOST_WORDS = 9, MOST_GRAMS = 4096 };

/* Texts of words w0 .. w19, the first of which are frequent. */
static void make_texts(uint64_t seed, int rows, char texts[][64]) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int i = 0; i < rows; i++) {
        const int words = 1 + (int)alcore__rng_below(&rng, MOST_WORDS);
        texts[i][0] = '\0';
        for (int w = 0; w < words; w++) {
            const double draw = alcore__rng_f64(&rng);
            sprintf(texts[i] + strlen(texts[i]), "%sw%c", w ? " " : "",
                    'a' + (int)(20 * draw * draw));
        }
    }
}

/* ---- the formula once more ---- */

typedef struct gram {
    char text[64];
    double others, known, picked; /* c(g), l(g), s(g) */
    double weight;
} gram;

static gram grams[MOST_GRAMS];
static int gram_count;

static gram *find(const char *text, size_t length, bool add) {
    for (int i = 0; i < gram_count; i++)
        if (strlen(grams[i].text) == length && memcmp(grams[i].text, text, length) == 0)
            return &grams[i];
    if (!add) return NULL;
    ck_assert_int_lt(gram_count, MOST_GRAMS);
    memcpy(grams[gram_count].text, text, length);
    return &grams[gram_count++];
}

/* Lists the distinct n-grams of a text that are known, or all. */
static int list(const char *text, int max_n, bool add, gram **out) {
    int count = 0;
    const char *starts[MOST_WORDS + 1];
    int words = 0;
    for (const char *c = text; c; c = strchr(c, ' ') ? strchr(c, ' ') + 1 : NULL)
        starts[words++] = c;
    for (int w = 0; w < words; w++) {
        for (int n = 1; n <= max_n && w + n <= words; n++) {
            const char *end = strchr(starts[w + n - 1], ' ');
            gram *found = find(starts[w], end ? (size_t)(end - starts[w]) : strlen(starts[w]), add);
            bool listed = !found;
            for (int i = 0; i < count; i++) listed |= out[i] == found;
            if (!listed) out[count++] = found;
        }
    }
    return count;
}

typedef struct settings {
    int max_n;
    double power, known, decay, first, overhead, length;
    const char *unit; /* of the budget */
} settings;

static double tokens_of(const char *text) {
    return (double)(strlen(text) + 1) / 3;
}

static double cost_of(const settings *s, const char *text) {
    return *s->unit == 'w' ? tokens_of(text) : *s->unit == 'c' ? (double)strlen(text) : 1;
}

static double gain_of(const settings *s, const char *text, double mean_cost, double mean_tokens) {
    gram *has[64];
    double sum = 0;
    const int count = list(text, s->max_n, false, has);
    for (int i = 0; i < count; i++) sum += has[i]->weight;
    return sum /
           (cost_of(s, text) / mean_cost + s->length * tokens_of(text) / mean_tokens + s->overhead);
}

static double newness(const settings *s, const gram *g) {
    return g->picked == 0 && !strchr(g->text, ' ') ? 1 + s->first : 1;
}

/* Picks by the formula while the budget lasts: picks, gains, both [ROWS]; returns how many. The
 * second half of the labeled texts are rows of the pool. */
static int choose(const settings *s, char pool[][64], const uint8_t *masked, char labeled[][64],
                  int labeled_count, double budget, int *picks, double *gains) {
    gram *has[64];
    double mean_cost = 0, mean_tokens = 0, spent = 0;
    int rows = 0, count = 0;
    uint8_t gone[ROWS];
    memcpy(gone, masked, ROWS);
    memset(grams, 0, sizeof grams);
    gram_count = 0;
    for (int i = 0; i < ROWS; i++) {
        if (masked[i]) continue;
        const int found = list(pool[i], s->max_n, true, has);
        for (int g = 0; g < found; g++) has[g]->others++;
        mean_cost += cost_of(s, pool[i]);
        mean_tokens += tokens_of(pool[i]);
        rows++;
    }
    mean_cost /= rows;
    mean_tokens /= rows;
    for (int i = 0; i < labeled_count; i++) {
        const int found = list(labeled[i], s->max_n, false, has);
        for (int g = 0; g < found; g++) ++*(i < LABELED / 2 ? &has[g]->known : &has[g]->picked);
    }
    for (int g = 0; g < gram_count; g++)
        grams[g].weight = grams[g].others < 2
                              ? 0
                              : pow(grams[g].others - 1, s->power) /
                                    pow(1 + grams[g].known, s->known) /
                                    pow(1 + grams[g].picked, s->decay) * newness(s, &grams[g]);
    while (spent < budget && count < rows) {
        int best = -1;
        double most = -1;
        for (int i = 0; i < ROWS; i++) {
            const double gain = gone[i] ? -1 : gain_of(s, pool[i], mean_cost, mean_tokens);
            if (gain > most + 1e-12 * most) {
                most = gain;
                best = i;
            }
        }
        gone[best] = 1;
        picks[count] = best;
        gains[count++] = most;
        spent += cost_of(s, pool[best]);
        const int found = list(pool[best], s->max_n, false, has);
        for (int g = 0; g < found; g++) {
            has[g]->weight /= newness(s, has[g]);
            has[g]->picked++;
            has[g]->weight *= pow(has[g]->picked / (has[g]->picked + 1), s->decay);
        }
    }
    return count;
}

static const settings trials[] = {
    {3, 0.5, 0.5, 1, 0, 0.15, 0, "w"}, {3, 0.5, 0.5, 1, 3, 0.15, 2, "w"},
    {1, 1, 0, 3, 0.5, 0, 0, "w"},      {2, 0, 0.1, 9, 9, 0.5, 1, "c"},
    {3, 0.7, 2, 0, 1, 1, 0, "i"},      {4, 0.5, 1, 0.5, 3, 0.1, 3, "i"},
};

static alcore_ctx *ctx;
static char pool_texts[ROWS][64], labeled_texts[LABELED][64];

static alcore_pool *pool_of(char texts[][64], int rows) {
    alcore_pool *pool;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_int_eq(alcore_pool_new(ctx, &options, &pool), ALCORE_OK);
    for (int i = 0; i < rows; i++) {
        const char *text = texts[i];
        ck_assert_int_eq(alcore_pool_add_texts(pool, &text, NULL, 1, NULL), ALCORE_OK);
    }
    return pool;
}

/* named [named_count]: rows that the request names as ALCORE_ROWS_* `kind`; NULL: it names none. */
static alcore_selection *select_rows(const settings *s, double budget, alcore_pool *pool,
                                     alcore_pool *labeled, int32_t kind, const int64_t *named,
                                     int64_t named_count) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    char value[32];
    ck_assert_int_eq(alcore_strategy_new(ctx, "ngram-cover", &strategy), ALCORE_OK);
#define SET(name)                                                                                  \
    do {                                                                                           \
        snprintf(value, sizeof value, "%g", (double)s->name);                                      \
        ck_assert_int_eq(alcore_strategy_set(strategy, #name, value), ALCORE_OK);                  \
    } while (0)
    SET(max_n);
    SET(power);
    SET(known);
    SET(decay);
    SET(first);
    SET(overhead);
    SET(length);
    ck_assert_int_eq(alcore_request_new(ctx, &request), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool), ALCORE_OK);
    if (labeled)
        ck_assert_int_eq(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled), ALCORE_OK);
    if (named)
        ck_assert_int_eq(alcore_request_set_rows(request, kind, named, named_count), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set_strategy(request, strategy), ALCORE_OK);
    snprintf(value, sizeof value, "%g%s", budget, s->unit);
    ck_assert_int_eq(alcore_request_set(request, "budget", value), ALCORE_OK);
    ck_assert_int_eq(alcore_select(request, &selection), ALCORE_OK);
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    return selection;
}

static void expect_picks(const alcore_selection *selection, const int *picks, const double *gains,
                         int count) {
    const int64_t *rows = alcore_selection_rows(selection);
    const double *scores = alcore_selection_scores(selection);
    ck_assert_int_eq(alcore_selection_count(selection), count);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(rows[i], picks[i]);
        ck_assert_double_eq_tol(scores[i], gains[i], 1e-9 * (1 + gains[i]));
    }
}

/* Whether a text is among those of the labeled pool: its row is known, and no candidate. */
static bool is_known(const char *text) {
    for (int l = 0; l < LABELED / 2; l++)
        if (strcmp(text, labeled_texts[l]) == 0) return true;
    return false;
}

START_TEST(picks_are_those_of_the_formula) {
    const settings *s = &trials[_i];
    const double budget = *s->unit == 'w' ? 150 : *s->unit == 'c' ? 400 : 40;
    int picks[ROWS];
    double gains[ROWS];
    uint8_t masked[ROWS] = {0};
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    make_texts(7 + (uint64_t)_i, ROWS, pool_texts);
    alcore_pool *pool = pool_of(pool_texts, ROWS);
    alcore_selection *selection = select_rows(s, budget, pool, NULL, 0, NULL, 0);
    int count = choose(s, pool_texts, masked, NULL, 0, budget, picks, gains);
    expect_picks(selection, picks, gains, count);
    alcore_selection_unref(selection);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Beside a labeled pool every third row is bought already, as the request says by naming it as
 * labeled or as excluded: an excluded row whose text the labeled pool has counts there alone. */
static void expect_bought(const settings *s, int32_t kind) {
    const double budget = *s->unit == 'w' ? 150 : *s->unit == 'c' ? 400 : 40;
    int picks[ROWS], texts = LABELED / 2;
    double gains[ROWS];
    uint8_t masked[ROWS] = {0};
    int64_t bought[LABELED / 2];
    make_texts(99, LABELED, labeled_texts);
    alcore_pool *pool = pool_of(pool_texts, ROWS), *labeled = pool_of(labeled_texts, LABELED / 2);
    for (int i = 0; i < ROWS; i++) masked[i] = is_known(pool_texts[i]);
    for (int i = 0; i < LABELED / 2; i++) {
        const int row = 3 * i;
        bought[i] = row;
        masked[row] = 1;
        if (kind == ALCORE_ROWS_LABELED || !is_known(pool_texts[row]))
            strcpy(labeled_texts[texts++], pool_texts[row]);
    }
    alcore_selection *selection = select_rows(s, budget, pool, labeled, kind, bought, LABELED / 2);
    const int count = choose(s, pool_texts, masked, labeled_texts, texts, budget, picks, gains);
    expect_picks(selection, picks, gains, count);
    alcore_selection_unref(selection);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
}

START_TEST(bought_rows_are_picks) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    make_texts(7 + (uint64_t)_i, ROWS, pool_texts);
    expect_bought(&trials[_i], ALCORE_ROWS_LABELED);
    expect_bought(&trials[_i], ALCORE_ROWS_EXCLUDED);
    alcore_ctx_unref(ctx);
}
END_TEST

/* What a smaller budget buys is the beginning of what a larger one does, and a candidate that is
 * not bought has the gain that it would add now. */
START_TEST(texts_of_nothing_new_come_last) {
    static const char *const lines[] = {"open the file", "close the file", "open the file now",
                                        "zebra quagga",  "1 2 3",          ""};
    alcore_pool *pool;
    const settings s = {3, 0.5, 1, 16, 0, 0.15, 0, "i"};
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, lines, NULL, 6, NULL), ALCORE_OK);
    alcore_selection *selection = select_rows(&s, 10, pool, NULL, 0, NULL, 0);
    const int64_t *rows = alcore_selection_rows(selection);
    const double *scores = alcore_selection_scores(selection);
    ck_assert_int_eq(alcore_selection_count(selection), 5); /* the empty text is masked */
    /* "open", "the", "file", "open the", "the file", "open the file", of which two texts have all
     * and the weight of "the", "file", "the file" is that of two other texts, of the others of one
     * */
    const int64_t order[] = {0, 2, 1, 3, 4};
    const double gains[] = {(3 * sqrt(2) + 3) / 1.15, (3 * sqrt(2) + 3) / 1.15 * pow(2, -16),
                            3 * sqrt(2) / 1.15 * pow(3, -16), 0, 0};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(rows[i], order[i]);
        ck_assert_double_eq_tol(scores[i], gains[i], 1e-12);
    }
    ck_assert(alcore_selection_flags(selection) & ALCORE_SELECTION_SHORT);
    alcore_selection_unref(selection);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A text of many more n-grams than the others of its block, among the candidates or labeled, beside
 * one of a single character. */
START_TEST(long_texts_have_all_their_ngrams) {
    enum { WORDS = 20000, BYTES = 6 * WORDS + 1 };
    char *text = malloc(BYTES), *end = text;
    alcore_pool *pools[2];
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    const settings s = {3, 0.5, 1, 16, 0, 1, 0, "i"};
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < WORDS; i++, end += 6)
        sprintf(end, "%c%c%c%cz ", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26,
                'a' + i / 17576);
    const char *const lines[] = {"a", text, "b a", text, "c", text + 6};
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(alcore_pool_new(ctx, &options, &pools[i]), ALCORE_OK);
        ck_assert_int_eq(alcore_pool_add_texts(pools[i], lines + 4 * i, NULL, 4 - 2 * i, NULL),
                         ALCORE_OK);
    }
    /* the labeled text lacks the first word, and the first pair and triple of words */
    for (int labeled = 0; labeled < 2; labeled++) {
        alcore_selection *selection =
            select_rows(&s, 4, pools[0], labeled ? pools[1] : NULL, 0, NULL, 0);
        const double sum = 3.0 * WORDS - 3, known = labeled ? sum - 3 : 0;
        const double again = pow(2, -16), gain = (sum - known + known / 2) / 2;
        const int picks[] = {1, 0, 3, 2};
        const double gains[] = {gain, 0.5, gain * again, 0.5 * again};
        expect_picks(selection, picks, gains, 4);
        alcore_selection_unref(selection);
    }
    alcore_pool_unref(pools[0]);
    alcore_pool_unref(pools[1]);
    alcore_ctx_unref(ctx);
    free(text);
}
END_TEST

/* Texts of letters, which share nearly everything, and texts of words: without tags the former are
 * bought first; with tags the first gains of both have the same mean, and both are bought. */
START_TEST(languages_are_level) {
    static const char *const lines[] = {"\xe0\xb8\x81\xe0\xb8\x82\xe0\xb8\x84",
                                        "\xe0\xb8\x82\xe0\xb8\x84\xe0\xb8\x81",
                                        "\xe0\xb8\x84\xe0\xb8\x81\xe0\xb8\x82",
                                        "\xe0\xb8\x81\xe0\xb8\x84\xe0\xb8\x82",
                                        "red fox runs",
                                        "red dog sits",
                                        "blue dog runs",
                                        "blue cat sits"};
    static const char *const tags[] = {"th", "th", "th", "th", "en", "en", "en", "en"};
    const settings s = {3, 0.5, 0.5, 0.5, 0, 0.15, 2, "i"};
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    for (int tagged = 0; tagged < 2; tagged++) {
        alcore_pool *pool;
        alcore_records records = ALCORE_RECORDS_INIT;
        int english = 0;
        double sums[2] = {0};
        records.texts = lines;
        records.count = 8;
        records.languages = tagged ? tags : NULL;
        ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
        ck_assert_int_eq(alcore_pool_add_records(pool, &records, NULL), ALCORE_OK);
        alcore_selection *some = select_rows(&s, 2, pool, NULL, 0, NULL, 0);
        for (int i = 0; i < 2; i++) english += alcore_selection_rows(some)[i] >= 4;
        ck_assert_int_eq(english > 0, tagged);
        /* a strategy that may repeat itself for ever keeps the first gains */
        const settings still = {3, 0.5, 0.5, 0, 0, 0.15, 2, "i"};
        alcore_selection *all = select_rows(&still, 8, pool, NULL, 0, NULL, 0);
        for (int i = 0; i < 8; i++)
            sums[alcore_selection_rows(all)[i] >= 4] += alcore_selection_scores(all)[i];
        ck_assert_int_eq(fabs(sums[0] - sums[1]) < 1e-9, tagged);
        alcore_selection_unref(all);
        alcore_selection_unref(some);
        alcore_pool_unref(pool);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("strategy_ngram_cover");
    tcase_add_test(cases, languages_are_level);
    tcase_add_loop_test(cases, picks_are_those_of_the_formula, 0, sizeof trials / sizeof *trials);
    tcase_add_loop_test(cases, bought_rows_are_picks, 0, sizeof trials / sizeof *trials);
    tcase_add_test(cases, texts_of_nothing_new_come_last);
    tcase_add_test(cases, long_texts_have_all_their_ngrams);
    return check_suite_run("strategy/ngram_cover", cases);
}
