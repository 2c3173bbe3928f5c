/* SPDX-License-Identifier: Apache-2.0 */
/* A request: the pools, the strategy, the model and the options of a selection to be made.
 * lib/select answers it.
 *
 *   request_handle.c       the handle: pools, strategy, models, options
 *   request_amounts.c, request_budget.c   budgets and price, as numbers and as text
 *   request_rows.c         the rows that it names, from arrays and files of ids
 *   request_candidates.c   the rows that a strategy with candidates=N would look at
 *   request_control.c      its cancels and progress
 *   request_call.c         the begin and the end of its public calls, the locks of its pools
 *   request_masks.c, request_roles.c   for its answer: which rows take part, and whether its pools
 *                          go with the strategy
 *
 * A setter stores and checks what it is given alone; whether all of it goes together is checked
 * when the request is answered.
 *
 * Words of this room:
 *
 *   option      a value of the request by name (the table of request_handle.c), as text, and bound
 *               to a member of alcore__request_options unless it has a grammar of its own
 *   kind        of rows that a request names, ALCORE_ROWS_*; a list that was given may be empty
 *   cause       why a row is masked, ALCORE__CAUSE_*; the first that holds counts
 *   price       money for one unit; cost is what a row takes of the budget */
#ifndef ALCORE__REQUEST_INTERNAL_H
#define ALCORE__REQUEST_INTERNAL_H

#include "alcore/request.h"
#include "base/control.h"
#include "model/model_internal.h"
#include "phrase/phrase_pool.h"
#include "pool/column_names.h"
#include "strategy/strategy_def.h"
#include "text/kept_tokens.h"

enum { ALCORE__BUDGETS = 64, ALCORE__CURRENCY_BYTES = 16 };

/* The budgets of one request, in the order given. */
typedef struct alcore__budgets {
    int64_t count;                   /* 0: none was set; shape of the tensor that is handed out */
    int32_t unit;                    /* ALCORE_UNIT_* of all of them; 0 without one */
    double amounts[ALCORE__BUDGETS]; /* [count] used; no amount is there twice */
} alcore__budgets;

/* What labeling costs in money. */
typedef struct alcore__price {
    double amount;                         /* of money for one unit; NaN: there is no price */
    int32_t unit;                          /* ALCORE_UNIT_*; 0 without a price */
    char currency[ALCORE__CURRENCY_BYTES]; /* UTF-8; "": none was named */
} alcore__price;

/* Reads "1000", "1000w", "50000 words", "2500w,5000w" when the option is set; ALCORE_E_PARAM says
 * what is allowed, and *out has then no meaning. */
alcore_status alcore__budgets_parse(const char *text, alcore__budgets *out);
/* The largest amount, under which the strategy runs; 0 without budgets. */
double alcore__budgets_largest(const alcore__budgets *budgets);
/* Reads "0.1773/w", "0.12EUR/w"; "" is no price, and so is *out after a failure. */
alcore_status alcore__price_parse(const char *text, alcore__price *out);
/* Append budgets and a price as texts that the two above read back: "1000w,2500w", "0.12 EUR/w".
 * ALCORE_E_INVALID for a unit that is none; amounts are checked where the text is read. */
alcore_status alcore__budgets_print(alcore_ctx *ctx, const double *amounts, int64_t count,
                                    int32_t unit, alcore__buffer *out);
alcore_status alcore__price_print(alcore_ctx *ctx, const alcore_price *price, alcore__buffer *out);
/* Writes a price to the caller's struct; ALCORE_E_NOT_FOUND where there is none. */
alcore_status alcore__price_tell(const alcore__price *price, alcore_price *out);
/* The word for a unit in summaries and messages, static: of several and of one. */
const char *alcore__unit_name(int32_t unit);
const char *alcore__unit_singular(int32_t unit);

/* Rows that the request names, of one ALCORE_ROWS_* kind. */
typedef struct alcore__row_list {
    /* a list of this kind was set, perhaps an empty one; false: the kind says nothing */
    bool given;
    int64_t count;
    int64_t *rows; /* [count] rows of the candidates' pool in the order given, owned */
    size_t capacity;
} alcore__row_list;

