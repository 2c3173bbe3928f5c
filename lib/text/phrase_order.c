/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a phrase table: occ falling, length falling, first occurrence rising.
 *
 * Radix sort by two keys that rise along this order, the last one first:
 *
 *   first      position of the first occurrence
 *   rank       (largest occ - occ) * 2^b + (largest length - length), b the bits of the largest
 * length
 *
 * Each key is cut into as few digits of at most 13 bits as it needs: four passes for a pool of
 * millions of words. A pass counts the digits of blocks of phrases in parallel, sums the counts
 * digit by digit and block by block, and moves the blocks in parallel: phrases of equal digits keep
 * their order. The blocks of the first pass are the lists of the buckets, which are freed behind
 * it, so that lists, table and spare never exist together. Memory: 24 bytes a phrase at most. */
#include "text/phrase_table.h"

static const char STAGE[] = "ordering phrases";
/* Phrases of a block after the first pass: a block's counters must be small beside it. */
enum { BLOCK = 1 << 18 };
/* Above 13 bits the places that a block writes to no longer fit into the second-level cache. */
enum { MAX_DIGIT_BITS = 13 };
enum { POLL_PHRASES = 1 << 14 };

typedef struct ordering {
    const alcore__phrase_table *blocks; /* [block_count] what a pass reads, in order */
    int64_t block_count;
    alcore__phrase *into; /* [count] what it writes */
    uint32_t max_first, max_occ, max_length;
    int length_bits;       /* b */
    bool by_rank;          /* which of the two keys */
    int shift, digit_bits; /* of the pass */
    uint32_t *next;        /* [block_count, 2^digit_bits] counts, then where the next one goes */
} ordering;

static int bits_of(uint64_t value) {
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

static inline uint32_t digit_of(const ordering *work, const alcore__phrase *phrase) {
    const uint64_t rank = (uint64_t)(work->max_occ - phrase->occ) << work->length_bits |
                          (work->max_length - phrase->length);
    const uint64_t key = work->by_rank ? rank : phrase->first;
    return (uint32_t)(key >> work->shift) & ((1u << work->digit_bits) - 1);
}

static alcore_status count_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    const alcore__phrase_table *from = &work->blocks[block];
    uint32_t *counts = work->next + (block << work->digit_bits);
    (void)worker;
    for (int64_t i = 0; i < from->count; i++) counts[digit_of(work, &from->phrases[i])]++;
    return ALCORE_OK;
}

static alcore_status move_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    const alcore__phrase_table *from = &work->blocks[block];
    uint32_t *next = work->next + (block << work->digit_bits);
    (void)worker;
    for (int64_t i = 0; i < from->count; i++)
        work->into[next[digit_of(work, &from->phrases[i])]++] = from->phrases[i];
    return ALCORE_OK;
}

/* Turns counts into places: digits in order, blocks in order within each. */
static void sum_counts(const ordering *work) {
    uint32_t sum = 0;
    for (int64_t digit = 0; digit < INT64_C(1) << work->digit_bits; digit++) {
        for (int64_t block = 0; block < work->block_count; block++) {
            uint32_t *next = &work->next[(block << work->digit_bits) + digit];
            const uint32_t here = *next;
            *next = sum;
            sum += here;
        }
    }
}

static alcore_status run_pass(alcore_ctx *ctx, ordering *work) {
    const size_t counters = (size_t)work->block_count << work->digit_bits;
    ALCORE__TRY(alcore__new_array(ctx, counters, sizeof *work->next, &work->next));
    alcore_status status = alcore__parallel(ctx, STAGE, work->block_count, count_block, work);
    if (status == ALCORE_OK) {
        sum_counts(work);
        status = alcore__parallel(ctx, STAGE, work->block_count, move_block, work);
    }
    alcore__free(ctx, work->next);
    return status;
}

/* The digits of the keys: passes over `first`, then over the rank. Returns their number. */
typedef struct digit {
    bool by_rank;
    int shift, bits;
} digit;
enum { MAX_DIGITS = 16 };

