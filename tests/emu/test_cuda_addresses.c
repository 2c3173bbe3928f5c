/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie so far apart that the number of a component does not fit 32 bits: every entry of
 * the kernel table that multiplies a row by a stride, or begins at an offset, gives the bytes that
 * it gives for the same rows side by side. The memory is a range of addresses of which only the
 * touched pages exist. An entry without a case here needs a reason (ELSEWHERE). */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check_suite.h"
#include "emulated_module.h"

enum { ROWS = 40, DIMS = 64, GROUPS = 3, OTHERS = 24, K = 2 };
/* Components from a row to the next, of 2 bytes: 40 rows take 5 * 2^31 of them. Behind the
 * components of a row, FLOAT_AT of them later, it stands once more in float32. */
static const int64_t STRIDE = (int64_t)1 << 28;
enum { FLOAT_AT = 4096 };
static const size_t RANGE = (size_t)ROWS * ((size_t)1 << 28) * sizeof(uint16_t);

static emulated_module emu;
static alcore_sys_work work;
static uint16_t *far_apart; /* [ROWS, STRIDE] */
static uint16_t near_by[ROWS * DIMS], others[OTHERS * DIMS];
static float near_floats[ROWS * DIMS];
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
    static const float FLOATS[] = {1.0f, 2.0f, -1.0f, 3.0f, 0.5f, -2.0f, 4.0f}; /* the same */
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    far_apart = reserve(RANGE);
    for (int i = 0; i < ROWS * DIMS; i++) near_by[i] = VALUES[(i * 5 + i / DIMS * i) % 7];
    for (int i = 0; i < ROWS * DIMS; i++) near_floats[i] = FLOATS[(i * 5 + i / DIMS * i) % 7];
    for (int i = 0; i < ROWS; i++) {
        uint16_t *row = far_apart + i * STRIDE;
        memcpy(row, near_by + i * DIMS, DIMS * sizeof *near_by);
        memcpy(row + FLOAT_AT, near_floats + i * DIMS, DIMS * sizeof *near_floats);
    }
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
    munmap(far_apart, RANGE);
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
    return emu.kernels->idds_update(&work, rows, NULL, NULL, vector, 1.0, to->values, to->more,
                                    NULL /* no scores */, NULL, NULL);
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

static alcore_status call_min_badge(const alcore_sys_rows *rows, results *to) {
    static double squares[ROWS];
    const alcore_sys_weights weights = {.minimum = to->values};
    for (int i = 0; i < ROWS; i++) to->values[i] = 1e9;
    for (int i = 0; i < ROWS; i++) squares[i] = 3.0 + i;
    return emu.kernels->min_badge(&work, rows, rows, NULL, centroids, centroids, GROUPS, dots,
                                  squares, &weights);
}
static alcore_status call_class_tops(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->class_tops(&work, rows, NULL, ALCORE_CLASSES_LOGPROBS, to->values);
}

/* The same rows in float32. */
static alcore_sys_rows in_float32(const alcore_sys_rows *rows) {
    alcore_sys_rows wide = *rows;
    wide.dtype = ALCORE_FLOAT32;
    wide.data = near_floats;
    if (rows->data == near_by) return wide;
    wide.data = far_apart + FLOAT_AT;
    wide.stride = STRIDE / 2;
    return wide;
}
/* Tokens and classes are the same rows: products by cuBLAS; by the kernel that keeps the logits;
 * by the one that multiplies in float32. */
