/* SPDX-License-Identifier: Apache-2.0 */
/* States of rows: bits that say why a row does not take part, so that rows keep their numbers
 * whatever is masked (spec 1.9). The filter sets a state too: by the number of words and the share
 * of letters of each text. */
#include <inttypes.h>
#include <math.h>

#include "pool/pool_state.h"
#include "text/utf8.h"

const uint32_t *alcore_pool_states(const alcore_pool *pool) {
    return pool && pool->rows > 0 ? pool->states : NULL;
}

/* Rows that have one of the bits of `states` or, with states 0, that have no state: the rows that
 * may be selected. */
int64_t alcore_pool_state_count(const alcore_pool *pool, uint32_t states) {
    const uint32_t known = 2 * (uint32_t)ALCORE_ROW_MALFORMED - ALCORE_ROW_EMPTY; /* all bits */
    int64_t count = 0;
    if (!pool || (states & ~known) != 0) return 0;
    for (int64_t row = 0; row < pool->rows; row++)
        count += states != 0 ? (pool->states[row] & states) != 0 : pool->states[row] == 0;
    return count;
}

/* Fails for the first of rows [count] that the pool lacks. Called before rows that a caller named
 * are read or changed. */
alcore_status alcore__pool_check_rows(const alcore_pool *pool, const int64_t *rows, int64_t count) {
    if (count < 0 || (count > 0 && !rows))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " rows at %p", count, (const void *)rows);
    for (int64_t i = 0; i < count; i++)
        if (rows[i] < 0 || rows[i] >= pool->rows)
            return alcore__fail(ALCORE_E_NOT_FOUND,
                                "there is no row %" PRId64 ": the pool has %" PRId64 " rows",
                                rows[i], pool->rows);
    return ALCORE_OK;
}

/* Checks that a caller may set these bits; the others follow from the data. */
static alcore_status check_states(uint32_t states) {
    const uint32_t allowed =
        ALCORE_ROW_LABELED | ALCORE_ROW_EXCLUDED | ALCORE_ROW_FILTERED | ALCORE_ROW_INELIGIBLE;
    if (states == 0 || (states & ~allowed) != 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "states %#" PRIx32 " cannot be set: expected ALCORE_ROW_LABELED, "
                            "_EXCLUDED, _FILTERED or _INELIGIBLE",
                            states);
    return ALCORE_OK;
}

/* Clears, then sets bits of the states of rows [count]; nothing changes unless all arguments are
 * good. */
static alcore_status change(alcore_pool *pool, uint32_t set, uint32_t clear, const int64_t *rows,
                            int64_t count) {
    ALCORE__TRY(check_states(set | clear));
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    for (int64_t i = 0; i < count; i++)
        pool->states[rows[i]] = (pool->states[rows[i]] & ~clear) | set;
    return ALCORE_OK;
}

alcore_status alcore_pool_mark(alcore_pool *pool, uint32_t states, const int64_t *rows,
                               int64_t count) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, change(pool, states, 0 /* clear */, rows, count));
}

alcore_status alcore_pool_unmark(alcore_pool *pool, uint32_t states, const int64_t *rows,
                                 int64_t count) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, change(pool, 0 /* set */, states, rows, count));
}

/* Sets any bits, also those that callers may not set; the pool is locked for writing. */
alcore_status alcore__pool_mark_internal(alcore_pool *pool, uint32_t states, const int64_t *rows,
                                         int64_t count) {
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    for (int64_t i = 0; i < count; i++) pool->states[rows[i]] |= states;
    return ALCORE_OK;
}

/* Sets bits of the states of the rows whose texts the other pool has. */
static alcore_status mark_texts(alcore_pool *pool, uint32_t states, const alcore_pool *other) {
    uint8_t *known;
    ALCORE__TRY(check_states(states));
    ALCORE__TRY(alcore__new_array(pool->object.ctx, (size_t)pool->rows, 1, &known));
    alcore_status status = alcore__pool_match_texts(pool, other, known);
    for (int64_t row = 0; row < pool->rows && status == ALCORE_OK; row++)
        if (known[row]) pool->states[row] |= states;
    alcore__free(pool->object.ctx, known);
    return status;
}

