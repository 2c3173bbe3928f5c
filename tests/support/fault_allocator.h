/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts the blocks that are not freed yet and fails on request, for tests of
 * failing allocation. Thread-safe. */
#ifndef FAULT_ALLOCATOR_H
#define FAULT_ALLOCATOR_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/context.h"

typedef struct fault_allocator {
    atomic_llong live_bytes;  /* bytes allocated and not freed */
    atomic_llong live_blocks; /* blocks allocated and not freed */
    atomic_llong calls;       /* allocations and reallocations so far */
    atomic_llong fail_at;     /* the call that fails, from 1; 0: none */
    atomic_int fail_from_on;  /* every later call fails too */
    atomic_llong failures;    /* calls that failed */
} fault_allocator;

/* Counts a call; whether it is to fail. */
static inline int fault_now(fault_allocator *fault) {
    long long call = atomic_fetch_add(&fault->calls, 1) + 1;
    long long fail_at = atomic_load(&fault->fail_at);
    int fails =
        fail_at > 0 && (call == fail_at || (call > fail_at && atomic_load(&fault->fail_from_on)));
    if (fails) atomic_fetch_add(&fault->failures, 1);
    return fails;
}

static inline void *fault_allocate(void *user, size_t bytes) {
    fault_allocator *fault = user;
    if (bytes == 0) abort(); /* as the header says, here and below */
    void *memory = fault_now(fault) ? NULL : malloc(bytes);
    if (!memory) return NULL;
    memset(memory, 0xA5, bytes); /* code that counts on zeroed memory is found out */
    atomic_fetch_add(&fault->live_bytes, (long long)bytes);
    atomic_fetch_add(&fault->live_blocks, 1);
    return memory;
}

static inline void *fault_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    fault_allocator *fault = user;
    if (!memory || new_bytes == 0) abort();
    void *moved = fault_now(fault) ? NULL : realloc(memory, new_bytes);
    if (!moved) return NULL;
    atomic_fetch_add(&fault->live_bytes, (long long)new_bytes - (long long)old_bytes);
    return moved;
}

static inline void fault_release(void *user, void *memory, size_t bytes) {
    fault_allocator *fault = user;
    if (!memory) abort();
    atomic_fetch_sub(&fault->live_bytes, (long long)bytes);
    atomic_fetch_sub(&fault->live_blocks, 1);
    free(memory);
}

/* The allocator for alcore_ctx_options. */
static inline alcore_allocator fault_table(fault_allocator *fault) {
    alcore_allocator table = ALCORE_ALLOCATOR_INIT;
    table.user = fault;
    table.allocate = fault_allocate;
    table.reallocate = fault_reallocate;
    table.release = fault_release;
    return table;
}

/* A new context that allocates by it, owned by the caller; threads 0: as many as there are. */
static inline alcore_ctx *fault_context(fault_allocator *fault, int32_t threads) {
    const alcore_allocator table = fault_table(fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *made;
    options.allocator = &table;
    options.threads = threads;
    if (alcore_ctx_new(&options, &made) != ALCORE_OK) abort();
    return made;
}

/* Makes call number `call` from now on fail (1 is the next), and with from_on every call after it
 * too; 0 stops failing. */
static inline void fault_arm(fault_allocator *fault, long long call, int from_on) {
    atomic_store(&fault->failures, 0);
    atomic_store(&fault->fail_from_on, from_on);
    atomic_store(&fault->fail_at, call > 0 ? atomic_load(&fault->calls) + call : 0);
}

#endif
