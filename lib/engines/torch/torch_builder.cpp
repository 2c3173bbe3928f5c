/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and settings of a folder, read into a model and checked against each other. */
#include <algorithm>
#include <numeric>

#include "torch_builder.h"
#include "torch_lora_modules.h"

namespace alcore_torch {

int64_t Builder::size(const char *key, int64_t most) const {
    int64_t value = config.integer(key, -1);
    if (value < 1 || value > most)
        config.refuse(key, ("an integer of 1 to " + std::to_string(most)).c_str());
    return value;
}

std::string Builder::find(const std::string &name) const {
    for (const std::string &full : {family.prefix + name, name}) {
        if (weights.has(full)) return full;
        size_t dot = full.rfind('.');
        std::string old = full.substr(0, dot + 1) + (full[dot + 1] == 'w' ? "gamma" : "beta");
        if (full.find("LayerNorm.") != std::string::npos && weights.has(old)) return old;
    }
    for (const std::string &full : {family.prefix + name, name})
        if (adapter != nullptr && adapter->has(full)) return full;
    return "";
}

at::Tensor Builder::read(const std::string &name, const std::vector<int64_t> &shape,
                         const at::Tensor &into) {
    std::string found = find(name), own; /* own: the name of the tensor in the adapter */
    for (const std::string &full : {family.prefix + name, name})
        if (own.empty() && adapter != nullptr && (adapter->has(full) || adapter->changes(full)))
            own = full;
    const bool whole = !own.empty() && adapter->has(own);
    if (adapter != nullptr) adapter->expect(name, family.prefix);
    at::Tensor value = whole ? adapter->read(own, shape).to(model.dtype)
                             : weights.read(found.empty() ? family.prefix + name : found, shape,
                                            model.dtype, into);
    const uint64_t hash = tensor_hash(value);
    if (!own.empty()) value = adapter->add(own, value);
    const bool changed = !own.empty() && adapter->changes(own) && /* not by a product that is 0 */
                         (whole || tensor_hash(value) != hash);
    if (into.defined() && !value.is_same(into)) value = into.copy_(value);
    model.parameters += value.numel();
    value = value.to(model.device);
    if (changed) adapted.push_back({value, whole && !adapter->adds(own)});
    model.stored.push_back({found, value, value, hash});
    return value;
}

at::Tensor Builder::table(const std::string &name, const char *key, int64_t more, int64_t width) {
    at::Tensor value = read(name, {-1, width});
    int64_t rows = value.size(0) - more;
    if (config.has(key) && size(key) != rows)
        config.refuse(key,
                      (std::to_string(rows) + " by the rows of the tensor " + find(name)).c_str(),
                      ALCORE_E_SHAPE);
    return value;
}

bool Builder::is(const char *model_type) const {
    return std::string(family.model_type) == model_type;
}

bool Builder::ties() const {
    const bool otherwise =
        family.language ? family.language->ties : !is("rembert") && !is("eurobert");
    return config.flag("tie_word_embeddings", otherwise);
}

at::Tensor Builder::tied(const at::Tensor &value, const at::Tensor &other) {
    const auto hash = [&](const at::Tensor &tensor) {
        for (const Stored &stored : model.stored)
            if (stored.whole.is_same(tensor)) return stored.hash;
        return tensor_hash(tensor);
    };
    if (!ties()) return value;
    const auto whole = [&](const at::Tensor &tensor) {
        return std::any_of(adapted.begin(), adapted.end(), [&](const Adapted &one) {
            return one.whole && one.value.is_same(tensor);
        });
    };
    const bool alike = value.sizes() == other.sizes() && hash(value) == hash(other),
               both = whole(value) && whole(other),
               changed = family.language
                             ? is_adapted(value) || is_adapted(other)
                             : family.decoder.block != nullptr && (whole(value) || whole(other));
    if (!alike || (changed && !both)) {
        model.parted = model.parted || changed;
        return value;
    }
    /* The adapter holds both, which are one: as ensure_weight_tying of PEFT has it. What it adds to
     * one of them is for check_adapter() to refuse. */
    if (!model.decoder && both)
        std::erase_if(adapted, [&](const Adapted &one) {
            return one.value.is_same(value) || one.value.is_same(other);
        });
    for (Adapted &one : adapted)
        if (one.value.is_same(value)) one.value = other;
    model.parameters -= value.numel();
    model.stored.pop_back();
    return other;
}

bool Builder::is_adapted(const at::Tensor &value) const {
    return std::any_of(adapted.begin(), adapted.end(),
                       [&](const Adapted &one) { return one.value.is_same(value); });
}

/* The entry of a tensor that was read. */
static const Stored &entry_of(const Model &model, const at::Tensor &value) {
    return *std::find_if(model.stored.begin(), model.stored.end(),
                         [&](const Stored &one) { return one.whole.is_same(value); });
}

at::Tensor Builder::shared(const std::string &name, const at::Tensor &words) {
    if (adapter == nullptr || (!is_adapted(words) && !adapter->adds(name))) return words;
    std::string table = entry_of(model, words).name;
    if (!family.language) { /* with a decoder: its table is the adapter's own, of modules_to_save */
        if (!model.decoder || weights.has(table)) return words;
        const std::string both = std::string(family.encoder.words) + ".weight";
        table = weights.has(family.prefix + both) ? family.prefix + both : both;
    }
    at::Tensor value = weights.read(table, words.sizes().vec(), model.dtype);
    const uint64_t hash = tensor_hash(value);
    value = adapter->add(name, value).to(model.device);
    model.parameters += value.numel();
    model.stored.push_back({name, value, value, hash});
    model.parted = true;
    return value;
}

/* Where the file of the base has a second copy of the table, it is not read: one matrix serves as
 * both. */
bool Builder::changes_alike(const std::string &name, const at::Tensor &words) {
    if (adapter == nullptr || !family.language || !ties()) return false;
    if (weights.has(name) &&
        tensor_hash(weights.read(name).to(model.dtype)) != entry_of(model, words).hash)
        return false;
    if (!adapter->adds_same(family.prefix + std::string("embed_tokens.weight"), name)) return false;
    std::erase_if(adapted, [&](const Adapted &one) { return one.value.is_same(words); });
    return true;
}

/* name: of the tensor that the adapter changes. */
[[noreturn]] static void refuse_tied(const Builder &build, const std::string &name) {
    fail(ALCORE_E_UNSUPPORTED,
         "%s: the adapter changes %s, a matrix that the model has in several places (embeddings of "
         "words, output): merge_and_unload() of PEFT changes all of them, and PEFT's model with "
         "the adapter beside it only that one, which are two models. Choose one of them and save "
         "it with PEFT",
         build.folder.c_str(), name.c_str());
}

/* Refuses factors of a table that has no tensor of its own, because another one stands for it. */
static void check_tied_factors(const Builder &build) {
    const Family &family = build.family;
    if (family.language) return;
    std::vector<std::string> names{"lm_head.weight"};
    for (const StackNames *stack : {&family.encoder, &family.decoder})
        if (stack->prefix != nullptr)
            names.push_back(family.prefix + std::string(stack->prefix) + "embed_tokens.weight");
    if (family.words_out != nullptr) names.push_back(family.words_out + std::string(".weight"));
    for (const std::string &name : names) {
        const bool own = std::any_of(build.model.stored.begin(), build.model.stored.end(),
                                     [&](const Stored &one) { return one.name == name; });
        if (build.adapter->adds(name) && !own) refuse_tied(build, name);
    }
}

void Builder::check_adapter() const {
    if (adapter == nullptr) return;
    const std::string prefix = family.prefix;
    check_tied_factors(*this);
    adapter->check_used([&](const std::string &module) {
        const bool named = !prefix.empty() && module.rfind(prefix, 0) == 0;
        return !find(module + ".weight").empty() ||
               (named && !find(module.substr(prefix.size()) + ".weight").empty());
    });
    for (const Adapted &one : adapted)
        if (places_of(model, one.value) > 1) refuse_tied(*this, entry_of(model, one.value).name);
}

at::Tensor Builder::read_if(const std::string &name, const std::vector<int64_t> &shape) {
    return find(name).empty() ? at::Tensor() : read(name, shape);
}

at::Tensor Builder::bias(const std::string &name, int64_t size) {
    return family.rms ? read_if(name + ".bias", {size}) : read(name + ".bias", {size});
}

Linear Builder::linear(const std::string &name, int64_t out, int64_t in) {
    const at::Tensor weight = read(name + ".weight", {out, in});
    return {weight, bias(name, weight.size(0))};
}

Norm Builder::norm(const std::string &name, int64_t dims, double epsilon) {
    const at::Tensor weight = read(name + ".weight", {dims});
    return {weight, bias(name, dims), epsilon, family.rms};
}

Linear Builder::linear(const std::string &name, int64_t out, int64_t in, bool biased) {
    const at::Tensor weight = read(name + ".weight", {out, in});
    return {weight, biased ? read(name + ".bias", {weight.size(0)}) : at::Tensor()};
}

Norm Builder::norm(const std::string &name, int64_t dims, double epsilon, bool biased, bool rms) {
    const at::Tensor weight = read(name + ".weight", {dims});
    return {weight, biased ? read(name + ".bias", {dims}) : at::Tensor(), epsilon, rms};
}

Linear Builder::joined(const std::vector<std::string> &names, const std::vector<int64_t> &outs,
                       int64_t in, bool biased) {
    JoinedRows matrices(*this, std::accumulate(outs.begin(), outs.end(), int64_t{0}), in);
    std::vector<at::Tensor> biases;
    for (size_t i = 0; i < names.size(); i++) {
        matrices.read(names[i] + ".weight", outs[i]);
        if (biased) biases.push_back(read(names[i] + ".bias", {outs[i]}));
    }
    return {matrices.whole(), biased ? joined(biases) : at::Tensor()};
}

Linear Builder::joined(const std::vector<std::string> &names, int64_t out, int64_t in) {
    JoinedRows matrices(*this, static_cast<int64_t>(names.size()) * out, in);
    std::vector<at::Tensor> biases;
    for (const std::string &name : names) {
        matrices.read(name + ".weight", out);
        const at::Tensor own = bias(name, out);
        if (own.defined()) biases.push_back(own);
    }
    if (!biases.empty() && biases.size() != names.size())
        fail(ALCORE_E_DATA, "%s: only some of %s... have a bias", folder.c_str(), names[0].c_str());
    return {matrices.whole(), biases.empty() ? at::Tensor() : joined(biases)};
}

JoinedRows::JoinedRows(Builder &build, int64_t rows, int64_t columns)
    : build_(build), columns_(columns) {
    if (build.model.device.is_cpu())
        whole_ = at::empty({rows, columns}, at::TensorOptions().dtype(build.model.dtype));
}

void JoinedRows::read(const std::string &name, int64_t rows) {
    if (!whole_.defined()) {
        parts_.push_back(build_.read(name, {rows, columns_}));
        return;
    }
    build_.read(name, {rows, columns_}, whole_.narrow(0, row_, rows));
    build_.model.stored.back().whole = whole_;
    row_ += rows;
}

at::Tensor JoinedRows::whole() {
    return whole_.defined() ? whole_ : build_.joined(parts_);
}

at::Tensor Builder::joined(const std::vector<at::Tensor> &parts) {
    at::Tensor whole = at::cat(parts);
    int64_t row = 0;
    for (const at::Tensor &part : parts) {
        for (Stored &stored : model.stored)
            if (stored.view.is_same(part)) {
                stored.view = whole.narrow(0, row, part.size(0));
                stored.whole = whole;
            }
        row += part.size(0);
    }
    return whole;
}

double Builder::epsilon() const {
    if (family.epsilon_key == nullptr) return family.epsilon;
    double value = config.real(family.epsilon_key, family.epsilon);
    if (!(value > 0 && value < 1)) config.refuse(family.epsilon_key, "above 0 and below 1");
    return value;
}

double Builder::dropout(const char *key, double otherwise) const {
    double rate = config.real(key, otherwise);
    if (!(rate >= 0 && rate < 1)) config.refuse(key, "a dropout of 0 or more and below 1");
    return rate;
}

} // namespace alcore_torch
