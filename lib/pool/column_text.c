/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of texts. An entry is what the column has of one pool row. All texts of a column lie in
 * one block, each followed by a NUL; an entry without a text has the length -1. */
#include <inttypes.h>
#include <string.h>

#include "pool/column_array.h"
#include "pool/pool_strings.h"

typedef struct text_array {
    char *bytes;      /* all texts */
    int64_t *starts;  /* [entries] first byte of each text */
    int64_t *lengths; /* [entries] bytes without the NUL; -1: no text */
} text_array;

/* ops.text: the text of an entry, followed by a NUL; NULL when the entry has none. */
static const char *read_text(const alcore__column *column, int64_t entry, size_t *out_length) {
    const text_array *array = column->data;
    if (array->lengths[entry] < 0) return NULL;
    *out_length = (size_t)array->lengths[entry];
    return array->bytes + array->starts[entry];
}

/* Frees the arrays, of which those that were not made are NULL, not the struct. */
static void free_array(alcore_ctx *ctx, text_array *array) {
    alcore__free(ctx, array->bytes);
    alcore__free(ctx, array->starts);
    alcore__free(ctx, array->lengths);
}

/* ops.release. */
static void release_texts(alcore__column *column) {
    free_array(column->ctx, column->data);
    alcore__free(column->ctx, column->data);
}

static const alcore__column_ops text_ops = {.text = read_text, .release = release_texts};

enum { POLL_TEXTS = 4096 }; /* copied between two reports of progress */

/* Copies texts [count], checked by the pool's rules for strings (UTF-8, length), one behind the
 * other into the arrays of `array`. lengths [count] in bytes; NULL: the texts end with a NUL. A
 * NULL text is none. The check may repair a text: text and length are then those of its copy, which
 * lives until the next check; the report logs how many sequences were replaced. On failure array
 * may own some arrays, which the caller frees. */
static alcore_status copy_texts(const alcore_pool *pool, const char *const *texts, int64_t count,
                                const size_t *lengths, text_array *array) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore__string_check check = {.pool = pool};
    alcore__buffer bytes = {0};
    alcore_status status;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *array->starts, &array->starts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *array->lengths, &array->lengths));
    /* Sets status also where there is no text. */
    ALCORE__TRY_GOTO(status, done, alcore__buffer_reserve(ctx, &bytes, 0));
    for (int64_t i = 0; i < count; i++) {
        const char *text = texts[i];
        if (i % POLL_TEXTS == 0)
            ALCORE__TRY_GOTO(status, done, alcore__tick(ctx, "copying", i, count));
        array->lengths[i] = -1;
        if (!text) continue;
        size_t length = lengths ? lengths[i] : strlen(text);
        status = alcore__string_check_next(&check, "text", &text, &length, NULL /* words */);
        if (status != ALCORE_OK && status != ALCORE_E_NOMEM) /* NOMEM says nothing of the entry */
            status = alcore__fail_within(status, "entry %" PRId64, i);
        if (status != ALCORE_OK) goto done;
        array->starts[i] = (int64_t)bytes.length;
        array->lengths[i] = (int64_t)length;
        ALCORE__TRY_GOTO(status, done, alcore__buffer_append(ctx, &bytes, text, length));
        ALCORE__TRY_GOTO(status, done, alcore__buffer_append(ctx, &bytes, "", 1));
    }
    alcore__string_check_report(&check);
done:
    alcore__string_check_clear(&check);
    if (status != ALCORE_OK) {
        alcore__buffer_clear(ctx, &bytes);
        return status;
    }
    array->bytes = bytes.data;
    return ALCORE_OK;
}

/* Refuses options that a column of texts has no use for: it is always copied, has no base of
 * logarithms and is not read from a file. */
static alcore_status check_options(const alcore_column_options *options) {
    if (options->ownership == ALCORE_KEEP && options->meaning == 0 && options->log_base == 0 &&
        !options->offsets && !options->format && !options->release_user && !options->stream &&
        !options->on_device)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "only rows and row_count apply to a column of texts, which is copied");
}

/* Errors name the column; what was made
 * before a failure is freed: the arrays here until the column owns them, with the column
 * afterwards. */
alcore_status alcore__column_set_texts(alcore_pool *pool, const char *name,
                                       const char *const *texts, const size_t *lengths,
                                       int64_t count, const alcore_column_options *theirs) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore_column_options options;
    alcore__column *column;
    text_array array = {0}, *kept = NULL;
    int64_t entries;
    alcore_status status;
    ALCORE__TRY(alcore__column_options_read(pool, theirs, &options, &entries));
    ALCORE__TRY(check_options(&options));
    if (count < 0 || (count > 0 && !texts))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " texts at %p", count,
                            (const void *)texts);
    ALCORE__TRY(alcore__column_new(pool, name, "given", &options, &column));
    status = count == entries
                 ? alcore__column_check_dtype("the array", name, ALCORE_TEXT)
                 : alcore__fail(ALCORE_E_SHAPE, "expected %" PRId64 " texts, found %" PRId64,
                                entries, count);
    if (status == ALCORE_OK) status = copy_texts(pool, texts, count, lengths, &array);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, 1, sizeof *kept, &kept);
    if (status == ALCORE_OK) {
        *kept = array;
        column->dims = 1;
        column->dtype = ALCORE_TEXT;
        column->data = kept;
        column->ops = &text_ops;
        status = alcore__pool_put_column(pool, column);
        if (status == ALCORE_OK) return ALCORE_OK;
    } else {
        free_array(ctx, &array);
    }
    alcore__column_free(column);
    return status == ALCORE_E_NOMEM ? status : alcore__fail_within(status, "column \"%s\"", name);
}

alcore_status alcore_pool_set_text_column(alcore_pool *pool, const char *name,
                                          const char *const *texts, const size_t *lengths,
                                          int64_t count, const alcore_column_options *options) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(
        pool, alcore__column_set_texts(pool, name, texts, lengths, count, options));
}