static alcore_status hidden_stats(const alcore_sys_rows *tokens, const alcore_sys_rows *classes,
                                  int with_blas, results *to) {
    static int64_t labels[ROWS];
    const alcore_sys_token_stats stats = {.logprob = to->values, .entropy = to->more};
    for (int i = 0; i < ROWS; i++) labels[i] = (i * 7) % classes->count;
    emu.blas(with_blas);
    alcore_status status =
        emu.kernels->hidden_stats(&work, tokens, classes, NULL, labels, -100, &stats, to->numbers);
    emu.blas(1);
    return status;
}
static alcore_status call_hidden_blas(const alcore_sys_rows *rows, results *to) {
    return hidden_stats(rows, rows, 1, to);
}
static alcore_status call_hidden_fused(const alcore_sys_rows *rows, results *to) {
    return hidden_stats(rows, rows, 0, to);
}
static alcore_status call_hidden_float32(const alcore_sys_rows *rows, results *to) {
    const alcore_sys_rows wide = in_float32(rows);
    return hidden_stats(&wide, &wide, 0, to);
}
/* Rows of two types are copied before they are multiplied. */
static alcore_status call_hidden_copied(const alcore_sys_rows *rows, results *to) {
    const alcore_sys_rows wide = in_float32(rows);
    return hidden_stats(rows, &wide, 1, to);
}

/* Two items of four log-probabilities each, between them one that takes no part: 4 values side by
 * side, or all that lies between the first row and the last. */
static alcore_status call_ragged_nnll(const alcore_sys_rows *rows, results *to) {
    static uint16_t near_values[12];
    static const uint8_t mask[] = {1, 0, 1};
    const uint16_t logprobs[] = {0xbc00, 0xc000, 0xb800, 0xc400}; /* -1, -2, -0.5, -4 */
    const int is_near = rows->data == near_by;
    const int64_t gap = is_near ? 4 : (ROWS - 1) * STRIDE;
    const int64_t offsets[] = {9, 13, 13 + gap, 17 + gap};
    uint16_t *values = is_near ? near_values : far_apart + FLOAT_AT / 2;
    memcpy(values, logprobs, sizeof logprobs);
    memcpy(values + 4 + gap, logprobs, sizeof logprobs);
    const alcore_sys_ragged items = {
        .values = values, .offsets = offsets, .count = 3, .classes = 1, .dtype = ALCORE_FLOAT16};
    return emu.kernels->ragged_nnll(&work, &items, mask, to->values, to->numbers, to->numbers + 1);
}
/* Weights in runs that begin with the first of values, or behind 2^32 others, the running sums of
 * each run, and two draws by them: *to has the totals and the sums, and the items that were drawn,
 * counted from the begin of the runs. */
