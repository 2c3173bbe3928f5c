/* SPDX-License-Identifier: Apache-2.0 */
/* A model that runs in a loadable module: the table of alcore/sys/model.h as a model handle.
 *
 * A column of a pool is made by one or several calls of the engine, each over a batch of up to
 * ALCORE__ENGINE_ROWS rows in row order. The engine returns the items of a call in any order; the
 * receiver below turns an item's index in the batch into its pool row and passes the values to the
 * writer of the column. A ragged column has a list of values a row, one a token; a dense one has a
 * vector. Memory: the views of one batch, 32 bytes a row, and the column. */
#include <inttypes.h>
#include <string.h>

#include "model/adapter_folder.h"
#include "model/folder_kind.h"
#include "model/model_engine.h"

/* Which call of the engine makes a column; one row a column. */
static const struct {
    const char *column;
    uint32_t call; /* ALCORE_SYS_MODEL_* */
    int32_t shape; /* ALCORE_COLUMN_* of the column */
    int32_t part;  /* which of the two values of each token the column has; -1: there is only one */
} entries[] = {
    {"embeddings", ALCORE_SYS_MODEL_EMBED, ALCORE_COLUMN_DENSE, -1},
    {"logprobs", ALCORE_SYS_MODEL_TOKEN_LOGPROBS, ALCORE_COLUMN_RAGGED, -1},
    {"probs", ALCORE_SYS_MODEL_CLASS_PROBS, ALCORE_COLUMN_DENSE, -1},
    {"token_probs", ALCORE_SYS_MODEL_TOKEN_PROBS, ALCORE_COLUMN_RAGGED_DENSE, -1},
    {"qa_start", ALCORE_SYS_MODEL_QA_PROBS, ALCORE_COLUMN_RAGGED, 0},
    {"qa_end", ALCORE_SYS_MODEL_QA_PROBS, ALCORE_COLUMN_RAGGED, 1},
    {"qa_windows", ALCORE_SYS_MODEL_QA_PROBS, ALCORE_COLUMN_RAGGED, 2},
    {"mlm_losses", ALCORE_SYS_MODEL_MLM_LOSSES, ALCORE_COLUMN_RAGGED, -1},
};
enum { ENTRIES = (int)(sizeof entries / sizeof *entries) }; /* rows of the table */

/* Index in `entries` of a column, -1 when no call makes it. */
static int32_t entry_index(const char *column) {
    for (int32_t i = 0; i < ENTRIES; i++)
        if (strcmp(entries[i].column, column) == 0) return i;
    return -1;
}

/* Whether a column is made by windows of questions and contexts: an engine that reads texts itself
 * gets questions alone. */
static bool has_windows(const alcore__engine_model *data, int32_t entry) {
    return entries[entry].call == ALCORE_SYS_MODEL_QA_PROBS && data->info.takes_tokens;
}

/* Whether a column has the probabilities of the labels of a verbalizer. */
static bool has_labels(const alcore__engine_model *data, int32_t entry) {
    return entries[entry].call == ALCORE_SYS_MODEL_CLASS_PROBS && data->verbalizer.count > 0;
}

/* What the texts of a column are to the model. */
static alcore__text_role role_of(const alcore__engine_model *data, int32_t entry) {
    return entries[entry].call == ALCORE_SYS_MODEL_EMBED ? ALCORE__TEXT_EMBEDDED
           : has_labels(data, entry)                     ? ALCORE__TEXT_LABELED
           : data->is_template                           ? ALCORE__TEXT_CONTINUED
                                                         : ALCORE__TEXT_SOURCE;
}

/* What texts are in front of references that are scored: those of a language model are cut in
 * prompts with places alone. */
static alcore__text_role scored_role(const alcore__engine_model *data) {
    return alcore__is_language_model(data) && !data->is_template ? ALCORE__TEXT_LEARNED
                                                                 : ALCORE__TEXT_SOURCE;
}

/* alcore__model_table.can */
static bool can(const alcore_model *model, const char *column) {
    const alcore__engine_model *data = model->data;
    const int32_t entry = entry_index(column);
    if (entry >= 0 && has_labels(data, entry)) return true;
    return entry >= 0 && alcore__engine_has(data, entries[entry].call) &&
           (entries[entry].part < 2 || has_windows(data, entry));
}

/* alcore__model_table.meaning: a head with sigmoids gives a binary column, or labels that do not
 * exclude each other. Values of a regression mean nothing that a score is made of. */
