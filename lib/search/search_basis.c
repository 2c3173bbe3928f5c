/* SPDX-License-Identifier: Apache-2.0 */
/* Directions that let a search prune: an orthonormal basis B [leading, dims] in which the first few
 * components of a vector hold most of its length.
 *
 * Words: a search compares all rows with all queries; its sweep is the plain way, the product of
 * every pair in full. Pruning is to leave out pairs that a bound shows to be no neighbors. All
 * vectors here are float64, row-major, and unit vectors where the metric is the cosine. Kernels:
 * widen copies rows as doubles (scaled to length 1 where their `unit` is 1), self_dots gives the
 * squared length of each row, dots the product of each row with one vector; the mask NULL: all
 * rows.
 *
 * With x = B^T B x + rest(x), the product of a row and a query is at most
 * (B x).(B q) + |rest(x)| |rest(q)| (Cauchy-Schwarz), so a search computes `leading` components
 * first and the whole product only where this bound reaches the query's k-th best.
 *
 * B is found on a sample of rows X, not centered, by ITERATIONS steps of subspace iteration: B is
 * replaced by the orthonormalized rows of (B X^T) X. How many directions pay is measured on the
 * sample too, with a sample of queries. The basis decides only how long a search takes, never what
 * it finds: the search is told how far B is from orthonormal (its skew).
 *
 * Members of alcore__search_run (search_run.h) that are used here: rows and queries, the operands;
 * k, the neighbors of each query; search, what the kernels are told; scratch [threads + 1], memory
 * in which rows are read, the last one for queries.
 *
 * Cost: about 2 x ITERATIONS x MAX_DIRECTIONS x SAMPLE_ROWS x dims multiply-adds. */
#include "search/search_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_ROWS = 512,     /* rows of the sample */
    SAMPLE_QUERIES = 16,   /* queries of the sample */
    CHUNK_ROWS = 32,       /* adjacent rows that are read together */
    MIN_CHUNKS = 16,       /* chunks that a sample is read in, at least */
    MAX_DIRECTIONS = 96,   /* directions that are computed */
    ITERATIONS = 2,        /* steps of subspace iteration */
    PROBE_DIRECTIONS = 32, /* sampled rows that span the space of the first probe */
    PROBE_ROWS = 64        /* other sampled rows that are measured in that space */
};
/* Numbers of leading directions that are tried. */
static const int64_t DIRECTION_COUNTS[] = {16, 32, 64, 96};

/* With fewer rows, queries or dimensions the sample costs more than it can save. */
#define MIN_ROWS 16384
#define MIN_QUERIES 128
#define MIN_DIMS 128
#define MAX_DIMS 2048
/* Cost of computing one pair outside the sweep, in pairs of the sweep. */
#define SINGLE_PAIR_COST 4.0
/* Pruning is used when its expected cost is below this share of the cost without it. */
#define MAX_COST_SHARE 0.7

/* The state of one call of alcore__search_basis(). The arrays are owned. */
typedef struct basis_work {
    alcore__search_run *run;
    alcore_sys_work work; /* first argument of the kernels */
    int64_t dims;
    int64_t count, query_count; /* sampled rows and queries; count <= SAMPLE_ROWS */
    double *rows;               /* [count, dims] sampled rows */
    double *transposed;         /* [dims, count] the same, transposed */
    double *queries;            /* [query_count, dims] sampled queries */
    double *basis;              /* [MAX_DIRECTIONS, dims] the directions */
    double *coefficients;       /* [MAX_DIRECTIONS, count] basis . rows */
} basis_work;

