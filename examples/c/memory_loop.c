/* SPDX-License-Identifier: Apache-2.0 */
/* A round without a file: texts go in as one block with offsets, a column as an Arrow array, the
 * picks come out as an Arrow stream, their translations go in, and the pairs to train on come out.
 * Programs in other languages do the same; what they call is here.
 *
 * build: cc memory_loop.c -o memory_loop $(pkg-config --cflags --libs alcore)
 * usage: memory_loop */
#include <stdio.h>
#include <stdlib.h>

#include <alcore/extra.h>

static void check(alcore_status status) {
    if (status == ALCORE_OK) return;
    fprintf(stderr, "memory_loop: %s (%s)\n", alcore_last_error(), alcore_status_name(status));
    exit(1);
}

enum { TEXTS = 4 };
static const char bytes[] = "the patient has severe headache"
                            "severe headache was reported"
                            "the patient was treated"
                            "the patient has fever";
static const int64_t offsets[TEXTS + 1] = {0, 31, 59, 82, 103};
static const float scores[TEXTS] = {0.5f, 2, 0.25f, 1};

static void release_array(struct ArrowArray *array) {
    array->release = NULL; /* the memory is the program's own */
}

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

/* Gives the pool the scores as the Arrow array that a data frame would hand out. */
static void set_scores(alcore_pool *pool) {
    const void *buffers[] = {NULL /* none is null */, scores};
    struct ArrowSchema schema = {.format = "f", .release = release_schema};
    struct ArrowArray array = {
        .length = TEXTS, .n_buffers = 2, .buffers = buffers, .release = release_array};
    check(alcore_pool_set_column_arrow(pool, "scores", &array, &schema, NULL));
}

/* Prints the texts and reasons of the picks, which any reader of Arrow takes as a table. */
static void print_picks(const alcore_selection *picked) {
    static const char *const names[] = {"rank", "text"};
    alcore_table_options options = ALCORE_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    options.columns = names;
    options.column_count = 2;
    check(alcore_selection_get_arrow(picked, &options, &stream));
    while (stream.get_next(&stream, &batch) == 0 && batch.release) {
        const int64_t *ranks = batch.children[0]->buffers[1];
        const int64_t *ends = batch.children[1]->buffers[1];
        const char *texts = batch.children[1]->buffers[2];
        for (int64_t i = 0; i < batch.length; i++)
            printf("%lld\t%.*s\n", (long long)ranks[i], (int)(ends[i + 1] - ends[i]),
                   texts + ends[i]);
        batch.release(&batch);
    }
    stream.release(&stream);
}

/* What two translators answered: the second one skips the text. */
static void answer(alcore_annotations *items) {
    static const int64_t numbers[] = {0, 1};
    static const char *const translations[] = {"starke Kopfschmerzen wurden gemeldet", NULL};
    static const char *const statuses[] = {"ok", "skip"};
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    answers.items = numbers;
    answers.translations = translations;
    answers.statuses = statuses;
    answers.count = 2;
    check(alcore_annotations_answer(items, &answers));
}

int main(void) {
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore_request *request;
    alcore_selection *picked;
    alcore_annotations *items;
    alcore_mix *pairs;
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    check(alcore_ctx_new(NULL, &ctx));
    check(alcore_pool_new(ctx, NULL, &pool));
    check(alcore_pool_add_utf8(pool, bytes, offsets, TEXTS, NULL));
    set_scores(pool);
    check(alcore_request_new(ctx, &request));
    check(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    alcore_strategy *strategy;
    check(alcore_strategy_new(ctx, "nnll", &strategy));
    check(alcore_request_set_strategy(request, strategy));
    check(alcore_request_set(request, "budget", "2"));
    check(alcore_select(request, &picked));
    print_picks(picked);

    check(alcore_annotations_new(pool, &items));
    check(alcore_annotations_add_selection(items, picked));
    answer(items);
    options.kind = "none"; /* the annotated pairs alone */
    check(alcore_mix_new(ctx, NULL, pool, items, &options, &pairs));
    for (int64_t i = 0; i < alcore_mix_count(pairs); i++)
        printf("%s = %s\n", alcore_mix_source(pairs, i, NULL), alcore_mix_target(pairs, i, NULL));
    printf("spent %g, refunded %g\n", alcore_annotations_spent(items),
           alcore_annotations_refunded(items));

    alcore_mix_unref(pairs);
    alcore_annotations_unref(items);
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return 0;
}
