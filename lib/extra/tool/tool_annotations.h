/* SPDX-License-Identifier: Apache-2.0 */
/* How the items of annotations are called in files of tools, which know ids and nothing else. */
#ifndef ALCORE__TOOL_ANNOTATIONS_H
#define ALCORE__TOOL_ANNOTATIONS_H

#include "extra/annotation/annotation_list.h"

/* out: the id of an item. Sentences and phrases are numbered apart, so that of a phrase is made of
 * its text, whatever selections are read and in which order. */
alcore_status alcore__tool_item_id(alcore_ctx *ctx, const alcore__annotation *item,
                                   alcore__buffer *out);

#endif
