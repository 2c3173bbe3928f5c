/* SPDX-License-Identifier: Apache-2.0 */
/* The rarest words of a pick: those to which a model gave less than one chance in 10,000.
 *
 * The n-gram model has a log-probability for each word. A neural model has one for each token, of
 * which a word has several; by the chain rule their sum is that of the word. Which tokens a word
 * has is not stored: the column says which tokenizer cut which text (pool/column.h), and the text
 * of each pick is cut again, so that a column that comes from a cache names the same words, and
 * memory is that of one text. Where the number of tokens differs from that of the values, no word
 * is named: a model's output need not be cut as the tokenizer cuts its text.
 *
 * A token belongs to the word that its last character is of; one of white space alone, to the word
 * behind it. Cost: a pass over the tokens of each pick. */
#include "selection/selection_rare_words.h"

#include <string.h>

#include "alcore/sys/model.h"
#include "pool/number_type.h"
#include "text/words.h"

#define RARE_LOGPROB (-9.210340371976184) /* natural logarithm of 1 / 10,000 */
enum { RARE_WORDS = 3 /* that a reason names, at most */ };

/* ---- the list of the rarest words ---- */

/* A word of a pick's text, borrowed from the pool. */
typedef struct rare_word {
    const char *text; /* [length] */
    size_t length;
    double logprob; /* that the model gave it */
} rare_word;

/* Whether a byte is ASCII punctuation; no byte of a character beyond ASCII is. */
static bool is_mark(char c) {
    return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') ||
           (c > 'z' && c < 127);
}

/* The word without the ASCII punctuation around it. */
static void trim(rare_word *word) {
    while (word->length > 0 && is_mark(word->text[0])) word->text++, word->length--;
    while (word->length > 0 && is_mark(word->text[word->length - 1])) word->length--;
}

/* Inserts a word into rare [RARE_WORDS], of which *count are used: the least likely words, each
 * once, the least likely first. A word that is there already stays, or moves forward where the
 * new log-probability is smaller: it is removed and inserted anew. Where the list is full, the last
 * word is dropped, or the new one if it is likelier than all. */
static void keep_rare(rare_word *rare, int32_t *count, rare_word word) {
    for (int32_t i = 0; i < *count; i++) {
        if (rare[i].length != word.length || memcmp(rare[i].text, word.text, word.length) != 0)
            continue;
        if (word.logprob >= rare[i].logprob) return;
        memmove(&rare[i], &rare[i + 1], (size_t)(*count - i - 1) * sizeof *rare);
        (*count)--;
        break;
    }
    int32_t slot = *count;
    while (slot > 0 && rare[slot - 1].logprob > word.logprob) slot--;
    if (slot >= RARE_WORDS) return;
    int32_t last = *count < RARE_WORDS ? *count : RARE_WORDS - 1; /* entry that becomes the last */
    memmove(&rare[slot + 1], &rare[slot], (size_t)(last - slot) * sizeof *rare);
    rare[slot] = word;
    *count = last + 1;
}

/* ---- log-probabilities of words ---- */

/* The words of one text with their values, read from the first to the last. */
typedef struct reading {
    const char *text; /* [bytes] borrowed from the pool */
    size_t bytes;
    const char *values;           /* [tokens, or words + 1] of dtype */
    int32_t dtype;                /* a float type */
    double sign;                  /* as in alcore__rare_words */
    const alcore__tokens *tokens; /* of the text; NULL: each word has one value */
    bool with_special;            /* special tokens have values too */
    int64_t token, value;         /* the next of each */
} reading;

/* The next value times the sign; r->value is then the one behind it. */
static double next_value(reading *r) {
    const size_t at = (size_t)r->value++ * alcore_sys_dtype_bytes(r->dtype);
    return r->sign * alcore__widen(r->dtype, r->values + at);
}

/* The byte behind the last one of a token that is no white space; of white space alone, its end. */
static int64_t token_end(const reading *r, int64_t token) {
    const int64_t begin = r->tokens->spans[2 * token], end = r->tokens->spans[2 * token + 1];
    int64_t last = end;
    while (last > begin && alcore__is_word_space(r->text[last - 1])) last--;
    return last > begin ? last : end;
}

/* The log-probability of the next word, which ends before byte `end`: the sum over its tokens; 0
 * where it has none. */
static double next_word(reading *r, size_t end) {
    if (!r->tokens) return next_value(r);
    double sum = 0;
    for (; r->token < r->tokens->offsets[1]; r->token++) {
        if (r->tokens->marks[r->token] & ALCORE_SYS_TOKEN_SPECIAL) {
            r->value += r->with_special;
            continue;
        }
        if (token_end(r, r->token) > (int64_t)end) break;
        sum += next_value(r);
    }
    return sum;
}

/* Cuts the text of the reading as the column says, which has `values` values of it; *aligned:
 * whether there are as many as of its tokens. References are scored with their special tokens,
 * losses of masked words are without them, and outputs, of which the decoder made some special ones
 * and not others, may be either. */
