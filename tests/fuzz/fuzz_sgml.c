/* SPDX-License-Identifier: Apache-2.0 */
/* Test sets in SGML, with and without a choice of a side: texts, groups and ids are made of what
 * stands in the file. */
#include "formats/records.h"
#include "fuzz_target.h"

static alcore_status check(void *user, const alcore__record *records, int64_t count,
                           int64_t coming) {
    const size_t *bytes = user;
    FUZZ_CHECK(coming >= 0 && count == 1);
    FUZZ_CHECK(records->text && records->text_length <= *bytes);
    FUZZ_CHECK(records->group_length <= *bytes && !records->reference);
    FUZZ_CHECK(records->id_length <= *bytes + 1 && records->language_length <= *bytes);
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
    if (status == ALCORE_OK || status == ALCORE_E_DATA || status == ALCORE_E_PARAM) {
        options.translator = "A";
        options.domain = "news";
        options.bad_lines = ALCORE_BAD_LINES_ERROR;
        status = alcore__read_records(host.ctx, "f.xml", &options, 0, check, &bytes);
    }
    fuzz_finish(&host, bytes, status == ALCORE_E_PARAM ? ALCORE_E_DATA : status);
    return 0;
}
