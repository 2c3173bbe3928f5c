/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of words given the words before them, by backing off
 * (docs/spec/language-model.md): log10 p(w | h) = log10 p of the longest n-gram h' w that the model
 * has, plus the back-off weights (log10) of all contexts longer than h' up to h.
 *
 * The model (lm_internal.h): the slots of trie->table[n] give the number of an n-gram by the hash
 * of its context (the number of its first n - 1 words in order n - 1) and of its last word; by that
 * number entry[n] has the same two, log10 p, log10 gamma and its suffix (the number of its last
 * n - 1 words). Order 1 is trie->words and word[]. A log10 p above 0 means that the model lacks the
 * n-gram. The context of a word is the longest run of words before it that is an n-gram of the
 * model: its length in words, and its number in that order's table.
 *
 * A model of millions of n-grams lies in tables that no cache holds, and each look-up begins where
 * the one before left off, so a thread that reads one text waits for memory most of the time. This
 * file reads TOGETHER texts side by side. The search for a word is cut into steps, each of which
 * reads what the step before it prefetched; the texts make one step each in turn, and one whose
 * word is found goes on with its next word at once:
 *
 *     context  the entry of a context, longest first: its bits say of most words that do not follow
 *              it that they do not; then the context without its first word is next
 *     slot     a slot near by has the tag of the n-gram that is searched, or none has
 *     entry    the n-gram is compared
 *
 * An n-gram that is found costs a slot and an entry, one that the model does not have hardly ever
 * more than the entry of its context. The words of a text are looked up in the vocabulary
 * beforehand, AHEAD at a time, in three such steps. Prefetching changes no value, and each text is
 * read in its own order, so the logarithms are those of one text at a time. */
#include <math.h>
#include <string.h>

#ifdef __SSE2__ /* of every x86-64; elsewhere words are searched byte by byte */
#include <emmintrin.h>
#endif

#include "base/rng.h"
#include "text/lm_internal.h"
#include "text/words.h"

#define LN_10 2.302585092994045684

enum { TOGETHER = 64 }; /* texts read side by side: fewer leave memory idle in the last steps */
enum { AHEAD = 32 };    /* words of a text that are looked up at once */

/* ---- one word ---- */

/* What a search reads next. */
typedef enum step {
    STEP_CONTEXT, /* the entry of the context `tried`, whose weight is added */
    STEP_FOLLOW,  /* the entry of the context `tried`, of which nothing is known yet */
    STEP_SLOT,    /* the slot of the context and the word */
    STEP_ENTRY    /* the entry of the n-gram that the slot names */
} step;

/* The search for the longest n-gram that ends with a word. */
typedef struct search {
    alcore__lm_context context; /* of the word; when the word was found, that of the next word */
    alcore__lm_context tried;   /* the context that is tried now; length 0: none was found */
    step step;
    bool known;      /* weight and suffix are those of `tried` */
    uint32_t suffix; /* of the context `tried` in the order below */
    uint32_t word;   /* its number in the vocabulary */
    uint32_t tag;    /* of the n-gram in the table of order tried.length + 1 */
    size_t slot;     /* of that table, where the search stands */
    double weight;   /* log10 gamma of `tried` */
    double backoff;  /* log10 of the weights of the contexts longer than `tried` */
} search;

/* Prefetches an entry. Those of order N take 24 bytes, so a quarter of them lie in two lines. */
static inline void fetch_entry(const alcore_lm *lm, int32_t order, uint32_t number) {
    const char *entry = (const void *)alcore__lm_entry_of(lm, order, number);
    __builtin_prefetch(entry);
    __builtin_prefetch(entry + sizeof(alcore__lm_entry) - 1);
}

/* Prefetches the entry of the context `tried`. */
static inline void fetch_context(const alcore_lm *lm, const search *s) {
    if (s->tried.length > 1)
        __builtin_prefetch(alcore__lm_entry_of(lm, s->tried.length, s->tried.number));
    else
        __builtin_prefetch(&lm->word[s->tried.number]);
}

/* Prefetches the slot of the context `tried` and the word, which is read in the next step. */
static inline void try_context(const alcore_lm *lm, search *s) {
    const alcore__ngram_table *table = &lm->trie->table[s->tried.length + 1];
    s->step = STEP_SLOT;
    if (table->slots == 0) return;
    s->tag = alcore__ngram_tag(s->tried.number, s->word);
    s->slot = alcore__ngram_home(table, s->tag);
    __builtin_prefetch(&table->slot[s->slot]);
}

