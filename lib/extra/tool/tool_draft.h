/* SPDX-License-Identifier: Apache-2.0 */
/* The draft of an item, taken apart for tools whose suggestions have labels and offsets. */
#ifndef ALCORE__TOOL_DRAFT_H
#define ALCORE__TOOL_DRAFT_H

#include "extra/tool/span_units.h"
#include "extra/tool/tool_form.h"

/* A struct of zeros has none; one may be read after another. */
typedef struct alcore__tool_draft {
    const char *translation; /* of ALCORE_TASK_TRANSLATION, the item's; NULL: none */
    alcore_tool_span *parts; /* [count] in the unit of the options; of classes labels alone */
    size_t count, capacity;
    alcore__arena strings;
    alcore__span_text text; /* workspace */
} alcore__tool_draft;

/* Reads the draft of item i, which may have none. ALCORE_E_DATA: it is no list of spans, has a span
 * beyond the text, or not a tag for each word; it names the item. */
alcore_status alcore__tool_draft_read(alcore_ctx *ctx, alcore__tool_draft *draft,
                                      const alcore_tool_items *items, int64_t i,
                                      const alcore_tool_options *options);
/* Whether there is one: an empty list of spans is none. */
static inline bool alcore__tool_draft_given(const alcore__tool_draft *draft) {
    return draft->translation || draft->count > 0;
}
void alcore__tool_draft_clear(alcore_ctx *ctx, alcore__tool_draft *draft);

#endif
