/* SPDX-License-Identifier: Apache-2.0 */
/* Covers by similarity, as similarity_cover.h describes them.
 *
 * A chunk is CHUNK_ROWS adjacent candidates. The gain of a candidate is summed over the candidates
 * of a chunk in their order, then over the chunks in theirs, whatever thread computes which chunk,
 * and the same when it is measured again: terms that are smaller then give no larger sum. */
#include "strategy/rules/similarity_cover.h"

#include <math.h>
#include <string.h>

/* How many candidates a chunk has. Each thread holds one tile of similarities, CHUNK_ROWS x
 * CHUNK_ROWS doubles, which takes 2 MiB. */
enum { CHUNK_ROWS = ALCORE__COVER_CHUNK };
/* The similarities of all pairs are kept where they are no more: each is read again and again. */
#define PAIRS_BYTES (INT64_C(1) << 30)
/* Gains that are measured again together: at first as many as a panel of the kernel has, then twice
 * as many each time before the next pick. */
enum { MIN_BATCH = 8, MAX_BATCH = 64 };
/* Fewer multiplications than this are done before a thread is woken; found by timing. */
enum { MIN_PARALLEL = 1 << 22 };
/* More candidates than this take so long that it is said in the log. */
enum { MANY_CANDIDATES = 20000 };

static int64_t chunk_count(const alcore__cover *cover) {
    return (cover->gathered.count + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static int64_t chunk_rows(const alcore__cover *cover, int64_t chunk) {
    const int64_t left = cover->gathered.count - chunk * CHUNK_ROWS;
    return left < CHUNK_ROWS ? left : CHUNK_ROWS;
}

/* Runs a task for each chunk, which compares it with `others` vectors, on all threads where that is
 * worth it. */
static alcore_status run_chunks(alcore__run *run, const alcore__cover *cover, int64_t others,
                                alcore__task task, void *data) {
    const int64_t chunks = chunk_count(cover);
    const double work = (double)cover->gathered.count * (double)others *
                        (cover->has_pairs ? 1.0 : (double)cover->gathered.dims);
    if (work >= MIN_PARALLEL)
        return alcore__parallel(run->ctx, NULL /* no stage of its own */, chunks, task, data);
    for (int64_t c = 0; c < chunks; c++) ALCORE__TRY(task(data, c, 0 /* worker */));
    return ALCORE_OK;
}

/* ---- similarity ---- */

/* Replaces distances [count] by similarities. */
static void measure_similarity(const void *data, double *values, int64_t count) {
    const alcore__cover *cover = data;
    const double x = cover->x;
    switch (cover->kind) {
    case ALCORE__COVER_RBF:
        for (int64_t i = 0; i < count; i++) values[i] = exp(-x * (values[i] * values[i]));
        break;
    case ALCORE__COVER_BALL:
        for (int64_t i = 0; i < count; i++) values[i] = values[i] < x ? 1.0 : 0.0;
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            const double cosine = 1.0 - values[i] * values[i] / 2.0;
            values[i] = cosine > 0.0 ? cosine : 0.0;
        }
    }
}

/* Candidates whose similarities to all others are wanted, at most CHUNK_ROWS. */
typedef struct some_rows {
    int64_t count;
    const int64_t *positions; /* [count]; NULL: from `first` on */
    int64_t first;
    alcore_sys_rows vectors; /* [count, dims] */
} some_rows;

/* Some rows that all threads compare with others. */
typedef struct comparison {
    alcore__run *run;
    alcore__cover *cover;
    double *tiles;         /* [threads, CHUNK_ROWS, CHUNK_ROWS] */
    const int32_t *groups; /* [CHUNK_ROWS] 0, 1, 2, ...: each vector is a target of its own */
    double *vectors;       /* [CHUNK_ROWS, dims] of `rows`, unless they are adjacent */
    double *had, *has;     /* [CHUNK_ROWS] of `rows`: `covered` before a pick and after it */
    some_rows rows;
    /* [chunks, rows.count] or, of all pairs, [2, chunk + 1, CHUNK_ROWS]: what the rows of each
     * chunk add to the gains of `rows`, then what `rows` add to the gains of each chunk */
    double *sums;
    int64_t chunk; /* of all pairs: the later one of two chunks */
} comparison;

/* Arrays of a comparison, on the run's stack. */
static alcore_status open_comparison(alcore__run *run, comparison *work) {
    alcore__cover *cover = run->state;
    int32_t *groups;
    *work = (comparison){.run = run, .cover = cover};
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->threads * CHUNK_ROWS * CHUNK_ROWS, &work->tiles));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, CHUNK_ROWS * cover->gathered.dims, &work->vectors));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, CHUNK_ROWS, &work->had));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, CHUNK_ROWS, &work->has));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, CHUNK_ROWS, &groups));
    for (int32_t i = 0; i < CHUNK_ROWS; i++) groups[i] = i;
    work->groups = groups;
    return ALCORE_OK;
}

