/* SPDX-License-Identifier: Apache-2.0 */
/* Training: the order of examples, schedules, gradient clipping, AdamW and Adam.
 *
 * State and what is true of it at every moment that a call can end:
 *
 *     weights, moments   those after `update` updates; an update changes them in one go, in which
 *                        nothing fails or asks for cancellation
 *     epoch, pass        the first pass that no finished update has read
 *     scale, steady      of losses, with float16; `moved` counts the updates that changed weights
 *
 * Nothing else is carried from one update to the next: the order of examples is computed from seed
 * and epoch, and dropout from seed, update, pass and example. So a training that goes on from a
 * checkpoint computes what it would have computed.
 *
 * AdamW (Loshchilov and Hutter 2019): decay is decoupled. Adam (Kingma and Ba 2015) adds decay
 * times the weight to the gradient, after clipping. Only matrices decay, embeddings included. The
 * gradient is scaled by clip / (its norm + 1e-6) where that is below 1.
 *
 * Memory: 16 bytes a parameter that is trained (weights, gradient, two moments), the gradient of
 * the embeddings once more, and what autograd keeps of a pass: about 4 blocks (20 dims + 4 ffn +
 * heads length) bytes a token without dropout. */
#include <chrono>
#include <cmath>
#include <iomanip>
#include <locale>
#include <set>
#include <sstream>

#include "torch_language.h"
#include "torch_lora.h"

