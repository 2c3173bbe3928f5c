/* SPDX-License-Identifier: Apache-2.0 */
/* LoRA adapters of PEFT (torch_adapter.h).
 *
 * Names of the file are those of modules behind "base_model.model.", as peft 0.7 and newer write
 * them:
 *
 *     NAME.lora_A.weight, NAME.lora_B.weight             factors
 *     NAME.lora_embedding_A, NAME.lora_embedding_B       of a table of embeddings
 *     NAME.lora_B.bias                                   of lora_bias: added to the bias
 *     NAME.lora_magnitude_vector                         lengths of DoRA
 *     NAME.base_layer.weight, NAME.base_layer.bias       whole, of a module that has factors
 *     NAME.weight, NAME.bias                             whole, of others */
#include <cmath>
#include <regex>

#include "torch_adapter.h"
#include "torch_builder.h"
#include "torch_expression.h"
#include "torch_keys.h"

namespace alcore_torch {

namespace {

constexpr std::string_view PREFIX = "base_model.model.", BASE = ".base_layer.";

/* Keys of adapter_config.json that say how the adapter was made or trained, that are read here, or
 * that choose modules, which the names of its tensors tell. */
bool is_known(const std::string &key) {
    static const std::set<std::string> known = {"alpha_pattern",
                                                "auto_mapping",
                                                "base_model_name_or_path",
                                                "bias",
                                                "corda_config",
                                                "ensure_weight_tying",
                                                "eva_config",
                                                "exclude_modules",
                                                "fan_in_fan_out",
                                                "inference_mode",
                                                "init_lora_weights",
                                                "layers_pattern",
                                                "layers_to_transform",
                                                "loftq_config",
                                                "lora_alpha",
                                                "lora_bias",
                                                "lora_dropout",
                                                "lora_ga_config",
                                                "megatron_core",
                                                "modules_to_save",
                                                "peft_type",
                                                "peft_version",
                                                "qalora_group_size",
                                                "r",
                                                "rank_pattern",
                                                "revision",
                                                "runtime_config",
                                                "target_modules",
                                                "task_type",
                                                "use_dora",
                                                "use_rslora"};
    return known.count(key) != 0;
}

/* Whether a value says that what its key names is not used. */
bool is_off(json_t *value) {
    return json_is_null(value) || json_is_false(value) ||
           ((json_is_object(value) || json_is_array(value)) && json_object_size(value) == 0 &&
            json_array_size(value) == 0);
}

/* Refuses all but plain LoRA. Some ways of initializing subtract what they give the adapter from
 * the weights of the base, which its folder does not say. */
void check_settings(const Keys &keys, json_t *object) {
    const char *key;
    json_t *value;
    if (keys.text("peft_type", "") != "LORA")
        keys.refuse("peft_type",
                    "LORA in what is read here; other adapters are merged by PEFT "
                    "(merge_and_unload(), save_pretrained())",
                    ALCORE_E_UNSUPPORTED);
    json_object_foreach(object, key, value) if (!is_known(key) && !is_off(value))
        keys.refuse(key,
                    "null or false in what is read here: plain LoRA; merge the adapter by PEFT "
                    "(merge_and_unload(), save_pretrained())",
                    ALCORE_E_UNSUPPORTED);
    value = keys.find("init_lora_weights");
    const std::string init = json_is_string(value) ? json_string_value(value) : "";
    if (value != nullptr && !json_is_boolean(value) && init != "gaussian" && init != "eva" &&
        init != "orthogonal")
        keys.refuse("init_lora_weights",
                    "true, false, gaussian, eva or orthogonal in what is read here, since others "
                    "change the weights of the base; merge the adapter by PEFT "
                    "(merge_and_unload(), save_pretrained())",
                    ALCORE_E_UNSUPPORTED);
}

/* The number that rank_pattern or alpha_pattern has for a module; `otherwise` where none of its
 * keys, which are regular expressions for the end of the name from a dot on, fits: as
 * get_pattern_key() of PEFT, the first that does counts. */
double by_pattern(const Keys &keys, const char *pattern, const std::string &module,
                  double otherwise) {
    json_t *object = keys.find(pattern), *value;
    const char *key;
    if (object == nullptr) return otherwise;
    if (!json_is_object(object)) keys.refuse(pattern, "an object");
    json_object_foreach(object, key, value) {
        if (!std::regex_match(module,
                              expression_of(key, keys.path(), pattern, "(?:.*\\.)?(?:", ")")))
            continue;
        if (!json_is_number(value) || !std::isfinite(json_number_value(value)))
            keys.refuse(pattern, "an object of numbers");
        return json_number_value(value);
    }
    return otherwise;
}

/* The end of the class of a task. */
std::string head_of(const Keys &keys) {
    static const std::pair<const char *, const char *> tasks[] = {
        {"SEQ_CLS", "ForSequenceClassification"},
        {"TOKEN_CLS", "ForTokenClassification"},
        {"QUESTION_ANS", "ForQuestionAnswering"},
        {"CAUSAL_LM", "ForCausalLM"},
        {"SEQ_2_SEQ_LM", ""},
        {"FEATURE_EXTRACTION", ""}};
    const std::string task = keys.text("task_type", "");
    for (const auto &[name, end] : tasks)
        if (task == name) return end;
    if (task.empty()) return "";
    keys.refuse("task_type",
                "SEQ_CLS, TOKEN_CLS, QUESTION_ANS, CAUSAL_LM, SEQ_2_SEQ_LM, FEATURE_EXTRACTION or "
                "null",
                ALCORE_E_UNSUPPORTED);
}

/* name without `end`, where it ends so; else empty. */
std::string without(const std::string &name, const char *end) {
    return ends_with(name, end) ? name.substr(0, name.size() - std::string_view(end).size()) : "";
}

/* Whether a tensor is a second copy of one of modules_to_save. With bias=all PEFT writes their
 * biases three times: NAME.bias, which it reads again; NAME.modules_to_save.bias, or in a module of
 * several layers NAME.modules_to_save.default.LAYER.bias, the same; and NAME.original_module.bias,
 * that of the base. */
bool is_copy(const Weights &weights, const std::string &name) {
    for (const std::string_view wrapper : {".original_module.", ".modules_to_save."}) {
        const size_t at = name.find(wrapper);
        for (size_t dot = at; dot != std::string::npos; dot = name.find('.', dot + 1))
            if (dot > at && weights.has(name.substr(0, at) + name.substr(dot))) return true;
    }
    return false;
}

/* The object of adapter_config.json, of an adapter that is read here. */
Json read_config(const Host &host, const std::string &folder) {
    const std::string path = folder + "/adapter_config.json";
    Json object = read_json(host, folder, "adapter_config.json");
    if (!object) fail(ALCORE_E_IO, "%s is missing", path.c_str());
    check_settings(Keys(object, path), object.get());
    return object;
}

} // namespace

Adapter::Adapter(const Host &host, const std::string &folder)
    : folder_(folder), path_(folder + "/adapter_config.json"), config_(read_config(host, folder)),
      keys_(config_, path_), rules_(keys_), weights_(host, folder, "adapter_model.safetensors") {
    head_ = head_of(keys_);
    if (keys_.integer("r", 8) < 1) keys_.refuse("r", "1 or more");
    for (const std::string &name : weights_.names()) {
        if (is_copy(weights_, name)) continue;
        unused_.insert(name);
        if (name.rfind(PREFIX, 0) != 0)
            fail(ALCORE_E_UNSUPPORTED,
                 "%s/adapter_model.safetensors: the tensor %s does not begin with %s, as those of "
                 "PEFT do",
                 folder.c_str(), name.c_str(), PREFIX.data());
        std::string own = name.substr(PREFIX.size());
        const std::string plain = without(own, ".lora_A.weight"),
                          table = without(own, ".lora_embedding_A"),
                          bias = without(own, ".lora_B.bias");
        if (!plain.empty() || !table.empty()) {
            find_factors(name, plain.empty() ? table : plain, plain.empty());
        } else if (!bias.empty()) {
            find_bias(name, bias);
        } else if (own.find(".lora_") == std::string::npos) {
            const size_t base = own.find(BASE);
            if (base == std::string::npos) saved_.insert(own);
            if (base != std::string::npos) own.replace(base, BASE.size(), ".");
            whole_[own] = name;
        }
    }
    for (const auto &[own, name] : whole_) {
        const std::string module = without(own, ".bias");
        if (!module.empty() && !rules_.saves(module))
            rules_.check_bias(module, deltas_.count(module + ".weight") != 0);
    }
}

double Adapter::rank_of(const std::string &module) const {
    return by_pattern(keys_, "rank_pattern", module, static_cast<double>(keys_.integer("r", 8)));
}

double Adapter::scale_of(const std::string &module) const {
    const double rank = rank_of(module),
                 alpha = by_pattern(keys_, "alpha_pattern", module, keys_.real("lora_alpha", 8));
    return alpha / (keys_.flag("use_rslora", false) ? std::sqrt(rank) : rank);
}

/* name: of the factor A. */
void Adapter::find_factors(const std::string &name, const std::string &module, bool table) {
    Delta delta;
    delta.table = table;
    delta.a = name;
    delta.b = std::string(PREFIX) + module + (table ? ".lora_embedding_B" : ".lora_B.weight");
    const double r = rank_of(module);
    const char *key = r == static_cast<double>(keys_.integer("r", 8)) ? "r" : "rank_pattern";
    if (!(r >= 1) || r != std::floor(r) || r > 1 << 24)
        keys_.refuse(key, "whole numbers from 1 on");
    delta.rank = static_cast<int64_t>(r);
    if (const std::vector<int64_t> &shape = weights_.shape(name);
        shape.empty() || shape[0] != delta.rank)
        keys_.refuse(key, ("the rows of " + name + " in adapter_model.safetensors, " +
                           std::to_string(shape.empty() ? 0 : shape[0]))
                              .c_str());
    rules_.check_factors(module);
    if (keys_.flag("use_dora", false))
        delta.magnitude = std::string(PREFIX) + module + ".lora_magnitude_vector";
    const std::string bias = std::string(PREFIX) + module + ".lora_B.bias";
    if (!table && keys_.flag("lora_bias", false) && !weights_.has(bias))
        keys_.refuse("lora_bias", ("false where adapter_model.safetensors lacks " + bias).c_str());
    delta.scale = scale_of(module);
    deltas_[module + ".weight"] = delta;
}

/* name: of the bias of the factor B. */
void Adapter::find_bias(const std::string &name, const std::string &module) {
    Delta delta;
    if (!keys_.flag("lora_bias", false))
        keys_.refuse("lora_bias", ("true where adapter_model.safetensors has " + name).c_str());
    delta.b = name;
    delta.scale = scale_of(module);
    deltas_[module + ".bias"] = delta;
}

at::Tensor Adapter::take(const std::string &name, const std::vector<int64_t> &shape) {
    unused_.erase(name);
    return weights_.read(name, shape);
}

bool Adapter::changes(const std::string &name) const {
    return deltas_.count(name) != 0 || saved_.count(name) != 0;
}

at::Tensor Adapter::read(const std::string &name, const std::vector<int64_t> &shape) {
    return take(whole_.at(name), shape);
}

at::Tensor Adapter::add(const std::string &name, const at::Tensor &value) {
    const auto found = deltas_.find(name);
    if (found == deltas_.end()) return value;
    const Delta &delta = found->second;
    if (delta.a.empty())
        return take(delta.b, value.sizes().vec())
            .to(at::kFloat)
            .mul(delta.scale)
            .add_(value)
            .to(value.scalar_type());
    if (value.dim() != 2)
        fail(ALCORE_E_UNSUPPORTED, "%s: %s is no factor of a matrix, but of a convolution",
             folder_.c_str(), delta.a.c_str());
    const int64_t rows = value.size(delta.table ? 1 : 0), columns = value.size(delta.table ? 0 : 1);
    const at::Tensor a = take(delta.a, {delta.rank, columns}).to(at::kFloat),
                     b = take(delta.b, {rows, delta.rank}).to(at::kFloat);
    const at::Tensor change = delta.table ? at::mm(a.t(), b.t()) : at::mm(b, a);
    change.mul_(delta.scale).add_(value);
    if (!delta.magnitude.empty()) {
        const at::Tensor lengths = take(delta.magnitude, {rows}).to(at::kFloat),
                         factors = lengths / change.norm(2, delta.table ? 0 : 1);
        change.mul_(delta.table ? factors : factors.unsqueeze(1));
    }
    return change.to(value.scalar_type());
}

bool Adapter::adds_same(const std::string &table, const std::string &matrix) {
    if (!adds(table) || !adds(matrix)) return false;
    const Delta &one = deltas_.at(table), &other = deltas_.at(matrix);
    const bool same = at::equal(weights_.read(one.a), weights_.read(other.b).t()) &&
                      at::equal(weights_.read(one.b), weights_.read(other.a).t());
    if (!same && keys_.flag("ensure_weight_tying", false))
        keys_.refuse("ensure_weight_tying",
                     ("false where the factors of " + matrix +
                      " in adapter_model.safetensors are not those of the table of words")
                         .c_str());
    if (!same || one.scale != other.scale || !other.magnitude.empty()) return false;
    for (const std::string &name : {other.a, other.b, has(matrix) ? whole_.at(matrix) : other.a})
        unused_.erase(name);
    return true;
}

void Adapter::expect(const std::string &name, const std::string &prefix) const {
    static const std::regex in_block(".*\\.\\d+\\..*");
    const std::string of_weight = without(name, ".weight"), of_bias = without(name, ".bias"),
                      module = prefix + (of_weight.empty() ? of_bias : of_weight);
    if ((of_weight.empty() && of_bias.empty()) || !std::regex_match(module, in_block) ||
        rules_.saves(module))
        return;
    const auto has_factors = [&](const std::string &own) {
        return deltas_.count(own + ".weight") != 0;
    };
    const bool factors = has_factors(module) || has_factors(module.substr(prefix.size()));
    if (!of_weight.empty() && !factors && rules_.wants_factors(module))
        keys_.refuse(
            "target_modules",
            ("more than adapter_model.safetensors has factors of, which lacks " + module).c_str());
    if (!of_bias.empty() && rules_.wants_bias(factors) && whole_.count(name) == 0 &&
        whole_.count(prefix + name) == 0)
        keys_.refuse(
            "bias",
            ("more than adapter_model.safetensors holds, which lacks that of " + module).c_str());
}

std::vector<Adapter::Factors> Adapter::factors() {
    std::vector<Factors> out;
    for (const auto &[name, delta] : deltas_) { /* without lora_bias: matrices alone */
        const at::Tensor a = weights_.read(delta.a).to(at::kFloat),
                         b = weights_.read(delta.b).to(at::kFloat);
        out.push_back({without(name, ".weight"), a, b, delta.scale, delta.table});
    }
    return out;
}

Json Adapter::trained_config() const {
    if (keys_.flag("use_dora", false))
        keys_.refuse("use_dora", "false of an adapter that is trained here", ALCORE_E_UNSUPPORTED);
    if (keys_.flag("lora_bias", false))
        keys_.refuse("lora_bias", "false of an adapter that is trained here", ALCORE_E_UNSUPPORTED);
    if (keys_.text("bias", "none") != "none")
        keys_.refuse("bias", "none of an adapter that is trained here", ALCORE_E_UNSUPPORTED);
    /* PEFT writes the table of the base beside its factors, too: the training reads it there. */
    for (const auto &[name, stored] : whole_)
        if (saved_.count(name) == 0 && deltas_.count(name) == 0)
            fail(ALCORE_E_UNSUPPORTED, "%s: the tensor %s is not trained here", folder_.c_str(),
                 stored.c_str());
    return Json(json_copy(config_.get()), json_decref);
}

void Adapter::check_used(const std::function<bool(const std::string &)> &has_weight) const {
    if (unused_.empty()) return;
    for (const std::string &name : unused_) {
        const std::string own = name.rfind(PREFIX, 0) == 0 ? name.substr(PREFIX.size()) : name;
        const std::string added = without(own, ".lora_B.bias"),
                          whole = without(without(own, ".bias"), ".base_layer"),
                          plain = whole.empty() ? without(own, ".bias") : whole;
        const std::string &module = added.empty() ? plain : added;
        if (module.empty() || !has_weight(module)) continue;
        fail(ALCORE_E_UNSUPPORTED,
             added.empty()
                 ? "%s/adapter_model.safetensors: the tensor %s is the bias of %s (bias of "
                   "adapter_config.json), which has none in the model that base_model_name_or_path "
                   "names: it is not the base of this adapter"
                 : "%s/adapter_model.safetensors: the tensor %s adds to the bias of %s (lora_bias "
                   "of adapter_config.json), which has none in the model that "
                   "base_model_name_or_path names; merge_and_unload() of PEFT refuses this, too. "
                   "Train the adapter without lora_bias, or of modules that have a bias",
             folder_.c_str(), name.c_str(), module.c_str());
    }
    fail(ALCORE_E_UNSUPPORTED,
         "%s/adapter_model.safetensors: the tensor %s belongs to nothing that is computed here of "
         "the model that base_model_name_or_path names",
         folder_.c_str(), unused_.begin()->c_str());
}

} // namespace alcore_torch
