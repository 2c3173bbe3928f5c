/* SPDX-License-Identifier: Apache-2.0 */
/* How often a device is started and waited for in a pass of a strategy over rows that stay in its
 * memory, and what is copied for a pick: as much for three blocks of 8192 rows as for one, and the
 * selection is the CPU's. On emulated devices, whose kernels, waits and copies are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/alcore.h"
#include "check_status.h"
#include "check_suite.h"
#include "emulated_module.h"

enum { BLOCK = 8192, ROWS = 2 * BLOCK + 100, DIMS = 3, CLASSES = 2, FEW = 2, MANY = 6 };
enum { OTHERS = 30 }; /* rows of the pool in another role */

static emulated_module emu;
static alcore_ctx *ctx;
static float vectors[ROWS * DIMS], probs[ROWS * CLASSES], scores[ROWS];
static char letters[ROWS][16]; /* the texts */
static const char *texts[ROWS];

static void setup(void) {
    uint64_t state = 1;
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (int i = 0; i < ROWS * DIMS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        vectors[i] = (float)(state >> 40) / 0x1p23f - 1.0f;
    }
    for (int i = 0; i < ROWS; i++) {
        probs[i * CLASSES] = 0.25f + (float)(i % 97) / 200.0f;
        probs[i * CLASSES + 1] = 1.0f - probs[i * CLASSES];
        scores[i] = (float)(i % 101) / 50.0f;
        snprintf(letters[i], sizeof letters[i], "text %d", i);
        texts[i] = letters[i];
    }
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* What the candidates are, and where. */
typedef struct setting {
    const char *strategy;
    const char *options; /* "name=value name=value"; NULL: none */
    int role;            /* that of another pool, ALCORE_ROLE_...; 0: there is none */
    int scored;          /* the pool has scores in the place of class probabilities */
    int rows;            /* of the pool */
    int labeled;         /* every n-th row is labeled, so that candidates have gaps; 0: none is */
    int from_file;       /* the embeddings are read from a file */
    int on_device;       /* they are in the device's memory before the call */
    int limited;         /* picks are compared with those before (max_similarity) */
    size_t capacity;     /* bytes of the device's memory; 0: enough for all */
} setting;

static alcore_tensor tensor_of(void *data, int64_t *shape) {
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, data, ALCORE_FLOAT32, shape, 2));
    return tensor;
}

static alcore_pool *pool_of(const setting *s, void **taken) {
    alcore_pool *pool;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    int64_t shape[] = {s->rows, DIMS}, classes[] = {s->rows, s->scored ? 1 : CLASSES};
    alcore_tensor x = tensor_of(vectors, shape), p = tensor_of(s->scored ? scores : probs, classes);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, s->rows, NULL));
    options.ownership = ALCORE_BORROW;
    *taken = NULL;
    if (s->on_device) {
        size_t bytes = (size_t)s->rows * DIMS * sizeof *vectors;
        x.data = *taken = emulated_array(&emu, vectors, bytes);
        x.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    }
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &x, NULL, &options));
    ck_assert_ok(alcore_pool_set_column(pool, s->scored ? "scores" : "probs", &p, NULL, NULL));
    if (s->from_file) {
        char path[64];
        snprintf(path, sizeof path, "test_cuda_passes.%ld.npy", (long)getpid());
        ck_assert_ok(alcore_pool_write_column(pool, "embeddings", path, NULL));
        ck_assert_ok(alcore_pool_read_column(pool, "embeddings", path, NULL));
        remove(path);
    }
    return pool;
}

/* Sets options "name=value name=value". */
static void set_options(alcore_strategy *strategy, const char *options) {
    char copy[100], *value;
    snprintf(copy, sizeof copy, "%s", options ? options : "");
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " ")) {
        value = strchr(name, '=');
        *value++ = 0;
        ck_assert_ok(alcore_strategy_set(strategy, name, value));
    }
}

