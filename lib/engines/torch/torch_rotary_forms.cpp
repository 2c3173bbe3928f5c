/* SPDX-License-Identifier: Apache-2.0 */
/* Frequencies of rotary positions. For a head of n components, i = 0 .. n/2 - 1, and a base theta:
 *
 *     default, dynamic   f_i = theta^(-2i/n)
 *     linear             f_i / factor
 *     llama3             f_i where it turns at least high_freq_factor times within the original
 *                        length, f_i / factor where less than low_freq_factor times; between both
 *                        their mean, weighted by the number of turns
 *     yarn               f_i / factor and f_i, mixed by a ramp over i between the components that
 *                        turn beta_fast and beta_slow times (Peng et al. 2023); sines and cosines
 *                        are scaled by 0.1 ln(factor) + 1, or by attention_factor
 *
 * In float32 and in the order of transformers (modeling_rope_utils.py), since an error of the last
 * digit grows with the position. */
#include <cmath>

#include "torch_rotary.h"
#include "torch_rotary_forms.h"

namespace alcore_torch {

namespace {

constexpr double PI = 3.14159265358979323846;

/* rope_parameters or, in older files, rope_scaling, which goes before it; the object is empty where
 * config.json has neither. */
Keys parameters_of(const Keys &config, const RotaryKeys &keys) {
    const char *key =
        keys.scaled && config.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
    json_t *found = config.find(key);
    std::string path = config.path() + ": " + key;
    if (found != nullptr && !json_is_object(found)) config.refuse(key, "an object");
    if (found != nullptr && keys.kind != nullptr && key == std::string("rope_parameters")) {
        found = json_object_get(found, keys.kind);
        path += std::string(".") + keys.kind;
        if (found != nullptr && !json_is_null(found) && !json_is_object(found))
            config.refuse(key, "an object of objects");
    }
    if (!json_is_object(found)) return Keys(Json(json_object(), json_decref), path);
    return Keys(Json(json_incref(found), json_decref), path);
}

/* A number above 0 that must be there. */
double positive(const Keys &keys, const char *key) {
    const double value = keys.real(key, 0);
    if (!(value > 0)) keys.refuse(key, "a number above 0");
    return value;
}

/* The length that the model was made for before its positions were stretched. */
double original_length(const Keys &config, const Keys &own) {
    const char *key = "original_max_position_embeddings";
    if (config.has(key)) return positive(config, key);
    return own.has(key) ? positive(own, key) : positive(config, "max_position_embeddings");
}

at::Tensor llama3(const Keys &config, const Keys &own, const at::Tensor &plain) {
    const double factor = positive(own, "factor"), low = positive(own, "low_freq_factor"),
                 high = positive(own, "high_freq_factor"), length = original_length(config, own);
    if (high <= low) own.refuse("high_freq_factor", "more than low_freq_factor");
    const at::Tensor wave = at::reciprocal(plain) * (2 * PI);
    const at::Tensor far = at::where(wave > length / low, plain / factor, plain);
    const at::Tensor share = (at::reciprocal(wave) * length - low) / (high - low);
    const at::Tensor mixed = (1 - share) * far / factor + share * far;
    const at::Tensor between =
        at::logical_and((wave < length / high).logical_not(), (wave > length / low).logical_not());
    return at::where(between, mixed, far);
}

/* 0.1 weight ln(factor) + 1 */
double yarn_scale(double factor, double weight) {
    return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

Rotation yarn(const Keys &config, const Keys &own, int64_t head, double theta) {
    const double length = original_length(config, own);
    const double factor = own.has("factor") ? positive(own, "factor")
                                            : positive(config, "max_position_embeddings") / length;
    const double weight = own.real("mscale", 0), all = own.real("mscale_all_dim", 0);
    const double scale = own.has("attention_factor") ? positive(own, "attention_factor")
                         : weight != 0 && all != 0
                             ? yarn_scale(factor, weight) / yarn_scale(factor, all)
                             : yarn_scale(factor, 1);
    const double n = static_cast<double>(head);
    /* The component whose angle makes `turns` full turns within the length. */
    auto component = [&](double turns) {
        return n * std::log(length / (turns * 2 * PI)) / (2 * std::log(theta));
    };
    const double fast = own.real("beta_fast", 0), slow = own.real("beta_slow", 0);
    double low = component(fast == 0 ? 32 : fast), high = component(slow == 0 ? 1 : slow);
    if (own.flag("truncate", true)) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, n - 1);
    if (low == high) high += 0.001;
    const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat);
    const at::Tensor ramp = ((at::arange(head / 2, options) - low) / (high - low)).clamp(0, 1);
    const at::Tensor waves = at::pow(theta, at::arange(0, head, 2, options) / n);
    const at::Tensor kept = 1 - ramp;
    return {at::reciprocal(waves * factor) * (1 - kept) + at::reciprocal(waves) * kept, scale};
}

} // namespace

Rotation read_rotation(const Keys &config, const RotaryKeys &keys, int64_t head) {
    const Keys own = parameters_of(config, keys);
    const std::string otherwise = own.text("type", "default"), /* in older files */
        type = own.text("rope_type", otherwise.c_str());
    const double theta = own.has("rope_theta")        ? positive(own, "rope_theta")
                         : config.has(keys.theta_key) ? positive(config, keys.theta_key)
                                                      : keys.theta;
    for (const Keys *place : {&own, &config})
        if (place->real("partial_rotary_factor", 1) != 1)
            place->refuse("partial_rotary_factor", "1 in what is computed here",
                          ALCORE_E_UNSUPPORTED);
    if (head % 2 != 0)
        fail(ALCORE_E_DATA, "%s: rotary positions need heads of an even number of components",
             config.path().c_str());
    const at::Tensor plain = rotary_frequencies(theta, head);
    if (type == "default" || type == "dynamic") return plain;
    if (type == "linear") return plain / positive(own, "factor");
    if (type == "llama3") return llama3(config, own, plain);
    if (type == "yarn") return yarn(config, own, head, theta);
    own.refuse(own.has("rope_type") ? "rope_type" : "type",
               "default, linear, dynamic, llama3 or yarn in what is computed here",
               ALCORE_E_UNSUPPORTED);
}

} // namespace alcore_torch
