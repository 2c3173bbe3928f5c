/* SPDX-License-Identifier: Apache-2.0 */
/* The phrase index: seconds, seconds of all threads together and peak memory of each step.
 *
 *     bench_phrases FILE [THREADS [counts]]     the lines of a file are the unlabeled rows
 *
 * "counts" ends after the table of all n-grams.
 * Prints one line a step: name, wall seconds, CPU seconds, phrases. The last line is JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/context.h"
#include "bench_clock.h"
#include "phrase/phrase_table.h"
#include "text/words.h"

typedef struct line {
    const char *text;
    size_t length;
    int64_t words;
} line;

typedef struct lines {
    char *bytes;
    line *line; /* [count] */
    int64_t count, words;
} lines;

static int64_t count_words(const char *text, size_t length) {
    const char *next = text, *word;
    size_t bytes;
    int64_t words = 0;
    while (alcore__word_next(&next, text + length, &word, &bytes)) words++;
    return words;
}

static int64_t line_words(const void *data, int64_t row) {
    return ((const lines *)data)->line[row].words;
}

static const char *line_text(const void *data, int64_t row, size_t *length) {
    const line *l = &((const lines *)data)->line[row];
    *length = l->length;
    return l->text;
}

static int read_lines(lines *out, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 4;
    }
    fseek(file, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(file);
    rewind(file);
    out->bytes = malloc(bytes + 1);
    if (!out->bytes || fread(out->bytes, 1, bytes, file) != bytes) return 4;
    fclose(file);
    int64_t count = 0;
    for (size_t i = 0; i < bytes; i++) count += out->bytes[i] == '\n';
    out->line = malloc((size_t)(count + 1) * sizeof *out->line);
    if (!out->line) return 5;
    for (const char *next = out->bytes, *end = next + bytes; next < end;) {
        const char *stop = memchr(next, '\n', (size_t)(end - next));
        if (!stop) stop = end;
        line *l = &out->line[out->count++];
        *l = (line){next, (size_t)(stop - next), count_words(next, (size_t)(stop - next))};
        out->words += l->words;
        next = stop + 1;
    }
    return 0;
}

static times report(const char *step, times begin, int64_t phrases) {
    const times used = since(begin);
    printf("%-34s %8.3f s wall %8.3f s CPU %11lld phrases %7.0f MiB peak\n", step, used.wall,
           used.cpu, (long long)phrases, peak_mib());
    fflush(stdout);
    return used;
}

static alcore_status list(alcore__phrase_index *index, const alcore__phrase_filter *filter,
                          const char *step, times begin, times *out) {
    alcore__phrase_table table;
    ALCORE__TRY(alcore__phrase_table_list(index, filter, &table));
    *out = report(step, begin, table.count);
    alcore__phrase_table_clear(index->ctx, &table);
    return ALCORE_OK;
}

/* The times of the steps; of those that were not run 0. */
typedef struct steps {
    times read, counted, ranked, moved, whole;
} steps;

static void print_json(alcore_ctx *ctx, const lines *l, const steps *s) {
    printf("{\"rows\": %lld, \"words\": %lld, \"threads\": %d, \"peak_mib\": %.0f, "
           "\"words_cpu\": %.4f, \"count_wall\": %.4f, \"count_cpu\": %.4f, \"semi_maximal_cpu\": "
           "%.4f, "
           "\"moved_cpu\": %.4f, \"unlimited_wall\": %.4f, \"unlimited_cpu\": %.4f}\n",
           (long long)l->count, (long long)l->words, alcore_ctx_threads(ctx), peak_mib(),
           s->read.cpu, s->counted.wall, s->counted.cpu, s->ranked.cpu, s->moved.cpu, s->whole.wall,
           s->whole.cpu);
}

static alcore_status run(alcore_ctx *ctx, const lines *l, bool only_counts) {
    const alcore__text_source source = {l, l->count, line_words, line_text};
    const alcore__phrase_filter all = {0}, counts = {.counts_only = true},
                                semi_maximal = {.semi_maximal = true};
    alcore__phrase_index *index;
    alcore__corpus *corpus;
    times read, counted, ranked, moved, whole, begin = now();
    ALCORE__TRY(alcore__corpus_new(ctx, &source, NULL, &corpus));
    read = report("words alone", begin, 0);
    alcore__corpus_free(corpus);
    begin = now();
    ALCORE__TRY(alcore__phrase_index_new(ctx, &source, NULL, 4, false, &index));
    report("words, sort to 4 words", begin, 0);
    ALCORE__TRY(list(index, &counts, "the same, counts of all n-grams", begin, &counted));
    if (only_counts) {
        alcore__phrase_index_free(index);
        print_json(ctx, l, &(steps){.read = read, .counted = counted});
        return ALCORE_OK;
    }
    begin = now();
    ALCORE__TRY(list(index, &all, "all n-grams and what is maximal", begin, &ranked));
    begin = now();
    ALCORE__TRY(list(index, &semi_maximal, "semi-maximal n-grams", begin, &ranked));
    begin = now();
    for (int64_t row = 0; row < l->count; row += 100)
        alcore__phrase_index_move(index, &row, 1, ALCORE__PHRASE_LABELED);
    ALCORE__TRY(list(index, &semi_maximal, "the same, 1 % of the rows moved", begin, &moved));
    alcore__phrase_index_free(index);
    begin = now();
    ALCORE__TRY(
        alcore__phrase_index_new(ctx, &source, NULL, ALCORE__PHRASE_UNLIMITED, false, &index));
    report("words, sort without limit", begin, 0);
    ALCORE__TRY(list(index, &semi_maximal, "the same, semi-maximal phrases", begin, &whole));
    alcore__phrase_index_free(index);
    print_json(ctx, l, &(steps){read, counted, ranked, moved, whole});
    return ALCORE_OK;
}

int main(int argc, char **argv) {
    lines l = {0};
    alcore_ctx *ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    if (argc < 2) return 2;
    const int read = read_lines(&l, argv[1]);
    if (read != 0) return read;
    options.threads = argc > 2 ? atoi(argv[2]) : 0;
    if (alcore_ctx_new(&options, &ctx) != ALCORE_OK) return 1;
    const bool only_counts = argc > 3 && strcmp(argv[3], "counts") == 0;
    const alcore_status status = run(ctx, &l, only_counts);
    if (status != ALCORE_OK) fprintf(stderr, "bench_phrases: %s\n", alcore_last_error());
    alcore_ctx_unref(ctx);
    free(l.bytes);
    free(l.line);
    return status != ALCORE_OK;
}
