/* SPDX-License-Identifier: Apache-2.0 */
/* Training on the pairs of a project, by the engine, a command or a function. */
#include <string.h>

#include "extra/project/project_work.h"
#include "extra/training/training_choices.h"

/* What the public call was told. */
typedef struct training {
    alcore_project_train_options options;
    alcore_train_options how; /* of the engine */
    alcore__buffer made;      /* where the model is made */
    alcore__buffer elsewhere; /* path of the model of a function; empty: there is none */
    alcore__project_mix mix;
    alcore_train_result result;
} training;

static alcore_status check(training *self, const alcore_project_train_options *given,
                           const char *call) {
    self->options = (alcore_project_train_options)ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read(&self->options, sizeof self->options,
                                    ALCORE__FIRST_SIZE(alcore_project_train_options, mix), given,
                                    "alcore_project_train_options"));
    const alcore_project_train_options *const options = &self->options;
    self->how = (alcore_train_options)ALCORE_TRAIN_OPTIONS_INIT;
    if (options->training)
        ALCORE__TRY(alcore__struct_read_over(&self->how, sizeof self->how,
                                             ALCORE__FIRST_SIZE(alcore_train_options, reserved),
                                             options->training, "alcore_train_options"));
    if (!!options->model + !!options->command + !!options->function != 1)
        return alcore__fail(ALCORE_E_PARAM, "%s: one of model, command and function is needed",
                            call);
    if (options->command && !options->command[0])
        return alcore__fail(ALCORE_E_PARAM, "%s: the command is empty", call);
    if (!options->model && (options->training || options->language))
        return alcore__fail(ALCORE_E_PARAM, "%s: %s goes with model", call,
                            options->training ? "training" : "language");
    if (self->how.best)
        return alcore__fail(ALCORE_E_PARAM,
                            "%s: best is not taken: the model of the last update "
                            "is kept in the project",
                            call);
    if (options->mix && options->with_labeled)
        return alcore__fail(ALCORE_E_PARAM,
                            "%s: with_labeled brings all pairs that mix would draw from", call);
    if (options->with_labeled < 0 || options->with_labeled > 1 || options->show < 0 ||
        options->show > 1)
        return alcore__fail(ALCORE_E_PARAM, "%s: with_labeled and show are 0 or 1", call);
    return ALCORE_OK;
}

/* ---- what the log has ---- */

/* What stands for a member that is not set: 0 of an amount, NaN of a number, 0 of an int64_t. */
enum { AMOUNT, NUMBER, COUNT };
#define MEMBER(kind, member)                                                                       \
    { #member, kind, offsetof(alcore_train_options, member) }

/* How the engine trains; what is not set is left out, as are the columns of the pairs, which a
 * project has none of. */
static void put_training(alcore__json_out *json, const alcore_train_options *how) {
    static const struct {
        const char *name;
        int kind;
        size_t offset;
    } members[] = {MEMBER(NUMBER, rate),          MEMBER(AMOUNT, weight_decay),
                   MEMBER(AMOUNT, clip),          MEMBER(AMOUNT, label_smoothing),
                   MEMBER(NUMBER, beta1),         MEMBER(NUMBER, beta2),
                   MEMBER(NUMBER, epsilon),       MEMBER(COUNT, updates),
                   MEMBER(COUNT, warmup),         MEMBER(COUNT, accumulate),
                   MEMBER(COUNT, batch_tokens),   MEMBER(COUNT, checkpoint_every),
                   MEMBER(COUNT, validate_every), MEMBER(COUNT, patience),
                   MEMBER(COUNT, lora_rank),      MEMBER(AMOUNT, lora_alpha),
                   MEMBER(AMOUNT, lora_dropout)};
    static const char *const schedules[] = ALCORE__WORDS(ALCORE__SCHEDULE_LIST);
    static const char *const optimizers[] = ALCORE__WORDS(ALCORE__OPTIMIZER_LIST);
    static const char *const precisions[] = ALCORE__WORDS(ALCORE__PRECISION_LIST);
    alcore__json_open(json, "training", '{');
    alcore__json_put_integer(json, "seed", (int64_t)how->seed);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *const value = (const char *)how + members[i].offset;
        const bool is_count = members[i].kind == COUNT;
        const double number = is_count ? 0.0 : *(const double *)value;
        const int64_t count = is_count ? *(const int64_t *)value : 0;
        if (number > 0 || (members[i].kind == NUMBER && number >= 0))
            alcore__json_put_number(json, members[i].name, number);
        if (count) alcore__json_put_integer(json, members[i].name, count);
    }
    if (how->schedule >= ALCORE_SCHEDULE_CONSTANT && how->schedule <= ALCORE_SCHEDULE_COSINE)
        alcore__json_put_string(json, "schedule",
                                schedules[how->schedule - ALCORE_SCHEDULE_CONSTANT]);
    if (how->optimizer >= ALCORE_OPTIMIZER_ADAMW && how->optimizer <= ALCORE_OPTIMIZER_ADAM)
        alcore__json_put_string(json, "optimizer",
                                optimizers[how->optimizer - ALCORE_OPTIMIZER_ADAMW]);
    if (how->precision >= ALCORE_PRECISION_FLOAT32 && how->precision <= ALCORE_PRECISION_FLOAT16)
        alcore__json_put_string(json, "precision",
                                precisions[how->precision - ALCORE_PRECISION_FLOAT32]);
    if (how->lora_targets) alcore__json_put_string(json, "lora_targets", how->lora_targets);
    if (how->checkpoints) alcore__json_put_string(json, "checkpoints", how->checkpoints);
    const int32_t metric = alcore__or_default(how->metric, ALCORE_VALIDATE_LOSS);
    if (how->validation && metric >= ALCORE_VALIDATE_LOSS &&
        metric <= ALCORE_VALIDATE_STRICT_SPAN_F1)
        alcore__json_put_string(json, "metric", alcore__validation_name(metric));
    if (how->recompute) alcore__json_put_flag(json, "recompute", true);
    alcore__json_close(json, '}');
}

