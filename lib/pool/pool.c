/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a pool: how it is made, locked and freed, and the accessors that read one row.
 *
 * What a row has lies in segments, arrays in pieces by row number that exist only where a row has
 * such a thing. Languages and groups are numbers of names: 0 is none, n is names[n - 1]. Strings
 * are NUL-terminated views of the pool's memory, valid while it lives. Accessors take no lock: they
 * are for callers that do not change the pool meanwhile. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pool/pool_state.h"
#include "text/utf8.h"

enum { MAX_TEXT_BYTES = 64 << 20 }; /* of one string, unless the options say otherwise */

/* Frees the list and the index of names; the strings are in pool->texts. */
static void free_names(alcore_ctx *ctx, alcore__pool_names *names) {
    alcore__free(ctx, names->names);
    alcore__index_clear(ctx, &names->index);
}

/* The destructor of the handle, called when its last reference is released. */
static void release_pool(void *object) {
    alcore_pool *pool = object;
    alcore_ctx *ctx = pool->object.ctx;
    for (size_t i = 0; i < pool->column_count; i++) alcore__column_free(pool->columns[i]);
    alcore__free(ctx, pool->columns);
    alcore__segments_clear(ctx, &pool->row_texts);
    alcore__segments_clear(ctx, &pool->ids);
    alcore__segments_clear(ctx, &pool->references);
    alcore__segments_clear(ctx, &pool->costs);
    alcore__segments_clear(ctx, &pool->languages);
    alcore__segments_clear(ctx, &pool->groups);
    free_names(ctx, &pool->language_names);
    free_names(ctx, &pool->group_names);
    alcore__number_ids_clear(ctx, &pool->number_ids);
    alcore__free(ctx, pool->tags);
    alcore__free(ctx, pool->tag_ranks);
    alcore__free(ctx, pool->states);
    alcore__free(ctx, pool->counted);
    alcore__index_clear(ctx, &pool->duplicates);
    alcore__index_clear(ctx, &pool->id_index);
    alcore__chunks_rollback(ctx, &pool->texts, &(alcore__chunks){0});
    alcore_pool_unref(pool->source);
}

/* Copies and checks the caller's options; max_text_bytes 0 means the default. */
static alcore_status read_options(const alcore_pool_options *theirs, alcore_pool_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_pool_options, max_text_bytes), theirs,
                                    "alcore_pool_options"));
    ours->dedup = alcore__or_default(ours->dedup, ALCORE_DEDUP_EXACT);
    ours->utf8 = alcore__or_default(ours->utf8, ALCORE_UTF8_REFUSE);
    ours->repeated_ids = alcore__or_default(ours->repeated_ids, ALCORE_IDS_UNIQUE);
    if (ours->dedup < ALCORE_DEDUP_EXACT || ours->dedup > ALCORE_DEDUP_NONE)
        return alcore__fail(ALCORE_E_INVALID, "dedup is %d; expected ALCORE_DEDUP_*", ours->dedup);
    if (ours->utf8 != ALCORE_UTF8_REFUSE && ours->utf8 != ALCORE_UTF8_REPLACE)
        return alcore__fail(ALCORE_E_INVALID, "utf8 is %d; expected ALCORE_UTF8_*", ours->utf8);
    if (ours->repeated_ids < ALCORE_IDS_UNIQUE || ours->repeated_ids > ALCORE_IDS_ANY)
        return alcore__fail(ALCORE_E_INVALID, "repeated_ids is %d; expected ALCORE_IDS_*",
                            ours->repeated_ids);
    ALCORE__TRY(alcore__struct_reserved(ours->reserved, "alcore_pool_options"));
    if (ours->max_text_bytes < 0)
        return alcore__fail(ALCORE_E_INVALID, "max_text_bytes is %" PRId64 "; expected 0 or more",
                            ours->max_text_bytes);
    if (ours->max_text_bytes == 0) ours->max_text_bytes = MAX_TEXT_BYTES;
    return ALCORE_OK;
}

/* Makes an empty pool, options NULL: all defaults. Called for pools of their own and for derived
 * pools, whose source the caller then sets. */
static alcore_status new_pool(alcore_ctx *ctx, const alcore_pool_options *options,
                              alcore_pool **out) {
    alcore_pool_options ours;
    alcore_pool *pool;
    ALCORE__TRY(read_options(options, &ours));
    ALCORE__TRY(alcore__object_new(ctx, sizeof *pool, release_pool, &pool));
    pool->dedup = ours.dedup;
    pool->utf8 = ours.utf8;
    pool->repeated_ids = ours.repeated_ids;
    pool->max_text_bytes = ours.max_text_bytes;
    *out = pool;
    return ALCORE_OK;
}

