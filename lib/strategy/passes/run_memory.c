/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that belongs to a run (run_memory.h): a list of what is released at its end, and a stack
 * of arrays that live as long as a function. Slots are listed, not arrays, so that one that is made
 * again, grows, or goes to the record needs no word here. */
#include "strategy/passes/runner.h"

/* Frees the array of a slot. */
static void free_slot(const alcore__run *run, void *slot) {
    alcore__free(run->ctx, *(void **)slot);
    *(void **)slot = NULL;
}

/* A strategy lists a few dozen objects, so that a walk finds one that is listed already. */
alcore_status alcore__run_defer(const alcore__run *run, alcore__run_release *release,
                                void *object) {
    alcore__runner *runner = run->runner;
    for (size_t i = 0; i < runner->owned_count; i++)
        if (runner->owned[i].object == object && runner->owned[i].release == release)
            return ALCORE_OK;
    ALCORE__TRY(alcore__grow(run->ctx, &runner->owned, &runner->owned_capacity,
                             runner->owned_count + 1, sizeof *runner->owned));
    runner->owned[runner->owned_count++] = (alcore__owned){release, object};
    return ALCORE_OK;
}

alcore_status alcore__run_make(const alcore__run *run, int64_t count, size_t entry_bytes,
                               void *slot) {
    ALCORE__TRY(alcore__run_defer(run, free_slot, slot));
    free_slot(run, slot);
    return alcore__new_array(run->ctx, (size_t)count, entry_bytes, slot);
}

alcore_status alcore__run_sums(const alcore__run *run, int64_t count, alcore__doubles *sums) {
    sums->count = count;
    return ALCORE__RUN_ARRAY(run, count, &sums->values);
}

alcore_status alcore__run_grow(const alcore__run *run, void *slot, size_t *capacity, int64_t count,
                               size_t entry_bytes) {
    if (*capacity == 0) ALCORE__TRY(alcore__run_defer(run, free_slot, slot));
    return alcore__grow(run->ctx, slot, capacity, (size_t)count, entry_bytes);
}

alcore_status alcore__run_push(const alcore__run *run, int64_t count, size_t entry_bytes,
                               void *out) {
    alcore__runner *runner = run->runner;
    ALCORE__TRY(alcore__grow(run->ctx, &runner->temporary, &runner->temporary_capacity,
                             runner->temporary_count + 1, sizeof *runner->temporary));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, entry_bytes, out));
    runner->temporary[runner->temporary_count++] = *(void **)out;
    return ALCORE_OK;
}

size_t alcore__run_height(const alcore__run *run) {
    return run->runner->temporary_count;
}

void alcore__run_drop(const alcore__run *run, size_t height) {
    alcore__runner *runner = run->runner;
    while (runner->temporary_count > height)
        alcore__free(run->ctx, runner->temporary[--runner->temporary_count]);
}

void alcore__run_memory_clear(const alcore__run *run) {
    alcore__runner *runner = run->runner;
    alcore__run_drop(run, 0 /* all */);
    while (runner->owned_count > 0) {
        const alcore__owned *last = &runner->owned[--runner->owned_count];
        last->release(run, last->object);
    }
    alcore__free(run->ctx, runner->temporary);
    alcore__free(run->ctx, runner->owned);
}
