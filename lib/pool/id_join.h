/* SPDX-License-Identifier: Apache-2.0 */
/* Which record of one file belongs to which of another: by their ids where both files have them, in
 * any order, else by their lines (docs/formats.md, "Two files that belong together").
 *
 * The files of a join are the texts, whose order the result has, and one or several of partners:
 * references, translations, predictions, labels. A text without a partner is an error, a partner
 * without a text a warning, but where translations are measured: a reference without one is a text
 * that a system did not translate. */
#ifndef ALCORE__ID_JOIN_H
#define ALCORE__ID_JOIN_H

#include "formats/records.h"
#include "text/vocabulary.h"

/* The ids of one file, each of which occurs once, numbered from 0 in the order of the file. Memory:
 * the bytes of the ids and about 40 bytes an id. A zeroed struct has none. */
typedef struct alcore__id_list {
    alcore__vocabulary ids;
    int64_t *lines; /* [ids.count] of the file, from 1 */
    size_t lines_capacity;
} alcore__id_list;

/* Adds the id of a record of the file `path`; *out: its number. ALCORE_E_DATA names both lines of
 * an id that is in the list. */
alcore_status alcore__id_list_add(alcore_ctx *ctx, alcore__id_list *list, const char *path,
                                  const alcore__record *record, uint32_t *out);
void alcore__id_list_clear(alcore_ctx *ctx, alcore__id_list *list);

/* What is known of the ids of a file while it is read. */
typedef struct alcore__id_use {
    const char *path;   /* of the file, for messages */
    int64_t with;       /* records with an id so far */
    int64_t first_with; /* line of the first record with an id; 0: there was none */
    int64_t first_without;
} alcore__id_use;

/* Notes whether a record has an id; a malformed one does not count. */
void alcore__id_use_note(alcore__id_use *use, const alcore__record *record);
/* ALCORE_E_DATA where some records of the file have ids and others have none: by which they belong
 * to those of another file cannot be told. */
alcore_status alcore__id_use_check(const alcore__id_use *use);

/* Decides by what the records of two files belong together; by: ALCORE_JOIN_* of the caller. Of two
 * files of which one alone has ids it logs that lines count. ALCORE_E_DATA: ids were asked for and
 * a file has none. */
alcore_status alcore__join_decide(alcore_ctx *ctx, int32_t by, const alcore__id_use *texts,
                                  const alcore__id_use *partners, bool *out_by_id);
/* ALCORE_E_INVALID for a number that is no ALCORE_JOIN_*. */
alcore_status alcore__join_check(int32_t by);

/* Ids of which there are some: how many, and the first five for messages. */
typedef struct alcore__some_ids {
    int64_t count;
    char first[300]; /* "a", "b", "c" */
} alcore__some_ids;
void alcore__some_ids_add(alcore__some_ids *some, const char *id, size_t length);

/* How a join by id went. */
typedef struct alcore__join_tally {
    const char *texts, *partners; /* the files, for messages */
    int64_t joined;               /* texts with a partner */
    alcore__some_ids lost;        /* texts without one */
    alcore__some_ids spare;       /* partners without a text */
    int64_t excused;              /* lost texts that are no error: lines that were masked */
    bool whole;                   /* partners without a text are an error too */
} alcore__join_tally;

/* Ends a join by id: ALCORE_E_DATA for texts without a partner, with the remedy by=line where no id
 * is common; for partners without a text a warning, or with `whole` the same. */
alcore_status alcore__join_end(alcore_ctx *ctx, const alcore__join_tally *tally);

#endif
