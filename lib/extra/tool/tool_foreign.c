/* SPDX-License-Identifier: Apache-2.0 */
/* A record of another tool: without this, it would be one that nobody has answered. */
#include <string.h>

#include "extra/tool/tool_record.h"

/* Members that exports have of a record with an answer, and batches that went out have not; doccano
 * has its own in both. The first one that is found tells: JSON_MIN may have a list "label" too. */
static const struct {
    const char *tool, *member;
    char kind; /* of its value, as alcore__json_kind() says; 0: any */
} signs[] = {{"label-studio", "annotation_id", 0},
             {"prodigy", "answer", '"'},
             {"argilla", "label.responses", '['},
             {"argilla", "translation.responses", '['},
             {"doccano", "label", '['},
             {"doccano", "entities", '['}};

alcore_status alcore__tool_check_foreign(alcore__tool_record *record, const char *tool,
                                         const char *id) {
    alcore__json at;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcmp(signs[i].tool, tool) != 0 &&
            alcore__tool_member(&record->json, signs[i].member, &at) &&
            (signs[i].kind == 0 || alcore__json_kind(&at) == signs[i].kind)) {
            alcore__tool_answers_set_named(record->into, ALCORE_OK);
            return alcore__tool_record_refuse(
                record, "item %s: by its \"%s\" it looks like a record of %s, not of %s", id,
                signs[i].member, signs[i].tool, tool);
        }
    return ALCORE_OK;
}
