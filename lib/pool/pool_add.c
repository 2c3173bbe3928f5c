/* SPDX-License-Identifier: Apache-2.0 */
/* Adding rows to a pool. A record is what a caller or a file gives of one row, views of their
 * memory (text, id, reference, language, group, cost). Records are stored behind the pool's rows,
 * whose number does not change before the end, and looked up among the rows before them; a failure
 * rolls everything back. Each stored batch is hashed, its slots of the index and the texts they
 * point to are prefetched, and only then is it compared: on a pool of millions nearly all of the
 * time is cache misses. */
#include "pool/pool_add.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"

/* Limits of a batch, rows and bytes of text: few enough for its texts to be in the cache when they
 * are compared, enough for its cache misses to overlap. */
enum { BATCH = 256, BATCH_BYTES = 256 << 10 };

/* Begins an addition to a pool that is locked for writing: remembers what a failure has to restore.
 * path: of the file that messages name, NULL: they name the row; it is not copied. */
void alcore__pool_add_begin(alcore__pool_add *add, alcore_pool *pool, const char *path) {
    *add = (alcore__pool_add){.pool = pool,
                              .check = {.pool = pool},
                              .path = path,
                              .rows = pool->rows,
                              .indexed = pool->rows,
                              .untagged = pool->untagged,
                              .fingerprint = pool->fingerprint,
                              .mark = pool->texts,
                              .language_count = pool->language_names.count,
                              .group_count = pool->group_names.count};
}

/* Puts the place in front of the error of a record: file and line, or the row. Returns status. */
static alcore_status fail_record(const alcore__pool_add *add, const alcore__record *record,
                                 alcore_status status) {
    if (add->path) return alcore__fail_within(status, "%s:%" PRId64, add->path, record->line);
    return alcore__fail_within(status, "row %" PRId64, add->rows);
}

/* Sets *out, a pointer of the entry's type, to the entry of `bytes` bytes of a row in one of the
 * pool's segments, for writing; a new entry is zeroed. */
static alcore_status entry_of(alcore__pool_add *add, alcore__segments *segments, size_t bytes,
                              int64_t row, void *out) {
    void *entry = alcore__segments_at(add->pool->object.ctx, segments, bytes, row);
    memcpy(out, &entry, sizeof entry);
    return entry ? ALCORE_OK : alcore__fail_memory(ALCORE__SEGMENT_ROWS * bytes);
}

/* The same of the row that is being added, which is add->rows. */
static alcore_status entry_at(alcore__pool_add *add, alcore__segments *segments, size_t bytes,
                              void *out) {
    return entry_of(add, segments, bytes, add->rows, out);
}

/* Sets *out to the number of a name, from 1; a name that is new is copied and gets the next number.
 * The hash finds candidates, the bytes decide. The index counts names from 0. */
static alcore_status intern(alcore__pool_add *add, alcore__pool_names *names, const char *text,
                            size_t length, uint32_t *out) {
    alcore_ctx *ctx = add->pool->object.ctx;
    const uint64_t hash = alcore__hash128(text, length).low;
    ALCORE__TRY(alcore__index_reserve(ctx, &names->index, 1 /* more */, 0 /* expected: unknown */,
                                      (int64_t)names->count + 1));
    size_t slot = alcore__index_home(&names->index, hash);
    int64_t number;
    while ((number = alcore__index_next(&names->index, hash, &slot)) >= 0) {
        const char *other = names->names[number];
        if (strncmp(other, text, length) != 0 || other[length] != '\0') continue;
        *out = (uint32_t)number + 1;
        return ALCORE_OK;
    }
    if (names->count >= UINT32_MAX - 1)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than %u names", UINT32_MAX - 1);
    ALCORE__TRY(
        alcore__grow(ctx, &names->names, &names->capacity, names->count + 1, sizeof *names->names));
    ALCORE__TRY(alcore__pool_copy_string(add->pool, text, length, &names->names[names->count]));
    alcore__index_put(&names->index, slot, hash, (int64_t)names->count++);
    *out = (uint32_t)names->count;
    return ALCORE_OK;
}

