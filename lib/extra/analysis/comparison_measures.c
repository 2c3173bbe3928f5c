/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured of the selections of a comparison (spec 8.10).
 *
 * The n-grams of the pool are read once and those of each strategy's picks once; the texts of each
 * strategy are then looked up in the pool's, in the test set's and in those of the strategies
 * before it. Time: a look-up for each n-gram of the pool and, with k strategies, k + 3 for each of
 * the picks; memory as that of the overlaps (extra/overlap/ngram_uses.h). */
#include <math.h>

#include "extra/analysis/comparison_internal.h"
#include "extra/analysis/text_measures.h"
#include "extra/overlap/overlap_handle.h"

enum { ORDERS = ALCORE__COMPARED_ORDERS, TEXTS = 8192 /* of the pool, added at a time */ };

/* The overlaps of one comparison, owned but for `test`. */
typedef struct measuring {
    alcore_comparison *made;
    alcore_ctx *ctx;
    const alcore_pool *rows;
    alcore_overlap *pool, *test; /* the test set is NULL where there is none */
    alcore_overlap **own;        /* [count] */
} measuring;

static alcore_status new_overlap(alcore_ctx *ctx, alcore_overlap **out) {
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    options.max_order = ORDERS;
    return alcore_overlap_new(ctx, &options, out);
}

/* ---- the pool ---- */

/* Adds up to TEXTS texts of the pool, from a row on. */
static alcore_status add_rows(const measuring *self, int64_t first, const char **texts,
                              size_t *lengths) {
    const int64_t left = alcore_pool_row_count(self->rows) - first;
    const int64_t count = left < TEXTS ? left : TEXTS;
    for (int64_t i = 0; i < count; i++)
        texts[i] = alcore_pool_text(self->rows, first + i, &lengths[i]);
    return alcore_overlap_add(self->pool, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, texts, lengths,
                              count);
}

static alcore_status read_pool(measuring *self) {
    const char **texts = NULL;
    size_t *lengths = NULL;
    alcore_status status = new_overlap(self->ctx, &self->pool);
    if (status == ALCORE_OK) status = alcore__new_array(self->ctx, TEXTS, sizeof *texts, &texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, TEXTS, sizeof *lengths, &lengths);
    for (int64_t row = 0; row < alcore_pool_row_count(self->rows) && status == ALCORE_OK;
         row += TEXTS)
        status = add_rows(self, row, texts, lengths);
    alcore__free(self->ctx, lengths);
    alcore__free(self->ctx, texts);
    return status;
}

/* ---- one selection ---- */

static alcore_status measure_lengths(alcore_ctx *ctx, alcore__compared *one) {
    const alcore_pool *pool = alcore_selection_pool(one->picked);
    const int64_t *rows = alcore_selection_rows(one->picked);
    int64_t *words = NULL;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)one->items + 1, sizeof *words, &words));
    for (int64_t i = 0; i < one->items; i++) words[i] = alcore_pool_words(pool, rows[i]);
    const alcore_status status = alcore__quartiles(ctx, words, one->items, one->quartile);
    one->mean_words = one->items > 0 ? (double)one->words / (double)one->items : (double)NAN;
    alcore__free(ctx, words);
    return status;
}

static alcore_status measure_near_duplicates(alcore_ctx *ctx, alcore__compared *one) {
    const alcore_pool *pool = alcore_selection_pool(one->picked);
    uint8_t *mask = NULL;
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)alcore_pool_row_count(pool) + 1, sizeof *mask, &mask));
    for (int64_t i = 0; i < one->items; i++) mask[alcore_selection_rows(one->picked)[i]] = 1;
    const alcore_status status =
        alcore__near_duplicates(ctx, pool, mask, one->items, &one->near_duplicates);
    alcore__free(ctx, mask);
    return status;
}

static alcore_status count_languages(alcore_ctx *ctx, alcore__compared *one) {
    const alcore_pool *pool = alcore_selection_pool(one->picked);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)one->items + 1, sizeof *one->languages, &one->languages));
    for (int64_t i = 0; i < one->items; i++)
        one->languages[i] = (alcore__share){
            .name = alcore_pool_language(pool, alcore_selection_rows(one->picked)[i]), .count = 1};
    one->language_count = one->items;
    alcore__shares_count(one->languages, &one->language_count);
    return ALCORE_OK;
}

/* The coverage of each order that the overlap has by the picks; NaN for others. NULL: none. */
static alcore_status measure_reach(alcore_ctx *ctx, const alcore__compared *one,
                                   alcore_overlap *texts, alcore__reach *out) {
    for (int32_t n = 0; n < ORDERS; n++) {
        alcore_coverage_result found = ALCORE_COVERAGE_RESULT_INIT;
        out->types[n] = out->tokens[n] = (double)NAN;
        if (!texts || n >= texts->max_order) continue;
        ALCORE__TRY(alcore__picks_cover(ctx, one->picked, texts, n + 1, n == 0, &found));
        out->types[n] = found.coverage;
        out->tokens[n] = found.token_coverage;
    }
    return ALCORE_OK;
}

/* Reads the n-grams of the picks and how many of them are not the first of their kind. */
static alcore_status measure_own(alcore_ctx *ctx, alcore__compared *one, alcore_overlap **own) {
    ALCORE__TRY(new_overlap(ctx, own));
    ALCORE__TRY(alcore__picks_add(ctx, one->picked, *own, ALCORE_OVERLAP_TEST));
    for (int32_t n = 0; n < ORDERS; n++) {
        alcore_coverage_result found = ALCORE_COVERAGE_RESULT_INIT;
        ALCORE__TRY(alcore_overlap_compute_coverage(*own, n + 1, NULL, &found));
        one->types[n] = found.test_types;
        one->repeated[n] =
            found.test_tokens > 0
                ? 100 * (double)(found.test_tokens - found.test_types) / (double)found.test_tokens
                : (double)NAN;
    }
    return ALCORE_OK;
}