namespace alcore_torch {

namespace {

/* float16: updates in a row that move the weights before the scale is doubled, as PyTorch's
 * GradScaler has it; the scale below which a gradient that is not finite ends the training; and
 * what the losses of a pass of batch_tokens tokens are multiplied by at first. */
constexpr int64_t STEADY = 2000;
constexpr double SMALLEST_SCALE = 1.0 / (1 << 24), FIRST_SCALE = 1 << 16;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/* ---- settings ---- */

/* Fails unless the labels of each example are the first and the last token of an answer, or there
 * are none. */
void check_answers(const alcore_sys_model_training &how) {
    const alcore_sys_model_texts &texts = *how.sources;
    if (texts.types == nullptr)
        fail(ALCORE_E_INVALID,
             "question answering needs the types of tokens: 0 in the question, 1 in the text");
    for (int64_t i = 0; i < texts.count; i++) {
        int64_t first = how.labels[2 * i], last = how.labels[2 * i + 1],
                length = length_of(texts, i), from = texts.offsets[i];
        if (first == -100 && last == -100) continue;
        if (first < 0 || last < first || last >= length || !may_answer(texts, from + first) ||
            !may_answer(texts, from + last))
            fail(ALCORE_E_DATA,
                 "example %lld: its answer is from token %lld to %lld, which is no part of the "
                 "text and not marked as \"no answer\"; -100 and -100 are allowed",
                 static_cast<long long>(i), static_cast<long long>(first),
                 static_cast<long long>(last));
    }
}

/* Fails unless the labels fit the head. */
void check_labels(const Model &model, const alcore_sys_model_training &how) {
    if (how.labels == nullptr)
        fail(ALCORE_E_INVALID, "training a %s model with this head needs labels",
             model.family.c_str());
    if (model.head == Head::Answers) return check_answers(how);
    int64_t classes = model.head_out.weight.size(0);
    const alcore_sys_model_texts &texts = *how.sources;
    int64_t count = model.head == Head::Classes ? texts.count : texts.offsets[texts.count];
    for (int64_t i = 0; i < count; i++)
        if (how.labels[i] != -100 && (how.labels[i] < 0 || how.labels[i] >= classes))
            fail(ALCORE_E_DATA, "label %lld is %lld; 0 to %lld and -100 are allowed",
                 static_cast<long long>(i), static_cast<long long>(how.labels[i]),
                 static_cast<long long>(classes - 1));
}

/* Fails unless the examples fit the model. */
void check_examples(const Model &model, const alcore_sys_model_training &how) {
    if (how.sources == nullptr || how.sources->count < 1)
        fail(ALCORE_E_INVALID, "a training needs examples");
    if (model.head == Head::Language)
        check_language(model, *how.sources, how.targets);
    else
        check_texts(model, *how.sources, model.encoder.words.size(0));
    if (model.head == Head::Seq2seq) {
        if (how.targets == nullptr || how.targets->count != how.sources->count)
            fail(ALCORE_E_INVALID, "training a %s model needs a target for each source",
                 model.family.c_str());
        check_texts(model, *how.targets, model.vocabulary);
    } else if (model.head != Head::Language) {
        check_labels(model, how);
    }
    for (int64_t i = 0; how.weights != nullptr && i < how.sources->count; i++)
        if (!(how.weights[i] > 0) || !std::isfinite(how.weights[i]))
            fail(ALCORE_E_DATA, "the weight of example %lld is not a number above 0",
                 static_cast<long long>(i));
}

/* Checks the caller's settings and fills in the defaults, except for `updates`, whose default is
 * the number of updates of one epoch. */
alcore_sys_model_training checked(const Model &model, const alcore_sys_model_training &given) {
    alcore_sys_model_training how = given;
    if (model.head == Head::None)
        fail(ALCORE_E_UNSUPPORTED, "the %s model has no head that the torch module trains",
             model.family.c_str());
    if (model.class_values != ClassValues::Softmax)
        fail(ALCORE_E_UNSUPPORTED,
             "%s: heads whose labels are %s (problem_type of config.json, or one label) are not "
             "trained here, since references and labels name one class of several; train it with "
             "transformers, or give config.json problem_type \"single_label_classification\" and "
             "the head two classes",
             model.folder.c_str(),
             model.class_values == ClassValues::Plain ? "values of a regression" : "independent");
    if (number_type(model) != at::kFloat)
        fail(ALCORE_E_UNSUPPORTED,
             "the weights of a model that is trained are float32; open the folder so, and choose "
             "the type of the products with the option dtype of the training");
    for (double number : {how.rate, how.weight_decay, how.clip, how.epsilon})
        if (!(number >= 0) || !std::isfinite(number))
            fail(ALCORE_E_INVALID, "rate, weight_decay, clip and epsilon are numbers from 0 on");
    for (double share : {how.beta1, how.beta2, how.label_smoothing})
        if (!(share >= 0 && share < 1))
            fail(ALCORE_E_INVALID, "beta1, beta2 and label_smoothing are from 0 on and below 1");
    if (how.updates < 0 || how.warmup < 0 || how.accumulate < 0 || how.batch_tokens < 0 ||
        how.checkpoint_every < 0)
        fail(ALCORE_E_INVALID,
             "updates, warmup, accumulate, batch_tokens and checkpoint_every are 0 or more");
    if (how.schedule < 0 || how.schedule > ALCORE_SYS_SCHEDULE_COSINE)
        fail(ALCORE_E_INVALID, "schedule %d is not known", how.schedule);
    if (how.optimizer < 0 || how.optimizer > ALCORE_SYS_OPTIMIZER_ADAM)
        fail(ALCORE_E_INVALID, "optimizer %d is not known", how.optimizer);
    if (how.dtype != 0 && how.dtype != ALCORE_FLOAT32 && how.dtype != ALCORE_BFLOAT16 &&
        how.dtype != ALCORE_FLOAT16)
        fail(ALCORE_E_INVALID, "products are float32, bfloat16 or float16; the type %d is none",
             how.dtype);
    if (how.lora_rank < 0 || how.lora_rank > 1 << 16 || !(how.lora_alpha >= 0) ||
        !std::isfinite(how.lora_alpha) || !(how.lora_dropout >= 0 && how.lora_dropout < 1))
        fail(ALCORE_E_INVALID,
             "lora_rank is 0 to 65536, lora_alpha a number from 0 on, lora_dropout below 1");
    check_examples(model, how);
    if (how.rate == 0) how.rate = 5e-5;
    if (how.epsilon == 0) how.epsilon = 1e-8;
    if (how.accumulate == 0) how.accumulate = 1;
    if (how.batch_tokens == 0) how.batch_tokens = model.batch_tokens;
    return how;
}

/* ---- order ---- */

/* Random numbers by splitmix64 (Steele et al. 2014). */
struct Random {
    uint64_t state; /* the seed at first */
    /* Uniform in 0 .. limit - 1: the upper half of a product of 128 bits. */
    uint64_t below(uint64_t limit) {
        uint64_t x = state += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
        return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * limit) >> 64);
    }
    /* Shuffles the values from index `from` on (Fisher and Yates). */
    template <class T> void shuffle(std::vector<T> &values, size_t from) {
        for (size_t i = values.size(); i > from + 1; i--)
            std::swap(values[i - 1], values[from + below(i - from)]);
    }
};

