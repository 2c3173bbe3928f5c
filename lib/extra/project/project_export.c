/* SPDX-License-Identifier: Apache-2.0 */
/* Open items on their way to annotators, in the form of a tool. The file is written before the
 * export is: a process that is killed in between writes the same file again. */
#include <string.h>
#include <sys/stat.h>

#include "extra/project/project_decisions.h"
#include "extra/project/project_exchange.h"

/* Items as parallel arrays, which grow together. Texts lie in the arena. */
typedef struct item_list {
    alcore_ctx *ctx;
    alcore__arena arena;
    int64_t count;
    size_t capacity;
    const char **texts[7]; /* [7][capacity] owned: id, text, context, draft, reason, group, language
                            */
    double *scores, *costs; /* [capacity] owned */
} item_list;
enum { ITEM_TEXTS = 7 };

static void clear_list(item_list *list) {
    for (int i = 0; i < ITEM_TEXTS; i++) alcore__free(list->ctx, list->texts[i]);
    alcore__free(list->ctx, list->scores);
    alcore__free(list->ctx, list->costs);
    alcore__arena_clear(list->ctx, &list->arena);
}

/* Makes room for one more item in all arrays. */
static alcore_status grow_list(item_list *list) {
    size_t capacity = list->capacity;
    const size_t need = (size_t)list->count + 1;
    if (need <= list->capacity) return ALCORE_OK;
    for (int i = 0; i < ITEM_TEXTS; i++) {
        capacity = list->capacity;
        ALCORE__TRY(
            alcore__grow(list->ctx, &list->texts[i], &capacity, need, sizeof *list->texts[i]));
    }
    capacity = list->capacity;
    ALCORE__TRY(alcore__grow(list->ctx, &list->scores, &capacity, need, sizeof *list->scores));
    capacity = list->capacity;
    ALCORE__TRY(alcore__grow(list->ctx, &list->costs, &capacity, need, sizeof *list->costs));
    list->capacity = capacity;
    return ALCORE_OK;
}

static alcore_status add_item(item_list *list, sqlite3_stmt *row) {
    ALCORE__TRY(grow_list(list));
    for (int i = 0; i < ITEM_TEXTS; i++) {
        const char *const text = alcore__store_text_or_null(row, i);
        const char **const kept = &list->texts[i][list->count];
        *kept = NULL;
        if (text)
            ALCORE__TRY(alcore__arena_text(list->ctx, &list->arena, text, strlen(text), kept));
    }
    list->scores[list->count] = alcore__store_number(row, ITEM_TEXTS);
    list->costs[list->count] = alcore__store_number(row, ITEM_TEXTS + 1);
    list->count++;
    return ALCORE_OK;
}

/* Reads the open items of a round, or of all (round 0). */
static alcore_status read_items(alcore_project *project, int64_t round, item_list *list) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT id, text, context, draft, reason, section, language, score, cost FROM items "
        "LEFT JOIN decisions USING (item) WHERE (round = ?1 OR ?1 = 0) AND " IS_OPEN " "
        "ORDER BY item",
        "i", round));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        if ((status = add_item(list, rows)) != ALCORE_OK) break;
    sqlite3_finalize(rows);
    return status;
}

/* The round that is meant: 0 for all. */
static alcore_status find_round(alcore_project *project, int64_t *round) {
    int64_t rounds;
    ALCORE__TRY(alcore__project_rounds(project, &rounds));
    if (*round == -1)
        *round = 0;
    else if (*round >= 0 && *round <= rounds && rounds > 0)
        *round = *round ? *round : rounds;
    else if (rounds == 0)
        return alcore__fail(ALCORE_E_NOT_FOUND, "the project has no round yet");
    else
        return alcore__fail(ALCORE_E_NOT_FOUND, "there is no round %lld; the project has %lld",
                            (long long)*round, (long long)rounds);
    return ALCORE_OK;
}

/* The digest of the file that was written; "" of standard output and of a folder. */
static alcore_status written_digest(alcore_project *project, const char *path,
                                    char digest[ALCORE__HASH_TEXT_BYTES]) {
    struct stat info;
    int64_t bytes;
    digest[0] = '\0';
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return ALCORE_OK;
    return alcore__path_digest(project->object.ctx, path, digest, &bytes);
}

static alcore_status write_export(alcore_project *project, const char *tool, const char *path,
                                  int64_t round, int64_t items, const char *batch) {
    alcore_ctx *ctx = project->object.ctx;
    alcore__json_out arguments = {.ctx = ctx}, result = {.ctx = ctx};
    char now[ALCORE__ISO_TIME_BYTES], digest[ALCORE__HASH_TEXT_BYTES];
    alcore__project_time(now);
    ALCORE__TRY(written_digest(project, path, digest));
    ALCORE__TRY(alcore__store_run(
        &project->store,
        "INSERT INTO exports(time, tool, round, items, batch, digest) VALUES(?, ?, ?, ?, ?, ?)",
        "ttiitt", now, tool, round, items, batch, digest));
    alcore__json_open(&arguments, NULL, '{');
    alcore__json_put_string(&arguments, "tool", tool);
    alcore__json_put_string(&arguments, "path", path);
    alcore__json_put_integer(&arguments, "round", round);
    alcore__json_close(&arguments, '}');
    alcore__json_open(&result, NULL, '{');
    alcore__json_put_integer(&result, "items", items);
    alcore__json_put_string(&result, "batch", batch);
    alcore__json_close(&result, '}');
    const alcore_status status = alcore__project_log(project, "export", &arguments, &result);
    alcore__buffer_clear(ctx, &arguments.text);
    alcore__buffer_clear(ctx, &result.text);
    return status;
}

/* Writes the items that were read. */
static alcore_status write_items(alcore_project *project, const char *tool, const char *path,
                                 int64_t round, const item_list *list) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    alcore__project_exchange exchange;
    if (list->count == 0)
        return round
                   ? alcore__fail(ALCORE_E_MISSING, "round %lld has no open item", (long long)round)
                   : alcore__fail(ALCORE_E_MISSING, "no round has an open item");
    items.count = list->count;
    items.ids = list->texts[0];
    items.texts = list->texts[1];
    items.contexts = list->texts[2];
    items.drafts = list->texts[3];
    items.reasons = list->texts[4];
    items.groups = list->texts[5];
    items.languages = list->texts[6];
    items.scores = list->scores;
    items.costs = list->costs;
    ALCORE__TRY(alcore__project_exchange_begin(project, &exchange));
    alcore_status status =
        alcore_tool_write(project->object.ctx, tool, path, &items, &exchange.options);
    if (status == ALCORE_OK)
        status = write_export(project, tool, path, round, list->count, exchange.batch.data);
    alcore__project_exchange_end(project, &exchange);
    return status;
}

static alcore_status export_items(alcore_project *project, const char *tool, const char *path,
                                  int64_t round) {
    item_list list = {.ctx = project->object.ctx};
    ALCORE__TRY(find_round(project, &round));
    alcore_status status = read_items(project, round, &list);
    if (status == ALCORE_OK) status = write_items(project, tool, path, round, &list);
    clear_list(&list);
    return status;
}

alcore_status alcore_project_export(alcore_project *project, const char *tool, const char *path,
                                    int64_t round) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_export", CALL_SAVING));
    if (!tool || !path || !*path)
        return alcore__project_leave(
            project,
            alcore__fail(ALCORE_E_INVALID, "alcore_project_export: tool and path are needed"));
    alcore_status status = alcore__store_begin(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, export_items(project, tool, path, round));
    return alcore__project_leave(project, status);
}
