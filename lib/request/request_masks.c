/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows a request may select. A row is masked by its states in the pool, by a text that the
 * labeled pool or the excluded texts hold too, or that a labeled one nearly is (fuzzy_match), by
 * the request's own lists of rows, and by its option "masks" (text_masks.c); it counts once, for
 * the first cause that holds, in the order of the table below. One pass over the rows of each
 * pool.
 *
 * The state of a row is a set of bits ALCORE_ROW_*, one for each cause; 0: no cause masks the row.
 * alcore_pool_states() is the array of those that the pool itself has. */
#include <math.h>
#include <string.h>

#include "pool/fuzzy_rows.h"
#include "pool/pool_internal.h"
#include "request/request_internal.h"
#include "request/text_masks.h"

/* The causes by ALCORE__CAUSE_*, in the order in which they are tried: the bit of a row's state, in
 * the pool or by the request, and the word for it. */
static const struct {
    uint32_t state; /* ALCORE_ROW_* */
    const char *name;
} causes[ALCORE__CAUSES] = {
    [ALCORE__CAUSE_MALFORMED] = {ALCORE_ROW_MALFORMED, "malformed"},
    [ALCORE__CAUSE_EMPTY] = {ALCORE_ROW_EMPTY, "empty"},
    [ALCORE__CAUSE_DUPLICATE] = {ALCORE_ROW_DUPLICATE, "duplicate"},
    [ALCORE__CAUSE_LABELED] = {ALCORE_ROW_LABELED, "labeled"},
    [ALCORE__CAUSE_KNOWN] = {ALCORE_ROW_KNOWN, "known"},
    [ALCORE__CAUSE_EXCLUDED] = {ALCORE_ROW_EXCLUDED, "excluded"},
    [ALCORE__CAUSE_FILTERED] = {ALCORE_ROW_FILTERED, "filtered"},
    [ALCORE__CAUSE_INELIGIBLE] = {ALCORE_ROW_INELIGIBLE, "ineligible"},
    [ALCORE__CAUSE_MISSING] = {ALCORE_ROW_MISSING, "missing"},
    [ALCORE__CAUSE_NAN] = {ALCORE_ROW_NAN, "nan"},
    /* text_masks.c counts these, which no state tells. */
    [ALCORE__CAUSE_WORDLESS] = {0, "wordless"},
    [ALCORE__CAUSE_LANGUAGE] = {0, "language"},
    [ALCORE__CAUSE_LENGTH] = {0, "length"},
    [ALCORE__CAUSE_TEMPLATE] = {0, "template"},
    [ALCORE__CAUSE_NEAR] = {0, "near"},
};

const char *alcore__cause_name(int32_t cause) {
    return causes[cause].name;
}

/* Counts a masked row for the first cause of the table that its states contain. state: bits
 * ALCORE_ROW_*, one or more. */
static void count_cause(alcore__masks *masks, uint32_t state) {
    for (int32_t i = 0; i < ALCORE__CAUSES; i++) {
        if ((state & causes[i].state) == 0) continue;
        masks->by_cause[i]++;
        return;
    }
}

/* Sets `bit` (an ALCORE_ROW_*) in extra[row] for every row of a list, or with `others` for every
 * row that is not in the list: the bit, 0 in all rows before, is then set in all of them and
 * cleared in those of the list. A list that was not given changes nothing. extra [rows]: states
 * that the request adds to those of the pool; what: the name of the list in messages. This is
 * where row numbers are checked. */
static alcore_status add_list(const alcore__row_list *list, uint32_t bit, bool others,
                              const char *what, int64_t rows, uint32_t *extra) {
    if (!list->given) return ALCORE_OK;
    for (int64_t row = 0; others && row < rows; row++) extra[row] ^= bit;
    for (int64_t i = 0; i < list->count; i++) {
        int64_t row = list->rows[i];
        if (row < 0 || row >= rows)
            return alcore__fail(ALCORE_E_NOT_FOUND, "%s: there is no row %lld, the pool has %lld",
                                what, (long long)row, (long long)rows);
        extra[row] = others ? extra[row] & ~bit : extra[row] | bit;
    }
    return ALCORE_OK;
}

/* Sets ALCORE_ROW_EXCLUDED in extra [rows] for the rows of the candidates' pool whose text a pool
 * of excluded texts has. excluded NULL: there is none. alcore__pool_match_texts() sets found[row]
 * to 1 or 0 for every row. */
static alcore_status add_texts(const alcore_request *request, const alcore_pool *excluded,
                               int64_t rows, uint32_t *extra) {
    alcore_ctx *ctx = request->object.ctx;
    uint8_t *found = NULL; /* [rows] 1: `excluded` has the text */
    if (!excluded) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *found, &found));
    alcore_status status = alcore__pool_match_texts(request->candidates, excluded, found);
    for (int64_t row = 0; status == ALCORE_OK && row < rows; row++)
        if (found[row]) extra[row] |= ALCORE_ROW_EXCLUDED;
    alcore__free(ctx, found);
    return status;
}