/* The candidates of one round, for strategies with sticky=1 (docs/spec/huds.md). */
typedef struct alcore__drawn {
    int64_t round; /* from 1; 0: no round was answered */
    int64_t rows;  /* of the pool when it was answered */
    uint8_t *mask; /* [rows] 1: a candidate of that round */
} alcore__drawn;

/* The place of a list of rows, ALCORE_ROWS_*, in an array. */
#define ALCORE__LIST(name) (ALCORE_ROWS_##name - ALCORE_ROWS_ELIGIBLE)
enum { ALCORE__ROW_KINDS = ALCORE__LIST(LIKE) + 1 };

static inline int32_t alcore__list_place(int32_t kind) {
    return kind - ALCORE_ROWS_ELIGIBLE;
}

/* The options of a request but those with a grammar of their own; texts are views until they are
 * set again. */
typedef struct alcore__request_options {
    int32_t fill, tie;     /* ALCORE__FILL_*, ALCORE__TIE_* */
    bool nan_exclude;      /* nan=exclude */
    int64_t seed;          /* 64 bits; alcore__request_seed() says what is used */
    int64_t round;         /* from 1 */
    double max_similarity; /* NaN: off */
    double fuzzy_match;    /* percent; NaN: off */
    const char *device;
    const char *cache;    /* a folder; "": none */
    double cache_max_age; /* in seconds; NaN: off */
    int64_t max_age;      /* in rounds */
    double refresh_factor;
    bool keep_phrases;
    const char *masks;   /* "auto", "all", "none" or names (text_masks.h) */
    const char *given;   /* names of inputs, with commas between */
    const char *command; /* a JSON array; "": not given */
} alcore__request_options;

/* The columns that a call has read (lib/select). */
typedef struct alcore__read_columns alcore__read_columns;

struct alcore_request {
    alcore__object object;
    /* Its cancels and its progress, owned: copies of a request that are made during a call have the
     * same ones. Another thread may cancel while a call runs. */
    alcore__control *control;
    alcore_pool *candidates, *labeled, *target; /* one reference each; NULL: not set */
    alcore_pool *excluded;         /* texts that are not selected, one reference; NULL: not set */
    alcore_pool *excluded_phrases; /* texts of the phrases whose ids were read into the list of
                                      excluded rows, owned; NULL: there are none */
    alcore_strategy *strategy;     /* NULL: the recommended one */
    alcore_model *model;           /* NULL: only the built-in n-gram model */
    /* By the index of alcore__column_name_input(): the model of that column, asked before `model`;
     * NULL: none of its own. */
    alcore_model *column_models[ALCORE__COLUMN_INPUTS];
    alcore__values values;                     /* of the options in request_handle.c */
    alcore__request_options options;           /* what they are at present */
    alcore__budgets budgets;                   /* of the option "budget" */
    alcore__price price;                       /* of the option "price" */
    alcore__row_list lists[ALCORE__ROW_KINDS]; /* by ALCORE__LIST() */
    alcore__row_list drawn_rows; /* what alcore_request_candidates() handed out last; `given` is not
                                    used */
    /* For sticky=1: the candidates of the last round that was answered, and of the round answered
     * before it, which is the one to start from when the last round is asked for again. */
    alcore__drawn last, previous;
    alcore__phrase_counter kept;     /* with keep_phrases=1, of the last count of phrases; owned */
    alcore__phrase_counter *counter; /* set during a call, see alcore__request_share_phrases() */
    alcore__read_columns *read;      /* set during a call: of all its parts; NULL: not noted */
    alcore_pool *all_texts; /* set during a call on a shard (lib/extra/job): the texts of all shards
                               that the n-gram model learns from; NULL: it was not asked for */
};

/* Whether the request has a model, for one column or for all. */
bool alcore__request_names_model(const alcore_request *request);
/* The seed of all random draws of the request: its option, or that of the context. */
uint64_t alcore__request_seed(const alcore_request *request);

