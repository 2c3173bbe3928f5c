/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of decoding, as generate() of transformers 5 finds them: those of generation_config.json
 * where that file exists, which then count alone, else those of config.json. */
#include <cmath>
#include <cstdlib>
#include <limits>

#include "torch_builder.h"

namespace alcore_torch {

namespace {

/* Tokens of the longest output where no file says one: generate() would end outputs at 20, in the
 * middle of most sentences. */
constexpr int64_t LONGEST = 199;

/* Reads keys into a Generation. */
struct Reader {
    const Keys keys;
    int64_t vocabulary;
    Generation &out;
    bool language; /* of a language model */

    /* An integer of `least` or more. */
    int64_t count(const char *key, int64_t least, int64_t otherwise) const {
        int64_t value = keys.integer(key, otherwise);
        if (value < least && keys.has(key))
            keys.refuse(key, ("an integer of " + std::to_string(least) + " or more").c_str());
        return value;
    }
    /* One token; -1: the key is not there. */
    int64_t token(const char *key) const {
        std::vector<int64_t> ids = keys.ids(key, vocabulary);
        if (ids.size() > 1) keys.refuse(key, "one token id");
        return ids.empty() ? -1 : ids[0];
    }
    /* A factor above 0. */
    double factor(const char *key) const {
        double value = keys.real(key, 1);
        if (!(value > 0)) keys.refuse(key, "above 0");
        return value;
    }
    /* A share, 0 to 1. */
    double share(const char *key, double otherwise) const {
        double value = keys.real(key, otherwise);
        if (!(value >= 0 && value <= 1)) keys.refuse(key, "0 to 1");
        return value;
    }
    SequenceBias sequence(json_t *ids, const char *key, double bias) const {
        std::vector<int64_t> tokens = keys.ids_of(ids, key, vocabulary);
        if (!json_is_array(ids) || tokens.empty())
            keys.refuse(key, "lists of token ids, none empty");
        int64_t last = tokens.back();
        tokens.pop_back();
        return {std::move(tokens), last, bias};
    }

