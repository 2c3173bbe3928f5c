/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_KMEANS = 4 };
enum { PHASE_PICK, PHASE_MASS, PHASE_ASSIGN, PHASE_FAR };

/* What stays with the rows of a block. */
typedef struct rows_state {
    double *dots;      /* self dots */
    double *minimum;   /* D^2 */
    int32_t *assigned; /* -1 at first */
} rows_state;

static rows_state state_of(void *memory, int64_t count) {
    double *numbers = memory;
    return (rows_state){numbers, numbers + count, (int32_t *)(numbers + 2 * count)};
}

static size_t state_bytes(int64_t count) {
    return (size_t)count * (2 * sizeof(double) + sizeof(int32_t));
}

const int32_t *alcore__kmeans_assigned(const alcore__block *block) {
    return block->count ? state_of(*block->local, block->count).assigned : NULL;
}

/* ---- begin ---- */

static alcore_status make_arrays(alcore__run *run, alcore__kmeans *means, int64_t k,
                                 const int32_t *group) {
    alcore_ctx *ctx = run->ctx;
    size_t groups = (size_t)means->groups;
    ALCORE__TRY(alcore__new_array(ctx, groups, sizeof *means->each, &means->each));
    ALCORE__TRY(alcore__new_array(ctx, groups + 1, sizeof(int64_t), &means->starts));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (group[i] >= 0) means->each[group[i]].size++;
    }
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->clusters = each->size < k ? each->size : k;
        each->active = each->size > 0;
        means->starts[g + 1] = means->starts[g] + each->clusters;
    }
    size_t clusters = (size_t)means->starts[means->groups],
           numbers = (size_t)means->dims * sizeof(double);
    ALCORE__TRY(alcore__new_array(ctx, clusters, numbers, &means->centres));
    ALCORE__TRY(alcore__new_array(ctx, clusters, numbers, &means->sums));
    ALCORE__TRY(alcore__new_array(ctx, clusters, sizeof(int64_t), &means->initial));
    ALCORE__TRY(alcore__new_array(ctx, clusters, sizeof(int64_t), &means->counts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)run->outcome.count, 1, &means->chosen));
    return alcore__new_array(ctx, (size_t)means->blocks * groups, sizeof(double), &means->mass);
}

/* Position of the n-th member of a group. */
static int64_t nth_member(const alcore__kmeans *means, int64_t g, int64_t n) {
    int64_t i = 0;
    while (means->group[i] != g || n-- > 0) i++;
    return i;
}

alcore_status alcore__kmeans_begin(alcore__run *run, alcore__kmeans *means, const int32_t *group,
                                   int64_t groups, int64_t k, bool unit, const int64_t *initial) {
    means->groups = groups;
    means->dims = alcore__embedding_dims(run);
    means->blocks = run->members[0].blocks;
    means->unit = unit;
    means->group = group;
    means->phase = PHASE_PICK;
    ALCORE__TRY(make_arrays(run, means, k, group));
    run->repeats = true;
    means->given = initial != NULL;
    if (initial) memcpy(means->initial, initial, (size_t)means->starts[groups] * sizeof *initial);
    for (int64_t g = 0; g < groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        uint64_t seed = alcore_rng_derive(run->input->seed, TAG_KMEANS, (uint64_t)run->input->round,
                                          (uint64_t)g);
        alcore_rng_seed(&each->rng, seed);
        each->draw_position = each->draw_block = -1;
        if (!each->size) continue;
        int64_t first = (int64_t)alcore_rng_below(&each->rng, (uint64_t)each->size);
        each->draw_position = initial ? initial[means->starts[g]] : nth_member(means, g, first);
    }
    return ALCORE_OK;
}

void alcore__kmeans_clear(alcore_ctx *ctx, alcore__kmeans *means) {
    alcore__free(ctx, means->each);
    alcore__free(ctx, means->starts);
    alcore__free(ctx, means->centres);
    alcore__free(ctx, means->sums);
    alcore__free(ctx, means->initial);
    alcore__free(ctx, means->counts);
    alcore__free(ctx, means->mass);
    alcore__free(ctx, means->chosen);
    alcore__free(ctx, means->far);
    memset(means, 0, sizeof *means);
}

/* ---- seeding ---- */

