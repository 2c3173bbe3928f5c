/* SPDX-License-Identifier: Apache-2.0 */
/* Workbooks (xlsx_book.h). xl/workbook.xml lists the sheets, each with the id of a relation;
 * xl/_rels/workbook.xml.rels says which member a relation is, and which has the shared strings. */
#include "extra/tool/xlsx_book.h"

#include <string.h>

#include "text/utf8.h"

#define BOOK "xl/workbook.xml"
#define RELATIONS "xl/_rels/workbook.xml.rels"
#define PROPERTIES "docProps/core.xml"

/* One reading of a part of the book but its sheet. */
typedef struct part {
    alcore__xlsx_book *book;
    alcore__buffer relation; /* id of the first sheet's */
    alcore__buffer strings;  /* member of the shared strings; empty: there is none */
    alcore__buffer text;     /* of the present string */
    bool in_string, in_text; /* in_text: within a <t> of it that is no reading of another script */
    bool in_title;
    bool in_reading;
} part;

/* ---- members ---- */

alcore_status alcore__xlsx_read(alcore__xlsx_book *book, const char *member,
                                const alcore__xml_handler *handler, void *user) {
    alcore__buffer name = {0};
    alcore_status status = alcore__zip_begin(book->zip, member);
    if (status == ALCORE_E_NOT_FOUND)
        return alcore__fail(ALCORE_E_DATA, "%s has no %s: it is no XLSX", book->path, member);
    if (status == ALCORE_OK)
        status = alcore__buffer_format(book->ctx, &name, "%s/%s", book->path, member);
    if (status == ALCORE_OK)
        status =
            alcore__xml_read_from(book->ctx, name.data, alcore__zip_read, book->zip, handler, user);
    alcore__buffer_clear(book->ctx, &name);
    return status;
}

static alcore_status pass_end(void *user, alcore__xml *xml, const char *name) {
    (void)user, (void)xml, (void)name;
    return ALCORE_OK;
}

static alcore_status pass_text(void *user, alcore__xml *xml, const char *text, size_t length) {
    (void)user, (void)xml, (void)text, (void)length;
    return ALCORE_OK;
}

/* ---- where things are ---- */

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), bytes = strlen(end);
    return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

static alcore_status start_sheet(void *user, alcore__xml *xml, const char *name,
                                 const char *const *attributes) {
    part *self = user;
    (void)xml;
    if (strcmp(name, "sheet") != 0 || self->relation.length > 0) return ALCORE_OK;
    /* "r:id", whatever the prefix. */
    for (; *attributes; attributes += 2)
        if (ends_in(attributes[0], ":id"))
            return alcore__buffer_append(self->book->ctx, &self->relation, attributes[1],
                                         strlen(attributes[1]));
    return ALCORE_OK;
}

/* Sets *out to the member that a target names; most are relative to xl/. */
static alcore_status set_member(alcore_ctx *ctx, alcore__buffer *out, const char *target) {
    out->length = 0;
    if (*target == '/') return alcore__buffer_format(ctx, out, "%s", target + 1);
    return alcore__buffer_format(ctx, out, "xl/%s", target);
}

static alcore_status start_relation(void *user, alcore__xml *xml, const char *name,
                                    const char *const *attributes) {
    part *self = user;
    alcore_ctx *ctx = self->book->ctx;
    const char *id = alcore__xml_attribute(attributes, "Id");
    const char *type = alcore__xml_attribute(attributes, "Type");
    const char *target = alcore__xml_attribute(attributes, "Target");
    (void)xml;
    if (strcmp(name, "Relationship") != 0 || !id || !type || !target) return ALCORE_OK;
    if (self->relation.length > 0 && strcmp(id, self->relation.data) == 0)
        return set_member(ctx, &self->book->sheet, target);
    return ends_in(type, "/sharedStrings") ? set_member(ctx, &self->strings, target) : ALCORE_OK;
}

/* ---- shared strings ---- */

int32_t alcore__xlsx_escape(const char *text) {
    int32_t value = 0;
    if (text[0] != '_' || text[1] != 'x') return -1;
    for (int i = 2; i < 6; i++) {
        const char *digit = text[i] ? strchr("0123456789abcdef", text[i] | 0x20) : NULL;
        if (!digit || text[i] < '0') return -1; /* what is below becomes a digit by 0x20 */
        value = value * 16 + (int32_t)(digit - "0123456789abcdef");
    }
    return text[6] == '_' ? value : -1;
}

void alcore__xlsx_decode(alcore__buffer *text, size_t first) {
    char *data = text->data;
    size_t out = first, at = first;
    if (text->length == first) return; /* what is behind the length is of another text */
    for (const char *mark; (mark = strstr(data + at, "_x"));) {
        const size_t begin = (size_t)(mark - data);
        const int32_t point = alcore__xlsx_escape(mark);
        memmove(data + out, data + at, begin - at);
        out += begin - at;
        at = begin;
        if (point > 0 && (point < 0xD800 || point > 0xDFFF)) {
            out += alcore__utf8_write(point, data + out);
            at += 7;
        } else {
            data[out++] = data[at++];
        }
    }
    memmove(data + out, data + at, text->length - at + 1);
    text->length -= at - out;
}

