/* SPDX-License-Identifier: Apache-2.0 */
/* Opens engines by device name, "auto", "cpu", "cuda" or "cuda:N", and by where arrays are; loads
 * and checks the kernel table of the CUDA module; makes the first argument of kernels. */
#include "kernel/kernel_engine.h"

#include <string.h>

#include "base/base.h"
#include "kernel/kernels.h"

/* Digits of N in "cuda:N". */
enum { MAX_DIGITS = 4 };

/* *number = N of "cuda:N", 0 for "cuda"; ALCORE_E_PARAM for any other text. */
static alcore_status parse_number(const char *device, int32_t *number) {
    *number = 0;
    if (strcmp(device, "cuda") == 0) return ALCORE_OK;
    const char *digit = strncmp(device, "cuda:", 5) == 0 ? device + 5 : "";
    size_t digits = strspn(digit, "0123456789");
    if (digits < 1 || digits > MAX_DIGITS || digit[digits] != '\0')
        return alcore__fail(ALCORE_E_PARAM,
                            "no device '%s': auto, cpu, cuda and cuda:NUMBER are known", device);
    for (; *digit != '\0'; digit++) *number = *number * 10 + (*digit - '0');
    return ALCORE_OK;
}

/* The best CPU table of this machine. It looks at neither device nor stream, which are 0. */
alcore__engine alcore__engine_cpu(alcore_ctx *ctx) {
    return (alcore__engine){.ctx = ctx, .kernels = alcore__kernels_cpu()};
}

/* Whether a table may lack the entry at that offset: its callers compare it with NULL first, or,
 * for class_stats and sequence_nnll, call that of the CPU whatever the engine. */
static bool is_optional(size_t offset) {
    return offset == offsetof(alcore_sys_kernels, upload) ||
           offset == offsetof(alcore_sys_kernels, release) ||
           offset == offsetof(alcore_sys_kernels, download) ||
           offset == offsetof(alcore_sys_kernels, store) ||
           offset == offsetof(alcore_sys_kernels, run_totals) ||
           offset == offsetof(alcore_sys_kernels, convert) ||
           offset == offsetof(alcore_sys_kernels, token_stats) ||
           offset == offsetof(alcore_sys_kernels, draw_rows) ||
           offset == offsetof(alcore_sys_kernels, hold) ||
           offset == offsetof(alcore_sys_kernels, gather) ||
           offset == offsetof(alcore_sys_kernels, class_tops) ||
           offset == offsetof(alcore_sys_kernels, best_row) ||
           offset == offsetof(alcore_sys_kernels, class_stats) ||
           offset == offsetof(alcore_sys_kernels, sequence_nnll) ||
           offset == offsetof(alcore_sys_kernels, logit_stats) ||
           offset == offsetof(alcore_sys_kernels, hidden_stats);
}

/* Refuses a table of another ABI, or one that lacks an entry that is called without a test for
 * NULL. A module of another minor release of the same ABI may have a shorter table, because entries
 * are added at the end; the loader has put zeros behind it. All members from `widen` on are
 * pointers to functions. */
static alcore_status check_table(const alcore_sys_kernels *table) {
    if (table->size < ALCORE__FIRST_SIZE(alcore_sys_kernels, engine) ||
        table->abi != ALCORE_SYS_ABI)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the kernels of device 'cuda' are of another release (ABI %u, here "
                            "%u); take the library and its modules from one release",
                            table->abi, ALCORE_SYS_ABI);
    const size_t first = offsetof(alcore_sys_kernels, widen), step = sizeof table->widen;
    for (size_t offset = first; offset < sizeof *table; offset += step) {
        static const unsigned char absent[sizeof table->widen];
        if (is_optional(offset) || memcmp((const char *)table + offset, absent, step) != 0)
            continue;
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the engine %s of device 'cuda' lacks kernel %zu of its table; take "
                            "the library and its modules from one release",
                            table->engine, (offset - first) / step);
    }
    return ALCORE_OK;
}

/* The context loads the module at its first use and keeps it; its table is checked at every call.
 */
alcore_status alcore__engine_open_cuda(alcore_ctx *ctx, int32_t number, void *stream,
                                       alcore__engine *out) {
    const void *module;
    *out = (alcore__engine){.ctx = ctx};
    ALCORE__TRY(alcore__module_table(ctx, "cuda", sizeof(alcore_sys_kernels), &module));
    const alcore_sys_kernels *table = module;
    ALCORE__TRY(check_table(table));
    *out = (alcore__engine){.ctx = ctx, .kernels = table, .device = number, .stream = stream};
    return ALCORE_OK;
}

/* NULL, "auto" and "cpu": the CPU; "cuda" and "cuda:N": the module; any other name is
 * ALCORE_E_PARAM. */
alcore_status alcore__engine_open(alcore_ctx *ctx, const char *device, alcore__engine *out) {
    int32_t number;
    *out = (alcore__engine){.ctx = ctx};
    if (!device || strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0) {
        *out = alcore__engine_cpu(ctx);
        return ALCORE_OK;
    }
    ALCORE__TRY(parse_number(device, &number));
    return alcore__engine_open_cuda(ctx, number, NULL, out);
}

/* Called for each array of a call, in any order. */
alcore_status alcore__placement_add(alcore__placement *placement, int32_t device,
                                    const char *name) {
    if (device < 0) return ALCORE_OK;
    if (placement->on_device && placement->device != device)
        return alcore__fail(ALCORE_E_INVALID,
                            "%s is on cuda:%d and %s on cuda:%d; copy them to one device",
                            placement->name, placement->device, name, device);
    if (!placement->on_device)
        *placement = (alcore__placement){.on_device = true, .device = device, .name = name};
    return ALCORE_OK;
}

bool alcore__engine_is_cuda(const alcore__engine *engine, int32_t device) {
    return engine->kernels->device == ALCORE_DEVICE_CUDA && engine->device == device;
}

/* The device that the arrays are on decides where the call names none. */
alcore_status alcore__engine_open_at(alcore_ctx *ctx, const char *device,
                                     const alcore__placement *placement, alcore__engine *out) {
    if (!placement->on_device) return alcore__engine_open(ctx, device, out);
    if (!device || strcmp(device, "auto") == 0)
        return alcore__engine_open_cuda(ctx, placement->device, NULL /* its own stream */, out);
    ALCORE__TRY(alcore__engine_open(ctx, device, out));
    if (alcore__engine_is_cuda(out, placement->device)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "%s is on cuda:%d and the call runs on %s; run it on cuda:%d, or give a "
                        "copy in %s memory",
                        placement->name, placement->device, device, placement->device,
                        out->kernels->device == ALCORE_DEVICE_CUDA ? "that device's" : "host");
}

/* Members that are not named stay 0: no workspace is lent, so an engine allocates by itself. */
alcore_sys_work alcore__engine_work(const alcore__engine *engine) {
    return (alcore_sys_work){.size = sizeof(alcore_sys_work),
                             .host = alcore__sys_host(),
                             .host_user = engine->ctx,
                             .stream = engine->stream,
                             .device = engine->device};
}
