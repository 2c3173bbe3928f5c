/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls of the library, each on data that keeps it busy for some milliseconds.
 * Calls on pools, texts, matrices and metrics are in files of their own (cancel_parts.h).
 * tests/fault/cancel_list.py compares the names in CALLS with the functions whose comment says that
 * they can be cancelled. */
#include "cancel_calls.h"
#include "cancel_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "test_folder.h"

int64_t row_count;
alcore_ctx *ctx;
alcore_pool *pool, *labeled, *phrases;
alcore_lm *lm;
alcore_aligner *aligner;
alcore_tokenizer *tokenizer;
alcore_links *links;
static alcore_annotations *annotations; /* all rows of the pool as sentences, with translations */
static alcore_mix *mix;
static alcore_selection *selection;
static alcore_comparison *comparison;
alcore_column_writer *filled, *merging;
static char folder[TEST_PATH_BYTES];
const char *strategy_name;

const char *in_folder(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

#define MUST(expression)                                                                           \
    do {                                                                                           \
        alcore_status must_ = (expression);                                                        \
        if (must_ != ALCORE_OK) {                                                                  \
            printf("Bail out! %s: %s (%s)\n", #expression, alcore_last_error(),                    \
                   alcore_status_name(must_));                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

void (*around_saving)(bool begins);

void begin_saving(void) {
    if (around_saving) around_saving(true);
}

alcore_status end_saving(alcore_status status) {
    if (around_saving) around_saving(false);
    return status;
}

/* ---- the calls ---- */

static alcore_status run_model(const char *column) {
    alcore_model *model;
    alcore_pool *fresh;
    alcore_status status = alcore_model_new_ngram(ctx, NULL, NULL, &model);
    if (status != ALCORE_OK) return status;
    status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.txt"), NULL);
    if (status == ALCORE_OK) status = alcore_model_run(model, fresh, column);
    alcore_pool_unref(fresh);
    alcore_model_unref(model);
    return status;
}
static alcore_status call_model_logprobs(void) {
    return run_model("logprobs");
}
static alcore_status call_model_embeddings(void) {
    return run_model("embeddings");
}
/* A host's model that makes two columns of one number a row. */
static int32_t can_both(void *user, const char *column) {
    (void)user;
    return strcmp(column, "first") == 0 || strcmp(column, "second") == 0;
}
static alcore_status compute_both(void *user, const alcore_batch *batch, const char *const *columns,
                                  alcore_column_writer *const *outs, int64_t count) {
    static const double zeros[256];
    alcore_tensor values;
    int64_t rows = batch->count;
    alcore_status status = alcore_tensor_init(&values, (void *)zeros, ALCORE_FLOAT64, &rows, 1);
    (void)user;
    (void)columns;
    for (int64_t c = 0; c < count && status == ALCORE_OK; c++)
        status = alcore_column_writer_put(outs[c], batch->rows, NULL, rows, &values);
    return status;
}
static alcore_status call_model_columns(void) {
    static const char *const both[] = {"first", "second"};
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model = NULL;
    alcore_pool *fresh = NULL;
    host.can = can_both;
    host.compute = compute_both;
    alcore_status status = alcore_model_new_host(ctx, &host, &model);
    if (status == ALCORE_OK) status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.txt"), NULL);
    if (status == ALCORE_OK) status = alcore_model_run_columns(model, fresh, both, 2);
    alcore_pool_unref(fresh);
    alcore_model_unref(model);
    return status;
}
/* Opens the null module (tests/unit/model/module), which reports its progress text by text, and
 * reads a pool whose rows are their own references. */
static alcore_status with_null_model(alcore_status (*call)(alcore_model *, alcore_pool *)) {
    alcore_read_options pairs = ALCORE_READ_OPTIONS_INIT;
    alcore_model *model = NULL;
    alcore_pool *fresh = NULL;
    char path[200];
    pairs.references = strcpy(path, in_folder("pool.txt"));
    alcore_status status = alcore_model_open(ctx, in_folder("null"), NULL, &model);
    if (status == ALCORE_OK) status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.txt"), &pairs);
    if (status == ALCORE_OK) status = call(model, fresh);
    alcore_pool_unref(fresh);
    alcore_model_unref(model);
    return status;
}
static alcore_status translate(alcore_model *model, alcore_pool *texts) {
    alcore_pool *out;
    alcore_status status = alcore_model_translate(model, texts, NULL, &out);
    alcore_pool_unref(out);
    return status;
}
static alcore_status call_model_translate(void) {
    return with_null_model(translate);
}
static alcore_status call_model_score(void) {
    return with_null_model(alcore_model_score);
}
static alcore_status train(alcore_model *model, alcore_pool *texts) {
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    options.validation = texts;
    return alcore_model_train(model, texts, &options, NULL);
}
static alcore_status call_model_train(void) {
    return with_null_model(train);
}
static alcore_status save(alcore_model *model, alcore_pool *texts) {
    (void)texts;
    return SAVING(alcore_model_save(model, in_folder("null")));
}
static alcore_status call_model_save(void) {
    return with_null_model(save);
}
static alcore_status call_scorer(void) {
    alcore_scorer *scorer;
    alcore_status status = alcore_scorer_new(ctx, "nsp", &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}
/* A host's scorer that copies every row of a column, ten times so that it can be met half-way. */
static alcore_status copy_column(void *user, const alcore_view *view, double *scores) {
    const int32_t role = ALCORE_ROLE_CANDIDATES;
    int64_t count = alcore_view_row_count(view, role);
    alcore_status status = ALCORE_OK;
    alcore_tensor values;
    (void)user;
    for (int copy = 0; copy < 10 && status == ALCORE_OK; copy++)
        status = alcore_view_get_column(view, role, "embeddings", 0, count, &values, NULL);
    for (int64_t i = 0; i < count; i++) scores[i] = 0;
    return status;
}
static alcore_status call_view_column(void) {
    static const char *const needs[] = {"embeddings", NULL};
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    alcore_scorer *scorer;
    host.score = copy_column;
    host.needs = needs;
    alcore_status status = alcore_scorer_new_host(ctx, &host, &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}

static alcore_status make_request(alcore_request **out) {
    alcore_strategy *strategy = NULL;
    *out = NULL;
    alcore_status status = alcore_strategy_new(ctx, strategy_name, &strategy);
    if (status == ALCORE_OK) status = alcore_request_new(ctx, out);
    if (status == ALCORE_OK) status = alcore_request_set_strategy(*out, strategy);
    if (status == ALCORE_OK) status = alcore_request_set_pool(*out, ALCORE_ROLE_CANDIDATES, pool);
    if (status == ALCORE_OK) status = alcore_request_set_pool(*out, ALCORE_ROLE_LABELED, labeled);
    if (status == ALCORE_OK && alcore_strategy_builtin_needs(strategy_name, ALCORE_ROLE_TARGET, 0))
        status = alcore_request_set_pool(*out, ALCORE_ROLE_TARGET, labeled);
    if (status == ALCORE_OK) status = alcore_request_set(*out, "budget", "20000");
    alcore_strategy_unref(strategy);
    return status;
}
static alcore_status call_select(void) {
    alcore_request *request;
    alcore_selection *out = NULL;
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK) status = alcore_select(request, &out);
    alcore_selection_unref(out);
    alcore_request_unref(request);
    return status;
}
static alcore_status call_ablation(void) {
    static const double values[1] = {0.5};
    alcore_ablation row = ALCORE_ABLATION_INIT;
    alcore_request *request;
    strategy_name = "huds";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK)
        status = alcore_request_ablate(request, NULL, values, 1, NULL, &row, NULL);
    alcore_request_unref(request);
    return status;
}
static alcore_status compare(alcore_comparison **out) {
    alcore_request *request;
    alcore_strategy *huds = NULL;
    strategy_name = "huds";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK) status = alcore_strategy_new(ctx, strategy_name, &huds);
    if (status == ALCORE_OK) status = alcore_request_compare(request, &huds, NULL, 1, NULL, out);
    alcore_strategy_unref(huds);
    alcore_request_unref(request);
    return status;
}
static alcore_status call_comparison(void) {
    alcore_comparison *out = NULL;
    const alcore_status status = compare(&out);
    alcore_comparison_unref(out);
    return status;
}
static alcore_status call_candidates(void) {
    alcore_request *request;
    alcore_tensor rows;
    strategy_name = "random";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK) status = alcore_request_candidates(request, row_count / 2, &rows);
    alcore_request_unref(request);
    return status;
}
static alcore_status call_read_rows(void) {
    alcore_request *request;
    strategy_name = "random";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK)
        status = alcore_request_read_rows(request, ALCORE_ROWS_ELIGIBLE, in_folder("ids.txt"));
    alcore_request_unref(request);
    return status;
}
static alcore_status call_selection_tsv(void) {
    return SAVING(alcore_selection_write(selection, in_folder("out.tsv"), NULL));
}
static alcore_status call_selection_jsonl(void) {
    return SAVING(alcore_selection_write(selection, in_folder("out.jsonl"), NULL));
}
static alcore_status call_report(void) {
    return SAVING(alcore_selection_report(selection, in_folder("out.html"), NULL));
}
static alcore_status call_comparison_write(void) {
    return SAVING(alcore_comparison_write(comparison, in_folder("out.html")));
}

