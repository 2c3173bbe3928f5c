/* SPDX-License-Identifier: Apache-2.0 */
/* alcore model merge: saves the model that an adapter and its base make, as a folder of its own. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"
#include "train_config.h"

/* With --json: what was merged, and how the new folder has it. */
static int print_json(const arguments *args, const alcore_model *model) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    static const char *const members[] = {"family", "parameters", "dtype"};
    TRY(outcome(alcore_model_get_info(model, &info)));
    json_t *more = info.json ? json_loads(info.json, 0, NULL) : NULL;
    json_t *all = json_pack("{s:s, s:s, s:s, s:s}", "version", alcore_version(), "action", "merge",
                            "model", args->operands[1], "out", args->operands[2]);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_object_get(more, members[i]))
            json_object_set(all, members[i], json_object_get(more, members[i]));
    json_decref(more);
    return print_json_object(all);
}

/* Refuses a folder that is not empty, before the base is read: shards, tokenizers or modules of
 * another model, which the merge does not replace, would be read as parts of the merged one. */
static int check_empty(const char *folder) {
    DIR *listing = opendir(folder);
    if (!listing && errno == ENOENT && path_can_be_made(folder)) return EXIT_DONE;
    if (!listing) return complain(EXIT_IO, "%s cannot be made: %s", folder, strerror(errno));
    const struct dirent *entry;
    while ((entry = readdir(listing)) &&
           (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))) {
    }
    const int code = entry ? complain(EXIT_IO,
                                      "%s is not empty: %s is in it; model merge takes a new or an "
                                      "empty folder",
                                      folder, entry->d_name)
                           : EXIT_DONE;
    closedir(listing);
    return code;
}

/* An opened adapter is merged already. */
static int merge(const arguments *args, alcore_ctx *ctx, alcore_model **model) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    char config[4096];
    TRY(join_path(args->operands[1], "adapter_config.json", config));
    if (access(config, F_OK) != 0)
        return complain(EXIT_DATA, "%s: %s; model merge takes the folder of an adapter of PEFT",
                        config, strerror(errno));
    TRY(check_empty(args->operands[2]));
    TRY(read_folder_options(args, &options));
    if (!option_given(args, OPTION_DTYPE)) options.dtype = ALCORE_FLOAT32; /* on devices, too */
    TRY(outcome(alcore_model_open(ctx, args->operands[1], &options, model)));
    TRY(outcome(alcore_model_save(*model, args->operands[2])));
    terminal_clear();
    return option_given(args, OPTION_JSON) ? print_json(args, *model) : EXIT_DONE;
}

int merge_command(const arguments *args, alcore_ctx *ctx) {
    alcore_model *model = NULL;
    const int code = merge(args, ctx, &model);
    alcore_model_unref(model);
    return code;
}
