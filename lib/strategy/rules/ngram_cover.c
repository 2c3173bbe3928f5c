/* SPDX-License-Identifier: Apache-2.0 */
/* Cover of the pool's n-grams (spec 4.10): greedily the text that adds most, for its length, of
 * what the pool says often and neither labeled texts nor the picks have yet.
 *
 *   w(g)    = (c(g) - 1)^power / (1 + known l(g))      for an n-gram g of max_n tokens or fewer
 *   gain(v) = sum over g in v of w(g) decay^s(g)
 *             / (cost(v) / mean cost + length tokens(v) / mean tokens + overhead)
 *
 * w(g) is 0 where c(g) is 1. c(g), l(g), s(g): texts of the candidates, of what is labeled, and of
 * the picks that have g; the means are over the candidates. What one text alone has weighs nothing,
 * as it tells nothing of any other. Tokens stand beside the cost because a text may hide many of
 * them in few words ("a;b;c;d"), and where the budget is in items long texts would be bought first.
 *
 * The sum without its divisor is a submodular function of the picks: the gain of a text never
 * rises, so that an old gain is a bound, and only the texts at the head of a heap are measured
 * again (the accelerated greedy of Minoux 1978). Where all texts share n-grams and decay is near 1,
 * each pick makes the gains of most texts old, and the time grows with picks times texts. The
 * weights decay as in the feature decay algorithms of Bicici and Yuret (2011), the divisor makes it
 * a budgeted cover (Khuller, Moss and Naor 1999).
 *
 * Reads texts and no column: those of the candidates three times, of what is labeled twice. Memory:
 * about 50 bytes for each distinct n-gram until the pass "n-grams" ends, then as much for each that
 * two texts have, 4 for each time that a candidate has such a one, and 40 a candidate. */
#include <math.h>
#include <string.h>

#include "pool/hash_index.h"
#include "strategy/block.h"
#include "strategy/budget/fill.h"
#include "strategy/budget/rank.h"
#include "strategy/strategies.h"
#include "text/text_ngrams.h"

/* The n-grams of the candidates, numbered in the order in which they are first met. */
typedef struct ngram_set {
    alcore__hash_index index; /* finds numbers by hashes */
    uint64_t *hash;           /* [count] */
    uint32_t *texts;          /* [count] c(g) */
    size_t hash_capacity, texts_capacity;
    int64_t count;
} ngram_set;

/* A text at its place in the heap. */
typedef struct heap_entry {
    double gain; /* when it was last measured */
    int64_t position;
} heap_entry;

typedef struct cover_state {
    int64_t max_n; /* the parameters */
    double power, known, decay, overhead, length;
    double mean_cost, mean_tokens;
    double *tokens[ALCORE__SOURCES]; /* [active rows] tokens of each text */
    ngram_set ngrams;
    uint32_t *labeled; /* [ngrams.count] l(g) */
    double *weight;    /* [ngrams.count] w(g) decay^s(g) at present */
    uint32_t *found;   /* [starts[candidates]] n-grams of each text */
    size_t found_capacity;
    int64_t *starts;  /* [candidates + 1] where each text's begin in found */
    int64_t *place;   /* [candidates] order among equal gains; NULL: by row */
    heap_entry *heap; /* [heap_count] the largest gain first */
    int64_t heap_count;
    alcore__filler filler;
} cover_state;

/* ---- texts of a block ---- */

static const char *text_of(const alcore__block *block, int64_t index, size_t *length) {
    const alcore__run_input *input = block->run->input;
    const alcore_pool *pool =
        block->source == ALCORE__OVER_LABELED_POOL ? input->labeled.pool : input->candidates.pool;
    return alcore_pool_text(pool, block->rows[index], length);
}

/* The most n-grams that the texts of a block have. */
static int64_t most_ngrams(const alcore__block *block) {
    const cover_state *state = block->run->state;
    const double *tokens = state->tokens[block->source] + block->start;
    int64_t sum = 0;
    for (int64_t i = 0; i < block->count; i++) sum += (int64_t)tokens[i];
    return alcore__text_ngrams_most(sum, state->max_n);
}

