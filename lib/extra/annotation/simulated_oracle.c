/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated translator (spec 5.10), for experiments on a pool whose translations are known.
 *
 * A sentence is translated by its reference. For a phrase the unmasked rows of the pool are read in
 * order; at each occurrence the target words from the first to the last one that is linked to the
 * phrase are extracted,
 *
 *     consistent   no word of them is linked to a source word outside the phrase: it is counted
 *     loose        some word is; the first extract of a phrase is kept
 *     (no link)    nothing is extracted
 *
 * and the most frequent consistent extract is the translation: in a tie the one with fewer words,
 * then the one that came first. Without a consistent one it is the first extract, flagged loose;
 * without any the phrase is untranslatable.
 *
 * Cost: the alignment of the rows with their references, and of labeled pairs beside them, unless
 * links are given, and one pass over the pool. Memory: the different consistent extracts. */
#include "extra/aligner/links_handle.h"
#include "extra/annotation/annotation_list.h"
#include "extra/annotation/link_ranges.h"
#include "extra/annotation/pair_links.h"
#include "extra/annotation/phrase_finder.h"

enum { POLL_ROWS = 1024 }; /* rows between two polls of cancellation */

/* A consistent extract of a phrase: extracts are numbered in order of their first occurrence. */
typedef struct extract {
    uint32_t phrase;  /* number in the finder */
    int64_t words;    /* of the extract */
    int64_t count;    /* occurrences of the phrase with this extract */
    const char *text; /* among the annotations' strings, as are those of an answer */
    size_t length;    /* bytes */
} extract;

/* The state of one call; simulate() frees the arrays. */
typedef struct simulation {
    alcore_annotations *annotations;
    alcore_ctx *ctx;
    uint8_t *is_pair;         /* [rows] 1: phrases are looked for in the row */
    const alcore__link *link; /* of the row that is being read: [link_count] */
    int64_t link_count;
    alcore__phrase_finder finder;
    uint32_t *phrase_of_item; /* [items] number in the finder; ALCORE__WORD_NONE for others */
    alcore__word_row source, target; /* words of the row that is being read and of its reference */
    alcore__link_ranges ranges;      /* made at the first hit of a row, as most rows have none */
    bool linked;                     /* ranges are those of the row that is being read */
    alcore__vocabulary extracts;  /* 4 bytes with the phrase's number, then the extract's words */
    extract *extract;             /* [extracts.count] */
    size_t extract_capacity;      /* entries that there is memory for */
    alcore__given_answer *loose;  /* [phrases] the first extract; OPEN where there is none */
    alcore__given_answer *answer; /* [items] */
    alcore__buffer key;           /* workspace */
} simulation;

/* ---- extracting ---- */

/* Counts a consistent extract of a phrase; a new one is copied to the annotations' strings. text
 * [length]: the `words` words of the extract with single spaces between them, so that the same
 * words are one extract whatever the reference has between them. */
static alcore_status count_extract(simulation *self, uint32_t phrase, const char *text,
                                   size_t length, int64_t words) {
    uint32_t number;
    self->key.length = 0;
    ALCORE__TRY(alcore__buffer_append(self->ctx, &self->key, &phrase, sizeof phrase));
    ALCORE__TRY(alcore__buffer_append(self->ctx, &self->key, text, length));
    const uint32_t known = self->extracts.count;
    ALCORE__TRY(alcore__grow(self->ctx, &self->extract, &self->extract_capacity, (size_t)known + 1,
                             sizeof *self->extract));
    ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->extracts, self->key.data, self->key.length,
                                       &number));
    if (number == known) {
        const char *kept = alcore__annotations_keep(self->annotations, text, length);
        if (!kept) return alcore__fail_memory(length);
        self->extract[number] = (extract){phrase, words, 0, kept, length};
    }
    self->extract[number].count++;
    return ALCORE_OK;
}

/* alcore__phrase_sink: extracts the translation of one occurrence. */
static alcore_status extract_hit(void *user, const alcore__phrase_hit *hit) {
    simulation *self = user;
    bool consistent;
    if (!self->linked)
        ALCORE__TRY(alcore__link_ranges_read(self->ctx, &self->ranges, self->link, self->link_count,
                                             self->source.count, self->target.count));
    self->linked = true;
    const alcore__word_range span =
        alcore__link_ranges_span(&self->ranges, hit->word, hit->words, &consistent);
    if (span.low > span.high) return ALCORE_OK;
    size_t length;
    const char *text =
        alcore__word_row_span(&self->target, span.low, span.high - span.low + 1, &length);
    if (consistent) return count_extract(self, hit->phrase, text, length, span.high - span.low + 1);
    alcore__given_answer *loose = &self->loose[hit->phrase];
    if (loose->answer != ALCORE__ANSWER_OPEN) return ALCORE_OK;
    const char *kept = alcore__annotations_keep(self->annotations, text, length);
    if (!kept) return alcore__fail_memory(length);
    *loose = (alcore__given_answer){ALCORE__ANSWER_LOOSE, kept, length};
    return ALCORE_OK;
}

