/* SPDX-License-Identifier: Apache-2.0 */
/* Records as columns, a line a token (docs/formats.md): CoNLL-U and CoNLL-U Plus, the files of the
 * shared tasks of CoNLL from 2000 on, GermEval, MultiCoNER, PAN-X and others. A blank line ends a
 * sentence.
 *
 * The tokens of a sentence with a space between them are the text of a record, their tags with a
 * space between them its reference: word i of the reference is the label of word i of the text. A
 * space inside a token or tag becomes U+00A0, which separates no words, so that both have as many.
 *
 * The lines of the first sentence are held back until it ends; they say what the columns are
 * (conll_layout.h). Memory: one sentence, at most lines->max_line_bytes of text. */
#include <string.h>

#include "alcore/remedy.h"
#include "formats/conll_layout.h"
#include "formats/record_format.h"

enum {
    LANGUAGE_BYTES = 16 /* of a Wikipedia's language code such as zh-min-nan, with its NUL */
};

/* Whether tokens begin with their language, "en:Paris", as those of PAN-X do. */
enum {
    PREFIX_UNKNOWN, /* every token of the first sentence so far does, with the same language */
    PREFIX_NONE,
    PREFIX_EACH /* every token of the first sentence did, so all of the file must */
};

typedef alcore__conll_cell cell;

typedef struct conll_state {
    alcore__conll_layout layout;
    bool decided; /* the layout is known */
    alcore__buffer
        held;          /* until then: the lines since the last blank one, a line feed behind each */
    int64_t held_line; /* the number of the first of them */
    int32_t prefix;    /* PREFIX_* */
    char language[LANGUAGE_BYTES]; /* before the tokens of this or the last sentence, no colon */

    /* The sentence so far. */
    int64_t tokens;
    int64_t first_line;      /* of its first token */
    alcore__buffer text;     /* its tokens with a space between them */
    alcore__buffer tags;     /* their tags with a space between them */
    alcore__buffer id;       /* value of "# sent_id = ..." or "# id ..."; empty: none */
    alcore__buffer document; /* value of the last "# newdoc id = ..."; empty: none */
    bool handed_over;        /* it was made a record: the next line begins another one */
    bool broken;             /* one of its lines was an error: the others are passed over */

    const alcore_read_options *options; /* of the reading; NULL: defaults */
} conll_state;

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* ---- languages before tokens ---- */

/* Bytes of the language with which a token begins, without its colon: 2 to 15 of a to z and
 * hyphens; 0: it begins with none, or nothing follows. */
static size_t language_of(cell token) {
    size_t length = 0;
    while (length < token.length &&
           ((token.text[length] >= 'a' && token.text[length] <= 'z') || token.text[length] == '-'))
        length++;
    const bool fits = length >= 2 && length < LANGUAGE_BYTES && token.text[0] != '-';
    return fits && length + 1 < token.length && token.text[length] == ':' ? length : 0;
}

/* Whether a token begins with the language of the sentence, which its first token has set. */
static bool has_language(conll_state *state, cell token) {
    const size_t length = language_of(token);
    if (length == 0) return false;
    if (state->tokens == 0) {
        memcpy(state->language, token.text, length);
        state->language[length] = '\0';
        return true;
    }
    return strlen(state->language) == length && memcmp(state->language, token.text, length) == 0;
}

/* Cuts the language off a token in a file whose tokens have one. While that is not known, in the
 * first sentence, one token without it decides that the file has none. */
