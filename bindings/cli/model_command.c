/* SPDX-License-Identifier: Apache-2.0 */
/* alcore model: what a model folder is, and its answers to a file of texts: tokens, embeddings,
 * class probabilities, translations, log-probabilities of given translations. Rows are the lines of
 * the file, repeated and empty ones too; an empty line is not given to the model. Also the training
 * of a vocabulary (vocabulary_command.c) and of models (train_command.c), and the merging of
 * adapters (merge_command.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"
#include "train_config.h"

/* One run of the command. */
typedef struct model_run {
    const arguments *args;
    alcore_ctx *ctx;
    alcore_model *model;
    alcore_pool *texts; /* the lines; with references where there are targets */
} model_run;

/* ---- opening ---- */

/* The settings of --layer, --pool, --normalize and those of every folder; an exit code. */
static int read_settings(const arguments *args, alcore_model_options *options) {
    static const int32_t poolings[] = {ALCORE_POOLING_MEAN, ALCORE_POOLING_FIRST,
                                       ALCORE_POOLING_WORDS, ALCORE_POOLING_POOLER,
                                       ALCORE_POOLING_MAX};
    int64_t layer = options->layer;
    int choice = -1;
    TRY(option_integer(args, OPTION_LAYER, -1, 1000, &layer));
    TRY(option_choice(args, OPTION_POOLING, "mean|cls|first-subword|pooler|max", &choice));
    options->layer = (int32_t)layer;
    if (choice >= 0) options->pooling = poolings[choice];
    if (option_given(args, OPTION_NORMALIZE)) options->normalize = ALCORE_NORMALIZE_UNIT;
    return read_folder_options(args, options);
}

/* Opens the model of operand 1, in the language of --to; an exit code. */
static int open_model(model_run *self) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    TRY(read_settings(self->args, &options));
    TRY(outcome(alcore_model_open(self->ctx, self->args->operands[1], &options, &self->model)));
    TRY(set_prompting(self->args, self->model));
    if (!option_given(self->args, OPTION_TO)) return EXIT_DONE;
    return outcome(
        alcore_model_set_language(self->model, option_value(self->args, OPTION_TO, NULL)));
}

/* Reads the texts of operand 2, with references from operand 3 where there is one. */
static int read_texts(model_run *self) {
    const arguments *args = self->args;
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    TRY(check_join(args, args->operand_count > 3));
    TRY(outcome(alcore_pool_new(self->ctx, &keep_all, &self->texts)));
    return inputs_read_pairs(args, args->operands[2],
                             args->operand_count > 3 ? args->operands[3] : NULL, true, self->texts);
}

/* outcome() of a call over the texts; the file and the record of an error that is about a row come
 * first. */
static int texts_outcome(const model_run *self, alcore_status status) {
    const arguments *args = self->args;
    const bool pairs = args->operand_count > 3;
    int64_t row;
    if (status != ALCORE_OK && terminal_error_row(&row)) {
        terminal_clear();
        fprintf(stderr, "alcore: record %lld of %s%s%s\n", (long long)row + 1, args->operands[2],
                pairs ? " and " : "", pairs ? args->operands[3] : "");
    }
    return outcome(status);
}

/* Refuses --to where no prompt has a place for it: probabilities of classes are of no language. */
static int check_language(const model_run *self) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    if (!option_given(self->args, OPTION_TO)) return EXIT_DONE;
    TRY(outcome(alcore_model_get_info(self->model, &info)));
    if (info.prompt && strstr(info.prompt, "{target_language}")) return EXIT_DONE;
    return complain(EXIT_USAGE, "model %s: --to is for a --prompt that has {target_language}",
                    self->args->operands[0]);
}

/* Refuses a model that lacks a call; what: the call, for the message. */
static int need(const model_run *self, bool has, const char *what) {
    if (has) return EXIT_DONE;
    return complain(EXIT_DATA, "%s: the model has no %s; `alcore model info %s` says what it has",
                    self->args->operands[1], what, self->args->operands[1]);
}

/* With --json: how many lines there were, how many of them are empty, and how many texts the model
 * cut. */
