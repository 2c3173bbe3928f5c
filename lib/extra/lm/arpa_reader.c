/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a language model from ARPA text (docs/spec/language-model.md, "ARPA files"):
 *
 *   \data\             the header: ngram 1=COUNT, ngram 2=COUNT, ...
 *   \1-grams:          one line per n-gram: log10 probability, words, log10 back-off
 *   \2-grams:  ...     the orders ascend
 *   \end\
 *
 * Files of other tools may be pruned: an n-gram may stand there without the n-grams that it begins
 * or ends with. Scoring relies on those, so they are added to the trie, unlisted, with the
 * probability that backing off gives them anyway and a back-off of 0. One pass over the lines, on
 * the thread that entered the call. */
#include "alcore/extra/lm.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/line_reader.h"
#include "text/lm_internal.h"
#include "text/words.h"

/* In place of the log10 probability of an unlisted n-gram, until back_off_unlisted() computes it.
 * Like ALCORE__LM_ABSENT (1.0, the mark of an entry without an n-gram) it is above 0, which no
 * logarithm of a probability is: a value of at most 0 says that the n-gram was read. */
#define UNLISTED 2.0

/* The state of one reading. */
typedef struct reader {
    alcore_ctx *ctx;
    alcore__line_reader lines; /* the file, with the number of the present line */
    const char *line;          /* the present line, without white space at its end; valid until the
                                  next one is read; NULL at the end of the file */
    size_t line_length;        /* bytes */
    alcore__lm_trie *trie;     /* being filled; a reference, dropped at the end */
    alcore_lm *lm;             /* being filled */
    size_t logp_capacity[ALCORE__LM_ORDERS + 1];    /* [n] entries of lm->logp[n] */
    size_t backoff_capacity[ALCORE__LM_ORDERS + 1]; /* [n] entries of lm->backoff[n] */
    int64_t promised[ALCORE__LM_ORDERS + 1];        /* [n] n-grams of order n by the header */
} reader;

/* ALCORE_E_DATA with the path, the number of the present line and what is wrong. */
static alcore_status bad_line(const reader *r, const char *what) {
    return alcore__lines_fail(&r->lines, "%s", what);
}

/* Reads the next line into r->line and r->line_length; r->line is NULL at the end of the file. */
static alcore_status next_line(reader *r) {
    char *line = NULL;
    size_t length = 0;
    bool more = true;
    ALCORE__TRY(alcore__lines_next(&r->lines, &line, &length));
    while (!line && more) {
        ALCORE__TRY(alcore__lines_fill(&r->lines, &more));
        if (more) ALCORE__TRY(alcore__lines_next(&r->lines, &line, &length));
    }
    while (length > 0 && alcore__is_word_space(line[length - 1])) length--;
    r->line = line;
    r->line_length = length;
    return ALCORE_OK;
}

/* The next line that is not blank; the end of the file is an error. */
static alcore_status next_filled_line(reader *r) {
    do {
        ALCORE__TRY(next_line(r));
        if (!r->line) return bad_line(r, "the file ends before \\end\\");
    } while (r->line_length == 0);
    return ALCORE_OK;
}

static bool line_is(const reader *r, const char *text) {
    return r->line_length == strlen(text) && memcmp(r->line, text, r->line_length) == 0;
}

/* Reads an integer of 1 to 18 digits at *next, which moves behind it; false when there is no
 * digit. */
static bool read_count(const char **next, const char *end, int64_t *out) {
    const char *begin = *next;
    int64_t value = 0;
    while (*next < end && **next >= '0' && **next <= '9' && *next - begin < 18)
        value = value * 10 + (*(*next)++ - '0');
    *out = value;
    return *next > begin;
}

static void skip_blanks(const char **next, const char *end) {
    while (*next < end && (**next == ' ' || **next == '\t')) (*next)++;
}

/* Reads a header line such as `ngram 2=239103` or IRSTLM's `ngram  2=    239103`, whose order must
 * be *orders + 1, and counts it in *orders. */
