/* SPDX-License-Identifier: Apache-2.0 */
/* Merge sort of elements of any size, for arrays that grow with the caller's data, and lists of
 * ascending numbers.
 *
 * Own code and not qsort(): that of glibc allocates outside the context's allocator, and no qsort()
 * can be cancelled, but sorting a million elements takes longer than the 100 ms in which a call has
 * to end after a cancellation. */
#include <string.h>

#include "base/base.h"

/* Elements that are sorted by insertion before the first merge. */
enum { RUN = 16 };
/* Merged elements between two polls of cancellation: about a millisecond. */
enum { POLL_ELEMENTS = 1 << 14 };

/* What all steps of one sort share. */
typedef struct sorting {
    alcore_ctx *ctx;
    size_t bytes; /* of an element */
    int (*compare)(const void *, const void *);
    size_t until_poll; /* elements that may still be moved before the next poll */
} sorting;

/* Sorts elements [count], RUN at most. spare: memory for one element. */
static void sort_run(const sorting *self, char *elements, size_t count, char *spare) {
    const size_t bytes = self->bytes;
    for (size_t i = 1; i < count; i++) {
        size_t position = i;
        while (position > 0 &&
               self->compare(elements + (position - 1) * bytes, elements + i * bytes) > 0)
            position--;
        if (position == i) continue;
        memcpy(spare, elements + i * bytes, bytes);
        memmove(elements + (position + 1) * bytes, elements + position * bytes,
                (i - position) * bytes);
        memcpy(elements + position * bytes, spare, bytes);
    }
}

/* Copies elements [bytes / self->bytes] to memory that does not overlap. */
static alcore_status copy(const sorting *self, char *to, const char *from, size_t bytes) {
    const size_t most = POLL_ELEMENTS * self->bytes;
    while (bytes > most) {
        memcpy(to, from, most);
        to += most;
        from += most;
        bytes -= most;
        ALCORE__TRY(alcore__tick(self->ctx, NULL, 0, 0));
    }
    memcpy(to, from, bytes);
    return ALCORE_OK;
}

/* Merges the sorted runs [left, middle) and [middle, end), which are neighbors in memory, to `out`;
 * of equal elements those of the left run come first. When one run is used up, the rest of the
 * other is copied (of the two copies one has no bytes). */
static alcore_status merge(sorting *self, const char *left, const char *middle, const char *end,
                           char *out) {
    const size_t bytes = self->bytes;
    const char *right = middle;
    while (left < middle && right < end) {
        const char **from = self->compare(left, right) > 0 ? &right : &left;
        memcpy(out, *from, bytes);
        *from += bytes;
        out += bytes;
        if (--self->until_poll > 0) continue;
        self->until_poll = POLL_ELEMENTS;
        ALCORE__TRY(alcore__tick(self->ctx, NULL, 0, 0));
    }
    ALCORE__TRY(copy(self, out, left, (size_t)(middle - left)));
    return copy(self, out + (middle - left), right, (size_t)(end - right));
}

/* Merges neighboring runs of `run` elements each of from [count] to `to`. */
static alcore_status merge_runs(sorting *self, const char *from, char *to, size_t count,
                                size_t run) {
    for (size_t first = 0; first < count; first += 2 * run) {
        const size_t middle = count - first < run ? count : first + run;
        const size_t end = count - middle < run ? count : middle + run;
        ALCORE__TRY(merge(self, from + first * self->bytes, from + middle * self->bytes,
                          from + end * self->bytes, to + first * self->bytes));
    }
    return ALCORE_OK;
}

/* Sorts runs of RUN elements in place, then merges pairs of runs to and fro between the array and
 * `spare` [count], until one run is left; the result is copied where it ended in spare. */
alcore_status alcore__sort(alcore_ctx *ctx, void *array, size_t count, size_t bytes,
                           int (*compare)(const void *, const void *)) {
    sorting self = {.ctx = ctx, .bytes = bytes, .compare = compare, .until_poll = POLL_ELEMENTS};
    if (count < 2) return ALCORE_OK;
    char *spare, *from = array;
    ALCORE__TRY(alcore__new_array(ctx, count, bytes, &spare));
    alcore_status status = ALCORE_OK;
    for (size_t first = 0; first < count && status == ALCORE_OK; first += RUN) {
        const size_t left = count - first;
        sort_run(&self, from + first * bytes, left < RUN ? left : RUN, spare);
        if (first % POLL_ELEMENTS == 0) status = alcore__tick(ctx, NULL, 0, 0);
    }
    char *to = spare;
    for (size_t run = RUN; run < count && status == ALCORE_OK; run *= 2) {
        status = merge_runs(&self, from, to, count, run);
        char *merged = to;
        to = from;
        from = merged;
    }
    if (status == ALCORE_OK && from != array) status = copy(&self, array, from, count * bytes);
    alcore__free(ctx, spare);
    return status;
}

int alcore__ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t alcore__first_from(const int64_t *numbers, int64_t count, int64_t number) {
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
