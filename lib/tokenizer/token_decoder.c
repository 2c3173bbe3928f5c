/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding (token_decoder.h): each step makes a list of texts of a list of texts, at first those of
 * the tokens; at the end they are concatenated. What a step does to a text stands at its function;
 * it is what the decoder of that name in the package `tokenizers` does. */
#include "tokenizer/token_decoder.h"

#include <string.h>

#include "text/utf8.h"
#include "tokenizer/byte_level.h"

enum { POLL_TEXTS = 4096 /* texts between two polls of cancellation */ };

/* A list of texts in one buffer, each directly behind the one before. */
typedef struct list {
    alcore__buffer bytes; /* those of a text that is being written too */
    size_t *end;          /* [count] the byte behind each text, owned */
    size_t count, capacity;
} list;

/* A step while it runs. */
typedef struct run {
    alcore_ctx *ctx;
    const alcore__decoder_step *step;
    const list *in; /* the texts that the step before made, or those of the tokens */
    list *out;      /* empty at first */
} run;

/* Polls cancellation now and then; i: texts that were looked at before. */
static alcore_status poll_texts(alcore_ctx *ctx, size_t i) {
    return i % POLL_TEXTS == POLL_TEXTS - 1 ? alcore__tick(ctx, NULL, 0, 0) : ALCORE_OK;
}

static void clear_list(alcore_ctx *ctx, list *texts) {
    alcore__buffer_clear(ctx, &texts->bytes);
    alcore__free(ctx, texts->end);
}

/* Adds bytes to the text that is being written. */
static alcore_status put(run *state, const char *text, size_t length) {
    return alcore__buffer_append(state->ctx, &state->out->bytes, text, length);
}

/* Ends the text that is being written. */
static alcore_status end_text(alcore_ctx *ctx, list *texts) {
    ALCORE__TRY(
        alcore__grow(ctx, &texts->end, &texts->capacity, texts->count + 1, sizeof *texts->end));
    texts->end[texts->count++] = texts->bytes.length;
    return ALCORE_OK;
}

/* A view of text `index` of a list, valid until the list changes. */
static alcore__token_view text_of(const list *texts, size_t index) {
    const size_t begin = index == 0 ? 0 : texts->end[index - 1];
    const size_t length = texts->end[index] - begin;
    return (alcore__token_view){length > 0 ? texts->bytes.data + begin : "", length};
}

static bool begins_with(const alcore__token_view *text, alcore__name prefix) {
    return text->length >= prefix.length && memcmp(text->text, prefix.text, prefix.length) == 0;
}

/* Writes a text in which each occurrence of `old`, found from the left, is `new`. An empty `old`
 * changes nothing. */
static alcore_status put_replaced(run *state, const alcore__token_view *text, alcore__name old,
                                  alcore__name new) {
    size_t begin = 0;
    while (old.length > 0 && begin < text->length) {
        const char *found = memmem(text->text + begin, text->length - begin, old.text, old.length);
        if (!found) break;
        ALCORE__TRY(put(state, text->text + begin, (size_t)(found - text->text) - begin));
        ALCORE__TRY(put(state, new.text, new.length));
        begin = (size_t)(found - text->text) + old.length;
    }
    return put(state, text->text + begin, text->length - begin);
}

/* ---- WordPiece ---- */

/* Removes spaces before punctuation and English endings, and shortens "do not", in the text that is
 * being written, which begins at byte `begin` of state->out. Each replacement sees the result of
 * the one before, a copy of which (`before`) is read while the text is written anew. */
static alcore_status clean_up(run *state, size_t begin) {
    static const char *const pairs[][2] = {{" .", "."},     {" ?", "?"},           {" !", "!"},
                                           {" ,", ","},     {" ' ", "'"},          {" n't", "n't"},
                                           {" 'm", "'m"},   {" do not", " don't"}, {" 's", "'s"},
                                           {" 've", "'ve"}, {" 're", "'re"}};
    alcore__buffer *out = &state->out->bytes, before = {0};
    alcore_status status = ALCORE_OK;
    if (out->length == begin || !memchr(out->data + begin, ' ', out->length - begin))
        return ALCORE_OK;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && status == ALCORE_OK; i++) {
        const alcore__name old = {pairs[i][0], strlen(pairs[i][0])};
        const alcore__name new = {pairs[i][1], strlen(pairs[i][1])};
        if (!memmem(out->data + begin, out->length - begin, old.text, old.length)) continue;
        before.length = 0;
        status = alcore__buffer_append(state->ctx, &before, out->data + begin, out->length - begin);
        out->length = begin;
        const alcore__token_view text = {before.data, before.length};
        if (status == ALCORE_OK) status = put_replaced(state, &text, old, new);
    }
    alcore__buffer_clear(state->ctx, &before);
    return status;
}

