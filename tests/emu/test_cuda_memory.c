/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the CUDA engine keeps between calls, on emulated devices: blocks of the pool of a
 * device, slots that are taken while their last call is queued, the ring of pinned memory, and what
 * is left of all of them when the host resets the device. docs/results/gpu-memory.txt keeps how
 * often such a call waits, allocates and frees; GPU_MEMORY_OUT=FILE test_cuda_memory writes the
 * file anew, where a change is meant. */
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "counts_file.h"
#include "emulated_module.h"

/* A chunk of such rows, which are copied on the device because they are not aligned, is larger than
 * what a slot keeps: two of them are more than twice that. */
enum { LONG_ROWS = 36, LONG_DIMS = 275000, MIB = 1 << 20 };
enum { ROWS = 40, DIMS = 12 };

static emulated_module emu;
static const alcore_sys_kernels *cuda;
static alcore_sys_work work;
static float numbers[ROWS * DIMS];
static double vector[DIMS], expected[ROWS];
static alcore_sys_rows rows;

static double square_of(double x) {
    return x * x;
}

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    cuda = emu.kernels;
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    rows = (alcore_sys_rows){
        .data = numbers, .count = ROWS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT32};
    for (int i = 0; i < ROWS * DIMS; i++) numbers[i] = (float)(i % 17);
    for (int j = 0; j < DIMS; j++) vector[j] = j;
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < ROWS * DIMS; i++)
        expected[i / DIMS] += square_of((double)numbers[i] - vector[i % DIMS]);
}

/* What was counted of device 0 since `before`: waits of the host, blocks that were made and given
 * back, and waits for all of the device. */
enum { WAITS, MADE, FREED, STALLS, COUNTS };
static void count_since(emu_work before, double *counts) {
    const emu_work now = emu.work(0);
    counts[WAITS] = (double)(now.stream_waits + now.event_waits + now.device_waits -
                             before.stream_waits - before.event_waits - before.device_waits);
    counts[MADE] = (double)(now.allocations - before.allocations);
    counts[FREED] = (double)(now.frees - before.frees);
    counts[STALLS] = (double)(now.device_waits - before.device_waits);
}

/* Rows in memory of the device, at an address that kernels cannot use; row i has the number i. */
static alcore_sys_rows long_rows(void) {
    const size_t bytes = LONG_DIMS * sizeof(double);
    double *row = malloc(bytes);
    char *memory = emu.memory_new(LONG_ROWS * bytes + 8);
    ck_assert(row && memory);
    for (int i = 0; i < LONG_ROWS; i++) {
        for (int j = 0; j < LONG_DIMS; j++) row[j] = i;
        emu.copy(memory + 4 + (size_t)i * bytes, row, bytes);
    }
    free(row);
    return (alcore_sys_rows){.data = memory + 4,
                             .count = LONG_ROWS,
                             .dims = LONG_DIMS,
                             .stride = LONG_DIMS,
                             .dtype = ALCORE_FLOAT64};
}
static void free_long(const alcore_sys_rows *given) {
    emu.memory_free((char *)(uintptr_t)given->data - 4);
}
static void expect_squares(const alcore_sys_rows *given) {
    double squares[LONG_ROWS];
    ck_assert_int_eq(cuda->self_dots(&work, given, NULL, squares), ALCORE_OK);
    for (int i = 0; i < LONG_ROWS; i++) ck_assert_double_eq(squares[i], (double)LONG_DIMS * i * i);
}
static void expect_distances(const alcore_sys_rows *given) {
    double got[ROWS];
    ck_assert_int_eq(cuda->sq_dists(&work, given, NULL, vector, got), ALCORE_OK);
    ck_assert_mem_eq(got, expected, sizeof got);
}

/* A call that needs more than a slot keeps finds it in the pool; without one it allocates and frees
 * it each time, and waits for the device. */
