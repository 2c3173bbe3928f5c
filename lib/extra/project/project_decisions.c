/* SPDX-License-Identifier: Apache-2.0 */
/* Deciding what the answers of an item come to. The answers that are equal are one group; two that
 * say in different words that there is none (skip, reject, untranslatable) are equal. */
#include "extra/project/project_decisions.h"

#include <string.h>

#include "text/iso_time.h"

enum { POLL_ITEMS = 1024 };

/* The statements of a run over many items. */
typedef struct decider {
    alcore__store *store;
    sqlite3_stmt *items, *groups, *write, *rounds, *count; /* owned */
    bool latest, majority;                                 /* the setting several */
    bool compares;                                         /* with what is written already */
} decider;

/* One item, from its groups of equal answers, the largest first. */
typedef struct decision {
    int64_t state, answer; /* answer 0: none */
    bool disagreeing;
} decision;

static alcore_status decide(decider *self, int64_t item, decision *out) {
    int64_t groups = 0, finals = 0, largest = 0, newest = 0;
    bool row;
    alcore_status status;
    *out = (decision){.state = STATE_OPEN};
    ALCORE__TRY(alcore__store_bind(self->store, self->groups, "i", item));
    while ((status = alcore__store_step(self->store, self->groups, &row)) == ALCORE_OK && row) {
        const int64_t answers = sqlite3_column_int64(self->groups, 1);
        const int64_t last = sqlite3_column_int64(self->groups, 3);
        groups++;
        finals += answers;
        if (groups == 1) largest = answers;
        if (groups > 1 && (!self->latest || last < newest)) continue;
        newest = last;
        out->state = sqlite3_column_int(self->groups, 0) ? STATE_ANSWERED : STATE_WITHOUT;
        out->answer = sqlite3_column_int64(self->groups, 2);
    }
    sqlite3_reset(self->groups);
    out->disagreeing = groups > 1;
    if (groups > 1 && !self->latest && !(self->majority && 2 * largest > finals)) {
        out->state = STATE_DISAGREEING;
        out->answer = 0;
    }
    return status;
}

/* Writes a decision; when verifying, compares it with the one that is there. */
static alcore_status write_decision(decider *self, int64_t item, const decision *outcome) {
    bool row = true;
    ALCORE__TRY(alcore__store_bind(self->store, self->write, "iiii", item, outcome->state,
                                   (int64_t)outcome->disagreeing, outcome->answer));
    alcore_status status = alcore__store_step(self->store, self->write, &row);
    sqlite3_reset(self->write);
    if (status == ALCORE_OK && self->compares && !row)
        status = alcore__store_damaged(self->store,
                                       "the decision on item %lld is not what its answers come to",
                                       (long long)item);
    return status;
}

/* Decides each of the items. */
static alcore_status decide_all(alcore_project *project, decider *self, int64_t *disagreeing) {
    bool row;
    int64_t done = 0;
    decision outcome;
    alcore_status status;
    while ((status = alcore__store_step(self->store, self->items, &row)) == ALCORE_OK && row) {
        const int64_t item = sqlite3_column_int64(self->items, 0);
        status = decide(self, item, &outcome);
        if (status == ALCORE_OK) status = write_decision(self, item, &outcome);
        if (status == ALCORE_OK && done++ % POLL_ITEMS == 0)
            status = alcore__tick(project->object.ctx, "deciding", done, -1);
        if (status != ALCORE_OK) break;
        if (disagreeing) *disagreeing += outcome.disagreeing;
    }
    return status;
}

/* Counts each of the rounds. */
static alcore_status count_all(decider *self) {
    bool row;
    alcore_status status;
    while ((status = alcore__store_step(self->store, self->rounds, &row)) == ALCORE_OK && row)
        if ((status = alcore__store_run_bound(self->store, self->count, "i",
                                              sqlite3_column_int64(self->rounds, 0))) != ALCORE_OK)
            break;
    return status;
}

