/* SPDX-License-Identifier: Apache-2.0 */
/* What a job puts into each exchange, and what it takes from it.
 *
 *   all texts    job_whole.c
 *   texts        put: the hashes of the distinct texts of the shard, ascending. Taken: the rows
 *                whose text an earlier shard has, which are masked as the pool masks its repeats
 *   masks        put: what the option masks reads of the texts of the shard
 *                (request/text_masks_shards.c). Taken: which rows it leaves out; each job makes the
 *                masks of all texts
 *   candidates   put: how many there are. Taken: how many there are in earlier shards, and in all
 *   kept candidates   the same of those that sticky=1 may keep
 *   texts of the model   job_model.c
 *   nominees     job_nominees.c
 *   tokens       put: what the strategy reads of the texts of the shard (rules/token_gather.c).
 *                Taken: the picks; each job runs the strategy on what all have put, and with
 *                max_similarity on the vectors of the exchange of rows
 *   rows, passes   job_rows.c, job_passes.c
 *
 * Memory: 16 bytes for each distinct text of the shard while it is compared, 1 byte a row that is
 * kept where a text repeats, and what the strategy takes. */
#include <stdlib.h>
#include <string.h>

#include "extra/job/job_passes.h"
#include "pool/pool_state.h"

/* ---- texts ---- */

/* A distinct text of the shard: its first row there. */
typedef struct shard_text {
    alcore__hash hash; /* of what texts are compared by */
    int64_t row;       /* of the pool */
} shard_text;

static int compare_hashes(const alcore__hash *a, const alcore__hash *b) {
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

/* For alcore__sort(). */
static int by_hash(const void *left, const void *right) {
    return compare_hashes(&((const shard_text *)left)->hash, &((const shard_text *)right)->hash);
}

/* Lists the texts of the pool's index of duplicates, ascending by hash: *out [*count]. The pool is
 * locked for reading. */
static alcore_status list_texts(const alcore_pool *pool, shard_text **out, int64_t *count) {
    alcore_ctx *ctx = pool->object.ctx;
    const alcore__hash_index *index = &pool->duplicates;
    alcore__buffer key_memory = {0};
    *count = 0;
    ALCORE__TRY(alcore__new_array(ctx, index->count, sizeof **out, out));
    alcore_status status = ALCORE_OK;
    for (size_t slot = 0; slot < index->capacity && status == ALCORE_OK; slot++) {
        if (index->slots[slot] == 0) continue;
        const int64_t row = alcore__index_number(index, slot);
        const alcore__pool_row info = alcore__pool_row_at(pool, row);
        alcore__dedup_key key;
        ALCORE__TRY_GOTO(status, done,
                         alcore__tick(ctx, "texts", (int64_t)slot, (int64_t)index->capacity));
        ALCORE__TRY_GOTO(status, done,
                         alcore__dedup_key_of(ctx, pool->dedup, info.text, (size_t)info.length,
                                              &key_memory, &key));
        (*out)[(*count)++] = (shard_text){alcore__hash128(key.text, key.length), row};
    }
    status = alcore__sort(ctx, *out, (size_t)*count, sizeof **out, by_hash);
done:
    alcore__buffer_clear(ctx, &key_memory);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__free(ctx, *out);
    *out = NULL;
    return status;
}

static alcore_status put_texts(alcore_job *job, alcore__job_entry *entry, alcore__buffer *items) {
    alcore_ctx *ctx = job->object.ctx;
    shard_text *texts = NULL;
    ALCORE__TRY(alcore__read_begin(job->request->candidates, "pool"));
    alcore_status status = list_texts(job->request->candidates, &texts, &entry->count);
    alcore__read_end(job->request->candidates);
    for (int64_t i = 0; i < entry->count && status == ALCORE_OK; i++)
        status = alcore__buffer_append(ctx, items, &texts[i].hash, sizeof texts[i].hash);
    alcore__free(ctx, texts);
    return status;
}

/* Marks the rows of the texts [count] that are among hashes [hash_count], both ascending. */
static void mark_repeated(const shard_text *texts, int64_t count, const char *hashes,
                          int64_t hash_count, uint8_t *repeated) {
    for (int64_t i = 0, h = 0; i < count && h < hash_count;) {
        alcore__hash hash;
        memcpy(&hash, hashes + (size_t)h * sizeof hash, sizeof hash);
        const int order = compare_hashes(&texts[i].hash, &hash);
        if (order == 0) repeated[texts[i].row] = 1;
        i += order <= 0;
        h += order > 0;
    }
}

static alcore_status take_texts(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    const char *place = message->entries, *hashes;
    shard_text *texts = NULL;
    uint8_t *repeated;
    int64_t count = 0;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)(job->entry.end - job->entry.first), 1, &repeated));
    alcore_status status = alcore__read_begin(job->request->candidates, "pool");
    if (status == ALCORE_OK) {
        status = list_texts(job->request->candidates, &texts, &count);
        alcore__read_end(job->request->candidates);
    }
    for (int64_t i = 0; i < message->entry_count && status == ALCORE_OK; i++) {
        alcore__job_entry entry;
        place = alcore__job_entry_next(message, place, &entry, &hashes);
        if (entry.end > job->entry.first) break; /* this shard, or a later one */
        mark_repeated(texts, count, hashes, entry.count, repeated);
        status = alcore__tick(ctx, "texts", i, message->entry_count);
    }
    alcore__free(ctx, texts);
    if (status == ALCORE_OK)
        job->repeated = repeated;
    else
        alcore__free(ctx, repeated);
    return status;
}

