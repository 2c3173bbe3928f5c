/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the exchange of rows (job_rows.c) of strategies that draw by languages. A shard puts
 * in, every part up to a multiple of 8 bytes:
 *
 *     languages_header
 *     tags of its languages, as tag_union.h has them
 *     languages   int32 [rows], indices into these tags
 *     like        int64 [like], the rows of another selection that lie in the shard, by their
 *                 numbers among those of all shards
 *
 * Languages of all shards are numbered as one machine numbers them, by their tags in byte order. */
#include <stdlib.h>
#include <string.h>

#include "extra/job/job_passes.h"

typedef struct languages_header {
    int64_t tags, like; /* how many there are; like -1: the request names no such rows */
} languages_header;

void alcore__job_languages_clear(alcore_ctx *ctx, alcore__job_languages *languages) {
    alcore__tag_union_clear(ctx, &languages->tags);
    alcore__free(ctx, languages->of);
    alcore__free(ctx, languages->like);
    *languages = (alcore__job_languages){0};
}

/* ---- put ---- */

alcore_status alcore__job_put_languages(const alcore_job *job, const alcore__run_input *input,
                                        alcore__buffer *out) {
    alcore_ctx *ctx = job->object.ctx;
    const size_t rows = (size_t)input->candidates.rows;
    const languages_header header = {.tags = input->language_count,
                                     .like = input->has_like ? input->like_count : -1};
    ALCORE__TRY(alcore__buffer_append(ctx, out, &header, sizeof header));
    ALCORE__TRY(alcore__tags_write(ctx, input->candidates.pool, out));
    ALCORE__TRY(alcore__buffer_append(ctx, out, input->languages, rows * sizeof *input->languages));
    ALCORE__TRY(alcore__job_pad(ctx, out));
    for (int64_t i = 0; i < header.like; i++) {
        const int64_t row = input->like[i] + job->entry.first;
        if (input->like[i] < 0 || row >= job->entry.end)
            return alcore__fail(ALCORE_E_NOT_FOUND,
                                "the rows of another selection (like): there is no row %lld, the "
                                "shard has %zu",
                                (long long)input->like[i], rows);
        ALCORE__TRY(alcore__buffer_append(ctx, out, &row, sizeof row));
    }
    return ALCORE_OK;
}

/* ---- take ---- */

static alcore_status take_like(const alcore_job *job, const alcore__job_entry *entry, int64_t count,
                               alcore__byte_cursor *cursor, bool *whole) {
    alcore__job_languages *languages = &job->passes->languages;
    *whole = count >= 0 && (uint64_t)count <= cursor->left / sizeof *languages->like;
    if (!*whole) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(job->object.ctx, &languages->like, &languages->like_capacity,
                             (size_t)(languages->like_count + count), sizeof *languages->like));
    for (int64_t i = 0; i < count && *whole; i++) {
        int64_t row;
        *whole = alcore__cursor_read(cursor, &row, sizeof row) && row >= entry->first &&
                 row < entry->end;
        if (*whole) languages->like[languages->like_count++] = row;
    }
    return ALCORE_OK;
}

/* Takes the languages of the rows of an entry, numbers [count of the shard's tags] among all. */
static void take_rows(const alcore__job_entry *entry, const int32_t *numbers, int64_t count,
                      alcore__byte_cursor *cursor, int32_t *of, bool *whole) {
    const size_t rows = (size_t)(entry->end - entry->first);
    const size_t bytes = alcore__cursor_padded(rows * sizeof(int32_t));
    const char *found = alcore__cursor_take(cursor, bytes, 1);
    *whole = found != NULL;
    for (size_t row = 0; row < rows && *whole; row++) {
        int32_t language;
        memcpy(&language, found + row * sizeof language, sizeof language);
        *whole = language >= 0 && language < count;
        if (*whole) of[row] = numbers[language];
    }
}

alcore_status alcore__job_take_languages(const alcore_job *job, const alcore__job_entry *entry,
                                         alcore__byte_cursor *cursor, bool *whole) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__job_languages *languages = &job->passes->languages;
    languages_header header;
    int32_t *numbers;
    if (!languages->of)
        ALCORE__TRY(
            alcore__new_array(ctx, (size_t)job->rows, sizeof *languages->of, &languages->of));
    *whole = alcore__cursor_read(cursor, &header, sizeof header) && header.like >= -1;
    if (!*whole) return ALCORE_OK;
    const bool has_like = header.like >= 0;
    if (languages->entries++ > 0 && has_like != languages->has_like)
        return alcore__fail(ALCORE_E_DATA,
                            "the shard of the rows %lld to %lld names rows of another selection "
                            "(like), and others do not, or the other way round",
                            (long long)entry->first, (long long)entry->end - 1);
    languages->has_like = has_like;
    alcore_status status =
        alcore__tag_union_read(ctx, cursor, header.tags, &languages->tags, &numbers, whole);
    if (status == ALCORE_OK && *whole)
        take_rows(entry, numbers, header.tags, cursor, languages->of + entry->first, whole);
    if (status == ALCORE_OK && *whole && has_like)
        status = take_like(job, entry, header.like, cursor, whole);
    alcore__free(ctx, numbers);
    return status;
}

/* A tag and its number in the union. */
typedef struct numbered_tag {
    char *tag;
    int32_t number;
} numbered_tag;

/* For alcore__sort(). */
static int by_tag(const void *left, const void *right) {
    return strcmp(((const numbered_tag *)left)->tag, ((const numbered_tag *)right)->tag);
}

/* Brings the tags of the union into byte order: renumbered [count of tags] gets their new numbers.
 * sorted: memory for as many. */
static alcore_status order_tags(alcore_ctx *ctx, alcore__tag_union *tags, numbered_tag *sorted,
                                int32_t *renumbered) {
    for (int64_t i = 0; i < tags->count; i++)
        sorted[i] = (numbered_tag){.tag = tags->tags[i], .number = (int32_t)i};
    ALCORE__TRY(alcore__sort(ctx, sorted, (size_t)tags->count, sizeof *sorted, by_tag));
    for (int64_t i = 0; i < tags->count; i++) {
        tags->tags[i] = sorted[i].tag;
        renumbered[sorted[i].number] = (int32_t)i;
    }
    return ALCORE_OK;
}

alcore_status alcore__job_languages_input(const alcore_job *job, alcore__run_input *input) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__job_languages *languages = &job->passes->languages;
    const size_t count = (size_t)languages->tags.count;
    numbered_tag *sorted;
    int32_t *renumbered = NULL;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *sorted, &sorted));
    alcore_status status = alcore__new_array(ctx, count, sizeof *renumbered, &renumbered);
    if (status == ALCORE_OK) status = order_tags(ctx, &languages->tags, sorted, renumbered);
    for (int64_t row = 0; row < job->rows && status == ALCORE_OK; row++)
        languages->of[row] = renumbered[languages->of[row]];
    alcore__free(ctx, sorted);
    alcore__free(ctx, renumbered);
    if (status != ALCORE_OK) return status;
    input->languages = languages->of;
    input->language_tags = (const char *const *)languages->tags.tags;
    input->language_count = languages->tags.count;
    input->like = languages->like;
    input->like_count = languages->like_count;
    input->has_like = languages->has_like;
    return ALCORE_OK;
}
