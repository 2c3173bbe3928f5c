/* SPDX-License-Identifier: Apache-2.0 */
/* alcore align: links the words of sentence pairs and writes the links in Pharaoh's notation. The
 * pairs are the lines of two files, or the columns source and target of one table. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

/* One run of the command. */
typedef struct alignment {
    const arguments *args;
    alcore_ctx *ctx;
    alcore_pool *sources, *targets;
    int64_t *target_rows; /* [rows of the sources] the row of the targets that translates each */
    alcore_aligner_options options;
    double *log_likelihoods; /* [2, options.iterations] forward and reverse; NaN: not trained */
    alcore_links *links;
} alignment;

/* ---- parameters ---- */

/* The words of a parameter in the order of the library's constants, from 0. */
typedef struct word_parameter {
    const char *name;
    const char *words[4]; /* ends with NULL */
    size_t offset;        /* of the int32_t in alcore_aligner_options */
    int32_t first;        /* value of the enum that the first word names; the others follow it */
} word_parameter;

static const word_parameter word_parameters[] = {
    {"model",
     {"diagonal", "ibm1", NULL},
     offsetof(alcore_aligner_options, model),
     ALCORE_ALIGNER_DIAGONAL},
    {"vb", {"1", "0", NULL}, offsetof(alcore_aligner_options, estimate), ALCORE_ESTIMATE_BAYES},
    {"tension",
     {"off", "gradient", "public", NULL},
     offsetof(alcore_aligner_options, tension),
     ALCORE_TENSION_OFF},
};

static const struct {
    const char *name;
    size_t offset; /* of the double in alcore_aligner_options */
} number_parameters[] = {
    {"p0", offsetof(alcore_aligner_options, p0)},
    {"lambda", offsetof(alcore_aligner_options, lambda)},
    {"alpha", offsetof(alcore_aligner_options, alpha)},
};

/* Bytes of a path with its end. */
#define PATH_ROOM 4096
#define LENGTH(list) (sizeof(list) / sizeof *(list))

/* Sets the error text of a value that the parameter cannot have. */
static alcore_status refuse(const char *name, const char *value, const char *expected) {
    char text[200];
    const int length =
        snprintf(text, sizeof text, "-p %.40s=%.60s: expected %s", name, value, expected);
    return alcore_error_set(ALCORE_E_PARAM, text, (size_t)length);
}

static alcore_status set_word(alcore_aligner_options *options, const word_parameter *parameter,
                              const char *value) {
    char expected[60] = "";
    for (int32_t i = 0; parameter->words[i]; i++) {
        if (!strcmp(parameter->words[i], value)) {
            const int32_t chosen = parameter->first + i;
            memcpy((char *)options + parameter->offset, &chosen, sizeof chosen);
            return ALCORE_OK;
        }
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s",
                 i ? ", " : "", parameter->words[i]);
    }
    return refuse(parameter->name, value, expected);
}

/* One -p NAME=VALUE (set_parameters()). Bounds of numbers are the library's. */
static alcore_status set_parameter(void *handle, const char *name, const char *value) {
    alcore_aligner_options *options = handle;
    for (size_t i = 0; i < LENGTH(word_parameters); i++)
        if (!strcmp(word_parameters[i].name, name))
            return set_word(options, &word_parameters[i], value);
    for (size_t i = 0; i < LENGTH(number_parameters); i++) {
        if (strcmp(number_parameters[i].name, name) != 0) continue;
        double number;
        if (!number_of(value, &number)) return refuse(name, value, "a number");
        memcpy((char *)options + number_parameters[i].offset, &number, sizeof number);
        return ALCORE_OK;
    }
    if (strcmp(name, "iterations") != 0)
        return refuse(name, value, "one of iterations, model, vb, tension, p0, lambda, alpha");
    int64_t iterations;
    if (!integer_of(value, &iterations) || iterations < 1 || iterations > 1000)
        return refuse(name, value, "an integer from 1 to 1000");
    options->iterations = (int32_t)iterations;
    return ALCORE_OK;
}

/* ---- the pairs ---- */

/* Reads the column, NULL for the usual one, of the first or last file as one side of the pairs:
 * every line is a row, also an empty or repeated one. */
