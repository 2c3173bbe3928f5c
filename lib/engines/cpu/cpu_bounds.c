/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals around the sums of Euclidean distances from rows to targets, by group of the targets
 * (distance_bounds of the kernel table; spec 1.8, Filters), in float32 or, where the engine has
 * them, with int16 products (cpu_int16.h). A caller that wants the rows with the smallest sums
 * computes exact sums, with cpu_distance.c, only for the rows that the intervals leave open.
 *
 * Bound. For a row x and a target t let G = |x - t|^2, F = |x|^2 + |t|^2 - 2 x.t with x.t in
 * float32, and E a bound of |F - G|. With s = sqrt(max(F, E))
 *
 *     |sqrt(G) - s| <= E / s
 *
 * where F >= E because the difference of the roots is (G - F) / (sqrt(G) + s), elsewhere because
 * G < 2 E. So the true sum lies within E times the sum of 1 / s of the sum of s.
 *
 * E: x.t is within |x| r + u (chain + 1) |x| (|t| + r) of the true product, with u = 2^-24, r what
 * rounding a target to float32 may move it by, and chain the longest chain of additions, as in
 * cpu_filter.h; as int16 the error of cpu_int16.h comes on top, with the residuals that packing
 * measures: upper bounds of how far rounding to int16 moves a vector. E has twice that, and
 * 3 u (|x| + |t|)^2 for rounding |x|^2, |t|^2, their sum and F to float32. What is rounded in s, in
 * adding up and in the exact sum itself is a small share of the sum: SHARE.
 *
 * A chunk is the targets that are packed at a time. Lengths and norms are L2 norms, not
 * squared; "square" in a name is |x|^2, |t|^2 or |x - t|^2. An interval of 0 to infinity says
 * nothing and is always right.
 *
 * Layout: targets are ordered by group and packed into panels of PRODUCT_COLUMNS of one group, a
 * chunk of CHUNK_PANELS panels at a time; all rows are compared with each chunk, some panels of
 * PRODUCT_ROWS at a time. Cost: rows x targets x dims multiply-adds in float32 (half of that time
 * as int16) and one reciprocal root a pair. */
#include <math.h>
#include <string.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_filter.h"
#include "engines/cpu/cpu_floats.h"
#include "engines/cpu/cpu_int16.h"

/* Targets of a chunk, and bytes of packed rows (256 KiB) that stay in the cache while they are
 * multiplied with the panels of the chunk; at most MAX_ROW_PANELS panels of them. */
#define CHUNK_TARGETS 2048
#define ROW_BYTES (INT64_C(256) << 10)
#define MAX_ROW_PANELS 16

/* Targets are packed as int16, with one scale for the chunk, when none is longer than this many
 * times the root mean square of their norms: a scale that fits it would blur the short ones. */
#define MAX_NORM_RATIO 4.0
/* int16 is tried on PROBE_COUNT rows and targets. It is not used where the error of the squared
 * distances exceeds this share of them: the intervals would be so wide that exact sums cost again
 * what int16 saves, half of the products. */
#define PROBE_COUNT 8
#define MAX_ERROR_SHARE 0.002

#define CHUNK_PANELS (CHUNK_TARGETS / PRODUCT_COLUMNS)

/* Relative error of a sum in addition to that from E: roots are within 2^-21, six float additions
 * follow, and the double sums lose 2^-53 (dims / 32 + 13 + targets), here for FILTER_MAX_DIMS =
 * 2^22 dims and MAX_TARGETS targets. With more dims or targets the interval is 0 to infinity. */
#define SHARE (0x1p-20 + 1e-9)
#define MAX_TARGETS (INT64_C(1) << 20)

/* A panel of targets: count of them, of one group, adjacent in call->order. */
typedef struct target_panel {
    int64_t first; /* index in call->order of the first target */
    int32_t count; /* 1 to PRODUCT_COLUMNS */
    int32_t group;
} target_panel;

/* One call and its memory. A word is 32 bits of a packed vector: a float32 component or a pair of
 * int16 ones. */
