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
    int count;
    alcore_selection *picked[WEIGHTS], *alone[2]; /* by weight; by 0 and by 1 */
    char names[2][64]; /* what either end is called: "nnll", "diversity" */
} ablation;

/* What a pick is, the same in every selection of the run: a row of the pool with -1 and -1, or a
 * phrase by its first occurrence and its number of words. */
typedef struct pick {
    int64_t row, position, length;
} pick;

/* Splits the list of weights at its commas. The values are checked by the strategy. */
static int read_weights(ablation *self) {
    const arguments *args = self->args;
    const char *strategy = option_value(args, OPTION_STRATEGY, ALCORE_DEFAULT_STRATEGY);
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
    if (code == EXIT_DONE) code = outcome(alcore_strategy_set(strategy, self->parameter, weight));
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

/* A column of a selection's record that holds int64; NULL: it has none of that name. */
static const int64_t *record_column(const alcore_selection *picked, const char *name) {
    alcore_tensor column;
    const alcore_status status = alcore_selection_column(picked, ALCORE_SCOPE_PICKS, name, &column);
    return status == ALCORE_OK ? column.data : NULL;
}

static int compare_picks(const void *a, const void *b) {
    const pick *one = a, *other = b;
    if (one->row != other->row) return one->row < other->row ? -1 : 1;
    if (one->position != other->position) return one->position < other->position ? -1 : 1;
    return (one->length > other->length) - (one->length < other->length);
}

/* The picks of a selection in the order of compare_picks(), [count]; NULL without memory. */
static pick *sort_picks(const alcore_selection *picked) {
    const int64_t count = alcore_selection_count(picked);
    const int64_t *rows = record_column(picked, "first_row");
    const int64_t *positions = record_column(picked, "first_position");
    const int64_t *lengths = record_column(picked, "length");
    pick *picks = malloc(((size_t)count + 1) * sizeof *picks);
    if (!rows) rows = alcore_selection_rows(picked);
    for (int64_t i = 0; picks && i < count; i++)
        picks[i] = (pick){rows[i], positions ? positions[i] : -1, lengths ? lengths[i] : -1};
    if (picks) qsort(picks, (size_t)count, sizeof *picks, compare_picks);
    return picks;
}

/* The share of a selection's picks that another one has too; NaN without picks. */
static int share(const alcore_selection *picked, const alcore_selection *other, double *out) {
    const int64_t count = alcore_selection_count(picked);
    const size_t others = (size_t)alcore_selection_count(other);
    pick *ours = sort_picks(picked), *theirs = sort_picks(other);
    int64_t both = 0;
    for (int64_t i = 0; ours && theirs && i < count; i++)
        both += bsearch(&ours[i], theirs, others, sizeof *theirs, compare_picks) != NULL;
    const bool enough = ours && theirs;
    free(theirs);
    free(ours);
    *out = count > 0 ? (double)both / (double)count : (double)NAN;
    return enough ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
}

static int64_t words_of(const alcore_selection *picked) {
    const alcore_pool *pool = alcore_selection_pool(picked);
    int64_t words = 0;
    for (int64_t i = 0; i < alcore_selection_count(picked); i++)
        words += alcore_pool_words(pool, alcore_selection_rows(picked)[i]);
    return words;
}

/* The percentage of the word types of the test set that the picks have; NaN without --test. */
static int measure_overlap(const ablation *self, const alcore_selection *picked, double *out) {
    const int64_t count = alcore_selection_count(picked);
    const alcore_pool *pool = alcore_selection_pool(picked);
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
        texts[i] = alcore_pool_text(pool, alcore_selection_rows(picked)[i], &lengths[i]);
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
    int code = EXIT_DONE;
    TRY(measure_overlap(self, picked, &overlap));
    json_t *row = json_object();
    json_object_set_new(row, self->parameter, json_real(strtod(self->texts[index], NULL)));
    json_object_set_new(row, "items", json_integer(alcore_selection_count(picked)));
    const int64_t *kinds = record_column(picked, "kind"); /* of a hybrid: 1 for a phrase */
    int64_t phrases = 0;
    for (int64_t i = 0; kinds && i < alcore_selection_count(picked); i++) phrases += kinds[i];
    if (kinds) json_object_set_new(row, "phrases", json_integer(phrases));
    json_object_set_new(row, "words", json_integer(words_of(picked)));
    json_object_set_new(row, "overlap", isnan(overlap) ? json_null() : json_real(overlap));
    for (int t = 0; t < 2; t++) {
        double value;
        code = code == EXIT_DONE ? share(picked, self->alone[t], &value) : code;
        if (code != EXIT_DONE) break;
        snprintf(key, sizeof key, "share_%s", self->names[t]);
        json_object_set_new(row, key, isnan(value) ? json_null() : json_real(value));
    }
    json_array_append_new(rows, row);
    return code;
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

/* Selects with every weight and with 0 and 1, each of which may be among them. */
static int select_all(ablation *self) {
    static const char *const ends[2] = {"0", "1"};
    for (int i = 0; i < self->count; i++) {
        TRY(select_with(self, self->texts[i], &self->picked[i]));
        const double weight = strtod(self->texts[i], NULL);
        if (weight > 0 && weight < 1 && !strcmp(self->parameter, "lambda"))
            read_names(self, self->picked[i]);
        for (int t = 0; t < 2; t++)
            if (weight == t && !self->alone[t])
                self->alone[t] = alcore_selection_ref(self->picked[i]);
    }
    for (int t = 0; t < 2; t++)
        if (!self->alone[t]) TRY(select_with(self, ends[t], &self->alone[t]));
    terminal_clear();
    return EXIT_DONE;
}

static int run_ablation(ablation *self) {
    text_output out;
    TRY(read_weights(self));
    TRY(inputs_read(self->ctx, self->args, &self->in));
    TRY(fill_request(self->args, self->ctx, &self->in));
    TRY(select_all(self));
    json_t *rows = json_array();
    int code = rows ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
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
    free(self.list);
    inputs_release(&self.in);
    alcore_ctx_unref(self.ctx);
    return code;
}