    void read_tokens() const;
    void read_lengths() const;
    void read_sequences() const;
    void read_penalties() const;
    void read_search() const;
};

void Reader::read_tokens() const {
    out.ends = keys.ids("eos_token_id", vocabulary);
    out.forced_first = token("forced_bos_token_id");
    if (!keys.has("forced_bos_token_id") && keys.flag("force_bos_token_to_be_generated", false))
        out.forced_first = token("bos_token_id");
    out.forced_last = keys.ids("forced_eos_token_id", vocabulary);
    out.suppressed = keys.ids("suppress_tokens", vocabulary);
    out.suppressed_first = keys.ids("begin_suppress_tokens", vocabulary);
    for (const char *key : {"forced_bos_token_id", "forced_eos_token_id"})
        for (int64_t id : keys.ids(key, vocabulary))
            for (int64_t other : out.suppressed)
                if (id == other) keys.refuse(key, "a token that suppress_tokens does not suppress");
}

/* max_new_tokens and min_new_tokens count the tokens of an output, max_length and min_length also
 * the one that starts it; the former come first. */
void Reader::read_lengths() const {
    if (language) { /* max_length counts the prompt */
        const bool total = keys.has("max_length") && !keys.has("max_new_tokens");
        out.longest = count("max_new_tokens", 1, total ? INT64_MAX : LONGEST);
        if (total) out.total = count("max_length", 2, INT64_MAX);
        out.shortest = count("min_new_tokens", 0, 0);
        return;
    }
    out.longest = count("max_new_tokens", 1, count("max_length", 2, LONGEST + 1) - 1);
    out.shortest = count("min_new_tokens", 0, count("min_length", 0, 0) - 1);
}

/* A word that is bad and only ends an output is none, as in transformers. */
void Reader::read_sequences() const {
    constexpr double NEVER = -std::numeric_limits<double>::infinity();
    json_t *words = keys.find("bad_words_ids"), *biases = keys.find("sequence_bias");
    if (words != nullptr && !json_is_array(words)) keys.refuse("bad_words_ids", "a list of lists");
    for (size_t i = 0; i < json_array_size(words); i++) {
        SequenceBias word = sequence(json_array_get(words, i), "bad_words_ids", NEVER);
        bool ends = false;
        for (int64_t id : out.ends) ends = ends || (word.before.empty() && id == word.last);
        if (!ends) out.bad_words.push_back(std::move(word));
    }
    const char *pairs = "a list of pairs of a list of token ids and a number";
    if (biases != nullptr && !json_is_array(biases)) keys.refuse("sequence_bias", pairs);
    for (size_t i = 0; i < json_array_size(biases); i++) {
        json_t *pair = json_array_get(biases, i), *bias = json_array_get(pair, 1);
        if (json_array_size(pair) != 2 || !json_is_number(bias))
            keys.refuse("sequence_bias", pairs);
        out.biases.push_back(
            sequence(json_array_get(pair, 0), "sequence_bias", json_number_value(bias)));
    }
}

void Reader::read_penalties() const {
    out.repetition = factor("repetition_penalty");
    out.source_repetition = factor("encoder_repetition_penalty");
    out.ngram = count("no_repeat_ngram_size", 0, 0);
    out.source_ngram = count("encoder_no_repeat_ngram_size", 0, 0);
    const char *key = "exponential_decay_length_penalty";
    json_t *decay = keys.find(key);
    if (decay == nullptr) return;
    json_t *from = json_array_get(decay, 0), *factor = json_array_get(decay, 1);
    if (json_array_size(decay) != 2 || !json_is_integer(from) || json_integer_value(from) < 0 ||
        !json_is_number(factor) || !(json_number_value(factor) > 0))
        keys.refuse(key, "a number of tokens and a factor above 0");
    out.decay_from = json_integer_value(from);
    out.decay = json_number_value(factor);
}

/* Draws are cut by top_k, top_p and min_p; of other cuts the first is kept by its name. */
void Reader::read_search() const {
    int64_t beams = count("num_beams", 1, 1);
    if (beams > 64) keys.refuse("num_beams", "1 to 64 here");
    out.beams = static_cast<int32_t>(beams);
    out.length_penalty = keys.real("length_penalty", 1);
    json_t *early = keys.find("early_stopping");
    if (json_is_string(early) && std::string(json_string_value(early)) == "never")
        out.early_stopping = EarlyStopping::Never;
    else if (json_is_string(early))
        keys.refuse("early_stopping", "true, false or \"never\"");
    else if (keys.flag("early_stopping", false))
        out.early_stopping = EarlyStopping::Yes;
    out.renormalize = keys.flag("renormalize_logits", false);
    out.sample = keys.flag("do_sample", false);
    out.temperature = factor("temperature");
    out.top_k = count("top_k", 0, 0);
    out.top_p = share("top_p", 1);
    out.min_p = share("min_p", 0);
    static const struct {
        const char *key;
        double none; /* with which nothing is cut */
    } cuts[] = {{"typical_p", 1}, {"epsilon_cutoff", 0}, {"eta_cutoff", 0}, {"top_h", -1}};
    for (const auto &cut : cuts)
        if (out.unknown_cut.empty() && keys.real(cut.key, cut.none) != cut.none)
            out.unknown_cut = cut.key;
}

/* A hash of what an object says, but for keys that saving changes. */
uint64_t hash_of(const Json &object) {
    Json copy(json_copy(object.get()), json_decref);
    for (const char *key : {"dtype", "torch_dtype", "transformers_version"})
        json_object_del(copy.get(), key);
    char *text = json_dumps(copy.get(), JSON_SORT_KEYS | JSON_COMPACT);
    if (text == nullptr) throw std::bad_alloc();
    uint64_t hash = text_hash(text);
    std::free(text);
    return hash;
}

} // namespace

/* The token that starts an output is decoder_start_token_id, else bos_token_id; where the file has
 * neither, what config.json says, and at last pad_token_id, so that a folder can be used for which
 * generate() asks its caller. */
void build_generation(Builder &build) {
    Model &model = build.model;
    std::string path = build.folder + "/generation_config.json";
    Json own = read_json(build.host, build.folder, "generation_config.json");
    Keys keys = own ? Keys(own, path) : build.config;
    model.generation.path = keys.path();
    model.generation.hash = hash_of(own ? own : model.config);
    const bool language = model.head == Head::Language;
    const Reader reader{keys, model.vocabulary, model.generation, language};
    const Reader config{build.config, model.vocabulary, model.generation, language};
    reader.read_tokens();
    reader.read_lengths();
    reader.read_sequences();
    reader.read_penalties();
    reader.read_search();
    if (language) return; /* outputs start with their prompts */
    model.start_rolled = build.is("mbart");
    for (const Reader *from : {&reader, &config})
        for (const char *key : {"decoder_start_token_id", "bos_token_id"})
            if (model.start < 0) model.start = from->token(key);
    if (model.start < 0) model.start = reader.token("pad_token_id");
    if (model.start < 0) model.start = config.token("pad_token_id");
}

} // namespace alcore_torch