static int print_counts(const model_run *self) {
    const int64_t rows = alcore_pool_row_count(self->texts);
    if (!option_given(self->args, OPTION_JSON)) return EXIT_DONE;
    return print_json_object(json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I}", "version", alcore_version(), "action",
        self->args->operands[0], "model", self->args->operands[1], "rows", (json_int_t)rows,
        "empty", (json_int_t)alcore_pool_state_count(self->texts, ALCORE_ROW_EMPTY), "cut",
        (json_int_t)alcore_model_cut_count(self->model)));
}

/* ---- info ---- */

/* The input columns that the model makes. */
static json_t *list_columns(const alcore_model *model) {
    static const char *const columns[] = {"embeddings", "logprobs", "probs",      "token_probs",
                                          "qa_start",   "qa_end",   "qa_windows", "mlm_losses"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (alcore_model_can(model, columns[i]))
            json_array_append_new(list, json_string(columns[i]));
    return list;
}

/* The actions of this command that the model has. */
static json_t *list_actions(const alcore_model *model, const alcore_model_info *info) {
    json_t *list = json_array();
    if (alcore_model_can(model, "embeddings")) json_array_append_new(list, json_string("embed"));
    if (alcore_model_can(model, "probs") || alcore_model_can(model, "token_probs"))
        json_array_append_new(list, json_string("probs"));
    if (info->scores) json_array_append_new(list, json_string("score"));
    if (info->translates) json_array_append_new(list, json_string("translate"));
    if (info->trains) json_array_append_new(list, json_string("train"));
    return list;
}

/* The names of the classes, in their order. */
static json_t *list_labels(const alcore_model_info *info) {
    json_t *list = json_array();
    for (int64_t k = 0; k < info->classes; k++)
        json_array_append_new(list, json_string(info->labels[k]));
    return list;
}

/* What the folder asks for and is left undone. */
static json_t *list_warnings(const alcore_model_info *info) {
    json_t *list = json_array();
    for (int64_t k = 0; k < info->warning_count; k++)
        json_array_append_new(list, json_string(info->warnings[k]));
    return list;
}

/* Adds a text unless it is NULL, and a number unless it is 0. */
static void add_text(json_t *all, const char *key, const char *value) {
    if (value) json_object_set_new(all, key, json_string(value));
}
static void add_number(json_t *all, const char *key, int64_t value) {
    if (value) json_object_set_new(all, key, json_integer(value));
}

/* What the model is, as one object: what the library knows, and what the engine adds. */
static json_t *describe(const alcore_model *model, const alcore_model_info *info) {
    json_t *all = json_object();
    json_t *more = info->json ? json_loads(info->json, 0, NULL) : NULL;
    add_text(all, "name", alcore_model_name(model));
    add_text(all, "engine", info->engine);
    add_text(all, "family", info->family);
    add_text(all, "device", info->device);
    add_text(all, "version", info->version);
    add_number(all, "dims", info->dims);
    add_number(all, "classes", info->classes);
    add_number(all, "max_tokens", info->max_tokens);
    add_number(all, "vocabulary", info->vocabulary);
    if (more) json_object_update_missing(all, more);
    json_decref(more);
    if (info->family && !info->max_tokens) json_object_set_new(all, "max_tokens", json_null());
    add_text(all, "prompt", info->prompt);
    if (info->warning_count) json_object_set_new(all, "warnings", list_warnings(info));
    if (info->labels) json_object_set_new(all, "labels", list_labels(info));
    json_object_set_new(all, "actions", list_actions(model, info));
    json_object_set_new(all, "columns", list_columns(model));
    return all;
}

/* Prints one member of the description: "name: value", a list with spaces between its entries, but
 * each warning on a line of its own. Only a limit can be null. */
static void print_member(FILE *stream, const char *key, const json_t *value) {
    size_t index;
    json_t *entry;
    if (!strcmp(key, "warnings")) {
        json_array_foreach(value, index, entry)
            fprintf(stream, "warning: %s\n", json_string_value(entry));
        return;
    }
    fprintf(stream, "%s:", key);
    if (json_is_null(value)) fputs(" no limit", stream);
    if (json_is_string(value)) fprintf(stream, " %s", json_string_value(value));
    if (json_is_integer(value))
        fprintf(stream, " %" JSON_INTEGER_FORMAT, json_integer_value(value));
    json_array_foreach(value, index, entry) fprintf(stream, " %s", json_string_value(entry));
    fputc('\n', stream);
}

/* Prints the description of the model, a line "NAME: VALUE" a member; returns an exit code. */
static int print_lines(const model_run *self, json_t *all) {
    text_output out;
    const char *key;
    json_t *value;
    int code = text_output_open(&out);
    if (code == EXIT_DONE)
        json_object_foreach(all, key, value) print_member(out.stream, key, value);
    code = text_output_close(&out, code, option_value(self->args, OPTION_OUT, "-"));
    json_decref(all);
    return code;
}

/* Adds the number of the tokens of the folder's tokenizer, or that it has none. A model of another
 * kind has no such member. */
static void add_tokenizer(const model_run *self, const alcore_model_info *info, json_t *all) {
    alcore_tokenizer *tokenizer = NULL;
    if (!info->family) return;
    if (alcore_tokenizer_open(self->ctx, self->args->operands[1], &tokenizer) == ALCORE_OK)
        add_number(all, "tokenizer_tokens", alcore_tokenizer_size(tokenizer));
    else
        add_text(all, "tokenizer", "none");
    alcore_tokenizer_unref(tokenizer);
}

static int run_info(model_run *self) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    TRY(open_model(self));
    TRY(outcome(alcore_model_get_info(self->model, &info)));
    json_t *all = describe(self->model, &info);
    add_tokenizer(self, &info, all);
    return option_given(self->args, OPTION_JSON) ? print_json_object(all) : print_lines(self, all);
}

