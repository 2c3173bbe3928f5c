/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of what models computed, in a folder that runs share (spec 3.8). Each column of each pool
 * by each model is one file,
 *
 *     FOLDER/COLUMN-KEY.alcore   KEY: 128-bit hash of the fingerprint of the pool, column, origin
 *
 * in the form of a column writer (pool/column_writer_file.c): the rows that were computed so far,
 * with a checksum. The origin is the line that tells whether a column of a pool is still valid
 * (model_handle.c): it names the model, its settings and its state, so a model that was trained
 * further, or opened with other settings, has another file.
 *
 * The time of the file is that of its oldest row: rows that are added later do not change it. A
 * file that is older than max_age is not read, and replaced by one with what is computed now.
 *
 * A run reads the file into a writer and lets the model put the wanted rows that it lacks into the
 * same writer, batch by batch. From time to time, when the model has computed ten times as long as
 * the last writing of the file took, and when the run ends, however it ends, the file is written
 * anew with all rows, beside the old one, which it then replaces. So a run that is cancelled keeps
 * all batches, and one that is killed all but the last ones; the next run computes the rest, in the
 * batches that an uninterrupted run would have made.
 *
 * Two runs may do so at once: each file that appears is whole, a run takes over what another one
 * has written since, and what is lost in between is computed again when it is next wanted. A file
 * that is damaged, or whose values do not fit those computed now, is not used and replaced, with a
 * warning. A folder that cannot be written ends the run before anything is computed; a file that
 * cannot be written afterwards is a warning, and noted in cache->use, as its values are there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/model_cache.h"
#include "pool/column_names.h"
#include "pool/column_writer.h"

/* The file is written again once the model has computed this many times as long as the last writing
 * took: writing takes a tenth of the time at most. */
enum { WORK_PER_WRITING = 10 };

/* A failure that is not about the file: it ends the run. */
static bool is_fatal(alcore_status status) {
    return status == ALCORE_E_NOMEM || status == ALCORE_E_CANCELLED || status == ALCORE_E_BUSY ||
           status == ALCORE_E_FORKED || status == ALCORE_E_INTERNAL;
}

/* Sets self->path from the key, whose first line, 1, is the version of its form: a later form has
 * other files. */
static alcore_status name_file(alcore__cached_run *self, const char *origin) {
    alcore__buffer key = {0};
    alcore_status status = alcore__buffer_format(
        self->ctx, &key, "1\n%016" PRIx64 "\n%" PRId64 "\n%s\n%s",
        alcore_pool_fingerprint(self->pool), self->rows, self->column, origin);
    if (status == ALCORE_OK) {
        char hash[ALCORE__HASH_TEXT_BYTES];
        alcore__hash_print(alcore__hash128(key.data, key.length), hash);
        status = alcore__buffer_format(self->ctx, &self->path, "%s/%s-%s.alcore",
                                       self->cache->folder, self->column, hash);
    }
    alcore__buffer_clear(self->ctx, &key);
    return status;
}

/* Makes an empty writer; one from before is released. */
static alcore_status new_writer(alcore__cached_run *self) {
    alcore_column_writer_unref(self->writer);
    self->writer = NULL;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.meaning = alcore__model_meaning(self->model, self->column);
    ALCORE__TRY(
        alcore_column_writer_new(self->pool, self->column, self->shape, &options, &self->writer));
    alcore__column_writer_want(self->writer, self->wanted);
    return ALCORE_OK;
}

/* Whether the file can be opened; one that cannot counts as none. */
static alcore_status find_file(alcore_ctx *ctx, const char *path, bool *out) {
    alcore__file *file;
    const alcore_status status = alcore__file_open(ctx, path, &file);
    *out = status == ALCORE_OK;
    if (status == ALCORE_OK) alcore__file_close(file);
    return is_fatal(status) ? status : ALCORE_OK;
}

/* Logs that the file is not used, for the reason that the thread's error text gives. */
static void warn_unused(alcore_ctx *ctx, const char *path, const char *column) {
    alcore__log(ctx, ALCORE_LOG_WARN, "cache", NULL,
                "%s is not used, and the column '%s' is computed again: %s", path, column,
                alcore_last_error());
}

