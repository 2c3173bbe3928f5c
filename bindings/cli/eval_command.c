/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval METRIC FILE...: the metrics of alcore/extra/metric.h and alcore/extra/overlap.h over
 * files. A file has one text, line of tags, label or number a line (or a column, of .tsv, .csv and
 * .jsonl); all files of most metrics have the same number of lines. The result is a JSON object of
 * numbers, lists and texts, which is printed as it is (--json) or as one line a value: name TAB
 * value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "commands.h"
#include "eval.h"
#include "text_output.h"

/* Options that only some metrics take. */
static const option_id evaluation_options[] = {
    OPTION_BY,        OPTION_TOKENIZE,   OPTION_SMOOTH,        OPTION_SENTENCE,
    OPTION_BOOTSTRAP, OPTION_BASELINE,   OPTION_PAIRED,        OPTION_SAMPLES,
    OPTION_SEED,      OPTION_SCHEME,     OPTION_CASED,         OPTION_SELECTED,
    OPTION_OUTSIDE,   OPTION_ORDERS,     OPTION_SIDE,          OPTION_TRANSLATOR,
    OPTION_SYSTEM,    OPTION_DOMAIN,     OPTION_TARGET_COLUMN, OPTION_COMBINED,
    OPTION_UNIT,      OPTION_MODE,       OPTION_TEST,          OPTION_IDW,
    OPTION_LINKS,     OPTION_TRAIN,      OPTION_DEDUP,         OPTION_WORDS,
    OPTION_BY_WORD,   OPTION_COST_MODEL, OPTION_RATE,          OPTION_BLEU_GAIN,
    OPTION_TYPES,     OPTION_PATIENCE,   OPTION_LEAST_GAIN,    OPTION_LOWER_IS_BETTER,
    OPTION_THRESHOLD, OPTION_STATISTIC,  OPTION_WINDOW,        OPTION_EXIT_CODE};

/* ---- results ---- */

void add_number(evaluation *self, const char *name, double value) {
    json_object_set_new(self->result, name, json_finite(value));
}

void add_integer(evaluation *self, const char *name, int64_t value) {
    json_object_set_new(self->result, name, json_integer(value));
}

void add_text(evaluation *self, const char *name, const char *text) {
    json_object_set_new(self->result, name, json_string(text));
}

void add_numbers(evaluation *self, const char *name, const double *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(list, json_finite(values[i]));
    json_object_set_new(self->result, name, list);
}

void add_integers(evaluation *self, const char *name, const int64_t *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(list, json_integer(values[i]));
    json_object_set_new(self->result, name, list);
}

/* ---- numbers ---- */

/* Refuses NaN in the files of a metric that computes with every number. */
static int refuse_nan(const evaluation *self) {
    for (int f = 0; f < 2; f++)
        for (int64_t row = 0; self->numbers[f] && row < self->lines; row++)
            if (isnan(self->numbers[f][row]))
                return complain(EXIT_DATA, "%s: entry %lld: a number is needed, got NaN",
                                self->args->operands[1 + f], (long long)row + 1);
    return EXIT_DONE;
}

static int evaluate_mean(evaluation *self) {
    alcore_mean_result result = ALCORE_MEAN_RESULT_INIT;

    TRY(refuse_nan(self));
    TRY(outcome(
        alcore_metric_compute_mean(self->ctx, self->numbers[0], self->lines, NULL, &result)));
    add_number(self, "mean", result.mean);
    add_number(self, "standard_deviation", result.standard_deviation);
    add_number(self, "standard_error", result.standard_error);
    add_integer(self, "lines", self->lines);
    return EXIT_DONE;
}

static int evaluate_pearson(evaluation *self) {
    alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;

    TRY(refuse_nan(self));
    TRY(outcome(alcore_metric_compute_pearson(self->ctx, self->numbers[0], self->lines,
                                              self->numbers[1], self->lines, NULL, &result)));
    add_number(self, "rho", result.rho);
    add_number(self, "p", result.p);
    return EXIT_DONE;
}

static int evaluate_wilcoxon(evaluation *self) {
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;

    TRY(refuse_nan(self));
    TRY(outcome(alcore_metric_compute_wilcoxon(self->ctx, self->numbers[0], self->lines,
                                               self->numbers[1], self->numbers[1] ? self->lines : 0,
                                               NULL, &result)));
    add_number(self, "p", result.p);
    add_number(self, "w_plus", result.w_plus);
    add_number(self, "w_minus", result.w_minus);
    add_integer(self, "pairs", result.pairs);
    json_object_set_new(self->result, "exact", json_boolean(result.exact));
    return EXIT_DONE;
}

