/* SPDX-License-Identifier: Apache-2.0 */
/* What the function of a host's scorer or strategy sees: the rows that are not masked, ascending,
 * their costs, and the columns it asked for, copied as doubles by row of the view. Cost: one pass
 * over each column and a copy of it. */
#include "scorer/view.h"

#include "kernel/kernel_engine.h"

#include <string.h>

#include "base/rng.h"
#include "base/tensor_view.h"

/* Tag of the draws of host functions; the tags of spec 1.7 end at 14. */
enum { TAG_HOST = 64 };

typedef struct view_column {
    char *name;
    int64_t shape[2], offsets_shape[1];
    double *values;
    int64_t *offsets; /* NULL: not ragged */
} view_column;

struct alcore_view {
    alcore_ctx *ctx;
    alcore__view_input input;
    int64_t count, labeled_count, column_count;
    int64_t *rows, *labeled;
    double *costs;
    view_column *columns;
};

static int64_t count_taken(const uint8_t *mask, int64_t rows) {
    if (!mask) return rows;
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) count += mask[i] != 0;
    return count;
}

/* Lists the rows with a 1 in take [rows] (NULL: all), ascending: *out [*out_count]. */
static alcore_status list_taken(alcore_ctx *ctx, const uint8_t *mask, int64_t rows, int64_t **out,
                                int64_t *out_count) {
    int64_t count = count_taken(mask, rows);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof **out, out));
    for (int64_t i = 0, n = 0; i < rows; i++) {
        if (!mask || mask[i]) (*out)[n++] = i;
    }
    *out_count = count;
    return ALCORE_OK;
}

/* Finds the column of "a|b", the first that is there. */
static const alcore__column *find_need(const alcore__dataset *dataset, const char *need,
                                       size_t *length, const char **out_name) {
    for (const char *at = need; *at;) {
        *length = strcspn(at, "|");
        for (int32_t i = 0; i < dataset->column_count; i++) {
            const char *name = dataset->columns[i].name;
            if (strlen(name) == *length && !memcmp(name, at, *length)) {
                *out_name = name;
                return dataset->columns[i].column;
            }
        }
        at += *length + (at[*length] == '|');
    }
    return NULL;
}

typedef struct gather {
    alcore_view *view;
    const alcore__column *column;
    alcore__engine engine;
    alcore_sys_work work; /* of that engine */
    alcore__scratch scratch;
    double *wide; /* [ALCORE_BLOCK_ROWS, dims] */
} gather;

/* Copies the values of the view's rows to out->values [count, dims] as doubles: in runs of the pool
 * of at most ALCORE_BLOCK_ROWS rows, which a column reads at once. */
static alcore_status gather_dense(gather *g, view_column *out) {
    alcore_view *view = g->view;
    int64_t dims = g->column->dims;
    size_t row_bytes = (size_t)dims * sizeof(double);
    for (int64_t n = 0; n < view->count;) {
        int64_t first = view->rows[n], last = n;
        while (last < view->count && view->rows[last] < first + ALCORE_BLOCK_ROWS) last++;
        alcore_sys_rows rows = {0};
        int64_t count = view->rows[last - 1] - first + 1;
        ALCORE__TRY(g->column->ops->rows(g->column, first, count, &g->scratch, &rows));
        const uint8_t *mask = view->input.candidates->mask;
        if (alcore__dtype_is_integer(rows.dtype))
            alcore__column_widen(&rows, g->wide);
        else
            ALCORE__TRY(
                g->engine.kernels->widen(&g->work, &rows, mask ? mask + first : NULL, g->wide));
        for (; n < last; n++) {
            memcpy(out->values + n * dims, g->wide + (view->rows[n] - first) * dims, row_bytes);
        }
        ALCORE__TRY(alcore__tick(view->ctx, "gathering", n, view->count));
    }
    return ALCORE_OK;
}

/* Copies the values of the view's rows, one behind the other, to out->values; out->offsets [count +
 * 1] counts tokens. The total is not known before, so the array grows. */
