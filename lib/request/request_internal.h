/* SPDX-License-Identifier: Apache-2.0 */
/* A request: what is asked for, before it is answered. */
#ifndef ALCORE__REQUEST_INTERNAL_H
#define ALCORE__REQUEST_INTERNAL_H

#include "alcore/request.h"
#include "model/model_internal.h"
#include "strategy/strategy_run.h"

/* Units of a budget. */
enum {
    ALCORE__UNIT_ITEMS = 0,
    ALCORE__UNIT_WORDS = 1,
    ALCORE__UNIT_CHARACTERS = 2,
    ALCORE__UNIT_COST = 3
};

typedef struct alcore__budget {
    double amount;
    int32_t unit; /* ALCORE__UNIT_* */
} alcore__budget;

/* Reads "1000", "1000w", "50000 words"; ALCORE_E_PARAM says what is allowed. */
alcore_status alcore__budget_parse(const char *text, alcore__budget *out);
/* "items", "words", "characters", "units". */
const char *alcore__unit_name(int32_t unit);

/* The candidates of one round, for strategies with sticky=1 (spec 3.7). */
typedef struct alcore__drawn {
    int64_t round; /* 0: none */
    int64_t rows;
    uint8_t *take; /* [rows] */
} alcore__drawn;

struct alcore_request {
    alcore__object object;
    alcore_pool *candidates, *labeled, *target;
    alcore_strategy *strategy; /* NULL: huds */
    alcore_model *model;       /* NULL: the built-in one */
    alcore__values values;
    alcore__budget budget; /* of values "budget"; meaningful when has_budget */
    bool has_budget;
    alcore__drawn last, before; /* candidates of the last round answered and of an earlier one */
};

/* The target where the strategy has a use for it; NULL: none. */
alcore_pool *alcore__request_target(const alcore_request *request, const alcore_strategy *strategy);

uint64_t alcore__request_seed(const alcore_request *request);

/* ---- masks (request_masks.c) ---- */

/* Why a row is not among the candidates; each row counts once, for the first cause that holds. */
enum {
    ALCORE__CAUSE_EMPTY,
    ALCORE__CAUSE_DUPLICATE,
    ALCORE__CAUSE_LABELED,
    ALCORE__CAUSE_KNOWN,
    ALCORE__CAUSE_EXCLUDED,
    ALCORE__CAUSE_FILTERED,
    ALCORE__CAUSE_INELIGIBLE,
    ALCORE__CAUSE_MISSING,
    ALCORE__CAUSE_NAN,
    ALCORE__CAUSES
};
/* A cause in one word: "empty", "duplicate", ... */
const char *alcore__cause_name(int32_t cause);

typedef struct alcore__masks {
    int64_t rows;
    uint8_t *take;         /* [rows] 1: may be selected */
    uint8_t *labeled_rows; /* [rows] 1: a labeled row of the pool; NULL: there is none */
    int64_t labeled_count;
    uint8_t *side_take; /* rows of the labeled side that take part; NULL without one */
    int64_t side_count;
    uint8_t *target_take;      /* rows of the target that take part; NULL without one */
    int32_t *target_languages; /* [rows of the target] */
    int64_t target_rows, target_count;
    int64_t by_cause[ALCORE__CAUSES];
    int64_t eligible; /* rows with take */
} alcore__masks;

/* For calls that hold the pools. labeled and target may be NULL. */
alcore_status alcore__masks_new(alcore_ctx *ctx, const alcore_pool *pool,
                                const alcore_pool *labeled, const alcore_pool *target,
                                alcore__masks *out);
void alcore__masks_clear(alcore_ctx *ctx, alcore__masks *masks);

/* ---- columns (request_columns.c) ---- */

enum { ALCORE__RESOLVED_MAX = 3 * ALCORE__DATASET_COLUMNS };

/* A column that was settled for a role. */
typedef struct alcore__resolved {
    int32_t role;
    char name[32];
    bool built_in; /* the n-gram model stepped in without being asked */
} alcore__resolved;

typedef struct alcore__resolution {
    int32_t count;
    alcore__resolved entries[ALCORE__RESOLVED_MAX];
} alcore__resolution;

/* Makes every column that the strategy needs present in its pool: given, from the model, or from
 * the built-in n-gram model. Holds nothing; the models change the pools. */
alcore_status alcore__resolve_columns(alcore_request *request, const alcore_strategy *strategy,
                                      bool with_spread, alcore__resolution *out);
/* Puts the settled columns of a role into a side. For calls that hold the pool. */
alcore_status alcore__resolution_fill(const alcore__resolution *resolution, int32_t role,
                                      const alcore_pool *pool, alcore__dataset *side);

#endif