int read_amount(const evaluation *self, option_id id, double *out) {
    const char *text = option_value(self->args, id, NULL);
    if (text && !number_of(text, out))
        return complain(EXIT_USAGE, "--%s %s: a number is needed%s", option_table[id].name, text,
                        alcore__number_fault(text, strlen(text)));
    return EXIT_DONE;
}

/* cost: reads no file. */
static int evaluate_cost(evaluation *self) {
    alcore_cost_options options = ALCORE_COST_OPTIONS_INIT;
    alcore_cost_result result = ALCORE_COST_RESULT_INIT;
    double words = 0;

    if (!option_given(self->args, OPTION_WORDS))
        return complain(EXIT_USAGE, "eval cost needs --words N, the words to translate");
    TRY(option_enum(self->args, OPTION_COST_MODEL, "rate|linear|power", ALCORE_COST_RATE,
                    &options.model));
    TRY(read_amount(self, OPTION_WORDS, &words));
    TRY(read_amount(self, OPTION_RATE, &options.rate));
    TRY(read_amount(self, OPTION_BLEU_GAIN, &options.bleu_gain));
    TRY(read_amount(self, OPTION_TYPES, &options.in_domain_types));
    TRY(outcome(alcore_analysis_compute_cost(words, &options, &result)));
    add_number(self, "usd", result.usd);
    if (options.bleu_gain != 0) add_number(self, "usd_per_bleu", result.usd_per_bleu);
    if (options.in_domain_types != 0) add_number(self, "usd_per_type", result.usd_per_type);
    return EXIT_DONE;
}

#define CHOOSES_SIDE " side translator system domain "
#define CORPUS " by sentence bootstrap baseline paired samples seed" CHOOSES_SIDE
static const char corpus_options[] = CORPUS;
static const metric metrics[] = {
    {"bleu", "HYP REF...", 2, 15, " tokenize smooth" CORPUS, INPUT_STREAMS, evaluate_bleu},
    {"chrf", "HYP REF...", 2, 15, corpus_options, INPUT_STREAMS, evaluate_chrf},
    {"chrf++", "HYP REF...", 2, 15, corpus_options, INPUT_STREAMS, evaluate_chrf},
    {"ter", "HYP REF...", 2, 15, " cased" CORPUS, INPUT_STREAMS, evaluate_ter},
    {"f1", "GOLD PREDICTED", 2, 2, " by scheme ", INPUT_STREAMS, evaluate_spans},
    {"accuracy", "GOLD PREDICTED", 2, 2, " by by-word ", INPUT_STREAMS, evaluate_labels},
    {"macro-f1", "GOLD PREDICTED", 2, 2, " by by-word ", INPUT_STREAMS, evaluate_labels},
    {"qa", "GOLD PREDICTED", 2, 2, " by ", INPUT_STREAMS, evaluate_answers},
    {"overlap", "TEST --selected FILE", 1, 1,
     " selected ood orders side translator domain target-column combined unit mode ", INPUT_STREAMS,
     evaluate_overlap},
    {"in-domain", "SELECTED --ood FILE --test FILE", 1, 1, " ood test idw ", INPUT_STREAMS,
     evaluate_in_domain},
    {"word-accuracy", "SRC REF HYP --links FILE", 3, 3, " by links ood ", INPUT_STREAMS,
     evaluate_word_accuracy},
    {"length-ratio", "HYP REF", 2, 2, " by" CHOOSES_SIDE, INPUT_STREAMS, evaluate_length_ratio},
    {"duplicates", "TEST --train FILE", 1, 1, " train dedup ", INPUT_STREAMS, evaluate_duplicates},
    {"mean", "FILE", 1, 1, "", INPUT_NUMBERS, evaluate_mean},
    {"pearson", "A B", 2, 2, " by ", INPUT_NUMBERS, evaluate_pearson},
    {"wilcoxon", "A [B]", 1, 2, " by ", INPUT_NUMBERS, evaluate_wilcoxon},
    {"kappa", "A B", 2, 2, " by ", INPUT_STREAMS, evaluate_kappa},
    {"plateau", "FILE", 1, 1, " patience least-gain lower-is-better exit-code ", INPUT_NUMBERS,
     evaluate_plateau},
    {"uncertainty", "FILE --threshold T", 1, 1, " threshold statistic exit-code ", INPUT_NUMBERS,
     evaluate_uncertainty},
    {"agreement", "FILE FILE...", 2, 15, " by window threshold exit-code ", INPUT_STREAMS,
     evaluate_agreement},
    {"cost", "--words N and no file", 0, 0, " words cost-model rate bleu-gain types ",
     INPUT_STREAMS, evaluate_cost},
};
enum { METRIC_TOTAL = sizeof metrics / sizeof metrics[0] };

