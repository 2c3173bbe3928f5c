/* SPDX-License-Identifier: Apache-2.0 */
/* The world of the calls that tests/fault/cancel_walk.c cancels: a folder with files, and handles
 * of all kinds. */
#include "cancel_calls.h"
#include "cancel_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "must.h"
#include "test_folder.h"

int64_t row_count;
alcore_ctx *ctx;
alcore_pool *pool, *labeled, *phrases;
alcore_lm *lm;
alcore_aligner *aligner;
alcore_tokenizer *tokenizer;
alcore_links *links;
alcore_annotations *annotations;
alcore_mix *mix;
alcore_selection *all_picks;
alcore_comparison *comparison;
alcore_column_writer *filled, *merging;
static char folder[TEST_PATH_BYTES];
const char *strategy_name;

const char *in_folder(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char **texts_of_pool(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    return texts;
}

/* Of the strategy random alone. */
static void make_comparison(alcore_request *request) {
    alcore_strategy *strategy;
    MUST(alcore_strategy_new(ctx, "random", &strategy));
    MUST(alcore_request_compare(request, &strategy, NULL, 1, NULL, &comparison));
    alcore_strategy_unref(strategy);
}

/* Makes the files of items, answers and a dictionary, and the handles that are read from them. */
static void make_annotations(void) {
    static const char *const names[] = {"items.tsv", "answers.tsv", "dictionary.tsv"};
    const char **texts = texts_of_pool();
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) rows[i] = i;
    MUST(alcore_pool_set_references(pool, rows, texts, NULL, row_count));
    for (int f = 0; f < 3; f++) {
        FILE *file = fopen(in_folder(names[f]), "w");
        fputs(f == 0   ? "id\ttext\n"
              : f == 1 ? "id\ttext\ttranslation\n"
                       : "source\ttarget\n",
              file);
        for (int64_t i = 0; i < row_count; i++) {
            if (f < 2) fprintf(file, "%lld\t", (long long)i + 1);
            fprintf(file, f == 0 ? "%s\n" : "%s\t%s\n", texts[i], texts[i]);
        }
        fclose(file);
    }
    MUST(alcore_annotations_new(pool, &annotations));
    MUST(alcore_annotations_read_selection(annotations, in_folder("items.tsv")));
    MUST(alcore_annotations_read_answers(annotations, in_folder("answers.tsv")));
    MUST(make_mix("random", &mix));
    MUST(make_batches());
    MUST(make_project());
    free(rows);
    free(texts);
}

/* vocab.txt with letters, alone and within words: every text has many tokens. */
static void write_vocabulary(void) {
    FILE *file = fopen(in_folder("vocab.txt"), "w");
    if (!file) abort();
    fputs("[UNK]\n[CLS]\n[SEP]\n", file);
    for (int c = 'a'; c <= 'z'; c++) fprintf(file, "%c\n##%c\n", c, c);
    for (int c = '0'; c <= '9'; c++) fprintf(file, "%c\n##%c\n", c, c);
    for (int i = 0; i < 200000; i++) fprintf(file, "word%d\n", i);
    if (fclose(file) != 0) abort();
}

/* In the place of spm_train, which alcore_tokenizer_train_vocabulary() looks for on PATH: a script
 * that takes longer than any call runs here. */
static void write_trainer(void) {
    static char search[4096];
    snprintf(search, sizeof search, "%s:%s", in_folder("bin"), getenv("PATH"));
    mkdir(in_folder("bin"), 0700);
    FILE *file = fopen(in_folder("bin/spm_train"), "w");
    if (!file || fputs("#!/bin/sh\nexec sleep 60\n", file) < 0 || fclose(file)) exit(2);
    chmod(in_folder("bin/spm_train"), 0700);
    setenv("PATH", search, 1);
}

