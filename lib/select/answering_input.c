/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a strategy's run: the datasets of all roles with their columns, of which every
 * candidate must have a value, and the engine that they lie on. */
#include "select/answering.h"

/* Chooses the engine again where columns are on a device: that one, unless the request names
 * another, which is an error. Called when the datasets of all roles have their columns. */
static alcore_status follow_columns(alcore__answering *self) {
    alcore__run_input *input = &self->input;
    const alcore__dataset *const datasets[] = {&input->candidates, &input->labeled, &input->target};
    const char *device = self->request->options.device;
    alcore__placement placement = {0};
    alcore_status status = ALCORE_OK;
    for (size_t d = 0; d < sizeof datasets / sizeof *datasets; d++) {
        for (int32_t c = 0; c < datasets[d]->column_count && status == ALCORE_OK; c++) {
            const int32_t number = alcore__column_device(datasets[d]->columns[c].column);
            status = alcore__placement_add(&placement, number, datasets[d]->columns[c].name);
        }
    }
    if (status == ALCORE_OK && placement.on_device)
        status = alcore__engine_open_at(self->ctx, device, &placement, &input->engine);
    return status == ALCORE_OK ? status : alcore__fail_within(status, "columns");
}

/* The rows of the candidates' pool that the strategy reads as labeled, [rows]; NULL without one. A
 * strategy that reads all that was bought needs no columns of them, so that none was dropped. */
static const uint8_t *labeled_rows_of(const alcore__answering *self) {
    const alcore__masks *masks = &self->masks;
    if (alcore__strategy_def_of(self->strategy)->reads_bought)
        return masks->bought_count > 0 ? masks->bought_rows : NULL;
    return masks->labeled_count > 0 ? masks->labeled_rows : NULL;
}

static alcore__kept_tokens *kept_of(alcore__kept_tokens *tokens) {
    return tokens->rows > 0 ? tokens : NULL;
}

/* A role without a pool leaves its dataset empty (0 rows), as does a labeled pool without a row
 * that is read. Languages are listed once, though the input may be filled in twice. */
alcore_status alcore__answering_fill_input(alcore__answering *self) {
    alcore_request *request = self->request;
    alcore__run_input *input = &self->input;
    if (alcore_pool_row_count(request->candidates) != self->masks.rows)
        return alcore__fail(ALCORE_E_BUSY, "rows were added to the pool during the call");
    input->candidates = (alcore__dataset){
        .pool = request->candidates, .rows = self->masks.rows, .mask = self->masks.candidate_mask};
    input->candidates.tokens = kept_of(&self->masks.candidate_tokens);
    input->labeled_rows = labeled_rows_of(self);
    input->costs = self->costs;
    if (request->labeled && self->masks.labeled_pool_count > 0) {
        input->labeled = (alcore__dataset){.pool = request->labeled,
                                           .rows = self->masks.labeled_pool_rows,
                                           .mask = self->masks.labeled_mask,
                                           .tokens = kept_of(&self->masks.labeled_tokens)};
        ALCORE__TRY(alcore__resolution_fill(&self->resolution, ALCORE_ROLE_LABELED,
                                            request->labeled, true, &input->labeled));
    }
    alcore_pool *target = request->target;
    if (target) {
        const char *const *tags;
        input->target = (alcore__dataset){
            .pool = target, .rows = self->masks.target_rows, .mask = self->masks.target_mask};
        input->target_languages = self->masks.target_languages;
        input->target_language_count = alcore__pool_languages(target, &tags);
        ALCORE__TRY(alcore__resolution_fill(&self->resolution, ALCORE_ROLE_TARGET, target, true,
                                            &input->target));
    }
    /* Without a candidate nothing was computed of columns with values of earlier rounds. */
    ALCORE__TRY(alcore__resolution_fill(
        &self->resolution, ALCORE_ROLE_CANDIDATES, request->candidates,
        !self->shard || alcore__answering_has_candidate(self), &input->candidates));
    ALCORE__TRY(follow_columns(self));
    if (request->lists[ALCORE__LIST(LIKE)].given) {
        input->like = request->lists[ALCORE__LIST(LIKE)].rows;
        input->like_count = request->lists[ALCORE__LIST(LIKE)].count;
        input->has_like = true;
    }
    if (!alcore__strategy_def_of(self->strategy)->reads_languages) return ALCORE_OK;
    if (!self->languages)
        ALCORE__TRY(alcore__list_languages(self->ctx, request->candidates, &self->languages));
    input->languages = self->languages;
    input->language_count = alcore__pool_languages(request->candidates, &input->language_tags);
    return ALCORE_OK;
}

