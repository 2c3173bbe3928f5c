/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known, as a JSON object (docs/schemas). Most members are lists whose entries
 * are rows of a query: the names of its columns are the keys. */
#include <string.h>

#include "alcore/version.h"
#include "extra/project/project_agreement.h"
#include "extra/project/project_document.h"
#include "formats/json_scan.h"
#include "request/request_internal.h"
#include "text/utf8.h"

/* Disagreements that are listed; all of them are counted. */
#define LISTED_DISAGREEMENTS "1000"

/* Columns whose text is JSON already. */
static bool is_json(const char *name) {
    static const char *const names[] = {"provenance", "arguments", "result"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Whether a text is an object of JSON and nothing else. */
static bool is_object(alcore__buffer *text) {
    alcore__json scan;
    alcore__json_begin(&scan, text->data, text->length, 64);
    return alcore__json_kind(&scan) == '{' && alcore__json_skip(&scan) && alcore__json_end(&scan);
}

/* Puts a text of the database. What is no UTF-8, such as the path of a file, is repaired, and what
 * ought to be JSON and is none is a string, as a hostile database may have anything: a document is
 * one all the same. */
static void put_text(alcore__json_out *json, const char *name, const char *text, bool is_raw) {
    alcore__buffer repaired = {0};
    const size_t length = strlen(text);
    if (json->status != ALCORE_OK) return;
    if (is_raw || alcore__utf8_check(text, length) != length) {
        json->status = alcore__utf8_repair(json->ctx, text, length, &repaired, NULL);
        text = repaired.data ? repaired.data : "";
    }
    if (is_raw && json->status == ALCORE_OK && repaired.data && is_object(&repaired))
        alcore__json_put_raw(json, name, text);
    else
        alcore__json_put_string(json, name, text);
    alcore__buffer_clear(json->ctx, &repaired);
}

/* The word for a number of an enum, of the columns that have one; NULL: it is a number. */
static const char *word_of(const char *name, int64_t number) {
    if (strcmp(name, "unit") == 0 && number >= ALCORE_UNIT_ITEMS && number <= ALCORE_UNIT_UNITS)
        return alcore__unit_name((int32_t)number);
    if (strcmp(name, "role") == 0) return alcore__project_role_name((int32_t)number);
    return NULL;
}

/* Puts an integer, or its word. */
static void put_integer(alcore__json_out *json, const char *name, int64_t number) {
    const char *const word = word_of(name, number);
    if (word)
        alcore__json_put_string(json, name, word);
    else
        alcore__json_put_integer(json, name, number);
}

/* Puts the columns of a row; what is NULL is left out. */
static void put_columns(alcore__json_out *json, sqlite3_stmt *row) {
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *const name = sqlite3_column_name(row, i);
        const int type = sqlite3_column_type(row, i);
        if (type == SQLITE_INTEGER)
            put_integer(json, name, sqlite3_column_int64(row, i));
        else if (type == SQLITE_FLOAT)
            alcore__json_put_number(json, name, sqlite3_column_double(row, i));
        else if (type != SQLITE_NULL)
            put_text(json, name, alcore__store_text(row, i), is_json(name));
    }
}

/* A list of the rows of a query with one value to bind, or with none; `more` puts further members
 * of a row. */
static alcore_status put_rows(alcore_project *project, alcore__json_out *json, const char *key,
                              const char *sql, const char *letters, int64_t value,
                              alcore_status (*more)(alcore_project *, alcore__json_out *,
                                                    sqlite3_stmt *)) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(&project->store, &rows, sql, letters, value));
    alcore__json_open(json, key, '[');
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row) {
        alcore__json_open(json, NULL, '{');
        put_columns(json, rows);
        if (more && (status = more(project, json, rows)) != ALCORE_OK) break;
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
    sqlite3_finalize(rows);
    return status;
}

/* ---- queries that the page has too ---- */

const char alcore__project_annotators[] =
    "SELECT name, count(latest.answer) AS items, count(*) FILTER (WHERE status = 'ok') AS ok, "
    "count(*) FILTER (WHERE status = 'draft') AS drafts, "
    "count(*) FILTER (WHERE status NOT IN ('ok', 'draft')) AS without, "
    "total(seconds) AS seconds FROM annotators JOIN latest USING (annotator) "
    "JOIN answers USING (answer) GROUP BY annotators.annotator ORDER BY name";
const char alcore__project_differing_answers[] =
    "SELECT name AS annotator, status, value, comment FROM latest "
    "JOIN answers USING (answer) JOIN annotators "
    "ON annotators.annotator = latest.annotator WHERE latest.item = ? "
    "AND status != 'draft' ORDER BY name";
