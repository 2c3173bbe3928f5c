/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that come back. They are only ever added: an answer that the project has is counted as
 * repeated, and a new one of the same annotator takes the place of his earlier one in `latest`.
 *
 * What "the project has it" means: the same annotator gave the same answer to the item before, and
 * either it is his present one, or it has a time, or the same answers of a file were imported
 * before as a whole. Without any of these it is new: an annotator has gone back to what he said
 * first. An answer that says that it is older than the present one is kept and counts no more, so
 * that files may come in any order; and a draft never takes the place of an answer. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "extra/project/import_remarks.h"
#include "extra/project/project_decisions.h"
#include "extra/project/project_exchange.h"
#include "text/utf8.h"
#include "text/words.h"

enum { POLL_ANSWERS = 1024, MESSAGE_BYTES = 60 /* of a text */ };

/* One import on its way. */
typedef struct import_run {
    alcore_project *project;
    const char *path, *fallback; /* of the file; who, where the file does not say */
    int64_t number;              /* of the import */
    bool known;                  /* the same answers were imported before */
    alcore__import_remarks remarks;
    const alcore_tool_options *options; /* of the file */
    const char *several;                /* the setting */
    bool own_unit; /* offsets count in span_unit, in the place of the setting */
    int32_t span_unit;
    /* Statements, owned. */
    sqlite3_stmt *find_item, *find_annotator, *add_annotator, *find_same, *find_latest, *add_answer,
        *set_latest;
    alcore__buffer text; /* workspace: what a digest is of */
    alcore_project_import_report report;
} import_run;

/* An answer with what the project knows of it. */
typedef struct found_answer {
    alcore_tool_answer answer;
    const char *annotator;
    int64_t item, annotator_number; /* 0: there is none */
    char digest[ALCORE__HASH_TEXT_BYTES];
} found_answer;

