/* SPDX-License-Identifier: Apache-2.0 */
/* Every argument and every member of a struct that takes an enum refuses each value of every other
 * enum, with ALCORE_E_INVALID or ALCORE_E_PARAM and a text that names it, and takes one of its own.
 * tests/abi/enums.py checks that the walk has them all. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "tap.h"

/* A named value of an enum. */
typedef struct value {
    const char *tag, *name;
    int32_t number;
} value;
static const value VALUES[] = {
#define VALUE(tag, name) {#tag, #name, name},
#include "enum_values.h"
#undef VALUE
};
enum { VALUE_COUNT = sizeof VALUES / sizeof *VALUES };

/* What a call without a status says instead. */
static const alcore_status NO_TEXT = 1;

static const char *const TEXTS[] = {"one two three", "four five", "six"};
static const double X[] = {1, 2, 3}, Y[] = {3, 1, 2};
static char folder[] = "/tmp/alcore-enums-XXXXXX", file[64];
static alcore_ctx *ctx;
static alcore_pool *pool, *other;
static alcore_request *request;
static alcore_selection *selection;
static alcore_model *model;

/* ---- the world ---- */

static void must(alcore_status status) {
    if (status == ALCORE_OK) return;
    printf("Bail out! %s\n", alcore_last_error());
    exit(1);
}

static alcore_pool *new_pool(void) {
    alcore_pool *made;
    must(alcore_pool_new(ctx, NULL, &made));
    must(alcore_pool_add_texts(made, TEXTS, NULL, 3, NULL));
    return made;
}

static alcore_request *new_request(const alcore_strategy *strategy) {
    alcore_request *made;
    must(alcore_request_new(ctx, &made));
    must(alcore_request_set_pool(made, ALCORE_ROLE_CANDIDATES, pool));
    must(alcore_request_set_strategy(made, (alcore_strategy *)(uintptr_t)strategy));
    must(alcore_request_set(made, "budget", "2"));
    return made;
}

static void make_world(void) {
    alcore_strategy *random;
    if (!mkdtemp(folder)) exit(1);
    snprintf(file, sizeof file, "%s/a.txt", folder);
    FILE *out = fopen(file, "w");
    if (!out) exit(1);
    fputs("one two\nthree\nfour\n", out);
    fclose(out);
    must(alcore_ctx_new(NULL, &ctx));
    pool = new_pool();
    other = new_pool();
    must(alcore_strategy_new(ctx, "random", &random));
    request = new_request(random);
    must(alcore_select(request, &selection));
    must(alcore_model_new_ngram(ctx, NULL, NULL, &model));
    alcore_strategy_unref(random);
}

