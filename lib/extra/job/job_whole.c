/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of all texts, and what is bought from what is no row of a shard:
 *
 *   phrases         of the texts of all shards. Each job makes the pool that one machine has, with
 *                   the same duplicates, masks and phrases, and buys from it what that buys
 *   hybrid          the same, once the sentences were bought by the exchanges of their strategy
 *   of the target   every shard has the whole target and buys alone; nothing is put in, so that
 *                   the exchange only compares the settings, of which a hash of the target is one
 *
 * The texts travel, not the counts of their phrases: these would be four times as many bytes, as
 * most phrases of up to four words occur once, and counts of the frequent ones alone do not tell
 * what reasons say of all (docs/distributed.md has the figures).
 *
 * What a shard puts in is whole_header, then for each row row_head and the bytes of its text, id,
 * language and group, together up to a multiple of 8; where phrases are measured, the columns by
 * which they are (job_measures.c). */
#include <math.h>
#include <string.h>

#include "extra/job/job_passes.h"
#include "pool/pool_state.h"

/* The first bytes of an entry. */
typedef struct whole_header {
    uint32_t given; /* bits 1 << ALCORE__LIST(): lists of rows that the request has */
    uint32_t reserved;
} whole_header;

enum { STRINGS = 4 /* text, id, language, group */ };

typedef struct row_head {
    uint32_t lengths[STRINGS]; /* bytes; 0: none, but for the text */
    uint32_t states;           /* ALCORE_ROW_* that do not follow from the texts */
    uint32_t named;            /* bits 1 << ALCORE__LIST(): the row is in the list */
    double cost;               /* NaN: it has none */
} row_head;
_Static_assert(sizeof(row_head) == 32, "as docs/distributed.md says");

/* States that the pool of all texts finds itself. */
static const uint32_t FOUND = ALCORE_ROW_EMPTY | ALCORE_ROW_DUPLICATE;
/* Lists whose rows are looked at. */
static const int32_t LISTS[] = {ALCORE__LIST(ELIGIBLE), ALCORE__LIST(LABELED),
                                ALCORE__LIST(EXCLUDED)};
enum { LIST_COUNT = sizeof LISTS / sizeof *LISTS };

/* ---- put ---- */

/* *named [rows]: the lists in which each row is, owned by the caller. A request without a list of
 * eligible rows means all of them, where another shard has one. */
static alcore_status find_named(const alcore_request *request, int64_t rows, uint32_t **named,
                                uint32_t *given) {
    *given = 0;
    ALCORE__TRY(
        alcore__new_array(request->object.ctx, (size_t)rows, sizeof **named, (void **)named));
    for (int i = 0; i < LIST_COUNT; i++) {
        const alcore__row_list *list = &request->lists[LISTS[i]];
        const uint32_t bit = 1u << LISTS[i];
        if (list->given) *given |= bit;
        for (int64_t n = 0; n < list->count; n++)
            if (list->rows[n] >= 0 && list->rows[n] < rows) (*named)[list->rows[n]] |= bit;
        for (int64_t row = 0; LISTS[i] == ALCORE__LIST(ELIGIBLE) && !list->given && row < rows;
             row++)
            (*named)[row] |= bit;
    }
    return ALCORE_OK;
}

static alcore_status put_row(const alcore_pool *pool, int64_t row, uint32_t named,
                             alcore__buffer *items) {
    alcore_ctx *ctx = pool->object.ctx;
    size_t length;
    const char *text = alcore_pool_text(pool, row, &length);
    const char *const strings[STRINGS] = {text, alcore__pool_given_id(pool, row),
                                          alcore_pool_language(pool, row),
                                          alcore_pool_group(pool, row)};
    row_head head = {
        .states = pool->states[row] & ~FOUND, .named = named, .cost = alcore_pool_cost(pool, row)};
    for (int s = 0; s < STRINGS; s++) {
        const size_t bytes = s == 0 ? length : strings[s] ? strlen(strings[s]) : 0;
        if (bytes > UINT32_MAX)
            return alcore__fail(ALCORE_E_UNSUPPORTED, "the text of row %lld has 4 GiB or more",
                                (long long)row);
        head.lengths[s] = (uint32_t)bytes;
    }
    ALCORE__TRY(alcore__buffer_append(ctx, items, &head, sizeof head));
    for (int s = 0; s < STRINGS; s++)
        ALCORE__TRY(alcore__buffer_append(ctx, items, strings[s], head.lengths[s]));
    return alcore__job_pad(ctx, items);
}

