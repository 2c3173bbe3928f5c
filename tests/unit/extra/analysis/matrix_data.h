/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and matrices for tests of analyses. */
#ifndef MATRIX_DATA_H
#define MATRIX_DATA_H

#include "alcore/extra.h"
#include "check_suite.h"

static inline alcore_ctx *new_ctx(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = threads;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

/* A matrix float64 [rows, columns] over memory of the caller. */
typedef struct matrix {
    int64_t shape[2];
    alcore_tensor tensor;
    alcore_search_data data;
} matrix;

static inline const alcore_search_data *matrix_of(matrix *m, const double *values, int64_t rows,
                                                  int64_t columns) {
    m->shape[0] = rows;
    m->shape[1] = columns;
    ck_assert_int_eq(
        alcore_tensor_init(&m->tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, m->shape, 2),
        ALCORE_OK);
    m->data = (alcore_search_data)ALCORE_SEARCH_DATA_INIT;
    m->data.matrix = &m->tensor;
    return &m->data;
}

#endif
