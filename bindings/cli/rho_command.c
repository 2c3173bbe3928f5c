/* SPDX-License-Identifier: Apache-2.0 */
/* alcore rho: whether uncertainty carries over from a target to its neighbors. The uncertainty is
 * that of --scores and --target-scores, or what a scorer gives with a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

enum { NEIGHBOR_LISTS = 64 }; /* entries of --k at most */

/* One run of the command. */
typedef struct rho_run {
    const arguments *args;
    alcore_ctx *ctx;
    inputs in;
    alcore_model *model;         /* NULL until a column is missing */
    double *source_u, *target_u; /* [rows] of each pool */
    int64_t k[NEIGHBOR_LISTS];
    int k_count;
} rho_run;

/* The list of --k, by default the powers of two up to the number of rows and
 * ALCORE_NEIGHBORHOOD_MAX. */
static int read_k(rho_run *self) {
    const char *text = option_value(self->args, OPTION_K, NULL);
    const int64_t rows = alcore_pool_row_count(self->in.candidates);
    if (!text) {
        for (int64_t k = 1; k <= rows && k <= ALCORE_NEIGHBORHOOD_MAX; k *= 2)
            self->k[self->k_count++] = k;
        return EXIT_DONE;
    }
    for (const char *next = text; *next; next++) {
        const size_t length = strcspn(next, ",");
        int64_t k;
        if (!part_integer(next, length, &k) || k < 1 || k > ALCORE_NEIGHBORHOOD_MAX ||
            self->k_count == NEIGHBOR_LISTS)
            return complain(EXIT_USAGE,
                            "--k %s: up to %d integers from 1 to %d are needed, such as 1,2,4",
                            text, NEIGHBOR_LISTS, ALCORE_NEIGHBORHOOD_MAX);
        self->k[self->k_count++] = k;
        next += next[length] ? length : length - 1;
    }
    return self->k_count ? EXIT_DONE : complain(EXIT_USAGE, "--k: a number is needed");
}

/* Gives a pool its scores: those of the file, or of the scorer. */
static int add_scores(rho_run *self, alcore_pool *pool, const char *path) {
    alcore_scorer *scorer = NULL;
    if (path) return outcome(alcore_pool_read_column(pool, "scores", path, NULL));
    TRY(inputs_open_model(self->ctx, self->args, &self->in, &self->model));
    TRY(outcome(
        alcore_scorer_new(self->ctx, option_value(self->args, OPTION_SCORER, "nnll"), &scorer)));
    int code = set_scorer_parameters(self->args, scorer);
    if (code == EXIT_DONE) code = outcome(alcore_scorer_run(scorer, pool, self->model));
    alcore_scorer_unref(scorer);
    return code;
}

/* Reads or makes everything that the correlation needs. */
static int prepare(rho_run *self) {
    const char *source = option_value(self->args, OPTION_SCORES, NULL);
    const char *target = option_value(self->args, OPTION_TARGET_SCORES, NULL);
    if (!option_given(self->args, OPTION_TARGET))
        return complain(EXIT_USAGE, "rho needs --target FILE: the unlabeled texts of the target");
    if (!source != !target)
        return complain(EXIT_USAGE,
                        "--scores and --target-scores are given together or not at all");
    if (source &&
        (option_given(self->args, OPTION_SCORER) || option_given(self->args, OPTION_PARAM)))
        return complain(EXIT_USAGE, "--%s and --scores exclude each other",
                        option_given(self->args, OPTION_SCORER) ? "scorer" : "param");
    TRY(inputs_read(self->ctx, self->args, &self->in));
    TRY(read_k(self));
    TRY(add_scores(self, self->in.candidates, source));
    TRY(add_scores(self, self->in.target, target));
    TRY(inputs_embed(self->ctx, self->args, &self->in, &self->model, self->in.candidates));
    TRY(inputs_embed(self->ctx, self->args, &self->in, &self->model, self->in.target));
    TRY(inputs_check_model(self->args, self->model));
    TRY(inputs_list_scores(self->in.candidates, &self->source_u));
    return inputs_list_scores(self->in.target, &self->target_u);
}

/* A number as JSON has it: null for NaN. */
static void print_number(FILE *stream, double value, const char *nan) {
    if (isnan(value))
        fputs(nan, stream);
    else
        fprintf(stream, "%.17g", value);
}

/* Prints a line for each k; found [k_count, 2]: rho and p. */
static void print_rows(const rho_run *self, const double *found, FILE *stream) {
    const bool json = option_given(self->args, OPTION_JSON);
    fputs(json ? "[" : "k\trho\tp\n", stream);
    for (int i = 0; i < self->k_count; i++) {
        fprintf(stream, json ? "%s{\"k\": %lld, \"rho\": " : "%s%lld\t", json && i ? ",\n" : "",
                (long long)self->k[i]);
        print_number(stream, found[2 * i], json ? "null" : "nan");
        fputs(json ? ", \"p\": " : "\t", stream);
        print_number(stream, found[2 * i + 1], json ? "null" : "nan");
        fputs(json ? "}" : "\n", stream);
    }
    if (json) fputs("]\n", stream);
}

static int run_rho(rho_run *self) {
    alcore_search_data source = ALCORE_SEARCH_DATA_INIT, target = ALCORE_SEARCH_DATA_INIT;
    int64_t shape[2] = {0, 2};
    double found[2 * NEIGHBOR_LISTS];
    alcore_tensor answer;
    text_output out;
    TRY(prepare(self));
    shape[0] = self->k_count;
    source.pool = self->in.candidates;
    target.pool = self->in.target;
    TRY(outcome(alcore_tensor_init(&answer, found, ALCORE_FLOAT64, shape, 2)));
    const alcore_status status = alcore_analysis_compute_neighborhood(
        self->ctx, &source, self->source_u, alcore_pool_row_count(self->in.candidates), &target,
        self->target_u, alcore_pool_row_count(self->in.target), self->k, self->k_count, NULL,
        &answer);
    terminal_clear();
    TRY(outcome(status));
    TRY(text_output_open(&out));
    print_rows(self, found, out.stream);
    return text_output_close(&out, EXIT_DONE, option_value(self->args, OPTION_OUT, "-"));
}

int command_rho(const arguments *args) {
    rho_run self = {.args = args};
    int code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = run_rho(&self);
    free(self.source_u);
    free(self.target_u);
    alcore_model_unref(self.model);
    inputs_release(&self.in);
    alcore_ctx_unref(self.ctx);
    return code;
}
