/* SPDX-License-Identifier: Apache-2.0 */
/* Translation memories, with and without languages that are named: every text is one of the file,
 * and no longer than it. */
#include "formats/records.h"
#include "fuzz_target.h"

/* ISO 8859-1 needs two bytes of UTF-8 for one of the file, UTF-16 three for two. */
static alcore_status check(void *user, const alcore__record *records, int64_t count,
                           int64_t coming) {
    const size_t most = 2 * *(const size_t *)user;
    FUZZ_CHECK(coming >= 0 && count == 1);
    FUZZ_CHECK(records->text && records->text_length <= most);
    FUZZ_CHECK(records->id_length <= most && records->reference_length <= most);
    FUZZ_CHECK(records->language && records->language_length <= most);
    FUZZ_CHECK(!records->group && !records->malformed && records->line >= 1);
    FUZZ_CHECK(!memchr(records->text, 0, records->text_length));
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    alcore_status status = alcore__read_records(host.ctx, "f.tmx", &options, 0, check, &bytes);
    if (status == ALCORE_OK || status == ALCORE_E_DATA) {
        options.text_column = "de";
        options.reference_column = "en-US";
        status = alcore__read_records(host.ctx, "f.tmx", &options, 0, check, &bytes);
    }
    fuzz_finish(&host, bytes, status);
    return 0;
}
