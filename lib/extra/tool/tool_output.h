/* SPDX-License-Identifier: Apache-2.0 */
/* A text file of a tool on its way to the disk: it is put together in a buffer, which is written
 * item by item. The first failure stays in status, and later puts do nothing, so that the functions
 * of forms check once an item. */
#ifndef ALCORE__TOOL_OUTPUT_H
#define ALCORE__TOOL_OUTPUT_H

#include "extra/tool/tool_form.h"

typedef struct alcore__tool_out {
    alcore_ctx *ctx;
    alcore__writer *writer; /* the file under way; it appears under its name when closed */
    alcore__buffer text;    /* what is not written yet */
    alcore_status status;
} alcore__tool_out;

/* After a failure nothing is open, and alcore__tool_out_close() is not called. */
alcore_status alcore__tool_out_open(alcore__tool_out *out, alcore_ctx *ctx, const char *path);
/* Puts text as it is. */
void alcore__tool_put(alcore__tool_out *out, const char *text);
void alcore__tool_put_bytes(alcore__tool_out *out, const char *text, size_t length);
/* Puts text as the content of an element of XML, or as the value of an attribute, without its
 * quotes. */
void alcore__tool_put_xml(alcore__tool_out *out, const char *text, size_t length);
void alcore__tool_put_attribute(alcore__tool_out *out, const char *text);
/* Puts a text between two tags; NULL: nothing. */
void alcore__tool_put_element(alcore__tool_out *out, const char *begin, const char *text,
                              const char *end);
/* Puts what tools show beside an item: "rank=1 score=0.25 cost=3", where it has a score and a
 * cost. */
void alcore__tool_put_figures(alcore__tool_out *out, const alcore_tool_items *items, int64_t i);
/* Writes what was put, and polls cancellation now and then; item: how many of count are done. */
alcore_status alcore__tool_out_flush(alcore__tool_out *out, int64_t item, int64_t count);
/* Commits the file when status is ALCORE_OK, else removes it. Returns the status of the whole
 * writing. */
alcore_status alcore__tool_out_close(alcore__tool_out *out, alcore_status status);

/* Writes items by a form's functions: what stands before them, one, and what stands behind them;
 * before and after may be NULL. */
typedef struct alcore__tool_layout {
    void (*before)(alcore__tool_out *out, const alcore_tool_items *items,
                   const alcore_tool_options *options);
    /* Fails where the form cannot hold the item; NULL: it can hold any. */
    alcore_status (*check)(const alcore_tool_items *items, int64_t i);
    void (*item)(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                 const alcore_tool_options *options);
    const char *after;
} alcore__tool_layout;
alcore_status alcore__tool_write_items(alcore_ctx *ctx, const char *path,
                                       const alcore_tool_items *items,
                                       const alcore_tool_options *options,
                                       const alcore__tool_layout *layout);

/* The check of forms in XML: a character that XML 1.0 cannot hold is ALCORE_E_DATA. */
alcore_status alcore__tool_check_xml(const alcore_tool_items *items, int64_t i);

#endif