static void release_world(void) {
    char path[96];
    static const char *const names[] = {"a.txt",
                                        "out.x",
                                        "out.svg",
                                        "v/tokenizer.json",
                                        "v",
                                        "project/project.sqlite",
                                        "project/project.sqlite-journal",
                                        "project/blobs",
                                        "project"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
    alcore_model_unref(model);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(other);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* A path in the folder. */
static const char *in_folder(const char *name) {
    static char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- calls ---- */

/* `call` with one member of a struct of options set to the value. */
#define WITH(type, initial, member, call)                                                          \
    do {                                                                                           \
        type options = initial;                                                                    \
        options.member = number;                                                                   \
        return call;                                                                               \
    } while (0)
#define CALL(name) static alcore_status name(int32_t number)

static alcore_status read_with(const alcore_read_options *options) {
    alcore_pool *made;
    must(alcore_pool_new(ctx, NULL, &made));
    const alcore_status status = alcore_pool_read(made, file, options);
    alcore_pool_unref(made);
    return status;
}
CALL(read_format) {
    WITH(alcore_read_options, ALCORE_READ_OPTIONS_INIT, format, read_with(&options));
}
CALL(read_bad_lines) {
    WITH(alcore_read_options, ALCORE_READ_OPTIONS_INIT, bad_lines, read_with(&options));
}
CALL(read_escapes) {
    WITH(alcore_read_options, ALCORE_READ_OPTIONS_INIT, escapes, read_with(&options));
}
CALL(read_by) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.references = file;
    options.by = number;
    return read_with(&options);
}
CALL(write_format) {
    WITH(alcore_write_options, ALCORE_WRITE_OPTIONS_INIT, format,
         alcore_selection_write(selection, in_folder("out.x"), &options));
}
CALL(report_kind) {
    WITH(alcore_report_options, ALCORE_REPORT_OPTIONS_INIT, kind,
         alcore_selection_report(selection, in_folder("out.x"), &options));
}

static alcore_status pool_with(const alcore_pool_options *options) {
    alcore_pool *made;
    const alcore_status status = alcore_pool_new(ctx, options, &made);
    alcore_pool_unref(made);
    return status;
}
CALL(pool_dedup) {
    WITH(alcore_pool_options, ALCORE_POOL_OPTIONS_INIT, dedup, pool_with(&options));
}
CALL(pool_utf8) {
    WITH(alcore_pool_options, ALCORE_POOL_OPTIONS_INIT, utf8, pool_with(&options));
}
CALL(pool_repeated_ids) {
    WITH(alcore_pool_options, ALCORE_POOL_OPTIONS_INIT, repeated_ids, pool_with(&options));
}
CALL(join_by) {
    int64_t rows[3];
    WITH(alcore_join_options, ALCORE_JOIN_OPTIONS_INIT, by,
         alcore_pool_join(pool, other, &options, rows));
}
CALL(mark) {
    static const int64_t row = 0;
    return alcore_pool_mark(other, (uint32_t)number, &row, 1);
}
CALL(state_count) {
    return alcore_pool_state_count(other, (uint32_t)number) == 0 ? NO_TEXT : ALCORE_OK;
}

static alcore_status column_with(const alcore_column_options *options) {
    static double values[3];
    int64_t shape = 3;
    alcore_tensor tensor;
    must(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, &shape, 1));
    return alcore_pool_set_column(other, "scores", &tensor, NULL, options);
}
CALL(column_ownership) {
    WITH(alcore_column_options, ALCORE_COLUMN_OPTIONS_INIT, ownership, column_with(&options));
}
CALL(column_meaning) {
    WITH(alcore_column_options, ALCORE_COLUMN_OPTIONS_INIT, meaning, column_with(&options));
}
static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}
static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}
/* Lists of a number each, for the rows of the pool. */
CALL(column_shape) {
    static const double numbers[] = {1, 2, 3};
    static const int32_t starts[] = {0, 1, 2, 3};
    const void *list_buffers[] = {NULL, starts}, *buffers[] = {NULL, numbers};
    struct ArrowSchema number_type = {.format = "g", .release = release_schema},
                       *values = &number_type;
    struct ArrowSchema schema = {
        .format = "+l", .n_children = 1, .children = &values, .release = release_schema};
    struct ArrowArray inner = {
        .length = 3, .n_buffers = 2, .buffers = buffers, .release = release_array};
    struct ArrowArray *inners = &inner, array = {.length = 3,
                                                 .n_buffers = 2,
                                                 .n_children = 1,
                                                 .buffers = list_buffers,
                                                 .children = &inners,
                                                 .release = release_array};
    WITH(alcore_column_options, ALCORE_COLUMN_OPTIONS_INIT, shape,
         alcore_pool_set_column_arrow(other, "lists", &array, &schema, &options));
}
CALL(writer_shape) {
    alcore_column_writer *writer;
    const alcore_status status = alcore_column_writer_new(other, "mine", number, NULL, &writer);
    alcore_column_writer_unref(writer);
    return status;
}
CALL(writer_missing) {
    alcore_column_writer *writer;
    must(alcore_column_writer_new(other, "mine", ALCORE_COLUMN_SCALAR, NULL, &writer));
    const alcore_status status = alcore_column_writer_finish(writer, number);
    alcore_column_writer_unref(writer);
    return status;
}
CALL(tensor_dtype) {
    double numbers[1] = {0};
    int64_t shape = 1;
    alcore_tensor tensor;
    return alcore_tensor_init(&tensor, numbers, number, &shape, 1);
}
CALL(topk_rest) {
    double top[] = {-0.5, -1.5};
    int64_t shape[] = {1, 2}, row = 0;
    alcore_tensor tensor;
    alcore_topk topk = ALCORE_TOPK_INIT;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    must(alcore_tensor_init(&tensor, top, ALCORE_FLOAT64, shape, 2));
    must(alcore_column_writer_new(other, "entropies", ALCORE_COLUMN_RAGGED, NULL,
                                  &writers.entropies));
    topk.top = &tensor;
    topk.classes = 10;
    topk.rest = number;
    const alcore_status status = alcore_logits_put_topk(ctx, &topk, &row, 1, &writers);
    alcore_column_writer_unref(writers.entropies);
    return status;
}
CALL(served_rest) {
    alcore_served_options options = ALCORE_SERVED_OPTIONS_INIT;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    must(alcore_column_writer_new(other, "entropies", ALCORE_COLUMN_RAGGED, NULL,
                                  &writers.entropies));
    options.classes = 10;
    options.rest = number;
    const alcore_status status = alcore_served_read(other, "/dev/null", &options, &writers);
    alcore_column_writer_unref(writers.entropies);
    return status;
}
CALL(search_metric) {
    float values[] = {1, 2, 3, 4};
    double found_values[2];
    int64_t shape[] = {2, 2}, out_shape[] = {2, 1}, found[2];
    alcore_tensor matrix, rows, numbers;
    alcore_search_data data = ALCORE_SEARCH_DATA_INIT;
    must(alcore_tensor_init(&matrix, values, ALCORE_FLOAT32, shape, 2));
    must(alcore_tensor_init(&rows, found, ALCORE_INT64, out_shape, 2));
    must(alcore_tensor_init(&numbers, found_values, ALCORE_FLOAT64, out_shape, 2));
    data.matrix = &matrix;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    options.metric = number;
    return alcore_search_knn(ctx, &data, &data, 1, &options, &rows, &numbers, NULL, NULL);
}

