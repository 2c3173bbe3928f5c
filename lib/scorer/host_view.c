/* SPDX-License-Identifier: Apache-2.0 */
/* What the function of a host's scorer or strategy sees: the rows of each role that take part,
 * ascending, and copies of their columns as doubles, in the parts that it asks for.
 *
 * A part is a range of positions in the list of rows. It is read in spans of the pool of at most
 * ALCORE_BLOCK_ROWS rows, as columns lie in blocks, and of each span the rows of the list are
 * converted, those that follow one another by one call of the kernel. The copy stays in the view
 * until the same column of the same role is asked for again, so that a function can hold a part of
 * the candidates beside a part of the target.
 *
 * Memory: the largest part of each column that was asked for, 8 bytes a value; 8 bytes a candidate
 * for the costs. Cost of a part: one pass over the spans that hold its rows. A column is dense,
 * [rows, dims], or ragged: a list of tokens, [tokens, dims], for each row, with offsets. */
#include "scorer/host_view.h"

#include <string.h>

#include "base/rng.h"
#include "base/tensor_view.h"
#include "kernel/kernel_engine.h"

/* The part of a column that was copied last. */
typedef struct view_part {
    double *values; /* [rows of the part, dims], or [tokens, dims] of a ragged column; owned */
    size_t values_capacity;
    int64_t *offsets; /* [rows of the part + 1] of a ragged column, from 0; owned */
    size_t offsets_capacity;
    int64_t shape[2], offsets_shape[1]; /* of the tensors that are handed out */
} view_part;

/* What reading a column changes; behind a pointer, as the host has the view as const. */
typedef struct view_memory {
    view_part parts[ALCORE__VIEW_ROLES][ALCORE__DATASET_COLUMNS]; /* by role and column */
    alcore__scratch scratch;                                      /* of the column that is read */
} view_memory;

struct alcore_view {
    alcore_ctx *ctx;
    alcore__view_input input;
    double *costs; /* [candidates] by position */
    view_memory *memory;
};

/* The words of messages, by ALCORE__ROLE(): who the rows are, and where the host names columns. */
static const struct {
    const char *rows, *needs;
} ROLE_WORDS[ALCORE__VIEW_ROLES] = {
    {"the candidates", "needs"},
    {"the labeled pool", "labeled_needs"},
    {"the target", "target_needs"},
    {"the labeled rows of the candidates' pool", "needs"},
};

/* The source of a role (which rows of which pool it shows); NULL for a number that is no role, and
 * for a view that is NULL. A role that the request lacks has a source without a dataset. */
static const alcore__view_source *source_of(const alcore_view *view, int32_t role) {
    bool known = role >= ALCORE_ROLE_CANDIDATES && role <= ALCORE_ROLE_LABELED_ROWS;
    return view && known ? &view->input.sources[alcore__role_place(role)] : NULL;
}

/* ---- parts of columns ---- */

/* What a copy of one part works with; all of it is borrowed for the call. */
typedef struct part_copy {
    alcore_ctx *ctx;
    const alcore__column *column;
    const int64_t *rows; /* [count] pool rows of the part, ascending */
    int64_t count;
    alcore__scratch *scratch;
    alcore__engine engine; /* the CPU's */
    view_part *out;
} part_copy;

/* Converts consecutive rows to doubles, exactly but for integers beyond 2^53, which are rounded:
 * out [block->count, block->dims], without gaps. The kernel is made for float types; integers have
 * a loop of their own, which turns "no value" into NaN. */
static alcore_status widen(const part_copy *copy, const alcore_sys_rows *block, double *out) {
    if (!block->count) return ALCORE_OK;
    if (alcore__dtype_is_integer(block->dtype)) {
        alcore__column_widen(block, out);
        return ALCORE_OK;
    }
    alcore_sys_work work = alcore__engine_work(&copy->engine);
    return copy->engine.kernels->widen(&work, block, NULL /* mask: all rows */, out);
}

