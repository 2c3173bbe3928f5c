/* SPDX-License-Identifier: Apache-2.0 */
/* Provides the columns that a strategy or a scorer needs: a column of the pool that can be used as
 * it is, else the first model that can make one makes it. A need names one column, or alternatives
 * with `|` between them ("scores|logprobs"), the preferred one first. */
#include <stdio.h>
#include <string.h>

#include "base/alternatives.h"
#include "model/model_internal.h"

/* Copies the next alternative of a need into name, whose names are shorter than ALCORE__NEED_BYTES;
 * *rest, the need at first, moves behind it. False: none is left, and name is as it was. */
static bool next_alternative(const char **rest, char name[ALCORE__NEED_BYTES]) {
    const char *word;
    size_t length;
    if (!alcore__alternatives_next(rest, &word, &length)) return false;
    snprintf(name, ALCORE__NEED_BYTES, "%.*s", (int)length, word);
    return true;
}

/* *out: whether the pool has a usable column of any alternative; name is then the first such, else
 * the last alternative. models [count]. Whether a computed column is still valid is decided by the
 * first model that could make it; where none could, any column will do. The pool is locked for
 * reading. */
static alcore_status find_standing(alcore_model *const *models, int32_t count,
                                   const alcore_pool *pool, const alcore__wanted *wanted,
                                   const char *need, char name[ALCORE__NEED_BYTES], bool *out) {
    *out = false;
    for (const char *rest = need; !*out && next_alternative(&rest, name);) {
        int32_t maker = 0;
        while (maker < count && !models[maker]->table->can(models[maker], name)) maker++;
        ALCORE__TRY(alcore__model_column_stands(maker < count ? models[maker] : NULL, pool, name,
                                                wanted, out));
    }
    return ALCORE_OK;
}

/* Called for every need of a strategy before its first pass, and of a scorer, without a lock of the
 * pool. Columns that can be used as they are come first, over all alternatives; then the models in
 * order, each with its alternatives in order. *out_from: the index of the model that can make the
 * column, or ALCORE__SUPPLY_GIVEN (the pool had it), or ALCORE__SUPPLY_NONE (no model can make any;
 * the caller writes the error). */
alcore_status alcore__model_choose(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const alcore__wanted *wanted, const char *need,
                                   char name[ALCORE__NEED_BYTES], int32_t *out_from) {
    bool stands = false;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = find_standing(models, count, pool, wanted, need, name, &stands);
    alcore__read_end(pool);
    if (status != ALCORE_OK) return status;
    *out_from = ALCORE__SUPPLY_GIVEN;
    if (stands) return ALCORE_OK;
    for (int32_t i = 0; i < count; i++) {
        for (const char *rest = need; next_alternative(&rest, name);) {
            if (!models[i]->table->can(models[i], name)) continue;
            *out_from = i;
            return ALCORE_OK;
        }
    }
    *out_from = ALCORE__SUPPLY_NONE;
    return ALCORE_OK;
}

/* The choice, and the run of the model that was chosen. */
alcore_status alcore__model_supply(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const alcore__wanted *wanted, const alcore__cache *cache,
                                   const char *need, char name[ALCORE__NEED_BYTES],
                                   int32_t *out_from) {
    ALCORE__TRY(alcore__model_choose(models, count, pool, wanted, need, name, out_from));
    if (*out_from < 0) return ALCORE_OK;
    return alcore__model_run(models[*out_from], pool, name, wanted, cache);
}