static alcore_status open_with(const alcore_model_options *options) {
    alcore_model *made;
    return alcore_model_open(ctx, "/nowhere", options, &made);
}
/* A host's model that says of its column what the test wants. */
static alcore_model_column said;

static int32_t can_all(void *user, const char *column) {
    (void)user;
    (void)column;
    return 1;
}

static void say(void *user, const char *column, alcore_model_column *out) {
    (void)user;
    (void)column;
    if (said.shape) out->shape = said.shape;
    if (said.meaning) out->meaning = said.meaning;
}

static alcore_status put_ones(void *user, const alcore_batch *batch, const char *const *columns,
                              alcore_column_writer *const *outs, int64_t count) {
    static float ones[] = {1, 1, 1};
    static const int64_t lengths[] = {1, 1, 1};
    int64_t dims[2] = {3, 1};
    alcore_tensor values;
    (void)user;
    (void)columns;
    (void)count;
    must(alcore_tensor_init(&values, ones, ALCORE_FLOAT32, dims,
                            said.shape == ALCORE_COLUMN_DENSE ? 2 : 1));
    return alcore_column_writer_put(outs[0], batch->rows,
                                    said.shape == ALCORE_COLUMN_RAGGED ? lengths : NULL,
                                    batch->count, &values);
}

static alcore_status run_host(alcore_model_column column) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *mine;
    said = column;
    host.can = can_all;
    host.compute = put_ones;
    host.describe = say;
    must(alcore_model_new_host(ctx, &host, &mine));
    const alcore_status status = alcore_model_run(mine, other, "mine");
    alcore_model_unref(mine);
    return status;
}
CALL(column_said_shape) {
    return run_host((alcore_model_column){.shape = number});
}
CALL(column_said_meaning) {
    return run_host((alcore_model_column){.meaning = number});
}
CALL(model_dtype) {
    WITH(alcore_model_options, ALCORE_MODEL_OPTIONS_INIT, dtype, open_with(&options));
}
CALL(model_pooling) {
    WITH(alcore_model_options, ALCORE_MODEL_OPTIONS_INIT, pooling, open_with(&options));
}
CALL(model_normalize) {
    WITH(alcore_model_options, ALCORE_MODEL_OPTIONS_INIT, normalize, open_with(&options));
}

