/* SPDX-License-Identifier: Apache-2.0 */
/* The selection of a hybrid strategy: the picks of two selections, sentences and then phrases, as
 * one. It has a pool of its own, derived from the texts, whose rows are the picks in rank order:
 * their texts, ids, languages, groups and costs. Its record has the columns of both parts and
 *
 *   kind        0: a sentence, 1: a phrase; files have these words
 *   first_row   row of the texts: of the sentence, or of the phrase's first occurrence
 *
 * A pick has no value in a column that its part lacks: NaN or -1. The selection keeps a reference
 * to each part, and its summary and provenance contain those of the parts. */
#include <math.h>
#include <string.h>

#include "pool/pool_internal.h"
#include "selection/selection_internal.h"

/* The values of "kind", which are the numbers of the parts. */
enum { KIND_SENTENCE = ALCORE__SENTENCES, KIND_PHRASE = ALCORE__PHRASES };

static const char *const KIND_WORDS[] = {
    [KIND_SENTENCE] = "sentence", [KIND_PHRASE] = "phrase", NULL};

/* The number of picks of both parts. */
static int64_t count_picks(alcore_selection *const parts[ALCORE__PARTS]) {
    return parts[ALCORE__SENTENCES]->count + parts[ALCORE__PHRASES]->count;
}

/* The rank among them of the first pick of a part: phrases come behind the sentences. */
static int64_t first_rank(alcore_selection *const parts[ALCORE__PARTS], int32_t part) {
    return part == ALCORE__SENTENCES ? 0 : parts[ALCORE__SENTENCES]->count;
}

/* ---- the pool of the picks ---- */

/* The arrays of alcore_records (what a pool is filled from), [count] each, by rank of the pick. The
 * struct owns the arrays; the texts in them are borrowed. */
typedef struct pick_records {
    const char **texts, **ids, **languages, **groups;
    size_t *text_lengths;
    char (*numbers)[24]; /* where the ids of rows without one are written: their numbers */
    double *costs;
    bool priced; /* every pick has a cost */
} pick_records;

/* Allocates all arrays, zeroed; free_records() frees them, also after a failure. */
static alcore_status allocate_records(alcore_ctx *ctx, size_t count, pick_records *records) {
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(char *), &records->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(char *), &records->ids));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(char *), &records->languages));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(char *), &records->groups));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(size_t), &records->text_lengths));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *records->numbers, &records->numbers));
    return alcore__new_array(ctx, count, sizeof(double), &records->costs);
}

/* Frees the arrays; those that were not allocated are NULL. */
static void free_records(alcore_ctx *ctx, pick_records *records) {
    alcore__free(ctx, records->texts);
    alcore__free(ctx, records->ids);
    alcore__free(ctx, records->languages);
    alcore__free(ctx, records->groups);
    alcore__free(ctx, records->text_lengths);
    alcore__free(ctx, records->numbers);
    alcore__free(ctx, records->costs);
}

/* Fills the records, sentences and then phrases, with views of the texts, ids, ... in the pools of
 * the parts. Those of the pool of texts are valid while that pool is locked; the pool of phrases
 * was made in this call of alcore_select() and needs no lock. Returns the number of records. */
static int64_t fill_records(alcore_selection *const parts[ALCORE__PARTS], pick_records *records) {
    int64_t row = 0;
    records->priced = true;
    for (int32_t p = 0; p < ALCORE__PARTS; p++) {
        const alcore_pool *pool = parts[p]->ranking->pool;
        for (int64_t k = 0; k < parts[p]->count; k++, row++) {
            const int64_t pick = parts[p]->rows[k];
            records->texts[row] = alcore_pool_text(pool, pick, &records->text_lengths[row]);
            records->ids[row] = alcore__pool_id(pool, pick, records->numbers[row]);
            records->languages[row] = alcore_pool_language(pool, pick);
            records->groups[row] = alcore_pool_group(pool, pick);
            records->costs[row] = alcore_pool_cost(pool, pick);
            records->priced &= !isnan(records->costs[row]);
        }
    }
    return row;
}

/* Makes *out, the pool of the picks of both parts, in their order, derived from `texts`, the pool
 * of texts, which is locked for reading. Every pick must become a row of the same number, so no
 * duplicate is left out and no text is too long. Costs are set only where every pick has one. */