/* Sets the rows of a comparison to the candidates at positions [count]. */
static void set_rows(comparison *work, const int64_t *positions, int64_t count) {
    const alcore__gathered *all = &work->cover->gathered;
    for (int64_t n = 0; n < count && !work->cover->has_pairs; n++)
        memcpy(work->vectors + n * all->dims, all->vectors + positions[n] * all->dims,
               (size_t)all->dims * sizeof *work->vectors);
    work->rows = (some_rows){.count = count,
                             .positions = positions,
                             .vectors = alcore__rows_of(work->vectors, count, all->dims)};
}

/* Similarities of the rows of a chunk to those of the comparison: *out [rows of the chunk, rows of
 * the comparison], the tile of the worker. */
static alcore_status fill_tile(const comparison *work, int64_t chunk, int32_t worker,
                               double **out) {
    const alcore__cover *cover = work->cover;
    const int64_t first = chunk * CHUNK_ROWS, count = chunk_rows(cover, chunk);
    const int64_t columns = work->rows.count;
    double *tile = *out = work->tiles + (int64_t)worker * CHUNK_ROWS * CHUNK_ROWS;
    if (cover->has_pairs) {
        for (int64_t j = 0; j < columns; j++) {
            const int64_t *at = work->rows.positions;
            const double *row =
                cover->pairs + (at ? at[j] : work->rows.first + j) * cover->gathered.count + first;
            for (int64_t i = 0; i < count; i++) tile[i * columns + j] = row[i];
        }
        return ALCORE_OK;
    }
    const alcore_sys_rows rows = alcore__gathered_rows(&cover->gathered, first, count);
    ALCORE__TRY(ALCORE__GATHERED_KERNEL(work->run, distance_sums, &rows, NULL /* all rows */,
                                        &work->rows.vectors, work->groups, columns, tile));
    measure_similarity(cover, tile, count * columns);
    return ALCORE_OK;
}

/* What a similarity adds to a gain, of a candidate that is covered already. */
static inline double more_than(double similarity, double covered) {
    return similarity > covered ? similarity - covered : 0.0;
}

/* Adds to sums [columns] what the rows of a tile [rows, columns] add to the gain of each column;
 * covered [rows]. */
static void add_rows(const double *tile, int64_t rows, int64_t columns, const double *covered,
                     double *sums) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            sums[j] += more_than(tile[i * columns + j], covered[i]);
}

/* Rows whose sums are added side by side, as each waits for its last addition. */
enum { SIDE_BY_SIDE = 8 };

/* Adds to sums [rows] what the columns of the same tile add to the gain of each row; covered
 * [columns]. */