typedef struct bounds_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows, *targets;
    int64_t groups, spent; /* spent: units of work since the last poll */
    double *sum;           /* [rows, groups] sums of s; the caller's low, which they become */
    double *error;         /* [rows, groups] sums of E / s, infinity: no bound; the caller's high */
    int64_t *order;        /* [targets] targets with a group, by group and then ascending */
    target_panel *panels;  /* [panel_count] all panels, in the order of `order` */
    int64_t panel_count;
    float *columns;  /* [CHUNK_PANELS, dims, PRODUCT_COLUMNS] the chunk's targets, packed */
    float *squares;  /* [CHUNK_PANELS, PRODUCT_COLUMNS] |t|^2 */
    float *exists;   /* [CHUNK_PANELS, PRODUCT_COLUMNS] 1, or 0 behind the last target of a panel */
    double norm;     /* the largest |t| of the chunk; NaN when one is NaN */
    float scale;     /* factor of the chunk's int16 targets; 0: they are float32 */
    double residual; /* the largest residual of these int16 targets (cpu_int16.h) */
    double *unit;    /* [PRODUCT_COLUMNS, dims] unit vectors; NULL: neither operand needs them */
    /* [PRODUCT_COLUMNS, dims] memory for a panel of items: pack_items() writes the int16 components
     * of an item to the beginning of each row, is_precise() a row as doubles to the first; NULL:
     * the engine has no int16. */
    double *int16_workspace;
    float *packed;      /* [row_panels, dims, PRODUCT_ROWS] rows, packed */
    int64_t row_panels; /* panels of rows that are packed at a time, 1 to MAX_ROW_PANELS */
    float *products;   /* [row_panels * PRODUCT_ROWS, PRODUCT_COLUMNS] of these rows with a panel */
    cpu_arrays arrays; /* all of the above that are allocated */
} bounds_call;

/* Returns sqrt(f) within a relative error of 2^-21; *inverse is 1 / sqrt(f) within 2^-10. Each f is
 * at least the smallest E, 1e-36 (bound_of()), and finite, or NaN, whose root is NaN. On x86 the
 * root is made of an approximate 1 / sqrt(f) by one step of Newton's method. */
CPU_INLINE cpu_floats roots(cpu_floats f, cpu_floats *inverse) {
#if defined(__AVX512F__) || defined(__AVX2__)
#if defined(__AVX512F__)
    cpu_floats r = (cpu_floats)_mm512_rsqrt14_ps((__m512)f);
#else
    cpu_floats r = (cpu_floats)_mm256_rsqrt_ps((__m256)f);
#endif
    *inverse = r;
    cpu_floats s = f * r;
    return s + 0.5f * r * (f - s * s);
#elif defined(ALCORE__CPU_NEON)
    cpu_floats s = (cpu_floats)vsqrtq_f32((float32x4_t)f);
    *inverse = 1.0f / s;
    return s;
#else
    cpu_floats s = f;
    for (int i = 0; i < PRODUCT_FLOATS; i++) s[i] = sqrtf(f[i]);
    *inverse = 1.0f / s;
    return s;
#endif
}

/* One row against a panel: adds the s = sqrt(max(F, E)) of its targets to *sum and their 1 / s to
 * *inverses. products, squares, exists [PRODUCT_COLUMNS]: x.t times a factor, |t|^2 and which
 * targets exist (1 or 0); square: |x|^2; twice: 2 / that factor; min_square: E, above 0. A NaN F
 * stays NaN and makes *sum NaN. */
CPU_INLINE void add_panel(const float *products, const float *squares, const float *exists,
                          float square, float twice, float min_square, double *sum,
                          double *inverses) {
    cpu_floats total = {0}, inverse_total = {0};
#pragma GCC unroll 4
    for (int v = 0; v < PRODUCT_VECTORS; v++) {
        cpu_floats in_panel = cpu_load_floats(exists + v * PRODUCT_FLOATS), inverse;
        cpu_floats f = square + cpu_load_floats(squares + v * PRODUCT_FLOATS) -
                       twice * cpu_load_floats(products + v * PRODUCT_FLOATS);
        f = cpu_choose(f < min_square, cpu_all_floats(min_square), f);
        total += in_panel * roots(f, &inverse);
        inverse_total += in_panel * inverse;
    }
    *sum += (double)cpu_sum_floats(total);
    *inverses += (double)cpu_sum_floats(inverse_total);
}

/* What add_panel() needs of a row. */
typedef struct bound_row {
    float twice;  /* factor that makes 2 x.t of a product: 2, or less with int16 scales */
    float square; /* |x|^2 */
    float error;  /* E for the targets of the chunk; negative: too large for float32, no bound */
} bound_row;

/* What add_panel() needs of a row, for the present chunk of targets (call->norm, scale and residual
 * are set). square: |x|^2 of the row; scale, residual: of the row as int16, where the chunk is
 * int16, else not read. An error of -1 when the row or a target is longer than FILTER_MAX_NORM =
 * 1e18 or NaN. 3.1, 1.001 and 1e-36 round E up. */
