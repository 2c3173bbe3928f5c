/* SPDX-License-Identifier: Apache-2.0 */
/* alcore model vocabulary: trains the vocabulary of a model on the lines of a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"
#include "train_config.h"

/* The settings of a training; an exit code. */
static int read_vocabulary_options(const arguments *args, alcore_vocabulary_options *options) {
    const char *coverage = option_value(args, OPTION_COVERAGE, NULL);
    int64_t seed = 0;
    TRY(option_integer(args, OPTION_VOCABULARY_SIZE, 5, 10000000, &options->tokens));
    TRY(option_integer(args, OPTION_MAX_TEXTS, 1, INT64_MAX, &options->max_texts));
    TRY(option_integer(args, OPTION_SEED, 0, INT64_MAX, &seed));
    TRY(option_enum(args, OPTION_VOCABULARY_KIND, "unigram|bpe", ALCORE_VOCABULARY_UNIGRAM,
                    &options->kind));
    options->seed = (uint64_t)seed;
    options->byte_fallback = option_given(args, OPTION_BYTE_FALLBACK);
    if (!coverage) return EXIT_DONE;
    if (!number_of(coverage, &options->coverage) ||
        !(options->coverage >= 0.98 && options->coverage <= 1))
        return complain(EXIT_USAGE, "--coverage %s: a number from 0.98 to 1 is expected", coverage);
    return EXIT_DONE;
}

/* Trains a vocabulary on all rows of the pool; an exit code. */
static int train_vocabulary(const arguments *args, alcore_ctx *ctx, const alcore_pool *pool,
                            const alcore_vocabulary_options *options) {
    const int64_t rows = alcore_pool_row_count(pool);
    const char **texts = malloc(((size_t)rows + 1) * sizeof *texts);
    size_t *lengths = malloc(((size_t)rows + 1) * sizeof *lengths);
    const char *path = option_value(args, OPTION_OUT, "-");
    int code = EXIT_MEMORY;
    if (texts && lengths) {
        inputs_list_texts(pool, texts, lengths);
        code = outcome(alcore_tokenizer_train_vocabulary(ctx, texts, lengths, rows, path, options));
    }
    free(lengths);
    free(texts);
    terminal_clear();
    if (code != EXIT_DONE || !option_given(args, OPTION_JSON)) return code;
    return print_json_object(json_pack(
        "{s:s, s:s, s:s, s:I}", "version", alcore_version(), "action", args->operands[0], "kind",
        options->kind == ALCORE_VOCABULARY_BPE ? "bpe" : "unigram", "rows", (json_int_t)rows));
}

/* Refuses, before a long training, an --out that cannot be written. */
static int check_out(const arguments *args) {
    const char *path = option_value(args, OPTION_OUT, "-");
    struct stat found;
    if (!strcmp(path, "-")) return EXIT_DONE;
    if (!stat(path, &found) && !S_ISREG(found.st_mode))
        return complain(EXIT_IO, "--out %s cannot be written: not a regular file", path);
    if (path_can_be_made(path)) return EXIT_DONE;
    return complain(EXIT_IO, "--out %s cannot be written: %s", path, strerror(errno));
}

int vocabulary_command(const arguments *args, alcore_ctx *ctx) {
    alcore_vocabulary_options options = ALCORE_VOCABULARY_OPTIONS_INIT;
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool = NULL;
    TRY(read_vocabulary_options(args, &options));
    TRY(check_out(args));
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.repeated_ids = ALCORE_IDS_ANY;
    TRY(outcome(alcore_pool_new(ctx, &keep_all, &pool)));
    int code = inputs_read_texts(args, args->operands[1], true, pool);
    if (code == EXIT_DONE) code = train_vocabulary(args, ctx, pool, &options);
    alcore_pool_unref(pool);
    return code;
}