/* Number of rows of the part from n on that follow one another in the pool, at most `limit`. */
static int64_t run_length(const part_copy *copy, int64_t n, int64_t limit) {
    int64_t run = 1;
    while (run < limit && n + run < copy->count && copy->rows[n + run] == copy->rows[n] + run)
        run++;
    return run;
}

/* Copies a part of a column with one entry per row to out->values [count, dims], in the order of
 * the list of rows. Each span begins at the first row of the list that is not copied yet and covers
 * at most ALCORE_BLOCK_ROWS pool rows; `end` is the position in the list behind it. One value more
 * than needed is allocated, so that the array exists for an empty part too. */
static alcore_status copy_dense(part_copy *copy) {
    const alcore__column *column = copy->column;
    view_part *out = copy->out;
    size_t numbers;
    if (__builtin_mul_overflow((size_t)copy->count, (size_t)column->dims, &numbers))
        return alcore__fail_memory(SIZE_MAX);
    ALCORE__TRY(
        alcore__grow(copy->ctx, &out->values, &out->values_capacity, numbers + 1, sizeof(double)));
    size_t value_bytes = alcore_sys_dtype_bytes(column->dtype);
    for (int64_t n = 0; n < copy->count;) {
        int64_t first = copy->rows[n], end = n;
        while (end < copy->count && copy->rows[end] < first + ALCORE_BLOCK_ROWS) end++;
        alcore_sys_rows span = {0};
        ALCORE__TRY(column->ops->rows(column, first, copy->rows[end - 1] - first + 1, copy->scratch,
                                      &span));
        while (n < end) {
            int64_t run = run_length(copy, n, end - n);
            alcore_sys_rows block = span;
            block.data = (const char *)span.data +
                         (size_t)((copy->rows[n] - first) * span.stride) * value_bytes;
            block.first = copy->rows[n];
            block.count = run;
            ALCORE__TRY(widen(copy, &block, out->values + n * column->dims));
            n += run;
        }
        ALCORE__TRY(alcore__tick(copy->ctx, "copying", n, copy->count));
    }
    out->shape[0] = copy->count;
    return ALCORE_OK;
}

/* Copies a part of a ragged column, the tokens of its rows one behind the other, to out->values
 * [tokens, dims] with out->offsets [count + 1], which begin at 0 (those of a block need not). The
 * total is not known before, so the array grows; what is there is kept. */
static alcore_status copy_ragged(part_copy *copy) {
    const alcore__column *column = copy->column;
    view_part *out = copy->out;
    ALCORE__TRY(alcore__grow(copy->ctx, &out->offsets, &out->offsets_capacity,
                             (size_t)copy->count + 1, sizeof(int64_t)));
    out->offsets[0] = 0;
    for (int64_t n = 0; n < copy->count;) {
        int64_t run = run_length(copy, n, ALCORE_BLOCK_ROWS);
        alcore_sys_ragged items = {0};
        ALCORE__TRY(column->ops->ragged(column, copy->rows[n], run, copy->scratch, &items));
        int64_t used = out->offsets[n];
        for (int64_t i = 1; i <= run; i++)
            out->offsets[n + i] = used + items.offsets[i] - items.offsets[0];
        int64_t tokens = out->offsets[n + run] - used;
        ALCORE__TRY(alcore__grow(copy->ctx, &out->values, &out->values_capacity,
                                 (size_t)((used + tokens) * column->dims) + 1, sizeof(double)));
        alcore_sys_rows block = {.data = items.values,
                                 .count = tokens,
                                 .dims = column->dims,
                                 .stride = column->dims,
                                 .dtype = items.dtype};
        ALCORE__TRY(widen(copy, &block, out->values + used * column->dims));
        n += run;
        ALCORE__TRY(alcore__tick(copy->ctx, "copying", n, copy->count));
    }
    out->shape[0] = out->offsets[copy->count];
    out->offsets_shape[0] = copy->count + 1;
    return ALCORE_OK;
}

