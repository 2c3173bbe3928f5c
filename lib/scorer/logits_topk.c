/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from the log-probabilities of the likeliest classes, as inference servers give them
 * (alcore_logits_put_topk).
 *
 * Of each token m classes are known: those of its row of `top`, and the token itself where it is
 * none of them. P is the sum of their probabilities, R = 1 - P what the other classes share. As
 * `top` has the likeliest ones, none of the others is likelier than the least likely of `top`; what
 * contradicts that is refused. Each token is computed by itself, so that the result does not depend
 * on the number of threads. Memory: 8 bytes a token for each statistic that is wanted. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/tensor_view.h"
#include "pool/number_type.h"
#include "scorer/token_columns.h"

/* Tokens of a task. */
enum { TASK_TOKENS = 4096 };

/* How OpenAI's protocol writes that a token is not among the likeliest, and vLLM's server minus
 * infinity: JSON has no infinity. */
#define NOT_THERE (-9999.0)

/* Two log-probabilities of the same class that were written from one number. */
#define EQUAL 1e-6

/* How much the probabilities of a token may exceed 1, a log-probability 0 or another one that it is
 * compared with, by rounding: float16 and bfloat16 have 11 and 8 bits. */
#define ROUNDING 1e-3
#define NARROW_ROUNDING 2e-2

/* One call. */
typedef struct reading {
    alcore__token_items items;
    alcore__array logprobs, top, ids, top_ids; /* data NULL: not given */
    int64_t tokens, k;
    int64_t classes; /* 0: not known */
    int32_t rest;    /* ALCORE_REST_* */
    double rounding;
    double *found[ALCORE__TOKEN_STATISTICS]; /* [tokens] each, owned; NULL: not wanted */
    int64_t *sorted; /* [threads, k] workspace of each thread: ids of a token; owned; NULL: `top`
                        has no ids */
} reading;

/* What is known of the classes of one token. */
typedef struct known {
    double logprob;       /* of the token; NaN: not given */
    double first, second; /* the two largest log-probabilities of `top`; minus infinity: none */
    double least;         /* the smallest of `top` */
    int64_t listed;       /* classes of `top` */
    int64_t count;        /* the same, with the token itself where it is none of them */
    double mass;          /* P */
    double entropy;       /* - sum of p log p of the known classes */
} known;

/* ---- reading ---- */

/* The number, or the integer, of an array [tokens, columns] as the caller has it. */
static double number_at(const alcore__array *array, int64_t row, int64_t column) {
    const size_t bytes = alcore_sys_dtype_bytes(array->dtype);
    return alcore__widen(array->dtype, (const char *)array->data +
                                           (size_t)(row * array->stride + column) * bytes);
}

static int64_t id_at(const alcore__array *array, int64_t row, int64_t column) {
    const size_t bytes = alcore_sys_dtype_bytes(array->dtype);
    return alcore__read_integer(array->dtype, (const char *)array->data +
                                                  (size_t)(row * array->stride + column) * bytes);
}

/* The error for token t of the call, which is below offsets[count]: names its row of the pool and
 * its number in the row. Items without tokens are passed over. */
