/* SPDX-License-Identifier: Apache-2.0 */
/* One form of file of annotators' tools, and the list of answers that its reader fills.
 * tool_forms.c has the table of all forms. */
#ifndef ALCORE__TOOL_FORM_H
#define ALCORE__TOOL_FORM_H

#include <math.h>
#include <string.h>

#include "alcore/extra/tool.h"
#include "base/base.h"
#include "pool/pool_internal.h"

typedef struct alcore__tool_form {
    const char *name, *title, *suffix;
    const char *tasks; /* names with a space between */
    int32_t span_unit; /* ALCORE_SPAN_*; 0: no spans */
    bool needs_labels; /* writing another task than translation needs options.labels */
    const char *lacks; /* NULL: this build has it; else neither function is called */
    /* Items and options are checked (tool_forms.c): strings are UTF-8 without NUL, and every option
     * has its value. NULL: the form is only read. */
    alcore_status (*write)(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                           const alcore_tool_options *options);
    /* Options are checked as for writing, but target_language may be NULL. NULL: the form is only
     * written. */
    alcore_status (*read)(alcore_ctx *ctx, const char *path, const alcore_tool_options *options,
                          alcore_tool_answers *into);
} alcore__tool_form;

/* Entry i of an array of items that may be NULL; NULL or NaN: there is none. */
static inline const char *alcore__tool_entry(const char *const *array, int64_t i) {
    return array ? array[i] : NULL;
}
static inline double alcore__tool_number(const double *array, int64_t i) {
    return array ? array[i] : (double)NAN;
}
/* The language of item i; NULL: it is not known. */
static inline const char *alcore__tool_language(const alcore_tool_items *items, int64_t i) {
    return alcore__language_or_null(alcore__tool_entry(items->languages, i));
}
/* The draft of item i; NULL: it has none, or an empty one. */
static inline const char *alcore__tool_draft_text(const alcore_tool_items *items, int64_t i) {
    const char *draft = alcore__tool_entry(items->drafts, i);
    return draft && *draft ? draft : NULL;
}
/* Bytes of the text of item i. */
static inline size_t alcore__tool_text_length(const alcore_tool_items *items, int64_t i) {
    return items->text_lengths ? items->text_lengths[i] : strlen(items->texts[i]);
}

/* Fails with ALCORE_E_DATA and "item N (ID): ...", item being the index from 0. */
alcore_status alcore__tool_fail_item(const alcore_tool_items *items, int64_t item,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The task's name, such as "spans"; NULL: it is no ALCORE_TASK_*. */
const char *alcore__tool_task_name(int32_t task);

/* ---- answers (tool_answers.c) ---- */

/* The words for what became of an item, as alcore_tool_answer.status has them; ends with a NULL. */
extern const char *const alcore__tool_statuses[];
/* For alcore__sort(): alcore_tool_span by begin, end and label. */
int alcore__tool_compare_spans(const void *left, const void *right);

/* An empty list for answers to a task (ALCORE_TASK_*) of the file at path. */
alcore_status alcore__tool_answers_new(alcore_ctx *ctx, const char *path, int32_t task,
                                       alcore_tool_answers **out);

/* Adds an answer, whose strings and spans are copied. The value of spans is made of them, sorted by
 * their begins, and of classes and tags it is brought into one order and spacing, so that equal
 * answers have equal values; a status without an answer has no value. A record with a string that
 * is no UTF-8 is refused, which is ALCORE_OK. ALCORE_E_NOMEM. */
alcore_status alcore__tool_answers_add(alcore_tool_answers *into, const alcore_tool_answer *answer);

/* Counts a record that cannot be used, and keeps "FILE:LINE: reason". ALCORE_E_NOMEM. */
alcore_status alcore__tool_answers_refuse(alcore_tool_answers *into, int64_t line,
                                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of an error that was just set and names file and line, as alcore__lines_fail() does. */
alcore_status alcore__tool_answers_refuse_error(alcore_tool_answers *into);

/* Keeps the name of the batch; a later one replaces it. ALCORE_E_NOMEM. */
alcore_status alcore__tool_answers_set_batch(alcore_tool_answers *into, const char *batch);

/* Keeps that a message (ALCORE_OK), or the error that ends the reading, names another tool, whose
 * file this is. */
void alcore__tool_answers_set_named(alcore_tool_answers *into, alcore_status status);
/* Whether what a caller is told of a reading that ended with the status names another tool. */
bool alcore__tool_answers_named(const alcore_tool_answers *answers, alcore_status status);

#endif
