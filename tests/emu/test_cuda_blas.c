/* SPDX-License-Identifier: Apache-2.0 */
/* hidden_stats of the CUDA engine with cuBLAS and without it, on the emulated devices: where cuBLAS
 * is looked for, which type multiplies, where the work goes, what fails. That the numbers are right
 * for every shape is for the conformance suite. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "emulated_module.h"
#include "kernel/kernels.h"

/* More classes than a tile has (64 at the least, with little memory). */
enum { TOKENS = 90, CLASSES = 700, DIMS = 32, IGNORE = -100 };
enum { RULE_CALLS = 14 }; /* of by_the_rule_of_sizes */

static emulated_module emu;
static const alcore_sys_kernels *cuda, *cpu;
static alcore_sys_host host;
static alcore_sys_work work;
static char log_text[400];

/* The same numbers, multiples of 1/8 that every type holds. */
static float states[TOKENS * DIMS], matrix[CLASSES * DIMS], bias[CLASSES];
static double wide_states[TOKENS * DIMS];
static uint16_t half_states[TOKENS * DIMS], half_matrix[CLASSES * DIMS];   /* bfloat16 */
static uint16_t small_states[TOKENS * DIMS], small_matrix[CLASSES * DIMS]; /* float16 */
static int64_t labels[TOKENS];
static double expected[TOKENS];

static void keep_log(void *user, int32_t level, const char *component, const char *message) {
    (void)user;
    ck_assert_int_eq(level, 20);
    ck_assert_str_eq(component, "cuda");
    snprintf(log_text, sizeof log_text, "%s", message);
}

/* The upper half of a float32 is the bfloat16, when the lower one is 0. */
static uint16_t bfloat16_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    ck_assert_uint_eq(bits & 0xffff, 0);
    return (uint16_t)(bits >> 16);
}

/* For multiples of 1/8 below 2. */
static uint16_t float16_of(float x) {
    int exponent = 0;
    float fraction = frexpf(fabsf(x), &exponent); /* 0, or in [0.5, 1) */
    if (!(fraction > 0.0f)) return 0;
    uint16_t bits = (uint16_t)(((exponent + 14) << 10) + (int)((fraction * 2.0f - 1.0f) * 1024.0f));
    return (uint16_t)(bits | (x < 0.0f ? 0x8000 : 0));
}

static alcore_sys_rows rows_of(const void *data, int64_t count, int32_t dtype) {
    return (alcore_sys_rows){
        .data = data, .count = count, .dims = DIMS, .stride = DIMS, .dtype = dtype};
}

static alcore_status measure(const alcore_sys_kernels *kernels, const void *hidden, int32_t dtype,
                             const void *output, int32_t output_dtype, double *logprob) {
    alcore_sys_rows left = rows_of(hidden, TOKENS, dtype);
    alcore_sys_rows right = rows_of(output, CLASSES, output_dtype);
    int64_t bad;
    for (int i = 0; i < TOKENS; i++) logprob[i] = 7.0;
    return kernels->hidden_stats(&work, &left, &right, bias, labels, IGNORE,
                                 &(alcore_sys_token_stats){.logprob = logprob}, &bad);
}

static void expect_same(const double *got) {
    for (int i = 0; i < TOKENS; i++)
        ck_assert_msg(fabs(got[i] - expected[i]) <= 1e-6 + 1e-5 * fabs(expected[i]),
                      "token %d: %.9g, not %.9g", i, got[i], expected[i]);
}

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    cuda = emu.kernels;
    cpu = alcore__kernels_cpu();
    host = *emu.host;
    host.log = keep_log;
    work = (alcore_sys_work){.size = sizeof work, .host = &host};
    for (int i = 0; i < TOKENS * DIMS; i++) {
        states[i] = (float)(i * 37 % 31 - 15) / 8.0f;
        wide_states[i] = (double)states[i];
        half_states[i] = bfloat16_of(states[i]);
        small_states[i] = float16_of(states[i]);
    }
    for (int i = 0; i < CLASSES * DIMS; i++) {
        matrix[i] = (float)(i * 53 % 29 - 14) / 8.0f;
        half_matrix[i] = bfloat16_of(matrix[i]);
        small_matrix[i] = float16_of(matrix[i]);
    }
    for (int c = 0; c < CLASSES; c++) bias[c] = (float)(c % 9) / 8.0f;
    for (int i = 0; i < TOKENS; i++) labels[i] = i % 7 == 3 ? IGNORE : i * 11 % CLASSES;
    ck_assert_int_eq(measure(cpu, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, expected),
                     ALCORE_OK);
    log_text[0] = '\0';
}