/* Extracts translations from all rows in which phrases are looked for. */
static alcore_status extract_rows(simulation *self, const alcore__links *links) {
    const alcore_pool *pool = self->annotations->pool;
    const int64_t rows = alcore_pool_row_count(pool);
    for (int64_t row = 0; row < rows; row++) {
        if (row % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(self->ctx, "phrases in references", row, rows));
        if (!self->is_pair[row]) continue;
        size_t length, reference_length;
        const char *text = alcore_pool_text(pool, row, &length);
        ALCORE__TRY(alcore__word_row_read(self->ctx, &self->source, text, length));
        const char *reference = alcore_pool_reference(pool, row, &reference_length);
        ALCORE__TRY(alcore__word_row_read(self->ctx, &self->target, reference, reference_length));
        self->link = links->link + links->begin[row];
        self->link_count = links->begin[row + 1] - links->begin[row];
        self->linked = false;
        const alcore_status status =
            alcore__phrase_finder_scan(&self->finder, &self->source, extract_hit, self);
        if (status == ALCORE_E_DATA) {
            alcore__fail_within(status, "row %lld", (long long)row);
            return alcore__links_fail_range(links, row, status, text, length, reference,
                                            reference_length);
        }
        if (status != ALCORE_OK) return status;
    }
    return ALCORE_OK;
}

/* ---- answers ---- */

/* Numbers the open phrases, and answers the open sentences by their references. row -1 of an item
 * has no reference, so such a sentence is untranslatable. */
static alcore_status begin(simulation *self) {
    const alcore_annotations *annotations = self->annotations;
    const size_t count = (size_t)annotations->count;
    ALCORE__TRY(
        alcore__new_array(self->ctx, count, sizeof *self->phrase_of_item, &self->phrase_of_item));
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof *self->answer, &self->answer));
    for (size_t i = 0; i < count; i++) {
        const alcore__annotation *item = &annotations->items[i];
        size_t length;
        self->phrase_of_item[i] = ALCORE__WORD_NONE;
        if (item->answer != ALCORE__ANSWER_OPEN) continue;
        if (item->phrase) {
            ALCORE__TRY(alcore__phrase_finder_add(self->ctx, &self->finder, &self->source,
                                                  item->text, item->text_length,
                                                  &self->phrase_of_item[i]));
            continue;
        }
        const char *reference = alcore_pool_reference(annotations->pool, item->row, &length);
        self->answer[i].answer = ALCORE__ANSWER_UNTRANSLATABLE;
        if (!reference || alcore__count_words(reference, length) == 0) continue;
        const char *kept = alcore__annotations_keep(self->annotations, reference, length);
        if (!kept) return alcore__fail_memory(length);
        self->answer[i] = (alcore__given_answer){ALCORE__ANSWER_OK, kept, length};
    }
    return alcore__new_array(self->ctx, self->finder.phrases.count, sizeof *self->loose,
                             &self->loose);
}

/* Whether extract a is the better translation; b came first. */
static bool better(const extract *a, const extract *b) {
    return a->count != b->count ? a->count > b->count : a->words < b->words;
}

/* Chooses the translation of every phrase: loose [phrases] becomes the answers of the phrases, from
 * which those of the items are copied. */
static alcore_status choose(simulation *self) {
    const uint32_t phrases = self->finder.phrases.count;
    uint32_t *best; /* [phrases] 1 + the best extract so far; 0: none */
    ALCORE__TRY(alcore__new_array(self->ctx, phrases, sizeof *best, &best));
    for (uint32_t e = 0; e < self->extracts.count; e++) {
        uint32_t *chosen = &best[self->extract[e].phrase];
        if (*chosen == 0 || better(&self->extract[e], &self->extract[*chosen - 1])) *chosen = e + 1;
    }
    for (uint32_t p = 0; p < phrases; p++) {
        if (best[p] > 0) {
            const extract *chosen = &self->extract[best[p] - 1];
            self->loose[p] =
                (alcore__given_answer){ALCORE__ANSWER_OK, chosen->text, chosen->length};
        } else if (self->loose[p].answer == ALCORE__ANSWER_OPEN) {
            self->loose[p].answer = ALCORE__ANSWER_UNTRANSLATABLE;
        }
    }
    alcore__free(self->ctx, best);
    for (int64_t i = 0; i < self->annotations->count; i++)
        if (self->phrase_of_item[i] != ALCORE__WORD_NONE)
            self->answer[i] = self->loose[self->phrase_of_item[i]];
    return ALCORE_OK;
}

/* Marks the pairs of a pool in a new array [rows]; *out_count: how many they are. */
static alcore_status mark_pairs(alcore_ctx *ctx, const alcore_pool *pool, uint32_t allowed,
                                uint8_t **out, int64_t *out_count) {
    const int64_t rows = alcore_pool_row_count(pool);
    *out_count = 0;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof **out, out));
    for (int64_t row = 0; row < rows; row++) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(ctx, "pairs", row, rows));
        *out_count += (*out)[row] = alcore__is_pair(pool, row, allowed);
    }
    return ALCORE_OK;
}