static int read_side(const alignment *self, bool is_target, const char *column, alcore_pool **out) {
    const arguments *args = self->args;
    const char *last = args->operands[args->operand_count - 1];
    const char *path = is_target ? last : args->operands[0];
    const char *other = is_target ? args->operands[0] : last;
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    const char *format = option_value(args, OPTION_FORMAT, NULL);

    if (format) TRY(parse_format(format, &options.format));
    options.text_column = column;
    choose_pair(args, path, other, is_target, &options);
    TRY(read_reading(self->args, &options));
    keep_all.dedup = ALCORE_DEDUP_NONE;
    TRY(outcome(alcore_pool_new(self->ctx, &keep_all, out)));
    return outcome(alcore_pool_read(*out, path, &options));
}

/* Refuses one file that is no table: its lines would be both sides. */
static int check_table(const arguments *args) {
    const char *path = args->operands[0], *format = option_value(args, OPTION_FORMAT, NULL);
    const bool table = format ? strcmp(format, "text") != 0 : table_of_path(path) != 0;
    return table ? EXIT_DONE
                 : complain(
                       EXIT_USAGE,
                       "align %s: one file is to be a .tsv, .csv or .jsonl with the columns source "
                       "and target, or those of --text-column and --reference-column; for two "
                       "files of lines write align SOURCE TARGET",
                       path);
}

static int read_pairs(alignment *self) {
    const arguments *args = self->args;
    const bool two = args->operand_count == 2;
    const char *source = args->operands[0], *target = two ? args->operands[1] : source;

    if (!two) TRY(check_table(args));
    if (!strcmp(source, "-") && !strcmp(target, "-"))
        return complain(EXIT_USAGE, "align - : both sides cannot come from standard input");
    TRY(read_side(self, false, option_value(args, OPTION_TEXT_COLUMN, two ? NULL : "source"),
                  &self->sources));
    TRY(read_side(self, true, option_value(args, OPTION_REFERENCE_COLUMN, two ? NULL : "target"),
                  &self->targets));
    int64_t count;
    TRY(check_join(args, two));
    return inputs_join(args, self->sources, source, self->targets, target, NULL, 0,
                       &self->target_rows, &count);
}

/* ---- aligning ---- */

static const char *const directions[2] = {"forward", "reverse"}; /* as ALCORE_DIRECTION_* */

/* The texts [2 * rows] of the pairs, sources and then targets, with their lengths. */
typedef struct pair_texts {
    const char **text;
    size_t *length;
    int64_t rows;
} pair_texts;

/* "FILE.forward" or "FILE.reverse"; a path that is too long is no file. */
static alcore_status path_of_direction(const char *file, int32_t direction, char *out,
                                       size_t room) {
    const int length = snprintf(out, room, "%s.%s", file, directions[direction]);
    return length >= 0 && (size_t)length < room
               ? ALCORE_OK
               : alcore_error_set(ALCORE_E_PARAM, "the name of the file is too long", 32);
}

/* Trains the aligner of a direction, writes it to --save and links the pairs. */
static alcore_status train_direction(alignment *self, const pair_texts *t, int32_t direction,
                                     alcore_links **out) {
    alcore_aligner_options options = self->options;
    alcore_aligner *aligner = NULL;
    alcore_tensor values;
    char path[PATH_ROOM];
    options.direction = ALCORE_DIRECTION_FORWARD + direction;
    alcore_status status =
        path_of_direction(option_value(self->args, OPTION_SAVE, ""), direction, path, sizeof path);
    if (status == ALCORE_OK)
        status = alcore_aligner_new_trained(self->ctx, t->text, t->length, t->text + t->rows,
                                            t->length + t->rows, t->rows, &options, &aligner);
    if (status == ALCORE_OK) status = alcore_aligner_write(aligner, path);
    if (status == ALCORE_OK) status = alcore_aligner_log_likelihoods(aligner, &values);
    if (status == ALCORE_OK) {
        memcpy(self->log_likelihoods + direction * options.iterations, values.data,
               (size_t)options.iterations * sizeof(double));
        status = alcore_aligner_links(aligner, out);
    }
    alcore_aligner_unref(aligner);
    return status;
}

