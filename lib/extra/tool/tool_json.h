/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the JSON files of tools: a record for each item, and the file of settings that a tool
 * needs beside it. */
#ifndef ALCORE__TOOL_JSON_H
#define ALCORE__TOOL_JSON_H

#include "extra/tool/tool_draft.h"
#include "formats/json_text.h"

/* A file that is being written. */
typedef struct alcore__tool_json {
    alcore_ctx *ctx;
    const alcore_tool_items *items;
    const alcore_tool_options *options;
    bool contexts, reasons, drafts; /* whether any item has one */
    bool groups, languages, scores, costs;
    bool even;                /* of the form */
    int64_t item;             /* whose record is written, from 0 */
    alcore__json_out json;    /* the record */
    alcore__tool_draft draft; /* of the item */
} alcore__tool_json;

/* What a form writes. */
typedef struct alcore__tool_json_form {
    const char *begin, *between, *end; /* text before, between and after the records */
    const char *suffix;                /* of the form, which settings_suffix takes the place of */
    const char *settings_suffix;       /* NULL: there are no settings */
    bool even; /* facts of any item are members of all records: "" where an item has none */
    /* Writes a record, an object, of the item and its draft. */
    alcore_status (*record)(alcore__tool_json *self);
    /* Writes the settings; main_file: name of the file beside them, without folders. */
    alcore_status (*settings)(const alcore__tool_json *self, const char *main_file,
                              alcore__buffer *out);
} alcore__tool_json_form;

/* The texts of a list, a record a line, and of JSONL. */
#define ALCORE__TOOL_LIST .begin = "[\n", .between = ",\n", .end = "\n]\n"
#define ALCORE__TOOL_LINES .begin = "", .between = "\n", .end = "\n"

/* Writes all items, and the settings unless path is "-": both files appear, or neither. */
alcore_status alcore__tool_json_write(const alcore__tool_json_form *form, alcore_ctx *ctx,
                                      const char *path, const alcore_tool_items *items,
                                      const alcore_tool_options *options);

/* ---- members of the object that is open, of the item ---- */

/* Writes its text. */
void alcore__tool_put_item_text(alcore__tool_json *self, const char *key);
/* Writes its context where any item has one: "" where this one has none, as tools want each key in
 * each record. */
void alcore__tool_put_context(alcore__tool_json *self, const char *key);
/* Writes al_id, al_rank, al_score, al_cost, al_reason, al_group, al_language and al_batch, what
 * there is of them, or what any item has (form.even). */
void alcore__tool_put_facts(alcore__tool_json *self);
/* Writes the labels of the draft as a list of strings. */
void alcore__tool_put_labels(alcore__tool_json *self, const char *key);
/* Writes the parts of the draft as objects with start, end and label. */
void alcore__tool_put_spans(alcore__tool_json *self, const char *key);

#endif
