/* SPDX-License-Identifier: Apache-2.0 */
/* .npy */
#include "fuzz_array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_array("f.npy", data, bytes);
    return 0;
}
