/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of a run: what is made before the first pass, and what is handed over and freed after
 * the last. */
#include <string.h>

#include "strategy/budget/spend.h"
#include "strategy/passes/runner.h"

/* ---- begin ---- */

/* Allocates the marks of nan=exclude, runner->nan: [rows of the pool] zeroed, for each of the three
 * pools. Labeled rows of the candidates' pool are marked with the candidates. */
static alcore_status make_nan_marks(alcore__run *run) {
    static const int32_t POOLS[] = {ALCORE__OVER_CANDIDATES, ALCORE__OVER_LABELED_POOL,
                                    ALCORE__OVER_TARGET};
    for (size_t i = 0; i < sizeof POOLS / sizeof POOLS[0]; i++) {
        const alcore__active_rows *active = &run->active[POOLS[i]];
        if (POOLS[i] == ALCORE__OVER_CANDIDATES && run->input->nan_found) continue;
        ALCORE__TRY(alcore__new_array(run->ctx, (size_t)active->dataset->rows, 1,
                                      &run->runner->nan[POOLS[i]]));
    }
    return ALCORE_OK;
}

/* Makes what a run needs before its first pass, in this order: the active rows are listed, then the
 * input is checked against them, then the first pass is found, which calls the strategy's begin
 * unless NaN are looked for first. After a failure alcore__run_free() frees what was made. */
static alcore_status prepare(alcore__run *run) {
    ALCORE__TRY(alcore__new_array(run->ctx, 1, sizeof *run->runner, &run->runner));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->threads, sizeof(alcore__worker_memory *),
                                  &run->runner->workers));
    ALCORE__TRY(alcore__new_array(run->ctx, 1, run->def->state_bytes, &run->state));
    ALCORE__TRY(alcore__list_active_rows(run));
    ALCORE__TRY(alcore__check_input(run));
    if (run->input->nan_exclude) ALCORE__TRY(make_nan_marks(run));
    return alcore__passes_begin(run);
}

/* def and values are the definition and the parameters of `strategy`, which is NULL for a
 * definition that has no handle, as tests run it. */
alcore_status alcore__run_begin(const alcore_strategy *strategy, const alcore__strategy_def *def,
                                const alcore__values *values, const alcore__run_input *input,
                                alcore__run **out) {
    *out = NULL;
    alcore__run *run;
    ALCORE__TRY(alcore__new_array(input->ctx, 1, sizeof *run, &run));
    run->ctx = input->ctx;
    run->def = def;
    run->strategy = strategy;
    run->input = input;
    run->values = values;
    run->score_params = alcore__score_params_of(values);
    run->threads = alcore_ctx_threads(input->ctx);
    alcore_status status = prepare(run);
    if (status != ALCORE_OK) {
        alcore__run_free(run);
        return status;
    }
    *out = run;
    return ALCORE_OK;
}

/* ---- finish ---- */

/* Number of rows with a mark of 1 among marks [rows], 0 or 1 each; 0 where marks is NULL. */
static int64_t count_marks(const uint8_t *marks, int64_t rows) {
    int64_t count = 0;
    for (int64_t i = 0; marks && i < rows; i++) count += marks[i];
    return count;
}

/* Puts the rows that nan=exclude left out into the outcome: those of the candidates' pool as a list
 * of rows and their number, which lib/selection reports, those of the other pools as counts. */
static alcore_status report_nan_rows(alcore__run *run) {
    uint8_t *const *nan = run->runner->nan;
    const alcore__run_input *input = run->input;
    alcore__outcome *outcome = &run->outcome;
    if (!input->nan_exclude) return ALCORE_OK;
    int64_t count = count_marks(nan[ALCORE__OVER_CANDIDATES], input->candidates.rows);
    outcome->nan_labeled = count_marks(nan[ALCORE__OVER_LABELED_POOL], input->labeled.rows);
    outcome->nan_target = count_marks(nan[ALCORE__OVER_TARGET], input->target.rows);
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof(int64_t), &outcome->nan_rows));
    for (int64_t i = 0; count > 0 && i < input->candidates.rows; i++) {
        if (nan[ALCORE__OVER_CANDIDATES][i]) outcome->nan_rows[outcome->nan_count++] = i;
    }
    return ALCORE_OK;
}

/* Frees the scratch memory of all worker threads. No block is visited any more, and the strategy's
 * finish now allocates arrays of all candidates. The threads' counts of floored values
 * (log-probabilities below -100, which were read as -100) are added up first. Threads that visited
 * no block have no memory: NULL. */
static void free_workers(alcore__run *run) {
    for (int32_t i = 0; i < run->threads; i++) {
        alcore__worker_memory **worker = &run->runner->workers[i];
        if (*worker) run->outcome.floored += (*worker)->floored;
        alcore__worker_memory_free(run->ctx, *worker);
        *worker = NULL;
    }
}

/* Without candidates there is no finish, as the strategy never began; the budget is spent all the
 * same, which buys nothing and sets SHORT (unless it is 0). */
alcore_status alcore__run_finish(alcore__run *run, alcore__outcome *out) {
    free_workers(run);
    if (run->outcome.count) ALCORE__TRY(run->def->finish(run));
    ALCORE__TRY(alcore__spend(run));
    ALCORE__TRY(report_nan_rows(run));
    *out = run->outcome;
    run->active[ALCORE__OVER_CANDIDATES].rows = NULL; /* they are out->rows */
    memset(&run->outcome, 0, sizeof run->outcome);
    return ALCORE_OK;
}

/* In any state: what was not made is NULL, as structs are zeroed when they are allocated. */
void alcore__run_free(alcore__run *run) {
    if (!run) return;
    alcore_ctx *ctx = run->ctx;
    alcore__runner *runner = run->runner;
    /* In a run that stopped inside a nested table, state is that table's, which is a part of the
     * strategy's own or the same. The strategy's is in cursors[0]. */
    if (runner && runner->depth) run->state = runner->cursors[0].state;
    if (runner) alcore__run_memory_clear(run);
    alcore__free(ctx, run->state);
    run->outcome.rows = NULL; /* the same array as the candidates' active rows, freed next */
    alcore__free_active_rows(run);
    for (int32_t s = 0; runner && s < ALCORE__SOURCES; s++) alcore__free(ctx, runner->nan[s]);
    for (int32_t i = 0; runner && runner->workers && i < run->threads; i++)
        alcore__worker_memory_free(ctx, runner->workers[i]);
    if (runner) alcore__free(ctx, runner->workers);
    alcore__free(ctx, runner);
    alcore__outcome_clear(ctx, &run->outcome);
    alcore__free(ctx, run);
}
