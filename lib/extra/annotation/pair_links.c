/* SPDX-License-Identifier: Apache-2.0 */
/* Aligns the pairs of pools in both directions (pair_links.h). */
#include "extra/annotation/pair_links.h"

#include "extra/aligner/aligner_model.h"
#include "extra/annotation/annotation_list.h"

bool alcore__is_pair(const alcore_pool *pool, int64_t row, uint32_t allowed) {
    size_t length;
    const char *reference = alcore_pool_reference(pool, row, &length);
    return (alcore_pool_states(pool)[row] & ~allowed) == 0 && reference &&
           alcore_pool_words(pool, row) > 0 && alcore__count_words(reference, length) > 0;
}

/* ---- the rows of both pools as one list of texts: data of two alcore__text_source ---- */

typedef struct joined_pairs {
    alcore__pool_pairs first, second;
    int64_t first_rows;
} joined_pairs;

/* The pool of a row of the list; *row becomes its row there. NULL: it is no pair. */
static const alcore_pool *pool_of(const joined_pairs *self, int64_t *row) {
    const bool first = *row < self->first_rows;
    const alcore__pool_pairs *pairs = first ? &self->first : &self->second;
    if (!first) *row -= self->first_rows;
    return pairs->is_pair[*row] ? pairs->pool : NULL;
}

static const char *source_text(const void *data, int64_t row, size_t *length) {
    const alcore_pool *pool = pool_of(data, &row);
    *length = 0;
    return pool ? alcore_pool_text(pool, row, length) : "";
}

static const char *target_text(const void *data, int64_t row, size_t *length) {
    const alcore_pool *pool = pool_of(data, &row);
    *length = 0;
    return pool ? alcore_pool_reference(pool, row, length) : "";
}

static int64_t source_words(const void *data, int64_t row) {
    const alcore_pool *pool = pool_of(data, &row);
    return pool ? alcore_pool_words(pool, row) : 0;
}

static int64_t target_words(const void *data, int64_t row) {
    size_t length;
    const char *text = target_text(data, row, &length);
    return alcore__count_words(text, length);
}

/* ---- aligning ---- */

/* The links of one direction. swap: the texts change places, the links keep their orientation. */
static alcore_status align(alcore_ctx *ctx, const alcore__text_source *sources,
                           const alcore__text_source *targets, bool swap, alcore__links *out) {
    alcore__aligner *aligner = NULL;
    ALCORE__TRY(alcore__aligner_train(ctx, swap ? targets : sources, swap ? sources : targets,
                                      NULL /* default options */, &aligner));
    const alcore_status status = alcore__aligner_links(aligner, swap, out);
    alcore__aligner_free(aligner);
    return status;
}

/* Trains and links one direction after the other, so that only one model is in memory at a time. */
alcore_status alcore__pairs_align(alcore_ctx *ctx, alcore__pool_pairs first,
                                  alcore__pool_pairs second, alcore__links *out) {
    const joined_pairs pairs = {first, second, alcore_pool_row_count(first.pool)};
    const int64_t rows = pairs.first_rows + (second.pool ? alcore_pool_row_count(second.pool) : 0);
    const alcore__text_source sources = {&pairs, rows, source_words, source_text};
    const alcore__text_source targets = {&pairs, rows, target_words, target_text};
    alcore__links forward = {0}, reverse = {0};
    alcore_status status = align(ctx, &sources, &targets, false, &forward);
    if (status == ALCORE_OK) status = align(ctx, &sources, &targets, true, &reverse);
    if (status == ALCORE_OK)
        status = alcore__links_symmetrize(ctx, &forward, &reverse,
                                          ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND, out);
    alcore__links_clear(ctx, &forward);
    alcore__links_clear(ctx, &reverse);
    return status;
}
