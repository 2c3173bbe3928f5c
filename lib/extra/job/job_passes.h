/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of a job over all shards (strategy/passes/shard_passes.h): what it has taken of the
 * rows of all (job_rows.c), and the run, which exchanges the partials of its passes (job_passes.c).
 *
 * A pass changes what is kept with blocks, so that one which failed cannot be made again: then the
 * job has failed, and a new one takes the messages of the exchanges that are over. */
#ifndef ALCORE__JOB_PASSES_H
#define ALCORE__JOB_PASSES_H

#include "base/byte_cursor.h"
#include "extra/job/job_internal.h"
#include "pool/column_joined.h"
#include "pool/tag_union.h"
#include "strategy/budget/skip_rounds.h"
#include "strategy/passes/shard_passes.h"

/* The languages of the rows of all shards, where the strategy reads them (job_languages.c). */
typedef struct alcore__job_languages {
    alcore__tag_union tags; /* in byte order at the end */
    int32_t *of;            /* [job->rows] numbers of tags, owned */
    int64_t *like;          /* [like_count] rows of another selection, owned */
    int64_t like_count;
    size_t like_capacity;
    int64_t entries; /* that were taken */
    bool has_like;   /* the requests name such rows */
} alcore__job_languages;

/* The columns of the candidates of all shards that a hybrid tells of (job_columns.c); origins and
 * warnings are owned. */
typedef struct alcore__job_columns {
    int32_t count;
    alcore__input_column columns[ALCORE__DATASET_COLUMNS]; /* [count] used */
    bool differs[ALCORE__DATASET_COLUMNS];                 /* the shards have it from elsewhere */
} alcore__job_columns;

struct alcore__job_passes {
    alcore__held_answer *held; /* what the shard itself reads; NULL: not made yet */
    bool any;                  /* a row of the shard may be selected, with a NaN or without */
    /* Of all shards; NULL before the exchange of rows is over: */
    uint8_t *labeled_rows; /* [job->rows] 1: a labeled row */
    /* With own.only, where the strategy ranks its own rows, the next two have entries of the rows
     * of the shard's blocks alone, and the pages of others are never written. */
    uint8_t *mask; /* [job->rows] 1: a candidate */
    double *costs; /* [job->rows] of candidates; NULL: each costs 1 */
    alcore__own_rows own;
    alcore__job_languages languages;
    alcore__job_columns told;
    alcore__column *columns[ALCORE__DATASET_COLUMNS]; /* with the rows of the shard's blocks */
    alcore__run_input input;
    alcore__run *run;
    alcore__shard *shard;
    int32_t budgets_left;       /* further ones, each of which needs a run of its own */
    bool spends_each;           /* with own.only: there are such ones; nominees are of one budget */
    alcore__outcome sentences;  /* of a hybrid: what all runs so far have bought; owned */
    bool ended;                 /* the first run */
    bool nominated;             /* with own.only: the run has ended, and nominees are exchanged */
    alcore__nominees nominees;  /* of the shard; entries NULL: none, or picks were bought of all */
    alcore__skip_rounds rounds; /* with own.only, fill=skip and costs */
    bool bought;
    bool failed; /* in a pass */
};

/* Makes job->passes and what the shard itself reads, unless that was done. */
alcore_status alcore__job_hold(alcore_job *job);
/* ---- runs (job_runs.c) ---- */

/* Frees the run and what it reads of all shards. */
void alcore__job_passes_clear_rows(alcore_ctx *ctx, alcore__job_passes *passes);
/* Begins the run over all rows, whose input was filled. */
alcore_status alcore__job_begin_run(alcore_job *job);
/* Begins that of the next budget, after one whose outcome has no purchase of it. */
alcore_status alcore__job_begin_next(alcore_job *job);

/* ---- blocks ---- */

/* The first block that begins at or behind a row, by its number: the shard with rows first .. end -
 * 1 visits the blocks from that of first up to that of end. */