/* A merge that fails leaves the writer as it was. */
alcore_status alcore__cache_merge(alcore_column_writer *writer, const char *path, bool *out) {
    alcore_ctx *ctx = writer->object.ctx;
    ALCORE__TRY(find_file(ctx, path, out));
    if (!*out) return ALCORE_OK;
    const alcore_status status = alcore_column_writer_merge(writer, path);
    *out = status == ALCORE_OK;
    if (status == ALCORE_OK || is_fatal(status)) return status;
    warn_unused(ctx, path, writer->name);
    return ALCORE_OK;
}

/* What was computed is in memory: a full disk does not lose it for this run. */
alcore_status alcore__cache_save(alcore_column_writer *writer, const char *path,
                                 alcore__cache_use *use) {
    const alcore_status status = alcore__column_writer_keep(writer, path);
    if (status == ALCORE_OK || is_fatal(status)) return status;
    if (use) use->lost = true;
    alcore__log(writer->object.ctx, ALCORE_LOG_ERROR, "cache", NULL,
                "the column '%s' could not be kept, and the next run computes it again: %s",
                writer->name, alcore_last_error());
    return ALCORE_OK;
}

/* Whether the file, written at `time`, is too old to be used. A time in the future, of a clock that
 * was set back, is young. */
static bool is_outdated(const alcore__cached_run *self, double time) {
    struct timespec now;
    if (isnan(self->cache->max_age)) return false;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - time > self->cache->max_age;
}

/* Puts the rows of the file, if there is one that is young enough, into the writer. Where the
 * host's file table knows no times, `time` is NaN, which only a max_age makes a failure. */
static alcore_status read_file(alcore__cached_run *self) {
    bool found;
    double time;
    alcore_status status = alcore__file_time(self->ctx, self->path.data, &time);
    if (status != ALCORE_OK && !isnan(self->cache->max_age))
        return alcore__fail_within(status, "the age of a cache's entry");
    ALCORE__TRY(find_file(self->ctx, self->path.data, &found));
    if (!found || is_outdated(self, time)) return ALCORE_OK;
    ALCORE__TRY(alcore__cache_merge(self->writer, self->path.data, &found));
    if (found) self->oldest = time;
    return ALCORE_OK;
}

/* Lists the wanted rows that need a value and are not in the writer. */
static alcore_status list_missing(alcore__cached_run *self) {
    self->missing_count = self->read_count = 0;
    ALCORE__TRY(alcore__read_begin(self->pool, "pool"));
    const uint32_t *states = alcore_pool_states(self->pool);
    for (int64_t i = 0; i < self->rows; i++) {
        const bool wanted = alcore__model_wants(self->wanted, i, states[i], self->column);
        const bool has = alcore__column_writer_has(self->writer, i);
        self->missing[i] = wanted && !has;
        self->missing_count += wanted && !has;
        self->read_count += wanted && has;
    }
    alcore__read_end(self->pool);
    return ALCORE_OK;
}

/* Makes sure that the file can be written, before hours are spent on computing: a temporary file is
 * begun beside it and removed, as are those that killed runs left. The folder is made where it is
 * missing. */
static alcore_status check_folder(const alcore__cached_run *self) {
    alcore__writer *writer;
    ALCORE__TRY(alcore__make_folder(self->ctx, self->cache->folder));
    const alcore_status status = alcore__writer_open(self->ctx, self->path.data, &writer);
    if (status != ALCORE_OK)
        return alcore__fail_within(status, "the cache '%s' cannot be written", self->cache->folder);
    alcore__writer_abort(writer);
    alcore__remove_leftovers(self->ctx, self->path.data);
    return ALCORE_OK;
}

double alcore__cache_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Takes over the rows that another run has written since this one last read or wrote the file. A
 * file that cannot be read, or does not fit, is replaced by what this run has. */
static void join_others(alcore__cached_run *self) {
    alcore__file_state now;
    alcore__path_state(self->ctx, self->path.data, &now);
    if (now.known && !alcore__file_state_equal(&now, &self->state))
        (void)alcore__column_writer_join(self->writer, self->path.data);
}