/* Tokens of an example, source and target. */
int64_t cost_of(const alcore_sys_model_training &how, int64_t example) {
    return length_of(*how.sources, example) +
           (how.targets == nullptr ? 0 : length_of(*how.targets, example));
}

} // namespace

/* The passes of an epoch: examples are shuffled and cut into windows of 32 passes; in a window they
 * are sorted by length, since attention is computed for texts of one length together, cut into
 * passes of at most batch_tokens tokens (one example may have more), and the passes are shuffled.
 */
std::vector<std::vector<int64_t>> passes_of(const alcore_sys_model_training &how, int64_t epoch) {
    enum { WINDOW = 32 };
    std::vector<int64_t> order(static_cast<size_t>(how.sources->count));
    for (size_t i = 0; i < order.size(); i++) order[i] = static_cast<int64_t>(i);
    Random random{hash_join(how.seed, static_cast<uint64_t>(epoch))};
    random.shuffle(order, 0);
    auto longer = [&](int64_t a, int64_t b) {
        int64_t x = length_of(*how.sources, a), y = length_of(*how.sources, b);
        return x != y ? x > y : cost_of(how, a) > cost_of(how, b);
    };
    std::vector<std::vector<int64_t>> passes;
    for (size_t from = 0, to = 0; from < order.size(); from = to) {
        for (int64_t tokens = 0; to < order.size() && tokens < WINDOW * how.batch_tokens; to++)
            tokens += cost_of(how, order[to]);
        std::stable_sort(order.begin() + static_cast<ptrdiff_t>(from),
                         order.begin() + static_cast<ptrdiff_t>(to), longer);
        size_t first = passes.size();
        int64_t tokens = 0;
        for (size_t i = from; i < to; i++) {
            int64_t cost = cost_of(how, order[i]);
            if (i == from || tokens + cost > how.batch_tokens) {
                passes.emplace_back();
                tokens = 0;
            }
            passes.back().push_back(order[i]);
            tokens += cost;
        }
        random.shuffle(passes, first);
    }
    return passes;
}

namespace {

/* ---- parameters ---- */

/* Switches the gradients of all parameters on, and off again with nothing of them left. */
class Gradients {
  public:
    explicit Gradients(const std::vector<Parameter> &parameters) : parameters_(parameters) {
        for (const Parameter &p : parameters_) p.value.set_requires_grad(true);
    }
    ~Gradients() {
        clear();
        for (const Parameter &p : parameters_) p.value.set_requires_grad(false);
    }
    Gradients(const Gradients &) = delete;
    Gradients &operator=(const Gradients &) = delete;
    void clear() const {
        for (const Parameter &p : parameters_) p.value.mutable_grad().reset();
    }

