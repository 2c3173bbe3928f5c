/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls that read, filter and write pools and columns. */
#include <stdlib.h>
#include <string.h>

#include "alcore/arrow.h"
#include "cancel_calls.h"
#include "cancel_parts.h"

static alcore_status read_file(const char *name) {
    alcore_pool *fresh;
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder(name), NULL);
    alcore_pool_unref(fresh);
    return status;
}
alcore_status call_read_conll(void) {
    return read_file("pool.conll");
}
alcore_status call_read_pairs(void) {
    alcore_pool *fresh;
    char path[200];
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.references = strcpy(path, in_folder("pool.txt"));
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.tsv"), &options);
    alcore_pool_unref(fresh);
    return status;
}
alcore_status call_read_text(void) {
    return read_file("pool.txt");
}
alcore_status call_read_tsv(void) {
    return read_file("pool.tsv");
}
alcore_status call_join(void) {
    int64_t *out = calloc((size_t)row_count + 1, sizeof *out);
    const alcore_status status = alcore_pool_join(pool, pool, NULL, out);
    free(out);
    return status;
}
alcore_status call_filter(void) {
    alcore_filter filter = ALCORE_FILTER_INIT;
    filter.min_letters = 0.01;
    return alcore_pool_filter(pool, &filter);
}
alcore_status call_mark_texts(void) {
    return alcore_pool_mark_texts(phrases, ALCORE_ROW_EXCLUDED, pool);
}
alcore_status call_duplicates(void) {
    alcore_duplicates_result out = ALCORE_DUPLICATES_RESULT_INIT;
    return alcore_analysis_compute_duplicates(phrases, pool, NULL, &out);
}
alcore_status call_pool_write(void) {
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) rows[i] = i;
    alcore_status status =
        SAVING(alcore_pool_write(pool, rows, row_count, in_folder("rows.tsv"), NULL));
    free(rows);
    return status;
}
alcore_status call_write_column(void) {
    return SAVING(alcore_pool_write_column(pool, "embeddings", in_folder("embeddings.npy"), NULL));
}
alcore_status call_read_column(void) {
    return alcore_pool_read_column(pool, "again", in_folder("scores.tsv"), NULL);
}
alcore_status call_read_jsonl(void) {
    return read_file("pool.jsonl");
}
alcore_status call_add_texts(void) {
    alcore_pool *fresh;
    const char **texts = texts_of_pool();
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_add_texts(fresh, texts, NULL, row_count, NULL);
    alcore_pool_unref(fresh);
    free(texts);
    return status;
}
alcore_status call_add_records(void) {
    alcore_pool *fresh;
    const char **texts = texts_of_pool();
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = texts;
    records.count = row_count;
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_add_records(fresh, &records, NULL);
    alcore_pool_unref(fresh);
    free(texts);
    return status;
}
alcore_status call_derive_phrases(void) {
    alcore_pool *out = NULL;
    alcore_status status = alcore_pool_derive_phrases(pool, labeled, NULL, &out);
    alcore_pool_unref(out);
    return status;
}
alcore_status call_derive_long_phrases(void) {
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    alcore_pool *out = NULL;
    options.max_words = ALCORE_PHRASE_UNLIMITED;
    options.semi_maximal = 1;
    alcore_status status = alcore_pool_derive_phrases(pool, labeled, &options, &out);
    alcore_pool_unref(out);
    return status;
}
alcore_status call_write_phrases(void) {
    return SAVING(alcore_pool_write_phrases(phrases, in_folder("phrases.tsv"), NULL));
}
alcore_status call_writer_save(void) {
    return SAVING(alcore_column_writer_save(filled, in_folder("other.part")));
}
alcore_status call_writer_merge(void) {
    return alcore_column_writer_merge(merging, in_folder("column.part"));
}
/* in_stream: by the function that is told the stream of the values, here the default one. */
static alcore_status fill_by(bool in_stream, alcore_column_writer **out) {
    alcore_tensor view;
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) rows[i] = row_count - 1 - i;
    alcore_status status = alcore_column_writer_new(pool, "late", ALCORE_COLUMN_DENSE, NULL, out);
    if (status == ALCORE_OK) status = alcore_pool_get_column(pool, "embeddings", &view, NULL);
    if (status == ALCORE_OK)
        status = in_stream ? SAVING(alcore_column_writer_put_in_stream(
                                 *out, rows, NULL, row_count, &view, NULL /* the default stream */))
                           : SAVING(alcore_column_writer_put(*out, rows, NULL, row_count, &view));
    free(rows);
    return status;
}
alcore_status fill_writer(alcore_column_writer **out) {
    return fill_by(false, out);
}
alcore_status call_writer_put(void) {
    alcore_column_writer *writer = NULL;
    alcore_status status = fill_writer(&writer);
    alcore_column_writer_unref(writer);
    return status;
}
alcore_status call_writer_put_in_stream(void) {
    alcore_column_writer *writer = NULL;
    alcore_status status = fill_by(true, &writer);
    alcore_column_writer_unref(writer);
    return status;
}
/* The embeddings once more, as a column that is copied. */
alcore_status call_set_column(void) {
    alcore_tensor view;
    alcore_status status = alcore_pool_get_column(pool, "embeddings", &view, NULL);
    return status == ALCORE_OK ? SAVING(alcore_pool_set_column(pool, "copied", &view, NULL, NULL))
                               : status;
}
/* The texts of the pool, for its rows in another order. */
alcore_status call_set_text_column(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = row_count;
    for (int64_t i = 0; i < row_count; i++) {
        rows[i] = row_count - 1 - i;
        texts[i] = alcore_pool_text(pool, i, NULL);
    }
    alcore_status status =
        SAVING(alcore_pool_set_text_column(pool, "notes", texts, NULL, row_count, &options));
    if (status == ALCORE_OK) status = alcore_pool_drop_column(pool, "notes");
    free(texts);
    free(rows);
    return status;
}
alcore_status call_writer_finish(void) {
    alcore_column_writer *writer = NULL;
    alcore_status status = fill_writer(&writer);
    if (status == ALCORE_OK)
        status = SAVING(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(writer);
    return status;
}

/* A stream of one batch with one column of texts, those of the pool. */
typedef struct text_stream {
    struct ArrowArrayStream stream;
    struct ArrowSchema column, *columns[1];
    struct ArrowArray texts, *arrays[1];
    const void *root_buffers[1], *buffers[3]; /* validity; offsets int64 [rows + 1]; bytes */
    int given;
} text_stream;

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}
static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}
static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}
static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    text_stream *from = stream->private_data;
    from->column = (struct ArrowSchema){.format = "U", .name = "text"};
    from->columns[0] = &from->column;
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 1, .children = from->columns, .release = release_schema};
    return 0;
}
static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    text_stream *from = stream->private_data;
    *out = (struct ArrowArray){0};
    if (from->given++) return 0;
    from->texts =
        (struct ArrowArray){.length = row_count, .n_buffers = 3, .buffers = from->buffers};
    from->arrays[0] = &from->texts;
    *out = (struct ArrowArray){.length = row_count,
                               .n_buffers = 1,
                               .n_children = 1,
                               .buffers = from->root_buffers,
                               .children = from->arrays,
                               .release = release_array};
    return 0;
}
static const char *stream_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}
/* The texts of the pool in one block, and their offsets [rows + 1]; both are to be freed. */
static char *block_of_texts(int64_t **out_offsets) {
    int64_t *offsets = malloc(sizeof *offsets * ((size_t)row_count + 1));
    offsets[0] = 0;
    for (int64_t i = 0; i < row_count; i++) {
        size_t bytes;
        alcore_pool_text(pool, i, &bytes);
        offsets[i + 1] = offsets[i] + (int64_t)bytes;
    }
    char *bytes = malloc((size_t)offsets[row_count]);
    for (int64_t i = 0; i < row_count; i++)
        memcpy(bytes + offsets[i], alcore_pool_text(pool, i, NULL),
               (size_t)(offsets[i + 1] - offsets[i]));
    *out_offsets = offsets;
    return bytes;
}
alcore_status call_add_arrow(void) {
    alcore_pool *fresh;
    text_stream from = {0};
    int64_t *offsets;
    char *bytes = block_of_texts(&offsets);
    from.buffers[1] = offsets;
    from.buffers[2] = bytes;
    from.stream = (struct ArrowArrayStream){.get_schema = stream_schema,
                                            .get_next = stream_next,
                                            .get_last_error = stream_error,
                                            .release = release_stream,
                                            .private_data = &from};
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_add_arrow(fresh, &from.stream, NULL);
    alcore_pool_unref(fresh);
    free(bytes);
    free(offsets);
    return status;
}
alcore_status call_add_utf8(void) {
    alcore_pool *fresh;
    int64_t *offsets;
    char *bytes = block_of_texts(&offsets);
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_add_utf8(fresh, bytes, offsets, row_count, NULL);
    alcore_pool_unref(fresh);
    free(bytes);
    free(offsets);
    return status;
}
/* 16-bit integers of lists, which are converted one by one. */
static void make_items(text_stream *from, const int16_t *values) {
    from->column = (struct ArrowSchema){.format = "s", .release = release_schema};
    from->columns[0] = &from->column;
    from->texts = (struct ArrowArray){.length = row_count * TOKENS,
                                      .n_buffers = 2,
                                      .buffers = from->buffers,
                                      .release = release_array};
    from->buffers[1] = values;
    from->arrays[0] = &from->texts;
}
alcore_status call_set_column_arrow(void) {
    text_stream from = {0};
    int64_t *offsets = malloc(sizeof *offsets * ((size_t)row_count + 1));
    int16_t *values = calloc((size_t)(row_count * TOKENS), sizeof *values);
    for (int64_t i = 0; i <= row_count; i++) offsets[i] = i * TOKENS;
    const void *list_buffers[2] = {NULL, offsets};
    make_items(&from, values);
    struct ArrowSchema schema = {
        .format = "+L", .n_children = 1, .children = from.columns, .release = release_schema};
    struct ArrowArray array = {.length = row_count,
                               .n_buffers = 2,
                               .n_children = 1,
                               .buffers = list_buffers,
                               .children = from.arrays,
                               .release = release_array};
    alcore_status status =
        SAVING(alcore_pool_set_column_arrow(pool, "mlm_losses", &array, &schema, NULL));
    if (status == ALCORE_OK) status = alcore_pool_drop_column(pool, "mlm_losses");
    free(values);
    free(offsets);
    return status;
}
static int column_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    *out = (struct ArrowSchema){.format = "U", .release = release_schema};
    return 0;
}
static int column_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    text_stream *from = stream->private_data;
    *out = (struct ArrowArray){0};
    if (from->given++) return 0;
    *out = (struct ArrowArray){
        .length = row_count, .n_buffers = 3, .buffers = from->buffers, .release = release_array};
    return 0;
}
alcore_status call_set_column_stream(void) {
    text_stream from = {0};
    int64_t *offsets;
    char *bytes = block_of_texts(&offsets);
    from.buffers[1] = offsets;
    from.buffers[2] = bytes;
    from.stream =
        (struct ArrowArrayStream){column_schema, column_next, stream_error, release_stream, &from};
    alcore_status status = alcore_pool_set_column_stream(pool, "notes", &from.stream, NULL);
    if (status == ALCORE_OK) status = alcore_pool_drop_column(pool, "notes");
    free(bytes);
    free(offsets);
    return status;
}
alcore_status call_column_tokens(void) {
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count),
            *offsets = malloc(sizeof *offsets * ((size_t)row_count + 1));
    for (int64_t i = 0; i < row_count; i++) rows[i] = row_count - 1 - i;
    alcore_status status =
        alcore_pool_get_column_tokens(pool, "logprobs", rows, row_count, offsets, NULL);
    free(rows);
    free(offsets);
    return status;
}
alcore_status call_column_rows(void) {
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count), shape[2] = {row_count, DIMS};
    double *values = malloc(sizeof *values * (size_t)row_count * DIMS);
    alcore_tensor out;
    for (int64_t i = 0; i < row_count; i++) rows[i] = row_count - 1 - i;
    alcore_status status = alcore_tensor_init(&out, values, ALCORE_FLOAT64, shape, 2);
    if (status == ALCORE_OK)
        status = alcore_pool_get_column_rows(pool, "embeddings", rows, row_count, &out);
    free(values);
    free(rows);
    return status;
}
