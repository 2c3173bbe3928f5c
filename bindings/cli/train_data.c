/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs of a training or a validation: the files of a list one after the other, with the
 * weights of their rows. Repeated texts stay, since a training set repeats some on purpose. */
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "train_config.h"

/* A pool on its way, and the weights of its rows. */
typedef struct train_data {
    alcore_ctx *ctx;
    const train_config *config;
    alcore_pool *pool;
    int64_t *firsts;                /* [files] the first row of each; owned */
    double *weights;                /* [rows] owned */
    bool weighted;                  /* not all of them are 1 */
    alcore_pool *contexts, *starts; /* of questions: a text for each row; NULL: none so far */
    json_t *kinds;                  /* an object whose keys are the kinds that were met; owned */
} train_data;

static int new_pool(alcore_ctx *ctx, alcore_pool **out) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.repeated_ids = ALCORE_IDS_ANY;
    return outcome(alcore_pool_new(ctx, &keep_all, out));
}

/* Reads a file, or two parallel ones; a failure names the key too. */
static int read_records(train_data *self, const train_file *file) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.text_column = file->mix ? "src" : file->text_column;
    options.reference_column = file->mix ? "tgt" : file->reference_column;
    options.references = file->references;
    options.by = file->by;
    options.language = file->language;
    options.side = file->side;
    options.translator = file->translator;
    options.system = file->system;
    options.domain = file->domain;
    const alcore_status status =
        alcore_pool_read(self->pool, file->mix ? file->mix : file->texts, &options);
    if (status == ALCORE_OK || status == ALCORE_E_CANCELLED) return outcome(status);
    fprintf(stderr, "alcore: %s: %s cannot be read\n", self->config->path, file->key);
    return terminal_failure(status);
}

/* Refuses a row from `first` on that has a text and no reference or, where whole texts are learned,
 * a reference. */
static int check_references(const train_data *self, const train_file *file, int64_t first) {
    const uint32_t *states = alcore_pool_states(self->pool);
    for (int64_t row = first; row < alcore_pool_row_count(self->pool); row++)
        if (states[row] == 0 && !alcore_pool_reference(self->pool, row, NULL) != !!file->whole)
            return complain(EXIT_DATA, "%s: %s: record %lld of %s has %s", self->config->path,
                            file->key, (long long)(row - first + 1),
                            file->mix ? file->mix : file->texts,
                            file->whole ? "a reference, and whole is true"
                                        : "no reference; references or reference_column says "
                                          "where they are");
    return EXIT_DONE;
}

/* Gives the rows from `first` on the weight of the file. */
static int weigh_rows(train_data *self, const train_file *file, int64_t first) {
    const int64_t rows = alcore_pool_row_count(self->pool);
    double *weights = realloc(self->weights, ((size_t)rows + 1) * sizeof *weights);
    if (!weights) return complain(EXIT_MEMORY, "out of memory");
    self->weights = weights;
    for (int64_t row = first; row < rows; row++) weights[row] = file->weight;
    self->weighted = self->weighted || file->weight < 1 || file->weight > 1;
    return EXIT_DONE;
}

/* Adds a column of a file, read once more, to a pool of texts with a row for each of self->pool. */
static int read_column(train_data *self, const train_file *file, const char *column,
                       alcore_pool **pool) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.text_column = column;
    if (!*pool) TRY(new_pool(self->ctx, pool));
    const alcore_status status = alcore_pool_read(*pool, file->texts, &options);
    if (status != ALCORE_OK && status != ALCORE_E_CANCELLED)
        fprintf(stderr, "alcore: %s: %s: %s cannot be read\n", self->config->path, file->key,
                column);
    TRY(outcome(status));
    if (alcore_pool_row_count(*pool) == alcore_pool_row_count(self->pool)) return EXIT_DONE;
    return complain(EXIT_DATA, "%s: %s: %s changed while it was read", self->config->path,
                    file->key, file->texts);
}

/* Reads contexts and starts of a file of questions, whose rows in the pool begin with `first`. Of
 * the files of a list all have them, or none. */
