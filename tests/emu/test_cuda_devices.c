/* SPDX-License-Identifier: Apache-2.0 */
/* Two emulated devices: every call runs on the device that it names, touches no other one, and
 * leaves the calling thread's context as it found it. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "check_suite.h"
#include "emulated_module.h"
#include "kernel/kernels.h"
#include "search_calls.h"

enum { ROWS = 60, QUERIES = 7, DIMS = 12, K = 3 };

static emulated_module emu;
static const alcore_sys_kernels *cuda, *cpu;
static alcore_ctx *ctx;
static float numbers[ROWS * DIMS];
static double vector[DIMS], expected[ROWS], got[ROWS];
static alcore_sys_rows rows;
static alcore_sys_work work;
static uint64_t launches_before[EMU_DEVICES];

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    cuda = emu.kernels;
    cpu = alcore__kernels_cpu();
    emu.device(1);
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host, .device = 1};
    rows = (alcore_sys_rows){
        .data = numbers, .count = ROWS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT32};
    for (int i = 0; i < ROWS * DIMS; i++) numbers[i] = (float)((i * 7919 % 1000) - 500) / 300.0f;
    for (int j = 0; j < DIMS; j++) vector[j] = sin(j + 1.0);
    ck_assert_int_eq(cpu->sq_dists(&work, &rows, NULL, vector, expected), ALCORE_OK);
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    for (int d = 0; d < EMU_DEVICES; d++) launches_before[d] = emu.work(d).launches;
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Kernels ran on device 1 since setup, or the last call, and none on device 0. */
static void expect_second_device(void) {
    ck_assert_uint_eq(emu.work(0).launches, launches_before[0]);
    ck_assert_uint_gt(emu.work(1).launches, launches_before[1]);
    launches_before[1] = emu.work(1).launches;
}

START_TEST(kernels_run_where_they_are_told) {
    alcore_sys_rows there = rows;
    there.data = emulated_array(&emu, numbers, sizeof numbers);
    ck_assert_int_eq(cuda->sq_dists(&work, &there, NULL, vector, got), ALCORE_OK);
    ck_assert_int_eq(memcmp(got, expected, sizeof got), 0);
    expect_second_device();
    /* What is uploaded stays on the device that was named. */
    alcore_sys_held held;
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held), ALCORE_OK);
    ck_assert_int_eq(cuda->sq_dists(&work, &held.rows, NULL, vector, got), ALCORE_OK);
    ck_assert_int_eq(memcmp(got, expected, sizeof got), 0);
    expect_second_device();
    cuda->release(&work, &held);
    /* Nobody copies between devices in silence. */
    work.device = 0;
    ck_assert_int_eq(cuda->sq_dists(&work, &there, NULL, vector, got), ALCORE_E_INVALID);
    ck_assert_str_eq(emulated_error, "an array is on cuda:1, the call runs on cuda:0");
    emu.memory_free((void *)(uintptr_t)there.data);
}
END_TEST

/* Kernels wait in the caller's stream and in no other, and a copy to the host comes after them. */
START_TEST(work_is_in_the_stream_of_the_caller) {
    static double wide[ROWS * DIMS];
    static char copy[ROWS * DIMS * sizeof(double)];
    alcore_sys_rows there = rows, result = rows;
    for (int i = 0; i < ROWS * DIMS; i++) wide[i] = numbers[i];
    there.data = emulated_array(&emu, numbers, sizeof numbers);
    double *out = emu.memory_new(sizeof wide);
    result.data = out;
    result.dtype = ALCORE_FLOAT64;
    work.stream = emu.stream_new();
    ck_assert_int_eq(cuda->widen(&work, &there, NULL, out), ALCORE_OK);
    ck_assert_int_eq(cuda->download(&work, &result, copy), ALCORE_OK);
    ck_assert_int_eq(memcmp(copy, wide, sizeof wide), 0);
    /* Every third row, and columns 1 to 5 of each. */
    result.data = out + 1;
    result.count = ROWS / 3;
    result.dims = 5;
    result.stride = 3 * DIMS;
    ck_assert_int_eq(cuda->download(&work, &result, copy), ALCORE_OK);
    for (int i = 0; i < ROWS / 3; i++)
        ck_assert_int_eq(memcmp(copy + i * 40, wide + 3 * i * DIMS + 1, 40), 0);
    /* The stream alone is waited for. */
    emu.copy(out, numbers, sizeof numbers);
    ck_assert_int_eq(cuda->widen(&work, &there, NULL, out), ALCORE_OK);
    ck_assert_int_eq(emu.stream_wait(work.stream), 0);
    emu.copy(copy, out, sizeof wide);
    ck_assert_int_eq(memcmp(copy, wide, sizeof wide), 0);
    /* Integers are copied as they are; other types are refused. */
    result.dtype = ALCORE_INT64;
    ck_assert_int_eq(cuda->download(&work, &result, copy), ALCORE_OK);
    ck_assert_int_eq(memcmp(copy, wide + 1, 40), 0);
    result.dtype = 99;
    ck_assert_int_eq(cuda->download(&work, &result, copy), ALCORE_E_SHAPE);
    emu.stream_free(work.stream);
    /* A stream of another device is refused, and the next call does not find its error. */
    emu.device(0);
    work.stream = emu.stream_new();
    result.dtype = ALCORE_FLOAT64;
    ck_assert_int_eq(cuda->download(&work, &result, copy), ALCORE_E_INVALID);
    emu.stream_free(work.stream);
    work.stream = NULL;
    ck_assert_int_eq(cuda->download(&work, &result, copy), ALCORE_OK);
    emu.memory_free((void *)(uintptr_t)there.data);
    emu.memory_free(out);
}
END_TEST