static void count_amounts(alcore__compared *one) {
    const int64_t *kinds = alcore__picks_column(one->picked, "kind"); /* 1 for a phrase */
    one->items = alcore_selection_count(one->picked);
    one->words = one->picked->words;
    one->characters = one->picked->characters;
    one->spent = alcore_selection_spent(one->picked);
    one->amount = alcore_selection_amount(one->picked);
    one->phrases = kinds ? 0 : -1;
    for (int64_t i = 0; kinds && i < one->items; i++) one->phrases += kinds[i];
}

static alcore_status measure_one(measuring *self, int64_t i) {
    alcore__compared *one = &self->made->compared[i];
    count_amounts(one);
    ALCORE__TRY(measure_lengths(self->ctx, one));
    ALCORE__TRY(measure_near_duplicates(self->ctx, one));
    ALCORE__TRY(count_languages(self->ctx, one));
    ALCORE__TRY(measure_own(self->ctx, one, &self->own[i]));
    ALCORE__TRY(measure_reach(self->ctx, one, self->pool, &one->pool));
    return measure_reach(self->ctx, one, self->test, &one->test);
}

/* ---- each two ---- */

/* The words that strategy i shares with each one before it, and on the diagonal all of its own. */
static alcore_status share_words(measuring *self, int64_t i) {
    const int64_t count = self->made->count;
    const alcore__compared *one = &self->made->compared[i];
    int64_t *shared = self->made->shared_words;
    shared[i * count + i] = one->types[0];
    for (int64_t k = 0; k < i; k++) {
        alcore_coverage_result found = ALCORE_COVERAGE_RESULT_INIT;
        ALCORE__TRY(alcore__picks_cover(self->ctx, one->picked, self->own[k], 1, true, &found));
        shared[i * count + k] = shared[k * count + i] = found.shared_types;
    }
    return ALCORE_OK;
}

/* Picks of another pool than that of the request, by a strategy that picks from the target, are
 * picks of no other strategy but such a one. */
static bool are_comparable(const measuring *self, int64_t i, int64_t k) {
    const alcore__compared *compared = self->made->compared;
    const alcore_pool *one = alcore_selection_pool(compared[i].picked);
    const alcore_pool *other = alcore_selection_pool(compared[k].picked);
    const bool outside[2] = {
        one != self->rows && !alcore__picks_column(compared[i].picked, "first_row"),
        other != self->rows && !alcore__picks_column(compared[k].picked, "first_row")};
    return outside[0] == outside[1];
}

static alcore_status share_picks(measuring *self, alcore__pick **sorted) {
    alcore_comparison *made = self->made;
    for (int64_t i = 0; i < made->count; i++) {
        ALCORE__TRY(alcore__picks_sort(self->ctx, made->compared[i].picked, &sorted[i]));
        for (int64_t k = 0; k <= i; k++) {
            const int64_t both = are_comparable(self, i, k)
                                     ? alcore__picks_shared(sorted[i], made->compared[i].items,
                                                            sorted[k], made->compared[k].items)
                                     : 0;
            made->shared_picks[i * made->count + k] = made->shared_picks[k * made->count + i] =
                both;
        }
    }
    return ALCORE_OK;
}

static alcore_status share_all(measuring *self) {
    const size_t count = (size_t)self->made->count;
    alcore__pick **sorted = NULL;
    ALCORE__TRY(alcore__new_array(self->ctx, count * count, sizeof *self->made->shared_picks,
                                  &self->made->shared_picks));
    ALCORE__TRY(alcore__new_array(self->ctx, count * count, sizeof *self->made->shared_words,
                                  &self->made->shared_words));
    for (int64_t i = 0; i < self->made->count; i++) ALCORE__TRY(share_words(self, i));
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof *sorted, &sorted));
    const alcore_status status = share_picks(self, sorted);
    for (size_t i = 0; i < count; i++) alcore__free(self->ctx, sorted[i]);
    alcore__free(self->ctx, sorted);
    return status;
}

/* ---- all ---- */

static alcore_status measure(measuring *self) {
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->made->count, sizeof(void *), &self->own));
    ALCORE__TRY(read_pool(self));
    for (int64_t i = 0; i < self->made->count; i++) ALCORE__TRY(measure_one(self, i));
    ALCORE__TRY(share_all(self));
    return self->test ? alcore__overlap_forget_selected(self->test) : ALCORE_OK;
}

alcore_status alcore__comparison_measure(alcore_comparison *made, const alcore_pool *pool,
                                         alcore_overlap *test) {
    measuring self = {.made = made, .ctx = made->object.ctx, .rows = pool, .test = test};
    const alcore_selection *first = made->compared[0].picked;
    made->unit = alcore_selection_unit(first);
    made->budget = alcore_selection_budget(first);
    made->pool_rows = alcore_pool_row_count(pool);
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore_status status = measure(&self);
    alcore__read_end(pool);
    for (int64_t i = 0; self.own && i < made->count; i++) alcore_overlap_unref(self.own[i]);
    alcore__free(self.ctx, self.own);
    alcore_overlap_unref(self.pool);
    return status;
}
