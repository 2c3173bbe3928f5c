/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the test sets of WMT, IWSLT and NIST, in SGML or XML (docs/formats.md): each
 * <seg id="..."> is a text. Its id is that of its document and its own, "doc:1"; its document is
 * its group, and its language that of its side. What stands outside of segments is passed over.
 *
 *   <srcset srclang="en"> <refset trglang="de" refid="A"> <tstset trglang="de" sysid="S">
 *     <doc docid="d" sysid="A" genre="news"> <seg id="1">            SGML of NIST and WMT, IWSLT
 *
 *   <doc id="d" domain="news">
 *     <src lang="en"> <ref lang="de" translator="A"> <hyp lang="de" system="S">
 *       <seg id="1">                                               XML of WMT from 2021 on
 *
 * One side is read: test_set_sides.h. A segment without an id, as those of TMX, is refused. Memory:
 * one segment, at most lines->max_line_bytes. */
#include <string.h>

#include "alcore/remedy.h"
#include "formats/markup.h"
#include "formats/record_format.h"
#include "formats/test_set_sides.h"

typedef struct sgml_state {
    alcore__markup markup;
    alcore__side_list sides;

    /* Where the reading is: texts that are empty are not said. */
    int32_t kind;            /* ALCORE__SIDE_* of the present side */
    bool in_set;             /* the side is a set of documents, else an element of one */
    int64_t part;            /* side elements so far */
    int64_t documents;       /* so far */
    alcore__buffer name;     /* of the translator or system of the side */
    alcore__buffer maker;    /* sysid of the document, the name where the side has none */
    alcore__buffer language; /* of the side */
    alcore__buffer document; /* docid or id */
    alcore__buffer domain;   /* of the document */
    bool wanted;             /* the document is of the domain that the options name */

    /* The segment. */
    bool in_segment, is_read; /* is_read: of the side that is read */
    int64_t first_line;       /* the line in which it begins */
    alcore__buffer id, text;
    size_t line_break; /* bytes of the text in front of its last line break */

    int64_t segments;                   /* so far, also those that are not read */
    int64_t inner_tags;                 /* tags within segments, which stay text */
    int64_t suite_count;                /* documents of test suites */
    const alcore_read_options *options; /* of the reading */
} sgml_state;

/* ---- where the reading is ---- */

/* A text of the state, NULL where it is empty. */
static char *text_of(const alcore__buffer *buffer) {
    return buffer->length > 0 ? buffer->data : NULL;
}

/* Sets a text to the value of the first attribute in names, NULL-terminated, that the tag has;
 * empty where it has none. */
static alcore_status keep(alcore_ctx *ctx, const alcore__markup_piece *tag,
                          const char *const *names, alcore__buffer *out) {
    out->length = 0;
    for (size_t length; *names; names++) {
        const char *value = alcore__markup_attribute(tag, *names, &length);
        if (!value) continue;
        ALCORE__TRY(alcore__buffer_append(ctx, out, value, length));
        out->length = alcore__markup_decode(out->data, out->length);
        out->data[out->length] = '\0';
        break;
    }
    return ALCORE_OK;
}

/* The elements that begin a side, and their attributes. */
static const struct {
    const char *begin, *end;
    int32_t kind;
    bool is_set;
    const char *names[3], *languages[3];
} elements[] = {
    {"srcset", "/srcset", ALCORE__SIDE_SRC, true, {NULL}, {"srclang", NULL}},
    {"refset", "/refset", ALCORE__SIDE_REF, true, {"refid", "sysid", NULL}, {"trglang", NULL}},
    {"tstset", "/tstset", ALCORE__SIDE_HYP, true, {"sysid", NULL}, {"trglang", NULL}},
    {"src", "/src", ALCORE__SIDE_SRC, false, {NULL}, {"lang", "language", NULL}},
    {"ref", "/ref", ALCORE__SIDE_REF, false, {"translator", NULL}, {"lang", "language", NULL}},
    {"hyp", "/hyp", ALCORE__SIDE_HYP, false, {"system", NULL}, {"lang", "language", NULL}},
};

