/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUDA engine asks of a device, by the counters of the emulation (emu_control.h): kernels,
 * waits and copies of a call. A device spends microseconds on a launch and tens on a wait, so these
 * numbers are what small calls cost there. */
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "emulated_module.h"

enum { ROWS = 700, DIMS = 33, DOTS_BLOCKS = (ROWS + 7) / 8 /* a warp a row, 8 warps a block */ };

static emulated_module emu;
static float numbers[ROWS * DIMS];
static double vector[DIMS], results[ROWS];
static alcore_sys_rows rows;
static alcore_sys_work work;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    rows = (alcore_sys_rows){
        .data = numbers, .count = ROWS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT32};
    for (int i = 0; i < ROWS * DIMS; i++) numbers[i] = (float)(i % 17);
    for (int j = 0; j < DIMS; j++) vector[j] = j;
    /* The first call makes streams and memory, which later ones find. */
    ck_assert_int_eq(emu.kernels->dots(&work, &rows, NULL, vector, results), ALCORE_OK);
}

/* What was counted of a device since `before`. */
static emu_work since(emu_work before, int device) {
    emu_work now = emu.work(device);
    uint64_t *counts = (uint64_t *)&now;
    for (size_t i = 0; i < sizeof now / sizeof *counts; i++)
        counts[i] -= ((const uint64_t *)&before)[i];
    return now;
}

START_TEST(arrays_of_the_host) {
    emu_work before = emu.work(0);
    emu_kernel_work kernel_before = emu.kernel("each_row<dots_body>");
    ck_assert_int_eq(emu.kernels->dots(&work, &rows, NULL, vector, results), ALCORE_OK);
    emu_work counted = since(before, 0);
    ck_assert_uint_eq(counted.launches, 1);
    ck_assert_uint_eq(counted.copies_in, 2);
    ck_assert_uint_eq(counted.bytes_in, sizeof numbers + sizeof vector);
    ck_assert_uint_eq(counted.copies_out, 1);
    ck_assert_uint_eq(counted.bytes_out, sizeof results);
    ck_assert_uint_eq(counted.bytes_within, 0);
    ck_assert_uint_eq(counted.bytes_cleared, 0);
    /* The results are waited for, once. */
    ck_assert_uint_eq(counted.stream_waits + counted.event_waits, 1);
    ck_assert_uint_eq(counted.device_waits, 0);
    emu_kernel_work kernel = emu.kernel("each_row<dots_body>");
    ck_assert_uint_eq(kernel.launches - kernel_before.launches, 1);
    ck_assert_uint_eq(kernel.blocks - kernel_before.blocks, DOTS_BLOCKS);
    ck_assert_uint_eq(kernel.threads - kernel_before.threads, 256 * DOTS_BLOCKS);
    ck_assert_uint_eq(emu.kernel("a kernel that there is not").launches, 0);
}
END_TEST

/* A call in the host's stream whose arrays are all on the device queues a kernel and returns. The
 * host waits for it later; waiting for what is done already is not counted. */
START_TEST(arrays_of_the_device) {
    alcore_sys_rows placed = rows;
    placed.data = emulated_array(&emu, numbers, sizeof numbers);
    double *there = emulated_array(&emu, vector, sizeof vector);
    double *out = emulated_array(&emu, results, sizeof results);
    work.stream = emu.stream_new();
    emu_work before = emu.work(0), other = emu.work(1);
    ck_assert_int_eq(emu.kernels->dots(&work, &placed, NULL, there, out), ALCORE_OK);
    emu_work counted = since(before, 0), expected = {.launches = 1};
    ck_assert_int_eq(memcmp(&counted, &expected, sizeof counted), 0);
    ck_assert_int_eq(emu.stream_wait(work.stream), 0);
    counted = since(before, 0);
    ck_assert_int_eq(memcmp(&counted, &expected, sizeof counted), 0);
    ck_assert_uint_eq(since(other, 1).launches, 0);
    ck_assert_uint_eq(emu.work(EMU_ALL).launches, emu.work(0).launches + emu.work(1).launches);
    emu.stream_free(work.stream);
    void *all[] = {(void *)placed.data, there, out};
    for (int i = 0; i < 3; i++) emu.memory_free(all[i]);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("counts");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, arrays_of_the_host);
    tcase_add_test(tests, arrays_of_the_device);
    return check_suite_run("cuda-counts", tests);
}
