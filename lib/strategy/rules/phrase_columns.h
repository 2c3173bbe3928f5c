/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a pool of phrases, as the strategies read them that buy phrases. */
#ifndef ALCORE__PHRASE_COLUMNS_H
#define ALCORE__PHRASE_COLUMNS_H

#include "strategy/strategies.h"

/* The columns of the record, [candidates] each; their values are those of the pool's columns: the
 * number of occurrences, the row of the texts and the word in it where the phrase occurs first, and
 * its number of words. */
typedef enum alcore__phrase_record {
    ALCORE__PHRASE_OCC,
    ALCORE__PHRASE_FIRST_ROW,
    ALCORE__PHRASE_FIRST_POSITION,
    ALCORE__PHRASE_LENGTH,
    ALCORE__PHRASE_RECORDS
} alcore__phrase_record;

/* The state of the run while a pass over the columns is made. */
typedef struct alcore__phrase_columns {
    int64_t *records[ALCORE__PHRASE_RECORDS]; /* [candidates] each; owned by the outcome */
    bool excludes_known; /* phrases of labeled texts are not listed; from phrase_options */
    uint8_t *listed;     /* [candidates] 1: the flags of the pool let the strategy buy the phrase */
} alcore__phrase_columns;

/* Adds the columns to the record, allocates `listed`, which the pass then fills as well, and sets
 * excludes_known by the strategy's parameters. Called once before that pass, by strategies that buy
 * phrases (their phrase_options is not NULL); columns: run->state, or a member of it. */
alcore_status alcore__phrase_columns_begin(alcore__run *run, alcore__phrase_columns *columns);

/* Tables of one pass each, which differ in the phrases that are listed: those not known (or all,
 * where the strategy has a parameter exclude_labeled and it is 0); of these the semi-maximal ones;
 * all phrases of the pool. "known" is the flag column of phrases that a labeled text contains. */
extern const alcore__pass alcore__unknown_phrases_passes[];
extern const alcore__pass alcore__semi_maximal_passes[];
extern const alcore__pass alcore__all_phrases_passes[];

/* Parameters: rows of a table. */
#define ALCORE__PHRASE_LETTERS_PARAM                                                               \
    ALCORE__PARAM("letters", FLAG, "0", 0, 1, NULL, "1: only phrases with a letter or a digit",    \
                  ALCORE__MEMBER(ALCORE__TO_PHRASES, alcore_phrase_options, with_letters))
#define ALCORE__PHRASE_MAX_N_PARAM                                                                 \
    ALCORE__PARAM("max_n", INTEGER, "4", 1, ALCORE_PHRASE_WORDS_MAX, NULL,                         \
                  "words of the longest phrase",                                                   \
                  ALCORE__MEMBER(ALCORE__TO_PHRASES, alcore_phrase_options, max_words))
#define ALCORE__PHRASE_SMP_PARAMS                                                                  \
    ALCORE__PARAM("max_n", INTEGER, "4", 1, ALCORE_PHRASE_WORDS_MAX, "inf",                        \
                  "words of the longest phrase; inf: phrases of any length",                       \
                  ALCORE__MEMBER(ALCORE__TO_PHRASES, alcore_phrase_options, max_words)),           \
        ALCORE__PARAM("smp_limit", CHOICE, "N", 0, 0, "N|inf",                                     \
                      "inf: phrases of more than max_n words count when a shorter one is tested",  \
                      ALCORE__MEMBER(ALCORE__TO_PHRASES, alcore_phrase_options, beyond_limit))

/* Set the options of the phrases that are derived from texts: the first by the parameters max_n and
 * letters; the second also asks for semi-maximal phrases only that no labeled text contains, with
 * the parameter smp_limit. */
void alcore__phrase_options_set(const alcore__values *values, alcore_phrase_options *out);
void alcore__smp_options_set(const alcore__values *values, alcore_phrase_options *out);

#endif
