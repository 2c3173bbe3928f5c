/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of the @return lists of the core's headers that no test of the calls' own rooms asks for.
 * tests/abi/return_codes.py wants a test for each code of each list. */
#include "request_test.h"

#include <unistd.h>

#include "npy_file.h"
#include "test_folder.h"

enum { ROWS = 4 };
static const double UNCERTAINTY[ROWS] = {0.1, 0.4, 0.2, 0.3};

static alcore_ctx *ctx;
static alcore_pool *pool;
static char folder[TEST_PATH_BYTES];

/* ---- files on a disk that breaks ---- */

static bool broken; /* reading fails */

static alcore_status open_file(void *user, const char *path, int32_t mode, void **out) {
    (void)user;
    *out = mode == ALCORE_FILE_READ ? fopen(path, "rb") : NULL;
    return *out ? ALCORE_OK : alcore_error_set(ALCORE_E_IO, path, strlen(path));
}

static alcore_status read_file(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                               size_t *out_bytes) {
    static const char text[] = "the disk is gone";
    (void)user;
    if (broken) return alcore_error_set(ALCORE_E_IO, text, strlen(text));
    fseek(file, (long)offset, SEEK_SET);
    *out_bytes = fread(buffer, 1, bytes, file);
    return ALCORE_OK;
}

static alcore_status length_of_file(void *user, void *file, int64_t *out_bytes) {
    (void)user;
    fseek(file, 0, SEEK_END);
    *out_bytes = ftell(file);
    return ALCORE_OK;
}

static alcore_status close_file(void *user, void *file) {
    (void)user;
    fclose(file);
    return ALCORE_OK;
}

static alcore_status write_nothing(void *user, void *file, const void *data, size_t bytes) {
    (void)user, (void)file, (void)data, (void)bytes;
    return ALCORE_E_IO;
}

static alcore_status rename_nothing(void *user, const char *from, const char *to) {
    (void)user, (void)from, (void)to;
    return ALCORE_E_IO;
}

static void setup(void) {
    const alcore_files files = {.size = sizeof files,
                                .open = open_file,
                                .read = read_file,
                                .write = write_nothing,
                                .length = length_of_file,
                                .close = close_file,
                                .rename = rename_nothing};
    const alcore_ctx_options options = {.size = sizeof options, .files = &files};
    broken = false;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    pool = numbered_pool(ctx, ROWS);
    test_folder_make(folder, "codes");
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
}

/* Gives the pool a column that stays in a file, on a disk that breaks then. */
static void give_lost_column(const char *name, int64_t dims) {
    char path[300];
    float values[ROWS * 2] = {0};
    const int64_t shape[] = {ROWS, dims};
    alcore_ctx *writing;
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    ck_assert_ok(alcore_ctx_new(NULL, &writing));
    ck_assert_ok(npy_file_write(writing, path, ALCORE_FLOAT32, dims > 1 ? 2 : 1, shape, values));
    alcore_ctx_unref(writing);
    ck_assert_ok(alcore_pool_read_column(pool, name, path, NULL));
    broken = true;
}

static void give_texts(const char *name) {
    const char *texts[ROWS] = {"a", "b", "c", "d"};
    ck_assert_ok(alcore_pool_set_text_column(pool, name, texts, NULL, ROWS, NULL));
}

/* float64 [count] in host memory. */
static alcore_tensor tensor_of(double *values, int64_t *count) {
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, count, 1));
    return tensor;
}

/* Options of a column that has an entry for one row. */
static alcore_column_options of_row(const int64_t *row) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = row;
    options.row_count = 1;
    return options;
}

START_TEST(columns_and_rows) {
    int64_t row = 9, rows[ROWS], one = 1;
    double value = 0;
    const char *text = "a";
    alcore_tensor out = tensor_of(&value, &one);
    alcore_column_writer *writer;
    const alcore_join_options join = {.size = sizeof join, .rows = &row, .row_count = 1};
    const alcore_column_options given = of_row(&row);
    ck_assert_fails(alcore_pool_join(pool, pool, &join, rows), ALCORE_E_NOT_FOUND, "9");
    ck_assert_fails(alcore_pool_set_text_column(pool, "notes", &text, NULL, 1, &given),
                    ALCORE_E_NOT_FOUND, "9");
    give(pool, "scores", UNCERTAINTY, ROWS, 1);
    ck_assert_fails(alcore_pool_get_column_rows(pool, "scores", &row, 1, &out), ALCORE_E_NOT_FOUND,
                    "9");
    ck_assert_fails(alcore_pool_get_column_rows(pool, "scored", &row, 1, &out), ALCORE_E_NOT_FOUND,
                    "scores");
    ck_assert_fails(alcore_pool_write_column(pool, "scores", "/nowhere/x.npy", NULL), ALCORE_E_IO,
                    "/nowhere/x.npy");
    row = 0;
    give_lost_column("lost", 1);
    ck_assert_fails(alcore_pool_get_column_rows(pool, "lost", &row, 1, &out), ALCORE_E_IO,
                    "the disk is gone");
    out.device.type = ALCORE_DEVICE_CUDA;
    ck_assert_fails(alcore_pool_get_column_rows(pool, "scores", &row, 1, &out), ALCORE_E_MODULE,
                    "cuda");
    ck_assert_ok(alcore_column_writer_new(pool, "mine", ALCORE_COLUMN_SCALAR, NULL, &writer));
    out.device.type = 99;
    ck_assert_fails(alcore_column_writer_put(writer, &row, NULL, 1, &out), ALCORE_E_UNSUPPORTED,
                    "device");
    alcore_column_writer_unref(writer);
}
END_TEST