START_TEST(blocks_of_a_pool) {
    static const char *const keys[] = {"call beyond 64 MiB, no pool", "call beyond 64 MiB"};
    double counts[2][COUNTS];
    for (int pool = 0; pool < 2; pool++) {
        emu.reset(0);
        emu.pools(pool);
        const alcore_sys_rows given = long_rows();
        expect_squares(&given);
        const emu_work before = emu.work(0);
        expect_squares(&given);
        count_since(before, counts[pool]);
        counts_compare("GPU_MEMORY", keys[pool], COUNTS, counts[pool], NULL);
        free_long(&given);
    }
    ck_assert(counts[0][MADE] > 0 && counts[0][STALLS] > 0);
    for (int k = MADE; k < COUNTS; k++) ck_assert_double_eq(counts[1][k], 0.0);
}
END_TEST

/* What a pool keeps beyond a thirty-second of the device's memory is the device's again after the
 * next wait, for which nobody waits more. */
START_TEST(a_pool_that_shrinks) {
    double counts[COUNTS];
    emu.reset(0);
    emu.memory((size_t)1024 * MIB);
    work.workspace_bytes = 256 * MIB;
    const alcore_sys_rows given = long_rows();
    expect_squares(&given);
    const emu_work before = emu.work(0);
    expect_distances(&rows);
    count_since(before, counts);
    ck_assert_double_eq(counts[FREED], 2.0);
    ck_assert_double_eq(counts[STALLS], 0.0);
    free_long(&given);
    emu.memory((size_t)-1);
}
END_TEST

/* Rows that stay on the device get the memory that the pool has and no call uses. */
START_TEST(rows_that_stay_come_first) {
    enum { WIDE = 20 * MIB / ROWS };
    static char zeros[ROWS * WIDE];
    const alcore_sys_rows wide = {
        .data = zeros, .count = ROWS, .dims = WIDE, .stride = WIDE, .dtype = ALCORE_UINT8};
    alcore_sys_held held;
    emu.reset(0);
    emu.memory((size_t)300 * MIB);
    work.workspace_bytes = 256 * MIB;
    const alcore_sys_rows given = long_rows();
    expect_squares(&given);
    ck_assert_int_eq(cuda->upload(&work, &wide, NULL, &held), ALCORE_OK);
    ck_assert_ptr_nonnull(held.memory);
    cuda->release(&work, &held);
    expect_squares(&given);
    free_long(&given);
    emu.memory((size_t)-1);
}
END_TEST

/* Calls in streams of their own, more of them than there are slots: none waits, and what one has
 * not read yet the next one does not overwrite. */
START_TEST(queued_calls) {
    enum { CALLS = 6, MAX_CALLS = 4 };
    double vectors[CALLS][DIMS], got[ROWS], counts[COUNTS];
    void *streams[CALLS], *out[CALLS];
    alcore_sys_rows there = rows;
    there.data = emulated_array(&emu, numbers, sizeof numbers);
    emu_work before = {0};
    for (int run = 0; run < 2; run++) { /* the second one finds slots */
        for (int k = 0; k < CALLS; k++) {
            streams[k] = emu.stream_new();
            out[k] = emu.memory_new(sizeof got);
        }
        before = emu.work(0);
        for (int k = 0; k < CALLS; k++) {
            for (int j = 0; j < DIMS; j++) vectors[k][j] = k;
            work.stream = streams[k];
            ck_assert_int_eq(cuda->sq_dists(&work, &there, NULL, vectors[k], out[k]), ALCORE_OK);
            memset(vectors[k], 0, sizeof vectors[k]);
        }
        count_since(before, counts);
        /* The call that has the slot of the first one comes behind it. */
        ck_assert_int_eq(emu.stream_wait(streams[MAX_CALLS]), 0);
        for (int k = CALLS - 1; k >= 0; k--) {
            if (k > 0) ck_assert_int_eq(emu.stream_wait(streams[k]), 0);
            emu.copy(got, out[k], sizeof got);
            for (int i = 0; i < ROWS; i++) {
                double distance = 0.0; /* of small integers: exact */
                for (int j = 0; j < DIMS; j++)
                    distance += square_of((double)numbers[i * DIMS + j] - k);
                ck_assert_double_eq(got[i], distance);
            }
            emu.stream_free(streams[k]);
            emu.memory_free(out[k]);
        }
    }
    work.stream = NULL;
    counts_compare("GPU_MEMORY", "six calls, each in a stream of its own", COUNTS, counts, NULL);
    ck_assert_double_eq(counts[WAITS], 0.0);
    emu.memory_free((void *)(uintptr_t)there.data);
}
END_TEST