static const char *metric_name_at(int index, void *data) {
    (void)data;
    return index < METRIC_TOTAL ? metrics[index].name : NULL;
}

/* The names of all metrics with commas between them, written to buffer, which is returned. */
static const char *metric_names(char *buffer, size_t bytes) {
    size_t end = 0;
    for (int i = 0; i < METRIC_TOTAL; i++)
        end +=
            (size_t)snprintf(buffer + end, bytes - end, "%s%s", i > 0 ? ", " : "", metrics[i].name);
    return buffer;
}

/* The metric of the first operand, whose files and options fit; an exit code. */
static int find_metric(const arguments *args, const metric **out) {
    char names[512];
    const char *name = args->operands[0];
    const int files = args->operand_count - 1;

    *out = NULL;
    for (int i = 0; i < METRIC_TOTAL; i++)
        if (!strcmp(metrics[i].name, name)) *out = &metrics[i];
    if (!*out) {
        const char *near = nearest_name(name, metric_name_at, NULL);
        const char *hint = alcore_hint(ALCORE_HINT_METRIC, name);
        if (hint) return complain(EXIT_USAGE, "eval has no metric '%s'; %s", name, hint);
        return complain(EXIT_USAGE, "eval has no metric '%s'%s%s%s it has %s", name,
                        near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "",
                        metric_names(names, sizeof names));
    }
    if (files < (*out)->min_files || files > (*out)->max_files)
        return complain(EXIT_USAGE, "eval %s takes %s, not %d file%s", name, (*out)->files, files,
                        files == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof evaluation_options / sizeof *evaluation_options; i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", option_table[evaluation_options[i]].name);
        if (option_given(args, evaluation_options[i]) && !strstr((*out)->options, word))
            return complain(EXIT_USAGE, "eval %s has no option '--%s'", name,
                            option_table[evaluation_options[i]].name);
    }
    return EXIT_DONE;
}

/* ---- files ---- */

/* One file as a pool of all its lines, and which of them belong to those of the first file. */
static int read_file(evaluation *self, int index) {
    const char *const *paths = self->args->operands + 1;
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    int64_t count;

    keep_all.dedup = ALCORE_DEDUP_NONE;
    TRY(outcome(alcore_pool_new(self->ctx, &keep_all, &self->files[index])));
    TRY(inputs_read_texts(self->args, paths[index], false, self->files[index]));
    const int64_t lines = alcore_pool_row_count(self->files[index]);
    if (lines == 0)
        return complain(EXIT_DATA, "%s is empty: there is nothing to measure", paths[index]);
    if (index == 0) self->lines = lines;
    return index == 0 ? EXIT_DONE
                      : inputs_join(self->args, self->files[0], paths[0], self->files[index],
                                    paths[index], NULL, 0, &self->joined[index], &count);
}

/* The text of a file that belongs to line `line`, from 0, of the first one. */
static const char *text_of_line(const evaluation *self, int index, int64_t line, size_t *length) {
    const int64_t *joined = self->joined[index];
    return alcore_pool_text(self->files[index], joined ? joined[line] : line, length);
}

/* The lines of a file as numbers; NaN has a meaning of its own to some metrics, and everything else
 * is refused. */
static int read_numbers(evaluation *self, int index) {
    double *numbers = self->numbers[index] = calloc((size_t)self->lines + 1, sizeof *numbers);
    if (!numbers) return complain(EXIT_MEMORY, "out of memory");
    for (int64_t row = 0; row < self->lines; row++) {
        size_t length;
        const char *text = text_of_line(self, index, row, &length);
        if (!alcore__parse_double(text, length, &numbers[row]) || isinf(numbers[row]))
            return complain(EXIT_DATA, "%s: entry %lld: a number is needed, got '%.40s'%s",
                            self->args->operands[1 + index], (long long)row + 1, text,
                            alcore__number_fault(text, length));
    }
    return EXIT_DONE;
}

/* Lists the texts of all files. */
static int list_texts(evaluation *self) {
    const size_t lines = (size_t)self->lines, others = lines * (size_t)(self->file_count - 1);

    self->own = calloc(lines + 1, sizeof *self->own);
    self->own_lengths = calloc(lines + 1, sizeof *self->own_lengths);
    self->others = calloc(others + 1, sizeof *self->others);
    self->other_lengths = calloc(others + 1, sizeof *self->other_lengths);
    if (!self->own || !self->own_lengths || !self->others || !self->other_lengths)
        return complain(EXIT_MEMORY, "out of memory");
    inputs_list_texts(self->files[0], self->own, self->own_lengths);
    for (int i = 1; i < self->file_count; i++)
        for (size_t line = 0; line < lines; line++) {
            const size_t place = (size_t)(i - 1) * lines + line;
            self->others[place] = text_of_line(self, i, (int64_t)line, &self->other_lengths[place]);
        }
    return EXIT_DONE;
}

