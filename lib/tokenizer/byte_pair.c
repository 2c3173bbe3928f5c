/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-pair encoding (Sennrich, Haddow and Birch 2016): a word is spelled with the tokens of its
 * characters, and two neighbors are merged into one token as long as some pair of neighbors has a
 * merge: first the pair of the lowest rank, of several the leftmost.
 *
 * The merges are a hash table from pairs of token numbers to (rank, merged token). Pairs that can
 * be merged wait in a binary heap of (rank, position); each symbol knows the rank of its pair, so
 * that a pair that has changed since it was put there is recognized without a search. n characters
 * take n log n steps. Results are those of the package `tokenizers`. */
#include <string.h>

#include "text/utf8.h"
#include "tokenizer/token_kinds.h"

#define NO_RANK UINT32_MAX
#define NO_SYMBOL UINT32_MAX

/* Two tokens and what they become; rank NO_RANK: a free slot. */
struct alcore__merge_slot {
    uint32_t left, right;  /* numbers of the tokens */
    uint32_t rank, merged; /* the lower the rank, the earlier the pair is merged; the number of the
                            * token that they become */
};

/* A part of the word with its token. Those that are not merged into another form a doubly linked
 * list by their positions in the array. */
typedef struct symbol {
    uint32_t number;         /* of its token */
    uint32_t bytes;          /* bytes of the word; 0: merged into the symbol before it */
    uint32_t previous, next; /* positions of the neighbors; NO_SYMBOL at the ends */
    /* Of the pair with the next symbol: the rank of its merge, 0 before all others, NO_RANK: it has
     * none; and the number of the token that it becomes. */
    uint32_t rank, merged;
} symbol;

/* A word while it is cut: arrays in the scratch memory. */
typedef struct cut {
    const alcore__token_model *model;
    symbol *symbols; /* [count] by position; begin_cut() says how many there can be */
    uint64_t *heap;  /* [waiting] binary heap, the smallest first: rank << 32 | position of the left
                      * symbol. Each symbol offers its pair once, and each merge at most two new
                      * pairs: at most 3 entries for each symbol */
    char *affixed;   /* [affixes + 4] a character between prefix and suffix */
    size_t count, waiting;
    uint32_t unknown_bytes; /* bytes of the unknown token that is no symbol yet; 0: there is none */
} cut;

/* ---- the table of merges ---- */

/* The slot at which the search for a pair begins: the high bits of a multiplicative hash. */
static size_t merge_home(const alcore__byte_pair *self, uint32_t left, uint32_t right) {
    const uint64_t key = (uint64_t)left << 32 | right;
    return (size_t)((key * 0x9E3779B97F4A7C15u) >> self->shift);
}

/* The slot of a pair, or the free one where it belongs. */
static struct alcore__merge_slot *find_merge(const alcore__byte_pair *self, uint32_t left,
                                             uint32_t right) {
    size_t i = merge_home(self, left, right);
    while (self->merges[i].rank != NO_RANK &&
           (self->merges[i].left != left || self->merges[i].right != right))
        i = (i + 1) & (self->slots - 1);
    return &self->merges[i];
}

/* Doubles the slots and enters every merge again. */
static alcore_status grow_merges(alcore_ctx *ctx, alcore__byte_pair *self) {
    const alcore__byte_pair old = *self;
    struct alcore__merge_slot *merges;
    const size_t slots = old.slots == 0 ? 64 : old.slots * 2;
    ALCORE__TRY(alcore__new_array(ctx, slots, sizeof *merges, &merges));
    self->merges = merges;
    self->slots = slots;
    self->shift = 64 - __builtin_ctzll(slots);
    for (size_t i = 0; i < slots; i++) merges[i].rank = NO_RANK;
    for (size_t i = 0; i < old.slots; i++)
        if (old.merges[i].rank != NO_RANK)
            *find_merge(self, old.merges[i].left, old.merges[i].right) = old.merges[i];
    alcore__free(ctx, old.merges);
    return ALCORE_OK;
}

