/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a strategy through its passes, whole or in parts. */
#include <pthread.h>
#include <string.h>

#include "strategy/fill.h"
#include "strategy/rank.h"
#include "strategy/strategy.h"
#include "strategy/strategy_handle.h"

/* ---- rows ---- */

static void clear_members(alcore_ctx *ctx, alcore__members *members) {
    alcore__free(ctx, members->own_take);
    alcore__free(ctx, members->rows);
    alcore__free(ctx, members->start);
    memset(members, 0, sizeof *members);
}

/* Lists the rows of a source that take part, but not those in `nan`. */
static alcore_status list_members(alcore__run *run, const alcore__dataset *dataset,
                                  const uint8_t *take, const uint8_t *nan,
                                  alcore__members *members) {
    alcore_ctx *ctx = run->ctx;
    uint8_t *own = NULL;
    if (nan) {
        ALCORE__TRY(alcore__new_array(ctx, (size_t)dataset->rows, 1, &own));
        for (int64_t i = 0; i < dataset->rows; i++) own[i] = (!take || take[i]) && !nan[i];
        take = own;
    }
    clear_members(ctx, members);
    members->own_take = own;
    members->dataset = dataset;
    members->take = take;
    members->blocks = (dataset->rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    int64_t count = take ? 0 : dataset->rows;
    for (int64_t i = 0; take && i < dataset->rows; i++) count += take[i] != 0;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof(int64_t), &members->rows));
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)members->blocks + 1, sizeof(int64_t), &members->start));
    members->count = count;
    int64_t n = 0;
    for (int64_t i = 0; i < dataset->rows; i++) {
        if (i % ALCORE_BLOCK_ROWS == 0) members->start[i / ALCORE_BLOCK_ROWS] = n;
        if (!take || take[i]) members->rows[n++] = i;
    }
    members->start[members->blocks] = n;
    return ALCORE_OK;
}

static alcore_status list_sources(alcore__run *run) {
    const alcore__run_input *input = run->input;
    ALCORE__TRY(
        list_members(run, &input->candidates, input->candidates.take, NULL, &run->members[0]));
    if (input->labeled_rows) {
        ALCORE__TRY(
            list_members(run, &input->candidates, input->labeled_rows, NULL, &run->members[1]));
    }
    ALCORE__TRY(list_members(run, &input->labeled, input->labeled.take, NULL,
                             &run->members[ALCORE__OVER_LABELED_SIDE]));
    return list_members(run, &input->target, input->target.take, NULL,
                        &run->members[ALCORE__OVER_TARGET]);
}

/* ---- begin ---- */

static bool has_need(const alcore__dataset *dataset, const char *need) {
    char name[64];
    for (const char *at = need; *at;) {
        size_t length = strcspn(at, "|");
        if (length < sizeof name) {
            memcpy(name, at, length);
            name[length] = 0;
            if (alcore__dataset_find(dataset, name)) return true;
        }
        at += length + (at[length] == '|');
    }
    return false;
}

static alcore_status check_embeddings(const alcore__dataset *dataset, const char *owner,
                                      int64_t dims) {
    const alcore__column *column = alcore__dataset_find(dataset, "embeddings");
    if (!column) {
        return alcore__fail(ALCORE_E_MISSING, "the column \"embeddings\" of %s is missing", owner);
    }
    if (column->ragged || column->dims < 1) {
        return alcore__fail(ALCORE_E_SHAPE, "the column \"embeddings\" has shape [rows, dims]");
    }
    if (dims && column->dims != dims) {
        return alcore__fail(ALCORE_E_SHAPE,
                            "the embeddings of %s have %lld numbers a row, those of the pool %lld",
                            owner, (long long)column->dims, (long long)dims);
    }
    return ALCORE_OK;
}

