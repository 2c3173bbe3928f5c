/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a project: what was done, when, with what arguments, and what it came to. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "extra/project/project_internal.h"

void alcore__project_time(char out[32]) {
    const char *const fixed = secure_getenv("SOURCE_DATE_EPOCH");
    int64_t seconds = (int64_t)time(NULL);
    struct tm parts;
    if (fixed) (void)alcore__parse_int(fixed, strlen(fixed), &seconds);
    const time_t moment = (time_t)seconds;
    out[0] = '\0';
    if (gmtime_r(&moment, &parts)) strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

alcore_status alcore__project_log(alcore_project *project, const char *what,
                                  alcore__json_out *arguments, alcore__json_out *result) {
    char now[32];
    alcore__project_time(now);
    ALCORE__TRY(arguments->status);
    ALCORE__TRY(result->status);
    return alcore__store_run(&project->store,
                             "INSERT INTO steps(time, what, arguments, result) VALUES(?, ?, ?, ?)",
                             "tttt", now, what, arguments->text.data ? arguments->text.data : "{}",
                             result->text.data ? result->text.data : "{}");
}
