/* SPDX-License-Identifier: Apache-2.0 */
/* Training of the word aligner by expectation maximization (EM), and the links that a trained model
 * decodes (aligner_model.h; docs/spec/aligner.md has the formulas).
 *
 *   1. source and target texts become arrays of word symbols (text/corpus.h); a pair with an empty
 *      text on either side keeps its row but has no words in either corpus
 *   2. the table of t(f | e) for all pairs of words that occur together is built (aligner_table.h)
 *   3. iterations 1 .. I - 1: E-step over blocks of pairs (aligner_expect.c), the update of lambda
 *      (aligner_tension.c), M-step over the rows of the table (aligner_table.c)
 *   4. iteration I decodes: the most probable source word of each target word
 *
 * The result is the same for every number of threads: counts are integers, whose sum does not
 * depend on the order; log-likelihood and emp are doubles, summed pair by pair within a block of
 * BLOCK_PAIRS pairs and then block by block.
 *
 * Cost per iteration: for each sentence pair the product of its lengths n m, each with two reads of
 * memory that are prefetched, and one digamma and one exponential for each pair of words in the
 * table.
 *
 * Names: n and m are the lengths of a source and a target sentence in words, e a source symbol, f a
 * target symbol, j a source position from 1 (0: the null word), i a target position. */
#include "extra/aligner/aligner_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/aligner/aligner_internal.h"
#include "text/words.h"

static const char STAGE_EXPECT[] = "aligning words";
static const char STAGE_DECODE[] = "linking words";
/* Sentence pairs of a block: one task of a thread, and the unit in which doubles are summed. */
enum { BLOCK_PAIRS = 256 };
/* Rows between two polls of cancellation in loops that do little per row. */
enum { POLL_ROWS = 4096 };
enum { MAX_ITERATIONS = 1000 };

alcore__aligner_options alcore__aligner_defaults(void) {
    return (alcore__aligner_options){
        .diagonal = true,
        .variational_bayes = true,
        .null_word = true,
        .tension = ALCORE__TENSION_OFF,
        .iterations = 5,
        .p0 = 0.08,
        .lambda = 4,
        .alpha = 0.01,
        .start = 1e-9,
    };
}

/* Refuses options out of the bounds that aligner_model.h states, with a message that names the
 * bounds. The conditions are written as !(inside), so that a NaN is refused too. */
alcore_status alcore__aligner_check_options(const alcore__aligner_options *o) {
    if (!(o->iterations >= 1 && o->iterations <= MAX_ITERATIONS))
        return alcore__fail(ALCORE_E_PARAM, "iterations is %" PRId32 ": use 1 to %d", o->iterations,
                            MAX_ITERATIONS);
    if (!(o->p0 >= 0 && o->p0 < 1))
        return alcore__fail(ALCORE_E_PARAM, "p0 is %g: use a number from 0 to below 1", o->p0);
    if (!(o->lambda >= 0 && o->lambda <= ALCORE__ALIGNER_MAX_LAMBDA))
        return alcore__fail(ALCORE_E_PARAM, "lambda is %g: use a number from 0 to %g", o->lambda,
                            ALCORE__ALIGNER_MAX_LAMBDA);
    if (!(o->alpha >= 1e-6 && o->alpha <= 1e6))
        return alcore__fail(ALCORE_E_PARAM, "alpha is %g: use a number from 1e-6 to 1e6", o->alpha);
    if (!(o->start >= 1e-30 && o->start <= 1))
        return alcore__fail(ALCORE_E_PARAM, "start is %g: use a number from 1e-30 to 1", o->start);
    if (o->tension < ALCORE__TENSION_OFF || o->tension > ALCORE__TENSION_PUBLIC)
        return alcore__fail(ALCORE_E_PARAM, "no tension %d: use off, gradient or public",
                            (int)o->tension);
    if (o->tension != ALCORE__TENSION_OFF && !o->diagonal)
        return alcore__fail(ALCORE_E_PARAM,
                            "Model 1 has no lambda: use tension off or the diagonal model");
    if (!o->null_word && o->diagonal)
        return alcore__fail(ALCORE_E_PARAM,
                            "the diagonal model needs the null word: use Model 1 without it");
    return ALCORE_OK;
}

