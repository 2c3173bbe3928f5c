/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of a model's folder share: its files as JSON, the classes of modules of
 * sentence-transformers, and places in the folder (folder_reader.h). */
#include "model/folder_reader.h"

#include <string.h>

#include "tokenizer/folder_files.h"

typedef alcore__folder_reader reader;
typedef alcore__folder_module module;

alcore_status alcore__folder_read_object(reader *r, const char *name, alcore__part *out,
                                         bool *found) {
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, name, &r->path, &r->text, found));
    return *found ? alcore__part_open(r->ctx, &r->out->arena, &r->text, r->path.data, out)
                  : ALCORE_OK;
}

bool alcore__folder_is_root(alcore__name place) {
    return place.length == 0 || alcore__name_is(place, ".");
}

alcore_status alcore__folder_check_place(const char *file, alcore__name place) {
    bool stays = place.length > 0 && place.text[0] != '/';
    for (size_t i = 0; i + 1 < place.length; i++)
        stays = stays && !(place.text[i] == '.' && place.text[i + 1] == '.');
    return stays ? ALCORE_OK
                 : alcore__fail(ALCORE_E_DATA, "%s: the path '%.*s' leads out of the folder", file,
                                (int)place.length, place.text ? place.text : "");
}

void alcore__folder_settings_clear(alcore_ctx *ctx, alcore__folder_settings *settings) {
    alcore__key_report_clear(ctx, &settings->report);
    alcore__arena_clear(ctx, &settings->arena);
    alcore__free(ctx, settings->prompts);
    *settings = (alcore__folder_settings){0};
}

/* ---- classes ---- */

/* As version 5.4 and newer write them and as older versions did. */
static const struct {
    const char *now, *before;
    int32_t kind;
} classes[] = {
    {"sentence_transformers.base.modules.transformer.Transformer",
     "sentence_transformers.models.Transformer", ALCORE__CLASS_TRANSFORMER},
    {"sentence_transformers.sentence_transformer.modules.static_embedding.StaticEmbedding",
     "sentence_transformers.models.StaticEmbedding", ALCORE__CLASS_STATIC},
    {"sentence_transformers.sentence_transformer.modules.weighted_layer_pooling."
     "WeightedLayerPooling",
     "sentence_transformers.models.WeightedLayerPooling", ALCORE__CLASS_WEIGHTED_LAYERS},
    {"sentence_transformers.sentence_transformer.modules.cnn.CNN",
     "sentence_transformers.models.CNN", ALCORE__CLASS_CNN},
    {"sentence_transformers.sentence_transformer.modules.pooling.Pooling",
     "sentence_transformers.models.Pooling", ALCORE__CLASS_POOLING},
    {"sentence_transformers.base.modules.dense.Dense", "sentence_transformers.models.Dense",
     ALCORE__CLASS_DENSE},
    {"sentence_transformers.sentence_transformer.modules.layer_norm.LayerNorm",
     "sentence_transformers.models.LayerNorm", ALCORE__CLASS_LAYER_NORM},
    {"sentence_transformers.base.modules.normalize.Normalize",
     "sentence_transformers.models.Normalize", ALCORE__CLASS_NORMALIZE},
    {"sentence_transformers.sentence_transformer.modules.dropout.Dropout",
     "sentence_transformers.models.Dropout", ALCORE__CLASS_DROPOUT},
    {"sentence_transformers.base.modules.router.Router", "sentence_transformers.models.Router",
     ALCORE__CLASS_ROUTER},
    {"sentence_transformers.base.modules.router.Asym", "sentence_transformers.models.Asym",
     ALCORE__CLASS_ROUTER},
};
enum { CLASSES = (int)(sizeof classes / sizeof *classes) };

/* Classes that are not computed here, by the end of their names, and why. */
static const struct {
    const char *name, *why;
} others[] = {
    {".LSTM", "it reads the words of WordEmbeddings alone"},
    {".WordEmbeddings", "its words are cut by a tokenizer of its own in Python"},
    {".WordWeights", "its words are those of WordEmbeddings"},
    {".BoW", "its words are cut by a tokenizer of its own in Python"},
    {".CLIPModel", "it is a model of images"},
};
enum { OTHERS = (int)(sizeof others / sizeof *others) };

/* Why a class is not computed. */
static const char *reason(alcore__name type) {
    for (int32_t i = 0; i < OTHERS; i++) {
        const size_t length = strlen(others[i].name);
        if (type.length > length &&
            memcmp(type.text + type.length - length, others[i].name, length) == 0)
            return others[i].why;
    }
    return "Transformer, WeightedLayerPooling, CNN, Pooling, Dense, LayerNorm, Dropout, Normalize "
           "and Router are, and StaticEmbedding with Dense and Normalize";
}

alcore_status alcore__folder_module_kind(const alcore__part *part, module *out) {
    const alcore__name type = out->type;
    for (int32_t i = 0; i < CLASSES; i++)
        if (alcore__name_is(type, classes[i].now) || alcore__name_is(type, classes[i].before)) {
            out->kind = classes[i].kind;
            return ALCORE_OK;
        }
    return alcore__part_fail(part, ALCORE_E_UNSUPPORTED,
                             "the module '%.*s' is not supported: %s; take the embeddings of "
                             "another program as .npy",
                             type.length > 120 ? 120 : (int)type.length, type.text ? type.text : "",
                             reason(type));
}