static alcore_status gather_ragged(gather *g, view_column *out) {
    alcore_view *view = g->view;
    size_t capacity = 0;
    for (int64_t n = 0; n < view->count; n++) {
        alcore_sys_ragged item = {0};
        ALCORE__TRY(g->column->ops->ragged(g->column, view->rows[n], 1, &g->scratch, &item));
        int64_t tokens = item.offsets[1] - item.offsets[0];
        size_t numbers = (size_t)(tokens * item.classes);
        size_t used = (size_t)(out->offsets[n] * item.classes);
        out->offsets[n + 1] = out->offsets[n] + tokens;
        ALCORE__TRY(
            alcore__grow(view->ctx, &out->values, &capacity, used + numbers + 1, sizeof(double)));
        alcore_sys_rows row = {.data = item.values,
                               .count = tokens,
                               .dims = item.classes,
                               .stride = item.classes,
                               .dtype = item.dtype};
        if (tokens && alcore__dtype_is_integer(row.dtype)) {
            alcore__column_widen(&row, out->values + used);
        } else if (tokens) {
            ALCORE__TRY(g->engine.kernels->widen(&g->work, &row, NULL, out->values + used));
        }
        ALCORE__TRY(alcore__tick(view->ctx, "gathering", n, view->count));
    }
    return ALCORE_OK;
}

/* Gathers one column of the view, dense or ragged; texts are read from the pool instead. */
static alcore_status gather_column(alcore_view *view, const alcore__column *column,
                                   view_column *out) {
    gather g = {.view = view, .column = column, .engine = alcore__engine_cpu(view->ctx)};
    g.work = alcore__engine_work(&g.engine);
    alcore_ctx *ctx = view->ctx;
    alcore_status status;
    if (column->dtype == ALCORE_TEXT)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\" has texts, which a host function reads from the pool "
                            "with alcore_pool_column_text()",
                            column->name);
    if (column->ragged) {
        status = alcore__new_array(ctx, (size_t)view->count + 1, sizeof(int64_t), &out->offsets);
        if (status == ALCORE_OK) status = gather_ragged(&g, out);
        if (status == ALCORE_OK) {
            out->shape[0] = out->offsets[view->count];
            out->offsets_shape[0] = view->count + 1;
        }
    } else {
        size_t block = view->count < ALCORE_BLOCK_ROWS && !view->input.candidates->mask
                           ? (size_t)view->count
                           : ALCORE_BLOCK_ROWS;
        out->shape[0] = view->count;
        status =
            alcore__new_array(ctx, (size_t)view->count, (size_t)column->dims * 8, &out->values);
        if (status == ALCORE_OK)
            status = alcore__new_array(ctx, block, (size_t)column->dims * 8, &g.wide);
        if (status == ALCORE_OK) status = gather_dense(&g, out);
    }
    out->shape[1] = column->dims;
    alcore__free(ctx, g.wide);
    alcore__scratch_clear(ctx, &g.scratch);
    return status;
}

/* Gathers every column that the host asked for. column_count is set before a column is gathered, so
 * that a failure frees what it has. */
static alcore_status gather_needs(alcore_view *view) {
    const char *const *needs = view->input.needs;
    int64_t count = 0;
    while (needs && needs[count]) count++;
    ALCORE__TRY(alcore__new_array(view->ctx, (size_t)count, sizeof *view->columns, &view->columns));
    for (int64_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *name = NULL;
        const alcore__column *column = find_need(view->input.candidates, needs[i], &length, &name);
        if (!column)
            return alcore__fail(ALCORE_E_MISSING, "the column \"%s\" is missing", needs[i]);
        view_column *out = &view->columns[i];
        out->name = alcore__strndup(view->ctx, name, length);
        if (!out->name) return alcore__fail_memory(length);
        view->column_count = i + 1;
        ALCORE__TRY(gather_column(view, column, out));
    }
    return ALCORE_OK;
}

