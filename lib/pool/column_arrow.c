/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from Arrow arrays and streams (alcore/arrow.h).
 *
 * Numbers become arrays that the column borrows (column_given.c) from a holder, which is freed with
 * the column: it owns the copies that were made, or the array in which the numbers lie. An array
 * that is given alone moves into the holder when the column is there, so that a failure leaves it
 * to the caller; arrays of a stream are the library's from the beginning. */
#include <string.h>

#include "pool/arrow_numbers.h"
#include "pool/arrow_stream.h"
#include "pool/column_array.h"

/* What a column of numbers borrows. */
typedef struct holder {
    alcore_ctx *ctx; /* without a reference: the column's pool has one */
    alcore__arrow_numbers numbers;
    struct ArrowArray
        array; /* in which the numbers lie; its release is NULL where they are copied */
} holder;

/* alcore_column_options.release of the column. */
static void release_holder(void *user) {
    holder *self = user;
    if (self->array.release) self->array.release(&self->array);
    alcore__arrow_numbers_clear(self->ctx, &self->numbers);
    alcore__free(self->ctx, self);
}

/* The arrays of a column; each is released once. */
typedef struct arrow_input {
    const char *name; /* of the column */
    const struct ArrowSchema *schema;
    struct ArrowArray *const *arrays; /* [count] */
    int64_t count;
    int32_t lists; /* the option shape: ALCORE_COLUMN_RAGGED, _DENSE or 0 */
} arrow_input;

/* Reads the caller's options; the option shape moves to *out_lists. */
static alcore_status read_options(const alcore_column_options *theirs, alcore_column_options *ours,
                                  int32_t *out_lists) {
    *ours = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(ours, sizeof *ours,
                                         ALCORE__FIRST_SIZE(alcore_column_options, release_user),
                                         theirs, "alcore_column_options"));
    *out_lists = ours->shape;
    if (ours->ownership != 0 && ours->ownership != ALCORE_KEEP && ours->ownership != ALCORE_BORROW)
        return alcore__fail(ALCORE_E_INVALID, "ownership is %d; expected ALCORE_KEEP or _BORROW",
                            ours->ownership);
    if (ours->shape != 0 && ours->shape != ALCORE_COLUMN_RAGGED &&
        ours->shape != ALCORE_COLUMN_DENSE)
        return alcore__fail(ALCORE_E_INVALID,
                            "shape is %d; expected ALCORE_COLUMN_RAGGED, _DENSE or 0", ours->shape);
    if (ours->release || ours->release_user || ours->stream || ours->offsets || ours->format ||
        ours->on_device)
        return alcore__fail(ALCORE_E_INVALID, "only ownership, meaning, log_base, rows, row_count "
                                              "and shape apply to a column of Arrow");
    ours->shape = 0;
    return ALCORE_OK;
}

/* How the lists of a column are read: as the option says, else as the name does. */
static alcore__arrow_lists lists_of(const arrow_input *input) {
    const alcore__column_name *known = alcore__column_name_find(input->name);
    if (input->lists != 0)
        return input->lists == ALCORE_COLUMN_RAGGED ? ALCORE__LISTS_TOKENS : ALCORE__LISTS_VECTORS;
    if (!known) return ALCORE__LISTS_VECTORS;
    return known->shape == ALCORE__COLUMN_ANY_SHAPE || alcore__column_name_is_ragged(input->name)
               ? ALCORE__LISTS_TOKENS
               : ALCORE__LISTS_VECTORS;
}

/* Sets the column to numbers that a holder owns: they are read where they lie, and the holder is
 * the column's after a success. */
static alcore_status set_held(alcore_pool *pool, const char *name, holder *held,
                              const alcore_column_options *options) {
    const alcore__arrow_numbers *numbers = &held->numbers;
    alcore_column_options borrowed = *options;
    alcore_tensor values, offsets;
    void *data; /* a tensor has no const pointer; nobody writes to it */
    int64_t shape[2] = {numbers->count / numbers->width, numbers->width};
    int64_t offset_shape[1] = {numbers->rows + 1};
    memcpy(&data, &numbers->values, sizeof data);
    ALCORE__TRY(alcore_tensor_init(&values, data, numbers->dtype, shape, numbers->vectors ? 2 : 1));
    if (numbers->offsets)
        ALCORE__TRY(alcore_tensor_init(&offsets, numbers->offsets, ALCORE_INT64, offset_shape, 1));
    borrowed.ownership = ALCORE_BORROW;
    borrowed.release = release_holder;
    borrowed.release_user = held;
    return alcore__column_set_given(pool, name, &values, numbers->offsets ? &offsets : NULL,
                                    &borrowed);
}

