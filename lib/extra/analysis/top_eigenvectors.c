/* SPDX-License-Identifier: Apache-2.0 */
/* Subspace iteration with Rayleigh-Ritz steps (Golub and Van Loan, Matrix Computations, 8.2; own
 * code, because LAPACK would be a dependency for this alone). A basis Q of `width` orthonormal
 * vectors is multiplied by the matrix A, Z = A Q. Both are multiplied by the eigenvectors S of the
 * small matrix Q^T Z, after which column k of Q approximates eigenvector k, with the residual
 * |Z_k - value_k Q_k|; and Z, made orthonormal, is the next Q. In each step the error of vector k
 * falls by the factor eigenvalue[width + 1] / eigenvalue[k], counted from the largest, which is why
 * the basis has more vectors than are asked for. The iteration ends when the residuals of all
 * vectors asked for are below TOLERANCE times the largest eigenvalue, or after MAX_STEPS: then the
 * eigenvalues lie so close together that their vectors are arbitrary anyway.
 * The first basis is drawn with a fixed seed, so the same matrix gives the same vectors.
 * Time: dims^2 * width multiply-adds a step. */
#include "extra/analysis/top_eigenvectors.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum { WIDTH = 16, MAX_STEPS = 2000, TASK_ROWS = 64, MAX_SWEEPS = 60 };
#define TOLERANCE 1e-12

/* The state of one call. Bases are stored with the vectors side by side, [dims, width], so that the
 * innermost loop of the product runs over adjacent numbers. */
typedef struct subspace {
    const double *matrix; /* [dims, dims] */
    int64_t dims;
    int32_t width;        /* vectors of a basis: WIDTH, or dims where that is less */
    double *basis;        /* Q [dims, width] */
    double *product;      /* Z [dims, width] */
    double *row;          /* [width] workspace */
    double values[WIDTH]; /* Ritz values, falling */
} subspace;

/* Task `index`: rows index * TASK_ROWS .. of the product. */
static alcore_status multiply_rows(void *data, int64_t index, int32_t worker) {
    subspace *self = data;
    const int32_t width = self->width;
    const int64_t first = index * TASK_ROWS;
    const int64_t end = first + TASK_ROWS < self->dims ? first + TASK_ROWS : self->dims;
    (void)worker;
    for (int64_t i = first; i < end; i++) {
        double sums[WIDTH] = {0};
        for (int64_t j = 0; j < self->dims; j++) {
            const double entry = self->matrix[i * self->dims + j];
            for (int32_t k = 0; k < width; k++) sums[k] += entry * self->basis[j * width + k];
        }
        memcpy(self->product + i * width, sums, (size_t)width * sizeof(double));
    }
    return ALCORE_OK;
}

/* Replaces vector k of a basis by random numbers, drawn from *rng. */
static void draw_vector(subspace *self, double *basis, int32_t k, alcore__rng *rng) {
    for (int64_t i = 0; i < self->dims; i++)
        basis[i * self->width + k] = alcore__rng_f64(rng) - 0.5;
}

/* Subtracts from vector k its projections on the vectors before it, twice, against rounding, and
 * returns the length that is left. */
static double reduce_vector(const subspace *self, double *basis, int32_t k) {
    const int32_t width = self->width;
    double square = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t before = 0; before < k; before++) {
            double dot = 0;
            for (int64_t i = 0; i < self->dims; i++)
                dot += basis[i * width + k] * basis[i * width + before];
            for (int64_t i = 0; i < self->dims; i++)
                basis[i * width + k] -= dot * basis[i * width + before];
        }
    for (int64_t i = 0; i < self->dims; i++) square += basis[i * width + k] * basis[i * width + k];
    return sqrt(square);
}

/* Makes the vectors of a basis orthonormal, from the first to the last. One that depends on those
 * before it, as happens with a matrix of low rank, is replaced by a random one. */
static void orthonormalize(subspace *self, double *basis, alcore__rng *rng) {
    const int32_t width = self->width;
    for (int32_t k = 0; k < width; k++) {
        double before = 0;
        for (int64_t i = 0; i < self->dims; i++)
            before += basis[i * width + k] * basis[i * width + k];
        double length = reduce_vector(self, basis, k);
        while (!(length > 1e-10 * sqrt(before)) || length < 1e-290) {
            draw_vector(self, basis, k, rng);
            before = 1;
            length = reduce_vector(self, basis, k);
        }
        for (int64_t i = 0; i < self->dims; i++) basis[i * width + k] /= length;
    }
}

/* One Jacobi rotation that makes entry (p, q) of the symmetric a [n, n] zero; the columns of
 * vectors [n, n] turn with it. */
