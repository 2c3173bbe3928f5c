/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a column as doubles, for tests that know how many there are. */
#ifndef COLUMN_ROWS_H
#define COLUMN_ROWS_H

#include "alcore/pool_column.h"

/* alcore_pool_get_column_rows() into out, float64 [count, width of the column]. A column that is
 * not there is given to the call all the same, for its status. */
static inline alcore_status test_column_rows(const alcore_pool *pool, const char *name,
                                             const int64_t *rows, int64_t count, double *out) {
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    int64_t shape[2] = {count, 1};
    alcore_tensor tensor;
    if (alcore_pool_get_column_info(pool, name, &info) == ALCORE_OK) shape[1] = info.width;
    alcore_status status = alcore_tensor_init(&tensor, out, ALCORE_FLOAT64, shape, 2);
    if (status != ALCORE_OK) return status;
    return alcore_pool_get_column_rows(pool, name, rows, count, &tensor);
}

#endif
