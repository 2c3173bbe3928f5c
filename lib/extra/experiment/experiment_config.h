/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of an experiment, as docs/schemas/experiment.schema.json has it. Strings and
 * nodes are views of the tree; paths are as they were written, relative to the file's folder. */
#ifndef ALCORE__EXPERIMENT_CONFIG_H
#define ALCORE__EXPERIMENT_CONFIG_H

#include "alcore/extra/experiment.h"
#include "alcore/extra/mix.h"
#include "alcore/extra/training.h"
#include "alcore/strategy.h"
#include "extra/experiment/config_tree.h"

/* A file of records, or some of them. path NULL: there is no such file. */
typedef struct alcore__experiment_data {
    const char *path, *references, *text_column, *reference_column, *language;
    const alcore__node *records; /* [first, last], from 1; NULL: all */
    int64_t first, last;         /* of them; 0: all */
} alcore__experiment_data;

typedef struct alcore__experiment_domain {
    const char *name;
    alcore__experiment_data pool, labeled, test, target;
    const char *links; /* NULL: pairs are aligned where phrases are translated */
} alcore__experiment_domain;

/* A strategy with what it is asked for. */
typedef struct alcore__experiment_strategy {
    const char *name, *strategy;
    /* Objects of names and values; NULL: none. models and options stand before those of all. */
    const alcore__node *parameters, *models, *options;
} alcore__experiment_strategy;

enum {
    EXPERIMENT_TRAIN_NONE = 0,
    EXPERIMENT_TRAIN_NGRAM,
    EXPERIMENT_TRAIN_COMMAND,
    EXPERIMENT_TRAIN_MODEL
};

/* How a model is trained and measured. */
typedef struct alcore__experiment_training {
    int32_t kind;                /* EXPERIMENT_TRAIN_* */
    const alcore__node *ngram;   /* an object */
    const alcore__node *command; /* a string or a list of strings */
    const char *base;            /* of a command: the model before all rounds; NULL: none */
    const char *model;           /* of the engine: the folder of the model before all rounds */
    int64_t order;               /* of n-grams; 0: the default */
    int32_t previous;     /* of the engine: a round goes on with the model of the one before */
    int32_t with_labeled; /* of the engine: it learns the labeled pairs too */
    alcore_train_options options; /* of the engine */
} alcore__experiment_training;

typedef struct alcore__experiment_config {
    alcore__tree tree;
    const char *title;
    alcore__experiment_domain *domains;      /* [domain_count] */
    alcore__experiment_strategy *strategies; /* [strategy_count] */
    alcore__experiment_strategy first;       /* strategy NULL: none */
    uint64_t *seeds;                         /* [seed_count] */
    const char **budgets;                    /* [budget_count] */
    int64_t domain_count, strategy_count, seed_count, budget_count;
    int64_t rounds;
    int32_t zero; /* 1: a model is trained and measured before the first round */
    const char *baseline;
    const alcore__node *models, *options; /* of all strategies; NULL: none */
    alcore_mix_options mix;
    alcore__experiment_training train;
    const alcore__node *evaluate; /* a command; NULL: none */
} alcore__experiment_config;

/* Reads and checks a configuration; ALCORE_E_DATA names file, line and member. A failure leaves
 * nothing to clear. */
alcore_status alcore__experiment_config_read(alcore_ctx *ctx, const char *path,
                                             alcore__experiment_config *out);
void alcore__experiment_config_clear(alcore__experiment_config *config);

/* Reads "mix", "train" and "evaluate", nodes or NULL (experiment_steps.c). */
alcore_status alcore__experiment_read_steps(alcore__experiment_config *self,
                                            const alcore__node *mix, const alcore__node *train,
                                            const alcore__node *evaluate);

/* The value of a name for a strategy: its own, else that of all strategies; NULL: there is none.
 * `all` and `own` are objects or NULL. */
const alcore__node *alcore__experiment_value(const alcore__node *own, const alcore__node *all,
                                             const char *name);

/* A value as the text that alcore_strategy_set() and alcore_request_set() take. */
const char *alcore__experiment_text(const alcore__node *node);
/* *out: a strategy with its parameters. */
alcore_status alcore__experiment_strategy_new(alcore_ctx *ctx,
                                              const alcore__experiment_strategy *from,
                                              alcore_strategy **out);
/* The member "models" that a strategy selects with, an object or NULL: that of the configuration,
 * which all strategies share. The strategy of "first", before any training, has its own alone. */
const alcore__node *alcore__experiment_models(const alcore__experiment_config *config,
                                              const alcore__experiment_strategy *strategy);

/* Whether a strategy is given the model that the round before has trained. */
bool alcore__experiment_wants_trained(const alcore__experiment_config *config,
                                      const alcore__experiment_strategy *strategy);

#endif
