/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding texts (encoding.h): added tokens are cut out, the rest is normalized, cut into words,
 * and each word into tokens; the template says which special tokens stand around them.
 *
 * Many texts are encoded in blocks of BLOCK_TEXTS on the context's threads, ROUND_BLOCKS blocks in
 * a round. Each block has tokens of its own, which are put together in the order of the texts after
 * the round, so that the number of threads changes nothing. Memory: that of ROUND_BLOCKS blocks
 * beside the result. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/model.h"
#include "text/utf8.h"
#include "text/words.h"
#include "tokenizer/language.h"
#include "tokenizer/tokenizer_handle.h"

static const char STAGE[] = "tokenizing";
enum { BLOCK_TEXTS = 64, ROUND_BLOCKS = 256, POLL_WORDS = 4096 };
/* An encoder with more memory than this is freed after a call, a smaller one is kept for the next
 * call (alcore_tokenizer.spare): 4 MiB are enough for texts of 100 KB. */
enum { MOST_SPARE_BYTES = 4 << 20 };

/* The memory that one thread works in; it is reused from text to text. */
typedef struct alcore__encoder {
    alcore__normalizer_scratch normalizer;
    alcore__pre_tokenizer_scratch pre;
    alcore__pieces pieces;
    alcore__aligned repaired; /* a text with U+FFFD for what is not UTF-8 */
} alcore__encoder;

void alcore__encoder_free(alcore_ctx *ctx, alcore__encoder *encoder) {
    if (!encoder) return;
    alcore__normalizer_scratch_clear(ctx, &encoder->normalizer);
    alcore__pre_tokenizer_scratch_clear(ctx, &encoder->pre);
    alcore__pieces_clear(ctx, &encoder->pieces);
    alcore__aligned_clear(ctx, &encoder->repaired);
    alcore__free(ctx, encoder);
}

static size_t text_bytes(const alcore__aligned *text) {
    return text->text_capacity + text->source_capacity * sizeof *text->source;
}

/* About how much memory an encoder owns, in bytes. It grows with the longest text so far. */
static size_t encoder_bytes(const alcore__encoder *e) {
    return text_bytes(&e->normalizer.text[0]) + text_bytes(&e->normalizer.text[1]) +
           text_bytes(&e->pre.text[0]) + text_bytes(&e->pre.text[1]) +
           text_bytes(&e->pre.prefixed) + text_bytes(&e->repaired) + e->pieces.scratch_bytes +
           (e->pre.words[0].capacity + e->pre.words[1].capacity) * sizeof(alcore__word) +
           (e->normalizer.changes.capacity + e->normalizer.form.decomposed.capacity +
            e->normalizer.form.composed.capacity) *
               sizeof(alcore__change);
}

/* ---- the tokens of one text ---- */

/* The text that is being encoded, or both texts of a pair, one after the other. */
typedef struct encoding {
    alcore_ctx *ctx;
    const alcore_tokenizer *tokenizer;
    const alcore__normalizer *normalizer;
    const alcore__token_model *model;
    alcore__encoder *encoder;
    alcore__tokens *out;
    size_t count;     /* tokens in out, those of earlier texts included */
    size_t first;     /* index in out of the first token of this text */
    size_t most;      /* `count` at which this text is cut off */
    int64_t type;     /* type of the tokens of this text, 0 or 1 */
    uint8_t mark;     /* that all tokens of this text have: 0 or ALCORE__TOKEN_SECOND */
    const char *text; /* [length] the original, to which spans refer */
    size_t length;
    size_t seen; /* bytes of the original that word_mark() has read */
    bool gap;    /* white space was read since the last token, or there was no token yet */
} encoding;

/* Makes memory for `need` tokens in all arrays of *out, those that it has included. */
static alcore_status reserve_tokens(alcore_ctx *ctx, alcore__tokens *out, size_t need) {
    if (need <= out->capacity) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(ctx, &out->ids, &out->ids_capacity, need, sizeof *out->ids));
    ALCORE__TRY(alcore__grow(ctx, &out->types, &out->types_capacity, need, sizeof *out->types));
    ALCORE__TRY(alcore__grow(ctx, &out->marks, &out->marks_capacity, need, sizeof *out->marks));
    ALCORE__TRY(alcore__grow(ctx, &out->spans, &out->spans_capacity, need, 2 * sizeof *out->spans));
    out->capacity = out->ids_capacity;
    if (out->types_capacity < out->capacity) out->capacity = out->types_capacity;
    if (out->marks_capacity < out->capacity) out->capacity = out->marks_capacity;
    if (out->spans_capacity < out->capacity) out->capacity = out->spans_capacity;
    return ALCORE_OK;
}

