/* SPDX-License-Identifier: Apache-2.0 */
/* alcore ablate: selects with each weight of a list from one scoring pass and prints a row for
 * each, the layout of HUDS's Table 7 without BLEU: items, words, overlap with a test set, and the
 * shares of the picks that either term alone, which is a weight of 0 or 1, selects too. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

enum { WEIGHTS = 32 }; /* entries of --lambda at most */

/* One run of the command. */
typedef struct ablation {
    const arguments *args;
    alcore_ctx *ctx;
    inputs in;
    const char *texts[WEIGHTS]; /* of the list, views of `list` */
    char *list;
    int count;
    alcore_selection *picked[WEIGHTS], *alone[2]; /* by weight; by 0 and by 1 */
    char names[2][64]; /* what either term alone is called: "nnll", "diversity" */
    uint8_t *mask;     /* [rows of the pool] workspace */
} ablation;

/* Splits --lambda at its commas. The values are checked by the strategy. */
static int read_weights(ablation *self) {
    self->list = strdup(option_value(self->args, OPTION_LAMBDA, "0,.1,.3,.5,.7,.9,1"));
    if (!self->list) return complain(EXIT_MEMORY, "out of memory");
    for (char *next = self->list, *end; next; next = end) {
        end = strchr(next, ',');
        if (end) *end++ = '\0';
        if (self->count == WEIGHTS)
            return complain(EXIT_USAGE, "--lambda: %d weights at most", WEIGHTS);
        self->texts[self->count++] = next;
    }
    return EXIT_DONE;
}

static alcore_status set_strategy_parameter(void *strategy, const char *name, const char *value) {
    return alcore_strategy_set(strategy, name, value);
}

/* Selects with one weight. Columns that the first selection computed are in the pools for the
 * others. */
static int select_with(ablation *self, const char *weight, alcore_selection **out) {
    alcore_strategy *strategy = NULL;
    TRY(outcome(alcore_strategy_new(
        self->ctx, option_value(self->args, OPTION_STRATEGY, ALCORE_DEFAULT_STRATEGY), &strategy)));
    int code = set_parameters(self->args, set_strategy_parameter, strategy);
    if (code == EXIT_DONE) code = outcome(alcore_strategy_set(strategy, "lambda", weight));
    if (code == EXIT_DONE) code = outcome(alcore_request_set_strategy(self->in.request, strategy));
    if (code == EXIT_DONE) code = outcome(alcore_select(self->in.request, out));
    alcore_strategy_unref(strategy);
    return code;
}

/* Reads what either term alone is called from the provenance of a selection that mixes them: the
 * keys "also_NAME" of "terms", in the order of the terms. */
static void read_names(ablation *self, const alcore_selection *picked) {
    json_t *provenance = json_loads(alcore_selection_provenance(picked), 0, NULL);
    const char *key;
    json_t *value;
    int found = 0;
    json_object_foreach(json_object_get(provenance, "terms"), key, value) {
        if (strncmp(key, "also_", 5) == 0 && found < 2)
            snprintf(self->names[found++], sizeof self->names[0], "%.60s", key + 5);
    }
    json_decref(provenance);
}

/* The share of a selection's rows that another one has too; NaN without rows. */
static double share(ablation *self, const alcore_selection *picked, const alcore_selection *other) {
    const int64_t *rows = alcore_selection_rows(picked), *others = alcore_selection_rows(other);
    const int64_t count = alcore_selection_count(picked);
    int64_t both = 0;
    for (int64_t i = 0; i < alcore_selection_count(other); i++) self->mask[others[i]] = 1;
    for (int64_t i = 0; i < count; i++) both += self->mask[rows[i]];
    for (int64_t i = 0; i < alcore_selection_count(other); i++) self->mask[others[i]] = 0;
    return count > 0 ? (double)both / (double)count : (double)NAN;
}

static int64_t words_of(const ablation *self, const alcore_selection *picked) {
    int64_t words = 0;
    for (int64_t i = 0; i < alcore_selection_count(picked); i++)
        words += alcore_pool_words(self->in.candidates, alcore_selection_rows(picked)[i]);
    return words;
}

