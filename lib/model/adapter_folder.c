/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the base of an adapter of PEFT (adapter_folder.h). */
#include "model/adapter_folder.h"

#include <string.h>

#include "model/folder_kind.h"
#include "tokenizer/folder_files.h"
#include "tokenizer/json_part.h"

/* *out = PREFIX/NAME, or NAME without a prefix, where that is a folder with config.json; else NULL.
 */
static alcore_status try_folder(alcore_ctx *ctx, const char *prefix, alcore__name name,
                                char **out) {
    alcore__buffer folder = {0};
    bool found = false;
    *out = NULL;
    alcore_status status =
        alcore__buffer_format(ctx, &folder, "%s%s", prefix ? prefix : "", prefix ? "/" : "");
    if (status == ALCORE_OK) status = alcore__buffer_append(ctx, &folder, name.text, name.length);
    if (status == ALCORE_OK) status = alcore__buffer_append(ctx, &folder, "", 1);
    if (status == ALCORE_OK)
        status = alcore__folder_has_file(ctx, folder.data, "config.json", &found);
    if (status == ALCORE_OK && found) {
        *out = folder.data;
        return ALCORE_OK;
    }
    alcore__buffer_clear(ctx, &folder);
    return status;
}

/* The folder that base_model_name_or_path names. */
static alcore_status find_base(alcore_ctx *ctx, const char *path, const alcore__part *config,
                               char **out) {
    alcore__name name = {0};
    ALCORE__TRY(alcore__part_text(config, "base_model_name_or_path", &name));
    const bool named = name.text && name.length > 0;
    if (named && *name.text != '/') ALCORE__TRY(try_folder(ctx, path, name, out));
    if (named && !*out) ALCORE__TRY(try_folder(ctx, NULL, name, out));
    if (*out) return ALCORE_OK;
    if (!named)
        return alcore__part_fail(
            config, ALCORE_E_NOT_FOUND,
            "base_model_name_or_path is missing; write the folder of the model "
            "there that the adapter was trained on");
    return alcore__part_fail(config, ALCORE_E_NOT_FOUND,
                             "base_model_name_or_path is '%.*s', which is no folder with "
                             "config.json, neither beside this file nor in the working directory; "
                             "models are not fetched: download it, and write the path of its "
                             "folder there, absolute or relative to this folder",
                             name.length > 200 ? 200 : (int)name.length, name.text);
}

/* What an adapter has beside its config, and may not have. */
static alcore_status check_files(alcore_ctx *ctx, const char *path) {
    bool found;
    ALCORE__TRY(alcore__folder_has_file(ctx, path, "modules.json", &found));
    if (found)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s holds an adapter of PEFT and modules of sentence-transformers "
                            "(modules.json), which are not read together; merge it there once: "
                            "model[0].auto_model.merge_and_unload()",
                            path);
    ALCORE__TRY(alcore__folder_has_file(ctx, path, "adapter_model.safetensors", &found));
    if (found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_has_file(ctx, path, "adapter_model.bin", &found));
    return alcore__fail(found ? ALCORE_E_UNSUPPORTED : ALCORE_E_IO,
                        found ? "%s holds adapter_model.bin, which is code, not data; open the "
                                "adapter with PEFT and save it again with save_pretrained()"
                              : "%s: adapter_model.safetensors is missing",
                        path);
}

alcore_status alcore__adapter_base(alcore_ctx *ctx, const char *path, char **out) {
    alcore__buffer name = {0}, text = {0};
    alcore__arena arena = {0};
    alcore__part config;
    bool found, weights = false;
    *out = NULL;
    alcore_status status =
        alcore__folder_read(ctx, path, "adapter_config.json", &name, &text, &found);
    if (status == ALCORE_OK && found) status = alcore__folder_has_weights(ctx, path, &weights);
    if (status == ALCORE_OK && found && !weights) {
        status = check_files(ctx, path);
        if (status == ALCORE_OK) status = alcore__part_open(ctx, &arena, &text, name.data, &config);
        if (status == ALCORE_OK) status = find_base(ctx, path, &config, out);
    }
    alcore__buffer_clear(ctx, &name);
    alcore__buffer_clear(ctx, &text);
    alcore__arena_clear(ctx, &arena);
    return status;
}