/* Finds the column of a role: *out, its index among the columns of the dataset, from 0. The message
 * names the role, as pools have no names, and the field of the host's table that the column has to
 * be named in. The role was checked. */
static alcore_status find_column(const alcore__view_source *source, int32_t role, const char *name,
                                 int32_t *out) {
    const alcore__dataset *dataset = source->dataset;
    for (int32_t i = 0; dataset && i < dataset->column_count; i++) {
        if (strcmp(dataset->columns[i].name, name) != 0) continue;
        *out = i;
        return ALCORE_OK;
    }
    if (!dataset || !dataset->rows)
        return alcore__fail(ALCORE_E_NOT_FOUND,
                            "the view has no column \"%s\" of %s: there are no such rows", name,
                            ROLE_WORDS[alcore__role_place(role)].rows);
    return alcore__fail(ALCORE_E_NOT_FOUND,
                        "the view has no column \"%s\" of %s (a pool of %lld rows): it must be "
                        "named in %s",
                        name, ROLE_WORDS[alcore__role_place(role)].rows, (long long)dataset->rows,
                        ROLE_WORDS[alcore__role_place(role)].needs);
}

/* Checks the arguments of alcore_view_get_column(): a role, and positions first .. first + count -
 * 1 of its list of rows; count 0 is allowed. */
static alcore_status check_part(const alcore_view *view, int32_t role, int64_t first,
                                int64_t count) {
    const alcore__view_source *source = source_of(view, role);
    if (!source)
        return alcore__fail(ALCORE_E_INVALID,
                            "role is %d, which a view does not have; expected ALCORE_ROLE_*",
                            (int)role);
    if (first < 0 || count < 0 || first > source->count || count > source->count - first)
        return alcore__fail(ALCORE_E_INVALID,
                            "%lld rows from position %lld on: the view shows %lld rows of %s",
                            (long long)count, (long long)first, (long long)source->count,
                            ROLE_WORDS[alcore__role_place(role)].rows);
    return ALCORE_OK;
}

/* Copies the part to the memory of the view and hands it out as tensors: values float64 [rows or
 * tokens, dims], or without the second dimension where dims is 1; offsets int64 [rows + 1] of a
 * ragged column, if wanted. They stay valid until the same column of the same role is asked for
 * again or the view is freed. The view is const for the host, its memory is not. */
static alcore_status read_part(const alcore_view *view, int32_t role, const char *name,
                               int64_t first, int64_t count, alcore_tensor *out_values,
                               alcore_tensor *out_offsets) {
    int32_t column_index = 0;
    ALCORE__TRY(check_part(view, role, first, count));
    const alcore__view_source *source = source_of(view, role);
    ALCORE__TRY(find_column(source, role, name, &column_index));
    const alcore__column *column = source->dataset->columns[column_index].column;
    if (column->dtype == ALCORE_TEXT)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\" of %s has texts, which a host's function reads from the "
                            "pool with alcore_pool_column_text()",
                            name, ROLE_WORDS[alcore__role_place(role)].rows);
    view_part *out = &view->memory->parts[alcore__role_place(role)][column_index];
    part_copy copy = {.ctx = view->ctx,
                      .column = column,
                      .rows = source->rows + first,
                      .count = count,
                      .scratch = &view->memory->scratch,
                      .engine = alcore__engine_cpu(view->ctx),
                      .out = out};
    ALCORE__TRY(column->ragged ? copy_ragged(&copy) : copy_dense(&copy));
    out->shape[1] = column->dims;
    if (column->ragged && out_offsets) {
        ALCORE__TRY(
            alcore_tensor_init(out_offsets, out->offsets, ALCORE_INT64, out->offsets_shape, 1));
    }
    return alcore_tensor_init(out_values, out->values, ALCORE_FLOAT64, out->shape,
                              column->dims > 1 ? 2 : 1);
}