/* ---- tokens ---- */

/* Lines that are encoded at a time, which bounds the memory for their tokens. */
enum { CHUNK_LINES = 8192 };

/* Prints a line for each text: its ids with spaces between them; with_spans: id:begin-end, the
 * bytes of the line that the token stems from, 0-0 for special tokens. */
static alcore_status print_tokens(const alcore_tokens *tokens, bool with_spans, FILE *stream) {
    alcore_tensor offsets, ids, types, spans, marks;
    const alcore_status status = alcore_tokens_get(tokens, &offsets, &ids, &types, &spans, &marks);
    if (status != ALCORE_OK) return status;
    const int64_t *first = offsets.data, *id = ids.data, *span = spans.data;
    for (int64_t i = 0; i < alcore_tokens_count(tokens); i++) {
        for (int64_t k = first[i]; k < first[i + 1]; k++) {
            fprintf(stream, "%s%lld", k > first[i] ? " " : "", (long long)id[k]);
            if (with_spans)
                fprintf(stream, ":%lld-%lld", (long long)span[2 * k], (long long)span[2 * k + 1]);
        }
        fputc('\n', stream);
    }
    return ALCORE_OK;
}

/* Encodes all lines, empty ones too, chunk by chunk. texts and lengths are memory for a chunk. */
static alcore_status tokenize_lines(const model_run *self, const alcore_tokenizer *tokenizer,
                                    const char **texts, size_t *lengths, FILE *stream) {
    const bool with_spans = option_given(self->args, OPTION_TOKEN_OFFSETS);
    const int64_t rows = alcore_pool_row_count(self->texts);
    alcore_status status = ALCORE_OK;
    for (int64_t row = 0; row < rows && status == ALCORE_OK; row += CHUNK_LINES) {
        const int64_t count = rows - row < CHUNK_LINES ? rows - row : CHUNK_LINES;
        alcore_tokens *tokens = NULL;
        for (int64_t i = 0; i < count; i++)
            texts[i] = alcore_pool_text(self->texts, row + i, &lengths[i]);
        status =
            alcore_tokenizer_encode(tokenizer, texts, lengths, NULL, NULL, count, NULL, &tokens);
        if (status == ALCORE_OK) status = print_tokens(tokens, with_spans, stream);
        alcore_tokens_unref(tokens);
    }
    return status;
}

/* No model is opened: the tokenizer of the folder is enough, and no engine is needed. */
static int run_tokenize(model_run *self) {
    alcore_tokenizer *tokenizer = NULL;
    text_output out;
    if (option_value(self->args, OPTION_TOKEN_OFFSETS, NULL))
        return complain(EXIT_USAGE, "model tokenize: --offsets takes no file here");
    TRY(outcome(alcore_tokenizer_open(self->ctx, self->args->operands[1], &tokenizer)));
    const char **texts = malloc(CHUNK_LINES * sizeof *texts);
    size_t *lengths = malloc(CHUNK_LINES * sizeof *lengths);
    int code = texts && lengths ? read_texts(self) : complain(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) {
        code = text_output_open(&out);
        if (code == EXIT_DONE)
            code = outcome(tokenize_lines(self, tokenizer, texts, lengths, out.stream));
        terminal_clear();
        code = text_output_close(&out, code, option_value(self->args, OPTION_OUT, "-"));
    }
    free(texts);
    free(lengths);
    alcore_tokenizer_unref(tokenizer);
    return code;
}