/* The texts of the pool once more: [row_count] borrowed from it. */
const char **texts_of_pool(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    return texts;
}
/* Annotations of all rows of the pool, open, that `use` then works on. */
alcore_status with_items(alcore_status (*use)(alcore_annotations *, const char *),
                         const char *name) {
    alcore_annotations *items = NULL;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK)
        status = alcore_annotations_read_selection(items, in_folder("items.tsv"));
    if (status == ALCORE_OK && use) status = use(items, in_folder(name));
    alcore_annotations_unref(items);
    return status;
}
static alcore_status call_read_selection(void) {
    return with_items(NULL, "");
}
/* Texts of the pool again and again, so many that adding all of them takes longer than a cancelled
 * call may. */
static alcore_status call_annotations_add(void) {
    enum { ITEMS = 1 << 20 };
    const char **given = texts_of_pool(), **texts = malloc(sizeof *texts * ITEMS);
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *items = NULL;
    for (int64_t i = 0; i < ITEMS; i++) texts[i] = given[i % row_count];
    records.texts = texts;
    records.count = ITEMS;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK) status = alcore_annotations_add(items, &records);
    alcore_annotations_unref(items);
    free(texts);
    free(given);
    return status;
}
static alcore_status call_read_answers(void) {
    return with_items(alcore_annotations_read_answers, "answers.tsv");
}
/* Answers that the items have already. */
static alcore_status call_answer(void) {
    const int64_t count = alcore_annotations_count(annotations);
    int64_t *numbers = malloc(sizeof *numbers * (size_t)count);
    const char **translations = malloc(sizeof *translations * (size_t)count);
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = i;
        translations[i] = alcore_annotations_translation(annotations, i, NULL);
    }
    answers.items = numbers;
    answers.translations = translations;
    answers.count = count;
    alcore_status status = SAVING(alcore_annotations_answer(annotations, &answers));
    free(numbers);
    free(translations);
    return status;
}
/* The picks of a selection. */
static alcore_status call_add_selection(void) {
    alcore_annotations *items = NULL;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK) status = alcore_annotations_add_selection(items, selection);
    alcore_annotations_unref(items);
    return status;
}
static alcore_status call_look_up(void) {
    return with_items(alcore_annotations_look_up, "dictionary.tsv");
}
/* A phrase is needed, so that the pool is aligned and read. */
static alcore_status call_simulate(void) {
    const char *phrase = "w1", *kind = "phrase";
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *items = NULL;
    records.texts = &phrase;
    records.kinds = &kind;
    records.count = 1;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK) status = alcore_annotations_add(items, &records);
    if (status == ALCORE_OK) status = alcore_annotations_simulate(items, NULL, pool);
    alcore_annotations_unref(items);
    return status;
}
static alcore_status write_requests(alcore_annotations *items, const char *path) {
    return SAVING(alcore_annotations_write_requests(items, path, NULL));
}
static alcore_status call_write_requests(void) {
    return with_items(write_requests, "requests.tsv");
}
static alcore_status call_write_annotations(void) {
    return SAVING(alcore_annotations_write(annotations, in_folder("requests.tsv"), NULL));
}
/* The pool is its own labeled data. */
static alcore_status make_mix(const char *kind, alcore_mix **out) {
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    options.kind = kind;
    options.count = row_count;
    options.links = links;
    options.lm = lm;
    return alcore_mix_new(ctx, pool, pool, annotations, &options, out);
}
static alcore_status call_mix(void) {
    alcore_mix *out = NULL;
    alcore_status status = make_mix("retrieved+switched", &out);
    alcore_mix_unref(out);
    return status;
}
static alcore_status call_mix_write(void) {
    return SAVING(alcore_mix_write(mix, in_folder("train.tsv"), NULL));
}
static alcore_status call_mix_parallel(void) {
    return SAVING(alcore_mix_write_parallel(mix, in_folder("train")));
}
/* ---- the data ---- */

