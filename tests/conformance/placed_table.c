/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each entry of the table: it names every array of the call with its length
 * (placed_table.h). The copies are made by the table's own upload, release and download. */
#include "placed_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "kernel_entry.h"

static table *engine;     /* of the calls */
static int placement;     /* PLACED_... */
static uint64_t number;   /* of the call, from the seed on */
static alcore_status bad; /* what went wrong while the arrays of the call were placed */

/* An array of the call that is on the device: `before` bytes, the array, `behind` bytes. */
typedef struct operand {
    char *host;
    size_t bytes, before, behind;
    int written; /* by the call */
    alcore_sys_held held;
} operand;
enum { MOST_OPERANDS = 24, GUARD = 0xa5 };
static operand operands[MOST_OPERANDS];
static int operands_used;

/* Memory that the case itself holds by upload and convert. */
enum { MOST_HELD = 4 };
static struct {
    const char *memory;
    size_t bytes;
} held_ranges[MOST_HELD];

static void remember(const alcore_sys_held *held, size_t bytes) {
    int at = 0;
    if (!held->memory) return;
    while (at < MOST_HELD && held_ranges[at].memory) at++;
    if (at == MOST_HELD) abort();
    held_ranges[at].memory = held->memory;
    held_ranges[at].bytes = bytes;
}

static void forget(const void *memory) {
    for (int at = 0; at < MOST_HELD; at++) {
        if (held_ranges[at].memory == memory) held_ranges[at].memory = NULL;
    }
}

static int is_held(const void *array) {
    for (int at = 0; at < MOST_HELD; at++) {
        const uintptr_t begin = (uintptr_t)held_ranges[at].memory;
        if (begin && (uintptr_t)array - begin < held_ranges[at].bytes) return 1;
    }
    return 0;
}

static size_t bytes_of(const operand *o) {
    return o->before + o->bytes + o->behind;
}

/* Bytes of device memory as a row of numbers, for upload and download. */
static alcore_sys_rows byte_row(const void *data, size_t bytes) {
    return (alcore_sys_rows){.data = data,
                             .count = 1,
                             .dims = (int64_t)bytes,
                             .stride = (int64_t)bytes,
                             .dtype = ALCORE_UINT8};
}

/* How an array is treated. */
enum { READ = 0, WRITTEN = 1, ALWAYS = 2 /* on the device, whatever the placement */ };

/* Returns the array as the engine is given it: where it is, or a copy on the device. bytes: its
 * length; width: bytes of one of its numbers, of which an address is a multiple. site: the number
 * of the calling line. It seeds the choice between host and device together with the number of the
 * call, as C does not say in which order the arguments of a call are computed. */
static void *place(const void *array, size_t bytes, size_t width, int how, uint64_t site) {
    uint64_t state = number * 1024 + site;
    const uint64_t chance = case_random(&state);
    if (!array || !bytes || is_held(array)) return (void *)(uintptr_t)array;
    const int chosen = placement == PLACED_DEVICE ||
                       (placement == PLACED_INPUTS && !(how & WRITTEN)) ||
                       (placement == PLACED_MIXED && chance % 2);
    if (!chosen && !(how & ALWAYS)) return (void *)(uintptr_t)array;
    if (operands_used == MOST_OPERANDS) abort();
    operand *o = &operands[operands_used++];
    *o = (operand){.host = (char *)(uintptr_t)array, .bytes = bytes, .written = how & WRITTEN};
    const size_t shift = chance / 2 % 2 ? width : 0;
    const int aligned = placement == PLACED_DEVICE || chance / 4 % 2 || (how & ALWAYS);
    o->before = (aligned ? 0 : (uintptr_t)array % width) + shift;
    o->behind = shift;
    char *copy = malloc(bytes_of(o));
    if (!copy) abort();
    memset(copy, GUARD, bytes_of(o));
    memcpy(copy + o->before, array, bytes);
    const alcore_sys_rows row = byte_row(copy, bytes_of(o));
    alcore_status status = engine->upload(&conformance_work, &row, NULL, &o->held);
    free(copy);
    if (!status && !o->held.memory) status = ALCORE_E_NOMEM;
    if (status) {
        printf("# %zu bytes could not be copied to the device: status %d\n", bytes_of(o), status);
        bad = status;
    }
    return o->held.memory ? (char *)o->held.memory + o->before : NULL;
}

