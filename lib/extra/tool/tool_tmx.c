/* SPDX-License-Identifier: Apache-2.0 */
/* TMX 1.4, translation memories (LISA 2005). An item is a unit whose tuid is its id:
 *
 *     <tu tuid="ID">
 *       <prop type="x-alcore-draft">DRAFT</prop>
 *       <tuv xml:lang="en"><seg>TEXT</seg></tuv>
 *       <tuv xml:lang="de"><seg>DRAFT</seg></tuv>
 *
 * Back: a memory has no states. The target is final, unless it still equals the draft that went
 * out: then it is pending (tool_unit.h). A unit without target is open. Which variant is the source
 * and which the target tmx_languages.h says; a unit that has another language in the target's place
 * cannot be used. Codes of inline elements are left out. */
#include <string.h>

#include "alcore/version.h"
#include "extra/tool/tool_output.h"
#include "extra/tool/tool_unit.h"
#include "formats/inline_codes.h"
#include "formats/tmx_languages.h"
#include "formats/xml_reader.h"
#include "text/language_tag.h"

#define DRAFT_PROP "x-alcore-draft"
#define BATCH_PROP "x-alcore-batch"

/* ---- out ---- */

static void put_variant(alcore__tool_out *out, const char *language, const char *text,
                        size_t length) {
    alcore__tool_put(out, "<tuv xml:lang=\"");
    alcore__tool_put_attribute(out, language);
    alcore__tool_put(out, "\"><seg>");
    alcore__tool_put_xml(out, text, length);
    alcore__tool_put(out, "</seg></tuv>\n");
}

static void put_before(alcore__tool_out *out, const alcore_tool_items *items,
                       const alcore_tool_options *options) {
    (void)items;
    alcore__tool_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
                          "<tmx version=\"1.4\">\n"
                          "<header creationtool=\"alcore\" creationtoolversion=\"");
    alcore__tool_put_attribute(out, alcore_version());
    alcore__tool_put(out, "\" segtype=\"sentence\" o-tmf=\"alcore\" adminlang=\"en\" srclang=\"");
    alcore__tool_put_attribute(out, options->source_language);
    alcore__tool_put(out, "\" datatype=\"plaintext\">\n");
    alcore__tool_put_element(out, "<prop type=\"" BATCH_PROP "\">", options->batch, "</prop>\n");
    alcore__tool_put(out, "</header>\n<body>\n");
}

static void put_item(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                     const alcore_tool_options *options) {
    const char *draft = alcore__tool_draft_text(items, i);
    alcore__tool_put(out, "<tu tuid=\"");
    alcore__tool_put_attribute(out, items->ids[i]);
    alcore__tool_put(out, "\">\n<note>");
    alcore__tool_put_figures(out, items, i);
    alcore__tool_put(out, "</note>\n");
    alcore__tool_put_element(out, "<note>", alcore__tool_entry(items->reasons, i), "</note>\n");
    alcore__tool_put_element(out, "<note>", alcore__tool_entry(items->contexts, i), "</note>\n");
    alcore__tool_put_element(out, "<prop type=\"x-document\">",
                             alcore__tool_entry(items->groups, i), "</prop>\n");
    alcore__tool_put_element(out, "<prop type=\"" DRAFT_PROP "\">", draft, "</prop>\n");
    put_variant(out, options->source_language, items->texts[i], alcore__tool_text_length(items, i));
    if (draft) put_variant(out, options->target_language, draft, strlen(draft));
    alcore__tool_put(out, "</tu>\n");
}

static alcore_status write_tmx(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                               const alcore_tool_options *options) {
    static const alcore__tool_layout layout = {put_before, alcore__tool_check_xml, put_item,
                                               "</body>\n</tmx>\n"};
    return alcore__tool_write_items(ctx, path, items, options, &layout);
}

/* ---- back ---- */

