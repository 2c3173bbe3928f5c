/* SPDX-License-Identifier: Apache-2.0 */
#include "scorer/side.h"

#include <string.h>

const alcore__column *alcore__side_find(const alcore__side *side, const char *name) {
    for (int32_t i = 0; i < side->column_count; i++) {
        if (!strcmp(side->columns[i].name, name)) return side->columns[i].column;
    }
    return NULL;
}

alcore_status alcore__side_add(alcore__side *side, const char *name, const alcore__column *column) {
    if (side->column_count == ALCORE__SIDE_COLUMNS) {
        return alcore__fail(ALCORE_E_INTERNAL, "more than %d columns are in use",
                            ALCORE__SIDE_COLUMNS);
    }
    side->columns[side->column_count].name = name;
    side->columns[side->column_count++].column = column;
    return ALCORE_OK;
}
