/* SPDX-License-Identifier: Apache-2.0 */
/* The training set of a round, and the model that learns from it: the built-in n-gram language
 * model, a program, or a model of the engine. A model of the last two is made under another name
 * and gets its own when it is whole. */
#include <string.h>

#include "alcore/extra/lm.h"
#include "base/number.h"
#include "base/output_path.h"
#include "extra/experiment/experiment_run.h"
#include "extra/training/folder_model.h"

/* ---- the training set ---- */

static alcore_status mix_pairs(alcore__experiment_run *run, int64_t round, const char *path) {
    alcore_ctx *ctx = run->all->ctx;
    alcore_mix_options options = run->all->config.mix;
    alcore_pool *labeled = NULL;
    alcore_annotations *annotations = NULL;
    alcore_mix *mix = NULL;
    options.seed = run->seed;
    options.round = round;
    if (round == 0) options.kind = NULL; /* nothing was bought yet that could be mixed */
    alcore_status status = alcore__experiment_annotations(run, round, &annotations);
    if (status == ALCORE_OK) status = alcore__experiment_labeled(run, 0, true, &labeled);
    if (status == ALCORE_OK)
        status = alcore_mix_new(ctx, labeled, run->pool, annotations, &options, &mix);
    if (status == ALCORE_OK) status = alcore_mix_write(mix, path, NULL);
    if (status == ALCORE_OK)
        status =
            alcore__experiment_event(run, round, "mix", "pairs", (double)alcore_mix_count(mix));
    alcore_mix_unref(mix);
    alcore_annotations_unref(annotations);
    alcore_pool_unref(labeled);
    return status;
}

alcore_status alcore__experiment_mix(alcore__experiment_run *run, int64_t round) {
    alcore__buffer path = {0};
    alcore_status status = alcore__experiment_file(run, round, "train.tsv", &path);
    if (status == ALCORE_OK && !alcore__path_exists(path.data))
        status = mix_pairs(run, round, path.data);
    alcore__buffer_clear(run->all->ctx, &path);
    return status;
}

/* ---- the n-gram model ---- */

/* Trains on all that is labeled, L and what was bought, and writes the model. */
static alcore_status train_ngram(alcore__experiment_run *run, int64_t round, const char *path) {
    alcore_ctx *ctx = run->all->ctx;
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    alcore_pool *pool = NULL;
    alcore_lm *lm = NULL;
    const char **texts = NULL;
    size_t *lengths = NULL;
    options.order = (int32_t)run->all->config.train.order;
    alcore_status status = alcore__experiment_labeled(run, round, true, &pool);
    if (status == ALCORE_OK) status = alcore__experiment_texts(pool, ctx, &texts, &lengths);
    if (status == ALCORE_OK)
        status =
            alcore_lm_new_trained(ctx, texts, lengths, alcore_pool_row_count(pool), &options, &lm);
    if (status == ALCORE_OK) status = alcore_lm_write_arpa(lm, path);
    alcore_lm_unref(lm);
    alcore__free(ctx, texts);
    alcore__free(ctx, lengths);
    alcore_pool_unref(pool);
    return status;
}

/* ---- a program ---- */

static alcore_status train_command(alcore__experiment_run *run, int64_t round, const char *part) {
    alcore__buffer output = {0};
    const alcore__node *command = run->all->config.train.command;
    alcore_status status = alcore__experiment_command(run, round, "train", command, part, &output);
    alcore__buffer_clear(run->all->ctx, &output);
    if (status != ALCORE_OK || !part || alcore__path_exists(part)) return status;
    return alcore__fail(ALCORE_E_DATA, "round %lld: the command of \"train\" made no {model}",
                        (long long)round);
}

/* ---- a model of the engine ---- */

/* The path of the model that a training begins with: that of the round before, or that of round 0,
 * or the one before all rounds. */
