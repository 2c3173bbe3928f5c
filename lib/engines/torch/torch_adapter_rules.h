/* SPDX-License-Identifier: Apache-2.0 */
/* What adapter_config.json says of which modules an adapter changes, to be compared with the
 * tensors of its file. A module is a layer of the model under the name that transformers has for
 * it. */
#ifndef ALCORE__TORCH_ADAPTER_RULES_H
#define ALCORE__TORCH_ADAPTER_RULES_H

#include <regex>

#include "torch_keys.h"

namespace alcore_torch {

/* Whether an entry of a list such as target_modules names a module: by its whole name, or by the
 * end of it from a dot on. */
bool names_module(const std::string &entry, const std::string &module);

/* Whether an entry of modules_to_save names a module, or one that holds it: by the end of its name,
 * wherever that begins: "classifier" names pre_classifier of DistilBERT, too. */
bool saved_as(const std::string &entry, const std::string &module);

class AdapterRules {
  public:
    explicit AdapterRules(const Keys &keys);
    /* Fails where a module has factors that target_modules, exclude_modules or layers_to_transform
     * do not allow. */
    void check_factors(const std::string &module) const;
    /* Fails where bias does not allow the bias of a module, whole in the file. factors: whether the
     * module has factors, too. */
    void check_bias(const std::string &module, bool factors) const;
    /* Whether a module belongs to modules_to_save. */
    bool saves(const std::string &module) const;
    /* Whether a module of a block must have factors. With an expression layers_to_transform does
     * not count. */
    bool wants_factors(const std::string &module) const;
    /* Whether the file must hold the bias of a module. */
    bool wants_bias(bool factors) const {
        return bias_ == "all" || (factors && bias_ == "lora_only");
    }

  private:
    /* A list of names or a regular expression for all of a name; neither: the key is absent. */
    struct Choice {
        std::optional<std::vector<std::string>> names;
        std::optional<std::regex> pattern;
        bool fits(const std::string &module) const;
    };
    Choice choice(const char *key) const;
    bool in_layers(const std::string &module) const;
    const Keys keys_;
    Choice targets_, excluded_;
    std::vector<std::string> saved_;
    std::optional<std::vector<int64_t>> layers_; /* none: all */
    std::vector<std::regex> layer_patterns_;
    std::string bias_;
    bool tying_; /* the output has the factors of the table of words, whose names are the key's */
};

} // namespace alcore_torch

#endif
