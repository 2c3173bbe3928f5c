/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/cpu_product.h"

#include <string.h>

#include "cpu/cpu_floats.h"
#include "cpu/cpu_rows.h"

typedef float four_floats __attribute__((vector_size(16)));

/* One chain of a tile: set, or added to what is there. */
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
            float *to = products + r * stride + v * CPU_FLOATS;
            if (add) sum[r][v] += cpu_load_floats(to);
            cpu_store_floats(to, sum[r][v]);
        }
    }
}

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

/* Numbers of each row that are turned at a time: a cache line. */
#define STAGED 16

/* to[j * width + 0..3] = staged[0..3][j] for four j. */
CPU_INLINE void turn_four(const float (*staged)[STAGED], int j, int64_t width, float *to) {
    four_floats a, b, c, d;
    memcpy(&a, staged[0] + j, sizeof a);
    memcpy(&b, staged[1] + j, sizeof b);
    memcpy(&c, staged[2] + j, sizeof c);
    memcpy(&d, staged[3] + j, sizeof d);
    four_floats ab = {a[0], b[0], a[1], b[1]}, cd = {c[0], d[0], c[1], d[1]};
    four_floats AB = {a[2], b[2], a[3], b[3]}, CD = {c[2], d[2], c[3], d[3]};
    a = (four_floats){ab[0], ab[1], cd[0], cd[1]};
    b = (four_floats){ab[2], ab[3], cd[2], cd[3]};
    c = (four_floats){AB[0], AB[1], CD[0], CD[1]};
    d = (four_floats){AB[2], AB[3], CD[2], CD[3]};
    memcpy(to, &a, sizeof a);
    memcpy(to + width, &b, sizeof b);
    memcpy(to + 2 * width, &c, sizeof c);
    memcpy(to + 3 * width, &d, sizeof d);
}

void CPU(pack_panel)(const char *const *row, int64_t count, int64_t width, int64_t dims,
                     int32_t dtype, float *panel) {
    float staged[PRODUCT_COLUMNS > PRODUCT_ROWS ? PRODUCT_COLUMNS : PRODUCT_ROWS][STAGED] = {{0}};
    int64_t bytes = (int64_t)cpu_bytes(dtype);
    for (int64_t begin = 0; begin < dims; begin += STAGED) {
        int64_t length = dims - begin < STAGED ? dims - begin : STAGED;
        for (int64_t r = 0; r < count; r++) {
            CPU(float_row)(row[r] + begin * bytes, length, dtype, staged[r]);
        }
        float *to = panel + begin * width;
        int64_t r = 0;
        for (; length == STAGED && r + 4 <= width; r += 4) {
            for (int j = 0; j < STAGED; j += 4) turn_four(staged + r, j, width, to + j * width + r);
        }
        for (; r < width; r++) {
            for (int64_t j = 0; j < length; j++) to[j * width + r] = staged[r][j];
        }
    }
}
