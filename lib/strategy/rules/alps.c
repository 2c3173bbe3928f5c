/* SPDX-License-Identifier: Apache-2.0 */
/* ALPS (spec 4.6; Yuan et al. 2020), which starts without labels and without a model of the task:
 * k-means over surprisal vectors, the losses of a masked language model at 15 % of the tokens of a
 * text (surprisal.h), as unit vectors, with as many clusters as the budget buys rows; picked is the
 * row nearest to each centroid (cluster_picks.h).
 *
 * A loss is the cross-entropy of a token in nats, given the unmasked text: 0 or above. The strategy
 * makes one more pass than bertkm, over the losses. Memory: that of cluster_picks.h and 8 bytes a
 * candidate. */
#include <math.h>

#include "alcore/sys/dtype.h"
#include "pool/number_type.h"
#include "scorer/score.h"
#include "strategy/rules/cluster_picks.h"
#include "strategy/rules/surprisal.h"
#include "strategy/strategies.h"

typedef struct alps_state {
    alcore__cluster_picks picks; /* first, see cluster_picks.h */
    alcore__surprisal surprisal; /* which tokens keep their loss; `vectors` borrows it */
    alcore__column *vectors;     /* [rows, length] what k-means reads in place of embeddings: the
                                    losses of the tokens that were drawn, 0 elsewhere; owned */
    double *loss;                /* [candidates] mean loss of the tokens, for the record "loss";
                                    owned until finish, NULL from then on */
} alps_state;

/* ---- the losses ---- */

/* Sets *mean to the mean loss of a pool row, in nats. values [tokens]: its losses, of type dtype.
 * Fails for a loss below -1e-6 (rounding may make a loss of 0 that small) and, unless nan=exclude
 * leaves the row out, for one that is not finite and for a row without a token; with nan=exclude
 * the mean of such a row is NaN. */
static alcore_status mean_loss(const alcore__score_call *call, int64_t row, const char *values,
                               int64_t tokens, int32_t dtype, double *mean) {
    double sum = 0.0;
    for (int64_t t = 0; t < tokens; t++) {
        double loss = alcore__widen(dtype, values + (size_t)t * alcore_sys_dtype_bytes(dtype));
        if (loss < -1e-6)
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld: the loss of token %lld is %g, below 0: losses are minus "
                                "the logarithms of probabilities",
                                (long long)row, (long long)t, loss);
        if (!isfinite(loss) && !call->nan_exclude)
            return alcore__fail_nan("row %lld: the loss of token %lld is %s", (long long)row,
                                    (long long)t, isnan(loss) ? "NaN" : "infinite");
        sum += loss;
    }
    if (tokens == 0 && !call->nan_exclude)
        return alcore__fail_nan("row %lld: no token in column \"mlm_losses\"", (long long)row);
    *mean = tokens && isfinite(sum) ? sum / (double)tokens : (double)NAN;
    return ALCORE_OK;
}

/* score_rows of the definition: score, raw and rank [count] of the call are the mean loss of pool
 * row call->first + i, for rows whose mask is 1 (NULL: all); others are not written. The column is
 * ragged, a list of losses a row: those of item i are values[offsets[i] - offsets[0]] and on. */
static alcore_status score_rows(alcore__score_call *call) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "mlm_losses");
    alcore_sys_ragged items = {0};
    if (!column->ragged || column->dims != 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"mlm_losses\" holds one number a token, with offsets");
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        size_t begin = (size_t)(items.offsets[i] - items.offsets[0]);
        ALCORE__TRY(
            mean_loss(call, call->first + i,
                      (const char *)items.values + begin * alcore_sys_dtype_bytes(items.dtype),
                      items.offsets[i + 1] - items.offsets[i], items.dtype, &call->rank[i]));
        call->score[i] = call->raw[i] = call->rank[i];
    }
    return ALCORE_OK;
}

/* ---- the run ---- */

/* For alcore__run_defer(): slot is the address of the column, NULL in it until it is made. */
static void free_column(const alcore__run *run, void *slot) {
    (void)run;
    alcore__column_free(*(alcore__column **)slot);
}

/* Makes the column of surprisal vectors, which blocks then read in place of embeddings, and what
 * cluster_picks.h needs. */
static alcore_status begin(alcore__run *run) {
    alps_state *state = run->state;
    state->surprisal.losses = alcore__dataset_find(&run->input->candidates, "mlm_losses");
    state->surprisal.pool = run->input->candidates.pool;
    state->surprisal.seed = run->input->seed;
    ALCORE__TRY(alcore__run_defer(run, free_column, &state->vectors));
    ALCORE__TRY(alcore__surprisal_column(run->ctx, &state->surprisal, &state->vectors));
    run->embeddings = state->vectors;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->loss));
    return alcore__cluster_picks_begin(run);
}

/* The partial: the mean loss of each active row, double [active rows], by score_rows(). */
static alcore_status read_losses(alcore__block *block, void *partial) {
    return alcore__block_scores(block, partial, NULL /* score */, NULL /* raw */);
}

static const alcore__pass PASSES[] = {
    {.name = "losses",
     .scores = true,
     .block = read_losses,
     .partial = {.values = {ALCORE__VALUES(alps_state, loss)}}},
    {.name = "clusters", .nested = alcore__cluster_picks_passes},
    {.name = NULL},
};

/* Called after the last pass: sets the records, scores and picks as cluster_picks.h says, and adds
 * the record "loss". */
static alcore_status finish(alcore__run *run) {
    alps_state *state = run->state;
    ALCORE__TRY(alcore__cluster_picks_finish(run));
    return alcore__outcome_keep_column(run, "loss", &state->loss);
}

static const char *const NEEDS[] = {"mlm_losses", NULL};
#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, alps_state, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"mask", ALCORE_PARAM_CHOICE, "exact", 0, 0, "exact|bernoulli",
     "how tokens are drawn: the same share of each text, or each token by itself as BERT does",
     STATE(surprisal.bernoulli)},
    {"share", ALCORE_PARAM_NUMBER, "0.15", 0, 1, NULL, "share of the tokens whose loss is kept",
     STATE(surprisal.share)},
    {"length", ALCORE_PARAM_INTEGER, "128", 1, 8192, NULL,
     "tokens of a text that are looked at: the length of the vectors", STATE(surprisal.length)},
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"mask=bernoulli share=0.5 length=4", NULL};

const alcore__strategy_def alcore__strategy_alps = {
    .name = "alps",
    .summary = "k-means over the losses of a masked language model, and the row nearest to each "
               "centroid (ALPS, Yuan et al. 2020)",
    .examples = EXAMPLES,
    .reason = "nearest to the centroid of its cluster of surprisal",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .score_rows = score_rows,
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(alps_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
};
