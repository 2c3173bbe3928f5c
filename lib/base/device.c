/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices can be used, and why not. */
#include <string.h>

#include "base/state.h"

static const char *const devices[] = {"cpu", "cuda"};
#define DEVICES ((int32_t)(sizeof devices / sizeof *devices))

const char *alcore_device_builtin_name(int64_t index) {
    return index >= 0 && index < DEVICES ? devices[index] : NULL;
}

static bool is_device(const char *device) {
    for (int32_t i = 0; i < DEVICES; i++)
        if (strcmp(devices[i], device) == 0) return true;
    return false;
}

/* ALCORE_OK for the CPU, and for a device whose module loads. A module refuses to load where it
 * finds no device that it can use. */
static alcore_status check(alcore_ctx *ctx, const char *device) {
    const void *table;
    if (!is_device(device))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "no device '%s': this build knows cpu and cuda",
                            device);
    return strcmp(device, "cpu") == 0 ? ALCORE_OK : alcore__module_load(ctx, device, &table);
}

alcore_status alcore_device_check(alcore_ctx *ctx, const char *device) {
    ALCORE__TRY(alcore__enter(ctx));
    if (!ctx || !device)
        return alcore__leave(ctx,
                             alcore__fail(ALCORE_E_INVALID, "%s is NULL", ctx ? "device" : "ctx"));
    return alcore__leave(ctx, check(ctx, device));
}