/* Checks the id of the row that is being added and stores a copy. */
static alcore_status add_id(alcore__pool_add *add, const char *text, size_t length) {
    const char **id;
    ALCORE__TRY(alcore__string_check_next(&add->check, "id", &text, &length, NULL));
    ALCORE__TRY(entry_at(add, &add->pool->ids, sizeof *id, &id));
    return alcore__pool_copy_string(add->pool, text, length, id);
}

/* The line of a row of this addition of a file, from 0. */
static int64_t line_of(const alcore__pool_add *add, int64_t row) {
    return add->lines ? add->lines[row] : add->first_line + row;
}

/* The error of the row that is being added, whose id, in `id`, another row of the pool has. Of rows
 * of the same file it tells the line. */
static alcore_status fail_repeated(const alcore__pool_add *add, int64_t row, const char *id) {
    const int64_t first = add->pool->rows;
    const int shown = (int)strnlen(id, 100);
    const char *given = alcore__pool_given_id(add->pool, add->rows) ? "" : "number ";
    if (add->path && row >= first)
        return alcore__fail(ALCORE_E_DATA,
                            "the %sid \"%.*s\" is that of line %" PRId64
                            " too; each id has to stand for one text",
                            given, shown, id, line_of(add, row - first));
    return alcore__fail(ALCORE_E_DATA,
                        "the %sid \"%.*s\" is that of row %" PRId64
                        " too%s; each id has to stand for one text",
                        given, shown, id, row, row < first ? ", which was added before" : "");
}

/* Puts the row that is being added, all of which is stored, into the index of ids; its id, given or
 * the number that it has for one, has to be new. Numbers are looked up only where ids were given,
 * as they cannot repeat each other. */
static alcore_status index_id(alcore__pool_add *add) {
    alcore_pool *pool = add->pool;
    alcore__hash_index *index = &pool->id_index;
    const int64_t first = pool->repeated_ids == ALCORE_IDS_UNIQUE ? 0 : pool->rows;
    const bool any = pool->repeated_ids == ALCORE_IDS_ANY && !add->joined;
    const char *given = alcore__pool_given_id(pool, add->rows);
    char number[24];
    if (!given && index->count == 0) return ALCORE_OK;
    snprintf(number, sizeof number, "%" PRId64, add->rows + 1);
    const char *id = given ? given : number;
    const size_t length = strlen(id);
    const int64_t row = any ? -1 : alcore__pool_row_of_id(pool, id, length, first, add->rows);
    if (row >= 0) return fail_repeated(add, row, id);
    if (!given) return ALCORE_OK;
    ALCORE__TRY(
        alcore__index_reserve(pool->object.ctx, index, 1 /* more */, add->expected, add->rows + 1));
    const uint64_t hash = alcore__hash128(id, length).low;
    size_t slot = alcore__index_home(index, hash);
    while (alcore__index_next(index, hash, &slot) >= 0) continue;
    alcore__index_put(index, slot, hash, add->rows);
    return ALCORE_OK;
}

/* Keeps the line of the row that is being added, for the error of a later row with its id. No array
 * is made while each row has the line behind that of the row before. */
static alcore_status keep_line(alcore__pool_add *add, const alcore__record *record) {
    const int64_t row = add->rows - add->pool->rows;
    if (!add->path) return ALCORE_OK;
    if (row == 0) add->first_line = record->line;
    if (!add->lines && record->line == add->first_line + row) return ALCORE_OK;
    int64_t begun = add->lines ? row : 0;
    ALCORE__TRY(alcore__grow(add->pool->object.ctx, &add->lines, &add->lines_capacity,
                             (size_t)row + 1, sizeof *add->lines));
    for (; begun < row; begun++) add->lines[begun] = add->first_line + begun;
    add->lines[row] = record->line;
    return ALCORE_OK;
}

/* Checks the reference of a row and stores a copy. */
static alcore_status add_reference(alcore__pool_add *add, int64_t row, const char *text,
                                   size_t length) {
    alcore__pool_reference *reference;
    ALCORE__TRY(alcore__string_check_next(&add->check, "reference", &text, &length, NULL));
    ALCORE__TRY(entry_of(add, &add->pool->references, sizeof *reference, row, &reference));
    ALCORE__TRY(alcore__pool_copy_string(add->pool, text, length, &reference->text));
    reference->length = (int64_t)length;
    return ALCORE_OK;
}