/* What a block's texts are read with. */
typedef struct ngram_reader {
    alcore__block *block;
    uint64_t *hashes; /* [most of a text of the block] n-grams of the present text */
    uint64_t *seen;   /* [slots] zeros between texts */
    int64_t slots;
} ngram_reader;

static alcore_status open_reader(alcore__block *block, ngram_reader *out) {
    const cover_state *state = block->run->state;
    const double *tokens = state->tokens[block->source] + block->start;
    double longest = 0;
    for (int64_t i = 0; i < block->count; i++)
        if (tokens[i] > longest) longest = tokens[i];
    const int64_t most = alcore__text_ngrams_most((int64_t)longest, state->max_n);
    *out = (ngram_reader){.block = block, .slots = 2};
    while (out->slots < 2 * most) out->slots *= 2;
    ALCORE__TRY(alcore__scratch_push(block, most + 1, sizeof *out->hashes, &out->hashes));
    ALCORE__TRY(alcore__scratch_push(block, out->slots, sizeof *out->seen, &out->seen));
    memset(out->seen, 0, (size_t)out->slots * sizeof *out->seen);
    return ALCORE_OK;
}

/* Reads the n-grams of a text into reader->hashes; returns how many. The slots that are used are as
 * few as the text allows, so that they stay in the cache. */
static int64_t read_ngrams(const ngram_reader *reader, int64_t index, uint64_t *out) {
    const cover_state *state = reader->block->run->state;
    const double *tokens = state->tokens[reader->block->source] + reader->block->start;
    const int64_t most = alcore__text_ngrams_most((int64_t)tokens[index], state->max_n);
    int64_t slots = 2;
    size_t length;
    while (slots < 2 * most) slots *= 2;
    const char *text = text_of(reader->block, index, &length);
    return alcore__text_ngrams(text, length, state->max_n, out, reader->seen, slots);
}

/* ---- passes "tokens" ---- */

static alcore_status count_tokens(alcore__block *block, void *partial) {
    double *tokens = partial;
    for (int64_t i = 0; i < block->count; i++) {
        size_t length;
        const char *text = text_of(block, i, &length);
        tokens[i] = (double)alcore__text_tokens(text, length);
    }
    return ALCORE_OK;
}

/* ---- pass "n-grams" ---- */

/* The partial: how many hashes there are, then the hashes of all texts, those of two texts twice.
 * */
static size_t hashes_bytes(const alcore__block *block) {
    return (size_t)(1 + most_ngrams(block)) * sizeof(uint64_t);
}

static alcore_status hash_texts(alcore__block *block, void *partial) {
    uint64_t *out = partial, *next = out + 1;
    ngram_reader reader;
    ALCORE__TRY(open_reader(block, &reader));
    for (int64_t i = 0; i < block->count; i++) next += read_ngrams(&reader, i, next);
    out[0] = (uint64_t)(next - out - 1);
    return ALCORE_OK;
}

/* The number of the n-gram of a hash; -1: the set lacks it, and *slot is where it belongs. */
static inline int64_t find_ngram(const ngram_set *set, uint64_t hash, size_t *slot) {
    *slot = alcore__index_home(&set->index, hash);
    for (;;) {
        const int64_t number = alcore__index_next(&set->index, hash, slot);
        if (number < 0 || set->hash[number] == hash) return number;
    }
}

