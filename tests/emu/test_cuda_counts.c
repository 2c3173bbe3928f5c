/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUDA engine asks of a device, by the counters of the emulation (emu_control.h): kernels,
 * waits and copies of a call. A device spends microseconds on a launch and tens on a wait, so these
 * numbers are what small calls cost there. docs/results/gpu-counts.txt keeps them, none may grow;
 * GPU_COUNTS_OUT=FILE test_cuda_counts writes the file anew, where a change is meant. */
#include <inttypes.h>
#include <stdio.h>
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

/* Without workspace_bytes, copies of host arrays and their results take at most a sixteenth of the
 * device's free memory, and 1 MiB where that is more: so many rows are a chunk, two of which are on
 * the device, and a chunk is a launch. A named limit is taken whatever memory there is. */
START_TEST(a_sixteenth_of_free_memory) {
    enum { WIDE = 1024, MANY = 2800, MIB = 1 << 20 };
    static const struct {
        size_t memory, named, staged;
    } limits[] = {{64 * MIB, 0, 4 * MIB},
                  {128 * MIB, 0, 8 * MIB},
                  {4 * MIB, 0, MIB},
                  {64 * MIB, 2 * MIB, 2 * MIB}};
    float *matrix = calloc((size_t)MANY * WIDE, sizeof *matrix);
    double *squares = calloc(MANY, sizeof *squares);
    ck_assert(matrix && squares);
    for (int i = 0; i < MANY; i++) matrix[i * WIDE] = (float)(i % 100);
    const alcore_sys_rows wide = {
        .data = matrix, .count = MANY, .dims = WIDE, .stride = WIDE, .dtype = ALCORE_FLOAT32};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        size_t chunk = limits[k].staged / 2 / (WIDE * sizeof *matrix + sizeof *squares);
        uint64_t before = emu.kernel("each_row<self_dots_body>").launches;
        emu.memory(limits[k].memory);
        work.workspace_bytes = (int64_t)limits[k].named;
        ck_assert_int_eq(emu.kernels->self_dots(&work, &wide, NULL, squares), ALCORE_OK);
        emu.memory((size_t)-1);
        ck_assert_uint_eq(emu.kernel("each_row<self_dots_body>").launches - before,
                          (MANY + chunk - 1) / chunk);
        for (int i = 0; i < MANY; i++)
            ck_assert_double_eq(squares[i], (double)(i % 100) * (double)(i % 100));
    }
    free(matrix);
    free(squares);
}
END_TEST

/* Arrays of a call: on the host, and copies of them on the device. */
static struct arrays {
    const alcore_sys_rows *rows;
    double *vector, *centroids, *out;
    int32_t *group;
    int64_t *labels, *offsets, *bad;
    int64_t *starts, *counts; /* of the centroids of a group, one each; of its rows */
    int32_t *nearest;
    int64_t *found; /* by row */
    double *halves; /* by row: half the mean cosine to neighbors; of the centroids the first ones */
} host, device;
enum { GROUPS = 5, ITEMS = 70, HIDDEN_DIMS = 64, CLASSES = 96 };

