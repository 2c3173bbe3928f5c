/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/rules/greedy_picks.h"

#include <string.h>

/* A block's best row; its vector [dims] and the extra bytes follow. */
typedef struct best_row {
    int64_t position; /* -1: none is free */
    double value;
} best_row;

alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy) {
    greedy->run = run;
    alcore__filler_begin(&greedy->filler, run);
    alcore__greedy_reset(greedy);
    size_t count = (size_t)run->outcome.count;
    ALCORE__TRY(alcore__new_array(run->ctx, count, 1, &greedy->state));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &greedy->value));
    return alcore__new_array(run->ctx, (size_t)alcore__embedding_dims(run), sizeof(double),
                             &greedy->best_vector);
}

void alcore__greedy_clear(alcore_ctx *ctx, alcore__greedy *greedy) {
    alcore__filler_clear(&greedy->filler);
    alcore__free(ctx, greedy->state);
    alcore__free(ctx, greedy->best_vector);
    alcore__free(ctx, greedy->value);
}

bool alcore__greedy_free(const alcore__greedy *greedy, int64_t position) {
    return greedy->state[position] == ALCORE__GREEDY_FREE &&
           alcore__filler_fits(&greedy->filler, position);
}

uint8_t *alcore__greedy_mask(const alcore__greedy *greedy, const alcore__matrix *matrix) {
    alcore__block *block = matrix->block;
    uint8_t *mask = block->bench->mask;
    const uint8_t *state = greedy->state + block->start;
    /* Rows of one cost fit together. */
    bool costs = greedy->run->input->costs != NULL;
    bool fits = costs || alcore__filler_fits(&greedy->filler, block->start);
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count && fits; i++) {
        bool unasked = state[i] == ALCORE__GREEDY_FREE;
        mask[alcore__matrix_place(matrix, i)] =
            costs ? unasked && alcore__filler_fits(&greedy->filler, block->start + i) : unasked;
    }
    return mask;
}

alcore_status alcore__greedy_best(const alcore__matrix *matrix, const uint8_t *mask,
                                  const double *values, int64_t *member, double *value) {
    const alcore__run *run = matrix->block->run;
    alcore_sys_work work = alcore__run_work(run);
    int64_t item;
    ALCORE__TRY(
        run->input->engine.kernels->arg_max(&work, matrix->rows.count, mask, values, &item, value));
    *member = item < 0 ? -1 : alcore__matrix_member(matrix, item);
    return ALCORE_OK;
}

alcore_status alcore__greedy_payload(alcore__block *block, const alcore__matrix *matrix,
                                     int64_t member, double value, size_t extra, void *out_extra) {
    best_row best = {member < 0 ? -1 : block->start + member, value};
    char *out;
    size_t numbers = (size_t)matrix->rows.dims * sizeof(double);
    ALCORE__TRY(alcore__block_payload(block, sizeof best + numbers + extra, &out));
    memcpy(out, &best, sizeof best);
    *(void **)out_extra = out + sizeof best + numbers;
    if (member < 0) return ALCORE_OK;
    return alcore__matrix_row(matrix, member, (double *)(void *)(out + sizeof best));
}

const void *alcore__greedy_gather(alcore__greedy *greedy, const void *payload) {
    const best_row *best = payload;
    const char *vector = (const char *)payload + sizeof *best;
    size_t numbers = (size_t)alcore__embedding_dims(greedy->run) * sizeof(double);
    if (best->position >= 0 && (greedy->best < 0 || best->value > greedy->best_value)) {
        greedy->best = best->position;
        greedy->best_value = best->value;
        memcpy(greedy->best_vector, vector, numbers);
    }
    return vector + numbers;
}

bool alcore__greedy_more(const alcore__greedy *greedy) {
    return greedy->best >= 0 && !alcore__filler_full(&greedy->filler);
}

alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *taken) {
    ALCORE__TRY(alcore__filler_offer(&greedy->filler, greedy->best, taken));
    greedy->state[greedy->best] = *taken ? ALCORE__GREEDY_PICKED : ALCORE__GREEDY_PASSED_OVER;
    return ALCORE_OK;
}

void alcore__greedy_reset(alcore__greedy *greedy) {
    greedy->best = -1;
}

void alcore__greedy_finish(alcore__greedy *greedy) {
    alcore__filler *filler = &greedy->filler;
    alcore__outcome *outcome = &greedy->run->outcome;
    for (int64_t i = 0; i < outcome->count; i++) {
        if (greedy->state[i] == ALCORE__GREEDY_PICKED) outcome->scores[i] = greedy->value[i];
    }
    /* Rows that were never offered because nothing was left for them count like those that a
     * ranking walks past. */
    for (int64_t i = 0; i < outcome->count && !alcore__filler_full(filler); i++) {
        if (greedy->state[i] != ALCORE__GREEDY_FREE) continue;
        if (alcore__filler_cost(filler, i) > 0.0) {
            filler->unaffordable++;
        } else {
            filler->free_rows++;
        }
    }
    alcore__filler_finish(filler);
}