/* Makes the files of items, answers and a dictionary, and the handles that are read from them. */
/* Of the strategy random alone. */
static void make_comparison(alcore_request *request) {
    alcore_strategy *strategy;
    MUST(alcore_strategy_new(ctx, "random", &strategy));
    MUST(alcore_request_compare(request, &strategy, NULL, 1, NULL, &comparison));
    alcore_strategy_unref(strategy);
}
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
    MUST(alcore_select(request, &selection));
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
    alcore_selection_unref(selection);
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

const cancel_call CALLS[] = {
    {"alcore_request_ablate", "", call_ablation},
    {"alcore_request_compare", "", call_comparison},
    {"alcore_analysis_compute_composition", "", call_composition},
    {"alcore_analysis_compute_leverage", "", call_leverage},
    {"alcore_analysis_compute_neighborhood", "", call_neighborhood},
    {"alcore_analysis_compute_neighborhood", "long lists", call_long_neighborhood},
    {"alcore_analysis_compute_projection", "", call_projection},
    {"alcore_analysis_compute_duplicates", "", call_duplicates},
    {"alcore_pool_read", ".txt", call_read_text},
    {"alcore_pool_read", ".tsv", call_read_tsv},
    {"alcore_pool_read", ".jsonl", call_read_jsonl},
    {"alcore_pool_read", ".conll", call_read_conll},
    {"alcore_pool_read", "with references", call_read_pairs},
    {"alcore_pool_add_texts", "", call_add_texts},
    {"alcore_pool_add_records", "", call_add_records},
    {"alcore_pool_add_arrow", "", call_add_arrow},
    {"alcore_pool_add_utf8", "", call_add_utf8},
    {"alcore_pool_set_column_stream", "", call_set_column_stream},
    {"alcore_pool_join", "", call_join},
    {"alcore_pool_filter", "", call_filter},
    {"alcore_pool_mark_texts", "", call_mark_texts},
    {"alcore_pool_read_column", "", call_read_column},
    {"alcore_pool_derive_phrases", "up to four words", call_derive_phrases},
    {"alcore_pool_derive_phrases", "of any length", call_derive_long_phrases},
    {"alcore_pool_get_column_rows", "", call_column_rows},
    {"alcore_pool_get_column_tokens", "", call_column_tokens},
    {"alcore_column_writer_merge", "", call_writer_merge},
    {"alcore_lm_new_trained", "", call_lm_train},
    {"alcore_lm_open_arpa", "", call_read_arpa},
    {"alcore_lm_score", "", call_lm_score},
    {"alcore_lm_token_logprobs", "", call_lm_token_logprobs},
    {"alcore_aligner_new_trained", "", call_aligner_train},
    {"alcore_aligner_new_trained", "with tension", call_aligner_tension},
    {"alcore_aligner_links", "", call_aligner_links},
    {"alcore_aligner_apply", "", call_aligner_apply},
    {"alcore_aligner_open", "", call_aligner_read},
    {"alcore_align", "", call_align},
    {"alcore_tokenizer_open", "", call_tokenizer_open},
    {"alcore_tokenizer_encode", "", call_tokenizer_encode},
    {"alcore_tokenizer_decode", "", call_tokenizer_decode},
    {"alcore_tokenizer_train_vocabulary", "", call_tokenizer_train},
    {"alcore_experiment_run", "", call_experiment},
    {"alcore_job_step", "", call_job_step},
    {"alcore_job_deliver", "", call_job_deliver},
    {"alcore_links_new", "", call_links_new},
    {"alcore_links_symmetrize", "", call_symmetrize},
    {"alcore_links_open", "", call_links_read},
    {"alcore_annotations_add", "", call_annotations_add},
    {"alcore_annotations_read_selection", "", call_read_selection},
    {"alcore_annotations_read_answers", "", call_read_answers},
    {"alcore_project_add", "", call_project_add},
    {"alcore_project_next", "", call_project_next},
    {"alcore_project_import", "", call_project_import},
    {"alcore_project_train", "", call_project_train},
    {"alcore_project_eval", "", call_project_eval},
    {"alcore_project_get_agreement", "", call_project_get_agreement},
    {"alcore_project_write_report", "", call_project_write_report},
    {"alcore_tool_read", "of lines", call_tool_read},
    {"alcore_tool_read", "of XML", call_tool_read_xml},
    {"alcore_tool_read_answers", "", call_tool_read_answers},
    {"alcore_annotations_add_selection", "", call_add_selection},
    {"alcore_annotations_look_up", "", call_look_up},
    {"alcore_annotations_simulate", "", call_simulate},
    {"alcore_mix_new", "", call_mix},
    {"alcore_metric_compute_bleu", "", call_bleu},
    {"alcore_metric_read_bleu", "", call_bleu_files},
    {"alcore_metric_read_chrf", "", call_chrf_files},
    {"alcore_metric_read_ter", "", call_ter_files},
    {"alcore_metric_compute_chrf", "", call_chrf},
    {"alcore_metric_compute_labels", "", call_labels},
    {"alcore_metric_compute_kappa", "", call_kappa},
    {"alcore_metric_compute_wilcoxon", "", call_wilcoxon},
    {"alcore_metric_compute_spans", "", call_spans},
    {"alcore_metric_compute_ter", "", call_ter},
    {"alcore_metric_compute_answers", "", call_answers},
    {"alcore_metric_compute_length_ratio", "", call_length_ratio},
    {"alcore_metric_compute_word_accuracy", "", call_word_accuracy},
    {"alcore_metric_read_labels", "", call_labels_files},
    {"alcore_metric_read_spans", "", call_spans_files},
    {"alcore_metric_read_answers", "", call_answers_files},
    {"alcore_metric_read_kappa", "", call_kappa_files},
    {"alcore_metric_read_length_ratio", "", call_length_ratio_files},
    {"alcore_metric_read_word_accuracy", "", call_word_accuracy_files},
    {"alcore_overlap_add", "", call_overlap_add},
    {"alcore_overlap_read", "", call_overlap_read},
    {"alcore_overlap_compute_coverage", "", call_overlap_compute},
    {"alcore_overlap_compute_in_domain", "", call_in_domain},
    {"alcore_model_run", "logprobs", call_model_logprobs},
    {"alcore_model_run", "embeddings", call_model_embeddings},
    {"alcore_model_run_columns", "", call_model_columns},
    {"alcore_model_translate", "", call_model_translate},
    {"alcore_model_score", "", call_model_score},
    {"alcore_model_train", "", call_model_train},
    {"alcore_scorer_run", "", call_scorer},
    {"alcore_view_get_column", "", call_view_column},
    {"alcore_hidden_average_words", "", call_first_subword_mean},
    {"alcore_logits_measure", "", call_logits},
    {"alcore_logits_put", "", call_logits_put},
    {"alcore_logits_put_topk", "", call_logits_put_topk},
    {"alcore_served_read", "", call_served_read},
    {"alcore_search_knn", "", call_knn},
    {"alcore_search_margin_ratios", "", call_margin_ratios},
    {"alcore_request_read_rows", "", call_read_rows},
    {"alcore_request_candidates", "", call_candidates},
    {"alcore_select", NULL, call_select}, /* once for each strategy */
    {NULL, NULL, NULL},
};

