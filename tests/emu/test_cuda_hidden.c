/* SPDX-License-Identifier: Apache-2.0 */
/* How hidden_stats uses an emulated device: as many blocks as it has room for, a warp for each
 * token whose splits are joined, and the workspace that its kind of cuBLAS wants. The statistics
 * are those of the CPU. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "emulated_module.h"
#include "kernel/kernels.h"

/* FEW tokens and CLASSES classes in 16 bits are one tile of the emulation, of eight classes of 64;
 * one token and MANY classes are 48 splits, more than a warp has lanes. */
enum { FEW = 64, CLASSES = 512, DIMS = 32, MANY = 50000, MANY_DIMS = 8, WARPS_OF_BLOCK = 8 };

static emulated_module emu;
static alcore_sys_work work;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
}

/* Log-probabilities and entropies of tokens, by the device and by the CPU, and the classes of the
 * largest logits, which are the same. */
typedef struct statistics {
    double logprob[FEW], entropy[FEW];
    int32_t argmax[FEW];
} statistics;
static void measure(const alcore_sys_kernels *kernels, const alcore_sys_rows *tokens,
                    const alcore_sys_rows *classes, statistics *found) {
    int64_t labels[FEW], bad = 0;
    const alcore_sys_token_stats out = {
        .logprob = found->logprob, .entropy = found->entropy, .argmax = found->argmax};
    for (int i = 0; i < FEW; i++) labels[i] = i * classes->count / FEW;
    ck_assert_int_eq(kernels->hidden_stats(&work, tokens, classes, NULL, labels, -100, &out, &bad),
                     ALCORE_OK);
    ck_assert_int_eq(bad, -1);
}
static void expect_cpu(const alcore_sys_rows *tokens, const alcore_sys_rows *classes) {
    statistics here, there;
    measure(alcore__kernels_cpu(), tokens, classes, &here);
    measure(emu.kernels, tokens, classes, &there);
    for (int i = 0; i < tokens->count; i++) {
        ck_assert_int_eq(here.argmax[i], there.argmax[i]);
        ck_assert(fabs(here.logprob[i] - there.logprob[i]) <= 1e-6 + 1e-5 * fabs(here.logprob[i]));
        ck_assert(fabs(here.entropy[i] - there.entropy[i]) <= 1e-6 + 1e-5 * fabs(here.entropy[i]));
    }
}

/* Small numbers of 16 bits, which are exact in the sums of any engine. */
static alcore_sys_rows halves(uint16_t *memory, int64_t count) {
    static const uint16_t bfloats[] = {0x0000, 0x3e00, 0xbe00, 0x3e80,
                                       0xbe80, 0x3f00, 0x0000, 0x3d80};
    uint64_t state = (uint64_t)count;
    for (int64_t i = 0; i < count * DIMS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        memory[i] = bfloats[state >> 61];
    }
    return (alcore_sys_rows){
        .data = memory, .count = count, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_BFLOAT16};
}

/* The blocks of the kernel that reduces logits by itself are those that run at once, two for each
 * multiprocessor, where there are classes for them. */
START_TEST(blocks_of_a_device) {
    static uint16_t token_memory[FEW * DIMS], class_memory[CLASSES * DIMS];
    const alcore_sys_rows tokens = halves(token_memory, FEW),
                          classes = halves(class_memory, CLASSES);
    emu.blas(0);
    for (int count = 1; count < 6; count++) {
        emu.multiprocessors(count);
        const emu_kernel_work fused = emu.kernel("fused_kernel"), join = emu.kernel("hidden_join");
        expect_cpu(&tokens, &classes);
        const emu_kernel_work now = emu.kernel("fused_kernel"), joined = emu.kernel("hidden_join");
        ck_assert_uint_eq(now.launches - fused.launches, 1);
        ck_assert_uint_eq(now.blocks - fused.blocks, (uint64_t)(count < 4 ? 2 * count : 8));
        ck_assert_uint_eq(joined.launches - join.launches, 1);
        ck_assert_uint_eq(joined.blocks - join.blocks, FEW / WARPS_OF_BLOCK);
    }
    emu.multiprocessors(132);
    emu.blas(1);
}
END_TEST

/* The largest logit may be in any split, also in two of them. */
START_TEST(more_splits_than_lanes) {
    static float output[MANY * MANY_DIMS], token[MANY_DIMS];
    const alcore_sys_rows tokens = {
        .data = token, .count = 1, .dims = MANY_DIMS, .stride = MANY_DIMS, .dtype = ALCORE_FLOAT32};
    alcore_sys_rows classes = tokens;
    classes.data = output;
    classes.count = MANY;
    for (int j = 0; j < MANY_DIMS; j++) token[j] = 1.0f;
    for (int c = 0; c < MANY; c++) output[c * MANY_DIMS] = (float)(c % 97) / 64.0f;
    const int at[][2] = {{49999, 49999}, {33000, 33000}, {700, 40000}, {34000, 1300}};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
        for (int both = 0; both < 2; both++) output[at[k][both] * MANY_DIMS + 1] = 9.0f;
        expect_cpu(&tokens, &classes);
        for (int both = 0; both < 2; both++) output[at[k][both] * MANY_DIMS + 1] = 0.0f;
    }
}
END_TEST

/* Hopper's and Blackwell's cuBLAS has more to work in. */
START_TEST(a_workspace_by_kind) {
    static const struct {
        int major;
        size_t mib;
    } kinds[] = {{8, 4}, {9, 32}, {10, 32}, {12, 32}};
    static uint16_t token_memory[FEW * DIMS], class_memory[CLASSES * DIMS];
    const alcore_sys_rows tokens = halves(token_memory, FEW),
                          classes = halves(class_memory, CLASSES);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        emu.capability(0, kinds[k].major);
        expect_cpu(&tokens, &classes);
        ck_assert_uint_eq(emu.blas_workspace(), kinds[k].mib << 20);
    }
    emu.capability(0, 8);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("hidden");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, blocks_of_a_device);
    tcase_add_test(tests, more_splits_than_lanes);
    tcase_add_test(tests, a_workspace_by_kind);
    return check_suite_run("cuda-hidden", tests);
}
