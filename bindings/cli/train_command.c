/* SPDX-License-Identifier: Apache-2.0 */
/* alcore model train CONFIG.json: trains the model of a folder, or a new transformer, on files of
 * pairs, and writes a folder. With a folder for checkpoints the same command goes on where it was
 * stopped or killed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extra/training/training_choices.h"
#include "inputs.h"
#include "text_output.h"
#include "train_config.h"

/* One run of the command. */
typedef struct train_run {
    const arguments *args;
    alcore_ctx *ctx;
    train_config config;
    train_pool pairs, validation;
    alcore_model *model;
    alcore_train_result result;
} train_run;

/* ---- folders ---- */

/* A path without each "./" at its beginning and the slashes at its end; *length: of the rest. */
static const char *strip_path(const char *path, size_t *length) {
    while (path[0] == '.' && path[1] == '/') {
        const char *rest = path + 1 + strspn(path + 1, "/");
        if (!*rest) break;
        path = rest;
    }
    *length = strlen(path);
    while (*length > 1 && path[*length - 1] == '/') --*length;
    return path;
}

/* Refuses two keys that name one folder: one would write over the files of the other. Folders that
 * are not there yet are compared by their names. */
static int check_two(const train_config *config, const char *first, const char *a,
                     const char *second, const char *b) {
    struct stat one, other;
    size_t a_length, b_length;
    if (!a || !b) return EXIT_DONE;
    const char *a_name = strip_path(a, &a_length), *b_name = strip_path(b, &b_length);
    const bool same = !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
                      one.st_ino == other.st_ino;
    if (same || (a_length == b_length && !memcmp(a_name, b_name, a_length)))
        return complain(EXIT_DATA, "%s: %s and %s are one folder, %s; take two", config->path,
                        first, second, a);
    return EXIT_DONE;
}

/* Refuses, before hours of training, a folder that cannot be made. */
static int check_parent(const train_config *config, const char *key, const char *folder) {
    struct stat found;
    if (!folder) return EXIT_DONE;
    if (!stat(folder, &found))
        return S_ISDIR(found.st_mode)
                   ? EXIT_DONE
                   : complain(EXIT_IO, "%s: %s: %s is no folder", config->path, key, folder);
    return path_can_be_made(folder) ? EXIT_DONE
                                    : complain(EXIT_IO, "%s: %s: %s cannot be made: %s",
                                               config->path, key, folder, strerror(errno));
}

static int check_folders(const train_config *config) {
    const char *checkpoints = config->options.checkpoints;
    TRY(check_two(config, "model", config->model, "out", config->out));
    TRY(check_two(config, "model", config->model, "checkpoints", checkpoints));
    TRY(check_two(config, "out", config->out, "checkpoints", checkpoints));
    TRY(check_parent(config, "out", config->out));
    return check_parent(config, "checkpoints", checkpoints);
}

/* ---- a new transformer ---- */

/* What is done with a file of the tokenizer and its copy in the folder of the model. */
typedef int file_step(const train_config *config, const char *from, const char *to);

/* Says that a file of the tokenizer cannot be read. */
static int cannot_read(const train_config *config, const char *path) {
    return complain(EXIT_IO, "%s: from_scratch.tokenizer: %s: %s", config->path, path,
                    strerror(errno));
}

/* Copies a file, whole or not at all. */
static int copy_file(const train_config *config, const char *from, const char *to) {
    char block[65536];
    text_output out;
    FILE *file = fopen(from, "rb");
    if (!file) return cannot_read(config, from);
    int code = text_output_open(&out);
    if (code == EXIT_DONE) {
        size_t bytes;
        while ((bytes = fread(block, 1, sizeof block, file)) > 0)
            fwrite(block, 1, bytes, out.stream);
        if (ferror(file)) code = cannot_read(config, from);
        code = text_output_close(&out, code, to);
    }
    fclose(file);
    return code;
}

/* Whether two streams have the same bytes. */
static bool same_bytes(FILE *one, FILE *other) {
    char a[4096], b[4096];
    size_t bytes;
    do {
        bytes = fread(a, 1, sizeof a, one);
        if (fread(b, 1, sizeof b, other) != bytes || memcmp(a, b, bytes) != 0) return false;
    } while (bytes > 0);
    return !ferror(one) && !ferror(other);
}

