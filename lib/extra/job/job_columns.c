/* SPDX-License-Identifier: Apache-2.0 */
/* What the summary of a hybrid says of the columns that its sentences were chosen by: where they
 * come from, what their models warn of, how many texts these cut, and how many values are of
 * earlier rounds. The columns lie in the shards, so each puts in the number of its columns,
 * int64_t, and of each column_head and the bytes of its origin and of the warnings, together up to
 * a multiple of 8. Counts of all shards are added up; origin and warnings are those of
 * the first. */
#include <math.h>

#include "extra/job/job_passes.h"
#include "model/ngram_model.h"

typedef struct column_head {
    char name[32];
    int64_t cut, cut_at, hits, misses, stale;
    double seconds_saved;
    uint32_t origin, warnings; /* bytes; of warnings 0: there are none */
    uint8_t built_in, made, reused, lost;
    uint32_t reserved;
} column_head;
_Static_assert(sizeof(column_head) == 96, "as docs/distributed.md says");

/* ---- put ---- */

static alcore_status put_column(alcore_ctx *ctx, const alcore__column *column,
                                const alcore__resolved *entry, alcore__buffer *out) {
    const char *warnings = column->warnings ? column->warnings : "";
    const size_t origin_bytes = strlen(column->origin), warning_bytes = strlen(warnings);
    column_head head = {.cut = column->cut.texts,
                        .cut_at = column->cut.tokens,
                        .hits = entry->reuse.hits,
                        .misses = entry->reuse.misses,
                        .stale = entry->reuse.stale,
                        .seconds_saved = entry->reuse.seconds_saved,
                        .origin = (uint32_t)origin_bytes,
                        .warnings = (uint32_t)warning_bytes,
                        .built_in = entry->built_in,
                        .made = column->engine != NULL,
                        .reused = entry->reused,
                        .lost = entry->lost};
    memcpy(head.name, entry->name, sizeof head.name);
    ALCORE__TRY(alcore__buffer_append(ctx, out, &head, sizeof head));
    ALCORE__TRY(alcore__buffer_append(ctx, out, column->origin, origin_bytes));
    ALCORE__TRY(alcore__buffer_append(ctx, out, warnings, warning_bytes));
    return alcore__job_pad(ctx, out);
}

alcore_status alcore__job_put_columns(const alcore_job *job, alcore__buffer *out) {
    const alcore__resolution *columns = alcore__held_answer_columns(job->passes->held);
    const alcore_pool *pool = job->request->candidates;
    alcore_ctx *ctx = job->object.ctx;
    const size_t start = out->length;
    int64_t count = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, out, &count, sizeof count));
    for (int32_t i = 0; i < columns->count; i++) {
        const alcore__resolved *entry = &columns->entries[i];
        const alcore__column *column = entry->role == ALCORE_ROLE_CANDIDATES
                                           ? alcore__pool_find_column(pool, entry->name)
                                           : NULL;
        if (!column) continue;
        ALCORE__TRY(put_column(ctx, column, entry, out));
        count++;
    }
    memcpy(out->data + start, &count, sizeof count);
    return ALCORE_OK;
}

/* ---- take ---- */

/* Adds a count of one shard to that of all; false where it lies. */
static bool add(int64_t count, int64_t *sum) {
    return count >= 0 && !__builtin_add_overflow(*sum, count, sum);
}

/* *out: a copy of text, [bytes], which ends with a NUL. */
static alcore_status copy(alcore_ctx *ctx, const char *text, size_t bytes, char **out) {
    *out = alcore__strndup(ctx, text, bytes);
    return *out ? ALCORE_OK : alcore__fail_memory(bytes + 1);
}

/* What tells versions of a model apart, behind a semicolon, is not told. */
static bool is_same_origin(const char *one, const char *other) {
    const size_t length = strcspn(one, ";");
    return strcspn(other, ";") == length && strncmp(one, other, length) == 0;
}

/* Notes that a shard has a column from elsewhere than the shards before: "from a.npy and others".
 */
static alcore_status join_origins(alcore_ctx *ctx, const char *origin, bool *differs,
                                  alcore__input_column *column) {
    const size_t length = strcspn(column->origin, ";");
    alcore__buffer text = {0};
    if (*differs || is_same_origin(origin, column->origin)) return ALCORE_OK;
    ALCORE__TRY(alcore__buffer_format(ctx, &text, "%.*s and others", (int)length, column->origin));
    alcore__free(ctx, column->origin);
    column->origin = text.data;
    *differs = true;
    return ALCORE_OK;
}

/* *out: the column of a name, where all shards have room for it. */
static alcore__input_column *place_column(alcore__job_columns *all, const char *name) {
    int32_t c = 0;
    while (c < all->count && strcmp(all->columns[c].name, name) != 0) c++;
    if (c == ALCORE__DATASET_COLUMNS) return NULL;
    alcore__input_column *column = &all->columns[c];
    if (c < all->count) return column;
    all->differs[all->count++] = false;
    *column = (alcore__input_column){.role = ALCORE_ROLE_CANDIDATES,
                                     .device = -1,
                                     .in_shards = true,
                                     .reuse.seconds_saved = (double)NAN};
    memcpy(column->name, name, sizeof column->name);
    return column;
}

