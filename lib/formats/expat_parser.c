/* SPDX-License-Identifier: Apache-2.0 */
/* XML by expat (expat_parser.h). Expat's allocator functions have no argument of the caller's, so
 * the context of a thread's present call stands in a variable of the thread. */
#include "formats/expat_parser.h"

#include <expat.h>
#include <string.h>

#define MAX_TOKEN_BYTES ((int64_t)8 << 20) /* of a tag or comment, which expat keeps whole */

/* ---- memory ---- */

static _Thread_local alcore_ctx *allocating;

static void *xml_alloc(size_t bytes) {
    return alcore__alloc(allocating, bytes);
}

static void *xml_realloc(void *memory, size_t bytes) {
    return alcore__realloc(allocating, memory, bytes);
}

static void xml_free(void *memory) {
    alcore__free(allocating, memory);
}

/* ---- handlers ---- */

/* Keeps the first failure, after which expat calls no handler any more. */
static void keep(alcore__expat *xml, alcore_status status) {
    if (status == ALCORE_OK || xml->status != ALCORE_OK) return;
    xml->status = status;
    XML_StopParser(xml->parser, XML_FALSE);
}

/* Expat ends an element without content after its beginning although the parser was stopped. */
static bool stopped(const alcore__expat *xml) {
    return xml->status != ALCORE_OK;
}

static void begin_element(void *user, const XML_Char *name, const XML_Char **attributes) {
    alcore__expat *xml = user;
    if (!stopped(xml) && xml->handlers->begin)
        keep(xml, xml->handlers->begin(xml->user, name, (const char *const *)attributes));
}

static void end_element(void *user, const XML_Char *name) {
    alcore__expat *xml = user;
    if (!stopped(xml) && xml->handlers->end) keep(xml, xml->handlers->end(xml->user, name));
}

static void add_text(void *user, const XML_Char *text, int length) {
    alcore__expat *xml = user;
    if (!stopped(xml) && xml->handlers->text)
        keep(xml, xml->handlers->text(xml->user, text, (size_t)length));
}

static void refuse_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                          int length, const XML_Char *base, const XML_Char *system,
                          const XML_Char *public, const XML_Char *notation) {
    alcore__expat *xml = user;
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public;
    (void)notation;
    if (!stopped(xml))
        keep(xml, alcore__fail(ALCORE_E_UNSUPPORTED,
                               "%s:%lld: the entity %.40s is declared, which is not read: expand "
                               "entities with xmllint first",
                               xml->path, (long long)alcore__expat_line(xml), name));
}

/* An entity of a DTD that is not loaded: its text would be missing. */
static void refuse_skipped(void *user, const XML_Char *name, int is_parameter) {
    alcore__expat *xml = user;
    if (!stopped(xml) && !is_parameter)
        keep(xml,
             alcore__expat_fail(xml, "the entity &%.40s; is declared nowhere in the file", name));
}

/* ---- parsing ---- */

alcore_status alcore__expat_open(alcore__expat *xml, alcore_ctx *ctx, const char *path,
                                 const alcore__expat_handlers *handlers, void *user) {
    static const XML_Memory_Handling_Suite memory = {xml_alloc, xml_realloc, xml_free};
    *xml = (alcore__expat){
        .ctx = ctx, .path = path, .handlers = handlers, .user = user, .max_bytes = MAX_TOKEN_BYTES};
    allocating = ctx;
    xml->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!xml->parser) return alcore__fail_memory(sizeof *xml);
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(xml->parser, add_text);
    XML_SetEntityDeclHandler(xml->parser, refuse_entity);
    XML_SetSkippedEntityHandler(xml->parser, refuse_skipped);
    return ALCORE_OK;
}

int64_t alcore__expat_line(const alcore__expat *xml) {
    return (int64_t)XML_GetCurrentLineNumber(xml->parser);
}

alcore_status alcore__expat_fail(const alcore__expat *xml, const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld", xml->path,
                               (long long)alcore__expat_line(xml));
}

/* The status of what expat has parsed. */
static alcore_status check(alcore__expat *xml, enum XML_Status parsed) {
    const enum XML_Error error = XML_GetErrorCode(xml->parser);
    xml->suspended = parsed == XML_STATUS_SUSPENDED && xml->status == ALCORE_OK;
    if (xml->status != ALCORE_OK) return xml->status;
    if (parsed != XML_STATUS_ERROR) {
        const int64_t at = (int64_t)XML_GetCurrentByteIndex(xml->parser);
        if (xml->suspended || xml->fed - at <= xml->max_bytes) return ALCORE_OK;
        return xml->status = alcore__expat_fail(
                   xml, "what begins here has no end within %lld bytes", (long long)xml->max_bytes);
    }
    if (error == XML_ERROR_NO_MEMORY) return xml->status = alcore__fail_memory(sizeof *xml);
    if (error == XML_ERROR_UNKNOWN_ENCODING || error == XML_ERROR_INCORRECT_ENCODING)
        return xml->status = alcore__expat_fail(
                   xml, "%s: convert the file with iconv -t UTF-8 and correct its first line",
                   XML_ErrorString(error));
    if (error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN)
        return xml->status = alcore__expat_fail(
                   xml, "%s", xml->fed == 0 ? "the file is empty" : "the file ends too early");
    return xml->status =
               alcore__expat_fail(xml, "this is no well-formed XML: %s", XML_ErrorString(error));
}

alcore_status alcore__expat_feed(alcore__expat *xml, const char *data, size_t bytes, bool last) {
    if (xml->status != ALCORE_OK) return xml->status;
    allocating = xml->ctx;
    xml->fed += (int64_t)bytes;
    return check(xml, XML_Parse(xml->parser, data, (int)bytes, last));
}

void alcore__expat_suspend(alcore__expat *xml) {
    XML_StopParser(xml->parser, XML_TRUE);
}

alcore_status alcore__expat_resume(alcore__expat *xml) {
    if (xml->status != ALCORE_OK) return xml->status;
    allocating = xml->ctx;
    return check(xml, XML_ResumeParser(xml->parser));
}

void alcore__expat_close(alcore__expat *xml) {
    allocating = xml->ctx;
    if (xml->parser) XML_ParserFree(xml->parser);
    xml->parser = NULL;
}

const char *alcore__expat_attribute(const char *const *attributes, const char *name) {
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}
