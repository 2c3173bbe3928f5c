/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a project: what was done, when, with what arguments, and what it came to. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "extra/project/project_internal.h"

void alcore__project_time(char out[ALCORE__ISO_TIME_BYTES]) {
    const char *const fixed = secure_getenv("SOURCE_DATE_EPOCH");
    int64_t seconds = (int64_t)time(NULL);
    if (fixed) (void)alcore__parse_int(fixed, strlen(fixed), &seconds);
    (void)alcore__iso_time_print(seconds, out);
}

alcore_status alcore__project_log(alcore_project *project, const char *what,
                                  alcore__json_out *arguments, alcore__json_out *result) {
    char now[ALCORE__ISO_TIME_BYTES];
    alcore__project_time(now);
    ALCORE__TRY(arguments->status);
    ALCORE__TRY(result->status);
    return alcore__store_run(&project->store,
                             "INSERT INTO steps(time, what, arguments, result) VALUES(?, ?, ?, ?)",
                             "tttt", now, what, arguments->text.data ? arguments->text.data : "{}",
                             result->text.data ? result->text.data : "{}");
}