/* Checks the language or group of a record and stores its number in the row's entry. */
static alcore_status add_name(alcore__pool_add *add, const char *what, alcore__segments *numbers,
                              alcore__pool_names *names, const char *text, size_t length) {
    uint32_t *number;
    ALCORE__TRY(alcore__string_check_next(&add->check, what, &text, &length, NULL));
    ALCORE__TRY(entry_at(add, numbers, sizeof *number, &number));
    return intern(add, names, text, length, number);
}

/* Stores the cost of the row that is being added: 0 or more and finite, not NaN (which is "none").
 */
static alcore_status add_cost(alcore__pool_add *add, double value) {
    alcore__pool_cost *cost;
    if (!(value >= 0) || isinf(value))
        return alcore__fail(ALCORE_E_DATA, "the cost is %g; expected a number >= 0", value);
    ALCORE__TRY(entry_at(add, &add->pool->costs, sizeof *cost, &cost));
    *cost = (alcore__pool_cost){.cost = value, .given = true};
    return ALCORE_OK;
}

/* Whether a language is the tag that rows without one have. */
static bool is_unknown(const char *language, size_t length) {
    return length == strlen(ALCORE__NO_LANGUAGE) &&
           memcmp(language, ALCORE__NO_LANGUAGE, length) == 0;
}

/* Stores what a record has beside its text. An empty id, language or group counts as none, and so
 * does the language "unknown"; an empty reference is one. A cost of NaN is none. */
static alcore_status add_details(alcore__pool_add *add, const alcore__record *record) {
    alcore_pool *pool = add->pool;
    if (record->id && record->id_length > 0)
        ALCORE__TRY(add_id(add, record->id, record->id_length));
    if (record->reference)
        ALCORE__TRY(add_reference(add, add->rows, record->reference, record->reference_length));
    if (record->group && record->group_length > 0)
        ALCORE__TRY(add_name(add, "group", &pool->groups, &pool->group_names, record->group,
                             record->group_length));
    if (!isnan(record->cost)) ALCORE__TRY(add_cost(add, record->cost));
    if (!record->language || record->language_length == 0 ||
        is_unknown(record->language, record->language_length)) {
        add->untagged++;
        return ALCORE_OK;
    }
    return add_name(add, "language", &pool->languages, &pool->language_names, record->language,
                    record->language_length);
}

/* Makes the row that is being added an empty one with ALCORE_ROW_MALFORMED, whatever of the record
 * was stored before its error was found. */
static alcore_status add_malformed(alcore__pool_add *add) {
    alcore_pool *pool = add->pool;
    const int64_t row = add->rows, end = row + 1;
    static const char empty[sizeof(alcore__text_head) + 1]; /* a head of zeros, and the NUL */
    const char **text;
    ALCORE__TRY(entry_at(add, &pool->row_texts, sizeof *text, &text));
    *text = empty + sizeof(alcore__text_head);
    alcore__segments_zero(&pool->ids, sizeof(char *), row, end);
    alcore__segments_zero(&pool->references, sizeof(alcore__pool_reference), row, end);
    alcore__segments_zero(&pool->costs, sizeof(alcore__pool_cost), row, end);
    alcore__segments_zero(&pool->languages, sizeof(uint32_t), row, end);
    alcore__segments_zero(&pool->groups, sizeof(uint32_t), row, end);
    pool->states[row] = ALCORE_ROW_MALFORMED;
    add->untagged++;
    return ALCORE_OK;
}

/* Checks and stores the text of a record. A row without words has the state EMPTY from the
 * beginning. */
static alcore_status add_text(alcore__pool_add *add, const char *text, size_t length) {
    const char **copy;
    int64_t words;
    if (!text) return alcore__fail(ALCORE_E_INVALID, "the text is NULL");
    ALCORE__TRY(alcore__string_check_next(&add->check, "text", &text, &length, &words));
    ALCORE__TRY(entry_at(add, &add->pool->row_texts, sizeof *copy, &copy));
    ALCORE__TRY(alcore__pool_copy_text(add->pool, text, length, words, copy));
    add->pool->states[add->rows] = words == 0 ? ALCORE_ROW_EMPTY : 0;
    return ALCORE_OK;
}