static alcore_status cut_language(conll_state *state, const alcore__line_reader *lines,
                                  cell *token) {
    if (state->prefix == PREFIX_NONE) return ALCORE_OK;
    const bool found = has_language(state, *token);
    if (state->prefix == PREFIX_UNKNOWN) {
        if (!found) state->prefix = PREFIX_NONE;
        return ALCORE_OK;
    }
    if (!found)
        return alcore__fail_remedy(
            alcore__lines_fail(lines,
                               "column %d: \"%.*s\" does not begin with a language and a colon, "
                               "such as \"%s:\", as the tokens before it do",
                               (int)state->layout.token + 1,
                               (int)(token->length < 40 ? token->length : 40), token->text,
                               state->language),
            ALCORE_REMEDY_OPTION, "text_column", "1", "reads the tokens as they are");
    const size_t prefix = strlen(state->language) + 1;
    *token = (cell){token->text + prefix, token->length - prefix};
    return ALCORE_OK;
}

/* After the first sentence: when each of its tokens began with the same language, cuts that off
 * them in place. A language and its colon have three bytes at least, so that text[i - 1] is not
 * written over yet. */
static void cut_first_sentence(conll_state *state) {
    if (state->prefix != PREFIX_UNKNOWN) return;
    state->prefix = PREFIX_EACH;
    const size_t prefix = strlen(state->language) + 1;
    char *text = state->text.data;
    size_t kept = 0;
    for (size_t i = 0; i < state->text.length; i++) {
        if (i == 0 || text[i - 1] == ' ') i += prefix;
        text[kept++] = text[i];
    }
    state->text.length = kept;
}

/* ---- sentences ---- */

/* Forgets the sentence; the document stays. */
static void begin_sentence(conll_state *state) {
    state->tokens = 0;
    state->text.length = state->tags.length = state->id.length = 0;
    state->handed_over = false;
}

/* Appends a token or tag to those before it; blanks and CRs inside it become U+00A0. */
static alcore_status append_word(const conll_state *state, const alcore__line_reader *lines,
                                 alcore__buffer *out, cell word) {
    alcore_ctx *ctx = lines->ctx;
    if (state->tokens > 0) ALCORE__TRY(alcore__buffer_append(ctx, out, " ", 1));
    for (size_t i = 0, from = 0; i <= word.length; i++) {
        if (i < word.length && !is_blank(word.text[i]) && word.text[i] != '\r') continue;
        ALCORE__TRY(alcore__buffer_append(ctx, out, word.text + from, i - from));
        if (i < word.length) ALCORE__TRY(alcore__buffer_append(ctx, out, "\xC2\xA0", 2));
        from = i + 1;
    }
    if (out->length <= lines->max_line_bytes) return ALCORE_OK;
    return alcore__lines_fail(lines,
                              "the sentence, which begins in line %lld, is longer than %zu bytes",
                              (long long)state->first_line, lines->max_line_bytes);
}

/* Fails when the column of a token or tag is empty. */
static alcore_status check_cell(const alcore__line_reader *lines, cell found, int32_t column,
                                const char *noun) {
    if (found.length > 0) return ALCORE_OK;
    return alcore__lines_fail(lines, "column %d, the %s, is empty", (int)column + 1, noun);
}

/* The error of a line with another number of columns than that of the layout. */
static alcore_status fail_columns(const conll_state *state, const alcore__line_reader *lines,
                                  const char *text, int32_t columns) {
    return alcore__lines_fail(lines, "%d columns, line %lld has %d%s", (int)columns,
                              (long long)state->layout.line, (int)state->layout.columns,
                              text[0] == '#' ? "; a comment stands before the first token of a "
                                               "sentence"
                                             : "");
}

/* Adds the token of a line to the sentence. Where words have ids, 1, 2, ... are tokens; a range of
 * them (1-2), which repeats them as they are written, and an empty node (1.1) are not. */
