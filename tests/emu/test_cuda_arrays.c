/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA engine's dealings with memory, on the emulated device: arrays on the device, a caller's
 * stream and workspace, chunks, several calls at once, no memory, cancellation. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "check_suite.h"
#include "emulated_module.h"
#include "kernel/kernels.h"

enum { ROWS = 700, DIMS = 33, THREADS = 6 };

static emulated_module emu;
static const alcore_sys_kernels *cuda, *cpu;

static float numbers[ROWS * DIMS];
static double vector[DIMS], expected[ROWS];
static uint8_t row_mask[ROWS];
static alcore_sys_rows rows;
static alcore_sys_work work;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    cuda = emu.kernels;
    cpu = alcore__kernels_cpu();
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    rows = (alcore_sys_rows){
        .data = numbers, .count = ROWS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT32};
    for (int i = 0; i < ROWS * DIMS; i++) numbers[i] = (float)((i * 7919 % 1000) - 500) / 300.0f;
    for (int j = 0; j < DIMS; j++) vector[j] = sin(j + 1.0);
    for (int i = 0; i < ROWS; i++) {
        row_mask[i] = i % 5 != 3;
        expected[i] = -7.0;
    }
    ck_assert_int_eq(cpu->sq_dists(&work, &rows, row_mask, vector, expected), ALCORE_OK);
}

static void expect_sq_dists(const double *got) {
    ck_assert_int_eq(memcmp(got, expected, sizeof expected), 0);
}

/* Entries that no call writes, those of masked rows, must keep what was there before. */
static void fill(double *got) {
    for (int i = 0; i < ROWS; i++) got[i] = -7.0;
}

/* All arrays of a call on the device, which uses them in place. */
typedef struct device_arrays {
    alcore_sys_rows rows;
    uint8_t *mask;
    double *vector, *out;
} device_arrays;

static device_arrays place_arrays(void) {
    double before[ROWS];
    fill(before);
    device_arrays placed = {.rows = rows,
                            .mask = emulated_array(&emu, row_mask, sizeof row_mask),
                            .vector = emulated_array(&emu, vector, sizeof vector),
                            .out = emulated_array(&emu, before, sizeof before)};
    placed.rows.data = emulated_array(&emu, numbers, sizeof numbers);
    return placed;
}

static alcore_status measure(const device_arrays *placed) {
    return cuda->sq_dists(&work, &placed->rows, placed->mask, placed->vector, placed->out);
}

static void expect_out(const device_arrays *placed) {
    double got[ROWS];
    emu.copy(got, placed->out, sizeof got);
    expect_sq_dists(got);
}

static void free_arrays(const device_arrays *placed) {
    emu.memory_free((void *)(uintptr_t)placed->rows.data);
    emu.memory_free(placed->mask);
    emu.memory_free(placed->vector);
    emu.memory_free(placed->out);
}

START_TEST(arrays_on_the_device) {
    double got[ROWS];
    const device_arrays placed = place_arrays();
    ck_assert_int_eq(measure(&placed), ALCORE_OK);
    expect_out(&placed);
    /* Each array on its own: rows there, the rest here; and the other way round. */
    fill(got);
    ck_assert_int_eq(cuda->sq_dists(&work, &placed.rows, row_mask, vector, got), ALCORE_OK);
    expect_sq_dists(got);
    fill(got);
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, placed.mask, placed.vector, got), ALCORE_OK);
    expect_sq_dists(got);
    /* Rows that no device could read where they are. */
    char *odd = emu.memory_new(sizeof numbers + 1);
    emu.copy(odd + 1, numbers, sizeof numbers);
    alcore_sys_rows unaligned = rows;
    unaligned.data = odd + 1;
    fill(got);
    ck_assert_int_eq(cuda->sq_dists(&work, &unaligned, row_mask, vector, got), ALCORE_OK);
    expect_sq_dists(got);
    free_arrays(&placed);
    emu.memory_free(odd);
}
END_TEST

static int64_t lent;
static void *lend(void *user, size_t bytes) {
    (void)user;
    lent++;
    return emu.memory_new(bytes);
}
static void take_back(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    lent--;
    emu.stream_wait(work.stream); /* a workspace of the stream's order would need no wait */
    emu.memory_free(memory);
}

