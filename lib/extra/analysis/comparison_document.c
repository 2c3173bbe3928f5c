/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as JSON (docs/schemas/comparison.schema.json). */
#include <math.h>

#include "alcore/version.h"
#include "extra/analysis/comparison_internal.h"

enum { ORDERS = ALCORE__COMPARED_ORDERS };

/* Writes one measure of each order as an array. */
static void put_numbers(alcore__json_out *json, const char *key, const double *values,
                        int64_t count) {
    alcore__json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) alcore__json_put_number(json, NULL, values[i]);
    alcore__json_close(json, ']');
}

static void put_integers(alcore__json_out *json, const char *key, const int64_t *values,
                         int64_t count) {
    alcore__json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) alcore__json_put_integer(json, NULL, values[i]);
    alcore__json_close(json, ']');
}

static void put_reach(alcore__json_out *json, const char *key, const alcore__reach *reach) {
    alcore__json_open(json, key, '{');
    put_numbers(json, "types", reach->types, ORDERS);
    put_numbers(json, "tokens", reach->tokens, ORDERS);
    alcore__json_close(json, '}');
}

static void put_lengths(alcore__json_out *json, const alcore__compared *one) {
    alcore__json_open(json, "lengths", '{');
    alcore__json_put_number(json, "mean", one->mean_words);
    alcore__json_put_number(json, "first_quartile", one->quartile[0]);
    alcore__json_put_number(json, "median", one->quartile[1]);
    alcore__json_put_number(json, "third_quartile", one->quartile[2]);
    alcore__json_close(json, '}');
}

static void put_languages(alcore__json_out *json, const alcore__compared *one) {
    alcore__json_open(json, "languages", '[');
    for (int64_t i = 0; i < one->language_count; i++) {
        alcore__json_open(json, NULL, '{');
        alcore__json_put_string(json, "name", one->languages[i].name);
        alcore__json_put_integer(json, "count", one->languages[i].count);
        alcore__json_put_number(json, "share",
                                (double)one->languages[i].count / (double)one->items);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
}

static void put_samples(alcore__json_out *json, const alcore__compared *one) {
    const alcore_pool *pool = alcore_selection_pool(one->picked);
    alcore__json_open(json, "samples", '[');
    for (int64_t i = 0; i < alcore__compared_samples(one->items); i++) {
        const int64_t rank = alcore__compared_sample(one->items, i);
        const int64_t row = alcore_selection_rows(one->picked)[rank];
        char number[24]; /* for the id of a row without one */
        size_t length;
        const char *text = alcore_pool_text(pool, row, &length);
        alcore__json_open(json, NULL, '{');
        alcore__json_put_integer(json, "rank", rank + 1);
        alcore__json_put_string(json, "id", alcore__pool_id(pool, row, number));
        alcore__json_put_integer(json, "words", alcore_pool_words(pool, row));
        alcore__json_put_string(json, "reason", alcore_selection_reason(one->picked, rank));
        alcore__json_put_text(json, "text", text, length);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
}

static void put_amounts(alcore__json_out *json, const alcore__compared *one) {
    const alcore__price *price = &one->picked->ranking->price;
    alcore__json_put_integer(json, "items", one->items);
    if (one->phrases >= 0) alcore__json_put_integer(json, "phrases", one->phrases);
    alcore__json_put_integer(json, "words", one->words);
    alcore__json_put_integer(json, "characters", one->characters);
    alcore__json_put_number(json, "spent", one->spent);
    if (isnan(price->amount)) return;
    alcore__json_put_number(json, "amount", one->amount);
    alcore__json_put_string(json, "currency", price->currency);
}

static void put_compared(alcore__json_out *json, const alcore_comparison *self,
                         const alcore__compared *one) {
    const alcore__ranking *ranking = one->picked->ranking;
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "name", one->name);
    alcore__json_put_string(json, "strategy", ranking->strategy);
    alcore__json_put_raw(json, "parameters", ranking->parameters);
    alcore__json_put_flag(json, "added", one->added);
    put_amounts(json, one);
    put_lengths(json, one);
    put_reach(json, "pool", &one->pool);
    if (self->has_test) put_reach(json, "test", &one->test);
    put_integers(json, "distinct", one->types, ORDERS);
    put_numbers(json, "repeated", one->repeated, ORDERS);
    alcore__json_put_number(json, "near_duplicates", one->near_duplicates);
    put_languages(json, one);
    put_samples(json, one);
    alcore__json_close(json, '}');
}

/* Writes a matrix [count, count] row by row. */
static void put_matrix(alcore__json_out *json, const char *key, const int64_t *values,
                       int64_t count) {
    alcore__json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) put_integers(json, NULL, &values[i * count], count);
    alcore__json_close(json, ']');
}

static void put_comparison(alcore__json_out *json, const alcore_comparison *self) {
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "schema", "alcore-comparison-1");
    alcore__json_put_string(json, "version", alcore_version());
    alcore__json_put_number(json, "budget", self->budget);
    alcore__json_put_string(json, "unit", alcore__unit_name(self->unit));
    alcore__json_put_integer(json, "rows", self->pool_rows);
    alcore__json_open(json, "strategies", '[');
    for (int64_t i = 0; i < self->count; i++) put_compared(json, self, &self->compared[i]);
    alcore__json_close(json, ']');
    put_matrix(json, "shared_picks", self->shared_picks, self->count);
    put_matrix(json, "shared_words", self->shared_words, self->count);
    alcore__json_close(json, '}');
}

alcore_status alcore__comparison_lock(const alcore_comparison *self, int64_t *locked) {
    for (*locked = 0; *locked < self->count; (*locked)++)
        ALCORE__TRY(
            alcore__read_begin(alcore_selection_pool(self->compared[*locked].picked), "pool"));
    return ALCORE_OK;
}

void alcore__comparison_unlock(const alcore_comparison *self, int64_t locked) {
    for (int64_t i = 0; i < locked; i++)
        alcore__read_end(alcore_selection_pool(self->compared[i].picked));
}

alcore_status alcore__comparison_describe(alcore_comparison *self) {
    alcore__json_out json = {.ctx = self->object.ctx};
    int64_t locked = 0;
    json.status = alcore__comparison_lock(self, &locked);
    if (json.status == ALCORE_OK) put_comparison(&json, self);
    alcore__comparison_unlock(self, locked);
    self->document = json.text;
    return json.status;
}
