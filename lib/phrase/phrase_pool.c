/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_pool_derive_phrases(): the pool of the phrases of a pool. The phrase index
 * (phrase/phrase_table.h) is made, asked for one table and freed, or kept by a counter of the
 * caller; the table becomes the rows and the columns of the new pool, BATCH_ROWS rows at a time, so
 * that no second copy of all texts exists. Row i of the new pool is phrase i of the table. Memory
 * beside the new pool: 12 bytes a word of both pools while phrases are counted, 12 bytes a phrase
 * while rows are added. */
#include <inttypes.h>

#include <stdlib.h>
#include <string.h>

#include "alcore/phrase.h"
#include "phrase/phrase_pool.h"
#include "phrase/phrase_table.h"
#include "pool/pool_state.h"

static const char STAGE[] = "adding phrases";
enum {
    DEFAULT_WORDS = 4, /* longest phrase without options */
    BATCH_ROWS = 8192  /* rows added at once; also rows between two polls of cancellation */
};

/* Refuses an option that is neither 0 nor 1; name: of the member. */
static alcore_status check_flag(int32_t value, const char *name) {
    if (value == 0 || value == 1) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "alcore_phrase_options: %s is %d, neither 0 nor 1", name,
                        value);
}

/* *ours: the caller's options (NULL: all defaults), checked, with the default of max_words filled
 * in; fields that an older struct lacks have their defaults. */
static alcore_status read_options(const alcore_phrase_options *theirs,
                                  alcore_phrase_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_phrase_options, with_letters), theirs,
                                    "alcore_phrase_options"));
    if (ours->max_words == 0) ours->max_words = DEFAULT_WORDS;
    if (ours->max_words != ALCORE_PHRASE_UNLIMITED &&
        (ours->max_words < 1 || ours->max_words > ALCORE_PHRASE_WORDS_MAX))
        return alcore__fail(ALCORE_E_INVALID,
                            "max_words is %" PRId64 "; expected 1 to %d, or "
                            "ALCORE_PHRASE_UNLIMITED",
                            ours->max_words, ALCORE_PHRASE_WORDS_MAX);
    if (ours->min_count < 0)
        return alcore__fail(ALCORE_E_INVALID, "min_count is %" PRId64 "; expected 0 or more",
                            ours->min_count);
    ALCORE__TRY(check_flag(ours->semi_maximal, "semi_maximal"));
    ALCORE__TRY(check_flag(ours->beyond_limit, "beyond_limit"));
    ALCORE__TRY(check_flag(ours->unknown, "unknown"));
    return check_flag(ours->with_letters, "with_letters");
}

/* ---- rows of a pool as a source of texts ---- */

/* Words and text of a row: the functions of an alcore__text_source whose data is a pool. */
static int64_t words_of(const void *data, int64_t row) {
    return alcore__pool_row_at(data, row).words;
}

static const char *text_of(const void *data, int64_t row, size_t *length) {
    const alcore__pool_row info = alcore__pool_row_at(data, row);
    *length = (size_t)info.length;
    return info.text;
}

/* What alcore__derive_phrases() works with. */
typedef struct derivation {
    alcore_pool *pool;                   /* the source */
    const alcore_pool *labeled;          /* all its rows are labeled; NULL: there is none */
    const uint8_t *use;                  /* [rows of the pool] ALCORE__PHRASE_... */
    const alcore_phrase_options *theirs; /* of the caller; NULL: defaults */
    bool by_occurrence;                  /* rows in the order of their first occurrences */
    alcore__phrase_counter *counter;     /* keeps the index; NULL: it is not kept */
} derivation;

/* The same functions where the data is a derivation. A row that is absent has 0 words, so that no
 * phrases of it are counted. */
static int64_t words_of_used(const void *data, int64_t row) {
    const derivation *work = data;
    return work->use[row] == ALCORE__PHRASE_ABSENT ? 0 : words_of(work->pool, row);
}

static const char *text_of_used(const void *data, int64_t row, size_t *length) {
    return text_of(((const derivation *)data)->pool, row, length);
}

