/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a file: its table, a line for each strategy, or its document. */
#include <string.h>

#include "extra/analysis/comparison_internal.h"
#include "formats/table_writer.h"

enum { ORDERS = ALCORE__COMPARED_ORDERS };

/* ---- the table ---- */

static const char *const columns[] = {"strategy",
                                      "items",
                                      "phrases",
                                      "words",
                                      "characters",
                                      "spent",
                                      "amount",
                                      "words_mean",
                                      "words_q1",
                                      "words_median",
                                      "words_q3",
                                      "pool_words",
                                      "pool_tokens",
                                      "pool_2grams",
                                      "pool_2gram_tokens",
                                      "pool_3grams",
                                      "pool_3gram_tokens",
                                      "test_words",
                                      "test_tokens",
                                      "test_2grams",
                                      "test_2gram_tokens",
                                      "test_3grams",
                                      "test_3gram_tokens",
                                      "distinct_words",
                                      "distinct_2grams",
                                      "distinct_3grams",
                                      "repeated_words",
                                      "repeated_2grams",
                                      "repeated_3grams",
                                      "near_duplicates",
                                      "languages"};

/* Puts the names of the columns of one matrix: "shared_picks_NAME" of each strategy. */
static alcore_status put_names(alcore__table *table, const alcore_comparison *self,
                               const char *matrix) {
    alcore__buffer name = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < self->count && status == ALCORE_OK; i++) {
        name.length = 0;
        status = alcore__buffer_format(table->ctx, &name, "%s_%s", matrix, self->compared[i].name);
        if (status == ALCORE_OK) status = alcore__table_put_text(table, name.data, name.length);
    }
    alcore__buffer_clear(table->ctx, &name);
    return status;
}

static alcore_status put_header(alcore__table *table, const alcore_comparison *self) {
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        ALCORE__TRY(alcore__table_put_string(table, columns[i]));
    ALCORE__TRY(put_names(table, self, "shared_picks"));
    ALCORE__TRY(put_names(table, self, "shared_words"));
    return alcore__table_end_line(table);
}

static alcore_status put_numbers(alcore__table *table, const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) ALCORE__TRY(alcore__table_put_number(table, values[i]));
    return ALCORE_OK;
}

static alcore_status put_integers(alcore__table *table, const int64_t *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) ALCORE__TRY(alcore__table_put_integer(table, values[i]));
    return ALCORE_OK;
}

static alcore_status put_reach(alcore__table *table, const alcore__reach *reach) {
    for (int n = 0; n < ORDERS; n++) {
        ALCORE__TRY(alcore__table_put_number(table, reach->types[n]));
        ALCORE__TRY(alcore__table_put_number(table, reach->tokens[n]));
    }
    return ALCORE_OK;
}

static alcore_status put_amounts(alcore__table *table, const alcore__compared *one) {
    ALCORE__TRY(alcore__table_put_string(table, one->name));
    ALCORE__TRY(alcore__table_put_integer(table, one->items));
    ALCORE__TRY(one->phrases >= 0 ? alcore__table_put_integer(table, one->phrases)
                                  : alcore__table_put_string(table, ""));
    ALCORE__TRY(alcore__table_put_integer(table, one->words));
    ALCORE__TRY(alcore__table_put_integer(table, one->characters));
    ALCORE__TRY(alcore__table_put_number(table, one->spent));
    ALCORE__TRY(alcore__table_put_number(table, one->amount));
    ALCORE__TRY(alcore__table_put_number(table, one->mean_words));
    return put_numbers(table, one->quartile, 3);
}

static alcore_status put_line(alcore__table *table, const alcore_comparison *self, int64_t i) {
    const alcore__compared *one = &self->compared[i];
    ALCORE__TRY(put_amounts(table, one));
    ALCORE__TRY(put_reach(table, &one->pool));
    ALCORE__TRY(put_reach(table, &one->test));
    ALCORE__TRY(put_integers(table, one->types, ORDERS));
    ALCORE__TRY(put_numbers(table, one->repeated, ORDERS));
    ALCORE__TRY(alcore__table_put_number(table, one->near_duplicates));
    ALCORE__TRY(alcore__table_put_integer(table, one->language_count));
    ALCORE__TRY(put_integers(table, &self->shared_picks[i * self->count], self->count));
    ALCORE__TRY(put_integers(table, &self->shared_words[i * self->count], self->count));
    return alcore__table_end_line(table);
}

static alcore_status write_table(const alcore_comparison *self, const char *path) {
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, self->object.ctx, "a comparison", path, NULL));
    alcore_status status = put_header(&table, self);
    for (int64_t i = 0; i < self->count && status == ALCORE_OK; i++)
        status = put_line(&table, self, i);
    return alcore__table_close(&table, status);
}

/* ---- files ---- */

static alcore_status write_document(const alcore_comparison *self, const char *path) {
    alcore__buffer text = {0};
    alcore_status status =
        alcore__buffer_append(self->object.ctx, &text, self->document.data, self->document.length);
    if (status == ALCORE_OK) status = alcore__buffer_append(self->object.ctx, &text, "\n", 1);
    if (status == ALCORE_OK) status = alcore__write_text(self->object.ctx, path, &text);
    alcore__buffer_clear(self->object.ctx, &text);
    return status;
}

static bool ends_with(const char *path, const char *suffix) {
    const size_t length = strlen(path), bytes = strlen(suffix);
    return length >= bytes && strcmp(path + length - bytes, suffix) == 0;
}

static alcore_status write_by_suffix(const alcore_comparison *self, const char *path) {
    if (strcmp(path, "-") == 0 || ends_with(path, ".tsv") || ends_with(path, ".csv"))
        return write_table(self, path);
    if (ends_with(path, ".json")) return write_document(self, path);
    if (ends_with(path, ".html")) return alcore__comparison_write_page(self, path);
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s: a comparison is written as .tsv, .csv, .json or .html", path);
}

alcore_status alcore_comparison_write(const alcore_comparison *comparison, const char *path) {
    if (!comparison || !path)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_comparison_write: comparison and path are needed");
    ALCORE__TRY(alcore__enter(comparison->object.ctx));
    return alcore__leave(comparison->object.ctx, write_by_suffix(comparison, path));
}