/* ---- columns ---- */

/* Computes a column of the texts; an exit code. */
static int run_column(model_run *self, const char *column) {
    const int code = texts_outcome(self, alcore_model_run(self->model, self->texts, column));
    terminal_clear();
    return code;
}

/* Writes a column of a pool to the path; an exit code. */
static int write_column(const alcore_pool *pool, const char *column, const char *path) {
    const int code = outcome(alcore_pool_write_column(pool, column, path, NULL));
    terminal_clear();
    return code;
}

static int run_embed(model_run *self) {
    TRY(option_suffix(self->args, OPTION_OUT, ".npy|.tsv"));
    TRY(open_model(self));
    TRY(need(self, alcore_model_can(self->model, "embeddings"), "embeddings"));
    TRY(read_texts(self));
    TRY(run_column(self, "embeddings"));
    return write_column(self->texts, "embeddings", option_value(self->args, OPTION_OUT, "-"));
}

static int run_score(model_run *self) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    TRY(option_suffix(self->args, OPTION_OUT, ".lp"));
    TRY(open_model(self));
    TRY(outcome(alcore_model_get_info(self->model, &info)));
    TRY(need(self, info.scores, "scores of pairs"));
    if (option_given(self->args, OPTION_DROPOUT)) {
        int64_t seed = 0;
        TRY(option_integer(self->args, OPTION_DROPOUT, 0, INT64_MAX, &seed));
        TRY(outcome(alcore_model_set_dropout(self->model, 1, (uint64_t)seed)));
    }
    TRY(read_texts(self));
    TRY(texts_outcome(self, alcore_model_score(self->model, self->texts)));
    terminal_clear();
    return write_column(self->texts, "logprobs", option_value(self->args, OPTION_OUT, "-"));
}

/* ---- probabilities of tokens ---- */

/* Writes an array of `count` entries of `width` numbers as .npy: as a column of a pool that has as
 * many rows, since that is what the library writes. */
static int write_array(const model_run *self, const alcore_tensor *values, int64_t count,
                       const char *path) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *rows = NULL;
    const char **texts = malloc(((size_t)count + 1) * sizeof *texts);
    alcore_status status =
        texts ? ALCORE_OK : alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
    keep_all.dedup = ALCORE_DEDUP_NONE;
    for (int64_t i = 0; texts && i < count; i++) texts[i] = "row";
    if (status == ALCORE_OK) status = alcore_pool_new(self->ctx, &keep_all, &rows);
    if (status == ALCORE_OK) status = alcore_pool_add_texts(rows, texts, NULL, count, NULL);
    if (status == ALCORE_OK) status = alcore_pool_set_column(rows, "array", values, NULL, NULL);
    int code = outcome(status);
    if (code == EXIT_DONE) code = write_column(rows, "array", path);
    alcore_pool_unref(rows);
    free(texts);
    return code;
}

/* A pool of the lines that are not empty, and the number of the line of each: [rows of the pool],
 * which the caller frees. */
static int keep_full_lines(model_run *self, int64_t **lines) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *full = NULL;
    const int64_t rows = alcore_pool_row_count(self->texts);
    const uint32_t *states = alcore_pool_states(self->texts);
    const char **texts = malloc(((size_t)rows + 1) * sizeof *texts);
    int64_t count = 0;
    *lines = malloc(((size_t)rows + 1) * sizeof **lines);
    if (!texts || !*lines) {
        free(texts);
        return complain(EXIT_MEMORY, "out of memory");
    }
    for (int64_t row = 0; row < rows; row++) {
        if (states[row] != 0) continue;
        texts[count] = alcore_pool_text(self->texts, row, NULL);
        (*lines)[count++] = row;
    }
    keep_all.dedup = ALCORE_DEDUP_NONE;
    int code = outcome(alcore_pool_new(self->ctx, &keep_all, &full));
    if (code == EXIT_DONE) code = outcome(alcore_pool_add_texts(full, texts, NULL, count, NULL));
    free(texts);
    if (code != EXIT_DONE) {
        alcore_pool_unref(full);
        return code;
    }
    alcore_pool_unref(self->texts);
    self->texts = full;
    return EXIT_DONE;
}