static int32_t meaning(const alcore_model *model, const char *column) {
    const alcore__engine_model *data = model->data;
    if (strcmp(column, "probs") != 0 || data->info.class_values != ALCORE_SYS_CLASSES_INDEPENDENT)
        return 0;
    return data->info.classes == 1 ? ALCORE_MEANS_SIGMOID : ALCORE_MEANS_MULTILABEL;
}

/* Where the values of a call go: the user pointer of its sink. */
typedef struct receiver {
    const char *engine; /* its name, for messages */
    alcore_column_writer *writer;
    const alcore__model_batch *batch; /* the items of the present call */
    int64_t *rows; /* [capacity of the batch] pool rows of the items of one put */
    int32_t part;  /* as in entries */
    int64_t cut;   /* texts and references that were cut, where references are scored */
} receiver;

/* *out: component all->part (0: start, 1: end of the answer) of values [tokens, 2], as a view of
 * the same memory with one dimension; shape and strides [1] are its arrays and must live as long.
 * Strides count components, byte_offset bytes; the bits of the dtype are a multiple of 8. */
static alcore_status pick_part(const receiver *all, const alcore_tensor *values, int64_t *shape,
                               int64_t *strides, alcore_tensor *out) {
    if (values->ndim != 2 || values->shape[1] != 2)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s gave question-answering values that are not "
                            "[tokens, 2]",
                            all->engine);
    *out = *values;
    shape[0] = values->shape[0];
    strides[0] = !values->strides ? 2 : values->strides[0];
    int64_t step = !values->strides ? 1 : values->strides[1];
    out->ndim = 1;
    out->shape = shape;
    out->strides = strides;
    out->byte_offset += (uint64_t)(all->part * step) * (values->dtype.bits / 8u);
    return ALCORE_OK;
}

/* alcore_sys_model_sink.put, called by the engine any number of times a call:
 * items [count] are indices in the batch, each at most once a call; they become pool rows, and the
 * values go to the writer, which copies them. values [items or tokens, ...]; lengths [count]:
 * tokens of each item, NULL for a vector an item. user: the receiver. */
static alcore_status put(void *user, const int64_t *items, const int64_t *lengths, int64_t count,
                         const alcore_tensor *values) {
    receiver *all = user;
    if (count < 0 || count > all->batch->count)
        return alcore__fail(ALCORE_E_INVALID, "%s gave %lld items of a call with %lld items",
                            all->engine, (long long)count, (long long)all->batch->count);
    for (int64_t i = 0; i < count; i++) {
        if (items[i] < 0 || items[i] >= all->batch->count)
            return alcore__fail(ALCORE_E_INVALID, "%s gave item %lld of a call with %lld items",
                                all->engine, (long long)items[i], (long long)all->batch->count);
        all->rows[i] = all->batch->rows[items[i]];
    }
    if (all->part < 0)
        return alcore_column_writer_put(all->writer, all->rows, lengths, count, values);
    int64_t shape, stride;
    alcore_tensor half;
    ALCORE__TRY(pick_part(all, values, &shape, &stride, &half));
    return alcore_column_writer_put(all->writer, all->rows, lengths, count, &half);
}

/* The call token_logprobs. Without targets the model's own output is scored (HUDS, section 2.2),
 * which greedy search makes in the language of the model's outputs; a language model whose prompt
 * has no places scores the text itself. */
static alcore_status call_logprobs(const alcore_model *model, const alcore_sys_model_texts *texts,
                                   const alcore_sys_model_texts *targets,
                                   alcore_sys_model_scoring *scoring,
                                   const alcore_sys_model_sink *sink) {
    const alcore__engine_model *data = model->data;
    alcore_sys_model_decoding greedy = {.size = sizeof greedy};
    if (!targets && alcore__is_language_model(data) && !data->is_template)
        return data->engine->token_logprobs(data->opened, texts, NULL, scoring, sink);
    if (!targets) ALCORE__TRY(alcore__engine_check_outputs(model));
    ALCORE__TRY(alcore__engine_find_language(model, NULL, &greedy));
    scoring->what = targets ? ALCORE_SYS_SCORE_TARGET : ALCORE_SYS_SCORE_HYPOTHESIS;
    scoring->decoding = &greedy;
    return data->engine->token_logprobs(data->opened, texts, targets, scoring, sink);
}

