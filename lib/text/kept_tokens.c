/* SPDX-License-Identifier: Apache-2.0 */
/* Kept tokens, as kept_tokens.h describes them. */
#include "text/kept_tokens.h"

#include <stdatomic.h>
#include <string.h>

#include "alcore/sys/kernel.h"

static alcore__kept_block *block_of(const alcore__kept_tokens *self, int64_t row) {
    return &self->blocks[row / ALCORE_BLOCK_ROWS];
}

alcore_status alcore__kept_tokens_new(alcore_ctx *ctx, int64_t rows, size_t limit,
                                      alcore__kept_tokens *out) {
    const size_t blocks = (size_t)((rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS);
    *out = (alcore__kept_tokens){.left = limit, .rows = rows};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *out->ends, &out->ends));
    return alcore__new_array(ctx, blocks, sizeof *out->blocks, &out->blocks);
}

void alcore__kept_tokens_clear(alcore_ctx *ctx, alcore__kept_tokens *self) {
    for (int64_t row = 0; self->blocks && row < self->rows; row += ALCORE_BLOCK_ROWS)
        alcore__free(ctx, block_of(self, row)->numbers);
    alcore__free(ctx, self->blocks);
    alcore__free(ctx, self->ends);
    *self = (alcore__kept_tokens){0};
}

alcore_status alcore__kept_tokens_begin(alcore_ctx *ctx, alcore__kept_tokens *self, int64_t row,
                                        int64_t most, alcore__token_room *out) {
    alcore__kept_block *block = block_of(self, row);
    const size_t words = alcore__token_bit_words(most);
    ALCORE__TRY(alcore__grow(ctx, &block->numbers, &block->capacity,
                             block->count + words + (size_t)most, sizeof *block->numbers));
    *out = (alcore__token_room){.most = most};
    if (most == 0) return ALCORE_OK;
    out->bits = block->numbers + block->count;
    out->hashes = out->bits + words;
    memset(out->bits, 0, words * sizeof *out->bits);
    return ALCORE_OK;
}

/* The hashes move to behind the bits that they need. */
void alcore__kept_tokens_end(alcore__kept_tokens *self, int64_t row, const alcore__token_room *room,
                             int64_t count) {
    alcore__kept_block *block = block_of(self, row);
    const size_t words = alcore__token_bit_words(count), numbers = words + (size_t)count;
    if (count > 0 && words < alcore__token_bit_words(room->most))
        memmove(room->bits + words, room->hashes, (size_t)count * sizeof *room->hashes);
    if (block->count + numbers <= UINT32_MAX) block->count += numbers;
    self->ends[row] = (uint32_t)block->count;
}

/* Which blocks are kept depends on which thread is first. */
alcore_status alcore__kept_tokens_close(alcore_ctx *ctx, alcore__kept_tokens *self, int64_t block) {
    alcore__kept_block *kept = &self->blocks[block];
    const size_t bytes = kept->count * sizeof *kept->numbers;
    size_t left = self->left;
    while (!atomic_compare_exchange_weak(&self->left, &left, left > bytes ? left - bytes : 0)) {
    }
    if (left > 0) return alcore__trim(ctx, &kept->numbers, kept->count, sizeof *kept->numbers);
    alcore__kept_tokens_drop(ctx, self, block);
    return ALCORE_OK;
}

void alcore__kept_tokens_drop(alcore_ctx *ctx, alcore__kept_tokens *self, int64_t block) {
    alcore__free(ctx, self->blocks[block].numbers);
    self->blocks[block] = (alcore__kept_block){0};
}

/* Of n numbers one of 65, rounded up, has bits. */
alcore__read_tokens alcore__kept_tokens_of(const alcore__kept_tokens *self, int64_t row) {
    const size_t begin = row % ALCORE_BLOCK_ROWS > 0 ? self->ends[row - 1] : 0;
    const size_t numbers = self->ends[row] - begin, words = (numbers + 64) / 65;
    const uint64_t *bits = block_of(self, row)->numbers;
    if (numbers == 0 || !bits) return (alcore__read_tokens){0};
    bits += begin;
    return (alcore__read_tokens){.words = (const char *)bits,
                                 .hashes = (const char *)(bits + words),
                                 .count = (int64_t)(numbers - words)};
}
