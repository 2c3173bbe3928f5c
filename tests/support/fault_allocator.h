/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts what lives and fails on request (reliability goal R1). Thread-safe. */
#ifndef FAULT_ALLOCATOR_H
#define FAULT_ALLOCATOR_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/context.h"

typedef struct fault_allocator {
    atomic_llong live_bytes;  /* asked for and not given back */
    atomic_llong live_blocks; /* the same in blocks */
    atomic_llong calls;       /* allocations and reallocations so far */
    atomic_llong fail_at;     /* the call that fails, from 1; 0: none */
    atomic_int fail_from_on;  /* every later call fails too */
    atomic_llong failures;    /* calls that failed */
} fault_allocator;

static inline int fault_now(fault_allocator *fault) {
    long long call = atomic_fetch_add(&fault->calls, 1) + 1, at = atomic_load(&fault->fail_at);
    int fails = at > 0 && (call == at || (call > at && atomic_load(&fault->fail_from_on)));
    if (fails) atomic_fetch_add(&fault->failures, 1);
    return fails;
}

static inline void *fault_allocate(void *user, size_t bytes) {
    fault_allocator *fault = user;
    void *memory = fault_now(fault) ? NULL : malloc(bytes);
    if (!memory) return NULL;
    memset(memory, 0xA5, bytes); /* nobody may count on zeroes */
    atomic_fetch_add(&fault->live_bytes, (long long)bytes);
    atomic_fetch_add(&fault->live_blocks, 1);
    return memory;
}

static inline void *fault_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    fault_allocator *fault = user;
    void *moved = fault_now(fault) ? NULL : realloc(memory, new_bytes);
    if (!moved) return NULL;
    atomic_fetch_add(&fault->live_bytes, (long long)new_bytes - (long long)old_bytes);
    return moved;
}

static inline void fault_release(void *user, void *memory, size_t bytes) {
    fault_allocator *fault = user;
    atomic_fetch_sub(&fault->live_bytes, (long long)bytes);
    atomic_fetch_sub(&fault->live_blocks, 1);
    free(memory);
}

static inline alcore_allocator fault_table(fault_allocator *fault) {
    alcore_allocator table = ALCORE_ALLOCATOR_INIT;
    table.user = fault;
    table.allocate = fault_allocate;
    table.reallocate = fault_reallocate;
    table.release = fault_release;
    return table;
}

/* Fails call number `at` from now on (1 is the next); 0 stops failing. */
static inline void fault_arm(fault_allocator *fault, long long at, int from_on) {
    atomic_store(&fault->failures, 0);
    atomic_store(&fault->fail_from_on, from_on);
    atomic_store(&fault->fail_at, at > 0 ? atomic_load(&fault->calls) + at : 0);
}

#endif
