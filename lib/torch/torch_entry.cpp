/* SPDX-License-Identifier: Apache-2.0 */
/* The torch module's only entry, its table, and guard(), in which every call runs.
 *
 * The process may be somebody else's PyTorch program. Therefore guard() turns every exception into
 * a status, sets gradients, autocast and the number of threads for the call, and restores them
 * afterwards, also after a failure. Random numbers are drawn from generators of the call, never
 * from that of the process.
 *
 * Calls over many texts sort them by length, cut the sorted list into batches by a budget of
 * tokens, and pass each item's result to the sink with the item's number in the call. */
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>

#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include "torch_linear.h"

/* "MAJOR.MINOR" of the torch whose headers this was compiled with. */
#define TEXT_OF(x) #x
#define NUMBER(x) TEXT_OF(x)
#define BUILT_FOR NUMBER(TORCH_VERSION_MAJOR) "." NUMBER(TORCH_VERSION_MINOR)

using namespace alcore_torch;

/* The handle of the C interface is the model itself. */
struct alcore_sys_model : Model {};

/* The library's functions (errors, progress, files, threads), set by the entry before any call. */
static const alcore_sys_host *core;

/* The process that loaded the module, set by the entry as well. */
static pid_t loaded_by;

bool alcore_torch::is_forked() {
    return getpid() != loaded_by;
}

/* ---- failures ---- */

void alcore_torch::fail(alcore_status status, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    throw Failure{status, text};
}

void alcore_torch::check(alcore_status status) {
    if (status != ALCORE_OK) throw Failure{status, ""};
}

/* Sets the library's error text and returns status. */
static alcore_status report(alcore_status status, const std::string &text) {
    return core->set_error(status, text.data(), text.size());
}

/* torch's own errors: running out of memory is one of them and told by its text on the CPU. */
static alcore_status report_torch(const c10::Error &error) {
    std::string text = error.what_without_backtrace();
    bool memory = text.find("DefaultCPUAllocator") != std::string::npos ||
                  text.find("out of memory") != std::string::npos;
    return report(memory ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL, "torch: " + text);
}

/* ---- the surroundings of a call ---- */

namespace {

/* Sets torch's number of threads to that of the context (0: leaves it), and restores it in the
 * destructor. */
struct Threads {
    int before = at::get_num_threads();
    explicit Threads(int32_t count) {
        if (count > 0 && count != before) at::set_num_threads(count);
    }
    ~Threads() {
        if (at::get_num_threads() != before) at::set_num_threads(before);
    }
};

/* Passes what torch warns of, which would be written to standard error, to the library's log. torch
 * has one such object for each thread. */
struct LoggedWarnings : c10::WarningHandler {
    void *user; /* the first argument of the host's functions */
    explicit LoggedWarnings(void *user) : user(user) {}
    void process(const c10::Warning &warning) override {
        core->log(user, LOG_WARN, "torch", warning.msg().c_str());
    }
};

} // namespace

/* Every function of the table but info and close calls it. A Failure with an empty text is that of
 * a host function, which has set its own text. InferenceMode(false) also ends an inference mode of
 * the caller, and switches gradients on while the object exists. */
alcore_status alcore_torch::guard(void *user, at::Device device, Mode mode,
                                  const std::function<void()> &body) noexcept {
    try {
        c10::InferenceMode inference(mode == Mode::Compute);
        c10::AutoGradMode gradients(mode == Mode::Train);
        c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
        /* The threads of OpenMP do not live on in a forked child, which would wait for them forever
         * if it asked for more than one. */
        Threads threads(is_forked() ? 1 : core->threads(user));
        LoggedWarnings logged(user);
        c10::WarningUtils::WarningHandlerGuard warnings(&logged);
        c10::OptionalDeviceGuard current;
        if (!device.is_cpu()) current.reset_device(device);
        body();
        return ALCORE_OK;
    } catch (const Failure &failure) {
        return failure.text.empty() ? failure.status : report(failure.status, failure.text);
    } catch (const c10::OutOfMemoryError &error) {
        return report(ALCORE_E_NOMEM, error.what_without_backtrace());
    } catch (const c10::Error &error) {
        return report_torch(error);
    } catch (const std::bad_alloc &) {
        return report(ALCORE_E_NOMEM, "torch module: out of memory");
    } catch (const std::exception &error) {
        return report(ALCORE_E_INTERNAL, std::string("torch module: ") + error.what());
    } catch (...) {
        return report(ALCORE_E_INTERNAL, "torch module: an unknown exception");
    }
}

