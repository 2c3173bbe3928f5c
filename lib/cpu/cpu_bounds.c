/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of distances to targets between two numbers, in float32 (spec 1.8, Filters), with products
 * of integers where the engine has them (cpu_int16.h).
 *
 * For a row x and a target t let G = |x - t|^2, F = |x|^2 + |t|^2 - 2 x.t with x.t in float32, and
 * E a bound of |F - G|. With s = sqrt(max(F, E)) it is |sqrt(G) - s| <= E / s: where F >= E because
 * the difference of the roots is (G - F) / (sqrt(G) + s), elsewhere because G < 2 E. So the sum of
 * s, give or take E times the sum of 1 / s, holds the true sum.
 *
 * E: x.t is within |x| r + u (chain + 1) |x| (|t| + r) with u = 2^-24, r what rounding a target to
 * float32 may move it by and chain the longest chain of additions, as in cpu_filter.h; for whole
 * numbers the error of cpu_int16.h, with residuals as measured; twice that.
 * |x|^2, |t|^2, their sum and F are rounded to float32: 3 u (|x| + |t|)^2. What is rounded in s, in
 * adding up and in the normative sum itself is a small share of the sum: SHARE. */
#include <math.h>
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_filter.h"
#include "cpu/cpu_floats.h"
#include "cpu/cpu_int16.h"

/* Targets that are packed at a time, and bytes of packed rows that stay in the cache. */
#define CHUNK_TARGETS 2048
#define ROW_BYTES (INT64_C(256) << 10)
#define MAX_ROW_PANELS 16

/* Targets are packed as integers when none is longer than this many times their root mean
 * square. */
#define SPREAD 4.0
/* Integers are tried on PROBE_COUNT rows and targets. They are not used where the error of the
 * squared distances exceeds this share of them: the bounds would be so wide that exact sums cost
 * again what the integers save, half of the products. */
#define PROBE_COUNT 8
#define MAX_ERROR_SHARE 0.002

#define CHUNK_PANELS (CHUNK_TARGETS / PRODUCT_COLUMNS)

/* Roots within 2^-21, six additions of floats, and 2^-53 (dims / 32 + 13 + targets of a block and
 * more) for FILTER_MAX_DIMS numbers and a million targets. */
#define SHARE (0x1p-20 + 1e-9)
#define MAX_TARGETS (INT64_C(1) << 20)

typedef float bound_floats __attribute__((vector_size(PRODUCT_FLOATS * 4)));
typedef int32_t bound_bits __attribute__((vector_size(PRODUCT_FLOATS * 4)));

/* Targets of one group, side by side. */
typedef struct target_panel {
    int64_t first; /* in order */
    int32_t count, group;
} target_panel;

/* One call and its memory. */
typedef struct bounds_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows, *targets;
    int64_t groups, spent;
    double *sum, *error; /* [rows, groups]: sums of s, and of E / s */
    int64_t *order;      /* [targets] by group */
    target_panel *list;  /* [panels] */
    int64_t panels;
    float *columns; /* [CHUNK_PANELS, dims, PRODUCT_COLUMNS] */
    float *squares,
        *present;    /* [CHUNK_PANELS, PRODUCT_COLUMNS]: |t|^2; 1, or 0 where no target is */
    double norm;     /* of the chunk's targets the largest */
    float scale;     /* of the chunk's targets as integers; 0: they are in float32 */
    double residual; /* of them the largest (cpu_int16.h) */
    double *unit;    /* [PRODUCT_COLUMNS, dims], or NULL */
    double *whole;   /* [PRODUCT_COLUMNS, dims], for integers, or NULL */
    float *packed;   /* [row_panels, dims, PRODUCT_ROWS] */
    int64_t row_panels;
    float *products; /* [row_panels * PRODUCT_ROWS, PRODUCT_COLUMNS] */
} bounds_call;

/* sqrt(f), and about 1 / sqrt(f), both within 2^-21 and 2^-10 of the true ones. */
CPU_INLINE bound_floats roots(bound_floats f, bound_floats *inverse) {
#if defined(__AVX512F__) || defined(__AVX2__)
#if defined(__AVX512F__)
    bound_floats r = (bound_floats)_mm512_rsqrt14_ps((__m512)f);
#else
    bound_floats r = (bound_floats)_mm256_rsqrt_ps((__m256)f);
#endif
    *inverse = r;
    bound_floats s = f * r;
    return s + 0.5f * r * (f - s * s);
#elif defined(ALCORE__CPU_NEON)
    bound_floats s = (bound_floats)vsqrtq_f32((float32x4_t)f);
    *inverse = 1.0f / s;
    return s;
#else
    bound_floats s = f;
    for (int i = 0; i < PRODUCT_FLOATS; i++) s[i] = sqrtf(f[i]);
    *inverse = 1.0f / s;
    return s;
#endif
}

