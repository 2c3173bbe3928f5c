/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs with an annotated phrase: switched (spec 6.3) and contextualized (spec 6.4; Hu and Neubig
 * 2021, section 4.2).
 *
 *   x        a sentence of the pool that contains an annotated phrase and is not annotated itself
 *   (x*, y*) the pair of L' whose source is most similar to x, by the margin ratio
 *   pair     made of (x*, y*) and one of the annotated phrases of x (switch_pair.h)
 *
 * A pass goes through the phrases in order of selection and assigns each the first sentence with it
 * that has none yet. Passes repeat until enough pairs are made, or a pass finds no sentence. The
 * order of the sentences does not depend on the pairs; so BATCH sentences are chosen at a time,
 * their pairs are made on the context's threads, and appended in order until there are enough.
 *
 * Cost: one pass over the pool finds the sentences of every phrase (8 bytes for each sentence and
 * phrase that it contains), one search finds the pairs. */
#include <string.h>

#include "extra/mix/mix_internal.h"

enum {
    POLL_ROWS = 1024, /* rows between two polls of cancellation */
    BATCH = 256       /* sentences whose pairs are made together */
};

/* The annotated phrases that have a translation, each text once, in order of selection. */
typedef struct phrase_list {
    alcore__phrase_finder finder;      /* numbers the phrases */
    alcore__translated_phrase *phrase; /* [count] */
    int64_t *item;                     /* [count] index in the annotations */
    int64_t count;
    int64_t *begin;  /* [count + 1] index in rows of the first sentence of each phrase */
    int64_t *rows;   /* [begin[count]] rows of the pool with each phrase, ascending */
    int64_t *cursor; /* [count] index in rows of the first sentence that may still be unused */
    uint8_t *used;   /* [rows of pool] 1: the sentence was chosen for a phrase, or is annotated */
} phrase_list;

/* The pair of one sentence, made by a worker; buffers are reused from batch to batch. */
typedef struct made_pair {
    int64_t row;                      /* the sentence x: row of the pool; set before the pair */
    bool found;                       /* false: no candidate was allowed */
    uint32_t phrase;                  /* index in phrase_list.phrase */
    int64_t word;                     /* word of the source at which the phrase begins */
    int64_t target_first, target_end; /* target words that were replaced; -1: none */
    double score;                     /* of the language model, as in alcore_mix */
    alcore__buffer source, target;    /* the texts of the pair */
} made_pair;

/* One worker's memory. */
typedef struct worker_memory {
    alcore__switcher switcher;
    alcore__word_row words;            /* of x */
    uint32_t *numbers;                 /* [count] phrases of x: indices in the list, ascending */
    alcore__translated_phrase *phrase; /* [count] the same phrases */
    size_t numbers_capacity, phrase_capacity; /* entries that there is memory for */
    int64_t count;                            /* phrases of x */
} worker_memory;

/* The state of alcore__mix_phrases(), which frees the arrays. */
typedef struct phrase_run {
    alcore__mix_run *run;
    alcore__mix_kind kind;
    phrase_list list;
    int64_t *last_row;      /* [list.count] while sentences are listed: the last row of each phrase,
                             * as a phrase can occur in a row several times; -1: none yet */
    int64_t row;            /* the row being listed */
    bool counting;          /* listing counts sentences; else it enters them */
    int64_t next;           /* the phrase that comes next in the present pass */
    bool found;             /* the present pass found a sentence */
    made_pair *pairs;       /* [BATCH] */
    int64_t pair_count;     /* in the present batch */
    worker_memory *workers; /* [threads] */
} phrase_run;

/* ---- the phrases and their sentences ---- */

/* Fills list->finder, phrase, item and count. A phrase that was selected twice has the item and the
 * translation of its first selection; finder numbers are indices of the list. */
