/* SPDX-License-Identifier: Apache-2.0 */
/* The edits of TER between two sequences of words (Snover et al. 2006), as Tercom and sacreBLEU 2.6
 * search for them (docs/spec/analyses.md 8.9):
 *
 *     edits = number of shifts + edit distance of the shifted hypothesis and the reference
 *
 * A shift moves a block of words of the hypothesis to another place. Shifts are made one at a time,
 * the one that lowers the edit distance most, until none lowers it. */
#ifndef ALCORE__SHIFT_SEARCH_H
#define ALCORE__SHIFT_SEARCH_H

#include "base/base.h"

/* The workspace of one thread. A zeroed struct with ctx set is empty; release it with
 * alcore__shift_search_clear(). Rows of the table of edit distances are numbered by words of the
 * hypothesis, 0 .. hypothesis_length, columns by words of the reference, 0 .. reference_length;
 * only a band of columns around the diagonal is filled. */
typedef struct alcore__shift_search {
    alcore_ctx *ctx;
    const int32_t *reference; /* [reference_length] word numbers; the caller's */
    int32_t *hypothesis;      /* [hypothesis_length] word numbers, shifted so far */
    int32_t *moved;           /* [hypothesis_length] the hypothesis after the shift being tried */
    int32_t *best;            /* [hypothesis_length] the hypothesis after the best shift */
    size_t hypothesis_length, reference_length;
    size_t *low;            /* [hypothesis_length + 1] first filled column of each row */
    size_t *high;           /* [hypothesis_length + 1] last filled column of each row */
    size_t stride;          /* entries of a row of cost: the widest band */
    uint32_t *cost;         /* [hypothesis_length + 1, stride] edit distance of the first i words of
                             * the hypothesis and the first low[i] + k words of the reference; row 0
                             * is not stored, its cost is the column */
    uint32_t *trial[2];     /* [stride] the present and the previous row of a shift being tried */
    bool *hypothesis_error; /* [hypothesis_length] the word is substituted or deleted */
    bool *reference_error;  /* [reference_length] the word is substituted or inserted */
    int64_t *aligned; /* [reference_length] word of the hypothesis kept or substituted for that
                             * word of the reference; for an inserted one the word before it, -1 in
                             * front */
    size_t hypothesis_capacity, moved_capacity, best_capacity, low_capacity, high_capacity;
    size_t cost_capacity, trial_capacity[2];
    size_t hypothesis_error_capacity, reference_error_capacity, aligned_capacity;
    int64_t tried; /* shifts of this pair that were tried */
} alcore__shift_search;

/* *edits: those that turn hypothesis [hypothesis_length] into reference [reference_length], arrays
 * of word numbers. Time: at most 1010 edit distances of 50 columns a word (more where the lengths
 * differ fiftyfold), and for each shift one comparison with the 101 nearest words a word. */
alcore_status alcore__shift_search_edits(alcore__shift_search *search, const int32_t *hypothesis,
                                         size_t hypothesis_length, const int32_t *reference,
                                         size_t reference_length, int64_t *edits);
void alcore__shift_search_clear(alcore__shift_search *search);

#endif