static alcore_status totals_and_draws(const alcore_sys_rows *rows, bool draws, results *to) {
    const int64_t begin = rows->data == near_by ? 0 : ((int64_t)1 << 32) + 1;
    const int64_t starts[] = {begin, begin + 5, begin + 5, begin + 9};
    const size_t bytes = (size_t)starts[3] * sizeof(double);
    const double u[] = {5.0 / 213.0, 160.0 / 213.0};
    double *values = reserve(bytes), *sums = reserve(bytes);
    for (int i = 0; i < 9; i++) values[begin + i] = 1.0 + i * i;
    alcore_status status =
        emu.kernels->run_totals(&work, 3, starts, NULL, values, sums, to->values);
    memcpy(to->more, sums + begin, 9 * sizeof *sums);
    if (status == ALCORE_OK && draws) {
        alcore_sys_drawn found[2];
        const alcore_sys_draws given = {
            .count = 2, .u = u, .blocks = 3, .totals = to->values, .own = 3, .starts = starts};
        const alcore_sys_rows matrix = {
            .data = values, .count = starts[3], .dims = 1, .stride = 1, .dtype = ALCORE_FLOAT64};
        status = emu.kernels->draw_rows(&work, &given, NULL, values, sums, 1, &matrix, found,
                                        to->more + 9);
        for (int i = 0; i < 2; i++) to->numbers[i] = found[i].item - begin;
        ck_assert_int_eq(to->numbers[0], 2); /* of 1, 2, 5 the sum is above 5 */
    }
    emu.unshare(values);
    emu.unshare(sums);
    munmap(values, bytes);
    munmap(sums, bytes);
    return status;
}
static alcore_status call_run_totals(const alcore_sys_rows *rows, results *to) {
    return totals_and_draws(rows, false, to);
}
static alcore_status call_draw_rows(const alcore_sys_rows *rows, results *to) {
    return totals_and_draws(rows, true, to);
}
/* The best row is the last one. */
static alcore_status call_best_row(const alcore_sys_rows *rows, results *to) {
    static double worth[ROWS];
    worth[ROWS - 1] = 1.0;
    return emu.kernels->best_row(&work, rows, NULL, worth, to->numbers, to->more, to->values);
}
/* Labels that lie side by side, or as far apart as the rows. */
static alcore_status call_token_stats(const alcore_sys_rows *rows, results *to) {
    static int64_t near_labels[ROWS];
    const int is_near = rows->data == near_by;
    const int64_t gap = is_near ? 1 : (int64_t)1 << 29;
    const size_t bytes = ((size_t)(ROWS - 1) * (size_t)gap + 1) * sizeof(int64_t);
    int64_t *far_labels = is_near ? NULL : reserve(bytes);
    for (int i = 0; i < ROWS; i++) (is_near ? near_labels : far_labels)[i * gap] = (i * 3) % DIMS;
    const alcore_sys_labels labels = {.data = is_near ? near_labels : far_labels,
                                      .items = 1,
                                      .tokens = ROWS,
                                      .item_stride = ROWS * gap,
                                      .token_stride = gap,
                                      .item_step = ROWS,
                                      .token_step = 1,
                                      .ignore = -100,
                                      .dtype = ALCORE_INT64};
    const alcore_sys_token_stats stats = {.logprob = to->values, .entropy = to->more};
    alcore_status status =
        emu.kernels->token_stats(&work, rows, NULL /* logits */, NULL /* no bias */, &labels,
                                 &stats, (uint8_t *)to->nearest, to->numbers, to->numbers + 1);
    if (is_near) return status;
    emu.unshare(far_labels);
    munmap(far_labels, bytes);
    return status;
}
/* Rows to the host; to the device, from the host and from the device. */
static alcore_status call_download(const alcore_sys_rows *rows, results *to) {
    return emu.kernels->download(&work, rows, to->values);
}
static alcore_status call_store(const alcore_sys_rows *rows, results *to) {
    void *memory = emulated_array(&emu, near_by, sizeof near_by);
    alcore_sys_rows stored = {
        .data = memory, .count = ROWS, .dims = DIMS, .stride = DIMS, .dtype = ALCORE_FLOAT16};
    alcore_status status = emu.kernels->store(&work, rows, memory);
    if (status == ALCORE_OK) status = emu.kernels->download(&work, &stored, to->values);
    emu.memory_free(memory);
    return status;
}
/* Row i of the gathered ones is row i, whatever the distance between them. */
static alcore_status call_gather(const alcore_sys_rows *rows, results *to) {
    int64_t items[ROWS];
    alcore_sys_held held;
    for (int i = 0; i < ROWS; i++) items[i] = i;
    alcore_status status = emu.kernels->hold(&work, rows, &held);
    if (status != ALCORE_OK) return status;
    ck_assert_ptr_ne(held.memory, NULL);
    status = emu.kernels->gather(&work, rows, ROWS, items, held.memory);
    if (status == ALCORE_OK) status = emu.kernels->download(&work, &held.rows, to->values);
    emu.kernels->release(&work, &held);
    return status;
}
static alcore_status call_upload(const alcore_sys_rows *rows, results *to) {
    alcore_sys_held held;
    emu.unshare(far_apart); /* now it is host memory, whose rows are copied */
    alcore_status status = emu.kernels->upload(&work, rows, NULL, &held);
    emu.share(far_apart, RANGE);
    if (status != ALCORE_OK) return status;
    ck_assert_ptr_ne(held.memory, NULL);
    status = emu.kernels->download(&work, &held.rows, to->values);
    emu.kernels->release(&work, &held);
    return status;
}