static alcore_status make_pool(alcore_pool *texts, alcore_selection *const parts[ALCORE__PARTS],
                               alcore_pool **out) {
    alcore_ctx *ctx = alcore__pool_ctx(texts);
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_records given = ALCORE_RECORDS_INIT;
    alcore_pool *pool = NULL;
    pick_records records = {0};
    options.dedup = ALCORE_DEDUP_NONE;
    options.repeated_ids = ALCORE_IDS_ANY; /* sentences and phrases may be numbered alike */
    options.max_text_bytes = INT64_MAX;
    alcore_status status = allocate_records(ctx, (size_t)count_picks(parts), &records);
    if (status == ALCORE_OK) status = alcore_pool_new_derived(texts, &options, &pool);
    if (status == ALCORE_OK) {
        given.count = fill_records(parts, &records);
        given.texts = records.texts;
        given.text_lengths = records.text_lengths;
        given.ids = records.ids;
        given.languages = records.languages;
        given.groups = records.groups;
        if (records.priced) given.costs = records.costs;
        status = alcore_pool_add_records(pool, &given, NULL /* first row: 0 */);
    }
    free_records(ctx, &records);
    return alcore__object_made(status, pool, out);
}

/* ---- the record ---- */

/* *out: the values [picks] of the record column of a name, which the outcome owns. Where it is not
 * there yet it is added, with NaN or -1 (by dtype) for every pick: no value. name: static, as the
 * parts are strategies of the library; columns of one name in both must have the same dtype, as the
 * values are copied. */
static alcore_status get_column(alcore_ctx *ctx, alcore__outcome *outcome, const char *name,
                                int32_t dtype, void **out) {
    int32_t c = 0;
    while (c < outcome->column_count && strcmp(outcome->columns[c].name, name) != 0) c++;
    alcore__record_column *column = &outcome->columns[c];
    if (c == outcome->column_count) {
        if (c == ALCORE__RECORD_COLUMNS)
            return alcore__fail(ALCORE_E_INTERNAL, "the parts of a hybrid have too many columns");
        ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, 8, &column->values));
        column->name = name;
        column->dtype = dtype;
        outcome->column_count++;
        for (int64_t i = 0; i < outcome->count; i++) {
            if (dtype == ALCORE_FLOAT64)
                ((double *)column->values)[i] = (double)NAN;
            else
                ((int64_t *)column->values)[i] = -1;
        }
    }
    if (column->dtype != dtype)
        return alcore__fail(ALCORE_E_INTERNAL,
                            "the parts of a hybrid record the column %s with different dtypes",
                            name);
    *out = column->values;
    return ALCORE_OK;
}

/* Copies the record of one part (kind: KIND_SENTENCE or KIND_PHRASE) into the record of both, in
 * which its pick of rank k has the rank first + k. */
static alcore_status copy_record(alcore_ctx *ctx, const alcore_selection *part, int32_t kind,
                                 int64_t first, alcore__outcome *outcome) {
    void *values;
    ALCORE__TRY(get_column(ctx, outcome, "kind", ALCORE_INT64, &values));
    for (int64_t k = 0; k < part->count; k++) ((int64_t *)values)[first + k] = kind;
    ALCORE__TRY(get_column(ctx, outcome, "first_row", ALCORE_INT64, &values));
    for (int64_t k = 0; k < part->count; k++)
        ((int64_t *)values)[first + k] = alcore__selection_index(part, k);
    for (int32_t c = 0; c < part->ranking->outcome.column_count; c++) {
        const alcore__record_column *column = &part->ranking->outcome.columns[c];
        ALCORE__TRY(get_column(ctx, outcome, column->name, column->dtype, &values));
        if (part->count > 0) /* float64 and int64 are both 8 bytes */
            memcpy((char *)values + 8 * first, part->pick_columns[c], 8 * (size_t)part->count);
    }
    return ALCORE_OK;
}

/* Fills the zeroed outcome, as if a strategy had selected from the pool of picks: every pick is a
 * candidate, and its position and its row are its rank. copy_record() adds "kind", which files
 * write in words, before all others, hence column 0. A failure leaves what was made in outcome. */
static alcore_status fill_outcome(alcore_ctx *ctx, alcore_selection *const parts[ALCORE__PARTS],
                                  alcore__outcome *outcome) {
    outcome->count = outcome->measured = count_picks(parts);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, sizeof(int64_t), &outcome->rows));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, sizeof(double), &outcome->scores));
    for (int64_t i = 0; i < outcome->count; i++) outcome->rows[i] = i;
    for (int32_t p = 0; p < ALCORE__PARTS; p++) {
        const int64_t first = first_rank(parts, p);
        for (int64_t k = 0; k < parts[p]->count; k++)
            outcome->scores[first + k] = parts[p]->scores[k];
        ALCORE__TRY(copy_record(ctx, parts[p], p, first, outcome));
    }
    outcome->columns[0].words = KIND_WORDS;
    return ALCORE_OK;
}

/* ---- the selection ---- */

/* *out: what both parts bought together, sentences first, under the whole budget; every position is
 * a pick. It is SHORT where one of the parts is. There is no explanation, as the parts have theirs.
 */
