/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of the texts that an n-gram model learns from, where the request names one that has
 * no labeled pool. A shard puts in each row that is neither masked by its state nor a text of an
 * earlier shard: a text_head and its bytes, up to a multiple of 8. Each job makes a pool of those
 * of all shards, of which the model then learns what it learns of the pool of one machine: the same
 * texts, in the same order.
 *
 * The texts travel, not the counts of their n-grams: these would be more bytes, as most n-grams of
 * a text occur once. */
#include "base/byte_cursor.h"
#include "extra/job/job_internal.h"
#include "pool/pool_state.h"

typedef struct text_head {
    uint32_t length; /* bytes */
    uint32_t state;  /* 0 or ALCORE_ROW_LABELED */
} text_head;

/* ---- put ---- */

static alcore_status put_texts(const alcore_job *job, const alcore_pool *pool,
                               alcore__buffer *items) {
    static const char zeros[8];
    alcore_ctx *ctx = job->object.ctx;
    const uint32_t *states = alcore_pool_states(pool);
    const int64_t rows = alcore_pool_row_count(pool);
    for (int64_t row = 0; row < rows; row++) {
        size_t length;
        if (row % ALCORE_BLOCK_ROWS == 0)
            ALCORE__TRY(alcore__tick(ctx, "texts of the model", row, rows));
        if ((states[row] & ~(uint32_t)ALCORE_ROW_LABELED) != 0 ||
            (job->repeated && job->repeated[row]))
            continue;
        const char *text = alcore_pool_text(pool, row, &length);
        if (length > UINT32_MAX)
            return alcore__fail(ALCORE_E_UNSUPPORTED, "the text of row %lld has 4 GiB or more",
                                (long long)row);
        const text_head head = {.length = (uint32_t)length, .state = states[row]};
        ALCORE__TRY(alcore__buffer_append(ctx, items, &head, sizeof head));
        ALCORE__TRY(alcore__buffer_append(ctx, items, text, length));
        ALCORE__TRY(
            alcore__buffer_append(ctx, items, zeros, alcore__cursor_padded(length) - length));
    }
    return ALCORE_OK;
}

alcore_status alcore__job_put_model(alcore_job *job, alcore__job_entry *entry,
                                    alcore__buffer *items) {
    const alcore_pool *pool = job->request->candidates;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore_status status = put_texts(job, pool, items);
    alcore__read_end(pool);
    entry->count = (int64_t)(items->length / 8);
    return status;
}

/* ---- take ---- */

/* What the texts of one shard are collected in: arrays [count], owned. */
typedef struct collected {
    const char **texts; /* views of the message */
    size_t *lengths;
    int64_t *labeled; /* [labeled_count] rows of the pool that is made */
    size_t text_capacity, length_capacity, labeled_capacity;
    int64_t count, labeled_count;
} collected;

/* Collects the texts of an entry; before: how many texts the pool has. *whole: false where the
 * entry is damaged. */
static alcore_status collect(alcore_ctx *ctx, alcore__byte_cursor cursor, int64_t before,
                             collected *out, bool *whole) {
    *whole = true;
    out->count = out->labeled_count = 0;
    while (cursor.left > 0 && *whole) {
        const size_t count = (size_t)out->count + 1;
        text_head head;
        const char *text = NULL;
        if (alcore__cursor_read(&cursor, &head, sizeof head) && head.length <= cursor.left &&
            (head.state & ~(uint32_t)ALCORE_ROW_LABELED) == 0)
            text = alcore__cursor_take(&cursor, alcore__cursor_padded(head.length), 1);
        *whole = text != NULL;
        if (!*whole) break;
        ALCORE__TRY(alcore__grow(ctx, &out->texts, &out->text_capacity, count, sizeof *out->texts));
        ALCORE__TRY(
            alcore__grow(ctx, &out->lengths, &out->length_capacity, count, sizeof *out->lengths));
        ALCORE__TRY(alcore__grow(ctx, &out->labeled, &out->labeled_capacity,
                                 (size_t)out->labeled_count + 1, sizeof *out->labeled));
        if (head.state) out->labeled[out->labeled_count++] = before + out->count;
        out->texts[out->count] = text;
        out->lengths[out->count++] = head.length;
    }
    return ALCORE_OK;
}

/* Adds the texts of an entry to the pool. */
static alcore_status add_entry(alcore_ctx *ctx, const alcore__job_entry *entry, const char *items,
                               collected *texts, alcore_pool *pool) {
    const alcore__byte_cursor cursor = {.next = items, .left = 8 * (size_t)entry->count};
    bool whole;
    ALCORE__TRY(collect(ctx, cursor, alcore_pool_row_count(pool), texts, &whole));
    if (!whole || texts->count > entry->end - entry->first)
        return alcore__fail(ALCORE_E_CORRUPT,
                            "the message of a job has no texts of the rows %lld to %lld",
                            (long long)entry->first, (long long)entry->end - 1);
    if (texts->count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore_pool_add_texts(pool, texts->texts, texts->lengths, texts->count, NULL));
    return texts->labeled_count > 0
               ? alcore_pool_mark(pool, ALCORE_ROW_LABELED, texts->labeled, texts->labeled_count)
               : ALCORE_OK;
}

alcore_status alcore__job_take_model(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    const char *place = message->entries, *items;
    collected texts = {0};
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE; /* no text of a shard is one of an earlier shard */
    ALCORE__TRY(alcore_pool_new(ctx, &options, &pool));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < message->entry_count && status == ALCORE_OK; i++) {
        alcore__job_entry entry;
        place = alcore__job_entry_next(message, place, &entry, &items);
        status = add_entry(ctx, &entry, items, &texts, pool);
    }
    alcore__free(ctx, texts.texts);
    alcore__free(ctx, texts.lengths);
    alcore__free(ctx, texts.labeled);
    if (status == ALCORE_OK)
        job->texts = pool;
    else
        alcore_pool_unref(pool);
    return status;
}
