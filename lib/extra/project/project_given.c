/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that are given together: when a project is made, or for one round. */
#include <string.h>

#include "extra/project/project_internal.h"

alcore_status alcore__project_given_check(const alcore__project_given *given, const char *call) {
    if (given->count < 0 || (given->count > 0 && (!given->names || !given->values)))
        return alcore__fail(ALCORE_E_INVALID, "%s: names and values of %lld settings are needed",
                            call, (long long)given->count);
    for (int64_t i = 0; i < given->count; i++)
        if (!given->names[i])
            return alcore__fail(ALCORE_E_INVALID, "%s: the name of setting %lld is NULL", call,
                                (long long)i);
    return ALCORE_OK;
}

int64_t alcore__project_given_at(const alcore__project_given *given, int64_t i) {
    int64_t strategy = 0;
    while (strategy < given->count && strcmp(given->names[strategy], "strategy") != 0) strategy++;
    if (strategy == given->count || i > strategy) return i;
    return i == 0 ? strategy : i - 1;
}

void alcore__project_given_put(alcore__json_out *json, const alcore__project_given *given) {
    if (given->count == 0) return;
    alcore__json_open(json, NULL, '{');
    alcore__json_open(json, "settings", '{');
    for (int64_t i = 0; i < given->count; i++)
        if (given->values[i])
            alcore__json_put_string(json, given->names[i], given->values[i]);
        else
            alcore__json_put_raw(json, given->names[i], "null");
    alcore__json_close(json, '}');
    alcore__json_close(json, '}');
}
