/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of training and of changed folders share: a copy of a fixture in a folder of its
 * own, with or without dropout, its examples, and the folder that a trained model is saved to. */
#ifndef TORCH_TRAINING_H
#define TORCH_TRAINING_H

#include <ctype.h>

#include "test_folder.h"
#include "torch_support.h"

static char scratch[TEST_PATH_BYTES];    /* the copy of a fixture */
static char saved[TEST_PATH_BYTES + 16]; /* where a trained model goes: scratch/saved */

static inline void remove_scratch(void) {
    test_folder_remove(scratch);
}

/* Sets every number of config.json behind a key with "dropout" in its name to 0. */
static inline void switch_dropout_off(void) {
    char path[200], text[8192];
    snprintf(path, sizeof path, "%s/config.json", scratch);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t count = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[count] = 0;
    for (char *at = text; (at = strstr(at, "dropout")) != NULL; at++) {
        char *colon = strchr(at, ':');
        for (char *digit = colon; *digit != ',' && *digit != '\n'; digit++)
            if (isdigit((unsigned char)*digit)) *digit = '0';
    }
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, count, file), count);
    fclose(file);
}

static inline void copy_fixture(const char *folder, bool dropout) {
    char command[900];
    test_folder_make(scratch, "torch");
    snprintf(saved, sizeof saved, "%s/saved", scratch);
    snprintf(command, sizeof command, "cp -r %s/%s/. %s", fixtures(), folder, scratch);
    ck_assert_int_eq(system(command), 0);
    if (!dropout) switch_dropout_off();
}

/* A plain Transformer that is trained from scratch: 0 is padding, 1 begins and 2 ends a text. */
typedef struct plain_model {
    int words, dims, layers, heads, inner, longest; /* layers, heads and inner of either side */
    const char *more;                               /* further members of config.json */
} plain_model;

/* Makes the scratch folder with nothing but the config.json of a plain Transformer. */
static inline void make_plain(const plain_model *model) {
    char path[200];
    test_folder_make(scratch, "torch");
    snprintf(saved, sizeof saved, "%s/saved", scratch);
    snprintf(path, sizeof path, "%s/config.json", scratch);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"model_type\": \"alcore_transformer\", \"vocab_size\": %d, \"d_model\": %d,\n"
            " \"encoder_layers\": %d, \"decoder_layers\": %d, \"encoder_attention_heads\": %d,\n"
            " \"decoder_attention_heads\": %d, \"encoder_ffn_dim\": %d, \"decoder_ffn_dim\": %d,\n"
            " \"max_position_embeddings\": %d, \"pad_token_id\": 0,\n"
            " \"decoder_start_token_id\": 1, \"eos_token_id\": 2, %s}\n",
            model->words, model->dims, model->layers, model->layers, model->heads, model->heads,
            model->inner, model->inner, model->longest, model->more);
    fclose(file);
}

static inline array read_fixture(const char *folder, const char *file, const char *name) {
    char path[800];
    snprintf(path, sizeof path, "%s/%s/%s.safetensors", fixtures(), folder, file);
    return read_tensor(path, name);
}

static inline array read_saved(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s/model.safetensors", saved);
    return read_tensor(path, name);
}

/* Reads a file of a folder; the caller frees it. */
static inline char *slurp_from(const char *folder, const char *name, size_t *count) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    char *bytes = malloc(4 << 20);
    *count = fread(bytes, 1, (4 << 20) - 1, file);
    bytes[*count] = 0;
    fclose(file);
    return bytes;
}

/* Writes a file of a folder anew. */
static inline void rewrite_in(const char *folder, const char *name, const void *bytes,
                              size_t count) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static inline char *slurp_saved(const char *name, size_t *count) {
    return slurp_from(saved, name, count);
}

static inline void save_scratch(alcore_sys_model *model) {
    alcore_status status = engine->save(model, saved);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
}

/* The examples of a fixture: its texts with the targets or labels that it has. */
typedef struct examples {
    inputs sources, targets;
    array labels, weights, losses;
    int64_t tokens; /* of sources and targets */
} examples;

static inline examples read_examples(const char *folder) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", fixtures(), folder);
    examples all = {.sources = read_inputs(path, ""), .targets = read_inputs(path, "target.")};
    all.labels = read_fixture(folder, "training", "labels");
    all.weights = read_fixture(folder, "training", "weights");
    all.losses = read_fixture(folder, "training", "losses");
    all.tokens = all.sources.texts.offsets[all.sources.texts.count];
    if (all.targets.ids.data) all.tokens += all.targets.texts.offsets[all.targets.texts.count];
    if (!all.labels.data && !all.targets.ids.data) { /* a token head without numbers of PyTorch */
        all.labels = (array){calloc((size_t)all.tokens, 8), {all.tokens, 1}};
        for (int64_t i = 0; i < all.tokens; i++) ((int64_t *)all.labels.data)[i] = i % 3;
    }
    return all;
}

static inline void free_examples(examples *all) {
    free_inputs(&all->sources);
    free_inputs(&all->targets);
    free(all->labels.data);
    free(all->weights.data);
    free(all->losses.data);
}

static inline alcore_sys_model_training training_of(const examples *all) {
    return (alcore_sys_model_training){.size = sizeof(alcore_sys_model_training),
                                       .sources = &all->sources.texts,
                                       .targets =
                                           all->targets.ids.data ? &all->targets.texts : NULL,
                                       .labels = all->labels.data,
                                       .weights = all->weights.data,
                                       .rate = 1e-2};
}

#endif
