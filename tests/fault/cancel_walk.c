/* SPDX-License-Identifier: Apache-2.0 */
/* Every long call is cancelled, from another thread and from a signal handler, and returns within
 * 100 ms. A call that ends sooner than that by itself needs no cancelling. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "alcore/alcore.h"
#include "base/rng.h"
#include "tap.h"

#define DIMS 64
#define LIMIT 0.100
/* Sanitized code is several times slower than what users run. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 10
#else
#define SLOWER 1
#endif

static int64_t row_count = 60000 / SLOWER; /* a million with --full */
static alcore_ctx *ctx;
static alcore_pool *pool, *labeled;
static alcore_lm *lm;
static alcore_selection *selection;
static char folder[] = "/tmp/alcore-cancel-XXXXXX";
static const char *strategy_name;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const char *in_folder(const char *name) {
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

/* ---- the calls ---- */

static alcore_status read_file(const char *name) {
    alcore_pool *fresh;
    alcore_status status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder(name), NULL);
    alcore_pool_unref(fresh);
    return status;
}
static alcore_status call_read_text(void) {
    return read_file("pool.txt");
}
static alcore_status call_read_tsv(void) {
    return read_file("pool.tsv");
}
static alcore_status call_filter(void) {
    alcore_filter filter = ALCORE_FILTER_INIT;
    filter.min_letters = 0.01;
    return alcore_pool_filter(pool, &filter);
}
static alcore_status call_mark_texts(void) {
    return alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, labeled);
}
/* All phrases up to four words; below, those of any length and their table. */
static alcore_status call_phrases(void) {
    alcore_pool *phrases = NULL;
    alcore_status status = alcore_pool_derive_phrases(pool, labeled, NULL, &phrases);
    alcore_pool_unref(phrases);
    return status;
}

static alcore_status call_long_phrases(void) {
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    alcore_pool *phrases = NULL;
    options.max_words = ALCORE_PHRASE_UNLIMITED;
    options.semi_maximal = 1;
    alcore_status status = alcore_pool_derive_phrases(pool, labeled, &options, &phrases);
    if (status == ALCORE_OK) status = alcore_pool_write_phrases(phrases, in_folder("out.tsv"));
    alcore_pool_unref(phrases);
    return status;
}

