/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of PO that came back (tool_po.c). */
#ifndef ALCORE__TOOL_PO_READ_H
#define ALCORE__TOOL_PO_READ_H

#include "extra/tool/tool_form.h"

alcore_status alcore__tool_read_po(alcore_ctx *ctx, const char *path,
                                   const alcore_tool_options *options, alcore_tool_answers *into);

#endif
