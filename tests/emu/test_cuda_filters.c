/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of the CUDA engine in half precision, on the emulated device, where they are hardest
 * to get right: the CPU's bytes come out, and the way that was meant was taken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "emulated_module.h"
#include "kernel/kernels.h"

enum { MAX_ROWS = 520, OTHERS = 24, MAX_DIMS = 384, MAX_K = 80 };

static emulated_module emu;
static const alcore_sys_kernels *cuda, *cpu;
static uint64_t before[EMU_EVENTS];
static int row_count;

static alcore_sys_work work;
static alcore_sys_converted converted; /* the numbers as the engine keeps them between calls */

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    cuda = emu.kernels;
    cpu = alcore__kernels_cpu();
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    row_count = MAX_ROWS / 2;
    emu.filters(1);
    for (int event = 0; event < EMU_EVENTS; event++) before[event] = emu.counted(event);
}

static uint64_t events_of(int event) {
    return emu.counted(event) - before[event];
}

static uint64_t state;
static double number(void) { /* in [-0.5, 0.5) */
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

/* What the numbers of both sides are. */
enum {
    PLAIN,
    SPREAD,    /* norms from 1e-20 to 1e20 */
    NEAR,      /* one direction, a hair apart: the bound decides little */
    ULP,       /* one unit in the last place apart */
    EQUAL,     /* all the same: every list overflows */
    COPIES,    /* each row three times */
    SUBNORMAL, /* below float32's least normal number */
    LARGE,     /* beyond float16, a few numbers dwarf the others */
    SORTED,    /* nearer and nearer: each tile has better ones than all before */
    SPECIAL,   /* NaN and infinities, zero rows */
    SHIFTED,   /* far from the origin, close to each other */
    LEVEL,     /* all ways from the others, and nearly as near to them */
    PATTERNS
};

static float numbers[(MAX_ROWS + OTHERS) * MAX_DIMS];
static uint8_t mask[MAX_ROWS + OTHERS];

/* Rows of length 1 whose product with `base`, made of length 1, is 0.3 and a hair. */
static void level(float *row, int dims, int is_other) {
    double base[MAX_DIMS], own[MAX_DIMS], square = 0.0, product = 0.0, rest = 0.0;
    for (int j = 0; j < dims; j++) {
        base[j] = sin(j + 1.0);
        own[j] = (double)row[j];
        square += base[j] * base[j];
        product += base[j] * own[j];
    }
    for (int j = 0; j < dims; j++) {
        own[j] -= base[j] * product / square;
        rest += own[j] * own[j];
    }
    double near = is_other ? 1.0 - 1e-9 : 0.3 + 1e-6 * number();
    for (int j = 0; j < dims; j++)
        row[j] = (float)(base[j] * near / sqrt(square) + own[j] * sqrt((1.0 - near * near) / rest));
}

static void fill(int pattern, int dims) {
    state = (uint64_t)(pattern * 1000 + dims);
    for (int i = 0; i < row_count + OTHERS; i++) {
        float *row = numbers + i * dims;
        mask[i] = i % 9 != 4;
        for (int j = 0; j < dims; j++) {
            double x = number(), base = sin(j + 1.0);
            if (pattern == SPREAD) x *= pow(10.0, i % 41 - 20);
            if (pattern == NEAR) x = base + 1e-5 * x;
            if (pattern == ULP || pattern == EQUAL) x = base;
            if (pattern == SUBNORMAL) x = ldexp(x, -130);
            if (pattern == LARGE) x *= j % 17 == 3 ? 1e6 : 1.0;
            if (pattern == SORTED && i < row_count)
                x = base + x * (double)(row_count - i) / row_count;
            if (pattern == SORTED && i >= row_count) x = base + 0.01 * x;
            if (pattern == SHIFTED) x = 100.0 + x;
            if (pattern == SPECIAL && i % 11 == 3) x = 0.0;
            row[j] = (float)x;
        }
        if (pattern == LEVEL) level(row, dims, i >= row_count);
        if (pattern == ULP) row[i % dims] = nextafterf(row[i % dims], i % 2 ? 9.0f : -9.0f);
        if (pattern == COPIES && i % 3) memcpy(row, row - dims, (size_t)dims * sizeof *row);
        if (pattern == SPECIAL && i % 20 == 7) row[i % dims] = i % 40 == 7 ? NAN : INFINITY;
    }
}

static alcore_sys_rows side_of(int64_t first, int64_t count, int64_t dims, int32_t unit) {
    return (alcore_sys_rows){.data = numbers + first * dims,
                             .first = 5000 + first,
                             .count = count,
                             .dims = dims,
                             .stride = dims,
                             .dtype = ALCORE_FLOAT32,
                             .unit = unit};
}

/* Lets the engine convert all numbers for the calls that follow, in memory that it shares with the
 * host; the rows of a call are then some of these. */
static void convert_numbers(int32_t metric, int dims, int32_t unit) {
    const alcore_sys_rows all = side_of(0, row_count + OTHERS, dims, unit);
    emu.share(numbers, sizeof numbers);
    const uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
    ck_assert_int_eq(cuda->convert(&work, &all, metric, OTHERS, &converted), ALCORE_OK);
    ck_assert_ptr_ne(converted.held.memory, NULL);
    ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, (uint64_t)all.count);
    work.converted = &converted;
}