/* Writes token `at` of *out, for which there is memory. */
static void put_token(alcore__tokens *out, size_t at, int64_t id, int64_t type, uint8_t mark,
                      alcore__source source) {
    out->ids[at] = id;
    out->types[at] = type;
    out->marks[at] = mark;
    out->spans[2 * at] = source.begin;
    out->spans[2 * at + 1] = source.end;
}

/* ALCORE_SYS_TOKEN_WORD if a token is the first one of a word of the original text, else 0: white
 * space, or the beginning of the text, stands between its first character and the token before.
 * Tokens come in the order of the text, so that each byte of it is read once. */
static uint8_t word_mark(encoding *self, alcore__source source) {
    uint8_t mark = 0;
    size_t i = self->seen;
    bool gap = self->gap;
    for (; i < source.begin; i++) gap = gap || alcore__is_word_space(self->text[i]);
    for (; i < source.end; i++) {
        if (alcore__is_word_space(self->text[i])) {
            gap = true;
        } else {
            if (gap) mark = ALCORE_SYS_TOKEN_WORD;
            gap = false;
        }
    }
    self->seen = i;
    self->gap = gap;
    return mark;
}

/* In ByteLevel's map U+0120 stands for a space. */
static bool is_mapped_space(int32_t point) {
    return point == 0x120 || alcore__utf8_is_space(point);
}

/* How many characters of white space a token, text [length], begins with. */
static size_t spaces_before(const char *text, size_t length) {
    size_t count = 0;
    for (size_t next = 0; next < length; count++)
        if (!is_mapped_space(alcore__utf8_next(text, length, &next))) break;
    return count;
}

/* Whether the byte at `offset` is not the first one of its character in UTF-8. */
static bool continues(const char *text, size_t offset) {
    return ((unsigned char)text[offset] & 0xC0) == 0x80;
}

/* How many characters of white space it ends with. */
static size_t spaces_behind(const char *text, size_t length) {
    size_t count = 0;
    for (size_t end = length; end > 0; count++) {
        size_t begin = end - 1;
        while (begin > 0 && continues(text, begin)) begin--;
        size_t next = begin;
        if (!is_mapped_space(alcore__utf8_next(text, end, &next))) break;
        end = begin;
    }
    return count;
}

/* The span of a token, text [length] after all rewriting, without the white space at both ends of
 * the token. source: its span with that, in bytes of self->text. For each space of the token one
 * character of the original text is left out, whatever character it is: that is what the package
 * tokenizers does. A single space before the first token of a text is the one that ByteLevel added:
 * no character of the text belongs to it. */
static alcore__source trim(const encoding *self, const char *text, size_t length,
                           alcore__source source) {
    size_t before = spaces_before(text, length), behind = spaces_behind(text, length);
    const bool first = self->count == self->first || source.begin == 0;
    if (before == 1 && first && self->tokenizer->post.add_prefix_space) before = 0;
    for (; before > 0 && source.begin < source.end; before--) {
        source.begin++;
        while (source.begin < source.end && continues(self->text, source.begin)) source.begin++;
    }
    uint32_t end = source.end;
    for (; behind > 0 && end > 0; behind--) {
        end--;
        while (end > 0 && continues(self->text, end)) end--;
    }
    /* Where the original has fewer characters before the end, the end stays, as in the package. */
    if (behind == 0) source.end = end > source.begin ? end : source.begin;
    return source;
}

/* Adds the token that bytes begin .. end - 1 of a view became; *out has memory for it. */
static void add_token(encoding *self, const alcore__view *view, size_t begin, size_t end,
                      int64_t id) {
    alcore__source source = alcore__view_source(view, begin, end);
    const uint8_t mark = word_mark(self, source);
    if (self->tokenizer->post.trim_offsets)
        source = trim(self, view->text + begin, end - begin, source);
    put_token(self->out, self->count, id, self->type, mark | self->mark, source);
    self->count++;
}

/* Adds the tokens of a piece of normalized text between added tokens (a `between`). The last word
 * may exceed self->most by some tokens, which add_text() drops. */