/* ---- parts of masks and tokens ---- */

static alcore_status put_part(alcore_job *job, int32_t wanted, alcore__job_entry *entry,
                              alcore__buffer *items) {
    alcore__shard_answer answer = alcore__job_answer_of(job, wanted);
    ALCORE__TRY(alcore__request_answer_shard(job->request, &answer));
    alcore__job_keep_drawn(job, &answer);
    *items = answer.out;
    entry->count = (int64_t)(items->length / 8);
    return ALCORE_OK;
}

/* Answers a question about the parts of all shards. */
static alcore_status answer_parts(alcore_job *job, const alcore__job_message *message,
                                  alcore__shard_answer *answer) {
    alcore_ctx *ctx = job->object.ctx;
    const char *place = message->entries, *items;
    alcore__shard_part *parts;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)message->entry_count, sizeof *parts, &parts));
    answer->parts = (alcore__shard_parts){.parts = parts, .count = message->entry_count};
    for (int64_t i = 0; i < message->entry_count; i++) {
        alcore__job_entry entry;
        place = alcore__job_entry_next(message, place, &entry, &items);
        parts[i] = (alcore__shard_part){.bytes = items,
                                        .length = 8 * (size_t)entry.count,
                                        .first = entry.first,
                                        .end = entry.end};
        if (entry.first == job->entry.first && entry.end == job->entry.end) answer->parts.own = i;
    }
    const alcore_status status = alcore__request_answer_shard(job->request, answer);
    if (status == ALCORE_OK) alcore__job_keep_drawn(job, answer);
    alcore__free(ctx, parts);
    return status;
}

static alcore_status take_masks(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__shard_answer answer = alcore__job_answer_of(job, ALCORE__SHARD_MASKS);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)(job->entry.end - job->entry.first), 1, &answer.left_out));
    const alcore_status status = answer_parts(job, message, &answer);
    if (status == ALCORE_OK)
        job->left_out = answer.left_out;
    else
        alcore__free(ctx, answer.left_out);
    return status;
}

/* ---- candidates ---- */

static alcore_status put_candidates(alcore_job *job, alcore__job_entry *entry) {
    alcore__shard_answer answer = alcore__job_answer_of(job, ALCORE__SHARD_COUNT);
    ALCORE__TRY(alcore__request_answer_shard(job->request, &answer));
    entry->count = job->exchange == ALCORE__EXCHANGE_KEPT ? answer.kept : answer.eligible;
    return ALCORE_OK;
}

/* Adds up what the shards have counted: *before, those before this one, and *all. */
static void take_counts(const alcore_job *job, const alcore__job_message *message, int64_t *before,
                        int64_t *all) {
    const char *place = message->entries, *items;
    for (int64_t i = 0; i < message->entry_count; i++) {
        alcore__job_entry entry;
        place = alcore__job_entry_next(message, place, &entry, &items);
        if (entry.end <= job->entry.first) *before += entry.count;
        *all += entry.count;
    }
}