/* WordPiece: a token that begins with the prefix loses it, as it continues a word; others, but the
 * first, get a space in front. */
static alcore_status run_word_piece(run *state) {
    const alcore__name prefix = state->step->text;
    for (size_t i = 0; i < state->in->count; i++) {
        const alcore__token_view text = text_of(state->in, i);
        const size_t begin = state->out->bytes.length;
        size_t skipped = 0;
        ALCORE__TRY(poll_texts(state->ctx, i));
        if (i > 0 && begins_with(&text, prefix))
            skipped = prefix.length;
        else if (i > 0)
            ALCORE__TRY(put(state, " ", 1));
        ALCORE__TRY(put(state, text.text + skipped, text.length - skipped));
        if (state->step->clean_up) ALCORE__TRY(clean_up(state, begin));
        ALCORE__TRY(end_text(state->ctx, state->out));
    }
    return ALCORE_OK;
}

/* ---- bytes ---- */

/* Writes the bytes that the characters of a text stand for; a text with another character is
 * written as it is. A character has at least one byte, so the bytes are at most as many as those of
 * the text, for which memory is reserved. */
static alcore_status put_bytes(run *state, const alcore__token_view *text) {
    alcore__buffer *out = &state->out->bytes;
    const size_t begin = out->length;
    ALCORE__TRY(alcore__buffer_reserve(state->ctx, out, text->length));
    for (size_t next = 0; next < text->length;) {
        const int byte =
            alcore__byte_level_byte(alcore__utf8_next(text->text, text->length, &next));
        if (byte < 0) {
            out->length = begin;
            return put(state, text->text, text->length);
        }
        out->data[out->length++] = (char)byte;
    }
    return ALCORE_OK;
}

/* ByteLevel: makes one text of the bytes of all texts; each malformed sequence in it becomes one
 * U+FFFD (alcore__utf8_repair()). It is checked as a whole because a character may lie in several
 * tokens. */
static alcore_status run_byte_level(run *state) {
    alcore__buffer bytes = {0};
    alcore__buffer *out = &state->out->bytes;
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; i < state->in->count && status == ALCORE_OK; i++) {
        const alcore__token_view text = text_of(state->in, i);
        status = poll_texts(state->ctx, i);
        if (status == ALCORE_OK) status = put_bytes(state, &text);
    }
    if (status == ALCORE_OK && alcore__utf8_check(out->data, out->length) < out->length) {
        bytes = *out;
        *out = (alcore__buffer){0};
        status = alcore__utf8_repair(state->ctx, bytes.data, bytes.length, out, NULL);
        alcore__buffer_clear(state->ctx, &bytes);
    }
    return status == ALCORE_OK ? end_text(state->ctx, state->out) : status;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that a text like <0x0A> stands for, -1 for another text. */