/* ---- the index and its rows ---- */

void alcore__phrase_counter_clear(alcore_ctx *ctx, alcore__phrase_counter *counter) {
    alcore__phrase_index_free(counter->index);
    alcore__free(ctx, counter->use);
    *counter = (alcore__phrase_counter){0};
}

/* What the index of a derivation depends on, without an index. */
static alcore__phrase_counter key_of(const derivation *work, const alcore_phrase_options *options) {
    return (alcore__phrase_counter){.rows = work->pool->rows,
                                    .labeled_rows = work->labeled ? work->labeled->rows : -1,
                                    .texts = work->pool->fingerprint,
                                    .labeled_texts = work->labeled ? work->labeled->fingerprint : 0,
                                    .max_words = options->max_words,
                                    .beyond_limit = options->beyond_limit};
}

/* Makes the index of a counter that has none. The index of a counter that is kept between rounds
 * has the words of all rows, and all of them count as unlabeled at first; any other index has no
 * words of rows that are absent. */
static alcore_status make_index(const derivation *work, const alcore_phrase_options *options,
                                alcore__phrase_counter *counter) {
    const alcore_pool *pool = work->pool, *labeled = work->labeled;
    const alcore__text_source all = {pool, pool->rows, words_of, text_of};
    const alcore__text_source used = {work, pool->rows, words_of_used, text_of_used};
    const alcore__text_source labeled_texts = {labeled, labeled ? labeled->rows : 0, words_of,
                                               text_of}; /* read only where there is a pool */
    const uint32_t max_words = options->max_words == ALCORE_PHRASE_UNLIMITED
                                   ? ALCORE__PHRASE_UNLIMITED
                                   : (uint32_t)options->max_words;
    *counter = key_of(work, options);
    ALCORE__TRY(alcore__new_array(pool->object.ctx, (size_t)pool->rows, 1, &counter->use));
    for (int64_t row = 0; row < pool->rows; row++)
        counter->use[row] = !work->counter && work->use[row] == ALCORE__PHRASE_ABSENT
                                ? ALCORE__PHRASE_ABSENT
                                : ALCORE__PHRASE_UNLABELED;
    return alcore__phrase_index_new(pool->object.ctx, work->counter ? &all : &used,
                                    labeled ? &labeled_texts : NULL, max_words,
                                    options->beyond_limit != 0, &counter->index);
}

/* Moves the rows of the index whose states differ from those of the derivation. */
static void move_rows(const derivation *work, alcore__phrase_counter *counter) {
    for (int64_t row = 0; row < counter->rows; row++) {
        if (counter->use[row] == work->use[row]) continue;
        alcore__phrase_index_move(counter->index, &row, 1, work->use[row]);
        counter->use[row] = work->use[row];
    }
}

/* Lists the phrases that pass the filter of the options in *table, by the index of the counter,
 * which is made first where it has none of these texts. */
static alcore_status list_phrases(const derivation *work, const alcore_phrase_options *options,
                                  alcore__phrase_counter *counter, alcore__phrase_table *table) {
    const alcore__phrase_filter filter = {
        .min_count = options->min_count > UINT32_MAX ? UINT32_MAX : (uint32_t)options->min_count,
        .semi_maximal = options->semi_maximal != 0,
        .unlabeled = options->unknown != 0,
        .letters = options->with_letters != 0};
    const alcore__phrase_counter key = key_of(work, options);
    const bool current =
        counter->index && counter->rows == key.rows && counter->labeled_rows == key.labeled_rows &&
        counter->texts == key.texts && counter->labeled_texts == key.labeled_texts &&
        counter->max_words == key.max_words && counter->beyond_limit == key.beyond_limit;
    if (!current) {
        alcore__phrase_counter_clear(work->pool->object.ctx, counter);
        ALCORE__TRY(make_index(work, options, counter));
    }
    move_rows(work, counter);
    return alcore__phrase_table_list(counter->index, &filter, table);
}