static void release_numbers(void) {
    if (!work.converted) return;
    cuda->release(&work, &converted.held);
    work.converted = NULL;
    emu.unshare(numbers);
}

/* The places of one engine, both sides of a search. */
typedef struct places {
    int64_t row[(MAX_ROWS + OTHERS) * MAX_K];
    double value[(MAX_ROWS + OTHERS) * MAX_K];
} places;

static void search(const alcore_sys_kernels *engine, places *out, int32_t metric, int dims, int k,
                   int ways, int unit) {
    alcore_sys_rows rows = side_of(0, row_count, dims, unit),
                    queries = side_of(row_count, OTHERS, dims, 0);
    alcore_sys_search how = {.size = sizeof how, .metric = metric};
    for (int i = 0; i < (MAX_ROWS + OTHERS) * MAX_K; i++) {
        out->row[i] = -1;
        out->value[i] = -7.0;
    }
    alcore_sys_best query_best = {.k = k, .row = out->row, .value = out->value};
    alcore_sys_best row_best = {
        .k = 2, .row = out->row + OTHERS * k, .value = out->value + OTHERS * k};
    ck_assert_int_eq(engine->knn(&work, &rows, mask, &queries, NULL, &how,
                                 ways & 1 ? &query_best : NULL, ways & 2 ? &row_best : NULL),
                     ALCORE_OK);
}

static places got, expected;

/* kept: the rows were converted before. */
static void compare_search(int pattern, int32_t metric, int dims, int k, int ways, int kept) {
    fill(pattern, dims);
    search(cpu, &expected, metric, dims, k, ways, dims % 2);
    if (kept) convert_numbers(metric, dims, dims % 2);
    const uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
    search(cuda, &got, metric, dims, k, ways, dims % 2);
    if (kept && !work.workspace_bytes) /* the queries alone */
        ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, OTHERS);
    release_numbers();
    ck_assert_msg(memcmp(got.row, expected.row, sizeof got.row) == 0 &&
                      memcmp(got.value, expected.value, sizeof got.value) == 0,
                  "pattern %d, metric %d, %d dims", pattern, metric, dims);
    ck_assert_uint_gt(events_of(EMU_FILTERED_TILES), 0);
}

START_TEST(neighbors) {
    int pattern = _i / 3;
    int32_t metric = _i % 3;
    emu.mode((_i + 1) % 3, (uint64_t)_i, 1);
    work.workspace_bytes = _i % 2 ? 30000 : 0;
    compare_search(pattern, metric, 40 + _i % 2, 3, pattern == EQUAL ? 1 : 3, _i / 2 % 2);
}
END_TEST

