/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of lines; see line_schema.h. Lines of 0.1 have no such key and are read as version 1, which
 * has what they had. */
#include "formats/line_schema.h"

#include <string.h>

static const char PREFIX[] = "alcore-"; /* every form of libalcore's begins with it */

bool alcore__is_line_schema(const char *key, size_t length) {
    return length == 6 && memcmp(key, "schema", 6) == 0;
}

/* Whether a text [length] is this one. */
static bool is(const char *text, size_t length, const char *known) {
    return strlen(known) == length && memcmp(text, known, length) == 0;
}

alcore_status alcore__line_schema_check(alcore__json *json, const alcore__line_reader *lines) {
    char *text;
    size_t length;
    if (alcore__json_kind(json) != '"') {
        alcore__json_skip(json);
        return ALCORE_OK;
    }
    if (!alcore__json_string(json, &text, &length)) return ALCORE_OK;
    if (length < sizeof PREFIX - 1 || memcmp(text, PREFIX, sizeof PREFIX - 1) != 0 ||
        is(text, length, ALCORE__SELECTION_SCHEMA) || is(text, length, ALCORE__REQUESTS_SCHEMA))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s:%lld: lines of the form %.*s are not read by this release; it reads %s "
                        "and %s",
                        lines->path, (long long)lines->line, (int)(length < 64 ? length : 64), text,
                        ALCORE__SELECTION_SCHEMA, ALCORE__REQUESTS_SCHEMA);
}
