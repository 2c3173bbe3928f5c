/* SPDX-License-Identifier: Apache-2.0 */
/* The error of a row without a value, for scores and for strategies. */
#include <stdarg.h>

#include "alcore/remedy.h"
#include "scorer/score.h"

/* ALCORE_E_DATA with the caller's text, for a row without a value; the remedy that comes with it,
 * the option nan=exclude, is worded by each front end. */
alcore_status alcore__fail_nan(const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore_status status = alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_remedy(status, ALCORE_REMEDY_OPTION, "nan", "exclude",
                               "leaves such rows out");
}