bool alcore__pool_add_masks(alcore__pool_add *add, alcore_status status) {
    if (status != ALCORE_E_DATA || !add->mask_bad) return false;
    if (add->bad++ == 0)
        alcore__format(add->first_bad, sizeof add->first_bad, "%s", alcore_last_error());
    return true;
}

/* Adds one record as row add->rows. A string that is refused ends the call or, with mask_bad, makes
 * the row a malformed one; the first message is kept for the log. */
static alcore_status add_record(alcore__pool_add *add, const alcore__record *record) {
    ALCORE__TRY(keep_line(add, record));
    if (record->malformed) return add_malformed(add);
    const int64_t untagged = add->untagged;
    alcore_status status = add_text(add, record->text, record->text_length);
    if (status == ALCORE_OK) status = add_details(add, record);
    if (status == ALCORE_OK) status = index_id(add);
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM) return status;
    status = fail_record(add, record, status);
    if (!alcore__pool_add_masks(add, status)) return status;
    add->untagged = untagged;
    return add_malformed(add);
}

/* Sets the references of the rows of this addition from `row` on to the texts of records [count] of
 * a second file; a malformed row gets none, and neither does a row whose line in that file is
 * malformed. */
alcore_status alcore__pool_add_references(alcore__pool_add *add, int64_t row,
                                          const alcore__record *records, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const alcore__record *record = &records[i];
        if (record->malformed || add->pool->states[row + i] & ALCORE_ROW_MALFORMED) continue;
        alcore_status status = add_reference(add, row + i, record->text, record->text_length);
        if (status == ALCORE_OK) continue;
        if (status != ALCORE_E_NOMEM) status = fail_record(add, record, status);
        if (!alcore__pool_add_masks(add, status)) return status;
    }
    return ALCORE_OK;
}

/* Returns the fingerprint of a pool's texts with one text more, from its 128-bit hash; it depends
 * on the order of the texts too: what is there is rotated by 7 bits and multiplied (the constant is
 * 2^64 divided by the golden ratio). */
static uint64_t add_to_fingerprint(uint64_t fingerprint, alcore__hash hash) {
    return ((fingerprint << 7 | fingerprint >> 57) ^ hash.low) * 0x9E3779B97F4A7C15u + hash.high;
}

/* A row of the batch that is being looked up. */
typedef struct arrival {
    uint64_t hash;      /* of what it is compared by */
    size_t key, length; /* where its normalized form is in add->keys[0], and its bytes; used when
                           rows are compared by that */
    size_t slot;        /* of the index of duplicates, at which its search goes on */
} arrival;

/* What a row of the batch is compared by: its text, or its normalized form in keys[0]. */
static alcore__dedup_key key_of(const alcore__pool_add *add, int64_t row, const arrival *entry) {
    const alcore__pool_row info = alcore__pool_row_at(add->pool, row);
    if (add->pool->dedup != ALCORE_DEDUP_NORMALIZED)
        return (alcore__dedup_key){info.text, (size_t)info.length};
    return (alcore__dedup_key){add->keys[0].data + entry->key, entry->length};
}

/* Adds the rows of the batch to the fingerprint, computes the hash that each is looked up by, and
 * prefetches the slot of the index where that begins. batch [rows added since add->indexed]. */
static alcore_status hash_batch(alcore__pool_add *add, arrival *batch) {
    alcore_pool *pool = add->pool;
    alcore__buffer *keys = &add->keys[0];
    keys->length = 0;
    for (int64_t row = add->indexed; row < add->rows; row++, batch++) {
        const alcore__pool_row info = alcore__pool_row_at(pool, row);
        const alcore__hash exact = alcore__hash128(info.text, (size_t)info.length);
        add->fingerprint = add_to_fingerprint(add->fingerprint, exact);
        *batch = (arrival){.hash = exact.low, .key = keys->length};
        if (pool->dedup == ALCORE_DEDUP_NORMALIZED) {
            ALCORE__TRY(
                alcore__utf8_normalize(pool->object.ctx, info.text, (size_t)info.length, keys));
            batch->length = keys->length - batch->key;
            batch->hash = alcore__hash128(keys->data + batch->key, batch->length).low;
        }
        if (pool->dedup == ALCORE_DEDUP_NONE) continue;
        batch->slot = alcore__index_home(&pool->duplicates, batch->hash);
        __builtin_prefetch(&pool->duplicates.slots[batch->slot]);
    }
    return ALCORE_OK;
}

