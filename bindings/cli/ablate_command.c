/* SPDX-License-Identifier: Apache-2.0 */
/* alcore ablate: selects with each weight of a list from one scoring pass and prints a row for
 * each. The weight is the parameter lambda, that of diversity in HUDS, by which the rows are those
 * of HUDS's Table 7 without BLEU; or with --ratio that of the strategy hybrid, the share of the
 * budget that is for sentences. A row has items, words, overlap with a test set, and the shares of
 * the picks that the ends of the scale, weights of 0 and 1, select too. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

enum { WEIGHTS = 32 }; /* entries of --lambda or --ratio at most */

/* One run of the command. */
typedef struct ablation {
    const arguments *args;
    alcore_ctx *ctx;
    inputs in;
    const char *parameter;      /* of the strategy, that the weights are values of */
    const char *texts[WEIGHTS]; /* of the list, views of `list` */
    char *list;
    int64_t count;
    alcore_strategy *strategy;
    alcore_overlap *test;              /* NULL without --test */
    alcore_ablation rows[WEIGHTS];     /* by weight */
    alcore_selection *picked[WEIGHTS]; /* by weight */
    char names[2][64];                 /* what either end is called: "nnll", "diversity" */
} ablation;

/* Splits the list of weights at its commas. The values are checked by the strategy. */
static int read_weights(ablation *self) {
    const arguments *args = self->args;
    const char *strategy = option_value(args, OPTION_STRATEGY, alcore_strategy_recommended());
    const bool ratio = option_given(args, OPTION_RATIO) ||
                       (!strcmp(strategy, "hybrid") && !option_given(args, OPTION_LAMBDA));
    if (ratio && option_given(args, OPTION_LAMBDA))
        return complain(EXIT_USAGE, "--lambda and --ratio exclude each other");
    self->parameter = ratio ? "ratio" : "lambda";
    self->list = strdup(ratio ? option_value(args, OPTION_RATIO, "0,.25,.5,.75,1")
                              : option_value(args, OPTION_LAMBDA, "0,.1,.3,.5,.7,.9,1"));
    if (!self->list) return complain(EXIT_MEMORY, "out of memory");
    strcpy(self->names[0], ratio ? "phrases" : "lambda_0");
    strcpy(self->names[1], ratio ? "sentences" : "lambda_1");
    for (char *next = self->list, *end; next; next = end) {
        end = strchr(next, ',');
        if (end) *end++ = '\0';
        if (self->count == WEIGHTS)
            return complain(EXIT_USAGE, "--%s: %d weights at most", self->parameter, WEIGHTS);
        self->texts[self->count++] = next;
    }
    return EXIT_DONE;
}

/* Makes the strategy and sets values [count] to the weights. A weight that the strategy refuses is
 * refused before anything is selected. */
static int prepare_strategy(ablation *self, double *values) {
    const char *name = option_value(self->args, OPTION_STRATEGY, NULL);
    TRY(outcome(alcore_strategy_new(self->ctx, name, &self->strategy)));
    TRY(set_strategy_parameters(self->args, self->strategy));
    for (int64_t i = 0; i < self->count; i++) {
        TRY(outcome(alcore_strategy_set(self->strategy, self->parameter, self->texts[i])));
        if (!number_of(self->texts[i], &values[i]))
            return complain(EXIT_USAGE, "%s=%s: a number is needed", self->parameter,
                            self->texts[i]);
    }
    return outcome(alcore_request_set_strategy(self->in.request, self->strategy));
}

/* Reads what either term alone is called from the provenance of a selection that mixes them:
 * "alone" of each of "terms", in their order. */
static void read_names(ablation *self, const alcore_selection *picked) {
    json_t *provenance = json_loads(alcore_selection_provenance(picked), 0, NULL);
    const char *key;
    json_t *value;
    int found = 0;
    json_object_foreach(json_object_get(provenance, "terms"), key, value) {
        const char *alone = json_string_value(json_object_get(value, "alone"));
        if (alone && found < 2)
            snprintf(self->names[found++], sizeof self->names[0], "%.60s", alone);
    }
    json_decref(provenance);
}