static alcore_status list_phrases(phrase_run *self) {
    const alcore_annotations *annotations = self->run->mix->annotations;
    alcore_ctx *ctx = self->run->ctx;
    phrase_list *list = &self->list;
    const size_t count = (size_t)annotations->count;
    alcore__word_row words = {0};
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *list->phrase, &list->phrase));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *list->item, &list->item));
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        const alcore__annotation *item = &annotations->items[i];
        uint32_t number;
        status = alcore__mix_poll(ctx, (int64_t)i);
        if (status != ALCORE_OK || !item->phrase || !item->translation) continue;
        status = alcore__phrase_finder_add(ctx, &list->finder, &words, item->text,
                                           item->text_length, &number);
        if (status != ALCORE_OK || number < list->count) continue;
        list->phrase[list->count] =
            (alcore__translated_phrase){.text = item->text,
                                        .translation = item->translation,
                                        .text_length = item->text_length,
                                        .translation_length = item->translation_length};
        list->item[list->count++] = (int64_t)i;
    }
    alcore__word_row_clear(ctx, &words);
    return status;
}

/* Makes list.used and marks the annotated sentences in it: x comes from the pool without them. */
static alcore_status mark_annotated(phrase_run *self) {
    const alcore_annotations *annotations = self->run->mix->annotations;
    ALCORE__TRY(alcore__new_array(self->run->ctx,
                                  (size_t)alcore_pool_row_count(self->run->mix->pool),
                                  sizeof *self->list.used, &self->list.used));
    for (int64_t i = 0; i < annotations->count; i++)
        if (!annotations->items[i].phrase && annotations->items[i].row >= 0)
            self->list.used[annotations->items[i].row] = 1;
    return ALCORE_OK;
}

/* alcore__phrase_sink: counts or enters the sentence being listed, once for each phrase. While
 * sentences are entered, begin[p + 1] is where the next one of phrase p goes. */
static alcore_status list_hit(void *user, const alcore__phrase_hit *hit) {
    phrase_run *self = user;
    if (self->last_row[hit->phrase] == self->row) return ALCORE_OK;
    self->last_row[hit->phrase] = self->row;
    if (self->counting)
        self->list.begin[hit->phrase + 2]++;
    else
        self->list.rows[self->list.begin[hit->phrase + 1]++] = self->row;
    return ALCORE_OK;
}

/* Passes the occurrences of all phrases in the sentences that may be x to list_hit(). */
static alcore_status scan_sentences(phrase_run *self, alcore__word_row *words) {
    const alcore_pool *pool = self->run->mix->pool;
    const int64_t rows = alcore_pool_row_count(pool);
    for (int64_t p = 0; p < self->list.count; p++) self->last_row[p] = -1;
    for (self->row = 0; self->row < rows; self->row++) {
        size_t length;
        if (self->row % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(self->run->ctx, "sentences of phrases", self->row, rows));
        if (!self->run->in_pool[self->row] || self->list.used[self->row]) continue;
        const char *text = alcore_pool_text(pool, self->row, &length);
        ALCORE__TRY(alcore__word_row_read(self->run->ctx, words, text, length));
        ALCORE__TRY(alcore__phrase_finder_scan(&self->list.finder, words, list_hit, self));
    }
    return ALCORE_OK;
}

/* Lists the sentences of every phrase: one reading counts them, a second one enters them. begin has
 * one entry more than it needs, so that it can count two entries ahead and be filled one ahead. */
static alcore_status list_sentences(phrase_run *self) {
    alcore_ctx *ctx = self->run->ctx;
    phrase_list *list = &self->list;
    const size_t count = (size_t)list->count;
    alcore__word_row words = {0};
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->last_row, &self->last_row));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *list->cursor, &list->cursor));
    ALCORE__TRY(alcore__new_array(ctx, count + 2, sizeof *list->begin, &list->begin));
    self->counting = true;
    alcore_status status = scan_sentences(self, &words);
    for (size_t p = 2; p < count + 2; p++) list->begin[p] += list->begin[p - 1];
    if (status == ALCORE_OK)
        status =
            alcore__new_array(ctx, (size_t)list->begin[count + 1], sizeof *list->rows, &list->rows);
    self->counting = false;
    if (status == ALCORE_OK) status = scan_sentences(self, &words);
    for (size_t p = 0; p < count; p++) list->cursor[p] = list->begin[p];
    alcore__word_row_clear(ctx, &words);
    return status;
}