/* Launches of the kernels that multiply without cuBLAS. */
static uint64_t launches_of_own(void) {
    return emu.kernel("product_kernel").launches + emu.kernel("fused_kernel").launches;
}

/* With cuBLAS, without it, and in every pair of types the numbers are those of the CPU. Every tile
 * is one product of cuBLAS; without it one launch of the fused kernel where both have the same
 * 16-bit type, else of the kernel that multiplies float32. */
START_TEST(both_ways_agree) {
    const struct {
        const void *states, *matrix;
        int32_t dtype, output_dtype;
        const char *kernel; /* without cuBLAS */
    } pairs[] = {
        {states, matrix, ALCORE_FLOAT32, ALCORE_FLOAT32, "product_kernel"},
        {half_states, half_matrix, ALCORE_BFLOAT16, ALCORE_BFLOAT16, "fused_kernel"},
        {small_states, small_matrix, ALCORE_FLOAT16, ALCORE_FLOAT16, "fused_kernel"},
        {small_states, half_matrix, ALCORE_FLOAT16, ALCORE_BFLOAT16, "product_kernel"},
        {wide_states, small_matrix, ALCORE_FLOAT64, ALCORE_FLOAT16, "product_kernel"},
        {half_states, matrix, ALCORE_BFLOAT16, ALCORE_FLOAT32, "product_kernel"},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        for (int use = 0; use < 2; use++) {
            double got[TOKENS], again[TOKENS];
            emu.blas(use);
            uint64_t named = emu.kernel(pairs[p].kernel).launches;
            uint64_t products = emu.blas_products(), own = launches_of_own();
            ck_assert_msg(measure(cuda, pairs[p].states, pairs[p].dtype, pairs[p].matrix,
                                  pairs[p].output_dtype, got) == ALCORE_OK,
                          "%s", emulated_error);
            expect_same(got);
            products = emu.blas_products() - products;
            own = launches_of_own() - own;
            named = emu.kernel(pairs[p].kernel).launches - named;
            ck_assert_uint_eq(use ? own : products, 0);
            ck_assert_uint_eq(named, own);
            ck_assert_uint_ge(use ? products : own, 2); /* the emulation's tiles are small */
            ck_assert_int_eq(measure(cuda, pairs[p].states, pairs[p].dtype, pairs[p].matrix,
                                     pairs[p].output_dtype, again),
                             ALCORE_OK);
            ck_assert_int_eq(memcmp(got, again, sizeof got), 0);
        }
    }
}
END_TEST

/* Every output on its own, and with others: each set of the second largest logit and the entropy
 * has kernels of its own, which give the same bytes as where all are wanted. Every class is there
 * twice, so that the two largest logits are equal and adjacent, and all logits are exact. */
START_TEST(any_wanted_outputs) {
    enum { OUTPUTS = 6, ALL = 127, ARGMAX = 6 };
    static const unsigned sets[] = {ALL, 1, 2, 4, 8, 16, 32, 64, 20, 65, 111};
    static uint16_t twice[CLASSES * DIMS];
    double all[OUTPUTS][TOKENS], right[OUTPUTS][TOKENS];
    int32_t all_argmax[TOKENS], right_argmax[TOKENS];
    int64_t bad;
    for (int c = 0; c < CLASSES; c++) {
        memcpy(twice + c * DIMS, half_matrix + c / 2 * DIMS, DIMS * sizeof *twice);
        bias[c] = (float)(c / 2 % 9) / 8.0f;
    }
    alcore_sys_rows hidden = rows_of(half_states, TOKENS, ALCORE_BFLOAT16);
    alcore_sys_rows output = rows_of(twice, CLASSES, ALCORE_BFLOAT16);
    alcore_sys_token_stats to_right = {right[0], right[1], right[2],    right[3],
                                       right[4], right[5], right_argmax};
    emu.blas(_i);
    ck_assert_int_eq(
        cpu->hidden_stats(&work, &hidden, &output, bias, labels, IGNORE, &to_right, &bad),
        ALCORE_OK);
    for (size_t n = 0; n < sizeof sets / sizeof sets[0]; n++) {
        double got[OUTPUTS][TOKENS], *to[OUTPUTS];
        int32_t argmax[TOKENS];
        for (int a = 0; a < OUTPUTS; a++) to[a] = sets[n] >> a & 1 ? got[a] : NULL;
        alcore_sys_token_stats out = {
            to[0], to[1], to[2], to[3], to[4], to[5], sets[n] >> ARGMAX & 1 ? argmax : NULL};
        ck_assert_msg(cuda->hidden_stats(&work, &hidden, &output, bias, labels, IGNORE, &out,
                                         &bad) == ALCORE_OK,
                      "%s", emulated_error);
        if (sets[n] == ALL) memcpy(all, got, sizeof all);
        if (sets[n] == ALL) memcpy(all_argmax, argmax, sizeof argmax);
        for (int i = 0; i < TOKENS; i++) {
            if (labels[i] == IGNORE) continue;
            for (int a = 0; a < OUTPUTS; a++) {
                if (!to[a]) continue;
                ck_assert_msg(fabs(got[a][i] - right[a][i]) <= 1e-6 + 1e-5 * fabs(right[a][i]),
                              "output %d of token %d: %.9g, not %.9g", a, i, got[a][i],
                              right[a][i]);
                ck_assert_int_eq(memcmp(&got[a][i], &all[a][i], sizeof got[a][i]), 0);
            }
            if (!out.argmax) continue;
            ck_assert_int_eq(argmax[i] % 2, 0);
            ck_assert_int_eq(argmax[i], right_argmax[i]);
            ck_assert_int_eq(argmax[i], all_argmax[i]);
        }
    }
}
END_TEST