/* One call of the engine over a batch of texts; `call` is one that the model has. targets: the
 * texts whose tokens token_logprobs scores, one for each of texts; NULL: the model's own output.
 * first_row: of the batch in the pool. The engine draws dropout by the seed and an item's number in
 * the call, so that each batch has a seed of its own. */
static alcore_status call_engine(const alcore_model *model, uint32_t call,
                                 const alcore_sys_model_texts *texts,
                                 const alcore_sys_model_texts *targets, int64_t first_row,
                                 const alcore_sys_model_sink *sink) {
    const alcore__engine_model *data = model->data;
    const alcore_sys_model_engine *engine = data->engine;
    alcore_sys_model_scoring scoring = {.size = sizeof scoring,
                                        .dropout = data->dropout,
                                        .seed = data->dropout_seed +
                                                0x9E3779B97F4A7C15u * (uint64_t)first_row};
    switch (call) {
    case ALCORE_SYS_MODEL_EMBED:
        return engine->embed(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_CLASS_PROBS:
        return engine->class_probs(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_TOKEN_PROBS:
        return engine->token_probs(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_QA_PROBS:
        return engine->qa_probs(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_MLM_LOSSES:
        return engine->mlm_losses(data->opened, texts, &scoring, sink);
    case ALCORE_SYS_MODEL_TOKEN_LOGPROBS:
        return call_logprobs(model, texts, targets, &scoring, sink);
    default: /* a column of the table above whose call has no case here */
        return alcore__fail(ALCORE_E_INTERNAL, "call %u of engines is not known", call);
    }
}

/* Encodes the texts of a batch, all->batch, and gives them to the engine; the probabilities of the
 * labels of a verbalizer go to all->writer at once. targets: the encoded references, which are
 * scored; NULL: the model's own output is. */
static alcore_status call_batch(const alcore_model *model, const alcore_pool *pool, int32_t entry,
                                const alcore_sys_model_texts *targets, const int64_t *rooms,
                                receiver *all) {
    const alcore__engine_model *data = model->data;
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = all, .put = put};
    alcore__engine_texts sources = {.counts = targets != NULL};
    alcore_status status =
        alcore__engine_encode(model, pool, all->batch,
                              targets ? scored_role(data) : role_of(data, entry), rooms, &sources);
    if (status == ALCORE_OK && targets)
        status = alcore__engine_check_pairs(model, pool, all->batch, &sources.passed, targets);
    if (status == ALCORE_OK && has_labels(data, entry)) {
        status = alcore__verbalizer_run_batch(model, all->batch, &sources.passed, all->writer);
    } else if (status == ALCORE_OK) {
        status = call_engine(model, entries[entry].call, &sources.passed, targets,
                             all->batch->rows[0], &sink);
        if (status != ALCORE_OK) status = alcore__fail_callback(status, data->engine->engine);
    }
    if (targets) all->cut += sources.cut;
    alcore__engine_texts_clear(model->object.ctx, &sources);
    return status;
}

/* One batch without references, or with the references of its rows, which are scored: they come
 * first, as texts in prompts leave room for them. */
static alcore_status run_batch(const alcore_model *model, const alcore_pool *pool, int32_t entry,
                               bool of_references, receiver *all) {
    alcore_ctx *ctx = model->object.ctx;
    const size_t count = (size_t)all->batch->count;
    alcore__engine_texts targets = {.counts = true};
    const char **texts = NULL; /* [count] */
    size_t *lengths = NULL;    /* [count] bytes */
    int64_t *rooms = NULL;     /* [count] tokens of each reference; NULL: the engine reads texts */
    if (!of_references) return call_batch(model, pool, entry, NULL, NULL, all);
    alcore_status status =
        alcore__engine_encode_references(model, pool, all->batch, &texts, &lengths, &targets);
    const int64_t *offsets = targets.passed.offsets;
    if (status == ALCORE_OK && offsets)
        status = alcore__new_array(ctx, count, sizeof *rooms, &rooms);
    for (size_t i = 0; rooms && i < count; i++) rooms[i] = offsets[i + 1] - offsets[i];
    if (status == ALCORE_OK) status = call_batch(model, pool, entry, &targets.passed, rooms, all);
    all->cut += targets.cut;
    alcore__engine_texts_clear(ctx, &targets);
    alcore__free(ctx, (void *)texts);
    alcore__free(ctx, lengths);
    alcore__free(ctx, rooms);
    return status;
}

/* Calls the engine for all rows of the pool that need a value, batch by batch; put() receives what
 * it gives. The caller holds the read lock of the pool. */
static alcore_status run_batches(alcore_model *model, alcore_pool *pool, int32_t entry,
                                 bool of_references, const alcore__wanted *wanted, receiver *all,
                                 alcore__model_batch *batch) {
    int64_t rows = alcore_pool_row_count(pool);
    for (int64_t row = 0; row < rows;) {
        alcore__model_batch_fill(pool, entries[entry].column, wanted, &row, batch);
        ALCORE__TRY(alcore__tick(model->object.ctx, "model", row, rows));
        if (batch->count == 0) continue;
        ALCORE__TRY(run_batch(model, pool, entry, of_references, all));
        ALCORE__TRY(alcore__model_writer_keep(model));
    }
    return ALCORE_OK;
}

/* Fills the column of an entry through a writer, which installs it in the pool; a row that needs a
 * value and has none is an error. of_references: what is scored are the references of the rows.
 * Called with the write lock of the model and no lock of the pool. */
static alcore_status run_entry(alcore_model *model, alcore_pool *pool, int32_t entry,
                               bool of_references, const alcore__wanted *wanted) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore__model_batch batch = {0};
    receiver all = {.engine = data->engine->engine, .batch = &batch, .part = entries[entry].part};
    ALCORE__TRY(alcore__model_writer_open(model, pool, entries[entry].column, entries[entry].shape,
                                          wanted, &all.writer));
    alcore_status status = alcore__model_batch_init(ctx, ALCORE__ENGINE_ROWS, &batch);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, ALCORE__ENGINE_ROWS, sizeof *all.rows, &all.rows);
    if (status == ALCORE_OK) status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = run_batches(model, pool, entry, of_references, wanted, &all, &batch);
        alcore__read_end(pool);
    }
    alcore__free(ctx, all.rows);
    alcore__model_batch_clear(ctx, &batch);
    if (of_references)
        model->cut = (alcore__column_cut){all.cut, alcore__engine_limit(data, ALCORE__TEXT_SOURCE)};
    return alcore__model_writer_close(model, all.writer, status);
}

