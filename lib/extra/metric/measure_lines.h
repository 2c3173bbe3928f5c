/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that measures a model prints (docs/projects.md, "What an evaluation prints"): the
 * one reading of it for experiments and projects. */
#ifndef ALCORE__MEASURE_LINES_H
#define ALCORE__MEASURE_LINES_H

#include "base/base.h"

enum { ALCORE__MOST_MEASURES = 64, ALCORE__MEASURE_NAME_BYTES = 65 };

typedef struct alcore__measures {
    char names[ALCORE__MOST_MEASURES][ALCORE__MEASURE_NAME_BYTES];
    double values[ALCORE__MOST_MEASURES]; /* finite */
    int count;
} alcore__measures;

/* Adds the measures of a text [length], a line for each or an object of JSON; the text is changed.
 * ALCORE_E_DATA, by line or member: what is no measure; a name that self has already; more than it
 * can hold; no measure at all. After a failure self has some of them. */
alcore_status alcore__measures_read(alcore__measures *self, char *text, size_t length);

#endif
