/* SPDX-License-Identifier: Apache-2.0 */
/* Edits with shifts; the definition and the arrays are in shift_search.h.
 *
 * The table of edit distances of the present hypothesis is kept, so that its path can be traced and
 * only the rows behind the first word that a tried shift moves are computed again. That stops at
 * the first row whose smallest cost shows that the shift cannot be the best, since the cost of the
 * corner, the last column of the last row, is never smaller. Neither changes a result. */
#include "extra/metric/shift_search.h"

#include <math.h>
#include <string.h>

/* Limits of Tercom. A block has at most MOST_WORDS words and is compared with those of the
 * reference at most MOST_DISTANCE words away; the search ends with the MOST_TRIED-th shift. */
enum { MOST_WORDS = 10, MOST_DISTANCE = 50, MOST_TRIED = 1000, BAND = 25 };

#define NO_COST (UINT32_MAX / 2) /* of cells outside the band; 1 can be added to it */

/* A shift: the block of `words` words at `from` is moved in front of word `to`; move_block() says
 * how `to` is counted. */
typedef struct block_shift {
    size_t from, words, to;
} block_shift;

/* The best shift of a round: the largest gain, then the longest block, then the smallest from and
 * to. The hypothesis after it is in search->best. */
typedef struct best_shift {
    int64_t gain; /* by how much it lowers the edit distance; 0: there is none yet */
    block_shift shift;
} best_shift;

void alcore__shift_search_clear(alcore__shift_search *search) {
    alcore_ctx *ctx = search->ctx;
    alcore__free(ctx, search->hypothesis);
    alcore__free(ctx, search->moved);
    alcore__free(ctx, search->best);
    alcore__free(ctx, search->low);
    alcore__free(ctx, search->high);
    alcore__free(ctx, search->cost);
    alcore__free(ctx, search->trial[0]);
    alcore__free(ctx, search->trial[1]);
    alcore__free(ctx, search->hypothesis_error);
    alcore__free(ctx, search->reference_error);
    alcore__free(ctx, search->aligned);
    *search = (alcore__shift_search){.ctx = ctx};
}

/* ---- edit distances ---- */

/* Sets the band of each row as sacreBLEU does: columns d - w .. d + w - 1 with d = i times the
 * ratio of the lengths, and up to the last column in the last row. Returns the widest. */
static size_t set_bands(alcore__shift_search *search) {
    const size_t rows = search->hypothesis_length, columns = search->reference_length;
    const double ratio = (double)columns / (double)rows;
    const size_t width = ratio / 2 > BAND ? (size_t)ceil(ratio / 2 + BAND) : BAND;
    size_t widest = 0;
    search->low[0] = 0;
    search->high[0] = columns;
    for (size_t i = 1; i <= rows; i++) {
        const size_t diagonal = (size_t)((double)i * ratio);
        search->low[i] = diagonal > width ? diagonal - width : 0;
        search->high[i] = diagonal + width - 1;
        if (i == rows || search->high[i] > columns) search->high[i] = columns;
        if (search->high[i] - search->low[i] + 1 > widest)
            widest = search->high[i] - search->low[i] + 1;
    }
    return widest;
}

/* Makes capacity for a pair of sequences, neither of them empty, and copies the hypothesis. */
static alcore_status begin_pair(alcore__shift_search *search, const int32_t *hypothesis,
                                size_t hypothesis_length, const int32_t *reference,
                                size_t reference_length) {
    alcore_ctx *ctx = search->ctx;
    search->reference = reference;
    search->hypothesis_length = hypothesis_length;
    search->reference_length = reference_length;
    search->tried = 0;
#define RESERVE(array, capacity, count)                                                            \
    ALCORE__TRY(alcore__grow(ctx, &search->array, &search->capacity, count, sizeof *search->array))
    RESERVE(hypothesis, hypothesis_capacity, hypothesis_length);
    RESERVE(moved, moved_capacity, hypothesis_length);
    RESERVE(best, best_capacity, hypothesis_length);
    RESERVE(low, low_capacity, hypothesis_length + 1);
    RESERVE(high, high_capacity, hypothesis_length + 1);
    search->stride = set_bands(search);
    RESERVE(cost, cost_capacity, (hypothesis_length + 1) * search->stride);
    RESERVE(trial[0], trial_capacity[0], search->stride);
    RESERVE(trial[1], trial_capacity[1], search->stride);
    RESERVE(hypothesis_error, hypothesis_error_capacity, hypothesis_length);
    RESERVE(reference_error, reference_error_capacity, reference_length);
    RESERVE(aligned, aligned_capacity, reference_length);
#undef RESERVE
    memcpy(search->hypothesis, hypothesis, hypothesis_length * sizeof *hypothesis);
    return ALCORE_OK;
}

