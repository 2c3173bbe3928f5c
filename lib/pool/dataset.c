/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a dataset by name, and needs: a need names one column, or several of which one
 * suffices, "scores|logprobs" (dataset.h). */
#include "pool/dataset.h"

#include <string.h>

#include "base/alternatives.h"

/* Datasets have a few columns, so the names are compared one after another. */
const alcore__column *alcore__dataset_find(const alcore__dataset *dataset, const char *name) {
    for (int32_t i = 0; i < dataset->column_count; i++) {
        if (!strcmp(dataset->columns[i].name, name)) return dataset->columns[i].column;
    }
    return NULL;
}

/* Whether one of the names of a need is `name`. */
bool alcore__need_names(const char *need, const char *name) {
    const char *word;
    size_t length;
    while (alcore__alternatives_next(&need, &word, &length))
        if (alcore__alternative_is(word, length, name)) return true;
    return false;
}

/* Refuses a need in which a name does not fit into ALCORE__NEED_BYTES (32) with its NUL. */
static alcore_status check_need(const char *need) {
    const char *rest = need, *word;
    size_t length;
    while (alcore__alternatives_next(&rest, &word, &length))
        if (length >= ALCORE__NEED_BYTES)
            return alcore__fail(ALCORE_E_INVALID,
                                "the column \"%.*s\" cannot be needed: its name has %zu bytes, at "
                                "most %d are allowed",
                                (int)length, word, length, ALCORE__NEED_BYTES - 1);
    return ALCORE_OK;
}

/* The copy is zeroed first, so that alcore__needs_free() finds its end also when an allocation
 * fails midway. */
alcore_status alcore__needs_copy(alcore_ctx *ctx, const char *const *needs, char ***out) {
    size_t count = 0;
    while (needs && needs[count]) count++;
    ALCORE__TRY(alcore__new_array(ctx, count + 1, sizeof **out, out));
    for (size_t i = 0; i < count; i++) {
        ALCORE__TRY(check_need(needs[i]));
        (*out)[i] = alcore__strndup(ctx, needs[i], strlen(needs[i]));
        if (!(*out)[i]) return alcore__fail_memory(strlen(needs[i]) + 1);
    }
    return ALCORE_OK;
}

void alcore__needs_free(alcore_ctx *ctx, char **needs) {
    for (size_t i = 0; needs && needs[i]; i++) alcore__free(ctx, needs[i]);
    alcore__free(ctx, needs);
}

/* Called by the request or scorer that fills the dataset, once for each column that was chosen.
 * Name and column are borrowed; both outlive the dataset. */
alcore_status alcore__dataset_add(alcore__dataset *dataset, const char *name,
                                  const alcore__column *column) {
    if (dataset->column_count == ALCORE__DATASET_COLUMNS) {
        return alcore__fail(ALCORE_E_INTERNAL, "more than %d columns are in use",
                            ALCORE__DATASET_COLUMNS);
    }
    dataset->columns[dataset->column_count].name = name;
    dataset->columns[dataset->column_count++].column = column;
    return ALCORE_OK;
}