static int is_guard(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if ((unsigned char)bytes[i] != GUARD) return 0;
    }
    return 1;
}

/* Copies an array back and looks at what was not to be written. NULL, or what is wrong. */
static const char *copy_back(const operand *o) {
    char *copy = malloc(bytes_of(o));
    if (!copy) abort();
    const alcore_sys_rows row = byte_row(o->held.memory, bytes_of(o));
    const char *wrong = NULL;
    if (engine->download(&conformance_work, &row, copy))
        wrong = "an array could not be copied from the device";
    else if (!is_guard(copy, o->before) || !is_guard(copy + o->before + o->bytes, o->behind))
        wrong = "a number beside an array was written";
    else if (o->written)
        memcpy(o->host, copy + o->before, o->bytes);
    else if (memcmp(o->host, copy + o->before, o->bytes) != 0)
        wrong = "an input was written";
    free(copy);
    return wrong;
}

/* Ends a call, whose entry returned `status`. */
static alcore_status end(const char *entry_name, alcore_status status) {
    for (int i = 0; i < operands_used; i++) {
        const operand *o = &operands[i];
        const char *wrong = status || bad ? NULL : copy_back(o);
        if (wrong) {
            printf("# %s: %s, operand %d of %zu bytes, %zu before it\n", entry_name, wrong, i,
                   o->bytes, o->before);
            bad = ALCORE_E_INTERNAL;
        }
        if (o->held.memory) engine->release(&conformance_work, &o->held);
    }
    if (bad) status = bad;
    bad = ALCORE_OK;
    operands_used = 0;
    number++;
    return status;
}

/* ---- arguments: an array of `count` entries, that is read, or written ---- */

#define PLACE(array, count, width, how)                                                            \
    ((__typeof__(array))place(array, (size_t)(count) * sizeof *(array), width, how, __COUNTER__))
#define IN(array, count) PLACE(array, count, sizeof *(array), READ)
#define OUT(array, count) PLACE(array, count, sizeof *(array), WRITTEN)

/* Structs of arguments; `slot` tells those of a call apart. */
enum { SLOTS = 3 };
static const alcore_sys_rows *place_rows(const alcore_sys_rows *rows, int slot, int how) {
    static alcore_sys_rows placed[SLOTS];
    if (!rows) return NULL;
    const size_t width = alcore_sys_dtype_bytes(rows->dtype);
    const int64_t numbers =
        rows->count > 0 && rows->dims > 0 ? (rows->count - 1) * rows->stride + rows->dims : 0;
    placed[slot] = *rows;
    placed[slot].data =
        place(rows->data, (size_t)numbers * width, width, how, 1000 + (uint64_t)slot);
    return &placed[slot];
}
#define ROWS(rows) place_rows(rows, 0, READ)
#define OTHERS(rows) place_rows(rows, 1, READ)

static const alcore_sys_weights *place_weights(const alcore_sys_weights *weights, int64_t rows) {
    static alcore_sys_weights placed;
    placed = *weights;
    placed.minimum = OUT(weights->minimum, rows);
    placed.speculative = OUT(weights->speculative, weights->speculative_count * rows);
    placed.total_mask = IN(weights->total_mask, rows);
    placed.total = OUT(weights->total, 1);
    return &placed;
}

static const alcore_sys_best *place_best(const alcore_sys_best *best, int64_t items, int slot) {
    static alcore_sys_best placed[2];
    if (!best) return NULL;
    placed[slot] = *best;
    const size_t bytes = (size_t)(items * best->k) * sizeof(int64_t);
    placed[slot].row = place(best->row, bytes, sizeof(int64_t), WRITTEN, 1010 + (uint64_t)slot);
    placed[slot].value = place(best->value, bytes, sizeof(double), WRITTEN, 1014 + (uint64_t)slot);
    return &placed[slot];
}

