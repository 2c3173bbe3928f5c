/* SPDX-License-Identifier: Apache-2.0 */
/* Building a trie of tokens (token_trie.h): the tokens are sorted by their bytes, and the nodes are
 * made from the root on, each for a range of the sorted tokens that begin with the same bytes.
 *
 * A base must be that of no other node, and the units of all children must be free. It is looked
 * for among the free units of the last OPEN_BLOCKS blocks, as darts-clone does. A few units of
 * older blocks stay free for good; in return the time is linear in the number of nodes. */
#include "tokenizer/token_trie.h"

#include "text/radix_sort.h"

#define BLOCK 256                   /* units; one for each value of a byte */
#define OPEN_BLOCKS 16              /* the choice of darts-clone */
#define MAX_UNITS ((size_t)1 << 23) /* a base has 23 bits */
#define SMALL_RANGE 16              /* ranges up to this length are sorted by insertion */

/* A node that is still to be made: tokens [begin, end) of the sorted ones have the same first
 * `depth` bytes. */
typedef struct range {
    uint32_t begin, end, unit; /* indices in build.sorted; index in trie->unit of the node */
    size_t depth;              /* bytes behind the prefix */
} range;

/* The free units of the open blocks form a ring, a doubly linked list in which unit 0, the root,
 * stands for both ends: it is never free itself. */
typedef struct ring {
    uint32_t next, previous; /* indices of units */
} ring;

/* What is kept while a trie is built. */
typedef struct build {
    alcore_ctx *ctx;
    const alcore__vocabulary *words;
    size_t prefix; /* bytes in front of each token that are left out */
    /* sorted [count]: tokens, in the end sorted by their bytes; value: the number of the token,
     * key: workspace of the sorting, as spare [count] is. */
    alcore__keyed *sorted, *spare;
    uint8_t *base_used; /* [trie->units] 1: the unit's index is the base of a node */
    ring *free_units;   /* [trie->units] set for the free units of open blocks and the root */
    size_t base_capacity, ring_capacity;
    range *stack; /* [depth] ranges that are still to be sorted, later nodes still to be made */
    size_t stack_capacity, depth; /* depth: the number of ranges on the stack */
    uint32_t count;               /* tokens of the trie */
    alcore__token_trie *trie;     /* the result */
} build;

/* The bytes of a token without the prefix. */
static const unsigned char *token_bytes(const build *state, uint32_t number, size_t *length) {
    const char *text = alcore__vocabulary_word(state->words, number, length);
    *length -= state->prefix;
    return (const unsigned char *)text + state->prefix;
}

/* Bytes depth .. depth + 7 of a token as a number that compares as they do, with 0 behind the end
 * of the token, which no token holds as a byte. */
static uint64_t key_at(const build *state, uint32_t number, size_t depth) {
    size_t length;
    const unsigned char *text = token_bytes(state, number, &length);
    uint64_t key = 0;
    for (size_t i = depth; i < depth + 8; i++) key = key << 8 | (i < length ? text[i] : 0);
    return key;
}

/* Whether token a comes before token b, which agree in their first `depth` bytes. */
static bool token_before(const build *state, uint32_t a, uint32_t b, size_t depth) {
    size_t a_length, b_length;
    const unsigned char *a_text = token_bytes(state, a, &a_length);
    const unsigned char *b_text = token_bytes(state, b, &b_length);
    const size_t shared = a_length < b_length ? a_length : b_length;
    const int order = shared > depth ? memcmp(a_text + depth, b_text + depth, shared - depth) : 0;
    return order < 0 || (order == 0 && a_length < b_length);
}

/* Sorts a few tokens of which the first `depth` bytes agree. */
static void sort_small(const build *state, alcore__keyed *sorted, size_t count, size_t depth) {
    for (size_t i = 1; i < count; i++) {
        const alcore__keyed moved = sorted[i];
        size_t j = i;
        for (; j > 0 && token_before(state, moved.value, sorted[j - 1].value, depth); j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = moved;
    }
}

/* Sorts tokens [work.begin, work.end), of which the first work.depth bytes agree, by the eight
 * bytes that follow; ranges that still agree are put on the stack (their unit is not used). All
 * texts are different and hold no NUL, so a token that ends within the eight bytes agrees with no
 * other one, and the depth of a range stays below the length of its tokens. */
static alcore_status sort_range(build *state, range work) {
    const size_t count = work.end - work.begin;
    alcore__keyed *sorted = state->sorted + work.begin;
    if (count <= SMALL_RANGE) {
        sort_small(state, sorted, count, work.depth);
        return ALCORE_OK;
    }
    for (size_t i = 0; i < count; i++) sorted[i].key = key_at(state, sorted[i].value, work.depth);
    ALCORE__TRY(alcore__radix_sort(state->ctx, sorted, state->spare, count));
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && sorted[end].key == sorted[begin].key;) end++;
        if (end - begin == 1) continue;
        ALCORE__TRY(alcore__grow(state->ctx, &state->stack, &state->stack_capacity,
                                 state->depth + 1, sizeof *state->stack));
        state->stack[state->depth++] =
            (range){work.begin + (uint32_t)begin, work.begin + (uint32_t)end, 0, work.depth + 8};
    }
    return ALCORE_OK;
}

