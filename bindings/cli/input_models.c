/* SPDX-License-Identifier: Apache-2.0 */
/* The models of --model: one for all columns, and those of single columns, with their language,
 * prompt and cache. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"
#include "select_page.h"

/* The bytes of the column that a value of --model begins with, "embeddings=DIR"; 0: none. */
static size_t column_of_model(const char *value) {
    const size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz_");
    return value[length] == '=' ? length : 0;
}

/* Whether one of the models that were opened took an option that not every model has. */
typedef struct taken {
    bool language, folder /* options of Hugging Face folders */, outputs;
} taken;

/* Sets the language of --to, where the model has outputs in one. */
static int set_language(const arguments *args, alcore_model *model, taken *by) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    if (!option_given(args, OPTION_TO)) return EXIT_DONE;
    TRY(outcome(alcore_model_get_info(model, &info)));
    if (!info.translates) return EXIT_DONE;
    by->language = true;
    return outcome(alcore_model_set_language(model, option_value(args, OPTION_TO, NULL)));
}

/* Refuses --to, --prompt, --dtype, --chat and --verbalizer where no model took them. A page takes
 * --to too (select_page.h). */
static int check_taken(const arguments *args, taken by) {
    const bool page = select_page_is(option_value(args, OPTION_OUT, "-"));
    if (option_given(args, OPTION_TO) && !by.language && !page)
        return complain(EXIT_USAGE, "--to %s: no --model is one that translates",
                        option_value(args, OPTION_TO, ""));
    static const option_id of_folders[] = {OPTION_PROMPT, OPTION_PROMPT_NAME, OPTION_DTYPE};
    for (size_t i = 0; !by.folder && i < sizeof of_folders / sizeof *of_folders; i++)
        if (option_given(args, of_folders[i]))
            return complain(EXIT_USAGE, "--%s: no --model is a Hugging Face folder",
                            option_table[of_folders[i]].name);
    const bool chat = option_given(args, OPTION_CHAT);
    if ((chat || option_given(args, OPTION_VERBALIZER)) && !by.outputs)
        return complain(EXIT_USAGE, "--%s: no --model is a language model",
                        chat ? "chat" : "verbalizer");
    return EXIT_DONE;
}

int read_folder_options(const arguments *args, alcore_model_options *options) {
    static const int32_t types[] = {ALCORE_FLOAT32, ALCORE_BFLOAT16, ALCORE_FLOAT16, ALCORE_INT8};
    int choice = -1;
    TRY(option_choice(args, OPTION_DTYPE, "float32|bfloat16|float16|int8", &choice));
    if (choice >= 0) options->dtype = types[choice];
    options->device = option_value(args, OPTION_DEVICE, NULL);
    options->prompt = option_value(args, OPTION_PROMPT, NULL);
    options->prompt_name = option_value(args, OPTION_PROMPT_NAME, NULL);
    if (!options->prompt || !options->prompt_name) return EXIT_DONE;
    return complain(EXIT_USAGE, "--prompt gives the text of the prompt and --prompt-name its name; "
                                "give one of them");
}

/* Sets the labels of --verbalizer, if there are any. */
static alcore_status set_verbalizer(const arguments *args, alcore_model *model) {
    const char *value = option_value(args, OPTION_VERBALIZER, NULL);
    if (!value) return ALCORE_OK;
    const size_t length = strlen(value);
    size_t count = 1;
    for (size_t i = 0; i < length; i++) count += value[i] == ',';
    char *texts = strdup(value);
    const char **labels = malloc(count * sizeof *labels);
    alcore_status status =
        texts && labels ? ALCORE_OK : alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
    if (status == ALCORE_OK) {
        count = 0;
        labels[count++] = texts;
        for (size_t i = 0; i < length; i++)
            if (texts[i] == ',') {
                texts[i] = '\0';
                labels[count++] = texts + i + 1;
            }
        status = alcore_model_set_verbalizer(model, labels, (int64_t)count);
    }
    free(texts);
    free((void *)labels);
    return status;
}

