/* SPDX-License-Identifier: Apache-2.0 */
/* Cover of the pool's n-grams (spec 4.10): greedily the text that adds most, for its length, of
 * what the pool says often, and labeled texts and the picks have seldom.
 *
 *   w(g)    = (c(g) - 1)^power / (1 + l(g))^known      for an n-gram g of max_n tokens or fewer
 *   gain(v) = sum over g in v of w(g) new(g) / (1 + s(g))^decay
 *             / (cost(v) / mean cost + length tokens(v) / mean tokens + overhead)
 *
 * w(g) is 0 where c(g) is 1. new(g) is 1 + first where g is a word alone and s(g) is 0, else 1: the
 * first text that has a word counts more, so that few words are left out, while the rest of the
 * budget repeats what is frequent. c(g), l(g), s(g): texts of the candidates, of the labeled pool,
 * and of what was picked that have g: the picks, and the rows of the candidates' own pool that
 * earlier rounds bought. The means are over the candidates. What one text alone has weighs
 * nothing, as it tells nothing of any other. Tokens stand beside the cost because a text may hide
 * many of them in few words ("a;b;c;d"), and where the budget is in items long texts would be
 * bought first.
 *
 * Where candidates are of several languages, the gains of each are divided by their mean at first.
 *
 * The sum without its divisor is a submodular function of the picks: the gain of a text never
 * rises, so that an old gain is a bound, and only the texts at the head of a heap are measured
 * again (lazy_heap.h). Where all texts share n-grams and decay is near 0, each pick makes the gains
 * of most texts old, and the time grows with picks times texts. The weights decay as in the feature
 * decay algorithms of Bicici and Yuret (2011), the divisor makes it a budgeted cover (Khuller, Moss
 * and Naor 1999).
 *
 * Reads each text once, and no column. Memory: about 40 bytes for each distinct n-gram and 4 to 6
 * for each time that a candidate has one, until all texts are read; then 13 for each that two
 * candidates have and 4 for each time that a candidate has such a one; and 49 a candidate. */
#include <math.h>
#include <string.h>

#include "pool/hash_index.h"
#include "strategy/block.h"
#include "strategy/budget/fill.h"
#include "strategy/greedy/lazy_heap.h"
#include "strategy/rules/token_gather.h"
#include "strategy/strategies.h"
#include "text/kept_tokens.h"
/* Texts of any bytes, tokens as in text/text_tokens.h (docs/glossary.md, 5):
 *
 * alcore__text_ngrams(text, length, orders, hashes, seen, &tokens): writes the hashes, none of them
 *     0, of the distinct n-grams of a text, n = 1 .. orders, that have a word among their tokens;
 *     returns how many they are. It reads no more tokens than alcore__text_tokens_most(text,
 *     length) says, a bound that takes a small part of the time. seen: zeros, which are zeros again
 *     afterwards. alcore__ngram_is_word(hash): whether n is 1.
 * alcore__text_ngrams_most(tokens, orders): an upper bound of the number of hashes of a text with
 *     that many tokens, or of several texts with that many together; _slots(): the number of
 *     entries of `seen` that such a text needs, or more. */
#include "text/text_ngrams.h"

/* No number of an n-gram. */
#define NONE UINT32_MAX

/* An n-gram of the candidates. */
typedef struct ngram {
    uint64_t hash;
    uint32_t texts, labeled, picked; /* c(g), l(g), s(g) before the first pick */
} ngram;

/* The n-grams of the candidates, numbered in the order in which they are first met. The index may
 * have no slot before one is met, and is not looked into. */
typedef struct ngram_set {
    alcore__hash_index index; /* finds numbers by hashes */
    ngram *ngrams;            /* [count] */
    size_t capacity;
    int64_t count;
} ngram_set;

/* Bounds of what a block's texts have. */
typedef struct block_bound {
    int64_t tokens_before; /* of the texts of all blocks before it */
    int64_t longest;       /* tokens of its longest text */
} block_bound;

