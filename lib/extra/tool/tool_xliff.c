/* SPDX-License-Identifier: Apache-2.0 */
/* XLIFF 1.2, the exchange format of translators' tools (OASIS 2008). An item is a trans-unit whose
 * id is ours:
 *
 *     <trans-unit id="ID" xml:space="preserve">
 *       <source>TEXT</source>
 *       <target state="needs-translation" state-qualifier="x-alcore">TEXT</target>
 *
 * A copy of the text as target is what OmegaT fills; a draft is a target of the state
 * needs-review-translation from leveraged-mt, and stands in an alt-trans again.
 *
 * Back: approved="yes" and the states final, signed-off and translated are final, other states are
 * pending, a target without state is stateless (tool_unit.h). OmegaT and its like change targets
 * and leave states alone, while MateCat fills in targets that nobody has confirmed and writes the
 * element anew: a pending target that differs from what went out counts only where state and
 * qualifier are still those that we wrote. */
#include <string.h>

#include "extra/tool/tool_output.h"
#include "extra/tool/xliff_inline.h"

#define OURS "alcore"          /* in from="" and origin="" */
#define COPIED "x-alcore"      /* state-qualifier of a copy of the text */
#define DRAFTED "leveraged-mt" /* state-qualifier of a draft */

/* ---- out ---- */

static void put_before(alcore__tool_out *out, const alcore_tool_items *items,
                       const alcore_tool_options *options) {
    (void)items;
    alcore__tool_put(out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n"
                     "<file original=\"");
    alcore__tool_put_attribute(out, options->batch);
    alcore__tool_put(out, "\" source-language=\"");
    alcore__tool_put_attribute(out, options->source_language);
    alcore__tool_put(out, "\" target-language=\"");
    alcore__tool_put_attribute(out, options->target_language);
    alcore__tool_put(out, "\" datatype=\"plaintext\">\n<body>\n");
}

static void put_source(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                       const alcore_tool_options *options) {
    const char *language = alcore__tool_language(items, i);
    alcore__tool_put(out, "<source");
    if (language && strcmp(language, options->source_language) != 0) {
        alcore__tool_put(out, " xml:lang=\"");
        alcore__tool_put_attribute(out, language);
        alcore__tool_put(out, "\"");
    }
    alcore__tool_put(out, ">");
    alcore__tool_put_xml(out, items->texts[i], alcore__tool_text_length(items, i));
    alcore__tool_put(out, "</source>\n");
}

static void put_item(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                     const alcore_tool_options *options) {
    const char *draft = alcore__tool_draft_text(items, i);
    alcore__tool_put(out, "<trans-unit id=\"");
    alcore__tool_put_attribute(out, items->ids[i]);
    alcore__tool_put(out, "\" xml:space=\"preserve\">\n");
    put_source(out, items, i, options);
    if (draft) {
        alcore__tool_put_element(
            out, "<target state=\"needs-review-translation\" state-qualifier=\"" DRAFTED "\">",
            draft, "</target>\n");
    } else {
        alcore__tool_put(out,
                         "<target state=\"needs-translation\" state-qualifier=\"" COPIED "\">");
        alcore__tool_put_xml(out, items->texts[i], alcore__tool_text_length(items, i));
        alcore__tool_put(out, "</target>\n");
    }
    alcore__tool_put_element(
        out, "<context-group purpose=\"location\"><context context-type=\"sourcefile\">",
        alcore__tool_entry(items->groups, i), "</context></context-group>\n");
    alcore__tool_put(out, "<note from=\"" OURS "\">");
    alcore__tool_put_figures(out, items, i);
    alcore__tool_put(out, "</note>\n");
    alcore__tool_put_element(out, "<note from=\"" OURS "\">", alcore__tool_entry(items->reasons, i),
                             "</note>\n");
    alcore__tool_put_element(out, "<note from=\"" OURS "\" annotates=\"source\">",
                             alcore__tool_entry(items->contexts, i), "</note>\n");
    alcore__tool_put_element(out, "<alt-trans origin=\"" OURS "\"><target>", draft,
                             "</target></alt-trans>\n");
    alcore__tool_put(out, "</trans-unit>\n");
}

static alcore_status write_xliff(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                 const alcore_tool_options *options) {
    static const alcore__tool_layout layout = {put_before, alcore__tool_check_xml, put_item,
                                               "</body>\n</file>\n</xliff>\n"};
    return alcore__tool_write_items(ctx, path, items, options, &layout);
}

/* ---- back ---- */

typedef struct reading {
    alcore__xliff file;
    alcore__xliff_inline within;
    bool in_other;  /* within an alt-trans or a bin-unit */
    bool our_other; /* that alt-trans has what went out */
    bool untouched; /* state and qualifier of the target are as we wrote them */
    bool drafted;   /* they are those of a draft */
} reading;

static alcore_status start_unit(reading *self, alcore__xml *xml, const char *const *attributes) {
    const char *approved = alcore__xml_attribute(attributes, "approved");
    self->in_other = self->our_other = self->untouched = self->drafted = false;
    alcore__xliff_inline_begin(&self->within);
    ALCORE__TRY(
        alcore__xliff_start_unit(&self->file, xml, alcore__xml_attribute(attributes, "id")));
    if (approved && strcmp(approved, "yes") == 0) self->file.unit.state = ALCORE__UNIT_FINAL;
    return ALCORE_OK;
}

