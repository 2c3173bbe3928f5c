/* SPDX-License-Identifier: Apache-2.0 */
/* Lloyd iterations of k-means (spec 3.3) with the bounds of Hamerly 2010.
 *
 * One pass an iteration. Each block assigns its rows to their nearest centroids and sums the rows
 * of each cluster; after the last block the centroids move to the means. A group is converged when
 * no row of it changed its cluster.
 *
 * Row i of a group with its assigned centroid a keeps two bounds (L2 distances, not squared):
 *
 *     upper[i] >= dist(i, a),    lower[i] <= dist(i, c) for every other centroid c of the group
 *
 * By the triangle inequality a move of length shift[a] raises the first distance by at most
 * shift[a], and the moves of the other centroids lower the others by at most their largest shift.
 * While upper < lower the assignment cannot change, so the row is not read in this pass: an
 * iteration reads only the rows near the borders of clusters, and in the last iterations few blocks
 * have such rows.
 *
 * Groups are clustered side by side: means->group [candidates] is the group of each by position,
 * and block->start is the position of a block's first active row. A row of group -1 takes part in
 * none. A cluster has a number among all clusters, and a local number inside its group. Blocks are
 * runs of 8192 pool rows; what a block keeps from pass to pass is alcore__kmeans_rows
 * (kmeans_rows.h): upper, lower and assigned [active rows], the bounds above and the local cluster,
 * -1 before the first iteration.
 *
 * Sums: those of a cluster in a block are made again only when the cluster won or lost a row of the
 * block; else the kept ones are sent (alcore__kmeans.keeps_sums). A running sum over the same rows
 * in the same order has the same bits, so this changes none. */
#include <math.h>
#include <string.h>

#include "strategy/kmeans/kmeans_rows.h"

/* ---- the partial ---- */

/* Sums [clusters, dims], of each block of a wide one, which the runner adds; behind them int64
 * counts, which the runner zeroes before the visit of a block:
 *
 *     changed_rows [groups]    rows of the group that changed their cluster
 *     rows         [clusters]  rows of the cluster */

/* Clusters of all groups together. */
static int64_t cluster_count(const alcore__kmeans *means) {
    return means->centroid_starts[means->groups];
}

/* Bytes of a partial behind the sums: the counts above. */
size_t alcore__kmeans_counts_bytes(const alcore__block *block) {
    const alcore__kmeans *means = block->run->state;
    return (size_t)(means->groups + cluster_count(means)) * sizeof(int64_t);
}

/* ---- the work on one block ----
 *
 * A wide block is several blocks, and each has its own sums: sum number b * clusters + c is that of
 * the rows of cluster c in block b, from 0, of the wide one. A plain block is block 0. */

typedef struct block_work {
    const alcore__kmeans *means;
    alcore__block *block;
    alcore__matrix matrix;    /* read when something is to be computed */
    alcore__kmeans_rows rows; /* what the block keeps; its arrays are updated in place */
    /* [active rows] */
    int32_t *search_group; /* the group in which the row's nearest centroid is searched; -1: not */
    int32_t *recheck;      /* the cluster whose centroid alone is measured first; -1: none */
    int32_t *cluster;      /* the row's cluster, numbered among all; -1: the row has no group, its
                              group is converged, or it was not assigned yet */
    int32_t *nearest;      /* local cluster that the kernel found; renew_kept_sums() uses the array
                              again */
    double *lower, *upper; /* L2 bounds that the kernel found */
    int64_t search_count, recheck_count; /* rows whose search_group, and whose recheck, is not -1 */
    int64_t sum_count;                   /* sums of the block: blocks x clusters */
    /* [sum_count] index of the sum, 0 .. renewed_count - 1, among those that are made again, as the
     * cluster won or lost a row of the block; -1: it did not */
    int32_t *renewed;
    int64_t renewed_count;
} block_work;