typedef struct reading {
    alcore__unit unit;
    alcore__buffer *field; /* which gets the text; NULL: it is passed over */
    alcore__tmx_languages languages;
    alcore__buffer language, segment; /* of the present variant; language empty: it names none */
    alcore__buffer annotator, time;   /* of the present variant */
    alcore__buffer other;             /* language of the unit that is neither source nor target */
    alcore__buffer batch;
    int64_t code_depth; /* elements that the reading is inside of, from one of codes on */
    bool begun;         /* the root was tmx */
    bool in_unit, in_variant, has_segment;
} reading;

static alcore_status start_root(reading *self, alcore__xml *xml, const char *name) {
    self->begun = strcmp(name, "tmx") == 0;
    if (self->begun) return ALCORE_OK;
    return alcore__xml_fail(xml, "the root is %.60s, not tmx", name);
}

static alcore_status start_unit(reading *self, alcore__xml *xml, const char *const *attributes) {
    alcore__unit_begin(&self->unit, alcore__xml_line(xml));
    self->in_unit = true;
    self->other.length = 0;
    self->field = NULL;
    ALCORE__TRY(alcore__tmx_unit(&self->languages, alcore__xml_attribute(attributes, "srclang")));
    return alcore__unit_set(&self->unit, &self->unit.id, alcore__xml_attribute(attributes, "tuid"));
}

static alcore_status start_variant(reading *self, const char *const *attributes) {
    const char *who = alcore__xml_attribute(attributes, "changeid");
    const char *when = alcore__xml_attribute(attributes, "changedate");
    if (!who) who = alcore__xml_attribute(attributes, "creationid");
    if (!when) when = alcore__xml_attribute(attributes, "creationdate");
    self->in_variant = true;
    self->has_segment = false;
    self->segment.length = 0;
    ALCORE__TRY(alcore__unit_set(&self->unit, &self->language, alcore__tmx_tag(attributes)));
    ALCORE__TRY(alcore__unit_set(&self->unit, &self->annotator, who));
    return alcore__unit_set(&self->unit, &self->time, when);
}

/* A property of the header or of a unit that we wrote. */
static void start_property(reading *self, const char *const *attributes) {
    const char *type = alcore__xml_attribute(attributes, "type");
    if (!type || self->in_variant) return;
    if (!self->in_unit && strcmp(type, BATCH_PROP) == 0) self->field = &self->batch;
    if (self->in_unit && strcmp(type, DRAFT_PROP) == 0) self->field = &self->unit.draft;
}

static alcore_status start(void *user, alcore__xml *xml, const char *name,
                           const char *const *attributes) {
    reading *self = user;
    if (!self->begun) return start_root(self, xml, name);
    if (self->code_depth > 0 || (self->field == &self->segment && alcore__is_inline_code(name)))
        self->code_depth++;
    else if (self->field == &self->segment)
        return ALCORE_OK; /* <hi> and <sub>, whose text belongs to the segment */
    else if (strcmp(name, "header") == 0)
        return alcore__tmx_header(&self->languages, alcore__xml_attribute(attributes, "srclang"));
    else if (strcmp(name, "tu") == 0)
        return start_unit(self, xml, attributes);
    else if (strcmp(name, "prop") == 0)
        start_property(self, attributes);
    else if (self->in_unit && strcmp(name, "tuv") == 0)
        return start_variant(self, attributes);
    else if (self->in_variant && strcmp(name, "seg") == 0) {
        self->field = &self->segment;
        self->has_segment = true;
    }
    return ALCORE_OK;
}

/* Notes the language of a text that is neither the source's nor the target's. */
static alcore_status note_other(reading *self) {
    const char *tag = alcore__unit_text(&self->language);
    if (self->segment.length == 0 || self->other.length > 0) return ALCORE_OK;
    if (alcore__language_match(alcore__tmx_source(&self->languages), tag) > 0) return ALCORE_OK;
    return alcore__unit_set(&self->unit, &self->other, *tag ? tag : "no language by name");
}