namespace {

/* guard() for calls on a model, which compute unless they say otherwise. */
alcore_status guard(const Model *model, const std::function<void()> &body,
                    Mode mode = Mode::Compute) noexcept {
    return alcore_torch::guard(model->host.user, model->device, mode, body);
}

/* ---- batches ---- */

/* Items of one pass, by their numbers in the call, sorted by length, and their tokens. */
struct Batch {
    std::vector<int64_t> items;
    Packed packed;
};

/* Tokens of all texts of a call; texts were checked. */
int64_t all_tokens(const alcore_sys_model_texts &texts) {
    return texts.count == 0 ? 0 : texts.offsets[texts.count] - texts.offsets[0];
}

/* for_batches() (torch_batch.cpp) for calls that read texts without targets: body(batch), the
 * longest texts first. The encoder's weights are packed where there are several batches. */
void for_texts(Model &model, const alcore_sys_model_texts &texts,
               const std::function<int64_t(int64_t)> &cost,
               const std::function<void(const Batch &)> &body) {
    check_texts(model, texts, model.encoder.words.size(0));
    PackedWeights packed;
    if (all_tokens(texts) > model.batch_tokens) packed.pack(model.host, model.encoder);
    for_batches(
        model, texts.count, cost,
        [&](int64_t a, int64_t b) { return length_of(texts, a) > length_of(texts, b); },
        [&](const std::vector<int64_t> &items) {
            body({items, pack(model, texts, items)});
        });
}
void for_texts(Model &model, const alcore_sys_model_texts &texts,
               const std::function<void(const Batch &)> &body) {
    for_texts(
        model, texts, [&](int64_t i) { return length_of(texts, i); }, body);
}

/* The same for decoding, which reads all weights of the decoder in every step, whatever the number
 * of items is: a batch has up to four times as many source tokens as others (never more than
 * model.most_tokens), and up to MOST_HYPOTHESES hypotheses. An item counts as its share of such a
 * batch, in units of model.batch_tokens. */
void for_sources(Model &model, const alcore_sys_model_texts &texts,
                 const alcore_sys_model_decoding &how,
                 const std::function<void(const Batch &)> &body) {
    constexpr double MOST_HYPOTHESES = 256;
    PackedWeights packed;
    if (texts.count > 0) {
        packed.pack(model.host, *model.decoder);
        packed.pack(model.host, model.head_out);
    }
    double unit = static_cast<double>(model.batch_tokens),
           tokens = std::min(4 * unit, static_cast<double>(model.most_tokens)),
           hypotheses = std::max({how.sample ? how.outputs : how.beams, 1});
    auto cost = [&](int64_t i) {
        double length = static_cast<double>(length_of(texts, i));
        return static_cast<int64_t>(
            std::ceil(unit * std::max(length / tokens, hypotheses / MOST_HYPOTHESES)));
    };
    for_texts(model, texts, cost, body);
}

/* Passes float values of items (numbers in the call) to the sink, which copies them: values [items,
 * ...] with lengths NULL, or [tokens, ...] with lengths [items], the tokens of each. */
void give(const alcore_sys_model_sink &sink, const std::vector<int64_t> &items,
          const at::Tensor &values, const std::vector<int64_t> *lengths) {
    at::Tensor plain = values.to(at::kCPU, at::kFloat).contiguous();
    std::vector<int64_t> shape = plain.sizes().vec();
    alcore_tensor tensor{};
    tensor.data = plain.data_ptr();
    tensor.device = {ALCORE_DEVICE_CPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = {ALCORE_KIND_FLOAT, 32, 1};
    tensor.shape = shape.data();
    check(sink.put(sink.user, items.data(), lengths == nullptr ? nullptr : lengths->data(),
                   static_cast<int64_t>(items.size()), &tensor));
}

/* The rows, int64, of those packed tokens of a batch for which wanted(item, token) is true. item is
 * the number of the item in the call, token the index of the token in texts.ids. lengths: out,
 * empty before, [items of the batch] how many each item has. */
at::Tensor some_tokens(const alcore_sys_model_texts &texts, const Batch &batch,
                       const std::function<bool(int64_t, int64_t)> &wanted,
                       std::vector<int64_t> &lengths) {
    std::vector<int64_t> rows;
    int64_t row = 0;
    for (int64_t item : batch.items) {
        int64_t count = 0;
        for (int64_t k = texts.offsets[item]; k < texts.offsets[item + 1]; k++, row++)
            if (wanted(item, k)) {
                rows.push_back(row);
                count++;
            }
        lengths.push_back(count);
    }
    return at::tensor(rows, at::TensorOptions().dtype(at::kLong)).to(batch.packed.ids.device());
}

/* ---- embeddings ---- */

/* One vector per item, [items, dims], of hidden states [tokens, dims] of a batch, by model.pooling:
 * the first token, the same through the pooler, or over tokens (or those that begin a word) the
 * maximum or the mean. texts: of the call, whose marks say which tokens begin a word. */
at::Tensor pool(const Model &model, const alcore_sys_model_texts &texts, const Batch &batch,
                const at::Tensor &hidden) {
    if (model.pooling == ALCORE_SYS_POOLING_FIRST)
        return hidden.index_select(0, first_tokens(batch.packed));
    if (model.pooling == ALCORE_SYS_POOLING_POOLER)
        return at::tanh(model.pooler(hidden.index_select(0, first_tokens(batch.packed))));
    at::Tensor x = hidden;
    std::vector<int64_t> lengths = batch.packed.lengths;
    if (model.pooling == ALCORE_SYS_POOLING_WORDS) {
        if (texts.marks == nullptr)
            fail(ALCORE_E_INVALID, "pooling over words needs marks of the tokens that begin one");
        lengths.clear();
        at::Tensor rows = some_tokens(
            texts, batch,
            [&](int64_t, int64_t k) { return (texts.marks[k] & ALCORE_SYS_TOKEN_WORD) != 0; },
            lengths);
        x = hidden.index_select(0, rows);
    }
    std::vector<at::Tensor> out;
    int64_t token = 0;
    for (int64_t length : lengths) {
        at::Tensor own = x.narrow(0, token, length);
        token += length;
        if (length == 0)
            out.push_back(at::zeros({x.size(1)}, x.options())); /* a text without words */
        else if (model.pooling == ALCORE_SYS_POOLING_MAX)
            out.push_back(own.amax(0));
        else
            out.push_back(own.mean(0, false, at::kFloat));
    }
    return at::stack(out);
}

/* embed of the table: float [items, dims], of the layer that the options chose (0: the last; -1:
 * before the first block), of length 1 where the model normalizes. */
alcore_status embed(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                    const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        size_t blocks = model->layer == 0 ? model->encoder.blocks.size()
                                          : static_cast<size_t>(std::max(model->layer, 0));
        for_texts(*model, *texts, [&](const Batch &batch) {
            at::Tensor hidden = run_stack(*model, model->encoder, batch.packed, blocks);
            at::Tensor vectors = pool(*model, *texts, batch, hidden).to(at::kFloat);
            if (model->normalize) vectors = vectors / vectors.norm(2, 1, true).clamp_min(1e-12);
            give(*sink, batch.items, vectors, nullptr);
        });
    });
}