/* Writes where the tokens of each of `rows` lines begin, int64 [rows + 1]: those of the lines that
 * are not empty are in `bounds` [count + 1]. */
static int write_offsets(const model_run *self, const int64_t *bounds, const int64_t *lines,
                         int64_t count, int64_t rows, const char *path) {
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets), shape[1] = {rows + 1};
    alcore_tensor tensor;
    if (!offsets) return complain(EXIT_MEMORY, "out of memory");
    for (int64_t i = 0; i < count; i++) offsets[lines[i] + 1] = bounds[i + 1] - bounds[i];
    for (int64_t row = 0; row < rows; row++) offsets[row + 1] += offsets[row];
    int code = outcome(alcore_tensor_init(&tensor, offsets, ALCORE_INT64, shape, 1));
    if (code == EXIT_DONE) code = write_array(self, &tensor, rows + 1, path);
    free(offsets);
    return code;
}

/* Class probabilities of each token: [tokens, classes], and the offsets of the lines. */
static int run_token_probs(model_run *self, const char *offsets_path) {
    const int64_t rows = alcore_pool_row_count(self->texts);
    alcore_tensor values, offsets;
    int64_t *lines = NULL;
    int code = keep_full_lines(self, &lines);
    if (code == EXIT_DONE) code = run_column(self, "token_probs");
    if (code == EXIT_DONE)
        code = outcome(alcore_pool_get_column(self->texts, "token_probs", &values, &offsets));
    if (code == EXIT_DONE)
        code =
            write_array(self, &values, values.shape[0], option_value(self->args, OPTION_OUT, ""));
    if (code == EXIT_DONE)
        code = write_offsets(self, offsets.data, lines, alcore_pool_row_count(self->texts), rows,
                             offsets_path);
    free(lines);
    return code;
}

static int run_probs(model_run *self) {
    const char *offsets = option_value(self->args, OPTION_TOKEN_OFFSETS, NULL);
    TRY(option_suffix(self->args, OPTION_OUT, ".npy|.tsv"));
    if (option_given(self->args, OPTION_TOKEN_OFFSETS) && !offsets)
        return complain(EXIT_USAGE, "model probs: --offsets needs a file, O.npy");
    TRY(open_model(self));
    TRY(check_language(self));
    const bool of_tokens = alcore_model_can(self->model, "token_probs");
    TRY(need(self, of_tokens || alcore_model_can(self->model, "probs"), "class probabilities"));
    if (of_tokens && (!offsets || option_suffix(self->args, OPTION_OUT, ".npy") != EXIT_DONE ||
                      !strcmp(option_value(self->args, OPTION_OUT, "-"), "-")))
        return complain(EXIT_USAGE,
                        "%s gives probabilities of each token: --out P.npy and "
                        "--offsets O.npy are needed",
                        self->args->operands[1]);
    if (!of_tokens && offsets)
        return complain(EXIT_USAGE,
                        "%s gives one row of probabilities a line: --offsets is for a "
                        "model of tokens",
                        self->args->operands[1]);
    TRY(read_texts(self));
    if (of_tokens) return run_token_probs(self, offsets);
    TRY(run_column(self, "probs"));
    return write_column(self->texts, "probs", option_value(self->args, OPTION_OUT, "-"));
}

/* ---- translation ---- */

/* Prints the text of an output: an end of a line in it becomes a space, in a table a tab too. */
static void print_text(const alcore_pool *outputs, int64_t row, bool in_table, FILE *stream) {
    size_t length;
    const char *text = alcore_pool_text(outputs, row, &length);
    for (size_t i = 0; i < length; i++) {
        const bool ends = text[i] == '\n' || text[i] == '\r' || (in_table && text[i] == '\t');
        if (in_table && text[i] == '\\') putc('\\', stream); /* an escape of TSV */
        putc(ends ? ' ' : text[i], stream);
    }
    putc('\n', stream);
}

/* Prints the outputs, one a line, or with best a table of those that were found, `best` rows for
 * each row at most. */
