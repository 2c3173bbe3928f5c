/* SPDX-License-Identifier: Apache-2.0 */
/* The reading that both versions of XLIFF share (xliff_reading.h). */
#include "extra/tool/xliff_reading.h"

#include <string.h>

static alcore_status start_root(alcore__xliff *self, alcore__xml *xml, const char *name,
                                const char *const *attributes, char other_version,
                                const char *other_tool) {
    const char *version = alcore__xml_attribute(attributes, "version");
    if (strcmp(name, "xliff") != 0)
        return alcore__xml_fail(xml, "the root is %.60s, not xliff", name);
    if (version && version[0] == other_version) {
        alcore__tool_answers_set_named(self->unit.into, ALCORE_E_DATA);
        return alcore__xml_fail(xml, "it is XLIFF %.20s: read it with the tool %s", version,
                                other_tool);
    }
    self->has_root = true;
    return ALCORE_OK;
}

alcore_status alcore__xliff_start(alcore__xliff *self, alcore__xml *xml, const char *name,
                                  const char *const *attributes, char other_version,
                                  const char *other_tool, bool *out_read) {
    *out_read = true;
    if (!self->has_root) return start_root(self, xml, name, attributes, other_version, other_tool);
    *out_read = strcmp(name, "file") == 0 && !self->has_batch;
    const char *batch = *out_read ? alcore__xml_attribute(attributes, "original") : NULL;
    self->has_batch |= batch != NULL;
    return batch ? alcore__tool_answers_set_batch(self->unit.into, batch) : ALCORE_OK;
}

alcore_status alcore__xliff_start_unit(alcore__xliff *self, alcore__xml *xml, const char *id) {
    alcore__unit_begin(&self->unit, alcore__xml_line(xml));
    self->in_unit = true;
    self->field = NULL;
    return alcore__unit_set(&self->unit, &self->unit.id, id);
}

alcore_status alcore__xliff_start_comment(alcore__xliff *self) {
    self->field = &self->unit.comment;
    return alcore__unit_new_comment(&self->unit);
}

void alcore__xliff_end_field(alcore__xliff *self, const char *name) {
    if (strcmp(name, "source") == 0 || strcmp(name, "target") == 0 || strcmp(name, "note") == 0)
        self->field = NULL;
}

alcore_status alcore__xliff_add_text(alcore__xliff *self, const char *text, size_t length) {
    if (!self->field) return ALCORE_OK;
    return alcore__buffer_append(self->unit.ctx, self->field, text, length);
}