static alcore_status add_token(conll_state *state, const alcore__line_reader *lines,
                               const char *text, size_t length) {
    const alcore__conll_layout *layout = &state->layout;
    const bool open = layout->kind == ALCORE__CONLL_2009 || layout->kind == ALCORE__CONLL_2012;
    cell found, id = {text, 0}, token = {text, 0}, tag = {text, 0};
    const char *rest = text;
    size_t left = length;
    bool begun = false;
    char kind = 0;
    int32_t columns = 0;
    for (; alcore__conll_next(layout->tabs, &begun, &rest, &left, &found); columns++) {
        if (columns == layout->id) id = found;
        if (columns == layout->token) token = found;
        if (columns == layout->tag) tag = found;
    }
    if (open ? columns < layout->columns : columns != layout->columns)
        return fail_columns(state, lines, text, columns);
    if (layout->id >= 0 && !alcore__conll_is_id(id, &kind))
        return alcore__lines_fail(lines,
                                  "column %d: \"%.*s\" is no id: 1 of a word, 1-2 of a range of "
                                  "words or 1.1 of an empty node",
                                  (int)layout->id + 1, (int)(id.length < 40 ? id.length : 40),
                                  id.text);
    if (kind) return ALCORE_OK;
    ALCORE__TRY(check_cell(lines, token, layout->token, "token"));
    if (layout->tag >= 0) ALCORE__TRY(check_cell(lines, tag, layout->tag, "tag"));
    ALCORE__TRY(cut_language(state, lines, &token));
    if (state->tokens == 0) state->first_line = lines->line;
    ALCORE__TRY(append_word(state, lines, &state->text, token));
    if (layout->tag >= 0) ALCORE__TRY(append_word(state, lines, &state->tags, tag));
    state->tokens++;
    return ALCORE_OK;
}

/* ---- comments ---- */

/* Moves *begin over blanks. */
static void skip_blanks(const char *text, size_t length, size_t *begin) {
    while (*begin < length && is_blank(text[*begin])) ++*begin;
}

/* Moves *begin behind a comment's key, "#" and blanks before it; false: it has another one. */
static bool has_key(const char *comment, size_t length, const char *key, size_t *begin) {
    *begin = 1; /* behind the # */
    skip_blanks(comment, length, begin);
    const size_t bytes = strlen(key);
    if (length - *begin < bytes || memcmp(comment + *begin, key, bytes) != 0) return false;
    *begin += bytes;
    return true;
}

/* Keeps the value of a comment "# KEY = VALUE" with that key; other comments are passed over. */
static alcore_status keep_value(alcore_ctx *ctx, const char *comment, size_t length,
                                const char *key, alcore__buffer *out) {
    size_t begin;
    if (!has_key(comment, length, key, &begin)) return ALCORE_OK;
    skip_blanks(comment, length, &begin);
    if (begin == length || comment[begin] != '=') return ALCORE_OK;
    begin++;
    skip_blanks(comment, length, &begin);
    while (length > begin && is_blank(comment[length - 1])) length--;
    out->length = 0;
    return alcore__buffer_append(ctx, out, comment + begin, length - begin);
}

/* Keeps the id of a comment "# id ID", as in MultiCoNER, where nothing but a TAB follows it. */
static alcore_status keep_id(alcore_ctx *ctx, const char *comment, size_t length,
                             alcore__buffer *out) {
    size_t begin, end;
    if (!has_key(comment, length, "id", &begin)) return ALCORE_OK;
    if (begin == length || !is_blank(comment[begin])) return ALCORE_OK;
    skip_blanks(comment, length, &begin);
    for (end = begin; end < length && !is_blank(comment[end]); end++) continue;
    if (end == begin || comment[begin] == '=' || (end < length && comment[end] != '\t'))
        return ALCORE_OK;
    out->length = 0;
    return alcore__buffer_append(ctx, out, comment + begin, end - begin);
}