static void *no_memory(void *user, size_t bytes) {
    (void)user;
    (void)bytes;
    return NULL;
}

/* Calls with every outcome: a result, an error of the caller's, no memory, no such device. */
static void make_calls(void) {
    alcore_sys_rows bad = rows;
    alcore_sys_held held;
    bad.dtype = ALCORE_INT64;
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_OK);
    ck_assert_int_eq(cuda->sq_dists(&work, &bad, NULL, vector, got), ALCORE_E_SHAPE);
    alcore_sys_work poor = work, nowhere = work;
    poor.stream = emu.stream_new();
    poor.workspace = no_memory;
    ck_assert_int_eq(cuda->sq_dists(&poor, &rows, NULL, vector, got), ALCORE_E_NOMEM);
    emu.stream_free(poor.stream);
    nowhere.device = EMU_DEVICES;
    ck_assert_int_eq(cuda->sq_dists(&nowhere, &rows, NULL, vector, got), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held), ALCORE_OK);
    cuda->release(&work, &held);
}

START_TEST(the_context_is_as_before) {
    /* A thread that has none, as one that never used CUDA. */
    ck_assert_ptr_null(emu.context());
    make_calls();
    ck_assert_ptr_null(emu.context());
    ck_assert_int_eq(emu.primary(0), 0);
    /* A context that the host made by the driver, on the same device and on the other one. */
    for (int device = 0; device < EMU_DEVICES; device++) {
        void *own = emu.context_new(device);
        emu.context_set(own);
        make_calls();
        ck_assert_ptr_eq(emu.context(), own);
    }
    emu.context_set(NULL);
    ck_assert_int_eq(emu.primary(0), 0);
    ck_assert_int_eq(emu.primary(1), 1);
}
END_TEST

/* A call is no part of a graph; beside the capture of another stream it works and spoils nothing,
 * also where it allocates and frees. */
START_TEST(graphs_are_left_alone) {
    alcore_sys_held held[2];
    alcore_sys_work given = work;
    void *stream = emu.stream_new();
    given.stream = stream;
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held[0]), ALCORE_OK);
    emu.capture(stream, 0);
    ck_assert_int_eq(cuda->sq_dists(&given, &rows, NULL, vector, got), ALCORE_E_UNSUPPORTED);
    ck_assert_str_eq(emulated_error, "the stream is capturing a graph, of which this call cannot "
                                     "be a part: call before or behind the capture");
    ck_assert_int_eq(emu.capture_end(), 0);
    emu.capture(stream, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_OK);
        ck_assert_int_eq(memcmp(got, expected, sizeof got), 0);
    }
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held[1]), ALCORE_OK);
    for (int i = 0; i < 2; i++) cuda->release(&work, &held[i]);
    ck_assert_int_eq(emu.capture_mode(), 0);
    ck_assert_int_eq(emu.capture_end(), 0);
    /* One that waits for the default stream, in which the arrays of this call would be ready. */
    emu.capture(stream, 1);
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(emulated_error, "a stream that waits for the default stream"));
    given.stream = emu.stream_new();
    memset(got, 0, sizeof got);
    ck_assert_int_eq(cuda->sq_dists(&given, &rows, NULL, vector, got), ALCORE_OK);
    ck_assert_int_eq(memcmp(got, expected, sizeof got), 0);
    ck_assert_int_eq(emu.capture_end(), 0);
    emu.stream_free(given.stream);
    emu.stream_free(stream);
}
END_TEST