static void rotate(double *a, double *vectors, int32_t n, int32_t p, int32_t q) {
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    /* Not hypot(), which needs a newer glibc; |t| <= 1, and t is 0 where theta^2 overflows. */
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int32_t k = 0; k < n; k++) {
        const double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (int32_t k = 0; k < n; k++) {
        const double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    for (int32_t k = 0; k < n; k++) {
        const double x = vectors[k * n + p], y = vectors[k * n + q];
        vectors[k * n + p] = c * x - s * y;
        vectors[k * n + q] = s * x + c * y;
    }
}

/* Eigenvalues of the symmetric a [n, n], on its diagonal afterwards, and eigenvectors, the columns
 * of vectors [n, n], by Jacobi's method: sweeps over all pairs until what is off the diagonal no
 * longer counts beside it. */
static void solve_small(double *a, double *vectors, int32_t n) {
    for (int32_t i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double off = 0, all = 0;
        for (int32_t i = 0; i < n * n; i++) {
            all += a[i] * a[i];
            if (i % (n + 1) != 0) off += a[i] * a[i];
        }
        if (!(off > 1e-34 * all)) return;
        for (int32_t p = 0; p < n; p++)
            for (int32_t q = p + 1; q < n; q++)
                if (a[p * n + q] != 0) rotate(a, vectors, n, p, q);
    }
}

/* Multiplies a basis [dims, width] by `turn` [width, width], in place. Column order[k] of `turn`
 * makes vector k of the result. */
static void turn_basis(subspace *self, double *basis, const double *turn, const int32_t *order) {
    const int32_t width = self->width;
    for (int64_t i = 0; i < self->dims; i++) {
        for (int32_t k = 0; k < width; k++) {
            double sum = 0;
            for (int32_t m = 0; m < width; m++)
                sum += basis[i * width + m] * turn[m * width + order[k]];
            self->row[k] = sum;
        }
        memcpy(basis + i * width, self->row, (size_t)width * sizeof(double));
    }
}

/* The Rayleigh-Ritz step: multiplies basis and product by the eigenvectors of their small matrix,
 * so that the vectors approximate eigenvectors of A, and sets their Ritz values, the largest first.
 */
static void turn_to_eigenvectors(subspace *self) {
    const int32_t width = self->width;
    double small[WIDTH * WIDTH], turn[WIDTH * WIDTH];
    int32_t order[WIDTH];
    for (int32_t p = 0; p < width; p++)
        for (int32_t q = 0; q < width; q++) {
            double sum = 0;
            for (int64_t i = 0; i < self->dims; i++)
                sum += self->basis[i * width + p] * self->product[i * width + q];
            small[p * width + q] = sum;
        }
    for (int32_t p = 0; p < width; p++) /* rounding made it unsymmetric */
        for (int32_t q = p + 1; q < width; q++)
            small[p * width + q] = small[q * width + p] =
                (small[p * width + q] + small[q * width + p]) / 2;
    solve_small(small, turn, width);
    for (int32_t k = 0; k < width; k++) { /* insertion: larger values first */
        int32_t at = k;
        for (; at > 0 && small[order[at - 1] * (width + 1)] < small[k * (width + 1)]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (int32_t k = 0; k < width; k++) self->values[k] = small[order[k] * (width + 1)];
    turn_basis(self, self->basis, turn, order);
    turn_basis(self, self->product, turn, order);
}

/* Whether the first `count` vectors are eigenvectors within the tolerance. */
static bool has_converged(const subspace *self, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        double square = 0;
        for (int64_t i = 0; i < self->dims; i++) {
            const double residual = self->product[i * self->width + k] -
                                    self->values[k] * self->basis[i * self->width + k];
            square += residual * residual;
        }
        if (!(sqrt(square) <= TOLERANCE * self->values[0])) return false;
    }
    return true;
}

/* Iterates until the first `count` vectors of the basis are eigenvectors. */
static alcore_status iterate(alcore_ctx *ctx, subspace *self, int32_t count) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 0);
    for (int32_t k = 0; k < self->width; k++) draw_vector(self, self->basis, k, &rng);
    orthonormalize(self, self->basis, &rng);
    for (int step = 0; step < MAX_STEPS; step++) {
        ALCORE__TRY(alcore__parallel(ctx, "eigenvectors", (self->dims + TASK_ROWS - 1) / TASK_ROWS,
                                     multiply_rows, self));
        turn_to_eigenvectors(self);
        if (has_converged(self, count)) break;
        memcpy(self->basis, self->product,
               (size_t)self->dims * (size_t)self->width * sizeof(double));
        orthonormalize(self, self->basis, &rng);
    }
    return ALCORE_OK;
}

alcore_status alcore__top_eigenvectors(alcore_ctx *ctx, const double *matrix, int64_t dims,
                                       int32_t count, double *values, double *vectors) {
    subspace self = {.matrix = matrix, .dims = dims, .width = dims < WIDTH ? (int32_t)dims : WIDTH};
    const size_t entries = (size_t)dims * (size_t)self.width;
    alcore_status status = alcore__new_array(ctx, entries, sizeof(double), &self.basis);
    if (!status) status = alcore__new_array(ctx, entries, sizeof(double), &self.product);
    if (!status) status = alcore__new_array(ctx, (size_t)self.width, sizeof(double), &self.row);
    if (!status) status = iterate(ctx, &self, count);
    for (int32_t k = 0; k < count && !status; k++) {
        values[k] = fmax(self.values[k], 0);
        for (int64_t i = 0; i < dims; i++) vectors[k * dims + i] = self.basis[i * self.width + k];
    }
    alcore__free(ctx, self.basis);
    alcore__free(ctx, self.product);
    alcore__free(ctx, self.row);
    return status;
}