/* ---- heads ---- */

/* Fails unless the model has the head of a call; call: its name for the message. */
void need_head(const Model &model, Head head, const char *call) {
    if (model.head != head)
        fail(ALCORE_E_UNSUPPORTED, "the %s model has no head for %s", model.family.c_str(), call);
}

/* class_probs of the table: probabilities [items, classes], of the first token's state. */
alcore_status class_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Classes, "classes of texts");
        for_texts(*model, *texts, [&](const Batch &batch) {
            at::Tensor x =
                last_hidden(*model, batch.packed).index_select(0, first_tokens(batch.packed));
            x = model->head_out(class_input(*model, x));
            give(*sink, batch.items, at::softmax(x, -1, at::kFloat), nullptr);
        });
    });
}

/* token_probs of the table: probabilities [tokens, classes] of the tokens that begin a word or,
 * where no mark does, of all but special ones; without marks of all. */
alcore_status token_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Tokens, "classes of tokens");
        bool words = false;
        for (int64_t k = 0; texts->marks && k < (texts->count ? texts->offsets[texts->count] : 0);
             k++)
            words = words || (texts->marks[k] & ALCORE_SYS_TOKEN_WORD);
        auto wanted = [&](int64_t, int64_t k) {
            if (texts->marks == nullptr) return true;
            return words ? (texts->marks[k] & ALCORE_SYS_TOKEN_WORD) != 0
                         : (texts->marks[k] & ALCORE_SYS_TOKEN_SPECIAL) == 0;
        };
        for_texts(*model, *texts, [&](const Batch &batch) {
            std::vector<int64_t> lengths;
            at::Tensor rows = some_tokens(*texts, batch, wanted, lengths);
            at::Tensor x = last_hidden(*model, batch.packed).index_select(0, rows);
            give(*sink, batch.items, at::softmax(model->head_out(x), -1, at::kFloat), &lengths);
        });
    });
}

