/* SPDX-License-Identifier: Apache-2.0 */
/* What a job over shards asks of a request in place of a selection: first of its masks, before the
 * columns are made, then of its rows: their nominees, or what a run over all shards reads of them,
 * which is gathered, held or spent. */
#include <string.h>

#include "scorer/bleu_column.h"
#include "select/answering.h"

/* Counts the candidates that sticky=1 may keep. */
static alcore_status count_kept(alcore__answering *self) {
    uint8_t *previous;
    ALCORE__TRY(alcore__answering_copy_previous(self, &previous));
    for (int64_t row = 0; previous && row < self->masks.rows; row++)
        self->shard->kept += previous[row] && self->masks.candidate_mask[row];
    alcore__free(self->ctx, previous);
    return ALCORE_OK;
}

alcore_status alcore__answering_shard_masks(alcore__answering *self) {
    alcore__shard_answer *shard = self->shard;
    const bool recommended = alcore__strategy_is_recommended(self->strategy);
    alcore__masks all;
    shard->eligible = self->masks.eligible;
    if (shard->wanted == ALCORE__SHARD_COUNT) return count_kept(self);
    ALCORE__TRY(alcore__request_read_pools(self->request));
    const alcore_status status =
        shard->wanted == ALCORE__SHARD_TEXTS
            ? alcore__text_masks_write(self->request, recommended, &self->masks, &shard->out)
            : alcore__text_masks_read(self->request, recommended, &self->masks, &shard->parts, &all,
                                      shard->left_out);
    alcore__request_leave_pools(self->request);
    if (status != ALCORE_OK || shard->wanted == ALCORE__SHARD_TEXTS) return status;
    return alcore__answering_check_words(self, &all);
}

/* Runs the strategy on the rows of all shards, with the pools locked for reading. */
static alcore_status spend_gathered(alcore__answering *self) {
    alcore__shard_answer *shard = self->shard;
    alcore__run_input *input = &self->input;
    alcore__shard_tokens gathered;
    alcore_status status =
        alcore__shard_tokens_read(self->ctx, &shard->parts, shard->rows, &gathered);
    input->gathered = &gathered;
    input->candidates = (alcore__dataset){.rows = shard->rows, .mask = gathered.candidates};
    input->labeled_rows = gathered.bought;
    if (input->costs) input->costs = gathered.costs;
    input->languages = gathered.languages;
    input->language_count = gathered.language_count;
    input->place = (alcore__place){0};
    input->fill.explain = shard->explain;
    input->fill.limited &= shard->rows > 0; /* of no row there is an embedding */
    if (status == ALCORE_OK && shard->embeddings)
        status = alcore__dataset_add(&input->candidates, "embeddings", shard->embeddings);
    if (status == ALCORE_OK) status = alcore__strategy_run(self->strategy, input, &shard->outcome);
    if (status == ALCORE_OK && input->costs) {
        shard->costs = gathered.costs;
        gathered.costs = NULL;
    }
    alcore__shard_tokens_clear(self->ctx, &gathered);
    return status;
}

/* Fails for a column of a shard that an n-gram model made from the texts of the shard alone: those
 * of another shard would be scored otherwise. A request that names such a model has it learn from
 * the texts of all shards. */
static alcore_status check_makers(const alcore__answering *self) {
    const alcore__dataset *dataset = &self->input.candidates;
    for (int32_t c = 0; c < dataset->column_count; c++)
        if (alcore__column_is_built_in(dataset->columns[c].column) &&
            !alcore__request_names_ngram(self->request))
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "the column '%s' of the shard is of the n-gram model, which has "
                                "learned from the texts of the shard alone; name that model, which "
                                "then learns from all, or another one that was trained before",
                                dataset->columns[c].name);
    return ALCORE_OK;
}

/* The input of a shard, with the pools locked for reading. */
static alcore_status fill_shard(alcore__answering *self) {
    ALCORE__TRY(alcore__answering_fill_input(self));
    ALCORE__TRY(check_makers(self));
    return alcore__answering_check_values(self);
}

/* Passes over shards exchange values of rows and not their texts: a column of round trips is
 * replaced by what the score makes of it. A shard without rows has none. */
static alcore_status compute_texts(alcore__answering *self) {
    alcore__dataset *dataset = &self->input.candidates;
    if (!alcore__strategy_needs_column(self->strategy, ALCORE_ROLE_CANDIDATES, "roundtrip") ||
        !alcore__dataset_find(dataset, "roundtrip"))
        return ALCORE_OK;
    ALCORE__TRY(alcore__bleu_column_new(self->ctx, dataset, &self->computed));
    for (int32_t c = 0; c < dataset->column_count; c++)
        if (strcmp(dataset->columns[c].name, "roundtrip") == 0)
            dataset->columns[c].column = self->computed;
    return ALCORE_OK;
}

/* A shard without a candidate has no nominee. */
alcore_status alcore__answering_shard_run(alcore__answering *self) {
    alcore__run_input *input = &self->input;
    alcore__shard_answer *shard = self->shard;
    if (shard->wanted == ALCORE__SHARD_NOMINEES && !alcore__answering_has_candidate(self))
        return ALCORE_OK;
    if (shard->wanted == ALCORE__SHARD_HOLD) {
        ALCORE__TRY(fill_shard(self));
        shard->any = alcore__answering_has_candidate(self);
        /* Where reasons are told the run over all shards finds these rows, and tells of them. So
         * does one that gathers, which would take a row without its vector for one without a NaN.
         */
        if (input->nan_exclude && !shard->explain &&
            !alcore__strategy_def_of(self->strategy)->gather)
            ALCORE__TRY(alcore__answering_leave_out_nan(self));
        return compute_texts(self);
    }
    if (shard->wanted == ALCORE__SHARD_NOMINEES) {
        ALCORE__TRY(fill_shard(self));
        return alcore__strategy_nominate(self->strategy, input, &shard->nominees);
    }
    ALCORE__TRY(alcore__answering_fill_input(self));
    if (shard->wanted == ALCORE__SHARD_SPEND) return spend_gathered(self);
    return alcore__strategy_gather(self->strategy, input, &shard->out);
}
