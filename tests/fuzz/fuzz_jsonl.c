/* SPDX-License-Identifier: Apache-2.0 */
/* JSONL: what we accept, jansson accepts too, and with the same text; pairs by language. */
#include <jansson.h>
#include <math.h>

#include "formats/records.h"
#include "fuzz_target.h"

typedef struct input {
    const char *data;
    size_t bytes;
} input;

static alcore_status compare(void *user, const alcore__record *records, int64_t count,
                             int64_t coming) {
    const input *all = user;
    FUZZ_CHECK(coming >= 0);
    for (int64_t i = 0; i < count; i++) {
        const char *at = all->data, *end = all->data + all->bytes;
        for (int64_t line = 1; line < records[i].line; line++)
            at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        if (at == all->data && all->bytes >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        json_error_t error;
        json_t *tree = json_loadb(at, (size_t)((newline ? newline : end) - at),
                                  JSON_REJECT_DUPLICATES, &error);
        enum json_error_code code = tree ? json_error_unknown : json_error_code(&error);
        /* Bytes above 0x7F and the range of numbers are checked elsewhere, or not at all; a key
         * that stands twice in an object inside the record is passed over with that. */
        FUZZ_CHECK(tree || code == json_error_invalid_utf8 || code == json_error_numeric_overflow ||
                   code == json_error_duplicate_key);
        const char *names[] = {"text", "source", "src"};
        for (int k = 0; k < 3 && tree; k++) {
            const json_t *text = json_object_get(tree, names[k]);
            if (!text || json_is_null(text)) continue;
            FUZZ_CHECK(json_string_length(text) == records[i].text_length);
            FUZZ_CHECK(memcmp(json_string_value(text), records[i].text, records[i].text_length) ==
                       0);
            break;
        }
        json_decref(tree);
        FUZZ_CHECK(isnan(records[i].cost) || records[i].cost >= 0);
    }
    return ALCORE_OK;
}

/* A record by the languages that the options name: its values are no longer than the file. */
static alcore_status check_pair(void *user, const alcore__record *records, int64_t count,
                                int64_t coming) {
    const input *all = user;
    FUZZ_CHECK(coming >= 0);
    for (int64_t i = 0; i < count; i++) {
        FUZZ_CHECK(records[i].text && records[i].text_length <= all->bytes);
        FUZZ_CHECK(records[i].reference_length <= all->bytes);
        FUZZ_CHECK(!memchr(records[i].text, 0, records[i].text_length));
    }
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    input all = {(const char *)data, bytes};
    alcore_read_options pairs = ALCORE_READ_OPTIONS_INIT;
    pairs.text_column = "en";
    pairs.reference_column = "de";
    alcore_status status = alcore__read_records(host.ctx, "f.jsonl", NULL, 0, compare, &all);
    if (status == ALCORE_OK || status == ALCORE_E_DATA)
        status = alcore__read_records(host.ctx, "f.jsonl", &pairs, 0, check_pair, &all);
    fuzz_finish(&host, bytes, status);
    return 0;
}