void cancel_world_make(int64_t rows) {
    row_count = rows;
    test_folder_make(folder, "cancel");
    alcore__rng rng;
    alcore__rng_seed(&rng, 7);
    FILE *text = fopen(in_folder("pool.txt"), "w");
    FILE *tsv = fopen(in_folder("pool.tsv"), "w");
    FILE *jsonl = fopen(in_folder("pool.jsonl"), "w");
    FILE *conll = fopen(in_folder("pool.conll"), "w");
    FILE *ids = fopen(in_folder("ids.txt"), "w");
    FILE *scores = fopen(in_folder("scores.tsv"), "w");
    FILE *tags = fopen(in_folder("tags.txt"), "w");
    FILE *answers = fopen(in_folder("answers.jsonl"), "w");
    if (!text || !tsv || !jsonl || !conll || !ids || !scores || !tags || !answers) exit(2);
    fputs("id\ttext\n", tsv);
    for (int64_t i = 0; i < row_count; i++) {
        char line[400];
        int used = 0;
        for (int w = 0; w < 12; w++) {
            double u = alcore__rng_f64(&rng);
            const int word = (int)(20000 * u * u * u);
            used += snprintf(line + used, sizeof line - (size_t)used, "%sw%d", w ? " " : "", word);
            fprintf(conll, "w%d\tX\n%s", word, w == 11 ? "\n" : "");
        }
        fprintf(text, "%s\n", line);
        fputs("{\"choices\":[{\"logprobs\":{\"token_logprobs\":[null,-1,-2,-3]}}]}\n", answers);
        fputs("O B-PER I-PER O O B-LOC O O O O\n", tags);
        fprintf(tsv, "r%lld\t%s\n", (long long)i, line);
        fprintf(ids, "%lld\n", (long long)i + 1);
        fprintf(jsonl, "{\"id\": \"r%lld\", \"text\": \"%s\"}\n", (long long)i, line);
        fprintf(scores, "%lld\t%.6f\n", (long long)i + 1, alcore__rng_f64(&rng));
    }
    if (fclose(text) || fclose(tsv) || fclose(jsonl) || fclose(conll) || fclose(ids) ||
        fclose(scores) || fclose(tags) || fclose(answers))
        exit(2);

    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 2;
    options.module_dir = getenv("NULL_MODEL_MODULE");
    MUST(alcore_ctx_new(&options, &ctx));
    mkdir(in_folder("null"), 0700);
    FILE *config = fopen(in_folder("null/config.json"), "w");
    if (!config || fputs("{\"dims\": 2}", config) < 0 || fclose(config)) exit(2);
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_read(pool, in_folder("pool.txt"), NULL));
    MUST(alcore_pool_new(ctx, NULL, &labeled));
    const char *one = "w1 w2 w3";
    MUST(alcore_pool_add_texts(labeled, &one, NULL, 1, NULL));
    float *values = malloc(sizeof *values * (size_t)row_count * DIMS);
    int64_t *offsets = malloc(sizeof *offsets * ((size_t)row_count + 1));
    for (int64_t i = 0; i < row_count * DIMS; i++) values[i] = (float)alcore__rng_f64(&rng) - 0.5f;
    for (int64_t i = 0; i <= row_count; i++) offsets[i] = i * 12;
    int64_t shape[2] = {row_count, DIMS}, ends[1] = {row_count + 1}, one_row[2] = {1, DIMS},
            tokens[1] = {row_count * 12}, classes[2] = {row_count, 2},
            samples[3] = {2, row_count, 2}, one_of_two[2] = {1, 2};
    alcore_tensor tensor, offset;
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    MUST(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, NULL));
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, one_row, 2));
    MUST(alcore_pool_set_column(labeled, "embeddings", &tensor, NULL, NULL));
    for (int64_t i = 0; i < row_count * 12; i++) values[i] = -0.01f - (float)alcore__rng_f64(&rng);
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, tokens, 1));
    MUST(alcore_tensor_init(&offset, offsets, ALCORE_INT64, ends, 1));
    MUST(alcore_pool_set_column(pool, "logprobs", &tensor, &offset, NULL));
    for (int64_t i = 0; i < row_count * 12; i++) values[i] = -values[i];
    MUST(alcore_pool_set_column(pool, "mlm_losses", &tensor, &offset, NULL));
    for (int64_t i = 0; i < 2 * row_count; i++) { /* two samples */
        values[2 * i] = (float)(i % 100) / 100;
        values[2 * i + 1] = 1 - values[2 * i];
    }
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, classes, 2));
    MUST(alcore_pool_set_column(pool, "probs", &tensor, NULL, NULL));
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, one_of_two, 2));
    MUST(alcore_pool_set_column(labeled, "probs", &tensor, NULL, NULL));
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, samples, 3));
    MUST(alcore_pool_set_column(pool, "sample_probs", &tensor, NULL, NULL));
    free(values);
    free(offsets);
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    MUST(alcore_lm_new_trained(ctx, texts, NULL, row_count, NULL, &lm));
    MUST(alcore_aligner_new_trained(ctx, texts, NULL, texts, NULL, row_count, NULL, &aligner));
    MUST(alcore_aligner_links(aligner, &links));
    MUST(alcore_aligner_write(aligner, in_folder("aligner")));
    MUST(alcore_links_write(links, in_folder("links.txt")));
    write_vocabulary();
    write_trainer();
    MUST(alcore_tokenizer_open(ctx, in_folder("vocab.txt"), &tokenizer));
    MUST(alcore_pool_set_text_column(pool, "roundtrip", texts, NULL, row_count, NULL));
    free(texts);
    MUST(alcore_lm_write_arpa(lm, in_folder("lm.arpa")));
    alcore_request *request;
    strategy_name = "random";
    MUST(make_request(&request));
    MUST(alcore_select(request, &all_picks));
    make_comparison(request);
    alcore_request_unref(request);
    MUST(alcore_pool_derive_phrases(pool, labeled, NULL, &phrases));
    MUST(fill_writer(&filled));
    MUST(alcore_column_writer_save(filled, in_folder("column.part")));
    MUST(alcore_column_writer_new(pool, "late", ALCORE_COLUMN_DENSE, NULL, &merging));
    make_annotations();
}