const cancel_call SAVING_CALLS[] = {
    {"alcore_plot_write_curves", "", call_write_curves},
    {"alcore_plot_write_points", "", call_write_points},
    {"alcore_pool_write", "", call_pool_write},
    {"alcore_pool_write_column", "", call_write_column},
    {"alcore_pool_write_phrases", "", call_write_phrases},
    {"alcore_column_writer_put", "", call_writer_put},
    {"alcore_column_writer_put_in_stream", "", call_writer_put_in_stream},
    {"alcore_column_writer_save", "", call_writer_save},
    {"alcore_column_writer_finish", "", call_writer_finish},
    {"alcore_pool_set_column", "", call_set_column},
    {"alcore_pool_set_column_arrow", "", call_set_column_arrow},
    {"alcore_pool_set_text_column", "", call_set_text_column},
    {"alcore_annotations_answer", "", call_answer},
    {"alcore_lm_write_arpa", "", call_write_arpa},
    {"alcore_aligner_write", "", call_aligner_write},
    {"alcore_links_write", "", call_links_write},
    {"alcore_annotations_write_requests", "", call_write_requests},
    {"alcore_project_set", "", call_project_set},
    {"alcore_project_export", "", call_project_export},
    {"alcore_project_write_labeled", "", call_project_write_labeled},
    {"alcore_project_verify", "", call_project_verify},
    {"alcore_tool_write", "", call_tool_write},
    {"alcore_tool_write_requests", "", call_tool_write_requests},
    {"alcore_annotations_write", "", call_write_annotations},
    {"alcore_mix_write", "", call_mix_write},
    {"alcore_mix_write_parallel", "", call_mix_parallel},
    {"alcore_model_save", "", call_model_save},
    {"alcore_selection_write", ".tsv", call_selection_tsv},
    {"alcore_selection_write", ".jsonl", call_selection_jsonl},
    {"alcore_selection_report", "", call_report},
    {"alcore_comparison_write", "", call_comparison_write},
    {NULL, NULL, NULL},
};