alcore_status alcore__cached_run_write(alcore__cached_run *self) {
    const double start = alcore__cache_seconds();
    if (self->failed) return ALCORE_OK;
    alcore__cache_use use = {0};
    join_others(self);
    ALCORE__TRY(alcore__cache_save(self->writer, self->path.data, &use));
    if (!isnan(self->oldest)) alcore__file_set_time(self->ctx, self->path.data, self->oldest);
    alcore__path_state(self->ctx, self->path.data, &self->state);
    self->failed = use.lost;
    if (use.lost && self->cache->use) self->cache->use->lost = true;
    self->saved = alcore__cache_seconds();
    self->writing = self->saved - start;
    return ALCORE_OK;
}

bool alcore__cached_run_is_due(const alcore__cached_run *self, double writing) {
    return !self->failed && alcore__cache_seconds() - self->saved >= WORK_PER_WRITING * writing;
}

void alcore__cached_run_rescue(alcore__cached_run *self, alcore_status status) {
    if (self->taken && status != ALCORE_E_SHAPE && status != ALCORE_E_FORKED)
        (void)alcore__cached_run_write(self);
}

/* Keeps what a run that failed has computed, and leaves the error as it was. */
static alcore_status keep_rest(alcore__cached_run *self, alcore_status status) {
    char text[ALCORE__TEXT_BYTES];
    snprintf(text, sizeof text, "%s", alcore_last_error());
    alcore__cached_run_rescue(self, status);
    return alcore_error_set(status, text, strlen(text));
}

alcore_status alcore__model_writer_open(alcore_model *model, alcore_pool *pool, const char *column,
                                        int32_t shape, const alcore__wanted *wanted,
                                        alcore_column_writer **out) {
    alcore__cached_run *run = model->cached_run;
    if (run && strcmp(run->column, column) == 0) {
        run->taken = true;
        *out = alcore_column_writer_ref(run->writer);
    } else {
        alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
        options.meaning = alcore__model_meaning(model, column);
        ALCORE__TRY(alcore_column_writer_new(pool, column, shape, &options, out));
    }
    alcore__column_writer_want(*out, wanted);
    return ALCORE_OK;
}

alcore_status alcore__model_writer_keep(alcore_model *model) {
    alcore__cached_run *run = model->cached_run;
    if (!run || !run->taken || !alcore__cached_run_is_due(run, run->writing)) return ALCORE_OK;
    return alcore__cached_run_write(run);
}

alcore_status alcore__model_writer_close(alcore_model *model, alcore_column_writer *writer,
                                         alcore_status status) {
    alcore__cached_run *run = model->cached_run;
    if (status == ALCORE_OK && run && run->taken) status = alcore__cached_run_write(run);
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    alcore__column_writer_want(writer, NULL);
    alcore_column_writer_unref(writer);
    return status;
}

void alcore__cached_run_count(const alcore__cached_run *self, double seconds) {
    if (!self->cache->use) return;
    self->cache->use->computed += self->missing_count;
    self->cache->use->seconds += seconds;
}

/* Computes the missing rows, which the model puts into the writer or into the pool. */
static alcore_status run_missing(alcore__cached_run *self) {
    const double began = alcore__cache_seconds();
    self->saved = began;
    self->taken = false;
    self->model->cached_run = self;
    const alcore_status status =
        self->model->table->run(self->model, self->pool, self->column, &self->missing_rows);
    self->model->cached_run = NULL;
    alcore__cached_run_count(self, alcore__cache_seconds() - began);
    return status == ALCORE_OK ? status : keep_rest(self, status);
}

/* Copies the rows that the model has just put into the pool to the writer, and writes the file. */
static alcore_status copy_computed(alcore__cached_run *self) {
    ALCORE__TRY(alcore__read_begin(self->pool, "pool"));
    const alcore__column *column = alcore__pool_find_column(self->pool, self->column);
    const alcore_status status =
        column ? alcore__column_writer_copy(self->writer, column)
               : alcore__fail(ALCORE_E_BUSY, "the column '%s' was dropped during the call",
                              self->column);
    alcore__read_end(self->pool);
    return status == ALCORE_OK ? alcore__cached_run_write(self) : status;
}

/* Computes the missing rows and brings them together with those of the file. */
static alcore_status add_missing(alcore__cached_run *self) {
    ALCORE__TRY(run_missing(self));
    return self->taken ? ALCORE_OK : copy_computed(self);
}

