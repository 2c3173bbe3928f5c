/* SPDX-License-Identifier: Apache-2.0 */
/* The remedy for a thread's last error. It is kept beside the error's text in the thread's state:
 * whatever sets or clears the text clears the remedy, so a remedy is added after the text. */
#include "alcore/remedy.h"

#include <string.h>

#include "base/state.h"

/* Adds a remedy to the error that was set just before; the strings are kept as pointers. */
alcore_status alcore__fail_remedy(alcore_status status, int32_t kind, const char *name,
                                  const char *value, const char *effect) {
    alcore__this.remedy = (alcore_remedy){.size = sizeof(alcore_remedy),
                                          .kind = kind,
                                          .name = name,
                                          .value = value,
                                          .effect = effect};
    return status;
}

/* Copies the remedy into the caller's struct, as many bytes as both have; 0: there is none. */
int32_t alcore_last_remedy(alcore_remedy *out) {
    const alcore_remedy *remedy = &alcore__this.remedy;
    /* No error may be set here, or the remedy's own error would be lost. */
    if (!out || out->size < ALCORE__FIRST_SIZE(alcore_remedy, reserved) || remedy->kind == 0)
        return 0;
    const size_t size = out->size < sizeof *remedy ? out->size : sizeof *remedy;
    memcpy((char *)out + sizeof out->size, (const char *)remedy + sizeof out->size,
           size - sizeof out->size);
    return 1;
}
