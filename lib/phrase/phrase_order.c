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
 * equal digits keep their order. The first pass reads the parts of the buckets, which are freed
 * after it.
 *
 * Phrases that occur once, three quarters of those of 231,000 texts of software and its manuals,
 * are the last of the table and come in order (phrase_singles.c). To sort them with the others, and
 * to count the part of each bucket as a block of its own, took 1.1 times the time of counting all
 * n-grams of these texts (docs/results/phrases.txt). Memory: 24 bytes a phrase that is sorted at
 * most, 12 one that is not. */
#include "phrase/phrase_table.h"

static const char STAGE[] = "ordering phrases";
/* Phrases of a block: many, so that its 2^13 counters are small beside it. */
enum { BLOCK_PHRASES = 1 << 18 };
/* With more than 13 bits the 2^bits cache lines that a block writes to no longer fit into the
 * second-level cache. */
enum { MAX_DIGIT_BITS = 13 };
/* Phrases between two polls of cancellation. */
enum { POLL_PHRASES = 1 << 14 };

/* The state of the sort; what is said to be of the pass is set before each pass. */
typedef struct ordering {
    const alcore__phrase_table *pieces; /* [piece_count] input of the pass, in order */
    int64_t piece_count;
    int64_t *block; /* [block_count + 1] a block is the pieces block[i] .. block[i + 1] - 1 */
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
    uint32_t *counts = work->next + (block << work->digit_bits);
    (void)worker;
    for (int64_t piece = work->block[block]; piece < work->block[block + 1]; piece++) {
        const alcore__phrase_table *from = &work->pieces[piece];
        for (int64_t i = 0; i < from->count; i++) counts[digit_of(work, &from->phrases[i])]++;
    }
    return ALCORE_OK;
}

/* The second task of a block in a pass: moves its phrases, in order, to the indices in its row of
 * next. Blocks write to disjoint ranges of each digit. */