/* Who trains. */
static alcore_status put_trainer(alcore__project_work *work, const training *self) {
    const alcore_project_train_options *const options = &self->options;
    alcore__json_out *const json = &work->arguments;
    char digest[ALCORE__HASH_TEXT_BYTES];
    if (options->function) alcore__json_put_flag(json, "function", true);
    alcore__project_work_put_command(work, options->command);
    if (!options->model) return ALCORE_OK;
    ALCORE__TRY(alcore__project_model_digest(work->ctx, options->model, digest));
    const alcore__model_folder from =
        alcore__project_work_folder(work, options->model, options->language);
    alcore__json_put_string(json, "model", options->model);
    alcore__json_put_string(json, "digest", digest);
    if (from.language) alcore__json_put_string(json, "language", from.language);
    put_training(json, &self->how);
    return ALCORE_OK;
}

/* ---- the parts ---- */

/* Reads what the pairs are mixed of. */
static alcore_status read_mix(alcore__project_work *work, void *data) {
    training *const self = data;
    ALCORE__TRY(alcore__project_rounds(work->project, &work->handed.round));
    ALCORE__TRY(alcore__project_work_settings(work));
    ALCORE__TRY(alcore__project_mix_read(work->project, &self->mix));
    return alcore_annotations_count(self->mix.annotations) > 0
               ? ALCORE_OK
               : alcore__fail(ALCORE_E_MISSING, "no pair is labeled that a model could learn");
}

static alcore_status mix(alcore__project_work *work, training *self) {
    if (!self->options.mix) return ALCORE_OK;
    ALCORE__TRY(alcore__project_work_run(work, read_mix, self));
    return alcore__project_mix_make(work, self->options.mix, &self->mix);
}

/* Writes the pairs and logs that the training begins. */
static alcore_status begin(alcore__project_work *work, void *data) {
    training *const self = data;
    alcore__json_out *const json = &work->arguments;
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t pairs = 0, bytes;
    ALCORE__TRY(alcore__project_rounds(work->project, &work->handed.round));
    if (!self->mix.made) ALCORE__TRY(alcore__project_work_settings(work));
    if (self->how.seed == 0) self->how.seed = work->seed;
    ALCORE__TRY(self->options.labeled
                    ? alcore__buffer_format(work->ctx, &work->labeled, "%s", self->options.labeled)
                    : alcore__project_work_scratch(work, "labeled.tsv", &work->labeled));
    work->handed.labeled = work->labeled.data;
    ALCORE__TRY(self->mix.made
                    ? alcore__project_mix_write(work->ctx, &self->mix, work->labeled.data, &pairs)
                    : alcore__project_pairs_write(work->project, work->labeled.data,
                                                  self->options.with_labeled, &pairs));
    if (pairs == 0)
        return alcore__fail(ALCORE_E_MISSING, "no pair is labeled that a model could learn");
    ALCORE__TRY(alcore__path_digest(work->ctx, work->labeled.data, digest, &bytes));
    alcore__json_open(json, NULL, '{');
    alcore__json_put_integer(json, "round", work->handed.round);
    alcore__json_put_integer(json, "pairs", pairs);
    alcore__json_put_string(json, "pairs_digest", digest);
    if (self->options.with_labeled) alcore__json_put_flag(json, "with_labeled", true);
    if (self->mix.made) alcore__json_put_raw(json, "mix", alcore_mix_provenance(self->mix.made));
    ALCORE__TRY(put_trainer(work, self));
    alcore__json_close(json, '}');
    ALCORE__TRY(alcore__project_model_path(work->project, work->handed.round, &work->model));
    ALCORE__TRY(alcore__project_model_prepare(work->project, work->model.data, &self->made));
    work->handed.model = self->made.data;
    return alcore__project_work_log_begin(work);
}