/* Doubles data [count, dims], without gaps, as the operand of a kernel: a view. */
static alcore_sys_rows matrix(const double *data, int64_t count, int64_t dims) {
    return (alcore_sys_rows){
        .data = data, .count = count, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
}

/* Copies up to max_count rows of an operand, widened, to out [max_count, dims]: chunks of adjacent
 * rows (a file is read in runs), whose first rows are spread evenly over all rows; at least
 * MIN_CHUNKS of them, so that a small sample is spread as well. The operand has MIN_ROWS rows or
 * MIN_QUERIES queries or more, so no two chunks have a row in common. For the cosine, and for an
 * operand to be normalized, they are copied as unit vectors. Masked rows are skipped, and so are
 * rows whose squared length is not below 1e30 or NaN, which could overflow later products.
 * *out_count: rows copied. scratch: memory for reading, used again by the search. */
static alcore_status copy_sample(basis_work *self, const alcore__search_data *data,
                                 alcore__scratch *scratch, int64_t max_count, double *out,
                                 int64_t *out_count) {
    int64_t chunks = max_count / CHUNK_ROWS > MIN_CHUNKS ? max_count / CHUNK_ROWS : MIN_CHUNKS,
            chunk_rows = max_count / chunks;
    *out_count = 0;
    for (int64_t c = 0; c < chunks; c++) {
        alcore_sys_rows rows;
        int64_t first = data->count * c / chunks;
        int64_t count = data->count - first < chunk_rows ? data->count - first : chunk_rows;
        ALCORE__TRY(
            alcore__search_data_rows(data, &self->run->engine, first, count, scratch, &rows));
        for (int64_t i = 0; i < count; i++) {
            if (data->mask && !data->mask[first + i]) continue;
            alcore_sys_rows one = rows;
            one.data = (const char *)rows.data +
                       i * rows.stride * (int64_t)alcore_sys_dtype_bytes(rows.dtype);
            one.count = 1;
            double *row = out + *out_count * self->dims, dot;
            one.unit |= self->run->search.metric == ALCORE_SYS_COSINE;
            ALCORE__TRY(self->run->engine.kernels->widen(&self->work, &one, NULL, row));
            alcore_sys_rows wide = matrix(row, 1, self->dims);
            ALCORE__TRY(self->run->engine.kernels->self_dots(&self->work, &wide, NULL, &dot));
            if (dot < 1e30) ++*out_count;
        }
    }
    return ALCORE_OK;
}

/* Makes the first `count` directions, rows 0 .. count - 1 of basis [MAX_DIRECTIONS, dims],
 * orthonormal in place by Gram-Schmidt: from direction m its parts along the m directions before it
 * are subtracted, and it is scaled to length 1. This is done twice for each one, since after the
 * first time rounding leaves a part of the others in it. A direction that depends on those before
 * it becomes zero or noise, which makes the search slower, not wrong. */
static alcore_status orthonormalize(basis_work *self, int64_t count) {
    for (int64_t m = 0; m < count; m++) {
        double *direction = self->basis + m * self->dims, dot;
        alcore_sys_rows previous = matrix(self->basis, m, self->dims);
        for (int twice = 0; twice < 2; twice++) {
            double products[MAX_DIRECTIONS];
            ALCORE__TRY(
                self->run->engine.kernels->dots(&self->work, &previous, NULL, direction, products));
            for (int64_t p = 0; p < m; p++) {
                const double *other = self->basis + p * self->dims;
                for (int64_t j = 0; j < self->dims; j++) direction[j] -= products[p] * other[j];
            }
            alcore_sys_rows row = matrix(direction, 1, self->dims);
            ALCORE__TRY(self->run->engine.kernels->self_dots(&self->work, &row, NULL, &dot));
            double norm = dot > 0.0 ? 1.0 / sqrt(dot) : 0.0;
            for (int64_t j = 0; j < self->dims; j++) direction[j] *= norm;
        }
    }
    return ALCORE_OK;
}

/* Sets coefficients [MAX_DIRECTIONS, count] to the products of all directions with all sampled
 * rows, and asks for cancellation. */
static alcore_status project(basis_work *self) {
    alcore_sys_rows rows = matrix(self->rows, self->count, self->dims);
    for (int64_t m = 0; m < MAX_DIRECTIONS; m++) {
        ALCORE__TRY(self->run->engine.kernels->dots(&self->work, &rows, NULL,
                                                    self->basis + m * self->dims,
                                                    self->coefficients + m * self->count));
    }
    return alcore__tick(self->run->ctx, "search", 0, 0);
}

/* Sorts the directions, and their coefficients with them, by the energy (sum of squared
 * coefficients) that they have in the sample, largest first: the search uses a prefix of them. By
 * selection, as there are only MAX_DIRECTIONS. Called when both arrays agree, after project(). */
static void order_directions(basis_work *self) {
    for (int64_t m = 0; m < MAX_DIRECTIONS; m++) {
        int64_t best = m;
        double max_energy = -1.0;
        for (int64_t p = m; p < MAX_DIRECTIONS; p++) {
            double energy = 0.0;
            for (int64_t i = 0; i < self->count; i++)
                energy += self->coefficients[p * self->count + i] *
                          self->coefficients[p * self->count + i];
            if (energy > max_energy) {
                max_energy = energy;
                best = p;
            }
        }
        for (int64_t j = 0; best != m && j < self->dims; j++) {
            double swapped = self->basis[m * self->dims + j];
            self->basis[m * self->dims + j] = self->basis[best * self->dims + j];
            self->basis[best * self->dims + j] = swapped;
        }
        for (int64_t i = 0; best != m && i < self->count; i++) {
            double swapped = self->coefficients[m * self->count + i];
            self->coefficients[m * self->count + i] = self->coefficients[best * self->count + i];
            self->coefficients[best * self->count + i] = swapped;
        }
    }
}

/* Begins the iteration with MAX_DIRECTIONS evenly spaced sampled rows, and probes whether pruning
 * may save time: *out is true when the space of the first PROBE_DIRECTIONS of them contains at
 * least half of the squared length of PROBE_ROWS other rows. Where it contains less, the rows fill
 * the space too evenly for a few directions to hold most of them, and the iteration is saved.
 * Afterwards only the first PROBE_DIRECTIONS directions are orthonormal. count is at least 2
 * MAX_DIRECTIONS, so that spacing is 2 or more and the probe's rows, i spacing + 1, are none of the
 * directions' rows; PROBE_ROWS is below MAX_DIRECTIONS, so that they exist. */
static alcore_status start_directions(basis_work *self, bool *out) {
    int64_t spacing = self->count / MAX_DIRECTIONS;
    double contained = 0.0, total = 0.0;
    for (int64_t m = 0; m < MAX_DIRECTIONS; m++)
        memcpy(self->basis + m * self->dims, self->rows + m * spacing * self->dims,
               (size_t)self->dims * sizeof *self->basis);
    ALCORE__TRY(orthonormalize(self, PROBE_DIRECTIONS));
    for (int64_t i = 0; i < PROBE_ROWS; i++) {
        double products[PROBE_DIRECTIONS], dot;
        const double *row = self->rows + (i * spacing + 1) * self->dims;
        alcore_sys_rows one = matrix(row, 1, self->dims),
                        probe = matrix(self->basis, PROBE_DIRECTIONS, self->dims);
        ALCORE__TRY(self->run->engine.kernels->self_dots(&self->work, &one, NULL, &dot));
        ALCORE__TRY(self->run->engine.kernels->dots(&self->work, &probe, NULL, row, products));
        total += dot;
        for (int64_t p = 0; p < PROBE_DIRECTIONS; p++) contained += products[p] * products[p];
    }
    *out = contained >= 0.5 * total;
    return ALCORE_OK;
}

/* Subspace iteration from the directions that start_directions() left: each step replaces direction
 * m by the sum of the sampled rows, each times its coefficient in m, which turns the directions
 * towards those of the largest energy. Afterwards the directions are orthonormal and sorted, and
 * the coefficients are theirs. transposed [dims, count] is filled here. */
static alcore_status iterate(basis_work *self) {
    alcore_sys_rows transposed = matrix(self->transposed, self->dims, self->count);
    for (int64_t i = 0; i < self->count; i++) {
        for (int64_t j = 0; j < self->dims; j++)
            self->transposed[j * self->count + i] = self->rows[i * self->dims + j];
    }
    ALCORE__TRY(orthonormalize(self, MAX_DIRECTIONS));
    for (int step = 0; step < ITERATIONS; step++) {
        ALCORE__TRY(project(self));
        for (int64_t m = 0; m < MAX_DIRECTIONS; m++) {
            ALCORE__TRY(self->run->engine.kernels->dots(&self->work, &transposed, NULL,
                                                        self->coefficients + m * self->count,
                                                        self->basis + m * self->dims));
        }
        ALCORE__TRY(orthonormalize(self, MAX_DIRECTIONS));
    }
    ALCORE__TRY(project(self));
    order_directions(self);
    return ALCORE_OK;
}

/* For qsort(): ascending; NaN cannot occur, as all sampled rows have a finite length. */
static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* *out: the share, 0 to 1, of sampled pairs of row and query whose bound by the first m directions
 * reaches the query's k-th best value, so that the search would compute them in full. Larger values
 * are nearer; for L2 the value is x.q - |x|^2 / 2, which orders rows like the distance. The bound
 * gets 5e-4 |x| |q| on top, an allowance for rounding in the search's own bound. basis and
 * coefficients are those that iterate() left; m is at most MAX_DIRECTIONS, count at most
 * SAMPLE_ROWS. */
static alcore_status measure_passing(basis_work *self, int64_t m, double *out) {
    const alcore_sys_kernels *kernels = self->run->engine.kernels;
    alcore_sys_rows rows = matrix(self->rows, self->count, self->dims);
    bool l2 = self->run->search.metric == ALCORE_SYS_L2;
    /* The rank in the sample, 0 for the best, that corresponds to rank k among all rows. */
    int64_t rank = self->run->k * self->count / self->run->rows.count, passed = 0;
    /* [count] by sampled row. row_rest: length of the part outside the first m directions. */
    double sq_norms[SAMPLE_ROWS], products[SAMPLE_ROWS], sorted[SAMPLE_ROWS], row_rest[SAMPLE_ROWS];
    ALCORE__TRY(kernels->self_dots(&self->work, &rows, NULL, sq_norms));
    for (int64_t i = 0; i < self->count; i++) {
        row_rest[i] = sq_norms[i];
        for (int64_t p = 0; p < m; p++)
            row_rest[i] -=
                self->coefficients[p * self->count + i] * self->coefficients[p * self->count + i];
        row_rest[i] = row_rest[i] > 0.0 ? sqrt(row_rest[i]) : 0.0;
    }
    for (int64_t q = 0; q < self->query_count; q++) {
        const double *query = self->queries + q * self->dims;
        alcore_sys_rows one = matrix(query, 1, self->dims),
                        basis = matrix(self->basis, m, self->dims);
        double query_sq_norm, query_coefficients[MAX_DIRECTIONS], query_rest;
        ALCORE__TRY(kernels->self_dots(&self->work, &one, NULL, &query_sq_norm));
        ALCORE__TRY(kernels->dots(&self->work, &basis, NULL, query, query_coefficients));
        ALCORE__TRY(kernels->dots(&self->work, &rows, NULL, query, products));
        query_rest = query_sq_norm;
        for (int64_t p = 0; p < m; p++) query_rest -= query_coefficients[p] * query_coefficients[p];
        query_rest = query_rest > 0.0 ? sqrt(query_rest) : 0.0;
        for (int64_t i = 0; i < self->count; i++)
            sorted[i] = products[i] - (l2 ? 0.5 * sq_norms[i] : 0.0);
        qsort(sorted, (size_t)self->count, sizeof *sorted, compare_doubles);
        double kth_best = sorted[self->count - 1 - (rank < self->count ? rank : self->count - 1)];
        for (int64_t i = 0; i < self->count; i++) {
            double bound = query_rest * row_rest[i] - (l2 ? 0.5 * sq_norms[i] : 0.0);
            for (int64_t p = 0; p < m; p++)
                bound += query_coefficients[p] * self->coefficients[p * self->count + i];
            passed += bound + 5e-4 * sqrt(sq_norms[i] * query_sq_norm) >= kth_best;
        }
    }
    *out = (double)passed / (double)(self->count * self->query_count);
    return ALCORE_OK;
}

/* *out: the number m of leading directions with the lowest expected cost (*out_cost), in units of
 * the plain sweep (rows x queries x dims multiplications): m / dims for the leading components of
 * each pair, m / queries for projecting each row once on the directions (rows x m x dims), and
 * SINGLE_PAIR_COST times the share of pairs that the bound does not refuse. 0: none is below
 * MAX_COST_SHARE.
 *
 * Projections are counted as if all queries were one slab. The kernel projects the rows again for
 * each of its own slabs of queries, whose size is not known here, so that the term would be m /
 * slab where there are more queries than that: of few neighbors a slab has thousands of queries,
 * and m is 96 at most. Projecting the queries for each block of rows is left out likewise, as a
 * block has thousands of rows. */
static alcore_status choose_count(basis_work *self, int64_t *out, double *out_cost) {
    double min_cost = MAX_COST_SHARE, dims = (double)self->dims;
    *out = 0;
    for (size_t t = 0; t < sizeof DIRECTION_COUNTS / sizeof DIRECTION_COUNTS[0]; t++) {
        double share;
        ALCORE__TRY(measure_passing(self, DIRECTION_COUNTS[t], &share));
        double cost = (double)DIRECTION_COUNTS[t] / dims +
                      (double)DIRECTION_COUNTS[t] / (double)self->run->queries.count +
                      SINGLE_PAIR_COST * share;
        if (cost >= min_cost) continue;
        min_cost = cost;
        *out = DIRECTION_COUNTS[t];
    }
    *out_cost = min_cost;
    return ALCORE_OK;
}

/* How far basis [leading, dims], rounded to float32, is from orthonormal: the Frobenius norm of
 * B B^T - I, which is at least its spectral norm, which the bound of the search needs. Entries off
 * the diagonal are computed once and count twice; the returned value is rounded up. */
static double measure_skew(const float *basis, int64_t leading, int64_t dims) {
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

/* Samples rows and queries, probes, iterates and decides. Called once by alcore__search_basis().
 * *out, float32 [leading, dims], and basis (a view of *out), leading, skew and cost of run->search
 * are set only when pruning pays, and stay NULL and 0 otherwise. Fewer than 2 MAX_DIRECTIONS usable
 * sampled rows, or no query, mean no pruning. run->scratch [threads + 1] is not in use yet:
 * scratch[0] reads rows here, scratch[threads] queries, as in the search. The caller frees *out and
 * the arrays of self, also after a failure. */
static alcore_status find_basis(basis_work *self, float **out) {
    alcore__search_run *run = self->run;
    alcore_ctx *ctx = run->ctx;
    size_t dims = (size_t)self->dims;
    int64_t leading = 0;
    double cost = 0.0;
    ALCORE__TRY(alcore__new_array(ctx, SAMPLE_ROWS * dims, sizeof(double), &self->rows));
    ALCORE__TRY(alcore__new_array(ctx, SAMPLE_ROWS * dims, sizeof(double), &self->transposed));
    ALCORE__TRY(alcore__new_array(ctx, SAMPLE_QUERIES * dims, sizeof(double), &self->queries));
    ALCORE__TRY(alcore__new_array(ctx, MAX_DIRECTIONS * dims, sizeof(double), &self->basis));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)MAX_DIRECTIONS * SAMPLE_ROWS, sizeof(double),
                                  &self->coefficients));
    ALCORE__TRY(
        copy_sample(self, &run->rows, &run->scratch[0], SAMPLE_ROWS, self->rows, &self->count));
    ALCORE__TRY(copy_sample(self, &run->queries, &run->scratch[run->threads], SAMPLE_QUERIES,
                            self->queries, &self->query_count));
    if (self->count < 2 * MAX_DIRECTIONS || self->query_count == 0) return ALCORE_OK;
    bool promising = false;
    ALCORE__TRY(start_directions(self, &promising));
    if (!promising) return ALCORE_OK;
    ALCORE__TRY(iterate(self));
    ALCORE__TRY(choose_count(self, &leading, &cost));
    if (leading == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)leading * dims, sizeof(float), out));
    for (int64_t j = 0; j < leading * self->dims; j++) (*out)[j] = (float)self->basis[j];
    run->search.basis = *out;
    run->search.leading = leading;
    run->search.skew = measure_skew(*out, leading, self->dims);
    run->search.cost = cost;
    return ALCORE_OK;
}

/* Called before a search in which only the neighbors of queries are wanted, not those of rows:
 * decides whether to prune. *out: the directions, float32 [leading, dims], which run->search uses
 * and the caller frees after the search, also after a failure; NULL: no pruning. Small searches,
 * and vectors of very few or very many components, are not pruned: the sample would cost more than
 * pruning can save. */
alcore_status alcore__search_basis(alcore__search_run *run, float **out) {
    int64_t dims = run->rows.dims;
    *out = NULL;
    if (run->rows.count < MIN_ROWS || run->queries.count < MIN_QUERIES || dims < MIN_DIMS ||
        dims > MAX_DIMS)
        return ALCORE_OK;
    basis_work self = {.run = run, .work = alcore__engine_work(&run->engine), .dims = dims};
    alcore_status status = find_basis(&self, out);
    double *const parts[] = {self.rows, self.transposed, self.queries, self.basis,
                             self.coefficients};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) alcore__free(run->ctx, parts[p]);
    return status;
}
