/* SPDX-License-Identifier: Apache-2.0 */
/* Lloyd passes of k-means (spec 3.3). */
#include <math.h>
#include <string.h>

#include "strategy/kmeans/kmeans_phases.h"

typedef struct assign_layout {
    int64_t *changed; /* [groups] */
    int64_t *counts;  /* [clusters] */
    double *sums;     /* [clusters, dims] */
} assign_layout;

static assign_layout layout_of(const alcore__kmeans *means, const void *payload) {
    int64_t *head = (int64_t *)(uintptr_t)payload;
    int64_t clusters = means->starts[means->groups];
    return (assign_layout){head, head + means->groups,
                           (double *)(void *)(head + means->groups + clusters)};
}

/* The work on one block: memory by member, or by cluster of all groups. */
typedef struct assign_work {
    int32_t *wanted, *nearest; /* [members] the group of a row that is to be measured, else -1 */
    int32_t *cluster;          /* [members] over all groups; -1: of no active group */
    int32_t *hopeful;          /* [members] the cluster of a row whose own distance may settle it */
    int64_t wanted_count, hopeful_count;
    double *low, *high; /* [members] */
    int32_t *place;     /* [clusters] among those whose sums are to be made, else -1 */
    int64_t places;
    double *sums; /* [places, dims], when they are not all clusters */
    int64_t *counts;
    bool all; /* sums of all clusters are to be made */
} assign_work;

static void free_work(alcore_ctx *ctx, assign_work *work) {
    alcore__free(ctx, work->low);
    alcore__free(ctx, work->wanted);
    alcore__free(ctx, work->place);
    alcore__free(ctx, work->sums);
    alcore__free(ctx, work->counts);
}

static alcore_status new_work(alcore_ctx *ctx, size_t members, size_t clusters, assign_work *out) {
    *out = (assign_work){0};
    alcore_status status = alcore__new_array(ctx, 4 * members, sizeof(int32_t), &out->wanted);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, 2 * members, 8, &out->low);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, clusters, 4, &out->place);
    if (status != ALCORE_OK) {
        free_work(ctx, out);
        return status;
    }
    out->nearest = out->wanted + members;
    out->cluster = out->nearest + members;
    out->hopeful = out->cluster + members;
    out->high = out->low + members;
    return ALCORE_OK;
}

/* Whether the distance to the own centroid is less than to any other, by so much that the squared
 * distances of spec 1.8, each within 1e-9 of the exact one, say the same; squares below double's
 * range are none. */
static bool is_settled(double high, double low) {
    return high * (1.0 + 1e-8) + 1e-140 < low;
}

/* Moves the bounds of the rows with their centroids (Hamerly 2010): to the own centroid it became
 * farther by no more than that moved, to another one nearer by no more than any other moved. Rows
 * that are settled keep their centroid; the others are wanted. An own centroid comes nearer as
 * often as not: where its old distance would settle the row, the new one nearly always does. */
static void move_bounds(const alcore__kmeans *means, const alcore__block *block,
                        const alcore__kmeans_rows *state, assign_work *work) {
    const int32_t *group = means->group + block->start;
    for (int64_t i = 0; i < block->count; i++) {
        int32_t g = group[i], own = state->assigned[i];
        work->wanted[i] = work->cluster[i] = work->hopeful[i] = -1;
        if (g < 0 || !means->each[g].active) continue;
        if (own >= 0) {
            int64_t cluster = means->starts[g] + own;
            double others = means->each[g].farthest[cluster == means->each[g].mover];
            double *high = &state->high[i], *low = &state->low[i], before = *high;
            *high = (*high + means->moved[cluster]) * (1.0 + 0x1p-51);
            *low = (*low - others) * (1.0 - 0x1p-51);
            work->cluster[i] = (int32_t)cluster;
            if (is_settled(*high, *low)) continue;
            if (is_settled(before, *low)) {
                work->hopeful[i] = (int32_t)cluster;
                work->hopeful_count++;
            }
        }
        work->wanted[i] = g;
        work->wanted_count++;
    }
}

/* Measures the hopeful rows from their own centroid: every cluster is a group of its own to the
 * kernel. */
static alcore_status measure_own(const alcore__kmeans *means, const alcore__block *block,
                                 const alcore__matrix *matrix, const alcore__kmeans_rows *state,
                                 assign_work *work) {
    int64_t clusters = means->starts[means->groups], *starts;
    alcore__nearest out = {.nearest = work->nearest, .low = work->low, .high = work->high};
    if (!work->hopeful_count) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)clusters + 1, sizeof *starts, &starts));
    for (int64_t c = 0; c <= clusters; c++) starts[c] = c;
    alcore_status status =
        alcore__matrix_nearest(matrix, work->hopeful, clusters, starts, means->centroids, &out);
    alcore__free(block->run->ctx, starts);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (work->hopeful[i] < 0) continue;
        state->high[i] = work->high[i];
        if (!is_settled(state->high[i], state->low[i])) continue;
        work->wanted[i] = -1;
        work->wanted_count--;
    }
    return status;
}

