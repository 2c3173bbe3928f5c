/* SPDX-License-Identifier: Apache-2.0 */
/* What a shard writes of its texts, in multiples of 8 bytes:
 *
 *     part_header
 *     tags of its languages, as tag_union.h has them
 *     for each candidate and each bought row, ascending: row_record, and the hashes of its n-grams
 *
 * Texts are read on all threads, some rows a task. */
#include "strategy/rules/ngram_gather.h"

#include <string.h>

#include "pool/tag_union.h"
#include "text/text_ngrams.h"

typedef struct part_header {
    int64_t languages, rows;
} part_header;

typedef struct row_record {
    int64_t row; /* in the order of all shards */
    double cost; /* 0 for bought rows */
    uint32_t ngrams, tokens;
    uint32_t language; /* among the tags of the shard */
    uint32_t bought;   /* 0: a candidate */
} row_record;
_Static_assert(sizeof(row_record) == 32, "as docs/distributed.md says");

/* ---- writing ---- */

/* Rows that a task reads. */
enum { TASK_ROWS = 1024 };

typedef struct gather_loop {
    const alcore__run_input *input;
    int64_t max_n;
    int64_t *rows; /* [count] candidates and bought rows, ascending; owned */
    int64_t count;
    alcore__buffer *outs; /* [tasks] owned */
} gather_loop;

/* What the texts of a task are read with; owned. */
typedef struct gather_reader {
    uint64_t *hashes, *seen; /* [of the longest text], seen: zeros */
} gather_reader;

static bool is_bought(const alcore__run_input *input, int64_t row) {
    return input->labeled_rows && input->labeled_rows[row];
}

static alcore_status list_rows(gather_loop *loop) {
    const alcore__dataset *candidates = &loop->input->candidates;
    ALCORE__TRY(alcore__new_array(loop->input->ctx, (size_t)candidates->rows, sizeof *loop->rows,
                                  &loop->rows));
    for (int64_t row = 0; row < candidates->rows; row++)
        if (candidates->mask[row] || is_bought(loop->input, row)) loop->rows[loop->count++] = row;
    return ALCORE_OK;
}

/* Makes a reader of the rows first .. end - 1 of the list. */
static alcore_status open_reader(const gather_loop *loop, int64_t first, int64_t end,
                                 gather_reader *out) {
    alcore_ctx *ctx = loop->input->ctx;
    int64_t longest = 0;
    for (int64_t i = first; i < end; i++) {
        size_t length;
        const char *text = alcore_pool_text(loop->input->candidates.pool, loop->rows[i], &length);
        const int64_t tokens = alcore__text_tokens_most(text, length);
        if (tokens > longest) longest = tokens;
    }
    ALCORE__TRY(alcore__new_array(ctx, (size_t)alcore__text_ngrams_most(longest, loop->max_n) + 1,
                                  sizeof *out->hashes, &out->hashes));
    return alcore__new_array(ctx, (size_t)alcore__text_ngrams_slots(longest, loop->max_n),
                             sizeof *out->seen, &out->seen);
}

static alcore_status write_row(const gather_loop *loop, int64_t row, const gather_reader *reader,
                               alcore__buffer *out) {
    const alcore__run_input *input = loop->input;
    size_t length;
    int64_t tokens;
    const char *text = alcore_pool_text(input->candidates.pool, row, &length);
    const int64_t count =
        alcore__text_ngrams(text, length, loop->max_n, reader->hashes, reader->seen, &tokens);
    const bool bought = is_bought(input, row);
    const row_record record = {.row = row + input->place.first_row,
                               .cost = bought         ? 0.0
                                       : input->costs ? input->costs[row]
                                                      : 1.0,
                               .ngrams = (uint32_t)count,
                               .tokens = (uint32_t)tokens,
                               .language = (uint32_t)input->languages[row],
                               .bought = bought};
    ALCORE__TRY(alcore__buffer_append(input->ctx, out, &record, sizeof record));
    return alcore__buffer_append(input->ctx, out, reader->hashes,
                                 (size_t)count * sizeof *reader->hashes);
}

/* Task `index` of alcore__parallel(). */
static alcore_status gather_rows(void *data, int64_t index, int32_t worker) {
    const gather_loop *loop = data;
    alcore_ctx *ctx = loop->input->ctx;
    const int64_t first = index * TASK_ROWS, left = loop->count - first;
    const int64_t end = left < TASK_ROWS ? loop->count : first + TASK_ROWS;
    gather_reader reader = {NULL, NULL};
    (void)worker;
    alcore_status status = open_reader(loop, first, end, &reader);
    for (int64_t i = first; i < end && status == ALCORE_OK; i++)
        status = write_row(loop, loop->rows[i], &reader, &loop->outs[index]);
    alcore__free(ctx, reader.hashes);
    alcore__free(ctx, reader.seen);
    return status;
}