CALL(request_pool) {
    return alcore_request_set_pool(request, number, pool);
}
CALL(request_rows) {
    static const int64_t row = 0;
    return alcore_request_set_rows(request, number, &row, 1);
}
CALL(request_read_rows) {
    return alcore_request_read_rows(request, number, "/nowhere");
}
CALL(request_get_rows) {
    alcore_tensor tensor;
    return alcore_request_get_rows(request, number, &tensor);
}
CALL(request_unit) {
    static const double amount = 2;
    return alcore_request_set_budgets(request, &amount, 1, number);
}
CALL(price_unit) {
    alcore_price price = ALCORE_PRICE_INIT;
    price.amount = 1;
    price.unit = number;
    return alcore_request_set_price(request, &price);
}
CALL(selection_column) {
    alcore_tensor tensor;
    return alcore_selection_get_column(selection, number, "score", &tensor);
}
CALL(selection_column_name) {
    return alcore_selection_column_name(selection, number, 0) ? ALCORE_OK : NO_TEXT;
}
CALL(strategy_needs) {
    return alcore_strategy_builtin_needs("idds", number, 0) ? ALCORE_OK : NO_TEXT;
}
CALL(hint) {
    return alcore_hint(number, "coreset") ? ALCORE_OK : NO_TEXT;
}

/* A call within the function of a strategy, which alone has a view. */
typedef struct within {
    alcore_status (*call)(const alcore_view *view, int32_t number);
    int32_t number;
    alcore_status status;
    char text[1024];
} within;

static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    within *self = user;
    const double scores[] = {1, 2, 3};
    self->status = self->call(view, self->number);
    snprintf(self->text, sizeof self->text, "%s", alcore_last_error());
    return alcore_choice_scores(out, scores, alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES));
}

static alcore_status in_view(alcore_status (*call)(const alcore_view *view, int32_t number),
                             int32_t number) {
    within self = {.call = call, .number = number};
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_selection *picked;
    host.user = &self;
    host.choose = choose;
    must(alcore_strategy_new_host(ctx, &host, &strategy));
    alcore_request *asked = new_request(strategy);
    must(alcore_select(asked, &picked));
    alcore_selection_unref(picked);
    alcore_request_unref(asked);
    alcore_strategy_unref(strategy);
    if (self.status == NO_TEXT || self.status == ALCORE_OK) return self.status;
    return alcore_error_set(self.status, self.text, strlen(self.text));
}
static alcore_status see_count(const alcore_view *view, int32_t number) {
    return alcore_view_row_count(view, number) > 0 ? ALCORE_OK : NO_TEXT;
}
static alcore_status see_rows(const alcore_view *view, int32_t number) {
    return alcore_view_rows(view, number) ? ALCORE_OK : NO_TEXT;
}
static alcore_status see_pool(const alcore_view *view, int32_t number) {
    return alcore_view_pool(view, number) ? ALCORE_OK : NO_TEXT;
}
static alcore_status see_column(const alcore_view *view, int32_t number) {
    alcore_tensor tensor;
    return alcore_view_get_column(view, number, "none", 0, 0, &tensor, NULL);
}
CALL(view_count) {
    return in_view(see_count, number);
}
CALL(view_rows) {
    return in_view(see_rows, number);
}
CALL(view_pool) {
    return in_view(see_pool, number);
}
CALL(view_column) {
    return in_view(see_column, number);
}

