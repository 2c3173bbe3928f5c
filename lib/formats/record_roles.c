/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of columns and keys mean for a record, and how its members are set
 * (record_format.h). Every format of records calls it. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/record_format.h"

/* Whether the column that the options name, NULL where they name none, is called that. */
bool alcore__is_column(const char *requested, const char *name, size_t length) {
    return requested && strlen(requested) == length && memcmp(requested, name, length) == 0;
}

alcore_status alcore__columns_differ(const alcore_read_options *options) {
    const char *reference = options->reference_column;
    if (!reference || !alcore__is_column(options->text_column, reference, strlen(reference)))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "the column \"%s\" cannot be text and reference",
                        reference);
}

/* Looks a column's or key's name up: first as the columns that the options name, then among the
 * known names. A role whose column the options name has no other. */
int32_t alcore__record_role(const alcore_read_options *options, const char *name, size_t length,
                            int32_t *out_rank) {
    static const struct {
        const char *name;
        int32_t role, rank;
    } names[] = {
        {"text", ALCORE__ROLE_TEXT, 1},
        {"source", ALCORE__ROLE_TEXT, 2},
        {"src", ALCORE__ROLE_TEXT, 3},
        {"id", ALCORE__ROLE_ID, 1},
        {"reference", ALCORE__ROLE_REFERENCE, 1},
        {"target", ALCORE__ROLE_REFERENCE, 2},
        {"translation", ALCORE__ROLE_REFERENCE, 3},
        {"lang", ALCORE__ROLE_LANGUAGE, 1},
        {"language", ALCORE__ROLE_LANGUAGE, 2},
        {"group", ALCORE__ROLE_GROUP, 1},
        {"cost", ALCORE__ROLE_COST, 1},
    };
    const char *text = options ? options->text_column : NULL;
    const char *reference = options ? options->reference_column : NULL;
    *out_rank = 1;
    if (alcore__is_column(text, name, length)) return ALCORE__ROLE_TEXT;
    if (alcore__is_column(reference, name, length)) return ALCORE__ROLE_REFERENCE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) != length || memcmp(names[i].name, name, length) != 0) continue;
        if (text && names[i].role == ALCORE__ROLE_TEXT) return ALCORE__ROLE_NONE;
        if (reference && names[i].role == ALCORE__ROLE_REFERENCE) return ALCORE__ROLE_NONE;
        *out_rank = names[i].rank;
        return names[i].role;
    }
    return ALCORE__ROLE_NONE;
}

/* Sets the member of a record that a role fills to a view of the value; an empty value other than
 * the text counts as absent. */
alcore_status alcore__record_set(alcore__record *record, int32_t role, const char *value,
                                 size_t length, const alcore__line_reader *lines) {
    if (role == ALCORE__ROLE_TEXT) {
        record->text = value;
        record->text_length = length;
        return ALCORE_OK;
    }
    if (length == 0) return ALCORE_OK;
    switch (role) {
    case ALCORE__ROLE_ID:
        record->id = value;
        record->id_length = length;
        break;
    case ALCORE__ROLE_REFERENCE:
        record->reference = value;
        record->reference_length = length;
        break;
    case ALCORE__ROLE_LANGUAGE:
        record->language = value;
        record->language_length = length;
        break;
    case ALCORE__ROLE_GROUP:
        record->group = value;
        record->group_length = length;
        break;
    case ALCORE__ROLE_COST:
        if (!alcore__parse_double(value, length, &record->cost) || !(record->cost >= 0) ||
            isinf(record->cost))
            return alcore__lines_fail(lines, "the cost \"%.*s\" is no number >= 0%s",
                                      (int)(length < 40 ? length : 40), value,
                                      alcore__number_fault(value, length));
        break;
    default:
        break;
    }
    return ALCORE_OK;
}