static alcore_status write_part(gather_loop *loop, alcore__buffer *out) {
    const alcore__run_input *input = loop->input;
    alcore_ctx *ctx = input->ctx;
    const int64_t tasks = (loop->count + TASK_ROWS - 1) / TASK_ROWS;
    const part_header header = {.languages = input->language_count, .rows = loop->count};
    ALCORE__TRY(alcore__buffer_append(ctx, out, &header, sizeof header));
    ALCORE__TRY(alcore__tags_write(ctx, input->candidates.pool, out));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)tasks, sizeof *loop->outs, &loop->outs));
    alcore_status status = alcore__parallel(ctx, "n-grams", tasks, gather_rows, loop);
    for (int64_t i = 0; i < tasks; i++) {
        if (status == ALCORE_OK)
            status = alcore__buffer_append(ctx, out, loop->outs[i].data, loop->outs[i].length);
        alcore__buffer_clear(ctx, &loop->outs[i]);
    }
    return status;
}

alcore_status alcore__ngrams_gather(const alcore__run_input *input, int64_t max_n,
                                    alcore__buffer *out) {
    gather_loop loop = {.input = input, .max_n = max_n};
    alcore_status status = list_rows(&loop);
    if (status == ALCORE_OK) status = write_part(&loop, out);
    alcore__free(input->ctx, loop.rows);
    alcore__free(input->ctx, loop.outs);
    return status;
}

/* ---- reading ---- */

static alcore_status fail_part(const alcore__shard_part *part) {
    return alcore__fail(ALCORE_E_CORRUPT,
                        "the message of a job has no n-grams of the rows %lld to %lld",
                        (long long)part->first, (long long)part->end - 1);
}

/* Reads the next row of a part, which is behind *last. */
static alcore_status read_row(const alcore__shard_part *part, alcore__byte_cursor *cursor,
                              const int32_t *numbers, int64_t languages, int64_t *last,
                              alcore__shard_ngrams *out) {
    row_record record;
    const char *ngrams = NULL;
    if (alcore__cursor_read(cursor, &record, sizeof record))
        ngrams = alcore__cursor_take(cursor, record.ngrams, sizeof(uint64_t));
    if (!ngrams || record.row <= *last || record.row >= part->end || record.language >= languages)
        return fail_part(part);
    const int64_t row = *last = record.row;
    out->candidates[row] = record.bought == 0;
    out->bought[row] = record.bought != 0;
    out->costs[row] = record.cost;
    out->languages[row] = numbers[record.language];
    out->tokens[row] = (double)record.tokens;
    out->counts[row] = record.ngrams;
    out->ngrams[row] = ngrams;
    return ALCORE_OK;
}

/* Reads a part, of which nothing may be left. */
static alcore_status read_part(alcore_ctx *ctx, const alcore__shard_part *part,
                               alcore__tag_union *tags, alcore__shard_ngrams *out) {
    alcore__byte_cursor cursor = {part->bytes, part->length};
    part_header header;
    int32_t *numbers; /* [header.languages] of its tags */
    int64_t last = part->first - 1;
    bool complete;
    if (!alcore__cursor_read(&cursor, &header, sizeof header)) return fail_part(part);
    alcore_status status =
        alcore__tag_union_read(ctx, &cursor, header.languages, tags, &numbers, &complete);
    if (status == ALCORE_OK && !complete) status = fail_part(part);
    for (int64_t i = 0; i < header.rows && status == ALCORE_OK; i++) {
        if (i % ALCORE_BLOCK_ROWS == 0) status = alcore__tick(ctx, "n-grams", i, header.rows);
        if (status == ALCORE_OK)
            status = read_row(part, &cursor, numbers, header.languages, &last, out);
    }
    if (status == ALCORE_OK && cursor.left > 0) status = fail_part(part);
    alcore__free(ctx, numbers);
    return status;
}

alcore_status alcore__shard_ngrams_read(alcore_ctx *ctx, const alcore__shard_parts *parts,
                                        int64_t rows, alcore__shard_ngrams *out) {
    alcore__tag_union tags = {0};
    const size_t count = (size_t)rows;
    *out = (alcore__shard_ngrams){.rows = rows};
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->candidates, &out->candidates));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->bought, &out->bought));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->costs, &out->costs));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->languages, &out->languages));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->tokens, &out->tokens));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->counts, &out->counts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->ngrams, &out->ngrams));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < parts->count && status == ALCORE_OK; i++)
        status = read_part(ctx, &parts->parts[i], &tags, out);
    out->language_count = tags.count;
    alcore__tag_union_clear(ctx, &tags);
    return status;
}

void alcore__shard_ngrams_clear(alcore_ctx *ctx, alcore__shard_ngrams *gathered) {
    alcore__free(ctx, gathered->candidates);
    alcore__free(ctx, gathered->bought);
    alcore__free(ctx, gathered->costs);
    alcore__free(ctx, gathered->languages);
    alcore__free(ctx, gathered->tokens);
    alcore__free(ctx, gathered->counts);
    alcore__free(ctx, gathered->ngrams);
    *gathered = (alcore__shard_ngrams){0};
}
