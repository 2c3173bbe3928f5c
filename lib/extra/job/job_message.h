/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of jobs over shards, for the files of this folder: job_message.c reads and writes
 * them, job_fold.c makes one of several, job_settings.c has the settings that they carry and what
 * jobs refuse, job_exchange.c what a job puts into them and takes from them, job_handle.c the
 * handle.
 *
 * A message in little-endian order, every part of it a multiple of 8 bytes:
 *
 *     header     job_header
 *     settings   text, a line "name=value" for each, up to a multiple of 8 with NUL
 *     entries    job_entry, each followed by its items: ascending by rows
 *
 * A shard makes a message with one entry. Messages of one exchange are folded to one with the
 * entries of all; an entry is never changed on its way. So to fold is the union of sets: it is
 * associative, commutative and idempotent, and which rows are covered can be read from the message.
 *
 * Words of this room:
 *
 *   exchange    what messages are about, ALCORE__EXCHANGE_*; the jobs of all shards make the same
 *               ones, in this order
 *   settings    what the result depends on beside the rows: they are equal in all shards
 *   entry       what one shard puts into an exchange
 *   item        16 bytes of a text or 32 of a nominee; of the exchanges of candidates and kept
 *               ones an entry has their number and no item follows; of all texts, masks, texts
 *               of the model and tokens items are 8 bytes each of what only those who wrote it
 *               can read; of rows and passes an item is a byte */
#ifndef ALCORE__JOB_MESSAGE_H
#define ALCORE__JOB_MESSAGE_H

#include "base/base.h"

enum {
    ALCORE__EXCHANGE_WHOLE,      /* all rows with their texts, where phrases are bought */
    ALCORE__EXCHANGE_TEXTS,      /* hashes of all distinct texts, where the pool has a dedup rule */
    ALCORE__EXCHANGE_MASKS,      /* what the option masks reads of texts, where it is set */
    ALCORE__EXCHANGE_CANDIDATES, /* their number, where the strategy draws */
    ALCORE__EXCHANGE_KEPT,       /* how many sticky=1 may keep of the round before */
    ALCORE__EXCHANGE_MODEL,      /* texts, where the n-gram model learns from them */
    ALCORE__EXCHANGE_ROWS,       /* which rows may be bought, where the strategy makes passes */
    ALCORE__EXCHANGE_NOMINEES,   /* what a shard would buy, where rows are not compared; or */
    ALCORE__EXCHANGE_GATHERED,   /* what the strategy reads of texts that it compares */
    ALCORE__EXCHANGE_PASSES,     /* partials of the first pass; those that follow: of later ones */
    ALCORE__EXCHANGES,
    ALCORE__EXCHANGE_LIMIT = 1 << 30 /* of the numbers of exchanges */
};
/* ALCORE__EXCHANGE_* of an exchange. */
static inline int32_t alcore__exchange_kind(int32_t exchange) {
    return exchange < ALCORE__EXCHANGE_PASSES ? exchange : ALCORE__EXCHANGE_PASSES;
}
/* Bytes of an item; 0 for candidates. */
size_t alcore__exchange_item_bytes(int32_t exchange);

/* What one shard puts into an exchange. */
typedef struct alcore__job_entry {
    int64_t first, end;   /* its rows, in the order of all shards: first .. end - 1 */
    uint64_t fingerprint; /* of its texts */
    int64_t count;        /* items that follow, or candidates */
} alcore__job_entry;

/* A message as it is read: views of its bytes, which need not be aligned. */
typedef struct alcore__job_message {
    int32_t exchange;
    int64_t rows; /* of all shards */
    const char *settings;
    size_t settings_length; /* without the NUL behind it */
    int64_t entry_count;
    const char *entries; /* the first one; alcore__job_entry_next() has the others */
    uint64_t checksum;
} alcore__job_message;

/* Reads a message and checks it as a whole: ALCORE_E_CORRUPT, or ALCORE_E_INVALID for one of
 * another version. After a success all entries can be walked. */
alcore_status alcore__job_message_read(const char *bytes, size_t length, alcore__job_message *out);
/* Fails with ALCORE_E_INVALID, and what differs first, unless both are of one exchange, request and
 * dataset. what, other: what the error calls them. */
alcore_status alcore__job_message_check(const alcore__job_message *message, const char *what,
                                        const alcore__job_message *expected, const char *other);
/* The entry at a place, its items, which need not be aligned, and the place behind these. */
const char *alcore__job_entry_next(const alcore__job_message *message, const char *place,
                                   alcore__job_entry *entry, const char **items);

/* Writes the header and the settings to an empty buffer, then entries, then the checksum, which
 * makes it a message. */
alcore_status alcore__job_message_begin(alcore_ctx *ctx, int32_t exchange, int64_t rows,
                                        const char *settings, size_t settings_length,
                                        alcore__buffer *out);
alcore_status alcore__job_message_add(alcore_ctx *ctx, const alcore__job_entry *entry,
                                      const void *items, size_t item_bytes, alcore__buffer *out);
void alcore__job_message_end(alcore__buffer *out);

#endif
