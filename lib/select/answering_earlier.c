/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates the present model scores where values of earlier rounds stand in for the others
 * (the option max_age, spec 3.8); request_reuse.c reads and makes these columns. */
#include <string.h>

#include "select/answering.h"

/* Leaves the candidates that have values of earlier rounds in the mask. */
static void keep_earlier(alcore__answering *self) {
    for (int64_t row = 0; row < self->masks.rows; row++)
        self->masks.candidate_mask[row] &= self->reuse.has && self->reuse.has[row];
}

alcore__fill alcore__answering_refresh_fill(const alcore__answering *self) {
    const alcore__fill *fill = &self->input.fill;
    return (alcore__fill){.budget = fill->budget * self->request->options.refresh_factor,
                          .policy = fill->policy,
                          .tie = fill->tie};
}

/* Sets refreshed [rows] to 1 for the best candidates by values of earlier rounds: what the strategy
 * picks of those that have such values, for refresh_factor times the budget. The limit on similar
 * picks is for what is bought. The mask of the candidates is changed. */
static alcore_status find_best(alcore__answering *self, uint8_t *refreshed) {
    const alcore__fill fill = self->input.fill;
    alcore__outcome outcome = {0};
    keep_earlier(self);
    self->input.fill = alcore__answering_refresh_fill(self);
    const alcore_status status = alcore__answering_run(self, &outcome);
    self->input.fill = fill;
    for (int64_t i = 0; i < outcome.bought.pick_count; i++)
        refreshed[outcome.rows[outcome.bought.picks[i]]] = 1;
    alcore__outcome_clear(self->ctx, &outcome);
    return status;
}

/* Chooses the candidates that the present model scores, refreshed [rows]: those without a value of
 * earlier rounds, or among the best by these, which of a shard its job has found. The pools are
 * locked for reading. reuse.has is there, as at least one column is reused. */
static alcore_status choose_refreshed(alcore__answering *self, uint8_t *refreshed) {
    const uint8_t *found = self->shard ? self->shard->refreshed : NULL;
    bool any = false; /* some candidate has an earlier value */
    for (int64_t row = 0; row < self->masks.rows; row++) {
        const bool candidate = self->masks.candidate_mask[row] != 0;
        refreshed[row] = candidate && (!self->reuse.has[row] || (found && found[row]));
        any |= candidate && self->reuse.has[row];
    }
    return any && !self->shard && self->reuse.factor > 0 ? find_best(self, refreshed) : ALCORE_OK;
}

/* The mask of the candidates, which find_best() narrows, is put back, also after a failure. The
 * pools are locked for reading while rows are chosen. */
alcore_status alcore__answering_refresh_columns(alcore__answering *self) {
    const size_t rows = (size_t)self->masks.rows;
    const double cache_max_age = self->request->options.cache_max_age; /* seconds */
    uint8_t *arrays; /* [2, rows]: a copy of the mask of the candidates; refreshed */
    if (self->shard && self->shard->by_earlier) {
        keep_earlier(self);
        return ALCORE_OK;
    }
    if (self->reuse.count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, rows, 2, &arrays));
    uint8_t *refreshed = arrays + rows;
    memcpy(arrays, self->masks.candidate_mask, rows);
    alcore_status status = alcore__request_read_pools(self->request);
    if (status == ALCORE_OK) {
        status = choose_refreshed(self, refreshed);
        alcore__request_leave_pools(self->request);
    }
    memcpy(self->masks.candidate_mask, arrays, rows);
    if (status == ALCORE_OK)
        status = alcore__reuse_refresh(&self->reuse, refreshed, arrays, cache_max_age);
    if (status == ALCORE_OK) alcore__reuse_report(&self->reuse, &self->resolution);
    alcore__free(self->ctx, arrays);
    return status;
}
