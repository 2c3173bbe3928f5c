/* SPDX-License-Identifier: Apache-2.0 */
/* Training of LoRA adapters (torch_lora.h): which matrices have factors, and how these stand beside
 * the model and become part of it again. */
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <ATen/CPUGeneratorImpl.h>

#include "torch_adapter.h"
#include "torch_lora.h"
#include "torch_lora_modules.h"

namespace alcore_torch {

at::Tensor LowRank::product(const at::Tensor &x, const Drop &drop) const {
    std::vector<at::Tensor> columns;
    int64_t row = 0;
    const auto gap = [&](int64_t to) {
        std::vector<int64_t> sizes = x.sizes().vec();
        sizes.back() = to - row;
        if (to > row) columns.push_back(at::zeros(sizes, x.options()));
        row = to;
    };
    for (const Part &part : parts) {
        gap(part.row);
        const at::Tensor inner = Linear{part.a, {}}(drop ? drop(x) : x);
        columns.push_back(Linear{part.b, {}}(inner * part.scale));
        row += part.rows;
    }
    gap(rows);
    return columns.size() == 1 ? columns[0] : at::cat(columns, -1);
}

at::Tensor LowRankTable::rows(const at::Tensor &ids, int64_t padding) const {
    return Linear{b, {}}(at::embedding(a.t(), ids, padding) * scale);
}

namespace {

/* Families whose modules have other names in their files than in transformers, and what is none of
 * its families. */
constexpr std::string_view UNNAMED[] = {"nomic_bert", "alcore_transformer"};

constexpr double ALPHA = 8; /* of PEFT, where none is given */

/* The module that is trained whole and that a tensor belongs to, as PEFT has it for each task;
 * NULL: it belongs to none. */
const char *saved_module(const Model &model, const Stored &stored) {
    if (model.head != Head::Classes && model.head != Head::Tokens && model.head != Head::Answers)
        return nullptr;
    for (const char *module : {"classifier", "score", "qa_outputs"})
        if (saved_as(module, stored.name.substr(0, stored.name.rfind('.')))) return module;
    return nullptr;
}

const char *task_of(const Model &model) {
    switch (model.head) {
    case Head::Classes:
        return "SEQ_CLS";
    case Head::Tokens:
        return "TOKEN_CLS";
    case Head::Answers:
        return "QUESTION_ANS";
    case Head::Seq2seq:
        return "SEQ_2_SEQ_LM";
    case Head::Language:
        return "CAUSAL_LM";
    default:
        return nullptr;
    }
}

/* An adapter that changes nothing yet. */
std::shared_ptr<Lora> new_lora(Model &model, const alcore_sys_model_training &how) {
    if (model.random || model.weights_hash != model.opened_hash || !model.adapter.empty())
        fail(ALCORE_E_UNSUPPORTED,
             "%s: an adapter belongs to the weights of a folder, and these were %s; save the model "
             "and open what was saved",
             model.folder.c_str(), model.random ? "drawn at random" : "trained since");
    const double alpha = how.lora_alpha > 0 ? how.lora_alpha : ALPHA;
    const std::vector<size_t> targets = chosen_targets(model, how.lora_targets);
    auto lora = std::make_shared<Lora>();
    for (size_t target : targets) {
        const Stored &stored = model.stored[target];
        const std::string module = module_of(model, stored);
        const int64_t rank = how.lora_rank, rows = stored.view.size(0),
                      columns = stored.view.size(1);
        const bool table = target == words_alone(model);
        at::Generator draws =
            at::detail::createCPUGenerator(hash_join(how.seed, text_hash(module)));
        at::Tensor a = at::zeros({rank, table ? rows : columns}, at::kFloat),
                   b = at::zeros({table ? columns : rows, rank}, at::kFloat);
        const double bound = 1 / std::sqrt(static_cast<double>(columns));
        if (table)
            b.normal_(0, 1, draws);
        else
            a.uniform_(-bound, bound, draws);
        lora->factors.push_back({module, target, a.to(model.device), b.to(model.device),
                                 alpha / static_cast<double>(rank), table});
    }
    std::set<std::string> saved;
    for (size_t i = 0; i < model.stored.size(); i++)
        if (const char *module = saved_module(model, model.stored[i])) {
            saved.insert(module);
            lora->whole.emplace_back(model.stored[i].name, i);
        }
    Json whole(saved.empty() ? json_null() : json_array(), json_decref);
    for (const std::string &module : saved)
        json_array_append_new(whole.get(), json_string(module.c_str()));
    lora->config = Json(
        json_pack(
            "{s:{}, s:n, s:s, s:n, s:b, s:b, s:b, s:n, s:n, s:o, s:n, s:O, s:s, s:I, s:{}, s:O, "
            "s:s?, s:b, s:b}",
            "alpha_pattern", "base_model_name_or_path", "bias", "none", "exclude_modules",
            "fan_in_fan_out", 0, "inference_mode", 1, "init_lora_weights", 1, "layers_pattern",
            "layers_to_transform", "lora_alpha",
            alpha == std::floor(alpha) ? json_integer(static_cast<json_int_t>(alpha))
                                       : ::json_real(alpha),
            "lora_dropout", "modules_to_save", whole.get(), "peft_type", "LORA", "r",
            static_cast<json_int_t>(how.lora_rank), "rank_pattern", "target_modules",
            written_targets(model, targets).get(), "task_type", task_of(model), "use_dora", 0,
            "use_rslora", 0),
        json_decref);
    return lora;
}

/* The index of the tensor of a model that an adapter names; fails where there is none that is
 * trained. */
size_t stored_of(const Model &model, const std::string &name) {
    for (size_t i = 0; i < model.stored.size(); i++)
        if (model.stored[i].name == name ||
            module_of(model, model.stored[i]) + name.substr(name.rfind('.')) == name)
            return i;
    fail(ALCORE_E_UNSUPPORTED, "%s: the tensor %s is not trained here", model.adapter.c_str(),
         name.c_str());
}

/* The adapter that the model was opened with, of its folder. */
std::shared_ptr<Lora> opened_lora(Model &model) {
    Adapter adapter(model.host, model.adapter);
    auto lora = std::make_shared<Lora>();
    lora->config = adapter.trained_config();
    const std::vector<size_t> blocks = block_matrices(model);
    for (const Adapter::Factors &factors : adapter.factors()) {
        const size_t target = stored_of(model, factors.module + ".weight");
        if (factors.table ? target != words_alone(model)
                          : !std::binary_search(blocks.begin(), blocks.end(), target))
            fail(ALCORE_E_UNSUPPORTED,
                 "%s: factors of %s are not trained here, which is no matrix of a block nor the "
                 "table of words",
                 model.adapter.c_str(), factors.module.c_str());
        lora->factors.push_back({factors.module, target, factors.a.to(model.device),
                                 factors.b.to(model.device), factors.scale, factors.table});
    }
    for (const std::string &name : adapter.saved())
        lora->whole.emplace_back(name, stored_of(model, name));
    return lora;
}

/* Fails unless what is asked for is what the adapter has; what is not given is as there. */
void check_same(Model &model, const Lora &lora, const alcore_sys_model_training &how) {
    const Keys keys(lora.config, "the adapter that is trained further");
    if (keys.integer("r", 8) != how.lora_rank)
        fail(ALCORE_E_INVALID, "lora_rank is %lld; the adapter that is trained further has %lld",
             static_cast<long long>(how.lora_rank), static_cast<long long>(keys.integer("r", 8)));
    if (how.lora_alpha > 0 && keys.real("lora_alpha", ALPHA) != how.lora_alpha)
        fail(ALCORE_E_INVALID, "lora_alpha is %g; the adapter that is trained further has %g",
             how.lora_alpha, keys.real("lora_alpha", ALPHA));
    if (how.lora_targets == nullptr) return;
    std::vector<size_t> has;
    for (const Lora::Factors &factors : lora.factors) has.push_back(factors.stored);
    std::sort(has.begin(), has.end());
    if (chosen_targets(model, how.lora_targets) != has)
        fail(ALCORE_E_INVALID,
             "lora_targets '%s' are not the modules of the adapter that is trained further; leave "
             "them out",
             how.lora_targets);
}

} // namespace

LoraTraining::LoraTraining(Model &model, const alcore_sys_model_training &how) : model_(model) {
    for (std::string_view family : UNNAMED)
        if (model.family == family)
            fail(ALCORE_E_UNSUPPORTED,
                 "adapters of %s models are not trained here, since PEFT would not find their "
                 "modules",
                 model.family.c_str());
    if (how.lora_dropout > 0 && model.encoder.disentangled)
        fail(ALCORE_E_UNSUPPORTED,
             "lora_dropout is 0 for %s models, whose projections read distances too",
             model.family.c_str());
    const bool again = model.lora != nullptr ||
                       (!model.adapter.empty() && model.weights_hash == model.opened_hash);
    if (model.lora) {
        lora_ = std::make_shared<Lora>(*model.lora);
        lora_->config = Json(json_copy(lora_->config.get()), json_decref);
        for (Lora::Factors &factors : lora_->factors) {
            factors.a = factors.a.clone();
            factors.b = factors.b.clone();
        }
    } else {
        lora_ = again ? opened_lora(model) : new_lora(model, how);
    }
    if (!lora_->config) throw std::bad_alloc();
    if (again) check_same(model, *lora_, how);
    json_t *config = lora_->config.get();
    if (json_object_set_new(config, "lora_dropout", ::json_real(how.lora_dropout)) != 0 ||
        json_object_set_new(config, "base_model_name_or_path",
                            json_string(real_path(model.folder).c_str())) != 0)
        throw std::bad_alloc();
    std::vector<std::pair<Linear *, std::shared_ptr<LowRank>>> beside;
    for_matrices(model, [&](Linear &linear) {
        auto own = std::make_shared<LowRank>();
        own->rows = linear.weight.size(0);
        int64_t row = 0;
        for (size_t i : rows_of(model, linear.weight)) {
            const int64_t rows = model.stored[i].view.size(0);
            for (const Lora::Factors &factors : lora_->factors)
                if (factors.stored == i && !factors.table)
                    own->parts.push_back({row, rows, factors.a, factors.b, factors.scale});
            row += rows;
        }
        if (!own->parts.empty()) beside.emplace_back(&linear, std::move(own));
    });
    std::shared_ptr<LowRankTable> words;
    for (const Lora::Factors &factors : lora_->factors)
        if (factors.table)
            words =
                std::make_shared<LowRankTable>(LowRankTable{factors.a, factors.b, factors.scale});
    if (again) separate();
    for (auto &[linear, own] : beside) linear->low_rank = std::move(own);
    model.encoder.low_rank = std::move(words);
    for (Stack *stack : stacks_of(model)) stack->dropout.low_rank = how.lora_dropout;
}

/* Without a merge, as after a failure, the factors stay beside the weights. */
LoraTraining::~LoraTraining() {
    for (Stack *stack : stacks_of(model_)) stack->dropout.low_rank = 0;
}

/* Gives the matrices the values of the base again, all of them or, where a file cannot be read,
 * none. */
void LoraTraining::separate() {
    Weights base(model_.host, model_.folder);
    std::vector<at::Tensor> values;
    for (const Lora::Factors &factors : lora_->factors) {
        const Stored &stored = model_.stored[factors.stored];
        values.push_back(base.read(stored.name, stored.view.sizes().vec(), at::kFloat));
        if (tensor_hash(values.back()) != stored.hash)
            fail(ALCORE_E_DATA,
                 "%s: the tensor %s is not the one with which the model was opened, of this folder "
                 "or of its adapter",
                 model_.folder.c_str(), stored.name.c_str());
    }
    c10::NoGradGuard no_gradients;
    for (size_t i = 0; i < values.size(); i++)
        model_.stored[lora_->factors[i].stored].view.copy_(values[i]);
}

std::vector<Parameter> LoraTraining::parameters() const {
    std::vector<Parameter> out;
    const auto add = [&](const std::string &name, const at::Tensor &value) {
        out.push_back({name, value, at::zeros_like(value), at::zeros_like(value), value.dim() > 1});
    };
    for (const Lora::Factors &factors : lora_->factors) {
        add(factors.name_a(), factors.a);
        add(factors.name_b(), factors.b);
    }
    for (const auto &[name, i] : lora_->whole) add(name, model_.stored[i].whole);
    return out;
}

int64_t LoraTraining::factors_size() const {
    int64_t size = 0;
    for (const Lora::Factors &factors : lora_->factors)
        size += factors.a.numel() + factors.b.numel();
    return size;
}

/* The sum is that of Adapter::add(), to the last bit, so that a model that is saved and opened
 * again is the same. */
void merge_factors(Model &model) {
    c10::NoGradGuard no_gradients;
    for_matrices(model, [&](Linear &linear) {
        if (!linear.low_rank) return;
        std::vector<at::Tensor> places, values;
        for (const LowRank::Part &part : linear.low_rank->parts) {
            places.push_back(linear.weight.narrow(0, part.row, part.rows));
            values.push_back(at::mm(part.b, part.a).mul_(part.scale).add_(places.back()));
        }
        for (size_t i = 0; i < places.size(); i++) places[i].copy_(values[i]);
        for_matrices(model, [&](Linear &other) { /* blocks may share a matrix */
                                                 if (other.weight.is_same(linear.weight))
                                                     other.low_rank = nullptr;
        });
    });
    if (const std::shared_ptr<const LowRankTable> own = model.encoder.low_rank) {
        at::Tensor &words = model.encoder.words;
        words.copy_(at::mm(own->a.t(), own->b.t()).mul_(own->scale).add_(words));
        model.encoder.low_rank = nullptr;
    }
}

std::string lora_settings(const Lora &lora) {
    Json config(json_copy(lora.config.get()), json_decref);
    json_object_del(config.get(), "base_model_name_or_path");
    const std::unique_ptr<char, decltype(&std::free)> text(
        json_dumps(config.get(), JSON_COMPACT | JSON_SORT_KEYS), std::free);
    if (!text) throw std::bad_alloc();
    return text.get();
}

void save_lora(const Model &model, const std::string &folder) {
    const Host &host = model.host;
    const Lora &lora = *model.lora;
    if (has_weights(host, folder))
        fail(ALCORE_E_INVALID,
             "%s holds the weights of a model, beside which an adapter would not be read; save the "
             "adapter to another folder",
             folder.c_str());
    check(host.table->folder_make(host.user, folder.c_str()));
    std::vector<Written> tensors;
    const auto add = [&](const std::string &name, const at::Tensor &value) {
        tensors.push_back({"base_model.model." + name, at::kFloat, value.sizes().vec(),
                           [value] { return value.detach(); }});
    };
    for (const Lora::Factors &factors : lora.factors) {
        add(factors.name_a(), factors.a);
        add(factors.name_b(), factors.b);
    }
    for (const auto &[name, i] : lora.whole) add(name, model.stored[i].view);
    write_tensors(host, folder + "/adapter_model.safetensors", std::move(tensors));
    const std::unique_ptr<char, decltype(&std::free)> text(
        json_dumps(lora.config.get(), JSON_INDENT(2)), std::free); /* patterns keep their order */
    if (!text) throw std::bad_alloc();
    write_text(host, folder + "/adapter_config.json", text.get() + std::string("\n"));
}

} // namespace alcore_torch
