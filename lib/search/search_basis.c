/* SPDX-License-Identifier: Apache-2.0 */
/* The directions are the dominant ones of a sample of rows, not centered, by two steps of subspace
 * iteration. Which of their number pays is tried out on the sample itself. What they are decides
 * only how long a search takes; their skew is measured on the numbers as they are. */
#include "search/search_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 512,
    CHUNK = 32,
    MIN_CHUNKS = 16,
    ASKED = 16,
    MOST = 96,
    STEPS = 2,
    FEW = 32,
    LOOKED = 64
};
static const int64_t tries[] = {16, 32, 64, 96};

/* With fewer rows, queries or numbers the sample costs more than it can save. */
#define LEAST_ROWS 16384
#define LEAST_QUERIES 128
#define LEAST_DIMS 128
#define MOST_DIMS 2048
/* Cost of computing a pair alone, in pairs of the plain sweep; the share of the plain sweep's cost
 * that pruning must stay below. */
#define ALONE 4.0
#define PAYS 0.7

typedef struct basis_work {
    alcore__search_run *run;
    alcore_sys_work work;
    int64_t dims, count, asked; /* sampled rows and queries */
    double *rows;               /* [SAMPLE, dims] */
    double *columns;            /* [dims, SAMPLE]: the same, turned */
    double *queries;            /* [ASKED, dims] */
    double *basis;              /* [MOST, dims] */
    double *shares;             /* [MOST, SAMPLE]: of rows along directions */
} basis_work;