/* Reads what backing off from the context `tried` needs; returns alcore__lm_entry.following. */
static inline uint32_t read_context(const alcore_lm *lm, search *s) {
    const int32_t length = s->tried.length;
    s->known = true;
    if (length == 1) {
        s->weight = lm->word[s->tried.number].backoff;
        s->suffix = 0;
        return UINT32_MAX;
    }
    const alcore__lm_entry *entry = alcore__lm_entry_of(lm, length, s->tried.number);
    s->weight = alcore__lm_backoff(lm, length, s->tried.number);
    s->suffix = entry->suffix;
    return entry->following;
}

/* The model has no n-gram of `tried` and the word: the context without its first word is next. */
static inline void shorten(const alcore_lm *lm, search *s) {
    s->backoff += s->weight;
    s->tried.number = s->suffix;
    s->tried.length--;
    s->known = false;
    s->step = STEP_FOLLOW;
    if (s->tried.length > 0) fetch_context(lm, s);
}

/* The word follows none of the n-grams of the model that end the context. */
static inline void end_alone(const alcore_lm *lm, search *s, double *out) {
    *out = s->backoff + lm->word[s->word].logp;
    s->context = lm->order > 1 ? (alcore__lm_context){1, s->word} : (alcore__lm_context){0, 0};
}

/* Steps "context": reads the entry of the context `tried`; where the word may follow it the slot is
 * next, else the context gets shorter. */
static inline void follow_context(const alcore_lm *lm, search *s) {
    const uint32_t following = read_context(lm, s);
    if (s->step == STEP_FOLLOW && (following & alcore__lm_following(s->word)) != 0)
        try_context(lm, s);
    else
        shorten(lm, s);
}

/* Begins the search for a word in s->context. An n-gram that was just found is in the cache, so its
 * entry is read at once; that of the last N - 1 words of one of order N is not, and is read only if
 * the first slot fails: a word after a known n-gram of order N is often the end of another. */
static inline void begin_search(const alcore_lm *lm, search *s, uint32_t word) {
    s->word = word;
    s->tried = s->context;
    s->backoff = 0.0;
    s->known = false;
    s->step = STEP_FOLLOW;
    if (s->tried.length == lm->order - 1 && s->tried.length > 1)
        try_context(lm, s);
    else if (s->tried.length > 0)
        follow_context(lm, s);
}

/* Moves the search on to the next slot that has the tag, and prefetches the entry that it names; or
 * ends it at a free slot, where the context gets shorter. */
static inline void next_slot(const alcore_lm *lm, search *s, size_t slot) {
    const alcore__ngram_table *table = &lm->trie->table[s->tried.length + 1];
    uint32_t number = 0;
    if (table->slots > 0) {
        s->slot = alcore__ngram_candidate(table, slot, s->tag);
        number = table->slot[s->slot].number;
    }
    if (number > 0) {
        s->step = STEP_ENTRY;
        fetch_entry(lm, s->tried.length + 1, number - 1);
    } else if (s->known) {
        shorten(lm, s);
    } else {
        s->step = STEP_CONTEXT;
        fetch_context(lm, s);
    }
}

/* Step "entry": true when it is the n-gram that is searched. The first and the last words of every
 * n-gram of the model are n-grams of the model too, so the context of the next word is that n-gram,
 * or its last N - 1 words. */
static inline bool compare_entry(const alcore_lm *lm, search *s, double *out) {
    const int32_t n = s->tried.length + 1;
    const uint32_t number = lm->trie->table[n].slot[s->slot].number - 1;
    const alcore__lm_entry *entry = alcore__lm_entry_of(lm, n, number);
    if (entry->context != s->tried.number || entry->word != s->word) {
        const alcore__ngram_table *table = &lm->trie->table[n]; /* an n-gram of the same tag */
        next_slot(lm, s, alcore__ngram_next(table, s->slot, alcore__ngram_home(table, s->tag)));
        return false;
    }
    if (entry->logp > 0.0) { /* not in this model */
        if (s->known) {
            shorten(lm, s);
        } else {
            s->step = STEP_CONTEXT;
            fetch_context(lm, s);
        }
        return false;
    }
    *out = s->backoff + entry->logp;
    s->context = n < lm->order ? (alcore__lm_context){n, number}
                               : (alcore__lm_context){n - 1, entry->suffix};
    return true;
}

/* Makes a step of the search: reads what was prefetched, and prefetches what the next step reads.
 * True when the word is found, with its log10 probability in *out and the context of the next word
 * in s->context. */
static inline bool make_step(const alcore_lm *lm, search *s, double *out) {
    if (s->step == STEP_ENTRY) return compare_entry(lm, s, out);
    if (s->step == STEP_SLOT) {
        next_slot(lm, s, s->slot);
        return false;
    }
    if (s->tried.length == 0) {
        end_alone(lm, s, out);
        return true;
    }
    follow_context(lm, s);
    return false;
}

