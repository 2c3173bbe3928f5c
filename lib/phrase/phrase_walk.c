/* SPDX-License-Identifier: Apache-2.0 */
/* All phrases of an index in one pass over its suffix array (phrase_table.h says what a phrase and
 * a semi-maximal phrase are).
 *
 * The suffix array holds the positions of the corpus sorted by the words that follow: entry i is
 * position[i], lcp[i] is the number of words that it shares with entry i - 1, and bucket b is the
 * entries bucket[b] .. bucket[b + 1] - 1. The corpus is an array of word symbols, tokens, with the
 * boundary 0 after each row. Entries with the same first l words form an interval of the array for
 * every l; intervals are nested like the nodes of a trie. A stack holds the open ones, from the
 * shallowest to the deepest. An interval of depth d (its entries share d words and not all share d
 * + 1) whose parent has depth c stands for the phrases of c + 1 to d words that its entries begin
 * with: they have the same occurrences. Their semi-maximality follows from the interval:
 *
 *   length < d     the phrase one word longer has as many occurrences: dominated
 *   length = d     dominated to the right if 2 max(occ of the children) > occ, where the children
 *                  are the intervals of the phrases with one word more; dominated to the left if
 *                  one and the same word stands before more than half of the occurrences
 *
 * The word before is found by majority vote (Boyer and Moore 1991) over the interval, then a count
 * of the winner. The vote is only held where no child has more than half of the interval, so an
 * entry that takes part in a vote was in an interval of at most half that size at its last vote:
 * O(n log n) in all, however deep the intervals are nested.
 *
 * At the depth to which the array is sorted, no longer phrases exist: no phrase there is dominated.
 *
 * Every bucket of the array is one task with a list of phrases of its own; phrases that occur once
 * are noted at their position instead, where the length is limited. Memory: 12 bytes a phrase of
 * the lists, and for each thread 9 bytes an entry of the largest bucket that it met. */
#include <string.h>

#include "phrase/phrase_table.h"

static const char STAGE[] = "counting phrases";
/* Entries between two polls of cancellation. */
enum { POLL_ENTRIES = 1 << 14 };
/* Depth of a suffix in an array without a limit that differs from its neighbors before its row
 * ends: its length is computed only if it is listed (close_interval()). */
#define DEEP UINT32_MAX
/* In place of the word before: the entry belongs to no unlabeled row and does not vote. */
#define NO_VOTE UINT32_MAX
/* The words at the position of an entry are prefetched this many entries ahead, since the positions
 * of neighboring entries lie far apart in the corpus. */
enum { PREFETCH = 24 };

/* An interval: the entries from `begin` on with the same first `depth` words; where it ends is
 * known when it is closed. */
typedef struct interval {
    uint32_t depth;         /* words that all its entries share */
    uint32_t begin;         /* its first entry, index in the whole array */
    uint32_t occ;           /* entries so far that lie in unlabeled rows */
    uint32_t first;         /* the smallest corpus position of those; unset while occ is 0 */
    uint32_t max_child_occ; /* the largest occ of a child, a phrase with one word more */
    bool labeled;           /* an entry lies in a labeled row */
} interval;

/* Arrays of one worker, which grow to the largest bucket that it met. */
typedef struct walk_scratch {
    interval *stack; /* [open_count] the open intervals; their depth rises */
    size_t stack_capacity, open_count;
    /* What the walk needs of the corpus at each entry of the bucket, [entries of the bucket] each,
     * index 0 is the bucket's first entry. All of it is read in one loop beforehand
     * (read_entries()), so that many reads far apart are under way at a time. */
    uint32_t *before; /* symbol of the word before; 0 at a row's begin; NO_VOTE */
    uint32_t *leaf;   /* depth of the suffix in words, or DEEP: leaf_depth() */
    uint8_t *state;   /* ALCORE__PHRASE_... of its row */
    size_t before_capacity, leaf_capacity, state_capacity;
    alcore__phrase *phrases; /* [count] the phrases of the bucket so far */
    size_t phrases_capacity, count;
} walk_scratch;

/* What the tasks of one walk share. */
typedef struct walk {
    const alcore__phrase_index *index;
    const alcore__phrase_filter *filter;
    walk_scratch *scratches;        /* [threads] */
    alcore__phrase_table *parts;    /* [buckets] the result: the phrases of each bucket */
    alcore__phrase_single *singles; /* [pool_end] and those that occur once; NULL: these are in
                                       parts too */
} walk;

