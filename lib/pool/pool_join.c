/* SPDX-License-Identifier: Apache-2.0 */
/* Which row of one pool belongs to which of another (alcore_pool_join()): by their ids or their
 * numbers, as id_join.h decides. */
#include <inttypes.h>
#include <string.h>

#include "pool/id_join.h"
#include "pool/pool_state.h"

enum { POLL_ROWS = 4096 /* rows between two polls of cancellation */ };

/* One call. */
typedef struct pool_joining {
    const alcore_pool *texts, *partners;
    alcore_join_options options; /* of the caller, with names for messages */
    int64_t count;               /* rows of texts that are joined */
    alcore__join_tally tally;
} pool_joining;

/* The row of texts that entry i of the result is about. */
static int64_t text_row(const pool_joining *self, int64_t i) {
    return self->options.rows ? self->options.rows[i] : i;
}

/* Notes which rows of a pool were given ids, where they have to be distinct. Messages count the
 * rows from 1, as lines do. */
static alcore_status note_ids(const alcore_pool *pool, alcore__id_use *use) {
    for (int64_t row = 0; row < pool->rows; row++) {
        const char *id = alcore__pool_given_id(pool, row);
        const size_t length = id ? strlen(id) : 0;
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(pool->object.ctx, "joining", row, -1));
        alcore__id_use_note(
            use, &(alcore__record){.id = id,
                                   .id_length = length,
                                   .line = row + 1,
                                   .malformed = pool->states[row] & ALCORE_ROW_MALFORMED});
        if (!id || pool->repeated_ids == ALCORE_IDS_UNIQUE) continue;
        const int64_t first = alcore__pool_row_of_id(pool, id, length, 0, pool->rows);
        if (first != row)
            return alcore__fail(ALCORE_E_DATA,
                                "%s: rows %" PRId64 " and %" PRId64 " have the id \"%.100s\"",
                                use->path, first, row, id);
    }
    return ALCORE_OK;
}

/* Fills out [self->count] by the ids; taken [rows of partners]: rows that have a text. */
static alcore_status find_partners(pool_joining *self, int64_t *out, bool *taken) {
    for (int64_t i = 0; i < self->count; i++) {
        const char *id = alcore__pool_given_id(self->texts, text_row(self, i));
        const size_t length = id ? strlen(id) : 0;
        if (i % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(self->texts->object.ctx, "joining", i, self->count));
        out[i] =
            id ? alcore__pool_row_of_id(self->partners, id, length, 0, self->partners->rows) : -1;
        if (out[i] >= 0) {
            self->tally.joined++;
            taken[out[i]] = true;
        } else if (id) {
            alcore__some_ids_add(&self->tally.lost, id, length);
        }
    }
    return ALCORE_OK;
}

/* Lists the partners that are those of no text. */
static alcore_status find_spare(pool_joining *self, const bool *taken) {
    const alcore_pool *partners = self->partners;
    for (int64_t row = 0; row < partners->rows; row++) {
        const char *id = alcore__pool_given_id(partners, row);
        if (row % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(partners->object.ctx, "joining", row, partners->rows));
        if (!id)
            self->tally.excused++; /* a malformed row */
        else if (!taken[row] &&
                 alcore__pool_row_of_id(self->texts, id, strlen(id), 0, self->texts->rows) < 0)
            alcore__some_ids_add(&self->tally.spare, id, strlen(id));
    }
    return ALCORE_OK;
}

/* Joins by the ids, and says of which there is no counterpart. */
static alcore_status join_ids(pool_joining *self, int64_t *out) {
    alcore_ctx *ctx = self->texts->object.ctx;
    bool *taken;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)self->partners->rows, sizeof *taken, &taken));
    alcore_status status = find_partners(self, out, taken);
    if (status == ALCORE_OK) status = find_spare(self, taken);
    alcore__free(ctx, taken);
    return status == ALCORE_OK ? alcore__join_end(ctx, &self->tally) : status;
}

/* Pairs entry i with row i of the partners, which have to be as many. */
static alcore_status join_lines(const pool_joining *self, int64_t *out) {
    if (self->count != self->partners->rows)
        return alcore__fail(
            ALCORE_E_DATA,
            "%s has %" PRId64 " lines and %s has %" PRId64 ": line i of each belong together",
            self->tally.texts, self->count, self->tally.partners, self->partners->rows);
    for (int64_t i = 0; i < self->count; i++) out[i] = i;
    return ALCORE_OK;
}

/* Both pools are locked for reading. */
static alcore_status join_pools(pool_joining *self, const alcore_join_options *theirs,
                                int64_t *out) {
    alcore_join_options *options = &self->options;
    bool by_id;
    ALCORE__TRY(alcore__struct_read(options, sizeof *options,
                                    ALCORE__FIRST_SIZE(alcore_join_options, row_count), theirs,
                                    "alcore_join_options"));
    ALCORE__TRY(alcore__join_check(options->by));
    ALCORE__TRY(alcore__struct_reserved(options->reserved, "alcore_join_options"));
    self->count = options->rows ? options->row_count : self->texts->rows;
    if (self->count < 0 || (self->count > 0 && !out))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " rows and out_rows at %p", self->count,
                            (void *)out);
    if (options->rows)
        ALCORE__TRY(alcore__pool_check_rows(self->texts, options->rows, self->count));
    self->tally.texts = options->texts_name ? options->texts_name : "the pool of texts";
    self->tally.partners = options->partners_name ? options->partners_name : "the other pool";
    alcore__id_use texts = {.path = self->tally.texts}, partners = {.path = self->tally.partners};
    if (options->by == ALCORE_JOIN_LINE) return join_lines(self, out);
    ALCORE__TRY(note_ids(self->texts, &texts));
    ALCORE__TRY(note_ids(self->partners, &partners));
    ALCORE__TRY(
        alcore__join_decide(self->texts->object.ctx, options->by, &texts, &partners, &by_id));
    return by_id ? join_ids(self, out) : join_lines(self, out);
}

alcore_status alcore_pool_join(const alcore_pool *texts, const alcore_pool *partners,
                               const alcore_join_options *options, int64_t *out_rows) {
    pool_joining self = {.texts = texts, .partners = partners};
    ALCORE__TRY(alcore__pool_long_read_begin(texts));
    alcore_status status = partners ? alcore__read_begin(partners, "pool")
                                    : alcore__fail(ALCORE_E_INVALID, "partners is NULL");
    if (status == ALCORE_OK) {
        status = join_pools(&self, options, out_rows);
        alcore__read_end(partners);
    }
    return alcore__pool_read_end(texts, status);
}
