/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of the texts of a pool, kept for those that read the texts once more: cutting them
 * into tokens takes half as long as making their n-grams.
 *
 * Memory: 8 bytes a token, a bit for each up to a multiple of 8 bytes a text, until a limit is
 * reached, and 4 bytes a row. */
#ifndef ALCORE__KEPT_TOKENS_H
#define ALCORE__KEPT_TOKENS_H

#include "base/base.h"

/* Room for tokens of a text. */
typedef struct alcore__token_room {
    uint64_t *bits;   /* [alcore__token_bit_words(most)] bit i % 64 of bits[i / 64]: token i is a
                         word; zeros at first */
    uint64_t *hashes; /* [most] */
    int64_t most;
} alcore__token_room;

/* How many numbers of 64 bits have a bit for each of `tokens` tokens. */
static inline size_t alcore__token_bit_words(int64_t tokens) {
    return ((size_t)tokens + 63) / 64;
}

/* Writes token i of a text, if there is room for it. */
static inline void alcore__token_put(const alcore__token_room *room, int64_t i, uint64_t hash,
                                     bool is_word) {
    if (i >= room->most) return;
    room->hashes[i] = hash;
    room->bits[i / 64] |= (uint64_t)is_word << i % 64;
}

/* The texts of ALCORE_BLOCK_ROWS rows, one behind the other: of each the bits of its tokens, then
 * their hashes. */
typedef struct alcore__kept_block {
    uint64_t *numbers; /* [count] owned */
    size_t count, capacity;
} alcore__kept_block;

typedef struct alcore__kept_tokens {
    _Atomic size_t left;        /* bytes that further blocks may have */
    int64_t rows;               /* of the pool; 0: no tokens are kept */
    alcore__kept_block *blocks; /* owned */
    uint32_t *ends; /* [rows] how many numbers its block has up to the end of each row; owned */
} alcore__kept_tokens;

/* The tokens of a text as alcore__tokens_ngrams() reads them, until they are cleared. */
typedef struct alcore__read_tokens {
    const char *words, *hashes;
    int64_t count; /* 0: the text has none, or they are not kept */
} alcore__read_tokens;

/* Makes room for the tokens of `rows` rows. Once the blocks that are kept take `limit` bytes,
 * further blocks are dropped. The caller clears *out, also after a failure. */
alcore_status alcore__kept_tokens_new(alcore_ctx *ctx, int64_t rows, size_t limit,
                                      alcore__kept_tokens *out);
void alcore__kept_tokens_clear(alcore_ctx *ctx, alcore__kept_tokens *self);

/* Rows of a block are kept by one thread, in their order. Makes room for a row of at most `most`
 * tokens, which is valid until its end. */
alcore_status alcore__kept_tokens_begin(alcore_ctx *ctx, alcore__kept_tokens *self, int64_t row,
                                        int64_t most, alcore__token_room *out);
/* Ends a row with the first `count` tokens of its room, or with none where the block would have
 * 2^32 numbers; a row that was not begun has an empty room. */
void alcore__kept_tokens_end(alcore__kept_tokens *self, int64_t row, const alcore__token_room *room,
                             int64_t count);
/* Frees the memory that a block does not need, once all of its rows have ended, or drops it where
 * no bytes are left for it. */
alcore_status alcore__kept_tokens_close(alcore_ctx *ctx, alcore__kept_tokens *self, int64_t block);

/* Frees the tokens of a block, which has none from then on. */
void alcore__kept_tokens_drop(alcore_ctx *ctx, alcore__kept_tokens *self, int64_t block);

/* The tokens of a row: a view, valid until its block is dropped. */
alcore__read_tokens alcore__kept_tokens_of(const alcore__kept_tokens *self, int64_t row);

#endif
