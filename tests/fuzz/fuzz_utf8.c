/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 against utf8proc's decoder; repairing gives valid text, normalising too. */
#include <utf8proc.h>

#include "fuzz_target.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    const char *text = (const char *)data;
    size_t good = 0;
    while (good < bytes) {
        utf8proc_int32_t point;
        utf8proc_ssize_t used =
            utf8proc_iterate(data + good, (utf8proc_ssize_t)(bytes - good), &point);
        if (used < 1) break;
        size_t at = good;
        FUZZ_CHECK(alcore__utf8_next(text, bytes, &at) == point && at == good + (size_t)used);
        good = at;
    }
    FUZZ_CHECK(alcore__utf8_check(text, bytes) == good);
    alcore__buffer out = {0};
    int64_t count = 0;
    FUZZ_CHECK(alcore__utf8_repair(host.ctx, text, bytes, &out, &count) == ALCORE_OK);
    FUZZ_CHECK((count == 0) == (good == bytes));
    FUZZ_CHECK(alcore__utf8_check(out.data, out.length) == out.length);
    alcore__buffer_clear(host.ctx, &out);
    FUZZ_CHECK(alcore__utf8_normalize(host.ctx, text, bytes, &out) == ALCORE_OK);
    FUZZ_CHECK(alcore__utf8_check(out.data, out.length) == out.length);
    alcore__buffer_clear(host.ctx, &out);
    fuzz_finish(&host, bytes, ALCORE_OK);
    return 0;
}
