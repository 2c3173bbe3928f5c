/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/fill.h"

#include <math.h>
#include <string.h>

#include "strategy/rank.h"

void alcore__filler_begin(alcore__filler *filler, alcore__run *run) {
    memset(filler, 0, sizeof *filler);
    filler->run = run;
}

void alcore__filler_clear(alcore__filler *filler) {
    if (!filler->run) return;
    alcore_ctx *ctx = filler->run->ctx;
    alcore__free(ctx, filler->picks);
    alcore__free(ctx, filler->chosen);
    alcore__free(ctx, filler->norms);
    alcore__scratch_clear(ctx, &filler->scratch);
    memset(filler, 0, sizeof *filler);
}

static double budget_of(const alcore__filler *filler) {
    return filler->run->input->fill.budget;
}

bool alcore__filler_full(const alcore__filler *filler) {
    return filler->stopped || !(filler->spent < budget_of(filler));
}

double alcore__filler_cost(const alcore__filler *filler, int64_t position) {
    const alcore__run *run = filler->run;
    return run->input->costs ? run->input->costs[run->outcome.rows[position]] : 1.0;
}

bool alcore__filler_fits(const alcore__filler *filler, int64_t position) {
    double cost = alcore__filler_cost(filler, position);
    if (!(cost > 0.0)) return false;
    return filler->run->input->fill.policy != ALCORE__FILL_SKIP ||
           !(filler->spent + cost > budget_of(filler));
}

/* Puts the row's vector behind those of the picks and says whether its cosine with one of them
 * exceeds the spread. */
static alcore_status compare(alcore__filler *filler, int64_t position, bool *redundant) {
    alcore__run *run = filler->run;
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    alcore_sys_work work = alcore__run_work(run);
    int64_t dims = alcore__embedding_dims(run), count = filler->count;
    size_t need = (size_t)(count + 1) * (size_t)dims;
    ALCORE__TRY(
        alcore__grow(run->ctx, &filler->chosen, &filler->chosen_capacity, need, sizeof(double)));
    ALCORE__TRY(alcore__grow(run->ctx, &filler->norms, &filler->norms_capacity, (size_t)count + 1,
                             sizeof(double)));
    const alcore__column *column = alcore__dataset_find(&run->input->candidates, "embeddings");
    alcore_sys_rows row = {0};
    ALCORE__TRY(column->ops->rows(column, run->outcome.rows[position], 1, &filler->scratch, &row));
    double *vector = filler->chosen + count * dims, *dots = NULL;
    ALCORE__TRY(kernels->widen(&work, &row, NULL, vector));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count + 1, sizeof *dots, &dots));
    alcore_sys_rows all = {.data = filler->chosen,
                           .count = count + 1,
                           .dims = dims,
                           .stride = dims,
                           .dtype = ALCORE_FLOAT64};
    alcore_status status = kernels->dots(&work, &all, NULL, vector, dots);
    double norm = status == ALCORE_OK ? sqrt(dots[count]) : 0.0;
    filler->norms[count] = norm;
    if (status == ALCORE_OK && !isfinite(norm))
        status = alcore__vector_check(vector, dims, ALCORE__OVER_CANDIDATES,
                                      run->outcome.rows[position]);
    *redundant = false;
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        double cosine = alcore__cosine(dots[i], norm, filler->norms[i]);
        if (cosine > run->input->fill.spread) *redundant = true;
    }
    alcore__free(run->ctx, dots);
    return status;
}

alcore_status alcore__filler_offer(alcore__filler *filler, int64_t position, bool *taken) {
    alcore__run *run = filler->run;
    *taken = false;
    double cost = alcore__filler_cost(filler, position);
    if (!(cost > 0.0)) {
        filler->free_rows++;
        return ALCORE_OK;
    }
    if (run->input->fill.limited) {
        bool redundant;
        ALCORE__TRY(compare(filler, position, &redundant));
        if (redundant) {
            filler->redundant++;
            return ALCORE_OK;
        }
    }
    bool fits = !(filler->spent + cost > budget_of(filler));
    if (!fits && run->input->fill.policy == ALCORE__FILL_STOP) {
        filler->stopped = true;
        return ALCORE_OK;
    }
    if (!fits && run->input->fill.policy == ALCORE__FILL_SKIP) {
        filler->unaffordable++;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__grow(run->ctx, &filler->picks, &filler->capacity, (size_t)filler->count + 1,
                             sizeof *filler->picks));
    filler->picks[filler->count++] = position;
    filler->spent += cost;
    *taken = true;
    return ALCORE_OK;
}

void alcore__filler_finish(alcore__filler *filler) {
    alcore__outcome *outcome = &filler->run->outcome;
    outcome->picks = filler->picks;
    outcome->pick_count = filler->count;
    outcome->spent = filler->spent;
    outcome->redundant = filler->redundant;
    outcome->unaffordable = filler->unaffordable;
    outcome->free_rows = filler->free_rows;
    /* Short: the rows ended, not the money. */
    if (!alcore__filler_full(filler) && !filler->unaffordable)
        outcome->flags |= ALCORE_SELECTION_SHORT;
    filler->picks = NULL;
    filler->run->picked = true;
    alcore__filler_clear(filler);
}

double alcore__expected_picks(const alcore__run *run) {
    double total = 0.0;
    int64_t count = run->outcome.count;
    for (int64_t i = 0; run->input->costs && i < count; i++)
        total += run->input->costs[run->outcome.rows[i]];
    double mean = run->input->costs && count ? total / (double)count : 1.0;
    double picks = mean > 0.0 ? ceil(run->input->fill.budget / mean) : (double)count;
    return picks < (double)count ? (picks > 0.0 ? picks : 0.0) : (double)count;
}

alcore_status alcore__fill_ranked(alcore__run *run, const double *keys) {
    const alcore__run_input *input = run->input;
    int64_t count = run->outcome.count, done = 0, *order = NULL;
    alcore__filler filler;
    alcore__filler_begin(&filler, run);
    alcore_status status = ALCORE_OK;
    /* The order of more rows than the budget buys is of no use, so it is made as far as it is
     * walked. */
    double guess = alcore__expected_picks(run) + 64.0;
    int64_t best = guess < (double)count ? (int64_t)guess : count;
    while (done < count && !alcore__filler_full(&filler) && status == ALCORE_OK) {
        alcore__free(run->ctx, order);
        order = NULL;
        status = alcore__new_array(run->ctx, (size_t)best, sizeof *order, &order);
        if (status == ALCORE_OK) {
            status = alcore__rank(run->ctx, keys, run->outcome.rows, count, input->fill.tie,
                                  input->seed, best, order);
        }
        for (; done < best && !alcore__filler_full(&filler) && status == ALCORE_OK; done++) {
            bool taken;
            status = alcore__filler_offer(&filler, order[done], &taken);
            if (status == ALCORE_OK)
                status = alcore__tick(run->ctx, "filling the budget", done, count);
        }
        best = best < count / 4 ? best * 4 : count;
    }
    alcore__free(run->ctx, order);
    if (status == ALCORE_OK) {
        alcore__filler_finish(&filler);
    } else {
        alcore__filler_clear(&filler);
    }
    return status;
}