static int read_questions(train_data *self, const train_file *file, int64_t first) {
    if (first > 0 && !file->context_column != !self->contexts)
        return complain(EXIT_DATA, "%s: %s: context_column is needed for each file or for none",
                        self->config->path, file->key);
    if (!file->context_column) return EXIT_DONE;
    if (!strcmp(file->texts, "-"))
        return complain(EXIT_DATA,
                        "%s: %s.texts: with context_column a file is read again, which standard "
                        "input cannot be",
                        self->config->path, file->key);
    TRY(read_column(self, file, file->context_column, &self->contexts));
    return read_column(self, file, file->start_column, &self->starts);
}

/* Multiplies the weights of the rows from `first` on by those of their kinds, for which the file is
 * read once more. */
static int weigh_kinds(train_data *self, const train_file *file, int64_t first) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *kinds = NULL;
    options.text_column = "kind";
    int code = new_pool(self->ctx, &kinds);
    if (code == EXIT_DONE) code = outcome(alcore_pool_read(kinds, file->mix, &options));
    if (code == EXIT_DONE &&
        alcore_pool_row_count(kinds) != alcore_pool_row_count(self->pool) - first)
        code = complain(EXIT_DATA, "%s: %s: %s changed while it was read", self->config->path,
                        file->key, file->mix);
    for (int64_t i = 0; code == EXIT_DONE && i < alcore_pool_row_count(kinds); i++) {
        const char *kind = alcore_pool_text(kinds, i, NULL);
        const json_t *weight = json_object_get(self->config->kind_weights, kind);
        json_object_set_new(self->kinds, kind, json_true());
        if (!weight) continue;
        self->weights[first + i] *= json_number_value(weight);
        self->weighted = true;
    }
    alcore_pool_unref(kinds);
    return code;
}

/* Refuses a weight of a kind that no row has: its name is misspelt. */
static int check_kinds(const train_data *self) {
    const char *kind;
    json_t *weight;
    json_object_foreach(
        (json_t *)(uintptr_t)self->config->kind_weights, kind,
        weight) if (!json_object_get(self->kinds,
                                     kind)) return complain(EXIT_DATA,
                                                            "%s: kind_weights.%s: no pair of train "
                                                            "is of this kind",
                                                            self->config->path, kind);
    return EXIT_DONE;
}

/* Reads one file of the list. with_weights: its rows have weights. */
static int read_file(train_data *self, const train_file *file, bool with_weights) {
    const int64_t first = alcore_pool_row_count(self->pool);
    const bool by_kind = with_weights && file->mix && self->config->kind_weights;
    if (by_kind && !strcmp(file->mix, "-"))
        return complain(EXIT_DATA,
                        "%s: %s.mix: with kind_weights a file is read twice, which standard input "
                        "cannot be",
                        self->config->path, file->key);
    TRY(read_records(self, file));
    TRY(check_references(self, file, first));
    TRY(read_questions(self, file, first));
    if (!with_weights) return EXIT_DONE;
    TRY(weigh_rows(self, file, first));
    return by_kind ? weigh_kinds(self, file, first) : EXIT_DONE;
}

static int read_files(train_data *self, const char *list, const json_t *files, bool with_weights) {
    size_t index;
    json_t *value;
    self->firsts = malloc((json_array_size(files) + 1) * sizeof *self->firsts);
    if (!self->firsts) return complain(EXIT_MEMORY, "out of memory");
    json_array_foreach(files, index, value) {
        train_file file;
        TRY(train_config_file(self->config, list, index, value, &file));
        if (!with_weights && json_object_get(value, "weight"))
            return complain(EXIT_DATA, "%s: %s.weight: rows of %s have no weights",
                            self->config->path, file.key, list);
        self->firsts[index] = alcore_pool_row_count(self->pool);
        TRY(read_file(self, &file, with_weights));
    }
    return with_weights ? check_kinds(self) : EXIT_DONE;
}