static bool add_counts(const column_head *head, alcore__input_column *column) {
    column->built_in |= head->built_in != 0;
    column->reused |= head->reused != 0;
    column->lost |= head->lost != 0;
    if (head->made) column->engine = ""; /* which one is not told of a shard */
    if (head->cut_at > column->cut_at) column->cut_at = head->cut_at;
    if (isnan(column->reuse.seconds_saved))
        column->reuse.seconds_saved = head->seconds_saved;
    else if (!isnan(head->seconds_saved))
        column->reuse.seconds_saved += head->seconds_saved;
    return add(head->cut, &column->cut) && add(head->hits, &column->reuse.hits) &&
           add(head->misses, &column->reuse.misses) && add(head->stale, &column->reuse.stale);
}

static alcore_status take_column(alcore_job *job, alcore__byte_cursor *cursor, bool *whole) {
    alcore_ctx *ctx = job->object.ctx;
    alcore__input_column *column = NULL;
    const char *texts = NULL;
    column_head head;
    *whole = alcore__cursor_read(cursor, &head, sizeof head) &&
             memchr(head.name, '\0', sizeof head.name);
    if (*whole)
        texts = alcore__cursor_take(cursor,
                                    alcore__cursor_padded((size_t)head.origin + head.warnings), 1);
    if (texts) column = place_column(&job->passes->told, head.name);
    *whole = column && add_counts(&head, column);
    if (!*whole) return ALCORE_OK;
    if (!column->origin) {
        ALCORE__TRY(copy(ctx, texts, head.origin, &column->origin));
    } else {
        char *origin;
        ALCORE__TRY(copy(ctx, texts, head.origin, &origin));
        bool *differs = &job->passes->told.differs[column - job->passes->told.columns];
        const alcore_status status = join_origins(ctx, origin, differs, column);
        alcore__free(ctx, origin);
        ALCORE__TRY(status);
    }
    return column->warnings || head.warnings == 0
               ? ALCORE_OK
               : copy(ctx, texts + head.origin, head.warnings, &column->warnings);
}

alcore_status alcore__job_take_columns(alcore_job *job, alcore__byte_cursor *cursor, bool *whole) {
    int64_t count = 0;
    *whole = alcore__cursor_read(cursor, &count, sizeof count) && count >= 0 &&
             count <= ALCORE__DATASET_COLUMNS;
    for (int64_t i = 0; i < count && *whole; i++) ALCORE__TRY(take_column(job, cursor, whole));
    return ALCORE_OK;
}

void alcore__job_mark_made(const alcore__job_columns *all, alcore__column *column) {
    for (int32_t c = 0; c < all->count; c++)
        if (strcmp(all->columns[c].name, column->name) == 0)
            column->engine = all->columns[c].engine;
}

void alcore__job_columns_clear(alcore_ctx *ctx, alcore__job_columns *all) {
    for (int32_t c = 0; c < all->count; c++) {
        alcore__free(ctx, all->columns[c].origin);
        alcore__free(ctx, all->columns[c].warnings);
    }
    all->count = 0;
}

/* The model of the request that makes a column; NULL: there is none. */
static const alcore_model *model_of(const alcore_request *request, const char *column) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        if (request->column_models[i] && strcmp(alcore__column_name_input(i)->name, column) == 0)
            return request->column_models[i];
    return request->model;
}

/* *made: whether the model has made the shard's own column, where there is one. */
static alcore_status is_maker(const alcore_job *job, const alcore_model *model, const char *name,
                              bool *made) {
    const alcore_pool *own = job->request->candidates;
    const alcore__column *column = alcore__pool_find_column(own, name);
    const alcore_pool *labeled;
    alcore__buffer origin = {0};
    *made = model && !alcore__model_is_ngram(model, &labeled);
    if (!*made || !column) return ALCORE_OK;
    ALCORE__TRY(alcore__model_origin(model, own, name, &origin));
    *made = is_same_origin(origin.data, column->origin);
    alcore__buffer_clear(job->object.ctx, &origin);
    return ALCORE_OK;
}

/* The origin of a model's column may have a hash of what else is known of the rows, as their
 * languages: it becomes that of the rows of all shards. An n-gram model has learned from all. */
static alcore_status name_origins(alcore_job *job) {
    alcore__job_columns *all = &job->passes->told;
    for (int32_t c = 0; c < all->count; c++) {
        alcore__input_column *column = &all->columns[c];
        const alcore_model *model = model_of(job->request, column->name);
        alcore__buffer origin = {0};
        bool made = false;
        if (column->engine) ALCORE__TRY(is_maker(job, model, column->name, &made));
        if (!made) continue;
        ALCORE__TRY(alcore__read_begin(job->whole, "pool"));
        const alcore_status status = alcore__model_origin(model, job->whole, column->name, &origin);
        alcore__read_end(job->whole);
        ALCORE__TRY(status);
        alcore__free(job->object.ctx, column->origin);
        column->origin = origin.data;
    }
    return ALCORE_OK;
}

alcore_status alcore__job_resolution(alcore_job *job, alcore__resolution *out) {
    const alcore__job_passes *passes = job->passes;
    *out = (alcore__resolution){0};
    if (!passes || !passes->held) return ALCORE_OK;
    ALCORE__TRY(name_origins(job));
    const alcore__resolution *own = alcore__held_answer_columns(passes->held);
    for (int32_t c = 0; c < passes->told.count; c++) {
        alcore__resolved *entry = &out->entries[out->count++];
        entry->role = ALCORE_ROLE_CANDIDATES;
        entry->in_shards = &passes->told.columns[c];
        memcpy(entry->name, passes->told.columns[c].name, sizeof entry->name);
    }
    for (int32_t i = 0; i < own->count; i++)
        if (own->entries[i].role != ALCORE_ROLE_CANDIDATES)
            out->entries[out->count++] = own->entries[i];
    return ALCORE_OK;
}
