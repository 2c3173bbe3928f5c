/* SPDX-License-Identifier: Apache-2.0 */
/* Details that arrive after their rows: references (labels that came back) and costs. All of a call
 * takes effect, or nothing: every entry is checked and every byte allocated before the first row
 * changes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "pool/column.h"
#include "pool/pool_strings.h"

/* Makes sure that each of rows [count] has an entry of `bytes` bytes in segments (arrays in pieces
 * by row number), so that the second pass cannot fail. New entries are zeroed: no reference, no
 * cost. */
static alcore_status reserve_entries(alcore_pool *pool, alcore__segments *segments, size_t bytes,
                                     const int64_t *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!alcore__segments_at(pool->object.ctx, segments, bytes, rows[i]))
            return alcore__fail_memory(ALCORE__SEGMENT_ROWS * bytes);
    return ALCORE_OK;
}

/* Checks references [count] by the pool's rules and copies them to the pool's memory: copies
 * [count], with a NULL text for a reference that is removed. lengths NULL: the strings end with a
 * NUL. */
static alcore_status copy_references(alcore_pool *pool, const int64_t *rows,
                                     const char *const *references, const size_t *lengths,
                                     int64_t count, alcore__pool_reference *copies) {
    alcore__string_check check = {.pool = pool};
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        const char *text = references[i];
        if (!text) continue;
        size_t length = lengths ? lengths[i] : strlen(text);
        status = alcore__string_check_next(&check, "reference", &text, &length, NULL /* words */);
        if (status == ALCORE_OK)
            status = alcore__pool_copy_string(pool, text, length, &copies[i].text);
        else if (status != ALCORE_E_NOMEM)
            status = alcore__fail_within(status, "row %" PRId64, rows[i]);
        copies[i].length = (int64_t)length;
    }
    if (status == ALCORE_OK) alcore__string_check_report(&check);
    alcore__string_check_clear(&check);
    return status;
}

/* Forgets from which references a model has computed a column: they have been replaced, so that the
 * tokens of the column are not to be looked for in the new ones. */
static void forget_tokens_of_references(alcore_pool *pool) {
    static const alcore__column_tokens unknown = {0};
    for (size_t i = 0; i < pool->column_count; i++)
        if (pool->columns[i]->tokens.of_references)
            alcore__column_set_tokens(pool->columns[i], &unknown);
}

/* Sets or removes the references of rows [count]: copies them, makes the entries, then changes the
 * rows. A failure frees the copies by rolling the pool's memory back. */
static alcore_status set_references(alcore_pool *pool, const int64_t *rows,
                                    const char *const *references, const size_t *lengths,
                                    int64_t count) {
    alcore_ctx *ctx = pool->object.ctx;
    const alcore__chunks mark = pool->texts;
    alcore__pool_reference *copies;
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    if (count > 0 && !references) return alcore__fail(ALCORE_E_INVALID, "references is NULL");
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *copies, &copies));
    alcore_status status = copy_references(pool, rows, references, lengths, count, copies);
    if (status == ALCORE_OK)
        status = reserve_entries(pool, &pool->references, sizeof *copies, rows, count);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        alcore__pool_reference *reference =
            alcore__segments_get(&pool->references, sizeof *reference, rows[i]);
        *reference = copies[i];
    }
    if (status != ALCORE_OK)
        alcore__chunks_rollback(ctx, &pool->texts, &mark);
    else if (count > 0)
        forget_tokens_of_references(pool);
    alcore__free(ctx, copies);
    return status;
}

alcore_status alcore_pool_set_references(alcore_pool *pool, const int64_t *rows,
                                         const char *const *references, const size_t *lengths,
                                         int64_t count) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, set_references(pool, rows, references, lengths, count));
}

/* Sets the costs of rows [count], each 0 or more; a NaN removes the cost. Of a row that is named
 * twice the last cost counts. */
static alcore_status set_costs(alcore_pool *pool, const int64_t *rows, const double *costs,
                               int64_t count) {
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    if (count > 0 && !costs) return alcore__fail(ALCORE_E_INVALID, "costs is NULL");
    for (int64_t i = 0; i < count; i++)
        if (costs[i] < 0 || isinf(costs[i]))
            return alcore__fail(ALCORE_E_DATA,
                                "row %" PRId64 ": the cost is %g; expected a number >= 0", rows[i],
                                costs[i]);
    ALCORE__TRY(reserve_entries(pool, &pool->costs, sizeof(alcore__pool_cost), rows, count));
    for (int64_t i = 0; i < count; i++) {
        alcore__pool_cost *cost = alcore__segments_get(&pool->costs, sizeof *cost, rows[i]);
        *cost = isnan(costs[i]) ? (alcore__pool_cost){.given = false}
                                : (alcore__pool_cost){.cost = costs[i], .given = true};
    }
    return ALCORE_OK;
}

alcore_status alcore_pool_set_costs(alcore_pool *pool, const int64_t *rows, const double *costs,
                                    int64_t count) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, set_costs(pool, rows, costs, count));
}
