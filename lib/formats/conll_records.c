/* SPDX-License-Identifier: Apache-2.0 */
/* Records as columns, a line a token: CoNLL-U (Universal Dependencies v2), CoNLL-2003 and files of
 * two columns, such as those of PAN-X (docs/formats.md). A blank line ends a sentence.
 *
 * The tokens of a sentence with a space between them are the text of a record, their tags with a
 * space between them its reference: word i of the reference is the label of word i of the text. A
 * space inside a token or tag becomes U+00A0, which separates no words, so that both have as many.
 *
 * The first line with a token says how columns are separated and how many each line has; ten
 * columns between TABs of which the first is an id are CoNLL-U. Memory: one sentence, at most
 * lines->max_line_bytes of text. */
#include <string.h>
#include <strings.h>

#include "alcore/remedy.h"
#include "formats/record_format.h"

enum {
    UNIVERSAL_COLUMNS = 10, /* of CoNLL-U: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC */
    MAX_COLUMNS = 1024,     /* a column number that the options name is at most this */
    LANGUAGE_BYTES = 16     /* of a Wikipedia's language code such as zh-min-nan, with its NUL */
};

/* Whether tokens begin with their language, "en:Paris", as those of PAN-X do. */
enum {
    PREFIX_UNKNOWN, /* every token of the first sentence so far does, with the same language */
    PREFIX_NONE,
    PREFIX_EACH /* every token of the first sentence did, so all of the file must */
};

typedef struct conll_state {
    int32_t columns;     /* of every line with a token; 0: none was read yet */
    int64_t layout_line; /* the line that this number was taken from */
    bool tabs;           /* columns are separated by single TABs, else by runs of blanks */
    bool universal;      /* CoNLL-U */
    int32_t token, tag;  /* their columns, from 0; tag -1: there are no tags */
    int32_t prefix;      /* PREFIX_* */
    char language[LANGUAGE_BYTES]; /* before the tokens of this or the last sentence, no colon */

    /* The sentence so far. */
    int64_t tokens;
    int64_t first_line;      /* of its first token */
    alcore__buffer text;     /* its tokens with a space between them */
    alcore__buffer tags;     /* their tags with a space between them */
    alcore__buffer id;       /* value of "# sent_id = ..."; empty: none */
    alcore__buffer document; /* value of the last "# newdoc id = ..."; empty: none */
    bool handed_over;        /* it was made a record: the next line begins another one */
    bool broken;             /* one of its lines was an error: the others are passed over */
} conll_state;

/* A column of a line, a view of it. */
typedef struct cell {
    const char *text; /* not terminated */
    size_t length;    /* bytes */
} cell;

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* ---- columns ---- */

/* Cuts the next column off *text [*length]; false when there is none. Between TABs a column may be
 * empty; *begun says that one was cut off before. */
static bool next_cell(bool tabs, bool *begun, const char **text, size_t *length, cell *out) {
    size_t skip = 0, end;
    if (tabs) {
        if (*begun && *length == 0) return false;
        skip = *begun; /* the TAB before it */
    } else {
        while (skip < *length && is_blank((*text)[skip])) skip++;
        if (skip == *length) return false;
    }
    *begun = true;
    for (end = skip; end < *length; end++)
        if ((*text)[end] == '\t' || (!tabs && (*text)[end] == ' ')) break;
    *out = (cell){*text + skip, end - skip};
    *text += end;
    *length -= end;
    return true;
}

/* Counts the columns of a line and sets *first (may be NULL) to the first one. */
static int32_t count_cells(bool tabs, const char *text, size_t length, cell *first) {
    bool begun = false;
    cell found;
    int32_t count = 0;
    while (next_cell(tabs, &begun, &text, &length, &found))
        if (count++ == 0 && first) *first = found;
    return count;
}

/* Whether a cell is an id of CoNLL-U: digits, and behind a hyphen or a point more digits. *out_kind
 * is the sign between them; 0 for a plain number, which a word has. */
static bool parse_id(cell id, char *out_kind) {
    size_t digits = 0;
    *out_kind = 0;
    for (size_t i = 0; i < id.length; i++) {
        const char byte = id.text[i];
        if (byte >= '0' && byte <= '9') {
            digits++;
        } else {
            if ((byte != '-' && byte != '.') || *out_kind || digits == 0) return false;
            *out_kind = byte;
            digits = 0;
        }
    }
    return digits > 0;
}