/* Sets a number of an object; null for NaN. */
static void add_number(json_t *row, const char *key, double value) {
    json_object_set_new(row, key, isnan(value) ? json_null() : json_real(value));
}

/* Appends the row of one weight to a list of objects. */
static void add_row(const ablation *self, const alcore_ablation *found, json_t *rows) {
    json_t *row = json_object();
    char key[80];
    json_object_set_new(row, self->parameter, json_real(found->value));
    json_object_set_new(row, "items", json_integer(found->items));
    if (found->phrases >= 0) json_object_set_new(row, "phrases", json_integer(found->phrases));
    json_object_set_new(row, "words", json_integer(found->words));
    add_number(row, "overlap", found->overlap);
    snprintf(key, sizeof key, "share_%s", self->names[0]);
    add_number(row, key, found->share_of_0);
    snprintf(key, sizeof key, "share_%s", self->names[1]);
    add_number(row, key, found->share_of_1);
    json_array_append_new(rows, row);
}

/* Prints the rows as a table, or as JSON. */
static void print_rows(const ablation *self, const json_t *rows, FILE *stream) {
    const char *key;
    json_t *value;
    if (option_given(self->args, OPTION_JSON)) {
        json_dumpf(rows, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        fputc('\n', stream);
        return;
    }
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *gap = "";
        if (i == 0) {
            json_object_foreach(row, key, value) {
                fprintf(stream, "%s%s", gap, key);
                gap = "\t";
            }
            fputc('\n', stream);
        }
        gap = "";
        json_object_foreach(row, key, value) {
            fputs(gap, stream);
            if (json_is_integer(value))
                fprintf(stream, "%lld", (long long)json_integer_value(value));
            else if (json_is_real(value))
                fprintf(stream, "%.6g", json_real_value(value));
            gap = "\t";
        }
        fputc('\n', stream);
    }
}

/* Selects with every weight. */
static int select_all(ablation *self) {
    double values[WEIGHTS];
    TRY(prepare_strategy(self, values));
    TRY(inputs_read_test(self->args, self->ctx, 1, &self->test));
    for (int64_t i = 0; i < self->count; i++) self->rows[i].size = sizeof self->rows[i];
    const alcore_status status =
        alcore_request_ablate(self->in.request, self->parameter, values, self->count, self->test,
                              self->rows, self->picked);
    terminal_clear();
    TRY(outcome(status));
    for (int64_t i = 0; i < self->count; i++)
        if (values[i] > 0 && values[i] < 1 && !strcmp(self->parameter, "lambda"))
            read_names(self, self->picked[i]);
    return EXIT_DONE;
}

static int run_ablation(ablation *self) {
    text_output out;
    TRY(read_weights(self));
    TRY(inputs_read(self->ctx, self->args, &self->in));
    TRY(fill_request(self->args, self->ctx, &self->in));
    TRY(select_all(self));
    json_t *rows = json_array();
    for (int64_t i = 0; i < self->count; i++) add_row(self, &self->rows[i], rows);
    int code = text_output_open(&out);
    if (code == EXIT_DONE) {
        print_rows(self, rows, out.stream);
        code = text_output_close(&out, code, option_value(self->args, OPTION_OUT, "-"));
    }
    json_decref(rows);
    return code;
}

int command_ablate(const arguments *args) {
    ablation self = {.args = args};
    int code = option_one_budget(args, "ablate");
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = run_ablation(&self);
    for (int64_t i = 0; i < self.count; i++) alcore_selection_unref(self.picked[i]);
    alcore_overlap_unref(self.test);
    alcore_strategy_unref(self.strategy);
    free(self.list);
    inputs_release(&self.in);
    alcore_ctx_unref(self.ctx);
    return code;
}