/* The state of a block's rows; made when the block is first looked at. */
static alcore_status touch(const alcore__kmeans *means, alcore__block *block,
                           alcore__matrix *matrix, rows_state *out) {
    ALCORE__TRY(alcore__block_matrix(block, means->unit, matrix));
    bool fresh = !*block->local;
    void *memory;
    ALCORE__TRY(alcore__block_local(block, state_bytes(block->count), &memory));
    *out = state_of(memory, block->count);
    if (!fresh) return ALCORE_OK;
    ALCORE__TRY(alcore__matrix_self_dots(matrix, out->dots));
    for (int64_t i = 0; i < block->count; i++) {
        out->minimum[i] = HUGE_VAL;
        out->assigned[i] = -1;
        if (!isfinite(out->dots[i])) ALCORE__TRY(alcore__matrix_check(matrix));
    }
    return ALCORE_OK;
}

/* A row that was looked for: the next first centre, or a row for an empty cluster. A vector [dims]
 * follows. */
typedef struct found_row {
    int64_t group, position;
    double value; /* self dot, or distance to the row's centre */
} found_row;

static size_t found_bytes(const alcore__kmeans *means) {
    return sizeof(found_row) + (size_t)means->dims * sizeof(double);
}

/* The member of a block that a draw means; -1: it is in another block. */
static int64_t drawn_member(const alcore__kmeans_group *each, int64_t g, const int32_t *group,
                            const alcore__block *block) {
    if (each->draw_position >= 0) {
        int64_t member = each->draw_position - block->start;
        return member >= 0 && member < block->count ? member : -1;
    }
    if (each->draw_block != block->number) return -1;
    const double *weight = state_of(*block->local, block->count).minimum;
    double run = 0.0;
    int64_t last = -1;
    for (int64_t i = 0; i < block->count; i++) {
        if (group[i] != g) continue;
        run += weight[i];
        if (!(weight[i] > 0.0)) continue;
        last = i;
        if (each->draw_before + run > each->draw_target) return i;
    }
    return last;
}

static bool wants_draw(const alcore__kmeans_group *each) {
    return each->active && each->chosen < each->clusters;
}

static alcore_status pick_block(const alcore__kmeans *means, alcore__block *block) {
    const int32_t *group = means->group + block->start;
    int64_t found = 0;
    for (int64_t g = 0; g < means->groups; g++) {
        found += wants_draw(&means->each[g]) && drawn_member(&means->each[g], g, group, block) >= 0;
    }
    if (!found) return ALCORE_OK;
    alcore__matrix matrix;
    rows_state state;
    char *out;
    ALCORE__TRY(touch(means, block, &matrix, &state));
    ALCORE__TRY(alcore__block_payload(block, (size_t)found * found_bytes(means), &out));
    for (int64_t g = 0; g < means->groups; g++) {
        if (!wants_draw(&means->each[g])) continue;
        int64_t member = drawn_member(&means->each[g], g, group, block);
        if (member < 0) continue;
        *(found_row *)(void *)out = (found_row){g, block->start + member, state.dots[member]};
        ALCORE__TRY(
            alcore__matrix_row(&matrix, member, (double *)(void *)(out + sizeof(found_row))));
        out += found_bytes(means);
    }
    return ALCORE_OK;
}

static void take_pick(alcore__kmeans *means, const char *payload) {
    const found_row *found = (const void *)payload;
    alcore__kmeans_group *each = &means->each[found->group];
    int64_t cluster = means->starts[found->group] + each->chosen;
    memcpy(means->centres + cluster * means->dims, payload + sizeof *found,
           (size_t)means->dims * sizeof(double));
    means->initial[cluster] = found->position;
    means->chosen[found->position] = 1;
    each->centre_dot = found->value;
}

/* D^2 against the newest centre of each group; payload: the total of each group. */
static alcore_status mass_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    rows_state state;
    double *mass;
    uint8_t *which;
    const int32_t *group = means->group + block->start;
    ALCORE__TRY(touch(means, block, &matrix, &state));
    ALCORE__TRY(alcore__block_payload(block, (size_t)means->groups * sizeof *mass, &mass));
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)block->count, 1, &which));
    alcore_status status = ALCORE_OK;
    for (int64_t g = 0; g < means->groups && status == ALCORE_OK; g++) {
        const alcore__kmeans_group *each = &means->each[g];
        if (!wants_draw(each)) continue;
        int64_t members = 0;
        for (int64_t i = 0; i < block->count; i++) members += which[i] = group[i] == g;
        if (!members) continue;
        const double *centre = means->centres + (means->starts[g] + each->chosen - 1) * means->dims;
        status = alcore__matrix_min_sqd(&matrix, which, centre, each->centre_dot, state.dots, true,
                                        state.minimum);
        for (int64_t i = 0; i < block->count; i++) {
            if (which[i]) mass[g] += state.minimum[i];
        }
    }
    alcore__free(block->run->ctx, which);
    return status;
}

