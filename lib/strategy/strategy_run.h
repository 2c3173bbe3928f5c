/* SPDX-License-Identifier: Apache-2.0 */
/* Running a strategy: its input and its outcome. lib/select fills the input, lib/selection makes a
 * selection of the outcome. */
#ifndef ALCORE__STRATEGY_RUN_H
#define ALCORE__STRATEGY_RUN_H

#include "alcore/phrase.h"
#include "alcore/selection.h"
#include "alcore/strategy.h"
#include "base/params.h"
#include "kernel/kernel_engine.h"
#include "pool/dataset.h"
#include "strategy/budget/purchase.h"

/* ---- budgets (spec 1.6) ---- */

enum { ALCORE__FILL_OVERSHOOT = 0, ALCORE__FILL_STOP = 1, ALCORE__FILL_SKIP = 2 };
enum { ALCORE__TIE_INDEX = 0, ALCORE__TIE_RANDOM = 1 };

/* How the budget of a request is spent. */
typedef struct alcore__fill {
    double budget;         /* the largest one of the request, in the unit of the costs */
    int32_t policy;        /* ALCORE__FILL_* */
    int32_t tie;           /* ALCORE__TIE_* */
    bool limited;          /* whether max_similarity holds */
    double max_similarity; /* a row whose cosine with a pick exceeds this is passed over; needs the
                              column "embeddings" */
    /* Other budgets of the same request, [further_count], none above `budget`: bought from the same
     * scores. */
    const double *further;
    int32_t further_count;
    bool explain; /* whether the outcome tells what the terms of the score decided */
} alcore__fill;

/* ---- in ---- */

/* Where the rows of a shard lie among those of all shards (lib/extra/job). All 0: the rows are no
 * shard, and those of the pool are all. */
typedef struct alcore__place {
    int64_t first_row;  /* number of the shard's first row, in the order of all shards */
    int64_t before;     /* candidates of the shards before it; candidates=N has not drawn yet */
    int64_t candidates; /* the same of all shards */
    int64_t kept_before, kept; /* of these, those that sticky=1 may keep of the round before */
} alcore__place;

/* The rows that a run lists where each shard keeps what it computes of its own candidates
 * (passes/shard_passes.h). Zeroed: all rows. */
typedef struct alcore__own_rows {
    bool only;          /* the run lists the candidates first .. end - 1 only */
    int64_t first, end; /* rows of the candidates' pool, whose blocks are whole */
    /* Of all shards; candidates is not 0 in any run over shards: */
    int64_t candidates;
    int64_t free;   /* of these, how many cost 0 and are never bought */
    double cost;    /* of all candidates, where they have costs */
    int32_t policy; /* by which the picks of all are bought; that of the run is overshoot, but for
                       skip with costs (budget/skip_rounds.h) */
} alcore__own_rows;

/* Bytes that a shard has written for all others. */
typedef struct alcore__shard_part {
    const char *bytes; /* [length] borrowed, need not be aligned */
    size_t length;
    int64_t first, end; /* its rows, in the order of all shards */
} alcore__shard_part;

/* Those of all shards, in the order of their rows; parts[own] is that of the shard itself. */
typedef struct alcore__shard_parts {
    const alcore__shard_part *parts; /* [count] */
    int64_t count, own;
} alcore__shard_parts;

/* The rows of all shards as a strategy reads them whose definition has `gather`
 * (rules/token_gather.h); arrays are [rows] and owned. */
typedef struct alcore__shard_tokens {
    int64_t rows;
    uint8_t *candidates, *bought; /* 1: the row is one */
    double *costs;
    int32_t *languages; /* numbers below language_count */
    int64_t language_count;
    uint32_t *tokens;             /* of its text */
    const char **words, **hashes; /* of them, as alcore__tokens_ngrams() has them; borrowed */
} alcore__shard_tokens;