START_TEST(stream_of_the_caller) {
    double got[ROWS];
    const device_arrays placed = place_arrays();
    work.stream = emu.stream_new();
    ck_assert_int_eq(measure(&placed), ALCORE_OK);
    ck_assert_int_eq(emu.stream_wait(work.stream), 0);
    expect_out(&placed);
    /* With the caller's memory, and what is on the host. */
    work.workspace = lend;
    work.workspace_release = take_back;
    fill(got);
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, row_mask, vector, got), ALCORE_OK);
    expect_sq_dists(got);
    ck_assert_int_eq(lent, 0);
    emu.stream_free(work.stream);
    free_arrays(&placed);
}
END_TEST

/* Copying the mask fails, as the lender's memory for it is of another device, while the copy of the
 * rows before it is still queued: their block comes back when that is done. */
static int64_t arrived; /* blocks of the rows that came back with all of them */
static void *lend_with_a_wrong_mask(void *user, size_t bytes) {
    emu.device(bytes == sizeof row_mask);
    void *memory = lend(user, bytes);
    emu.device(0);
    return memory;
}
static void take_back_rows(void *user, void *memory, size_t bytes) {
    static float got[ROWS * DIMS];
    if (bytes == sizeof numbers) {
        emu.copy(got, memory, bytes);
        arrived += memcmp(got, numbers, bytes) == 0;
    }
    take_back(user, memory, bytes);
}
START_TEST(workspace_of_a_copy_that_fails) {
    double got[ROWS];
    work.stream = emu.stream_new();
    work.workspace = lend_with_a_wrong_mask;
    work.workspace_release = take_back_rows;
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, row_mask, vector, got), ALCORE_E_INTERNAL);
    ck_assert_msg(strstr(emulated_error, "CUDA failed while copying to the device"), "%s",
                  emulated_error);
    ck_assert_int_eq(arrived, 1);
    ck_assert_int_eq(lent, 0);
    emu.stream_free(work.stream);
}
END_TEST

/* A call that begins while the kernels of the call before it are still queued in the caller's
 * stream succeeds: that these are not done yet is no error. */
START_TEST(calls_behind_one_another) {
    const device_arrays placed = place_arrays();
    work.stream = emu.stream_new();
    for (int i = 0; i < 3; i++) ck_assert_msg(measure(&placed) == ALCORE_OK, "%s", emulated_error);
    ck_assert_int_eq(emu.stream_wait(work.stream), 0);
    expect_out(&placed);
    emu.stream_free(work.stream);
    free_arrays(&placed);
}
END_TEST

/* Blocks that a call gives back may still be read by kernels in the engine's own stream. */
START_TEST(workspace_without_a_stream) {
    double got[ROWS];
    work.workspace = lend;
    work.workspace_release = take_back;
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, row_mask, vector, got), ALCORE_E_INVALID);
    ck_assert_msg(strstr(emulated_error, "a workspace comes with the stream"), "%s",
                  emulated_error);
    ck_assert_int_eq(lent, 0);
}
END_TEST

enum { CLASSES = 2000, STATES = 70, DEPTH = 40 };

/* What takes long is many launches with a look at the host's wish between them, and the bytes do
 * not depend on where they end. */
START_TEST(long_launches) {
    static float hidden[STATES * DEPTH], output[CLASSES * DEPTH];
    static double top1[STATES], few[STATES];
    for (int i = 0; i < STATES * DEPTH; i++) hidden[i] = (float)(i * 37 % 101 - 50) / 70.0f;
    for (int i = 0; i < CLASSES * DEPTH; i++) output[i] = (float)(i * 53 % 97 - 48) / 60.0f;
    alcore_sys_rows states = {.data = hidden,
                              .count = STATES,
                              .dims = DEPTH,
                              .stride = DEPTH,
                              .dtype = ALCORE_FLOAT32},
                    classes = states;
    classes.data = emulated_array(&emu, output, sizeof output);
    classes.count = CLASSES;
    int64_t bad;
    uint64_t before = emu.work(0).launches;
    ck_assert_int_eq(cuda->hidden_stats(&work, &states, &classes, NULL, NULL, 0,
                                        &(alcore_sys_token_stats){.top1 = top1}, &bad),
                     ALCORE_OK);
    uint64_t launches = emu.work(0).launches - before;
    /* STATES x CLASSES x DEPTH products, 2^20 of them a launch; another one joins each. */
    ck_assert_uint_ge(launches, 2 * 6);
    alcore_sys_rows here = classes;
    here.data = output;
    ck_assert_int_eq(cpu->hidden_stats(&work, &states, &here, NULL, NULL, 0,
                                       &(alcore_sys_token_stats){.top1 = few}, &bad),
                     ALCORE_OK);
    for (int i = 0; i < STATES; i++)
        ck_assert(fabs(top1[i] - few[i]) <= 1e-6 + 1e-5 * fabs(few[i]));
    before = emu.work(0).launches;
    emulated_cancel = 3;
    ck_assert_int_eq(cuda->hidden_stats(&work, &states, &classes, NULL, NULL, 0,
                                        &(alcore_sys_token_stats){.top1 = top1}, &bad),
                     ALCORE_E_CANCELLED);
    ck_assert_uint_lt(emu.work(0).launches - before, launches / 2);
    emu.memory_free((void *)(uintptr_t)classes.data);
}
END_TEST

