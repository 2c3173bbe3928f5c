/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval overlap, in-domain, word-accuracy, length-ratio, duplicates: what data and a test set
 * share, and what became of it. Files of data are read in blocks; only n-grams that the answer
 * needs stay in memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"

/* ---- overlap ---- */

typedef enum side_choice { SIDE_SRC, SIDE_TGT, SIDE_BOTH } side_choice;

/* What --side, --combined, --unit, --mode and --orders ask for. */
typedef struct overlap_query {
    int side;            /* side_choice */
    int combined;        /* 0: union, 1: tagged */
    int unit;            /* 0: types, 1: tokens */
    int mode;            /* 0: coverage, 1: precision, 2: jaccard */
    int64_t first, last; /* orders */
} overlap_query;

/* --orders N or N-M. */
static int read_orders(const arguments *args, int64_t *first, int64_t *last) {
    const char *text = option_value(args, OPTION_ORDERS, "1-4");
    const size_t length = strcspn(text, "-");
    const char *end = text[length] ? text + length + 1 : text;
    if (!part_integer(text, length, first) || !integer_of(end, last) || *first < 1 ||
        *last < *first || *last > ALCORE_NGRAM_ORDER_MAX)
        return complain(EXIT_USAGE, "--orders %s: N or N-M is needed, from 1 to %d", text,
                        ALCORE_NGRAM_ORDER_MAX);
    return EXIT_DONE;
}

static int read_query(const arguments *args, overlap_query *out) {
    TRY(option_choice(args, OPTION_SIDE, "src|tgt|both", &out->side));
    TRY(option_choice(args, OPTION_COMBINED, "union|tagged", &out->combined));
    TRY(option_choice(args, OPTION_UNIT, "types|tokens", &out->unit));
    TRY(option_choice(args, OPTION_MODE, "coverage|precision|jaccard", &out->mode));
    TRY(read_orders(args, &out->first, &out->last));
    if (option_given(args, OPTION_COMBINED) && out->side != SIDE_BOTH)
        return complain(EXIT_USAGE, "--combined needs --side both");
    if (out->unit == 1 && out->mode != 0)
        return complain(EXIT_USAGE, "--unit tokens goes with --mode coverage only");
    if (option_given(args, OPTION_TARGET_COLUMN) && out->side == SIDE_SRC)
        return complain(EXIT_USAGE, "--target-column needs --side tgt or both");
    return EXIT_DONE;
}

/* Whether a file has columns, of which one can be the source and one the target. */
static bool has_columns(const char *path) {
    return table_of_path(path) != 0;
}

/* Adds the texts of one file and side. A file without columns is of one language: that of --side.
 */
static int add_side(const evaluation *self, alcore_overlap *overlap, int32_t role, int side,
                    const char *path) {
    alcore_read_options options = self->reading;

    options.text_column = side == SIDE_SRC
                              ? option_value(self->args, OPTION_TEXT_COLUMN, NULL)
                              : option_value(self->args, OPTION_TARGET_COLUMN, "target");
    choose_side(self->args, path, false, &options);
    if (side == SIDE_SRC) options.translator = NULL;
    /* --side is one of src, tgt and both here: the targets of a test set are its references. */
    if (options.side) options.side = side == SIDE_SRC ? "src" : "ref";
    int64_t texts;
    alcore_status status = alcore_overlap_read(
        overlap, role, side == SIDE_SRC ? ALCORE_SIDE_SOURCE : ALCORE_SIDE_TARGET, path, &options,
        &texts);
    /* The column of sources is that of the test set: a selection has its texts in "text". */
    if (status == ALCORE_E_DATA && side == SIDE_SRC && options.text_column &&
        role != ALCORE_OVERLAP_TEST) {
        alcore_read_options usual = options;
        usual.text_column = NULL;
        status = alcore_overlap_read(overlap, role,
                                     side == SIDE_SRC ? ALCORE_SIDE_SOURCE : ALCORE_SIDE_TARGET,
                                     path, &usual, &texts);
        if (status == ALCORE_E_DATA)
            status = alcore_overlap_read(overlap, role,
                                         side == SIDE_SRC ? ALCORE_SIDE_SOURCE : ALCORE_SIDE_TARGET,
                                         path, &options, &texts);
    }
    TRY(outcome(status));
    if (texts == 0 && !strcmp(path, self->args->operands[1]))
        return complain(EXIT_DATA, "%s is empty: there is nothing to measure", path);
    return EXIT_DONE;
}