/* A pool for the role of the setting: the first OTHERS rows, not where the candidates are. */
static void set_other_pool(const setting *s, alcore_request *request) {
    setting other = {.rows = OTHERS};
    void *nothing;
    if (!s->role) return;
    alcore_pool *pool = pool_of(&other, &nothing);
    ck_assert_ok(alcore_request_set_pool(request, s->role, pool));
    alcore_pool_unref(pool);
}

static alcore_selection *select_from(const setting *s, alcore_pool *pool, const char *device,
                                     int budget) {
    static int64_t labeled[ROWS];
    int64_t count = 0;
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    char text[16];
    snprintf(text, sizeof text, "%d", budget);
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, s->strategy, &strategy));
    set_options(strategy, s->options);
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    set_other_pool(s, request);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    for (int i = 1; s->labeled && i < s->rows; i += s->labeled) labeled[count++] = i;
    if (count > 0)
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, labeled, count));
    ck_assert_ok(alcore_request_set(request, "budget", text));
    ck_assert_ok(alcore_request_set(request, "device", device));
    if (s->limited) ck_assert_ok(alcore_request_set(request, "max_similarity", "0.99999"));
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    return selection;
}

static void check_selection(setting s, const setting *where);

/* Kernels, waits and copies of one pick, from the difference of two runs: what begins and ends a
 * run is in both. */
typedef struct pick_cost {
    double launches, waits, copies_in, bytes_in, copies_out, bytes_out;
} pick_cost;

static uint64_t waits_of(const emu_work *work) {
    return work->stream_waits + work->event_waits + work->device_waits;
}

/* What MANY picks did beyond FEW, per pick, of a counter read before, between and after them. */
static double per_pick(uint64_t before, uint64_t between, uint64_t after) {
    return ((double)(after - between) - (double)(between - before)) / (double)(MANY - FEW);
}

static pick_cost cost_of(const setting *s) {
    void *taken;
    alcore_pool *pool = pool_of(s, &taken);
    emu_work work[3];
    /* Once before, as the first call makes streams and memory. */
    alcore_selection_unref(select_from(s, pool, "cuda", 1));
    for (int i = 0; i < 3; i++) {
        work[i] = emu.work(EMU_ALL);
        if (i < 2) alcore_selection_unref(select_from(s, pool, "cuda", i ? MANY : FEW));
    }
    alcore_pool_unref(pool);
    emu.memory_free(taken);
#define PER_PICK(counter) per_pick(work[0].counter, work[1].counter, work[2].counter)
    const pick_cost cost = {
        .launches = PER_PICK(launches),
        .waits = per_pick(waits_of(&work[0]), waits_of(&work[1]), waits_of(&work[2])),
        .copies_in = PER_PICK(copies_in),
        .bytes_in = PER_PICK(bytes_in),
        .copies_out = PER_PICK(copies_out),
        .bytes_out = PER_PICK(bytes_out)};
    printf("# %s, %d rows%s: %.2f kernels, %.2f waits, %.2f copies of %.0f bytes to the device and "
           "%.2f of %.0f from it a pick\n",
           s->strategy, s->rows, s->limited ? ", max_similarity" : "", cost.launches, cost.waits,
           cost.copies_in, cost.bytes_in, cost.copies_out, cost.bytes_out);
    return cost;
}

/* The most that a pick may cost. IDDS: the update, the scores, two steps of the largest score, the
 * row of the pick; the host waits for the score and for the row. k-center: the distances, two
 * searches of two steps, the row; waits for each. BADGE: the weights, the totals, the draws, their
 * weight and vectors, of up to two rows that are measured in advance too. A fraction is for waits
 * that come once in many picks, when pinned memory for small copies has been used up. Copies to the
 * device: the vectors of the pick and what changed of a mask; from it: what the host waits for. */
static const struct {
    const char *strategy;
    double launches, waits, copies_in, copies_out;
} LIMITS[] = {{"idds", 5.0, 2.5, 3.5, 2.5},
              {"kcenter", 6.0, 3.5, 5.5, 3.5},
              {"badge", 12.0, 11.0, 9.0, 11.0}};

