/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzy matches of rows (fuzzy_rows.h), TASK_ROWS a task. */
#include "pool/fuzzy_rows.h"

#include "text/fuzzy_match.h"

enum { TASK_ROWS = 256, POLL_ROWS = 1024 };

typedef struct fuzzy_loop {
    alcore_ctx *ctx;
    const alcore_pool *pool;
    const uint8_t *mask;
    int64_t rows;
    alcore__fuzzy_memory memory;
    alcore__fuzzy_work *workers; /* [threads] owned */
    double enough;
    double *out;
} fuzzy_loop;

static alcore_status read_memory(fuzzy_loop *loop, const alcore_pool *memory, const uint8_t *mask,
                                 double least) {
    const int64_t rows = alcore_pool_row_count(memory);
    for (int64_t row = 0; row < rows; row++) {
        size_t length;
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(loop->ctx, "matches", row, rows));
        if (mask && !mask[row]) continue;
        const char *text = alcore_pool_text(memory, row, &length);
        ALCORE__TRY(alcore__fuzzy_add(loop->ctx, &loop->memory, text, length));
    }
    return alcore__fuzzy_finish(loop->ctx, &loop->memory, least);
}

/* alcore__task */
static alcore_status match_rows(void *data, int64_t index, int32_t worker) {
    const fuzzy_loop *loop = data;
    const int64_t first = index * TASK_ROWS;
    const int64_t end = first + TASK_ROWS < loop->rows ? first + TASK_ROWS : loop->rows;
    for (int64_t row = first; row < end; row++) {
        size_t length;
        loop->out[row] = 0;
        if (loop->mask && !loop->mask[row]) continue;
        const char *text = alcore_pool_text(loop->pool, row, &length);
        ALCORE__TRY(alcore__fuzzy_best(loop->ctx, &loop->memory, &loop->workers[worker], text,
                                       length, loop->enough, &loop->out[row]));
    }
    return ALCORE_OK;
}

alcore_status alcore__pool_fuzzy_matches(alcore_ctx *ctx, const alcore_pool *pool,
                                         const uint8_t *mask, const alcore_pool *memory,
                                         const uint8_t *memory_mask, double least, double enough,
                                         double *out) {
    const int32_t threads = alcore_ctx_threads(ctx);
    fuzzy_loop loop = {.ctx = ctx,
                       .pool = pool,
                       .mask = mask,
                       .rows = alcore_pool_row_count(pool),
                       .enough = enough,
                       .out = out};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)threads, sizeof *loop.workers, &loop.workers));
    alcore_status status = read_memory(&loop, memory, memory_mask, least);
    if (status == ALCORE_OK)
        status = alcore__parallel(ctx, "matches", (loop.rows + TASK_ROWS - 1) / TASK_ROWS,
                                  match_rows, &loop);
    for (int32_t i = 0; i < threads; i++) alcore__fuzzy_work_clear(ctx, &loop.workers[i]);
    alcore__free(ctx, loop.workers);
    alcore__fuzzy_clear(ctx, &loop.memory);
    return status;
}