static const alcore_sys_token_stats *place_stats(const alcore_sys_token_stats *out, int64_t rows) {
    static alcore_sys_token_stats placed;
    placed = (alcore_sys_token_stats){.logprob = OUT(out->logprob, rows),
                                      .top1 = OUT(out->top1, rows),
                                      .top2 = OUT(out->top2, rows),
                                      .margin = OUT(out->margin, rows),
                                      .entropy = OUT(out->entropy, rows),
                                      .logsumexp = OUT(out->logsumexp, rows),
                                      .argmax = OUT(out->argmax, rows)};
    return &placed;
}

/* ---- entries ---- */

static alcore_status placed_widen(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *mask, double *out) {
    return end("widen", engine->widen(work, ROWS(rows), IN(mask, rows->count),
                                      OUT(out, rows->count * rows->dims)));
}
static alcore_status placed_dots(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const double *vector, double *out) {
    return end("dots", engine->dots(work, ROWS(rows), IN(mask, rows->count), IN(vector, rows->dims),
                                    OUT(out, rows->count)));
}
static alcore_status placed_self_dots(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                      const uint8_t *mask, double *out) {
    return end("self_dots",
               engine->self_dots(work, ROWS(rows), IN(mask, rows->count), OUT(out, rows->count)));
}
static alcore_status placed_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     const uint8_t *mask, const double *vector, double *out) {
    return end("sq_dists", engine->sq_dists(work, ROWS(rows), IN(mask, rows->count),
                                            IN(vector, rows->dims), OUT(out, rows->count)));
}
static alcore_status placed_group_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const int32_t *group, int64_t groups, double *sums,
                                       int64_t *counts) {
    return end("group_sums",
               engine->group_sums(work, ROWS(rows), IN(group, rows->count), groups,
                                  OUT(sums, groups * rows->dims), OUT(counts, groups)));
}
static alcore_status placed_group_cosine(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                         const int32_t *group, int64_t groups,
                                         const double *centroids, double *out) {
    return end("group_cosine",
               engine->group_cosine(work, ROWS(rows), IN(group, rows->count), groups,
                                    IN(centroids, groups * rows->dims), OUT(out, rows->count)));
}
static alcore_status placed_nearest_centroid(const alcore_sys_work *work,
                                             const alcore_sys_rows *rows, const int32_t *group,
                                             int64_t groups, const int64_t *starts,
                                             const double *centroids, int32_t *nearest,
                                             double *distance, double *low, double *high) {
    return end("nearest_centroid",
               engine->nearest_centroid(
                   work, ROWS(rows), IN(group, rows->count), groups, IN(starts, groups + 1),
                   IN(centroids, starts[groups] * rows->dims), OUT(nearest, rows->count),
                   OUT(distance, rows->count), OUT(low, rows->count), OUT(high, rows->count)));
}

/* Rows that are on the device already are not copied, which is looked at first; then those of the
 * case are. */
static alcore_status placed_upload(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, alcore_sys_held *out) {
    alcore_status status = ALCORE_OK;
    if (placement == PLACED_DEVICE) {
        status = end("upload", engine->upload(work, ROWS(rows), IN(mask, rows->count), out));
        if (out->memory || out->rows.data) status = ALCORE_E_INTERNAL;
    }
    if (!status) status = end("upload", engine->upload(work, rows, IN(mask, rows->count), out));
    remember(out,
             (size_t)(out->rows.count * out->rows.dims) * alcore_sys_dtype_bytes(out->rows.dtype));
    return status;
}
static void placed_release(const alcore_sys_work *work, const alcore_sys_held *held) {
    forget(held->memory);
    engine->release(work, held);
    end("release", ALCORE_OK);
}
/* The rows stay where they are, as later calls name them. */
static alcore_status placed_convert(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    int32_t metric, int64_t others, alcore_sys_converted *out) {
    alcore_status status = engine->convert(work, rows, metric, others, out);
    remember(&out->held, 1);
    return end("convert", status);
}
static alcore_status placed_download(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     void *out) {
    return end("download", engine->download(work, ROWS(rows), out));
}
static alcore_status placed_store(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  void *memory) {
    return end("store", engine->store(work, ROWS(rows), memory));
}