/* A prompt would shift the values of a column with one for each token of the row's text. */
static alcore_status check_prompt(const alcore_model *model, int32_t entry) {
    uint32_t by_token =
        ALCORE_SYS_MODEL_TOKEN_PROBS | ALCORE_SYS_MODEL_QA_PROBS | ALCORE_SYS_MODEL_MLM_LOSSES;
    const alcore__engine_model *data = model->data;
    if (alcore__is_language_model(data) && !data->is_template)
        by_token |= ALCORE_SYS_MODEL_TOKEN_LOGPROBS;
    if (!(entries[entry].call & by_token) || !alcore__engine_prompt(model->data, false))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s: the column '%s' has values for the tokens of a text, in front of "
                        "which no prompt can be; open the model without one for it",
                        model->name, entries[entry].column);
}

/* alcore__model_table.cut */
static alcore_status cut(const alcore_model *model, const alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted, alcore__column_cut *out) {
    const alcore__engine_model *data = model->data;
    const int32_t entry = entry_index(column);
    *out = (alcore__column_cut){0};
    if (entry < 0 || has_windows(data, entry)) return ALCORE_OK;
    out->tokens = alcore__engine_cut_limit(data, role_of(data, entry));
    return alcore__engine_count_cut(model, pool, column, wanted, role_of(data, entry), &out->texts);
}

/* alcore__model_table.run: a column that can() confirmed, so that its entry is there. */
static alcore_status run(alcore_model *model, alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted) {
    const int32_t entry = entry_index(column);
    ALCORE__TRY(check_prompt(model, entry));
    if (has_windows(model->data, entry))
        return alcore__engine_answer(model, pool, column, entries[entry].part, wanted);
    return run_entry(model, pool, entry, false, wanted);
}

/* alcore__model_table.tokens: losses of masked words are of the tokens of the row's text. The
 * log-probabilities are of the model's own output, whose text the pool does not have. */
static void tokens(const alcore_model *model, const char *column, alcore__column_tokens *out) {
    const alcore__engine_model *data = model->data;
    if (strcmp(column, "mlm_losses") != 0) return;
    out->tokenizer = data->tokenizer;
    out->max_tokens = data->info.max_tokens;
}

/* alcore__model_table.score: the origin says that references were scored, so that the column is
 * never used as that of the model's own outputs. It has no engine: like a column that was given, it
 * stays as it is until it is replaced. */