alcore_status alcore_pool_new(alcore_ctx *ctx, const alcore_pool_options *options,
                              alcore_pool **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter(ctx));
    if (!ctx || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL"));
    return alcore__leave(ctx, new_pool(ctx, options, out));
}

/* A derived pool has a reference to its source, which therefore lives at least as long: columns of
 * the derived pool may name rows of the source. */
alcore_status alcore_pool_new_derived(alcore_pool *source, const alcore_pool_options *options,
                                      alcore_pool **out) {
    alcore_ctx *ctx = source ? source->object.ctx : NULL;
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter(ctx));
    if (!source || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "source or out is NULL"));
    alcore_status status = new_pool(ctx, options, out);
    if (status == ALCORE_OK) (*out)->source = alcore_pool_ref(source);
    return alcore__leave(ctx, status);
}

alcore_pool *alcore_pool_source(const alcore_pool *pool) {
    return pool ? pool->source : NULL;
}

alcore_pool *alcore_pool_ref(alcore_pool *pool) {
    return alcore__object_ref(pool);
}

void alcore_pool_unref(alcore_pool *pool) {
    alcore__object_unref(pool);
}

/* Begins a public call that changes the pool: enters its context by `enter` and locks the pool for
 * writing. A failure has left the context again, so the caller only returns it. */
static alcore_status begin_change(alcore_pool *pool, alcore_status (*enter)(alcore_ctx *)) {
    alcore_ctx *ctx = pool ? pool->object.ctx : NULL;
    ALCORE__TRY(enter(ctx));
    if (!pool) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "pool is NULL"));
    alcore_status status = alcore__write_begin(pool, "pool");
    return status == ALCORE_OK ? status : alcore__leave(ctx, status);
}

alcore_status alcore__pool_change_begin(alcore_pool *pool) {
    return begin_change(pool, alcore__enter);
}

alcore_status alcore__pool_long_change_begin(alcore_pool *pool) {
    return begin_change(pool, alcore__enter_long);
}

/* Ends such a call; returns its status. */
alcore_status alcore__pool_change_end(alcore_pool *pool, alcore_status status) {
    alcore__write_end(pool);
    return alcore__leave(pool->object.ctx, status);
}

/* Begins a public call that reads the pool: enters its context by `enter` and locks the pool for
 * reading. A failure has left the context again. */
static alcore_status begin_read(const alcore_pool *pool, alcore_status (*enter)(alcore_ctx *)) {
    alcore_ctx *ctx = pool ? pool->object.ctx : NULL;
    ALCORE__TRY(enter(ctx));
    if (!pool) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "pool is NULL"));
    alcore_status status = alcore__read_begin(pool, "pool");
    return status == ALCORE_OK ? status : alcore__leave(ctx, status);
}

alcore_status alcore__pool_read_begin(const alcore_pool *pool) {
    return begin_read(pool, alcore__enter);
}

alcore_status alcore__pool_long_read_begin(const alcore_pool *pool) {
    return begin_read(pool, alcore__enter_long);
}

/* Ends such a call; returns its status. */
alcore_status alcore__pool_read_end(const alcore_pool *pool, alcore_status status) {
    alcore__read_end(pool);
    return alcore__leave(pool->object.ctx, status);
}

static bool has_row(const alcore_pool *pool, int64_t row) {
    return pool && row >= 0 && row < pool->rows;
}

int64_t alcore_pool_row_count(const alcore_pool *pool) {
    return pool ? pool->rows : 0;
}

/* A view of the row's text; NULL for a row that the pool lacks. */
const char *alcore_pool_text(const alcore_pool *pool, int64_t row, size_t *out_length) {
    if (out_length) *out_length = 0;
    if (!has_row(pool, row)) return NULL;
    const alcore__pool_row info = alcore__pool_row_at(pool, row);
    if (out_length) *out_length = (size_t)info.length;
    return info.text;
}

/* The id that was given or, without one, the row's number from 1, written to buffer (NULL: then
 * NULL). */
const char *alcore__pool_id(const alcore_pool *pool, int64_t row, char buffer[24]) {
    if (!has_row(pool, row)) return NULL;
    const char *id = alcore__pool_given_id(pool, row);
    if (id || !buffer) return id;
    snprintf(buffer, 24, "%" PRId64, row + 1);
    return buffer;
}

