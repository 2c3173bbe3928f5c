/* SPDX-License-Identifier: Apache-2.0 */
/* What an evaluation printed: finite numbers with names of their own, or an error that says where;
 * written as lines the measures are read again. */
#include <math.h>
#include <stdio.h>

#include "alcore/status.h"
#include "base/number.h"
#include "extra/metric/measure_lines.h"
#include "fuzz_target.h"

static alcore__measures found, again;
static char copy[1 << 16];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    size_t length = 0;
    if (bytes >= sizeof copy) return 0;
    memcpy(copy, data, bytes);
    found.count = again.count = 0;
    if (alcore__measures_read(&found, copy, bytes) != ALCORE_OK) {
        FUZZ_CHECK(strstr(alcore_last_error(), "the evaluation"));
        return 0;
    }
    fuzz_accepted++;
    FUZZ_CHECK(found.count > 0 && found.count <= ALCORE__MOST_MEASURES);
    for (int i = 0; i < found.count; i++) {
        char value[32];
        FUZZ_CHECK(isfinite(found.values[i]) && *found.names[i]);
        for (int k = 0; k < i; k++) FUZZ_CHECK(strcmp(found.names[i], found.names[k]) != 0);
        alcore__print_double(found.values[i], value);
        length += (size_t)snprintf(copy + length, sizeof copy - length, "%s\t%s\n", found.names[i],
                                   value);
    }
    FUZZ_CHECK(alcore__measures_read(&again, copy, length) == ALCORE_OK);
    FUZZ_CHECK(again.count == found.count);
    for (int i = 0; i < found.count; i++)
        FUZZ_CHECK(strcmp(found.names[i], again.names[i]) == 0 &&
                   memcmp(&found.values[i], &again.values[i], sizeof found.values[i]) == 0);
    return 0;
}