/* Refuses a file whose copy is another one, or is not there. */
static int check_file(const train_config *config, const char *from, const char *to) {
    FILE *file = fopen(from, "rb");
    if (!file) return cannot_read(config, from);
    FILE *copy = fopen(to, "rb");
    const bool same = copy && same_bytes(file, copy);
    if (copy) fclose(copy);
    fclose(file);
    return same ? EXIT_DONE
                : complain(EXIT_DATA,
                           "%s: from_scratch.tokenizer: %s is there already and differs from %s",
                           config->path, to, from);
}

/* Removes a copy. */
static int remove_file(const train_config *config, const char *from, const char *to) {
    (void)config;
    (void)from;
    unlink(to);
    return EXIT_DONE;
}

/* The name that a file which is the whole tokenizer has in the folder of the model. */
static const char *name_of_copy(const char *tokenizer) {
    const char *slash = strrchr(tokenizer, '/'), *name = slash ? slash + 1 : tokenizer;
    const char *dot = strrchr(name, '.');
    return dot && choice_of(dot, ".model|.spm") >= 0 ? "spiece.model" : name;
}

/* The files of ALCORE_SYS_TOKENIZER_FILES (alcore/sys/model.h), which is for modules alone;
 * tests/docs/lists.py compares the two. */
static const char *const tokenizer_files[] = {"tokenizer.json",    "tokenizer_config.json",
                                              "added_tokens.json", "special_tokens_map.json",
                                              "vocab.txt",         "vocab.json",
                                              "merges.txt",        "sentencepiece.bpe.model",
                                              "spiece.model",      "source.spm",
                                              "target.spm"};

/* Does a step with the file of the tokenizer, or with each file of its folder. */
static int each_file(const train_config *config, const char *tokenizer, file_step *step) {
    struct stat info;
    int files = 0;
    if (stat(tokenizer, &info) != 0) return cannot_read(config, tokenizer);
    const char *single = S_ISDIR(info.st_mode) ? NULL : name_of_copy(tokenizer);
    for (size_t i = 0; i < sizeof tokenizer_files / sizeof *tokenizer_files; i++) {
        char from[4096], to[4096];
        TRY(join_path(tokenizer, tokenizer_files[i], from));
        TRY(join_path(config->model, tokenizer_files[i], to));
        if (single ? strcmp(single, tokenizer_files[i]) != 0 : access(from, F_OK) != 0) continue;
        TRY(step(config, single ? tokenizer : from, to));
        files++;
    }
    if (files > 0) return EXIT_DONE;
    return complain(EXIT_DATA,
                    "%s: from_scratch.tokenizer: %s is no file of a tokenizer and no folder with "
                    "one, such as tokenizer.json or vocab.txt",
                    config->path, tokenizer);
}

/* Refuses a folder whose config.json is another one. */
static int check_same(const train_config *config, const json_t *wanted, const char *path) {
    json_t *found = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    const int same = found && json_equal(found, (json_t *)(uintptr_t)wanted);
    json_decref(found);
    if (same) return EXIT_DONE;
    return complain(EXIT_DATA, "%s: from_scratch.config: %s is there already and differs",
                    config->path, path);
}

/* Refuses a folder of the model whose files are no tokenizer that can be used. */
static int check_tokenizer(const train_run *self, const char *tokenizer) {
    alcore_tokenizer *opened = NULL;
    const alcore_status status = alcore_tokenizer_open(self->ctx, self->config.model, &opened);
    alcore_tokenizer_unref(opened);
    if (status != ALCORE_OK)
        fprintf(stderr, "alcore: %s: from_scratch.tokenizer: %s cannot be used\n",
                self->config.path, tokenizer);
    return outcome(status);
}

static int write_config(const json_t *config, const char *path) {
    text_output out;
    int code = text_output_open(&out);
    if (code != EXIT_DONE) return code;
    if (json_dumpf(config, out.stream, JSON_INDENT(2)) != 0)
        code = complain(EXIT_MEMORY, "out of memory");
    fputc('\n', out.stream);
    return text_output_close(&out, code, path);
}

/* Makes the folder of the model unless it is there. config.json comes last, so that a folder with
 * it is complete; the tokenizer, which may depend on it, is opened then. A folder that cannot be
 * used is removed, so that none of its files is left for another tokenizer. */
