/* SPDX-License-Identifier: Apache-2.0 */
/* Empty clusters of k-means (spec 3.3). */
#include <string.h>

#include "strategy/kmeans/kmeans_phases.h"

static bool farther(const alcore__kmeans_found *a, const alcore__kmeans_found *b) {
    return a->value > b->value || (a->value == b->value && a->position < b->position);
}

/* Keeps the `most` farthest rows of a group in order. */
static void keep_far(alcore__kmeans_found *far, int64_t *count, int64_t most,
                     alcore__kmeans_found row) {
    int64_t at = *count;
    if (at == most) {
        if (!farther(&row, &far[most - 1])) return;
        at--;
    } else {
        ++*count;
    }
    for (; at > 0 && farther(&row, &far[at - 1]); at--) far[at] = far[at - 1];
    far[at] = row;
}

/* Distance of each row to the centroid of its own cluster: every cluster is a group of its own to
 * the kernel. */
static alcore_status own_distances(const alcore__kmeans *means, alcore__block *block,
                                   const alcore__matrix *matrix, const alcore__kmeans_rows *state,
                                   double *distance) {
    alcore_ctx *ctx = block->run->ctx;
    int64_t clusters = means->starts[means->groups];
    int64_t *starts;
    int32_t *cluster = NULL;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)clusters + 1, sizeof *starts, &starts));
    for (int64_t c = 0; c <= clusters; c++) starts[c] = c;
    alcore_status status =
        alcore__new_array(ctx, 2 * (size_t)block->count, sizeof *cluster, &cluster);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        int32_t g = means->group[block->start + i];
        bool wanted = g >= 0 && means->each[g].empty;
        cluster[i] = wanted ? (int32_t)means->starts[g] + state->assigned[i] : -1;
    }
    if (status == ALCORE_OK) {
        alcore__nearest own = {.nearest = cluster + block->count, .distance = distance};
        status = alcore__matrix_nearest(matrix, cluster, clusters, starts, means->centroids, &own);
    }
    alcore__free(ctx, cluster);
    alcore__free(ctx, starts);
    return status;
}

alcore_status alcore__kmeans_far_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    alcore__kmeans_rows state;
    alcore_ctx *ctx = block->run->ctx;
    ALCORE__TRY(alcore__kmeans_touch(means, block, &matrix, &state));
    int64_t most = 0, count = 0, total = 0;
    for (int64_t g = 0; g < means->groups; g++) most += means->each[g].empty;
    double *distance = NULL;
    alcore__kmeans_found *far;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)most, sizeof *far, &far));
    alcore_status status =
        alcore__new_array(ctx, (size_t)block->count, sizeof *distance, &distance);
    if (status == ALCORE_OK) status = own_distances(means, block, &matrix, &state, distance);
    for (int64_t g = 0; g < means->groups && status == ALCORE_OK; g++, total += count) {
        count = 0;
        for (int64_t i = 0; means->each[g].empty && i < block->count; i++) {
            if (means->group[block->start + i] != g) continue;
            keep_far(far + total, &count, means->each[g].empty,
                     (alcore__kmeans_found){g, block->start + i, 0, distance[i]});
        }
    }
    char *out = NULL;
    if (status == ALCORE_OK && total) {
        status =
            alcore__block_payload(block, (size_t)total * alcore__kmeans_found_bytes(means), &out);
    }
    for (int64_t i = 0; i < total && status == ALCORE_OK;
         i++, out += alcore__kmeans_found_bytes(means)) {
        *(alcore__kmeans_found *)(void *)out = far[i];
        status = alcore__matrix_row(&matrix, far[i].position - block->start,
                                    (double *)(void *)(out + sizeof(alcore__kmeans_found)));
    }
    alcore__free(ctx, distance);
    alcore__free(ctx, far);
    return status;
}

void alcore__kmeans_fill_empty(alcore__kmeans *means) {
    size_t bytes = alcore__kmeans_found_bytes(means);
    for (int64_t g = 0; g < means->groups; g++) {
        for (int64_t c = means->starts[g]; means->each[g].empty && c < means->starts[g + 1]; c++) {
            if (means->counts[c]) continue;
            char *best = NULL;
            for (size_t at = 0; at < means->far_bytes; at += bytes) {
                alcore__kmeans_found *row = (alcore__kmeans_found *)(void *)(means->far + at);
                if (row->group != g) continue;
                if (!best || farther(row, (alcore__kmeans_found *)(void *)best))
                    best = means->far + at;
            }
            alcore__kmeans_move(means, c, (double *)(void *)(best + sizeof(alcore__kmeans_found)));
            ((alcore__kmeans_found *)(void *)best)->group = -1;
        }
    }
}