/* Reads the aligner of a direction from --model and links the pairs. */
static alcore_status load_direction(const alignment *self, const pair_texts *t, int32_t direction,
                                    alcore_links **out) {
    alcore_aligner *aligner = NULL;
    char path[PATH_ROOM], text[2 * PATH_ROOM];
    alcore_status status =
        path_of_direction(option_value(self->args, OPTION_MODEL, ""), direction, path, sizeof path);
    if (status == ALCORE_OK) status = alcore_aligner_open(self->ctx, path, &aligner);
    if (status == ALCORE_OK &&
        alcore_aligner_direction(aligner) != ALCORE_DIRECTION_FORWARD + direction) {
        const int length =
            snprintf(text, sizeof text, "%s is an aligner of the other direction", path);
        status = alcore_error_set(ALCORE_E_DATA, text, (size_t)length);
    }
    if (status == ALCORE_OK)
        status = alcore_aligner_apply(aligner, t->text, t->length, t->text + t->rows,
                                      t->length + t->rows, t->rows, out);
    alcore_aligner_unref(aligner);
    return status;
}

/* alcore_align() with files: the directions that the symmetrization needs, one in memory at a time.
 * The library is asked about its name first, with no pairs, so that a wrong one is told at once. */
static alcore_status align_with_files(alignment *self, const pair_texts *t) {
    const char *name = option_value(self->args, OPTION_SYMMETRIZE, "grow-diag-final-and");
    const bool load = option_given(self->args, OPTION_MODEL);
    alcore_links *links[2] = {NULL, NULL};
    alcore_status status = alcore_align(self->ctx, NULL, NULL, NULL, NULL, 0, name, &self->options,
                                        NULL, &self->links);
    alcore_links_unref(self->links);
    self->links = NULL;
    for (int32_t i = 0; i < 2 * self->options.iterations; i++) self->log_likelihoods[i] = NAN;
    for (int32_t direction = 0; direction < 2 && status == ALCORE_OK; direction++)
        if (strcmp(name, directions[!direction]) != 0)
            status = load ? load_direction(self, t, direction, &links[direction])
                          : train_direction(self, t, direction, &links[direction]);
    if (status == ALCORE_OK && links[0] && links[1])
        status = alcore_links_symmetrize(links[0], links[1], name, &self->links);
    else if (status == ALCORE_OK)
        self->links = alcore_links_ref(links[0] ? links[0] : links[1]);
    alcore_links_unref(links[0]);
    alcore_links_unref(links[1]);
    return status;
}

/* Aligns the texts [2 * rows], sources and then targets, with their lengths. */
static alcore_status align_texts(alignment *self, const char **texts, size_t *lengths) {
    const int64_t rows = alcore_pool_row_count(self->sources);
    int64_t shape[2] = {2, self->options.iterations};
    alcore_tensor out;

    inputs_list_texts(self->sources, texts, lengths);
    for (int64_t row = 0; row < rows; row++)
        texts[rows + row] =
            alcore_pool_text(self->targets, self->target_rows[row], &lengths[rows + row]);
    if (option_given(self->args, OPTION_SAVE) || option_given(self->args, OPTION_MODEL))
        return align_with_files(self, &(pair_texts){texts, lengths, rows});
    alcore_status status =
        alcore_tensor_init(&out, self->log_likelihoods, ALCORE_FLOAT64, shape, 2);
    if (status != ALCORE_OK) return status;
    return alcore_align(self->ctx, texts, lengths, texts + rows, lengths + rows, rows,
                        option_value(self->args, OPTION_SYMMETRIZE, NULL), &self->options, &out,
                        &self->links);
}

static int align_pairs(alignment *self) {
    const size_t count = 2 * (size_t)alcore_pool_row_count(self->sources) + 1;
    const char **texts = malloc(count * sizeof *texts);
    size_t *lengths = malloc(count * sizeof *lengths);
    self->log_likelihoods =
        malloc(2 * (size_t)self->options.iterations * sizeof *self->log_likelihoods);
    int code = texts && lengths && self->log_likelihoods
                   ? outcome(align_texts(self, texts, lengths))
                   : complain(EXIT_MEMORY, "out of memory");
    free(lengths);
    free(texts);
    return code;
}

/* ---- what is said of it ---- */

/* The log-likelihoods of a direction; NULL where it was not trained. */
static const double *likelihoods_of(const alignment *self, int direction) {
    const double *values = self->log_likelihoods + direction * self->options.iterations;
    return isnan(values[0]) ? NULL : values;
}