/* ---- public calls (request_call.c) ---- */

/* Begins a public function that changes the request: enters its context and locks it for writing.
 * call: the function's name in messages. Where this fails there is nothing to end. */
alcore_status alcore__request_begin(alcore_request *request, const char *call);
/* The same of a long call that answers the request: cancels of the request end it, and its progress
 * function is called. */
alcore_status alcore__request_begin_long(alcore_request *request, const char *call);
/* Ends either: unlocks the request, leaves the context, and returns the status for the caller. */
alcore_status alcore__request_end(alcore_request *request, alcore_status status);
/* Fails, with a remedy, for a request without a pool of candidates. */
alcore_status alcore__fail_no_candidates(void);
/* Locks all pools of a request that has candidates for reading, or none of them after a failure:
 * ALCORE_E_BUSY where another call is changing one. A pool in two roles is locked twice. */
alcore_status alcore__request_read_pools(const alcore_request *request);
void alcore__request_leave_pools(const alcore_request *request); /* unlocks them */
/* The candidates of the round before the present one that sticky=1 starts from; its round is 0
 * where there is none. */
const alcore__drawn *alcore__drawn_before(const alcore_request *request);
/* Remembers the candidates of the present round, drawn [rows of the pool], which the request takes
 * over. */
void alcore__keep_drawn(alcore_request *request, int64_t rows, uint8_t *drawn);
/* Frees the lists of rows and what was drawn, and leaves them as those of a new request. */
void alcore__row_lists_clear(alcore_request *request);

/* ---- roles (request_roles.c) ---- */

/* Refuses a target that the strategy needs and lacks or does not read, and rows of another
 * selection that it does not take. */
alcore_status alcore__check_roles(const alcore_request *request, const alcore_strategy *strategy);
/* *is_from_target: whether the request has a strategy that picks from the target, and a target.
 * Then *out is a copy of the request, which borrows all that it has, with the target as its
 * candidates; else *out is not set. ALCORE_E_INVALID for rows that are named of other candidates.
 */
alcore_status alcore__request_from_target(const alcore_request *request, alcore_request *out,
                                          bool *is_from_target);

/* ---- masks (request_masks.c) ---- */

/* Why a row is not among the candidates; each row counts once, for the first cause that holds. */
enum {
    ALCORE__CAUSE_MALFORMED,
    ALCORE__CAUSE_EMPTY,
    ALCORE__CAUSE_DUPLICATE,
    ALCORE__CAUSE_LABELED,
    ALCORE__CAUSE_KNOWN,
    ALCORE__CAUSE_EXCLUDED,
    ALCORE__CAUSE_FILTERED,
    ALCORE__CAUSE_INELIGIBLE,
    ALCORE__CAUSE_MISSING,
    ALCORE__CAUSE_NAN,
    ALCORE__CAUSE_WORDLESS, /* by the option masks (text_masks.h), as all that follow */
    ALCORE__CAUSE_LANGUAGE,
    ALCORE__CAUSE_LENGTH,
    ALCORE__CAUSE_TEMPLATE,
    ALCORE__CAUSE_NEAR,
    ALCORE__CAUSES
};
/* A cause in one word: "empty", "duplicate", ... */
const char *alcore__cause_name(int32_t cause);

enum { ALCORE__RESOLVED_MAX = 3 * ALCORE__DATASET_COLUMNS };

/* What the values of a column are that a round took in part from earlier ones: candidates, each
 * counted once. */
typedef struct alcore__reuse_use {
    int64_t hits;         /* values of the present model that a cache had */
    int64_t misses;       /* computed now */
    int64_t stale;        /* values of earlier rounds */
    double seconds_saved; /* by the time of the misses; NaN: nothing was computed */
} alcore__reuse_use;

