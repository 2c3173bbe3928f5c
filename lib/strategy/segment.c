/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/segment.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Bytes of a stratum's rows that a thread keeps in its share of the cache. */
enum { STRATUM_MOST = 4 << 20 };
/* One thread reads memory at the speed at which two passes compute, and copying strata together
 * costs it half as much again; many threads wait for the memory they share. */
enum { THREADS_FROM = 16 };
/* Blocks whose sums are made in one call. */
enum { SUMS_AT_ONCE = 64 };

static const size_t NUMBER_BYTES[] = {0, 2, 2, 4, 8};

/* What a thread works with. */
typedef struct room {
    char *rows;       /* [most] */
    int32_t *group;   /* [most] */
    double *distance; /* [most] */
    double *sums;     /* [SUMS_AT_ONCE, dims] */
    double *centroid; /* [dims] */
    int64_t counts[SUMS_AT_ONCE];
} room;

typedef struct visit {
    alcore__run *run;
    const alcore__segment *segment;
    alcore_sys_rows matrix; /* all rows of the pool */
    size_t row_bytes;
    int64_t most;    /* rows of the largest stratum */
    int64_t *starts; /* [strata + 1] */
    int64_t *order;  /* [candidates] positions by stratum, rising in each */
    room *rooms;     /* one a thread */
    atomic_bool finite;
} visit;

/* Whether the matrix lies in memory in one piece, which is seen at its ends. */
static alcore_status find_matrix(alcore__run *run, alcore_sys_rows *out, bool *found) {
    const alcore__side *side = run->members[0].side;
    const alcore__column *column = alcore__side_find(side, "embeddings");
    alcore__scratch scratch = {0};
    alcore_sys_rows last;
    *found = false;
    if (column->in_file || column->map || column->row_count < side->rows) return ALCORE_OK;
    alcore_status status = column->ops->rows(column, 0, 1, &scratch, out);
    if (status == ALCORE_OK) status = column->ops->rows(column, side->rows - 1, 1, &scratch, &last);
    if (status == ALCORE_OK && !scratch.values && !scratch.user) {
        size_t row = NUMBER_BYTES[out->dtype] * (size_t)out->stride;
        *found =
            (const char *)last.data == (const char *)out->data + row * (size_t)(side->rows - 1);
        out->count = side->rows;
    }
    alcore__scratch_clear(run->ctx, &scratch);
    return status;
}

static alcore_status make_room(visit *v, room *own) {
    alcore_ctx *ctx = v->run->ctx;
    size_t most = (size_t)v->most, dims = (size_t)v->matrix.dims;
    ALCORE__TRY(alcore__new_array(ctx, most, v->row_bytes, &own->rows));
    ALCORE__TRY(alcore__new_array(ctx, most, sizeof *own->group, &own->group));
    ALCORE__TRY(alcore__new_array(ctx, most, sizeof *own->distance, &own->distance));
    ALCORE__TRY(alcore__new_array(ctx, SUMS_AT_ONCE, dims * sizeof *own->sums, &own->sums));
    return alcore__new_array(ctx, dims, sizeof *own->centroid, &own->centroid);
}

static void clear(visit *v) {
    alcore_ctx *ctx = v->run->ctx;
    for (int32_t i = 0; v->rooms && i < v->run->bench_count; i++) {
        alcore__free(ctx, v->rooms[i].rows);
        alcore__free(ctx, v->rooms[i].group);
        alcore__free(ctx, v->rooms[i].distance);
        alcore__free(ctx, v->rooms[i].sums);
        alcore__free(ctx, v->rooms[i].centroid);
    }
    alcore__free(ctx, v->rooms);
    alcore__free(ctx, v->starts);
    alcore__free(ctx, v->order);
}

/* Copies rows of `order` together, those of the next blocks of the pool: group counts the blocks.
 * Returns how many. */
static int64_t gather(const visit *v, room *own, const int64_t *order, int64_t count,
                      int64_t *blocks) {
    const int64_t *rows = v->run->members[0].rows;
    size_t pitch = NUMBER_BYTES[v->matrix.dtype] * (size_t)v->matrix.stride;
    int64_t last = -1, n = 0;
    *blocks = 0;
    for (; n < count; n++) {
        int64_t row = rows[order[n]], block = row / ALCORE_BLOCK_ROWS;
        if (block != last && *blocks == SUMS_AT_ONCE) break;
        *blocks += block != last;
        last = block;
        own->group[n] = (int32_t)(*blocks - 1);
        memcpy(own->rows + (size_t)n * v->row_bytes,
               (const char *)v->matrix.data + (size_t)row * pitch, v->row_bytes);
    }
    return n;
}

