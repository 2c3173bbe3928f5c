/* SPDX-License-Identifier: Apache-2.0 */
/* alcore compare: selects with each of several strategies and prints a line for each: what it would
 * cost, what it covers and repeats, and what it has in common with the others. Samples of the picks
 * go to standard error, and with --html a page with pictures to a file.
 *
 * --strategy NAME[:PARAM=VALUE]...,... names the strategies with their parameters. A comma before a
 * digit is one within a value, as in huds:lambda=0.9,0.7. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

enum { ORDERS = 3 }; /* of the n-grams of a test set that are measured */

/* One run of the command. */
typedef struct comparing {
    const arguments *args;
    alcore_ctx *ctx;
    inputs in;
    char *list;                                         /* of the names, cut at the commas */
    const char *names[ALCORE_COMPARISON_MAX];           /* [count] views of list */
    alcore_strategy *strategies[ALCORE_COMPARISON_MAX]; /* [count] */
    int64_t count;
    alcore_overlap *test; /* NULL without --test */
    alcore_comparison *made;
} comparing;

/* ---- strategies ---- */

/* The end of the first strategy of a list: its comma, or NULL for the last one. */
static char *end_of_strategy(char *list) {
    char *comma = strchr(list, ',');
    while (comma && (isdigit((unsigned char)comma[1]) || comma[1] == '.'))
        comma = strchr(comma + 1, ',');
    return comma;
}

static int split_strategies(comparing *self) {
    self->list = strdup(option_value(self->args, OPTION_STRATEGY, "recommended"));
    if (!self->list) return complain(EXIT_MEMORY, "out of memory");
    for (char *next = self->list, *end; next; next = end) {
        end = end_of_strategy(next);
        if (end) *end++ = '\0';
        if (self->count == ALCORE_COMPARISON_MAX)
            return complain(EXIT_USAGE, "--strategy: %d strategies at most", ALCORE_COMPARISON_MAX);
        self->names[self->count++] = next;
    }
    return EXIT_DONE;
}

/* Sets the parameters of a text "PARAM=VALUE:PARAM=VALUE", which is cut in pieces. */
static int set_all(alcore_strategy *strategy, const char *whole, char *text) {
    for (char *next = text, *end; next; next = end) {
        char *equals = strchr(next, '=');
        end = strchr(next, ':');
        if (end) *end++ = '\0';
        if (!equals || equals == next || (end && equals > end))
            return complain(EXIT_USAGE, "--strategy %s: PARAM=VALUE is needed behind a colon",
                            whole);
        *equals = '\0';
        TRY(outcome(alcore_strategy_set(strategy, next, equals + 1)));
    }
    return EXIT_DONE;
}

static int make_strategy(const comparing *self, int64_t i, alcore_strategy **out) {
    char *text = strdup(self->names[i]);
    if (!text) return complain(EXIT_MEMORY, "out of memory");
    char *parameters = strchr(text, ':');
    if (parameters) *parameters++ = '\0';
    int code = outcome(alcore_strategy_new(self->ctx, text, out));
    if (code == EXIT_DONE && parameters) code = set_all(*out, self->names[i], parameters);
    free(text);
    return code;
}

/* ---- results ---- */

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* Prints ten picks of a strategy, and whether it was added. */
static void print_samples(const json_t *strategy) {
    size_t i;
    const json_t *sample;
    fprintf(stderr, "%s%s: %lld items, %lld words\n", text_of(strategy, "name"),
            json_is_true(json_object_get(strategy, "added")) ? " (added: the floor)" : "",
            (long long)json_integer_value(json_object_get(strategy, "items")),
            (long long)json_integer_value(json_object_get(strategy, "words")));
    json_array_foreach(json_object_get(strategy, "samples"), i, sample) fprintf(
        stderr, "  %lld. %s\n", (long long)json_integer_value(json_object_get(sample, "rank")),
        text_of(sample, "text"));
}

static int print_all_samples(const comparing *self) {
    size_t i;
    const json_t *strategy;
    if (option_given(self->args, OPTION_QUIET)) return EXIT_DONE;
    json_t *document = json_loads(alcore_comparison_document(self->made), 0, NULL);
    if (!document) return complain(EXIT_MEMORY, "out of memory");
    json_array_foreach(json_object_get(document, "strategies"), i, strategy)
        print_samples(strategy);
    json_decref(document);
    return EXIT_DONE;
}

/* Writes the document in place of the table. */
static int write_document(const comparing *self, const char *path) {
    text_output out;
    int code = text_output_open(&out);
    if (code == EXIT_DONE) fprintf(out.stream, "%s\n", alcore_comparison_document(self->made));
    return code == EXIT_DONE ? text_output_close(&out, code, path) : code;
}

static int write_results(const comparing *self) {
    const char *path = option_value(self->args, OPTION_OUT, "-");
    const char *page = option_value(self->args, OPTION_HTML, NULL);
    TRY(option_given(self->args, OPTION_JSON) ? write_document(self, path)
                                              : outcome(alcore_comparison_write(self->made, path)));
    if (page) TRY(outcome(alcore_comparison_write(self->made, page)));
    return print_all_samples(self);
}

/* ---- the command ---- */

static int run_comparison(comparing *self) {
    const arguments *args = self->args;
    TRY(split_strategies(self));
    for (int64_t i = 0; i < self->count; i++) TRY(make_strategy(self, i, &self->strategies[i]));
    TRY(inputs_read_test(args, self->ctx, ORDERS, &self->test));
    TRY(inputs_read(self->ctx, args, &self->in));
    TRY(fill_options(args, self->ctx, &self->in));
    const alcore_status status = alcore_request_compare(
        self->in.request, self->strategies, self->names, self->count, self->test, &self->made);
    terminal_clear();
    TRY(outcome(status));
    return write_results(self);
}

/* Refuses, before anything is read, an output that cannot be written. */
static int check_writable(const arguments *args, option_id id) {
    const char *path = option_value(args, id, "-");
    if (!strcmp(path, "-") || access(path, W_OK) == 0 || path_can_be_made(path)) return EXIT_DONE;
    return complain(EXIT_IO, "--%s %s: %s", option_table[id].name, path, strerror(errno));
}

int command_compare(const arguments *args) {
    comparing self = {.args = args};
    int code = option_one_budget(args, "compare");
    if (code == EXIT_DONE && !option_given(args, OPTION_JSON))
        code = option_suffix(args, OPTION_OUT, ".tsv|.csv|.json|.html");
    if (code == EXIT_DONE) code = option_suffix(args, OPTION_HTML, ".html");
    if (code == EXIT_DONE) code = check_writable(args, OPTION_HTML);
    if (code == EXIT_DONE) code = check_writable(args, OPTION_OUT);
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = run_comparison(&self);
    alcore_comparison_unref(self.made);
    for (int64_t i = 0; i < self.count; i++) alcore_strategy_unref(self.strategies[i]);
    alcore_overlap_unref(self.test);
    free(self.list);
    inputs_release(&self.in);
    alcore_ctx_unref(self.ctx);
    return code;
}
