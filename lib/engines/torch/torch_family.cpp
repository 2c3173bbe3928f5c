/* SPDX-License-Identifier: Apache-2.0 */
/* Families of models: how config.json and the names of tensors turn into the stacks of
 * torch_parts.h. A family is a row of the table in torch_table.cpp.
 *
 * Tensor names are those of the Hugging Face files. Each name of a row is looked up with the
 * family's prefix and without it, since files of a bare encoder leave it out, and LayerNorm.weight
 * also as LayerNorm.gamma, which old files of BERT hold. */
#include <cmath>

#include "torch_builder.h"
#include "torch_language.h"
#include "torch_modules.h"
#include "torch_narrow.h"

namespace alcore_torch {

namespace {

/* The model_type of plain Transformers that are trained from scratch. */
constexpr std::string_view OWN_FAMILY = "alcore_transformer";

/* The activation of T5: dense_act_fn where config.json has it, as transformers 5 writes it, else
 * the one of feed_forward_proj, "relu", "gated-gelu" or "gated-silu", whose gated gelu is the tanh
 * form. */
Activation t5_activation(const Builder &build) {
    const char *key = "feed_forward_proj";
    std::string given = build.config.text("dense_act_fn", "");
    if (!given.empty()) return activation_of(build, "dense_act_fn", given);
    std::string name = build.config.text(key, "relu");
    if (name == "gated-gelu") return Activation::GeluTanh;
    return activation_of(build, key, name.rfind("gated-", 0) == 0 ? name.substr(6) : name);
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
    DropoutRates rates;
    double otherwise = build.is("albert") ? 0.0 : 0.1;
    double hidden = build.dropout(build.family.dropout_key, otherwise);
    bool t5 = build.family.positions == Positions::Relative;
    bool seq2seq = build.family.decoder.block != nullptr;
    const char *key = !seq2seq && build.family.epsilon_key != nullptr
                          ? "attention_probs_dropout_prob" /* BERT and its kin */
                          : "attention_dropout";
    rates.embedding = rates.attention = hidden;
    rates.ffn = build.family.ffn_dropped ? hidden : 0.0;
    rates.weights = t5 ? hidden : build.dropout(key, seq2seq ? 0.0 : otherwise);
    rates.inner = t5 ? hidden : build.dropout("activation_dropout", 0.0);
    rates.last = t5 ? hidden : 0.0;
    if (build.is("distilbert")) rates.attention = 0;
    return rates;
}

/* Reads the table of biases by bucket of distance, and how distances fall into buckets. MPNet's
 * function has 32 of them, whatever config.json says: that is the number of rows alone. */
void build_buckets(Builder &build, const StackNames &names, Stack &stack) {
    const bool fixed = build.family.buckets > 0;
    int64_t rows = build.config.integer("relative_attention_num_buckets", 32);
    stack.buckets = fixed ? build.family.buckets : rows;
    stack.bucket_distance = fixed ? build.family.bucket_distance
                                  : build.config.integer("relative_attention_max_distance", 128);
    if (rows < (fixed ? stack.buckets : 4) || rows > 1 << 20)
        build.config.refuse("relative_attention_num_buckets",
                            fixed ? "an integer of 32 or more" : "an integer of 4 or more");
    if (stack.bucket_distance <= stack.buckets / 2)
        build.config.refuse("relative_attention_max_distance",
                            "more than half of relative_attention_num_buckets");
    stack.relative =
        build.read(std::string(names.prefix) + names.relative + ".weight", {rows, stack.heads});
}

/* Sets the stack's table of positions (learned: read; sinusoids: computed; relative: a table of
 * biases by bucket of distance) and the row of its first position, and lowers model.max_tokens to
 * the positions that the table has. width: columns of the embeddings. */
void build_positions(Builder &build, const StackNames &names, Stack &stack, int64_t width) {
    const Family &family = build.family;
    stack.positions = family.positions;
    stack.position_base = family.position_base < 0 ? build.config.integer("pad_token_id", 1) + 1
                                                   : family.position_base;
    if (stack.position_base < 0) build.config.refuse("pad_token_id", "an id, 0 or more");
    if (names.relative != nullptr) build_buckets(build, names, stack);
    if (family.positions == Positions::Relative) return;
    if (build.config.text("position_embedding_type", "absolute") != "absolute")
        build.config.refuse("position_embedding_type", "\"absolute\" in what is computed here",
                            ALCORE_E_UNSUPPORTED);
    int64_t most = build.size("max_position_embeddings");
    if (family.positions == Positions::Learned) {
        /* The table of BART has rows before the first position, that of RoBERTa counts them. */
        int64_t more = family.base_counted ? 0 : std::max<int64_t>(family.position_base, 0);
        stack.position_table = build.table(std::string(names.prefix) + names.positions + ".weight",
                                           "max_position_embeddings", more, width);
    } else {
        bool fairseq = family.positions == Positions::SinusoidFairseq;
        double half = static_cast<double>(width / 2);
        stack.position_table =
            sinusoids(most + stack.position_base, width, fairseq ? half - 1 : half)
                .to(build.model.device, build.model.dtype);
    }
    int64_t positions = stack.position_table.size(0) - stack.position_base;
    if (positions < 1)
        build.config.refuse(
            "max_position_embeddings",
            "more than the positions that the family leaves free, pad_token_id + 1");
    build.model.max_tokens = std::min(build.model.max_tokens, positions);
}

/* Sets the stack's table of words, [ids, width], which both stacks share unless the file has one
 * for each, as that of some Marian models. */
void build_words(Builder &build, const StackNames &names, Stack &stack, bool decoder) {
    std::string own = std::string(names.prefix) + "embed_tokens.weight";
    bool has_own = build.family.decoder.block != nullptr && !build.find(own).empty();
    const char *key =
        decoder && build.config.has("decoder_vocab_size") ? "decoder_vocab_size" : "vocab_size";
    if (decoder && !has_own)
        stack.words = build.model.encoder.words;
    else if (build.model.random)
        stack.words =
            build.read(std::string(names.words) + ".weight", {build.size(key), stack.dims});
    else
        stack.words = build.table(has_own ? own : std::string(names.words) + ".weight", key, 0, -1);
    if (decoder && has_own && build.config.flag("share_encoder_decoder_embeddings", true))
        stack.words = build.tied(stack.words, build.model.encoder.words);
    int64_t pad = build.is("mpnet") ? 1 : build.config.integer("pad_token_id", -1);
    if (build.family.positions != Positions::Relative && pad < stack.words.size(0))
        stack.padding = std::max<int64_t>(pad, -1);
}

/* The number of blocks of a stack, 1 to 1000. */
int64_t count_blocks(const Builder &build, const char *key, bool decoder) {
    bool of_encoder = decoder && !build.config.has(key) && build.config.has("num_layers");
    return build.size(of_encoder ? "num_layers" : key, 1000);
}

} // namespace

Activation activation_of(const Builder &build, const char *key, const std::string &name) {
    if (name == "gelu") return Activation::Gelu;
    if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::GeluTanh;
    if (name == "relu") return Activation::Relu;
    if (name == "swish" || name == "silu") return Activation::Silu;
    build.config.refuse(key,
                        "gelu, gelu_new, gelu_pytorch_tanh, relu, silu or swish in what is "
                        "computed here",
                        ALCORE_E_UNSUPPORTED);
}

Stack build_stack(Builder &build, const StackNames &names, const StackKeys &keys, bool decoder) {
    const Family &family = build.family;
    Stack stack;
    stack.dims = build.size(family.dims_key);
    stack.heads = build.size(keys.heads);
    int64_t kv = build.config.has("d_kv") ? build.size("d_kv") : 0; /* of a head of T5 */
    if (kv == 0 && stack.dims % stack.heads != 0)
        fail(ALCORE_E_DATA, "%s/config.json: %s %lld is no multiple of %lld heads",
             build.folder.c_str(), family.dims_key, static_cast<long long>(stack.dims),
             static_cast<long long>(stack.heads));
    stack.head = kv > 0 ? kv : stack.dims / stack.heads;
    stack.causal = decoder;
    stack.dropout = dropout_of(build);
    stack.pre_norm = family.pre_norm;
    if (family.model_type == OWN_FAMILY)
        stack.pre_norm = build.config.flag("normalize_before", true);
    bool t5 = family.positions == Positions::Relative;
    stack.attention_scale = t5 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(stack.head));
    if (family.scaled_embeddings && build.config.flag("scale_embedding", false))
        stack.embed_scale = std::sqrt(static_cast<double>(stack.dims));
    stack.activation =
        t5 ? t5_activation(build)
           : activation_of(build, family.activation_key,
                           build.config.text(family.activation_key,
                                             build.is("albert") ? "gelu_new" : "gelu"));
    build_words(build, names, stack, decoder);
    int64_t width = stack.words.size(1);
    build_positions(build, names, stack, width);
    if (names.types != nullptr)
        stack.types =
            build.table(std::string(names.types) + ".weight", "type_vocab_size", 0, width);
    std::string norm =
        names.embed_norm == nullptr ? "" : names.prefix + std::string(names.embed_norm);
    if (!norm.empty() && !build.find(norm + ".weight").empty())
        stack.embed_norm = build.norm(norm, width, build.epsilon());
    if (names.mapping != nullptr && !(family.mapped_if_narrower && width == stack.dims))
        stack.mapping = build.linear(names.mapping, stack.dims, width);
    int64_t layers = count_blocks(build, keys.layers, decoder);
    int64_t ffn = build.size(keys.ffn);
    int64_t groups = family.groups_key == nullptr          ? layers
                     : build.config.has(family.groups_key) ? build.size(family.groups_key, layers)
                                                           : 1;
    for (int64_t i = 0, group = -1; i < layers; i++)
        if (i * groups / layers == group) { /* the tensors of the block before, once more */
            stack.blocks.push_back(stack.blocks.back());
        } else {
            group = i * groups / layers;
            stack.blocks.push_back(build_block(build, names, group, stack.dims,
                                               stack.heads * stack.head, ffn, decoder));
        }
    if (names.final_norm != nullptr && stack.pre_norm)
        stack.final_norm =
            build.norm(std::string(names.prefix) + names.final_norm, stack.dims, build.epsilon());
    return stack;
}