/* Cost of column j in row i, whose filled columns are in row; row 0 is not read. */
static inline uint32_t cost_in(const alcore__shift_search *search, const uint32_t *row, size_t i,
                               size_t j) {
    if (i == 0) return (uint32_t)j;
    return j < search->low[i] || j > search->high[i] ? NO_COST : row[j - search->low[i]];
}

/* Fills row i, from 1, for a hypothesis whose word i - 1 is `word`, from the row above. Unit costs:
 * a word of the hypothesis is kept or substituted, deleted, or a word of the reference inserted.
 * Returns the smallest cost of the row. */
static uint32_t fill_row(const alcore__shift_search *search, size_t i, int32_t word,
                         const uint32_t *above, uint32_t *row) {
    uint32_t smallest = NO_COST;
    for (size_t j = search->low[i]; j <= search->high[i]; j++) {
        uint32_t cost = cost_in(search, above, i - 1, j) + 1;
        if (j > 0) {
            const uint32_t kept =
                cost_in(search, above, i - 1, j - 1) + (search->reference[j - 1] != word);
            if (kept < cost) cost = kept;
            if (j > search->low[i] && row[j - search->low[i] - 1] + 1 < cost)
                cost = row[j - search->low[i] - 1] + 1;
        }
        row[j - search->low[i]] = cost;
        if (cost < smallest) smallest = cost;
    }
    return smallest;
}

/* The stored row i, from 1; row 0 has no entries that are read. */
static inline uint32_t *row_of(const alcore__shift_search *search, size_t i) {
    return search->cost + i * search->stride;
}

/* Fills the table for the present hypothesis; the edit distance. */
static int64_t fill_table(alcore__shift_search *search) {
    const size_t rows = search->hypothesis_length;
    for (size_t i = 1; i <= rows; i++)
        fill_row(search, i, search->hypothesis[i - 1], row_of(search, i - 1), row_of(search, i));
    return row_of(search, rows)[search->reference_length - search->low[rows]];
}

/* Traces the path back from the corner of the table and fills hypothesis_error, reference_error and
 * aligned. Of equal costs, keeping or substituting comes first, then deleting, then inserting. */
static void trace_path(alcore__shift_search *search) {
    size_t i = search->hypothesis_length, j = search->reference_length;
    while (i > 0 || j > 0) {
        const uint32_t cost = cost_in(search, row_of(search, i), i, j);
        const uint32_t *above = i > 0 ? row_of(search, i - 1) : NULL;
        const bool differ = i > 0 && j > 0 && search->hypothesis[i - 1] != search->reference[j - 1];
        if (i > 0 && j > 0 && cost_in(search, above, i - 1, j - 1) + differ == cost) {
            search->hypothesis_error[--i] = search->reference_error[--j] = differ;
            search->aligned[j] = (int64_t)i;
        } else if (i > 0 && cost_in(search, above, i - 1, j) + 1 == cost) {
            search->hypothesis_error[--i] = true;
        } else {
            search->reference_error[--j] = true;
            search->aligned[j] = (int64_t)i - 1;
        }
    }
}

/* ---- shifts ---- */

/* Writes the hypothesis after a shift to search->moved. `place` is the index at which the block
 * begins among the words without it: that of `to`, but `to` itself where that lies inside the block
 * or right behind it, as in Tercom. Returns how many words at the beginning are unchanged. */
static size_t move_block(alcore__shift_search *search, const block_shift *shift) {
    const size_t length = search->hypothesis_length, words = shift->words, from = shift->from;
    const int32_t *old = search->hypothesis;
    size_t place = shift->to > from + words ? shift->to - words : shift->to, end = 0;
    if (place > length - words) place = length - words;
    for (size_t i = 0; i <= length - words; i++) {
        if (i == place) {
            memcpy(search->moved + end, old + from, words * sizeof *old);
            end += words;
        }
        if (i < length - words) search->moved[end++] = old[i < from ? i : i + words];
    }
    return place < from ? place : from;
}

/* By how much the hypothesis in search->moved, whose first `same` words are the present ones,
 * lowers the edit distance from `before`. INT64_MIN when it is less than `least`. */
