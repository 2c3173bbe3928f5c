/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of records share: the records of a file as one text. */
#ifndef RECORDS_TEST_H
#define RECORDS_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format_test.h"
#include "formats/records.h"

/* All records, one per line: text|id|reference|language|group|cost|line, absent values as "-". */
typedef struct gathered {
    alcore__buffer text;
    int64_t count;
    alcore_status answer; /* of the sink */
} gathered;

static inline void put(gathered *all, const char *value, size_t length) {
    if (!value) value = "-", length = 1;
    alcore__buffer_append(NULL, &all->text, value, length);
    alcore__buffer_append(NULL, &all->text, "|", 1);
}

static inline alcore_status gather(void *user, const alcore__record *records, int64_t count,
                                   int64_t coming) {
    gathered *all = user;
    (void)coming;
    for (int64_t i = 0; i < count; i++) {
        const alcore__record *record = &records[i];
        put(all, record->text, record->text_length);
        put(all, record->id, record->id_length);
        put(all, record->reference, record->reference_length);
        put(all, record->language, record->language_length);
        put(all, record->group, record->group_length);
        char cost[64];
        int length = isnan(record->cost)
                         ? snprintf(cost, sizeof cost, "-|%d\n", (int)record->line)
                         : snprintf(cost, sizeof cost, "%g|%d\n", record->cost, (int)record->line);
        alcore__buffer_append(NULL, &all->text, cost, (size_t)length);
    }
    all->count += count;
    return all->answer;
}

/* Reads data as the file of a path again and again, the next allocation fails each time, until none
 * does: the outcome is `expected` then, and nothing stays allocated. Returns how many allocations
 * there are. */
static inline int64_t fail_each_allocation(memory_host *host, const char *path, const char *data,
                                           const alcore_read_options *options,
                                           alcore_status expected) {
    const size_t live = host->live;
    alcore_status status = ALCORE_E_NOMEM;
    int64_t k = 0;
    for (; status == ALCORE_E_NOMEM; k++) {
        gathered all = {{0}, 0, ALCORE_OK};
        memory_host_file(host, data, strlen(data));
        host->fail_from = host->calls + k;
        ck_assert_int_eq(alcore__enter(host->ctx), ALCORE_OK);
        status = alcore__read_records(host->ctx, path, options, 0, gather, &all);
        host->fail_from = -1;
        alcore__leave(host->ctx, status); /* hands over the log */
        alcore__buffer_clear(NULL, &all.text);
        ck_assert_uint_eq(host->live, live);
        ck_assert_int_lt(k, 1000);
    }
    ck_assert_int_eq(status, expected);
    return k - 1;
}

#endif
