/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a search for neighbors (cpu_knn.c) and the candidates of their items: what the
 * filter could not discard, until it is computed in double. */
#ifndef ALCORE__CPU_CANDIDATES_H
#define ALCORE__CPU_CANDIDATES_H

#include <string.h>

#include "engines/cpu/cpu_coarse.h"
#include "engines/cpu/cpu_prune.h"

/* One operand of the search, rows or queries. Two index spaces: i is a matrix row (0 .. count - 1
 * of the operand), slab_index the position of an item within the present slab; sweep.item leads
 * from the second to the first. Arrays of [slab] entries are indexed by slab_index and are valid
 * for the present slab only. */
typedef struct knn_operand {
    sweep_operand sweep;
    const alcore_sys_best *best; /* k best of each matrix row; NULL: not asked for */
    int64_t capacity;            /* of the candidate list of an item */
    float *tile_min;  /* [slab] what product * w - offset of a pair in a tile must reach; infinity:
                         nothing does (behind the last item, or no neighbors wanted) */
    float *min_score; /* [slab] s that a candidate must reach; -FLT_MAX: any; the same array as
                         tile_min unless a tile holds bounds */
    /* The next two are NULL unless a tile holds bounds: with pruning upper bounds of products, with
     * a coarse filter products that are off by more than those in float32. */
    double *slack;  /* [slab] min_score - tile_min: how far a bound may lie below the true product,
                      plus the error of a full score, which is compared with min_score */
    float *floats;  /* [slab, dims] the items in float32, for full products; NULL too where the
                      caller's matrix has them (in_place) */
    int in_place;   /* full products may read the items where they are */
    float *leading; /* [slab, prune.padded] with pruning: their leading components */
    coarse_items coarse; /* with a coarse filter */
    float *offset;      /* [slab] h of the item, which scores of the other operand's items subtract;
                      infinite behind the last item */
    float *tile_offset; /* [slab] what products of a tile are compared with less: offset, or with a
                           coarse filter, of the rows, less than that; the same array otherwise */
    int32_t *candidate_count; /* [slab] */
    float *candidate_score;   /* [slab, capacity] s */
    int32_t *candidate_row;   /* [slab, capacity] matrix row in the other operand */
} knn_operand;

/* A pair whose product in a tile reaches a limit, and that product: positions in the slabs. */
typedef struct knn_hit {
    int32_t row, query;
    float product;
} knn_hit;

/* Hits that are collected before their full products are computed. */
#define KNN_HITS 512

/* One call and its memory: all arrays are cut out of one allocation by cut_call(). */
typedef struct knn_call {
    sweep_call sweep;
    prune_state prune; /* the leading directions; prune.leading 0: no pruning */
    knn_operand rows, queries;
    float *scores;       /* [k + capacity] of one item, reordered */
    search_found *found; /* [capacity] reranked candidates of one item */
    knn_hit *hits;       /* [KNN_HITS] NULL unless a tile holds bounds */
    int hit_count;
} knn_call;

/* The score s that corresponds to a value of the metric in double, rounded down. norm: L2 norm of
 * the item x that has the neighbor y. L2: the value is sq_dist = |x|^2 - 2 x.y + |y|^2, while s =
 * x.y - |y|^2 / 2 leaves |x|^2 out, so s = (norm^2 - sq_dist) / 2; 2^-48 covers the rounding of
 * this. Dot and cosine: s is the value itself. */
static double score_of_value(const knn_call *call, double norm, double value) {
    if (call->sweep.metric != ALCORE_SYS_L2) return value;
    double half_norm = 0.5 * norm * norm, half = 0.5 * value;
    return half_norm - half - 0x1p-48 * (half_norm + half);
}

/* How far the score of item i of `operand` with an item of `other` can be off; an item's min_score
 * is lowered by it. */
static double score_error(const knn_call *call, const knn_operand *operand,
                          const knn_operand *other, int64_t i) {
    return sweep_error(&operand->sweep, &other->sweep, i, call->sweep.metric);
}

/* Raises min_score of a slab item to the value given, if that is larger, and with it the number
 * that products of a tile are compared with: the same array entry or, with pruning (slack is not
 * NULL), that score less what a bound in a tile may lie below the true product. */
static void raise_min_score(knn_operand *operand, int64_t slab_index, float min_score) {
    if (min_score <= operand->min_score[slab_index]) return;
    operand->min_score[slab_index] = min_score;
    if (operand->slack)
        operand->tile_min[slab_index] =
            search_below((double)min_score - operand->slack[slab_index]);
}

/* Raises min_score of a slab item to the score of the last of its k best, less the error, where
 * there are k (row -1: the entry is free). The error is subtracted once and not twice: the k best
 * have values in double, only a candidate's score is off. Called when a slab is loaded, with what
 * earlier slabs and calls found, and after every rerank. */
