/* SPDX-License-Identifier: Apache-2.0 */
/* Test sets in SGML: a text is no longer than its line, and its group no longer than the file. */
#include "formats/records.h"
#include "fuzz_target.h"

static alcore_status check(void *user, const alcore__record *records, int64_t count,
                           int64_t coming) {
    const size_t *bytes = user;
    FUZZ_CHECK(coming >= 0 && count == 1);
    FUZZ_CHECK(records->text && records->text_length <= *bytes);
    FUZZ_CHECK(records->group_length <= *bytes && !records->reference && !records->id);
    FUZZ_CHECK(!memchr(records->text, 0, records->text_length));
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    alcore_status status = alcore__read_records(host.ctx, "f.sgm", &options, 0, check, &bytes);
    if (status == ALCORE_OK || status == ALCORE_E_DATA)
        status = alcore__read_records(host.ctx, "f.xml", NULL, 0, check, &bytes);
    fuzz_finish(&host, bytes, status);
    return 0;
}
