/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of the process of a sweep, in memory where that can be, as every file is brought to the
 * disk; it goes when the process ends. */
#ifndef SWEEP_BED_H
#define SWEEP_BED_H

#include <stdio.h>
#include <stdlib.h>

#include "test_folder.h"

static char bed[TEST_PATH_BYTES];

/* A path in the folder; valid until the next call but two. */
static inline const char *in_bed(const char *name) {
    static char path[3][TEST_PATH_BYTES + 300];
    static int next;
    next = (next + 1) % 3;
    snprintf(path[next], sizeof path[next], "%s/%s", bed, name);
    return path[next];
}

static inline void remove_bed(void) {
    test_folder_remove(bed);
}

static inline void make_bed(const char *name) {
    snprintf(bed, sizeof bed, "/dev/shm/alcore-%s-XXXXXX", name);
    if (!mkdtemp(bed)) test_folder_make(bed, name);
    atexit(remove_bed);
}

static inline void put(const char *name, const char *text) {
    FILE *file = fopen(in_bed(name), "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

#endif
