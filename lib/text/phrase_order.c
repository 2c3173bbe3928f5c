/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a phrase table (phrase_table.h): occ falling, length falling, first occurrence
 * rising. Called by alcore__phrase_table_list() after the walk, with the phrases of each bucket as
 * one part. A phrase is 12 bytes: first (the position of its first occurrence), occ (its
 * occurrences), length (words) and two flags.
 *
 * Least-significant-digit radix sort by two keys that rise along this order, the less important one
 * first:
 *
 *   first      position of the first occurrence
 *   rank       (largest occ - occ) * 2^b + (largest length - length),
 *              b the bits of the largest length
 *
 * Each key is cut into as few digits of at most 13 bits as it needs: four passes for a pool of
 * millions of words. A pass counts the digits of blocks of phrases in parallel, sums the counts
 * digit by digit and block by block, and moves the phrases of the blocks in parallel: phrases of
 * equal digits keep their order. The blocks of the first pass are the parts of the buckets, which
 * are freed after it, so that parts, table and spare array never exist together. Memory: 24 bytes a
 * phrase at most. */
#include "text/phrase_table.h"

static const char STAGE[] = "ordering phrases";
/* Phrases of a block after the first pass: many, so that its 2^13 counters are small beside it. */
enum { BLOCK_PHRASES = 1 << 18 };
/* With more than 13 bits the 2^bits cache lines that a block writes to no longer fit into the
 * second-level cache. */
enum { MAX_DIGIT_BITS = 13 };
/* Phrases between two polls of cancellation. */
enum { POLL_PHRASES = 1 << 14 };

/* The state of the sort; what is said to be of the pass is set before each pass. */
typedef struct ordering {
    const alcore__phrase_table *blocks; /* [block_count] input of the pass, in order */
    int64_t block_count;
    alcore__phrase *sorted;                  /* [count] output of the pass */
    uint32_t max_first, max_occ, max_length; /* largest values among all phrases */
    int length_bits;                         /* b of the rank */
    bool by_rank;          /* the pass sorts by a digit of the rank, else of `first` */
    int shift, digit_bits; /* the digit of the pass: digit_bits bits of the key from bit
                              `shift` on */
    uint32_t *next;        /* [block_count, 2^digit_bits] first the number of phrases of each block
                              with each digit, then the index in `sorted` of the next of them */
} ordering;

/* The bits that a value needs; 0 for 0. */
static int bits_of(uint64_t value) {
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

/* The digit of a phrase in the present pass, 0 to 2^digit_bits - 1. */
static inline uint32_t digit_of(const ordering *work, const alcore__phrase *phrase) {
    const uint64_t rank = (uint64_t)(work->max_occ - phrase->occ) << work->length_bits |
                          (work->max_length - phrase->length);
    const uint64_t key = work->by_rank ? rank : phrase->first;
    return (uint32_t)(key >> work->shift) & ((1u << work->digit_bits) - 1);
}

/* The first task of a block in a pass (alcore__task): counts its phrases by digit in its row of
 * next. */
static alcore_status count_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    const alcore__phrase_table *block_phrases = &work->blocks[block];
    uint32_t *counts = work->next + (block << work->digit_bits);
    (void)worker;
    for (int64_t i = 0; i < block_phrases->count; i++)
        counts[digit_of(work, &block_phrases->phrases[i])]++;
    return ALCORE_OK;
}

/* The second task of a block in a pass: moves its phrases, in order, to the indices in its row of
 * next. Blocks write to disjoint ranges of each digit. */
static alcore_status move_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    const alcore__phrase_table *block_phrases = &work->blocks[block];
    uint32_t *next = work->next + (block << work->digit_bits);
    (void)worker;
    for (int64_t i = 0; i < block_phrases->count; i++)
        work->sorted[next[digit_of(work, &block_phrases->phrases[i])]++] =
            block_phrases->phrases[i];
    return ALCORE_OK;
}