START_TEST(tokens_of_rows) {
    int64_t row = 0, one = 1, offsets[2], starts[ROWS + 1] = {0, 1, 2, 3, 4}, shape[] = {ROWS + 1};
    int64_t tokens[] = {ROWS};
    double values[ROWS] = {-1, -1, -1, -1}, value;
    char path[300];
    alcore_ctx *writing;
    alcore_tensor out = tensor_of(&value, &one), bounds, numbers;
    ck_assert_ok(alcore_tensor_init(&bounds, starts, ALCORE_INT64, shape, 1));
    ck_assert_ok(alcore_tensor_init(&numbers, values, ALCORE_FLOAT64, tokens, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &numbers, &bounds, NULL));
#define TOKENS() alcore_pool_get_column_tokens(pool, "logprobs", &row, 1, offsets, &out)
    out.device.type = ALCORE_DEVICE_CUDA;
    ck_assert_fails(TOKENS(), ALCORE_E_MODULE, "cuda");
    out.device.type = 99;
    ck_assert_fails(TOKENS(), ALCORE_E_UNSUPPORTED, "device");
    out.device.type = ALCORE_DEVICE_CPU;
    ck_assert_ok(TOKENS());
    snprintf(path, sizeof path, "%s/offsets.npy", folder);
    ck_assert_ok(alcore_ctx_new(NULL, &writing));
    ck_assert_ok(npy_file_write(writing, path, ALCORE_INT64, 1, shape, starts));
    alcore_column_options ragged = ALCORE_COLUMN_OPTIONS_INIT;
    ragged.offsets = path;
    char file[300];
    snprintf(file, sizeof file, "%s/values.npy", folder);
    ck_assert_ok(npy_file_write(writing, file, ALCORE_FLOAT64, 1, (int64_t[]){ROWS}, values));
    alcore_ctx_unref(writing);
    ck_assert_ok(alcore_pool_read_column(pool, "logprobs", file, &ragged));
    ck_assert_ok(TOKENS());
    broken = true;
    ck_assert_fails(TOKENS(), ALCORE_E_IO, "the disk is gone");
#undef TOKENS
}
END_TEST

static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

START_TEST(tables_of_arrow) {
    int64_t number = 1, row = 9;
    const char *const names[] = {"scored"};
    const void *buffers[] = {NULL, &number};
    struct ArrowArray array = {
        .length = 1, .n_buffers = 2, .buffers = buffers, .release = release_array};
    struct ArrowSchema schema = {.format = "l", .release = release_schema};
    struct ArrowArrayStream stream;
    const alcore_column_options given = of_row(&row);
    const alcore_table_options wanted = {
        .size = sizeof wanted, .columns = names, .column_count = 1};
    ck_assert_fails(alcore_pool_set_column_arrow(pool, "mine", &array, &schema, &given),
                    ALCORE_E_NOT_FOUND, "9");
    ck_assert_ptr_nonnull(array.release); /* still the caller's */
    give(pool, "scores", UNCERTAINTY, ROWS, 1);
    alcore_request *request = request_for(ctx, pool, "nnll", "1");
    alcore_selection *selection = selected(request);
    ck_assert_fails(alcore_selection_get_arrow(selection, &wanted, &stream), ALCORE_E_NOT_FOUND,
                    "score");
    ck_assert_ptr_null(stream.release);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
}
END_TEST