/* Adds or replaces a merge; the table grows before more than half of its slots hold one. */
alcore_status alcore__byte_pair_add(alcore_ctx *ctx, alcore__token_model *model, uint32_t left,
                                    uint32_t right, uint32_t rank, uint32_t merged) {
    alcore__byte_pair *self = &model->byte_pair;
    if (self->count * 2 >= self->slots) ALCORE__TRY(grow_merges(ctx, self));
    struct alcore__merge_slot *slot = find_merge(self, left, right);
    if (slot->rank == NO_RANK) self->count++;
    *slot = (struct alcore__merge_slot){left, right, rank, merged};
    return ALCORE_OK;
}

/* Copies a prefix or suffix; *out stays NULL for an empty one. */
static alcore_status copy_affix(alcore_ctx *ctx, const char *text, size_t length, char **out) {
    if (length == 0) return ALCORE_OK;
    *out = alcore__strndup(ctx, text, length);
    return *out ? ALCORE_OK : alcore__fail_memory(length + 1);
}

/* Sets model->byte_pair up without merges; table and unknown of the model are set. */
alcore_status alcore__byte_pair_build(alcore_ctx *ctx, alcore__token_model *model,
                                      const alcore__byte_pair_rules *rules) {
    alcore__byte_pair *self = &model->byte_pair;
    model->kind = ALCORE__BYTE_PAIR;
    self->fuse_unknown = rules->fuse_unknown;
    self->byte_fallback = rules->byte_fallback;
    self->whole_words = rules->whole_words;
    if (rules->byte_fallback) alcore__byte_tokens_find(&model->table, &self->bytes);
    for (int32_t point = 0; point < ALCORE__QUICK_CHARS; point++) {
        char text[4];
        const size_t length = alcore__utf8_write(point, text);
        self->quick[point] = alcore__token_table_find(&model->table, text, length);
    }
    ALCORE__TRY(copy_affix(ctx, rules->prefix, rules->prefix_length, &self->prefix));
    self->prefix_length = rules->prefix_length;
    ALCORE__TRY(copy_affix(ctx, rules->suffix, rules->suffix_length, &self->suffix));
    self->suffix_length = rules->suffix_length;
    if (rules->fixed)
        ALCORE__TRY(
            alcore__token_trie_build(ctx, &model->table.words, "", 0, rules->fixed, &self->fixed));
    return grow_merges(ctx, self);
}

void alcore__byte_pair_clear(alcore_ctx *ctx, alcore__token_model *model) {
    alcore__token_trie_clear(ctx, &model->byte_pair.fixed);
    alcore__free(ctx, model->byte_pair.merges);
    alcore__free(ctx, model->byte_pair.prefix);
    alcore__free(ctx, model->byte_pair.suffix);
}

/* ---- spelling a word ---- */

/* Appends a symbol; spell() corrects the links at both ends of the list afterwards. */
static void add_symbol(cut *state, uint32_t number, uint32_t bytes) {
    const uint32_t position = (uint32_t)state->count++;
    state->symbols[position] = (symbol){number, bytes, position - 1, position + 1, NO_RANK, 0};
}

/* Appends the unknown token that waits for more unknown characters, if there is one. */
static void add_unknown(cut *state) {
    if (state->unknown_bytes > 0) add_symbol(state, state->model->unknown, state->unknown_bytes);
    state->unknown_bytes = 0;
}

/* Adds the symbols of a character with `bytes` bytes whose text [length], with its prefix and
 * suffix, is no token. The tokens of its bytes are added before an unknown token that waits, as
 * `tokenizers` does. A model without an unknown token has no symbol for it. */
static void spell_unknown(cut *state, const char *text, size_t length, uint32_t bytes) {
    const alcore__byte_pair *self = &state->model->byte_pair;
    if (self->byte_fallback && alcore__byte_tokens_cover(&self->bytes, text, length)) {
        for (size_t i = 0; i < length; i++)
            add_symbol(state, self->bytes.number[(unsigned char)text[i]], 1);
        return;
    }
    if (state->model->unknown == ALCORE__WORD_NONE) return;
    if (!self->fuse_unknown) add_unknown(state);
    state->unknown_bytes += bytes;
}