static alcore_status put_rows(const alcore_job *job, alcore__buffer *items) {
    const alcore_request *request = job->request;
    const alcore_pool *pool = request->candidates;
    alcore_ctx *ctx = pool->object.ctx;
    whole_header header = {0};
    uint32_t *named = NULL;
    alcore_status status = find_named(request, pool->rows, &named, &header.given);
    if (status == ALCORE_OK) status = alcore__buffer_append(ctx, items, &header, sizeof header);
    for (int64_t row = 0; row < pool->rows && status == ALCORE_OK; row++) {
        if (row % ALCORE_BLOCK_ROWS == 0) status = alcore__tick(ctx, "all texts", row, pool->rows);
        if (status == ALCORE_OK) status = put_row(pool, row, named[row], items);
    }
    alcore__free(ctx, named);
    if (status == ALCORE_OK && alcore__job_has_measures(job))
        status = alcore__job_put_measures(job, items);
    return status;
}

alcore_status alcore__job_put_whole(alcore_job *job, alcore__job_entry *entry,
                                    alcore__buffer *items) {
    const alcore_pool *pool = job->request->candidates;
    if (alcore__job_buys_target(job)) return ALCORE_OK;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore_status status = put_rows(job, items);
    alcore__read_end(pool);
    entry->count = (int64_t)(items->length / 8);
    return status;
}

/* ---- take ---- */

/* The rows of one shard: arrays [capacity], owned, of which `count` are used. */
typedef struct collected {
    const char **texts, **ids, **languages, **groups;
    size_t *lengths, *id_lengths;
    double *costs;
    uint32_t *states, *named;
    char **copies; /* [2, count] of languages and groups, which end with a NUL */
    int64_t count;
} collected;

static void free_collected(alcore_ctx *ctx, collected *rows) {
    for (int64_t i = 0; rows->copies && i < 2 * rows->count; i++)
        alcore__free(ctx, rows->copies[i]);
    void *const arrays[] = {rows->texts,   rows->ids,       rows->languages, rows->groups,
                            rows->lengths, rows->costs,     rows->states,    rows->named,
                            rows->copies,  rows->id_lengths};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) alcore__free(ctx, arrays[i]);
    *rows = (collected){0};
}

static alcore_status new_collected(alcore_ctx *ctx, size_t count, collected *out) {
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->texts, &out->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->ids, &out->ids));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->languages, &out->languages));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->groups, &out->groups));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->id_lengths, &out->id_lengths));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->costs, &out->costs));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->states, &out->states));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->named, &out->named));
    return alcore__new_array(ctx, 2 * count, sizeof *out->copies, &out->copies);
}

/* Copies a name, where there is one, as the records of a pool want it. */
static alcore_status copy_name(alcore_ctx *ctx, const char *name, uint32_t length, char **copy,
                               const char **out) {
    if (length == 0) return ALCORE_OK;
    *out = *copy = alcore__strndup(ctx, name, length);
    return *copy ? ALCORE_OK : alcore__fail_memory((size_t)length + 1);
}

/* Collects the next row, which may be in lists that the request has, and in that of eligible ones;
 * *whole: false where the entry is damaged. */