static void add_columns(const double *tile, int64_t rows, int64_t columns, const double *covered,
                        double *sums) {
    int64_t i = 0;
    for (; i + SIDE_BY_SIDE <= rows; i += SIDE_BY_SIDE)
        for (int64_t j = 0; j < columns; j++)
            for (int64_t r = i; r < i + SIDE_BY_SIDE; r++)
                sums[r] += more_than(tile[r * columns + j], covered[j]);
    for (; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            sums[i] += more_than(tile[i * columns + j], covered[j]);
}

/* ---- labeled rows and picks ---- */

/* What the tasks of meet_vectors() share. */
typedef struct meeting {
    alcore__run *run;
    alcore__cover *cover;
    const alcore_sys_rows *vectors;
} meeting;

/* Lowers the squared distances of the rows of a chunk to the nearest vector, and covers them. */
static alcore_status meet_chunk(void *data, int64_t chunk, int32_t worker) {
    const meeting *work = data;
    alcore__cover *cover = work->cover;
    const int64_t first = chunk * CHUNK_ROWS, count = chunk_rows(cover, chunk);
    const alcore_sys_rows rows = alcore__gathered_rows(&cover->gathered, first, count);
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const alcore_sys_best best = {
        .k = 1, .row = cover->nearest + first, .value = cover->sq_dist + first};
    (void)worker;
    ALCORE__TRY(ALCORE__GATHERED_KERNEL(work->run, knn, &rows, NULL /* all rows */, work->vectors,
                                        NULL /* all vectors */, &search, NULL, &best));
    double *covered = cover->covered + first;
    for (int64_t i = 0; i < count; i++) covered[i] = sqrt(best.value[i]);
    measure_similarity(cover, covered, count);
    return ALCORE_OK;
}

/* Makes vectors a part of S. */
static alcore_status meet_vectors(alcore__run *run, alcore__cover *cover,
                                  const alcore_sys_rows *vectors) {
    meeting work = {.run = run, .cover = cover, .vectors = vectors};
    return run_chunks(run, cover, vectors->count, meet_chunk, &work);
}

/* Reduces the partial of a block of labeled rows, their vectors. */
static alcore_status meet_labeled(alcore__run *run, const alcore__block_partial *partial) {
    alcore__cover *cover = run->state;
    ALCORE__TRY(alcore__gather_check(partial));
    const alcore_sys_rows vectors =
        alcore__rows_of(partial->extra, partial->count, cover->gathered.dims);
    return meet_vectors(run, cover, &vectors);
}

/* ---- all gains: all pairs ---- */

/* Keeps the similarities of a tile, of the rows of chunk `index` to those of work->chunk, both ways
 * round. */
static void keep_pairs(const comparison *work, int64_t index, const double *tile) {
    const alcore__cover *cover = work->cover;
    const int64_t count = cover->gathered.count, rows = chunk_rows(cover, index);
    const int64_t columns = work->rows.count, first = index * CHUNK_ROWS;
    for (int64_t i = 0; i < rows; i++)
        memcpy(cover->pairs + (first + i) * count + work->rows.first, tile + i * columns,
               (size_t)columns * sizeof *tile);
    for (int64_t j = 0; j < columns && index < work->chunk; j++)
        for (int64_t i = 0; i < rows; i++)
            cover->pairs[(work->rows.first + j) * count + first + i] = tile[i * columns + j];
}

/* Compares the rows of chunk `index`, which is work->chunk or one before it, with those of
 * work->chunk, each pair once. What the rows of either chunk add to the gains of the other's goes
 * to work->sums, from which add_chunk() takes it. */
static alcore_status compare_chunks(void *data, int64_t index, int32_t worker) {
    const comparison *work = data;
    const alcore__cover *cover = work->cover;
    const int64_t rows = chunk_rows(cover, index), columns = work->rows.count;
    double *tile, *sums = work->sums + index * CHUNK_ROWS;
    ALCORE__TRY(fill_tile(work, index, worker, &tile));
    add_rows(tile, rows, columns, cover->covered + index * CHUNK_ROWS, sums);
    if (index < work->chunk)
        add_columns(tile, rows, columns, cover->covered + work->rows.first,
                    sums + (work->chunk + 1) * CHUNK_ROWS);
    if (cover->pairs && !cover->has_pairs) keep_pairs(work, index, tile);
    return ALCORE_OK;
}

/* Adds what the comparisons of work->chunk with each chunk up to it gave: those of its own rows in
 * the order of the chunks, then to those of earlier chunks, which have met the ones between. */
static void add_chunk(const comparison *work) {
    double *gains = work->cover->gains, *own = gains + work->rows.first;
    for (int64_t c = 0; c <= work->chunk; c++) {
        const double *sums = work->sums + c * CHUNK_ROWS;
        for (int64_t j = 0; j < work->rows.count; j++) own[j] += sums[j];
    }
    const double *sums = work->sums + (work->chunk + 1) * CHUNK_ROWS;
    for (int64_t i = 0; i < work->rows.first; i++) gains[i] += sums[i];
}

/* Measures all gains. */
static alcore_status measure_all(comparison *work) {
    alcore__run *run = work->run;
    alcore__cover *cover = work->cover;
    const int64_t chunks = chunk_count(cover), pairs = chunks * (chunks + 1) / 2;
    const int64_t count = cover->gathered.count;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, 2 * chunks * CHUNK_ROWS, &work->sums));
    memset(cover->gains, 0, (size_t)count * sizeof *cover->gains);
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t first = c * CHUNK_ROWS, rows = chunk_rows(cover, c);
        work->chunk = c;
        work->rows = (some_rows){.count = rows,
                                 .first = first,
                                 .vectors = alcore__gathered_rows(&cover->gathered, first, rows)};
        memset(work->sums, 0, (size_t)(2 * (c + 1) * CHUNK_ROWS) * sizeof *work->sums);
        ALCORE__TRY(alcore__parallel_part(run->ctx, "pairs", c * (c + 1) / 2, pairs, c + 1,
                                          compare_chunks, work));
        add_chunk(work);
    }
    memset(cover->fresh, 1, (size_t)count);
    cover->has_pairs = cover->pairs != NULL;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* ---- gains that are measured again ---- */