static alcore_status placed_min_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                         const uint8_t *mask, const double *centroids,
                                         int64_t count, const double *centroid_dots,
                                         const double *row_dots, int32_t zero_duplicates,
                                         const alcore_sys_weights *weights) {
    return end("min_sq_dists",
               engine->min_sq_dists(work, ROWS(rows), IN(mask, rows->count),
                                    IN(centroids, count * rows->dims), count,
                                    IN(centroid_dots, count), IN(row_dots, rows->count),
                                    zero_duplicates, place_weights(weights, rows->count)));
}
static alcore_status placed_min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                                      const alcore_sys_rows *h, const uint8_t *mask,
                                      const double *centroids_a, const double *centroids_h,
                                      int64_t count, const double *centroid_squares,
                                      const double *squares, const alcore_sys_weights *weights) {
    return end("min_badge",
               engine->min_badge(work, ROWS(a), OTHERS(h), IN(mask, h->count),
                                 IN(centroids_a, count * a->dims), IN(centroids_h, count * h->dims),
                                 count, IN(centroid_squares, count), IN(squares, h->count),
                                 place_weights(weights, h->count)));
}
static alcore_status placed_update_min(const alcore_sys_work *work, int64_t count,
                                       const uint8_t *mask, const double *values,
                                       const alcore_sys_weights *weights) {
    return end("update_min", engine->update_min(work, count, IN(mask, count), IN(values, count),
                                                place_weights(weights, count)));
}
static alcore_status placed_draw(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                 const double *values, double before, double target,
                                 int64_t *item) {
    return end("draw", engine->draw(work, count, IN(mask, count), IN(values, count), before, target,
                                    OUT(item, 1)));
}
static alcore_status placed_idds_update(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                        const uint8_t *mask, const double *norms,
                                        const double *picked, double picked_norm, double *a,
                                        double *b, const alcore_sys_idds *idds, const double *s,
                                        double *scores) {
    return end("idds_update",
               engine->idds_update(work, ROWS(rows), IN(mask, rows->count), IN(norms, rows->count),
                                   IN(picked, rows->dims), picked_norm, OUT(a, rows->count),
                                   OUT(b, rows->count), idds, IN(s, rows->count),
                                   OUT(scores, rows->count)));
}
static alcore_status placed_idds_scores(const alcore_sys_work *work, int64_t count,
                                        const uint8_t *mask, const alcore_sys_idds *idds,
                                        const double *a, const double *b, const double *s,
                                        double *out) {
    return end("idds_scores", engine->idds_scores(work, count, IN(mask, count), idds, IN(a, count),
                                                  IN(b, count), IN(s, count), OUT(out, count)));
}
static alcore_status placed_arg_max(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                    const double *values, int64_t *item, double *value) {
    return end("arg_max", engine->arg_max(work, count, IN(mask, count), IN(values, count),
                                          OUT(item, 1), OUT(value, 1)));
}

static alcore_status placed_ragged_nnll(const alcore_sys_work *work, const alcore_sys_ragged *items,
                                        const uint8_t *mask, double *out, int64_t *floored,
                                        int64_t *bad_item) {
    alcore_sys_ragged placed = *items;
    const int64_t *offsets = items->offsets, tokens = offsets[items->count] - offsets[0];
    const size_t width = alcore_sys_dtype_bytes(items->dtype);
    placed.values =
        place(items->values, (size_t)(tokens * items->classes) * width, width, READ, 1020);
    placed.offsets = IN(offsets, items->count + 1);
    return end("ragged_nnll",
               engine->ragged_nnll(work, &placed, IN(mask, items->count), OUT(out, items->count),
                                   OUT(floored, 1), OUT(bad_item, 1)));
}
static alcore_status placed_logit_stats(const alcore_sys_work *work, const alcore_sys_rows *logits,
                                        const int64_t *labels, int64_t ignore,
                                        const alcore_sys_token_stats *out, int64_t *bad_row) {
    return end("logit_stats",
               engine->logit_stats(work, ROWS(logits), IN(labels, logits->count), ignore,
                                   place_stats(out, logits->count), OUT(bad_row, 1)));
}
static alcore_status placed_hidden_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                         const alcore_sys_rows *matrix, const float *bias,
                                         const int64_t *labels, int64_t ignore,
                                         const alcore_sys_token_stats *out, int64_t *bad_row) {
    return end("hidden_stats",
               engine->hidden_stats(work, ROWS(hidden), OTHERS(matrix), IN(bias, matrix->count),
                                    IN(labels, hidden->count), ignore,
                                    place_stats(out, hidden->count), OUT(bad_row, 1)));
}

