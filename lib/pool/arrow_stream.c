/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of an Arrow C stream (arrow_stream.h). */
#include "pool/arrow_stream.h"

alcore_status alcore__arrow_stream_check(const struct ArrowArrayStream *stream) {
    if (stream && stream->release) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "the Arrow stream is NULL or released");
}

/* Fails with the stream's own message for an error code of one of its callbacks. */
static alcore_status fail_stream(struct ArrowArrayStream *stream, int code, const char *what) {
    const char *text = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return alcore__fail(ALCORE_E_CALLBACK, "the Arrow stream failed to give %s: %s (code %d)", what,
                        text ? text : "no reason given", code);
}

alcore_status alcore__arrow_stream_schema(struct ArrowArrayStream *stream,
                                          struct ArrowSchema *out) {
    *out = (struct ArrowSchema){0};
    const int code = stream->get_schema(stream, out);
    if (code == 0) return ALCORE_OK;
    out->release = NULL;
    return fail_stream(stream, code, "its schema");
}

alcore_status alcore__arrow_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    *out = (struct ArrowArray){0};
    const int code = stream->get_next(stream, out);
    if (code == 0) return ALCORE_OK;
    out->release = NULL;
    return fail_stream(stream, code, "a batch");
}

void alcore__arrow_stream_release(struct ArrowArrayStream *stream) {
    stream->release(stream);
    stream->release = NULL; /* a producer ought to have done it */
}