typedef struct cover_state {
    int64_t max_n; /* the parameters */
    double power, known, decay, first, overhead, length;
    block_bound *bounds[ALCORE__OVER_LABELED_POOL + 1]; /* by source [blocks + 1] */
    double *tokens;                                     /* [candidates] tokens of each text */
    double *lengths; /* [candidates] what the gain of each is divided by */
    ngram_set set;   /* until all texts are read */
    uint32_t *found; /* [starts[candidates]] n-grams of each text: their numbers in the set, then
                         those of `weight` */
    size_t found_capacity;
    int64_t *starts; /* [candidates + 1] where each text's begin in found */
    /* of the n-grams that two candidates have */
    double *weight;   /* w(g) new(g) / (1 + s(g))^decay */
    uint32_t *picked; /* s(g) */
    bool *word;       /* whether g is a word alone */
    bool *offered;    /* [candidates] to the budget */
    alcore__lazy_heap heap;
    alcore__filler filler;
} cover_state;

/* ---- texts ---- */

/* The rows of all shards, where the texts of a source lie in shards; NULL: they are in a pool. */
static const alcore__shard_tokens *gathered_of(const alcore__run *run,
                                               enum alcore__row_source source) {
    return source == ALCORE__OVER_LABELED_POOL ? NULL : run->input->gathered;
}

/* The text of a row of a source: the candidates and the labeled rows are of one pool. */
static const char *text_of(const alcore__run *run, enum alcore__row_source source, int64_t row,
                           size_t *length) {
    const alcore__run_input *input = run->input;
    const alcore_pool *pool =
        source == ALCORE__OVER_LABELED_POOL ? input->labeled.pool : input->candidates.pool;
    return alcore_pool_text(pool, row, length);
}

/* The tokens of a row that were read before; without one: the text has to be read. */
static alcore__read_tokens tokens_of(const alcore__run *run, enum alcore__row_source source,
                                     int64_t row) {
    const alcore__shard_tokens *gathered = gathered_of(run, source);
    const alcore__kept_tokens *kept = run->active[source].dataset->tokens;
    if (gathered)
        return (alcore__read_tokens){.words = gathered->words[row],
                                     .hashes = gathered->hashes[row],
                                     .count = gathered->tokens[row]};
    return kept ? alcore__kept_tokens_of(kept, row) : (alcore__read_tokens){0};
}

/* A bound of the tokens of a row's text. */
static int64_t most_tokens(const alcore__run *run, enum alcore__row_source source, int64_t row) {
    const alcore__read_tokens view = tokens_of(run, source, row);
    size_t length;
    if (view.count > 0 || gathered_of(run, source)) return view.count;
    const char *text = text_of(run, source, row, &length);
    return alcore__text_tokens_most(text, length);
}

/* Bounds the texts of all blocks of a source: the runner asks for the size of a block's partial
 * before the block is read. */
static alcore_status bound_blocks(alcore__run *run, enum alcore__row_source source) {
    const alcore__active_rows *active = &run->active[source];
    cover_state *state = run->state;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, active->blocks + 1, &state->bounds[source]));
    for (int64_t block = 0; block < active->blocks; block++) {
        block_bound *bound = &state->bounds[source][block];
        int64_t sum = bound->tokens_before;
        for (int64_t i = active->block_starts[block]; i < active->block_starts[block + 1]; i++) {
            const int64_t tokens = most_tokens(run, source, active->rows[i]);
            if (tokens > bound->longest) bound->longest = tokens;
            sum += tokens;
        }
        bound[1].tokens_before = sum;
    }
    return ALCORE_OK;
}

/* The most n-grams that the texts of a block have, or of all blocks that a wide one stands for. */
static int64_t most_ngrams(const alcore__block *block) {
    const cover_state *state = block->run->state;
    const block_bound *bound = &state->bounds[block->source][block->number];
    return alcore__text_ngrams_most(bound[block->blocks].tokens_before - bound->tokens_before,
                                    state->max_n);
}

