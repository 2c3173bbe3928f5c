/* SPDX-License-Identifier: Apache-2.0 */
/* A context whose only file lies in memory, and whose allocator counts, caps and fails on request.
 */
#ifndef MEMORY_HOST_H
#define MEMORY_HOST_H

#include "base/base.h"

typedef struct memory_host {
    alcore_ctx *ctx;
    const void *data; /* what every path opens to */
    size_t bytes;
    int64_t length;    /* what the file says its length is; memory_host_file() sets it to bytes */
    size_t live, peak; /* bytes of the allocator */
    size_t limit;      /* more live bytes than this fail; 0: none */
    int64_t calls;     /* allocations so far */
    int64_t fail_from; /* this call and the later ones fail; -1: none */
    int64_t warnings;  /* log lines */
    char last_log[256];
    char *written; /* by the writer, after its rename the file */
    size_t written_bytes;
} memory_host;

void memory_host_open(memory_host *host);
void memory_host_file(memory_host *host, const void *data, size_t bytes);
/* Live bytes that are left behind must be 0. */
size_t memory_host_close(memory_host *host);

#endif
