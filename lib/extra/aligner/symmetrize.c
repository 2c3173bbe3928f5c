/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetrization of two word alignments (docs/spec/aligner.md, "Symmetrization"; the order of
 * atools, the tool of fast_align).
 *
 *   intersection, union     of the forward links A and the reverse links B
 *   grow-diag               starts with the intersection; a pass over the other points of the union
 *                           in (source, target) order adds a point at once if one of its eight
 *                           neighbors is in the result and its source word or its target word has
 *                           no link yet; passes are repeated until one adds nothing
 *   grow-diag-final[-and]   then adds the points of A, and then those of B, of which one word has
 *                           no link yet (with -and: of which neither has)
 *   forward, reverse        A or B alone
 *
 * For each sentence pair the two sorted lists are merged into one list of points with flags. The
 * neighbors of a point in the source rows before and after its own are found by two indices that
 * only move forward, so a pass costs O(points); every pass but the last adds a point. Whether a
 * word has a link is one byte per word of the pair, cleared by walking over the points again. Pairs
 * are independent: blocks of them run on the context's threads, and each pair writes to its own
 * range of the output. */
#include "text/word_links.h"

#include <inttypes.h>
#include <string.h>

#define STAGE "symmetrizing"
enum { BLOCK_PAIRS = 1024 }; /* sentence pairs of one task */

static const char *const NAMES[ALCORE__SYMMETRIZE_METHODS] = {
    "intersection",        "union",   "grow-diag", "grow-diag-final",
    "grow-diag-final-and", "forward", "reverse",
};

/* A point of the union of A and B: a link and where it comes from. */
typedef struct point {
    alcore__link link;
    bool forward, reverse; /* it is in A, in B */
    bool chosen;           /* it is in the result */
    /* Index of the first point of source word link.source - 1 (above) and link.source + 1 (below)
     * whose target is link.target - 1 or more; at most three points from there are neighbors. Set
     * by find_neighbor_rows(); above is not used for source word 0. */
    uint32_t above, below;
} point;

/* Arrays of one worker; each grows to the largest sentence pair met. */
typedef struct scratch {
    point *points; /* [points_capacity] points of the present pair, sorted by (source, target) */
    size_t points_capacity;
    bool *source_linked; /* [source_capacity] whether the source word has a link in the result */
    bool *target_linked; /* [target_capacity] the same of target words; both all false between two
                            pairs */
    size_t source_capacity, target_capacity;
} scratch;

/* One symmetrization; lives on the stack of alcore__links_symmetrize(). */
typedef struct work {
    alcore_ctx *ctx;
    const alcore__links *forward, *reverse; /* A and B, the caller's; equal numbers of pairs */
    alcore__symmetrization method;
    scratch *scratch;   /* [threads] */
    int64_t *begin;     /* [pairs + 1] offset in link of each pair's range, which has memory for all
                           links of A and B; exact after close_gaps() */
    int64_t *count;     /* [pairs] links of the result */
    alcore__link *link; /* [begin[pairs]] */
} work;

const char *alcore__symmetrization_name(alcore__symmetrization method) {
    return NAMES[method];
}

/* *out: the method of a name; the error for an unknown one proposes the nearest name or lists
 * all. */
alcore_status alcore__symmetrization_find(const char *name, alcore__symmetrization *out) {
    for (int i = 0; i < ALCORE__SYMMETRIZE_METHODS; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *out = (alcore__symmetrization)i;
            return ALCORE_OK;
        }
    }
    const char *near = alcore__nearest_name(name, NAMES, ALCORE__SYMMETRIZE_METHODS);
    if (near)
        return alcore__fail(ALCORE_E_PARAM, "no symmetrization '%s': did you mean '%s'?", name,
                            near);
    return alcore__fail(ALCORE_E_PARAM,
                        "no symmetrization '%s': use intersection, union, grow-diag, "
                        "grow-diag-final, grow-diag-final-and, forward or reverse",
                        name);
}

/* Links compare by (source, target) as these keys do. */
static uint64_t sort_key(alcore__link link) {
    return (uint64_t)link.source << 32 | link.target;
}

/* Merges the sorted links of sentence pair `pair` of A and B into points, sorted alike, each link
 * once with the flags of both lists; returns their number. points has memory for all links of
 * both. */
static uint32_t merge_points(const work *w, int64_t pair, point *points) {
    int64_t a = w->forward->begin[pair], b = w->reverse->begin[pair];
    const int64_t a_end = w->forward->begin[pair + 1], b_end = w->reverse->begin[pair + 1];
    uint32_t count = 0;
    while (a < a_end || b < b_end) {
        const uint64_t x = a < a_end ? sort_key(w->forward->link[a]) : UINT64_MAX;
        const uint64_t y = b < b_end ? sort_key(w->reverse->link[b]) : UINT64_MAX;
        points[count++] = (point){
            .link = x <= y ? w->forward->link[a] : w->reverse->link[b],
            .forward = x <= y,
            .reverse = y <= x,
        };
        a += x <= y;
        b += y <= x;
    }
    return count;
}

/* Sets above and below of each of the points [count]. What is searched rises from point to point,
 * so two indices that only move forward find all of them in O(count). */