  private:
    const std::vector<Parameter> &parameters_;
};

/* Every tensor of the model that can be trained, once, in the order of reading. */
std::vector<const Stored *> trainable(const Model &model) {
    std::vector<const Stored *> out;
    std::set<const void *> seen;
    for (const Stored &stored : model.stored)
        if (!stored.constant && seen.insert(stored.whole.unsafeGetTensorImpl()).second)
            out.push_back(&stored);
    return out;
}

std::vector<Parameter> parameters_of(const Model &model) {
    std::vector<Parameter> out;
    for (const Stored *stored : trainable(model))
        out.push_back({stored->name, stored->whole, at::zeros_like(stored->whole),
                       at::zeros_like(stored->whole), stored->whole.dim() > 1});
    return out;
}

/* Step size of an update, counted from 1. It rises to how.rate in a straight line over the warmup;
 * share: what part of the updates after that is done, from 0 on and below 1. INVERSE_SQRT: Vaswani
 * et al. 2017. */
double rate_of(const alcore_sys_model_training &how, int64_t update) {
    double number = static_cast<double>(update), warmup = static_cast<double>(how.warmup);
    if (update <= how.warmup) return how.rate * number / warmup;
    double share = (number - 1 - warmup) / static_cast<double>(how.updates - how.warmup);
    switch (how.schedule) {
    case ALCORE_SYS_SCHEDULE_LINEAR:
        return how.rate * (1 - share);
    case ALCORE_SYS_SCHEDULE_INVERSE_SQRT:
        return how.rate * std::sqrt(std::max(warmup, 1.0) / number);
    case ALCORE_SYS_SCHEDULE_COSINE:
        return how.rate * (1 + std::cos(M_PI * share)) / 2;
    default:
        return how.rate;
    }
}

/* A power of two by which float16 losses are multiplied at first, other losses 1. Losses are sums
 * over the tokens of a pass, of which batch_tokens is about the number. */
double first_scale(const alcore_sys_model_training &how) {
    if (how.dtype != ALCORE_FLOAT16) return 1;
    return std::exp2(std::floor(std::log2(FIRST_SCALE / static_cast<double>(how.batch_tokens))));
}

/* What a float16 update does to the scale. moved: its gradient was finite. */
void change_scale(Position &at, bool moved) {
    at.steady = moved ? at.steady + 1 : 0;
    if (!moved) at.scale /= 2;
    if (at.steady < STEADY) return;
    at.scale *= 2;
    at.steady = 0;
}

/* Changes all parameters that have a gradient by one step of the optimizer. weight: the sum of the
 * weights of the examples, by which the gradient is divided, as by the scale of the losses; 0: no
 * example had a label. When the gradient is not finite, nothing is changed: float16 returns false,
 * if the scale can be halved; others throw. The tensors of `all` and `gradients` are the gradients
 * of the parameters themselves, which are scaled in place. step: the number of this change, from 1,
 * for the correction of the moments' bias; the last arguments of the optimizers: no AMSGrad, and
 * not to maximize. */
bool move_weights(const Training &training, double weight) {
    const alcore_sys_model_training &how = training.how;
    c10::NoGradGuard no_gradients;
    int64_t update = training.at.update + 1;
    /* [0]: parameters that decay; [1]: the others. */
    std::vector<at::Tensor> values[2], gradients[2], first[2], second[2], steps[2], all;
    at::Tensor step = at::full({}, static_cast<double>(training.at.moved + 1),
                               at::TensorOptions().dtype(at::kFloat).device(training.model.device));
    for (const Parameter &p : training.parameters) {
        if (!p.value.grad().defined()) continue;
        size_t group = p.decays ? 0 : 1;
        values[group].push_back(p.value);
        gradients[group].push_back(p.value.grad());
        first[group].push_back(p.first);
        second[group].push_back(p.second);
        steps[group].push_back(step);
        all.push_back(p.value.grad());
    }
    if (all.empty()) return true;
    at::_foreach_mul_(all, weight > 0 ? 1 / (weight * training.at.scale) : 0.0);
    double norm = at::stack(at::_foreach_norm(all, 2)).norm().item<double>();
    if (!std::isfinite(norm) && how.dtype == ALCORE_FLOAT16 && training.at.scale > SMALLEST_SCALE)
        return false;
    if (!std::isfinite(norm))
        fail(ALCORE_E_DATA,
             "update %lld: the gradient is not finite; a smaller rate or a longer warmup may help. "
             "The weights are those of the update before",
             static_cast<long long>(update));
    if (how.clip > 0 && how.clip < norm + 1e-6) at::_foreach_mul_(all, how.clip / (norm + 1e-6));
    double rate = rate_of(how, update);
    for (size_t group = 0; group < 2; group++) {
        if (values[group].empty()) continue;
        double decay = group == 0 ? how.weight_decay : 0.0;
        if (how.optimizer == ALCORE_SYS_OPTIMIZER_ADAM)
            at::_fused_adam_(values[group], gradients[group], first[group], second[group], {},
                             steps[group], rate, how.beta1, how.beta2, decay, how.epsilon, false,
                             false);
        else
            at::_fused_adamw_(values[group], gradients[group], first[group], second[group], {},
                              steps[group], rate, how.beta1, how.beta2, decay, how.epsilon, false,
                              false);
    }
    return true;
}

/* ---- the loop ---- */

/* Logs loss, speed and the time that is left, every ten seconds and at the end. */
struct Reporter {
    const Host &host;
    Clock::time_point start = Clock::now();
    int64_t updates = 0; /* of this call, without those before its checkpoint */
    double said = 0;     /* seconds from the start to the last line of the log */
    void after_update(const Training &training, int64_t tokens) {
        const Position &at = training.at;
        updates++;
        double now = seconds_since(start);
        bool last = at.update == training.how.updates;
        if (now - said >= 10 || last) {
            std::ostringstream text;
            said = now;
            text.imbue(std::locale::classic()); /* not the host's, which may have a decimal comma */
            text << std::fixed << "update " << at.update << " of " << training.how.updates
                 << ": loss " << std::setprecision(4) << at.loss << ", " << std::setprecision(0)
                 << static_cast<double>(tokens) / std::max(now, 1e-9) << " tokens/s, "
                 << now / static_cast<double>(updates) *
                        static_cast<double>(training.how.updates - at.update)
                 << " s left";
            host.log(text.str());
        }
        host.tick("training", at.update, training.how.updates);
    }
};

/* Logs how many of the parameters an adapter trains. */
void tell_size(const Host &host, const alcore_sys_model_trained &size) {
    std::ostringstream text;
    text.imbue(std::locale::classic()); /* not the host's, which may have a decimal comma */
    text << "the adapter trains " << size.trained_parameters << " of " << size.parameters
         << " parameters (" << std::fixed << std::setprecision(4)
         << 100 * static_cast<double>(size.trained_parameters) /
                static_cast<double>(size.parameters)
         << " %)";
    host.log(text.str());
}

/* The examples of a pass in parts of at most the tokens that the model computes at once, whose
 * gradients add up to that of the pass. */
std::vector<std::vector<int64_t>> parts_of(const Training &training,
                                           const std::vector<int64_t> &pass) {
    std::vector<std::vector<int64_t>> parts;
    int64_t tokens = 0;
    for (int64_t example : pass) {
        int64_t cost = cost_of(training.how, example);
        if (parts.empty() || tokens + cost > training.model.most_tokens) {
            parts.emplace_back();
            tokens = 0;
        }
        parts.back().push_back(example);
        tokens += cost;
    }
    return parts;
}

/* One update: adds up the gradients of the next passes, of one epoch only, and changes the weights.
 * passes: those of the epoch of training.at. tokens: grows by the tokens that were read. The parts
 * of a pass have one seed, as each example draws for itself. training.at changes last, so that it
 * is what it was when something throws. */
void make_update(Training &training, const Gradients &gradients,
                 const std::vector<std::vector<int64_t>> &passes, int64_t &tokens) {
    Position next = training.at;
    Sums sums;
    uint64_t seed = hash_join(training.how.seed, static_cast<uint64_t>(next.update));
    gradients.clear();
    int64_t count = static_cast<int64_t>(passes.size());
    for (int64_t i = 0; i < training.how.accumulate && next.pass < count; i++, next.pass++) {
        for (const std::vector<int64_t> &part :
             parts_of(training, passes[static_cast<size_t>(next.pass)])) {
            Sums own = add_gradients(training.model, training.how, part,
                                     hash_join(seed, static_cast<uint64_t>(i)), next.scale);
            sums.loss += own.loss;
            sums.weight += own.weight;
            tokens += own.tokens;
        }
    }
    bool moved = move_weights(training, sums.weight);
    training.model.packed.clear(); /* after an earlier update: move_weights() is not counted */
    if (moved) next.moved++;
    if (training.how.dtype == ALCORE_FLOAT16) change_scale(next, moved);
    next.update++;
    next.loss = sums.weight > 0 ? sums.loss / sums.weight : 0;
    if (next.pass == count) {
        next.epoch++;
        next.pass = 0;
    }
    training.at = next;
}

/* Tells the caller how many updates are finished. Returns whether the caller ends the training.
 * What the caller computes on the model runs in a guard() of its own (torch_guard.cpp), without
 * gradients. */
bool ends_here(const Training &training) {
    const alcore_sys_model_training &how = training.how;
    int32_t stop = 0;
    if (how.after_update != nullptr)
        check(how.after_update(how.user, training.at.update, how.updates, &stop));
    return stop != 0;
}

} // namespace

