/* SPDX-License-Identifier: Apache-2.0 */
/* The members of alcore_annotations, for the files of this folder. */
#ifndef ALCORE__ANNOTATION_LIST_H
#define ALCORE__ANNOTATION_LIST_H

#include "alcore/extra/annotation.h"
#include "base/base.h"

typedef enum alcore__answer {
    ALCORE__ANSWER_OPEN,           /* no answer yet: no translation */
    ALCORE__ANSWER_OK,             /* a translation */
    ALCORE__ANSWER_LOOSE,          /* a translation that covers words outside the phrase too */
    ALCORE__ANSWER_UNTRANSLATABLE, /* there is no translation */
    ALCORE__ANSWER_SKIPPED,        /* none so far: the annotator left the item out */
    ALCORE__ANSWER_REJECTED        /* none so far: the item or its translation was refused */
} alcore__answer;

/* Whether an answer leaves its item without a translation, so that the cost is refunded. */
static inline bool alcore__answer_refunds(alcore__answer answer) {
    return answer >= ALCORE__ANSWER_UNTRANSLATABLE;
}

/* One item. Strings are in alcore_annotations.strings, NUL-terminated, and never move. */
typedef struct alcore__annotation {
    const char *id;
    const char *text;        /* has a word */
    const char *translation; /* has a word; NULL: the item is open or untranslatable */
    size_t text_length, translation_length; /* bytes */
    int64_t row;  /* of the pool: the sentence, or where the phrase occurs first; -1: unknown */
    double cost;  /* what it spent of the budget, finite, 0 or more */
    double score; /* of the strategy; NaN: none is known */
    const char *reason; /* why it was picked; NULL: none is known */
    bool phrase;        /* false: a sentence */
    alcore__answer answer;
} alcore__annotation;

struct alcore_annotations {
    alcore__object object;
    alcore_pool *pool;         /* a reference */
    alcore__arena strings;     /* of all items, also of those that a failed call left behind */
    alcore__annotation *items; /* [count] in order of selection */
    size_t capacity;
    int64_t count;
    alcore_answer_report report; /* of the answers that were read last, without its messages */
    alcore__buffer messages;     /* of the report, ended by NUL; no bytes: none */
};

/* An item to be appended; strings are borrowed. */
typedef struct alcore__annotation_input {
    const char *id, *text, *translation; /* translation NULL: open */
    size_t id_length, text_length, translation_length;
    int64_t row;
    double cost;        /* NaN: the words of the text */
    double score;       /* NaN: none */
    const char *reason; /* NULL: none */
    size_t reason_length;
    bool phrase;
} alcore__annotation_input;
/* Checks and appends an item; the annotations and the pool are locked. The message of an error says
 * what is wrong, and not with which item. */
alcore_status alcore__annotations_append(alcore_annotations *annotations,
                                         const alcore__annotation_input *input);
/* *out: whether "sent", "sentence" or "phrase" [length] is a phrase; ALCORE_E_PARAM for another
 * word. */
alcore_status alcore__annotation_kind(const char *name, size_t length, bool *out);
/* A copy of a text among the strings of the annotations, terminated; NULL when out of memory. */
const char *alcore__annotations_keep(alcore_annotations *annotations, const char *text,
                                     size_t length);
/* What the public calls that read a file share: checks and locks around `read`. */
alcore_status alcore__annotations_read(alcore_annotations *annotations, const char *path,
                                       const char *function,
                                       alcore_status (*read)(alcore_annotations *, const char *));
/* Words of a text. */
int64_t alcore__count_words(const char *text, size_t length);

/* An answer before it is given, so that none is given when a later one fails. */
typedef struct alcore__given_answer {
    alcore__answer answer;   /* OPEN: the item stays as it is */
    const char *translation; /* among the annotations' strings; NULL unless OK or LOOSE */
    size_t length;           /* bytes */
} alcore__given_answer;
/* Gives answers [count of the annotations]. Cannot fail. */
void alcore__annotations_commit(alcore_annotations *annotations,
                                const alcore__given_answer *answers);

#endif
