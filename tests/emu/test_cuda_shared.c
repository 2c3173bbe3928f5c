/* SPDX-License-Identifier: Apache-2.0 */
/* How often warps are served twice for one access to shared memory, because lanes want different
 * words of one bank, by the counters of the emulation (emu_accesses.cpp), for every kernel that has
 * shared memory. docs/results/gpu-shared.txt keeps the numbers, none may grow; GPU_SHARED_OUT=FILE
 * test_cuda_shared writes the file anew, where a change is meant. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "emulated_module.h"

/* Tiles that are not full, and depths of several stages. MANY: classes for blocks of 256 threads;
 * K: neighbors, more than are ranked by counting. */
enum { ROWS = 150, OTHERS = 70, DIMS = 100, MANY = 4100, TOKENS = 2, K = 300 };

static emulated_module emu;
static alcore_sys_work work;
static float numbers[ROWS * DIMS], other_numbers[OTHERS * DIMS], logits[TOKENS * MANY];
static uint16_t halves[ROWS * DIMS], other_halves[OTHERS * DIMS];
static double doubles[OTHERS * DIMS], values[4 * ROWS], more[ROWS * K];
static int64_t found[ROWS * K];

static alcore_sys_rows rows_of(const void *data, int64_t count, int64_t dims, int32_t dtype) {
    return (alcore_sys_rows){
        .data = data, .count = count, .dims = dims, .stride = dims, .dtype = dtype};
}

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.mode(EMU_ASCENDING, 1, 0);
    emu.blas(0);
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    for (int i = 0; i < ROWS * DIMS; i++) numbers[i] = (float)(i * 37 % 101) - 50.0f;
    for (int i = 0; i < OTHERS * DIMS; i++) other_numbers[i] = (float)(i * 41 % 97) - 48.0f;
    for (int i = 0; i < OTHERS * DIMS; i++) doubles[i] = (double)other_numbers[i];
    for (int i = 0; i < TOKENS * MANY; i++) logits[i] = (float)(i * 43 % 89) / 8.0f;
    for (int i = 0; i < ROWS * DIMS; i++) halves[i] = (uint16_t)(0x3800 + i * 31 % 1024);
    for (int i = 0; i < OTHERS * DIMS; i++) other_halves[i] = (uint16_t)(0x3800 + i * 29 % 1024);
    for (int i = 0; i < 4 * ROWS; i++) values[i] = (double)(i * 47 % 83) / 16.0;
}

/* A call of every kernel that has shared memory. */
static void call_all(void) {
    const alcore_sys_kernels *cuda = emu.kernels;
    const alcore_sys_rows rows = rows_of(numbers, ROWS, DIMS, ALCORE_FLOAT32),
                          others = rows_of(other_numbers, OTHERS, DIMS, ALCORE_FLOAT32);
    const alcore_sys_search l2 = {.size = sizeof l2, .metric = ALCORE_SYS_L2};
    static double half_means[ROWS], ratios[ROWS], low[ROWS], high[ROWS];
    static int32_t group[ROWS], nearest[ROWS];
    const int64_t starts[2] = {0, OTHERS}, runs[3] = {0, ROWS, 4 * ROWS};
    int64_t item;
    double value, totals[2], sums[4 * ROWS];
    ck_assert_int_eq(cuda->arg_max(&work, 4 * ROWS, NULL, values, &item, &value), ALCORE_OK);
    ck_assert_int_eq(cuda->draw(&work, 4 * ROWS, NULL, values, 0.0, 400.0, &item), ALCORE_OK);
    ck_assert_int_eq(cuda->run_totals(&work, 2, runs, NULL, values, sums, totals), ALCORE_OK);
    const double u[2] = {0.1, 0.7};
    const alcore_sys_draws draws = {
        .count = 2, .u = u, .blocks = 2, .totals = totals, .own = 2, .starts = runs};
    alcore_sys_drawn drawn[2];
    ck_assert_int_eq(cuda->draw_rows(&work, &draws, NULL, values, sums, 0, NULL, drawn, NULL),
                     ALCORE_OK);
    const alcore_sys_weights weights = {.minimum = values, .total = &value};
    ck_assert_int_eq(cuda->update_min(&work, 4 * ROWS, NULL, NULL, &weights), ALCORE_OK);
    static double sum[DIMS];
    int64_t in_group;
    ck_assert_int_eq(cuda->group_sums(&work, &rows, group, 1, sum, &in_group), ALCORE_OK);
    const int64_t classes[] = {DIMS, MANY};
    for (int k = 0; k < 2; k++) {
        const alcore_sys_rows tokens = rows_of(logits, TOKENS, classes[k], ALCORE_FLOAT32);
        const alcore_sys_token_stats out = {.margin = low, .entropy = high};
        ck_assert_int_eq(cuda->logit_stats(&work, &tokens, NULL, -1, &out, &item), ALCORE_OK);
    }
    /* Products in float32, and on tensor cores. */
    const alcore_sys_rows half_rows = rows_of(halves, ROWS, DIMS, ALCORE_FLOAT16),
                          half_others = rows_of(other_halves, OTHERS, DIMS, ALCORE_FLOAT16);
    for (int k = 0; k < 2; k++) {
        const alcore_sys_token_stats out = {.logsumexp = low};
        ck_assert_int_eq(cuda->hidden_stats(&work, k ? &half_rows : &rows,
                                            k ? &half_others : &others, NULL, NULL, -1, &out,
                                            &item),
                         ALCORE_OK);
    }
    for (int filtered = 0; filtered < 2; filtered++) {
        const alcore_sys_best best = {.k = K, .row = found, .value = more};
        emu.filters(filtered);
        for (int i = 0; i < ROWS * K; i++) found[i] = -1;
        ck_assert_int_eq(cuda->knn(&work, &rows, NULL, &others, NULL, &l2, NULL, &best), ALCORE_OK);
    }
    for (int i = 0; i < ROWS; i++) half_means[i] = 0.25;
    for (int i = 0; i < ROWS; i++) ratios[i] = -HUGE_VAL;
    for (int i = 0; i < ROWS; i++) found[i] = -1;
    ck_assert_int_eq(cuda->margin_ratios(&work, &rows, NULL, &others, NULL, &l2, half_means,
                                         half_means, ratios, found),
                     ALCORE_OK);
    ck_assert_int_eq(
        cuda->nearest_centroid(&work, &rows, group, 1, starts, doubles, nearest, low, NULL, NULL),
        ALCORE_OK);
    ck_assert_int_eq(cuda->distance_bounds(&work, &rows, NULL, &others, NULL, 1, low, high),
                     ALCORE_OK);
    emu.filters(-1);
}

