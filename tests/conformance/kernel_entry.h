/* SPDX-License-Identifier: Apache-2.0 */
/* What a family of kernels gives to the conformance run: its entries, each with one call per case.
 */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include <stddef.h>

#include "kernel_case.h"

/* Output of one engine: doubles first, then integers. */
typedef struct output {
    double *numbers;
    int64_t count;
    int64_t integers[CASE_GROUPS + 2];
    int32_t *indices; /* as many as numbers */
} output;

typedef const alcore_sys_kernels table;

typedef struct entry {
    const char *name;
    size_t offset; /* of the pointer in the table */
    alcore_status (*call)(table *t, const kernel_case *c, output *out);
    int64_t (*numbers)(const kernel_case *c);
    int32_t column; /* 1: equal within 1e-6 + 1e-5 |v| (spec 1.8 a); 0: equal bytes */
} entry;

#define TABLE_ENTRY(name) #name, offsetof(alcore_sys_kernels, name)

/* What the calls work with: an allocator that fills blocks with NaN and counts them. */
extern alcore_sys_work conformance_work;

/* One array per family. */
extern const entry entries_rows[], entries_columns[], entries_nll[], entries_search[],
    entries_distance[], entries_greedy[];
extern const int entries_rows_count, entries_columns_count, entries_nll_count, entries_search_count,
    entries_distance_count, entries_greedy_count;

#endif