/* ---- calls of extra ---- */

static alcore_status align_with(const alcore_aligner_options *options) {
    alcore_aligner *made;
    const alcore_status status =
        alcore_aligner_new_trained(ctx, TEXTS, NULL, TEXTS, NULL, 3, options, &made);
    alcore_aligner_unref(made);
    return status;
}
CALL(align_direction) {
    WITH(alcore_aligner_options, ALCORE_ALIGNER_OPTIONS_INIT, direction, align_with(&options));
}
CALL(align_model) {
    WITH(alcore_aligner_options, ALCORE_ALIGNER_OPTIONS_INIT, model, align_with(&options));
}
CALL(align_estimate) {
    WITH(alcore_aligner_options, ALCORE_ALIGNER_OPTIONS_INIT, estimate, align_with(&options));
}
CALL(align_tension) {
    WITH(alcore_aligner_options, ALCORE_ALIGNER_OPTIONS_INIT, tension, align_with(&options));
}
CALL(cost_model) {
    alcore_cost_result result = ALCORE_COST_RESULT_INIT;
    WITH(alcore_cost_options, ALCORE_COST_OPTIONS_INIT, model,
         alcore_analysis_compute_cost(1, &options, &result));
}

static alcore_status bleu_with(const alcore_bleu_options *options) {
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    return alcore_metric_compute_bleu(ctx, TEXTS, NULL, 3, TEXTS, NULL, 3, options, NULL, &score);
}
CALL(bleu_tokenizer) {
    WITH(alcore_bleu_options, ALCORE_BLEU_OPTIONS_INIT, tokenizer, bleu_with(&options));
}
CALL(bleu_smoothing) {
    WITH(alcore_bleu_options, ALCORE_BLEU_OPTIONS_INIT, smoothing, bleu_with(&options));
}
CALL(paired_test) {
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_paired_options paired = ALCORE_PAIRED_OPTIONS_INIT;
    paired.baseline = TEXTS;
    paired.baseline_count = 3;
    paired.samples = 1;
    paired.test = number;
    options.paired = &paired;
    return bleu_with(&options);
}
CALL(spans_scheme) {
    static const char *const tags[] = {"O O"};
    alcore_spans_result result = ALCORE_SPANS_RESULT_INIT;
    WITH(alcore_spans_options, ALCORE_SPANS_OPTIONS_INIT, scheme,
         alcore_metric_compute_spans(ctx, tags, NULL, 1, tags, NULL, 1, &options, &result));
}