static bound_row bound_of(const bounds_call *call, double square, float scale, double residual) {
    double norm = sqrt(square) * FILTER_UP, target_norm = call->norm * FILTER_UP;
    int64_t dims = call->rows->dims;
    if (!(norm < FILTER_MAX_NORM && target_norm < FILTER_MAX_NORM))
        return (bound_row){.error = -1.0f};
    double product =
        filter_product_error(norm, target_norm, filter_rounding(target_norm, dims), dims);
    double factor = 1.0;
    if (call->scale > 0.0f) {
        product += int16_error(norm, target_norm, residual, call->residual);
        factor /= (double)scale * (double)call->scale;
    }
    double error = 2.0 * product + 3.1 * 0x1p-24 * (norm + target_norm) * (norm + target_norm);
    return (bound_row){.twice = (float)(2.0 * factor),
                       .square = (float)square,
                       .error = (float)(error * 1.001) + 1e-36f};
}

/* Words (32 bits) of a packed row or target of the present chunk: one a component, or one for two
 * components as int16. */
static int64_t packed_words(const bounds_call *call) {
    return call->scale > 0.0f ? int16_pairs(call->rows->dims) : call->rows->dims;
}

/* Fills call->products [row_panels x PRODUCT_ROWS, PRODUCT_COLUMNS] with those of the packed rows
 * (row_panels panels) and one panel of targets, columns; products of int16 values are sums of
 * integers as float32, which bound_row.twice scales. */
static void fill_products(const bounds_call *call, int64_t row_panels, const float *columns) {
    int64_t words = packed_words(call);
#if CPU_INT16
    if (call->scale > 0.0f) {
        CPU(int16_products)
        (call->packed, row_panels, columns, /*column_panels=*/1, words, /*factor=*/1.0f,
         call->products, PRODUCT_COLUMNS);
        return;
    }
#endif
    CPU(products)
    (call->packed, row_panels, columns, /*column_panels=*/1, words, call->products,
     PRODUCT_COLUMNS);
}

/* Packs `count` rows or targets (row [count]: their components, of type dtype) into one panel of
 * `width` vectors, PRODUCT_ROWS or PRODUCT_COLUMNS: float32 or, when the chunk is int16
 * (call->scale above 0), int16 values with the factors scale [count], which gives residual [count].
 * row [count] is overwritten in the second case, with the rows of call->int16_workspace, of which
 * pack_panel() copies each pair of int16 values as one float32 component. residual is not written
 * in the first: callers set it to 0. PRODUCT_ROWS is less than PRODUCT_COLUMNS, so both kinds of
 * panels fit call->unit and call->int16_workspace. Vectors that a panel lacks become 0. */
static void pack_items(const bounds_call *call, const char **row, int count, int64_t width,
                       int32_t dtype, const float *scale, double *residual, float *panel) {
    int64_t dims = call->rows->dims;
#if CPU_INT16
    if (call->scale > 0.0f) {
        for (int r = 0; r < count; r++) {
            residual[r] =
                CPU(int16_row)(row[r], dims, dtype, scale[r], call->int16_workspace + r * dims);
            row[r] = (const char *)(call->int16_workspace + r * dims);
        }
        CPU(pack_panel)(row, count, width, int16_pairs(dims), ALCORE_FLOAT32, panel);
        return;
    }
#endif
    (void)scale;
    (void)residual;
    CPU(pack_panel)(row, count, width, dims, dtype, panel);
}

/* The matrix rows item [count], which are packed, against the panels first .. first + panel_count -
 * 1 (the present chunk): adds to the sums of s and of E / s of each row and group. rows [count]:
 * what pack_rows() found of each. A row without a bound (its error is negative) gets an infinite
 * error, which makes its interval 0 to infinity. 1.01: 1 / s is known within 2^-10 only. */
static void bound_rows(bounds_call *call, const int64_t *item, int count, int64_t first,
                       int64_t panel_count, const bound_row *rows) {
    int64_t words = packed_words(call), row_panels = product_panels(count, PRODUCT_ROWS);
    for (int64_t p = 0; p < panel_count; p++) {
        const target_panel *panel = &call->panels[first + p];
        const float *squares = call->squares + p * PRODUCT_COLUMNS;
        const float *exists = call->exists + p * PRODUCT_COLUMNS;
        fill_products(call, row_panels, call->columns + p * PRODUCT_COLUMNS * words);
        for (int r = 0; r < count; r++) {
            int64_t entry = item[r] * call->groups + panel->group;
            double inverses = 0.0;
            if (rows[r].error < 0.0f) {
                call->error[entry] = HUGE_VAL;
                continue;
            }
            add_panel(call->products + r * PRODUCT_COLUMNS, squares, exists, rows[r].square,
                      rows[r].twice, rows[r].error, &call->sum[entry], &inverses);
            call->error[entry] += (double)rows[r].error * 1.01 * inverses;
        }
    }
}

