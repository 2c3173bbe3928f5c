/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the JSON files of a model's folder: which are obeyed, which have no effect on what is
 * computed here, and which are refused (folder_key_rows.h). So no file asks for something that is
 * left undone without a word: a key that is not in the table is a warning in config.json,
 * generation_config.json and tokenizer_config.json, and an error in the files of
 * sentence-transformers, which have few keys, each with an effect. */
#ifndef ALCORE__FOLDER_KEYS_H
#define ALCORE__FOLDER_KEYS_H

#include "tokenizer/json_part.h"

/* The files, as bits. */
enum {
    ALCORE__KEYS_CONFIG = 1,             /* config.json */
    ALCORE__KEYS_GENERATION = 2,         /* generation_config.json */
    ALCORE__KEYS_TOKENIZER = 4,          /* tokenizer_config.json */
    ALCORE__KEYS_SENTENCE = 8,           /* sentence_bert_config.json */
    ALCORE__KEYS_PROMPTS = 16,           /* config_sentence_transformers.json */
    ALCORE__KEYS_MODULES = 32,           /* an entry of modules.json */
    ALCORE__KEYS_POOLING = 64,           /* config.json of a module Pooling */
    ALCORE__KEYS_NORMALIZE = 128,        /* config.json of a module Normalize */
    ALCORE__KEYS_DENSE = 256,            /* config.json of a module Dense */
    ALCORE__KEYS_LAYER_NORM = 512,       /* config.json of a module LayerNorm */
    ALCORE__KEYS_DROPOUT = 1024,         /* config.json of a module Dropout */
    ALCORE__KEYS_CNN = 2048,             /* cnn_config.json of a module CNN */
    ALCORE__KEYS_WEIGHTED_LAYERS = 4096, /* config.json of a module WeightedLayerPooling */
    ALCORE__KEYS_ROUTER = 8192,          /* router_config.json of a Router ... */
    ALCORE__KEYS_ROUTES = 16384,         /* ... and its "parameters" */
};

/* What a folder's files were found to have. A struct of zeros is empty. */
typedef struct alcore__key_report {
    alcore__arena arena;   /* the texts below live here */
    const char **warnings; /* [warning_count] NUL-terminated; owned */
    size_t warning_count, warning_capacity;
    /* Why outputs cannot be searched for as the folder says; NULL: nothing stands against it. */
    const char *no_outputs;
} alcore__key_report;

/* Looks up each key of an object, a member of the file or files `file`, in the table for a
 * model_type. A key of the outputs that is refused is noted in report->no_outputs, since the model
 * can be used for other things; any other one is ALCORE_E_UNSUPPORTED, with the path, the value and
 * what to do. ALCORE_E_DATA: a key stands twice; a key of sentence-transformers is not known. */
alcore_status alcore__folder_keys_check(const alcore__part *object, int32_t file,
                                        const char *model_type, alcore__key_report *report);
/* Whether the table has rows of a model_type of its own. */
bool alcore__folder_keys_knows(const char *model_type);
void alcore__key_report_clear(alcore_ctx *ctx, alcore__key_report *report);

#endif
