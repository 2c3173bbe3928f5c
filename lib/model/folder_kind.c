/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of folders that are not read, by the names of their files. Names are looked up with the
 * file functions of the context; what ends in a suffix is found on a disk only. */
#include "model/folder_kind.h"

#include <dirent.h>
#include <string.h>

#include "formats/byte_stream.h"

#define SAVE_AGAIN                                                                                 \
    "open the model with that package, or the one that it was converted from with transformers, "  \
    "and save it with save_pretrained()"
#define AS_COLUMN                                                                                  \
    "compute embeddings there and give them as .npy, or write a model of Python for them"

typedef struct kind {
    const char *file; /* a name, or "*" and a suffix */
    const char *what, *remedy;
} kind;

/* The first that fits counts. */
static const kind kinds[] = {
    {"0_StaticEmbedding/model.safetensors",
     "a folder of sentence-transformers whose modules.json is missing, with a StaticEmbedding",
     "put the modules.json of the model beside it"},
    {"0_Transformer/config.json",
     "a folder of sentence-transformers whose modules.json is missing, with the transformer in "
     "0_Transformer",
     "put the modules.json of the model beside it"},
    {"0_BERT/config.json", "a folder of sentence-transformers 0, with the transformer in 0_BERT",
     "save it again: python3 -c \"from sentence_transformers import SentenceTransformer as S; "
     "S('FOLDER').save('NEW')\""},
    {"modules.json", "a folder of sentence-transformers without a transformer or a StaticEmbedding",
     AS_COLUMN},
    {"model.bin", "a model of CTranslate2", SAVE_AGAIN},
    {"tf_model.h5", "a model of TensorFlow",
     "write model.safetensors: a transformers before version 5 opens it "
     "with from_pretrained('FOLDER', from_tf=True), and saves it with save_pretrained()"},
    {"flax_model.msgpack", "a model of Flax",
     "write model.safetensors: a transformers before version 5 opens "
     "it with from_pretrained('FOLDER', from_flax=True), and saves it with save_pretrained()"},
    {"saved_model.pb", "a SavedModel of TensorFlow or Keras", SAVE_AGAIN},
    {"decoder.yml", "a model of Marian",
     "convert it with convert_marian_to_pytorch of transformers"},
    {"openvino_model.xml", "a model of OpenVINO", SAVE_AGAIN},
    {"onnx/model.onnx", "a model of ONNX", SAVE_AGAIN},
    {"consolidated.safetensors", "a language model in the format of its makers", SAVE_AGAIN},
    {"*.gguf", "a model of GGUF (llama.cpp), whose weights are quantized", SAVE_AGAIN},
    {"*.ggml", "a model of GGML, whose weights are quantized", SAVE_AGAIN},
    {"*.onnx", "a model of ONNX", SAVE_AGAIN},
    {"*.keras", "a model of Keras", SAVE_AGAIN},
    {"*.tflite", "a model of TensorFlow Lite", SAVE_AGAIN},
    {"*.h5", "a model of Keras", SAVE_AGAIN},
    {"*.nemo", "a model of NeMo", SAVE_AGAIN},
    {"*.npz", "a model of Marian or another package that stores arrays of NumPy",
     "convert a model of Marian with convert_marian_to_pytorch of transformers"},
    {"*.ckpt", "a checkpoint of Lightning or OpenNMT", SAVE_AGAIN},
    {"*.pth", "a pickled checkpoint of PyTorch", SAVE_AGAIN},
    {"*.pt", "a checkpoint of fairseq, OpenNMT or PyTorch, which is pickled", SAVE_AGAIN},
    {"model.safetensors", "weights without a config.json",
     "put the config.json of the model beside them"},
    {"pytorch_model.bin", "weights without a config.json",
     "put the config.json of the model beside them"},
};
enum { KINDS = (int)(sizeof kinds / sizeof *kinds) };

alcore_status alcore__folder_has_file(alcore_ctx *ctx, const char *folder, const char *name,
                                      bool *out) {
    alcore__buffer path = {0};
    alcore__file *file;
    *out = false;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/%s", folder, name);
    if (status == ALCORE_OK) {
        status = alcore__file_open(ctx, path.data, &file);
        *out = status == ALCORE_OK;
        if (*out) alcore__file_close(file);
        if (status != ALCORE_E_NOMEM) status = ALCORE_OK;
    }
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* Whether the folder, on a disk, has a file with that suffix. */
static bool has_suffix(const char *folder, const char *suffix) {
    const struct dirent *entry;
    bool found = false;
    DIR *list = opendir(folder);
    if (!list) return false;
    while (!found && (entry = readdir(list)) != NULL)
        found = alcore__path_ends_in(entry->d_name, strlen(entry->d_name), suffix);
    closedir(list);
    return found;
}

static alcore_status has(alcore_ctx *ctx, const char *folder, const char *pattern, bool *out) {
    if (*pattern != '*') return alcore__folder_has_file(ctx, folder, pattern, out);
    *out = has_suffix(folder, pattern + 1);
    return ALCORE_OK;
}

alcore_status alcore__folder_has_weights(alcore_ctx *ctx, const char *folder, bool *out) {
    static const char *const names[] = {"model.safetensors", "model.safetensors.index.json",
                                        "pytorch_model.bin", "pytorch_model.bin.index.json"};
    *out = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !*out; i++)
        ALCORE__TRY(alcore__folder_has_file(ctx, folder, names[i], out));
    return ALCORE_OK;
}

alcore_status alcore__folder_kind_check(alcore_ctx *ctx, const char *path, bool has_config) {
    bool found = false;
    if (has_config) ALCORE__TRY(alcore__folder_has_weights(ctx, path, &found));
    if (found) return ALCORE_OK;
    for (int32_t i = 0; i < KINDS; i++) {
        ALCORE__TRY(has(ctx, path, kinds[i].file, &found));
        if (!found) continue;
        const char *name = kinds[i].file + (*kinds[i].file == '*');
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s is %s (it has %s%s), which is not read here; %s", path,
                            kinds[i].what, *kinds[i].file == '*' ? "a file that ends in " : "",
                            name, kinds[i].remedy);
    }
    return ALCORE_OK;
}
