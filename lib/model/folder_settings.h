/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON files of a model's folder say of texts and embeddings, beside what the engine reads
 * of config.json: where texts are cut, prompts, and the modules of sentence-transformers behind the
 * transformer. As sentence-transformers 6.2 reads them: its own files count where there is
 * modules.json, which makes the folder one of that package. */
#ifndef ALCORE__FOLDER_SETTINGS_H
#define ALCORE__FOLDER_SETTINGS_H

#include "alcore/sys/model.h"
#include "model/chat_template.h"
#include "model/folder_keys.h"

/* Limits of what is read of one folder. */
enum { ALCORE__MOST_MODULES = 16, ALCORE__MOST_POOLINGS = 16, ALCORE__MOST_ENDS = 16 };

typedef struct alcore__prompt {
    alcore__name name, text;
} alcore__prompt;

/* The chat template of a folder (folder_chat.c). */
typedef struct alcore__folder_chat {
    alcore__name program; /* NULL: there is none */
    const char *file;     /* where it stands */
    alcore__chat_tokens tokens;
} alcore__folder_chat;

/* Texts live in the arena of the report. A struct of zeros is empty. */
typedef struct alcore__folder_settings {
    alcore__key_report report;
    alcore__arena arena;   /* of the texts below */
    int64_t max_tokens;    /* longest input, special tokens included; 0: the folder has no limit
                                 but that of the positions */
    int64_t truncate_dims; /* components of an embedding that are kept; 0: all */
    /* ALCORE_SYS_POOLING_*, whose vectors stand side by side; count 0: the folder names none */
    int32_t poolings[ALCORE__MOST_POOLINGS];
    size_t pooling_count;
    /* What vectors go through behind the transformer, before and behind the pooling, or behind the
     * table of a static model, less the Normalize at the end; fewer than ALCORE__MOST_MODULES */
    alcore_sys_model_module modules[ALCORE__MOST_MODULES];
    size_t module_count;
    bool normalize;          /* whether embeddings are divided by their length at last */
    bool lowercase;          /* whether texts are lower-cased before the tokenizer reads them */
    bool leaves_prompt_out;  /* of the pooling */
    alcore__prompt *prompts; /* [prompt_count], owned */
    size_t prompt_count, prompt_capacity;
    alcore__name default_prompt; /* its text; NULL: there is none */
    alcore__name architecture;   /* the first of config.json; NULL: it names none */
    alcore__folder_chat chat;
    int64_t ends[ALCORE__MOST_ENDS]; /* tokens that end an output: eos_token_id */
    int64_t end_count;
    /* The folder of the transformer, or of the table of a static model, with its tokenizer: that of
     * the model, or one in it, as of a route. */
    const char *folder;
    bool is_part;       /* that is not the one of the model */
    const char *routes; /* the names of the routes of Routers; NULL: there is none */
    bool route_taken;   /* the one that was asked for is one of them */
} alcore__folder_settings;

/* The first module of a folder of sentence-transformers. */
typedef struct alcore__folder_first {
    bool is_static; /* it is a StaticEmbedding */
    char *folder;   /* where it is, owned by the caller; NULL: in the folder of the model itself */
} alcore__folder_first;

/* Reads and checks the files of the folder at path; *out is empty before, and the caller clears it,
 * also after a failure. route: name of a route of a Router, or of a prompt
 * (folder_router.c); NULL: none is asked for. tokenizer: the folder of tokenizer_config.json and
 * chat_template.jinja; NULL: the same. ALCORE_E_DATA: a file is malformed, or has a value of the
 * wrong kind; ALCORE_E_UNSUPPORTED: a key, module or pooling that is not computed here, by its
 * name. */
alcore_status alcore__folder_settings_read(alcore_ctx *ctx, const char *path, const char *route,
                                           const char *tokenizer, alcore__folder_settings *out);
/* The same for the folder of a static model, of which modules.json and the prompts are read. */
alcore_status alcore__folder_settings_read_static(alcore_ctx *ctx, const char *path,
                                                  const char *route, alcore__folder_settings *out);
/* Adds what the config.json of model2vec in the folder of the table says. */
alcore_status alcore__folder_settings_read_model2vec(alcore_ctx *ctx, const char *path,
                                                     alcore__folder_settings *out);
/* Finds the first module of modules.json, or of the route that is taken; *out is zero without that
 * file. */
alcore_status alcore__folder_settings_find(alcore_ctx *ctx, const char *path, const char *route,
                                           alcore__folder_first *out);
/* *out: the text of the prompt of that name; where it is the name of a route without a prompt, the
 * default one. ALCORE_E_PARAM lists the names that there are. path: of the folder, for the message.
 */
alcore_status alcore__folder_settings_prompt(const alcore__folder_settings *settings,
                                             const char *path, const char *name, alcore__name *out);
/* Reads tokenizer_config.json, the object, behind chat_template.jinja, which is out->program where
 * it is there. */
alcore_status alcore__folder_chat_read(const alcore__part *object, alcore__folder_chat *out);
void alcore__folder_settings_clear(alcore_ctx *ctx, alcore__folder_settings *settings);

#endif