/* Makes the states that the request's own lists of rows, its excluded texts and the texts of other
 * shards add to those of the pool: *out [rows], bits ALCORE_ROW_*; NULL when there is none of
 * these. repeated [rows]: 1 where a shard before this one has the text; may be NULL. The caller
 * frees *out, also after a failure. */
static alcore_status extra_states(const alcore_request *request, const uint8_t *repeated,
                                  int64_t rows, uint32_t **out) {
    const alcore__row_list *lists = request->lists;
    *out = NULL;
    if (!lists[ALCORE__LIST(ELIGIBLE)].given && !lists[ALCORE__LIST(EXCLUDED)].given &&
        !lists[ALCORE__LIST(LABELED)].given && !request->excluded && !request->excluded_phrases &&
        !repeated)
        return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(request->object.ctx, (size_t)rows, sizeof **out, out));
    for (int64_t row = 0; repeated && row < rows; row++)
        if (repeated[row]) (*out)[row] |= ALCORE_ROW_DUPLICATE;
    ALCORE__TRY(add_texts(request, request->excluded, rows, *out));
    ALCORE__TRY(add_texts(request, request->excluded_phrases, rows, *out));
    bool others = true; /* rows that are not in the list of eligible ones */
    ALCORE__TRY(add_list(&lists[ALCORE__LIST(ELIGIBLE)], ALCORE_ROW_INELIGIBLE, others,
                         "eligible rows", rows, *out));
    others = false;
    ALCORE__TRY(add_list(&lists[ALCORE__LIST(EXCLUDED)], ALCORE_ROW_EXCLUDED, others,
                         "excluded rows", rows, *out));
    return add_list(&lists[ALCORE__LIST(LABELED)], ALCORE_ROW_LABELED, others, "labeled rows", rows,
                    *out);
}

/* Fills the masks of the candidates and their counts, all of which are 0 before the call: a row
 * without any state may be selected, others count for their first cause. known: [rows] 1 where the
 * labeled pool holds the text; extra: [rows] states that the request adds; both may be NULL. */
static alcore_status mask_rows(alcore_ctx *ctx, const alcore_pool *pool, const uint8_t *known,
                               const uint32_t *extra, alcore__masks *masks) {
    const uint32_t *states = alcore_pool_states(pool);
    for (int64_t i = 0; i < masks->rows; i++) {
        if (i % ALCORE_BLOCK_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, "masks", i, masks->rows));
        uint32_t state = states[i] | (extra ? extra[i] : 0);
        if (known && known[i]) state |= ALCORE_ROW_KNOWN;
        masks->candidate_mask[i] = state == 0;
        masks->eligible += state == 0;
        if (state != 0) count_cause(masks, state);
        /* A labeled row takes part as such unless something else masks it too; that the labeled
         * pool has its text as well does no harm. */
        if ((state & ~(uint32_t)ALCORE_ROW_KNOWN) == ALCORE_ROW_LABELED) {
            masks->labeled_rows[i] = 1;
            masks->labeled_count++;
        }
    }
    return ALCORE_OK;
}

/* Fills the mask of the rows that were bought, all 0 before the call: the labeled rows, and those
 * of the request's list of excluded rows, which names what earlier rounds bought. A row that
 * another cause masks is none of them, and of those that are known the labeled pool has the text.
 * Rows that the pool has as excluded, and excluded texts, are merely not wanted. */
static void mark_bought(const alcore_request *request, const uint8_t *known, const uint32_t *extra,
                        alcore__masks *masks) {
    const alcore__row_list *excluded = &request->lists[ALCORE__LIST(EXCLUDED)];
    const uint32_t *states = alcore_pool_states(request->candidates);
    const uint32_t others = ~(uint32_t)(ALCORE_ROW_LABELED | ALCORE_ROW_EXCLUDED);
    if (masks->rows > 0) memcpy(masks->bought_rows, masks->labeled_rows, (size_t)masks->rows);
    masks->bought_count = masks->labeled_count;
    for (int64_t i = 0; i < excluded->count; i++) {
        const int64_t row = excluded->rows[i];
        if (((states[row] | extra[row]) & others) != 0 || (known && known[row])) continue;
        masks->bought_count += !masks->bought_rows[row];
        masks->bought_rows[row] = 1;
    }
}

/* Makes *mask [*rows] of the labeled or the target pool, 1 for the rows that are read; *rows
 * becomes the number of rows of the pool, and the number of those that are read is added to *count.
 * A row takes part there unless a state other than its label masks it. */
static alcore_status mask_other_pool(alcore_ctx *ctx, const alcore_pool *pool, uint8_t **mask,
                                     int64_t *rows, int64_t *count) {
    *rows = alcore_pool_row_count(pool);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)*rows, 1, mask));
    const uint32_t *states = alcore_pool_states(pool);
    for (int64_t i = 0; i < *rows; i++) {
        (*mask)[i] = (states[i] & ~(uint32_t)ALCORE_ROW_LABELED) == 0;
        *count += (*mask)[i];
    }
    return ALCORE_OK;
}