/* An entry of the kernel table. */
#define ENTRY(name) offsetof(alcore_sys_kernels, name)
static const struct {
    const char *name;
    size_t entry;
    alcore_status (*call)(const alcore_sys_rows *rows, results *to);
} CALLS[] = {{"widen", ENTRY(widen), call_widen},
             {"dots", ENTRY(dots), call_dots},
             {"self_dots", ENTRY(self_dots), call_self_dots},
             {"sq_dists", ENTRY(sq_dists), call_sq_dists},
             {"group_sums", ENTRY(group_sums), call_group_sums},
             {"group_cosine", ENTRY(group_cosine), call_group_cosine},
             {"nearest_centroid", ENTRY(nearest_centroid), call_nearest_centroid},
             {"upload", ENTRY(upload), call_upload},
             {"min_sq_dists", ENTRY(min_sq_dists), call_min_sq_dists},
             {"min_badge", ENTRY(min_badge), call_min_badge},
             {"idds_update", ENTRY(idds_update), call_idds_update},
             {"ragged_nnll", ENTRY(ragged_nnll), call_ragged_nnll},
             {"class_tops", ENTRY(class_tops), call_class_tops},
             {"logit_stats", ENTRY(logit_stats), call_logit_stats},
             {"hidden_stats, cuBLAS", ENTRY(hidden_stats), call_hidden_blas},
             {"hidden_stats, one kernel", ENTRY(hidden_stats), call_hidden_fused},
             {"hidden_stats, float32", ENTRY(hidden_stats), call_hidden_float32},
             {"hidden_stats, two types", ENTRY(hidden_stats), call_hidden_copied},
             {"knn", ENTRY(knn), call_knn},
             {"margin_ratios", ENTRY(margin_ratios), call_margin_ratios},
             {"distance_sums", ENTRY(distance_sums), call_distance_sums},
             {"distance_bounds", ENTRY(distance_bounds), call_distance_bounds},
             {"download", ENTRY(download), call_download},
             {"store", ENTRY(store), call_store},
             {"run_totals", ENTRY(run_totals), call_run_totals},
             {"draw_rows", ENTRY(draw_rows), call_draw_rows},
             {"gather", ENTRY(gather), call_gather},
             {"best_row", ENTRY(best_row), call_best_row},
             {"token_stats", ENTRY(token_stats), call_token_stats}};
enum { CALL_COUNT = sizeof CALLS / sizeof CALLS[0] };

/* Entries that need no call of their own. */
static const struct {
    size_t entry;
    const char *reason;
} ELSEWHERE[] = {
    {ENTRY(release), "frees what upload, hold and convert have made"},
    {ENTRY(hold), "reads no rows; gather writes to what it makes"},
    {ENTRY(convert), "rows_far_apart converts the rows of every call in its third way"},
    {ENTRY(update_min), "reads every entry of arrays without gaps: 2^32 would have to exist"},
    {ENTRY(draw), "likewise"},
    {ENTRY(idds_scores), "likewise"},
    {ENTRY(arg_max), "likewise"},
    {ENTRY(class_stats), "a kernel of the CPU alone"},
    {ENTRY(sequence_nnll), "likewise"},
};

/* The table has nothing but its head and entries, each of which is in one of the two lists. */
START_TEST(every_entry) {
    for (size_t entry = ENTRY(widen); entry < sizeof(alcore_sys_kernels);
         entry += sizeof(void (*)(void))) {
        int called = 0, excused = 0;
        for (int k = 0; k < CALL_COUNT; k++) called += CALLS[k].entry == entry;
        for (size_t k = 0; k < sizeof ELSEWHERE / sizeof ELSEWHERE[0]; k++)
            excused += ELSEWHERE[k].entry == entry && ELSEWHERE[k].reason[0] != 0;
        ck_assert_msg((called > 0) + excused == 1,
                      "entry %zu of the kernel table: %d calls, %d reasons for none",
                      (entry - ENTRY(widen)) / sizeof(void (*)(void)), called, excused);
    }
}
END_TEST

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

TEST_FILE() {
    TCase *tests = tcase_create("addresses");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_entry);
    tcase_add_loop_test(tests, rows_far_apart, 0, WAYS * CALL_COUNT);
    tcase_add_test(tests, a_wide_result);
    return check_suite_run("cuda-addresses", tests);
}