/* An overlap that keeps all roles; *status: of making it. */
static alcore_overlap *new_overlap(int32_t kept, alcore_status *status) {
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_overlap *made;
    options.kept = kept;
    *status = alcore_overlap_new(ctx, &options, &made);
    return made;
}
enum { ALL_ROLES = ALCORE_OVERLAP_BOTH | ALCORE_OVERLAP_TEST };
CALL(overlap_kept) {
    alcore_status status;
    alcore_overlap_unref(new_overlap(number, &status));
    return status;
}
CALL(overlap_role) {
    alcore_status status;
    alcore_overlap *overlap = new_overlap(ALL_ROLES, &status);
    status = alcore_overlap_add(overlap, number, ALCORE_SIDE_SOURCE, TEXTS, NULL, 3);
    alcore_overlap_unref(overlap);
    return status;
}
CALL(overlap_side) {
    alcore_status status;
    alcore_overlap *overlap = new_overlap(ALL_ROLES, &status);
    status = alcore_overlap_add(overlap, ALCORE_OVERLAP_TEST, number, TEXTS, NULL, 3);
    alcore_overlap_unref(overlap);
    return status;
}
CALL(overlap_read_role) {
    alcore_status status;
    alcore_overlap *overlap = new_overlap(ALL_ROLES, &status);
    status = alcore_overlap_read(overlap, number, ALCORE_SIDE_SOURCE, file, NULL, NULL);
    alcore_overlap_unref(overlap);
    return status;
}
CALL(overlap_read_side) {
    alcore_status status;
    alcore_overlap *overlap = new_overlap(ALL_ROLES, &status);
    status = alcore_overlap_read(overlap, ALCORE_OVERLAP_TEST, number, file, NULL, NULL);
    alcore_overlap_unref(overlap);
    return status;
}
CALL(overlap_data) {
    alcore_status status;
    alcore_coverage_options options = ALCORE_COVERAGE_OPTIONS_INIT;
    alcore_coverage_result result = ALCORE_COVERAGE_RESULT_INIT;
    alcore_overlap *overlap = new_overlap(ALL_ROLES, &status);
    options.data = number;
    status = alcore_overlap_compute_coverage(overlap, 1, &options, &result);
    alcore_overlap_unref(overlap);
    return status;
}
CALL(overlap_definition) {
    alcore_status status;
    alcore_in_domain_options options = ALCORE_IN_DOMAIN_OPTIONS_INIT;
    alcore_in_domain_result result = ALCORE_IN_DOMAIN_RESULT_INIT;
    alcore_overlap *overlap = new_overlap(ALL_ROLES, &status);
    options.definition = number;
    status = alcore_overlap_compute_in_domain(overlap, &options, &result);
    alcore_overlap_unref(overlap);
    return status;
}
CALL(plot_band) {
    WITH(alcore_plot_options, ALCORE_PLOT_OPTIONS_INIT, band,
         alcore_plot_write_curves(ctx, TEXTS, NULL, NULL, X, Y, 3, in_folder("out.svg"), &options));
}
CALL(stop_criterion) {
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    WITH(alcore_uncertainty_options, ALCORE_UNCERTAINTY_OPTIONS_INIT, criterion,
         alcore_stop_check_uncertainty(X, 3, 1, &options, &decision));
}

static alcore_status train_with(alcore_train_options *options) {
    options->validation = other;
    return alcore_model_train(model, pool, options, NULL);
}
CALL(train_schedule) {
    WITH(alcore_train_options, ALCORE_TRAIN_OPTIONS_INIT, schedule, train_with(&options));
}
CALL(train_optimizer) {
    WITH(alcore_train_options, ALCORE_TRAIN_OPTIONS_INIT, optimizer, train_with(&options));
}
CALL(train_metric) {
    WITH(alcore_train_options, ALCORE_TRAIN_OPTIONS_INIT, metric, train_with(&options));
}
CALL(train_precision) {
    WITH(alcore_train_options, ALCORE_TRAIN_OPTIONS_INIT, precision, train_with(&options));
}
CALL(vocabulary_kind) {
    WITH(alcore_vocabulary_options, ALCORE_VOCABULARY_OPTIONS_INIT, kind,
         alcore_tokenizer_train_vocabulary(ctx, TEXTS, NULL, 3, in_folder("v"), &options));
}

static alcore_status write_tool_with(const alcore_tool_options *options) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.ids = items.texts = TEXTS;
    items.count = 3;
    return alcore_tool_write(ctx, "prodigy", in_folder("out.x"), &items, options);
}
CALL(tool_task) {
    WITH(alcore_tool_options, ALCORE_TOOL_OPTIONS_INIT, task, write_tool_with(&options));
}
CALL(tool_span_unit) {
    WITH(alcore_tool_options, ALCORE_TOOL_OPTIONS_INIT, span_unit, write_tool_with(&options));
}

CALL(project_role) {
    alcore_project *project;
    alcore_status status = alcore_project_init(ctx, in_folder("project"), NULL, NULL, 0, &project);
    if (status == ALCORE_E_IO) status = alcore_project_open(ctx, in_folder("project"), &project);
    if (status == ALCORE_OK)
        status = alcore_project_add(project, number, in_folder("project.txt"), NULL);
    alcore_project_unref(project);
    return status;
}