alcore_status alcore__list_languages(alcore_ctx *ctx, const alcore_pool *pool, int32_t **out) {
    int64_t rows = alcore_pool_row_count(pool);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof **out, out));
    for (int64_t row = 0; row < rows; row++)
        (*out)[row] = (int32_t)alcore__pool_language_rank(pool, row);
    return ALCORE_OK;
}

/* Makes the masks of the target pool: target_mask [rows of the target], and target_languages [rows
 * of the target], the language of each row as an index into the target's tags in byte order. */
static alcore_status mask_target(alcore_ctx *ctx, const alcore_pool *target, alcore__masks *masks) {
    ALCORE__TRY(mask_other_pool(ctx, target, &masks->target_mask, &masks->target_rows,
                                &masks->target_count));
    return alcore__list_languages(ctx, target, &masks->target_languages);
}

/* Adds to known [rows] the rows that a text of the labeled pool matches by the option fuzzy_match
 * or more. */
static alcore_status match_memory(const alcore_request *request, const alcore__masks *masks,
                                  uint8_t *known) {
    alcore_ctx *ctx = request->object.ctx;
    const double least = request->options.fuzzy_match;
    double *matches;
    if (isnan(least)) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)masks->rows, sizeof *matches, &matches));
    const alcore_status status =
        alcore__pool_fuzzy_matches(ctx, request->candidates, NULL, request->labeled,
                                   masks->labeled_mask, least, least, matches);
    for (int64_t row = 0; status == ALCORE_OK && row < masks->rows; row++)
        known[row] |= matches[row] >= least;
    alcore__free(ctx, matches);
    return status;
}

/* Masks the rows of a shard that the option masks leaves out, as the job has found from the texts
 * of all shards: left_out [rows] is 1 there; NULL: none is. */
static void leave_out(const uint8_t *left_out, alcore__masks *masks) {
    for (int64_t row = 0; left_out && row < masks->rows; row++) {
        if (!left_out[row] || !masks->candidate_mask[row]) continue;
        masks->candidate_mask[row] = 0;
        masks->eligible--;
    }
}

/* Makes the masks of all pools. *known and *extra, [rows of the candidates' pool], are NULL before
 * the call; they are temporary and freed by the caller, also after a failure. *known is 1 where
 * the labeled pool has the text, or one that matches it, NULL without a labeled pool. target: as
 * in alcore__masks_new(), which frees *out on failure. The rows of the candidates come last,
 * as they need both. */
static alcore_status build(const alcore_request *request, const alcore_pool *target,
                           bool recommended, bool keeps_tokens, const alcore__shard_rows *shard,
                           uint8_t **known, uint32_t **extra, alcore__masks *out) {
    alcore_ctx *ctx = request->object.ctx;
    size_t rows = (size_t)out->rows;
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof *out->candidate_mask, &out->candidate_mask));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof *out->labeled_rows, &out->labeled_rows));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof *out->bought_rows, &out->bought_rows));
    if (request->labeled) {
        ALCORE__TRY(alcore__new_array(ctx, rows, 1, known));
        ALCORE__TRY(alcore__pool_match_texts(request->candidates, request->labeled, *known));
        ALCORE__TRY(mask_other_pool(ctx, request->labeled, &out->labeled_mask,
                                    &out->labeled_pool_rows, &out->labeled_pool_count));
        ALCORE__TRY(match_memory(request, out, *known));
    }
    if (target) ALCORE__TRY(mask_target(ctx, target, out));
    ALCORE__TRY(extra_states(request, shard ? shard->repeated : NULL, out->rows, extra));
    ALCORE__TRY(mask_rows(ctx, request->candidates, *known, *extra, out));
    mark_bought(request, *known, *extra, out);
    if (shard) {
        leave_out(shard->left_out, out);
        return ALCORE_OK;
    }
    return alcore__text_masks_apply(request, recommended, keeps_tokens, out);
}

alcore_status alcore__masks_new(const alcore_request *request, const alcore_pool *target,
                                bool recommended, bool keeps_tokens,
                                const alcore__shard_rows *shard, alcore__masks *out) {
    alcore_ctx *ctx = request->object.ctx;
    *out = (alcore__masks){.rows = alcore_pool_row_count(request->candidates)};
    uint8_t *known = NULL;
    uint32_t *extra = NULL;
    alcore_status status =
        build(request, target, recommended, keeps_tokens, shard, &known, &extra, out);
    alcore__free(ctx, known);
    alcore__free(ctx, extra);
    if (status != ALCORE_OK) alcore__masks_clear(ctx, out);
    return status;
}

void alcore__masks_clear(alcore_ctx *ctx, alcore__masks *masks) {
    alcore__free(ctx, masks->candidate_mask);
    alcore__free(ctx, masks->labeled_rows);
    alcore__free(ctx, masks->bought_rows);
    alcore__free(ctx, masks->labeled_mask);
    alcore__free(ctx, masks->target_mask);
    alcore__free(ctx, masks->target_languages);
    alcore__kept_tokens_clear(ctx, &masks->candidate_tokens);
    alcore__kept_tokens_clear(ctx, &masks->labeled_tokens);
    *masks = (alcore__masks){0};
}