static alcore_status read_promise(reader *r, int32_t *orders) {
    static const char word[] = "ngram";
    const size_t bytes = strlen(word);
    const char *next = r->line + bytes, *end = r->line + r->line_length;
    int64_t order = 0, count = 0;
    if (r->line_length <= bytes || memcmp(r->line, word, bytes) != 0 ||
        !alcore__is_word_space(*next))
        return bad_line(r, "expected `ngram N=COUNT` or `\\1-grams:`");
    skip_blanks(&next, end);
    const bool has_order = read_count(&next, end, &order);
    skip_blanks(&next, end);
    if (!has_order || next == end || *next++ != '=') return bad_line(r, "expected `ngram N=COUNT`");
    skip_blanks(&next, end);
    if (!read_count(&next, end, &count) || next != end)
        return bad_line(r, "expected `ngram N=COUNT`");
    if (order != *orders + 1) return bad_line(r, "the orders do not rise from 1 by 1");
    if (order > ALCORE__LM_ORDERS)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s:%lld: order %lld is above %d", r->lines.path,
                            (long long)r->lines.line, (long long)order, ALCORE__LM_ORDERS);
    *orders = (int32_t)order;
    r->promised[order] = count;
    return ALCORE_OK;
}

/* Fails when the first line that is not blank is that of another format of IRSTLM, in which \data\
 * and n-grams follow too, but their numbers mean something else. */
static alcore_status check_format(const reader *r) {
    static const char *const others[] = {"iARPA", "qARPA", "blmt", "Qblmt"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t bytes = strlen(others[i]);
        if (r->line_length < bytes || memcmp(r->line, others[i], bytes) != 0) continue;
        if (r->line_length > bytes && !alcore__is_word_space(r->line[bytes])) continue;
        return bad_line(
            r, "a file in a format of IRSTLM that is not ARPA: its compile-lm writes ARPA text");
    }
    return ALCORE_OK;
}

/* Reads up to the title of the first section, which is the present line then. Lines before \data\
 * are comments. *orders: the order of the model. */
static alcore_status read_header(reader *r, int32_t *orders) {
    bool first = true; /* no line that is not blank so far */
    *orders = 0;
    do {
        ALCORE__TRY(next_line(r));
        if (!r->line)
            return alcore__fail(ALCORE_E_DATA, "%s: not ARPA text: there is no \\data\\ line",
                                r->lines.path);
        if (first && r->line_length > 0) ALCORE__TRY(check_format(r));
        first = first && r->line_length == 0;
    } while (!line_is(r, "\\data\\"));
    ALCORE__TRY(next_filled_line(r));
    while (r->line[0] != '\\') {
        ALCORE__TRY(read_promise(r, orders));
        ALCORE__TRY(next_filled_line(r));
    }
    return *orders > 0 ? ALCORE_OK : bad_line(r, "there is no `ngram 1=COUNT` line");
}

/* Gets memory in logp and backoff for n-gram `number` of an order; new entries are
 * ALCORE__LM_ABSENT and 0. The highest order has no back-offs. */
static alcore_status reserve_values(reader *r, int32_t order, size_t number) {
    alcore_lm *lm = r->lm;
    const size_t before = r->logp_capacity[order];
    ALCORE__TRY(alcore__grow(r->ctx, &lm->logp[order], &r->logp_capacity[order], number + 1,
                             sizeof(double)));
    for (size_t i = before; i < r->logp_capacity[order]; i++)
        lm->logp[order][i] = ALCORE__LM_ABSENT;
    if (order == lm->order) return ALCORE_OK;
    const size_t backoff_before = r->backoff_capacity[order];
    ALCORE__TRY(alcore__grow(r->ctx, &lm->backoff[order], &r->backoff_capacity[order], number + 1,
                             sizeof(double)));
    for (size_t i = backoff_before; i < r->backoff_capacity[order]; i++)
        lm->backoff[order][i] = 0.0;
    return ALCORE_OK;
}

/* *out: the number of the n-gram words [order]; if it is new it is added as unlisted, before it its
 * context (the words but the last) and its suffix (the words but the first). The number of a
 * unigram is that of its word. Calls itself at most order - 1 levels deep. */