static alcore_status fail_at(const reading *self, int64_t t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static alcore_status fail_at(const reading *self, int64_t t, const char *format, ...) {
    char what[192];
    int64_t item = 0;
    va_list arguments;
    va_start(arguments, format);
    alcore__format_v(what, sizeof what, format, arguments);
    va_end(arguments);
    while (self->items.offsets[item + 1] <= t) item++;
    return alcore__fail(ALCORE_E_DATA, "row %" PRId64 ", token %" PRId64 ": %s",
                        self->items.rows[item], t - self->items.offsets[item], what);
}

/* Checks a log-probability of token t: *out is `value`, but at most 0. of: whose it is, for the
 * message. A NaN and one above 0 by more than rounding are errors; servers write a very small one
 * where a class is not there (NOT_THERE), which stays as it is. */
static alcore_status read_logprob(const reading *self, int64_t t, double value, const char *of,
                                  double *out) {
    if (isnan(value)) return fail_at(self, t, "the log-probability of %s is NaN", of);
    if (value > self->rounding)
        return fail_at(self, t, "the log-probability of %s is %g, above 0", of, value);
    *out = value < 0 ? value : 0;
    return ALCORE_OK;
}

/* Whether two log-probabilities of one class are the same but for rounding. */
static bool is_equal(double a, double b) {
    return fabs(a - b) <= EQUAL * fmax(1, fabs(b));
}

/* Whether two log-probabilities of one class differ by more than the types of arrays explain. */
static bool differs(const reading *self, double a, double b) {
    return fabs(a - b) > self->rounding * fmax(1, fabs(b));
}

/* Whether a class of `top` is the token t itself, whose log-probability is known. */
static bool is_token(const reading *self, int64_t t, int64_t place, double value, double logprob) {
    if (self->ids.data && self->top_ids.data)
        return id_at(&self->ids, t, 0) == id_at(&self->top_ids, t, place);
    return is_equal(value, logprob);
}

/* Adds a class of this log-probability to what is known. */
static void add_class(known *out, double logprob) {
    const double p = exp(logprob);
    out->count++;
    out->mass += p;
    if (p > 0) out->entropy -= p * logprob;
}

/* Adds a class of `top`. */
static void add_listed(known *out, double logprob) {
    out->listed++;
    out->least = fmin(out->least, logprob);
    out->second = fmax(out->second, fmin(out->first, logprob));
    out->first = fmax(out->first, logprob);
    add_class(out, logprob);
}

/* Reads what is known of token t: the classes of its row of `top` that are there, and the token
 * itself once, whether it is among them or beside them. An error where both say different things of
 * the token, where a row has no class, and where the token is likelier than one of `top` without
 * being in it: then `top` does not have the likeliest. */
static alcore_status read_token(const reading *self, int64_t t, known *out) {
    bool among = false; /* the token is one of `top` */
    *out = (known){.logprob = (double)NAN,
                   .first = -(double)INFINITY,
                   .second = -(double)INFINITY,
                   .least = 0};
    if (self->logprobs.data)
        ALCORE__TRY(
            read_logprob(self, t, number_at(&self->logprobs, t, 0), "the token", &out->logprob));
    if (!self->top.data) return ALCORE_OK;
    for (int64_t place = 0; place < self->k; place++) {
        double value = 0;
        ALCORE__TRY(
            read_logprob(self, t, number_at(&self->top, t, place), "one of the likeliest", &value));
        if (value <= NOT_THERE) continue;
        if (is_token(self, t, place, value, out->logprob)) {
            if (self->logprobs.data && differs(self, value, out->logprob))
                return fail_at(self, t,
                               "its log-probability is %g, and %g among the likeliest classes",
                               out->logprob, value);
            among = true;
        }
        add_listed(out, value);
    }
    if (out->listed == 0) return fail_at(self, t, "no likeliest class is given");
    if (!self->logprobs.data || among || out->logprob <= NOT_THERE) return ALCORE_OK;
    if (out->logprob > out->least + self->rounding)
        return fail_at(self, t,
                       "it is none of the likeliest classes, and likelier (%g) than one of them "
                       "(%g)",
                       out->logprob, out->least);
    add_class(out, out->logprob);
    return ALCORE_OK;
}

/* ---- checking ---- */

/* Refuses an id outside the classes. */
static alcore_status check_id(const reading *self, int64_t t, int64_t id) {
    if (id >= 0 && (self->classes == 0 || id < self->classes)) return ALCORE_OK;
    return fail_at(self, t, "the class %" PRId64 " is not one of 0 .. %" PRId64, id,
                   self->classes ? self->classes - 1 : INT64_MAX);
}

/* Refuses ids of token t outside the classes and a class twice in `top`, where something is there.
 */
static alcore_status check_ids(const reading *self, int64_t t, int32_t worker) {
    int64_t count = 0, *sorted = self->sorted + worker * self->k;
    if (self->ids.data) ALCORE__TRY(check_id(self, t, id_at(&self->ids, t, 0)));
    for (int64_t place = 0; place < self->k; place++) {
        if (number_at(&self->top, t, place) <= NOT_THERE) continue;
        sorted[count] = id_at(&self->top_ids, t, place);
        ALCORE__TRY(check_id(self, t, sorted[count++]));
    }
    qsort(sorted, (size_t)count, sizeof *sorted, alcore__ascending);
    for (int64_t i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1])
            return fail_at(self, t, "the class %" PRId64 " is given twice", sorted[i]);
    return ALCORE_OK;
}

