/* SPDX-License-Identifier: Apache-2.0 */
/* A selection: the picks of one budget and all that is told about them. */
#ifndef ALCORE__SELECTION_INTERNAL_H
#define ALCORE__SELECTION_INTERNAL_H

#include "alcore/remedy.h"
#include "alcore/selection.h"
#include "request/json_text.h"
#include "request/request_internal.h"

/* Where a column came from. */
typedef struct alcore__source {
    int32_t role; /* ALCORE_ROLE_* */
    bool built_in;
    char name[32];
    char *origin;
    int64_t rows, dims;
    int32_t dtype;
    bool ragged;
    const char *engine;   /* that ran the model; NULL: not made by one */
    uint64_t fingerprint; /* without an engine */
} alcore__source;

/* The rows of one role. */
typedef struct alcore__input {
    int32_t role; /* ALCORE_ROLE_*; 0: there is none */
    int64_t rows, used;
    uint64_t fingerprint;
} alcore__input;

/* What the selections of one request share: everything that does not depend on the budget. Made
 * once, then only read. */
typedef struct alcore__ranking {
    alcore__object object;
    alcore_pool *pool;
    alcore__outcome outcome; /* candidates, scores and record; its picks have been moved out */

    char *strategy;
    const char *reason, *measure; /* of the strategy, valid for ever; reason may be NULL */
    bool scored;                  /* the strategy made scores of columns */
    char *parameters;             /* JSON object of every effective parameter */
    char *command;                /* JSON array or NULL */
    char *options;                /* JSON object of the request's options */
    uint64_t seed;
    int64_t round;
    int32_t unit; /* ALCORE__UNIT_* of the budgets */
    alcore__price price;
    int32_t fill_policy;
    const char *engine; /* static */
    char *device;

    alcore__input inputs[3];
    int32_t source_count;
    alcore__source sources[ALCORE__RESOLVED_MAX];
    int64_t by_cause[ALCORE__CAUSES];
    int64_t pool_rows;
    double unspaced_share;
} alcore__ranking;

enum { ALCORE__REMEDIES = 4 };

struct alcore_selection {
    alcore__object object;
    alcore__ranking *ranking;
    alcore__purchase bought;
    int64_t count;
    int64_t *rows;          /* [count] of the pool, in rank order */
    double *scores, *costs; /* [count] in rank order; costs in the unit of the budget */
    char **reasons;         /* [count] in texts */
    alcore__arena texts;
    int64_t *ranks;                             /* [candidates] -1: not picked */
    void *pick_columns[ALCORE__RECORD_COLUMNS]; /* [count] each, in rank order */
    char *provenance, *summary;
    int64_t shapes[2]; /* picks, candidates: handed out in tensors */
    int64_t words, characters;
    double units; /* of the cost column; NaN: the rows have no cost */
    double money; /* what the picks cost by the request's price; NaN: there is none */
    int32_t remedy_count;
    alcore_remedy remedies[ALCORE__REMEDIES];
    /* The selections of the request's other budgets, owned by that of the first. */
    alcore_selection **siblings; /* [sibling_count] */
    int32_t sibling_count;
};

/* Makes the selections of an outcome, which it takes over on success: *out is that of the first
 * budget and owns the others. The caller holds the pools for reading. */
alcore_status alcore__selection_new(const alcore_request *request, const alcore_strategy *strategy,
                                    const alcore__run_input *input, const alcore__masks *masks,
                                    const alcore__resolution *resolution, alcore__outcome *outcome,
                                    alcore_selection **out);

/* Makes what the selections share; takes over the outcome on success. */
alcore_status alcore__ranking_new(const alcore_request *request, const alcore_strategy *strategy,
                                  const alcore__run_input *input, const alcore__masks *masks,
                                  const alcore__resolution *resolution, alcore__outcome *outcome,
                                  alcore__ranking **out);

/* The parts of building a selection, in this order. */
alcore_status alcore__selection_reasons(alcore_selection *selection);
void alcore__selection_find_remedies(alcore_selection *selection);
alcore_status alcore__selection_write_provenance(alcore_selection *selection);
alcore_status alcore__selection_write_summary(alcore_selection *selection);
/* The members of the provenance object, into an object that is open: for the JSON report. */
void alcore__selection_put_provenance(const alcore_selection *selection, alcore__json_out *json);
/* The term of the score whose values a record column holds; NULL: none. */
const alcore__term_part *alcore__selection_term_of(const alcore_selection *selection,
                                                   const char *column);
/* Whether a term's standard deviation in the score is more than five times that of another: it
 * then decides nearly alone. *wide and *narrow are set when it is. */
bool alcore__selection_lopsided(const alcore_selection *selection, const alcore__term_part **wide,
                                const alcore__term_part **narrow);

/* 1234567 as "1,234,567". */
const char *alcore__thousands(int64_t value, char out[32]);
/* An amount of a budget: integers with thousands, others in the fewest digits. */
const char *alcore__amount(double value, char out[40]);
/* An amount of money: two decimals and the currency, "1,773.00 EUR". */
const char *alcore__money(double value, const char *currency, char out[64]);

/* ---- drawings of the HTML report (report_chart.c) ---- */

/* Append self-contained SVG: the picks and a sample of the candidates by the first two terms of the
 * score, the budget, and the picks by language. Nothing is drawn for what the selection lacks. */
alcore_status alcore__chart_terms(const alcore_selection *selection, alcore__buffer *out);
alcore_status alcore__chart_budget(const alcore_selection *selection, alcore__buffer *out);
typedef struct alcore__share {
    const char *name;
    int64_t count;
} alcore__share;
alcore_status alcore__chart_shares(const alcore_selection *selection, const char *title,
                                   const alcore__share *shares, int64_t count, alcore__buffer *out);

#endif
