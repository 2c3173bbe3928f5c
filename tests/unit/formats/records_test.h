/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of records share: the records of a file as one text. */
#ifndef RECORDS_TEST_H
#define RECORDS_TEST_H

#include <math.h>
#include <stdio.h>

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

#endif