/* Trains by the engine, on the pairs of the file. */
static alcore_status train_model(alcore__project_work *work, training *self) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    const alcore__model_folder from =
        alcore__project_work_folder(work, self->options.model, self->options.language);
    alcore_pool *pairs = NULL;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.repeated_ids = ALCORE_IDS_ANY;
    reading.reference_column = "reference";
    alcore_status status = alcore_pool_new(work->ctx, &keep_all, &pairs);
    if (status == ALCORE_OK) status = alcore_pool_read(pairs, work->handed.labeled, &reading);
    if (status == ALCORE_OK)
        status = alcore__model_folder_train(work->ctx, &from, pairs, &self->how, self->made.data,
                                            &self->result);
    alcore_pool_unref(pairs);
    return status;
}

static alcore_status train(alcore__project_work *work, training *self) {
    const alcore_project_train_options *const options = &self->options;
    const char *made;
    if (options->model) return train_model(work, self);
    if (options->command)
        return alcore__project_work_command(work, options->command, options->show, NULL);
    ALCORE__TRY(alcore__project_work_function(work, options->function, options->user, &made));
    return made ? alcore__buffer_format(work->ctx, &self->elsewhere, "%s", made) : ALCORE_OK;
}

/* Logs what was made and gives the model its name, unless a function made it elsewhere. */
static alcore_status finish(alcore__project_work *work, void *data) {
    const training *const self = data;
    alcore__json_out *const json = &work->result;
    char digest[ALCORE__HASH_TEXT_BYTES];
    const bool elsewhere =
        self->elsewhere.length > 0 && strcmp(self->elsewhere.data, self->made.data) != 0;
    const bool made = !elsewhere && alcore__path_exists(self->made.data);
    work->handed.model = made ? self->made.data : elsewhere ? self->elsewhere.data : NULL;
    alcore__json_open(json, NULL, '{');
    if (made)
        alcore__json_put_string(json, "made", strrchr(work->model.data, '/') + 1);
    else if (elsewhere)
        alcore__json_put_string(json, "model", self->elsewhere.data);
    if (made || elsewhere) {
        ALCORE__TRY(alcore__project_model_digest(work->ctx, work->handed.model, digest));
        alcore__json_put_string(json, "digest", digest);
    }
    if (self->options.model) alcore__json_put_integer(json, "updates", self->result.updates);
    if (self->result.best_update) {
        alcore__json_put_integer(json, "best_update", self->result.best_update);
        alcore__json_put_number(json, "best_value", self->result.best_value);
    }
    alcore__json_close(json, '}');
    ALCORE__TRY(alcore__project_work_log_end(work));
    if (!made) return ALCORE_OK;
    work->handed.model = work->model.data;
    return alcore__project_model_replace(work->project, self->made.data, work->model.data);
}

/* Removes the earlier model, or puts it back where the commit failed. */
static alcore_status mend(alcore__project_work *work, void *data) {
    int64_t bytes = 0;
    (void)data;
    return alcore__project_model_mend(work->project, work->model.data, &bytes);
}

/* ---- the call ---- */

static alcore_status run(alcore__project_work *work, training *self) {
    ALCORE__TRY(alcore__project_work_begin(work));
    ALCORE__TRY(mix(work, self));
    ALCORE__TRY(alcore__project_work_run(work, begin, self));
    alcore_status status = train(work, self);
    if (status == ALCORE_OK) {
        work->waits = true;
        status = alcore__project_work_run(work, finish, self);
        /* What this cannot do, the next training or gc does. */
        (void)alcore__project_work_run(work, mend, NULL);
    }
    return alcore__project_work_log_failure(work, status);
}

alcore_status alcore_project_train(alcore_project *project,
                                   const alcore_project_train_options *options, const char **out) {
    static const char call[] = "alcore_project_train";
    training self = {.result = ALCORE_TRAIN_RESULT_INIT};
    if (out) *out = NULL;
    if (!project || !options)
        return alcore__fail(ALCORE_E_INVALID, "%s: a project and options are needed", call);
    alcore_ctx *const ctx = project->object.ctx;
    alcore__project_work work = {
        .project = project, .ctx = ctx, .call = call, .what = "train", .lock = -1};
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = check(&self, options, call);
    if (status == ALCORE_OK) status = run(&work, &self);
    if (status == ALCORE_OK && out)
        status = alcore__project_work_tell(&work, work.handed.model, out);
    alcore__project_work_end(&work);
    alcore__project_mix_clear(&self.mix);
    alcore__buffer_clear(ctx, &self.made);
    alcore__buffer_clear(ctx, &self.elsewhere);
    return alcore__leave(ctx, status);
}