/* ---- the texts ---- */

/* The texts of one language, as a text source that has no words where the pair's text in the other
 * language is empty. alcore__corpus_new() reads both languages through it, so that both corpora
 * leave out the same rows. */
typedef struct paired_texts {
    const alcore__text_source *texts;        /* of this language; borrowed from the caller */
    const alcore__text_source *translations; /* of the other language, the same rows */
} paired_texts;

/* alcore__text_source.words of paired_texts, its data: 0 where either text is empty. */
static int64_t paired_word_count(const void *data, int64_t row) {
    const paired_texts *paired = data;
    if (paired->translations->words(paired->translations->data, row) == 0) return 0;
    return paired->texts->words(paired->texts->data, row);
}

/* alcore__text_source.text of paired_texts. */
static const char *paired_text(const void *data, int64_t row, size_t *length) {
    const paired_texts *paired = data;
    return paired->texts->text(paired->texts->data, row, length);
}

/* Row r of sources and row r of targets are one sentence pair, so the two need equal numbers of
 * rows; rows are kept as uint32_t in the table's index, hence the upper bound. */
static alcore_status check_texts(const alcore__text_source *sources,
                                 const alcore__text_source *targets) {
    if (sources->rows != targets->rows)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%" PRId64 " source texts but %" PRId64
                            " target texts: line r of one is to be the translation of line r of "
                            "the other",
                            sources->rows, targets->rows);
    if (sources->rows >= UINT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "more than 2^32 - 2 sentence pairs: align them in parts");
    return ALCORE_OK;
}

/* Words of the source times words of the target of a pair: training and linking take as many steps,
 * in each iteration. 2^24 are two texts of 4096 words, far more than a sentence has; a pair of
 * whole documents would take hours. It bounds the positions in a link too (word_links.h). */
#define MAX_PRODUCTS ((int64_t)1 << 24)
_Static_assert(MAX_PRODUCTS <= ALCORE__LINK_POSITIONS, "positions of words");

/* Refuses a pair of n source words and m target words that is no pair of sentences. */
static alcore_status check_pair(int64_t row, int64_t n, int64_t m) {
    if (m == 0 || n <= MAX_PRODUCTS / m) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "row %" PRId64 " (pair %" PRId64 " of the input) has %" PRId64
                        " and %" PRId64
                        " words, whose product is above 2^24 (4096 x 4096): split it "
                        "into sentences",
                        row, row + 1, n, m);
}

/* The number of words of a corpus row. A row with words has one token more, the boundary behind
 * them; a row that was left out has no token at all. */
static int64_t corpus_words(const alcore__corpus *corpus, int64_t row) {
    const uint32_t tokens = corpus->begin[row + 1] - corpus->begin[row];
    return tokens > 0 ? (int64_t)tokens - 1 : 0;
}

/* The symbols of sentence pair `row` in the two corpora; n = m = 0 for a pair with an empty text,
 * which is not trained on. */
static alcore__aligner_pair training_pair(const alcore__aligner *aligner, int64_t row) {
    return (alcore__aligner_pair){
        .source = aligner->source->tokens + aligner->source->begin[row],
        .target = aligner->target->tokens + aligner->target->begin[row],
        .n = corpus_words(aligner->source, row),
        .m = corpus_words(aligner->target, row),
    };
}

/* Step 1 of the file head: makes aligner->source and aligner->target, corpora with the callers'
 * rows. *longest becomes the number of words of the longest source sentence, the size of the
 * workers' arrays. */
