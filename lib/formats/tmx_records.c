/* SPDX-License-Identifier: Apache-2.0 */
/* Records of translation memories in TMX 1.1 to 1.4 (docs/formats.md): each <tu> with a text in the
 * source language is a record, its text in another language the reference, its tuid the id.
 *
 *   <tmx version="1.4">
 *     <header srclang="en"/>
 *     <body>
 *       <tu tuid="7">
 *         <tuv xml:lang="en-US"><seg>A <hi>house</hi></seg></tuv>
 *         <tuv xml:lang="de"><seg>Ein <ph>&lt;br></ph>Haus</seg></tuv>
 *
 * Languages are columns here (tmx_languages.h): text_column, or else options.language, is that of
 * the sources, and reference_column that of the references. Texts stay as they are, without the
 * codes of inline elements.
 *
 * The file is cut anywhere, not at lines: memory is that of one unit and of the line reader. */
#include <string.h>

#include "alcore/remedy.h"
#include "formats/expat_parser.h"
#include "formats/inline_codes.h"
#include "formats/record_format.h"
#include "formats/tmx_languages.h"

/* The text of a unit in the source language or in that of the references. */
typedef struct variant {
    alcore__buffer text, language;
} variant;

typedef struct tmx_state {
    alcore__expat xml; /* opened with the first bytes */
    alcore__tmx_languages languages;
    size_t max_text_bytes;
    bool begun; /* the first element was <tmx> */

    /* The unit. */
    bool in_unit, is_ready; /* is_ready: it has ended and is a record */
    int64_t line;           /* in which it begins */
    alcore__buffer id;
    variant source, reference;

    /* The <tuv>. */
    alcore__buffer tag, text; /* its language, and its text so far */
    bool in_segment, has_text;
    int64_t code_depth; /* elements that the reading is inside of, from one of codes on */

    int64_t units;       /* so far */
    int64_t sources;     /* units with a text in the source language */
    int64_t references;  /* of those, units with a reference */
    int64_t codes;       /* inline elements whose content was left out */
    alcore__buffer seen; /* languages of the file, for messages */
} tmx_state;

/* ---- units ---- */

static bool is_set(const alcore__buffer *buffer) {
    return buffer->length > 0;
}

static alcore_status fail_source(const tmx_state *state) {
    return alcore__fail_remedy(
        alcore__expat_fail(&state->xml, "%s", alcore__tmx_no_source(&state->languages)),
        ALCORE_REMEDY_OPTION, "text_column", "LANGUAGE", "names the language of the texts");
}

/* Makes the text of the <tuv> that of a variant of the unit. */
static void replace(tmx_state *state, variant *into) {
    const alcore__buffer text = into->text, language = into->language;
    into->text = state->text;
    into->language = state->tag;
    state->text = text;
    state->tag = language;
}

/* Notes a language that a unit has, for messages. */
static alcore_status note_language(tmx_state *state) {
    const alcore__buffer *tag = &state->tag;
    if (state->seen.length > 100 || tag->length > 40) return ALCORE_OK;
    for (const char *at = state->seen.data; at && (at = strstr(at, tag->data)); at++) {
        const char after = at[tag->length], before = at == state->seen.data ? ' ' : at[-1];
        if (before == ' ' && (after == ',' || after == '\0')) return ALCORE_OK;
    }
    return alcore__buffer_format(state->xml.ctx, &state->seen, "%s%s",
                                 is_set(&state->seen) ? ", " : "", tag->data);
}

/* At the end of a <tuv>. */
static alcore_status end_variant(tmx_state *state) {
    alcore__tmx_place place;
    if (!state->has_text) return ALCORE_OK;
    if (!alcore__tmx_source(&state->languages)) return fail_source(state);
    if (is_set(&state->tag)) ALCORE__TRY(note_language(state));
    ALCORE__TRY(alcore__tmx_place_text(&state->languages,
                                       is_set(&state->tag) ? state->tag.data : "", &place));
    if (place == ALCORE__TMX_SOURCE) replace(state, &state->source);
    if (place == ALCORE__TMX_TARGET) replace(state, &state->reference);
    return ALCORE_OK;
}