/* Makes room for `more` n-grams. */
static alcore_status reserve_ngrams(const alcore__run *run, ngram_set *set, int64_t more) {
    if (set->count + more > UINT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the texts have more than 2^32 different n-grams; max_n=1 has fewer");
    ALCORE__TRY(alcore__run_grow(run, &set->hash, &set->hash_capacity, set->count + more,
                                 sizeof *set->hash));
    ALCORE__TRY(alcore__run_grow(run, &set->texts, &set->texts_capacity, set->count + more,
                                 sizeof *set->texts));
    return alcore__index_reserve(run->ctx, &set->index, (size_t)more, 0, set->count + more);
}

static void add_ngram(ngram_set *set, size_t slot, uint64_t hash, uint32_t texts) {
    set->hash[set->count] = hash;
    set->texts[set->count] = texts;
    alcore__index_put(&set->index, slot, hash, set->count++);
}

/* How many hashes ahead the slot of one is fetched from memory. */
enum { AHEAD = 16 };

static void fetch(const ngram_set *set, uint64_t hash) {
    __builtin_prefetch(&set->index.slots[alcore__index_home(&set->index, hash)]);
}

static alcore_status count_ngrams(alcore__run *run, const alcore__block_partial *partial) {
    ngram_set *set = &((cover_state *)run->state)->ngrams;
    const uint64_t *hashes = (const uint64_t *)partial->extra + 1;
    const int64_t count = (int64_t)hashes[-1];
    ALCORE__TRY(reserve_ngrams(run, set, count));
    for (int64_t i = 0; i < count; i++) {
        size_t slot;
        if (i + AHEAD < count) fetch(set, hashes[i + AHEAD]);
        const int64_t number = find_ngram(set, hashes[i], &slot);
        if (number < 0)
            add_ngram(set, slot, hashes[i], 1);
        else
            set->texts[number]++;
    }
    return ALCORE_OK;
}

static void clear_index(const alcore__run *run, void *index) {
    alcore__index_clear(run->ctx, index);
}

/* Leaves out the n-grams that one text alone has, which weigh nothing. */
static alcore_status keep_repeated(alcore__run *run) {
    cover_state *state = run->state;
    ngram_set *set = &state->ngrams;
    int64_t kept = 0;
    alcore__index_clear(run->ctx, &set->index);
    for (int64_t i = 0; i < set->count; i++) {
        if (set->texts[i] < 2) continue;
        set->hash[kept] = set->hash[i];
        set->texts[kept++] = set->texts[i];
    }
    const int64_t count = kept;
    set->count = 0;
    ALCORE__TRY(alcore__index_reserve(run->ctx, &set->index, (size_t)count, 0, count + 1));
    for (int64_t i = 0; i < count; i++) {
        size_t slot;
        if (i + AHEAD < count) fetch(set, set->hash[i + AHEAD]);
        find_ngram(set, set->hash[i], &slot);
        add_ngram(set, slot, set->hash[i], set->texts[i]);
    }
    return ALCORE__RUN_ARRAY(run, count, &state->labeled);
}

/* ---- passes that find the n-grams of the set in texts ---- */

/* The partial: how many n-grams each text has of the set, uint32 [active rows], then their numbers.
 */
static size_t numbers_bytes(const alcore__block *block) {
    return (size_t)(block->count + most_ngrams(block)) * sizeof(uint32_t);
}

static alcore_status find_ngrams(alcore__block *block, void *partial) {
    const ngram_set *set = &((const cover_state *)block->run->state)->ngrams;
    uint32_t *counts = partial, *next = counts + block->count;
    ngram_reader reader;
    ALCORE__TRY(open_reader(block, &reader));
    if (set->count == 0) return ALCORE_OK;
    for (int64_t i = 0; i < block->count; i++) {
        const uint32_t *first = next;
        const int64_t count = read_ngrams(&reader, i, reader.hashes);
        for (int64_t g = 0; g < count; g++) fetch(set, reader.hashes[g]);
        for (int64_t g = 0; g < count; g++) {
            size_t slot;
            const int64_t number = find_ngram(set, reader.hashes[g], &slot);
            if (number >= 0) *next++ = (uint32_t)number;
        }
        counts[i] = (uint32_t)(next - first);
    }
    return ALCORE_OK;
}

static int64_t sum_of(const uint32_t *counts, int64_t count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += counts[i];
    return sum;
}

static alcore_status count_labeled(alcore__run *run, const alcore__block_partial *partial) {
    cover_state *state = run->state;
    const uint32_t *counts = partial->extra, *numbers = counts + partial->count;
    const int64_t sum = sum_of(counts, partial->count);
    for (int64_t i = 0; i < sum; i++) state->labeled[numbers[i]]++;
    return ALCORE_OK;
}

static alcore_status keep_found(alcore__run *run, const alcore__block_partial *partial) {
    cover_state *state = run->state;
    const uint32_t *counts = partial->extra, *numbers = counts + partial->count;
    const int64_t sum = sum_of(counts, partial->count);
    int64_t end = state->starts[partial->start];
    ALCORE__TRY(alcore__run_grow(run, &state->found, &state->found_capacity, end + sum,
                                 sizeof *state->found));
    if (sum > 0) memcpy(state->found + end, numbers, (size_t)sum * sizeof *numbers);
    for (int64_t i = 0; i < partial->count; i++)
        state->starts[partial->start + i + 1] = end += counts[i];
    return ALCORE_OK;
}

/* ---- the greedy choice ---- */

/* The part that a candidate is of a mean over all; 0 where all are 0. */
static double share(double value, double mean) {
    return mean > 0.0 ? value / mean : 0.0;
}

/* A text without length, which no budget buys where its cost is 0, has gain 0. */
static double gain_of(const cover_state *state, int64_t position) {
    const double tokens = state->tokens[ALCORE__OVER_CANDIDATES][position];
    const double length = share(alcore__filler_cost(&state->filler, position), state->mean_cost) +
                          state->length * share(tokens, state->mean_tokens) + state->overhead;
    double sum = 0.0;
    for (int64_t i = state->starts[position]; i < state->starts[position + 1]; i++)
        sum += state->weight[state->found[i]];
    return length > 0.0 ? sum / length : 0.0;
}

/* Whether entry a is chosen before b. */
static bool is_before(const cover_state *state, heap_entry a, heap_entry b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    return state->place ? state->place[a.position] < state->place[b.position]
                        : a.position < b.position;
}

/* Moves the entry at a place of the heap down to where it belongs. */
static void sift_down(cover_state *state, int64_t at) {
    heap_entry *heap = state->heap;
    const heap_entry entry = heap[at];
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= state->heap_count) break;
        if (child + 1 < state->heap_count && is_before(state, heap[child + 1], heap[child]))
            child++;
        if (!is_before(state, heap[child], entry)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void drop_head(cover_state *state) {
    state->heap[0] = state->heap[--state->heap_count];
    if (state->heap_count > 0) sift_down(state, 0);
}

/* Where each candidate stands among those of equal gain, with tie=random. */
static alcore_status draw_places(alcore__run *run) {
    cover_state *state = run->state;
    const int64_t count = run->outcome.count;
    double *equal;
    int64_t *order;
    if (run->input->fill.tie != ALCORE__TIE_RANDOM) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->place));
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &equal));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &order));
    ALCORE__TRY(alcore__rank(run->ctx, equal, run->outcome.rows, count, ALCORE__TIE_RANDOM,
                             run->input->seed, count, order));
    for (int64_t i = 0; i < count; i++) state->place[order[i]] = i;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Weighs the n-grams and measures every candidate once. */