static void raise_from_best(const knn_call *call, knn_operand *operand, const knn_operand *other,
                            int64_t slab_index) {
    int64_t i = operand->sweep.item[slab_index], k = operand->best->k, last = (i + 1) * k - 1;
    if (operand->best->row[last] < 0) return;
    double score = score_of_value(call, operand->sweep.search.norm[i], operand->best->value[last]);
    raise_min_score(operand, slab_index,
                    search_below(score - score_error(call, operand, other, i)));
}

/* Merges found [count], values in double with their pool rows, into the k best of item i (matrix
 * row) of an operand, where the caller of the kernel has asked for them (best not NULL). */
static void join_best(const knn_call *call, const alcore_sys_best *best, int64_t i,
                      search_found *found, int64_t count) {
    if (!best) return;
    int64_t *row = best->row + i * best->k;
    double *value = best->value + i * best->k;
    CPU(search_join)(row, value, best->k, found, count, call->sweep.metric);
}

/* Computes the candidates of a slab item in double, merges them into its k best (which the caller
 * of the kernel owns) and empties the list. An L2 distance may stop early above the k-th best so
 * far (limit; infinity while there are fewer than k). Called by prune_candidates() and at the end
 * of a slab, with operand->best not NULL. A neighbor is stored as its pool row, rows->first + j. */
static void rerank(knn_call *call, knn_operand *operand, const knn_operand *other,
                   int64_t slab_index) {
    int64_t i = operand->sweep.item[slab_index], k = operand->best->k, count = 0;
    if (operand->candidate_count[slab_index] == 0) return;
    sweep_widen(&call->sweep, &operand->sweep.search, i);
    double limit = HUGE_VAL;
    if (operand->best->row[(i + 1) * k - 1] >= 0) limit = operand->best->value[(i + 1) * k - 1];
    for (int64_t c = 0; c < operand->candidate_count[slab_index]; c++) {
        int64_t j = operand->candidate_row[slab_index * operand->capacity + c];
        if (c + 1 < operand->candidate_count[slab_index])
            cpu_fetch_row(other->sweep.search.rows,
                          operand->candidate_row[slab_index * operand->capacity + c + 1]);
        double value =
            sweep_value(&call->sweep, &operand->sweep.search, i, &other->sweep.search, j, limit);
        call->found[count++] = (search_found){value, other->sweep.search.rows->first + j};
    }
    call->sweep.spent += count * call->sweep.dims;
    operand->candidate_count[slab_index] = 0;
    join_best(call, operand->best, i, call->found, count);
    raise_from_best(call, operand, other, slab_index);
}

/* Called with a full candidate list, or with more than k at the end of a slab: computes the k-th
 * best score among the candidates and the k best so far, raises min_score to it less twice the
 * error, and drops the candidates below. One error is for the score that ranks k-th, one for that
 * of a candidate; the k best so far, whose values are exact, enter with one error added, to be
 * treated alike. No candidate is among the k best already, or it would count twice and the k-th
 * score be too large: a call compares each pair once, far items are compared before the sweep and
 * are in no list, and rerank() empties the list whose items it joins. With fewer than k scores
 * nothing can be dropped. When more than three quarters of the list remain, because no bound can
 * tell them apart (copies), they are reranked. */
static void prune_candidates(knn_call *call, knn_operand *operand, const knn_operand *other,
                             int64_t slab_index) {
    int64_t i = operand->sweep.item[slab_index], k = operand->best->k,
            count = operand->candidate_count[slab_index], kept = 0;
    float *score = operand->candidate_score + slab_index * operand->capacity;
    int32_t *index = operand->candidate_row + slab_index * operand->capacity;
    double error = score_error(call, operand, other, i);
    memcpy(call->scores, score, (size_t)count * sizeof *score);
    for (int64_t p = 0; p < k && operand->best->row[i * k + p] >= 0; p++) {
        call->scores[count++] = search_below(
            score_of_value(call, operand->sweep.search.norm[i], operand->best->value[i * k + p]) +
            error);
    }
    if (count >= k) {
        double worst = (double)CPU(search_select)(call->scores, count, k - 1);
        raise_min_score(operand, slab_index, search_below(worst - 2.0 * error));
        for (int64_t c = 0; c < operand->candidate_count[slab_index]; c++) {
            if (score[c] < operand->min_score[slab_index]) continue;
            score[kept] = score[c];
            index[kept++] = index[c];
        }
        operand->candidate_count[slab_index] = (int32_t)kept;
    }
    if (operand->candidate_count[slab_index] > (k + operand->capacity) / 2)
        rerank(call, operand, other, slab_index);
}

/* Appends matrix row j of the other operand, with its score, to the candidates of a slab item.
 * The list is never full here: one that becomes full is pruned, to three quarters at most. */
CPU_INLINE void add_candidate(knn_call *call, knn_operand *operand, const knn_operand *other,
                              int64_t slab_index, float score, int64_t j) {
    int64_t entry = slab_index * operand->capacity + operand->candidate_count[slab_index];
    operand->candidate_score[entry] = score;
    operand->candidate_row[entry] = (int32_t)j;
    if (++operand->candidate_count[slab_index] == operand->capacity)
        prune_candidates(call, operand, other, slab_index);
}

#endif
