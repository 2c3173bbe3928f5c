/* SPDX-License-Identifier: Apache-2.0 */
#include "gate_sample.h"

int64_t alcore_sample_options(const alcore_pool_options *options) {
    return options->first;
}

int64_t alcore_sample_tensor(const alcore_tensor *tensor) {
    return tensor->first;
}

#ifndef REMOVED
int64_t alcore_sample_last(void) {
    return 1;
}
#endif

#ifdef ADDED
int64_t alcore_sample_more(void) {
    return 2;
}
#endif