CPU_INLINE bound_floats load_floats(const float *from) {
    bound_floats v;
    memcpy(&v, from, sizeof v);
    return v;
}

CPU_INLINE double add_up(bound_floats v) {
    float lane[PRODUCT_FLOATS];
    memcpy(lane, &v, sizeof v);
    return (double)cpu_sum_lanes(lane, PRODUCT_FLOATS);
}

/* One row against a panel: adds to the sums of s and of 1 / s. */
CPU_INLINE void add_panel(const float *products, const float *squares, const float *present,
                          float square, float twice, float least, double *sum, double *inverses) {
    bound_floats total = {0}, over = {0};
#pragma GCC unroll 4
    for (int v = 0; v < PRODUCT_VECTORS; v++) {
        bound_floats in = load_floats(present + v * PRODUCT_FLOATS), inverse;
        bound_floats f = square + load_floats(squares + v * PRODUCT_FLOATS) -
                         twice * load_floats(products + v * PRODUCT_FLOATS);
        bound_bits small = f < least;
        f = (bound_floats)((~small & (bound_bits)f) |
                           (small & (bound_bits)(least + (bound_floats){0})));
        total += in * roots(f, &inverse);
        over += in * inverse;
    }
    *sum += add_up(total);
    *inverses += add_up(over);
}

/* A row: what its products are to be multiplied by for 2 x.t, |x|^2 in float32 and E; E < 0: the
 * bound does not hold. */
typedef struct bound_row {
    float twice, square, error;
} bound_row;

/* residual: of a row of integers with the scale given. */
static bound_row bound_of(const bounds_call *call, double square, float scale, double residual) {
    double norm = sqrt(square) * FILTER_UP, other = call->norm * FILTER_UP;
    int64_t dims = call->rows->dims;
    if (!(norm < FILTER_MAX_NORM && other < FILTER_MAX_NORM)) return (bound_row){0.0f, 0.0f, -1.0f};
    double product = filter_product_error(norm, other, filter_rounding(other, dims), dims);
    double factor = 1.0;
    if (call->scale > 0.0f) {
        product += int16_error(norm, other, residual, call->residual);
        factor /= (double)scale * (double)call->scale;
    }
    double error = 2.0 * product + 3.1 * 0x1p-24 * (norm + other) * (norm + other);
    return (bound_row){(float)(2.0 * factor), (float)square, (float)(error * 1.001) + 1e-36f};
}

/* Numbers of 32 bits of a packed row or target. */
static int64_t packed_numbers(const bounds_call *call) {
    return call->scale > 0.0f ? int16_pairs(call->rows->dims) : call->rows->dims;
}

/* The products of the packed rows with a panel of targets. */
static void fill_products(const bounds_call *call, int64_t row_panels, const float *columns) {
    int64_t numbers = packed_numbers(call);
#if CPU_INT16
    if (call->scale > 0.0f) {
        CPU(int16_products)
        (call->packed, row_panels, columns, 1, numbers, 1.0f, call->products, PRODUCT_COLUMNS);
        return;
    }
#endif
    CPU(products)
    (call->packed, row_panels, columns, 1, numbers, call->products, PRODUCT_COLUMNS);
}

/* Rows or targets side by side into a panel; for integers each with its scale, which gives its
 * residual. */
static void pack_items(const bounds_call *call, const char **row, int count, int64_t width,
                       int32_t dtype, const float *scale, double *residual, float *panel) {
    int64_t dims = call->rows->dims;
#if CPU_INT16
    if (call->scale > 0.0f) {
        for (int r = 0; r < count; r++) {
            residual[r] = CPU(int16_row)(row[r], dims, dtype, scale[r], call->whole + r * dims);
            row[r] = (const char *)(call->whole + r * dims);
        }
        CPU(pack_panel)(row, count, width, int16_pairs(dims), ALCORE_FLOAT32, panel);
        return;
    }
#endif
    (void)scale;
    (void)residual;
    CPU(pack_panel)(row, count, width, dims, dtype, panel);
}