/* Begins or ends a side where the tag does. "any" is no language: WMT writes it for sources of
 * several languages. */
static alcore_status read_side(sgml_state *state, alcore_ctx *ctx,
                               const alcore__markup_piece *tag) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        const bool begins = alcore__markup_is(tag, elements[i].begin);
        if (!begins && !alcore__markup_is(tag, elements[i].end)) continue;
        state->kind = begins ? elements[i].kind : ALCORE__SIDE_NONE;
        state->in_set = elements[i].is_set;
        state->part += begins;
        ALCORE__TRY(keep(ctx, tag, elements[i].names, &state->name));
        ALCORE__TRY(keep(ctx, tag, elements[i].languages, &state->language));
        if (state->language.length == 3 && memcmp(state->language.data, "any", 3) == 0)
            state->language.length = 0;
        if (elements[i].is_set) state->document.length = state->maker.length = 0;
    }
    return ALCORE_OK;
}

/* Begins a document. */
static alcore_status read_document(sgml_state *state, const alcore_read_options *options,
                                   alcore_ctx *ctx, const alcore__markup_piece *tag) {
    static const char *const ids[] = {"docid", "id", NULL}, *const makers[] = {"sysid", NULL};
    static const char *const domains[] = {"domain", "genre", NULL};
    size_t length;
    state->documents++;
    state->suite_count += alcore__markup_attribute(tag, "testsuite", &length) != NULL;
    ALCORE__TRY(keep(ctx, tag, domains, &state->domain));
    state->wanted = alcore__sides_domain(&state->sides, options, text_of(&state->domain));
    ALCORE__TRY(keep(ctx, tag, makers, &state->maker));
    return keep(ctx, tag, ids, &state->document);
}

/* Says in state->is_read whether the segment is of the side and domain that are read. */
static alcore_status choose(sgml_state *state, const alcore_read_options *options,
                            const alcore__line_reader *lines) {
    const alcore__buffer *name = state->name.length > 0 ? &state->name : &state->maker;
    const alcore__side side = {
        .kind = state->kind,
        .name = state->kind == ALCORE__SIDE_REF || state->kind == ALCORE__SIDE_HYP ? text_of(name)
                                                                                   : NULL,
        .language = text_of(&state->language)};
    state->is_read = false;
    if (state->documents > 0 && !state->wanted) return ALCORE_OK;
    if (state->documents == 0 && !alcore__sides_domain(&state->sides, options, NULL))
        return ALCORE_OK;
    return alcore__sides_note(&state->sides, lines, options, &side, state->part,
                              state->in_set ? 0 : state->documents, &state->is_read);
}

/* ---- segments ---- */

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* Begins a segment; its id is "DOCUMENT:ID", or ID in a file without documents. In a document
 * without a name it has none, as others may have the same. */
static alcore_status begin_segment(sgml_state *state, const alcore_read_options *options,
                                   const alcore__line_reader *lines,
                                   const alcore__markup_piece *tag) {
    size_t length;
    const char *id = alcore__markup_attribute(tag, "id", &length);
    state->segments++;
    if (!id)
        return alcore__fail_remedy(
            alcore__lines_fail(lines, "a <seg> without an id, which those of test sets have"),
            ALCORE_REMEDY_OPTION, "format", "tmx", "reads a translation memory");
    ALCORE__TRY(choose(state, options, lines));
    state->in_segment = true;
    state->first_line = state->markup.begin_line;
    state->text.length = state->id.length = state->line_break = 0;
    if (state->documents > 0 && state->document.length == 0) return ALCORE_OK;
    if (state->document.length > 0)
        ALCORE__TRY(alcore__buffer_format(lines->ctx, &state->id, "%s:", state->document.data));
    return alcore__buffer_append(lines->ctx, &state->id, id, length);
}

