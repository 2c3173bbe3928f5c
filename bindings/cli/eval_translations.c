/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval bleu, chrf, chrf++, ter: translations against references. */
#include <stdlib.h>
#include <string.h>

#include "eval.h"

/* alcore_text_files.score: keeps the score of a line. */
static void keep_score(void *user, int64_t line, double score) {
    evaluation *self = user;
    if (line >= self->sentence_capacity) {
        const int64_t capacity = 2 * line + 1024;
        double *grown = realloc(self->sentences, (size_t)capacity * sizeof *grown);
        self->out_of_memory = self->out_of_memory || !grown;
        if (!grown) return;
        self->sentences = grown;
        self->sentence_capacity = capacity;
    }
    self->sentences[line] = score;
    self->lines = line + 1;
}

/* What a metric of translations reads: the operands and, last, the file of --baseline. */
typedef struct translation_files {
    alcore_text_files files;
    alcore_read_options reading;
    alcore_paired_options paired;
    const char *paths[MOST_TRANSLATIONS + 1];
} translation_files;

/* The files of the command line, which live as long as *out; *paired: NULL without --baseline. An
 * exit code. */
static int read_files(evaluation *self, translation_files *out,
                      const alcore_paired_options **paired) {
    const char *baseline = option_value(self->args, OPTION_BASELINE, NULL);
    int64_t seed = 0;
    out->files = evaluation_files(self, &out->reading);
    out->files.score_user = self;
    if (option_given(self->args, OPTION_SENTENCE)) out->files.score = keep_score;
    if (!baseline) {
        const option_id unread =
            option_given(self->args, OPTION_PAIRED) ? OPTION_PAIRED : OPTION_SAMPLES;
        if (!option_given(self->args, unread)) return EXIT_DONE;
        return complain(EXIT_USAGE, "--%s needs --baseline", option_table[unread].name);
    }
    memcpy(out->paths, out->files.paths, (size_t)out->files.count * sizeof *out->paths);
    out->paths[out->files.count++] = baseline;
    out->files.paths = out->paths;
    out->paired = (alcore_paired_options)ALCORE_PAIRED_OPTIONS_INIT;
    TRY(option_enum(self->args, OPTION_PAIRED, "bootstrap|randomization", ALCORE_PAIRED_BOOTSTRAP,
                    &out->paired.test));
    TRY(option_integer(self->args, OPTION_SAMPLES, 1, 1000000, &out->paired.samples));
    TRY(option_integer(self->args, OPTION_SEED, 0, INT64_MAX, &seed));
    out->paired.seed = (uint64_t)seed;
    *paired = &out->paired;
    return EXIT_DONE;
}

/* The paired test, when there is a baseline. */
static void add_test(evaluation *self, double baseline, double p) {
    if (!option_given(self->args, OPTION_BASELINE)) return;
    add_number(self, "baseline", baseline);
    add_number(self, "p", p);
}

/* outcome() of a metric of files. */
static int outcome_of_files(const evaluation *self, alcore_status status) {
    TRY(outcome(status));
    return self->out_of_memory ? complain(EXIT_MEMORY, "out of memory") : EXIT_DONE;
}

/* The interval of bootstrap samples, when --bootstrap asked for it. */
static void add_interval(evaluation *self, double mean, double low, double high) {
    if (!option_given(self->args, OPTION_BOOTSTRAP)) return;
    add_number(self, "bootstrap_mean", mean);
    add_number(self, "bootstrap_low", low);
    add_number(self, "bootstrap_high", high);
}

/* --bootstrap and --seed. */
static int read_bootstrap(const evaluation *self, int64_t *resamples, uint64_t *seed) {
    int64_t given = 0;
    TRY(option_integer(self->args, OPTION_BOOTSTRAP, 1, 1000000, resamples));
    TRY(option_integer(self->args, OPTION_SEED, 0, INT64_MAX, &given));
    *seed = (uint64_t)given;
    return EXIT_DONE;
}

