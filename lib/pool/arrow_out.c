/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are handed out (arrow_out.h). */
#include "pool/arrow_out.h"

#include <errno.h>
#include <string.h>

#include "pool/pool_internal.h"

/* ---- tables ---- */

alcore_status alcore__arrow_table_add(alcore_ctx *ctx, alcore__arrow_table *table, const char *name,
                                      const alcore__arrow_field *field) {
    ALCORE__TRY(alcore__grow(ctx, &table->fields, &table->capacity, (size_t)table->count + 1,
                             sizeof *table->fields));
    alcore__arrow_field *added = &table->fields[table->count];
    *added = *field;
    added->name = alcore__strndup(ctx, name, strlen(name));
    if (!added->name) return alcore__fail_memory(strlen(name));
    table->count++;
    return ALCORE_OK;
}

void alcore__arrow_table_clear(alcore_ctx *ctx, alcore__arrow_table *table) {
    for (int64_t i = 0; i < table->count; i++) alcore__free(ctx, table->fields[i].name);
    alcore__free(ctx, table->fields);
    *table = (alcore__arrow_table){0};
}

/* *out: the number of the field of a name; ALCORE_E_NOT_FOUND that names the nearest. */
static alcore_status find_field(const alcore__arrow_table *table, const char *name, int64_t *out) {
    const char *names[64];
    size_t count = 0;
    if (!name) return alcore__fail(ALCORE_E_INVALID, "the name of a column is NULL");
    for (int64_t i = 0; i < table->count; i++) {
        *out = i;
        if (strcmp(table->fields[i].name, name) == 0) return ALCORE_OK;
        if (count < 64) names[count++] = table->fields[i].name;
    }
    const char *nearest = alcore__nearest_name(name, names, count);
    return alcore__fail(ALCORE_E_NOT_FOUND, "there is no column \"%s\"%s%s%s", name,
                        nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                        nearest ? "\"?" : "");
}

/* Refuses a name that two fields have: which one a reader of the stream gets would be chance. */
static alcore_status check_single(const alcore__arrow_table *table, int64_t number) {
    const char *name = table->fields[number].name;
    for (int64_t i = 0; i < table->count; i++)
        if (i != number && strcmp(table->fields[i].name, name) == 0)
            return alcore__fail(ALCORE_E_INVALID,
                                "two columns of the table are named \"%s\": one of every table, "
                                "and one that was given; drop that one, or leave the name out of "
                                "the columns that are wanted",
                                name);
    return ALCORE_OK;
}

static alcore_status check_all_single(const alcore__arrow_table *table) {
    for (int64_t i = 0; i < table->count; i++) ALCORE__TRY(check_single(table, i));
    return ALCORE_OK;
}

/* Makes *out the table of the fields that were asked for, in their order. */
static alcore_status choose_fields(alcore_ctx *ctx, const alcore__arrow_table *table,
                                   const alcore_table_options *options, alcore__arrow_table *out) {
    *out = (alcore__arrow_table){.owner = table->owner, .pool = table->pool, .rows = table->rows};
    if (options->column_count < 0)
        return alcore__fail(ALCORE_E_INVALID, "column_count is negative");
    for (int64_t i = 0; i < options->column_count; i++) {
        int64_t number = 0;
        ALCORE__TRY(find_field(table, options->columns[i], &number));
        ALCORE__TRY(check_single(table, number));
        ALCORE__TRY(
            alcore__arrow_table_add(ctx, out, table->fields[number].name, &table->fields[number]));
    }
    return ALCORE_OK;
}

/* ---- types ---- */

/* private_data of a schema. */
typedef struct schema_parts {
    alcore_ctx *ctx; /* a reference */
    char *format, *name;
    struct ArrowSchema **children; /* [children] point to storage */
    struct ArrowSchema storage[];  /* [children] */
} schema_parts;

static void release_schema(struct ArrowSchema *schema) {
    schema_parts *parts = schema->private_data;
    alcore_ctx *ctx = parts->ctx;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (parts->children[i]->release) parts->children[i]->release(parts->children[i]);
    alcore__free(ctx, parts->children);
    alcore__free(ctx, parts->format);
    alcore__free(ctx, parts->name);
    alcore__free(ctx, parts);
    schema->release = NULL;
    alcore_ctx_unref(ctx);
}

/* Makes *out a type, whose children are zeroed, to be filled in. It is to be released, also where
 * what follows fails. */