/* The sums of a cluster are to be made. */
static void want_sums(assign_work *work, int64_t cluster) {
    if (work->place[cluster] < 0) work->place[cluster] = (int32_t)work->places++;
}

/* Nearest centroids of the rows that are wanted. */
static alcore_status assign(const alcore__kmeans *means, const alcore__block *block,
                            const alcore__matrix *matrix, const alcore__kmeans_rows *state,
                            assign_work *work, int64_t *changed) {
    alcore__nearest out = {.nearest = work->nearest, .low = work->low, .high = work->high};
    ALCORE__TRY(alcore__matrix_nearest(matrix, work->wanted, means->groups, means->starts,
                                       means->centroids, &out));
    for (int64_t i = 0; i < block->count; i++) {
        int32_t g = work->wanted[i], nearest = work->nearest[i];
        if (g < 0) continue;
        state->high[i] = work->high[i];
        state->low[i] = work->low[i];
        if (nearest == state->assigned[i]) continue;
        if (state->assigned[i] >= 0) want_sums(work, work->cluster[i]);
        changed[g]++;
        state->assigned[i] = nearest;
        work->cluster[i] = (int32_t)means->starts[g] + nearest;
        want_sums(work, work->cluster[i]);
    }
    return ALCORE_OK;
}

/* The sums of the clusters that lost or won rows of the block are made again, those of the others
 * are as they were: a running sum over the same rows in the same order has the same bits. */
static alcore_status renew_sums(const alcore__kmeans *means, const alcore__block *block,
                                const alcore__matrix *matrix, assign_work *work,
                                const alcore__kmeans_sums *kept) {
    alcore_ctx *ctx = block->run->ctx;
    int64_t clusters = means->starts[means->groups];
    size_t bytes = (size_t)means->dims * sizeof *work->sums;
    int32_t *place = work->nearest; /* of each row's cluster */
    if (!work->places) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)work->places, bytes, &work->sums));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)work->places, 8, &work->counts));
    for (int64_t i = 0; i < block->count; i++)
        place[i] = work->cluster[i] < 0 ? -1 : work->place[work->cluster[i]];
    ALCORE__TRY(alcore__matrix_group_sums(matrix, place, work->places, work->sums, work->counts));
    for (int64_t c = 0; c < clusters; c++) {
        int64_t at = work->place[c];
        if (at < 0) continue;
        memcpy(kept->sums + c * means->dims, work->sums + at * means->dims, bytes);
        kept->counts[c] = work->counts[at];
    }
    return ALCORE_OK;
}

/* Sums and counts of the clusters of active groups. */
static alcore_status sum_clusters(const alcore__kmeans *means, const alcore__block *block,
                                  const alcore__matrix *matrix, assign_work *work,
                                  const assign_layout *out) {
    alcore__kmeans_sums kept = alcore__kmeans_sums_of(means, block);
    int64_t clusters = means->starts[means->groups];
    size_t numbers = (size_t)means->dims * sizeof *out->sums;
    if (work->all) {
        ALCORE__TRY(
            alcore__matrix_group_sums(matrix, work->cluster, clusters, out->sums, out->counts));
        if (!kept.valid) return ALCORE_OK;
        memcpy(kept.sums, out->sums, (size_t)clusters * numbers);
        memcpy(kept.counts, out->counts, (size_t)clusters * sizeof *kept.counts);
        *kept.valid = 1;
        return ALCORE_OK;
    }
    ALCORE__TRY(renew_sums(means, block, matrix, work, &kept));
    for (int64_t g = 0; g < means->groups; g++) {
        int64_t first = means->starts[g];
        size_t own = (size_t)means->each[g].clusters;
        if (!means->each[g].active) continue;
        memcpy(out->sums + first * means->dims, kept.sums + first * means->dims, own * numbers);
        memcpy(out->counts + first, kept.counts + first, own * sizeof *kept.counts);
    }
    return ALCORE_OK;
}

/* Whether sums of all clusters cost about as much as those that are needed, or there are none. */
static bool needs_all(const alcore__kmeans *means, const alcore__block *block,
                      const assign_work *work) {
    alcore__kmeans_sums kept = alcore__kmeans_sums_of(means, block);
    return !kept.valid || !*kept.valid || 4 * work->places > 3 * means->starts[means->groups];
}

