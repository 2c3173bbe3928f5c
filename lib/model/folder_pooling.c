/* SPDX-License-Identifier: Apache-2.0 */
/* The config.json of a Pooling of sentence-transformers (folder_reader.h). */
#include "model/folder_reader.h"

/* The ways in which vectors of tokens become one, with the flags of older folders, in the order in
 * which the vectors of several flags stand side by side. */
static const struct {
    const char *mode, *flag;
    int32_t pooling;
} poolings[] = {
    {"cls", "pooling_mode_cls_token", ALCORE_SYS_POOLING_FIRST},
    {"max", "pooling_mode_max_tokens", ALCORE_SYS_POOLING_MAX},
    {"mean", "pooling_mode_mean_tokens", ALCORE_SYS_POOLING_MEAN},
    {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", ALCORE_SYS_POOLING_ROOT},
    {"weightedmean", "pooling_mode_weightedmean_tokens", ALCORE_SYS_POOLING_RISING},
    {"lasttoken", "pooling_mode_lasttoken", ALCORE_SYS_POOLING_LAST},
};
enum { POOLINGS = (int)(sizeof poolings / sizeof *poolings) };

/* Appends a pooling, of which there is room for all flags. */
static void add_pooling(alcore__folder_settings *out, int32_t pooling) {
    out->poolings[out->pooling_count++] = pooling;
}

static alcore_status add_mode(const alcore__part *object, alcore__name mode,
                              alcore__folder_settings *out) {
    if (out->pooling_count == ALCORE__MOST_POOLINGS)
        return alcore__part_fail(object, ALCORE_E_UNSUPPORTED,
                                 "pooling_mode has more than %d modes", ALCORE__MOST_POOLINGS);
    for (int32_t i = 0; i < POOLINGS; i++)
        if (alcore__name_is(mode, poolings[i].mode)) {
            add_pooling(out, poolings[i].pooling);
            return ALCORE_OK;
        }
    return alcore__part_fail(object, ALCORE_E_UNSUPPORTED,
                             "the pooling '%.*s' is not supported (cls, max, mean, "
                             "mean_sqrt_len_tokens, weightedmean and lasttoken are); take the "
                             "embeddings of another program as .npy",
                             mode.length > 64 ? 64 : (int)mode.length, mode.text);
}

/* pooling_mode: a mode, or a list of modes whose vectors stand side by side. */
static alcore_status read_modes(const alcore__part *object, const alcore__part *value,
                                alcore__folder_settings *out) {
    alcore__part list = *value, item;
    alcore__name mode;
    if (alcore__json_kind(&list.value) != '[') {
        ALCORE__TRY(alcore__part_string(value, &mode));
        return add_mode(object, mode, out);
    }
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) {
        ALCORE__TRY(alcore__part_string(&item, &mode));
        ALCORE__TRY(add_mode(object, mode, out));
    }
    if (out->pooling_count == 0)
        return alcore__part_fail(object, ALCORE_E_DATA, "pooling_mode is an empty list");
    return alcore__part_leave(&list);
}

/* The flags of older folders; none is the mean. */
static alcore_status read_flags(const alcore__part *object, alcore__folder_settings *out) {
    for (int32_t i = 0; i < POOLINGS; i++) {
        bool on = false;
        ALCORE__TRY(alcore__part_flag(object, poolings[i].flag, &on));
        if (on) add_pooling(out, poolings[i].pooling);
    }
    if (out->pooling_count == 0) add_pooling(out, ALCORE_SYS_POOLING_MEAN);
    return ALCORE_OK;
}

alcore_status alcore__folder_pooling_read(const alcore__part *object,
                                          alcore__folder_settings *out) {
    alcore__part modes;
    bool include = true;
    ALCORE__TRY(alcore__part_flag(object, "include_prompt", &include));
    out->leaves_prompt_out = !include;
    if (alcore__part_member(object, "pooling_mode", &modes)) return read_modes(object, &modes, out);
    return read_flags(object, out);
}
