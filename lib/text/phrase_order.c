/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a phrase table: occ falling, length falling, first occurrence rising.
 *
 * Radix sort from the last key to the first, in digits of 11 bits. A pass counts the digits of
 * blocks of phrases in parallel, sums the counts digit by digit and block by block, and moves the
 * blocks in parallel: the order of equal digits stays. Passes over a digit that all phrases share
 * are left out; of a pool of millions of words about six remain. Memory: 12 bytes a phrase more. */
#include "text/phrase_table.h"

static const char STAGE[] = "ordering phrases";
enum { BLOCK = 1 << 16, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef enum order_key { FIRST, LENGTH, OCC } order_key;

typedef struct ordering {
    const alcore__phrase *from; /* [count] */
    alcore__phrase *into;       /* [count] */
    int64_t count;
    order_key key;
    int shift;
    uint32_t *next; /* [blocks, DIGITS] counts, then where the next phrase goes */
} ordering;

/* Keys that rise along the wanted order. */
static inline uint32_t digit_of(const ordering *work, const alcore__phrase *phrase) {
    const uint32_t key = work->key == FIRST    ? phrase->first
                         : work->key == LENGTH ? ~(uint32_t)phrase->length
                                               : ~phrase->occ;
    return key >> work->shift & (DIGITS - 1);
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

/* Turns counts into places; false when one digit has all phrases. */
static bool sum_counts(const ordering *work, int64_t blocks) {
    uint32_t sum = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        const uint32_t before = sum;
        for (int64_t block = 0; block < blocks; block++) {
            uint32_t *next = &work->next[block * DIGITS + digit];
            const uint32_t here = *next;
            *next = sum;
            sum += here;
        }
        if (sum - before == work->count) return false;
    }
    return true;
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
    for (work.key = FIRST; work.key <= OCC; work.key++) {
        for (work.shift = 0; work.shift < 32; work.shift += DIGIT_BITS) {
            work.from = table->phrases;
            work.into = spare;
            ALCORE__TRY_GOTO(status, done,
                             alcore__parallel(ctx, STAGE, blocks, count_block, &work));
            if (!sum_counts(&work, blocks)) continue;
            ALCORE__TRY_GOTO(status, done, alcore__parallel(ctx, STAGE, blocks, move_block, &work));
            spare = table->phrases;
            table->phrases = work.into;
        }
    }
done:
    alcore__free(ctx, work.next);
    alcore__free(ctx, spare);
    return status;
}