static alcore_status call_widen(const struct arrays *a) {
    return emu.kernels->widen(&work, a->rows, NULL, a->out);
}
static alcore_status call_dots(const struct arrays *a) {
    return emu.kernels->dots(&work, a->rows, NULL, a->vector, a->out);
}
static alcore_status call_self_dots(const struct arrays *a) {
    return emu.kernels->self_dots(&work, a->rows, NULL, a->out);
}
static alcore_status call_sq_dists(const struct arrays *a) {
    return emu.kernels->sq_dists(&work, a->rows, NULL, a->vector, a->out);
}
static alcore_status call_group_cosine(const struct arrays *a) {
    return emu.kernels->group_cosine(&work, a->rows, a->group, GROUPS, a->centroids, a->out);
}
static alcore_status call_group_sums(const struct arrays *a) {
    return emu.kernels->group_sums(&work, a->rows, a->group, GROUPS, a->out, a->counts);
}
static alcore_status call_nearest_centroid(const struct arrays *a) {
    return emu.kernels->nearest_centroid(&work, a->rows, a->group, GROUPS, a->starts, a->centroids,
                                         a->nearest, a->out, NULL, NULL);
}
/* The nearest of the centroids as queries of each row. */
static alcore_status call_knn(const struct arrays *a) {
    const alcore_sys_rows queries = {.data = a->centroids,
                                     .count = GROUPS,
                                     .dims = DIMS,
                                     .stride = DIMS,
                                     .dtype = ALCORE_FLOAT64};
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const alcore_sys_best best = {.k = 1, .row = a->found, .value = a->out};
    return emu.kernels->knn(&work, a->rows, NULL, &queries, NULL, &search, NULL, &best);
}
static alcore_status call_distance_bounds(const struct arrays *a) {
    const alcore_sys_rows targets = {.data = a->centroids,
                                     .count = GROUPS,
                                     .dims = DIMS,
                                     .stride = DIMS,
                                     .dtype = ALCORE_FLOAT64};
    return emu.kernels->distance_bounds(&work, a->rows, NULL, &targets, NULL, 1, a->out,
                                        a->out + ROWS);
}
/* The centroids as the others. */
static alcore_status call_margin_ratios(const struct arrays *a) {
    const alcore_sys_rows others = {.data = a->centroids,
                                    .count = GROUPS,
                                    .dims = DIMS,
                                    .stride = DIMS,
                                    .dtype = ALCORE_FLOAT64};
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_COSINE};
    return emu.kernels->margin_ratios(&work, a->rows, NULL, &others, NULL, &search, a->halves,
                                      a->halves, a->out, a->found);
}
/* The bytes of the rows as hidden states in bfloat16, the first of them as classes too. */
static alcore_status hidden_stats(const struct arrays *a, int with_blas) {
    const alcore_sys_rows tokens = {.data = a->rows->data,
                                    .count = ROWS,
                                    .dims = HIDDEN_DIMS,
                                    .stride = HIDDEN_DIMS,
                                    .dtype = ALCORE_BFLOAT16};
    alcore_sys_rows classes = tokens;
    classes.count = CLASSES;
    const alcore_sys_token_stats to = {.logprob = a->out, .entropy = a->out + ROWS};
    emu.blas(with_blas);
    alcore_status status =
        emu.kernels->hidden_stats(&work, &tokens, &classes, NULL, a->labels, -100, &to, a->bad);
    emu.blas(1);
    return status;
}
static alcore_status call_hidden_blas(const struct arrays *a) {
    return hidden_stats(a, 1);
}
static alcore_status call_hidden_fused(const struct arrays *a) {
    return hidden_stats(a, 0);
}
/* Rows as logits of ROWS tokens, all statistics. */
static alcore_status call_logit_stats(const struct arrays *a) {
    alcore_sys_token_stats to = {.logprob = a->out,
                                 .top1 = a->out + ROWS,
                                 .top2 = a->out + 2 * ROWS,
                                 .margin = a->out + 3 * ROWS,
                                 .entropy = a->out + 4 * ROWS,
                                 .logsumexp = a->out + 5 * ROWS,
                                 .argmax = (int32_t *)(a->out + 6 * ROWS)};
    return emu.kernels->logit_stats(&work, a->rows, a->labels, -100, &to, a->bad);
}
/* Ten rows' first components as the tokens of an item. */
static alcore_status call_ragged_nnll(const struct arrays *a) {
    alcore_sys_ragged items = {.values = a->rows->data,
                               .offsets = a->offsets,
                               .count = ITEMS,
                               .classes = 1,
                               .dtype = ALCORE_FLOAT32};
    return emu.kernels->ragged_nnll(&work, &items, NULL, a->out, a->bad, a->bad + 1);
}

/* Calls of kernels in double; with the filter in half precision; and with it of rows that convert()
 * has kept, which it does for rows on the device, for squared distances or for cosines. */