at::ScalarType products_type(const alcore_sys_model_training &how) {
    return how.dtype == ALCORE_BFLOAT16  ? at::kBFloat16
           : how.dtype == ALCORE_FLOAT16 ? at::kHalf
                                         : at::kFloat;
}

/* Autocast remembers copies of weights, which would be of use in one place alone here, and wrong
 * ones where blocks are computed twice: they are switched off. */
PrecisionScope::PrecisionScope(at::Device device, at::ScalarType dtype)
    : active_(dtype != at::kFloat), kind_(device.type()) {
    if (!active_) return;
    enabled_ = at::autocast::is_autocast_enabled(kind_);
    before_ = at::autocast::get_autocast_dtype(kind_);
    cached_ = at::autocast::is_autocast_cache_enabled();
    at::autocast::set_autocast_enabled(kind_, true);
    at::autocast::set_autocast_dtype(kind_, dtype);
    at::autocast::set_autocast_cache_enabled(false);
}

PrecisionScope::~PrecisionScope() {
    if (!active_) return;
    at::autocast::set_autocast_enabled(kind_, enabled_);
    at::autocast::set_autocast_dtype(kind_, before_);
    at::autocast::set_autocast_cache_enabled(cached_);
}

void train_model(Model &model, const alcore_sys_model_training &given,
                 alcore_sys_model_trained &out) {
    Clock::time_point start = Clock::now();
    Training training{model, checked(model, given), nullptr, {}, {}};
    alcore_sys_model_training &how = training.how;
    model.packed.clear();
    merge_factors(model); /* which a training left that could not merge them */
    std::optional<LoraTraining> adapter;
    if (how.lora_rank > 0) {
        adapter.emplace(model, how);
        training.lora = adapter->lora();
    }
    const std::shared_ptr<const Lora> before = std::exchange(model.lora, training.lora);
    std::vector<std::vector<int64_t>> passes;
    Reporter reporter{model.host};
    bool changed = false;
    auto finish = [&] {
        out.updates = training.at.update;
        out.loss = training.at.loss;
        out.seconds = seconds_since(start);
        merge_factors(model);
        if (!changed) {
            model.lora = before;
            return;
        }
        model.weights_hash = 0;
        for (const Stored &stored : model.stored)
            model.weights_hash = hash_join(model.weights_hash, tensor_hash(stored.view));
    };
    try {
        training.parameters = adapter ? adapter->parameters() : parameters_of(model);
        out.parameters = adapter ? adapter->factors_size() : 0;
        for (const Stored *stored : trainable(model)) out.parameters += stored->whole.numel();
        for (const Parameter &p : training.parameters) out.trained_parameters += p.value.numel();
        if (adapter) tell_size(model.host, out);
        passes = passes_of(how, 0);
        if (how.updates == 0)
            how.updates =
                (static_cast<int64_t>(passes.size()) + how.accumulate - 1) / how.accumulate;
        training.at.scale = first_scale(how);
        changed = how.checkpoints != nullptr && read_checkpoint(training);
        Gradients gradients(training.parameters);
        bool ended = ends_here(training);
        for (int64_t epoch = 0; training.at.update < how.updates && !ended;) {
            if (training.at.epoch != epoch) passes = passes_of(how, epoch = training.at.epoch);
            make_update(training, gradients, passes, out.tokens);
            changed = true;
            ended = ends_here(training);
            bool last = ended || training.at.update == how.updates;
            if (how.checkpoints != nullptr &&
                (last ||
                 (how.checkpoint_every > 0 && training.at.update % how.checkpoint_every == 0)))
                write_checkpoint(training);
            reporter.after_update(training, out.tokens);
        }
    } catch (...) {
        finish();
        throw;
    }
    finish();
}

} // namespace alcore_torch
