/* SPDX-License-Identifier: Apache-2.0 */
/* Files of texts that are added: copied into blobs/, read as the next round will read them, and
 * written down with the options that they are read with. Of a file that was added before only the
 * rows that are new get into the project, as a file of their own. */
#include <string.h>
#include <unistd.h>

#include "base/log_names.h"
#include "extra/project/project_known.h"

/* A file that is being added, under its names in blobs/. */
typedef struct added_file {
    const char *path;
    alcore_read_options *options;
    char blob[BLOB_NAME_BYTES], reference_blob[BLOB_NAME_BYTES];
    int64_t bytes, reference_bytes;
    int64_t first, rows;
    int64_t known, repeated; /* rows that are there already; new ones whose texts repeat others */
} added_file;

static alcore_status check_role(int32_t role) {
    if (role == ALCORE_ROLE_CANDIDATES || role == ALCORE_ROLE_LABELED ||
        role == ALCORE_ROLE_TARGET || role == ALCORE_ROLE_EXCLUDED)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "alcore_project_add: %d is no role of files", role);
}

/* Adds the copy to the pool. A message about it names the file that the user gave. */
static alcore_status read_copy(alcore_project *project, const added_file *file, alcore_pool *pool) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__buffer path = {0}, references = {0};
    alcore_read_options options = *file->options;
    alcore_status status = alcore__project_blob_path(project, file->blob, &path);
    if (status == ALCORE_OK && options.references)
        status = alcore__project_blob_path(project, file->reference_blob, &references);
    options.references = references.data;
    if (status == ALCORE_OK) {
        alcore__log_rename(path.data, file->path);
        status = alcore_pool_read(pool, path.data, &options);
        alcore__log_rename(NULL, NULL);
        if (status != ALCORE_OK) {
            alcore__fail_renamed(status, path.data, file->path);
            if (references.data)
                alcore__fail_renamed(status, references.data, file->options->references);
        }
    }
    alcore__buffer_clear(ctx, &references);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* Counts the rows of the copy. Candidates are read behind those of earlier files, whose ids they
 * may not have. */
static alcore_status count_rows(alcore_project *project, int32_t role, added_file *file) {
    alcore__project_settings settings;
    alcore_pool *pool = NULL;
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    alcore_status status = alcore__project_pool_new(project, &settings, role, &pool);
    alcore__project_settings_clear(project, &settings);
    if (status == ALCORE_OK && role == ALCORE_ROLE_CANDIDATES)
        status = alcore__project_pool_read(project, role, pool);
    const int64_t before = alcore_pool_row_count(pool);
    if (status == ALCORE_OK) status = read_copy(project, file, pool);
    file->rows = alcore_pool_row_count(pool) - before;
    for (int64_t row = before; row < before + file->rows && status == ALCORE_OK; row++)
        file->repeated += (alcore_pool_states(pool)[row] & ALCORE_ROW_DUPLICATE) != 0;
    alcore_pool_unref(pool);
    return status;
}

/* ---- a file that was added before ---- */

/* Puts a copy of the rows that are new in the place of that of the file. It is written beside the
 * blobs first; gc removes it where the process is killed. */
