/* SPDX-License-Identifier: Apache-2.0 */
/* A context whose files lie in memory, and whose allocator counts, caps and fails on request. */
#ifndef MEMORY_HOST_H
#define MEMORY_HOST_H

#include "base/base.h"

/* A file with a name. */
typedef struct memory_file {
    const char *name; /* the last part of its path */
    const void *data; /* [bytes] */
    size_t bytes;
} memory_file;

typedef struct memory_host {
    alcore_ctx *ctx;
    const void *data; /* [bytes] what every path opens to, unless there are files with names */
    size_t bytes;
    int64_t length; /* what the file says its length is; memory_host_file() sets it to bytes */
    const memory_file
        *files; /* [file_count] where it is not NULL, these are all files that exist */
    size_t file_count;
    size_t live, peak; /* bytes of the allocator */
    size_t limit;      /* more live bytes than this fail; 0: none */
    int64_t calls;     /* allocations so far */
    int64_t fail_from; /* this call and the later ones fail; -1: none */
    int64_t warnings;  /* log lines */
    char last_log[256];
    char *written; /* by the writer, after its rename the file */
    size_t written_bytes;
} memory_host;

/* Inputs that the parser of a fuzz target accepted. replay.c refuses a corpus of which it accepts
 * nothing: mutations would test no more than the refusal. */
extern int64_t fuzz_accepted;

void memory_host_open(memory_host *host);
/* Makes every path open to data [bytes], borrowed. */
void memory_host_file(memory_host *host, const void *data, size_t bytes);
/* Makes files [count], borrowed, the only ones that exist, in every folder. They are read only. */
void memory_host_files(memory_host *host, const memory_file *files, size_t count);
/* Live bytes that are left behind must be 0. */
size_t memory_host_close(memory_host *host);

#endif