static alcore_status check_input(alcore__run *run) {
    const alcore__run_input *input = run->input;
    const char *const *needs = run->def->needs[ALCORE_ROLE_CANDIDATES];
    for (int32_t i = 0; needs && needs[i]; i++) {
        if (!has_need(&input->candidates, needs[i])) {
            return alcore__fail(ALCORE_E_MISSING, "strategy %s needs the column \"%s\"",
                                run->def->name, needs[i]);
        }
    }
    if (alcore__reads_embeddings(run, ALCORE_ROLE_CANDIDATES)) {
        ALCORE__TRY(check_embeddings(&input->candidates, "the pool", 0));
    }
    if (input->labeled.rows && alcore__reads_embeddings(run, ALCORE_ROLE_LABELED)) {
        ALCORE__TRY(
            check_embeddings(&input->labeled, "the labeled rows", alcore__embedding_dims(run)));
    }
    if (alcore__reads_embeddings(run, ALCORE_ROLE_TARGET)) {
        if (!run->members[ALCORE__OVER_TARGET].count)
            return alcore__fail(ALCORE_E_MISSING, "strategy %s needs a target with rows",
                                run->def->name);
        ALCORE__TRY(check_embeddings(&input->target, "the target", alcore__embedding_dims(run)));
    }
    for (int64_t i = 0; input->costs && i < run->members[0].count; i++) {
        int64_t row = run->members[0].rows[i];
        if (!(input->costs[row] >= 0.0)) {
            return alcore__fail(ALCORE_E_DATA, "row %lld: the cost %g is negative or no number",
                                (long long)row, input->costs[row]);
        }
    }
    return ALCORE_OK;
}

/* The candidates are settled: now the strategy itself begins. */
static alcore_status begin_strategy(alcore__run *run) {
    int64_t count = run->members[0].count;
    run->checking = false;
    run->source = ALCORE__OVER_CANDIDATES;
    run->outcome.count = count;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof(int64_t), &run->outcome.rows));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof(double), &run->outcome.scores));
    if (count) memcpy(run->outcome.rows, run->members[0].rows, (size_t)count * sizeof(int64_t));
    run->done = count == 0;
    return run->done ? ALCORE_OK : run->def->begin(run);
}

alcore_status alcore__run_begin(const alcore_strategy *strategy, const alcore__strategy_def *def,
                                const alcore__values *values, const alcore__run_input *input,
                                alcore__run **out) {
    *out = NULL;
    alcore__run *run;
    ALCORE__TRY(alcore__new_array(input->ctx, 1, sizeof *run, &run));
    run->ctx = input->ctx;
    run->def = def;
    run->strategy = strategy;
    run->input = input;
    run->values = values;
    run->bench_count = alcore_ctx_threads(input->ctx);
    alcore_status status =
        alcore__new_array(run->ctx, (size_t)run->bench_count, sizeof *run->benches, &run->benches);
    if (status == ALCORE_OK) status = alcore__new_array(run->ctx, 1, def->plan_bytes, &run->plan);
    if (status == ALCORE_OK) status = list_sources(run);
    if (status == ALCORE_OK) status = check_input(run);
    if (status == ALCORE_OK && input->nan_exclude) {
        run->checking = true;
        status = alcore__new_array(run->ctx, (size_t)input->candidates.rows, 1, &run->nan[0]);
        if (status == ALCORE_OK) {
            status = alcore__new_array(run->ctx, (size_t)input->labeled.rows, 1, &run->nan[1]);
        }
        if (status == ALCORE_OK)
            status = alcore__new_array(run->ctx, (size_t)input->target.rows, 1, &run->nan[2]);
    } else if (status == ALCORE_OK) {
        status = begin_strategy(run);
    }
    if (status != ALCORE_OK) {
        alcore__run_free(run);
        return status;
    }
    *out = run;
    return ALCORE_OK;
}

/* ---- passes ---- */

alcore_status alcore__shard_new(alcore__run *run, int32_t part, int32_t parts,
                                alcore__shard **out) {
    *out = NULL;
    alcore__shard *shard;
    size_t blocks = (size_t)run->members[0].blocks;
    ALCORE__TRY(alcore__new_array(run->ctx, 1, sizeof *shard, &shard));
    shard->part = part;
    shard->parts = parts;
    alcore_status status =
        alcore__new_array(run->ctx, blocks, sizeof *shard->memory, &shard->memory);
    if (status != ALCORE_OK) {
        alcore__shard_free(run, shard);
        return status;
    }
    *out = shard;
    return ALCORE_OK;
}

void alcore__shard_free(alcore__run *run, alcore__shard *shard) {
    if (!shard) return;
    for (int64_t b = 0; shard->memory && b < run->members[0].blocks; b++)
        alcore__memory_clear(run, &shard->memory[b]);
    alcore__free(run->ctx, shard->memory);
    alcore__free(run->ctx, shard);
}

/* One pass over a part. */
typedef struct pass {
    alcore__run *run;
    alcore__shard *shard;
    alcore__partial *out; /* collects; NULL: payloads are gathered as their turn comes */
    int64_t first;        /* block of task 0 */
    int64_t tasks;
    pthread_mutex_t lock;
    alcore__payload *waiting; /* [tasks] */
    bool *ready;
    int64_t next; /* task whose payload is gathered next */
} pass;

