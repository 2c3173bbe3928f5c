/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of a CoNLL file are: how they are separated, which one has the words, their tags
 * and their ids, and which lines are comments. All of it is found in the lines of the first
 * sentence. */
#ifndef ALCORE__CONLL_LAYOUT_H
#define ALCORE__CONLL_LAYOUT_H

#include "formats/line_reader.h"
#include "formats/records.h"

/* A column of a line, a view of it. */
typedef struct alcore__conll_cell {
    const char *text; /* not terminated */
    size_t length;    /* bytes */
} alcore__conll_cell;

/* The kinds of files that differ in more than their number of columns. */
enum {
    ALCORE__CONLL_PLAIN,     /* CoNLL-2003, PAN-X, GermEval, ... */
    ALCORE__CONLL_UNIVERSAL, /* CoNLL-U, CoNLL-X, and CoNLL-U Plus, which names its columns */
    ALCORE__CONLL_2009,      /* id first, and more columns where a sentence has predicates */
    ALCORE__CONLL_2012       /* document, part, number of the word, word; as many columns */
};

typedef struct alcore__conll_layout {
    int32_t kind;     /* ALCORE__CONLL_* */
    int32_t columns;  /* of every line with a token; of kinds 2009 and 2012 at least */
    int64_t line;     /* that this number was taken from */
    bool tabs;        /* columns are separated by single TABs, else by runs of blanks */
    bool has_tags;    /* IOB tags: O, B-PER, ... */
    int32_t id;       /* the column of the ids or numbers of words, from 0; -1: none */
    int32_t token;    /* the column of the words */
    int32_t tag;      /* of their tags; -1: there are none */
    char names[1024]; /* of CoNLL-U Plus: names of the columns with a space between them; "" */
} alcore__conll_layout;

/* Cuts the next column off *text [*length]; false when there is none. Between TABs a column may be
 * empty; *begun, false at first, says that one was cut off before. */
bool alcore__conll_next(bool tabs, bool *begun, const char **text, size_t *length,
                        alcore__conll_cell *out);
/* Whether a cell is an id of CoNLL-U: digits, and behind a hyphen or a point more digits. *out_kind
 * is the sign between them; 0 for a plain number, which a word has. */
bool alcore__conll_is_id(alcore__conll_cell id, char *out_kind);
/* Whether a line begins with -DOCSTART-, as those between the documents of CoNLL-2003 do. */
bool alcore__conll_is_mark(const char *text, size_t length);
/* Whether a line that begins with # is a comment, where a sentence may begin. An error where it may
 * as well be a token. */
alcore_status alcore__conll_is_comment(const alcore__conll_layout *layout,
                                       const alcore__line_reader *lines, const char *text,
                                       size_t length, bool *out);
/* Finds the layout in the lines of the first sentence, text [length], with line feeds between them;
 * lines->line is the number of the first one. layout->names may be set before. *out_found is false
 * when they are comments alone. Errors: no column is called as the options say
 * (ALCORE_E_PARAM); it cannot be told whether the first column has ids or words. */
alcore_status alcore__conll_find_layout(alcore__conll_layout *layout,
                                        const alcore_read_options *options,
                                        const alcore__line_reader *lines, const char *text,
                                        size_t length, bool *out_found);

#endif
