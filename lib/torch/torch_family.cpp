/* SPDX-License-Identifier: Apache-2.0 */
/* Families of models: how config.json and the names of tensors turn into the stacks of
 * torch_parts.h. A family is a row of the table in torch_table.cpp.
 *
 * Tensor names are those of the Hugging Face files. Each name of a row is looked up with the
 * family's prefix and without it, since files of a bare encoder leave it out, and LayerNorm.weight
 * also as LayerNorm.gamma, which old files of BERT hold. */
#include <cmath>
#include <cstdarg>

#include "torch_family.h"

namespace alcore_torch {

namespace {

/* The model_type of plain Transformers that are trained from scratch. */
constexpr std::string_view OWN_FAMILY = "alcore_transformer";

/* What the functions that build a model share. */
struct Builder {
    const Host &host;
    const std::string &folder;
    const Json &config;
    const Family &family;
    Weights &weights;
    Model &model;

    /* An integer of config.json that must be there, 1 to `most`. */
    int64_t size(const char *key, int64_t most = int64_t{1} << 24) const {
        int64_t value = json_int(config, key, -1);
        if (value < 1 || value > most)
            fail(ALCORE_E_DATA, "%s/config.json: %s is missing or not 1 to %lld", folder.c_str(),
                 key, static_cast<long long>(most));
        return value;
    }
    /* The name under which the file holds a tensor; empty: it holds none. In old files of BERT
     * LayerNorm.weight is LayerNorm.gamma, and LayerNorm.bias LayerNorm.beta. */
    std::string find(const std::string &name) const {
        for (const std::string &full : {family.prefix + name, name}) {
            if (weights.has(full)) return full;
            size_t dot = full.rfind('.');
            std::string old = full.substr(0, dot + 1) + (full[dot + 1] == 'w' ? "gamma" : "beta");
            if (full.find("LayerNorm.") != std::string::npos && weights.has(old)) return old;
        }
        return "";
    }
    /* Reads a tensor, converts it to the model's dtype and device, and lists it in model.stored,
     * hash and number of parameters. */
    at::Tensor read(const std::string &name, const std::vector<int64_t> &shape) {
        std::string found = find(name);
        at::Tensor value = weights.read(found.empty() ? family.prefix + name : found, shape);
        uint64_t hash = tensor_hash(value);
        model.weights_hash = hash_join(model.weights_hash, hash);
        model.parameters += value.numel();
        value = value.to(model.device, model.dtype);
        model.stored.push_back({found, value, value, hash});
        return value;
    }
    /* value, the tensor that was just read, or `other` in its place where both are equal and
     * config.json ties them: then training must change one matrix for both, so that the one just
     * read is removed from model.stored (its values stay in model.weights_hash). */
    at::Tensor tied(const at::Tensor &value, const at::Tensor &other) {
        if (!json_flag(config, "tie_word_embeddings", true) || !at::equal(value, other))
            return value;
        model.parameters -= value.numel();
        model.stored.pop_back();
        return other;
    }
    /* Reads a tensor that may be missing; undefined then, and model.stored is as before. */
    at::Tensor read_if(const std::string &name, const std::vector<int64_t> &shape) {
        return find(name).empty() ? at::Tensor() : read(name, shape);
    }
    /* Reads NAME.weight, [out, in], where -1 stands for any size, and NAME.bias if there is one. */
    Linear linear(const std::string &name, int64_t out, int64_t in) {
        return {read(name + ".weight", {out, in}), read_if(name + ".bias", {out})};
    }
    Norm norm(const std::string &name, int64_t dims, double epsilon) {
        return {read(name + ".weight", {dims}), read_if(name + ".bias", {dims}), epsilon,
                family.rms};
    }
    /* Several projections of one input, each [out, in], as one matrix [names x out, in]. */
    Linear joined(const std::vector<std::string> &names, int64_t out, int64_t in) {
        std::vector<at::Tensor> matrices, biases;
        for (const std::string &name : names) {
            Linear one = linear(name, out, in);
            matrices.push_back(one.weight);
            if (one.bias.defined()) biases.push_back(one.bias);
        }
        if (!biases.empty() && biases.size() != names.size())
            fail(ALCORE_E_DATA, "%s: only some of %s... have a bias", folder.c_str(),
                 names[0].c_str());
        return {joined(matrices), biases.empty() ? at::Tensor() : joined(biases)};
    }
    /* The rows of several tensors that were just read as one tensor. Their entries of model.stored
     * then view their rows of it, and share it as `whole`, by which training knows one parameter.
     */
    at::Tensor joined(const std::vector<at::Tensor> &parts) {
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
    /* The epsilon of norms: that of config.json, else the one that the family has. */
    double epsilon() const {
        double otherwise = family.epsilon_key == nullptr && family.decoder.block == nullptr
                               ? 1e-12
                               : 1e-5; /* DistilBERT (1e-12) and BART's kin (1e-5) have no key */
        return family.epsilon_key == nullptr ? otherwise
                                             : json_real(config, family.epsilon_key, otherwise);
    }
};

/* The activation that config.json names. */
Activation activation_of(const std::string &folder, const std::string &name) {
    if (name == "gelu") return Activation::Gelu;
    if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::GeluTanh;
    if (name == "relu") return Activation::Relu;
    if (name == "swish" || name == "silu") return Activation::Silu;
    fail(ALCORE_E_UNSUPPORTED, "%s/config.json: the activation '%s' is not known", folder.c_str(),
         name.c_str());
}

/* The activation of T5, whose key feed_forward_proj is "relu", "gated-gelu" or "gated-silu"; its
 * gelu is the tanh form. */
Activation t5_activation(const Builder &build) {
    std::string name = json_text(build.config, "feed_forward_proj", "relu");
    if (name == "gated-gelu") return Activation::GeluTanh;
    return activation_of(build.folder, name.rfind("gated-", 0) == 0 ? name.substr(6) : name);
}

/* The pattern with %d, which it contains, replaced by the number of a block, from 0. */
std::string block_name(const char *pattern, int64_t index) {
    std::string name = pattern;
    size_t place = name.find("%d");
    return name.replace(place, 2, std::to_string(index));
}

/* Reads the tensors of block `index`, from 0. dims: width of the stack; inner: heads x head; ffn:
 * width of the feed-forward net; cross: with attention to the encoder, for blocks of a decoder. */
Block build_block(Builder &build, const StackNames &names, int64_t index, int64_t dims,
                  int64_t inner, int64_t ffn, bool cross) {
    Block block;
    std::string prefix = names.prefix + block_name(names.block, index);
    auto at = [&](const char *name) { return prefix + name; };
    block.self =
        build.joined({at(names.self[0]), at(names.self[1]), at(names.self[2])}, inner, dims);
    block.self_out = build.linear(at(names.self[3]), dims, inner);
    block.self_norm = build.norm(at(names.self_norm), dims, build.epsilon());
    if (cross) {
        block.cross_q = build.linear(at(names.cross[0]), inner, dims);
        block.cross_kv = build.joined({at(names.cross[1]), at(names.cross[2])}, inner, dims);
        block.cross_out = build.linear(at(names.cross[3]), dims, inner);
        block.cross_norm = build.norm(at(names.cross_norm), dims, build.epsilon());
    }
    /* T5, whose net has one matrix wi, or two where it is gated: wi_0, which is activated, and
     * wi_1, with which that is multiplied. */
    bool gated = names.gate != nullptr && !build.find(at(names.gate) + ".weight").empty();
    block.up = build.linear(at(names.up) + (gated ? "_0" : ""), ffn, dims);
    if (gated) block.gate = build.linear(at(names.gate), ffn, dims);
    block.down = build.linear(at(names.down), dims, ffn);
    block.ffn_norm = build.norm(at(names.ffn_norm), dims, build.epsilon());
    return block;
}

/* Sinusoids of `rows` positions, float [rows, dims]: sin in the first half of the columns, cos in
 * the second, column i of each with the frequency 10000^(-i / divisor); an odd last column is 0. */
at::Tensor sinusoids(int64_t rows, int64_t dims, double divisor) {
    at::Tensor table = at::zeros({rows, dims}, at::TensorOptions().dtype(at::kFloat));
    int64_t half = dims / 2;
    float *values = table.data_ptr<float>();
    for (int64_t p = 0; p < rows; p++)
        for (int64_t i = 0; i < half; i++) {
            double angle = static_cast<double>(p) *
                           std::exp(-std::log(10000.0) * static_cast<double>(i) / divisor);
            values[p * dims + i] = static_cast<float>(std::sin(angle));
            values[p * dims + half + i] = static_cast<float>(std::cos(angle));
        }
    return table;
}

/* Probabilities of dropout under the keys that transformers reads, with the defaults that it has
 * for missing ones. T5 has one for all; DistilBERT drops nothing of the output of an attention. */
DropoutRates dropout_of(const Builder &build) {
    const Json &config = build.config;
    DropoutRates rates;
    double hidden = json_real(config, build.family.dropout_key, 0.1);
    bool t5 = build.family.positions == Positions::Relative;
    bool seq2seq = build.family.decoder.block != nullptr;
    const char *key = !seq2seq && build.family.epsilon_key != nullptr
                          ? "attention_probs_dropout_prob" /* BERT and its kin */
                          : "attention_dropout";
    rates.embedding = rates.attention = rates.ffn = hidden;
    rates.weights = t5 ? hidden : json_real(config, key, seq2seq ? 0.0 : 0.1);
    rates.inner = t5 ? hidden : json_real(config, "activation_dropout", 0.0);
    rates.last = t5 ? hidden : 0.0;
    if (std::string(build.family.model_type) == "distilbert") rates.attention = 0;
    for (double rate : {rates.embedding, rates.weights, rates.inner})
        if (!(rate >= 0 && rate < 1))
            fail(ALCORE_E_DATA, "%s/config.json: a dropout of %g is not 0 or more and below 1",
                 build.folder.c_str(), rate);
    return rates;
}

/* Sets the stack's table of positions (learned: read; sinusoids: computed; relative: a table of
 * biases by bucket of distance) and the row of its first position, and lowers model.max_tokens to
 * the positions that the table has. width: columns of the embeddings. */
void build_positions(Builder &build, const StackNames &names, Stack &stack, int64_t width) {
    const Family &family = build.family;
    stack.positions = family.positions;
    stack.position_base = family.position_base < 0 ? json_int(build.config, "pad_token_id", 1) + 1
                                                   : family.position_base;
    if (family.positions == Positions::Relative) {
        stack.buckets = json_int(build.config, "relative_attention_num_buckets", 32);
        stack.bucket_distance = json_int(build.config, "relative_attention_max_distance", 128);
        if (stack.buckets < 4 || stack.bucket_distance <= stack.buckets / 2)
            fail(ALCORE_E_DATA, "%s/config.json: impossible relative_attention_num_buckets",
                 build.folder.c_str());
        stack.relative = build.read(std::string(names.prefix) + names.relative + ".weight",
                                    {stack.buckets, stack.heads});
        return;
    }
    if (json_text(build.config, "position_embedding_type", "absolute") != "absolute")
        fail(ALCORE_E_UNSUPPORTED, "%s/config.json: a position_embedding_type of '%s'",
             build.folder.c_str(), json_text(build.config, "position_embedding_type", "").c_str());
    int64_t most = build.size("max_position_embeddings");
    if (family.positions == Positions::Learned) {
        stack.position_table =
            build.read(std::string(names.prefix) + names.positions + ".weight", {-1, width});
    } else {
        bool fairseq = family.positions == Positions::SinusoidFairseq;
        double half = static_cast<double>(width / 2);
        stack.position_table =
            sinusoids(most + stack.position_base, width, fairseq ? half - 1 : half)
                .to(build.model.device, build.model.dtype);
    }
    int64_t positions = stack.position_table.size(0) - stack.position_base;
    if (positions < 1)
        fail(ALCORE_E_DATA, "%s: the table of positions is too short", build.folder.c_str());
    build.model.max_tokens = std::min(build.model.max_tokens, positions);
}

/* Reads the settings and tensors of a stack, the encoder first, as a decoder may share its
 * embeddings. names and keys: those of the family for this stack. A decoder whose number of blocks
 * is missing has as many as T5's encoder (num_layers). */
Stack build_stack(Builder &build, const StackNames &names, const StackKeys &keys, bool decoder) {
    const Family &family = build.family;
    Stack stack;
    stack.dims = build.size(family.dims_key);
    stack.heads = build.size(keys.heads);
    int64_t kv = json_int(build.config, "d_kv", 0); /* T5 sets the components of a head itself */
    if (kv == 0 && stack.dims % stack.heads != 0)
        fail(ALCORE_E_DATA, "%s/config.json: %s %lld is no multiple of %lld heads",
             build.folder.c_str(), family.dims_key, static_cast<long long>(stack.dims),
             static_cast<long long>(stack.heads));
    stack.head = kv > 0 ? kv : stack.dims / stack.heads;
    stack.causal = decoder;
    stack.dropout = dropout_of(build);
    stack.pre_norm = family.pre_norm;
    if (family.model_type == OWN_FAMILY)
        stack.pre_norm = json_flag(build.config, "normalize_before", true);
    bool t5 = family.positions == Positions::Relative;
    stack.attention_scale = t5 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(stack.head));
    if (family.scaled_embeddings && json_flag(build.config, "scale_embedding", false))
        stack.embed_scale = std::sqrt(static_cast<double>(stack.dims));
    stack.activation =
        t5 ? t5_activation(build)
           : activation_of(build.folder, json_text(build.config, family.activation_key, "gelu"));
    /* Shared by both stacks; some Marian models have a table of their own for each. */
    std::string own = std::string(names.prefix) + "embed_tokens.weight";
    bool has_own = family.decoder.block != nullptr && !build.find(own).empty();
    std::vector<int64_t> shape{-1, -1};
    if (build.model.random) shape = {build.size("vocab_size"), stack.dims};
    stack.words = decoder && !has_own
                      ? build.model.encoder.words
                      : build.read(has_own ? own : std::string(names.words) + ".weight", shape);
    if (decoder && has_own && json_flag(build.config, "share_encoder_decoder_embeddings", true))
        stack.words = build.tied(stack.words, build.model.encoder.words);
    int64_t width = stack.words.size(1), pad = json_int(build.config, "pad_token_id", -1);
    if (!t5 && pad < stack.words.size(0)) stack.padding = std::max<int64_t>(pad, -1);
    build_positions(build, names, stack, width);
    if (names.types != nullptr)
        stack.types = build.read(std::string(names.types) + ".weight", {-1, width});
    std::string norm =
        names.embed_norm == nullptr ? "" : names.prefix + std::string(names.embed_norm);
    if (!norm.empty() && !build.find(norm + ".weight").empty())
        stack.embed_norm = build.norm(norm, width, build.epsilon());
    if (names.mapping != nullptr) stack.mapping = build.linear(names.mapping, stack.dims, width);
    int64_t layers = json_int(build.config, keys.layers, 0);
    if (decoder && layers == 0) layers = json_int(build.config, "num_layers", 0);
    if (layers < 1 || layers > 1000)
        fail(ALCORE_E_DATA, "%s/config.json: %s is missing", build.folder.c_str(), keys.layers);
    int64_t ffn = build.size(keys.ffn);
    for (int64_t i = 0; i < layers; i++)
        stack.blocks.push_back(
            build_block(build, names, i, stack.dims, stack.heads * stack.head, ffn, decoder));
    if (names.final_norm != nullptr && stack.pre_norm)
        stack.final_norm =
            build.norm(std::string(names.prefix) + names.final_norm, stack.dims, build.epsilon());
    return stack;
}

/* Whether text ends in `end`. */
bool ends_with(const std::string &text, const char *end) {
    size_t length = std::char_traits<char>::length(end);
    return text.size() >= length && text.compare(text.size() - length, length, end) == 0;
}

/* Dropout of what a classifier reads: that of the classifier where config.json has one, else that
 * of hidden states. distilbert: the key that DistilBERT has for it. */
double head_dropout(const Builder &build, const char *distilbert) {
    if (std::string(build.family.model_type) == "distilbert")
        return json_real(build.config, distilbert, 0.2);
    const char *key = std::string(build.family.model_type) == "rembert" ? "classifier_dropout_prob"
                                                                        : "classifier_dropout";
    double rate = json_real(build.config, key, build.model.encoder.dropout.embedding);
    if (!(rate >= 0 && rate < 1))
        fail(ALCORE_E_DATA, "%s/config.json: %s is not 0 or more and below 1", build.folder.c_str(),
             key);
    return rate;
}

/* Reads the pooler, if there is one, and the head that the folder's architecture
 * ("BertForMaskedLM") names by its end; another name, or none, leaves Head::None: embeddings only.
 * The encoder was built, and model.vocabulary is set. */
void build_head(Builder &build, const std::string &architecture) {
    const Family &family = build.family;
    Model &model = build.model;
    int64_t dims = model.encoder.dims;
    if (family.pooler != nullptr && !build.find(std::string(family.pooler) + ".weight").empty())
        model.pooler = build.linear(family.pooler, dims, dims);
    if (ends_with(architecture, "ForSequenceClassification")) {
        model.head = Head::Classes;
        model.head_pooled = family.class_pooled;
        model.head_activation = family.class_activation;
        if (family.class_dense != nullptr)
            model.head_dense = build.linear(family.class_dense, dims, dims);
        model.head_out = build.linear(family.class_out, -1, dims);
        model.head_dropout = head_dropout(build, "seq_classif_dropout");
        /* RoBERTa's head has two layers and drops before both. */
        if (family.position_base < 0) model.head_dropout_before = model.head_dropout;
        if (model.head_pooled && !model.pooler.weight.defined())
            fail(ALCORE_E_DATA, "%s: the pooler that the classifier reads is missing",
                 build.folder.c_str());
    } else if (ends_with(architecture, "ForTokenClassification")) {
        model.head = Head::Tokens;
        model.head_out = build.linear(family.token_out, -1, dims);
        model.head_dropout = head_dropout(build, "dropout");
    } else if (ends_with(architecture, "ForQuestionAnswering")) {
        model.head = Head::Answers;
        model.head_out = build.linear("qa_outputs", 2, dims);
    } else if (ends_with(architecture, "ForMaskedLM") ||
               ends_with(architecture, "ForPreTraining")) {
        model.head = Head::Words;
        model.head_activation = model.encoder.activation;
        model.head_dense = build.linear(family.words_dense, -1, dims);
        int64_t width = model.head_dense.weight.size(0);
        model.head_norm = build.norm(family.words_norm, width, build.epsilon());
        model.head_out.weight =
            family.words_out == nullptr
                ? model.encoder.words
                : build.read(std::string(family.words_out) + ".weight", {model.vocabulary, width});
        model.head_out.bias = build.read(family.words_bias, {model.vocabulary});
    }
    if (model.head == Head::Classes || model.head == Head::Tokens) {
        model.classes = model.head_out.weight.size(0);
        read_labels(model, build.folder);
    }
}

/* Settings of decoding. */
struct Generation {
    Json first, second; /* generation_config.json, which may be NULL, and config.json */
    /* A member of the first, else of the second. */
    int64_t number(const char *key, int64_t otherwise) const {
        return json_int(first, key, json_int(second, key, otherwise));
    }
};

/* Reads the settings of decoding; -1: no such token. Of bad_words_ids only single tokens are
 * forbidden. The vocabulary was set. */
void build_decoding(Builder &build) {
    Model &model = build.model;
    Generation generation{read_json(build.host, build.folder, "generation_config.json"),
                          build.config};
    model.finish = generation.number("eos_token_id", -1);
    int64_t pad = generation.number("pad_token_id", -1);
    model.start = generation.number("decoder_start_token_id", -1);
    model.start_rolled = std::string(build.family.model_type) == "mbart";
    model.forced_first = generation.number("forced_bos_token_id", -1);
    model.forced_last = generation.number("forced_eos_token_id", -1);
    model.output_tokens = generation.number("max_length", 200);
    model.beams = static_cast<int32_t>(generation.number("num_beams", 1));
    model.length_penalty = json_real(generation.first, "length_penalty",
                                     json_real(build.config, "length_penalty", 1.0));
    model.renormalize = json_flag(generation.first, "renormalize_logits", false);
    model.early_stopping = json_flag(generation.first, "early_stopping",
                                     json_flag(build.config, "early_stopping", false));
    json_t *words = json_object_get(generation.first.get(), "bad_words_ids");
    if (!json_is_array(words)) words = json_object_get(build.config.get(), "bad_words_ids");
    for (size_t i = 0; i < json_array_size(words); i++) {
        json_t *word = json_array_get(words, i);
        if (json_array_size(word) == 1 && json_is_integer(json_array_get(word, 0)))
            model.forbidden.push_back(json_integer_value(json_array_get(word, 0)));
    }
    if (model.start < 0) model.start = generation.number("bos_token_id", pad);
    for (int64_t id : {model.start, model.finish, model.forced_first, model.forced_last})
        if (id >= model.vocabulary)
            fail(ALCORE_E_DATA,
                 "%s: a token id of the generation settings is not in the vocabulary",
                 build.folder.c_str());
}

/* Reads decoder, output matrix (that of the embeddings where the file has none) and settings of
 * decoding of a family with a decoder. The encoder was built. The bias of the output, if there is
 * one, is the last tensor read, and so the last of model.stored; transformers does not train it. */
void build_seq2seq(Builder &build) {
    const Family &family = build.family;
    Model &model = build.model;
    model.head = Head::Seq2seq;
    model.decoder = build_stack(build, family.decoder, family.decoder_keys, true);
    const at::Tensor &words = model.decoder->words;
    model.vocabulary = words.size(0);
    std::string output = build.find("lm_head.weight");
    bool own = !output.empty();
    model.head_out.weight =
        own ? build.tied(build.read("lm_head.weight", {model.vocabulary, model.decoder->dims}),
                         words)
            : words;
    at::Tensor bias = build.read_if("final_logits_bias", {1, model.vocabulary});
    if (bias.defined()) {
        model.head_out.bias = bias.squeeze(0);
        model.stored.back().constant = true;
    }
    /* T5 scales what enters a tied output matrix; configurations say so in one of two ways. */
    bool tied = json_flag(build.config, "tie_word_embeddings", true);
    bool scaled = std::string(family.model_type) == "t5" &&
                  json_flag(build.config, "scale_decoder_outputs", tied);
    if (scaled) model.output_scale = 1.0 / std::sqrt(static_cast<double>(model.decoder->dims));
    build_decoding(build);
}

/* The row of a model_type; the error lists all of them. */
const Family &find_family(const std::string &folder, const std::string &type) {
    std::string known;
    for (const Family &family : families()) {
        if (type == family.model_type) return family;
        known += known.empty() ? "" : ", ";
        known += family.model_type;
    }
    fail(ALCORE_E_UNSUPPORTED, "%s/config.json: model_type '%s' is not supported; %s are",
         folder.c_str(), type.c_str(), known.c_str());
}

/* Checks the caller's options against the model that was built; they replace what the folder says,
 * but for 0, which leaves that as it is. max_tokens can only be lowered. */
void apply_options(Builder &build, const alcore_sys_model_options &options) {
    Model &model = build.model;
    int64_t layers = static_cast<int64_t>(model.encoder.blocks.size());
    if (options.pooling < 0 || options.pooling > ALCORE_SYS_POOLING_MAX)
        fail(ALCORE_E_INVALID, "pooling %d is not known", options.pooling);
    if (options.layer < -1 || options.layer > layers)
        fail(ALCORE_E_INVALID, "layer %d: the model has %lld", options.layer,
             static_cast<long long>(layers));
    if (options.pooling != ALCORE_SYS_POOLING_AUTO) model.pooling = options.pooling;
    if (model.pooling == ALCORE_SYS_POOLING_POOLER &&
        (!model.pooler.weight.defined() || (options.layer != 0 && options.layer != layers)))
        fail(ALCORE_E_UNSUPPORTED, "%s: there is no pooler for this layer", build.folder.c_str());
    model.layer = options.layer;
    if (options.normalize < 0 || options.normalize > 2)
        fail(ALCORE_E_INVALID, "normalize %d is not known", options.normalize);
    if (options.normalize != 0) model.normalize = options.normalize == 1;
    if (options.max_tokens < 0 || options.batch_tokens < 0 || options.embedding_dims < 0)
        fail(ALCORE_E_INVALID, "max_tokens, batch_tokens and embedding_dims are 0 or more");
    model.embedding_dims = model.encoder.dims;
    if (options.embedding_dims > 0)
        model.embedding_dims = std::min(model.embedding_dims, options.embedding_dims);
    if (options.max_tokens > 0) model.max_tokens = std::min(model.max_tokens, options.max_tokens);
    /* On the CPU a block of a pass should take well below the 100 ms in which a call is to notice
     * that it is cancelled: 2.5e9 operations, about 24 dims^2 for each token. */
    double budget = 2.5e9 / (24.0 * static_cast<double>(model.encoder.dims * model.encoder.dims));
    /* The largest product of a block, 8 dims^2 operations for each token, has at most 3e9. */
    double squares = static_cast<double>(model.encoder.dims * model.encoder.dims);
    if (model.device.is_cpu())
        model.most_tokens = std::max<int64_t>(static_cast<int64_t>(3e9 / (8 * squares)), 256);
    model.batch_tokens =
        options.batch_tokens > 0 ? std::min(options.batch_tokens, model.most_tokens)
        : model.device.is_cpu()  ? std::clamp<int64_t>(static_cast<int64_t>(budget), 256, 4096)
                                 : 65536;
}

/* torch's name of an option dtype; 0: float32 on the CPU, bfloat16 on other devices. */
at::ScalarType dtype_of(const Model &model, int32_t dtype) {
    if (dtype == 0) return model.device.is_cpu() ? at::kFloat : at::kBFloat16;
    if (dtype == ALCORE_FLOAT32) return at::kFloat;
    if (dtype == ALCORE_BFLOAT16) return at::kBFloat16;
    if (dtype == ALCORE_FLOAT16 && !model.device.is_cpu()) return at::kHalf;
    fail(ALCORE_E_UNSUPPORTED,
         "models run in float32 or bfloat16, and on CUDA devices also in float16");
}

} // namespace

/* Reads a folder into a model: settings, weights, then the options. Throws on every failure. The
 * tensors are converted to the dtype that was asked for; host is copied. */
std::unique_ptr<Model> build_model(const Host &host, const std::string &folder,
                                   const alcore_sys_model_options &options) {
    Json config = read_json(host, folder, "config.json");
    if (!config) fail(ALCORE_E_IO, "%s: config.json is missing", folder.c_str());
    const Family &family = find_family(folder, json_text(config, "model_type", ""));
    auto model = std::make_unique<Model>();
    /* A folder of our own family without weights is a model that is yet to be trained. */
    json_t *seed = json_object_get(config.get(), "random_seed");
    model->random =
        family.model_type == OWN_FAMILY && json_is_integer(seed) && !has_weights(host, folder);
    std::optional<Weights> weights;
    if (model->random)
        weights.emplace(host, static_cast<uint64_t>(json_integer_value(seed)));
    else
        weights.emplace(host, folder);
    model->host = host;
    model->folder = folder;
    model->config = config;
    model->family = family.model_type;
    model->device = find_device(host, options.device == nullptr ? "auto" : options.device);
    model->device_name = model->device.str();
    c10::OptionalDeviceGuard current; /* the caller's is the current one again at the end */
    if (!model->device.is_cpu()) current.reset_device(model->device);
    model->dtype = dtype_of(*model, options.dtype);
    /* build_positions() lowers it to the positions that a table has; relative ones have no end. */
    model->max_tokens = INT64_MAX;
    Builder build{host, folder, config, family, *weights, *model};
    std::string architecture;
    json_t *names = json_object_get(config.get(), "architectures");
    if (json_is_string(json_array_get(names, 0)))
        architecture = json_string_value(json_array_get(names, 0));
    model->encoder = build_stack(build, family.encoder, family.encoder_keys, false);
    model->vocabulary = model->encoder.words.size(0);
    if (family.decoder.block != nullptr)
        build_seq2seq(build);
    else
        build_head(build, architecture);
    apply_options(build, options);
    model->opened_hash = model->weights_hash;
    return model;
}

} // namespace alcore_torch