static alcore_status measure_chunk(void *data, int64_t chunk, int32_t worker) {
    const comparison *work = data;
    const alcore__cover *cover = work->cover;
    double *tile;
    ALCORE__TRY(fill_tile(work, chunk, worker, &tile));
    add_rows(tile, chunk_rows(cover, chunk), work->rows.count, cover->covered + chunk * CHUNK_ROWS,
             work->sums + chunk * work->rows.count);
    return ALCORE_OK;
}

/* Measures the gains of positions [count], at most MAX_BATCH. */
static alcore_status measure_again(comparison *work, const int64_t *positions, int64_t count) {
    alcore__run *run = work->run;
    alcore__cover *cover = work->cover;
    const int64_t chunks = chunk_count(cover);
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, chunks * count, &work->sums));
    set_rows(work, positions, count);
    ALCORE__TRY(run_chunks(run, cover, count, measure_chunk, work));
    for (int64_t n = 0; n < count; n++) {
        double gain = 0.0;
        for (int64_t c = 0; c < chunks; c++) gain += work->sums[c * count + n];
        cover->gains[positions[n]] = gain;
        cover->fresh[positions[n]] = 1;
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* The same of a cover by neighbors. Sums of terms that are smaller are no larger, so that old gains
 * are bounds. */
static void measure_neighbors(alcore__cover *cover, const int64_t *positions, int64_t count) {
    for (int64_t n = 0; n < count; n++) {
        const int64_t j = positions[n];
        cover->gains[j] = alcore__cover_graph_gain(&cover->graph, cover->covered, j);
        cover->fresh[j] = 1;
    }
}

/* The gain that is compared: for each unit of cost. A row without cost is never bought. */
static double per_cost(const alcore__cover *cover, int64_t position) {
    const double cost = alcore__filler_cost(&cover->filler, position);
    return cost > 0.0 ? cover->gains[position] / cost : 0.0;
}

/* Measures the first `most` entries of the heap anew, or as many as come before one that is fresh.
 */
static alcore_status measure_heads(comparison *work, int64_t most) {
    alcore__cover *cover = work->cover;
    alcore__lazy_heap *heap = &cover->heap;
    int64_t positions[MAX_BATCH], count = 0;
    while (count < most && heap->count > 0 && !cover->fresh[heap->entries[0].position]) {
        positions[count++] = heap->entries[0].position;
        alcore__lazy_heap_drop(heap);
    }
    if (cover->neighbors)
        measure_neighbors(cover, positions, count);
    else
        ALCORE__TRY(measure_again(work, positions, count));
    for (int64_t n = 0; n < count; n++)
        alcore__lazy_heap_push(heap, (alcore__heap_entry){.gain = per_cost(cover, positions[n]),
                                                          .position = positions[n]});
    return ALCORE_OK;
}

/* ---- after a pick ---- */

/* Takes from the bounds of the rows of a chunk what the rows of the comparison add less than before
 * the pick. */
static alcore_status lower_chunk(void *data, int64_t chunk, int32_t worker) {
    const comparison *work = data;
    alcore__cover *cover = work->cover;
    const int64_t columns = work->rows.count;
    double *tile;
    ALCORE__TRY(fill_tile(work, chunk, worker, &tile));
    for (int64_t i = 0; i < chunk_rows(cover, chunk); i++) {
        double less = 0.0;
        for (int64_t j = 0; j < columns; j++) {
            const double similarity = tile[i * columns + j];
            less += more_than(similarity, work->had[j]) - more_than(similarity, work->has[j]);
        }
        cover->gains[chunk * CHUNK_ROWS + i] -= less;
    }
    return ALCORE_OK;
}

/* Lowers the bounds by what the candidates at positions [count] add less than before. */
static alcore_status lower_bounds(comparison *work, const int64_t *positions, int64_t count) {
    alcore__cover *cover = work->cover;
    for (int64_t first = 0; first < count; first += CHUNK_ROWS) {
        const int64_t left = count - first, rows = left < CHUNK_ROWS ? left : CHUNK_ROWS;
        set_rows(work, positions + first, rows);
        for (int64_t n = 0; n < rows; n++) {
            work->had[n] = cover->before[positions[first + n]];
            work->has[n] = cover->covered[positions[first + n]];
        }
        ALCORE__TRY(run_chunks(work->run, cover, rows, lower_chunk, work));
    }
    for (int64_t i = 0; i < cover->gathered.count && count > 0; i++) {
        cover->gains[i] = (cover->gains[i] > 0.0 ? cover->gains[i] : 0.0) + cover->slack[i];
        cover->fresh[i] = 0;
    }
    return ALCORE_OK;
}

/* Brings bounds and heap up to date. Where more than a half of the candidates are covered more than
 * before, as after the first pick, all gains are measured: each pair is compared once then. */
static alcore_status update_bounds(comparison *work) {
    alcore__run *run = work->run;
    alcore__cover *cover = work->cover;
    int64_t *positions, count = 0;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, cover->gathered.count, &positions));
    for (int64_t i = 0; i < cover->gathered.count; i++)
        if (cover->covered[i] > cover->before[i]) positions[count++] = i;
    if (2 * count > cover->gathered.count) {
        ALCORE__TRY(measure_all(work));
    } else {
        ALCORE__TRY(lower_bounds(work, positions, count));
    }
    alcore__run_drop(run, height);
    for (int64_t n = 0; n < cover->heap.count; n++)
        cover->heap.entries[n].gain = per_cost(cover, cover->heap.entries[n].position);
    alcore__lazy_heap_order(&cover->heap);
    return ALCORE_OK;
}