/* Devices of different kinds: each call asks for its own. */
START_TEST(an_old_device_beside_a_new_one) {
    for (int old = 0; old < EMU_DEVICES; old++) {
        emu.capability(old, 7);
        for (work.device = 0; work.device < EMU_DEVICES; work.device++)
            ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got),
                             work.device == old ? ALCORE_E_UNSUPPORTED : ALCORE_OK);
        emu.capability(old, 8);
    }
    ck_assert_str_eq(emulated_error, "cuda:1 has compute capability 7.x, this module needs 8.0");
}
END_TEST

/* The module is given out where one of the devices can run it, and names the oldest driver. */
START_TEST(what_the_module_needs) {
    const alcore_sys_kernels *table;
    for (int old = 0; old < EMU_DEVICES; old++) {
        emu.capability(old, 7);
        ck_assert_int_eq(emu.entry(ALCORE_SYS_ABI, emu.host, &table), ALCORE_OK);
        emu.capability(old, 8);
    }
    for (int d = 0; d < EMU_DEVICES; d++) emu.capability(d, 5 + d);
    ck_assert_int_eq(emu.entry(ALCORE_SYS_ABI, emu.host, &table), ALCORE_E_UNSUPPORTED);
    ck_assert_str_eq(emulated_error,
                     "no device has a compute capability above 6.x, this module needs 8.0");
    emu.driver(12090);
    ck_assert_int_eq(emu.entry(ALCORE_SYS_ABI, emu.host, &table), ALCORE_E_UNSUPPORTED);
    ck_assert_str_eq(emulated_error, "the NVIDIA driver is too old: it serves CUDA 12.9, this "
                                     "module needs 13.0, which is driver 580 or newer");
    emu.driver(0);
    ck_assert_int_eq(emu.entry(ALCORE_SYS_ABI, emu.host, &table), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(emulated_error, "needs driver 580 or newer"));
}
END_TEST

/* A process that was forked after the module was loaded is told so, also when it gives memory back
 * that its parent has; the parent goes on. */
START_TEST(a_forked_process_is_told) {
    alcore_sys_held held;
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held), ALCORE_OK);
    const emu_work before = emu.work(EMU_ALL);
    pid_t child = fork();
    if (child == 0) {
        const int told =
            cuda->sq_dists(&work, &rows, NULL, vector, got) == ALCORE_E_UNSUPPORTED &&
            strstr(emulated_error, "forked from one that has loaded the CUDA engine") != NULL;
        cuda->release(&work, &held);
        const emu_work after = emu.work(EMU_ALL);
        _exit(told && memcmp(&before, &after, sizeof before) == 0 ? 0 : 1);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(cuda->sq_dists(&work, &held.rows, NULL, vector, got), ALCORE_OK);
    ck_assert_int_eq(memcmp(got, expected, sizeof got), 0);
    cuda->release(&work, &held);
}
END_TEST

/* A fault of a kernel, after which CUDA refuses all work of the process. */
START_TEST(a_fault_names_the_remedy) {
    work.stream = emu.stream_new();
    emu.queue_failure(work.stream);
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_E_INTERNAL);
    ck_assert_ptr_nonnull(strstr(emulated_error, "the device does nothing more for this process: "
                                                 "restart it"));
    emu.stream_free(work.stream);
}
END_TEST

/* ---- the public functions ---- */

static alcore_search_data side_of(alcore_tensor *tensor, int64_t first, int64_t count) {
    static int64_t shapes[2][2];
    int64_t *shape = shapes[first == 0];
    alcore_search_data side = ALCORE_SEARCH_DATA_INIT;
    shape[0] = count;
    shape[1] = DIMS;
    ck_assert_int_eq(alcore_tensor_init(tensor, numbers + first * DIMS, ALCORE_FLOAT32, shape, 2),
                     ALCORE_OK);
    side.matrix = tensor;
    return side;
}

