/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for the libtorch of another release: it has its name and says its version, 2.99. */
#include <stdint.h>

#include "alcore/export.h"

ALCORE_API uint64_t aoti_torch_abi_version(void);

uint64_t aoti_torch_abi_version(void) {
    return (uint64_t)2 << 56 | (uint64_t)99 << 48;
}