/* Packs the matrix rows item [count], at most row_panels panels of them, into call->packed and
 * fills rows [count] with their squared norms and errors for the present chunk. Each row has an
 * int16 scale of its own. */
static void pack_rows(const bounds_call *call, const int64_t *item, int count, bound_row *rows) {
    int64_t dims = call->rows->dims, words = packed_words(call);
    int32_t dtype = cpu_row_dtype(call->rows);
    for (int begin = 0; begin < count; begin += PRODUCT_ROWS) {
        int together = count - begin < PRODUCT_ROWS ? count - begin : PRODUCT_ROWS;
        const char *row[PRODUCT_ROWS];
        double squares[PRODUCT_ROWS], residuals[PRODUCT_ROWS] = {0};
        float scales[PRODUCT_ROWS];
        for (int r = 0; r < together; r++) {
            row[r] =
                cpu_row(call->rows, item[begin + r], call->unit ? call->unit + r * dims : NULL);
            squares[r] = CPU(self_dot)(row[r], dims, dtype);
            scales[r] = int16_scale(sqrt(squares[r]) * FILTER_UP);
        }
        pack_items(call, row, together, PRODUCT_ROWS, dtype, scales, residuals,
                   call->packed + begin * words);
        for (int r = 0; r < together; r++)
            rows[begin + r] = bound_of(call, squares[r], scales[r], residuals[r]);
    }
}

/* Target t (0 .. panel->count - 1) of a panel as it is read: in place, or where the targets are
 * unit rows as a unit vector in the t-th row of call->unit. */
static const char *target_row(const bounds_call *call, const target_panel *panel, int32_t t) {
    return cpu_row(call->targets, call->order[panel->first + t],
                   call->unit ? call->unit + t * call->targets->dims : NULL);
}

/* First step of a chunk, the panels first .. first + panel_count - 1: fills squares (|t|^2)
 * and exists (1 for a target, 0 for a column that fills up a panel), finds the largest norm, and
 * sets scale for int16, or 0 (float32) where the engine has no int16, dims is 0 or above
 * INT16_MAX_DIMS = 65536, or the targets differ too much in length. */
static void measure_targets(bounds_call *call, int64_t first, int64_t panel_count) {
    int64_t dims = call->targets->dims, targets = 0;
    double total = 0.0;
    call->norm = 0.0;
    for (int64_t p = 0; p < panel_count; p++) {
        const target_panel *panel = &call->panels[first + p];
        for (int32_t t = 0; t < PRODUCT_COLUMNS; t++) {
            int64_t column = p * PRODUCT_COLUMNS + t;
            call->exists[column] = t < panel->count ? 1.0f : 0.0f;
            call->squares[column] = 0.0f;
            if (t >= panel->count) continue;
            double square =
                CPU(self_dot)(target_row(call, panel, t), dims, cpu_row_dtype(call->targets));
            double norm = sqrt(square);
            call->squares[column] = (float)square;
            total += square;
            targets++;
            /* A NaN becomes the largest norm and stays it, as no number compares with it; then no
             * row gets a bound. */
            if (norm > call->norm || norm != norm) call->norm = norm;
        }
    }
    int is_even = targets > 0 && call->norm * call->norm <=
                                     MAX_NORM_RATIO * MAX_NORM_RATIO * total / (double)targets;
    int fits_int16 = CPU_INT16 && dims > 0 && dims <= INT16_MAX_DIMS && is_even;
    call->scale = fits_int16 ? int16_scale(call->norm * FILTER_UP) : 0.0f;
}

/* Whether int16 products give narrow intervals: compares their error with the squared distances of
 * PROBE_COUNT rows (those of the mask among evenly spaced ones) to PROBE_COUNT targets of the
 * chunk, the panels first .. first + panel_count - 1. Where rows and targets lie close together but
 * far from the origin, the intervals would be as wide as the distances. call->int16_workspace
 * serves as a buffer for a widened row [dims], made before target_row() overwrites a unit row in
 * call->unit; call->scale and norm are set. */