static alcore_status prepare(import_run *run) {
    alcore__store *const store = &run->project->store;
    ALCORE__TRY(alcore__store_prepare(store, &run->find_item,
                                      "SELECT item, text FROM items WHERE id = ?", ""));
    ALCORE__TRY(alcore__store_prepare(store, &run->find_annotator,
                                      "SELECT annotator FROM annotators WHERE name = ?", ""));
    ALCORE__TRY(alcore__store_prepare(store, &run->add_annotator,
                                      "INSERT INTO annotators(name) VALUES(?)", ""));
    ALCORE__TRY(alcore__store_prepare(
        store, &run->find_same,
        "SELECT answer FROM answers WHERE item = ? AND annotator = ? AND digest = ? LIMIT 1", ""));
    ALCORE__TRY(alcore__store_prepare(
        store, &run->find_latest,
        "SELECT answer, digest, answers.time, status FROM latest JOIN answers USING (answer) "
        "WHERE latest.item = ? AND latest.annotator = ?",
        ""));
    ALCORE__TRY(alcore__store_prepare(
        store, &run->add_answer,
        "INSERT INTO answers(import, item, annotator, status, value, comment, time, seconds, "
        "digest) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ""));
    return alcore__store_prepare(
        store, &run->set_latest,
        "INSERT INTO latest(item, annotator, answer) VALUES(?, ?, ?) "
        "ON CONFLICT(item, annotator) DO UPDATE SET answer = excluded.answer",
        "");
}

static void clear(import_run *run) {
    sqlite3_stmt *const statements[] = {run->find_item, run->find_annotator, run->add_annotator,
                                        run->find_same, run->find_latest,    run->add_answer,
                                        run->set_latest};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        sqlite3_finalize(statements[i]);
    alcore__buffer_clear(run->project->object.ctx, &run->text);
}

/* The integer of the first row, or 0. */
static alcore_status find(import_run *run, sqlite3_stmt *statement, int64_t *out) {
    bool row;
    const alcore_status status = alcore__store_step(&run->project->store, statement, &row);
    *out = status == ALCORE_OK && row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return status;
}

/* ---- digests ---- */

/* Of all that an answer says. A byte that no text has ends each part, another stands for none. */
static alcore_status digest_answer(import_run *run, found_answer *found) {
    alcore_ctx *ctx = run->project->object.ctx;
    char seconds[32];
    const alcore_tool_answer *const answer = &found->answer;
    alcore__print_double(answer->seconds, seconds);
    const char *const parts[] = {answer->status, answer->value, answer->comment, answer->time,
                                 seconds};
    run->text.length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *const part = parts[i] ? parts[i] : "\xFF";
        ALCORE__TRY(alcore__buffer_append(ctx, &run->text, part, strlen(part) + 1));
    }
    alcore__hash_print(alcore__hash128(run->text.data, run->text.length), found->digest);
    return ALCORE_OK;
}

/* Of all answers of a file in their order: each is that of the answer behind the one so far. */
static alcore_status digest_file(import_run *run, const alcore_tool_answers *answers,
                                 char out[ALCORE__HASH_TEXT_BYTES]) {
    alcore_ctx *ctx = run->project->object.ctx;
    alcore__buffer *const text = &run->text;
    found_answer found;
    out[0] = '\0';
    for (int64_t i = 0; i < alcore_tool_answers_count(answers); i++) {
        found.answer = (alcore_tool_answer)ALCORE_TOOL_ANSWER_INIT;
        ALCORE__TRY(alcore_tool_answers_get(answers, i, &found.answer));
        ALCORE__TRY(digest_answer(run, &found));
        const char *const who = found.answer.annotator ? found.answer.annotator : run->fallback;
        const char *const parts[] = {out, found.answer.id, who, found.digest};
        text->length = 0;
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            ALCORE__TRY(alcore__buffer_append(ctx, text, parts[k], strlen(parts[k]) + 1));
        alcore__hash_print(alcore__hash128(text->data, text->length), out);
    }
    return ALCORE_OK;
}

/* ---- one answer ---- */

/* Counts a record that cannot be used, and says why. */
static alcore_status refuse(import_run *run, const found_answer *found, const char *why) {
    run->report.unusable++;
    return alcore__buffer_format(run->project->object.ctx, &run->project->messages, "%s:%lld: %s\n",
                                 run->path, (long long)found->answer.line, why);
}

/* How many bytes of a text a message shows: whole characters. */
static int shown(const char *text) {
    return (int)alcore__utf8_check(text, strnlen(text, MESSAGE_BYTES));
}

/* Finds the item, unless it has another text than the file says: ids of another project, such as
 * the numbers of its rows, may be alike. */
static alcore_status find_item(import_run *run, found_answer *found) {
    alcore__store *const store = &run->project->store;
    const char *const id = found->answer.id, *const text = found->answer.text;
    char why[400];
    bool row;
    ALCORE__TRY(alcore__store_bind(store, run->find_item, "t", id));
    const alcore_status status = alcore__store_step(store, run->find_item, &row);
    found->item = status == ALCORE_OK && row ? sqlite3_column_int64(run->find_item, 0) : 0;
    const char *const own = found->item ? alcore__store_text(run->find_item, 1) : NULL;
    why[0] = '\0';
    if (!own)
        alcore__format(why, sizeof why, "no round has an item with the id '%.100s'", id);
    else if (text && *text && !alcore__words_same(text, strlen(text), own, strlen(own)))
        alcore__format(why, sizeof why,
                       "the text '%.*s' is not that of the item with the id '%.100s', which is "
                       "'%.*s'",
                       shown(text), text, id, shown(own), own);
    sqlite3_reset(run->find_item);
    if (status != ALCORE_OK || !*why) return status;
    found->item = 0;
    return refuse(run, found, why);
}

/* Finds the annotator, who is written down when he is new. */
static alcore_status find_annotator(import_run *run, found_answer *found) {
    alcore__store *const store = &run->project->store;
    found->annotator = found->answer.annotator ? found->answer.annotator : run->fallback;
    ALCORE__TRY(alcore__store_bind(store, run->find_annotator, "t", found->annotator));
    ALCORE__TRY(find(run, run->find_annotator, &found->annotator_number));
    if (found->annotator_number) return ALCORE_OK;
    ALCORE__TRY(alcore__store_run_bound(store, run->add_annotator, "t", found->annotator));
    found->annotator_number = sqlite3_last_insert_rowid(store->database);
    return ALCORE_OK;
}

/* The annotator's present answer to the item. */
typedef struct present_answer {
    int64_t answer; /* 0: none */
    bool same;      /* with the same digest */
    bool draft;
    bool stays; /* the new one does not take its place */
} present_answer;

static alcore_status find_present(import_run *run, const found_answer *found, present_answer *out) {
    alcore__store *const store = &run->project->store;
    bool row;
    *out = (present_answer){0};
    ALCORE__TRY(
        alcore__store_bind(store, run->find_latest, "ii", found->item, found->annotator_number));
    const alcore_status status = alcore__store_step(store, run->find_latest, &row);
    if (status == ALCORE_OK && row) {
        out->answer = sqlite3_column_int64(run->find_latest, 0);
        out->same = strcmp(alcore__store_text(run->find_latest, 1), found->digest) == 0;
        const char *const status_text = alcore__store_text(run->find_latest, 3);
        out->draft = strcmp(status_text, "draft") == 0;
        out->stays =
            !alcore__project_replaces(found->answer.status, found->answer.time, status_text,
                                      alcore__store_text_or_null(run->find_latest, 2));
    }
    sqlite3_reset(run->find_latest);
    return status;
}

/* Whether the project has the answer already. */
static alcore_status is_repeated(import_run *run, const found_answer *found,
                                 const present_answer *present, bool *out) {
    int64_t same;
    *out = present->same;
    if (present->same || !present->answer) return ALCORE_OK;
    ALCORE__TRY(alcore__store_bind(&run->project->store, run->find_same, "iit", found->item,
                                   found->annotator_number, found->digest));
    ALCORE__TRY(find(run, run->find_same, &same));
    *out = same && (run->known || found->answer.time);
    return ALCORE_OK;
}

static alcore_status take(import_run *run, found_answer *found) {
    alcore__store *const store = &run->project->store;
    present_answer present;
    bool repeated;
    ALCORE__TRY(find_item(run, found));
    if (!found->item) return ALCORE_OK;
    ALCORE__TRY(find_annotator(run, found));
    ALCORE__TRY(digest_answer(run, found));
    ALCORE__TRY(find_present(run, found, &present));
    ALCORE__TRY(is_repeated(run, found, &present, &repeated));
    if (repeated) {
        run->report.repeated++;
        return ALCORE_OK;
    }
    const bool draft = strcmp(found->answer.status, "draft") == 0;
    const alcore_tool_answer *const answer = &found->answer;
    ALCORE__TRY(alcore__store_run_bound(store, run->add_answer, "iiittttdt", run->number,
                                        found->item, found->annotator_number, answer->status,
                                        answer->value, answer->comment, answer->time,
                                        answer->seconds, found->digest));
    alcore__import_remarks_add(&run->remarks, answer, found->annotator, present.stays && !draft);
    run->report.drafts += draft;
    run->report.added += !draft;
    run->report.corrected += !draft && present.answer && !present.draft && !present.stays;
    if (present.stays) return ALCORE_OK;
    return alcore__store_run_bound(store, run->set_latest, "iii", found->item,
                                   found->annotator_number,
                                   (int64_t)sqlite3_last_insert_rowid(store->database));
}

/* ---- all of them ---- */

static alcore_status take_all(import_run *run, const alcore_tool_answers *answers) {
    const int64_t count = alcore_tool_answers_count(answers);
    for (int64_t i = 0; i < count; i++) {
        found_answer found = {.answer = ALCORE_TOOL_ANSWER_INIT};
        if (i % POLL_ANSWERS == 0)
            ALCORE__TRY(alcore__tick(run->project->object.ctx, "importing", i, count));
        ALCORE__TRY(alcore_tool_answers_get(answers, i, &found.answer));
        ALCORE__TRY(take(run, &found));
    }
    return ALCORE_OK;
}

static alcore_status write_import(import_run *run, const char *tool, const char *digest) {
    alcore_ctx *ctx = run->project->object.ctx;
    alcore__json_out arguments = {.ctx = ctx}, result = {.ctx = ctx};
    const alcore_project_import_report *const report = &run->report;
    char now[ALCORE__ISO_TIME_BYTES];
    alcore__project_time(now);
    ALCORE__TRY(alcore__store_run(&run->project->store,
                                  "INSERT INTO imports(import, time, tool, annotator, digest, "
                                  "answers, added, unusable) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                                  "itttt"
                                  "iii",
                                  run->number, now, tool, run->fallback, digest, report->answers,
                                  report->added, report->unusable));
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_string(&arguments, "tool", tool);
    alcore__json_put_string(&arguments, "path", run->path);
    alcore__json_put_string(&arguments, "annotator", run->fallback);
    if (run->own_unit)
        alcore__json_put_string(&arguments, "span_unit",
                                alcore__project_span_unit_name(run->span_unit));
    alcore__json_close(&arguments, '}');
    alcore__json_open(&result, NULL, '{');
    alcore__json_put_integer(&result, "answers", report->answers);
    alcore__json_put_integer(&result, "added", report->added);
    alcore__json_put_integer(&result, "repeated", report->repeated);
    alcore__json_put_integer(&result, "drafts", report->drafts);
    alcore__json_put_integer(&result, "corrected", report->corrected);
    alcore__json_put_integer(&result, "unusable", report->unusable);
    alcore__json_close(&result, '}');
    const alcore_status status = alcore__project_log(run->project, "import", &arguments, &result);
    alcore__buffer_clear(ctx, &arguments.text);
    alcore__buffer_clear(ctx, &result.text);
    return status;
}

/* Fails, with the first reason, where records were there and none can be used. */
static alcore_status check_usable(const import_run *run) {
    const alcore_project_import_report *const report = &run->report;
    const char *const messages = run->project->messages.data;
    if (report->unusable == 0 || report->added + report->repeated + report->drafts > 0)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "no answer can be used: %.*s",
                        messages ? (int)strcspn(messages, "\n") : 0, messages ? messages : "");
}

