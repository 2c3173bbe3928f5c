/* SPDX-License-Identifier: Apache-2.0 */
/* Folding messages (job_message.h): the union of their entries. The fold keeps its message whole:
 * adding one merges two ascending lists of entries into a new message, which takes the place of the
 * old one on success only. */
#include <stdio.h>
#include <string.h>

#include "alcore/extra/job.h"
#include "extra/job/job_message.h"

struct alcore_job_fold {
    alcore__object object;
    alcore__buffer message; /* of all that were added; empty: none was */
};

static void release(void *object) {
    alcore_job_fold *fold = object;
    alcore__buffer_clear(fold->object.ctx, &fold->message);
}

alcore_status alcore_job_fold_new(alcore_ctx *ctx, alcore_job_fold **out) {
    if (out) *out = NULL;
    if (!ctx || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_job_fold_new: ctx and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, alcore__object_new(ctx, sizeof **out, release, out));
}

alcore_job_fold *alcore_job_fold_ref(alcore_job_fold *fold) {
    return alcore__object_ref(fold);
}

void alcore_job_fold_unref(alcore_job_fold *fold) {
    alcore__object_unref(fold);
}

/* The entries of a message that are not yet merged. */
typedef struct rest {
    const alcore__job_message *message;
    const char *place, *items;
    int64_t left;            /* entries; 0: `entry` has no meaning */
    alcore__job_entry entry; /* the next one */
} rest;

/* Moves to the next entry, from the one that was merged. */
static void move_on(rest *side) {
    if (--side->left > 0)
        side->place =
            alcore__job_entry_next(side->message, side->place, &side->entry, &side->items);
}

static rest begin(const alcore__job_message *message) {
    rest side = {.message = message, .place = message->entries, .left = message->entry_count + 1};
    move_on(&side);
    return side;
}

/* Whether two entries are the same one: fails where both cover the same rows with other bytes, or
 * have rows in common. Shards without rows have none, and lie anywhere. */
static alcore_status compare(const rest *a, const rest *b, bool *same) {
    const alcore__job_entry *one = &a->entry, *other = &b->entry;
    const size_t bytes = (size_t)one->count * alcore__exchange_item_bytes(a->message->exchange);
    *same = one->first == other->first && one->end == other->end;
    if (*same && one->fingerprint == other->fingerprint && one->count == other->count &&
        (bytes == 0 || memcmp(a->items, b->items, bytes) == 0))
        return ALCORE_OK;
    if (*same)
        return alcore__fail(ALCORE_E_CORRUPT,
                            "two messages disagree about the rows %lld to %lld: one of them was "
                            "made from other data",
                            (long long)one->first, (long long)one->end - 1);
    if (one->first < other->end && other->first < one->end)
        return alcore__fail(ALCORE_E_INVALID,
                            "one message covers the rows %lld to %lld, another the rows %lld to "
                            "%lld, some of which are the same",
                            (long long)one->first, (long long)one->end - 1, (long long)other->first,
                            (long long)other->end - 1);
    return ALCORE_OK;
}

/* Whether the next entry of a comes before that of b; an empty one before others that begin where
 * it is. */
static bool is_before(const rest *a, const rest *b) {
    if (b->left == 0) return true;
    if (a->entry.first != b->entry.first) return a->entry.first < b->entry.first;
    return a->entry.end < b->entry.end;
}

/* Writes the union of the entries of two messages of one exchange to *out. */
static alcore_status merge(alcore_ctx *ctx, const alcore__job_message *one,
                           const alcore__job_message *other, alcore__buffer *out) {
    const size_t item_bytes = alcore__exchange_item_bytes(one->exchange);
    rest a = begin(one), b = begin(other);
    ALCORE__TRY(alcore__job_message_begin(ctx, one->exchange, one->rows, one->settings,
                                          one->settings_length, out));
    while (a.left > 0 || b.left > 0) {
        bool same = false;
        if (a.left > 0 && b.left > 0) ALCORE__TRY(compare(&a, &b, &same));
        rest *next = a.left > 0 && (same || is_before(&a, &b)) ? &a : &b;
        ALCORE__TRY(alcore__job_message_add(ctx, &next->entry, next->items, item_bytes, out));
        move_on(next);
        if (same) move_on(&b);
    }
    alcore__job_message_end(out);
    return ALCORE_OK;
}

enum { NAME_BYTES = 96 }; /* of a name and two numbers of rows */

/* "NAME of the rows FIRST to LAST", from the first row that a message covers to the last one, which
 * tells whose shard it is. */
static const char *name_rows(const alcore__job_message *message, const char *name,
                             char out[NAME_BYTES]) {
    rest side = begin(message);
    int64_t end = 0;
    const int64_t first = side.entry.first;
    for (; side.left > 0; move_on(&side)) end = side.entry.end;
    if (end > first)
        snprintf(out, NAME_BYTES, "%s of the rows %lld to %lld", name, (long long)first,
                 (long long)end - 1);
    else
        snprintf(out, NAME_BYTES, "%s without rows", name);
    return out;
}

/* Adds a message to the fold, which the caller has locked. */
static alcore_status add(alcore_job_fold *fold, const char *bytes, size_t length) {
    alcore_ctx *ctx = fold->object.ctx;
    alcore__job_message added, present;
    alcore__buffer out = {0};
    alcore_status status;
    ALCORE__TRY(alcore__job_message_read(bytes, length, &added));
    if (fold->message.length == 0) {
        status = alcore__buffer_append(ctx, &out, bytes, length);
    } else {
        ALCORE__TRY(alcore__job_message_read(fold->message.data, fold->message.length, &present));
        char names[2][NAME_BYTES];
        ALCORE__TRY(alcore__job_message_check(&added, name_rows(&added, "the message", names[0]),
                                              &present, name_rows(&present, "that", names[1])));
        status = merge(ctx, &present, &added, &out);
    }
    if (status == ALCORE_OK) {
        const alcore__buffer before = fold->message;
        fold->message = out;
        out = before;
    }
    alcore__buffer_clear(ctx, &out);
    return status;
}

alcore_status alcore_job_fold_add(alcore_job_fold *fold, const char *message, size_t length) {
    if (!fold || !message)
        return alcore__fail(ALCORE_E_INVALID, "alcore_job_fold_add: fold and message are needed");
    alcore_ctx *ctx = fold->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = alcore__write_begin(fold, "fold");
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    status = add(fold, message, length);
    alcore__write_end(fold);
    return alcore__leave(ctx, status);
}

const char *alcore_job_fold_message(const alcore_job_fold *fold, size_t *out_length) {
    if (out_length) *out_length = fold ? fold->message.length : 0;
    return fold && fold->message.length > 0 ? fold->message.data : NULL;
}
