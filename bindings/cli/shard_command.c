/* SPDX-License-Identifier: Apache-2.0 */
/* alcore select --shard and alcore fold: selection from rows that lie in several files, by messages
 * that are files too. A step reads the messages of the exchanges that are over and writes that of
 * the next one to --next or, when there is none, the picks to --out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "commands.h"
#include "inputs.h"
#include "text_output.h"

static const option_id with_shard[] = {OPTION_DATASET, OPTION_MESSAGE, OPTION_NEXT};
static const option_id without_shard[] = {OPTION_REPORT, OPTION_JSON, OPTION_DRAFTS};

/* Reads "FIRST/ROWS". */
static int read_place(const arguments *args, alcore_job_options *options) {
    const char *text = option_value(args, OPTION_SHARD, ""), *slash = strchr(text, '/');
    if (!slash || !part_integer(text, (size_t)(slash - text), &options->first_row) ||
        !integer_of(slash + 1, &options->rows) || options->first_row < 0 || options->rows < 1)
        return complain(EXIT_USAGE,
                        "--shard %s: FIRST/ROWS is needed, such as 0/1000: the number of the first "
                        "row of POOL, from 0, and how many rows there are in all",
                        text);
    return EXIT_DONE;
}

int shard_check(const arguments *args) {
    const bool shard = option_given(args, OPTION_SHARD);
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof with_shard / sizeof *with_shard; i++)
        if (!shard && option_given(args, with_shard[i]))
            return complain(EXIT_USAGE, "--%s goes with --shard", option_table[with_shard[i]].name);
    if (!shard) return EXIT_DONE;
    for (size_t i = 0; i < sizeof without_shard / sizeof *without_shard; i++)
        if (option_given(args, without_shard[i]))
            return complain(EXIT_USAGE, "--%s does not go with --shard",
                            option_table[without_shard[i]].name);
    if (!option_given(args, OPTION_NEXT))
        return complain(EXIT_USAGE, "--shard needs --next PATH, where its message goes");
    TRY(option_suffix(args, OPTION_OUT, ".tsv"));
    return read_place(args, &options);
}

/* Reads a whole file: *data [*length], which the caller frees, also after a failure. */
static int read_message(const char *path, char **data, size_t *length) {
    FILE *file = fopen(path, "rb");
    size_t capacity = 0, bytes = 1;
    *data = NULL;
    *length = 0;
    while (file && bytes > 0) {
        if (capacity - *length < 65536) {
            capacity = 2 * capacity + 65536;
            char *larger = realloc(*data, capacity);
            if (!larger) break;
            *data = larger;
        }
        bytes = fread(*data + *length, 1, capacity - *length, file);
        *length += bytes;
    }
    const bool failed = !file || ferror(file);
    const int why = errno;
    if (file) fclose(file);
    if (failed) return complain(EXIT_IO, "%s: cannot be read: %s", path, strerror(why));
    return bytes > 0 ? complain(EXIT_MEMORY, "out of memory") : EXIT_DONE;
}

static int write_bytes(const char *data, size_t length, const char *path) {
    text_output out;
    TRY(text_output_open(&out));
    fwrite(data, 1, length, out.stream);
    return text_output_close(&out, EXIT_DONE, path);
}

/* Takes the messages of the exchanges that are over. */
static int deliver_all(const arguments *args, alcore_job *job) {
    const char *path;
    for (int i = 0; (path = option_repeat(args, OPTION_MESSAGE, i)); i++) {
        char *data;
        size_t length;
        int code = read_message(path, &data, &length);
        if (code == EXIT_DONE) code = outcome(alcore_job_deliver(job, data, length));
        free(data);
        if (code != EXIT_DONE) fprintf(stderr, "alcore: in the message %s\n", path);
        TRY(code);
    }
    return EXIT_DONE;
}

/* Writes the picks of all shards by one budget: rank, index (of the row, in the order of all
 * shards), score and cost; where the picks are no rows of shards, the file of one machine. */
static int write_budget(const alcore_job *job, const char *path) {
    const alcore_selection *selection = alcore_job_selection(job);
    alcore_write_options options = ALCORE_WRITE_OPTIONS_INIT;
    options.format = ALCORE_FORMAT_TSV;
    if (selection) return outcome(alcore_selection_write(selection, path, &options));
    const int64_t *rows = alcore_job_rows(job), count = alcore_job_pick_count(job);
    const double *scores = alcore_job_scores(job), *costs = alcore_job_costs(job);
    text_output out;
    TRY(text_output_open(&out));
    fputs("rank\tindex\tscore\tcost\n", out.stream);
    for (int64_t rank = 0; rank < count; rank++) {
        char score[32], cost[32];
        alcore__print_double(scores[rank], score);
        alcore__print_double(costs[rank], cost);
        fprintf(out.stream, "%lld\t%lld\t%s\t%s\n", (long long)rank + 1, (long long)rows[rank],
                score, cost);
    }
    return text_output_close(&out, EXIT_DONE, path);
}

/* Writes the picks by all budgets. */
static int write_picks(const arguments *args, const alcore_job *job) {
    bool is_short = false;
    for (int64_t i = 0; i < alcore_job_budget_count(job); i++) {
        const alcore_job *of = alcore_job_of_budget(job, i);
        char *path = path_of_budget(args, option_value(args, OPTION_OUT, "-"), i);
        const int code = path ? write_budget(of, path) : complain(EXIT_MEMORY, "out of memory");
        free(path);
        TRY(code);
        is_short = is_short || (alcore_job_flags(of) & ALCORE_SELECTION_SHORT) != 0;
    }
    return is_short && option_given(args, OPTION_STRICT) ? EXIT_SHORT : EXIT_DONE;
}

int shard_select(const arguments *args, alcore_request *request) {
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job = NULL;
    int32_t state = 0;
    TRY(read_place(args, &options));
    options.dataset = option_value(args, OPTION_DATASET, NULL);
    int code = outcome(alcore_job_new(request, &options, &job));
    if (code == EXIT_DONE) code = deliver_all(args, job);
    if (code == EXIT_DONE) code = outcome(alcore_job_step(job, &state));
    terminal_clear();
    if (code == EXIT_DONE && state == ALCORE_JOB_DONE) code = write_picks(args, job);
    if (code == EXIT_DONE && state == ALCORE_JOB_FOLD) {
        size_t length;
        const char *message = alcore_job_message(job, &length);
        code = write_bytes(message, length, option_value(args, OPTION_NEXT, "-"));
    }
    alcore_job_unref(job);
    return code;
}

/* Adds the message of a file. */
static int add_file(alcore_job_fold *fold, const char *path) {
    char *data;
    size_t length;
    int code = read_message(path, &data, &length);
    if (code == EXIT_DONE) code = outcome(alcore_job_fold_add(fold, data, length));
    if (code != EXIT_DONE) fprintf(stderr, "alcore: in the message %s\n", path);
    free(data);
    return code;
}

int command_fold(const arguments *args) {
    alcore_ctx *ctx = NULL;
    alcore_job_fold *fold = NULL;
    TRY(terminal_context(args, &ctx));
    int code = outcome(alcore_job_fold_new(ctx, &fold));
    for (int i = 0; i < args->operand_count && code == EXIT_DONE; i++)
        code = add_file(fold, args->operands[i]);
    if (code == EXIT_DONE) {
        size_t length;
        const char *message = alcore_job_fold_message(fold, &length);
        code = write_bytes(message, length, option_value(args, OPTION_OUT, "-"));
    }
    alcore_job_fold_unref(fold);
    alcore_ctx_unref(ctx);
    return code;
}