static int cut_key(bool by_rank, int bits, digit *out) {
    const int digits = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
    for (int i = 0; i < digits; i++) {
        const int begin = bits * i / digits, end = bits * (i + 1) / digits;
        out[i] = (digit){by_rank, begin, end - begin};
    }
    return digits;
}

/* The largest values of the parts. */
static alcore_status measure(alcore_ctx *ctx, ordering *work) {
    for (int64_t block = 0; block < work->block_count; block++) {
        for (int64_t i = 0; i < work->blocks[block].count; i++) {
            const alcore__phrase *phrase = &work->blocks[block].phrases[i];
            if (i % POLL_PHRASES == 0)
                ALCORE__TRY(alcore__tick(ctx, STAGE, block, work->block_count));
            if (phrase->first > work->max_first) work->max_first = phrase->first;
            if (phrase->occ > work->max_occ) work->max_occ = phrase->occ;
            if (phrase->length > work->max_length) work->max_length = phrase->length;
        }
    }
    work->length_bits = bits_of(work->max_length);
    return ALCORE_OK;
}

static void free_parts(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t count) {
    for (int64_t i = 0; i < count; i++) alcore__phrase_table_clear(ctx, &parts[i]);
}

/* Cuts the table into blocks [block_count]. */
static void cut_blocks(alcore__phrase *phrases, int64_t count, alcore__phrase_table *blocks) {
    for (int64_t i = 0; i * BLOCK < count; i++) {
        const int64_t left = count - i * BLOCK;
        blocks[i] = (alcore__phrase_table){phrases + i * BLOCK, left < BLOCK ? left : BLOCK};
    }
}

/* The passes behind the first: table and spare change roles after each. */
static alcore_status sort_table(alcore_ctx *ctx, ordering *work, const digit *digits, int count,
                                alcore__phrase_table *table) {
    const size_t bytes = (size_t)table->count * sizeof *table->phrases;
    alcore__phrase_table *blocks = NULL;
    alcore__phrase *spare = alcore__alloc(ctx, bytes);
    alcore_status status = ALCORE_OK;
    if (spare == NULL) return alcore__fail_memory(bytes);
    work->block_count = (table->count + BLOCK - 1) / BLOCK;
    ALCORE__TRY_GOTO(status, done,
                     alcore__new_array(ctx, (size_t)work->block_count, sizeof *blocks, &blocks));
    work->blocks = blocks;
    for (int i = 0; i < count && status == ALCORE_OK; i++) {
        cut_blocks(table->phrases, table->count, blocks);
        work->into = spare;
        work->by_rank = digits[i].by_rank;
        work->shift = digits[i].shift;
        work->digit_bits = digits[i].bits;
        status = run_pass(ctx, work);
        spare = table->phrases;
        table->phrases = work->into;
    }
done:
    alcore__free(ctx, blocks);
    alcore__free(ctx, spare);
    return status;
}

alcore_status alcore__phrase_order(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t part_count,
                                   alcore__phrase_table *out) {
    ordering work = {.blocks = parts, .block_count = part_count};
    digit digits[MAX_DIGITS];
    int64_t count = 0;
    for (int64_t i = 0; i < part_count; i++) count += parts[i].count;
    if (count == 0) return ALCORE_OK;
    if (count > UINT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "more than 2^32 - 1 different phrases: ask for those that occur at "
                            "least twice");
    ALCORE__TRY(measure(ctx, &work));
    /* Positions begin at 1, so that the first key has a digit. */
    int passes = cut_key(false, bits_of(work.max_first), digits);
    passes += cut_key(true, bits_of(work.max_occ) + work.length_bits, digits + passes);
    work.shift = digits[0].shift;
    work.digit_bits = digits[0].bits;
    work.into = alcore__alloc(ctx, (size_t)count * sizeof *work.into);
    if (work.into == NULL) return alcore__fail_memory((size_t)count * sizeof *work.into);
    *out = (alcore__phrase_table){work.into, count};
    ALCORE__TRY(run_pass(ctx, &work));
    free_parts(ctx, parts, part_count);
    return sort_table(ctx, &work, digits + 1, passes - 1, out);
}