static alcore_status read_texts(alcore__aligner *aligner, const alcore__text_source *sources,
                                const alcore__text_source *targets, int64_t *longest) {
    alcore_ctx *ctx = aligner->ctx;
    const paired_texts paired_sources = {sources, targets}, paired_targets = {targets, sources};
    const alcore__text_source source = {&paired_sources, sources->rows, paired_word_count,
                                        paired_text};
    const alcore__text_source target = {&paired_targets, targets->rows, paired_word_count,
                                        paired_text};
    ALCORE__TRY(alcore__corpus_new(ctx, &source, NULL, &aligner->source));
    ALCORE__TRY(alcore__corpus_new(ctx, &target, NULL, &aligner->target));
    *longest = 0;
    for (int64_t row = 0; row < sources->rows; row++) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, STAGE_EXPECT, 0, sources->rows));
        const int64_t n = corpus_words(aligner->source, row);
        ALCORE__TRY(check_pair(row, n, corpus_words(aligner->target, row)));
        if (n > *longest) *longest = n;
    }
    return ALCORE_OK;
}

/* ---- training ---- */

/* What the iterations of one training share; lives on the stack of alcore__aligner_train(), which
 * frees the arrays. */
typedef struct training {
    alcore__aligner *aligner;         /* the model being trained */
    alcore__aligner_scratch *scratch; /* [threads] arrays of each worker */
    alcore__aligner_sums *sums;       /* [blocks] sums of each block in the present iteration */
    int64_t blocks;                  /* blocks of BLOCK_PAIRS sentence pairs; the last is shorter */
    alcore__aligner_classes classes; /* pairs by their lengths; count 0 with tension off */
    bool decode;                     /* true in the last iteration */
} training;

/* The E-step of sentence pair `row`, or its decoding in the last iteration, into aligner->partner.
 * Adds the pair's log-likelihood and emp to *sums. Called by train_block() on a worker, whose
 * arrays are *scratch; counts of the table and mass are shared by all workers and added
 * atomically. */
static alcore_status train_row(const training *t, int64_t row, alcore__aligner_scratch *scratch,
                               alcore__aligner_sums *sums) {
    alcore__aligner *aligner = t->aligner;
    const alcore__aligner_pair pair = training_pair(aligner, row);
    if (pair.m == 0) return ALCORE_OK;
    if (t->decode)
        return alcore__aligner_decode(aligner, scratch, &pair, true,
                                      aligner->partner + aligner->target->begin[row], sums);
    const alcore__aligner_classes *classes = &t->classes;
    _Atomic uint64_t *mass =
        classes->count > 0 ? classes->mass + classes->begin[classes->class_of[row]] : NULL;
    return alcore__aligner_expect(aligner, scratch, &pair, mass, classes->shift, sums);
}

/* The task of one block (alcore__task): its sentence pairs in order, with sums of their own. */
static alcore_status train_block(void *data, int64_t block, int32_t worker) {
    const training *t = data;
    const int64_t first = block * BLOCK_PAIRS, left = t->aligner->source->rows - first;
    alcore__aligner_sums sums = {0, 0};
    for (int64_t i = 0; i < (left < BLOCK_PAIRS ? left : BLOCK_PAIRS); i++)
        ALCORE__TRY(train_row(t, first + i, &t->scratch[worker], &sums));
    t->sums[block] = sums;
    return ALCORE_OK;
}

/* One iteration of EM, counted from 1: E-step over all blocks, the sums in block order, then the
 * update of lambda (from iteration 2 on, with a tension) and the M-step. The last iteration decodes
 * and changes neither lambda nor t. */
static alcore_status iterate(training *t, int32_t iteration) {
    alcore__aligner *aligner = t->aligner;
    const alcore__aligner_options *options = &aligner->options;
    t->decode = iteration == options->iterations;
    if (t->classes.count > 0) alcore__aligner_classes_reset(aligner, &t->classes);
    ALCORE__TRY(alcore__parallel(aligner->ctx, t->decode ? STAGE_DECODE : STAGE_EXPECT, t->blocks,
                                 train_block, t));
    alcore__aligner_sums all = {0, 0};
    for (int64_t block = 0; block < t->blocks; block++) {
        all.log_likelihood += t->sums[block].log_likelihood;
        all.emp += t->sums[block].emp;
    }
    aligner->log_likelihoods[iteration - 1] = all.log_likelihood;
    if (t->decode) return ALCORE_OK;
    if (iteration >= 2 && t->classes.count > 0) {
        const double words = (double)t->classes.words;
        ALCORE__TRY(alcore__aligner_tighten(aligner, &t->classes, all.emp / words));
        aligner->lambdas[aligner->lambda_count++] = aligner->lambda;
    }
    return alcore__aligner_table_maximize(aligner->ctx, &aligner->table,
                                          options->variational_bayes ? options->alpha : 0);
}