/* weighted(D^2, f64()) of spec 1.7 as far as the blocks' totals tell. */
static void draw_next(alcore__run *run, alcore__kmeans *means, int64_t g) {
    alcore__kmeans_group *each = &means->each[g];
    double total = 0.0, before = 0.0, u = alcore_rng_f64(&each->rng);
    int64_t last = -1;
    for (int64_t b = 0; b < means->blocks; b++) {
        double mass = means->mass[b * means->groups + g];
        if (mass > 0.0) last = b;
        total += mass;
    }
    each->draw_position = each->draw_block = -1;
    if (last < 0) {
        /* Only duplicates are left: the first row that is no centre yet. */
        int64_t i = 0;
        while (i < run->outcome.count && (means->group[i] != g || means->chosen[i])) i++;
        each->draw_position = i;
        return;
    }
    each->draw_target = u * total;
    for (int64_t b = 0; b < means->blocks; b++) {
        double mass = means->mass[b * means->groups + g];
        if (before + mass > each->draw_target) {
            each->draw_block = b;
            each->draw_before = before;
            return;
        }
        before += mass;
    }
    /* Rounding left none: the last row with a weight. */
    each->draw_block = last;
    each->draw_before = -HUGE_VAL;
}

static void next_centres(alcore__run *run, alcore__kmeans *means) {
    bool more = false;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        if (!each->active) continue;
        if (means->phase == PHASE_PICK) {
            if (wants_draw(each)) each->chosen++;
            more |= wants_draw(each);
            if (means->given && wants_draw(each)) {
                each->draw_position = means->initial[means->starts[g] + each->chosen];
            }
        } else if (wants_draw(each)) {
            draw_next(run, means, g);
        }
    }
    if (means->phase == PHASE_MASS) {
        means->phase = PHASE_PICK;
    } else if (!more) {
        means->phase = PHASE_ASSIGN;
    } else if (!means->given) {
        means->phase = PHASE_MASS;
    }
}

/* ---- Lloyd ---- */

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
                            const alcore__matrix *matrix, const rows_state *state, int32_t *cluster,
                            int32_t *nearest, double *distance, int64_t *changed) {
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

static alcore_status assign_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    rows_state state;
    alcore_ctx *ctx = block->run->ctx;
    size_t clusters = (size_t)means->starts[means->groups], groups = (size_t)means->groups;
    void *payload;
    int32_t *cluster = NULL;
    double *distance = NULL;
    ALCORE__TRY(touch(means, block, &matrix, &state));
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

static void add_assigned(alcore__kmeans *means, const void *payload) {
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

static void clear_sums(alcore__kmeans *means) {
    size_t clusters = (size_t)means->starts[means->groups];
    memset(means->sums, 0, clusters * (size_t)means->dims * sizeof *means->sums);
    memset(means->counts, 0, clusters * sizeof *means->counts);
}

/* Ends or goes on, once empty clusters have their rows. */
static void settle(alcore__kmeans *means, bool *finished) {
    *finished = true;
    for (int64_t g = 0; g < means->groups; g++) {
        alcore__kmeans_group *each = &means->each[g];
        each->changed = each->empty = 0;
        if (each->passes == ALCORE__KMEANS_PASSES) each->active = false;
        if (each->active) *finished = false;
    }
    means->phase = PHASE_ASSIGN;
    means->far_bytes = 0;
}

static void next_assignment(alcore__kmeans *means, bool *finished) {
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
        means->phase = PHASE_FAR;
    } else {
        settle(means, finished);
    }
}

/* ---- empty clusters ---- */

static bool farther(const found_row *a, const found_row *b) {
    return a->value > b->value || (a->value == b->value && a->position < b->position);
}

/* Keeps the `most` farthest rows of a group in order. */
static void keep_far(found_row *far, int64_t *count, int64_t most, found_row row) {
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

/* Distance of each row to the centre of its own cluster: every cluster is a group of its own to the
 * kernel. */
static alcore_status own_distances(const alcore__kmeans *means, alcore__block *block,
                                   const alcore__matrix *matrix, const rows_state *state,
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
        status = alcore__matrix_nearest(matrix, cluster, clusters, starts, means->centres,
                                        cluster + block->count, distance);
    }
    alcore__free(ctx, cluster);
    alcore__free(ctx, starts);
    return status;
}

static alcore_status far_block(const alcore__kmeans *means, alcore__block *block) {
    alcore__matrix matrix;
    rows_state state;
    alcore_ctx *ctx = block->run->ctx;
    ALCORE__TRY(touch(means, block, &matrix, &state));
    int64_t most = 0, count = 0, total = 0;
    for (int64_t g = 0; g < means->groups; g++) most += means->each[g].empty;
    double *distance = NULL;
    found_row *far;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)most, sizeof *far, &far));
    alcore_status status =
        alcore__new_array(ctx, (size_t)block->count, sizeof *distance, &distance);
    if (status == ALCORE_OK) status = own_distances(means, block, &matrix, &state, distance);
    for (int64_t g = 0; g < means->groups && status == ALCORE_OK; g++, total += count) {
        count = 0;
        for (int64_t i = 0; means->each[g].empty && i < block->count; i++) {
            if (means->group[block->start + i] != g) continue;
            keep_far(far + total, &count, means->each[g].empty,
                     (found_row){g, block->start + i, distance[i]});
        }
    }
    char *out = NULL;
    if (status == ALCORE_OK && total) {
        status = alcore__block_payload(block, (size_t)total * found_bytes(means), &out);
    }
    for (int64_t i = 0; i < total && status == ALCORE_OK; i++, out += found_bytes(means)) {
        *(found_row *)(void *)out = far[i];
        status = alcore__matrix_row(&matrix, far[i].position - block->start,
                                    (double *)(void *)(out + sizeof(found_row)));
    }
    alcore__free(ctx, distance);
    alcore__free(ctx, far);
    return status;
}