static alcore_status prepare_deciding(decider *self, int64_t first) {
    alcore__store *const store = self->store;
    ALCORE__TRY(alcore__store_prepare(
        store, &self->items, "SELECT DISTINCT item FROM answers WHERE answer >= ? ORDER BY item",
        "i", first));
    return alcore__store_prepare(
        store, &self->groups,
        "SELECT status = 'ok', count(*), min(answer), max(answer) FROM latest "
        "JOIN answers USING (answer) WHERE latest.item = ? AND status != 'draft' "
        "GROUP BY status = 'ok', value ORDER BY count(*) DESC, max(answer) DESC",
        "");
}

static alcore_status prepare_writing(decider *self, int64_t first) {
    alcore__store *const store = self->store;
    ALCORE__TRY(alcore__store_prepare(
        store, &self->write,
        "INSERT INTO decisions(item, state, disagreeing, answer) VALUES(?, ?, ?, nullif(?, 0)) "
        "ON CONFLICT(item) DO UPDATE SET state = excluded.state, "
        "disagreeing = excluded.disagreeing, answer = excluded.answer",
        ""));
    ALCORE__TRY(alcore__store_prepare(
        store, &self->rounds,
        "SELECT DISTINCT round FROM answers JOIN items USING (item) WHERE answer >= ?", "i",
        first));
    return alcore__store_prepare(
        store, &self->count,
        "UPDATE counts SET (answered, open, without, disagreeing, answers, refunded) = "
        "(SELECT count(*) FILTER (WHERE " IS_ANSWERED "), count(*) FILTER (WHERE " IS_OPEN "), "
        "count(*) FILTER (WHERE " IS_WITHOUT "), count(*) FILTER (WHERE disagreeing = 1), "
        "(SELECT count(*) FROM items JOIN answers USING (item) WHERE round = counts.round), "
        "total(CASE WHEN " IS_WITHOUT " THEN cost END) "
        "FROM items LEFT JOIN decisions USING (item) WHERE round = counts.round) "
        "WHERE round = ?",
        "");
}

static decider decider_of(alcore_project *project, const char *several) {
    return (decider){.store = &project->store,
                     .latest = strcmp(several, "latest") == 0,
                     .majority = strcmp(several, "majority") == 0};
}

static void clear(decider *self) {
    sqlite3_finalize(self->items);
    sqlite3_finalize(self->groups);
    sqlite3_finalize(self->write);
    sqlite3_finalize(self->rounds);
    sqlite3_finalize(self->count);
}

alcore_status alcore__project_decide(alcore_project *project, const char *several, int64_t first,
                                     int64_t *disagreeing) {
    decider self = decider_of(project, several);
    alcore_status status = prepare_deciding(&self, first);
    if (status == ALCORE_OK) status = prepare_writing(&self, first);
    if (status == ALCORE_OK) status = decide_all(project, &self, disagreeing);
    if (status == ALCORE_OK) status = count_all(&self);
    clear(&self);
    return status;
}

alcore_status alcore__project_decisions_verify(alcore_project *project, const char *several) {
    decider self = decider_of(project, several);
    int64_t item = 0;
    self.compares = true;
    alcore_status status = prepare_deciding(&self, 0);
    if (status == ALCORE_OK)
        status = alcore__store_prepare(self.store, &self.write,
                                       "SELECT item FROM decisions WHERE item = ? AND state = ? "
                                       "AND disagreeing = ? AND answer IS nullif(?, 0)",
                                       "");
    if (status == ALCORE_OK) status = decide_all(project, &self, NULL);
    if (status == ALCORE_OK)
        status = alcore__store_integer(self.store, &item,
                                       "SELECT item FROM decisions WHERE item NOT IN "
                                       "(SELECT item FROM answers) LIMIT 1",
                                       "");
    if (status == ALCORE_OK && item)
        status = alcore__store_damaged(self.store, "item %lld is decided without an answer",
                                       (long long)item);
    clear(&self);
    return status;
}

bool alcore__project_replaces(const char *status, const char *time, const char *present_status,
                              const char *present_time) {
    double mine, theirs;
    if (alcore__iso_time_read(time, &mine) && alcore__iso_time_read(present_time, &theirs) &&
        theirs > mine)
        return false;
    return strcmp(status, "draft") != 0 || strcmp(present_status, "draft") == 0;
}