/* Allocates the arrays of the training and those of the aligner that have the size of the target
 * corpus or of the number of iterations. longest: words of the longest source sentence. */
static alcore_status allocate_training(training *t, int64_t longest) {
    alcore__aligner *aligner = t->aligner;
    alcore_ctx *ctx = aligner->ctx;
    const size_t iterations = (size_t)aligner->options.iterations;
    const size_t threads = (size_t)alcore_ctx_threads(ctx);
    t->blocks = (aligner->source->rows + BLOCK_PAIRS - 1) / BLOCK_PAIRS;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)t->blocks, sizeof *t->sums, &t->sums));
    ALCORE__TRY(alcore__new_array(ctx, threads, sizeof *t->scratch, &t->scratch));
    for (size_t i = 0; i < threads; i++)
        ALCORE__TRY(alcore__aligner_scratch_new(ctx, longest, &t->scratch[i]));
    ALCORE__TRY(alcore__new_array(ctx, iterations, sizeof(double), &aligner->log_likelihoods));
    ALCORE__TRY(alcore__new_array(ctx, iterations, sizeof(double), &aligner->lambdas));
    return alcore__new_array(ctx, aligner->target->token_count, sizeof(uint32_t),
                             &aligner->partner);
}

/* The steps 1 to 4 of the file head. After a failure the caller frees whatever was allocated. */
static alcore_status train(training *t, const alcore__text_source *sources,
                           const alcore__text_source *targets) {
    alcore__aligner *aligner = t->aligner;
    const alcore__aligner_options *options = &aligner->options;
    int64_t longest;
    ALCORE__TRY(read_texts(aligner, sources, targets, &longest));
    ALCORE__TRY(allocate_training(t, longest));
    ALCORE__TRY(alcore__aligner_table_build(aligner->ctx, aligner->source, aligner->target,
                                            options->null_word, options->start, &aligner->table));
    if (options->tension != ALCORE__TENSION_OFF)
        ALCORE__TRY(alcore__aligner_classes_new(aligner, &t->classes));
    for (int32_t i = 1; i <= options->iterations; i++) ALCORE__TRY(iterate(t, i));
    return ALCORE_OK;
}

/* Frees scratch [threads] and its arrays; NULL does nothing. */
static void free_scratch(alcore_ctx *ctx, alcore__aligner_scratch *scratch) {
    for (int32_t i = 0; scratch && i < alcore_ctx_threads(ctx); i++)
        alcore__aligner_scratch_clear(ctx, &scratch[i]);
    alcore__free(ctx, scratch);
}

/* Checks options and texts, trains, and frees what only the training needs. *out is NULL after a
 * failure. */
alcore_status alcore__aligner_train(alcore_ctx *ctx, const alcore__text_source *sources,
                                    const alcore__text_source *targets,
                                    const alcore__aligner_options *options, alcore__aligner **out) {
    const alcore__aligner_options chosen = options ? *options : alcore__aligner_defaults();
    alcore__aligner *aligner = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__aligner_check_options(&chosen));
    ALCORE__TRY(check_texts(sources, targets));
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *aligner, &aligner));
    aligner->ctx = alcore_ctx_ref(ctx);
    aligner->options = chosen;
    aligner->lambda = chosen.lambda;
    training t = {.aligner = aligner};
    const alcore_status status = train(&t, sources, targets);
    free_scratch(ctx, t.scratch);
    alcore__free(ctx, t.sums);
    alcore__aligner_classes_clear(ctx, &t.classes);
    if (status != ALCORE_OK)
        alcore__aligner_free(aligner);
    else
        *out = aligner;
    return status;
}

