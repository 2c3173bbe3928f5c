/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are joined of pieces (column_joined.h). A block within one piece is handed out as
 * the piece has it; one that reaches over the end of a piece is put together in scratch. */
#include "pool/column_joined.h"

#include <stdio.h>
#include <string.h>

#include "pool/column_array.h"

typedef struct joined {
    alcore__column_piece *pieces; /* [count] */
    int64_t count;
} joined;

alcore__column_form alcore__column_form_of(const alcore__column *column) {
    alcore__column_form form = {.dims = column->dims,
                                .log_scale = column->log_scale,
                                .dtype = column->dtype,
                                .meaning = column->meaning,
                                .ragged = column->ragged,
                                .per_word = column->per_word};
    snprintf(form.name, sizeof form.name, "%s", column->name);
    return form;
}

void alcore__column_pieces_free(alcore_ctx *ctx, alcore__column_piece *pieces, int64_t count) {
    for (int64_t i = 0; pieces && i < count; i++) {
        alcore__free(ctx, pieces[i].values);
        alcore__free(ctx, pieces[i].offsets);
    }
    alcore__free(ctx, pieces);
}

static void release(alcore__column *column) {
    joined *self = column->data;
    if (self) alcore__column_pieces_free(column->ctx, self->pieces, self->count);
    alcore__free(column->ctx, self);
}

/* Frees the scratch in which the columns of pieces are read. */
static void free_inner(alcore_ctx *ctx, void *user) {
    alcore__scratch_clear(ctx, user);
    alcore__free(ctx, user);
}

/* *out: the scratch for the columns of pieces; that of the caller is for what is put together. */
static alcore_status inner_scratch(alcore_ctx *ctx, alcore__scratch *scratch,
                                   alcore__scratch **out) {
    if (scratch->user && scratch->user_free != free_inner) {
        scratch->user_free(ctx, scratch->user);
        scratch->user = NULL;
    }
    if (!scratch->user) {
        ALCORE__TRY(alcore__new_array(ctx, 1, sizeof **out, &scratch->user));
        scratch->user_free = free_inner;
    }
    *out = scratch->user;
    return ALCORE_OK;
}

/* The piece that has a row, NULL: none; *count: how many of as many rows from it on it has, or how
 * many follow before the next piece begins. */
static const alcore__column_piece *piece_at(const joined *self, int64_t row, int64_t *count) {
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__column_piece *piece = &self->pieces[i];
        if (row >= piece->end) continue;
        const int64_t left = (row < piece->first ? piece->first : piece->end) - row;
        if (*count > left) *count = left;
        return row < piece->first ? NULL : piece;
    }
    return NULL;
}

/* ---- one value a row, or one vector ---- */

static alcore_status piece_rows(const alcore__column *column, const alcore__column_piece *piece,
                                int64_t first, int64_t count, alcore__scratch *inner,
                                alcore_sys_rows *out) {
    const int64_t row = first - piece->first;
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    *out = (alcore_sys_rows){.data = piece->values + (size_t)row * bytes,
                             .count = count,
                             .dims = column->dims,
                             .stride = column->dims,
                             .dtype = column->dtype};
    if (piece->column) ALCORE__TRY(piece->column->ops->rows(piece->column, row, count, inner, out));
    out->first = first;
    return ALCORE_OK;
}

static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    alcore__scratch *inner;
    int64_t part = count;
    ALCORE__TRY(inner_scratch(column->ctx, scratch, &inner));
    const alcore__column_piece *piece = piece_at(column->data, first, &part);
    if (piece && part == count) return piece_rows(column, piece, first, count, inner, out);
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->values, &scratch->values_bytes,
                                        count, bytes));
    for (int64_t done = 0; done < count; done += part) {
        char *destination = (char *)scratch->values + (size_t)done * bytes;
        alcore_sys_rows rows;
        part = count - done;
        piece = piece_at(column->data, first + done, &part);
        if (!piece) {
            alcore__fill_missing(column->dtype, destination, part * column->dims);
            continue;
        }
        ALCORE__TRY(piece_rows(column, piece, first + done, part, inner, &rows));
        const size_t stride = (size_t)rows.stride * alcore_sys_dtype_bytes(column->dtype);
        for (int64_t i = 0; i < part; i++)
            memcpy(destination + (size_t)i * bytes, (const char *)rows.data + (size_t)i * stride,
                   bytes);
    }
    *out = (alcore_sys_rows){.data = scratch->values,
                             .first = first,
                             .count = count,
                             .dims = column->dims,
                             .stride = column->dims,
                             .dtype = column->dtype};
    return ALCORE_OK;
}