/* Sets a column of numbers. *out_moved: the only array now belongs to the column. */
static alcore_status set_numbers(alcore_pool *pool, const arrow_input *input,
                                 const alcore__arrow_shape *shape,
                                 const alcore_column_options *options, bool *out_moved) {
    alcore_ctx *ctx = pool->object.ctx;
    const alcore__column_name *known = alcore__column_name_find(input->name);
    const alcore__arrow_lists lists = lists_of(input);
    holder *held;
    if (shape->depth == 0 && input->lists != 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "column \"%s\": the option shape says what lists are, found numbers",
                            input->name);
    if (shape->depth == 2 && lists == ALCORE__LISTS_VECTORS && (known || input->lists != 0))
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": expected one list of numbers a row, found lists of "
                            "lists",
                            input->name);
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *held, &held));
    held->ctx = ctx;
    alcore_status status =
        alcore__arrow_numbers_read(ctx, shape, (const struct ArrowArray *const *)input->arrays,
                                   input->count, shape->depth == 2 ? ALCORE__LISTS_TOKENS : lists,
                                   known && known->values == ALCORE__COLUMN_FLOATS,
                                   options->ownership == ALCORE_BORROW, &held->numbers);
    if (status == ALCORE_E_SHAPE || status == ALCORE_E_DATA)
        alcore__fail_within(status, "column \"%s\"", input->name);
    if (status == ALCORE_OK) status = set_held(pool, input->name, held, options);
    if (status != ALCORE_OK) {
        release_holder(held);
        return status;
    }
    if (held->numbers.in_place) {
        held->array = *input->arrays[0];
        input->arrays[0]->release = NULL;
        *out_moved = true;
    }
    return ALCORE_OK;
}

/* Views of the texts of all arrays. */
static alcore_status view_texts(alcore_ctx *ctx, const arrow_input *input,
                                const alcore__arrow_shape *shape, const char **texts,
                                size_t *lengths) {
    int64_t entry = 0;
    for (int64_t i = 0; i < input->count; i++)
        for (int64_t row = 0; row < input->arrays[i]->length; row++, entry++) {
            if (row % 4096 == 4095) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
            ALCORE__TRY(alcore__arrow_text(&shape->values, input->arrays[i], row, NULL /* digits */,
                                           &texts[entry], &lengths[entry]));
        }
    return ALCORE_OK;
}

/* Sets a column of texts, which is copied. */
static alcore_status set_texts(alcore_pool *pool, const arrow_input *input,
                               const alcore__arrow_shape *shape,
                               const alcore_column_options *options) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore_column_options kept = *options;
    const char **texts = NULL;
    size_t *lengths = NULL;
    int64_t count = 0;
    if (input->lists != 0)
        return alcore__fail(ALCORE_E_INVALID, "the option shape is that of lists of numbers");
    kept.ownership = ALCORE_KEEP;
    for (int64_t i = 0; i < input->count; i++)
        if (__builtin_add_overflow(count, input->arrays[i]->length, &count))
            return alcore__fail_memory(SIZE_MAX);
    alcore_status status = alcore__new_array(ctx, (size_t)count, sizeof *texts, &texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)count, sizeof *lengths, &lengths);
    if (status == ALCORE_OK) status = view_texts(ctx, input, shape, texts, lengths);
    if (status == ALCORE_OK)
        status = alcore__column_set_texts(pool, input->name, texts, lengths, count, &kept);
    alcore__free(ctx, texts);
    alcore__free(ctx, lengths);
    return status;
}

/* Whether a type has numbers only because it says of no value what it is. A name that has texts
 * then gets a column of texts of which none is there. */
static bool is_empty_text(const alcore__arrow_shape *shape, const char *name) {
    const alcore__column_name *known = alcore__column_name_find(name);
    return shape->depth == 0 && shape->values.format == 'n' && known &&
           known->values == ALCORE__COLUMN_TEXTS;
}

/* Sets the column of checked arrays. *out_moved: the only array now belongs to the column. */
static alcore_status set_input(alcore_pool *pool, const arrow_input *input,
                               const alcore_column_options *options, bool *out_moved) {
    alcore__arrow_shape shape;
    ALCORE__TRY(alcore__arrow_shape_read(&shape, input->schema, input->name));
    for (int64_t i = 0; i < input->count; i++)
        ALCORE__TRY(alcore__arrow_shape_check(&shape, input->arrays[i]));
    if (shape.texts || is_empty_text(&shape, input->name))
        return set_texts(pool, input, &shape, options);
    return set_numbers(pool, input, &shape, options, out_moved);
}