void alcore__aligner_free(alcore__aligner *aligner) {
    if (!aligner) return;
    alcore_ctx *ctx = aligner->ctx;
    alcore__corpus_free(aligner->source);
    alcore__corpus_free(aligner->target);
    alcore__aligner_table_clear(ctx, &aligner->table);
    alcore__free(ctx, aligner->partner);
    alcore__free(ctx, aligner->log_likelihoods);
    alcore__free(ctx, aligner->lambdas);
    alcore__free(ctx, aligner);
    alcore_ctx_unref(ctx);
}

double *alcore__aligner_log_likelihoods(const alcore__aligner *aligner, int32_t *count) {
    *count = aligner->options.iterations;
    return aligner->log_likelihoods;
}

const double *alcore__aligner_lambdas(const alcore__aligner *aligner, int32_t *count) {
    *count = aligner->lambda_count;
    return aligner->lambdas;
}

double alcore__aligner_lambda(const alcore__aligner *aligner) {
    return aligner->lambda;
}

/* t(target | source), by the words' symbols; the start value for words that are unknown or never
 * occurred together. The null word has symbol 0, the boundary's. */
double alcore__aligner_probability(const alcore__aligner *aligner, const char *source,
                                   const char *target) {
    const uint32_t f = alcore__corpus_find(aligner->target, target, strlen(target));
    const uint32_t e = source ? alcore__corpus_find(aligner->source, source, strlen(source)) : 0;
    const bool both_known =
        f != ALCORE__CORPUS_BOUNDARY && (!source || e != ALCORE__CORPUS_BOUNDARY);
    const alcore__aligner_cell *cell =
        both_known ? alcore__aligner_cell_find(&aligner->table, e, f) : NULL;
    return cell ? cell->t : aligner->options.start;
}

/* ---- links ---- */

/* The links being collected, sentence pair after sentence pair. */
typedef struct link_list {
    alcore_ctx *ctx;
    alcore__links *out;   /* the caller's; complete up to pair out->pairs - 1 */
    size_t capacity;      /* entries that out->link has memory for */
    int64_t *next;        /* [next_capacity] workspace of the counting sort in append_links() */
    size_t next_capacity; /* at least n + 2 for the longest source sentence so far */
    bool swap;            /* the model's source words become the links' target words */
} link_list;

/* Appends the links of the next sentence pair, sorted by (source, target). partner [m]: for target
 * word i of the model, 1 + the source word that it is linked to, or 0 for the null word, which
 * makes no link; n: source words of the pair.
 *
 * Swapped links have the model's target word as their source, and each has at most one link, so the
 * order of i is already sorted. Otherwise a counting sort by source word keeps the order of i
 * within each: next [n + 2] counts at p + 2 the links of source word p; after the running sum,
 * next[p + 1] is the offset of the next link of source word p, and partner is p + 1. */
static alcore_status append_links(link_list *list, const uint32_t *partner, int64_t m, int64_t n) {
    alcore__links *out = list->out;
    const int64_t first = out->begin[out->pairs];
    ALCORE__TRY(alcore__grow(list->ctx, &out->link, &list->capacity, (size_t)(first + m),
                             sizeof *out->link));
    ALCORE__TRY(alcore__grow(list->ctx, &list->next, &list->next_capacity, (size_t)n + 2,
                             sizeof *list->next));
    memset(list->next, 0, ((size_t)n + 2) * sizeof *list->next);
    int64_t count = 0;
    for (int64_t i = 0; i < m; i++) {
        if (partner[i] == 0) continue;
        if (list->swap) out->link[first + count] = (alcore__link){(uint32_t)i, partner[i] - 1};
        list->next[partner[i] + 1]++;
        count++;
    }
    if (!list->swap) {
        for (int64_t p = 2; p < n + 2; p++) list->next[p] += list->next[p - 1];
        for (int64_t i = 0; i < m; i++)
            if (partner[i] > 0)
                out->link[first + list->next[partner[i]]++] =
                    (alcore__link){partner[i] - 1, (uint32_t)i};
    }
    out->pairs++;
    out->begin[out->pairs] = first + count;
    return ALCORE_OK;
}