/* The number of the token of the character [begin, begin + bytes) of a word [length], with the
 * prefix unless it is the first character and the suffix if it is the last; ALCORE__WORD_NONE:
 * there is none. *text [*text_length]: the text that was looked up. */
static uint32_t find_char(cut *state, const char *word, size_t length, size_t begin, size_t bytes,
                          const char **text, size_t *text_length) {
    const alcore__token_model *model = state->model;
    const alcore__byte_pair *self = &model->byte_pair;
    const size_t prefix = begin > 0 ? self->prefix_length : 0;
    const size_t suffix = begin + bytes == length ? self->suffix_length : 0;
    *text = word + begin;
    *text_length = bytes;
    if (prefix + suffix > 0) {
        if (prefix > 0) memcpy(state->affixed, self->prefix, prefix);
        memcpy(state->affixed + prefix, word + begin, bytes);
        if (suffix > 0) memcpy(state->affixed + prefix + bytes, self->suffix, suffix);
        *text = state->affixed;
        *text_length = prefix + bytes + suffix;
    } else if (bytes <= 2) {
        size_t next = 0;
        const int32_t point = alcore__utf8_next(word + begin, bytes, &next);
        if (point >= 0 && point < ALCORE__QUICK_CHARS) return self->quick[point];
    }
    return alcore__token_table_find(&model->table, *text, *text_length);
}

/* Adds the longest fixed token that the rest of the word begins with, if there is one, and moves
 * *begin behind it. Fixed tokens have no merges. */
static bool spell_fixed(cut *state, const char *word, size_t length, size_t *begin) {
    const alcore__token_trie *fixed = &state->model->byte_pair.fixed;
    alcore__trie_walk walk = alcore__trie_begin(fixed, *begin);
    uint32_t longest = ALCORE__WORD_NONE;
    size_t end = *begin;
    for (; alcore__trie_next(fixed, &walk, word, length); end = walk.end) longest = walk.number;
    if (longest == ALCORE__WORD_NONE) return false;
    add_unknown(state);
    add_symbol(state, longest, (uint32_t)(end - *begin));
    *begin = end;
    return true;
}

/* Makes the symbols of the characters of a word [length]. */
static void spell(cut *state, const char *word, size_t length) {
    for (size_t begin = 0, next = 0; begin < length; begin = next) {
        const char *text;
        size_t text_length;
        if (state->model->byte_pair.fixed.unit && spell_fixed(state, word, length, &next)) continue;
        (void)alcore__utf8_next(word, length, &next);
        const uint32_t number =
            find_char(state, word, length, begin, next - begin, &text, &text_length);
        if (number == ALCORE__WORD_NONE) {
            spell_unknown(state, text, text_length, (uint32_t)(next - begin));
        } else {
            add_unknown(state);
            add_symbol(state, number, (uint32_t)(next - begin));
        }
    }
    add_unknown(state);
    if (state->count > 0) {
        state->symbols[0].previous = NO_SYMBOL;
        state->symbols[state->count - 1].next = NO_SYMBOL;
    }
}

/* ---- merging ---- */

/* Puts a pair into the heap. */
static void push(cut *state, uint64_t pair) {
    size_t i = state->waiting++;
    for (; i > 0 && state->heap[(i - 1) / 2] > pair; i = (i - 1) / 2)
        state->heap[i] = state->heap[(i - 1) / 2];
    state->heap[i] = pair;
}

/* Removes the smallest pair from the heap, which is not empty, and returns it. */
static uint64_t pop(cut *state) {
    const uint64_t smallest = state->heap[0], last = state->heap[--state->waiting];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < state->waiting; i = child) {
        if (child + 1 < state->waiting && state->heap[child + 1] < state->heap[child]) child++;
        if (state->heap[child] >= last) break;
        state->heap[i] = state->heap[child];
    }
    state->heap[i] = last;
    return smallest;
}

/* Looks up the pair of a symbol and the next one, which exists, and puts it into the heap if it has
 * a merge. */