/* Sorts all tokens by their bytes. */
static alcore_status sort_tokens(build *state) {
    ALCORE__TRY(sort_range(state, (range){0, state->count, 0, 0}));
    while (state->depth > 0) ALCORE__TRY(sort_range(state, state->stack[--state->depth]));
    return ALCORE_OK;
}

/* Removes a unit from the ring of free units. */
static void leave_ring(build *state, size_t unit) {
    const ring links = state->free_units[unit];
    state->free_units[links.previous].next = links.next;
    state->free_units[links.next].previous = links.previous;
}

/* Adds a free unit at the end of the ring of free units. */
static void join_ring(build *state, uint32_t unit) {
    const uint32_t last = state->free_units[0].previous;
    state->free_units[unit] = (ring){0, last};
    state->free_units[last].next = unit;
    state->free_units[0].previous = unit;
}

/* Appends a block of free units, and removes those of the block that is no longer among the last
 * OPEN_BLOCKS from the ring. The arrays may move. */
static alcore_status add_block(build *state) {
    alcore__token_trie *trie = state->trie;
    const size_t begin = trie->units, units = begin + BLOCK;
    if (units > MAX_UNITS)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "a vocabulary of more than %zu trie nodes",
                            MAX_UNITS);
    ALCORE__TRY(alcore__grow(state->ctx, &trie->unit, &trie->capacity, units, sizeof *trie->unit));
    ALCORE__TRY(alcore__grow(state->ctx, &state->base_used, &state->base_capacity, units, 1));
    ALCORE__TRY(alcore__grow(state->ctx, &state->free_units, &state->ring_capacity, units,
                             sizeof *state->free_units));
    trie->units = units;
    memset(state->base_used + begin, 0, BLOCK);
    for (size_t i = begin; i < units; i++) {
        trie->unit[i] = (alcore__trie_unit){.token = ALCORE__TRIE_INNER};
        if (i == 0)
            state->free_units[0] = (ring){0, 0};
        else
            join_ring(state, (uint32_t)i);
    }
    if (units <= BLOCK * OPEN_BLOCKS) return ALCORE_OK;
    const size_t closed = units - BLOCK * (OPEN_BLOCKS + 1);
    for (size_t i = closed; i < closed + BLOCK; i++)
        if (i > 0 && trie->unit[i].label == 0) leave_ring(state, i);
    return ALCORE_OK;
}

/* Whether a node with children for bytes [count] can have this base. A base and its children lie in
 * one block, as they differ in the low 8 bits only; so the children are in an open block too. */
static bool base_fits(const build *state, size_t base, const unsigned char *bytes, size_t count) {
    if (state->base_used[base]) return false;
    for (size_t i = 0; i < count; i++) {
        const size_t unit = base ^ bytes[i];
        if (unit == 0 || state->trie->unit[unit].label != 0) return false;
    }
    return true;
}

/* Finds a base for a node with children for bytes [count], all different, and labels the units of
 * the children, which leave the ring. The child of the first byte is tried at each free unit in
 * turn; if no base fits (unit 0 ends the ring), it is the first unit of a new block, all of whose
 * units are free. The mask 511 only tells the compiler that the value fits the bit field. */
static alcore_status place_children(build *state, const unsigned char *bytes, size_t count,
                                    uint32_t *out_base) {
    alcore__token_trie *trie = state->trie;
    uint32_t unit = state->free_units[0].next;
    while (unit != 0 && !base_fits(state, unit ^ bytes[0], bytes, count))
        unit = state->free_units[unit].next;
    uint32_t base = unit ^ bytes[0];
    if (unit == 0) {
        base = (uint32_t)trie->units;
        ALCORE__TRY(add_block(state));
    }
    state->base_used[base] = 1;
    for (size_t i = 0; i < count; i++) {
        trie->unit[base ^ bytes[i]].label = (bytes[i] + 1u) & 511u;
        leave_ring(state, base ^ bytes[i]);
    }
    *out_base = base;
    return ALCORE_OK;
}

/* Collects the different bytes that follow the first work->depth ones in a range (all its tokens
 * are longer): bytes [count], and starts [count + 1], the position of the first token with each,
 * and work->end; returns count. */