static alcore_status add_words(encoding *self, const alcore__view *piece) {
    const alcore__words *words;
    alcore__view text;
    alcore__pieces *pieces = &self->encoder->pieces;
    ALCORE__TRY(alcore__pre_tokenizer_run(self->ctx, &self->tokenizer->pre, piece,
                                          &self->encoder->pre, &text, &words));
    for (size_t w = 0; w < words->count && self->count < self->most; w++) {
        const alcore__word word = words->word[w];
        if (w % POLL_WORDS == POLL_WORDS - 1) ALCORE__TRY(alcore__tick(self->ctx, NULL, 0, 0));
        pieces->count = 0;
        ALCORE__TRY(alcore__token_model_cut(self->ctx, self->model, text.text + word.begin,
                                            word.end - word.begin, pieces));
        ALCORE__TRY(reserve_tokens(self->ctx, self->out, self->count + pieces->count));
        for (size_t i = 0; i < pieces->count; i++)
            add_token(self, &text, word.begin + pieces->piece[i].begin,
                      word.begin + pieces->piece[i].end, pieces->piece[i].id);
    }
    return ALCORE_OK;
}

/* Adds the tokens of a piece of text that stands between added tokens. */
typedef alcore_status (*between)(encoding *self, const alcore__view *piece);
/* Adds the tokens of a view: each text of the finder becomes its added token, and what stands
 * between them is passed to `add`. This runs twice, one call within the other: over the raw text
 * with add_piece(), and in add_piece() over the normalized text with add_words(). */
static alcore_status add_around(encoding *self, const alcore__view *view,
                                const alcore__added_finder *finder, between add) {
    const alcore__added_tokens *added = &self->tokenizer->added;
    size_t after = 0, next = 0;
    while (self->count < self->most) {
        const alcore__added_match match =
            alcore__added_find(added, finder, view->text, view->length, after, &next);
        if (match.begin > after) {
            const alcore__view piece = alcore__view_slice(view, after, match.begin);
            ALCORE__TRY(add(self, &piece));
        }
        if (self->count >= self->most) break;
        if (match.end <= match.begin) {
            if (next == view->length) break; /* there is no further match */
            continue; /* white space that the match before covers already (its rstrip) */
        }
        ALCORE__TRY(reserve_tokens(self->ctx, self->out, self->count + 1));
        add_token(self, view, match.begin, match.end, added->token[match.token].id);
        after = match.end;
    }
    return ALCORE_OK;
}

/* Adds the code of a language that a text begins with, ">>de<<" (Marian), as one token, and removes
 * it from *text. A code that the model lacks becomes one token <unk>, which each Marian model has
 * (sentencepiece_model.c refuses one without). */
static alcore_status add_language_code(encoding *self, alcore__view *text) {
    if (text->length < 4 || memcmp(text->text, ">>", 2) != 0) return ALCORE_OK;
    const char *mark = memmem(text->text, text->length, "<<", 2);
    if (!mark) return ALCORE_OK;
    const size_t end = (size_t)(mark - text->text) + 2;
    int64_t id = alcore__token_model_id(self->model, text->text, end);
    if (id < 0) id = alcore__token_model_id(self->model, "<unk>", 5);
    ALCORE__TRY(reserve_tokens(self->ctx, self->out, self->count + 1));
    add_token(self, text, 0, end, id);
    *text = alcore__view_slice(text, end, text->length);
    return ALCORE_OK;
}

/* Adds the tokens of a piece of raw text between added tokens (a `between`). */
static alcore_status add_piece(encoding *self, const alcore__view *piece) {
    alcore__view raw = *piece, view;
    if (self->tokenizer->language_codes) ALCORE__TRY(add_language_code(self, &raw));
    ALCORE__TRY(alcore__normalizer_run(self->ctx, self->normalizer, &raw,
                                       &self->encoder->normalizer, &view));
    return add_around(self, &view, &self->tokenizer->added.normalized, add_words);
}

/* Writes the text with each malformed sequence as U+FFFD to encoder->repaired. That stems from the
 * bytes of the sequence, so that spans still refer to the original text. */