/* The target's attributes: its state, unless the unit is approved, and whether we wrote it. */
static void start_target(reading *self, const char *const *attributes) {
    const char *state = alcore__xml_attribute(attributes, "state");
    const char *qualifier = alcore__xml_attribute(attributes, "state-qualifier");
    self->file.field = &self->file.unit.target;
    self->file.unit.target.length = 0;
    if (!state || self->file.unit.state == ALCORE__UNIT_FINAL) return;
    self->file.unit.state = alcore__unit_state_of(state);
    self->drafted = qualifier && strcmp(qualifier, DRAFTED) == 0 &&
                    strcmp(state, "needs-review-translation") == 0;
    self->untouched = self->drafted || (qualifier && strcmp(qualifier, COPIED) == 0 &&
                                        strcmp(state, "needs-translation") == 0);
}

static alcore_status start_note(reading *self, const char *const *attributes) {
    const char *from = alcore__xml_attribute(attributes, "from");
    if (from && strcmp(from, OURS) == 0) return ALCORE_OK;
    return alcore__xliff_start_comment(&self->file);
}

static alcore_status start(void *user, alcore__xml *xml, const char *name,
                           const char *const *attributes) {
    reading *self = user;
    const char *origin = alcore__xml_attribute(attributes, "origin");
    bool is_read;
    ALCORE__TRY(alcore__xliff_start(&self->file, xml, name, attributes, '2', "xliff2", &is_read));
    if (is_read) return ALCORE_OK;
    if (strcmp(name, "trans-unit") == 0) return start_unit(self, xml, attributes);
    if (!self->file.in_unit) return ALCORE_OK;
    if (strcmp(name, "alt-trans") == 0) {
        self->in_other = true;
        self->our_other = origin && strcmp(origin, OURS) == 0;
    } else if (self->in_other) {
        if (self->our_other && strcmp(name, "target") == 0)
            self->file.field = &self->file.unit.draft;
    } else if (strcmp(name, "source") == 0) {
        self->file.field = &self->file.unit.source;
    } else if (strcmp(name, "target") == 0) {
        start_target(self, attributes);
    } else if (strcmp(name, "note") == 0) {
        return start_note(self, attributes);
    }
    return self->in_other
               ? ALCORE_OK
               : alcore__xliff_inline_start(&self->within, &self->file, name, attributes);
}

/* A target that a person changed in a tool that leaves states alone is one without state. One of
 * which segments have no text is not done, nor is one without state that has a segment of the
 * source. */
static alcore_status end_unit(reading *self) {
    alcore__unit *unit = &self->file.unit;
    self->file.in_unit = false;
    if (self->untouched && unit->state == ALCORE__UNIT_PENDING &&
        (!self->drafted ||
         (unit->draft.length > 0 && !alcore__unit_same(&unit->target, &unit->draft))))
        unit->state = ALCORE__UNIT_STATELESS;
    const bool lacks = alcore__xliff_inline_lacks(&self->within);
    if (lacks && unit->state == ALCORE__UNIT_FINAL)
        return alcore__tool_answers_refuse(
            unit->into, unit->line,
            "%s is said to be translated, but a segment of its target is empty",
            alcore__unit_text(&unit->id));
    if (lacks || (self->within.copied && unit->state == ALCORE__UNIT_STATELESS))
        unit->state = ALCORE__UNIT_PENDING;
    return alcore__unit_end(unit);
}

static alcore_status end(void *user, alcore__xml *xml, const char *name) {
    reading *self = user;
    (void)xml;
    if (!self->file.in_unit) return ALCORE_OK;
    if (strcmp(name, "trans-unit") == 0) return end_unit(self);
    if (!self->in_other) ALCORE__TRY(alcore__xliff_inline_end(&self->within, &self->file, name));
    if (strcmp(name, "alt-trans") == 0) self->in_other = false;
    alcore__xliff_end_field(&self->file, name);
    return ALCORE_OK;
}

static alcore_status add_text(void *user, alcore__xml *xml, const char *text, size_t length) {
    reading *self = user;
    (void)xml;
    return alcore__xliff_add_text(&self->file, text, length);
}

static alcore_status read_xliff(alcore_ctx *ctx, const char *path,
                                const alcore_tool_options *options, alcore_tool_answers *into) {
    static const alcore__xml_handler handler = {start, end, add_text};
    reading self = {.file = {.unit = {.ctx = ctx, .into = into}}};
    (void)options;
    const alcore_status status = alcore__xml_read(ctx, path, &handler, &self);
    alcore__unit_clear(&self.file.unit);
    alcore__xliff_inline_clear(ctx, &self.within);
    return status;
}

const alcore__tool_form alcore__tool_xliff = {.name = "xliff",
                                              .title = "XLIFF 1.2 (OmegaT, Weblate, MateCat)",
                                              .suffix = ".xlf",
                                              .tasks = "translation",
                                              .lacks = ALCORE__XML_LACKS,
                                              .write = write_xliff,
                                              .read = read_xliff};