/* Fills in the rows, the labeled rows, the costs and the columns of a new view. */
static alcore_status fill_view(alcore_view *view) {
    const alcore__view_input *input = &view->input;
    ALCORE__TRY(list_taken(view->ctx, input->candidates->mask, input->candidates->rows, &view->rows,
                           &view->count));
    if (input->labeled_rows) {
        ALCORE__TRY(list_taken(view->ctx, input->labeled_rows, input->candidates->rows,
                               &view->labeled, &view->labeled_count));
    }
    ALCORE__TRY(alcore__new_array(view->ctx, (size_t)view->count, sizeof(double), &view->costs));
    for (int64_t n = 0; n < view->count; n++) {
        view->costs[n] = input->costs ? input->costs[view->rows[n]] : 1.0;
    }
    return gather_needs(view);
}

/* What a host's function sees of the pool: the unmasked rows, and copies of their columns as
 * doubles. Made before the function is called and freed after it. */
alcore_status alcore__view_new(const alcore__view_input *input, alcore_view **out) {
    *out = NULL;
    alcore_view *view;
    ALCORE__TRY(alcore__new_array(input->ctx, 1, sizeof *view, &view));
    view->ctx = input->ctx;
    view->input = *input;
    alcore_status status = fill_view(view);
    if (status != ALCORE_OK) {
        alcore__view_free(view);
        return status;
    }
    *out = view;
    return ALCORE_OK;
}

void alcore__view_free(alcore_view *view) {
    if (!view) return;
    alcore_ctx *ctx = view->ctx;
    for (int64_t i = 0; i < view->column_count; i++) {
        alcore__free(ctx, view->columns[i].name);
        alcore__free(ctx, view->columns[i].values);
        alcore__free(ctx, view->columns[i].offsets);
    }
    alcore__free(ctx, view->columns);
    alcore__free(ctx, view->rows);
    alcore__free(ctx, view->labeled);
    alcore__free(ctx, view->costs);
    alcore__free(ctx, view);
}

int64_t alcore_view_count(const alcore_view *view) {
    return view ? view->count : 0;
}

const int64_t *alcore_view_rows(const alcore_view *view) {
    return view ? view->rows : NULL;
}

alcore_pool *alcore_view_pool(const alcore_view *view) {
    return view ? view->input.candidates->pool : NULL;
}

/* A view of the gathered column: values [rows] or [rows, dims], for a ragged one [tokens] or
 * [tokens, classes] with out_offsets [rows + 1]. */
alcore_status alcore_view_column(const alcore_view *view, const char *name,
                                 alcore_tensor *out_values, alcore_tensor *out_offsets) {
    if (out_values) memset(out_values, 0, sizeof *out_values);
    if (out_offsets) memset(out_offsets, 0, sizeof *out_offsets);
    if (!view || !name || !out_values) {
        return alcore__fail(ALCORE_E_INVALID, "view, name and out_values must not be NULL");
    }
    for (int64_t i = 0; i < view->column_count; i++) {
        view_column *column = &view->columns[i];
        if (strcmp(column->name, name) != 0) continue;
        if (column->offsets && out_offsets) {
            ALCORE__TRY(alcore_tensor_init(out_offsets, column->offsets, ALCORE_INT64,
                                           column->offsets_shape, 1));
        }
        return alcore_tensor_init(out_values, column->values, ALCORE_FLOAT64, column->shape,
                                  column->shape[1] > 1 ? 2 : 1);
    }
    return alcore__fail(ALCORE_E_NOT_FOUND,
                        "the view has no column \"%s\": it was not named in needs", name);
}

const int64_t *alcore_view_labeled(const alcore_view *view, int64_t *out_count) {
    if (out_count) *out_count = view ? view->labeled_count : 0;
    return view ? view->labeled : NULL;
}

alcore_pool *alcore_view_labeled_pool(const alcore_view *view) {
    return view ? view->input.labeled_pool : NULL;
}

const double *alcore_view_costs(const alcore_view *view) {
    return view ? view->costs : NULL;
}

double alcore_view_budget(const alcore_view *view) {
    return view ? view->input.budget : 0.0;
}

int64_t alcore_view_round(const alcore_view *view) {
    return view ? view->input.round : 0;
}

uint64_t alcore_view_random(const alcore_view *view, uint64_t counter) {
    return view ? alcore__rng_derive(view->input.seed, TAG_HOST, (uint64_t)view->input.round,
                                     counter)
                : 0;
}