/* Prefetches the addresses of the texts, then the texts, that the rows of the batch will be
 * compared with, so that the cache misses of a batch overlap. A row whose hash is not in the index
 * yet keeps the free slot that was found. */
static void prefetch_candidates(const alcore_pool *pool, arrival *batch, int64_t count) {
    int64_t candidates[BATCH];
    int32_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t slot = batch[i].slot;
        const int64_t row = alcore__index_next(&pool->duplicates, batch[i].hash, &slot);
        if (row < 0) {
            batch[i].slot = slot;
        } else {
            candidates[found++] = row;
            __builtin_prefetch(alcore__segments_get(&pool->row_texts, sizeof(const char *), row));
        }
    }
    while (found > 0) __builtin_prefetch(alcore__pool_text_at(pool, candidates[--found]));
}

/* Looks every row of the batch, those from add->indexed on, up among the rows before it and marks
 * it as a duplicate, or puts it into the index of first rows. Empty and malformed rows are neither.
 * expected: about how many rows will follow, for the index to grow at once. After a failure
 * add->indexed says how many rows were looked up, for roll_back(). */
static alcore_status index_batch(alcore__pool_add *add, int64_t expected) {
    alcore_pool *pool = add->pool;
    const int64_t first = add->indexed, count = add->rows - first;
    arrival batch[BATCH];
    if (pool->dedup != ALCORE_DEDUP_NONE)
        ALCORE__TRY(alcore__index_reserve(pool->object.ctx, &pool->duplicates, (size_t)count,
                                          (size_t)expected, add->rows));
    ALCORE__TRY(hash_batch(add, batch));
    if (pool->dedup == ALCORE_DEDUP_NONE) {
        add->indexed = add->rows;
        return ALCORE_OK;
    }
    prefetch_candidates(pool, batch, count);
    for (; add->indexed < add->rows; add->indexed++) {
        const int64_t row = add->indexed;
        arrival *entry = &batch[row - first];
        int64_t earlier;
        if ((pool->states[row] & (ALCORE_ROW_EMPTY | ALCORE_ROW_MALFORMED)) != 0) continue;
        const alcore__dedup_key key = key_of(add, row, entry);
        ALCORE__TRY(alcore__dedup_find(pool, &pool->duplicates, pool->dedup, &key, entry->hash,
                                       &add->keys[1], &entry->slot, &earlier));
        if (earlier >= 0)
            pool->states[row] |= ALCORE_ROW_DUPLICATE;
        else
            alcore__index_put(&pool->duplicates, entry->slot, entry->hash, row);
    }
    return ALCORE_OK;
}

/* Stores the records [count] in batches of at most BATCH rows and about BATCH_BYTES of text, and
 * finds the duplicates of each batch while its texts are in the cache. expected: about how many
 * records later calls will add; 0: not known. After a failure the caller ends the addition with its
 * status. */
alcore_status alcore__pool_add_records(alcore__pool_add *add, const alcore__record *records,
                                       int64_t count, int64_t expected) {
    alcore_pool *pool = add->pool;
    add->expected = (size_t)(count + expected);
    for (int64_t i = 0; i < count;) {
        const int64_t end = count - i > BATCH ? i + BATCH : count;
        ALCORE__TRY(alcore__grow(pool->object.ctx, &pool->states, &pool->states_capacity,
                                 (size_t)(add->rows + end - i), sizeof *pool->states));
        for (size_t bytes = 0; i < end && bytes < BATCH_BYTES; i++) {
            ALCORE__TRY(add_record(add, &records[i]));
            bytes += records[i].text_length;
            add->rows++;
        }
        ALCORE__TRY(index_batch(add, count - i + expected));
        ALCORE__TRY(alcore__tick(pool->object.ctx, "adding", add->rows, -1));
    }
    return ALCORE_OK;
}

