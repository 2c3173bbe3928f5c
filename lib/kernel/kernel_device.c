/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/base.h"
#include "kernel/kernels.h"

/* A module of another minor release may have a shorter or longer table: what this library calls
 * must be in it. */
static alcore_status check_table(const char *device, const alcore_sys_kernels *table) {
    if (table->abi == ALCORE_SYS_ABI && table->size >= sizeof *table) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "the kernels of device '%s' are of another release (ABI %u, here %u)",
                        device, table->abi, ALCORE_SYS_ABI);
}

/* No machine has more devices than that many digits can number. */
#define MOST_DIGITS 4

int32_t alcore__kernels_device(const char *device) {
    int32_t number = 0;
    const char *colon = device ? strchr(device, ':') : NULL;
    for (const char *digit = colon ? colon + 1 : ""; *digit; digit++)
        number = number * 10 + (*digit - '0');
    return number;
}

alcore_status alcore__kernels_for(alcore_ctx *ctx, const char *device,
                                  const alcore_sys_kernels **out) {
    const void *table;
    *out = NULL;
    if (!device || strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0) {
        *out = alcore__kernels_cpu();
        return ALCORE_OK;
    }
    size_t name = strcspn(device, ":");
    if (name != 4 || strncmp(device, "cuda", 4) != 0 ||
        (device[name] && (strspn(device + name + 1, "0123456789") != strlen(device + name + 1) ||
                          strlen(device + name + 1) - 1 >= MOST_DIGITS)))
        return alcore__fail(ALCORE_E_PARAM,
                            "no device '%s': auto, cpu, cuda and cuda:NUMBER are known", device);
    ALCORE__TRY(alcore__module_load(ctx, "cuda", &table));
    ALCORE__TRY(check_table(device, table));
    *out = table;
    return ALCORE_OK;
}
