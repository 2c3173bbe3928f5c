/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that read and change named parameters of a handle; see param_calls.h. */
#include "base/param_calls.h"

#include "base/number.h"

/* Enters the context of the handle, NULL without a handle. */
static alcore_status enter(const void *handle, alcore_ctx **ctx) {
    const alcore__object *object = handle;
    *ctx = !object ? NULL : object->ctx;
    return alcore__enter(*ctx);
}

/* The whole of a public set call: checks the arguments, locks the handle for writing and passes
 * name and value to the set function of its kind. */
alcore_status alcore__param_set(const alcore__param_calls *calls, void *handle, const char *name,
                                const char *value) {
    alcore_ctx *ctx;
    ALCORE__TRY(enter(handle, &ctx));
    if (!handle || !name || !value)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID,
                                               "alcore_%s_set: %s, name and value are needed",
                                               calls->noun, calls->noun));
    alcore_status status = alcore__write_begin(handle, calls->noun);
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    status = calls->set(handle, name, value);
    alcore__write_end(handle);
    return alcore__leave(ctx, status);
}

/* Numbers are set as texts that read back to the same number, so one function checks all. */
alcore_status alcore__param_set_int(const alcore__param_calls *calls, void *handle,
                                    const char *name, int64_t value) {
    char text[32];
    alcore__format(text, sizeof text, "%lld", (long long)value);
    return alcore__param_set(calls, handle, name, text);
}

alcore_status alcore__param_set_number(const alcore__param_calls *calls, void *handle,
                                       const char *name, double value) {
    char text[32];
    alcore__print_double(value, text);
    return alcore__param_set(calls, handle, name, text);
}

/* Appends the numbers, each in the fewest digits that read back as the same one. */
static alcore_status print_numbers(alcore_ctx *ctx, const double *numbers, int64_t count,
                                   alcore__buffer *out) {
    for (int64_t i = 0; i < count; i++) {
        char digits[32];
        alcore__print_double(numbers[i], digits);
        ALCORE__TRY(alcore__buffer_format(ctx, out, "%s%s", i > 0 ? "," : "", digits));
    }
    return ALCORE_OK;
}

alcore_status alcore__param_set_numbers(const alcore__param_calls *calls, void *handle,
                                        const char *name, const double *numbers, int64_t count) {
    alcore_ctx *ctx;
    alcore__buffer text = {0};
    ALCORE__TRY(enter(handle, &ctx));
    if (!handle || !name || !numbers || count < 1)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID,
                                               "alcore_%s_set_numbers: %s, name, numbers and a "
                                               "count of 1 or more are needed",
                                               calls->noun, calls->noun));
    alcore_status status = alcore__leave(ctx, print_numbers(ctx, numbers, count, &text));
    if (status == ALCORE_OK) status = alcore__param_set(calls, handle, name, text.data);
    alcore__buffer_clear(ctx, &text);
    return status;
}

/* The whole of a public get call; *out_text is a view that is valid until the parameter is set
 * again. */
alcore_status alcore__param_get(const alcore__param_calls *calls, const void *handle,
                                const char *name, const char **out_text) {
    alcore_ctx *ctx;
    if (out_text) *out_text = NULL;
    ALCORE__TRY(enter(handle, &ctx));
    if (!handle || !name || !out_text)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID,
                                               "alcore_%s_get: %s, name and out_text are needed",
                                               calls->noun, calls->noun));
    alcore_status status = alcore__read_begin(handle, calls->noun);
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    status = calls->get(handle, name, out_text);
    alcore__read_end(handle);
    return alcore__leave(ctx, status);
}