/* qa_probs of the table: [tokens, 2], for the tokens of the text (type 1) and those that stand for
 * "no answer", the probabilities that the answer begins and ends there; each column sums to 1 over
 * an item. */
alcore_status qa_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                       const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Answers, "question answering");
        if (texts->types == nullptr)
            fail(ALCORE_E_INVALID,
                 "question answering needs the types of tokens: 0 in the question, "
                 "1 in the text");
        auto wanted = [&](int64_t, int64_t k) { return may_answer(*texts, k); };
        /* Types choose tokens even where the model has no embeddings of them. */
        for_texts(*model, *texts, [&](const Batch &batch) {
            std::vector<int64_t> lengths;
            at::Tensor rows = some_tokens(*texts, batch, wanted, lengths);
            at::Tensor x = last_hidden(*model, batch.packed).index_select(0, rows);
            at::Tensor logits = model->head_out(x).to(at::kFloat);
            int64_t token = 0;
            for (int64_t length : lengths) {
                logits.narrow(0, token, length)
                    .copy_(at::softmax(logits.narrow(0, token, length), 0));
                token += length;
            }
            give(*sink, batch.items, logits, &lengths);
        });
    });
}

/* ---- losses ---- */

/* Natural log-probability, at most 0, of labels[i] (int64 [rows], ids of the vocabulary) under the
 * logits of hidden state i: float [rows]. Rows are computed in pieces of at most 2^24 logits (64
 * MiB) and 4e9 operations, so that a large vocabulary needs no matrix of all tokens, and a call can
 * be cancelled between two, well within 100 ms. clamp_max(0): rounding can lead above 0. */
at::Tensor label_logprobs(const Model &model, const at::Tensor &hidden, const at::Tensor &labels) {
    constexpr int64_t CHUNK = int64_t{1} << 24;
    double row = 2.0 * static_cast<double>(hidden.size(1) * model.vocabulary);
    int64_t rows = hidden.size(0),
            step = std::max<int64_t>(
                1, std::min(CHUNK / model.vocabulary, static_cast<int64_t>(4e9 / row)));
    at::Tensor out = at::empty({rows}, at::TensorOptions().dtype(at::kFloat).device(model.device));
    for (int64_t from = 0; from < rows; from += step) {
        int64_t count = std::min(step, rows - from);
        at::Tensor logits = output_logits(model, hidden.narrow(0, from, count)).to(at::kFloat);
        at::Tensor picked = logits.gather(1, labels.narrow(0, from, count).unsqueeze(1)).squeeze(1);
        out.narrow(0, from, count).copy_((picked - at::logsumexp(logits, 1)).clamp_max(0));
        model.host.tick(nullptr, 0, 0);
    }
    return out;
}

/* The dropout of scoring: the draws of an item depend on the seed and its number in the call. */
std::optional<Dropout> dropout_of(const alcore_sys_model_scoring *scoring,
                                  const std::vector<int64_t> &items) {
    if (scoring == nullptr || scoring->dropout == 0) return {};
    return Dropout(scoring->seed, items);
}

/* mlm_losses of the table: for each token but special ones minus its log-probability in nats, from
 * the text as it is (no token is masked). scoring may be NULL. */