static alcore_status repair(encoding *self) {
    alcore__aligned *out = &self->encoder->repaired;
    const alcore__view view = {self->text, NULL, self->length, 0};
    size_t done = 0, next = 0, polled = 0;
    ALCORE__TRY(alcore__aligned_start(self->ctx, out, 0, self->length));
    while (next < self->length) {
        ALCORE__TRY(alcore__poll_text(self->ctx, next, &polled));
        const size_t begin = next;
        if (alcore__utf8_next(self->text, self->length, &next) >= 0) continue;
        ALCORE__TRY(alcore__aligned_reserve(self->ctx, out, begin - done + 3));
        alcore__aligned_copy(out, &view, done, begin);
        alcore__aligned_list_sources(out);
        alcore__aligned_put(out, "\xEF\xBF\xBD", 3,
                            (alcore__source){(uint32_t)begin, (uint32_t)next});
        done = next;
    }
    ALCORE__TRY(alcore__aligned_reserve(self->ctx, out, self->length - done));
    alcore__aligned_copy(out, &view, done, self->length);
    return ALCORE_OK;
}

/* Adds the tokens of a text [length], the first `limit` of them at most. type: that of its tokens.
 * Bytes are counted in 32 bits; the bound of 1 GiB leaves a margin for steps that make the text
 * longer, and alcore__aligned_reserve() refuses more than 4 GiB. */
static alcore_status add_text(encoding *self, const char *text, size_t length, int64_t type,
                              size_t limit) {
    alcore__view view = {text, NULL, length, 0};
    if (length > UINT32_MAX / 4)
        return alcore__fail(ALCORE_E_INVALID, "a text of %zu bytes: 1 GiB is the most", length);
    self->text = text;
    self->length = length;
    self->type = type;
    self->first = self->count;
    self->most = limit > SIZE_MAX - self->count ? SIZE_MAX : self->count + limit;
    self->seen = 0;
    self->gap = true;
    if (alcore__utf8_check(text, length) < length) {
        ALCORE__TRY(repair(self));
        view = alcore__aligned_view(&self->encoder->repaired);
    }
    ALCORE__TRY(add_around(self, &view, &self->tokenizer->added.raw, add_piece));
    if (self->count > self->most) self->count = self->most;
    return ALCORE_OK;
}

/* ---- one text or pair with its special tokens ---- */

/* What all texts of a call have in common. All is borrowed, and read by all threads. */
typedef struct call {
    alcore_ctx *ctx;
    const alcore_tokenizer *tokenizer;
    const alcore__texts *texts, *pairs; /* pairs may be NULL */
    const alcore__encoding *how;
    const alcore__template *pieces;
    int64_t language; /* id of the token of the texts' language; -1: as the template has it */
    size_t limit;     /* tokens that a text, or a pair, may have beside special ones */
} call;

/* Adds the special tokens of a piece of the template; language: as in call. */
static alcore_status add_special(encoding *self, const alcore__template_piece *piece,
                                 int64_t language) {
    ALCORE__TRY(reserve_tokens(self->ctx, self->out, self->count + piece->count));
    for (size_t i = 0; i < piece->count; i++)
        put_token(self->out, self->count++,
                  piece->language && language >= 0 ? language : piece->ids[i], piece->type,
                  ALCORE_SYS_TOKEN_SPECIAL, (alcore__source){0, 0});
    return ALCORE_OK;
}

/* Appends text or pair `index` to *out, whose offsets have memory for one more. After a failure the
 * count is as before, and offsets and tokens behind it are ignored. */
static alcore_status encode_one(const call *c, alcore__encoder *encoder, int64_t index,
                                alcore__tokens *out) {
    const alcore_tokenizer *tokenizer = c->tokenizer;
    const bool target = c->how->as_target && tokenizer->target_model;
    encoding self = {.ctx = c->ctx,
                     .tokenizer = tokenizer,
                     .normalizer = target ? &tokenizer->target_normalizer : &tokenizer->normalizer,
                     .model = target ? tokenizer->target_model : tokenizer->model,
                     .encoder = encoder,
                     .out = out};
    size_t limit = c->limit;
    self.count = (size_t)out->offsets[out->count];
    for (size_t i = 0; i < c->pieces->count; i++) {
        const alcore__template_piece *piece = &c->pieces->piece[i];
        if (piece->kind == ALCORE__TEMPLATE_SPECIAL) {
            if (!c->how->without_special) ALCORE__TRY(add_special(&self, piece, c->language));
            continue;
        }
        size_t length;
        const char *text = alcore__texts_get(
            piece->kind == ALCORE__TEMPLATE_SECOND ? c->pairs : c->texts, index, &length);
        const size_t before = self.count;
        const bool second = piece->kind == ALCORE__TEMPLATE_SECOND;
        self.mark = second && c->how->mark_second ? ALCORE__TOKEN_SECOND : 0;
        ALCORE__TRY(add_text(&self, text, length, piece->type, limit));
        limit -= self.count - before;
    }
    out->offsets[++out->count] = (int64_t)self.count;
    return ALCORE_OK;
}