CALL(project_span_unit) {
    static const char *const names[] = {"task", "labels"}, *const values[] = {"spans", "x"};
    alcore_project *project;
    alcore_status status =
        alcore_project_init(ctx, in_folder("marked"), names, values, 2, &project);
    if (status == ALCORE_E_IO) status = alcore_project_open(ctx, in_folder("marked"), &project);
    if (status == ALCORE_OK)
        status = alcore_project_import_spans(project, "prodigy", in_folder("absent.jsonl"), NULL,
                                             number, NULL);
    alcore_project_unref(project);
    return status;
}

/* What takes an enum: the function or struct, the argument or member, the enum, and the call. */
static const struct taker {
    const char *owner, *argument, *tag;
    alcore_status (*call)(int32_t number);
} TAKERS[] = {
    {"alcore_read_options", "format", "alcore_file_format", read_format},
    {"alcore_read_options", "bad_lines", "alcore_bad_lines", read_bad_lines},
    {"alcore_read_options", "escapes", "alcore_escapes", read_escapes},
    {"alcore_read_options", "by", "alcore_join", read_by},
    {"alcore_write_options", "format", "alcore_file_format", write_format},
    {"alcore_report_options", "kind", "alcore_report_kind", report_kind},
    {"alcore_pool_options", "dedup", "alcore_dedup", pool_dedup},
    {"alcore_pool_options", "utf8", "alcore_malformed_text", pool_utf8},
    {"alcore_pool_options", "repeated_ids", "alcore_repeated_ids", pool_repeated_ids},
    {"alcore_join_options", "by", "alcore_join", join_by},
    {"alcore_pool_mark", "states", "alcore_row_state", mark},
    {"alcore_pool_state_count", "states", "alcore_row_state", state_count},
    {"alcore_column_options", "ownership", "alcore_ownership", column_ownership},
    {"alcore_column_options", "meaning", "alcore_meaning", column_meaning},
    {"alcore_column_options", "shape", "alcore_column_shape", column_shape},
    {"alcore_column_writer_new", "shape", "alcore_column_shape", writer_shape},
    {"alcore_column_writer_finish", "missing", "alcore_missing_rule", writer_missing},
    {"alcore_tensor_init", "dtype", "alcore_number_type", tensor_dtype},
    {"alcore_topk", "rest", "alcore_rest", topk_rest},
    {"alcore_served_options", "rest", "alcore_rest", served_rest},
    {"alcore_search_options", "metric", "alcore_distance", search_metric},
    {"alcore_model_column", "shape", "alcore_column_shape", column_said_shape},
    {"alcore_model_column", "meaning", "alcore_meaning", column_said_meaning},
    {"alcore_model_options", "dtype", "alcore_number_type", model_dtype},
    {"alcore_model_options", "pooling", "alcore_pooling", model_pooling},
    {"alcore_model_options", "normalize", "alcore_normalization", model_normalize},
    {"alcore_request_set_pool", "role", "alcore_role", request_pool},
    {"alcore_request_set_rows", "kind", "alcore_row_list", request_rows},
    {"alcore_request_read_rows", "kind", "alcore_row_list", request_read_rows},
    {"alcore_request_get_rows", "kind", "alcore_row_list", request_get_rows},
    {"alcore_request_set_budgets", "unit", "alcore_unit", request_unit},
    {"alcore_price", "unit", "alcore_unit", price_unit},
    {"alcore_selection_get_column", "scope", "alcore_scope", selection_column},
    {"alcore_selection_column_name", "scope", "alcore_scope", selection_column_name},
    {"alcore_strategy_builtin_needs", "role", "alcore_role", strategy_needs},
    {"alcore_hint", "kind", "alcore_hint_kind", hint},
    {"alcore_view_row_count", "role", "alcore_role", view_count},
    {"alcore_view_rows", "role", "alcore_role", view_rows},
    {"alcore_view_pool", "role", "alcore_role", view_pool},
    {"alcore_view_get_column", "role", "alcore_role", view_column},
    {"alcore_aligner_options", "direction", "alcore_direction", align_direction},
    {"alcore_aligner_options", "model", "alcore_alignment_model", align_model},
    {"alcore_aligner_options", "estimate", "alcore_estimate", align_estimate},
    {"alcore_aligner_options", "tension", "alcore_tension", align_tension},
    {"alcore_cost_options", "model", "alcore_cost_model", cost_model},
    {"alcore_bleu_options", "tokenizer", "alcore_bleu_tokenizer", bleu_tokenizer},
    {"alcore_bleu_options", "smoothing", "alcore_bleu_smoothing", bleu_smoothing},
    {"alcore_paired_options", "test", "alcore_paired_test", paired_test},
    {"alcore_spans_options", "scheme", "alcore_tag_scheme", spans_scheme},
    {"alcore_overlap_options", "kept", "alcore_overlap_role", overlap_kept},
    {"alcore_overlap_add", "role", "alcore_overlap_role", overlap_role},
    {"alcore_overlap_add", "side", "alcore_side", overlap_side},
    {"alcore_overlap_read", "role", "alcore_overlap_role", overlap_read_role},
    {"alcore_overlap_read", "side", "alcore_side", overlap_read_side},
    {"alcore_coverage_options", "data", "alcore_overlap_role", overlap_data},
    {"alcore_in_domain_options", "definition", "alcore_in_domain", overlap_definition},
    {"alcore_plot_options", "band", "alcore_band", plot_band},
    {"alcore_uncertainty_options", "criterion", "alcore_stop_criterion", stop_criterion},
    {"alcore_train_options", "schedule", "alcore_schedule", train_schedule},
    {"alcore_train_options", "optimizer", "alcore_optimizer", train_optimizer},
    {"alcore_train_options", "metric", "alcore_validation", train_metric},
    {"alcore_train_options", "precision", "alcore_precision", train_precision},
    {"alcore_vocabulary_options", "kind", "alcore_vocabulary_kind", vocabulary_kind},
    {"alcore_project_add", "role", "alcore_role", project_role},
    {"alcore_project_import_spans", "span_unit", "alcore_span_unit", project_span_unit},
    {"alcore_tool_options", "task", "alcore_task", tool_task},
    {"alcore_tool_options", "span_unit", "alcore_span_unit", tool_span_unit},
};