int set_prompting(const arguments *args, alcore_model *model) {
    const char *system = option_value(args, OPTION_CHAT, NULL);
    if (system) TRY(outcome(alcore_model_set_chat(model, 1, *system ? system : NULL)));
    return outcome(set_verbalizer(args, model));
}

/* Sets the chat of --chat and the labels of --verbalizer, where the model has outputs, as language
 * models have. */
static int set_language_model(const arguments *args, alcore_model *model, taken *by) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    TRY(outcome(alcore_model_get_info(model, &info)));
    if (!info.translates) return EXIT_DONE;
    by->outputs = true;
    return set_prompting(args, model);
}

int join_path(const char *folder, const char *name, char path[4096]) {
    const int length = snprintf(path, 4096, "%s/%s", folder, name);
    return length < 4096 ? EXIT_DONE : complain(EXIT_DATA, "%s: the path is too long", folder);
}

/* Opens the folder of a model with the options of the command line. Folders of ready columns, which
 * have none of the files of models, adapters and sentence-transformers, run nowhere and read no
 * texts: the device is then that of the selection alone. */
static int open_folder(alcore_ctx *ctx, const arguments *args, const char *folder, taken *by,
                       alcore_model **out) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    static const char *const files[] = {"config.json", "adapter_config.json", "modules.json"};
    bool reads = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        TRY(join_path(folder, files[i], path));
        reads = reads || access(path, R_OK) == 0;
    }
    if (reads) TRY(read_folder_options(args, &options));
    by->folder = by->folder || reads;
    return outcome(alcore_model_open(ctx, folder, &options, out));
}

/* Opens what a value of --model names, without a column; *out is NULL after a failure. */
static int open_model(alcore_ctx *ctx, const arguments *args, const char *model, const inputs *in,
                      taken *by, alcore_model **out) {
    const size_t length = strlen(model);

    *out = NULL;
    if (!strcmp(model, "ngram"))
        return outcome(alcore_model_new_ngram(ctx, in->labeled, NULL, out));
    if (length > 5 && !strcmp(model + length - 5, ".arpa")) {
        alcore_lm *lm = NULL;
        TRY(outcome(alcore_lm_open_arpa(ctx, model, &lm)));
        int code = outcome(alcore_model_new_lm(ctx, lm, out));
        alcore_lm_unref(lm);
        return code;
    }
    TRY(open_folder(ctx, args, model, by, out));
    int code = set_language(args, *out, by);
    if (code == EXIT_DONE) code = set_language_model(args, *out, by);
    if (code == EXIT_DONE) return code;
    alcore_model_unref(*out);
    *out = NULL;
    return code;
}

/* *out: the value of --model without a column, NULL when there is none; an exit code when there are
 * two. */
static int find_general_model(const arguments *args, const char **out) {
    const char *value;
    *out = NULL;
    for (int i = 0; (value = option_repeat(args, OPTION_MODEL, i)); i++) {
        if (column_of_model(value)) continue;
        if (*out)
            return complain(EXIT_USAGE, "--model was given twice; a model for a column is "
                                        "--model COLUMN=DIR");
        *out = value;
    }
    return EXIT_DONE;
}

/* The number of --cache-max-age in seconds, infinite by default. */
static int read_max_age(const arguments *args, double *out) {
    const char *text = option_value(args, OPTION_CACHE_MAX_AGE, "off");
    *out = (double)INFINITY;
    if (option_given(args, OPTION_CACHE_MAX_AGE) && !option_given(args, OPTION_CACHE))
        return complain(EXIT_USAGE, "--cache-max-age needs --cache DIR");
    if (!strcmp(text, "off")) return EXIT_DONE;
    return number_of(text, out) && *out >= 0
               ? EXIT_DONE
               : complain(EXIT_USAGE, "--cache-max-age %s: seconds or off are expected", text);
}

/* Lets a model that is asked without a request keep what it computes in the folder of --cache. */
static int set_cache(const arguments *args, alcore_model *model) {
    double max_age;
    TRY(read_max_age(args, &max_age));
    return outcome(alcore_model_set_cache(model, option_value(args, OPTION_CACHE, NULL), max_age));
}