/* Makes the variant that has ended the source of its unit, or its target, or neither. */
static alcore_status end_variant(reading *self, const alcore__xml *xml) {
    alcore__unit *unit = &self->unit;
    alcore__tmx_place place;
    self->in_variant = false;
    if (!self->has_segment) return ALCORE_OK;
    if (!alcore__tmx_source(&self->languages))
        return alcore__xml_fail(xml, "%s: source_language names it",
                                alcore__tmx_no_source(&self->languages));
    ALCORE__TRY(
        alcore__tmx_place_text(&self->languages, alcore__unit_text(&self->language), &place));
    if (place == ALCORE__TMX_OTHER) return note_other(self);
    if (place == ALCORE__TMX_SOURCE)
        return alcore__unit_set(unit, &unit->source, alcore__unit_text(&self->segment));
    ALCORE__TRY(alcore__unit_set(unit, &unit->annotator, alcore__unit_text(&self->annotator)));
    ALCORE__TRY(alcore__unit_set(unit, &unit->time, alcore__unit_text(&self->time)));
    return alcore__unit_set(unit, &unit->target, alcore__unit_text(&self->segment));
}

static alcore_status end_unit(reading *self) {
    alcore__unit *unit = &self->unit;
    const char *target = alcore__tmx_target(&self->languages);
    const bool drafted = unit->draft.length > 0 && alcore__unit_same(&unit->target, &unit->draft);
    self->in_unit = false;
    if (self->languages.target_rank == 0 && self->other.length > 0 && unit->id.length > 0)
        return alcore__tool_answers_refuse(
            unit->into, unit->line, "%.100s has a translation into %.40s, and none into %.40s",
            unit->id.data, self->other.data, target ? target : "another");
    if (unit->target.length > 0) unit->state = drafted ? ALCORE__UNIT_PENDING : ALCORE__UNIT_FINAL;
    return alcore__unit_end(unit);
}

static alcore_status end(void *user, alcore__xml *xml, const char *name) {
    reading *self = user;
    if (self->code_depth > 0) {
        self->code_depth--;
    } else if (self->field == &self->segment) {
        if (strcmp(name, "seg") == 0) self->field = NULL;
    } else if (self->in_variant && strcmp(name, "tuv") == 0) {
        return end_variant(self, xml);
    } else if (self->in_unit && strcmp(name, "tu") == 0) {
        return end_unit(self);
    } else if (strcmp(name, "prop") == 0) {
        self->field = NULL;
    } else if (strcmp(name, "header") == 0 && self->batch.length > 0) {
        return alcore__tool_answers_set_batch(self->unit.into, self->batch.data);
    }
    return ALCORE_OK;
}

static alcore_status add_text(void *user, alcore__xml *xml, const char *text, size_t length) {
    reading *self = user;
    (void)xml;
    if (!self->field || self->code_depth > 0) return ALCORE_OK;
    return alcore__buffer_append(self->unit.ctx, self->field, text, length);
}

static alcore_status read_tmx(alcore_ctx *ctx, const char *path, const alcore_tool_options *options,
                              alcore_tool_answers *into) {
    static const alcore__xml_handler handler = {start, end, add_text};
    const bool known = strcmp(options->source_language, "und") != 0;
    reading self = {.unit = {.ctx = ctx, .into = into},
                    .languages = {.ctx = ctx,
                                  .source = known ? options->source_language : NULL,
                                  .target = options->target_language}};
    alcore__buffer *const buffers[] = {&self.language, &self.segment, &self.annotator,
                                       &self.time,     &self.batch,   &self.other};
    const alcore_status status = alcore__xml_read(ctx, path, &handler, &self);
    if (status == ALCORE_OK) alcore__tmx_report(&self.languages, path);
    alcore__unit_clear(&self.unit);
    alcore__tmx_clear(&self.languages);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        alcore__buffer_clear(ctx, buffers[i]);
    return status;
}

const alcore__tool_form alcore__tool_tmx = {.name = "tmx",
                                            .title = "TMX 1.4 (translation memories)",
                                            .suffix = ".tmx",
                                            .tasks = "translation",
                                            .lacks = ALCORE__XML_LACKS,
                                            .write = write_tmx,
                                            .read = read_tmx};