START_TEST(numbers_of_a_server_on_a_device) {
    int64_t row = 0, shape[] = {1, 2};
    double top[] = {-0.7, -0.8};
    alcore_tensor likeliest;
    alcore_topk topk = ALCORE_TOPK_INIT;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    ck_assert_ok(alcore_tensor_init(&likeliest, top, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_column_writer_new(pool, "confidences", ALCORE_COLUMN_RAGGED, NULL,
                                          &writers.confidences));
    topk.top = &likeliest;
    likeliest.device.type = ALCORE_DEVICE_CUDA;
    ck_assert_fails(alcore_logits_put_topk(ctx, &topk, &row, 1, &writers), ALCORE_E_UNSUPPORTED,
                    "");
    alcore_column_writer_unref(writers.confidences);
}
END_TEST

START_TEST(phrases_that_are_written) {
    static const char *const COLUMNS[] = {"occurrences",    "length", "first_row",
                                          "first_position", "known",  "semi_maximal"};
    alcore_pool *phrases;
    const alcore_write_options npy = {.size = sizeof npy, .format = ALCORE_FORMAT_NPY};
    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &phrases));
    ck_assert_fails(alcore_pool_write_phrases(phrases, "/nowhere/x.tsv", NULL), ALCORE_E_IO,
                    "/nowhere/x.tsv");
    ck_assert_fails(alcore_pool_write_phrases(phrases, "x.po", NULL), ALCORE_E_UNSUPPORTED, "x.po");
    ck_assert_fails(alcore_pool_write_phrases(phrases, "-", &npy), ALCORE_E_UNSUPPORTED, "");
    ck_assert_fails(alcore_pool_write_phrases(phrases, "/nowhere/x.tsv.gz", NULL),
                    ALCORE_E_UNSUPPORTED, "uncompressed");
    alcore_pool_unref(phrases);
    /* A pool of something else, which has a column of one of the names. */
    int32_t words[2 * ROWS] = {0};
    int64_t shape[] = {ROWS, 2};
    alcore_tensor pairs;
    ck_assert_ok(alcore_tensor_init(&pairs, words, ALCORE_INT32, shape, 2));
    for (int i = 0; i < 6; i++)
        ck_assert_ok(alcore_pool_set_column(pool, COLUMNS[i], &pairs, NULL, NULL));
    ck_assert_fails(alcore_pool_write_phrases(pool, "x.tsv", NULL), ALCORE_E_SHAPE, "");
}
END_TEST

START_TEST(names_of_parameters) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    alcore_scorer *scorer;
    alcore_request *request = request_for(ctx, pool, "random", "1");
    const char *text;
    ck_assert_ok(alcore_scorer_new(ctx, "nsp", &scorer));
    ck_assert_fails(alcore_scorer_builtin_param("entropi", 0, &info), ALCORE_E_PARAM, "entropy");
    ck_assert_fails(alcore_strategy_builtin_param("randon", 0, &info), ALCORE_E_PARAM, "random");
    ck_assert_fails(alcore_scorer_get(scorer, "nothing", &text), ALCORE_E_PARAM, "");
    ck_assert_ptr_null(text);
    ck_assert_fails(alcore_request_get(request, "budgets", &text), ALCORE_E_PARAM, "budget");
    ck_assert_ptr_null(text);
    ck_assert_fails(alcore_request_builtin_param(1000, &info), ALCORE_E_NOT_FOUND, "");
    double amounts[65];
    for (int i = 0; i < 65; i++) amounts[i] = i;
    ck_assert_ok(alcore_request_set_budgets(request, amounts, 64, 0));
    ck_assert_fails(alcore_request_set_budgets(request, amounts, 65, 0), ALCORE_E_PARAM, "64");
    ck_assert_ptr_null(info.name); /* a struct that a call would have filled is as it was */
    alcore_request_unref(request);
    alcore_scorer_unref(scorer);
}
END_TEST

static alcore_status choose_nothing(void *user, const alcore_view *view, alcore_choice *out) {
    (void)view, (void)out;
    return *(const alcore_status *)user;
}

START_TEST(a_selection) {
    alcore_status answer = 7; /* positive, and without a text */
    const int64_t absent = 9;
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_selection *selection;
    alcore_tensor rows;
    alcore_request *request = request_for(ctx, pool, "nnll", "1");
    host.user = &answer;
    host.choose = choose_nothing;
    give_lost_column("scores", 1);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_IO, "the disk is gone");
    ck_assert_ptr_null(selection);
    ck_assert_ok(alcore_request_set(request, "device", "cuda"));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MODULE, "cuda");
    ck_assert_ok(alcore_request_set(request, "device", "cpu"));
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_CALLBACK, "");
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, &absent, 1));
    ck_assert_fails(alcore_request_candidates(request, 2, &rows), ALCORE_E_NOT_FOUND, "9");
    ck_assert_ptr_null(rows.data);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
}
END_TEST