/* Checks that every candidate has a value in every column of the dataset. A candidate without one
 * ends the call; a labeled row of the pool that lacks one of the columns that the strategy reads of
 * what is labeled only takes no part, with a warning, since its labels were given and its columns
 * often are not. No row is both. */
alcore_status alcore__answering_check_values(alcore__answering *self) {
    const alcore__dataset *dataset = &self->input.candidates;
    int64_t dropped = 0; /* labeled rows that take no part */
    for (int32_t c = 0; c < dataset->column_count; c++) {
        const alcore__column *column = dataset->columns[c].column;
        bool of_labeled = alcore__strategy_needs_column(self->strategy, ALCORE_ROLE_LABELED,
                                                        dataset->columns[c].name);
        int64_t missing = 0, first = -1;
        for (int64_t i = 0; i < self->masks.rows; i++) {
            if (i % ALCORE_BLOCK_ROWS == 0)
                ALCORE__TRY(alcore__tick(self->ctx, "columns", i, self->masks.rows));
            bool candidate = self->masks.candidate_mask[i];
            bool labeled = of_labeled && self->masks.labeled_rows[i];
            if ((!candidate && !labeled) || alcore__column_has(column, i)) continue;
            if (labeled) {
                self->masks.labeled_rows[i] = 0;
                dropped++;
                continue;
            }
            if (missing++ == 0) first = i;
        }
        if (missing > 0)
            return alcore__fail(
                ALCORE_E_MISSING,
                "column '%s' has no value for row %lld and %lld more; give them, or "
                "mark those rows ineligible",
                dataset->columns[c].name, (long long)first, (long long)missing - 1);
    }
    self->masks.labeled_count -= dropped;
    if (dropped > 0)
        alcore__log(self->ctx, ALCORE_LOG_WARN, "request", NULL /* no fields */,
                    "%lld labeled rows of the pool have no values and take no part",
                    (long long)dropped);
    self->input.labeled_rows = labeled_rows_of(self);
    return ALCORE_OK;
}

/* Rows of the labeled pool and of the target are not checked here: one without a value reads as NaN
 * (or as no tokens), which fails when the strategy reads it; with nan=exclude a row whose embedding
 * is NaN is left out. */
alcore_status alcore__answering_run(alcore__answering *self, alcore__outcome *out) {
    ALCORE__TRY(alcore__answering_fill_input(self));
    ALCORE__TRY(alcore__answering_check_values(self));
    return alcore__strategy_run(self->strategy, &self->input, out);
}

/* Clears the entries of mask [rows] that nan marks; returns how many that were. */
static int64_t clear_marked(uint8_t *mask, const uint8_t *nan, int64_t rows) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        count += mask[i] && nan[i];
        mask[i] = mask[i] && !nan[i];
    }
    return count;
}

alcore_status alcore__answering_leave_out_nan(alcore__answering *self) {
    alcore__run_input *input = &self->input;
    alcore__masks *masks = &self->masks;
    uint8_t *nan;
    if (input->candidates.column_count == 0) { /* no row has values */
        input->nan_found = true;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)masks->rows, 1, &nan));
    const alcore_status status = alcore__strategy_find_nan(self->strategy, input, nan);
    if (status == ALCORE_OK) {
        (void)clear_marked(masks->candidate_mask, nan, masks->rows);
        masks->labeled_count -= clear_marked(masks->labeled_rows, nan, masks->rows);
        masks->bought_count -= clear_marked(masks->bought_rows, nan, masks->rows);
        input->labeled_rows = labeled_rows_of(self);
        input->nan_found = true;
    }
    alcore__free(self->ctx, nan);
    return status;
}