/* For qsort() and bsearch(): byte order of strings. */
static int compare_tags(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Makes the list of language tags in byte order, "unknown" among them when a row has none, and the
 * rank of each name in it, by the name's number (0: no language). Nothing is done where the list
 * would be the same. Called at the end of an addition; the pool is changed only when nothing can
 * fail any more. */
static alcore_status sort_tags(alcore__pool_add *add) {
    alcore_pool *pool = add->pool;
    alcore_ctx *ctx = pool->object.ctx;
    const alcore__pool_names *names = &pool->language_names;
    const bool unknown = add->untagged > 0;
    const char **tags; /* [count] the sorted tags */
    int64_t *ranks;    /* [names->count + 1] index in tags by the number of a name; -1: not there */
    if (names->count == add->language_count && unknown == (pool->untagged > 0) && pool->tag_ranks)
        return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, names->count + 1, sizeof *tags, &tags));
    alcore_status status = alcore__new_array(ctx, names->count + 1, sizeof *ranks, &ranks);
    if (status != ALCORE_OK) {
        alcore__free(ctx, tags);
        return status;
    }
    size_t count = names->count;
    if (count > 0) memcpy(tags, names->names, count * sizeof *tags);
    if (unknown) tags[count++] = ALCORE__NO_LANGUAGE;
    qsort(tags, count, sizeof *tags, compare_tags);
    for (size_t number = 0; number <= names->count; number++) {
        const char *name = number > 0 ? names->names[number - 1] : ALCORE__NO_LANGUAGE;
        const char **found = bsearch(&name, tags, count, sizeof *tags, compare_tags);
        ranks[number] = found ? found - tags : -1;
    }
    alcore__free(ctx, pool->tags);
    alcore__free(ctx, pool->tag_ranks);
    pool->tags = tags;
    pool->tag_ranks = ranks;
    pool->tag_count = (int64_t)count;
    return ALCORE_OK;
}

/* Removes the names that this addition brought, which are those from number `count` on. */
static void drop_names(alcore__pool_names *names, size_t count) {
    alcore__index_drop(&names->index, (int64_t)count);
    names->count = count;
}

/* Restores the pool as it was before the addition: entries of the new rows, names, the index of
 * duplicates and the memory of strings. Rows are cleared up to one beyond add->rows, as the last
 * record may have failed half-way. States of rows that do not exist need not be restored. */
static void roll_back(alcore__pool_add *add) {
    alcore_pool *pool = add->pool;
    const int64_t first = pool->rows, end = add->rows + 1;
    if (add->indexed > pool->rows) alcore__index_drop(&pool->duplicates, pool->rows);
    if (add->rows > pool->rows) alcore__index_drop(&pool->id_index, pool->rows);
    drop_names(&pool->language_names, add->language_count);
    drop_names(&pool->group_names, add->group_count);
    alcore__segments_zero(&pool->row_texts, sizeof(const char *), first, end);
    alcore__segments_zero(&pool->ids, sizeof(char *), first, end);
    alcore__segments_zero(&pool->references, sizeof(alcore__pool_reference), first, end);
    alcore__segments_zero(&pool->costs, sizeof(alcore__pool_cost), first, end);
    alcore__segments_zero(&pool->languages, sizeof(uint32_t), first, end);
    alcore__segments_zero(&pool->groups, sizeof(uint32_t), first, end);
    alcore__chunks_rollback(pool->object.ctx, &pool->texts, &add->mark);
}

/* Ends an addition with the status of what was done: commits it, or rolls back and returns the
 * failure. Setting the number of rows is what makes the new rows visible. */
alcore_status alcore__pool_add_end(alcore__pool_add *add, alcore_status status) {
    alcore_pool *pool = add->pool;
    alcore_ctx *ctx = pool->object.ctx;
    if (status == ALCORE_OK && add->rows > pool->rows) status = sort_tags(add);
    if (status != ALCORE_OK) {
        roll_back(add);
    } else {
        pool->rows = add->rows;
        pool->untagged = add->untagged;
        pool->fingerprint = add->fingerprint;
        alcore__string_check_report(&add->check);
        if (add->bad > 0)
            alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL,
                        "%" PRId64 " records with strings that are refused are masked; the first: "
                        "%s",
                        add->bad, add->first_bad);
    }
    alcore__string_check_clear(&add->check);
    alcore__free(ctx, add->lines);
    alcore__buffer_clear(ctx, &add->keys[0]);
    alcore__buffer_clear(ctx, &add->keys[1]);
    return status;
}