START_TEST(a_score) {
    alcore_scorer *scorer;
    double probs[ROWS * 2] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    ck_assert_ok(alcore_scorer_new(ctx, "entropy", &scorer));
    ck_assert_fails(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_MISSING, "probs");
    give(pool, "probs", probs, ROWS, 1);
    ck_assert_fails(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_SHAPE, "probs");
    give_lost_column("probs", 2);
    ck_assert_fails(alcore_scorer_run(scorer, pool, NULL), ALCORE_E_IO, "the disk is gone");
    alcore_scorer_unref(scorer);
}
END_TEST

START_TEST(a_search) {
    alcore_search_data data = ALCORE_SEARCH_DATA_INIT;
    int64_t shape[] = {ROWS, 1}, numbers[ROWS], row = 0;
    double values[ROWS], vector[2] = {1, 2};
    const int64_t one[] = {1, 2};
    alcore_tensor rows, distances, given;
    const alcore_column_options of_first = of_row(&row);
    data.pool = pool;
    ck_assert_ok(alcore_tensor_init(&rows, numbers, ALCORE_INT64, shape, 2));
    ck_assert_ok(alcore_tensor_init(&distances, values, ALCORE_FLOAT64, shape, 2));
#define KNN() alcore_search_knn(ctx, &data, &data, 1, NULL, &rows, &distances, NULL, NULL)
    ck_assert_fails(KNN(), ALCORE_E_NOT_FOUND, "embeddings");
    ck_assert_fails(alcore_search_knn(ctx, &data, &data, 1, NULL, NULL, NULL, NULL, NULL),
                    ALCORE_E_INVALID, "both NULL");
    ck_assert_ok(alcore_tensor_init(&given, vector, ALCORE_FLOAT64, (int64_t *)(uintptr_t)one, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &given, NULL, &of_first));
    ck_assert_fails(KNN(), ALCORE_E_MISSING, "row 1");
    give_lost_column("embeddings", 2);
    ck_assert_fails(KNN(), ALCORE_E_IO, "the disk is gone");
#undef KNN
}
END_TEST

/* What the columns of a view answered. */
typedef struct looks {
    alcore_status lost, texts;
} looks;

static alcore_status look(void *user, const alcore_view *view, alcore_choice *out) {
    looks *found = user;
    alcore_tensor values;
    found->lost = alcore_view_get_column(view, ALCORE_ROLE_CANDIDATES, "lost", 0, 1, &values, NULL);
    ck_assert_ptr_null(values.data);
    found->texts =
        alcore_view_get_column(view, ALCORE_ROLE_CANDIDATES, "roundtrip", 0, 1, &values, NULL);
    return alcore_choice_order(out, NULL, 0);
}

START_TEST(a_view) {
    static const char *const needs[] = {"lost", "roundtrip", NULL};
    looks found = {0};
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_selection *selection;
    alcore_request *request = request_for(ctx, pool, "random", "1");
    host.user = &found;
    host.needs = needs;
    host.choose = look;
    give_lost_column("lost", 1);
    give_texts("roundtrip");
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_select(request, &selection); /* the order is empty */
    alcore_selection_unref(selection);
    ck_assert_int_eq(found.lost, ALCORE_E_IO);
    ck_assert_int_eq(found.texts, ALCORE_E_SHAPE);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
}
END_TEST

static int32_t can_all(void *user, const char *column) {
    (void)user, (void)column;
    return 1;
}

static alcore_status embed_one_by_one(void *user, const alcore_batch *batch,
                                      const char *const *columns, alcore_column_writer *const *outs,
                                      int64_t count) {
    float values[3] = {1, 2, 3};
    (void)user, (void)columns, (void)count;
    for (int64_t i = 0; i < batch->count; i++) {
        alcore_tensor tensor;
        int64_t shape[] = {1, 1 + batch->rows[i] % 3};
        ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
        const alcore_status status =
            alcore_column_writer_put(outs[0], batch->rows + i, NULL, 1, &tensor);
        if (status != ALCORE_OK) return status;
    }
    return ALCORE_OK;
}

START_TEST(a_model) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    host.can = can_all;
    host.compute = embed_one_by_one;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    ck_assert_fails(alcore_model_run(model, pool, "embeddings"), ALCORE_E_SHAPE, "");
    alcore_model_unref(model);
}
END_TEST

CHECK_SUITE_WITH("return codes", setup, teardown, columns_and_rows, tokens_of_rows, tables_of_arrow,
                 numbers_of_a_server_on_a_device, phrases_that_are_written, names_of_parameters,
                 a_selection, a_score, a_search, a_view, a_model);