/* What a block's texts are read with. */
typedef struct ngram_reader {
    const alcore__block *block;
    uint64_t *seen;   /* zeros between texts */
    uint64_t *hashes; /* [most of a text of the block]; not used where they go to the partial */
} ngram_reader;

/* Makes a reader for the block's longest text, until the block is done. */
static alcore_status open_reader(alcore__block *block, ngram_reader *out) {
    const cover_state *state = block->run->state;
    const block_bound *bound = &state->bounds[block->source][block->number];
    int64_t longest = 0;
    for (int64_t b = 0; b < block->blocks; b++)
        if (bound[b].longest > longest) longest = bound[b].longest;
    const int64_t slots = alcore__text_ngrams_slots(longest, state->max_n);
    *out = (ngram_reader){.block = block};
    ALCORE__TRY(alcore__scratch_push(block, slots, sizeof *out->seen, &out->seen));
    memset(out->seen, 0, (size_t)slots * sizeof *out->seen);
    /* One more, so that a block of texts without tokens has an array too. */
    return alcore__scratch_push(block, alcore__text_ngrams_most(longest, state->max_n) + 1,
                                sizeof *out->hashes, &out->hashes);
}

/* Writes the hashes of the n-grams of the text with this index in the block to out, [most of the
 * text]; returns how many they are, and *tokens, the number of its tokens. */
static int64_t read_ngrams(const ngram_reader *reader, int64_t index, uint64_t *out,
                           int64_t *tokens) {
    const alcore__block *block = reader->block;
    const cover_state *state = block->run->state;
    const int64_t row = block->rows[index];
    const alcore__read_tokens view = tokens_of(block->run, block->source, row);
    size_t length;
    if (view.count > 0 || gathered_of(block->run, block->source)) {
        *tokens = view.count;
        return alcore__tokens_ngrams(view.words, view.hashes, view.count, state->max_n, out,
                                     reader->seen);
    }
    const char *text = text_of(block->run, block->source, row, &length);
    return alcore__text_ngrams(text, length, state->max_n, out, reader->seen, tokens);
}

/* ---- pass "n-grams" ---- */

/* The partial, behind the tokens of the texts: how many n-grams each has, uint64 [active rows],
 * then their hashes. */
static size_t hashes_bytes(const alcore__block *block) {
    return (size_t)(block->count + most_ngrams(block)) * sizeof(uint64_t);
}

/* Drops the tokens of a block, which are not read again: the n-grams need the memory. */
static void drop_tokens(const alcore__block *block) {
    alcore__kept_tokens *kept = block->run->active[block->source].dataset->tokens;
    for (int64_t b = 0; kept && b < block->blocks; b++)
        alcore__kept_tokens_drop(block->run->ctx, kept, block->number + b);
}

/* Writes the partial: the hashes of all texts one after the other, without gaps. */
static alcore_status hash_texts(alcore__block *block, void *partial) {
    double *tokens = partial;
    uint64_t *counts = (uint64_t *)(tokens + block->count), *next = counts + block->count;
    ngram_reader reader;
    ALCORE__TRY(open_reader(block, &reader));
    for (int64_t i = 0; i < block->count; i++) {
        int64_t read;
        counts[i] = (uint64_t)read_ngrams(&reader, i, next, &read);
        tokens[i] = (double)read;
        next += counts[i];
    }
    drop_tokens(block);
    return ALCORE_OK;
}

/* The number of the n-gram of a hash; -1: the set lacks it, and *slot is where it belongs. */
static inline int64_t find_ngram(const ngram_set *set, uint64_t hash, size_t *slot) {
    *slot = alcore__index_home(&set->index, hash);
    for (;;) {
        const int64_t number = alcore__index_next(&set->index, hash, slot);
        if (number < 0 || set->ngrams[number].hash == hash) return number;
    }
}

/* Makes room for `more` n-grams, of which the set may have some: all numbers are below NONE. */
static alcore_status reserve_ngrams(const alcore__run *run, ngram_set *set, int64_t more) {
    if (set->count + more > NONE)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the texts have nearly 2^32 different n-grams or more, which is too "
                            "many; max_n=1 has fewer");
    ALCORE__TRY(alcore__run_grow(run, &set->ngrams, &set->capacity, set->count + more,
                                 sizeof *set->ngrams));
    return alcore__index_reserve(run->ctx, &set->index, (size_t)more, 0, set->count + more);
}

