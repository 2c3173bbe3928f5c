/* SPDX-License-Identifier: Apache-2.0 */
/* alcore model train CONFIG.json: trains the model of a folder, or a new transformer, on files of
 * pairs, and writes a folder. With a folder for checkpoints the same command goes on where it was
 * stopped or killed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs.h"
#include "text_output.h"
#include "train_config.h"

/* One run of the command. */
typedef struct train_run {
    const arguments *args;
    alcore_ctx *ctx;
    train_config config;
    alcore_pool *pairs, *validation;
    alcore_model *model;
    alcore_train_result result;
} train_run;

/* ---- folders ---- */

/* Writes "FOLDER/NAME" into path; an exit code. */
static int join_path(const char *folder, const char *name, char path[4096]) {
    const int length = snprintf(path, 4096, "%s/%s", folder, name);
    return length < 4096 ? EXIT_DONE : complain(EXIT_DATA, "%s: the path is too long", folder);
}

/* Refuses two keys that name one folder: one would write over the files of the other. */
static int check_two(const train_config *config, const char *first, const char *a,
                     const char *second, const char *b) {
    struct stat one, other;
    if (!a || !b) return EXIT_DONE;
    const bool same = !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
                      one.st_ino == other.st_ino;
    if (same || !strcmp(a, b))
        return complain(EXIT_DATA, "%s: %s and %s are one folder, %s; take two", config->path,
                        first, second, a);
    return EXIT_DONE;
}

/* Refuses, before hours of training, a folder that cannot be made: the one that it is in has to be
 * there. */
static int check_parent(const train_config *config, const char *key, const char *folder) {
    char parent[4096];
    struct stat found;
    if (!folder) return EXIT_DONE;
    if (!stat(folder, &found))
        return S_ISDIR(found.st_mode)
                   ? EXIT_DONE
                   : complain(EXIT_IO, "%s: %s: %s is no folder", config->path, key, folder);
    if (snprintf(parent, sizeof parent, "%s", folder) >= (int)sizeof parent)
        return complain(EXIT_DATA, "%s: %s: the path is too long", config->path, key);
    for (size_t end = strlen(parent); end > 1 && parent[end - 1] == '/'; end--)
        parent[end - 1] = '\0';
    char *slash = strrchr(parent, '/');
    if (slash) slash[slash == parent ? 1 : 0] = '\0';
    if (access(slash ? parent : ".", W_OK | X_OK) != 0)
        return complain(EXIT_IO, "%s: %s: %s cannot be made: %s", config->path, key, folder,
                        strerror(errno));
    return EXIT_DONE;
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

/* Copies a file to FOLDER/NAME, whole or not at all. */
static int copy_file(const train_config *config, const char *from, const char *folder,
                     const char *name) {
    char path[4096], block[65536];
    text_output out;
    FILE *file = fopen(from, "rb");
    if (!file)
        return complain(EXIT_IO, "%s: from_scratch.tokenizer: %s: %s", config->path, from,
                        strerror(errno));
    int code = join_path(folder, name, path);
    if (code == EXIT_DONE) code = text_output_open(&out);
    if (code == EXIT_DONE) {
        size_t bytes;
        while ((bytes = fread(block, 1, sizeof block, file)) > 0)
            fwrite(block, 1, bytes, out.stream);
        if (ferror(file)) code = complain(EXIT_IO, "%s: %s", from, strerror(errno));
        code = text_output_close(&out, code, path);
    }
    fclose(file);
    return code;
}

/* Copies the tokenizer, a file or those of a folder, to the folder of the model. */
static int copy_tokenizer(const train_config *config, const char *tokenizer) {
    static const char *const names[] = {"tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "added_tokens.json",
                                        "vocab.txt",
                                        "vocab.json",
                                        "merges.txt",
                                        "source.spm",
                                        "target.spm",
                                        "spiece.model",
                                        "sentencepiece.bpe.model",
                                        "tokenizer.model"};
    const char *slash = strrchr(tokenizer, '/'), *file = slash ? slash + 1 : tokenizer;
    struct stat found;
    int copied = 0;
    if (stat(tokenizer, &found) != 0)
        return complain(EXIT_IO, "%s: from_scratch.tokenizer: %s: %s", config->path, tokenizer,
                        strerror(errno));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        TRY(join_path(tokenizer, names[i], path));
        const bool in_folder = S_ISDIR(found.st_mode) && access(path, F_OK) == 0;
        if (!in_folder && (S_ISDIR(found.st_mode) || strcmp(file, names[i]) != 0)) continue;
        TRY(copy_file(config, in_folder ? path : tokenizer, config->model, names[i]));
        copied++;
    }
    if (copied > 0) return EXIT_DONE;
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

/* Makes the folder of the model unless it is there; config.json comes last, so that a folder with
 * it is complete. */
static int make_model(const train_config *config) {
    train_scratch scratch;
    char path[4096];
    TRY(train_config_scratch(config, &scratch));
    TRY(join_path(config->model, "config.json", path));
    if (access(path, F_OK) == 0) return check_same(config, scratch.config, path);
    TRY(check_parent(config, "model", config->model));
    if (mkdir(config->model, 0777) != 0 && errno != EEXIST)
        return complain(EXIT_IO, "%s: model: %s: %s", config->path, config->model, strerror(errno));
    TRY(copy_tokenizer(config, scratch.tokenizer));
    text_output out;
    int code = text_output_open(&out);
    if (code == EXIT_DONE) {
        if (json_dumpf(scratch.config, out.stream, JSON_INDENT(2)) != 0)
            code = complain(EXIT_MEMORY, "out of memory");
        fputc('\n', out.stream);
        code = text_output_close(&out, code, path);
    }
    return code;
}

/* ---- the training ---- */

static int open_model(train_run *self) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    options.device = option_value(self->args, OPTION_DEVICE, NULL);
    options.max_tokens = self->config.max_tokens;
    const alcore_status status =
        alcore_model_open(self->ctx, self->config.model, &options, &self->model);
    if (status != ALCORE_OK)
        fprintf(stderr, "alcore: %s: model cannot be opened\n", self->config.path);
    return outcome(status);
}

