/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of question answering (Devlin et al. 2019): a pair of a question and its context that has
 * more tokens than a window is read in several windows. Each has the whole question and the special
 * tokens, and a run of the context's tokens: with `room` tokens left for the context in a window,
 * window w has the tokens w * (room - stride) .. w * (room - stride) + room - 1 of it, so that
 * neighbors share `stride` tokens; the last window is the first that reaches the end. The package
 * tokenizers cuts the same windows (truncation "only_second", with its stride).
 *
 * A position is a token of a context in a window: what the engine gives a probability of. Cost: one
 * pass over the tokens. Memory: 17 bytes a token of a window, and 32 bytes a window. */
#include <string.h>

#include "model/model_engine.h"

/* The tokens of a pair: those of its second text are begin .. end - 1, as indices among the tokens
 * of all pairs; begin is end where it has none. */
typedef struct pair_tokens {
    int64_t first, begin, end, last; /* first: of the pair; last: the one after its last token */
} pair_tokens;

static pair_tokens tokens_of(const alcore__tokens *pairs, int64_t row) {
    pair_tokens out = {.first = pairs->offsets[row], .last = pairs->offsets[row + 1]};
    out.begin = out.first;
    while (out.begin < out.last && !(pairs->marks[out.begin] & ALCORE__TOKEN_SECOND)) out.begin++;
    out.end = out.begin;
    while (out.end < out.last && (pairs->marks[out.end] & ALCORE__TOKEN_SECOND)) out.end++;
    return out;
}

/* Sets *out_room to how many tokens of the context a window has room for, and *out to the number of
 * windows: none of a context without tokens. */
static alcore_status count_windows(const pair_tokens *pair, int64_t most, int64_t stride,
                                   int64_t *out_room, int64_t *out) {
    const int64_t length = pair->end - pair->begin;
    const int64_t room = most - (pair->last - pair->first - length);
    *out_room = room;
    *out = length > 0;
    if (length <= room) return ALCORE_OK;
    if (room <= stride)
        return alcore__fail(ALCORE_E_DATA,
                            "the question and special tokens are %lld tokens: with a stride of "
                            "%lld, windows of %lld tokens have no room for the context; open the "
                            "model with larger max_tokens or a smaller stride",
                            (long long)(most - room), (long long)stride, (long long)most);
    const int64_t step = room - stride;
    *out = 1 + (length - room + step - 1) / step;
    return ALCORE_OK;
}

/* Counts windows and tokens of all rows, for the memory that they need, and sets out->first. */
static alcore_status count_all(const alcore__tokens *pairs, int64_t most, int64_t stride,
                               alcore__windows *out, int64_t *out_tokens) {
    *out_tokens = 0;
    for (int64_t row = 0; row < pairs->count; row++) {
        const pair_tokens pair = tokens_of(pairs, row);
        int64_t room, count;
        const alcore_status status = count_windows(&pair, most, stride, &room, &count);
        if (status != ALCORE_OK) {
            out->bad_row = row;
            return status;
        }
        out->first[row + 1] = out->first[row] + count;
        *out_tokens += count * (pair.last - pair.first < most ? pair.last - pair.first : most);
    }
    return ALCORE_OK;
}

/* Appends tokens begin .. end - 1 of the pairs to the window that ends at offset *at. The engine
 * tells positions by the type 1, which some families give to no token. */
static void copy_tokens(const alcore__tokens *pairs, int64_t begin, int64_t end,
                        alcore__windows *out, int64_t *at) {
    for (int64_t k = begin; k < end; k++, ++*at) {
        const uint8_t mark = pairs->marks[k];
        out->ids[*at] = pairs->ids[k];
        out->marks[*at] = mark & (uint8_t)~ALCORE__TOKEN_SECOND;
        out->types[*at] = mark & ALCORE__TOKEN_SECOND       ? 1
                          : mark & ALCORE_SYS_TOKEN_SPECIAL ? pairs->types[k]
                                                            : 0;
    }
}

/* Cuts one pair into its windows, the first of which is out->first[row]. */
static void cut_pair(const pair_tokens *pair, const alcore__tokens *pairs, int64_t row,
                     int64_t room, int64_t stride, alcore__windows *out) {
    for (int64_t w = out->first[row], begin = pair->begin; w < out->first[row + 1]; w++) {
        const int64_t end = pair->end - begin < room ? pair->end : begin + room;
        int64_t at = out->offsets[w];
        out->begins[w] = begin - pair->begin;
        out->fronts[w] = pair->begin - pair->first;
        copy_tokens(pairs, pair->first, pair->begin, out, &at);
        copy_tokens(pairs, begin, end, out, &at);
        copy_tokens(pairs, pair->end, pair->last, out, &at);
        out->offsets[w + 1] = at;
        out->starts[w + 1] = out->starts[w] + end - begin;
        begin += room - stride;
    }
}

alcore_status alcore__windows_cut(alcore_ctx *ctx, const alcore__tokens *pairs, int64_t most,
                                  int64_t stride, alcore__windows *out) {
    int64_t tokens;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)pairs->count + 1, sizeof *out->first, &out->first));
    ALCORE__TRY(count_all(pairs, most, stride, out, &tokens));
    const size_t windows = (size_t)out->first[pairs->count];
    out->count = (int64_t)windows;
    ALCORE__TRY(alcore__new_array(ctx, windows + 1, sizeof *out->offsets, &out->offsets));
    ALCORE__TRY(alcore__new_array(ctx, windows + 1, sizeof *out->starts, &out->starts));
    ALCORE__TRY(alcore__new_array(ctx, windows, sizeof *out->begins, &out->begins));
    ALCORE__TRY(alcore__new_array(ctx, windows, sizeof *out->fronts, &out->fronts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)tokens, sizeof *out->ids, &out->ids));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)tokens, sizeof *out->types, &out->types));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)tokens, sizeof *out->marks, &out->marks));
    for (int64_t row = 0; row < pairs->count; row++) {
        const pair_tokens pair = tokens_of(pairs, row);
        const int64_t room = most - (pair.last - pair.first - (pair.end - pair.begin));
        cut_pair(&pair, pairs, row, room, stride, out);
    }
    return ALCORE_OK;
}

void alcore__windows_clear(alcore_ctx *ctx, alcore__windows *windows) {
    alcore__free(ctx, windows->first);
    alcore__free(ctx, windows->offsets);
    alcore__free(ctx, windows->starts);
    alcore__free(ctx, windows->begins);
    alcore__free(ctx, windows->fronts);
    alcore__free(ctx, windows->ids);
    alcore__free(ctx, windows->types);
    alcore__free(ctx, windows->marks);
    *windows = (alcore__windows){0};
}