/* Where both matrices are on the device and all tokens take part, nothing is copied there, with
 * cuBLAS or without. */
START_TEST(operands_are_used_in_place) {
    emu.blas(_i);
    double top[TOKENS];
    int64_t bad;
    alcore_sys_rows left =
        rows_of(emulated_array(&emu, half_states, sizeof half_states), TOKENS, ALCORE_BFLOAT16);
    alcore_sys_rows right =
        rows_of(emulated_array(&emu, half_matrix, sizeof half_matrix), CLASSES, ALCORE_BFLOAT16);
    uint64_t before = emu.kernel("gather_kernel").launches;
    ck_assert_int_eq(cuda->hidden_stats(&work, &left, &right, NULL, NULL, 0,
                                        &(alcore_sys_token_stats){.top1 = top}, &bad),
                     ALCORE_OK);
    ck_assert_uint_eq(emu.kernel("gather_kernel").launches - before, 0);
    /* Tokens that take part and are not adjacent are. */
    ck_assert_int_eq(cuda->hidden_stats(&work, &left, &right, NULL, labels, IGNORE,
                                        &(alcore_sys_token_stats){.top1 = top}, &bad),
                     ALCORE_OK);
    ck_assert_uint_ge(emu.kernel("gather_kernel").launches - before, 1);
    emu.memory_free((void *)(uintptr_t)left.data);
    emu.memory_free((void *)(uintptr_t)right.data);
}
END_TEST

/* Which way a call goes where cuBLAS is there: the fused kernel for many tokens of few components,
 * in its form, on a device whose cache does not hold the logits of the largest tile, of which there
 * are those of the call, of 2048 tokens, and 32 MiB at most. A call of many logits is stopped. */