/* The row of the pool that is the next sentence in the order of the passes, and marked as used; -1
 * when a whole pass found none, or there is no phrase. A cursor skips sentences that another phrase
 * has used. */
static int64_t take_sentence(phrase_run *self) {
    phrase_list *list = &self->list;
    if (list->count == 0) return -1;
    for (;;) {
        if (self->next == list->count) {
            if (!self->found) return -1;
            self->next = 0;
            self->found = false;
        }
        const int64_t p = self->next++;
        while (list->cursor[p] < list->begin[p + 1] && list->used[list->rows[list->cursor[p]]])
            list->cursor[p]++;
        if (list->cursor[p] == list->begin[p + 1]) continue;
        const int64_t row = list->rows[list->cursor[p]++];
        list->used[row] = 1;
        self->found = true;
        return row;
    }
}

/* ---- the pair of a sentence ---- */

/* The user pointer of collect_hit(). */
typedef struct collecting {
    alcore_ctx *ctx;
    worker_memory *memory;
} collecting;

/* alcore__phrase_sink: enters a phrase of x once, by rising number, which is the order of
 * selection. */
static alcore_status collect_hit(void *user, const alcore__phrase_hit *hit) {
    const collecting *self = user;
    worker_memory *memory = self->memory;
    int64_t at = memory->count;
    while (at > 0 && memory->numbers[at - 1] > hit->phrase) at--;
    if (at > 0 && memory->numbers[at - 1] == hit->phrase) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(self->ctx, &memory->numbers, &memory->numbers_capacity,
                             (size_t)memory->count + 1, sizeof *memory->numbers));
    for (int64_t i = memory->count; i > at; i--) memory->numbers[i] = memory->numbers[i - 1];
    memory->numbers[at] = hit->phrase;
    memory->count++;
    return ALCORE_OK;
}

/* Finds the annotated phrases of x, row `row` of the pool; there is at least the one for which it
 * was chosen. */
static alcore_status collect_phrases(const phrase_run *self, worker_memory *memory, int64_t row) {
    alcore_ctx *ctx = self->run->ctx;
    collecting user = {ctx, memory};
    size_t length;
    const char *text = alcore_pool_text(self->run->mix->pool, row, &length);
    memory->count = 0;
    ALCORE__TRY(alcore__word_row_read(ctx, &memory->words, text, length));
    ALCORE__TRY(alcore__phrase_finder_scan(&self->list.finder, &memory->words, collect_hit, &user));
    ALCORE__TRY(alcore__grow(ctx, &memory->phrase, &memory->phrase_capacity, (size_t)memory->count,
                             sizeof *memory->phrase));
    for (int64_t i = 0; i < memory->count; i++)
        memory->phrase[i] = self->list.phrase[memory->numbers[i]];
    return ALCORE_OK;
}

/* Makes a switched pair of the pair that is open in the switcher and the best of the phrases, if a
 * candidate is allowed. */
static alcore_status make_switched(const phrase_run *self, worker_memory *memory, made_pair *out) {
    const alcore__span span = self->run->mix->settings.span;
    alcore__switch_candidate best;
    alcore__switch_best(&memory->switcher, memory->phrase, memory->count, span, &out->found, &best);
    if (!out->found) return ALCORE_OK;
    out->phrase = memory->numbers[best.phrase];
    out->word = best.word;
    out->score = best.log10;
    out->target_first = best.low;
    return alcore__switch_write(&memory->switcher, &memory->phrase[best.phrase], &best, span,
                                &out->source, &out->target, &out->target_end);
}

/* Appends text behind a space. */
static alcore_status append_behind(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                   size_t length) {
    ALCORE__TRY(alcore__buffer_append(ctx, out, " ", 1));
    return alcore__buffer_append(ctx, out, text, length);
}