/* A column that was chosen to meet a need of a role. */
typedef struct alcore__resolved {
    int32_t role;
    char name[32];
    bool built_in;           /* the n-gram model stepped in without being asked */
    bool reused;             /* earlier rounds were asked for values (max_age) */
    alcore__reuse_use reuse; /* where they were */
    bool lost;               /* what a model computed could not be kept in the cache */
    /* Of a job: what is known of the column, which lies in the shards; borrowed. NULL: the pool has
     * it */
    const struct alcore__input_column *in_shards;
} alcore__resolved;

/* The columns that meet the needs of a strategy, of all roles. */
typedef struct alcore__resolution {
    int32_t count;
    alcore__resolved entries[ALCORE__RESOLVED_MAX]; /* [count] used */
} alcore__resolution;

/* The rows of a pool of texts from which a request derived a pool of phrases. */
typedef struct alcore__text_rows {
    int64_t rows;                     /* of the pool; 0: the candidates were not derived */
    int64_t by_cause[ALCORE__CAUSES]; /* masked rows by their first cause */
    alcore__resolution columns;       /* of the texts that phrases were measured by */
} alcore__text_rows;

/* Which rows of the pools of a request take part. Arrays are owned. */
typedef struct alcore__masks {
    int64_t rows;               /* of the candidates' pool */
    uint8_t *candidate_mask;    /* [rows] 1: may be selected */
    uint8_t *labeled_rows;      /* [rows] 1: a labeled row of the pool that takes part */
    int64_t labeled_count;      /* rows with labeled_rows 1 */
    uint8_t *bought_rows;       /* [rows] 1: labeled_rows is, or the request's list of excluded rows
                             names the row, and nothing else masks it */
    int64_t bought_count;       /* rows with bought_rows 1 */
    uint8_t *labeled_mask;      /* [labeled_pool_rows] 1: is read; NULL without a labeled pool */
    int64_t labeled_pool_rows;  /* of the labeled pool */
    int64_t labeled_pool_count; /* rows with labeled_mask 1 */
    uint8_t *target_mask;       /* [target_rows] 1: is read; NULL without a target */
    int32_t *target_languages; /* [target_rows] rank of each row's language among the pool's tags */
    int64_t target_rows;       /* of the target pool */
    int64_t target_count;      /* rows with target_mask 1 */
    int64_t by_cause[ALCORE__CAUSES]; /* masked rows of the candidates' pool by their first cause */
    int64_t eligible;                 /* rows with candidate_mask 1 before candidates=N draws */
    /* Of the texts that the option masks has read; none where they are not to be kept. */
    alcore__kept_tokens candidate_tokens, labeled_tokens;
    alcore__text_rows texts; /* of the pool of texts that the request derived the candidates from */
} alcore__masks;

/* Which rows of a shard (lib/extra/job) texts of other shards mask. */
typedef struct alcore__shard_rows {
    const uint8_t *repeated; /* [rows] 1: a shard before this one has the text; NULL: none has, or
                                texts may repeat */
    const uint8_t *left_out; /* [rows] 1: the option masks leaves it out; NULL: none */
} alcore__shard_rows;

/* Makes the masks of the request's pools, which are locked for reading; out is zeroed after a
 * failure. target: its target pool, or NULL where no strategy will look at it: then its masks are
 * NULL. recommended: the recommended strategy will select, so that masks=auto means all.
 * keeps_tokens: the strategy reads tokens, so that the tokens of each text that the masks read are
 * kept for it. shard: the candidates are a shard, of which the option masks leaves out the rows
 * that shard says, which are counted for no cause; NULL: they are all. ALCORE_E_NOT_FOUND names a
 * row of the request that its pool lacks. */
alcore_status alcore__masks_new(const alcore_request *request, const alcore_pool *target,
                                bool recommended, bool keeps_tokens,
                                const alcore__shard_rows *shard, alcore__masks *out);
void alcore__masks_clear(alcore_ctx *ctx, alcore__masks *masks);
/* The language of every row as an index into the pool's tags in byte order: *out [rows], which the
 * caller frees. For calls that hold the pool. */
alcore_status alcore__list_languages(alcore_ctx *ctx, const alcore_pool *pool, int32_t **out);

#endif
