/* SPDX-License-Identifier: Apache-2.0 */
/* Accuracy of the translation of in-domain words (docs/spec/analyses.md 8.3; Figure 3 of the paper
 * on phrase-level active learning).
 *
 *     accuracy = 100 * matched / total
 *
 * total: words of the references that a link joins with an in-domain word of the source. matched:
 * those of them that the hypothesis has too; each occurrence in the hypothesis matches one of them,
 * the first from the left.
 *
 * One pass over the sentences: the words of reference and hypothesis become numbers that are valid
 * within the sentence, and the copies of each are counted down. Memory is that of the longest
 * sentence. */
#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "extra/aligner/links_handle.h"
#include "extra/metric/text_blocks.h"
#include "extra/overlap/overlap_handle.h"
#include "formats/pharaoh.h"
#include "text/words.h"

#define TICK_EVERY 1024

enum { SOURCE, REFERENCE, HYPOTHESIS, SIDES };
static const char *const SIDE[SIDES] = {"sources", "references", "hypotheses"};

/* The texts and links of one call, borrowed from the caller, or of one block of its files. */
typedef struct sentences {
    const char *const *texts[SIDES]; /* [count] */
    const size_t *lengths[SIDES];    /* [count] bytes, or NULL: NUL-terminated */
    int64_t count;
    int64_t before;             /* sentences of the call that came before these */
    int64_t total;              /* sentences of the call; -1: not known */
    const alcore__links *links; /* of count pairs */
} sentences;

/* The counts of one call so far, and its workspace: words of one sentence. */
typedef struct sentence_words {
    alcore_ctx *ctx;
    alcore_word_accuracy_result score; /* its accuracy is computed in the end */
    alcore__pharaoh_reader *links;     /* of the links of files; NULL: the texts are the caller's */
    const alcore_overlap *domain;      /* NULL: every source word is in-domain */
    alcore__vocabulary names;          /* the distinct words of the present reference */
    uint32_t *reference;               /* [reference_count] numbers of the words of the reference */
    int64_t *copies;                   /* [names.count] occurrences of each in the hypothesis that
                                   * are not matched yet */
    uint8_t *in_domain;                /* [source_count] 1: in-domain, 2: and a link was seen */
    uint8_t *wanted;                   /* [reference_count] 1: aligned to an in-domain word */
    size_t reference_count, source_count;
    size_t reference_capacity, copies_capacity, in_domain_capacity, wanted_capacity;
} sentence_words;

/* The text of a sentence of a side, and its bytes. */
static const char *text_of(const sentences *given, int side, int64_t line, size_t *length) {
    const char *text = given->texts[side][line];
    *length = given->lengths[side] ? given->lengths[side][line] : strlen(text);
    return text;
}

static alcore_status check_sentences(const sentences *given) {
    if (given->links->pairs != given->count)
        return alcore__fail(ALCORE_E_SHAPE, "%lld sentences, links of %lld",
                            (long long)given->count, (long long)given->links->pairs);
    for (int side = 0; side < SIDES; side++)
        for (int64_t i = 0; i < given->count; i++)
            if (!given->texts[side] || !given->texts[side][i])
                return alcore__fail(ALCORE_E_INVALID, "line %lld of the %s is NULL",
                                    (long long)i + 1, SIDE[side]);
    return ALCORE_OK;
}

/* Whether a source word is in-domain: a word of the test set that is not outside the domain. A word
 * that was never added to the test set is none. */
static bool is_in_domain(const alcore_overlap *domain, const char *word, size_t length) {
    if (!domain) return true;
    const alcore__ngram_uses *uses = &domain->sides[0 /* the source */];
    const uint32_t number = alcore__vocabulary_find(&uses->words, word, length);
    if (number == ALCORE__WORD_NONE) return false;
    return (uses->use[0][number].roles & (ALCORE_OVERLAP_TEST | ALCORE_OVERLAP_OUTSIDE)) ==
           ALCORE_OVERLAP_TEST;
}

/* Reads the words of the source and the reference of a sentence. */
static alcore_status read_sentence(sentence_words *words, const sentences *given, int64_t line) {
    const char *word;
    size_t length, bytes;
    const char *next = text_of(given, SOURCE, line, &length), *end = next + length;
    words->source_count = words->reference_count = 0;
    alcore__vocabulary_clear(words->ctx, &words->names);
    while (alcore__word_next(&next, end, &word, &bytes)) {
        ALCORE__TRY(alcore__grow(words->ctx, &words->in_domain, &words->in_domain_capacity,
                                 words->source_count + 1, sizeof *words->in_domain));
        words->in_domain[words->source_count++] = is_in_domain(words->domain, word, bytes);
    }
    next = text_of(given, REFERENCE, line, &length);
    end = next + length;
    while (alcore__word_next(&next, end, &word, &bytes)) {
        const size_t i = words->reference_count;
        ALCORE__TRY(alcore__grow(words->ctx, &words->reference, &words->reference_capacity, i + 1,
                                 sizeof *words->reference));
        ALCORE__TRY(alcore__grow(words->ctx, &words->wanted, &words->wanted_capacity, i + 1,
                                 sizeof *words->wanted));
        ALCORE__TRY(
            alcore__vocabulary_add(words->ctx, &words->names, word, bytes, &words->reference[i]));
        words->wanted[words->reference_count++] = 0;
    }
    return ALCORE_OK;
}