static alcore_status assign_rows(const alcore__kmeans *means, alcore__block *block,
                                 const alcore__kmeans_rows *state, assign_work *work,
                                 const assign_layout *out) {
    alcore__matrix matrix;
    int64_t clusters = means->starts[means->groups];
    for (int64_t c = 0; c < clusters; c++) work->place[c] = -1;
    move_bounds(means, block, state, work);
    /* A block without anything to do is not even read. */
    if (work->wanted_count || needs_all(means, block, work))
        ALCORE__TRY(alcore__block_matrix(block, means->unit, &matrix));
    ALCORE__TRY(measure_own(means, block, &matrix, state, work));
    if (work->wanted_count) ALCORE__TRY(assign(means, block, &matrix, state, work, out->changed));
    work->all = needs_all(means, block, work);
    return sum_clusters(means, block, &matrix, work, out);
}

alcore_status alcore__kmeans_assign_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    alcore_ctx *ctx = block->run->ctx;
    size_t clusters = (size_t)means->starts[means->groups], groups = (size_t)means->groups;
    void *payload;
    assign_work work;
    if (block->memory->local) {
        state = alcore__kmeans_rows_of(block);
    } else {
        ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    }
    ALCORE__TRY(alcore__block_payload(
        block, (groups + clusters) * 8 + clusters * (size_t)means->dims * 8, &payload));
    assign_layout out = layout_of(means, payload);
    ALCORE__TRY(new_work(ctx, (size_t)block->count, clusters, &work));
    alcore_status status = assign_rows(means, block, &state, &work, &out);
    free_work(ctx, &work);
    return status;
}

void alcore__kmeans_add_assigned(alcore__kmeans *means, const void *payload) {
    assign_layout part = layout_of(means, payload);
    int64_t clusters = means->starts[means->groups];
    for (int64_t g = 0; g < means->groups; g++) means->each[g].changed += part.changed[g];
    for (int64_t c = 0; c < clusters; c++) means->counts[c] += part.counts[c];
    for (int64_t i = 0; i < clusters * means->dims; i++) means->sums[i] += part.sums[i];
}

void alcore__kmeans_move(alcore__kmeans *means, int64_t cluster, const double *to) {
    double *centroid = means->centroids + cluster * means->dims, square = 0.0;
    for (int64_t j = 0; j < means->dims; j++) {
        double t = to[j] - centroid[j];
        square += t * t;
        centroid[j] = to[j];
    }
    /* Above the exact length: rounding of the sum, and squares below double's range. */
    double slack = 1e-9 + (double)means->dims * 0x1p-52;
    means->moved[cluster] = sqrt(square) * (1.0 + slack) + 1e-150;
}

static void move_centroids(alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    for (int64_t c = means->starts[g]; c < means->starts[g + 1]; c++) {
        means->moved[c] = 0.0;
        if (!means->counts[c]) {
            each->empty++;
            continue;
        }
        double count = (double)means->counts[c], *mean = means->sums + c * means->dims;
        for (int64_t j = 0; j < means->dims; j++) mean[j] /= count;
        alcore__kmeans_move(means, c, mean);
    }
}

/* The two centroids of a group that moved farthest. */
static void find_movers(alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    each->farthest[0] = each->farthest[1] = 0.0;
    each->mover = -1;
    for (int64_t c = means->starts[g]; c < means->starts[g + 1]; c++) {
        double moved = means->moved[c];
        if (moved > each->farthest[0] || moved != moved) {
            each->farthest[1] = each->farthest[0];
            each->farthest[0] = moved;
            each->mover = c;
        } else if (moved > each->farthest[1]) {
            each->farthest[1] = moved;
        }
    }
}

void alcore__kmeans_settle(alcore__kmeans *means, bool *finished) {
    *finished = true;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->changed = each->empty = 0;
        if (each->passes == ALCORE__KMEANS_PASSES) each->active = false;
        if (!each->active) continue;
        find_movers(means, g);
        *finished = false;
    }
    means->phase = ALCORE__KMEANS_ASSIGN;
    means->far_bytes = 0;
}

void alcore__kmeans_next_assignment(alcore__kmeans *means, bool *finished) {
    bool empty = false;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        if (!each->active) continue;
        each->passes++;
        if (!each->changed) {
            each->active = false;
            continue;
        }
        move_centroids(means, g);
        empty |= each->empty > 0;
    }
    if (empty) {
        means->phase = ALCORE__KMEANS_FAR;
    } else {
        alcore__kmeans_settle(means, finished);
    }
}