/* Refuses probabilities of token t that no model can give: a sum above 1, and where the number of
 * classes is known, more classes than there are, or more left over than those can have that are not
 * given, none of which is likelier than the least likely of `top`. More classes than there are come
 * without ids only: where `top` has too many columns, or has all classes and none of them has the
 * log-probability that the token is given with, which then counts as one more. */
static alcore_status check_mass(const reading *self, int64_t t, const known *of) {
    if (of->mass > 1 + self->rounding)
        return fail_at(self, t,
                       "the probabilities of its classes add up to %g; are these natural "
                       "logarithms?",
                       of->mass);
    if (self->classes == 0) return ALCORE_OK;
    if (of->count > self->classes)
        return fail_at(self, t, "%" PRId64 " classes are given, and there are %" PRId64, of->count,
                       self->classes);
    const double room = (double)(self->classes - of->count) * exp(of->least);
    if (1 - of->mass > room + self->rounding)
        return fail_at(self, t,
                       "%g of the probability is left for the %" PRId64
                       " classes that are not given, none likelier than %g",
                       1 - of->mass, self->classes - of->count, exp(of->least));
    return ALCORE_OK;
}

/* ---- measuring ---- */

/* The part of the entropy that the classes share which are not given. */
static double rest_entropy(const reading *self, const known *of) {
    const double rest = 1 - of->mass;
    if (rest <= 0) return 0;
    if (self->rest == ALCORE_REST_ONE_CLASS || of->count == self->classes) return -rest * log(rest);
    return -rest * log(rest / (double)(self->classes - of->count));
}

/* *out: probability of the likeliest class minus that of the second. The second one is not known of
 * a token with one class in `top`, unless that has all the mass. */
static alcore_status find_margin(const reading *self, int64_t t, const known *of, double *out) {
    if (of->listed == 1 && 1 - exp(of->first) > self->rounding)
        return fail_at(self, t, "a margin needs the two likeliest classes, and one is given");
    *out = exp(of->first) - exp(of->second);
    return ALCORE_OK;
}

/* Fills the statistics of token t that are wanted, after it was checked. A margin is checked last,
 * as it alone needs two classes. */
static alcore_status measure_token(const reading *self, int64_t t, int32_t worker) {
    known of;
    double *const *found = self->found;
    ALCORE__TRY(read_token(self, t, &of));
    if (self->sorted) ALCORE__TRY(check_ids(self, t, worker));
    if (self->top.data) ALCORE__TRY(check_mass(self, t, &of));
    if (found[ALCORE__TOKEN_LOGPROB]) found[ALCORE__TOKEN_LOGPROB][t] = of.logprob;
    if (found[ALCORE__TOKEN_CONFIDENCE]) found[ALCORE__TOKEN_CONFIDENCE][t] = exp(of.first);
    if (found[ALCORE__TOKEN_ENTROPY])
        found[ALCORE__TOKEN_ENTROPY][t] = of.entropy + rest_entropy(self, &of);
    return found[ALCORE__TOKEN_MARGIN] ? find_margin(self, t, &of, &found[ALCORE__TOKEN_MARGIN][t])
                                       : ALCORE_OK;
}

/* Task `index` of alcore__parallel(): measures TASK_TOKENS tokens. */
static alcore_status measure_task(void *data, int64_t index, int32_t worker) {
    const reading *self = data;
    const int64_t first = index * TASK_TOKENS;
    for (int64_t t = first; t < self->tokens && t < first + TASK_TOKENS; t++)
        ALCORE__TRY(measure_token(self, t, worker));
    return ALCORE_OK;
}

/* alcore__token_items.gather: all tokens of the call take part. */
static void gather(const void *source, alcore__token_statistic what, double *out) {
    const reading *self = source;
    if (self->tokens > 0) memcpy(out, self->found[what], (size_t)self->tokens * sizeof *out);
}

/* ---- the call ---- */

/* Reads an array of the caller, NULL for none: [tokens, columns] of floats or of integers, [tokens]
 * being one column; columns -1: any number. The first array that is read says how many tokens there
 * are. */
