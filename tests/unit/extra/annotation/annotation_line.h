/* SPDX-License-Identifier: Apache-2.0 */
/* Items of annotations as lines of text, for tests of what they are. */
#ifndef ANNOTATION_LINE_H
#define ANNOTATION_LINE_H

#include <stdio.h>

#include "alcore/extra/annotation.h"

/* Item i as one line: "ID KIND TEXT = TRANSLATION (STATUS, row ROW)"; valid until eight calls
 * later. */
static inline const char *annotation_line(const alcore_annotations *annotations, int64_t i) {
    static char lines[8][256];
    static int next;
    char *line = lines[next++ % 8];
    const char *translation = alcore_annotations_translation(annotations, i, NULL);
    snprintf(line, sizeof *lines, "%s %s %s = %s (%s, row %lld)",
             alcore_annotations_id(annotations, i), alcore_annotations_kind(annotations, i),
             alcore_annotations_text(annotations, i, NULL), translation ? translation : "-",
             alcore_annotations_status(annotations, i),
             (long long)alcore_annotations_row(annotations, i));
    return line;
}

#endif