typedef struct alcore__run_input {
    alcore_ctx *ctx;
    alcore__engine engine; /* what runs the kernels, and where */
    uint64_t seed;
    int64_t round; /* from 1 */
    /* The pool that is selected from. Its mask is that of the candidates: rows that may be
     * selected, less those that alcore__strategy_draw() did not draw. Its columns are those of
     * alcore__strategy_needs(), and "embeddings" when fill.limited. */
    alcore__dataset candidates;
    const uint8_t *labeled_rows; /* [candidates.rows] 1: a labeled row of the same pool, whose
                                    columns are read too, or one that was bought (the definition
                                    says reads_bought); NULL: there is none */
    alcore__dataset labeled;     /* the labeled pool; rows 0: there is none */
    alcore__dataset target;      /* unlabeled rows of the languages one cares about; rows 0: none */
    /* Language of each row of the candidates' pool, [candidates.rows], as an index into
     * language_tags [language_count], all tags of the pool in byte order. NULL unless the strategy
     * reads languages (the definition says reads_languages): all rows count as of one. */
    const int32_t *languages;
    const char *const *language_tags;
    int64_t language_count;
    /* Rows of another selection, [like_count] of the candidates' pool, repeated or not, whose
     * languages are counted (like may be NULL when there is none of them); has_like: the request
     * names such rows, which it does only for strategies that read them. */
    const int64_t *like;
    int64_t like_count;
    bool has_like;
    const int32_t *target_languages; /* [target.rows] number of each row's language among all tags
                                        of the target in byte order; NULL: all are of one */
    int64_t target_language_count;
    const double *costs; /* [candidates.rows] in the unit of the budget; NULL: 1 each */
    alcore__fill fill;
    bool nan_exclude;    /* a NaN masks its row instead of failing (spec 1.4) */
    bool nan_found;      /* with nan_exclude: such rows of the candidates' pool are masked already,
                            by alcore__strategy_find_nan() */
    bool only_picks;     /* nothing is told of other candidates: their scores may be missing */
    bool runs_once;      /* where the strategy would run again for a further budget, that is left to
                            the caller: the outcome has no further purchase */
    alcore__place place; /* of the candidates' pool, where the run is one of a shard
                            (budget/nominees.h) */
    alcore__own_rows own;
    const alcore__shard_tokens
        *gathered; /* in place of the texts of the candidates' pool: those of all
                                         shards; NULL: they are in the pool */
} alcore__run_input;

/* ---- out ---- */

/* A column of the record: what the strategy computed for each candidate, in row order. */
typedef struct alcore__record_column {
    const char *name; /* static: "u", "d", "stratum", "cluster", "H", ... */
    int32_t dtype;    /* ALCORE_FLOAT64 or ALCORE_INT64 */
    /* Static: what files write in place of the integers 0, 1, ...; NULL: the integers. */
    const char *const *words;
    void *values; /* [count]; a float64 entry is NaN and an int64 entry -1 where the strategy has
                     none */
} alcore__record_column;

/* A fact for the report: "strata edges" [n + 1], "strata counts" [n], "sd lambda d" [1], ... */
typedef struct alcore__fact {
    const char *name; /* static */
    int64_t count;
    double *values;
} alcore__fact;

enum { ALCORE__FACTS = 12 };

typedef struct alcore__outcome {
    int64_t count;    /* candidates, without those that were masked for a NaN */
    int64_t *rows;    /* [count] row of each candidate in the pool, ascending */
    double *scores;   /* [count] as reported, larger = more worth labeling; NaN: not measured */
    int64_t measured; /* candidates whose terms are known, for the explanation and the summary:
                         count, set before begin, but where a finish lowers it as the others, whose
                         score is NaN, cannot be picked */
    bool positive;    /* candidates whose key, what the strategy ranks by, is 0 or less are never
                         bought; set by finish, and not where the strategy buys itself (run->picked,
                         set by alcore__filler_finish()) */
    int32_t column_count;
    alcore__record_column columns[ALCORE__RECORD_COLUMNS];
    int32_t fact_count;
    alcore__fact facts[ALCORE__FACTS];

    alcore__purchase bought; /* by the largest budget; the explanation where fill.explain asks for
                                it */
    int32_t further_count;
    alcore__purchase *further; /* [further_count] of fill.further, in its order */
    int64_t offer_count;
    alcore__offer *offers; /* [offer_count] the candidates that a strategy offered one by one, when
                              there are further budgets; else NULL */

    /* With nan_exclude: rows that were left out because a value of theirs is NaN or infinite. */
    int64_t nan_count;
    int64_t *nan_rows;   /* [nan_count] rows of the candidates' pool, ascending */
    int64_t nan_labeled; /* number of such rows in the labeled pool */
    int64_t nan_target;  /* number of such rows in the target */
    int64_t floored;     /* log-probabilities below -100, which count as -100 (spec 1.1) */
} alcore__outcome;

/* Runs the strategy and fills in out, whose arrays the caller frees with alcore__outcome_clear().
 * On failure out is zeroed. The calling thread is inside a call (alcore__enter_long) and has locked
 * the pools for reading. Called by answering_input.c for each answer, and once more to choose which
 * scores of earlier rounds to compute anew. */
alcore_status alcore__strategy_run(const alcore_strategy *strategy, const alcore__run_input *input,
                                   alcore__outcome *out);
void alcore__outcome_clear(alcore_ctx *ctx, alcore__outcome *outcome);
/* nan [candidates.rows]: sets the entries of the rows to 1 that nan=exclude leaves out of the
 * candidates' pool. Whether it does so depends on no other row, so that each shard can find its
 * own. Called as alcore__strategy_run(). */
alcore_status alcore__strategy_find_nan(const alcore_strategy *strategy,
                                        const alcore__run_input *input, uint8_t *nan);

/* ---- what a request asks of a strategy before it runs ---- */

/* Structs that the rows of a strategy's table are bound to. */
enum {
    ALCORE__TO_STATE = 1,  /* its state, from before begin on */
    ALCORE__TO_CANDIDATES, /* alcore__candidate_params */
    ALCORE__TO_PHRASES,    /* alcore_phrase_options, in phrase_options */
    ALCORE__TO_SHARES      /* alcore__hybrid_shares */
};

