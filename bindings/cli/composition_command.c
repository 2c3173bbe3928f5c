/* SPDX-License-Identifier: Apache-2.0 */
/* alcore composition: what selections from a pool consist of (docs/spec/multilingual.md 7.13), each
 * round by itself and, of several rounds, all rows together. A measure whose input was not given is
 * left out, which standard error says. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

/* Rows of the pool that were selected. */
typedef struct row_list {
    const char *name; /* path of its file; "all" of all rounds together */
    int64_t *rows;    /* [count] each once, ascending */
    int64_t count;
} row_list;

/* One run of the command. */
typedef struct composing {
    const arguments *args;
    alcore_ctx *ctx;
    inputs in;
    alcore_model *model; /* NULL until embeddings are missing */
    double *uncertainty; /* [rows of the pool]; NULL without --scores */
    row_list *rounds;    /* [round_count] of --selection, then "all" where there are several */
    row_list *others;    /* [other_count] of --other */
    int round_count, other_count;
    int64_t neighbors; /* 0: the default */
} composing;

static int compare_rows(const void *a, const void *b) {
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* Sorts rows [count] and drops repeated ones; the count that is left. */
static int64_t sort_rows(int64_t *rows, int64_t count) {
    int64_t kept = 0;
    qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || rows[kept - 1] != rows[i]) rows[kept++] = rows[i];
    return kept;
}

/* Reads the files of a repeatable option: [*count] lists, with memory for one more. */
static int read_lists(composing *self, option_id id, row_list **lists, int *count) {
    const char *path;
    int given = 0;
    while (option_repeat(self->args, id, given)) given++;
    *lists = calloc((size_t)given + 1, sizeof **lists);
    if (!*lists) return complain(EXIT_MEMORY, "out of memory");
    for (; (path = option_repeat(self->args, id, *count)); ++*count) {
        row_list *list = &(*lists)[*count];
        list->name = path;
        int code = inputs_read_selection(self->ctx, self->args, &self->in, path, &list->rows,
                                         &list->count);
        if (code != EXIT_DONE) {
            free(list->rows);
            return code;
        }
        list->count = sort_rows(list->rows, list->count);
    }
    return EXIT_DONE;
}

/* Adds the rows of all rounds together behind the rounds, where there are several. */
static int add_all_rounds(composing *self) {
    row_list all = {.name = "all"};
    if (self->round_count < 2) return EXIT_DONE;
    for (int i = 0; i < self->round_count; i++) all.count += self->rounds[i].count;
    all.rows = malloc(((size_t)all.count + 1) * sizeof *all.rows);
    if (!all.rows) return complain(EXIT_MEMORY, "out of memory");
    int64_t used = 0;
    for (int i = 0; i < self->round_count; i++) {
        const row_list *round = &self->rounds[i];
        memcpy(all.rows + used, round->rows, (size_t)round->count * sizeof *all.rows);
        used += round->count;
    }
    all.count = sort_rows(all.rows, all.count);
    self->rounds[self->round_count++] = all;
    return EXIT_DONE;
}

/* Whether distances are measured: vectors were given, or a model to make them. */
static bool with_vectors(const composing *self) {
    return option_given(self->args, OPTION_EMBEDDINGS) || option_given(self->args, OPTION_MODEL);
}

/* Says on standard error which measures lack their input. */
static void tell_what_is_left_out(const composing *self) {
    const bool distances = self->in.target && !with_vectors(self);
    if (option_given(self->args, OPTION_QUIET)) return;
    if (!self->uncertainty) fputs("note: no uncertainty is measured without --scores\n", stderr);
    if (distances)
        fputs("note: no distance to the target is measured without --embeddings and "
              "--target-embeddings, or --model\n",
              stderr);
}

