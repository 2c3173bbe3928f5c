/* SPDX-License-Identifier: Apache-2.0 */
/* Checking the options of the calls that write files: selections, reports and pools. */
#ifndef ALCORE__WRITE_OPTIONS_H
#define ALCORE__WRITE_OPTIONS_H

#include "alcore/format.h"
#include "base/base.h"

/* Copies and checks a caller's options; NULL gives the defaults. */
static inline alcore_status alcore__write_options_read(const alcore_write_options *theirs,
                                                       alcore_write_options *out) {
    ALCORE__TRY(alcore__struct_read(out, sizeof *out,
                                    ALCORE__FIRST_SIZE(alcore_write_options, reserved), theirs,
                                    "alcore_write_options"));
    return alcore__struct_reserved(out->reserved, "alcore_write_options");
}

/* Refuses a number that is no file format, with 0 for the format by the suffix. */
static inline alcore_status alcore__file_format_check(int32_t format) {
    if (format == 0 || (format >= ALCORE_FORMAT_TEXT && format <= ALCORE_FORMAT_TMX))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "format is %d; expected ALCORE_FORMAT_*, or 0", format);
}

#endif