static alcore_status collect_row(alcore_ctx *ctx, uint32_t given, alcore__byte_cursor *cursor,
                                 collected *rows, bool *whole) {
    row_head head;
    size_t bytes = 0;
    const int64_t row = rows->count;
    *whole = alcore__cursor_read(cursor, &head, sizeof head) &&
             (head.named & ~(given | 1u << ALCORE__LIST(ELIGIBLE))) == 0;
    for (int s = 0; s < STRINGS && *whole; s++) bytes += head.lengths[s];
    const char *next = *whole && bytes <= cursor->left
                           ? alcore__cursor_take(cursor, alcore__cursor_padded(bytes), 1)
                           : NULL;
    *whole = next != NULL;
    if (!next) return ALCORE_OK;
    rows->count++;
    rows->texts[row] = next;
    rows->lengths[row] = head.lengths[0];
    rows->ids[row] = next += head.lengths[0];
    rows->id_lengths[row] = head.lengths[1];
    next += head.lengths[1];
    ALCORE__TRY(
        copy_name(ctx, next, head.lengths[2], &rows->copies[2 * row], &rows->languages[row]));
    next += head.lengths[2];
    ALCORE__TRY(
        copy_name(ctx, next, head.lengths[3], &rows->copies[2 * row + 1], &rows->groups[row]));
    rows->costs[row] = head.cost;
    rows->states[row] = head.states & ~FOUND;
    rows->named[row] = head.named;
    return ALCORE_OK;
}

/* Adds the collected rows to the pool, and those that the request of the shard names to the lists.
 */
static alcore_status add_rows(alcore_job *job, const collected *rows, uint32_t given) {
    alcore_pool *pool = job->whole;
    alcore_ctx *ctx = job->object.ctx;
    alcore_records records = ALCORE_RECORDS_INIT;
    int64_t first;
    records.count = rows->count;
    records.texts = rows->texts;
    records.text_lengths = rows->lengths;
    records.ids = rows->ids;
    records.id_lengths = rows->id_lengths;
    records.languages = rows->languages;
    records.groups = rows->groups;
    ALCORE__TRY(alcore_pool_add_records(pool, &records, &first));
    for (int64_t i = 0; i < rows->count; i++) {
        const int64_t row = first + i;
        pool->states[row] |= rows->states[i];
        if (!isnan(rows->costs[i]))
            ALCORE__TRY(alcore_pool_set_costs(pool, &row, &rows->costs[i], 1));
    }
    for (int n = 0; n < LIST_COUNT; n++) {
        alcore__row_list *list = &job->lists[LISTS[n]];
        list->given |= (given >> LISTS[n] & 1) != 0;
        for (int64_t i = 0; i < rows->count; i++) {
            if ((rows->named[i] >> LISTS[n] & 1) == 0) continue;
            ALCORE__TRY(alcore__grow(ctx, &list->rows, &list->capacity, (size_t)list->count + 1,
                                     sizeof *list->rows));
            list->rows[list->count++] = first + i;
        }
    }
    return ALCORE_OK;
}

static alcore_status add_entry(alcore_job *job, const alcore__job_entry *entry, int64_t entries,
                               const char *items, alcore__job_measures *measures) {
    alcore_ctx *ctx = job->object.ctx;
    const int64_t count = entry->end - entry->first;
    alcore__byte_cursor cursor = {.next = items, .left = 8 * (size_t)entry->count};
    collected rows = {0};
    whole_header header;
    bool whole = alcore__cursor_read(&cursor, &header, sizeof header) &&
                 (uint64_t)count <= cursor.left / sizeof(row_head);
    alcore_status status = whole ? new_collected(ctx, (size_t)count, &rows) : ALCORE_OK;
    while (status == ALCORE_OK && whole && rows.count < count)
        status = collect_row(ctx, header.given, &cursor, &rows, &whole);
    if (status == ALCORE_OK && whole && alcore__job_has_measures(job))
        status = alcore__job_take_measures(ctx, entry, entries, &cursor, &whole, measures);
    if (status == ALCORE_OK && (!whole || cursor.left > 0))
        status = alcore__fail(ALCORE_E_CORRUPT,
                              "the message of a job has no texts of the rows %lld to %lld",
                              (long long)entry->first, (long long)entry->end - 1);
    if (status == ALCORE_OK) status = add_rows(job, &rows, header.given);
    free_collected(ctx, &rows);
    return status;
}