/* Follows the links of a sentence: marks the words of the reference that are joined with an
 * in-domain word. */
static alcore_status follow_links(sentence_words *words, const sentences *given, int64_t line) {
    const alcore__links *links = given->links;
    for (int64_t i = links->begin[line]; i < links->begin[line + 1]; i++) {
        const alcore__link link = links->link[i];
        if (link.source >= words->source_count || link.target >= words->reference_count) {
            alcore__fail(ALCORE_E_DATA,
                         "line %lld: the link %lu-%lu points behind a source of %zu or a reference "
                         "of %zu words; words count from 0",
                         (long long)(given->before + line + 1), (unsigned long)link.source,
                         (unsigned long)link.target, words->source_count, words->reference_count);
            size_t lengths[2];
            const char *source = text_of(given, SOURCE, line, &lengths[0]);
            const char *reference = text_of(given, REFERENCE, line, &lengths[1]);
            return alcore__links_fail_range(links, line, ALCORE_E_DATA, source, lengths[0],
                                            reference, lengths[1]);
        }
        if (!words->in_domain[link.source]) continue;
        words->in_domain[link.source] = 2;
        words->wanted[link.target] = 1;
    }
    return ALCORE_OK;
}

/* Sets words->copies: how often each word of the reference occurs in the hypothesis. */
static alcore_status count_copies(sentence_words *words, const sentences *given, int64_t line) {
    const char *word;
    size_t length, bytes;
    const char *next = text_of(given, HYPOTHESIS, line, &length), *end = next + length;
    ALCORE__TRY(alcore__grow(words->ctx, &words->copies, &words->copies_capacity,
                             words->names.count, sizeof *words->copies));
    for (uint32_t i = 0; i < words->names.count; i++) words->copies[i] = 0;
    while (alcore__word_next(&next, end, &word, &bytes)) {
        const uint32_t number = alcore__vocabulary_find(&words->names, word, bytes);
        if (number != ALCORE__WORD_NONE) words->copies[number]++;
    }
    return ALCORE_OK;
}

/* Counts the sentences that are given. */
static alcore_status count_sentences(sentence_words *words, const sentences *given) {
    alcore_word_accuracy_result *score = &words->score;
    for (int64_t line = 0; line < given->count; line++) {
        if (line % TICK_EVERY == 0)
            ALCORE__TRY(
                alcore__tick(words->ctx, "word accuracy", given->before + line, given->total));
        ALCORE__TRY(read_sentence(words, given, line));
        ALCORE__TRY(follow_links(words, given, line));
        ALCORE__TRY(count_copies(words, given, line));
        for (size_t i = 0; i < words->source_count; i++)
            score->unlinked += words->in_domain[i] == 1;
        for (size_t i = 0; i < words->reference_count; i++) {
            if (!words->wanted[i]) continue;
            score->total++;
            if (words->copies[words->reference[i]] == 0) continue;
            words->copies[words->reference[i]]--;
            score->matched++;
        }
    }
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(): the files are those of the sources, references and hypotheses.
 */
static alcore_status count_block(void *data, const alcore__text_block *block) {
    sentence_words *words = data;
    sentences given = {.count = block->count, .before = block->before, .total = -1};
    for (int side = 0; side < SIDES; side++) {
        given.texts[side] = block->texts + side * block->count;
        given.lengths[side] = block->lengths + side * block->count;
    }
    ALCORE__TRY(alcore__pharaoh_next(words->links, block->count, &given.links));
    return count_sentences(words, &given);
}

/* Counts the sentences of files with the links of the file `links`. */
static alcore_status count_files(sentence_words *words, const alcore_text_files *files,
                                 const char *links) {
    static const alcore__text_files_rule rule = {SIDES, SIDES, "sources, references and hypotheses",
                                                 false, false};
    ALCORE__TRY(alcore__pharaoh_open(words->ctx, links, &words->links));
    ALCORE__TRY(alcore__text_blocks_visit(words->ctx, files, &rule, count_block, words));
    return alcore__pharaoh_end(words->links);
}

/* Counts the caller's sentences. */
static alcore_status count_texts(sentence_words *words, const sentences *given) {
    ALCORE__TRY(check_sentences(given));
    return count_sentences(words, given);
}

/* Body of both public calls, within alcore__enter() and, with a domain, alcore__read_begin():
 * counts the sentences of files with the links of a file or, where files is NULL, those given. */
static alcore_status compute_accuracy(alcore_ctx *ctx, const alcore_text_files *files,
                                      const char *links, const sentences *given,
                                      const alcore_overlap *domain,
                                      alcore_word_accuracy_result *out) {
    sentence_words words = {.ctx = ctx, .domain = domain};
    alcore_word_accuracy_result *score = &words.score;
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    alcore_status status = files ? count_files(&words, files, links) : count_texts(&words, given);
    score->accuracy =
        score->total > 0 ? 100 * (double)score->matched / (double)score->total : (double)NAN;
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, score, sizeof *score,
                                      ALCORE__FIRST_SIZE(alcore_word_accuracy_result, unlinked),
                                      "alcore_word_accuracy_result");
    alcore__pharaoh_close(words.links);
    alcore__vocabulary_clear(ctx, &words.names);
    alcore__free(ctx, words.reference);
    alcore__free(ctx, words.copies);
    alcore__free(ctx, words.in_domain);
    alcore__free(ctx, words.wanted);
    return status;
}