/* The number of the n-gram of a hash, which joins the set if it is new. There is room for it. */
static inline int64_t meet_ngram(ngram_set *set, uint64_t hash) {
    size_t slot;
    const int64_t number = find_ngram(set, hash, &slot);
    if (number >= 0) return number;
    set->ngrams[set->count] = (ngram){.hash = hash};
    alcore__index_put(&set->index, slot, hash, set->count);
    return set->count++;
}

/* How many hashes ahead the slot of one is fetched from memory. */
enum { AHEAD = 16 };

/* Asks for the slot of a hash before it is read, which changes the time alone. */
static void fetch(const ngram_set *set, uint64_t hash) {
    __builtin_prefetch(&set->index.slots[alcore__index_home(&set->index, hash)]);
}

/* Reduces the partial of a block: counts its n-grams, appends their numbers to `found`, and sets
 * where those of each of its candidates end. Blocks come in order, so that starts[partial->start]
 * is set. */
static alcore_status count_ngrams(alcore__run *run, const alcore__block_partial *partial) {
    cover_state *state = run->state;
    const uint64_t *counts = partial->extra, *hashes = counts + partial->count;
    int64_t end = state->starts[partial->start];
    for (int64_t i = 0; i < partial->count; i++)
        state->starts[partial->start + i + 1] = end += (int64_t)counts[i];
    const int64_t count = end - state->starts[partial->start];
    ALCORE__TRY(reserve_ngrams(run, &state->set, count));
    ALCORE__TRY(
        alcore__run_grow(run, &state->found, &state->found_capacity, end, sizeof *state->found));
    uint32_t *found = state->found + end - count;
    for (int64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch(&state->set, hashes[i + AHEAD]);
        const int64_t number = meet_ngram(&state->set, hashes[i]);
        state->set.ngrams[number].texts++;
        found[i] = (uint32_t)number;
    }
    return ALCORE_OK;
}

/* For alcore__run_defer(). */
static void clear_index(const alcore__run *run, void *index) {
    alcore__index_clear(run->ctx, index);
}

/* ---- passes over labeled texts ---- */

/* The partial: how many n-grams of the candidates the texts have, and their numbers. */
static size_t numbers_bytes(const alcore__block *block) {
    return (size_t)(1 + most_ngrams(block)) * sizeof(uint32_t);
}

/* Writes the partial: the numbers of the n-grams of all texts one after the other, of each text
 * every one once. Those that one candidate alone has are left out, as they weigh nothing. */
static alcore_status find_ngrams(alcore__block *block, void *partial) {
    const ngram_set *set = &((const cover_state *)block->run->state)->set;
    uint32_t *numbers = partial, *next = numbers + 1;
    ngram_reader reader;
    ALCORE__TRY(open_reader(block, &reader));
    if (set->count == 0) return ALCORE_OK;
    for (int64_t i = 0; i < block->count; i++) {
        int64_t tokens;
        const int64_t count = read_ngrams(&reader, i, reader.hashes, &tokens);
        for (int64_t g = 0; g < count; g++) fetch(set, reader.hashes[g]);
        for (int64_t g = 0; g < count; g++) {
            size_t slot;
            const int64_t number = find_ngram(set, reader.hashes[g], &slot);
            if (number >= 0 && set->ngrams[number].texts > 1) *next++ = (uint32_t)number;
        }
    }
    numbers[0] = (uint32_t)(next - numbers - 1);
    return ALCORE_OK;
}

/* Adds one to s(g), or to l(g), for each text of a block that has g. */
static alcore_status count_texts(alcore__run *run, const alcore__block_partial *partial,
                                 bool picked) {
    ngram *ngrams = ((cover_state *)run->state)->set.ngrams;
    const uint32_t *numbers = partial->extra;
    for (int64_t i = 1; i <= (int64_t)numbers[0]; i++) {
        ngram *found = &ngrams[numbers[i]];
        ++*(picked ? &found->picked : &found->labeled);
    }
    return ALCORE_OK;
}

