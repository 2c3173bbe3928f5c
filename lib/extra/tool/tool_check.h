/* SPDX-License-Identifier: Apache-2.0 */
/* What is checked once for all forms of tools before one of them writes or reads. */
#ifndef ALCORE__TOOL_CHECK_H
#define ALCORE__TOOL_CHECK_H

#include "extra/tool/tool_form.h"

/* Reads the caller's options into ours, every one with its value but a target_language for reading.
 * ALCORE_E_PARAM for a task or unit that the form does not take, for languages and labels that are
 * none. */
alcore_status alcore__tool_check_options(alcore_ctx *ctx, const alcore__tool_form *form,
                                         const alcore_tool_options *theirs, bool writes,
                                         alcore_tool_options *ours);

/* Reads the caller's items into ours and checks each. */
alcore_status alcore__tool_check_items(alcore_ctx *ctx, const alcore_tool_items *theirs,
                                       alcore_tool_items *ours);
/* Where the caller names no language of the texts and all items have the same one, it is that. */
void alcore__tool_default_language(const alcore_tool_items *items, alcore_tool_options *options);

/* Names the tool of a file (tool_batch.c) from which another one has read no answer, or which it
 * refused, so that nobody takes it for one that is not answered yet; status: of the reading.
 * Returns ALCORE_E_DATA then, else status. */
alcore_status alcore__tool_name_batch(alcore_ctx *ctx, const char *tool, const char *path,
                                      const alcore_tool_answers *answers, alcore_status status);

#endif
