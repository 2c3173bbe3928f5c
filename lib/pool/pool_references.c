/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the references of texts from a second file (pool_references.h). Which way they are joined
 * is decided at its first record, as all records of a file have ids or none has. */
#include "pool/pool_references.h"

#include <inttypes.h>
#include <string.h>

#include "pool/pool_state.h"

enum { POLL_ROWS = 4096 /* rows between two polls of cancellation */ };

/* The second file while it is read. */
typedef struct reference_file {
    alcore__pool_add *add;
    const alcore__id_use *texts;
    int32_t by;           /* ALCORE_JOIN_* */
    bool decided, by_id;  /* whether a record was met that decides; what it decided */
    alcore__id_use ids;   /* of the references */
    alcore__id_list list; /* of the references, where they are joined by id */
    alcore__join_tally tally;
    int64_t records; /* so far */
} reference_file;

/* Gives the row with the id of a reference its text. Of ids that no row has only some are kept. */
static alcore_status join_reference(reference_file *file, const alcore__record *record) {
    alcore__pool_add *add = file->add;
    uint32_t number;
    if (record->malformed) {
        file->tally.excused++;
        return ALCORE_OK;
    }
    const alcore_status status =
        alcore__id_list_add(add->pool->object.ctx, &file->list, add->path, record, &number);
    if (status != ALCORE_OK) return alcore__pool_add_masks(add, status) ? ALCORE_OK : status;
    const int64_t row = alcore__pool_row_of_id(add->pool, record->id, record->id_length,
                                               add->pool->rows, add->rows);
    if (row >= 0) return alcore__pool_add_references(add, row, record, 1);
    alcore__some_ids_add(&file->tally.spare, record->id, record->id_length);
    return ALCORE_OK;
}

/* Gives rows their references in the order of the file. Those beyond the last row are only counted,
 * for the message. */
static alcore_status pair_lines(reference_file *file, const alcore__record *records,
                                int64_t count) {
    alcore__pool_add *add = file->add;
    const int64_t row = add->pool->rows + file->records, left = add->rows - row;
    if (left <= 0) return ALCORE_OK;
    return alcore__pool_add_references(add, row, records, count < left ? count : left);
}

/* Called by the reader of files with each batch of references. */
static alcore_status add_references(void *user, const alcore__record *records, int64_t count,
                                    int64_t expected) {
    reference_file *file = user;
    (void)expected;
    for (int64_t i = 0; i < count; i++) alcore__id_use_note(&file->ids, &records[i]);
    if (file->by != ALCORE_JOIN_LINE) ALCORE__TRY(alcore__id_use_check(&file->ids));
    if (!file->decided && (file->ids.first_with > 0 || file->ids.first_without > 0)) {
        ALCORE__TRY(alcore__join_decide(file->add->pool->object.ctx, file->by, file->texts,
                                        &file->ids, &file->by_id));
        file->decided = true;
    }
    alcore_status status = ALCORE_OK;
    if (!file->by_id) status = pair_lines(file, records, count);
    for (int64_t i = 0; file->by_id && i < count && status == ALCORE_OK; i++)
        status = join_reference(file, &records[i]);
    file->records += count;
    return status;
}

/* Counts the rows of the addition that have a reference of the file, and those that have none. */
static alcore_status count_rows(reference_file *file) {
    const alcore_pool *pool = file->add->pool;
    for (int64_t row = pool->rows; row < file->add->rows; row++) {
        const char *id = alcore__pool_given_id(pool, row);
        if (row % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(pool->object.ctx, "joining", row, file->add->rows));
        if (!id) continue; /* a malformed row */
        if (alcore__vocabulary_find(&file->list.ids, id, strlen(id)) != ALCORE__WORD_NONE)
            file->tally.joined++;
        else
            alcore__some_ids_add(&file->tally.lost, id, strlen(id));
    }
    return ALCORE_OK;
}

/* After the last reference: each row has to have one. */
static alcore_status end_references(reference_file *file) {
    const int64_t rows = file->add->rows - file->add->pool->rows;
    if (file->by_id) {
        ALCORE__TRY(count_rows(file));
        return alcore__join_end(file->add->pool->object.ctx, &file->tally);
    }
    if (file->records == rows) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s has %" PRId64 " records and %s has %" PRId64
                        ": record i of one is to be the reference of record i of the other",
                        file->texts->path, rows, file->ids.path, file->records);
}

alcore_status alcore__pool_read_references(alcore__pool_add *add, const alcore__id_use *texts,
                                           const char *path, const alcore_read_options *options) {
    alcore_ctx *ctx = add->pool->object.ctx;
    reference_file file = {.add = add,
                           .texts = texts,
                           .by = options->by,
                           .ids.path = path,
                           .tally.texts = texts->path,
                           .tally.partners = path};
    add->path = path;
    alcore_status status =
        alcore__read_records(ctx, path, options, add->pool->max_text_bytes, add_references, &file);
    if (status == ALCORE_OK) status = end_references(&file);
    alcore__id_list_clear(ctx, &file.list);
    return status;
}