enum { IN_DOUBLE, FILTERED, KEPT, KEPT_COSINE };
static const struct {
    const char *name;
    alcore_status (*call)(const struct arrays *);
    int way;
} CALLS[] = {{"widen", call_widen, IN_DOUBLE},
             {"dots", call_dots, IN_DOUBLE},
             {"self_dots", call_self_dots, IN_DOUBLE},
             {"sq_dists", call_sq_dists, IN_DOUBLE},
             {"group_cosine", call_group_cosine, IN_DOUBLE},
             {"group_sums", call_group_sums, IN_DOUBLE},
             {"nearest_centroid", call_nearest_centroid, IN_DOUBLE},
             {"nearest_filtered", call_nearest_centroid, FILTERED},
             {"nearest_kept", call_nearest_centroid, KEPT},
             {"knn", call_knn, IN_DOUBLE},
             {"knn_filtered", call_knn, FILTERED},
             {"knn_kept", call_knn, KEPT},
             {"margin_ratios", call_margin_ratios, IN_DOUBLE},
             {"margin_filtered", call_margin_ratios, FILTERED},
             {"margin_kept", call_margin_ratios, KEPT_COSINE},
             {"bounds_filtered", call_distance_bounds, FILTERED},
             {"bounds_kept", call_distance_bounds, KEPT},
             {"logit_stats", call_logit_stats, IN_DOUBLE},
             {"hidden_blas", call_hidden_blas, IN_DOUBLE},
             {"hidden_fused", call_hidden_fused, IN_DOUBLE},
             {"ragged_nnll", call_ragged_nnll, IN_DOUBLE}};

/* A line of the file. converted: rows that were read for a filter. */
static void write_counts(char *line, size_t bytes, const char *name, const char *where,
                         emu_work counted, uint64_t converted) {
    snprintf(line, bytes,
             "%-18s%-8s%10" PRIu64 "%10" PRIu64 "%10" PRIu64 "%10" PRIu64 "%10" PRIu64 "%10" PRIu64
             "%10" PRIu64,
             name, where, counted.launches,
             counted.stream_waits + counted.event_waits + counted.device_waits, counted.copies_in,
             counted.bytes_in, counted.copies_out, counted.bytes_out, converted);
}