static alcore_status score(alcore_model *model, alcore_pool *pool) {
    alcore_ctx *ctx = model->object.ctx;
    const alcore__engine_model *data = model->data;
    alcore__buffer origin = {0};
    char *language = NULL;
    if (!alcore__engine_has(model->data, ALCORE_SYS_MODEL_TOKEN_LOGPROBS))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: the model scores no pairs of texts",
                            model->name);
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__model_origin(model, pool, "logprobs", &origin);
    alcore__read_end(pool);
    if (status == ALCORE_OK) status = alcore__buffer_format(ctx, &origin, ", of the references");
    if (status == ALCORE_OK) status = alcore__engine_copy_language(pool, data->language, &language);
    if (status == ALCORE_OK)
        status = run_entry(model, pool, entry_index("logprobs"), true, NULL /* all rows */);
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status != ALCORE_OK) {
        alcore__buffer_clear(ctx, &origin);
        alcore__free(alcore__pool_ctx(pool), language);
        return status;
    }
    alcore__column_set_origin(pool, "logprobs", origin.data, NULL);
    alcore__engine_note_targets(model, pool, language, true);
    alcore__pool_change_column(pool, "logprobs")->cut = model->cut;
    alcore__write_end(pool);
    alcore__model_note_cut(model, model->cut, "logprobs");
    return ALCORE_OK;
}

/* alcore__model_table.info */
static void info(const alcore_model *model, alcore_model_info *out) {
    const alcore__engine_model *data = model->data;
    out->engine = data->engine->engine;
    out->family = data->info.family;
    out->device = data->info.device;
    out->version = data->version;
    out->json = data->info.json;
    out->dims = data->info.dims;
    out->classes = data->info.classes;
    out->max_tokens = data->info.max_tokens == INT64_MAX ? 0 : data->info.max_tokens;
    out->prompt = data->prompt.text;
    out->vocabulary = data->info.vocabulary;
    out->translates = alcore__engine_has(data, ALCORE_SYS_MODEL_TRANSLATE);
    out->scores = alcore__engine_has(data, ALCORE_SYS_MODEL_TOKEN_LOGPROBS);
    out->trains = alcore__engine_trains(data);
    out->saves = alcore__engine_has(data, ALCORE_SYS_MODEL_SAVE);
    out->labels = data->info.labels;
    if (data->verbalizer.count > 0) {
        out->classes = data->verbalizer.count;
        out->labels = data->verbalizer.labels;
    }
    out->warnings = data->settings.report.warnings;
    out->warning_count = (int64_t)data->settings.report.warning_count;
}

/* alcore__model_table.describe: the version of the model is part of the origin of a column, so that
 * the columns of a model that was trained further since are not used again. */
static alcore_status describe(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    const bool reads_languages = !data->info.takes_tokens || data->reads_languages;
    const uint64_t languages = reads_languages ? alcore__pool_hash_languages(pool) : 0;
    ALCORE__TRY(alcore__buffer_format(alcore__pool_ctx(pool), out, ", version %s on %s",
                                      data->version, data->info.device));
    if (languages != 0) /* an engine that reads texts, or a prompt, has the language of each */
        ALCORE__TRY(alcore__buffer_format(alcore__pool_ctx(pool), out, ", languages %016" PRIx64,
                                          languages));
    const int32_t entry = entry_index(column);
    if (data->language && entry >= 0 &&
        (entries[entry].call == ALCORE_SYS_MODEL_TOKEN_LOGPROBS || has_labels(data, entry)))
        ALCORE__TRY(
            alcore__buffer_format(alcore__pool_ctx(pool), out, ", language %s", data->language));
    if (entry >= 0)
        ALCORE__TRY(alcore__engine_describe_prompt(
            data, alcore__pool_ctx(pool), entries[entry].call == ALCORE_SYS_MODEL_EMBED, out));
    if (entry >= 0 && has_labels(data, entry))
        ALCORE__TRY(alcore__verbalizer_describe(data, alcore__pool_ctx(pool), out));
    const uint32_t scored = ALCORE_SYS_MODEL_TOKEN_LOGPROBS | ALCORE_SYS_MODEL_MLM_LOSSES;
    if (data->dropout && entry >= 0 && (entries[entry].call & scored))
        ALCORE__TRY(alcore__buffer_format(alcore__pool_ctx(pool), out, ", dropout of seed %llu",
                                          (unsigned long long)data->dropout_seed));
    return entry >= 0 && has_windows(data, entry) ? alcore__answers_describe(model, pool, out)
                                                  : ALCORE_OK;
}

