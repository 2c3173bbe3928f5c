/* SPDX-License-Identifier: Apache-2.0 */
/* What a configuration says of the steps of a round: "mix", "train" and "evaluate". */
#include <string.h>

#include "extra/experiment/experiment_run.h"
#include "extra/training/training_choices.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define TRAIN(name, kind, member)                                                                  \
    { name, kind, offsetof(alcore__experiment_training, member), false, NULL, 0 }
#define CHOICE(name, member, choices, first)                                                       \
    { name, MEMBER_CHOICE, offsetof(alcore__experiment_training, member), false, choices, first }
#define MIX(name, kind, member)                                                                    \
    { name, kind, offsetof(alcore_mix_options, member), false, NULL, 0 }

static const alcore__tree_member mix_members[] = {
    MIX("kind", MEMBER_TEXT, kind),     MIX("span", MEMBER_TEXT, span),
    MIX("count", MEMBER_COUNT, count),  MIX("subset", MEMBER_COUNT, subset),
    MIX("k", MEMBER_COUNT, k),          MIX("upsample_phrase", MEMBER_COUNT, upsample_phrase),
    MIX("unique", MEMBER_FLAG, unique), MIX("norm", MEMBER_FLAG, norm),
};

static const alcore__tree_member train_members[] = {
    TRAIN("ngram", MEMBER_OBJECT, ngram),
    TRAIN("command", MEMBER_ANY, command),
    TRAIN("base", MEMBER_TEXT, base),
    TRAIN("model", MEMBER_TEXT, model),
    TRAIN("previous", MEMBER_FLAG, previous),
    TRAIN("with_labeled", MEMBER_FLAG, with_labeled),
    CHOICE("optimizer", options.optimizer, ALCORE__CHOICES(ALCORE__OPTIMIZER_LIST),
           ALCORE_OPTIMIZER_ADAMW),
    TRAIN("rate", MEMBER_ABOVE, options.rate),
    TRAIN("weight_decay", MEMBER_NUMBER, options.weight_decay),
    CHOICE("schedule", options.schedule, ALCORE__CHOICES(ALCORE__SCHEDULE_LIST),
           ALCORE_SCHEDULE_CONSTANT),
    TRAIN("warmup", MEMBER_COUNT, options.warmup),
    TRAIN("clip", MEMBER_NUMBER, options.clip),
    TRAIN("label_smoothing", MEMBER_SHARE, options.label_smoothing),
    TRAIN("updates", MEMBER_COUNT, options.updates),
    TRAIN("batch_tokens", MEMBER_COUNT, options.batch_tokens),
    TRAIN("accumulate", MEMBER_COUNT, options.accumulate),
    CHOICE("metric", options.metric, ALCORE__CHOICES(ALCORE__VALIDATION_LIST),
           ALCORE_VALIDATE_LOSS),
};
/* The members of each kind of training, among those above: [first, end). */
enum { NGRAM = 0, COMMAND = 1, COMMAND_END = 3, MODEL = 3 };

static const alcore__tree_member ngram_members[] = {
    {"order", MEMBER_COUNT, offsetof(alcore__experiment_training, order), false, NULL, 0},
};

static const alcore__tree_member evaluate_members[] = {
    {"command", MEMBER_ANY, 0, true, NULL, 0},
};

/* Refuses members of another kind of training than that of the first one. */
static alcore_status check_kind(const alcore__tree *tree, const alcore__node *node,
                                alcore__experiment_training *train) {
    size_t from, end;
    if (!!train->ngram + !!train->command + !!train->model != 1)
        return alcore__tree_fail(tree, node,
                                 "train: one of \"ngram\", \"command\" and \"model\" is needed");
    train->kind = train->ngram     ? EXPERIMENT_TRAIN_NGRAM
                  : train->command ? EXPERIMENT_TRAIN_COMMAND
                                   : EXPERIMENT_TRAIN_MODEL;
    from = train->ngram ? NGRAM : train->command ? COMMAND : MODEL;
    end = train->ngram ? COMMAND : train->command ? COMMAND_END : COUNT_OF(train_members);
    for (size_t i = 0; i < COUNT_OF(train_members); i++)
        if ((i < from || i >= end) && alcore__node_find(node, train_members[i].name))
            return alcore__tree_fail(tree, alcore__node_find(node, train_members[i].name),
                                     "train.%s: a training by \"%s\" has no such member",
                                     train_members[i].name, train_members[from].name);
    return ALCORE_OK;
}

static alcore_status read_train(alcore__experiment_config *self, const alcore__node *node) {
    alcore__experiment_training *train = &self->train;
    ALCORE__TRY(alcore__tree_object(&self->tree, node, "train.", train_members,
                                    COUNT_OF(train_members), train));
    ALCORE__TRY(check_kind(&self->tree, node, train));
    if (train->command)
        return alcore__experiment_check_command(&self->tree, train->command, "train.command");
    if (!train->ngram) return ALCORE_OK;
    ALCORE__TRY(alcore__tree_object(&self->tree, train->ngram, "train.ngram.", ngram_members,
                                    COUNT_OF(ngram_members), train));
    if (train->order <= 6) return ALCORE_OK;
    return alcore__tree_fail(&self->tree, train->ngram, "train.ngram.order: 1 to 6 are allowed");
}

alcore_status alcore__experiment_read_steps(alcore__experiment_config *self,
                                            const alcore__node *mix, const alcore__node *train,
                                            const alcore__node *evaluate) {
    if (mix)
        ALCORE__TRY(alcore__tree_object(&self->tree, mix, "mix.", mix_members,
                                        COUNT_OF(mix_members), &self->mix));
    if (train) ALCORE__TRY(read_train(self, train));
    if (!evaluate) return ALCORE_OK;
    ALCORE__TRY(alcore__tree_object(&self->tree, evaluate, "evaluate.", evaluate_members,
                                    COUNT_OF(evaluate_members), &self->evaluate));
    return alcore__experiment_check_command(&self->tree, self->evaluate, "evaluate.command");
}
