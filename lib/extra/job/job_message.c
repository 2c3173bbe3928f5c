/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing of messages (job_message.h). What is read may have been cut off, be of
 * another program or have been made by an attacker: every length is checked before it is used, and
 * a checksum finds what was changed by accident. */
#include "extra/job/job_message.h"

#include <stdio.h>
#include <string.h>

#include "base/byte_cursor.h"
#include "base/rng.h"
#include "strategy/budget/nominees.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "messages are written as they lie in memory, in little-endian order"
#endif

static const char MAGIC[8] = "alcorjob";
enum { WIRE_VERSION = 1, ALIGNMENT = 8 };

/* The first bytes of a message. */
typedef struct job_header {
    char magic[8];
    uint64_t checksum; /* XXH64 of all bytes behind it */
    uint32_t version, exchange;
    int64_t rows; /* of all shards */
    int64_t entry_count;
    uint64_t settings_length; /* without the NUL behind it */
} job_header;
_Static_assert(sizeof(job_header) == 48, "as docs/distributed.md says");
_Static_assert(sizeof(alcore__job_entry) == 32, "as docs/distributed.md says");
_Static_assert(sizeof(alcore__nominee) == 32, "as docs/distributed.md says");
_Static_assert(sizeof(alcore__hash) == 16, "as docs/distributed.md says");

/* Where the bytes of the checksum begin. */
static const size_t CHECKED = offsetof(job_header, version);

static const struct {
    const char *name;
    size_t item_bytes;
    bool is_part; /* items are no rows, and may be more */
} exchanges[ALCORE__EXCHANGES] = {
    [ALCORE__EXCHANGE_WHOLE] = {"all texts", ALIGNMENT, true},
    [ALCORE__EXCHANGE_TEXTS] = {"texts", sizeof(alcore__hash), false},
    [ALCORE__EXCHANGE_MASKS] = {"masks", ALIGNMENT, true},
    [ALCORE__EXCHANGE_CANDIDATES] = {"candidates", 0, false},
    [ALCORE__EXCHANGE_KEPT] = {"kept candidates", 0, false},
    [ALCORE__EXCHANGE_MODEL] = {"texts of the model", ALIGNMENT, true},
    [ALCORE__EXCHANGE_ROWS] = {"rows", 1, true},
    [ALCORE__EXCHANGE_NOMINEES] = {"nominees", sizeof(alcore__nominee), false},
    [ALCORE__EXCHANGE_GATHERED] = {"tokens", ALIGNMENT, true},
    [ALCORE__EXCHANGE_PASSES] = {"pass", 1, true},
};

size_t alcore__exchange_item_bytes(int32_t exchange) {
    return exchanges[alcore__exchange_kind(exchange)].item_bytes;
}

/* The length of a text with NUL behind it, up to a multiple of ALIGNMENT. */
static size_t padded(size_t length) {
    return alcore__cursor_padded(length + 1);
}

/* ---- reading ---- */

static alcore_status fail_cut_off(size_t length) {
    return alcore__fail(ALCORE_E_CORRUPT, "the message of a job is cut off or damaged (%zu bytes)",
                        length);
}

/* Checks that the entries lie within [place, end) one behind the other, ascending and apart, that
 * none counts more than its rows (so that sums of counts are no more than the rows of all shards)
 * unless it has a part, and that nothing follows them. */
static alcore_status check_entries(const alcore__job_message *message, const char *end,
                                   size_t length) {
    const size_t item_bytes = alcore__exchange_item_bytes(message->exchange);
    const bool is_part = exchanges[alcore__exchange_kind(message->exchange)].is_part;
    const char *place = message->entries;
    int64_t last = 0;
    for (int64_t i = 0; i < message->entry_count; i++) {
        alcore__job_entry entry;
        if ((size_t)(end - place) < sizeof entry) return fail_cut_off(length);
        memcpy(&entry, place, sizeof entry);
        place += sizeof entry;
        if (entry.first < last || entry.end < entry.first || entry.end > message->rows ||
            entry.count < 0 || (!is_part && entry.count > entry.end - entry.first) ||
            (item_bytes > 0 && (uint64_t)entry.count > (size_t)(end - place) / item_bytes))
            return fail_cut_off(length);
        place += (size_t)entry.count * item_bytes;
        last = entry.end;
    }
    return place == end ? ALCORE_OK : fail_cut_off(length);
}