static alcore_status gather_one(alcore__run *run, const alcore__payload *payload) {
    if (!run->checking) return run->def->gather(run, payload->block, payload->data, payload->bytes);
    const alcore__members *members = &run->members[run->source];
    const uint8_t *bad = payload->data;
    int64_t start = members->start[payload->block];
    uint8_t *nan = run->nan[run->source < ALCORE__OVER_LABELED_SIDE ? 0 : run->source - 1];
    for (size_t i = 0; i < payload->bytes; i++) {
        if (bad[i]) nan[members->rows[start + (int64_t)i]] = 1;
    }
    return ALCORE_OK;
}

/* Under the lock: gathers what has its turn. */
static alcore_status gather_ready(pass *p) {
    alcore_status status = ALCORE_OK;
    while (p->next < p->tasks && p->ready[p->next] && status == ALCORE_OK) {
        alcore__payload *payload = &p->waiting[p->next++];
        status = gather_one(p->run, payload);
        alcore__free(p->run->ctx, payload->data);
        payload->data = NULL;
    }
    return status;
}

static alcore_status run_block(void *data, int64_t index, int32_t worker) {
    pass *p = data;
    alcore__run *run = p->run;
    const alcore__members *members = &run->members[run->source];
    int64_t number = p->first + index;
    if (!run->benches[worker]) {
        ALCORE__TRY(alcore__new_array(run->ctx, 1, sizeof(alcore__bench), &run->benches[worker]));
    }
    alcore__block block = {
        .run = run,
        .shard = p->shard,
        .bench = run->benches[worker],
        .number = number,
        .start = members->start[number],
        .count = members->start[number + 1] - members->start[number],
        .rows = members->rows + members->start[number],
        .memory = run->source == ALCORE__OVER_CANDIDATES ? &p->shard->memory[number] : NULL};
    alcore_status status = run->checking ? alcore__check_block(&block) : run->def->block(&block);
    if (status != ALCORE_OK) {
        alcore__free(run->ctx, block.payload);
        return status;
    }
    pthread_mutex_lock(&p->lock);
    if (p->out) {
        status =
            alcore__partial_put(run->ctx, p->out, run->step, number, block.payload, block.bytes);
    } else {
        p->waiting[index] = (alcore__payload){run->step, number, block.bytes, block.payload};
        p->ready[index] = true;
        status = gather_ready(p);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

static alcore_status run_blocks(alcore__run *run, alcore__shard *shard, alcore__partial *out) {
    pass p = {.run = run, .shard = shard, .out = out};
    int64_t blocks = run->members[run->source].blocks, tasks;
    p.first = blocks * shard->part / shard->parts;
    p.tasks = tasks = blocks * (shard->part + 1) / shard->parts - p.first;
    alcore_status status =
        alcore__new_array(run->ctx, (size_t)tasks, sizeof *p.waiting, &p.waiting);
    if (status == ALCORE_OK)
        status = alcore__new_array(run->ctx, (size_t)tasks, sizeof *p.ready, &p.ready);
    if (status == ALCORE_OK) {
        pthread_mutex_init(&p.lock, NULL);
        status = alcore__parallel(run->ctx, run->def->name, tasks, run_block, &p);
        pthread_mutex_destroy(&p.lock);
    }
    for (int64_t i = 0; p.waiting && i < tasks; i++) alcore__free(run->ctx, p.waiting[i].data);
    alcore__free(run->ctx, p.waiting);
    alcore__free(run->ctx, p.ready);
    return status;
}

alcore_status alcore__run_pass(alcore__run *run, alcore__shard *shard, alcore__partial *out) {
    return run_blocks(run, shard, out);
}

/* The rows without NaN are known: lists them again. */
static alcore_status settle_members(alcore__run *run) {
    const alcore__run_input *input = run->input;
    const uint8_t *nan = run->nan[0];
    ALCORE__TRY(
        list_members(run, &input->candidates, input->candidates.take, nan, &run->members[0]));
    if (input->labeled_rows) {
        ALCORE__TRY(
            list_members(run, &input->candidates, input->labeled_rows, nan, &run->members[1]));
    }
    ALCORE__TRY(list_members(run, &input->labeled, input->labeled.take, run->nan[1],
                             &run->members[ALCORE__OVER_LABELED_SIDE]));
    return list_members(run, &input->target, input->target.take, run->nan[2],
                        &run->members[ALCORE__OVER_TARGET]);
}

static alcore_status next_check(alcore__run *run) {
    while (++run->source < ALCORE__SOURCES) {
        if (run->members[run->source].count &&
            alcore__reads_embeddings(run, alcore__role_of(run->source))) {
            return ALCORE_OK;
        }
    }
    ALCORE__TRY(settle_members(run));
    if (alcore__reads_embeddings(run, ALCORE_ROLE_TARGET) &&
        !run->members[ALCORE__OVER_TARGET].count)
        return alcore__fail(ALCORE_E_MISSING, "every row of the target has a NaN");
    return begin_strategy(run);
}

static alcore_status end_pass(alcore__run *run) {
    run->step++;
    ALCORE__TRY(alcore__tick(run->ctx, run->def->name, run->step, -1));
    return run->checking ? next_check(run) : run->def->next(run);
}

alcore_status alcore__run_deliver(alcore__run *run, alcore__partial *whole) {
    alcore__partial_sort(whole);
    int64_t blocks = run->members[run->source].blocks;
    if ((int64_t)whole->count != blocks) {
        return alcore__fail(ALCORE_E_INTERNAL, "%lld of %lld blocks were folded",
                            (long long)whole->count, (long long)blocks);
    }
    for (size_t i = 0; i < whole->count; i++) ALCORE__TRY(gather_one(run, &whole->payloads[i]));
    return end_pass(run);
}

alcore_status alcore__run_drive(alcore__run *run) {
    alcore__shard *shard;
    ALCORE__TRY(alcore__shard_new(run, 0, 1, &shard));
    alcore_status status = ALCORE_OK;
    while (!run->done && status == ALCORE_OK) {
        status = run_blocks(run, shard, NULL);
        if (status == ALCORE_OK) status = end_pass(run);
    }
    alcore__shard_free(run, shard);
    return status;
}

/* ---- the outcome ---- */

static alcore_status list_nan(alcore__run *run) {
    if (!run->nan[0]) return ALCORE_OK;
    int64_t rows = run->input->candidates.rows, count = 0;
    for (int64_t i = 0; i < rows; i++) count += run->nan[0][i];
    for (int64_t i = 0; i < run->input->labeled.rows; i++)
        run->outcome.nan_labeled += run->nan[1][i];
    for (int64_t i = 0; i < run->input->target.rows; i++) run->outcome.nan_target += run->nan[2][i];
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)count, sizeof(int64_t), &run->outcome.nan_rows));
    for (int64_t i = 0; i < rows; i++) {
        if (run->nan[0][i]) run->outcome.nan_rows[run->outcome.nan_count++] = i;
    }
    return ALCORE_OK;
}