bool alcore__cached_run_has_file(const alcore__cached_run *self) {
    return !isnan(self->oldest);
}

alcore_status alcore__cached_run_leave_out(alcore__cached_run *self) {
    warn_unused(self->ctx, self->path.data, self->column);
    self->oldest = (double)NAN;
    alcore__path_state(self->ctx, self->path.data, &self->state);
    ALCORE__TRY(new_writer(self));
    return list_missing(self);
}

alcore_status alcore__cached_run_begin(alcore__cached_run *self) {
    ALCORE__TRY(check_folder(self));
    self->saved = alcore__cache_seconds();
    return ALCORE_OK;
}

/* Computes what is missing. Values of another shape than those of the file say that the model is
 * another one than it claims to be: then the file is left out and every wanted row is computed. */
static alcore_status compute_missing(alcore__cached_run *self) {
    ALCORE__TRY(alcore__cached_run_begin(self));
    const alcore_status status = add_missing(self);
    if (status != ALCORE_E_SHAPE || !alcore__cached_run_has_file(self)) return status;
    ALCORE__TRY(alcore__cached_run_leave_out(self));
    return add_missing(self);
}

alcore_status alcore__cached_run_init(alcore_model *model, alcore_pool *pool, const char *column,
                                      const alcore__wanted *wanted, const char *origin,
                                      const alcore__cache *cache, alcore__cached_run *self) {
    *self = (alcore__cached_run){.ctx = model->object.ctx,
                                 .model = model,
                                 .pool = pool,
                                 .column = column,
                                 .wanted = wanted,
                                 .cache = cache,
                                 .oldest = (double)NAN,
                                 .shape = alcore__model_shape(model, column),
                                 .rows = alcore_pool_row_count(pool)};
    ALCORE__TRY(name_file(self, origin));
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->rows, sizeof *self->missing, &self->missing));
    self->missing_rows = (alcore__wanted){.mask = self->missing, .rows = self->rows};
    ALCORE__TRY(new_writer(self));
    alcore__path_state(self->ctx, self->path.data, &self->state);
    ALCORE__TRY(read_file(self));
    return list_missing(self);
}

void alcore__cached_run_clear(alcore__cached_run *self) {
    if (self->writer) alcore__column_writer_want(self->writer, NULL);
    alcore_column_writer_unref(self->writer);
    alcore__free(self->ctx, self->missing);
    alcore__buffer_clear(self->ctx, &self->path);
}

void alcore__cached_run_log(const alcore__cached_run *self) {
    alcore__log(self->ctx, ALCORE_LOG_INFO, "cache", NULL,
                "the column '%s': %" PRId64 " rows were there, %" PRId64 " are computed",
                self->column, self->read_count, self->missing_count);
}

/* Whether a run of the model for this column goes through a cache: it has to identify itself, and
 * computing must cost more than reading. The name of the column becomes part of that of a file. */
bool alcore__model_is_cached(const alcore_model *model, const char *column) {
    return model->named && model->table->cacheable && model->table->cacheable(model, column) &&
           alcore__column_name_find(column) &&
           alcore__model_shape(model, column) != ALCORE__COLUMN_ANY_SHAPE;
}

/* The steps of alcore__model_run_cached(), which has made the run. */
static alcore_status run_cached(alcore__cached_run *self) {
    if (self->missing_count > 0) ALCORE__TRY(compute_missing(self));
    alcore__cached_run_log(self);
    return self->taken ? ALCORE_OK : alcore_column_writer_finish(self->writer, ALCORE_MISSING_FAIL);
}

/* Called by alcore__model_run() in place of alcore__model_table.run, with the write lock of the
 * model and no lock of the pool. */
alcore_status alcore__model_run_cached(alcore_model *model, alcore_pool *pool, const char *column,
                                       const alcore__wanted *wanted, const char *origin,
                                       const alcore__cache *cache) {
    alcore__cached_run self;
    alcore_status status =
        alcore__cached_run_init(model, pool, column, wanted, origin, cache, &self);
    if (status == ALCORE_OK) status = run_cached(&self);
    alcore__cached_run_clear(&self);
    return status;
}
