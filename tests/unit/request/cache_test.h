/* SPDX-License-Identifier: Apache-2.0 */
/* Runs with a cache (spec 3.8), for the tests of entries and of scores of earlier rounds. A run has
 * a context, a pool of ROWS rows and a host's model of its own, as another process has. The folder
 * of the cache is made by begin() and removed by end(). */
#ifndef CACHE_TEST_H
#define CACHE_TEST_H

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "column_functions.h"
#include "fault_allocator.h"
#include "request_test.h"
#include "test_folder.h"

enum { ROWS = 300, TOKENS = 3, BATCH = 64, MAX_DIMS = 4, MAX_CLASSES = 5 };

static char folder[TEST_PATH_BYTES], cache[TEST_PATH_BYTES + 8], file_path[512];

/* What one run says about itself: its settings, and from `ctx` on what go() fills. */
typedef struct run {
    const char *name;          /* of the model; NULL: it has none */
    uint64_t state;            /* version of the model, by which its values differ */
    const uint64_t *states;    /* [ROWS] in place of state, row by row; NULL: state */
    bool same_embeddings;      /* they are those of state 0 in every state */
    int64_t dims, classes;     /* of its embeddings and distributions */
    const char *cache;         /* NULL: none */
    const char *cache_max_age; /* the options of the request; NULL: not set */
    const char *max_age, *factor;
    const char *strategy;   /* NULL: huds */
    const char *candidates; /* candidates=N; NULL: not set */
    int64_t round;          /* 0: not set */
    int64_t budget;         /* items, or of the unit */
    const char *unit;       /* "w"; NULL: items */
    int64_t first, past;    /* rows that are eligible; past 0: all */
    bool given;             /* the pool has log-probabilities of its texts */
    const char *first_text; /* of the pool's first row; NULL: as the others */
    /* What the first row has beside its text, and what its entry of the columns of the caller is:
     * "notes" of texts and "weights" of numbers. NULL, 0: nothing */
    const char *id, *language, *group, *note;
    double cost, weight;
    int64_t kill_at;          /* the process is killed after so many embeddings; 0: never */
    bool full_disk;           /* once the model computes, no file can be written */
    int64_t cancel_at;        /* the model cancels the run after so many rows; 0: never */
    alcore_ctx *ctx;          /* while it runs */
    int64_t embedded, scored; /* rows that the model was asked for */
    uint8_t was_scored[ROWS]; /* 1: the model was asked for the row's log-probabilities */
    int64_t notes, warnings;  /* log lines of the cache */
    char last_warning[400];
    alcore_status status;
    char error[400];
    char table[16384];          /* the selection as TSV */
    int64_t picks[ROWS], count; /* rows, best first */
    char provenance[16384];
    char summary[4096];
} run;

/* Limits the bytes of a file that is written, in place of a disk. */
static inline void limit_files(rlim_t bytes) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* ---- the model: values that depend on the row and on its state ---- */

static inline int64_t state_of(const run *self, int64_t row) {
    return (int64_t)(self->states ? self->states[row] : self->state);
}

static inline alcore_status embed(void *user, const alcore_batch *batch,
                                  alcore_column_writer *out) {
    run *self = user;
    float values[BATCH * MAX_DIMS];
    int64_t shape[2] = {batch->count, self->dims};
    alcore_tensor tensor;
    const int64_t state = self->same_embeddings ? 0 : (int64_t)self->state;
    self->embedded += batch->count;
    if (self->cancel_at > 0 && self->embedded >= self->cancel_at) alcore_ctx_cancel(self->ctx);
    if (self->kill_at > 0 && self->embedded >= self->kill_at) kill(getpid(), SIGKILL);
    if (self->full_disk) limit_files(0);
    for (int64_t i = 0; i < batch->count; i++)
        for (int64_t j = 0; j < self->dims; j++)
            values[i * self->dims + j] = (float)((batch->rows[i] * 7 + j * 13 + state) % 31) + 1;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    return alcore_column_writer_put(out, batch->rows, NULL, batch->count, &tensor);
}

/* Row i has 1 to TOKENS tokens. */
static inline alcore_status logprobs(void *user, const alcore_batch *batch,
                                     alcore_column_writer *out) {
    run *self = user;
    float values[BATCH * TOKENS];
    int64_t lengths[BATCH], shape[1] = {0};
    alcore_tensor tensor;
    self->scored += batch->count;
    for (int64_t i = 0; i < batch->count; i++) {
        const int64_t row = batch->rows[i], state = state_of(self, row);
        self->was_scored[row] = 1;
        lengths[i] = 1 + row % TOKENS;
        for (int64_t t = 0; t < lengths[i]; t++)
            values[shape[0]++] = -(float)((row * 11 + t + state * 17) % 97) / 8;
    }
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 1));
    return alcore_column_writer_put(out, batch->rows, lengths, batch->count, &tensor);
}