/* The percentage of the word types of the test set that the picks have; NaN without --test. */
static int measure_overlap(const ablation *self, const alcore_selection *picked, double *out) {
    const int64_t count = alcore_selection_count(picked);
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_overlap_score score = ALCORE_OVERLAP_SCORE_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    alcore_overlap *overlap = NULL;
    *out = NAN;
    if (!option_given(self->args, OPTION_TEST)) return EXIT_DONE;
    const char **texts = calloc((size_t)count + 1, sizeof *texts);
    size_t *lengths = calloc((size_t)count + 1, sizeof *lengths);
    options.max_order = 1;
    reading.text_column = option_value(self->args, OPTION_TEXT_COLUMN, NULL);
    int code = texts && lengths ? outcome(alcore_overlap_new(self->ctx, &options, &overlap))
                                : complain(EXIT_MEMORY, "out of memory");
    for (int64_t i = 0; i < count && code == EXIT_DONE; i++)
        texts[i] =
            alcore_pool_text(self->in.candidates, alcore_selection_rows(picked)[i], &lengths[i]);
    for (int i = 0; code == EXIT_DONE && option_repeat(self->args, OPTION_TEST, i); i++)
        code =
            outcome(alcore_overlap_read(overlap, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE,
                                        option_repeat(self->args, OPTION_TEST, i), &reading, NULL));
    if (code == EXIT_DONE)
        code = outcome(alcore_overlap_add(overlap, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE,
                                          texts, lengths, count));
    if (code == EXIT_DONE)
        code = outcome(alcore_overlap_compute(overlap, 1, ALCORE_OVERLAP_SELECTED, &score));
    if (code == EXIT_DONE) *out = score.coverage;
    alcore_overlap_unref(overlap);
    free(lengths);
    free(texts);
    return code;
}

/* Appends the row of one weight to a list of objects. */
static int add_row(ablation *self, int index, json_t *rows) {
    const alcore_selection *picked = self->picked[index];
    char key[80];
    double overlap;
    TRY(measure_overlap(self, picked, &overlap));
    json_t *row = json_object();
    json_object_set_new(row, "lambda", json_real(strtod(self->texts[index], NULL)));
    json_object_set_new(row, "items", json_integer(alcore_selection_count(picked)));
    json_object_set_new(row, "words", json_integer(words_of(self, picked)));
    json_object_set_new(row, "overlap", isnan(overlap) ? json_null() : json_real(overlap));
    for (int t = 0; t < 2; t++) {
        const double value = share(self, picked, self->alone[t]);
        snprintf(key, sizeof key, "share_%s", self->names[t]);
        json_object_set_new(row, key, isnan(value) ? json_null() : json_real(value));
    }
    json_array_append_new(rows, row);
    return EXIT_DONE;
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

/* Selects with every weight and with 0 and 1. */
static int select_all(ablation *self) {
    static const char *const ends[2] = {"0", "1"};
    for (int t = 0; t < 2; t++) TRY(select_with(self, ends[t], &self->alone[t]));
    for (int i = 0; i < self->count; i++) {
        TRY(select_with(self, self->texts[i], &self->picked[i]));
        const double weight = strtod(self->texts[i], NULL);
        if (weight > 0 && weight < 1) read_names(self, self->picked[i]);
    }
    terminal_clear();
    return EXIT_DONE;
}

static int run_ablation(ablation *self) {
    text_output out;
    TRY(read_weights(self));
    TRY(inputs_read(self->ctx, self->args, &self->in));
    TRY(fill_request(self->args, self->ctx, &self->in));
    strcpy(self->names[0], "lambda_0");
    strcpy(self->names[1], "lambda_1");
    TRY(select_all(self));
    self->mask = calloc((size_t)alcore_pool_rows(self->in.candidates) + 1, 1);
    json_t *rows = json_array();
    int code = self->mask && rows ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
    for (int i = 0; i < self->count && code == EXIT_DONE; i++) code = add_row(self, i, rows);
    if (code == EXIT_DONE) code = text_output_open(&out);
    if (code == EXIT_DONE) {
        print_rows(self, rows, out.stream);
        code = text_output_close(&out, code, option_value(self->args, OPTION_OUT, "-"));
    }
    json_decref(rows);
    return code;
}

int command_ablate(const arguments *args) {
    ablation self = {.args = args};
    int code = EXIT_DONE;
    if (!option_given(args, OPTION_BUDGET))
        code = complain(EXIT_USAGE, "ablate needs --budget N[i|w|c|u], such as --budget 1000w");
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = run_ablation(&self);
    for (int i = 0; i < self.count; i++) alcore_selection_unref(self.picked[i]);
    for (int t = 0; t < 2; t++) alcore_selection_unref(self.alone[t]);
    free(self.mask);
    free(self.list);
    inputs_release(&self.in);
    alcore_ctx_unref(self.ctx);
    return code;
}