/* Counts what looks like a tag in a text of a segment. */
static void count_tags(sgml_state *state, const char *begin, const char *end) {
    for (const char *at = begin; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        const char next = at + 1 < end ? at[1] : '\0', letter = (char)(next | 0x20);
        const bool begins = next == '/' || (letter >= 'a' && letter <= 'z');
        state->inner_tags += begins && memchr(at, '>', (size_t)(end - at));
    }
}

/* Appends a piece of text to the segment. */
static alcore_status add_text(sgml_state *state, const alcore__line_reader *lines,
                              const alcore__markup_piece *piece) {
    alcore__buffer *text = &state->text;
    const char *begin = piece->text, *end = begin + piece->length;
    const size_t before = text->length;
    if (before == state->line_break) /* at the beginning of the segment or of a line */
        while (begin < end && is_blank(*begin)) begin++;
    if (piece->kind == ALCORE__MARKUP_TEXT) count_tags(state, begin, end);
    ALCORE__TRY(alcore__buffer_append(lines->ctx, text, begin, (size_t)(end - begin)));
    if (piece->kind == ALCORE__MARKUP_TEXT)
        text->length = before + alcore__markup_decode(text->data + before, text->length - before);
    if (text->length <= lines->max_line_bytes) return ALCORE_OK;
    state->in_segment = false;
    return alcore__lines_fail(lines, "the <seg> of line %lld is longer than %zu bytes",
                              (long long)state->first_line, lines->max_line_bytes);
}

/* Removes the blanks at the end of the segment or of one of its lines. */
static void trim(sgml_state *state) {
    alcore__buffer *text = &state->text;
    while (text->length > state->line_break && is_blank(text->data[text->length - 1]))
        text->length--;
}

/* At the end of a line within a segment: a line break with the blanks around it is a space. */
static alcore_status break_line(sgml_state *state, alcore_ctx *ctx) {
    trim(state);
    if (state->text.length > state->line_break)
        ALCORE__TRY(alcore__buffer_append(ctx, &state->text, " ", 1));
    state->line_break = state->text.length;
    return ALCORE_OK;
}

/* Makes the segment a record, views of the state. */
static alcore_status end_segment(sgml_state *state, const alcore__line_reader *lines,
                                 alcore__record *record) {
    state->in_segment = false;
    trim(state);
    if (state->text.length > 0 && state->text.length == state->line_break) state->text.length--;
    record->line = state->first_line;
    record->text = state->text.length > 0 ? state->text.data : "";
    record->text_length = state->text.length;
    ALCORE__TRY(
        alcore__record_set(record, ALCORE__ROLE_ID, state->id.data, state->id.length, lines));
    ALCORE__TRY(alcore__record_set(record, ALCORE__ROLE_GROUP, state->document.data,
                                   state->document.length, lines));
    return alcore__record_set(record, ALCORE__ROLE_LANGUAGE, state->language.data,
                              state->language.length, lines);
}

/* Reads a tag; *out_skip is false where it ends a segment that is read. */
static alcore_status read_tag(sgml_state *state, const alcore_read_options *options,
                              const alcore__line_reader *lines, alcore__markup_piece *tag,
                              alcore__record *record, bool *out_skip) {
    const bool is_empty = tag->length > 0 && tag->text[tag->length - 1] == '/';
    tag->length -= is_empty;
    if (state->in_segment && !alcore__markup_is(tag, "/seg")) {
        state->in_segment = false;
        return alcore__lines_fail(lines, "<%.*s> before the end of the <seg> of line %lld",
                                  (int)(tag->length < 40 ? tag->length : 40), tag->text,
                                  (long long)state->first_line);
    }
    if (alcore__markup_is(tag, "doc")) return read_document(state, options, lines->ctx, tag);
    if (alcore__markup_is(tag, "/doc")) {
        state->document.length = state->maker.length = 0;
        return ALCORE_OK;
    }
    if (alcore__markup_is(tag, "seg"))
        ALCORE__TRY(begin_segment(state, options, lines, tag));
    else if (!alcore__markup_is(tag, "/seg"))
        return read_side(state, lines->ctx, tag);
    if (!state->in_segment || !(is_empty || alcore__markup_is(tag, "/seg"))) return ALCORE_OK;
    *out_skip = !state->is_read;
    state->in_segment = false;
    return state->is_read ? end_segment(state, lines, record) : ALCORE_OK;
}

