/* SPDX-License-Identifier: Apache-2.0 */
/* Lloyd passes of k-means (spec 3.3). */
#include <string.h>

#include "strategy/kmeans_phases.h"

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

/* Nearest centres of the rows of active groups; cluster[i] counts over all groups, -1 elsewhere. */
static alcore_status assign(const alcore__kmeans *means, alcore__block *block,
                            const alcore__matrix *matrix, const alcore__kmeans_rows *state,
                            int32_t *cluster, int32_t *nearest, double *distance,
                            int64_t *changed) {
    const int32_t *group = means->group + block->start;
    for (int64_t i = 0; i < block->count; i++) {
        cluster[i] = group[i] >= 0 && means->each[group[i]].active ? group[i] : -1;
    }
    ALCORE__TRY(alcore__matrix_nearest(matrix, cluster, means->groups, means->starts,
                                       means->centres, nearest, distance));
    for (int64_t i = 0; i < block->count; i++) {
        if (cluster[i] < 0) continue;
        changed[group[i]] += nearest[i] != state->assigned[i];
        state->assigned[i] = nearest[i];
        cluster[i] = (int32_t)means->starts[group[i]] + nearest[i];
    }
    return ALCORE_OK;
}

alcore_status alcore__kmeans_assign_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    alcore_ctx *ctx = block->run->ctx;
    size_t clusters = (size_t)means->starts[means->groups], groups = (size_t)means->groups;
    void *payload;
    int32_t *cluster = NULL;
    double *distance = NULL;
    ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    ALCORE__TRY(alcore__block_payload(
        block, (groups + clusters) * 8 + clusters * (size_t)means->dims * 8, &payload));
    assign_layout out = layout_of(means, payload);
    alcore_status status =
        alcore__new_array(ctx, 2 * (size_t)block->count, sizeof *cluster, &cluster);
    if (status == ALCORE_OK) {
        status = alcore__new_array(ctx, (size_t)block->count, sizeof *distance, &distance);
    }
    if (status == ALCORE_OK) {
        status = assign(means, block, &matrix, &state, cluster, cluster + block->count, distance,
                        out.changed);
    }
    if (status == ALCORE_OK) {
        status =
            alcore__matrix_group_sums(&matrix, cluster, (int64_t)clusters, out.sums, out.counts);
    }
    alcore__free(ctx, distance);
    alcore__free(ctx, cluster);
    return status;
}

void alcore__kmeans_add_assigned(alcore__kmeans *means, const void *payload) {
    assign_layout part = layout_of(means, payload);
    int64_t clusters = means->starts[means->groups];
    for (int64_t g = 0; g < means->groups; g++) means->each[g].changed += part.changed[g];
    for (int64_t c = 0; c < clusters; c++) means->counts[c] += part.counts[c];
    for (int64_t i = 0; i < clusters * means->dims; i++) means->sums[i] += part.sums[i];
}

static void move_centres(alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    for (int64_t c = means->starts[g]; c < means->starts[g + 1]; c++) {
        if (!means->counts[c]) {
            each->empty++;
            continue;
        }
        double count = (double)means->counts[c];
        for (int64_t j = c * means->dims; j < (c + 1) * means->dims; j++)
            means->centres[j] = means->sums[j] / count;
    }
}

void alcore__kmeans_settle(alcore__kmeans *means, bool *finished) {
    *finished = true;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->changed = each->empty = 0;
        if (each->passes == ALCORE__KMEANS_PASSES) each->active = false;
        if (each->active) *finished = false;
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
        move_centres(means, g);
        empty |= each->empty > 0;
    }
    if (empty) {
        means->phase = ALCORE__KMEANS_FAR;
    } else {
        alcore__kmeans_settle(means, finished);
    }
}