/* Reduces a partial of labeled rows of the candidates' pool into s(g), ... */
static alcore_status count_picked(alcore__run *run, const alcore__block_partial *partial) {
    return count_texts(run, partial, true);
}

/* ... and one of the labeled pool into l(g). */
static alcore_status count_labeled(alcore__run *run, const alcore__block_partial *partial) {
    return count_texts(run, partial, false);
}

/* ---- the weights ---- */

/* new(g) of an n-gram. */
static double newness(const cover_state *state, bool word, uint32_t picked) {
    return word && picked == 0 ? 1 + state->first : 1;
}

/* w(g) new(g) / (1 + s(g))^decay before the first pick, of an n-gram that two candidates have. */
static double weight_of(const cover_state *state, const ngram *g) {
    return pow((double)g->texts - 1, state->power) / pow(1 + (double)g->labeled, state->known) *
           newness(state, alcore__ngram_is_word(g->hash), g->picked) /
           pow(1 + (double)g->picked, state->decay);
}

/* Keeps the n-grams of each text whose new number, of numbers [n-grams of the set], is not NONE:
 * `found` moves together, and starts with it. */
static void renumber(cover_state *state, const uint32_t *numbers, int64_t texts) {
    int64_t kept = 0, next = 0;
    for (int64_t i = 0; i < texts; i++) {
        for (; next < state->starts[i + 1]; next++) {
            state->found[kept] = numbers[state->found[next]];
            kept += state->found[kept] != NONE;
        }
        state->starts[i + 1] = kept;
    }
}

/* Weighs the n-grams that two candidates have, and forgets the set: what one text alone has weighs
 * nothing. */
static alcore_status weigh_ngrams(alcore__run *run) {
    cover_state *state = run->state;
    ngram_set *set = &state->set;
    uint32_t *numbers, kept = 0;
    alcore__index_clear(run->ctx, &set->index);
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, set->count, &numbers));
    for (int64_t g = 0; g < set->count; g++) numbers[g] = set->ngrams[g].texts > 1 ? kept++ : NONE;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, kept, &state->weight));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, kept, &state->picked));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, kept, &state->word));
    for (int64_t g = 0; g < set->count; g++) {
        if (numbers[g] == NONE) continue;
        state->weight[numbers[g]] = weight_of(state, &set->ngrams[g]);
        state->picked[numbers[g]] = set->ngrams[g].picked;
        state->word[numbers[g]] = alcore__ngram_is_word(set->ngrams[g].hash);
    }
    renumber(state, numbers, run->outcome.count);
    alcore__run_drop(run, height);
    alcore__free(run->ctx, set->ngrams);
    set->ngrams = NULL;
    return ALCORE_OK;
}

/* ---- the greedy choice ---- */

/* The part that a candidate is of a mean over all; 0 where all are 0. */
static double share(double value, double mean) {
    return mean > 0.0 ? value / mean : 0.0;
}

/* A text without length, which no budget buys where its cost is 0, has gain 0. */
static double gain_of(const cover_state *state, int64_t position) {
    double sum = 0.0;
    for (int64_t i = state->starts[position]; i < state->starts[position + 1]; i++)
        sum += state->weight[state->found[i]];
    return state->lengths[position] > 0.0 ? sum / state->lengths[position] : 0.0;
}

/* Measures the candidates of a block that were not offered yet; data: the run. */
static alcore_status measure_block(void *data, int64_t block, int32_t worker) {
    const alcore__run *run = data;
    const cover_state *state = run->state;
    const int64_t first = block * ALCORE_BLOCK_ROWS, left = run->outcome.count - first;
    const int64_t end = left < ALCORE_BLOCK_ROWS ? run->outcome.count : first + ALCORE_BLOCK_ROWS;
    int64_t fetched = state->starts[first];
    (void)worker;
    for (int64_t position = first; position < end; position++) {
        const int64_t reach = state->starts[position + 1] + AHEAD;
        for (; fetched < reach && fetched < state->starts[end]; fetched++)
            __builtin_prefetch(&state->weight[state->found[fetched]]);
        if (!state->offered[position]) run->outcome.scores[position] = gain_of(state, position);
    }
    return ALCORE_OK;
}