namespace {

/* What models of other model types are, by words that begin or end their names. */
const char *kind_of(const std::string &type) {
    static const struct {
        const char *word, *kind;
    } kinds[] = {
        {"modernbert-decoder", "a decoder-only language model"},
        {"deberta", "DeBERTa before version 2, whose attention is another"},
        {"gte", "an encoder of which only transformers has the code"},
        {"jina", "an encoder of which only its own package has the code"},
        {"longformer", "an encoder of long texts whose attention is another"},
        {"big_bird", "an encoder of long texts whose attention is another"},
        {"convbert", "an encoder with convolutions for attention"},
        {"funnel", "an encoder that drops tokens on its way"},
        {"xlnet", "an encoder that reads tokens in several orders"},
        {"llama", "a decoder-only language model"},
        {"qwen", "a decoder-only language model"},
        {"gemma", "a decoder-only language model"},
        {"mistral", "a decoder-only language model"},
        {"mixtral", "a decoder-only language model"},
        {"phi", "a decoder-only language model"},
        {"gpt", "a decoder-only language model"},
        {"opt", "a decoder-only language model"},
        {"bloom", "a decoder-only language model"},
        {"falcon", "a decoder-only language model"},
        {"olmo", "a decoder-only language model"},
        {"deepseek", "a decoder-only language model"},
        {"mamba", "a decoder-only language model"},
        {"stablelm", "a decoder-only language model"},
        {"whisper", "a model of speech"},
        {"wav2vec2", "a model of speech"},
        {"hubert", "a model of speech"},
        {"seamless", "a model of speech"},
        {"speech", "a model of speech"},
        {"vit", "a model of images"},
        {"clip", "a model of images"},
        {"siglip", "a model of images"},
        {"blip", "a model of images"},
        {"dino", "a model of images"},
        {"swin", "a model of images"},
        {"vision", "a model of images"},
    };
    if (type == "new") return "gte-multilingual or its kin, whose code lies in their folders";
    for (const auto &row : kinds)
        if (type.find(row.word) != std::string::npos) return row.kind;
    return type.empty() ? "of a package that names no model_type" : "not known";
}

/* The row of a model_type. The error says what kind of model one of this name is, where the name is
 * known, and lists the families that there are. */
const Family &find_family(const std::string &folder, const Keys &config) {
    std::string known, type = config.text("model_type", "");
    for (const Family &family : families()) {
        if (type == family.model_type) return family;
        known += known.empty() ? "" : ", ";
        known += family.model_type;
    }
    fail(
        ALCORE_E_UNSUPPORTED,
        "%s/config.json: model_type '%s' (%s) is not computed here; %s are. Compute what is needed "
        "with its own package and give it as .npy, or write a model of Python for it",
        folder.c_str(), type.c_str(), kind_of(type), known.c_str());
}

/* Sets model.poolings: the one of the options, several of them, or the mean. */
void apply_poolings(Builder &build, const alcore_sys_model_options &options) {
    Model &model = build.model;
    int64_t layers = static_cast<int64_t>(model.encoder.blocks.size());
    if (options.pooling != ALCORE_SYS_POOLING_AUTO)
        model.poolings = {options.pooling};
    else if (options.pooling_count > 0)
        model.poolings.assign(options.poolings, options.poolings + options.pooling_count);
    for (int32_t pooling : model.poolings) {
        if (pooling < 1 || pooling > ALCORE_SYS_POOLING_LAST)
            fail(ALCORE_E_INVALID, "pooling %d is not known", pooling);
        if (pooling == ALCORE_SYS_POOLING_POOLER &&
            (model.poolings.size() > 1 || !model.pooler.weight.defined() ||
             (options.layer != 0 && options.layer != layers)))
            fail(ALCORE_E_UNSUPPORTED, "%s: there is no pooler for this layer",
                 build.folder.c_str());
    }
}

/* Checks the caller's options against the model that was built; they replace what the folder says,
 * but for 0, which leaves that as it is. max_tokens can only be lowered. */
void apply_options(Builder &build, const alcore_sys_model_options &options) {
    Model &model = build.model;
    int64_t layers = static_cast<int64_t>(model.encoder.blocks.size());
    if (options.layer < -1 || options.layer > layers)
        fail(ALCORE_E_INVALID, "layer %d: the model has %lld", options.layer,
             static_cast<long long>(layers));
    apply_poolings(build, options);
    model.layer = options.layer;
    if (options.normalize < 0 || options.normalize > 2)
        fail(ALCORE_E_INVALID, "normalize %d is not known", options.normalize);
    if (options.normalize != 0) model.normalize = options.normalize == 1;
    if (options.max_tokens < 0 || options.batch_tokens < 0 || options.embedding_dims < 0)
        fail(ALCORE_E_INVALID, "max_tokens, batch_tokens and embedding_dims are 0 or more");
    build_modules(build, options);
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

/* The class with another head: BertForSequenceClassification of BertForMaskedLM or BertModel. */
std::string adapted_class(const std::string &name, const std::string &head) {
    size_t end = name.find("For");
    if (end == std::string::npos) end = name.find("Model");
    return name.substr(0, end) + head;
}

/* torch's name of an option dtype; 0: float32 on the CPU, bfloat16 on other devices. */
at::ScalarType dtype_of(const Model &model, int32_t dtype) {
    if (dtype == 0) return model.device.is_cpu() ? at::kFloat : at::kBFloat16;
    if (dtype == ALCORE_FLOAT32) return at::kFloat;
    if (dtype == ALCORE_BFLOAT16) return at::kBFloat16;
    if (dtype == ALCORE_FLOAT16 && !model.device.is_cpu()) return at::kHalf;
    if (dtype == ALCORE_SYS_INT8 && model.device.is_cpu() && !model.random) return at::kFloat;
    if (dtype == ALCORE_SYS_INT8)
        fail(ALCORE_E_UNSUPPORTED, "%s: dtype int8 is for models with weights, on the CPU",
             model.folder.c_str());
    fail(ALCORE_E_UNSUPPORTED,
         "models run in float32 or bfloat16, on the CPU also in int8, and on CUDA devices also in "
         "float16");
}

} // namespace

/* Reads a folder into a model: settings, weights, then the options. Throws on every failure. The
 * tensors are converted to the dtype that was asked for; host is copied. */
std::unique_ptr<Model> build_model(const Host &host, const std::string &folder,
                                   const alcore_sys_model_options &options, bool packs) {
    Json config = read_json(host, folder, "config.json");
    if (!config) fail(ALCORE_E_IO, "%s: config.json is missing", folder.c_str());
    const Keys keys(config, folder + "/config.json");
    const Family &family = find_family(folder, keys);
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
    if (model->device.is_cpu() && !model->random && packs)
        model->products = options.dtype == ALCORE_SYS_INT8 ? at::kChar : model->dtype;
    /* build_positions() lowers it to the positions that a table has; relative ones have no end. */
    model->max_tokens = INT64_MAX;
    std::optional<Adapter> adapter;
    if (options.adapter != nullptr) adapter.emplace(model->host, options.adapter);
    Builder build{host, folder, keys, family, *weights, *model, adapter ? &*adapter : nullptr};
    std::string architecture;
    json_t *names = json_object_get(config.get(), "architectures");
    if (json_is_string(json_array_get(names, 0)))
        architecture = json_string_value(json_array_get(names, 0));
    if (adapter && !ends_with(architecture, adapter->head().c_str()))
        architecture = model->architecture = adapted_class(architecture, adapter->head());
    model->encoder = family.language ? build_language_stack(build)
                     : family.own_stack != nullptr
                         ? family.own_stack(build)
                         : build_stack(build, family.encoder, family.encoder_keys, false);
    model->vocabulary = model->encoder.words.size(0);
    /* T5EncoderModel and its like are the first of both stacks alone. */
    if (family.language)
        build_language_head(build, architecture);
    else if (family.decoder.block != nullptr && !ends_with(architecture, "EncoderModel"))
        build_seq2seq(build);
    else if (family.own_head != nullptr)
        family.own_head(build, architecture);
    else
        build_head(build, architecture);
    build.check_adapter();
    apply_options(build, options);
    /* A second copy of a tied matrix does not count, nor the number type of the file: the copy that
     * save() writes has neither. */
    for (const Stored &stored : model->stored)
        model->weights_hash =
            hash_join(model->weights_hash, adapter ? tensor_hash(stored.view) : stored.hash);
    if (adapter) model->adapter = options.adapter;
    model->opened_hash = model->weights_hash;
    narrow_model(*model);
    return model;
}

} // namespace alcore_torch
