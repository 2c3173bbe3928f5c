/* SPDX-License-Identifier: Apache-2.0 */
/* The phrases that occur once, from what the walk noted at their positions (phrase_table.h), in the
 * order of a table: length falling, position rising. Blocks of positions count their phrases of
 * each length in parallel; summed up, length by length and block by block, these counts say where
 * each block writes. */
#include "phrase/phrase_table.h"

static const char STAGE[] = "ordering phrases";
/* Positions of a block. */
enum { BLOCK_POSITIONS = 1 << 18 };
enum { LENGTHS = ALCORE__PHRASE_MAX_WORDS + 1 };

/* What the tasks share. */
typedef struct listing {
    const alcore__phrase_single *singles; /* [positions] */
    uint32_t positions;
    uint32_t *next;      /* [blocks, LENGTHS] first the number of phrases of each block with each
                            length, then the index in out of the next of them */
    alcore__phrase *out; /* [phrases] */
} listing;

static int64_t block_count(uint32_t positions) {
    return ((int64_t)positions + BLOCK_POSITIONS - 1) / BLOCK_POSITIONS;
}

/* The positions *begin .. *end - 1 of a block. */
static void block_range(const listing *work, int64_t block, uint32_t *begin, uint32_t *end) {
    const int64_t last = (block + 1) * BLOCK_POSITIONS;
    *begin = (uint32_t)(block * BLOCK_POSITIONS);
    *end = last < work->positions ? (uint32_t)last : work->positions;
}

/* The first task of a block (alcore__task): counts its phrases by length in its row of next. */
static alcore_status count_block(void *data, int64_t block, int32_t worker) {
    const listing *work = data;
    uint32_t *counts = work->next + block * LENGTHS, i, end;
    (void)worker;
    for (block_range(work, block, &i, &end); i < end; i++) {
        const alcore__phrase_single single = work->singles[i];
        if (single.high == 0) continue;
        for (uint32_t length = single.low; length <= single.high; length++) counts[length]++;
    }
    return ALCORE_OK;
}

/* The second task of a block: writes its phrases to the indices in its row of next. Blocks write to
 * disjoint ranges of each length. */
static alcore_status write_block(void *data, int64_t block, int32_t worker) {
    const listing *work = data;
    uint32_t *next = work->next + block * LENGTHS, i, end;
    (void)worker;
    for (block_range(work, block, &i, &end); i < end; i++) {
        const alcore__phrase_single single = work->singles[i];
        if (single.high == 0) continue;
        for (uint32_t length = single.low; length <= single.high; length++)
            work->out[next[length]++] =
                (alcore__phrase){.first = i,
                                 .occ = 1,
                                 .length = length & 0x3FFFFFFF,
                                 .labeled = length <= single.labeled,
                                 .semi_maximal = single.semi_maximal && length == single.high};
    }
    return ALCORE_OK;
}

/* Turns the counts into indices of out, the longest phrases first; returns their number. */
static int64_t sum_counts(const listing *work, int64_t blocks) {
    int64_t sum = 0;
    for (int64_t length = LENGTHS - 1; length > 0; length--) {
        for (int64_t block = 0; block < blocks; block++) {
            uint32_t *next = &work->next[block * LENGTHS + length];
            const uint32_t here = *next;
            *next = (uint32_t)sum;
            sum += here;
        }
    }
    return sum;
}

alcore_status alcore__phrase_singles_count(alcore_ctx *ctx, const alcore__phrase_single *singles,
                                           uint32_t positions, uint32_t **next, int64_t *count) {
    const int64_t blocks = block_count(positions);
    listing work = {.singles = singles, .positions = positions};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)blocks * LENGTHS, sizeof *work.next, next));
    work.next = *next;
    ALCORE__TRY(alcore__parallel(ctx, STAGE, blocks, count_block, &work));
    *count = sum_counts(&work, blocks);
    return ALCORE_OK;
}

alcore_status alcore__phrase_singles_list(alcore_ctx *ctx, const alcore__phrase_single *singles,
                                          uint32_t positions, uint32_t *next, alcore__phrase *out) {
    listing work = {singles, positions, next, out};
    return alcore__parallel(ctx, STAGE, block_count(positions), write_block, &work);
}
