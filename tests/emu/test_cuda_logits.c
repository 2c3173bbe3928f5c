/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from logits on the emulated device: the same bytes wherever the rows begin and
 * whatever else is wanted; sums of many classes. (That they are right otherwise is what
 * kernel_conformance shows.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "check_suite.h"
#include "emulated_module.h"

enum { TOKENS = 3, MOST_CLASSES = 9001, PADDING = 16 };

static emulated_module emu;
static alcore_sys_work work;

/* Statistics of the tokens, 7777 where none was written. */
typedef struct statistics {
    double logprob[TOKENS], top1[TOKENS], top2[TOKENS], margin[TOKENS], entropy[TOKENS],
        logsumexp[TOKENS];
    int32_t argmax[TOKENS], unused;
} statistics;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.mode(EMU_RANDOM, 5, 0);
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
}

static void put_component(char *array, int64_t index, int32_t dtype, float x) {
    double wide = (double)x;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    /* The numbers here are multiples of 1/2 below 4, or one infinity: exact in every type. */
    uint16_t half = x == -HUGE_VALF ? 0xfc00 : 0;
    if (dtype == ALCORE_FLOAT16 && x != 0.0f && x > -HUGE_VALF)
        half = (uint16_t)(bits >> 16 & 0x8000) |
               (uint16_t)(((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023));
    if (dtype == ALCORE_BFLOAT16) half = (uint16_t)(bits >> 16);
    const void *from = dtype == ALCORE_FLOAT64   ? (const void *)&wide
                       : dtype == ALCORE_FLOAT32 ? (const void *)&x
                                                 : (const void *)&half;
    size_t bytes = alcore_sys_dtype_bytes(dtype);
    memcpy(array + (size_t)index * bytes, from, bytes);
}

/* Logit c of token i: pseudorandom, one class in sixteen has the largest, some have none. */
static float logit(int i, int64_t c) {
    if (c % 97 == 5) return -HUGE_VALF;
    uint32_t x = ((uint32_t)c + 1u) * 2654435761u + (uint32_t)i * 40503u;
    x = (x ^ x >> 15) * 0x85ebca6bu;
    return (float)(x >> 20 & 15) / 2.0f - 4.0f;
}

/* The statistics of logits that begin `offset` components behind a multiple of 256 bytes on the
 * device, rows `stride` components apart. wanted: a bit for each array of `statistics`, in order.
 */
static statistics measured(int32_t dtype, int64_t classes, int64_t offset, int64_t stride,
                           unsigned wanted) {
    size_t bytes = alcore_sys_dtype_bytes(dtype), components = (size_t)(offset + TOKENS * stride);
    char *host = calloc(components + PADDING, bytes);
    for (int i = 0; i < TOKENS; i++)
        for (int64_t c = 0; c < classes; c++)
            put_component(host, offset + i * stride + c, dtype, logit(i, c));
    char *memory = emu.memory_new((components + PADDING) * bytes + 256);
    char *there = memory + (256 - (uintptr_t)memory % 256) % 256;
    emu.copy(there, host, components * bytes);
    int64_t labels[TOKENS] = {0, classes - 1, classes / 2}, bad;
    statistics out;
    double *arrays[] = {out.logprob, out.top1, out.top2, out.margin, out.entropy, out.logsumexp};
    for (int a = 0; a < 6; a++)
        for (int i = 0; i < TOKENS; i++) arrays[a][i] = 7777.0;
    for (int i = 0; i < TOKENS; i++) out.argmax[i] = 7777;
    out.unused = 0;
    alcore_sys_token_stats to = {.logprob = wanted & 1 ? out.logprob : NULL,
                                 .top1 = wanted & 2 ? out.top1 : NULL,
                                 .top2 = wanted & 4 ? out.top2 : NULL,
                                 .margin = wanted & 8 ? out.margin : NULL,
                                 .entropy = wanted & 16 ? out.entropy : NULL,
                                 .logsumexp = wanted & 32 ? out.logsumexp : NULL,
                                 .argmax = wanted & 64 ? out.argmax : NULL};
    alcore_sys_rows logits = {.data = there + (size_t)offset * bytes,
                              .count = TOKENS,
                              .dims = classes,
                              .stride = stride,
                              .dtype = dtype};
    ck_assert_int_eq(emu.kernels->logit_stats(&work, &logits, labels, -100, &to, &bad), ALCORE_OK);
    ck_assert_int_eq(bad, -1);
    emu.memory_free(memory);
    free(host);
    return out;
}

static const int32_t DTYPES[] = {ALCORE_FLOAT16, ALCORE_BFLOAT16, ALCORE_FLOAT32, ALCORE_FLOAT64};
/* Fewer than a unit of 16 bytes has, one more than that, one block of 32 threads, of 256, and what
 * each thread reads several units of at a time. */
static const int64_t CLASSES[] = {1, 9, 300, 515, MOST_CLASSES};

START_TEST(rows_at_any_address) {
    for (int c = 0; c < 5; c++) {
        int64_t classes = CLASSES[c];
        statistics first = measured(DTYPES[_i], classes, 0, classes + (16 - classes % 16), 127);
        /* Several classes have the largest logit: the lowest of them is reported. */
        for (int i = 0; i < TOKENS; i++) {
            ck_assert_int_ge(first.argmax[i], 0);
            for (int64_t k = 0; k < classes; k++) {
                float best = logit(i, first.argmax[i]);
                ck_assert(k < first.argmax[i] ? logit(i, k) < best : logit(i, k) <= best);
            }
        }
        for (int64_t offset = 0; offset < 8; offset += 1 + 2 * (classes > 600)) {
            statistics other = measured(DTYPES[_i], classes, offset, classes + offset % 3, 127);
            ck_assert_msg(memcmp(&first, &other, sizeof first) == 0,
                          "%d classes at an offset of %d components", (int)classes, (int)offset);
        }
    }
}
END_TEST

/* Every output on its own, and with others: each set of them has a kernel. */
START_TEST(any_wanted_outputs) {
    for (int c = 1; c < 5; c++) {
        statistics all = measured(DTYPES[_i], CLASSES[c], 0, CLASSES[c], 127);
        static const unsigned SETS[] = {1, 2, 4, 8, 16, 32, 64, 20, 65, 119};
        for (int s = 0; s < 10; s++) {
            statistics some = measured(DTYPES[_i], CLASSES[c], 0, CLASSES[c], SETS[s]);
            for (int a = 0; a < 6; a++) {
                const double *got = some.logprob + a * TOKENS, *want = all.logprob + a * TOKENS;
                for (int i = 0; i < TOKENS; i++)
                    ck_assert(SETS[s] >> a & 1 ? memcmp(&got[i], &want[i], sizeof *got) == 0
                                               : got[i] == 7777.0);
            }
            for (int i = 0; i < TOKENS; i++)
                ck_assert_int_eq(some.argmax[i], SETS[s] & 64 ? all.argmax[i] : 7777);
        }
    }
}
END_TEST

/* One class has nearly all of the probability. The thread that reads it adds 127 parts, of four
 * other classes each, to a sum of 1; a part is 1.4 units in the last place of that sum, of which
 * rounding takes 0.4 each time. */
START_TEST(small_parts_of_a_sum_are_kept) {
    enum { MANY = 1 << 17 };
    const float others = -16.99f;
    float *row = malloc(MANY * sizeof *row);
    for (int c = 0; c < MANY; c++) row[c] = others;
    row[0] = 0.0f;
    const alcore_sys_rows logits = {
        .data = row, .count = 1, .dims = MANY, .stride = MANY, .dtype = ALCORE_FLOAT32};
    double found = 0.0, entropy = 0.0;
    int64_t bad;
    const alcore_sys_token_stats to = {.entropy = &entropy, .logsumexp = &found};
    ck_assert_int_eq(emu.kernels->logit_stats(&work, &logits, NULL, -1, &to, &bad), ALCORE_OK);
    const double rest = (MANY - 1) * exp((double)others), expected = log1p(rest);
    const double mean = rest * (double)others / (1.0 + rest);
    ck_assert_double_le(fabs(found - expected), 1e-6 + 1e-5 * expected);
    ck_assert_double_le(fabs(entropy - (expected - mean)), 1e-6 + 1e-5 * (expected - mean));
    free(row);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("logits");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_loop_test(tests, rows_at_any_address, 0, 4);
    tcase_add_loop_test(tests, any_wanted_outputs, 0, 4);
    tcase_add_test(tests, small_parts_of_a_sum_are_kept);
    return check_suite_run("cuda-logits", tests);
}