/* The call between the reading of a domain, where there is one; the arguments are those of
 * compute_accuracy(). */
static alcore_status compute_within_domain(alcore_ctx *ctx, const alcore_text_files *files,
                                           const char *links, const sentences *given,
                                           const alcore_overlap *domain,
                                           alcore_word_accuracy_result *out) {
    if (!domain) return compute_accuracy(ctx, files, links, given, NULL, out);
    ALCORE__TRY(alcore__overlap_begin(domain, ALCORE_OVERLAP_TEST));
    const alcore_status status = compute_accuracy(ctx, files, links, given, domain, out);
    alcore__read_end(domain);
    return alcore__leave(domain->object.ctx, status);
}

/* Checks the numbers of sentences of the sides. */
static alcore_status check_counts(const int64_t counts[SIDES]) {
    for (int side = 0; side < SIDES; side++) {
        if (counts[side] < 0) return alcore__fail(ALCORE_E_INVALID, "a count is negative");
        if (counts[side] != counts[SOURCE])
            return alcore__fail(ALCORE_E_SHAPE, "%lld sources, %lld %s", (long long)counts[SOURCE],
                                (long long)counts[side], SIDE[side]);
    }
    return ALCORE_OK;
}

/* *domain: of the caller's options (NULL: none). */
static alcore_status read_options(const alcore_word_accuracy_options *options,
                                  const alcore_overlap **domain) {
    alcore_word_accuracy_options ours;
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_word_accuracy_options, domain),
                                    options, "alcore_word_accuracy_options"));
    *domain = ours.domain;
    return ALCORE_OK;
}

alcore_status alcore_metric_compute_word_accuracy(
    alcore_ctx *ctx, const char *const *sources, const size_t *source_lengths, int64_t source_count,
    const char *const *references, const size_t *reference_lengths, int64_t reference_count,
    const char *const *hypotheses, const size_t *hypothesis_lengths, int64_t hypothesis_count,
    const alcore_links *links, const alcore_word_accuracy_options *options,
    alcore_word_accuracy_result *out) {
    const alcore_overlap *domain = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !links) status = alcore__fail(ALCORE_E_INVALID, "ctx or links is NULL");
    if (status == ALCORE_OK) status = read_options(options, &domain);
    if (status == ALCORE_OK)
        status = check_counts((const int64_t[]){source_count, reference_count, hypothesis_count});
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    const sentences given = {.texts = {sources, references, hypotheses},
                             .lengths = {source_lengths, reference_lengths, hypothesis_lengths},
                             .count = source_count,
                             .total = source_count,
                             .links = &links->links};
    return alcore__leave(ctx, compute_within_domain(ctx, NULL, NULL, &given, domain, out));
}

alcore_status alcore_metric_read_word_accuracy(alcore_ctx *ctx, const alcore_text_files *files,
                                               const char *links,
                                               const alcore_word_accuracy_options *options,
                                               alcore_word_accuracy_result *out) {
    const alcore_overlap *domain = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !files || !links)
        status = alcore__fail(ALCORE_E_INVALID, "ctx, files or links is NULL");
    if (status == ALCORE_OK) status = read_options(options, &domain);
    if (status == ALCORE_OK) status = compute_within_domain(ctx, files, links, NULL, domain, out);
    return alcore__leave(ctx, status);
}
