/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: the state of a training as two files of its folder.
 *
 *     state-0.safetensors, state-1.safetensors   weight/NAME, first/NAME, second/NAME: weights and
 *                                                the moments of their gradients
 *     checkpoint.json                            which of the two is valid, the hash of its values,
 *                                                the progress of the training, and its settings
 *     checkpoint-before.json                     the same of the other one
 *
 * A new state goes into the file that checkpoint.json does not name, checkpoint.json is copied to
 * checkpoint-before.json, and then it is replaced. Each file appears whole or not at all, so at
 * every moment the folder has a checkpoint that fits together. One that is damaged later, on the
 * disk, is passed over with a warning, and the training goes on from the one before it. Settings
 * contain hashes of the data and of the weights that the folder was opened with: a checkpoint
 * continues the training that it was made by, and no other. */
#include <cmath>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "torch_lora.h"

namespace alcore_torch {

namespace {

constexpr const char *MANIFEST = "checkpoint.json";
constexpr const char *MANIFEST_BEFORE = "checkpoint-before.json";
constexpr const char *FORMAT = "alcore training 1";
constexpr const char *FORMATS = "alcore training "; /* what the names of all versions begin with */

std::string hex(uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

/* Hash of count numbers; 0 where there are none. */
template <class T> uint64_t hash_of(const T *values, int64_t count) {
    return values == nullptr ? 0 : XXH3_64bits(values, static_cast<size_t>(count) * sizeof *values);
}

/* Hash of the tokens of all texts, for settings_of(); "none" where the training has no such texts.
 */
std::string hash_texts(const alcore_sys_model_texts *texts) {
    if (texts == nullptr) return "none";
    int64_t tokens = texts->offsets[texts->count];
    uint64_t hash = hash_of(texts->offsets, texts->count + 1);
    hash = hash_join(hash, hash_of(texts->ids, tokens));
    return hex(hash_join(hash, hash_of(texts->types, tokens)));
}

/* Everything that the result of a training depends on, but the number of threads. training.how has
 * been checked, and defaults are filled in. */
Json settings_of(const Training &training) {
    const alcore_sys_model_training &how = training.how;
    const Model &model = training.model;
    Json out(json_object(), json_decref);
    auto set = [&](const char *key, json_t *value) {
        if (json_object_set_new(out.get(), key, value) != 0) throw std::bad_alloc();
    };
    auto text = [&](const char *key, const std::string &value) {
        set(key, json_string(value.c_str()));
    };
    std::unique_ptr<char, decltype(&std::free)> config(
        json_dumps(model.config.get(), JSON_COMPACT | JSON_SORT_KEYS), std::free);
    if (!config) throw std::bad_alloc();
    /* Labels: one a text for a classifier of texts, two (the first and the last token of the
     * answer) for a head for answers, else one a token of the sources. */
    int64_t labels = model.head == Head::Classes   ? how.sources->count
                     : model.head == Head::Answers ? 2 * how.sources->count
                                                   : how.sources->offsets[how.sources->count];
    text("family", model.family);
    text("device", c10::DeviceTypeName(model.device.type(), true)); /* they draw dropout apart */
    text("config", hex(XXH3_64bits(config.get(), std::strlen(config.get()))));
    text("model", hex(model.opened_hash));
    text("sources", hash_texts(how.sources));
    const bool texts = model.head == Head::Seq2seq || model.head == Head::Language;
    text("targets", hash_texts(texts ? how.targets : nullptr));
    text("labels", texts ? "none" : hex(hash_of(how.labels, labels)));
    /* Marks choose the tokens that the probabilities of an answer are over. */
    text("marks", model.head != Head::Answers || how.sources->marks == nullptr
                      ? "none"
                      : hex(hash_of(how.sources->marks, how.sources->offsets[how.sources->count])));
    text("weights", hex(hash_of(how.weights, how.sources->count)));
    set("rate", ::json_real(how.rate));
    set("weight_decay", ::json_real(how.weight_decay));
    set("beta1", ::json_real(how.beta1));
    set("beta2", ::json_real(how.beta2));
    set("epsilon", ::json_real(how.epsilon));
    set("clip", ::json_real(how.clip));
    set("label_smoothing", ::json_real(how.label_smoothing));
    set("updates", json_integer(how.updates));
    set("warmup", json_integer(how.warmup));
    set("accumulate", json_integer(how.accumulate));
    set("batch_tokens", json_integer(how.batch_tokens));
    set("schedule", json_integer(how.schedule));
    set("optimizer", json_integer(how.optimizer));
    text("dtype", c10::toString(products_type(how)));
    text("seed", hex(how.seed));
    if (training.lora) text("lora", lora_settings(*training.lora));
    return out;
}

/* A setting as JSON, for a message; "none" where it is missing. */
std::string text_of(json_t *value) {
    std::unique_ptr<char, decltype(&std::free)> text(
        value == nullptr ? nullptr : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)),
        std::free);
    return text ? text.get() : "none";
}

/* Fails unless both settings are equal, and names the first that differs. */
void compare(const std::string &path, const Json &made_with, const Json &now) {
    const char *key;
    json_t *value;
    json_object_foreach(now.get(), key, value) {
        json_t *other = json_object_get(made_with.get(), key);
        if (other != nullptr && json_equal(value, other)) continue;
        fail(ALCORE_E_INVALID,
             "%s was written by another training: its %s is %s, here it is %s; take another folder "
             "for checkpoints",
             path.c_str(), key, text_of(other).c_str(), text_of(value).c_str());
    }
    if (json_object_get(made_with.get(), "lora") != nullptr &&
        json_object_get(now.get(), "lora") == nullptr)
        fail(ALCORE_E_INVALID,
             "%s was written by the training of an adapter, and here the model itself is trained; "
             "take another folder for checkpoints",
             path.c_str());
}

/* Calls body(name, tensor) for the three tensors of each parameter, always in the same order. */
template <class Body> void for_state(const Training &training, const Body &body) {
    for (const Parameter &p : training.parameters) {
        body("weight/" + p.name, p.value);
        body("first/" + p.name, p.first);
        body("second/" + p.name, p.second);
    }
}

/* Hash of the state, which read_checkpoint() compares with the hash of what it reads. */
uint64_t hash_state(const Training &training) {
    uint64_t hash = 0;
    for_state(training, [&](const std::string &, const at::Tensor &tensor) {
        hash = hash_join(hash, tensor_hash(tensor));
    });
    return hash;
}

/* The state file that a manifest names; it must be one of the two. */
std::string state_file(const std::string &path, const Json &manifest) {
    std::string name = json_text(manifest, "state", "");
    if (name != "state-0.safetensors" && name != "state-1.safetensors")
        fail(ALCORE_E_CORRUPT, "%s: 'state' names no file of a checkpoint", path.c_str());
    return name;
}

/* Writes a manifest as a file of the folder. One that could not be made for lack of memory is NULL,
 * of which json_dumps() makes NULL. */
void write_manifest(const Host &host, const std::string &folder, const char *name,
                    const Json &manifest) {
    std::unique_ptr<char, decltype(&std::free)> text(json_dumps(manifest.get(), JSON_INDENT(2)),
                                                     std::free);
    if (!text) throw std::bad_alloc();
    write_text(host, folder + "/" + name, text.get() + std::string("\n"));
}

} // namespace

