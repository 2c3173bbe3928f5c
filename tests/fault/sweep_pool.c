/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: the pool, its columns and the column writer. */
#include <errno.h>
#include <string.h>

#include "column_rows.h"
#include "sweep.h"

ALLOCATES(alcore_pool_new, 0) {
    alcore_pool *out = w->pool;
    alcore_status status = alcore_pool_new(w->ctx, NULL, &out);
    MADE(alcore_pool_unref, status, out);
}
ALLOCATES(alcore_pool_new_derived, 0) {
    alcore_pool *out = w->pool;
    alcore_status status = alcore_pool_new_derived(w->pool, NULL, &out);
    MADE(alcore_pool_unref, status, out);
}
NEVER(alcore_pool_ref, 0) {
    alcore_pool_unref(alcore_pool_ref(w->pool));
    HOLDS(!alcore_pool_ref(NULL));
}
NEVER(alcore_pool_unref, 0) {
    alcore_pool_unref(NULL);
    HOLDS(true);
}
GROWS(alcore_pool_add_texts, 0) {
    const char *texts[3] = {"a text that is new", "personal data are processed lawfully",
                            "another one"};
    int64_t first = -1;
    alcore_status status = alcore_pool_add_texts(w->pool, texts, NULL, 3, &first);
    if (status != ALCORE_OK) return first == 0 || first == -1 ? status : ALCORE_E_INTERNAL;
    return first >= WORLD_ROWS ? ALCORE_OK : ALCORE_E_INTERNAL;
}
GROWS(alcore_pool_add_utf8, 0) {
    static const int64_t offsets[] = {0, 5, 11};
    return alcore_pool_add_utf8(w->pool, "a newtext..", offsets, 2, NULL);
}
GROWS(alcore_pool_add_records, 0) {
    const char *texts[2] = {"first record", "second record"}, *ids[2] = {"x", "y"},
               *tags[2] = {"en", "de"};
    const double costs[2] = {1, 2.5};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 2;
    records.texts = records.references = texts;
    records.ids = ids;
    records.languages = records.groups = tags;
    records.costs = costs;
    return alcore_pool_add_records(w->pool, &records, NULL);
}
ALLOCATES(alcore_pool_read, 0) {
    static const char *const names[] = {"pool.txt", "pool.tsv", "pool.jsonl", "pool.conllu"};
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 5 && status == ALCORE_OK; i++) {
        /* Each file into a pool of its own, or a failure of the second would leave the rows of the
         * first. The last time the lines of a file are their own references. */
        alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
        alcore_pool *pool = NULL;
        if (i == 4) options.references = world_file(names[0]);
        status = alcore_pool_new(w->ctx, NULL, &pool);
        if (status == ALCORE_OK)
            status = alcore_pool_read(pool, world_file(names[i % 4]), &options);
        if (status != ALCORE_OK && pool && alcore_pool_row_count(pool) != 0)
            status = ALCORE_E_INTERNAL;
        alcore_pool_unref(pool);
    }
    return status;
}
NEVER(alcore_pool_row_count, 0) {
    HOLDS(alcore_pool_row_count(w->pool) == WORLD_ROWS);
}
NEVER(alcore_pool_text, 0) {
    size_t length;
    HOLDS(strlen(alcore_pool_text(w->pool, 0, &length)) == length &&
          !alcore_pool_text(w->pool, WORLD_ROWS, NULL));
}
/* What it makes stays with the pool; it has no status, and sets no error text. */
GROWS(alcore_pool_row_id, 0) {
    const char *id = alcore_pool_row_id(w->pool, 1);
    return id ? (strcmp(id, "2") == 0 ? ALCORE_OK : ALCORE_E_INTERNAL)
              : alcore_error_set(ALCORE_E_NOMEM, "no memory for an id", 19);
}
NEVER(alcore_pool_reference, 0) {
    HOLDS(!alcore_pool_reference(w->pool, 0, NULL));
}
NEVER(alcore_pool_language, 0) {
    HOLDS(strcmp(alcore_pool_language(w->pool, 0), "unknown") == 0);
}
NEVER(alcore_pool_group, 0) {
    HOLDS(!alcore_pool_group(w->pool, 0));
}
NEVER(alcore_pool_cost, 0) {
    double cost = alcore_pool_cost(w->pool, 0);
    HOLDS(cost != cost);
}
NEVER(alcore_pool_words, 0) {
    HOLDS(alcore_pool_words(w->pool, 0) == 7 && alcore_pool_words(w->pool, -1) == -1);
}
NEVER(alcore_pool_source, 0) {
    HOLDS(!alcore_pool_source(w->pool));
}
NEVER(alcore_pool_fingerprint, 0) {
    HOLDS(alcore_pool_fingerprint(w->pool) != 0 && alcore_pool_fingerprint(NULL) == 0);
}
GROWS(alcore_pool_set_references, 0) {
    const int64_t rows[2] = {0, 2};
    const char *references[2] = {"label", "other"};
    return alcore_pool_set_references(w->pool, rows, references, NULL, 2);
}
GROWS(alcore_pool_set_costs, 0) {
    const int64_t rows[2] = {0, 2};
    const double costs[2] = {1, 2.5};
    return alcore_pool_set_costs(w->pool, rows, costs, 2);
}
NEVER(alcore_pool_find, 0) {
    int64_t row = -2;
    return alcore_pool_find(w->pool, "2", 1, &row) == ALCORE_OK && row == 1 ? ALCORE_OK
                                                                            : ALCORE_E_INTERNAL;
}
ALLOCATES(alcore_pool_join, 0) {
    int64_t rows[2] = {-2, -2};
    alcore_pool *pool = NULL;
    const char *texts[2] = {"text", "other"}, *ids[2] = {"seven", "eight"};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 2;
    records.texts = texts;
    records.ids = ids;
    sweep_pause(w);
    alcore_status status = alcore_pool_new(w->ctx, NULL, &pool);
    if (status == ALCORE_OK) status = alcore_pool_add_records(pool, &records, NULL);
    sweep_resume(w);
    if (status == ALCORE_OK) status = alcore_pool_join(pool, pool, NULL, rows);
    alcore_pool_unref(pool);
    return status == ALCORE_OK && rows[1] != 1 ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_pool_states, 0) {
    HOLDS((alcore_pool_states(w->pool)[3] & ALCORE_ROW_EMPTY) != 0);
}
NEVER(alcore_pool_state_count, 0) {
    HOLDS(alcore_pool_state_count(w->pool, 0) == WORLD_ROWS - 2);
}
NEVER(alcore_pool_mark, 0) {
    int64_t rows[2] = {1, 4};
    return alcore_pool_mark(w->pool, ALCORE_ROW_LABELED, rows, 2);
}
NEVER(alcore_pool_unmark, 0) {
    int64_t rows[2] = {1, 4};
    return alcore_pool_unmark(w->pool, ALCORE_ROW_LABELED, rows, 2);
}
ALLOCATES(alcore_pool_mark_texts, 0) {
    return alcore_pool_mark_texts(w->pool, ALCORE_ROW_EXCLUDED, w->labeled);
}
ALLOCATES(alcore_pool_filter, 0) {
    alcore_filter filter = ALCORE_FILTER_INIT;
    filter.min_words = 4;
    return alcore_pool_filter(w->pool, &filter);
}
ALLOCATES(alcore_pool_write, 0) {
    int64_t rows[2] = {2, 0};
    return alcore_pool_write(w->pool, rows, 2, world_file("rows.tsv"), NULL);
}
ALLOCATES(alcore_pool_set_column, 0) {
    double data[WORLD_ROWS] = {0};
    int64_t shape[1] = {WORLD_ROWS};
    alcore_tensor values;
    alcore_status status = alcore_tensor_init(&values, data, ALCORE_FLOAT64, shape, 1);
    return status ? status : alcore_pool_set_column(w->pool, "given", &values, NULL, NULL);
}
ALLOCATES(alcore_pool_read_column, WITH_SCORES) {
    alcore_column_options links = ALCORE_COLUMN_OPTIONS_INIT;
    links.format = "pharaoh";
    alcore_status status = alcore_pool_read_column(w->pool, "read", world_file("scores.npy"), NULL);
    if (status != ALCORE_OK) return status;
    alcore_pool_drop_column(w->pool, "read");
    return alcore_pool_read_column(w->pool, "links", world_file("column.links"), &links);
}
ALLOCATES(alcore_pool_write_column, WITH_SCORES) {
    return alcore_pool_write_column(w->pool, "embeddings", world_file("embeddings.npy"), NULL);
}
NEVER(alcore_pool_drop_column, WITH_SCORES) {
    alcore_pool_drop_column(w->pool, "scores");
    HOLDS(alcore_pool_drop_column(w->pool, "scores") == ALCORE_E_NOT_FOUND);
}
NEVER(alcore_pool_column_name, WITH_SCORES) {
    HOLDS(alcore_pool_column_name(w->pool, 0) && !alcore_pool_column_name(w->pool, 99));
}
NEVER(alcore_pool_get_column_info, WITH_SCORES) {
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    HOLDS(alcore_pool_get_column_info(w->pool, "embeddings", &info) == ALCORE_OK &&
          info.width == WORLD_DIMS);
}
ALLOCATES(alcore_pool_set_text_column, 0) {
    const char *texts[WORLD_ROWS] = {"a", NULL, "c"};
    alcore_status status =
        alcore_pool_set_text_column(w->pool, "notes", texts, NULL, WORLD_ROWS, NULL);
    if (status == ALCORE_OK) alcore_pool_drop_column(w->pool, "notes");
    return status;
}
NEVER(alcore_pool_column_text, WITH_SCORES) {
    HOLDS(!alcore_pool_column_text(w->pool, "embeddings", 0, NULL));
}
NEVER(alcore_pool_get_column, WITH_SCORES) {
    alcore_tensor values, offsets;
    return alcore_pool_get_column(w->pool, "logprobs", &values, &offsets);
}
NEVER(alcore_pool_get_column_tokens, WITH_SCORES) {
    const int64_t rows[2] = {5, 1};
    int64_t offsets[3];
    return alcore_pool_get_column_tokens(w->pool, "logprobs", rows, 2, offsets, NULL);
}
NEVER(alcore_pool_get_column_rows, WITH_SCORES) {
    int64_t rows[2] = {5, 1};
    double out[2 * WORLD_DIMS];
    return test_column_rows(w->pool, "embeddings", rows, 2, out);
}

