/* SPDX-License-Identifier: Apache-2.0 */
/* Provides the columns that a strategy or a scorer needs: a column of the pool that can be used as
 * it is, else the first model that can make one makes it. A need names one column, or alternatives
 * with `|` between them ("scores|logprobs"), the preferred one first. */
#include <stdio.h>
#include <string.h>

#include "alcore/remedy.h"
#include "base/alternatives.h"
#include "model/model_internal.h"
#include "pool/column_names.h"

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

/* Lists the columns that the maker of entry `first` makes, each once, in columns [count]; returns
 * their number. */
static int32_t list_columns(const alcore__chosen *all, int32_t count, int32_t first,
                            const char *columns[]) {
    const alcore_model *maker = all[first].maker;
    int32_t found = 0;
    for (int32_t i = first; i < count; i++) {
        bool listed = all[i].maker != maker;
        for (int32_t c = 0; c < found && !listed; c++) listed = !strcmp(columns[c], all[i].name);
        if (!listed) columns[found++] = all[i].name;
    }
    return found;
}

alcore_status alcore__model_run_chosen(alcore__chosen *all, int32_t count, alcore_pool *pool,
                                       const alcore__wanted *wanted, const alcore__cache *cache) {
    for (int32_t first = 0; first < count; first++) {
        alcore_model *maker = all[first].maker;
        const char *columns[ALCORE__DATASET_COLUMNS];
        alcore__cache_use uses[ALCORE__DATASET_COLUMNS] = {{0}};
        alcore__cache counted = cache ? *cache : (alcore__cache){.folder = ""};
        bool before = false; /* the maker made its columns with an entry before */
        for (int32_t i = 0; i < first; i++) before = before || all[i].maker == maker;
        if (!maker || before) continue;
        counted.use = uses;
        const int32_t found = list_columns(all, count, first, columns);
        ALCORE__TRY(alcore__model_run(maker, pool, columns, found, wanted, &counted));
        for (int32_t i = first; i < count; i++)
            for (int32_t c = 0; c < found && all[i].maker == maker; c++)
                if (strcmp(columns[c], all[i].name) == 0) all[i].use = uses[c];
    }
    return ALCORE_OK;
}

/* What gives the values of a column, as the end of a sentence whose beginning is the option. Of
 * logprobs it is what gives them where no model is asked. */
static const struct giver {
    const char *column, *effect;
} givers[] = {
    {"logprobs", "gives those of translating back, by two models (docs/models.md, Round trips)"},
    {"roundtrip", "gives the texts translated and translated back, by two models (docs/models.md, "
                  "Round trips)"},
    {"sample_probs", "gives the classes by several passes of a model, or by several models "
                     "(docs/own-model.md)"},
    {"probs", "gives the missing values, as a model with a head for classes does (docs/models.md)"},
    {"mlm_losses", "gives the missing values, as a masked language model does (docs/models.md)"},
    {"qa_start", "gives the missing values, as a model of question answering does "
                 "(docs/models.md)"},
};

alcore_status alcore__fail_without(alcore_status status, const char *need) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++) {
        const char *name = alcore__column_name_input(i)->name, *effect = "gives the missing values";
        if (!alcore__need_names(need, name)) continue;
        for (size_t k = 0; k < sizeof givers / sizeof *givers; k++)
            if (!strcmp(givers[k].column, name)) effect = givers[k].effect;
        return alcore__fail_remedy(status, ALCORE_REMEDY_COLUMN, name, NULL /* no value */, effect);
    }
    return status;
}

alcore_status alcore__model_supply(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const alcore__wanted *wanted, const char *const *needs,
                                   int32_t need_count, char (*names)[ALCORE__NEED_BYTES],
                                   int32_t *out_from) {
    alcore__chosen all[ALCORE__DATASET_COLUMNS];
    for (int32_t i = 0; i < need_count; i++) {
        ALCORE__TRY(
            alcore__model_choose(models, count, pool, wanted, needs[i], names[i], &out_from[i]));
        if (out_from[i] == ALCORE__SUPPLY_NONE) return ALCORE_OK;
        all[i] = (alcore__chosen){.name = names[i],
                                  .maker = out_from[i] < 0 ? NULL : models[out_from[i]]};
    }
    return alcore__model_run_chosen(all, need_count, pool, wanted, NULL /* its own cache */);
}