/* Pushes the work arrays of one block on the scratch stack, which the runner empties after it. */
static alcore_status begin_work(const alcore__kmeans *means, alcore__block *block,
                                block_work *out) {
    int64_t count = block->count, sums = block->blocks * cluster_count(means);
    *out = (block_work){.means = means, .block = block, .sum_count = sums};
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof(int32_t), &out->search_group));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof(int32_t), &out->recheck));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof(int32_t), &out->cluster));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof(int32_t), &out->nearest));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof(double), &out->lower));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof(double), &out->upper));
    ALCORE__TRY(alcore__scratch_push(block, sums, sizeof(int32_t), &out->renewed));
    for (int64_t s = 0; s < sums; s++) out->renewed[s] = -1;
    return ALCORE_OK;
}

/* Whether a row cannot change its cluster: its assigned centroid, at most `upper` away, is nearer
 * than every other, all at least `lower` away, by so much that the squared distances of spec 1.8,
 * each within a relative error of 1e-9, say the same. 1e-140 covers squares below the range of
 * double. A NaN gives false. */
static bool cannot_change(double upper, double lower) {
    return upper * (1.0 + 1e-8) + 1e-140 < lower;
}

/* Loosens the bounds of each row by how far the centroids moved since the last iteration, rounded
 * outwards by two ulps, and requests a full search (search_group) for the rows whose assignment may
 * change. Where the upper bound from before the move would have been small enough, the one distance
 * to the assigned centroid is measured first (recheck): the centroid comes nearer to the row as
 * often as not, and the measurement costs 1/k of a search. A lower bound below 0 is rounded
 * inwards, which does no harm, as it saves no search and stays below 0 until the next search. In
 * the first iteration no row is assigned and every row of an active group is searched. */
static void loosen_bounds(block_work *work) {
    const alcore__kmeans *means = work->means;
    const int32_t *group = means->group + work->block->start;
    for (int64_t i = 0; i < work->block->count; i++) {
        int32_t g = group[i], assigned = work->rows.assigned[i];
        work->search_group[i] = work->cluster[i] = work->recheck[i] = -1;
        if (g < 0 || !means->each[g].active) continue;
        if (assigned >= 0) {
            const alcore__kmeans_group *each = &means->each[g];
            int64_t cluster = means->centroid_starts[g] + assigned;
            /* How far the other centroids of the group moved at most. */
            double others =
                cluster == each->max_shift_cluster ? each->max_other_shift : each->max_shift;
            double *upper = &work->rows.upper[i], *lower = &work->rows.lower[i], before = *upper;
            *upper = (*upper + means->shift[cluster]) * (1.0 + 0x1p-51);
            *lower = (*lower - others) * (1.0 - 0x1p-51);
            work->cluster[i] = (int32_t)cluster;
            if (cannot_change(*upper, *lower)) continue;
            if (cannot_change(before, *lower)) {
                work->recheck[i] = (int32_t)cluster;
                work->recheck_count++;
            }
        }
        work->search_group[i] = g;
        work->search_count++;
    }
}

/* Measures the rows to be rechecked from their assigned centroid, which tightens their upper bound;
 * those whose assignment cannot change then are not searched. The kernel is told that every cluster
 * is a group of one centroid, so that it measures one distance a row. Of its results only the upper
 * bounds are used: `nearest` is 0 and the lower bound infinite, as the group has no other centroid.
 */
static alcore_status recheck_rows(block_work *work) {
    const alcore__kmeans *means = work->means;
    int64_t clusters = cluster_count(means), *starts;
    if (!work->recheck_count) return ALCORE_OK;
    alcore__scratch_mark mark = alcore__scratch_get_mark(work->block);
    ALCORE__TRY(alcore__scratch_push(work->block, clusters + 1, sizeof *starts, &starts));
    for (int64_t c = 0; c <= clusters; c++) starts[c] = c;
    alcore__nearest out = {.nearest = work->nearest, .low = work->lower, .high = work->upper};
    ALCORE__TRY(alcore__matrix_nearest(&work->matrix, work->recheck, clusters, starts,
                                       means->centroids, &out));
    alcore__scratch_release(work->block, mark);
    for (int64_t i = 0; i < work->block->count; i++) {
        if (work->recheck[i] < 0) continue;
        work->rows.upper[i] = work->upper[i];
        if (!cannot_change(work->rows.upper[i], work->rows.lower[i])) continue;
        work->search_group[i] = -1;
        work->search_count--;
    }
    return ALCORE_OK;
}

