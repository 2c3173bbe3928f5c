/* SPDX-License-Identifier: Apache-2.0 */
/* Counting the texts that a model cuts, so that nobody has to find out by wrong results that it
 * read the beginning of a text only. Texts are counted by their tokens, whether the values were
 * computed or taken from a cache; those with so few bytes that they fit are not encoded. */
#include "model/model_engine.h"

/* Lists the texts that have as many tokens as they may have, which others may lie behind, and
 * encodes them once more, without the limit. *full is empty before; its arrays are the caller's. */
static alcore_status encode_full(const alcore__engine_model *data, alcore_ctx *ctx,
                                 const alcore__texts *read, const alcore__encoding *how,
                                 const alcore__tokens *cut, alcore__engine_texts *full) {
    alcore__encoding unlimited = *how;
    alcore__texts texts = {.count = 0};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)read->count, sizeof *full->views, &full->views));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)read->count, sizeof *full->lengths, &full->lengths));
    for (int64_t i = 0; i < read->count; i++) {
        if (cut->offsets[i + 1] - cut->offsets[i] < how->max_tokens) continue;
        full->views[texts.count] = read->texts[i];
        full->lengths[texts.count++] = read->lengths[i];
    }
    unlimited.max_tokens = 0;
    texts.texts = full->views;
    texts.lengths = full->lengths;
    return alcore__tokenizer_encode(data->tokenizer, &texts, NULL /* no pairs */, &unlimited,
                                    &full->tokens);
}

alcore_status alcore__engine_count_full(const alcore__engine_model *data, alcore_ctx *ctx,
                                        const alcore__texts *read, const alcore__encoding *how,
                                        alcore__engine_texts *out) {
    alcore__engine_texts full = {0};
    if (how->max_tokens == 0 || how->max_tokens == INT64_MAX) return ALCORE_OK;
    const alcore_status status = encode_full(data, ctx, read, how, &out->tokens, &full);
    const int64_t *offsets = full.tokens.offsets;
    for (int64_t i = 0; status == ALCORE_OK && i < full.tokens.count; i++)
        out->cut += offsets[i + 1] - offsets[i] > how->max_tokens;
    alcore__engine_texts_clear(ctx, &full);
    return status;
}

/* Encodes texts without a limit and counts those that have more tokens than it. */
static alcore_status count_long(const alcore__engine_model *data, alcore_ctx *ctx,
                                const alcore__texts *texts, bool in_turns, int64_t limit,
                                int64_t *out) {
    const alcore__encoding how = {.without_special = data->is_static || in_turns};
    alcore__tokens tokens = {0};
    const alcore_status status =
        alcore__tokenizer_encode(data->tokenizer, texts, NULL /* no pairs */, &how, &tokens);
    for (int64_t i = 0; status == ALCORE_OK && i < texts->count; i++)
        *out +=
            tokens.offsets[i + 1] - tokens.offsets[i] > limit ||
            (data->most_points > 0 && alcore__engine_points(texts->texts[i], texts->lengths[i],
                                                            data->most_points) < texts->lengths[i]);
    alcore__tokens_clear(ctx, &tokens);
    return status;
}

/* Counts in a batch. A token has a byte of the text at least, but for a few characters that are
 * written as several: texts of less than half as many bytes as tokens are allowed always fit. */
static alcore_status count_batch(const alcore_model *model, alcore__text_role role,
                                 alcore__model_batch *batch, int64_t *out) {
    const alcore__engine_model *data = model->data;
    const alcore__name *prompt = alcore__engine_prompt(data, role == ALCORE__TEXT_EMBEDDED);
    alcore_ctx *ctx = model->object.ctx;
    const int64_t limit = alcore__engine_limit(data, role);
    const size_t before = prompt ? prompt->length : 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < batch->count; i++) {
        if (!data->in_turns && (before + batch->lengths[i]) * 2 < (uint64_t)limit) continue;
        batch->texts[kept] = batch->texts[i];
        batch->languages[kept] = batch->languages[i];
        batch->lengths[kept++] = batch->lengths[i];
    }
    alcore__texts texts = {batch->texts, batch->lengths, kept};
    alcore__engine_texts joined = {0};
    if (kept == 0) return ALCORE_OK;
    alcore_status status = ALCORE_OK;
    if (prompt) {
        status = data->is_template ? alcore__template_fill(model, &texts, batch->languages, &joined)
                                   : alcore__engine_join_prompt(ctx, prompt, &texts, &joined);
        texts = (alcore__texts){joined.views, joined.lengths, kept};
    }
    if (status == ALCORE_OK)
        status = count_long(data, ctx, &texts, prompt && data->in_turns, limit, out);
    alcore__engine_texts_clear(ctx, &joined);
    return status;
}

alcore_status alcore__engine_count_cut(const alcore_model *model, const alcore_pool *pool,
                                       const char *column, const alcore__wanted *wanted,
                                       alcore__text_role role, int64_t *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore__model_batch batch = {0};
    const int64_t rows = alcore_pool_row_count(pool), limit = alcore__engine_limit(data, role);
    *out = 0;
    if (!data->tokenizer || limit == 0 || limit == INT64_MAX) return ALCORE_OK;
    alcore_status status = alcore__model_batch_init(ctx, ALCORE__ENGINE_ROWS, &batch);
    for (int64_t row = 0; status == ALCORE_OK && row < rows;) {
        alcore__model_batch_fill(pool, column, wanted, &row, &batch);
        status = alcore__tick(ctx, "counting cut texts", row, rows);
        if (status == ALCORE_OK) status = count_batch(model, role, &batch, out);
    }
    alcore__model_batch_clear(ctx, &batch);
    return status;
}
