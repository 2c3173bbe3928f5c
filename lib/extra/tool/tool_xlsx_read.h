/* SPDX-License-Identifier: Apache-2.0 */
/* Sheets of XLSX that came back (tool_xlsx.c). */
#ifndef ALCORE__TOOL_XLSX_READ_H
#define ALCORE__TOOL_XLSX_READ_H

#include "extra/tool/tool_form.h"

alcore_status alcore__tool_read_xlsx(alcore_ctx *ctx, const char *path,
                                     const alcore_tool_options *options, alcore_tool_answers *into);

#endif