static alcore_status import_answers(import_run *run, const char *tool,
                                    const alcore_tool_answers *answers) {
    alcore__store *const store = &run->project->store;
    const char *const messages = alcore_tool_answers_messages(answers);
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t last, before, known;
    run->report.answers = alcore_tool_answers_count(answers);
    run->report.unusable = alcore_tool_answers_unusable(answers);
    run->project->messages.length = 0;
    ALCORE__TRY(alcore__buffer_append(run->project->object.ctx, &run->project->messages, messages,
                                      strlen(messages)));
    ALCORE__TRY(digest_file(run, answers, digest));
    ALCORE__TRY(alcore__store_integer(store, &last, "SELECT max(import) FROM imports", ""));
    ALCORE__TRY(alcore__store_integer(store, &known,
                                      "SELECT count(*) FROM imports WHERE tool = ? AND digest = ?",
                                      "tt", tool, digest));
    ALCORE__TRY(alcore__store_integer(store, &before, "SELECT max(answer) FROM answers", ""));
    run->number = last + 1;
    run->known = known > 0;
    alcore__import_remarks_begin(&run->remarks, run->options);
    ALCORE__TRY(prepare(run));
    ALCORE__TRY(take_all(run, answers));
    ALCORE__TRY(check_usable(run));
    ALCORE__TRY(
        alcore__project_decide(run->project, run->several, before + 1, &run->report.disagreeing));
    ALCORE__TRY(alcore__import_remarks_tell(&run->remarks, run->project, run->path));
    return write_import(run, tool, digest);
}