/* Copies of the host's rows through the ring: those of a half of it are waited for before that is
 * used again. */
START_TEST(a_long_upload) {
    enum { BYTES = MIB / 4, MANY = 48 };
    char *matrix = malloc((size_t)BYTES * MANY), *back = malloc((size_t)BYTES * MANY);
    double counts[COUNTS];
    alcore_sys_held held;
    uint8_t mask[MANY];
    ck_assert(matrix && back);
    for (int i = 0; i < MANY; i++) memset(matrix + (size_t)i * BYTES, i + 1, BYTES);
    alcore_sys_rows given = {
        .data = matrix, .count = MANY, .dims = BYTES, .stride = BYTES, .dtype = ALCORE_UINT8};
    expect_distances(&rows); /* there is a slot */
    emu_work before = emu.work(0);
    ck_assert_int_eq(cuda->upload(&work, &given, NULL, &held), ALCORE_OK);
    count_since(before, counts);
    counts_compare("GPU_MEMORY", "upload of 12 MiB", COUNTS, counts, NULL);
    before = emu.work(0);
    ck_assert_int_eq(cuda->download(&work, &held.rows, back), ALCORE_OK);
    count_since(before, counts);
    counts_compare("GPU_MEMORY", "download of 12 MiB", COUNTS, counts, NULL);
    ck_assert_mem_eq(back, matrix, (size_t)BYTES * MANY);
    cuda->release(&work, &held);
    /* Every third row. */
    for (int i = 0; i < MANY; i++) mask[i] = i % 3 == 0;
    ck_assert_int_eq(cuda->upload(&work, &given, mask, &held), ALCORE_OK);
    ck_assert_int_eq(cuda->download(&work, &held.rows, back), ALCORE_OK);
    for (int i = 0; i < MANY; i += 3)
        ck_assert_mem_eq(back + (size_t)(i / 3) * BYTES, matrix + (size_t)i * BYTES, BYTES);
    cuda->release(&work, &held);
    free(matrix);
    free(back);
}
END_TEST

/* The host resets the device between two calls: the engine works again, refuses what it kept there,
 * and does not free it. */
START_TEST(a_device_that_is_reset) {
    alcore_sys_held held[2];
    double got[ROWS];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held[i]), ALCORE_OK);
    expect_distances(&held[0].rows);
    const alcore_sys_rows given = long_rows();
    expect_squares(&given); /* the pool has blocks */
    emu.reset(0);
    expect_distances(&rows);
    ck_assert_int_eq(cuda->sq_dists(&work, &held[0].rows, NULL, vector, got), ALCORE_E_INVALID);
    ck_assert_str_eq(emulated_error, "cuda:0 was reset (cudaDeviceReset), and what this library "
                                     "kept there is gone: set the columns anew");
    const emu_work before = emu.work(0);
    for (int i = 0; i < 2; i++) cuda->release(&work, &held[i]);
    ck_assert_uint_eq(emu.work(0).frees, before.frees);
    const alcore_sys_rows again = long_rows();
    expect_squares(&again);
    free_long(&again);
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held[0]), ALCORE_OK);
    expect_distances(&held[0].rows);
    /* The first thing that is seen of another reset is what is given back. */
    emu.reset(0);
    cuda->release(&work, &held[0]);
    ck_assert_uint_eq(emu.work(0).frees, before.frees);
    expect_distances(&rows);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, NULL);
    counts_begin(
        "GPU_MEMORY",
        "How often the host waits for a device in a call that needs much memory, and blocks "
        "of memory that are made and freed, by the emulation.\nMade by "
        "GPU_MEMORY_OUT=FILE test_cuda_memory; no GPU is needed.\n\nColumns: waits of the "
        "host; blocks made; blocks freed; of the waits, those for all that the device has "
        "to do.\n\n");
    tcase_add_test(tests, blocks_of_a_pool);
    tcase_add_test(tests, a_pool_that_shrinks);
    tcase_add_test(tests, rows_that_stay_come_first);
    tcase_add_test(tests, queued_calls);
    tcase_add_test(tests, a_long_upload);
    tcase_add_test(tests, a_device_that_is_reset);
    return check_suite_run("cuda-memory", tests);
}