static alcore_status read_array(reading *self, const alcore_tensor *tensor, const char *name,
                                bool integers, int64_t columns, alcore__array *out) {
    *out = (alcore__array){0};
    if (!tensor) return ALCORE_OK;
    ALCORE__TRY(alcore__tensor_view(tensor, name, out));
    if (integers ? !alcore__dtype_is_integer(out->dtype) : !alcore__dtype_is_float(out->dtype))
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected %s, found %s", name,
                            integers ? "int32 or int64" : "float16, bfloat16, float32 or float64",
                            alcore__dtype_name(out->dtype));
    if (self->tokens < 0) self->tokens = out->rows;
    if (columns < 0) columns = out->columns;
    if (out->rows != self->tokens || out->columns != columns)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: expected [%" PRId64 ", %" PRId64 "], found [%" PRId64 ", %" PRId64
                            "]",
                            name, self->tokens, columns, out->rows, out->columns);
    static char nothing; /* an array without tokens may have no memory, and is given all the same */
    if (!out->data) out->data = &nothing;
    if (out->dtype == ALCORE_FLOAT16 || out->dtype == ALCORE_BFLOAT16)
        self->rounding = NARROW_ROUNDING;
    return ALCORE_OK;
}

/* Reads the arrays of the caller, of which logprobs or top is there: sets tokens, k and the
 * rounding of their type. ids go with top_ids, by which a token is found among its likeliest
 * classes. */
static alcore_status read_arrays(reading *self, const alcore_topk *given) {
    self->tokens = -1; /* not known */
    self->rounding = ROUNDING;
    ALCORE__TRY(read_array(self, given->logprobs, "logprobs", false, 1, &self->logprobs));
    ALCORE__TRY(read_array(self, given->top, "top", false, -1 /* any number */, &self->top));
    if (self->tokens < 0)
        return alcore__fail(ALCORE_E_INVALID, "alcore_topk has neither logprobs nor top");
    self->k = self->top.columns;
    if (self->top.data && self->k == 0 && self->tokens > 0)
        return alcore__fail(ALCORE_E_SHAPE, "top: the tokens have no classes, [%" PRId64 ", 0]",
                            self->tokens);
    if ((given->ids && !given->top_ids) || (given->top_ids && !given->top))
        return alcore__fail(ALCORE_E_INVALID, "alcore_topk: %s",
                            given->top_ids ? "top_ids need top" : "ids need top_ids");
    ALCORE__TRY(read_array(self, given->ids, "ids", true, 1, &self->ids));
    return read_array(self, given->top_ids, "top_ids", true, self->k, &self->top_ids);
}

/* Reads the settings of the caller: how many classes there are, and how the rest of the probability
 * is shared among those that are not given, which for equal shares must be counted. */
static alcore_status read_settings(reading *self, const alcore_topk *given) {
    self->classes = given->classes;
    self->rest = given->rest ? given->rest : ALCORE_REST_ONE_CLASS;
    if (self->classes < 0) return alcore__fail(ALCORE_E_PARAM, "alcore_topk: classes is negative");
    if (self->rest != ALCORE_REST_ONE_CLASS && self->rest != ALCORE_REST_UNIFORM)
        return alcore__fail(ALCORE_E_PARAM, "alcore_topk: rest is %d, not one of ALCORE_REST_*",
                            given->rest);
    if (self->rest == ALCORE_REST_UNIFORM && self->classes == 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_topk: ALCORE_REST_UNIFORM needs the number of classes");
    return alcore__struct_reserved(given->reserved, "alcore_topk");
}

/* Fills the numbers of tokens of the items and where each item begins. Without lengths of the
 * caller all items have the same number of tokens. */
static alcore_status read_lengths(reading *self, const alcore_topk *given) {
    alcore__token_items *items = &self->items;
    const int64_t count = items->count;
    if (!given->lengths && given->length_count != 0)
        return alcore__fail(ALCORE_E_INVALID, "lengths is NULL, length_count is %" PRId64,
                            given->length_count);
    if (given->lengths && given->length_count != count)
        return alcore__fail(ALCORE_E_SHAPE, "%" PRId64 " lengths for %" PRId64 " items",
                            given->length_count, count);
    for (int64_t i = 0; i < count; i++) {
        items->lengths[i] = given->lengths ? given->lengths[i] : self->tokens / count;
        if (items->lengths[i] < 0 || items->lengths[i] > self->tokens - items->offsets[i])
            return alcore__fail(ALCORE_E_SHAPE,
                                "lengths: item %" PRId64 " has %" PRId64 " tokens, and %" PRId64
                                " are left",
                                i, items->lengths[i], self->tokens - items->offsets[i]);
        items->offsets[i + 1] = items->offsets[i] + items->lengths[i];
    }
    if (items->offsets[count] != self->tokens)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the items have %" PRId64 " tokens, and the arrays %" PRId64,
                            items->offsets[count], self->tokens);
    return ALCORE_OK;
}