/* Locks the pool for writing and the other one for reading, which cannot be the same pool. */
alcore_status alcore_pool_mark_texts(alcore_pool *pool, uint32_t states, const alcore_pool *other) {
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    if (other == pool)
        return alcore__pool_change_end(
            pool, alcore__fail(ALCORE_E_INVALID, "a pool is not compared with itself"));
    alcore_status status = alcore__pool_long_read_begin(other);
    if (status == ALCORE_OK) status = alcore__pool_read_end(other, mark_texts(pool, states, other));
    return alcore__pool_change_end(pool, status);
}

/* ---- filter ---- */

/* What the tasks of run_filter() share. */
typedef struct filtering {
    const alcore_pool *pool;
    alcore_filter filter;
    uint8_t *masked; /* out: [rows] 1: the filter masks the row */
} filtering;

/* Share, 0 to 1, of letters among the characters (code points) that are not space; 0 without any.
 */
static double letter_share(const alcore__pool_row *row) {
    int64_t letters = 0, characters = 0;
    for (size_t offset = 0; offset < (size_t)row->length;) {
        const int32_t point = alcore__utf8_next(row->text, (size_t)row->length, &offset);
        if (alcore__utf8_is_space(point)) continue;
        characters++;
        letters += alcore__utf8_is_letter(point);
    }
    return characters > 0 ? (double)letters / (double)characters : 0.0;
}

/* Task `block` of run_filter(): sets masked of the rows of one block of ALCORE_BLOCK_ROWS. A limit
 * of 0 does not count; min_words 0 is met by every row. */
static alcore_status filter_block(void *data, int64_t block, int32_t worker) {
    const filtering *work = data;
    const alcore_filter *filter = &work->filter;
    int64_t row = block * ALCORE_BLOCK_ROWS, end = row + ALCORE_BLOCK_ROWS;
    (void)worker;
    if (end > work->pool->rows) end = work->pool->rows;
    for (; row < end; row++) {
        const alcore__pool_row info = alcore__pool_row_at(work->pool, row);
        ALCORE__TRY(alcore__tick(work->pool->object.ctx, NULL, 0, 0));
        work->masked[row] = info.words < filter->min_words ||
                            (filter->max_words > 0 && info.words > filter->max_words) ||
                            (filter->min_letters > 0 && letter_share(&info) < filter->min_letters);
    }
    return ALCORE_OK;
}

/* Reads the filter, applies it to all rows in parallel, and sets or clears the state FILTERED of
 * each: a later filter replaces an earlier one. */
static alcore_status run_filter(alcore_pool *pool, const alcore_filter *theirs) {
    filtering work = {.pool = pool};
    ALCORE__TRY(alcore__struct_read(&work.filter, sizeof work.filter,
                                    ALCORE__FIRST_SIZE(alcore_filter, min_letters), theirs,
                                    "alcore_filter"));
    const alcore_filter *filter = &work.filter;
    if (filter->min_words < 0 || filter->max_words < 0)
        return alcore__fail(ALCORE_E_INVALID, "a number of words is negative");
    if (!(filter->min_letters >= 0 && filter->min_letters <= 1))
        return alcore__fail(ALCORE_E_INVALID, "min_letters is %g; expected 0 to 1",
                            filter->min_letters);
    ALCORE__TRY(alcore__new_array(pool->object.ctx, (size_t)pool->rows, 1, &work.masked));
    const int64_t blocks = (pool->rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    alcore_status status =
        alcore__parallel(pool->object.ctx, "filtering", blocks, filter_block, &work);
    for (int64_t row = 0; row < pool->rows && status == ALCORE_OK; row++)
        pool->states[row] = (pool->states[row] & ~(uint32_t)ALCORE_ROW_FILTERED) |
                            (work.masked[row] ? (uint32_t)ALCORE_ROW_FILTERED : 0);
    alcore__free(pool->object.ctx, work.masked);
    return status;
}

alcore_status alcore_pool_filter(alcore_pool *pool, const alcore_filter *filter) {
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    return alcore__pool_change_end(pool, run_filter(pool, filter));
}