static alcore_status start_string(void *user, alcore__xml *xml, const char *name,
                                  const char *const *attributes) {
    part *self = user;
    (void)xml, (void)attributes;
    if (strcmp(name, "si") == 0) {
        self->in_string = true;
        self->text.length = 0;
    }
    if (strcmp(name, "rPh") == 0) self->in_reading = true;
    if (strcmp(name, "t") == 0) self->in_text = self->in_string && !self->in_reading;
    return ALCORE_OK;
}

/* Keeps the string that has ended. */
static alcore_status keep_string(part *self) {
    alcore__xlsx_book *book = self->book;
    alcore__xlsx_decode(&self->text, 0);
    const size_t length = self->text.length;
    const char *copy;
    ALCORE__TRY(alcore__arena_text(book->ctx, &book->texts, self->text.data, length, &copy));
    ALCORE__TRY(alcore__grow(book->ctx, &book->strings, &book->capacity, book->count + 1,
                             sizeof *book->strings));
    book->strings[book->count++] = (alcore__xlsx_string){copy, length};
    return ALCORE_OK;
}

static alcore_status end_string(void *user, alcore__xml *xml, const char *name) {
    part *self = user;
    (void)xml;
    if (strcmp(name, "t") == 0) self->in_text = false;
    if (strcmp(name, "rPh") == 0) self->in_reading = false;
    if (strcmp(name, "si") != 0 || !self->in_string) return ALCORE_OK;
    self->in_string = false;
    return keep_string(self);
}

static alcore_status add_text(void *user, alcore__xml *xml, const char *text, size_t length) {
    part *self = user;
    (void)xml;
    if (!self->in_text) return ALCORE_OK;
    return alcore__buffer_append(self->book->ctx, &self->text, text, length);
}

/* ---- properties ---- */

static alcore_status start_property(void *user, alcore__xml *xml, const char *name,
                                    const char *const *attributes) {
    part *self = user;
    (void)xml, (void)attributes;
    self->in_title = ends_in(name, "title");
    return ALCORE_OK;
}

static alcore_status end_property(void *user, alcore__xml *xml, const char *name) {
    part *self = user;
    (void)xml, (void)name;
    self->in_title = false;
    return ALCORE_OK;
}

static alcore_status add_title(void *user, alcore__xml *xml, const char *text, size_t length) {
    part *self = user;
    (void)xml;
    if (!self->in_title) return ALCORE_OK;
    return alcore__buffer_append(self->book->ctx, &self->book->title, text, length);
}

/* Reads the title, where the file has properties. */
static alcore_status read_title(part *self) {
    static const alcore__xml_handler properties = {start_property, end_property, add_title};
    const alcore_status status = alcore__zip_begin(self->book->zip, PROPERTIES);
    if (status == ALCORE_E_NOT_FOUND) return ALCORE_OK;
    ALCORE__TRY(status);
    return alcore__xlsx_read(self->book, PROPERTIES, &properties, self);
}

/* ---- the book ---- */

static alcore_status read_parts(part *self) {
    static const alcore__xml_handler sheets = {start_sheet, pass_end, pass_text};
    static const alcore__xml_handler relations = {start_relation, pass_end, pass_text};
    static const alcore__xml_handler strings = {start_string, end_string, add_text};
    alcore__xlsx_book *book = self->book;
    ALCORE__TRY(alcore__xlsx_read(book, BOOK, &sheets, self));
    ALCORE__TRY(alcore__xlsx_read(book, RELATIONS, &relations, self));
    ALCORE__TRY(read_title(self));
    if (book->sheet.length == 0) return alcore__fail(ALCORE_E_DATA, "%s has no sheet", book->path);
    if (self->strings.length == 0) return ALCORE_OK;
    return alcore__xlsx_read(book, self->strings.data, &strings, self);
}

alcore_status alcore__xlsx_open(alcore__xlsx_book *book, alcore_ctx *ctx, const char *path) {
    part self = {.book = book};
    *book = (alcore__xlsx_book){.ctx = ctx, .path = path};
    ALCORE__TRY(alcore__zip_open(ctx, path, &book->zip));
    const alcore_status status = read_parts(&self);
    alcore__buffer_clear(ctx, &self.relation);
    alcore__buffer_clear(ctx, &self.strings);
    alcore__buffer_clear(ctx, &self.text);
    return status;
}

void alcore__xlsx_close(alcore__xlsx_book *book) {
    alcore__zip_close(book->zip);
    alcore__buffer_clear(book->ctx, &book->sheet);
    alcore__buffer_clear(book->ctx, &book->title);
    alcore__arena_clear(book->ctx, &book->texts);
    alcore__free(book->ctx, book->strings);
}