static int fallback_byte(const alcore__token_view *text) {
    if (text->length != 6 || memcmp(text->text, "<0x", 3) != 0 || text->text[5] != '>') return -1;
    const int high = hex_digit(text->text[3]), low = hex_digit(text->text[4]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Ends a run of bytes, which begins at `begin`: one text if they are UTF-8, else one U+FFFD for
 * each byte. */
static alcore_status end_bytes(run *state, size_t begin) {
    alcore__buffer *out = &state->out->bytes;
    const size_t bytes = out->length - begin;
    if (bytes == 0) return ALCORE_OK;
    if (alcore__utf8_check(out->data + begin, bytes) == bytes)
        return end_text(state->ctx, state->out);
    out->length = begin;
    for (size_t i = 0; i < bytes; i++) {
        ALCORE__TRY(put(state, "\xEF\xBF\xBD", 3));
        ALCORE__TRY(end_text(state->ctx, state->out));
    }
    return ALCORE_OK;
}

/* ByteFallback: makes one text of each run of texts that stand for bytes. begin: the byte of
 * state->out at which the present run begins, or would begin. */
static alcore_status run_byte_fallback(run *state) {
    size_t begin = 0;
    for (size_t i = 0; i < state->in->count; i++) {
        const alcore__token_view text = text_of(state->in, i);
        const int byte = fallback_byte(&text);
        ALCORE__TRY(poll_texts(state->ctx, i));
        if (byte >= 0) {
            const char c = (char)byte;
            ALCORE__TRY(put(state, &c, 1));
            continue;
        }
        ALCORE__TRY(end_bytes(state, begin));
        ALCORE__TRY(put(state, text.text, text.length));
        ALCORE__TRY(end_text(state->ctx, state->out));
        begin = state->out->bytes.length;
    }
    return end_bytes(state, begin);
}

/* ---- characters ---- */

/* How many bytes at the beginning of a text are repetitions of the character, of at most `most`
 * repetitions. */
static size_t leading(const alcore__token_view *text, alcore__name character, int64_t most) {
    size_t bytes = 0;
    for (int64_t i = 0; i < most; i++) {
        const alcore__token_view rest = {text->text + bytes, text->length - bytes};
        if (!begins_with(&rest, character)) break;
        bytes += character.length;
    }
    return bytes;
}

/* The same at its end. */
static size_t trailing(const alcore__token_view *text, alcore__name character, int64_t most) {
    size_t bytes = 0;
    for (int64_t i = 0; i < most && text->length - bytes >= character.length; i++) {
        if (memcmp(text->text + text->length - bytes - character.length, character.text,
                   character.length) != 0)
            break;
        bytes += character.length;
    }
    return bytes;
}

/* Strip: writes the text without up to `start` and `stop` of the character at its ends. Where both
 * counts meet, nothing is left. */
static alcore_status put_stripped(run *state, const alcore__token_view *text) {
    const size_t first = leading(text, state->step->text, state->step->start);
    const size_t last = trailing(text, state->step->text, state->step->stop);
    if (first + last >= text->length) return ALCORE_OK;
    return put(state, text->text + first, text->length - first - last);
}

/* Replace: writes the text with each match replaced. After the last one, begin = end = length. */
static alcore_status put_matches(run *state, const alcore__token_view *text) {
    const alcore__decoder_step *step = state->step;
    for (size_t next = 0, begin, end; next < text->length; next = end) {
        ALCORE__TRY(alcore__pattern_find(state->ctx, &step->pattern, text->text, text->length, next,
                                         &begin, &end));
        ALCORE__TRY(put(state, text->text + next, begin - next));
        if (begin < text->length) ALCORE__TRY(put(state, step->text.text, step->text.length));
    }
    return ALCORE_OK;
}

/* Writes what becomes of text `index`, for kinds that look at each text on its own; Fuse, the
 * default here, writes it as it is. */
static alcore_status put_token(run *state, size_t index) {
    const alcore__decoder_step *step = state->step;
    const alcore__token_view text = text_of(state->in, index);
    const alcore__name space = {" ", 1}, nothing = {"", 0};
    switch (step->kind) {
    case ALCORE__DECODER_METASPACE:
        return put_replaced(state, &text, step->text,
                            index > 0 || step->keep_first ? space : nothing);
    case ALCORE__DECODER_BPE:
        return put_replaced(state, &text, step->text,
                            index + 1 < state->in->count ? space : nothing);
    case ALCORE__DECODER_STRIP:
        return put_stripped(state, &text);
    case ALCORE__DECODER_REPLACE:
        return put_matches(state, &text);
    default:
        return put(state, text.text, text.length);
    }
}

/* Runs a step from state->in to state->out, which is empty. */
static alcore_status run_step(run *state) {
    if (state->step->kind == ALCORE__DECODER_WORD_PIECE) return run_word_piece(state);
    if (state->step->kind == ALCORE__DECODER_BYTE_LEVEL) return run_byte_level(state);
    if (state->step->kind == ALCORE__DECODER_BYTE_FALLBACK) return run_byte_fallback(state);
    const bool fuse = state->step->kind == ALCORE__DECODER_FUSE;
    for (size_t i = 0; i < state->in->count; i++) {
        ALCORE__TRY(poll_texts(state->ctx, i));
        ALCORE__TRY(put_token(state, i));
        if (!fuse) ALCORE__TRY(end_text(state->ctx, state->out));
    }
    return fuse ? end_text(state->ctx, state->out) : ALCORE_OK;
}

/* Lists the texts of the tokens, with a space before each but the first where there is no decoder,
 * runs the steps, which read one of both lists and write the other in turn, and appends the bytes
 * of the last list to *out. */
alcore_status alcore__token_decoder_run(alcore_ctx *ctx, const alcore__token_decoder *decoder,
                                        const alcore__token_view *tokens, size_t count,
                                        alcore__buffer *out) {
    list lists[2] = {0};
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        const bool space = i > 0 && !decoder->present;
        status = poll_texts(ctx, i);
        if (status == ALCORE_OK)
            status = alcore__buffer_append(ctx, &lists[0].bytes, " ", space ? 1 : 0);
        if (status == ALCORE_OK)
            status = alcore__buffer_append(ctx, &lists[0].bytes, tokens[i].text, tokens[i].length);
        if (status == ALCORE_OK) status = end_text(ctx, &lists[0]);
    }
    size_t turn = 0;
    for (size_t i = 0; i < decoder->count && status == ALCORE_OK; i++, turn = 1 - turn) {
        run state = {ctx, &decoder->step[i], &lists[turn], &lists[1 - turn]};
        state.out->bytes.length = 0;
        state.out->count = 0;
        status = run_step(&state);
    }
    if (status == ALCORE_OK)
        status = alcore__buffer_append(ctx, out, lists[turn].bytes.data, lists[turn].bytes.length);
    clear_list(ctx, &lists[0]);
    clear_list(ctx, &lists[1]);
    return status;
}