const char alcore__project_disagreements[] =
    "SELECT item, round, id, text FROM decisions JOIN items USING (item) "
    "WHERE disagreeing = 1 ORDER BY item LIMIT " LISTED_DISAGREEMENTS;

/* An object of the one row of a query. */
static alcore_status put_object(alcore_project *project, alcore__json_out *json, const char *key,
                                const char *sql, int64_t value) {
    sqlite3_stmt *statement;
    bool row;
    ALCORE__TRY(alcore__store_prepare(&project->store, &statement, sql, "i", value));
    const alcore_status status = alcore__store_step(&project->store, statement, &row);
    alcore__json_open(json, key, '{');
    if (status == ALCORE_OK && row) put_columns(json, statement);
    alcore__json_close(json, '}');
    sqlite3_finalize(statement);
    return status;
}

/* ---- members ---- */

static alcore_status put_settings(alcore_project *project, alcore__json_out *json) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(&project->store, &rows,
                                      "SELECT name, value FROM settings ORDER BY name", ""));
    alcore__json_open(json, "settings", '{');
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        put_text(json, alcore__store_text(rows, 0), alcore__store_text(rows, 1), false);
    alcore__json_close(json, '}');
    sqlite3_finalize(rows);
    return status;
}

/* Trainings and evaluations that have not ended, or have failed. */
static alcore_status put_work(alcore_project *project, alcore__json_out *json) {
    alcore_project_status standing = ALCORE_PROJECT_STATUS_INIT;
    alcore__buffer texts = {0};
    const alcore_status status = alcore__project_work_read(project, &texts, &standing);
    alcore__json_put_flag(json, "training", standing.training);
    alcore__json_put_flag(json, "evaluating", standing.evaluating);
    if (standing.training_failure)
        alcore__json_put_string(json, "training_failure", standing.training_failure);
    if (standing.evaluating_failure)
        alcore__json_put_string(json, "evaluating_failure", standing.evaluating_failure);
    alcore__buffer_clear(project->object.ctx, &texts);
    return status;
}

static alcore_status put_status(alcore_project *project, alcore__json_out *json) {
    alcore__project_settings settings;
    alcore_project_status standing = ALCORE_PROJECT_STATUS_INIT;
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    alcore_status status = alcore__project_status_read(project, &settings, &standing);
    alcore__project_settings_clear(project, &settings);
    ALCORE__TRY(status);
    alcore__json_open(json, "status", '{');
    alcore__json_put_integer(json, "rounds", standing.rounds);
    alcore__json_put_integer(json, "candidates", standing.candidates);
    alcore__json_put_integer(json, "labeled", standing.labeled);
    alcore__json_put_integer(json, "items", standing.items);
    alcore__json_put_integer(json, "answered", standing.answered);
    alcore__json_put_integer(json, "open", standing.open);
    alcore__json_put_integer(json, "without", standing.without);
    alcore__json_put_integer(json, "disagreeing", standing.disagreeing);
    alcore__json_put_integer(json, "answers", standing.answers);
    alcore__json_put_number(json, "spent", standing.spent);
    alcore__json_put_number(json, "refunded", standing.refunded);
    alcore__json_put_number(json, "left", standing.left);
    alcore__json_put_string(json, "unit", alcore__unit_name(standing.unit));
    status = put_work(project, json);
    alcore__json_close(json, '}');
    return status;
}

/* What a round consists of, beside its own columns; lengths are in code points. */
static alcore_status put_composition(alcore_project *project, alcore__json_out *json,
                                     sqlite3_stmt *row) {
    const int64_t round = sqlite3_column_int64(row, 0);
    ALCORE__TRY(put_rows(project, json, "languages",
                         "SELECT ifnull(language, 'unknown') AS language, count(*) AS items "
                         "FROM items WHERE round = ? GROUP BY language ORDER BY language",
                         "i", round, NULL));
    return put_object(project, json, "lengths",
                      "SELECT min(length(text)) AS shortest, avg(length(text)) AS mean, "
                      "max(length(text)) AS longest FROM items WHERE round = ?",
                      round);
}

static alcore_status put_rounds(alcore_project *project, alcore__json_out *json) {
    return put_rows(
        project, json, "rounds",
        "SELECT rounds.round AS round, time, strategy, seed, budget, "
        "unit, spent, refunded, items, answered, open, without, disagreeing, "
        "answers, summary, provenance FROM rounds JOIN counts USING (round) ORDER BY round",
        "", 0, put_composition);
}

