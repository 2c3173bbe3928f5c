/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie so far apart that the number of a component does not fit 32 bits: every kernel that
 * multiplies a row by a stride gives the bytes that it gives for the same rows side by side. The
 * memory is a range of addresses of which only the touched pages exist. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check_suite.h"
#include "emulated_module.h"

enum { ROWS = 40, DIMS = 64, GROUPS = 3, OTHERS = 24, K = 2 };
/* Components from a row to the next, of 2 bytes: 40 rows take 5 * 2^30 of them. */
static const int64_t STRIDE = (int64_t)1 << 27;

static emulated_module emu;
static alcore_sys_work work;
static uint16_t *far_apart; /* [ROWS, STRIDE] */
static uint16_t near_by[ROWS * DIMS], others[OTHERS * DIMS];
static alcore_sys_rows other_rows;
static double vector[DIMS], centroids[OTHERS * DIMS], dots[OTHERS], halves[OTHERS];

/* Addresses that count as the device's memory; pages exist once they are written. */
static void *reserve(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    emu.share(memory, bytes);
    return memory;
}

static void setup(void) {
    static const uint16_t VALUES[] = {0x3c00, 0x4000, 0xbc00, 0x4200, 0x3800, 0xc000, 0x4400};
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    far_apart = reserve((size_t)ROWS * (size_t)STRIDE * sizeof *far_apart);
    for (int i = 0; i < ROWS * DIMS; i++) near_by[i] = VALUES[(i * 5 + i / DIMS * i) % 7];
    for (int i = 0; i < ROWS; i++)
        memcpy(far_apart + i * STRIDE, near_by + i * DIMS, DIMS * sizeof *near_by);
    for (int i = 0; i < OTHERS * DIMS; i++) others[i] = VALUES[(i * 3 + i / DIMS) % 7];
    for (int i = 0; i < OTHERS * DIMS; i++) centroids[i] = (double)(i % 11) - 4.5;
    for (int j = 0; j < DIMS; j++) vector[j] = j % 9;
    for (int i = 0; i < OTHERS; i++) dots[i] = 1.0 + i;
    for (int i = 0; i < OTHERS; i++) halves[i] = 0.25 + 0.01 * i;
    other_rows = (alcore_sys_rows){
        .data = others, .count = OTHERS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT16};
}

static void teardown(void) {
    emu.unshare(far_apart);
    munmap(far_apart, (size_t)ROWS * (size_t)STRIDE * sizeof *far_apart);
}

/* What a call writes. */
typedef struct results {
    double values[ROWS * DIMS], more[ROWS * DIMS];
    int64_t numbers[ROWS * OTHERS];
    int32_t nearest[ROWS];
} results;

static const int32_t *groups_of_rows(void) {
    static int32_t group[ROWS];
    for (int i = 0; i < ROWS; i++) group[i] = i % GROUPS;
    return group;
}

static alcore_status call_widen(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->widen(&work, rows, NULL, to->values);
}
static alcore_status call_dots(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->dots(&work, rows, NULL, vector, to->values);
}
static alcore_status call_self_dots(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->self_dots(&work, rows, NULL, to->values);
}
static alcore_status call_sq_dists(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->sq_dists(&work, rows, NULL, vector, to->values);
}
static alcore_status call_group_sums(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->group_sums(&work, rows, groups_of_rows(), GROUPS, to->values, to->numbers);
}
static alcore_status call_group_cosine(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->group_cosine(&work, rows, groups_of_rows(), GROUPS, centroids, to->values);
}
static alcore_status call_group_sq_dists(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->group_sq_dists(&work, rows, groups_of_rows(), GROUPS, centroids,
                                       to->values);
}
static alcore_status call_nearest_centroid(const alcore_sys_rows *rows, results *to) {
    static const int32_t one_group[ROWS];
    const int64_t starts[] = {0, OTHERS};
    return emu.kernels->nearest_centroid(&work, rows, one_group, 1, starts, centroids, to->nearest,
                                         to->values, NULL, NULL);
}
static alcore_status call_min_sq_dists(const alcore_sys_rows *rows, results *to) {
    const alcore_sys_weights weights = {.minimum = to->values};
    for (int i = 0; i < ROWS; i++) to->values[i] = 1e9;
    return emu.kernels->min_sq_dists(&work, rows, NULL, centroids, GROUPS, dots, NULL, 0, &weights);
}
static alcore_status call_idds_update(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->idds_update(&work, rows, NULL, NULL, vector, 1.0, to->values, to->more);
}
static alcore_status call_knn(const alcore_sys_rows *rows, results *to) {
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const alcore_sys_best best = {.k = K, .row = to->numbers, .value = to->values};
    for (int i = 0; i < OTHERS * K; i++) to->numbers[i] = -1;
    return emu.kernels->knn(&work, rows, NULL, &other_rows, NULL, &search, &best, NULL);
}
static alcore_status call_margin_ratios(const alcore_sys_rows *rows, results *to) {
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_COSINE};
    static double row_half[ROWS];
    for (int i = 0; i < ROWS; i++) row_half[i] = 0.3;
    for (int i = 0; i < ROWS; i++) to->values[i] = -10.0;
    return emu.kernels->margin_ratios(&work, rows, NULL, &other_rows, NULL, &search, row_half,
                                      halves, to->values, to->numbers);
}
static alcore_status call_distance_sums(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->distance_sums(&work, rows, NULL, &other_rows, NULL, 1, to->values);
}
static alcore_status call_distance_bounds(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->distance_bounds(&work, rows, NULL, &other_rows, NULL, 1, to->values,
                                        to->more);
}
static alcore_status call_logit_stats(const alcore_sys_rows *rows, results *to) {
    static int64_t labels[ROWS];
    const alcore_sys_token_stats stats = {.logprob = to->values, .entropy = to->more};
    return emu.kernels->logit_stats(&work, rows, labels, -100, &stats, to->numbers);
}

