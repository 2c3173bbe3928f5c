/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of rows, for strategies by passes: which rows of each shard are candidates and
 * labeled, what candidates cost, and the border rows of a shard, with their values.
 *
 * Passes work on blocks of 8192 rows, numbered over all shards. A block is visited by the shard
 * that has its first row; rows of a shard before the first block that begins in it are its border
 * rows, which the shards before it need. A shard that begins at a multiple of 8192 has none.
 *
 * What a shard puts in, every part up to a multiple of 8 bytes:
 *
 *     rows_header
 *     candidates   a bit a row, the lowest of a byte first
 *     labeled      a bit a row, where a row of the shard is labeled
 *     costs        double [candidates], where the budget is not of items
 *     languages    where the strategy reads them (job_languages.c)
 *     told         of a hybrid: what its summary says of columns (job_columns.c)
 *     columns      of each that the strategy reads: its form, and of border rows the values:
 *                  [border, dims], or their offsets [border + 1] from 0 and [tokens, dims]; of
 *                  embeddings by which max_similarity compares the picks of all shards, also those
 *                  of all candidates */
#include "alcore/sys/dtype.h"
#include "base/rng.h"
#include "extra/job/job_passes.h"

/* The first bytes of an entry. */
typedef struct rows_header {
    int64_t candidates, labeled; /* how many rows are */
    int64_t border;              /* how many rows have values here: the first ones */
    uint64_t others;             /* hash of the columns of the labeled pool and the target */
    int32_t column_count;        /* a shard without candidates may have fewer than others */
    int32_t has_costs;
    int32_t on_device; /* 1: kernels run on a GPU, where passes are others than on the CPU */
    int32_t any;       /* 1: a row may be selected, also where nan=exclude leaves it out */
} rows_header;

static bool reads_languages(const alcore_job *job) {
    return alcore__strategy_def_of(alcore__job_strategy(job))->reads_languages;
}

/* Whether the budget is in another unit than items, each of which costs 1. */
static int32_t has_costs(const alcore_job *job) {
    return job->request->budgets.unit != ALCORE_UNIT_ITEMS;
}

/* ---- put ---- */

/* Appends a bit for each row, *count of which are set. */
static alcore_status put_bits(alcore_ctx *ctx, const uint8_t *mask, int64_t rows, int64_t *count,
                              alcore__buffer *out) {
    *count = 0;
    for (int64_t first = 0; first < rows; first += 8) {
        char bits = 0;
        for (int64_t i = 0; i < 8 && first + i < rows; i++) {
            if (mask && !mask[first + i]) continue;
            bits = (char)(bits | 1 << i);
            ++*count;
        }
        ALCORE__TRY(alcore__buffer_append(ctx, out, &bits, 1));
    }
    return alcore__job_pad(ctx, out);
}

/* *out: a hash of all columns of the labeled pool and of the target, which are to be the same in
 * every shard. */
static alcore_status hash_others(const alcore__run_input *input, uint64_t *out) {
    const alcore__dataset *const datasets[] = {&input->labeled, &input->target};
    uint64_t hashes[2 * (1 + ALCORE__DATASET_COLUMNS)];
    size_t count = 0;
    for (size_t d = 0; d < 2; d++) {
        hashes[count++] = (uint64_t)datasets[d]->rows;
        for (int32_t c = 0; c < datasets[d]->column_count; c++)
            ALCORE__TRY(
                alcore__column_fingerprint_whole(datasets[d]->columns[c].column, &hashes[count++]));
    }
    *out = alcore__hash64((const char *)hashes, count * sizeof *hashes);
    return ALCORE_OK;
}

static alcore_status put_columns(const alcore_job *job, const alcore__dataset *dataset,
                                 const rows_header *header, alcore__buffer *out) {
    alcore_ctx *ctx = job->object.ctx;
    const int64_t border = header->border;
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    for (int32_t c = 0; c < header->column_count && status == ALCORE_OK; c++) {
        const alcore__column *column = dataset->columns[c].column;
        const alcore__column_form form = alcore__column_form_of(column);
        status = alcore__buffer_append(ctx, out, &form, sizeof form);
        if (status == ALCORE_OK)
            status = alcore__job_put_values(ctx, column, border, &scratch, out);
        if (status == ALCORE_OK && alcore__job_compares(job, &form))
            status = alcore__job_put_compared(ctx, dataset, column, border, &scratch, out);
    }
    alcore__scratch_clear(ctx, &scratch);
    return status;
}

