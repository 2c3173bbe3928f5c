/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for the projects of a test, files to add to them, and questions that are asked often. */
#ifndef PROJECT_BED_H
#define PROJECT_BED_H

#include "check_suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "alcore/extra/project.h"
#include "check_status.h"
#include "test_folder.h"

static alcore_ctx *ctx;
static char bed_folder[TEST_PATH_BYTES], bed_path[TEST_PATH_BYTES + 128];

static inline void bed_setup(void) {
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    test_folder_make(bed_folder, "project");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static inline void bed_teardown(void) {
    alcore_ctx_unref(ctx);
    test_folder_remove(bed_folder);
}

/* A path in the folder; valid until the next call. */
static inline const char *in_bed(const char *name) {
    snprintf(bed_path, sizeof bed_path, "%s/%s", bed_folder, name);
    return bed_path;
}

/* Writes a file and returns its path. */
static inline const char *bed_put(const char *name, const char *text) {
    FILE *file = fopen(in_bed(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    return bed_path;
}

enum { BED_ROWS = 12 };

/* A project "p" with twelve candidates, s1 to s12, of 1 to 12 words, and strategy random with
 * budget 3. */
static inline alcore_project *bed_project(void) {
    alcore_project *project;
    char text[4096] = "id\ttext\n";
    for (int row = 1; row <= BED_ROWS; row++) {
        char line[256];
        int length = snprintf(line, sizeof line, "s%d\tword%d", row, row);
        for (int word = 1; word < row; word++)
            length += snprintf(line + length, sizeof line - (size_t)length, " w%dx%d", row, word);
        strcat(strcat(text, line), "\n");
    }
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    ck_assert_ok(
        alcore_project_add(project, ALCORE_ROLE_CANDIDATES, bed_put("pool.tsv", text), NULL));
    ck_assert_ok(alcore_project_set(project, "strategy", "random"));
    ck_assert_ok(alcore_project_set(project, "budget", "3"));
    return project;
}

static inline alcore_project_status bed_status(alcore_project *project) {
    alcore_project_status out = ALCORE_PROJECT_STATUS_INIT;
    ck_assert_ok(alcore_project_get_status(project, &out));
    return out;
}

/* The ids of the next round with spaces between, into ids [1024]; model NULL: that of the settings.
 */
static inline void bed_next_of(alcore_project *project, alcore_model *model, char *ids) {
    alcore_selection *selection;
    ck_assert_ok(alcore_project_next(project, model, NULL, NULL, 0, &selection));
    ids[0] = '\0';
    for (int64_t i = 0; i < alcore_selection_count(selection); i++) {
        const alcore_pool *pool = alcore_selection_pool(selection);
        if (i) strcat(ids, " ");
        strcat(ids, alcore_pool_row_id(pool, alcore_selection_rows(selection)[i]));
    }
    alcore_selection_unref(selection);
}

/* The same by the settings. */
static inline void bed_next(alcore_project *project, char *ids) {
    bed_next_of(project, NULL, ids);
}

#endif