/* Whether the command computes a score for which the log-probabilities of a text by itself, which
 * the n-gram model has, are not those that are meant. */
static bool is_of_round_trips(const arguments *args) {
    return !strcmp(option_value(args, OPTION_SCORER, ""), "rttl");
}

int inputs_model(alcore_ctx *ctx, const arguments *args, const inputs *in, alcore_model **out) {
    const char *value;
    taken by = {0};
    *out = NULL;
    for (int i = 0; (value = option_repeat(args, OPTION_MODEL, i)); i++)
        if (column_of_model(value))
            return complain(EXIT_USAGE, "--model %s: %s has one model for all columns", value,
                            args->command->name);
    TRY(find_general_model(args, &value));
    if (!value && (inputs_are_named(args) || is_of_round_trips(args))) return check_taken(args, by);
    if (!value && !option_given(args, OPTION_QUIET))
        fputs("note: the built-in n-gram model stands in, as neither a column nor a model was "
              "given\n",
              stderr);
    TRY(open_model(ctx, args, value ? value : "ngram", in, &by, out));
    TRY(check_taken(args, by));
    return args->command->bit == COMMAND_RHO ? set_cache(args, *out) : EXIT_DONE;
}

/* Sets the model of one column from "COLUMN=DIR", of which the name has that many bytes. */
static int set_column_model(alcore_ctx *ctx, const arguments *args, const char *value,
                            size_t length, const inputs *in, taken *by) {
    alcore_model *model = NULL;
    char *column = strndup(value, length);
    if (!column) return complain(EXIT_MEMORY, "out of memory");
    int code = open_model(ctx, args, value + length + 1, in, by, &model);
    if (code == EXIT_DONE)
        code = outcome(alcore_request_set_column_model(in->request, column, model));
    alcore_model_unref(model);
    free(column);
    return code;
}

/* Opens the n-gram model that stands in where a shard has neither a column nor a model, as it does
 * without shards: a job has to be told. */
static int open_stand_in(alcore_ctx *ctx, const arguments *args, const inputs *in,
                         alcore_model **out) {
    const bool trains =
        in->labeled && alcore_pool_state_count(in->labeled, 0) +
                               alcore_pool_state_count(in->labeled, ALCORE_ROW_LABELED) >
                           0;
    if (!option_given(args, OPTION_SHARD) || inputs_are_named(args)) return EXIT_DONE;
    return outcome(alcore_model_new_ngram(ctx, trains ? in->labeled : NULL, NULL, out));
}

int inputs_set_models(alcore_ctx *ctx, const arguments *args, const inputs *in) {
    alcore_model *model = NULL;
    const char *value;
    taken by = {0};
    TRY(find_general_model(args, &value));
    TRY(value ? open_model(ctx, args, value, in, &by, &model)
              : open_stand_in(ctx, args, in, &model));
    int code = outcome(alcore_request_set_model(in->request, model));
    alcore_model_unref(model);
    for (int i = 0; code == EXIT_DONE && (value = option_repeat(args, OPTION_MODEL, i)); i++)
        if (column_of_model(value))
            code = set_column_model(ctx, args, value, column_of_model(value), in, &by);
    return code == EXIT_DONE ? check_taken(args, by) : code;
}

int inputs_open_model(alcore_ctx *ctx, const arguments *args, const inputs *in,
                      alcore_model **model) {
    return *model ? EXIT_DONE : inputs_model(ctx, args, in, model);
}

int inputs_embed(alcore_ctx *ctx, const arguments *args, const inputs *in, alcore_model **model,
                 alcore_pool *pool) {
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    if (alcore_pool_get_column_info(pool, "embeddings", &info) == ALCORE_OK) return EXIT_DONE;
    TRY(inputs_open_model(ctx, args, in, model));
    if (!*model)
        return complain(EXIT_DATA,
                        "the embeddings of %s are needed: they were not given, and no model was; "
                        "--model ngram agrees to the built-in n-gram model",
                        pool == in->candidates ? "POOL" : "--target");
    return outcome(alcore_model_run(*model, pool, "embeddings"));
}
