/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary positions as config.json describes them, the stretched forms included
 * (torch_rotary_forms.cpp). */
#ifndef ALCORE__TORCH_ROTARY_FORMS_H
#define ALCORE__TORCH_ROTARY_FORMS_H

#include "torch_keys.h"

namespace alcore_torch {

/* Where config.json says how the layers of one kind turn. */
struct RotaryKeys {
    /* key within rope_parameters, such as "full_attention"; NULL: it is the same for all layers */
    const char *kind = nullptr;
    /* key of config.json in older files, whose rope_parameters has no rope_theta */
    const char *theta_key = "rope_theta";
    double theta = 10000; /* where neither has one */
    bool scaled = true;   /* rope_scaling of older files is of these layers */
};

/* Reads the rotary positions of heads of `head` components, in the forms default, linear, dynamic,
 * llama3 and yarn of transformers 5.23; others are refused by their name. Dynamic frequencies
 * change behind max_position_embeddings, where no text reaches. */
Rotation read_rotation(const Keys &config, const RotaryKeys &keys, int64_t head);

} // namespace alcore_torch

#endif
