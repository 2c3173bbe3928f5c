/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the columns of a pool of phrases (phrase_columns.h): one pass over integer columns, whose
 * values are checked and copied to the record. A block is 8192 pool rows, its active rows are its
 * candidates, and its partial, what it contributes to the pass, is phrase_row [active rows]. */
#include "strategy/rules/phrase_columns.h"

#include <string.h>

#include "strategy/block.h"

static const char *const RECORD_NAMES[ALCORE__PHRASE_RECORDS] = {"occ", "first_row",
                                                                 "first_position", "length"};
static const char *const SOURCE_NAMES[ALCORE__PHRASE_RECORDS] = {"occurrences", "first_row",
                                                                 "first_position", "length"};

/* What a block contributes for each of its candidates. */
typedef struct phrase_row {
    int64_t values[ALCORE__PHRASE_RECORDS];
    int64_t listed; /* 1: the flag columns of the pool do not rule the phrase out */
} phrase_row;

/* options.unknown is 1 where phrases that a labeled row contains are left out, else 0. */
alcore_status alcore__phrase_columns_begin(alcore__run *run, alcore__phrase_columns *columns) {
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    run->def->phrase_options(run->values, &options);
    columns->excludes_known = options.unknown == 1;
    for (alcore__phrase_record c = 0; c < ALCORE__PHRASE_RECORDS; c++)
        ALCORE__TRY(
            alcore__outcome_column(run, RECORD_NAMES[c], ALCORE_INT64, &columns->records[c]));
    return ALCORE__RUN_ARRAY(run, run->outcome.count, &columns->listed);
}

/* ---- pass "columns" ---- */

/* Reads an integer column of the candidates' pool for the candidates of a block: out
 * [block->count], one for each active row. Fails on a value that is NaN, negative or not below
 * 2^53, up to which doubles hold every integer. The column is there: it is among the strategy's
 * needs. The scratch memory of the call is released on success; after a failure the runner does. */
static alcore_status read_column(alcore__block *block, const char *name, int64_t *out) {
    const alcore__column *column = alcore__dataset_find(&block->run->input->candidates, name);
    const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    alcore_sys_rows rows;
    double *values; /* [rows.count] */
    ALCORE__TRY(alcore__block_column(block, column, &rows));
    if (rows.dims != 1)
        return alcore__fail(ALCORE_E_SHAPE, "column '%s' has more than one value a row", name);
    ALCORE__TRY(alcore__scratch_push(block, rows.count, sizeof *values, &values));
    alcore__column_widen(&rows, values);
    for (int64_t i = 0; i < block->count; i++) {
        const double value = values[block->rows[i] - block->rows[0]];
        if (!(value >= 0 && value < 0x1p53))
            return alcore__fail(ALCORE_E_DATA,
                                "column '%s' has no number of 0 or more for row %lld", name,
                                (long long)block->rows[i]);
        out[i] = (int64_t)value;
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* Block function of the pass for all phrases: reads the record columns, and lists every phrase. The
 * partial is phrase_row [active rows]. */
static alcore_status read_all(alcore__block *block, void *partial) {
    phrase_row *rows = partial;
    int64_t *numbers;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *numbers, &numbers));
    for (alcore__phrase_record c = 0; c < ALCORE__PHRASE_RECORDS; c++) {
        ALCORE__TRY(read_column(block, SOURCE_NAMES[c], numbers));
        for (int64_t i = 0; i < block->count; i++) rows[i].values[c] = numbers[i];
    }
    for (int64_t i = 0; i < block->count; i++) rows[i].listed = 1;
    return ALCORE_OK;
}

/* The same without known phrases: these are not listed unless the strategy may buy them. */
static alcore_status read_unknown(alcore__block *block, void *partial) {
    phrase_row *rows = partial;
    int64_t *numbers;
    ALCORE__TRY(read_all(block, partial));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *numbers, &numbers));
    ALCORE__TRY(read_column(block, "known", numbers));
    const bool excludes = ((const alcore__phrase_columns *)block->run->state)->excludes_known;
    for (int64_t i = 0; i < block->count; i++) rows[i].listed = !(excludes && numbers[i] != 0);
    return ALCORE_OK;
}

/* The same as read_unknown(), and of the phrases that it lists only semi-maximal ones stay listed.
 */
static alcore_status read_semi_maximal(alcore__block *block, void *partial) {
    phrase_row *rows = partial;
    int64_t *numbers;
    ALCORE__TRY(read_unknown(block, partial));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *numbers, &numbers));
    ALCORE__TRY(read_column(block, "semi_maximal", numbers));
    for (int64_t i = 0; i < block->count; i++) rows[i].listed &= numbers[i] != 0;
    return ALCORE_OK;
}

/* Reduces the partial of one block: stores its entries at the positions of its candidates. */
static alcore_status store_phrases(alcore__run *run, const alcore__block_partial *partial) {
    alcore__phrase_columns *state = run->state;
    const phrase_row *rows = partial->extra;
    for (int64_t i = 0; i < partial->count; i++) {
        for (alcore__phrase_record c = 0; c < ALCORE__PHRASE_RECORDS; c++)
            state->records[c][partial->start + i] = rows[i].values[c];
        state->listed[partial->start + i] = rows[i].listed != 0;
    }
    return ALCORE_OK;
}

#define COLUMNS_PASS(read)                                                                         \
    {                                                                                              \
        {.name = "columns",                                                                        \
         .narrow = true,                                                                           \
         .keeps_nothing = true,                                                                    \
         .block = (read),                                                                          \
         .partial = {.row_bytes = sizeof(phrase_row), .reduce = store_phrases}},                   \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }
const alcore__pass alcore__unknown_phrases_passes[] = COLUMNS_PASS(read_unknown);
const alcore__pass alcore__semi_maximal_passes[] = COLUMNS_PASS(read_semi_maximal);
const alcore__pass alcore__all_phrases_passes[] = COLUMNS_PASS(read_all);

/* ---- the phrases that a request derives from a pool of texts ---- */

void alcore__phrase_options_set(const alcore__values *values, alcore_phrase_options *out) {
    alcore__values_bind(values, ALCORE__TO_PHRASES, out);
    if (out->max_words == 0) out->max_words = ALCORE_PHRASE_UNLIMITED; /* max_n=inf */
}

void alcore__smp_options_set(const alcore__values *values, alcore_phrase_options *out) {
    alcore__phrase_options_set(values, out);
    out->unknown = 1;
    out->semi_maximal = 1;
}