static void schema_release(struct ArrowSchema *schema) {
    schema->release = NULL;
}
static void array_release(struct ArrowArray *array) {
    array->release = NULL;
}
static void stream_release(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}
static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    static struct ArrowSchema column, *columns[1] = {&column};
    column = (struct ArrowSchema){.format = "u", .name = "text", .release = schema_release};
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = 1,
                                .children = columns,
                                .release = schema_release};
    (void)stream;
    return 0;
}
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const int32_t ends[3] = {0, 3, 7};
    static const void *none[1], *buffers[3] = {NULL, ends, "oneword"};
    static struct ArrowArray column, *columns[1] = {&column};
    int *left = stream->private_data;
    memset(out, 0, sizeof *out);
    if ((*left)-- <= 0) return 0;
    column = (struct ArrowArray){
        .length = 2, .n_buffers = 3, .buffers = buffers, .release = array_release};
    *out = (struct ArrowArray){.length = 2,
                               .n_buffers = 1,
                               .n_children = 1,
                               .buffers = none,
                               .children = columns,
                               .release = array_release};
    return 0;
}
static const char *stream_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

GROWS(alcore_pool_add_arrow, 0) {
    int left = 2;
    struct ArrowArrayStream stream = {get_schema, get_next, stream_error, stream_release, &left};
    alcore_status status = alcore_pool_add_arrow(w->pool, &stream, NULL);
    return stream.release ? ALCORE_E_INTERNAL : status;
}
ALLOCATES(alcore_pool_set_column_arrow, 0) {
    static const float values[WORLD_ROWS + 1] = {1};
    static const int32_t ends[WORLD_ROWS + 1] = {0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const uint8_t valid[] = {0xFE, 0xFF};
    static const void *number_buffers[2] = {valid, values}, *list_buffers[2] = {NULL, ends};
    struct ArrowSchema item = {.format = "f", .release = schema_release}, *items[1] = {&item};
    struct ArrowArray numbers = {.length = WORLD_ROWS,
                                 .null_count = -1,
                                 .n_buffers = 2,
                                 .buffers = number_buffers,
                                 .release = array_release},
                      *children[1] = {&numbers};
    struct ArrowSchema schema = {
        .format = "+l", .n_children = 1, .children = items, .release = schema_release};
    struct ArrowArray array = {.length = WORLD_ROWS,
                               .n_buffers = 2,
                               .n_children = 1,
                               .buffers = list_buffers,
                               .children = children,
                               .release = array_release};
    alcore_status status = alcore_pool_set_column_arrow(w->pool, "logprobs", &array, &schema, NULL);
    if (!array.release != (status == ALCORE_OK)) return ALCORE_E_INTERNAL;
    return status;
}
/* Gives one array of texts, then of numbers. */
static int next_text(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const int32_t ends[WORLD_ROWS + 1] = {0, 3, 7};
    static const void *buffers[3] = {NULL, ends, "oneword"};
    int *left = stream->private_data;
    memset(out, 0, sizeof *out);
    if ((*left)-- <= 0) return 0;
    *out = (struct ArrowArray){
        .length = 2, .n_buffers = 3, .buffers = buffers, .release = array_release};
    return 0;
}
static int text_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    *out = (struct ArrowSchema){.format = "u", .release = schema_release};
    (void)stream;
    return 0;
}
ALLOCATES(alcore_pool_set_column_stream, 0) {
    static const int64_t rows[] = {1, 3, 5, 7};
    int left = 2;
    struct ArrowArrayStream stream = {text_schema, next_text, stream_error, stream_release, &left};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = 4;
    alcore_status status = alcore_pool_set_column_stream(w->pool, "notes", &stream, &options);
    if (status == ALCORE_OK) alcore_pool_drop_column(w->pool, "notes");
    return stream.release ? ALCORE_E_INTERNAL : status;
}
/* Reads a stream to its end and releases it. */
static alcore_status drain(struct ArrowArrayStream *stream) {
    struct ArrowSchema schema;
    struct ArrowArray batch;
    int code = stream->get_schema(stream, &schema);
    if (code == 0) schema.release(&schema);
    while (code == 0 && (code = stream->get_next(stream, &batch)) == 0 && batch.release)
        batch.release(&batch);
    stream->release(stream);
    return code == 0 ? ALCORE_OK : code == ENOMEM ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL;
}
ALLOCATES(alcore_pool_get_arrow, WITH_SCORES) {
    struct ArrowArrayStream stream;
    alcore_status status = alcore_pool_get_arrow(w->pool, NULL, &stream);
    return status == ALCORE_OK ? drain(&stream) : status;
}
ALLOCATES(alcore_selection_get_arrow, WITH_SELECTION) {
    static const char *const names[] = {"rank", "text"};
    alcore_table_options options = ALCORE_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    alcore_status status = alcore_selection_get_arrow(w->selection, NULL, &stream);
    if (status == ALCORE_OK) status = drain(&stream);
    if (status != ALCORE_OK) return status;
    options.columns = names;
    options.column_count = 2;
    status = alcore_selection_get_arrow(w->selection, &options, &stream);
    return status == ALCORE_OK ? drain(&stream) : status;
}