/* Adds all files of a repeatable option, or the operand (OPTION_TOTAL), of a role. */
static int add_files(const evaluation *self, alcore_overlap *overlap, int32_t role, int side,
                     option_id option) {
    const char *path = self->args->operands[1];
    for (int i = 0;
         option == OPTION_TOTAL ? i == 0 : (path = option_repeat(self->args, option, i)) != NULL;
         i++) {
        if (side == SIDE_BOTH && !has_columns(path))
            return complain(
                EXIT_USAGE,
                "--side both: %s has one text a line; a .tsv, .csv or .jsonl with a source "
                "and a target column is needed",
                path);
        if (side != SIDE_TGT) TRY(add_side(self, overlap, role, SIDE_SRC, path));
        if (side != SIDE_SRC) TRY(add_side(self, overlap, role, SIDE_TGT, path));
    }
    return EXIT_DONE;
}

/* The numbers of one data set: NAME_n of order n. */
static int add_data(evaluation *self, const alcore_overlap *overlap, const overlap_query *query,
                    int32_t data, const char *name) {
    for (int64_t n = query->first; n <= query->last; n++) {
        alcore_coverage_options options = ALCORE_COVERAGE_OPTIONS_INIT;
        alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
        char numbered[32];
        options.data = data;
        TRY(outcome(alcore_overlap_compute_coverage(overlap, (int32_t)n, &options, &score)));
        snprintf(numbered, sizeof numbered, "%s_%lld", name, (long long)n);
        add_number(self, numbered,
                   query->mode == 1   ? score.precision
                   : query->mode == 2 ? score.jaccard
                   : query->unit == 1 ? score.token_coverage
                                      : score.coverage);
    }
    return EXIT_DONE;
}

static int fill_overlap(evaluation *self, alcore_overlap *overlap, const overlap_query *query) {
    static const char *const sides[] = {"src", "tgt", "both"}, *const units[] = {"types", "tokens"};
    static const char *const modes[] = {"coverage", "precision", "jaccard"};
    const bool selected = option_given(self->args, OPTION_SELECTED);
    const bool outside = option_given(self->args, OPTION_OUTSIDE);
    char signature[160];

    TRY(add_files(self, overlap, ALCORE_OVERLAP_TEST, query->side, OPTION_TOTAL));
    TRY(add_files(self, overlap, ALCORE_OVERLAP_SELECTED, query->side, OPTION_SELECTED));
    TRY(add_files(self, overlap, ALCORE_OVERLAP_OUTSIDE, query->side, OPTION_OUTSIDE));
    if (selected) TRY(add_data(self, overlap, query, ALCORE_OVERLAP_SELECTED, "selected"));
    if (outside) TRY(add_data(self, overlap, query, ALCORE_OVERLAP_OUTSIDE, "outside"));
    if (selected && outside) TRY(add_data(self, overlap, query, ALCORE_OVERLAP_BOTH, "both"));
    snprintf(signature, sizeof signature, "n:%lld-%lld|side:%s%s|unit:%s|mode:%s|version:alcore-%s",
             (long long)query->first, (long long)query->last, sides[query->side],
             query->side != SIDE_BOTH ? ""
             : query->combined        ? "|combined:tagged"
                                      : "|combined:union",
             units[query->unit], modes[query->mode], alcore_version());
    add_text(self, "signature", signature);
    return EXIT_DONE;
}

int evaluate_overlap(evaluation *self) {
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_overlap *overlap = NULL;
    overlap_query query = {0};

    TRY(read_query(self->args, &query));
    if (!option_given(self->args, OPTION_SELECTED) && !option_given(self->args, OPTION_OUTSIDE))
        return complain(EXIT_USAGE, "eval overlap needs --selected FILE, --ood FILE or both");
    options.max_order = (int32_t)query.last;
    options.tagged = query.combined;
    options.kept =
        query.mode == 0 ? ALCORE_OVERLAP_TEST : ALCORE_OVERLAP_TEST | ALCORE_OVERLAP_BOTH;
    TRY(outcome(alcore_overlap_new(self->ctx, &options, &overlap)));
    const int code = fill_overlap(self, overlap, &query);
    alcore_overlap_unref(overlap);
    return code;
}