static const struct {
    const char *name;
    alcore_status (*call)(const alcore_sys_rows *rows, results *to);
} CALLS[] = {{"widen", call_widen},
             {"dots", call_dots},
             {"self_dots", call_self_dots},
             {"sq_dists", call_sq_dists},
             {"group_sums", call_group_sums},
             {"group_cosine", call_group_cosine},
             {"group_sq_dists", call_group_sq_dists},
             {"nearest_centroid", call_nearest_centroid},
             {"min_sq_dists", call_min_sq_dists},
             {"idds_update", call_idds_update},
             {"knn", call_knn},
             {"margin_ratios", call_margin_ratios},
             {"distance_sums", call_distance_sums},
             {"distance_bounds", call_distance_bounds},
             {"logit_stats", call_logit_stats}};
enum { CALL_COUNT = sizeof CALLS / sizeof CALLS[0] };

/* Without filters in half precision, with them, and with rows that were converted before. */
enum { WAYS = 3 };
START_TEST(rows_far_apart) {
    static results expected, found;
    memset(&expected, 0, sizeof expected);
    memset(&found, 0, sizeof found);
    alcore_sys_rows rows = {
        .data = near_by, .count = ROWS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT16};
    alcore_sys_converted converted = {.metric = 0};
    emu.filters(_i / CALL_COUNT > 0);
    ck_assert_int_eq(CALLS[_i % CALL_COUNT].call(&rows, &expected), ALCORE_OK);
    rows.data = far_apart;
    rows.stride = STRIDE;
    if (_i / CALL_COUNT == 2) {
        int32_t metric =
            CALLS[_i % CALL_COUNT].call == call_margin_ratios ? ALCORE_SYS_COSINE : ALCORE_SYS_L2;
        ck_assert_int_eq(emu.kernels->convert(&work, &rows, metric, OTHERS, &converted), ALCORE_OK);
        ck_assert_ptr_ne(converted.held.memory, NULL);
        work.converted = &converted;
    }
    ck_assert_int_eq(CALLS[_i % CALL_COUNT].call(&rows, &found), ALCORE_OK);
    emu.kernels->release(&work, &converted.held);
    emu.filters(-1);
    ck_assert_msg(memcmp(&expected, &found, sizeof found) == 0, "%s reads other rows",
                  CALLS[_i % CALL_COUNT].name);
}
END_TEST

/* A result with more than 2^32 components, of which the last row and the first are written. */
START_TEST(a_wide_result) {
    enum { MANY = (1 << 15) + 8, LONG = 1 << 17 };
    const size_t components = (size_t)MANY * LONG;
    uint16_t *row_memory = reserve(components * sizeof *row_memory);
    double *out = reserve(components * sizeof *out);
    static uint8_t mask[MANY];
    const int64_t last = MANY - 1;
    alcore_sys_rows rows = {
        .data = row_memory, .count = MANY, .dims = LONG, .stride = LONG, .dtype = ALCORE_FLOAT16};
    mask[0] = mask[last] = 1;
    row_memory[0] = row_memory[last * LONG + LONG - 1] = 0x4000; /* 2 */
    ck_assert_int_eq(emu.kernels->widen(&work, &rows, mask, out), ALCORE_OK);
    ck_assert_double_eq(out[0], 2.0);
    ck_assert_double_eq(out[LONG - 1], 0.0);
    ck_assert_double_eq(out[last * LONG + LONG - 1], 2.0);
    emu.unshare(row_memory);
    emu.unshare(out);
    munmap(row_memory, components * sizeof *row_memory);
    munmap(out, components * sizeof *out);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("addresses");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, rows_far_apart, 0, WAYS * CALL_COUNT);
    tcase_add_test(tests, a_wide_result);
    return check_suite_run("cuda-addresses", tests);
}