alcore_status alcore__job_put_rows(alcore_job *job, alcore__job_entry *entry,
                                   alcore__buffer *items) {
    alcore_ctx *ctx = job->object.ctx;
    ALCORE__TRY(alcore__job_hold(job));
    const alcore__run_input *input = alcore__held_answer_input(job->passes->held);
    const alcore__dataset *dataset = &input->candidates;
    rows_header header = {.border =
                              alcore__job_block_border(entry->first, entry->end) - entry->first,
                          .column_count = dataset->column_count,
                          .has_costs = has_costs(job),
                          .on_device = input->engine.kernels->upload != NULL,
                          .any = job->passes->any};
    ALCORE__TRY(hash_others(input, &header.others));
    ALCORE__TRY(alcore__buffer_append(ctx, items, &header, sizeof header));
    ALCORE__TRY(put_bits(ctx, dataset->mask, dataset->rows, &header.candidates, items));
    if (input->labeled_rows)
        ALCORE__TRY(put_bits(ctx, input->labeled_rows, dataset->rows, &header.labeled, items));
    for (int64_t row = 0; input->costs && row < dataset->rows; row++)
        if (!dataset->mask || dataset->mask[row])
            ALCORE__TRY(
                alcore__buffer_append(ctx, items, &input->costs[row], sizeof *input->costs));
    if (reads_languages(job)) ALCORE__TRY(alcore__job_put_languages(job, input, items));
    /* Where no row takes part a model computed none, so that nothing tells the form of a column. */
    if (header.candidates + header.labeled == 0) header.column_count = 0;
    if (alcore__job_tells_columns(job) && header.column_count > 0)
        ALCORE__TRY(alcore__job_put_columns(job, items));
    ALCORE__TRY(put_columns(job, dataset, &header, items));
    memcpy(items->data, &header, sizeof header);
    entry->count = (int64_t)items->length;
    return ALCORE_OK;
}

/* ---- take ---- */

/* What the taking of all entries fills. */
typedef struct taking {
    alcore_job *job;
    alcore__job_passes *passes;
    alcore__column_form forms[ALCORE__DATASET_COLUMNS]; /* [column_count] of all shards */
    alcore__column_piece
        *pieces[ALCORE__DATASET_COLUMNS]; /* [2 shards + 1] of which piece_count, ascending */
    int64_t piece_count[ALCORE__DATASET_COLUMNS];
    int32_t column_count;
    bool complete;     /* a shard with candidates was taken, which has all columns */
    uint32_t own;      /* bit c: the job's own shard has column c */
    rows_header first; /* of the first entry */
    int64_t labeled;   /* labeled rows so far */
    bool any;          /* a row of a shard may be selected */
} taking;

/* Border rows that this shard needs become a piece. */
static alcore_status take_values(taking *self, int32_t column, const alcore__job_entry *entry,
                                 int64_t border, alcore__byte_cursor *cursor, bool *whole) {
    alcore_job *job = self->job;
    const alcore__column_form *form = &self->forms[column];
    const bool of_block =
        entry->first >= job->entry.end &&
        entry->first < alcore__job_block_border(job->entry.end, job->rows) &&
        alcore__job_first_block(job->entry.first) < alcore__job_first_block(job->entry.end);
    const bool wanted =
        border > 0 &&
        (of_block || (alcore__job_compares(job, form) && !alcore__job_is_own(job, entry)));
    alcore__column_piece *piece = &self->pieces[column][self->piece_count[column]];
    const alcore__job_entry of = {.first = entry->first, .end = entry->first + border};
    const alcore_status status =
        alcore__job_take_values(job->object.ctx, form, &of, wanted, cursor, whole, piece);
    self->piece_count[column] += piece->values != NULL;
    return status;
}

/* Vectors of the candidates behind the border rows become a piece. */
static alcore_status take_compared(taking *self, int32_t column, const alcore__job_entry *entry,
                                   int64_t border, alcore__byte_cursor *cursor, bool *whole) {
    alcore__column_piece *piece = &self->pieces[column][self->piece_count[column]];
    ALCORE__TRY(alcore__job_take_compared(self->job, &self->forms[column], entry, border, cursor,
                                          whole, piece));
    self->piece_count[column] += piece->values != NULL;
    return ALCORE_OK;
}

/* *out: the column of a form among those of all shards, where a new one is added, with room for its
 * pieces, unless a shard has shown all of them: then it is column_count. */
static alcore_status place_form(taking *self, const alcore__column_form *form, int64_t entries,
                                int32_t *out) {
    int32_t c = 0;
    while (c < self->column_count && strcmp(self->forms[c].name, form->name) != 0) c++;
    *out = c;
    if (c < self->column_count || self->complete || c == ALCORE__DATASET_COLUMNS) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->job->object.ctx, 2 * (size_t)entries + 1,
                                  sizeof *self->pieces[c], &self->pieces[c]));
    self->forms[c] = *form;
    self->column_count++;
    return ALCORE_OK;
}