/* Sets the scores of all candidates that were not offered yet to their gains, on all threads. */
static alcore_status measure_all(alcore__run *run) {
    return alcore__parallel(run->ctx, NULL /* no stage of its own in the progress */,
                            (run->outcome.count + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS,
                            measure_block, run);
}

/* Sets what the gains are divided by. */
static alcore_status measure_lengths(alcore__run *run) {
    cover_state *state = run->state;
    const int64_t count = run->outcome.count;
    double mean_cost = 0.0, mean_tokens = 0.0;
    for (int64_t i = 0; i < count; i++) {
        mean_cost += alcore__filler_cost(&state->filler, i) / (double)count;
        mean_tokens += state->tokens[i] / (double)count;
    }
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->lengths));
    for (int64_t i = 0; i < count; i++)
        state->lengths[i] = share(alcore__filler_cost(&state->filler, i), mean_cost) +
                            state->length * share(state->tokens[i], mean_tokens) + state->overhead;
    return ALCORE_OK;
}

/* Where texts are of several languages, the lengths of each are made longer or shorter so that the
 * mean of the first gains is the same in all: a token of a script without spaces is a letter, of
 * which a language has few that are frequent, and languages with few texts have rare n-grams alone.
 * A language whose texts have no gain stays as it is. */
static alcore_status level_languages(alcore__run *run) {
    cover_state *state = run->state;
    const alcore__run_input *input = run->input;
    const int64_t count = run->outcome.count;
    double *gains, *texts; /* [languages] */
    if (!input->languages || input->language_count < 2) return ALCORE_OK;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, input->language_count, &gains));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, input->language_count, &texts));
    memset(gains, 0, (size_t)input->language_count * sizeof *gains);
    memset(texts, 0, (size_t)input->language_count * sizeof *texts);
    double all = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const int32_t language = input->languages[run->outcome.rows[i]];
        gains[language] += run->outcome.scores[i];
        texts[language] += 1;
        all += run->outcome.scores[i] / (double)count;
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t language = input->languages[run->outcome.rows[i]];
        if (gains[language] > 0.0) state->lengths[i] *= gains[language] / texts[language] / all;
    }
    alcore__run_drop(run, height);
    return measure_all(run);
}

/* Measures every candidate once. */
static alcore_status fill_heap(alcore__run *run) {
    cover_state *state = run->state;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->offered));
    ALCORE__TRY(measure_all(run));
    ALCORE__TRY(level_languages(run));
    return alcore__lazy_heap_fill(run, &state->heap, run->outcome.scores);
}

/* Offers the head of the heap, whose gain is as it is now, and takes it out. */
static alcore_status offer_head(alcore__run *run) {
    cover_state *state = run->state;
    const alcore__heap_entry head = state->heap.entries[0];
    bool bought;
    alcore__lazy_heap_drop(&state->heap);
    state->offered[head.position] = true;
    run->outcome.scores[head.position] = head.gain;
    ALCORE__TRY(alcore__filler_offer(&state->filler, head.position, &bought));
    if (!bought) return ALCORE_OK;
    for (int64_t i = state->starts[head.position]; i < state->starts[head.position + 1]; i++) {
        const uint32_t number = state->found[i];
        const uint32_t before = state->picked[number]++;
        state->weight[number] *= pow((1.0 + before) / (2.0 + before), state->decay) /
                                 newness(state, state->word[number], before);
    }
    return ALCORE_OK;
}

/* Buys until the budget is spent, texts of gain 0 last. The score of a text that was offered is its
 * gain then, that of any other the gain that it would add after the last pick. A head whose gain is
 * what it was is the best of all, as no other can have gained. */
