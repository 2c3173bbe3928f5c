/* SPDX-License-Identifier: Apache-2.0 */
/* What every fuzz target shares: one parser over one input, with limits of time and memory.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdlib.h>
#include <string.h>

#include "memory_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

/* The parser said yes, or said what is wrong with the data; it used memory in proportion, and gave
 * all of it back. */
static inline void fuzz_finish(memory_host *host, size_t bytes, alcore_status status) {
    FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA || status == ALCORE_E_UNSUPPORTED);
    fuzz_accepted += status == ALCORE_OK;
    FUZZ_CHECK(host->peak <= ((size_t)64 << 20) + 64 * bytes);
    FUZZ_CHECK(memory_host_close(host) == 0);
}

#endif
