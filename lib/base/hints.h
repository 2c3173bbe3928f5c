/* SPDX-License-Identifier: Apache-2.0 */
/* Names that other packages use for what exists here, and what to say to those who write them. */
#ifndef ALCORE__HINTS_H
#define ALCORE__HINTS_H

#include <stdbool.h>

#include "alcore/param.h"

/* Whether two names are the same but for case, "_", "-" and spaces, and for "sampling" or
 * "strategy" at the end of the first. */
bool alcore__same_name(const char *a, const char *b);
/* The rows of the table of a kind (ALCORE_HINT_*), index from 0: the names of a row as they are
 * compared (words of small letters and digits, with "|" between them), and its hint. false past the
 * last. For the test that walks the table. */
bool alcore__hint_row(int32_t kind, int64_t index, const char **out_names, const char **out_hint);

#endif