/* ---- semi-maximality ---- */

/* *out: whether one word stands before more than half of the occ unlabeled entries of an interval.
 * before [count]: the words before its entries, NO_VOTE where the row is not unlabeled. The first
 * loop is the vote, whose winner is the only word that can have a majority; the second counts the
 * winner. */
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

/* *out: whether the phrase of an interval's full depth is semi-maximal. bucket_begin: the bucket's
 * first entry, which is index 0 of scratch->before; end: the entry after the interval's last. */
static alcore_status is_semi_maximal(const walk *work, const walk_scratch *scratch,
                                     const interval *node, uint32_t bucket_begin, uint32_t end,
                                     bool *out) {
    const alcore__suffix_array *array = &work->index->array;
    bool dominated;
    *out = node->depth == array->depth;
    if (*out || 2 * (uint64_t)node->max_child_occ > node->occ) return ALCORE_OK;
    ALCORE__TRY(is_dominated_left(work->index->ctx, scratch->before + (node->begin - bucket_begin),
                                  end - node->begin, node->occ, &dominated));
    *out = !dominated;
    return ALCORE_OK;
}

/* ---- phrases of an interval ---- */

/* Whether a word of the phrase at corpus position `first` of `length` words has a letter or
 * digit. */
static bool passes_letters(const alcore__phrase_index *index, uint32_t first, uint32_t length) {
    for (uint32_t i = 0; i < length; i++)
        if (index->has_letters[index->corpus->tokens[first + i]]) return true;
    return false;
}

/* Appends the phrase of `length` words that an interval stands for to the bucket's list, unless the
 * filter leaves it out (occ and labeled were checked by the caller). */
static alcore_status emit(const walk *work, walk_scratch *scratch, const interval *node,
                          uint32_t length, bool semi_maximal) {
    if (work->filter->semi_maximal && !semi_maximal) return ALCORE_OK;
    if (work->filter->letters && !passes_letters(work->index, node->first, length))
        return ALCORE_OK;
    if (scratch->count == scratch->phrases_capacity)
        ALCORE__TRY(alcore__grow(work->index->ctx, &scratch->phrases, &scratch->phrases_capacity,
                                 scratch->count + 1, sizeof *scratch->phrases));
    scratch->phrases[scratch->count++] = (alcore__phrase){.first = node->first,
                                                          .occ = node->occ,
                                                          .length = length & 0x3FFFFFFF,
                                                          .labeled = node->labeled,
                                                          .semi_maximal = semi_maximal};
    return ALCORE_OK;
}

/* Notes the phrases of `low` to `high` words of an interval of one occurrence at its position,
 * where no other bucket writes. The intervals of one occurrence at a position are nested. */
static void note_single(const walk *work, const interval *node, uint32_t low, uint32_t high,
                        bool semi_maximal) {
    alcore__phrase_single *single = &work->singles[node->first];
    if (work->filter->semi_maximal && !semi_maximal) return;
    if (work->filter->letters)
        while (low <= high && !passes_letters(work->index, node->first, low)) low++;
    if (low > high) return;
    if (single->low == 0 || low < single->low) single->low = (uint8_t)low;
    if (node->labeled && high > single->labeled) single->labeled = (uint8_t)high;
    if (high <= single->high) return;
    single->high = (uint8_t)high;
    single->semi_maximal = semi_maximal;
}

/* Lists the phrases of a complete interval: those of parent_depth + 1 to depth words. bucket_begin:
 * the first entry of the bucket, end: the entry after the interval's last. The corpus begins with a
 * boundary, so every position has a token before it. */
static alcore_status close_interval(const walk *work, walk_scratch *scratch, const interval *node,
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
        return emit(work, scratch, node, depth, true);
    }
    if (depth <= max_words && !filter->counts_only)
        ALCORE__TRY(is_semi_maximal(work, scratch, node, bucket_begin, end, &semi_maximal));
    uint32_t length = filter->semi_maximal ? depth : parent_depth + 1;
    if (work->singles && node->occ == 1) {
        note_single(work, node, length, depth < max_words ? depth : max_words, semi_maximal);
        return ALCORE_OK;
    }
    for (; length <= depth && length <= max_words; length++)
        ALCORE__TRY(emit(work, scratch, node, length, semi_maximal && length == depth));
    return ALCORE_OK;
}

/* ---- the walk over one bucket ---- */