/* alcore__model_table.set_dropout */
static alcore_status set_dropout(alcore_model *model, int32_t on, uint64_t seed) {
    alcore__engine_model *data = model->data;
    const uint32_t scored = ALCORE_SYS_MODEL_TOKEN_LOGPROBS | ALCORE_SYS_MODEL_MLM_LOSSES;
    if (on && !(data->info.calls & scored))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s scores nothing in which dropout could be on", model->name);
    data->dropout = on;
    data->dropout_seed = seed;
    return ALCORE_OK;
}

/* alcore__model_table.cacheable: the version is a hash of weights, options and tokenizer. */
static bool cacheable(const alcore_model *model, const char *column) {
    (void)model;
    (void)column;
    return true;
}

/* Closes the engine's handle, if it is open, and frees data. */
static void engine_free(alcore_ctx *ctx, alcore__engine_model *data) {
    if (data->opened) data->engine->close(data->opened);
    alcore__object_unref(data->tokenizer);
    alcore__answers_free(ctx, data->answers);
    alcore__folder_settings_clear(ctx, &data->settings);
    alcore__verbalizer_clear(ctx, &data->verbalizer);
    alcore__free(ctx, data->prompt_copy);
    alcore__free(ctx, data->system);
    alcore__free(ctx, data->base);
    alcore__free(ctx, data->version);
    alcore__free(ctx, data->language);
    alcore__free(ctx, data);
}

/* alcore__model_table.release. In a forked child the threads of the engine do not exist, so close()
 * could wait for them forever: it is not called. */
static void release(alcore_model *model) {
    alcore__engine_model *data = model->data;
    if (alcore__forked(model->object.ctx)) data->opened = NULL;
    engine_free(model->object.ctx, data);
}

/* Refuses an engine of another ABI, or one without the functions that every engine must have. name:
 * ENGINE of libalcore-ENGINE.so. Only a table as long as its `info` may be looked into. */
static alcore_status check_engine(const char *name, const alcore_sys_model_engine *engine) {
    if (engine->size < ALCORE__FIRST_SIZE(alcore_sys_model_engine, info) ||
        engine->abi != ALCORE_SYS_ABI)
        return alcore__fail(ALCORE_E_MODULE,
                            "libalcore-%s.so is of ABI %u, this library of %u; take both from one "
                            "release",
                            name, engine->abi, ALCORE_SYS_ABI);
    ALCORE__TRY(alcore__struct_reserved(engine->reserved, "alcore_sys_model_engine"));
    if (!engine->open || !engine->close || !engine->info || !engine->engine)
        return alcore__fail(ALCORE_E_MODULE, "libalcore-%s.so lacks open, close, info or its name",
                            name);
    return ALCORE_OK;
}