/* The rows item[0 .. count - 1] against the panels first .. first + panels - 1 of the chunk. */
static void bound_rows(bounds_call *call, const int64_t *item, int count, int64_t first,
                       int64_t panels, const bound_row *rows) {
    int64_t numbers = packed_numbers(call), row_panels = product_panels(count, PRODUCT_ROWS);
    for (int64_t p = 0; p < panels; p++) {
        const target_panel *panel = &call->list[first + p];
        const float *squares = call->squares + p * PRODUCT_COLUMNS;
        const float *present = call->present + p * PRODUCT_COLUMNS;
        fill_products(call, row_panels, call->columns + p * PRODUCT_COLUMNS * numbers);
        for (int r = 0; r < count; r++) {
            int64_t at = item[r] * call->groups + panel->group;
            double inverses = 0.0;
            if (rows[r].error < 0.0f) {
                call->error[at] = HUGE_VAL;
                continue;
            }
            add_panel(call->products + r * PRODUCT_COLUMNS, squares, present, rows[r].square,
                      rows[r].twice, rows[r].error, &call->sum[at], &inverses);
            call->error[at] += (double)rows[r].error * 1.01 * inverses;
        }
    }
}

/* Packs the rows item[0 .. count - 1] into panels and fills rows [count] with their norms and
 * errors. */
static void pack_rows(const bounds_call *call, const int64_t *item, int count, bound_row *rows) {
    int64_t dims = call->rows->dims, numbers = packed_numbers(call);
    int32_t dtype = cpu_row_dtype(call->rows);
    for (int at = 0; at < count; at += PRODUCT_ROWS) {
        int together = count - at < PRODUCT_ROWS ? count - at : PRODUCT_ROWS;
        const char *row[PRODUCT_ROWS];
        double squares[PRODUCT_ROWS], residuals[PRODUCT_ROWS] = {0};
        float scales[PRODUCT_ROWS];
        for (int r = 0; r < together; r++) {
            row[r] = cpu_row(call->rows, item[at + r], call->unit ? call->unit + r * dims : NULL);
            squares[r] = CPU(self_dot)(row[r], dims, dtype);
            scales[r] = int16_scale(sqrt(squares[r]) * FILTER_UP);
        }
        pack_items(call, row, together, PRODUCT_ROWS, dtype, scales, residuals,
                   call->packed + at * numbers);
        for (int r = 0; r < together; r++)
            rows[at + r] = bound_of(call, squares[r], scales[r], residuals[r]);
    }
}

static const char *target_row(const bounds_call *call, const target_panel *panel, int32_t t) {
    return cpu_row(call->targets, call->order[panel->first + t],
                   call->unit ? call->unit + t * call->targets->dims : NULL);
}

/* The squares of the chunk's targets, their largest norm and how they are packed: in integers
 * unless some are so much longer than the others that one scale would blur those. */
static void measure_targets(bounds_call *call, int64_t first, int64_t panels) {
    int64_t dims = call->targets->dims, targets = 0;
    double total = 0.0;
    call->norm = 0.0;
    for (int64_t p = 0; p < panels; p++) {
        const target_panel *panel = &call->list[first + p];
        for (int32_t t = 0; t < PRODUCT_COLUMNS; t++) {
            int64_t at = p * PRODUCT_COLUMNS + t;
            call->present[at] = t < panel->count ? 1.0f : 0.0f;
            call->squares[at] = 0.0f;
            if (t >= panel->count) continue;
            double square =
                CPU(self_dot)(target_row(call, panel, t), dims, cpu_row_dtype(call->targets));
            double norm = sqrt(square);
            call->squares[at] = (float)square;
            total += square;
            targets++;
            /* Written so that NaN stays and switches the bound off. */
            if (!(norm <= call->norm)) call->norm = norm;
        }
    }
    int even = targets > 0 && call->norm * call->norm <= SPREAD * SPREAD * total / (double)targets;
    int narrow = CPU_INT16 && dims > 0 && dims <= INT16_MAX_DIMS && even;
    call->scale = narrow ? int16_scale(call->norm * FILTER_UP) : 0.0f;
}

/* Whether products of integers give narrow intervals, measured on a few pairs. Where rows and
 * targets lie close together but far from the origin, the intervals would be as wide as the
 * distances. */