bool cancel_world_works(void) {
    return alcore_pool_row_count(pool) == row_count && call_filter() == ALCORE_OK;
}

bool cancel_world_end(void) {
    static const char *const files[] = {
        "answers.jsonl",    "pool.txt",      "pool.tsv",      "pool.jsonl",     "scores.tsv",
        "lm.arpa",          "tags.txt",      "other.arpa",    "rows.tsv",       "embeddings.npy",
        "out.tsv",          "out.jsonl",     "out.html",      "column.part",    "other.part",
        "phrases.tsv",      "ids.txt",       "links.txt",     "other.links",    "curves.svg",
        "points.svg",       "items.tsv",     "answers.tsv",   "dictionary.tsv", "requests.tsv",
        "train.tsv",        "batch.po",      "batch.xlf",     "written.po",     "train.src",
        "train.tgt",        "aligner",       "other.aligner", "pool.conll",     "vocab.txt",
        "null/config.json", "bin/spm_train", "project.csv",   "project.out",    "project.html"};
    end_project();
    end_job();
    alcore_column_writer_unref(merging);
    alcore_column_writer_unref(filled);
    alcore_comparison_unref(comparison);
    alcore_selection_unref(all_picks);
    alcore_mix_unref(mix);
    alcore_annotations_unref(annotations);
    alcore_links_unref(links);
    alcore_aligner_unref(aligner);
    alcore_tokenizer_unref(tokenizer);
    alcore_lm_unref(lm);
    alcore_pool_unref(phrases);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(in_folder(files[i]));
    return rmdir(in_folder("null")) == 0 && rmdir(in_folder("bin")) == 0 && rmdir(folder) == 0;
}