/* More places than one sort takes in its quick way, long rows, one way each. */
START_TEST(places_and_dimensions) {
    emu.mode(EMU_RANDOM, 5, 1);
    compare_search(PLAIN, ALCORE_SYS_COSINE, 7, MAX_K, 1, 1);
    compare_search(COPIES, ALCORE_SYS_L2, MAX_DIMS, 1, 2, 0);
    compare_search(ULP, ALCORE_SYS_DOT, MAX_DIMS, 1, 1, 1);
}
END_TEST

/* The filter refuses what it can, and gives up where it has to. */
START_TEST(ways_taken) {
    emu.mode(EMU_RANDOM, 9, 0);
    compare_search(PLAIN, ALCORE_SYS_COSINE, 64, 3, 1, 0);
    ck_assert_uint_eq(events_of(EMU_FALL_BACKS), 0);
    ck_assert_uint_gt(events_of(EMU_DECIDED_PAIRS), 2 * OTHERS);
    ck_assert_uint_lt(events_of(EMU_DECIDED_PAIRS), 8 * OTHERS);
    row_count = MAX_ROWS;
    compare_search(EQUAL, ALCORE_SYS_COSINE, 8, 3, 1, 0);
    ck_assert_uint_ge(events_of(EMU_FALL_BACKS), OTHERS);
    /* By shape these are too few to be worth it. */
    emu.filters(-1);
    uint64_t tiles = emu.counted(EMU_FILTERED_TILES);
    search(cuda, &got, ALCORE_SYS_L2, 8, 3, 1, 0);
    ck_assert_uint_eq(emu.counted(EMU_FILTERED_TILES), tiles);
}
END_TEST

/* What was converted is used for rows that are among the converted ones, of the same shape and for
 * the same metric, and for no others. */
START_TEST(conversions_of_other_rows) {
    enum { DIMS = 40, KEPT = 100 };
    static places plain;
    static const struct {
        int first, count, dims, stride, unit, metric, used;
    } CALLS[] = {{10, 60, DIMS, DIMS, 0, ALCORE_SYS_L2, 1},
                 {KEPT - 30, 30, DIMS, DIMS, 0, ALCORE_SYS_L2, 1},
                 {KEPT - 30, 31, DIMS, DIMS, 0, ALCORE_SYS_L2, 0},
                 {0, 60, DIMS, DIMS, 1, ALCORE_SYS_L2, 0},
                 {0, 60, DIMS, DIMS, 0, ALCORE_SYS_DOT, 0},
                 {0, 60, DIMS - 8, DIMS, 0, ALCORE_SYS_L2, 0},
                 {0, 20, DIMS, 2 * DIMS, 0, ALCORE_SYS_L2, 0}};
    fill(PLAIN, DIMS);
    const alcore_sys_rows all = side_of(0, KEPT, DIMS, 0);
    emu.share(numbers, sizeof numbers);
    ck_assert_int_eq(cuda->convert(&work, &all, ALCORE_SYS_L2, OTHERS, &converted), ALCORE_OK);
    for (size_t n = 0; n < sizeof CALLS / sizeof CALLS[0]; n++) {
        alcore_sys_rows rows = side_of(CALLS[n].first, CALLS[n].count, DIMS, CALLS[n].unit),
                        queries = side_of(row_count, OTHERS, DIMS, 0);
        const alcore_sys_search how = {.size = sizeof how, .metric = CALLS[n].metric};
        uint64_t read = 0;
        rows.dims = queries.dims = CALLS[n].dims;
        rows.stride = CALLS[n].stride;
        for (int kept = 0; kept < 2; kept++) {
            places *to = kept ? &got : &plain;
            const alcore_sys_best best = {.k = 3, .row = to->row, .value = to->value};
            for (int i = 0; i < OTHERS * 3; i++) to->row[i] = -1;
            work.converted = kept ? &converted : NULL;
            read = emu.counted(EMU_CONVERTED_ROWS);
            ck_assert_int_eq(cuda->knn(&work, &rows, NULL, &queries, NULL, &how, &best, NULL),
                             ALCORE_OK);
        }
        read = emu.counted(EMU_CONVERTED_ROWS) - read;
        ck_assert_uint_eq(read, OTHERS + (CALLS[n].used ? 0 : (uint64_t)CALLS[n].count));
        ck_assert_int_eq(memcmp(plain.row, got.row, OTHERS * 3 * sizeof *got.row), 0);
        ck_assert_int_eq(memcmp(plain.value, got.value, OTHERS * 3 * sizeof *got.value), 0);
    }
    /* A host of before, whose struct has no such member. */
    alcore_sys_rows rows = side_of(0, 60, DIMS, 0), queries = side_of(row_count, OTHERS, DIMS, 0);
    const alcore_sys_search how = {.size = sizeof how, .metric = ALCORE_SYS_L2};
    const alcore_sys_best best = {.k = 3, .row = got.row, .value = got.value};
    const uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
    work.size = offsetof(alcore_sys_work, converted);
    ck_assert_int_eq(cuda->knn(&work, &rows, NULL, &queries, NULL, &how, &best, NULL), ALCORE_OK);
    ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, OTHERS + 60);
    work.size = sizeof work;
    release_numbers();
}
END_TEST