/* The order of phrases by first occurrence, then length, for sorting: positions of a corpus ascend
 * by row and word. */
static int compare_occurrences(const void *left, const void *right) {
    const alcore__phrase *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->length < b->length ? -1 : a->length > b->length;
}

/* ---- the new pool ---- */

/* Rows that are added together, index i for the i-th of them. */
typedef struct batch {
    const char *texts[BATCH_ROWS]; /* in buffer; set when that is complete, since it moves */
    size_t offsets[BATCH_ROWS];    /* of each text in buffer */
    size_t lengths[BATCH_ROWS];    /* bytes */
    const char *ids[BATCH_ROWS];   /* the same of the ids */
    size_t id_offsets[BATCH_ROWS], id_lengths[BATCH_ROWS];
    const char *languages[BATCH_ROWS]; /* views of the source's tags */
    double costs[BATCH_ROWS];          /* words */
    alcore__buffer buffer;             /* the texts and the ids, one after the other */
} batch;

/* Appends the id of a phrase, "ROW:WORD+LENGTH": the id of the row of its first occurrence, the
 * word of that row at which it begins, from 0, and its number of words. */
static alcore_status put_id(const alcore_pool *source, const alcore__phrase_index *index,
                            const alcore__phrase *phrase, alcore__buffer *out) {
    char number[24]; /* of a row without an id */
    int64_t word;
    const int64_t row = alcore__phrase_row(index, phrase, &word);
    return alcore__buffer_format(index->ctx, out, "%s:%" PRId64 "+%d",
                                 alcore__pool_id(source, row, number), word, (int)phrase->length);
}

/* Adds the phrases [count] as rows of out: the words as text, their number as cost, the language of
 * the row of the first occurrence. The texts are put into one buffer first and addressed
 * afterwards, since the buffer moves while it grows. */
static alcore_status add_batch(const alcore__phrase_index *index, const alcore__phrase *phrases,
                               int64_t count, batch *work, alcore_pool *out) {
    alcore_records records = ALCORE_RECORDS_INIT;
    work->buffer.length = 0;
    for (int64_t i = 0; i < count; i++) {
        work->offsets[i] = work->buffer.length;
        ALCORE__TRY(alcore__phrase_text(index, &phrases[i], &work->buffer));
        work->lengths[i] = work->buffer.length - work->offsets[i];
        work->id_offsets[i] = work->buffer.length;
        ALCORE__TRY(put_id(out->source, index, &phrases[i], &work->buffer));
        work->id_lengths[i] = work->buffer.length - work->id_offsets[i];
        work->costs[i] = phrases[i].length;
        int64_t word; /* not used */
        work->languages[i] =
            alcore_pool_language(out->source, alcore__phrase_row(index, &phrases[i], &word));
    }
    for (int64_t i = 0; i < count; i++) {
        work->texts[i] = work->buffer.data + work->offsets[i];
        work->ids[i] = work->buffer.data + work->id_offsets[i];
    }
    records.count = count;
    records.texts = work->texts;
    records.text_lengths = work->lengths;
    records.ids = work->ids;
    records.id_lengths = work->id_lengths;
    if (out->source->language_names.count > 0) records.languages = work->languages;
    records.costs = work->costs;
    return alcore_pool_add_records(out, &records, NULL /* first row: known */);
}

/* Adds all phrases of the table as rows of out, a batch at a time; row i is phrase i. */
static alcore_status add_rows(const alcore__phrase_index *index, const alcore__phrase_table *table,
                              alcore_pool *out) {
    batch *work = NULL;
    alcore_status status = alcore__new_array(index->ctx, 1, sizeof *work, &work);
    for (int64_t row = 0; row < table->count && status == ALCORE_OK; row += BATCH_ROWS) {
        const int64_t left = table->count - row;
        ALCORE__TRY_GOTO(status, done, alcore__tick(index->ctx, STAGE, row, table->count));
        status = add_batch(index, table->phrases + row, left < BATCH_ROWS ? left : BATCH_ROWS, work,
                           out);
    }
done:
    if (work) alcore__buffer_clear(index->ctx, &work->buffer);
    alcore__free(index->ctx, work);
    return status;
}