static alcore_status ensure(reader *r, int32_t order, const uint32_t *words, uint32_t *out) {
    if (order == 1) {
        *out = words[0];
        return ALCORE_OK;
    }
    uint32_t context = 0, suffix = 0;
    ALCORE__TRY(ensure(r, order - 1, words, &context));
    alcore__ngram_table *table = &r->trie->table[order];
    const uint32_t word = words[order - 1];
    *out = alcore__ngram_find(table, context, word);
    if (*out != ALCORE__NGRAM_NONE) return ALCORE_OK;
    ALCORE__TRY(ensure(r, order - 1, words + 1, &suffix));
    ALCORE__TRY(alcore__ngram_reserve(r->ctx, table, 1));
    ALCORE__TRY(reserve_values(r, order, table->count));
    const uint32_t tag = alcore__ngram_tag(context, word);
    const size_t slot =
        alcore__ngram_probe(table, alcore__ngram_home(table, tag), tag, context, word);
    *out = alcore__ngram_put(table, slot, tag, context, word, suffix);
    r->lm->logp[order][*out] = UNLISTED;
    return ALCORE_OK;
}

/* Makes <UNK>, as SRILM's users and IRSTLM write the unknown word, <unk>: as in KenLM the two are
 * one word, of which a file has one. */
static const char *unknown_as_here(const char *word, size_t length) {
    return length == 5 && memcmp(word, "<UNK>", 5) == 0 ? "<unk>" : word;
}

/* *out: the number of a word of an n-gram. The unigrams come first and are the vocabulary; a later
 * word that is none of them is an error. So is <unk>, <s> or </s>, which every vocabulary has, in a
 * file without a unigram for it. */
static alcore_status read_word(reader *r, int32_t order, const char *word, size_t length,
                               uint32_t *out) {
    word = unknown_as_here(word, length);
    if (order == 1) {
        ALCORE__TRY(alcore__vocabulary_add(r->ctx, &r->trie->words, word, length, out));
        return reserve_values(r, 1, r->trie->words.count - 1);
    }
    *out = alcore__vocabulary_find(&r->trie->words, word, length);
    if (*out != ALCORE__WORD_NONE && r->lm->logp[1][*out] <= 0.0) return ALCORE_OK;
    return alcore__lines_fail(&r->lines, "'%.*s' is no unigram of the file",
                              (int)(length > 100 ? 100 : length), word);
}

/* Reads the present line as an n-gram of an order: `-1.0334 TAB word word [TAB -0.30103]`. A
 * logarithm of up to 1e-6 is rounding and counts as 0; a back-off of the highest order is read and
 * dropped. */
static alcore_status read_ngram(reader *r, int32_t order) {
    const char *next = r->line, *end = r->line + r->line_length, *field;
    size_t length;
    double logp = 0.0, backoff = 0.0;
    uint32_t words[ALCORE__LM_ORDERS] = {0}, number = 0;
    if (!alcore__word_next(&next, end, &field, &length) ||
        !alcore__parse_double(field, length, &logp) || isnan(logp))
        return bad_line(r, "the log10 probability is no number");
    for (int32_t i = 0; i < order; i++) {
        if (!alcore__word_next(&next, end, &field, &length))
            return bad_line(r, "there are too few words");
        ALCORE__TRY(read_word(r, order, field, length, &words[i]));
    }
    if (alcore__word_next(&next, end, &field, &length) &&
        (!alcore__parse_double(field, length, &backoff) || isnan(backoff) || backoff == HUGE_VAL))
        return bad_line(r, "the log10 back-off is no number");
    if (alcore__word_next(&next, end, &field, &length))
        return bad_line(r, "there are too many words");
    if (order == 1 && words[0] == ALCORE__LM_BEGIN) logp = 0.0; /* never predicted */
    if (logp > 1e-6) return bad_line(r, "the log10 probability is above 0");
    ALCORE__TRY(ensure(r, order, words, &number));
    double *const stored = &r->lm->logp[order][number];
    if (*stored <= 0.0)
        return bad_line(r, order == 1 && words[0] == ALCORE__LM_UNK
                               ? "the unknown word was given before, as <unk> or <UNK>"
                               : "this n-gram was given before");
    *stored = fmin(logp, 0.0);
    if (order < r->lm->order) r->lm->backoff[order][number] = backoff;
    r->lm->ngrams[order]++;
    return ALCORE_OK;
}

/* Reads the section of an order, whose title is the present line, up to the next line that begins
 * with a backslash. Its n-grams must be as many as the header says. */