/* Makes a contextualized pair: the pair that is open in the switcher, followed by the best of the
 * phrases and its translation. The phrase begins behind the words of x*. */
static alcore_status make_contextualized(const phrase_run *self, worker_memory *memory,
                                         const alcore__labeled_pair *pair, made_pair *out) {
    alcore_ctx *ctx = self->run->ctx;
    const int64_t best = alcore__context_best(&memory->switcher, memory->phrase, memory->count,
                                              self->run->mix->settings.norm, &out->score);
    const alcore__translated_phrase *phrase = &memory->phrase[best];
    out->found = true;
    out->phrase = memory->numbers[best];
    out->word = memory->switcher.source.count;
    ALCORE__TRY(alcore__buffer_append(ctx, &out->source, pair->source, pair->source_length));
    ALCORE__TRY(append_behind(ctx, &out->source, phrase->text, phrase->text_length));
    ALCORE__TRY(alcore__buffer_append(ctx, &out->target, pair->target, pair->target_length));
    return append_behind(ctx, &out->target, phrase->translation, phrase->translation_length);
}

/* alcore__task: makes the pair of sentence `index` of the batch. */
static alcore_status make_pair(void *data, int64_t index, int32_t worker) {
    const phrase_run *self = data;
    const alcore__mix_run *run = self->run;
    made_pair *out = &self->pairs[index];
    worker_memory *memory = &self->workers[worker];
    const int64_t row = run->nearest[out->row];
    const bool switched = self->kind == ALCORE__MIX_SWITCHED;
    alcore__labeled_pair pair = {0};
    pair.source = alcore_pool_text(run->mix->labeled, row, &pair.source_length);
    pair.target = alcore_pool_reference(run->mix->labeled, row, &pair.target_length);
    if (switched) {
        pair.link = run->links->link + run->links->begin[row];
        pair.link_count = run->links->begin[row + 1] - run->links->begin[row];
    }
    out->found = false;
    out->target_first = out->target_end = -1;
    out->source.length = out->target.length = 0;
    ALCORE__TRY(collect_phrases(self, memory, out->row));
    ALCORE__TRY(alcore__switcher_open(&memory->switcher, &pair, switched));
    return switched ? make_switched(self, memory, out)
                    : make_contextualized(self, memory, &pair, out);
}

/* ---- the batches ---- */

/* A copy of a text among the strings of the training set, terminated. */
static alcore_status keep_text(alcore_mix *mix, const alcore__buffer *text, const char **out) {
    return alcore__arena_text(mix->object.ctx, &mix->strings, text->data, text->length, out);
}

/* Appends the pairs of the batch until there are enough. */
static alcore_status append_batch(phrase_run *self) {
    alcore_mix *mix = self->run->mix;
    for (int64_t i = 0; i < self->pair_count; i++) {
        const made_pair *made = &self->pairs[i];
        alcore__mix_pair *pair;
        if (mix->made[self->kind] == mix->settings.count) return ALCORE_OK;
        if (!made->found) {
            mix->without_pair[self->kind]++;
            continue;
        }
        ALCORE__TRY(alcore__mix_append(mix, self->kind, &pair));
        ALCORE__TRY(keep_text(mix, &made->source, &pair->source));
        ALCORE__TRY(keep_text(mix, &made->target, &pair->target));
        pair->source_length = made->source.length;
        pair->target_length = made->target.length;
        pair->numbers[ALCORE__MIX_LABELED_ROW] = self->run->nearest[made->row];
        pair->numbers[ALCORE__MIX_POOL_ROW] = made->row;
        pair->numbers[ALCORE__MIX_ITEM] = self->list.item[made->phrase];
        pair->numbers[ALCORE__MIX_WORD] = made->word;
        pair->numbers[ALCORE__MIX_TARGET_FIRST] = made->target_first;
        pair->numbers[ALCORE__MIX_TARGET_END] = made->target_end;
        pair->score = made->score;
    }
    return ALCORE_OK;
}

