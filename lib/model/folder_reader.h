/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a model's folder while they are read: settings of transformers and of
 * sentence-transformers (folder_settings.c), the list of modules (folder_modules.c), and the routes
 * of a Router in it (folder_router.c). */
#ifndef ALCORE__FOLDER_READER_H
#define ALCORE__FOLDER_READER_H

#include "model/folder_settings.h"

typedef struct alcore__folder_reader {
    alcore_ctx *ctx;
    const char *folder;
    const char *route;            /* which one is asked for; NULL: none */
    const char *tokenizer_folder; /* of its settings; NULL: that of the model */
    alcore__buffer path, text;    /* of the file that was read last */
    alcore__folder_settings *out;
} alcore__folder_reader;

/* Reads a file of the folder as a JSON object; *found: whether it is there. *out lives until the
 * next file is read. */
alcore_status alcore__folder_read_object(alcore__folder_reader *r, const char *name,
                                         alcore__part *out, bool *found);

/* The classes of modules. */
enum {
    ALCORE__CLASS_TRANSFORMER,
    ALCORE__CLASS_STATIC,
    ALCORE__CLASS_WEIGHTED_LAYERS,
    ALCORE__CLASS_CNN,
    ALCORE__CLASS_POOLING,
    ALCORE__CLASS_DENSE,
    ALCORE__CLASS_LAYER_NORM,
    ALCORE__CLASS_NORMALIZE,
    ALCORE__CLASS_DROPOUT,
    ALCORE__CLASS_ROUTER
};

/* One module of modules.json, or of a route. */
typedef struct alcore__folder_module {
    int32_t kind;       /* ALCORE__CLASS_* */
    alcore__name type;  /* the name of its class */
    alcore__name place; /* its folder in that of the model; "" or ".": that itself */
} alcore__folder_module;

/* Sets the kind of a module by its type. ALCORE_E_UNSUPPORTED: it is none that is computed here.
 * part: for the message. */
alcore_status alcore__folder_module_kind(const alcore__part *part, alcore__folder_module *module);

/* Whether a place is the folder of the model itself. */
bool alcore__folder_is_root(alcore__name place);
/* ALCORE_E_DATA where a place, not that itself, leads out of the folder of the model. file: that
 * has it, for the message. */
alcore_status alcore__folder_check_place(const char *file, alcore__name place);

/* modules.json; *found: whether it is there. Sets out->folder. */
alcore_status alcore__folder_modules_read(alcore__folder_reader *r, bool *found);

/* Reads config.json of a Pooling, the object, into out->poolings and out->leaves_prompt_out. */
alcore_status alcore__folder_pooling_read(const alcore__part *object, alcore__folder_settings *out);

/* Appends the modules of the route of a Router that is taken to a list of *count modules with room
 * for ALCORE__MOST_MODULES. */
alcore_status alcore__folder_router_read(alcore__folder_reader *r, alcore__name place,
                                         alcore__folder_module *list, size_t *count);

#endif