/* ---- an array ---- */

/* Sets the column of one array, which together with its schema belongs to the library only after a
 * success. */
static alcore_status set_array(alcore_pool *pool, const char *name, struct ArrowArray *array,
                               struct ArrowSchema *schema, const alcore_column_options *theirs) {
    alcore_column_options options;
    arrow_input input = {.name = name, .schema = schema, .arrays = &array, .count = 1};
    bool moved = false;
    if (!array || !array->release || !schema || !schema->release)
        return alcore__fail(ALCORE_E_INVALID, "the Arrow array or schema is NULL or released");
    ALCORE__TRY(alcore__column_check_name(name));
    ALCORE__TRY(read_options(theirs, &options, &input.lists));
    ALCORE__TRY(set_input(pool, &input, &options, &moved));
    schema->release(schema);
    schema->release = NULL; /* a producer ought to have done it */
    if (!moved) array->release(array);
    array->release = NULL;
    return ALCORE_OK;
}

alcore_status alcore_pool_set_column_arrow(alcore_pool *pool, const char *name,
                                           struct ArrowArray *array, struct ArrowSchema *schema,
                                           const alcore_column_options *options) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, set_array(pool, name, array, schema, options));
}

/* ---- a stream ---- */

/* The arrays of a stream. */
typedef struct chunk_list {
    struct ArrowArray **arrays; /* [count] each owned, as is its memory */
    size_t capacity;
    int64_t count;
} chunk_list;

/* Adds the next array of the stream; *out_end: there is none. */
static alcore_status read_chunk(alcore_ctx *ctx, struct ArrowArrayStream *stream, chunk_list *list,
                                bool *out_end) {
    struct ArrowArray *array;
    ALCORE__TRY(alcore__tick(ctx, "reading", list->count, -1));
    ALCORE__TRY(alcore__grow(ctx, &list->arrays, &list->capacity, (size_t)list->count + 1,
                             sizeof *list->arrays));
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *array, &array));
    alcore_status status = alcore__arrow_stream_next(stream, array);
    *out_end = status == ALCORE_OK && !array->release;
    if (status != ALCORE_OK || *out_end) {
        alcore__free(ctx, array);
        return status;
    }
    list->arrays[list->count++] = array;
    return ALCORE_OK;
}

/* Reads all arrays of a stream, which are the caller's to release, also after a failure. */
static alcore_status read_chunks(alcore_ctx *ctx, struct ArrowArrayStream *stream,
                                 chunk_list *list) {
    for (bool end = false; !end;) ALCORE__TRY(read_chunk(ctx, stream, list, &end));
    return ALCORE_OK;
}

static void release_chunks(alcore_ctx *ctx, chunk_list *list) {
    for (int64_t i = 0; i < list->count; i++) {
        if (list->arrays[i]->release) list->arrays[i]->release(list->arrays[i]);
        alcore__free(ctx, list->arrays[i]);
    }
    alcore__free(ctx, list->arrays);
}

/* Sets the column of all arrays of a stream, which is the library's from here on. */
static alcore_status set_stream(alcore_pool *pool, arrow_input *input,
                                struct ArrowArrayStream *stream,
                                const alcore_column_options *options) {
    alcore_ctx *ctx = pool->object.ctx;
    struct ArrowSchema schema = {0};
    chunk_list list = {0};
    bool moved = false;
    alcore_status status = alcore__arrow_stream_schema(stream, &schema);
    if (status == ALCORE_OK) status = read_chunks(ctx, stream, &list);
    if (status == ALCORE_OK) {
        input->schema = &schema;
        input->arrays = list.arrays;
        input->count = list.count;
        status = set_input(pool, input, options, &moved);
    }
    release_chunks(ctx, &list);
    if (schema.release) schema.release(&schema);
    alcore__arrow_stream_release(stream);
    return status;
}

alcore_status alcore_pool_set_column_stream(alcore_pool *pool, const char *name,
                                            struct ArrowArrayStream *stream,
                                            const alcore_column_options *options) {
    alcore_column_options ours;
    arrow_input input = {.name = name};
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    alcore_status status = alcore__arrow_stream_check(stream);
    if (status == ALCORE_OK) status = alcore__column_check_name(name);
    if (status == ALCORE_OK) status = read_options(options, &ours, &input.lists);
    if (status == ALCORE_OK) status = set_stream(pool, &input, stream, &ours);
    return alcore__pool_change_end(pool, status);
}
