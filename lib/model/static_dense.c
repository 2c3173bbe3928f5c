/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and computing a Dense (static_dense.h). */
#include "model/static_dense.h"

#include <math.h>

#include "model/static_table.h"
#include "tokenizer/folder_files.h"
#include "tokenizer/json_part.h"

/* ---- activations ---- */

static double identity(double x) {
    return x;
}

static double relu(double x) {
    return x > 0 ? x : 0;
}

static double gelu(double x) {
    return 0.5 * x * (1 + erf(x * M_SQRT1_2));
}

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static double silu(double x) {
    return x * sigmoid(x);
}

static const struct {
    const char *name; /* of the class of torch, as the package writes it */
    double (*function)(double);
} activations[] = {
    {"torch.nn.modules.activation.Tanh", tanh}, {"torch.nn.modules.linear.Identity", identity},
    {"torch.nn.modules.activation.ReLU", relu}, {"torch.nn.modules.activation.GELU", gelu},
    {"torch.nn.modules.activation.SiLU", silu}, {"torch.nn.modules.activation.Sigmoid", sigmoid},
};
enum { ACTIVATIONS = (int)(sizeof activations / sizeof *activations) };

/* Sets the activation of a name; without one it is the first. */
static alcore_status set_activation(const alcore__part *config, int32_t *out) {
    alcore__name name = {0};
    *out = 0;
    ALCORE__TRY(alcore__part_text(config, "activation_function", &name));
    if (!name.text) return ALCORE_OK;
    for (int32_t i = 0; i < ACTIVATIONS; i++) {
        *out = i;
        if (alcore__name_is(name, activations[i].name)) return ALCORE_OK;
    }
    return alcore__part_fail(config, ALCORE_E_UNSUPPORTED,
                             "activation_function is %.*s; of torch.nn Tanh, Identity, ReLU, GELU, "
                             "SiLU and Sigmoid are supported",
                             name.length > 80 ? 80 : (int)name.length, name.text);
}

/* ---- reading ---- */

/* What config.json says beside the activation. */
typedef struct settings {
    int64_t in, out; /* 0: not said */
    bool bias, residual;
} settings;

static alcore_status read_settings(const alcore__part *config, settings *out) {
    *out = (settings){.bias = true};
    ALCORE__TRY(alcore__part_integer(config, "in_features", &out->in));
    ALCORE__TRY(alcore__part_integer(config, "out_features", &out->out));
    ALCORE__TRY(alcore__part_flag(config, "bias", &out->bias));
    return alcore__part_flag(config, "use_residual", &out->residual);
}

/* Reads a matrix of the sizes of the layer; required: it is an error where it is missing. */
static alcore_status read_tensor(alcore_ctx *ctx, const char *folder, const char *name,
                                 int32_t dimensions, const alcore__static_dense *dense,
                                 double **out) {
    int64_t shape[2];
    ALCORE__TRY(alcore__static_tensor_read(ctx, folder, name, dimensions, shape, out));
    if (!*out)
        return alcore__fail(ALCORE_E_DATA, "%s/model.safetensors has no \"%s\"", folder, name);
    if (shape[0] == dense->out && (dimensions == 1 || shape[1] == dense->in)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s/model.safetensors: \"%s\" has not the sizes that config.json says, "
                        "from %lld to %lld components",
                        folder, name, (long long)dense->in, (long long)dense->out);
}

static alcore_status read_all(alcore_ctx *ctx, const char *folder, const alcore__part *config,
                              alcore__static_dense *out) {
    settings said;
    ALCORE__TRY(read_settings(config, &said));
    ALCORE__TRY(set_activation(config, &out->activation));
    if (said.in < 1 || said.out < 1)
        return alcore__part_fail(config, ALCORE_E_DATA,
                                 "in_features and out_features are not both above 0");
    out->in = said.in;
    out->out = said.out;
    out->has_residual = said.residual;
    ALCORE__TRY(read_tensor(ctx, folder, "linear.weight", 2, out, &out->weight));
    if (said.bias) ALCORE__TRY(read_tensor(ctx, folder, "linear.bias", 1, out, &out->bias));
    if (!said.residual || said.in == said.out) return ALCORE_OK;
    return read_tensor(ctx, folder, "residual.weight", 2, out, &out->residual);
}

alcore_status alcore__static_dense_read(alcore_ctx *ctx, const char *folder,
                                        alcore__static_dense *out) {
    alcore__buffer path = {0}, text = {0};
    alcore__arena arena = {0};
    alcore__part config;
    bool found;
    alcore_status status = alcore__folder_read(ctx, folder, "config.json", &path, &text, &found);
    if (status == ALCORE_OK && !found)
        status = alcore__fail(ALCORE_E_DATA, "%s: the config.json of the Dense is missing", folder);
    if (status == ALCORE_OK) status = alcore__part_open(ctx, &arena, &text, path.data, &config);
    if (status == ALCORE_OK) status = read_all(ctx, folder, &config, out);
    alcore__arena_clear(ctx, &arena);
    alcore__buffer_clear(ctx, &path);
    alcore__buffer_clear(ctx, &text);
    return status;
}

void alcore__static_dense_clear(alcore_ctx *ctx, alcore__static_dense *dense) {
    alcore__free(ctx, dense->weight);
    alcore__free(ctx, dense->bias);
    alcore__free(ctx, dense->residual);
    *dense = (alcore__static_dense){0};
}

/* ---- computing ---- */

/* Row `row` of a matrix [out, in] times x. */
static double product(const double *matrix, int64_t row, const double *x, int64_t in) {
    double sum = 0;
    for (int64_t i = 0; i < in; i++) sum += matrix[row * in + i] * x[i];
    return sum;
}

void alcore__static_dense_apply(const alcore__static_dense *dense, const double *x, double *y) {
    double (*activation)(double) = activations[dense->activation].function;
    for (int64_t j = 0; j < dense->out; j++) {
        const double bias = dense->bias ? dense->bias[j] : 0;
        y[j] = activation(product(dense->weight, j, x, dense->in) + bias);
        if (dense->has_residual)
            y[j] += dense->residual ? product(dense->residual, j, x, dense->in) : x[j];
    }
}