/* Allocates self->found for the statistics that the writers want, each of which needs its array,
 * and self->sorted where there are ids. The caller frees both, also after a failure. */
static alcore_status make_arrays(reading *self, const alcore_logits_writers *writers) {
    alcore_ctx *ctx = self->items.ctx;
    bool wanted[ALCORE__TOKEN_STATISTICS];
    alcore__token_writers_want(writers, wanted);
    for (int i = 0; i < ALCORE__TOKEN_STATISTICS; i++) {
        const alcore__array *source = i == ALCORE__TOKEN_LOGPROB ? &self->logprobs : &self->top;
        if (!wanted[i]) continue;
        if (!source->data)
            return alcore__fail(ALCORE_E_INVALID, "%s is NULL, of which a column is wanted",
                                i == ALCORE__TOKEN_LOGPROB ? "logprobs" : "top");
        ALCORE__TRY(alcore__new_array(ctx, (size_t)self->tokens, sizeof(double), &self->found[i]));
    }
    if (!self->top_ids.data) return ALCORE_OK;
    return alcore__new_array(ctx, (size_t)self->k * (size_t)alcore_ctx_threads(ctx),
                             sizeof *self->sorted, &self->sorted);
}

/* Reads, measures on the threads and puts the columns; the caller frees what self owns, also after
 * a failure. Lengths are read after the arrays, which say how many tokens they share. */
static alcore_status put_topk(reading *self, const alcore_topk *given,
                              const alcore_logits_writers *writers) {
    ALCORE__TRY(read_settings(self, given));
    ALCORE__TRY(read_arrays(self, given));
    ALCORE__TRY(alcore__token_items_init(&self->items));
    ALCORE__TRY(read_lengths(self, given));
    ALCORE__TRY(make_arrays(self, writers));
    ALCORE__TRY(alcore__parallel(self->items.ctx, "token statistics",
                                 (self->tokens + TASK_TOKENS - 1) / TASK_TOKENS, measure_task,
                                 self));
    return alcore__token_columns_put(&self->items, writers);
}

/* Body of alcore_logits_put_topk(): reads the structs by their sizes, then all else. rows [count]:
 * the pool row of each item, borrowed. */
static alcore_status put_call(alcore_ctx *ctx, const alcore_topk *given, const int64_t *rows,
                              int64_t count, const alcore_logits_writers *out) {
    alcore_topk ours;
    alcore_logits_writers writers;
    if (!ctx || !given || !out)
        return alcore__fail(ALCORE_E_INVALID, "%s is NULL", !ctx ? "ctx" : given ? "out" : "topk");
    if (count < 0 || (count > 0 && !rows))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " rows at %p", count, (const void *)rows);
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours, ALCORE__FIRST_SIZE(alcore_topk, reserved),
                                    given, "alcore_topk"));
    ALCORE__TRY(alcore__token_writers_read(out, &writers));
    reading self = {.items = {.ctx = ctx, .rows = rows, .count = count, .gather = gather}};
    self.items.source = &self;
    const alcore_status status = put_topk(&self, &ours, &writers);
    for (int i = 0; i < ALCORE__TOKEN_STATISTICS; i++) alcore__free(ctx, self.found[i]);
    alcore__free(ctx, self.sorted);
    alcore__token_items_clear(&self.items);
    return status;
}

alcore_status alcore_logits_put_topk(alcore_ctx *ctx, const alcore_topk *topk, const int64_t *rows,
                                     int64_t count, const alcore_logits_writers *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, put_call(ctx, topk, rows, count, out));
}