START_TEST(little_memory) {
    double got[ROWS];
    fill(got);
    /* Less than the rows row_mask: smaller chunks. */
    emu.memory(20000);
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, row_mask, vector, got), ALCORE_OK);
    expect_sq_dists(got);
    /* Whole operands do not get smaller. */
    static double centroids[5000 * DIMS];
    int32_t nearest[3];
    double distance[3], wide[DIMS * 3];
    alcore_sys_rows few = rows;
    few.count = 3;
    ck_assert_int_eq(cuda->nearest_centroid(&work, &few, (const int32_t[]){0, 0, 0}, 1,
                                            (const int64_t[]){0, 5000}, centroids, nearest,
                                            distance, NULL, NULL),
                     ALCORE_E_NOMEM);
    ck_assert_msg(strstr(emulated_error, "out of memory on the device"), "%s", emulated_error);
    emu.memory((size_t)-1);
    ck_assert_int_eq(cuda->widen(&work, &few, NULL, wide), ALCORE_OK);
}
END_TEST

/* A call on a device that no other test uses makes a stream slot: two streams, eight events and the
 * pinned ring. Whichever of the eleven fails, the others are destroyed, and later calls are well.
 * */
START_TEST(slot_that_cannot_be_made) {
    enum { SLOT_OBJECTS = 11 };
    double got[ROWS];
    fill(got);
    work.device = 1;
    int64_t before = emu.objects();
    for (int number = 1; number <= SLOT_OBJECTS; number++) {
        emu.fail_object(number);
        ck_assert_int_eq(cuda->sq_dists(&work, &rows, row_mask, vector, got), ALCORE_E_NOMEM);
        ck_assert_msg(strstr(emulated_error, "out of memory on the device"), "%s", emulated_error);
        ck_assert_int_eq(emu.objects(), before);
    }
    emu.fail_object(0);
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, row_mask, vector, got), ALCORE_OK);
    ck_assert_int_ge(emu.objects(), before + SLOT_OBJECTS);
    expect_sq_dists(got);
}
END_TEST

START_TEST(rows_that_stay) {
    double got[ROWS], packed[ROWS];
    alcore_sys_held held;
    int64_t taken = 0;
    ck_assert_int_eq(cuda->upload(&work, &rows, row_mask, &held), ALCORE_OK);
    ck_assert_ptr_nonnull(held.memory);
    for (int i = 0; i < ROWS; i++) {
        if (row_mask[i]) packed[taken++] = expected[i];
    }
    ck_assert(held.rows.count == taken && held.rows.stride == DIMS &&
              held.rows.dtype == ALCORE_FLOAT32);
    ck_assert_int_eq(cuda->sq_dists(&work, &held.rows, NULL, vector, got), ALCORE_OK);
    ck_assert_int_eq(memcmp(got, packed, (size_t)taken * sizeof *got), 0);
    /* They are there: no second copy is made. */
    alcore_sys_held again;
    ck_assert_int_eq(cuda->upload(&work, &held.rows, NULL, &again), ALCORE_OK);
    ck_assert_ptr_null(again.memory);
    cuda->release(&work, &held);
    cuda->release(&work, &again);
    /* In the caller's memory. */
    work.workspace = lend;
    work.workspace_release = take_back;
    work.stream = emu.stream_new();
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held), ALCORE_OK);
    ck_assert(held.memory && lent == 1);
    cuda->release(&work, &held);
    ck_assert_int_eq(lent, 0);
    emu.stream_free(work.stream);
    work.stream = NULL;
    work.workspace = NULL;
    /* A host that was built before work.device existed uses device 0, whatever follows its struct,
     * and gets the memory back: else the device would be full after some 150 times. */
    alcore_sys_work older = work;
    older.size = offsetof(alcore_sys_work, device);
    older.device = 99;
    emu.memory(200 * sizeof numbers);
    for (int i = 0; i < 300; i++) {
        ck_assert_int_eq(cuda->upload(&older, &rows, NULL, &held), ALCORE_OK);
        ck_assert_msg(held.memory, "no memory the %d-th time", i);
        cuda->release(&older, &held);
    }
    /* A quarter of the device stays free: then nothing is held, and that is no error. */
    emu.memory(sizeof numbers * 5 / 4);
    ck_assert_int_eq(cuda->upload(&work, &rows, NULL, &held), ALCORE_OK);
    ck_assert_ptr_null(held.memory);
    emu.memory((size_t)-1);
}
END_TEST