static int64_t gain_of(alcore__shift_search *search, size_t same, int64_t before, int64_t least) {
    const size_t rows = search->hypothesis_length;
    const uint32_t *above = row_of(search, same);
    for (size_t i = same + 1; i <= rows; i++) {
        uint32_t *row = search->trial[i % 2];
        if (before - (int64_t)fill_row(search, i, search->moved[i - 1], above, row) < least)
            return INT64_MIN;
        above = row;
    }
    return before - (int64_t)above[search->reference_length - search->low[rows]];
}

/* Whether a shift comes before another one of the same gain. */
static bool comes_first(const block_shift *shift, const block_shift *other) {
    if (shift->words != other->words) return shift->words > other->words;
    if (shift->from != other->from) return shift->from < other->from;
    return shift->to < other->to;
}

/* Tries one shift and stores it in *best if it is better; search->best is then the hypothesis that
 * was in search->moved, whose memory is exchanged for that of the old one. */
static void try_shift(alcore__shift_search *search, const block_shift *shift, int64_t before,
                      best_shift *best) {
    const int64_t least = best->gain > 0 ? best->gain : 1;
    const size_t same = move_block(search, shift);
    search->tried++;
    const int64_t gain = gain_of(search, same, before, least);
    if (gain < least || (gain == best->gain && !comes_first(shift, &best->shift))) return;
    *best = (best_shift){gain, *shift};
    int32_t *other = search->best;
    search->best = search->moved;
    search->moved = other;
    const size_t capacity = search->best_capacity;
    search->best_capacity = search->moved_capacity;
    search->moved_capacity = capacity;
}

/* Whether any of flags [count] is set. */
static bool any_of(const bool *flags, size_t count) {
    size_t i = 0;
    while (i < count && !flags[i]) i++;
    return i < count;
}

/* Tries to move the block of the hypothesis at `from` that equals `words` words of the reference at
 * `match` to each place that the words of the reference around it are aligned with. Nothing is
 * tried unless both blocks have an error, and where the block is aligned with itself. */
static void try_block(alcore__shift_search *search, size_t from, size_t match, size_t words,
                      int64_t before, best_shift *best) {
    const int64_t aligned = search->aligned[match];
    if (!any_of(search->hypothesis_error + from, words) ||
        !any_of(search->reference_error + match, words) ||
        (aligned >= (int64_t)from && aligned < (int64_t)(from + words)))
        return;
    size_t previous = SIZE_MAX;
    for (size_t k = 0; k <= words; k++) { /* word match + k - 1 of the reference */
        const size_t to = match + k == 0 ? 0 : (size_t)(search->aligned[match + k - 1] + 1);
        if (to == previous) continue;
        previous = to;
        const block_shift shift = {from, words, to};
        try_shift(search, &shift, before, best);
    }
}

/* Tries all shifts of the present hypothesis, whose edit distance is `before`. *ended: the limit of
 * tried shifts was reached, so that none is made. */
static alcore_status find_best(alcore__shift_search *search, int64_t before, best_shift *best,
                               bool *ended) {
    const size_t length = search->hypothesis_length, other = search->reference_length;
    *best = (best_shift){0};
    *ended = false;
    for (size_t from = 0; from < length; from++) {
        size_t match = from > MOST_DISTANCE ? from - MOST_DISTANCE : 0;
        ALCORE__TRY(alcore__tick(search->ctx, NULL, 0, 0));
        for (; match < other && match <= from + MOST_DISTANCE; match++)
            for (size_t words = 1;
                 words <= MOST_WORDS && from + words <= length && match + words <= other &&
                 search->hypothesis[from + words - 1] == search->reference[match + words - 1];
                 words++) {
                try_block(search, from, match, words, before, best);
                *ended = search->tried >= MOST_TRIED;
                if (*ended) return ALCORE_OK;
            }
    }
    return ALCORE_OK;
}

alcore_status alcore__shift_search_edits(alcore__shift_search *search, const int32_t *hypothesis,
                                         size_t hypothesis_length, const int32_t *reference,
                                         size_t reference_length, int64_t *edits) {
    *edits = (int64_t)(reference_length == 0 ? hypothesis_length : reference_length);
    if (hypothesis_length == 0 || reference_length == 0) return ALCORE_OK;
    ALCORE__TRY(begin_pair(search, hypothesis, hypothesis_length, reference, reference_length));
    for (int64_t shifts = 0;; shifts++) {
        const int64_t distance = fill_table(search);
        best_shift best;
        bool ended;
        trace_path(search);
        ALCORE__TRY(find_best(search, distance, &best, &ended));
        *edits = shifts + distance;
        if (ended || best.gain == 0) return ALCORE_OK;
        memcpy(search->hypothesis, search->best, hypothesis_length * sizeof *search->best);
    }
}
