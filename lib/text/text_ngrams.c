/* SPDX-License-Identifier: Apache-2.0 */
/* Hashed n-grams, as text_ngrams.h defines them. */
#include "text/text_ngrams.h"

#include <string.h>

#include "base/rng.h"
#include "text/byte_block.h"
#include "text/text_tokens.h"

/* 0xFF for each byte that is a letter or a digit of ASCII, with which a word goes on. */
static inline alcore__byte_block continue_word(alcore__byte_block bytes) {
    return (alcore__byte_block)(((bytes | 0x20) - 'a' < 26) | (bytes - '0' < 10));
}

/* How many of 16 bytes may begin a token; before: the same moved by one, so that entry i is the
 * byte before entry i of bytes. */
static inline int64_t count_beginnings(const char *bytes, const char *before) {
    const alcore__byte_block block = alcore__block_load(bytes);
    const alcore__byte_block blank_or_inner =
        (alcore__byte_block)((block == ' ') | ((block & 0xC0) == 0x80));
    const alcore__byte_block inside =
        continue_word(block) & continue_word(alcore__block_load(before));
    return alcore__block_count(~(blank_or_inner | inside));
}

/* The last bytes of a text, and its first ones, before which there is none, are copied to where
 * blanks are around them. */
int64_t alcore__text_tokens_most(const char *text, size_t length) {
    char part[1 + ALCORE__BLOCK_BYTES];
    int64_t count = 0;
    for (size_t next = 0; next < length; next += ALCORE__BLOCK_BYTES) {
        const size_t before = next > 0, left = length - next;
        if (before && left >= ALCORE__BLOCK_BYTES) {
            count += count_beginnings(text + next, text + next - 1);
            continue;
        }
        memset(part, ' ', sizeof part);
        memcpy(part + 1 - before, text + next - before,
               before + (left < ALCORE__BLOCK_BYTES ? left : ALCORE__BLOCK_BYTES));
        count += count_beginnings(part + 1, part);
    }
    return count;
}

/* At most half of the slots are used, so that the search for a free one is short and ends. */
int64_t alcore__text_ngrams_slots(int64_t tokens, int64_t orders) {
    int64_t slots = 2;
    while (slots < 2 * alcore__text_ngrams_most(tokens, orders)) slots *= 2;
    return slots;
}

/* Whether a hash is new among those seen [slots], which it joins. */
static bool is_new(uint64_t hash, uint64_t *seen, int64_t slots) {
    size_t slot = (size_t)hash & (size_t)(slots - 1);
    while (seen[slot] != 0 && seen[slot] != hash) slot = (slot + 1) & (size_t)(slots - 1);
    if (seen[slot] == hash) return false;
    seen[slot] = hash;
    return true;
}

/* Empties the slots of hashes [count], the last that joined first, so that a slot that another was
 * probed over is emptied after it. */
static void forget(const uint64_t *hashes, int64_t count, uint64_t *seen, int64_t slots) {
    for (int64_t i = count - 1; i >= 0; i--) {
        size_t slot = (size_t)hashes[i] & (size_t)(slots - 1);
        while (seen[slot] != hashes[i]) slot = (slot + 1) & (size_t)(slots - 1);
        seen[slot] = 0;
    }
}

/* The hash of an n-gram that joins the result of its tokens. */
static uint64_t hash_of(uint64_t joined, int64_t n) {
    const uint64_t word = UINT64_C(1) << 63, rest = joined & ~word;
    return n == 1 ? rest | word : rest ? rest : 1;
}

/* The n-grams of a text while its tokens are read. */
typedef struct ngram_reader {
    int64_t orders, slots, count; /* count: hashes that were written */
    uint64_t *out, *seen;
    /* The n-grams that end with the token before, the longest first: open[n - 1] has n tokens. */
    uint64_t open[ALCORE__TEXT_NGRAM_ORDERS];
    bool words[ALCORE__TEXT_NGRAM_ORDERS];
    int64_t held;
} ngram_reader;

/* Each token ends an n-gram of every order that begins inside the text. A hash that would be 0 is
 * 1. */
static inline void add_token(ngram_reader *self, uint64_t token, bool is_word) {
    if (self->held < self->orders) self->held++;
    for (int64_t n = self->held; n > 0; n--) {
        const uint64_t before = n > 1 ? self->open[n - 2] : 0;
        self->open[n - 1] = alcore__scramble(alcore__token_join(before + (uint64_t)n, token));
        self->words[n - 1] = is_word || (n > 1 && self->words[n - 2]);
        const uint64_t hash = hash_of(self->open[n - 1], n);
        if (self->words[n - 1] && is_new(hash, self->seen, self->slots))
            self->out[self->count++] = hash;
    }
}

/* The slots are those of this text, fewer than `seen` may have. */
int64_t alcore__text_ngrams(const char *text, size_t length, int64_t orders, uint64_t *out,
                            uint64_t *seen, int64_t *tokens) {
    const int64_t most = alcore__text_tokens_most(text, length);
    ngram_reader self = {.orders = orders,
                         .slots = alcore__text_ngrams_slots(most, orders),
                         .out = out,
                         .seen = seen};
    alcore__token_reader reader = {.text = text, .length = length};
    for (*tokens = 0; *tokens < most && alcore__token_next(&reader); ++*tokens)
        add_token(&self, reader.hash, reader.kind == ALCORE__TOKEN_WORD);
    forget(out, self.count, seen, self.slots);
    return self.count;
}

int64_t alcore__tokens_ngrams(const char *words, const char *hashes, int64_t count, int64_t orders,
                              uint64_t *out, uint64_t *seen) {
    ngram_reader self = {.orders = orders,
                         .slots = alcore__text_ngrams_slots(count, orders),
                         .out = out,
                         .seen = seen};
    for (int64_t i = 0; i < count; i++) {
        uint64_t token;
        memcpy(&token, hashes + (size_t)i * sizeof token, sizeof token);
        add_token(&self, token, words[i / 8] >> i % 8 & 1);
    }
    forget(out, self.count, seen, self.slots);
    return self.count;
}