alcore_status alcore__job_message_read(const char *bytes, size_t length, alcore__job_message *out) {
    job_header header;
    *out = (alcore__job_message){0};
    if (length < sizeof header || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return alcore__fail(ALCORE_E_CORRUPT, "this is no message of a job (%zu bytes)", length);
    memcpy(&header, bytes, sizeof header);
    if (header.version != WIRE_VERSION)
        return alcore__fail(ALCORE_E_INVALID,
                            "the message of a job has version %u, this library reads version %d",
                            header.version, WIRE_VERSION);
    const size_t rest = length - sizeof header;
    if (header.checksum != alcore__hash64(bytes + CHECKED, length - CHECKED) ||
        header.exchange >= ALCORE__EXCHANGE_LIMIT || header.rows < 0 || header.entry_count < 0 ||
        header.settings_length >= rest || padded(header.settings_length) > rest)
        return fail_cut_off(length);
    *out = (alcore__job_message){.exchange = (int32_t)header.exchange,
                                 .rows = header.rows,
                                 .settings = bytes + sizeof header,
                                 .settings_length = (size_t)header.settings_length,
                                 .entry_count = header.entry_count,
                                 .entries = bytes + sizeof header + padded(header.settings_length),
                                 .checksum = header.checksum};
    if (out->settings[out->settings_length] != '\0') return fail_cut_off(length);
    return check_entries(out, bytes + length, length);
}

/* Fails with the first line in which two settings differ. */
static alcore_status fail_settings(const alcore__job_message *message, const char *what,
                                   const alcore__job_message *expected, const char *other) {
    const char *a = message->settings, *b = expected->settings;
    size_t begin = 0;
    for (size_t i = 0; a[i] == b[i] && a[i] != '\0'; i++)
        if (a[i] == '\n') begin = i + 1;
    return alcore__fail(ALCORE_E_INVALID, "%s was made with %.*s, %s with %.*s", what,
                        (int)strcspn(a + begin, "\n"), a + begin, other,
                        (int)strcspn(b + begin, "\n"), b + begin);
}

/* "texts", "pass 3": passes are counted from 1. */
static const char *name_exchange(int32_t exchange, char out[32]) {
    const int32_t kind = alcore__exchange_kind(exchange);
    snprintf(out, 32, kind == ALCORE__EXCHANGE_PASSES ? "%s %d" : "%s", exchanges[kind].name,
             exchange - ALCORE__EXCHANGE_PASSES + 1);
    return out;
}

alcore_status alcore__job_message_check(const alcore__job_message *message, const char *what,
                                        const alcore__job_message *expected, const char *other) {
    if (message->settings_length != expected->settings_length ||
        memcmp(message->settings, expected->settings, message->settings_length) != 0)
        return fail_settings(message, what, expected, other);
    if (message->rows != expected->rows)
        return alcore__fail(ALCORE_E_INVALID, "%s is of %lld rows in all, %s of %lld", what,
                            (long long)message->rows, other, (long long)expected->rows);
    if (message->exchange == expected->exchange) return ALCORE_OK;
    char names[2][32];
    return alcore__fail(ALCORE_E_INVALID, "%s is of the exchange of %s, %s of that of %s", what,
                        name_exchange(message->exchange, names[0]), other,
                        name_exchange(expected->exchange, names[1]));
}

const char *alcore__job_entry_next(const alcore__job_message *message, const char *place,
                                   alcore__job_entry *entry, const char **items) {
    memcpy(entry, place, sizeof *entry);
    *items = place + sizeof *entry;
    return place + sizeof *entry +
           (size_t)entry->count * alcore__exchange_item_bytes(message->exchange);
}

/* ---- writing ---- */

alcore_status alcore__job_message_begin(alcore_ctx *ctx, int32_t exchange, int64_t rows,
                                        const char *settings, size_t settings_length,
                                        alcore__buffer *out) {
    static const char nothing[ALIGNMENT];
    job_header header = {.version = WIRE_VERSION,
                         .exchange = (uint32_t)exchange,
                         .rows = rows,
                         .settings_length = settings_length};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    ALCORE__TRY(alcore__buffer_append(ctx, out, &header, sizeof header));
    ALCORE__TRY(alcore__buffer_append(ctx, out, settings, settings_length));
    return alcore__buffer_append(ctx, out, nothing, padded(settings_length) - settings_length);
}

alcore_status alcore__job_message_add(alcore_ctx *ctx, const alcore__job_entry *entry,
                                      const void *items, size_t item_bytes, alcore__buffer *out) {
    job_header header;
    ALCORE__TRY(alcore__buffer_append(ctx, out, entry, sizeof *entry));
    if (item_bytes > 0)
        ALCORE__TRY(alcore__buffer_append(ctx, out, items, (size_t)entry->count * item_bytes));
    memcpy(&header, out->data, sizeof header);
    header.entry_count++;
    memcpy(out->data, &header, sizeof header);
    return ALCORE_OK;
}

void alcore__job_message_end(alcore__buffer *out) {
    const uint64_t checksum = alcore__hash64(out->data + CHECKED, out->length - CHECKED);
    memcpy(out->data + offsetof(job_header, checksum), &checksum, sizeof checksum);
}