static int read_pairs(train_run *self) {
    const train_config *config = &self->config;
    bool weighted = false;
    TRY(train_data_read(self->ctx, config, "train", config->train, &self->pairs, &weighted));
    if (weighted) self->config.options.weights = "weight";
    if (!config->validation) return EXIT_DONE;
    TRY(train_data_read(self->ctx, config, "validation", config->validation, &self->validation,
                        NULL));
    self->config.options.validation = self->validation;
    self->config.options.best = config->out;
    return EXIT_DONE;
}

/* Trains and writes the folder: the best model, which a validation has saved already, or the last
 * one. */
static int train(train_run *self) {
    const train_config *config = &self->config;
    const alcore_status status =
        alcore_model_train(self->model, self->pairs, &config->options, &self->result);
    if (status == ALCORE_E_CANCELLED && config->options.checkpoints) {
        terminal_clear();
        fprintf(stderr, "alcore: the same command goes on from the last checkpoint in %s\n",
                config->options.checkpoints);
    }
    TRY(outcome(status));
    if (!self->validation) return outcome(alcore_model_save(self->model, config->out));
    char path[4096];
    TRY(join_path(config->out, "config.json", path));
    if (access(path, F_OK) == 0) return EXIT_DONE;
    return complain(EXIT_IO,
                    "%s: out: the training ended earlier, and its best model is no longer in %s; "
                    "without %s it is trained again",
                    config->path, config->out, config->options.checkpoints);
}

/* ---- what it says ---- */

static const char *metric_of(const train_config *config) {
    static const char *const names[] = {"loss", "bleu", "accuracy"};
    return names[config->options.metric];
}

static void print_summary(const train_run *self) {
    const alcore_train_result *result = &self->result;
    fprintf(stderr, "%lld updates", (long long)result->updates);
    if (result->resumed)
        fprintf(stderr, ", %lld of them before this run", (long long)result->resumed);
    fprintf(stderr, "; loss %.4f; %.0f tokens/s; %s", result->loss,
            (double)result->tokens / (result->seconds > 1e-9 ? result->seconds : 1e-9),
            self->config.out);
    if (self->validation)
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
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:O}", "version", alcore_version(),
        "action", "train", "model", config->model, "out", config->out, "rows",
        (json_int_t)alcore_pool_count(self->pairs, 0), "updates", (json_int_t)result->updates,
        "resumed", (json_int_t)result->resumed, "tokens", (json_int_t)result->tokens, "loss",
        result->loss, "seconds", result->seconds, "settings", config->all);
    if (all && self->validation)
        json_object_set_new(all, "validation",
                            json_pack("{s:s, s:I, s:I, s:f, s:b}", "metric", metric_of(config),
                                      "rows", (json_int_t)alcore_pool_count(self->validation, 0),
                                      "best_update", (json_int_t)result->best_update, "best",
                                      result->best_value, "stopped", result->stopped));
    return print_json_object(all);
}

static int run(train_run *self) {
    const train_config *config = &self->config;
    self->result = (alcore_train_result)ALCORE_TRAIN_RESULT_INIT;
    TRY(train_config_read(self->args->operands[1], &self->config));
    TRY(check_folders(config));
    TRY(read_pairs(self));
    if (config->from_scratch) TRY(make_model(config));
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
    alcore_pool_unref(self.pairs);
    alcore_pool_unref(self.validation);
    train_config_clear(&self.config);
    return code;
}
