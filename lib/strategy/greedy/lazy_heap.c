/* SPDX-License-Identifier: Apache-2.0 */
/* The heap that lazy_heap.h describes. */
#include "strategy/greedy/lazy_heap.h"

#include "strategy/budget/rank.h"

/* Children of an entry of the heap, which are adjacent in memory: with four of them half as many
 * lines of it are read as with two. */
enum { CHILDREN = 4 };

/* Whether entry a is chosen before b. */
static bool is_before(const alcore__lazy_heap *heap, alcore__heap_entry a, alcore__heap_entry b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    return heap->place ? heap->place[a.position] < heap->place[b.position]
                       : a.position < b.position;
}

/* Moves the entry at a place of the heap down to where it belongs. */
static void sift_down(alcore__lazy_heap *heap, int64_t at) {
    alcore__heap_entry *entries = heap->entries;
    const alcore__heap_entry entry = entries[at];
    for (;;) {
        const int64_t first = CHILDREN * at + 1, left = heap->count - first;
        int64_t child = first;
        if (left <= 0) break;
        for (int64_t c = 1; c < CHILDREN && c < left; c++)
            if (is_before(heap, entries[first + c], entries[child])) child = first + c;
        if (!is_before(heap, entries[child], entry)) break;
        entries[at] = entries[child];
        at = child;
    }
    entries[at] = entry;
}

/* Where each candidate stands among those of equal gain, with tie=random. */
static alcore_status draw_places(const alcore__run *run, alcore__lazy_heap *heap) {
    const int64_t count = run->outcome.count;
    double *equal;
    int64_t *order;
    if (run->input->fill.tie != ALCORE__TIE_RANDOM) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &heap->place));
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &equal));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &order));
    ALCORE__TRY(alcore__rank(run->ctx, equal, run->outcome.rows, count, ALCORE__TIE_RANDOM,
                             run->input->seed, count, order));
    for (int64_t i = 0; i < count; i++) heap->place[order[i]] = i;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

alcore_status alcore__lazy_heap_fill(const alcore__run *run, alcore__lazy_heap *heap,
                                     const double *gains) {
    const int64_t count = run->outcome.count;
    ALCORE__TRY(draw_places(run, heap));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &heap->entries));
    for (int64_t i = 0; i < count; i++)
        heap->entries[i] = (alcore__heap_entry){.gain = gains[i], .position = i};
    heap->count = count;
    alcore__lazy_heap_order(heap);
    return ALCORE_OK;
}

void alcore__lazy_heap_order(alcore__lazy_heap *heap) {
    const int64_t count = heap->count;
    for (int64_t i = count > 0 ? count / CHILDREN : -1; i >= 0; i--) sift_down(heap, i);
}

void alcore__lazy_heap_lower(alcore__lazy_heap *heap, double gain) {
    heap->entries[0].gain = gain;
    sift_down(heap, 0);
}

void alcore__lazy_heap_drop(alcore__lazy_heap *heap) {
    heap->entries[0] = heap->entries[--heap->count];
    if (heap->count > 0) sift_down(heap, 0);
}

/* The entry goes up from the end. */
void alcore__lazy_heap_push(alcore__lazy_heap *heap, alcore__heap_entry entry) {
    int64_t at = heap->count++;
    while (at > 0 && is_before(heap, entry, heap->entries[(at - 1) / CHILDREN])) {
        heap->entries[at] = heap->entries[(at - 1) / CHILDREN];
        at = (at - 1) / CHILDREN;
    }
    heap->entries[at] = entry;
}
