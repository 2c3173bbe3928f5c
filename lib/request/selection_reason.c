/* SPDX-License-Identifier: Apache-2.0 */
/* Why a pick was made, in comparisons rather than numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "request/selection_internal.h"
#include "text/words.h"

/* A word counts as rare when the model gave it less than one chance in 10,000. */
#define RARE_LOGPROB (-9.210340371976184)
enum { RARE_WORDS = 3 };

typedef struct writer {
    const alcore_selection *selection;
    alcore_ctx *ctx;
    alcore__buffer line;
    const alcore__column
        *logprobs; /* one value per word and one for the end; NULL: no such column */
    alcore__scratch scratch;
} writer;

/* at_least of count as a share in whole per cent, rounded up: "top 2 %". */
static int64_t top_percent(int64_t at_least, int64_t count) {
    return (100 * at_least + count - 1) / count;
}

static alcore_status separate(writer *self) {
    if (self->line.length == 0) return ALCORE_OK;
    return alcore__buffer_append(self->ctx, &self->line, "; ", 2);
}

static alcore_status put_stratum(writer *self, int64_t rank, int64_t position) {
    const alcore__terms *terms = &self->selection->terms;
    const int64_t *stratum = alcore__outcome_integers(&self->selection->outcome, "stratum");
    int64_t count = self->selection->outcome.count;
    if (terms->d_at_least == NULL) return ALCORE_OK;
    ALCORE__TRY(separate(self));
    if (stratum == NULL || stratum[position] < 0 || terms->strata < 2)
        return alcore__buffer_format(self->ctx, &self->line, "diversity top %" PRId64 " %%",
                                     top_percent(terms->d_at_least[rank], count));
    int64_t size = terms->stratum_sizes[stratum[position]];
    char number[32];
    return alcore__buffer_format(
        self->ctx, &self->line,
        "stratum %" PRId64 " of %" PRId64 " (%s %s), diversity top %" PRId64 " %% of it",
        stratum[position] + 1, terms->strata, alcore__thousands(size, number),
        size == 1 ? "row" : "rows", top_percent(terms->d_at_least[rank], size));
}

static alcore_status put_decision(writer *self, int64_t rank, int64_t position) {
    const alcore__terms *terms = &self->selection->terms;
    if (!terms->hybrid) return ALCORE_OK;
    double u = terms->u_share[rank], d = terms->d_share[rank];
    ALCORE__TRY(alcore__buffer_format(self->ctx, &self->line, "; chosen by %s",
                                      u > d   ? "uncertainty"
                                      : d > u ? "diversity"
                                              : "both terms alike"));
    bool nnll = terms->nnll_picks[position], diversity = terms->diversity_picks[position];
    if (!nnll && !diversity) return ALCORE_OK;
    return alcore__buffer_format(self->ctx, &self->line, "; also %s pick",
                                 nnll && diversity ? "nnll's and diversity's"
                                 : nnll            ? "nnll's"
                                                   : "diversity's");
}

static alcore_status put_score(writer *self, int64_t rank) {
    const alcore_selection *selection = self->selection;
    if (selection->reason != NULL)
        return alcore__buffer_append(self->ctx, &self->line, selection->reason,
                                     strlen(selection->reason));
    return alcore__buffer_format(
        self->ctx, &self->line, "%s top %" PRId64 " %%", selection->measure,
        top_percent(selection->terms.score_at_least[rank], selection->outcome.count));
}

/* ---- rare words ---- */

typedef struct rare_word {
    const char *text;
    size_t length;
    double logprob;
} rare_word;

static bool is_mark(char c) {
    return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') ||
           (c > 'z' && c < 127);
}

/* The word without the ASCII punctuation around it. */
static void trim(rare_word *word) {
    while (word->length > 0 && is_mark(word->text[0])) word->text++, word->length--;
    while (word->length > 0 && is_mark(word->text[word->length - 1])) word->length--;
}

/* Keeps the least likely words, each once, the least likely first. */
static void keep_rare(rare_word *rare, int32_t *count, rare_word word) {
    for (int32_t i = 0; i < *count; i++) {
        if (rare[i].length != word.length || memcmp(rare[i].text, word.text, word.length) != 0)
            continue;
        if (word.logprob >= rare[i].logprob) return;
        memmove(&rare[i], &rare[i + 1], (size_t)(*count - i - 1) * sizeof *rare);
        (*count)--;
        break;
    }
    int32_t at = *count;
    while (at > 0 && rare[at - 1].logprob > word.logprob) at--;
    if (at >= RARE_WORDS) return;
    int32_t last = *count < RARE_WORDS ? *count : RARE_WORDS - 1;
    memmove(&rare[at + 1], &rare[at], (size_t)(last - at) * sizeof *rare);
    rare[at] = word;
    *count = last + 1;
}