static alcore_status keep_rest(alcore_project *project, added_file *file,
                               const alcore__project_known *known) {
    alcore__buffer path = {0};
    alcore_read_options rest = ALCORE_READ_OPTIONS_INIT;
    alcore_ctx *ctx = project->object.ctx;
    rest.format = ALCORE_FORMAT_JSONL;
    rest.bad_lines = file->options->bad_lines;
    alcore_status status =
        alcore__buffer_format(ctx, &path, "%s/blobs/rest.jsonl", project->folder);
    if (status == ALCORE_OK) status = alcore__project_known_write_rest(known, path.data);
    if (status == ALCORE_OK) {
        status = alcore__project_blob_copy(project, path.data, file->blob, &file->bytes);
        (void)unlink(path.data);
    }
    *file->options = rest;
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* Finds the rows that the project has already. */
static alcore_status find_known(alcore_project *project, int32_t role, added_file *file) {
    alcore__project_known known;
    alcore_status status = alcore__project_known_begin(project, role, &known);
    if (status == ALCORE_OK) status = read_copy(project, file, known.pool);
    if (status == ALCORE_OK) status = alcore__project_known_find(project, role, &known);
    file->known = known.count;
    file->rows = known.rows;
    if (status == ALCORE_OK && known.count > 0 && known.count < known.rows)
        status = keep_rest(project, file, &known);
    alcore__project_known_clear(project, &known);
    return status;
}

/* Says what of the file is there already, which nobody would see in what is selected. */
static void warn_known(const alcore_project *project, int32_t role, const added_file *file) {
    alcore_ctx *ctx = project->object.ctx;
    const char *const name = alcore__project_role_name(role);
    if (file->known > 0 && file->rows == 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s: nothing is new: each of its %lld rows is there already (%s)", file->path,
                    (long long)file->known, name);
    else if (file->known > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s: %lld of its %lld rows are there already (%s); the others are added",
                    file->path, (long long)file->known, (long long)(file->known + file->rows),
                    name);
    if (file->repeated > 0 && file->first > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "project", NULL,
                    "%s: %lld of the %lld rows that are added repeat texts of other rows, and are "
                    "never selected",
                    file->path, (long long)file->repeated, (long long)file->rows);
}

/* ---- writing it down ---- */

static alcore_status write_row(alcore_project *project, int32_t role, const added_file *file) {
    const alcore_read_options *const options = file->options;
    sqlite3_stmt *row;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &row,
        "INSERT INTO files(role, blob, bytes, path, first, rows, reference_blob, reference_bytes, "
        "format, bad_lines, escapes, by_what, text_column, reference_column, language, side, "
        "translator, system, domain) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ""));
    const alcore_status status = alcore__store_run_bound(
        &project->store, row, "ititiitiiiiittttttt", (int64_t)role, file->blob, file->bytes,
        file->path, file->first, file->rows, options->references ? file->reference_blob : NULL,
        file->reference_bytes, (int64_t)options->format, (int64_t)options->bad_lines,
        (int64_t)options->escapes, (int64_t)options->by, options->text_column,
        options->reference_column, options->language, options->side, options->translator,
        options->system, options->domain);
    sqlite3_finalize(row);
    return status;
}

static alcore_status log_file(alcore_project *project, int32_t role, const added_file *file,
                              const char *references) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__json_out arguments = {.ctx = ctx}, result = {.ctx = ctx};
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_string(&arguments, "role", alcore__project_role_name(role));
    alcore__json_put_string(&arguments, "path", file->path);
    if (references) alcore__json_put_string(&arguments, "references", references);
    alcore__json_close(&arguments, '}');
    alcore__json_open(&result, NULL, '{');
    alcore__json_put_string(&result, "blob", file->blob);
    alcore__json_put_integer(&result, "rows", file->rows);
    if (file->known > 0) alcore__json_put_integer(&result, "known", file->known);
    alcore__json_close(&result, '}');
    const alcore_status status = alcore__project_log(project, "add", &arguments, &result);
    alcore__buffer_clear(ctx, &arguments.text);
    alcore__buffer_clear(ctx, &result.text);
    return status;
}

static alcore_status add(alcore_project *project, int32_t role, added_file *file) {
    const char *const references = file->options->references;
    ALCORE__TRY(alcore__project_blob_copy(project, file->path, file->blob, &file->bytes));
    if (references)
        ALCORE__TRY(alcore__project_blob_copy(project, references, file->reference_blob,
                                              &file->reference_bytes));
    ALCORE__TRY(alcore__store_integer(&project->store, &file->first,
                                      "SELECT sum(rows) FROM files WHERE role = ?", "i",
                                      (int64_t)role));
    if (file->first > 0) ALCORE__TRY(find_known(project, role, file));
    const bool nothing_new = file->known > 0 && file->known == file->rows;
    file->rows = 0;
    if (!nothing_new) {
        ALCORE__TRY(count_rows(project, role, file));
        ALCORE__TRY(write_row(project, role, file));
        ALCORE__TRY(log_file(project, role, file, references));
    }
    warn_known(project, role, file);
    return ALCORE_OK;
}

alcore_status alcore_project_add(alcore_project *project, int32_t role, const char *path,
                                 const alcore_read_options *options) {
    alcore_read_options ours = ALCORE_READ_OPTIONS_INIT;
    added_file file = {.path = path, .options = &ours};
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_add", CALL_LONG));
    alcore_status status = check_role(role);
    if (status == ALCORE_OK && (!path || !*path))
        status = alcore__fail(ALCORE_E_INVALID, "alcore_project_add: a path is needed");
    if (status == ALCORE_OK)
        status =
            alcore__struct_read(&ours, sizeof ours, ALCORE__FIRST_SIZE(alcore_read_options, by),
                                options, "alcore_read_options");
    if (status == ALCORE_OK && ours.references && strcmp(path, "-") == 0 &&
        strcmp(ours.references, "-") == 0)
        status = alcore__fail(ALCORE_E_INVALID,
                              "texts and references cannot both come from standard input");
    if (status == ALCORE_OK) status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK) status = alcore__store_end(&project->store, add(project, role, &file));
    return alcore__project_leave(project, status);
}