START_TEST(a_pick_costs_the_same_for_one_block_and_for_three) {
    setting s = {.strategy = LIMITS[_i].strategy, .rows = BLOCK - 100};
    pick_cost one = cost_of(&s);
    s.rows = ROWS;
    pick_cost three = cost_of(&s);
    ck_assert_double_le(one.launches, LIMITS[_i].launches);
    ck_assert_double_le(one.waits, LIMITS[_i].waits);
    ck_assert_double_le(three.launches, LIMITS[_i].launches);
    ck_assert_double_le(three.waits, LIMITS[_i].waits);
    ck_assert_double_gt(three.launches, 1.0);
    ck_assert_double_le(three.copies_in, LIMITS[_i].copies_in);
    ck_assert_double_le(three.copies_out, LIMITS[_i].copies_out);
    /* No array of a value a row is copied to the device: what is kept there stays there. */
    ck_assert_double_le(three.bytes_in, 1024.0);
}
END_TEST

/* Strategies with a similarity limit, whose candidates are on the device: the row that is offered
 * is read there, and the vectors of the picks stay there. What comes to the host beside what the
 * strategy itself copies are the products with the picks, by one copy a pick. */
static const struct {
    const char *strategy, *options;
    int role;
} COMPARED[] = {{"idds", NULL, 0},
                {"kcenter", NULL, 0},
                {"badge", NULL, 0},
                {"lc", NULL, 0},
                {"uncertainty-knn", NULL, ALCORE_ROLE_TARGET},
                {"uncertainty-knn", "cover=1", ALCORE_ROLE_TARGET}};
enum { COMPARED_COUNT = sizeof COMPARED / sizeof COMPARED[0] };

START_TEST(a_pick_is_compared_where_it_is) {
    setting s = {.strategy = COMPARED[_i].strategy,
                 .options = COMPARED[_i].options,
                 .role = COMPARED[_i].role,
                 .rows = BLOCK / 2,
                 .on_device = 1};
    const pick_cost plain = cost_of(&s);
    s.limited = 1;
    const pick_cost compared = cost_of(&s);
    ck_assert_double_le(compared.copies_in - plain.copies_in, 0.1);
    ck_assert_double_le(compared.bytes_in - plain.bytes_in, 0.1);
    ck_assert_double_le(compared.copies_out - plain.copies_out, 1.1);
    ck_assert_double_le(compared.bytes_out - plain.bytes_out, 8.0 * (MANY + 1) + 0.1);
    ck_assert_double_le(compared.launches - plain.launches, 2.1);
    ck_assert_double_le(compared.waits - plain.waits, 2.1);
    ck_assert_double_gt(compared.launches - plain.launches, 1.0);
    const setting settings[] = {{.rows = BLOCK / 2, .on_device = 1},
                                {.rows = BLOCK / 2},
                                {.rows = BLOCK / 2, .capacity = (size_t)1 << 20}};
    for (int i = 0; i < 3; i++) check_selection(s, &settings[i]);
}
END_TEST

/* A visit of cover=1 reads its row of the target, here from host memory, and measures the most
 * uncertain candidates from it, whose embeddings stay on the device. */
START_TEST(a_visit_measures_what_is_on_the_device) {
    setting s = {.strategy = "uncertainty-knn",
                 .options = "cover=1 c=3",
                 .role = ALCORE_ROLE_TARGET,
                 .rows = BLOCK / 2,
                 .on_device = 1};
    const pick_cost cost = cost_of(&s);
    /* Beside a visit, a pick adds three candidates, whose embeddings are collected on the device
     * and copied with those of the others. */
    ck_assert_double_le(cost.bytes_in, DIMS * (4.0 + 3 * 8.0));
    ck_assert_double_le(cost.copies_in, 1.1);
    ck_assert_double_le(cost.copies_out, 1.1);
    ck_assert_double_le(cost.launches, 5.1);
    ck_assert_double_le(cost.waits, 2.1);
}
END_TEST

/* The same of strategies that pass a few times over the candidates, or as often as k-means needs:
 * what a whole selection of FEW rows may cost where the candidates are two blocks and each pass is
 * one call. */
