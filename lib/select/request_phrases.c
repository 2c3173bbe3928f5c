/* SPDX-License-Identifier: Apache-2.0 */
/* The phrases of a request (docs/spec/phrases.md). A strategy that buys phrases reads a pool of
 * phrases. Where the request has a pool of texts, that pool is derived here:
 *
 *   U, whose phrases are counted    rows of the pool that may be selected
 *   L, whose phrases are known      labeled rows of the pool, and all rows of the labeled pool
 *
 * Any other row, such as a duplicate or an excluded one, is in neither. The rows that the request
 * names are rows of the texts, so they have their effect here and say nothing of the phrases.
 * Excluded texts mask phrases (request_masks.c). */
#include <string.h>

#include "phrase/phrase_table.h"
#include "select/select_internal.h"

/* The column "occurrences" marks a pool of phrases that a caller made by hand. */
alcore_status alcore__candidates_are_phrases(const alcore_request *request, bool *out) {
    alcore_pool *pool = request->candidates;
    *out = false;
    if (!pool) return ALCORE_OK;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    *out = alcore__is_phrase_pool(pool) || alcore__pool_find_column(pool, "occurrences");
    alcore__read_end(pool);
    return ALCORE_OK;
}

/* Derives the phrases of U and L by the masks of the pool of texts: *out, owned by the caller. use
 * [rows]: workspace, in which each row gets U (UNLABELED), L (LABELED) or neither (ABSENT).
 * options: which phrases are listed; by_place: they are ordered by first occurrence, not by
 * frequency. */
static alcore_status derive(const alcore_request *request, const alcore__masks *masks,
                            const alcore_phrase_options *options, bool by_place, uint8_t *use,
                            alcore_pool **out) {
    for (int64_t row = 0; row < masks->rows; row++)
        use[row] = masks->candidate_mask[row] ? ALCORE__PHRASE_UNLABELED
                   : masks->labeled_rows[row] ? ALCORE__PHRASE_LABELED
                                              : ALCORE__PHRASE_ABSENT;
    return alcore__derive_phrases(request->candidates, request->labeled, use, options, by_place,
                                  request->counter, out);
}

/* What the request kept in earlier calls is freed where keep_phrases was turned off since. */
alcore__phrase_counter *alcore__request_share_phrases(alcore_request *request,
                                                      alcore__phrase_counter *own) {
    alcore__phrase_counter *const before = request->counter;
    const bool keeps = request->options.keep_phrases;
    if (!keeps) alcore__phrase_counter_clear(request->object.ctx, &request->kept);
    if (!before) request->counter = keeps ? &request->kept : own;
    return before;
}

alcore_status alcore__request_phrases(const alcore_request *request,
                                      const alcore_strategy *strategy, alcore__text_rows *texts,
                                      alcore_pool **out) {
    alcore_ctx *ctx = request->object.ctx;
    alcore_phrase_options options;
    alcore__masks masks;
    uint8_t *use = NULL;
    bool by_place;
    *out = NULL;
    if (!alcore__strategy_buys_phrases(strategy, &options, &by_place)) return ALCORE_OK;
    /* The masks are made without the labeled pool, so that a row whose text is labeled stays in U,
     * as the definition demands; that its phrases are known follows from L. They are made without
     * the excluded texts too: these mask the phrases with the same text, not the rows. */
    alcore_request alone = *request;
    alone.labeled = alone.excluded = alone.excluded_phrases = NULL;
    ALCORE__TRY(alcore__masks_new(&alone, NULL /* no target */,
                                  alcore__strategy_is_recommended(strategy), false,
                                  NULL /* no shard */, &masks));
    alcore_status status = alcore__new_array(ctx, (size_t)masks.rows, sizeof *use, &use);
    if (status == ALCORE_OK) status = derive(request, &masks, &options, by_place, use, out);
    texts->rows = masks.rows;
    memcpy(texts->by_cause, masks.by_cause, sizeof texts->by_cause);
    alcore__free(ctx, use);
    alcore__masks_clear(ctx, &masks);
    return status;
}