alcore_status mlm_losses(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                         const alcore_sys_model_scoring *scoring,
                         const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Words, "masked words");
        auto wanted = [&](int64_t, int64_t k) {
            return texts->marks == nullptr || !(texts->marks[k] & ALCORE_SYS_TOKEN_SPECIAL);
        };
        for_texts(*model, *texts, [&](const Batch &batch) {
            std::vector<int64_t> lengths;
            at::Tensor rows = some_tokens(*texts, batch, wanted, lengths);
            std::optional<Dropout> dropout = dropout_of(scoring, batch.items);
            at::Tensor x = last_hidden(*model, batch.packed, dropout ? &*dropout : nullptr)
                               .index_select(0, rows);
            at::Tensor labels = batch.packed.ids.index_select(0, rows);
            give(*sink, batch.items, -label_logprobs(*model, x, labels), &lengths);
        });
    });
}

/* Passes to the sink, for each pair of source i and target i, the log-probability of each token of
 * the target under the decoder that has read the source and the target's tokens before it. */
void score_targets(Model &model, const alcore_sys_model_texts &sources,
                   const alcore_sys_model_texts &targets, const alcore_sys_model_scoring *scoring,
                   const alcore_sys_model_sink &sink) {
    if (targets.count != sources.count)
        fail(ALCORE_E_INVALID, "%lld targets for %lld sources",
             static_cast<long long>(targets.count), static_cast<long long>(sources.count));
    check_texts(model, sources, model.encoder.words.size(0));
    check_texts(model, targets, model.vocabulary);
    PackedWeights packed;
    if (all_tokens(sources) + all_tokens(targets) > model.batch_tokens) {
        packed.pack(model.host, model.encoder);
        packed.pack(model.host, *model.decoder);
        packed.pack(model.host, model.head_out);
    }
    auto cost = [&](int64_t i) { return length_of(sources, i) + length_of(targets, i); };
    auto before = [&](int64_t a, int64_t b) {
        int64_t x = length_of(sources, a), y = length_of(sources, b);
        return x != y ? x > y : length_of(targets, a) > length_of(targets, b);
    };
    for_batches(model, sources.count, cost, before, [&](const std::vector<int64_t> &items) {
        Packed source = pack(model, sources, items), target = pack(model, targets, items);
        target.types = at::Tensor();
        std::optional<Dropout> dropout = dropout_of(scoring, items);
        Dropout *drop = dropout ? &*dropout : nullptr;
        at::Tensor memory = last_hidden(model, source, drop);
        const Stack &decoder = *model.decoder;
        at::Tensor hidden = run_stack(model, decoder, shifted(model, target), decoder.blocks.size(),
                                      memory, source.lengths, drop);
        give(sink, items, label_logprobs(model, hidden, target.ids), &target.lengths);
    });
}

/* The settings of the caller, of the size that they say, which may be older than ours; NULL: zeros,
 * the defaults. */
alcore_sys_model_decoding settings_from(const alcore_sys_model_decoding *given) {
    alcore_sys_model_decoding out{};
    if (given != nullptr) std::memcpy(&out, given, std::min(given->size, sizeof out));
    return out;
}

/* token_logprobs of the table: of given targets or, with ALCORE_SYS_SCORE_HYPOTHESIS, of the best
 * output that the model decodes itself; the end token counts. targets and scoring may be NULL. */
alcore_status token_logprobs(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                             const alcore_sys_model_texts *targets,
                             const alcore_sys_model_scoring *scoring,
                             const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Seq2seq, "texts given a source");
        bool hypothesis = scoring != nullptr && scoring->what == ALCORE_SYS_SCORE_HYPOTHESIS;
        if (!hypothesis && targets == nullptr)
            fail(ALCORE_E_INVALID, "a %s model scores targets; none are given",
                 model->family.c_str());
        if (!hypothesis) return score_targets(*model, *sources, *targets, scoring, *sink);
        if (scoring->dropout != 0)
            fail(ALCORE_E_UNSUPPORTED, "a model's own outputs are scored without dropout: score "
                                       "references, or switch it off");
        alcore_sys_model_decoding how = settings_from(scoring->decoding);
        for_sources(*model, *sources, how, [&](const Batch &batch) {
            std::vector<std::vector<Output>> found = decode(*model, batch.packed, how);
            std::vector<float> values;
            std::vector<int64_t> lengths;
            for (const std::vector<Output> &outputs : found) {
                const Output &best = outputs.at(0);
                values.insert(values.end(), best.logprobs.begin(), best.logprobs.end());
                lengths.push_back(static_cast<int64_t>(best.logprobs.size()));
            }
            give(*sink, batch.items, at::tensor(values, at::TensorOptions().dtype(at::kFloat)),
                 &lengths);
        });
    });
}