static alcore_status add_purchases(alcore_ctx *ctx, alcore_selection *const parts[ALCORE__PARTS],
                                   double budget, alcore__purchase *out) {
    *out = (alcore__purchase){.budget = budget, .pick_count = count_picks(parts)};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)out->pick_count, sizeof *out->picks, &out->picks));
    for (int64_t i = 0; i < out->pick_count; i++) out->picks[i] = i;
    for (int32_t p = 0; p < ALCORE__PARTS; p++) {
        const alcore__purchase *part = &parts[p]->bought;
        out->spent += part->spent;
        out->flags |= part->flags;
        out->redundant += part->redundant;
        out->unaffordable += part->unaffordable;
        out->free_rows += part->free_rows;
    }
    return ALCORE_OK;
}

/* Copies the reasons of a part, whose picks begin at rank `first`, and the contexts of its phrases;
 * sentences have none: -1. */
static alcore_status copy_reasons(alcore_selection *self, const alcore_selection *part,
                                  int64_t first) {
    alcore_ctx *ctx = self->object.ctx;
    for (int64_t k = 0; k < part->count; k++) {
        const size_t bytes = strlen(part->reasons[k]) + 1;
        char *copy = alcore__arena_alloc(ctx, &self->reason_arena, bytes, 1);
        if (!copy) return alcore__fail_memory(bytes);
        self->reasons[first + k] = memcpy(copy, part->reasons[k], bytes);
        for (int64_t i = 0; i < ALCORE__CONTEXTS; i++)
            self->contexts[(first + k) * ALCORE__CONTEXTS + i] =
                part->contexts ? part->contexts[k * ALCORE__CONTEXTS + i] : -1;
    }
    return ALCORE_OK;
}

/* The reasons become copies in the selection's own arena; a failure leaves what was made to it. */
alcore_status alcore__selection_copy_parts(alcore_selection *self,
                                           alcore_selection *const parts[ALCORE__PARTS]) {
    alcore_ctx *ctx = self->object.ctx;
    const size_t count = (size_t)count_picks(parts);
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->reasons, &self->reasons));
    ALCORE__TRY(
        alcore__new_array(ctx, count, ALCORE__CONTEXTS * sizeof *self->contexts, &self->contexts));
    for (int32_t p = 0; p < ALCORE__PARTS; p++) {
        self->parts[p] = alcore_selection_ref(parts[p]);
        ALCORE__TRY(copy_reasons(self, parts[p], first_rank(parts, p)));
    }
    return ALCORE_OK;
}

/* *out: the cost of each pick in the unit of the budget, [picks] by row of the pool of picks, which
 * the caller frees, also after a failure later on. */
static alcore_status join_costs(alcore_ctx *ctx, alcore_selection *const parts[ALCORE__PARTS],
                                double **out) {
    const size_t count = (size_t)count_picks(parts);
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof **out, out));
    for (int32_t p = 0; p < ALCORE__PARTS; p++)
        for (int64_t k = 0; k < parts[p]->count; k++)
            (*out)[first_rank(parts, p) + k] = parts[p]->costs[k];
    return ALCORE_OK;
}

/* Makes *out, the selection of both parts over `pool`, the pool of picks: first its ranking and its
 * purchase, which alcore__selection_make() combines. That call owns the purchase from then on, also
 * after a failure, and adds a reference to the ranking; the one made here is released. */
static alcore_status make(const alcore_request *request,
                          alcore_selection *const parts[ALCORE__PARTS], double budget,
                          alcore_pool *pool, alcore_selection **out) {
    alcore_ctx *ctx = request->object.ctx;
    alcore__outcome outcome = {0};
    alcore__ranking *ranking = NULL;
    alcore__purchase purchase = {0};
    double *costs = NULL;
    alcore_status status = fill_outcome(ctx, parts, &outcome);
    if (status == ALCORE_OK)
        status = alcore__ranking_join(request, parts[ALCORE__SENTENCES]->ranking, pool, &outcome,
                                      &ranking);
    alcore__outcome_clear(ctx, &outcome); /* of what did not move to the ranking */
    if (status == ALCORE_OK) status = add_purchases(ctx, parts, budget, &purchase);
    if (status == ALCORE_OK) status = join_costs(ctx, parts, &costs);
    if (status == ALCORE_OK)
        status = alcore__selection_make(ranking, costs, &purchase, parts, out);
    else
        alcore__purchase_clear(ctx, &purchase);
    alcore__free(ctx, costs);
    alcore__object_unref(ranking);
    return status;
}

alcore_status alcore__selection_join(const alcore_request *request,
                                     alcore_selection *const parts[ALCORE__PARTS], double budget,
                                     alcore_selection **out) {
    alcore_pool *pool = NULL;
    ALCORE__TRY(alcore__read_begin(request->candidates, "pool"));
    alcore_status status = make_pool(request->candidates, parts, &pool);
    alcore__read_end(request->candidates);
    if (status == ALCORE_OK) status = make(request, parts, budget, pool, out);
    alcore_pool_unref(pool);
    return status;
}