/* Rows of the room. */
static alcore_sys_rows rows_in(const visit *v, const room *own, int64_t count) {
    alcore_sys_rows rows = v->matrix;
    rows.data = own->rows;
    rows.count = count;
    rows.stride = rows.dims;
    rows.unit = v->segment->unit;
    return rows;
}

/* The sum of a stratum as spec 1.8 has it: sums of blocks, then these in block order. The rows stay
 * in the room. */
static alcore_status sum_stratum(visit *v, room *own, const int64_t *order, int64_t count) {
    const alcore_sys_kernels *kernels = v->run->input->kernels;
    alcore_sys_work work = alcore__run_work(v->run);
    int64_t dims = v->matrix.dims, blocks;
    room part = *own; /* the rest of the room */
    memset(own->centroid, 0, (size_t)dims * sizeof *own->centroid);
    for (int64_t at = 0, some; at < count; at += some) {
        part.rows = own->rows + (size_t)at * v->row_bytes;
        some = gather(v, &part, order + at, count - at, &blocks);
        alcore_sys_rows rows = rows_in(v, &part, some);
        ALCORE__TRY(kernels->group_sums(&work, &rows, part.group, blocks, part.sums, part.counts));
        for (int64_t b = 0; b < blocks; b++) {
            for (int64_t j = 0; j < dims; j++) own->centroid[j] += part.sums[b * dims + j];
        }
    }
    return ALCORE_OK;
}

static alcore_status visit_stratum(void *data, int64_t s, int32_t worker) {
    visit *v = data;
    room *own = &v->rooms[worker];
    const int64_t *order = v->order + v->starts[s];
    int64_t count = v->starts[s + 1] - v->starts[s], dims = v->matrix.dims;
    if (!count || !v->finite) return ALCORE_OK;
    if (!own->centroid) ALCORE__TRY(make_room(v, own));
    ALCORE__TRY(sum_stratum(v, own, order, count));
    for (int64_t j = 0; j < dims; j++) {
        own->centroid[j] /= (double)count;
        if (!isfinite(own->centroid[j])) v->finite = false;
    }
    memset(own->group, 0, (size_t)count * sizeof *own->group);
    alcore_sys_rows rows = rows_in(v, own, count);
    alcore_sys_work work = alcore__run_work(v->run);
    ALCORE__TRY(v->run->input->kernels->group_cosine(&work, &rows, own->group, 1, own->centroid,
                                                     own->distance));
    for (int64_t i = 0; i < count; i++) v->segment->distance[order[i]] = own->distance[i];
    return ALCORE_OK;
}

static alcore_status visit_all(visit *v, bool *done) {
    const alcore__segment *segment = v->segment;
    alcore__run *run = v->run;
    size_t strata = (size_t)segment->strata;
    ALCORE__TRY(alcore__new_array(run->ctx, strata + 2, sizeof(int64_t), &v->starts));
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)run->outcome.count, sizeof(int64_t), &v->order));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->bench_count, sizeof *v->rooms, &v->rooms));
    int64_t *next = v->starts + 1; /* becomes the end of each stratum */
    for (size_t s = 0; s < strata; s++) next[s + 1] = next[s] + segment->counts[s];
    for (int64_t i = 0; i < run->outcome.count; i++) v->order[next[segment->stratum[i]]++] = i;
    v->finite = true;
    ALCORE__TRY(alcore__parallel(run->ctx, run->def->name, segment->strata, visit_stratum, v));
    *done = v->finite;
    return ALCORE_OK;
}

alcore_status alcore__segment_strata(alcore__run *run, const alcore__segment *segment, bool *done) {
    visit v = {.run = run, .segment = segment};
    bool found;
    *done = false;
    if (!run->whole || run->input->kernels->device != ALCORE_DEVICE_CPU) return ALCORE_OK;
    if (!run->input->by_strata && run->bench_count < THREADS_FROM) return ALCORE_OK;
    ALCORE__TRY(find_matrix(run, &v.matrix, &found));
    for (int64_t s = 0; s < segment->strata; s++) {
        if (segment->counts[s] > v.most) v.most = segment->counts[s];
    }
    v.row_bytes = NUMBER_BYTES[v.matrix.dtype] * (size_t)v.matrix.dims;
    if (!found || (size_t)v.most * v.row_bytes > STRATUM_MOST) return ALCORE_OK;
    alcore_status status = visit_all(&v, done);
    clear(&v);
    return status;
}