/* Nothing is kept of rows in host memory, of rows that no filter compares, where the device's
 * memory is short, and after a cancellation; a metric that does not exist is refused. */
START_TEST(conversions_that_are_not_made) {
    fill(PLAIN, 40);
    const alcore_sys_rows all = side_of(0, 200, 40, 0);
    converted.held.memory = numbers;
    ck_assert_int_eq(cuda->convert(&work, &all, ALCORE_SYS_L2, OTHERS, &converted), ALCORE_OK);
    ck_assert_ptr_eq(converted.held.memory, NULL);
    emu.share(numbers, sizeof numbers);
    ck_assert_int_eq(cuda->convert(&work, &all, 3, OTHERS, &converted), ALCORE_E_INVALID);
    ck_assert_ptr_eq(converted.held.memory, NULL);
    emulated_cancel = 1;
    ck_assert_int_eq(cuda->convert(&work, &all, ALCORE_SYS_L2, OTHERS, &converted),
                     ALCORE_E_CANCELLED);
    ck_assert_ptr_eq(converted.held.memory, NULL);
    emu.memory(100 * 40 * 2);
    ck_assert_int_eq(cuda->convert(&work, &all, ALCORE_SYS_L2, OTHERS, &converted), ALCORE_OK);
    ck_assert_ptr_eq(converted.held.memory, NULL);
    emu.memory((size_t)-1);
    emu.filters(-1);
    ck_assert_int_eq(cuda->convert(&work, &all, ALCORE_SYS_L2, OTHERS, &converted), ALCORE_OK);
    ck_assert_ptr_eq(converted.held.memory, NULL);
    emu.unshare(numbers);
}
END_TEST