static alcore_status new_schema(alcore_ctx *ctx, const char *format, const char *name,
                                int64_t children, struct ArrowSchema *out) {
    const size_t bytes = sizeof(schema_parts) + (size_t)children * sizeof(struct ArrowSchema);
    schema_parts *parts;
    *out = (struct ArrowSchema){0};
    ALCORE__TRY(alcore__new_array(ctx, 1, bytes, &parts));
    alcore_status status =
        alcore__new_array(ctx, (size_t)children, sizeof *parts->children, &parts->children);
    parts->format = alcore__strndup(ctx, format, strlen(format));
    parts->name = alcore__strndup(ctx, name, strlen(name));
    if (status == ALCORE_OK && (!parts->format || !parts->name))
        status = alcore__fail_memory(strlen(name));
    for (int64_t i = 0; i < children && status == ALCORE_OK; i++)
        parts->children[i] = &parts->storage[i];
    parts->ctx = alcore_ctx_ref(ctx);
    *out = (struct ArrowSchema){.format = parts->format,
                                .name = parts->name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .n_children = status == ALCORE_OK ? children : 0,
                                .children = children > 0 ? parts->children : NULL,
                                .release = release_schema,
                                .private_data = parts};
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* Makes *out the type of a field from a level on. */
static alcore_status field_schema(alcore_ctx *ctx, const alcore__arrow_field *field,
                                  struct ArrowSchema *out) {
    struct ArrowSchema *at = out;
    for (int32_t level = 0; level < field->levels; level++) {
        const bool inner = level + 1 < field->levels;
        alcore_status status = new_schema(ctx, field->formats[level],
                                          level == 0 ? field->name : "item", inner ? 1 : 0, at);
        if (status != ALCORE_OK) {
            if (level > 0) out->release(out);
            return status;
        }
        if (inner) at = at->children[0];
    }
    return ALCORE_OK;
}

/* Makes *out the type of a table: a struct, which itself is never null. */
static alcore_status table_schema(alcore_ctx *ctx, const alcore__arrow_table *table,
                                  struct ArrowSchema *out) {
    ALCORE__TRY(new_schema(ctx, "+s", "", table->count, out));
    out->flags = 0;
    for (int64_t i = 0; i < table->count; i++) {
        alcore_status status = field_schema(ctx, &table->fields[i], out->children[i]);
        if (status == ALCORE_OK) continue;
        out->release(out);
        return status;
    }
    return ALCORE_OK;
}

/* ---- the stream ---- */

/* private_data of a stream. */
typedef struct stream_parts {
    alcore_ctx *ctx; /* a reference */
    alcore__arrow_table table;
    int64_t next; /* row of the next batch */
    char error[ALCORE__TEXT_BYTES];
} stream_parts;

/* Keeps the text of a failure for get_last_error(); the code of errno that tells its kind. */
static int keep_error(stream_parts *parts, alcore_status status) {
    if (status == ALCORE_OK) return 0;
    alcore__format(parts->error, sizeof parts->error, "%s", alcore_last_error());
    switch (status) {
    case ALCORE_E_NOMEM:
        return ENOMEM;
    case ALCORE_E_CANCELLED:
        return ECANCELED;
    case ALCORE_E_BUSY:
        return EBUSY;
    case ALCORE_E_IO:
        return EIO;
    default:
        return EINVAL;
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    stream_parts *parts = stream->private_data;
    alcore_status status = alcore__enter(parts->ctx);
    *out = (struct ArrowSchema){0};
    if (status == ALCORE_OK)
        status = alcore__leave(parts->ctx, table_schema(parts->ctx, &parts->table, out));
    return keep_error(parts, status);
}

/* Makes *out the batch of rows first .. first + count - 1. */
static alcore_status make_batch(alcore_ctx *ctx, const alcore__arrow_table *table, int64_t first,
                                int64_t count, struct ArrowArray *out) {
    ALCORE__TRY(alcore__arrow_array_new(ctx, count, 1, (int32_t)table->count, out));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < table->count && status == ALCORE_OK; i++) {
        const alcore__arrow_field *field = &table->fields[i];
        status = alcore__tick(ctx, "reading", first, table->rows);
        if (status == ALCORE_OK) status = field->fill(table, field, first, count, out->children[i]);
    }
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* The same with the pool locked for reading, as a public call. */
static alcore_status next_batch(stream_parts *parts, int64_t count, struct ArrowArray *out) {
    alcore_pool *pool = parts->table.pool;
    ALCORE__TRY(alcore__enter(parts->ctx));
    alcore_status status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = make_batch(parts->ctx, &parts->table, parts->next, count, out);
        alcore__read_end(pool);
    }
    return alcore__leave(parts->ctx, status);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    stream_parts *parts = stream->private_data;
    const int64_t left = parts->table.rows - parts->next;
    const int64_t count = left < ALCORE__ARROW_BATCH ? left : ALCORE__ARROW_BATCH;
    *out = (struct ArrowArray){0};
    if (count == 0) return 0;
    alcore_status status = next_batch(parts, count, out);
    if (status == ALCORE_OK) parts->next += count;
    return keep_error(parts, status);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    stream_parts *parts = stream->private_data;
    return parts->error[0] ? parts->error : NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream_parts *parts = stream->private_data;
    alcore_ctx *ctx = parts->ctx;
    alcore__object_unref(parts->table.owner);
    alcore__arrow_table_clear(ctx, &parts->table);
    alcore__free(ctx, parts);
    stream->release = NULL;
    alcore_ctx_unref(ctx);
}

/* Makes the stream of the fields of a table, which move into it. */
static alcore_status open_table(alcore_ctx *ctx, alcore__arrow_table *table,
                                struct ArrowArrayStream *out) {
    stream_parts *parts;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *parts, &parts));
    parts->ctx = alcore_ctx_ref(ctx);
    parts->table = *table;
    alcore__object_ref(table->owner);
    *table = (alcore__arrow_table){0};
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, parts};
    return ALCORE_OK;
}

alcore_status alcore__arrow_table_open(alcore_ctx *ctx, alcore__arrow_table *table,
                                       const alcore_table_options *options,
                                       struct ArrowArrayStream *out) {
    alcore_table_options ours;
    alcore__arrow_table chosen = {0};
    alcore_status status = alcore__struct_read(
        &ours, sizeof ours, ALCORE__FIRST_SIZE(alcore_table_options, column_count), options,
        "alcore_table_options");
    if (status == ALCORE_OK)
        status = ours.columns ? choose_fields(ctx, table, &ours, &chosen) : check_all_single(table);
    if (status == ALCORE_OK) status = open_table(ctx, ours.columns ? &chosen : table, out);
    alcore__arrow_table_clear(ctx, &chosen);
    alcore__arrow_table_clear(ctx, table);
    return status;
}
