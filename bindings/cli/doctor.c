/* SPDX-License-Identifier: Apache-2.0 */
/* alcore doctor: which features this build has, which devices and models it can use on this
 * machine, and for those that it cannot use the reason. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "doctor_torch.h"
#include "terminal.h"
#include "text_output.h"
#include "torch_step.h"

/* The devices, each with whether it can be used and, if not, why ("detail"). */
static json_t *list_devices(alcore_ctx *ctx) {
    json_t *devices = json_array();

    for (int32_t i = 0; alcore_device_builtin_name(i); i++) {
        const char *name = alcore_device_builtin_name(i);
        bool usable = alcore_device_check(ctx, name) == ALCORE_OK;
        json_array_append_new(devices,
                              json_pack("{s:s, s:b, s:s}", "device", name, "usable", usable,
                                        "detail", usable ? "" : alcore_last_error()));
    }
    return devices;
}

/* Whether Hugging Face models can be opened and, if not, why and what mends it ("detail");
 * searched: torch_report lists the copies of torch that there are already. */
static json_t *check_models(alcore_ctx *ctx, bool searched) {
    const alcore_status status = alcore_model_check_engine(ctx);
    char *detail = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&detail, &length);
    if (text && status != ALCORE_OK && (searched || !torch_step_print(text)))
        terminal_error(text, status);
    if (text) fclose(text);
    json_t *found =
        json_pack("{s:b, s:s}", "usable", status == ALCORE_OK, "detail", detail ? detail : "");
    free(detail);
    return found;
}

int command_doctor(const arguments *args) {
    alcore_ctx *ctx = NULL;
    torch_report torch;
    json_t *build, *devices, *models;

    TRY(doctor_torch(args, &torch));
    int code = terminal_context(args, &ctx);
    if (code != EXIT_DONE) return code;
    build = json_loads(alcore_build_info(), 0, NULL);
    devices = list_devices(ctx);
    models = check_models(ctx, option_given(args, OPTION_TORCH));
    if (option_given(args, OPTION_JSON)) {
        json_t *all =
            json_pack("{s:s, s:i, s:i, s:O?, s:O, s:O, s:o}", "version", alcore_version(), "abi",
                      (int)alcore_abi(), "threads", (int)alcore_ctx_threads(ctx), "build", build,
                      "devices", devices, "models", models, "torch", doctor_torch_json(&torch));
        code = print_json_object(all);
    } else {
        size_t i;
        json_t *device, *value;
        const char *key;

        printf("alcore %s, ABI %d, %d threads\n", alcore_version(), (int)alcore_abi(),
               (int)alcore_ctx_threads(ctx));
        json_object_foreach(build, key, value) {
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
            printf("%s: %s\n", key, text ? text : "");
            free(text);
        }
        json_array_foreach(devices, i, device) {
            const char *detail = json_string_value(json_object_get(device, "detail"));
            printf("device %s: %s%s%s\n", json_string_value(json_object_get(device, "device")),
                   json_is_true(json_object_get(device, "usable")) ? "usable" : "not usable",
                   *detail ? ": " : "", detail);
        }
        const char *detail = json_string_value(json_object_get(models, "detail"));
        printf("Hugging Face models: %s%s\n", *detail ? "not usable: " : "usable", detail);
        doctor_torch_print(&torch);
    }
    if (code == EXIT_DONE) code = doctor_torch_outcome(args, &torch);
    json_decref(build);
    json_decref(devices);
    json_decref(models);
    alcore_ctx_unref(ctx);
    return code;
}