static void print_summary(const alignment *self, int64_t pairs, int64_t links) {
    fprintf(stderr, "%lld sentence pairs, %lld links (%s)\n", (long long)pairs, (long long)links,
            option_value(self->args, OPTION_SYMMETRIZE, "grow-diag-final-and"));
    for (int direction = 0; direction < 2; direction++) {
        const double *values = likelihoods_of(self, direction);
        if (!values) continue;
        fprintf(stderr, "log-likelihood %s:", directions[direction]);
        for (int32_t i = 0; i < self->options.iterations; i++) fprintf(stderr, " %.10g", values[i]);
        fputc('\n', stderr);
    }
}

/* The effective parameters, with the defaults of the library where none was given. */
static json_t *list_parameters(const alcore_aligner_options *options) {
    json_t *all = json_pack("{s:i}", "iterations", (int)options->iterations);
    for (size_t i = 0; i < LENGTH(word_parameters); i++) {
        int32_t value;
        memcpy(&value, (const char *)options + word_parameters[i].offset, sizeof value);
        json_object_set_new(
            all, word_parameters[i].name,
            json_string(word_parameters[i].words[value ? value - word_parameters[i].first : 0]));
    }
    for (size_t i = 0; i < LENGTH(number_parameters); i++) {
        double value;
        memcpy(&value, (const char *)options + number_parameters[i].offset, sizeof value);
        json_object_set_new(all, number_parameters[i].name, json_real(value));
    }
    return all;
}

static int print_json(const alignment *self, int64_t pairs, int64_t links) {
    json_t *likelihoods = json_object();
    for (int direction = 0; direction < 2; direction++) {
        const double *values = likelihoods_of(self, direction);
        if (!values) continue;
        json_t *list = json_array();
        for (int32_t i = 0; i < self->options.iterations; i++)
            json_array_append_new(list, json_real(values[i]));
        json_object_set_new(likelihoods, directions[direction], list);
    }
    json_t *all =
        json_pack("{s:s, s:I, s:I, s:s, s:o, s:o}", "version", alcore_version(), "pairs",
                  (json_int_t)pairs, "links", (json_int_t)links, "symmetrization",
                  option_value(self->args, OPTION_SYMMETRIZE, "grow-diag-final-and"), "parameters",
                  list_parameters(&self->options), "log_likelihoods", likelihoods);
    if (option_given(self->args, OPTION_MODEL)) { /* those of the training are in the files */
        json_object_del(all, "parameters");
        json_object_set_new(all, "model", json_string(option_value(self->args, OPTION_MODEL, "")));
    }
    return print_json_object(all);
}

static int report(const alignment *self) {
    alcore_tensor offsets, links;
    TRY(outcome(alcore_links_get(self->links, &offsets, &links)));
    const int64_t pairs = offsets.shape[0] - 1;
    terminal_clear();
    if (!option_given(self->args, OPTION_QUIET)) print_summary(self, pairs, links.shape[0]);
    return option_given(self->args, OPTION_JSON) ? print_json(self, pairs, links.shape[0])
                                                 : EXIT_DONE;
}

int command_align(const arguments *args) {
    alignment self = {.args = args};
    const char *out = option_value(args, OPTION_OUT, "-");
    int code = EXIT_DONE;

    /* The library's defaults as values, so that the JSON tells them (docs/spec/aligner.md). */
    self.options = (alcore_aligner_options){
        .size = sizeof self.options, .iterations = 5, .p0 = 0.08, .lambda = 4, .alpha = 0.01};
    if (option_given(args, OPTION_JSON) && !strcmp(out, "-"))
        code = complain(EXIT_USAGE, "--json needs --out FILE: the links and the JSON cannot both "
                                    "go to standard output");
    if (code == EXIT_DONE) code = option_once(args, OPTION_MODEL);
    if (code == EXIT_DONE && option_given(args, OPTION_MODEL) &&
        (option_given(args, OPTION_SAVE) || option_given(args, OPTION_PARAM)))
        code =
            complain(EXIT_USAGE, "--model links with trained aligners: --save and -p belong to a "
                                 "training");
    if (code == EXIT_DONE) code = set_parameters(args, set_parameter, &self.options);
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = read_pairs(&self);
    if (code == EXIT_DONE) code = align_pairs(&self);
    if (code == EXIT_DONE) code = outcome(alcore_links_write(self.links, out));
    if (code == EXIT_DONE) code = report(&self);
    alcore_links_unref(self.links);
    free(self.log_likelihoods);
    free(self.target_rows);
    alcore_pool_unref(self.sources);
    alcore_pool_unref(self.targets);
    alcore_ctx_unref(self.ctx);
    return code;
}