/* The column, from 0, that the options name: by its number from 1, where the name is digits alone,
 * or in CoNLL-U by its name. */
static alcore_status find_column(const conll_state *state, const alcore__line_reader *lines,
                                 const char *name, int32_t *out) {
    static const char *const names[UNIVERSAL_COLUMNS] = {"id",    "form", "lemma",  "upos", "xpos",
                                                         "feats", "head", "deprel", "deps", "misc"};
    int32_t number = 0;
    for (const char *c = name; *c >= '0' && *c <= '9' && number <= MAX_COLUMNS; c++) {
        number = 10 * number + (*c - '0');
        if (c[1]) continue;
        *out = number - 1;
        if (number >= 1 && number <= state->columns) return ALCORE_OK;
    }
    for (int32_t i = 0; i < UNIVERSAL_COLUMNS && state->universal; i++) {
        *out = i;
        if (strcasecmp(name, names[i]) == 0) return ALCORE_OK;
    }
    return alcore__fail(ALCORE_E_PARAM,
                        "%s:%lld: no column is called \"%s\"; the line has the columns 1 to %d%s",
                        lines->path, (long long)lines->line, name, (int)state->columns,
                        state->universal ? ", in CoNLL-U also id, form, lemma, upos, xpos, feats, "
                                           "head, deprel, deps and misc"
                                         : "");
}

/* Sets the layout of the file from its first line with a token. Where the options name no columns,
 * tokens and tags are FORM and UPOS in CoNLL-U, else the first and the last column. */