static inline alcore_status probs(void *user, const alcore_batch *batch,
                                  alcore_column_writer *out) {
    run *self = user;
    float values[BATCH * MAX_CLASSES];
    int64_t shape[2] = {batch->count, self->classes};
    alcore_tensor tensor;
    self->scored += batch->count;
    for (int64_t i = 0; i < batch->count; i++) {
        const int64_t row = batch->rows[i], state = state_of(self, row);
        const float top = 0.5f + (float)((row * 11 + state * 17) % 97) / 200;
        for (int64_t c = 0; c < self->classes; c++)
            values[i * self->classes + c] = c == 0 ? top : (1 - top) / (float)(self->classes - 1);
    }
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    return alcore_column_writer_put(out, batch->rows, NULL, batch->count, &tensor);
}

TEST_COLUMN_FUNCTIONS({"embeddings", embed}, {"logprobs", logprobs}, {"probs", probs});

/* alcore_model_host.can: a run without classes has no probabilities. */
static inline int32_t can(void *user, const char *column) {
    return test_can(user, column) && (((run *)user)->classes > 0 || strcmp(column, "probs") != 0);
}

static inline uint64_t version(void *user) {
    return ((run *)user)->state;
}

static inline alcore_model *model_of(alcore_ctx *ctx, run *self) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    host.user = self;
    host.name = self->name;
    host.batch_rows = BATCH;
    host.can = can;
    host.compute = test_compute;
    host.version = version;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    return model;
}

/* ---- a run ---- */

static inline void on_log(void *user, int32_t level, const char *component, const char *message,
                          const char *fields) {
    run *self = user;
    (void)fields;
    if (strcmp(component, "cache") != 0) return;
    self->notes += level == ALCORE_LOG_INFO;
    if (level == ALCORE_LOG_INFO) return;
    self->warnings++;
    snprintf(self->last_warning, sizeof self->last_warning, "%s", message);
}

/* The caller's own columns, where the run has any: the first row differs from the others. */
static inline void give_details(alcore_pool *pool, const run *self) {
    const char *notes[ROWS] = {self->note};
    double weights[ROWS] = {self->weight};
    int64_t shape[1] = {ROWS};
    alcore_tensor tensor;
    if (self->note)
        ck_assert_ok(alcore_pool_set_text_column(pool, "notes", notes, NULL, ROWS, NULL));
    ck_assert_ok(alcore_tensor_init(&tensor, weights, ALCORE_FLOAT64, shape, 1));
    if (self->weight > 0)
        ck_assert_ok(alcore_pool_set_column(pool, "weights", &tensor, NULL, NULL));
}

static inline alcore_pool *pool_of_run(alcore_ctx *ctx, const run *self) {
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t i = 0; i < ROWS; i++) {
        char text[64];
        const char *texts[] = {i == 0 && self->first_text ? self->first_text : text};
        alcore_records record = ALCORE_RECORDS_INIT;
        snprintf(text, sizeof text, "sentence number %lld here", (long long)i);
        record.texts = texts;
        record.count = 1;
        if (i == 0 && self->id) record.ids = &self->id;
        if (i == 0 && self->language) record.languages = &self->language;
        if (i == 0 && self->group) record.groups = &self->group;
        if (i == 0 && self->cost > 0) record.costs = &self->cost;
        ck_assert_ok(alcore_pool_add_records(pool, &record, NULL));
    }
    give_details(pool, self);
    return pool;
}

static inline alcore_request *request_of(alcore_ctx *ctx, alcore_pool *pool, const run *self) {
    const char *strategy = self->strategy ? self->strategy : "huds";
    const struct {
        const char *name, *value;
    } options[] = {{"cache", self->cache},
                   {"cache_max_age", self->cache_max_age},
                   {"max_age", self->max_age},
                   {"refresh_factor", self->factor}};
    char number[24];
    snprintf(number, sizeof number, "%lld%s", (long long)self->budget,
             self->unit ? self->unit : "");
    alcore_request *request = request_for(ctx, pool, strategy, number);
    if (self->candidates) set_parameter(ctx, request, strategy, "candidates", self->candidates);
    snprintf(number, sizeof number, "%lld", (long long)self->round);
    if (self->round > 0) ck_assert_ok(alcore_request_set(request, "round", number));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].value)
            ck_assert_ok(alcore_request_set(request, options[i].name, options[i].value));
    }
    return request;
}

/* Fills what a run says of its selection. */
static inline void read_selection(run *self, const alcore_selection *selection) {
    char path[128];
    snprintf(path, sizeof path, "%s/picks-%d.tsv", folder, (int)getpid());
    ck_assert_ok(alcore_selection_write(selection, path, NULL));
    snprintf(self->table, sizeof self->table, "%s", file_text(path));
    unlink(path);
    self->count = alcore_selection_count(selection);
    memcpy(self->picks, alcore_selection_rows(selection),
           (size_t)self->count * sizeof *self->picks);
    snprintf(self->provenance, sizeof self->provenance, "%s",
             alcore_selection_provenance(selection));
    snprintf(self->summary, sizeof self->summary, "%s", alcore_selection_summary(selection));
}