/* Rows of three groups: all of the others as centroids, half of the rows, and one. */
START_TEST(nearest_centroids) {
    int dims = 33 + _i % 3;
    emu.mode((_i + 2) % 3, (uint64_t)_i, 1);
    work.workspace_bytes = _i % 2 ? 60000 : 0;
    row_count = 150;
    fill(_i, dims);
    static double centroids[MAX_ROWS * MAX_DIMS], distance[2][MAX_ROWS];
    static double low[MAX_ROWS], high[MAX_ROWS];
    static int32_t group[MAX_ROWS], nearest[2][MAX_ROWS];
    const int64_t starts[] = {0, OTHERS, OTHERS + 75, OTHERS + 76};
    for (int c = 0; c < OTHERS + 76; c++) {
        for (int j = 0; j < dims; j++)
            centroids[c * dims + j] =
                (double)numbers[(c < OTHERS ? row_count + c : 2 * (c - OTHERS)) * dims + j];
    }
    for (int i = 0; i < row_count; i++) group[i] = i % 3 - (i % 10 == 9 ? 1 : 0);
    alcore_sys_rows rows = side_of(0, row_count, dims, 0);
    if (_i / 2 % 2) convert_numbers(ALCORE_SYS_L2, dims, 0);
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < MAX_ROWS; i++) {
            nearest[e][i] = -9;
            distance[e][i] = -9.0;
        }
        ck_assert_int_eq((e ? cuda : cpu)
                             ->nearest_centroid(&work, &rows, group, 3, starts, centroids,
                                                nearest[e], distance[e], low, high),
                         ALCORE_OK);
        for (int i = 0; i < MAX_ROWS; i++) /* one NaN is as good as another */
            if (isnan(distance[e][i])) distance[e][i] = -5.0;
    }
    release_numbers();
    ck_assert_int_eq(memcmp(nearest[0], nearest[1], sizeof nearest[0]), 0);
    ck_assert_int_eq(memcmp(distance[0], distance[1], sizeof distance[0]), 0);
    /* The bounds are those of the second call. */
    for (int i = 0; i < row_count; i++) {
        if (group[i] < 0 || distance[1][i] == -5.0) continue;
        ck_assert(sqrt(distance[1][i]) <= high[i]);
        for (int64_t c = starts[group[i]]; c < starts[group[i] + 1]; c++) {
            double sum = 0.0;
            for (int j = 0; j < dims; j++) {
                double t = (double)numbers[i * dims + j] - centroids[c * dims + j];
                sum += t * t;
            }
            if (c != starts[group[i]] + nearest[1][i]) ck_assert(!(low[i] > sqrt(sum)));
        }
        if (_i == PLAIN && group[i] < 2) ck_assert(low[i] >= 0.9 * sqrt(distance[1][i]));
    }
    ck_assert_uint_gt(events_of(EMU_FILTERED_TILES), 0);
    if (_i == PLAIN) ck_assert_uint_lt(events_of(EMU_DECIDED_PAIRS), 5 * (uint64_t)row_count);
    if (_i == EQUAL) ck_assert_uint_gt(events_of(EMU_FALL_BACKS), 50);
}
END_TEST

/* Largest ratios, joined over two runs of others; halves that cancel now and then. */
START_TEST(margin_ratios) {
    int dims = 33 + _i % 3;
    emu.mode(_i % 3, (uint64_t)_i, 1);
    work.workspace_bytes = _i % 2 ? 60000 : 0;
    row_count = 150;
    fill(_i, dims);
    static double half[MAX_ROWS + OTHERS], ratio[2][MAX_ROWS];
    static int64_t other[2][MAX_ROWS];
    alcore_sys_search how = {.size = sizeof how, .metric = ALCORE_SYS_COSINE};
    for (int i = 0; i < row_count + OTHERS; i++)
        half[i] = _i == EQUAL || _i == LEVEL ? 0.2
                  : _i % 4 == 3              ? number()
                  : i % 50 == 7              ? 1e25
                                             : 0.2 + 0.01 * number();
    if (_i / 2 % 2) convert_numbers(ALCORE_SYS_COSINE, dims, 0);
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < MAX_ROWS; i++) {
            ratio[e][i] = -HUGE_VAL;
            other[e][i] = -1;
        }
        for (int run = 0; run < 2; run++) {
            int64_t first = row_count / 2 * (1 - run);
            alcore_sys_rows rows = side_of(row_count, OTHERS, dims, 0);
            alcore_sys_rows others = side_of(first, row_count / 2, dims, 0);
            ck_assert_int_eq((e ? cuda : cpu)
                                 ->margin_ratios(&work, &rows, mask + row_count, &others,
                                                 mask + first, &how, half + row_count, half + first,
                                                 ratio[e], other[e]),
                             ALCORE_OK);
        }
    }
    release_numbers();
    ck_assert_int_eq(memcmp(other[0], other[1], sizeof other[0]), 0);
    ck_assert_int_eq(memcmp(ratio[0], ratio[1], sizeof ratio[0]), 0);
    ck_assert_uint_gt(events_of(EMU_FILTERED_TILES), 0);
    if (_i == PLAIN) ck_assert_uint_lt(events_of(EMU_DECIDED_PAIRS), 10 * OTHERS);
    if (_i == EQUAL) ck_assert_uint_gt(events_of(EMU_FALL_BACKS), OTHERS / 2);
}
END_TEST