/* Whether a variable is a tile of a product, which every thread reads many times: no conflicts. */
static bool is_tile(const emu_shared_work *counted) {
    return strcmp(counted->kernel, "product_kernel") == 0 ||
           (strcmp(counted->variable, "memory") == 0 &&
            (strncmp(counted->kernel, "best_filter", 11) == 0 ||
             strcmp(counted->kernel, "bounds_kernel") == 0 ||
             strcmp(counted->kernel, "candidates_kernel") == 0));
}

START_TEST(conflicts_of_banks) {
    const char *renewed = getenv("GPU_SHARED_OUT"), *path = getenv("GPU_SHARED");
    FILE *file = fopen(renewed ? renewed : path ? path : "", renewed ? "w" : "r");
    ck_assert_msg(file != NULL, "no file of counts: $GPU_SHARED");
    call_all();
    if (renewed)
        fprintf(
            file,
            "Accesses of warps to shared memory, by the emulation: instructions, passes in "
            "which the banks serve them, and those of them\nthat conflicts of banks add. An "
            "instruction takes one pass for each 128 bytes. %d rows, %d others, %d dimensions.\n"
            "Made by GPU_SHARED_OUT=FILE test_cuda_shared; no GPU is needed.\n\n"
            "%-28s%-18s%14s%14s%14s\n",
            ROWS, OTHERS, DIMS, "kernel", "variable", "instructions", "passes", "conflicts");
    int variables = 0, tiles = 0, lines = 0;
    emu_shared_work counted;
    for (; emu.shared(variables, &counted); variables++) {
        char line[160], kept[160] = "";
        snprintf(line, sizeof line, "%-28s%-18s%14" PRIu64 "%14" PRIu64 "%14" PRIu64,
                 counted.kernel, counted.variable, counted.instructions, counted.passes,
                 counted.conflicts);
        if (is_tile(&counted)) {
            tiles++;
            ck_assert_uint_gt(counted.instructions, 100);
            if (!renewed) ck_assert_msg(counted.conflicts == 0, "a tile has conflicts: %s", line);
        }
        if (renewed) fprintf(file, "%s\n", line);
        if (renewed) continue;
        rewind(file);
        while (fgets(kept, sizeof kept, file)) {
            char kernel[40], variable[40];
            uint64_t was[3];
            if (sscanf(kept, "%39s %39s %" SCNu64 " %" SCNu64 " %" SCNu64, kernel, variable,
                       &was[0], &was[1], &was[2]) != 5 ||
                strcmp(kernel, counted.kernel) != 0 || strcmp(variable, counted.variable) != 0)
                continue;
            lines++;
            ck_assert_msg(counted.instructions <= was[0] && counted.passes <= was[1] &&
                              counted.conflicts <= was[2],
                          "a count grew: before\n%snow\n%s", kept, line);
        }
    }
    fclose(file);
    ck_assert_int_ge(tiles, 6);
    if (!renewed) ck_assert_int_eq(lines, variables);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("shared");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, conflicts_of_banks);
    return check_suite_run("cuda-shared", tests);
}