/* The smaller one of two limits, of which 0 is none. */
static int64_t smaller(int64_t a, int64_t b) {
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Completes the options by what the folder says: they go before it, and a limit can only become
 * lower. options NULL: the engine's defaults. */
static alcore_sys_model_options join_settings(const alcore_sys_model_options *options,
                                              const alcore__folder_settings *settings) {
    alcore_sys_model_options out = {.size = sizeof out};
    if (options) out = *options;
    if (out.pooling == ALCORE_SYS_POOLING_AUTO && settings->pooling_count == 1) {
        out.pooling = settings->poolings[0];
    } else if (out.pooling == ALCORE_SYS_POOLING_AUTO) {
        out.poolings = settings->poolings;
        out.pooling_count = (int64_t)settings->pooling_count;
    }
    out.modules = settings->modules;
    out.module_count = (int64_t)settings->module_count;
    if (out.normalize == ALCORE_SYS_NORMALIZE_AUTO && settings->normalize)
        out.normalize = ALCORE_SYS_NORMALIZE_UNIT;
    out.max_tokens = smaller(out.max_tokens, settings->max_tokens);
    out.embedding_dims = settings->truncate_dims;
    return out;
}

/* Opens the folder or file at path with data->engine, reads what it says of the model into
 * data->info, and opens the tokenizer. The folder of an adapter is opened as that of its base, but
 * with a tokenizer, limit and chat template of its own where it has a tokenizer.json.
 * After a failure the caller frees data, which closes what was opened. */
static alcore_status open_model(alcore_ctx *ctx, const char *path, const char *route,
                                const alcore_sys_model_options *options,
                                alcore__engine_model *data) {
    const alcore_sys_model_engine *engine = data->engine;
    ALCORE__TRY(alcore__adapter_base(ctx, path, &data->base));
    const char *folder = data->base ? data->base : path;
    bool own = false; /* an adapter's tokenizer */
    if (data->base) {
        ALCORE__TRY(alcore__folder_kind_check(ctx, folder, true));
        ALCORE__TRY(alcore__folder_has_file(ctx, path, "tokenizer.json", &own));
    }
    ALCORE__TRY(
        alcore__folder_settings_read(ctx, folder, route, own ? path : NULL, &data->settings));
    for (size_t i = 0; i < data->settings.report.warning_count; i++)
        alcore__log(ctx, ALCORE_LOG_WARN, "model", NULL, "%s: %s", path,
                    data->settings.report.warnings[i]);
    alcore_sys_model_options joined = join_settings(options, &data->settings);
    if (data->base) joined.adapter = path;
    const alcore_status status = engine->open(ctx, data->settings.folder, &joined, &data->opened);
    if (status != ALCORE_OK) return alcore__fail_callback(status, engine->engine);
    ALCORE__TRY(alcore__engine_update(ctx, data));
    if (data->base && !(data->info.calls & ALCORE_SYS_MODEL_ADAPTED))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the engine %s reads no adapters; merge it by PEFT "
                            "(merge_and_unload(), save_pretrained())",
                            path, engine->engine);
    alcore__engine_set_windows(data, 0, ALCORE_UNSET_INT);
    ALCORE__TRY(alcore__engine_read_tokenizer(ctx, own ? path : data->settings.folder, data));
    /* The first update says whether a tokenizer is needed; the second one puts its hash into the
     * version. */
    return data->tokenizer_hash ? alcore__engine_update(ctx, data) : ALCORE_OK;
}

bool alcore__classifies(const alcore__engine_model *data) {
    return (data->info.calls & ALCORE_SYS_MODEL_CLASS_PROBS) &&
           !(data->info.calls & ALCORE_SYS_MODEL_TRANSLATE);
}

bool alcore__classifies_tokens(const alcore__engine_model *data) {
    const uint32_t others = ALCORE_SYS_MODEL_TRANSLATE | ALCORE_SYS_MODEL_CLASS_PROBS;
    return data->info.takes_tokens && (data->info.calls & ALCORE_SYS_MODEL_TOKEN_PROBS) &&
           !(data->info.calls & others);
}

bool alcore__answers_questions(const alcore__engine_model *data) {
    const uint32_t others =
        ALCORE_SYS_MODEL_TRANSLATE | ALCORE_SYS_MODEL_CLASS_PROBS | ALCORE_SYS_MODEL_TOKEN_PROBS;
    return data->info.takes_tokens && (data->info.calls & ALCORE_SYS_MODEL_QA_PROBS) &&
           !(data->info.calls & others);
}

bool alcore__learns(const alcore__engine_model *data) {
    return alcore__classifies(data) || alcore__classifies_tokens(data) ||
           alcore__answers_questions(data) || (data->info.calls & ALCORE_SYS_MODEL_TRANSLATE);
}

bool alcore__engine_trains(const alcore__engine_model *data) {
    return alcore__engine_has(data, ALCORE_SYS_MODEL_TRAIN) && alcore__learns(data);
}

const alcore__engine_model *alcore__engine_of(const alcore_model *model) {
    return model->table->run == run ? model->data : NULL;
}

/* The table of the handle is part of data, because its engine name comes from the engine. */
alcore_status alcore__model_make_engine(alcore_ctx *ctx, const alcore_sys_model_engine *engine,
                                        const char *path, const char *route,
                                        const alcore_sys_model_options *options,
                                        alcore__engine_opener open, alcore_model **out) {
    alcore__engine_model *data;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *data, &data));
    data->engine = engine;
    data->unknown = -1;
    data->table = (alcore__model_table){.engine = engine->engine,
                                        .can = can,
                                        .run = run,
                                        .cacheable = cacheable,
                                        .describe = describe,
                                        .info = info,
                                        .translate = alcore__engine_translate,
                                        .score = score,
                                        .set_language = alcore__engine_set_language,
                                        .set_dropout = set_dropout,
                                        .set_verbalizer = alcore__engine_set_verbalizer,
                                        .set_chat = alcore__engine_set_chat,
                                        .save = alcore__engine_save,
                                        .tokens = tokens,
                                        .meaning = meaning,
                                        .cut = cut,
                                        .release = release};
    alcore_status status = open(ctx, path, route, options, data);
    if (status == ALCORE_OK)
        status = alcore__model_new(ctx, &data->table, path, true /* path names it */, data, out);
    if (status != ALCORE_OK) engine_free(ctx, data);
    return status;
}

