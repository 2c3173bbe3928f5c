/* SPDX-License-Identifier: Apache-2.0 */
/* The annotation page: page_write.c writes it, page_read.c reads what it saves. */
#ifndef ALCORE__PAGE_FORM_H
#define ALCORE__PAGE_FORM_H

#include "extra/tool/tool_form.h"

alcore_status alcore__page_write(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                 const alcore_tool_options *options);

#endif
