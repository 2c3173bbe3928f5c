/* SPDX-License-Identifier: Apache-2.0 */
/* A whole file of XML, read in pieces by expat (expat_parser.h): a handler is told of elements and
 * their text, and memory holds one piece at a time. Files of translators' and office programs are
 * real XML, unlike those that markup.h reads.
 *
 * Where the root has a prefix, x:xliff, elements of that prefix have their names without it, so
 * that "target" is an element of the format however the file spells it, and o:target is none.
 * Elements that are nested more than 256 deep are ALCORE_E_DATA, and so is a tag or comment of more
 * than 1 MiB. */
#ifndef ALCORE__XML_READER_H
#define ALCORE__XML_READER_H

#include "base/base.h"

/* What a build without expat lacks; NULL: nothing. */
#ifdef ALCORE_HAVE_EXPAT
#define ALCORE__XML_LACKS NULL
#else
#define ALCORE__XML_LACKS "libexpat"
#endif

/* A reading, for the functions below. */
typedef struct alcore__xml alcore__xml;

/* What is done with a document; a failure ends the reading and is returned. Names, attributes and
 * texts are views that are valid during the call; the text of an element may come in pieces. */
typedef struct alcore__xml_handler {
    /* attributes: name, value, name, value, ..., NULL */
    alcore_status (*start)(void *user, alcore__xml *xml, const char *name,
                           const char *const *attributes);
    alcore_status (*end)(void *user, alcore__xml *xml, const char *name);
    alcore_status (*text)(void *user, alcore__xml *xml, const char *text, size_t length);
} alcore__xml_handler;

/* Reads up to `bytes` bytes of a document into data; *out_bytes 0: it has no more. */
typedef alcore_status (*alcore__xml_source)(void *source, void *data, size_t bytes,
                                            size_t *out_bytes);

/* Reads the file at path, decompressed by its suffix. ALCORE_E_DATA names file and line;
 * ALCORE_E_UNSUPPORTED without expat. */
alcore_status alcore__xml_read(alcore_ctx *ctx, const char *path,
                               const alcore__xml_handler *handler, void *user);
/* Reads a document that comes from a source; path: what errors call it. */
alcore_status alcore__xml_read_from(alcore_ctx *ctx, const char *path, alcore__xml_source source,
                                    void *from, const alcore__xml_handler *handler, void *user);

/* ---- for handlers ---- */

/* The line of the document, from 1. */
int64_t alcore__xml_line(const alcore__xml *xml);
/* Fails with ALCORE_E_DATA and "PATH:LINE: ..."; returns the status. */
alcore_status alcore__xml_fail(const alcore__xml *xml, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The value of an attribute; NULL: there is none of that name. */
const char *alcore__xml_attribute(const char *const *attributes, const char *name);

#endif