/* ---- tokens ---- */

static alcore_status take_gathered(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__shard_answer answer = alcore__job_answer_of(job, ALCORE__SHARD_SPEND);
    answer.embeddings = alcore__job_compared_column(job);
    ALCORE__TRY(answer_parts(job, message, &answer));
    const alcore__job_bought bought = {.outcome = &answer.outcome, .costs = answer.costs};
    const alcore_status status = alcore__job_is_hybrid(job)
                                     ? alcore__job_join(job, answer.costs, &answer.outcome)
                                     : alcore__job_keep(job, &bought);
    alcore__outcome_clear(ctx, &answer.outcome);
    alcore__free(ctx, answer.costs);
    return status;
}

/* ---- all ---- */

/* What the shard puts into the exchange that the job has come to. */
static alcore_status put_items(alcore_job *job, alcore__job_entry *entry, alcore__buffer *items) {
    switch (alcore__exchange_kind(job->exchange)) {
    case ALCORE__EXCHANGE_WHOLE:
        return alcore__job_put_whole(job, entry, items);
    case ALCORE__EXCHANGE_TEXTS:
        return put_texts(job, entry, items);
    case ALCORE__EXCHANGE_MASKS:
        return put_part(job, ALCORE__SHARD_TEXTS, entry, items);
    case ALCORE__EXCHANGE_CANDIDATES:
    case ALCORE__EXCHANGE_KEPT:
        return put_candidates(job, entry);
    case ALCORE__EXCHANGE_MODEL:
        return alcore__job_put_model(job, entry, items);
    case ALCORE__EXCHANGE_ROWS:
        return alcore__job_put_rows(job, entry, items);
    case ALCORE__EXCHANGE_NOMINEES:
        return alcore__job_put_nominees(job, entry, items);
    case ALCORE__EXCHANGE_GATHERED:
        return put_part(job, ALCORE__SHARD_GATHER, entry, items);
    default:
        return alcore__job_put_pass(job, entry, items, &job->done);
    }
}

alcore_status alcore__job_put(alcore_job *job, alcore__buffer *out) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__job_entry entry = job->entry;
    alcore__buffer items = {0};
    alcore_status status = put_items(job, &entry, &items);
    if (status == ALCORE_OK && !job->done) {
        status = alcore__job_message_begin(ctx, job->exchange, job->rows, job->settings.data,
                                           job->settings.length, out);
        if (status == ALCORE_OK)
            status = alcore__job_message_add(ctx, &entry, items.data,
                                             alcore__exchange_item_bytes(job->exchange), out);
        if (status == ALCORE_OK) alcore__job_message_end(out);
    }
    alcore__buffer_clear(ctx, &items);
    if (status != ALCORE_OK) alcore__buffer_clear(ctx, out);
    return status;
}

alcore_status alcore__job_take(alcore_job *job, const alcore__job_message *message) {
    switch (alcore__exchange_kind(job->exchange)) {
    case ALCORE__EXCHANGE_WHOLE:
        return alcore__job_take_whole(job, message);
    case ALCORE__EXCHANGE_TEXTS:
        return take_texts(job, message);
    case ALCORE__EXCHANGE_MASKS:
        return take_masks(job, message);
    case ALCORE__EXCHANGE_CANDIDATES:
        take_counts(job, message, &job->place.before, &job->place.candidates);
        return ALCORE_OK;
    case ALCORE__EXCHANGE_KEPT:
        take_counts(job, message, &job->place.kept_before, &job->place.kept);
        return ALCORE_OK;
    case ALCORE__EXCHANGE_MODEL:
        return alcore__job_take_model(job, message);
    case ALCORE__EXCHANGE_ROWS:
        return alcore__job_take_rows(job, message);
    case ALCORE__EXCHANGE_NOMINEES:
        return alcore__job_take_nominees(job, message);
    case ALCORE__EXCHANGE_GATHERED:
        return take_gathered(job, message);
    default:
        return alcore__job_take_pass(job, message);
    }
}
