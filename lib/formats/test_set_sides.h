/* SPDX-License-Identifier: Apache-2.0 */
/* The sides of a test set of WMT, IWSLT or NIST: its sources, the references of each translator,
 * the output of each system. One of them is read; a file with several needs a choice. */
#ifndef ALCORE__TEST_SET_SIDES_H
#define ALCORE__TEST_SET_SIDES_H

#include "formats/line_reader.h"
#include "formats/records.h"

/* What a side is. */
enum {
    ALCORE__SIDE_NONE, /* segments outside of any side */
    ALCORE__SIDE_SRC,
    ALCORE__SIDE_REF,
    ALCORE__SIDE_HYP,
    ALCORE__SIDES
};

/* A side as the elements of a file say it. All texts may be NULL: not said. */
typedef struct alcore__side {
    int32_t kind;   /* ALCORE__SIDE_* */
    char *name;     /* of a translator or system; NULL for sources */
    char *language; /* of the texts */
} alcore__side;

/* The sides of a file while it is read. */
typedef struct alcore__side_list {
    alcore__side listed[24]; /* owned: the first ones, for messages */
    int32_t count;           /* of them; at most one more where there are others */
    alcore__side chosen;     /* owned: the first side that the options allow */
    bool has_chosen;
    bool ambiguous;    /* the options allow a second one */
    int64_t part;      /* the element of the chosen side in which its last segment was */
    int64_t document;  /* the number of its document */
    char domains[160]; /* names of domains that the options do not name, for messages */
} alcore__side_list;

/* Whether the options choose a side or domain. */
bool alcore__sides_given(const alcore_read_options *options);
/* Checks the options that choose a side, of a file that has sides. */
alcore_status alcore__sides_check(const alcore_read_options *options);
/* Divides the choice of a call that reads texts and their references among the options of the two
 * files: *texts, a copy of options, and *references, which has no choice so far. first, second:
 * whether the one and the other file is a test set (alcore__is_test_set()). */
alcore_status alcore__sides_split(const alcore_read_options *options, bool first, bool second,
                                  alcore_read_options *texts, alcore_read_options *references);

/* Notes a side that has a segment, and says in *out whether it is to be read. part: a number of the
 * element that the side consists of here; document: of the document. Both differ between two copies
 * of one side, which are an error. */
alcore_status alcore__sides_note(alcore__side_list *list, const alcore__line_reader *lines,
                                 const alcore_read_options *options, const alcore__side *side,
                                 int64_t part, int64_t document, bool *out);
/* Whether a document of that domain, NULL: none, is one that the options name. */
bool alcore__sides_domain(alcore__side_list *list, const alcore_read_options *options,
                          const char *domain);
/* After the last line: fails, with the sides that there are, when none or several were allowed. */
alcore_status alcore__sides_finish(const alcore__side_list *list, alcore_ctx *ctx, const char *path,
                                   const alcore_read_options *options);
void alcore__sides_clear(alcore_ctx *ctx, alcore__side_list *list);

#endif
