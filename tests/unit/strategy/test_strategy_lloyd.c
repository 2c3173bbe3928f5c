/* SPDX-License-Identifier: Apache-2.0 */
/* Lloyd passes (spec 3.3) against plain loops, to the last bit: rows that skip a pass and sums that
 * are kept change nothing, whatever the data, the cut of the pool and the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kmeans_bed.h"
#include "strategy_bed.h"

enum { ROWS = 9000, GROUPS = 2, CLUSTERS = 12, DIMS_MOST = 384 };

/* ---- the passes as spec 3.3 and 1.8 write them ---- */

typedef struct lloyd {
    int64_t dims, passes[GROUPS];
    int32_t group[ROWS], assigned[ROWS];
    int64_t initial[GROUPS * CLUSTERS];
    double centroids[GROUPS * CLUSTERS * DIMS_MOST];
} lloyd;

static float x[ROWS * DIMS_MOST];

static double sq_dist(const float *row, const double *centroid, int64_t dims) {
    double lane[32] = {0};
    for (int64_t j = 0; j < dims; j++) {
        double t = (double)row[j] - centroid[j];
        lane[j % 32] += t * t;
    }
    for (int w = 16; w > 0; w /= 2)
        for (int i = 0; i < w; i++) lane[i] += lane[i + w];
    return lane[0];
}

/* Returns how many rows changed their centroid. */
static int64_t assign(lloyd *to, int32_t g) {
    int64_t changed = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        if (to->group[i] != g) continue;
        int32_t best = 0;
        double least = HUGE_VAL;
        for (int32_t c = 0; c < CLUSTERS; c++) {
            const double *centroid = to->centroids + (g * CLUSTERS + c) * to->dims;
            double d = sq_dist(x + i * to->dims, centroid, to->dims);
            if (d < least) {
                best = c;
                least = d;
            }
        }
        changed += best != to->assigned[i];
        to->assigned[i] = best;
    }
    return changed;
}

/* False when the cluster is empty. */
static bool move(lloyd *to, int32_t g, int32_t c) {
    static double sum[DIMS_MOST], part[DIMS_MOST];
    int64_t count = 0;
    memset(sum, 0, sizeof sum);
    for (int64_t begin = 0; begin < ROWS; begin += ALCORE_BLOCK_ROWS) {
        memset(part, 0, sizeof part);
        for (int64_t i = begin; i < ROWS && i < begin + ALCORE_BLOCK_ROWS; i++) {
            if (to->group[i] != g || to->assigned[i] != c) continue;
            count++;
            for (int64_t j = 0; j < to->dims; j++) part[j] += (double)x[i * to->dims + j];
        }
        for (int64_t j = 0; j < to->dims; j++) sum[j] += part[j];
    }
    for (int64_t j = 0; j < to->dims && count; j++)
        to->centroids[(g * CLUSTERS + c) * to->dims + j] = sum[j] / (double)count;
    return count > 0;
}

/* An empty cluster gets the row that is farthest from its centroid, each row once. */
static void fill(lloyd *to, int32_t g, int32_t c, const double *own, bool *used) {
    int64_t best = -1;
    for (int64_t i = 0; i < ROWS; i++) {
        if (to->group[i] != g || used[i]) continue;
        if (best < 0 || own[i] > own[best]) best = i;
    }
    used[best] = true;
    for (int64_t j = 0; j < to->dims; j++)
        to->centroids[(g * CLUSTERS + c) * to->dims + j] = (double)x[best * to->dims + j];
}

static void move_all(lloyd *to, int32_t g) {
    static bool used[ROWS];
    static double own[ROWS];
    bool empty[CLUSTERS], any = false;
    for (int32_t c = 0; c < CLUSTERS; c++) any |= empty[c] = !move(to, g, c);
    if (!any) return;
    memset(used, 0, sizeof used);
    for (int64_t i = 0; i < ROWS; i++) {
        if (to->group[i] != g) continue;
        const double *centroid = to->centroids + (g * CLUSTERS + to->assigned[i]) * to->dims;
        own[i] = sq_dist(x + i * to->dims, centroid, to->dims);
    }
    for (int32_t c = 0; c < CLUSTERS; c++)
        if (empty[c]) fill(to, g, c, own, used);
}