START_TEST(searches_run_on_the_device) {
    alcore_tensor tensors[2];
    alcore_search_data queries = side_of(&tensors[0], 0, QUERIES),
                       others = side_of(&tensors[1], QUERIES, ROWS - QUERIES);
    int64_t row[2][QUERIES * K], other[2][QUERIES];
    double value[2][QUERIES * K], ratio[2][QUERIES];
    for (int on_device = 0; on_device < 2; on_device++) {
        alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
        int64_t wanted = 10;
        wanted = K;
        options.device = on_device ? "cuda:1" : "cpu";
        ck_assert_msg(test_knn(ctx, &others, &queries, wanted, &options, row[on_device],
                               value[on_device], NULL, NULL) == ALCORE_OK,
                      "%s", alcore_last_error());
        if (on_device) expect_second_device();
        ck_assert_int_eq(test_margin_ratios(ctx, &queries, &others, wanted, &options,
                                            ratio[on_device], other[on_device]),
                         ALCORE_OK);
        if (on_device) expect_second_device();
    }
    ck_assert_int_eq(memcmp(row[0], row[1], sizeof row[0]), 0);
    ck_assert_int_eq(memcmp(value[0], value[1], sizeof value[0]), 0);
    ck_assert_int_eq(memcmp(ratio[0], ratio[1], sizeof ratio[0]), 0);
    ck_assert_int_eq(memcmp(other[0], other[1], sizeof other[0]), 0);
    ck_assert_int_eq(emu.primary(0), 0);
}
END_TEST

START_TEST(logits_are_used_where_they_are) {
    double top[2][ROWS];
    int64_t shape[] = {ROWS, DIMS}, tokens = ROWS;
    alcore_tensor tensor, found;
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    void *there = emulated_array(&emu, numbers, sizeof numbers), *stream = emu.stream_new();
    for (int on_device = 0; on_device < 2; on_device++) {
        alcore_logits logits = ALCORE_LOGITS_INIT;
        alcore_token_stats out = ALCORE_TOKEN_STATS_INIT;
        logits.logits = &tensor;
        logits.lengths = &tokens;
        logits.length_count = 1;
        ck_assert_int_eq(alcore_tensor_init(&found, top[on_device], ALCORE_FLOAT64, &tokens, 1),
                         ALCORE_OK);
        out.top1 = &found;
        if (on_device) {
            tensor.data = there;
            tensor.device.type = ALCORE_DEVICE_CUDA;
            tensor.device.id = 1;
            logits.stream = stream;
        }
        ck_assert_msg(alcore_logits_measure(ctx, &logits, -100, &out) == ALCORE_OK, "%s",
                      alcore_last_error());
    }
    expect_second_device();
    for (int i = 0; i < ROWS; i++)
        ck_assert(fabs(top[0][i] - top[1][i]) <= 1e-6 + 1e-5 * fabs(top[0][i]));
    /* The work goes into the stream that is given: one of another device is refused. */
    alcore_logits elsewhere = ALCORE_LOGITS_INIT;
    alcore_token_stats stats = ALCORE_TOKEN_STATS_INIT;
    elsewhere.logits = &tensor;
    elsewhere.lengths = &tokens;
    elsewhere.length_count = 1;
    stats.top1 = &found;
    emu.device(0);
    elsewhere.stream = emu.stream_new();
    emu.device(1);
    ck_assert_int_ne(alcore_logits_measure(ctx, &elsewhere, -100, &stats), ALCORE_OK);
    emu.stream_free(elsewhere.stream);
    emu.stream_free(stream);
    emu.memory_free(there);
}
END_TEST

/* Labels and bias on the device, written by work that waits in the stream, with hidden states there
 * or on the host. */
