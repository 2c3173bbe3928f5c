/* SPDX-License-Identifier: Apache-2.0 */
/* A selection: the picks and all that is told about them. */
#ifndef ALCORE__SELECTION_INTERNAL_H
#define ALCORE__SELECTION_INTERNAL_H

#include "alcore/selection.h"
#include "request/json_text.h"
#include "request/request_internal.h"

/* What the terms of a hybrid (columns "u" and "d") decided. Arrays are over the picks, by rank, but
 * for those of bytes and sizes; NULL where the strategy has no such column. */
typedef struct alcore__terms {
    int64_t *u_at_least;       /* candidates whose u is as large or larger */
    int64_t *d_at_least;       /* the same for d, within the candidate's stratum */
    int64_t *score_at_least;   /* the same for the score */
    int64_t *stratum_sizes;    /* [strata] */
    int64_t strata;            /* 0: none */
    bool hybrid;               /* both terms have weight; what follows is set */
    double *u_share, *d_share; /* a term's part of H, minus its mean over the candidates */
    uint8_t *nnll_picks,
        *diversity_picks;      /* what each term alone would have picked under the same budget */
    double u_spread, d_spread; /* standard deviations of the weighted terms */
    int64_t by_u, by_d;        /* picks that each term decided */
    int64_t as_nnll, as_diversity; /* picks that each term alone would have made too */
} alcore__terms;

/* Where a column came from. */
typedef struct alcore__source {
    int32_t role;
    bool built_in;
    char name[32];
    char *origin;
    int64_t rows, dims;
    int32_t dtype;
    bool ragged;
    const char *engine;   /* that ran the model; NULL: not made by one */
    uint64_t fingerprint; /* without an engine */
} alcore__source;

/* One side of the inputs. */
typedef struct alcore__input {
    int32_t role; /* 0: there is none */
    int64_t rows, used;
    uint64_t fingerprint;
} alcore__input;

struct alcore_selection {
    alcore__object object;
    alcore_pool *pool;
    alcore__outcome outcome;
    int64_t count;
    int64_t *rows;
    double *scores, *costs;
    double spent;
    char **reasons; /* [count] in texts */
    alcore__arena texts;
    int64_t *ranks;                             /* [outcome.count] -1: not picked */
    void *pick_columns[ALCORE__RECORD_COLUMNS]; /* [count] each */
    char *provenance, *summary;

    /* What was asked, for the words. */
    char *strategy;
    const char *reason, *measure; /* of the strategy, valid for ever; reason may be NULL */
    bool scored;                  /* the strategy made scores of columns */
    char *parameters;             /* JSON object of every effective parameter */
    char *command;                /* JSON or NULL */
    char *options;                /* JSON object of the request's options */
    uint64_t seed;
    int64_t round;
    alcore__budget budget;
    int32_t fill_policy;
    const char *engine; /* static */
    char *device;
    int64_t shapes[2]; /* picks, candidates: handed out in tensors */

    alcore__input inputs[3];
    int32_t source_count;
    alcore__source sources[ALCORE__RESOLVED_MAX];
    int64_t by_cause[ALCORE__CAUSES];
    int64_t pool_rows;
    int64_t words, characters;
    double units; /* NaN: the rows have no cost */
    double unspaced_share;
    alcore__terms terms;
};

/* Values of a record column by name; NULL: none of that name and type. */
const double *alcore__outcome_doubles(const alcore__outcome *outcome, const char *name);
const int64_t *alcore__outcome_integers(const alcore__outcome *outcome, const char *name);

/* Makes a selection of an outcome, which it takes over on success. Holds the pools for reading, as
 * the parts below. */
alcore_status alcore__selection_new(const alcore_request *request, const alcore_strategy *strategy,
                                    const alcore__run_input *input, const alcore__masks *masks,
                                    const alcore__resolution *resolution, alcore__outcome *outcome,
                                    alcore_selection **out);

/* The parts of building a selection, in this order. */
alcore_status alcore__terms_new(alcore_ctx *ctx, const alcore_strategy *strategy,
                                const alcore__run_input *input, const alcore__outcome *outcome,
                                alcore__terms *out);
void alcore__terms_clear(alcore_ctx *ctx, alcore__terms *terms);
alcore_status alcore__selection_reasons(alcore_selection *selection);
alcore_status alcore__selection_write_provenance(alcore_selection *selection);
alcore_status alcore__selection_write_summary(alcore_selection *selection);
/* The members of the provenance object, into an object that is open: for the JSON report. */
void alcore__selection_put_provenance(const alcore_selection *selection, alcore__json_out *json);

/* 1234567 as "1,234,567". */
const char *alcore__thousands(int64_t value, char out[32]);
/* An amount of a budget: integers with thousands, others in the fewest digits. */
const char *alcore__amount(double value, char out[40]);

#endif
