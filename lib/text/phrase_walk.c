/* SPDX-License-Identifier: Apache-2.0 */
/* All phrases of an index in one pass over its suffix array.
 *
 * Neighboring entries with a common prefix of l words form an interval of the array for every
 * n-gram with n <= l; intervals are nested like the nodes of a trie. A stack holds the open ones.
 * An interval of string depth d whose parent has depth c stands for the phrases of c + 1 to d words
 * at its begin: they have the same occurrences. Their semi-maximality follows from the interval:
 *
 *   length < d     the phrase one word longer has as many occurrences: dominated
 *   length = d     dominated to the right if 2 max(occ of the children) > occ, where the children
 *                  are the phrases with one word more; dominated to the left if one word stands
 *                  before more than half of the occurrences
 *
 * The word before: majority vote (Boyer and Moore 1991) over the interval, then a count of the
 * winner. The vote is only held where no child has more than half of the interval, so an entry that
 * takes part in a vote was at most half of it in the one before: O(n log n) in all, however deep
 * the intervals are nested.
 *
 * At the depth to which the array is sorted, longer phrases do not exist: dominated by none.
 *
 * Every bucket of the array is one task with a list of phrases of its own. Memory: 12 bytes a
 * phrase, and for each thread 9 bytes an entry of the largest bucket that it met. */
#include <string.h>

#include "text/phrase_table.h"

static const char STAGE[] = "counting phrases";
enum { POLL_ENTRIES = 1 << 14 };
/* A suffix of which only the beginning matters: it is alone from there on. */
#define DEEP UINT32_MAX
/* In place of the word before: the entry is of no unlabeled row. */
#define NO_VOTE UINT32_MAX
/* Entries ahead for which the words at their position are asked for: the reads are far apart. */
enum { PREFETCH = 24 };

/* An open interval: entries from `begin` on with the same first `depth` words. */
typedef struct interval {
    uint32_t depth;
    uint32_t begin; /* entry */
    uint32_t occ;   /* occurrences in unlabeled rows so far */
    uint32_t first; /* the smallest of their positions */
    uint32_t best;  /* the largest occ of a child: the phrases with one word more */
    bool labeled;   /* one occurrence is in a labeled row */
} interval;

/* What a thread works with; its memory grows to what the largest bucket needs. */
typedef struct scratch {
    interval *stack; /* [depth] open intervals, depth rising */
    size_t stack_capacity, depth;
    /* What the walk needs of the words at each entry of the bucket: [entries] each. All of it is
     * read in one loop beforehand, so that many reads far apart are under way at a time. */
    uint32_t *before; /* the word before; 0 at a row's begin, NO_VOTE */
    uint32_t *leaf;   /* depth of the suffix: leaf_depth() */
    uint8_t *state;   /* of its row */
    size_t before_capacity, leaf_capacity, state_capacity;
    alcore__phrase *phrases; /* [count] of the bucket */
    size_t phrases_capacity, count;
} scratch;

typedef struct walk {
    const alcore__phrase_index *index;
    const alcore__phrase_filter *filter;
    scratch *scratches;          /* [threads] */
    alcore__phrase_table *parts; /* [buckets] */
} walk;

/* ---- semi-maximality ---- */

/* Whether one word stands before more than half of the occ unlabeled entries of before [count]. */
static alcore_status is_dominated_left(alcore_ctx *ctx, const uint32_t *before, uint32_t count,
                                       uint32_t occ, bool *out) {
    uint32_t winner = ALCORE__CORPUS_BOUNDARY, lead = 0, wins = 0;
    *out = false;
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_ENTRIES == 0 && i > 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        if (before[i] == NO_VOTE) continue;
        if (lead == 0) {
            winner = before[i];
            lead = 1;
        } else {
            lead += before[i] == winner ? 1 : UINT32_MAX; /* plus or minus 1 */
        }
    }
    /* A row's begin is no word: when it wins, no word has the majority. */
    if (lead == 0 || winner == ALCORE__CORPUS_BOUNDARY) return ALCORE_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_ENTRIES == 0 && i > 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        wins += before[i] == winner;
    }
    *out = 2 * (uint64_t)wins > occ;
    return ALCORE_OK;
}

/* Whether the phrase of an interval's full depth is semi-maximal. before: of the bucket whose first
 * entry is bucket_begin; end: the entry behind the interval. */
static alcore_status is_semi_maximal(const walk *work, const scratch *own, const interval *node,
                                     uint32_t bucket_begin, uint32_t end, bool *out) {
    const alcore__suffix_array *array = &work->index->array;
    bool dominated;
    *out = node->depth == array->depth;
    if (*out || 2 * (uint64_t)node->best > node->occ) return ALCORE_OK;
    ALCORE__TRY(is_dominated_left(work->index->ctx, own->before + (node->begin - bucket_begin),
                                  end - node->begin, node->occ, &dominated));
    *out = !dominated;
    return ALCORE_OK;
}

/* ---- phrases of an interval ---- */