/* Reads everything that is measured. */
static int prepare(composing *self) {
    const arguments *args = self->args;
    const char *scores = option_value(args, OPTION_SCORES, NULL);
    const bool target = option_given(args, OPTION_TARGET);
    if (!option_given(args, OPTION_SELECTION))
        return complain(EXIT_USAGE, "composition needs --selection FILE, once for each round");
    if (!target && (with_vectors(self) || option_given(args, OPTION_K)))
        return complain(EXIT_USAGE, "--%s measures the distance to a target: it needs --target",
                        option_given(args, OPTION_K)            ? "k"
                        : option_given(args, OPTION_EMBEDDINGS) ? "embeddings"
                                                                : "model");
    TRY(option_integer(args, OPTION_K, 1, ALCORE_KNN_MAX, &self->neighbors));
    TRY(inputs_read(self->ctx, args, &self->in)); /* --scores too */
    TRY(read_lists(self, OPTION_SELECTION, &self->rounds, &self->round_count));
    TRY(read_lists(self, OPTION_OTHER, &self->others, &self->other_count));
    TRY(add_all_rounds(self));
    if (scores) TRY(inputs_list_scores(self->in.candidates, &self->uncertainty));
    tell_what_is_left_out(self);
    if (!with_vectors(self)) return inputs_check_model(args, NULL /* none is opened */);
    TRY(inputs_embed(self->ctx, args, &self->in, &self->model, self->in.candidates));
    TRY(inputs_embed(self->ctx, args, &self->in, &self->model, self->in.target));
    return inputs_check_model(args, self->model);
}

/* ---- measures ---- */

static void add_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, isnan(value) ? json_null() : json_real(value));
}

/* part / whole; NaN of nothing. */
static double share(int64_t part, int64_t whole) {
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

/* Rows and their share of every language of the pool. */
static int add_languages(const composing *self, const row_list *list, json_t *row) {
    const alcore_pool *pool = self->in.candidates;
    json_t *languages = json_object();
    int64_t shape[1] = {0};
    alcore_tensor tensor;
    json_object_set_new(row, "languages", languages);
    while (alcore_pool_distinct_language(pool, shape[0])) shape[0]++;
    int64_t *counts = calloc((size_t)shape[0] + 1, sizeof *counts);
    if (!counts) return complain(EXIT_MEMORY, "out of memory");
    int code = outcome(alcore_tensor_init(&tensor, counts, ALCORE_INT64, shape, 1));
    if (code == EXIT_DONE)
        code = outcome(alcore_analysis_count_languages(pool, list->rows, list->count, &tensor));
    for (int64_t i = 0; i < shape[0] && code == EXIT_DONE; i++) {
        json_t *language = json_object();
        json_object_set_new(language, "rows", json_integer(counts[i]));
        add_real(language, "share", share(counts[i], list->count));
        json_object_set_new(languages, alcore_pool_distinct_language(pool, i), language);
    }
    free(counts);
    return code;
}

/* What a selection shares with each of the others. */
static int add_overlaps(const composing *self, const row_list *list, json_t *row) {
    json_t *overlaps = json_object();
    json_object_set_new(row, "jaccard", overlaps);
    for (int i = 0; i < self->other_count; i++) {
        alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
        alcore_composition_result found = ALCORE_COMPOSITION_RESULT_INIT;
        options.other_rows = self->others[i].rows;
        options.other_count = self->others[i].count;
        TRY(outcome(alcore_analysis_compute_composition(self->ctx, self->in.candidates, list->rows,
                                                        list->count, &options, &found)));
        add_real(overlaps, self->others[i].name, found.jaccard);
    }
    return EXIT_DONE;
}

/* Rows and words of each band of matches with the texts of --labeled. */
static int add_leverage(const composing *self, const row_list *list, json_t *row) {
    static const char *const bands[] = {"repeated", "100", "95", "85", "75", "50", "none"};
    alcore_leverage_result found = ALCORE_LEVERAGE_RESULT_INIT;
    json_t *leverage = json_object();
    json_object_set_new(row, "leverage", leverage);
    TRY(outcome(alcore_analysis_compute_leverage(self->in.candidates, list->rows, list->count,
                                                 self->in.labeled, NULL, &found)));
    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++)
        json_object_set_new(leverage, bands[i],
                            json_pack("{s:I, s:I}", "rows", (json_int_t)found.rows[i], "words",
                                      (json_int_t)found.words[i]));
    return EXIT_DONE;
}

