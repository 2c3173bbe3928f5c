/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: context, errors, random numbers, tensors, version, parameters and struct initializers. */
#include <string.h>

#include "sweep.h"

NEVER(alcore_version, 0) {
    HOLDS(strcmp(alcore_version(), ALCORE_VERSION) == 0);
}
NEVER(alcore_abi, 0) {
    HOLDS(alcore_abi() == ALCORE_ABI);
}
NEVER(alcore_feature, 0) {
    HOLDS(alcore_feature("zlib") >= 0 && alcore_feature("nonsense") == -1);
}
NEVER(alcore_build_info, 0) {
    HOLDS(alcore_build_info()[0] == '{');
}
NEVER(alcore_status_name, 0) {
    HOLDS(strcmp(alcore_status_name(ALCORE_E_NOMEM), "ALCORE_E_NOMEM") == 0);
}
NEVER(alcore_last_error, 0) {
    HOLDS(alcore_last_error());
}
NEVER(alcore_error_set, 0) {
    HOLDS(alcore_error_set(ALCORE_E_DATA, "text", 4) == ALCORE_E_DATA &&
          strcmp(alcore_last_error(), "text") == 0);
}

/* A struct that was begun by the function is the one that its macro gives. */
NEVER(alcore_struct_begin, 0) {
    alcore_model_host by_macro = ALCORE_MODEL_HOST_INIT, by_function;
    memset(&by_function, 0x5A, sizeof by_function);
    HOLDS(alcore_struct_begin(&by_function, sizeof by_function, "alcore_model_host") == ALCORE_OK &&
          memcmp(&by_function, &by_macro, sizeof by_macro) == 0);
}

NEVER(alcore_extra_struct_begin, 0) {
    alcore_train_options by_macro = ALCORE_TRAIN_OPTIONS_INIT, by_function;
    memset(&by_function, 0x5A, sizeof by_function);
    HOLDS(alcore_extra_struct_begin(&by_function, sizeof by_function, "alcore_train_options") ==
              ALCORE_OK &&
          memcmp(&by_function, &by_macro, sizeof by_macro) == 0);
}

ALLOCATES(alcore_ctx_new, 0) {
    alcore_ctx *out = w->ctx;
    alcore_allocator table = fault_table(&w->fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.allocator = &table;
    options.module_dir = "/nowhere";
    alcore_status status = alcore_ctx_new(&options, &out);
    MADE(alcore_ctx_unref, status, out);
}
NEVER(alcore_ctx_ref, 0) {
    alcore_ctx_unref(alcore_ctx_ref(w->ctx));
    HOLDS(!alcore_ctx_ref(NULL));
}
NEVER(alcore_ctx_unref, 0) {
    alcore_ctx_unref(NULL);
    alcore_ctx_unref(alcore_ctx_ref(w->ctx));
    HOLDS(alcore_ctx_threads(w->ctx) == 1);
}
NEVER(alcore_ctx_cancel, 0) {
    alcore_ctx_cancel(w->ctx);
    alcore_ctx_cancel_clear(w->ctx);
    HOLDS(true);
}
NEVER(alcore_ctx_is_cancelled, 0) {
    alcore_ctx_cancel(w->ctx);
    const int32_t cancelled = alcore_ctx_is_cancelled(w->ctx);
    alcore_ctx_cancel_clear(w->ctx);
    HOLDS(cancelled == 1 && alcore_ctx_is_cancelled(w->ctx) == 0);
}
NEVER(alcore_ctx_poll, 0) {
    HOLDS(alcore_ctx_poll(w->ctx, "polling", 1, 2) == ALCORE_OK);
}
NEVER(alcore_ctx_cancel_clear, 0) {
    alcore_ctx_cancel_clear(w->ctx);
    HOLDS(true);
}
NEVER(alcore_ctx_threads, 0) {
    HOLDS(alcore_ctx_threads(w->ctx) == 1);
}
NEVER(alcore_device_builtin_name, 0) {
    HOLDS(strcmp(alcore_device_builtin_name(0), "cpu") == 0);
}
NEVER(alcore_device_check, 0) {
    return alcore_device_check(w->ctx, "cpu");
}
NEVER(alcore_tensor_init, 0) {
    float data[2] = {0, 0};
    int64_t shape[1] = {2};
    alcore_tensor tensor;
    (void)w;
    return alcore_tensor_init(&tensor, data, ALCORE_FLOAT32, shape, 1);
}
