/* SPDX-License-Identifier: Apache-2.0 */
#include "arrow_maker.h"

#include <errno.h>
#include <string.h>

static void release_schema(struct ArrowSchema *schema) {
    ((made_array *)schema->private_data)->schemas_released++;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    ((made_array *)array->private_data)->arrays_released++;
    array->release = NULL;
}

void made_array_init(made_array *made, const char *format, int64_t length, int64_t offset,
                     const uint8_t *valid, const void *first, const void *second,
                     made_array *child) {
    const bool fixed = strncmp(format, "+w:", 3) == 0;
    memset(made, 0, sizeof *made);
    made->buffers[0] = valid;
    made->buffers[1] = first;
    made->buffers[2] = second;
    made->schema = (struct ArrowSchema){
        .format = format, .name = "values", .release = release_schema, .private_data = made};
    made->array = (struct ArrowArray){.length = length,
                                      .null_count = valid ? -1 : 0,
                                      .offset = offset,
                                      .n_buffers = fixed    ? 1
                                                   : second ? 3
                                                            : 2,
                                      .buffers = made->buffers,
                                      .release = release_array,
                                      .private_data = made};
    if (!child) return;
    made->schema_child = &child->schema;
    made->array_child = &child->array;
    made->schema.n_children = made->array.n_children = 1;
    made->schema.children = &made->schema_child;
    made->array.children = &made->array_child;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    made_stream *made = stream->private_data;
    *out = made->arrays[0].schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    made_stream *made = stream->private_data;
    memset(out, 0, sizeof *out);
    if (made->fail_at == made->next + 1) return EIO;
    if (made->next < made->count) *out = made->arrays[made->next++].array;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the disk is on fire";
}

static void release_stream(struct ArrowArrayStream *stream) {
    ((made_stream *)stream->private_data)->released++;
    stream->release = NULL;
}

void made_stream_init(made_stream *made, made_array *arrays, int count) {
    memset(made, 0, sizeof *made);
    made->arrays = arrays;
    made->count = count;
    made->stream =
        (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, made};
}
