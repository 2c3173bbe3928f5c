/* SPDX-License-Identifier: Apache-2.0 */
/* Links in Pharaoh's notation: what is read is sorted and within bounds, and reads back the same
 * through alcore_links_new(). */
#include "alcore/extra/aligner.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_links *links = NULL, *copy = NULL;
    alcore_status status = alcore_links_open(host.ctx, "f", -1, &links);
    FUZZ_CHECK((status == ALCORE_OK) == (links != NULL));
    if (links) {
        alcore_tensor offsets, numbers;
        FUZZ_CHECK(alcore_links_get(links, &offsets, &numbers) == ALCORE_OK);
        FUZZ_CHECK(alcore_links_new(host.ctx, &offsets, &numbers, &copy) == ALCORE_OK);
    }
    alcore_links_unref(copy);
    alcore_links_unref(links);
    fuzz_finish(&host, bytes, status);
    return 0;
}