/* --smooth exp|floor|add-k|none, of floor and add-k with =VALUE. */
static int read_smoothing(const evaluation *self, alcore_bleu_options *options) {
    static const char *const names[] = {"exp", "floor", "add-k", "none"};
    const char *text = option_value(self->args, OPTION_SMOOTH, "exp");
    const size_t length = strcspn(text, "=");
    bool valid = true;
    int found = -1;

    for (int i = 0; i < 4; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], text, length)) found = i;
    const int32_t smoothing = ALCORE_BLEU_SMOOTH_EXP + found;
    const bool takes_value =
        smoothing == ALCORE_BLEU_SMOOTH_FLOOR || smoothing == ALCORE_BLEU_SMOOTH_ADD_K;
    if (text[length] == '=' && takes_value)
        valid = number_of(text + length + 1, &options->smoothing_value) &&
                options->smoothing_value >= 0.0;
    if (found < 0 || !valid || (text[length] == '=' && !takes_value))
        return complain(EXIT_USAGE,
                        "--smooth %s: one of exp, floor, add-k, none is needed; floor and add-k "
                        "may have a value from 0 on, such as floor=0.1",
                        text);
    options->smoothing = smoothing;
    return EXIT_DONE;
}

int evaluate_bleu(evaluation *self) {
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    translation_files files;
    char signature[160];

    TRY(option_enum(self->args, OPTION_TOKENIZE, "13a|intl|char|zh|none", ALCORE_BLEU_13A,
                    &options.tokenizer));
    TRY(read_smoothing(self, &options));
    TRY(read_bootstrap(self, &options.resamples, &options.seed));
    TRY(read_files(self, &files, &options.paired));
    TRY(outcome_of_files(self, alcore_metric_read_bleu(self->ctx, &files.files, &options, &score)));
    add_number(self, "bleu", score.bleu);
    add_interval(self, score.bootstrap_mean, score.bootstrap_low, score.bootstrap_high);
    add_test(self, score.baseline, score.p);
    add_number(self, "brevity_penalty", score.brevity_penalty);
    add_numbers(self, "precisions", score.precisions, 4);
    add_integers(self, "matches", score.matches, 4);
    add_integers(self, "totals", score.totals, 4);
    add_integer(self, "hypothesis_tokens", score.hypothesis_tokens);
    add_integer(self, "reference_tokens", score.reference_tokens);
    alcore_metric_bleu_signature(self->file_count - 1, &options, signature);
    add_text(self, "signature", signature);
    return EXIT_DONE;
}

int evaluate_chrf(evaluation *self) {
    alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    translation_files files;
    const char *name = self->args->operands[0];
    char signature[160];

    options.word_order = !strcmp(name, "chrf++") ? 2 : 0;
    const int counts = 6 + options.word_order;
    TRY(read_bootstrap(self, &options.resamples, &options.seed));
    TRY(read_files(self, &files, &options.paired));
    TRY(outcome_of_files(self, alcore_metric_read_chrf(self->ctx, &files.files, &options, &score)));
    add_number(self, name, score.chrf);
    add_interval(self, score.bootstrap_mean, score.bootstrap_low, score.bootstrap_high);
    add_test(self, score.baseline, score.p);
    add_integers(self, "matches", score.matches, counts);
    add_integers(self, "hypothesis_total", score.hypothesis_total, counts);
    add_integers(self, "reference_total", score.reference_total, counts);
    alcore_metric_chrf_signature(self->file_count - 1, &options, signature);
    add_text(self, "signature", signature);
    return EXIT_DONE;
}

int evaluate_ter(evaluation *self) {
    alcore_ter_options options = ALCORE_TER_OPTIONS_INIT;
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    translation_files files;
    char signature[160];

    options.case_sensitive = option_given(self->args, OPTION_CASED);
    TRY(read_bootstrap(self, &options.resamples, &options.seed));
    TRY(read_files(self, &files, &options.paired));
    TRY(outcome_of_files(self, alcore_metric_read_ter(self->ctx, &files.files, &options, &score)));
    add_number(self, "ter", score.ter);
    add_interval(self, score.bootstrap_mean, score.bootstrap_low, score.bootstrap_high);
    add_test(self, score.baseline, score.p);
    add_integer(self, "edits", score.edits);
    add_number(self, "reference_words", score.reference_words);
    alcore_metric_ter_signature(self->file_count - 1, &options, signature);
    add_text(self, "signature", signature);
    return EXIT_DONE;
}