static const struct {
    const char *strategy, *options;
    int role, scored;
    double launches, waits;
} WHOLE[] = {
    {"huds", NULL, 0, 1, 3, 2},
    {"huds", "k_clusters=2 n_strata=3", 0, 1, 151, 103},
    {"huds", "k_clusters=2 n_strata=18 min_stratum=400", 0, 1, 196, 173},
    {"huds", "distances=needed", 0, 1, 3, 2},
    {"bertkm", NULL, 0, 0, 130, 69},
    {"mrs", NULL, ALCORE_ROLE_LABELED, 0, 87, 53},
    {"average-dist", NULL, ALCORE_ROLE_TARGET, 0, 8, 7},
    {"average-dist", "sq=1", ALCORE_ROLE_TARGET, 0, 4, 6},
    {"knn-uncertainty", NULL, ALCORE_ROLE_TARGET, 0, 30, 15},
    {"uncertainty-knn", NULL, ALCORE_ROLE_TARGET, 0, 30, 14},
};
enum { WHOLE_COUNT = sizeof WHOLE / sizeof WHOLE[0] };

static setting whole_setting(int number) {
    return (setting){.strategy = WHOLE[number].strategy,
                     .options = WHOLE[number].options,
                     .role = WHOLE[number].role,
                     .scored = WHOLE[number].scored};
}

START_TEST(a_selection_starts_its_kernels_once_a_pass) {
    setting s = whole_setting(_i);
    void *taken;
    s.rows = BLOCK + 100;
    s.on_device = 1;
    alcore_pool *pool = pool_of(&s, &taken);
    emu_work before = emu.work(EMU_ALL);
    alcore_selection_unref(select_from(&s, pool, "cuda", FEW));
    emu_work after = emu.work(EMU_ALL);
    double launches = (double)(after.launches - before.launches),
           waits = (double)(waits_of(&after) - waits_of(&before));
    printf("# %s %s: %.0f kernels, %.0f waits, %.0f bytes to the device\n", s.strategy,
           s.options ? s.options : "", launches, waits, (double)(after.bytes_in - before.bytes_in));
    fflush(stdout);
    alcore_pool_unref(pool);
    emu.memory_free(taken);
    ck_assert_double_gt(launches, 1.0);
    ck_assert_double_le(launches, WHOLE[_i].launches);
    ck_assert_double_le(waits, WHOLE[_i].waits);
}
END_TEST

/* Rows with gaps, in host memory, in a file, in the device's memory, and where that is short; of
 * two blocks. */
static const setting SETTINGS[] = {
    {.rows = BLOCK + 300, .labeled = 5},
    {.rows = BLOCK + 300, .from_file = 1},
    {.rows = BLOCK + 300, .labeled = 3, .on_device = 1},
    {.rows = BLOCK + 300, .labeled = 7, .capacity = (size_t)1 << 20},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

enum { LIMIT_COUNT = sizeof LIMITS / sizeof LIMITS[0] };

static void check_selection(setting s, const setting *where) {
    void *taken;
    s.rows = where->rows;
    s.labeled = where->labeled;
    s.from_file = where->from_file;
    s.on_device = where->on_device;
    s.capacity = where->capacity;
    if (s.labeled && strcmp(s.strategy, "kcenter") == 0) s.labeled *= 1000;
    if (s.role == ALCORE_ROLE_LABELED) s.labeled *= 100; /* compared with every candidate */
    setting on_host = s;
    on_host.on_device = 0;
    alcore_pool *pool = pool_of(&on_host, &taken);
    alcore_selection *here = select_from(&s, pool, "cpu", FEW);
    alcore_pool_unref(pool);
    if (s.capacity) emu.memory(s.capacity);
    pool = pool_of(&s, &taken);
    alcore_selection *there = select_from(&s, pool, "cuda", FEW);
    emu.memory((size_t)-1);
    ck_assert_int_eq(alcore_selection_count(here), FEW);
    ck_assert_int_eq(alcore_selection_count(there), FEW);
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(there), 8 * FEW), 0);
    ck_assert_int_eq(memcmp(alcore_selection_scores(here), alcore_selection_scores(there), 8 * FEW),
                     0);
    alcore_selection_unref(here);
    alcore_selection_unref(there);
    alcore_pool_unref(pool);
    emu.memory_free(taken);
}