static alcore_status put_rare_words(writer *self, int64_t row) {
    if (self->logprobs == NULL || !alcore__column_has(self->logprobs, row)) return ALCORE_OK;
    alcore_sys_ragged tokens;
    ALCORE__TRY(self->logprobs->ops->ragged(self->logprobs, row, 1, &self->scratch, &tokens));
    int64_t length = tokens.offsets[1] - tokens.offsets[0];
    /* Only where scores align with words: one for each, and one for the end of the sentence. */
    if (tokens.dtype != ALCORE_FLOAT32 ||
        length != alcore_pool_words(self->selection->pool, row) + 1)
        return ALCORE_OK;
    const float *values = tokens.values;
    size_t bytes;
    const char *at = alcore_pool_text(self->selection->pool, row, &bytes);
    const char *end = at + bytes;
    rare_word rare[RARE_WORDS], word;
    int32_t count = 0;
    for (int64_t i = 0; alcore__word_next(&at, end, &word.text, &word.length); i++) {
        word.logprob = (double)values[i];
        trim(&word);
        if (word.length > 0 && word.logprob < RARE_LOGPROB) keep_rare(rare, &count, word);
    }
    for (int32_t i = 0; i < count; i++) {
        const char *lead = i == 0 ? "; rare words: " : ", ";
        ALCORE__TRY(alcore__buffer_append(self->ctx, &self->line, lead, strlen(lead)));
        ALCORE__TRY(alcore__buffer_append(self->ctx, &self->line, rare[i].text, rare[i].length));
    }
    return ALCORE_OK;
}

static const alcore__column *aligned_logprobs(const alcore_selection *selection) {
    for (int32_t i = 0; i < selection->source_count; i++) {
        const alcore__source *source = &selection->sources[i];
        if (source->role == ALCORE_ROLE_CANDIDATES && strcmp(source->name, "logprobs") == 0 &&
            source->engine != NULL && strncmp(source->origin, "model ngram order", 17) == 0)
            return alcore__pool_find_column(selection->pool, source->name);
    }
    return NULL;
}

static alcore_status put_reason(writer *self, int64_t rank) {
    const alcore_selection *selection = self->selection;
    int64_t position = selection->outcome.picks[rank];
    const alcore__terms *terms = &selection->terms;
    self->line.length = 0;
    if (terms->u_at_least != NULL)
        ALCORE__TRY(
            alcore__buffer_format(self->ctx, &self->line, "uncertainty top %" PRId64 " %%",
                                  top_percent(terms->u_at_least[rank], selection->outcome.count)));
    ALCORE__TRY(put_stratum(self, rank, position));
    if (self->line.length == 0) ALCORE__TRY(put_score(self, rank));
    ALCORE__TRY(put_decision(self, rank, position));
    return put_rare_words(self, selection->outcome.rows[position]);
}

alcore_status alcore__selection_reasons(alcore_selection *selection) {
    alcore_ctx *ctx = selection->object.ctx;
    writer self = {.selection = selection, .ctx = ctx, .logprobs = aligned_logprobs(selection)};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)selection->count, sizeof *selection->reasons,
                                  &selection->reasons));
    alcore_status status = ALCORE_OK;
    for (int64_t k = 0; status == ALCORE_OK && k < selection->count; k++) {
        status = alcore__tick(ctx, "reasons", k, selection->count);
        if (status == ALCORE_OK) status = put_reason(&self, k);
        if (status != ALCORE_OK) break;
        char *copy = alcore__arena_alloc(ctx, &selection->texts, self.line.length + 1, 1);
        if (copy == NULL) {
            status = alcore__fail_memory(self.line.length + 1);
            break;
        }
        memcpy(copy, self.line.data, self.line.length);
        copy[self.line.length] = '\0';
        selection->reasons[k] = copy;
    }
    alcore__buffer_clear(ctx, &self.line);
    alcore__scratch_clear(ctx, &self.scratch);
    return status;
}
