/* SPDX-License-Identifier: Apache-2.0 */
/* What an import warns of (import_remarks.h). */
#include "extra/project/import_remarks.h"

#include <string.h>

#include "text/iso_time.h"

/* Clocks of annotators are of any zone, and times without one are read as of UTC. */
#define AHEAD_SECONDS 86400.0

void alcore__import_remarks_begin(alcore__import_remarks *self) {
    char now[ALCORE__ISO_TIME_BYTES];
    *self = (alcore__import_remarks){0};
    alcore__project_time(now);
    (void)alcore__iso_time_read(now, &self->now);
}

void alcore__import_remarks_add(alcore__import_remarks *self, const alcore_tool_answer *answer,
                                const char *annotator, bool behind) {
    double time;
    self->unnamed |= !*annotator;
    self->behind += behind;
    if (!answer->time) return;
    if (!alcore__iso_time_read(answer->time, &time)) {
        if (self->timeless++ == 0)
            alcore__format(self->timeless_time, sizeof self->timeless_time, "%s", answer->time);
    } else if (time > self->now + AHEAD_SECONDS) {
        if (self->ahead++ == 0)
            alcore__format(self->ahead_time, sizeof self->ahead_time, "%s", answer->time);
    }
}

/* Answers of nobody in particular beside those of annotators with names: who they are of would
 * count as one more person, with whom the others agree or not. */
static alcore_status tell_unnamed(alcore_project *project, const char *path) {
    sqlite3_stmt *named;
    bool row;
    ALCORE__TRY(alcore__store_prepare(&project->store, &named,
                                      "SELECT name FROM annotators WHERE name != '' "
                                      "ORDER BY annotator LIMIT 1",
                                      ""));
    const alcore_status status = alcore__store_step(&project->store, named, &row);
    if (status == ALCORE_OK && row)
        alcore__log(project->object.ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s has answers without an annotator, and others of the project are of '%s': "
                    "they count as those of one more person, without a name; say who gave them",
                    path, alcore__store_text(named, 0));
    sqlite3_finalize(named);
    return status;
}

alcore_status alcore__import_remarks_tell(const alcore__import_remarks *self,
                                          alcore_project *project, const char *path) {
    alcore_ctx *const ctx = project->object.ctx;
    if (self->behind > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s: %lld answers are older, by their times, than what the same annotators say "
                    "now: they are kept and do not count",
                    path, (long long)self->behind);
    if (self->ahead > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s: %lld answers have times in the future, such as %s: what is earlier does "
                    "not correct them",
                    path, (long long)self->ahead, self->ahead_time);
    if (self->timeless > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s: %lld answers have times that are none of ISO 8601, such as '%s': of an "
                    "annotator's answers the one that is imported last counts",
                    path, (long long)self->timeless, self->timeless_time);
    return self->unnamed ? tell_unnamed(project, path) : ALCORE_OK;
}