static bool passes_letters(const alcore__phrase_index *index, uint32_t first, uint32_t length) {
    for (uint32_t i = 0; i < length; i++)
        if (index->has_letters[index->corpus->tokens[first + i]]) return true;
    return false;
}

static alcore_status emit(const walk *work, scratch *own, const interval *node, uint32_t length,
                          bool semi_maximal) {
    if (work->filter->semi_maximal && !semi_maximal) return ALCORE_OK;
    if (work->filter->letters && !passes_letters(work->index, node->first, length))
        return ALCORE_OK;
    if (own->count == own->phrases_capacity)
        ALCORE__TRY(alcore__grow(work->index->ctx, &own->phrases, &own->phrases_capacity,
                                 own->count + 1, sizeof *own->phrases));
    own->phrases[own->count++] = (alcore__phrase){.first = node->first,
                                                  .occ = node->occ,
                                                  .length = length & 0x3FFFFFFF,
                                                  .labeled = node->labeled,
                                                  .semi_maximal = semi_maximal};
    return ALCORE_OK;
}

/* Lists the phrases of an interval that is complete: those longer than its parent. */
static alcore_status close_interval(const walk *work, scratch *own, const interval *node,
                                    uint32_t parent_depth, uint32_t bucket_begin, uint32_t end) {
    const uint32_t max_words = work->index->max_words;
    const alcore__phrase_filter *filter = work->filter;
    bool semi_maximal = false;
    if (node->occ == 0 || node->occ < filter->min_count) return ALCORE_OK;
    if (filter->unlabeled && node->labeled) return ALCORE_OK;
    uint32_t depth = node->depth;
    if (depth == DEEP) {
        /* One occurrence, to the end of its row: every phrase shorter than that is dominated, and
         * so is the longest one if a word stands before it. */
        const alcore__corpus *corpus = work->index->corpus;
        if (corpus->tokens[node->first - 1] != ALCORE__CORPUS_BOUNDARY) return ALCORE_OK;
        depth = corpus->begin[alcore__corpus_row(corpus, node->first) + 1] - 1 - node->first;
        return emit(work, own, node, depth, true);
    }
    if (depth <= max_words && !filter->counts_only)
        ALCORE__TRY(is_semi_maximal(work, own, node, bucket_begin, end, &semi_maximal));
    uint32_t length = filter->semi_maximal ? depth : parent_depth + 1;
    for (; length <= depth && length <= max_words; length++)
        ALCORE__TRY(emit(work, own, node, length, semi_maximal && length == depth));
    return ALCORE_OK;
}

/* ---- the walk over one bucket ---- */

static void add_child(interval *parent, const interval *child) {
    if (child->occ > 0 && (parent->occ == 0 || child->first < parent->first))
        parent->first = child->first;
    parent->occ += child->occ;
    parent->labeled |= child->labeled;
    if (child->occ > parent->best) parent->best = child->occ;
}

static alcore_status push(const walk *work, scratch *own, interval node) {
    if (own->depth == own->stack_capacity)
        ALCORE__TRY(alcore__grow(work->index->ctx, &own->stack, &own->stack_capacity,
                                 own->depth + 1, sizeof *own->stack));
    own->stack[own->depth++] = node;
    return ALCORE_OK;
}

/* Adds a complete interval to its parent of the given depth, which is opened when it is not. */
static alcore_status add_to_parent(const walk *work, scratch *own, const interval *node,
                                   uint32_t depth) {
    if (depth == 0) return ALCORE_OK; /* the empty phrase */
    if (own->depth == 0 || own->stack[own->depth - 1].depth < depth)
        ALCORE__TRY(push(work, own, (interval){.depth = depth, .begin = node->begin}));
    add_child(&own->stack[own->depth - 1], node);
    return ALCORE_OK;
}

/* Closes the open intervals deeper than `depth`, of which `end` is the first entry behind. */
static alcore_status close_deeper(const walk *work, scratch *own, uint32_t depth,
                                  uint32_t bucket_begin, uint32_t end) {
    while (own->depth > 0 && own->stack[own->depth - 1].depth > depth) {
        const interval node = own->stack[--own->depth];
        const uint32_t below = own->depth > 0 ? own->stack[own->depth - 1].depth : 0;
        const uint32_t parent_depth = below > depth ? below : depth;
        ALCORE__TRY(close_interval(work, own, &node, parent_depth, bucket_begin, end));
        ALCORE__TRY(add_to_parent(work, own, &node, parent_depth));
    }
    return ALCORE_OK;
}

/* The depth of the suffix at a position, of which the first `shared` words are those of a neighbor:
 * its number of words, at most the depth of the array; DEEP when it has more than `shared` and
 * there is no such limit. */
static uint32_t leaf_depth(const alcore__phrase_index *index, uint32_t position, uint32_t shared) {
    const uint32_t *suffix = index->corpus->tokens + position;
    uint32_t depth = shared;
    if (index->array.depth == ALCORE__SUFFIX_UNLIMITED)
        return suffix[depth] == ALCORE__CORPUS_BOUNDARY ? depth : DEEP;
    while (depth < index->array.depth && suffix[depth] != ALCORE__CORPUS_BOUNDARY) depth++;
    return depth;
}

