/* SPDX-License-Identifier: Apache-2.0 */
/* A project with a round of three items, and answers to them. */
#ifndef PROJECT_ROUND_BED_H
#define PROJECT_ROUND_BED_H

#include "project_bed.h"

#define ANSWERS_HEADER "id,text,translation,status,comment,annotator,time,seconds\n"

static alcore_project *project;
static char ids[1024], first[16], second[16], third[16];

/* A project with a round of three items, whose ids are first, second and third. */
static inline void round_setup(void) {
    bed_setup();
    project = bed_project();
    bed_next(project, ids);
    ck_assert_int_eq(sscanf(ids, "%15s %15s %15s", first, second, third), 3);
}

static inline void round_teardown(void) {
    alcore_project_unref(project);
    bed_teardown();
}

static inline alcore_project_import_report imported(const char *rows) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    char text[4096] = ANSWERS_HEADER;
    strcat(text, rows);
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", text), NULL, &report));
    return report;
}

/* A row of the file; valid until the next call but three. */
static inline const char *row(const char *id, const char *answer, const char *status,
                              const char *who, const char *when) {
    static char rows[4][256];
    static int next;
    char *const out = rows[next++ % 4];
    snprintf(out, sizeof rows[0], "%s,,%s,%s,,%s,%s,\n", id, answer, status, who, when);
    return out;
}

#endif
