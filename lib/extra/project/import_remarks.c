/* SPDX-License-Identifier: Apache-2.0 */
/* What an import warns of (import_remarks.h). */
#include "extra/project/import_remarks.h"

#include <string.h>

#include "text/iso_time.h"

/* Clocks of annotators are of any zone, and times without one are read as of UTC. */
#define AHEAD_SECONDS 86400.0

void alcore__import_remarks_begin(alcore__import_remarks *self,
                                  const alcore_tool_options *options) {
    char now[ALCORE__ISO_TIME_BYTES];
    *self = (alcore__import_remarks){.options = options};
    alcore__project_time(now);
    (void)alcore__iso_time_read(now, &self->now);
}

/* Takes note of a label of an answer that is none of the project's. Whether it is one. */
static bool note_label(alcore__import_remarks *self, const alcore_tool_answer *answer,
                       const char *label, size_t length) {
    const alcore_tool_options *const options = self->options;
    for (int64_t i = 0; i < options->label_count; i++)
        if (strlen(options->labels[i]) == length && memcmp(options->labels[i], label, length) == 0)
            return false;
    if (self->odd++ == 0) {
        alcore__format(self->odd_label, sizeof self->odd_label, "%.*s",
                       (int)(length < 60 ? length : 60), label);
        self->odd_line = answer->line;
    }
    return true;
}

/* The labels of classes and spans. Those of tags may have prefixes, and O stands for none. */
static void note_labels(alcore__import_remarks *self, const alcore_tool_answer *answer) {
    const alcore_tool_options *const options = self->options;
    if (options->label_count == 0 || strcmp(answer->status, "ok") != 0) return;
    bool odd = false;
    if (options->task == ALCORE_TASK_SPANS)
        for (int64_t i = 0; i < answer->span_count && !odd; i++)
            odd = note_label(self, answer, answer->spans[i].label, strlen(answer->spans[i].label));
    if (options->task != ALCORE_TASK_CLASSES || !answer->value) return;
    for (const char *at = answer->value; *at && !odd; at += *at == '\t') {
        const size_t length = strcspn(at, "\t");
        odd = length > 0 && note_label(self, answer, at, length);
        at += length;
    }
}

void alcore__import_remarks_add(alcore__import_remarks *self, const alcore_tool_answer *answer,
                                const char *annotator, bool behind) {
    double time;
    self->unnamed |= !*annotator;
    self->behind += behind;
    note_labels(self, answer);
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
    if (self->odd > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s:%lld: '%s' is none of the labels of the project, as are labels of %lld "
                    "answers in all: they are kept and count; a correction takes their place",
                    path, (long long)self->odd_line, self->odd_label, (long long)self->odd);
    return self->unnamed ? tell_unnamed(project, path) : ALCORE_OK;
}