static int print_outputs(const model_run *self, const alcore_pool *outputs, int32_t best) {
    text_output out;
    alcore_tensor scores = {0};
    int code = text_output_open(&out);
    const int64_t rows = code == EXIT_DONE ? alcore_pool_row_count(outputs) : 0;
    if (code == EXIT_DONE)
        code = outcome(alcore_pool_get_column(outputs, "output_scores", &scores, NULL));
    const double *score = scores.data;
    if (best > 0 && code == EXIT_DONE) fprintf(out.stream, "id\trank\tscore\ttext\n");
    for (int64_t row = 0; row < rows && code == EXIT_DONE; row++) {
        if (best > 0 && isnan(score[row])) continue;
        const char *id = best > 0 ? alcore_pool_row_id(outputs, row) : NULL;
        if (best > 0 && !id) {
            code = complain(EXIT_MEMORY, "out of memory");
            break;
        }
        if (best > 0)
            fprintf(out.stream, "%s\t%lld\t%.17g\t", id, (long long)(row % best) + 1, score[row]);
        print_text(outputs, row, best > 0, out.stream);
    }
    return text_output_close(&out, code, option_value(self->args, OPTION_OUT, "-"));
}

static int run_translate(model_run *self) {
    alcore_translate_options options = ALCORE_TRANSLATE_OPTIONS_INIT;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_pool *outputs = NULL;
    int64_t beams = 0, best = 0; /* 0: what the folder says */
    TRY(option_integer(self->args, OPTION_BEST, 1, 64, &best));
    TRY(option_integer(self->args, OPTION_BEAM, 1, 64, &beams));
    TRY(option_integer(self->args, OPTION_MAX_LENGTH, 1, 1000000, &options.max_tokens));
    TRY(option_suffix(self->args, OPTION_TOKEN_SCORES, ".lp"));
    options.beams = (int32_t)beams;
    options.best = (int32_t)best;
    if (beams > 0 && best > beams)
        return complain(EXIT_USAGE, "--best %lld: more than the %lld hypotheses of --beam",
                        (long long)best, (long long)beams);
    TRY(open_model(self));
    TRY(outcome(alcore_model_get_info(self->model, &info)));
    TRY(need(self, info.translates, "translation"));
    TRY(read_texts(self));
    TRY(texts_outcome(self, alcore_model_translate(self->model, self->texts, &options, &outputs)));
    terminal_clear();
    int code = EXIT_DONE;
    if (option_given(self->args, OPTION_TOKEN_SCORES))
        code = write_column(outputs, "logprobs", option_value(self->args, OPTION_TOKEN_SCORES, ""));
    if (code == EXIT_DONE) code = print_outputs(self, outputs, options.best);
    alcore_pool_unref(outputs);
    return code;
}

/* ---- training ---- */

static int run_vocabulary(model_run *self) {
    return vocabulary_command(self->args, self->ctx);
}

/* Refuses the options of files of texts; why: the end of the message. */
static int refuse_texts(const model_run *self, const char *why) {
    static const option_id of_texts[] = {OPTION_OUT,        OPTION_FORMAT,  OPTION_TEXT_COLUMN,
                                         OPTION_BAD_LINES,  OPTION_ESCAPES, OPTION_SIDE,
                                         OPTION_TRANSLATOR, OPTION_SYSTEM,  OPTION_DOMAIN};
    for (size_t i = 0; i < sizeof of_texts / sizeof *of_texts; i++)
        if (option_given(self->args, of_texts[i]))
            return complain(EXIT_USAGE, "model %s takes no --%s; %s", self->args->operands[0],
                            option_table[of_texts[i]].name, why);
    return EXIT_DONE;
}

/* What the other actions take of the command line is in the configuration of a training. */
static int run_train(model_run *self) {
    TRY(refuse_texts(self, "the configuration says it"));
    return train_command(self->args, self->ctx);
}

static int run_merge(model_run *self) {
    TRY(refuse_texts(self, "the new folder is its second operand, and no texts are read"));
    return merge_command(self->args, self->ctx);
}

/* ---- the command ---- */

/* An action: how many operands it has, itself included, and the options that only it and those
 * named beside it have. */
typedef struct action {
    const char *name, *operands;
    int count;
    int (*run)(model_run *self);
    option_id own[10]; /* ends with OPTION_TOTAL */
} action;