static alcore_status take_columns(taking *self, const alcore__job_entry *entry,
                                  const rows_header *header, int64_t entries,
                                  alcore__byte_cursor *cursor, bool *whole) {
    uint32_t seen = 0; /* bit c: the shard has column c */
    *whole = header->column_count >= 0;
    for (int32_t i = 0; i < header->column_count && *whole; i++) {
        alcore__column_form form;
        int32_t c;
        *whole = alcore__cursor_read(cursor, &form, sizeof form) && alcore__job_is_form(&form);
        if (!*whole) break;
        ALCORE__TRY(place_form(self, &form, entries, &c));
        if (c == self->column_count || memcmp(&form, &self->forms[c], sizeof form) != 0)
            return alcore__job_fail_form(entry, form.name);
        *whole = (seen >> c & 1) == 0;
        if (!*whole) break;
        seen |= 1U << c;
        ALCORE__TRY(take_values(self, c, entry, header->border, cursor, whole));
        if (*whole && alcore__job_compares(self->job, &form))
            ALCORE__TRY(take_compared(self, c, entry, header->border, cursor, whole));
    }
    if (alcore__job_is_own(self->job, entry)) self->own |= seen;
    if (header->candidates == 0) return ALCORE_OK;
    self->complete = true;
    *whole = *whole && header->column_count == self->column_count;
    return ALCORE_OK;
}

/* Takes what one shard has put in; *whole: false where it is damaged. */
static alcore_status take_entry(taking *self, const alcore__job_entry *entry, int64_t entries,
                                alcore__byte_cursor *cursor, bool *whole) {
    alcore__job_passes *passes = self->passes;
    rows_header header;
    const char *candidates, *labeled;
    *whole = alcore__cursor_read(cursor, &header, sizeof header);
    if (!*whole) return ALCORE_OK;
    if (self->first.column_count < 0) self->first = header;
    if (header.others != self->first.others)
        return alcore__fail(ALCORE_E_DATA,
                            "the columns of the labeled pool or of the target are not the same "
                            "for the rows %lld to %lld as for other shards",
                            (long long)entry->first, (long long)entry->end - 1);
    if (header.on_device != self->first.on_device)
        return alcore__fail(ALCORE_E_INVALID,
                            "the rows %lld to %lld are worked on by another engine than those of "
                            "other shards: all have to be on GPUs, or none",
                            (long long)entry->first, (long long)entry->end - 1);
    *whole = header.border == alcore__job_block_border(entry->first, entry->end) - entry->first &&
             header.has_costs == has_costs(self->job) && header.labeled >= 0 &&
             alcore__job_take_bits(self->job, entry, cursor, header.candidates, false, passes->mask,
                                   &candidates) &&
             (header.labeled == 0 || alcore__job_take_bits(self->job, entry, cursor, header.labeled,
                                                           true, passes->labeled_rows, &labeled)) &&
             (!header.has_costs || alcore__job_take_costs(self->job, entry, cursor, candidates));
    if (!*whole) return ALCORE_OK;
    self->labeled += header.labeled;
    self->any |= header.any != 0;
    passes->own.candidates += header.candidates;
    if (reads_languages(self->job))
        ALCORE__TRY(alcore__job_take_languages(self->job, entry, cursor, whole));
    if (!*whole) return ALCORE_OK;
    if (alcore__job_tells_columns(self->job) && header.column_count > 0)
        ALCORE__TRY(alcore__job_take_columns(self->job, cursor, whole));
    if (!*whole) return ALCORE_OK;
    ALCORE__TRY(take_columns(self, entry, &header, entries, cursor, whole));
    *whole = *whole && cursor->left == 0;
    return ALCORE_OK;
}

static alcore_status take_entries(taking *self, const alcore__job_message *message) {
    const char *place = message->entries, *items;
    for (int64_t i = 0; i < message->entry_count; i++) {
        alcore__job_entry entry;
        bool whole;
        place = alcore__job_entry_next(message, place, &entry, &items);
        alcore__byte_cursor cursor = {.next = items, .left = (size_t)entry.count};
        ALCORE__TRY(take_entry(self, &entry, message->entry_count, &cursor, &whole));
        if (!whole)
            return alcore__fail(ALCORE_E_CORRUPT,
                                "the message of a job does not tell of the rows %lld to %lld",
                                (long long)entry.first, (long long)entry.end - 1);
        ALCORE__TRY(alcore__tick(self->job->object.ctx, "rows", i, message->entry_count));
    }
    return ALCORE_OK;
}