START_TEST(selections_are_those_of_the_cpu) {
    setting s = {.strategy = LIMITS[_i / SETTING_COUNT].strategy};
    check_selection(s, &SETTINGS[_i % SETTING_COUNT]);
}
END_TEST

/* Each in two of the four settings, one strategy in the first and third, the next in the others. */
START_TEST(whole_selections_are_those_of_the_cpu) {
    int number = _i / 2;
    check_selection(whole_setting(number), &SETTINGS[_i % 2 * 2 + number % 2]);
}
END_TEST

/* A call of nearest_centroid with its filter on rows that are on the device: it converts the rows
 * that have a group and the centroids by a kernel each, filters and computes the candidates again.
 * Its rows are one chunk in a sixteenth of the free memory, and two where that is less. */
enum { NEAR_ROWS = 700, NEAR_DIMS = 64, NEAR_CENTROIDS = 40 };
START_TEST(nearest_centroid_converts_its_rows_once) {
    static float rows[NEAR_ROWS * NEAR_DIMS];
    static double centroids[NEAR_CENTROIDS * NEAR_DIMS];
    static int32_t group[NEAR_ROWS], nearest[NEAR_ROWS];
    uint64_t searched = 0; /* rows with a group, 32 or more in a chunk */
    const int64_t starts[] = {0, NEAR_CENTROIDS};
    for (int i = 0; i < NEAR_ROWS * NEAR_DIMS; i++) rows[i] = vectors[i];
    for (int i = 0; i < NEAR_ROWS; i++) {
        group[i] = i % 5 ? -1 : 0;
        searched += group[i] == 0;
    }
    for (int i = 0; i < NEAR_CENTROIDS * NEAR_DIMS; i++) centroids[i] = (double)vectors[7 * i];
    void *there = emulated_array(&emu, rows, sizeof rows);
    alcore_sys_rows matrix = {.data = there,
                              .count = NEAR_ROWS,
                              .dims = NEAR_DIMS,
                              .stride = NEAR_DIMS,
                              .dtype = ALCORE_FLOAT32};
    alcore_sys_work work = {.size = sizeof work, .host = emu.host};
    emu.filters(1);
    for (int chunks = 1; chunks <= 2; chunks++) {
        if (chunks == 2) emu.memory((size_t)16 << 20);
        uint64_t converted = emu.kernel("each_row<convert_body>").launches,
                 launched = emu.work(EMU_ALL).launches, read = emu.counted(EMU_CONVERTED_ROWS);
        ck_assert_int_eq(emu.kernels->nearest_centroid(&work, &matrix, group, 1, starts, centroids,
                                                       nearest, NULL, NULL, NULL),
                         ALCORE_OK);
        ck_assert_uint_eq(emu.kernel("each_row<convert_body>").launches - converted,
                          (uint64_t)(1 + chunks));
        ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, searched + NEAR_CENTROIDS);
        ck_assert_uint_eq(emu.work(EMU_ALL).launches - launched, (uint64_t)(1 + 3 * chunks));
    }
    emu.filters(-1);
    emu.memory((size_t)-1);
    emu.memory_free(there);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 150);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_pick_costs_the_same_for_one_block_and_for_three, 0, LIMIT_COUNT);
    tcase_add_loop_test(tests, a_pick_is_compared_where_it_is, 0, COMPARED_COUNT);
    tcase_add_test(tests, a_visit_measures_what_is_on_the_device);
    tcase_add_loop_test(tests, a_selection_starts_its_kernels_once_a_pass, 0, WHOLE_COUNT);
    tcase_add_loop_test(tests, selections_are_those_of_the_cpu, 0, LIMIT_COUNT * SETTING_COUNT);
    tcase_add_loop_test(tests, whole_selections_are_those_of_the_cpu, 0, 2 * WHOLE_COUNT);
    tcase_add_test(tests, nearest_centroid_converts_its_rows_once);
    return check_suite_run("cuda-passes", tests);
}