START_TEST(by_the_rule_of_sizes) {
    enum { TILE = 32 << 20, MOST = 65600 * DIMS };
    static uint16_t numbers[MOST];
    static const struct {
        const char *why;
        int cache, tokens, classes, dims, stride, dtype;
        const char *always; /* $ALCORE_CUBLAS_ALWAYS */
        int fused;
    } calls[] = {
        {"no room for the logits", 4095, 128, 8, 32, 32, ALCORE_BFLOAT16, NULL, 1},
        {"room for the logits", 4096, 128, 8, 32, 32, ALCORE_BFLOAT16, NULL, 0},
        {"no room for those of 2048 tokens", 65535, 2100, 8, 32, 32, ALCORE_FLOAT16, NULL, 1},
        {"room for those of 2048 tokens", 65536, 2100, 8, 32, 32, ALCORE_FLOAT16, NULL, 0},
        {"no room for 32 MiB", TILE - 1, 128, 65536, 32, 32, ALCORE_BFLOAT16, NULL, 1},
        {"room for 32 MiB", TILE, 128, 65600, 32, 32, ALCORE_BFLOAT16, NULL, 0},
        {"the most components", 4095, 128, 8, 1024, 1024, ALCORE_FLOAT16, NULL, 1},
        {"more components", 4095, 128, 8, 1056, 1056, ALCORE_BFLOAT16, NULL, 0},
        {"gaps between rows", 4095, 128, 8, 32, 40, ALCORE_FLOAT16, NULL, 1},
        {"fewer tokens than a tile of the kernel", 0, 127, 8, 32, 32, ALCORE_BFLOAT16, NULL, 0},
        {"components that would have to be copied", 0, 128, 8, 24, 24, ALCORE_BFLOAT16, NULL, 0},
        {"float32", 0, 128, 8, 32, 32, ALCORE_FLOAT32, NULL, 0},
        {"the environment wants cuBLAS", 0, 128, 8, 32, 32, ALCORE_BFLOAT16, "1", 0},
        {"the environment does not", 0, 128, 8, 32, 32, ALCORE_BFLOAT16, "0", 1},
    };
    _Static_assert(sizeof calls / sizeof calls[0] == RULE_CALLS, "each is run");
    static double top[2100];
    int64_t bad;
    if (calls[_i].always) setenv("ALCORE_CUBLAS_ALWAYS", calls[_i].always, 1);
    for (int i = 0; i < MOST; i++) numbers[i] = half_matrix[i % (CLASSES * DIMS)];
    emu.cache(calls[_i].cache);
    alcore_sys_rows left = {.data = emulated_array(&emu, numbers, sizeof numbers),
                            .count = calls[_i].tokens,
                            .dims = calls[_i].dims,
                            .stride = calls[_i].stride,
                            .dtype = calls[_i].dtype};
    alcore_sys_rows right = left;
    right.count = calls[_i].classes;
    bool stopped = right.count > CLASSES;
    if (stopped) emulated_cancel = 2; /* the second time, when tiles have been computed */
    alcore_status status = cuda->hidden_stats(&work, &left, &right, NULL, NULL, 0,
                                              &(alcore_sys_token_stats){.top1 = top}, &bad);
    emulated_cancel = 0;
    ck_assert_msg(status == (stopped ? ALCORE_E_CANCELLED : ALCORE_OK), "%s", emulated_error);
    emu.memory_free((void *)(uintptr_t)left.data);
    ck_assert_msg((emu.kernel("fused_kernel").launches > 0) == calls[_i].fused, "%s",
                  calls[_i].why);
    ck_assert_msg((emu.blas_products() > 0) == !calls[_i].fused, "%s", calls[_i].why);
    ck_assert_uint_eq(emu.kernel("product_kernel").launches, 0);
    ck_assert_msg((log_text[0] == '\0') == calls[_i].fused, "%s: %s", calls[_i].why, log_text);
}
END_TEST

/* The copy that is in the process comes first, whatever else could be opened. */
START_TEST(the_loaded_copy_first) {
    double got[TOKENS];
    emu.blas_names("libcublas.so.12", "libcublas.so.13");
    ck_assert_int_eq(measure(cuda, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, got), ALCORE_OK);
    ck_assert_str_eq(log_text,
                     "cuBLAS 13.1.2 multiplies on cuda:0: in the process: libcublas.so.12");
    expect_same(got);
}
END_TEST

START_TEST(the_linkers_copy) {
    double got[TOKENS];
    setenv("ALCORE_CUBLAS", "/nowhere/libcublas.so", 1);
    ck_assert_int_eq(measure(cuda, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, got), ALCORE_OK);
    ck_assert_str_eq(log_text, "cuBLAS 13.1.2 multiplies on cuda:0: libcublas.so.13");
}
END_TEST

/* The file that the environment names, also where it wants it always. */
START_TEST(the_environments_copy) {
    double got[TOKENS];
    emu.blas_names(NULL, "/opt/cublas.so");
    setenv("ALCORE_CUBLAS", "/opt/cublas.so", 1);
    if (_i == 1) setenv("ALCORE_CUBLAS_ALWAYS", "1", 1);
    ck_assert_int_eq(measure(cuda, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, got), ALCORE_OK);
    ck_assert_str_eq(log_text, "cuBLAS 13.1.2 multiplies on cuda:0: /opt/cublas.so");
}
END_TEST

/* No copy, or no wish for one: that is no error. */
START_TEST(without_cublas) {
    double got[TOKENS];
    if (_i == 0)
        emu.blas_names(NULL, NULL);
    else
        setenv("ALCORE_CUBLAS", "none", 1);
    ck_assert_int_eq(measure(cuda, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, got), ALCORE_OK);
    ck_assert_str_eq(log_text, "");
    ck_assert_uint_eq(emu.blas_products(), 0);
    expect_same(got);
}
END_TEST

/* Each of the calls of a product fails once, with a text that names what was done and the status;
 * the handle that was made before stays, and the next call is well. */
