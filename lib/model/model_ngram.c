/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in n-gram model: token log-probabilities by a Kneser-Ney language model (spec 6.5), and
 * embeddings by character n-grams (ngram_embedding.c). With a labeled pool it trains on that;
 * without, the log-probabilities of the pool are cross-fitted: ALCORE__LM_FOLDS (5) models, each
 * row scored by the one that was not trained on its fold; a fold is a fifth of the rows, by a hash
 * of their texts, so that equal texts are in one fold. Logarithms are natural. Training happens
 * when a column is first made, and again when the texts it trained on have changed. Cost: one pass
 * over the texts to train, one to score. */
#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "model/lm_column.h"
#include "model/ngram_model.h"
#include "text/lm_trainer.h"

/* *out: a language model of the texts of the labeled pool, a reference that the caller owns. Rows
 * with a state other than ALCORE_ROW_LABELED are left out. The caller holds its read lock. */
static alcore_status train_on_labeled(alcore__ngram_data *ngram, alcore_ctx *ctx, alcore_lm **out) {
    alcore_pool *pool = ngram->labeled;
    const uint32_t *states = alcore_pool_states(pool);
    int64_t rows = alcore_pool_row_count(pool);
    alcore__lm_trainer *trainer;
    ALCORE__TRY(alcore__lm_trainer_new(ctx, ngram->order, 1 /* fold */, rows, &trainer));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; status == ALCORE_OK && i < rows; i++) {
        if ((states[i] & ~(uint32_t)ALCORE_ROW_LABELED) != 0) continue;
        size_t length;
        const char *text = alcore_pool_text(pool, i, &length);
        status = alcore__lm_trainer_add(trainer, text, length);
    }
    if (status == ALCORE_OK)
        status = alcore__lm_trainer_model(trainer, -1 /* no fold is left out */, out);
    alcore__lm_trainer_free(trainer);
    return status;
}

/* Scores each entry of the column by a model of the other four folds, so that no row is scored by a
 * model that was trained on its text. All unmasked rows (state 0) are trained on, also those that
 * are not wanted: what a request leaves out changes no score of the others. One trainer counts all
 * texts by fold, and makes the models one after the other; the model that leaves out a fold scores
 * the rows of that fold. self: the column, whose arrays alcore__lm_column_begin() made; self->lm is
 * borrowed for one fold. */
static alcore_status cross_fit(const alcore__ngram_data *ngram, alcore__lm_column *self) {
    const alcore_pool *source = alcore__ngram_source(ngram, self->pool);
    const uint32_t *states = alcore_pool_states(source);
    int64_t rows = alcore_pool_row_count(source);
    alcore__lm_trainer *trainer;
    /* Of a shard that has no row to score, in which texts of others may all be labeled. */
    if (self->entries == 0 && source != self->pool) return ALCORE_OK;
    ALCORE__TRY(alcore__lm_trainer_new(self->ctx, ngram->order, ALCORE__LM_FOLDS, rows, &trainer));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; status == ALCORE_OK && i < rows; i++) {
        if (states[i] != 0) continue;
        size_t length;
        const char *text = alcore_pool_text(source, i, &length);
        status = alcore__lm_trainer_add(trainer, text, length);
    }
    for (self->fold = 0; status == ALCORE_OK && self->fold < ALCORE__LM_FOLDS; self->fold++) {
        alcore_lm *lm = NULL;
        status = alcore__lm_trainer_model(trainer, self->fold, &lm);
        self->lm = lm;
        if (status == ALCORE_OK) status = alcore__lm_column_rows(self);
        alcore__object_unref(lm);
    }
    alcore__lm_trainer_free(trainer);
    return status;
}

/* Fills self->values, unless these wait: cross-fitted, or by the model of the labeled pool, which
 * is trained again when that pool has changed. The pool of self is locked for reading, the model
 * handle for writing, so that ngram may be changed. A training that failed leaves ngram->lm NULL:
 * the next call trains. */
static alcore_status fill_logprobs(alcore__ngram_data *ngram, alcore__lm_column *self) {
    if (!ngram->labeled) return cross_fit(ngram, self);
    ALCORE__TRY(alcore__read_begin(ngram->labeled, "labeled pool"));
    uint64_t state = alcore__ngram_state(ngram->labeled);
    alcore_status status = ALCORE_OK;
    if (!ngram->lm || ngram->lm_texts != state) {
        alcore__object_unref(ngram->lm);
        ngram->lm = NULL;
        status = train_on_labeled(ngram, self->ctx, &ngram->lm);
        ngram->lm_texts = state;
    }
    alcore__read_end(ngram->labeled);
    if (status != ALCORE_OK) return status;
    self->lm = ngram->lm;
    self->fold = -1;
    return self->waits ? ALCORE_OK : alcore__lm_column_rows(self);
}

/* Makes the column "logprobs" of the pool and gives it to the pool, which is locked for reading
 * while rows are scored and no longer when the column is set. */
static alcore_status run_logprobs(alcore__ngram_data *ngram, alcore_ctx *ctx, alcore_pool *pool,
                                  const alcore__wanted *wanted) {
    alcore__lm_column self = {
        .ctx = ctx, .pool = pool, .wanted = wanted, .may_wait = ngram->labeled};
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__lm_column_begin(&self);
    if (status == ALCORE_OK) status = fill_logprobs(ngram, &self);
    alcore__read_end(pool);
    return alcore__lm_column_finish(&self, status);
}

/* alcore__model_table.can. */
static bool can(const alcore_model *model, const char *column) {
    (void)model;
    return strcmp(column, "logprobs") == 0 || strcmp(column, "embeddings") == 0;
}