static void run_plainly(lloyd *to) {
    for (int64_t i = 0; i < ROWS; i++) to->assigned[i] = -1;
    for (int64_t c = 0; c < GROUPS * CLUSTERS; c++) {
        for (int64_t j = 0; j < to->dims; j++)
            to->centroids[c * to->dims + j] = (double)x[to->initial[c] * to->dims + j];
    }
    for (int32_t g = 0; g < GROUPS; g++) {
        to->passes[g] = 0;
        while (to->passes[g] < ALCORE__KMEANS_MAX_ITERATIONS) {
            to->passes[g]++;
            if (!assign(to, g)) break;
            move_all(to, g);
        }
    }
}

static lloyd expected;

/* ---- data ---- */

enum { NORMAL, CLUSTERED, TIED, FAR, KINDS };

static double uniform(alcore__rng *rng) {
    return alcore__rng_f64(rng) - 0.5;
}

/* CLUSTERED: rows around a few points. TIED: small integers, every third row repeats the one
 * before, another is one unit in the last place beside it. FAR: some rows a million away. */
static void make_rows(int64_t dims, int kind, uint64_t seed) {
    static float around[CLUSTERS * DIMS_MOST];
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int64_t j = 0; j < CLUSTERS * dims; j++) around[j] = (float)(4.0 * uniform(&rng));
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t near = (int64_t)alcore__rng_below(&rng, CLUSTERS) * dims;
        for (int64_t j = 0; j < dims; j++) {
            float *to = &x[i * dims + j];
            *to = (float)(uniform(&rng) + uniform(&rng));
            if (kind == CLUSTERED) *to = 0.5f * *to + around[near + j];
            if (kind == FAR && i % 50 == 7) *to += 1e6f;
            /* Of so many magnitudes that the order of additions can be seen. */
            if (j % 3 == 1 && kind != TIED) *to = ldexpf(*to, -(int)alcore__rng_below(&rng, 40));
            if (kind != TIED) continue;
            *to = (float)(int)(*to * 4.0f);
            if (i % 3 == 2) *to = x[(i - 1) * dims + j];
            if (i % 7 == 6) *to = nextafterf(x[(i - 1) * dims + j], 9.0f);
        }
    }
    expected.dims = dims;
    for (int64_t i = 0; i < ROWS; i++) expected.group[i] = i % 97 == 3 ? -1 : (int32_t)(i % 2);
    /* The first centroids are rows of their group that differ. */
    for (int64_t c = 0; c < GROUPS * CLUSTERS; c++)
        expected.initial[c] = 2 * (310 * (c % CLUSTERS) + 5) + c / CLUSTERS;
}

/* The same by the library. */
static void compare(int32_t threads, int32_t parts, bool forget_sums) {
    bed b;
    bed_open(&b, ROWS, threads, NULL);
    b.parts = parts;
    bed_column(&b, &b.input.candidates, "embeddings", x, ROWS, expected.dims, ALCORE_FLOAT32);
    kmeans_bed found = {.group = expected.group,
                        .groups = GROUPS,
                        .k = CLUSTERS,
                        .seeds = expected.initial,
                        .forget_sums = forget_sums};
    kmeans_bed_run(&b, &found);
    for (int g = 0; g < GROUPS; g++) ck_assert_int_eq(found.iterations[g], expected.passes[g]);
    for (int64_t i = 0; i < ROWS; i++) {
        if (expected.group[i] >= 0) ck_assert_int_eq(found.assigned[i], expected.assigned[i]);
    }
    ck_assert_int_eq(memcmp(found.centroids, expected.centroids,
                            (size_t)(GROUPS * CLUSTERS * expected.dims) * sizeof(double)),
                     0);
    kmeans_bed_free(&found);
    bed_close(&b);
}

static void run_all(int64_t dims) {
    for (int kind = 0; kind < (bed_brief() ? 1 : KINDS); kind++) {
        if (dims > 100 && (kind == NORMAL || kind == FAR)) continue; /* a hundred passes */
        make_rows(dims, kind, (uint64_t)(dims + kind));
        run_plainly(&expected);
        compare(1, 0, false);
        compare(3, 3, false);
        compare(2, 0, true);
    }
}

START_TEST(one_number) {
    run_all(1);
}
END_TEST

START_TEST(seven_numbers) {
    run_all(7);
}
END_TEST

START_TEST(long_rows) {
    run_all(DIMS_MOST);
}
END_TEST

CHECK_SUITE("strategy-lloyd", one_number, seven_numbers, long_rows);
