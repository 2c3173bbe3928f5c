/* SPDX-License-Identifier: Apache-2.0 */
/* Products of many rows with many columns in float32, for filters and logits: packing of vectors
 * into panels, and the tile of one panel by another, PRODUCT_ROWS x PRODUCT_COLUMNS sums, which
 * stay in registers (cpu_product.h has layout and error bound). Cost: one multiply-add per row,
 * column and component. */
#include "engines/cpu/cpu_product.h"

#include <string.h>

#include "engines/cpu/cpu_floats.h"
#include "engines/cpu/cpu_rows.h"

typedef float four_floats __attribute__((vector_size(16)));
#if !defined(__clang__) && __GNUC__ < 12
typedef int32_t four_indices __attribute__((vector_size(16)));
#endif

/* Vectors of the larger kind of panel. */
#define MAX_PANEL_ROWS (PRODUCT_COLUMNS > PRODUCT_ROWS ? PRODUCT_COLUMNS : PRODUCT_ROWS)

/* One chain of `dims` components of one panel of rows by one of columns: adds the sums to the tile
 * products [PRODUCT_ROWS, stride], or overwrites it when add is 0 (first chain). Not inlined, so
 * that the sums have all vector registers. */
static __attribute__((noinline)) void add_chain(const float *rows, const float *columns,
                                                int64_t dims, int add, float *products,
                                                int64_t stride) {
    cpu_floats sum[PRODUCT_ROWS][PRODUCT_VECTORS] = {{{0}}};
    for (int64_t j = 0; j < dims; j++) {
        cpu_floats c[PRODUCT_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++) {
            c[v] = cpu_load_floats(columns + j * PRODUCT_COLUMNS + v * CPU_FLOATS);
        }
#pragma GCC unroll 16
        for (int r = 0; r < PRODUCT_ROWS; r++) {
#pragma GCC unroll 4
            for (int v = 0; v < PRODUCT_VECTORS; v++) {
                cpu_floats x = cpu_all_floats(rows[j * PRODUCT_ROWS + r]);
                sum[r][v] = cpu_add_product(x, c[v], sum[r][v]);
            }
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < PRODUCT_ROWS; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < PRODUCT_VECTORS; v++) {
            float *out = products + r * stride + v * CPU_FLOATS;
            if (add) sum[r][v] += cpu_load_floats(out);
            cpu_store_floats(out, sum[r][v]);
        }
    }
}

/* stride: floats from a row of products to the next, at least column_panels x PRODUCT_COLUMNS. The
 * sum runs in chains of PRODUCT_CHAIN = 128 components, whose sums are then added, so that its
 * error grows with the length of a chain and their number and not with the length of a row. Without
 * components the products are 0. */
void CPU(products)(const float *rows, int64_t row_panels, const float *columns,
                   int64_t column_panels, int64_t dims, float *products, int64_t stride) {
    for (int64_t c = 0; c < column_panels; c++) {
        for (int64_t r = 0; r < row_panels; r++) {
            const float *row = rows + r * PRODUCT_ROWS * dims;
            const float *column = columns + c * PRODUCT_COLUMNS * dims;
            float *tile = products + r * PRODUCT_ROWS * stride + c * PRODUCT_COLUMNS;
            int64_t j = 0;
            do {
                int64_t length = dims - j < PRODUCT_CHAIN ? dims - j : PRODUCT_CHAIN;
                add_chain(row + j * PRODUCT_ROWS, column + j * PRODUCT_COLUMNS, length, j > 0, tile,
                          stride);
                j += length;
            } while (j < dims);
        }
    }
}

/* Components of each row that are transposed at a time: a cache line of floats. */
#define STAGED 16

/* Picks four of the eight lanes of two vectors. Compilers do not find the shuffle in a plain loop.
 */
#if defined(__clang__) || __GNUC__ >= 12
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (four_indices){i, j, k, l})
#endif

/* Four float32 values at an address of any alignment. */
CPU_INLINE four_floats load_four(const char *values) {
    four_floats v;
    memcpy(&v, values, sizeof v);
    return v;
}

/* Transposes 4 x 4: out[i * width + r] = component j + i of row[r], for i and r in 0 .. 3; rows of
 * float32. First pairs of rows are interleaved (ab, cd: components 0 and 1; AB, CD: 2 and 3), then
 * pairs of those. */
CPU_INLINE void transpose_four(const char *const *row, int j, int64_t width, float *out) {
    four_floats a = load_four(row[0] + j * 4), b = load_four(row[1] + j * 4);
    four_floats c = load_four(row[2] + j * 4), d = load_four(row[3] + j * 4);
    four_floats ab = PICK(a, b, 0, 4, 1, 5), cd = PICK(c, d, 0, 4, 1, 5);
    four_floats AB = PICK(a, b, 2, 6, 3, 7), CD = PICK(c, d, 2, 6, 3, 7);
    a = PICK(ab, cd, 0, 1, 4, 5);
    b = PICK(ab, cd, 2, 3, 6, 7);
    c = PICK(AB, CD, 0, 1, 4, 5);
    d = PICK(AB, CD, 2, 3, 6, 7);
    memcpy(out, &a, sizeof a);
    memcpy(out + width, &b, sizeof b);
    memcpy(out + 2 * width, &c, sizeof c);
    memcpy(out + 3 * width, &d, sizeof d);
}

/* STAGED components of every row at a time are converted (staged) and transposed while they are in
 * the cache; float32 rows are not copied. staged holds zeros for the rows from count on, which
 * nothing overwrites. */
void CPU(pack_panel)(const char *const *row, int64_t count, int64_t width, int64_t dims,
                     int32_t dtype, float *panel) {
    float staged[MAX_PANEL_ROWS][STAGED] = {{0}};
    const char *source[MAX_PANEL_ROWS]; /* the present components of each row: in place or staged */
    int64_t bytes = (int64_t)alcore_sys_dtype_bytes(dtype);
    for (int64_t r = 0; r < width; r++) source[r] = (const char *)staged[r];
    for (int64_t begin = 0; begin < dims; begin += STAGED) {
        int64_t length = dims - begin < STAGED ? dims - begin : STAGED;
        int direct = dtype == ALCORE_FLOAT32 && length == STAGED;
        for (int64_t r = 0; r < count; r++) {
            source[r] = row[r] + begin * bytes;
            if (direct) continue;
            CPU(float_row)(source[r], length, dtype, staged[r]);
            source[r] = (const char *)staged[r];
        }
        float *out = panel + begin * width;
        int64_t r = 0;
        for (; length == STAGED && r + 4 <= width; r += 4) {
            for (int j = 0; j < STAGED; j += 4)
                transpose_four(source + r, j, width, out + j * width + r);
        }
        for (; r < width; r++) {
            for (int64_t j = 0; j < length; j++) {
                memcpy(&out[j * width + r], source[r] + j * 4, sizeof *out);
            }
        }
    }
}