const char *alcore_pool_row_id(const alcore_pool *pool, int64_t row) {
    if (!has_row(pool, row)) return NULL;
    const char *id = alcore__pool_given_id(pool, row);
    if (id) return id;
    alcore_pool *self = pool->object.self; /* which keeps what is made here */
    return alcore__number_id(pool->object.ctx, &self->number_ids, row);
}

/* NULL where the row has no reference. The text is a view, valid as long as the pool. */
const char *alcore_pool_reference(const alcore_pool *pool, int64_t row, size_t *out_length) {
    if (out_length) *out_length = 0;
    if (!has_row(pool, row)) return NULL;
    const alcore__pool_reference *reference =
        alcore__segments_get(&pool->references, sizeof *reference, row);
    if (!reference || !reference->text) return NULL;
    if (out_length) *out_length = (size_t)reference->length;
    return reference->text;
}

/* The name of a row in a column of numbers (languages or groups); NULL: the row has none. */
static const char *name_of(const alcore__segments *numbers, const alcore__pool_names *names,
                           int64_t row) {
    const uint32_t *number = alcore__segments_get(numbers, sizeof *number, row);
    return number && *number > 0 ? names->names[*number - 1] : NULL;
}

const char *alcore_pool_language(const alcore_pool *pool, int64_t row) {
    if (!has_row(pool, row)) return NULL;
    const char *tag = name_of(&pool->languages, &pool->language_names, row);
    return tag ? tag : ALCORE__NO_LANGUAGE;
}

const char *alcore_pool_group(const alcore_pool *pool, int64_t row) {
    return has_row(pool, row) ? name_of(&pool->groups, &pool->group_names, row) : NULL;
}

/* NaN where the row has no cost, or there is no such row. */
double alcore_pool_cost(const alcore_pool *pool, int64_t row) {
    if (!has_row(pool, row)) return NAN;
    const alcore__pool_cost *cost = alcore__segments_get(&pool->costs, sizeof *cost, row);
    return cost && cost->given ? cost->cost : NAN;
}

int64_t alcore_pool_words(const alcore_pool *pool, int64_t row) {
    return has_row(pool, row) ? alcore__pool_row_at(pool, row).words : -1;
}

alcore_ctx *alcore__pool_ctx(const alcore_pool *pool) {
    return pool->object.ctx;
}

uint64_t alcore_pool_fingerprint(const alcore_pool *pool) {
    return pool ? pool->fingerprint : 0;
}

int64_t alcore__pool_characters(const alcore_pool *pool, int64_t row) {
    const alcore__pool_row info = alcore__pool_row_at(pool, row);
    return alcore__utf8_count(info.text, (size_t)info.length);
}

int64_t alcore__pool_languages(const alcore_pool *pool, const char *const **out_tags) {
    *out_tags = pool->tags;
    return pool->tag_count;
}

/* By bisection. Of a tag and a longer one that begins with it the shorter comes first. */
int64_t alcore__tag_find(const char *const *tags, int64_t count, const char *tag, size_t length) {
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int order = strncmp(tags[middle], tag, length);
        if (order == 0 && tags[middle][length] == '\0') return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

const char *alcore_pool_distinct_language(const alcore_pool *pool, int64_t index) {
    return pool && index >= 0 && index < pool->tag_count ? pool->tags[index] : NULL;
}

/* The rank, from 0, of the row's language among the pool's tags in byte order; tag_ranks[0] is that
 * of rows without a language, which is in the list when such a row exists. */
int64_t alcore__pool_language_rank(const alcore_pool *pool, int64_t row) {
    const uint32_t *number = alcore__segments_get(&pool->languages, sizeof *number, row);
    return pool->tag_ranks[number ? *number : 0];
}

/* Rows from which a share of letters is estimated: every k-th row, the same ones in every call. */
enum { SHARE_ROWS = 50000 };

/* The share, 0 to 1, of letters that belong to scripts written without spaces, estimated from at
 * most SHARE_ROWS rows, masked ones too; 0 for a pool without letters. */
double alcore__pool_unspaced_share(const alcore_pool *pool) {
    int64_t letters = 0, unspaced = 0;
    const int64_t step = pool->rows / SHARE_ROWS + 1;
    for (int64_t row = 0; row < pool->rows; row += step) {
        const alcore__pool_row info = alcore__pool_row_at(pool, row);
        for (size_t offset = 0; offset < (size_t)info.length;) {
            int32_t point = alcore__utf8_next(info.text, (size_t)info.length, &offset);
            if (!alcore__utf8_is_letter(point)) continue;
            letters++;
            unspaced += alcore__utf8_is_unspaced(point);
        }
    }
    return letters > 0 ? (double)unspaced / (double)letters : 0.0;
}