/* Makes *out empty with memory for the offsets of `pairs` sentence pairs. */
static alcore_status begin_links(link_list *list, int64_t pairs) {
    *list->out = (alcore__links){0};
    return alcore__new_array(list->ctx, (size_t)pairs + 1, sizeof(int64_t), &list->out->begin);
}

/* Frees the workspace, and the links after a failure. Returns status. */
static alcore_status end_links(link_list *list, alcore_status status) {
    alcore__free(list->ctx, list->next);
    if (status != ALCORE_OK) alcore__links_clear(list->ctx, list->out);
    return status;
}

/* Turns the partners that the last iteration of the training stored into links, one row after the
 * other: cheap, so it runs on the calling thread. */
static alcore_status list_training_links(const alcore__aligner *aligner, link_list *list) {
    const alcore__corpus *target = aligner->target;
    ALCORE__TRY(begin_links(list, target->rows));
    for (int64_t row = 0; row < target->rows; row++) {
        if (row % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(aligner->ctx, STAGE_DECODE, row, target->rows));
        ALCORE__TRY(append_links(list, aligner->partner + target->begin[row],
                                 corpus_words(target, row), corpus_words(aligner->source, row)));
    }
    return ALCORE_OK;
}

alcore_status alcore__aligner_links(const alcore__aligner *aligner, bool swap, alcore__links *out) {
    link_list list = {.ctx = aligner->ctx, .out = out, .swap = swap};
    *out = (alcore__links){0};
    if (!aligner->partner)
        return alcore__fail(ALCORE_E_INVALID,
                            "an aligner that was read from a file has no training pairs: apply it "
                            "to the pairs to be linked");
    return end_links(&list, list_training_links(aligner, &list));
}

/* ---- other pairs ---- */

/* The decoding of sentence pairs that the model need not have seen (alcore__aligner_apply(), which
 * frees the arrays). Texts are read twice: by measure_pairs() for the sizes, then by the workers.
 */
typedef struct applying {
    const alcore__aligner *aligner;
    const alcore__text_source *sources, *targets; /* the caller's texts, equal numbers of rows */
    alcore__aligner_scratch *scratch;             /* [threads] arrays of each worker */
    uint32_t *source_symbols; /* [threads, longest_source] words of the worker's present pair */
    uint32_t *target_symbols; /* [threads, longest_target] */
    int64_t *begin;           /* [rows + 1] offset in partner of each pair's first target word */
    uint32_t *source_words;   /* [rows] words of each source text; 0 for a pair without part */
    uint32_t *partner;        /* [begin[rows]] 1 + source word that each target word is linked to,
                                 0: the null word */
    int64_t longest_source, longest_target; /* words of the longest texts */
} applying;

/* Fills begin, source_words and the two longest lengths. A pair with an empty text on either side
 * counts as without words on both. */
static alcore_status measure_pairs(applying *a) {
    alcore_ctx *ctx = a->aligner->ctx;
    const int64_t rows = a->sources->rows;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows + 1, sizeof *a->begin, &a->begin));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof(uint32_t), &a->source_words));
    for (int64_t row = 0; row < rows; row++) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, STAGE_DECODE, 0, rows));
        int64_t n = a->sources->words(a->sources->data, row);
        int64_t m = a->targets->words(a->targets->data, row);
        if (n == 0 || m == 0) n = m = 0;
        ALCORE__TRY(check_pair(row, n, m));
        if (n > a->longest_source) a->longest_source = n;
        if (m > a->longest_target) a->longest_target = m;
        a->source_words[row] = (uint32_t)n;
        a->begin[row + 1] = a->begin[row] + m;
    }
    return ALCORE_OK;
}

/* symbols [count] of the words of text `row`: those of the corpus that the model was trained on,
 * ALCORE__CORPUS_BOUNDARY for words that it does not have. */