/* Puts the shard's own rows among the pieces, which ascend. */
static void add_own(taking *self, int32_t column, const alcore__column *own) {
    const alcore__job_entry *entry = &self->job->entry;
    alcore__column_piece *pieces = self->pieces[column];
    int64_t place = 0;
    while (place < self->piece_count[column] && pieces[place].first < entry->first) place++;
    memmove(pieces + place + 1, pieces + place,
            (size_t)(self->piece_count[column]++ - place) * sizeof *pieces);
    pieces[place] = (alcore__column_piece){.first = entry->first, .end = entry->end, .column = own};
}

/* The columns of the run: those of the shard's own rows, and the pieces of others. */
static alcore_status join_columns(taking *self, alcore__dataset *dataset) {
    alcore_job *job = self->job;
    const alcore__dataset *own = &alcore__held_answer_input(self->passes->held)->candidates;
    for (int32_t c = 0; c < self->column_count; c++) {
        const alcore__column *column =
            self->own >> c & 1 ? alcore__dataset_find(own, self->forms[c].name) : NULL;
        const alcore__column_form form = column ? alcore__column_form_of(column) : self->forms[c];
        if (memcmp(&form, &self->forms[c], sizeof form) != 0)
            return alcore__job_fail_form(&job->entry, self->forms[c].name);
        if (column && job->entry.end > job->entry.first) add_own(self, c, column);
        ALCORE__TRY(alcore__column_join(job->object.ctx, &self->forms[c], job->rows,
                                        self->pieces[c], self->piece_count[c],
                                        &self->passes->columns[c]));
        self->pieces[c] = NULL;
        alcore__job_mark_made(&self->passes->told, self->passes->columns[c]);
        ALCORE__TRY(
            alcore__dataset_add(dataset, self->passes->columns[c]->name, self->passes->columns[c]));
    }
    return ALCORE_OK;
}

/* Fills the input of the run from the arrays that were taken. */
static alcore_status make_input(taking *self) {
    alcore__job_passes *passes = self->passes;
    passes->input = *alcore__held_answer_input(passes->held);
    passes->input.candidates = (alcore__dataset){.rows = self->job->rows, .mask = passes->mask};
    passes->input.place = (alcore__place){0}; /* rows are numbered over all shards */
    passes->input.own = passes->own;
    passes->input.labeled_rows = self->labeled > 0 ? passes->labeled_rows : NULL;
    passes->input.costs = passes->costs;
    if (passes->own.only) alcore__job_use_own(self->job);
    /* Without such a row nothing is looked at, as on one machine. */
    passes->input.nan_exclude &= self->any;
    passes->input.fill.explain = alcore__job_is_hybrid(self->job); /* reasons of sentences */
    /* Of several budgets that are spent one by one, the picks of each have the scores of the first
     * run, the largest. */
    passes->input.runs_once = true;
    passes->input.only_picks =
        passes->own.only || (passes->input.fill.further_count == 0 && !passes->input.fill.explain);
    if (reads_languages(self->job))
        ALCORE__TRY(alcore__job_languages_input(self->job, &passes->input));
    return join_columns(self, &passes->input.candidates);
}

alcore_status alcore__job_take_rows(alcore_job *job, const alcore__job_message *message) {
    alcore_ctx *ctx = job->object.ctx;
    const size_t rows = (size_t)job->rows;
    ALCORE__TRY(alcore__job_hold(job));
    alcore__job_passes *passes = job->passes;
    taking self = {.job = job, .passes = passes, .first = {.column_count = -1}};
    alcore__job_passes_clear_rows(ctx, passes); /* of a call that failed */
    alcore__job_columns_clear(ctx, &passes->told);
    alcore_status status = alcore__job_choose_own(job);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, rows, 1, &passes->mask);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, rows, 1, &passes->labeled_rows);
    if (status == ALCORE_OK && has_costs(job))
        status = alcore__new_array(ctx, rows, sizeof *passes->costs, &passes->costs);
    if (status == ALCORE_OK) status = take_entries(&self, message);
    if (status == ALCORE_OK) status = make_input(&self);
    for (int32_t c = 0; c < ALCORE__DATASET_COLUMNS; c++)
        alcore__column_pieces_free(ctx, self.pieces[c], self.piece_count[c]);
    if (status != ALCORE_OK) alcore__job_passes_clear_rows(ctx, passes);
    return status;
}