/* ---- columns ---- */

/* The columns of a pool of phrases (alcore/phrase.h). */
typedef enum phrase_column {
    OCCURRENCES,    /* in unlabeled rows */
    LENGTH,         /* words */
    FIRST_ROW,      /* row of the source pool in which it occurs first */
    FIRST_POSITION, /* word of that row at which it begins, from 0 */
    KNOWN,          /* 1: it occurs in labeled rows too */
    SEMI_MAXIMAL,   /* 1: it is semi-maximal */
    COLUMNS         /* the number of columns */
} phrase_column;

/* The value of a phrase in one column of the new pool; flags are 0 or 1, rows and positions count
 * from 0. */
static int64_t value_of(const alcore__phrase_index *index, const alcore__phrase *phrase,
                        phrase_column column) {
    int64_t row, word;
    switch (column) {
    case OCCURRENCES:
        return phrase->occ;
    case LENGTH:
        return phrase->length;
    case KNOWN:
        return phrase->labeled;
    case SEMI_MAXIMAL:
        return phrase->semi_maximal;
    default:
        row = alcore__phrase_row(index, phrase, &word);
        return column == FIRST_ROW ? row : word;
    }
}

/* Adds one column to the new pool, whose rows are the phrases of the table: computes values, int32
 * of flags and int64 of others, and copies them in. The origin of the column becomes "derived", so
 * that its values are not taken for ones that the caller gave. Nobody else has the new pool yet, so
 * it needs no lock. */
static alcore_status add_column(const alcore__phrase_index *index,
                                const alcore__phrase_table *table, phrase_column column,
                                alcore_pool *out) {
    static const char *const names[COLUMNS] = {"occurrences",    "length", "first_row",
                                               "first_position", "known",  "semi_maximal"};
    const bool flag = column == KNOWN || column == SEMI_MAXIMAL;
    alcore_ctx *ctx = index->ctx;
    alcore_tensor tensor;
    int64_t count = table->count;
    void *values = NULL; /* [count] int32 flags, int64 otherwise */
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)table->count, flag ? 4 : 8, &values));
    for (int64_t i = 0; i < table->count; i++) {
        const int64_t value = value_of(index, &table->phrases[i], column);
        if (i % BATCH_ROWS == 0)
            ALCORE__TRY_GOTO(status, done, alcore__tick(ctx, STAGE, i, table->count));
        if (flag)
            ((int32_t *)values)[i] = (int32_t)value;
        else
            ((int64_t *)values)[i] = value;
    }
    ALCORE__TRY_GOTO(
        status, done,
        alcore_tensor_init(&tensor, values, flag ? ALCORE_INT32 : ALCORE_INT64, &count, 1));
    ALCORE__TRY_GOTO(status, done,
                     alcore_pool_set_column(out, names[column], &tensor, NULL /* offsets */,
                                            NULL /* options: copied */));
    status = alcore__column_mark_derived(alcore__pool_change_column(out, names[column]));
done:
    alcore__free(ctx, values);
    return status;
}

/* Notes in the new pool which rows of the source were unlabeled: the occurrences of its phrases are
 * in these (phrase_occurrences.c), whatever becomes of the rows later. */
static alcore_status keep_use(const derivation *work, alcore_pool *out) {
    const int64_t rows = work->pool->rows;
    ALCORE__TRY(alcore__new_array(work->pool->object.ctx, (size_t)rows, 1, &out->counted));
    out->counted_end = rows;
    for (int64_t row = 0; row < rows; row++) {
        out->counted[row] = work->use[row] == ALCORE__PHRASE_UNLABELED;
        out->counted_rows += out->counted[row];
    }
    return ALCORE_OK;
}