/* The intervals hold the sums, and are as narrow as half precision can make them. */
START_TEST(distance_intervals) {
    enum { GROUPS = 3 };
    int dims = 33 + _i % 3;
    emu.mode((_i + 1) % 3, (uint64_t)_i, 1);
    work.workspace_bytes = _i % 2 ? 60000 : 0;
    row_count = 150;
    fill(_i, dims);
    static double sums[MAX_ROWS * GROUPS], low[MAX_ROWS * GROUPS], high[MAX_ROWS * GROUPS];
    static int32_t group[MAX_ROWS];
    for (int t = 0; t < row_count; t++) group[t] = t % 5 == 3 ? -1 : t % 7 % GROUPS;
    alcore_sys_rows rows = side_of(row_count, OTHERS, dims, 0);
    alcore_sys_rows targets = side_of(0, row_count, dims, 0);
    ck_assert_int_eq(cpu->distance_sums(&work, &rows, NULL, &targets, group, GROUPS, sums),
                     ALCORE_OK);
    if (_i / 2 % 2) convert_numbers(ALCORE_SYS_L2, dims, 0);
    ck_assert_int_eq(cuda->distance_bounds(&work, &rows, NULL, &targets, group, GROUPS, low, high),
                     ALCORE_OK);
    release_numbers();
    for (int i = 0; i < OTHERS * GROUPS; i++) {
        if (isnan(sums[i])) continue;
        ck_assert_msg(low[i] <= sums[i] && sums[i] <= high[i], "pattern %d, entry %d: %a %a %a", _i,
                      i, low[i], sums[i], high[i]);
        if (_i == PLAIN) ck_assert(high[i] - low[i] <= 4e-3 * sums[i]);
    }
    ck_assert_uint_gt(events_of(EMU_FILTERED_TILES), 0);
}
END_TEST

/* Sanitized in the default tier, and under valgrind, the cases take a minute: a third of them then,
 * by $ALCORE_TEST_SEED. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static void add_patterns(TCase *tests, const TTest *test, int count) {
    const char *seed = getenv("ALCORE_TEST_SEED");
    int thinned = getenv("ALCORE_TEST_BRIEF") || (SANITIZED && !getenv("ALCORE_TEST_FULL"));
    int kept = seed ? atoi(seed) % 3 : 0;
    for (int i = 0; i < count; i++)
        if (!thinned || (i + i / PATTERNS) % 3 == kept) tcase_add_loop_test(tests, test, i, i + 1);
}

TEST_FILE() {
    TCase *tests = tcase_create("filters");
    tcase_set_timeout(tests, 100);
    tcase_add_checked_fixture(tests, setup, NULL);
    add_patterns(tests, neighbors, PATTERNS * 3);
    tcase_add_test(tests, places_and_dimensions);
    tcase_add_test(tests, ways_taken);
    tcase_add_test(tests, conversions_of_other_rows);
    tcase_add_test(tests, conversions_that_are_not_made);
    add_patterns(tests, nearest_centroids, PATTERNS);
    add_patterns(tests, margin_ratios, PATTERNS);
    add_patterns(tests, distance_intervals, PATTERNS);
    return check_suite_run("cuda-filters", tests);
}
