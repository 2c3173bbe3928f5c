/* SPDX-License-Identifier: Apache-2.0 */
/* One form of file of annotators' tools, and the list of answers that its reader fills.
 * tool_forms.c has the table of all forms. */
#ifndef ALCORE_TOOL_FORM_H
#define ALCORE_TOOL_FORM_H

#include "alcore/extra/tool.h"

typedef struct tool_form {
    const char *name, *title, *suffix;
    const char *tasks; /* names with a space between */
    int32_t span_unit; /* ALCORE_SPAN_*; 0: no spans */
    const char *lacks; /* NULL: this build has it */
    /* Items and options are checked, every option has its value; NULL: the form is only read. */
    alcore_status (*write)(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                           const alcore_tool_options *options);
    /* NULL: the form is only written. */
    alcore_status (*read)(alcore_ctx *ctx, const char *path, const alcore_tool_options *options,
                          alcore_tool_answers *into);
} tool_form;

/* Adds an answer, whose strings and spans are copied: spans are sorted by their begins, and value
 * is made of them. ALCORE_E_NOMEM. */
alcore_status tool_answers_add(alcore_tool_answers *into, const alcore_tool_answer *answer);

/* Counts a record that cannot be used, and keeps "FILE:LINE: reason". ALCORE_E_NOMEM. */
alcore_status tool_answers_refuse(alcore_tool_answers *into, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps the name of the batch; a later one replaces it. ALCORE_E_NOMEM. */
alcore_status tool_answers_set_batch(alcore_tool_answers *into, const char *batch);

#endif