/* Makes the derived pool with its rows and columns; *out is set when it is complete. */
static alcore_status make_pool(const derivation *work, const alcore__phrase_index *index,
                               const alcore__phrase_table *table, alcore_pool **out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool = NULL;
    options.dedup =
        ALCORE_DEDUP_NONE; /* phrases are distinct; an index of them would cost memory */
    options.max_text_bytes = INT64_MAX;
    ALCORE__TRY(alcore_pool_new_derived(work->pool, &options, &pool));
    alcore_status status = keep_use(work, pool);
    if (status == ALCORE_OK) status = add_rows(index, table, pool);
    for (phrase_column column = 0; column < COLUMNS && status == ALCORE_OK; column++)
        status = add_column(index, table, column, pool);
    if (status != ALCORE_OK)
        alcore_pool_unref(pool);
    else
        *out = pool;
    return status;
}

/* Lists the phrases and makes the pool; an index that is not kept is freed, the largest part of it
 * in between. Called with both pools locked for reading. */
static alcore_status derive(const derivation *work, alcore_pool **out) {
    alcore_ctx *ctx = work->pool->object.ctx;
    alcore_phrase_options options;
    alcore__phrase_counter own = {0}, *counter = work->counter ? work->counter : &own;
    alcore__phrase_table table = {0};
    ALCORE__TRY(read_options(work->theirs, &options));
    alcore_status status = list_phrases(work, &options, counter, &table);
    if (status == ALCORE_OK) {
        if (counter == &own) /* the rows need its memory */
            alcore__suffix_array_clear(ctx, &own.index->array);
        if (work->by_occurrence)
            status = alcore__sort(ctx, table.phrases, (size_t)table.count, sizeof *table.phrases,
                                  compare_occurrences);
    }
    if (status == ALCORE_OK) status = make_pool(work, counter->index, &table, out);
    alcore__phrase_table_clear(ctx, &table);
    alcore__phrase_counter_clear(ctx, &own);
    return status;
}

alcore_status alcore__derive_phrases(alcore_pool *pool, const alcore_pool *labeled,
                                     const uint8_t *use, const alcore_phrase_options *options,
                                     bool by_occurrence, alcore__phrase_counter *counter,
                                     alcore_pool **out) {
    const derivation work = {pool, labeled, use, options, by_occurrence, counter};
    return derive(&work, out);
}

/* The phrases of a pool by the states of its rows: without a state a row is unlabeled, a label that
 * is not its only state makes it labeled all the same, and any other state leaves it out. */
static alcore_status derive_by_states(alcore_pool *pool, const alcore_pool *labeled,
                                      const alcore_phrase_options *options, alcore_pool **out) {
    alcore_ctx *ctx = pool->object.ctx;
    uint8_t *use = NULL; /* [rows] */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)pool->rows, sizeof *use, &use));
    for (int64_t row = 0; row < pool->rows; row++) {
        const uint32_t states = pool->states[row];
        use[row] = states == 0                     ? ALCORE__PHRASE_UNLABELED
                   : (states & ALCORE_ROW_LABELED) ? ALCORE__PHRASE_LABELED
                                                   : ALCORE__PHRASE_ABSENT;
    }
    const alcore_status status =
        alcore__derive_phrases(pool, labeled, use, options, false /* by frequency */, NULL, out);
    alcore__free(ctx, use);
    return status;
}

/* Locks both pools for reading, the labeled one only if there is one; both may be the same pool, as
 * readers do not exclude each other. */
alcore_status alcore_pool_derive_phrases(alcore_pool *pool, const alcore_pool *labeled,
                                         const alcore_phrase_options *options, alcore_pool **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__pool_long_read_begin(pool));
    alcore_status status = !out ? alcore__fail(ALCORE_E_INVALID, "out is NULL") : ALCORE_OK;
    if (status == ALCORE_OK && labeled) {
        status = alcore__pool_long_read_begin(labeled);
        if (status == ALCORE_OK)
            status = alcore__pool_read_end(labeled, derive_by_states(pool, labeled, options, out));
    } else if (status == ALCORE_OK) {
        status = derive_by_states(pool, NULL, options, out);
    }
    return alcore__pool_read_end(pool, status);
}