/* Sets a text to the value of an attribute; empty for NULL. */
static alcore_status keep(const tmx_state *state, const char *value, alcore__buffer *out) {
    out->length = 0;
    return value ? alcore__buffer_append(state->xml.ctx, out, value, strlen(value)) : ALCORE_OK;
}

static alcore_status begin_unit(tmx_state *state, const char *const *attributes) {
    state->in_unit = true;
    state->line = alcore__expat_line(&state->xml);
    state->units++;
    ALCORE__TRY(keep(state, alcore__expat_attribute(attributes, "tuid"), &state->id));
    return alcore__tmx_unit(&state->languages, alcore__expat_attribute(attributes, "srclang"));
}

static alcore_status begin_variant(tmx_state *state, const char *const *attributes) {
    state->has_text = false;
    state->text.length = 0;
    return keep(state, alcore__tmx_tag(attributes), &state->tag);
}

static alcore_status begin_element(void *user, const char *name, const char *const *attributes) {
    tmx_state *state = user;
    if (!state->begun && strcmp(name, "tmx") != 0)
        return alcore__expat_fail(&state->xml, "the file is XML of <%.40s>, not of <tmx>", name);
    state->begun = true;
    if (state->in_segment) {
        const bool code = state->code_depth == 0 && alcore__is_inline_code(name);
        state->codes += code;
        state->code_depth += state->code_depth > 0 || code;
        return ALCORE_OK;
    }
    if (strcmp(name, "header") == 0)
        return alcore__tmx_header(&state->languages,
                                  alcore__expat_attribute(attributes, "srclang"));
    if (strcmp(name, "tu") == 0) return begin_unit(state, attributes);
    if (!state->in_unit) return ALCORE_OK;
    if (strcmp(name, "tuv") == 0) return begin_variant(state, attributes);
    state->in_segment = strcmp(name, "seg") == 0;
    state->has_text |= state->in_segment;
    return ALCORE_OK;
}

static alcore_status end_element(void *user, const char *name) {
    tmx_state *state = user;
    if (state->in_segment) {
        if (state->code_depth > 0)
            state->code_depth--;
        else
            state->in_segment = strcmp(name, "seg") != 0;
        return ALCORE_OK;
    }
    if (strcmp(name, "tuv") == 0) return end_variant(state);
    if (strcmp(name, "tu") != 0) return ALCORE_OK;
    state->in_unit = false;
    state->is_ready = state->languages.source_rank > 0;
    state->sources += state->is_ready;
    state->references += state->is_ready && state->languages.target_rank > 0;
    if (state->is_ready) alcore__expat_suspend(&state->xml);
    return ALCORE_OK;
}

static alcore_status add_text(void *user, const char *text, size_t length) {
    tmx_state *state = user;
    if (!state->in_segment || state->code_depth > 0) return ALCORE_OK;
    if (length > state->max_text_bytes - state->text.length)
        return alcore__expat_fail(&state->xml, "the <seg> is longer than %zu bytes",
                                  state->max_text_bytes);
    return alcore__buffer_append(state->xml.ctx, &state->text, text, length);
}

static const alcore__expat_handlers handlers = {begin_element, end_element, add_text};

/* ---- records ---- */

/* Makes the unit that has ended, if one has, a record of views of the state. */
static alcore_status take_unit(tmx_state *state, const alcore__line_reader *lines,
                               alcore__record *record, bool *out_skip) {
    const variant *reference = &state->reference;
    *out_skip = !state->is_ready;
    if (!state->is_ready) return ALCORE_OK;
    state->is_ready = false;
    record->line = state->line;
    record->text = is_set(&state->source.text) ? state->source.text.data : "";
    record->text_length = state->source.text.length;
    ALCORE__TRY(
        alcore__record_set(record, ALCORE__ROLE_ID, state->id.data, state->id.length, lines));
    ALCORE__TRY(alcore__record_set(record, ALCORE__ROLE_LANGUAGE, state->source.language.data,
                                   state->source.language.length, lines));
    if (state->languages.target_rank == 0) return ALCORE_OK;
    return alcore__record_set(record, ALCORE__ROLE_REFERENCE, reference->text.data,
                              reference->text.length, lines);
}