/* Offers the head of the heap, which is fresh, and takes it out. */
static alcore_status offer_head(comparison *work) {
    alcore__run *run = work->run;
    alcore__cover *cover = work->cover;
    const alcore__heap_entry head = cover->heap.entries[0];
    bool bought;
    alcore__lazy_heap_drop(&cover->heap);
    run->outcome.scores[head.position] = head.gain;
    ALCORE__TRY(alcore__filler_offer(&cover->filler, head.position, &bought));
    if (!bought) return ALCORE_OK;
    if (cover->neighbors) {
        alcore__cover_graph_pick(&cover->graph, head.position, cover->covered);
        memset(cover->fresh, 0, (size_t)cover->gathered.count);
        return ALCORE_OK;
    }
    const alcore_sys_rows pick = alcore__gathered_rows(&cover->gathered, head.position, 1);
    memcpy(cover->before, cover->covered, (size_t)cover->gathered.count * sizeof *cover->before);
    ALCORE__TRY(meet_vectors(run, cover, &pick));
    return alcore__filler_full(&cover->filler) ? ALCORE_OK : update_bounds(work);
}

/* Buys until the budget is spent. A head that is fresh is the best of all, as no other has more
 * than its bound. */
static alcore_status choose(comparison *work) {
    alcore__run *run = work->run;
    alcore__cover *cover = work->cover;
    int64_t batch = MIN_BATCH;
    while (cover->heap.count > 0 && !alcore__filler_full(&cover->filler)) {
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancellation only */
        if (cover->fresh[cover->heap.entries[0].position]) {
            ALCORE__TRY(offer_head(work));
            batch = MIN_BATCH;
        } else {
            ALCORE__TRY(measure_heads(work, batch));
            batch = batch < MAX_BATCH ? 2 * batch : MAX_BATCH;
        }
    }
    return ALCORE_OK;
}

