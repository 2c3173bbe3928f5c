/* SPDX-License-Identifier: Apache-2.0 */
/* What XLIFF 1.2 and 2.0 share on the way back: the root, the name of the batch, and where text
 * goes. */
#ifndef ALCORE__XLIFF_READING_H
#define ALCORE__XLIFF_READING_H

#include "extra/tool/tool_unit.h"
#include "formats/xml_reader.h"

typedef struct alcore__xliff {
    alcore__unit unit;
    alcore__buffer *field; /* gets the text of the present element; NULL: it is passed over */
    bool has_root, has_batch;
    bool in_unit;
} alcore__xliff;

/* Reads an element that is the root, or the first file with the name of the batch; *out_read:
 * whether it was one of these. A root of the version that begins with other_version is refused by
 * naming the tool that reads it. */
alcore_status alcore__xliff_start(alcore__xliff *self, alcore__xml *xml, const char *name,
                                  const char *const *attributes, char other_version,
                                  const char *other_tool, bool *out_read);
/* Begins a unit; id may be NULL. */
alcore_status alcore__xliff_start_unit(alcore__xliff *self, alcore__xml *xml, const char *id);
/* Begins a note of somebody else, whose text is a comment. */
alcore_status alcore__xliff_start_comment(alcore__xliff *self);
/* Ends an element: behind a source, target or note text is passed over. */
void alcore__xliff_end_field(alcore__xliff *self, const char *name);
/* Appends text to the field. */
alcore_status alcore__xliff_add_text(alcore__xliff *self, const char *text, size_t length);

#endif