/* hold() that fails after it has got its memory keeps none, neither of the device (0) nor of the
 * caller's workspace (1): the error of a kernel, which another call has queued, is found by the
 * first that waits. */
static void *lend_after_a_failure(void *user, size_t bytes) {
    void *stream = emu.stream_new();
    emu.queue_failure(stream);
    ck_assert_int_ne(emu.stream_wait(stream), 0);
    emu.stream_free(stream);
    return lend(user, bytes);
}
START_TEST(memory_of_a_call_that_fails) {
    alcore_sys_held held;
    if (_i == 1) {
        work.workspace = lend_after_a_failure;
        work.workspace_release = take_back;
        work.stream = emu.stream_new();
    }
    ck_assert_int_eq(cuda->sq_dists(&(alcore_sys_work){.size = sizeof work, .host = emu.host},
                                    &rows, NULL, vector, expected),
                     ALCORE_OK); /* so that the engine has what it keeps between calls */
    emu.memory(200 * sizeof numbers);
    for (int i = 0; i < 300; i++) {
        if (_i == 0) emu.queue_failure(NULL);
        memset(&held, 0x5a, sizeof held);
        ck_assert_int_eq(cuda->hold(&work, &rows, &held), ALCORE_E_INTERNAL);
        ck_assert_str_eq(emulated_error,
                         "CUDA failed while running kernels: unspecified launch failure; the "
                         "device does nothing more for this process: restart it");
        ck_assert_ptr_null(held.memory);
        ck_assert_int_eq(lent, 0);
    }
    /* So the device still has memory for the next call. */
    work.workspace = NULL;
    ck_assert_int_eq(cuda->hold(&work, &rows, &held), ALCORE_OK);
    ck_assert_ptr_nonnull(held.memory);
    cuda->release(&work, &held);
    if (_i == 1) emu.stream_free(work.stream);
    emu.memory((size_t)-1);
}
END_TEST

/* What a copy within the device asks for. */
static emu_work stored_within(const alcore_sys_rows *from, void *memory) {
    const emu_work before = emu.work(0);
    ck_assert_int_eq(cuda->store(&work, from, memory), ALCORE_OK);
    emu_work after = emu.work(0);
    after.launches -= before.launches;
    after.copies_within -= before.copies_within;
    after.bytes_within -= before.bytes_within;
    after.copies_by_row -= before.copies_by_row;
    after.bytes_in -= before.bytes_in;
    after.bytes_out -= before.bytes_out;
    return after;
}

/* store() from the device to the device is one copy, and one of adjacent bytes unless there are
 * gaps between several rows: a device copies row by row where it is told a distance, many times
 * slower for rows of a few bytes. Of one row the distance to the next means nothing. */