/* Fills the object of one selection with all that is measured of it. */
static int measure(const composing *self, const row_list *list, json_t *row) {
    alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
    alcore_composition_result found = ALCORE_COMPOSITION_RESULT_INIT;
    alcore_search_data source = ALCORE_SEARCH_DATA_INIT, target = ALCORE_SEARCH_DATA_INIT;
    source.pool = self->in.candidates;
    target.pool = options.target_pool = self->in.target;
    if (self->uncertainty) {
        options.uncertainty = self->uncertainty;
        options.uncertainty_count = alcore_pool_row_count(self->in.candidates);
    }
    if (with_vectors(self)) {
        options.source = &source;
        options.target = &target;
    }
    options.neighbors = self->neighbors;
    TRY(outcome(alcore_analysis_compute_composition(self->ctx, self->in.candidates, list->rows,
                                                    list->count, &options, &found)));
    json_object_set_new(row, "selection", json_string(list->name));
    json_object_set_new(row, "rows", json_integer(found.rows));
    TRY(add_languages(self, list, row));
    if (self->in.target) {
        json_object_set_new(row, "target_language_rows", json_integer(found.target_language_rows));
        add_real(row, "target_language_share", share(found.target_language_rows, found.rows));
    }
    if (self->uncertainty) {
        add_real(row, "mean_uncertainty", found.mean_uncertainty);
        add_real(row, "median_uncertainty", found.median_uncertainty);
    }
    if (with_vectors(self)) {
        add_real(row, "mean_distance", found.mean_distance);
        json_object_set_new(row, "targets", json_integer(found.targets));
        json_object_set_new(row, "targets_reached", json_integer(found.targets_reached));
    }
    if (self->in.labeled) TRY(add_leverage(self, list, row));
    return self->other_count ? add_overlaps(self, list, row) : EXIT_DONE;
}

/* ---- output ---- */

static void print_cell(FILE *stream, const json_t *value) {
    if (json_is_string(value))
        fprintf(stream, "\t%s", json_string_value(value));
    else if (json_is_integer(value))
        fprintf(stream, "\t%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(stream, "\t%.6g", json_real_value(value));
    else
        fputc('\t', stream);
}

/* Prints one line: the name of a measure and its value in each object of the list, found by one to
 * three keys, of which NULL ends the list. */
static void print_line(FILE *stream, const char *name, const json_t *list,
                       const char *const *keys) {
    fputs(name, stream);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        for (int k = 0; keys[k]; k++) value = json_object_get(value, keys[k]);
        print_cell(stream, value);
    }
    fputc('\n', stream);
}

/* Prints a line for each measure and a column for each selection. */
static void print_table(FILE *stream, const json_t *list) {
    const char *key, *inner;
    json_t *value, *part;
    char name[300];
    json_object_foreach(json_array_get(list, 0), key, value) {
        if (!json_is_object(value)) {
            print_line(stream, key, list, (const char *const[]){key, NULL});
            continue;
        }
        json_object_foreach(value, inner, part) {
            if (!json_is_object(part)) { /* jaccard of another selection */
                snprintf(name, sizeof name, "%s_%.200s", key, inner);
                print_line(stream, name, list, (const char *const[]){key, inner, NULL});
                continue;
            }
            const char *second = json_object_get(part, "words") ? "words" : "share";
            const char *of = strcmp(key, "leverage") == 0 ? "leverage_" : "";
            snprintf(name, sizeof name, "%srows_%.200s", of, inner);
            print_line(stream, name, list, (const char *const[]){key, inner, "rows", NULL});
            snprintf(name, sizeof name, "%s%s_%.200s", of, second, inner);
            print_line(stream, name, list, (const char *const[]){key, inner, second, NULL});
        }
    }
}

static int run_composition(composing *self) {
    text_output out;
    TRY(prepare(self));
    json_t *list = json_array();
    int code = list ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
    for (int i = 0; i < self->round_count && code == EXIT_DONE; i++) {
        json_t *row = json_object();
        json_array_append_new(list, row);
        code = measure(self, &self->rounds[i], row);
    }
    terminal_clear();
    if (code == EXIT_DONE) code = text_output_open(&out);
    if (code == EXIT_DONE) {
        if (option_given(self->args, OPTION_JSON)) {
            json_dumpf(list, out.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
            fputc('\n', out.stream);
        } else {
            print_table(out.stream, list);
        }
        code = text_output_close(&out, code, option_value(self->args, OPTION_OUT, "-"));
    }
    json_decref(list);
    return code;
}

static void free_lists(row_list *lists, int count) {
    for (int i = 0; lists && i < count; i++) free(lists[i].rows);
    free(lists);
}

int command_composition(const arguments *args) {
    composing self = {.args = args};
    int code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = run_composition(&self);
    free_lists(self.rounds, self.round_count);
    free_lists(self.others, self.other_count);
    free(self.uncertainty);
    alcore_model_unref(self.model);
    inputs_release(&self.in);
    alcore_ctx_unref(self.ctx);
    return code;
}