/* Notes that a row of a block joined or left a cluster, so that the sum is made again. */
static void renew_sum(block_work *work, int64_t sum) {
    if (work->renewed[sum] < 0) work->renewed[sum] = (int32_t)work->renewed_count++;
}

/* Takes over what the kernel found for the searched rows of block b of a wide one (0: of a plain
 * one): their bounds and, where another centroid is nearer, their cluster. Such a row counts in
 * changed_rows of its group, and the sums that it leaves and joins are to be made again. */
static void join_nearest(block_work *work, int64_t b, int64_t *changed_rows) {
    const alcore__kmeans *means = work->means;
    int64_t first_sum = b * cluster_count(means),
            end = alcore__block_first_index(work->block, b + 1);
    for (int64_t i = alcore__block_first_index(work->block, b); i < end; i++) {
        int32_t g = work->search_group[i], nearest = work->nearest[i];
        if (g < 0) continue;
        work->rows.upper[i] = work->upper[i];
        work->rows.lower[i] = work->lower[i];
        if (nearest == work->rows.assigned[i]) continue;
        if (work->rows.assigned[i] >= 0) renew_sum(work, first_sum + work->cluster[i]);
        changed_rows[g]++;
        work->rows.assigned[i] = nearest;
        work->cluster[i] = (int32_t)means->centroid_starts[g] + nearest;
        renew_sum(work, first_sum + work->cluster[i]);
    }
}

/* Searches the nearest centroid of each row with a search_group, and replaces its bounds by those
 * that the kernel found. changed_rows [groups], a part of the partial, zeroed before: counts the
 * rows of each group that changed their cluster in this block. */
static alcore_status search_nearest(block_work *work, int64_t *changed_rows) {
    const alcore__kmeans *means = work->means;
    if (!work->search_count) return ALCORE_OK;
    alcore__nearest out = {.nearest = work->nearest, .low = work->lower, .high = work->upper};
    ALCORE__TRY(alcore__matrix_nearest(&work->matrix, work->search_group, means->groups,
                                       means->centroid_starts, means->centroids, &out));
    for (int64_t b = 0; b < work->block->blocks; b++) join_nearest(work, b, changed_rows);
    return ALCORE_OK;
}

/* ---- sums ---- */

/* Whether all sums are made from the rows: the block keeps none or has made none yet, or more than
 * three quarters of them changed, where making only these costs about as much. */
static bool sums_all(const block_work *work) {
    const alcore__kmeans_rows *rows = &work->rows;
    return !rows->sums_valid || !*rows->sums_valid || 4 * work->renewed_count > 3 * work->sum_count;
}

/* Makes all sums of the block from the matrix: sums [blocks, clusters, dims], and adds to rows
 * [clusters], zeroed before, how many each cluster has in all blocks of a wide one together; keeps
 * a copy of both where blocks keep their sums (sums_valid is not NULL). */
static alcore_status sum_all_clusters(block_work *work, double *sums, int64_t *rows) {
    const alcore__kmeans_rows *kept = &work->rows;
    size_t count = (size_t)work->sum_count, dims = (size_t)work->means->dims;
    int64_t clusters = cluster_count(work->means);
    const int32_t *sum_of; /* [active rows] */
    int64_t *counts;       /* [blocks, clusters] */
    ALCORE__TRY(alcore__block_groups(work->block, work->cluster, clusters, &sum_of));
    ALCORE__TRY(alcore__scratch_push(work->block, work->sum_count, sizeof *counts, &counts));
    ALCORE__TRY(alcore__matrix_group_sums(&work->matrix, sum_of, work->sum_count, sums, counts));
    for (int64_t s = 0; s < work->sum_count; s++) rows[s % clusters] += counts[s];
    if (!kept->sums_valid) return ALCORE_OK;
    memcpy(kept->sums, sums, count * dims * sizeof *sums);
    memcpy(kept->counts, counts, count * sizeof *counts);
    *kept->sums_valid = 1;
    return ALCORE_OK;
}

