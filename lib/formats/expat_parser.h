/* SPDX-License-Identifier: Apache-2.0 */
/* XML in pieces, by expat, whose memory comes from the context. Bytes may be cut anywhere; UTF-8,
 * UTF-16 with a byte order mark, ISO 8859-1 and ASCII are read, and names and texts are UTF-8.
 * Nothing outside of the file is loaded, and a file that declares an entity is refused, so that no
 * text grows beyond what the file has. Errors name path and line.
 *
 *   alcore__expat_open(&xml, ctx, path, &handlers, user);
 *   alcore__expat_feed(&xml, data, bytes, ended);
 *   while (xml.suspended) alcore__expat_resume(&xml);
 *   alcore__expat_close(&xml);
 *
 * Built where expat is (ALCORE_HAVE_EXPAT). */
#ifndef ALCORE__EXPAT_PARSER_H
#define ALCORE__EXPAT_PARSER_H

#include "base/base.h"

typedef struct XML_ParserStruct alcore__expat_state;

/* What the caller is told, each may be NULL; a failure ends the reading and is returned. names are
 * as they stand in the file, with their prefix; attributes are pairs of name and value, with NULL
 * behind the last. A text may come in several parts. */
typedef struct alcore__expat_handlers {
    alcore_status (*begin)(void *user, const char *name, const char *const *attributes);
    alcore_status (*end)(void *user, const char *name);
    alcore_status (*text)(void *user, const char *text, size_t length);
} alcore__expat_handlers;

typedef struct alcore__expat {
    alcore_ctx *ctx;
    const char *path; /* the caller's */
    alcore__expat_state *parser;
    const alcore__expat_handlers *handlers; /* the caller's */
    void *user;
    alcore_status status; /* of the first handler that failed */
    bool suspended;       /* by alcore__expat_suspend(): alcore__expat_resume() reads on */
    int64_t fed;          /* bytes so far */
    int64_t max_bytes;    /* a tag or comment that is longer is an error */
} alcore__expat;

/* path, handlers and user are borrowed until the end. After a failure alcore__expat_close() is
 * allowed, as it is for a struct of zeros. */
alcore_status alcore__expat_open(alcore__expat *xml, alcore_ctx *ctx, const char *path,
                                 const alcore__expat_handlers *handlers, void *user);
/* Parses the next bytes, which have to stay where they are while the reading is suspended. last: no
 * others follow; bytes, at most INT32_MAX, may be 0. */
alcore_status alcore__expat_feed(alcore__expat *xml, const char *data, size_t bytes, bool last);
/* In a handler: the call that parses returns after it, with `suspended`. */
void alcore__expat_suspend(alcore__expat *xml);
alcore_status alcore__expat_resume(alcore__expat *xml);
/* In a handler or after a failure: the line that is being read, from 1. */
int64_t alcore__expat_line(const alcore__expat *xml);
/* Fails with ALCORE_E_DATA and "PATH:LINE: ..."; returns the status. */
alcore_status alcore__expat_fail(const alcore__expat *xml, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void alcore__expat_close(alcore__expat *xml);

/* The value of an attribute; NULL: the element has none of that name. */
const char *alcore__expat_attribute(const char *const *attributes, const char *name);

#endif
