/* SPDX-License-Identifier: Apache-2.0 */
/* Checking and reading the texts of a public call (texts.h). */
#include "text/texts.h"

#include <inttypes.h>
#include <string.h>

/* Checks every pointer before any text is read. */
alcore_status alcore__texts_check(const alcore__texts *texts, const char *what) {
    if (texts->count < 0)
        return alcore__fail(ALCORE_E_INVALID, "count is %" PRId64 ", less than 0", texts->count);
    if (texts->count > 0 && !texts->texts)
        return alcore__fail(ALCORE_E_INVALID, "%s is NULL, but count is %" PRId64, what,
                            texts->count);
    for (int64_t i = 0; i < texts->count; i++)
        if (!texts->texts[i] && (!texts->lengths || texts->lengths[i] > 0))
            return alcore__fail(ALCORE_E_INVALID, "%s[%" PRId64 "] is NULL", what, i);
    return ALCORE_OK;
}

/* A NULL text, whose length is 0 as alcore__texts_check() has seen, reads as "". */
const char *alcore__texts_get(const alcore__texts *texts, int64_t index, size_t *length) {
    const char *text = !texts->texts[index] ? "" : texts->texts[index];
    *length = !texts->lengths ? strlen(text) : texts->lengths[index];
    return text;
}