/* Makes the kept sums of the clusters that won or lost rows of the block anew. The kernel makes
 * only these sums, as groups 0 .. renewed_count - 1. */
static alcore_status renew_kept_sums(block_work *work) {
    const alcore__kmeans *means = work->means;
    alcore__block *block = work->block;
    /* [active rows] the index of the row's sum in `renewed`; -1: it is kept as it is. It lies in
     * work->nearest, which is read no more in this visit. */
    int32_t *sum_index = work->nearest;
    const int32_t *sum_of; /* [active rows] */
    double *sums;          /* [renewed_count, dims] */
    int64_t *counts;       /* [renewed_count] */
    size_t bytes = (size_t)means->dims * sizeof *sums;
    if (!work->renewed_count) return ALCORE_OK;
    ALCORE__TRY(alcore__block_groups(block, work->cluster, cluster_count(means), &sum_of));
    ALCORE__TRY(alcore__scratch_push(block, work->renewed_count, bytes, &sums));
    ALCORE__TRY(alcore__scratch_push(block, work->renewed_count, sizeof *counts, &counts));
    for (int64_t i = 0; i < block->count; i++)
        sum_index[i] = sum_of[i] < 0 ? -1 : work->renewed[sum_of[i]];
    ALCORE__TRY(
        alcore__matrix_group_sums(&work->matrix, sum_index, work->renewed_count, sums, counts));
    for (int64_t s = 0; s < work->sum_count; s++) {
        int64_t index = work->renewed[s];
        if (index < 0) continue;
        memcpy(work->rows.sums + s * means->dims, sums + index * means->dims, bytes);
        work->rows.counts[s] = counts[index];
    }
    return ALCORE_OK;
}

/* Sums [blocks, clusters, dims] and rows [clusters], both a part of the partial, of the active
 * groups' clusters; those of other groups stay 0, as the runner has zeroed the partial. */
static alcore_status sum_clusters(block_work *work, double *sums, int64_t *rows) {
    const alcore__kmeans *means = work->means;
    if (sums_all(work)) return sum_all_clusters(work, sums, rows);
    ALCORE__TRY(renew_kept_sums(work));
    for (int64_t b = 0; b < work->block->blocks; b++) {
        for (int64_t g = 0; g < means->groups; g++) {
            int64_t cluster = means->centroid_starts[g], count = means->each[g].clusters;
            int64_t first = b * cluster_count(means) + cluster; /* sum */
            if (!means->each[g].active) continue;
            memcpy(sums + first * means->dims, work->rows.sums + first * means->dims,
                   (size_t)(count * means->dims) * sizeof *sums);
            for (int64_t k = 0; k < count; k++) rows[cluster + k] += work->rows.counts[first + k];
        }
    }
    return ALCORE_OK;
}

/* ---- pass "assignment" ---- */

/* Sets what loosen_bounds() reads of a group: the largest shift of its centroids (L2, how far each
 * moved after the last iteration; 0 before the first), those that replaced empty clusters included,
 * the cluster that has it, and the largest shift of the other clusters. A NaN counts as the
 * largest: every comparison with it is false, so that no bound is trusted. */
static void find_max_shifts(alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    each->max_shift = each->max_other_shift = 0.0;
    each->max_shift_cluster = -1;
    for (int64_t c = means->centroid_starts[g]; c < means->centroid_starts[g + 1]; c++) {
        double shift = means->shift[c];
        if (shift > each->max_shift || isnan(shift)) {
            each->max_other_shift = each->max_shift;
            each->max_shift = shift;
            each->max_shift_cluster = c;
        } else if (shift > each->max_other_shift) {
            each->max_other_shift = shift;
        }
    }
}

/* Start of the pass, before any block: the sums and counts of all clusters begin at zero, as do the
 * counts of changed rows and of empty clusters, and the rows found for empty clusters are dropped.
 * No group is tested for its limit of 100 iterations here: all active groups have made the same
 * number of them, and alcore__kmeans_iterates() ends the loop when they have made 100. */
