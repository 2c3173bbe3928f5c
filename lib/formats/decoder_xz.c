/* SPDX-License-Identifier: Apache-2.0 */
/* xz by liblzma (decoder.h), which follows concatenated streams itself. */
#include <lzma.h>

#include "formats/decoder.h"

/* `xz -9` needs 65 MiB to decode; a stream that asks for more than this is not decoded. */
#define MEMORY_LIMIT (256u << 20)

typedef struct xz_state {
    lzma_stream stream;
    lzma_allocator allocator;
    bool ended; /* the last stream has ended; nothing follows */
} xz_state;

/* liblzma's allocator functions: `opaque` of lzma_allocator is the context. */
static void *xz_alloc(void *ctx, size_t count, size_t bytes) {
    return alcore__alloc(ctx, count * bytes); /* count is always 1, says lzma/base.h */
}

static void xz_free(void *ctx, void *memory) {
    alcore__free(ctx, memory);
}

/* Allocates the state; liblzma's memory comes from the context too, up to MEMORY_LIMIT. */
static alcore_status xz_open(alcore_ctx *ctx, void **out_state) {
    xz_state *state = alcore__calloc(ctx, 1, sizeof *state);
    if (!state) return alcore__fail_memory(sizeof *state);
    lzma_stream fresh = LZMA_STREAM_INIT;
    state->stream = fresh;
    state->allocator = (lzma_allocator){xz_alloc, xz_free, ctx};
    state->stream.allocator = &state->allocator;
    if (lzma_stream_decoder(&state->stream, MEMORY_LIMIT, LZMA_CONCATENATED) != LZMA_OK) {
        alcore__free(ctx, state);
        return alcore__fail_memory(sizeof *state);
    }
    *out_state = state;
    return ALCORE_OK;
}

/* The decoder's step. With concatenated streams liblzma reports the end only after it was told, by
 * LZMA_FINISH, that no input follows; hence the call without input at the end of the file. */
static alcore_status xz_run(void *data, alcore__decoder_io *io, bool *out_whole) {
    xz_state *state = data;
    lzma_stream *stream = &state->stream;
    while (io->output_bytes > 0 && !state->ended && (io->input_bytes > 0 || io->input_ended)) {
        stream->next_in = (const uint8_t *)io->input;
        stream->avail_in = io->input_bytes;
        stream->next_out = (uint8_t *)io->output;
        stream->avail_out = io->output_bytes;
        lzma_ret result = lzma_code(stream, io->input_ended ? LZMA_FINISH : LZMA_RUN);
        io->input += io->input_bytes - stream->avail_in;
        io->input_bytes = stream->avail_in;
        io->output += io->output_bytes - stream->avail_out;
        io->output_bytes = stream->avail_out;
        if (result == LZMA_STREAM_END) {
            state->ended = true;
        } else if (result == LZMA_BUF_ERROR) {
            break; /* no progress: the caller sees that the data is not whole */
        } else if (result == LZMA_MEM_ERROR) {
            return alcore__fail_memory((size_t)lzma_memusage(stream));
        } else if (result == LZMA_MEMLIMIT_ERROR) {
            return alcore__fail(
                ALCORE_E_DATA, "the xz data needs %llu MiB to decode, the limit is %u MiB",
                (unsigned long long)(lzma_memusage(stream) >> 20), MEMORY_LIMIT >> 20);
        } else if (result != LZMA_OK) {
            return alcore__fail(ALCORE_E_DATA, "the xz data is damaged (%s)",
                                result == LZMA_FORMAT_ERROR ? "not an .xz file" : "wrong contents");
        }
    }
    *out_whole = state->ended;
    return ALCORE_OK;
}

/* Frees liblzma's memory and the state. */
static void xz_close(alcore_ctx *ctx, void *data) {
    xz_state *state = data;
    lzma_end(&state->stream);
    alcore__free(ctx, state);
}

const alcore__decoder alcore__decoder_xz = {".xz", "xz", xz_open, xz_run, xz_close};