static alcore_status cut_text(alcore__rare_words *self, int64_t values, reading *r, bool *aligned) {
    const alcore__column_tokens *how = &self->values->tokens;
    const alcore__texts texts = {&r->text, &r->bytes, 1};
    const alcore__encoding encoding = {
        .max_tokens = how->max_tokens, .as_target = how->as_target, .language = how->language};
    int64_t special = 0;
    self->tokens.count = 0; /* encoding adds to what is there */
    ALCORE__TRY(alcore__tokenizer_encode(how->tokenizer, &texts, NULL /* no pairs */, &encoding,
                                         &self->tokens));
    const int64_t count = self->tokens.offsets[1];
    for (int64_t t = 0; t < count; t++)
        special += (self->tokens.marks[t] & ALCORE_SYS_TOKEN_SPECIAL) != 0;
    r->tokens = &self->tokens;
    r->with_special = how->as_target && values == count;
    *aligned = r->with_special || (!how->of_references && values == count - special);
    return ALCORE_OK;
}

/* Sets the reading to the text of a row, whose values are `items`, and the first word; *aligned:
 * whether it is known which words the values are of. One value for each word comes with one for the
 * end of the text, which is passed over. */
static alcore_status begin_text(alcore__rare_words *self, int64_t row,
                                const alcore_sys_ragged *items, reading *r, bool *aligned) {
    const alcore__column *column = self->values;
    const int64_t values = items->offsets[1] - items->offsets[0];
    *r = (reading){.values = items->values, .dtype = items->dtype, .sign = self->sign};
    r->text = column->tokens.of_references ? alcore_pool_reference(self->pool, row, &r->bytes)
                                           : alcore_pool_text(self->pool, row, &r->bytes);
    *aligned = false;
    if (!r->text) return ALCORE_OK;
    if (!column->per_word) return cut_text(self, values, r, aligned);
    *aligned = values == alcore_pool_words(self->pool, row) + 1;
    return ALCORE_OK;
}

/* ---- the column ---- */

/* The columns whose values are of tokens of a text, and what makes log-probabilities of them. */
static const struct {
    const char *name;
    double sign;
} known[] = {{"logprobs", 1}, {"mlm_losses", -1}};

/* Only a column that the strategy read explains a pick, hence the look at the inputs of the
 * ranking. Where the pool is one of phrases these also name columns of the texts, which the pool of
 * phrases does not have. */
void alcore__rare_words_init(alcore__rare_words *self, const alcore__ranking *ranking) {
    *self = (alcore__rare_words){.pool = ranking->pool};
    for (int32_t i = 0; i < ranking->input_column_count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known && !self->values; k++) {
            const alcore__input_column *input = &ranking->input_columns[i];
            if (input->role != ALCORE_ROLE_CANDIDATES || strcmp(input->name, known[k].name) != 0)
                continue;
            const alcore__column *column = alcore__pool_find_column(ranking->pool, input->name);
            if (!column || !(column->per_word || column->tokens.tokenizer)) continue;
            self->values = column;
            self->sign = known[k].sign;
        }
}

void alcore__rare_words_clear(alcore_ctx *ctx, alcore__rare_words *self) {
    /* Like every handle, a tokenizer begins with its object; the tokens are in its memory. */
    const alcore__object *tokenizer = self->values ? (void *)self->values->tokens.tokenizer : NULL;
    if (tokenizer) alcore__tokens_clear(tokenizer->ctx, &self->tokens);
    alcore__scratch_clear(ctx, &self->scratch);
}

/* Words are compared without the punctuation around them. A row of the column without a value has
 * none. Models make floats, natural logarithms. */
alcore_status alcore__rare_words_put(alcore__rare_words *self, alcore_ctx *ctx, int64_t row,
                                     alcore__buffer *line) {
    alcore_sys_ragged items;
    reading r;
    bool aligned;
    if (!self->values || !alcore__column_has(self->values, row)) return ALCORE_OK;
    ALCORE__TRY(self->values->ops->ragged(self->values, row, 1, &self->scratch, &items));
    ALCORE__TRY(begin_text(self, row, &items, &r, &aligned));
    if (!aligned) return ALCORE_OK;
    rare_word rare[RARE_WORDS], word;
    int32_t count = 0;
    const char *rest = r.text, *end = r.text + r.bytes;
    while (alcore__word_next(&rest, end, &word.text, &word.length)) {
        word.logprob = next_word(&r, (size_t)(rest - r.text));
        trim(&word);
        if (word.length > 0 && word.logprob < RARE_LOGPROB) keep_rare(rare, &count, word);
    }
    for (int32_t i = 0; i < count; i++) {
        const char *lead = i == 0 ? "; rare words: " : ", ";
        ALCORE__TRY(alcore__buffer_append(ctx, line, lead, strlen(lead)));
        ALCORE__TRY(alcore__buffer_append(ctx, line, rare[i].text, rare[i].length));
    }
    return ALCORE_OK;
}