static void offer_pair(cut *state, uint32_t position) {
    symbol *left = &state->symbols[position];
    const symbol *right = &state->symbols[left->next];
    const struct alcore__merge_slot *slot =
        find_merge(&state->model->byte_pair, left->number, right->number);
    left->rank = slot->rank;
    left->merged = slot->merged;
    if (slot->rank != NO_RANK) push(state, (uint64_t)slot->rank << 32 | position);
}

/* Merges a symbol with the next one, and looks up the pairs with its new neighbors. */
static void merge_next(cut *state, uint32_t position) {
    symbol *left = &state->symbols[position], *right = &state->symbols[left->next];
    left->number = left->merged;
    left->bytes += right->bytes;
    left->rank = NO_RANK;
    right->bytes = 0;
    right->rank = NO_RANK;
    left->next = right->next;
    if (left->next != NO_SYMBOL) {
        state->symbols[left->next].previous = position;
        offer_pair(state, position);
    }
    if (left->previous != NO_SYMBOL) offer_pair(state, left->previous);
}

/* Merges pairs until none has a merge. An entry of the heap may be out of date, because its pair
 * has changed or vanished. Then its symbol has another rank, and the entry is ignored; or the
 * symbol has the same rank for a new pair, which may be merged as well. */
static void merge_all(cut *state) {
    for (uint32_t i = 0; i + 1 < state->count; i++) offer_pair(state, i);
    while (state->waiting > 0) {
        const uint64_t pair = pop(state);
        const uint32_t position = (uint32_t)pair;
        if (state->symbols[position].rank == (uint32_t)(pair >> 32)) merge_next(state, position);
    }
}

/* Divides the scratch memory among the arrays of a cut of a word [length]. A character is at most
 * one symbol, or with byte_fallback one for each byte of it and of its affixes: `most` symbols. The
 * limit keeps positions and 3 most within 32 bits. */
static alcore_status begin_cut(alcore_ctx *ctx, const alcore__token_model *model, size_t length,
                               alcore__pieces *pieces, cut *state) {
    const alcore__byte_pair *self = &model->byte_pair;
    const size_t affixes = self->prefix_length + self->suffix_length;
    const size_t most = self->byte_fallback ? length * (1 + affixes) : length;
    char *memory;
    if (length >= UINT32_MAX / 4 / (1 + affixes))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "a word of %zu bytes is too long for byte-pair encoding", length);
    ALCORE__TRY(alcore__pieces_scratch(
        ctx, pieces, most * (3 * sizeof *state->heap + sizeof *state->symbols) + affixes + 4,
        &memory));
    *state = (cut){.model = model, .heap = (uint64_t *)(void *)memory};
    memory += 3 * most * sizeof *state->heap;
    state->symbols = (symbol *)(void *)memory;
    state->affixed = memory + most * sizeof *state->symbols;
    return ALCORE_OK;
}

/* Appends the pieces of a word [length]. Their spans are the lengths of the symbols one after the
 * other, as in `tokenizers`: where a character has no symbol, those behind it are off by its bytes,
 * and where symbols have more bytes than the word (affixes as bytes), spans end with the word. */
alcore_status alcore__byte_pair_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                    const char *word, size_t length, alcore__pieces *pieces) {
    cut state = {.model = model};
    size_t end = 0;
    if (model->byte_pair.whole_words) {
        const uint32_t number = alcore__token_table_find(&model->table, word, length);
        ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, 1));
        if (number != ALCORE__WORD_NONE) {
            alcore__pieces_put(model, pieces, number, 0, length);
            return ALCORE_OK;
        }
    }
    ALCORE__TRY(begin_cut(ctx, model, length, pieces, &state));
    spell(&state, word, length);
    merge_all(&state);
    ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, state.count));
    for (size_t i = 0; i < state.count; i++) {
        const symbol *part = &state.symbols[i];
        if (part->bytes == 0) continue;
        const size_t begin = end;
        end = length - begin < part->bytes ? length : begin + part->bytes;
        if (part->number == model->unknown)
            alcore__pieces_put_surface(model, pieces, word, begin, end);
        else
            alcore__pieces_put(model, pieces, part->number, begin, end);
    }
    return ALCORE_OK;
}
