/* SPDX-License-Identifier: Apache-2.0 */
/* Which pass comes next: walks the tables of passes (strategy_def.h) with their conditions, loops
 * and nested tables. A row of a table is a pass with a `block` function, which visits the blocks of
 * a source, or names a nested table in its place; a row whose name is NULL ends the table.
 *
 * The run has a table of its own, the root: passes that find NaN (nan=exclude), then the strategy,
 * which begins once the active rows are known. The cursors are a stack: cursors[0] stands in the
 * root, cursors[1] in the strategy's table, cursors[2] in one nested there. The topmost one always
 * stands on a pass with a `block` of its own, which is the present pass; an empty stack means that
 * the run is done. */

#include "strategy/passes/runner.h"

/* ---- the root table ---- */

/* `when` of the root's first row: whether the request has nan=exclude. */
static bool excludes_nan(const alcore__run *run) {
    return run->input->nan_exclude;
}

/* End of the nested table "find NaN": lists the active rows again, now without the rows that it
 * marked. Fails when this leaves a strategy without a target row. */
static alcore_status leave_out_nan_rows(alcore__run *run) {
    ALCORE__TRY(alcore__list_active_rows(run));
    if (alcore__reads_embeddings(run, ALCORE_ROLE_TARGET) &&
        !run->active[ALCORE__OVER_TARGET].count)
        return alcore__fail(ALCORE_E_MISSING,
                            "every row of the target has a NaN in its embeddings; give a target "
                            "with at least one finite row");
    return ALCORE_OK;
}

static const alcore__pass NO_PASSES[] = {{.name = NULL}};

/* Whether a source has an active row, in any shard. */
static bool has_rows(const alcore__run *run, enum alcore__row_source source) {
    return alcore__active_in_all(run, source) > 0;
}

/* Start of the root's row of the strategy, root[1]. The candidates are final: the outcome gets its
 * rows (the pool row of each candidate, ascending) and zeroed scores, and the strategy begins.
 * `measured` is set to all candidates; a strategy that does not measure all of them lowers it.
 * Without candidates the strategy does not begin, and none of its passes is looked at: find_pass()
 * reads `nested` only after this. */
static alcore_status begin_strategy(alcore__run *run) {
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    size_t count = (size_t)active->count;
    run->outcome.count = run->outcome.measured = active->count;
    run->outcome.rows = active->rows; /* one list; alcore__run_finish() hands it over */
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &run->outcome.scores));
    if (!has_rows(run, ALCORE__OVER_CANDIDATES)) {
        run->runner->root[1].nested = NO_PASSES;
        return ALCORE_OK;
    }
    alcore__values_bind(run->values, ALCORE__TO_STATE, run->state);
    return run->def->begin ? run->def->begin(run) : ALCORE_OK;
}

/* ---- the walk ---- */

/* The cursor of the table that is walked now; the stack is not empty. */
static alcore__pass_cursor *top_cursor(alcore__run *run) {
    return &run->runner->cursors[run->runner->depth - 1];
}

/* Whether a condition holds; `otherwise` where there is none. */
static bool holds(const alcore__run *run, const alcore__condition *condition, bool otherwise) {
    if (condition->test) return condition->test(run);
    if (!condition->flag) return otherwise;
    return *((const bool *)run->state + condition->flag - 1) != condition->unless;
}

/* Moves the topmost cursor to the next row of its table or, where it is made again, back to the
 * first row of the loop that the present row ends. */
static void step_on(alcore__run *run) {
    alcore__pass_cursor *cursor = top_cursor(run);
    const alcore__pass *pass = cursor->pass;
    cursor->pass = holds(run, &pass->again, false) ? pass - pass->back : pass + 1;
}

/* Puts a cursor on the first pass of a nested table; state is run->state while the table runs. */
static alcore_status enter_table(alcore__run *run, const alcore__pass *table, void *state) {
    alcore__runner *runner = run->runner;
    if (runner->depth == ALCORE__PASS_DEPTH)
        return alcore__fail(ALCORE_E_INTERNAL, "tables of passes are nested too deeply");
    runner->cursors[runner->depth++] = (alcore__pass_cursor){.pass = table, .state = state};
    run->state = state;
    return ALCORE_OK;
}

/* The topmost table is at its end: pops its cursor, makes run->state that of the table around it,
 * calls `end` of the row that names the table, and moves on from there. Where the table was the
 * root, the stack is empty and the run is done. */
static alcore_status leave_table(alcore__run *run) {
    if (--run->runner->depth == 0) return ALCORE_OK;
    alcore__pass_cursor *cursor = top_cursor(run);
    run->state = cursor->state;
    if (cursor->pass->end) ALCORE__TRY(cursor->pass->end(run));
    step_on(run);
    return ALCORE_OK;
}

/* Moves on until the topmost cursor stands on a pass that visits blocks, or the stack is empty.
 * Leaves tables at their end, skips passes whose condition is false or whose source has no active
 * row, and enters nested tables; calls `start` of every pass that is made. */
static alcore_status find_pass(alcore__run *run) {
    while (run->runner->depth) {
        const alcore__pass *pass = top_cursor(run)->pass;
        if (!pass->name) {
            ALCORE__TRY(leave_table(run));
            continue;
        }
        bool skipped =
            !holds(run, &pass->when, true) || (!pass->nested && !has_rows(run, pass->source));
        if (skipped) {
            step_on(run);
            continue;
        }
        if (pass->start) ALCORE__TRY(pass->start(run));
        if (!pass->nested) return ALCORE_OK;
        ALCORE__TRY(enter_table(run, pass->nested, (char *)run->state + pass->nested_at));
    }
    return ALCORE_OK;
}

/* The strategy's begin is called here or, with nan=exclude, only once the search for NaN is over
 * and the strategy's row of the root table is reached. */
alcore_status alcore__passes_begin(alcore__run *run) {
    const alcore__pass *passes = run->def->passes ? run->def->passes : NO_PASSES;
    alcore__runner *runner = run->runner;
    runner->root[0] = (alcore__pass){.name = "find NaN",
                                     .nested = alcore__find_nan_passes,
                                     .when = ALCORE__TEST(excludes_nan),
                                     .end = leave_out_nan_rows};
    runner->root[1] =
        (alcore__pass){.name = run->def->name, .start = begin_strategy, .nested = passes};
    runner->root[2] = (alcore__pass){.name = NULL};
    ALCORE__TRY(enter_table(run, runner->root, run->state));
    return find_pass(run);
}

alcore_status alcore__passes_advance(alcore__run *run) {
    const alcore__pass *pass = alcore__present_pass(run);
    if (pass->end) ALCORE__TRY(pass->end(run));
    step_on(run);
    return find_pass(run);
}

bool alcore__run_done(const alcore__run *run) {
    return run->runner->depth == 0;
}