/* The state file of the checkpoint from which this training went on, or which it wrote last, stays;
 * the other one is written first; then the manifests, of which the new one names it. */
void write_checkpoint(Training &training) {
    const Host &host = training.model.host;
    std::string folder = training.how.checkpoints;
    check(host.table->folder_make(host.user, folder.c_str()));
    const Json &before = training.checkpoint;
    bool zero = before && json_text(before, "state", "") == "state-0.safetensors";
    const char *state = zero ? "state-1.safetensors" : "state-0.safetensors";
    std::vector<Written> tensors;
    for_state(training, [&](const std::string &name, const at::Tensor &tensor) {
        tensors.push_back(
            {name, at::kFloat, tensor.sizes().vec(), [tensor] { return tensor.detach(); }});
    });
    write_tensors(host, folder + "/" + state, std::move(tensors));
    const Position &at = training.at;
    Json settings = settings_of(training);
    Json manifest(json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:O}", "format",
                            FORMAT, "state", state, "hash", hex(hash_state(training)).c_str(),
                            "update", static_cast<json_int_t>(at.update), "epoch",
                            static_cast<json_int_t>(at.epoch), "pass",
                            static_cast<json_int_t>(at.pass), "loss", at.loss, "scale", at.scale,
                            "steady", static_cast<json_int_t>(at.steady), "moved",
                            static_cast<json_int_t>(at.moved), "settings", settings.get()),
                  json_decref);
    if (before) write_manifest(host, folder, MANIFEST_BEFORE, before);
    write_manifest(host, folder, MANIFEST, manifest);
    training.checkpoint = std::move(manifest);
}

