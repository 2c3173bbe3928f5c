/* SPDX-License-Identifier: Apache-2.0 */
/* Names and choice of the matrices that adapters are trained of (torch_lora_modules.h). */
#include "torch_lora_modules.h"

#include <algorithm>
#include <set>

#include "torch_adapter_rules.h"
#include "torch_family.h"

namespace alcore_torch {

/* Sorted, without repeats. */
static std::vector<size_t> each_once(std::vector<size_t> &&values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return std::move(values);
}

std::vector<Stack *> stacks_of(Model &model) {
    std::vector<Stack *> out{&model.encoder};
    if (model.decoder) out.push_back(&*model.decoder);
    return out;
}

std::vector<size_t> rows_of(const Model &model, const at::Tensor &matrix) {
    std::vector<size_t> out;
    for (size_t i = 0; i < model.stored.size() && matrix.defined(); i++)
        if (model.stored[i].whole.is_same(matrix)) out.push_back(i);
    std::sort(out.begin(), out.end(), [&](size_t a, size_t b) {
        return model.stored[a].view.storage_offset() < model.stored[b].view.storage_offset();
    });
    return out;
}

std::string module_of(const Model &model, const Stored &stored) {
    const auto family = std::find_if(families().begin(), families().end(), [&](const Family &row) {
        return model.family == row.model_type;
    });
    const std::string prefix = family->prefix;
    std::string name = stored.name.substr(0, stored.name.rfind('.'));
    return name.rfind(prefix, 0) == 0 ? name : prefix + name;
}

std::vector<size_t> block_matrices(Model &model) {
    std::vector<size_t> out;
    for_matrices(model, [&](const Linear &linear) {
        for (size_t i : rows_of(model, linear.weight)) out.push_back(i);
    });
    return each_once(std::move(out));
}

int places_of(const Model &model, const at::Tensor &matrix) {
    int places = 0;
    for (const at::Tensor &place : {model.encoder.words, model.head_out.weight,
                                    model.decoder ? model.decoder->words : at::Tensor()})
        places += place.defined() && place.is_same(matrix) ? 1 : 0;
    return places;
}

size_t words_alone(const Model &model) {
    if (places_of(model, model.encoder.words) > 1) return SIZE_MAX;
    return rows_of(model, model.encoder.words).at(0);
}

static std::vector<size_t> default_targets(Model &model) {
    std::vector<size_t> out;
    const auto add = [&](const Linear &linear, std::initializer_list<size_t> wanted) {
        const std::vector<size_t> rows = rows_of(model, linear.weight);
        if (rows.size() == 1) out.push_back(rows[0]);
        for (size_t k : wanted)
            if (rows.size() > 1) out.push_back(rows.at(k));
    };
    for (Stack *stack : stacks_of(model))
        for (const Block &block : stack->blocks) {
            add(block.self, {0, 2});
            add(block.cross_q, {0});
            add(block.cross_kv, {1});
        }
    return each_once(std::move(out));
}

/* The names of a list with commas or white space between them. */
static std::vector<std::string> names_of(const std::string &text) {
    constexpr const char *between = ", \t\n";
    std::vector<std::string> out;
    for (size_t from = 0; (from = text.find_first_not_of(between, from)) != std::string::npos;) {
        const size_t to = std::min(text.find_first_of(between, from), text.size());
        out.push_back(text.substr(from, to - from));
        from = to;
    }
    return out;
}

std::vector<size_t> chosen_targets(Model &model, const char *list) {
    const std::vector<std::string> names = names_of(list == nullptr ? "" : list);
    if (names.empty()) return default_targets(model);
    const std::vector<size_t> blocks = block_matrices(model);
    if (names.size() == 1 && names[0] == "all-linear") return blocks;
    std::vector<size_t> out;
    for (const std::string &name : names) {
        const size_t before = out.size();
        for (size_t i = 0; i < model.stored.size(); i++) {
            const Stored &stored = model.stored[i];
            if (stored.view.dim() < 2 || !names_module(name, module_of(model, stored))) continue;
            if (!std::binary_search(blocks.begin(), blocks.end(), i) && i != words_alone(model))
                fail(ALCORE_E_UNSUPPORTED,
                     stored.whole.is_same(model.encoder.words)
                         ? "lora_targets: '%s' chooses %s, which is not the table of words alone, "
                           "but also that of the other stack or the output (tie_word_embeddings); "
                           "of such a table PEFT computes another model before merging than after "
                           "it"
                         : "lora_targets: '%s' chooses %s, which is no matrix of a block nor the "
                           "table of words; adapters of those alone are trained here. Write more "
                           "of the names that you mean, as in 'attention.output.dense'",
                     name.c_str(), stored.name.c_str());
            out.push_back(i);
        }
        if (out.size() == before)
            fail(ALCORE_E_INVALID, "lora_targets: the %s model has no module '%s'; it has %s",
                 model.family.c_str(), name.c_str(),
                 module_of(model, model.stored[blocks[0]]).c_str());
    }
    return each_once(std::move(out));
}

Json written_targets(const Model &model, const std::vector<size_t> &targets) {
    std::set<std::string> names;
    for (size_t target : targets) {
        const std::string module = module_of(model, model.stored[target]),
                          last = module.substr(module.rfind('.') + 1);
        bool alone = true;
        for (size_t i = 0; i < model.stored.size(); i++)
            alone = alone && (model.stored[i].view.dim() < 2 ||
                              std::binary_search(targets.begin(), targets.end(), i) ||
                              !names_module(last, module_of(model, model.stored[i])));
        names.insert(alone ? last : module);
    }
    Json out(json_array(), json_decref);
    for (const std::string &name : names)
        if (json_array_append_new(out.get(), json_string(name.c_str())) != 0)
            throw std::bad_alloc();
    return out;
}

} // namespace alcore_torch