alcore_status alcore__kmeans_begin_iteration(alcore__run *run) {
    alcore__kmeans *means = run->state;
    size_t clusters = (size_t)cluster_count(means);
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->changed_rows = each->empty_clusters = 0;
        if (each->active) find_max_shifts(means, g);
    }
    memset(means->sums.values, 0, (size_t)means->sums.count * sizeof(double));
    memset(means->counts, 0, clusters * sizeof *means->counts);
    means->far_bytes = 0;
    return ALCORE_OK;
}

/* Visits one block in an iteration: updates the bounds, measures only rows whose cluster may have
 * changed, and writes the partial that the head of this file describes: the sums and counts of the
 * clusters in this block, and how many rows changed their cluster. */
alcore_status alcore__kmeans_assign_rows(alcore__block *block, void *partial) {
    const alcore__kmeans *means = block->run->state;
    double *sums = partial;
    int64_t *changed_rows = (void *)(sums + block->blocks * cluster_count(means) * means->dims);
    block_work work;
    ALCORE__TRY(begin_work(means, block, &work));
    bool first_visit = !alcore__kmeans_find_rows(means, block, &work.rows);
    if (first_visit) /* it has no seed row, and "D^2 weights" was not made, as the seed rows were
                        given or every group has one cluster */
        ALCORE__TRY(alcore__kmeans_open_block(means, block, &work.matrix, &work.rows));
    loosen_bounds(&work);
    /* A block in which nothing can change and whose sums are kept is not even read. (Rows to be
     * rechecked are among those to be searched, and renewed_count is still 0 here.) */
    if (!first_visit && (work.search_count || sums_all(&work)))
        ALCORE__TRY(alcore__block_matrix(block, means->unit, &work.matrix));
    ALCORE__TRY(recheck_rows(&work));
    ALCORE__TRY(search_nearest(&work, changed_rows));
    return sum_clusters(&work, sums, changed_rows + means->groups);
}

/* Reduces the counts of one block, which may come from another process; the runner has added the
 * sums. */
alcore_status alcore__kmeans_add_counts(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kmeans *means = run->state;
    const int64_t *changed_rows = partial->extra, *rows = changed_rows + means->groups;
    const int64_t most =
        (alcore__lists_own(run) ? ALCORE_BLOCK_ROWS : partial->count) + 1; /* rows of the block */
    for (int64_t g = 0; g < means->groups; g++) {
        ALCORE__TRY(alcore__partial_check_index(changed_rows[g], most));
        means->each[g].changed_rows += changed_rows[g];
    }
    for (int64_t c = 0; c < cluster_count(means); c++) {
        ALCORE__TRY(alcore__partial_check_index(rows[c], most));
        means->counts[c] += rows[c];
    }
    return ALCORE_OK;
}

/* Moves the centroids of a group to the means of their rows, by which the sums are replaced in
 * place. The centroid of an empty cluster stays where it is, and the cluster is counted: the pass
 * "farthest rows" (kmeans_empty.c) replaces its centroid. */
static void move_group(alcore__kmeans *means, int64_t g) {
    for (int64_t c = means->centroid_starts[g]; c < means->centroid_starts[g + 1]; c++) {
        means->shift[c] = 0.0;
        if (!means->counts[c]) {
            means->each[g].empty_clusters++;
            continue;
        }
        double count = (double)means->counts[c], *mean = means->sums.values + c * means->dims;
        for (int64_t j = 0; j < means->dims; j++) mean[j] /= count;
        alcore__kmeans_move_centroid(means, c, mean);
    }
}

/* End of an iteration: moves the centroids of every group in which a row changed its cluster; a
 * group without a change is converged and is not visited again. */
alcore_status alcore__kmeans_move_centroids(alcore__run *run) {
    alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        if (!each->active) continue;
        each->iterations++;
        if (each->changed_rows) {
            move_group(means, g);
        } else {
            each->active = false; /* converged */
        }
    }
    return ALCORE_OK;
}

/* Whether another iteration follows: some group is neither converged nor at its limit of 100
 * iterations. Asked after the empty clusters were filled. */
bool alcore__kmeans_iterates(const alcore__run *run) {
    const alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        const alcore__kmeans_group *each = &means->each[g];
        if (each->active && each->iterations < ALCORE__KMEANS_MAX_ITERATIONS) return true;
    }
    return false;
}
