/* SPDX-License-Identifier: Apache-2.0 */
/* Tokenizes texts for compare.py and bench_tokenizer_peer.py.
 *
 *   tokenize_texts FOLDER THREADS RUNS < TEXTS > TOKENS
 *
 * TEXTS: the number of texts, the lengths of all in bytes, and their bytes, one after the other;
 * numbers are 64-bit, as the machine stores them. TOKENS: where each text's tokens begin and where
 * the last end [texts + 1], ids [tokens], spans [tokens, 2], types [tokens], marks [tokens] of a
 * byte each. RUNS 0 writes them; otherwise the texts are encoded so many times and once before, and
 * the seconds of processor time of each run are written, as text. The exit status of a folder that
 * cannot be opened is 3. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "alcore/extra/tokenizer.h"
#include "tokenizer/encoding.h"

static void fail(const char *what, int status) {
    fprintf(stderr, "%s: %s\n", what, alcore_last_error());
    exit(status);
}

static void *must(void *memory) {
    if (!memory) fail("out of memory", 1);
    return memory;
}

static void get(void *data, size_t bytes) {
    if (fread(data, 1, bytes, stdin) != bytes) fail("the texts end early", 1);
}

static void put(const void *data, size_t bytes) {
    if (bytes > 0 && fwrite(data, 1, bytes, stdout) != bytes) fail("cannot write", 1);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    alcore_tokenizer *tokenizer;
    options.threads = atoi(arguments[2]);
    if (alcore_ctx_new(&options, &ctx) != ALCORE_OK) fail("context", 1);
    if (alcore_tokenizer_open(ctx, arguments[1], &tokenizer) != ALCORE_OK) fail(arguments[1], 3);
    int64_t number;
    get(&number, sizeof number);
    const size_t texts = (size_t)number;
    int64_t *lengths = must(malloc((texts + 1) * sizeof *lengths));
    size_t *sizes = must(malloc((texts + 1) * sizeof *sizes)), all = 0;
    const char **text = must(malloc((texts + 1) * sizeof *text));
    get(lengths, texts * sizeof *lengths);
    for (size_t i = 0; i < texts; i++) all += sizes[i] = (size_t)lengths[i];
    char *bytes = must(malloc(all + 1));
    get(bytes, all);
    for (size_t i = 0, at = 0; i < texts; at += sizes[i++]) text[i] = bytes + at;
    const alcore__texts given = {text, sizes, number};
    const alcore__encoding how = {0};
    const int runs = atoi(arguments[3]);
    for (int run = 0; run <= runs; run++) {
        alcore__tokens tokens = {0};
        const double begun = seconds();
        if (alcore__tokenizer_encode(tokenizer, &given, NULL, &how, &tokens) != ALCORE_OK)
            fail("encode", 1);
        if (run > 0) printf("%.6f\n", seconds() - begun);
        if (runs == 0) {
            const size_t n = (size_t)tokens.offsets[texts];
            put(tokens.offsets, (texts + 1) * sizeof *tokens.offsets);
            put(tokens.ids, n * sizeof *tokens.ids);
            put(tokens.spans, 2 * n * sizeof *tokens.spans);
            put(tokens.types, n * sizeof *tokens.types);
            put(tokens.marks, n);
        }
        alcore__tokens_clear(ctx, &tokens);
    }
    free(bytes);
    free(text);
    free(sizes);
    free(lengths);
    alcore_tokenizer_unref(tokenizer);
    alcore_ctx_unref(ctx);
    return 0;
}
