/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of torch_kernels.h for one instruction set, whose name is TORCH_ENGINE.
 *
 * A tile of a product is a few rows times one or two vectors, summed in registers: of the scores,
 * queries times keys, where the keys are transposed so that a vector holds one component of several
 * keys; of the result, queries times components of the values. Rows and vectors of a tile are
 * constants where these functions are inlined. */
#include <math.h>
#include <string.h>

#include "torch_kernels.h"
#include "torch_vectors.h"

/* Prefetches a cache line into the second-level cache. */
#define FETCH(address) __builtin_prefetch(address, 0 /* read */, 2)

/* out[r, j] = sum over c < terms of left[r, c] right[c, j], overwritten, for `rows` rows and
 * `vectors` (1 or 2) vectors of j; a step is the floats from row to row. What is `ahead` floats
 * behind a vector of `right` is fetched; 0: nothing. */
INLINE void multiply_tile(const float *left, int64_t left_step, const float *right,
                          int64_t right_step, int64_t terms, int rows, int vectors, float *out,
                          int64_t out_step, int64_t ahead) {
    floats sums[TORCH_QUERIES][2] = {{{0}}};
    for (int64_t c = 0; c < terms; c++) {
        floats next[2];
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            const float *from = right + c * right_step + v * WIDTH;
            next[v] = load(from);
            if (ahead != 0) FETCH(from + ahead);
        }
        UNROLLED
        for (int r = 0; r < rows; r++) {
            UNROLLED
            for (int v = 0; v < vectors; v++) sums[r][v] += next[v] * left[r * left_step + c];
        }
    }
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int v = 0; v < vectors; v++) store(out + r * out_step + v * WIDTH, sums[r][v]);
    }
}

/* The same for all columns, a multiple of WIDTH, and `rows` rows, 1 or TORCH_QUERIES. */
INLINE void multiply_rows(const float *left, int64_t left_step, const float *right,
                          int64_t right_step, int64_t terms, int rows, float *out, int64_t out_step,
                          int64_t columns, int64_t ahead) {
    int64_t j = 0;
    for (; j + 2 * WIDTH <= columns; j += 2 * WIDTH)
        multiply_tile(left, left_step, right + j, right_step, terms, rows, 2, out + j, out_step,
                      ahead);
    for (; j < columns; j += WIDTH)
        multiply_tile(left, left_step, right + j, right_step, terms, rows, 1, out + j, out_step,
                      ahead);
}

/* scores [padded], of which `count` are set: exp(score - the greatest), 0 behind them. Returns 1 /
 * their sum. */
INLINE float soften(float *scores, int64_t count, int64_t padded) {
    for (int64_t j = count; j < padded; j++) scores[j] = -INFINITY;
    floats most = load(scores);
    for (int64_t j = WIDTH; j < padded; j += WIDTH) most = greater(load(scores + j), most);
    const float greatest = greatest_of(most);
    floats sum = {0};
    for (int64_t j = 0; j < padded; j += WIDTH) {
        const floats weight = exp_of(load(scores + j) - greatest);
        store(scores + j, weight);
        sum += weight;
    }
    return 1.0f / sum_of(sum);
}

static void lay_out(const float *key, const float *value, int64_t step, int64_t keys, int64_t head,
                    float *out) {
    const int64_t padded = torch_padded(keys), wide = torch_padded(head);
    for (int64_t j = 0; j < keys; j++)
        for (int64_t c = 0; c < head; c++) out[c * padded + j] = key[j * step + c];
    for (int64_t c = 0; c < head; c++)
        for (int64_t j = keys; j < padded; j++) out[c * padded + j] = 0;
    out += head * padded;
    for (int64_t j = 0; j < keys; j++, out += wide) {
        memcpy(out, value + j * step, (size_t)head * sizeof *out);
        for (int64_t c = head; c < wide; c++) out[c] = 0;
    }
}