/* Turns the counts into indices of `sorted`: digits in order, blocks in order within each digit. */
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

/* One stable pass over work->blocks by the digit that by_rank, shift and digit_bits say. */
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

/* A digit of one of the keys, that is, one pass. */
typedef struct digit {
    bool by_rank;    /* of the rank, else of `first` */
    int shift, bits; /* its lowest bit in the key, and its number of bits */
} digit;
enum { MAX_DIGITS = 16 }; /* both keys together have fewer: 32 / 13 and 62 / 13 rounded up */

/* Cuts a key of `bits` bits into the fewest digits of about equal length, the lowest first; appends
 * them to out and returns their number. */
static int cut_key(bool by_rank, int bits, digit *out) {
    const int digits = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
    for (int i = 0; i < digits; i++) {
        const int begin = bits * i / digits, end = bits * (i + 1) / digits;
        out[i] = (digit){by_rank, begin, end - begin};
    }
    return digits;
}

/* Fills max_first, max_occ, max_length and length_bits from all parts. */
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

void alcore__phrase_table_clear(alcore_ctx *ctx, alcore__phrase_table *table) {
    alcore__free(ctx, table->phrases);
    *table = (alcore__phrase_table){0};
}

static void free_parts(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t count) {
    for (int64_t i = 0; i < count; i++) alcore__phrase_table_clear(ctx, &parts[i]);
}

/* Describes phrases [count] as blocks of BLOCK_PHRASES; blocks has one entry for each. */
static void cut_blocks(alcore__phrase *phrases, int64_t count, alcore__phrase_table *blocks) {
    for (int64_t i = 0; i * BLOCK_PHRASES < count; i++) {
        const int64_t left = count - i * BLOCK_PHRASES;
        blocks[i] = (alcore__phrase_table){phrases + i * BLOCK_PHRASES,
                                           left < BLOCK_PHRASES ? left : BLOCK_PHRASES};
    }
}

/* The passes after the first, digits [count], on the table that the first pass wrote. The table's
 * array and a spare one change roles after each pass; the spare one is freed at the end. */
static alcore_status sort_table(alcore_ctx *ctx, ordering *work, const digit *digits, int count,
                                alcore__phrase_table *table) {
    const size_t bytes = (size_t)table->count * sizeof *table->phrases;
    alcore__phrase_table *blocks = NULL;
    alcore__phrase *spare = alcore__alloc(ctx, bytes);
    alcore_status status = ALCORE_OK;
    if (!spare) return alcore__fail_memory(bytes);
    work->block_count = (table->count + BLOCK_PHRASES - 1) / BLOCK_PHRASES;
    ALCORE__TRY_GOTO(status, done,
                     alcore__new_array(ctx, (size_t)work->block_count, sizeof *blocks, &blocks));
    work->blocks = blocks;
    for (int i = 0; i < count && status == ALCORE_OK; i++) {
        cut_blocks(table->phrases, table->count, blocks);
        work->sorted = spare;
        work->by_rank = digits[i].by_rank;
        work->shift = digits[i].shift;
        work->digit_bits = digits[i].bits;
        status = run_pass(ctx, work);
        spare = table->phrases;
        table->phrases = work->sorted;
    }
done:
    alcore__free(ctx, blocks);
    alcore__free(ctx, spare);
    return status;
}

/* Joins parts [part_count], the phrases of each bucket in no order, into the ordered table *out.
 * The first pass reads the parts and writes the table; the others go back and forth between the
 * table and a spare array. The caller clears parts and *out after a failure. */
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
    work.sorted = alcore__alloc(ctx, (size_t)count * sizeof *work.sorted);
    if (!work.sorted) return alcore__fail_memory((size_t)count * sizeof *work.sorted);
    *out = (alcore__phrase_table){work.sorted, count};
    ALCORE__TRY(run_pass(ctx, &work));
    free_parts(ctx, parts, part_count);
    return sort_table(ctx, &work, digits + 1, passes - 1, out);
}