/* more of the format: reads on in the line up to the end of a segment that is read. */
static alcore_status read_more(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, alcore__record *record,
                               bool *out_skip) {
    /* Within a segment other tags are text: those of HTML in a test set are. */
    static const char *const outer[] = {"seg",     "/seg", "doc",  "/doc", "/srcset", "/refset",
                                        "/tstset", "/src", "/ref", "/hyp", NULL};
    sgml_state *state = data;
    alcore__markup_piece piece;
    *out_skip = true;
    do {
        ALCORE__TRY(
            alcore__markup_next(&state->markup, lines, state->in_segment ? outer : NULL, &piece));
        if (piece.kind == ALCORE__MARKUP_TAG)
            ALCORE__TRY(read_tag(state, options, lines, &piece, record, out_skip));
        else if (state->in_segment && state->is_read)
            ALCORE__TRY(add_text(state, lines, &piece));
    } while (piece.kind != ALCORE__MARKUP_END && *out_skip);
    return *out_skip && state->in_segment ? break_line(state, lines->ctx) : ALCORE_OK;
}

/* line of the format: begins the line. */
static alcore_status read_line(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, char *text, size_t length,
                               alcore__record *record, bool *out_skip) {
    sgml_state *state = data;
    state->options = options;
    alcore__markup_line(&state->markup, text, length);
    return read_more(data, options, lines, record, out_skip);
}

/* After the last line: a file without a segment is an error, as are a segment and markup without an
 * end, and a choice that leaves no side. */
static alcore_status check_end(void *data, const alcore__line_reader *lines, alcore__record *record,
                               bool *out_skip) {
    const sgml_state *state = data;
    (void)record, (void)out_skip;
    ALCORE__TRY(alcore__markup_finish(&state->markup, lines));
    if (state->in_segment)
        return alcore__fail(ALCORE_E_DATA, "%s:%lld: the <seg> that begins here has no end",
                            lines->path, (long long)state->first_line);
    if (state->segments == 0)
        return alcore__fail(ALCORE_E_DATA, "%s has no <seg id=\"...\">: it is no test set in SGML",
                            lines->path);
    ALCORE__TRY(alcore__sides_finish(&state->sides, lines->ctx, lines->path, state->options));
    if (state->inner_tags > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld tags within segments stay text", lines->path,
                    (long long)state->inner_tags);
    if (state->suite_count > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld documents are of test suites; they are read, sacreBLEU leaves them "
                    "out",
                    lines->path, (long long)state->suite_count);
    return ALCORE_OK;
}

static void clear(void *data, alcore_ctx *ctx) {
    sgml_state *state = data;
    alcore__buffer *const buffers[] = {&state->name,     &state->maker,  &state->language,
                                       &state->document, &state->domain, &state->id,
                                       &state->text};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        alcore__buffer_clear(ctx, buffers[i]);
    alcore__markup_clear(ctx, &state->markup);
    alcore__sides_clear(ctx, &state->sides);
}

/* Transient: a record's values are views of the state. */
const alcore__record_format alcore__sgml_format = {.name = "sgml",
                                                   .transient = true,
                                                   .state_bytes = sizeof(sgml_state),
                                                   .line = read_line,
                                                   .more = read_more,
                                                   .end = check_end,
                                                   .clear = clear};