/* Keeps what a comment says: the id of the sentence and the document. */
static alcore_status read_comment(conll_state *state, alcore_ctx *ctx, const char *text,
                                  size_t length) {
    static const char begin_mark[] = "#begin document ("; /* of CoNLL-2012 */
    const size_t bytes = sizeof begin_mark - 1;
    const char *close = memchr(text, ')', length);
    if (length > bytes && memcmp(text, begin_mark, bytes) == 0 && close) {
        state->document.length = 0;
        return alcore__buffer_append(ctx, &state->document, text + bytes,
                                     (size_t)(close - text) - bytes);
    }
    ALCORE__TRY(keep_value(ctx, text, length, "sent_id", &state->id));
    ALCORE__TRY(keep_id(ctx, text, length, &state->id));
    return keep_value(ctx, text, length, "newdoc id", &state->document);
}

/* Takes the names of columns from a comment "# global.columns = ID FORM ...", as CoNLL-U Plus has
 * in its first line. */
static alcore_status read_names(conll_state *state, const alcore__line_reader *lines,
                                const char *text, size_t length) {
    alcore__buffer value = {0};
    char *names = state->layout.names;
    alcore_status status = keep_value(lines->ctx, text, length, "global.columns", &value);
    if (status == ALCORE_OK && value.length >= sizeof state->layout.names)
        status = alcore__lines_fail(lines, "the names of the columns are longer than %zu bytes",
                                    sizeof state->layout.names - 1);
    if (status == ALCORE_OK && value.length > 0) {
        const char *next = value.data;
        size_t left = value.length, used = 0;
        cell name;
        bool begun = false;
        while (alcore__conll_next(false, &begun, &next, &left, &name)) {
            if (used > 0) names[used++] = ' ';
            memcpy(names + used, name.text, name.length);
            used += name.length;
        }
        names[used] = '\0';
    }
    alcore__buffer_clear(lines->ctx, &value);
    return status;
}

/* Makes the sentence a record, views of the state that the next line invalidates; *out_skip is true
 * when it has no token. */
static alcore_status end_sentence(conll_state *state, const alcore__line_reader *lines,
                                  alcore__record *record, bool *out_skip) {
    *out_skip = state->tokens == 0;
    if (*out_skip) {
        begin_sentence(state);
        return ALCORE_OK;
    }
    cut_first_sentence(state);
    record->line = state->first_line;
    record->text = state->text.data;
    record->text_length = state->text.length;
    if (state->layout.tag >= 0)
        ALCORE__TRY(alcore__record_set(record, ALCORE__ROLE_REFERENCE, state->tags.data,
                                       state->tags.length, lines));
    ALCORE__TRY(
        alcore__record_set(record, ALCORE__ROLE_ID, state->id.data, state->id.length, lines));
    ALCORE__TRY(alcore__record_set(record, ALCORE__ROLE_GROUP, state->document.data,
                                   state->document.length, lines));
    if (state->prefix == PREFIX_EACH)
        ALCORE__TRY(alcore__record_set(record, ALCORE__ROLE_LANGUAGE, state->language,
                                       strlen(state->language), lines));
    state->handed_over = true;
    return ALCORE_OK;
}

/* Reads a line that is not blank, of a file whose layout is known. */
static alcore_status read_content(conll_state *state, const alcore__line_reader *lines,
                                  const char *text, size_t length) {
    bool comment = false;
    if (state->tokens == 0 && alcore__conll_is_mark(text, length)) return ALCORE_OK;
    if (text[0] == '#' && (state->tokens == 0 || state->layout.id >= 0))
        ALCORE__TRY(alcore__conll_is_comment(&state->layout, lines, text, length, &comment));
    return comment ? read_comment(state, lines->ctx, text, length)
                   : add_token(state, lines, text, length);
}

/* ---- the first sentence ---- */

/* Holds a line back until the layout is known. */
static alcore_status hold(conll_state *state, const alcore__line_reader *lines, const char *text,
                          size_t length) {
    if (state->held.length == 0) state->held_line = lines->line;
    ALCORE__TRY(alcore__buffer_append(lines->ctx, &state->held, text, length));
    ALCORE__TRY(alcore__buffer_append(lines->ctx, &state->held, "\n", 1));
    if (text[0] == '#') ALCORE__TRY(read_names(state, lines, text, length));
    if (state->held.length / 2 <= lines->max_line_bytes) return ALCORE_OK;
    return alcore__lines_fail(lines,
                              "the sentence, which begins in line %lld, is longer than %zu bytes",
                              (long long)state->held_line, lines->max_line_bytes);
}

