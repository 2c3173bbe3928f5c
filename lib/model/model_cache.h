/* SPDX-License-Identifier: Apache-2.0 */
/* Computing a column with a cache: which of its rows a file has, and keeping what is computed
 * (model_cache.c). For the files of this folder only. */
#ifndef ALCORE__MODEL_CACHE_H
#define ALCORE__MODEL_CACHE_H

#include "model/model_internal.h"

/* A column that is being computed, and its file. */
struct alcore__cached_run {
    alcore_ctx *ctx;
    alcore_model *model;
    alcore_pool *pool;
    const char *column;           /* its name */
    const alcore__wanted *wanted; /* rows that are asked for; NULL: all */
    const alcore__cache *cache;
    double oldest;                /* time of the oldest row that was read; NaN: none was */
    int32_t shape;                /* ALCORE_COLUMN_* of the column */
    alcore__buffer path;          /* of the file, owned */
    alcore_column_writer *writer; /* collects the rows of the file and those computed; owned */
    uint8_t *missing;             /* [rows] 1: wanted, and not in the writer; owned */
    alcore__wanted missing_rows;  /* the same as models take it */
    int64_t rows;                 /* of the pool */
    int64_t missing_count;        /* rows with missing 1 */
    int64_t read_count;           /* rows that the file had and that were wanted */
    bool taken;                   /* the model puts its values into the writer itself */
    double saved, writing;        /* seconds: when the file was last written, or the computing
                                     began, and how long that took */
    bool failed;                  /* the file could not be written: the user was told */
    alcore__file_state state;     /* of the file when this run last read or wrote it */
};

/* Fills *run for a column of that origin: the writer has the rows of the file then, and `missing`
 * names the others. wanted, cache and the column's name must live as long. The caller clears it,
 * also after a failure. */
alcore_status alcore__cached_run_init(alcore_model *model, alcore_pool *pool, const char *column,
                                      const alcore__wanted *wanted, const char *origin,
                                      const alcore__cache *cache, alcore__cached_run *run);
void alcore__cached_run_clear(alcore__cached_run *run);
/* Begins computing the missing rows: the folder must be one that can be written. */
alcore_status alcore__cached_run_begin(alcore__cached_run *run);
/* Whether values of the file are among those of the writer: these may be of another shape than what
 * the model computes now. */
bool alcore__cached_run_has_file(const alcore__cached_run *run);
/* Leaves the file out, with a warning for the reason that the thread's error text gives: every
 * wanted row is missing then. */
alcore_status alcore__cached_run_leave_out(alcore__cached_run *run);
/* Whether it is time to write the file again, which has taken `writing` seconds before, together
 * with those of other columns that are computed in the same pass. */
bool alcore__cached_run_is_due(const alcore__cached_run *run, double writing);
/* Writes the file, with the time of its oldest row. Where it could not be written the file before
 * it gets its own time again, and this run does not try once more. */
alcore_status alcore__cached_run_write(alcore__cached_run *run);
/* The same after a run that failed by `status`, where that lost nothing: whatever comes of it, the
 * run has failed. */
void alcore__cached_run_rescue(alcore__cached_run *run, alcore_status status);
/* Logs how many rows were there and how many were computed. */
void alcore__cached_run_log(const alcore__cached_run *run);
/* Adds the rows that were computed, and the seconds that the model took for them, to the use of the
 * cache (alcore__cache_use). */
void alcore__cached_run_count(const alcore__cached_run *run, double seconds);
/* Seconds of a clock that is never set. */
double alcore__cache_seconds(void);

#endif
