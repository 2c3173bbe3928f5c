/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and segments within the texts of XLIFF 1.2 (xliff_inline.h). */
#include "extra/tool/xliff_inline.h"

#include <string.h>

#include "formats/inline_codes.h"
#include "text/utf8.h"

void alcore__xliff_inline_begin(alcore__xliff_inline *self) {
    const alcore__xliff_inline before = *self;
    *self = (alcore__xliff_inline){
        .equivalent = before.equivalent, .sources = before.sources, .source = before.source};
    self->sources.length = 0;
}

/* ---- codes ---- */

/* An element without a text of its own; <g> and <mrk> have one. */
static bool is_code(const char *name) {
    static const char *const empty[] = {"x", "bx", "ex"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        if (strcmp(name, empty[i]) == 0) return true;
    return alcore__is_inline_code(name);
}

static alcore_status start_code(alcore__xliff_inline *self, alcore__xliff *file,
                                const char *const *attributes) {
    const char *text = alcore__xml_attribute(attributes, "equiv-text");
    const char *const type = alcore__xml_attribute(attributes, "ctype");
    if (self->code_depth++ > 0) return ALCORE_OK;
    if (!text) text = type && strcmp(type, "lb") == 0 ? "\n" : "";
    self->code_start = file->field ? file->field->length : 0;
    return alcore__unit_set(&file->unit, &self->equivalent, text);
}

static alcore_status end_code(alcore__xliff_inline *self, alcore__xliff *file) {
    if (--self->code_depth > 0 || !file->field || file->field->length > self->code_start)
        return ALCORE_OK;
    return alcore__xliff_add_text(file, alcore__unit_text(&self->equivalent),
                                  self->equivalent.length);
}

/* ---- segments ---- */

static bool has_any(const char *text, size_t length, bool letters) {
    for (size_t at = 0; at < length;) {
        const int32_t point = alcore__utf8_next(text, length, &at);
        if (letters ? alcore__utf8_is_letter(point) : !alcore__utf8_is_space(point)) return true;
    }
    return false;
}

static void start_mark(alcore__xliff_inline *self, alcore__xliff *file,
                       const char *const *attributes) {
    const char *const type = alcore__xml_attribute(attributes, "mtype");
    self->marks++;
    if (self->mark || !type || strcmp(type, "seg") != 0) return;
    if (!self->in_source && !self->in_target) return;
    self->mark = self->marks;
    self->source.length = 0;
    if (self->in_source) file->field = &self->source;
    self->start = file->field ? file->field->length : 0;
}

/* The next segment of seg-source; NULL: there is none. */
static const char *next_source(alcore__xliff_inline *self) {
    if (self->next >= self->sources.length) return NULL;
    const char *const text = self->sources.data + self->next;
    self->next += strlen(text) + 1;
    return text;
}

static alcore_status end_mark(alcore__xliff_inline *self, alcore__xliff *file) {
    alcore__buffer *const field = file->field;
    const bool ends = self->mark > 0 && self->marks == self->mark;
    if (self->marks > 0) self->marks--;
    if (!ends) return ALCORE_OK;
    self->mark = 0;
    /* The text has ended already where a source or target stands within the segment. */
    if (!field || field->length < self->start) return ALCORE_OK;
    if (self->in_source) {
        file->field = NULL;
        self->wanted += has_any(alcore__unit_text(field), field->length, false);
        return alcore__buffer_append(file->unit.ctx, &self->sources, alcore__unit_text(field),
                                     field->length + 1);
    }
    const char *const text = alcore__unit_text(field) + (field->length ? self->start : 0);
    const size_t length = field->length - self->start;
    const char *const source = next_source(self);
    const bool is_given = has_any(text, length, false);
    self->given += is_given;
    self->empty |= !is_given;
    self->copied |= source && strlen(source) == length && memcmp(source, text, length) == 0 &&
                    has_any(text, length, true);
    return ALCORE_OK;
}

bool alcore__xliff_inline_lacks(const alcore__xliff_inline *self) {
    const bool cut = self->given > 0 || self->empty; /* the target has segments */
    return cut && (self->wanted > 0 ? self->given < self->wanted : self->empty);
}

/* ---- elements ---- */

alcore_status alcore__xliff_inline_start(alcore__xliff_inline *self, alcore__xliff *file,
                                         const char *name, const char *const *attributes) {
    if (strcmp(name, "seg-source") == 0) self->in_source = true;
    if (strcmp(name, "target") == 0) {
        self->in_target = true;
        self->next = 0;
        self->given = 0;
        self->empty = self->copied = false;
    }
    if (strcmp(name, "mrk") == 0) start_mark(self, file, attributes);
    return is_code(name) ? start_code(self, file, attributes) : ALCORE_OK;
}

alcore_status alcore__xliff_inline_end(alcore__xliff_inline *self, alcore__xliff *file,
                                       const char *name) {
    if (strcmp(name, "seg-source") == 0) self->in_source = false;
    if (strcmp(name, "target") == 0) self->in_target = false;
    if (strcmp(name, "mrk") == 0) return end_mark(self, file);
    return is_code(name) ? end_code(self, file) : ALCORE_OK;
}

void alcore__xliff_inline_clear(alcore_ctx *ctx, alcore__xliff_inline *self) {
    alcore__buffer_clear(ctx, &self->equivalent);
    alcore__buffer_clear(ctx, &self->sources);
    alcore__buffer_clear(ctx, &self->source);
}