/* Queries first to first + rows - 1 of attend(), rows 1 or TORCH_QUERIES. `mixed` holds the queries
 * times the scale, then the sums of values by weights that soften() has not divided yet: parts does
 * so at the end. met: keys that one of these queries meets; with causal each softens its own
 * prefix, and the weights behind it are 0. */
INLINE void attend_rows(const torch_attention *what, int64_t first, int rows) {
    const int64_t head = what->head, padded = torch_padded(what->keys), wide = torch_padded(head);
    const int64_t met = what->causal && first + rows < what->keys ? first + rows : what->keys;
    const int64_t ahead = what->onward && first == 0 ? torch_laid_out(what->keys, head) : 0;
    float *scores = what->scratch, *mixed = scores + TORCH_QUERIES * padded, parts[TORCH_QUERIES];
    for (int r = 0; r < rows; r++)
        for (int64_t c = 0; c < head; c++)
            mixed[r * wide + c] = what->query[(first + r) * what->query_step + c] * what->scale;
    multiply_rows(mixed, wide, what->memory, padded, head, rows, scores, padded, torch_padded(met),
                  ahead);
    for (int r = 0; r < rows; r++) {
        float *own = scores + r * padded;
        const int64_t last = what->causal && first + r < met ? first + r + 1 : met;
        if (what->bias != NULL) {
            const float *bias = what->bias + (first + r) * what->bias_step;
            for (int64_t j = 0; j < last; j++) own[j] += bias[j];
        }
        parts[r] = soften(own, last, torch_padded(met));
    }
    multiply_rows(scores, padded, what->memory + head * padded, wide, met, rows, mixed, wide, wide,
                  ahead);
    for (int r = 0; r < rows; r++)
        for (int64_t c = 0; c < head; c++)
            what->out[(first + r) * what->out_step + c] = mixed[r * wide + c] * parts[r];
}

static void attend(const torch_attention *what) {
    int64_t first = 0;
    for (; first + TORCH_QUERIES <= what->queries; first += TORCH_QUERIES)
        attend_rows(what, first, TORCH_QUERIES);
    for (; first < what->queries; first++) attend_rows(what, first, 1);
}

/* scores[j] = query key_j for `keys` (1 or 4) keys from `first` on. */
INLINE void chain_scores(const torch_chain *what, const float *query, int64_t first, int keys,
                         float *scores) {
    const int64_t wide = torch_padded(what->head);
    floats sums[4] = {{0}};
    for (int64_t c = 0; c < wide; c += WIDTH) {
        const floats part = load(query + c);
        UNROLLED
        for (int j = 0; j < keys; j++) {
            sums[j] += part * load(what->tokens[first + j] + what->place + c);
            if (what->later == NULL) continue;
            FETCH(what->later[first + j] + what->place + c);
            FETCH(what->later[first + j] + what->place + what->value_place + c);
        }
    }
    const four_floats found = sums_of(sums);
    memcpy(scores + first, &found, (size_t)keys * sizeof *scores);
}

/* out = the values times scores, `vectors` (1 or 4) vectors of them from component c on. */
INLINE void chain_values(const torch_chain *what, const float *scores, int64_t c, int vectors,
                         float part, float *out) {
    const int64_t place = what->place + what->value_place + c;
    floats sums[4] = {{0}};
    for (int64_t j = 0; j < what->keys; j++) {
        const float *value = what->tokens[j] + place;
        UNROLLED
        for (int v = 0; v < vectors; v++) sums[v] += load(value + v * WIDTH) * scores[j];
    }
    UNROLLED
    for (int v = 0; v < vectors; v++) store(out + c + v * WIDTH, sums[v] * part);
}

