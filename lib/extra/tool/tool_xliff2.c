/* SPDX-License-Identifier: Apache-2.0 */
/* XLIFF 2.0 (OASIS 2014). The id of a unit has to be a word of XML, so that ours is its name:
 *
 *     <unit id="u1" name="ID">
 *       <notes><note category="alcore">rank=1</note>
 *              <note category="alcore-draft">DRAFT</note></notes>
 *       <segment state="initial" subState="alcore:draft">
 *         <source xml:space="preserve">TEXT</source>
 *         <target xml:space="preserve">DRAFT</target>
 *
 * Without a draft there is neither target nor state.
 *
 * Back: the name of a unit, or else its id, is the item. A tool may have cut it into segments: the
 * sources and targets are put together again, with what the ignorable parts between them have. The
 * states translated, reviewed and final are final, initial is pending, a segment without state is
 * stateless (tool_unit.h); the least of the segments counts. A tool that changes the text and
 * leaves state and subState as they went out, against the specification, has an answer too. */
#include <string.h>

#include "extra/tool/tool_output.h"
#include "extra/tool/xliff_reading.h"
#include "text/utf8.h"

#define OURS "alcore" /* in category="" */
#define DRAFT_NOTE "alcore-draft"
#define DRAFTED "alcore:draft" /* in subState="" */

/* ---- out ---- */

static void put_before(alcore__tool_out *out, const alcore_tool_items *items,
                       const alcore_tool_options *options) {
    (void)items;
    alcore__tool_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<xliff version=\"2.0\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" "
                          "srcLang=\"");
    alcore__tool_put_attribute(out, options->source_language);
    alcore__tool_put(out, "\" trgLang=\"");
    alcore__tool_put_attribute(out, options->target_language);
    alcore__tool_put(out, "\">\n<file id=\"f1\" original=\"");
    alcore__tool_put_attribute(out, options->batch);
    alcore__tool_put(out, "\">\n");
}

/* Puts a note with attributes; text NULL: nothing. */
static void put_note(alcore__tool_out *out, const char *attributes, const char *text) {
    if (!text) return;
    alcore__tool_put(out, "<note category=\"");
    alcore__tool_put(out, attributes);
    alcore__tool_put(out, "\">");
    alcore__tool_put_xml(out, text, strlen(text));
    alcore__tool_put(out, "</note>\n");
}

static void put_item(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                     const alcore_tool_options *options) {
    const char *draft = alcore__tool_draft_text(items, i);
    char number[64];
    (void)options;
    alcore__format(number, sizeof number, "<unit id=\"u%lld\" name=\"", (long long)i + 1);
    alcore__tool_put(out, number);
    alcore__tool_put_attribute(out, items->ids[i]);
    alcore__tool_put(out, "\">\n<notes>\n<note category=\"" OURS "\">");
    alcore__tool_put_figures(out, items, i);
    alcore__tool_put(out, "</note>\n");
    put_note(out, OURS, alcore__tool_entry(items->reasons, i));
    put_note(out, OURS "\" appliesTo=\"source", alcore__tool_entry(items->contexts, i));
    put_note(out, OURS, alcore__tool_entry(items->groups, i));
    put_note(out, DRAFT_NOTE, draft);
    alcore__tool_put(out, "</notes>\n<segment");
    if (draft) alcore__tool_put(out, " state=\"initial\" subState=\"" DRAFTED "\"");
    alcore__tool_put(out, ">\n<source xml:space=\"preserve\">");
    alcore__tool_put_xml(out, items->texts[i], alcore__tool_text_length(items, i));
    alcore__tool_put(out, "</source>\n");
    if (draft) {
        alcore__tool_put(out, "<target xml:space=\"preserve\">");
        alcore__tool_put_xml(out, draft, strlen(draft));
        alcore__tool_put(out, "</target>\n");
    }
    alcore__tool_put(out, "</segment>\n</unit>\n");
}

static alcore_status write_xliff2(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                  const alcore_tool_options *options) {
    static const alcore__tool_layout layout = {put_before, alcore__tool_check_xml, put_item,
                                               "</file>\n</xliff>\n"};
    return alcore__tool_write_items(ctx, path, items, options, &layout);
}

/* ---- back ---- */

typedef struct reading {
    alcore__xliff file;
    alcore__buffer part, target; /* source and target of the present segment or ignorable */
    bool in_part;                /* within a segment or an ignorable */
    bool ignorable;              /* it is an ignorable */
    bool has_segment;            /* of the unit: unit.state is that of the ones before */
    bool untranslated;           /* a segment of the unit has no target */
    bool untouched;              /* one has state and subState of a draft that went out */
} reading;

static alcore_status start_unit(reading *self, alcore__xml *xml, const char *const *attributes) {
    const char *name = alcore__xml_attribute(attributes, "name");
    self->in_part = self->has_segment = self->untranslated = self->untouched = false;
    return alcore__xliff_start_unit(&self->file, xml,
                                    name ? name : alcore__xml_attribute(attributes, "id"));
}

