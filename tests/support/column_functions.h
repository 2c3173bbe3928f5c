/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts' models of tests whose columns are made by one function each:
 *
 *     TEST_COLUMN_FUNCTIONS({"embeddings", embed}, {"logprobs", logprobs});
 *
 * defines test_can() and test_compute(), for alcore_model_host.can and .compute. */
#ifndef COLUMN_FUNCTIONS_H
#define COLUMN_FUNCTIONS_H

#include <string.h>

#include "alcore/model.h"

/* Makes one column of a batch. */
typedef alcore_status (*test_column_function)(void *user, const alcore_batch *batch,
                                              alcore_column_writer *out);

typedef struct test_column_entry {
    const char *column;
    test_column_function function;
} test_column_entry;

/* The entry of a column among entries [count]; NULL: there is none. */
static inline const test_column_entry *test_find_entry(const test_column_entry *entries,
                                                       size_t count, const char *column) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].column, column) == 0) return &entries[i];
    return NULL;
}

#define TEST_COLUMN_FUNCTIONS(...)                                                                 \
    static const test_column_entry test_entries[] = {__VA_ARGS__};                                 \
    static inline int32_t test_can(void *user, const char *column) {                               \
        (void)user;                                                                                \
        return test_find_entry(test_entries, sizeof test_entries / sizeof *test_entries,           \
                               column) != NULL;                                                    \
    }                                                                                              \
    static inline alcore_status test_compute(void *user, const alcore_batch *batch,                \
                                             const char *const *columns,                           \
                                             alcore_column_writer *const *outs, int64_t count) {   \
        for (int64_t c = 0; c < count; c++) {                                                      \
            const test_column_entry *entry = test_find_entry(                                      \
                test_entries, sizeof test_entries / sizeof *test_entries, columns[c]);             \
            const alcore_status status = entry->function(user, batch, outs[c]);                    \
            if (status != ALCORE_OK) return status;                                                \
        }                                                                                          \
        return ALCORE_OK;                                                                          \
    }                                                                                              \
    _Static_assert(sizeof test_entries > 0, "there are columns")

#endif
