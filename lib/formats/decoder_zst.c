/* SPDX-License-Identifier: Apache-2.0 */
/* zstd by libzstd (decoder.h): a file is one frame or several, one after the other. */
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/decoder.h"

/* 128 MiB, what `zstd -d` takes without --long; a frame header may ask for terabytes. */
#define WINDOW_LOG_LIMIT 27

typedef struct zst_state {
    ZSTD_DCtx *decoder; /* allocated by malloc(): zstd offers its allocator functions to static
                           linking only */
    bool inside;        /* a frame has begun and not ended, or still has output */
} zst_state;

/* Allocates the state and limits the window that a frame may ask for. */
static alcore_status zst_open(alcore_ctx *ctx, void **out_state) {
    zst_state *state = alcore__calloc(ctx, 1, sizeof *state);
    if (!state) return alcore__fail_memory(sizeof *state);
    state->decoder = ZSTD_createDCtx();
    if (!state->decoder) {
        alcore__free(ctx, state);
        return alcore__fail_memory(sizeof *state);
    }
    ZSTD_DCtx_setParameter(state->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_LIMIT);
    *out_state = state;
    return ALCORE_OK;
}

/* The decoder's step. Within a frame zstd may still have output when all input is read: it is
 * called until it writes nothing more (flushed). */
static alcore_status zst_run(void *data, alcore__decoder_io *io, bool *out_whole) {
    zst_state *state = data;
    bool flushed = false;
    while (io->output_bytes > 0 && (io->input_bytes > 0 || (state->inside && !flushed))) {
        ZSTD_inBuffer input = {io->input, io->input_bytes, 0};
        ZSTD_outBuffer output = {io->output, io->output_bytes, 0};
        size_t result = ZSTD_decompressStream(state->decoder, &output, &input);
        io->input += input.pos;
        io->input_bytes -= input.pos;
        io->output += output.pos;
        io->output_bytes -= output.pos;
        if (ZSTD_isError(result)) {
            ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
            if (code == ZSTD_error_memory_allocation)
                return alcore__fail_memory((size_t)1 << WINDOW_LOG_LIMIT);
            if (code == ZSTD_error_frameParameter_windowTooLarge)
                return alcore__fail(ALCORE_E_DATA,
                                    "the zstd data needs a window above %d MiB: compress it again "
                                    "without --long",
                                    1 << (WINDOW_LOG_LIMIT - 20));
            return alcore__fail(ALCORE_E_DATA, "the zstd data is damaged (%s)",
                                ZSTD_getErrorName(result));
        }
        state->inside = result != 0;
        flushed = io->input_bytes == 0 && output.pos == 0;
    }
    *out_whole = !state->inside;
    return ALCORE_OK;
}

/* Frees zstd's memory and the state. */
static void zst_close(alcore_ctx *ctx, void *data) {
    zst_state *state = data;
    ZSTD_freeDCtx(state->decoder);
    alcore__free(ctx, state);
}

const alcore__decoder alcore__decoder_zst = {".zst", "zstd", zst_open, zst_run, zst_close};