/* Reads the lines that were held back: as those of the first sentence, or, where they are comments
 * alone, for what they say. */
static alcore_status read_held(conll_state *state, const alcore_read_options *options,
                               const alcore__line_reader *lines) {
    alcore__line_reader at = *lines; /* for error texts */
    const char *next = state->held.data, *end = next + state->held.length;
    bool found = false;
    at.line = state->held_line;
    ALCORE__TRY(
        alcore__conll_find_layout(&state->layout, options, &at, next, state->held.length, &found));
    state->decided = found;
    if (options && options->text_column) state->prefix = PREFIX_NONE;
    for (; next < end; at.line++) {
        const size_t length =
            (size_t)((const char *)memchr(next, '\n', (size_t)(end - next)) - next);
        if (found)
            ALCORE__TRY(read_content(state, &at, next, length));
        else if (next[0] == '#')
            ALCORE__TRY(read_comment(state, lines->ctx, next, length));
        next += length + 1;
    }
    return ALCORE_OK;
}

/* ---- the format ---- */

/* At the end of a sentence or of the file. */
static alcore_status read_blank(conll_state *state, const alcore_read_options *options,
                                const alcore__line_reader *lines, alcore__record *record,
                                bool *out_skip) {
    alcore_status status = ALCORE_OK;
    if (!state->decided && state->held.length > 0 && !state->broken)
        status = read_held(state, options, lines);
    state->held.length = 0;
    if (status == ALCORE_OK && !state->broken)
        status = end_sentence(state, lines, record, out_skip);
    state->broken = false;
    if (status == ALCORE_E_DATA) {
        begin_sentence(state);
        *out_skip = false;
    }
    return status;
}

/* line of the format: a blank line gives the record of the sentence before it, other lines give
 * none. After a line with an error the rest of its sentence is passed over, so that a file that is
 * read with ALCORE_BAD_LINES_MASK has one malformed row for it. */
static alcore_status read_line(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, char *text, size_t length,
                               alcore__record *record, bool *out_skip) {
    conll_state *state = data;
    size_t blank = 0;
    while (blank < length && is_blank(text[blank])) blank++;
    state->options = options;
    if (state->handed_over) begin_sentence(state);
    *out_skip = true;
    if (blank == length) return read_blank(state, options, lines, record, out_skip);
    if (state->broken) return ALCORE_OK;
    alcore_status status = state->decided ? read_content(state, lines, text, length)
                                          : hold(state, lines, text, length);
    if (status == ALCORE_E_DATA) {
        begin_sentence(state);
        state->broken = true;
        *out_skip = false;
    }
    return status;
}

/* After the last line: the file may end without a blank line. */
static alcore_status read_end(void *data, const alcore__line_reader *lines, alcore__record *record,
                              bool *out_skip) {
    conll_state *state = data;
    *out_skip = true;
    if (state->handed_over) begin_sentence(state);
    return read_blank(state, state->options, lines, record, out_skip);
}

/* clear of the format: frees the buffers. */
static void clear(void *data, alcore_ctx *ctx) {
    conll_state *state = data;
    alcore__buffer_clear(ctx, &state->held);
    alcore__buffer_clear(ctx, &state->text);
    alcore__buffer_clear(ctx, &state->tags);
    alcore__buffer_clear(ctx, &state->id);
    alcore__buffer_clear(ctx, &state->document);
}

const alcore__record_format alcore__conll_format = {.name = "conll",
                                                    .transient = true,
                                                    .state_bytes = sizeof(conll_state),
                                                    .line = read_line,
                                                    .end = read_end,
                                                    .clear = clear};
