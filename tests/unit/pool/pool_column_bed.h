/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of five rows, for tests of its columns. */
#ifndef POOL_COLUMN_BED_H
#define POOL_COLUMN_BED_H

#include "pool_test.h"

static alcore_ctx *ctx;
static alcore_pool *pool;
static const int64_t all_rows[] = {0, 1, 2, 3, 4};

static inline void bed_setup(void) {
    ctx = test_ctx();
    pool = test_pool_of(ctx, 5);
}

static inline void bed_teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static inline alcore_tensor tensor_of(void *data, int32_t dtype, int32_t ndim, int64_t *shape) {
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, data, dtype, shape, ndim));
    return tensor;
}

#endif