/* ---- begin, passes, finish ---- */

alcore_status alcore__cover_begin(alcore__run *run) {
    alcore__cover *cover = run->state;
    const int64_t count = run->outcome.count;
    ALCORE__TRY(alcore__filler_begin(&cover->filler, run));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->nearest));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->sq_dist));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->covered));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->gains));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->fresh));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->slack));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &cover->before));
    for (int64_t i = 0; i < count; i++) cover->nearest[i] = -1;
    /* A pass compares all candidates with one of them; the pairs are compared once. */
    if (count > MANY_CANDIDATES && !cover->neighbors) alcore__warn_passes(run, (double)count / 2.0);
    return ALCORE_OK;
}

static alcore_status begin_vectors(alcore__run *run) {
    alcore__cover *cover = run->state;
    return alcore__gathered_begin(run, &cover->gathered, run->outcome.count, NULL /* in order */);
}

const alcore__pass alcore__cover_passes[] = {
    {.name = "vectors",
     .block = alcore__gather_block,
     .partial = ALCORE__GATHERED_ROWS(alcore__cover, gathered),
     .start = begin_vectors},
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = alcore__gather_block,
     .partial = {.extra = alcore__gather_bytes, .reduce = meet_labeled}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = alcore__gather_block,
     .partial = {.extra = alcore__gather_bytes, .reduce = meet_labeled}},
    {.name = NULL},
};

/* A sum of n terms is rounded by n 2^-53 of it at most. A bound loses a sum with a pick, from a
 * gain that is such a sum and is compared with one, none above the first gain: eight times that is
 * more than all of them. */
static void set_slack(alcore__cover *cover) {
    const int64_t count = cover->gathered.count;
    for (int64_t i = 0; i < count; i++) cover->slack[i] = 0x1p-50 * (double)count * cover->gains[i];
}

/* The first gains, of all pairs or of those with neighbors. */
static alcore_status measure_first(comparison *work) {
    alcore__run *run = work->run;
    alcore__cover *cover = work->cover;
    const int64_t count = run->outcome.count;
    if (cover->neighbors) {
        ALCORE__TRY(alcore__cover_graph_build(run, &cover->gathered, cover->neighbors,
                                              measure_similarity, cover, &cover->graph));
        for (int64_t j = 0; j < count; j++) measure_neighbors(cover, &j, 1);
        return ALCORE_OK;
    }
    if ((double)count * (double)count * (double)sizeof *cover->pairs <= (double)PAIRS_BYTES)
        ALCORE__TRY(ALCORE__RUN_ARRAY(run, count * count, &cover->pairs));
    ALCORE__TRY(open_comparison(run, work));
    ALCORE__TRY(measure_all(work));
    set_slack(cover);
    return ALCORE_OK;
}

static alcore_status make_choice(alcore__run *run) {
    alcore__cover *cover = run->state;
    const int64_t count = run->outcome.count;
    double *scores = run->outcome.scores;
    const size_t height = alcore__run_height(run);
    comparison work = {.run = run, .cover = cover};
    ALCORE__TRY(measure_first(&work));
    for (int64_t i = 0; i < count; i++) scores[i] = per_cost(cover, i);
    ALCORE__TRY(alcore__lazy_heap_fill(run, &cover->heap, scores));
    ALCORE__TRY(choose(&work));
    alcore__run_drop(run, height);
    for (int64_t n = 0; n < cover->heap.count; n++)
        scores[cover->heap.entries[n].position] = cover->heap.entries[n].gain;
    return ALCORE_OK;
}

alcore_status alcore__cover_finish(alcore__run *run) {
    alcore__cover *cover = run->state;
    const int64_t count = run->outcome.count;
    double *coverage;
    ALCORE__TRY(make_choice(run));
    ALCORE__TRY(alcore__outcome_fact(run, "coverage", 1, &coverage));
    for (int64_t i = 0; i < count; i++) *coverage += cover->covered[i] / (double)count;
    ALCORE__TRY(alcore__outcome_keep_column(run, "covered", &cover->covered));
    alcore__filler_finish(&cover->filler);
    return ALCORE_OK;
}