/* line of the format: parses the next bytes of the file up to the end of a unit. */
static alcore_status read_piece(void *data, const alcore_read_options *options,
                                const alcore__line_reader *lines, char *text, size_t length,
                                alcore__record *record, bool *out_skip) {
    tmx_state *state = data;
    if (!state->xml.parser) {
        state->languages.ctx = lines->ctx;
        if (options) {
            state->languages.source =
                options->text_column ? options->text_column : options->language;
            state->languages.target = options->reference_column;
        }
        state->max_text_bytes = lines->max_line_bytes;
        ALCORE__TRY(alcore__expat_open(&state->xml, lines->ctx, lines->path, &handlers, state));
    }
    ALCORE__TRY(alcore__expat_feed(&state->xml, text, length, false));
    return take_unit(state, lines, record, out_skip);
}

/* more of the format. */
static alcore_status read_more(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, alcore__record *record,
                               bool *out_skip) {
    tmx_state *state = data;
    (void)options;
    if (state->xml.suspended) ALCORE__TRY(alcore__expat_resume(&state->xml));
    return take_unit(state, lines, record, out_skip);
}

/* A language that was asked for, or that the header names, has to be there. */
static alcore_status check_languages(const tmx_state *state, const char *path) {
    const char *source = alcore__tmx_source(&state->languages);
    const char *wanted = state->languages.target;
    const char *others = is_set(&state->seen) ? state->seen.data : "no text";
    if (state->units > 0 && state->sources == 0)
        return alcore__fail_remedy(
            alcore__fail(ALCORE_E_DATA, "%s: none of its %lld units has a text in %.40s: it has %s",
                         path, (long long)state->units, source ? source : "any language", others),
            ALCORE_REMEDY_OPTION, "text_column", "LANGUAGE", "names the language of the texts");
    if (!wanted || state->sources == 0 || state->references > 0) return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_DATA, "%s: none of its %lld units has a text in %.40s: it has %s",
                     path, (long long)state->units, wanted, others),
        ALCORE_REMEDY_OPTION, "reference_column", "LANGUAGE",
        "names the language of the references");
}

/* Tells, once a file, what was left out of it. */
static void report(const tmx_state *state, alcore_ctx *ctx, const char *path) {
    const int64_t without = state->units - state->sources;
    if (without > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld units have no text in the source language", path, (long long)without);
    alcore__tmx_report(&state->languages, path);
    if (state->codes > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld codes of inline elements are left out of the texts", path,
                    (long long)state->codes);
}

/* After the last bytes; expat may have kept some of them back. */
static alcore_status read_end(void *data, const alcore__line_reader *lines, alcore__record *record,
                              bool *out_skip) {
    tmx_state *state = data;
    if (!state->xml.parser)
        return alcore__fail(ALCORE_E_DATA, "%s is empty: it is no TMX", lines->path);
    if (state->xml.suspended)
        ALCORE__TRY(alcore__expat_resume(&state->xml));
    else
        ALCORE__TRY(alcore__expat_feed(&state->xml, "", 0, true));
    ALCORE__TRY(take_unit(state, lines, record, out_skip));
    if (!*out_skip) return ALCORE_OK;
    ALCORE__TRY(check_languages(state, lines->path));
    report(state, lines->ctx, lines->path);
    return ALCORE_OK;
}

/* What is wrong with the markup is wrong with the whole file. */
static bool always(const void *state) {
    (void)state;
    return true;
}

static void clear(void *data, alcore_ctx *ctx) {
    tmx_state *state = data;
    alcore__buffer *const buffers[] = {&state->id,
                                       &state->source.text,
                                       &state->source.language,
                                       &state->tag,
                                       &state->reference.text,
                                       &state->reference.language,
                                       &state->text,
                                       &state->seen};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        alcore__buffer_clear(ctx, buffers[i]);
    state->languages.ctx = ctx;
    alcore__tmx_clear(&state->languages);
    if (state->xml.parser) alcore__expat_close(&state->xml);
}

/* Transient: a record's values are views of the state. */
const alcore__record_format alcore__tmx_format = {.name = "tmx",
                                                  .pieces = true,
                                                  .transient = true,
                                                  .state_bytes = sizeof(tmx_state),
                                                  .line = read_piece,
                                                  .more = read_more,
                                                  .in_header = always,
                                                  .end = read_end,
                                                  .clear = clear};
