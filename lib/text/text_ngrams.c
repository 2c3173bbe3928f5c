/* SPDX-License-Identifier: Apache-2.0 */
/* Hashed n-grams, as text_ngrams.h defines them. */
#include "text/text_ngrams.h"

#include "base/rng.h"
#include "text/text_tokens.h"

int64_t alcore__text_tokens(const char *text, size_t length) {
    alcore__token_reader reader = {.text = text, .length = length};
    int64_t count = 0;
    while (alcore__token_next(&reader)) count++;
    return count;
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

int64_t alcore__text_ngrams(const char *text, size_t length, int64_t orders, uint64_t *out,
                            uint64_t *seen, int64_t slots) {
    alcore__token_reader reader = {.text = text, .length = length};
    /* The n-grams that end with the token before, the longest first: open[n - 1] has n tokens. */
    uint64_t open[ALCORE__TEXT_NGRAM_ORDERS];
    bool words[ALCORE__TEXT_NGRAM_ORDERS];
    int64_t held = 0, count = 0;
    while (alcore__token_next(&reader)) {
        if (held < orders) held++;
        for (int64_t n = held; n > 0; n--) {
            const uint64_t before = n > 1 ? open[n - 2] : 0;
            open[n - 1] = alcore__scramble(alcore__token_join(before + (uint64_t)n, reader.hash));
            words[n - 1] = reader.kind == ALCORE__TOKEN_WORD || (n > 1 && words[n - 2]);
            const uint64_t hash = open[n - 1] ? open[n - 1] : 1;
            if (words[n - 1] && is_new(hash, seen, slots)) out[count++] = hash;
        }
    }
    forget(out, count, seen, slots);
    return count;
}