/* Fills before, leaf and state for the entries [begin, end) of a bucket. */
static alcore_status read_entries(const walk *work, scratch *own, uint32_t begin, uint32_t end) {
    const alcore__phrase_index *index = work->index;
    alcore_ctx *ctx = index->ctx;
    const uint32_t *position = index->array.position, *lcp = index->array.lcp;
    const uint32_t *tokens = index->corpus->tokens;
    const size_t count = end - begin;
    ALCORE__TRY(alcore__grow(ctx, &own->before, &own->before_capacity, count, sizeof(uint32_t)));
    ALCORE__TRY(alcore__grow(ctx, &own->leaf, &own->leaf_capacity, count, sizeof(uint32_t)));
    ALCORE__TRY(alcore__grow(ctx, &own->state, &own->state_capacity, count, 1));
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t next = i + 1 < end ? lcp[i + 1] : 0;
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        if (i + PREFETCH < end) __builtin_prefetch(&tokens[position[i + PREFETCH] - 1]);
        const int32_t state = alcore__phrase_state(index, position[i]);
        own->state[i - begin] = (uint8_t)state;
        own->leaf[i - begin] = leaf_depth(index, position[i], lcp[i] > next ? lcp[i] : next);
        own->before[i - begin] =
            state == ALCORE__PHRASE_UNLABELED ? tokens[position[i] - 1] : NO_VOTE;
    }
    return ALCORE_OK;
}

/* Adds entry i of the bucket that begins at `begin`; intervals deeper than its common prefix with
 * the entry before are closed. If it is deeper than what it shares with its neighbors, it is a
 * complete interval of its own; else it ends where the interval of what it shares does, and is no
 * child of it: there is no phrase with one word more. */
static alcore_status add_entry(const walk *work, scratch *own, uint32_t begin, uint32_t i,
                               uint32_t end) {
    const uint32_t *lcp = work->index->array.lcp;
    const uint32_t next = i + 1 < end ? lcp[i + 1] : 0, shared = lcp[i] > next ? lcp[i] : next;
    const uint8_t state = own->state[i - begin];
    const interval leaf = {.depth = own->leaf[i - begin],
                           .begin = i,
                           .occ = state == ALCORE__PHRASE_UNLABELED,
                           .first = work->index->array.position[i],
                           .labeled = state == ALCORE__PHRASE_LABELED};
    if (leaf.depth > shared) {
        ALCORE__TRY(close_interval(work, own, &leaf, shared, begin, i + 1));
        return add_to_parent(work, own, &leaf, shared);
    }
    if (own->depth == 0 || own->stack[own->depth - 1].depth < shared)
        ALCORE__TRY(push(work, own, (interval){.depth = shared, .begin = i}));
    interval *top = &own->stack[own->depth - 1];
    const uint32_t best = top->best;
    add_child(top, &leaf);
    top->best = best;
    return ALCORE_OK;
}

static alcore_status walk_bucket(void *data, int64_t bucket, int32_t worker) {
    const walk *work = data;
    const alcore__phrase_index *index = work->index;
    const uint32_t begin = index->array.bucket[bucket], end = index->array.bucket[bucket + 1];
    scratch *own = &work->scratches[worker];
    alcore__phrase_table *part = &work->parts[bucket];
    own->depth = own->count = 0;
    ALCORE__TRY(read_entries(work, own, begin, end));
    for (uint32_t i = begin; i < end; i++) {
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(index->ctx, NULL, 0, 0));
        ALCORE__TRY(close_deeper(work, own, index->array.lcp[i], begin, i));
        ALCORE__TRY(add_entry(work, own, begin, i, end));
    }
    ALCORE__TRY(close_deeper(work, own, 0, begin, end));
    if (own->count == 0) return ALCORE_OK;
    const size_t bytes = own->count * sizeof *own->phrases;
    part->phrases = alcore__alloc(index->ctx, bytes);
    if (part->phrases == NULL) return alcore__fail_memory(bytes);
    memcpy(part->phrases, own->phrases, bytes);
    part->count = (int64_t)own->count;
    return ALCORE_OK;
}

alcore_status alcore__phrase_walk(const alcore__phrase_index *index,
                                  const alcore__phrase_filter *filter,
                                  alcore__phrase_table *parts) {
    alcore_ctx *ctx = index->ctx;
    const int32_t threads = alcore_ctx_threads(ctx);
    walk work = {.index = index, .filter = filter, .parts = parts};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)threads, sizeof *work.scratches, &work.scratches));
    const alcore_status status =
        alcore__parallel(ctx, STAGE, index->array.buckets, walk_bucket, &work);
    for (int32_t i = 0; i < threads; i++) {
        alcore__free(ctx, work.scratches[i].stack);
        alcore__free(ctx, work.scratches[i].before);
        alcore__free(ctx, work.scratches[i].leaf);
        alcore__free(ctx, work.scratches[i].state);
        alcore__free(ctx, work.scratches[i].phrases);
    }
    alcore__free(ctx, work.scratches);
    return status;
}
