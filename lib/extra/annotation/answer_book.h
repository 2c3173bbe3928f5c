/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are collected before any of them counts, from a file (answer_file.c) or from arrays
 * (answer_records.c). A source gives them one by one; one that cannot be used is reported, and the
 * others count. */
#ifndef ALCORE__ANSWER_BOOK_H
#define ALCORE__ANSWER_BOOK_H

#include "extra/annotation/annotation_list.h"
#include "extra/annotation/answer_words.h"
#include "text/vocabulary.h"

/* What a source says of a key, a pair of an id and a text, which equal items share. */
typedef struct alcore__key_answer {
    alcore__given_answer given; /* OPEN: nothing so far */
    int64_t place;              /* that said it */
    bool blank;                 /* a place had a blank translation, or a draft */
    bool conflict;              /* places differ: nothing of them counts */
} alcore__key_answer;

typedef struct alcore__answer_book {
    alcore_annotations *annotations;
    const char *path;        /* of the file; NULL: of arrays, whose places are numbers from 0 */
    alcore__vocabulary keys; /* "id TAB text" of the items */
    alcore__vocabulary ids;  /* ids of the items */
    uint32_t *key_of_item;   /* [items] number in keys */
    uint32_t *key_of_id;     /* [ids] number in keys; ALCORE__WORD_NONE where several keys have the
                              * id */
    int64_t *item_of_key;    /* [keys] the first item with it */
    alcore__key_answer *answers; /* [keys] */
    alcore__buffer key;          /* workspace: the key that was made last */
    alcore__buffer messages;     /* a line for each that was not used, or that corrects another */
    int64_t logged;
    alcore_answer_report report;
} alcore__answer_book;

/* A text of an answer, borrowed; text NULL: it is not given. */
typedef struct alcore__answer_text {
    const char *text;
    size_t length; /* bytes */
} alcore__answer_text;

enum { ALCORE__ANSWER_SHOWN = 60 /* bytes of a text in a message */ };
/* How many of a text's bytes a message shows, as the precision of %.*s. */
static inline int alcore__answer_shown(size_t length) {
    return (int)(length < ALCORE__ANSWER_SHOWN ? length : ALCORE__ANSWER_SHOWN);
}

/* Begins a collection; the annotations are locked for writing until it ends. path: borrowed. */
alcore_status alcore__answers_begin(alcore__answer_book *book, alcore_annotations *annotations,
                                    const char *path);
/* Sets the error text to ALCORE_E_DATA with the place in front. */
alcore_status alcore__answers_fail(const alcore__answer_book *book, int64_t place,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));
/* ALCORE_E_DATA: a text has other words than that of an item. */
alcore_status alcore__answers_check_text(alcore__answer_book *book, int64_t place,
                                         alcore__answer_text text, const alcore__annotation *item);
/* *out: the key of the item with an id, and a text that may be missing where one item has the id.
 * ALCORE_E_DATA: there is none. */
alcore_status alcore__answers_find(alcore__answer_book *book, int64_t place, alcore__answer_text id,
                                   alcore__answer_text text, uint32_t *out);
/* Notes what a place says of a key: a translation, and what the words of a status mean.
 * ALCORE_E_DATA: they contradict each other. */
alcore_status alcore__answers_note(alcore__answer_book *book, int64_t place, uint32_t key,
                                   alcore__answer_text translation, alcore__answer_meaning meaning);
/* Notes that a place cannot be used, as the error text says. */
alcore_status alcore__answers_note_fault(alcore__answer_book *book);
/* Whether a translation has a word. */
bool alcore__answer_has_words(alcore__answer_text translation);
/* Ends the collection: after ALCORE_OK everything counts, else nothing. any: ALCORE_E_DATA where
 * nothing can be used. Returns the status of the whole. */
alcore_status alcore__answers_end(alcore__answer_book *book, alcore_status status, bool any);

#endif