/* ---- many texts ---- */

/* Makes memory for the offsets of `texts` more texts; the first time, it also sets offsets[0]. */
static alcore_status reserve_offsets(alcore_ctx *ctx, alcore__tokens *out, int64_t texts) {
    const bool fresh = !out->offsets;
    ALCORE__TRY(alcore__grow(ctx, &out->offsets, &out->texts_capacity,
                             (size_t)(out->count + texts) + 1, sizeof *out->offsets));
    if (fresh) out->offsets[0] = 0;
    return ALCORE_OK;
}

/* Appends texts begin .. end - 1 to *out. A message names the text, unless there is only one. */
static alcore_status encode_range(const call *c, alcore__encoder *encoder, int64_t begin,
                                  int64_t end, alcore__tokens *out) {
    ALCORE__TRY(reserve_offsets(c->ctx, out, end - begin));
    for (int64_t i = begin; i < end; i++) {
        ALCORE__TRY(alcore__tick(c->ctx, NULL, 0, 0));
        const alcore_status status = encode_one(c, encoder, i, out);
        if (status != ALCORE_OK)
            return c->texts->count > 1 && status != ALCORE_E_CANCELLED
                       ? alcore__fail_within(status, "text %" PRId64, i)
                       : status;
    }
    return ALCORE_OK;
}

/* The blocks that are encoded at once. */
typedef struct round {
    const call *call;
    alcore__encoder **encoder; /* [threads] by worker, owned but for 0; NULL: not made yet */
    alcore__tokens *block;     /* [ROUND_BLOCKS] owned, overwritten in each round */
    int64_t begin;             /* first text of the first block */
} round_of_blocks;

/* Makes an empty encoder if *encoder is NULL. */
static alcore_status ready_encoder(alcore_ctx *ctx, alcore__encoder **encoder) {
    return *encoder ? ALCORE_OK : alcore__new_array(ctx, 1, sizeof **encoder, encoder);
}

/* Encodes a block of the round (an alcore__task; index: the block). The last one may be shorter. */
static alcore_status encode_block(void *data, int64_t index, int32_t worker) {
    const round_of_blocks *r = data;
    const int64_t begin = r->begin + index * BLOCK_TEXTS;
    const int64_t left = r->call->texts->count - begin;
    alcore__tokens *out = &r->block[index];
    out->count = 0;
    ALCORE__TRY(ready_encoder(r->call->ctx, &r->encoder[worker]));
    return encode_range(r->call, r->encoder[worker], begin,
                        begin + (left < BLOCK_TEXTS ? left : BLOCK_TEXTS), out);
}

/* Appends the tokens of a block to the result; its offsets are moved by those that are there. */
static alcore_status append(alcore_ctx *ctx, const alcore__tokens *block, alcore__tokens *out) {
    ALCORE__TRY(reserve_offsets(ctx, out, block->count));
    const size_t begin = (size_t)out->offsets[out->count];
    const size_t more = (size_t)block->offsets[block->count];
    ALCORE__TRY(reserve_tokens(ctx, out, begin + more));
    if (more > 0) {
        memcpy(out->ids + begin, block->ids, more * sizeof *out->ids);
        memcpy(out->types + begin, block->types, more * sizeof *out->types);
        memcpy(out->marks + begin, block->marks, more * sizeof *out->marks);
        memcpy(out->spans + 2 * begin, block->spans, 2 * more * sizeof *out->spans);
    }
    for (int64_t i = 1; i <= block->count; i++)
        out->offsets[out->count + i] = (int64_t)begin + block->offsets[i];
    out->count += block->count;
    return ALCORE_OK;
}

/* Encodes all texts, a round at a time. */
static alcore_status encode_rounds(round_of_blocks *r, alcore__tokens *out) {
    const call *c = r->call;
    const int64_t texts = c->texts->count;
    for (r->begin = 0; r->begin < texts; r->begin += ROUND_BLOCKS * BLOCK_TEXTS) {
        const int64_t left = (texts - r->begin + BLOCK_TEXTS - 1) / BLOCK_TEXTS;
        const int64_t blocks = left < ROUND_BLOCKS ? left : ROUND_BLOCKS;
        ALCORE__TRY(alcore__tick(c->ctx, STAGE, r->begin, texts));
        ALCORE__TRY(alcore__parallel(c->ctx, NULL, blocks, encode_block, r));
        for (int64_t i = 0; i < blocks; i++) ALCORE__TRY(append(c->ctx, &r->block[i], out));
    }
    return ALCORE_OK;
}