static alcore_status move_block(void *data, int64_t block, int32_t worker) {
    const ordering *work = data;
    uint32_t *next = work->next + (block << work->digit_bits);
    (void)worker;
    for (int64_t piece = work->block[block]; piece < work->block[block + 1]; piece++) {
        const alcore__phrase_table *from = &work->pieces[piece];
        for (int64_t i = 0; i < from->count; i++)
            work->sorted[next[digit_of(work, &from->phrases[i])]++] = from->phrases[i];
    }
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
    for (int64_t piece = 0; piece < work->piece_count; piece++) {
        for (int64_t i = 0; i < work->pieces[piece].count; i++) {
            const alcore__phrase *phrase = &work->pieces[piece].phrases[i];
            if (i % POLL_PHRASES == 0)
                ALCORE__TRY(alcore__tick(ctx, STAGE, piece, work->piece_count));
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

/* Describes phrases [count] as pieces of BLOCK_PHRASES; pieces has one entry for each. */
static void cut_pieces(alcore__phrase *phrases, int64_t count, alcore__phrase_table *pieces) {
    for (int64_t i = 0; i * BLOCK_PHRASES < count; i++) {
        const int64_t left = count - i * BLOCK_PHRASES;
        pieces[i] = (alcore__phrase_table){phrases + i * BLOCK_PHRASES,
                                           left < BLOCK_PHRASES ? left : BLOCK_PHRASES};
    }
}

/* Makes blocks of the pieces, each of the fewest that have BLOCK_PHRASES phrases or more: the parts
 * of most buckets are much smaller than the counters of a block. */
static void group_pieces(ordering *work) {
    int64_t phrases = 0;
    work->block_count = 0;
    for (int64_t piece = 0; piece < work->piece_count; piece++) {
        if (phrases == 0) work->block[work->block_count++] = piece;
        phrases += work->pieces[piece].count;
        if (phrases >= BLOCK_PHRASES) phrases = 0;
    }
    work->block[work->block_count] = work->piece_count;
}

/* Allocates phrases [count] where *phrases is NULL. */
static alcore_status need_phrases(alcore_ctx *ctx, alcore__phrase **phrases, int64_t count) {
    const size_t bytes = (size_t)count * sizeof **phrases;
    if (!*phrases) *phrases = alcore__alloc(ctx, bytes);
    return *phrases ? ALCORE_OK : alcore__fail_memory(bytes);
}

/* Sorts the phrases [phrase_count] of all parts by passes of a radix sort, one for each of digits
 * [count], into the beginning of the table, whose array is allocated here. The first pass reads the
 * parts, which are freed afterwards. The passes write to the table and to a spare array in turn, so
 * that the last one writes to the table. */
static alcore_status sort_parts(alcore_ctx *ctx, ordering *work, alcore__phrase_table *parts,
                                const digit *digits, int count, int64_t phrase_count,
                                alcore__phrase_table *table) {
    const int64_t part_count = work->piece_count;
    const int64_t piece_count = (phrase_count + BLOCK_PHRASES - 1) / BLOCK_PHRASES;
    const size_t blocks = (size_t)(piece_count > part_count ? piece_count : part_count) + 1;
    alcore__phrase_table *pieces = NULL;
    alcore__phrase *spare = NULL;
    alcore_status status = alcore__new_array(ctx, blocks, sizeof *work->block, &work->block);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)piece_count, sizeof *pieces, &pieces);
    for (int i = 0; i < count && status == ALCORE_OK; i++) {
        const bool to_table = (count - i) % 2 == 1;
        status = to_table ? need_phrases(ctx, &table->phrases, table->count)
                          : need_phrases(ctx, &spare, phrase_count);
        if (status != ALCORE_OK) break;
        work->sorted = to_table ? table->phrases : spare;
        work->by_rank = digits[i].by_rank;
        work->shift = digits[i].shift;
        work->digit_bits = digits[i].bits;
        group_pieces(work);
        status = run_pass(ctx, work);
        if (i == 0) free_parts(ctx, parts, part_count);
        cut_pieces(work->sorted, phrase_count, pieces);
        work->pieces = pieces;
        work->piece_count = piece_count;
    }
    alcore__free(ctx, work->block);
    alcore__free(ctx, pieces);
    alcore__free(ctx, spare);
    return status;
}

/* Orders the phrases [count] of the parts [part_count] into the beginning of the table. */
static alcore_status order_parts(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t part_count,
                                 int64_t count, alcore__phrase_table *table) {
    ordering work = {.pieces = parts, .piece_count = part_count};
    digit digits[MAX_DIGITS];
    if (count == 0) return ALCORE_OK;
    ALCORE__TRY(measure(ctx, &work));
    /* Positions begin at 1, so that the first key has a digit. */
    int passes = cut_key(false, bits_of(work.max_first), digits);
    passes += cut_key(true, bits_of(work.max_occ) + work.length_bits, digits + passes);
    return sort_parts(ctx, &work, parts, digits, passes, count, table);
}

/* Joins parts [part_count], the phrases of each bucket in no order, and behind them, since they
 * occur once, those of singles into the ordered table *out. */
alcore_status alcore__phrase_order(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t part_count,
                                   const alcore__phrase_single *singles, uint32_t positions,
                                   alcore__phrase_table *out) {
    int64_t count = 0, single_count = 0;
    uint32_t *next = NULL; /* of singles */
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < part_count; i++) count += parts[i].count;
    if (singles)
        status = alcore__phrase_singles_count(ctx, singles, positions, &next, &single_count);
    out->count = count + single_count;
    if (status == ALCORE_OK && out->count > UINT32_MAX)
        status = alcore__fail(ALCORE_E_UNSUPPORTED,
                              "more than 2^32 - 1 different phrases: ask for those that occur at "
                              "least twice");
    if (status == ALCORE_OK) status = order_parts(ctx, parts, part_count, count, out);
    if (status == ALCORE_OK && single_count > 0) {
        status = need_phrases(ctx, &out->phrases, out->count);
        if (status == ALCORE_OK)
            status =
                alcore__phrase_singles_list(ctx, singles, positions, next, out->phrases + count);
    }
    alcore__free(ctx, next);
    return status;
}