/* translate of the table: token ids of each output, its rank (0: the best), score and
 * log-probabilities; no text, as the module has no tokenizer. Beams and length penalty that are 0
 * are those of the folder. decoding NULL: all of them are. */
alcore_status translate(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                        const alcore_sys_model_decoding *decoding,
                        const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Seq2seq, "translation");
        alcore_sys_model_decoding how = settings_from(decoding);
        if (how.beams == 0) how.beams = std::max(model->beams, how.outputs);
        if (how.length_penalty == 0) how.length_penalty = model->length_penalty;
        for_sources(*model, *sources, how, [&](const Batch &batch) {
            std::vector<std::vector<Output>> found = decode(*model, batch.packed, how);
            for (size_t i = 0; i < found.size(); i++)
                for (size_t rank = 0; rank < found[i].size(); rank++) {
                    const Output &one = found[i][rank];
                    check(sink->put_text(sink->user, batch.items[i], static_cast<int64_t>(rank),
                                         nullptr, 0, one.ids.data(), one.logprobs.data(),
                                         static_cast<int64_t>(one.ids.size()), one.score));
                }
        });
    });
}

/* ---- opening ---- */

/* Which calls the model supports, by its head: bits ALCORE_SYS_MODEL_*. Training changes float32
 * weights only. */
uint32_t calls_of(const Model &model) {
    uint32_t calls = ALCORE_SYS_MODEL_EMBED | ALCORE_SYS_MODEL_SAVE;
    uint32_t train = model.dtype == at::kFloat ? ALCORE_SYS_MODEL_TRAIN : 0;
    switch (model.head) {
    case Head::Classes:
        return calls | train | ALCORE_SYS_MODEL_CLASS_PROBS;
    case Head::Tokens:
        return calls | train | ALCORE_SYS_MODEL_TOKEN_PROBS;
    case Head::Answers:
        return calls | train | ALCORE_SYS_MODEL_QA_PROBS;
    case Head::Words:
        return calls | train | ALCORE_SYS_MODEL_MLM_LOSSES;
    case Head::Seq2seq:
        return calls | train | ALCORE_SYS_MODEL_TOKEN_LOGPROBS | ALCORE_SYS_MODEL_TRANSLATE;
    default:
        return calls;
    }
}

/* Sets the model's version, which names weights and options so that columns of other ones are not
 * used again, and its description in JSON. Names are short enough for `text`. */
void describe(Model &model) {
    static const char *const heads[] = {
        "none", "classes", "token classes", "question answering", "masked words", "seq2seq"};
    char text[700];
    std::snprintf(text, sizeof text, "%016llx-p%d-l%d-n%d-t%lld-d%d",
                  static_cast<unsigned long long>(model.weights_hash), model.pooling, model.layer,
                  model.normalize, static_cast<long long>(model.max_tokens),
                  static_cast<int>(model.dtype));
    model.version = text;
    /* Other kinds of devices round in another way. */
    if (!model.device.is_cpu())
        model.version += "-" + c10::DeviceTypeName(model.device.type(), true);
    const Stack &encoder = model.encoder;
    std::snprintf(
        text, sizeof text,
        "{\"family\": \"%s\", \"head\": \"%s\", \"dims\": %lld, \"layers\": %lld, "
        "\"decoder_layers\": %lld, \"heads\": %lld, \"vocabulary\": %lld, \"classes\": %lld, "
        "\"max_tokens\": %lld, \"batch_tokens\": %lld, \"parameters\": %lld, \"dtype\": "
        "\"%s\", \"device\": \"%s\", \"engine\": \"torch-%s\"}",
        model.family.c_str(), heads[static_cast<int>(model.head)],
        static_cast<long long>(encoder.dims), static_cast<long long>(encoder.blocks.size()),
        static_cast<long long>(model.decoder ? model.decoder->blocks.size() : 0),
        static_cast<long long>(encoder.heads), static_cast<long long>(model.vocabulary),
        static_cast<long long>(model.classes), static_cast<long long>(model.max_tokens),
        static_cast<long long>(model.batch_tokens), static_cast<long long>(model.parameters),
        c10::toString(model.dtype), model.device_name.c_str(), BUILT_FOR);
    model.json = text;
}