static alcore_status fill_heap(alcore__run *run) {
    cover_state *state = run->state;
    const int64_t count = run->outcome.count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->ngrams.count, &state->weight));
    for (int64_t g = 0; g < state->ngrams.count; g++)
        state->weight[g] = pow((double)state->ngrams.texts[g] - 1, state->power) /
                           (1 + state->known * (double)state->labeled[g]);
    for (int64_t i = 0; i < count; i++) {
        state->mean_cost += alcore__filler_cost(&state->filler, i) / (double)count;
        state->mean_tokens += state->tokens[ALCORE__OVER_CANDIDATES][i] / (double)count;
    }
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->heap));
    for (int64_t i = 0; i < count; i++)
        state->heap[i] = (heap_entry){.gain = gain_of(state, i), .position = i};
    state->heap_count = count;
    for (int64_t i = count / 2 - 1; i >= 0; i--) sift_down(state, i);
    return ALCORE_OK;
}

/* Offers the head of the heap, whose gain is as it is now, and takes it out. */
static alcore_status offer_head(alcore__run *run) {
    cover_state *state = run->state;
    const heap_entry head = state->heap[0];
    bool bought;
    drop_head(state);
    run->outcome.scores[head.position] = head.gain;
    ALCORE__TRY(alcore__filler_offer(&state->filler, head.position, &bought));
    if (!bought) return ALCORE_OK;
    for (int64_t i = state->starts[head.position]; i < state->starts[head.position + 1]; i++)
        state->weight[state->found[i]] *= state->decay;
    return ALCORE_OK;
}

/* Buys until the budget is spent, texts of gain 0 last. The score of a text that was offered is its
 * gain then, that of any other the gain that it would add after the last pick. A head whose gain is
 * what it was is the best of all, as no other can have gained. */
