/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of a model: which one a folder has, by `architectures` of config.json, its tensors, and how
 * its outputs become probabilities. */
#include <cmath>

#include "torch_builder.h"

namespace alcore_torch {

bool ends_with(const std::string &text, const char *end) {
    size_t length = std::char_traits<char>::length(end);
    return text.size() >= length && text.compare(text.size() - length, length, end) == 0;
}

at::Tensor output_matrix(Builder &build, const std::string &name, const at::Tensor &words,
                         int64_t width) {
    const int64_t rows = words.size(0);
    if (build.changes_alike(name, words)) return words;
    if (!build.find(name).empty()) return build.tied(build.read(name, {rows, width}), words);
    if (!build.ties())
        fail(ALCORE_E_DATA,
             "%s: tie_word_embeddings is false, so that the output has a matrix of its own, but "
             "the tensor %s is missing from the weights",
             build.config.path().c_str(), name.c_str());
    if (words.size(1) != width)
        fail(ALCORE_E_DATA,
             "%s: the tensor %s is missing, and embeddings of %lld columns cannot "
             "take its place in a head of %lld",
             build.folder.c_str(), name.c_str(), static_cast<long long>(words.size(1)),
             static_cast<long long>(width));
    return build.shared(name, words);
}

namespace {

/* Dropout of what a classifier reads: that of the classifier where config.json has one, else that
 * of hidden states, which MPNet has always. distilbert: the key that DistilBERT has for it. */
double head_dropout(const Builder &build, const char *distilbert) {
    if (build.is("distilbert")) return build.dropout(distilbert, 0.2);
    if (build.is("mpnet")) return build.model.encoder.dropout.embedding;
    if (build.is("albert")) return build.dropout("classifier_dropout_prob", 0.1);
    return build.dropout(build.is("rembert") ? "classifier_dropout_prob" : "classifier_dropout",
                         build.model.encoder.dropout.embedding);
}

/* The function that sentence-transformers' CrossEncoder applies to the labels of a folder that it
 * has written, by the path of its class; "": it names none. Version 5 and newer write it into a
 * file of theirs, which goes before config.json; before version 4 it had a key of its own there. */
std::string cross_encoder_function(const Builder &build) {
    Json file = read_json(build.host, build.folder, "config_sentence_transformers.json");
    if (json_t *name = json_object_get(file.get(), "activation_fn"); json_is_string(name))
        return json_string_value(name);
    const char *key = "sbert_ce_default_activation_function";
    if (json_t *own = build.config.find("sentence_transformers"))
        if (json_t *name = json_object_get(own, "activation_fn"); json_is_string(name))
            return json_string_value(name);
    return build.config.text(key, "");
}

/* How the outputs of a head over texts become what class_probs() gives: as the pipeline
 * "text-classification" of transformers and CrossEncoder choose it. CrossEncoder writes Identity
 * for several labels where nobody chose a function; their classes exclude each other. */
ClassValues class_values(const Builder &build) {
    const std::string problem = build.config.text("problem_type", "");
    const bool single = build.model.head_out.weight.size(0) == 1;
    if (problem == "regression") return ClassValues::Plain;
    if (problem == "multi_label_classification") return ClassValues::Sigmoid;
    if (problem != "" && problem != "single_label_classification")
        build.config.refuse("problem_type", "regression, single_label_classification or "
                                            "multi_label_classification");
    const std::string function = cross_encoder_function(build);
    const bool identity = ends_with(function, ".Identity");
    if (!single && (function == "" || identity || ends_with(function, ".Softmax")))
        return ClassValues::Softmax;
    if (function == "" || ends_with(function, ".Sigmoid")) return ClassValues::Sigmoid;
    if (identity) return ClassValues::Plain;
    fail(ALCORE_E_UNSUPPORTED,
         "%s: the function '%s' that CrossEncoder applies to its labels is not computed here; "
         "torch.nn.modules.activation.Sigmoid and torch.nn.modules.linear.Identity are",
         build.config.path().c_str(), function.c_str());
}

/* Reads the head over texts. */
void build_classes(Builder &build) {
    const Family &family = build.family;
    Model &model = build.model;
    const int64_t dims = model.encoder.dims;
    model.head_pooled = family.class_pooled;
    model.head_activation = family.class_activation;
    if (family.class_dense != nullptr)
        model.head_dense = build.linear(family.class_dense, dims, dims);
    model.head_out = build.linear(family.class_out, -1, dims);
    model.head_dropout = head_dropout(build, "seq_classif_dropout");
    if (family.class_dropped_before) model.head_dropout_before = model.head_dropout;
    finish_classes(build);
    if (model.head_pooled && !model.pooler.weight.defined())
        fail(ALCORE_E_DATA, "%s: the pooler that the classifier reads is missing",
             build.folder.c_str());
}

} // namespace

void finish_classes(Builder &build) {
    build.model.head = Head::Classes;
    build.model.class_values = class_values(build);
}

namespace {

/* The bias of the output of masked words. BERT and RoBERTa have it under two names, of which files
 * have one or both; the second is the one that counts where both are there and differ. */
at::Tensor output_bias(Builder &build) {
    const std::string second = std::string(build.family.words_out) + ".bias";
    const std::vector<int64_t> shape{build.model.vocabulary};
    if (second == build.family.words_bias || build.find(second).empty())
        return build.read(build.family.words_bias, shape);
    at::Tensor bias = build.read(second, shape);
    if (build.find(build.family.words_bias).empty()) return bias;
    at::Tensor first = build.read(build.family.words_bias, shape);
    Stored &stored = build.model.stored.back();
    build.model.parameters -= first.numel();
    if (at::equal(first, bias)) /* one parameter under both names */
        stored.view = stored.whole = bias;
    else
        build.model.stored.pop_back();
    return bias;
}

/* Reads the head over masked words. */
void build_words_head(Builder &build) {
    const Family &family = build.family;
    Model &model = build.model;
    model.head = Head::Words;
    model.head_activation = family.words_gelu ? Activation::Gelu : model.encoder.activation;
    model.head_dense = build.linear(family.words_dense, -1, model.encoder.dims);
    const int64_t width = model.head_dense.weight.size(0);
    model.head_norm = build.norm(family.words_norm, width, build.epsilon());
    model.head_out.weight =
        output_matrix(build, std::string(family.words_out) + ".weight", model.encoder.words, width);
    model.head_out.bias = output_bias(build);
}

} // namespace

void count_classes(Builder &build) {
    Model &model = build.model;
    if (model.head != Head::Classes && model.head != Head::Tokens) return;
    model.classes = model.head_out.weight.size(0);
    read_labels(model, build.folder);
}

void build_head(Builder &build, const std::string &architecture) {
    const Family &family = build.family;
    Model &model = build.model;
    int64_t dims = model.encoder.dims;
    if (family.pooler != nullptr && !build.find(std::string(family.pooler) + ".weight").empty())
        model.pooler = build.linear(family.pooler, dims, dims);
    if (ends_with(architecture, "ForSequenceClassification")) {
        build_classes(build);
    } else if (ends_with(architecture, "ForTokenClassification")) {
        model.head = Head::Tokens;
        model.head_out = build.linear(family.token_out, -1, dims);
        model.head_dropout = head_dropout(build, "dropout");
    } else if (ends_with(architecture, "ForQuestionAnswering")) {
        model.head = Head::Answers;
        model.head_out = build.linear("qa_outputs", 2, dims);
    } else if (ends_with(architecture, "ForMaskedLM") ||
               /* ELECTRA's says which tokens were replaced. */
               (ends_with(architecture, "ForPreTraining") && !build.is("electra"))) {
        build_words_head(build);
    }
    count_classes(build);
}

void build_seq2seq(Builder &build) {
    const Family &family = build.family;
    Model &model = build.model;
    model.head = Head::Seq2seq;
    model.decoder = build_stack(build, family.decoder, family.decoder_keys, true);
    const at::Tensor &words = model.decoder->words;
    model.vocabulary = words.size(0);
    model.head_out.weight = output_matrix(build, "lm_head.weight", words, model.decoder->dims);
    at::Tensor bias = build.read_if("final_logits_bias", {1, model.vocabulary});
    if (bias.defined()) {
        model.head_out.bias = bias.squeeze(0);
        model.stored.back().constant = true;
    }
    /* T5 scales what enters a tied output matrix; configurations say so in one of two ways. */
    bool scaled = build.is("t5") && build.config.flag("scale_decoder_outputs", build.ties());
    if (scaled) model.output_scale = 1.0 / std::sqrt(static_cast<double>(model.decoder->dims));
    build_generation(build);
}

} // namespace alcore_torch
