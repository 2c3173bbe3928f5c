/* SPDX-License-Identifier: Apache-2.0 */
/* alcore phrases: writes the table of the phrases of a pool with their counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

/* One -p NAME=VALUE: max_n=1..64|inf, smp_limit=N|inf, exclude_labeled=0|1, letters=0|1. An exit
 * code. */
static int set_phrase_parameter(alcore_phrase_options *options, const char *name,
                                const char *value) {
    const bool one = !strcmp(value, "1");
    if (!strcmp(name, "max_n")) {
        if (!strcmp(value, "inf"))
            options->max_words = ALCORE_PHRASE_UNLIMITED;
        else if (!integer_of(value, &options->max_words) || options->max_words < 1 ||
                 options->max_words > ALCORE_PHRASE_WORDS_MAX)
            return complain(EXIT_USAGE, "-p max_n=%s: expected 1 to %d, or inf", value,
                            ALCORE_PHRASE_WORDS_MAX);
        return EXIT_DONE;
    }
    if (!strcmp(name, "smp_limit")) {
        options->beyond_limit = !strcmp(value, "inf");
        return options->beyond_limit || !strcmp(value, "N")
                   ? EXIT_DONE
                   : complain(EXIT_USAGE, "-p smp_limit=%s: expected N or inf", value);
    }
    if (strcmp(name, "exclude_labeled") != 0 && strcmp(name, "letters") != 0)
        return complain(EXIT_USAGE,
                        "phrases has no parameter '%s'; it has max_n, smp_limit, exclude_labeled "
                        "and letters",
                        name);
    if (!one && strcmp(value, "0") != 0)
        return complain(EXIT_USAGE, "-p %s=%s: expected 0 or 1", name, value);
    if (name[0] == 'e')
        options->unknown = one;
    else
        options->with_letters = one;
    return EXIT_DONE;
}

/* The options of the command line; an exit code. */
static int read_phrase_options(const arguments *args, alcore_phrase_options *options) {
    char name[32];
    for (int i = 0; option_repeat(args, OPTION_PARAM, i); i++) {
        const char *text = option_repeat(args, OPTION_PARAM, i), *equals = strchr(text, '=');
        if (!equals) return complain(EXIT_USAGE, "-p %s: expected NAME=VALUE", text);
        const size_t length = (size_t)(equals - text);
        snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
        TRY(set_phrase_parameter(options, name, equals + 1));
    }
    options->semi_maximal = option_given(args, OPTION_SEMI_MAXIMAL);
    if (options->max_words == ALCORE_PHRASE_UNLIMITED && !options->semi_maximal)
        return complain(EXIT_USAGE, "-p max_n=inf needs --semi-maximal: a row of n words has "
                                    "n (n + 1) / 2 phrases");
    return option_integer(args, OPTION_MIN_COUNT, 1, INT64_MAX, &options->min_count);
}

/* With --json: how many phrases of how many rows were written. */
static int print_counts(const arguments *args, const alcore_pool *pool,
                        const alcore_pool *phrases) {
    if (!option_given(args, OPTION_JSON)) return EXIT_DONE;
    return print_json_object(json_pack("{s:s, s:I, s:I}", "version", alcore_version(), "rows",
                                       (json_int_t)alcore_pool_row_count(pool), "phrases",
                                       (json_int_t)alcore_pool_row_count(phrases)));
}

int command_phrases(const arguments *args) {
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    alcore_ctx *ctx = NULL;
    alcore_pool *phrases = NULL;
    inputs in = {0};
    int code = read_phrase_options(args, &options);

    if (code == EXIT_DONE) code = option_suffix(args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt");
    if (code == EXIT_DONE) code = json_needs_file(args, "phrases");
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    if (code == EXIT_DONE) code = inputs_read(ctx, args, &in);
    if (code == EXIT_DONE) {
        alcore_status status =
            alcore_pool_derive_phrases(in.candidates, in.labeled, &options, &phrases);
        if (status == ALCORE_OK)
            status = alcore_pool_write_phrases(phrases, option_value(args, OPTION_OUT, "-"), NULL);
        terminal_clear();
        code = outcome(status);
    }
    if (code == EXIT_DONE) code = print_counts(args, in.candidates, phrases);
    alcore_pool_unref(phrases);
    inputs_release(&in);
    alcore_ctx_unref(ctx);
    return code;
}