namespace {

/* The state file is read twice: first all of it is checked, then its values are copied into the
 * tensors of the training, so that a damaged file changes nothing. */
bool read_manifest(Training &training, const char *file) {
    const Host &host = training.model.host;
    std::string folder = training.how.checkpoints, path = folder + "/" + file;
    Json manifest = read_json(host, folder, file);
    if (!manifest) return false;
    std::string format = json_text(manifest, "format", "");
    /* A later form is no damage: an older checkpoint beside it is not taken in its place. */
    if (format != FORMAT)
        fail(format.rfind(FORMATS, 0) == 0 ? ALCORE_E_UNSUPPORTED : ALCORE_E_CORRUPT,
             "%s: 'format' is \"%s\"; this release reads \"%s\"", path.c_str(), format.c_str(),
             FORMAT);
    Json made_with(json_incref(json_object_get(manifest.get(), "settings")), json_decref);
    compare(path, made_with, settings_of(training));
    Position at;
    at.update = json_int(manifest, "update", -1);
    at.epoch = json_int(manifest, "epoch", -1);
    at.pass = json_int(manifest, "pass", -1);
    at.loss = json_real(manifest, "loss", 0);
    at.scale = json_real(manifest, "scale", 0);
    at.steady = json_int(manifest, "steady", -1);
    at.moved = json_int(manifest, "moved", -1);
    if (at.update < 0 || at.update > training.how.updates || at.epoch < 0 || at.epoch > at.update ||
        at.pass < 0 || at.pass >= static_cast<int64_t>(passes_of(training.how, at.epoch).size()))
        fail(ALCORE_E_CORRUPT, "%s: update, epoch or pass is missing or out of range",
             path.c_str());
    if (!(at.scale > 0) || !std::isfinite(at.scale) || at.steady < 0 || at.steady > at.update ||
        at.moved < 0 || at.moved > at.update)
        fail(ALCORE_E_CORRUPT, "%s: scale, steady or moved is missing or out of range",
             path.c_str());
    std::string name = state_file(path, manifest);
    Weights state(host, folder, name.c_str());
    uint64_t hash = 0;
    for_state(training, [&](const std::string &key, const at::Tensor &tensor) {
        at::Tensor value = state.read(key, tensor.sizes().vec());
        if (value.scalar_type() != at::kFloat)
            fail(ALCORE_E_CORRUPT, "%s/%s: tensor %s is not float32", folder.c_str(), name.c_str(),
                 key.c_str());
        hash = hash_join(hash, tensor_hash(value));
    });
    if (hex(hash) != json_text(manifest, "hash", ""))
        fail(ALCORE_E_CORRUPT, "%s/%s: its numbers are not those that %s speaks of", folder.c_str(),
             name.c_str(), file);
    c10::NoGradGuard no_gradients;
    for_state(training, [&](const std::string &key, const at::Tensor &tensor) {
        tensor.copy_(state.read(key, tensor.sizes().vec()));
    });
    training.at = at;
    training.checkpoint = std::move(manifest);
    return true;
}

/* Whether a failure says that a file of the checkpoint is damaged; another training, a lack of
 * memory and a cancelled call are no reason to look for an older one. */
bool is_damage(const Failure &failure) {
    return failure.status == ALCORE_E_CORRUPT || failure.status == ALCORE_E_DATA ||
           failure.status == ALCORE_E_IO || failure.status == ALCORE_E_SHAPE ||
           failure.status == ALCORE_E_MISSING;
}

/* Whether the manifest of the checkpoint before the last one is there and can be read. It is looked
 * at first, so that the error of the last one stays where there is none before it. */
bool has_one_before(const Training &training) {
    try {
        return read_json(training.model.host, training.how.checkpoints, MANIFEST_BEFORE) != nullptr;
    } catch (const Failure &) {
        return false;
    }
}

} // namespace

bool read_checkpoint(Training &training) {
    const Host &host = training.model.host;
    const bool again = has_one_before(training);
    try {
        return read_manifest(training, MANIFEST);
    } catch (const Failure &damaged) {
        if (!again || !is_damage(damaged)) throw;
        std::string what =
            damaged.text.empty() ? "the last checkpoint cannot be read" : damaged.text;
        read_manifest(training, MANIFEST_BEFORE);
        what += "; the training goes on from the checkpoint before it";
        host.table->log(host.user, LOG_WARN, "torch", what.c_str());
        return true;
    }
}

} // namespace alcore_torch
