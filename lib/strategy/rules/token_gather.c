/* SPDX-License-Identifier: Apache-2.0 */
/* What a shard writes of its texts, in multiples of 8 bytes:
 *
 *     part_header
 *     tags of its languages, as tag_union.h has them
 *     for each candidate and each bought row, ascending: row_record, a bit for each of its tokens,
 *     1 if it is a word, and the hashes of its tokens
 *
 * Texts are read on all threads, some rows a task. */
#include "strategy/rules/token_gather.h"

#include <string.h>

#include "pool/tag_union.h"
#include "text/kept_tokens.h"
#include "text/text_ngrams.h"
#include "text/text_tokens.h"

typedef struct part_header {
    int64_t languages, rows;
} part_header;

typedef struct row_record {
    int64_t row; /* in the order of all shards */
    double cost; /* 0 for bought rows */
    uint32_t tokens;
    uint32_t language; /* among the tags of the shard */
    uint64_t bought;   /* 0: a candidate */
} row_record;
_Static_assert(sizeof(row_record) == 32, "as docs/distributed.md says");

/* ---- writing ---- */

/* Rows that a task reads. */
enum { TASK_ROWS = 1024 };

typedef struct gather_loop {
    const alcore__run_input *input;
    int64_t *rows; /* [count] candidates and bought rows, ascending; owned */
    int64_t count;
    alcore__buffer *outs; /* [tasks] owned */
} gather_loop;

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

/* Reads the tokens of a text, no more of them than there is room for; returns how many they are. */
static int64_t read_tokens(const char *text, size_t length, const alcore__token_room *room) {
    alcore__token_reader reader = {.text = text, .length = length};
    int64_t count = 0;
    for (; count < room->most && alcore__token_next(&reader); count++)
        alcore__token_put(room, count, reader.hash, reader.kind == ALCORE__TOKEN_WORD);
    return count;
}

/* tokens: memory of the task, which grows with its texts. */
static alcore_status write_row(const gather_loop *loop, int64_t row, alcore__buffer *tokens,
                               alcore__buffer *out) {
    const alcore__run_input *input = loop->input;
    alcore_ctx *ctx = input->ctx;
    size_t length;
    const char *text = alcore_pool_text(input->candidates.pool, row, &length);
    const int64_t most = alcore__text_tokens_most(text, length);
    const size_t words = alcore__token_bit_words(most);
    tokens->length = 0;
    ALCORE__TRY(alcore__buffer_reserve(ctx, tokens, (words + (size_t)most + 1) * sizeof(uint64_t)));
    uint64_t *bits = (uint64_t *)(void *)tokens->data;
    const alcore__token_room room = {.bits = bits, .hashes = bits + words, .most = most};
    if (words > 0) memset(bits, 0, words * sizeof *bits);
    const int64_t count = read_tokens(text, length, &room);
    const bool bought = is_bought(input, row);
    const row_record record = {.row = row + input->place.first_row,
                               .cost = bought         ? 0.0
                                       : input->costs ? input->costs[row]
                                                      : 1.0,
                               .tokens = (uint32_t)count,
                               .language = (uint32_t)input->languages[row],
                               .bought = bought};
    ALCORE__TRY(alcore__buffer_append(ctx, out, &record, sizeof record));
    ALCORE__TRY(
        alcore__buffer_append(ctx, out, bits, alcore__token_bit_words(count) * sizeof *bits));
    return alcore__buffer_append(ctx, out, room.hashes, (size_t)count * sizeof *room.hashes);
}

/* Task `index` of alcore__parallel(). */
static alcore_status gather_rows(void *data, int64_t index, int32_t worker) {
    const gather_loop *loop = data;
    const int64_t first = index * TASK_ROWS, left = loop->count - first;
    const int64_t end = left < TASK_ROWS ? loop->count : first + TASK_ROWS;
    alcore__buffer tokens = {0};
    alcore_status status = ALCORE_OK;
    (void)worker;
    for (int64_t i = first; i < end && status == ALCORE_OK; i++)
        status = write_row(loop, loop->rows[i], &tokens, &loop->outs[index]);
    alcore__buffer_clear(loop->input->ctx, &tokens);
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
    alcore_status status = alcore__parallel(ctx, "tokens", tasks, gather_rows, loop);
    for (int64_t i = 0; i < tasks; i++) {
        if (status == ALCORE_OK)
            status = alcore__buffer_append(ctx, out, loop->outs[i].data, loop->outs[i].length);
        alcore__buffer_clear(ctx, &loop->outs[i]);
    }
    return status;
}

