/* SPDX-License-Identifier: Apache-2.0 */
/* nan=exclude (spec 1.4): which rows have a NaN, found before anything is decided. */
#include <math.h>
#include <string.h>

#include "strategy/strategy.h"

int32_t alcore__role_of(int32_t source) {
    return source == ALCORE__OVER_CANDIDATES ? ALCORE_ROLE_CANDIDATES
           : source == ALCORE__OVER_TARGET   ? ALCORE_ROLE_TARGET
                                             : ALCORE_ROLE_LABELED;
}

bool alcore__reads_embeddings(const alcore__run *run, int32_t role) {
    const char *const *needs = run->def->needs[role];
    for (int32_t i = 0; needs && needs[i]; i++) {
        if (!strcmp(needs[i], "embeddings")) return true;
    }
    return role == ALCORE_ROLE_CANDIDATES && run->input->fill.limited;
}

static alcore_status check_scores(alcore__block *block, uint8_t *bad) {
    double *rank;
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)block->count, sizeof *rank, &rank));
    alcore_status status = alcore__block_scores(block, rank, NULL, NULL);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (isnan(rank[i])) bad[i] = 1;
    }
    alcore__free(block->run->ctx, rank);
    return status;
}

static alcore_status check_row(const alcore__matrix *matrix, int64_t member, double *values,
                               uint8_t *bad) {
    ALCORE__TRY(alcore__matrix_row(matrix, member, values));
    for (int64_t j = 0; j < matrix->rows.dims; j++) {
        if (!isfinite(values[j])) bad[member] = 1;
    }
    return ALCORE_OK;
}

static alcore_status check_vectors(alcore__block *block, uint8_t *bad) {
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    double *dots, *values = NULL;
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)block->count, sizeof *dots, &dots));
    alcore_status status =
        alcore__new_array(block->run->ctx, (size_t)matrix.rows.dims, sizeof *values, &values);
    if (status == ALCORE_OK) status = alcore__matrix_self_dots(&matrix, dots);
    /* A finite row of huge numbers may have an infinite square: only the numbers themselves tell.
     */
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (!isfinite(dots[i])) status = check_row(&matrix, i, values, bad);
    }
    alcore__free(block->run->ctx, values);
    alcore__free(block->run->ctx, dots);
    return status;
}

alcore_status alcore__check_block(alcore__block *block) {
    const alcore__run *run = block->run;
    uint8_t *bad;
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count, &bad));
    if (!block->count) return ALCORE_OK;
    bool candidates = run->source == ALCORE__OVER_CANDIDATES;
    if (candidates && run->def->score_rows) ALCORE__TRY(check_scores(block, bad));
    if (alcore__reads_embeddings(run, alcore__role_of(run->source))) {
        ALCORE__TRY(check_vectors(block, bad));
    }
    return ALCORE_OK;
}