int evaluation_read_texts(evaluation *self) {
    for (int i = 0; i < self->file_count; i++) TRY(read_file(self, i));
    return list_texts(self);
}

alcore_text_files evaluation_files(const evaluation *self, alcore_read_options *options) {
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    *options = self->reading;
    options->text_column = option_value(self->args, OPTION_TEXT_COLUMN, NULL);
    choose_side(self->args, self->args->operands[1], true, options);
    options->by = self->by;
    files.paths = self->args->operands + 1;
    files.count = self->file_count;
    files.options = options;
    return files;
}

/* ---- output ---- */

/* The shortest text that reads back as the same number. */
static void print_real(FILE *stream, double value) {
    char text[32];
    alcore__print_double(value, text);
    fputs(text, stream);
}

static void print_value(FILE *stream, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_REAL:
        print_real(stream, json_real_value(value));
        break;
    case JSON_INTEGER:
        fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_STRING:
        fputs(json_string_value(value), stream);
        break;
    case JSON_NULL:
        fputs("nan", stream);
        break;
    default:
        fputs(json_is_true(value) ? "1" : "0", stream);
    }
    fputc('\n', stream);
}

/* One line a value; entry n of a list is NAME_n. With --sentence the lines are those of the
 * sentences: their number from 1 and the value. */
static void print_lines(FILE *stream, const evaluation *self) {
    const char *name;
    json_t *value;

    if (self->sentences) {
        for (int64_t line = 0; line < self->lines; line++) {
            fprintf(stream, "%lld\t", (long long)line + 1);
            print_real(stream, self->sentences[line]);
            fputc('\n', stream);
        }
        return;
    }
    json_object_foreach(self->result, name, value) {
        const size_t entries = json_is_array(value) ? json_array_size(value) : 1;
        for (size_t i = 0; i < entries; i++) {
            if (json_is_array(value))
                fprintf(stream, "%s_%zu\t", name, i + 1);
            else
                fprintf(stream, "%s\t", name);
            print_value(stream, json_is_array(value) ? json_array_get(value, i) : value);
        }
    }
}

/* Prints the result to --out. */
static int print_result(evaluation *self) {
    text_output out;
    int failed = 0;
    TRY(text_output_open(&out));
    if (!option_given(self->args, OPTION_JSON)) {
        print_lines(out.stream, self);
    } else {
        if (self->sentences) add_numbers(self, "sentences", self->sentences, self->lines);
        failed = json_dumpf(self->result, out.stream, JSON_INDENT(2));
        fputc('\n', out.stream);
    }
    return text_output_close(&out, failed ? complain(EXIT_MEMORY, "out of memory") : EXIT_DONE,
                             option_value(self->args, OPTION_OUT, "-"));
}

static void release(evaluation *self) {
    json_decref(self->result);
    free(self->sentences);
    free(self->numbers[0]);
    free(self->numbers[1]);
    free(self->other_lengths);
    free(self->others);
    free(self->own_lengths);
    free(self->own);
    for (int i = 0; self->files && i < self->file_count; i++) alcore_pool_unref(self->files[i]);
    for (int i = 0; self->joined && i < self->file_count; i++) free(self->joined[i]);
    free(self->files);
    free(self->joined);
    alcore_ctx_unref(self->ctx);
}

static int evaluate(evaluation *self, const metric *found) {
    self->result = json_object();
    self->files = calloc((size_t)self->file_count + 1, sizeof(alcore_pool *));
    self->joined = calloc((size_t)self->file_count + 1, sizeof(int64_t *));
    TRY(option_join(self->args, &self->by));
    TRY(check_join(self->args, self->file_count > 1));
    if (!self->result || !self->files || !self->joined)
        return complain(EXIT_MEMORY, "out of memory");
    TRY(terminal_context(self->args, &self->ctx));
    for (int i = 0; found->input == INPUT_NUMBERS && i < self->file_count; i++)
        TRY(read_file(self, i));
    for (int i = 0; found->input == INPUT_NUMBERS && i < self->file_count; i++)
        TRY(read_numbers(self, i));
    TRY(found->compute(self));
    terminal_clear();
    return print_result(self);
}

int command_eval(const arguments *args) {
    evaluation self = {
        .args = args, .reading = ALCORE_READ_OPTIONS_INIT, .file_count = args->operand_count - 1};
    const metric *found;

    TRY(find_metric(args, &found));
    TRY(read_reading(args, &self.reading));
    const int code = evaluate(&self, found);
    release(&self);
    return code == EXIT_DONE ? self.code : code;
}