static inline int64_t alcore__job_first_block(int64_t row) {
    return (row + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
}

/* The first row at or behind `row` with which a block begins, among `rows` rows. */
static inline int64_t alcore__job_block_border(int64_t row, int64_t rows) {
    const int64_t border = alcore__job_first_block(row) * ALCORE_BLOCK_ROWS;
    return border < rows ? border : rows;
}

/* ---- own rows (job_own_rows.c) ---- */

/* Whether the arrays of all rows have an entry of a row. */
static inline bool alcore__job_keeps(const alcore_job *job, int64_t row) {
    const alcore__own_rows *own = &job->passes->own;
    return !own->only || (row >= own->first && row < own->end);
}
/* Decides which rows these arrays are made for, before they are. */
alcore_status alcore__job_choose_own(alcore_job *job);
/* Ends the input of a run over own rows: where all of them are candidates, as is common, they need
 * no mask and no list, and it nominates by the policy overshoot. */
void alcore__job_use_own(alcore_job *job);

/* *bits: a bit for each of the rows of an entry, `count` of which are set; mask [job->rows] gets
 * those of the kept rows, or of all. */
bool alcore__job_take_bits(const alcore_job *job, const alcore__job_entry *entry,
                           alcore__byte_cursor *cursor, int64_t count, bool all, uint8_t *mask,
                           const char **bits);
/* Takes what the candidates of an entry cost. */
bool alcore__job_take_costs(const alcore_job *job, const alcore__job_entry *entry,
                            alcore__byte_cursor *cursor, const char *candidates);

/* ---- values of columns (job_values.c) ---- */

/* Whether the form is one that a column can have. */
bool alcore__job_is_form(const alcore__column_form *form);
/* ALCORE_E_SHAPE for a column of one shard that is another than that of the shards before. */
alcore_status alcore__job_fail_form(const alcore__job_entry *entry, const char *name);
/* Appends the values of the first rows of a column. */
alcore_status alcore__job_put_values(alcore_ctx *ctx, const alcore__column *column,
                                     int64_t row_count, alcore__scratch *scratch,
                                     alcore__buffer *out);
/* Takes those of the rows of an entry: *out, a piece, where they are wanted and there are any,
 * whose memory is owned after a failure too; *whole: false where they are damaged. */
alcore_status alcore__job_take_values(alcore_ctx *ctx, const alcore__column_form *form,
                                      const alcore__job_entry *entry, bool wanted,
                                      alcore__byte_cursor *cursor, bool *whole,
                                      alcore__column_piece *out);

/* ---- columns by which phrases are measured (job_measures.c) ---- */

/* Those of all shards: of each column one piece a shard. */
enum { ALCORE__JOB_MEASURES = 4 };
typedef struct alcore__job_measures {
    alcore__column_form forms[ALCORE__JOB_MEASURES];    /* [count] */
    alcore__column_piece *pieces[ALCORE__JOB_MEASURES]; /* [piece_count], owned */
    int64_t piece_count;
    int32_t count;
    bool seen; /* a shard with rows was taken */
} alcore__job_measures;
/* Whether the request buys phrases that are measured by columns of their texts. */
bool alcore__job_has_measures(const alcore_job *job);
/* Appends those that were given with the rows of the shard, whose pool is locked. */
alcore_status alcore__job_put_measures(const alcore_job *job, alcore__buffer *out);
/* Takes those of an entry, one of `entries`; *whole: false where it is damaged. */
alcore_status alcore__job_take_measures(alcore_ctx *ctx, const alcore__job_entry *entry,
                                        int64_t entries, alcore__byte_cursor *cursor, bool *whole,
                                        alcore__job_measures *measures);
/* Gives the columns to the pool of all texts. */
alcore_status alcore__job_give_measures(alcore_pool *pool, alcore__job_measures *measures);
void alcore__job_measures_clear(alcore_ctx *ctx, alcore__job_measures *measures);

/* ---- parts of the exchange of rows ---- */

/* Appends zeros up to a multiple of 8 bytes. */
static inline alcore_status alcore__job_pad(alcore_ctx *ctx, alcore__buffer *out) {
    static const char zeros[8];
    return alcore__buffer_append(ctx, out, zeros, alcore__cursor_padded(out->length) - out->length);
}
/* Appends the languages of the shard and its rows of another selection. */
alcore_status alcore__job_put_languages(const alcore_job *job, const alcore__run_input *input,
                                        alcore__buffer *out);
/* Takes what one shard has put in; *whole: false where it is damaged. */
alcore_status alcore__job_take_languages(const alcore_job *job, const alcore__job_entry *entry,
                                         alcore__byte_cursor *cursor, bool *whole);
/* Fills in the languages of the input, once all entries were taken. */
alcore_status alcore__job_languages_input(const alcore_job *job, alcore__run_input *input);
void alcore__job_languages_clear(alcore_ctx *ctx, alcore__job_languages *languages);

/* ---- what is told of columns (job_columns.c) ---- */

/* Whether shards put that in. */
static inline bool alcore__job_tells_columns(const alcore_job *job) {
    return alcore__job_is_hybrid(job) && !job->refreshes;
}
alcore_status alcore__job_put_columns(const alcore_job *job, alcore__buffer *out);
/* Takes what one shard has put in; *whole: false where it is damaged. */
alcore_status alcore__job_take_columns(alcore_job *job, alcore__byte_cursor *cursor, bool *whole);
/* Makes the column of all shards one of a model where that of a shard is, as reasons and the
 * summary have other words for given scores. */
void alcore__job_mark_made(const alcore__job_columns *all, alcore__column *column);
void alcore__job_columns_clear(alcore_ctx *ctx, alcore__job_columns *all);
/* *out: those of all shards, and those that were read of the labeled pool and the target, which
 * every shard has. It borrows from the job. */
alcore_status alcore__job_resolution(alcore_job *job, alcore__resolution *out);

/* ---- embeddings of all candidates (job_compared.c) ---- */

/* Whether the values of a column of this form are exchanged of all candidates. */
bool alcore__job_compares(const alcore_job *job, const alcore__column_form *form);
/* Whether an entry is that of the job's own shard. */
static inline bool alcore__job_is_own(const alcore_job *job, const alcore__job_entry *entry) {
    return entry->first == job->entry.first && entry->end == job->entry.end;
}
/* Appends the vectors of the candidates behind the border rows. */
alcore_status alcore__job_put_compared(alcore_ctx *ctx, const alcore__dataset *dataset,
                                       const alcore__column *column, int64_t border,
                                       alcore__scratch *scratch, alcore__buffer *out);
/* Takes what one shard has put in: *out, a piece, unless it is the job's own, or has no such row;
 * *whole: false where it is damaged. The masks of all shards were taken. */
alcore_status alcore__job_take_compared(const alcore_job *job, const alcore__column_form *form,
                                        const alcore__job_entry *entry, int64_t border,
                                        alcore__byte_cursor *cursor, bool *whole,
                                        alcore__column_piece *out);
/* The column of all candidates' embeddings, once it was taken; NULL: the option is off. */
const alcore__column *alcore__job_compared_column(const alcore_job *job);

/* ---- rounds of nominees (job_rounds.c), where alcore__spends_in_rounds() ---- */

/* Once the passes of a run are over: what the shard nominates first, or the end. */
alcore_status alcore__job_begin_rounds(alcore_job *job);
/* Takes the nominees of all, and nominates for the next round, or ends. */
alcore_status alcore__job_take_round(alcore_job *job, const alcore__job_message *message);

/* ---- exchanges ---- */

/* Collects the nominees of all shards behind those that passes have offered before; message NULL:
 * there are no others. ends [entries of the message]: how many there are up to each shard; NULL:
 * not wanted. *out is owned by the caller, after a failure too. */
alcore_status alcore__job_collect(const alcore_job *job, const alcore__job_message *message,
                                  alcore__nominees *out, int64_t *ends);
/* Keeps what is bought of nominees, under a budget. */
alcore_status alcore__job_spend(alcore_job *job, const alcore__fill *fill,
                                alcore__nominees *nominees);
alcore_status alcore__job_put_rows(alcore_job *job, alcore__job_entry *entry,
                                   alcore__buffer *items);
alcore_status alcore__job_take_rows(alcore_job *job, const alcore__job_message *message);
/* *done: the passes are over, the job has its picks, and there is no message. */
alcore_status alcore__job_put_pass(alcore_job *job, alcore__job_entry *entry, alcore__buffer *items,
                                   bool *done);
alcore_status alcore__job_take_pass(alcore_job *job, const alcore__job_message *message);

#endif