START_TEST(failing_calls) {
    static const struct {
        int64_t number;
        const char *text;
    } calls[] = {
        {1, "cuBLAS failed while making a handle: "},
        {2, "cuBLAS failed while setting the precision: "},
        {3, "cuBLAS failed while setting the stream: "}, /* the handle exists from here on */
        {2, "cuBLAS failed while setting the workspace: "},
        {3, "cuBLAS failed while multiplying: "},
        {4, "cuBLAS failed while multiplying: "}, /* of the second tile */
    };
    double got[TOKENS];
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        int status = i % 2 ? 3 : 13;
        emu.blas_fail(calls[i].number, status);
        ck_assert_int_eq(measure(cuda, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, got),
                         i % 2 ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL);
        ck_assert_msg(strstr(emulated_error, calls[i].text) == emulated_error, "%s",
                      emulated_error);
        ck_assert_msg(strstr(emulated_error, status == 3 ? "CUBLAS_STATUS_ALLOC_FAILED"
                                                         : "CUBLAS_STATUS_EXECUTION_FAILED") &&
                          strstr(emulated_error, "ALCORE_CUBLAS=none"),
                      "%s", emulated_error);
        emu.blas_fail(0, 0);
    }
    ck_assert_int_eq(measure(cuda, states, ALCORE_FLOAT32, matrix, ALCORE_FLOAT32, got), ALCORE_OK);
    expect_same(got);
}
END_TEST

/* Hidden states that work of the host's stream has still to write, on the second device. */
START_TEST(in_the_hosts_stream) {
    double got[TOKENS];
    emu.device(1);
    work.device = 1;
    work.stream = emu.stream_new();
    void *source = emulated_array(&emu, half_states, sizeof half_states);
    void *there = emu.memory_new(sizeof half_states);
    void *output = emulated_array(&emu, half_matrix, sizeof half_matrix);
    for (int round = 0; round < 2; round++) { /* the second one with another stream */
        emu.queue(work.stream, there, source, sizeof half_states);
        ck_assert_msg(measure(cuda, there, ALCORE_BFLOAT16, output, ALCORE_BFLOAT16, got) ==
                          ALCORE_OK,
                      "%s", emulated_error);
        expect_same(got);
        void *stream = work.stream;
        work.stream = emu.stream_new();
        emu.stream_free(stream);
    }
    ck_assert_uint_gt(emu.blas_products(), 0);
    emu.stream_free(work.stream);
    void *all[] = {source, there, output};
    for (int i = 0; i < 3; i++) emu.memory_free(all[i]);
}
END_TEST

/* A device without memory for the tiles, or for cuBLAS's workspace, gets smaller ones. */
START_TEST(little_memory) {
    double got[TOKENS];
    emu.device(0);
    void *there = emulated_array(&emu, states, sizeof states);
    void *output = emulated_array(&emu, matrix, sizeof matrix);
    emu.memory(sizeof states + sizeof matrix + 100);
    ck_assert_int_eq(measure(cuda, there, ALCORE_FLOAT32, output, ALCORE_FLOAT32, got),
                     ALCORE_E_NOMEM);
    for (int use = 0; use < 2; use++) {
        emu.blas(use);
        emu.memory(sizeof states + sizeof matrix + 64000);
        uint64_t before = emu.work(0).launches;
        ck_assert_msg(measure(cuda, there, ALCORE_FLOAT32, output, ALCORE_FLOAT32, got) ==
                          ALCORE_OK,
                      "%s", emulated_error);
        uint64_t launches = emu.work(0).launches - before;
        expect_same(got);
        emu.memory((size_t)-1);
        before = emu.work(0).launches;
        ck_assert_int_eq(measure(cuda, there, ALCORE_FLOAT32, output, ALCORE_FLOAT32, got),
                         ALCORE_OK);
        ck_assert_uint_gt(launches, emu.work(0).launches - before);
        expect_same(got);
    }
    emu.memory_free(there);
    emu.memory_free(output);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("cublas");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, both_ways_agree);
    tcase_add_loop_test(tests, any_wanted_outputs, 0, 2);
    tcase_add_loop_test(tests, operands_are_used_in_place, 0, 2);
    tcase_add_loop_test(tests, by_the_rule_of_sizes, 0, RULE_CALLS);
    tcase_add_test(tests, the_loaded_copy_first);
    tcase_add_test(tests, the_linkers_copy);
    tcase_add_loop_test(tests, the_environments_copy, 0, 2);
    tcase_add_loop_test(tests, without_cublas, 0, 2);
    tcase_add_test(tests, failing_calls);
    tcase_add_test(tests, in_the_hosts_stream);
    tcase_add_test(tests, little_memory);
    return check_suite_run("cuda-blas", tests);
}