static alcore_status call_pool_write(void) {
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) rows[i] = i;
    alcore_status status = alcore_pool_write(pool, rows, row_count, in_folder("rows.tsv"));
    free(rows);
    return status;
}
static alcore_status call_write_column(void) {
    return alcore_pool_write_column(pool, "embeddings", in_folder("embeddings.npy"));
}
static alcore_status call_read_column(void) {
    return alcore_pool_read_column(pool, "again", in_folder("scores.tsv"), NULL);
}
/* The texts of the pool against themselves, then bootstrap samples. */
static alcore_status call_bleu(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    alcore_bleu_score score = ALCORE_BLEU_SCORE_INIT;
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    options.resamples = 20;
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    alcore_status status = alcore_metric_compute_bleu(ctx, texts, NULL, row_count, texts, NULL,
                                                      row_count, &options, NULL, &score);
    free(texts);
    return status;
}
static alcore_status call_chrf(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    alcore_chrf_score score = ALCORE_CHRF_SCORE_INIT;
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    alcore_status status = alcore_metric_compute_chrf(ctx, texts, NULL, row_count, texts, NULL,
                                                      row_count, NULL, NULL, &score);
    free(texts);
    return status;
}
static alcore_status call_lm_train(void) {
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    alcore_lm *out = NULL;
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    alcore_status status = alcore_lm_train(ctx, texts, NULL, row_count, NULL, &out);
    alcore_lm_unref(out);
    free(texts);
    return status;
}
static alcore_status call_write_arpa(void) {
    return alcore_lm_write_arpa(lm, in_folder("other.arpa"));
}
static alcore_status call_read_arpa(void) {
    alcore_lm *out = NULL;
    alcore_status status = alcore_lm_read_arpa(ctx, in_folder("lm.arpa"), &out);
    alcore_lm_unref(out);
    return status;
}
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
static alcore_status call_scorer(void) {
    alcore_scorer *scorer;
    alcore_status status = alcore_scorer_new(ctx, "nsp", &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}
/* The embeddings as hidden states, and as an output matrix with a class for each row. */
static alcore_status call_logits(void) {
    alcore_tensor view;
    alcore_logits given = ALCORE_LOGITS_INIT;
    alcore_token_facts out = ALCORE_TOKEN_FACTS_INIT;
    alcore_status status = alcore_pool_column(pool, "embeddings", &view, NULL);
    if (status != ALCORE_OK) return status;
    given.hidden = given.output = &view;
    out.entropy = malloc(sizeof *out.entropy * (size_t)row_count);
    status = alcore_logits_measure(ctx, &given, -100, &out);
    free(out.entropy);
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
    if (status == ALCORE_OK) status = alcore_request_set_pool(*out, ALCORE_ROLE_TARGET, labeled);
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
static alcore_status call_selection_tsv(void) {
    return alcore_selection_write(selection, in_folder("out.tsv"), NULL);
}
static alcore_status call_selection_jsonl(void) {
    return alcore_selection_write(selection, in_folder("out.jsonl"), NULL);
}
static alcore_status call_report(void) {
    return alcore_selection_report(selection, in_folder("out.html"), NULL);
}

/* ---- cancelling ---- */

static volatile double cancelled_at;

static void *cancel_from_thread(void *delay) {
    double left = *(const double *)delay;
    struct timespec nap = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    nanosleep(&nap, NULL);
    cancelled_at = seconds();
    alcore_ctx_cancel(ctx);
    return NULL;
}

static void cancel_from_handler(int number) {
    (void)number;
    cancelled_at = seconds();
    alcore_ctx_cancel(ctx);
}

typedef struct outcome {
    alcore_status status;
    double took, late; /* the whole call; from the cancelling to the return */
} outcome;

static outcome cancelled_call(alcore_status (*call)(void), bool from_handler, double delay) {
    outcome result = {0};
    pthread_t thread;
    cancelled_at = 0;
    double begun = seconds();
    if (from_handler) {
        struct itimerval timer = {
            .it_value = {.tv_sec = (time_t)delay, .tv_usec = (suseconds_t)(delay * 1e6) % 1000000}};
        setitimer(ITIMER_REAL, &timer, NULL);
    } else if (pthread_create(&thread, NULL, cancel_from_thread, &delay) != 0) {
        exit(2);
    }
    result.status = call();
    double end = seconds();
    if (from_handler)
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    else
        pthread_join(thread, NULL);
    result.took = end - begun;
    result.late = cancelled_at > 0 && cancelled_at < end ? end - cancelled_at : 0;
    alcore_ctx_cancel_clear(ctx);
    return result;
}

static void walk(const char *name, alcore_status (*call)(void)) {
    char title[200], detail[200] = "";
    /* Also of calls that are too quick to be met half-way: on a cancelled context they do nothing.
     */
    alcore_ctx_cancel(ctx);
    alcore_status status = call();
    alcore_ctx_cancel_clear(ctx);
    snprintf(title, sizeof title, "%s, cancelled beforehand", name);
    tap_ok(status == ALCORE_E_CANCELLED, title, alcore_status_name(status));
    for (int from_handler = 0; from_handler < 2; from_handler++) {
        double delay = 0.15 * SLOWER;
        bool good = false;
        /* A busy machine may hold a thread up: what counts is the best of a few. */
        for (int attempt = 0; attempt < 10 && !good; attempt++) {
            outcome result = cancelled_call(call, from_handler, delay);
            snprintf(detail, sizeof detail,
                     "%s after %.0f ms of the call and %.0f ms of the cancelling: %.80s",
                     alcore_status_name(result.status), result.took * 1e3, result.late * 1e3,
                     alcore_last_error());
            if (result.status == ALCORE_OK && result.late == 0) {
                good = result.took <= LIMIT * SLOWER;
                delay = result.took / 2;
            } else {
                good = result.status == ALCORE_E_CANCELLED && result.late <= LIMIT * SLOWER;
                if (result.status == ALCORE_OK)
                    good = result.late <= LIMIT * SLOWER; /* it was at its end */
            }
        }
        snprintf(title, sizeof title, "%s, cancelled from %s", name,
                 from_handler ? "a signal handler" : "a thread");
        tap_ok(good, title, detail);
        printf("#   %s\n", detail);
    }
}

/* ---- the data ---- */

static void make_data(void) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 7);
    FILE *text = fopen(in_folder("pool.txt"), "w");
    FILE *tsv = fopen(in_folder("pool.tsv"), "w");
    FILE *scores = fopen(in_folder("scores.tsv"), "w");
    if (!text || !tsv || !scores) exit(2);
    fputs("id\ttext\n", tsv);
    for (int64_t i = 0; i < row_count; i++) {
        char line[400];
        int used = 0;
        for (int w = 0; w < 12; w++) {
            double u = alcore__rng_f64(&rng);
            used += snprintf(line + used, sizeof line - (size_t)used, "%sw%d", w ? " " : "",
                             (int)(20000 * u * u * u));
        }
        fprintf(text, "%s\n", line);
        fprintf(tsv, "r%lld\t%s\n", (long long)i, line);
        fprintf(scores, "%lld\t%.6f\n", (long long)i + 1, alcore__rng_f64(&rng));
    }
    if (fclose(text) || fclose(tsv) || fclose(scores)) exit(2);

    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 2;
    MUST(alcore_ctx_new(&options, &ctx));
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_read(pool, in_folder("pool.txt"), NULL));
    MUST(alcore_pool_new(ctx, NULL, &labeled));
    const char *one = "w1 w2 w3";
    MUST(alcore_pool_add_texts(labeled, &one, 1, NULL, NULL));
    float *values = malloc(sizeof *values * (size_t)row_count * DIMS);
    int64_t *offsets = malloc(sizeof *offsets * ((size_t)row_count + 1));
    for (int64_t i = 0; i < row_count * DIMS; i++) values[i] = (float)alcore__rng_f64(&rng) - 0.5f;
    for (int64_t i = 0; i <= row_count; i++) offsets[i] = i * 12;
    int64_t shape[2] = {row_count, DIMS}, ends[1] = {row_count + 1}, one_row[2] = {1, DIMS},
            tokens[1] = {row_count * 12}, classes[2] = {row_count, 2};
    alcore_tensor tensor, offset;
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    MUST(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, NULL));
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, one_row, 2));
    MUST(alcore_pool_set_column(labeled, "embeddings", &tensor, NULL, NULL));
    for (int64_t i = 0; i < row_count * 12; i++) values[i] = -0.01f - (float)alcore__rng_f64(&rng);
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, tokens, 1));
    MUST(alcore_tensor_init(&offset, offsets, ALCORE_INT64, ends, 1));
    MUST(alcore_pool_set_column(pool, "logprobs", &tensor, &offset, NULL));
    for (int64_t i = 0; i < row_count; i++) {
        values[2 * i] = (float)(i % 100) / 100;
        values[2 * i + 1] = 1 - values[2 * i];
    }
    MUST(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, classes, 2));
    MUST(alcore_pool_set_column(pool, "probs", &tensor, NULL, NULL));
    free(values);
    free(offsets);
    const char **texts = malloc(sizeof *texts * (size_t)row_count);
    for (int64_t i = 0; i < row_count; i++) texts[i] = alcore_pool_text(pool, i, NULL);
    MUST(alcore_lm_train(ctx, texts, NULL, row_count, NULL, &lm));
    free(texts);
    MUST(alcore_lm_write_arpa(lm, in_folder("lm.arpa")));
    alcore_request *request;
    strategy_name = "random";
    MUST(make_request(&request));
    MUST(alcore_select(request, &selection));
    alcore_request_unref(request);
}

