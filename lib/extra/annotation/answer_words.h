/* SPDX-License-Identifier: Apache-2.0 */
/* The words by which annotation tools say what became of an item, and what they mean here. */
#ifndef ALCORE__ANSWER_WORDS_H
#define ALCORE__ANSWER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which they win where several words of a line differ: the later one counts. */
typedef enum alcore__answer_meaning {
    ALCORE__MEANS_ANSWER,         /* the translation counts, if there is one */
    ALCORE__MEANS_LOOSE,          /* it counts, and covers words outside the phrase too */
    ALCORE__MEANS_PENDING,        /* not yet: what is there is a draft */
    ALCORE__MEANS_UNTRANSLATABLE, /* there is no translation */
    ALCORE__MEANS_SKIPPED,        /* the annotator left it out */
    ALCORE__MEANS_REJECTED        /* the text or its translation was refused */
} alcore__answer_meaning;

/* Looks a word up, without regard to case and with '_' and ' ' as '-'; false: it is not known. */
bool alcore__answer_word(const char *word, size_t length, alcore__answer_meaning *out);
/* "skip", "reject" or "untranslatable" of a meaning by which there is no answer; NULL of another
 * one. */
const char *alcore__answer_refusal(alcore__answer_meaning meaning);

#endif