START_TEST(a_copy_on_the_device) {
    static const struct {
        int64_t count, dims, stride;
        uint64_t by_row;
    } shapes[] = {{ROWS, DIMS, DIMS, 0}, {ROWS * DIMS, 1, 1, 0}, {ROWS, DIMS - 1, DIMS, 1},
                  {1, DIMS, 0, 0},       {1, DIMS, 2 * DIMS, 0}, {2, DIMS, 2 * DIMS, 1}};
    static float copied[ROWS * DIMS];
    char *source = emulated_array(&emu, numbers, sizeof numbers),
         *memory = emulated_array(&emu, numbers, sizeof numbers);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        alcore_sys_rows from = rows;
        const int64_t width = shapes[k].dims;
        from.data = source;
        from.count = shapes[k].count;
        from.dims = width;
        from.stride = shapes[k].stride;
        memset(copied, 0x5a, sizeof copied);
        emu.copy(memory, copied, sizeof copied);
        const emu_work asked = stored_within(&from, memory);
        ck_assert_uint_eq(asked.launches + asked.bytes_in + asked.bytes_out, 0);
        ck_assert_uint_eq(asked.copies_within, 1);
        ck_assert_uint_eq(asked.bytes_within, (size_t)(from.count * width) * sizeof *numbers);
        ck_assert_uint_eq(asked.copies_by_row, shapes[k].by_row);
        emu.copy(copied, memory, sizeof copied);
        for (int64_t i = 0; i < from.count; i++)
            ck_assert_mem_eq(copied + i * width, numbers + i * from.stride,
                             (size_t)width * sizeof *numbers);
    }
    emu.memory_free(source);
    emu.memory_free(memory);
}
END_TEST

/* Rows by number, where a number says that there is no row: gather() writes ones for it and
 * best_row() zeros; here no row has either. The bits of _i: rows on the device; numbers on the
 * device; then the type. A kernel copies rows of 5, 10, 20 and 48 bytes in units of 1, 2, 4 and 16.
 */
START_TEST(numbers_that_are_no_row) {
    enum { ITEMS = 9, MOST = 8 };
    static const int64_t items[ITEMS] = {-1, 6, -1, 0, INT64_MIN, 6, 2, -2, -1};
    static const int32_t types[] = {ALCORE_UINT8, ALCORE_FLOAT16, ALCORE_FLOAT32, ALCORE_FLOAT64};
    static const int64_t widths[] = {5, 5, 5, 6};
    static uint8_t bytes[7 * 6 * MOST], got[ITEMS * 6 * MOST];
    const int64_t dims = widths[_i >> 2];
    const size_t component = (size_t)1 << (_i >> 2), width = (size_t)dims * component;
    ck_assert_uint_eq(alcore_sys_dtype_bytes(types[_i >> 2]), component);
    for (size_t b = 0; b < sizeof bytes; b++) bytes[b] = (uint8_t)(b % 251 + 1); /* never 0xff */
    const void *const source = _i & 1 ? emulated_array(&emu, bytes, sizeof bytes) : bytes;
    const int64_t *const numbers_at = _i & 2 ? emulated_array(&emu, items, sizeof items) : items;
    char *const memory = emulated_array(&emu, got, sizeof got);
    const alcore_sys_rows from = {
        .data = source, .count = 7, .dims = dims, .stride = dims, .dtype = types[_i >> 2]};
    ck_assert_int_eq(cuda->gather(&work, &from, ITEMS, numbers_at, memory), ALCORE_OK);
    emu.copy(got, memory, sizeof got);
    for (int i = 0; i < ITEMS; i++) {
        for (size_t b = 0; b < width; b++)
            ck_assert_uint_eq(got[(size_t)i * width + b],
                              items[i] < 0 ? 0xff : bytes[(size_t)items[i] * width + b]);
    }
    /* Of no rows at all every number is none. */
    const alcore_sys_rows none = {
        .data = NULL, .dims = dims, .stride = dims, .dtype = types[_i >> 2]};
    static const int64_t absent[2] = {-1, -1};
    ck_assert_int_eq(cuda->gather(&work, &none, 2, absent, memory), ALCORE_OK);
    emu.copy(got, memory, sizeof got);
    for (size_t b = 0; b < 2 * width; b++) ck_assert_uint_eq(got[b], 0xff);
    emu.memory_free(memory);
    if (_i & 1) emu.memory_free((void *)(uintptr_t)source);
    if (_i & 2) emu.memory_free((void *)(uintptr_t)numbers_at);
}
END_TEST

/* The row of the largest value where no row has one: none is wanted (0), none has a number (1), or
 * there is none (2). On the device, the vector is there too. */
