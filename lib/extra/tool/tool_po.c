/* SPDX-License-Identifier: Apache-2.0 */
/* PO, the catalogs of GNU gettext. An item is an entry whose msgctxt is its id:
 *
 *     #. rank=1 score=0.25
 *     #, fuzzy
 *     msgctxt "ID"
 *     msgid "TEXT"
 *     msgstr "DRAFT"
 *
 * Back: an entry with a msgstr is final, one that is fuzzy still pending (tool_unit.h). */
#include <string.h>

#include "extra/tool/tool_output.h"
#include "extra/tool/tool_po_read.h"

/* Puts one character of a string, escaped where it needs it. */
static void put_escaped(alcore__tool_out *out, char byte) {
    static const char letters[] = "\a\b\f\n\r\t\v\\\"", escapes[] = "abfnrtv\\\"";
    const char *letter = strchr(letters, byte);
    char text[8];
    if (letter)
        alcore__format(text, sizeof text, "\\%c", escapes[letter - letters]);
    else
        alcore__format(text, sizeof text, "\\%03o", (unsigned)byte);
    alcore__tool_put(out, text);
}

static bool needs_escape(char byte) {
    return ((unsigned char)byte < 0x20) || byte == 0x7F || byte == '\\' || byte == '"';
}

/* Puts a string of several lines as gettext's own programs do: an empty one, then one a line. */
static void put_string(alcore__tool_out *out, const char *keyword, const char *text,
                       size_t length) {
    const char *newline = memchr(text, '\n', length);
    const bool lines = newline && newline < text + length - 1;
    alcore__tool_put(out, keyword);
    alcore__tool_put(out, lines ? " \"\"\n\"" : " \"");
    for (size_t i = 0, plain = 0; i <= length; i++) {
        if (i < length && !needs_escape(text[i])) continue;
        alcore__tool_put_bytes(out, text + plain, i - plain);
        plain = i + 1;
        if (i < length) put_escaped(out, text[i]);
        if (lines && i + 1 < length && text[i] == '\n') alcore__tool_put(out, "\"\n\"");
    }
    alcore__tool_put(out, "\"\n");
}

/* Puts a text as comments of a kind, one a line; NULL: nothing. */
static void put_comment(alcore__tool_out *out, const char *kind, const char *text) {
    while (text && *text) {
        const size_t length = strcspn(text, "\r\n");
        alcore__tool_put(out, kind);
        alcore__tool_put_bytes(out, text, length);
        alcore__tool_put(out, "\n");
        text += length;
        text += strspn(text, "\r\n");
    }
}

static void put_header(alcore__tool_out *out, const char *name, const char *value) {
    alcore__tool_put(out, "\"");
    alcore__tool_put(out, name);
    for (; *value; value++)
        if (needs_escape(*value))
            put_escaped(out, *value);
        else
            alcore__tool_put_bytes(out, value, 1);
    alcore__tool_put(out, "\\n\"\n");
}

static void put_before(alcore__tool_out *out, const alcore_tool_items *items,
                       const alcore_tool_options *options) {
    (void)items;
    alcore__tool_put(out, "msgid \"\"\nmsgstr \"\"\n");
    put_header(out, "Project-Id-Version: ", options->batch);
    put_header(out, "Language: ", options->target_language);
    put_header(out, "MIME-Version: ", "1.0");
    put_header(out, "Content-Type: ", "text/plain; charset=UTF-8");
    put_header(out, "Content-Transfer-Encoding: ", "8bit");
    put_header(out, "X-Source-Language: ", options->source_language);
}

static void put_item(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                     const alcore_tool_options *options) {
    const char *draft = alcore__tool_entry(items->drafts, i);
    const char *group = alcore__tool_entry(items->groups, i);
    (void)options;
    alcore__tool_put(out, "\n#. ");
    alcore__tool_put_figures(out, items, i);
    alcore__tool_put(out, "\n");
    put_comment(out, "#. ", alcore__tool_entry(items->reasons, i));
    put_comment(out, "#. ", alcore__tool_entry(items->contexts, i));
    /* A reference ends at white space. */
    put_comment(out, group && strpbrk(group, " \t\r\n") ? "#. " : "#: ", group);
    if (draft && *draft) alcore__tool_put(out, "#, fuzzy\n");
    put_string(out, "msgctxt", items->ids[i], strlen(items->ids[i]));
    put_string(out, "msgid", items->texts[i], alcore__tool_text_length(items, i));
    put_string(out, "msgstr", draft ? draft : "", draft ? strlen(draft) : 0);
}

static alcore_status write_po(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                              const alcore_tool_options *options) {
    static const alcore__tool_layout layout = {put_before, NULL, put_item, NULL};
    return alcore__tool_write_items(ctx, path, items, options, &layout);
}

const alcore__tool_form alcore__tool_po = {.name = "po",
                                           .title = "PO (Poedit, Weblate, gettext)",
                                           .suffix = ".po",
                                           .tasks = "translation",
                                           .write = write_po,
                                           .read = alcore__tool_read_po};