/* How each two annotators agree, and all of them. */
static void put_agreement(alcore__json_out *json, const alcore__project_agreement *found) {
    const alcore_project_agreement *all = &found->all;
    alcore__json_open(json, "agreement", '[');
    for (size_t i = 0; i < found->count; i++) {
        const alcore__project_pair *pair = &found->pairs[i];
        alcore__json_open(json, NULL, '{');
        put_text(json, "one", pair->one, false);
        put_text(json, "other", pair->other, false);
        alcore__json_put_integer(json, "items", pair->items);
        alcore__json_put_integer(json, "agreeing", pair->agreeing);
        alcore__json_put_integer(json, "units", pair->units);
        alcore__json_put_number(json, "kappa", pair->kappa);
        alcore__json_put_number(json, "chrf", pair->chrf);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
    alcore__json_open(json, "overall", '{');
    alcore__json_put_string(json, "of", alcore__compared_name(found->compared));
    alcore__json_put_integer(json, "items", all->items);
    alcore__json_put_integer(json, "agreeing", all->agreeing);
    alcore__json_put_integer(json, "annotators", all->annotators);
    alcore__json_put_integer(json, "units", all->units);
    alcore__json_put_integer(json, "labels", all->labels);
    alcore__json_put_integer(json, "classes", all->classes);
    alcore__json_put_integer(json, "uneven", all->uneven);
    alcore__json_put_number(json, "alpha", all->alpha);
    alcore__json_put_number(json, "kappa", all->kappa);
    alcore__json_put_number(json, "chrf", all->chrf);
    alcore__json_close(json, '}');
}

/* Present answers of each annotator, and how they agree. */
static alcore_status put_annotators(alcore_project *project, alcore__json_out *json) {
    alcore__project_agreement found;
    ALCORE__TRY(put_rows(project, json, "annotators", alcore__project_annotators, "", 0, NULL));
    ALCORE__TRY(alcore__project_agreement_read(project, false, &found));
    put_agreement(json, &found);
    alcore__project_agreement_clear(project, &found);
    return ALCORE_OK;
}

/* The answers of an item on which annotators differ. */
static alcore_status put_answers(alcore_project *project, alcore__json_out *json,
                                 sqlite3_stmt *row) {
    return put_rows(project, json, "answers", alcore__project_differing_answers, "i",
                    sqlite3_column_int64(row, 0), NULL);
}

static alcore_status put_disagreements(alcore_project *project, alcore__json_out *json) {
    return put_rows(project, json, "disagreements", alcore__project_disagreements, "", 0,
                    put_answers);
}

static alcore_status put_lists(alcore_project *project, alcore__json_out *json) {
    ALCORE__TRY(put_rows(project, json, "files",
                         "SELECT role, path, blob, bytes, first, rows, "
                         "reference_blob FROM files ORDER BY file",
                         "", 0, NULL));
    ALCORE__TRY(put_rounds(project, json));
    ALCORE__TRY(put_rows(project, json, "exports",
                         "SELECT export, time, tool, round, items, batch, digest FROM exports "
                         "ORDER BY export",
                         "", 0, NULL));
    ALCORE__TRY(put_rows(project, json, "imports",
                         "SELECT import, time, tool, annotator, digest, answers, added, unusable "
                         "FROM imports ORDER BY import",
                         "", 0, NULL));
    ALCORE__TRY(put_annotators(project, json));
    ALCORE__TRY(put_disagreements(project, json));
    ALCORE__TRY(put_rows(project, json, "metrics",
                         "SELECT round, name, value, time FROM metrics ORDER BY metric", "", 0,
                         NULL));
    return put_rows(project, json, "steps",
                    "SELECT step, time, what, arguments, result FROM steps ORDER BY step", "", 0,
                    NULL);
}

alcore_status alcore__project_document(alcore_project *project, alcore__json_out *json) {
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "schema", "alcore-project-1");
    alcore__json_put_string(json, "version", alcore_version());
    ALCORE__TRY(put_settings(project, json));
    ALCORE__TRY(put_status(project, json));
    ALCORE__TRY(put_lists(project, json));
    alcore__json_close(json, '}');
    return json->status;
}

alcore_status alcore_project_document(alcore_project *project, const char **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_document", CALL_SHORT));
    if (!out)
        return alcore__project_leave(
            project, alcore__fail(ALCORE_E_INVALID, "alcore_project_document: out is needed"));
    alcore__json_out json = {.ctx = project->object.ctx};
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, alcore__project_document(project, &json));
    alcore__buffer_clear(project->object.ctx, &project->view);
    project->view = json.text;
    if (status == ALCORE_OK) *out = project->view.data;
    return alcore__project_leave(project, status);
}
