/* SPDX-License-Identifier: Apache-2.0 */
/* gzip by zlib (decoder.h): a file is one member or several, one after the other. */
#include <limits.h>
#include <zlib.h>

#include "formats/decoder.h"

typedef struct gz_state {
    z_stream stream;
    bool inside; /* a member has begun and not ended */
} gz_state;

/* zlib's allocator functions: `opaque` of the stream is the context. */
static voidpf gz_alloc(voidpf ctx, uInt count, uInt bytes) {
    return alcore__alloc(ctx, (size_t)count * bytes);
}

static void gz_free(voidpf ctx, voidpf memory) {
    alcore__free(ctx, memory);
}

/* Allocates the state; zlib's memory comes from the context too. */
static alcore_status gz_open(alcore_ctx *ctx, void **out_state) {
    gz_state *state = alcore__calloc(ctx, 1, sizeof *state);
    if (!state) return alcore__fail_memory(sizeof *state);
    state->stream.zalloc = gz_alloc;
    state->stream.zfree = gz_free;
    state->stream.opaque = ctx;
    if (inflateInit2(&state->stream, 16 + MAX_WBITS) != Z_OK) { /* 16: gzip, not zlib */
        alcore__free(ctx, state);
        return alcore__fail_memory(1 << MAX_WBITS);
    }
    *out_state = state;
    return ALCORE_OK;
}

/* The decoder's step. zlib counts in 32 bits, so longer buffers are passed in parts. *out_whole is
 * true where no member is open: the file may end there. That holds before the first member too; the
 * byte stream finds out by itself that a file is empty. */
static alcore_status gz_run(void *data, alcore__decoder_io *io, bool *out_whole) {
    gz_state *state = data;
    z_stream *stream = &state->stream;
    bool stalled = false;
    /* With all input read, zlib may still have output that did not fit before: it is called again
     * until it makes no progress (Z_BUF_ERROR). */
    while (io->output_bytes > 0 && (io->input_bytes > 0 || (state->inside && !stalled))) {
        uInt input = (uInt)(io->input_bytes < UINT_MAX ? io->input_bytes : UINT_MAX);
        uInt output = (uInt)(io->output_bytes < UINT_MAX ? io->output_bytes : UINT_MAX);
        stream->next_in = (z_const Bytef *)io->input;
        stream->avail_in = input;
        stream->next_out = (Bytef *)io->output;
        stream->avail_out = output;
        int result = inflate(stream, Z_NO_FLUSH);
        io->input += input - stream->avail_in;
        io->input_bytes -= input - stream->avail_in;
        io->output += output - stream->avail_out;
        io->output_bytes -= output - stream->avail_out;
        state->inside = result != Z_STREAM_END;
        stalled = result == Z_BUF_ERROR;
        if (result == Z_STREAM_END) {
            inflateReset(stream); /* another member may follow */
        } else if (result == Z_MEM_ERROR) {
            return alcore__fail_memory(1 << MAX_WBITS);
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            return alcore__fail(ALCORE_E_DATA, "the gzip data is damaged (%s)",
                                stream->msg ? stream->msg : "wrong header");
        }
    }
    *out_whole = !state->inside;
    return ALCORE_OK;
}

/* Frees zlib's memory and the state. */
static void gz_close(alcore_ctx *ctx, void *data) {
    gz_state *state = data;
    inflateEnd(&state->stream);
    alcore__free(ctx, state);
}

const alcore__decoder alcore__decoder_gz = {".gz", "gzip", gz_open, gz_run, gz_close};