int main(void) {
    static const char *const files[] = {"pool.txt",   "pool.tsv", "scores.tsv",     "lm.arpa",
                                        "other.arpa", "rows.tsv", "embeddings.npy", "out.tsv",
                                        "out.jsonl",  "out.html"};
    char name[100];
    const char *full = getenv("ALCORE_TEST_FULL");
    if (full && *full == '1') row_count = 1000000 / SLOWER;
    if (!mkdtemp(folder)) return 2;
    struct sigaction action = {.sa_handler = cancel_from_handler};
    sigaction(SIGALRM, &action, NULL);
    make_data();
    walk("alcore_pool_read .txt", call_read_text);
    walk("alcore_pool_read .tsv", call_read_tsv);
    walk("alcore_pool_filter", call_filter);
    walk("alcore_pool_mark_texts", call_mark_texts);
    walk("alcore_pool_derive_phrases", call_phrases);
    walk("alcore_pool_write_phrases", call_long_phrases);
    walk("alcore_pool_write", call_pool_write);
    walk("alcore_pool_write_column", call_write_column);
    walk("alcore_pool_read_column", call_read_column);
    walk("alcore_metric_compute_bleu", call_bleu);
    walk("alcore_metric_compute_chrf", call_chrf);
    walk("alcore_lm_train", call_lm_train);
    walk("alcore_lm_write_arpa", call_write_arpa);
    walk("alcore_lm_read_arpa", call_read_arpa);
    walk("alcore_model_run logprobs", call_model_logprobs);
    walk("alcore_model_run embeddings", call_model_embeddings);
    walk("alcore_scorer_run", call_scorer);
    walk("alcore_logits_measure", call_logits);
    for (int32_t i = 0; (strategy_name = alcore_strategy_builtin_name(i)); i++) {
        snprintf(name, sizeof name, "alcore_select %s", strategy_name);
        walk(name, call_select);
    }
    walk("alcore_selection_write .tsv", call_selection_tsv);
    walk("alcore_selection_write .jsonl", call_selection_jsonl);
    walk("alcore_selection_report", call_report);
    tap_ok(alcore_pool_rows(pool) == row_count && call_filter() == ALCORE_OK,
           "the handles work afterwards", alcore_last_error());
    alcore_selection_unref(selection);
    alcore_lm_unref(lm);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(in_folder(files[i]));
    bool clean = rmdir(folder) == 0;
    tap_ok(clean, "no other file is left", "the folder is not empty");
    return tap_end();
}
