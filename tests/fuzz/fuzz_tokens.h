/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for the tokens of any text by any tokenizer. */
#ifndef FUZZ_TOKENS_H
#define FUZZ_TOKENS_H

#include "alcore/extra/tokenizer.h"
#include "fuzz_target.h"
#include "tokenizer/encoding.h"

/* Encodes two copies of a text, with `pairs` each as a pair with itself. Both copies give the same
 * tokens; spans lie in the text; ids are ids of the tokenizer, which decodes them. how: NULL for
 * what the folder says; in_order: no token begins before the one before it. */
static inline void fuzz_encode(alcore_ctx *ctx, const alcore_tokenizer *tokenizer, const char *text,
                               size_t length, bool pairs, const alcore__encoding *how,
                               bool in_order) {
    const char *const both[] = {text, text};
    const size_t lengths[] = {length, length};
    const alcore__texts texts = {both, lengths, 2};
    const alcore__encoding usual = {0};
    const int64_t max_tokens = how ? how->max_tokens : 0;
    alcore__tokens tokens = {0};
    alcore_status status = alcore__tokenizer_encode(tokenizer, &texts, pairs ? &texts : NULL,
                                                    how ? how : &usual, &tokens);
    if (status == ALCORE_E_PARAM && max_tokens > 0) { /* fewer than the special tokens */
        alcore__tokens_clear(ctx, &tokens);
        return;
    }
    FUZZ_CHECK(status == ALCORE_OK);
    FUZZ_CHECK(tokens.count == 2 && tokens.offsets[0] == 0);
    const int64_t count = tokens.offsets[1];
    FUZZ_CHECK(count >= 0 && tokens.offsets[2] == 2 * count);
    FUZZ_CHECK(max_tokens == 0 || pairs || count <= max_tokens);
    const size_t size = (size_t)count * sizeof(int64_t);
    if (count > 0) {
        FUZZ_CHECK(memcmp(tokens.ids, tokens.ids + count, size) == 0);
        FUZZ_CHECK(memcmp(tokens.types, tokens.types + count, size) == 0);
        FUZZ_CHECK(memcmp(tokens.spans, tokens.spans + 2 * count, 2 * size) == 0);
        FUZZ_CHECK(memcmp(tokens.marks, tokens.marks + count, (size_t)count) == 0);
    }
    int64_t last = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = tokens.spans[2 * i], end = tokens.spans[2 * i + 1];
        FUZZ_CHECK(tokens.ids[i] >= 0 && tokens.ids[i] < alcore_tokenizer_size(tokenizer));
        FUZZ_CHECK(begin >= 0 && begin <= end && end <= (int64_t)length);
        if (in_order && !pairs && begin < end) {
            FUZZ_CHECK(begin >= last);
            last = begin;
        }
    }
    for (int special = 0; special < 2; special++) {
        alcore__buffer decoded = {0};
        FUZZ_CHECK(alcore__tokenizer_decode(tokenizer, tokens.ids, count, special, &decoded) ==
                   ALCORE_OK);
        alcore__buffer_clear(ctx, &decoded);
    }
    alcore__tokens_clear(ctx, &tokens);
}

#endif