alcore_status alcore__run_finish(alcore__run *run, alcore__outcome *out) {
    if (run->outcome.count) ALCORE__TRY(run->def->finish(run));
    if (!run->picked) {
        ALCORE__TRY(alcore__fill_ranked(run, run->keys ? run->keys : run->outcome.scores));
    }
    ALCORE__TRY(list_nan(run));
    for (int32_t i = 0; i < run->bench_count; i++) {
        if (run->benches[i]) run->outcome.floored += run->benches[i]->floored;
    }
    *out = run->outcome;
    memset(&run->outcome, 0, sizeof run->outcome);
    return ALCORE_OK;
}

void alcore__run_free(alcore__run *run) {
    if (!run) return;
    alcore_ctx *ctx = run->ctx;
    if (run->plan && run->def->clear) run->def->clear(run);
    alcore__free(ctx, run->plan);
    alcore__free(ctx, run->nan[0]);
    alcore__free(ctx, run->nan[1]);
    alcore__free(ctx, run->nan[2]);
    for (int32_t i = 0; i < ALCORE__SOURCES; i++) clear_members(ctx, &run->members[i]);
    for (int32_t i = 0; run->benches && i < run->bench_count; i++) {
        if (!run->benches[i]) continue;
        for (int32_t s = 0; s < 4; s++) alcore__scratch_clear(ctx, &run->benches[i]->scratch[s]);
        alcore__free(ctx, run->benches[i]);
    }
    alcore__free(ctx, run->benches);
    alcore__outcome_clear(ctx, &run->outcome);
    alcore__free(ctx, run);
}

alcore_status alcore__strategy_run(const alcore_strategy *strategy, const alcore__run_input *input,
                                   alcore__outcome *out) {
    memset(out, 0, sizeof *out);
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(strategy, strategy->def, &strategy->values, input, &run));
    alcore_status status = alcore__run_drive(run);
    if (status == ALCORE_OK) status = alcore__run_finish(run, out);
    alcore__run_free(run);
    return status;
}