START_TEST(a_best_row_that_is_none) {
    static const uint8_t unwanted[ROWS];
    static double values[ROWS], before[DIMS];
    const device_arrays placed = place_arrays();
    for (int i = 0; i < ROWS; i++) values[i] = _i == 1 ? (double)NAN : 1.0;
    for (int on_device = 0; on_device < 2; on_device++) {
        alcore_sys_rows from = on_device ? placed.rows : rows;
        int64_t item = 5;
        double value = 5.0, got[DIMS];
        if (_i == 2) from.count = 0;
        for (int j = 0; j < DIMS; j++) got[j] = before[j] = 5.0;
        double *vector_at = on_device ? emulated_array(&emu, before, sizeof before) : got;
        ck_assert_int_eq(cuda->best_row(&work, &from, _i == 0 ? unwanted : NULL, values, &item,
                                        &value, vector_at),
                         ALCORE_OK);
        if (on_device) {
            emu.copy(got, vector_at, sizeof got);
            emu.memory_free(vector_at);
        }
        ck_assert_int_eq(item, -1);
        ck_assert(value == -HUGE_VAL);
        for (int j = 0; j < DIMS; j++) ck_assert(got[j] == 0.0);
    }
    free_arrays(&placed);
}
END_TEST

START_TEST(cancelled) {
    double got[ROWS];
    emulated_cancel = 1;
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_E_CANCELLED);
    emulated_cancel = 0;
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_OK);
}
END_TEST

