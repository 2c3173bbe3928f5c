/* SPDX-License-Identifier: Apache-2.0 */
/* Files of XML (xml_reader.h). */
#include "formats/xml_reader.h"

#include <string.h>

#ifndef ALCORE_HAVE_EXPAT

alcore_status alcore__xml_read(alcore_ctx *ctx, const char *path,
                               const alcore__xml_handler *handler, void *user) {
    return alcore__xml_read_from(ctx, path, NULL, NULL, handler, user);
}

alcore_status alcore__xml_read_from(alcore_ctx *ctx, const char *path, alcore__xml_source source,
                                    void *from, const alcore__xml_handler *handler, void *user) {
    (void)ctx, (void)source, (void)from, (void)handler, (void)user;
    return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: libalcore was built without %s", path,
                        ALCORE__XML_LACKS);
}

/* No handler is ever called. */
int64_t alcore__xml_line(const alcore__xml *xml) {
    (void)xml;
    return 0;
}

alcore_status alcore__xml_fail(const alcore__xml *xml, const char *format, ...) {
    (void)xml, (void)format;
    return ALCORE_E_UNSUPPORTED;
}

const char *alcore__xml_attribute(const char *const *attributes, const char *name) {
    (void)attributes, (void)name;
    return NULL;
}

#else

#include "formats/byte_stream.h"
#include "formats/expat_parser.h"

enum {
    PIECE_BYTES = 1 << 16,     /* of the document that expat is given at once */
    MAX_TOKEN_BYTES = 1 << 20, /* expat reads a token again with each piece: quadratic in it */
    MAX_DEPTH = 256
};

struct alcore__xml {
    alcore__expat expat;
    const alcore__xml_handler *handler;
    void *user;
    alcore__buffer prefix; /* of the root, with its colon; empty: it has none */
    int64_t depth;         /* elements that are open */
    bool begun;            /* the root has begun */
    char piece[PIECE_BYTES];
};

int64_t alcore__xml_line(const alcore__xml *xml) {
    return alcore__expat_line(&xml->expat);
}

alcore_status alcore__xml_fail(const alcore__xml *xml, const char *format, ...) {
    char reason[ALCORE__TEXT_BYTES];
    va_list args;
    va_start(args, format);
    alcore__format_v(reason, sizeof reason, format, args);
    va_end(args);
    return alcore__expat_fail(&xml->expat, "%s", reason);
}

const char *alcore__xml_attribute(const char *const *attributes, const char *name) {
    return alcore__expat_attribute(attributes, name);
}

/* ---- handlers of expat ---- */

/* A name without the prefix of the root. */
static const char *plain_name(const alcore__xml *xml, const char *name) {
    const size_t length = xml->prefix.length;
    if (length == 0 || strncmp(name, xml->prefix.data, length) != 0) return name;
    return name + length;
}

static alcore_status begin_element(void *user, const char *name, const char *const *attributes) {
    alcore__xml *xml = user;
    const char *colon = strchr(name, ':');
    if (!xml->begun && colon)
        ALCORE__TRY(
            alcore__buffer_append(xml->expat.ctx, &xml->prefix, name, (size_t)(colon - name) + 1));
    xml->begun = true;
    if (++xml->depth > MAX_DEPTH)
        return alcore__xml_fail(xml, "elements are nested more than %d deep", MAX_DEPTH);
    return xml->handler->start(xml->user, xml, plain_name(xml, name), attributes);
}

static alcore_status end_element(void *user, const char *name) {
    alcore__xml *xml = user;
    xml->depth--;
    return xml->handler->end(xml->user, xml, plain_name(xml, name));
}

static alcore_status add_text(void *user, const char *text, size_t length) {
    alcore__xml *xml = user;
    return xml->handler->text(xml->user, xml, text, length);
}

/* ---- documents ---- */

static alcore_status feed_all(alcore__xml *xml, alcore__xml_source source, void *from) {
    size_t got = PIECE_BYTES;
    while (got > 0) {
        ALCORE__TRY(source(from, xml->piece, PIECE_BYTES, &got));
        ALCORE__TRY(alcore__expat_feed(&xml->expat, xml->piece, got, got == 0));
    }
    return ALCORE_OK;
}

alcore_status alcore__xml_read_from(alcore_ctx *ctx, const char *path, alcore__xml_source source,
                                    void *from, const alcore__xml_handler *handler, void *user) {
    static const alcore__expat_handlers handlers = {begin_element, end_element, add_text};
    alcore__xml *xml = alcore__calloc(ctx, 1, sizeof *xml);
    if (!xml) return alcore__fail_memory(sizeof *xml);
    xml->handler = handler;
    xml->user = user;
    alcore_status status = alcore__expat_open(&xml->expat, ctx, path, &handlers, xml);
    xml->expat.max_bytes = MAX_TOKEN_BYTES;
    if (status == ALCORE_OK) status = feed_all(xml, source, from);
    alcore__expat_close(&xml->expat);
    alcore__buffer_clear(ctx, &xml->prefix);
    alcore__free(ctx, xml);
    return status;
}

/* alcore__xml_source of a file: the stream, and its progress. */
typedef struct file_source {
    alcore_ctx *ctx;
    alcore__byte_stream *stream;
} file_source;

static alcore_status read_file(void *source, void *data, size_t bytes, size_t *out_bytes) {
    file_source *self = source;
    int64_t done, total;
    alcore__stream_position(self->stream, &done, &total);
    ALCORE__TRY(alcore__tick(self->ctx, "reading", done, total));
    return alcore__stream_read(self->stream, data, bytes, out_bytes);
}

alcore_status alcore__xml_read(alcore_ctx *ctx, const char *path,
                               const alcore__xml_handler *handler, void *user) {
    file_source source = {.ctx = ctx};
    ALCORE__TRY(alcore__stream_open(ctx, path, &source.stream));
    const alcore_status status =
        alcore__xml_read_from(ctx, path, read_file, &source, handler, user);
    alcore__stream_close(source.stream);
    return status;
}

#endif