static void read_symbols(const alcore__corpus *corpus, const alcore__text_source *source,
                         int64_t row, int64_t count, uint32_t *symbols) {
    size_t length, bytes;
    const char *next = source->text(source->data, row, &length), *end = next + length, *word;
    for (int64_t i = 0; i < count; i++)
        symbols[i] = alcore__word_next(&next, end, &word, &bytes)
                         ? alcore__corpus_find(corpus, word, bytes)
                         : ALCORE__CORPUS_BOUNDARY;
}

/* The task of one block (alcore__task): reads and decodes its pairs into their own ranges of
 * partner. The log-likelihood that decoding adds up is not used here. */
static alcore_status apply_block(void *data, int64_t block, int32_t worker) {
    const applying *a = data;
    uint32_t *source = a->source_symbols + (size_t)worker * (size_t)a->longest_source;
    uint32_t *target = a->target_symbols + (size_t)worker * (size_t)a->longest_target;
    const int64_t first = block * BLOCK_PAIRS;
    alcore__aligner_sums sums = {0, 0};
    for (int64_t row = first; row < first + BLOCK_PAIRS && row < a->sources->rows; row++) {
        const int64_t n = a->source_words[row], m = a->begin[row + 1] - a->begin[row];
        if (n == 0) continue;
        read_symbols(a->aligner->source, a->sources, row, n, source);
        read_symbols(a->aligner->target, a->targets, row, m, target);
        const alcore__aligner_pair pair = {source, target, n, m};
        ALCORE__TRY(alcore__aligner_decode(a->aligner, &a->scratch[worker], &pair, false,
                                           a->partner + a->begin[row], &sums));
    }
    return ALCORE_OK;
}

/* Measures, allocates, decodes the blocks on the context's threads, then lists the links in row
 * order on this thread. The caller frees everything, also after a failure. */
static alcore_status apply(applying *a, link_list *list) {
    alcore_ctx *ctx = a->aligner->ctx;
    const int64_t rows = a->sources->rows;
    const size_t threads = (size_t)alcore_ctx_threads(ctx);
    ALCORE__TRY(measure_pairs(a));
    ALCORE__TRY(alcore__new_array(ctx, threads, sizeof *a->scratch, &a->scratch));
    for (size_t i = 0; i < threads; i++)
        ALCORE__TRY(alcore__aligner_scratch_new(ctx, a->longest_source, &a->scratch[i]));
    ALCORE__TRY(alcore__new_array(ctx, threads * (size_t)a->longest_source, sizeof(uint32_t),
                                  &a->source_symbols));
    ALCORE__TRY(alcore__new_array(ctx, threads * (size_t)a->longest_target, sizeof(uint32_t),
                                  &a->target_symbols));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)a->begin[rows], sizeof(uint32_t), &a->partner));
    ALCORE__TRY(alcore__parallel(ctx, STAGE_DECODE, (rows + BLOCK_PAIRS - 1) / BLOCK_PAIRS,
                                 apply_block, a));
    ALCORE__TRY(begin_links(list, rows));
    for (int64_t row = 0; row < rows; row++) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, STAGE_DECODE, row, rows));
        ALCORE__TRY(append_links(list, a->partner + a->begin[row],
                                 a->begin[row + 1] - a->begin[row], a->source_words[row]));
    }
    return ALCORE_OK;
}

/* Decodes other pairs with the trained parameters; *out is empty after a failure. */
alcore_status alcore__aligner_apply(const alcore__aligner *aligner,
                                    const alcore__text_source *sources,
                                    const alcore__text_source *targets, bool swap,
                                    alcore__links *out) {
    alcore_ctx *ctx = aligner->ctx;
    link_list list = {.ctx = ctx, .out = out, .swap = swap};
    applying a = {.aligner = aligner, .sources = sources, .targets = targets};
    *out = (alcore__links){0};
    ALCORE__TRY(check_texts(sources, targets));
    const alcore_status status = end_links(&list, apply(&a, &list));
    free_scratch(ctx, a.scratch);
    alcore__free(ctx, a.source_symbols);
    alcore__free(ctx, a.target_symbols);
    alcore__free(ctx, a.begin);
    alcore__free(ctx, a.source_words);
    alcore__free(ctx, a.partner);
    return status;
}