static const action actions[] = {
    {"info",
     "DIR",
     2,
     run_info,
     {OPTION_DTYPE, OPTION_PROMPT, OPTION_PROMPT_NAME, OPTION_VERBALIZER, OPTION_CHAT,
      OPTION_TOTAL}},
    {"tokenize", "DIR TEXT", 3, run_tokenize, {OPTION_TOKEN_OFFSETS, OPTION_TOTAL}},
    {"embed",
     "DIR TEXT",
     3,
     run_embed,
     {OPTION_LAYER, OPTION_POOLING, OPTION_NORMALIZE, OPTION_DTYPE, OPTION_PROMPT,
      OPTION_PROMPT_NAME, OPTION_TOTAL}},
    {"score",
     "DIR SOURCE TARGET",
     4,
     run_score,
     {OPTION_TO, OPTION_DROPOUT, OPTION_DTYPE, OPTION_PROMPT, OPTION_PROMPT_NAME, OPTION_CHAT,
      OPTION_TOTAL}},
    {"probs",
     "DIR TEXT",
     3,
     run_probs,
     {OPTION_TOKEN_OFFSETS, OPTION_DTYPE, OPTION_TO, OPTION_PROMPT, OPTION_PROMPT_NAME,
      OPTION_VERBALIZER, OPTION_CHAT, OPTION_TOTAL}},
    {"translate",
     "DIR SOURCE",
     3,
     run_translate,
     {OPTION_BEAM, OPTION_BEST, OPTION_TO, OPTION_MAX_LENGTH, OPTION_TOKEN_SCORES, OPTION_DTYPE,
      OPTION_PROMPT, OPTION_PROMPT_NAME, OPTION_CHAT, OPTION_TOTAL}},
    {"vocabulary",
     "TEXT",
     2,
     run_vocabulary,
     {OPTION_VOCABULARY_SIZE, OPTION_VOCABULARY_KIND, OPTION_COVERAGE, OPTION_BYTE_FALLBACK,
      OPTION_MAX_TEXTS, OPTION_SEED, OPTION_TOTAL}},
    {"train", "CONFIG.json", 2, run_train, {OPTION_TOTAL}},
    {"merge", "ADAPTER OUT", 3, run_merge, {OPTION_DTYPE, OPTION_TOTAL}},
};
enum { ACTIONS = (int)(sizeof actions / sizeof *actions) };

static const char *action_name_at(int index, void *data) {
    (void)data;
    return index < ACTIONS ? actions[index].name : NULL;
}

/* Whether the action has an option that other actions of the command have alone. */
static bool owns(const action *wanted, option_id id) {
    for (const option_id *own = wanted->own; *own != OPTION_TOTAL; own++)
        if (*own == id) return true;
    return false;
}

/* Refuses options of other actions, which would be ignored; an exit code. */
static int check_options(const arguments *args, const action *wanted) {
    for (int i = 0; i < ACTIONS; i++)
        for (const option_id *own = actions[i].own; *own != OPTION_TOTAL; own++)
            if (option_given(args, *own) && !owns(wanted, *own))
                return complain(EXIT_USAGE, "model %s takes no --%s; model %s does", wanted->name,
                                option_table[*own].name, actions[i].name);
    return EXIT_DONE;
}

/* The action of operand 0, its operands and options checked; an exit code. */
static int find_action(const arguments *args, const action **out) {
    const char *name = args->operands[0];
    for (int i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i].name, name) != 0) continue;
        *out = &actions[i];
        if (args->operand_count != actions[i].count)
            return complain(EXIT_USAGE, "model %s takes %s; %d operands were given", name,
                            actions[i].operands, args->operand_count - 1);
        return check_options(args, &actions[i]);
    }
    const char *near = nearest_name(name, action_name_at, NULL);
    return complain(
        EXIT_USAGE,
        "model takes info, tokenize, embed, score, probs, translate, vocabulary, train or merge, "
        "not '%s'%s%s%s",
        name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int command_model(const arguments *args) {
    model_run self = {.args = args};
    const action *wanted = NULL;
    int code = find_action(args, &wanted);
    if (code == EXIT_DONE && wanted->run != run_info && wanted->run != run_train &&
        wanted->run != run_merge)
        code = json_needs_file(args, "values");
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = wanted->run(&self);
    if (code == EXIT_DONE && self.texts) code = print_counts(&self);
    alcore_pool_unref(self.texts);
    alcore_model_unref(self.model);
    alcore_ctx_unref(self.ctx);
    return code;
}