/* One word at a time, for callers whose words depend on each other; alcore__lm_tokens() is faster.
 */
double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *context, uint32_t word) {
    search s = {.context = *context};
    double log10_p;
    begin_search(lm, &s, word);
    while (!make_step(lm, &s, &log10_p)) continue;
    *context = s.context;
    return log10_p;
}

alcore__lm_context alcore__lm_begin(const alcore_lm *lm) {
    return lm->order > 1 ? (alcore__lm_context){1, ALCORE__LM_BEGIN} : (alcore__lm_context){0, 0};
}

/* The number by which word `number` of the vocabulary, or ALCORE__WORD_NONE, is scored. */
static inline uint32_t scored_as(const alcore_lm *lm, uint32_t number) {
    return number == ALCORE__WORD_NONE || number <= ALCORE__LM_END || lm->word[number].logp > 0.0
               ? ALCORE__LM_UNK
               : number;
}

/* The number by which a word of a text is scored: <unk> for a word that the model does not have,
 * and for a word that reads <s>, </s> or <unk>, whose numbers are up to ALCORE__LM_END. */
uint32_t alcore__lm_word_number(const alcore_lm *lm, uint64_t hash, const char *word,
                                size_t length) {
    return scored_as(lm, alcore__vocabulary_find_hashed(&lm->trie->words, hash, word, length));
}

/* The number of </s>, or <unk> where a model read from a file lacks it. */
uint32_t alcore__lm_end_number(const alcore_lm *lm) {
    return lm->word[ALCORE__LM_END].logp > 0.0 ? ALCORE__LM_UNK : ALCORE__LM_END;
}

/* ---- many texts ---- */

/* A text that is being read. */
typedef struct reading {
    const char *rest, *end; /* the text after the words of `number` */
    uint32_t number[AHEAD]; /* [count] the next words, by the numbers by which they are scored */
    int32_t next, count;    /* index in `number` of the word that is searched; how many there are */
    bool last;              /* the last of `number` is the end of the text */
    search search;          /* the search for the word */
    float *value;           /* where the next logarithm is written; NULL: they are summed */
    double *total;          /* the sum of the base-10 logarithms, where value is NULL */
} reading;

int64_t alcore__lm_token_count(const char *text, size_t length) {
    const char *rest = text, *end = text + length, *word;
    size_t bytes;
    int64_t count = 1;
    while (alcore__word_next(&rest, end, &word, &bytes)) count++;
    return count;
}

/* The natural logarithm, at most 0: the back-off weights of a model read from a file can lift a
 * probability above 1. */
static float natural(double log10_p) {
    return (float)fmin(log10_p * LN_10, 0.0);
}

/* A word of a text on its way through the vocabulary. */
typedef struct lookup {
    const char *word;
    size_t bytes;                 /* more than ALCORE__LM_SPELLED: spelling and tag are not set */
    alcore__lm_spelling spelling; /* of the word */
    uint32_t tag;                 /* of the spelling */
    size_t slot;                  /* of lm->spelled: the first that has the tag, or a free one */
} lookup;

/* The first `length` bytes, at most ALCORE__LM_SPELLED, of 16 as a spelling. */
static inline alcore__lm_spelling cut_spelling(alcore__lm_spelling bytes, size_t length) {
    const uint64_t ones = UINT64_MAX;
    const uint64_t low = length >= 8 ? ones : ~(ones << 8 * length);
    const uint64_t high = length <= 8 ? 0 : ~(ones << 8 * (length - 8));
    return (alcore__lm_spelling){
        {bytes.part[0] & low, (bytes.part[1] & high) | (uint64_t)length << 56}};
}

/* Finds the next word of a text and spells it; false at the end. Most words and the space behind
 * them lie in 16 bytes, which one comparison searches. */
static inline bool next_word(reading *text, lookup *out) {
    const char *next = text->rest, *const end = text->end;
    alcore__lm_spelling bytes = {{0, 0}};
#ifdef __SSE2__
    while (next < end && alcore__is_word_space(*next)) next++;
    if (end - next >= 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)next);
        const __m128i space =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8(' ')),
                                      _mm_cmpeq_epi8(block, _mm_set1_epi8('\n'))),
                         _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('\t')),
                                      _mm_cmpeq_epi8(block, _mm_set1_epi8('\r'))));
        const int spaces = _mm_movemask_epi8(space);
        if (spaces != 0) {
            out->word = next;
            out->bytes = (size_t)__builtin_ctz((unsigned)spaces);
            memcpy(&bytes, next, sizeof bytes);
            out->spelling = cut_spelling(bytes, out->bytes);
            text->rest = next + out->bytes;
            return true;
        }
    }
