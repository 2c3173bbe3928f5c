/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the JSON files of tools: a record after the other, and the answers that a record has. The
 * text of a record is not changed, so that its members are looked up in any order; their strings
 * are copied. */
#ifndef ALCORE__TOOL_RECORD_H
#define ALCORE__TOOL_RECORD_H

#include "extra/tool/span_units.h"
#include "extra/tool/tool_form.h"
#include "formats/json_scan.h"

/* A record, and the answer of it that is being read. */
typedef struct alcore__tool_record {
    alcore_ctx *ctx;
    const alcore_tool_options *options;
    alcore_tool_answers *into;
    alcore__json json;         /* before the record, which is well-formed */
    alcore__arena strings;     /* copies, until the next record */
    alcore_tool_answer answer; /* value: of translations alone */
    alcore__buffer labels;     /* of classes, with a TAB behind each; then the value of tags */
    alcore_tool_span *spans;   /* [span_count] in the unit of the file */
    size_t span_count, span_capacity;
    alcore__span_text text; /* workspace: offsets in answer.text */
    void *user;             /* the form's */
} alcore__tool_record;

/* Reads a member of the file's object beside the list: its name, and record->json before its value.
 * A failure ends the reading. */
typedef alcore_status (*alcore__tool_head_reader)(alcore__tool_record *record, const char *name);
/* Reads what a form makes of one record. A failure ends the reading; records that cannot be used
 * are refused, which is ALCORE_OK. */
typedef alcore_status (*alcore__tool_record_reader)(alcore__tool_record *record);

/* Reads the records of a file: elements of its list, or of the list that is a member of its object,
 * or lines. A record that is malformed is refused, and an empty file is ALCORE_E_DATA. */
alcore_status alcore__tool_read_records(alcore_ctx *ctx, const char *path, const char *member,
                                        const alcore_tool_options *options,
                                        alcore_tool_answers *into, alcore__tool_record_reader read);
/* The same of a tool that writes lines: an empty file has none yet, which is logged. */
alcore_status alcore__tool_read_lines(alcore_ctx *ctx, const char *path,
                                      const alcore_tool_options *options, alcore_tool_answers *into,
                                      alcore__tool_record_reader read);
/* The same of a file whose object also says something of all of them; user: of the form. */
alcore_status alcore__tool_read_document(alcore_ctx *ctx, const char *path, const char *member,
                                         const alcore_tool_options *options,
                                         alcore_tool_answers *into, alcore__tool_head_reader head,
                                         alcore__tool_record_reader read, void *user);

/* Puts *out before a member of an object; false: it has none, or null, or is no object. */
bool alcore__tool_member(const alcore__json *object, const char *name, alcore__json *out);
/* *out: a string or number, ended by NUL, valid until the next record; NULL for anything else. */
alcore_status alcore__tool_string(alcore__tool_record *record, const alcore__json *at,
                                  const char **out);
/* The same of a member; NULL where there is none. */
alcore_status alcore__tool_member_string(alcore__tool_record *record, const alcore__json *object,
                                         const char *name, const char **out);
/* A number, and that of a member; NaN for anything else. */
double alcore__tool_number_at(const alcore__json *at);
double alcore__tool_member_number(const alcore__json *object, const char *name);
/* Whether a member is true. */
bool alcore__tool_member_true(const alcore__json *object, const char *name);
/* *out: seconds since 1970 as ISO 8601 in UTC; NULL for NaN and what is no date. */
alcore_status alcore__tool_time(alcore__tool_record *record, double seconds, const char **out);

/* Keeps the name of the batch, unless it is known. */
alcore_status alcore__tool_read_batch(alcore__tool_record *record, const char *batch);
/* *id and *text: al_id and text of an object, whose al_batch is that of the file. A record without
 * an al_id is refused: *id is NULL. */
alcore_status alcore__tool_read_item(alcore__tool_record *record, const alcore__json *object,
                                     const char **id, const char **text);

/* Frees what a record has, at the end of the reading. */
void alcore__tool_record_clear(alcore__tool_record *record);

/* Begins an answer of the item with an id; members of record->answer may then be set. */
void alcore__tool_answer_begin(alcore__tool_record *record, const char *id, const char *text,
                               const char *status);
/* Adds a label of classes. */
alcore_status alcore__tool_answer_label(alcore__tool_record *record, const char *label);
/* *out: a text, or the last of a list of texts; NULL: there is none. */
alcore_status alcore__tool_read_text(alcore__tool_record *record, const alcore__json *at,
                                     const char **out);
/* Adds a label, or each of a list of labels. */
alcore_status alcore__tool_read_labels(alcore__tool_record *record, const alcore__json *at);
/* Adds a part, whose offsets are in the unit of the file. */
alcore_status alcore__tool_answer_span(alcore__tool_record *record, double begin, double end,
                                       const char *label);
/* Adds a part that is a list: [begin, end, "label"]. What is none, as a label of another task, is
 * beyond any text. */
alcore_status alcore__tool_read_tuple(alcore__tool_record *record, const alcore__json *tuple);
/* Adds each of a list of objects with start, end and a member for the label. */
alcore_status alcore__tool_read_spans(alcore__tool_record *record, const alcore__json *list,
                                      const char *label_name);
/* Names the annotator of one of several answers that have no names: the number; 0: it is alone. */
alcore_status alcore__tool_name_answer(alcore__tool_record *record, int64_t number);
/* Whether something was added, or a translation was set. */
bool alcore__tool_answer_given(const alcore__tool_record *record);
/* Adds the answer to the list; one that says nothing, or that has a part beyond its text, is
 * refused. Parts make the tags of a task that asks for tags: words without one have O. */
alcore_status alcore__tool_answer_end(alcore__tool_record *record);
/* Refuses a record that has nothing by which this tool is known, but a member by which another one
 * is. Called where it would be an item that nobody has answered. */
alcore_status alcore__tool_check_foreign(alcore__tool_record *record, const char *tool,
                                         const char *id);
/* Counts the answer, or the record, as one that cannot be used. */
alcore_status alcore__tool_record_refuse(alcore__tool_record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