static size_t split_range(const build *state, const range *work, unsigned char *bytes,
                          uint32_t *starts) {
    size_t count = 0, length;
    for (uint32_t i = work->begin; i < work->end; i++) {
        const unsigned char *text = token_bytes(state, state->sorted[i].value, &length);
        if (count > 0 && text[work->depth] == bytes[count - 1]) continue;
        bytes[count] = text[work->depth];
        starts[count++] = i;
    }
    starts[count] = work->end;
    return count;
}

/* Makes the node of a range: its token, its tail or its children, which are put on the stack. The
 * token that ends here comes first in the range. A range of one longer token becomes a tail, but
 * not at the root, as a search begins with the base of the root and looks at nothing else of it.
 * bytes, starts: the children (split_range()). They are put on the stack in reverse, so that the
 * node of the first byte is made next. The mask MAX_UNITS - 1 only tells the compiler that the
 * value fits the bit field. */
static alcore_status make_node(build *state, range work) {
    unsigned char bytes[256];
    uint32_t starts[257], base;
    size_t length;
    const uint32_t first = state->sorted[work.begin].value;
    (void)token_bytes(state, first, &length);
    alcore__trie_unit *unit = &state->trie->unit[work.unit];
    if (length == work.depth) {
        unit->token = (int32_t)first;
        work.begin++;
    } else if (work.end - work.begin == 1 && work.unit != 0 && length - work.depth < MAX_UNITS) {
        unit->token = ALCORE__TRIE_INNER - 1 - (int32_t)first;
        unit->base = (uint32_t)(length - work.depth) & (MAX_UNITS - 1);
        return ALCORE_OK;
    }
    if (work.begin == work.end) return ALCORE_OK;
    const size_t count = split_range(state, &work, bytes, starts);
    ALCORE__TRY(place_children(state, bytes, count, &base));
    state->trie->unit[work.unit].base = base & (MAX_UNITS - 1);
    ALCORE__TRY(alcore__grow(state->ctx, &state->stack, &state->stack_capacity,
                             state->depth + count, sizeof *state->stack));
    for (size_t i = count; i-- > 0;) {
        state->stack[state->depth++] =
            (range){starts[i], starts[i + 1], base ^ bytes[i], work.depth + 1};
    }
    return ALCORE_OK;
}

/* Makes all nodes. Base 0 is marked as used, so that base 0 of a unit means: no children. */
static alcore_status make_nodes(build *state) {
    ALCORE__TRY(add_block(state));
    state->base_used[0] = 1;
    ALCORE__TRY(make_node(state, (range){0, state->count, 0, 0}));
    for (size_t nodes = 0; state->depth > 0; nodes++) {
        ALCORE__TRY(make_node(state, state->stack[--state->depth]));
        if ((nodes & 4095) == 0) ALCORE__TRY(alcore__tick(state->ctx, NULL, 0, -1));
    }
    return ALCORE_OK;
}

/* Collects the tokens of the trie: those of `mask` ([words->count], NULL: all) that begin with
 * prefix [state->prefix] and are longer. */
static void collect_tokens(build *state, const char *prefix, const uint8_t *mask) {
    for (uint32_t number = 0; number < state->words->count; number++) {
        size_t length;
        const char *text = alcore__vocabulary_word(state->words, number, &length);
        if (mask && !mask[number]) continue;
        if (length > state->prefix &&
            (state->prefix == 0 || memcmp(text, prefix, state->prefix) == 0))
            state->sorted[state->count++].value = number;
    }
}

/* Collects, sorts and enters the tokens. Without any the trie stays empty (unit NULL), and finds
 * nothing. */
alcore_status alcore__token_trie_build(alcore_ctx *ctx, const alcore__vocabulary *words,
                                       const char *prefix, size_t length, const uint8_t *mask,
                                       alcore__token_trie *trie) {
    build state = {.ctx = ctx, .words = words, .prefix = length, .trie = trie};
    alcore_status status;
    trie->words = words;
    ALCORE__TRY_GOTO(status, end,
                     alcore__new_array(ctx, words->count, sizeof *state.sorted, &state.sorted));
    ALCORE__TRY_GOTO(status, end,
                     alcore__new_array(ctx, words->count, sizeof *state.spare, &state.spare));
    collect_tokens(&state, prefix, mask);
    if (state.count > 0) {
        ALCORE__TRY_GOTO(status, end, sort_tokens(&state));
        status = make_nodes(&state);
    }
end:
    alcore__free(ctx, state.sorted);
    alcore__free(ctx, state.spare);
    alcore__free(ctx, state.base_used);
    alcore__free(ctx, state.free_units);
    alcore__free(ctx, state.stack);
    return status;
}

void alcore__token_trie_clear(alcore_ctx *ctx, alcore__token_trie *trie) {
    alcore__free(ctx, trie->unit);
    *trie = (alcore__token_trie){0};
}