/* Loads libalcore-ENGINE.so (it stays loaded until the process ends), opens path with it and makes
 * the handle. options NULL: the engine's defaults. */
static alcore_status open_engine(alcore_ctx *ctx, const char *engine, const char *path,
                                 const char *route, const alcore_sys_model_options *options,
                                 alcore_model **out) {
    const void *module;
    ALCORE__TRY(alcore__module_load(ctx, engine, &module));
    ALCORE__TRY(check_engine(engine, module));
    return alcore__model_make_engine(ctx, module, path, route, options, open_model, out);
}

/* Loads the engine for folders with config.json and writes its name to `engine`: "model", that is
 * libalcore-model.so, where the user installed one, else that of the engine for torch. */
static alcore_status find_engine(alcore_ctx *ctx, char engine[ALCORE__ENGINE_BYTES]) {
    const void *table;
    alcore__format(engine, ALCORE__ENGINE_BYTES, "model");
    alcore_status status = alcore__module_load(ctx, engine, &table);
    return status == ALCORE_E_MODULE ? alcore__torch_engine(ctx, engine) : status;
}

alcore_status alcore__engine_choose_prompt(alcore_ctx *ctx, const char *path,
                                           const alcore_model_options *options,
                                           alcore_model **out) {
    const alcore_status status =
        alcore__engine_set_prompt(ctx, path, options->prompt, options->prompt_name, (*out)->data);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore_model_unref(*out);
    *out = NULL;
    return status;
}

/* Called by alcore_model_open() for a folder with config.json. When no engine loads, the error is
 * ALCORE_E_UNSUPPORTED, with the reasons of the loader behind it. */
alcore_status alcore__model_open_with_engine(alcore_ctx *ctx, const char *path, const char *place,
                                             const alcore_model_options *options,
                                             alcore_model **out) {
    /* Engines get a struct of the system tier, so that the public one may change without them. */
    const alcore_sys_model_options passed = {
        .size = sizeof passed,
        .device = options->device,
        .dtype = options->dtype,
        .pooling = options->pooling
                       ? options->pooling - ALCORE_POOLING_MEAN + ALCORE_SYS_POOLING_MEAN
                       : ALCORE_SYS_POOLING_AUTO,
        .layer = options->layer == -1  ? 0  /* the last */
                 : options->layer == 0 ? -1 /* the input */
                                       : options->layer,
        .normalize = options->normalize
                         ? options->normalize - ALCORE_NORMALIZE_UNIT + ALCORE_SYS_NORMALIZE_UNIT
                         : ALCORE_SYS_NORMALIZE_AUTO,
        .max_tokens = options->max_tokens,
        .batch_tokens = options->batch_tokens,
        .kernels = alcore__model_kernels};
    char engine[ALCORE__ENGINE_BYTES];
    alcore_status status = find_engine(ctx, engine);
    if (status == ALCORE_OK) {
        if (strcmp(engine, "model") != 0) /* an engine of the user's own may read any folder */
            ALCORE__TRY(alcore__folder_kind_check(ctx, place, true));
        ALCORE__TRY(open_engine(ctx, engine, path, options->prompt_name, &passed, out));
        alcore__engine_set_windows((*out)->data, options->max_tokens, options->stride);
        return alcore__engine_choose_prompt(ctx, path, options, out);
    }
    if (status != ALCORE_E_MODULE) return status;
    return alcore__fail_within(
        ALCORE_E_UNSUPPORTED,
        "%s holds config.json, so it is a Hugging Face model, but no engine for "
        "such models loads",
        path);
}

alcore_status alcore_model_check_engine(alcore_ctx *ctx) {
    char engine[ALCORE__ENGINE_BYTES];
    ALCORE__TRY(alcore__enter(ctx));
    if (!ctx)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "alcore_model_check_engine: ctx is needed"));
    return alcore__leave(ctx, find_engine(ctx, engine));
}