/* ---- in-domain words ---- */

static int fill_in_domain(evaluation *self, alcore_overlap *overlap, int definition) {
    const alcore_in_domain_options options = {.size = sizeof options, .definition = definition};
    alcore_in_domain_result score = ALCORE_IN_DOMAIN_RESULT_INIT;

    TRY(add_files(self, overlap, ALCORE_OVERLAP_SELECTED, SIDE_SRC, OPTION_TOTAL));
    TRY(add_files(self, overlap, ALCORE_OVERLAP_TEST, SIDE_SRC, OPTION_TEST));
    TRY(add_files(self, overlap, ALCORE_OVERLAP_OUTSIDE, SIDE_SRC, OPTION_OUTSIDE));
    TRY(outcome(alcore_overlap_compute_in_domain(overlap, &options, &score)));
    add_number(self, "type_share", score.type_share);
    add_number(self, "word_share", score.word_share);
    add_integer(self, "in_domain_types", score.in_domain_types);
    add_integer(self, "types", score.types);
    add_integer(self, "in_domain_words", score.in_domain_words);
    add_integer(self, "words", score.words);
    add_text(self, "idw", definition == ALCORE_IN_DOMAIN_TEST ? "test" : "unseen");
    return EXIT_DONE;
}

int evaluate_in_domain(evaluation *self) {
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_overlap *overlap = NULL;
    int32_t definition = ALCORE_IN_DOMAIN_TEST;

    TRY(option_enum(self->args, OPTION_IDW, "test|unseen", ALCORE_IN_DOMAIN_TEST, &definition));
    if (!option_given(self->args, OPTION_OUTSIDE))
        return complain(EXIT_USAGE, "eval in-domain needs --ood FILE");
    if (definition == ALCORE_IN_DOMAIN_TEST && !option_given(self->args, OPTION_TEST))
        return complain(EXIT_USAGE, "eval in-domain needs --test FILE, or --idw unseen");
    options.max_order = 1;
    options.kept = ALCORE_OVERLAP_SELECTED;
    TRY(outcome(alcore_overlap_new(self->ctx, &options, &overlap)));
    const int code = fill_in_domain(self, overlap, definition);
    alcore_overlap_unref(overlap);
    return code;
}

/* ---- translated words ---- */

/* Makes the in-domain words of the sources; *out stays NULL without --ood. */
static int read_domain(const evaluation *self, alcore_overlap **out) {
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;

    if (!option_given(self->args, OPTION_OUTSIDE)) return EXIT_DONE;
    options.max_order = 1;
    TRY(outcome(alcore_overlap_new(self->ctx, &options, out)));
    if (self->own) /* the sources were read */
        TRY(outcome(alcore_overlap_add(*out, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, self->own,
                                       self->own_lengths, self->lines)));
    else if (!strcmp(self->args->operands[1], "-"))
        return complain(EXIT_USAGE, "eval word-accuracy with --links and --ood reads SRC twice, "
                                    "which standard input cannot be");
    else
        TRY(add_files(self, *out, ALCORE_OVERLAP_TEST, SIDE_SRC, OPTION_TOTAL));
    return add_files(self, *out, ALCORE_OVERLAP_OUTSIDE, SIDE_SRC, OPTION_OUTSIDE);
}

/* Makes the links of the sources and their references, which were read, by the built-in aligner,
 * which is trained on these pairs, as a note on standard error says. *out is owned. */
static int make_links(evaluation *self, alcore_links **out) {
    const int64_t lines = self->lines;
    if (!option_given(self->args, OPTION_QUIET))
        fprintf(
            stderr,
            "note: without --links the built-in aligner is trained on these %lld sentence pairs\n",
            (long long)lines);
    return outcome(alcore_align(self->ctx, self->own, self->own_lengths, self->others,
                                self->other_lengths, lines, NULL, NULL, NULL, out));
}