/* Gives the pool the weights as a column, unless all are 1. */
static int set_weights(const train_data *self) {
    int64_t rows = alcore_pool_row_count(self->pool);
    alcore_tensor tensor;
    if (!self->weighted) return EXIT_DONE;
    TRY(outcome(alcore_tensor_init(&tensor, self->weights, ALCORE_FLOAT64, &rows, 1)));
    return outcome(alcore_pool_set_column(self->pool, "weight", &tensor, NULL, NULL));
}

/* Reads the texts of the starts as numbers from 0 on into starts [rows], and lists the contexts in
 * texts and lengths [rows]. */
static int list_questions(const train_data *self, const char *list, int64_t *starts,
                          const char **texts, size_t *lengths) {
    inputs_list_texts(self->contexts, texts, lengths);
    for (int64_t row = 0; row < alcore_pool_row_count(self->starts); row++) {
        const char *text = alcore_pool_text(self->starts, row, NULL);
        starts[row] = 0;
        const bool valid = integer_of(text, &starts[row]) && starts[row] >= 0;
        if (alcore_pool_states(self->pool)[row] == 0 && !valid)
            return complain(EXIT_DATA,
                            "%s: %s: record %lld: '%.40s' of start_column is no number of a "
                            "character, from 0",
                            self->config->path, list, (long long)row + 1, text);
    }
    return EXIT_DONE;
}

/* Gives the pool the columns of questions, where the files have them. */
static int set_questions(const train_data *self, const char *list) {
    int64_t rows = alcore_pool_row_count(self->pool);
    alcore_tensor tensor;
    if (!self->contexts) return EXIT_DONE;
    int64_t *starts = malloc(((size_t)rows + 1) * sizeof *starts);
    const char **texts = malloc(((size_t)rows + 1) * sizeof *texts);
    size_t *lengths = malloc(((size_t)rows + 1) * sizeof *lengths);
    int code = starts && texts && lengths ? list_questions(self, list, starts, texts, lengths)
                                          : complain(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE)
        code = outcome(
            alcore_pool_set_text_column(self->pool, "qa_contexts", texts, lengths, rows, NULL));
    if (code == EXIT_DONE)
        code = outcome(alcore_tensor_init(&tensor, starts, ALCORE_INT64, &rows, 1));
    if (code == EXIT_DONE)
        code = outcome(alcore_pool_set_column(self->pool, "answer_start", &tensor, NULL, NULL));
    free(starts);
    free((void *)texts);
    free(lengths);
    return code;
}

int train_data_read(alcore_ctx *ctx, const train_config *config, const char *list,
                    const json_t *files, bool with_weights, train_pool *out) {
    train_data self = {.ctx = ctx, .config = config, .kinds = json_object()};
    int code = self.kinds ? new_pool(ctx, &self.pool) : complain(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) code = read_files(&self, list, files, with_weights);
    if (code == EXIT_DONE) code = set_weights(&self);
    if (code == EXIT_DONE) code = set_questions(&self, list);
    if (code == EXIT_DONE && alcore_pool_state_count(self.pool, 0) == 0)
        code = complain(EXIT_DATA, "%s: %s: the files have no text", config->path, list);
    terminal_clear();
    *out = (train_pool){self.pool, self.firsts, self.weighted, self.contexts != NULL};
    alcore_pool_unref(self.contexts);
    alcore_pool_unref(self.starts);
    free(self.weights);
    json_decref(self.kinds);
    return code;
}

void train_data_place(const train_config *config, const char *list, const json_t *files,
                      const train_pool *pool, int64_t row) {
    size_t index = json_array_size(files);
    train_file file;
    while (index > 0 && pool->firsts[index - 1] > row) index--;
    if (index == 0 || row >= alcore_pool_row_count(pool->pool) ||
        train_config_file(config, list, index - 1, json_array_get(files, index - 1), &file) !=
            EXIT_DONE)
        return;
    fprintf(stderr, "alcore: %s: %s: record %lld of %s\n", config->path, file.key,
            (long long)(row - pool->firsts[index - 1] + 1), file.mix ? file.mix : file.texts);
}

void train_pool_clear(train_pool *pool) {
    alcore_pool_unref(pool->pool);
    free(pool->firsts);
    *pool = (train_pool){0};
}