/* ---- column writer ---- */

ALLOCATES(alcore_column_writer_new, 0) {
    alcore_column_writer *out = w->writer;
    alcore_status status =
        alcore_column_writer_new(w->pool, "new", ALCORE_COLUMN_DENSE, NULL, &out);
    MADE(alcore_column_writer_unref, status, out);
}
NEVER(alcore_column_writer_ref, WITH_WRITER) {
    alcore_column_writer_unref(alcore_column_writer_ref(w->writer));
    HOLDS(!alcore_column_writer_ref(NULL));
}
NEVER(alcore_column_writer_unref, 0) {
    alcore_column_writer_unref(NULL);
    HOLDS(true);
}
static alcore_status put_rows(alcore_column_writer *writer, int64_t shape_kind, bool in_stream) {
    const int64_t rows[2] = {9, 7}, lengths[2] = {2, 1};
    float data[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[2] = {shape_kind == ALCORE_COLUMN_RAGGED ? 3 : 2, 2};
    alcore_tensor values;
    alcore_status status = alcore_tensor_init(&values, data, ALCORE_FLOAT32, shape,
                                              shape_kind == ALCORE_COLUMN_DENSE ? 2 : 1);
    const int64_t *of_rows = shape_kind == ALCORE_COLUMN_RAGGED ? lengths : NULL;
    if (status) return status;
    return in_stream ? alcore_column_writer_put_in_stream(writer, rows, of_rows, 2, &values, NULL)
                     : alcore_column_writer_put(writer, rows, of_rows, 2, &values);
}
static alcore_status put_each_shape(world *w, bool in_stream) {
    alcore_status status = ALCORE_OK;
    for (int32_t shape = ALCORE_COLUMN_SCALAR; shape <= ALCORE_COLUMN_RAGGED && status == ALCORE_OK;
         shape++) {
        alcore_column_writer *writer = NULL;
        sweep_pause(w);
        status = alcore_column_writer_new(w->pool, "put", shape, NULL, &writer);
        sweep_resume(w);
        if (status == ALCORE_OK) status = put_rows(writer, shape, in_stream);
        int64_t left = alcore_pool_state_count(w->pool, 0) - (status == ALCORE_OK ? 2 : 0);
        if (alcore_column_writer_missing_count(writer) != left) status = ALCORE_E_INTERNAL;
        alcore_column_writer_unref(writer);
    }
    return status;
}
GROWS(alcore_column_writer_put, 0) {
    return put_each_shape(w, false);
}
GROWS(alcore_column_writer_put_in_stream, 0) {
    return put_each_shape(w, true);
}
NEVER(alcore_column_writer_repeats, WITH_WRITER) {
    HOLDS(alcore_column_writer_repeats(w->writer) == 0);
}
NEVER(alcore_column_writer_missing_count, WITH_WRITER) {
    HOLDS(alcore_column_writer_missing_count(w->writer) == WORLD_ROWS - 4);
}
NEVER(alcore_column_writer_missing, WITH_WRITER) {
    int64_t rows[2], count = 2;
    alcore_tensor out;
    HOLDS(alcore_tensor_init(&out, rows, ALCORE_INT64, &count, 1) == ALCORE_OK &&
          alcore_column_writer_missing(w->writer, &out) == ALCORE_OK && rows[0] == 2 &&
          rows[1] == 4);
}
ALLOCATES(alcore_column_writer_save, WITH_WRITER) {
    return alcore_column_writer_save(w->writer, world_file("saved.part"));
}
GROWS(alcore_column_writer_merge, WITH_WRITER) {
    return alcore_column_writer_merge(w->writer, world_file("written.part"));
}
ALLOCATES(alcore_column_writer_finish, WITH_FULL_WRITER) {
    return alcore_column_writer_finish(w->writer, ALCORE_MISSING_FAIL);
}

/* ---- logits ---- */

/* Logits of two items of three tokens and seven classes, with room between the items. */
static alcore_status with_logits(alcore_logits *given, alcore_tensor *logits,
                                 alcore_tensor *labels) {
    static float data[2 * 4 * 7] = {1, 2, 3};
    static int64_t classes[2 * 3] = {0, 1, 2, 3, 4, 5}, shape[3] = {2, 3, 7},
                               strides[3] = {28, 7, 1};
    *given = (alcore_logits)ALCORE_LOGITS_INIT;
    given->logits = logits;
    given->labels = labels;
    alcore_status status = alcore_tensor_init(logits, data, ALCORE_FLOAT32, shape, 3);
    logits->strides = strides;
    return status ? status : alcore_tensor_init(labels, classes, ALCORE_INT64, shape, 2);
}
ALLOCATES(alcore_logits_measure, 0) {
    alcore_tensor logits, labels;
    alcore_logits given;
    double margin[6], logprob[6];
    alcore_token_stats out = ALCORE_TOKEN_STATS_INIT;
    int64_t shape[2] = {2, 3};
    alcore_tensor margins, logprobs;
    out.margin = &margins;
    out.logprob = &logprobs;
    alcore_status status = with_logits(&given, &logits, &labels);
    if (status == ALCORE_OK)
        status = alcore_tensor_init(&margins, margin, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK)
        status = alcore_tensor_init(&logprobs, logprob, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK) status = alcore_logits_measure(w->ctx, &given, -100, &out);
    if (status) return status;
    /* The same array as hidden states, and as the output matrix of seven numbers. */
    alcore_tensor matrix = logits;
    matrix.ndim = 2;
    given.hidden = &logits;
    given.logits = NULL;
    given.labels = NULL;
    given.output = &matrix;
    matrix.shape = (int64_t[]){4, 7};
    matrix.strides = NULL;
    float numbers[4] = {0};
    alcore_tensor bias;
    out.logprob = NULL;
    status = alcore_tensor_init(&bias, numbers, ALCORE_FLOAT32, matrix.shape, 1);
    given.bias = &bias;
    return status ? status : alcore_logits_measure(w->ctx, &given, -100, &out);
}
ALLOCATES(alcore_hidden_average_words, 0) {
    float states[5 * 3] = {1, 2, 3};
    uint8_t begins[5] = {0, 1, 0, 1, 1};
    int64_t starts[3] = {0, 3, 5}, count = 5, ends = 3, shape[2] = {5, 3}, out_shape[2] = {2, 3};
    double means[2 * 3];
    alcore_tensor hidden, words, offsets, out;
    alcore_status status = alcore_tensor_init(&hidden, states, ALCORE_FLOAT32, shape, 2);
    if (!status) status = alcore_tensor_init(&words, begins, ALCORE_UINT8, &count, 1);
    if (!status) status = alcore_tensor_init(&offsets, starts, ALCORE_INT64, &ends, 1);
    if (!status) status = alcore_tensor_init(&out, means, ALCORE_FLOAT64, out_shape, 2);
    return status ? status : alcore_hidden_average_words(w->ctx, &hidden, &words, &offsets, &out);
}
GROWS(alcore_logits_put, 0) {
    const int64_t rows[2] = {9, 7};
    alcore_tensor logits, labels;
    alcore_logits given;
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    sweep_pause(w);
    alcore_status status =
        alcore_column_writer_new(w->pool, "nnll", ALCORE_COLUMN_SCALAR, NULL, &out.nnll);
    if (!status)
        status = alcore_column_writer_new(w->pool, "lp", ALCORE_COLUMN_RAGGED, NULL, &out.logprobs);
    if (!status)
        status = alcore_column_writer_new(w->pool, "e", ALCORE_COLUMN_RAGGED, NULL, &out.entropies);
    if (!status) status = with_logits(&given, &logits, &labels);
    sweep_resume(w);
    if (!status) status = alcore_logits_put(w->ctx, &given, rows, 2, -100, &out);
    int64_t left = alcore_pool_state_count(w->pool, 0);
    if (!status && alcore_column_writer_missing_count(out.entropies) != left - 2)
        status = ALCORE_E_INTERNAL;
    alcore_column_writer_unref(out.nnll);
    alcore_column_writer_unref(out.logprobs);
    alcore_column_writer_unref(out.entropies);
    return status;
}

GROWS(alcore_logits_put_topk, 0) {
    const int64_t rows[2] = {9, 7}, lengths[2] = {1, 2};
    double of_tokens[3] = {-1, -2, -0.5}, likeliest[3][2] = {{-1, -1}, {-0.5, -2}, {-0.5, -3}};
    int64_t ids[3][2] = {{1, 2}, {2, 5}, {3, 1}}, shape[2] = {3, 2};
    alcore_tensor logprobs, top, top_ids;
    alcore_topk given = ALCORE_TOPK_INIT;
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    sweep_pause(w);
    alcore_status status =
        alcore_column_writer_new(w->pool, "nnll", ALCORE_COLUMN_SCALAR, NULL, &out.nnll);
    if (!status)
        status = alcore_column_writer_new(w->pool, "m", ALCORE_COLUMN_RAGGED, NULL, &out.margins);
    if (!status)
        status = alcore_column_writer_new(w->pool, "e", ALCORE_COLUMN_RAGGED, NULL, &out.entropies);
    if (!status) status = alcore_tensor_init(&logprobs, of_tokens, ALCORE_FLOAT64, shape, 1);
    if (!status) status = alcore_tensor_init(&top, likeliest, ALCORE_FLOAT64, shape, 2);
    if (!status) status = alcore_tensor_init(&top_ids, ids, ALCORE_INT64, shape, 2);
    sweep_resume(w);
    given.logprobs = &logprobs;
    given.top = &top;
    given.top_ids = &top_ids;
    given.lengths = lengths;
    given.length_count = 2;
    if (!status) status = alcore_logits_put_topk(w->ctx, &given, rows, 2, &out);
    int64_t left = alcore_pool_state_count(w->pool, 0);
    if (!status && alcore_column_writer_missing_count(out.entropies) != left - 2)
        status = ALCORE_E_INTERNAL;
    alcore_column_writer_unref(out.nnll);
    alcore_column_writer_unref(out.margins);
    alcore_column_writer_unref(out.entropies);
    return status;
}

GROWS(alcore_served_read, 0) {
    alcore_logits_writers out = ALCORE_LOGITS_WRITERS_INIT;
    sweep_pause(w);
    alcore_status status =
        alcore_column_writer_new(w->pool, "nnll", ALCORE_COLUMN_SCALAR, NULL, &out.nnll);
    if (!status)
        status = alcore_column_writer_new(w->pool, "e", ALCORE_COLUMN_RAGGED, NULL, &out.entropies);
    sweep_resume(w);
    if (!status) status = alcore_served_read(w->pool, world_file("answers.jsonl"), NULL, &out);
    int64_t left = alcore_pool_state_count(w->pool, 0);
    if (!status && alcore_column_writer_missing_count(out.entropies) != left - 2)
        status = ALCORE_E_INTERNAL;
    alcore_column_writer_unref(out.nnll);
    alcore_column_writer_unref(out.entropies);
    return status;
}

/* ---- phrases ---- */

ALLOCATES(alcore_pool_derive_phrases, 0) {
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    alcore_pool *out = w->pool;
    alcore_status status = alcore_pool_derive_phrases(w->pool, w->labeled, NULL, &out);
    if (status) return !out ? status : ALCORE_E_INTERNAL;
    alcore_pool_unref(out);
    out = w->pool;
    options.max_words = ALCORE_PHRASE_UNLIMITED;
    options.semi_maximal = options.with_letters = 1;
    status = alcore_pool_derive_phrases(w->pool, w->labeled, &options, &out);
    MADE(alcore_pool_unref, status, out);
}
ALLOCATES(alcore_pool_write_phrases, 0) {
    alcore_pool *phrases = NULL;
    sweep_pause(w);
    alcore_status status = alcore_pool_derive_phrases(w->pool, NULL, NULL, &phrases);
    sweep_resume(w);
    if (!status) status = alcore_pool_write_phrases(phrases, world_file("written.tsv"), NULL);
    alcore_pool_unref(phrases);
    return status;
}
