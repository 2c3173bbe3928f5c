/* SPDX-License-Identifier: Apache-2.0 */
/* What each file entries_*.c gives to the conformance run (kernel_conformance.c): a list of the
 * entries of the kernel table in its family, each with a function that calls it on a case. */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include <stddef.h>

#include "kernel_case.h"

/* What an entry wrote on one engine; compared with that of the oracle. */
typedef struct output {
    double *numbers;                   /* [count] floating-point outputs */
    int64_t count;                     /* entry.numbers() of the case */
    int64_t integers[CASE_GROUPS + 2]; /* counts, items and bad rows */
    int32_t *indices;                  /* [count] int32 outputs */
    double loss; /* of columns: engines of a device may be off by loss (1 + |v|) more */
} output;

typedef const alcore_sys_kernels table;

/* One entry of the kernel table under test. */
typedef struct entry {
    const char *name;
    size_t offset; /* of its pointer in the table */
    alcore_status (*call)(table *t, const kernel_case *c, output *out); /* runs it on a case */
    int64_t (*numbers)(const kernel_case *c); /* how many floating-point values it writes */
    int32_t column; /* 1: equal within 1e-6 + 1e-5 |v| (spec 1.8 a); 0: equal bytes */
    int32_t pairs;  /* 1: compares each row with many others, so that its large case has fewer rows
                     */
} entry;

#define TABLE_ENTRY(name) #name, offsetof(alcore_sys_kernels, name)

/* First argument of every call: its allocator fills blocks with NaN and counts them. */
extern alcore_sys_work conformance_work;

/* One array per family. */
extern const entry entries_rows[], entries_columns[], entries_nll[], entries_search[],
    entries_distance[], entries_greedy[];
extern const int entries_rows_count, entries_columns_count, entries_nll_count, entries_search_count,
    entries_distance_count, entries_greedy_count;

#endif