/* Begins a segment, with its state, or an ignorable. */
static void start_part(reading *self, bool ignorable, const char *const *attributes) {
    const char *state = alcore__xml_attribute(attributes, "state");
    self->in_part = true;
    self->ignorable = ignorable;
    self->part.length = self->target.length = 0;
    if (ignorable) return;
    const char *detail = alcore__xml_attribute(attributes, "subState");
    self->untouched |= detail && strcmp(detail, DRAFTED) == 0;
    const alcore__unit_state is = alcore__unit_state_of(state);
    /* Pending is less than stateless, which is less than final. */
    const bool less = is == ALCORE__UNIT_PENDING ||
                      (is == ALCORE__UNIT_STATELESS && self->file.unit.state == ALCORE__UNIT_FINAL);
    if (!self->has_segment || less) self->file.unit.state = is;
    self->has_segment = true;
}

/* A control character, which XML cannot hold: <cp hex="0007"/>. */
static alcore_status add_control(reading *self, const char *const *attributes) {
    const char *hex = alcore__xml_attribute(attributes, "hex");
    char bytes[4];
    int32_t point = 0;
    for (size_t i = 0; hex && i < 6 && hex[i]; i++) {
        const char *digit = strchr("0123456789abcdef", hex[i] | 0x20);
        if (!digit) return ALCORE_OK;
        point = point * 16 + (int32_t)(digit - "0123456789abcdef");
    }
    if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return ALCORE_OK;
    return alcore__xliff_add_text(&self->file, bytes, alcore__utf8_write(point, bytes));
}

static alcore_status start_note(reading *self, const char *const *attributes) {
    const char *category = alcore__xml_attribute(attributes, "category");
    if (category && strcmp(category, DRAFT_NOTE) == 0) {
        self->file.field = &self->file.unit.draft;
        return ALCORE_OK;
    }
    if (category && strcmp(category, OURS) == 0) return ALCORE_OK;
    return alcore__xliff_start_comment(&self->file);
}

static alcore_status start(void *user, alcore__xml *xml, const char *name,
                           const char *const *attributes) {
    reading *self = user;
    bool is_read;
    ALCORE__TRY(alcore__xliff_start(&self->file, xml, name, attributes, '1', "xliff", &is_read));
    if (is_read) return ALCORE_OK;
    if (strcmp(name, "unit") == 0) return start_unit(self, xml, attributes);
    if (!self->file.in_unit) return ALCORE_OK;
    if (strcmp(name, "segment") == 0 || strcmp(name, "ignorable") == 0)
        start_part(self, name[0] == 'i', attributes);
    else if (strcmp(name, "source") == 0 && self->in_part)
        self->file.field = &self->part;
    else if (strcmp(name, "target") == 0 && self->in_part)
        self->file.field = &self->target;
    else if (strcmp(name, "note") == 0)
        return start_note(self, attributes);
    else if (strcmp(name, "cp") == 0)
        return add_control(self, attributes);
    return ALCORE_OK;
}

/* Appends the part to the unit; what an ignorable has no target for stands in both languages. */
static alcore_status end_part(reading *self) {
    alcore__unit *unit = &self->file.unit;
    const bool copied = self->ignorable && self->target.length == 0;
    const alcore__buffer *target = copied ? &self->part : &self->target;
    self->in_part = false;
    if (!self->ignorable && self->target.length == 0) self->untranslated = true;
    ALCORE__TRY(alcore__buffer_append(unit->ctx, &unit->source, alcore__unit_text(&self->part),
                                      self->part.length));
    return alcore__buffer_append(unit->ctx, &unit->target, alcore__unit_text(target),
                                 target->length);
}

/* A unit of which a segment is not translated is open, unless all are said to be final. */
static alcore_status end_unit(reading *self) {
    alcore__unit *unit = &self->file.unit;
    self->file.in_unit = false;
    if (self->untranslated) {
        unit->target.length = 0;
        if (unit->state != ALCORE__UNIT_FINAL) unit->state = ALCORE__UNIT_PENDING;
    } else if (self->untouched && unit->state == ALCORE__UNIT_PENDING && unit->draft.length > 0 &&
               !alcore__unit_same(&unit->target, &unit->draft)) {
        unit->state = ALCORE__UNIT_STATELESS;
    }
    return alcore__unit_end(unit);
}

static alcore_status end(void *user, alcore__xml *xml, const char *name) {
    reading *self = user;
    (void)xml;
    if (!self->file.in_unit) return ALCORE_OK;
    if (strcmp(name, "unit") == 0) return end_unit(self);
    if (self->in_part && (strcmp(name, "segment") == 0 || strcmp(name, "ignorable") == 0))
        return end_part(self);
    alcore__xliff_end_field(&self->file, name);
    return ALCORE_OK;
}

static alcore_status add_text(void *user, alcore__xml *xml, const char *text, size_t length) {
    reading *self = user;
    (void)xml;
    return alcore__xliff_add_text(&self->file, text, length);
}

static alcore_status read_xliff2(alcore_ctx *ctx, const char *path,
                                 const alcore_tool_options *options, alcore_tool_answers *into) {
    static const alcore__xml_handler handler = {start, end, add_text};
    reading self = {.file = {.unit = {.ctx = ctx, .into = into}}};
    (void)options;
    const alcore_status status = alcore__xml_read(ctx, path, &handler, &self);
    alcore__unit_clear(&self.file.unit);
    alcore__buffer_clear(ctx, &self.part);
    alcore__buffer_clear(ctx, &self.target);
    return status;
}

const alcore__tool_form alcore__tool_xliff2 = {.name = "xliff2",
                                               .title = "XLIFF 2.0",
                                               .suffix = ".xlf",
                                               .tasks = "translation",
                                               .lacks = ALCORE__XML_LACKS,
                                               .write = write_xliff2,
                                               .read = read_xliff2};