static alcore_status find_start(alcore__experiment_run *run, int64_t round, alcore__buffer *path) {
    const alcore__experiment_config *config = &run->all->config;
    if (config->train.previous) return alcore__experiment_previous(run, round, path);
    if (config->zero && round > 0) return alcore__experiment_file(run, 0, "model", path);
    return alcore__experiment_absolute(run->all, config->train.model, path);
}

/* Writes what the validation on the test set gave, which the round's record takes over: the model,
 * made after it, says that it is there. */
static alcore_status write_validation(alcore__experiment_run *run, int64_t round, double value) {
    char number[32];
    alcore__buffer path = {0}, text = {0};
    alcore__print_double(value, number);
    alcore_status status = alcore__experiment_file(run, round, "validation.txt", &path);
    if (status == ALCORE_OK) status = alcore__buffer_format(run->all->ctx, &text, "%s\n", number);
    if (status == ALCORE_OK) status = alcore__write_text(run->all->ctx, path.data, &text);
    alcore__buffer_clear(run->all->ctx, &path);
    alcore__buffer_clear(run->all->ctx, &text);
    return status;
}

/* Round 0 learns the labeled pairs, the others what was bought, and with "with_labeled" those
 * too. */
static alcore_status train_model(alcore__experiment_run *run, int64_t round, const char *part) {
    const alcore__experiment_training *train = &run->all->config.train;
    alcore_train_options options = train->options;
    alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
    alcore__model_folder from = {0};
    alcore__buffer path = {0};
    alcore_pool *pool = NULL;
    options.seed = run->seed;
    options.validation = run->test;
    alcore_status status =
        alcore__experiment_labeled(run, round, round == 0 || train->with_labeled, &pool);
    if (status == ALCORE_OK) status = find_start(run, round, &path);
    from.path = path.data;
    if (status == ALCORE_OK)
        status = alcore__model_folder_train(run->all->ctx, &from, pool, &options, part, &result);
    if (status == ALCORE_OK && run->test) status = write_validation(run, round, result.best_value);
    alcore__buffer_clear(run->all->ctx, &path);
    alcore_pool_unref(pool);
    return status;
}

/* ---- the step ---- */

static alcore_status make_model(alcore__experiment_run *run, int64_t round, const char *path) {
    alcore_ctx *ctx = run->all->ctx;
    const int32_t kind = run->all->config.train.kind;
    char suffix[40];
    alcore__buffer folder = {0}, part = {0};
    if (kind == EXPERIMENT_TRAIN_NGRAM) return train_ngram(run, round, path);
    alcore__output_suffix(suffix);
    alcore_status status = alcore__experiment_file(run, round, "", &folder);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(ctx, &part, "%s/model.part-%s", folder.data, suffix + 8);
    if (status == ALCORE_OK)
        status = kind == EXPERIMENT_TRAIN_MODEL
                     ? train_model(run, round, part.data)
                     : train_command(run, round, path ? part.data : NULL);
    if (status == ALCORE_OK && path) status = alcore__path_appear(ctx, part.data, path);
    if (status != ALCORE_OK && part.data) alcore__path_remove(part.data);
    alcore__buffer_clear(ctx, &folder);
    alcore__buffer_clear(ctx, &part);
    return status;
}

alcore_status alcore__experiment_train(alcore__experiment_run *run, int64_t round) {
    const alcore__experiment_config *config = &run->all->config;
    const char *name = alcore__experiment_model_name(config);
    alcore__buffer path = {0};
    alcore_status status = ALCORE_OK;
    if (config->train.kind == EXPERIMENT_TRAIN_NONE) return ALCORE_OK;
    const int64_t begin = alcore__now_ns();
    if (name) status = alcore__experiment_file(run, round, name, &path);
    if (status == ALCORE_OK && !(name && alcore__path_exists(path.data))) {
        status = make_model(run, round, name ? path.data : NULL);
        if (status == ALCORE_OK)
            status = alcore__experiment_event(run, round, "train", "seconds",
                                              1e-9 * (double)(alcore__now_ns() - begin));
    }
    alcore__buffer_clear(run->all->ctx, &path);
    return status;
}