/* Chooses sentences, makes and appends their pairs, until there are enough or no sentence is left.
 */
static alcore_status make_batches(phrase_run *self) {
    const alcore_mix *mix = self->run->mix;
    const int64_t *made = &mix->made[self->kind];
    while (*made < mix->settings.count) {
        const int64_t missing = mix->settings.count - *made;
        int64_t row;
        self->pair_count = 0;
        while (self->pair_count < BATCH && self->pair_count < missing &&
               (row = take_sentence(self)) >= 0)
            self->pairs[self->pair_count++].row = row;
        if (self->pair_count == 0) return ALCORE_OK;
        ALCORE__TRY(alcore__tick(self->run->ctx, alcore__mix_kind_name(self->kind), *made,
                                 mix->settings.count));
        ALCORE__TRY(alcore__parallel(self->run->ctx, NULL /* as said */, self->pair_count,
                                     make_pair, self));
        ALCORE__TRY(append_batch(self));
    }
    return ALCORE_OK;
}

/* The pairs most similar to each sentence; computed once for both kinds. */
static alcore_status find_nearest(alcore__mix_run *run) {
    const size_t rows = (size_t)alcore_pool_row_count(run->mix->pool);
    double *ratios; /* [rows of pool] */
    if (run->nearest) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(run->ctx, rows, sizeof *ratios, &ratios));
    alcore_status status = alcore__new_array(run->ctx, rows, sizeof *run->nearest, &run->nearest);
    if (status == ALCORE_OK) status = alcore__mix_ratios(run, false, ratios, run->nearest);
    alcore__free(run->ctx, ratios);
    return status;
}

/* The steps of the file head. The found flag and `next` at the end make take_sentence() begin the
 * first pass. */
static alcore_status run_all(phrase_run *self) {
    alcore_ctx *ctx = self->run->ctx;
    const int32_t threads = alcore_ctx_threads(ctx);
    if (self->run->mix->settings.count == 0) return ALCORE_OK;
    ALCORE__TRY(list_phrases(self));
    ALCORE__TRY(mark_annotated(self));
    ALCORE__TRY(list_sentences(self));
    ALCORE__TRY(find_nearest(self->run));
    ALCORE__TRY(alcore__new_array(ctx, BATCH, sizeof *self->pairs, &self->pairs));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)threads, sizeof *self->workers, &self->workers));
    for (int32_t i = 0; i < threads; i++) {
        self->workers[i].switcher.ctx = ctx;
        self->workers[i].switcher.lm = self->run->lm;
    }
    self->found = true; /* as if a pass had just ended that found one */
    self->next = self->list.count;
    return make_batches(self);
}

/* Appends the pairs of one kind, and frees what only that needs. */
alcore_status alcore__mix_phrases(alcore__mix_run *run, alcore__mix_kind kind) {
    alcore_ctx *ctx = run->ctx;
    phrase_run self = {.run = run, .kind = kind};
    const alcore_status status = run_all(&self);
    for (int64_t i = 0; self.pairs && i < BATCH; i++) {
        alcore__buffer_clear(ctx, &self.pairs[i].source);
        alcore__buffer_clear(ctx, &self.pairs[i].target);
    }
    for (int32_t i = 0; self.workers && i < alcore_ctx_threads(ctx); i++) {
        alcore__switcher_clear(&self.workers[i].switcher);
        alcore__word_row_clear(ctx, &self.workers[i].words);
        alcore__free(ctx, self.workers[i].numbers);
        alcore__free(ctx, self.workers[i].phrase);
    }
    alcore__free(ctx, self.pairs);
    alcore__free(ctx, self.workers);
    alcore__free(ctx, self.last_row);
    alcore__phrase_finder_clear(ctx, &self.list.finder);
    alcore__free(ctx, self.list.phrase);
    alcore__free(ctx, self.list.item);
    alcore__free(ctx, self.list.begin);
    alcore__free(ctx, self.list.rows);
    alcore__free(ctx, self.list.cursor);
    alcore__free(ctx, self.list.used);
    return status;
}