/* Whether the call refused its number by name. */
static bool refused(const struct taker *taker, alcore_status status) {
    if (status == NO_TEXT) return true;
    return (status == ALCORE_E_INVALID || status == ALCORE_E_PARAM) &&
           strstr(alcore_last_error(), taker->argument);
}

static void walk(const struct taker *taker) {
    char name[128], detail[1400] = "";
    bool good = true, taken = false;
    for (int i = 0; i < VALUE_COUNT && good; i++) {
        const value *tried = &VALUES[i];
        if (tried->number == 0)
            continue; /* the default, of which no enum but the statuses has a name */
        /* A model also takes a type that arrays do not have. */
        const bool more = taker->call == model_dtype && !strcmp(tried->tag, "alcore_narrow_type"),
                   own = more || !strcmp(tried->tag, taker->tag);
        const alcore_status status = taker->call(tried->number);
        taken |= own && !refused(taker, status);
        good = own || refused(taker, status);
        if (!good)
            snprintf(detail, sizeof detail, "%s of %s: %s, %s", tried->name, tried->tag,
                     status == ALCORE_OK ? "taken" : alcore_status_name(status),
                     alcore_last_error());
    }
    if (good && !taken) snprintf(detail, sizeof detail, "no value of %s is taken", taker->tag);
    snprintf(name, sizeof name, "%s of %s takes %s", taker->argument, taker->owner, taker->tag);
    tap_ok(good && taken, name, detail);
}

int main(void) {
    make_world();
    for (size_t i = 0; i < sizeof TAKERS / sizeof *TAKERS; i++)
        if (TAKERS[i].call != project_role || alcore_feature("sqlite") == 1) walk(&TAKERS[i]);
    release_world();
    return tap_end();
}