/* Adds the occurrences of a complete interval to its parent. */
static void add_child(interval *parent, const interval *child) {
    if (child->occ > 0 && (parent->occ == 0 || child->first < parent->first))
        parent->first = child->first;
    parent->occ += child->occ;
    parent->labeled |= child->labeled;
    if (child->occ > parent->max_child_occ) parent->max_child_occ = child->occ;
}

/* Opens an interval, which is deeper than those that are open. */
static alcore_status push(const walk *work, walk_scratch *scratch, interval node) {
    if (scratch->open_count == scratch->stack_capacity)
        ALCORE__TRY(alcore__grow(work->index->ctx, &scratch->stack, &scratch->stack_capacity,
                                 scratch->open_count + 1, sizeof *scratch->stack));
    scratch->stack[scratch->open_count++] = node;
    return ALCORE_OK;
}

/* Adds a complete interval to its parent, which has the given depth: the top of the stack if that
 * has this depth, else a new interval that begins where the child does. depth 0 is the empty
 * phrase, which is no phrase. */
static alcore_status add_to_parent(const walk *work, walk_scratch *scratch, const interval *node,
                                   uint32_t depth) {
    if (depth == 0) return ALCORE_OK; /* the empty phrase */
    if (scratch->open_count == 0 || scratch->stack[scratch->open_count - 1].depth < depth)
        ALCORE__TRY(push(work, scratch, (interval){.depth = depth, .begin = node->begin}));
    add_child(&scratch->stack[scratch->open_count - 1], node);
    return ALCORE_OK;
}

/* Closes the open intervals deeper than `depth`, from the deepest on, and adds each to its parent.
 * end is the first entry after them, bucket_begin the first entry of the bucket. The parent of a
 * closed interval has the depth of the next open one, or `depth` where that is less deep. */
static alcore_status close_deeper(const walk *work, walk_scratch *scratch, uint32_t depth,
                                  uint32_t bucket_begin, uint32_t end) {
    while (scratch->open_count > 0 && scratch->stack[scratch->open_count - 1].depth > depth) {
        const interval node = scratch->stack[--scratch->open_count];
        const uint32_t below =
            scratch->open_count > 0 ? scratch->stack[scratch->open_count - 1].depth : 0;
        const uint32_t parent_depth = below > depth ? below : depth;
        ALCORE__TRY(close_interval(work, scratch, &node, parent_depth, bucket_begin, end));
        ALCORE__TRY(add_to_parent(work, scratch, &node, parent_depth));
    }
    return ALCORE_OK;
}

/* The depth in words of the suffix at a position whose first `shared` words are those of a
 * neighboring entry: the words to the end of its row, at most the depth of the array. Without such
 * a limit it is DEEP where the suffix has more than `shared` words, which saves walking to the end
 * of the row. */
static uint32_t leaf_depth(const alcore__phrase_index *index, uint32_t position, uint32_t shared) {
    const uint32_t *suffix = index->corpus->tokens + position;
    uint32_t depth = shared;
    if (index->array.depth == ALCORE__SUFFIX_UNLIMITED)
        return suffix[depth] == ALCORE__CORPUS_BOUNDARY ? depth : DEEP;
    while (depth < index->array.depth && suffix[depth] != ALCORE__CORPUS_BOUNDARY) depth++;
    return depth;
}

/* Fills before, leaf and state, index 0 on, for the entries begin .. end - 1 of a bucket. */
static alcore_status read_entries(const walk *work, walk_scratch *scratch, uint32_t begin,
                                  uint32_t end) {
    const alcore__phrase_index *index = work->index;
    alcore_ctx *ctx = index->ctx;
    const uint32_t *position = index->array.position, *lcp = index->array.lcp;
    const uint32_t *tokens = index->corpus->tokens;
    const size_t count = end - begin;
    ALCORE__TRY(
        alcore__grow(ctx, &scratch->before, &scratch->before_capacity, count, sizeof(uint32_t)));
    ALCORE__TRY(
        alcore__grow(ctx, &scratch->leaf, &scratch->leaf_capacity, count, sizeof(uint32_t)));
    ALCORE__TRY(alcore__grow(ctx, &scratch->state, &scratch->state_capacity, count, 1));
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t next = i + 1 < end ? lcp[i + 1] : 0;
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        if (i + PREFETCH < end) {
            const uint32_t ahead = position[i + PREFETCH];
            __builtin_prefetch(&tokens[ahead - 1]);
        }
        const int32_t state = alcore__phrase_state(index, position[i]);
        scratch->state[i - begin] = (uint8_t)state;
        scratch->leaf[i - begin] = leaf_depth(index, position[i], lcp[i] > next ? lcp[i] : next);
        scratch->before[i - begin] =
            state == ALCORE__PHRASE_UNLABELED ? tokens[position[i] - 1] : NO_VOTE;
    }
    return ALCORE_OK;
}

