/* SPDX-License-Identifier: Apache-2.0 */
/* Plain text and TSV: every byte of an accepted text file but line ends and the mark comes back. */
#include "formats/records.h"
#include "fuzz_target.h"

static alcore_status add_up(void *user, const alcore__record *records, int64_t count,
                            int64_t coming) {
    size_t *total = user;
    FUZZ_CHECK(coming >= 0);
    for (int64_t i = 0; i < count; i++) {
        FUZZ_CHECK(records[i].text);
        FUZZ_CHECK(!memchr(records[i].text, 0, records[i].text_length));
        *total += records[i].text_length;
    }
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    size_t total = 0, ends = 0;
    alcore_status status = alcore__read_records(host.ctx, "f.txt", NULL, 0, add_up, &total);
    for (size_t i = 0; i < bytes; i++)
        ends += data[i] == '\n' ? (i > 0 && data[i - 1] == '\r' ? 2u : 1u) : 0u;
    if (bytes >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) ends += 3;
    if (status == ALCORE_OK)
        FUZZ_CHECK(total + ends == bytes);
    else
        FUZZ_CHECK(status == ALCORE_E_DATA);
    status = alcore__read_records(host.ctx, "f.tsv", NULL, 0, add_up, &total);
    fuzz_finish(&host, bytes, status);
    return 0;
}