static alcore_sys_rows matrix(const double *data, int64_t count, int64_t dims) {
    return (alcore_sys_rows){
        .data = data, .count = count, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
}

/* Copies up to `most` rows of an operand, widened, to out [most, dims]: chunks of adjacent rows (a
 * file is read in runs), their begins spread evenly over all rows; at least MIN_CHUNKS of them, so
 * that a small sample is spread as well. Masked rows and rows that are not finite are skipped. The
 * sample decides how much is pruned, never what is found. */
static alcore_status copy_sample(basis_work *b, const alcore__search_data *data,
                                 alcore__scratch *scratch, int64_t most, double *out,
                                 int64_t *out_count) {
    int64_t chunks = most / CHUNK > MIN_CHUNKS ? most / CHUNK : MIN_CHUNKS, each = most / chunks;
    *out_count = 0;
    for (int64_t c = 0; c < chunks; c++) {
        alcore_sys_rows rows;
        int64_t first = data->count * c / chunks;
        int64_t count = data->count - first < each ? data->count - first : each;
        ALCORE__TRY(alcore__search_data_rows(data, first, count, scratch, &rows));
        for (int64_t i = 0; i < count; i++) {
            if (data->mask && !data->mask[first + i]) continue;
            alcore_sys_rows one = rows;
            one.data = (const char *)rows.data +
                       i * rows.stride * (int64_t)alcore__dtype_bytes(rows.dtype);
            one.count = 1;
            double *row = out + *out_count * b->dims, dot;
            one.unit |= b->run->search.metric == ALCORE_SYS_COSINE;
            ALCORE__TRY(b->run->engine.kernels->widen(&b->work, &one, NULL, row));
            alcore_sys_rows wide = matrix(row, 1, b->dims);
            ALCORE__TRY(b->run->engine.kernels->self_dots(&b->work, &wide, NULL, &dot));
            if (dot < 1e30) ++*out_count;
        }
    }
    return ALCORE_OK;
}

/* Makes the directions orthonormal, one after the other, twice for what rounding leaves. */
static alcore_status orthonormalize(basis_work *b, int64_t count) {
    for (int64_t m = 0; m < count; m++) {
        double *own = b->basis + m * b->dims, dot;
        alcore_sys_rows before = matrix(b->basis, m, b->dims);
        for (int twice = 0; twice < 2; twice++) {
            double along[MOST];
            ALCORE__TRY(b->run->engine.kernels->dots(&b->work, &before, NULL, own, along));
            for (int64_t p = 0; p < m; p++) {
                const double *other = b->basis + p * b->dims;
                for (int64_t j = 0; j < b->dims; j++) own[j] -= along[p] * other[j];
            }
            alcore_sys_rows row = matrix(own, 1, b->dims);
            ALCORE__TRY(b->run->engine.kernels->self_dots(&b->work, &row, NULL, &dot));
            double norm = dot > 0.0 ? 1.0 / sqrt(dot) : 0.0;
            for (int64_t j = 0; j < b->dims; j++) own[j] *= norm;
        }
    }
    return ALCORE_OK;
}

/* shares = basis . rows */
static alcore_status project(basis_work *b) {
    alcore_sys_rows rows = matrix(b->rows, b->count, b->dims);
    for (int64_t m = 0; m < MOST; m++) {
        ALCORE__TRY(b->run->engine.kernels->dots(&b->work, &rows, NULL, b->basis + m * b->dims,
                                                 b->shares + m * b->count));
    }
    return alcore__tick(b->run->ctx, "search", 0, 0);
}

/* Directions by what they hold, the most first. */
static void order_directions(basis_work *b) {
    for (int64_t m = 0; m < MOST; m++) {
        int64_t best = m;
        double most = -1.0;
        for (int64_t p = m; p < MOST; p++) {
            double energy = 0.0;
            for (int64_t i = 0; i < b->count; i++)
                energy += b->shares[p * b->count + i] * b->shares[p * b->count + i];
            if (energy > most) {
                most = energy;
                best = p;
            }
        }
        for (int64_t j = 0; best != m && j < b->dims; j++) {
            double held = b->basis[m * b->dims + j];
            b->basis[m * b->dims + j] = b->basis[best * b->dims + j];
            b->basis[best * b->dims + j] = held;
        }
        for (int64_t i = 0; best != m && i < b->count; i++) {
            double held = b->shares[m * b->count + i];
            b->shares[m * b->count + i] = b->shares[best * b->count + i];
            b->shares[best * b->count + i] = held;
        }
    }
}

/* Sampled rows are as good a start as any. Where a few of them hold little of the others, no
 * direction will, and the rest of the work is saved. */
static alcore_status start(basis_work *b, bool *out) {
    int64_t apart = b->count / MOST;
    double held = 0.0, whole = 0.0;
    for (int64_t m = 0; m < MOST; m++)
        memcpy(b->basis + m * b->dims, b->rows + m * apart * b->dims,
               (size_t)b->dims * sizeof *b->basis);
    ALCORE__TRY(orthonormalize(b, FEW));
    for (int64_t i = 0; i < LOOKED; i++) {
        double along[FEW], dot;
        const double *row = b->rows + (i * apart + 1) * b->dims;
        alcore_sys_rows one = matrix(row, 1, b->dims), few = matrix(b->basis, FEW, b->dims);
        ALCORE__TRY(b->run->engine.kernels->self_dots(&b->work, &one, NULL, &dot));
        ALCORE__TRY(b->run->engine.kernels->dots(&b->work, &few, NULL, row, along));
        whole += dot;
        for (int64_t p = 0; p < FEW; p++) held += along[p] * along[p];
    }
    *out = held >= 0.5 * whole;
    return ALCORE_OK;
}

static alcore_status iterate(basis_work *b) {
    alcore_sys_rows columns = matrix(b->columns, b->dims, b->count);
    for (int64_t i = 0; i < b->count; i++) {
        for (int64_t j = 0; j < b->dims; j++)
            b->columns[j * b->count + i] = b->rows[i * b->dims + j];
    }
    ALCORE__TRY(orthonormalize(b, MOST));
    for (int step = 0; step < STEPS; step++) {
        ALCORE__TRY(project(b));
        for (int64_t m = 0; m < MOST; m++) {
            ALCORE__TRY(b->run->engine.kernels->dots(
                &b->work, &columns, NULL, b->shares + m * b->count, b->basis + m * b->dims));
        }
        ALCORE__TRY(orthonormalize(b, MOST));
    }
    ALCORE__TRY(project(b));
    order_directions(b);
    return ALCORE_OK;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The share of sampled pairs whose bound by m directions reaches the query's k-th best. */
static alcore_status passing(basis_work *b, int64_t m, double *out) {
    const alcore_sys_kernels *kernels = b->run->engine.kernels;
    alcore_sys_rows rows = matrix(b->rows, b->count, b->dims);
    bool l2 = b->run->search.metric == ALCORE_SYS_L2;
    /* As far down as the k-th of all rows lies, or the best: that errs on the safe side. */
    int64_t rank = b->run->k * b->count / b->run->rows.count, passed = 0;
    double own[SAMPLE], s[SAMPLE], sorted[SAMPLE], rest[SAMPLE];
    ALCORE__TRY(kernels->self_dots(&b->work, &rows, NULL, own));
    for (int64_t i = 0; i < b->count; i++) {
        rest[i] = own[i];
        for (int64_t p = 0; p < m; p++)
            rest[i] -= b->shares[p * b->count + i] * b->shares[p * b->count + i];
        rest[i] = rest[i] > 0.0 ? sqrt(rest[i]) : 0.0;
    }
    for (int64_t q = 0; q < b->asked; q++) {
        const double *query = b->queries + q * b->dims;
        alcore_sys_rows one = matrix(query, 1, b->dims), basis = matrix(b->basis, m, b->dims);
        double square, along[MOST], left;
        ALCORE__TRY(kernels->self_dots(&b->work, &one, NULL, &square));
        ALCORE__TRY(kernels->dots(&b->work, &basis, NULL, query, along));
        ALCORE__TRY(kernels->dots(&b->work, &rows, NULL, query, s));
        left = square;
        for (int64_t p = 0; p < m; p++) left -= along[p] * along[p];
        left = left > 0.0 ? sqrt(left) : 0.0;
        for (int64_t i = 0; i < b->count; i++) sorted[i] = s[i] - (l2 ? 0.5 * own[i] : 0.0);
        qsort(sorted, (size_t)b->count, sizeof *sorted, compare_doubles);
        double bar = sorted[b->count - 1 - (rank < b->count ? rank : b->count - 1)];
        for (int64_t i = 0; i < b->count; i++) {
            double bound = left * rest[i] - (l2 ? 0.5 * own[i] : 0.0);
            for (int64_t p = 0; p < m; p++) bound += along[p] * b->shares[p * b->count + i];
            passed += bound + 5e-4 * sqrt(own[i] * square) >= bar;
        }
    }
    *out = (double)passed / (double)(b->count * b->asked);
    return ALCORE_OK;
}

/* How many directions cost the least; 0: none pays. */
static alcore_status choose(basis_work *b, int64_t *out) {
    double least = PAYS, dims = (double)b->dims;
    *out = 0;
    for (size_t t = 0; t < sizeof tries / sizeof tries[0]; t++) {
        double share;
        ALCORE__TRY(passing(b, tries[t], &share));
        double cost = (double)tries[t] / dims + (double)tries[t] / (double)b->run->queries.count +
                      ALONE * share;
        if (cost >= least) continue;
        least = cost;
        *out = tries[t];
    }
    return ALCORE_OK;
}

/* The Frobenius norm of B B^T - I, which is at least the spectral one. */
static double skew_of(const float *basis, int64_t leading, int64_t dims) {
    double sum = 0.0;
    for (int64_t a = 0; a < leading; a++) {
        for (int64_t c = 0; c <= a; c++) {
            double dot = a == c ? -1.0 : 0.0;
            for (int64_t j = 0; j < dims; j++)
                dot += (double)basis[a * dims + j] * (double)basis[c * dims + j];
            sum += (a == c ? 1.0 : 2.0) * dot * dot;
        }
    }
    /* The sums in double are off by less than dims 2^-52 each. */
    return sqrt(sum) + (double)(dims * leading) * 0x1p-50;
}

static alcore_status find(basis_work *b, float **out) {
    alcore__search_run *run = b->run;
    alcore_ctx *ctx = run->ctx;
    size_t dims = (size_t)b->dims;
    int64_t leading = 0;
    ALCORE__TRY(alcore__new_array(ctx, SAMPLE * dims, sizeof(double), &b->rows));
    ALCORE__TRY(alcore__new_array(ctx, SAMPLE * dims, sizeof(double), &b->columns));
    ALCORE__TRY(alcore__new_array(ctx, ASKED * dims, sizeof(double), &b->queries));
    ALCORE__TRY(alcore__new_array(ctx, MOST * dims, sizeof(double), &b->basis));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)MOST * SAMPLE, sizeof(double), &b->shares));
    ALCORE__TRY(copy_sample(b, &run->rows, &run->scratch[0], SAMPLE, b->rows, &b->count));
    ALCORE__TRY(
        copy_sample(b, &run->queries, &run->scratch[run->threads], ASKED, b->queries, &b->asked));
    if (b->count < 2 * MOST || b->asked == 0) return ALCORE_OK;
    bool promising = false;
    ALCORE__TRY(start(b, &promising));
    if (!promising) return ALCORE_OK;
    ALCORE__TRY(iterate(b));
    ALCORE__TRY(choose(b, &leading));
    if (leading == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)leading * dims, sizeof(float), out));
    for (int64_t j = 0; j < leading * b->dims; j++) (*out)[j] = (float)b->basis[j];
    run->search.basis = *out;
    run->search.leading = leading;
    run->search.skew = skew_of(*out, leading, b->dims);
    return ALCORE_OK;
}

alcore_status alcore__search_basis(alcore__search_run *run, float **out) {
    int64_t dims = run->rows.dims;
    *out = NULL;
    if (run->rows.count < LEAST_ROWS || run->queries.count < LEAST_QUERIES || dims < LEAST_DIMS ||
        dims > MOST_DIMS)
        return ALCORE_OK;
    basis_work b = {.run = run, .work = alcore__engine_work(&run->engine), .dims = dims};
    alcore_status status = find(&b, out);
    double *const parts[] = {b.rows, b.columns, b.queries, b.basis, b.shares};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) alcore__free(run->ctx, parts[p]);
    return status;
}