static alcore_status finish(alcore__run *run) {
    cover_state *state = run->state;
    ALCORE__TRY(weigh_ngrams(run));
    ALCORE__TRY(measure_lengths(run));
    ALCORE__TRY(fill_heap(run));
    for (int64_t turn = 0; state->heap.count > 0 && !alcore__filler_full(&state->filler); turn++) {
        if (turn % 1024 == 0)
            ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancel */
        const alcore__heap_entry head = state->heap.entries[0];
        const double gain = gain_of(state, head.position);
        if (gain < head.gain) {
            alcore__lazy_heap_lower(&state->heap, gain);
        } else {
            ALCORE__TRY(offer_head(run));
        }
    }
    ALCORE__TRY(measure_all(run));
    alcore__filler_finish(&state->filler);
    return ALCORE_OK;
}

/* ---- begin, passes, definition ---- */

/* Bounds the texts of the three sources that are read, whose numbers are adjacent from 0 on. */
static alcore_status begin(alcore__run *run) {
    cover_state *state = run->state;
    ALCORE__TRY(alcore__filler_begin(&state->filler, run));
    ALCORE__TRY(alcore__run_defer(run, clear_index, &state->set.index));
    for (int32_t source = 0; source <= ALCORE__OVER_LABELED_POOL; source++)
        ALCORE__TRY(bound_blocks(run, source));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->tokens));
    return ALCORE__RUN_ARRAY(run, run->outcome.count + 1, &state->starts);
}

static const alcore__pass PASSES[] = {
    {.name = "n-grams",
     .block = hash_texts,
     .partial = {.values = {ALCORE__VALUES(cover_state, tokens)},
                 .extra = hashes_bytes,
                 .reduce = count_ngrams},
     .keeps_nothing = true},
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = find_ngrams,
     .partial = {.extra = numbers_bytes, .reduce = count_picked}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = find_ngrams,
     .partial = {.extra = numbers_bytes, .reduce = count_labeled}},
    {.name = NULL},
};

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, cover_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("max_n", INTEGER, "3", 1, ALCORE__TEXT_NGRAM_ORDERS, NULL,
                  "longest n-gram, in tokens", STATE(max_n)),
    ALCORE__PARAM("power", NUMBER, "0.6", 0, 4, NULL,
                  "an n-gram weighs the number of other texts that have it to this power, 0 "
                  "without such a text",
                  STATE(power)),
    ALCORE__PARAM(
        "known", NUMBER, "0.5", 0, 16, NULL,
        "an n-gram that l texts of the labeled pool have is divided by 1 + l to this power",
        STATE(known)),
    ALCORE__PARAM("decay", NUMBER, "0.75", 0, 16, NULL,
                  "an n-gram that s picks or bought rows have is divided by 1 + s to this power",
                  STATE(decay)),
    ALCORE__PARAM("first", NUMBER, "2", 0, 1e9, NULL,
                  "a word that no pick and no bought row has weighs 1 + first times as much",
                  STATE(first)),
    ALCORE__PARAM("overhead", NUMBER, "0.15", 0, 1e9, NULL,
                  "added to the length of each text, in mean lengths", STATE(overhead)),
    ALCORE__PARAM("length", NUMBER, "2", 0, 1e9, NULL,
                  "weight of the tokens of a text beside its cost, by which its gain is divided",
                  STATE(length)),
    ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

static const char *const EXAMPLES[] = {"max_n=1 decay=16 first=0", "power=1 overhead=0", NULL};

const alcore__strategy_def alcore__strategy_ngram_cover = {
    .name = "ngram-cover",
    .summary = "Texts that have most of the pool's n-grams for their cost, which labeled texts "
               "and other picks have seldom (a budgeted submodular cover)",
    .examples = EXAMPLES,
    .measure = "gain",
    .reads_languages = true,
    .reads_bought = true,
    .reads_tokens = true,
    .gather = alcore__tokens_gather,
    .params = &PARAMS,
    .state_bytes = sizeof(cover_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};