static int is_precise(const bounds_call *call, const uint8_t *mask, int64_t first,
                      int64_t panel_count) {
    int64_t dims = call->rows->dims, rows = call->rows->count;
    int32_t dtype = cpu_row_dtype(call->rows);
    double errors = 0.0, squares = 0.0;
    double norm = call->norm * FILTER_UP, residual = int16_residual(call->scale, dims);
    for (int64_t s = 0; s < PROBE_COUNT && rows > 0; s++) {
        int64_t i = rows * s / PROBE_COUNT;
        if (mask && !mask[i]) continue;
        const char *row = cpu_row(call->rows, i, call->unit);
        double row_norm = sqrt(CPU(self_dot)(row, dims, dtype)) * FILTER_UP;
        if (!(row_norm < FILTER_MAX_NORM)) continue;
        double row_residual = int16_residual(int16_scale(row_norm), dims);
        CPU(widen_row)(row, dims, dtype, call->int16_workspace);
        for (int64_t t = 0; t < PROBE_COUNT; t++) {
            const target_panel *panel = &call->panels[first + panel_count * t / PROBE_COUNT];
            const char *target = target_row(call, panel, /*t=*/0);
            squares += CPU(sq_dist_within)(target, call->int16_workspace, dims,
                                           cpu_row_dtype(call->targets), HUGE_VAL);
            errors += 2.0 * int16_error(row_norm, norm, row_residual, residual);
        }
    }
    return errors <= MAX_ERROR_SHARE * squares;
}

/* Packs the targets of the panels first .. first + panel_count - 1 into columns: float32, or int16
 * when the chunk has a scale; call->residual becomes their largest residual. With a NaN norm no
 * bound holds (bound_of() gives -1 for every row), and nothing is packed. */
static void pack_targets(bounds_call *call, int64_t first, int64_t panel_count) {
    int64_t words = packed_words(call);
    call->residual = 0.0;
    for (int64_t p = 0; p < panel_count && call->norm == call->norm; p++) {
        const target_panel *panel = &call->panels[first + p];
        const char *row[PRODUCT_COLUMNS];
        double residuals[PRODUCT_COLUMNS] = {0};
        float scales[PRODUCT_COLUMNS];
        for (int32_t t = 0; t < panel->count; t++) {
            row[t] = target_row(call, panel, t);
            scales[t] = call->scale;
        }
        pack_items(call, row, panel->count, PRODUCT_COLUMNS, cpu_row_dtype(call->targets), scales,
                   residuals, call->columns + p * PRODUCT_COLUMNS * words);
        for (int32_t t = 0; t < panel->count; t++) {
            if (residuals[t] > call->residual) call->residual = residuals[t];
        }
    }
}

/* One chunk of targets, the panels first .. first + panel_count - 1, against all rows of the
 * mask, whose sums continue from earlier chunks: measures and packs the targets, then the rows.
 * Rows are collected in item until row_panels panels are full, so that the packed targets are read
 * once for all of these rows. For a poll a pair counts as dims / 8: float32 vectors do some 8
 * multiply-adds at a time. */
static alcore_status bound_chunk(bounds_call *call, const uint8_t *mask, int64_t first,
                                 int64_t panel_count) {
    int64_t item[MAX_ROW_PANELS * PRODUCT_ROWS];
    bound_row rows[MAX_ROW_PANELS * PRODUCT_ROWS];
    int collected = 0, step = (int)call->row_panels * PRODUCT_ROWS;
    measure_targets(call, first, panel_count);
    if (call->scale > 0.0f && !is_precise(call, mask, first, panel_count)) call->scale = 0.0f;
    pack_targets(call, first, panel_count);
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!mask || mask[i]) item[collected++] = i;
        if (!collected || (collected < step && i + 1 < call->rows->count)) continue;
        pack_rows(call, item, collected, rows);
        bound_rows(call, item, collected, first, panel_count, rows);
        alcore_status status =
            alcore__cpu_poll(call->work, &call->spent,
                             collected * panel_count * PRODUCT_COLUMNS * call->rows->dims / 8);
        if (status) return status;
        collected = 0;
    }
    return ALCORE_OK;
}

/* Fills order and panels: the targets by group (group [targets], negative: the target takes no
 * part; NULL: one group), cut into panels so that no panel holds targets of two groups. */
