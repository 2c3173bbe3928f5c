/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of `alcore model train`: a JSON object whose keys docs/models.md lists. */
#ifndef ALCORE_CLI_TRAIN_CONFIG_H
#define ALCORE_CLI_TRAIN_CONFIG_H

#include <alcore/extra.h>
#include <jansson.h>

#include "options.h"

/* What the configuration says; the strings are views of the JSON. */
typedef struct train_config {
    const char *path;           /* of the file */
    json_t *all;                /* owned */
    const char *model;          /* folder that is opened */
    const char *out;            /* folder that is written */
    const json_t *from_scratch; /* an object; NULL: the folder of the model is there */
    const json_t *train;        /* a list of files */
    const json_t *validation;   /* a list of files; NULL: none */
    const json_t *kind_weights; /* an object; NULL: all kinds have the weight 1 */
    int64_t max_tokens;
    const char *to;               /* language of the references; NULL: what the folder says */
    const char *prompt;           /* in front of the texts; NULL: none */
    const char *chat;             /* the system turn, "": none; NULL: the prompt is no turn */
    alcore_train_options options; /* without the pool of the validation and the column of weights */
} train_config;

/* One file, or two parallel ones, of a list. */
typedef struct train_file {
    char key[40]; /* "train[0]" */
    const char *mix, *texts, *references, *text_column, *reference_column, *language;
    const char *context_column, *start_column; /* of question answering; both or none */
    int32_t whole; /* 1: a language model learns the texts, which have no references */
    const char *side, *translator, *system, *domain; /* of a test set in SGML or XML */
    int32_t by;    /* ALCORE_JOIN_*: what joins texts and references */
    double weight; /* of its rows; 1 where none is given */
} train_file;

/* The configuration for a new transformer, and where its tokenizer is. */
typedef struct train_scratch {
    const json_t *config;
    const char *tokenizer; /* a file or a folder */
} train_scratch;

/* Each reads and checks; what is wrong is printed with the file and the key. Exit codes.
 * train_config_clear() is called in any case. */
int train_config_read(const char *path, train_config *out);
int train_config_file(const train_config *config, const char *list, size_t index,
                      const json_t *value, train_file *out);
int train_config_scratch(const train_config *config, train_scratch *out);
void train_config_clear(train_config *config);
/* Reads how the engine trains of an object of keys alone, without files and folders but that of
 * checkpoints; where: in front of messages. */
int train_config_settings(const char *where, const json_t *values, alcore_train_options *out);

/* The files of the list "train" or "validation" in one pool of texts and references (train_data.c).
 * A struct of zeros is empty. */
typedef struct train_pool {
    alcore_pool *pool; /* a reference */
    int64_t *firsts;   /* [files] the first row of each; owned */
    bool weighted;     /* the pool has the column "weight", since not all rows have the weight 1 */
    bool
        questions; /* it has the columns "qa_contexts" and "answer_start", of files with contexts */
} train_pool;
/* Reads the files of a list; with_weights: their rows have some. The caller clears *out, also after
 * a failure. */
int train_data_read(alcore_ctx *ctx, const train_config *config, const char *list,
                    const json_t *files, bool with_weights, train_pool *out);
/* Prints the file and the record of a row, as a line in front of an error about it. */
void train_data_place(const train_config *config, const char *list, const json_t *files,
                      const train_pool *pool, int64_t row);
void train_pool_clear(train_pool *pool);

/* `alcore model merge`, with the folders of the adapter and of the new model as operands 1 and 2
 * (merge_command.c). */
int merge_command(const arguments *args, alcore_ctx *ctx);
/* `alcore model vocabulary`, with the file of the texts as operand 1 (vocabulary_command.c). */
int vocabulary_command(const arguments *args, alcore_ctx *ctx);
/* `alcore model train`, with the configuration as operand 1 (train_command.c). */
int train_command(const arguments *args, alcore_ctx *ctx);

#endif