static alcore_status read_section(reader *r, int32_t order) {
    char title[] = "\\1-grams:";
    title[1] = (char)('0' + order);
    if (!line_is(r, title)) return alcore__lines_fail(&r->lines, "expected %s", title);
    for (;;) {
        ALCORE__TRY(next_filled_line(r));
        if (r->line[0] == '\\') break;
        ALCORE__TRY(read_ngram(r, order));
    }
    if (r->lm->ngrams[order] != r->promised[order])
        return alcore__lines_fail(
            &r->lines, "there are %lld n-grams of order %d, the header says %lld",
            (long long)r->lm->ngrams[order], (int)order, (long long)r->promised[order]);
    /* Later orders may add n-grams of this one: their numbers follow, and they are unlisted. */
    r->lm->listed[order] = alcore__lm_size(r->lm, order);
    return ALCORE_OK;
}

/* Sets the unlisted n-grams h w, whose numbers follow those of the listed ones, to log10 p(w | h) =
 * backoff(h) + log10 p(w | h'), h' being h without its first word; lower orders first, since h' w
 * may be unlisted itself. */
static void back_off_unlisted(alcore_lm *lm) {
    for (int32_t n = 2; n <= lm->order; n++) {
        for (uint32_t i = lm->listed[n]; i < lm->trie->table[n].count; i++) {
            const alcore__ngram *ngram = &lm->trie->table[n].ngram[i];
            lm->logp[n][i] =
                fmin(lm->backoff[n - 1][ngram->context] + lm->logp[n - 1][ngram->suffix], 0.0);
        }
    }
}

/* Fails without a unigram of <s> or </s>, without which no sentence has a probability. A file
 * without one of <unk> gets log10 probability -100 for it, as in KenLM, and a warning
 * (docs/spec/language-model.md). */
static alcore_status check_marks(reader *r) {
    double *logp = r->lm->logp[1];
    if (logp[ALCORE__LM_BEGIN] > 0.0 || logp[ALCORE__LM_END] > 0.0)
        return alcore__fail(ALCORE_E_DATA, "%s has no unigram %s: it is no model of sentences",
                            r->lines.path, logp[ALCORE__LM_BEGIN] > 0.0 ? "<s>" : "</s>");
    if (logp[ALCORE__LM_UNK] <= 0.0) return ALCORE_OK;
    alcore__log(r->ctx, ALCORE_LOG_WARN, "formats", NULL,
                "%s has no unigram <unk> or <UNK>: a word that it lacks gets the log10 probability "
                "-100, as in KenLM",
                r->lines.path);
    logp[ALCORE__LM_UNK] = -100.0;
    r->lm->ngrams[1]++;
    return ALCORE_OK;
}

/* Header, sections, \end\ and the unlisted n-grams. A new vocabulary has <unk>, <s> and </s>
 * already, hence the memory for their values before the first section. r->trie and r->lm are
 * released by the caller, also after a failure. */
static alcore_status read_model(reader *r) {
    int32_t orders = 0;
    ALCORE__TRY(read_header(r, &orders));
    ALCORE__TRY(alcore__lm_trie_new(r->ctx, orders, &r->trie));
    ALCORE__TRY(alcore__lm_new(r->trie, &r->lm));
    ALCORE__TRY(reserve_values(r, 1, r->trie->words.count - 1));
    for (int32_t n = 1; n <= orders; n++) ALCORE__TRY(read_section(r, n));
    if (!line_is(r, "\\end\\")) return bad_line(r, "expected \\end\\");
    ALCORE__TRY(check_marks(r));
    back_off_unlisted(r->lm);
    return alcore__lm_finish(r->lm, true /* the reader makes one model */);
}

/* Reads a model from a file; the model keeps the trie, so the reader's reference is dropped. */
alcore_status alcore_lm_open_arpa(alcore_ctx *ctx, const char *path, alcore_lm **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !path || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx, path or out is NULL"));
    reader r = {.ctx = ctx};
    alcore_status status = alcore__lines_open(&r.lines, ctx, path, 0);
    if (status == ALCORE_OK) status = read_model(&r);
    alcore__lines_close(&r.lines);
    alcore__object_unref(r.trie);
    if (status == ALCORE_OK)
        *out = r.lm;
    else
        alcore_lm_unref(r.lm);
    return alcore__leave(ctx, status);
}