/* Every call with its arrays on the host, and on the device with a stream of the host's. */
START_TEST(kept_counts) {
    static double centroids[GROUPS * DIMS], out[ROWS * DIMS];
    static int32_t group[ROWS], nearest[ROWS];
    static int64_t labels[ROWS], offsets[ITEMS + 1], bad[2], starts[GROUPS + 1], counts[GROUPS];
    static int64_t found[ROWS]; /* neighbors, which keep what the call before found */
    static double halves[ROWS];
    for (int i = 0; i < ROWS; i++) group[i] = i % GROUPS;
    for (int i = 0; i < ROWS; i++) labels[i] = i % DIMS;
    for (int i = 0; i <= ITEMS; i++) offsets[i] = 10 * i;
    for (int i = 0; i <= GROUPS; i++) starts[i] = i;
    for (int i = 0; i < ROWS; i++) halves[i] = 0.25;
    for (int i = 0; i < ROWS * DIMS; i++) numbers[i] = -numbers[i];
    host = (struct arrays){&rows, vector, centroids, out,     group, labels, offsets,
                           bad,   starts, counts,    nearest, found, halves};
    alcore_sys_rows placed = rows;
    placed.data = emulated_array(&emu, numbers, sizeof numbers);
    device = (struct arrays){.rows = &placed,
                             .vector = emulated_array(&emu, vector, sizeof vector),
                             .centroids = emulated_array(&emu, centroids, sizeof centroids),
                             .out = emulated_array(&emu, out, sizeof out),
                             .group = emulated_array(&emu, group, sizeof group),
                             .labels = emulated_array(&emu, labels, sizeof labels),
                             .offsets = emulated_array(&emu, offsets, sizeof offsets),
                             .bad = emulated_array(&emu, bad, sizeof bad),
                             .starts = emulated_array(&emu, starts, sizeof starts),
                             .counts = emulated_array(&emu, counts, sizeof counts),
                             .nearest = emulated_array(&emu, nearest, sizeof nearest),
                             .found = emulated_array(&emu, found, sizeof found),
                             .halves = emulated_array(&emu, halves, sizeof halves)};
    const char *renewed = getenv("GPU_COUNTS_OUT"), *path = getenv("GPU_COUNTS");
    FILE *file = fopen(renewed ? renewed : path ? path : "", renewed ? "w" : "r");
    ck_assert_msg(file != NULL, "no file of counts: $GPU_COUNTS");
    if (renewed)
        fprintf(
            file,
            "What a call asks of a device, by the emulation: kernels, waits of the host for the "
            "device, copies and their bytes, rows converted for a filter.\n%d rows of %d float32, "
            "%d centroids, %d items. "
            "Made by GPU_COUNTS_OUT=FILE test_cuda_counts; no GPU is needed.\n\n"
            "%-18s%-8s%10s%10s%10s%10s%10s%10s%10s\n",
            ROWS, DIMS, GROUPS, ITEMS, "call", "arrays", "launches", "waits", "in", "bytes", "out",
            "bytes", "converted");
    int lines = 0;
    for (size_t k = 0; k < 2 * sizeof CALLS / sizeof CALLS[0]; k++) {
        const char *name = CALLS[k / 2].name, *where = k % 2 ? "device" : "host";
        alcore_sys_converted converted = {.metric = 0};
        if (k % 2) work.stream = emu.stream_new();
        emu.filters(CALLS[k / 2].way == IN_DOUBLE ? -1 : 1);
        if (CALLS[k / 2].way >= KEPT) {
            ck_assert_int_eq(
                emu.kernels->convert(&work, k % 2 ? &placed : &rows,
                                     CALLS[k / 2].way == KEPT ? ALCORE_SYS_L2 : ALCORE_SYS_COSINE,
                                     GROUPS, &converted),
                ALCORE_OK);
            ck_assert_int_eq(converted.held.memory != NULL, (int)(k % 2));
            work.converted = &converted;
        }
        for (int warm = 1; warm >= 0; warm--) { /* the second call finds memory of the first one */
            if (k % 2) ck_assert_int_eq(emu.stream_wait(work.stream), 0);
            emu_work before = emu.work(0);
            uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
            ck_assert_int_eq(CALLS[k / 2].call(k % 2 ? &device : &host), ALCORE_OK);
            emu_work counted = since(before, 0);
            if (k % 2) ck_assert_int_eq(emu.stream_wait(work.stream), 0);
            read = emu.counted(EMU_CONVERTED_ROWS) - read;
            char line[160], kept[160] = "";
            write_counts(line, sizeof line, name, where, counted, read);
            if (warm) continue;
            if (renewed) {
                fprintf(file, "%s\n", line);
                continue;
            }
            rewind(file);
            while (fgets(kept, sizeof kept, file)) {
                char kept_name[32], kept_where[32];
                uint64_t was[7];
                if (sscanf(kept,
                           "%31s %31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                           " %" SCNu64 " %" SCNu64,
                           kept_name, kept_where, &was[0], &was[1], &was[2], &was[3], &was[4],
                           &was[5], &was[6]) != 9 ||
                    strcmp(kept_name, name) != 0 || strcmp(kept_where, where) != 0)
                    continue;
                lines++;
                ck_assert_msg(counted.launches <= was[0] &&
                                  counted.stream_waits + counted.event_waits +
                                          counted.device_waits <=
                                      was[1] &&
                                  counted.copies_in <= was[2] && counted.bytes_in <= was[3] &&
                                  counted.copies_out <= was[4] && counted.bytes_out <= was[5] &&
                                  read <= was[6],
                              "a count grew: before\n%snow\n%s", kept, line);
            }
        }
        if (k % 2) ck_assert_int_eq(emu.stream_wait(work.stream), 0);
        emu.kernels->release(&work, &converted.held);
        if (k % 2) emu.stream_free(work.stream);
        work.stream = NULL;
        work.converted = NULL;
    }
    emu.filters(-1);
    fclose(file);
    if (!renewed) ck_assert_int_eq(lines, 2 * (int)(sizeof CALLS / sizeof CALLS[0]));
    void *all[] = {(void *)placed.data, device.vector, device.centroids, device.out,
                   device.group,        device.labels, device.offsets,   device.bad,
                   device.starts,       device.counts, device.nearest,   device.found,
                   device.halves};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) emu.memory_free(all[i]);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("counts");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, arrays_of_the_host);
    tcase_add_test(tests, arrays_of_the_device);
    tcase_add_test(tests, a_sixteenth_of_free_memory);
    tcase_add_test(tests, kept_counts);
    return check_suite_run("cuda-counts", tests);
}