/* ---- a list of tokens a row ---- */

static alcore_status piece_tokens(const alcore__column *column, const alcore__column_piece *piece,
                                  int64_t first, int64_t count, alcore__scratch *inner,
                                  alcore_sys_ragged *out) {
    const int64_t row = first - piece->first;
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    if (piece->column) {
        ALCORE__TRY(piece->column->ops->ragged(piece->column, row, count, inner, out));
    } else {
        const int64_t *offsets = piece->offsets + row;
        *out = (alcore_sys_ragged){.values = piece->values + (size_t)offsets[0] * bytes,
                                   .offsets = offsets,
                                   .count = count,
                                   .classes = column->dims,
                                   .dtype = column->dtype};
    }
    out->first = first;
    return ALCORE_OK;
}

/* Appends the tokens of a block to those in scratch, whose offsets end with that of row `done`. */
static alcore_status append_tokens(const alcore__column *column, const alcore_sys_ragged *part,
                                   int64_t done, alcore__scratch *scratch) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    int64_t *offsets = scratch->offsets;
    const int64_t before = offsets[done];
    const int64_t tokens = part->offsets[part->count] - part->offsets[0];
    alcore__buffer values = {.data = scratch->values,
                             .length = (size_t)before * bytes,
                             .capacity = scratch->values_bytes};
    const alcore_status status =
        alcore__buffer_append(column->ctx, &values, part->values, (size_t)tokens * bytes);
    scratch->values = values.data;
    scratch->values_bytes = values.capacity;
    for (int64_t i = 0; i < part->count; i++)
        offsets[done + i + 1] = before + part->offsets[i + 1] - part->offsets[0];
    return status;
}

static alcore_status read_tokens(const alcore__column *column, int64_t first, int64_t count,
                                 alcore__scratch *scratch, alcore_sys_ragged *out) {
    alcore__scratch *inner;
    int64_t part = count;
    ALCORE__TRY(inner_scratch(column->ctx, scratch, &inner));
    const alcore__column_piece *piece = piece_at(column->data, first, &part);
    if (piece && part == count) return piece_tokens(column, piece, first, count, inner, out);
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->offsets, &scratch->offsets_bytes,
                                        count + 1, sizeof(int64_t)));
    int64_t *offsets = scratch->offsets;
    offsets[0] = 0;
    for (int64_t done = 0; done < count; done += part) {
        alcore_sys_ragged tokens;
        part = count - done;
        piece = piece_at(column->data, first + done, &part);
        for (int64_t i = 0; i < part && !piece; i++) offsets[done + i + 1] = offsets[done];
        if (!piece) continue;
        ALCORE__TRY(piece_tokens(column, piece, first + done, part, inner, &tokens));
        ALCORE__TRY(append_tokens(column, &tokens, done, scratch));
    }
    *out = (alcore_sys_ragged){.values = scratch->values,
                               .offsets = offsets,
                               .first = first,
                               .count = count,
                               .classes = column->dims,
                               .dtype = column->dtype};
    return ALCORE_OK;
}

static const alcore__column_ops ROWS = {.rows = read_rows, .release = release};
static const alcore__column_ops TOKENS = {.ragged = read_tokens, .release = release};

alcore_status alcore__column_join(alcore_ctx *ctx, const alcore__column_form *form, int64_t rows,
                                  alcore__column_piece *pieces, int64_t count,
                                  alcore__column **out) {
    alcore__column *column;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *column, &column));
    column->ops = form->ragged ? &TOKENS : &ROWS;
    column->ctx = ctx;
    column->name = alcore__strndup(ctx, form->name, strlen(form->name));
    column->origin = alcore__strndup(ctx, "shards", strlen("shards"));
    column->per_word = form->per_word;
    column->row_count = rows;
    column->dims = form->dims;
    column->dtype = form->dtype;
    column->meaning = form->meaning;
    column->log_scale = form->log_scale;
    column->ragged = form->ragged;
    alcore_status status = column->name && column->origin ? ALCORE_OK : alcore__fail_memory(32);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, 1, sizeof(joined), &column->data);
    if (status != ALCORE_OK) {
        alcore__column_free(column);
        return status;
    }
    *(joined *)column->data = (joined){.pieces = pieces, .count = count};
    *out = column;
    return ALCORE_OK;
}
