/* SPDX-License-Identifier: Apache-2.0 */
/* Least-significant-digit radix sort with digits of 8 bits; short arrays are sorted by insertion.
 *
 * Digits in which all keys agree are passed over: keys of one bucket of a suffix sort share their
 * first word, and many of its bits. One pass reads and writes 16 bytes a record.
 *
 * Own code and no library: qsort() allocates outside the context's allocator, is not stable and
 * cannot be cancelled. */
#include "text/radix_sort.h"

#include <string.h>

/* Up to here insertion moves fewer bytes than one pass clears counters. */
enum { INSERTION_MAX = 40 };
/* Records between two polls of cancellation: well below a millisecond. */
enum { POLL_RECORDS = 1 << 16 };

/* Stable, as the radix sort is; moves records one by one. */
static void insertion_sort(alcore__keyed *records, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const alcore__keyed moved = records[i];
        size_t j = i;
        for (; j > 0 && records[j - 1].key > moved.key; j--) records[j] = records[j - 1];
        records[j] = moved;
    }
}

/* One pass: copies records [count] to sorted [count] by the digit of 8 bits at bit `shift`, keeping
 * the order of records of equal digits. Counts first, then copies; polls cancellation in both
 * loops. */
static alcore_status scatter(alcore_ctx *ctx, const alcore__keyed *records, alcore__keyed *sorted,
                             size_t count, int shift) {
    size_t next[256] = {
        0}; /* first the number of records of a digit, then where its next one goes */
    for (size_t begin = 0; begin < count; begin += POLL_RECORDS) {
        const size_t end = count - begin < POLL_RECORDS ? count : begin + POLL_RECORDS;
        if (count > POLL_RECORDS) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        for (size_t i = begin; i < end; i++) next[(records[i].key >> shift) & 255]++;
    }
    size_t sum = 0;
    for (int digit = 0; digit < 256; digit++) {
        const size_t here = next[digit];
        next[digit] = sum;
        sum += here;
    }
    for (size_t begin = 0; begin < count; begin += POLL_RECORDS) {
        const size_t end = count - begin < POLL_RECORDS ? count : begin + POLL_RECORDS;
        if (count > POLL_RECORDS) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        for (size_t i = begin; i < end; i++)
            sorted[next[(records[i].key >> shift) & 255]++] = records[i];
    }
    return ALCORE_OK;
}

/* Sorts records [count] by key, stably: one pass for each 8 bits in which keys differ, back and
 * forth between records and spare; the result is copied back if it ended in spare. */
alcore_status alcore__radix_sort(alcore_ctx *ctx, alcore__keyed *records, alcore__keyed *spare,
                                 size_t count) {
    if (count <= INSERTION_MAX) {
        insertion_sort(records, count);
        return ALCORE_OK;
    }
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++) differing |= records[i].key ^ records[0].key;
    alcore__keyed *input = records, *output = spare;
    for (int shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 255) == 0) continue;
        ALCORE__TRY(scatter(ctx, input, output, count, shift));
        alcore__keyed *swapped = input;
        input = output;
        output = swapped;
    }
    if (input != records) memcpy(records, input, count * sizeof *records);
    return ALCORE_OK;
}