START_TEST(labels_and_bias_are_copied) {
    enum { WORDS = 5, ITEMS = ROWS / 5 };
    double logprob[4][ROWS];
    float bias[WORDS];
    int64_t labels[ITEMS * (WORDS + 1)], hidden_shape[] = {ITEMS, WORDS, DIMS};
    int64_t output_shape[] = {WORDS, DIMS}, bias_shape[] = {WORDS}, label_shape[] = {ITEMS, WORDS};
    int64_t label_strides[] = {WORDS + 1, 1};
    alcore_tensor hidden, output, b, l, found;
    for (int c = 0; c < WORDS; c++) bias[c] = (float)c / 3.0f;
    for (int i = 0; i < ITEMS * (WORDS + 1); i++) labels[i] = i % 7 == 0 ? -100 : i % WORDS;
    void *stream = emu.stream_new(), *source[2], *there[3];
    source[0] = emulated_array(&emu, labels, sizeof labels);
    source[1] = emulated_array(&emu, bias, sizeof bias);
    there[0] = emu.memory_new(sizeof labels);
    there[1] = emu.memory_new(sizeof bias);
    there[2] = emulated_array(&emu, numbers, sizeof numbers);
    /* All on the host; labels there; bias there; all there but the output matrix. One call for each
     * of labels and bias, as the first that is read waits for the stream of both. */
    for (int run = 0; run < 4; run++) {
        ck_assert_int_eq(alcore_tensor_init(&hidden, numbers, ALCORE_FLOAT32, hidden_shape, 3), 0);
        ck_assert_int_eq(alcore_tensor_init(&output, numbers, ALCORE_FLOAT32, output_shape, 2), 0);
        ck_assert_int_eq(alcore_tensor_init(&b, bias, ALCORE_FLOAT32, bias_shape, 1), 0);
        ck_assert_int_eq(alcore_tensor_init(&l, labels, ALCORE_INT64, label_shape, 2), 0);
        ck_assert_int_eq(alcore_tensor_init(&found, logprob[run], ALCORE_FLOAT64, label_shape, 2),
                         0);
        l.strides = label_strides;
        alcore_logits logits = ALCORE_LOGITS_INIT;
        alcore_token_stats out = ALCORE_TOKEN_STATS_INIT;
        if (run > 0) {
            alcore_device second = {ALCORE_DEVICE_CUDA, 1};
            emu.queue(stream, there[0], source[0], sizeof labels);
            emu.queue(stream, there[1], source[1], sizeof bias);
            logits.stream = stream;
            if (run != 2) {
                l.data = there[0];
                l.device = second;
            }
            if (run >= 2) {
                b.data = there[1];
                b.device = second;
            }
            if (run == 3) {
                hidden.data = there[2];
                hidden.device = second;
            }
        }
        logits.hidden = &hidden;
        logits.output = &output;
        logits.bias = &b;
        logits.labels = &l;
        out.logprob = &found;
        memset(logprob[run], 0, sizeof logprob[run]);
        ck_assert_msg(alcore_logits_measure(ctx, &logits, -100, &out) == ALCORE_OK, "%s",
                      alcore_last_error());
        /* Nothing of the run before is there. */
        char nothing[sizeof labels];
        memset(nothing, 0x7f, sizeof nothing);
        emu.copy(there[0], nothing, sizeof labels);
        emu.copy(there[1], nothing, sizeof bias);
    }
    ck_assert_int_eq(memcmp(logprob[0], logprob[1], sizeof logprob[0]), 0);
    ck_assert_int_eq(memcmp(logprob[0], logprob[2], sizeof logprob[0]), 0);
    for (int i = 0; i < ROWS; i++)
        ck_assert(fabs(logprob[0][i] - logprob[3][i]) <= 1e-6 + 1e-5 * fabs(logprob[0][i]));
    expect_second_device();
    emu.stream_free(stream);
    for (int i = 0; i < 2; i++) emu.memory_free(source[i]);
    for (int i = 0; i < 3; i++) emu.memory_free(there[i]);
}
END_TEST

/* Arrays of one call on two devices are refused before anything runs. */
START_TEST(two_devices_in_one_call) {
    int64_t shape[] = {ROWS, DIMS};
    double top[ROWS];
    alcore_tensor hidden, output, found;
    ck_assert_int_eq(alcore_tensor_init(&hidden, numbers, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    output = hidden;
    hidden.device.type = output.device.type = ALCORE_DEVICE_CUDA;
    output.device.id = 1;
    alcore_logits logits = ALCORE_LOGITS_INIT;
    alcore_token_stats out = ALCORE_TOKEN_STATS_INIT;
    logits.hidden = &hidden;
    logits.output = &output;
    ck_assert_int_eq(alcore_tensor_init(&found, top, ALCORE_FLOAT64, shape, 1), ALCORE_OK);
    out.top1 = &found;
    ck_assert_int_eq(alcore_logits_measure(ctx, &logits, -100, &out), ALCORE_E_INVALID);
    ck_assert_str_eq(alcore_last_error(),
                     "hidden is on cuda:0 and output on cuda:1; copy them to one device");
}
END_TEST

TEST_FILE() {
    /* Of the module alone: mutants.py runs this case with modules that hold a defect. */
    TCase *kernels = tcase_create("kernels"), *tests = tcase_create("functions");
    tcase_add_checked_fixture(kernels, setup, teardown);
    tcase_add_test(kernels, kernels_run_where_they_are_told);
    tcase_add_test(kernels, work_is_in_the_stream_of_the_caller);
    tcase_add_test(kernels, the_context_is_as_before);
    tcase_add_test(kernels, graphs_are_left_alone);
    tcase_add_test(kernels, an_old_device_beside_a_new_one);
    tcase_add_test(kernels, a_forked_process_is_told);
    tcase_add_test(kernels, a_fault_names_the_remedy);
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_the_module_needs);
    tcase_add_test(tests, searches_run_on_the_device);
    tcase_add_test(tests, logits_are_used_where_they_are);
    tcase_add_test(tests, labels_and_bias_are_copied);
    tcase_add_test(tests, two_devices_in_one_call);
    Suite *suite = suite_create("cuda-devices");
    suite_add_tcase(suite, kernels);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
