/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of sentence-transformers behind the pooling, in float32 whatever the type of the model
 * is:
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

    ModuleFolder(Model &model, const char *name)
        : model(model), path(model.folder + "/" + name),
          keys(read_json(model.host, path, "config.json"), path + "/config.json") {
        if (!keys) fail(ALCORE_E_DATA, "%s/config.json is missing", path.c_str());
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

/* Reads Dense; *width: of its input, then of its output. */
void build_dense(Model &model, const char *name, int64_t *width) {
    ModuleFolder folder(model, name);
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

void build_layer_norm(Model &model, const char *name, int64_t width) {
    ModuleFolder folder(model, name);
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

void build_modules(Model &model, const alcore_sys_model_options &options, int64_t width) {
    for (int64_t i = 0; i < options.module_count; i++) {
        const alcore_sys_model_module &one = options.modules[i];
        model.modules_hash = hash_join(model.modules_hash, static_cast<uint64_t>(one.kind) + 1);
        switch (one.kind) {
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
    model.embedding_dims = width;
}

at::Tensor apply_modules(const Model &model, at::Tensor vectors) {
    for (const auto &module : model.modules) vectors = module(vectors);
    return vectors;
}

} // namespace alcore_torch