static int make_model(const train_run *self) {
    const train_config *config = &self->config;
    train_scratch scratch;
    char path[4096];
    TRY(train_config_scratch(config, &scratch));
    TRY(join_path(config->model, "config.json", path));
    if (access(path, F_OK) == 0) {
        TRY(check_same(config, scratch.config, path));
        TRY(each_file(config, scratch.tokenizer, check_file));
        return check_tokenizer(self, scratch.tokenizer);
    }
    TRY(check_parent(config, "model", config->model));
    const bool is_new = mkdir(config->model, 0777) == 0;
    if (!is_new && errno != EEXIST)
        return complain(EXIT_IO, "%s: model: %s: %s", config->path, config->model, strerror(errno));
    int code = each_file(config, scratch.tokenizer, copy_file);
    if (code == EXIT_DONE) code = write_config(scratch.config, path);
    if (code == EXIT_DONE) {
        code = check_tokenizer(self, scratch.tokenizer);
        if (code != EXIT_DONE) {
            unlink(path);
            if (is_new) (void)each_file(config, scratch.tokenizer, remove_file);
        }
    }
    if (code != EXIT_DONE && is_new) rmdir(config->model);
    return code;
}

/* ---- the training ---- */

static int open_model(train_run *self) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    options.device = option_value(self->args, OPTION_DEVICE, NULL);
    options.dtype = ALCORE_FLOAT32; /* of the weights, which training changes */
    options.max_tokens = self->config.max_tokens;
    options.prompt = self->config.prompt;
    const alcore_status status =
        alcore_model_open(self->ctx, self->config.model, &options, &self->model);
    if (status != ALCORE_OK)
        fprintf(stderr, "alcore: %s: model cannot be opened\n", self->config.path);
    TRY(outcome(status));
    const char *system = self->config.chat;
    if (system) {
        const alcore_status set = alcore_model_set_chat(self->model, 1, *system ? system : NULL);
        if (set != ALCORE_OK)
            fprintf(stderr, "alcore: %s: chat cannot be set\n", self->config.path);
        TRY(outcome(set));
    }
    if (!self->config.to) return EXIT_DONE;
    const alcore_status set = alcore_model_set_language(self->model, self->config.to);
    if (set != ALCORE_OK) fprintf(stderr, "alcore: %s: to cannot be set\n", self->config.path);
    return outcome(set);
}

static int read_pairs(train_run *self) {
    const train_config *config = &self->config;
    TRY(train_data_read(self->ctx, config, "train", config->train, true, &self->pairs));
    if (self->pairs.weighted) self->config.options.weights = "weight";
    if (self->pairs.questions) self->config.options.labels = "answer_start";
    if (!config->validation) return EXIT_DONE;
    TRY(train_data_read(self->ctx, config, "validation", config->validation, false,
                        &self->validation));
    if (self->validation.questions != self->pairs.questions)
        return complain(EXIT_DATA, "%s: context_column is needed in train and in validation",
                        config->path);
    self->config.options.validation = self->validation.pool;
    self->config.options.best = config->out;
    return EXIT_DONE;
}

/* Whether there is a checkpoint from which the training can go on. */
static bool has_checkpoint(const train_config *config) {
    char path[4096];
    return config->options.checkpoints &&
           join_path(config->options.checkpoints, "checkpoint.json", path) == EXIT_DONE &&
           access(path, F_OK) == 0;
}

/* Names the file and the record of an error that is about a row, with "validation: " in front where
 * it is one of that list. */
static void print_place(const train_run *self) {
    static const char of_validation[] = "validation: ";
    const train_config *config = &self->config;
    const bool validated =
        strncmp(alcore_last_error(), of_validation, sizeof of_validation - 1) == 0;
    int64_t row;
    if (!terminal_error_row(&row)) return;
    terminal_clear();
    train_data_place(config, validated ? "validation" : "train",
                     validated ? config->validation : config->train,
                     validated ? &self->validation : &self->pairs, row);
}

/* Trains and writes the folder: the best model, which a validation has saved already, or the last
 * one. */