/* Adds entry i of the bucket with the entries begin .. end - 1, after close_deeper() has closed the
 * intervals deeper than lcp[i]. A suffix deeper than what it shares with its neighbors is a
 * complete interval of its own, with one entry. Else its last word is the last word of the interval
 * that it shares with them: it counts as an occurrence there but is no child, since it has no word
 * more. So max_child_occ is kept. */
static alcore_status add_entry(const walk *work, walk_scratch *scratch, uint32_t begin, uint32_t i,
                               uint32_t end) {
    const uint32_t *lcp = work->index->array.lcp;
    const uint32_t next = i + 1 < end ? lcp[i + 1] : 0, shared = lcp[i] > next ? lcp[i] : next;
    const uint8_t state = scratch->state[i - begin];
    const interval leaf = {.depth = scratch->leaf[i - begin],
                           .begin = i,
                           .occ = state == ALCORE__PHRASE_UNLABELED,
                           .first = work->index->array.position[i],
                           .labeled = state == ALCORE__PHRASE_LABELED};
    if (leaf.depth > shared) {
        ALCORE__TRY(close_interval(work, scratch, &leaf, shared, begin, i + 1));
        return add_to_parent(work, scratch, &leaf, shared);
    }
    if (scratch->open_count == 0 || scratch->stack[scratch->open_count - 1].depth < shared)
        ALCORE__TRY(push(work, scratch, (interval){.depth = shared, .begin = i}));
    interval *top = &scratch->stack[scratch->open_count - 1];
    const uint32_t max_child_occ = top->max_child_occ;
    add_child(top, &leaf);
    top->max_child_occ = max_child_occ;
    return ALCORE_OK;
}

/* Prefetches what note_single() writes for a position. Labeled rows have no such entry. */
static inline void prefetch_single(const walk *work, uint32_t position) {
    if (position < work->index->corpus->pool_end) __builtin_prefetch(&work->singles[position], 1);
}

/* The task of one bucket (alcore__task): walks over its entries and copies the phrases that it
 * found to parts[bucket]. Every n-gram lies within one bucket, so tasks share nothing that they
 * write. */
static alcore_status walk_bucket(void *data, int64_t bucket, int32_t worker) {
    const walk *work = data;
    const alcore__phrase_index *index = work->index;
    const uint32_t begin = index->array.bucket[bucket], end = index->array.bucket[bucket + 1];
    walk_scratch *scratch = &work->scratches[worker];
    alcore__phrase_table *part = &work->parts[bucket];
    scratch->open_count = scratch->count = 0;
    ALCORE__TRY(read_entries(work, scratch, begin, end));
    for (uint32_t i = begin; i < end; i++) {
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(index->ctx, NULL, 0, 0));
        if (work->singles && i + PREFETCH < end)
            prefetch_single(work, index->array.position[i + PREFETCH]);
        ALCORE__TRY(close_deeper(work, scratch, index->array.lcp[i], begin, i));
        ALCORE__TRY(add_entry(work, scratch, begin, i, end));
    }
    ALCORE__TRY(close_deeper(work, scratch, 0, begin, end));
    if (scratch->count == 0) return ALCORE_OK;
    const size_t bytes = scratch->count * sizeof *scratch->phrases;
    part->phrases = alcore__alloc(index->ctx, bytes);
    if (!part->phrases) return alcore__fail_memory(bytes);
    memcpy(part->phrases, scratch->phrases, bytes);
    part->count = (int64_t)scratch->count;
    return ALCORE_OK;
}

/* Walks over all buckets on the context's threads and frees the workers' arrays. */
alcore_status alcore__phrase_walk(const alcore__phrase_index *index,
                                  const alcore__phrase_filter *filter, alcore__phrase_table *parts,
                                  alcore__phrase_single *singles) {
    alcore_ctx *ctx = index->ctx;
    const int32_t threads = alcore_ctx_threads(ctx);
    walk work = {.index = index, .filter = filter, .parts = parts, .singles = singles};
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