/* An n-gram model learns from the texts of all shards, which these are. */
static void let_learn(alcore_job *job) {
    if (!alcore__request_learns(job->request)) return;
    alcore_pool_unref(job->texts);
    job->texts = alcore_pool_ref(job->whole);
}

void alcore__job_whole_clear(alcore_job *job) {
    alcore_pool_unref(job->whole);
    job->whole = NULL;
    for (int32_t n = 0; n < ALCORE__ROW_KINDS; n++) {
        alcore__free(job->object.ctx, job->lists[n].rows);
        job->lists[n] = (alcore__row_list){0};
    }
}

/* Marks the rows of the shard whose text an earlier row has, as the exchange of texts does. */
static alcore_status mark_repeated(alcore_job *job) {
    const int64_t rows = job->entry.end - job->entry.first;
    if (!job->repeated)
        ALCORE__TRY(alcore__new_array(job->object.ctx, (size_t)rows, 1, &job->repeated));
    for (int64_t row = 0; row < rows; row++)
        job->repeated[row] =
            (job->whole->states[job->entry.first + row] & ALCORE_ROW_DUPLICATE) != 0;
    return ALCORE_OK;
}

static alcore_status make_whole(alcore_job *job, const alcore__job_message *message) {
    const alcore_pool *own = job->request->candidates;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    const char *place = message->entries, *items;
    options.dedup = own->dedup;
    options.max_text_bytes = INT64_MAX;
    options.repeated_ids = ALCORE_IDS_ANY; /* each shard has looked at its own */
    alcore__job_measures measures = {0};
    alcore__job_whole_clear(job); /* of a call that failed */
    ALCORE__TRY(alcore_pool_new(job->object.ctx, &options, &job->whole));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < message->entry_count && status == ALCORE_OK; i++) {
        alcore__job_entry entry;
        place = alcore__job_entry_next(message, place, &entry, &items);
        status = add_entry(job, &entry, message->entry_count, items, &measures);
    }
    if (status == ALCORE_OK) status = alcore__job_give_measures(job->whole, &measures);
    alcore__job_measures_clear(job->object.ctx, &measures);
    return status == ALCORE_OK ? mark_repeated(job) : status;
}

/* ---- buying ---- */

/* *out: a copy of the request, which borrows all that it has, with all texts as its candidates. */
static void request_of_whole(const alcore_job *job, alcore_request *out) {
    *out = *job->request;
    out->candidates = job->whole;
    memcpy(out->lists, job->lists, sizeof out->lists);
    out->options.keep_phrases = false; /* the copy keeps nothing */
    out->kept = (alcore__phrase_counter){0};
}

alcore_status alcore__job_take_whole(alcore_job *job, const alcore__job_message *message) {
    alcore_selection *selection = NULL;
    alcore_request request;
    if (alcore__job_buys_target(job)) {
        ALCORE__TRY(alcore__request_select(job->request, &selection));
        return alcore__job_keep_selection(job, selection);
    }
    alcore_status status = make_whole(job, message);
    /* Without a row the sentences of a hybrid have no exchange. */
    if (status == ALCORE_OK &&
        (alcore__strategy_def_of(alcore__job_strategy(job))->phrase_options || job->rows == 0)) {
        request_of_whole(job, &request);
        status = alcore__request_select(&request, &selection);
        if (status == ALCORE_OK) return alcore__job_keep_selection(job, selection);
    }
    if (status == ALCORE_OK)
        let_learn(job);
    else
        alcore__job_whole_clear(job);
    return status;
}

alcore_status alcore__job_join(alcore_job *job, const double *costs, alcore__outcome *outcome) {
    alcore_selection *selection = NULL;
    alcore_request request;
    alcore__resolution columns;
    request_of_whole(job, &request);
    ALCORE__TRY(alcore__job_resolution(job, &columns));
    ALCORE__TRY(alcore__request_join_hybrid(&request, costs, &columns, outcome, &selection));
    return alcore__job_keep_selection(job, selection);
}