START_TEST(wrong_calls) {
    double got[ROWS];
    alcore_sys_rows bad = rows;
    bad.count = -1;
    ck_assert_int_eq(cuda->sq_dists(&work, &bad, NULL, vector, got), ALCORE_E_INVALID);
    bad = rows;
    bad.dtype = ALCORE_INT64;
    ck_assert_int_eq(cuda->sq_dists(&work, &bad, NULL, vector, got), ALCORE_E_SHAPE);
    bad = rows;
    bad.data = NULL;
    ck_assert_int_eq(cuda->sq_dists(&work, &bad, NULL, vector, got), ALCORE_E_INVALID);
    alcore_sys_token_stats stats = {.logprob = got};
    int64_t first_bad;
    ck_assert_int_eq(cuda->logit_stats(&work, &rows, NULL, -1, &stats, &first_bad),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(cuda->hidden_stats(&work, &rows, &rows, NULL, NULL, -1, &stats, &first_bad),
                     ALCORE_E_INVALID);
    bad = rows;
    bad.count = 1;
    bad.dims = bad.stride = INT64_C(1) << 31;
    stats.logprob = NULL;
    ck_assert_int_eq(cuda->logit_stats(&work, &bad, NULL, -1, &stats, &first_bad), ALCORE_E_SHAPE);
    work.device = 3;
    ck_assert_int_eq(cuda->sq_dists(&work, &rows, NULL, vector, got), ALCORE_E_UNSUPPORTED);
    ck_assert_str_eq(emulated_error, "no device cuda:3: there are 2");
    const alcore_sys_kernels *out = cuda;
    ck_assert_int_eq(emu.entry(ALCORE_SYS_ABI + 1, emu.host, &out), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_null(out);
}
END_TEST

static void *one_thread(void *data) {
    int number = *(int *)data;
    alcore_sys_work own = work;
    own.workspace_bytes = 2000 + 3000 * number;
    for (int round = 0; round < 4; round++) {
        double got[ROWS];
        fill(got);
        if (cuda->sq_dists(&own, &rows, row_mask, vector, got) ||
            memcmp(got, expected, sizeof got) != 0)
            return data;
    }
    return NULL;
}

/* Sums of groups are the same bytes as the CPU's whether rows on the device are whole units of 16
 * bytes or begin anywhere, and nothing between them is read as a component: NaN is there. */
START_TEST(sums_of_any_layout) {
    enum { COUNT = 90, GROUPS = 5, MOST_DIMS = 520, MOST_STRIDE = 528 };
    static const int32_t dtypes[] = {ALCORE_FLOAT16, ALCORE_BFLOAT16, ALCORE_FLOAT32,
                                     ALCORE_FLOAT64};
    static const struct {
        int dims, stride, offset; /* in components */
    } layouts[] = {{16, 16, 0},   {12, 16, 0},   {16, 20, 0},   {13, 16, 0},  {16, 24, 1},
                   {256, 256, 0}, {264, 264, 0}, {520, 528, 8}, {520, 528, 3}};
    const size_t bytes = alcore_sys_dtype_bytes(dtypes[_i]), words = bytes / 2;
    static uint16_t memory[(COUNT + 1) * MOST_STRIDE * 4];
    static double sums[2][GROUPS * MOST_DIMS];
    int64_t counts[2][GROUPS];
    int32_t group[COUNT];
    for (int i = 0; i < COUNT; i++) group[i] = i * 7 % (GROUPS + 1) - 1; /* some have none */
    int32_t *groups_there = emulated_array(&emu, group, sizeof group);
    for (size_t n = 0; n < sizeof layouts / sizeof layouts[0]; n++) {
        uint32_t state = 1;
        memset(memory, 0xff, sizeof memory);
        size_t first = (size_t)layouts[n].offset * words,
               stride = (size_t)layouts[n].stride * words;
        for (size_t i = 0; i < COUNT; i++)
            for (size_t w = 0; w < (size_t)layouts[n].dims * words; w++) {
                state = state * 1664525u + 1013904223u;
                uint16_t bits = (uint16_t)(state >> 16); /* of a finite number of every type */
                memory[first + i * stride + w] = w % words + 1 == words ? bits & 0xbbff : bits;
            }
        void *there = emulated_array(&emu, memory, sizeof memory);
        for (int unit = 0; unit < 2; unit++) {
            alcore_sys_rows some = {.data = memory + first,
                                    .count = COUNT,
                                    .dims = layouts[n].dims,
                                    .stride = layouts[n].stride,
                                    .dtype = dtypes[_i],
                                    .unit = unit};
            ck_assert_int_eq(cpu->group_sums(&work, &some, group, GROUPS, sums[0], counts[0]),
                             ALCORE_OK);
            some.data = (uint16_t *)there + first;
            for (int device = 0; device < 2; device++) { /* the groups on the host, and there */
                const int32_t *groups = device ? groups_there : group;
                ck_assert_msg(cuda->group_sums(&work, &some, groups, GROUPS, sums[1], counts[1]) ==
                                  ALCORE_OK,
                              "%s", emulated_error);
                ck_assert_int_eq(memcmp(counts[0], counts[1], sizeof counts[0]), 0);
                for (int k = 0; k < GROUPS * layouts[n].dims; k++)
                    ck_assert_msg(memcmp(&sums[0][k], &sums[1][k], sizeof sums[0][k]) == 0,
                                  "layout %d, unit %d, device %d, sum %d: %a, not %a", (int)n, unit,
                                  device, k, sums[1][k], sums[0][k]);
                /* The last group is above those that the call has then. */
                ck_assert_int_eq(
                    cuda->group_sums(&work, &some, groups, GROUPS - 1, sums[1], counts[1]),
                    ALCORE_E_INVALID);
                ck_assert_ptr_nonnull(strstr(emulated_error, "not below the number of groups"));
            }
        }
        emu.memory_free(there);
    }
    emu.memory_free(groups_there);
}
END_TEST

/* More calls at once than the engine has streams for. */
START_TEST(calls_at_once) {
    pthread_t threads[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, one_thread, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("arrays");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, arrays_on_the_device);
    tcase_add_test(tests, stream_of_the_caller);
    tcase_add_test(tests, workspace_of_a_copy_that_fails);
    tcase_add_test(tests, calls_behind_one_another);
    tcase_add_test(tests, workspace_without_a_stream);
    tcase_add_test(tests, long_launches);
    tcase_add_test(tests, little_memory);
    tcase_add_test(tests, slot_that_cannot_be_made);
    tcase_add_test(tests, rows_that_stay);
    tcase_add_loop_test(tests, memory_of_a_call_that_fails, 0, 2);
    tcase_add_test(tests, a_copy_on_the_device);
    tcase_add_loop_test(tests, numbers_that_are_no_row, 0, 16);
    tcase_add_loop_test(tests, a_best_row_that_is_none, 0, 3);
    tcase_add_test(tests, cancelled);
    tcase_add_test(tests, wrong_calls);
    tcase_add_loop_test(tests, sums_of_any_layout, 0, 4);
    tcase_add_test(tests, calls_at_once);
    return check_suite_run("cuda-arrays", tests);
}
