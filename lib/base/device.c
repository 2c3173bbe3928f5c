/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices can be used, and why not. */
#include <string.h>

#include "base/state.h"

static const char *const devices[] = {"cpu", "cuda"};
#define DEVICES ((int32_t)(sizeof devices / sizeof *devices))

const char *alcore_device_name(int32_t index) {
    return index >= 0 && index < DEVICES ? devices[index] : NULL;
}

static bool is_device(const char *device) {
    for (int32_t i = 0; device && i < DEVICES; i++)
        if (strcmp(devices[i], device) == 0) return true;
    return false;
}

static alcore_status check(alcore_ctx *ctx, const char *device) {
    const void *table;
    if (!is_device(device))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "no device '%s': this build knows cpu and cuda",
                            device ? device : "NULL");
    return strcmp(device, "cpu") == 0 ? ALCORE_OK : alcore__module_load(ctx, device, &table);
}

alcore_status alcore_device_check(alcore_ctx *ctx, const char *device) {
    if (!ctx) return alcore_error_set(ALCORE_E_INVALID, "ctx is NULL", 11);
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, check(ctx, device));
}

const char *alcore_device_reason(alcore_ctx *ctx, const char *device) {
    if (!ctx) return "ctx is NULL";
    if (!is_device(device)) return "no such device: this build knows cpu and cuda";
    if (strcmp(device, "cpu") == 0) return "";
    if (alcore__forked(ctx)) return "the context belongs to the parent of this process";
    /* No status call: the thread's error text is not touched. */
    char text[ALCORE__TEXT_BYTES];
    alcore_status status = alcore__this.status;
    strcpy(text, alcore__error_text());
    const char *reason = alcore__module_reason(ctx, device);
    alcore_error_set(status, text, strlen(text));
    return reason;
}
