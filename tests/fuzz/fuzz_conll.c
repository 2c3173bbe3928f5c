/* SPDX-License-Identifier: Apache-2.0 */
/* CoNLL: a text has words, and its labels are as many; views hold what the state says. */
#include <math.h>

#include "formats/records.h"
#include "fuzz_target.h"

/* Words as a pool counts them. No byte is a TAB, CR or LF. */
static int64_t count_words(const char *text, size_t length) {
    int64_t words = 0;
    for (size_t i = 0; i < length; i++) {
        FUZZ_CHECK(text[i] != '\t' && text[i] != '\r' && text[i] != '\n' && text[i] != '\0');
        words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    }
    return words;
}

static alcore_status compare(void *user, const alcore__record *records, int64_t count,
                             int64_t coming) {
    const bool *masked = user;
    FUZZ_CHECK(coming >= 0 && count == 1);
    if (records->malformed) {
        FUZZ_CHECK(*masked && records->text_length == 0);
        return ALCORE_OK;
    }
    const int64_t words = count_words(records->text, records->text_length);
    FUZZ_CHECK(words > 0 && isnan(records->cost) && records->line > 0);
    if (records->reference)
        FUZZ_CHECK(count_words(records->reference, records->reference_length) == words);
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 4 && status != ALCORE_E_NOMEM; i++) {
        alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
        bool masked = i % 2;
        options.bad_lines = masked ? ALCORE_BAD_LINES_MASK : ALCORE_BAD_LINES_ERROR;
        if (i >= 2) options.text_column = "1"; /* which every line has; languages stay */
        status = alcore__read_records(host.ctx, "f.conll", &options, 0, compare, &masked);
    }
    fuzz_finish(&host, bytes, status);
    return 0;
}