alcore_status alcore__tokens_gather(const alcore__run_input *input, alcore__buffer *out) {
    gather_loop loop = {.input = input};
    alcore_status status = list_rows(&loop);
    if (status == ALCORE_OK) status = write_part(&loop, out);
    alcore__free(input->ctx, loop.rows);
    alcore__free(input->ctx, loop.outs);
    return status;
}

/* ---- reading ---- */

static alcore_status fail_part(const alcore__shard_part *part) {
    return alcore__fail(ALCORE_E_CORRUPT,
                        "the message of a job has no tokens of the rows %lld to %lld",
                        (long long)part->first, (long long)part->end - 1);
}

/* Reads the next row of a part, which is behind *last. */
static alcore_status read_row(const alcore__shard_part *part, alcore__byte_cursor *cursor,
                              const int32_t *numbers, int64_t languages, int64_t *last,
                              alcore__shard_tokens *out) {
    row_record record;
    const char *words = NULL, *hashes = NULL;
    if (alcore__cursor_read(cursor, &record, sizeof record))
        words =
            alcore__cursor_take(cursor, alcore__token_bit_words(record.tokens), sizeof(uint64_t));
    if (words) hashes = alcore__cursor_take(cursor, record.tokens, sizeof(uint64_t));
    if (!hashes || record.row <= *last || record.row >= part->end || record.language >= languages)
        return fail_part(part);
    const int64_t row = *last = record.row;
    out->candidates[row] = record.bought == 0;
    out->bought[row] = record.bought != 0;
    out->costs[row] = record.cost;
    out->languages[row] = numbers[record.language];
    out->tokens[row] = record.tokens;
    out->words[row] = words;
    out->hashes[row] = hashes;
    return ALCORE_OK;
}

/* Reads a part, of which nothing may be left. */
static alcore_status read_part(alcore_ctx *ctx, const alcore__shard_part *part,
                               alcore__tag_union *tags, alcore__shard_tokens *out) {
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
        if (i % ALCORE_BLOCK_ROWS == 0) status = alcore__tick(ctx, "tokens", i, header.rows);
        if (status == ALCORE_OK)
            status = read_row(part, &cursor, numbers, header.languages, &last, out);
    }
    if (status == ALCORE_OK && cursor.left > 0) status = fail_part(part);
    alcore__free(ctx, numbers);
    return status;
}

alcore_status alcore__shard_tokens_read(alcore_ctx *ctx, const alcore__shard_parts *parts,
                                        int64_t rows, alcore__shard_tokens *out) {
    alcore__tag_union tags = {0};
    const size_t count = (size_t)rows;
    *out = (alcore__shard_tokens){.rows = rows};
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->candidates, &out->candidates));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->bought, &out->bought));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->costs, &out->costs));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->languages, &out->languages));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->tokens, &out->tokens));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->words, &out->words));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->hashes, &out->hashes));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < parts->count && status == ALCORE_OK; i++)
        status = read_part(ctx, &parts->parts[i], &tags, out);
    out->language_count = tags.count;
    alcore__tag_union_clear(ctx, &tags);
    return status;
}

void alcore__shard_tokens_clear(alcore_ctx *ctx, alcore__shard_tokens *tokens) {
    alcore__free(ctx, tokens->candidates);
    alcore__free(ctx, tokens->bought);
    alcore__free(ctx, tokens->costs);
    alcore__free(ctx, tokens->languages);
    alcore__free(ctx, tokens->tokens);
    alcore__free(ctx, tokens->words);
    alcore__free(ctx, tokens->hashes);
    *tokens = (alcore__shard_tokens){0};
}