/* Encodes more texts than one block has. *first: the encoder of worker 0, which stays the caller's;
 * those of the other workers live only here. */
static alcore_status encode_many(const call *c, alcore__encoder **first, alcore__tokens *out) {
    const int32_t threads = alcore_ctx_threads(c->ctx);
    round_of_blocks r = {.call = c};
    alcore_status status =
        alcore__new_array(c->ctx, (size_t)threads, sizeof *r.encoder, &r.encoder);
    if (status == ALCORE_OK)
        status = alcore__new_array(c->ctx, ROUND_BLOCKS, sizeof *r.block, &r.block);
    if (status == ALCORE_OK) {
        r.encoder[0] = *first;
        status = encode_rounds(&r, out);
        *first = r.encoder[0];
        for (int i = 0; i < ROUND_BLOCKS; i++) alcore__tokens_clear(c->ctx, &r.block[i]);
        for (int32_t i = 1; i < threads; i++) alcore__encoder_free(c->ctx, r.encoder[i]);
    }
    alcore__free(c->ctx, r.block);
    alcore__free(c->ctx, r.encoder);
    return status;
}

/* Encodes all texts of a call with the spare encoder, and leaves it to the next call. Of calls that
 * run at the same time only one gets the spare one; of their encoders the last one is kept. */
static alcore_status run(const call *c, alcore__tokens *out) {
    alcore_tokenizer *owner = c->tokenizer->object.self; /* the same, but not const */
    alcore__encoder *encoder = atomic_exchange(&owner->spare, NULL);
    alcore_status status = reserve_offsets(c->ctx, out, 0);
    const int64_t before = out->count;
    if (status == ALCORE_OK) status = ready_encoder(c->ctx, &encoder);
    if (status == ALCORE_OK)
        status = c->texts->count > BLOCK_TEXTS ? encode_many(c, &encoder, out)
                                               : encode_range(c, encoder, 0, c->texts->count, out);
    if (status != ALCORE_OK) out->count = before;
    if (encoder && encoder_bytes(encoder) > MOST_SPARE_BYTES) {
        alcore__encoder_free(c->ctx, encoder);
        encoder = NULL;
    }
    if (encoder) alcore__encoder_free(c->ctx, atomic_exchange(&owner->spare, encoder));
    return status;
}

/* Chooses the template, finds the token of the language and what the special tokens leave of
 * max_tokens, then encodes. */
alcore_status alcore__tokenizer_encode(const alcore_tokenizer *tokenizer,
                                       const alcore__texts *texts, const alcore__texts *pairs,
                                       const alcore__encoding *how, alcore__tokens *out) {
    call c = {.ctx = tokenizer->object.ctx,
              .tokenizer = tokenizer,
              .texts = texts,
              .pairs = pairs,
              .how = how,
              .pieces = pairs ? &tokenizer->post.pair : &tokenizer->post.single,
              .limit = SIZE_MAX};
    ALCORE__TRY(alcore__language_token(tokenizer, how->language, how->as_target, &c.language));
    if (how->max_tokens < 0)
        return alcore__fail(ALCORE_E_PARAM, "max_tokens is %" PRId64 ": use 0 or more",
                            how->max_tokens);
    if (how->max_tokens > 0) {
        const size_t specials = how->without_special ? 0 : alcore__template_specials(c.pieces);
        if ((uint64_t)how->max_tokens < specials)
            return alcore__fail(ALCORE_E_PARAM,
                                "max_tokens is %" PRId64 ", but there are %zu special tokens",
                                how->max_tokens, specials);
        c.limit = (size_t)how->max_tokens - specials;
    }
    return run(&c, out);
}

void alcore__tokens_clear(alcore_ctx *ctx, alcore__tokens *tokens) {
    alcore__free(ctx, tokens->offsets);
    alcore__free(ctx, tokens->ids);
    alcore__free(ctx, tokens->types);
    alcore__free(ctx, tokens->marks);
    alcore__free(ctx, tokens->spans);
    *tokens = (alcore__tokens){0};
}