/* Labels with gaps, and a bias that is not float32 or has gaps, are not taken in host memory. */
static alcore_status placed_token_stats(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                        const alcore_sys_rows *matrix, const alcore_sys_rows *bias,
                                        const alcore_sys_labels *labels,
                                        const alcore_sys_token_stats *out, uint8_t *taking,
                                        int64_t *bad_label, int64_t *bad_row) {
    alcore_sys_labels placed = *labels;
    const int gaps = labels->token_stride != 1 || labels->item_stride != labels->tokens;
    const int64_t numbers = labels->items > 0 && labels->tokens > 0
                                ? (labels->items - 1) * labels->item_stride +
                                      (labels->tokens - 1) * labels->token_stride + 1
                                : 0;
    const size_t width = alcore_sys_dtype_bytes(labels->dtype);
    placed.data = place(labels->data, (size_t)numbers * width, width, gaps ? ALWAYS : READ, 1021);
    placed.lengths = IN(labels->lengths, labels->items);
    const int plain = bias && bias->dtype == ALCORE_FLOAT32 && bias->stride == 1;
    return end("token_stats",
               engine->token_stats(work, ROWS(rows), OTHERS(matrix),
                                   place_rows(bias, 2, plain ? READ : ALWAYS), &placed,
                                   place_stats(out, rows->count), OUT(taking, rows->count),
                                   OUT(bad_label, 1), OUT(bad_row, 1)));
}

static alcore_status placed_knn(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const uint8_t *mask, const alcore_sys_rows *queries,
                                const uint8_t *query_mask, const alcore_sys_search *search,
                                const alcore_sys_best *query_best,
                                const alcore_sys_best *row_best) {
    return end("knn", engine->knn(work, ROWS(rows), IN(mask, rows->count), OTHERS(queries),
                                  IN(query_mask, queries->count), search,
                                  place_best(query_best, queries->count, 0),
                                  place_best(row_best, rows->count, 1)));
}
static alcore_status placed_margin_ratios(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                          const uint8_t *mask, const alcore_sys_rows *others,
                                          const uint8_t *other_mask,
                                          const alcore_sys_search *search, const double *row_half,
                                          const double *other_half, double *ratio, int64_t *other) {
    return end("margin_ratios",
               engine->margin_ratios(work, ROWS(rows), IN(mask, rows->count), OTHERS(others),
                                     IN(other_mask, others->count), search,
                                     IN(row_half, rows->count), IN(other_half, others->count),
                                     OUT(ratio, rows->count), OUT(other, rows->count)));
}
static alcore_status placed_distance_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                          const uint8_t *mask, const alcore_sys_rows *targets,
                                          const int32_t *group, int64_t groups, double *sums) {
    return end("distance_sums", engine->distance_sums(work, ROWS(rows), IN(mask, rows->count),
                                                      OTHERS(targets), IN(group, targets->count),
                                                      groups, OUT(sums, rows->count * groups)));
}
static alcore_status placed_distance_bounds(const alcore_sys_work *work,
                                            const alcore_sys_rows *rows, const uint8_t *mask,
                                            const alcore_sys_rows *targets, const int32_t *group,
                                            int64_t groups, double *low, double *high) {
    return end("distance_bounds",
               engine->distance_bounds(work, ROWS(rows), IN(mask, rows->count), OTHERS(targets),
                                       IN(group, targets->count), groups,
                                       OUT(low, rows->count * groups),
                                       OUT(high, rows->count * groups)));
}

