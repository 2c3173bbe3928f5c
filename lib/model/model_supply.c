/* SPDX-License-Identifier: Apache-2.0 */
/* Provides the columns that a strategy needs: a column of the pool that can be used as it is, else
 * the first model that can make one makes it. */
#include <stdio.h>
#include <string.h>

#include "base/alternatives.h"
#include "model/model_internal.h"

/* Reads the next alternative of a need, "scores|logprobs", into name; *rest is what is left of it.
 */
static bool next_alternative(const char **rest, char name[ALCORE__NEED_BYTES]) {
    const char *word;
    size_t length;
    if (!alcore__alternatives_next(rest, &word, &length)) return false;
    snprintf(name, ALCORE__NEED_BYTES, "%.*s", (int)length, word);
    return true;
}

/* *out: whether the pool has a usable column of any alternative; name is then the first such.
 * Whether a computed column is still valid is decided by the first model that could make it. */
static alcore_status find_standing(alcore_model *const *models, int32_t count,
                                   const alcore_pool *pool, const char *need,
                                   char name[ALCORE__NEED_BYTES], bool *out) {
    *out = false;
    for (const char *rest = need; !*out && next_alternative(&rest, name);) {
        int32_t maker = 0;
        while (maker < count && !models[maker]->table->can(models[maker], name)) maker++;
        ALCORE__TRY(
            alcore__model_column_stands(maker < count ? models[maker] : NULL, pool, name, out));
    }
    return ALCORE_OK;
}

/* Called for every need of a strategy before its first pass. Columns that can be used as they are
 * come first, over all alternatives; then the models in order, each with its alternatives in order.
 */
alcore_status alcore__model_supply(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const char *need, char name[ALCORE__NEED_BYTES],
                                   int32_t *out_from) {
    bool stands = false;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = find_standing(models, count, pool, need, name, &stands);
    alcore__read_end(pool);
    if (status != ALCORE_OK) return status;
    *out_from = ALCORE__SUPPLY_GIVEN;
    if (stands) return ALCORE_OK;
    for (int32_t i = 0; i < count; i++) {
        for (const char *rest = need; next_alternative(&rest, name);) {
            if (!models[i]->table->can(models[i], name)) continue;
            *out_from = i;
            return alcore__model_run(models[i], pool, name);
        }
    }
    *out_from = ALCORE__SUPPLY_NONE;
    return ALCORE_OK;
}
