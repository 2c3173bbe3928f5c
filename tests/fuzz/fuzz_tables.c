/* SPDX-License-Identifier: Apache-2.0 */
/* CSV as records, as answers and as columns of numbers; what is accepted is within the file, and
 * comes back when it is written in quotes and read again. */
#include "formats/escape.h"
#include "formats/records.h"
#include "fuzz_target.h"

/* The texts of a file, one behind the other in quotes, as a table of one column. */
typedef struct copy {
    alcore__buffer table;
    size_t bytes; /* of the file */
    int64_t rows;
} copy;

static alcore_status keep(void *user, const alcore__record *records, int64_t count,
                          int64_t coming) {
    copy *all = user;
    FUZZ_CHECK(coming >= 0);
    for (int64_t i = 0; i < count; i++) {
        const alcore__record *record = &records[i];
        FUZZ_CHECK(record->text && record->text_length <= all->bytes);
        FUZZ_CHECK(!memchr(record->text, 0, record->text_length));
        FUZZ_CHECK(!record->id || record->id_length > 0);
        if (alcore__csv_append(NULL, &all->table, record->text, record->text_length) != ALCORE_OK ||
            alcore__buffer_append(NULL, &all->table, "\r\n", 2) != ALCORE_OK)
            abort();
        all->rows++;
    }
    return ALCORE_OK;
}

/* Reads a file as CSV into *all, whose table begins with the name of its column. */
static alcore_status read_texts(memory_host *host, const void *data, size_t bytes, bool mask,
                                copy *all) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    if (mask) options.bad_lines = ALCORE_BAD_LINES_MASK;
    *all = (copy){.bytes = bytes};
    if (alcore__buffer_append(NULL, &all->table, "text\r\n", 6) != ALCORE_OK) abort();
    memory_host_file(host, data, bytes);
    return alcore__read_records(host->ctx, "f.csv", &options, 0, keep, all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    copy all, again;
    memory_host_open(&host);
    alcore_status status = read_texts(&host, data, bytes, true, &all);
    if (status == ALCORE_OK) {
        FUZZ_CHECK(read_texts(&host, all.table.data, all.table.length, false, &again) == ALCORE_OK);
        FUZZ_CHECK(again.rows == all.rows && again.table.length == all.table.length);
        FUZZ_CHECK(memcmp(again.table.data, all.table.data, all.table.length) == 0);
        alcore__buffer_clear(NULL, &again.table);
    }
    alcore__buffer_clear(NULL, &all.table);
    fuzz_finish(&host, bytes, status);
    return 0;
}
