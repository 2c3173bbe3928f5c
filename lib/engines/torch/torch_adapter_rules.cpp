/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of adapter_config.json (torch_adapter_rules.h), as check_target_module_exists() of PEFT has
 * them. */
#include "torch_adapter_rules.h"

#include <algorithm>

#include "torch_builder.h"
#include "torch_expression.h"

namespace alcore_torch {

bool names_module(const std::string &entry, const std::string &module) {
    return module == entry || ends_with(module, ("." + entry).c_str());
}

/* The texts of a list, or one alone. */
static std::vector<std::string> texts_of(const Keys &keys, const char *key) {
    std::vector<std::string> out;
    json_t *value = keys.find(key);
    if (json_is_string(value)) return {json_string_value(value)};
    if (value != nullptr && !json_is_array(value)) keys.refuse(key, "a text or a list of texts");
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *entry = json_array_get(value, i);
        if (!json_is_string(entry)) keys.refuse(key, "a text or a list of texts");
        out.push_back(json_string_value(entry));
    }
    return out;
}

AdapterRules::Choice AdapterRules::choice(const char *key) const {
    std::vector<std::string> texts = texts_of(keys_, key);
    if (json_is_array(keys_.find(key))) return {std::move(texts), std::nullopt};
    if (texts.empty() || texts[0] == "all-linear") return {};
    return {std::nullopt, expression_of(texts[0], keys_.path(), key)};
}

bool AdapterRules::Choice::fits(const std::string &module) const {
    if (pattern) return std::regex_match(module, *pattern);
    return names && std::any_of(names->begin(), names->end(), [&](const std::string &name) {
               return names_module(name, module);
           });
}

AdapterRules::AdapterRules(const Keys &keys)
    : keys_(keys), targets_(choice("target_modules")), excluded_(choice("exclude_modules")),
      saved_(texts_of(keys, "modules_to_save")), bias_(keys.text("bias", "none")),
      tying_(keys.flag("ensure_weight_tying", false)) {
    if (bias_ != "none" && bias_ != "all" && bias_ != "lora_only")
        keys.refuse("bias", "none, all or lora_only");
    json_t *layers = keys.find("layers_to_transform");
    if (json_is_integer(layers))
        layers_.emplace(1, json_integer_value(layers));
    else if (layers != nullptr)
        layers_ = keys.ids("layers_to_transform", INT64_MAX);
    if (layers_ && layers_->empty()) layers_.reset();
    for (const std::string &text : texts_of(keys, "layers_pattern"))
        layer_patterns_.push_back(
            expression_of(text, keys.path(), "layers_pattern", "(?:^|.*?\\.)", "\\.(\\d+)\\..*"));
    if (layer_patterns_.empty()) layer_patterns_.emplace_back(".*?\\.[^.]*\\.(\\d+)\\..*");
}

bool AdapterRules::in_layers(const std::string &module) const {
    std::smatch found;
    if (!layers_) return true;
    for (const std::regex &pattern : layer_patterns_)
        if (std::regex_match(module, found, pattern))
            return std::any_of(layers_->begin(), layers_->end(), [&](int64_t layer) {
                return std::to_string(layer) == found[found.size() - 1].str();
            });
    return false;
}

void AdapterRules::check_factors(const std::string &module) const {
    if (tying_ && names_module("lm_head", module)) return;
    if ((targets_.names || targets_.pattern) && !targets_.fits(module))
        keys_.refuse("target_modules", ("what names the modules with factors, such as " + module +
                                        " in adapter_model.safetensors")
                                           .c_str());
    if (excluded_.fits(module))
        keys_.refuse("exclude_modules", ("what names no module with factors, such as " + module +
                                         " in adapter_model.safetensors")
                                            .c_str());
    const bool whole_name =
        targets_.names && std::count(targets_.names->begin(), targets_.names->end(), module) > 0;
    if (targets_.names && !whole_name && !in_layers(module))
        keys_.refuse("layers_to_transform",
                     ("what has the layers of all modules with factors, such as " + module +
                      " in adapter_model.safetensors")
                         .c_str());
}

void AdapterRules::check_bias(const std::string &module, bool factors) const {
    if (!wants_bias(factors))
        keys_.refuse("bias", ("what allows the bias of " + module +
                              " that adapter_model.safetensors holds: all, or lora_only where the "
                              "module has factors")
                                 .c_str());
}

bool saved_as(const std::string &entry, const std::string &module) {
    for (size_t dot = 0; dot != std::string::npos;) {
        dot = module.find('.', dot + 1);
        if (ends_with(module.substr(0, dot), entry.c_str())) return true;
    }
    return false;
}

bool AdapterRules::saves(const std::string &module) const {
    return std::any_of(saved_.begin(), saved_.end(),
                       [&](const std::string &name) { return saved_as(name, module); });
}

bool AdapterRules::wants_factors(const std::string &module) const {
    return targets_.fits(module) && !excluded_.fits(module) &&
           (targets_.pattern || in_layers(module)) && !saves(module);
}

} // namespace alcore_torch