/* Which candidates a strategy looks at (spec 3.7), before it runs. */
typedef struct alcore__candidate_params {
    int64_t count; /* of rows that are drawn; 0: all */
    bool sticky;   /* those of the last round are kept */
} alcore__candidate_params;

const char *alcore__strategy_name(const alcore_strategy *strategy);
/* What is said of the strategy (strategy_def.h). */
typedef struct alcore__strategy_def alcore__strategy_def;
const alcore__strategy_def *alcore__strategy_def_of(const alcore_strategy *strategy);
/* Whether the caller asked for the recommended strategy, whichever that is. */
bool alcore__strategy_is_recommended(const alcore_strategy *strategy);
/* What the score measures, for the reasons of picks; static. */
const char *alcore__strategy_measure(const alcore_strategy *strategy);
/* Whether the strategy buys phrases. If so, *options are those of the phrases that a request
 * derives from a pool of texts, and *by_place is whether their rows are ordered by first
 * occurrence. */
bool alcore__strategy_buys_phrases(const alcore_strategy *strategy, alcore_phrase_options *options,
                                   bool *by_place);
/* The parts of a hybrid strategy, borrowed: 0 buys rows, 1 buys phrases. NULL: it is no hybrid. */
alcore_strategy *alcore__strategy_part(const alcore_strategy *strategy, int32_t part);
/* How a hybrid shares the budget between its parts. */
typedef struct alcore__hybrid_shares {
    const char *parts[2]; /* names of the strategies, a view until the parameter is set again */
    double ratio;         /* of the budget for part 0 */
    bool carry;           /* part 1 gets what part 0 left */
    bool cover;           /* what part 0 bought counts as labeled for part 1 */
} alcore__hybrid_shares;
void alcore__strategy_shares(const alcore_strategy *strategy, alcore__hybrid_shares *out);
/* A new handle of the same built-in strategy with the same parameters, also of its parts; for a
 * strategy that is locked for reading. A host's strategy, which has no parameters, has no copy. */
alcore_status alcore__strategy_copy(const alcore_strategy *strategy, alcore_strategy **out);
/* The name of the first strategy of the registry that follows the languages of another selection
 * (reads_like; there is one), a static string: for the remedy where a request names such rows and
 * its strategy does not. */
const char *alcore__strategy_like_name(void);
/* Whether the strategy computes a score of each row from its columns (lib/scorer) first, for the
 * provenance, which then names the engine of scores too. */
bool alcore__strategy_scores(const alcore_strategy *strategy);
alcore_ctx *alcore__strategy_ctx(const alcore_strategy *strategy);
const alcore__values *
alcore__strategy_values(const alcore_strategy *strategy); /* empty for a host strategy */
/* The index-th need of a strategy, built in or a host's, for the pool in a role (ALCORE_ROLE_*): a
 * column name, "a|b" for either column; NULL ends the list. A role's columns are needed when the
 * role has a pool. */
const char *alcore__strategy_needs(const alcore_strategy *strategy, int32_t role, int64_t index);
/* Whether one of the needs of the pool in a role names the column. */
bool alcore__strategy_needs_column(const alcore_strategy *strategy, int32_t role,
                                   const char *column);
/* Whether the strategy looks at the pool in a role: a built-in one when it needs a column of it, a
 * host's always. */
bool alcore__strategy_reads(const alcore_strategy *strategy, int32_t role);
/* Whether a request with the strategy may have a target: it reads one or picks from it; of a hybrid
 * the sentences may. */
bool alcore__strategy_takes_target(const alcore_strategy *strategy);
/* Whether it may read any column: a host's strategy without a list of needs. No column that was
 * given is then refused as unread (option "given"). */
bool alcore__strategy_reads_any(const alcore_strategy *strategy);
/* Applies the strategy's parameters "candidates" and "sticky" (spec 3.7): clears the entries of
 * mask [rows], 1 for the rows that may be selected, that are not drawn. previous [rows]: 1 for the
 * candidates of the last round, which sticky=1 keeps; NULL: there was none. place: of a shard. */
alcore_status alcore__strategy_draw(const alcore_strategy *strategy, uint64_t seed, int64_t round,
                                    const alcore__place *place, int64_t rows,
                                    const uint8_t *previous, uint8_t *mask);
/* Whether candidates=N draws, so that the draw of a shard depends on the other shards. */
bool alcore__strategy_draws(const alcore_strategy *strategy);
/* Whether the candidates of this round are to be kept for the next one. */
bool alcore__strategy_is_sticky(const alcore_strategy *strategy);
/* The draw itself: leaves `count` entries of mask [rows], or all of them where there are no more;
 * of a shard those of its rows that are among `count` of all shards. previous and place as above.
 * Called by alcore__strategy_draw(). */
alcore_status alcore__draw_candidates(alcore_ctx *ctx, uint64_t seed, int64_t round, int64_t count,
                                      const alcore__place *place, int64_t rows,
                                      const uint8_t *previous, uint8_t *mask);

#endif