/* alcore__model_table.run, for the two columns that can() confirms. Embeddings depend on the text
 * alone and are made for every row, masked or not, so that the column never lacks one. */
static alcore_status run(alcore_model *model, alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted) {
    alcore__ngram_data *ngram = model->data;
    if (strcmp(column, "logprobs") == 0)
        return run_logprobs(ngram, model->object.ctx, pool, wanted);
    return alcore__ngram_embed(ngram, model->object.ctx, pool);
}

/* alcore__model_table.describe: what the model learns from, and its state, so that a column of
 * other texts or settings is not used again. */
static alcore_status describe(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out) {
    const alcore__ngram_data *ngram = model->data;
    alcore_ctx *ctx = model->object.ctx;
    bool lm = strcmp(column, "logprobs") == 0;
    const alcore_pool *source = alcore__ngram_source(ngram, pool);
    const char *training = ngram->labeled ? "trained on the labeled side"
                           : lm           ? "cross-fitted in five folds of the pool"
                                          : "weighted on the pool";
    if (ngram->labeled) ALCORE__TRY(alcore__read_begin(ngram->labeled, "labeled pool"));
    uint64_t state = alcore__ngram_state(source);
    if (ngram->labeled) alcore__read_end(ngram->labeled);
    if (lm)
        return alcore__buffer_format(ctx, out, " order %d, %s; texts %016" PRIx64, ngram->order,
                                     training, state);
    return alcore__buffer_format(
        ctx, out, " character n-grams in %d dimensions, %s; seed %" PRIu64 ", texts %016" PRIx64,
        ngram->dims, training, ngram->seed, state);
}

/* Releases what ngram refers to; what was not made yet is NULL. */
static void ngram_free(alcore_ctx *ctx, alcore__ngram_data *ngram) {
    alcore_pool_unref(ngram->labeled);
    alcore_pool_unref(ngram->shard);
    alcore_pool_unref(ngram->texts);
    alcore__object_unref(ngram->lm);
    alcore__object_unref(ngram->embedder);
    alcore__free(ctx, ngram);
}

static void release(alcore_model *model) {
    ngram_free(model->object.ctx, model->data);
}

/* alcore__model_table.cacheable: embeddings take no longer to make than to read. */
static bool cacheable(const alcore_model *model, const char *column) {
    (void)model;
    return strcmp(column, "embeddings") != 0;
}

/* alcore__model_table.is_per_word */
static bool is_per_word(const alcore_model *model, const char *column) {
    (void)model;
    return strcmp(column, "logprobs") == 0;
}

static const alcore__model_table table = {.engine = "cpu",
                                          .can = can,
                                          .run = run,
                                          .cacheable = cacheable,
                                          .describe = describe,
                                          .is_per_word = is_per_word,
                                          .release = release};

/* Makes the handle of a model with these settings and pools, of which it takes references. */
static alcore_status make(alcore_ctx *ctx, const alcore__ngram_data *settings, alcore_model **out) {
    alcore__ngram_data *ngram;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *ngram, &ngram));
    *ngram = *settings;
    alcore_pool_ref(ngram->labeled);
    alcore_pool_ref(ngram->shard);
    alcore_pool_ref(ngram->texts);
    alcore_status status = alcore__model_new(
        ctx, &table, "ngram", true /* named: describe() adds the rest */, ngram, out);
    if (status != ALCORE_OK) ngram_free(ctx, ngram);
    return status;
}

bool alcore__model_is_ngram(const alcore_model *model, const alcore_pool **labeled) {
    const bool is = model && model->table == &table;
    *labeled = is ? ((const alcore__ngram_data *)model->data)->labeled : NULL;
    return is;
}

alcore_status alcore__ngram_over(const alcore_model *model, alcore_pool *shard, alcore_pool *texts,
                                 alcore_model **out) {
    const alcore__ngram_data *like = model->data;
    const alcore__ngram_data ngram = {.shard = shard,
                                      .texts = texts,
                                      .order = like->order,
                                      .dims = like->dims,
                                      .seed = like->seed};
    return make(model->object.ctx, &ngram, out);
}

/* Reads the options by their size, 0 meaning the default of each (seed: 0 is a seed), and makes the
 * handle, with a reference to the labeled pool; nothing is trained yet. labeled NULL: the model
 * learns from the pool that it is run on. */
static alcore_status new_ngram(alcore_ctx *ctx, alcore_pool *labeled,
                               const alcore_ngram_options *caller_options, alcore_model **out) {
    alcore_ngram_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_ngram_options, reserved),
                                    caller_options, "alcore_ngram_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_ngram_options"));
    if (options.order < 0 || options.order > ALCORE__LM_ORDERS)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_ngram_options: order is %d; 1 to %d are allowed", options.order,
                            ALCORE__LM_ORDERS);
    if (options.dims < 0 || options.dims > ALCORE__CHAR_MAX_DIMS)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_ngram_options: dims is %lld; 1 to %d are allowed",
                            (long long)options.dims, ALCORE__CHAR_MAX_DIMS);
    const alcore__ngram_data ngram = {
        .labeled = labeled,
        .order = options.order == 0 ? ALCORE__LM_DEFAULT_ORDER : options.order,
        .dims = options.dims == 0 ? ALCORE__CHAR_DEFAULT_DIMS : (int32_t)options.dims,
        .seed = options.seed};
    return make(ctx, &ngram, out);
}

alcore_status alcore_model_new_ngram(alcore_ctx *ctx, alcore_pool *labeled,
                                     const alcore_ngram_options *options, alcore_model **out) {
    if (out) *out = NULL;
    if (!ctx || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_new_ngram: ctx and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, new_ngram(ctx, labeled, options, out));
}
