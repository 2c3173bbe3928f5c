/* SPDX-License-Identifier: Apache-2.0 */
/* Labeling plans: what is found is the third field of a line of the file, whatever configuration
 * and round are asked for, round 0 among them, which stands for all rounds. */
#include "formats/plan_file.h"
#include "fuzz_target.h"

/* Whether the file has the bytes of counts between a tab and the end of a line. */
static bool is_field(const uint8_t *data, size_t bytes, const alcore__buffer *counts) {
    for (size_t i = 1; i + counts->length <= bytes; i++) {
        const size_t end = i + counts->length;
        if (data[i - 1] == '\t' && memcmp(data + i, counts->data, counts->length) == 0 &&
            (end == bytes || data[end] == '\n' || data[end] == '\r'))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const char *const configs[] = {"", "a", "near"};
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_status status = ALCORE_OK;
    for (int asked = 0; asked < 9; asked++) {
        alcore__buffer counts = {0};
        int64_t line = 0;
        status =
            alcore__plan_file_find(host.ctx, "f", configs[asked % 3], asked / 3, &counts, &line);
        if (status == ALCORE_OK) FUZZ_CHECK(is_field(data, bytes, &counts) && line > 0);
        if (status == ALCORE_E_NOT_FOUND) status = ALCORE_OK; /* a plan without that line */
        FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA);
        alcore__buffer_clear(host.ctx, &counts);
    }
    fuzz_finish(&host, bytes, status);
    return 0;
}
