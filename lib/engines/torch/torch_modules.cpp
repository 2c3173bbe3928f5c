/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of sentence-transformers behind the transformer, in float32 whatever the type of the
 * model is. Of vectors of tokens, before the pooling:
 *
 *     WeightedLayerPooling   sum over layers k >= layer_start of w_k h_k, divided by the sum of w
 *     CNN                    y_t = sum over j of kernel_j x_(t + j), with zeros beyond both ends of
 *                            the text; of several kernels side by side. The package reads the
 *                            vectors of padding there, so that its values depend on the other
 *                            texts of a batch; these are its values of a text alone.
 *
 * Of vectors of texts, behind it:
 *
 *     Dense       y = function(x weight^T + bias), with a residual y + x or y + x residual^T
 *     LayerNorm   with epsilon 1e-5, the default of torch.nn.LayerNorm
 *     Normalize   y = x / |x| */
#include "torch_modules.h"
#include "torch_keys.h"

namespace alcore_torch {

namespace {

using Function = at::Tensor (*)(const at::Tensor &);

/* The function under the path of its class. */
Function function_of(const Keys &keys) {
    static const struct {
        const char *path;
        Function function;
    } functions[] = {
        {"torch.nn.modules.activation.Tanh", [](const at::Tensor &x) { return at::tanh(x); }},
        {"torch.nn.modules.activation.ReLU", [](const at::Tensor &x) { return at::relu(x); }},
        {"torch.nn.modules.activation.GELU", [](const at::Tensor &x) { return at::gelu(x); }},
        {"torch.nn.modules.activation.SiLU", [](const at::Tensor &x) { return at::silu(x); }},
        {"torch.nn.modules.activation.Sigmoid", [](const at::Tensor &x) { return at::sigmoid(x); }},
        {"torch.nn.modules.linear.Identity", [](const at::Tensor &x) { return x; }},
    };
    const char *key = "activation_function";
    const std::string path = keys.text(key, functions[0].path);
    for (const auto &row : functions)
        if (path == row.path) return row.function;
    keys.refuse(key,
                "Tanh, ReLU, GELU, SiLU or Sigmoid of torch.nn.modules.activation, or "
                "torch.nn.modules.linear.Identity, in what is computed here",
                ALCORE_E_UNSUPPORTED);
}

/* The folder of one module while it is read. */
struct ModuleFolder {
    Model &model;
    const std::string path;
    const Keys keys;
    std::optional<Weights> weights;