static alcore_status read_layout(conll_state *state, const alcore_read_options *options,
                                 const alcore__line_reader *lines, const char *text,
                                 size_t length) {
    const char *token = options ? options->text_column : NULL;
    const char *tag = options ? options->reference_column : NULL;
    cell first = {text, 0};
    char kind;
    state->tabs = memchr(text, '\t', length) != NULL;
    state->columns = count_cells(state->tabs, text, length, &first);
    state->layout_line = lines->line;
    state->universal = state->tabs && state->columns == UNIVERSAL_COLUMNS && parse_id(first, &kind);
    state->token = state->universal ? 1 : 0;
    state->tag = state->universal ? 3 : state->columns > 1 ? state->columns - 1 : -1;
    if (token) state->prefix = PREFIX_NONE;
    if (token) ALCORE__TRY(find_column(state, lines, token, &state->token));
    return tag ? find_column(state, lines, tag, &state->tag) : ALCORE_OK;
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
                               (int)state->token + 1,
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

/* Adds the token of a line to the sentence. In CoNLL-U the words 1, 2, ... are tokens; a range of
 * them (1-2), which repeats them as they are written, and an empty node (1.1) are not. */
static alcore_status add_token(conll_state *state, const alcore__line_reader *lines,
                               const char *text, size_t length) {
    cell found, first = {text, 0}, token = {text, 0}, tag = {text, 0};
    const char *rest = text;
    size_t left = length;
    bool begun = false;
    char kind = 0;
    int32_t columns = 0;
    for (; next_cell(state->tabs, &begun, &rest, &left, &found); columns++) {
        if (columns == 0) first = found;
        if (columns == state->token) token = found;
        if (columns == state->tag) tag = found;
    }
    if (columns != state->columns)
        return alcore__lines_fail(lines, "%d columns, line %lld has %d", (int)columns,
                                  (long long)state->layout_line, (int)state->columns);
    if (state->universal && !parse_id(first, &kind))
        return alcore__lines_fail(lines,
                                  "column 1: \"%.*s\" is no id: 1 of a word, 1-2 of a range of "
                                  "words or 1.1 of an empty node",
                                  (int)(first.length < 40 ? first.length : 40), first.text);
    if (kind) return ALCORE_OK;
    ALCORE__TRY(check_cell(lines, token, state->token, "token"));
    if (state->tag >= 0) ALCORE__TRY(check_cell(lines, tag, state->tag, "tag"));
    ALCORE__TRY(cut_language(state, lines, &token));
    if (state->tokens == 0) state->first_line = lines->line;
    ALCORE__TRY(append_word(state, lines, &state->text, token));
    if (state->tag >= 0) ALCORE__TRY(append_word(state, lines, &state->tags, tag));
    state->tokens++;
    return ALCORE_OK;
}

/* Whether a line that begins with # is a comment. In CoNLL-U it always is. Elsewhere # may be a
 * token: a comment stands before the tokens of a sentence and has not the columns of a token. */
static bool is_comment(const conll_state *state, const char *text, size_t length) {
    if (state->universal) return true;
    if (state->tokens > 0) return false;
    if (state->columns > 0) return count_cells(state->tabs, text, length, NULL) != state->columns;
    return !memchr(text, '\t', length) && (length == 1 || text[1] == ' ');
}

/* Keeps the value of a comment "# KEY = VALUE" with that key; other comments are passed over. */
static alcore_status keep_value(const alcore__line_reader *lines, const char *comment,
                                size_t length, const char *key, alcore__buffer *out) {
    const size_t key_length = strlen(key);
    size_t begin = 1; /* behind the # */
    while (begin < length && comment[begin] == ' ') begin++;
    if (length - begin < key_length || memcmp(comment + begin, key, key_length) != 0)
        return ALCORE_OK;
    begin += key_length;
    while (begin < length && comment[begin] == ' ') begin++;
    if (begin == length || comment[begin] != '=') return ALCORE_OK;
    begin++;
    while (begin < length && comment[begin] == ' ') begin++;
    while (length > begin && comment[length - 1] == ' ') length--;
    out->length = 0;
    return alcore__buffer_append(lines->ctx, out, comment + begin, length - begin);
}

/* Makes the sentence a record, views of the state that the next line invalidates; *out_skip is true
 * when it has no token. */
static void end_sentence(conll_state *state, alcore__record *record, bool *out_skip) {
    *out_skip = state->tokens == 0;
    if (*out_skip) {
        begin_sentence(state);
        return;
    }
    cut_first_sentence(state);
    record->line = state->first_line;
    record->text = state->text.data;
    record->text_length = state->text.length;
    if (state->tag >= 0) {
        record->reference = state->tags.data;
        record->reference_length = state->tags.length;
    }
    if (state->id.length > 0) {
        record->id = state->id.data;
        record->id_length = state->id.length;
    }
    if (state->document.length > 0) {
        record->group = state->document.data;
        record->group_length = state->document.length;
    }
    if (state->prefix == PREFIX_EACH) {
        record->language = state->language;
        record->language_length = strlen(state->language);
    }
    state->handed_over = true;
}

/* Reads a line that is not blank. */
static alcore_status read_content(conll_state *state, const alcore_read_options *options,
                                  const alcore__line_reader *lines, const char *text,
                                  size_t length) {
    static const char document_mark[] = "-DOCSTART-"; /* of CoNLL-2003 */
    if (text[0] == '#' && is_comment(state, text, length)) {
        ALCORE__TRY(keep_value(lines, text, length, "sent_id", &state->id));
        return keep_value(lines, text, length, "newdoc id", &state->document);
    }
    const size_t mark = sizeof document_mark - 1;
    if (state->tokens == 0 && length >= mark && memcmp(text, document_mark, mark) == 0 &&
        (length == mark || is_blank(text[mark])))
        return ALCORE_OK;
    if (state->columns == 0) ALCORE__TRY(read_layout(state, options, lines, text, length));
    return add_token(state, lines, text, length);
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
    if (state->handed_over) begin_sentence(state);
    *out_skip = true;
    if (blank == length) {
        if (!state->broken) end_sentence(state, record, out_skip);
        state->broken = false;
        return ALCORE_OK;
    }
    if (state->broken) return ALCORE_OK;
    alcore_status status = read_content(state, options, lines, text, length);
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
    (void)lines;
    *out_skip = true;
    if (!state->broken && !state->handed_over) end_sentence(state, record, out_skip);
    return ALCORE_OK;
}

/* clear of the format: frees the buffers. */
static void clear(void *data, alcore_ctx *ctx) {
    conll_state *state = data;
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
