/* SPDX-License-Identifier: Apache-2.0 */
/* Columns by which phrases are measured (huds-phrase), where they were given with the texts: the
 * phrases of all shards are measured by the columns of all texts, so that these travel with them. A
 * shard puts in how many there are, int64_t, and of each its form and its values of all rows. What
 * models make does not travel: a model makes it in every worker. */
#include <string.h>

#include "extra/job/job_passes.h"
#include "pool/pool_state.h"

static const char *const NAMES[ALCORE__JOB_MEASURES] = {"logprobs", "word_embeddings", "embeddings",
                                                        "links"};

bool alcore__job_has_measures(const alcore_job *job) {
    const alcore_strategy *strategy = alcore__job_strategy(job);
    if (alcore__job_is_hybrid(job))
        strategy = alcore__strategy_part(job->request->strategy, ALCORE__PHRASES);
    return alcore__strategy_def_of(strategy)->phrase_measures;
}

/* Fails for a column that lacks a row, as its values say nothing of which rows it has. */
static alcore_status check_rows(const alcore_pool *pool, const alcore__column *column) {
    for (int64_t row = 0; row < pool->rows; row++)
        if (!alcore__column_has(column, row))
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "jobs over shards measure phrases by columns that have a value of "
                                "each row: the column '%s' has none of row %lld of the shard",
                                column->name, (long long)row);
    return ALCORE_OK;
}

alcore_status alcore__job_put_measures(const alcore_job *job, alcore__buffer *out) {
    const alcore_pool *pool = job->request->candidates;
    alcore_ctx *ctx = job->object.ctx;
    const alcore__column *columns[ALCORE__JOB_MEASURES];
    alcore__scratch scratch = {0};
    int64_t count = 0;
    for (int32_t i = 0; i < ALCORE__JOB_MEASURES && pool->rows > 0; i++) {
        const alcore__column *column = alcore__pool_find_column(pool, NAMES[i]);
        if (!column || !alcore__column_is_given(column)) continue;
        ALCORE__TRY(check_rows(pool, column));
        columns[count++] = column;
    }
    alcore_status status = alcore__buffer_append(ctx, out, &count, sizeof count);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        const alcore__column_form form = alcore__column_form_of(columns[i]);
        status = alcore__buffer_append(ctx, out, &form, sizeof form);
        if (status == ALCORE_OK)
            status = alcore__job_put_values(ctx, columns[i], pool->rows, &scratch, out);
    }
    alcore__scratch_clear(ctx, &scratch);
    return status;
}

static alcore_status take_column(alcore_ctx *ctx, const alcore__job_entry *entry, int64_t entries,
                                 int32_t c, alcore__byte_cursor *cursor, bool *whole,
                                 alcore__job_measures *measures) {
    alcore__column_form form;
    *whole = alcore__cursor_read(cursor, &form, sizeof form) && alcore__job_is_form(&form);
    if (!*whole) return ALCORE_OK;
    if (!measures->seen) {
        measures->forms[c] = form;
        ALCORE__TRY(alcore__new_array(ctx, (size_t)entries + 1, sizeof *measures->pieces[c],
                                      &measures->pieces[c]));
        measures->count = c + 1;
    }
    if (memcmp(&form, &measures->forms[c], sizeof form) != 0)
        return alcore__job_fail_form(entry, form.name);
    return alcore__job_take_values(ctx, &form, entry, true, cursor, whole,
                                   &measures->pieces[c][measures->piece_count]);
}

alcore_status alcore__job_take_measures(alcore_ctx *ctx, const alcore__job_entry *entry,
                                        int64_t entries, alcore__byte_cursor *cursor, bool *whole,
                                        alcore__job_measures *measures) {
    int64_t count;
    *whole = alcore__cursor_read(cursor, &count, sizeof count) && count >= 0 &&
             count <= ALCORE__JOB_MEASURES && (count == 0 || entry->end > entry->first);
    if (!*whole || entry->end == entry->first) return ALCORE_OK;
    if (measures->seen && count != measures->count)
        return alcore__fail(
            ALCORE_E_DATA,
            "the rows %lld to %lld have %lld columns by which phrases are measured, "
            "the shards before have %d",
            (long long)entry->first, (long long)entry->end - 1, (long long)count,
            (int)measures->count);
    for (int32_t c = 0; c < count && *whole; c++)
        ALCORE__TRY(take_column(ctx, entry, entries, c, cursor, whole, measures));
    measures->seen = true;
    measures->piece_count++;
    return ALCORE_OK;
}

/* What a caller gave is given, also where it has traveled. */
static alcore_status mark_given(alcore__column *column) {
    alcore__free(column->ctx, column->origin);
    column->origin = alcore__strndup(column->ctx, "given", strlen("given"));
    return column->origin ? ALCORE_OK : alcore__fail_memory(sizeof "given");
}

alcore_status alcore__job_give_measures(alcore_pool *pool, alcore__job_measures *measures) {
    for (int32_t c = 0; c < measures->count; c++) {
        alcore__column *column;
        ALCORE__TRY(alcore__column_join(pool->object.ctx, &measures->forms[c], pool->rows,
                                        measures->pieces[c], measures->piece_count, &column));
        measures->pieces[c] = NULL;
        alcore_status status = mark_given(column);
        if (status == ALCORE_OK) status = alcore__pool_put_column(pool, column);
        if (status == ALCORE_OK) continue;
        alcore__column_free(column);
        return status;
    }
    return ALCORE_OK;
}

void alcore__job_measures_clear(alcore_ctx *ctx, alcore__job_measures *measures) {
    /* A piece that failed half-way is behind those that were counted. */
    for (int32_t c = 0; c < ALCORE__JOB_MEASURES; c++)
        alcore__column_pieces_free(ctx, measures->pieces[c], measures->piece_count + 1);
}
