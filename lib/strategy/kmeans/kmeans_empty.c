/* SPDX-License-Identifier: Apache-2.0 */
/* Empty clusters of k-means (spec 3.3): after an iteration that left e clusters of a group without
 * a row, the e rows of the group that are farthest from their centroids become the centroids of
 * these clusters, the farthest row that of the lowest cluster.
 *
 * One pass: every block sends its e farthest rows of each such group; the farthest of all are among
 * them. Rows of a block that take part are its active rows, numbered by their index from 0.
 * Distances are squared here.
 *
 * means->each[g].empty_clusters is e of group g, means->counts [clusters] how many rows each
 * cluster has, and means->group [candidates] the group of each. Group g owns the clusters
 * means->centroid_starts[g] to centroid_starts[g + 1] - 1. */
#include <string.h>

#include "strategy/kmeans/kmeans_rows.h"

/* `when` of the pass: whether the last iteration left a cluster empty. */
bool alcore__kmeans_has_empty(const alcore__run *run) {
    const alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        if (means->each[g].empty_clusters) return true;
    }
    return false;
}

/* The order of found rows: by sq_dist, the squared distance to the row's own centroid; of equal
 * ones the lower row comes first. */
static bool is_farther(const alcore__kmeans_found *a, const alcore__kmeans_found *b) {
    return a->sq_dist > b->sq_dist || (a->sq_dist == b->sq_dist && a->place < b->place);
}

/* Inserts a row into far [max_count], of which the first *count entries are the farthest rows seen
 * so far, the farthest first. When it is full (max_count >= 1), the row replaces the last entry, or
 * is dropped where it is not farther than that. */
static void keep_farthest(alcore__kmeans_found *far, int64_t *count, int64_t max_count,
                          alcore__kmeans_found row) {
    int64_t slot = *count;
    if (slot == max_count) {
        if (!is_farther(&row, &far[max_count - 1])) return;
        slot--;
    } else {
        ++*count;
    }
    for (; slot > 0 && is_farther(&row, &far[slot - 1]); slot--) far[slot] = far[slot - 1];
    far[slot] = row;
}

/* Rows that a block sends for a group: e, or all its rows of the group where these are fewer. */
static int64_t far_count(const alcore__kmeans *means, const alcore__block *block, int64_t g) {
    const int32_t *group = means->group + block->start;
    int64_t rows = 0, wanted = means->each[g].empty_clusters;
    if (means->sizes) {
        rows = means->sizes[block->number * means->groups + g];
        return rows < wanted ? rows : wanted;
    }
    for (int64_t i = 0; i < block->count && rows < wanted; i++) rows += group[i] == g;
    return rows;
}

/* Size of the partial of a block: its far_count() entries of every group. Without any the block is
 * not visited. */
size_t alcore__kmeans_far_bytes(const alcore__block *block) {
    const alcore__kmeans *means = block->run->state;
    int64_t total = 0;
    for (int64_t g = 0; g < means->groups; g++) total += far_count(means, block, g);
    return (size_t)total * alcore__kmeans_found_bytes(means);
}

/* Squared distance of each row of a group with empty clusters to the centroid of its own cluster,
 * which has moved since the row was assigned. The kernel is told that every cluster is a group of
 * one centroid, so that it measures just this distance. sq_dist: [active rows], not written for
 * rows of other groups. A group with empty clusters has made an iteration, so its rows have a
 * cluster. */
static alcore_status measure_own_centroid(const alcore__kmeans *means, const alcore__matrix *matrix,
                                          const alcore__kmeans_rows *rows, double *sq_dist) {
    alcore__block *block = matrix->block;
    int64_t clusters = means->centroid_starts[means->groups];
    int64_t *starts;            /* [clusters + 1] */
    int32_t *cluster, *ignored; /* [active rows] */
    ALCORE__TRY(alcore__scratch_push(block, clusters + 1, sizeof *starts, &starts));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *cluster, &cluster));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *ignored, &ignored));
    for (int64_t c = 0; c <= clusters; c++) starts[c] = c;
    for (int64_t i = 0; i < block->count; i++) {
        int32_t g = means->group[block->start + i];
        bool wanted = g >= 0 && means->each[g].empty_clusters;
        cluster[i] = wanted ? (int32_t)means->centroid_starts[g] + rows->assigned[i] : -1;
    }
    alcore__nearest out = {.nearest = ignored, .distance = sq_dist};
    return alcore__matrix_nearest(matrix, cluster, clusters, starts, means->centroids, &out);
}