/* Reads the file by the settings, then takes its answers. */
static alcore_status import_file(import_run *run, const char *tool) {
    alcore__project_exchange exchange;
    alcore_tool_answers *answers = NULL;
    alcore_project *const project = run->project;
    ALCORE__TRY(alcore__project_exchange_begin(project, &exchange));
    run->several = alcore__project_setting(&exchange.settings, "several");
    alcore_status status =
        run->own_unit && exchange.options.task != ALCORE_TASK_SPANS
            ? alcore__fail(ALCORE_E_PARAM, "span_unit goes with the task spans; that of the "
                                           "project is another one")
            : ALCORE_OK;
    if (run->own_unit) exchange.options.span_unit = run->span_unit;
    run->options = &exchange.options;
    if (status == ALCORE_OK)
        status =
            alcore_tool_read(project->object.ctx, tool, run->path, &exchange.options, &answers);
    if (status == ALCORE_OK)
        status = alcore__project_exchange_check(&exchange, run->path,
                                                alcore_tool_answers_batch(answers));
    if (status == ALCORE_OK) status = import_answers(run, tool, answers);
    clear(run);
    alcore_tool_answers_unref(answers);
    alcore__project_exchange_end(project, &exchange);
    return status;
}

/* Fills the caller's struct. It is done once before anything is written, for the check of its size.
 */
static alcore_status tell(const import_run *run, alcore_project_import_report *out) {
    return !out ? ALCORE_OK
                : alcore__struct_write(out, &run->report, sizeof run->report,
                                       ALCORE__FIRST_SIZE(alcore_project_import_report, messages),
                                       "alcore_project_import_report");
}

static alcore_status import_within(import_run *run, const char *tool,
                                   alcore_project_import_report *out) {
    alcore__store *const store = &run->project->store;
    ALCORE__TRY(tell(run, out));
    ALCORE__TRY(alcore__store_begin(store));
    ALCORE__TRY(alcore__store_end(store, import_file(run, tool)));
    run->report.messages = run->project->messages.data;
    return tell(run, out);
}

/* The calls, in which run has what they differ in. */
static alcore_status import(import_run *run, const char *call, const char *tool, const char *path,
                            const char *annotator, alcore_project_import_report *out) {
    run->path = path;
    run->fallback = annotator ? annotator : "";
    run->report = (alcore_project_import_report)ALCORE_PROJECT_IMPORT_REPORT_INIT;
    ALCORE__TRY(alcore__project_enter(run->project, call, CALL_LONG));
    if (!tool || !path || !*path)
        return alcore__project_leave(
            run->project, alcore__fail(ALCORE_E_INVALID, "%s: tool and path are needed", call));
    return alcore__project_leave(run->project, import_within(run, tool, out));
}

alcore_status alcore_project_import(alcore_project *project, const char *tool, const char *path,
                                    const char *annotator, alcore_project_import_report *out) {
    import_run run = {.project = project};
    return import(&run, "alcore_project_import", tool, path, annotator, out);
}

alcore_status alcore_project_import_spans(alcore_project *project, const char *tool,
                                          const char *path, const char *annotator,
                                          int32_t span_unit, alcore_project_import_report *out) {
    import_run run = {.project = project, .own_unit = true, .span_unit = span_unit};
    return import(&run, "alcore_project_import_spans", tool, path, annotator, out);
}