static alcore_status placed_run_totals(const alcore_sys_work *work, int64_t runs,
                                       const int64_t *starts, const uint8_t *mask,
                                       const double *values, double *sums, double *totals) {
    return end("run_totals", engine->run_totals(work, runs, IN(starts, runs + 1),
                                                IN(mask, starts[runs]), IN(values, starts[runs]),
                                                OUT(sums, starts[runs]), OUT(totals, runs)));
}
/* The random numbers are always in host memory. */
static alcore_status placed_draw_rows(const alcore_sys_work *work, const alcore_sys_draws *draws,
                                      const uint8_t *mask, const double *values, const double *sums,
                                      int64_t matrices, const alcore_sys_rows *rows,
                                      alcore_sys_drawn *found, double *vectors) {
    alcore_sys_draws placed = *draws;
    alcore_sys_rows placed_rows[SLOTS];
    const int64_t entries = draws->starts[draws->own];
    int64_t dims = 0;
    if (matrices > SLOTS) abort();
    for (int m = 0; m < matrices; m++) {
        placed_rows[m] = *place_rows(&rows[m], m, READ);
        dims += rows[m].dims;
    }
    placed.totals = IN(draws->totals, draws->blocks);
    placed.starts = IN(draws->starts, draws->own + 1);
    return end("draw_rows", engine->draw_rows(work, &placed, IN(mask, entries), IN(values, entries),
                                              IN(sums, entries), matrices, placed_rows,
                                              PLACE(found, draws->count, sizeof(int64_t), WRITTEN),
                                              OUT(vectors, draws->count * dims)));
}
static alcore_status placed_best_row(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     const uint8_t *mask, const double *values, int64_t *item,
                                     double *value, double *vector) {
    return end("best_row",
               engine->best_row(work, ROWS(rows), IN(mask, rows->count), IN(values, rows->count),
                                OUT(item, 1), OUT(value, 1), OUT(vector, rows->dims)));
}
static alcore_status placed_class_tops(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const uint8_t *mask, int32_t kind, double *tops) {
    return end("class_tops", engine->class_tops(work, ROWS(rows), IN(mask, rows->count), kind,
                                                OUT(tops, 2 * rows->count)));
}
static alcore_status placed_hold(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 alcore_sys_held *out) {
    alcore_status status = engine->hold(work, rows, out);
    remember(out, (size_t)(rows->count * rows->dims) * alcore_sys_dtype_bytes(rows->dtype));
    return end("hold", status);
}
static alcore_status placed_gather(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   int64_t count, const int64_t *items, void *memory) {
    return end("gather", engine->gather(work, ROWS(rows), count, IN(items, count), memory));
}

#define EACH_ENTRY(DO)                                                                             \
    DO(widen)                                                                                      \
    DO(dots)                                                                                       \
    DO(self_dots)                                                                                  \
    DO(sq_dists)                                                                                   \
    DO(group_sums)                                                                                 \
    DO(group_cosine)                                                                               \
    DO(nearest_centroid)                                                                           \
    DO(upload)                                                                                     \
    DO(release)                                                                                    \
    DO(min_sq_dists)                                                                               \
    DO(min_badge)                                                                                  \
    DO(update_min)                                                                                 \
    DO(draw)                                                                                       \
    DO(idds_update)                                                                                \
    DO(idds_scores)                                                                                \
    DO(arg_max)                                                                                    \
    DO(ragged_nnll)                                                                                \
    DO(logit_stats)                                                                                \
    DO(hidden_stats)                                                                               \
    DO(knn)                                                                                        \
    DO(margin_ratios)                                                                              \
    DO(distance_sums)                                                                              \
    DO(distance_bounds)                                                                            \
    DO(download)                                                                                   \
    DO(store)                                                                                      \
    DO(run_totals)                                                                                 \
    DO(convert)                                                                                    \
    DO(token_stats)                                                                                \
    DO(draw_rows)                                                                                  \
    DO(best_row)                                                                                   \
    DO(class_tops)                                                                                 \
    DO(hold)                                                                                       \
    DO(gather)

table *placed_table(table *wanted, int how, uint64_t seed) {
    static alcore_sys_kernels made;
    engine = wanted;
    placement = how;
    number = seed * 1024;
    made = *wanted;
#define TAKE(name)                                                                                 \
    if (wanted->name) made.name = placed_##name;
    EACH_ENTRY(TAKE)
    return &made;
}