static void list_panels(bounds_call *call, const int32_t *group) {
    int64_t end = 0;
    for (int64_t g = 0; g < call->groups; g++) {
        int64_t begin = end;
        for (int64_t t = 0; t < call->targets->count; t++) {
            if ((group ? group[t] : 0) == g) call->order[end++] = t;
        }
        for (; begin < end; begin += PRODUCT_COLUMNS) {
            int64_t left = end - begin;
            call->panels[call->panel_count++] =
                (target_panel){.first = begin,
                               .count = left < PRODUCT_COLUMNS ? (int32_t)left : PRODUCT_COLUMNS,
                               .group = (int32_t)g};
        }
    }
}

/* Stores the interval of 0 to infinity for every row of the mask and every group. */
static void store_no_bounds(const alcore_sys_rows *rows, const uint8_t *mask, int64_t groups,
                            double *low, double *high) {
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        for (int64_t g = 0; g < groups; g++) {
            low[i * groups + g] = 0.0;
            high[i * groups + g] = HUGE_VAL;
        }
    }
}

/* Last step: call->sum and call->error, the sums of s and of E / s of each row and group, become,
 * in place, the lower and the upper end of its interval, rounded outwards; 0 and infinity where no
 * bound holds. */
static void store_intervals(const bounds_call *call, const uint8_t *mask) {
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (mask && !mask[i]) continue;
        for (int64_t entry = i * call->groups; entry < (i + 1) * call->groups; entry++) {
            double sum = call->sum[entry], error = call->error[entry] + SHARE * sum;
            /* False for a NaN too: the interval is then 0 to infinity. */
            int bounded = sum + error < HUGE_VAL;
            call->sum[entry] = bounded && sum > error ? (sum - error) * (1.0 - 1e-15) : 0.0;
            call->error[entry] = bounded ? (sum + error) * (1.0 + 1e-15) : HUGE_VAL;
        }
    }
}

/* Allocates the arrays for one chunk of targets and row_panels panels of rows. `panels` has
 * memory for more entries than there can be, as each panel has a target. dims + 1: bytes is never
 * 0. */
static alcore_status new_memory(bounds_call *call) {
    int64_t dims = call->rows->dims, bytes = PRODUCT_ROWS * (dims + 1) * 4;
    int64_t columns = CHUNK_PANELS * PRODUCT_COLUMNS;
    call->row_panels = ROW_BYTES / bytes < 1                ? 1
                       : ROW_BYTES / bytes > MAX_ROW_PANELS ? MAX_ROW_PANELS
                                                            : ROW_BYTES / bytes;
    int64_t rows = call->row_panels * PRODUCT_ROWS,
            max_panels = call->targets->count + call->groups;
    cpu_arrays *arrays = &call->arrays;
    arrays->work = call->work;
    alcore__cpu_add(arrays, call->targets->count, sizeof(int64_t), &call->order);
    alcore__cpu_add(arrays, max_panels, sizeof *call->panels, &call->panels);
    alcore__cpu_add(arrays, columns, (size_t)dims * 4, &call->columns);
    alcore__cpu_add(arrays, columns, 4, &call->squares);
    alcore__cpu_add(arrays, columns, 4, &call->exists);
    alcore__cpu_add(arrays, rows, (size_t)dims * 4, &call->packed);
    alcore__cpu_add(arrays, rows, PRODUCT_COLUMNS * 4, &call->products);
    if (call->rows->unit || call->targets->unit)
        alcore__cpu_add(arrays, dims, PRODUCT_COLUMNS * sizeof(double), &call->unit);
    if (CPU_INT16)
        alcore__cpu_add(arrays, dims, PRODUCT_COLUMNS * sizeof(double), &call->int16_workspace);
    return arrays->status;
}

/* Chunk by chunk: targets are packed once, and all rows are compared with them. low and high hold
 * the sums of s and of E / s until store_intervals() makes the intervals of them. */
alcore_status CPU(distance_bounds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *low,
                                   double *high) {
    alcore_status status = alcore__cpu_check_targets(work, rows, targets, group, groups);
    if (status) return status;
    if (rows->dims > FILTER_MAX_DIMS || targets->count > MAX_TARGETS) {
        store_no_bounds(rows, mask, groups, low, high);
        return ALCORE_OK;
    }
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
    for (int64_t p = 0; p < call.panel_count && !status; p += CHUNK_PANELS) {
        int64_t count = call.panel_count - p < CHUNK_PANELS ? call.panel_count - p : CHUNK_PANELS;
        status = bound_chunk(&call, mask, p, count);
    }
    if (!status) store_intervals(&call, mask);
    alcore__cpu_release(&call.arrays);
    return status;
}
