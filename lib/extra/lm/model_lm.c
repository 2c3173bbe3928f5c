/* SPDX-License-Identifier: Apache-2.0 */
/* A language model that the caller trained or read (alcore_lm) as a model of the column "logprobs".
 * A language model never changes, so its fingerprint in the origin of a column tells whether it
 * made it. */
#include "alcore/extra/lm.h"

#include <inttypes.h>
#include <string.h>

#include "model/lm_column.h"

/* alcore__model_table.can. */
static bool can(const alcore_model *model, const char *column) {
    (void)model;
    return strcmp(column, "logprobs") == 0;
}

/* alcore__model_table.run: scores the wanted unmasked rows with the one language model (fold -1:
 * whatever fold of cross-fitting their texts are in) into the arrays of the column, which
 * lm_column.c makes and gives to the pool. Called with no lock of the pool held. */
static alcore_status run(alcore_model *model, alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted) {
    (void)column;
    alcore__lm_column self = {
        .ctx = model->object.ctx, .pool = pool, .wanted = wanted, .lm = model->data, .fold = -1};
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__lm_column_begin(&self);
    if (status == ALCORE_OK) status = alcore__lm_column_rows(&self);
    alcore__read_end(pool);
    return alcore__lm_column_finish(&self, status);
}

/* alcore__model_table.describe: appends order and fingerprint of the language model. */
static alcore_status describe(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out) {
    (void)column;
    return alcore__buffer_format(alcore__pool_ctx(pool), out, " order %d, fingerprint %016" PRIx64,
                                 alcore_lm_order(model->data), alcore_lm_fingerprint(model->data));
}

/* alcore__model_table.release: model->data is a reference to the language model. */
static void release(alcore_model *model) {
    alcore_lm_unref(model->data);
}

/* alcore__model_table.cacheable: the fingerprint is part of the origin. */
static bool cacheable(const alcore_model *model, const char *column) {
    (void)model;
    (void)column;
    return true;
}

static const alcore__model_table table = {.engine = "cpu",
                                          .can = can,
                                          .run = run,
                                          .cacheable = cacheable,
                                          .describe = describe,
                                          .release = release};

/* Makes the handle, with a reference to lm of its own. It is `named`: "lm" with the fingerprint
 * that describe() adds identifies it, so that columns it made may be used again. */
static alcore_status new_lm(alcore_ctx *ctx, alcore_lm *lm, alcore_model **out) {
    alcore_status status = alcore__model_new(ctx, &table, "lm", true, lm, out);
    if (status == ALCORE_OK) alcore_lm_ref(lm);
    return status;
}

alcore_status alcore_model_new_lm(alcore_ctx *ctx, alcore_lm *lm, alcore_model **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter(ctx));
    if (!ctx || !lm || !out)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "alcore_model_new_lm: ctx, lm and out are needed"));
    return alcore__leave(ctx, new_lm(ctx, lm, out));
}