/* Gives the farthest rows to the empty clusters, in cluster order. */
static void fill_empty(alcore__kmeans *means) {
    size_t bytes = found_bytes(means);
    for (int64_t g = 0; g < means->groups; g++) {
        for (int64_t c = means->starts[g]; means->each[g].empty && c < means->starts[g + 1]; c++) {
            if (means->counts[c]) continue;
            char *best = NULL;
            for (size_t at = 0; at < means->far_bytes; at += bytes) {
                found_row *row = (found_row *)(void *)(means->far + at);
                if (row->group != g) continue;
                if (!best || farther(row, (found_row *)(void *)best)) best = means->far + at;
            }
            memcpy(means->centres + c * means->dims, best + sizeof(found_row),
                   (size_t)means->dims * sizeof(double));
            ((found_row *)(void *)best)->group = -1;
        }
    }
}

/* ---- the steps ---- */

alcore_status alcore__kmeans_block(const alcore__kmeans *means, alcore__block *block) {
    if (!block->count) return ALCORE_OK;
    switch (means->phase) {
    case PHASE_PICK:
        return pick_block(means, block);
    case PHASE_MASS:
        return mass_block(means, block);
    case PHASE_ASSIGN:
        return assign_block(means, block);
    default:
        return far_block(means, block);
    }
}

alcore_status alcore__kmeans_gather(alcore__run *run, alcore__kmeans *means, int64_t block,
                                    const void *payload, size_t bytes) {
    if (means->phase == PHASE_MASS) {
        double *mass = means->mass + block * means->groups;
        if (bytes) memcpy(mass, payload, bytes);
    } else if (means->phase == PHASE_PICK) {
        for (size_t at = 0; at < bytes; at += found_bytes(means))
            take_pick(means, (const char *)payload + at);
    } else if (means->phase == PHASE_ASSIGN) {
        if (bytes) add_assigned(means, payload);
    } else if (bytes) {
        ALCORE__TRY(
            alcore__grow(run->ctx, &means->far, &means->far_capacity, means->far_bytes + bytes, 1));
        memcpy(means->far + means->far_bytes, payload, bytes);
        means->far_bytes += bytes;
    }
    return ALCORE_OK;
}

alcore_status alcore__kmeans_next(alcore__run *run, alcore__kmeans *means, bool *finished) {
    *finished = false;
    if (means->phase == PHASE_ASSIGN) {
        next_assignment(means, finished);
        if (means->phase == PHASE_ASSIGN) clear_sums(means);
    } else if (means->phase == PHASE_FAR) {
        fill_empty(means);
        settle(means, finished);
        clear_sums(means);
    } else {
        next_centres(run, means);
    }
    return ALCORE_OK;
}