static void attend_chain(const torch_chain *what) {
    const int64_t head = what->head, padded = torch_padded(what->keys), wide = torch_padded(head);
    float *scores = what->scratch, *mixed = scores + TORCH_QUERIES * padded;
    int64_t j = 0, c = 0;
    memset(mixed, 0, (size_t)wide * sizeof *mixed);
    for (int64_t i = 0; i < head; i++) mixed[i] = what->query[i] * what->scale;
    for (; j + 4 <= what->keys; j += 4) chain_scores(what, mixed, j, 4, scores);
    for (; j < what->keys; j++) chain_scores(what, mixed, j, 1, scores);
    for (j = 0; what->bias != NULL && j < what->keys; j++) scores[j] += what->bias[j];
    const float part = soften(scores, what->keys, padded);
    for (; c + 4 * WIDTH <= wide; c += 4 * WIDTH) chain_values(what, scores, c, 4, part, mixed);
    for (; c < wide; c += WIDTH) chain_values(what, scores, c, 1, part, mixed);
    memcpy(what->out, mixed, (size_t)head * sizeof *mixed);
}

/* Vectors that find_best() looks at together, and that log_sum() adds in float32. */
enum { TOGETHER = 4, SUMMED = 64 };

/* Puts `place` behind the places of values that are not smaller; best has *found of most entries,
 * and loses its last one where it is full. */
INLINE void insert(const float *values, int64_t place, int64_t most, int64_t *best,
                   int64_t *found) {
    int64_t i = *found < most ? (*found)++ : most - 1;
    for (; i > 0 && values[best[i - 1]] < values[place]; i--) best[i] = best[i - 1];
    best[i] = place;
}

/* Passes over blocks without a value above the least of the best so far, once there are `most`. */
static int64_t find_best(const float *values, int64_t count, int64_t most, int64_t *ids) {
    enum { BLOCK = TOGETHER * WIDTH };
    int64_t found = 0;
    float bound = -INFINITY; /* a value must be greater to be among the best */
    for (int64_t from = 0; from < count; from += BLOCK) {
        const int64_t size = count - from < BLOCK ? count - from : BLOCK;
        if (size == BLOCK) {
            floats high = all_of(bound);
            UNROLLED
            for (int v = 0; v < TOGETHER; v++)
                high = greater(load(values + from + v * WIDTH), high);
            if (!(greatest_of(high) > bound)) continue;
        }
        for (int64_t i = from; i < from + size; i++) {
            if (!(values[i] > bound)) continue;
            insert(values, i, most, ids, &found);
            if (found == most) bound = values[ids[most - 1]];
        }
    }
    return found;
}

/* Adds SUMMED vectors at a time in float32, whose errors stay small, and their sums in double; the
 * rest of a vector is filled up with minus infinity, whose exp is 0. */
static double log_sum(const float *values, int64_t count, float greatest) {
    double sum = 0;
    for (int64_t from = 0; from < count; from += SUMMED * WIDTH) {
        const int64_t end = count - from < SUMMED * WIDTH ? count : from + SUMMED * WIDTH;
        floats part = {0};
        int64_t i = from;
        for (; i + WIDTH <= end; i += WIDTH) part += exp_of(load(values + i) - greatest);
        if (i < end) {
            float rest[WIDTH];
            store(rest, all_of(-INFINITY));
            memcpy(rest, values + i, (size_t)(end - i) * sizeof *rest);
            part += exp_of(load(rest) - greatest);
        }
        sum += (double)sum_of(part);
    }
    return log(sum);
}

INLINE void norm_row(const torch_norm *by, const float *x, int64_t size, float *out) {
    floats squares = {0};
    int64_t i = 0;
    for (; i + WIDTH <= size; i += WIDTH) squares += load(x + i) * load(x + i);
    float sum = sum_of(squares);
    for (int64_t k = i; k < size; k++) sum += x[k] * x[k];
    const float factor = 1.0f / sqrtf(sum / (float)size + by->epsilon);
    for (i = 0; i + WIDTH <= size; i += WIDTH)
        store(out + i, load(x + i) * factor * (load(by->weight + i) + by->raise));
    for (; i < size; i++) out[i] = x[i] * factor * (by->weight[i] + by->raise);
}