/* open of the table: *out is a model that close_model() frees. options, of the size that they say,
 * may be older than ours; NULL: defaults. */
alcore_status open_folder(void *user, const char *path, const alcore_sys_model_options *options,
                          alcore_sys_model **out) {
    *out = nullptr;
    return alcore_torch::guard(user, at::kCPU, Mode::Build, [&] {
        alcore_sys_model_options settings{};
        if (options != nullptr)
            std::memcpy(&settings, options, std::min(options->size, sizeof settings));
        auto model = std::make_unique<alcore_sys_model>();
        static_cast<Model &>(*model) = std::move(*build_model({core, user}, path, settings));
        describe(*model);
        *out = model.release();
    });
}

void close_model(alcore_sys_model *model) {
    delete model;
}

/* info of the table: fills as much of *out as the caller's struct has; strings are the model's. */
alcore_status info(alcore_sys_model *model, alcore_sys_model_info *out) {
    alcore_sys_model_info all{};
    all.size = std::min(out->size, sizeof all);
    all.calls = calls_of(*model);
    all.takes_tokens = 1;
    all.dims = model->encoder.dims;
    all.classes = model->classes;
    all.max_tokens = model->max_tokens;
    all.vocabulary = model->encoder.words.size(0);
    all.family = model->family.c_str();
    all.device = model->device_name.c_str();
    all.version = model->version.c_str();
    all.json = model->json.c_str();
    all.labels = model->labels.empty() ? nullptr : model->labels.data();
    std::memcpy(out, &all, all.size);
    return ALCORE_OK;
}

/* train of the table. *out, of the size that it says, is filled also after a failure. describe()
 * makes the version anew, as it contains the hash of the weights. */
alcore_status train(alcore_sys_model *model, const alcore_sys_model_training *training,
                    alcore_sys_model_trained *out) {
    alcore_sys_model_training settings{};
    std::memcpy(&settings, training, std::min(training->size, sizeof settings));
    alcore_sys_model_trained done{};
    alcore_status status = guard(
        model, [&] { train_model(*model, settings, done); }, Mode::Train);
    guard(
        model, [&] { describe(*model); }, Mode::Build);
    if (out != nullptr) {
        done.size = std::min(out->size, sizeof done);
        std::memcpy(out, &done, done.size);
    }
    return status;
}

/* save of the table. */
alcore_status save(alcore_sys_model *model, const char *path) {
    return guard(
        model, [&] { save_model(*model, path); }, Mode::Build);
}

const alcore_sys_model_engine engine = {
    sizeof engine,  ALCORE_SYS_ABI, 0,           "torch-" BUILT_FOR,
    open_folder,    close_model,    info,        embed,
    token_logprobs, class_probs,    token_probs, qa_probs,
    mlm_losses,     translate,      train,       save};

} // namespace

/* Refuses a host that lacks what the module needs and a libtorch of another release than the
 * headers: the C++ interface of torch changes with every minor release. libtorch's version has the
 * major number in its highest byte and the minor one in the next. */
extern "C" ALCORE_API alcore_status alcore_torch_entry(uint32_t abi, const alcore_sys_host *host,
                                                       const alcore_sys_model_engine **out) {
    *out = nullptr;
    core = host;
    if (loaded_by == 0) loaded_by = getpid();
    char text[300];
    if (abi != ALCORE_SYS_ABI || !ALCORE_STRUCT_HAS(host, folder_make)) {
        std::snprintf(text, sizeof text,
                      "the torch module is of ABI %u, the library of %u; take both "
                      "from one release",
                      ALCORE_SYS_ABI, abi);
        return report(ALCORE_E_UNSUPPORTED, text);
    }
    uint64_t version = aoti_torch_abi_version();
    unsigned major = static_cast<unsigned>(version >> 56), minor = (version >> 48) & 255;
    if (major != TORCH_VERSION_MAJOR || minor != TORCH_VERSION_MINOR) {
        std::snprintf(text, sizeof text,
                      "the module is built for torch " BUILT_FOR
                      ", the libtorch of this process is %u.%u",
                      major, minor);
        return report(ALCORE_E_UNSUPPORTED, text);
    }
    *out = &engine;
    return ALCORE_OK;
}