/* Visits one block in the pass. The partial: group by group its far_count() farthest rows, the
 * farthest first, each as an alcore__kmeans_found with its vector as k-means reads it (a unit
 * vector where means->unit is set), double [dims], behind it. far_count() entries are always found,
 * as the block has as many rows of the group. Scratch arrays that are not released here are
 * released by the runner when the block is done, also after an error. */
alcore_status alcore__kmeans_find_far(alcore__block *block, void *partial) {
    const alcore__kmeans *means = block->run->state;
    alcore__matrix matrix;
    alcore__kmeans_rows rows;
    alcore__kmeans_found *far;
    double *sq_dist;
    char *out = partial;
    ALCORE__TRY(alcore__kmeans_open_block(means, block, &matrix, &rows));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *sq_dist, &sq_dist));
    ALCORE__TRY(measure_own_centroid(means, &matrix, &rows, sq_dist));
    for (int64_t g = 0; g < means->groups; g++) {
        int64_t max_count = far_count(means, block, g), count = 0;
        if (!max_count) continue;
        alcore__scratch_mark mark = alcore__scratch_get_mark(block);
        ALCORE__TRY(alcore__scratch_push(block, max_count, sizeof *far, &far));
        for (int64_t i = 0; i < block->count; i++) {
            if (means->group[block->start + i] != g) continue;
            /* The index, which has the order of places. */
            alcore__kmeans_found found = {.group = g, .place = i, .sq_dist = sq_dist[i]};
            keep_farthest(far, &count, max_count, found);
        }
        for (int64_t f = 0; f < count; f++, out += alcore__kmeans_found_bytes(means)) {
            const int64_t index = far[f].place;
            far[f].place = alcore__block_place(block, index);
            memcpy(out, &far[f], sizeof far[f]);
            ALCORE__TRY(
                alcore__matrix_copy_row(&matrix, index, (double *)(void *)(out + sizeof far[f])));
        }
        alcore__scratch_release(block, mark);
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: appends its entries to means->far_rows, which each iteration
 * begins empty (kmeans_lloyd.c). */
alcore_status alcore__kmeans_store_far(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kmeans *means = run->state;
    ALCORE__TRY(alcore__run_grow(run, &means->far_rows, &means->far_capacity,
                                 (int64_t)(means->far_bytes + partial->extra_bytes),
                                 1 /* byte an entry */));
    memcpy(means->far_rows + means->far_bytes, partial->extra, partial->extra_bytes);
    means->far_bytes += partial->extra_bytes;
    return ALCORE_OK;
}

/* The farthest row of a group, among those that blocks sent, that is not yet the centroid of an
 * empty cluster (whose group is then -1); its vector follows it. NULL: there is none. */
static alcore__kmeans_found *farthest_left(const alcore__kmeans *means, int64_t g) {
    size_t entry_bytes = alcore__kmeans_found_bytes(means);
    alcore__kmeans_found *best = NULL;
    for (size_t offset = 0; offset < means->far_bytes; offset += entry_bytes) {
        alcore__kmeans_found *row = (alcore__kmeans_found *)(void *)(means->far_rows + offset);
        if (row->group == g && (!best || is_farther(row, best))) best = row;
    }
    return best;
}

/* End of the pass: the centroid of each empty cluster, from the lowest on, moves to the farthest
 * row of its group that no other cluster got. The row keeps its assignment until the next
 * iteration. There is one: a group has at least as many rows as clusters, and every block has sent
 * as many rows as there are empty clusters, or all that it has; unless another process has lied
 * about the groups of its rows. */
alcore_status alcore__kmeans_fill_empty(alcore__run *run) {
    alcore__kmeans *means = run->state;
    for (int64_t g = 0; g < means->groups; g++) {
        if (!means->each[g].empty_clusters) continue;
        for (int64_t c = means->centroid_starts[g]; c < means->centroid_starts[g + 1]; c++) {
            if (means->counts[c]) continue;
            alcore__kmeans_found *row = farthest_left(means, g);
            if (!row)
                return alcore__fail(ALCORE_E_CORRUPT,
                                    "partials have no row for an empty cluster of group %lld",
                                    (long long)g);
            alcore__kmeans_move_centroid(means, c, (const double *)(const void *)(row + 1));
            row->group = -1; /* used */
        }
    }
    return ALCORE_OK;
}
