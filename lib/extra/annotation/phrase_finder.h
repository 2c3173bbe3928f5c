/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where given phrases occur in texts. The training set (which annotated phrases a sentence
 * contains), the simulated oracle (all occurrences of a phrase) and the requests (sentences that
 * show a phrase in use) look phrases up with it.
 *
 * A phrase occurs at word i of a text when the words i, i + 1, ... of the text are those of the
 * phrase, byte by byte; occurrences may overlap. Words are those of text/words.h, so the spaces
 * between them do not matter.
 *
 * A finder has a table of all phrases, written with one space between words, and a table of their
 * first words with the lengths of the phrases that begin with each. A text is read once: one
 * look-up a word, and one more for each length of phrase that begins with that word. */
#ifndef ALCORE__PHRASE_FINDER_H
#define ALCORE__PHRASE_FINDER_H

#include "text/vocabulary.h"

/* Words of the longest phrase: the lengths that begin with a word are the bits of an integer. */
enum { ALCORE__FINDER_WORDS = 64 };

/* Owns its arrays. A struct of zeros finds nothing. Any number of threads may read it while none
 * adds phrases. */
typedef struct alcore__phrase_finder {
    alcore__vocabulary phrases; /* the phrases in the order in which they were added, each once */
    alcore__vocabulary first;   /* the first words of the phrases */
    uint64_t *lengths; /* [first.count] bit m - 1: a phrase of m words begins with that word */
    size_t lengths_capacity;
} alcore__phrase_finder;

/* The words of one text, one after the other with a space between them. Reused from text to text; a
 * struct of zeros is an empty one. */
typedef struct alcore__word_row {
    alcore__buffer joined;
    size_t *begin; /* [count + 1] first byte of each word in joined; the last entry is one more than
                      the length of joined, so that word i ends before begin[i + 1] - 1 */
    size_t capacity;
    int64_t count; /* words */
} alcore__word_row;

/* Cuts a text into its words. */
alcore_status alcore__word_row_read(alcore_ctx *ctx, alcore__word_row *row, const char *text,
                                    size_t length);
/* The words first .. first + count - 1 (count at least 1) with single spaces: a view of row. */
static inline const char *alcore__word_row_span(const alcore__word_row *row, int64_t first,
                                                int64_t count, size_t *length) {
    *length = row->begin[first + count] - row->begin[first] - 1;
    return row->joined.data + row->begin[first];
}
void alcore__word_row_clear(alcore_ctx *ctx, alcore__word_row *row);

/* Adds a phrase; *out is its number, from 0, or that of the equal phrase that was added before.
 * ALCORE_E_DATA for a text without a word or more than ALCORE__FINDER_WORDS. row: workspace. */
alcore_status alcore__phrase_finder_add(alcore_ctx *ctx, alcore__phrase_finder *finder,
                                        alcore__word_row *row, const char *text, size_t length,
                                        uint32_t *out);
void alcore__phrase_finder_clear(alcore_ctx *ctx, alcore__phrase_finder *finder);

/* An occurrence of a phrase in a text. */
typedef struct alcore__phrase_hit {
    uint32_t phrase; /* its number */
    uint32_t words;  /* words of the phrase */
    int64_t word;    /* word of the text, from 0, at which it begins */
} alcore__phrase_hit;
/* Receives an occurrence; a failure ends the search and is returned. */
typedef alcore_status (*alcore__phrase_sink)(void *user, const alcore__phrase_hit *hit);
/* Passes the occurrences of all phrases in the words of row to sink, by rising word, then rising
 * length. */
alcore_status alcore__phrase_finder_scan(const alcore__phrase_finder *finder,
                                         const alcore__word_row *row, alcore__phrase_sink sink,
                                         void *user);

#endif
