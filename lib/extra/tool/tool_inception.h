/* SPDX-License-Identifier: Apache-2.0 */
/* The form "inception" of files of tools: tool_inception.c writes and tool_inception_read.c reads
 * it. */
#ifndef ALCORE__TOOL_INCEPTION_H
#define ALCORE__TOOL_INCEPTION_H

#include "extra/tool/tool_form.h"

/* The layers by name, and the feature of each that has the label. */
#define ALCORE__INCEPTION_ENTITY "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
#define ALCORE__INCEPTION_POS "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"

alcore_status alcore__tool_inception_read(alcore_ctx *ctx, const char *path,
                                          const alcore_tool_options *options,
                                          alcore_tool_answers *into);

#endif
