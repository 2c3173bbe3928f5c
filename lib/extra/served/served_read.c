/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from the answers of inference servers: finds the row of each answer and puts its numbers,
 * one answer at a time, so that an error names its line. */
#include <inttypes.h>

#include "alcore/extra/served.h"
#include "formats/served_answers.h"
#include "pool/pool_state.h"
#include "scorer/token_columns.h"

/* One call. */
typedef struct placing {
    const alcore_pool *pool;
    const char *path; /* for messages */
    alcore_served_options options;
    alcore_logits_writers writers;
    bool wanted[ALCORE__TOKEN_STATISTICS];
    uint8_t *seen; /* [rows of the pool] 1: an answer of the row was there; owned */
} placing;

/* *out_row: the row that an answer is of. */
static alcore_status find_row(const placing *self, const alcore__served_answer *answer,
                              int64_t *out_row) {
    const alcore_served_options *options = &self->options;
    const int64_t entries = options->rows ? options->row_count : self->pool->rows;
    if (answer->id) return alcore__pool_find_id(self->pool, answer->id, answer->id_length, out_row);
    if (answer->number >= entries)
        return alcore__fail(ALCORE_E_SHAPE, "expected %" PRId64 " answers, found number %" PRId64,
                            entries, answer->number);
    *out_row = options->rows ? options->rows[answer->number] : answer->number;
    return ALCORE_OK;
}

/* Whether a column is wanted that the likeliest classes make: a server that listed one may not say
 * enough of them, which does not matter for the tokens themselves. */
static bool wants_likeliest(const placing *self) {
    return self->wanted[ALCORE__TOKEN_MARGIN] || self->wanted[ALCORE__TOKEN_CONFIDENCE] ||
           self->wanted[ALCORE__TOKEN_ENTROPY];
}

/* Refuses an answer that does not say what the columns want. */
static alcore_status check_answer(const placing *self, const alcore__served_answer *answer) {
    const bool ranks = self->wanted[ALCORE__TOKEN_MARGIN] || self->wanted[ALCORE__TOKEN_CONFIDENCE];
    if (answer->tokens > 0 && answer->k == 0 && wants_likeliest(self))
        return alcore__fail(ALCORE_E_DATA,
                            "the likeliest tokens are not listed; ask with \"logprobs\", or of "
                            "chats \"top_logprobs\", of 2 or more, and without "
                            "\"packed_top_logprobs\"");
    if (ranks && answer->doubtful >= 0)
        return alcore__fail(ALCORE_E_DATA,
                            "token %" PRId64
                            ": two of its likeliest tokens may have become one, as "
                            "they are named by their texts; ask vLLM with "
                            "\"return_tokens_as_token_ids\", or for a chat",
                            answer->doubtful);
    return ALCORE_OK;
}

/* Puts numbers of an answer into the columns of a row; row NULL: of none, which checks the writers
 * and the options. */
static alcore_status put_numbers(const placing *self, const alcore__served_answer *answer,
                                 const int64_t *row) {
    alcore_topk topk = ALCORE_TOPK_INIT;
    int64_t of_tokens[1] = {answer->tokens}, of_top[2] = {answer->tokens, answer->k};
    alcore_tensor logprobs, top, ids, top_ids;
    if (answer->tokens == 0) of_top[1] = 1; /* the writers may want likeliest classes of nothing */
    ALCORE__TRY(alcore_tensor_init(&logprobs, answer->logprobs, ALCORE_FLOAT64, of_tokens, 1));
    ALCORE__TRY(alcore_tensor_init(&top, answer->top, ALCORE_FLOAT64, of_top, 2));
    topk.logprobs = &logprobs;
    if (of_top[1] > 0 && wants_likeliest(self)) topk.top = &top;
    if (topk.top && answer->ids) {
        ALCORE__TRY(alcore_tensor_init(&ids, answer->ids, ALCORE_INT64, of_tokens, 1));
        ALCORE__TRY(alcore_tensor_init(&top_ids, answer->top_ids, ALCORE_INT64, of_top, 2));
        topk.ids = &ids;
        topk.top_ids = &top_ids;
    }
    topk.lengths = row ? of_tokens : NULL;
    topk.length_count = row != NULL;
    topk.classes = self->options.classes;
    topk.rest = self->options.rest;
    return alcore_logits_put_topk(self->pool->object.ctx, &topk, row, row != NULL, &self->writers);
}

/* Puts an answer under its row. */
static alcore_status put_answer(placing *self, const alcore__served_answer *answer) {
    int64_t row;
    ALCORE__TRY(find_row(self, answer, &row));
    if (self->seen[row])
        return alcore__fail(ALCORE_E_DATA, "row %" PRId64 " is given a second time", row);
    ALCORE__TRY(check_answer(self, answer));
    self->seen[row] = 1;
    return put_numbers(self, answer, &row);
}

/* alcore__served_sink: errors get the path and the line. */
static alcore_status place_answer(void *user, const alcore__served_answer *answer) {
    placing *self = user;
    const alcore_status status = put_answer(self, answer);
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM || status == ALCORE_E_CANCELLED)
        return status;
    return alcore__fail_within(status, "%s:%" PRId64, self->path, answer->line);
}

/* Checks what the caller gave beside the file. */
static alcore_status check_options(placing *self, const alcore_served_options *theirs,
                                   const alcore_logits_writers *out) {
    alcore_served_options *options = &self->options;
    ALCORE__TRY(alcore__struct_read(options, sizeof *options,
                                    ALCORE__FIRST_SIZE(alcore_served_options, reserved), theirs,
                                    "alcore_served_options"));
    ALCORE__TRY(alcore__struct_reserved(options->reserved, "alcore_served_options"));
    if (options->row_count < 0 || (!options->rows && options->row_count != 0))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " rows at %p", options->row_count,
                            (const void *)options->rows);
    if (options->rows)
        ALCORE__TRY(alcore__pool_check_rows(self->pool, options->rows, options->row_count));
    ALCORE__TRY(alcore__token_writers_read(out, &self->writers));
    alcore__token_writers_want(&self->writers, self->wanted);
    const alcore__served_answer nothing = {0};
    return put_numbers(self, &nothing, NULL);
}

static alcore_status read_answers(placing *self, const alcore_served_options *options,
                                  const alcore_logits_writers *out) {
    ALCORE__TRY(check_options(self, options, out));
    ALCORE__TRY(alcore__new_array(self->pool->object.ctx, (size_t)self->pool->rows,
                                  sizeof *self->seen, &self->seen));
    return alcore__served_read(self->pool->object.ctx, self->path, place_answer, self);
}

alcore_status alcore_served_read(const alcore_pool *pool, const char *path,
                                 const alcore_served_options *options,
                                 const alcore_logits_writers *out) {
    if (!path || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_served_read: %s is NULL",
                            path ? "out" : "path");
    placing self = {.pool = pool, .path = path};
    ALCORE__TRY(alcore__pool_long_read_begin(pool));
    const alcore_status status = read_answers(&self, options, out);
    alcore__free(pool->object.ctx, self.seen);
    return alcore__pool_read_end(pool, status);
}