static int train(train_run *self) {
    const train_config *config = &self->config;
    const bool adapter = config->options.lora_rank > 0;
    char path[4096];
    TRY(join_path(config->out, adapter ? "config.json" : "adapter_config.json", path));
    if (access(path, F_OK) == 0)
        return complain(EXIT_DATA,
                        "%s: out: %s holds %s, beside which %s would not be read alone; take "
                        "another folder",
                        config->path, config->out, adapter ? "a model" : "an adapter",
                        adapter ? "an adapter" : "a model");
    const alcore_status status =
        alcore_model_train(self->model, self->pairs.pool, &config->options, &self->result);
    if (status != ALCORE_OK && status != ALCORE_E_CANCELLED) print_place(self);
    if (status == ALCORE_E_CANCELLED && has_checkpoint(config)) {
        terminal_clear();
        fprintf(stderr, "alcore: the same command goes on from the last checkpoint in %s\n",
                config->options.checkpoints);
    }
    TRY(outcome(status));
    if (!self->validation.pool) return outcome(alcore_model_save(self->model, config->out));
    TRY(join_path(config->out, adapter ? "adapter_config.json" : "config.json", path));
    if (access(path, F_OK) == 0) return EXIT_DONE;
    return complain(EXIT_IO,
                    "%s: out: the training ended earlier, and its best model is no longer in %s; "
                    "without %s it is trained again",
                    config->path, config->out, config->options.checkpoints);
}

/* ---- what it says ---- */

static const char *metric_of(const train_config *config) {
    static const char *const names[] = ALCORE__WORDS(ALCORE__VALIDATION_LIST);
    const int32_t metric = config->options.metric ? config->options.metric : ALCORE_VALIDATE_LOSS;
    return names[metric - ALCORE_VALIDATE_LOSS];
}

static void print_summary(const train_run *self) {
    const alcore_train_result *result = &self->result;
    fprintf(stderr, "%lld updates", (long long)result->updates);
    if (result->resumed)
        fprintf(stderr, ", %lld of them before this run", (long long)result->resumed);
    fprintf(stderr, "; loss %.4f; %.0f tokens/s; %s", result->loss,
            (double)result->tokens / (result->seconds > 1e-9 ? result->seconds : 1e-9),
            self->config.out);
    if (self->validation.pool)
        fprintf(stderr, " has the best model, of update %lld: %s %.6g%s",
                (long long)result->best_update, metric_of(&self->config), result->best_value,
                result->stopped ? "; patience ended the training" : "");
    fputc('\n', stderr);
}

/* With --json: what was done, and the configuration. */
static int print_json(const train_run *self) {
    const alcore_train_result *result = &self->result;
    const train_config *config = &self->config;
    json_t *all = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:O}", "version",
        alcore_version(), "action", "train", "model", config->model, "out", config->out, "rows",
        (json_int_t)alcore_pool_state_count(self->pairs.pool, 0), "updates",
        (json_int_t)result->updates, "resumed", (json_int_t)result->resumed, "tokens",
        (json_int_t)result->tokens, "loss", json_finite(result->loss), "seconds",
        json_finite(result->seconds), "trained_parameters", (json_int_t)result->trained_parameters,
        "parameters", (json_int_t)result->parameters, "settings", config->all);
    if (all && self->validation.pool)
        json_object_set_new(all, "validation",
                            json_pack("{s:s, s:I, s:I, s:o, s:b}", "metric", metric_of(config),
                                      "rows",
                                      (json_int_t)alcore_pool_state_count(self->validation.pool, 0),
                                      "best_update", (json_int_t)result->best_update, "best",
                                      json_finite(result->best_value), "stopped", result->stopped));
    return print_json_object(all);
}

static int run(train_run *self) {
    const train_config *config = &self->config;
    self->result = (alcore_train_result)ALCORE_TRAIN_RESULT_INIT;
    TRY(train_config_read(self->args->operands[1], &self->config));
    TRY(check_folders(config));
    TRY(read_pairs(self));
    if (config->from_scratch) {
        TRY(make_model(self));
        /* Now that the folder is there, other names of it are seen too. */
        TRY(check_folders(config));
    }
    TRY(open_model(self));
    terminal_show_notes();
    TRY(train(self));
    terminal_clear();
    if (!option_given(self->args, OPTION_QUIET)) print_summary(self);
    return option_given(self->args, OPTION_JSON) ? print_json(self) : EXIT_DONE;
}

int train_command(const arguments *args, alcore_ctx *ctx) {
    train_run self = {.args = args, .ctx = ctx};
    const int code = run(&self);
    alcore_model_unref(self.model);
    train_pool_clear(&self.pairs);
    train_pool_clear(&self.validation);
    train_config_clear(&self.config);
    return code;
}