static int is_sharp(const bounds_call *call, const uint8_t *mask, int64_t first, int64_t panels) {
    int64_t dims = call->rows->dims, rows = call->rows->count;
    int32_t dtype = cpu_row_dtype(call->rows);
    double errors = 0.0, squares = 0.0;
    double norm = call->norm * FILTER_UP, residual = int16_residual(call->scale, dims);
    for (int64_t s = 0; s < PROBE_COUNT && rows > 0; s++) {
        int64_t i = rows * s / PROBE_COUNT;
        if (mask && !mask[i]) continue;
        const char *row = cpu_row(call->rows, i, call->unit);
        double own = sqrt(CPU(self_dot)(row, dims, dtype)) * FILTER_UP;
        if (!(own < FILTER_MAX_NORM)) continue;
        double own_residual = int16_residual(int16_scale(own), dims);
        CPU(widen_row)(row, dims, dtype, call->whole);
        for (int64_t t = 0; t < PROBE_COUNT; t++) {
            const char *target = target_row(call, &call->list[first + panels * t / PROBE_COUNT], 0);
            squares += CPU(sq_dist_within)(target, call->whole, dims, cpu_row_dtype(call->targets),
                                           HUGE_VAL);
            errors += 2.0 * int16_error(own, norm, own_residual, residual);
        }
    }
    return errors <= MAX_ERROR_SHARE * squares;
}

/* Packs the targets of `panels` panels of the list from `first` on into columns: float32, or
 * integers when the call has a scale; residual becomes the largest of theirs. A NaN norm switches
 * the products off (the intervals then say nothing), and nothing is packed. */
static void pack_targets(bounds_call *call, int64_t first, int64_t panels) {
    int64_t numbers = packed_numbers(call);
    call->residual = 0.0;
    for (int64_t p = 0; p < panels && call->norm == call->norm; p++) {
        const target_panel *panel = &call->list[first + p];
        const char *row[PRODUCT_COLUMNS];
        double residuals[PRODUCT_COLUMNS] = {0};
        float scales[PRODUCT_COLUMNS];
        for (int32_t t = 0; t < panel->count; t++) {
            row[t] = target_row(call, panel, t);
            scales[t] = call->scale;
        }
        pack_items(call, row, panel->count, PRODUCT_COLUMNS, cpu_row_dtype(call->targets), scales,
                   residuals, call->columns + p * PRODUCT_COLUMNS * numbers);
        for (int32_t t = 0; t < panel->count; t++) {
            if (residuals[t] > call->residual) call->residual = residuals[t];
        }
    }
}

/* One chunk of targets against all rows of the mask, which wait until row_panels whole panels of
 * them are full: then the packed targets are read once for all of these rows. Integers are used
 * where a first look says that their intervals would be sharp enough (is_sharp). */
static alcore_status bound_chunk(bounds_call *call, const uint8_t *mask, int64_t first,
                                 int64_t panels) {
    int64_t item[MAX_ROW_PANELS * PRODUCT_ROWS];
    bound_row rows[MAX_ROW_PANELS * PRODUCT_ROWS];
    int waiting = 0, step = (int)call->row_panels * PRODUCT_ROWS;
    measure_targets(call, first, panels);
    if (call->scale > 0.0f && !is_sharp(call, mask, first, panels)) call->scale = 0.0f;
    pack_targets(call, first, panels);
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!mask || mask[i]) item[waiting++] = i;
        if (!waiting || (waiting < step && i + 1 < call->rows->count)) continue;
        pack_rows(call, item, waiting, rows);
        bound_rows(call, item, waiting, first, panels, rows);
        alcore_status status = alcore__cpu_poll(
            call->work, &call->spent, waiting * panels * PRODUCT_COLUMNS * call->rows->dims / 8);
        if (status) return status;
        waiting = 0;
    }
    return ALCORE_OK;
}

/* Targets by group, cut into panels. */
static void list_panels(bounds_call *call, const int32_t *group) {
    int64_t at = 0;
    for (int64_t g = 0; g < call->groups; g++) {
        int64_t begin = at;
        for (int64_t t = 0; t < call->targets->count; t++) {
            if ((group ? group[t] : 0) == g) call->order[at++] = t;
        }
        for (; begin < at; begin += PRODUCT_COLUMNS) {
            int64_t left = at - begin;
            call->list[call->panels++] = (target_panel){
                begin, left < PRODUCT_COLUMNS ? (int32_t)left : PRODUCT_COLUMNS, (int32_t)g};
        }
    }
}

