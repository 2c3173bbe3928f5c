/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a phrase table: occ falling, length falling, first occurrence rising.
 *
 * Radix sort by two keys that rise along this order, the last one first:
 *
 *   first      position of the first occurrence
 *   rank       (largest occ - occ) * 2^b + (largest length - length), b the bits of the largest
 * length
 *
 * in digits of 11 bits, as many as the largest key has. A pass counts the digits of blocks of
 * phrases in parallel, sums the counts digit by digit and block by block, and moves the blocks in
 * parallel: phrases of equal digits keep their order. Four passes for a pool of millions of words.
 * Memory: 12 bytes a phrase more. */
#include "text/phrase_table.h"

static const char STAGE[] = "ordering phrases";
enum { BLOCK = 1 << 16, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef struct ordering {
    const alcore__phrase *from; /* [count] */
    alcore__phrase *into;       /* [count] */
    int64_t count;
    uint32_t max_first, max_occ, max_length;
    int length_bits; /* b */
    bool by_rank;    /* which of the two keys */
    int shift;       /* of the digit */
    uint32_t *next;  /* [blocks, DIGITS] counts, then where the next phrase goes */
} ordering;

static int bits_of(uint64_t value) {
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

static inline uint32_t digit_of(const ordering *work, const alcore__phrase *phrase) {
    const uint64_t rank = (uint64_t)(work->max_occ - phrase->occ) << work->length_bits |
                          (work->max_length - phrase->length);
    return (uint32_t)((work->by_rank ? rank : phrase->first) >> work->shift) & (DIGITS - 1);
}

/* The largest values, which say how many digits there are. */
static alcore_status measure(alcore_ctx *ctx, ordering *work, const alcore__phrase_table *table) {
    for (int64_t i = 0; i < table->count; i++) {
        const alcore__phrase *phrase = &table->phrases[i];
        if (i % BLOCK == 0) ALCORE__TRY(alcore__tick(ctx, STAGE, 0, table->count));
        if (phrase->first > work->max_first) work->max_first = phrase->first;
        if (phrase->occ > work->max_occ) work->max_occ = phrase->occ;
        if (phrase->length > work->max_length) work->max_length = phrase->length;
    }
    work->length_bits = bits_of(work->max_length);
    return ALCORE_OK;
}

static alcore_status count_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    uint32_t *counts = work->next + block * DIGITS;
    const int64_t begin = block * BLOCK;
    const int64_t end = begin + BLOCK < work->count ? begin + BLOCK : work->count;
    (void)worker;
    for (int i = 0; i < DIGITS; i++) counts[i] = 0;
    for (int64_t i = begin; i < end; i++) counts[digit_of(work, &work->from[i])]++;
    return ALCORE_OK;
}

static alcore_status move_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    uint32_t *next = work->next + block * DIGITS;
    const int64_t begin = block * BLOCK;
    const int64_t end = begin + BLOCK < work->count ? begin + BLOCK : work->count;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        work->into[next[digit_of(work, &work->from[i])]++] = work->from[i];
    return ALCORE_OK;
}

/* Turns counts into places: digits in order, blocks in order within each. */
static void sum_counts(const ordering *work, int64_t blocks) {
    uint32_t sum = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        for (int64_t block = 0; block < blocks; block++) {
            uint32_t *next = &work->next[block * DIGITS + digit];
            const uint32_t here = *next;
            *next = sum;
            sum += here;
        }
    }
}

/* Sorts the table by one key of so many bits; swaps it with spare after every pass. */
static alcore_status sort_by(alcore_ctx *ctx, ordering *work, int bits, alcore__phrase_table *table,
                             alcore__phrase **spare) {
    const int64_t blocks = (work->count + BLOCK - 1) / BLOCK;
    for (work->shift = 0; work->shift < bits; work->shift += DIGIT_BITS) {
        work->from = table->phrases;
        work->into = *spare;
        ALCORE__TRY(alcore__parallel(ctx, STAGE, blocks, count_block, work));
        sum_counts(work, blocks);
        ALCORE__TRY(alcore__parallel(ctx, STAGE, blocks, move_block, work));
        *spare = table->phrases;
        table->phrases = work->into;
    }
    return ALCORE_OK;
}

alcore_status alcore__phrase_order(alcore_ctx *ctx, alcore__phrase_table *table) {
    if (table->count < 2) return ALCORE_OK;
    if (table->count > UINT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "more than 2^32 - 1 different phrases: ask for those that occur at "
                            "least twice");
    const int64_t blocks = (table->count + BLOCK - 1) / BLOCK;
    const size_t bytes = (size_t)table->count * sizeof *table->phrases;
    ordering work = {.count = table->count};
    alcore__phrase *spare = alcore__alloc(ctx, bytes);
    alcore_status status = ALCORE_OK;
    if (spare == NULL) return alcore__fail_memory(bytes);
    ALCORE__TRY_GOTO(
        status, done,
        alcore__new_array(ctx, (size_t)blocks * DIGITS, sizeof *work.next, &work.next));
    ALCORE__TRY_GOTO(status, done, measure(ctx, &work, table));
    ALCORE__TRY_GOTO(status, done, sort_by(ctx, &work, bits_of(work.max_first), table, &spare));
    work.by_rank = true;
    status = sort_by(ctx, &work, bits_of(work.max_occ) + work.length_bits, table, &spare);
done:
    alcore__free(ctx, work.next);
    alcore__free(ctx, spare);
    return status;
}