    ModuleFolder(Model &model, const char *path, const std::string &file = "config.json")
        : model(model), path(path),
          keys(read_json(model.host, path, file.c_str()), this->path + "/" + file) {
        if (!keys) fail(ALCORE_E_DATA, "%s is missing", keys.path().c_str());
        weights.emplace(model.host, path);
    }
    /* A width, which must be `expected` where that is not 0. */
    int64_t width(const char *key, int64_t expected) const {
        const int64_t value = keys.integer(key, -1);
        if (value < 1 || value > 1 << 24) keys.refuse(key, "an integer of 1 to 16777216");
        if (expected != 0 && value != expected)
            keys.refuse(key,
                        (std::to_string(expected) + " by what the module before it gives").c_str(),
                        ALCORE_E_SHAPE);
        return value;
    }
    at::Tensor read(const char *name, const std::vector<int64_t> &shape) {
        at::Tensor value = weights->read(name, shape);
        model.modules_hash = hash_join(model.modules_hash, tensor_hash(value));
        model.parameters += value.numel();
        return value.to(model.device, at::kFloat);
    }
};

/* ---- of tokens ---- */

/* Reads WeightedLayerPooling. The package passes the last layer on as it is where config.json does
 * not have the transformer hand out all of them. */
void build_weighted_layers(Builder &build, const alcore_sys_model_options &options,
                           const char *path) {
    Model &model = build.model;
    ModuleFolder folder(model, path);
    const int64_t blocks = static_cast<int64_t>(model.encoder.blocks.size());
    const int64_t start = folder.keys.integer("layer_start", 4);
    if (folder.keys.integer("num_hidden_layers", 12) != blocks)
        folder.keys.refuse("num_hidden_layers",
                           (std::to_string(blocks) + " blocks by config.json").c_str());
    if (start < 0 || start > blocks) folder.keys.refuse("layer_start", "a layer of the model");
    const at::Tensor given = folder.read("layer_weights", {blocks + 1 - start}).cpu();
    if (options.layer != 0)
        fail(ALCORE_E_UNSUPPORTED,
             "%s: embeddings are a mean over layers (WeightedLayerPooling), of which layer %d "
             "cannot be chosen",
             model.folder.c_str(), options.layer);
    if (!build.config.flag("output_hidden_states", false)) {
        const std::string what = folder.path + ": WeightedLayerPooling has no effect, because "
                                               "config.json has not output_hidden_states true";
        model.host.table->log(model.host.user, LOG_WARN, "torch", what.c_str());
        return;
    }
    const double sum = given.sum(at::kDouble).item<double>();
    model.layer_weights.assign(static_cast<size_t>(start), 0.0);
    for (int64_t k = 0; k < given.size(0); k++)
        model.layer_weights.push_back(given[k].item<double>() / sum);
    model.modules_hash = hash_join(model.modules_hash, static_cast<uint64_t>(start));
}

/* The numbers of a list that CNN has for each of its kernels. */
std::vector<int64_t> kernel_numbers(const Keys &keys, const char *key,
                                    std::vector<int64_t> otherwise) {
    return keys.has(key) ? keys.ids(key, 1 << 16) : std::move(otherwise);
}

/* Reads CNN; *width: of its input, then of its output. */
void build_cnn(Model &model, const char *path, int64_t *width) {
    ModuleFolder folder(model, path, "cnn_config.json");
    const char *older = "in_word_embedding_dimension";
    const int64_t in =
        folder.width(folder.keys.has(older) ? older : "in_embedding_dimension", *width);
    const int64_t out = folder.keys.has("out_channels") ? folder.width("out_channels", 0) : 256;
    const std::vector<int64_t> sizes = kernel_numbers(folder.keys, "kernel_sizes", {1, 3, 5});
    for (int64_t stride : kernel_numbers(folder.keys, "stride_sizes", {}))
        if (stride != 1)
            folder.keys.refuse("stride_sizes",
                               "1 for each kernel: others leave vectors that belong to no token",
                               ALCORE_E_UNSUPPORTED);
    std::vector<std::pair<at::Tensor, at::Tensor>> kernels; /* weight, bias */
    for (size_t i = 0; i < sizes.size(); i++) {
        if (sizes[i] % 2 == 0)
            folder.keys.refuse("kernel_sizes",
                               "odd numbers: others leave vectors that belong to no token",
                               ALCORE_E_UNSUPPORTED);
        const std::string name = "convs." + std::to_string(i);
        const at::Tensor weight = folder.read((name + ".weight").c_str(), {out, in, sizes[i]});
        kernels.emplace_back(weight, folder.read((name + ".bias").c_str(), {out}));
    }
    if (kernels.empty()) folder.keys.refuse("kernel_sizes", "a list with a kernel");
    model.token_modules.push_back([=](const at::Tensor &x, const std::vector<int64_t> &lengths) {
        std::vector<at::Tensor> texts;
        for (const at::Tensor &own : x.split_with_sizes(lengths)) {
            std::vector<at::Tensor> columns;
            for (const auto &[weight, bias] : kernels)
                columns.push_back(
                    at::conv1d(own.t().unsqueeze(0), weight, bias, 1, weight.size(2) / 2)[0]);
            texts.push_back(at::cat(columns, 0).t());
        }
        return at::cat(texts, 0);
    });
    *width = out * static_cast<int64_t>(kernels.size());
}

/* ---- of texts ---- */

/* Reads Dense; *width: of its input, then of its output. */
void build_dense(Model &model, const char *path, int64_t *width) {
    ModuleFolder folder(model, path);
    const int64_t in = folder.width("in_features", *width), out = folder.width("out_features", 0);
    const Function function = function_of(folder.keys);
    Linear linear, residual;
    linear.weight = folder.read("linear.weight", {out, in});
    if (folder.keys.flag("bias", true)) linear.bias = folder.read("linear.bias", {out});
    const bool residual_added = folder.keys.flag("use_residual", false);
    if (residual_added && in != out) residual.weight = folder.read("residual.weight", {out, in});
    const std::string what =
        folder.keys.text("activation_function", "") + (residual_added ? "+" : "");
    model.modules_hash = hash_join(model.modules_hash, text_hash(what));
    model.modules.push_back([=](const at::Tensor &x) {
        const at::Tensor y = function(linear(x));
        return !residual_added ? y : y + (residual.weight.defined() ? residual(x) : x);
    });
    *width = out;
}

void build_layer_norm(Model &model, const char *path, int64_t width) {
    ModuleFolder folder(model, path);
    folder.width("dimension", width);
    Norm norm;
    norm.weight = folder.read("norm.weight", {width});
    norm.bias = folder.read("norm.bias", {width});
    norm.epsilon = 1e-5;
    model.modules.push_back([=](const at::Tensor &x) { return norm(x); });
}

} // namespace

at::Tensor unit_rows(const at::Tensor &x) {
    return x / x.norm(2, 1, true).clamp_min(1e-12);
}

/* The number of modules of tokens, with which the list begins. */
static int64_t token_module_count(const alcore_sys_model_options &options) {
    int64_t count = 0;
    while (count < options.module_count &&
           (options.modules[count].kind == ALCORE_SYS_MODULE_WEIGHTED_LAYERS ||
            options.modules[count].kind == ALCORE_SYS_MODULE_CNN))
        count++;
    return count;
}

void build_modules(Builder &build, const alcore_sys_model_options &options) {
    Model &model = build.model;
    const int64_t of_tokens = token_module_count(options);
    int64_t width = model.encoder.dims;
    if (of_tokens > 0 && model.poolings[0] == ALCORE_SYS_POOLING_POOLER)
        fail(ALCORE_E_UNSUPPORTED, "%s: the pooler cannot read what its modules make of tokens",
             build.folder.c_str());
    for (int64_t i = 0; i < options.module_count; i++) {
        const alcore_sys_model_module &one = options.modules[i];
        if (i == of_tokens) width *= static_cast<int64_t>(model.poolings.size());
        model.modules_hash = hash_join(model.modules_hash, static_cast<uint64_t>(one.kind) + 1);
        switch (one.kind) {
        case ALCORE_SYS_MODULE_WEIGHTED_LAYERS:
            build_weighted_layers(build, options, one.folder);
            break;
        case ALCORE_SYS_MODULE_CNN:
            build_cnn(model, one.folder, &width);
            break;
        case ALCORE_SYS_MODULE_DENSE:
            build_dense(model, one.folder, &width);
            break;
        case ALCORE_SYS_MODULE_LAYER_NORM:
            build_layer_norm(model, one.folder, width);
            break;
        case ALCORE_SYS_MODULE_NORMALIZE:
            model.modules.push_back(unit_rows);
            break;
        default:
            fail(ALCORE_E_INVALID, "module %d is not known", one.kind);
        }
    }
    if (options.module_count == of_tokens) width *= static_cast<int64_t>(model.poolings.size());
    model.embedding_dims = width;
}

at::Tensor token_vectors(const Model &model, const Packed &batch, size_t blocks) {
    at::Tensor x = model.layer_weights.empty()
                       ? run_stack(model, model.encoder, batch, blocks)
                       : run_layers(model, model.encoder, batch, model.layer_weights);
    for (const auto &module : model.token_modules) x = module(x.to(at::kFloat), batch.lengths);
    return x;
}

at::Tensor apply_modules(const Model &model, at::Tensor vectors) {
    for (const auto &module : model.modules) vectors = module(vectors);
    return vectors;
}

} // namespace alcore_torch