/* The sums of s and E / s become the interval. */
static void rerank(const bounds_call *call, const uint8_t *mask) {
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (mask && !mask[i]) continue;
        for (int64_t at = i * call->groups; at < (i + 1) * call->groups; at++) {
            double sum = call->sum[at], error = call->error[at] + SHARE * sum;
            /* Written so that NaN tells nothing. */
            int known = sum + error < HUGE_VAL && call->targets->count <= MAX_TARGETS;
            call->sum[at] = known && sum > error ? (sum - error) * (1.0 - 1e-15) : 0.0;
            call->error[at] = known ? (sum + error) * (1.0 + 1e-15) : HUGE_VAL;
        }
    }
}

/* Memory for one chunk of targets and row_panels panels of rows; free_memory gives it back after a
 * failure as well, because alcore__cpu_free takes NULL. */
static alcore_status new_memory(bounds_call *call) {
    int64_t dims = call->rows->dims, bytes = PRODUCT_ROWS * (dims + 1) * 4;
    int64_t columns = CHUNK_PANELS * PRODUCT_COLUMNS;
    call->row_panels = ROW_BYTES / bytes < 1                ? 1
                       : ROW_BYTES / bytes > MAX_ROW_PANELS ? MAX_ROW_PANELS
                                                            : ROW_BYTES / bytes;
    const alcore_sys_work *work = call->work;
    int64_t rows = call->row_panels * PRODUCT_ROWS, panels = call->targets->count + call->groups;
    alcore_status status =
        alcore__cpu_new(work, call->targets->count, sizeof(int64_t), &call->order);
    if (!status) status = alcore__cpu_new(work, panels, sizeof *call->list, &call->list);
    if (!status) status = alcore__cpu_new(work, columns, (size_t)dims * 4, &call->columns);
    if (!status) status = alcore__cpu_new(work, columns, 4, &call->squares);
    if (!status) status = alcore__cpu_new(work, columns, 4, &call->present);
    if (!status) status = alcore__cpu_new(work, rows, (size_t)dims * 4, &call->packed);
    if (!status) status = alcore__cpu_new(work, rows, PRODUCT_COLUMNS * 4, &call->products);
    if (!status && (call->rows->unit || call->targets->unit))
        status = alcore__cpu_new(work, dims, PRODUCT_COLUMNS * sizeof(double), &call->unit);
    if (!status && CPU_INT16)
        status = alcore__cpu_new(work, dims, PRODUCT_COLUMNS * sizeof(double), &call->whole);
    return status;
}

static void free_memory(const bounds_call *call) {
    const alcore_sys_work *work = call->work;
    int64_t dims = call->rows->dims, columns = CHUNK_PANELS * PRODUCT_COLUMNS;
    int64_t rows = call->row_panels * PRODUCT_ROWS, panels = call->targets->count + call->groups;
    alcore__cpu_free(work, call->whole, dims, PRODUCT_COLUMNS * sizeof(double));
    alcore__cpu_free(work, call->unit, dims, PRODUCT_COLUMNS * sizeof(double));
    alcore__cpu_free(work, call->products, rows, PRODUCT_COLUMNS * 4);
    alcore__cpu_free(work, call->packed, rows, (size_t)dims * 4);
    alcore__cpu_free(work, call->present, columns, 4);
    alcore__cpu_free(work, call->squares, columns, 4);
    alcore__cpu_free(work, call->columns, columns, (size_t)dims * 4);
    alcore__cpu_free(work, call->list, panels, sizeof *call->list);
    alcore__cpu_free(work, call->order, call->targets->count, sizeof(int64_t));
}

/* Sums of s and of E / s go to low and high first, in chunks of targets; rerank then makes the
 * interval of each row and group of them. */
alcore_status CPU(distance_bounds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *low,
                                   double *high) {
    alcore_status status = alcore__cpu_check_targets(work, rows, targets, group, groups);
    if (status) return status;
    bounds_call call = {.work = work,
                        .rows = rows,
                        .targets = targets,
                        .groups = groups,
                        .sum = low,
                        .error = high};
    status = new_memory(&call);
    for (int64_t i = 0; i < rows->count && !status; i++) {
        if (mask && !mask[i]) continue;
        for (int64_t g = 0; g < groups; g++) low[i * groups + g] = high[i * groups + g] = 0.0;
    }
    if (!status) list_panels(&call, group);
    for (int64_t p = 0; p < call.panels && !status; p += CHUNK_PANELS) {
        int64_t count = call.panels - p < CHUNK_PANELS ? call.panels - p : CHUNK_PANELS;
        status = bound_chunk(&call, mask, p, count);
    }
    if (!status) rerank(&call, mask);
    free_memory(&call);
    return status;
}