static void find_neighbor_rows(point *points, uint32_t count) {
    uint32_t above = 0, below = 0;
    for (uint32_t p = 0; p < count; p++) {
        const alcore__link link = points[p].link;
        const uint32_t left = link.target > 0 ? link.target - 1 : 0;
        if (link.source > 0) {
            const uint64_t first = sort_key((alcore__link){link.source - 1, left});
            while (above < count && sort_key(points[above].link) < first) above++;
        }
        const uint64_t first = sort_key((alcore__link){link.source + 1, left});
        while (below < count && sort_key(points[below].link) < first) below++;
        points[p].above = above;
        points[p].below = below;
    }
}

/* Whether the result has a point of source word `source` with a target of target - 1, target or
 * target + 1. first: index of the first point of that source word with a target of target - 1 or
 * more (point.above or point.below). */
static bool chosen_in_row(const point *points, uint32_t count, uint32_t first, uint32_t source,
                          uint32_t target) {
    for (uint32_t p = first; p < count && points[p].link.source == source; p++) {
        if (points[p].link.target > target + 1) return false;
        if (points[p].chosen) return true;
    }
    return false;
}

/* Whether one of the eight neighbors of points[p] is in the result: (source, target - 1) and
 * (source, target + 1) can only be the points before and after it, the other six are looked up by
 * above and below. */
static bool has_chosen_neighbor(const point *points, uint32_t count, uint32_t p) {
    const alcore__link link = points[p].link;
    if (p > 0 && points[p - 1].chosen && points[p - 1].link.source == link.source &&
        points[p - 1].link.target + 1 == link.target)
        return true;
    if (p + 1 < count && points[p + 1].chosen && points[p + 1].link.source == link.source &&
        points[p + 1].link.target == link.target + 1)
        return true;
    return (link.source > 0 &&
            chosen_in_row(points, count, points[p].above, link.source - 1, link.target)) ||
           chosen_in_row(points, count, points[p].below, link.source + 1, link.target);
}

/* Adds a point to the result and marks both of its words as linked. */
static void choose(scratch *s, point *chosen) {
    chosen->chosen = true;
    s->source_linked[chosen->link.source] = true;
    s->target_linked[chosen->link.target] = true;
}

/* The passes of grow-diag over the points [count] of a pair, the intersection already chosen. A
 * point that a pass adds counts as a neighbor for the points after it in the same pass. */
static void grow_diagonal(scratch *s, uint32_t count) {
    find_neighbor_rows(s->points, count);
    for (bool added = true; added;) {
        added = false;
        for (uint32_t p = 0; p < count; p++) {
            point *one = &s->points[p];
            if (one->chosen) continue;
            if (s->source_linked[one->link.source] && s->target_linked[one->link.target]) continue;
            if (!has_chosen_neighbor(s->points, count, p)) continue;
            choose(s, one);
            added = true;
        }
    }
}

/* The last step of grow-diag-final: both = false adds points with one unlinked word, both = true
 * only those with two. reverse: the points of B, else those of A. */
static void add_final(scratch *s, uint32_t count, bool reverse, bool both) {
    for (uint32_t p = 0; p < count; p++) {
        point *one = &s->points[p];
        if (one->chosen || !(reverse ? one->reverse : one->forward)) continue;
        const bool source_free = !s->source_linked[one->link.source];
        const bool target_free = !s->target_linked[one->link.target];
        if (both ? source_free && target_free : source_free || target_free) choose(s, one);
    }
}

/* Marks the result of a method among the points [count] of a pair; the linked flags are false
 * before. */
static void choose_points(scratch *s, uint32_t count, alcore__symmetrization method) {
    for (uint32_t p = 0; p < count; p++) {
        const point *one = &s->points[p];
        const bool starts_chosen = method == ALCORE__SYMMETRIZE_UNION     ? true
                                   : method == ALCORE__SYMMETRIZE_FORWARD ? one->forward
                                   : method == ALCORE__SYMMETRIZE_REVERSE
                                       ? one->reverse
                                       : one->forward && one->reverse;
        if (starts_chosen) choose(s, &s->points[p]);
    }
    if (method < ALCORE__SYMMETRIZE_GROW_DIAG || method > ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND)
        return;
    grow_diagonal(s, count);
    if (method == ALCORE__SYMMETRIZE_GROW_DIAG) return;
    const bool both = method == ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND;
    add_final(s, count, false, both);
    add_final(s, count, true, both);
}

/* Makes source_linked and target_linked long enough for the words of the points [count]; what is
 * added is false. */
static alcore_status grow_linked_flags(alcore_ctx *ctx, scratch *s, const point *points,
                                       uint32_t count) {
    uint32_t sources = 0, targets = 0;
    for (uint32_t p = 0; p < count; p++) {
        if (points[p].link.source >= sources) sources = points[p].link.source + 1;
        if (points[p].link.target >= targets) targets = points[p].link.target + 1;
    }
    const size_t old_sources = s->source_capacity, old_targets = s->target_capacity;
    ALCORE__TRY(alcore__grow(ctx, &s->source_linked, &s->source_capacity, sources, sizeof(bool)));
    if (s->source_capacity > old_sources)
        memset(s->source_linked + old_sources, 0, s->source_capacity - old_sources);
    ALCORE__TRY(alcore__grow(ctx, &s->target_linked, &s->target_capacity, targets, sizeof(bool)));
    if (s->target_capacity > old_targets)
        memset(s->target_linked + old_targets, 0, s->target_capacity - old_targets);
    return ALCORE_OK;
}

