/* SPDX-License-Identifier: Apache-2.0 */
#include "base/state.h"

void alcore__modules_end(alcore_ctx *ctx) {
    (void)ctx;
}