static alcore_status finish(alcore__run *run) {
    cover_state *state = run->state;
    ALCORE__TRY(draw_places(run));
    ALCORE__TRY(fill_heap(run));
    for (int64_t turn = 0; state->heap_count > 0 && !alcore__filler_full(&state->filler); turn++) {
        if (turn % 1024 == 0)
            ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancel */
        const heap_entry head = state->heap[0];
        const double gain = gain_of(state, head.position);
        if (gain < head.gain) {
            state->heap[0].gain = gain;
            sift_down(state, 0);
        } else {
            ALCORE__TRY(offer_head(run));
        }
    }
    for (int64_t i = 0; i < state->heap_count; i++)
        run->outcome.scores[state->heap[i].position] = gain_of(state, state->heap[i].position);
    alcore__filler_finish(&state->filler);
    return ALCORE_OK;
}

/* ---- begin, passes, definition ---- */

static alcore_status begin(alcore__run *run) {
    cover_state *state = run->state;
    ALCORE__TRY(alcore__filler_begin(&state->filler, run));
    ALCORE__TRY(alcore__run_defer(run, clear_index, &state->ngrams.index));
    for (int32_t source = 0; source <= ALCORE__OVER_LABELED_POOL; source++)
        ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->active[source].count, &state->tokens[source]));
    return ALCORE__RUN_ARRAY(run, run->outcome.count + 1, &state->starts);
}

static const alcore__pass PASSES[] = {
    {.name = "tokens",
     .block = count_tokens,
     .partial = {.values = {ALCORE__VALUES(cover_state, tokens[ALCORE__OVER_CANDIDATES])}},
     .keeps_nothing = true},
    {.name = "n-grams",
     .block = hash_texts,
     .partial = {.extra = hashes_bytes, .reduce = count_ngrams},
     .keeps_nothing = true,
     .end = keep_repeated},
    {.name = "tokens of labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = count_tokens,
     .partial = {.values = {ALCORE__VALUES(cover_state, tokens[ALCORE__OVER_LABELED_ROWS])}}},
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = find_ngrams,
     .partial = {.extra = numbers_bytes, .reduce = count_labeled}},
    {.name = "tokens of the labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = count_tokens,
     .partial = {.values = {ALCORE__VALUES(cover_state, tokens[ALCORE__OVER_LABELED_POOL])}}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = find_ngrams,
     .partial = {.extra = numbers_bytes, .reduce = count_labeled}},
    {.name = "texts",
     .block = find_ngrams,
     .partial = {.extra = numbers_bytes, .reduce = keep_found},
     .keeps_nothing = true},
    {.name = NULL},
};

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, cover_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("max_n", INTEGER, "3", 1, ALCORE__TEXT_NGRAM_ORDERS, NULL,
                  "longest n-gram, in tokens", STATE(max_n)),
    ALCORE__PARAM("power", NUMBER, "0.5", 0, 4, NULL,
                  "an n-gram weighs the number of other texts that have it to this power, 0 "
                  "without such a text",
                  STATE(power)),
    ALCORE__PARAM(
        "known", NUMBER, "1", 0, 1e6, NULL,
        "weight of labeled texts: an n-gram that l of them have is divided by 1 + known l",
        STATE(known)),
    ALCORE__PARAM("decay", NUMBER, "0.5", 0, 1, NULL,
                  "what is left of the weight of an n-gram with each pick that has it",
                  STATE(decay)),
    ALCORE__PARAM("overhead", NUMBER, "0.15", 0, 1e9, NULL,
                  "added to the length of each text, in mean lengths", STATE(overhead)),
    ALCORE__PARAM("length", NUMBER, "2", 0, 1e9, NULL,
                  "weight of the tokens of a text beside its cost, by which its gain is divided",
                  STATE(length)),
    ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

static const char *const EXAMPLES[] = {"max_n=1 decay=0", "power=1 overhead=0", NULL};

const alcore__strategy_def alcore__strategy_ngram_cover = {
    .name = "ngram-cover",
    .summary = "Texts that have most of the pool's n-grams for their cost, which neither labeled "
               "texts nor other picks have (a budgeted submodular cover)",
    .examples = EXAMPLES,
    .measure = "gain",
    .params = &PARAMS,
    .state_bytes = sizeof(cover_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};