/* Merges, chooses, and writes the result of a sentence pair at link[begin[pair]] and its number to
 * count[pair]. The flags of the pair's words are false again afterwards. */
static alcore_status symmetrize_pair(const work *w, scratch *s, int64_t pair) {
    const size_t max_points = (size_t)(w->begin[pair + 1] - w->begin[pair]);
    ALCORE__TRY(
        alcore__grow(w->ctx, &s->points, &s->points_capacity, max_points, sizeof *s->points));
    const uint32_t count = merge_points(w, pair, s->points);
    ALCORE__TRY(grow_linked_flags(w->ctx, s, s->points, count));
    choose_points(s, count, w->method);
    int64_t next = w->begin[pair];
    for (uint32_t p = 0; p < count; p++) {
        const point *one = &s->points[p];
        if (one->chosen) w->link[next++] = one->link;
        s->source_linked[one->link.source] = false;
        s->target_linked[one->link.target] = false;
    }
    w->count[pair] = next - w->begin[pair];
    return ALCORE_OK;
}

/* The task of a block of BLOCK_PAIRS sentence pairs (alcore__task). */
static alcore_status symmetrize_block(void *data, int64_t block, int32_t worker) {
    const work *w = data;
    const int64_t first = block * BLOCK_PAIRS;
    const int64_t left = w->forward->pairs - first;
    for (int64_t i = 0; i < (left < BLOCK_PAIRS ? left : BLOCK_PAIRS); i++) {
        ALCORE__TRY(alcore__tick(w->ctx, NULL, 0, 0));
        ALCORE__TRY(symmetrize_pair(w, &w->scratch[worker], first + i));
    }
    return ALCORE_OK;
}

/* Moves the ranges of the pairs together, from the first to the last, and sets begin [pairs + 1] to
 * the exact offsets. */
static void close_gaps(work *w, int64_t pairs) {
    int64_t next = 0;
    for (int64_t pair = 0; pair < pairs; pair++) {
        const int64_t first = w->begin[pair];
        if (w->count[pair] > 0)
            memmove(w->link + next, w->link + first, (size_t)w->count[pair] * sizeof *w->link);
        w->begin[pair] = next;
        next += w->count[pair];
    }
    w->begin[pairs] = next;
}

/* Lays out the ranges of the pairs and runs the blocks. The caller frees everything. */
static alcore_status symmetrize_all(work *w) {
    const int64_t pairs = w->forward->pairs;
    const size_t threads = (size_t)alcore_ctx_threads(w->ctx);
    ALCORE__TRY(alcore__new_array(w->ctx, (size_t)pairs + 1, sizeof(int64_t), &w->begin));
    ALCORE__TRY(alcore__new_array(w->ctx, (size_t)pairs, sizeof(int64_t), &w->count));
    for (int64_t pair = 0; pair <= pairs; pair++)
        w->begin[pair] = w->forward->begin[pair] + w->reverse->begin[pair];
    ALCORE__TRY(alcore__new_array(w->ctx, (size_t)w->begin[pairs], sizeof(alcore__link), &w->link));
    ALCORE__TRY(alcore__new_array(w->ctx, threads, sizeof(scratch), &w->scratch));
    return alcore__parallel(w->ctx, STAGE, (pairs + BLOCK_PAIRS - 1) / BLOCK_PAIRS,
                            symmetrize_block, w);
}

/* Combines forward and reverse links into *out, which owns its arrays and is empty after a
 * failure. */
alcore_status alcore__links_symmetrize(alcore_ctx *ctx, const alcore__links *forward,
                                       const alcore__links *reverse, alcore__symmetrization method,
                                       alcore__links *out) {
    *out = (alcore__links){0};
    if (forward->pairs != reverse->pairs)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the forward links are of %" PRId64
                            " sentence pairs, the reverse links of %" PRId64,
                            forward->pairs, reverse->pairs);
    work w = {.ctx = ctx, .forward = forward, .reverse = reverse, .method = method};
    const alcore_status status = symmetrize_all(&w);
    if (w.scratch) {
        for (int32_t i = 0; i < alcore_ctx_threads(ctx); i++) {
            alcore__free(ctx, w.scratch[i].points);
            alcore__free(ctx, w.scratch[i].source_linked);
            alcore__free(ctx, w.scratch[i].target_linked);
        }
    }
    if (status == ALCORE_OK) {
        close_gaps(&w, forward->pairs);
        *out = (alcore__links){.pairs = forward->pairs, .begin = w.begin, .link = w.link};
    } else {
        alcore__free(ctx, w.begin);
        alcore__free(ctx, w.link);
    }
    alcore__free(ctx, w.scratch);
    alcore__free(ctx, w.count);
    return status;
}
