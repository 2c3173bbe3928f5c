/* SPDX-License-Identifier: Apache-2.0 */
/* ARPA language models. */
#include "alcore/extra/lm.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_lm *lm = NULL;
    alcore_status status = alcore_lm_open_arpa(host.ctx, "f.arpa", &lm);
    FUZZ_CHECK((status == ALCORE_OK) == (lm != NULL));
    alcore_lm_unref(lm);
    fuzz_finish(&host, bytes, status);
    return 0;
}
