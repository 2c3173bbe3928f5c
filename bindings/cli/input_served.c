/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of --logprobs-format openai: what an inference server answered. */
#include <string.h>

#include "inputs.h"

bool inputs_are_served(const arguments *args) {
    return !strcmp(option_value(args, OPTION_LOGPROBS_FORMAT, ""), "openai");
}

/* Reads a column of the answers in a file. */
static int read_column(const inputs *in, const char *column, const char *path,
                       const alcore_served_options *options) {
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    alcore_column_writer *writer;
    TRY(outcome(
        alcore_column_writer_new(in->candidates, column, ALCORE_COLUMN_RAGGED, NULL, &writer)));
    if (!strcmp(column, "logprobs")) writers.logprobs = writer;
    if (!strcmp(column, "margins")) writers.margins = writer;
    if (!strcmp(column, "confidences")) writers.confidences = writer;
    if (!strcmp(column, "entropies")) writers.entropies = writer;
    int code = outcome(alcore_served_read(in->candidates, path, options, &writers));
    if (code == EXIT_DONE) code = outcome(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(writer);
    return code;
}

int inputs_read_served(const arguments *args, const inputs *in, const int64_t *rows,
                       int64_t count) {
    static const struct {
        option_id id;
        const char *column;
    } columns[] = {{OPTION_LOGPROBS, "logprobs"},
                   {OPTION_MARGINS, "margins"},
                   {OPTION_CONFIDENCES, "confidences"},
                   {OPTION_ENTROPIES, "entropies"}};
    static const option_id of_others[] = {OPTION_LOGPROB_BASE, OPTION_OFFSETS};
    alcore_served_options options = ALCORE_SERVED_OPTIONS_INIT;
    bool used = false;

    options.rows = rows;
    options.row_count = count;
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (option_given(args, of_others[i]))
            return complain(EXIT_USAGE, "--%s does not go with --logprobs-format openai",
                            option_table[of_others[i]].name);
    TRY(option_integer(args, OPTION_SERVED_VOCABULARY, 1, INT64_MAX, &options.classes));
    if (options.classes > 0) options.rest = ALCORE_REST_UNIFORM;
    if (options.classes > 0 && !option_given(args, OPTION_ENTROPIES))
        return complain(EXIT_USAGE, "--served-vocabulary needs --entropies, which it bounds");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *path = option_value(args, columns[i].id, NULL);
        if (!path) continue;
        used = true;
        TRY(read_column(in, columns[i].column, path, &options));
    }
    if (used) return EXIT_DONE;
    return complain(EXIT_USAGE, "--logprobs-format openai needs --logprobs, --margins, "
                                "--confidences or --entropies");
}