/* Without --links: all files are in memory, as the aligner needs all pairs. */
static int measure_in_memory(evaluation *self, alcore_overlap **domain,
                             alcore_word_accuracy_result *score) {
    alcore_links *links = NULL;
    TRY(evaluation_read_texts(self));
    const int64_t lines = self->lines;
    TRY(read_domain(self, domain));
    TRY(make_links(self, &links));
    alcore_word_accuracy_options options = ALCORE_WORD_ACCURACY_OPTIONS_INIT;
    options.domain = *domain;
    const int code = outcome(alcore_metric_compute_word_accuracy(
        self->ctx, self->own, self->own_lengths, lines, self->others, self->other_lengths, lines,
        self->others + lines, self->other_lengths + lines, lines, links, &options, score));
    alcore_links_unref(links);
    return code;
}

/* With --links: the files are read in blocks. */
static int measure_files(evaluation *self, const char *links, alcore_overlap **domain,
                         alcore_word_accuracy_result *score) {
    alcore_read_options reading;
    const alcore_text_files files = evaluation_files(self, &reading);
    alcore_word_accuracy_options options = ALCORE_WORD_ACCURACY_OPTIONS_INIT;
    TRY(read_domain(self, domain));
    options.domain = *domain;
    return outcome(alcore_metric_read_word_accuracy(self->ctx, &files, links, &options, score));
}

int evaluate_word_accuracy(evaluation *self) {
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    const char *links = option_value(self->args, OPTION_LINKS, NULL);
    alcore_overlap *domain = NULL;

    const int code = links ? measure_files(self, links, &domain, &score)
                           : measure_in_memory(self, &domain, &score);
    alcore_overlap_unref(domain);
    TRY(code);
    add_number(self, "word-accuracy", score.accuracy);
    add_integer(self, "matched", score.matched);
    add_integer(self, "total", score.total);
    add_integer(self, "unlinked", score.unlinked);
    return EXIT_DONE;
}

int evaluate_length_ratio(evaluation *self) {
    alcore_length_ratio_result score = ALCORE_LENGTH_RATIO_RESULT_INIT;
    alcore_read_options reading;
    const alcore_text_files files = evaluation_files(self, &reading);

    TRY(outcome(alcore_metric_read_length_ratio(self->ctx, &files, NULL, &score)));
    add_number(self, "length-ratio", score.ratio);
    add_integer(self, "hypothesis_words", score.hypothesis_words);
    add_integer(self, "reference_words", score.reference_words);
    return EXIT_DONE;
}

/* ---- texts that the test set and the training data share ---- */

/* Reads both pools and counts the texts that they share. */
static int count_duplicates(evaluation *self, alcore_pool *test, alcore_pool *train) {
    alcore_duplicates_result found = ALCORE_DUPLICATES_RESULT_INIT;
    for (int i = 0; option_repeat(self->args, OPTION_TRAIN, i); i++)
        TRY(inputs_read_texts(self->args, option_repeat(self->args, OPTION_TRAIN, i), false,
                              train));
    TRY(inputs_read_texts(self->args, self->args->operands[1], false, test));
    TRY(outcome(alcore_analysis_compute_duplicates(test, train, NULL, &found)));
    if (found.texts == 0)
        return complain(EXIT_DATA, "%s is empty: there is nothing to measure",
                        self->args->operands[1]);
    add_number(self, "duplicates", found.duplicates);
    add_integer(self, "in_train", found.in_train);
    add_integer(self, "texts", found.texts);
    add_integer(self, "repeated", found.repeated);
    return EXIT_DONE;
}

int evaluate_duplicates(evaluation *self) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *test = NULL, *train = NULL;

    TRY(option_enum(self->args, OPTION_DEDUP, "exact|normalized", ALCORE_DEDUP_EXACT,
                    &options.dedup));
    if (!option_given(self->args, OPTION_TRAIN))
        return complain(EXIT_USAGE, "eval duplicates needs --train FILE");
    options.repeated_ids = ALCORE_IDS_ANY;
    int code = outcome(alcore_pool_new(self->ctx, &options, &train));
    if (code == EXIT_DONE) code = outcome(alcore_pool_new(self->ctx, &options, &test));
    if (code == EXIT_DONE) code = count_duplicates(self, test, train);
    alcore_pool_unref(test);
    alcore_pool_unref(train);
    return code;
}