#endif
    text->rest = next;
    if (!alcore__word_next(&text->rest, end, &out->word, &out->bytes)) return false;
    if (out->bytes <= ALCORE__LM_SPELLED) {
        memcpy(&bytes, out->word, out->bytes);
        out->spelling = cut_spelling(bytes, out->bytes);
    }
    return true;
}

/* The number by which a word is scored; its slot was found, and the entry that it names
 * prefetched. */
static inline uint32_t number_of(const alcore_lm *lm, const lookup *found) {
    const alcore__ngram_table *table = &lm->spelled;
    if (found->bytes > ALCORE__LM_SPELLED)
        return alcore__lm_word_number(lm, alcore__hash64(found->word, found->bytes), found->word,
                                      found->bytes);
    const uint64_t low = found->spelling.part[0], high = found->spelling.part[1];
    for (size_t slot = found->slot;;) {
        const uint32_t number = table->slot[slot].number - 1; /* a free slot wraps to NONE */
        if (number == ALCORE__WORD_NONE) return ALCORE__LM_UNK;
        const alcore__lm_word *entry = &lm->word[number];
        if (entry->spelling.part[0] == low && entry->spelling.part[1] == high)
            return scored_as(lm, number);
        slot = alcore__ngram_next(table, slot, alcore__ngram_home(table, found->tag));
        slot = alcore__ngram_candidate(table, slot, found->tag);
    }
}

/* Looks up the next words of a text, at most AHEAD, and its end where fewer are left. Each of the
 * three loops reads what the one before it prefetched; words of more than ALCORE__LM_SPELLED bytes,
 * which are rare, are left to number_of(). */
static void look_up_words(const alcore_lm *lm, reading *text) {
    const alcore__ngram_table *table = &lm->spelled;
    lookup found[AHEAD];
    int32_t count = 0;
    while (count < AHEAD && next_word(text, &found[count])) {
        lookup *word = &found[count++];
        if (word->bytes > ALCORE__LM_SPELLED) continue;
        word->tag = alcore__lm_spelling_tag(word->spelling);
        word->slot = alcore__ngram_home(table, word->tag);
        __builtin_prefetch(&table->slot[word->slot]);
    }
    for (int32_t i = 0; i < count; i++) {
        lookup *word = &found[i];
        if (word->bytes > ALCORE__LM_SPELLED) continue;
        word->slot = alcore__ngram_candidate(table, word->slot, word->tag);
        const uint32_t number = table->slot[word->slot].number;
        if (number != 0) __builtin_prefetch(&lm->word[number - 1]);
    }
    for (int32_t i = 0; i < count; i++) text->number[i] = number_of(lm, &found[i]);
    text->last = count < AHEAD;
    if (text->last) text->number[count++] = alcore__lm_end_number(lm);
    text->next = 0;
    text->count = count;
}

/* Begins a text before its first word. */
static void begin_text(const alcore_lm *lm, const alcore__lm_text *text, reading *out) {
    if (!text->values) *text->total = 0.0;
    out->rest = text->text;
    out->end = text->text + text->length;
    out->search.context = alcore__lm_begin(lm);
    out->value = text->values;
    out->total = text->total;
    look_up_words(lm, out);
}

/* Writes or adds the word's logarithm; false when that was the end of the text. */
static bool finish_word(const alcore_lm *lm, reading *text, double log10_p) {
    if (text->value)
        *text->value++ = natural(log10_p);
    else
        *text->total += log10_p;
    if (++text->next < text->count) return true;
    if (text->last) return false;
    look_up_words(lm, text);
    return true;
}

/* Scores texts [count], at most TOGETHER at a time: open [open_count] are those being read. The
 * entry of a text that has ended is used by the next text; when no text is left to begin, the last
 * open entry is moved there. */
void alcore__lm_tokens(const alcore_lm *lm, const alcore__lm_text *texts, int64_t count) {
    reading open[TOGETHER];
    int64_t begun = 0;
    int open_count = 0;
    while (open_count < TOGETHER && begun < count) {
        reading *text = &open[open_count++];
        begin_text(lm, &texts[begun++], text);
        begin_search(lm, &text->search, text->number[text->next]);
    }
    while (open_count > 0) {
        for (int i = 0; i < open_count; i++) {
            reading *text = &open[i];
            double log10_p;
            if (!make_step(lm, &text->search, &log10_p)) continue;
            if (!finish_word(lm, text, log10_p)) {
                if (begun < count)
                    begin_text(lm, &texts[begun++], text);
                else {
                    *text = open[--open_count];
                    i--; /* so that the text that was moved here makes its step too */
                    continue;
                }
            }
            begin_search(lm, &text->search, text->number[text->next]);
        }
    }
}
