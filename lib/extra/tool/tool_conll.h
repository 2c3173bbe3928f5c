/* SPDX-License-Identifier: Apache-2.0 */
/* The form "conll" of files of tools, which tool_conll.c writes and tool_conll_read.c reads. */
#ifndef ALCORE__TOOL_CONLL_H
#define ALCORE__TOOL_CONLL_H

#include "extra/tool/tool_form.h"

alcore_status alcore__tool_conll_read(alcore_ctx *ctx, const char *path,
                                      const alcore_tool_options *options,
                                      alcore_tool_answers *into);

#endif