/* Aligns the rows with their references, together with the pairs of labeled (NULL: none). */
static alcore_status align(const simulation *self, const alcore_pool *labeled, alcore__links *out) {
    const alcore__pool_pairs pairs = {self->annotations->pool, self->is_pair};
    uint8_t *beside = NULL; /* [rows of labeled] 1: the row is a pair */
    int64_t count = 0;
    alcore_status status = ALCORE_OK;
    if (labeled) status = mark_pairs(self->ctx, labeled, ALCORE_ROW_LABELED, &beside, &count);
    if (status == ALCORE_OK && labeled && count == 0)
        status = alcore__fail(ALCORE_E_MISSING, "the labeled pool has no pair: a row with a text "
                                                "and a reference that is not masked");
    if (status == ALCORE_OK)
        status = alcore__pairs_align(self->ctx, pairs, (alcore__pool_pairs){labeled, beside}, out);
    alcore__free(self->ctx, beside);
    return status;
}

/* Aligns, unless links are given; then extracts and chooses. Without an open phrase nothing is
 * aligned. */
static alcore_status run(simulation *self, const alcore__links *given, const alcore_pool *labeled) {
    const alcore_pool *pool = self->annotations->pool;
    const int64_t rows = alcore_pool_row_count(pool);
    int64_t pairs;
    ALCORE__TRY(begin(self));
    if (self->finder.phrases.count == 0) return ALCORE_OK;
    if (given && given->pairs != rows)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the links are of %lld pairs, and the pool has %lld rows",
                            (long long)given->pairs, (long long)rows);
    ALCORE__TRY(mark_pairs(self->ctx, pool, 0 /* unmasked only */, &self->is_pair, &pairs));
    alcore__links made = {0};
    alcore_status status = given ? ALCORE_OK : align(self, labeled, &made);
    if (status == ALCORE_OK) status = extract_rows(self, given ? given : &made);
    alcore__links_clear(self->ctx, &made);
    return status == ALCORE_OK ? choose(self) : status;
}

/* Whether any row has a reference: a pool without one cannot answer. */
static bool has_references(const alcore_pool *pool) {
    const int64_t rows = alcore_pool_row_count(pool);
    for (int64_t row = 0; row < rows; row++)
        if (alcore_pool_reference(pool, row, NULL)) return true;
    return false;
}

/* The annotations are locked for writing, both pools for reading. */
static alcore_status simulate(alcore_annotations *annotations, const alcore__links *links,
                              const alcore_pool *labeled) {
    simulation self = {.annotations = annotations, .ctx = annotations->object.ctx};
    if (!has_references(annotations->pool))
        return alcore__fail(ALCORE_E_MISSING, "the pool has no references to translate by");
    const alcore_status status = run(&self, links, labeled);
    if (status == ALCORE_OK) alcore__annotations_commit(annotations, self.answer);
    alcore__phrase_finder_clear(self.ctx, &self.finder);
    alcore__word_row_clear(self.ctx, &self.source);
    alcore__word_row_clear(self.ctx, &self.target);
    alcore__link_ranges_clear(self.ctx, &self.ranges);
    alcore__vocabulary_clear(self.ctx, &self.extracts);
    alcore__buffer_clear(self.ctx, &self.key);
    alcore__free(self.ctx, self.extract);
    alcore__free(self.ctx, self.loose);
    alcore__free(self.ctx, self.answer);
    alcore__free(self.ctx, self.phrase_of_item);
    alcore__free(self.ctx, self.is_pair);
    return status;
}

/* Refuses labeled pairs that could not be used. */
static alcore_status check_labeled(const alcore_annotations *annotations, const alcore_links *links,
                                   const alcore_pool *labeled) {
    if (labeled && links)
        return alcore__fail(ALCORE_E_INVALID,
                            "labeled pairs are aligned beside the pool's, and links are given in "
                            "place of that: one of both is needed");
    if (labeled && ((const alcore__object *)labeled)->ctx != annotations->object.ctx)
        return alcore__fail(ALCORE_E_INVALID, "the labeled pool belongs to another context");
    return ALCORE_OK;
}

/* simulate() with the labeled pool locked for reading too. */
static alcore_status simulate_beside(alcore_annotations *annotations, const alcore__links *links,
                                     const alcore_pool *labeled) {
    if (!labeled) return simulate(annotations, links, NULL);
    ALCORE__TRY(alcore__read_begin(labeled, "labeled pool"));
    const alcore_status status = simulate(annotations, links, labeled);
    alcore__read_end(labeled);
    return status;
}

alcore_status alcore_annotations_simulate(alcore_annotations *annotations,
                                          const alcore_links *links, const alcore_pool *labeled) {
    if (!annotations)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_annotations_simulate: annotations are needed");
    ALCORE__TRY(alcore__enter_long(annotations->object.ctx));
    alcore_status status = check_labeled(annotations, links, labeled);
    if (status == ALCORE_OK) status = alcore__write_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = alcore__read_begin(annotations->pool, "pool");
        if (status == ALCORE_OK) {
            status = simulate_beside(annotations, links ? &links->links : NULL, labeled);
            alcore__read_end(annotations->pool);
        }
        alcore__write_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}
