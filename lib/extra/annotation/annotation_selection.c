/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of a selection as items (alcore_annotations_add_selection()). They are those that its
 * file would give: annotation_files.c reads such a one. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/annotation/annotation_list.h"
#include "pool/pool_internal.h"

enum { POLL_ITEMS = 1024 /* items added between two polls of cancellation */ };

/* What is read of a selection. */
typedef struct picks {
    const alcore_selection *selection;
    const alcore_pool *pool;
    int64_t count;
    const int64_t *rows;    /* [count] of pool */
    const double *costs;    /* [count] */
    const int64_t *indices; /* [count] rows of the texts; NULL: they are rows */
    const int64_t *kinds;   /* [count] 1: a phrase; NULL: all picks are of one kind */
    bool phrases;           /* they all are phrases */
} picks;

/* The integers of a column of the record; NULL: there is no such column. */
static const int64_t *record_of(const alcore_selection *selection, const char *name) {
    for (int64_t i = 0;; i++) {
        const char *there = alcore_selection_column_name(selection, ALCORE_SCOPE_PICKS, i);
        alcore_tensor values;
        if (!there) return NULL;
        if (strcmp(there, name) == 0 &&
            alcore_selection_get_column(selection, ALCORE_SCOPE_PICKS, name, &values) == ALCORE_OK)
            return values.dtype.code == ALCORE_KIND_INT ? values.data : NULL;
    }
}

static picks picks_of(const alcore_selection *selection) {
    return (picks){.selection = selection,
                   .pool = alcore_selection_pool(selection),
                   .count = alcore_selection_count(selection),
                   .rows = alcore_selection_rows(selection),
                   .costs = alcore_selection_costs(selection),
                   .indices = record_of(selection, "first_row"),
                   .kinds = record_of(selection, "kind"),
                   .phrases = record_of(selection, "occ")};
}

/* Appends the item of a pick. */
static alcore_status add_pick(alcore_annotations *self, const picks *from, int64_t rank) {
    const int64_t row = from->rows[rank];
    char number[24];
    alcore__annotation_input input = {.id = alcore__pool_id(from->pool, row, number),
                                      .row = from->indices ? from->indices[rank] : row,
                                      .cost = from->costs[rank],
                                      .score = alcore_selection_scores(from->selection)[rank],
                                      .reason = alcore_selection_reason(from->selection, rank),
                                      .phrase =
                                          from->kinds ? from->kinds[rank] == 1 : from->phrases};
    input.text = alcore_pool_text(from->pool, row, &input.text_length);
    input.id_length = strlen(input.id);
    input.reason_length = input.reason ? strlen(input.reason) : 0;
    return alcore__annotations_append(self, &input);
}

/* Appends all picks; after a failure the list has those of before. */
static alcore_status add_picks(alcore_annotations *self, const picks *from) {
    const int64_t before = self->count;
    alcore_status status = ALCORE_OK;
    for (int64_t rank = 0; rank < from->count && status == ALCORE_OK; rank++) {
        if (rank % POLL_ITEMS == POLL_ITEMS - 1)
            status = alcore__tick(self->object.ctx, "adding items", rank, from->count);
        if (status != ALCORE_OK) break;
        status = add_pick(self, from, rank);
        if (status != ALCORE_OK && status != ALCORE_E_NOMEM)
            alcore__fail_within(status, "pick %" PRId64, rank);
    }
    if (status != ALCORE_OK) self->count = before;
    return status;
}

/* The same with the pools locked for reading: that of the annotations, and that of the picks. */
static alcore_status add_locked(alcore_annotations *self, const alcore_selection *selection) {
    const picks from = picks_of(selection);
    if (alcore__pool_ctx(from.pool) != self->object.ctx)
        return alcore__fail(ALCORE_E_INVALID, "the selection is of another context");
    ALCORE__TRY(alcore__read_begin(self->pool, "pool"));
    alcore_status status = alcore__read_begin(from.pool, "pool of the selection");
    if (status == ALCORE_OK) {
        status = add_picks(self, &from);
        alcore__read_end(from.pool);
    }
    alcore__read_end(self->pool);
    return status;
}

alcore_status alcore_annotations_add_selection(alcore_annotations *annotations,
                                               const alcore_selection *selection) {
    if (!annotations || !selection)
        return alcore__fail(ALCORE_E_INVALID, "alcore_annotations_add_selection: annotations and "
                                              "selection are needed");
    ALCORE__TRY(alcore__enter_long(annotations->object.ctx));
    alcore_status status = alcore__write_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = add_locked(annotations, selection);
        alcore__write_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}