/* Called by the host's function: a part of a column as tensors (read_part() says which), which are
 * zeroed after a failure. */
alcore_status alcore_view_get_column(const alcore_view *view, int32_t role, const char *name,
                                     int64_t first, int64_t count, alcore_tensor *out_values,
                                     alcore_tensor *out_offsets) {
    if (out_values) memset(out_values, 0, sizeof *out_values);
    if (out_offsets) memset(out_offsets, 0, sizeof *out_offsets);
    if (!view || !name || !out_values)
        return alcore__fail(ALCORE_E_INVALID, "view, name and out_values must not be NULL");
    return read_part(view, role, name, first, count, out_values, out_offsets);
}

/* ---- the view ---- */

/* Makes what a new view owns: the memory of its columns, and the costs by position in the list of
 * candidates, 1 each where the input has none. The caller frees the view after a failure. */
static alcore_status fill_view(alcore_view *view) {
    const alcore__view_source *candidates = &view->input.sources[ALCORE__ROLE(CANDIDATES)];
    ALCORE__TRY(alcore__new_array(view->ctx, 1, sizeof *view->memory, &view->memory));
    ALCORE__TRY(
        alcore__new_array(view->ctx, (size_t)candidates->count, sizeof(double), &view->costs));
    for (int64_t n = 0; n < candidates->count; n++) {
        view->costs[n] = view->input.costs ? view->input.costs[candidates->rows[n]] : 1.0;
    }
    return ALCORE_OK;
}

/* Called before the host's function; the view is freed after it. *input is copied; what it points
 * to must live as long as the view. */
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

/* Frees the view with the copies of columns, the memory for reading them and the costs by position;
 * rows, datasets and the costs of the input are not its own. NULL does nothing. The view may be
 * incomplete after a failure: members that were not made are NULL. */
void alcore__view_free(alcore_view *view) {
    if (!view) return;
    alcore_ctx *ctx = view->ctx;
    view_memory *memory = view->memory;
    for (int32_t place = 0; memory && place < ALCORE__VIEW_ROLES; place++) {
        for (int32_t i = 0; i < ALCORE__DATASET_COLUMNS; i++) {
            alcore__free(ctx, memory->parts[place][i].values);
            alcore__free(ctx, memory->parts[place][i].offsets);
        }
    }
    if (memory) alcore__scratch_clear(ctx, &memory->scratch);
    alcore__free(ctx, memory);
    alcore__free(ctx, view->costs);
    alcore__free(ctx, view);
}

/* The accessors of include/alcore/view.h, called by the host's function: what they return is a view
 * of the input, valid until that function returns; 0 or NULL for a role that there is not. rows
 * [count of the role]; costs [candidates], by position. */

int64_t alcore_view_row_count(const alcore_view *view, int32_t role) {
    const alcore__view_source *source = source_of(view, role);
    return source ? source->count : 0;
}

const int64_t *alcore_view_rows(const alcore_view *view, int32_t role) {
    const alcore__view_source *source = source_of(view, role);
    return source && source->count ? source->rows : NULL;
}

alcore_pool *alcore_view_pool(const alcore_view *view, int32_t role) {
    const alcore__view_source *source = source_of(view, role);
    return source && source->dataset ? source->dataset->pool : NULL;
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

alcore_status alcore_view_poll(const alcore_view *view, const char *stage, int64_t done,
                               int64_t total) {
    if (!view) return alcore__fail(ALCORE_E_INVALID, "alcore_view_poll: view is needed");
    return alcore_ctx_poll(view->ctx, stage, done, total);
}

/* A random number of 64 bits that depends on the seed, the round and the counter only. */
uint64_t alcore_view_random(const alcore_view *view, uint64_t counter) {
    return view ? alcore__rng_derive(view->input.seed, ALCORE__TAG_HOST,
                                     (uint64_t)view->input.round, counter)
                : 0;
}