/* The mean and variance of float32 sums are corrected by what these leave: the sum of x - mean is 0
 * only up to their rounding. So a row of equal values has its value as mean and the variance 0, as
 * with torch; else its rounding errors would be divided by the root of epsilon, which is small. */
INLINE void layer_norm_row(const torch_norm *by, const float *x, int64_t size, float *out) {
    floats sums = {0}, lefts = {0}, squares = {0};
    int64_t i = 0;
    for (; i + WIDTH <= size; i += WIDTH) sums += load(x + i);
    float sum = sum_of(sums), left = 0, square = 0;
    for (int64_t k = i; k < size; k++) sum += x[k];
    const float first = sum / (float)size;
    for (int64_t k = i; k < size; k++) {
        left += x[k] - first;
        square += (x[k] - first) * (x[k] - first);
    }
    for (i = 0; i + WIDTH <= size; i += WIDTH) {
        const floats from_mean = load(x + i) - first;
        lefts += from_mean;
        squares += from_mean * from_mean;
    }
    const float correction = (sum_of(lefts) + left) / (float)size, mean = first + correction,
                variance = (sum_of(squares) + square) / (float)size - correction * correction,
                factor = 1.0f / sqrtf((variance > 0 ? variance : 0) + by->epsilon);
    for (i = 0; i + WIDTH <= size; i += WIDTH) {
        const floats value = (load(x + i) - mean) * factor * load(by->weight + i);
        store(out + i, by->bias == NULL ? value : value + load(by->bias + i));
    }
    for (; i < size; i++)
        out[i] = (x[i] - mean) * factor * by->weight[i] + (by->bias == NULL ? 0 : by->bias[i]);
}

static void norm(const torch_norm *by, const float *x, int64_t count, int64_t size, float *out) {
    for (int64_t r = 0; r < count; r++, x += size, out += size)
        if (by->centered)
            layer_norm_row(by, x, size, out);
        else
            norm_row(by, x, size, out);
}

/* One head of a query or key. */
INLINE void turn_head(const torch_turn *what, const torch_norm *by, const float *x, float *out) {
    const int64_t head = what->head, half = head / 2;
    if (by->weight != NULL)
        norm_row(by, x, head, out);
    else
        memcpy(out, x, (size_t)head * sizeof *out);
    if (what->cosine == NULL) return;
    const float *cosine = what->cosine, *sine = what->sine;
    int64_t i = 0;
    for (; i + WIDTH <= half; i += WIDTH) {
        const floats first = load(out + i), second = load(out + half + i);
        store(out + i, first * load(cosine + i) - second * load(sine + i));
        store(out + half + i, second * load(cosine + half + i) + first * load(sine + half + i));
    }
    for (; i < half; i++) {
        const float first = out[i], second = out[half + i];
        out[i] = first * cosine[i] - second * sine[i];
        out[half + i] = second * cosine[half + i] + first * sine[half + i];
    }
}

static void turn(const torch_turn *what) {
    const int64_t head = what->head, heads = what->heads, group = heads / what->kv_heads;
    const size_t bytes = (size_t)head * sizeof(float);
    const float *from = what->projected;
    float *to = what->out;
    for (int64_t h = 0; h < heads; h++, from += head, to += head)
        turn_head(what, &what->query_norm, from, to);
    for (int part = 1; part < 3; part++)
        for (int64_t h = 0; h < what->kv_heads; h++, from += head) {
            if (part == 1)
                turn_head(what, &what->key_norm, from, to);
            else
                memcpy(to, from, bytes);
            const float *first = to;
            to += head;
            for (int64_t g = 1; g < group; g++, to += head) memcpy(to, first, bytes);
        }
}

extern const torch_kernels TORCH_ENGINE;
const torch_kernels TORCH_ENGINE = {lay_out, attend, attend_chain, find_best, log_sum, norm, turn};