/* Gives the pool the column "logprobs", one value a row. */
static inline void give_logprobs(alcore_pool *pool) {
    static double values[ROWS];
    static int64_t offsets[ROWS + 1];
    int64_t shape[1] = {ROWS}, bounds[1] = {ROWS + 1};
    alcore_tensor tensor, ends;
    for (int64_t i = 0; i < ROWS; i++) {
        values[i] = -(double)(i % 17) / 4;
        offsets[i + 1] = i + 1;
    }
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_tensor_init(&ends, offsets, ALCORE_INT64, bounds, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &tensor, &ends, NULL));
}

/* Selects and fills what `self` says of it. */
static inline void go(run *self) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    alcore_selection *selection;
    int64_t eligible[ROWS], count = 0;
    options.log = on_log;
    options.log_user = self;
    self->embedded = self->scored = self->notes = self->warnings = self->count = 0;
    memset(self->was_scored, 0, sizeof self->was_scored);
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    self->ctx = ctx;
    alcore_pool *pool = pool_of_run(ctx, self);
    if (self->given) give_logprobs(pool);
    alcore_model *model = model_of(ctx, self);
    alcore_request *request = request_of(ctx, pool, self);
    ck_assert_ok(alcore_request_set_model(request, model));
    for (int64_t i = self->first; i < self->past; i++) eligible[count++] = i;
    if (count > 0)
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, eligible, count));
    self->status = alcore_select(request, &selection);
    if (self->full_disk) limit_files(RLIM_INFINITY);
    snprintf(self->error, sizeof self->error, "%s", alcore_last_error());
    self->table[0] = self->provenance[0] = self->summary[0] = '\0';
    if (self->status == ALCORE_OK) read_selection(self, selection);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* ---- the folder of the cache ---- */

/* The number of entries whose names begin so, of which file_path is one; other files than entries
 * fail the test. */
static inline int list_entries(const char *beginning) {
    int count = 0;
    const struct dirent *entry;
    DIR *dir = opendir(cache);
    if (!dir) return 0;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        const char *end = strrchr(entry->d_name, '.');
        ck_assert_msg(end && strcmp(end, ".alcore") == 0, "%s is left behind", entry->d_name);
        if (strncmp(entry->d_name, beginning, strlen(beginning)) != 0) continue;
        count++;
        snprintf(file_path, sizeof file_path, "%s/%s", cache, entry->d_name);
    }
    closedir(dir);
    return count;
}

static inline void clear_cache(void) {
    while (list_entries("") > 0) unlink(file_path);
}

static inline void begin(void) {
    test_folder_make(folder, "cache");
    snprintf(cache, sizeof cache, "%s/cache", folder);
}

static inline void end(void) {
    clear_cache();
    test_folder_remove(folder);
}

/* ---- allocations that fail ---- */

/* Runs `before` into an empty cache and then `self`, of which allocation 1, 2, ... fails in turn:
 * the call succeeds or says that memory is out. The columns (NULL ends them) are dropped from the
 * pool before each call. entries: what is in the cache after each; 0: it differs. */
static inline void sweep_allocations(run *before, run *self, const char *const *columns,
                                     int entries) {
    fault_allocator fault = {0};
    bool clean = false;
    const long long thinned = getenv("ALCORE_TEST_BRIEF") ? 7 : 1;
    alcore_ctx *ctx = fault_context(&fault, 1);
    alcore_pool *pool = pool_of_run(ctx, self);
    if (self->given) give_logprobs(pool);
    alcore_model *model = model_of(ctx, self);
    alcore_request *request = request_of(ctx, pool, self);
    ck_assert_ok(alcore_request_set_model(request, model));
    for (long long at = 1; !clean; at += thinned) {
        alcore_selection *selection = NULL;
        clear_cache();
        go(before);
        for (int i = 0; columns[i]; i++) alcore_pool_drop_column(pool, columns[i]);
        atomic_store(&fault.calls, 0);
        atomic_store(&fault.failures, 0);
        atomic_store(&fault.fail_at, at);
        alcore_status status = alcore_select(request, &selection);
        atomic_store(&fault.fail_at, 0);
        clean = atomic_load(&fault.failures) == 0;
        const int found = list_entries(""); /* and no temporary file */
        if (entries > 0) ck_assert_int_eq(found, entries);
        ck_assert_msg(status == ALCORE_OK || status == ALCORE_E_NOMEM, "allocation %lld: %s: %s",
                      at, alcore_status_name(status), alcore_last_error());
        ck_assert_int_eq(status == ALCORE_OK, selection != NULL);
        alcore_selection_unref(selection);
    }
    alcore_request_unref(request);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_bytes), 0);
}

#endif
